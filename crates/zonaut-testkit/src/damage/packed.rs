//! Damaged packed sets: their records are changed one by one, and sealed again.

use super::change::Change;
use super::{Count, Violation, explorations, judge, written};
use crate::generate::varied;
use crate::judge::truth;
use crate::oracle::Limits;
use crate::random::Random;
use zonaut_base::Id;
use zonaut_certify::{fingerprint, seal_of};
use zonaut_engine::SetForm;
use zonaut_model::{Model, QueryId, core_text};

/// Damages packed certificates about the network of `seed`, with varied themes, `times` times.
///
/// # Errors
/// The first certificate with a false claim that is accepted, or that makes the checker panic.
pub fn damage_packed(seed: u64, times: u64, count: &mut Count) -> Result<(), Box<Violation>> {
    let model = varied(seed).to_model();
    let query = &model.queries[QueryId::from_index(0)].kind;
    let Some((_, truth)) = truth(&model, query, Limits::default()) else { return Ok(()) };
    let core = core_text::write(&model, Some(query));
    let mut random = Random::new(seed ^ 0x9ac4ed);
    let strategies = ["bfs", "bfs", "greedy(hl)"];
    let (models, options) = explorations(&model, &strategies, &mut random);
    let sets = models.iter().map(|model| written(model, &options, SetForm::Packed));
    let sets: Vec<PackedSet> =
        sets.filter_map(|bytes| PackedSet::read(&bytes, &model, &core)).collect();
    if sets.is_empty() {
        return Ok(());
    }
    for _ in 0..times {
        let mut set = random.choose(&sets);
        for _ in 0..random.between(1, 3) {
            set.change(&mut random);
        }
        let mut certificate = set.written();
        if random.chance(20) {
            damage_bytes(&mut certificate, &mut random);
        }
        let seal = seal_of(&certificate);
        if random.chance(95) {
            certificate.extend(seal.bytes());
        }
        count.damaged += 1;
        if let Err(what) = judge(&core, &certificate, query, &truth, count) {
            return Err(Box::new(Violation { seed, what, core, certificate }));
        }
    }
    Ok(())
}

/// A packed certificate, taken apart.
#[derive(Clone, PartialEq, Eq, Debug)]
struct PackedSet {
    /// The lines before the announcement of the zones.
    head: String,
    width: usize,
    /// By ascending numbers of rows.
    zones: Vec<Matrix>,
    nodes: Vec<Node>,
    groups: Vec<Group>,
    /// The lines after the records, without the seal.
    tail: String,
}

/// The matrix of a zone, as codes of bounds; the greatest one of the width is no bound.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Matrix {
    rows: usize,
    codes: Vec<i64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Node {
    zone: u32,
    table: u32,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Group {
    state: Vec<u8>,
    first: u32,
}

/// The position after a line with this keyword, and its words after the keyword.
fn line<'b>(bytes: &'b [u8], keyword: &str) -> Option<(usize, usize, Vec<&'b str>)> {
    let wanted = format!("\n{keyword} ");
    let start = bytes.windows(wanted.len()).position(|window| window == wanted.as_bytes())? + 1;
    let length = bytes[start..].iter().position(|&byte| byte == b'\n')?;
    let text = std::str::from_utf8(&bytes[start..start + length]).ok()?;
    Some((start, start + length + 1, text.split(' ').skip(1).collect()))
}

/// The bytes of a state in packed sets.
fn state_length(model: &Model) -> usize {
    let bytes = |distance: u64| (u64::BITS - distance.leading_zeros()).div_ceil(8) as usize;
    let locations = model.processes.iter().map(|process| bytes(process.locations.len() as u64 - 1));
    let cells = model.cells.iter().filter(|cell| !cell.meta).map(|cell| {
        let (low, high) = (cell.range.low.min(cell.initial), cell.range.high.max(cell.initial));
        bytes(u64::from(high.abs_diff(low)))
    });
    locations.chain(cells).sum()
}

impl PackedSet {
    /// Takes a certificate apart, about this core text from now on; `None` if it has no packed set.
    fn read(bytes: &[u8], model: &Model, core: &str) -> Option<Self> {
        let (start, _, form) = line(bytes, "zones")?;
        let (_, begin, counts) = line(bytes, "packed")?;
        let number = |word: &&str| word.parse::<usize>().ok();
        let (groups, nodes) = (counts.first().and_then(number)?, counts.get(1).and_then(number)?);
        let width = form.first().and_then(number)?;
        let mut rest = &bytes[begin..];
        let mut take = |length: usize| {
            let (own, others) = rest.split_at(length);
            rest = others;
            own
        };
        let mut zones = Vec::new();
        for class in &form[1..] {
            let (rows, count) = class.split_once(':')?;
            let (rows, count) = (number(&rows)?, number(&count)?);
            for _ in 0..count {
                let codes = take(rows * rows * width).chunks(width).map(signed).collect();
                zones.push(Matrix { rows, codes });
            }
        }
        let unsigned = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let nodes = take(nodes * 8).chunks(8);
        let nodes = nodes.map(|own| Node { zone: unsigned(own), table: unsigned(&own[4..]) });
        let nodes = nodes.collect();
        let length = state_length(model);
        let groups = take(groups * (length + 4)).chunks(length + 4);
        let groups = groups
            .map(|own| Group { state: own[..length].to_vec(), first: unsigned(&own[length..]) });
        let groups = groups.collect();
        let head = std::str::from_utf8(&bytes[..start]).ok()?;
        let head = head.lines().map(|line| match line.strip_prefix("core ") {
            Some(_) => format!("core {}\n", fingerprint(core.as_bytes())),
            None => format!("{line}\n"),
        });
        let head = head.collect();
        let tail = std::str::from_utf8(rest.strip_prefix(b"\n")?).ok()?;
        let tail = tail[..tail.rfind("end ")?].to_owned();
        Some(Self { head, width, zones, nodes, groups, tail })
    }

    /// The certificate without its seal.
    fn written(&self) -> Vec<u8> {
        let classes = self.zones.chunk_by(|one, other| one.rows == other.rows);
        let classes = classes.map(|class| format!(" {}:{}", class[0].rows, class.len()));
        let classes: String = classes.collect();
        let (groups, nodes) = (self.groups.len(), self.nodes.len());
        let head = format!("{}zones {}{classes}\npacked {groups} {nodes}\n", self.head, self.width);
        let mut bytes = head.into_bytes();
        for code in self.zones.iter().flat_map(|zone| &zone.codes) {
            bytes.extend(&code.to_le_bytes()[..self.width]);
        }
        for node in &self.nodes {
            bytes.extend(node.zone.to_le_bytes());
            bytes.extend(node.table.to_le_bytes());
        }
        for group in &self.groups {
            bytes.extend(&group.state);
            bytes.extend(group.first.to_le_bytes());
        }
        bytes.push(b'\n');
        bytes.extend(self.tail.bytes());
        bytes
    }

    /// The code of no bound.
    fn none(&self) -> i64 {
        i64::MAX >> (64 - 8 * self.width)
    }

    /// Changes a record or a line.
    fn change(&mut self, random: &mut Random) {
        let (zone, node) = (random.below(self.zones.len()), random.below(self.nodes.len()));
        let (group, other) = (random.below(self.groups.len()), random.below(self.groups.len()));
        match random.below(12) {
            0..=2 => self.change_bound(zone, random),
            3 => self.nodes[node].zone = random.below(self.zones.len() + 1) as u32,
            4 => {
                // Another zone with as many rows.
                let rows = self.zones.get(self.nodes[node].zone as usize).map(|zone| zone.rows);
                let alike = (0..self.zones.len()).filter(|&k| Some(self.zones[k].rows) == rows);
                let alike: Vec<usize> = alike.collect();
                if !alike.is_empty() {
                    self.nodes[node].zone = random.choose(&alike) as u32;
                }
            }
            5 => self.nodes[node].table = random.choose(&[0, 1, 2, 1 << 31, u32::MAX]),
            6 => self.drop_node(node),
            7 => {
                let state = &mut self.groups[group].state;
                if !state.is_empty() {
                    let byte = random.below(state.len());
                    state[byte] = random.choose(&[0, 1, 2, 255, state[byte].wrapping_add(1)]);
                }
            }
            8 if random.chance(50) => self.groups[group].state = self.groups[other].state.clone(),
            8 => {
                let state = self.groups[group].state.clone();
                self.groups[group].state = std::mem::replace(&mut self.groups[other].state, state);
            }
            9 => self.groups[group].first = random.below(self.nodes.len() + 2) as u32,
            10 => {
                let number = |random: &mut Random| random.below(self.nodes.len() + 2);
                let (from, to) = (number(random), number(random));
                self.tail.push_str(&format!("hint {from} {to}\n"));
            }
            _ if random.chance(70) => {
                self.head = Change::gentle(random).applied_to_content(&self.head, random);
            }
            _ => self.head = Change::any(random).applied(&self.head, random),
        }
        // Later changes need an element of each.
        if self.nodes.is_empty() {
            self.nodes.push(Node { zone: 0, table: 0 });
        }
        if self.groups.is_empty() {
            self.groups.push(Group { state: Vec::new(), first: 0 });
        }
    }

    /// Changes a bound, and in most cases closes the matrix again.
    fn change_bound(&mut self, zone: usize, random: &mut Random) {
        let none = self.none();
        let Matrix { rows, codes } = &mut self.zones[zone];
        let place = random.below(codes.len());
        codes[place] = match random.below(4) {
            0 => none,
            1 => (codes[place] + 1).min(none),
            2 if codes[place] == none => 11,
            2 => codes[place] - 1,
            _ => i64::from(random.between(-9, 20)),
        };
        if random.chance(15) {
            return;
        }
        let sum = |one: i64, other: i64| match one == none || other == none {
            true => none,
            false => (one & !1) + (other & !1) + (one & other & 1),
        };
        for via in 0..*rows {
            for x in 0..*rows {
                for y in 0..*rows {
                    let path = sum(codes[x * *rows + via], codes[via * *rows + y]);
                    codes[x * *rows + y] = codes[x * *rows + y].min(path);
                }
            }
        }
    }

    /// Removes a node such that the set stays well formed.
    fn drop_node(&mut self, node: usize) {
        self.nodes.remove(node);
        let ends = self.groups.iter().skip(1).map(|group| group.first as usize);
        let ends: Vec<usize> = ends.chain([self.nodes.len() + 1]).collect();
        let mut kept = Vec::new();
        for (mut group, end) in std::mem::take(&mut self.groups).into_iter().zip(ends) {
            let first = group.first as usize;
            if first == node && end == node + 1 {
                continue;
            }
            group.first -= u32::from(first > node);
            kept.push(group);
        }
        self.groups = kept;
    }
}

/// Changes a byte, or removes the end.
fn damage_bytes(bytes: &mut Vec<u8>, random: &mut Random) {
    let place = random.below(bytes.len());
    if random.chance(30) {
        bytes.truncate(place);
    } else {
        bytes[place] ^= 1 << random.below(8);
    }
}

/// The number of these bytes, the lowest first.
fn signed(bytes: &[u8]) -> i64 {
    let sign = if bytes.last().is_some_and(|byte| byte & 0x80 != 0) { 0xff } else { 0 };
    let mut wide = [sign; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    i64::from_le_bytes(wide)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_written_as_it_was_read() {
        let mut compared = 0;
        for seed in 0..40 {
            let model = varied(seed).to_model();
            let query = &model.queries[QueryId::from_index(0)].kind;
            let core = core_text::write(&model, Some(query));
            let (models, options) = explorations(&model, &["bfs"], &mut Random::new(seed));
            let mut bytes = written(&models[0], &options, SetForm::Packed);
            if let Some(set) = PackedSet::read(&bytes, &model, &core) {
                let seal = bytes.windows(4).rposition(|window| window == b"end ");
                bytes.truncate(seal.unwrap_or(0));
                assert_eq!(set.written(), bytes, "{seed}");
                compared += 1;
            }
        }
        assert!(compared > 10, "{compared}");
    }

    #[test]
    fn damaged_packed_sets_are_accepted_only_if_their_claims_are_true() {
        let mut count = Count::default();
        for seed in 0..150 {
            if let Err(violation) = damage_packed(seed, 20, &mut count) {
                unreachable!("{}: {}\n{}", violation.seed, violation.what, violation.core);
            }
        }
        let Count { damaged, accepted, rejected, malformed, .. } = count;
        assert!(damaged > 1_000, "{count:?}");
        assert!(accepted > 50 && rejected > 200 && malformed > 100, "{count:?}");
    }
}
