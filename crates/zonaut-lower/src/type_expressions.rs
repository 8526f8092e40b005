//! Lowering of type expressions to types with known sizes.

use crate::codes;
use crate::lowering::Lowering;
use crate::quantifiers::Values;
use crate::scope::Entity;
use crate::value_type::{FieldPlace, NamedField, StorageClass, Type};
use zonaut_base::{Diagnostic, Span};
use zonaut_model::{Range, ScalarSet};
use zonaut_syntax::tree::{
    Declarator, Dimension, ExpressionId, ExpressionKind, Field, TypeExpression, TypeKind,
};

impl<'a> Lowering<'a> {
    /// The type that `written` denotes. A new scalar set gets the name `hint`.
    pub(crate) fn type_of(&mut self, written: &'a TypeExpression, hint: Option<&str>) -> Type {
        let ty = self.base_type(written, hint);
        self.check_prefix(written, &ty);
        let prefix = written.prefix;
        match ty {
            Type::Channel { urgent, broadcast } => Type::Channel {
                urgent: urgent || prefix.urgent,
                broadcast: broadcast || prefix.broadcast,
            },
            Type::Clock if prefix.hybrid => Type::HybridClock,
            other => other,
        }
    }

    fn base_type(&mut self, written: &'a TypeExpression, hint: Option<&str>) -> Type {
        match &written.kind {
            TypeKind::Integer(None) => Type::Integer(Range::DEFAULT_INTEGER),
            TypeKind::Integer(Some((low, high))) => {
                let Some((low, high)) = self.bounds(*low, *high) else { return Type::Damaged };
                if low > high {
                    let message = format!("the range [{low},{high}] is empty");
                    let help = "the first bound must not be above the second";
                    self.value_error(codes::EMPTY_RANGE, written.span, message, help);
                    return Type::Damaged;
                }
                Type::Integer(Range { low, high })
            }
            TypeKind::Boolean => Type::Boolean,
            TypeKind::Clock => Type::Clock,
            TypeKind::Channel => Type::Channel { urgent: false, broadcast: false },
            TypeKind::Void => Type::Void,
            TypeKind::Double => Type::Floating,
            TypeKind::Text => Type::Text,
            TypeKind::Scalar(size) => self.scalar_set(*size, hint),
            TypeKind::Struct(fields) => self.struct_type(fields, written.span),
            TypeKind::Named(name) => self.named_type(name, written.span),
        }
    }

    fn bounds(&mut self, low: ExpressionId, high: ExpressionId) -> Option<(i32, i32)> {
        let low = self.constant_number(low);
        let high = self.constant_number(high);
        Some((low?, high?))
    }

    fn scalar_set(&mut self, size: ExpressionId, hint: Option<&str>) -> Type {
        let span = self.span_of(size);
        let Some(value) = self.constant_number(size) else { return Type::Damaged };
        match u32::try_from(value) {
            Ok(size) if size > 0 => {
                let name = hint.map_or_else(|| format!("scalar[{size}]"), str::to_owned);
                let set = self.model.scalar_sets.push(ScalarSet { name, size });
                Type::Scalar(set, size)
            }
            _ => {
                let message = format!("a scalar set cannot have {value} elements");
                self.value_error(codes::ARRAY_SIZE, span, message, "use a positive number");
                Type::Damaged
            }
        }
    }

    fn struct_type(&mut self, fields: &'a [Field], span: Span) -> Type {
        let mut all: Vec<NamedField> = Vec::new();
        for field in fields {
            let base = self.type_of(&field.ty, None);
            for declarator in &field.declarators {
                let ty = self.dimensioned(base.clone(), declarator);
                if matches!(ty.class(), StorageClass::Clock | StorageClass::Channel) {
                    let message = "clocks and channels cannot be fields of a struct";
                    let help = "use an array of clocks or channels beside the struct";
                    self.error(codes::TYPE_HERE, declarator.name.span, message, help);
                    return Type::Damaged;
                }
                let name = declarator.name.text.clone();
                if let Some(first) = all.iter().find(|other| other.name == name) {
                    let message = format!("the field `{name}` is declared twice");
                    let diagnostic =
                        Diagnostic::error(codes::DUPLICATE_NAME, declarator.name.span, message)
                            .with_label(first.place.0, "first declared here")
                            .with_help("give one of the two another name");
                    self.report(diagnostic);
                    continue;
                }
                self.record_field(&declarator.name, &ty);
                all.push(NamedField { name, ty, place: FieldPlace(declarator.name.span) });
            }
        }
        if all.is_empty() {
            let help = "declare a field in it";
            self.error(codes::TYPE_HERE, span, "a struct without fields has no values", help);
            return Type::Damaged;
        }
        Type::structure(all)
    }

    fn named_type(&mut self, name: &str, span: Span) -> Type {
        // The name is the last word of the type, behind its prefix.
        let start = span.end.saturating_sub(name.len() as u32).max(span.start);
        self.record_use(name, Span { start, ..span });
        match self.scope.find(name).map(|(symbol, _)| &symbol.entity) {
            Some(Entity::Type(ty)) => ty.clone(),
            Some(Entity::Damaged) => Type::Damaged,
            Some(other) => {
                let message = format!("`{name}` is {}, not a type", other.describe());
                let help = "declare a type with `typedef`";
                self.error(codes::WRONG_KIND_OF_NAME, span, message, help);
                Type::Damaged
            }
            None => {
                let is_type = |entity: &Entity| matches!(entity, Entity::Type(_));
                let help = match self.scope.similar(name, is_type) {
                    Some(similar) => format!("did you mean `{similar}`?"),
                    None => "declare it with `typedef`".to_owned(),
                };
                let message = format!("unknown type `{name}`");
                self.error(codes::UNKNOWN_NAME, span, message, help);
                Type::Damaged
            }
        }
    }

    fn check_prefix(&mut self, written: &TypeExpression, ty: &Type) {
        let prefix = written.prefix;
        let class = ty.class();
        let wrong = if (prefix.urgent || prefix.broadcast)
            && !matches!(class, StorageClass::Channel | StorageClass::Damaged)
        {
            Some(("`urgent` and `broadcast` stand before channels only", "remove the word"))
        } else if (prefix.constant || prefix.meta)
            && matches!(class, StorageClass::Clock | StorageClass::Channel)
        {
            Some(("clocks and channels cannot be `const` or `meta`", "remove the word"))
        } else if prefix.hybrid
            && !matches!(
                class,
                StorageClass::Clock | StorageClass::Damaged | StorageClass::Floating
            )
        {
            Some(("`hybrid` stands before clocks only", "remove the word"))
        } else {
            None
        };
        if let Some((message, help)) = wrong {
            self.error(codes::PREFIX, written.span, message, help);
        }
    }

    /// The type of a declared name: `base` with the array dimensions of the declarator.
    pub(crate) fn dimensioned(&mut self, base: Type, declarator: &'a Declarator) -> Type {
        let mut ty = base;
        for dimension in declarator.dimensions.iter().rev() {
            if matches!(ty, Type::Void) {
                let message = "there are no arrays of void";
                self.error(codes::TYPE_HERE, declarator.name.span, message, "use another type");
                return Type::Damaged;
            }
            let Some((low, size, scalar)) = self.dimension(dimension) else {
                return Type::Damaged;
            };
            if !matches!(ty, Type::Damaged) {
                ty = Type::array(ty, low, size, scalar);
            }
        }
        ty
    }

    fn dimension(
        &mut self,
        dimension: &'a Dimension,
    ) -> Option<(i32, u32, Option<zonaut_model::ScalarSetId>)> {
        let (ty, span) = match dimension {
            Dimension::Type(written) => (self.type_of(written, None), written.span),
            Dimension::Size(size) => {
                let span = self.span_of(*size);
                match self.type_named_by(*size) {
                    Some(ty) => (ty, span),
                    None => return self.array_size(*size, span),
                }
            }
        };
        match ty {
            Type::Damaged => None,
            Type::Scalar(set, size) => Some((0, size, Some(set))),
            Type::Integer(range) => match u32::try_from(range.size()) {
                Ok(size) => Some((range.low, size, None)),
                Err(_) => {
                    let message = format!("an array with {} elements is too large", range.size());
                    self.error(codes::ARRAY_SIZE, span, message, "use a smaller range");
                    None
                }
            },
            Type::Boolean => Some((0, 2, None)),
            other => {
                let message = format!("an array cannot be indexed by {other}");
                let help = "use a number, a bounded integer type or a scalar set";
                self.error(codes::ARRAY_SIZE, span, message, help);
                None
            }
        }
    }

    fn type_named_by(&mut self, id: ExpressionId) -> Option<Type> {
        let source = self.source;
        let ExpressionKind::Name(name) = &source[id].kind else { return None };
        self.record_use(name, source[id].span);
        match &self.scope.find(name)?.0.entity {
            Entity::Type(ty) => Some(ty.clone()),
            _ => None,
        }
    }

    fn array_size(
        &mut self,
        size: ExpressionId,
        span: Span,
    ) -> Option<(i32, u32, Option<zonaut_model::ScalarSetId>)> {
        let value = self.constant_number(size)?;
        match u32::try_from(value) {
            Ok(size) if size > 0 => Some((0, size, None)),
            _ if self.has_placeholders => Some((0, 1, None)),
            _ => {
                let message = format!("an array cannot have {value} elements");
                self.error(codes::ARRAY_SIZE, span, message, "use a positive number");
                None
            }
        }
    }

    /// The domain of a type in a quantifier, a `select` or an iteration. Empty ranges are allowed
    /// here.
    pub(crate) fn values_of(&mut self, written: &'a TypeExpression) -> Option<Values> {
        if let TypeKind::Integer(Some((low, high))) = &written.kind {
            let (low, high) = self.bounds(*low, *high)?;
            let range = Range { low, high: high.max(low) };
            return Some(Values { low, high, ty: Type::Integer(range) });
        }
        let ty = self.type_of(written, None);
        match ty {
            Type::Damaged => None,
            Type::Integer(range) if !matches!(written.kind, TypeKind::Integer(None)) => {
                Some(Values { low: range.low, high: range.high, ty })
            }
            Type::Scalar(..) | Type::Boolean => {
                let range = ty.range();
                Some(Values { low: range.low, high: range.high, ty })
            }
            other => {
                let message = format!("the values of {other} cannot be listed");
                let help = "use a bounded integer type such as int[0,5], or a scalar set";
                self.error(codes::UNBOUNDED_ITERATION, written.span, message, help);
                None
            }
        }
    }
}
