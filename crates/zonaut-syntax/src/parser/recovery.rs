//! Error recovery: skipping to a position where parsing can continue.

use super::Parser;
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// Skips the rest of a damaged declaration or statement: past the next `;` or block, or up to
    /// the bracket that closes the enclosing construct, or to the next section.
    pub(super) fn skip_declaration(&mut self) {
        let mut braces = 0u32;
        loop {
            match self.current.kind {
                TokenKind::End => return,
                TokenKind::Process | TokenKind::System if braces == 0 => return,
                TokenKind::Semicolon if braces == 0 => {
                    self.advance();
                    return;
                }
                TokenKind::BraceOpen => braces += 1,
                TokenKind::BraceClose => {
                    if braces == 0 {
                        return;
                    }
                    braces -= 1;
                    if braces == 0 {
                        self.advance();
                        self.eat(TokenKind::Semicolon);
                        return;
                    }
                }
                _ => {}
            }
            self.advance();
        }
    }

    /// Skips to the `}` that closes the current block and past it.
    pub(super) fn skip_block(&mut self) {
        let mut braces = 0u32;
        loop {
            match self.current.kind {
                TokenKind::End => return,
                TokenKind::BraceOpen => braces += 1,
                TokenKind::BraceClose if braces == 0 => {
                    self.advance();
                    return;
                }
                TokenKind::BraceClose => braces -= 1,
                _ => {}
            }
            self.advance();
        }
    }

    /// Skips to a `,`, `;` or `}` outside brackets, without consuming it.
    pub(super) fn skip_item(&mut self) {
        let mut brackets = 0u32;
        loop {
            match self.current.kind {
                TokenKind::End => return,
                TokenKind::Comma | TokenKind::Semicolon if brackets == 0 => return,
                TokenKind::BraceOpen | TokenKind::ParenOpen | TokenKind::BracketOpen => {
                    brackets += 1;
                }
                TokenKind::BraceClose if brackets == 0 => return,
                TokenKind::BraceClose | TokenKind::ParenClose | TokenKind::BracketClose => {
                    brackets = brackets.saturating_sub(1);
                }
                _ => {}
            }
            self.advance();
        }
    }
}
