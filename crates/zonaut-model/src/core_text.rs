//! The `core` text: a flattened network with at most one query, for programs that share no code
//! with this one.
//!
//! Certificates are checked against this text, and its construction from the model is trusted. The
//! writer therefore only prints: it simplifies, reorders and omits nothing. `docs/CERTIFICATES.md`
//! describes the format. Equal models have equal texts.

mod code;

use crate::{
    ClockConstraint, ClockId, Condition, Direction, Edge, ExpressionId, Extremum, Formula,
    Function, Location, LocationKind, Model, Place, Process, QueryKind, Rate, Relation,
};
use code::Code;
use std::fmt::{self, Write};
use zonaut_base::Id;

/// The measure of a run that an optimisation query minimises.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// Prices, and time weighted by the sum of the processes' cost rates.
    Sum,
    /// Prices, and time weighted by the least of the processes' cost rates.
    Least,
    /// Prices, and time weighted by the greatest of the processes' cost rates.
    Greatest,
    /// Elapsed time; prices and cost rates are ignored.
    Time,
}

/// The text of `model` with at most one query.
#[must_use]
pub fn write(model: &Model, query: Option<&QueryKind>) -> String {
    written(model, query, None)
}

/// The text of `model` with a query for the least cost, by `measure`, of reaching its formula.
#[must_use]
pub fn write_measured(model: &Model, query: &QueryKind, measure: Measure) -> String {
    written(model, Some(query), Some(measure))
}

fn written(model: &Model, query: Option<&QueryKind>, measure: Option<Measure>) -> String {
    let mut writer = Writer { model, text: String::new() };
    // Writing to a string does not fail.
    let _ = writer.network(query, measure);
    writer.text
}

struct Writer<'m> {
    model: &'m Model,
    text: String,
}

impl Writer<'_> {
    fn network(&mut self, query: Option<&QueryKind>, measure: Option<Measure>) -> fmt::Result {
        writeln!(self.text, "core {}", if measure.is_some() { 2 } else { 1 })?;
        self.storage()?;
        for function in &self.model.functions {
            self.function(function)?;
        }
        for &update in &self.model.before_update {
            self.line("before", update)?;
        }
        for &update in &self.model.after_update {
            self.line("after", update)?;
        }
        for process in &self.model.processes {
            self.process(process)?;
        }
        self.query(query)?;
        let measure = measure.map(|measure| match measure {
            Measure::Sum => "sum",
            Measure::Least => "least",
            Measure::Greatest => "greatest",
            Measure::Time => "time",
        });
        measure.map_or(Ok(()), |measure| writeln!(self.text, "measure {measure}"))?;
        writeln!(self.text, "end")
    }

    fn storage(&mut self) -> fmt::Result {
        for cell in &self.model.cells {
            let kind = if cell.meta { "meta" } else { "state" };
            let (name, range) = (escaped(&cell.name), cell.range);
            writeln!(
                self.text,
                "cell {name} {} {} {} {kind}",
                range.low, range.high, cell.initial
            )?;
        }
        for local in &self.model.locals {
            writeln!(self.text, "local {} {}", local.range.low, local.range.high)?;
        }
        for constant in &self.model.constants {
            writeln!(self.text, "constant {constant}")?;
        }
        for clock in &self.model.clocks {
            writeln!(self.text, "clock {} {}", escaped(&clock.name), clock.initial)?;
        }
        for channel in &self.model.channels {
            let reach = if channel.broadcast { "broadcast" } else { "binary" };
            let hurry = if channel.urgent { "urgent" } else { "patient" };
            let (name, priority) = (escaped(&channel.name), channel.priority);
            writeln!(self.text, "channel {name} {reach} {hurry} {priority}")?;
        }
        writeln!(self.text, "default-priority {}", self.model.default_priority)
    }

    fn function(&mut self, function: &Function) -> fmt::Result {
        writeln!(self.text, "function {}", escaped(&function.name))?;
        for parameter in &function.parameters {
            writeln!(self.text, "parameter {} {}", parameter.first.index(), parameter.length)?;
        }
        let mut code = Code::new(self.model);
        code.body(function);
        writeln!(self.text, "body {}", code.finish())
    }

    fn process(&mut self, process: &Process) -> fmt::Result {
        let (name, initial) = (escaped(&process.name), process.initial.index());
        writeln!(self.text, "process {name} {} {initial}", process.priority)?;
        for location in &process.locations {
            self.location(location)?;
        }
        for edge in &process.edges {
            self.edge(edge)?;
        }
        Ok(())
    }

    fn location(&mut self, location: &Location) -> fmt::Result {
        let kind = match location.kind {
            LocationKind::Ordinary => "ordinary",
            LocationKind::Urgent => "urgent",
            LocationKind::Committed => "committed",
        };
        writeln!(self.text, "location {} {kind}", escaped(&location.name))?;
        self.condition("invariant", &location.invariant)?;
        for rate in &location.rates {
            self.rate(rate)?;
        }
        match location.cost_rate {
            Some(rate) => self.line("cost-rate", rate),
            None => Ok(()),
        }
    }

    fn rate(&mut self, rate: &Rate) -> fmt::Result {
        let condition = self.optional(rate.condition);
        let (clock, rate) = (self.clock(&rate.clock), self.code(rate.rate));
        writeln!(self.text, "rate {condition} ; {clock} ; {rate}")
    }

    fn edge(&mut self, edge: &Edge) -> fmt::Result {
        writeln!(self.text, "edge {} {}", edge.source.index(), edge.target.index())?;
        for select in &edge.select {
            let binder = select.binder.index();
            writeln!(self.text, "select {binder} {} {}", select.low, select.high)?;
        }
        self.condition("guard", &edge.guard)?;
        if let Some(synchronisation) = &edge.synchronisation {
            let direction = match synchronisation.direction {
                Direction::Send => "send",
                Direction::Receive => "receive",
            };
            let place = &synchronisation.channel;
            let mut code = Code::new(self.model);
            code.displacement(&place.indices);
            writeln!(self.text, "{direction} {} {}", place.root.index(), code.finish())?;
        }
        for &update in &edge.updates {
            self.line("update", update)?;
        }
        Ok(())
    }

    fn condition(&mut self, keyword: &str, condition: &Condition) -> fmt::Result {
        if let Some(data) = condition.data {
            self.line(keyword, data)?;
        }
        for constraint in &condition.clocks {
            let constraint = self.constraint(constraint);
            writeln!(self.text, "{keyword}-clock {constraint}")?;
        }
        Ok(())
    }

    fn constraint(&self, constraint: &ClockConstraint) -> String {
        let relation = match constraint.relation {
            Relation::Less => "<",
            Relation::LessEqual => "<=",
            Relation::Equal => "==",
            Relation::GreaterEqual => ">=",
            Relation::Greater => ">",
        };
        let condition = self.optional(constraint.condition);
        let left = self.clock(&constraint.left);
        let right = constraint.right.as_ref().map_or("-".to_owned(), |right| self.clock(right));
        format!("{relation} ; {condition} ; {left} ; {right} ; {}", self.code(constraint.bound))
    }

    /// A clock: its number, counted from 1, and the displacement from it.
    fn clock(&self, place: &Place<ClockId>) -> String {
        let mut code = Code::new(self.model);
        code.displacement(&place.indices);
        format!("{} {}", place.root.index() + 1, code.finish())
    }

    fn optional(&self, condition: Option<ExpressionId>) -> String {
        condition.map_or("1".to_owned(), |condition| self.code(condition))
    }

    fn code(&self, expression: ExpressionId) -> String {
        let mut code = Code::new(self.model);
        code.expression(expression);
        code.finish()
    }

    fn line(&mut self, keyword: &str, expression: ExpressionId) -> fmt::Result {
        let code = self.code(expression);
        writeln!(self.text, "{keyword} {code}")
    }

    fn query(&mut self, query: Option<&QueryKind>) -> fmt::Result {
        let (kind, formulas): (_, Vec<&Formula>) = match query {
            None => ("none", Vec::new()),
            Some(QueryKind::Possibly(p)) => ("possibly", vec![p]),
            Some(QueryKind::Always(p)) => ("always", vec![p]),
            Some(QueryKind::PossiblyAlways(p)) => ("possibly-always", vec![p]),
            Some(QueryKind::Eventually(p)) => ("eventually", vec![p]),
            Some(QueryKind::LeadsTo(p, q)) => ("leads-to", vec![p, q]),
            Some(QueryKind::Supremum(p, _)) => ("supremum", vec![p]),
            Some(QueryKind::Infimum(p, _)) => ("infimum", vec![p]),
            Some(QueryKind::Bounds(p, _)) => ("bounds", vec![p]),
            Some(QueryKind::Statistical(_) | QueryKind::Unsupported(_) | QueryKind::Damaged) => {
                ("unsupported", Vec::new())
            }
        };
        writeln!(self.text, "query {kind}")?;
        formulas.into_iter().try_for_each(|formula| self.formula(formula))?;
        match query {
            Some(
                QueryKind::Supremum(_, subjects)
                | QueryKind::Infimum(_, subjects)
                | QueryKind::Bounds(_, subjects),
            ) => subjects.iter().try_for_each(|subject| self.subject(subject)),
            _ => Ok(()),
        }
    }

    /// The line of an expression whose extreme values the query asks for.
    fn subject(&mut self, subject: &Extremum) -> fmt::Result {
        match subject {
            Extremum::Integer(expression) => self.line("value", *expression),
            Extremum::Clock(place) => {
                let clock = self.clock(place);
                writeln!(self.text, "value-clock {clock}")
            }
            Extremum::Cost => writeln!(self.text, "value-cost"),
        }
    }

    /// A formula in postfix order, one part per line.
    fn formula(&mut self, formula: &Formula) -> fmt::Result {
        match formula {
            Formula::Data(data) => self.line("formula", *data),
            Formula::Clock(constraint) => {
                let constraint = self.constraint(constraint);
                writeln!(self.text, "formula-clock {constraint}")
            }
            Formula::Deadlock => writeln!(self.text, "formula-deadlock"),
            Formula::Not(inner) => {
                self.formula(inner)?;
                writeln!(self.text, "formula-not")
            }
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().try_for_each(|part| self.formula(part))?;
                let keyword = if matches!(formula, Formula::And(_)) { "and" } else { "or" };
                writeln!(self.text, "formula-{keyword} {}", parts.len())
            }
        }
    }
}

/// `text` as one word: the percent sign and everything but printable ASCII is written in
/// hexadecimal.
#[must_use]
pub fn escaped(text: &str) -> String {
    if text.is_empty() {
        return "%".to_owned();
    }
    let mut word = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_graphic() && byte != b'%' {
            word.push(char::from(byte));
        } else {
            let _ = write!(word, "%{byte:02x}");
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BinaryOperator, Expression};

    #[test]
    fn names_are_escaped_to_single_words() {
        assert_eq!(escaped("Train(2).x[0]"), "Train(2).x[0]");
        assert_eq!(escaped("a b%é\n"), "a%20b%25%c3%a9%0a");
        assert_eq!(escaped(""), "%");
    }

    #[test]
    fn the_text_of_an_empty_model_has_a_header_and_an_end() {
        let text = write(&Model::default(), None);
        assert_eq!(text, "core 1\ndefault-priority 0\nquery none\nend\n");
    }

    #[test]
    fn a_chain_of_a_million_terms_is_written_in_order() {
        let mut model = Model::default();
        let mut sum = model.expressions.push(Expression::Constant(0));
        for _ in 0..1_000_000 {
            let one = model.expressions.push(Expression::Constant(1));
            sum = model.expressions.push(Expression::Binary(BinaryOperator::Subtract, sum, one));
        }
        let text = write(&model, Some(&QueryKind::Possibly(Formula::Data(sum))));
        assert!(text.contains("\nformula 0 1 - 1 - 1 - 1 -"));
        assert_eq!(text.matches(" 1 -").count(), 1_000_000);
    }
}
