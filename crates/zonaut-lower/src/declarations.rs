//! Lowering of declarations outside functions: variables, constants, clocks, channels, types,
//! functions.

use crate::codes;
use crate::lowering::Lowering;
use crate::reals::as_integer;
use crate::scope::{Access, Entity, Level};
use crate::value_type::{StorageClass, Type};
use std::f64::consts as constants;
use zonaut_base::{Id, Span};
use zonaut_model::statistical::Real;
use zonaut_model::{Place, ScalarUseKind, Storage};
use zonaut_syntax::tree::{
    Declaration, DeclarationKind, Declarator, Dialect, ExpressionKind, Initializer, Prefix,
    TypeExpression,
};

impl<'a> Lowering<'a> {
    /// Lowers declarations into the scope of `level`.
    pub(crate) fn declarations(&mut self, declarations: &'a [Declaration], level: Level) {
        for declaration in declarations {
            if self.has_too_many_errors() {
                return;
            }
            match &declaration.kind {
                DeclarationKind::Variables(ty, declarators) => {
                    let base = self.type_of(ty, None);
                    for declarator in declarators {
                        self.variable(&base, ty, declarator, level);
                    }
                }
                DeclarationKind::Typedef(ty, declarators) => {
                    self.typedef(ty, declarators, level);
                }
                DeclarationKind::Function(function) => self.function(function, level),
                DeclarationKind::Instantiation(instantiation) => {
                    self.instantiation(instantiation, level);
                }
                DeclarationKind::ChannelPriority(priority) => {
                    self.channel_priority(priority, declaration.span);
                }
                DeclarationKind::BeforeUpdate(updates) => {
                    let mut ids = self.updates(updates);
                    self.model.before_update.append(&mut ids);
                }
                DeclarationKind::AfterUpdate(updates) => {
                    let mut ids = self.updates(updates);
                    self.model.after_update.append(&mut ids);
                }
                DeclarationKind::Import(import) => self.import(import, level),
                DeclarationKind::Dynamic(name, _) => self.dynamic(name),
                DeclarationKind::Comment(_) => {}
            }
        }
    }

    /// Lowers a `typedef`.
    pub(crate) fn typedef(
        &mut self,
        written: &'a TypeExpression,
        declarators: &'a [Declarator],
        level: Level,
    ) {
        for declarator in declarators {
            let base = self.type_of(written, Some(&declarator.name.text));
            let ty = self.dimensioned(base, declarator);
            self.declare(level, &declarator.name, Entity::Type(ty));
        }
    }

    fn variable(
        &mut self,
        base: &Type,
        written: &'a TypeExpression,
        declarator: &'a Declarator,
        level: Level,
    ) {
        let ty = self.dimensioned(base.clone(), declarator);
        let entity = self.variable_entity(ty, written.prefix, declarator, level);
        self.declare(level, &declarator.name, entity);
    }

    fn variable_entity(
        &mut self,
        ty: Type,
        prefix: Prefix,
        declarator: &'a Declarator,
        level: Level,
    ) -> Entity {
        let span = declarator.name.span;
        match ty.class() {
            StorageClass::Damaged => {
                if let Some(define) = self.define_of(declarator, level) {
                    self.used_defines.insert(define.0);
                }
                Entity::Damaged
            }
            StorageClass::Text if !ty.is_aggregate() => self.text_entity(declarator),
            StorageClass::Floating | StorageClass::Text => {
                self.real_entity(ty, prefix.constant, declarator, level)
            }
            StorageClass::Void => {
                let help = "only functions can be void";
                self.error(codes::TYPE_HERE, span, "a variable cannot be void", help);
                Entity::Damaged
            }
            StorageClass::Channel => self.channel_entity(ty, declarator),
            StorageClass::Clock => self.clock_entity(ty, declarator, level),
            StorageClass::Data if prefix.constant => self.constant_entity(&ty, declarator, level),
            StorageClass::Data => self.cell_entity(ty, prefix.meta, declarator),
        }
    }

    fn channel_entity(&mut self, ty: Type, declarator: &'a Declarator) -> Entity {
        let span = declarator.name.span;
        if declarator.initializer.is_some() {
            let help = "remove the initialiser";
            self.error(codes::INITIALISER_SHAPE, span, "a channel has no value", help);
        }
        match self.allocate_channels(&declarator.name.text, &ty, span) {
            Some(first) => Entity::Channel(Place::fixed(first), ty),
            None => Entity::Damaged,
        }
    }

    fn clock_entity(&mut self, ty: Type, declarator: &'a Declarator, level: Level) -> Entity {
        let span = declarator.name.span;
        let is_cost = &*declarator.name.text == "cost" && level == Level::Global;
        if is_cost && self.is_priced && ty == Type::Clock {
            return Entity::Cost;
        }
        let mut starts = Vec::new();
        let initial = match &declarator.initializer {
            None => Vec::new(),
            Some(initializer) => {
                self.clock_values(&ty, initializer, &mut starts).unwrap_or_default()
            }
        };
        match self.allocate_clocks(&declarator.name.text, &ty, &initial, span) {
            Some(first) => {
                for (position, start) in starts.into_iter().enumerate() {
                    if let Some(start) = start {
                        let clock = Id::from_index(first.index() + position);
                        self.model.statistical.clock_starts.insert(clock, Real::new(start));
                    }
                }
                Entity::Clock(Place::fixed(first), ty)
            }
            None => Entity::Damaged,
        }
    }

    /// The initial values of clocks. `starts` receives an entry for each clock: its initial value
    /// if that is not a natural number.
    fn clock_values(
        &mut self,
        ty: &Type,
        initializer: &'a Initializer,
        starts: &mut Vec<Option<f64>>,
    ) -> Option<Vec<i32>> {
        match (initializer, ty) {
            (Initializer::Value(id), Type::Clock) => {
                let real = self.real_clock_start(*id);
                let integer = real.and_then(as_integer).filter(|value| *value >= 0);
                starts.push(real.filter(|_| integer.is_none()));
                let value = match (real, integer) {
                    (None, _) => self.constant_number(*id)?,
                    (Some(_), integer) => integer.unwrap_or(0),
                };
                if value < 0 {
                    let message = format!("a clock cannot start at {value}");
                    let span = self.span_of(*id);
                    self.value_error(
                        codes::CONSTANT_RANGE,
                        span,
                        message,
                        "clocks start at 0 or later",
                    );
                    return None;
                }
                Some(vec![value])
            }
            (Initializer::List(items, span), Type::Array(array)) => {
                if !self.check_list(items, array.size as usize, *span) {
                    return None;
                }
                let mut all = Vec::new();
                for item in items {
                    all.extend(self.clock_values(&array.element, &item.value, starts)?);
                }
                Some(all)
            }
            (initializer, _) => {
                let span = self.initializer_span(initializer);
                let message = "this does not initialise clocks";
                let help = "give one number for a clock, a list for an array of clocks";
                self.error(codes::INITIALISER_SHAPE, span, message, help);
                None
            }
        }
    }

    pub(crate) fn initializer_span(&self, initializer: &Initializer) -> Span {
        match initializer {
            Initializer::Value(id) => self.span_of(*id),
            Initializer::List(_, span) => *span,
        }
    }

    pub(crate) fn define_of(&self, declarator: &Declarator, level: Level) -> Option<(String, i64)> {
        if level != Level::Global && level != Level::System {
            return None;
        }
        let mut defines = self.defines.iter().rev();
        defines.find(|(name, _)| **name == *declarator.name.text).cloned()
    }

    fn constant_entity(&mut self, ty: &Type, declarator: &'a Declarator, level: Level) -> Entity {
        let span = declarator.name.span;
        let ty = ty.of_constant();
        if !ty.is_aggregate()
            && let Some((name, value)) = self.define_of(declarator, level)
        {
            self.used_defines.insert(name);
            return self.defined_constant(ty, value, span);
        }
        let Some(initializer) = &declarator.initializer else {
            let message = format!("the constant `{}` has no value", declarator.name.text);
            let help = "write `= value` after its name";
            self.error(codes::MISSING_INITIALISER, span, message, help);
            return Entity::Damaged;
        };
        if !self.check_storage(self.model.constants.len(), ty.size(), span) {
            return Entity::Damaged;
        }
        let Some(values) = self.initial_values(&ty, initializer) else { return Entity::Damaged };
        if ty.is_aggregate() {
            self.note_list(&ty, ScalarUseKind::Constant);
            let first = self.constant_block(values);
            Entity::Data(Place::fixed(Storage::Constant(first)), ty, Access::Constant)
        } else {
            Entity::Constant(values[0], ty)
        }
    }

    fn defined_constant(&mut self, ty: Type, value: i64, span: Span) -> Entity {
        let fits = ty.range().contains(value);
        match (fits, i32::try_from(value)) {
            (true, Ok(value)) if ty.is_number() => Entity::Constant(value, ty),
            _ => {
                let message = format!("the defined value {value} does not fit the type {ty}");
                let help = "define another value, or widen the range of the constant";
                self.error(codes::DEFINE, span, message, help);
                Entity::Damaged
            }
        }
    }

    fn cell_entity(&mut self, ty: Type, meta: bool, declarator: &'a Declarator) -> Entity {
        let span = declarator.name.span;
        if !self.check_storage(self.model.cells.len(), ty.size(), span) {
            return Entity::Damaged;
        }
        if meta {
            self.note_start(&ty);
            if declarator.initializer.is_some() {
                self.note_list(&ty, ScalarUseKind::Start);
            }
        }
        let values = match &declarator.initializer {
            None => Some(Self::default_values(&ty)),
            Some(initializer) => self.initial_values(&ty, initializer),
        };
        let values = values.unwrap_or_else(|| Self::default_values(&ty));
        let first = self.allocate_cells(&declarator.name.text, &ty, &values, meta, span);
        Entity::Data(Place::fixed(Storage::Cell(first)), ty, Access::Writable)
    }

    /// Declares the predeclared names of the current language.
    pub(crate) fn predeclare(&mut self) {
        if self.document.dialect == Dialect::Old {
            return;
        }
        let numbers = [
            ("INT8_MIN", -128),
            ("INT8_MAX", 127),
            ("UINT8_MAX", 255),
            ("INT16_MIN", -32768),
            ("INT16_MAX", 32767),
            ("UINT16_MAX", 65535),
            ("INT32_MIN", i32::MIN),
            ("INT32_MAX", i32::MAX),
        ];
        let ranges = [
            ("int8_t", -128, 127),
            ("uint8_t", 0, 255),
            ("int16_t", -32768, 32767),
            ("uint16_t", 0, 65535),
            ("int32_t", i32::MIN, i32::MAX),
        ];
        let floating = [
            ("FLT_MIN", f64::from(f32::MIN_POSITIVE)),
            ("FLT_MAX", f64::from(f32::MAX)),
            ("DBL_MIN", f64::MIN_POSITIVE),
            ("DBL_MAX", f64::MAX),
            ("M_PI", constants::PI),
            ("M_PI_2", constants::FRAC_PI_2),
            ("M_PI_4", constants::FRAC_PI_4),
            ("M_E", constants::E),
            ("M_LOG2E", constants::LOG2_E),
            ("M_LOG10E", constants::LOG10_E),
            ("M_LN2", constants::LN_2),
            ("M_LN10", constants::LN_10),
            ("M_1_PI", constants::FRAC_1_PI),
            ("M_2_PI", constants::FRAC_2_PI),
            ("M_2_SQRTPI", constants::FRAC_2_SQRT_PI),
            ("M_SQRT2", constants::SQRT_2),
            ("M_SQRT1_2", constants::FRAC_1_SQRT_2),
        ];
        let numbers = numbers.map(|(name, value)| (name, Entity::Constant(value, Type::NUMBER)));
        let ranges = ranges.map(|(name, low, high)| {
            (name, Entity::Type(Type::Integer(zonaut_model::Range { low, high })))
        });
        let floating = floating.map(|(name, value)| (name, Entity::RealConstant(value)));
        for (name, entity) in numbers.into_iter().chain(ranges).chain(floating) {
            let fresh = self.scope.declare(Level::Predeclared, name.into(), entity, None);
            debug_assert!(fresh.is_ok(), "predeclared names are distinct");
        }
    }

    /// Whether the model has cost annotations: a cost rate, or an update `cost += e`.
    pub(crate) fn uses_cost(&self) -> bool {
        let expressions = &self.document.expressions;
        let is_cost =
            |id| matches!(&expressions[id].kind, ExpressionKind::Name(name) if &**name == "cost");
        expressions.iter().any(|expression| match &expression.kind {
            ExpressionKind::Rate(clock) => is_cost(*clock),
            ExpressionKind::Assignment(zonaut_syntax::tree::AssignmentOperator::Add, target, _) => {
                is_cost(*target)
            }
            _ => false,
        })
    }

    /// Reports `--define` options that name no constant.
    pub(crate) fn check_defines(&mut self) {
        let start = Span { file: self.document.file, start: 0, end: 0 };
        for (position, (name, _)) in self.defines.clone().into_iter().enumerate() {
            let span = self.define_places.get(position).copied().unwrap_or(start);
            if self.used_defines.contains(&name) {
                continue;
            }
            let is_constant = |entity: &Entity| matches!(entity, Entity::Constant(..));
            let help = match self.scope.similar(&name, is_constant) {
                Some(similar) => format!("did you mean `{similar}`?"),
                None => "define a global constant of a number type".to_owned(),
            };
            let message = format!("no global constant is called `{name}`, so it cannot be defined");
            self.error(codes::DEFINE, span, message, help);
        }
    }
}
