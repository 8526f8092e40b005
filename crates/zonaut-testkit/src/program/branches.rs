//! Edges that lead to branchpoints.

use super::network::LOCATIONS;
use super::value_type::Ty;
use super::writer::{Variable, Writer};

/// A branchpoint with the edge that leads to it and its branches.
pub(super) struct Branching {
    pub(super) point: String,
    pub(super) edges: Vec<String>,
}

impl Writer {
    /// An edge to a branchpoint and its branches. Guards of branches read variables that the edge
    /// writes: they must see the values before it.
    pub(super) fn branching(&mut self, number: usize, channels: usize) -> Branching {
        let (source, target) = self.ends(number);
        let (point, outside) = (self.fresh("h"), self.variables.len());
        let mut stem = format!("l{source} -> {point} {{ ");
        stem += &self.selection(15);
        let mut guard = Vec::new();
        if self.random.chance(30) {
            guard.push(self.condition(1));
        }
        let is_synchronised = channels > 0 && self.random.chance(30);
        if !is_synchronised && self.random.chance(25) {
            guard.extend(self.clock_guard());
        }
        stem += &guard_label(&guard);
        if is_synchronised {
            let mark = self.random.choose(&["!", "?"]);
            stem += &format!("sync ch{}{mark}; ", self.random.below(channels));
        }
        let written = self.written_variable();
        let mut updates = Vec::new();
        if let Some(Variable { name, ty, .. }) = written.as_ref().filter(|_| number < 4) {
            let (low, high) = self.types.range(*ty);
            updates.push(format!("{name} = {}", self.literal(low, high)));
        }
        stem += &self.update_label(updates, 40);
        let mut edges = vec![stem + "}"];
        for branch in 0..2 + self.random.below(2) {
            let target = if branch == 0 { target } else { self.random.below(LOCATIONS) };
            let mut text = format!("{point} -> l{target} {{ ");
            let own = self.variables.len();
            text += &self.selection(8);
            let mut guard = Vec::new();
            match &written {
                Some(Variable { name, ty, .. }) if self.random.chance(50) => {
                    let (low, high) = self.types.range(*ty);
                    let relation = self.random.choose(&["==", "!=", "<=", ">"]);
                    guard.push(format!("{name} {relation} {}", self.literal(low, high)));
                }
                _ if self.random.chance(30) => guard.push(self.condition(1)),
                _ => {}
            }
            let sends = channels > 0 && !is_synchronised && self.random.chance(50);
            if !is_synchronised && self.random.chance(20) {
                guard.extend(self.clock_guard());
            }
            text += &guard_label(&guard);
            if sends {
                text += &format!("sync ch{}!; ", self.random.below(channels));
            }
            text += &self.update_label(Vec::new(), 60);
            self.variables.truncate(own);
            edges.push(text + "}");
        }
        self.variables.truncate(outside);
        Branching { point, edges }
    }

    /// A variable of small numbers that may be written.
    fn written_variable(&mut self) -> Option<Variable> {
        let is_small = |variable: &&Variable| {
            let small = [Ty::Number(0), Ty::Number(1)];
            variable.is_writable && variable.is_state && small.contains(&variable.ty)
        };
        let all: Vec<Variable> = self.variables.iter().filter(is_small).cloned().collect();
        (!all.is_empty()).then(|| self.random.choose(&all))
    }

    /// Adds a `select` label with the given probability; its variable is visible from here on.
    fn selection(&mut self, chance: usize) -> String {
        if !self.random.chance(chance) {
            return String::new();
        }
        let name = self.fresh("s");
        let text = format!("select {name} : int[0,2]; ");
        let ty = Ty::Number(0);
        self.variables.push(Variable { name, ty, is_writable: false, is_state: false });
        text
    }

    fn clock_guard(&mut self) -> Option<String> {
        if self.clocks.is_empty() {
            return None;
        }
        let clock = self.random.choose(&self.clocks);
        let relation = self.random.choose(&["<=", ">=", ">=", "=="]);
        Some(format!("{clock} {relation} {}", self.clock_bound(1)))
    }

    fn update_label(&mut self, mut updates: Vec<String>, chance: usize) -> String {
        self.writes_state = true;
        while self.random.chance(chance) && updates.len() < 3 {
            updates.push(self.effect());
        }
        self.writes_state = false;
        match updates.as_slice() {
            [] => String::new(),
            updates => format!("assign {}; ", updates.join(", ")),
        }
    }
}

fn guard_label(guard: &[String]) -> String {
    match guard {
        [] => String::new(),
        guard => format!("guard {}; ", guard.join(" && ")),
    }
}
