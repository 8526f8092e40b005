//! The laws of predicate abstractions, checked on every reachable state.

use crate::goals::Task;
use zonaut_compile::BoundsTable;
use zonaut_dbm::Narrow;
use zonaut_predicates::{
    Added, Cut, Learning, LessonKind, PathChoice, Rounds, Shared, Vocabulary, Work,
};
use zonaut_space::{Estimate, Heuristic, Meter};
use zonaut_testkit::world::World;
use zonaut_zonegraph::{Step, SymbolicState};

/// The splits of models, and the number of abstract states that is enough.
pub(crate) const CUTS: [(Option<usize>, usize); 4] =
    [(None, 20_000), (Some(1), 20_000), (Some(2), 20_000), (None, 5)];

pub(crate) fn shared(task: &Task, cut: &Cut, enough: usize) -> Shared<Narrow> {
    let bounds = BoundsTable::new(&task.model, &task.goal);
    let work = Work { meter: &Meter::default(), is_enough: &|states, _| states >= enough };
    Shared::new(&task.model, &task.goal, &bounds, cut, work).expect("never stops")
}

pub(crate) fn added(task: &Task, cut: &Cut, enough: usize) -> Added<Narrow> {
    let bounds = BoundsTable::new(&task.model, &task.goal);
    let work = Work { meter: &Meter::default(), is_enough: &|states, _| states >= enough };
    Added::new(&task.model, &task.goal, &bounds, cut, work).expect("never stops")
}

pub(crate) fn ask(
    heuristic: &mut impl Heuristic<SymbolicState, Step>,
    state: &SymbolicState,
) -> Estimate<u32> {
    heuristic.estimate(state, None)
}

/// A violated law: `Shared` is admissible, dead ends are dead, and more predicates never make an
/// estimate smaller.
pub(crate) fn flaw(task: &Task, world: &World) -> Option<String> {
    for (split, enough) in CUTS {
        let cut = Cut { split, ..Cut::default() };
        let mut heuristic = shared(task, &cut, enough);
        if let Some(flaw) = world.flaw_of_admissible(|state| ask(&mut heuristic, state)) {
            return Some(format!("{cut:?}: {flaw}"));
        }
        let mut heuristic = added(task, &cut, enough);
        if let Some(flaw) = world.flaw_of_dead_ends(|state| ask(&mut heuristic, state)) {
            return Some(format!("{cut:?}, added: {flaw}"));
        }
    }
    [None, Some(1)].into_iter().find_map(|split| {
        flaw_of_fewer(task, world, split).or_else(|| flaw_of_refined(task, world, split))
    })
}

/// Checks that refined abstractions are admissible, and no worse than less refined ones.
fn flaw_of_refined(task: &Task, world: &World, split: Option<usize>) -> Option<String> {
    let vocabulary = Vocabulary::Refined(Rounds::WhileGrowing.into());
    let mut heuristic = shared(task, &Cut { split, vocabulary, ..Cut::default() }, 20_000);
    if let Some(flaw) = world.flaw_of_admissible(|state| ask(&mut heuristic, state)) {
        return Some(format!("{split:?}, refined while growing: {flaw}"));
    }
    for learning in learnings() {
        let cut = Cut { split, vocabulary: Vocabulary::Refined(learning), ..Cut::default() };
        let mut heuristic = shared(task, &cut, 20_000);
        if let Some(flaw) = world.flaw_of_admissible(|state| ask(&mut heuristic, state)) {
            return Some(format!("{cut:?}: {flaw}"));
        }
    }
    let rounds = |rounds| Cut {
        split,
        vocabulary: Vocabulary::Refined(Rounds::AtMost(rounds).into()),
        ..Cut::default()
    };
    let (mut fewer, mut more) =
        (shared(task, &rounds(1), 20_000), shared(task, &rounds(3), 20_000));
    if let Some(flaw) = world.flaw_of_admissible(|state| ask(&mut more, state)) {
        return Some(format!("{split:?}, refined three times: {flaw}"));
    }
    flaw_of_order(world, &mut fewer, &mut more)
}

/// Refinement options other than the default.
fn learnings() -> [Learning; 2] {
    let usual = Learning::from(Rounds::AtMost(2));
    [
        Learning { paths: PathChoice::One, perimeter: 2, ..usual },
        Learning { paths: PathChoice::All, lesson: LessonKind::Guards, ..usual },
    ]
}

fn flaw_of_fewer(task: &Task, world: &World, split: Option<usize>) -> Option<String> {
    let more = Cut { split, ..Cut::default() };
    let fewer = Cut { vocabulary: Vocabulary::Locations, ..more.clone() };
    let (mut fewer, mut more) = (shared(task, &fewer, 20_000), shared(task, &more, 20_000));
    flaw_of_order(world, &mut fewer, &mut more)
}

fn flaw_of_order(
    world: &World,
    fewer: &mut Shared<Narrow>,
    more: &mut Shared<Narrow>,
) -> Option<String> {
    world.states.iter().find_map(|state| {
        let (low, high) = (ask(fewer, state), ask(more, state));
        let is_wrong = match (low, high) {
            (Estimate::Distance(low), Estimate::Distance(high)) => low > high,
            (Estimate::Distance(_), _) => false,
            (_, Estimate::Distance(_)) => true,
            _ => low != high,
        };
        is_wrong.then(|| format!("{:?}: {low:?} with fewer predicates, {high:?}", state.values))
    })
}
