//! Expressions: from the tree to operands, and from operands to what a context asks for.

use crate::codes;
use crate::lowering::Lowering;
use crate::operand::{Code, DataPlace, Linear, Operand, Truth};
use crate::scope::{Access, Entity, Level};
use crate::value_type::Type;
use zonaut_base::{Diagnostic, Id, Span};
use zonaut_model::{Expression, ExpressionId, Place, PlaceIndex, Storage};
use zonaut_syntax::tree::{self, ExpressionKind};

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
            ExpressionKind::Float(_) | ExpressionKind::Text(_) => Operand::Floating,
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

    fn name(&mut self, name: &str, span: Span) -> Operand {
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
            Entity::Floating => Operand::Floating,
            Entity::Cost => Operand::Cost,
            Entity::Damaged => Operand::Damaged,
            Entity::Template(_) if self.in_query => self.single_process(name, span),
            Entity::Location(_) => {
                let message = format!("the location `{name}` is not a value");
                let help = "a template cannot ask where it is; keep the information in a variable";
                self.error(codes::LOCATION_AS_VALUE, span, message, help);
                Operand::Damaged
            }
            Entity::Type(_) | Entity::Function(_) | Entity::Template(_) => {
                let message = format!("`{name}` is {}, not a value", entity.describe());
                let help = match entity {
                    Entity::Function(_) => "call it: write parentheses after its name",
                    _ => "use the name of a variable, a constant, a clock or a channel",
                };
                self.error(codes::WRONG_KIND_OF_NAME, span, message, help);
                Operand::Damaged
            }
        }
    }

    /// Reports a name that is not in sight.
    fn unknown(&mut self, name: &str, span: Span) -> Operand {
        if name == "cost" && !self.in_query {
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
        let message = format!("nothing is called `{shown}`");
        let help = match self.scope.similar(name) {
            Some(similar) => format!("did you mean `{similar}`?"),
            None => "declare it first".to_owned(),
        };
        self.error(codes::UNKNOWN_NAME, span, message, help);
        Operand::Damaged
    }

    /// Where a name is declared that is not in sight yet.
    fn later_declaration(&self, name: &str) -> Option<Span> {
        if let Some(symbol) = self.scope.find_hidden(name) {
            return symbol.span;
        }
        let mut declarations = self.document.declarations.iter();
        declarations.find_map(|declaration| match &declaration.kind {
            tree::DeclarationKind::Function(function) => {
                (*function.name.text == *name).then_some(function.name.span)
            }
            tree::DeclarationKind::Variables(_, declarators)
            | tree::DeclarationKind::Typedef(_, declarators) => declarators
                .iter()
                .find(|declarator| *declarator.name.text == *name)
                .map(|declarator| declarator.name.span),
            _ => None,
        })
    }

    fn deadlock(&mut self, span: Span) -> Operand {
        if self.in_query {
            return Operand::Truth(Truth::Deadlock(span));
        }
        let help = "ask for deadlocks in a query";
        self.error(codes::DEADLOCK_HERE, span, "`deadlock` has a meaning only in queries", help);
        Operand::Damaged
    }

    fn rate(&mut self, clock: tree::ExpressionId, span: Span) -> Operand {
        match self.operand(clock) {
            Operand::Clock(place, Type::Clock) => Operand::ClockRate(place),
            Operand::Floating => Operand::IgnoredRate,
            Operand::Cost => Operand::CostRate,
            Operand::Damaged => Operand::Damaged,
            other => {
                let message = format!("{} has no rate", other.describe());
                self.error(codes::WRONG_TYPE, span, message, "only clocks have rates");
                Operand::Damaged
            }
        }
    }

    fn index(
        &mut self,
        array: tree::ExpressionId,
        index: tree::ExpressionId,
        span: Span,
    ) -> Operand {
        match self.operand(array) {
            Operand::Data(mut data) => {
                let shift = |root, distance| zonaut_model::interpret::offset(root, distance);
                let Some(ty) = self.select_element(&mut data.place, &data.ty, index, span, shift)
                else {
                    return Operand::Damaged;
                };
                data.ty = ty;
                Operand::Data(data)
            }
            Operand::Clock(mut place, ty) => {
                match self.select_element(&mut place, &ty, index, span, shifted) {
                    Some(ty) => Operand::Clock(place, ty),
                    None => Operand::Damaged,
                }
            }
            Operand::Channel(mut place, ty) => {
                match self.select_element(&mut place, &ty, index, span, shifted) {
                    Some(ty) => Operand::Channel(place, ty),
                    None => Operand::Damaged,
                }
            }
            Operand::Floating => Operand::Floating,
            Operand::Damaged => Operand::Damaged,
            other => {
                let message = format!("{} has no elements", other.describe());
                let help = "only arrays can be indexed";
                self.error(codes::WRONG_TYPE, span, message, help);
                Operand::Damaged
            }
        }
    }

    /// Narrows `place`, which holds a `ty`, to the element at `index`; gives the element's type.
    fn select_element<Root: Copy>(
        &mut self,
        place: &mut Place<Root>,
        ty: &Type,
        index: tree::ExpressionId,
        span: Span,
        shift: impl Fn(Root, usize) -> Root,
    ) -> Option<Type> {
        let index_span = self.span_of(index);
        let Type::Array(array) = ty else {
            let message = format!("a value of type {ty} has no elements");
            self.error(codes::WRONG_TYPE, span, message, "only arrays can be indexed");
            return None;
        };
        let (code, index_type) = self.scalar(index)?;
        let fits = match (&index_type, array.scalar) {
            (Type::Scalar(set, _), wanted) => wanted == Some(*set),
            (_, wanted) => wanted.is_none(),
        };
        if !fits {
            let message = format!("an index of type {index_type} does not fit this array");
            let help = "use an index of the type that the array was declared with";
            self.error(codes::TYPE_MISMATCH, index_span, message, help);
            return None;
        }
        let stride = u32::try_from(array.element.size()).unwrap_or(u32::MAX);
        let high = i64::from(array.low) + i64::from(array.size) - 1;
        match code {
            Code::Constant(value)
                if i64::from(value) >= i64::from(array.low) && i64::from(value) <= high =>
            {
                let position = (i64::from(value) - i64::from(array.low)) as usize;
                place.root = shift(place.root, position * stride as usize);
            }
            code => {
                if let Code::Constant(value) = code
                    && self.is_globally_constant(index)
                {
                    let message = format!(
                        "the index {value} is outside the range [{},{high}] of the array",
                        array.low
                    );
                    let help = "use an index inside the range, or make the array larger";
                    self.value_error(codes::INDEX_RANGE, index_span, message, help);
                }
                let value = self.expression_of(code, index_span);
                place.indices.push(PlaceIndex { value, low: array.low, size: array.size, stride });
            }
        }
        Some(array.element.clone())
    }

    /// Whether the value is the same in all instances of all templates: only literals and global
    /// names occur.
    pub(crate) fn is_globally_constant(&self, id: tree::ExpressionId) -> bool {
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            let kind = &self.source[id].kind;
            if let ExpressionKind::Name(name) = kind {
                let level = self.scope.find(name).map(|(_, level)| level);
                if !matches!(level, Some(Level::Predeclared | Level::Global)) {
                    return false;
                }
            }
            for_each_child(kind, |child| open.push(child));
        }
        true
    }

    fn field(&mut self, value: tree::ExpressionId, field: &tree::Name, span: Span) -> Operand {
        match self.operand(value) {
            Operand::Data(mut data) => {
                let found = match &data.ty {
                    Type::Struct(structure) => structure
                        .fields
                        .iter()
                        .find(|candidate| candidate.name == field.text)
                        .map(|found| (found.ty.clone(), found.offset)),
                    _ => None,
                };
                let Some((ty, offset)) = found else {
                    self.unknown_field(&data.ty, field);
                    return Operand::Damaged;
                };
                data.ty = ty;
                data.place.root = zonaut_model::interpret::offset(data.place.root, offset as usize);
                Operand::Data(data)
            }
            Operand::Process(process) => self.process_member(process, field, span),
            Operand::Floating => Operand::Floating,
            Operand::Damaged => Operand::Damaged,
            other => {
                let message = format!("{} has no field `{}`", other.describe(), field.text);
                let help = "only structs have fields, and only queries look into processes";
                self.error(codes::UNKNOWN_MEMBER, field.span, message, help);
                Operand::Damaged
            }
        }
    }

    fn unknown_field(&mut self, ty: &Type, field: &tree::Name) {
        let message = format!("a value of type {ty} has no field `{}`", field.text);
        let help = match ty {
            Type::Struct(structure) => {
                let names = structure.fields.iter().map(|field| field.name.as_ref());
                match crate::scope::most_similar(&field.text, names) {
                    Some(similar) => format!("did you mean `{similar}`?"),
                    None => "use one of the declared fields".to_owned(),
                }
            }
            _ => "only structs have fields".to_owned(),
        };
        self.error(codes::UNKNOWN_MEMBER, field.span, message, help);
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
            Operand::Floating | Operand::Damaged => Operand::Damaged,
            other => {
                let Some((code, ty)) = self.scalar_operand(other, self.span_of(*last)) else {
                    return Operand::Damaged;
                };
                ids.push(self.expression_of(code, span));
                Operand::Value(Code::Run(self.push(Expression::Sequence(ids), span)), ty)
            }
        }
    }

    /// Lowers an expression for its value: a number or an element of a scalar set.
    pub(crate) fn scalar(&mut self, id: tree::ExpressionId) -> Option<(Code, Type)> {
        let operand = self.operand(id);
        self.scalar_operand(operand, self.span_of(id))
    }

    /// The value of an operand, which must be a number or an element of a scalar set.
    pub(crate) fn scalar_operand(&mut self, operand: Operand, span: Span) -> Option<(Code, Type)> {
        let (code, message, help) = match operand {
            Operand::Value(code, ty) => return Some((code, ty)),
            Operand::Data(data) if !data.ty.is_aggregate() => return Some(self.read(data, span)),
            Operand::Damaged => return None,
            Operand::Floating => (
                codes::FLOATING_POINT,
                "floating point is not part of symbolic analysis".to_owned(),
                "use integers; clocks may be compared with integers only",
            ),
            Operand::Truth(_) => (
                codes::CLOCK_CONSTRAINT_HERE,
                "a condition on clocks is not allowed here".to_owned(),
                "clocks are compared in guards, invariants and queries only",
            ),
            Operand::Clock(_, Type::Clock) | Operand::Linear(_) => (
                codes::WRONG_TYPE,
                format!("{} has no integer value", operand.describe()),
                "compare clocks with integers in guards, invariants and queries",
            ),
            Operand::Process(_) => (
                codes::PROCESS_AS_VALUE,
                "a process is not a value".to_owned(),
                "name one of its locations or variables after a dot",
            ),
            Operand::ClockRate(_) | Operand::CostRate | Operand::IgnoredRate => (
                codes::RATE_HERE,
                "a rate is not a value".to_owned(),
                "write `x' == e` as part of an invariant",
            ),
            Operand::Cost => (
                codes::COST_USE,
                "the cost cannot be read".to_owned(),
                "add to it with `cost += e` or set its rate with `cost' == e`",
            ),
            other => (
                codes::WRONG_TYPE,
                format!("{} is not a number", other.describe()),
                "an integer or a truth value is needed here",
            ),
        };
        self.error(code, span, message, help);
        None
    }

    /// The content of a single integer in storage.
    pub(crate) fn read(&mut self, data: DataPlace, span: Span) -> (Code, Type) {
        if let (Storage::Constant(root), true, true) =
            (data.place.root, data.place.is_fixed(), data.prelude.is_empty())
        {
            return (Code::Constant(self.model.constants[root]), data.ty);
        }
        let read = self.push(Expression::Read(data.place), span);
        (Code::Run(self.after(data.prelude, read, span)), data.ty)
    }

    /// `last`, with `prelude` before it.
    pub(crate) fn after(
        &mut self,
        mut prelude: Vec<ExpressionId>,
        last: ExpressionId,
        span: Span,
    ) -> ExpressionId {
        if prelude.is_empty() {
            return last;
        }
        prelude.push(last);
        self.push(Expression::Sequence(prelude), span)
    }

    /// Lowers an expression for an integer or truth value.
    pub(crate) fn number(&mut self, id: tree::ExpressionId) -> Option<Code> {
        let operand = self.operand(id);
        self.number_operand(operand, self.span_of(id))
    }

    pub(crate) fn number_operand(&mut self, operand: Operand, span: Span) -> Option<Code> {
        let (code, ty) = self.scalar_operand(operand, span)?;
        if ty.is_number() {
            return Some(code);
        }
        let message = format!("a value of type {ty} is not a number");
        let help = "scalars can only be assigned, compared with == and !=, and used as indices";
        self.error(codes::WRONG_TYPE, span, message, help);
        None
    }

    /// The value of an expression that must be known before the model runs.
    pub(crate) fn constant_scalar(&mut self, id: tree::ExpressionId) -> Option<(i32, Type)> {
        let span = self.span_of(id);
        let outer_effects = std::mem::take(&mut self.effects);
        let floor = std::mem::replace(&mut self.local_floor, self.model.locals.len());
        let lowered = self.scalar(id);
        self.local_floor = floor;
        let effects = std::mem::replace(&mut self.effects, outer_effects);
        let (code, ty) = lowered?;
        if effects.reads || effects.writes {
            let help = "use constants, parameters and functions of them";
            let message = "this must be known before the model runs, but depends on its state";
            self.error(codes::NOT_CONSTANT, span, message, help);
            return None;
        }
        match code {
            Code::Constant(value) => Some((value, ty)),
            Code::Run(id) => self.evaluate(id, span).map(|value| (value, ty)),
        }
    }

    /// The integer value of an expression that must be known before the model runs.
    pub(crate) fn constant_number(&mut self, id: tree::ExpressionId) -> Option<i32> {
        let (value, ty) = self.constant_scalar(id)?;
        if ty.is_number() {
            return Some(value);
        }
        let message = format!("a value of type {ty} is not a number");
        let help = "use an integer constant";
        self.error(codes::WRONG_TYPE, self.span_of(id), message, help);
        None
    }

    /// A clock or a sum of clocks and numbers, if the operand is one.
    pub(crate) fn linear(operand: &Operand) -> Option<Linear> {
        match operand {
            Operand::Clock(place, Type::Clock) => {
                Some(Linear { plus: Some(place.clone()), ..Linear::default() })
            }
            Operand::Linear(linear) => Some(linear.clone()),
            _ => None,
        }
    }

    /// Whether a variable can be written; reports why not.
    pub(crate) fn check_writable(&mut self, data: &DataPlace, span: Span) -> bool {
        let (message, help) = match data.access {
            Access::Writable if data.prelude.is_empty() => return true,
            Access::Writable => ("the result of a function cannot be assigned", "use a variable"),
            Access::Constant => (
                "a constant cannot be assigned",
                "remove `const` from its declaration, or pass it by reference",
            ),
            Access::Bound => (
                "a bound name cannot be assigned",
                "names of quantifiers, selects and iterations are read only; use a variable",
            ),
        };
        self.error(codes::NOT_ASSIGNABLE, span, message, help);
        false
    }
}

fn shifted<I: Id>(root: I, distance: usize) -> I {
    I::from_index(root.index() + distance)
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
        ExpressionKind::Sequence(parts) => parts.iter().copied().for_each(visit),
    }
}
