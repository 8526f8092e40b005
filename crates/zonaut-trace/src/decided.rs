//! Explanations of the value of a formula in a state: the parts that decide it.

use crate::labels::SourceLabels;
use crate::moment::Moment;
use crate::trace::{Trace, TraceState};
use std::ops::ControlFlow;
use zonaut_base::{Id, SourceMap, Span};
use zonaut_model::{
    BinaryOperator, ClockConstraint, Expression, ExpressionId, Formula, LocalId, Model, Place,
    QuantifierKind, QueryId, QueryKind, Relation, Storage, UnaryOperator,
};

/// Maximum number of parts that are listed, and maximum depth of formulas that are explained.
const MOST_PARTS: usize = 12;
const DEEPEST: usize = 100;
/// Maximum number of variables that a part is shown with.
const MOST_VALUES: usize = 6;
/// Maximum number of steps of each evaluation.
const BUDGET: u64 = 1_000_000;

/// The parts of the formula of `query` that decide it in the last state of `trace`, each with its
/// value and with the values of quantified variables: `holds: P(1).done` or `fails: a[i] > 0 with i
/// = 2`. Empty for queries that no single state decides.
#[must_use]
pub fn decided_parts(
    labels: SourceLabels<'_>,
    sources: &SourceMap,
    query: QueryId,
    trace: &Trace,
) -> Vec<String> {
    let formula = match &labels.model.queries[query].kind {
        QueryKind::Possibly(formula) | QueryKind::Always(formula) if !trace.fails => formula,
        _ => return Vec::new(),
    };
    let state = trace.steps.last().map_or(&trace.start, |step| &step.state);
    let Some(mut judge) = Judge::new(labels, sources, state) else { return Vec::new() };
    judge.moment.clocks.clone_from(&trace.last_clocks);
    if let Some(value) = judge.holds(formula) {
        // Parts that cannot be evaluated are omitted: the verdict is known already, this only
        // explains it.
        let _ = judge.explain(formula, value, 0);
    }
    let described = |part: Part| {
        let verb = if part.holds { "holds" } else { "fails" };
        format!("{verb}: {}{}", part.text, part.with)
    };
    judge.parts.into_iter().map(described).collect()
}

/// The conjuncts of a condition without clocks that are false in a state with these values of
/// temporary storage, each with the values of its variables, as in `n > 2 (n = 1)`.
#[must_use]
pub fn false_conjuncts(
    labels: SourceLabels<'_>,
    sources: &SourceMap,
    state: &TraceState,
    locals: &[(LocalId, i32)],
    condition: ExpressionId,
) -> Vec<String> {
    let Some(mut judge) = Judge::new(labels, sources, state) else { return Vec::new() };
    for &(local, value) in locals {
        judge.moment.interpreter.set_local(local, value);
    }
    for conjunct in conjuncts(labels.model, condition) {
        // A conjunct that fails only because an earlier one does not protect it is irrelevant.
        if judge.data_holds(conjunct) == Some(false) {
            let _ = judge.explain_data(conjunct, false, 0);
        }
    }
    let described = |part: Part| {
        // The callers say that the condition is false.
        let holds = if part.holds { " is true" } else { "" };
        let values = part.values.join(", ");
        let values = if values.is_empty() { values } else { format!(" ({values})") };
        format!("`{}`{holds}{}{values}", part.text, part.with)
    };
    judge.parts.into_iter().map(described).collect()
}

/// The conjuncts of a condition, in order.
pub(crate) fn conjuncts(model: &Model, condition: ExpressionId) -> Vec<ExpressionId> {
    let (mut found, mut open) = (Vec::new(), vec![condition]);
    while let Some(id) = open.pop() {
        match model.expressions[id] {
            Expression::And(left, right) => open.extend([right, left]),
            _ => found.push(id),
        }
    }
    found
}

/// A part of a formula that decides it.
#[derive(PartialEq, Eq)]
struct Part {
    text: String,
    holds: bool,
    /// The values of quantified variables, preceded by a word.
    with: String,
    /// The variables in it, each with its value.
    values: Vec<String>,
}

/// The last state of a run, and the parts found so far.
pub(crate) struct Judge<'s> {
    labels: SourceLabels<'s>,
    sources: &'s SourceMap,
    pub(crate) moment: Moment<'s>,
    /// The quantified variables in scope, with their values.
    bindings: Vec<(LocalId, i32)>,
    parts: Vec<Part>,
}

impl<'s> Judge<'s> {
    pub(crate) fn new(
        labels: SourceLabels<'s>,
        sources: &'s SourceMap,
        state: &TraceState,
    ) -> Option<Self> {
        let moment = Moment::new(labels.model, state, BUDGET)?;
        Some(Self { labels, sources, moment, bindings: Vec::new(), parts: Vec::new() })
    }

    /// Whether a formula holds; `None` if it cannot be evaluated.
    fn holds(&mut self, formula: &Formula) -> Option<bool> {
        self.moment.interpreter.refill(BUDGET);
        self.moment.holds(formula).ok()
    }

    /// The first of the parts that has this value.
    fn search<'f>(&mut self, parts: &'f [Formula], value: bool) -> Option<Option<&'f Formula>> {
        for part in parts {
            if self.holds(part)? == value {
                return Some(Some(part));
            }
        }
        Some(None)
    }

    fn data_holds(&mut self, id: ExpressionId) -> Option<bool> {
        self.moment.interpreter.refill(BUDGET);
        self.moment.interpreter.holds(id).ok()
    }

    /// Records the parts that give `formula` this value; returns `None` if one cannot be evaluated.
    fn explain(&mut self, formula: &Formula, value: bool, depth: usize) -> Option<()> {
        match formula {
            Formula::Data(id) => self.explain_data(*id, value, depth),
            Formula::Clock(constraint) => {
                let text = self.constraint(constraint)?;
                self.note(text, value, Vec::new());
                Some(())
            }
            Formula::Deadlock => None,
            Formula::Not(inner) => self.explain(inner, !value, depth),
            Formula::And(parts) | Formula::Or(parts) => {
                let all_count = value == matches!(formula, Formula::And(_));
                if !all_count {
                    let part = self.search(parts, value)??;
                    return self.explain(part, value, depth);
                }
                parts.iter().try_for_each(|part| self.explain(part, value, depth))
            }
        }
    }

    fn explain_data(&mut self, id: ExpressionId, value: bool, depth: usize) -> Option<()> {
        let deeper = depth + 1;
        match &self.labels.model.expressions[id] {
            _ if depth > DEEPEST => {}
            // A constant that results from quantified variables is explained by the parts beside
            // it.
            Expression::Constant(_) => return Some(()),
            Expression::Unary(UnaryOperator::Not, inner) => {
                return self.explain_data(*inner, !value, deeper);
            }
            it @ (Expression::And(left, right) | Expression::Or(left, right)) => {
                let all_count = value == matches!(it, Expression::And(..));
                if all_count {
                    self.explain_data(*left, value, deeper)?;
                    return self.explain_data(*right, value, deeper);
                }
                let decides = if self.data_holds(*left)? == value { *left } else { *right };
                return self.explain_data(decides, value, deeper);
            }
            Expression::Quantifier { kind, binder, low, high, body } => {
                let one_decides = match kind {
                    QuantifierKind::ForAll => !value,
                    QuantifierKind::Exists => value,
                    QuantifierKind::Sum => false,
                };
                if one_decides {
                    return self.explain_body(*binder, *low..=*high, *body, value, deeper);
                }
            }
            _ => {}
        }
        let named = self.named(id);
        let text = named.unwrap_or_else(|| self.written(self.labels.origin.expressions[id]));
        let values = self.values_in(id);
        self.note(text, value, values);
        Some(())
    }

    /// A simple part in the names of the model. Quantifiers over processes are expanded before
    /// evaluation, so that the source text would not name the process.
    fn named(&self, id: ExpressionId) -> Option<String> {
        let model = self.labels.model;
        match &model.expressions[id] {
            Expression::At(process, location) => {
                let process = &model.processes[*process];
                Some(format!("{}.{}", process.name, process.locations[*location].name))
            }
            Expression::Binary(operator, left, right) => {
                let sign = match operator {
                    BinaryOperator::Less => "<",
                    BinaryOperator::LessEqual => "<=",
                    BinaryOperator::Equal => "==",
                    BinaryOperator::NotEqual => "!=",
                    BinaryOperator::GreaterEqual => ">=",
                    BinaryOperator::Greater => ">",
                    _ => return None,
                };
                Some(format!("{} {sign} {}", self.operand(*left)?, self.operand(*right)?))
            }
            _ => None,
        }
    }

    /// A number or a variable.
    fn operand(&self, id: ExpressionId) -> Option<String> {
        let model = self.labels.model;
        match &model.expressions[id] {
            Expression::Constant(value) => Some(value.to_string()),
            Expression::Read(Place { root: Storage::Cell(cell), indices })
                if indices.is_empty() =>
            {
                Some(model.cells[*cell].name.clone())
            }
            _ => None,
        }
    }

    /// Explains the body of a quantifier for the first value that decides.
    fn explain_body(
        &mut self,
        binder: LocalId,
        values: std::ops::RangeInclusive<i32>,
        body: ExpressionId,
        value: bool,
        depth: usize,
    ) -> Option<()> {
        let before = self.moment.interpreter.local(binder);
        let found = values.into_iter().try_for_each(|candidate| {
            self.moment.interpreter.set_local(binder, candidate);
            match self.data_holds(body) {
                Some(holds) if holds != value => ControlFlow::Continue(()),
                decided => ControlFlow::Break(decided.map(|_| candidate)),
            }
        });
        let candidate = found.break_value().flatten()?;
        self.bindings.push((binder, candidate));
        let explained = self.explain_data(body, value, depth);
        self.bindings.pop();
        self.moment.interpreter.set_local(binder, before);
        explained
    }

    /// A part of a condition that holds, with the values of its variables; `None` if it is
    /// constant or cannot be evaluated.
    pub(crate) fn data_part(&mut self, id: ExpressionId) -> Option<String> {
        let first = self.parts.len();
        self.data_holds(id)?.then_some(())?;
        self.explain_data(id, true, 0)?;
        let parts = self.parts.drain(first..).map(|part| {
            let verb = if part.holds { "" } else { " is false" };
            let values = part.values.join(", ");
            let values = if values.is_empty() { values } else { format!(" ({values})") };
            format!("{}{verb}{}{values}", part.text, part.with)
        });
        let parts: Vec<String> = parts.collect();
        (!parts.is_empty()).then(|| parts.join(" and "))
    }

    /// A constraint on clocks that applies, with the value of its left side.
    pub(crate) fn clock_part(&mut self, constraint: &ClockConstraint) -> Option<String> {
        let comparison = self.moment.comparison(constraint).ok()??;
        let value = comparison.difference(&self.moment.clocks);
        let name = &self.labels.model.clocks[comparison.left].name;
        let text = self.constraint(constraint)?;
        Some(match comparison.right {
            None => format!("{text} ({name} = {value})"),
            Some(_) => format!("{text} (the difference is {value})"),
        })
    }

    /// A constraint with its values.
    pub(crate) fn constraint(&mut self, constraint: &ClockConstraint) -> Option<String> {
        let Some(comparison) = self.moment.comparison(constraint).ok()? else {
            let condition = constraint.condition?;
            return Some(self.written(self.labels.origin.expressions[condition]));
        };
        let name = |clock| &self.labels.model.clocks[clock].name;
        let left = name(comparison.left);
        let right = comparison.right.map_or_else(String::new, |it| format!(" - {}", name(it)));
        let sign = match comparison.relation {
            Relation::Less => "<",
            Relation::LessEqual => "<=",
            Relation::Equal => "==",
            Relation::GreaterEqual => ">=",
            Relation::Greater => ">",
        };
        Some(format!("{left}{right} {sign} {}", comparison.bound))
    }

    /// The variables that an expression reads itself, each with its value, each once.
    fn values_in(&mut self, id: ExpressionId) -> Vec<String> {
        let model = self.labels.model;
        let (mut found, mut open) = (Vec::new(), vec![id]);
        while let Some(id) = open.pop().filter(|_| found.len() < MOST_VALUES) {
            let expression = &model.expressions[id];
            let first = open.len();
            expression.for_each_child(|child| open.push(child));
            open[first..].reverse();
            let Expression::Read(Place { root, indices }) = expression else { continue };
            let read = match *root {
                Storage::Cell(root) => {
                    let Ok(cell) = self.moment.interpreter.element(id, indices, root) else {
                        continue;
                    };
                    let value = self.moment.interpreter.cells[cell.index()];
                    format!("{} = {value}", model.cells[cell].name)
                }
                Storage::Local(local) if self.bindings.iter().all(|(it, _)| *it != local) => {
                    let value = self.moment.interpreter.local(local);
                    format!("{} = {value}", model.locals[local].name)
                }
                _ => continue,
            };
            if !found.contains(&read) {
                found.push(read);
            }
        }
        found
    }

    fn note(&mut self, text: String, holds: bool, values: Vec<String>) {
        if self.parts.len() == MOST_PARTS {
            return;
        }
        let locals = &self.labels.model.locals;
        let bound = |&(local, value): &(LocalId, i32)| format!("{} = {value}", locals[local].name);
        let with: Vec<String> = self.bindings.iter().map(bound).collect();
        let with =
            if with.is_empty() { String::new() } else { format!(" with {}", with.join(", ")) };
        let part = Part { text, holds, with, values };
        if !self.parts.contains(&part) {
            self.parts.push(part);
        }
    }

    /// The source text.
    pub(crate) fn written(&self, span: Span) -> String {
        let text = self.sources.file(span.file).text();
        let text = text.get(span.start as usize..span.end as usize).unwrap_or_default();
        let entities =
            [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
        entities.iter().fold(text.to_owned(), |text, (entity, c)| text.replace(entity, c))
    }
}
