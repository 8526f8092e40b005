//! Orders of exploration without a heuristic.

use std::fmt;

/// An order in which states are explored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Order {
    /// Breadth first.
    #[default]
    BreadthFirst,
    /// Depth first.
    DepthFirst,
    /// Depth first, the successors of a state in random order.
    RandomDepthFirst,
}

impl Order {
    /// All orders.
    pub const ALL: [Self; 3] = [Self::BreadthFirst, Self::DepthFirst, Self::RandomDepthFirst];

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::BreadthFirst => "bfs",
            Self::DepthFirst => "dfs",
            Self::RandomDepthFirst => "rdfs",
        }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
