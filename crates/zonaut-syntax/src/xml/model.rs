//! Conversion of XML elements to a document.

use super::{ElementId, Tree, read};
use crate::codes;
use crate::context::Context;
use crate::document::{ParsedDocument, mode};
use crate::fragment::Fragment;
use crate::limits::ParseOptions;
use crate::parser::{Parsed, Parser, shown};
use crate::query;
use crate::tree::{Declaration, Dialect, Document, System, Template};
use std::collections::HashMap;
use zonaut_base::{Diagnostic, FileId, Region};

/// The shared state of reading a model from XML.
pub(super) struct Model<'x, 't> {
    pub(super) tree: &'x Tree<'t>,
    pub(super) context: Context,
    dialect: Dialect,
}

/// Reads an XML file in the dialects that `choose` requests, with the paths of its elements; fails
/// with the error if the XML is malformed.
pub(crate) fn read_xml(
    file: FileId,
    text: &str,
    options: &ParseOptions,
    choose: impl FnOnce(&dyn Fn(Dialect) -> ParsedDocument) -> ParsedDocument,
) -> Result<(ParsedDocument, Vec<Region>), Box<Diagnostic>> {
    let tree = read(file, text, &options.limits)?;
    let root = tree.element(tree.root);
    if !matches!(root.name, "nta" | "project") {
        let message = format!("the root element is `{}`, not `nta`", shown(root.name));
        return Err(Box::new(Diagnostic::error(codes::XML_ROOT, root.tag, message)));
    }
    let reading = choose(&|dialect| read_document(&tree, dialect, options));
    Ok((reading, regions(&tree)))
}

/// The number of steps of the longest reported path: `/nta/template[1]/location[1]/label[1]`.
const PATH_STEPS: usize = 4;

/// The region of every element with a reported path; outer elements come first.
fn regions(tree: &Tree<'_>) -> Vec<Region> {
    let mut regions = Vec::new();
    let mut work = vec![(tree.root, 1, format!("/{}", tree.element(tree.root).name))];
    while let Some((id, steps, path)) = work.pop() {
        let element = tree.element(id);
        let mut counts: HashMap<&str, u32> = HashMap::new();
        for &child in element.children.iter().filter(|_| steps < PATH_STEPS) {
            let name = tree.element(child).name;
            let count = counts.entry(name).and_modify(|count| *count += 1).or_insert(1);
            let inner = match name {
                "template" | "location" | "branchpoint" | "transition" | "label" | "query" => {
                    format!("{path}/{name}[{count}]")
                }
                _ => format!("{path}/{name}"),
            };
            work.push((child, steps + 1, inner));
        }
        regions.push(Region { start: element.span.start, end: element.span.end, path });
    }
    regions
}

fn read_document(tree: &Tree<'_>, dialect: Dialect, options: &ParseOptions) -> ParsedDocument {
    let mut model = Model { tree, context: Context::new(options.limits), dialect };
    let mut declarations = Vec::new();
    let mut templates = Vec::new();
    let mut system = System::default();
    let mut reader = query::Reader::new(tree.file, options);
    let mut has_system = false;
    for &child in &tree.element(tree.root).children {
        match tree.element(child).name {
            "declaration" | "imports" => declarations.append(&mut model.declarations(child)),
            "template" => templates.extend(model.template(child)),
            "instantiation" => system.declarations.append(&mut model.declarations(child)),
            "system" => {
                has_system = true;
                model.with_parser(child, |parser| parser.system_section(&mut system));
            }
            "queries" => super::queries::read(&mut reader, tree, child),
            name => model.ignore(child, name),
        }
    }
    if !has_system {
        let tag = tree.element(tree.root).tag;
        model.error(codes::NO_SYSTEM_LINE, tag, "the model has no `system` element");
    }
    let (queries, query_diagnostics) = reader.finish();
    let document = Document {
        file: tree.file,
        dialect,
        expressions: model.context.expressions,
        declarations,
        templates,
        system,
        queries,
    };
    ParsedDocument { document, diagnostics: model.context.diagnostics, query_diagnostics }
}

impl Model<'_, '_> {
    pub(super) fn error(
        &mut self,
        code: &'static str,
        span: zonaut_base::Span,
        message: impl Into<String>,
    ) {
        self.context.report(Diagnostic::error(code, span, message));
    }

    fn ignore(&mut self, id: ElementId, name: &str) {
        let message = match name {
            "lsc" => "live sequence charts are ignored".to_owned(),
            _ => format!("the element `{}` is ignored", shown(name)),
        };
        let span = self.tree.element(id).tag;
        self.context.report(Diagnostic::warning(codes::XML_IGNORED, span, message));
    }

    /// Applies `rule` to the text of an element.
    pub(super) fn with_parser<T>(
        &mut self,
        id: ElementId,
        rule: impl FnOnce(&mut Parser<'_>) -> T,
    ) -> T {
        let fragment: Fragment<'_> = self.tree.fragment(id);
        let mut parser = Parser::new(&mut self.context, &fragment, mode(self.dialect));
        rule(&mut parser)
    }

    /// Applies `rule` to the whole text of an element; `None` if the text is blank or has an error.
    pub(super) fn parse<T>(
        &mut self,
        id: ElementId,
        what: &str,
        rule: impl FnOnce(&mut Parser<'_>) -> Parsed<T>,
    ) -> Option<T> {
        self.with_parser(id, |parser| {
            if parser.is_at_end() {
                return None;
            }
            let value = rule(parser).ok()?;
            parser.finish(what).ok()?;
            Some(value)
        })
    }

    pub(super) fn declarations(&mut self, id: ElementId) -> Vec<Declaration> {
        self.with_parser(id, |p| p.declarations_to_end())
    }

    fn template(&mut self, id: ElementId) -> Option<Template> {
        super::template::read(self, id)
    }
}
