//! Functions.

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
