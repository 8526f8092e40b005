use super::*;
use zonaut_model::interpret::{DEFAULT_BUDGET, Interpreter};
use zonaut_testkit::generate::{Stratum, generate_in};
use zonaut_testkit::random::Random;

/// The value and the cells afterwards, by this evaluator.
fn evaluated(
    model: &Model,
    bindings: &Bindings,
    values: &[i32],
    id: ExpressionId,
) -> Option<(i32, Vec<i32>)> {
    let variables = Variables::new(model);
    let mut evaluator = Evaluator::new(model, variables, Limits::PREPARATION);
    let mut result = None;
    let runs = evaluator.for_each_run(bindings, |evaluator| {
        let value = evaluator.evaluate(&Exactly(values), id)?;
        let mut after = values.to_vec();
        for (variable, value) in evaluator.written() {
            after[variable.index()] = value;
        }
        result = Some((value, after[model.processes.len()..].to_vec()));
        Ok(ControlFlow::Continue(()))
    });
    assert!(matches!(runs, Runs::Complete { .. }));
    result
}

/// The same by the reference interpreter.
fn interpreted(
    model: &Model,
    bindings: &Bindings,
    values: &[i32],
    id: ExpressionId,
) -> Option<(i32, Vec<i32>)> {
    let mut interpreter = Interpreter::new(model, DEFAULT_BUDGET);
    let (locations, cells) = values.split_at(model.processes.len());
    interpreter.cells = cells.to_vec();
    interpreter.locations = locations.iter().map(|&l| Id::from_index(l as usize)).collect();
    for &(local, binding) in bindings {
        if let Binding::Value(value) = binding {
            interpreter.set_local(local, value);
        }
    }
    let value = interpreter.evaluate(id).ok()?;
    Some((value, interpreter.cells))
}

/// Random values within the declared ranges.
fn random_values(variables: &Variables, random: &mut Random) -> Vec<i32> {
    let value = |index| {
        let domain = variables.domain(VariableId::from_index(index));
        domain.low + random.below(domain.size as usize) as i32
    };
    (0..variables.len()).map(value).collect()
}

#[test]
fn single_values_give_what_the_interpreter_gives() {
    let mut count = 0;
    for stratum in [Stratum::Data, Stratum::Language, Stratum::Updates, Stratum::Broadcast] {
        for seed in 0..60 {
            let model = generate_in(stratum, seed).to_model();
            let variables = Variables::new(&model);
            let mut random = Random::new(seed);
            for edge in model.processes.iter().flat_map(|process| &process.edges) {
                let mut bindings = Bindings::new();
                for select in &edge.select {
                    let value = random.between(select.low, select.high);
                    bindings.push((select.binder, Binding::Value(value)));
                }
                let values = random_values(&variables, &mut random);
                for &id in edge.updates.iter().chain(&edge.guard.data) {
                    let expected = interpreted(&model, &bindings, &values, id);
                    assert_eq!(evaluated(&model, &bindings, &values, id), expected, "{seed}");
                    count += 1;
                }
            }
        }
    }
    assert!(count > 1000, "{count}");
}

/// Sets of the values up to a number.
struct UpTo(u32);

impl ValueSets for UpTo {
    fn count(&self, _: VariableId) -> Option<u32> {
        Some(self.0)
    }
    fn value(&self, _: VariableId, position: u32) -> i32 {
        position as i32
    }
}

#[test]
fn a_computed_index_branches_over_one_element_only() {
    let mut network = zonaut_model::builder::NetworkBuilder::new();
    let range = Range { low: 0, high: 3 };
    let index = network.integer("i", range, 0);
    let array = network.integers("a", range, &[0, 0, 0, 0]);
    let process = network.process("P");
    let here = network.location(process, "l");
    network.edge(process, here, here).guard(array.element(index).equals(3));
    let model = network.finish().expect("a valid network");
    let id = model.processes[process].edges.iter().next().and_then(|edge| edge.guard.data);
    let id = id.expect("the edge has a guard");
    let mut evaluator = Evaluator::new(&model, Variables::new(&model), Limits::STATE);
    let mut outcomes = Vec::new();
    let runs = evaluator.for_each_run(&Bindings::new(), |evaluator| {
        outcomes.push(evaluator.evaluate(&UpTo(4), id)?);
        Ok(ControlFlow::Continue(()))
    });
    assert_eq!(runs, Runs::Complete { failed: false });
    assert_eq!(outcomes.len(), 16);
    assert_eq!(outcomes.iter().sum::<i32>(), 4);
}
