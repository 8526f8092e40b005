//! Descriptions of names: for hovers, completion and signatures.

use crate::analysis::Analysis;
use crate::outline::{Callable, Outline};
use zonaut_engine::{Definition, NameKind};
use zonaut_syntax::tree::{LabelKind, LocationKind};
use zonaut_syntax::{location_labels, template_heading};

/// The declaration of a name in one line, with computed types and values.
pub(crate) fn declaration(
    analysis: &Analysis,
    outline: &Outline<'_>,
    definition: &Definition,
) -> String {
    let Definition { name, ty, value, .. } = definition;
    let value = value.as_ref().map_or(String::new(), |value| format!(" = {value}"));
    match definition.kind {
        NameKind::Constant => format!("const {ty} {name}{value}"),
        NameKind::Variable if ty.is_empty() => name.to_string(),
        NameKind::Variable | NameKind::Clock | NameKind::Channel => format!("{ty} {name}"),
        NameKind::Type => format!("typedef {ty} {name}"),
        NameKind::Field => format!("field {ty} {name}"),
        NameKind::Function => match outline.callable_at(definition.span) {
            Some(callable) => format!("{ty} {}", signature(analysis, callable).label),
            None => format!("{ty} {name}()"),
        },
        NameKind::Template => match outline.template_of(definition.span) {
            Some(template) if template.name.span == definition.span => {
                let expressions = &analysis.loaded.document.expressions;
                format!("process {}", template_heading(expressions, template))
            }
            Some(template) => format!("process {name}, an instance of {}", template.name.text),
            None => format!("process {name}"),
        },
        NameKind::Location => location(analysis, definition),
        NameKind::Branchpoint => format!("branchpoint {name}"),
        NameKind::Damaged => format!("{name} has an error"),
    }
}

/// A location with its urgency, invariant and rate.
fn location(analysis: &Analysis, definition: &Definition) -> String {
    let document = &*analysis.loaded.document;
    for template in &document.templates {
        for location in &template.locations {
            if location.name.as_ref().map(|name| name.span) != Some(definition.span) {
                continue;
            }
            let kind = match location.kind {
                LocationKind::Ordinary => "",
                LocationKind::Urgent => "urgent ",
                LocationKind::Committed => "committed ",
            };
            let labels = location_labels(&document.expressions, location);
            let labels = labels.into_iter().map(|(kind, text)| match kind {
                LabelKind::ExponentialRate => format!(", rate {text}"),
                _ => format!(", invariant {text}"),
            });
            let owner = &template.name.text;
            let labels: String = labels.collect();
            return format!("{kind}location {owner}.{}{labels}", definition.name);
        }
    }
    format!("location {}", definition.name)
}

/// A name with its parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SignatureText {
    pub(crate) label: String,
    pub(crate) parameters: Vec<String>,
}

pub(crate) fn signature(analysis: &Analysis, callable: Callable<'_>) -> SignatureText {
    let parameters: Vec<String> = callable
        .parameters
        .iter()
        .map(|parameter| {
            let name = &parameter.declarator.name;
            let ty = analysis.snippet(parameter.ty.span);
            let sign = if parameter.by_reference { "&" } else { "" };
            let dimensions = parameter.declarator.dimensions.len();
            decoded(&format!("{ty} {sign}{}{}", name.text, "[]".repeat(dimensions)))
        })
        .collect();
    let label = format!("{}({})", analysis.snippet(callable.name), parameters.join(", "));
    SignatureText { label, parameters }
}

/// Text of XML without its most common references.
fn decoded(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}
