//! Temporaries: arrays and structs without a variable, in locals. They hold results of calls, the
//! values of `?:`, and contents that must be preserved while other code runs.
//!
//! A temporary has a *prelude*, which stores its value. The prelude must run at the position of the
//! value in the text: before the code to its right, and after the code to its left.

use crate::codes;
use crate::lowering::Lowering;
use crate::operand::{Code, DataPlace, Operand};
use crate::scope::Access;
use crate::value_type::Type;
use zonaut_base::{Id, Span};
use zonaut_model::{
    Effects, Expression, ExpressionId, Local, LocalId, Parameter, Place, PlaceIndex, Range,
    Storage, ValueOf,
};

impl<'a> Lowering<'a> {
    /// `last`, preceded by `prelude`.
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

    /// `place`, with `prelude` as an index with a single value and stride 0: it runs whenever the
    /// address is computed. Evaluating places in order therefore runs preludes in order.
    pub(crate) fn place_after(
        &mut self,
        mut prelude: Vec<ExpressionId>,
        mut place: Place<Storage>,
        span: Span,
    ) -> Place<Storage> {
        if prelude.is_empty() {
            return place;
        }
        prelude.push(self.push(Expression::Constant(0), span));
        let value = self.push(Expression::Sequence(prelude), span);
        place.indices.insert(0, PlaceIndex { value, low: 0, size: 1, stride: 0 });
        place
    }

    /// An array or struct that a function returns: copied, because the next call overwrites it.
    pub(crate) fn returned_content(
        &mut self,
        mut prelude: Vec<ExpressionId>,
        call: ExpressionId,
        from: Parameter,
        ty: Type,
        span: Span,
    ) -> Operand {
        let Some(first) = self.allocate_locals("returned", &ty, span) else {
            return Operand::Damaged;
        };
        prelude.push(call);
        // The result belongs to the call: reading it is not an access to the state.
        let effects = self.effects;
        let source = Place::fixed(Storage::Local(from.first));
        prelude.push(self.copy_to_temporary(first, source, from.length, span));
        self.effects = effects;
        Operand::Data(DataPlace::temporary(first, ty, prelude))
    }

    /// A conditional between two arrays or structs: the selected one is copied.
    pub(crate) fn chosen_content(
        &mut self,
        condition: Code,
        yes: DataPlace,
        no: DataPlace,
        span: Span,
    ) -> Operand {
        if !yes.ty.matches(&no.ty) {
            let message = format!("the two sides have the types {} and {}", yes.ty, no.ty);
            let help = "both sides of `?:` need the same type";
            self.error(codes::TYPE_MISMATCH, span, message, help);
            return Operand::Damaged;
        }
        let ty = yes.ty.clone();
        let Some(first) = self.allocate_locals("choice", &ty, span) else {
            return Operand::Damaged;
        };
        self.widen_locals(first, &no.ty);
        let [yes, no] = [yes, no].map(|side| {
            let length = side.ty.size() as u32;
            let copy = self.copy_to_temporary(first, side.place, length, span);
            self.after(side.prelude, copy, span)
        });
        let condition = self.expression_of(condition, span);
        let choice = self.push(Expression::Conditional(condition, yes, no), span);
        Operand::Data(DataPlace::temporary(first, ty, vec![choice]))
    }

    /// Widens the ranges of the locals from `first` on to the values of `ty`: the sides of a
    /// conditional may differ in their ranges, and copying one of them must not fail.
    fn widen_locals(&mut self, first: LocalId, ty: &Type) {
        let mut position = first.index();
        ty.for_each_leaf(&mut String::new(), &mut |_, leaf| {
            let range = &mut self.model.locals[LocalId::from_index(position)].range;
            range.low = range.low.min(leaf.range().low);
            range.high = range.high.max(leaf.range().high);
            position += 1;
        });
    }

    /// The operand with its current content, although code with the effects `later` runs before its
    /// use. Operands other than arrays and structs are read at their position anyway.
    pub(crate) fn preserved(&mut self, operand: Operand, later: Effects, span: Span) -> Operand {
        match operand {
            Operand::Data(data) if data.ty.is_aggregate() && later.may_change(data.place.root) => {
                self.copied(data, span).map_or(Operand::Damaged, Operand::Data)
            }
            operand => operand,
        }
    }

    /// A copy of an array or struct.
    pub(crate) fn copied(&mut self, data: DataPlace, span: Span) -> Option<DataPlace> {
        let first = self.allocate_locals("kept", &data.ty, span)?;
        let length = data.ty.size() as u32;
        let mut prelude = data.prelude;
        prelude.push(self.copy_to_temporary(first, data.place, length, span));
        Some(DataPlace::temporary(first, data.ty, prelude))
    }

    /// Two expressions for the value of `value`; the first must run first. A `value` with `effects`
    /// is evaluated once.
    pub(crate) fn used_twice(
        &mut self,
        value: ExpressionId,
        effects: Effects,
        span: Span,
    ) -> (ExpressionId, ExpressionId) {
        if !effects.changes_anything() {
            return (value, value);
        }
        let local = self.model.locals.push(Local { name: "kept".to_owned(), range: Range::ALL });
        let place = Place::fixed(Storage::Local(local));
        let stores = self.effects.stores;
        let (operator, result) = (None, ValueOf::After);
        let first = Expression::Assign { place: place.clone(), operator, value, result };
        let first = self.push(first, span);
        self.effects.stores = stores;
        (first, self.push(Expression::Read(place), span))
    }

    /// Copies content to unnamed locals, which does not count as an effect.
    fn copy_to_temporary(
        &mut self,
        first: LocalId,
        source: Place<Storage>,
        length: u32,
        span: Span,
    ) -> ExpressionId {
        let stores = self.effects.stores;
        let target = Place::fixed(Storage::Local(first));
        let copy = self.push(Expression::CopyContent(target, source, length), span);
        self.effects.stores = stores;
        copy
    }
}

impl DataPlace {
    /// A value that `prelude` stores in locals.
    fn temporary(first: LocalId, ty: Type, prelude: Vec<ExpressionId>) -> Self {
        let place = Place::fixed(Storage::Local(first));
        Self { place, ty, access: Access::Constant, prelude }
    }
}
