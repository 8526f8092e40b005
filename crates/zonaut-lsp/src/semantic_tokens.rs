//! Semantic tokens: the kinds of all names of a document.

use crate::analysis::Analysis;
use crate::outline::Outline;
use lsp_types::{Range as PositionRange, SemanticToken, SemanticTokensLegend};
use std::collections::BTreeMap;
use zonaut_engine::{Definition, NameKind, Span};

/// The types of tokens; a token has the index of its type.
const TYPES: [&str; 8] =
    ["variable", "parameter", "property", "function", "type", "class", "enumMember", "event"];
const DECLARATION: u32 = 1;
const READ_ONLY: u32 = 2;

pub(crate) fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend {
        token_types: TYPES.map(str::to_owned).to_vec(),
        token_modifiers: ["declaration", "readonly"].map(str::to_owned).to_vec(),
    }
}

/// The tokens of the analysed document, or of a part of it, relative to each other.
pub(crate) fn tokens(analysis: &Analysis, part: Option<PositionRange>) -> Vec<SemanticToken> {
    let outline = Outline::of(analysis);
    let names = &analysis.loaded.names;
    let mut marked: BTreeMap<Span, (u32, u32)> = BTreeMap::new();
    let mut mark = |span: Span, definition: &Definition, declared: u32| {
        // References by the id of a location, in XML, are no names.
        let is_written = analysis.snippet(span) == &*definition.name;
        if let (true, Some(token)) = (span.file == analysis.own && is_written, kind(definition)) {
            let token = if outline.is_parameter(definition.span) { 1 } else { token };
            let constant = definition.kind == NameKind::Constant;
            let modifiers = declared | if constant { READ_ONLY } else { 0 };
            marked.insert(span, (token, modifiers));
        }
    };
    for definition in names.definitions() {
        mark(definition.span, definition, DECLARATION);
    }
    for (span, defined) in names.uses() {
        if let Some(definition) = names.definition(defined) {
            mark(span, definition, 0);
        }
    }
    let mut tokens = Vec::new();
    let mut before = lsp_types::Position::default();
    for (span, (token_type, token_modifiers_bitset)) in marked {
        let PositionRange { start, end } = analysis.range(span);
        if part.is_some_and(|part| start < part.start || end > part.end) || start.line != end.line {
            continue;
        }
        let delta_line = start.line - before.line;
        let delta_start =
            if delta_line == 0 { start.character - before.character } else { start.character };
        let length = end.character - start.character;
        tokens.push(SemanticToken {
            delta_line,
            delta_start,
            length,
            token_type,
            token_modifiers_bitset,
        });
        before = start;
    }
    tokens
}

/// The index of the type of a name.
fn kind(definition: &Definition) -> Option<u32> {
    Some(match definition.kind {
        NameKind::Constant | NameKind::Variable | NameKind::Clock => 0,
        NameKind::Field => 2,
        NameKind::Function => 3,
        NameKind::Type => 4,
        NameKind::Template => 5,
        NameKind::Location | NameKind::Branchpoint => 6,
        NameKind::Channel => 7,
        NameKind::Damaged => return None,
    })
}
