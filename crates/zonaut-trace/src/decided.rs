//! Why a run decides a query: the parts of its formula that the last state makes true or false.

use crate::labels::Labels;
use crate::trace::{Rational, Trace, TraceState};
use std::ops::ControlFlow;
use zonaut_base::{Id, SourceMap, Span};
use zonaut_model::interpret::Interpreter;
use zonaut_model::{
    BinaryOperator, ClockConstraint, ClockId, Expression, ExpressionId, Formula, LocalId, Model,
    Place, QuantifierKind, QueryId, QueryKind, Relation, Storage, UnaryOperator,
};

/// How many parts are listed, and how deep formulas are looked into.
const MOST_PARTS: usize = 12;
const DEEPEST: usize = 100;
/// The steps of each evaluation.
const BUDGET: u64 = 1_000_000;

/// The parts of the formula of `query` that decide it in the last state of `trace`, each with
/// whether it holds and with the values of quantified variables: `holds: P(1).done` or
/// `fails: a[i] > 0 with i = 2`. Nothing for queries that no single state decides.
#[must_use]
pub fn decided_parts(
    labels: Labels<'_>,
    sources: &SourceMap,
    query: QueryId,
    trace: &Trace,
) -> Vec<String> {
    let formula = match &labels.model.queries[query].kind {
        QueryKind::Possibly(formula) | QueryKind::Always(formula) if !trace.fails => formula,
        _ => return Vec::new(),
    };
    let Some(mut judge) = Judge::new(labels, sources, trace) else { return Vec::new() };
    if let Some(value) = judge.holds(formula) {
        // What cannot be evaluated is left out: this only explains what is known already.
        let _ = judge.explain(formula, value, 0);
    }
    judge.parts
}

/// The last state of a run, and what was found out about it.
struct Judge<'s> {
    labels: Labels<'s>,
    sources: &'s SourceMap,
    interpreter: Interpreter<'s>,
    clocks: Vec<Rational>,
    /// The quantified variables around the current part, with their names.
    bindings: Vec<(LocalId, i32)>,
    parts: Vec<String>,
}

impl<'s> Judge<'s> {
    fn new(labels: Labels<'s>, sources: &'s SourceMap, trace: &Trace) -> Option<Self> {
        let state = trace.steps.last().map_or(&trace.start, |step| &step.state);
        let model = labels.model;
        let mut interpreter = Interpreter::new(model, BUDGET);
        put(model, state, &mut interpreter)?;
        let clocks = trace.last_clocks.clone();
        let (bindings, parts) = (Vec::new(), Vec::new());
        Some(Self { labels, sources, interpreter, clocks, bindings, parts })
    }

    /// Whether a formula holds; nothing where it cannot be evaluated.
    fn holds(&mut self, formula: &Formula) -> Option<bool> {
        match formula {
            Formula::Data(id) => self.data_holds(*id),
            Formula::Clock(constraint) => self.constraint(constraint).map(|(holds, _)| holds),
            Formula::Deadlock => None,
            Formula::Not(inner) => self.holds(inner).map(|holds| !holds),
            Formula::And(parts) => self.search(parts, false).map(|found| found.is_none()),
            Formula::Or(parts) => self.search(parts, true).map(|found| found.is_some()),
        }
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
        self.interpreter.refill(BUDGET);
        self.interpreter.holds(id).ok()
    }

    /// Notes the parts that give `formula` this value; nothing more where one cannot be evaluated.
    fn explain(&mut self, formula: &Formula, value: bool, depth: usize) -> Option<()> {
        match formula {
            Formula::Data(id) => self.explain_data(*id, value, depth),
            Formula::Clock(constraint) => {
                let (_, text) = self.constraint(constraint)?;
                self.note(&text, value);
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
            // What quantified variables have decided is told by the parts beside it.
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
                    return self.explain_body((*binder, *low..=*high), *body, value, deeper);
                }
            }
            _ => {}
        }
        let named = self.named(id);
        let text = named.unwrap_or_else(|| self.written(self.labels.origin.expressions[id]));
        self.note(&text, value);
        Some(())
    }

    /// A simple part in the names of the model. Quantifiers over processes are written out before
    /// anything is asked, so that what the author wrote would not say which process it is about.
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
        (binder, values): (LocalId, std::ops::RangeInclusive<i32>),
        body: ExpressionId,
        value: bool,
        depth: usize,
    ) -> Option<()> {
        let before = self.interpreter.local(binder);
        let found = values.into_iter().try_for_each(|candidate| {
            self.interpreter.set_local(binder, candidate);
            match self.data_holds(body) {
                Some(holds) if holds != value => ControlFlow::Continue(()),
                decided => ControlFlow::Break(decided.map(|_| candidate)),
            }
        });
        let candidate = found.break_value().flatten()?;
        self.bindings.push((binder, candidate));
        let explained = self.explain_data(body, value, depth);
        self.bindings.pop();
        self.interpreter.set_local(binder, before);
        explained
    }

    /// Whether a constraint holds, and the constraint with its values.
    fn constraint(&mut self, constraint: &ClockConstraint) -> Option<(bool, String)> {
        if let Some(condition) = constraint.condition
            && !self.data_holds(condition)?
        {
            return Some((true, self.written(self.labels.origin.expressions[condition])));
        }
        let bound = self.interpreter.clock_bound(constraint.bound).ok()?;
        let (mut value, mut text) = self.clock(constraint.bound, &constraint.left)?;
        if let Some(right) = &constraint.right {
            let (other, name) = self.clock(constraint.bound, right)?;
            value = value + Rational::new(-other.numerator, other.denominator);
            text = format!("{text} - {name}");
        }
        let limit = i128::from(bound) * i128::from(value.denominator);
        let order = i128::from(value.numerator).cmp(&limit);
        let (holds, sign) = match constraint.relation {
            Relation::Less => (order.is_lt(), "<"),
            Relation::LessEqual => (order.is_le(), "<="),
            Relation::Equal => (order.is_eq(), "=="),
            Relation::GreaterEqual => (order.is_ge(), ">="),
            Relation::Greater => (order.is_gt(), ">"),
        };
        Some((holds, format!("{text} {sign} {bound}")))
    }

    /// The value and the name of a clock.
    fn clock(&mut self, at: ExpressionId, place: &Place<ClockId>) -> Option<(Rational, String)> {
        let clock = self.interpreter.element(at, &place.indices, place.root).ok()?;
        let value = *self.clocks.get(clock.index())?;
        Some((value, self.labels.model.clocks[clock].name.clone()))
    }

    fn note(&mut self, text: &str, value: bool) {
        if self.parts.len() == MOST_PARTS {
            return;
        }
        let locals = &self.labels.model.locals;
        let bound = |&(local, value): &(LocalId, i32)| format!("{} = {value}", locals[local].name);
        let with: Vec<String> = self.bindings.iter().map(bound).collect();
        let with =
            if with.is_empty() { String::new() } else { format!(" with {}", with.join(", ")) };
        let verb = if value { "holds" } else { "fails" };
        let part = format!("{verb}: {text}{with}");
        if !self.parts.contains(&part) {
            self.parts.push(part);
        }
    }

    /// What the author wrote.
    fn written(&self, span: Span) -> String {
        let text = self.sources.file(span.file).text();
        let text = text.get(span.start as usize..span.end as usize).unwrap_or_default();
        let entities =
            [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
        entities.iter().fold(text.to_owned(), |text, (entity, c)| text.replace(entity, c))
    }
}

/// Puts a state into an interpreter; nothing if it is none of the model.
fn put(model: &Model, state: &TraceState, interpreter: &mut Interpreter<'_>) -> Option<()> {
    let mut values = state.variables.iter();
    for (cell, declared) in model.cells.iter().enumerate() {
        if !declared.meta {
            interpreter.cells[cell] = values.next()?.1;
        }
    }
    let places = model.processes.iter().zip(&state.locations);
    let location = |(process, place): (&zonaut_model::Process, &String)| {
        let name = place.strip_prefix(process.name.as_str())?.strip_prefix('.')?;
        process.locations.iter_enumerated().find(|(_, it)| it.name == name).map(|(id, _)| id)
    };
    interpreter.locations = places.map(location).collect::<Option<_>>()?;
    Some(())
}
