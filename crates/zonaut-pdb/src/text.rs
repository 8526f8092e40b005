//! Models as text that people read, and that can be read as a model again.
//!
//! A model has no arrays and no templates any more, so the text is made of what is left: every
//! variable is global, every process has a template of its own. Variables that are chosen by a
//! computed index somewhere are declared as one array, with the widest of their ranges. What nothing
//! mentions is left out.

mod code;
mod names;

use crate::access::{Accesses, for_each_statement};
use code::Code;
use names::Names;
use std::fmt::Write;
use zonaut_base::Id;
use zonaut_model::{
    Channel, Clock, Condition, Direction, Edge, Formula, FunctionId, LocationId, LocationKind,
    Model, Process, ProcessId, Range, Storage,
};

/// A model as text in UPPAAL's textual syntax.
#[must_use]
pub fn model_text(model: &Model) -> String {
    let mut text = Text { model, names: Names::new(model), out: String::new() };
    text.variables();
    text.functions();
    for process in model.processes.ids() {
        text.process(process);
    }
    let all: Vec<&str> = model.processes.ids().map(|id| text.names.process(id)).collect();
    let system = format!("system {};", all.join(", "));
    if model.processes.is_empty() {
        // A system has a process.
        text.line("process Nobody() { state nowhere; init nowhere; }\nsystem Nobody;");
    } else {
        text.line(&system);
    }
    text.out
}

/// A formula about the model as text, as queries write it.
#[must_use]
pub fn formula_text(model: &Model, formula: &Formula) -> String {
    let names = Names::new(model);
    Code { model, names: &names }.formula(formula)
}

struct Text<'m> {
    model: &'m Model,
    names: Names,
    out: String,
}

impl Text<'_> {
    fn line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn variables(&mut self) {
        let (model, used) = (self.model, Used::new(self.model));
        for block in self.names.cells.blocks.clone() {
            let cells: Vec<_> =
                block.clone().map(|cell| &model.cells[Id::from_index(cell)]).collect();
            if !block.clone().any(|cell| used.cells[cell]) {
                continue;
            }
            let range = cells.iter().map(|cell| cell.range).reduce(hull).unwrap_or(Range::BOOLEAN);
            let meta = if cells.iter().all(|cell| cell.meta) { "meta " } else { "" };
            let name = self.names.cells.declared(&block);
            let initial: Vec<String> = cells.iter().map(|cell| cell.initial.to_string()).collect();
            let initial = braced(&block, &initial);
            self.line(&format!("{meta}int{range} {name} = {initial};"));
        }
        for block in self.names.constants.blocks.clone().into_iter().filter(|block| block.len() > 1)
        {
            let values: Vec<String> =
                block.clone().map(|k| model.constants[Id::from_index(k)].to_string()).collect();
            let name = self.names.constants.declared(&block);
            self.line(&format!("const int {name} = {};", braced(&block, &values)));
        }
        self.clocks(&used);
        self.channels(&used);
    }

    fn clocks(&mut self, used: &Used) {
        for block in self.names.clocks.blocks.clone() {
            let clocks: Vec<&Clock> =
                block.clone().map(|clock| &self.model.clocks[Id::from_index(clock)]).collect();
            if !block.clone().any(|clock| used.clocks[clock]) {
                continue;
            }
            let name = self.names.clocks.declared(&block);
            let starts_at_zero = clocks.iter().all(|clock| clock.initial == 0);
            let initial: Vec<String> = clocks.iter().map(|c| c.initial.to_string()).collect();
            let initial = if starts_at_zero {
                String::new()
            } else {
                format!(" = {}", braced(&block, &initial))
            };
            self.line(&format!("clock {name}{initial};"));
        }
    }

    fn channels(&mut self, used: &Used) {
        for block in self.names.channels.blocks.clone() {
            let channels: Vec<&Channel> = block
                .clone()
                .map(|channel| &self.model.channels[Id::from_index(channel)])
                .collect();
            if !block.clone().any(|channel| used.channels[channel]) {
                continue;
            }
            // An array is urgent if all of it is: less urgency allows more.
            let urgent = if channels.iter().all(|channel| channel.urgent) { "urgent " } else { "" };
            let is_broadcast = channels.iter().any(|channel| channel.broadcast);
            let broadcast = if is_broadcast { "broadcast " } else { "" };
            let name = self.names.channels.declared(&block);
            self.line(&format!("{urgent}{broadcast}chan {name};"));
        }
    }

    fn functions(&mut self) {
        for id in self.model.functions.ids() {
            if !self.model.functions[id].body.is_empty() {
                let text = Code { model: self.model, names: &self.names }.function(id);
                self.line(&text);
            }
        }
        for (word, hooks) in [
            ("before_update", &self.model.before_update),
            ("after_update", &self.model.after_update),
        ] {
            if !hooks.is_empty() {
                let code = Code { model: self.model, names: &self.names };
                let updates: Vec<String> = hooks.iter().map(|&id| code.update(id)).collect();
                self.line(&format!("{word} {{ {} }}", updates.join(", ")));
            }
        }
    }

    fn process(&mut self, id: ProcessId) {
        let process = &self.model.processes[id];
        let name = self.names.process(id).to_owned();
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
                .map(|(location, _)| self.names.location(id, location))
                .collect();
            if !marked.is_empty() {
                let line = format!("    {word} {};", marked.join(", "));
                self.line(&line);
            }
        }
        let initial = self.names.location(id, process.initial).to_owned();
        self.line(&format!("    init {initial};"));
        let edges: Vec<String> = process.edges.iter().map(|edge| self.edge(id, edge)).collect();
        if !edges.is_empty() {
            self.line(&format!("    trans\n        {};", edges.join(",\n        ")));
        }
        self.line("}");
    }

    fn state(&self, id: ProcessId, process: &Process, location: LocationId) -> String {
        let mut text = self.names.location(id, location).to_owned();
        let invariant = self.condition(&process.locations[location].invariant);
        if !invariant.is_empty() {
            let _ = write!(text, " {{ {invariant} }}");
        }
        text
    }

    fn edge(&self, process: ProcessId, edge: &Edge) -> String {
        let code = Code { model: self.model, names: &self.names };
        let (source, target) =
            (self.names.location(process, edge.source), self.names.location(process, edge.target));
        let arrow = if edge.controllable { "->" } else { "-u->" };
        let mut text = format!("{source} {arrow} {target} {{ ");
        let selects: Vec<String> = edge
            .select
            .iter()
            .map(|s| format!("{} : int[{},{}]", self.names.local(s.binder.index()), s.low, s.high))
            .collect();
        let updates: Vec<String> = edge.updates.iter().map(|&id| code.update(id)).collect();
        let sync = edge.synchronisation.as_ref().map_or_else(String::new, |sync| {
            let mark = if sync.direction == Direction::Send { '!' } else { '?' };
            format!("{}{mark}", code.channel(&sync.channel))
        });
        let labels = [
            ("select", selects.join(", ")),
            ("guard", self.condition(&edge.guard)),
            ("sync", sync),
            ("assign", updates.join(", ")),
        ];
        for (word, label) in labels.iter().filter(|(_, label)| !label.is_empty()) {
            let _ = write!(text, "{word} {label}; ");
        }
        text + "}"
    }

    fn condition(&self, condition: &Condition) -> String {
        let code = Code { model: self.model, names: &self.names };
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
fn braced(block: &std::ops::Range<usize>, values: &[String]) -> String {
    if block.len() == 1 { values.concat() } else { format!("{{ {} }}", values.join(", ")) }
}

/// What the text has to declare.
struct Used {
    cells: Vec<bool>,
    clocks: Vec<bool>,
    channels: Vec<bool>,
}

impl Used {
    fn new(model: &Model) -> Self {
        let accesses = Accesses::new(model);
        let mut used = crate::symbols::Symbols::default();
        for process in &model.processes {
            for location in &process.locations {
                used.extend(&accesses.of_condition(&location.invariant));
            }
            for edge in &process.edges {
                used.extend(&accesses.of_condition(&edge.guard));
                used.channels.extend(&crate::partners::channels_of(edge).collect());
                if let Some(sync) = &edge.synchronisation {
                    used.extend(&accesses.of_channel(sync));
                }
            }
        }
        for root in crate::roots::roots(model) {
            let access = accesses.of(root);
            used.extend(&access.reads);
            used.extend(&access.writes);
        }
        if let Some(query) = model.queries.iter().next()
            && let zonaut_model::QueryKind::Possibly(formula) = &query.kind
        {
            used.extend(&accesses.of_formula(formula));
        }
        Self {
            cells: model.cells.ids().map(|id| used.cells.contains(id)).collect(),
            clocks: model.clocks.ids().map(|id| used.clocks.contains(id)).collect(),
            channels: model.channels.ids().map(|id| used.channels.contains(id)).collect(),
        }
    }
}

/// The locals that a function declares: all that its body mentions, except those that quantifiers
/// and loops bind.
fn locals_of(model: &Model, function: FunctionId) -> (Vec<usize>, Vec<usize>) {
    let definition = &model.functions[function];
    let (mut mentioned, mut bound, mut open) = (Vec::new(), Vec::new(), Vec::new());
    let mut touch = |place: &zonaut_model::Place<Storage>, length: usize| {
        if let Storage::Local(first) = place.root {
            mentioned.extend(first.index()..first.index() + place.extent() + length);
        }
    };
    crate::roots::of_body(&definition.body, &mut open);
    for_each_statement(&definition.body, &mut |statement| match statement {
        zonaut_model::Statement::Iterate { binder, .. } => bound.push(binder.index()),
        zonaut_model::Statement::ReturnContent { source, target, .. } => {
            touch(source, target.length as usize);
        }
        _ => {}
    });
    while let Some(id) = open.pop() {
        use zonaut_model::Expression as E;
        let expression = &model.expressions[id];
        match expression {
            E::Read(place) | E::Assign { place, .. } => touch(place, 1),
            E::SameContent(a, b, length) | E::CopyContent(a, b, length) => {
                touch(a, *length as usize);
                touch(b, *length as usize);
            }
            E::Quantifier { binder, .. } => bound.push(binder.index()),
            E::Call(callee, arguments) => {
                for (argument, parameter) in
                    arguments.iter().zip(&model.functions[*callee].parameters)
                {
                    if let zonaut_model::Argument::Content(place) = argument {
                        touch(place, parameter.length as usize);
                    }
                }
            }
            _ => {}
        }
        expression.for_each_child(|child| open.push(child));
    }
    mentioned.sort_unstable();
    mentioned.dedup();
    mentioned.retain(|local| !bound.contains(local));
    (mentioned, bound)
}
