//! Types, declarators, initialisers and parameters.

use super::{Parsed, Parser};
use crate::lexer::{Mode, TokenKind};
use crate::tree::{
    Declarator, Dimension, Field, Initializer, InitializerItem, Parameter, Prefix, TypeExpression,
    TypeKind,
};

impl Parser<'_> {
    /// Whether a declaration of variables can start here.
    pub(super) fn at_type(&self) -> bool {
        match self.current.kind {
            TokenKind::Identifier => self.peek_kind(1) == TokenKind::Identifier || self.at_hybrid(),
            kind => starts_type(kind),
        }
    }

    fn at_hybrid(&self) -> bool {
        self.at_word("hybrid") && self.peek_kind(1) == TokenKind::Clock
    }

    /// A type with its prefix words.
    pub(super) fn ty(&mut self) -> Parsed<TypeExpression> {
        self.enter()?;
        let start = self.current.start;
        let prefix = self.prefix();
        let kind = self.type_kind()?;
        self.leave();
        let span = self.span_from(start);
        self.context.count(span);
        Ok(TypeExpression { prefix, kind, span })
    }

    fn prefix(&mut self) -> Prefix {
        let mut prefix = Prefix::default();
        loop {
            match self.current.kind {
                TokenKind::Const => prefix.constant = true,
                TokenKind::Meta => prefix.meta = true,
                TokenKind::Urgent => prefix.urgent = true,
                TokenKind::Broadcast => prefix.broadcast = true,
                TokenKind::Identifier if self.at_hybrid() => prefix.hybrid = true,
                _ => return prefix,
            }
            self.advance();
        }
    }

    fn type_kind(&mut self) -> Parsed<TypeKind> {
        let simple = match self.current.kind {
            TokenKind::Int => return self.integer_type(),
            TokenKind::Scalar => return self.scalar_type(),
            TokenKind::Struct => return self.struct_type(),
            TokenKind::Bool => TypeKind::Boolean,
            TokenKind::Clock => TypeKind::Clock,
            TokenKind::Chan => TypeKind::Channel,
            TokenKind::Void => TypeKind::Void,
            TokenKind::Identifier => match self.text_of(self.current) {
                "double" => TypeKind::Double,
                "string" => TypeKind::Text,
                "bool" => TypeKind::Boolean,
                _ => return Ok(TypeKind::Named(self.name("a type")?.text)),
            },
            _ => return Err(self.unexpected("a type")),
        };
        self.advance();
        Ok(simple)
    }

    fn integer_type(&mut self) -> Parsed<TypeKind> {
        self.advance();
        if !self.eat(TokenKind::BracketOpen) {
            return Ok(TypeKind::Integer(None));
        }
        let low = self.expression()?;
        self.expect(TokenKind::Comma, "`,` and the upper bound of the range")?;
        let high = self.expression()?;
        self.expect(TokenKind::BracketClose, "`]` after the range")?;
        Ok(TypeKind::Integer(Some((low, high))))
    }

    fn scalar_type(&mut self) -> Parsed<TypeKind> {
        self.advance();
        self.expect(TokenKind::BracketOpen, "`[` and the size of the scalar set")?;
        let size = self.expression()?;
        self.expect(TokenKind::BracketClose, "`]` after the size")?;
        Ok(TypeKind::Scalar(size))
    }

    fn struct_type(&mut self) -> Parsed<TypeKind> {
        self.advance();
        self.expect(TokenKind::BraceOpen, "`{` and fields")?;
        let mut fields = Vec::new();
        while !self.at(TokenKind::BraceClose) {
            let ty = self.ty()?;
            let declarators = self.plain_declarators()?;
            let ended = self.semicolon("a field");
            // The closing bracket also ends the struct; skipping from here would lose more.
            if !self.at(TokenKind::BraceClose) {
                ended?;
            }
            fields.push(Field { ty, declarators });
        }
        self.advance();
        Ok(TypeKind::Struct(fields))
    }

    /// Names with array dimensions, without initial values.
    pub(super) fn plain_declarators(&mut self) -> Parsed<Vec<Declarator>> {
        let mut list = vec![self.plain_declarator()?];
        while self.eat(TokenKind::Comma) {
            list.push(self.plain_declarator()?);
        }
        Ok(list)
    }

    pub(super) fn plain_declarator(&mut self) -> Parsed<Declarator> {
        let name = self.name("a name")?;
        Ok(Declarator { name, dimensions: self.dimensions()?, initializer: None })
    }

    /// Names with array dimensions and initial values.
    pub(super) fn declarators(&mut self) -> Parsed<Vec<Declarator>> {
        let mut list = vec![self.declarator()?];
        while self.eat(TokenKind::Comma) {
            list.push(self.declarator()?);
        }
        Ok(list)
    }

    fn declarator(&mut self) -> Parsed<Declarator> {
        let mut declarator = self.plain_declarator()?;
        if self.eat(TokenKind::Set) {
            declarator.initializer = Some(self.initializer()?);
        }
        Ok(declarator)
    }

    pub(super) fn dimensions(&mut self) -> Parsed<Vec<Dimension>> {
        let mut dimensions = Vec::new();
        while self.eat(TokenKind::BracketOpen) {
            let dimension = if starts_type(self.current.kind) {
                Dimension::Type(self.ty()?)
            } else {
                Dimension::Size(self.expression()?)
            };
            self.expect(TokenKind::BracketClose, "`]` after the array size")?;
            dimensions.push(dimension);
        }
        Ok(dimensions)
    }

    pub(super) fn initializer(&mut self) -> Parsed<Initializer> {
        if !self.at(TokenKind::BraceOpen) {
            return Ok(Initializer::Value(self.expression()?));
        }
        self.enter()?;
        let start = self.advance().start;
        let mut items = Vec::new();
        if !self.at(TokenKind::BraceClose) {
            items.push(self.initializer_item()?);
            while self.eat(TokenKind::Comma) {
                items.push(self.initializer_item()?);
            }
        }
        self.expect(TokenKind::BraceClose, "`,` or `}`")?;
        self.leave();
        let span = self.span_from(start);
        self.context.count(span);
        Ok(Initializer::List(items, span))
    }

    fn initializer_item(&mut self) -> Parsed<InitializerItem> {
        let named = self.at(TokenKind::Identifier) && self.peek_kind(1) == TokenKind::Colon;
        let mut field = None;
        if named {
            field = Some(self.name("a field")?);
            self.advance();
        }
        Ok(InitializerItem { field, value: self.initializer()? })
    }

    /// `(type name, ...)`, or no parameters if there are no brackets.
    pub(super) fn optional_parameters(&mut self) -> Parsed<Vec<Parameter>> {
        if !self.eat(TokenKind::ParenOpen) {
            return Ok(Vec::new());
        }
        let parameters = self.parameters()?;
        self.expect(TokenKind::ParenClose, "`)` after the parameters")?;
        Ok(parameters)
    }

    /// Parameters up to a closing bracket or the end.
    pub(crate) fn parameters(&mut self) -> Parsed<Vec<Parameter>> {
        if self.at(TokenKind::ParenClose) || self.at(TokenKind::End) {
            return Ok(Vec::new());
        }
        if self.mode == Mode::Old {
            return self.old_parameters();
        }
        let mut list = vec![self.parameter()?];
        while self.eat(TokenKind::Comma) {
            list.push(self.parameter()?);
        }
        Ok(list)
    }

    fn parameter(&mut self) -> Parsed<Parameter> {
        let ty = self.ty()?;
        let by_reference = self.eat(TokenKind::Ampersand);
        Ok(Parameter { ty, by_reference, declarator: self.plain_declarator()? })
    }
}

fn starts_type(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(
        kind,
        Int | Bool | Clock | Chan | Void | Scalar | Struct | Const | Meta | Urgent | Broadcast
    )
}
