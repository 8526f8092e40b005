//! On random networks with random dropped symbols, no value exceeds the distance.

use crate::check::Problem;
use zonaut_base::Id;
use zonaut_model::Model;
use zonaut_pdb::{IdSet, Symbols};
use zonaut_testkit::generate::generate;
use zonaut_testkit::random::Random;

/// Some of `count` ids.
fn some<I: Id>(random: &mut Random, count: usize, of_three: usize) -> IdSet<I> {
    (0..count).filter(|_| random.below(3) < of_three).map(I::from_index).collect()
}

/// Some symbols of a model.
pub(crate) fn some_symbols(random: &mut Random, model: &Model, of_three: usize) -> Symbols {
    Symbols {
        processes: some(random, model.processes.len(), of_three),
        cells: some(random, model.cells.len(), of_three),
        clocks: some(random, model.clocks.len(), of_three),
        channels: some(random, model.channels.len(), of_three),
    }
}

/// The first violation by databases for the network of a seed.
pub(crate) fn verdict(seed: u64) -> Result<(), String> {
    let model = generate(seed).to_model();
    if model.has_priorities() || model.has_rates() {
        return Ok(());
    }
    let problem = Problem::of_model(model);
    let mut random = Random::new(seed ^ 0xdb);
    for of_three in [0, 1, 1, 2] {
        let dropped = some_symbols(&mut random, &problem.model, of_three);
        problem.verdict(&dropped).map_err(|what| format!("seed {seed}, {dropped:?}: {what}"))?;
    }
    Ok(())
}
