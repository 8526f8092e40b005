//! Processes, edges and the query.

use super::value_type::Ty;
use super::writer::{Variable, Writer};

/// The number of locations of one process.
pub(super) const LOCATIONS: usize = 4;

impl Writer {
    pub(super) fn network(&mut self) -> String {
        let mut text = String::new();
        let channels = if self.knobs.processes > 1 { self.random.below(3) } else { 0 };
        for channel in 0..channels {
            let kind = if self.random.chance(40) { "broadcast " } else { "" };
            text += &format!("{kind}chan ch{channel};\n");
        }
        let mut names = Vec::new();
        let mut instances = String::new();
        for process in 0..self.knobs.processes {
            if self.knobs.has_parameters {
                let made = self.with_parameters(process, channels);
                text += &made.template;
                instances += &made.instances;
                names.extend(made.listed);
                continue;
            }
            let is_shared = self.random.chance(20);
            text += &self.process(process, channels, is_shared);
            if !is_shared {
                names.push(format!("P{process}"));
                continue;
            }
            for copy in ["a", "b"] {
                let is_target = |variable: &&Variable| {
                    variable.ty == Ty::Number(0) && variable.is_writable && variable.is_state
                };
                let targets: Vec<Variable> =
                    self.variables.iter().filter(is_target).cloned().collect();
                let target = self.random.choose(&targets).name;
                let name = format!("P{process}{copy}");
                instances += &format!("{name} = P{process}({target}, {});\n", self.literal(0, 3));
                names.push(name);
            }
        }
        let text = format!("{text}{instances}system {};\n", names.join(", "));
        if !self.knobs.has_parameters {
            self.processes = names;
        }
        text
    }

    fn process(&mut self, process: usize, channels: usize, is_shared: bool) -> String {
        let (variables, functions) = (self.variables.len(), self.functions.len());
        let mut text = format!("process P{process}(");
        if is_shared {
            let ty = self.types.name(Ty::Number(0)).to_owned();
            let (target, constant) = (self.fresh("r"), self.fresh("k"));
            text += &format!("{ty} &{target}, const {ty} {constant}");
            for (name, is_writable) in [(target, true), (constant, false)] {
                let ty = Ty::Number(0);
                self.variables.push(Variable { name, ty, is_writable, is_state: true });
            }
        }
        text += ") {\n";
        text += &self.template_body(channels);
        self.variables.truncate(variables);
        self.functions.truncate(functions);
        text
    }

    /// The declarations, locations and edges of a template, with its closing brace.
    pub(super) fn template_body(&mut self, channels: usize) -> String {
        let mut text = String::new();
        if self.random.chance(40) {
            let (name, ty) = (self.fresh("v"), self.any_type());
            text += &self.global(name, ty);
        }
        if self.random.chance(30) {
            text += &self.function();
        }
        text += &self.locations();
        let mut edges = Vec::new();
        for number in 0..2 + self.random.below(5) {
            if self.knobs.branches > 0 && self.random.chance(self.knobs.branches) {
                let branching = self.branching(number, channels);
                text += &format!("branchpoint {};\n", branching.point);
                edges.extend(branching.edges);
            } else {
                edges.push(self.edge(number, channels));
            }
        }
        text + &format!("trans {};\n}}\n", edges.join(",\n"))
    }

    fn locations(&mut self) -> String {
        let (mut names, mut urgent, mut committed) = (Vec::new(), Vec::new(), Vec::new());
        for number in 0..LOCATIONS {
            let invariant = match (number, self.random.below(8)) {
                _ if self.knobs.is_narrow => String::new(),
                (_, 0) if !self.clocks.is_empty() && !self.knobs.is_timeless => {
                    let clock = self.random.choose(&self.clocks);
                    format!(" {{ {clock} <= {} }}", self.clock_bound(1))
                }
                (1.., 1) if self.random.chance(50) => format!(" {{ {} }}", self.condition(1)),
                _ => String::new(),
            };
            names.push(format!("l{number}{invariant}"));
            match self.random.below(10) {
                0 if !self.knobs.is_timeless => committed.push(format!("l{number}")),
                1 => urgent.push(format!("l{number}")),
                _ if self.knobs.is_timeless => urgent.push(format!("l{number}")),
                _ => {}
            }
        }
        let list = |word: &str, names: &[String]| match names {
            [] => String::new(),
            names => format!("{word} {};\n", names.join(", ")),
        };
        let kinds = list("commit", &committed) + &list("urgent", &urgent);
        format!("state {};\n{kinds}init l0;\n", names.join(", "))
    }

    /// The source and the target location of the edge with this number.
    pub(super) fn ends(&mut self, number: usize) -> (usize, usize) {
        let source = if number < 3 { number } else { self.random.below(LOCATIONS - 1) };
        let target = match self.random.chance(75) {
            _ if number < 3 => number + 1,
            true => source + 1 + self.random.below(LOCATIONS - 1 - source),
            false => self.random.below(LOCATIONS),
        };
        (source, target)
    }

    fn edge(&mut self, number: usize, channels: usize) -> String {
        let (source, target) = self.ends(number);
        if self.knobs.is_narrow {
            return format!("l{source} -> l{target} {{ {}}}", self.narrow_labels());
        }
        let binder = self.random.chance(15).then(|| self.fresh("s"));
        let mut text = format!("l{source} -> l{target} {{ ");
        if let Some(binder) = &binder {
            text += &format!("select {binder} : int[0,2]; ");
            let (name, ty) = (binder.clone(), Ty::Number(0));
            self.variables.push(Variable { name, ty, is_writable: false, is_state: false });
        }
        let mut guard = Vec::new();
        if self.random.chance(25) {
            guard.push(self.condition(self.knobs.depth));
        }
        let synchronisation = (channels > 0 && self.random.chance(25)).then(|| {
            let mark = self.random.choose(&["!", "?"]);
            (format!("ch{}", self.random.below(channels)), mark)
        });
        // Receivers of broadcasts get no clock guards: their negation would be open.
        if !self.clocks.is_empty() && self.random.chance(35) && synchronisation.is_none() {
            let clock = self.random.choose(&self.clocks);
            let relation = self.random.choose(&["<=", ">=", ">=", "=="]);
            guard.push(format!("{clock} {relation} {}", self.clock_bound(1)));
        }
        if !guard.is_empty() {
            text += &format!("guard {}; ", guard.join(" && "));
        }
        if let Some((channel, mark)) = synchronisation {
            text += &format!("sync {channel}{mark}; ");
        }
        self.writes_state = true;
        let updates: Vec<String> = (0..1 + self.random.below(3)).map(|_| self.effect()).collect();
        self.writes_state = false;
        if binder.is_some() {
            self.variables.pop();
        }
        if !updates.is_empty() {
            text += &format!("assign {}; ", updates.join(", "));
        }
        text + "}"
    }

    /// A goal: a location, a condition on variables, or both.
    pub(super) fn query(&mut self) -> String {
        let process = self.random.choose(&self.processes);
        let mut parts = vec![format!("{process}.l{}", 1 + self.random.below(LOCATIONS - 1))];
        if self.knobs.is_narrow {
            return format!("E<> {}", parts[0]);
        }
        if self.random.chance(70) {
            let is_small = |ty| ty == Ty::Number(0) || ty == Ty::Number(1);
            let target = self.random.chance(50).then(|| self.place(false, 0, is_small)).flatten();
            parts.push(match target {
                Some((place, ty)) => {
                    let (low, high) = self.types.range(ty);
                    format!("({place} == {})", self.literal(low, high))
                }
                None => self.condition(1),
            });
        }
        if !self.members.is_empty() && self.random.chance(60) {
            let (member, ty) = self.random.choose(&self.members);
            let (low, high) = self.types.range(ty);
            let relation = self.random.choose(&["==", "!=", "<", ">"]);
            parts.push(format!("({member} {relation} {})", self.literal(low, high)));
        }
        if self.random.chance(15) {
            parts.remove(0);
            parts.push(self.condition(2));
        }
        if self.random.chance(30) {
            return format!("A[] !({})", parts.join(" && "));
        }
        if !self.clocks.is_empty() && self.random.chance(25) {
            let clock = self.random.choose(&self.clocks);
            let relation = self.random.choose(&["<=", ">="]);
            parts.push(format!("{clock} {relation} {}", self.random.below(4)));
        }
        format!("E<> {}", parts.join(" && "))
    }
}
