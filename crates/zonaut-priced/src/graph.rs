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

use crate::priced_zone::{CostRange, PricedZone};
use crate::state::{PricedState, infimum};
use std::ops::ControlFlow;
use zonaut_compile::{ActionId, ClockRow, CompiledNetwork, Step, row_of};
use zonaut_cost::LocationRates;
use zonaut_dbm::{Bound, Row, Wide, Zone};
use zonaut_model::interpret::ClockEffect;
use zonaut_space::{StopReason, Successor, TransitionSystem};
use zonaut_symmetry::SymbolicSystem;
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

/// A visitor of the targets of transitions, with the actions that take part.
pub(crate) type VisitTarget<'v> =
    dyn FnMut(&[ActionId], Result<Target<'_>, StepError>) -> ControlFlow<()> + 'v;

/// A successor of the zone graph.
type Presented<'s> = Result<&'s mut SymbolicState<Wide>, StepError>;

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

    /// The cost of a unit of time in a state.
    pub(crate) fn rate_in(&self, state: &SymbolicState<Wide>) -> i64 {
        self.rates.at(&state.values)
    }

    /// The graph of exact zones.
    #[must_use]
    pub fn zones(&self) -> &ZoneGraph<'n, Wide> {
        &self.zones
    }

    /// Visits the targets of all transitions of a state, or of the start of the network.
    pub(crate) fn for_each_target(
        &self,
        state: Option<&PricedState>,
        origins: Origins,
        scratch: &mut PricedScratch,
        visit: &mut VisitTarget<'_>,
    ) -> ControlFlow<()> {
        let PricedScratch { zones, active_clocks, .. } = scratch;
        let source =
            state.map(|state| active_clocks.of(self.zones.bounds(), &state.symbolic.values));
        let initial = &self.zones.network().initial_clocks;
        let mut visit_one = |transition: &Transition<Wide>, symbolic: Presented<'_>| {
            let participants = &transition.participants;
            let symbolic = match symbolic {
                Ok(symbolic) => symbolic,
                Err(error) => return visit(participants, Err(error)),
            };
            let active = active_clocks.of(self.zones.bounds(), &symbolic.values);
            let mut from = state.map_or_else(PricedZone::start, PricedState::priced_zone);
            let sources = match &source {
                Some(source) => {
                    if constrain(&mut from.zone, source, &transition.before).is_err() {
                        return ControlFlow::Continue(());
                    }
                    images(source, &active, &transition.effects)
                }
                None => {
                    let value = |&row: &ClockRow| match row {
                        0 => (Row::ZERO, 0),
                        row => (Row::ZERO, initial[row as usize - 1]),
                    };
                    Some(active.rows().iter().map(value).collect())
                }
            };
            let Some(sources) = sources else {
                return visit(participants, Err(Failed::Range.into()));
            };
            let image = Image { sources: &sources, elapsed: Row::from_index(from.zone.dim()) };
            let taken = Taken { transition, target: symbolic, active: &active, image };
            let ways = self.ways(from, &taken, origins);
            match ways {
                Ok(ways) => visit(participants, Ok(Target { symbolic, image, ways })),
                Err(failed) => visit(participants, Err(failed.into())),
            }
        };
        match state {
            None => self
                .zones
                .visit_initial(zones, &mut |_, transition, target| visit_one(transition, target)),
            Some(state) => {
                self.zones.visit_successors(&state.symbolic, zones, &mut |_, transition, target| {
                    visit_one(transition, target)
                })
            }
        }
    }

    /// The priced zones of a target, from the valuations before a transition.
    fn ways(
        &self,
        mut from: PricedZone,
        taken: &Taken<'_>,
        origins: Origins,
    ) -> Result<Vec<Way>, Failed> {
        let Taken { transition, target, active, image } = *taken;
        from.pay(target.price)?;
        let origin = (origins == Origins::Kept).then(|| image.extended(&from.zone));
        let is_source = |x: Row| image.sources.iter().any(|&(source, _)| source == x);
        let forgotten: Vec<Row> = from.zone.clocks().filter(|&x| !is_source(x)).collect();
        let mut ways = vec![Way { priced: from, origin }];
        for x in forgotten {
            ways = split(ways, |row| (row, 0), |zone, into| Ok(zone.forget_into(x, into)?))?;
        }
        let mut landed = Vec::with_capacity(ways.len());
        for Way { priced, mut origin } in ways {
            self.pay_for(&priced)?;
            let mut images = Vec::with_capacity(1);
            priced.image_into(image.sources, &mut images)?;
            for mut priced in images {
                if constrain(&mut priced.zone, active, &transition.arrival).is_err() {
                    continue;
                }
                origin = origin.and_then(|origin| image.within(origin, &priced.zone));
                if let Some(origin) = origin.as_mut().filter(|_| transition.delayed) {
                    origin.delay();
                }
                landed.push(Way { priced, origin: origin.take() });
            }
        }
        let place = |row: Row| image.place(row);
        let rate = self.rate_in(target);
        let mut stays = split(landed, place, |zone, into| {
            let mut delayed = Vec::new();
            match transition.delayed {
                true => zone.delay_into(rate, &mut delayed)?,
                false => delayed.push(zone.clone()),
            }
            delayed.retain_mut(|stay| {
                constrain(&mut stay.zone, active, transition.departure()).is_ok()
            });
            into.append(&mut delayed);
            Ok(())
        })?;
        if self.zones.differences() == Differences::Absent {
            for (x, greatest) in active.greatest_constants() {
                stays = split(stays, place, |zone, into| {
                    self.pay_for(zone)?;
                    Ok(self.forget_above(zone, x, greatest, into)?)
                })?;
            }
        }
        Ok(stays)
    }

    /// Adds a priced zone in which the value of the clock `x` is forgotten above `greatest`; parts of
    /// it if smaller values occur, and values above the horizon.
    fn forget_above(
        &self,
        zone: &PricedZone,
        x: Row,
        greatest: i32,
        into: &mut Vec<PricedZone>,
    ) -> Result<(), CostRange> {
        let above = Bound::lt(-greatest);
        let is_above = zone.zone.bound(Row::ZERO, x) <= above;
        let horizon = Bound::le(self.horizon.max(greatest));
        if !is_above && zone.zone.bound(x, Row::ZERO) <= horizon {
            into.push(zone.clone());
            return Ok(());
        }
        let mut within = zone.clone();
        if within.zone.constrain(x, Row::ZERO, Bound::le(greatest)).is_ok() {
            into.push(within);
        }
        let mut beyond = zone.clone();
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
    target: &Target<'_>,
    mut visit: impl FnMut(Result<&mut PricedState, StepError>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    for way in &target.ways {
        match target.part(&way.priced) {
            Some(mut part) => visit(Ok(&mut part))?,
            None => visit(Err(StepError::ClockRange))?,
        }
    }
    ControlFlow::Continue(())
}

/// Whether the origins of priced zones are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origins {
    /// For a search.
    Dropped,
    /// For a proof.
    Kept,
}

/// The clocks after a transition and a delay, as those of an *extended zone*: its rows are those of
/// the source, which go on running, and one more, which is 0 at the transition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Image<'t> {
    /// For every row of the target, the row of the source and the constant whose sum it is at the
    /// transition.
    pub(crate) sources: &'t [(Row, i32)],
    /// The row of the extended zone that measures the delay.
    pub(crate) elapsed: Row,
}

impl Image<'_> {
    /// The row of the extended zone, and the constant, whose sum a row of the target is.
    pub(crate) fn place(self, row: Row) -> (Row, i64) {
        match self.sources[row.index()] {
            _ if row == Row::ZERO => (Row::ZERO, 0),
            (Row::ZERO, value) => (self.elapsed, value.into()),
            (source, value) => (source, value.into()),
        }
    }

    /// The extended zone at the moment of the transition.
    fn extended(self, zone: &Zone<Wide>) -> Zone<Wide> {
        let rows = (0..zone.dim()).map(|row| (Row::from_index(row), 0));
        let rows: Vec<_> = rows.chain([(Row::ZERO, 0)]).collect();
        let mut extended = Zone::origin(1);
        zone.image_into(&rows, &mut extended);
        extended
    }

    /// The part of an extended zone whose target is in `zone`; `None` if it is empty.
    fn within(self, extended: Zone<Wide>, zone: &Zone<Wide>) -> Option<Zone<Wide>> {
        within(extended, zone, |row| self.place(row))
    }
}

/// The part of an extended zone in which the rows at these places are in `zone`.
fn within(
    mut extended: Zone<Wide>,
    zone: &Zone<Wide>,
    place: impl Fn(Row) -> (Row, i64),
) -> Option<Zone<Wide>> {
    for x in (0..zone.dim()).map(Row::from_index) {
        for y in (0..zone.dim()).map(Row::from_index) {
            let bound = zone.bound(x, y);
            let ((left, a), (right, b)) = (place(x), place(y));
            if bound.is_infinite() || left == right {
                continue;
            }
            let value = bound.value() + b - a;
            let bound = if bound.is_strict() { Bound::lt(value) } else { Bound::le(value) };
            extended.constrain(left, right, bound).ok()?;
        }
    }
    Some(extended)
}

/// A priced zone on the way to a successor.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    pub(crate) priced: PricedZone,
    /// For a proof, the extended zone of the valuations and delays that lead to it.
    pub(crate) origin: Option<Zone<Wide>>,
}

/// A transition that is taken.
struct Taken<'t> {
    transition: &'t Transition<Wide>,
    target: &'t SymbolicState<Wide>,
    /// The clocks of the target.
    active: &'t ActiveClocks,
    image: Image<'t>,
}

/// A target of a transition.
pub(crate) struct Target<'t> {
    pub(crate) symbolic: &'t SymbolicState<Wide>,
    pub(crate) image: Image<'t>,
    /// The priced zones of its parts.
    pub(crate) ways: Vec<Way>,
}

impl Target<'_> {
    /// One of its parts; `None` if its cost is unbounded, which no cost of runs is.
    pub(crate) fn part(&self, priced: &PricedZone) -> Option<PricedState> {
        let least = priced.least()?;
        let mut part = self.symbolic.clone();
        part.zone.clone_from(&priced.zone);
        Some(PricedState::new(part, priced.cost.clone(), infimum(least)))
    }
}

/// Replaces each priced zone by those that `operate` adds for it, whose rows are at `place` in
/// extended zones.
fn split(
    ways: Vec<Way>,
    place: impl Fn(Row) -> (Row, i64),
    mut operate: impl FnMut(&PricedZone, &mut Vec<PricedZone>) -> Result<(), Failed>,
) -> Result<Vec<Way>, Failed> {
    let mut next = Vec::with_capacity(ways.len());
    let mut parts = Vec::new();
    for Way { priced, origin } in ways {
        operate(&priced, &mut parts)?;
        for priced in parts.drain(..) {
            let origin = match &origin {
                Some(origin) => match within(origin.clone(), &priced.zone, &place) {
                    Some(origin) => Some(origin),
                    None => continue,
                },
                None => None,
            };
            next.push(Way { priced, origin });
        }
    }
    Ok(next)
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

impl SymbolicSystem for PricedGraph<'_> {
    type Width = Wide;

    fn zones(&self) -> &ZoneGraph<'_, Wide> {
        &self.zones
    }

    fn symbolic(state: &mut PricedState) -> &mut SymbolicState<Wide> {
        &mut state.symbolic
    }

    fn permuted(state: &mut PricedState, sources: &[(Row, i32)]) {
        state.permute_slopes(sources);
    }
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
        self.for_each_target(None, Origins::Dropped, scratch, &mut |_, target| match target {
            Ok(target) => present(&target, &mut visit),
            Err(error) => visit(Err(error)),
        })
    }

    fn for_each_successor(
        &self,
        state: &PricedState,
        scratch: &mut PricedScratch,
        mut visit: impl FnMut(Successor<'_, Self>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let network = self.zones.network();
        let mut numbers = std::mem::take(&mut scratch.numbers);
        numbers.0.clear();
        let mut visit_one =
            |participants: &[ActionId], target: Result<Target<'_>, StepError>| match target {
                Ok(target) => present(&target, |part| {
                    let step = numbers.next(network, participants);
                    visit(match part {
                        Ok(part) => Successor::State(step, part),
                        Err(error) => Successor::Error(step, error),
                    })
                }),
                Err(error) => visit(Successor::Error(numbers.next(network, participants), error)),
            };
        let flow = self.for_each_target(Some(state), Origins::Dropped, scratch, &mut visit_one);
        scratch.numbers = numbers;
        flow
    }

    fn stopped_by(error: &StepError) -> Option<StopReason> {
        <ZoneGraph<'_, Wide> as TransitionSystem>::stopped_by(error)
    }
}
