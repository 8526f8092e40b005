//! Generators of scalable families of timed-automata models.
//!
//! Classic protocols and puzzles of the literature, written for Zonaut as XTA text with named
//! constants, together with queries. They serve as examples, tests and benchmarks: the members of a
//! family (all but `arbiter-tree` and `fireflies`) have state spaces that are isomorphic to those
//! of the model of the same name and size among TChecker's examples, so that the numbers of states
//! of the two tools can be compared. The variants of Fischer's protocol and the Towers of Hanoi
//! serve as benchmarks for heuristic search: their error states are reachable. The bridge, the
//! steel plant and the Biphase Mark protocol serve as scheduling benchmarks.
//!
//! Generating is a pure function: the same arguments give the same text.
//!
//! ```
//! let fischer = zonaut_families::find("fischer").expect("a family that exists");
//! let generated = fischer.generate(&[8])?;
//! assert!(generated.model.contains("const int N = 8;"));
//! # Ok::<(), zonaut_families::ArgumentError>(())
//! ```

mod aircraft_landing;
mod arbiter_tree;
mod arguments;
mod biphase;
mod bridge;
mod critical_region;
mod csmacd;
mod dining_philosophers;
mod family;
mod fddi;
mod fireflies;
mod fischer;
mod fischer_variants;
mod hanoi;
mod job_shop;
mod leader_election;
mod model_text;
mod parallel;
mod random_shop;
mod sidmar;
mod split_mix;
mod train_gate;
mod workshop;

pub use aircraft_landing::{Aircraft, AircraftLanding, AircraftLandingError};
pub use arguments::ArgumentError;
pub use family::{DefaultValue, Family, Generated, Parameter};
pub use job_shop::{JobShop, JobShopError, Operation};
pub use workshop::{CrewShop, NoWaitShop, OpenShop, SetupShop, WindowShop};

/// All families, in the order in which help texts list them.
pub static FAMILIES: &[Family] = &[
    fischer::FAMILY,
    csmacd::FAMILY,
    fddi::FAMILY,
    critical_region::FAMILY,
    train_gate::FAMILY,
    leader_election::FAMILY,
    arbiter_tree::FAMILY,
    parallel::FAMILY,
    dining_philosophers::FAMILY,
    fireflies::FAMILY,
    fischer_variants::FISCHER_A,
    fischer_variants::FISCHER_B,
    fischer_variants::FISCHER_C,
    hanoi::FAMILY,
    bridge::FAMILY,
    sidmar::FAMILY,
    biphase::FAMILY,
];

/// Families of random models: their processes depend on the arguments, too.
pub static RANDOM_FAMILIES: &[Family] = random_shop::FAMILIES;

/// The family called `name`.
pub fn find(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().chain(RANDOM_FAMILIES).find(|family| family.name == name)
}
