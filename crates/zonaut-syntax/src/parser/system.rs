//! Whole XTA files, and the section after the templates.

use super::{Parsed, Parser, Reported};
use crate::codes;
use crate::lexer::TokenKind;
use crate::tree::{
    Declaration, DeclarationKind, GanttBar, GanttRow, ProgressMeasure, System, SystemProcess,
    Template,
};
use zonaut_base::Diagnostic;

/// The parts of an XTA file.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub(crate) declarations: Vec<Declaration>,
    pub(crate) templates: Vec<Template>,
    pub(crate) system: System,
    /// The texts of `query { ... }` blocks: start and end offsets, without the brackets.
    pub(crate) queries: Vec<(u32, u32)>,
}

impl Parser<'_> {
    /// A whole XTA file.
    pub(crate) fn xta(&mut self) -> Parts {
        let mut parts = Parts::default();
        let mut since_process = Vec::new();
        while !self.at(TokenKind::End) && !self.at(TokenKind::System) {
            if self.at(TokenKind::Process) {
                self.detached_comments_into(&mut since_process);
                parts.declarations.append(&mut since_process);
                self.process_into(&mut parts.templates);
            } else {
                self.comments_into(&mut since_process);
                self.top_declaration_into(&mut since_process);
            }
        }
        self.comments_into(&mut since_process);
        if parts.templates.is_empty() {
            let is_instance = |d: &Declaration| matches!(d.kind, DeclarationKind::Instantiation(_));
            let first = since_process.iter().position(is_instance).unwrap_or(since_process.len());
            parts.system.declarations = since_process.split_off(first);
            parts.declarations = since_process;
        } else {
            parts.system.declarations = since_process;
        }
        self.system_line_into(&mut parts.system);
        while self.at_section("query") {
            self.advance();
            let text = self.query_block();
            parts.queries.extend(text);
        }
        let _ = self.finish("the model");
        parts
    }

    fn top_declaration_into(&mut self, list: &mut Vec<Declaration>) {
        if self.at(TokenKind::BraceClose) {
            self.unexpected("a declaration, a process or `system`");
            self.advance();
        } else {
            self.declaration_into(list);
        }
    }

    /// The text of an XML `system` element, appended to the declarations that `system` already has.
    pub(crate) fn system_section(&mut self, system: &mut System) {
        while !self.at(TokenKind::End) && !self.at(TokenKind::System) {
            self.comments_into(&mut system.declarations);
            if self.at(TokenKind::Process) {
                self.unexpected("a declaration or `system`");
                self.advance();
                self.skip_declaration();
            } else {
                self.top_declaration_into(&mut system.declarations);
            }
        }
        self.comments_into(&mut system.declarations);
        self.system_line_into(system);
        let _ = self.finish("the system section");
    }

    fn system_line_into(&mut self, system: &mut System) {
        let start = self.current.start;
        if !self.eat(TokenKind::System) {
            let message = "the model has no `system` line";
            let span = self.span_of(self.current);
            let diagnostic = Diagnostic::error(codes::NO_SYSTEM_LINE, span, message)
                .with_help("end the model with `system`, the processes that run, and `;`");
            self.context.report(diagnostic);
            return;
        }
        if self.system_line(system).is_err() {
            self.skip_declaration();
        }
        // Comments behind the line also come before it.
        self.inner_comments_into(start, &mut system.declarations);
        let behind = self.comments(false);
        self.add_comments(behind, &mut system.declarations);
        system.span = Some(self.span_from(start));
        loop {
            let depth = self.depth;
            let result = if self.at_section("progress") {
                self.progress(system)
            } else if self.at_section("gantt") {
                self.gantt(system)
            } else {
                return;
            };
            if let Err(Reported) = result {
                self.depth = depth;
                self.skip_block();
            }
        }
    }

    fn at_section(&self, word: &str) -> bool {
        self.at_word(word) && self.peek_kind(1) == TokenKind::BraceOpen
    }

    fn system_line(&mut self, system: &mut System) -> Parsed<()> {
        let mut level = vec![SystemProcess { name: self.name("a process")? }];
        loop {
            if self.eat(TokenKind::Less) {
                system.levels.push(std::mem::take(&mut level));
            } else if !self.eat(TokenKind::Comma) {
                break;
            }
            level.push(SystemProcess { name: self.name("a process")? });
        }
        system.levels.push(level);
        self.semicolon("the processes")
    }

    fn progress(&mut self, system: &mut System) -> Parsed<()> {
        self.advance();
        self.advance();
        while !self.eat(TokenKind::BraceClose) {
            let first = self.expression()?;
            let measure = if self.eat(TokenKind::Colon) {
                ProgressMeasure { guard: Some(first), measure: self.expression()? }
            } else {
                ProgressMeasure { guard: None, measure: first }
            };
            self.semicolon("a progress measure")?;
            system.progress.push(measure);
        }
        Ok(())
    }

    fn gantt(&mut self, system: &mut System) -> Parsed<()> {
        self.advance();
        self.advance();
        while !self.eat(TokenKind::BraceClose) {
            let name = self.name("the name of a row")?;
            let mut binders = Vec::new();
            if self.eat(TokenKind::ParenOpen) {
                binders = self.select()?;
                self.expect(TokenKind::ParenClose, "`)` after the row's parameters")?;
            }
            self.expect(TokenKind::Colon, "`:` and bars")?;
            let mut bars = vec![self.gantt_bar()?];
            while self.eat(TokenKind::Comma) {
                bars.push(self.gantt_bar()?);
            }
            self.semicolon("a row")?;
            system.gantt.push(GanttRow { name, binders, bars });
        }
        Ok(())
    }

    fn gantt_bar(&mut self) -> Parsed<GanttBar> {
        let mut binders = Vec::new();
        if self.eat(TokenKind::For) {
            self.expect(TokenKind::ParenOpen, "`(` after `for`")?;
            binders = self.select()?;
            self.expect(TokenKind::ParenClose, "`)` after the types")?;
        }
        let condition = self.expression()?;
        self.expect(TokenKind::Arrow, "`->` and a colour")?;
        Ok(GanttBar { binders, condition, colour: self.expression()? })
    }

    /// Skips `{ ... }` and returns the offsets of its text.
    fn query_block(&mut self) -> Option<(u32, u32)> {
        let open = self.current;
        self.lexer = self.lexer.at(open.end);
        let text = self.fragment.text();
        let Some(length) = crate::query::block_length(&text[open.end as usize..]) else {
            let message = "the query block that starts here has no end";
            let span = self.span_of(open);
            self.context.report(Diagnostic::error(codes::UNEXPECTED, span, message));
            self.lexer = self.lexer.at(text.len() as u32);
            self.advance();
            return None;
        };
        let end = open.end + length as u32;
        self.lexer = self.lexer.at((end + 1).min(text.len() as u32));
        self.advance();
        Some((open.end, end))
    }
}
