//! Explanations of the steps of a run: why each was possible, and with which values.
//!
//! A step is evaluated again in the state before it: invariants after its delay, guards with the
//! values of their variables, and updates one after the other, so that indices of arrays are shown
//! with their values, as in `busy[0] = 1` for `busy[MACHINE[id][step]] = 1`.

use crate::decided::{Judge, conjuncts};
use crate::labels::SourceLabels;
use crate::text::{changes, edge_text_with};
use crate::trace::{Rational, Trace, TraceEdge, TraceState, TraceStep};
use zonaut_base::{Id, SourceMap, Span, one_line};
use zonaut_model::{
    BinaryOperator, Condition, Direction, Edge, Expression, ExpressionId, LocationKind, Place,
    PlaceIndex, Storage, UnaryOperator,
};

/// An explained step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExplainedStep {
    /// Its edges, with values of indices.
    pub edges: Vec<String>,
    /// The reasons why its delay and its transition are possible.
    pub reasons: Vec<String>,
    /// The variables and clocks that it changes.
    pub changes: Vec<String>,
}

/// The steps of a run of the model, explained; fewer if a state is not one of the model.
#[must_use]
pub fn explained_steps(
    labels: SourceLabels<'_>,
    sources: &SourceMap,
    trace: &Trace,
) -> Vec<ExplainedStep> {
    let befores = [&trace.start].into_iter().chain(trace.steps.iter().map(|step| &step.state));
    let steps = befores.zip(&trace.steps);
    steps
        .map_while(|(before, step)| {
            let judge = Judge::new(labels, sources, before)?;
            Some(Explainer { labels, judge }.explain(before, step))
        })
        .collect()
}

/// The run with values of indices in the labels of its edges.
#[must_use]
pub fn evaluated_trace(labels: SourceLabels<'_>, sources: &SourceMap, trace: &Trace) -> Trace {
    let mut evaluated = trace.clone();
    let befores = [&trace.start].into_iter().chain(trace.steps.iter().map(|step| &step.state));
    for (before, step) in befores.zip(&mut evaluated.steps) {
        step.edges = evaluated_edges(labels, sources, before, &step.edges);
    }
    evaluated
}

/// The edges of a transition from a state, with values of indices in their labels.
#[must_use]
pub fn evaluated_edges(
    labels: SourceLabels<'_>,
    sources: &SourceMap,
    before: &TraceState,
    edges: &[TraceEdge],
) -> Vec<TraceEdge> {
    let Some(judge) = Judge::new(labels, sources, before) else { return edges.to_vec() };
    let texts = Explainer { labels, judge }.labels_of(edges);
    let pairs = edges.iter().zip(texts);
    pairs
        .map(|(edge, [guard, synchronisation, updates])| TraceEdge {
            guard,
            synchronisation,
            updates,
            ..edge.clone()
        })
        .collect()
}

/// A transition in one short line: `halt[1]: Gate -> Train(1)`, or `P: a -> b` without a channel.
#[must_use]
pub fn transition_title(edges: &[TraceEdge]) -> String {
    let Some((first, rest)) = edges.split_first() else {
        return "evaluation of the enabled transitions".to_owned();
    };
    let names: Vec<String> = rest.iter().map(|edge| one_line(&edge.process)).collect();
    let sync = one_line(first.synchronisation.trim());
    let channel = sync.trim_end_matches(['!', '?']).trim_end();
    let (process, source, target) =
        (one_line(&first.process), one_line(&first.source), one_line(&first.target));
    match (channel.is_empty(), names.is_empty()) {
        (true, _) => format!("{process}: {source} \u{2192} {target}"),
        (false, true) => format!("{channel}: {process}"),
        (false, false) => format!("{channel}: {process} \u{2192} {}", names.join(", ")),
    }
}

struct Explainer<'s> {
    labels: SourceLabels<'s>,
    judge: Judge<'s>,
}

impl<'s> Explainer<'s> {
    fn explain(mut self, before: &TraceState, step: &TraceStep) -> ExplainedStep {
        let mut reasons = self.stay(step.delay);
        for edge in &step.edges {
            if let Some(definition) = self.bind(edge) {
                let guard = self.condition(&definition.guard);
                reasons.extend(guard.into_iter().map(|text| format!("guard: {text}")));
            }
        }
        reasons.extend(self.synchronisation(&step.edges));
        ExplainedStep { edges: self.edges(&step.edges), reasons, changes: changes(step, before) }
    }

    /// Lets time pass, and gives the invariants that allow it.
    fn stay(&mut self, delay: Rational) -> Vec<String> {
        let model = self.labels.model;
        let locations = self.judge.moment.interpreter.locations.clone();
        let here = || model.processes.iter().zip(&locations);
        if delay == Rational::from(0) {
            let hurried = here().filter_map(|(process, &at)| {
                let kind = match process.locations[at].kind {
                    LocationKind::Ordinary => return None,
                    LocationKind::Urgent => "an urgent",
                    LocationKind::Committed => "a committed",
                };
                let name = one_line(&process.name);
                Some(format!("no time passes: {name} is in {kind} location"))
            });
            return hurried.take(1).collect();
        }
        let Ok(rates) = self.judge.moment.rates() else { return Vec::new() };
        for (clock, rate) in self.judge.moment.clocks.iter_mut().zip(rates) {
            *clock = *clock + delay * rate;
        }
        let mut reasons = Vec::new();
        for (process, &at) in here() {
            let invariant = Condition { data: None, ..process.locations[at].invariant.clone() };
            for text in self.condition(&invariant) {
                let location = one_line(&process.locations[at].name);
                reasons.push(format!("stay in {}.{location}: {text}", one_line(&process.name)));
            }
        }
        reasons
    }

    /// The parts of a condition that hold, each with its values.
    fn condition(&mut self, condition: &Condition) -> Vec<String> {
        let mut texts = Vec::new();
        if let Some(data) = condition.data {
            for conjunct in conjuncts(self.labels.model, data) {
                texts.extend(self.judge.data_part(conjunct));
            }
        }
        for constraint in &condition.clocks {
            texts.extend(self.judge.clock_part(constraint));
        }
        texts
    }

    /// The edge with its select variables set.
    fn bind(&mut self, edge: &TraceEdge) -> Option<&'s Edge> {
        let mut processes = self.labels.model.processes.iter();
        let process = processes.find(|process| process.name == edge.process)?;
        let definition = process.edges.iter().nth(edge.edge)?;
        for (select, (_, value)) in definition.select.iter().zip(&edge.select) {
            self.judge.moment.interpreter.set_local(select.binder, *value);
        }
        Some(definition)
    }

    /// The partners of a transition.
    fn synchronisation(&mut self, edges: &[TraceEdge]) -> Option<String> {
        let first = edges.first()?;
        let definition = self.bind(first)?;
        definition.synchronisation.as_ref()?;
        let name = self.channel(definition)?;
        let names: Vec<String> = edges[1..].iter().map(|edge| one_line(&edge.process)).collect();
        let sender = one_line(&first.process);
        Some(match names.is_empty() {
            true => format!("{sender} sends {name}, which no process receives"),
            false => format!("{sender} sends {name} to {}", names.join(", ")),
        })
    }

    fn channel(&mut self, definition: &Edge) -> Option<String> {
        let channel = &definition.synchronisation.as_ref()?.channel;
        let at = channel.indices.first().map_or(Id::from_index(0), |index| index.value);
        let element = self.judge.moment.interpreter.element(at, &channel.indices, channel.root);
        Some(one_line(&self.labels.model.channels[element.ok()?].name))
    }

    /// The texts of edges, with values of indices.
    fn edges(&mut self, edges: &[TraceEdge]) -> Vec<String> {
        let labels = self.labels_of(edges);
        edges.iter().zip(&labels).map(|(edge, labels)| edge_text_with(edge, labels)).collect()
    }

    /// The guard, the synchronisation and the updates of edges, with values of indices. Updates
    /// take effect in the order of edges.
    fn labels_of(&mut self, edges: &[TraceEdge]) -> Vec<[String; 3]> {
        let mut labels: Vec<[Option<String>; 3]> = Vec::new();
        for edge in edges {
            let definition = self.bind(edge);
            let guard = definition.filter(|_| edge.guard.contains('['));
            let guard = guard.and_then(|definition| self.guard(definition, &edge.guard));
            let sync = definition.and_then(|definition| {
                let side = match definition.synchronisation.as_ref()?.direction {
                    Direction::Send => "!",
                    Direction::Receive => "?",
                };
                Some(self.channel(definition)? + side)
            });
            labels.push([guard, sync, None]);
        }
        // Guards and channels are evaluated before any update.
        for (edge, texts) in edges.iter().zip(&mut labels) {
            let Some(definition) = self.bind(edge) else { break };
            let parts = definition.updates.iter().map(|&id| self.update(id));
            let parts: Option<Vec<String>> = parts.collect();
            texts[2] = parts.filter(|_| edge.updates.contains('[')).map(|it| it.join(", "));
        }
        let own = edges.iter().zip(labels);
        own.map(|(edge, [guard, sync, updates])| {
            [
                guard.unwrap_or_else(|| edge.guard.clone()),
                sync.unwrap_or_else(|| edge.synchronisation.clone()),
                updates.unwrap_or_else(|| edge.updates.clone()),
            ]
        })
        .collect()
    }

    /// The guard with values of indices; `None` if its parts are not those of the written text.
    fn guard(&mut self, definition: &Edge, written: &str) -> Option<String> {
        let (mut parts, written) = (Vec::new(), normal(written));
        if let Some(data) = definition.guard.data {
            for conjunct in conjuncts(self.labels.model, data) {
                if !has_conjunct(&written, &normal(&self.spelled(conjunct, false))) {
                    return None;
                }
                parts.push(self.spelled(conjunct, true));
            }
        }
        for constraint in &definition.guard.clocks {
            parts.push(self.judge.constraint(constraint)?);
        }
        (!parts.is_empty()).then(|| parts.join(" && "))
    }

    /// The text of an update, which takes effect; `None` if it fails.
    fn update(&mut self, id: ExpressionId) -> Option<String> {
        let text = self.update_text(id);
        self.judge.moment.interpreter.evaluate(id).ok()?;
        Some(text)
    }

    fn update_text(&mut self, id: ExpressionId) -> String {
        let model = self.labels.model;
        let written = one_line(&self.judge.written(self.labels.origin.expressions[id]));
        if !written.contains('[') {
            return written;
        }
        match &model.expressions[id] {
            Expression::Assign { place, operator, value, .. } => {
                let Some(name) = self.place(id, place) else { return written };
                let sign = match operator {
                    None => "=",
                    Some(BinaryOperator::Add) => "+=",
                    Some(BinaryOperator::Subtract) => "-=",
                    Some(_) => return written,
                };
                let plain = normal(&self.spelled(*value, false));
                if !normal(&written).ends_with(&format!("={plain}")) {
                    return written;
                }
                format!("{name} {sign} {}", self.spelled(*value, true))
            }
            Expression::AssignClock(place, value) if is_pure(model, &place.indices) => {
                let clock = self.judge.moment.interpreter.element(id, &place.indices, place.root);
                let Ok(clock) = clock else { return written };
                format!("{} = {}", model.clocks[clock].name, self.spelled(*value, true))
            }
            _ => written,
        }
    }

    /// The name of a variable or an element of an array.
    fn place(&mut self, at: ExpressionId, place: &Place<Storage>) -> Option<String> {
        let Storage::Cell(root) = place.root else { return None };
        if !is_pure(self.labels.model, &place.indices) {
            return None;
        }
        let cell = self.judge.moment.interpreter.element(at, &place.indices, root).ok()?;
        Some(self.labels.model.cells[cell].name.clone())
    }

    /// The text of an expression; elements of arrays are named by values of indices if `evaluates`.
    fn spelled(&mut self, id: ExpressionId, evaluates: bool) -> String {
        let origin = self.labels.origin;
        let span = origin.expressions[id];
        // The position of a negation is that of its operand.
        if let Expression::Unary(UnaryOperator::Not, inner) = self.labels.model.expressions[id]
            && origin.expressions[inner] == span
        {
            let text = self.spelled(inner, evaluates);
            let is_atom = matches!(self.labels.model.expressions[inner], Expression::Read(_));
            let is_closed = is_atom || text.starts_with('(');
            return if is_closed { format!("!{text}") } else { format!("!({text})") };
        }
        let mut found = Vec::new();
        if evaluates {
            self.collect(id, &mut found);
        }
        found.retain(|(at, _)| {
            let inner = origin.expressions[*at];
            inner.file == span.file && inner.start >= span.start && inner.end <= span.end
        });
        found.sort_by_key(|(at, _)| origin.expressions[*at].start);
        let (mut text, mut from) = (String::new(), span.start);
        for (at, name) in found {
            let inner = origin.expressions[at];
            if inner.start >= from {
                text += &self.judge.written(Span { start: from, end: inner.start, ..span });
                text += &name;
                from = inner.end;
            }
        }
        one_line(&(text + &self.judge.written(Span { start: from, ..span })))
    }

    /// The elements of arrays that an expression reads with an index, outermost first.
    fn collect(&mut self, id: ExpressionId, found: &mut Vec<(ExpressionId, String)>) {
        let model = self.labels.model;
        match &model.expressions[id] {
            // Bound variables have no value here.
            Expression::Quantifier { .. } => {}
            Expression::Read(place) => {
                let written = self.judge.written(self.labels.origin.expressions[id]);
                if written.contains('[')
                    && let Some(name) = self.place(id, place)
                {
                    found.push((id, name));
                }
            }
            expression => {
                let mut children = Vec::new();
                expression.for_each_child(|child| children.push(child));
                for child in children {
                    self.collect(child, found);
                }
            }
        }
    }
}

/// A text without blanks, with symbols for words, to be compared.
fn normal(text: &str) -> String {
    let mut normal = String::new();
    for word in text.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_') {
        let end = word.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '_');
        let rest = &word[end.len()..];
        normal += match end {
            "and" => "&&",
            "not" => "!",
            other => other,
        };
        normal.extend(rest.chars().filter(|c| !c.is_whitespace()));
    }
    normal
}

/// Whether a normal condition has this conjunct as a whole.
fn has_conjunct(condition: &str, conjunct: &str) -> bool {
    condition.match_indices(conjunct).any(|(at, _)| {
        let (before, after) = (&condition[..at], &condition[at + conjunct.len()..]);
        let starts = before.is_empty() || before.ends_with("&&") || before.ends_with(',');
        starts && (after.is_empty() || after.starts_with("&&") || after.starts_with(','))
    })
}

/// Whether the evaluation of indices has no effects.
fn is_pure(model: &zonaut_model::Model, indices: &[PlaceIndex]) -> bool {
    let mut open: Vec<ExpressionId> = indices.iter().map(|index| index.value).collect();
    while let Some(id) = open.pop() {
        let expression = &model.expressions[id];
        if matches!(expression, Expression::Assign { .. } | Expression::Call(..)) {
            return false;
        }
        expression.for_each_child(|child| open.push(child));
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conjuncts_are_recognised_as_a_whole() {
        let check = |condition: &str, conjunct: &str, expected: bool| {
            assert_eq!(
                has_conjunct(&normal(condition), &normal(conjunct)),
                expected,
                "{condition}"
            );
        };
        check("n < 3 and !busy[i]", "!busy[i]", true);
        check("n < 3 && not busy[i]", "!busy[i]", true);
        check("n < 3 && !busy[i]", "busy[i]", false);
        check("!(a[i] || b)", "a[i]", false);
        check("a[i] + 1 < 2", "a[i]", false);
        check("a[i], b", "a[i]", true);
    }
}
