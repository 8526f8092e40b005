//! Visitors of the parts of a specification.

use super::{Atom, Comparison, EdgeSpecification, Function, Specification, Update, Value};

impl Specification {
    /// Calls `visit` with every clock constraint.
    pub fn for_each_atom_mut(&mut self, visit: &mut impl FnMut(&mut Atom)) {
        for process in &mut self.processes {
            let invariants = process.locations.iter_mut().flat_map(|l| &mut l.invariant);
            invariants.for_each(&mut *visit);
            process.edges.iter_mut().flat_map(|edge| &mut edge.guard).for_each(&mut *visit);
        }
        self.query.atoms.iter_mut().for_each(visit);
    }

    /// Calls `visit` with every update.
    pub fn for_each_update_mut(&mut self, visit: &mut impl FnMut(&mut Update)) {
        let edges = self.processes.iter_mut().flat_map(|process| &mut process.edges);
        edges.flat_map(|edge| &mut edge.updates).for_each(visit);
    }

    /// Calls `visit` with every computed number, outermost first.
    pub fn for_each_value(&self, visit: &mut impl FnMut(&Value)) {
        let compare = |comparison: &Comparison, visit: &mut dyn FnMut(&Value)| {
            walk(&comparison.left, visit);
            walk(&comparison.right, visit);
        };
        for process in &self.processes {
            for location in &process.locations {
                location.invariant.iter().for_each(|atom| walk(&atom.bound, visit));
                location.data.iter().for_each(|data| compare(data, visit));
            }
            for edge in &process.edges {
                values_of_edge(edge, visit);
            }
        }
        self.query.atoms.iter().for_each(|atom| walk(&atom.bound, visit));
        self.query.data.iter().for_each(|data| compare(data, visit));
    }

    /// Whether the array is used.
    #[must_use]
    pub fn uses_array(&self) -> bool {
        let mut found = false;
        self.for_each_value(&mut |value| found |= matches!(value, Value::Element(_)));
        let edges = self.processes.iter().flat_map(|process| &process.edges);
        let mut updates = edges.flat_map(|edge| &edge.updates);
        found || updates.any(|update| matches!(update, Update::SetElement(..)))
    }

    /// The functions used, each once.
    #[must_use]
    pub fn functions(&self) -> Vec<Function> {
        let mut functions = Vec::new();
        self.for_each_value(&mut |value| {
            if let Value::Call(function, _) = value {
                functions.push(*function);
            }
        });
        functions.sort();
        functions.dedup();
        functions
    }
}

fn values_of_edge(edge: &EdgeSpecification, visit: &mut impl FnMut(&Value)) {
    edge.guard.iter().for_each(|atom| walk(&atom.bound, visit));
    if let Some(data) = &edge.data {
        walk(&data.left, visit);
        walk(&data.right, visit);
    }
    if let Some(index) = edge.synchronisation.as_ref().and_then(|label| label.index.as_ref()) {
        walk(index, visit);
    }
    for update in &edge.updates {
        match update {
            Update::Set(_, value) | Update::Reset(_, value) => walk(value, visit),
            Update::SetElement(index, value) => {
                walk(index, visit);
                walk(value, visit);
            }
            Update::Copy(..) => {}
        }
    }
}

fn walk<V: FnMut(&Value) + ?Sized>(value: &Value, visit: &mut V) {
    visit(value);
    match value {
        Value::Element(inner) | Value::Remainder(inner, _) | Value::Call(_, inner) => {
            walk(inner, visit);
        }
        Value::Sum(left, right) => {
            walk(left, visit);
            walk(right, visit);
        }
        Value::Constant(_) | Value::Variable(_) | Value::Selected => {}
    }
}
