//! Options of tasks, and the receivers of progress and evidence.

use crate::answer::SamplingOptions;
use crate::resources::{Resources, SearchListener};
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use zonaut_evidence::SetForm;
use zonaut_model::QueryId;
use zonaut_portfolio::{LowestEstimate, is_asynchronous};
use zonaut_search::{Keeper, Network, SavedSearch, SpillFiles};
use zonaut_strategy::{Order, Strategy};
use zonaut_zonegraph::{Abstraction, Comparison};

/// The requested trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TraceWish {
    /// None.
    #[default]
    None,
    /// The trace that the search finds.
    Some,
    /// A trace with the fewest transitions. The search is breadth first, unless the strategy
    /// guarantees a shortest trace, and covering preserves depth.
    Shortest,
}

/// The use of symmetry reduction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SymmetryWish {
    /// Used if it is sound.
    #[default]
    Use,
    /// Not used.
    Ignore,
}

/// The other processes of a breadth-first search, its checkpoints, and the saved search that it
/// continues. All processes have the same model, query and options.
#[derive(Clone, Debug, Default)]
pub struct SearchDistribution {
    /// The connections to the other processes. The first process has the answer; the others are
    /// cancelled at the end.
    pub network: Option<Arc<dyn Network>>,
    /// The keeper of checkpoints; of the first process alone.
    pub keeper: Option<Arc<dyn Keeper>>,
    /// The saved search; of the first process alone.
    pub saved: Option<Arc<SavedSearch>>,
}

/// The options for answering a query.
#[derive(Clone, Debug, Default)]
pub struct VerifyOptions {
    /// The strategy.
    pub strategy: Strategy,
    /// The seed of random choices.
    pub seed: u64,
    /// The number of threads of a search for reachable states; one by default. Lazy searches and
    /// those whose order depends on more than single states use one, as do searches with symmetry
    /// reduction, and, with other strategies than `bfs` and `auto`, models with transitions that may
    /// fail at run time. With two threads, `auto` gives the same answers as with one.
    pub threads: Option<NonZeroUsize>,
    /// The abstraction of zones; by default the coarsest that is sound and for which the search
    /// terminates.
    pub abstraction: Option<Abstraction>,
    /// The covering relation; by default the coarsest that is sound.
    pub comparison: Option<Comparison>,
    /// The options of statistical queries.
    pub sampling: SamplingOptions,
    /// The use of symmetry reduction.
    pub symmetry: SymmetryWish,
    /// The requested trace.
    pub trace: TraceWish,
    /// The limits of the search.
    pub resources: Resources,
    /// The folder of stored pattern databases; without it, none are stored.
    pub databases: Option<PathBuf>,
    /// Whether to report the facts that the proof of a lazy search depends on.
    pub explain: bool,
    /// The other processes and the checkpoints of a search with the strategy `bfs` for a single `E<>`
    /// or `A[]` query without symmetry reduction.
    pub distribution: Option<SearchDistribution>,
    /// The place for old states of an eager search for reachable states in one order, or of workers in
    /// layers, which move there shortly before the memory limit; without it, the search ends there.
    pub spill: Option<Arc<dyn SpillFiles>>,
}

impl VerifyOptions {
    /// The defaults within these limits.
    #[must_use]
    pub fn within(resources: &Resources) -> Self {
        Self { resources: resources.clone(), ..Self::default() }
    }

    /// The number of workers that share a breadth-first search for this many queries; 0 if one
    /// search does it all. A portfolio has one thread for its other members, and its exploration for
    /// several queries notes their goals in the order of one store.
    pub(crate) fn workers(&self, queries: usize) -> usize {
        let threads = self.threads.map_or(1, NonZeroUsize::get);
        let workers = match &self.strategy {
            Strategy::Blind(Order::BreadthFirst) => threads,
            Strategy::Auto { .. } if queries == 1 => threads - 1,
            strategy if is_asynchronous(strategy) => threads,
            _ => 1,
        };
        if workers > 1 || self.distribution.is_some() { workers } else { 0 }
    }

    /// Whether members of a portfolio run on a second thread.
    pub(crate) fn has_second_thread(&self) -> bool {
        let threads = self.threads.map_or(1, NonZeroUsize::get);
        matches!(self.strategy, Strategy::Auto { .. }) && threads > 1
    }
}

/// The default time limit of the work for a certificate, in units of the time of the search.
pub const CERTIFICATION_ALLOWANCE: u32 = 3;

/// A receiver of certificates. Everything that can be written to receives a single one.
pub trait CertificateSink {
    /// The output for a new certificate about these queries, of all of them together.
    ///
    /// # Errors
    /// If the output cannot be opened.
    fn open(&mut self, queries: &[QueryId]) -> io::Result<&mut dyn Write>;

    /// The form of sets of zones.
    fn set_form(&self) -> SetForm {
        SetForm::default()
    }
}

impl<W: Write> CertificateSink for W {
    fn open(&mut self, _queries: &[QueryId]) -> io::Result<&mut dyn Write> {
        Ok(self)
    }
}

/// The receivers of progress and evidence.
#[derive(Default)]
pub struct Evidence<'l> {
    /// Receives the events of the search.
    pub listener: Option<&'l mut SearchListener<'l>>,
    /// Receives certificates, if queries are decided.
    pub certificate: Option<&'l mut dyn CertificateSink>,
    /// The time limit for expanding pruned states for the certificate, or for a second search,
    /// unless [`CERTIFICATION_ALLOWANCE`] is longer; without it, only the limit of the query
    /// applies.
    pub closing: Option<Duration>,
    /// Receives the lowest estimate of heuristics during the search.
    pub lowest: Option<&'l LowestEstimate>,
}

impl<'l> Evidence<'l> {
    /// The same receivers for a part of their lifetime.
    pub(crate) fn shortened<'s>(self) -> Evidence<'s>
    where
        'l: 's,
    {
        let Self { listener, certificate, closing, lowest } = self;
        let listener = listener.map(|listener| listener as &mut SearchListener<'s>);
        let certificate = certificate.map(|sink| sink as &mut (dyn CertificateSink + 's));
        Evidence { listener, certificate, closing, lowest }
    }
}
