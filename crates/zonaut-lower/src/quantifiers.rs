//! Lowering of `forall`, `exists` and `sum`: preserved over data, expanded over clocks and
//! processes.

use crate::codes;
use crate::expressions::for_each_child;
use crate::lowering::Lowering;
use crate::operand::{Code, Operand, RealCode, Truth};
use crate::scope::{Access, Entity, Level, ScopeNames};
use crate::value_type::Type;
use zonaut_base::Span;
use zonaut_model::statistical::RealExpression;
use zonaut_model::{
    BinaryOperator, Expression, Local, LocalId, Place, QuantifierKind as Kind, Storage,
};
use zonaut_syntax::tree::{self, Binder, ExpressionKind, QuantifierKind};

/// The domain of a bound variable; empty if `low > high`.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    pub(crate) low: i32,
    pub(crate) high: i32,
    pub(crate) ty: Type,
}

impl<'a> Lowering<'a> {
    pub(crate) fn quantifier(
        &mut self,
        kind: QuantifierKind,
        binder: &'a Binder,
        body: tree::ExpressionId,
        span: Span,
    ) -> Operand {
        let Some(values) = self.values_of(&binder.ty) else { return Operand::Damaged };
        self.scope.inner.push(ScopeNames::new());
        let is_written_out = self.needs_expansion(body);
        self.scope.inner.pop();
        let first = self.model.expressions.next_id();
        let operand = if is_written_out {
            self.expanded_quantifier(kind, binder, &values, body, span)
        } else {
            let (local, operand) = self.with_bound(binder, &values, |this| this.operand(body));
            let body_span = self.span_of(body);
            if operand.is_real() && kind == QuantifierKind::Sum {
                let Some(code) = self.real_operand(operand, body_span) else {
                    return Operand::Damaged;
                };
                let (binder, low, high) = (local, values.low, values.high);
                let body = self.real_of(code);
                let sum = RealExpression::Sum { binder, low, high, body };
                return Operand::Real(RealCode::Run(self.push_real(sum)));
            }
            let Some(code) = self.number_operand(operand, body_span) else {
                return Operand::Damaged;
            };
            self.data_quantifier(kind, local, &values, code, span)
        };
        self.note_quantifier(&values.ty, first);
        operand
    }

    /// Runs `work` with the bound variable in a new local.
    pub(crate) fn with_bound<T>(
        &mut self,
        binder: &Binder,
        values: &Values,
        work: impl FnOnce(&mut Self) -> T,
    ) -> (LocalId, T) {
        self.scope.inner.push(ScopeNames::new());
        let local = self.bind(binder, values);
        let result = work(self);
        self.scope.inner.pop();
        (local, result)
    }

    /// Binds a name to a new local in the innermost scope.
    pub(crate) fn bind(&mut self, binder: &Binder, values: &Values) -> LocalId {
        let range = zonaut_model::Range { low: values.low, high: values.high.max(values.low) };
        let local = self.model.locals.push(Local { name: binder.name.text.to_string(), range });
        let place = Place::fixed(Storage::Local(local));
        let entity = Entity::Data(place, values.ty.clone(), Access::Bound);
        self.declare(Level::Inner, &binder.name, entity);
        local
    }

    fn data_quantifier(
        &mut self,
        kind: QuantifierKind,
        binder: LocalId,
        values: &Values,
        body: Code,
        span: Span,
    ) -> Operand {
        let (kind, ty) = match kind {
            QuantifierKind::ForAll => (Kind::ForAll, Type::Boolean),
            QuantifierKind::Exists => (Kind::Exists, Type::Boolean),
            QuantifierKind::Sum => (Kind::Sum, Type::NUMBER),
        };
        if values.low > values.high {
            return Operand::constant(i32::from(kind == Kind::ForAll), ty);
        }
        if let (Code::Constant(value), Kind::ForAll | Kind::Exists) = (body, kind) {
            return Operand::constant(i32::from(value != 0), ty);
        }
        let body = self.expression_of(body, span);
        let Values { low, high, .. } = *values;
        let quantifier = Expression::Quantifier { kind, binder, low, high, body };
        Operand::Value(Code::Run(self.push(quantifier, span)), ty)
    }

    /// Whether the quantifier must be expanded, because its body compares clocks or indexes
    /// processes.
    fn needs_expansion(&self, body: tree::ExpressionId) -> bool {
        let mut open = vec![body];
        while let Some(id) = open.pop() {
            let kind = &self.source[id].kind;
            let found = match kind {
                ExpressionKind::Deadlock | ExpressionKind::Rate(_) => true,
                ExpressionKind::Name(name) => matches!(
                    self.scope.find(name).map(|(symbol, _)| &symbol.entity),
                    Some(Entity::Clock(..) | Entity::Cost)
                ),
                ExpressionKind::Field(process, member) => self.is_clock_member(*process, member),
                ExpressionKind::Call(callee, _) => {
                    matches!(&self.source[*callee].kind, ExpressionKind::Name(name)
                        if matches!(self.scope.find(name).map(|(symbol, _)| &symbol.entity),
                            Some(Entity::Template(_))))
                }
                _ => false,
            };
            if found {
                return true;
            }
            for_each_child(kind, |child| open.push(child));
        }
        false
    }

    fn expanded_quantifier(
        &mut self,
        kind: QuantifierKind,
        binder: &Binder,
        values: &Values,
        body: tree::ExpressionId,
        span: Span,
    ) -> Operand {
        if values.low > values.high && self.names.is_some() {
            self.visit_without_effect(binder, values, body);
        }
        let mut all: Option<Operand> = None;
        for value in values.low..=values.high {
            self.expansions += 1;
            if self.expansions > self.limits.expansions || self.is_too_large() {
                let limit = self.limits.expansions;
                let message =
                    format!("quantifiers over clocks or processes have more than {limit} cases");
                let help = "quantify over fewer values, or raise the limit";
                self.error(codes::EXPANSION_LIMIT, span, message, help);
                return Operand::Damaged;
            }
            self.scope.inner.push(ScopeNames::new());
            let entity = Entity::Constant(value, values.ty.clone());
            self.declare(Level::Inner, &binder.name, entity);
            let operand = self.operand(body);
            self.scope.inner.pop();
            all = Some(match all {
                None => self.first_case(kind, operand, span),
                Some(before) => self.next_case(kind, before, operand, span),
            });
            if matches!(all, Some(Operand::Damaged)) {
                break;
            }
        }
        all.unwrap_or_else(|| match kind {
            QuantifierKind::ForAll => Operand::constant(1, Type::Boolean),
            QuantifierKind::Exists => Operand::constant(0, Type::Boolean),
            QuantifierKind::Sum => Operand::constant(0, Type::NUMBER),
        })
    }

    /// Lowers the body of a quantifier over nothing for its names alone, and discards the result.
    fn visit_without_effect(&mut self, binder: &Binder, values: &Values, body: tree::ExpressionId) {
        let checkpoint = self.checkpoint();
        let before = std::mem::take(&mut self.diagnostics);
        let effects = self.effects;
        let has_placeholders = std::mem::replace(&mut self.has_placeholders, true);
        self.scope.inner.push(ScopeNames::new());
        let entity = Entity::Constant(values.low, values.ty.clone());
        self.declare(Level::Inner, &binder.name, entity);
        self.operand(body);
        self.scope.inner.pop();
        self.has_placeholders = has_placeholders;
        self.effects = effects;
        self.diagnostics = before;
        self.roll_back(&checkpoint);
    }

    fn first_case(&mut self, kind: QuantifierKind, case: Operand, span: Span) -> Operand {
        match (kind, case) {
            (_, Operand::Damaged) => Operand::Damaged,
            (QuantifierKind::Sum, case) if case.is_real_or_clock() => {
                self.real_operand(case, span).map_or(Operand::Damaged, Operand::Real)
            }
            (QuantifierKind::ForAll, Operand::Truth(truth)) => {
                Operand::Truth(Truth::And(vec![truth]))
            }
            (QuantifierKind::Exists, Operand::Truth(truth)) => {
                Operand::Truth(Truth::Or(vec![truth]))
            }
            (kind, case) => {
                let Some((code, ty)) = self.scalar_operand(case, span) else {
                    return Operand::Damaged;
                };
                match kind {
                    QuantifierKind::Sum => Operand::Value(code, Type::NUMBER),
                    _ => Operand::Value(self.normalised(code.of_type(&ty), span), Type::Boolean),
                }
            }
        }
    }

    fn next_case(
        &mut self,
        kind: QuantifierKind,
        before: Operand,
        case: Operand,
        span: Span,
    ) -> Operand {
        match (before, case) {
            (Operand::Damaged, _) | (_, Operand::Damaged) => Operand::Damaged,
            (before, case)
                if kind == QuantifierKind::Sum
                    && (before.is_real_or_clock() || case.is_real_or_clock()) =>
            {
                let before = self.real_operand(before, span);
                let case = self.real_operand(case, span);
                let (Some(before), Some(case)) = (before, case) else { return Operand::Damaged };
                Operand::Real(self.real_binary(BinaryOperator::Add, before, case))
            }
            (before, case)
                if kind != QuantifierKind::Sum
                    && (matches!(before, Operand::Truth(_))
                        || matches!(case, Operand::Truth(_))) =>
            {
                let (before, case) = (self.truth(before, span), self.truth(case, span));
                let (Some(before), Some(case)) = (before, case) else { return Operand::Damaged };
                Operand::Truth(match kind {
                    QuantifierKind::ForAll => before.and(case),
                    _ => before.or(case),
                })
            }
            (before, case) => {
                let before = self.scalar_operand(before, span);
                let case = self.scalar_operand(case, span);
                let (Some((before, _)), Some((case, ty))) = (before, case) else {
                    return Operand::Damaged;
                };
                match kind {
                    QuantifierKind::ForAll => {
                        let all = self.fold_and(before.boolean(), case.of_type(&ty), span);
                        Operand::Value(all, Type::Boolean)
                    }
                    QuantifierKind::Exists => {
                        let some = self.fold_or(before.boolean(), case.of_type(&ty), span);
                        Operand::Value(some, Type::Boolean)
                    }
                    QuantifierKind::Sum => {
                        let sum = self.fold_binary(BinaryOperator::Add, before, case, span);
                        Operand::Value(sum, Type::NUMBER)
                    }
                }
            }
        }
    }
}
