//! Tests on data as tables over the values of the variables that they read.
//!
//! A test is tabulated by one evaluation for each combination of values. If that exceeds a fixed
//! budget, the test has no table and its value is unknown.

use std::ops::ControlFlow;
use std::sync::Arc;
use zonaut_analysis::normal_form::Bindings;
use zonaut_analysis::runs::{Choices, Limits, Outcome, RunWalk, Runs};
use zonaut_analysis::{Meaning, Reachable, VariableId, Variables};
use zonaut_base::{Id, Meter, define_id};
use zonaut_model::Model;

define_id!(
    /// A table.
    pub(crate) struct TableId
);

/// The maximal number of values of a tabulated variable.
const VALUES: u64 = 1024;
/// The maximal number of rows of a table.
const ROWS: u64 = 1 << 12;
/// The budget for one table.
const BUDGET: Limits = Limits { runs: 1 << 12, steps: 1 << 16 };

/// The values that variables can have between transitions.
#[derive(Clone, Debug)]
pub(crate) struct Domains {
    pub(crate) low: Vec<i32>,
    /// The number of values of each variable; 0 if there are too many.
    pub(crate) size: Vec<u32>,
}

impl Domains {
    pub(crate) fn new(model: &Model, reachable: &Reachable<'_>) -> Self {
        let variables = Variables::new(model);
        let (mut low, mut size) = (Vec::new(), Vec::new());
        for variable in (0..variables.len()).map(VariableId::from_index) {
            let (first, last) = match variables.meaning(variable) {
                Meaning::Process(process) => {
                    (0, model.processes[process].locations.len() as i64 - 1)
                }
                Meaning::Cell(cell) if model.cells[cell].meta => {
                    (i64::from(model.cells[cell].initial), i64::from(model.cells[cell].initial))
                }
                Meaning::Cell(cell) => reachable.cell(cell),
            };
            let count = (last - first + 1).unsigned_abs();
            low.push(first as i32);
            size.push(if count <= VALUES { count as u32 } else { 0 });
        }
        Self { low, size }
    }

    pub(crate) fn len(&self) -> usize {
        self.low.len()
    }

    /// The number of values of a variable.
    pub(crate) fn size(&self, variable: u32) -> u32 {
        self.size[variable as usize]
    }

    /// The position of a value among the values of a variable.
    #[inline]
    pub(crate) fn position(&self, variable: u32, value: i32) -> Option<u32> {
        let position = value.wrapping_sub(self.low[variable as usize]).cast_unsigned();
        (position < self.size[variable as usize]).then_some(position)
    }
}

impl Choices for Domains {
    fn count(&self, variable: VariableId) -> Option<u32> {
        Some(self.size[variable.index()]).filter(|&size| size > 0)
    }
    fn value(&self, variable: VariableId, position: u32) -> i32 {
        self.low[variable.index()] + position as i32
    }
}

/// A condition on the values of some variables, by their positions.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Table {
    /// The variables, each with its stride in the rows.
    pub(crate) inputs: Vec<(u32, u32)>,
    /// By row, whether the condition may hold.
    pub(crate) may: Vec<bool>,
    /// By row, whether the condition certainly holds.
    pub(crate) must: Vec<bool>,
}

impl Table {
    /// Whether the condition never holds.
    pub(crate) fn is_impossible(&self) -> bool {
        !self.may.contains(&true)
    }

    /// Whether the condition may hold for these values. Returns `None` if a value is outside the
    /// domain.
    pub(crate) fn may_hold(&self, domains: &Domains, values: impl Fn(u32) -> i32) -> Option<bool> {
        let row = self.inputs.iter().try_fold(0, |row, &(variable, stride)| {
            Some(row + domains.position(variable, values(variable))? * stride)
        })?;
        Some(self.may[row as usize])
    }

    /// The negation of this condition, which must be exact.
    pub(crate) fn negated(&self) -> Self {
        let opposite = |rows: &[bool]| rows.iter().map(|&holds| !holds).collect();
        let inputs = self.inputs.clone();
        Self { inputs, may: opposite(&self.must), must: opposite(&self.may) }
    }

    /// Whether the condition may hold for all values, so that it excludes none.
    pub(crate) fn is_trivial(&self) -> bool {
        !self.may.contains(&false)
    }
}

/// A test and its negation. If evaluation fails, neither holds.
#[derive(Clone, Debug)]
pub(crate) struct TestTables {
    pub(crate) holds: Table,
    pub(crate) fails: Table,
}

/// The results of all evaluations: the chosen values, and the truth value, `None` if the evaluation
/// failed.
type Found = Vec<(Vec<(u32, u32)>, Option<bool>)>;

/// Computes tables by evaluating tests on all values.
pub(crate) struct Tabulator<'m> {
    runs: Runs<'m>,
    pub(crate) domains: Arc<Domains>,
}

impl<'m> Tabulator<'m> {
    pub(crate) fn new(model: &'m Model, domains: Arc<Domains>, meter: &Meter) -> Self {
        Self { runs: Runs::new(model, BUDGET).metered(meter), domains }
    }

    /// The tables of a test. Returns `None` if the budget is exceeded.
    pub(crate) fn ask(
        &mut self,
        bindings: &Bindings,
        mut question: impl FnMut(&mut RunWalk<'m, '_, Domains>) -> Option<bool>,
    ) -> Option<TestTables> {
        let mut found = Found::new();
        let outcome = self.runs.for_each(&*self.domains, bindings, |walk| {
            let result = question(walk);
            let choices = walk.choices().map(|(v, position)| (v.index() as u32, position));
            found.push((choices.collect(), result));
            result.map(|_| ControlFlow::Continue(()))
        });
        match outcome {
            Outcome::Complete { .. } => self.tabulate(&found),
            Outcome::Stopped | Outcome::Unknown => None,
        }
    }

    fn tabulate(&self, found: &Found) -> Option<TestTables> {
        let mut variables: Vec<u32> =
            found.iter().flat_map(|(choices, _)| choices.iter().map(|(v, _)| *v)).collect();
        variables.sort_unstable();
        variables.dedup();
        variables.retain(|&variable| self.domains.size(variable) > 1);
        let (mut inputs, mut rows) = (Vec::new(), 1_u64);
        for variable in variables {
            inputs.push((variable, rows as u32));
            rows = rows.saturating_mul(u64::from(self.domains.size(variable)));
            if rows > ROWS {
                return None;
            }
        }
        let nowhere = vec![false; rows as usize];
        let everywhere = vec![true; rows as usize];
        let fresh =
            || Table { inputs: inputs.clone(), may: nowhere.clone(), must: everywhere.clone() };
        let (mut holds, mut fails) = (fresh(), fresh());
        for (choices, result) in found {
            for row in self.rows(&inputs, choices) {
                holds.may[row] |= *result == Some(true);
                holds.must[row] &= *result == Some(true);
                fails.may[row] |= *result == Some(false);
                fails.must[row] &= *result == Some(false);
            }
        }
        Some(TestTables { holds, fails })
    }

    /// The rows that agree with chosen values.
    fn rows(&self, inputs: &[(u32, u32)], choices: &[(u32, u32)]) -> Vec<usize> {
        let mut rows = vec![0_usize];
        for &(variable, stride) in inputs {
            match choices.iter().find(|(chosen, _)| *chosen == variable) {
                Some((_, position)) => {
                    rows.iter_mut().for_each(|row| *row += (position * stride) as usize);
                }
                None => {
                    let size = self.domains.size(variable);
                    let shifted = |row: &usize| {
                        let row = *row;
                        (0..size).map(move |position| row + (position * stride) as usize)
                    };
                    rows = rows.iter().flat_map(shifted).collect();
                }
            }
        }
        rows
    }
}

/// For each variable, the set of its possible values; initially all.
#[derive(Clone, Debug)]
pub(crate) struct Sets {
    /// By variable, the set; empty if it contains all values.
    sets: Vec<Vec<bool>>,
    /// The variables whose set is a proper subset.
    pub(crate) narrowed: Vec<u32>,
}

impl Sets {
    pub(crate) fn new(domains: &Domains) -> Self {
        Self { sets: vec![Vec::new(); domains.len()], narrowed: Vec::new() }
    }

    pub(crate) fn clear(&mut self) {
        for variable in self.narrowed.drain(..) {
            self.sets[variable as usize].clear();
        }
    }

    /// Whether a variable may have the value at a position.
    pub(crate) fn allows(&self, variable: u32, position: u32) -> bool {
        let set = &self.sets[variable as usize];
        set.is_empty() || set[position as usize]
    }

    /// Intersects a set with `kept`. Returns whether it is non-empty, and whether it shrank.
    fn keep(&mut self, variable: u32, kept: &[bool]) -> (bool, bool) {
        let set = &mut self.sets[variable as usize];
        if set.is_empty() {
            if kept.iter().all(|&is_kept| is_kept) {
                return (true, false);
            }
            set.extend_from_slice(kept);
            self.narrowed.push(variable);
            return (set.contains(&true), true);
        }
        let before = set.iter().filter(|&&is_in| is_in).count();
        set.iter_mut().zip(kept).for_each(|(is_in, &is_kept)| *is_in &= is_kept);
        let after = set.iter().filter(|&&is_in| is_in).count();
        (after > 0, after < before)
    }

    /// Restricts a variable to the value at a position.
    pub(crate) fn fix(&mut self, domains: &Domains, variable: u32, position: u32) -> bool {
        let size = domains.size(variable);
        let kept: Vec<bool> = (0..size).map(|other| other == position).collect();
        size == 0 || self.keep(variable, &kept).0
    }

    /// Whether every tuple of possible values certainly satisfies a condition.
    pub(crate) fn imply(&self, domains: &Domains, table: &Table) -> bool {
        let is_allowed = |row: usize| {
            table.inputs.iter().all(|&(variable, stride)| {
                self.allows(variable, row as u32 / stride % domains.size(variable))
            })
        };
        if faulty!(EasyLiteral) {
            return table.must.iter().enumerate().any(|(row, &must)| must && is_allowed(row));
        }
        table.must.iter().enumerate().all(|(row, &must)| must || !is_allowed(row))
    }

    /// Removes values for which some condition cannot hold, one condition at a time, to a fixpoint.
    /// Returns whether every set is non-empty.
    pub(crate) fn satisfy(&mut self, domains: &Domains, tables: &[&Table]) -> bool {
        let mut is_changed = true;
        while std::mem::take(&mut is_changed) {
            for table in tables {
                match self.narrow(domains, table) {
                    None => return false,
                    Some(changed) => is_changed |= changed && tables.len() > 1,
                }
            }
        }
        true
    }

    /// Removes values for which one condition cannot hold. Returns whether a set shrank, or `None`
    /// if one is empty.
    fn narrow(&mut self, domains: &Domains, table: &Table) -> Option<bool> {
        if table.inputs.is_empty() {
            return table.may[0].then_some(false);
        }
        let mut support: Vec<Vec<bool>> =
            table.inputs.iter().map(|&(v, _)| vec![false; domains.size(v) as usize]).collect();
        let position = |row: usize, (variable, stride): (u32, u32)| {
            row as u32 / stride % domains.size(variable)
        };
        for (row, _) in table.may.iter().enumerate().filter(|(_, may)| **may) {
            if table.inputs.iter().all(|&input| self.allows(input.0, position(row, input))) {
                for (&input, values) in table.inputs.iter().zip(&mut support) {
                    values[position(row, input) as usize] = true;
                }
            }
        }
        let mut is_changed = false;
        for (&(variable, _), values) in table.inputs.iter().zip(&support) {
            let (is_left, is_less) = self.keep(variable, values);
            if !is_left {
                return None;
            }
            is_changed |= is_less;
        }
        Some(is_changed)
    }
}
