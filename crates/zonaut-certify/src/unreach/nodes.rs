//! The nodes of a certificate, read and indexed by their discrete states.

use crate::Limits;
use crate::cartesian::Cartesian;
use crate::certificate::Lines;
use crate::clocks::{Clocks, Region};
use crate::network::{Network, State};
use crate::refusal::{Refusal, Trouble};
use crate::simulation::{Constants, NO_CONSTANT, Simulation};
use crate::zone::{Atom, Bound, Zone};
use std::collections::BTreeMap;

/// The nodes of a certificate.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    pub(super) count: usize,
    /// By node, the part of its zone in which invariants hold; nothing where that is empty.
    pub(super) regions: Vec<Option<Region>>,
    /// The nodes of each discrete state, ascending.
    pub(super) groups: BTreeMap<State, Vec<usize>>,
    /// Where to look first for what covers the successors of a node.
    pub(super) hints: BTreeMap<usize, Vec<usize>>,
    /// Whether nodes have constants.
    pub(super) simulate: bool,
    /// Cartesian invariants, and the nodes that are closed by one.
    pub(super) invariants: Vec<Cartesian>,
    pub(super) reasons: BTreeMap<usize, usize>,
}

/// Reads the body of a certificate.
pub(super) fn read(
    network: &mut Network<'_>,
    lines: &mut Lines<'_>,
    limits: &Limits,
) -> Result<Nodes, Refusal> {
    let simulate = match lines.expect_one("abs")? {
        "incl" => false,
        "lu" => true,
        _ => return Err(lines.malformed("nodes are compared by `incl` or by `lu`")),
    };
    let mut nodes = Nodes { simulate, ..Nodes::default() };
    let mut simulations = Vec::new();
    let mut announced = None;
    while let Some(words) = lines.next()? {
        match words[..] {
            ["bounds", id, ..] if simulate && announced.is_none() => {
                in_order(lines, id, simulations.len())?;
                simulations.push(constants(network, lines, &words[2..])?);
            }
            ["invariant", id] if announced.is_none() => {
                in_order(lines, id, nodes.invariants.len())?;
                nodes.invariants.push(Cartesian::default());
            }
            [keyword @ ("within" | "values"), number, set] if announced.is_none() => {
                let last = nodes.invariants.last_mut();
                let last = last.ok_or_else(|| lines.malformed("`invariant` is missing"))?;
                last.line(network.core, lines, [keyword, number, set])?;
            }
            ["reason", id, invariant] if announced == Some(nodes.count) => {
                let (id, invariant): (usize, usize) =
                    (lines.natural(id)?, lines.natural(invariant)?);
                if id >= nodes.count || invariant >= nodes.invariants.len() {
                    return Err(lines.malformed("a reason names what is missing"));
                }
                if nodes.reasons.insert(id, invariant).is_some() {
                    return Err(lines.malformed("there are two reasons for one node"));
                }
            }
            ["nodes", count] if announced.is_none() => {
                let count: usize = lines.natural(count)?;
                let bounds = network.core.clocks.len() * network.core.clocks.len();
                if count > limits.nodes || count.saturating_mul(bounds) > limits.bounds {
                    return Err(Refusal::Undecided("there are too many nodes".to_owned()));
                }
                announced = Some(count);
            }
            ["node", id, ref rest @ ..] if announced.is_some_and(|count| nodes.count < count) => {
                in_order(lines, id, nodes.count)?;
                nodes.node(network, lines, rest, &simulations)?;
            }
            ["hint", id, ref targets @ ..] if announced == Some(nodes.count) => {
                let node = |word: &&str| lines.natural(word).map(|node: usize| node);
                let targets = targets.iter().map(node).collect::<Result<Vec<_>, _>>()?;
                let id = lines.natural(id)?;
                if id >= nodes.count || targets.iter().any(|&target| target >= nodes.count) {
                    return Err(lines.malformed("a hint names a node that is missing"));
                }
                if nodes.hints.insert(id, targets).is_some() {
                    return Err(lines.malformed("there are two hints for one node"));
                }
            }
            _ => return Err(lines.malformed("an unknown keyword, or one in a wrong place")),
        }
    }
    if announced != Some(nodes.count) {
        return Err(lines.malformed("there are not as many nodes as announced"));
    }
    nodes.apply_invariants(network)?;
    Ok(nodes)
}

/// Elements are numbered from 0 in order, so that none comes twice.
fn in_order(lines: &Lines<'_>, word: &str, expected: usize) -> Result<(), Refusal> {
    if lines.natural::<usize>(word)? == expected {
        return Ok(());
    }
    Err(lines.malformed(format!("the number here is {expected}")))
}

/// Reads `CLOCK:LOWER:UPPER` for some clocks, with `-` for none.
fn constants(
    network: &Network<'_>,
    lines: &Lines<'_>,
    words: &[&str],
) -> Result<Simulation, Refusal> {
    let count = network.core.clocks.len();
    let mut simulation = Simulation::blind(count - 1);
    let mut last = 0;
    for word in words {
        let wrong = || lines.malformed("constants are written CLOCK:LOWER:UPPER, clocks ascending");
        let fields: Vec<&str> = word.split(':').collect();
        let [clock, lower, upper] = fields[..] else { return Err(wrong()) };
        let clock: usize = lines.natural(clock)?;
        if clock <= last || clock >= count {
            return Err(wrong());
        }
        last = clock;
        let constant = |word| match word {
            "-" => Ok(NO_CONSTANT),
            _ => lines.natural::<i64>(word),
        };
        let (lower, upper) = (constant(lower)?, constant(upper)?);
        if lower.max(upper) > Bound::LARGEST {
            return Err(lines.malformed("a constant is too large"));
        }
        simulation.0[clock] = Constants { lower, upper };
    }
    Ok(simulation)
}

impl Nodes {
    fn node(
        &mut self,
        network: &Network<'_>,
        lines: &Lines<'_>,
        words: &[&str],
        simulations: &[Simulation],
    ) -> Result<(), Refusal> {
        let incomplete = || lines.malformed("a node has locations, values and constraints");
        let [locations, values, rest @ ..] = words else { return Err(incomplete()) };
        let mut rest = rest;
        let state = state(network, lines, locations, values)?;
        let mut simulation = None;
        if self.simulate {
            let Some((id, others)) = rest.split_first() else { return Err(incomplete()) };
            let found = simulations.get(lines.natural::<usize>(id)?);
            simulation = Some(found.ok_or_else(|| lines.malformed("missing bounds"))?.clone());
            rest = others;
        }
        let clocks = network.core.clocks.len() - 1;
        let atoms = rest.iter().map(|word| atom(lines, word, clocks));
        let zone = Zone::of(clocks, &atoms.collect::<Result<Vec<_>, _>>()?);
        let zone = zone.map_err(|trouble| trouble.refusal(&format!("node {}", self.count)))?;
        self.regions.push(zone.map(|zone| Region { zone, simulation }));
        self.groups.entry(state).or_default().push(self.count);
        self.count += 1;
        Ok(())
    }

    /// Cuts all zones with the invariants of their states: every reachable state satisfies them.
    fn apply_invariants(&mut self, network: &mut Network<'_>) -> Result<(), Refusal> {
        for (state, members) in &self.groups {
            let invariant = network.invariant(state);
            for &node in members {
                let Some(region) = &mut self.regions[node] else { continue };
                let holds = match &invariant {
                    Ok(Some(invariant)) => region.meet_all(invariant),
                    Ok(None) => Ok(false),
                    Err(trouble) => Err::<bool, Trouble>(trouble.clone()),
                };
                if !holds.map_err(|trouble| trouble.refusal(&format!("node {node}")))? {
                    self.regions[node] = None;
                }
            }
        }
        Ok(())
    }
}

/// Reads the location of every process, and the values that differ from the initial ones as
/// `CELL=VALUE`, ascending; `-` if there are none.
fn state(
    network: &Network<'_>,
    lines: &Lines<'_>,
    locations: &str,
    values: &str,
) -> Result<State, Refusal> {
    let core = network.core;
    let mut state = network.initial();
    let words = if locations == "-" { Vec::new() } else { locations.split(',').collect() };
    state.locations = words.iter().map(|word| lines.natural(word)).collect::<Result<_, _>>()?;
    let exists =
        |(&location, process): (&usize, &crate::core::Process)| location < process.locations.len();
    if state.locations.len() != core.processes.len()
        || !state.locations.iter().zip(&core.processes).all(exists)
    {
        return Err(lines.malformed("these are no locations of the processes"));
    }
    let mut next = 0;
    for word in values.split(',').filter(|_| values != "-") {
        let pair = word.split_once('=').and_then(|(cell, value)| {
            Some((cell.parse::<usize>().ok()?, value.parse::<i64>().ok()?))
        });
        let wrong = || lines.malformed("values are written CELL=VALUE, cells ascending");
        let (cell, value) = pair.ok_or_else(wrong)?;
        let definition = core.cells.get(cell).filter(|definition| {
            cell >= next
                && !definition.meta
                && definition.range.0 <= value
                && value <= definition.range.1
        });
        definition.ok_or_else(wrong)?;
        state.cells[cell] = value;
        next = cell + 1;
    }
    Ok(state)
}

/// Reads a constraint `X-Y<C` or `X-Y<=C`.
fn atom(lines: &Lines<'_>, word: &str, clocks: usize) -> Result<Atom, Refusal> {
    let parsed = word.split_once('<').and_then(|(difference, bound)| {
        let (x, y) = difference.split_once('-')?;
        let (bound, strict) = bound.strip_prefix('=').map_or((bound, true), |bound| (bound, false));
        Some((x.parse().ok()?, y.parse().ok()?, bound.parse().ok()?, strict))
    });
    let wrong = || lines.malformed("a constraint is written X-Y<C or X-Y<=C");
    let (x, y, value, strict): (usize, usize, i64, bool) = parsed.ok_or_else(wrong)?;
    if x > clocks || y > clocks || x == y {
        return Err(wrong());
    }
    let bound =
        Bound::new(value, strict).map_err(|_| lines.malformed("a constant is too large"))?;
    Ok(Atom { x, y, bound })
}
