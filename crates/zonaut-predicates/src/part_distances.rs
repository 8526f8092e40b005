//! The heuristics of this crate: sums of the distances in the abstractions of parts.

use crate::part::{Part, Plan};
use crate::share::{Counting, Shares};
use crate::split::{alternatives, groups};
use crate::vocabulary::Vocabulary;
use zonaut_analysis::Symbols;
use zonaut_analysis::action::Action;
use zonaut_base::Id;
use zonaut_compile::BoundsTable;
use zonaut_dbm::{Row, Width, Zone};
use zonaut_model::{Formula, Model};
use zonaut_pdb::{AbstractModel, Activity, Pattern};
use zonaut_space::{Admissible, Arrival, Estimate, Heuristic, Meter, StopReason};
use zonaut_zonegraph::{Step, SymbolicState};

/// How a model is split and abstracted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    /// The maximal number of processes of a part; `None` for one part with all processes.
    pub split: Option<usize>,
    /// The predicates of the abstraction.
    pub vocabulary: Vocabulary,
    /// The number of abstract states around the goal that are built for all processes together.
    /// Used only if the model is split and the predicates are those of the text.
    pub near: usize,
}

impl Default for Cut {
    fn default() -> Self {
        Self { split: Some(2), vocabulary: Vocabulary::Text, near: 200 }
    }
}

/// The limits of building.
#[derive(Clone, Copy)]
pub struct Work<'w> {
    /// Ends building with a stop reason.
    pub meter: &'w Meter,
    /// Whether a part with this many abstract states and bytes is large enough. Building of that
    /// part then ends, and its horizon is a lower bound of all other distances.
    pub is_enough: &'w dyn Fn(usize, usize) -> bool,
}

/// The size of an abstraction, all parts together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Size {
    /// Parts with at least one distance greater than 0.
    pub parts: usize,
    /// Abstract states.
    pub states: usize,
    /// The memory that they take, in bytes.
    pub bytes: usize,
    /// Whether all distances are known.
    pub is_complete: bool,
}

/// The sum of the distances of parts, with or without cost partitioning. A dead end of one part is
/// a dead end of the model.
#[derive(Debug)]
pub struct PartDistances<W: Width, const IS_SHARED: bool>(pub(crate) Sums<W>);

/// Sum without cost partitioning: parts may count the same transition. Not admissible.
pub type Added<W> = PartDistances<W, false>;

/// Sum with cost partitioning, or the distance in one part with the whole model. Admissible.
pub type Shared<W> = PartDistances<W, true>;

impl<W: Width> Admissible for Shared<W> {}

impl<W: Width, const IS_SHARED: bool> PartDistances<W, IS_SHARED> {
    /// Builds the abstractions of all parts.
    ///
    /// # Errors
    /// If the meter stops.
    pub fn new(
        model: &Model,
        goal: &Formula,
        bounds: &BoundsTable,
        cut: &Cut,
        work: Work<'_>,
    ) -> Result<Self, StopReason> {
        let counting = match cut.vocabulary {
            _ if IS_SHARED => Counting::Shares,
            Vocabulary::Locations | Vocabulary::Text => Counting::Own,
            // Predicates learnt from one path are often about transitions of other parts, so these
            // count too.
            Vocabulary::Refined(_) => Counting::All,
        };
        Ok(Self(Sums::new(model, goal, bounds, cut, counting, work)?))
    }

    /// The size of the abstractions.
    #[must_use]
    pub fn size(&self) -> Size {
        self.0.size()
    }
}

impl<W: Width, const IS_SHARED: bool> Heuristic<SymbolicState<W>, Step>
    for PartDistances<W, IS_SHARED>
{
    fn estimate(
        &mut self,
        state: &SymbolicState<W>,
        _arrival: Option<Arrival<'_, SymbolicState<W>, Step>>,
    ) -> Estimate<u32> {
        self.0.estimate(state)
    }
    fn name(&self) -> &'static str {
        "pa"
    }
}

/// The parts of a disjunct of the goal.
///
/// # The claim
/// The sum of shares and the distance in an abstraction of all processes are both admissible, so
/// their maximum is. The second is not built completely: it ends at a distance up to which all
/// states are known. Near the goal it is better than any part, because it has the locations of all
/// processes.
#[derive(Debug)]
pub(crate) struct Parts {
    /// The abstractions of each part.
    pub(crate) apart: Vec<Vec<Part>>,
    /// The abstraction of all processes, near the goal.
    pub(crate) near: Option<Part>,
}

/// The minimum over the disjuncts of the goal of the sum over parts of the maximum over a part's
/// abstractions.
#[derive(Debug)]
pub(crate) struct Sums<W: Width> {
    /// The parts of each disjunct of the goal.
    pub(crate) alternatives: Vec<Parts>,
    /// The value of one transition.
    unit: u32,
    /// The estimate of states from which no goal is reachable.
    pub(crate) far: Estimate<u32>,
    activity: Activity,
    mask: Vec<u64>,
    clocks: Vec<Option<Row>>,
    scratch: Zone<W>,
}

impl<W: Width> Sums<W> {
    fn new(
        model: &Model,
        goal: &Formula,
        bounds: &BoundsTable,
        cut: &Cut,
        counting: Counting,
        work: Work<'_>,
    ) -> Result<Self, StopReason> {
        let groups = groups(model, cut.split);
        let shares = Shares::new(model, &groups);
        let mut may_fail = false;
        let mut all = Vec::new();
        for goal in alternatives(model, goal) {
            let mut apart = Vec::new();
            let child =
                AbstractModel::new(model, &goal, &Pattern::dropping(model, &Symbols::default()));
            may_fail |= child.original_may_fail;
            for (number, group) in groups.iter().enumerate() {
                let weigh = |participants: &[&Action]| shares.of(number, participants, counting);
                let mut is_inside = vec![false; child.model.processes.len()];
                group.iter().for_each(|process| is_inside[process.index()] = true);
                let vocabulary = &cut.vocabulary;
                let unit = counting.unit();
                let plan = Plan { vocabulary, is_inside: &is_inside, weigh: &weigh, unit, work };
                let mut abstractions = Part::build(&child, &plan)?;
                abstractions.retain(|abstraction| !abstraction.is_trivial());
                if !abstractions.is_empty() {
                    apart.push(abstractions);
                }
            }
            let near = near(&child, cut, groups.len(), counting.unit(), work)?;
            all.push(Parts { apart, near });
        }
        // The abstraction does not preserve run-time errors.
        let far = if may_fail { Estimate::Last } else { Estimate::DeadEnd };
        Ok(Self::with(model, bounds, all, counting.unit(), far))
    }

    /// The heuristic with these parts, by disjunct of the goal.
    pub(crate) fn with(
        model: &Model,
        bounds: &BoundsTable,
        alternatives: Vec<Parts>,
        unit: u32,
        far: Estimate<u32>,
    ) -> Self {
        Self {
            alternatives,
            unit,
            far,
            activity: Activity::new(model, bounds),
            mask: Vec::new(),
            clocks: Vec::new(),
            scratch: Zone::origin(1),
        }
    }

    fn size(&self) -> Size {
        let apart = || self.alternatives.iter().flat_map(|parts| &parts.apart).flatten();
        let all =
            || self.alternatives.iter().filter_map(|parts| parts.near.as_ref()).chain(apart());
        Size {
            parts: self.alternatives.iter().map(|parts| parts.apart.len()).sum(),
            states: all().map(Part::len).sum(),
            bytes: all().map(Part::bytes).sum(),
            is_complete: apart().all(Part::is_complete),
        }
    }

    fn estimate(&mut self, state: &SymbolicState<W>) -> Estimate<u32> {
        let Self { alternatives, unit, activity, mask, clocks, scratch, .. } = self;
        let mut best: Option<u32> = None;
        let mut greatest = |parts: &mut [Part]| {
            parts.iter_mut().try_fold(0_u32, |greatest, part| {
                activity.positions(&state.values, part.rows(), mask, clocks);
                let distance = part.lookup(&state.values, &state.zone, clocks, scratch)?;
                Some(distance.max(greatest))
            })
        };
        for Parts { apart, near } in alternatives {
            let sum = apart.iter_mut().try_fold(0_u32, |sum, abstractions| {
                Some(sum.saturating_add(greatest(abstractions)?))
            });
            let near = greatest(near.as_mut_slice());
            let sum = sum.zip(near).map(|(sum, near)| sum.max(near));
            best = match (best, sum) {
                (Some(one), Some(other)) => Some(one.min(other)),
                (one, other) => one.or(other),
            };
        }
        best.map_or(self.far, |sum| Estimate::Distance(sum.div_ceil(*unit)))
    }
}

/// The abstraction of all processes near the goal. Returns `None` if the parts do not need it.
fn near(
    child: &AbstractModel,
    cut: &Cut,
    parts: usize,
    unit: u32,
    work: Work<'_>,
) -> Result<Option<Part>, StopReason> {
    if cut.near == 0 || parts < 2 || cut.vocabulary != Vocabulary::Text {
        return Ok(None);
    }
    let is_enough = |states, bytes| states >= cut.near || (work.is_enough)(states, bytes);
    let plan = Plan {
        vocabulary: &cut.vocabulary,
        is_inside: &vec![true; child.model.processes.len()],
        weigh: &|_| unit,
        unit,
        work: Work { is_enough: &is_enough, ..work },
    };
    let mut built = Part::build(child, &plan)?;
    Ok(built.pop().filter(|part| !part.is_trivial()))
}
