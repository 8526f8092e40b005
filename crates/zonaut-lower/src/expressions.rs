//! Lowering of expressions: syntax trees to operands.

use crate::codes;
use crate::lowering::Lowering;
use crate::operand::{Code, DataPlace, Operand, RealCode, RealPlace, Truth};
use crate::scope::{Access, Entity};
use crate::value_type::Type;
use std::collections::HashMap;
use std::sync::Arc;
use zonaut_base::{Diagnostic, Span};
use zonaut_model::statistical::RealExpression;
use zonaut_model::{Expression, ExpressionId};
use zonaut_syntax::tree::{self, ExpressionKind};

/// Work units charged for each operand: name lookup and type comparison.
const STEPS_PER_OPERAND: u32 = 8;

impl<'a> Lowering<'a> {
    /// The span of an expression of the tree.
    pub(crate) fn span_of(&self, id: tree::ExpressionId) -> Span {
        self.source[id].span
    }

    /// Lowers an expression. Recursion follows nesting, which the parser limits, but not chains
    /// of infix operators.
    pub(crate) fn operand(&mut self, id: tree::ExpressionId) -> Operand {
        let source = self.source;
        let tree::Expression { kind, span } = &source[id];
        let span = *span;
        if self.meter.spend(STEPS_PER_OPERAND).is_err() {
            return Operand::Damaged;
        }
        match kind {
            ExpressionKind::Integer(value) => match i32::try_from(*value) {
                Ok(value) => Operand::constant(value, Type::NUMBER),
                Err(_) => {
                    let message = format!("the number {value} does not fit 32 bits");
                    self.error(codes::CONSTANT_RANGE, span, message, "use a smaller number");
                    Operand::Damaged
                }
            },
            ExpressionKind::Boolean(value) => Operand::constant(i32::from(*value), Type::Boolean),
            ExpressionKind::Float(text) => self.float(text, span),
            ExpressionKind::Text(text) => Operand::Text(text.clone()),
            ExpressionKind::Spawn(template, arguments) => self.spawn(template, arguments, span),
            ExpressionKind::Name(name) => self.name(name, span),
            ExpressionKind::Deadlock => self.deadlock(span),
            ExpressionKind::Unary(operator, inner) => self.unary(*operator, *inner, span),
            ExpressionKind::Binary(..) => self.chain(id),
            ExpressionKind::Conditional(condition, yes, no) => {
                self.conditional([*condition, *yes, *no], span)
            }
            ExpressionKind::Assignment(operator, left, right) => {
                self.assignment(*operator, *left, *right, span)
            }
            ExpressionKind::Step(operator, inner) => self.step(*operator, *inner, span),
            ExpressionKind::Index(array, index) => self.index(*array, *index, span),
            ExpressionKind::Field(value, field) => self.field(*value, field, span),
            ExpressionKind::Rate(clock) => self.rate(*clock, span),
            ExpressionKind::Call(callee, arguments) => self.call(*callee, arguments, span),
            ExpressionKind::Quantifier(kind, binder, body) => {
                self.quantifier(*kind, binder, *body, span)
            }
            ExpressionKind::Sequence(parts) => self.sequence(parts, span),
            ExpressionKind::Damaged => Operand::Damaged,
        }
    }

    /// A floating-point literal.
    fn float(&mut self, text: &str, span: Span) -> Operand {
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Operand::Real(RealCode::Constant(value)),
            _ => {
                let message = "this number is too large for floating point";
                self.error(codes::CONSTANT_RANGE, span, message, "use a smaller number");
                Operand::Damaged
            }
        }
    }

    fn name(&mut self, name: &str, span: Span) -> Operand {
        self.record_use(name, span);
        let Some((symbol, _)) = self.scope.find(name) else { return self.unknown(name, span) };
        let entity = symbol.entity.clone();
        self.entity_operand(name, entity, span)
    }

    pub(crate) fn entity_operand(&mut self, name: &str, entity: Entity, span: Span) -> Operand {
        match entity {
            Entity::Constant(value, ty) => Operand::constant(value, ty),
            Entity::Data(place, ty, access) => {
                Operand::Data(DataPlace { place, ty, access, prelude: Vec::new() })
            }
            Entity::Clock(place, ty) => {
                self.effects.reads = true;
                Operand::Clock(place, ty)
            }
            Entity::Channel(place, ty) => Operand::Channel(place, ty),
            Entity::RealConstant(value) => Operand::Real(RealCode::Constant(value)),
            Entity::Real(place, ty, access) => {
                Operand::RealData(RealPlace { place, ty, access, prelude: Vec::new() })
            }
            Entity::Text(text) => Operand::Text(text),
            Entity::Cost => Operand::Cost,
            Entity::Damaged => Operand::Damaged,
            Entity::Template(_) if self.in_query => self.single_process(name, span),
            Entity::Location(_) => {
                let message = format!("the location `{name}` is not a value");
                let help = "a template cannot test its own location; keep the information in a \
                            variable";
                self.error(codes::LOCATION_AS_VALUE, span, message, help);
                Operand::Damaged
            }
            Entity::Type(_) | Entity::Function(_) | Entity::External(_) | Entity::Template(_) => {
                let message = format!("`{name}` is {}, not a value", entity.describe());
                let help = match entity {
                    Entity::Function(_) | Entity::External(_) => {
                        "call it: write parentheses after its name"
                    }
                    _ => "use the name of a variable, a constant, a clock or a channel",
                };
                self.error(codes::WRONG_KIND_OF_NAME, span, message, help);
                Operand::Damaged
            }
        }
    }

    /// Reports an unknown name.
    fn unknown(&mut self, name: &str, span: Span) -> Operand {
        if name == "cost" && (self.is_priced || !self.in_query) {
            return Operand::Cost;
        }
        if let Some(declared) = self.later_declaration(name) {
            let message = format!("`{name}` is used before its declaration");
            let help =
                "declare it earlier; functions cannot call themselves, not even through others";
            let diagnostic = Diagnostic::error(codes::USED_BEFORE_DECLARATION, span, message)
                .with_label(declared, "declared here")
                .with_help(help);
            self.report(diagnostic);
            return Operand::Damaged;
        }
        let shown: String = name.chars().take(80).collect();
        let message = format!("unknown name `{shown}`");
        let help = match self.scope.similar_value(name) {
            Some(similar) => format!("did you mean `{similar}`?"),
            None => "declare it first".to_owned(),
        };
        self.error(codes::UNKNOWN_NAME, span, message, help);
        Operand::Damaged
    }

    /// The declaration of a global name that is not visible yet.
    fn later_declaration(&mut self, name: &str) -> Option<Span> {
        if let Some(symbol) = self.scope.find_hidden(name) {
            return symbol.span;
        }
        let document = self.document;
        let declared = self.global_declarations.get_or_insert_with(|| global_names(document));
        declared.get(name).copied()
    }

    fn deadlock(&mut self, span: Span) -> Operand {
        if self.in_query {
            return Operand::Truth(Truth::Deadlock(span));
        }
        let help = "ask for deadlocks in a query";
        self.error(codes::DEADLOCK_HERE, span, "`deadlock` is only allowed in queries", help);
        Operand::Damaged
    }

    fn rate(&mut self, clock: tree::ExpressionId, span: Span) -> Operand {
        match self.operand(clock) {
            Operand::Clock(place, Type::Clock) => Operand::ClockRate(place),
            Operand::RealData(data) if data.ty == Type::HybridClock => {
                Operand::HybridRate(data.place)
            }
            Operand::Cost => Operand::CostRate,
            Operand::Damaged => Operand::Damaged,
            other => {
                let message = format!("{} has no rate", other.describe());
                self.error(codes::WRONG_TYPE, span, message, "only clocks have rates");
                Operand::Damaged
            }
        }
    }

    fn sequence(&mut self, parts: &[tree::ExpressionId], span: Span) -> Operand {
        let Some((last, before)) = parts.split_last() else { return Operand::Damaged };
        let mut ids: Vec<ExpressionId> =
            before.iter().filter_map(|part| self.effect(*part)).collect();
        if ids.is_empty() {
            return self.operand(*last);
        }
        match self.operand(*last) {
            Operand::Effect(id) => {
                ids.push(id);
                Operand::Effect(self.push(Expression::Sequence(ids), span))
            }
            Operand::Damaged => Operand::Damaged,
            operand if operand.is_real() => {
                let Some(code) = self.real_operand(operand, span) else {
                    return Operand::Damaged;
                };
                let last = self.real_of(code);
                let real = self.push_real(RealExpression::After(ids, last));
                Operand::Real(RealCode::Run(real))
            }
            Operand::Data(mut data) if data.ty.is_aggregate() => {
                ids.append(&mut data.prelude);
                Operand::Data(DataPlace { prelude: ids, access: Access::Constant, ..data })
            }
            other => {
                let Some((code, ty)) = self.scalar_operand(other, self.span_of(*last)) else {
                    return Operand::Damaged;
                };
                ids.push(self.expression_of(code, span));
                Operand::Value(Code::Run(self.push(Expression::Sequence(ids), span)), ty)
            }
        }
    }
}

/// The positions of the global declarations of a document; the first declaration of a name counts.
fn global_names(document: &tree::Document) -> HashMap<Arc<str>, Span> {
    let mut names = HashMap::new();
    let mut add = |name: &tree::Name| {
        names.entry(Arc::clone(&name.text)).or_insert(name.span);
    };
    for declaration in &document.declarations {
        match &declaration.kind {
            tree::DeclarationKind::Function(function) => add(&function.name),
            tree::DeclarationKind::Variables(_, declarators)
            | tree::DeclarationKind::Typedef(_, declarators) => {
                declarators.iter().for_each(|declarator| add(&declarator.name));
            }
            _ => {}
        }
    }
    names
}

/// Calls `visit` with the children of an expression of the tree.
pub(crate) fn for_each_child(kind: &ExpressionKind, mut visit: impl FnMut(tree::ExpressionId)) {
    match kind {
        ExpressionKind::Integer(_)
        | ExpressionKind::Float(_)
        | ExpressionKind::Boolean(_)
        | ExpressionKind::Text(_)
        | ExpressionKind::Name(_)
        | ExpressionKind::Deadlock
        | ExpressionKind::Damaged => {}
        ExpressionKind::Unary(_, inner)
        | ExpressionKind::Step(_, inner)
        | ExpressionKind::Field(inner, _)
        | ExpressionKind::Rate(inner)
        | ExpressionKind::Quantifier(_, _, inner) => visit(*inner),
        ExpressionKind::Binary(_, left, right)
        | ExpressionKind::Assignment(_, left, right)
        | ExpressionKind::Index(left, right) => {
            visit(*left);
            visit(*right);
        }
        ExpressionKind::Conditional(condition, yes, no) => {
            visit(*condition);
            visit(*yes);
            visit(*no);
        }
        ExpressionKind::Call(callee, arguments) => {
            visit(*callee);
            arguments.iter().copied().for_each(visit);
        }
        ExpressionKind::Sequence(parts) | ExpressionKind::Spawn(_, parts) => {
            parts.iter().copied().for_each(visit);
        }
    }
}
