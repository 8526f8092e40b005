//! The symbols of a document: declarations, templates with their locations, processes, queries.

use crate::analysis::Analysis;
use lsp_types::{DocumentSymbol, SymbolKind};
use zonaut_engine::Span;
use zonaut_syntax::tree::{Declaration, DeclarationKind, Declarator, Name, Template, TypeKind};

/// Collects the symbols of one document.
struct Collector<'a> {
    analysis: &'a Analysis,
}

/// A symbol before its conversion.
struct Symbol<'n> {
    name: &'n Name,
    kind: SymbolKind,
    /// The whole declaration.
    span: Span,
    detail: Option<String>,
    children: Vec<DocumentSymbol>,
}

pub(crate) fn symbols(analysis: &Analysis) -> Vec<DocumentSymbol> {
    let collector = Collector { analysis };
    let document = &*analysis.loaded.document;
    let mut all = Vec::new();
    if analysis.own == document.file {
        all.extend(collector.declarations(&document.declarations));
        all.extend(document.templates.iter().map(|template| collector.template(template)));
        all.extend(collector.declarations(&document.system.declarations));
    }
    for entry in analysis.loaded.query_entries().iter().filter(|entry| !entry.is_heading()) {
        let range = analysis.range(entry.span);
        all.push(symbol(entry.text.clone(), SymbolKind::Event, range, range));
    }
    all
}

impl Collector<'_> {
    fn template(&self, template: &Template) -> DocumentSymbol {
        let mut children = self.declarations(&template.declarations);
        for location in &template.locations {
            if let Some(name) = &location.name {
                let span = location.span.to(name.span);
                let (kind, detail, inner) = (SymbolKind::EnumMember, None, Vec::new());
                children.push(self.symbol(Symbol { name, kind, span, detail, children: inner }));
            }
        }
        let (span, kind) = (template.span.to(template.name.span), SymbolKind::Class);
        self.symbol(Symbol { name: &template.name, kind, span, detail: None, children })
    }

    fn declarations(&self, declarations: &[Declaration]) -> Vec<DocumentSymbol> {
        let mut all = Vec::new();
        for Declaration { kind, span } in declarations {
            let span = *span;
            match kind {
                DeclarationKind::Variables(ty, declarators) => {
                    let kind = match ty.kind {
                        TypeKind::Channel => SymbolKind::Event,
                        _ if ty.prefix.constant => SymbolKind::Constant,
                        _ => SymbolKind::Variable,
                    };
                    all.extend(self.declarators(declarators, kind, span));
                }
                DeclarationKind::Typedef(_, declarators) => {
                    all.extend(self.declarators(declarators, SymbolKind::Struct, span));
                }
                DeclarationKind::Function(function) => {
                    let (name, kind) = (&function.name, SymbolKind::Function);
                    let (detail, children) = (None, Vec::new());
                    all.push(self.symbol(Symbol { name, kind, span, detail, children }));
                }
                DeclarationKind::Instantiation(made) => {
                    let detail = Some(made.template.text.to_string());
                    let (name, kind, children) = (&made.name, SymbolKind::Object, Vec::new());
                    all.push(self.symbol(Symbol { name, kind, span, detail, children }));
                }
                _ => {}
            }
        }
        all
    }

    fn declarators(
        &self,
        declarators: &[Declarator],
        kind: SymbolKind,
        span: Span,
    ) -> Vec<DocumentSymbol> {
        let symbols = declarators.iter().map(|declarator| {
            let name = &declarator.name;
            let defined = self.analysis.loaded.names.definition(name.span);
            let detail = defined.map(|found| found.ty.clone()).filter(|ty| !ty.is_empty());
            self.symbol(Symbol { name, kind, span, detail, children: Vec::new() })
        });
        symbols.collect()
    }

    fn symbol(&self, made: Symbol<'_>) -> DocumentSymbol {
        let (all, own) = (self.analysis.range(made.span), self.analysis.range(made.name.span));
        let children = (!made.children.is_empty()).then_some(made.children);
        let detail = made.detail;
        DocumentSymbol {
            detail,
            children,
            ..symbol(made.name.text.to_string(), made.kind, all, own)
        }
    }
}

fn symbol(
    name: String,
    kind: SymbolKind,
    range: lsp_types::Range,
    selection_range: lsp_types::Range,
) -> DocumentSymbol {
    // The protocol forbids empty names, and requires the whole to contain the name.
    let name = if name.trim().is_empty() { "(unnamed)".to_owned() } else { name };
    let (start, end) = (range.start.min(selection_range.start), range.end.max(selection_range.end));
    let range = lsp_types::Range { start, end };
    DocumentSymbol::new(name, None, kind, None, None, range, selection_range, None)
}
