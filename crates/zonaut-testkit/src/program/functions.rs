//! Random functions.

use super::value_type::Ty;
use super::writer::{Passing, Signature, Variable, Writer};

impl Writer {
    /// A function, which may be called from here on.
    pub(super) fn function(&mut self) -> String {
        let is_pure = self.random.chance(40);
        let result = match self.random.below(10) {
            0 if !is_pure => None,
            _ => Some(self.any_type()),
        };
        let name = self.fresh("f");
        let (outside, writes_state) = (self.variables.len(), self.writes_state);
        self.writes_state = !is_pure;
        let mut parameters = Vec::new();
        let mut written = Vec::new();
        for _ in 0..self.random.below(4) {
            let (parameter, ty) = (self.fresh("p"), self.any_type());
            let passing = match self.random.below(10) {
                0..=5 => Passing::Value,
                6 => Passing::ConstantReference,
                _ => Passing::Reference,
            };
            let (prefix, mark) = match passing {
                Passing::Value => ("", ""),
                Passing::Reference => ("", "&"),
                Passing::ConstantReference => ("const ", "&"),
            };
            written.push(format!("{prefix}{} {mark}{parameter}", self.types.name(ty)));
            let is_writable = passing != Passing::ConstantReference;
            self.variables.push(Variable { name: parameter, ty, is_writable, is_state: false });
            parameters.push((ty, passing));
        }
        let body = self.body(result);
        self.variables.truncate(outside);
        self.writes_state = writes_state;
        let returned = result.map_or("void", |ty| self.types.name(ty));
        let text = format!("{returned} {name}({}) {{\n{body}}}\n", written.join(", "));
        self.functions.push(Signature { name, parameters, result, is_pure });
        text
    }

    /// A function whose result may be out of range, and in which nothing else can fail.
    pub(super) fn narrow_function(&mut self) -> String {
        let (narrow, wide) = (self.types.name(Ty::Number(0)), self.types.name(Ty::Number(2)));
        format!("{narrow} narrow({wide} it) {{\n    return it;\n}}\n")
    }

    /// A call of the narrow function.
    pub(super) fn narrow_call(&mut self) -> String {
        let is_wide = |variable: &&Variable| variable.ty == Ty::Number(2);
        let wide: Vec<Variable> = self.variables.iter().filter(is_wide).cloned().collect();
        format!("narrow({})", self.random.choose(&wide).name)
    }

    /// The labels of an edge that can fail only at the result of the narrow function.
    pub(super) fn narrow_labels(&mut self) -> String {
        let call = self.narrow_call();
        let targets = self.places(false, |ty| ty == Ty::Number(0));
        let whole: Vec<_> = targets.into_iter().filter(|part| part.path.is_empty()).collect();
        let is_constant = |name: &str| {
            self.variables.iter().any(|variable| variable.name == name && !variable.is_writable)
        };
        let whole: Vec<_> = whole.into_iter().filter(|part| !is_constant(&part.variable)).collect();
        let target = self.random.choose(&whole).variable;
        match self.random.below(5) {
            0 | 1 => format!("guard {call} == {}; ", self.literal(0, 3)),
            2 => format!("assign {target} = {call}; "),
            3 => format!("assign {target} = {}; ", self.literal(0, 3)),
            _ => String::new(),
        }
    }

    fn body(&mut self, result: Option<Ty>) -> String {
        let mut text = String::new();
        for _ in 0..self.random.below(3) {
            text += &self.local();
        }
        if self.writes_state && self.random.chance(80) {
            text += &format!("    {};\n", self.state_effect());
        }
        let count = self.random.below(3);
        text += &self.statements(count, 2, result);
        if let Some(ty) = result {
            let condition = match self.wants_failure() && self.random.chance(30) {
                true => format!("if ({}) ", self.condition(1)),
                false => String::new(),
            };
            text += &format!("    {condition}return {};\n", self.value(ty, self.knobs.depth));
        }
        text
    }
}
