//! Lowering of calls of functions.

use crate::codes;
use crate::functions::{ParameterType, Reference};
use crate::lowering::Lowering;
use crate::operand::{Code, DataPlace, Operand, RealCode, RealPlace};
use crate::scope::{Access, Entity};
use crate::value_type::{StorageClass, Type};
use zonaut_base::{Id, Span};
use zonaut_model::statistical::{RealArgument, RealCellId, RealExpression, RealFunction, RealId};
use zonaut_model::{
    Argument, BinaryOperator, Expression, ExpressionId, FunctionId, Place, Storage, UnaryOperator,
};
use zonaut_syntax::tree::{self, ExpressionKind};

/// The arguments of a call under construction.
#[derive(Default)]
struct Arguments {
    prelude: Vec<ExpressionId>,
    references: Vec<Reference>,
    values: Vec<Argument>,
    reals: Vec<RealValue>,
}

/// A floating-point argument that is passed by value.
enum RealValue {
    Number(RealId),
    Content(Place<RealCellId>),
}

impl<'a> Lowering<'a> {
    pub(crate) fn call(
        &mut self,
        callee: tree::ExpressionId,
        arguments: &'a [tree::ExpressionId],
        span: Span,
    ) -> Operand {
        let source = self.source;
        match &source[callee].kind {
            ExpressionKind::Name(name) => {
                self.record_use(name, source[callee].span);
                let found = self.scope.find(name).map(|(symbol, _)| symbol.entity.clone());
                match found {
                    Some(Entity::Function(function)) => {
                        self.function_call(function, arguments, span)
                    }
                    Some(Entity::External(external)) => {
                        self.external_call(external, arguments, span)
                    }
                    Some(Entity::Template(_)) if self.in_query => {
                        self.process_of_set(name, arguments, span)
                    }
                    None => self.predeclared_call(callee, name, arguments, span),
                    Some(_) => self.not_callable(callee),
                }
            }
            ExpressionKind::Field(process, member) => match self.operand(*process) {
                Operand::Process(process) => match self.member_entity(process, member) {
                    Some(Entity::Function(function)) => {
                        self.function_call(function, arguments, span)
                    }
                    Some(Entity::External(external)) => {
                        self.external_call(external, arguments, span)
                    }
                    Some(_) => self.not_callable(callee),
                    None => Operand::Damaged,
                },
                Operand::Damaged => Operand::Damaged,
                _ => self.not_callable(callee),
            },
            _ => self.not_callable(callee),
        }
    }

    fn not_callable(&mut self, callee: tree::ExpressionId) -> Operand {
        let span = self.span_of(callee);
        self.error(codes::WRONG_KIND_OF_NAME, span, "this is not a function", "call a function");
        Operand::Damaged
    }

    fn predeclared_call(
        &mut self,
        callee: tree::ExpressionId,
        name: &str,
        arguments: &'a [tree::ExpressionId],
        span: Span,
    ) -> Operand {
        if name == "abs" {
            return self.absolute(arguments, span);
        }
        if let Some(function) = RealFunction::named(name) {
            return self.real_function(function, arguments, span);
        }
        if let Some(operand) = self.dynamic_call(name, arguments, span) {
            return operand;
        }
        self.operand(callee)
    }

    fn absolute(&mut self, arguments: &'a [tree::ExpressionId], span: Span) -> Operand {
        let [argument] = arguments else {
            return self.wrong_count("abs", 1, arguments.len(), span);
        };
        let (operand, effects) = self.observing(|this| this.operand(*argument));
        if operand.is_real_or_clock() {
            let Some(code) = self.real_operand(operand, span) else { return Operand::Damaged };
            let real = self.real_of(code);
            let applied = RealExpression::Apply(RealFunction::Absolute, vec![real]);
            return Operand::Real(RealCode::Run(self.push_real(applied)));
        }
        match self.number_operand(operand, span) {
            None => Operand::Damaged,
            Some(Code::Constant(value)) if value != i32::MIN => {
                Operand::constant(value.abs(), Type::NUMBER)
            }
            Some(code) => {
                let value = self.expression_of(code, span);
                let (value, again) = self.used_twice(value, effects, span);
                let negative = self.push(Expression::Unary(UnaryOperator::Negate, again), span);
                let larger = Expression::Binary(BinaryOperator::Maximum, value, negative);
                Operand::Value(Code::Run(self.push(larger, span)), Type::NUMBER)
            }
        }
    }

    pub(crate) fn wrong_count(
        &mut self,
        name: &str,
        wanted: usize,
        given: usize,
        span: Span,
    ) -> Operand {
        let message = format!("`{name}` takes {wanted} arguments, not {given}");
        let help = "give one argument for each parameter";
        self.error(codes::ARGUMENT_COUNT, span, message, help);
        Operand::Damaged
    }

    fn function_call(
        &mut self,
        function: usize,
        arguments: &'a [tree::ExpressionId],
        span: Span,
    ) -> Operand {
        let entity = &self.functions[function];
        let name = entity.declaration.name.text.clone();
        let parameters = entity.parameters.clone();
        let result = entity.result.clone();
        if parameters.len() != arguments.len() {
            return self.wrong_count(&name, parameters.len(), arguments.len(), span);
        }
        let mut bound = Arguments::default();
        let mut is_complete = true;
        for (parameter, &argument) in parameters.iter().zip(arguments) {
            is_complete &= self.argument(parameter, argument, &mut bound).is_some();
        }
        if !is_complete {
            return Operand::Damaged;
        }
        let Some(id) = self.specialise(function, &bound.references, span) else {
            return Operand::Damaged;
        };
        let call = self.push(Expression::Call(id, bound.values), span);
        self.bind_reals(call, id, bound.reals);
        match result.class() {
            StorageClass::Void => {
                let run = self.after(bound.prelude, call, span);
                Operand::Effect(self.without_reals(run, id, span))
            }
            StorageClass::Data if result.is_aggregate() => {
                let Some(from) = self.model.functions[id].result else { return Operand::Damaged };
                self.returned_content(bound.prelude, call, from, result, span)
            }
            StorageClass::Data => {
                Operand::Value(Code::Run(self.after(bound.prelude, call, span)), result)
            }
            StorageClass::Floating => {
                let signature = self.model.statistical.functions.get(&id);
                let Some(block) = signature.and_then(|signature| signature.result) else {
                    return Operand::Damaged;
                };
                let call = self.after(bound.prelude, call, span);
                let place = Place::fixed(block.first);
                let (access, prelude) = (Access::Constant, vec![call]);
                Operand::RealData(RealPlace { place, ty: result, access, prelude })
            }
            _ => Operand::Damaged,
        }
    }

    fn argument(
        &mut self,
        parameter: &ParameterType,
        argument: tree::ExpressionId,
        bound: &mut Arguments,
    ) -> Option<()> {
        let span = self.span_of(argument);
        let operand = self.operand(argument);
        match (parameter.ty.class(), &operand) {
            (_, Operand::Damaged) => return None,
            (StorageClass::Floating | StorageClass::Text, _)
            | (StorageClass::Clock, Operand::RealData(_)) => {
                return self.real_argument(parameter, operand, bound, span);
            }
            _ => {}
        }
        let is_place = parameter.by_reference || parameter.ty.is_aggregate();
        let operand = match operand {
            Operand::Data(data) if is_place => {
                Operand::Data(self.with_ordered_prelude(data, bound, span))
            }
            operand => operand,
        };
        if parameter.by_reference
            && let Some(reference) = self.reference(parameter, &operand, span)?
        {
            if let Operand::Data(data) = operand {
                self.note_outer_local(data.place.root);
            }
            let hidden = reference.indices().iter().map(|index| Argument::Value(index.value));
            bound.values.extend(hidden);
            bound.references.push(reference);
            return Some(());
        }
        bound.references.push(Reference::Value);
        if !parameter.ty.is_aggregate() {
            let code = self.converted(operand, &parameter.ty, span)?;
            bound.values.push(Argument::Value(self.expression_of(code, span)));
            return Some(());
        }
        match operand {
            Operand::Data(data) if data.ty.matches(&parameter.ty) => {
                bound.values.push(Argument::Content(data.place));
                Some(())
            }
            Operand::Damaged => None,
            other => {
                let message = format!("{} is not a {}", other.describe(), parameter.ty);
                let help = "pass a value of the type of the parameter";
                self.error(codes::TYPE_MISMATCH, span, message, help);
                None
            }
        }
    }

    /// Binds an argument to a floating-point parameter, or a hybrid clock to a parameter for
    /// clocks.
    fn real_argument(
        &mut self,
        parameter: &ParameterType,
        operand: Operand,
        bound: &mut Arguments,
        span: Span,
    ) -> Option<()> {
        let ty = &parameter.ty;
        if parameter.by_reference
            && let Some(reference) = self.reference(parameter, &operand, span)?
        {
            let hidden = reference.indices().iter().map(|index| Argument::Value(index.value));
            bound.values.extend(hidden);
            bound.references.push(reference);
            return Some(());
        }
        bound.references.push(Reference::Value);
        if !ty.is_aggregate() {
            let code = self.real_converted(ty, operand, span)?;
            let real = self.real_of(code);
            bound.reals.push(RealValue::Number(real));
            return Some(());
        }
        match operand {
            Operand::RealData(data) if data.ty.matches(ty) => {
                bound.prelude.extend(data.prelude);
                bound.reals.push(RealValue::Content(data.place));
                Some(())
            }
            other => {
                let message = format!("{} is not a {ty}", other.describe());
                let help = "pass a value of the type of the parameter";
                self.error(codes::TYPE_MISMATCH, span, message, help);
                None
            }
        }
    }

    /// Records the floating-point arguments of a call.
    fn bind_reals(&mut self, call: ExpressionId, function: FunctionId, reals: Vec<RealValue>) {
        let signature = self.model.statistical.functions.get(&function);
        let Some(signature) = signature.filter(|_| !reals.is_empty()) else { return };
        let mut numbers = Vec::new();
        let arguments = signature.parameters.iter().zip(reals).map(|(block, value)| match value {
            RealValue::Number(real) => {
                numbers.push(real);
                RealArgument::Value(block.first, real)
            }
            RealValue::Content(place) => RealArgument::Content(block.first, place, block.length),
        });
        let arguments: Vec<RealArgument> = arguments.collect();
        self.note_lost_effects(call, &numbers);
        self.model.statistical.arguments.insert(call, arguments);
    }

    /// The place, with its prelude at the argument's position in the order of evaluation: before
    /// the call if no argument has been evaluated so far.
    fn with_ordered_prelude(
        &mut self,
        mut data: DataPlace,
        bound: &mut Arguments,
        span: Span,
    ) -> DataPlace {
        let prelude = std::mem::take(&mut data.prelude);
        if bound.values.is_empty() {
            bound.prelude.extend(prelude);
        } else {
            data.place = self.place_after(prelude, data.place, span);
        }
        data
    }

    fn note_outer_local(&mut self, root: Storage) {
        if let Storage::Local(local) = root
            && local.index() < self.local_floor
        {
            self.effects.reads = true;
        }
    }

    /// The storage that a reference parameter is bound to; `Some(None)` if a constant parameter
    /// takes a value without storage.
    pub(crate) fn reference(
        &mut self,
        parameter: &ParameterType,
        operand: &Operand,
        span: Span,
    ) -> Option<Option<Reference>> {
        let ty = &parameter.ty;
        let reference = match operand {
            Operand::Damaged => return None,
            Operand::Data(data) if data.ty.matches(ty) => {
                if data.access != Access::Writable && !parameter.constant {
                    let message = "something read-only cannot be passed by reference";
                    let help = "pass a variable, or declare the parameter `const`";
                    self.error(codes::REFERENCE_ARGUMENT, span, message, help);
                    return None;
                }
                Reference::Data(data.place.clone(), data.ty.clone(), data.access)
            }
            Operand::Clock(place, given) if given.matches(ty) => {
                Reference::Clock(place.clone(), given.clone())
            }
            Operand::RealData(data) if is_real_reference(&data.ty, ty) => {
                if data.access != Access::Writable && !parameter.constant {
                    let message = "something read-only cannot be passed by reference";
                    let help = "pass a variable, or declare the parameter `const`";
                    self.error(codes::REFERENCE_ARGUMENT, span, message, help);
                    return None;
                }
                Reference::Real(data.place.clone(), data.ty.clone(), data.access)
            }
            Operand::Real(_) | Operand::Text(_) if parameter.constant && !ty.is_aggregate() => {
                return Some(None);
            }
            Operand::Channel(place, given) if given.matches(ty) => {
                Reference::Channel(place.clone(), given.clone())
            }
            Operand::Value(..) if parameter.constant && !ty.is_aggregate() => return Some(None),
            other => {
                let message =
                    format!("{} cannot be passed as a reference to {ty}", other.describe());
                let help = "pass a variable, clock or channel of the same type";
                self.error(codes::REFERENCE_ARGUMENT, span, message, help);
                return None;
            }
        };
        Some(Some(reference))
    }
}

/// Whether storage of type `given` can be bound to a reference parameter of type `wanted`: a hybrid
/// clock can be bound to one for clocks.
fn is_real_reference(given: &Type, wanted: &Type) -> bool {
    match (given, wanted) {
        (Type::HybridClock, Type::Clock) => true,
        (Type::Array(given), Type::Array(wanted)) => {
            (given.low, given.size) == (wanted.low, wanted.size)
                && is_real_reference(&given.element, &wanted.element)
        }
        _ => given.matches(wanted),
    }
}
