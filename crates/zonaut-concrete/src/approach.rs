//! Runs along one path whose costs approach an infimum that no run has.
//!
//! The delays of runs along a path form a convex set P with integer constraints, and the cost is a
//! linear function of them. Its infimum over P is its minimum over the closure of P, which a vertex v
//! has, and the vertices are integral, because the constraints are differences of dates. Let p be the
//! delays of some run. Then `v + e (p - v)` are the delays of a run for every e with `0 < e <= 1`: p
//! satisfies the strict constraints, and v all others. Its cost approaches that of v with e.

use super::delays::Delays;
use super::fraction::{Fraction, gcd};
use super::path::{Visited, accepted_path};
use super::{CostLimit, Destination, NoRun};
use zonaut_compile::{ActionId, Step};
use zonaut_dbm::{Wide, Width};
use zonaut_zonegraph::{CompiledGoal, ZoneConstraint, ZoneGoal, ZoneGraph};

/// Runs with the same transitions: each delay is a whole number plus a multiple of a number that may
/// be arbitrarily small.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Approach {
    /// The actions of each transition.
    pub steps: Vec<Vec<ActionId>>,
    /// The whole parts of the delays: before each transition, and at the end.
    pub whole: Vec<i64>,
    /// The multiples.
    pub grains: Vec<i64>,
}

/// Runs along `steps`, which were found under any abstraction, to `goal`, whose delays cost
/// arbitrarily little more than `limit`, or as much.
///
/// # Errors
/// As for [`super::concretise_within`].
pub fn concretise_approaching<W: Width>(
    graph: &ZoneGraph<'_, W>,
    steps: &[Step],
    goal: &CompiledGoal,
    limit: CostLimit<'_>,
) -> Result<Approach, NoRun> {
    let exact = graph.with_exact_zones();
    let mut found = None;
    let path = accepted_path(&exact, steps, Destination::Goal(goal), &mut |path| {
        let last = path.last().and_then(|last| last.state.as_ref());
        let ends = last.and_then(|state| ZoneGoal::new(&exact, goal).disjuncts(state).ok());
        let mut ends = ends.into_iter().flatten();
        found = ends.find_map(|end| Approach::along(&exact, path, &end, limit));
        found.is_some()
    });
    match (path, found) {
        (Err(why @ NoRun::Stopped(_)), _) => Err(why),
        (Ok(_), Some(found)) => Ok(found),
        _ => Err(graph.meter().stopped().map_or(NoRun::ClockRange, NoRun::Stopped)),
    }
}

impl Approach {
    fn along(
        graph: &ZoneGraph<'_, Wide>,
        path: &[Visited],
        end: &[ZoneConstraint<Wide>],
        limit: CostLimit<'_>,
    ) -> Option<Self> {
        let vertex = Delays::in_closure_within(graph, path, end, limit)?;
        let run = Delays::along(graph, path, end, &[])?;
        let unit = run.iter().try_fold(1_i128, |unit, delay| {
            (unit / gcd(unit, delay.denominator)).checked_mul(delay.denominator)
        })?;
        let grains = |(run, vertex): (&Fraction, &Fraction)| {
            let distance = run.minus(*vertex)?.times(Fraction::whole(unit))?;
            i64::try_from(distance.numerator).ok().filter(|_| distance.denominator == 1)
        };
        let whole = |delay: &Fraction| {
            i64::try_from(delay.numerator).ok().filter(|_| delay.denominator == 1)
        };
        let steps = path.iter().skip(1).map(|visited| visited.transition.participants.clone());
        Some(Self {
            steps: steps.collect(),
            whole: vertex.iter().map(whole).collect::<Option<_>>()?,
            grains: run.iter().zip(&vertex).map(grains).collect::<Option<_>>()?,
        })
    }
}
