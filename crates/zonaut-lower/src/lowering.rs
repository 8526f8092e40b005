//! The state of one lowering, and the operations that all parts share.

use crate::codes;
use crate::externals::ExternalEntity;
use crate::functions::{FunctionEntity, ReturnContext, SpecialisationKey};
use crate::names::NameTable;
use crate::operand::Code;
use crate::scope::{Entity, Level, Scope};
use crate::templates::{ProcessSet, TemplateEntity};
use crate::{Limits, LowerOptions};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use zonaut_base::{Diagnostic, Diagnostics, Id, IndexVec, Meter, Span};
use zonaut_model::interpret::{ErrorKind, Interpreter, RunTimeError};
use zonaut_model::statistical::Weight;
use zonaut_model::{
    ChannelId, ConstantId, Effects, Expression, ExpressionId, FunctionId, Model, Origin, Place,
    ProcessId, Storage,
};
use zonaut_syntax::tree::{self, Document, Name};

/// The number of cells whose initialisation counts as one step.
const CELLS_PER_STEP: usize = 16;
/// The step budget of a constant whose value is not used.
const PLACEHOLDER_STEPS: u64 = 10_000;

/// The process that declarations belong to.
#[derive(Clone, Debug)]
pub(crate) struct Owner {
    pub(crate) process: ProcessId,
    pub(crate) name: String,
}

/// The state of one lowering.
pub(crate) struct Lowering<'a> {
    pub(crate) document: &'a Document,
    /// The arena of the expressions being lowered: the document's or a query file's.
    pub(crate) source: &'a tree::Expressions,
    pub(crate) limits: Limits,
    /// Counts the work.
    pub(crate) meter: Meter,
    /// The declarations of global names; computed when first needed.
    pub(crate) global_declarations: Option<HashMap<Arc<str>, Span>>,
    pub(crate) defines: Vec<(String, i64)>,
    pub(crate) define_places: Vec<Span>,
    pub(crate) used_defines: BTreeSet<String>,
    pub(crate) model: Model,
    pub(crate) origin: Origin,
    pub(crate) diagnostics: Diagnostics,
    /// Diagnostics of queries alone.
    pub(crate) query_diagnostics: Diagnostics,
    /// Whether diagnostics that were set aside contain errors.
    pub(crate) has_earlier_errors: bool,
    pub(crate) scope: Scope,
    pub(crate) functions: Vec<FunctionEntity<'a>>,
    /// Positions of functions, templates and sections that were checked by a trial.
    pub(crate) checked: BTreeSet<Span>,
    pub(crate) specialisations: HashMap<SpecialisationKey, FunctionId>,
    pub(crate) function_effects: IndexVec<FunctionId, Effects>,
    pub(crate) return_context: Option<ReturnContext>,
    /// The effects of the expression being lowered, so far.
    pub(crate) effects: Effects,
    /// Locals below this index are declared outside the expression being lowered.
    pub(crate) local_floor: usize,
    pub(crate) templates: Vec<TemplateEntity<'a>>,
    pub(crate) process_sets: HashMap<Arc<str>, ProcessSet>,
    /// The template instance of each process.
    pub(crate) process_instances: IndexVec<ProcessId, usize>,
    pub(crate) owner: Option<Owner>,
    pub(crate) constant_blocks: HashMap<Vec<i32>, ConstantId>,
    /// Whether parameters have placeholder values, so that errors about values would be spurious.
    pub(crate) has_placeholders: bool,
    /// Whether process names are visible.
    pub(crate) in_query: bool,
    /// Whether the expression being lowered is evaluated at run time, if at all.
    pub(crate) in_code: bool,
    pub(crate) expansions: u64,
    /// The number of locations and edges so far.
    pub(crate) location_and_edge_count: u64,
    pub(crate) out_of_steps: bool,
    /// Whether the name `cost` denotes the cost of priced models.
    pub(crate) is_priced: bool,
    pub(crate) has_channel_priority: Option<Span>,
    pub(crate) channel_levels: BTreeMap<ChannelId, u32>,
    /// The number of functions being lowered, one nested in the other.
    pub(crate) open_functions: usize,
    pub(crate) externals: Vec<ExternalEntity>,
    pub(crate) dynamic_templates: BTreeSet<Arc<str>>,
    /// The weight of the branch that was lowered last.
    pub(crate) weight: Option<Weight>,
    /// Names of floating-point template parameters that are assigned or passed to functions.
    pub(crate) changed_names: BTreeSet<Arc<str>>,
    /// The resolved names, if asked for.
    pub(crate) names: Option<NameTable>,
}

/// The lengths of all tables at the start of a trial, to roll it back.
pub(crate) struct Checkpoint {
    cells: usize,
    locals: usize,
    constants: usize,
    clocks: usize,
    channels: usize,
    scalar_sets: usize,
    scalar_uses: usize,
    functions: usize,
    expressions: usize,
    function_entities: usize,
    instances: usize,
    reals: usize,
    real_cells: usize,
    externals: usize,
}

impl<'a> Lowering<'a> {
    pub(crate) fn new(document: &'a Document, options: &LowerOptions) -> Self {
        Self {
            document,
            source: &document.expressions,
            limits: options.limits,
            meter: options.meter.clone(),
            global_declarations: None,
            defines: options.defines.clone(),
            define_places: options.define_places.clone(),
            used_defines: BTreeSet::new(),
            model: Model::default(),
            origin: Origin::default(),
            diagnostics: Diagnostics::default(),
            query_diagnostics: Diagnostics::default(),
            has_earlier_errors: false,
            scope: Scope::default(),
            functions: Vec::new(),
            checked: BTreeSet::new(),
            specialisations: HashMap::new(),
            function_effects: IndexVec::new(),
            return_context: None,
            effects: Effects::default(),
            local_floor: 0,
            templates: Vec::new(),
            process_sets: HashMap::new(),
            process_instances: IndexVec::new(),
            owner: None,
            constant_blocks: HashMap::new(),
            has_placeholders: false,
            in_query: false,
            in_code: false,
            expansions: 0,
            location_and_edge_count: 0,
            out_of_steps: false,
            is_priced: false,
            has_channel_priority: None,
            channel_levels: BTreeMap::new(),
            open_functions: 0,
            externals: Vec::new(),
            dynamic_templates: BTreeSet::new(),
            weight: None,
            changed_names: changed_names(&document.expressions),
            names: options.names.then(NameTable::default),
        }
    }

    /// Reports a problem.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.report(diagnostic);
    }

    /// Reports an error.
    pub(crate) fn error(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.report(Diagnostic::error(code, span, message).with_help(help));
    }

    /// Reports an error that depends on values of parameters, unless these are placeholders.
    pub(crate) fn value_error(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        if !self.has_placeholders {
            self.error(code, span, message, help);
        }
    }

    /// Reports a warning.
    pub(crate) fn warning(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.report(Diagnostic::warning(code, span, message).with_help(help));
    }

    /// Records that the element at `span` could not be lowered. An error must have been reported
    /// for it; if not, this is one, because a model must not silently lack a part.
    pub(crate) fn record_loss(&mut self, span: Span) {
        let is_known = self.has_earlier_errors || self.diagnostics.has_errors();
        if !self.has_placeholders && !is_known {
            let help = "write it in another way, and please report this text";
            self.error(codes::UNSUPPORTED, span, "this is not supported", help);
        }
    }

    /// Declares a name, or reports a duplicate.
    pub(crate) fn declare(&mut self, level: Level, name: &Name, entity: Entity) {
        self.record_definition(name, &entity);
        let declared = self.scope.declare(level, name.text.clone(), entity, Some(name.span));
        if let Err(first) = declared {
            let message = format!("`{}` is declared twice", name.text);
            let mut diagnostic = Diagnostic::error(codes::DUPLICATE_NAME, name.span, message)
                .with_help("give one of the two another name");
            if let Some(first) = first {
                diagnostic = diagnostic.with_label(first, "first declared here");
            }
            self.report(diagnostic);
        }
    }

    /// Adds an expression to the model and records its effects.
    pub(crate) fn push(&mut self, expression: Expression, span: Span) -> ExpressionId {
        let effects = self.effects_of(&expression);
        self.effects |= effects;
        self.origin.expressions.push(span);
        self.model.expressions.push(expression)
    }

    fn effects_of(&self, expression: &Expression) -> Effects {
        let mut effects = Effects::default();
        match expression {
            Expression::Read(place) => self.note_read(&mut effects, place),
            Expression::At(..) => effects.reads = true,
            Expression::SameContent(left, right, _) => {
                self.note_read(&mut effects, left);
                self.note_read(&mut effects, right);
            }
            Expression::Assign { place, operator, .. } => {
                if operator.is_some() {
                    self.note_read(&mut effects, place);
                }
                effects.note_target(place.root);
            }
            Expression::CopyContent(target, source, _) => {
                self.note_read(&mut effects, source);
                effects.note_target(target.root);
            }
            Expression::Call(function, arguments) => {
                effects = self.function_effects[*function];
                for argument in arguments {
                    if let zonaut_model::Argument::Content(place) = argument {
                        self.note_read(&mut effects, place);
                    }
                }
            }
            Expression::AssignClock(..) | Expression::CopyClock(..) | Expression::AddCost(_) => {
                effects.writes = true;
            }
            _ => {}
        }
        effects
    }

    /// Records that the content of `place` is read.
    fn note_read(&self, effects: &mut Effects, place: &Place<Storage>) {
        effects.reads |= self.is_state(place);
        if let Storage::Cell(cell) = place.root {
            effects.reads_meta |= self.model.cells[cell].meta;
        }
    }

    pub(crate) fn is_state(&self, place: &Place<Storage>) -> bool {
        match place.root {
            Storage::Cell(_) => true,
            Storage::Local(local) => local.index() < self.local_floor,
            Storage::Constant(_) => false,
        }
    }

    /// The expression for a number.
    pub(crate) fn expression_of(&mut self, code: Code, span: Span) -> ExpressionId {
        match code {
            Code::Constant(value) => self.push(Expression::Constant(value), span),
            Code::Run(id) => id,
        }
    }

    /// Runs `work` on code that is never evaluated if `is_dead`; its values do not matter then.
    pub(crate) fn perhaps_dead<T>(
        &mut self,
        is_dead: bool,
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outside = self.has_placeholders;
        self.has_placeholders |= is_dead;
        let result = work(self);
        self.has_placeholders = outside;
        result
    }

    /// Runs `work` on code that the model evaluates at run time, where it may fail.
    pub(crate) fn as_code<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let outside = std::mem::replace(&mut self.in_code, true);
        let result = work(self);
        self.in_code = outside;
        result
    }

    /// Runs `work` on code that is evaluated during lowering.
    pub(crate) fn as_constant<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let outside = std::mem::replace(&mut self.in_code, false);
        let result = work(self);
        self.in_code = outside;
        result
    }

    /// Runs `work` and returns the effects of the expressions that it adds.
    pub(crate) fn observing<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> (T, Effects) {
        let outside = std::mem::take(&mut self.effects);
        let result = work(self);
        let inside = std::mem::replace(&mut self.effects, outside);
        self.effects |= inside;
        (result, inside)
    }

    /// Runs `work` and reports an error at `span` if the lowered expressions have side effects.
    pub(crate) fn without_effects<T>(
        &mut self,
        span: Span,
        place: &str,
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let (result, effects) = self.observing(work);
        if effects.draws {
            let message = format!("{place} draws a random number whenever it is evaluated");
            let help = "draw it in an update, and keep it in a variable";
            self.warning(codes::RANDOM_HERE, span, message, help);
        }
        if effects.writes || effects.real_stores.is_some() {
            let message = format!("{place} must not have side effects");
            let help =
                "move the assignment, or the call of the function that assigns, to an update";
            self.error(codes::SIDE_EFFECT, span, message, help);
        }
        result
    }

    /// Runs `work`, which lowers `place` at `span`, and warns if it reads a `meta` variable: unless
    /// assigned earlier in the same transition, that has its initial value.
    pub(crate) fn warning_about_meta<T>(
        &mut self,
        span: Span,
        place: &str,
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let (result, effects) = self.observing(work);
        if effects.reads_meta {
            let message = format!(
                "{place} reads a `meta` variable, which has its initial value whenever {place} is \
                 evaluated"
            );
            let help = "remove `meta` if the variable is meant to keep its value";
            self.warning(codes::META_READ, span, message, help);
        }
        result
    }

    /// The value of a computed number that must not depend on the state; reports the reason if it
    /// has no value.
    pub(crate) fn evaluate(&mut self, id: ExpressionId, span: Span) -> Option<i32> {
        self.run(id, span, |machine| machine.evaluate(id))
    }

    /// Runs the reference interpreter on the model so far.
    pub(crate) fn run<T>(
        &mut self,
        id: ExpressionId,
        span: Span,
        work: impl FnOnce(&mut Interpreter<'_>) -> Result<T, RunTimeError>,
    ) -> Option<T> {
        if self.out_of_steps {
            return None;
        }
        // Constants read no cells, and an interpreter without cells starts faster.
        let cells = std::mem::take(&mut self.model.cells);
        let steps = if self.has_placeholders { PLACEHOLDER_STEPS } else { self.limits.steps };
        // The interpreter allocates every local.
        let locals = u32::try_from(self.model.locals.len() / CELLS_PER_STEP).unwrap_or(u32::MAX);
        let is_stopped = self.meter.spend(locals).is_err();
        let mut machine = Interpreter::new(&self.model, steps).metered(&self.meter);
        let outcome = work(&mut machine);
        self.model.cells = cells;
        if is_stopped {
            return None;
        }
        match outcome {
            Ok(value) => Some(value),
            Err(error) => {
                if self.has_placeholders {
                    return None;
                }
                self.out_of_steps = error.kind == ErrorKind::Budget;
                let at = self.origin.expressions.get(error.expression).copied().unwrap_or(span);
                let mut diagnostic = Diagnostic::error(
                    codes::CONSTANT_FAILS,
                    at,
                    format!("a constant cannot be computed: {}", error.kind),
                )
                .with_help("its value is needed before the model runs");
                if at != span && error.expression != id {
                    diagnostic = diagnostic.with_label(span, "needed here");
                }
                self.report(diagnostic);
                None
            }
        }
    }

    /// Whether the model has more elements than allowed, or the work was stopped.
    pub(crate) fn is_too_large(&self) -> bool {
        self.meter.stopped().is_some()
            || self.location_and_edge_count + self.model.expressions.len() as u64
                > self.limits.elements
    }

    /// Whether there are as many errors as are reported, or the work was stopped: lowering the rest
    /// would only take memory.
    pub(crate) fn has_too_many_errors(&self) -> bool {
        self.meter.stopped().is_some() || self.diagnostics.error_count() >= Diagnostics::KEPT
    }

    /// Stores constant content, once for equal content, and returns its address.
    pub(crate) fn constant_block(&mut self, content: Vec<i32>) -> ConstantId {
        if let Some(&id) = self.constant_blocks.get(&content) {
            return id;
        }
        let first = self.model.constants.next_id();
        for &value in &content {
            self.model.constants.push(value);
        }
        self.constant_blocks.insert(content, first);
        first
    }

    /// Checks an expression that has no effect on verdicts, once.
    pub(crate) fn check_ignored(&mut self, id: tree::ExpressionId) {
        if self.checked.insert(self.span_of(id)) {
            self.leniently(|this| -> Option<()> {
                this.perhaps_dead(true, |this| this.operand(id));
                None
            });
        }
    }

    /// Lowers a part that has no effect on verdicts: errors in it become warnings, and a part
    /// with errors is rolled back.
    pub(crate) fn leniently<T>(&mut self, work: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let checkpoint = self.checkpoint();
        let (before, effects) = (std::mem::take(&mut self.diagnostics), self.effects);
        let in_query = std::mem::replace(&mut self.in_query, true);
        let made = work(self);
        self.in_query = in_query;
        self.effects = effects;
        let problems = std::mem::replace(&mut self.diagnostics, before);
        let made = made.filter(|_| !problems.has_errors());
        if made.is_none() {
            self.roll_back(&checkpoint);
        }
        for problem in problems {
            let message = format!("in a part that no verdict depends on: {}", problem.message);
            let help = problem.help.clone().unwrap_or_default();
            self.warning(codes::IGNORED_SECTION, problem.span(), message, help);
        }
        made
    }

    pub(crate) fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            cells: self.model.cells.len(),
            locals: self.model.locals.len(),
            constants: self.model.constants.len(),
            clocks: self.model.clocks.len(),
            channels: self.model.channels.len(),
            scalar_sets: self.model.scalar_sets.len(),
            scalar_uses: self.model.scalar_uses.len(),
            functions: self.model.functions.len(),
            expressions: self.model.expressions.len(),
            function_entities: self.functions.len(),
            instances: self.scope.instance_count(),
            reals: self.model.statistical.expressions.len(),
            real_cells: self.model.statistical.cells.len(),
            externals: self.externals.len(),
        }
    }

    /// Removes all elements added since the checkpoint; diagnostics stay.
    pub(crate) fn roll_back(&mut self, to: &Checkpoint) {
        let constants = self.model.constants.len();
        self.model.cells.truncate(to.cells);
        self.origin.cells.truncate(to.cells);
        self.model.locals.truncate(to.locals);
        self.model.constants.truncate(to.constants);
        self.model.clocks.truncate(to.clocks);
        self.origin.clocks.truncate(to.clocks);
        self.model.channels.truncate(to.channels);
        self.origin.channels.truncate(to.channels);
        self.model.scalar_sets.truncate(to.scalar_sets);
        self.model.scalar_uses.truncate(to.scalar_uses);
        self.model.functions.truncate(to.functions);
        self.origin.functions.truncate(to.functions);
        self.function_effects.truncate(to.functions);
        self.model.expressions.truncate(to.expressions);
        self.origin.expressions.truncate(to.expressions);
        self.functions.truncate(to.function_entities);
        self.scope.truncate_instances(to.instances);
        self.roll_back_statistical(to);
        if self.specialisations.len() > to.functions {
            self.specialisations.retain(|_, function| function.index() < to.functions);
        }
        if constants > to.constants {
            self.constant_blocks
                .retain(|content, first| first.index() + content.len() <= to.constants);
        }
    }

    /// Removes the statistical parts added since the checkpoint.
    fn roll_back_statistical(&mut self, to: &Checkpoint) {
        let processes = self.model.processes.len();
        let statistical = &mut self.model.statistical;
        statistical.expressions.truncate(to.reals);
        statistical.cells.truncate(to.real_cells);
        statistical.externals.truncate(to.externals);
        self.externals.truncate(to.externals);
        statistical.uses.retain(|id, _| id.index() < to.expressions);
        statistical.lossy.retain(|id| id.index() < to.expressions);
        statistical.arguments.retain(|id, _| id.index() < to.expressions);
        statistical.functions.retain(|id, _| id.index() < to.functions);
        statistical.clock_starts.retain(|id, _| id.index() < to.clocks);
        statistical.exponential_rates.retain(|(process, _), _| process.index() < processes);
        statistical.weights.retain(|(process, _), _| process.index() < processes);
        statistical.stems.retain(|(process, _), _| process.index() < processes);
        statistical.rates.retain(|rate| rate.process.index() < processes);
    }
}

/// The names that are assigned or passed to a function, as a whole or in part.
fn changed_names(expressions: &tree::Expressions) -> BTreeSet<Arc<str>> {
    let mut names = BTreeSet::new();
    let mut note = |mut id: tree::ExpressionId| {
        loop {
            match &expressions[id].kind {
                tree::ExpressionKind::Name(name) => {
                    names.insert(name.clone());
                    return;
                }
                tree::ExpressionKind::Index(inner, _) | tree::ExpressionKind::Field(inner, _) => {
                    id = *inner;
                }
                _ => return,
            }
        }
    };
    for expression in expressions {
        match &expression.kind {
            tree::ExpressionKind::Assignment(_, target, _)
            | tree::ExpressionKind::Step(_, target) => note(*target),
            tree::ExpressionKind::Call(_, arguments)
            | tree::ExpressionKind::Spawn(_, arguments) => {
                arguments.iter().for_each(|argument| note(*argument));
            }
            _ => {}
        }
    }
    names
}
