//! Lowering of queries, and of names of the form `process.member`.

use crate::codes;
use crate::lowering::Lowering;
use crate::operand::Operand;
use crate::scope::Entity;
use crate::value_type::Type;
use zonaut_base::Span;
use zonaut_model::{Expression, Extremum, Formula, ProcessId, Query, QueryKind, ScalarUseKind};
use zonaut_syntax::tree::{self, ExpressionKind, Name, Queries, WrittenExpression};

/// The reason why a query cannot be answered.
const FLOATING: &str = "floating point";

/// The expressions whose values a query asks for, as written.
fn value_texts(query: &tree::Query) -> Vec<String> {
    match query {
        tree::Query::Supremum(_, list)
        | tree::Query::Infimum(_, list)
        | tree::Query::Bounds(_, list)
        | tree::Query::Statistical(tree::StatisticalQuery::Simulation { values: list, .. }) => {
            list.iter().map(|value| value.text.clone()).collect()
        }
        tree::Query::Statistical(tree::StatisticalQuery::Expectation { value, .. }) => {
            vec![value.text.clone()]
        }
        _ => Vec::new(),
    }
}

impl<'a> Lowering<'a> {
    /// Lowers all queries of a file.
    pub(crate) fn queries(&mut self, queries: &'a Queries) {
        let source = std::mem::replace(&mut self.source, &queries.expressions);
        self.in_query = true;
        self.scope.sees_system = true;
        for entry in queries.entries.iter().filter(|entry| !entry.is_heading()) {
            let kind =
                entry.query.as_ref().and_then(|written| self.lowered_query(written, entry.span));
            let kind = kind.unwrap_or(QueryKind::Damaged);
            let (index, text) = (entry.index, entry.text.clone());
            self.model.queries.push(Query { index, text, kind });
            self.origin.queries.push(entry.span);
            self.origin.values.push(entry.query.as_deref().map_or_else(Vec::new, value_texts));
        }
        self.in_query = false;
        self.source = source;
    }

    /// The kind of the query at `span`; `None` if it has an error. An error in a query is not an
    /// error of the model, unless it reveals one in a declaration.
    fn lowered_query(&mut self, written: &'a tree::Query, span: Span) -> Option<QueryKind> {
        let before = std::mem::take(&mut self.diagnostics);
        let had_errors = self.has_earlier_errors;
        self.has_earlier_errors |= before.has_errors();
        let kind = self.without_effects(span, "a query", |this| {
            this.warning_about_meta(span, "a query", |this| this.query_kind(written))
        });
        if kind.is_none() {
            self.record_loss(span);
        }
        self.has_earlier_errors = had_errors;
        let found = std::mem::replace(&mut self.diagnostics, before);
        let kind = kind.filter(|_| !found.has_errors());
        for diagnostic in found {
            let own = span.contains(diagnostic.span());
            if own { &mut self.query_diagnostics } else { &mut self.diagnostics }
                .report(diagnostic);
        }
        kind
    }

    fn query_kind(&mut self, written: &'a tree::Query) -> Option<QueryKind> {
        let kind = match written {
            tree::Query::Possibly(p) => self.formula(*p)?.map(QueryKind::Possibly),
            tree::Query::Always(p) => self.formula(*p)?.map(QueryKind::Always),
            tree::Query::PossiblyAlways(p) => self.formula(*p)?.map(QueryKind::PossiblyAlways),
            tree::Query::Eventually(p) => self.formula(*p)?.map(QueryKind::Eventually),
            tree::Query::LeadsTo(p, q) => {
                let (p, q) = (self.formula(*p), self.formula(*q));
                p?.zip(q?).map(|(p, q)| QueryKind::LeadsTo(p, q))
            }
            tree::Query::Supremum(p, list) => {
                self.extrema(*p, list)?.map(|(p, list)| QueryKind::Supremum(p, list))
            }
            tree::Query::Infimum(p, list) => {
                self.extrema(*p, list)?.map(|(p, list)| QueryKind::Infimum(p, list))
            }
            tree::Query::Bounds(p, list) => {
                self.extrema(*p, list)?.map(|(p, list)| QueryKind::Bounds(p, list))
            }
            tree::Query::Statistical(query) => {
                Some(QueryKind::Statistical(Box::new(self.statistical_query(query)?)))
            }
            tree::Query::Unsupported(name) => Some(QueryKind::Unsupported((*name).to_owned())),
        };
        Some(kind.unwrap_or_else(|| QueryKind::Unsupported(FLOATING.to_owned())))
    }

    /// A state formula; `Some(None)` if it depends on floating point.
    pub(crate) fn formula(&mut self, id: tree::ExpressionId) -> Option<Option<Formula>> {
        let span = self.span_of(id);
        let operand = self.operand(id);
        let truth = self.truth(operand, span)?;
        Some(Some(self.formula_of(truth)))
    }

    fn extrema(
        &mut self,
        condition: Option<tree::ExpressionId>,
        list: &[WrittenExpression],
    ) -> Option<Option<(Formula, Vec<Extremum>)>> {
        let condition = match condition {
            None => Some(Some(Formula::truth())),
            Some(condition) => self.formula(condition),
        };
        let extrema: Vec<Option<Option<Extremum>>> =
            list.iter().map(|written| self.extremum(written.id)).collect();
        let extrema: Option<Vec<Option<Extremum>>> = extrema.into_iter().collect();
        let extrema: Option<Vec<Extremum>> = extrema?.into_iter().collect();
        Some(condition?.zip(extrema))
    }

    fn extremum(&mut self, id: tree::ExpressionId) -> Option<Option<Extremum>> {
        let span = self.span_of(id);
        match self.operand(id) {
            operand if operand.is_real() => Some(None),
            Operand::Clock(place, Type::Clock) => Some(Some(Extremum::Clock(place))),
            Operand::Cost => Some(Some(Extremum::Cost)),
            Operand::Linear(_) | Operand::Truth(_) => {
                let message = "a combination of clocks has no extreme values here";
                let help = "ask for a single clock, or by `E<>` whether it exceeds a number";
                self.error(codes::EXTREMUM, span, message, help);
                None
            }
            operand => {
                let code = self.number_operand(operand, span)?;
                Some(Some(Extremum::Integer(self.expression_of(code, span))))
            }
        }
    }

    /// The process with a name without arguments.
    pub(crate) fn single_process(&mut self, name: &str, span: Span) -> Operand {
        let Some(set) = self.process_sets.get(name) else {
            let message = format!("no process is called `{name}`");
            let help = "only processes on the `system` line can be asked about";
            self.error(codes::UNKNOWN_PROCESS, span, message, help);
            return Operand::Damaged;
        };
        if set.parameters.is_empty()
            && let Some(&process) = set.members.get(&[][..])
        {
            return Operand::Process(process);
        }
        if set.is_damaged {
            return Operand::Damaged;
        }
        let message = format!("`{name}` is a set of processes");
        let help = format!("choose one by its parameters, as in `{name}(0)`");
        self.error(codes::UNKNOWN_PROCESS, span, message, help);
        Operand::Damaged
    }

    /// A process of a set, such as `Train(3)`.
    pub(crate) fn process_of_set(
        &mut self,
        name: &str,
        arguments: &'a [tree::ExpressionId],
        span: Span,
    ) -> Operand {
        let values: Option<Vec<(i32, Type)>> =
            arguments.iter().map(|argument| self.constant_scalar(*argument)).collect();
        let Some(values) = values else { return Operand::Damaged };
        let (values, types): (Vec<i32>, Vec<Type>) = values.into_iter().unzip();
        let Some(set) = self.process_sets.get(name) else {
            return self.single_process(name, span);
        };
        if let Some(&process) = set.members.get(&values) {
            let parameters = set.parameters.clone();
            // Only names bound to all elements have the type of the scalar set; a constant names
            // one element.
            for (wanted, found) in parameters.into_iter().zip(types) {
                if let Some(wanted) = wanted
                    && !matches!(found, Type::Scalar(set, _) if set == wanted)
                {
                    let query = self.model.queries.next_id();
                    self.note_use(wanted, ScalarUseKind::Query(query));
                }
            }
            return Operand::Process(process);
        }
        if set.is_damaged {
            return Operand::Damaged;
        }
        let list: Vec<String> = values.iter().map(ToString::to_string).collect();
        let message = format!("unknown process `{name}({})`", list.join(","));
        let count = |number: usize, one: &str, many: &str| match number {
            1 => format!("1 {one}"),
            _ => format!("{number} {many}"),
        };
        let parameters = count(set.parameters.len(), "parameter", "parameters");
        let processes = count(set.members.len(), "process", "processes");
        let help = format!("`{name}` has {parameters} and {processes}");
        self.error(codes::UNKNOWN_PROCESS, span, message, help);
        Operand::Damaged
    }

    /// The entity of a name inside a process; reports an unknown one.
    pub(crate) fn member_entity(&mut self, process: ProcessId, member: &Name) -> Option<Entity> {
        let instance = self.process_instances[process];
        if let Some(symbol) = self.scope.find_member(instance, &member.text) {
            let (entity, defined) = (symbol.entity.clone(), symbol.span);
            self.record_use_of(defined, member.span);
            return Some(entity);
        }
        let name = &self.model.processes[process].name;
        let message = format!("`{name}` has no `{}`", member.text);
        let help = match self.scope.similar_member(instance, &member.text) {
            Some(similar) => format!("did you mean `{similar}`?"),
            None => "name a location, a variable, a clock or a function of the template".to_owned(),
        };
        self.error(codes::UNKNOWN_MEMBER, member.span, message, help);
        None
    }

    /// `process.member`.
    pub(crate) fn process_member(
        &mut self,
        process: ProcessId,
        member: &Name,
        span: Span,
    ) -> Operand {
        match self.member_entity(process, member) {
            None => Operand::Damaged,
            Some(Entity::Location(location)) => {
                let at = self.push(Expression::At(process, location), span);
                Operand::Value(crate::operand::Code::Run(at), Type::Boolean)
            }
            Some(entity) => self.entity_operand(&member.text, entity, span),
        }
    }

    /// Whether `process.member` is a clock, without reporting anything.
    pub(crate) fn is_clock_member(&self, process: tree::ExpressionId, member: &Name) -> bool {
        if !self.in_query {
            return false;
        }
        let ExpressionKind::Name(name) = &self.source[process].kind else { return false };
        let Some(set) = self.process_sets.get(name) else { return false };
        let Some(&process) = set.members.get(&[][..]) else { return false };
        let symbol = self.scope.find_member(self.process_instances[process], &member.text);
        matches!(symbol.map(|symbol| &symbol.entity), Some(Entity::Clock(..)))
    }
}
