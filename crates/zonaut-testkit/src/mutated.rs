//! Queries with one character changed, inserted or deleted: each is refused or answered correctly.
//!
//! A query with a lexical error was once answered as a different one: the parser dropped an illegal
//! character, read a number that is too large as 0 or swallowed an unterminated string, and
//! continued. A comparison with oracles cannot detect that, since they are given the query that was
//! parsed. So the text is tokenised here once more, by [a lexer](tokens) that shares nothing with
//! the parser:
//!
//! - A text with a lexical error (an illegal character, a number that is too large, an unterminated
//!   string or comment) must be refused.
//! - A query that is answered is printed again, and must have the tokens of its text, in order.
//! - The answer must be that of an oracle, and so must the exit code of the command `verify`.

use crate::command::{Format, Input, Outcome, outcomes_by_oracle};
use crate::differential::{Failure, Tally, examine_queries};
use crate::evidence::certified;
use crate::generate::varied;
use crate::judge::truth;
use crate::oracle::{Limits, MaximalRuns, maximal_runs};
use crate::random::Random;
use crate::specification::Specification;
use zonaut_base::{SourceFile, SourceMap};
use zonaut_engine::{
    LoadOptions, Loaded, Session, Verdict, VerifyOptions, load_text, load_text_asking,
};
use zonaut_model::{Formula, Model, Query, QueryId, QueryKind};
use zonaut_syntax::{
    ParseOptions, parse_model, parse_query_text, print_queries, print_xml, xml_escaped,
};

/// The state limit of an oracle.
const STATES: usize = 5_000;

/// Characters that occur in queries.
const USUAL: &str = "0123456789<>=!&|()[]+-*/%^.,:;?'\"#_ AEPlxvtrue";
/// Characters that are illegal outside comments and strings.
const ILLEGAL: &str = "\u{ac}@$`~\\\u{a0}\u{e9}\u{201c}\u{200b}\u{2264}\u{7f}";

/// The form in which a query is given to the front end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// As a single formula.
    Formula,
    /// In a list, on the line after another query.
    List,
    /// In an XML model.
    Xml,
}

/// Examines a mutated query of the network of a seed.
///
/// # Errors
/// The first wrong answer, with the network shrunk as long as one stays wrong.
pub fn examine(seed: u64, tally: &mut Tally) -> Result<(), Box<Failure>> {
    examine_queries(varied(seed), seed, tally, examine_specification)
}

/// Examines one network; the error is the query with a wrong answer, and the mistake.
fn examine_specification(
    specification: &Specification,
    seed: u64,
    tally: &mut Tally,
) -> Result<(), (String, String)> {
    let mut random = Random::new(seed ^ 0x3a7e);
    let original = decorated(specification.query_text(), &mut random);
    let text = mutated(&original, &mut random);
    let form = form_for(&text, &mut random);
    tally.models += 1;
    // Half of the answers are computed without certificates.
    let is_certified = seed.is_multiple_of(2);
    let asked = Asked { text: &text, form, is_certified, seed };
    asked.examine(specification, tally).map_err(|mistake| {
        let mistake = format!("{form:?} from `{original}`: {mistake}");
        (text.clone(), mistake)
    })
}

/// Adds parts to a query in which one character matters: a number near the greatest one, and
/// comments.
fn decorated(mut query: String, random: &mut Random) -> String {
    if random.chance(35) {
        query.push_str(random.choose(&[
            " and 2147483647 > 0",
            " && 214748364 < 2147483640",
            " or 2147483647 < v0",
        ]));
    }
    match random.below(8) {
        0 => query.push_str(" /* about it */"),
        1 => query.push_str(" // about it"),
        2 => query.insert_str(0, "/* about it */ "),
        _ => {}
    }
    query
}

/// The query with one character changed, inserted or deleted.
fn mutated(query: &str, random: &mut Random) -> String {
    let mut characters: Vec<char> = query.chars().collect();
    let place = random.below(characters.len());
    let new = character(&characters, random);
    match random.below(3) {
        0 => characters[place] = new,
        1 => characters.insert(place, new),
        _ => {
            characters.remove(place);
        }
    }
    characters.into_iter().collect()
}

fn character(query: &[char], random: &mut Random) -> char {
    let usual: Vec<char> = USUAL.chars().collect();
    let illegal: Vec<char> = ILLEGAL.chars().collect();
    match random.below(4) {
        0 => random.choose(query),
        1 => random.choose(&usual[..10]),
        2 => random.choose(&usual),
        _ => random.choose(&illegal),
    }
}

fn form_for(query: &str, random: &mut Random) -> Form {
    match random.below(3) {
        // In the other forms the braces would belong to the block.
        0 if !query.contains(['{', '}']) => Form::List,
        1 if !query.contains('\u{7f}') => Form::Xml,
        _ => Form::Formula,
    }
}

/// A query about a network.
struct Asked<'q> {
    text: &'q str,
    form: Form,
    is_certified: bool,
    seed: u64,
}

/// A file for the front end, with the query if the form requires it.
struct ModelFile {
    name: &'static str,
    format: Format,
    text: String,
}

impl Asked<'_> {
    fn file(&self, specification: &Specification) -> ModelFile {
        let model = specification.to_xta();
        let text = match self.form {
            Form::Formula => model,
            Form::List => format!("{model}\nquery {{\nE<> true\n{}\n}}\n", self.text),
            Form::Xml => {
                let mut sources = SourceMap::default();
                let file = sources.add(SourceFile::new("m.xta", model));
                let (document, _) = parse_model(&mut sources, file, &ParseOptions::default());
                let query = format!(
                    "<queries><query><formula>{}</formula></query></queries></nta>",
                    xml_escaped(self.text)
                );
                print_xml(&document).replace("</nta>", &query)
            }
        };
        match self.form {
            Form::Formula | Form::List => ModelFile { name: "m.xta", format: Format::Xta, text },
            Form::Xml => ModelFile { name: "m.xml", format: Format::Xml, text },
        }
    }

    fn load(&self, ModelFile { name, text, .. }: &ModelFile) -> Loaded {
        let options = LoadOptions::default();
        match self.form {
            Form::Formula => load_text_asking(name, text, &[self.text.to_owned()], &options),
            Form::List | Form::Xml => load_text(name, text, &options),
        }
    }

    /// Asks the engine and the command `verify`; the oracles determine the right outcomes.
    fn examine(&self, specification: &Specification, tally: &mut Tally) -> Result<(), String> {
        let file = self.file(specification);
        let loaded = self.load(&file);
        let Some(session) = loaded.session() else {
            return Err("the model is refused because of its query".to_owned());
        };
        let others = usize::from(self.form == Form::List);
        let is_asked = tokens(self.text).is_none_or(|tokens| !tokens.is_empty());
        let count = others + usize::from(is_asked);
        if session.queries().count() != count {
            return Err("the query has no row, or more than one".to_owned());
        }
        let mut allowed = Vec::new();
        if others > 0 {
            allowed.push(Self::outcomes_of_truth(&session));
        }
        if let Some((id, query)) = session.queries().nth(others) {
            let has_errors = loaded.has_errors();
            let asked = EngineQuery { session: &session, id, query, has_errors };
            allowed.push(self.examine_query(&asked, tally)?);
        }
        let query = (self.form == Form::Formula).then_some(self.text);
        let input = Input { model: &file.text, format: file.format, query, seed: self.seed };
        input.require_verdicts(&allowed, tally).map_err(|mistake| mistake.to_string())
    }

    /// The right outcomes of `E<> true`: the model may fail in its initial state.
    fn outcomes_of_truth(session: &Session) -> Vec<Outcome> {
        let mut uncounted = Tally::default();
        let query = QueryKind::Possibly(Formula::truth());
        outcomes(session.model(), &query, &mut uncounted)
            .unwrap_or_else(|| vec![Outcome::Satisfied, Outcome::RunTimeError, Outcome::WrongInput])
    }

    /// Asks the engine; returns the right outcomes.
    fn examine_query(
        &self,
        &EngineQuery { session, id, query, has_errors }: &EngineQuery<'_>,
        tally: &mut Tally,
    ) -> Result<Vec<Outcome>, String> {
        if query.kind == QueryKind::Damaged {
            tally.refused += 1;
            return match session.verify(id, &VerifyOptions::default(), None).verdict {
                Verdict::DamagedQuery if has_errors => Ok(vec![Outcome::WrongInput]),
                verdict => Err(format!("an error, reported {has_errors}, but {verdict:?}")),
            };
        }
        let Some(written) = tokens(self.text) else {
            return Err("the text has a lexical error, but is answered".to_owned());
        };
        if has_errors {
            return Err("an error was reported, but the query is answered".to_owned());
        }
        if matches!(query.kind, QueryKind::Unsupported(_)) {
            tally.undecided += 1;
            return Ok(vec![Outcome::Unknown]);
        }
        let printed = printed(self.text);
        if tokens(&printed).as_ref() != Some(&written) {
            return Err(format!("read as `{}`", printed.trim()));
        }
        let evident = match self.is_certified {
            true => certified(session.model(), &query.kind)?,
            false => None,
        };
        tally.certified += u64::from(evident.is_some());
        let verdict = match evident {
            Some(answer) => answer.verdict,
            None => session.verify(id, &VerifyOptions::default(), None).verdict,
        };
        tally.answers += 1;
        compare(session.model(), &query.kind, &verdict, tally)
    }
}

/// A query as the engine has read it.
struct EngineQuery<'s> {
    session: &'s Session,
    id: QueryId,
    query: &'s Query,
    /// Whether an error was reported.
    has_errors: bool,
}

/// The query as the printer writes it.
fn printed(text: &str) -> String {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("m.q", text));
    print_queries(&parse_query_text(&mut sources, file, &ParseOptions::default()).0)
}

/// Compares a verdict with the oracles; returns the right outcomes.
fn compare(
    model: &Model,
    query: &QueryKind,
    verdict: &Verdict,
    tally: &mut Tally,
) -> Result<Vec<Outcome>, String> {
    let given = match verdict {
        Verdict::Satisfied => Outcome::Satisfied,
        Verdict::NotSatisfied => Outcome::NotSatisfied,
        Verdict::Error(_) => Outcome::RunTimeError,
        Verdict::Unknown(_) => Outcome::Unknown,
        Verdict::NoInitialState => Outcome::WrongInput,
        other => return Err(format!("{other:?}")),
    };
    let is_decided = !matches!(verdict, Verdict::Unknown(_) | Verdict::NoInitialState);
    let right = if is_decided { outcomes(model, query, tally) } else { None };
    match right {
        None => {
            tally.undecided += 1;
            Ok(vec![given])
        }
        Some(right) if right.contains(&given) => Ok(right),
        Some(right) => Err(format!("{verdict:?}, but by an oracle {right:?}")),
    }
}

/// The outcomes that the oracles allow; `None` if they cannot decide the query.
fn outcomes(model: &Model, query: &QueryKind, tally: &mut Tally) -> Option<Vec<Outcome>> {
    let limits = Limits { states: STATES, ..Limits::default() };
    if let QueryKind::Possibly(_) | QueryKind::Always(_) = query {
        let (_, answer) = truth(model, query, limits)?;
        tally.reachable += u64::from(answer.goal.is_some());
        tally.failing += u64::from(answer.failure.is_some());
        return Some(outcomes_by_oracle(query, &answer));
    }
    let MaximalRuns::Decided { exists, failure, failure_behind } =
        maximal_runs(model, query, limits)
    else {
        return None;
    };
    // A run is a witness of `E[]`, and a counterexample of the others.
    let is_satisfied = exists == matches!(query, QueryKind::PossiblyAlways(_));
    let decided = if is_satisfied { Outcome::Satisfied } else { Outcome::NotSatisfied };
    let is_certain = exists || failure.is_none();
    let may_fail = failure.or(failure_behind).is_some();
    let failing = may_fail.then_some(Outcome::RunTimeError);
    Some(is_certain.then_some(decided).into_iter().chain(failing).collect())
}

/// The significant tokens of a query, in the spelling of the printer, without parentheses and with
/// each sign as a token of its own; `None` if the text has a lexical error.
///
/// Written from section 1 of the semantics document, not from the lexer.
#[must_use]
pub fn tokens(text: &str) -> Option<Vec<String>> {
    let characters: Vec<char> = text.chars().collect();
    let mut found: Vec<String> = Vec::new();
    let mut at = 0;
    let run = |from: usize, continues: fn(char) -> bool| {
        characters[from..].iter().take_while(|c| continues(**c)).count()
    };
    while let Some(&first) = characters.get(at) {
        let next = characters.get(at + 1).copied();
        match first {
            ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' => at += 1,
            '/' if next == Some('/') => at += run(at, |c| c != '\n' && c != '\r'),
            '/' if next == Some('*') => at += comment_length(&characters[at..])?,
            '\\' => {
                let blanks = run(at + 1, |c| c == ' ' || c == '\t');
                let behind = characters.get(at + 1 + blanks).copied();
                if !matches!(behind, None | Some('\n' | '\r')) {
                    return None;
                }
                at += 1 + blanks;
            }
            '"' => {
                let length = run(at + 1, |c| !matches!(c, '"' | '\n' | '\r'));
                if characters.get(at + 1 + length) != Some(&'"') {
                    return None;
                }
                found.push(characters[at..at + length + 2].iter().collect());
                at += length + 2;
            }
            'a'..='z' | 'A'..='Z' | '_' => {
                let length = run(at, |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '#'));
                let word: String = characters[at..at + length].iter().collect();
                match word.as_str() {
                    "and" => found.extend(["&".to_owned(), "&".to_owned()]),
                    "or" => found.extend(["|".to_owned(), "|".to_owned()]),
                    "not" => found.push("!".to_owned()),
                    _ => found.push(word),
                }
                at += length;
            }
            '0'..='9' => {
                let length = run(at, |c| c.is_ascii_digit());
                let digits: String = characters[at..at + length].iter().collect();
                // A fraction is a single number here: models with fractions are not answered.
                let is_negative = found.last().is_some_and(|token| token == "-");
                let greatest = if is_negative { 1 << 31 } else { (1 << 31) - 1 };
                let value: u64 = digits.parse().ok().filter(|&value| value <= greatest)?;
                found.push(value.to_string());
                at += length;
            }
            '(' | ')' => at += 1,
            '[' | ']' | '{' | '}' | ',' | ';' | ':' | '.' | '\'' | '?' | '!' | '#' | '=' | '*'
            | '/' | '%' | '+' | '-' | '<' | '>' | '&' | '^' | '|' => {
                found.push(first.to_string());
                at += 1;
            }
            _ => return None,
        }
    }
    Some(found)
}

/// The length of the block comment at the start; `None` if it is unterminated.
fn comment_length(characters: &[char]) -> Option<usize> {
    let ends = |pair: &[char]| pair == ['*', '/'];
    characters[2..].windows(2).position(ends).map(|position| position + 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        let found = tokens(text).map(|tokens| tokens.join(" "));
        assert_eq!(found.as_deref(), expected, "{text}");
    }

    #[test]
    fn tokens_are_those_of_the_text() {
        check("E<> P.l0 and (x0<=007)", Some("E < > P . l0 & & x0 < = 7"));
        check("not a // b", Some("! a"));
        check("/* \u{ac} */ a \\\n b \\", Some("a b"));
        check("a == -2147483648", Some("a = = - 2147483648"));
        check("", Some(""));
    }

    #[test]
    fn lexical_errors_have_no_tokens() {
        for text in
            ["\u{ac}a", "a @", "2147483648", "99999999999", "a \" b", "a /* b", "/*/", "\\a"]
        {
            check(text, None);
        }
    }
}
