//! The recursive-descent parser: token stream, errors and recovery.
//!
//! Every rule returns [`Parsed`]. On `Err` the error has been reported already, and the nearest
//! caller that can resynchronise (at a declaration, a statement, an edge, a label) does so.
//! [`Parser::enter`] counts the depth of recursion.

mod comments;
mod declaration;
mod expression;
mod label;
mod old;
mod process;
mod query;
mod recovery;
mod statement;
mod statistical;
mod system;
mod type_expression;

use crate::codes;
use crate::context::Context;
use crate::fragment::Fragment;
use crate::lexer::{Lexer, LexicalError, LexicalFault, Mode, Token, TokenKind};
use crate::tree::{ExpressionId, ExpressionKind, Name};
use expression::Pending;
pub(crate) use expression::{binary_level, level};
use std::collections::HashSet;
use std::fmt::Write as _;
use zonaut_base::{Diagnostic, Span};

/// The mark of an error that has been reported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported;

/// The result of a grammar rule.
pub(crate) type Parsed<T> = Result<T, Reported>;

/// The longest word of the input that a message quotes, in characters.
const MAX_SHOWN: usize = 80;

/// A parser of one fragment.
#[derive(Debug)]
pub(crate) struct Parser<'p> {
    pub(crate) context: &'p mut Context,
    fragment: &'p Fragment<'p>,
    lexer: Lexer<'p>,
    mode: Mode,
    current: Token,
    /// The end of the token before the current one.
    previous_end: u32,
    depth: u32,
    /// Operators of unfinished expressions, innermost last.
    pending: Vec<Pending>,
    /// Start positions of the comments that are in the tree.
    kept_comments: HashSet<u32>,
}

impl<'p> Parser<'p> {
    pub(crate) fn new(context: &'p mut Context, fragment: &'p Fragment<'p>, mode: Mode) -> Self {
        let lexer = Lexer::new(fragment.text(), mode);
        let current = Token { kind: TokenKind::End, start: 0, end: 0 };
        let mut parser = Self {
            context,
            fragment,
            lexer,
            mode,
            current,
            previous_end: 0,
            depth: 0,
            pending: Vec::new(),
            kept_comments: HashSet::new(),
        };
        parser.advance();
        parser
    }

    /// Advances to the next token and reports lexical errors in between.
    fn advance(&mut self) -> Token {
        let left = self.current;
        self.previous_end = left.end;
        loop {
            if self.context.is_stopped() {
                self.current.kind = TokenKind::End;
                return left;
            }
            match self.lexer.next() {
                Ok(token) => {
                    self.current = token;
                    return left;
                }
                Err(error) => self.report_lexical(error),
            }
        }
    }

    #[cold]
    fn report_lexical(&mut self, error: LexicalError) {
        #[cfg(feature = "faults")]
        if error.fault == LexicalFault::IllegalCharacters
            && crate::faults::Fault::IllegalCharacterDropped.is_selected()
        {
            return;
        }
        let span = self.span(error.start, error.end);
        let text = &self.fragment.text()[error.start as usize..error.end as usize];
        let diagnostic = match error.fault {
            LexicalFault::IllegalCharacters => {
                let message = format!("illegal character `{}`", shown(text));
                let diagnostic = Diagnostic::error(codes::ILLEGAL_CHARACTER, span, message);
                if text.chars().all(char::is_alphabetic) {
                    diagnostic.with_help("names are made of ASCII letters, digits and `_`")
                } else {
                    diagnostic
                }
            }
            LexicalFault::UnterminatedComment => {
                let message = "the comment that starts here has no end";
                Diagnostic::error(codes::UNTERMINATED_COMMENT, span, message)
                    .with_help("end it with `*/`")
            }
            LexicalFault::UnterminatedText => {
                let message = "the string that starts here has no closing quote";
                Diagnostic::error(codes::UNTERMINATED_STRING, span, message)
            }
        };
        self.context.report(diagnostic);
    }

    fn span(&self, start: u32, end: u32) -> Span {
        self.fragment.span(start, end)
    }

    /// The span of `token`.
    fn span_of(&self, token: Token) -> Span {
        self.span(token.start, token.end)
    }

    /// The span from `start` to the end of the last token read.
    fn span_from(&self, start: u32) -> Span {
        self.span(start, self.previous_end.max(start))
    }

    /// The text from `start` to the end of the last token read.
    fn text_from(&self, start: u32) -> &'p str {
        &self.fragment.text()[start as usize..self.previous_end.max(start) as usize]
    }

    fn text_of(&self, token: Token) -> &'p str {
        &self.fragment.text()[token.start as usize..token.end as usize]
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.current.kind == kind
    }

    /// Whether the current token is an identifier with this spelling.
    fn at_word(&self, word: &str) -> bool {
        self.at(TokenKind::Identifier) && self.text_of(self.current) == word
    }

    /// The token `ahead` tokens after the current one.
    fn peek(&self, ahead: usize) -> Token {
        let mut lexer = self.lexer;
        let mut token = self.current;
        for _ in 0..ahead {
            if let Ok(next) = lexer.next() {
                token = next;
            }
        }
        token
    }

    fn peek_kind(&self, ahead: usize) -> TokenKind {
        self.peek(ahead).kind
    }

    /// Consumes the current token if it is a `kind`.
    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.advance();
        }
        found
    }

    /// Consumes a `kind`, which messages call `what`.
    fn expect(&mut self, kind: TokenKind, what: &str) -> Parsed<Token> {
        if self.at(kind) { Ok(self.advance()) } else { Err(self.unexpected(what)) }
    }

    /// Consumes the semicolon after `what`; a missing one is reported where it should stand. If it
    /// is missing at the end of a line, the construct before it is kept.
    fn semicolon(&mut self, what: &str) -> Parsed<()> {
        if self.eat(TokenKind::Semicolon) {
            return Ok(());
        }
        let missing = self.span(self.previous_end, self.previous_end);
        let diagnostic = self
            .unexpected_diagnostic(&format!("`;` after {what}"))
            .with_label(missing, "`;` is missing here");
        let reported = self.report(diagnostic);
        let gap = self.previous_end as usize..self.current.start as usize;
        let ends_line = self.fragment.text().get(gap).is_some_and(|gap| gap.contains('\n'));
        if ends_line { Ok(()) } else { Err(reported) }
    }

    /// Reports that `what` was expected at the current token.
    #[cold]
    fn unexpected(&mut self, what: &str) -> Reported {
        let diagnostic = self.unexpected_diagnostic(what);
        self.report(diagnostic)
    }

    #[cold]
    fn unexpected_diagnostic(&self, what: &str) -> Diagnostic {
        let code =
            if self.mode == Mode::Query { codes::QUERY_UNEXPECTED } else { codes::UNEXPECTED };
        let message = format!("expected {what}, found {}", self.found());
        Diagnostic::error(code, self.span_of(self.current), message)
    }

    #[cold]
    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.context.report(diagnostic);
        Reported
    }

    /// The current token as messages name it.
    fn found(&self) -> String {
        if self.at(TokenKind::End) {
            return "the end of the text".to_owned();
        }
        let kind = if self.current.kind.is_keyword() { "the keyword " } else { "" };
        format!("{kind}`{}`", shown(self.text_of(self.current)))
    }

    /// Enters one level of nesting. Every recursion passes here, and back through [`Parser::leave`]
    /// on success; on failure, the rule that recovers restores the depth.
    fn enter(&mut self) -> Parsed<()> {
        if self.depth >= self.context.limits.nesting {
            return Err(self.too_deep());
        }
        self.depth += 1;
        Ok(())
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    #[cold]
    fn too_deep(&mut self) -> Reported {
        let message = format!("nested deeper than {} levels", self.context.limits.nesting);
        let diagnostic = Diagnostic::error(codes::NESTING, self.span_of(self.current), message);
        let reported = self.report(diagnostic);
        // Continuing inside the nested construct would only report its remains.
        self.context.stop();
        self.current.kind = TokenKind::End;
        reported
    }

    /// Consumes an identifier, which messages call `what`.
    fn name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.current;
        if token.kind != TokenKind::Identifier {
            let mut diagnostic = self.unexpected_diagnostic(what);
            if token.kind.is_keyword() {
                diagnostic = diagnostic.with_help("keywords cannot be used as names");
            }
            return Err(self.report(diagnostic));
        }
        self.advance();
        self.context.count(self.fragment.span(token.start, token.end));
        Ok(self.name_of(token))
    }

    /// The name of an identifier, truncated if it is too long.
    fn name_of(&mut self, token: Token) -> Name {
        let span = self.span_of(token);
        let mut text = self.text_of(token);
        let limit = self.context.limits.identifier_length as usize;
        if text.len() > limit {
            let message = format!("the name `{}` is longer than {limit} characters", shown(text));
            self.context.report(Diagnostic::error(codes::IDENTIFIER_TOO_LONG, span, message));
            text = &text[..limit];
        }
        Name { text: self.context.intern(text), span }
    }

    fn push(&mut self, kind: ExpressionKind, start: u32) -> ExpressionId {
        let span = self.span_from(start);
        self.context.push(kind, span)
    }

    /// Reports the rest of the fragment, if any, as superfluous.
    pub(crate) fn finish(&mut self, after: &str) -> Parsed<()> {
        if self.at(TokenKind::End) {
            return Ok(());
        }
        Err(self.unexpected(&format!("the end of {after}")))
    }

    /// Whether only blanks and comments are left.
    pub(crate) fn is_at_end(&self) -> bool {
        self.at(TokenKind::End)
    }
}

/// `text` as messages quote it: truncated, and without control characters.
pub(crate) fn shown(text: &str) -> String {
    let mut out = String::new();
    for (count, character) in text.chars().enumerate() {
        if count == MAX_SHOWN {
            out.push('…');
            break;
        }
        if character.is_control() {
            let _ = write!(out, "{}", character.escape_unicode());
        } else {
            out.push(character);
        }
    }
    out
}
