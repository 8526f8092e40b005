//! Constructs of the 3.x language alone: constants without `=`, and grouped parameters.

use super::{Parsed, Parser};
use crate::lexer::TokenKind;
use crate::tree::{DeclarationKind, Declarator, Parameter, Prefix, TypeExpression, TypeKind};

impl Parser<'_> {
    /// `const N 5, a[2] {1, 2};`
    pub(super) fn old_constants(&mut self) -> Parsed<DeclarationKind> {
        let ty = self.old_constant_type()?;
        let mut declarators = vec![self.old_constant()?];
        while self.eat(TokenKind::Comma) {
            declarators.push(self.old_constant()?);
        }
        self.semicolon("a constant")?;
        Ok(DeclarationKind::Variables(ty, declarators))
    }

    /// `const`, with or without a type.
    fn old_constant_type(&mut self) -> Parsed<TypeExpression> {
        let typed = self.peek_kind(1) != TokenKind::Identifier
            || self.peek_kind(2) == TokenKind::Identifier;
        if typed {
            return self.ty();
        }
        let start = self.advance().start;
        let prefix = Prefix { constant: true, ..Prefix::default() };
        let kind = TypeKind::Integer(None);
        Ok(TypeExpression { prefix, kind, span: self.span_from(start) })
    }

    fn old_constant(&mut self) -> Parsed<Declarator> {
        let mut constant = self.plain_declarator()?;
        self.eat(TokenKind::Set);
        constant.initializer = Some(self.initializer()?);
        Ok(constant)
    }

    /// `int a, b; chan c; const k`: groups that share a type; all but constants are references.
    pub(super) fn old_parameters(&mut self) -> Parsed<Vec<Parameter>> {
        let mut parameters = Vec::new();
        loop {
            let ty = if self.at(TokenKind::Const) { self.old_constant_type()? } else { self.ty()? };
            let by_reference = !ty.prefix.constant;
            loop {
                self.eat(TokenKind::Ampersand);
                let declarator = self.plain_declarator()?;
                parameters.push(Parameter { ty: ty.clone(), by_reference, declarator });
                if !self.at(TokenKind::Comma) || self.begins_group() {
                    break;
                }
                self.advance();
            }
            if !self.eat(TokenKind::Semicolon) && !self.eat(TokenKind::Comma) {
                return Ok(parameters);
            }
        }
    }

    /// Whether a new group starts after the comma, as in some files.
    fn begins_group(&self) -> bool {
        self.peek_kind(1) != TokenKind::Identifier
    }
}
