//! What scalar sets are used for: what a permutation of their elements moves, and what would tell
//! elements apart although types do not allow it.
//!
//! Types see to it that elements are only assigned, compared for equality, used as indices and
//! listed. There are no literals, so a certain element can only come from where a value is made up:
//! from variables without an initial value, from lists of initial values, whose positions are
//! elements, and from queries, which name processes by number. Variables of the state may start as
//! they like: a permutation maps the runs of one initial state to those of another. What starts
//! anew in every step may not.

use crate::lowering::Lowering;
use crate::value_type::Type;
use zonaut_base::Id;
use zonaut_model::{ExpressionId, ProcessId, ScalarSetId, ScalarUse, ScalarUseKind};

impl Lowering<'_> {
    pub(crate) fn note_use(&mut self, set: ScalarSetId, kind: ScalarUseKind) {
        self.model.scalar_uses.push(ScalarUse { set, kind });
    }

    /// Notes every array over a scalar set in storage of this type that begins at `first`.
    pub(crate) fn note_blocks(
        &mut self,
        ty: &Type,
        first: usize,
        kind: &impl Fn(usize, u32) -> ScalarUseKind,
    ) {
        match ty {
            Type::Array(array) if ty.has_scalars() => {
                let stride = array.element.size() as usize;
                if let Some(set) = array.scalar {
                    self.note_use(set, kind(first, stride as u32));
                }
                for position in 0..array.size as usize {
                    self.note_blocks(&array.element, first + position * stride, kind);
                }
            }
            Type::Struct(structure) if ty.has_scalars() => {
                for field in &structure.fields {
                    self.note_blocks(&field.ty, first + field.offset as usize, kind);
                }
            }
            _ => {}
        }
    }

    /// Notes that elements of the sets that number parts of a value of this type differ.
    pub(crate) fn note_list(&mut self, ty: &Type, kind: ScalarUseKind) {
        ty.for_each_scalar_set(&mut |set, numbers| {
            if numbers {
                self.note_use(set, kind);
            }
        });
    }

    /// Notes that a value of this type, which holds nothing between steps, is made up.
    pub(crate) fn note_start(&mut self, ty: &Type) {
        ty.for_each_scalar_set(&mut |set, numbers| {
            if !numbers {
                self.note_use(set, ScalarUseKind::Start);
            }
        });
    }

    /// Notes that the expressions from `first` on were made to list the elements of a type.
    pub(crate) fn note_quantifier(&mut self, ty: &Type, first: ExpressionId) {
        let end = self.model.expressions.next_id();
        if let Type::Scalar(set, _) = ty
            && first < end
        {
            self.note_use(*set, ScalarUseKind::Quantifier { first, end });
        }
    }

    /// Notes which elements number the processes from `first` on, by the values of their free
    /// parameters.
    pub(crate) fn note_processes(
        &mut self,
        parameters: &[Option<ScalarSetId>],
        first: ProcessId,
        members: &[Vec<i32>],
    ) {
        for (position, set) in parameters.iter().enumerate() {
            let Some(set) = *set else { continue };
            for (index, values) in members.iter().enumerate() {
                // The first process of an element that comes first, with the same values before.
                let prefix = &values[..=position];
                let is_first = index == 0 || members[index - 1][..=position] != *prefix;
                if values[position] == 0 && is_first {
                    let count = members[index..].iter().take_while(|v| v[..=position] == *prefix);
                    let stride = count.count() as u32;
                    let first = ProcessId::from_index(first.index() + index);
                    self.note_use(set, ScalarUseKind::Processes { first, stride });
                }
            }
        }
    }
}
