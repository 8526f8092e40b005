//! Resolved names: definitions and their uses, recorded during lowering if asked for.
//!
//! A template is lowered once for each of its processes, so a name may be declared and found many
//! times; the table holds each position once. Names in code that lowering does not visit because of
//! an error are missing.

use crate::lowering::Lowering;
use crate::scope::{Access, Entity};
use crate::value_type::Type;
use std::collections::BTreeMap;
use std::sync::Arc;
use zonaut_base::{Id, Span};
use zonaut_model::{ConstantId, Place, Storage};
use zonaut_syntax::tree::{Endpoint, Name, Node, Template};

/// The largest constant array or struct whose values are recorded.
const MOST_VALUES: u64 = 16;

/// The kind of entity that a name denotes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NameKind {
    /// A constant, or a name bound to single values.
    Constant,
    /// A variable.
    Variable,
    /// A clock.
    Clock,
    /// A channel.
    Channel,
    /// A type.
    Type,
    /// A field of a struct.
    Field,
    /// A function.
    Function,
    /// A template or an instantiation.
    Template,
    /// A location.
    Location,
    /// A branchpoint.
    Branchpoint,
    /// An entity with an error.
    Damaged,
}

/// A declared name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    /// The name.
    pub name: Arc<str>,
    /// The position of the name in its declaration.
    pub span: Span,
    /// The kind of entity.
    pub kind: NameKind,
    /// The type as text, with computed ranges and sizes; empty for entities without a type.
    pub ty: String,
    /// The value of a constant, unless it differs between processes.
    pub value: Option<String>,
    /// The declarations of the fields, if the type is a struct or an array of structs.
    pub fields: Vec<Span>,
}

/// The names of a document and its queries, by position.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NameTable {
    definitions: BTreeMap<Span, Definition>,
    uses: BTreeMap<Span, Span>,
}

impl NameTable {
    /// The definitions, by position.
    pub fn definitions(&self) -> impl Iterator<Item = &Definition> {
        self.definitions.values()
    }

    /// The uses, by position: the position of the use and that of the definition.
    pub fn uses(&self) -> impl Iterator<Item = (Span, Span)> {
        self.uses.iter().map(|(used, defined)| (*used, *defined))
    }

    /// The definition whose name is declared at `span`.
    #[must_use]
    pub fn definition(&self, span: Span) -> Option<&Definition> {
        self.definitions.get(&span)
    }

    /// The definition or use at `place`, an empty or longer span, with its own position. A name also
    /// counts as being at the position behind its last character.
    #[must_use]
    pub fn at(&self, place: Span) -> Option<(Span, &Definition)> {
        around(&self.definitions, place).or_else(|| {
            let (span, defined) = around(&self.uses, place)?;
            self.definitions.get(defined).map(|found| (span, found))
        })
    }

    fn define(&mut self, definition: Definition) {
        match self.definitions.get_mut(&definition.span) {
            None => {
                self.definitions.insert(definition.span, definition);
            }
            Some(known) if known.kind == NameKind::Damaged => *known = definition,
            Some(known) => {
                if known.value != definition.value && definition.kind != NameKind::Damaged {
                    known.value = None;
                }
            }
        }
    }
}

/// The entry whose span contains `place`.
fn around<T>(entries: &BTreeMap<Span, T>, place: Span) -> Option<(Span, &T)> {
    let before = Span { start: place.start, end: u32::MAX, ..place };
    let near = entries.range(..=before).rev().take(2);
    near.map(|(span, entry)| (*span, entry)).find(|(span, _)| span.contains(place))
}

impl Lowering<'_> {
    /// Records a declaration, if names are asked for.
    pub(crate) fn record_definition(&mut self, name: &Name, entity: &Entity) {
        if self.names.is_none() {
            return;
        }
        let (kind, ty) = self.described(entity);
        let definition = Definition {
            name: name.text.clone(),
            span: name.span,
            kind,
            ty: ty.as_ref().map_or_else(String::new, ToString::to_string),
            value: self.value_text(entity),
            fields: ty.as_ref().map_or_else(Vec::new, field_places),
        };
        if let Some(names) = &mut self.names {
            names.define(definition);
        }
    }

    /// Records the declaration of a field.
    pub(crate) fn record_field(&mut self, name: &Name, ty: &Type) {
        if let Some(names) = &mut self.names {
            names.define(Definition {
                name: name.text.clone(),
                span: name.span,
                kind: NameKind::Field,
                ty: ty.to_string(),
                value: None,
                fields: field_places(ty),
            });
        }
    }

    /// Records that the visible name `name` is used at `span`.
    pub(crate) fn record_use(&mut self, name: &str, span: Span) {
        if let Some(names) = &mut self.names
            && let Some((symbol, _)) = self.scope.find(name)
            && let Some(defined) = symbol.span
        {
            names.uses.insert(span, defined);
        }
    }

    /// Records that the name declared at `defined` is used at `span`.
    pub(crate) fn record_use_of(&mut self, defined: Option<Span>, span: Span) {
        if let (Some(names), Some(defined)) = (&mut self.names, defined) {
            names.uses.insert(span, defined);
        }
    }

    /// Records the locations and branchpoints that a template names.
    pub(crate) fn record_nodes(&mut self, template: &Template) {
        let Some(names) = &mut self.names else { return };
        for branchpoint in &template.branchpoints {
            names.define(Definition {
                name: branchpoint.name.text.clone(),
                span: branchpoint.name.span,
                kind: NameKind::Branchpoint,
                ty: String::new(),
                value: None,
                fields: Vec::new(),
            });
        }
        let ends = template.edges.iter().flat_map(|edge| [edge.source, edge.target]);
        for Endpoint { node, span } in ends.chain(template.mentions.iter().copied()) {
            let defined = match node {
                Some(Node::Location(id)) => template.locations[id].name.as_ref(),
                Some(Node::Branchpoint(id)) => Some(&template.branchpoints[id].name),
                None => None,
            };
            if let Some(defined) = defined {
                names.uses.insert(span, defined.span);
            }
        }
    }

    fn described(&self, entity: &Entity) -> (NameKind, Option<Type>) {
        match entity {
            Entity::Constant(_, ty) => (NameKind::Constant, Some(ty.clone())),
            Entity::Data(_, ty, Access::Writable) => (NameKind::Variable, Some(ty.clone())),
            Entity::Data(_, ty, _) => (NameKind::Constant, Some(ty.clone())),
            Entity::Clock(_, ty) => (NameKind::Clock, Some(ty.clone())),
            Entity::Channel(_, ty) => (NameKind::Channel, Some(ty.clone())),
            Entity::RealConstant(_) => (NameKind::Constant, Some(Type::Floating)),
            Entity::Real(_, ty, Access::Writable) => (NameKind::Variable, Some(ty.clone())),
            Entity::Real(_, ty, _) => (NameKind::Constant, Some(ty.clone())),
            Entity::Text(_) => (NameKind::Constant, Some(Type::Text)),
            Entity::External(index) => {
                (NameKind::Function, Some(self.externals[*index].result.clone()))
            }
            Entity::Cost => (NameKind::Variable, None),
            Entity::Type(ty) => (NameKind::Type, Some(ty.clone())),
            Entity::Function(index) => {
                (NameKind::Function, Some(self.functions[*index].result.clone()))
            }
            Entity::Template(_) => (NameKind::Template, None),
            Entity::Location(_) => (NameKind::Location, None),
            Entity::Damaged => (NameKind::Damaged, None),
        }
    }

    /// The value of a constant; `None` for placeholders.
    fn value_text(&self, entity: &Entity) -> Option<String> {
        if self.has_placeholders {
            return None;
        }
        match entity {
            Entity::Constant(value, Type::Boolean) => Some((*value != 0).to_string()),
            Entity::Constant(value, _) => Some(value.to_string()),
            Entity::RealConstant(value) => Some(value.to_string()),
            Entity::Text(text) => Some(format!("\"{text}\"")),
            Entity::Data(Place { root: Storage::Constant(root), .. }, ty, Access::Constant)
                if ty.size() <= MOST_VALUES =>
            {
                let ids = (0..ty.size() as usize).map(|k| ConstantId::from_index(root.index() + k));
                let values: Option<Vec<String>> =
                    ids.map(|id| self.model.constants.get(id).map(ToString::to_string)).collect();
                values.map(|values| format!("{{{}}}", values.join(", ")))
            }
            _ => None,
        }
    }
}

/// The declarations of the fields of a struct, or of the elements of an array of structs.
fn field_places(ty: &Type) -> Vec<Span> {
    match ty {
        Type::Array(array) => field_places(&array.element),
        Type::Struct(structure) => structure.fields.iter().map(|field| field.place.0).collect(),
        _ => Vec::new(),
    }
}
