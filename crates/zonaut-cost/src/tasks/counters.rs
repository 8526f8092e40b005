//! Counters: cells that count what processes hold of a capacity, such as workers or places.
//!
//! A cell is a counter if there is an *amount* for each process and location, so that every edge adds
//! the difference of the amounts of its target and its source to the cell, or subtracts it, and
//! nothing else changes the cell. Amounts are not negative, and none is held in the initial state.
//! Then, by induction over transitions, the cell differs from its initial value by the sum of the
//! amounts that processes hold; in a synchronisation the updates of all edges add up.
//!
//! The sum never exceeds the *capacity*: an edge that takes something ends at most where its guard
//! allows it to begin, plus what it takes; and the cell stays in its range.
//!
//! Places in which a process holds more than half of the capacity exclude each other: they are those
//! of a lock.

use zonaut_analysis::footprint::{Footprint, Footprints};
use zonaut_analysis::interval::{Declared, Intervals, declared_walk};
use zonaut_analysis::{Overlay, Truth, Walk};
use zonaut_base::{Id, Meter, StopReason};
use zonaut_model::{
    BinaryOperator, CellId, Edge, Expression, ExpressionId, LocationId, Model, Place, ProcessId,
    Storage, UnaryOperator,
};

use super::distance::Span;
use super::{Move, constant};

/// Deeper expressions are not understood.
const DEEPEST: usize = 64;

/// A cell that counts what processes hold of a capacity.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counter {
    /// The cell.
    pub cell: CellId,
    /// The greatest sum of amounts.
    pub capacity: Span,
    /// By process and location.
    amounts: Vec<Vec<Span>>,
    /// By move, whether its updates use the content of the cell for nothing but counting.
    is_blind: Vec<bool>,
    /// By move, whether its guard still holds if processes hold less.
    is_easy: Vec<bool>,
}

impl Counter {
    /// The amount that a process holds in a location.
    #[must_use]
    pub fn amount(&self, process: ProcessId, location: LocationId) -> Span {
        self.amounts[process.index()][location.index()]
    }

    /// Whether the updates of a move use the content of the cell for nothing but counting.
    #[must_use]
    pub fn is_only_counted_by(&self, this: usize) -> bool {
        self.is_blind[this]
    }

    /// Whether the guard of a move still holds if processes hold less.
    #[must_use]
    pub fn may_be_less_for(&self, this: usize) -> bool {
        self.is_easy[this]
    }

    /// By process and location, whether more than half of the capacity is held.
    pub(super) fn heavy(&self) -> Vec<Vec<bool>> {
        let is_heavy = |amount: &Span| {
            #[cfg(feature = "faults")]
            if crate::faults::Fault::HalfExcludesHalf.is_selected() {
                return 2 * amount >= self.capacity && *amount > 0;
            }
            2 * amount > self.capacity
        };
        let of_process = |amounts: &Vec<Span>| amounts.iter().map(is_heavy).collect();
        self.amounts.iter().map(of_process).collect()
    }
}

/// All counters of `model`; the analysis counts on `meter`.
pub(super) fn find_counters(
    model: &Model,
    moves: &[Move],
    meter: &Meter,
) -> Result<Vec<Counter>, StopReason> {
    let mut found = Vec::new();
    for cell in model.cells.ids() {
        meter.spend(moves.len() as u32)?;
        // A meta variable is forgotten after each transition.
        if !model.cells[cell].meta && moves.iter().any(|this| this.writes.cells.contains(cell)) {
            found.extend(counter(model, moves, cell));
        }
    }
    Ok(found)
}

fn counter(model: &Model, moves: &[Move], cell: CellId) -> Option<Counter> {
    let mut shifts = Vec::with_capacity(moves.len());
    for this in moves {
        let edge = this.content(model);
        shifts.push(match this.writes.cells.contains(cell) {
            true if !edge.select.is_empty() => return None,
            true => shift_of(model, edge, cell)?,
            false => 0,
        });
    }
    let mut amounts = amounts(model, moves, &shifts)?;
    let all = || amounts.iter().flatten();
    let grows = match (all().any(|amount| *amount > 0), all().any(|amount| *amount < 0)) {
        (true, false) => true,
        (false, true) => false,
        _ => return None,
    };
    if !grows {
        amounts.iter_mut().flatten().for_each(|amount| *amount = -*amount);
    }
    let capacity = capacity(model, moves, &shifts, Direction { cell, grows });
    let of_edges = |of: &dyn Fn(&Edge) -> bool| {
        moves.iter().map(|this| of(this.content(model))).collect::<Vec<bool>>()
    };
    let is_blind = of_edges(&|edge| is_blind(model, edge, cell));
    let is_easy = of_edges(&|edge| is_easy(model, edge, Direction { cell, grows }));
    Some(Counter { cell, capacity, amounts, is_blind, is_easy })
}

/// A cell, and whether it grows when something is taken.
#[derive(Clone, Copy)]
struct Direction {
    cell: CellId,
    grows: bool,
}

/// The cell of a place, if it is always the same.
fn resolved(model: &Model, place: &Place<Storage>) -> Option<CellId> {
    let Storage::Cell(root) = place.root else { return None };
    let mut offset = 0;
    for index in &place.indices {
        let value = i64::from(constant(model, index.value)?) - i64::from(index.low);
        if !(0..i64::from(index.size)).contains(&value) {
            return None;
        }
        offset += value as usize * index.stride as usize;
    }
    Some(CellId::from_index(root.index() + offset))
}

fn footprint_of_update(model: &Model, update: ExpressionId) -> Footprint {
    let mut walk = Footprints::walk(model);
    // An update that always fails is never executed.
    let _ = walk.update(&[update]);
    walk.domain.found
}

/// The amount that the updates of an edge add to a cell, if it is always the same.
fn shift_of(model: &Model, edge: &Edge, cell: CellId) -> Option<Span> {
    let mut sum: Span = 0;
    for &update in &edge.updates {
        if footprint_of_update(model, update).writes.cells.contains(cell) {
            sum += shift_of_update(model, update, cell)?;
        }
    }
    Some(sum)
}

/// The amount that an update adds to a cell, if it does nothing else.
fn shift_of_update(model: &Model, update: ExpressionId, cell: CellId) -> Option<Span> {
    let Expression::Assign { place, operator, value, .. } = &model.expressions[update] else {
        return None;
    };
    let writes = footprint_of_update(model, update).writes.cells;
    if resolved(model, place) != Some(cell) || writes.iter().count() != 1 {
        return None;
    }
    let sign = |operator: BinaryOperator| match operator {
        BinaryOperator::Add => Some(1),
        BinaryOperator::Subtract => Some(-1),
        _ => None,
    };
    let number = |id: ExpressionId| constant(model, id).map(Span::from);
    let is_old = |id: ExpressionId| match &model.expressions[id] {
        Expression::Read(place) => resolved(model, place) == Some(cell),
        _ => false,
    };
    match (operator, &model.expressions[*value]) {
        (Some(operator), _) => Some(sign(*operator)? * number(*value)?),
        (None, &Expression::Binary(operator, old, by)) if is_old(old) => {
            Some(sign(operator)? * number(by)?)
        }
        (None, &Expression::Binary(BinaryOperator::Add, by, old)) if is_old(old) => number(by),
        _ => None,
    }
}

/// By process and location, the sum of the shifts on the way there, if it is the same on all paths.
fn amounts(model: &Model, moves: &[Move], shifts: &[Span]) -> Option<Vec<Vec<Span>>> {
    let mut found: Vec<Vec<Option<Span>>> =
        model.processes.iter().map(|process| vec![None; process.locations.len()]).collect();
    for (process, definition) in model.processes.iter_enumerated() {
        found[process.index()][definition.initial.index()] = Some(0);
    }
    let mut is_changed = true;
    while std::mem::take(&mut is_changed) {
        for (this, shift) in moves.iter().zip(shifts) {
            let places = &mut found[this.process.index()];
            let Some(before) = places[this.source.index()] else { continue };
            match places[this.target.index()] {
                None => {
                    places[this.target.index()] = Some(before + shift);
                    is_changed = true;
                }
                Some(amount) if amount != before + shift => return None,
                Some(_) => {}
            }
        }
    }
    let known = |places: Vec<Option<Span>>| places.into_iter().map(|a| a.unwrap_or(0)).collect();
    Some(found.into_iter().map(known).collect())
}

/// The greatest sum of amounts.
fn capacity(model: &Model, moves: &[Move], shifts: &[Span], of: Direction) -> Span {
    let content = &model.cells[of.cell];
    let initial = Span::from(content.initial);
    let end = if of.grows { content.range.high } else { content.range.low };
    let most = (Span::from(end) - initial).abs();
    let mut capacity = 0;
    for (this, shift) in moves.iter().zip(shifts) {
        let edge = this.content(model);
        let taken = if of.grows { *shift } else { -shift };
        if taken <= 0 {
            continue;
        }
        // The guards of a synchronisation hold before the updates of both sides.
        let before = match edge.synchronisation {
            Some(_) => most,
            None => most_before(model, edge, of, most),
        };
        capacity = (before + taken).min(most).max(capacity);
    }
    capacity
}

/// The greatest amount up to `most` at which the guard of an edge may hold.
fn most_before(model: &Model, edge: &Edge, of: Direction, most: Span) -> Span {
    let initial = i64::from(model.cells[of.cell].initial);
    let fails_from = |amount: Span| {
        let contents = match of.grows {
            true => (initial + amount, initial + most),
            false => (initial - most, initial - amount),
        };
        let mut memory = Overlay::default();
        memory.insert(Storage::Cell(of.cell), contents);
        let mut walk = Walk::new(model, Intervals::new(model, Declared(model)), memory);
        walk.condition(&edge.guard) == Some(Truth::Fails)
    };
    // The guard may hold below `low`, as far as is known, and fails from `high` on.
    let (mut low, mut high) = (0, most + 1);
    while low < high {
        let middle = low + (high - low) / 2;
        if fails_from(middle) { high = middle } else { low = middle + 1 }
    }
    (high - 1).max(0)
}

/// Whether the updates of an edge use the content of a cell for nothing but counting.
fn is_blind(model: &Model, edge: &Edge, cell: CellId) -> bool {
    edge.updates.iter().all(|&update| {
        let touched = footprint_of_update(model, update);
        match touched.writes.cells.contains(cell) {
            true => shift_of_update(model, update, cell).is_some(),
            false => !touched.reads.cells.contains(cell),
        }
    })
}

/// Whether the guard of an edge still holds if processes hold less.
fn is_easy(model: &Model, edge: &Edge, of: Direction) -> bool {
    let Some(data) = edge.guard.data else { return true };
    let mut walk = Footprints::walk(model);
    let _ = walk.condition(&edge.guard);
    if !walk.domain.found.reads.cells.contains(of.cell) {
        return true;
    }
    let mut walk = declared_walk(model);
    let _ = walk.condition(&edge.guard);
    if !walk.failures().is_empty() || !edge.select.is_empty() {
        return false;
    }
    let mut open = vec![data];
    while let Some(id) = open.pop() {
        match model.expressions[id] {
            Expression::And(left, right) => open.extend([left, right]),
            _ if !reads(model, id, of.cell) => {}
            Expression::Binary(operator, left, right) => {
                let factor = |id| factor(model, id, of.cell, DEEPEST);
                let (Some(left), Some(right)) = (factor(left), factor(right)) else { return false };
                let slope = if of.grows { left - right } else { right - left };
                let is_kept = match operator {
                    BinaryOperator::Less | BinaryOperator::LessEqual => slope >= 0,
                    BinaryOperator::Greater | BinaryOperator::GreaterEqual => slope <= 0,
                    _ => false,
                };
                if !is_kept {
                    return false;
                }
            }
            _ => return false,
        }
    }
    true
}

fn reads(model: &Model, id: ExpressionId, cell: CellId) -> bool {
    let mut walk = Footprints::walk(model);
    let _ = walk.evaluate(id);
    walk.domain.found.reads.cells.contains(cell)
}

/// The factor of a cell in an expression that is linear in it.
fn factor(model: &Model, id: ExpressionId, cell: CellId, depth: usize) -> Option<i64> {
    if !reads(model, id, cell) {
        return Some(0);
    }
    let depth = depth.checked_sub(1)?;
    let of = |id| factor(model, id, cell, depth);
    match &model.expressions[id] {
        Expression::Read(place) => (resolved(model, place) == Some(cell)).then_some(1),
        &Expression::Unary(UnaryOperator::Negate, one) => Some(-of(one)?),
        &Expression::Binary(BinaryOperator::Add, left, right) => Some(of(left)? + of(right)?),
        &Expression::Binary(BinaryOperator::Subtract, left, right) => Some(of(left)? - of(right)?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::costing::Costing;
    use crate::tasks::Tasks;
    use zonaut_oracle::front_end::model_of;

    /// The capacities of the counters of a model with processes that take and give `n`, and whether
    /// their first edges allow less.
    fn counters(declarations: &str, edges: &[[&str; 2]]) -> Vec<(Span, Vec<bool>)> {
        let mut text = format!("{declarations}; ");
        for (number, [take, give]) in edges.iter().enumerate() {
            text += &format!(
                "process P{number}() {{ state a, b, c; init a; trans a -> b {{ {take} }}, \
                 b -> c {{ {give} }}; }} "
            );
        }
        let names: Vec<String> = (0..edges.len()).map(|number| format!("P{number}")).collect();
        text += &format!("system {};", names.join(", "));
        let (model, _) = model_of(&text, &[]).expect("a correct model");
        let tasks = Tasks::relaxed(&model, Costing::TIME, &Meter::default()).expect("small");
        let easy = |counter: &Counter| {
            let allows_less =
                |this| counter.is_only_counted_by(this) && counter.may_be_less_for(this);
            (0..edges.len()).map(|process| allows_less(2 * process)).collect()
        };
        tasks.counters.iter().map(|counter| (counter.capacity, easy(counter))).collect()
    }

    #[test]
    fn counters_may_count_up_or_down_and_be_written_in_many_ways() {
        let up = counters(
            "int n",
            &[
                ["guard n + 2 <= 3; assign n += 2;", "assign n -= 2;"],
                ["guard n < 3; assign n++;", "assign n = n - 1;"],
            ],
        );
        assert_eq!(up, [(3, vec![true, true])]);
        let down = counters(
            "int[0, 9] n = 5",
            &[
                ["guard n >= 2; assign n = n - 2;", "assign n = 2 + n;"],
                ["guard 4 - n <= 1; assign n -= 3;", "assign n += 3;"],
            ],
        );
        assert_eq!(down, [(5, vec![true, true])]);
    }

    #[test]
    fn without_a_guard_the_range_is_the_capacity() {
        let found = counters("int[0, 7] n", &[["assign n += 3;", "assign n -= 3;"]]);
        assert_eq!(found, [(7, vec![true])]);
    }

    #[test]
    fn a_guard_that_needs_what_others_hold_does_not_allow_less() {
        let give = "assign n -= 1;";
        for guard in ["n != 1", "n >= 1", "n <= 2 && n * n < 5", "n % 2 == 0", "n < 3 || n > 4"] {
            let take = format!("guard {guard}; assign n += 1;");
            let found = counters("int[0, 9] n", &[[&take, give], ["assign n += 1;", give]]);
            assert_eq!(found[0].1, [false, true], "{guard}");
        }
        let reads = "guard n < 2; assign n += 1, m = n;";
        let found = counters("int[0, 9] n, m", &[[reads, give]]);
        assert_eq!(found[0].1, [false]);
    }

    #[test]
    fn cells_that_count_nothing_are_no_counters() {
        for [take, give] in [
            ["assign n += 1;", "assign n = 0;"],
            ["assign n += 1;", "assign n -= 2;"],
            ["assign n += m;", "assign n -= m;"],
            ["assign n *= 2;", ""],
            ["select k : int[1, 2]; assign n += k;", "assign n -= 1;"],
        ] {
            let found = counters("int[-9, 9] n, m", &[[take, give], ["assign m = 1;", ""]]);
            assert_eq!(found, [], "{take} {give}");
        }
    }
}
