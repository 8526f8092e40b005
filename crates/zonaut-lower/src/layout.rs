//! Allocation of storage: arrays and structs are laid out as consecutive integers, clocks or
//! channels.

use crate::codes;
use crate::lowering::Lowering;
use crate::value_type::Type;
use zonaut_base::{Id, Span};
use zonaut_model::{
    Cell, CellId, Channel, ChannelId, Clock, ClockId, Local, LocalId, ScalarUseKind,
};

impl<'a> Lowering<'a> {
    /// The qualified name of a declared name.
    pub(crate) fn full_name(&self, name: &str) -> String {
        match &self.owner {
            Some(owner) => format!("{}.{name}", owner.name),
            None => name.to_owned(),
        }
    }

    /// Whether `more` integers fit in addition to `used` ones; reports it if not.
    pub(crate) fn check_storage(&mut self, used: usize, more: u64, span: Span) -> bool {
        let limit = self.limits.cells;
        if (used as u64).saturating_add(more) <= limit {
            return true;
        }
        let size = if more == u64::MAX { "more than 2^64".to_owned() } else { more.to_string() };
        let message = format!("this needs {size} integers, beyond the limit of {limit} in all");
        let help = "use smaller arrays, or raise the limit";
        self.error(codes::STORAGE_LIMIT, span, message, help);
        false
    }

    /// Allocates cells of the state with these initial values.
    pub(crate) fn allocate_cells(
        &mut self,
        name: &str,
        ty: &Type,
        initial: &[i32],
        meta: bool,
        span: Span,
    ) -> CellId {
        let first = self.model.cells.next_id();
        let owner = self.owner.as_ref().map(|owner| owner.process);
        let mut values = initial.iter();
        let mut full = self.full_name(name);
        let (cells, origin) = (&mut self.model.cells, &mut self.origin.cells);
        ty.for_each_leaf(&mut full, &mut |name, leaf| {
            cells.push(Cell {
                name: name.to_owned(),
                owner,
                kind: leaf.cell_kind(),
                range: leaf.range(),
                initial: values.next().copied().unwrap_or_default(),
                meta,
            });
            origin.push(span);
        });
        self.note_blocks(ty, first.index(), &|first, stride| ScalarUseKind::Cells {
            first: Id::from_index(first),
            stride,
        });
        first
    }

    /// Allocates locals for a value; reports and returns `None` beyond the limit.
    pub(crate) fn allocate_locals(&mut self, name: &str, ty: &Type, span: Span) -> Option<LocalId> {
        if !self.check_storage(self.model.locals.len(), ty.size(), span) {
            return None;
        }
        let first = self.model.locals.next_id();
        let locals = &mut self.model.locals;
        ty.for_each_leaf(&mut name.to_owned(), &mut |name, leaf| {
            locals.push(Local { name: name.to_owned(), range: leaf.range() });
        });
        Some(first)
    }

    /// Allocates clocks; reports and returns `None` beyond the limit.
    pub(crate) fn allocate_clocks(
        &mut self,
        name: &str,
        ty: &Type,
        initial: &[i32],
        span: Span,
    ) -> Option<ClockId> {
        let count = (self.model.clocks.len() as u64).saturating_add(ty.size());
        let limit = self.limits.clocks;
        if count > limit {
            let dimension = u128::from(count) + 1;
            let mebibytes = (dimension * dimension * 4).div_ceil(1 << 20);
            let message = format!(
                "{count} clocks are beyond the limit of {limit}: one zone would take {mebibytes} MiB"
            );
            let help = "use fewer clocks, or raise the limit";
            self.error(codes::CLOCK_LIMIT, span, message, help);
            return None;
        }
        let first = self.model.clocks.next_id();
        let owner = self.owner.as_ref().map(|owner| owner.process);
        let mut values = initial.iter();
        let mut full = self.full_name(name);
        let (clocks, origin) = (&mut self.model.clocks, &mut self.origin.clocks);
        ty.for_each_leaf(&mut full, &mut |name, _| {
            let initial = values.next().copied().unwrap_or_default();
            clocks.push(Clock { name: name.to_owned(), owner, initial });
            origin.push(span);
        });
        self.note_blocks(ty, first.index(), &|first, stride| ScalarUseKind::Clocks {
            first: Id::from_index(first),
            stride,
        });
        Some(first)
    }

    /// Allocates channels; reports and returns `None` beyond the limit.
    pub(crate) fn allocate_channels(
        &mut self,
        name: &str,
        ty: &Type,
        span: Span,
    ) -> Option<ChannelId> {
        let count = (self.model.channels.len() as u64).saturating_add(ty.size());
        let limit = self.limits.channels;
        if count > limit {
            let message = format!("{count} channels are beyond the limit of {limit}");
            let help = "use smaller arrays, or raise the limit";
            self.error(codes::STORAGE_LIMIT, span, message, help);
            return None;
        }
        let first = self.model.channels.next_id();
        let mut full = self.full_name(name);
        let (channels, origin) = (&mut self.model.channels, &mut self.origin.channels);
        ty.for_each_leaf(&mut full, &mut |name, leaf| {
            let Type::Channel { urgent, broadcast } = *leaf else { return };
            channels.push(Channel { name: name.to_owned(), broadcast, urgent, priority: 0 });
            origin.push(span);
        });
        Some(first)
    }
}
