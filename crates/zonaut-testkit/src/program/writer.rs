//! The generator of a program: the declarations so far, and the constraints at the current
//! position.

use super::Program;
use super::knobs::Knobs;
use super::value_type::{AggregateType, NumberType, Shape, Ty, Types, VariablePart};
use crate::random::Random;

/// A visible variable or constant.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) ty: Ty,
    pub(super) is_writable: bool,
    /// Whether it is a variable of the state; otherwise it is local to a function.
    pub(super) is_state: bool,
}

/// The passing mode of an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Passing {
    Value,
    Reference,
    ConstantReference,
}

/// A function that may be called.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    pub(super) name: String,
    pub(super) parameters: Vec<(Ty, Passing)>,
    pub(super) result: Option<Ty>,
    /// Whether it modifies only its locals and its reference parameters.
    pub(super) is_pure: bool,
}

pub(super) struct Writer {
    pub(super) random: Random,
    pub(super) knobs: Knobs,
    pub(super) types: Types,
    pub(super) variables: Vec<Variable>,
    pub(super) functions: Vec<Signature>,
    pub(super) clocks: Vec<String>,
    /// The names of the processes.
    pub(super) processes: Vec<String>,
    /// The numbers of processes that a query can read.
    pub(super) members: Vec<(String, Ty)>,
    /// Whether the state may be written at this position.
    pub(super) writes_state: bool,
    fresh: usize,
}

impl Writer {
    pub(super) fn new(random: Random, knobs: Knobs) -> Self {
        Self {
            random,
            knobs,
            types: Types::default(),
            variables: Vec::new(),
            functions: Vec::new(),
            clocks: Vec::new(),
            processes: Vec::new(),
            members: Vec::new(),
            writes_state: false,
            fresh: 0,
        }
    }

    /// A unique name.
    pub(super) fn fresh(&mut self, prefix: &str) -> String {
        self.fresh += 1;
        format!("{prefix}{}", self.fresh)
    }

    pub(super) fn program(mut self) -> Program {
        let mut text = self.declare_types();
        text += &self.declare_globals();
        for _ in 0..self.knobs.functions {
            text += &self.function();
        }
        if self.knobs.is_narrow {
            text += &self.narrow_function();
        }
        text += &self.network();
        let query = self.query();
        Program { text, query }
    }

    fn declare_types(&mut self) -> String {
        let mut text = String::new();
        let ranges = [(0, 3), (0, 1), (-2, 2), (0, 7), (1, 4), (0, 2)];
        let mut chosen = vec![(0, 3), self.random.choose(&ranges), (-32_768, 32_767)];
        if self.knobs.has_limits {
            let wide = [(0, 2_000_000_000), (-2_147_483_648, 2_147_483_647), (0, 1_073_741_823)];
            chosen.push(self.random.choose(&wide));
        }
        for (low, high) in chosen {
            let name = self.fresh("n");
            text += &format!("typedef int[{low},{high}] {name};\n");
            self.types.numbers.push(NumberType { name, low, high });
        }
        for _ in 0..1 + self.random.below(2) {
            let is_array = self.random.chance(50);
            let name = self.fresh(if is_array { "row" } else { "rec" });
            let shape = if is_array { self.array_shape() } else { self.struct_shape() };
            text += &match &shape {
                Shape::Struct(members) => {
                    let member =
                        |(name, ty): &(String, Ty)| format!("{} {name};", self.types.name(*ty));
                    let members: Vec<String> = members.iter().map(member).collect();
                    format!("typedef struct {{ {} }} {name};\n", members.join(" "))
                }
                Shape::Array { low, size, element } => {
                    let element = self.types.name(*element);
                    match low {
                        0 => format!("typedef {element} {name}[{size}];\n"),
                        low => {
                            format!("typedef {element} {name}[int[{low},{}]];\n", low + size - 1)
                        }
                    }
                }
            };
            self.types.aggregates.push(AggregateType { name, shape });
        }
        text
    }

    fn array_shape(&mut self) -> Shape {
        let low = if self.random.chance(15) { 1 } else { 0 };
        Shape::Array {
            low,
            size: 2 + i64::from(self.random.chance(30)),
            element: self.member_type(),
        }
    }

    fn struct_shape(&mut self) -> Shape {
        let members =
            (0..2 + self.random.below(2)).map(|_| (self.fresh("m"), self.member_type())).collect();
        Shape::Struct(members)
    }

    fn member_type(&mut self) -> Ty {
        match self.random.below(10) {
            0 | 1 => Ty::Boolean,
            2 | 3 if !self.types.aggregates.is_empty() => {
                Ty::Aggregate(self.random.below(self.types.aggregates.len()))
            }
            _ => self.number_type(),
        }
    }

    /// A number type: mostly a small one.
    pub(super) fn number_type(&mut self) -> Ty {
        let all = self.types.numbers.len();
        Ty::Number(if self.random.chance(70) {
            self.random.below(2)
        } else {
            self.random.below(all)
        })
    }

    /// Any type.
    pub(super) fn any_type(&mut self) -> Ty {
        if self.random.chance(self.knobs.aggregates) {
            return Ty::Aggregate(self.random.below(self.types.aggregates.len()));
        }
        if self.random.chance(15) { Ty::Boolean } else { self.number_type() }
    }

    fn declare_globals(&mut self) -> String {
        let mut text = String::new();
        let aggregates = (0..self.types.aggregates.len()).flat_map(|a| [Ty::Aggregate(a); 2]);
        let mut wanted: Vec<Ty> = aggregates.collect();
        wanted.extend([Ty::Number(0), Ty::Number(0), Ty::Number(1), Ty::Boolean]);
        for _ in 0..1 + self.random.below(3) {
            let ty = self.any_type();
            wanted.push(ty);
        }
        if self.knobs.has_limits {
            wanted.push(Ty::Number(3));
        }
        if self.knobs.is_narrow {
            wanted.push(Ty::Number(2));
        }
        for ty in wanted {
            let name = self.fresh("g");
            text += &self.global(name, ty);
        }
        if self.random.chance(40) {
            let (name, ty) = (self.fresh("k"), self.any_type());
            let (written, value) = (self.types.name(ty).to_owned(), self.constant(ty));
            text += &format!("const {written} {name} = {value};\n");
            self.variables.push(Variable { name, ty, is_writable: false, is_state: true });
        }
        for _ in 0..self.knobs.clocks {
            let name = self.fresh("x");
            text += &format!("clock {name};\n");
            self.clocks.push(name);
        }
        text
    }

    /// The declaration of a variable of the state.
    pub(super) fn global(&mut self, name: String, ty: Ty) -> String {
        let written = self.types.name(ty).to_owned();
        let value = match self.random.chance(60) {
            true => format!(" = {}", self.constant(ty)),
            false => String::new(),
        };
        let text = format!("{written} {name}{value};\n");
        self.variables.push(Variable { name, ty, is_writable: true, is_state: true });
        text
    }

    /// A constant of a type, as text.
    pub(super) fn constant(&mut self, ty: Ty) -> String {
        match ty {
            Ty::Number(_) => {
                let (low, high) = self.types.range(ty);
                self.literal(low, high)
            }
            Ty::Boolean => ["false", "true"][self.random.below(2)].to_owned(),
            Ty::Aggregate(aggregate) => match self.types.aggregates[aggregate].shape.clone() {
                Shape::Struct(members) => {
                    let parts: Vec<String> =
                        members.iter().map(|(_, member)| self.constant(*member)).collect();
                    format!("{{ {} }}", parts.join(", "))
                }
                Shape::Array { size, element, .. } => {
                    let parts: Vec<String> = (0..size).map(|_| self.constant(element)).collect();
                    format!("{{ {} }}", parts.join(", "))
                }
            },
        }
    }

    /// A number of a range: a small one, or one near the limits.
    pub(super) fn literal(&mut self, low: i64, high: i64) -> String {
        const NEAR: [i64; 14] = [
            67_108_863,
            67_108_864,
            1_073_741_821,
            1_073_741_822,
            1_073_741_823,
            1_073_741_824,
            1_073_741_825,
            134_217_728,
            2_147_483_646,
            2_147_483_647,
            -2_147_483_648,
            -1_073_741_824,
            -1_073_741_823,
            1_999_999_999,
        ];
        let near = self.random.choose(&NEAR);
        let is_large = self.knobs.has_limits && high - low > 100_000 && self.random.chance(70);
        if is_large && (low..=high).contains(&near) {
            return near.to_string();
        }
        let (low, high) = (low.max(-2), high.min(7));
        let span = (high - low).max(0) as usize + 1;
        (low + self.random.below(span) as i64).to_string()
    }

    /// Whether a variable may be written at this position.
    pub(super) fn may_write(&self, variable: &Variable) -> bool {
        variable.is_writable && (!variable.is_state || self.writes_state)
    }

    /// The parts of visible variables of a wanted type.
    pub(super) fn places(
        &self,
        is_written: bool,
        is_wanted: impl Fn(Ty) -> bool,
    ) -> Vec<VariablePart> {
        let mut places = Vec::new();
        for variable in &self.variables {
            if is_written && !self.may_write(variable) {
                continue;
            }
            for (path, ty) in self.types.parts(variable.ty) {
                if is_wanted(ty) {
                    places.push(VariablePart { variable: variable.name.clone(), path, ty });
                }
            }
        }
        places
    }

    /// Whether to add a side effect to the current operand.
    pub(super) fn wants_effect(&mut self) -> bool {
        self.random.chance(self.knobs.effects)
    }

    /// Whether to leave the current value out of its range.
    pub(super) fn wants_failure(&mut self) -> bool {
        self.random.chance(self.knobs.failing)
    }
}
