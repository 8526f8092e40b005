//! The nodes of a certificate, read and indexed by their discrete states.

use crate::Limits;
use crate::cartesian::Cartesian;
use crate::cells;
use crate::certificate::Lines;
use crate::clocks::{Clocks, MANY_PARTS, PARTS, Region, limited};
use crate::core::State;
use crate::groups::{Groups, Members};
use crate::network::Network;
use crate::packed::Form;
use crate::partial::Partial;
use crate::refusal::{Evaluated, Refusal, Trouble};
use crate::regions::Regions;
use crate::simulation::{Constants, NO_CONSTANT, Simulation};
use crate::zone::{Atom, Bound, Zone};
use std::collections::{BTreeMap, BTreeSet};

/// The nodes of a certificate.
#[derive(Default)]
pub(crate) struct Nodes<'t> {
    /// The zone of each node, restricted to its invariants unless the set is packed.
    pub(crate) regions: Regions<'t>,
    /// The nodes of each discrete state.
    pub(crate) groups: Groups<'t>,
    /// The same for discrete states with unknown cells.
    pub(crate) partial: BTreeMap<Partial, Vec<usize>>,
    /// The sets of cells that are unknown in some nodes, by location vector.
    unknown: BTreeMap<Vec<usize>, BTreeSet<Vec<usize>>>,
    /// The discrete states with ranges of contents, by their known part and their unknown cells.
    contents: BTreeMap<(State, Vec<usize>), BTreeSet<Partial>>,
    /// The nodes to try first when covering the successors of a node.
    pub(crate) hints: BTreeMap<usize, Vec<usize>>,
    /// Whether nodes have LU constants.
    pub(crate) simulate: bool,
    /// Cartesian invariants, and the nodes that are closed by one.
    pub(crate) invariants: Vec<Cartesian>,
    pub(crate) reasons: BTreeMap<usize, usize>,
    /// An atom that all relevant states satisfy.
    pub(crate) within: Option<Atom>,
}

/// Reads a line about nodes that only some kinds of certificates have; returns whether it is one.
/// Its second argument is the number of nodes, all of which have been read.
pub(crate) type MoreLines<'m> = dyn FnMut(&Lines<'_>, usize, &[&str]) -> Result<bool, Refusal> + 'm;

/// The keywords that may follow the nodes.
const ENDS: [&str; 4] = ["set", "case", "least", "greatest"];

/// The maximal number of nodes that can be numbered.
const MOST_NODES: usize = 1 << 31;

/// Reads nodes, up to the first keyword that may follow them.
pub(crate) fn read<'t>(
    network: &mut Network<'_>,
    lines: &mut Lines<'t>,
    limits: &Limits,
    more: &mut MoreLines<'_>,
) -> Result<Nodes<'t>, Refusal> {
    let simulate = match lines.expect_one("abs")? {
        "incl" => false,
        "lu" => true,
        _ => return Err(lines.malformed("nodes are compared by `incl` or by `lu`")),
    };
    let size = network.core.clocks.len();
    let (regions, groups) = (Regions::new(size), Groups::new(network.core));
    let mut nodes = Nodes { simulate, regions, groups, ..Nodes::default() };
    let (mut announced, mut form) = (None, None);
    while !lines.keyword().is_some_and(|keyword| ENDS.contains(&keyword)) {
        let Some(words) = lines.next()? else { break };
        match words[..] {
            ["bounds", id, ..] if simulate && announced.is_none() => {
                in_order(lines, id, nodes.regions.tables())?;
                let (simulation, clocks) = constants(network, lines, &words[2..])?;
                let tables = nodes.regions.add_table(Some(simulation), &clocks);
                few_tables(tables, size, limits)?;
            }
            ["rows", id, ..] if !simulate && announced.is_none() => {
                in_order(lines, id, nodes.regions.tables())?;
                let tables = nodes.regions.add_table(None, &rows(lines, &words[2..], size)?);
                few_tables(tables, size, limits)?;
            }
            ["zones", ..] if form.is_none() && announced.is_none() => {
                form = Some(Form::read(lines, &words[1..], size)?);
            }
            ["packed", groups, count] if announced.is_none() => {
                let form = form.take().ok_or_else(|| lines.malformed("`zones` is missing"))?;
                let (groups, count) = (lines.natural(groups)?, lines.natural(count)?);
                few_nodes(count, form.bounds(), limits)?;
                nodes.pack(network, lines, form, groups, count)?;
                announced = Some(count);
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
            ["reason", id, invariant] if announced == Some(nodes.regions.len()) => {
                let id = lines.one_of("node", nodes.regions.len(), id)?;
                let invariant = lines.one_of("invariant", nodes.invariants.len(), invariant)?;
                let before = nodes.reasons.insert(id, invariant);
                lines.require(before.is_none(), "there are two reasons for one node")?;
            }
            ["nodes", count] if announced.is_none() => {
                let is_plain = form.is_none() && (simulate || nodes.regions.tables() == 0);
                lines.require(is_plain, "`rows` and `zones` are followed by `packed`")?;
                let count: usize = lines.natural(count)?;
                few_nodes(count, count.saturating_mul(size * size), limits)?;
                announced = Some(count);
            }
            ["node", id, ref rest @ ..] if announced > Some(nodes.regions.len()) => {
                in_order(lines, id, nodes.regions.len())?;
                nodes.node(network, lines, rest)?;
            }
            ["hint", id, ref targets @ ..] if announced == Some(nodes.regions.len()) => {
                let node = |word: &&str| lines.one_of("node", nodes.regions.len(), word);
                let targets = targets.iter().map(node).collect::<Result<_, _>>()?;
                let before = nodes.hints.insert(node(&id)?, targets);
                lines.require(before.is_none(), "there are two hints for one node")?;
            }
            _ => {
                let is_complete = announced == Some(nodes.regions.len());
                let is_known = is_complete && more(lines, nodes.regions.len(), &words)?;
                lines.require(is_known, "an unknown keyword, or one in a wrong place")?;
            }
        }
    }
    let is_complete = announced == Some(nodes.regions.len());
    lines.require(is_complete, "there are not as many nodes as announced")?;
    if !nodes.regions.are_packed() {
        nodes.groups.finish();
        nodes.apply_invariants(network)?;
    }
    Ok(nodes)
}

/// Refuses more nodes, or more bounds of their zones, than the limits allow.
fn few_nodes(nodes: usize, bounds: usize, limits: &Limits) -> Result<(), Refusal> {
    if bounds > limits.bounds || nodes > limits.nodes.min(MOST_NODES) {
        return Err(Refusal::Undecided("there are too many nodes".to_owned()));
    }
    Ok(())
}

/// Refuses more tables than the limits allow.
fn few_tables(tables: usize, size: usize, limits: &Limits) -> Result<(), Refusal> {
    if tables.saturating_mul(2 * size) > limits.bounds {
        return Err(Refusal::Undecided("there are too many tables of bounds".to_owned()));
    }
    Ok(())
}

/// Requires that elements are numbered from 0 in order, so that none occurs twice.
fn in_order(lines: &Lines<'_>, word: &str, expected: usize) -> Result<(), Refusal> {
    if lines.natural::<usize>(word)? == expected {
        return Ok(());
    }
    Err(lines.malformed(format!("the number here is {expected}")))
}

/// Reads clocks, ascending.
fn rows(lines: &Lines<'_>, words: &[&str], size: usize) -> Result<Vec<usize>, Refusal> {
    let mut clocks = Vec::new();
    for word in words {
        let clock = lines.one_of("clock", size, word)?;
        let is_next = clock > clocks.last().copied().unwrap_or(0);
        lines.require(is_next, "clocks are ascending, and the first one is 1")?;
        clocks.push(clock);
    }
    Ok(clocks)
}

/// Reads `CLOCK:LOWER:UPPER` for some clocks, with `-` for an absent constant; returns the constants
/// and these clocks.
fn constants(
    network: &Network<'_>,
    lines: &Lines<'_>,
    words: &[&str],
) -> Result<(Simulation, Vec<usize>), Refusal> {
    let size = network.core.clocks.len();
    let mut simulation = Simulation::blind(size);
    let mut clocks = Vec::new();
    for word in words {
        let form = "constants are written CLOCK:LOWER:UPPER, clocks ascending";
        let fields: Vec<&str> = word.split(':').collect();
        let [clock, lower, upper] = fields[..] else { return Err(lines.malformed(form)) };
        let clock = lines.one_of("clock", size, clock)?;
        lines.require(clock > clocks.last().copied().unwrap_or(0), form)?;
        clocks.push(clock);
        let constant = |word| match word {
            "-" => Ok(NO_CONSTANT),
            _ => lines.natural::<i64>(word),
        };
        let (lower, upper) = (constant(lower)?, constant(upper)?);
        // A constant that is too large for a bound exceeds a limit; the text is not malformed.
        Bound::new(lower.max(upper), false).at("a table of bounds")?;
        simulation.0[clock] = Constants { lower, upper };
    }
    Ok((simulation, clocks))
}

impl<'t> Nodes<'t> {
    /// Reads the bytes of a packed set: its zones and nodes, then its discrete states.
    fn pack(
        &mut self,
        network: &Network<'_>,
        lines: &mut Lines<'t>,
        form: Form,
        groups: usize,
        nodes: usize,
    ) -> Result<(), Refusal> {
        let length = form.length(nodes);
        let states = groups.saturating_mul(self.groups.packed_length());
        let bytes = lines.bytes(length.saturating_add(states))?;
        let (bytes, states) = bytes.split_at(length);
        let packed = self.regions.pack(form, bytes);
        let packed = packed.and_then(|()| self.groups.pack(network.core, states, nodes));
        packed.map_err(|message| lines.malformed(message))
    }

    /// The nodes that have this discrete state, ascending.
    pub(crate) fn of(&self, state: &State) -> &[usize] {
        self.groups.of(state)
    }

    /// The nodes whose discrete states include all contents of `state`, ascending.
    pub(crate) fn candidates(&self, network: &Network<'_>, state: &Partial) -> Members<'_> {
        if self.partial.is_empty() {
            let group = state.exact().and_then(|state| self.groups.find(state));
            return group.map_or([][..].into(), |group| self.groups.members(group));
        }
        let sets = self.unknown.get(&state.state().locations);
        let alike = sets.into_iter().flatten().filter_map(|set| {
            let known = state.without(network, set)?;
            self.contents.get(&(known, set.clone()))
        });
        let larger = alike.flatten().filter(|larger| state.is_within(larger));
        let larger = larger.filter_map(|state| self.partial.get(state)).flatten();
        let same = state.exact().map_or(&[][..], |state| self.of(state));
        let mut candidates: Vec<usize> = same.iter().chain(larger).copied().collect();
        candidates.sort_unstable();
        Members::Listed(candidates.into())
    }

    /// Whether nodes have neither constants nor unknown cells nor cartesian invariants.
    pub(crate) fn is_plain(&self) -> bool {
        !self.simulate && self.is_exact()
    }

    /// Whether nodes have neither unknown cells nor cartesian invariants, and are not packed.
    pub(crate) fn is_exact(&self) -> bool {
        let has_reasons = !self.invariants.is_empty() || !self.reasons.is_empty();
        !has_reasons && self.partial.is_empty() && !self.regions.are_packed()
    }

    /// Whether one of `candidates` covers `region`, or several of them do together.
    pub(crate) fn are_covering(
        &self,
        region: &Region,
        candidates: &[usize],
    ) -> Result<bool, Trouble> {
        let candidates = candidates.into();
        let is_covered = self.cover(region, &candidates, 0)?.is_some();
        Ok(is_covered || self.are_covering_together(region, &candidates)?)
    }

    /// The position of one of `candidates` that covers `region`; those from position `first` on are
    /// tried before the others.
    pub(crate) fn cover(
        &self,
        region: &Region,
        candidates: &Members<'_>,
        first: usize,
    ) -> Result<Option<usize>, Trouble> {
        for position in (first..candidates.len()).chain(0..first.min(candidates.len())) {
            if self.regions.covers(candidates.at(position), region)? {
                return Ok(Some(position));
            }
        }
        Ok(None)
    }

    /// Whether `candidates` cover `region`, none of which does so alone.
    pub(crate) fn are_covering_together(
        &self,
        region: &Region,
        candidates: &Members<'_>,
    ) -> Result<bool, Trouble> {
        let covers: Vec<Region> =
            candidates.iter().filter_map(|node| self.regions.get(node)).collect();
        let covers: Vec<&Region> = covers.iter().collect();
        // The part that remains after one of them is covered by the others.
        let mut left = vec![region.clone()];
        for cover in &covers {
            let mut open = Vec::new();
            for part in left {
                open.extend(part.not_covered_by(cover)?);
            }
            left = limited(open, PARTS, MANY_PARTS)?;
        }
        // With constants, a part may be below a zone although the larger part that it was cut from
        // is not.
        let mut open = Vec::new();
        let mut splits = SPLITS;
        for part in left {
            if !cover_split(&covers, &part, &mut splits)? {
                open.push(part);
            }
        }
        cells::are_covering(&open, &covers)
    }

    fn node(
        &mut self,
        network: &Network<'_>,
        lines: &Lines<'_>,
        words: &[&str],
    ) -> Result<(), Refusal> {
        let incomplete = || lines.malformed("a node has locations, values and constraints");
        let [locations, values, rest @ ..] = words else { return Err(incomplete()) };
        let mut rest = rest;
        let state = state(network, lines, locations, values)?;
        let mut table = None;
        if self.simulate {
            let Some((id, others)) = rest.split_first() else { return Err(incomplete()) };
            table = Some(lines.one_of("table of bounds", self.regions.tables(), id)?);
            rest = others;
        }
        let size = network.core.clocks.len();
        let node = self.regions.len();
        let (mut zone, mut is_left) = (Zone::all(size), true);
        for word in rest {
            let atom = atom(lines, word, size)?;
            is_left = is_left && zone.meet(atom).at(format_args!("node {node}"))?;
        }
        self.regions.push(is_left.then_some(&zone), table);
        self.groups.push(state.exact());
        match state.exact() {
            Some(_) => {}
            None => {
                let sets = self.unknown.entry(state.state().locations.clone()).or_default();
                sets.insert(state.unknown().to_vec());
                let known = (state.state().clone(), state.unknown().to_vec());
                self.contents.entry(known).or_default().insert(state.clone());
                self.partial.entry(state).or_default().push(node);
            }
        }
        Ok(())
    }

    /// Intersects all zones with an atom, if given, and stores it.
    pub(crate) fn confine(&mut self, within: Option<Atom>) -> Result<(), Refusal> {
        self.within = within;
        let Some(atom) = within else { return Ok(()) };
        if self.regions.are_packed() {
            return Err(Refusal::Undecided("packed nodes cannot be confined".to_owned()));
        }
        for node in 0..self.regions.len() {
            let Some(mut region) = self.regions.get(node) else { continue };
            let is_left = region.meet(atom).at(format_args!("node {node}"))?;
            self.regions.replace(node, is_left.then_some(&region.zone));
        }
        Ok(())
    }

    /// Intersects the zones of known states with their invariants: every reachable state satisfies
    /// them.
    fn apply_invariants(&mut self, network: &mut Network<'_>) -> Result<(), Refusal> {
        for (state, members) in self.groups.iter() {
            let invariant = network.invariant(&state).at(format_args!("node {}", members[0]))?;
            if invariant.as_ref().is_some_and(Vec::is_empty) {
                continue;
            }
            for &node in members {
                let Some(mut region) = self.regions.get(node) else { continue };
                let is_left = match &invariant {
                    Some(atoms) => region.meet_all(atoms).at(format_args!("node {node}"))?,
                    None => false,
                };
                self.regions.replace(node, is_left.then_some(&region.zone));
            }
        }
        Ok(())
    }
}

/// The most splits of one region along the faces of zones that may cover it.
const SPLITS: usize = 256;

/// Whether each part of `region` is covered by one of `covers` after it is split along their faces,
/// as far as `splits` allow.
///
/// The parts have the valuations of the region together, so every valuation that the region stands
/// for is below one of a part, and with that below one of a cover.
fn cover_split(covers: &[&Region], region: &Region, splits: &mut usize) -> Result<bool, Trouble> {
    if one_covers(covers, region)? {
        return Ok(true);
    }
    if region.simulation.is_none() {
        return Ok(false);
    }
    for atom in covers.iter().flat_map(|cover| cover.zone.atoms()) {
        let part = |atom: Atom| -> Result<Option<Region>, Trouble> {
            let mut part = region.clone();
            let is_left = part.zone.meet_all(&[atom])?;
            Ok(is_left.then_some(part))
        };
        let (Some(inside), Some(outside)) = (part(atom)?, part(atom.negated())?) else { continue };
        if *splits == 0 {
            return Ok(false);
        }
        *splits -= 1;
        return Ok(cover_split(covers, &inside, splits)? && cover_split(covers, &outside, splits)?);
    }
    Ok(false)
}

/// Whether one of `covers` contains all valuations of `region`.
fn one_covers(covers: &[&Region], region: &Region) -> Result<bool, Trouble> {
    for cover in covers {
        if region.is_covered_by(cover)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Reads the location of every process, and the values that differ from the initial ones as
/// `CELL=VALUE`, ascending; `CELL=*` or `CELL=LOW..HIGH` for unknown contents; `-` if all are
/// initial.
fn state(
    network: &Network<'_>,
    lines: &Lines<'_>,
    locations: &str,
    values: &str,
) -> Result<Partial, Refusal> {
    let core = network.core;
    let (mut state, mut unknown) = (core.initial(), Vec::new());
    let count = if locations == "-" { 0 } else { locations.split(',').count() };
    lines.require(count == core.processes.len(), "every process has a location")?;
    for (process, word) in locations.split(',').take(count).enumerate() {
        let count = core.processes[process].locations.len();
        state.locations[process] = lines.one_of("location", count, word)?;
    }
    let mut next = 0;
    for word in values.split(',').filter(|_| values != "-") {
        let wrong = || lines.malformed("values are written CELL=VALUE, cells ascending");
        let (cell, value) = word.split_once('=').ok_or_else(wrong)?;
        let cell: usize = cell.parse().map_err(|_| wrong())?;
        let definition = core.cells.get(cell).filter(|cell| !cell.meta).ok_or_else(wrong)?;
        let number = |word: &str| word.parse::<i64>().map_err(|_| wrong());
        let (low, high) = match value.split_once("..") {
            _ if value == "*" => definition.range,
            Some((low, high)) => (number(low)?, number(high)?),
            None => (number(value)?, number(value)?),
        };
        if cell < next || low < definition.range.0 || definition.range.1 < high || high < low {
            return Err(wrong());
        }
        if low < high {
            unknown.push((cell, (low, high)));
        }
        state.cells[cell] = if low < high { definition.initial } else { low };
        next = cell + 1;
    }
    let is_simple = || !core.has_rates() && core.measure.is_none() && !core.has_priorities();
    if !unknown.is_empty() && !is_simple() {
        let why = "unknown contents with rates, costs or priorities are not supported";
        return Err(Refusal::Undecided(why.to_owned()));
    }
    Ok(Partial::new(state, unknown))
}

/// Reads a constraint `X-Y<C` or `X-Y<=C`.
pub(crate) fn atom(lines: &Lines<'_>, word: &str, size: usize) -> Result<Atom, Refusal> {
    let parsed = word.split_once('<').and_then(|(difference, bound)| {
        let (x, y) = difference.split_once('-')?;
        let (bound, strict) = bound.strip_prefix('=').map_or((bound, true), |bound| (bound, false));
        Some((x.parse().ok()?, y.parse().ok()?, bound.parse().ok()?, strict))
    });
    let wrong = || lines.malformed("a constraint is written X-Y<C or X-Y<=C");
    let (x, y, value, strict): (usize, usize, i64, bool) = parsed.ok_or_else(wrong)?;
    if x >= size || y >= size || x == y {
        return Err(wrong());
    }
    let bound = Bound::new(value, strict).at("a constraint")?;
    Ok(Atom { x, y, bound })
}
