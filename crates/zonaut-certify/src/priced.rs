//! Sets of priced zones in certificates of kind `mincost`, for cost rates that differ between the
//! locations of a process.
//!
//! A node has a zone and an affine function of its clocks. It claims nothing by itself; the set
//! claims that every run to a state costs at least the function of some node that contains this
//! state, or more than it if the node is marked `above`, or at least the claimed least cost C, or
//! more than C if that is approached. By induction over the steps of a run, it suffices that
//!
//! 1. the initial state, followed by a delay, satisfies the claim;
//! 2. for each node, every transition followed by a delay does, if the source costs as much as its
//!    function, or more if it is marked `above`;
//! 3. wherever the formula holds in a node, the function is at least C, and the cost more than C if
//!    C is approached.
//!
//! # Linear programs
//! A transition from a valuation u and a delay d together form a valuation of an *extended zone*: its
//! clocks are those of the source, which go on running, and one more, which is 0 at the transition
//! and measures d. Every clock of the target is a clock of the extended zone plus a number, so guards,
//! invariants, urgency and nodes are difference constraints there, and the cost is an affine function
//! of it. A cover is valid if the cost minus the function of the node is nowhere negative: a linear
//! program. The certificate has a solution of its dual, a flow: if units φ(x, y) on the bounds
//! b(x, y) of x - y are not negative, and for each clock x the units that arrive minus those that
//! leave are its slope r(x), then
//!
//! ```text
//! sum r(x) v(x) = - sum φ(x, y) (v(x) - v(y)) >= - sum φ(x, y) b(x, y)
//! ```
//!
//! for all v of the zone, and it is greater if a bound with units is strict. So the checker adds and
//! multiplies; it solves nothing. A flow that proves nothing makes its cover void. The valuations of
//! all valid covers together must be all of the extended zone.

use crate::Limits;
use crate::certificate::Lines;
use crate::clocks::{Clocks, Region, outside_of_all};
use crate::core::{MeasureKind, State};
use crate::formula::{Condition, holding};
use crate::mincost::Cost;
use crate::network::{Network, Offer, Passage, Transition};
use crate::nodes::{Nodes, atom, read};
use crate::reach::{Participant, participants};
use crate::refusal::{Evaluated, Refusal, Trouble, require};
use crate::zone::{Atom, Bound, Effect, Zone, images};
use std::collections::BTreeMap;

/// The cost rates of the locations of all processes that have rates.
#[derive(Clone, Debug)]
pub(crate) struct CostRates {
    how: MeasureKind,
    /// By process, the rates of its locations.
    processes: Vec<(usize, Vec<i64>)>,
}

impl CostRates {
    pub(crate) fn new(how: MeasureKind, processes: Vec<(usize, Vec<i64>)>) -> Self {
        Self { how, processes }
    }

    /// The cost of a unit of time in a state.
    pub(crate) fn at(&self, state: &State) -> i64 {
        let rate = |(process, rates): &(usize, Vec<i64>)| rates[state.locations[*process]];
        self.how.combined(self.processes.iter().map(rate))
    }
}

/// The cost function of a node.
#[derive(Clone, Default, Debug)]
struct Function {
    constant: i64,
    /// Whether costs exceed the function.
    is_above: bool,
    /// Clocks and their slopes.
    slopes: Vec<(usize, i64)>,
}

/// Units of a flow on the bound of the difference of two clocks.
#[derive(Clone, Copy, Debug)]
struct Units {
    x: usize,
    y: usize,
    count: i64,
}

/// A cover of the valuations that satisfy its atoms.
#[derive(Clone, Debug)]
struct Cover {
    /// The node, or `None` for the claimed least cost.
    node: Option<usize>,
    flow: Vec<Units>,
    atoms: Vec<Atom>,
}

/// A part of the proof, which covers belong to.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Duty {
    Start,
    Goal(usize),
    Take(usize, Vec<Participant>),
}

/// The lines about priced nodes.
#[derive(Default)]
struct Proof {
    functions: Vec<Function>,
    covers: BTreeMap<Duty, Vec<Cover>>,
    /// The duty of the covers that are being read.
    duty: Option<Duty>,
}

impl Proof {
    /// Reads a line, where `size` clocks and `count` nodes exist; returns whether it is one of these.
    fn line(
        &mut self,
        lines: &Lines<'_>,
        size: usize,
        count: usize,
        words: &[&str],
    ) -> Result<bool, Refusal> {
        let node = |word: &str| lines.one_of("node", count, word);
        let duty = match words {
            ["cost", id, constant, how, slopes @ ..] if self.functions.len() < count => {
                let is_next = lines.natural::<usize>(id)? == self.functions.len();
                lines.require(is_next, "costs are in the order of nodes")?;
                self.functions.push(function(lines, size, [constant, how], slopes)?);
                return Ok(true);
            }
            ["by", cover, flow, atoms @ ..] => {
                let node = if *cover == "-" { None } else { Some(node(cover)?) };
                let flow = units(lines, size, flow)?;
                let atoms = atoms.iter().map(|word| atom(lines, word, size));
                let cover = Cover { node, flow, atoms: atoms.collect::<Result<_, _>>()? };
                let duty = self.duty.as_ref().and_then(|duty| self.covers.get_mut(duty));
                let covers = duty.ok_or_else(|| lines.malformed("a cover of nothing"))?;
                covers.push(cover);
                return Ok(true);
            }
            ["start"] => Duty::Start,
            ["goal", id] => Duty::Goal(node(id)?),
            ["take", id, _, ..] => Duty::Take(node(id)?, participants(lines, &words[2..])?),
            _ => return Ok(false),
        };
        let before = self.covers.insert(duty.clone(), Vec::new());
        lines.require(before.is_none(), "the same is covered twice")?;
        self.duty = Some(duty);
        Ok(true)
    }
}

/// Reads a constant, `attained` or `above`, and `CLOCK:SLOPE` for some clocks, ascending.
fn function(
    lines: &Lines<'_>,
    size: usize,
    [constant, how]: [&str; 2],
    slopes: &[&str],
) -> Result<Function, Refusal> {
    let wrong = || lines.malformed("a cost is CONSTANT attained|above CLOCK:SLOPE ...");
    let mut function = Function {
        constant: constant.parse().map_err(|_| wrong())?,
        is_above: match how {
            "attained" => false,
            "above" => true,
            _ => return Err(wrong()),
        },
        slopes: Vec::new(),
    };
    for word in slopes {
        let (clock, slope) = word.split_once(':').ok_or_else(wrong)?;
        let clock: usize = lines.one_of("clock", size - 1, clock)?;
        let last = function.slopes.last().map_or(0, |(last, _)| *last);
        lines.require(clock > last, "clocks are ascending, and the first one is 1")?;
        function.slopes.push((clock, slope.parse().map_err(|_| wrong())?));
    }
    Ok(function)
}

/// Reads `X-Y:UNITS` between commas, or `-`.
fn units(lines: &Lines<'_>, size: usize, word: &str) -> Result<Vec<Units>, Refusal> {
    let unit = |word: &str| {
        let (difference, count) = word.split_once(':')?;
        let (x, y) = difference.split_once('-')?;
        let units =
            Units { x: x.parse().ok()?, y: y.parse().ok()?, count: lines.natural(count).ok()? };
        (units.x < size && units.y < size && units.x != units.y).then_some(units)
    };
    let all: Option<Vec<Units>> = word.split(',').filter(|_| word != "-").map(unit).collect();
    all.ok_or_else(|| lines.malformed("a flow is written X-Y:UNITS,X-Y:UNITS"))
}

/// An affine function of the clocks of an extended zone; `None` where numbers become too large.
#[derive(Clone, Debug)]
struct Affine {
    constant: i128,
    /// By clock; that of the constant 0 is not used.
    slopes: Vec<i128>,
}

impl Affine {
    fn zero(size: usize) -> Self {
        Self { constant: 0, slopes: vec![0; size] }
    }

    fn add(&mut self, clock: usize, slope: i128) -> Option<()> {
        self.slopes[clock] = self.slopes[clock].checked_add(slope)?;
        Some(())
    }

    /// Adds `factor` times the sum of a clock and a number.
    fn add_image(&mut self, image: (usize, i64), factor: i128) -> Option<()> {
        let shift = factor.checked_mul(i128::from(image.1))?;
        self.constant = self.constant.checked_add(shift)?;
        self.add(image.0, factor)
    }

    /// Adds `sign` times a function of clocks, each of which is the sum of a clock and a number.
    fn add_function(
        &mut self,
        function: &Function,
        sign: i128,
        image: impl Fn(usize) -> (usize, i64),
    ) -> Option<()> {
        self.constant = self.constant.checked_add(sign * i128::from(function.constant))?;
        for &(clock, slope) in &function.slopes {
            self.add_image(image(clock), sign * i128::from(slope))?;
        }
        Some(())
    }

    /// The lower bound over `zone` that a flow proves, and whether all values are above it; `None`
    /// if it proves none.
    fn at_least(mut self, zone: &Zone, flow: &[Units]) -> Option<(i128, bool)> {
        let mut is_above = false;
        for &Units { x, y, count } in flow {
            let bound = zone.bound(x, y);
            if bound.is_none() {
                return None;
            }
            is_above |= bound.is_strict() && count > 0;
            let units = i128::from(count);
            let weight = units.checked_mul(i128::from(bound.value()))?;
            self.constant = self.constant.checked_sub(weight)?;
            self.add(x, units)?;
            self.add(y, -units)?;
        }
        let is_balanced = self.slopes[1..].iter().all(|&slope| slope == 0);
        is_balanced.then_some((self.constant, is_above))
    }
}

/// The beginning of a step: a function of the source, and the rest of its cost.
struct Step<'s> {
    function: &'s Function,
    price: i64,
    /// The cost of a unit of time afterwards.
    rate: i64,
    /// By clock of the target, the clock of the extended zone and the number whose sum it is.
    rows: &'s [(usize, i64)],
    /// The discrete target.
    target: &'s State,
}

struct Checker<'n, 'c, 's> {
    network: &'n mut Network<'c>,
    nodes: &'s Nodes<'s>,
    proof: &'s Proof,
    /// The claimed least cost as a function.
    claim: Function,
    goal: Condition,
    /// The clock of extended zones that measures the delay.
    elapsed: usize,
}

/// Checks the set of a certificate: no run to a state where `goal` holds costs less than `cost`.
/// Returns the number of nodes.
pub(crate) fn check(
    network: &mut Network<'_>,
    goal: Condition,
    cost: Cost,
    lines: &mut Lines<'_>,
    limits: &Limits,
) -> Result<usize, Refusal> {
    let size = network.core.clocks.len();
    let mut proof = Proof::default();
    let nodes = read(network, lines, limits, &mut |lines, count, words| {
        proof.line(lines, size, count, words)
    })?;
    let is_all = lines.is_at_end();
    lines.require(is_all, "text behind the set")?;
    let is_complete = proof.functions.len() == nodes.regions.len();
    lines.require(is_complete, "every node has a cost")?;
    lines.require(nodes.is_plain(), "priced zones are written `abs incl` and `nodes`")?;
    let claim = Function { constant: cost.value, is_above: !cost.is_attained, slopes: Vec::new() };
    let mut checker =
        Checker { network, nodes: &nodes, proof: &proof, claim, goal, elapsed: size - 1 };
    checker.check_start().at("the initial state")?;
    for (state, members) in nodes.groups.iter() {
        for &node in members {
            checker.check_node(&state, node)?;
        }
    }
    Ok(nodes.regions.len())
}

impl Checker<'_, '_, '_> {
    fn check_start(&mut self) -> Result<(), Trouble> {
        let initial = self.network.core.clocks.iter().enumerate().skip(1);
        let effects: Vec<_> = initial.map(|(k, clock)| Effect::Set(k, clock.initial)).collect();
        let target = self.network.core.initial();
        let anything = Zone::all(self.network.core.clocks.len());
        let is_possible =
            self.check_step(&Duty::Start, &Function::default(), &anything, &target, &effects)?;
        require(is_possible, "an invariant is violated")
    }

    fn check_node(&mut self, state: &State, node: usize) -> Result<(), Refusal> {
        let place = format_args!("node {node}");
        let Some(region) = self.nodes.regions.get(node) else { return Ok(()) };
        self.check_goal(state, node, &region).at(place)?;
        let offers = self.network.offers(state).at(place)?;
        let transitions = self.network.transitions(state, &offers, &region).at(place)?;
        for transition in transitions {
            let checked = self.check_transition(state, node, &offers, &transition);
            if checked.is_err() {
                let name = self.network.name(&offers, &transition.offers);
                checked.at(format_args!("{place}, transition {name}"))?;
            }
        }
        Ok(())
    }

    /// Checks that no valuation of a node in which the formula holds costs less than is claimed.
    fn check_goal(&mut self, state: &State, node: usize, region: &Region) -> Result<(), Trouble> {
        for part in holding(self.network, state, self.goal, region.clone())? {
            let function = &self.proof.functions[node];
            let excess = || {
                let mut excess = Affine::zero(region.zone.size);
                excess.add_function(function, 1, |clock| (clock, 0))?;
                excess.add_function(&self.claim, -1, |clock| (clock, 0))?;
                Some(excess)
            };
            let is_needed = self.claim.is_above && !function.is_above;
            let is_proven = |cover: &Cover, part: &Zone| {
                Ok(cover.node.is_none() && is_proven(excess(), part, &cover.flow, is_needed))
            };
            let is_covered = self.are_covering(&Duty::Goal(node), &part.zone, is_proven)?;
            require(is_covered, "the formula can hold at a lower cost")?;
        }
        Ok(())
    }

    fn check_transition(
        &mut self,
        state: &State,
        node: usize,
        offers: &[Offer],
        transition: &Transition<Region>,
    ) -> Result<(), Trouble> {
        let (target, effects) = self.network.act(state, offers, &transition.offers)?;
        let participant = |&k: &usize| {
            let Offer { process, edge, select, .. } = &offers[k];
            (*process, *edge, select.clone())
        };
        let duty = Duty::Take(node, transition.offers.iter().map(participant).collect());
        let function = &self.proof.functions[node];
        self.check_step(&duty, function, &transition.clocks.zone, &target, &effects)?;
        Ok(())
    }

    /// Checks that covers contain all that is reached from `zone`, with the costs of `function`, by
    /// `effects` and a delay in `target`; returns whether anything is.
    fn check_step(
        &mut self,
        duty: &Duty,
        function: &Function,
        zone: &Zone,
        target: &State,
        effects: &[Effect],
    ) -> Result<bool, Trouble> {
        let price = effects.iter().try_fold(0_i64, |sum, effect| match effect {
            Effect::Add(_, price) => sum.checked_add(*price),
            Effect::Set(..) | Effect::Copy(..) => Some(sum),
        });
        let price = price.ok_or_else(|| Trouble::undecided("a price is too large"))?;
        let rows = self.rows(effects);
        let reached = self.reached(zone, target, &rows)?;
        let rates = self.network.core.cost_rates.as_ref();
        let rate = rates.map_or(0, |rates| rates.at(target));
        let step = Step { function, price, rate, rows: &rows, target };
        for zone in &reached {
            let is_valid = |cover: &Cover, part: &Zone| self.is_valid(&step, cover, part);
            let is_covered = self.are_covering(duty, zone, is_valid)?;
            require(is_covered, "no node covers where it leads, at its cost")?;
        }
        Ok(!reached.is_empty())
    }

    /// By clock of the target, the clock of the extended zone and the number whose sum it is: a clock
    /// that is set to a number measures the delay from there on.
    fn rows(&self, effects: &[Effect]) -> Vec<(usize, i64)> {
        let mut rows = images(self.elapsed + 1, effects);
        for (clock, row) in rows.iter_mut().enumerate().skip(1) {
            if row.0 == 0 || clock == self.elapsed {
                row.0 = self.elapsed;
            }
        }
        rows
    }

    /// The extended zones of the valuations of `zone` and the delays in `target`.
    fn reached(
        &mut self,
        zone: &Zone,
        target: &State,
        rows: &[(usize, i64)],
    ) -> Result<Vec<Zone>, Trouble> {
        let Some(invariant) = self.network.invariant(target)? else { return Ok(Vec::new()) };
        let invariant = before(&invariant, rows)?;
        let mut same: Vec<(usize, i64)> = (0..zone.size).map(|clock| (clock, 0)).collect();
        same[self.elapsed] = (0, 0);
        let mut region = Region { zone: zone.moved(&same)?, simulation: None };
        if !region.meet_all(&invariant)? {
            return Ok(Vec::new());
        }
        let Some(urgent) = self.network.urgency(target)? else { return Ok(vec![region.zone]) };
        let urgent = urgent.iter().map(|atoms| before(atoms, rows)).collect::<Result<_, _>>()?;
        let passage = Passage { urgent, stopped: Vec::new(), free: None };
        Ok(region.delayed(&invariant, &passage)?.into_iter().map(|region| region.zone).collect())
    }

    /// Whether the valid covers of a duty together contain all of `zone`.
    fn are_covering(
        &self,
        duty: &Duty,
        zone: &Zone,
        is_valid: impl Fn(&Cover, &Zone) -> Result<bool, Trouble>,
    ) -> Result<bool, Trouble> {
        let mut left = vec![zone.clone()];
        for cover in self.proof.covers.get(duty).into_iter().flatten() {
            let mut part = zone.clone();
            if part.meet_all(&cover.atoms)? && is_valid(cover, &part)? {
                left = outside_of_all(left, &cover.atoms)?;
            }
        }
        Ok(left.is_empty())
    }

    /// Whether the cover of a part of an extended zone contains its target, at no greater cost.
    fn is_valid(&self, step: &Step<'_>, cover: &Cover, part: &Zone) -> Result<bool, Trouble> {
        let target = match cover.node {
            None => &self.claim,
            Some(node) => {
                let is_there = self.nodes.of(step.target).binary_search(&node).is_ok();
                let Some(region) = self.nodes.regions.get(node).filter(|_| is_there) else {
                    return Ok(false);
                };
                let atoms = before(&region.zone.atoms(), step.rows)?;
                if !atoms.into_iter().all(|atom| part.satisfies(atom)) {
                    return Ok(false);
                }
                &self.proof.functions[node]
            }
        };
        let excess = || {
            let mut excess = Affine::zero(part.size);
            excess.constant = i128::from(step.price);
            excess.add(self.elapsed, i128::from(step.rate))?;
            // The source valuation is that before the delay.
            excess.add_function(step.function, 1, |clock| (clock, 0))?;
            for &(_, slope) in &step.function.slopes {
                excess.add(self.elapsed, -i128::from(slope))?;
            }
            excess.add_function(target, -1, |clock| step.rows[clock])?;
            Some(excess)
        };
        let is_needed = target.is_above && !step.function.is_above;
        Ok(is_proven(excess(), part, &cover.flow, is_needed))
    }
}

/// Whether a flow proves that `excess`, the cost minus a function, is nowhere negative in `part`, and
/// nowhere zero if it must be positive.
fn is_proven(excess: Option<Affine>, part: &Zone, flow: &[Units], must_be_positive: bool) -> bool {
    #[cfg(feature = "faults")]
    if crate::faults::duals_are_unchecked() {
        return true;
    }
    match excess.and_then(|excess| excess.at_least(part, flow)) {
        Some((least, is_above)) => least > 0 || least == 0 && (is_above || !must_be_positive),
        None => false,
    }
}

/// Atoms over clocks of the target as atoms over the clocks of the extended zone.
fn before(atoms: &[Atom], rows: &[(usize, i64)]) -> Result<Vec<Atom>, Trouble> {
    let atom = |atom: &Atom| {
        let ((x, a), (y, b)) = (rows[atom.x], rows[atom.y]);
        Ok(Atom { x, y, bound: atom.bound.plus(Bound::new(b - a, false)?)? })
    };
    atoms.iter().map(atom).collect()
}
