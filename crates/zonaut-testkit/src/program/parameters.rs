//! Templates with value parameters that are assigned.

use super::value_type::Ty;
use super::writer::{Passing, Signature, Variable, Writer};

/// A template and its instances.
pub(super) struct Parametrised {
    pub(super) template: String,
    /// Constants and instantiations.
    pub(super) instances: String,
    /// The names on the system line.
    pub(super) listed: Vec<String>,
}

/// The binding of template parameters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Binding {
    /// An argument for each parameter, in two instances.
    Bound,
    /// The first parameter stays free, in an instantiation with a parameter of its own.
    Partial,
    /// All parameters are free.
    Free,
}

impl Writer {
    /// A template with parameters that its code uses as variables, and its processes.
    pub(super) fn with_parameters(&mut self, process: usize, channels: usize) -> Parametrised {
        let binding = match self.random.below(10) {
            0 | 1 => Binding::Free,
            2 | 3 => Binding::Partial,
            _ => Binding::Bound,
        };
        let outside = (self.variables.clone(), self.functions.len());
        let mut parameters: Vec<(String, Ty)> = Vec::new();
        let count = if binding == Binding::Free { 1 } else { 1 + self.random.below(3) };
        for position in 0..count {
            let ty = match binding {
                Binding::Free => Ty::Boolean,
                Binding::Partial if position == 0 => Ty::Number(0),
                _ => self.any_type(),
            };
            let name = self.parameter_name();
            self.variables.retain(|variable| variable.name != name);
            parameters.push((name, ty));
        }
        for (name, ty) in &parameters {
            let (name, ty) = (name.clone(), *ty);
            self.variables.push(Variable { name, ty, is_writable: true, is_state: true });
        }
        let written: Vec<String> = parameters
            .iter()
            .map(|(name, ty)| format!("{} {name}", self.types.name(*ty)))
            .collect();
        let mut template = format!("process P{process}({}) {{\n", written.join(", "));
        if self.random.chance(40) {
            template += &self.hiding_function(&parameters);
        }
        template += &self.template_body(channels);
        self.variables = outside.0;
        self.functions.truncate(outside.1);
        let (instances, listed, names) = self.instances(process, binding, &parameters);
        for process in &names {
            let numbers = parameters.iter().filter(|(_, ty)| !matches!(ty, Ty::Aggregate(_)));
            self.members.extend(numbers.map(|(name, ty)| (format!("{process}.{name}"), *ty)));
        }
        self.processes.extend(names);
        Parametrised { template, instances, listed }
    }

    /// A new name, or that of a global variable, which it hides.
    fn parameter_name(&mut self) -> String {
        // One variable of each array and struct type must stay visible.
        let may_hide = |variable: &&Variable| {
            let is_single = !matches!(variable.ty, Ty::Aggregate(_));
            variable.is_state && is_single && variable.name.starts_with('g')
        };
        let globals = self.variables.iter().filter(may_hide);
        let globals: Vec<String> = globals.map(|variable| variable.name.clone()).collect();
        match self.random.chance(25) && !globals.is_empty() {
            true => self.random.choose(&globals),
            false => self.fresh("v"),
        }
    }

    /// A function whose own parameter hides one of the template, and is assigned.
    fn hiding_function(&mut self, parameters: &[(String, Ty)]) -> String {
        let (hidden, ty) = self.random.choose(parameters);
        if matches!(ty, Ty::Aggregate(_)) {
            return String::new();
        }
        let (name, written) = (self.fresh("f"), self.types.name(ty).to_owned());
        let value = self.constant(ty);
        let parameters = vec![(ty, Passing::Value)];
        let result = Some(ty);
        self.functions.push(Signature { name: name.clone(), parameters, result, is_pure: true });
        format!(
            "{written} {name}({written} {hidden}) {{\n    {hidden} = {value};\n    \
             return {hidden};\n}}\n"
        )
    }

    /// The instantiations, the names on the system line, and the names of the processes.
    fn instances(
        &mut self,
        process: usize,
        binding: Binding,
        parameters: &[(String, Ty)],
    ) -> (String, Vec<String>, Vec<String>) {
        let template = format!("P{process}");
        let members = |name: &str| (0..2).map(|value| format!("{name}({value})")).collect();
        match binding {
            Binding::Free => (String::new(), vec![template.clone()], members(&template)),
            Binding::Partial => {
                let mut text = String::new();
                let name = format!("{template}x");
                let mut arguments = vec!["k".to_owned()];
                arguments.extend(self.arguments(&parameters[1..], &mut text));
                text +=
                    &format!("{name}(const int[0,1] k) = {template}({});\n", arguments.join(", "));
                (text, vec![name.clone()], members(&name))
            }
            Binding::Bound => {
                let (mut text, mut names) = (String::new(), Vec::new());
                for copy in ["a", "b"].into_iter().take(1 + self.random.below(2)) {
                    let name = format!("{template}{copy}");
                    let arguments = self.arguments(parameters, &mut text);
                    text += &format!("{name} = {template}({});\n", arguments.join(", "));
                    names.push(name);
                }
                (text, names.clone(), names)
            }
        }
    }

    /// An argument for each parameter; arrays and structs are constants, declared in `text`.
    fn arguments(&mut self, parameters: &[(String, Ty)], text: &mut String) -> Vec<String> {
        let mut arguments = Vec::new();
        for (_, ty) in parameters {
            let value = self.constant(*ty);
            if !matches!(ty, Ty::Aggregate(_)) {
                arguments.push(value);
                continue;
            }
            let name = self.fresh("k");
            *text += &format!("const {} {name} = {value};\n", self.types.name(*ty));
            arguments.push(name);
        }
        arguments
    }
}
