//! Certificates of lazy searches: the labels of the expanded nodes.

use crate::Subject;
use crate::digest::Hashed;
use crate::set::{constant, write_known, write_zone};
use std::collections::BTreeMap;
use std::io::{self, Write};
use zonaut_dbm::{Width, Zone};
use zonaut_lazy::{Proof, ProofNode};
use zonaut_model::CellId;
use zonaut_space::Meter;

/// Tables of bounds, each identified by its text.
#[derive(Default)]
struct Tables {
    numbers: BTreeMap<String, usize>,
    /// By node.
    of_nodes: Vec<usize>,
}

impl Tables {
    /// Assigns the next node its table, which is written if it is new.
    fn add<W: Width>(&mut self, node: ProofNode<'_, W>, out: &mut dyn Write) -> io::Result<()> {
        let Some((lower, upper)) = node.region.bounds else { return Ok(()) };
        let clocks = node.rows.iter().zip(lower.iter().zip(upper)).skip(1);
        let entry =
            |(row, (&lower, &upper))| format!(" {row}:{}:{}", constant(lower), constant(upper));
        let text: String = clocks.map(entry).collect();
        let next = self.numbers.len();
        let number = match self.numbers.get(&text) {
            Some(&number) => number,
            None => {
                writeln!(out, "bounds {next}{text}")?;
                self.numbers.insert(text, next);
                next
            }
        };
        self.of_nodes.push(number);
        Ok(())
    }
}

impl Subject<'_> {
    /// Writes the labels of nodes as a set that is closed under all transitions.
    ///
    /// # Errors
    /// If writing fails or the meter stops.
    pub fn write_labels<W: Width>(
        &self,
        proof: &dyn Proof<W>,
        meter: &Meter,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut out = Hashed::new(out, meter);
        self.begin("unreach", &mut out)?;
        let mut tables = Tables::default();
        let mut bounds = Vec::new();
        for position in 0..proof.len() {
            let mut added = Ok(());
            proof.with_node(position, &mut |node| added = tables.add(node, &mut bounds));
            added?;
        }
        writeln!(out, "abs {}", if tables.of_nodes.is_empty() { "incl" } else { "lu" })?;
        out.write_all(&bounds)?;
        writeln!(out, "nodes {}", proof.len())?;
        for position in 0..proof.len() {
            let table = tables.of_nodes.get(position).copied();
            let mut written = Ok(());
            proof.with_node(position, &mut |node| {
                let steps = (node.rows.len() * node.rows.len()) as u32;
                written = meter.spend(steps).map_err(|why| io::Error::other(why.to_string()));
                if written.is_ok() {
                    written = self.write_label(position, table, node, &mut out);
                }
            });
            written?;
        }
        for successors in proof.successors().chunk_by(|one, other| one.0 == other.0) {
            write!(out, "hint {}", successors[0].0)?;
            for (_, successor) in successors {
                write!(out, " {successor}")?;
            }
            writeln!(out)?;
        }
        out.finish()
    }

    fn write_label<W: Width>(
        &self,
        position: usize,
        table: Option<usize>,
        node: ProofNode<'_, W>,
        out: &mut Hashed<'_>,
    ) -> io::Result<()> {
        let instead = |cell: CellId| {
            let position = node.ranges.binary_search_by_key(&cell, |range| range.cell).ok();
            let range = position.map(|position| &node.ranges[position]);
            let is_free = || node.unconstrained.binary_search(&cell).is_ok();
            range
                .map(|range| format!("{}..{}", range.low, range.high))
                .or_else(|| is_free().then(|| "*".to_owned()))
        };
        write_known(self.model, position, node.values, instead, out)?;
        if let Some(table) = table {
            write!(out, " {table}")?;
        }
        write_zone(&Zone::from_slice(node.rows.len(), node.region.zone), node.rows, out)?;
        writeln!(out)
    }
}
