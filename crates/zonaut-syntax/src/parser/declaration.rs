//! Declarations: variables, types, functions, instantiations, priorities, update hooks.

use super::{Parsed, Parser, Reported};
use crate::codes;
use crate::lexer::{Mode, TokenKind};
use crate::tree::{
    ChannelPriority, Declaration, DeclarationKind, ExternalFunction, Function, Import,
    Instantiation, PriorityLevel, TypeExpression,
};
use zonaut_base::Diagnostic;

impl Parser<'_> {
    /// All declarations up to the end of the text, with recovery from errors.
    pub(crate) fn declarations_to_end(&mut self) -> Vec<Declaration> {
        let mut list = Vec::new();
        while !self.at(TokenKind::End) {
            self.comments_into(&mut list);
            if self.at(TokenKind::Process) || self.at(TokenKind::System) {
                let message = format!("{} does not belong in declarations", self.found());
                let span = self.span_of(self.current);
                let code = codes::MISPLACED_DECLARATION;
                self.context.report(Diagnostic::error(code, span, message));
                self.advance();
                self.skip_declaration();
            } else {
                self.declaration_into(&mut list);
            }
        }
        self.comments_into(&mut list);
        list
    }

    /// Parses one declaration and appends it to `list`; a damaged one is skipped.
    pub(super) fn declaration_into(&mut self, list: &mut Vec<Declaration>) {
        if self.eat(TokenKind::Semicolon) {
            return;
        }
        let (start, depth) = (self.current.start, self.depth);
        match self.declaration() {
            Ok(kind) => {
                self.inner_comments_into(start, list);
                list.push(Declaration { kind, span: self.span_from(start) });
            }
            Err(Reported) => {
                self.depth = depth;
                if self.current.start == start {
                    self.advance();
                }
                self.skip_declaration();
            }
        }
    }

    pub(super) fn declaration(&mut self) -> Parsed<DeclarationKind> {
        match self.current.kind {
            TokenKind::Typedef => self.typedef(),
            TokenKind::Chan if self.at_channel_priority() => self.channel_priority(),
            TokenKind::Const if self.mode == Mode::Old => self.old_constants(),
            TokenKind::Identifier => self.declaration_from_word(),
            _ if self.at_type() => self.variables_or_function(),
            _ => Err(self.unexpected("a declaration")),
        }
    }

    fn declaration_from_word(&mut self) -> Parsed<DeclarationKind> {
        let next = self.peek_kind(1);
        match self.text_of(self.current) {
            "before_update" if next == TokenKind::BraceOpen => {
                Ok(DeclarationKind::BeforeUpdate(self.update_hook()?))
            }
            "after_update" if next == TokenKind::BraceOpen => {
                Ok(DeclarationKind::AfterUpdate(self.update_hook()?))
            }
            "import" if next == TokenKind::Text => self.import(),
            "dynamic" if next == TokenKind::Identifier => self.dynamic(),
            _ if matches!(next, TokenKind::ParenOpen | TokenKind::Set) => self.instantiation(),
            _ if self.at_type() => self.variables_or_function(),
            _ => Err(self.unexpected_after_word()),
        }
    }

    #[cold]
    fn unexpected_after_word(&mut self) -> Reported {
        self.advance();
        self.unexpected("a name to declare")
    }

    /// `import "library" { [alias =] result name(parameters); ... }`, with or without a semicolon.
    fn import(&mut self) -> Parsed<DeclarationKind> {
        self.advance();
        let text = self.text_of(self.current);
        let library = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        let library = self.context.intern(library.unwrap_or(text));
        self.advance();
        self.expect(TokenKind::BraceOpen, "`{` and the functions of the library")?;
        let mut functions = Vec::new();
        while !self.at(TokenKind::BraceClose) {
            let mut alias = None;
            if self.at(TokenKind::Identifier) && self.peek_kind(1) == TokenKind::Set {
                alias = Some(self.name("a function's name")?);
                self.advance();
            }
            let result = self.ty()?;
            let name = self.name("a function's name")?;
            let parameters = self.optional_parameters()?;
            self.semicolon("an external function")?;
            functions.push(ExternalFunction { alias, result, name, parameters });
        }
        self.advance();
        self.eat(TokenKind::Semicolon);
        Ok(DeclarationKind::Import(Import { library, functions }))
    }

    /// `dynamic T(parameters);`
    fn dynamic(&mut self) -> Parsed<DeclarationKind> {
        self.advance();
        let name = self.name("a template's name")?;
        let parameters = self.optional_parameters()?;
        self.semicolon("a dynamic template")?;
        Ok(DeclarationKind::Dynamic(name, parameters))
    }

    fn typedef(&mut self) -> Parsed<DeclarationKind> {
        self.advance();
        let ty = self.ty()?;
        let declarators = self.plain_declarators()?;
        self.semicolon("a type definition")?;
        Ok(DeclarationKind::Typedef(ty, declarators))
    }

    fn update_hook(&mut self) -> Parsed<Vec<crate::tree::ExpressionId>> {
        self.advance();
        self.expect(TokenKind::BraceOpen, "`{`")?;
        let mut updates = Vec::new();
        if !self.at(TokenKind::BraceClose) {
            updates = self.expressions()?;
            self.eat(TokenKind::Semicolon);
        }
        self.expect(TokenKind::BraceClose, "`,` or `}` after an update")?;
        Ok(updates)
    }

    fn at_channel_priority(&self) -> bool {
        let word = self.peek(1);
        word.kind == TokenKind::Identifier
            && self.text_of(word) == "priority"
            && self.peek_kind(2) == TokenKind::Identifier
    }

    fn channel_priority(&mut self) -> Parsed<DeclarationKind> {
        self.advance();
        self.advance();
        let mut levels = vec![vec![self.priority_level()?]];
        loop {
            if self.eat(TokenKind::Less) {
                levels.push(Vec::new());
            } else if !self.eat(TokenKind::Comma) {
                break;
            }
            let entry = self.priority_level()?;
            if let Some(level) = levels.last_mut() {
                level.push(entry);
            }
        }
        self.semicolon("the channel priorities")?;
        Ok(DeclarationKind::ChannelPriority(ChannelPriority { levels }))
    }

    fn priority_level(&mut self) -> Parsed<PriorityLevel> {
        if self.at_word("default") {
            self.advance();
            return Ok(PriorityLevel::Default);
        }
        let channel = self.expression_above(super::expression::level::POSTFIX)?;
        Ok(PriorityLevel::Channel(channel))
    }

    fn variables_or_function(&mut self) -> Parsed<DeclarationKind> {
        let ty = self.ty()?;
        if self.at(TokenKind::Identifier) && self.peek_kind(1) == TokenKind::ParenOpen {
            return self.function(ty);
        }
        let declarators = self.declarators()?;
        self.semicolon("a declaration")?;
        Ok(DeclarationKind::Variables(ty, declarators))
    }

    fn function(&mut self, result: TypeExpression) -> Parsed<DeclarationKind> {
        if self.mode == Mode::Old {
            return Err(self.not_supported("a function in the 3.x language"));
        }
        let name = self.name("a function's name")?;
        let parameters = self.optional_parameters()?;
        let body = self.block()?;
        Ok(DeclarationKind::Function(Function { result, name, parameters, body }))
    }

    fn instantiation(&mut self) -> Parsed<DeclarationKind> {
        let name = self.name("a process name")?;
        let parameters = self.optional_parameters()?;
        self.expect(TokenKind::Set, "`=` and a template")?;
        let template = self.name("a template")?;
        let mut arguments = Vec::new();
        if self.at(TokenKind::ParenOpen) {
            arguments = self.arguments()?;
        }
        self.semicolon("an instantiation")?;
        Ok(DeclarationKind::Instantiation(Instantiation { name, parameters, template, arguments }))
    }
}
