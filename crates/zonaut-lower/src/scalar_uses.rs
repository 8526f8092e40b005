//! Uses of scalar sets: the storage that a permutation of their elements permutes, and the uses
//! that break symmetry although the types allow them.
//!
//! The type system restricts elements to assignment, tests for equality, indexing and iteration.
//! There are no literals, so a specific element can only originate from a default value, from a
//! list of initial values, whose positions are elements, or from a query, which names processes by
//! number. Variables of the state may have any initial value: a permutation maps the runs of one
//! initial state to those of another. Variables that every transition initialises anew may not.

use crate::lowering::Lowering;
use crate::value_type::Type;
use zonaut_base::Id;
use zonaut_model::{ExpressionId, ProcessId, ScalarSetId, ScalarUse, ScalarUseKind};

impl Lowering<'_> {
    pub(crate) fn note_use(&mut self, set: ScalarSetId, kind: ScalarUseKind) {
        self.model.scalar_uses.push(ScalarUse { set, kind });
    }

    /// Records every array over a scalar set in storage of this type that starts at `first`.
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

    /// Records that the values for different elements differ, for the sets that index parts of this
    /// type.
    pub(crate) fn note_list(&mut self, ty: &Type, kind: ScalarUseKind) {
        ty.for_each_scalar_set(&mut |set, numbers| {
            if numbers {
                self.note_use(set, kind);
            }
        });
    }

    /// Records that a value of this type, which does not outlive a transition, has a default value.
    pub(crate) fn note_start(&mut self, ty: &Type) {
        ty.for_each_scalar_set(&mut |set, numbers| {
            if !numbers {
                self.note_use(set, ScalarUseKind::Start);
            }
        });
    }

    /// Records that the expressions from `first` on iterate over the elements of a type.
    pub(crate) fn note_quantifier(&mut self, ty: &Type, first: ExpressionId) {
        let end = self.model.expressions.next_id();
        if let Type::Scalar(set, _) = ty
            && first < end
        {
            self.note_use(*set, ScalarUseKind::Quantifier { first, end });
        }
    }

    /// Records the elements that index the processes from `first` on, by the values of their free
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
                // The first process of element 0 among those with the same values of earlier
                // parameters.
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
