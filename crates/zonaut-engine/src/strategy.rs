//! How to search: the order, and what it is called.

use std::fmt;
use std::str::FromStr;

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

/// A name that no strategy has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownStrategy(pub String);

impl fmt::Display for UnknownStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no strategy `{}`; choose one of bfs, dfs, rdfs", self.0)
    }
}

impl std::error::Error for UnknownStrategy {}

impl FromStr for Order {
    type Err = UnknownStrategy;

    fn from_str(name: &str) -> Result<Self, UnknownStrategy> {
        let found = Self::ALL.into_iter().find(|order| order.name() == name.trim());
        found.ok_or_else(|| UnknownStrategy(name.to_owned()))
    }
}
