//! Evaluation of initial values, which are constants.

use crate::codes;
use crate::lowering::Lowering;
use crate::operand::{DataPlace, Operand};
use crate::value_type::{StructType, Type};
use zonaut_base::{Id, Span};
use zonaut_model::{ConstantId, Expression, LocalId, Storage};
use zonaut_syntax::tree::{ExpressionId, Initializer, InitializerItem};

impl<'a> Lowering<'a> {
    /// All integers of a value of `ty` without an initialiser.
    pub(crate) fn default_values(ty: &Type) -> Vec<i32> {
        let mut values = Vec::new();
        ty.for_each_leaf(&mut String::new(), &mut |_, leaf| values.push(leaf.default_value()));
        values
    }

    /// All integers of an initial value of `ty`.
    pub(crate) fn initial_values(
        &mut self,
        ty: &Type,
        initializer: &'a Initializer,
    ) -> Option<Vec<i32>> {
        let mut values = Vec::new();
        self.add_values(ty, initializer, &mut values).then_some(values)
    }

    fn add_values(
        &mut self,
        ty: &Type,
        initializer: &'a Initializer,
        values: &mut Vec<i32>,
    ) -> bool {
        match (initializer, ty) {
            (Initializer::Value(id), _) if ty.is_aggregate() => {
                match self.constant_content(*id, ty) {
                    Some(content) => values.extend(content),
                    None => return false,
                }
                true
            }
            (Initializer::Value(id), _) => match self.constant_of_type(*id, ty) {
                Some(value) => {
                    values.push(value);
                    true
                }
                None => false,
            },
            (Initializer::List(items, span), Type::Array(array)) => {
                if !self.check_list(items, array.size as usize, *span) {
                    return false;
                }
                items.iter().all(|item| self.add_values(&array.element, &item.value, values))
            }
            (Initializer::List(items, span), Type::Struct(structure)) => {
                let Some(order) = self.field_order(items, structure, *span) else { return false };
                let pairs = structure.fields.iter().zip(order);
                pairs
                    .into_iter()
                    .all(|(field, item)| self.add_values(&field.ty, &items[item].value, values))
            }
            (Initializer::List(_, span), _) => {
                let message = format!("a list cannot initialise a {ty}");
                let help = "lists are for arrays and structs";
                self.error(codes::INITIALISER_SHAPE, *span, message, help);
                false
            }
        }
    }

    pub(crate) fn check_list(
        &mut self,
        items: &[InitializerItem],
        length: usize,
        span: Span,
    ) -> bool {
        if let Some(name) = items.iter().find_map(|item| item.field.as_ref()) {
            let message = format!("an array has no field `{}`", name.text);
            self.error(codes::INITIALISER_SHAPE, name.span, message, "remove the name");
            return false;
        }
        if items.len() != length {
            let message = format!("{} values for an array of {length}", items.len());
            let help = "give every element a value";
            self.value_error(codes::INITIALISER_SHAPE, span, message, help);
            return false;
        }
        true
    }

    /// For each field of the struct, the index of its initialiser in the list.
    pub(crate) fn field_order(
        &mut self,
        items: &[InitializerItem],
        structure: &StructType,
        span: Span,
    ) -> Option<Vec<usize>> {
        let count = structure.fields.len();
        let mut order: Vec<Option<usize>> = vec![None; count];
        for (position, item) in items.iter().enumerate() {
            let field = match &item.field {
                Some(name) => structure.fields.iter().position(|field| field.name == name.text),
                None => Some(position),
            };
            if let (Some(field), Some(name)) = (field, &item.field) {
                self.record_use_of(Some(structure.fields[field].place.0), name.span);
            }
            let slot = field.and_then(|field| order.get_mut(field));
            match (slot, &item.field) {
                (Some(slot @ None), _) => *slot = Some(position),
                (_, Some(name)) => {
                    let message = format!("`{}` names no field, or one twice", name.text);
                    let help = "name every field of the struct once";
                    self.error(codes::INITIALISER_SHAPE, name.span, message, help);
                    return None;
                }
                (_, None) => break,
            }
        }
        let complete: Option<Vec<usize>> = order.into_iter().collect();
        if complete.is_none() || items.len() != count {
            let message = format!("{} values for a struct of {count} fields", items.len());
            let help = "give every field one value";
            self.error(codes::INITIALISER_SHAPE, span, message, help);
            return None;
        }
        complete
    }

    /// The constant value of an expression as a value of `ty`, with range check.
    pub(crate) fn constant_of_type(&mut self, id: ExpressionId, ty: &Type) -> Option<i32> {
        let span = self.span_of(id);
        let (value, value_type) = self.constant_scalar(id)?;
        if !value_type.matches(ty) || matches!(ty, Type::Void) {
            let message = format!("a {value_type} is not a {ty}");
            let help = "use a value of the declared type";
            self.error(codes::TYPE_MISMATCH, span, message, help);
            return None;
        }
        let value = if matches!(ty, Type::Boolean) { i32::from(value != 0) } else { value };
        self.check_range(value.into(), ty, span).then_some(value)
    }

    /// Whether a constant is in the range of its type; reports it if not.
    pub(crate) fn check_range(&mut self, value: i64, ty: &Type, span: Span) -> bool {
        let range = ty.range();
        if range.contains(value) {
            return true;
        }
        let message = format!("the value {value} is outside the range {range}");
        let help = "use a value inside the range, or widen the range";
        self.value_error(codes::CONSTANT_RANGE, span, message, help);
        false
    }

    /// All integers of an array or struct whose content must be constant.
    pub(crate) fn constant_content(&mut self, id: ExpressionId, ty: &Type) -> Option<Vec<i32>> {
        let span = self.span_of(id);
        let outer_effects = std::mem::take(&mut self.effects);
        let floor = std::mem::replace(&mut self.local_floor, self.model.locals.len());
        let operand = self.as_constant(|this| this.operand(id));
        let is_constant = self.is_constant_content(&operand);
        self.local_floor = floor;
        self.effects = outer_effects;
        let data = match operand {
            Operand::Data(data) if data.ty.matches(ty) => data,
            Operand::Damaged => return None,
            other => {
                let message = format!("{} is not a {ty}", other.describe());
                let help = "use a list in braces or a constant of the same type";
                self.error(codes::TYPE_MISMATCH, span, message, help);
                return None;
            }
        };
        if !is_constant {
            let message = "this must be known before the model runs, but depends on its state";
            let help = "use constants, parameters that nothing assigns, and functions of them";
            self.error(codes::NOT_CONSTANT, span, message, help);
            return None;
        }
        let content = self.load_content(data, ty.size() as usize, span)?;
        let mut outside = None;
        let mut values = content.iter();
        ty.for_each_leaf(&mut String::new(), &mut |_, leaf| {
            let value = values.next().copied().map_or(0, i64::from);
            if outside.is_none() && !leaf.range().contains(value) {
                outside = Some((value, leaf.clone()));
            }
        });
        match outside {
            Some((value, leaf)) => self.check_range(value, &leaf, span).then_some(content),
            None => Some(content),
        }
    }

    fn is_constant_content(&self, operand: &Operand) -> bool {
        let Operand::Data(data) = operand else { return false };
        let effects = self.effects.visible_below(self.local_floor);
        !self.is_state(&data.place)
            && !effects.reads
            && !effects.reals
            && effects.real_stores.is_none()
            && !effects.changes_anything()
    }

    /// The content of a constant place, after evaluating its prelude.
    fn load_content(&mut self, data: DataPlace, length: usize, span: Span) -> Option<Vec<i32>> {
        if let (Storage::Constant(root), true, true) =
            (data.place.root, data.place.is_fixed(), data.prelude.is_empty())
        {
            let ids = (0..length).map(|k| ConstantId::from_index(root.index() + k));
            return Some(ids.filter_map(|id| self.model.constants.get(id).copied()).collect());
        }
        let copy = self.copied(data, span)?;
        let Storage::Local(first) = copy.place.root else { return None };
        let start = self.push(Expression::Sequence(copy.prelude), span);
        self.run(start, span, |machine| {
            machine.evaluate(start)?;
            let locals = (0..length).map(|k| LocalId::from_index(first.index() + k));
            Ok(locals.map(|local| machine.local(local)).collect())
        })
    }
}
