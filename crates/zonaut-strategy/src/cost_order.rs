//! Orders, estimates and beams of searches for cheapest runs.

/// An order of exploration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CostOrder {
    /// First in, first out.
    BreadthFirst,
    /// Last in, first out.
    DepthFirst,
    /// Last in, first out, with the successors of a state in random order.
    RandomDepthFirst(u64),
    /// The least cost: Dijkstra's order. No order that knows costs alone explores fewer states.
    LeastCost,
    /// The least sum of cost and estimate: A\*.
    LeastTotal,
    /// Last in, first out; of the successors of a state the one with the least weighted sum first.
    BestDepthFirst {
        /// How much the sum of cost and estimate counts.
        total: u32,
        /// How much the work counts that is left.
        work: u32,
    },
    /// The label of the author of the model: the least `heur`, or the greatest `priority`; of equals
    /// what was found first.
    Ranked,
    /// Last in, first out, with the successors of a state in the order of the author's label.
    RankedDepthFirst,
}

impl CostOrder {
    /// All orders, with seed 0 and the usual weights where they are needed.
    pub const ALL: [Self; 8] = [
        Self::BreadthFirst,
        Self::DepthFirst,
        Self::RandomDepthFirst(0),
        Self::LeastCost,
        Self::LeastTotal,
        Self::BestDepthFirst { total: 1, work: 0 },
        Self::Ranked,
        Self::RankedDepthFirst,
    ];

    /// The name that strategies use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::BreadthFirst => "bfs",
            Self::DepthFirst => "dfs",
            Self::RandomDepthFirst(_) => "rdfs",
            Self::LeastCost => "mc",
            Self::LeastTotal => "astar",
            Self::BestDepthFirst { .. } => "best-dfs",
            Self::Ranked => "heur",
            Self::RankedDepthFirst => "heur-dfs",
        }
    }

    /// The order of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|order| order.name() == name)
    }
}

/// The estimates of a search over zones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Estimates {
    /// The bounds that are proven for the model: the path of each process alone, and the stays that
    /// need a lock.
    pub automatic: bool,
    /// The label of its author, `remaining`.
    pub remaining: bool,
    /// The least cost in a smaller network: a search for each combination of locations and
    /// values.
    pub smaller: bool,
}

impl Estimates {
    /// None at all.
    pub const NONE: Self = Self { automatic: false, remaining: false, smaller: false };
    /// All that take little time.
    pub const ALL: Self = Self { automatic: true, remaining: true, smaller: false };
}

/// The widths of beams.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Beams {
    /// The width of the first one.
    pub width: usize,
    /// The factor from one width to the next.
    pub growth: usize,
    /// The greatest width; a complete search follows.
    pub widest: usize,
}

impl Default for Beams {
    fn default() -> Self {
        Self { width: 1, growth: 4, widest: 1 << 16 }
    }
}
