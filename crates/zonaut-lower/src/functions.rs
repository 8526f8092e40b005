//! Lowering of functions: each is specialised for the process and for the storage that its
//! reference parameters are bound to.

use crate::codes;
use crate::lowering::{Lowering, Owner};
use crate::scope::{Access, Entity, Level, ScopeNames};
use crate::value_type::{StorageClass, Type};
use zonaut_base::Span;
use zonaut_model::statistical::{RealBlock, RealCellId, RealRole, RealSignature};
use zonaut_model::{
    ChannelId, ClockId, Expression, FunctionId, Local, Parameter, Place, PlaceIndex, Range,
    Statement, Storage,
};
use zonaut_syntax::tree;

/// The maximum depth of nested calls.
const CALL_DEPTH: usize = 200;

/// A declared function in one scope: global, or of a template instance.
#[derive(Clone, Debug)]
pub(crate) struct FunctionEntity<'a> {
    pub(crate) declaration: &'a tree::Function,
    pub(crate) parameters: Vec<ParameterType>,
    pub(crate) result: Type,
    instance: Option<usize>,
    owner: Option<Owner>,
    sees_system: bool,
    /// Declarations from this point in the order of declarations on are not visible.
    horizon: u32,
    is_open: bool,
    has_placeholders: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct ParameterType {
    pub(crate) ty: Type,
    pub(crate) by_reference: bool,
    pub(crate) constant: bool,
}

/// The binding of a reference parameter, as part of a key. Computed indices are passed as hidden
/// parameters, so only their shape is part of it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum ReferenceKey {
    Value,
    Data(Storage, Vec<(i32, u32, u32)>, bool),
    Clock(ClockId, Vec<(i32, u32, u32)>),
    Channel(ChannelId, Vec<(i32, u32, u32)>),
    Real(RealCellId, Vec<(i32, u32, u32)>, bool),
}

/// The key of a specialisation: the same function with the same storage is lowered once.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct SpecialisationKey {
    function: usize,
    references: Vec<ReferenceKey>,
}

/// Storage bound to a reference parameter.
#[derive(Clone, Debug)]
pub(crate) enum Reference {
    /// The parameter is passed by value.
    Value,
    Data(Place<Storage>, Type, Access),
    Clock(Place<ClockId>, Type),
    Channel(Place<ChannelId>, Type),
    Real(Place<RealCellId>, Type, Access),
}

/// The parameters of a function that are passed by value, hidden ones included.
#[derive(Default)]
struct BoundParameters {
    integers: Vec<Parameter>,
    reals: Vec<RealBlock>,
}

/// The requirements on `return` in the current function.
#[derive(Clone, Debug)]
pub(crate) struct ReturnContext {
    pub(crate) ty: Type,
    pub(crate) result: Option<Parameter>,
    pub(crate) real_result: Option<RealBlock>,
    pub(crate) has_return: bool,
}

impl Reference {
    fn key(&self) -> ReferenceKey {
        let shape = |indices: &[PlaceIndex]| {
            indices.iter().map(|index| (index.low, index.size, index.stride)).collect()
        };
        match self {
            Self::Value => ReferenceKey::Value,
            Self::Data(place, _, access) => {
                let writable = *access == Access::Writable;
                ReferenceKey::Data(place.root, shape(&place.indices), writable)
            }
            Self::Clock(place, _) => ReferenceKey::Clock(place.root, shape(&place.indices)),
            Self::Channel(place, _) => ReferenceKey::Channel(place.root, shape(&place.indices)),
            Self::Real(place, _, access) => {
                let writable = *access == Access::Writable;
                ReferenceKey::Real(place.root, shape(&place.indices), writable)
            }
        }
    }

    pub(crate) fn indices(&self) -> &[PlaceIndex] {
        match self {
            Self::Value => &[],
            Self::Data(place, ..) => &place.indices,
            Self::Clock(place, _) => &place.indices,
            Self::Channel(place, _) => &place.indices,
            Self::Real(place, ..) => &place.indices,
        }
    }
}

impl<'a> Lowering<'a> {
    /// Declares a function and checks its body.
    pub(crate) fn function(&mut self, declaration: &'a tree::Function, level: Level) {
        let horizon = self.scope.now();
        let result = self.type_of(&declaration.result, None);
        if matches!(result.class(), StorageClass::Clock | StorageClass::Channel) {
            let message = "a function cannot return clocks or channels";
            let help = "pass them as reference parameters";
            self.error(codes::TYPE_HERE, declaration.result.span, message, help);
        }
        let parameters: Vec<ParameterType> =
            declaration.parameters.iter().map(|parameter| self.parameter_type(parameter)).collect();
        let index = self.functions.len();
        self.functions.push(FunctionEntity {
            declaration,
            parameters,
            result,
            instance: self.scope.instance,
            owner: self.owner.clone(),
            sees_system: self.scope.sees_system,
            horizon,
            is_open: false,
            has_placeholders: self.has_placeholders,
        });
        self.declare(level, &declaration.name, Entity::Function(index));
        self.warn_about_hook(declaration);
        self.lower_uncalled(index);
    }

    fn warn_about_hook(&mut self, declaration: &tree::Function) {
        let is_hook = declaration.name.text.starts_with("__ON_");
        let is_empty = matches!(&declaration.body.kind,
            tree::StatementKind::Block(declarations, body)
                if declarations.is_empty() && body.is_empty());
        if is_hook && !is_empty {
            let message = format!("`{}` is never run", declaration.name.text);
            let help = "hooks of simulation have no meaning in verification";
            self.warning(codes::HOOK_IGNORED, declaration.name.span, message, help);
        }
    }

    pub(crate) fn parameter_type(&mut self, parameter: &'a tree::Parameter) -> ParameterType {
        let base = self.type_of(&parameter.ty, None);
        let ty = self.dimensioned(base, &parameter.declarator);
        let is_old = self.document.dialect == tree::Dialect::Old;
        let by_reference = parameter.by_reference || (is_old && !parameter.ty.prefix.constant);
        if !by_reference && matches!(ty.class(), StorageClass::Clock | StorageClass::Channel) {
            let message = "clocks and channels are passed by reference";
            let help = "write `&` before the name of the parameter";
            self.error(codes::TYPE_HERE, parameter.declarator.name.span, message, help);
            return ParameterType { ty: Type::Damaged, by_reference, constant: false };
        }
        if matches!(ty, Type::Void) {
            let help = "remove the parameter";
            let span = parameter.declarator.name.span;
            self.error(codes::TYPE_HERE, span, "a parameter cannot be void", help);
            return ParameterType { ty: Type::Damaged, by_reference, constant: false };
        }
        let constant = parameter.ty.prefix.constant;
        let ty = if constant { ty.of_constant() } else { ty };
        ParameterType { ty, by_reference, constant }
    }

    /// Lowers a function that has not been called. If it has reference parameters, this is a trial.
    fn lower_uncalled(&mut self, index: usize) {
        let entity = &self.functions[index];
        let span = entity.declaration.name.span;
        let parameters = entity.parameters.clone();
        let takes_reference = parameters.iter().any(|parameter| parameter.by_reference);
        if !takes_reference {
            let references = vec![Reference::Value; parameters.len()];
            self.specialise(index, &references, span);
        } else if self.checked.insert(span) {
            let checkpoint = self.checkpoint();
            let references: Option<Vec<Reference>> =
                parameters.iter().map(|parameter| self.placeholder(parameter, span)).collect();
            if let Some(references) = references {
                self.specialise(index, &references, span);
            }
            self.roll_back(&checkpoint);
        }
    }

    /// Placeholder storage for a reference parameter of a trial.
    pub(crate) fn placeholder(
        &mut self,
        parameter: &ParameterType,
        span: Span,
    ) -> Option<Reference> {
        let ty = parameter.ty.clone();
        if !parameter.by_reference {
            return Some(Reference::Value);
        }
        match ty.class() {
            StorageClass::Data => {
                let access = if parameter.constant { Access::Constant } else { Access::Writable };
                let first = self.allocate_locals("placeholder", &ty, span)?;
                Some(Reference::Data(Place::fixed(Storage::Local(first)), ty, access))
            }
            StorageClass::Floating => {
                let access = if parameter.constant { Access::Constant } else { Access::Writable };
                let role = RealRole::Variable;
                let first = self.allocate_reals("placeholder", &ty, role, &[], span)?;
                Some(Reference::Real(Place::fixed(first), ty, access))
            }
            StorageClass::Clock => {
                let first = self.allocate_clocks("placeholder", &ty, &[], span)?;
                Some(Reference::Clock(Place::fixed(first), ty))
            }
            StorageClass::Channel => {
                let first = self.allocate_channels("placeholder", &ty, span)?;
                Some(Reference::Channel(Place::fixed(first), ty))
            }
            _ => Some(Reference::Value),
        }
    }

    /// The specialisation of a function for this storage; `None` if the body has errors.
    pub(crate) fn specialise(
        &mut self,
        function: usize,
        references: &[Reference],
        span: Span,
    ) -> Option<FunctionId> {
        let key = SpecialisationKey {
            function,
            references: references.iter().map(Reference::key).collect(),
        };
        if let Some(&id) = self.specialisations.get(&key) {
            return Some(id);
        }
        if self.functions[function].is_open || self.open_functions >= CALL_DEPTH {
            let message = "the call depth of functions is too large";
            let help = "recursion is not supported";
            self.error(codes::UNSUPPORTED, span, message, help);
            return None;
        }
        self.functions[function].is_open = true;
        self.open_functions += 1;
        let errors = self.diagnostics.error_count();
        let lowered =
            self.in_scope_of(function, |this| this.as_code(|this| this.body(function, references)));
        self.functions[function].is_open = false;
        self.open_functions -= 1;
        let (lowered, effects, signature) = lowered?;
        if self.diagnostics.error_count() > errors {
            return None;
        }
        let id = self.model.functions.push(lowered);
        self.origin.functions.push(self.functions[function].declaration.name.span);
        self.function_effects.push(effects);
        self.specialisations.insert(key, id);
        if signature != RealSignature::default() {
            self.model.statistical.functions.insert(id, signature);
        }
        Some(id)
    }

    /// Runs `work` in the scope of a function's declaration.
    fn in_scope_of<T>(&mut self, function: usize, work: impl FnOnce(&mut Self) -> T) -> T {
        let entity = &self.functions[function];
        let (instance, horizon) = (entity.instance, entity.horizon);
        let (sees_system, owner) = (entity.sees_system, entity.owner.clone());
        let placeholders = std::mem::replace(&mut self.has_placeholders, entity.has_placeholders);
        let inner = std::mem::take(&mut self.scope.inner);
        let instance = std::mem::replace(&mut self.scope.instance, instance);
        let sees_system = std::mem::replace(&mut self.scope.sees_system, sees_system);
        let horizon = self.scope.horizon.replace(horizon);
        let owner = std::mem::replace(&mut self.owner, owner);
        let source = std::mem::replace(&mut self.source, &self.document.expressions);
        let effects = std::mem::take(&mut self.effects);
        let floor = std::mem::replace(&mut self.local_floor, 0);
        let in_query = std::mem::replace(&mut self.in_query, false);
        let return_context = self.return_context.take();
        let result = work(self);
        self.has_placeholders = placeholders;
        self.scope.inner = inner;
        self.scope.instance = instance;
        self.scope.sees_system = sees_system;
        self.scope.horizon = horizon;
        self.owner = owner;
        self.source = source;
        self.effects = effects;
        self.local_floor = floor;
        self.in_query = in_query;
        self.return_context = return_context;
        result
    }

    fn body(
        &mut self,
        function: usize,
        references: &[Reference],
    ) -> Option<(zonaut_model::Function, zonaut_model::Effects, RealSignature)> {
        let entity = self.functions[function].clone();
        let declaration = entity.declaration;
        let floor = self.model.locals.len();
        let real_floor = self.model.statistical.cells.len();
        let name = match &self.owner {
            Some(owner) => format!("{}.{}", owner.name, declaration.name.text),
            None => declaration.name.text.to_string(),
        };
        self.scope.inner.push(ScopeNames::new());
        let mut parameters = BoundParameters::default();
        let declared = declaration.parameters.iter().zip(&entity.parameters);
        for ((written, parameter), reference) in declared.zip(references) {
            let bound = self.bind_parameter(&name, written, parameter, reference, &mut parameters);
            self.declare(Level::Inner, &written.declarator.name, bound);
        }
        let span = declaration.name.span;
        let result = match entity.result.class() {
            StorageClass::Data => {
                let label = format!("{name}.result");
                let first = self.allocate_locals(&label, &entity.result, span)?;
                Some(Parameter { first, length: entity.result.size() as u32 })
            }
            _ => None,
        };
        let real_result = match entity.result.class() {
            StorageClass::Floating => {
                let (label, role) = (format!("{name}.result"), RealRole::Local);
                let first = self.allocate_reals(&label, &entity.result, role, &[], span)?;
                Some(RealBlock { first, length: entity.result.size() as u32 })
            }
            _ => None,
        };
        let context =
            ReturnContext { ty: entity.result.clone(), result, real_result, has_return: false };
        self.return_context = Some(context);
        let mut body: Vec<Statement> = Vec::new();
        self.statement(&declaration.body, &mut body);
        let returns = self.return_context.take().is_some_and(|context| context.has_return);
        if (result.is_some() || real_result.is_some()) && !returns {
            let message = format!("`{}` never returns a value", declaration.name.text);
            let help = "calling it is a run-time error; add a `return`";
            self.warning(codes::NO_RETURN, span, message, help);
        }
        let effects = self.effects.visible_below(floor).reals_below(real_floor);
        let BoundParameters { integers: parameters, reals } = parameters;
        let signature = RealSignature { parameters: reals, result: real_result };
        Some((zonaut_model::Function { name, parameters, result, body }, effects, signature))
    }

    fn bind_parameter(
        &mut self,
        function: &str,
        written: &tree::Parameter,
        parameter: &ParameterType,
        reference: &Reference,
        all: &mut BoundParameters,
    ) -> Entity {
        let name = &written.declarator.name;
        let label = format!("{function}.{}", name.text);
        let hidden = self.hidden_indices(&label, reference, name.span, &mut all.integers);
        match reference {
            Reference::Data(place, ty, access) => {
                let access = if parameter.constant { Access::Constant } else { *access };
                Entity::Data(Place { root: place.root, indices: hidden }, ty.clone(), access)
            }
            Reference::Clock(place, ty) => {
                Entity::Clock(Place { root: place.root, indices: hidden }, ty.clone())
            }
            Reference::Channel(place, ty) => {
                Entity::Channel(Place { root: place.root, indices: hidden }, ty.clone())
            }
            Reference::Real(place, ty, access) => {
                let access = if parameter.constant { Access::Constant } else { *access };
                Entity::Real(Place { root: place.root, indices: hidden }, ty.clone(), access)
            }
            Reference::Value => match parameter.ty.class() {
                StorageClass::Data => {
                    let ty = parameter.ty.clone();
                    let Some(first) = self.allocate_locals(&label, &ty, name.span) else {
                        return Entity::Damaged;
                    };
                    all.integers.push(Parameter { first, length: ty.size() as u32 });
                    let access =
                        if parameter.constant { Access::Constant } else { Access::Writable };
                    Entity::Data(Place::fixed(Storage::Local(first)), ty, access)
                }
                StorageClass::Floating => {
                    let (ty, role) = (parameter.ty.clone(), RealRole::Local);
                    let Some(first) = self.allocate_reals(&label, &ty, role, &[], name.span) else {
                        return Entity::Damaged;
                    };
                    all.reals.push(RealBlock { first, length: ty.size() as u32 });
                    let access =
                        if parameter.constant { Access::Constant } else { Access::Writable };
                    Entity::Real(Place::fixed(first), ty, access)
                }
                StorageClass::Text => {
                    let Some(first) =
                        self.allocate_reals(&label, &Type::Text, RealRole::Local, &[], name.span)
                    else {
                        return Entity::Damaged;
                    };
                    all.reals.push(RealBlock { first, length: 1 });
                    Entity::Text("".into())
                }
                _ => Entity::Damaged,
            },
        }
    }

    /// Hidden parameters for the computed indices of a reference.
    fn hidden_indices(
        &mut self,
        label: &str,
        reference: &Reference,
        span: Span,
        all: &mut Vec<Parameter>,
    ) -> Vec<PlaceIndex> {
        let mut indices = Vec::new();
        for index in reference.indices() {
            let high = i64::from(index.low) + i64::from(index.size) - 1;
            let high = i32::try_from(high).unwrap_or(i32::MAX);
            let range = Range { low: index.low, high };
            let local = self.model.locals.push(Local { name: format!("{label}.index"), range });
            all.push(Parameter { first: local, length: 1 });
            let value = self.push(Expression::Read(Place::fixed(Storage::Local(local))), span);
            indices.push(PlaceIndex { value, ..*index });
        }
        indices
    }
}
