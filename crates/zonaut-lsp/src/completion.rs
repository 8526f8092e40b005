//! Completion of names and keywords, and help on the parameters of a call.

use crate::analysis::Analysis;
use crate::describe::{declaration, signature};
use crate::documents::Kind;
use crate::outline::Outline;
use lsp_types::{
    CompletionItem, CompletionItemKind, ParameterInformation, Position, SignatureHelp,
    SignatureInformation,
};
use std::collections::BTreeSet;
use zonaut_engine::{Definition, NameKind, Span};

/// Reserved words of models.
const MODEL_WORDS: [&str; 46] = [
    "and",
    "assign",
    "bool",
    "broadcast",
    "branchpoint",
    "chan",
    "clock",
    "commit",
    "const",
    "do",
    "double",
    "else",
    "exists",
    "false",
    "for",
    "forall",
    "guard",
    "hybrid",
    "if",
    "imply",
    "import",
    "init",
    "int",
    "meta",
    "not",
    "or",
    "priority",
    "probability",
    "process",
    "progress",
    "query",
    "return",
    "scalar",
    "select",
    "state",
    "string",
    "struct",
    "sum",
    "sync",
    "system",
    "trans",
    "true",
    "typedef",
    "urgent",
    "void",
    "while",
];
/// Words and operators of queries.
const QUERY_WORDS: [&str; 21] = [
    "A<>", "A[]", "E<>", "E[]", "Pr", "and", "bounds", "deadlock", "exists", "false", "forall",
    "imply", "inf", "not", "or", "simulate", "sum", "sup", "true", "-->", "control",
];
/// Elements of XML whose content is code.
const CODE_ELEMENTS: [&str; 7] =
    ["declaration", "system", "label", "parameter", "formula", "instantiation", "queries"];

/// The items at a position of the analysed document.
pub(crate) fn completion(
    analysis: &Analysis,
    kind: Kind,
    position: Position,
) -> Vec<CompletionItem> {
    let offset = analysis.own_file().text.offset(position);
    if kind == Kind::Markup && !is_code(analysis, offset) {
        return Vec::new();
    }
    let outline = Outline::of(analysis);
    let place = analysis.place(offset);
    let before = &analysis.own_file().text.content()[..offset];
    let typed = before.len() - word_at_end(before).len();
    if let Some(owner) = before[..typed].strip_suffix('.') {
        let members = members(analysis, &outline, place, owner);
        return members.into_iter().map(|member| item(analysis, &outline, member)).collect();
    }
    let mut seen = BTreeSet::new();
    let visible = outline.visible(place).into_iter().filter(|found| seen.insert(&found.name));
    let mut items: Vec<CompletionItem> =
        visible.map(|definition| item(analysis, &outline, definition)).collect();
    let words: &[&str] = if kind == Kind::Queries { &QUERY_WORDS } else { &MODEL_WORDS };
    items.extend(words.iter().map(|word| CompletionItem {
        label: (*word).to_owned(),
        kind: Some(CompletionItemKind::Keyword),
        ..CompletionItem::default()
    }));
    items
}

/// Whether an offset of a model in XML is inside code.
fn is_code(analysis: &Analysis, offset: usize) -> bool {
    let file = analysis.loaded.sources.file(analysis.own);
    let path = file.path_at(offset as u32).unwrap_or_default();
    let element = path.rsplit('/').next().unwrap_or_default();
    CODE_ELEMENTS.contains(&element.split('[').next().unwrap_or_default())
}

fn item(analysis: &Analysis, outline: &Outline<'_>, definition: &Definition) -> CompletionItem {
    let kind = match definition.kind {
        NameKind::Constant => CompletionItemKind::Constant,
        NameKind::Variable | NameKind::Clock | NameKind::Damaged => CompletionItemKind::Variable,
        NameKind::Channel => CompletionItemKind::Event,
        NameKind::Type => CompletionItemKind::Struct,
        NameKind::Field => CompletionItemKind::Field,
        NameKind::Function => CompletionItemKind::Function,
        NameKind::Template => CompletionItemKind::Class,
        NameKind::Location | NameKind::Branchpoint => CompletionItemKind::EnumMember,
    };
    CompletionItem {
        label: definition.name.to_string(),
        kind: Some(kind),
        detail: Some(declaration(analysis, outline, definition)),
        ..CompletionItem::default()
    }
}

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '$' | '#')
}

/// The word that ends where `text` ends.
fn word_at_end(text: &str) -> &str {
    &text[text.trim_end_matches(is_word).len()..]
}

/// The text before the brackets at the end of `text`, as in `a` of `a[f(x)][2]`.
fn without_brackets(text: &str) -> &str {
    let mut rest = text.trim_end();
    while rest.ends_with([')', ']']) {
        let mut depth = 0_usize;
        let opening = rest.char_indices().rev().find(|(_, character)| {
            match character {
                ')' | ']' => depth += 1,
                '(' | '[' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        let Some((start, _)) = opening else { return "" };
        rest = rest[..start].trim_end();
    }
    rest
}

/// The members of the struct or process that `owner` ends with.
fn members<'l>(
    analysis: &'l Analysis,
    outline: &Outline<'l>,
    place: Span,
    owner: &str,
) -> Vec<&'l Definition> {
    let names = &analysis.loaded.names;
    let Some(owner) = owner_definition(analysis, outline, place, owner) else { return Vec::new() };
    match outline.template_of(owner.span) {
        Some(template) if owner.kind == NameKind::Template => outline.members(template),
        _ => owner.fields.iter().filter_map(|field| names.definition(*field)).collect(),
    }
}

/// The definition of the name, possibly with brackets and members, that `text` ends with.
fn owner_definition<'l>(
    analysis: &'l Analysis,
    outline: &Outline<'l>,
    place: Span,
    text: &str,
) -> Option<&'l Definition> {
    let text = without_brackets(text);
    let word = word_at_end(text);
    let rest = &text[..text.len() - word.len()];
    match rest.strip_suffix('.') {
        Some(outer) => {
            let members = members(analysis, outline, place, outer);
            members.into_iter().find(|member| &*member.name == word)
        }
        None => outline.visible(place).into_iter().find(|found| &*found.name == word),
    }
}

/// Help on the call around a position.
pub(crate) fn signature_help(analysis: &Analysis, position: Position) -> Option<SignatureHelp> {
    let offset = analysis.own_file().text.offset(position);
    let before = &analysis.own_file().text.content()[..offset];
    let (callee, argument) = open_call(before)?;
    let outline = Outline::of(analysis);
    let definition = owner_definition(analysis, &outline, analysis.place(offset), callee)?;
    let callable = outline.callable_at(definition.span)?;
    let text = signature(analysis, callable);
    let parameters = text
        .parameters
        .into_iter()
        .map(|parameter| ParameterInformation { label: parameter.into(), documentation: None });
    let information = SignatureInformation {
        label: text.label,
        documentation: None,
        parameters: Some(parameters.collect()),
        active_parameter: Some(argument.into()),
    };
    Some(SignatureHelp {
        signatures: vec![information],
        active_signature: Some(0),
        active_parameter: Some(argument.into()),
    })
}

/// The text before the innermost open parenthesis, and the number of arguments behind it. A
/// statement or block ends the search.
fn open_call(before: &str) -> Option<(&str, u32)> {
    let (mut depth, mut argument) = (0_usize, 0);
    for (offset, character) in before.char_indices().rev() {
        match character {
            ')' | ']' => depth += 1,
            '(' if depth == 0 => return Some((&before[..offset], argument)),
            '[' if depth == 0 => argument = 0,
            '(' | '[' => depth -= 1,
            ',' if depth == 0 => argument += 1,
            ';' | '{' | '}' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_before_brackets_is_found() {
        assert_eq!(without_brackets("x + a[f(1)][2] "), "x + a");
        assert_eq!(without_brackets("P(3)"), "P");
        assert_eq!(without_brackets(")"), "");
        assert_eq!(word_at_end("x + ab1"), "ab1");
        assert_eq!(word_at_end("x +"), "");
    }

    #[test]
    fn the_innermost_call_is_found() {
        assert_eq!(open_call("f(a, g(b, c), d"), Some(("f", 2)));
        assert_eq!(open_call("f(a, g(b"), Some(("f(a, g", 0)));
        assert_eq!(open_call("f(a[1, 2"), Some(("f", 0)));
        assert_eq!(open_call("f(a); b"), None);
        assert_eq!(open_call("f(a)"), None);
    }
}
