//! The certificate text: its header and seal, and the lines of its body.

use crate::Limits;
use crate::core::Core;
use crate::refusal::{Refusal, Text};
use crate::sha256::fingerprint;

/// A kind of certificate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A run.
    Reach,
    /// A set of zones.
    Unreach,
    /// A run to a deadlock.
    Deadlock,
    /// A set of zones without a deadlock.
    NoDeadlock,
    /// A maximal run that avoids a formula.
    Lasso,
    /// A set of zones with ranks: no maximal run avoids the formula.
    Live,
    /// Runs to infima and suprema, and sets of zones that bound them.
    Values,
    /// A run, and a set of zones that shows that no run costs less.
    MinCost,
}

/// The unread lines of a certificate.
#[derive(Clone, Debug)]
pub(crate) struct Lines<'t> {
    /// The bytes after the last line read; `None` after the last line.
    rest: Option<&'t [u8]>,
    limit: usize,
    /// The number of the last line read, from 1.
    pub(crate) number: usize,
}

/// An upper bound of the length of keywords.
const LONGEST_KEYWORD: usize = 16;

/// The words of a line; the first one is its keyword.
pub(crate) type Words<'t> = Vec<&'t str>;

impl<'t> Lines<'t> {
    /// A refusal because of the last line read.
    pub(crate) fn malformed(&self, message: impl Into<String>) -> Refusal {
        let (text, line) = (Text::Certificate, self.number);
        Refusal::Malformed { text, line, message: message.into() }
    }

    /// Refuses the last line read unless `condition` holds.
    pub(crate) fn require(&self, condition: bool, message: &str) -> Result<(), Refusal> {
        if condition { Ok(()) } else { Err(self.malformed(message)) }
    }

    /// The next line; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Words<'t>>, Refusal> {
        let Some((line, rest)) = self.split() else { return Ok(None) };
        self.rest = rest;
        self.number += 1;
        if line.len() > self.limit {
            return Err(Refusal::Undecided(format!("line {} is too long", self.number)));
        }
        match str::from_utf8(line) {
            Ok(line) => Ok(Some(line.split(' ').collect())),
            Err(_) => Err(self.malformed("this is not a line of text")),
        }
    }

    /// The next line, and the bytes after it.
    fn split(&self) -> Option<(&'t [u8], Option<&'t [u8]>)> {
        let rest = self.rest?;
        Some(match rest.iter().position(|&byte| byte == b'\n') {
            Some(end) => (&rest[..end], Some(&rest[end + 1..])),
            None => (rest, None),
        })
    }

    /// The next `count` bytes, whatever they are; a newline, or the end, follows them.
    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'t [u8], Refusal> {
        let rest = self.rest.unwrap_or_default();
        let Some((bytes, after)) = rest.split_at_checked(count) else {
            return Err(self.malformed("there are fewer bytes than announced"));
        };
        self.rest = match after {
            [] => None,
            [b'\n', after @ ..] => Some(after),
            _ => return Err(self.malformed("there are more bytes than announced")),
        };
        Ok(bytes)
    }

    /// The next line if it has this keyword.
    fn next_if(&mut self, keyword: &str) -> Result<Option<Words<'t>>, Refusal> {
        if self.is_at(keyword) { self.next() } else { Ok(None) }
    }

    /// Whether all lines have been read.
    pub(crate) fn is_at_end(&self) -> bool {
        self.rest.is_none()
    }

    /// Whether the next line has this keyword.
    pub(crate) fn is_at(&self, keyword: &str) -> bool {
        self.keyword() == Some(keyword)
    }

    /// The keyword of the next line; `None` at the end.
    pub(crate) fn keyword(&self) -> Option<&'t str> {
        // A keyword is short: no more of a long line is looked at.
        let rest = self.rest?;
        let beginning = &rest[..rest.len().min(LONGEST_KEYWORD + 1)];
        let end = beginning.iter().position(|byte| matches!(byte, b' ' | b'\n'));
        str::from_utf8(&beginning[..end.unwrap_or(beginning.len())]).ok()
    }

    /// The words after the keyword of the next line. Refuses a line with another keyword.
    pub(crate) fn expect(&mut self, keyword: &str) -> Result<Words<'t>, Refusal> {
        match self.next_if(keyword)? {
            Some(mut words) => Ok(words.split_off(1)),
            None => {
                self.number += 1;
                Err(self.malformed(format!("`{keyword}` is missing")))
            }
        }
    }

    /// The only word after the keyword of the next line.
    pub(crate) fn expect_one(&mut self, keyword: &str) -> Result<&'t str, Refusal> {
        match self.expect(keyword)?[..] {
            [word] => Ok(word),
            _ => Err(self.malformed(format!("`{keyword}` takes one word"))),
        }
    }

    /// Parses the number of one of `count` elements.
    pub(crate) fn one_of(&self, what: &str, count: usize, word: &str) -> Result<usize, Refusal> {
        let number = self.natural(word)?;
        if number < count {
            return Ok(number);
        }
        Err(self.malformed(format!("there is no {what} {word}")))
    }

    /// Parses a natural number.
    pub(crate) fn natural<N: std::str::FromStr>(&self, word: &str) -> Result<N, Refusal> {
        let is_plain = word.bytes().all(|byte| byte.is_ascii_digit());
        let number = word.parse().ok().filter(|_| is_plain);
        number.ok_or_else(|| self.malformed(format!("`{word}` is not a natural number")))
    }
}

/// Reads the header of a certificate about `core`, checks its seal, and returns the lines of its
/// body.
pub(crate) fn open<'t>(
    certificate: &'t [u8],
    core: &Core,
    core_text: &str,
    limits: &Limits,
) -> Result<(Kind, Lines<'t>), Refusal> {
    let content = certificate.strip_suffix(b"\n").unwrap_or(certificate);
    let newline = content.iter().rposition(|&byte| byte == b'\n');
    let (body, seal) =
        newline.map_or((&[][..], content), |at| (&content[..at], &content[at + 1..]));
    let sealed = &certificate[..content.len() - seal.len()];
    let number = body.iter().filter(|&&byte| byte == b'\n').count() + 2;
    let mut lines = Lines { rest: Some(body), limit: limits.line, number };
    let is_whole = seal.strip_prefix(b"end ") == Some(fingerprint(sealed).as_bytes());
    lines.require(is_whole, "the checksum in the last line does not match the text above it")?;
    lines.number = 0;
    let version = lines.expect_one("tacert")?;
    lines.require(matches!(version, "1" | "2"), "the version is not 1 or 2")?;
    let kind = match lines.expect_one("kind")? {
        "reach" => Kind::Reach,
        "unreach" => Kind::Unreach,
        "deadlock" if core.asks_for_deadlock() => Kind::Deadlock,
        "nodeadlock" if core.asks_for_deadlock() => Kind::NoDeadlock,
        "deadlock" | "nodeadlock" => {
            return Err(lines.malformed("the query does not ask for deadlocks"));
        }
        "lasso" => Kind::Lasso,
        "live" => Kind::Live,
        "values" => Kind::Values,
        "mincost" => Kind::MinCost,
        _ => return Err(lines.malformed("the kind is unknown")),
    };
    let is_right = (version == "2") == (kind == Kind::MinCost);
    lines.require(is_right, "least costs are shown in version 2, all else in version 1")?;
    lines.next_if("model")?;
    let named = lines.expect_one("core")?;
    let found = fingerprint(core_text.as_bytes());
    if named != found {
        return Err(Refusal::WrongModel { named: named.to_owned(), found });
    }
    lines.next_if("query")?;
    lines.next_if("tool")?;
    let clocks = lines.expect("clocks")?;
    let names = core.clocks[1..].iter().map(|clock| clock.name.as_str());
    let count = (core.clocks.len() - 1).to_string();
    let are_same = clocks.iter().copied().eq([count.as_str()].into_iter().chain(names));
    lines.require(are_same, "the clocks are not those of the core text")?;
    Ok((kind, lines))
}

/// Appends the seal, the last line, to a certificate whose other lines are complete.
#[must_use]
pub fn seal(text: String) -> String {
    let seal = seal_of(text.as_bytes());
    text + &seal
}

/// The seal of these bytes of a certificate, its last line.
#[must_use]
pub fn seal_of(bytes: &[u8]) -> String {
    format!("end {}\n", fingerprint(bytes))
}
