//! Random stochastic models: rates, weights, selections, channels of all kinds, urgent and committed
//! locations, floating point and rates of clocks.

use crate::random::Random;
use std::fmt::Write;

const DECLARATIONS: &str = "\
clock x, y;
int[0,5] v;
int[0,9] w;
double d = 0.5;
chan c;
broadcast chan b;
urgent chan u;
urgent broadcast chan s;
";

/// The model of a seed, as text.
#[must_use]
pub fn generate(seed: u64) -> String {
    let mut random = Random::new(seed ^ 0x570c);
    let processes = random.between(1, 3);
    let mut text = DECLARATIONS.to_owned();
    for process in 0..processes {
        Writer { random: &mut random, text: &mut text }.process(process);
    }
    let names: Vec<String> = (0..processes).map(|process| format!("P{process}")).collect();
    text + &format!("system {};\n", names.join(", "))
}

struct Writer<'w> {
    random: &'w mut Random,
    text: &'w mut String,
}

impl Writer<'_> {
    fn process(&mut self, number: i32) {
        let count = self.random.between(2, 4) as usize;
        let (mut states, mut urgent, mut committed) = (Vec::new(), Vec::new(), Vec::new());
        for location in 0..count {
            let name = format!("l{location}");
            let kind = self.random.below(100);
            match kind {
                0..8 => urgent.push(name.clone()),
                8..14 => committed.push(name.clone()),
                _ => {}
            }
            states.push(name + &self.labels());
        }
        let (mut edges, mut points) = (Vec::new(), 0);
        for source in 0..count {
            for _ in 0..self.random.between(1, 3) {
                self.edge(source, count, &mut edges, &mut points);
            }
        }
        let _ = writeln!(self.text, "process P{number}() {{\n    clock z;");
        let _ = writeln!(self.text, "    state {};", states.join(", "));
        if points > 0 {
            let names: Vec<String> = (0..points).map(|point| format!("k{point}")).collect();
            let _ = writeln!(self.text, "    branchpoint {};", names.join(", "));
        }
        if !committed.is_empty() {
            let _ = writeln!(self.text, "    commit {};", committed.join(", "));
        }
        if !urgent.is_empty() {
            let _ = writeln!(self.text, "    urgent {};", urgent.join(", "));
        }
        let edges = edges.join(",\n          ");
        let _ = writeln!(self.text, "    init l0;\n    trans {edges};\n}}");
    }

    /// The invariant and the exponential rate of a location.
    fn labels(&mut self) -> String {
        let mut invariant = Vec::new();
        let is_bounded = self.random.chance(50);
        if is_bounded {
            let relation = if self.random.chance(15) { "<" } else { "<=" };
            let clock = self.random.choose(&["z", "z", "z", "x"]);
            invariant.push(format!("{clock} {relation} {}", self.random.between(1, 5)));
        }
        if self.random.chance(15) {
            let rate = self.random.choose(&["0", "2", "v", "d", "0.5"]);
            let clock = self.random.choose(&["y", "x", "z"]);
            invariant.push(format!("{clock}' == {rate}"));
        }
        let rate = match self.random.chance(if is_bounded { 10 } else { 80 }) {
            true => {
                self.random.choose(&["1", "2", "1 : 2", "v + 1", "d + 0.25", "0", "3 : (w + 1)"])
            }
            false => "",
        };
        match (invariant.is_empty(), rate) {
            (true, "") => String::new(),
            (_, "") => format!(" {{ {} }}", invariant.join(" && ")),
            (_, rate) => format!(" {{ {}; {rate} }}", invariant.join(" && ")),
        }
    }

    fn edge(&mut self, source: usize, count: usize, edges: &mut Vec<String>, points: &mut usize) {
        let mut labels = String::new();
        let select = self.random.chance(15).then(|| self.random.between(1, 3));
        if let Some(high) = select {
            let _ = write!(labels, " select i : int[0,{high}];");
        }
        let guard = self.guard(select.is_some());
        if !guard.is_empty() {
            let _ = write!(labels, " guard {};", guard.join(" && "));
        }
        if self.random.chance(40) {
            let channel = self.random.choose(&["c", "c", "b", "b", "u", "s"]);
            let direction = self.random.choose(&["!", "?"]);
            let _ = write!(labels, " sync {channel}{direction};");
        }
        let updates = self.updates(select.is_some());
        if !updates.is_empty() {
            let _ = write!(labels, " assign {};", updates.join(", "));
        }
        if !self.random.chance(25) {
            let target = self.random.below(count);
            edges.push(format!("l{source} -> l{target} {{{labels} }}"));
            return;
        }
        let point = *points;
        *points += 1;
        edges.push(format!("l{source} -> k{point} {{{labels} }}"));
        for branch in 0..self.random.between(2, 3) {
            let target = self.random.below(count);
            let mut labels = String::new();
            if branch > 0 && self.random.chance(20) {
                let _ = write!(labels, " guard v != {};", self.random.between(0, 5));
            }
            let updates = self.updates(false);
            if !updates.is_empty() {
                let _ = write!(labels, " assign {};", updates.join(", "));
            }
            let weight = match branch {
                0 => self.random.choose(&["1", "2", "d + 0.5"]),
                _ => self.random.choose(&["1", "3", "v", "d", "w + 1", "0.25"]),
            };
            let _ = write!(labels, " probability {weight};");
            edges.push(format!("k{point} -> l{target} {{{labels} }}"));
        }
    }

    fn guard(&mut self, selects: bool) -> Vec<String> {
        let mut guard = Vec::new();
        if self.random.chance(45) {
            let clock = self.random.choose(&["z", "z", "x", "y", "x - z"]);
            let relation = self.random.choose(&[">=", ">=", ">=", ">", "<=", "<", "=="]);
            guard.push(format!("{clock} {relation} {}", self.random.between(0, 4)));
        }
        if self.random.chance(25) {
            let relation = self.random.choose(&["!=", "<=", ">="]);
            guard.push(format!("v {relation} {}", self.random.between(0, 5)));
        }
        if self.random.chance(8) {
            guard.push(self.random.choose(&["d > 0.5", "d <= 1.0", "d >= 0.1 * v"]).to_owned());
        }
        if selects && self.random.chance(50) {
            guard.push("i != v".to_owned());
        }
        guard
    }

    fn updates(&mut self, selects: bool) -> Vec<String> {
        let mut updates = Vec::new();
        if self.random.chance(65) {
            updates.push("z = 0".to_owned());
        }
        if self.random.chance(20) {
            updates.push(self.random.choose(&["x = 0", "y = 0", "x = 1", "y = x"]).to_owned());
        }
        if self.random.chance(30) {
            updates.push(
                self.random.choose(&["v = (v + 1) % 6", "v = 5 - v", "v = w % 6"]).to_owned(),
            );
        }
        if self.random.chance(20) {
            let draws =
                ["d = random(2)", "d = d / 2 + 0.25", "d = random(d + 1)", "w = fint(random(9.5))"];
            updates.push(self.random.choose(&draws).to_owned());
        }
        if selects {
            updates.push("w = i".to_owned());
        }
        updates
    }
}
