//! The transition system of priced symbolic states.
//!
//! The zone graph without abstraction finds the transitions of a state, with all constraints on
//! clocks before and after them: guards, broadcasts, priorities, urgency. Here they are applied to
//! priced zones. Every successor zone is the union of several priced zones, which become states of
//! their own.
//!
//! # Finitely many zones
//! Let M(x) be the greatest constant that x is compared with before it is set again. Valuations that
//! agree on all clocks except those above M in both have the same runs at the same costs, if no
//! clock differences are compared. So where x > M(x), x may have any value above M(x), at the least
//! cost that it has with one. A zone with smaller and greater values of x is split first, but only
//! if x may exceed the greatest constant of the model: in many models no clock ever does. Hence
//! finitely many zones exist, and decision 0044 proves that searches end.

use crate::priced_zone::{CostFunction, CostRange, PricedZone};
use crate::state::{PricedState, infimum};
use std::ops::ControlFlow;
use zonaut_compile::{ActionId, ClockRow, CompiledNetwork, Step, row_of};
use zonaut_cost::LocationRates;
use zonaut_dbm::{Bound, Row, Wide, Zone};
use zonaut_model::interpret::ClockEffect;
use zonaut_space::{StopReason, Successor, TransitionSystem};
use zonaut_zonegraph::{
    ActiveClocks, ActiveClocksTable, Differences, Scratch, StepError, SymbolicState, Transition,
    ZoneGraph, constrain,
};

/// The priced zones of a network whose locations have rates.
#[derive(Clone, Debug)]
pub struct PricedGraph<'n> {
    /// The graph of exact zones.
    zones: ZoneGraph<'n, Wide>,
    rates: &'n LocationRates,
    /// The value above which no clock stays in a zone with smaller values.
    horizon: i32,
}

/// The working memory of one worker.
pub struct PricedScratch {
    zones: Scratch<Wide>,
    active_clocks: ActiveClocksTable,
    numbers: PartNumbers,
}

/// The numbers of parts by transition, in the expansion of one state.
#[derive(Clone, Debug, Default)]
struct PartNumbers(Vec<(Step, u32)>);

impl PartNumbers {
    /// The step to the next part of the target of these actions.
    fn next(&mut self, network: &CompiledNetwork, participants: &[ActionId]) -> Step {
        let first = network.names().name(participants, 0);
        match self.0.iter_mut().find(|(step, _)| *step == first) {
            Some((_, count)) => {
                *count += 1;
                network.names().name(participants, *count)
            }
            None => {
                self.0.push((first, 0));
                first
            }
        }
    }
}

/// A reason for which a priced zone has no successors.
enum Failed {
    Range,
    Stopped(StopReason),
}

impl From<CostRange> for Failed {
    fn from(CostRange: CostRange) -> Self {
        Self::Range
    }
}

impl From<Failed> for StepError {
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::Range => Self::ClockRange,
            Failed::Stopped(why) => Self::Stopped(why),
        }
    }
}

impl<'n> PricedGraph<'n> {
    /// The priced zones over a graph of exact zones.
    #[must_use]
    pub fn new(zones: ZoneGraph<'n, Wide>, rates: &'n LocationRates) -> Self {
        let horizon = zones.bounds().greatest();
        Self { zones, rates, horizon }
    }

    /// The graph of exact zones.
    #[must_use]
    pub fn zones(&self) -> &ZoneGraph<'n, Wide> {
        &self.zones
    }

    /// The priced zones of a target, from the priced zones on arrival.
    fn arrive(
        &self,
        landed: Vec<PricedZone>,
        transition: &Transition<Wide>,
        active: &ActiveClocks,
        values: &[i32],
    ) -> Result<Vec<PricedZone>, Failed> {
        let mut stays = Vec::with_capacity(landed.len());
        let rate = self.rates.at(values);
        for mut zone in landed {
            self.pay_for(&zone)?;
            if constrain(&mut zone.zone, active, &transition.arrival).is_err() {
                continue;
            }
            match transition.delayed {
                true => zone.delay_into(rate, &mut stays)?,
                false => stays.push(zone),
            }
        }
        stays.retain_mut(|stay| constrain(&mut stay.zone, active, transition.departure()).is_ok());
        if self.zones.differences() == Differences::Absent {
            for (x, greatest) in active.greatest_constants() {
                let mut next = Vec::with_capacity(stays.len());
                for stay in stays {
                    self.pay_for(&stay)?;
                    self.forget_above(stay, x, greatest, &mut next)?;
                }
                stays = next;
            }
        }
        Ok(stays)
    }

    /// Adds a priced zone in which the value of the clock `x` is forgotten above `greatest`; parts of
    /// it if smaller values occur, and values above the horizon.
    fn forget_above(
        &self,
        zone: PricedZone,
        x: Row,
        greatest: i32,
        into: &mut Vec<PricedZone>,
    ) -> Result<(), CostRange> {
        let above = Bound::lt(-greatest);
        let is_above = zone.zone.bound(Row::ZERO, x) <= above;
        let horizon = Bound::le(self.horizon.max(greatest));
        if !is_above && zone.zone.bound(x, Row::ZERO) <= horizon {
            into.push(zone);
            return Ok(());
        }
        let mut within = zone.clone();
        if within.zone.constrain(x, Row::ZERO, Bound::le(greatest)).is_ok() {
            into.push(within);
        }
        let mut beyond = zone;
        if beyond.zone.constrain(Row::ZERO, x, above).is_err() {
            return Ok(());
        }
        #[cfg(feature = "faults")]
        if crate::faults::Fault::SlopeDropped.is_selected() {
            beyond.cost.slopes[x.index()] = 0;
        }
        let mut forgotten = Vec::new();
        beyond.forget_into(x, &mut forgotten)?;
        for mut part in forgotten {
            if part.zone.constrain(Row::ZERO, x, above).is_ok() {
                into.push(part);
            }
        }
        Ok(())
    }

    fn pay_for(&self, zone: &PricedZone) -> Result<(), Failed> {
        let rows = zone.zone.dim() as u32;
        self.zones.meter().spend(rows.saturating_mul(rows)).map_err(Failed::Stopped)
    }
}

/// Visits every part of a target.
fn present(
    stays: Result<Vec<PricedZone>, Failed>,
    symbolic: &SymbolicState<Wide>,
    mut visit: impl FnMut(Result<&mut PricedState, StepError>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let stays = match stays {
        Ok(stays) => stays,
        Err(failed) => return visit(Err(failed.into())),
    };
    for PricedZone { zone, cost } in stays {
        // The cost of a run is not negative, so the least cost is bounded.
        let Some(least) = cost.least_in(&zone) else {
            visit(Err(StepError::ClockRange))?;
            continue;
        };
        let mut part = symbolic.clone();
        part.zone = zone;
        visit(Ok(&mut PricedState::new(part, cost, infimum(least))))?;
    }
    ControlFlow::Continue(())
}

/// For every clock of the target, the clock of the source and the constant whose sum is its value
/// after `effects`.
fn images(
    source: &ActiveClocks,
    target: &ActiveClocks,
    effects: &[ClockEffect],
) -> Option<Vec<(Row, i32)>> {
    let origin = |mut row: ClockRow| {
        // Later effects overwrite earlier ones.
        for effect in effects.iter().rev() {
            match *effect {
                ClockEffect::Set(clock, value) if row_of(clock) == row => {
                    return Some((Row::ZERO, value));
                }
                ClockEffect::Copy(clock, from) if row_of(clock) == row => row = row_of(from),
                ClockEffect::Set(..) | ClockEffect::Copy(..) => {}
            }
        }
        Some((source.position_if_active(row)?, 0))
    };
    target
        .rows()
        .iter()
        .map(|&row| if row == 0 { Some((Row::ZERO, 0)) } else { origin(row) })
        .collect()
}

impl TransitionSystem for PricedGraph<'_> {
    type State = PricedState;
    type Step = Step;
    type Error = StepError;
    type Scratch = PricedScratch;

    fn scratch(&self) -> PricedScratch {
        PricedScratch {
            zones: self.zones.scratch(),
            active_clocks: ActiveClocksTable::new(self.zones.network().process_count()),
            numbers: PartNumbers::default(),
        }
    }

    fn for_each_initial(
        &self,
        scratch: &mut PricedScratch,
        mut visit: impl FnMut(Result<&mut PricedState, StepError>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let PricedScratch { zones, active_clocks, .. } = scratch;
        self.zones.visit_initial(zones, &mut |_, transition, target| {
            let target = match target {
                Ok(target) => target,
                Err(error) => return visit(Err(error)),
            };
            let active = active_clocks.of(self.zones.bounds(), &target.values);
            let initial = &self.zones.network().initial_clocks;
            let value = |&row: &ClockRow| match row {
                0 => (Row::ZERO, 0),
                row => (Row::ZERO, initial[row as usize - 1]),
            };
            let sources: Vec<_> = active.rows().iter().map(value).collect();
            let mut zone = Zone::origin(1);
            Zone::origin(1).image_into(&sources, &mut zone);
            let start = PricedZone { zone, cost: CostFunction::zero(sources.len()) };
            let stays = self.arrive(vec![start], transition, &active, &target.values);
            present(stays, target, &mut visit)
        })
    }

    fn for_each_successor(
        &self,
        state: &PricedState,
        scratch: &mut PricedScratch,
        mut visit: impl FnMut(Successor<'_, Self>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let PricedScratch { zones, active_clocks, numbers } = scratch;
        let network = self.zones.network();
        numbers.0.clear();
        let source = active_clocks.of(self.zones.bounds(), &state.symbolic.values);
        self.zones.visit_successors(&state.symbolic, zones, &mut |_, transition, target| {
            let participants = &transition.participants;
            let target = match target {
                Ok(target) => target,
                Err(error) => {
                    return visit(Successor::Error(numbers.next(network, participants), error));
                }
            };
            let active = active_clocks.of(self.zones.bounds(), &target.values);
            let taken = || {
                let mut from = state.priced_zone();
                let mut landed = Vec::new();
                if constrain(&mut from.zone, &source, &transition.before).is_ok() {
                    from.pay(target.price)?;
                    let images = images(&source, &active, &transition.effects);
                    from.image_into(&images.ok_or(CostRange)?, &mut landed)?;
                }
                Ok(landed)
            };
            let stays =
                taken().and_then(|landed| self.arrive(landed, transition, &active, &target.values));
            present(stays, target, |part| {
                let step = numbers.next(network, participants);
                visit(match part {
                    Ok(part) => Successor::State(step, part),
                    Err(error) => Successor::Error(step, error),
                })
            })
        })
    }

    fn stopped_by(error: &StepError) -> Option<StopReason> {
        <ZoneGraph<'_, Wide> as TransitionSystem>::stopped_by(error)
    }
}
