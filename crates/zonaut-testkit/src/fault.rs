//! Fault injection: tests of the tests.
//!
//! The tests are worth what they detect. Each fault here is one that an engine of this kind has had
//! or could have; the generator and the oracles must detect it within a limited number of random
//! networks. Most faults need no change of the engine: it is given a wrong model, wrong bounds or a
//! wrong covering. Faults inside zones, heuristics and pattern databases need the feature `faults`.

mod program;

use crate::differential::{
    Certifies, Configuration, Examination, Failure, Order, Part, ProgramExamination, Tally, Task,
    WrongInclusion,
};
use crate::generate::Theme;
#[cfg(feature = "faults")]
use crate::generate::varied;
use crate::program::{Stratum, generate as generate_program};
use crate::specification::Specification;
pub use program::ProgramFault;
use std::sync::atomic::{AtomicU64, Ordering};
use zonaut_compile::{BoundsTable, ClockBounds};
use zonaut_dbm::NO_BOUND;
use zonaut_model::{Formula, LocationKind, Relation};
use zonaut_zonegraph::{Abstraction, Comparison};

/// A fault in the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Strict guards become non-strict.
    GuardStrictness,
    /// Time passes in urgent locations.
    UrgentIgnored,
    /// The bounds omit the constants of invariants.
    InvariantsNotInBounds,
    /// Lower and upper bounds are swapped, with an abstraction that distinguishes them.
    BoundsSwapped(Abstraction),
    /// The greatest constants are one too small.
    MaximumTooSmall,
    /// Upper bounds are one too small, for extrapolation or, where `true`, for simulation.
    UpperTooSmall(bool),
    /// Lower bounds are one too small, for extrapolation or, where `true`, for simulation.
    LowerTooSmall(bool),
    /// Inclusion compares only half of the entries.
    HalfInclusion,
    /// Inclusion ignores strictness.
    InclusionWithoutStrictness,
    /// A search for shortest paths discards states for deeper ones.
    DepthForgotten,
    /// The bounds are those for reachability although the query mentions deadlocks.
    BoundsOneSided,
    /// A fault in the translation of programs.
    Program(ProgramFault),
    /// A fault in an analysis of expressions.
    #[cfg(feature = "faults")]
    Meaning(zonaut_analysis::faults::Fault),
    /// A fault in a heuristic.
    #[cfg(feature = "faults")]
    Heuristic(zonaut_heuristics::faults::Fault),
    /// A clause is omitted in the construction of pattern databases.
    #[cfg(feature = "faults")]
    Pattern(zonaut_pdb::faults::Clause),
    /// A fault in a predicate abstraction.
    #[cfg(feature = "faults")]
    Predicates(zonaut_predicates::faults::Fault),
    /// A fault in the analysis of clock bounds.
    #[cfg(feature = "faults")]
    Tables(zonaut_compile::faults::Fault),
    /// A fault in an operation on zones.
    #[cfg(feature = "faults")]
    Zones(zonaut_dbm::faults::Fault),
    /// A fault in the zone graph.
    #[cfg(feature = "faults")]
    Graph(zonaut_zonegraph::faults::Fault),
    /// A fault in the store.
    #[cfg(feature = "faults")]
    Store(zonaut_search::faults::Fault),
    /// A fault in the zone graph of the runs that avoid a formula.
    #[cfg(feature = "faults")]
    Runs(zonaut_zonegraph::faults::Fault),
    /// A fault in the search for maximal runs or for values.
    #[cfg(feature = "faults")]
    Beyond(zonaut_liveness::faults::Fault),
    /// A fault in lazy abstraction.
    #[cfg(feature = "faults")]
    Lazy(zonaut_lazy::faults::Fault),
}

/// The kind of examination that can detect a fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Detector {
    Networks,
    Programs,
    /// The maximal runs of networks.
    #[cfg(feature = "faults")]
    Runs,
    /// Infima and suprema in networks.
    #[cfg(feature = "faults")]
    Values,
}

impl Fault {
    /// All faults that this build can inject, with their names.
    pub const ALL: &[(&str, Self)] = &[
        #[cfg(feature = "faults")]
        ("strictness-or", Self::Zones(zonaut_dbm::faults::Fault::StrictSum)),
        #[cfg(feature = "faults")]
        ("reset-column", Self::Zones(zonaut_dbm::faults::Fault::ResetColumn)),
        ("guard-strictness-lost", Self::GuardStrictness),
        ("urgent-ignored", Self::UrgentIgnored),
        ("lu-plus-swapped", Self::BoundsSwapped(Abstraction::LowerUpperPlus)),
        ("lu-swapped", Self::BoundsSwapped(Abstraction::LowerUpper)),
        #[cfg(feature = "faults")]
        ("extrapolation-not-strict", Self::Zones(zonaut_dbm::faults::Fault::NonStrictFloor)),
        ("invariants-not-in-bounds", Self::InvariantsNotInBounds),
        ("m-minus-one", Self::MaximumTooSmall),
        ("u-minus-one", Self::UpperTooSmall(false)),
        ("l-minus-one", Self::LowerTooSmall(false)),
        ("half-inclusion", Self::HalfInclusion),
        ("inclusion-without-strictness", Self::InclusionWithoutStrictness),
        #[cfg(feature = "faults")]
        ("no-closure", Self::Zones(zonaut_dbm::faults::Fault::NoClosure)),
        #[cfg(feature = "faults")]
        ("reference-row-not-closed", Self::Zones(zonaut_dbm::faults::Fault::ReferenceRowNotClosed)),
        #[cfg(feature = "faults")]
        ("first-row-not-closed", Self::Zones(zonaut_dbm::faults::Fault::FirstRowNotClosed)),
        #[cfg(feature = "faults")]
        ("row-dropped-early", Self::Zones(zonaut_dbm::faults::Fault::RowDroppedEarly)),
        #[cfg(feature = "faults")]
        ("delay-of-one-clock", Self::Zones(zonaut_dbm::faults::Fault::DelayOfOneClock)),
        #[cfg(feature = "faults")]
        ("delay-to-strict-bound", Self::Zones(zonaut_dbm::faults::Fault::DelayToStrictBound)),
        #[cfg(feature = "faults")]
        (
            "delay-by-opposite-difference",
            Self::Zones(zonaut_dbm::faults::Fault::DelayByOppositeDifference),
        ),
        #[cfg(feature = "faults")]
        ("recall-without-guards", Self::Graph(zonaut_zonegraph::faults::Fault::CacheWithoutGuards)),
        #[cfg(feature = "faults")]
        ("recall-without-resets", Self::Graph(zonaut_zonegraph::faults::Fault::CacheWithoutResets)),
        #[cfg(feature = "faults")]
        ("recall-without-delay", Self::Graph(zonaut_zonegraph::faults::Fault::CacheWithoutDelay)),
        #[cfg(feature = "faults")]
        ("frame-keeps-lower", Self::Graph(zonaut_zonegraph::faults::Fault::ActiveClocksKeepLower)),
        #[cfg(feature = "faults")]
        (
            "frame-without-process",
            Self::Graph(zonaut_zonegraph::faults::Fault::ActiveClocksWithoutProcess),
        ),
        #[cfg(feature = "faults")]
        (
            "frame-without-goal",
            Self::Graph(zonaut_zonegraph::faults::Fault::ActiveClocksWithoutGoal),
        ),
        #[cfg(feature = "faults")]
        ("payloads-by-hash", Self::Store(zonaut_search::faults::Fault::PayloadsByHash)),
        #[cfg(feature = "faults")]
        ("payloads-by-half", Self::Store(zonaut_search::faults::Fault::PayloadsByHalf)),
        #[cfg(feature = "faults")]
        (
            "shared-payload-released",
            Self::Store(zonaut_search::faults::Fault::SharedPayloadReleased),
        ),
        #[cfg(feature = "faults")]
        ("summaries-decide", Self::Store(zonaut_search::faults::Fault::SummariesDecide)),
        #[cfg(feature = "faults")]
        ("summaries-reversed", Self::Store(zonaut_search::faults::Fault::SummariesReversed)),
        #[cfg(feature = "faults")]
        ("summaries-not-moved", Self::Store(zonaut_search::faults::Fault::SummariesNotMoved)),
        #[cfg(feature = "faults")]
        ("stay-through-avoided", Self::Runs(zonaut_zonegraph::faults::Fault::StayThroughAvoided)),
        #[cfg(feature = "faults")]
        ("end-before-avoided", Self::Runs(zonaut_zonegraph::faults::Fault::EndBeforeAvoided)),
        #[cfg(feature = "faults")]
        (
            "divergence-overlooked",
            Self::Runs(zonaut_zonegraph::faults::Fault::DivergenceOverlooked),
        ),
        #[cfg(feature = "faults")]
        ("repeated-once", Self::Runs(zonaut_zonegraph::faults::Fault::RepeatedOnce)),
        #[cfg(feature = "faults")]
        ("ranks-reversed", Self::Beyond(zonaut_liveness::faults::Fault::RanksReversed)),
        #[cfg(feature = "faults")]
        ("evicted-edge-lost", Self::Beyond(zonaut_liveness::faults::Fault::EvictedEdgeLost)),
        #[cfg(feature = "faults")]
        ("other-side-forgotten", Self::Beyond(zonaut_liveness::faults::Fault::OtherSideForgotten)),
        #[cfg(feature = "faults")]
        ("blocked-end-covered", Self::Beyond(zonaut_liveness::faults::Fault::BlockedEndCovered)),
        #[cfg(feature = "faults")]
        ("greatest-too-small", Self::Beyond(zonaut_liveness::faults::Fault::GreatestTooSmall)),
        #[cfg(feature = "faults")]
        ("cycle-by-covering", Self::Beyond(zonaut_liveness::faults::Fault::CycleByCovering)),
        #[cfg(feature = "faults")]
        ("pump-without-growth", Self::Beyond(zonaut_liveness::faults::Fault::PumpWithoutGrowth)),
        #[cfg(feature = "faults")]
        (
            "unbounded-above-constant",
            Self::Beyond(zonaut_liveness::faults::Fault::UnboundedAboveConstant),
        ),
        #[cfg(feature = "faults")]
        ("watched-forgotten", Self::Beyond(zonaut_liveness::faults::Fault::WatchedForgotten)),
        #[cfg(feature = "faults")]
        ("pinned-without-flow", Self::Tables(zonaut_compile::faults::Fault::PinnedWithoutFlow)),
        #[cfg(feature = "faults")]
        (
            "pinned-from-other-side",
            Self::Beyond(zonaut_liveness::faults::Fault::PinnedFromOtherSide),
        ),
        #[cfg(feature = "faults")]
        ("pump-through-setting", Self::Beyond(zonaut_liveness::faults::Fault::PumpThroughSetting)),
        #[cfg(feature = "faults")]
        ("covering-kept", Self::Lazy(zonaut_lazy::faults::Fault::CoveringKept)),
        #[cfg(feature = "faults")]
        ("awaited-lost", Self::Lazy(zonaut_lazy::faults::Fault::AwaitedLost)),
        #[cfg(feature = "faults")]
        ("larger-lost", Self::Lazy(zonaut_lazy::faults::Fault::LargerLost)),
        #[cfg(feature = "faults")]
        ("cell-forgotten", Self::Lazy(zonaut_lazy::faults::Fault::CellForgotten)),
        #[cfg(feature = "faults")]
        ("computed-forgotten", Self::Lazy(zonaut_lazy::faults::Fault::ComputedForgotten)),
        #[cfg(feature = "faults")]
        ("receivers-undecided", Self::Lazy(zonaut_lazy::faults::Fault::ReceiversUndecided)),
        #[cfg(feature = "faults")]
        ("range-too-wide", Self::Lazy(zonaut_lazy::faults::Fault::RangeTooWide)),
        #[cfg(feature = "faults")]
        ("range-not-propagated", Self::Lazy(zonaut_lazy::faults::Fault::RangeNotPropagated)),
        #[cfg(feature = "faults")]
        ("range-ignored", Self::Lazy(zonaut_lazy::faults::Fault::RangeIgnored)),
        #[cfg(feature = "faults")]
        ("bound-too-small", Self::Lazy(zonaut_lazy::faults::Fault::BoundTooSmall)),
        #[cfg(feature = "faults")]
        ("bound-not-propagated", Self::Lazy(zonaut_lazy::faults::Fault::BoundNotPropagated)),
        #[cfg(feature = "faults")]
        ("tests-forgotten", Self::Lazy(zonaut_lazy::faults::Fault::TestsForgotten)),
        #[cfg(feature = "faults")]
        ("atom-forgotten", Self::Lazy(zonaut_lazy::faults::Fault::AtomForgotten)),
        #[cfg(feature = "faults")]
        ("delay-forgotten", Self::Lazy(zonaut_lazy::faults::Fault::DelayForgotten)),
        #[cfg(feature = "faults")]
        ("effects-forgotten", Self::Lazy(zonaut_lazy::faults::Fault::EffectsForgotten)),
        ("simulation-swapped", Self::BoundsSwapped(Abstraction::Simulation)),
        ("simulation-u-minus-one", Self::UpperTooSmall(true)),
        ("simulation-l-minus-one", Self::LowerTooSmall(true)),
        ("depth-forgotten", Self::DepthForgotten),
        ("deadlock-by-one-sided-bounds", Self::BoundsOneSided),
        #[cfg(feature = "faults")]
        (
            "deadlock-by-some-way",
            Self::Graph(zonaut_zonegraph::faults::Fault::DeadlockBySomeTransition),
        ),
        #[cfg(feature = "faults")]
        (
            "deadlock-without-delay",
            Self::Graph(zonaut_zonegraph::faults::Fault::DeadlockWithoutDelay),
        ),
        #[cfg(feature = "faults")]
        (
            "deadlock-without-target",
            Self::Graph(zonaut_zonegraph::faults::Fault::DeadlockWithoutTarget),
        ),
        #[cfg(feature = "faults")]
        (
            "deadlock-without-differences",
            Self::Graph(zonaut_zonegraph::faults::Fault::DeadlockWithoutDifferences),
        ),
        #[cfg(feature = "faults")]
        (
            "deadlock-bounds-without-flow",
            Self::Tables(zonaut_compile::faults::Fault::TwoSidedWithoutFlow),
        ),
        #[cfg(feature = "faults")]
        (
            "priority-blocks-everywhere",
            Self::Graph(zonaut_zonegraph::faults::Fault::PriorityBlocksEverywhere),
        ),
        #[cfg(feature = "faults")]
        (
            "priority-of-channels-only",
            Self::Graph(zonaut_zonegraph::faults::Fault::PriorityOfChannelsOnly),
        ),
        #[cfg(feature = "faults")]
        (
            "priority-without-target",
            Self::Graph(zonaut_zonegraph::faults::Fault::PriorityWithoutTarget),
        ),
        #[cfg(feature = "faults")]
        ("layers-from-one", Self::Heuristic(zonaut_heuristics::faults::Fault::LayersFromOne)),
        #[cfg(feature = "faults")]
        ("nobody-joins", Self::Heuristic(zonaut_heuristics::faults::Fault::NoReceiverJoins)),
        #[cfg(feature = "faults")]
        (
            "updates-out-of-order",
            Self::Heuristic(zonaut_heuristics::faults::Fault::UpdatesOutOfOrder),
        ),
        #[cfg(feature = "faults")]
        ("errors-forgotten", Self::Heuristic(zonaut_heuristics::faults::Fault::ErrorsForgotten)),
        #[cfg(feature = "faults")]
        ("distances-added", Self::Heuristic(zonaut_heuristics::faults::Fault::DistancesAdded)),
        #[cfg(feature = "faults")]
        (
            "negation-forgotten",
            Self::Heuristic(zonaut_heuristics::faults::Fault::NegationForgotten),
        ),
        #[cfg(feature = "faults")]
        (
            "farthest-alternative",
            Self::Heuristic(zonaut_heuristics::faults::Fault::FarthestAlternative),
        ),
        #[cfg(feature = "faults")]
        (
            "clock-limit-of-heuristics",
            Self::Meaning(zonaut_analysis::faults::Fault::ClockLimitForgotten),
        ),
        #[cfg(feature = "faults")]
        ("temporaries-of-dropped", Self::Pattern(zonaut_pdb::faults::Clause::Temporaries)),
        #[cfg(feature = "faults")]
        ("range-of-result", Self::Pattern(zonaut_pdb::faults::Clause::ReturnRange)),
        #[cfg(feature = "faults")]
        ("clock-limit-of-databases", Self::Pattern(zonaut_pdb::faults::Clause::ClockLimit)),
        #[cfg(feature = "faults")]
        ("flow-of-dropped", Self::Pattern(zonaut_pdb::faults::Clause::Flow)),
        #[cfg(feature = "faults")]
        ("conjuncts-of-dropped", Self::Pattern(zonaut_pdb::faults::Clause::Conjuncts)),
        #[cfg(feature = "faults")]
        ("receiver-loop", Self::Pattern(zonaut_pdb::faults::Clause::ReceiverLoop)),
        #[cfg(feature = "faults")]
        ("urgency-of-dropped", Self::Pattern(zonaut_pdb::faults::Clause::Urgency)),
        #[cfg(feature = "faults")]
        ("silent-copy", Self::Pattern(zonaut_pdb::faults::Clause::SilentCopy)),
        #[cfg(feature = "faults")]
        ("writes-of-dropped", Self::Pattern(zonaut_pdb::faults::Clause::Writes)),
        #[cfg(feature = "faults")]
        ("sender-stub", Self::Pattern(zonaut_pdb::faults::Clause::SenderStub)),
        #[cfg(feature = "faults")]
        ("missed-zone", Self::Pattern(zonaut_pdb::faults::Clause::MissedZone)),
        #[cfg(feature = "faults")]
        ("large-distance", Self::Pattern(zonaut_pdb::faults::Clause::LargeDistance)),
        #[cfg(feature = "faults")]
        ("meta-kept-at-locations", Self::Heuristic(zonaut_heuristics::faults::Fault::MetaKept)),
        #[cfg(feature = "faults")]
        ("meta-kept", Self::Predicates(zonaut_predicates::faults::Fault::MetaKept)),
        ("operands-backwards", Self::Program(ProgramFault::OperandsBackwards)),
        ("place-twice", Self::Program(ProgramFault::PlaceTwice)),
        ("both-sides", Self::Program(ProgramFault::BothSides)),
        ("updates-backwards", Self::Program(ProgramFault::UpdatesBackwards)),
        ("return-unchecked", Self::Program(ProgramFault::ReturnUnchecked)),
        ("argument-unchecked", Self::Program(ProgramFault::ArgumentUnchecked)),
        ("argument-shared", Self::Program(ProgramFault::ArgumentShared)),
        ("parameter-unchecked", Self::Program(ProgramFault::ParameterUnchecked)),
        ("branch-guard-late", Self::Program(ProgramFault::BranchGuardLate)),
        ("branch-updates-first", Self::Program(ProgramFault::BranchUpdatesFirst)),
    ];

    /// The theme of networks that use the faulty part.
    fn theme(self) -> Theme {
        match self {
            Self::BoundsOneSided => Theme::Deadlock,
            #[cfg(feature = "faults")]
            Self::Graph(fault) if fault.is_about_deadlocks() => Theme::Deadlock,
            #[cfg(feature = "faults")]
            Self::Tables(_) => Theme::Deadlock,
            #[cfg(feature = "faults")]
            Self::Graph(fault) if fault.is_about_priorities() => Theme::Priorities,
            #[cfg(feature = "faults")]
            Self::Predicates(_) | Self::Heuristic(zonaut_heuristics::faults::Fault::MetaKept) => {
                Theme::Meta
            }
            _ => Theme::Reachability,
        }
    }

    /// The abstractions that use the faulty part.
    fn abstractions(self) -> &'static [Abstraction] {
        use Abstraction::{LowerUpper, LowerUpperPlus, Maximum, Simulation};
        match self {
            Self::BoundsSwapped(LowerUpper) => &[LowerUpper],
            Self::BoundsSwapped(LowerUpperPlus) => &[LowerUpperPlus],
            Self::BoundsSwapped(_) | Self::UpperTooSmall(true) | Self::LowerTooSmall(true) => {
                &[Simulation]
            }
            Self::UpperTooSmall(false) | Self::LowerTooSmall(false) => {
                &[LowerUpper, LowerUpperPlus]
            }
            Self::MaximumTooSmall => &[Maximum],
            Self::BoundsOneSided => &[LowerUpper, LowerUpperPlus, Simulation],
            Self::HalfInclusion | Self::InclusionWithoutStrictness => &[Maximum, LowerUpperPlus],
            Self::GuardStrictness | Self::UrgentIgnored => &[Maximum, Simulation],
            Self::InvariantsNotInBounds => &[Maximum, LowerUpper, LowerUpperPlus, Simulation],
            Self::DepthForgotten | Self::Program(_) => {
                &[Maximum, LowerUpper, LowerUpperPlus, Simulation]
            }
            #[cfg(feature = "faults")]
            Self::Heuristic(_)
            | Self::Meaning(_)
            | Self::Pattern(_)
            | Self::Predicates(_)
            | Self::Lazy(_) => &[Maximum, LowerUpperPlus, Simulation],
            #[cfg(feature = "faults")]
            Self::Zones(_) => &[Maximum, LowerUpper, LowerUpperPlus],
            #[cfg(feature = "faults")]
            Self::Graph(_) => &[Maximum, LowerUpper, LowerUpperPlus, Simulation],
            #[cfg(feature = "faults")]
            Self::Store(_) => &[Maximum, LowerUpper, LowerUpperPlus, Simulation],
            #[cfg(feature = "faults")]
            Self::Runs(_) | Self::Beyond(_) | Self::Tables(_) => &[],
        }
    }

    /// The examination of the network of `seed` by an engine with this fault, in those of the usual
    /// configurations that use the faulty part.
    #[must_use]
    pub fn examination(self, seed: u64) -> Examination {
        let by_inclusion = matches!(self, Self::HalfInclusion | Self::InclusionWithoutStrictness);
        let uses = |configuration: &Configuration| {
            self.is_used_in(configuration.order)
                && self.abstractions().contains(&configuration.abstraction)
                && (!by_inclusion || configuration.comparison == Comparison::Inclusion)
        };
        let mut configurations: Vec<Configuration> =
            Configuration::selection(seed).into_iter().filter(uses).collect();
        configurations.extend(self.guided());
        let (parts, fault) = (self.parts(), Some(self));
        let (certified, certifies) = (None, Certifies::LazySearches);
        let (change, command) = (None, None);
        Examination { configurations, certified, certifies, parts, change, command, fault }
    }

    /// The kind of examination that can detect this fault.
    fn detector(self) -> Detector {
        match self {
            Self::Program(_) => Detector::Programs,
            #[cfg(feature = "faults")]
            Self::Meaning(_) => Detector::Programs,
            #[cfg(feature = "faults")]
            Self::Pattern(clause) => {
                use zonaut_pdb::faults::Clause::{ClockLimit, ReturnRange, Temporaries};
                let is_rare = [ClockLimit, ReturnRange, Temporaries].contains(&clause);
                if is_rare { Detector::Programs } else { Detector::Networks }
            }
            #[cfg(feature = "faults")]
            Self::Runs(_) => Detector::Runs,
            #[cfg(feature = "faults")]
            Self::Tables(zonaut_compile::faults::Fault::PinnedWithoutFlow) => Detector::Values,
            #[cfg(feature = "faults")]
            Self::Beyond(fault) if fault.is_about_values() => Detector::Values,
            #[cfg(feature = "faults")]
            Self::Beyond(_) => Detector::Runs,
            _ => Detector::Networks,
        }
    }

    /// The examination of the program of `seed` by an engine with this fault.
    #[must_use]
    pub fn program_examination(self, seed: u64) -> ProgramExamination {
        let mut whole = ProgramExamination::of(seed);
        whole.printed = None;
        whole.examination.certifies = Certifies::LazySearches;
        whole.examination.fault = Some(self);
        whole.examination.configurations.extend(self.guided());
        whole.examination.parts.extend(self.parts());
        whole
    }

    /// The stratum of programs for a seed: the one that uses the faulty part, or all in turn.
    fn stratum(self, seed: u64) -> Stratum {
        match self {
            Self::Program(ProgramFault::ParameterUnchecked) => Stratum::Parameters,
            Self::Program(ProgramFault::BranchGuardLate | ProgramFault::BranchUpdatesFirst) => {
                Stratum::Branches
            }
            _ => Stratum::ALL[(seed % Stratum::ALL.len() as u64) as usize].1,
        }
    }

    /// Examines the network or the program of a seed, and shrinks it if an answer is wrong.
    fn examine(self, seed: u64) -> Result<(), Box<Failure>> {
        let mut tally = Tally::default();
        match self.detector() {
            Detector::Programs => {
                self.program_examination(seed).examine(self.stratum(seed), seed, &mut tally)
            }
            Detector::Networks => self.examination(seed).examine(self.theme(), seed, &mut tally),
            #[cfg(feature = "faults")]
            Detector::Runs => crate::liveness::examine(seed, &mut tally),
            #[cfg(feature = "faults")]
            Detector::Values => crate::values::examine(seed, &mut tally),
        }
    }

    /// Configurations that use the faulty part in every network.
    fn guided(self) -> impl Iterator<Item = Configuration> {
        self.strategies().iter().map(|&strategy| Configuration {
            abstraction: Abstraction::Simulation,
            comparison: Comparison::Simulation,
            order: Order::Guided(strategy),
        })
    }

    /// Strategies that use the faulty part in every network.
    fn strategies(self) -> &'static [&'static str] {
        match self {
            #[cfg(feature = "faults")]
            Self::Heuristic(zonaut_heuristics::faults::Fault::MetaKept) => {
                &["astar(hl(values=location))", "greedy(hl(clocks=location, values=location))"]
            }
            #[cfg(feature = "faults")]
            Self::Heuristic(_) | Self::Meaning(_) => {
                &["astar(hl)", "astar(dl)", "wastar(hl, weight=2)"]
            }
            // The engine decides in which locations bounds count from both sides.
            #[cfg(feature = "faults")]
            Self::Tables(_) => &["bfs"],
            #[cfg(feature = "faults")]
            Self::Pattern(_) => &["astar(rd)", "astar(cone(d=0))", "astar(cone(d=1))"],
            #[cfg(feature = "faults")]
            Self::Predicates(_) => &["greedy(pa)", "astar(pa(split=all))"],
            #[cfg(feature = "faults")]
            Self::Lazy(_) => &[
                "lazy",
                "lazy(order=dfs)",
                "lazy(clocks=lu)",
                "lazy(data=explicit, clocks=lu, order=dfs)",
                "lazy(clocks=eager)",
                "lazy(data=interval)",
                "lazy(data=explicit)",
            ],
            _ => &[],
        }
    }

    /// The patterns whose databases are checked.
    fn parts(self) -> Vec<Part> {
        match self {
            #[cfg(feature = "faults")]
            Self::Pattern(_) => Part::ALL.to_vec(),
            _ => Vec::new(),
        }
    }

    /// Whether an order uses the faulty part.
    fn is_used_in(self, order: Order) -> bool {
        match self {
            Self::DepthForgotten => order == Order::Shortest,
            #[cfg(feature = "faults")]
            // Heuristics are checked along shortest paths, too.
            Self::Heuristic(_) | Self::Meaning(_) | Self::Pattern(_) | Self::Predicates(_) => {
                matches!(order, Order::Guided(_) | Order::Shortest)
            }
            // The strategies that run on every network suffice.
            #[cfg(feature = "faults")]
            Self::Lazy(_) => false,
            Self::Program(_) => true,
            // The engine as a whole is given neither wrong bounds nor wrong models.
            _ => !matches!(order, Order::Guided(_)),
        }
    }

    /// The network as given to the engine.
    pub(crate) fn specification(self, right: &Specification) -> Specification {
        let mut seen = right.clone();
        for process in &mut seen.processes {
            match self {
                Self::GuardStrictness => {
                    let atoms = process.edges.iter_mut().flat_map(|edge| &mut edge.guard);
                    atoms.for_each(|atom| atom.relation = not_strict(atom.relation));
                }
                Self::UrgentIgnored => {
                    let locations = process.locations.iter_mut();
                    let urgent = locations.filter(|l| l.kind == LocationKind::Urgent);
                    urgent.for_each(|location| location.kind = LocationKind::Ordinary);
                }
                _ => {}
            }
        }
        seen
    }

    /// Injects the fault into the inputs of the engine other than the model.
    pub(crate) fn spoil(self, task: &mut Task<'_>) {
        // A wrong answer is wanted, which one of the faults may never cause.
        task.inspects_zones = false;
        task.is_faulty = true;
        let change_bounds = |task: &mut Task<'_>, change: fn(&mut ClockBounds)| {
            task.bounds = task.bounds.mapped(|_, mut bounds| {
                change(&mut bounds);
                bounds
            });
        };
        match self {
            Self::GuardStrictness | Self::UrgentIgnored | Self::Program(_) => {}
            Self::DepthForgotten => task.forgets_depth = true,
            #[cfg(feature = "faults")]
            Self::Heuristic(_) | Self::Meaning(_) | Self::Pattern(_) | Self::Predicates(_) => {}
            Self::InvariantsNotInBounds => task.bounds = without_invariants(task),
            Self::BoundsOneSided => task.bounds = without_deadlock(task),
            Self::BoundsSwapped(_) => {
                change_bounds(task, |b| std::mem::swap(&mut b.lower, &mut b.upper));
            }
            Self::MaximumTooSmall => change_bounds(task, |b| {
                lower_by_one(&mut b.lower);
                lower_by_one(&mut b.upper);
            }),
            Self::UpperTooSmall(_) => change_bounds(task, |b| lower_by_one(&mut b.upper)),
            Self::LowerTooSmall(_) => change_bounds(task, |b| lower_by_one(&mut b.lower)),
            Self::HalfInclusion => task.wrong_inclusion = Some(WrongInclusion::Half),
            Self::InclusionWithoutStrictness => {
                task.wrong_inclusion = Some(WrongInclusion::WithoutStrictness);
            }
            #[cfg(feature = "faults")]
            Self::Zones(fault) => {
                task.inspects_zones = fault.is_about_closure();
            }
            #[cfg(feature = "faults")]
            Self::Graph(_)
            | Self::Store(_)
            | Self::Runs(_)
            | Self::Beyond(_)
            | Self::Lazy(_)
            | Self::Tables(_) => {}
        }
    }

    /// Switches a fault in zones, heuristics or other parts on or off, for the whole process.
    fn set_injected(self, is_there: bool) {
        #[cfg(feature = "faults")]
        match self {
            Self::Zones(fault) => zonaut_dbm::faults::select(is_there.then_some(fault)),
            Self::Tables(fault) => zonaut_compile::faults::select(is_there.then_some(fault)),
            Self::Heuristic(fault) => zonaut_heuristics::faults::select(is_there.then_some(fault)),
            #[cfg(feature = "faults")]
            Self::Meaning(fault) => zonaut_analysis::faults::select(is_there.then_some(fault)),
            Self::Pattern(clause) => zonaut_pdb::faults::select(is_there.then_some(clause)),
            Self::Predicates(fault) => zonaut_predicates::faults::select(is_there.then_some(fault)),
            Self::Graph(fault) | Self::Runs(fault) => {
                zonaut_zonegraph::faults::select(is_there.then_some(fault));
            }
            Self::Beyond(fault) => zonaut_liveness::faults::select(is_there.then_some(fault)),
            Self::Lazy(fault) => zonaut_lazy::faults::select(is_there.then_some(fault)),
            Self::Store(fault) => zonaut_search::faults::select(is_there.then_some(fault)),
            _ => {}
        }
        let _ = is_there;
    }
}

fn not_strict(relation: Relation) -> Relation {
    match relation {
        Relation::Less => Relation::LessEqual,
        Relation::Greater => Relation::GreaterEqual,
        Relation::LessEqual | Relation::Equal | Relation::GreaterEqual => relation,
    }
}

/// Lowers a bound; below 0 it is removed, but the clock stays active.
fn lower_by_one(bound: &mut i32) {
    if *bound != NO_BOUND {
        *bound -= 1;
    }
}

/// The bounds of the model without invariants, for the clocks that are active with them.
fn without_invariants(task: &Task<'_>) -> BoundsTable {
    let mut model = task.seen.clone();
    for process in model.processes.iter_mut() {
        process.locations.iter_mut().for_each(|location| location.invariant.clocks.clear());
    }
    let wrong = BoundsTable::new(&model, task.goal);
    let none = |clock| ClockBounds { clock, lower: -1, upper: -1 };
    task.bounds.mapped(|at, right| {
        let entries = at.map_or(wrong.everywhere(), |(process, l)| wrong.of(process, l));
        let found = entries.iter().find(|entry| entry.clock == right.clock);
        found.copied().unwrap_or(none(right.clock))
    })
}

/// The bounds for a goal without its deadlock part.
fn without_deadlock(task: &Task<'_>) -> BoundsTable {
    fn reduced(formula: &Formula) -> Formula {
        let all = |parts: &[Formula]| parts.iter().map(reduced).collect();
        match formula {
            Formula::Deadlock => Formula::truth(),
            Formula::Not(inner) => Formula::Not(Box::new(reduced(inner))),
            Formula::And(parts) => Formula::And(all(parts)),
            Formula::Or(parts) => Formula::Or(all(parts)),
            Formula::Data(_) | Formula::Clock(_) => formula.clone(),
        }
    }
    BoundsTable::new(task.seen, &reduced(task.goal))
}

/// The detection of a fault.
#[derive(Clone, Debug)]
pub struct Detection {
    /// The number of networks it took.
    pub models: u64,
    /// The wrong answer that revealed it.
    pub failure: Box<Failure>,
}

/// Examines the networks of the seeds from `first` on with an injected fault, until it is detected
/// or `budget` networks have been examined. The result is the same for any number of threads.
///
/// Faults inside zones and heuristics are switched on for the whole process while this runs.
#[must_use]
pub fn detect(fault: Fault, first: u64, budget: u64, threads: usize) -> Option<Detection> {
    let next = AtomicU64::new(0);
    let end = AtomicU64::new(budget);
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::SeqCst);
            if number >= end.load(Ordering::SeqCst) {
                return;
            }
            // Another thread may still detect the fault with an earlier network.
            if is_detected(fault, first.wrapping_add(number)) {
                end.fetch_min(number, Ordering::SeqCst);
            }
        }
    };
    fault.set_injected(true);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let number = end.into_inner();
    let seed = first.wrapping_add(number);
    let failure = (number < budget).then(|| fault.examine(seed).err());
    fault.set_injected(false);
    failure.flatten().map(|failure| Detection { models: number + 1, failure })
}

/// The number of networks, of the `models` seeds from `first` on, that detect a fault.
#[must_use]
pub fn survey(fault: Fault, first: u64, models: u64, threads: usize) -> u64 {
    let next = AtomicU64::new(0);
    let noticed = AtomicU64::new(0);
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::SeqCst);
            if number >= models {
                return;
            }
            let is_detected = is_detected(fault, first.wrapping_add(number));
            noticed.fetch_add(u64::from(is_detected), Ordering::SeqCst);
        }
    };
    fault.set_injected(true);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    fault.set_injected(false);
    noticed.into_inner()
}

fn is_detected(fault: Fault, seed: u64) -> bool {
    let mut tally = Tally::default();
    match fault.detector() {
        Detector::Programs => {
            let program = generate_program(fault.stratum(seed), seed);
            fault.program_examination(seed).examine_program(&program, &mut tally).is_err()
        }
        Detector::Networks => {
            let network = fault.theme().network(seed);
            fault.examination(seed).examine_specification(&network, &mut tally).is_err()
        }
        #[cfg(feature = "faults")]
        Detector::Runs => {
            crate::liveness::examine_specification(&varied(seed), seed, &mut tally).is_err()
        }
        #[cfg(feature = "faults")]
        Detector::Values => {
            crate::values::examine_specification(&varied(seed), seed, &mut tally).is_err()
        }
    }
}

// A fault inside zones is switched on for the whole process, and so for all tests that run
// meanwhile.
#[cfg(all(test, not(feature = "faults")))]
mod tests {
    use super::*;

    #[test]
    fn faults_outside_zones_are_detected_early() {
        for &(name, fault) in Fault::ALL {
            let caught = detect(fault, 0, 3000, 2);
            let models = caught.as_ref().map(|caught| caught.models);
            println!("{name}: {models:?}");
            assert!(caught.is_some(), "{name}");
        }
    }
}
