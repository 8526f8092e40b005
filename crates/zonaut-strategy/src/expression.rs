//! The syntax of strategies: names with arguments in parentheses.

use std::fmt;
use std::ops::Range;

/// Maximum nesting depth of parentheses.
const MOST_NESTING: usize = 16;

/// An error in a strategy expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StrategyError {
    text: String,
    at: Range<usize>,
    message: String,
}

impl fmt::Display for StrategyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { text, at, message } = self;
        let indent = text[..at.start].chars().count();
        let carets = text[at.clone()].chars().count().max(1);
        write!(f, "{message}\n  {text}\n  {:indent$}{:^<carets$}", "", "")
    }
}

impl std::error::Error for StrategyError {}

/// A name with optional arguments.
#[derive(Debug)]
pub(super) struct Call<'t> {
    pub(super) name: &'t str,
    /// The range of the name in the text.
    pub(super) at: Range<usize>,
    pub(super) arguments: Vec<Argument<'t>>,
}

impl<'t> Call<'t> {
    /// The last argument with this key.
    pub(super) fn argument(&self, key: &str) -> Option<&Argument<'t>> {
        self.arguments.iter().rev().find(|argument| argument.key == Some(key))
    }

    /// Whether an argument is a word.
    pub(super) fn has_word(&self, key: &str, word: &str) -> bool {
        let value = self.argument(key).map(|argument| &argument.value);
        matches!(value, Some(Value::Call(call)) if call.name == word && call.arguments.is_empty())
    }
}

/// One argument of a call.
#[derive(Debug)]
pub(super) struct Argument<'t> {
    /// The name before `=`.
    pub(super) key: Option<&'t str>,
    /// The range of the argument in the text.
    pub(super) at: Range<usize>,
    pub(super) value: Value<'t>,
}

/// The value of an argument.
#[derive(Debug)]
pub(super) enum Value<'t> {
    Number(u32),
    Call(Call<'t>),
}

/// A parser: a text with a current position.
pub(super) struct Reader<'t> {
    text: &'t str,
    position: usize,
    depth: usize,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, position: 0, depth: 0 }
    }

    /// The whole text as one call.
    pub(super) fn whole(&mut self) -> Result<Call<'t>, StrategyError> {
        let call = self.call()?;
        self.skip_blanks();
        match self.text[self.position..].chars().next() {
            None => Ok(call),
            Some(_) => Err(self.unexpected("the end")),
        }
    }

    /// An error at the range `at`.
    pub(super) fn error(&self, at: Range<usize>, message: impl Into<String>) -> StrategyError {
        StrategyError { text: self.text.to_owned(), at, message: message.into() }
    }

    fn call(&mut self) -> Result<Call<'t>, StrategyError> {
        let (name, at) = self.word().ok_or_else(|| self.unexpected("a name"))?;
        let mut arguments = Vec::new();
        if self.eat('(') {
            self.depth += 1;
            if self.depth > MOST_NESTING {
                return Err(self.error(at, "parentheses are nested too deep"));
            }
            while !self.eat(')') {
                if !arguments.is_empty() && !self.eat(',') {
                    return Err(self.unexpected("`,` or `)`"));
                }
                arguments.push(self.argument()?);
            }
            self.depth -= 1;
        }
        Ok(Call { name, at, arguments })
    }

    fn argument(&mut self) -> Result<Argument<'t>, StrategyError> {
        self.skip_blanks();
        let start = self.position;
        let key = self.word().filter(|_| self.eat('=')).map(|(name, _)| name);
        if key.is_none() {
            self.position = start;
        }
        let value = self.value()?;
        Ok(Argument { key, at: start..self.position, value })
    }

    fn value(&mut self) -> Result<Value<'t>, StrategyError> {
        self.skip_blanks();
        let rest = &self.text[self.position..];
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        if digits == 0 {
            return self.call().map(Value::Call);
        }
        let at = self.position..self.position + digits;
        self.position = at.end;
        let too_large = |_| self.error(at, "this number is too large");
        rest[..digits].parse().map(Value::Number).map_err(too_large)
    }

    fn word(&mut self) -> Option<(&'t str, Range<usize>)> {
        self.skip_blanks();
        let rest = &self.text[self.position..];
        let is_inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '+');
        let length = rest.find(|c: char| !is_inside(c)).unwrap_or(rest.len());
        if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        let at = self.position..self.position + length;
        self.position = at.end;
        Some((&rest[..length], at))
    }

    fn eat(&mut self, symbol: char) -> bool {
        self.skip_blanks();
        let found = self.text[self.position..].starts_with(symbol);
        if found {
            self.position += symbol.len_utf8();
        }
        found
    }

    fn skip_blanks(&mut self) {
        let rest = &self.text[self.position..];
        self.position += rest.len() - rest.trim_start().len();
    }

    fn unexpected(&self, wanted: &str) -> StrategyError {
        let next = self.text[self.position..].chars().next();
        let end = self.position + next.map_or(0, char::len_utf8);
        let found = next.map_or_else(|| "the end".to_owned(), |c| format!("`{c}`"));
        self.error(self.position..end, format!("expected {wanted}, found {found}"))
    }
}
