//! Scopes: names and the entities that they denote.

use crate::value_type::{StructType, Type};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;
use zonaut_base::{Span, most_similar};
use zonaut_model::statistical::RealCellId;
use zonaut_model::{ChannelId, ClockId, LocationId, Place, Storage};

/// Whether data may be written, and the reason if not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    Writable,
    /// Declared `const`.
    Constant,
    /// Bound by a quantifier, a `select` or an iteration.
    Bound,
}

/// The entity that a name denotes.
#[derive(Clone, Debug)]
pub(crate) enum Entity {
    /// An integer constant.
    Constant(i32, Type),
    /// Integers in storage.
    Data(Place<Storage>, Type, Access),
    /// A clock or an array of clocks.
    Clock(Place<ClockId>, Type),
    /// A channel or an array of channels.
    Channel(Place<ChannelId>, Type),
    /// A floating-point constant.
    RealConstant(f64),
    /// Floating-point storage.
    Real(Place<RealCellId>, Type, Access),
    /// A text.
    Text(Arc<str>),
    /// An external function, by its position in the list of external functions.
    External(usize),
    /// The cost of priced models.
    Cost,
    /// A type.
    Type(Type),
    /// A function, by its position in the list of functions.
    Function(usize),
    /// A template or an instantiation, by its position in the list of templates.
    Template(usize),
    /// A location of the template.
    Location(LocationId),
    /// An entity with an error that has been reported; its uses are not reported again.
    Damaged,
}

impl Entity {
    /// A description for messages.
    pub(crate) fn describe(&self) -> &'static str {
        match self {
            Self::Constant(..) => "a constant",
            Self::Data(_, _, Access::Constant) => "a constant",
            Self::Data(..) => "a variable",
            Self::Clock(..) => "a clock",
            Self::Channel(..) => "a channel",
            Self::RealConstant(_) | Self::Real(_, _, Access::Constant) => "a constant",
            Self::Real(..) => "a floating-point variable",
            Self::Text(_) => "a string",
            Self::External(_) => "an external function",
            Self::Cost => "the cost",
            Self::Type(_) => "a type",
            Self::Function(_) => "a function",
            Self::Template(_) => "a template",
            Self::Location(_) => "a location",
            Self::Damaged => "a damaged declaration",
        }
    }
}

/// A declared name.
#[derive(Clone, Debug)]
pub(crate) struct Symbol {
    pub(crate) entity: Entity,
    /// The position of its declaration; absent for predeclared names.
    pub(crate) span: Option<Span>,
    /// Its number in the order of declarations.
    pub(crate) order: u32,
}

/// The names of one scope.
pub(crate) type ScopeNames = HashMap<Arc<str>, Symbol>;

/// The scope in which a name was found or is declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Level {
    Predeclared,
    Global,
    System,
    Instance,
    Inner,
}

/// All visible names. The innermost scope takes precedence.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    predeclared: ScopeNames,
    global: ScopeNames,
    system: ScopeNames,
    instances: Vec<ScopeNames>,
    /// The template instance whose names are visible.
    pub(crate) instance: Option<usize>,
    /// Scopes of blocks in functions and of binders.
    pub(crate) inner: Vec<ScopeNames>,
    /// Whether names of the system section are visible: not inside templates.
    pub(crate) sees_system: bool,
    /// If set, names outside functions are visible only if declared before this point.
    pub(crate) horizon: Option<u32>,
    clock: u32,
    /// The number of comparisons made for suggestions so far.
    comparisons: Cell<usize>,
}

/// The maximum number of comparisons for suggestions, in total.
const MOST_COMPARISONS: usize = 250_000;

impl Scope {
    /// Adds the scope of a new template instance.
    pub(crate) fn add_instance(&mut self) -> usize {
        self.instances.push(ScopeNames::new());
        self.instances.len() - 1
    }

    pub(crate) fn instance_count(&self) -> usize {
        self.instances.len()
    }

    pub(crate) fn truncate_instances(&mut self, count: usize) {
        self.instances.truncate(count);
    }

    /// The number of the next declaration.
    pub(crate) fn now(&self) -> u32 {
        self.clock
    }

    /// Declares a name; returns the existing symbol if its scope has one with this name.
    pub(crate) fn declare(
        &mut self,
        level: Level,
        name: Arc<str>,
        entity: Entity,
        span: Option<Span>,
    ) -> Result<(), Option<Span>> {
        let order = self.clock;
        self.clock += 1;
        let frame = match level {
            Level::Predeclared => &mut self.predeclared,
            Level::Global => &mut self.global,
            Level::System => &mut self.system,
            Level::Instance => {
                let instance = self.instance.expect("invariant: an instance is open");
                &mut self.instances[instance]
            }
            Level::Inner => self.inner.last_mut().expect("invariant: a block is open"),
        };
        if let Some(symbol) = frame.get(&name) {
            return Err(symbol.span);
        }
        frame.insert(name, Symbol { entity, span, order });
        Ok(())
    }

    /// Finds a name.
    pub(crate) fn find(&self, name: &str) -> Option<(&Symbol, Level)> {
        let inner = self.inner.iter().rev().find_map(|frame| frame.get(name));
        if let Some(symbol) = inner {
            return Some((symbol, Level::Inner));
        }
        let visible = |symbol: &&Symbol| self.horizon.is_none_or(|horizon| symbol.order < horizon);
        self.outer_frames().find_map(|(frame, level)| {
            frame.get(name).filter(visible).map(|symbol| (symbol, level))
        })
    }

    /// Finds a name that is declared too late to be visible.
    pub(crate) fn find_hidden(&self, name: &str) -> Option<&Symbol> {
        self.outer_frames().find_map(|(frame, _)| frame.get(name))
    }

    /// Finds a name of a template instance.
    pub(crate) fn find_member(&self, instance: usize, name: &str) -> Option<&Symbol> {
        self.instances[instance].get(name)
    }

    fn outer_frames(&self) -> impl Iterator<Item = (&ScopeNames, Level)> {
        let instance = self.instance.map(|index| (&self.instances[index], Level::Instance));
        let system = self.sees_system.then_some((&self.system, Level::System));
        instance
            .into_iter()
            .chain(system)
            .chain([(&self.global, Level::Global), (&self.predeclared, Level::Predeclared)])
    }

    /// The visible name most similar to `name`, among those that satisfy `fits`.
    pub(crate) fn similar(&self, name: &str, fits: impl Fn(&Entity) -> bool) -> Option<String> {
        let outer = self.outer_frames().map(|(frame, _)| frame);
        if !self.may_compare(self.inner.iter().chain(outer).map(ScopeNames::len).sum()) {
            return None;
        }
        let outer = self.outer_frames().map(|(frame, _)| frame);
        let symbols = self.inner.iter().chain(outer).flatten();
        let fitting = symbols.filter(|(_, symbol)| fits(&symbol.entity));
        most_similar(name, fitting.map(|(name, _)| name.as_ref()))
    }

    /// The name most similar to `name` that an expression may contain. Processes are named in
    /// queries only.
    pub(crate) fn similar_value(&self, name: &str) -> Option<String> {
        self.similar(name, |entity| match entity {
            Entity::Template(_) => self.sees_system,
            Entity::Type(_) | Entity::Location(_) | Entity::Damaged => false,
            _ => true,
        })
    }

    /// The name of an instance most similar to `name`.
    pub(crate) fn similar_member(&self, instance: usize, name: &str) -> Option<String> {
        if !self.may_compare(self.instances[instance].len()) {
            return None;
        }
        most_similar(name, self.instances[instance].keys().map(AsRef::as_ref))
    }

    /// The field most similar to `name`.
    pub(crate) fn similar_field(&self, name: &str, structure: &StructType) -> Option<String> {
        if !self.may_compare(structure.fields.len()) {
            return None;
        }
        most_similar(name, structure.fields.iter().map(|field| field.name.as_ref()))
    }

    /// Whether a name may be compared with `count` others; counts these comparisons. Without a
    /// limit, suggestions for many unknown names among many declared ones would take quadratically
    /// many comparisons (pitfall P77, `suggestion-is-quadratic`).
    fn may_compare(&self, count: usize) -> bool {
        let made = self.comparisons.get().saturating_add(count);
        self.comparisons.set(made);
        made <= MOST_COMPARISONS
    }
}
