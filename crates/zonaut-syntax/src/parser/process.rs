//! Processes in XTA.

mod resolve;

use super::{Parsed, Parser, Reported};
use crate::codes;
use crate::lexer::TokenKind;
use crate::tree::{
    Branchpoint, BranchpointId, Declaration, Edge, EdgeLayout, Endpoint, Location, LocationId,
    LocationKind, LocationLayout, Name, Template,
};
use resolve::Head;
use zonaut_base::{Diagnostic, IndexVec};

/// The parsed parts of a process. Names are resolved at its end, so that sections may come in any
/// order.
#[derive(Default)]
struct Body {
    declarations: Vec<Declaration>,
    locations: IndexVec<LocationId, Location>,
    branchpoints: IndexVec<BranchpointId, Branchpoint>,
    kinds: Vec<(Name, LocationKind)>,
    initial: Option<Name>,
    edges: Vec<(Name, Name, Edge)>,
    states_seen: bool,
    /// Whether a declaration of locations was damaged, so that unknown names may refer to it.
    damaged: bool,
}

impl Parser<'_> {
    /// `process P(parameters) { ... }`, with recovery from errors inside.
    pub(crate) fn process(&mut self) -> Parsed<Template> {
        let start = self.current.start;
        let mut body = Body::default();
        // XML cannot hold comments before a template, but before its declarations.
        self.comments_into(&mut body.declarations);
        self.expect(TokenKind::Process, "`process`")?;
        let name = self.name("a process name")?;
        let parameters = self.optional_parameters()?;
        let open = self.expect(TokenKind::BraceOpen, "`{` and the body of the process")?;
        while !self.at(TokenKind::BraceClose) {
            let outside = matches!(
                self.current.kind,
                TokenKind::End | TokenKind::Process | TokenKind::System
            );
            if outside {
                let diagnostic = self
                    .unexpected_diagnostic("`}` at the end of the process")
                    .with_label(self.span_of(open), "the process is open");
                self.report(diagnostic);
                break;
            }
            self.process_item(&mut body);
        }
        self.comments_into(&mut body.declarations);
        self.eat(TokenKind::BraceClose);
        let span = self.span_from(start);
        Ok(body.resolve(self.context, Head { name, parameters, span }))
    }

    fn process_item(&mut self, body: &mut Body) {
        self.comments_into(&mut body.declarations);
        let (start, depth) = (self.current.start, self.depth);
        let result = match self.current.kind {
            TokenKind::State => self.states(body),
            TokenKind::Commit => self.location_flags(body, LocationKind::Committed),
            TokenKind::Urgent if body.states_seen => {
                self.location_flags(body, LocationKind::Urgent)
            }
            TokenKind::Init => self.init(body),
            TokenKind::Trans => self.transitions(body),
            TokenKind::Identifier if self.at_branchpoints() => self.branchpoints(body),
            _ => {
                self.declaration_into(&mut body.declarations);
                Ok(())
            }
        };
        if result.is_err() {
            self.depth = depth;
            let has_moved = self.current.start != start;
            // If only a `;` is missing, the next section starts here.
            if has_moved && self.begins_section() {
                return;
            }
            if !has_moved && !self.at(TokenKind::End) {
                self.advance();
            }
            self.skip_declaration();
        }
    }

    fn begins_section(&self) -> bool {
        let kind = self.current.kind;
        matches!(kind, TokenKind::State | TokenKind::Commit | TokenKind::Init | TokenKind::Trans)
    }

    fn at_branchpoints(&self) -> bool {
        self.at_word("branchpoint") && self.peek_kind(1) == TokenKind::Identifier
    }

    fn states(&mut self, body: &mut Body) -> Parsed<()> {
        body.states_seen = true;
        self.advance();
        loop {
            let depth = self.depth;
            match self.state() {
                Ok(location) => {
                    body.locations.push(location);
                }
                Err(Reported) => {
                    self.depth = depth;
                    self.skip_item();
                    body.damaged = true;
                }
            }
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.semicolon("the locations")
    }

    fn state(&mut self) -> Parsed<Location> {
        let start = self.current.start;
        let notes = self.note().into_iter().collect();
        let name = self.name("a location")?;
        let mut location = Location {
            name: Some(name),
            xml_id: None,
            kind: LocationKind::Ordinary,
            invariant: Vec::new(),
            exponential_rate: Vec::new(),
            notes,
            layout: LocationLayout::default(),
            span: self.span_from(start),
        };
        if self.eat(TokenKind::BraceOpen) {
            let depth = self.depth;
            if self.state_labels(&mut location).is_err() {
                self.depth = depth;
                self.skip_block();
            }
        }
        location.span = self.span_from(start);
        Ok(location)
    }

    fn state_labels(&mut self, location: &mut Location) -> Parsed<()> {
        if !self.at(TokenKind::Semicolon) && !self.at(TokenKind::BraceClose) {
            location.invariant = self.conjunction()?;
        }
        if self.eat(TokenKind::Semicolon) && !self.at(TokenKind::BraceClose) {
            location.exponential_rate = self.exponential_rate()?;
            self.eat(TokenKind::Semicolon);
        }
        self.expect(TokenKind::BraceClose, "`}` after the invariant")?;
        Ok(())
    }

    fn names(&mut self, what: &str) -> Parsed<Vec<Name>> {
        let mut names = vec![self.name(what)?];
        while self.eat(TokenKind::Comma) {
            names.push(self.name(what)?);
        }
        Ok(names)
    }

    fn location_flags(&mut self, body: &mut Body, kind: LocationKind) -> Parsed<()> {
        self.advance();
        let names = self.names("a location")?;
        body.kinds.extend(names.into_iter().map(|name| (name, kind)));
        self.semicolon("the locations")
    }

    fn branchpoints(&mut self, body: &mut Body) -> Parsed<()> {
        self.advance();
        for name in self.names("a branchpoint")? {
            body.branchpoints.push(Branchpoint { name, position: None });
        }
        self.semicolon("the branchpoints")
    }

    fn init(&mut self, body: &mut Body) -> Parsed<()> {
        let token = self.advance();
        let name = self.name("the initial location")?;
        if body.initial.replace(name).is_some() {
            let message = "a second `init`";
            let span = self.span_of(token);
            self.context.report(Diagnostic::error(codes::REPEATED_SECTION, span, message));
        }
        self.semicolon("the initial location")
    }

    fn transitions(&mut self, body: &mut Body) -> Parsed<()> {
        self.advance();
        if self.eat(TokenKind::Semicolon) {
            return Ok(());
        }
        loop {
            let depth = self.depth;
            if self.transition(body).is_err() {
                self.depth = depth;
                self.skip_item();
            }
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.semicolon("the edges")
    }

    fn transition(&mut self, body: &mut Body) -> Parsed<()> {
        let start = self.current.start;
        let notes = self.note().into_iter().collect();
        let source = if self.at(TokenKind::Arrow) || self.at(TokenKind::Minus) {
            match body.edges.last() {
                Some((previous, _, _)) => previous.clone(),
                None => return Err(self.unexpected("the source of the first edge")),
            }
        } else {
            self.name("the source of an edge")?
        };
        let controllable = self.arrow()?;
        let target = self.name("the target of the edge")?;
        let mut edge = Edge {
            source: Endpoint { node: None, span: source.span },
            target: Endpoint { node: None, span: target.span },
            select: Vec::new(),
            guard: Vec::new(),
            synchronisation: None,
            updates: Vec::new(),
            probability: None,
            controllable,
            notes,
            layout: EdgeLayout::default(),
            span: self.span_from(start),
        };
        self.expect(TokenKind::BraceOpen, "`{` and the labels of the edge")?;
        let depth = self.depth;
        if self.edge_labels(&mut edge).is_err() {
            self.depth = depth;
            self.skip_block();
        }
        edge.span = self.span_from(start);
        body.edges.push((source, target, edge));
        Ok(())
    }

    /// `->`, or `-u->` for an edge of the environment.
    fn arrow(&mut self) -> Parsed<bool> {
        if self.at(TokenKind::Minus) && self.peek_kind(2) == TokenKind::Arrow {
            self.advance();
            if self.at_word("u") {
                self.advance();
                self.advance();
                return Ok(false);
            }
        }
        self.expect(TokenKind::Arrow, "`->`")?;
        Ok(true)
    }

    fn edge_labels(&mut self, edge: &mut Edge) -> Parsed<()> {
        let mut seen: Vec<&str> = Vec::new();
        while !self.eat(TokenKind::BraceClose) {
            let token = self.current;
            let word = self.text_of(token);
            if seen.contains(&word) {
                let message = format!("a second `{word}` on one edge");
                let span = self.span_of(token);
                self.context.report(Diagnostic::error(codes::REPEATED_SECTION, span, message));
            }
            match (token.kind, word) {
                (TokenKind::Guard, _) => {
                    self.advance();
                    edge.guard = self.conjunction()?;
                }
                (TokenKind::Sync, _) => {
                    self.advance();
                    edge.synchronisation = Some(self.synchronisation()?);
                }
                (TokenKind::Assign, _) => {
                    self.advance();
                    edge.updates = self.updates()?;
                }
                (TokenKind::Identifier, "select") => {
                    self.advance();
                    edge.select = self.select()?;
                }
                (TokenKind::Identifier, "probability") => {
                    self.advance();
                    edge.probability = Some(self.probability()?);
                }
                _ => {
                    let what = "`select`, `guard`, `sync`, `assign`, `probability` or `}`";
                    return Err(self.unexpected(what));
                }
            }
            seen.push(word);
            self.semicolon(&format!("`{word}`"))?;
        }
        Ok(())
    }

    /// Parses a process and appends it to `templates`; a damaged head is skipped.
    pub(super) fn process_into(&mut self, templates: &mut Vec<Template>) {
        let depth = self.depth;
        match self.process() {
            Ok(template) => templates.push(template),
            Err(Reported) => {
                self.depth = depth;
                if self.at(TokenKind::Process) || self.at(TokenKind::System) {
                    self.advance();
                }
                self.skip_declaration();
            }
        }
    }
}
