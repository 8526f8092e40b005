//! Tokens of the textual languages.
//!
//! The lexer has no buffer: lookahead reads on with a copy of it. Words that only some versions of
//! the language reserve are identifiers here, and the grammar compares their spelling where they
//! have a meaning.

mod word;

pub(crate) use word::is_reserved;

/// The language that determines keywords and operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// Models of the current language.
    Current,
    /// Models of the 3.x language.
    Old,
    /// Queries.
    Query,
}

/// The kind of a token. Keywords are those from `And` to `While`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum TokenKind {
    Identifier,
    Integer,
    Float,
    Text,
    End,

    And,
    Assign,
    Bool,
    Broadcast,
    Chan,
    Clock,
    Commit,
    Const,
    Do,
    Else,
    Exists,
    False,
    For,
    Forall,
    Guard,
    If,
    Imply,
    Init,
    Int,
    Meta,
    Not,
    Or,
    Process,
    Return,
    Scalar,
    State,
    Struct,
    Sum,
    Sync,
    System,
    Trans,
    True,
    Typedef,
    Urgent,
    Void,
    While,

    ParenOpen,
    ParenClose,
    BracketOpen,
    BracketClose,
    BraceOpen,
    BraceClose,
    Comma,
    Semicolon,
    Colon,
    Dot,
    Prime,
    Question,
    Exclamation,
    Arrow,
    LeadsTo,
    Hash,

    Set,
    AddSet,
    SubtractSet,
    MultiplySet,
    DivideSet,
    RemainderSet,
    BitAndSet,
    BitOrSet,
    BitXorSet,
    ShiftLeftSet,
    ShiftRightSet,

    Increment,
    Decrement,
    Power,
    Star,
    Slash,
    Percent,
    Plus,
    Minus,
    ShiftLeft,
    ShiftRight,
    Minimum,
    Maximum,
    Less,
    LessEqual,
    GreaterEqual,
    Greater,
    Equal,
    NotEqual,
    Ampersand,
    Caret,
    Bar,
    AndAnd,
    OrOr,
}

impl TokenKind {
    /// Whether it is a reserved word.
    pub(crate) fn is_keyword(self) -> bool {
        (Self::And..=Self::While).contains(&self)
    }
}

/// A token and its position in the fragment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// A lexical error between or inside tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LexicalFault {
    IllegalCharacters,
    UnterminatedComment,
    UnterminatedText,
}

/// A lexical error and its position in the fragment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LexicalError {
    pub(crate) fault: LexicalFault,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// A position in a text from which tokens are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lexer<'t> {
    text: &'t str,
    position: usize,
    mode: Mode,
}

impl<'t> Lexer<'t> {
    pub(crate) fn new(text: &'t str, mode: Mode) -> Self {
        let position = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { text, position, mode }
    }

    /// The same lexer, positioned at `position`.
    pub(crate) fn at(mut self, position: u32) -> Self {
        self.position = position as usize;
        self
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.position + ahead).copied().unwrap_or(0)
    }

    fn error(&self, fault: LexicalFault, start: usize) -> LexicalError {
        LexicalError { fault, start: start as u32, end: self.position as u32 }
    }

    /// The next token, or the lexical error before it. Reading can continue after an error.
    pub(crate) fn next(&mut self) -> Result<Token, LexicalError> {
        self.skip_blanks()?;
        let start = self.position;
        let Some(&first) = self.text.as_bytes().get(start) else {
            return Ok(Token { kind: TokenKind::End, start: start as u32, end: start as u32 });
        };
        let kind = match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(),
            b'0'..=b'9' => self.number(),
            b'"' => self.quoted()?,
            _ => match operator(first, self.byte(1), self.byte(2), self.mode) {
                Some((kind, length)) => {
                    self.position += length;
                    kind
                }
                None => return Err(self.illegal()),
            },
        };
        Ok(Token { kind, start: start as u32, end: self.position as u32 })
    }

    fn skip_blanks(&mut self) -> Result<(), LexicalError> {
        loop {
            match (self.byte(0), self.byte(1)) {
                (b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c, _) => self.position += 1,
                (b'/', b'/') => self.skip_line(),
                (b'/', b'*') => self.skip_comment()?,
                (b'\\', _) if self.mode == Mode::Query => match self.continuation() {
                    Some(length) => self.position += length,
                    None => return Ok(()),
                },
                _ => return Ok(()),
            }
        }
    }

    /// The length of a backslash with the blanks behind it, if it continues its line. At the end of
    /// a formula no line end follows, because comments behind it were removed.
    fn continuation(&self) -> Option<usize> {
        let rest = &self.text.as_bytes()[self.position + 1..];
        let blanks = rest.iter().take_while(|&&b| b == b' ' || b == b'\t').count();
        matches!(rest.get(blanks), Some(b'\n' | b'\r')).then_some(blanks + 1)
    }

    fn skip_line(&mut self) {
        let rest = &self.text.as_bytes()[self.position..];
        self.position += rest.iter().take_while(|&&b| b != b'\n' && b != b'\r').count();
    }

    fn skip_comment(&mut self) -> Result<(), LexicalError> {
        let start = self.position;
        match self.text[start + 2..].find("*/") {
            Some(length) => {
                self.position = start + 2 + length + 2;
                Ok(())
            }
            None => {
                self.position = self.text.len();
                Err(LexicalError {
                    end: start as u32 + 2,
                    ..self.error(LexicalFault::UnterminatedComment, start)
                })
            }
        }
    }

    fn word(&mut self) -> TokenKind {
        let rest = &self.text.as_bytes()[self.position..];
        let continues = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'#');
        let length = rest.iter().take_while(|&&b| continues(b)).count();
        let word = &self.text[self.position..self.position + length];
        self.position += length;
        word::keyword(word, self.mode).unwrap_or(TokenKind::Identifier)
    }

    fn number(&mut self) -> TokenKind {
        self.digits();
        let mut kind = TokenKind::Integer;
        if self.byte(0) == b'.' && self.byte(1).is_ascii_digit() {
            self.position += 1;
            self.digits();
            kind = TokenKind::Float;
        }
        if matches!(self.byte(0), b'e' | b'E') {
            let sign = usize::from(matches!(self.byte(1), b'+' | b'-'));
            if self.byte(1 + sign).is_ascii_digit() {
                self.position += 1 + sign;
                self.digits();
                kind = TokenKind::Float;
            }
        }
        kind
    }

    fn digits(&mut self) {
        while self.byte(0).is_ascii_digit() {
            self.position += 1;
        }
    }

    fn quoted(&mut self) -> Result<TokenKind, LexicalError> {
        let start = self.position;
        self.position += 1;
        while self.position < self.text.len() {
            match self.byte(0) {
                b'"' => {
                    self.position += 1;
                    return Ok(TokenKind::Text);
                }
                b'\n' | b'\r' => break,
                b'\\' if !matches!(self.byte(1), b'\n' | b'\r') => self.position += 2,
                _ => self.position += 1,
            }
        }
        self.position = self.position.min(self.text.len());
        while !self.text.is_char_boundary(self.position) {
            self.position += 1;
        }
        Err(self.error(LexicalFault::UnterminatedText, start))
    }

    /// Skips a sequence of characters that no token starts with.
    fn illegal(&mut self) -> LexicalError {
        let start = self.position;
        for character in self.text[start..].chars() {
            let byte = if character.is_ascii() { character as u8 } else { 0 };
            let starts_token = byte.is_ascii_alphanumeric()
                || matches!(byte, b'_' | b'"')
                || byte.is_ascii_whitespace()
                || operator(byte, 0, 0, self.mode).is_some();
            if starts_token && self.position > start {
                break;
            }
            self.position += character.len_utf8();
        }
        self.error(LexicalFault::IllegalCharacters, start)
    }
}

/// The operator or bracket that starts with these bytes, and its length.
fn operator(a: u8, b: u8, c: u8, mode: Mode) -> Option<(TokenKind, usize)> {
    use TokenKind::*;
    let found = match (a, b, c) {
        (b'-', b'-', b'>') if mode == Mode::Query => (LeadsTo, 3),
        (b'<', b'<', b'=') => (ShiftLeftSet, 3),
        (b'>', b'>', b'=') => (ShiftRightSet, 3),
        (b'=', b'<', _) if mode == Mode::Old => (LessEqual, 2),
        (b'=', b'>', _) if mode == Mode::Old => (GreaterEqual, 2),
        (b':', b'=', _) => (Set, 2),
        (b'=', b'=', _) => (Equal, 2),
        (b'!', b'=', _) => (NotEqual, 2),
        (b'<', b'=', _) => (LessEqual, 2),
        (b'>', b'=', _) => (GreaterEqual, 2),
        (b'<', b'<', _) => (ShiftLeft, 2),
        (b'>', b'>', _) => (ShiftRight, 2),
        (b'<', b'?', _) => (Minimum, 2),
        (b'>', b'?', _) => (Maximum, 2),
        (b'+', b'+', _) => (Increment, 2),
        (b'-', b'-', _) => (Decrement, 2),
        (b'-', b'>', _) => (Arrow, 2),
        (b'*', b'*', _) => (Power, 2),
        (b'&', b'&', _) => (AndAnd, 2),
        (b'|', b'|', _) => (OrOr, 2),
        (b'+', b'=', _) => (AddSet, 2),
        (b'-', b'=', _) => (SubtractSet, 2),
        (b'*', b'=', _) => (MultiplySet, 2),
        (b'/', b'=', _) => (DivideSet, 2),
        (b'%', b'=', _) => (RemainderSet, 2),
        (b'&', b'=', _) => (BitAndSet, 2),
        (b'|', b'=', _) => (BitOrSet, 2),
        (b'^', b'=', _) => (BitXorSet, 2),
        _ => (single(a)?, 1),
    };
    Some(found)
}

fn single(byte: u8) -> Option<TokenKind> {
    use TokenKind::*;
    let kind = match byte {
        b'(' => ParenOpen,
        b')' => ParenClose,
        b'[' => BracketOpen,
        b']' => BracketClose,
        b'{' => BraceOpen,
        b'}' => BraceClose,
        b',' => Comma,
        b';' => Semicolon,
        b':' => Colon,
        b'.' => Dot,
        b'\'' => Prime,
        b'?' => Question,
        b'!' => Exclamation,
        b'#' => Hash,
        b'=' => Set,
        b'*' => Star,
        b'/' => Slash,
        b'%' => Percent,
        b'+' => Plus,
        b'-' => Minus,
        b'<' => Less,
        b'>' => Greater,
        b'&' => Ampersand,
        b'^' => Caret,
        b'|' => Bar,
        _ => return None,
    };
    Some(kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spell(text: &str, mode: Mode) -> String {
        let mut lexer = Lexer::new(text, mode);
        let mut out = Vec::new();
        loop {
            match lexer.next() {
                Ok(token) if token.kind == TokenKind::End => return out.join(" "),
                Ok(token) => out.push(text[token.start as usize..token.end as usize].to_owned()),
                Err(error) => out.push(format!("{:?}", error.fault)),
            }
        }
    }

    #[test]
    fn the_longest_operator_is_read() {
        assert_eq!(spell("a<?b>>=c-->d", Mode::Current), "a <? b >>= c -- > d");
        assert_eq!(spell("a-->d", Mode::Query), "a --> d");
        assert_eq!(spell("x=<5", Mode::Old), "x =< 5");
        assert_eq!(spell("1.5e-3+2.x", Mode::Current), "1.5e-3 + 2 . x");
        assert_eq!(spell("x'==1", Mode::Current), "x ' == 1");
    }

    #[test]
    fn lexing_continues_after_an_error() {
        assert_eq!(spell("a @@ \0 b", Mode::Current), "a IllegalCharacters IllegalCharacters b");
        assert_eq!(spell("a /* b", Mode::Current), "a UnterminatedComment");
        assert_eq!(spell("\"a\nb", Mode::Current), "UnterminatedText b");
        assert_eq!(spell("ä", Mode::Current), "IllegalCharacters");
        assert_eq!(spell("\"\\ä", Mode::Current), "UnterminatedText");
        assert_eq!(spell("a // b", Mode::Current), "a");
    }

    #[test]
    fn a_backslash_continues_a_query_line() {
        assert_eq!(spell("a \\  \n b", Mode::Query), "a b");
        assert_eq!(spell("a \\ b", Mode::Query), "a IllegalCharacters b");
        assert_eq!(spell("a \\ ", Mode::Query), "a IllegalCharacters");
    }
}
