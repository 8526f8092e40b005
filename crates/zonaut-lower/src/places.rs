//! Lowering of places: elements and fields of storage, and their contents.

use crate::codes;
use crate::expressions::for_each_child;
use crate::lowering::Lowering;
use crate::operand::{Code, DataPlace, Operand, RealPlace};
use crate::scope::{Access, Level};
use crate::value_type::{FieldType, Type};
use zonaut_base::{Id, Span};
use zonaut_model::{Expression, Place, PlaceIndex, Storage};
use zonaut_syntax::tree::{self, ExpressionKind};

impl<'a> Lowering<'a> {
    pub(crate) fn index(
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
            Operand::RealData(mut data) => {
                match self.select_element(&mut data.place, &data.ty, index, span, shifted) {
                    Some(ty) => Operand::RealData(RealPlace { ty, ..data }),
                    None => Operand::Damaged,
                }
            }
            Operand::Damaged => Operand::Damaged,
            other => {
                let message = format!("{} has no elements", other.describe());
                let help = "only arrays can be indexed";
                self.error(codes::WRONG_TYPE, span, message, help);
                Operand::Damaged
            }
        }
    }

    /// Narrows `place`, which holds a `ty`, to the element at `index`; returns the element's type.
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
                    self.report_index(message, index_span);
                }
                let value = self.expression_of(code, index_span);
                place.indices.push(PlaceIndex { value, low: array.low, size: array.size, stride });
            }
        }
        Some(array.element.clone())
    }

    /// Reports a constant index outside its array: an error if it is evaluated during lowering, a
    /// warning in code, which fails only if it is executed.
    fn report_index(&mut self, message: String, span: Span) {
        if !self.in_code {
            let help = "use an index inside the range, or make the array larger";
            self.value_error(codes::INDEX_RANGE, span, message, help);
        } else if !self.has_placeholders {
            let help = "executing this is a run-time error; use an index inside the range";
            self.warning(codes::INDEX_RANGE, span, message, help);
        }
    }

    /// Whether the value is the same in all template instances: only literals and global names
    /// occur.
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

    pub(crate) fn field(
        &mut self,
        value: tree::ExpressionId,
        field: &tree::Name,
        span: Span,
    ) -> Operand {
        match self.operand(value) {
            Operand::Data(mut data) => {
                let Some(FieldType { ty, offset, place, .. }) = field_of(&data.ty, field) else {
                    self.unknown_field(&data.ty, field);
                    return Operand::Damaged;
                };
                self.record_use_of(Some(place.0), field.span);
                data.ty = ty;
                data.place.root = zonaut_model::interpret::offset(data.place.root, offset as usize);
                Operand::Data(data)
            }
            Operand::Process(process) => self.process_member(process, field, span),
            Operand::RealData(mut data) => {
                let Some(FieldType { ty, offset, place, .. }) = field_of(&data.ty, field) else {
                    self.unknown_field(&data.ty, field);
                    return Operand::Damaged;
                };
                self.record_use_of(Some(place.0), field.span);
                data.place.root = shifted(data.place.root, offset as usize);
                Operand::RealData(RealPlace { ty, ..data })
            }
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
            Type::Struct(structure) => match self.scope.similar_field(&field.text, structure) {
                Some(similar) => format!("did you mean `{similar}`?"),
                None => "use one of the declared fields".to_owned(),
            },
            _ => "only structs have fields".to_owned(),
        };
        self.error(codes::UNKNOWN_MEMBER, field.span, message, help);
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

    /// Whether a variable can be written; reports the reason if not.
    pub(crate) fn check_writable(&mut self, data: &DataPlace, span: Span) -> bool {
        self.check_access(data.access, data.prelude.is_empty(), span)
    }

    /// Whether storage can be written; reports the reason if not.
    pub(crate) fn check_access(&mut self, access: Access, is_variable: bool, span: Span) -> bool {
        let (message, help) = match access {
            Access::Writable if is_variable => return true,
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

/// The field of this name, if the type is a struct that has one.
fn field_of(ty: &Type, name: &tree::Name) -> Option<FieldType> {
    let Type::Struct(structure) = ty else { return None };
    structure.fields.iter().find(|field| field.name == name.text).cloned()
}
