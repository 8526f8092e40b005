//! Certificates about maximal runs: the kinds `lasso` and `live`.

use crate::run::{write_run, write_transition};
use crate::set::{SetForm, SetWriter, write_constraints, write_values};
use crate::{Hashed, Subject};
use std::io::{self, Write};
use zonaut_base::Id;
use zonaut_compile::ActionId;
use zonaut_concrete::MaximalRun;
use zonaut_dbm::Width;
use zonaut_liveness::{CoveringProof, ExactProof};
use zonaut_zonegraph::{Comparison, Step, ZoneGraph};

impl Subject<'_> {
    /// Writes a maximal run, and the valuations from which `cycle` can be repeated.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write_lasso<W: Width>(
        &self,
        graph: &ZoneGraph<'_, W>,
        found: &MaximalRun,
        cycle: &[Step],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let network = graph.network();
        let mut out = Hashed::new(out, graph.meter());
        self.begin("lasso", &mut out)?;
        write_run(network, &found.run, &mut out)?;
        if cycle.is_empty() {
            writeln!(out, "stays")?;
            return out.finish();
        }
        writeln!(out, "repeats")?;
        writeln!(out, "abs incl")?;
        let count: usize = found.repeated.iter().map(|from| from.valuations.len()).sum();
        writeln!(out, "nodes {count}")?;
        let (mut position, mut takes) = (0, Vec::new());
        for (from, &step) in found.repeated.iter().zip(cycle) {
            let participants: Vec<ActionId> = graph.read_step(step, <[_]>::to_vec);
            for constraints in &from.valuations {
                write_values(self.model, position, &from.values, &mut out)?;
                write_constraints(constraints, &mut out)?;
                takes.push(participants.clone());
                position += 1;
            }
        }
        for (node, participants) in takes.iter().enumerate() {
            write_transition(network, &format!("take {node}"), participants, &mut out)?;
        }
        out.finish()
    }

    /// Writes a proof that no maximal run exists.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write_live<W: Width>(
        &self,
        graph: &ZoneGraph<'_, W>,
        proof: &ExactProof<W>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut out = Hashed::new(out, graph.meter());
        self.begin("live", &mut out)?;
        let set = SetWriter { model: self.model, graph, form: SetForm::Legible };
        if !proof.reached.is_empty() {
            writeln!(out, "set reached")?;
            set.write_states(&proof.reached, Comparison::Inclusion, &mut out)?;
        }
        writeln!(out, "set stays")?;
        set.write_states(&proof.stays, Comparison::Inclusion, &mut out)?;
        // A state leads only to states before it.
        for node in 0..proof.stays.len() {
            writeln!(out, "rank {node} {node}")?;
        }
        out.finish()
    }

    /// Writes a covering graph that proves that no maximal run exists.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write_covering<W: Width>(
        &self,
        graph: &ZoneGraph<'_, W>,
        proof: &CoveringProof<'_, '_, W>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut out = Hashed::new(out, graph.meter());
        self.begin("live", &mut out)?;
        let set = SetWriter { model: self.model, graph, form: SetForm::Legible };
        if let Some(reached) = proof.reached {
            writeln!(out, "set reached")?;
            set.write_store(reached, Comparison::Simulation, &mut out)?;
        }
        writeln!(out, "set stays")?;
        set.write_store(proof.stays, Comparison::Simulation, &mut out)?;
        for (position, node) in proof.stays.live_nodes().enumerate() {
            writeln!(out, "rank {position} {}", proof.ranks[node.index()])?;
        }
        out.finish()
    }
}
