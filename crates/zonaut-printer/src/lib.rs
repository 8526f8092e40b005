//! Printing of models as readable text that can be parsed again.
//!
//! A model has no arrays and no templates any more, so the text contains flat declarations: every
//! variable is global, every process has a template of its own. Variables that are accessed by a
//! computed index somewhere are declared as one array, with the widest of their ranges, and
//! assigned values are checked if the range of the variable is smaller. Unused symbols are omitted.
//!
//! ```
//! use zonaut_model::builder::NetworkBuilder;
//!
//! let mut network = NetworkBuilder::new();
//! let p = network.process("P");
//! let (a, b) = (network.location(p, "a"), network.location(p, "b"));
//! network.edge(p, a, b);
//! let text = zonaut_printer::model_text(&network.finish().expect("a valid model"));
//! assert!(text.contains("a -> b"), "{text}");
//! ```
//!
//! # The claim
//! Parsed again, the text has the same runs and the same run-time errors as the model. Priorities
//! and rates are not printed.

mod block;
mod code;
mod context;
mod names;
mod shape;
mod storage;

use code::Code;
use context::Context;
use std::fmt::Write;
use zonaut_analysis::mention::Mentions;
use zonaut_analysis::{IdSet, Symbols, roots};
use zonaut_base::Id;
use zonaut_model::{
    Channel, Clock, Condition, Direction, EdgeId, Expression, ExpressionId, Formula, FunctionId,
    LocationId, LocationKind, Model, Place, Process, ProcessId, QueryKind, Range,
};

/// The text of a model in UPPAAL's textual syntax.
#[must_use]
pub fn model_text(model: &Model) -> String {
    let context = Context::new(model);
    let mut text = Text { model, context: &context, out: String::new() };
    // The declarations at the beginning depend on the text that follows.
    for process in model.processes.ids() {
        text.process(process);
    }
    let processes = std::mem::take(&mut text.out);
    text.hooks();
    let hooks = std::mem::take(&mut text.out);
    for query in &model.queries {
        if let QueryKind::Possibly(formula) | QueryKind::Always(formula) = &query.kind {
            text.code().formula(formula);
        }
    }
    let functions: Vec<String> = called(model).iter().map(|id| context.function(id)).collect();
    let (checks, added) = context.added();
    text.variables();
    checks.iter().chain(&functions).chain(&added).for_each(|function| text.line(function));
    text.out += &hooks;
    text.out += &processes;
    let all: Vec<&str> = model.processes.ids().map(|id| context.names.process(id)).collect();
    if all.is_empty() {
        // A system needs at least one process.
        text.line("process Nobody() { state nowhere; init nowhere; }\nsystem Nobody;");
    } else {
        text.line(&format!("system {};", all.join(", ")));
    }
    text.out
}

/// The text of a formula, in the syntax of queries. Functions that it needs are in the text of the
/// model if the formula is that of a query of the model.
#[must_use]
pub fn formula_text(model: &Model, formula: &Formula) -> String {
    Code { context: &Context::new(model), is_outside: true }.formula(formula)
}

struct Text<'a> {
    model: &'a Model,
    context: &'a Context<'a>,
    out: String,
}

impl<'a> Text<'a> {
    fn line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn code(&self) -> Code<'a> {
        Code { context: self.context, is_outside: true }
    }

    fn variables(&mut self) {
        let (model, used) = (self.model, Used::new(self.model));
        for block in self.context.names.cells.blocks.clone() {
            let cells: Vec<_> =
                block.clone().map(|cell| &model.cells[Id::from_index(cell)]).collect();
            if !block.clone().any(|cell| used.cells[cell]) {
                continue;
            }
            let range = cells.iter().map(|cell| cell.range).reduce(hull).unwrap_or(Range::BOOLEAN);
            let meta = if cells.iter().all(|cell| cell.meta) { "meta " } else { "" };
            let name = self.context.names.cells.declared(&block);
            let initial: Vec<String> = cells.iter().map(|cell| cell.initial.to_string()).collect();
            let is_array = self.context.names.cells.is_array(block.start);
            let initial = braced(is_array, &initial);
            self.line(&format!("{meta}int{range} {name} = {initial};"));
        }
        let constants = &self.context.names.constants;
        for block in constants.blocks.iter().filter(|block| constants.is_array(block.start)) {
            let values: Vec<String> =
                block.clone().map(|k| model.constants[Id::from_index(k)].to_string()).collect();
            let name = constants.declared(block);
            self.line(&format!("const {} {name} = {};", block::ANY, braced(true, &values)));
        }
        self.clocks(&used);
        self.channels(&used);
    }

    fn clocks(&mut self, used: &Used) {
        for block in self.context.names.clocks.blocks.clone() {
            let clocks: Vec<&Clock> =
                block.clone().map(|clock| &self.model.clocks[Id::from_index(clock)]).collect();
            if !block.clone().any(|clock| used.clocks[clock]) {
                continue;
            }
            let name = self.context.names.clocks.declared(&block);
            let starts_at_zero = clocks.iter().all(|clock| clock.initial == 0);
            let initial: Vec<String> = clocks.iter().map(|c| c.initial.to_string()).collect();
            let initial = if starts_at_zero {
                String::new()
            } else {
                let is_array = self.context.names.clocks.is_array(block.start);
                format!(" = {}", braced(is_array, &initial))
            };
            self.line(&format!("clock {name}{initial};"));
        }
    }

    fn channels(&mut self, used: &Used) {
        for block in self.context.names.channels.blocks.clone() {
            let channels: Vec<&Channel> = block
                .clone()
                .map(|channel| &self.model.channels[Id::from_index(channel)])
                .collect();
            if !block.clone().any(|channel| used.channels[channel]) {
                continue;
            }
            // Channels in one array have the same attributes.
            let urgent = if channels.iter().all(|channel| channel.urgent) { "urgent " } else { "" };
            let is_broadcast = channels.iter().any(|channel| channel.broadcast);
            let broadcast = if is_broadcast { "broadcast " } else { "" };
            let name = self.context.names.channels.declared(&block);
            self.line(&format!("{urgent}{broadcast}chan {name};"));
        }
    }

    fn hooks(&mut self) {
        for (word, hooks) in [
            ("before_update", &self.model.before_update),
            ("after_update", &self.model.after_update),
        ] {
            if !hooks.is_empty() {
                let updates = self.updates(hooks, word);
                self.line(&format!("{word} {{ {updates} }}"));
            }
        }
    }

    /// Updates, as a list or as the call of a function if some of them need statements.
    fn updates(&self, updates: &[ExpressionId], whose: &str) -> String {
        let mut all = Vec::new();
        for &update in updates {
            match &self.model.expressions[update] {
                Expression::CopyContent(target, source, length)
                    if block::is_simple_copy(target, source, *length)
                        && !self.context.mentions_variables(update) =>
                {
                    let code = self.code();
                    let [targets, sources] =
                        [target, source].map(|place| code.contents(place, &[], *length));
                    let places = (0..*length as usize).map(|k| code::displaced(target, k));
                    for (place, (target, source)) in places.zip(targets.iter().zip(&sources)) {
                        all.push(format!("{target} = {}", code.narrowed(&place, source)));
                    }
                }
                _ if self.context.shapes.plain_outside[update] => {
                    all.push(self.code().effect(update));
                }
                _ => return self.context.updates_call(&self.context.names.update(whose), updates),
            }
        }
        all.join(", ")
    }

    fn process(&mut self, id: ProcessId) {
        let process = &self.model.processes[id];
        let name = self.context.names.process(id).to_owned();
        self.line(&format!("process {name}() {{"));
        let states: Vec<String> =
            process.locations.ids().map(|location| self.state(id, process, location)).collect();
        self.line(&format!("    state\n        {};", states.join(",\n        ")));
        for (kind, word) in [(LocationKind::Committed, "commit"), (LocationKind::Urgent, "urgent")]
        {
            let marked: Vec<&str> = process
                .locations
                .iter_enumerated()
                .filter(|(_, location)| location.kind == kind)
                .map(|(location, _)| self.context.names.location(id, location))
                .collect();
            if !marked.is_empty() {
                let line = format!("    {word} {};", marked.join(", "));
                self.line(&line);
            }
        }
        let initial = self.context.names.location(id, process.initial).to_owned();
        self.line(&format!("    init {initial};"));
        let edges = process.edges.ids().flat_map(|edge| self.edges(id, edge));
        let edges: Vec<String> = edges.collect();
        if !edges.is_empty() {
            self.line(&format!("    trans\n        {};", edges.join(",\n        ")));
        }
        self.line("}");
    }

    fn state(&self, id: ProcessId, process: &Process, location: LocationId) -> String {
        let mut text = self.context.names.location(id, location).to_owned();
        let invariant = self.condition(&process.locations[location].invariant);
        if !invariant.is_empty() {
            let _ = write!(text, " {{ {invariant} }}");
        }
        text
    }

    /// The edges that stand for an edge: none if a select variable has an empty range, because the
    /// parser rejects it, and one for each channel if the channels cannot be in one array.
    fn edges(&self, process: ProcessId, id: EdgeId) -> Vec<String> {
        let edge = &self.model.processes[process].edges[id];
        if edge.select.iter().any(|select| select.low > select.high) {
            return Vec::new();
        }
        let Some(sync) = &edge.synchronisation else {
            return vec![self.edge(process, id, None, "")];
        };
        let mark = if sync.direction == Direction::Send { '!' } else { '?' };
        let label = |place: &Place<_>| Some(format!("{}{mark}", self.code().channel(place)));
        if !names::unlike_channels(self.model, &sync.channel) {
            return vec![self.edge(process, id, label(&sync.channel), "")];
        }
        let displacement = self.code().displacement(&sync.channel.indices);
        let channels = sync.channel.elements().enumerate();
        let one = channels.map(|(distance, channel)| {
            let is_meant = format!("{displacement} == {distance}");
            self.edge(process, id, label(&Place::fixed(channel)), &is_meant)
        });
        one.collect()
    }

    /// An edge with a synchronisation, and with a condition besides its guard.
    fn edge(
        &self,
        process: ProcessId,
        id: EdgeId,
        sync: Option<String>,
        condition: &str,
    ) -> String {
        let (names, edge) = (&self.context.names, &self.model.processes[process].edges[id]);
        let (source, target) =
            (names.location(process, edge.source), names.location(process, edge.target));
        let arrow = if edge.controllable { "->" } else { "-u->" };
        let mut text = format!("{source} {arrow} {target} {{ ");
        let selects: Vec<String> = edge
            .select
            .iter()
            .map(|s| format!("{} : int[{},{}]", names.local(s.binder.index()), s.low, s.high))
            .collect();
        let guard = [self.condition(&edge.guard), condition.to_owned()];
        let guard: Vec<String> = guard.into_iter().filter(|part| !part.is_empty()).collect();
        let whose = format!("{}_{}", process.index(), id.index());
        let labels = [
            ("select", selects.join(", ")),
            ("guard", guard.join(" && ")),
            ("sync", sync.unwrap_or_default()),
            ("assign", self.updates(&edge.updates, &whose)),
        ];
        for (word, label) in labels.iter().filter(|(_, label)| !label.is_empty()) {
            let _ = write!(text, "{word} {label}; ");
        }
        text + "}"
    }

    fn condition(&self, condition: &Condition) -> String {
        let code = self.code();
        let data = condition.data.map(|id| code.expression(id));
        let clocks = condition.clocks.iter().map(|constraint| code.constraint(constraint));
        let all: Vec<String> = data.into_iter().chain(clocks).collect();
        all.join(" && ")
    }
}

fn hull(a: Range, b: Range) -> Range {
    Range { low: a.low.min(b.low), high: a.high.max(b.high) }
}

/// An initial value, or those of an array.
fn braced(is_array: bool, values: &[String]) -> String {
    if is_array { format!("{{ {} }}", values.join(", ")) } else { values.concat() }
}

/// The functions that something calls.
fn called(model: &Model) -> IdSet<FunctionId> {
    let (mut open, mut called) = (roots::of_model(model), IdSet::default());
    let mut seen: IdSet<ExpressionId> = IdSet::default();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let expression = &model.expressions[id];
        if let Expression::Call(function, _) = expression
            && called.insert(*function)
        {
            roots::of_function(&model.functions[*function], &mut open);
        }
        expression.for_each_child(|child| open.push(child));
    }
    called
}

/// The symbols that the text has to declare.
struct Used {
    cells: Vec<bool>,
    clocks: Vec<bool>,
    channels: Vec<bool>,
}

impl Used {
    fn new(model: &Model) -> Self {
        let mentions = Mentions::new(model);
        let mut used = Symbols::default();
        for process in &model.processes {
            for location in &process.locations {
                used.extend(&mentions.of_condition(&location.invariant));
            }
            for edge in &process.edges {
                used.extend(&mentions.of_condition(&edge.guard));
                used.channels.extend(&edge.channels().collect());
                if let Some(sync) = &edge.synchronisation {
                    used.extend(&mentions.of_channel(sync));
                }
            }
        }
        for root in roots::of_model(model) {
            let access = mentions.of(root);
            used.extend(&access.reads);
            used.extend(&access.writes);
        }
        for query in &model.queries {
            if let QueryKind::Possibly(formula) | QueryKind::Always(formula) = &query.kind {
                used.extend(&mentions.of_formula(formula));
            }
        }
        Self {
            cells: model.cells.ids().map(|id| used.cells.contains(id)).collect(),
            clocks: model.clocks.ids().map(|id| used.clocks.contains(id)).collect(),
            channels: model.channels.ids().map(|id| used.channels.contains(id)).collect(),
        }
    }
}
