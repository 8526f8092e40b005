//! Random statements and updates.

use super::value_type::{Shape, Ty};
use super::writer::{Variable, Writer};

impl Writer {
    /// An expression with a side effect.
    pub(super) fn effect(&mut self) -> String {
        let depth = self.knobs.depth;
        match self.random.below(10) {
            0 if self.writes_state && !self.clocks.is_empty() => return self.clock_effect(),
            1 | 2 => {
                if let Some(call) = self.call(depth, |_| true) {
                    return call;
                }
            }
            3..=5 => {
                let is_aggregate = |ty| matches!(ty, Ty::Aggregate(_));
                if let Some((place, ty)) = self.place(true, depth, is_aggregate) {
                    return format!("{place} = {}", self.aggregate(ty, depth));
                }
            }
            _ => {}
        }
        let is_scalar = |ty| matches!(ty, Ty::Number(_) | Ty::Boolean);
        match self.place(true, depth, is_scalar) {
            Some((place, ty)) => self.scalar_assignment(&place, ty, depth),
            None => self.number(0),
        }
    }

    /// An assignment to a variable of the state.
    pub(super) fn state_effect(&mut self) -> String {
        let locals: Vec<Variable> =
            self.variables.iter().filter(|variable| !variable.is_state).cloned().collect();
        let depth = self.knobs.depth;
        let places = self.places(true, |ty| matches!(ty, Ty::Number(_) | Ty::Boolean));
        let is_local = |name: &str| locals.iter().any(|local| local.name == name);
        let places: Vec<_> = places.into_iter().filter(|part| !is_local(&part.variable)).collect();
        if places.is_empty() {
            return self.effect();
        }
        let place = self.random.choose(&places);
        let text = self.written_place(&place, depth);
        self.scalar_assignment(&text, place.ty, depth)
    }

    pub(super) fn clock_effect(&mut self) -> String {
        let clock = self.random.choose(&self.clocks);
        if self.random.chance(15) {
            return format!("{clock} = {}", self.random.choose(&self.clocks));
        }
        let value = self.clock_bound(self.knobs.depth);
        format!("{clock} = {value}")
    }

    /// A number that a clock is set to or compared with.
    pub(super) fn clock_bound(&mut self, depth: usize) -> String {
        if self.knobs.has_limits && self.random.chance(60) {
            let wide = Ty::Number(3);
            if let Some((place, _)) = self.place(false, 0, |ty| ty == wide) {
                return match self.random.below(3) {
                    0 => format!("({place} + {})", self.fitting(0, 1, depth)),
                    1 => format!("({place} - {})", self.fitting(0, 3, depth)),
                    _ => place,
                };
            }
        }
        self.fitting(0, 3, depth)
    }

    /// A list of statements, indented.
    pub(super) fn statements(
        &mut self,
        count: usize,
        nesting: usize,
        result: Option<Ty>,
    ) -> String {
        (0..count).map(|_| self.statement(nesting, result)).collect()
    }

    fn statement(&mut self, nesting: usize, result: Option<Ty>) -> String {
        let depth = self.knobs.depth;
        if nesting == 0 {
            return format!("    {};\n", self.effect());
        }
        let below = nesting - 1;
        match self.random.below(14) {
            0 | 1 => {
                let condition = self.condition(depth);
                let yes = self.statements(1, below, result);
                let no = match self.random.chance(40) {
                    true => format!("    else {{\n{}    }}\n", self.statements(1, below, result)),
                    false => String::new(),
                };
                format!("    if ({condition}) {{\n{yes}    }}\n{no}")
            }
            2 => {
                let (binder, high) = (self.fresh("i"), 1 + self.random.below(2));
                let body = self.with_binder(&binder, |writer| writer.statements(1, below, result));
                format!("    for ({binder} : int[0,{high}]) {{\n{body}    }}\n")
            }
            3 | 4 => self.counted_loop(below, result),
            5 => {
                let before = self.variables.len();
                let local = self.local();
                let body = self.statements(1, below, result);
                self.variables.truncate(before);
                format!("    {{\n{local}{body}    }}\n")
            }
            6 => match result {
                Some(ty) => {
                    let condition = self.condition(depth);
                    format!("    if ({condition}) return {};\n", self.value(ty, depth))
                }
                None => format!("    if ({}) return;\n", self.condition(depth)),
            },
            7 if self.wants_failure() => format!("    assert {};\n", self.condition(depth)),
            _ => format!("    {};\n", self.effect()),
        }
    }

    /// A loop whose counter is not written elsewhere.
    fn counted_loop(&mut self, nesting: usize, result: Option<Ty>) -> String {
        let counter = self.fresh("c");
        let times = 1 + self.random.below(3);
        let form = self.random.below(4);
        let (body, condition) = self.with_binder(&counter, |writer| {
            let body = writer.statements(1, nesting, result);
            (body, writer.condition(writer.knobs.depth))
        });
        let header = format!("    {{\n    int {counter} = 0;\n");
        let body = match form {
            0 => format!(
                "    for ({counter} = 0; {counter} < {times}; {counter}++) {{\n{body}    }}\n"
            ),
            1 => format!("    while ({counter}++ < {times} && {condition}) {{\n{body}    }}\n"),
            2 => format!("    do {{\n{body}    }} while (++{counter} < {times} && {condition});\n"),
            _ => format!(
                "    for ({counter} = {times}; ({counter} -= 1) >= 0 && {condition}; ) {{\n{body}    }}\n"
            ),
        };
        format!("{header}{body}    }}\n")
    }

    /// The declaration of a local variable.
    pub(super) fn local(&mut self) -> String {
        let (name, ty) = (self.fresh("t"), self.any_type());
        let initial = match (ty, self.random.below(4)) {
            (_, 0) => String::new(),
            (Ty::Aggregate(aggregate), 1 | 2) => format!(" = {}", self.list(aggregate)),
            (ty, _) => format!(" = {}", self.value(ty, self.knobs.depth)),
        };
        let text = format!("    {} {name}{initial};\n", self.types.name(ty));
        self.variables.push(Variable { name, ty, is_writable: true, is_state: false });
        text
    }

    /// A list in braces for an array or a struct, sometimes with the members named in some order.
    fn list(&mut self, aggregate: usize) -> String {
        let depth = self.knobs.depth;
        let part = |writer: &mut Self, ty: Ty| match ty {
            Ty::Aggregate(inner) if writer.random.chance(50) => writer.list(inner),
            ty => writer.value(ty, depth),
        };
        let parts: Vec<String> = match self.types.aggregates[aggregate].shape.clone() {
            Shape::Array { size, element, .. } => (0..size).map(|_| part(self, element)).collect(),
            Shape::Struct(mut members) => {
                let is_named = self.random.chance(30);
                if is_named && self.random.chance(60) {
                    members.reverse();
                }
                let member = |(name, ty): (String, Ty)| match (is_named, part(self, ty)) {
                    (true, value) => format!("{name}: {value}"),
                    (false, value) => value,
                };
                members.into_iter().map(member).collect()
            }
        };
        format!("{{ {} }}", parts.join(", "))
    }
}
