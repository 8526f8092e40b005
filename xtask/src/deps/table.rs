//! The dependency table: the allowed dependencies of each crate.
//!
//! `docs/ARCHITECTURE.md` shows it; `cargo xtask deps --update` writes it there. A crate without a
//! rule cannot join the workspace.

/// The allowed dependencies of one crate.
#[derive(Debug)]
pub(super) struct Rule {
    /// The crate.
    pub(super) name: &'static str,
    /// The crates of this workspace that it may use.
    pub(super) internal: Internal,
    /// The external crates that it may use.
    pub(super) external: External,
}

/// A set of crates of the workspace.
#[derive(Debug)]
pub(super) enum Internal {
    /// These and no others.
    Only(&'static [&'static str]),
    /// Any library of the product: neither a program nor a development crate.
    AnyLibrary,
    /// Any crate at all.
    Any,
}

/// A set of external crates.
#[derive(Debug, PartialEq)]
pub(super) enum External {
    /// The standard library alone.
    None,
    /// Libraries, except for those that use terminals or parse arguments.
    Libraries,
    /// Anything.
    Any,
}

/// Crates that are not libraries of the product: programs and development crates.
pub(super) const NOT_LIBRARIES: &[&str] = &[
    "zonaut-certification",
    "zonaut-console",
    "zonaut-bench",
    "zonaut-verifyta",
    "zonaut-serve",
    "zonaut-lsp",
    "zonaut",
    "zonaut-python",
    "zonaut-oracle",
    "zonaut-testkit",
    "xtask",
];

/// Crates that the tests of every crate may use: the test kit, and the pipeline from text to zone
/// graph and runs.
pub(super) const TEST_SUPPORT: &[&str] = &[
    "zonaut-testkit",
    "zonaut-oracle",
    "zonaut-base",
    "zonaut-syntax",
    "zonaut-lower",
    "zonaut-model",
    "zonaut-printer",
    "zonaut-compile",
    "zonaut-zonegraph",
    "zonaut-concrete",
    "zonaut-families",
];

/// External crates for terminals, arguments and networks; only the command line and the console may
/// use them.
pub(super) const OUTWARD: &[&str] = &[
    "clap",
    "clap_complete",
    "clap_mangen",
    "console",
    "ctrlc",
    "indicatif",
    "lexopt",
    "mimalloc",
    "signal-hook",
];

const fn library(name: &'static str, internal: &'static [&'static str]) -> Rule {
    Rule { name, internal: Internal::Only(internal), external: External::Libraries }
}

const fn std_only(name: &'static str, internal: &'static [&'static str]) -> Rule {
    Rule { name, internal: Internal::Only(internal), external: External::None }
}

/// One rule per crate, in the order of the data flow.
pub(super) const TABLE: &[Rule] = &[
    std_only("zonaut-base", &[]),
    std_only("zonaut-dbm", &["zonaut-base"]),
    std_only("zonaut-space", &["zonaut-base"]),
    std_only("zonaut-families", &[]),
    std_only("zonaut-strategy", &[]),
    library("zonaut-syntax", &["zonaut-base"]),
    library("zonaut-model", &["zonaut-base"]),
    library("zonaut-lower", &["zonaut-syntax", "zonaut-model", "zonaut-base"]),
    library("zonaut-analysis", &["zonaut-model", "zonaut-base"]),
    library("zonaut-printer", &["zonaut-analysis", "zonaut-model", "zonaut-base"]),
    library("zonaut-compile", &["zonaut-analysis", "zonaut-model", "zonaut-dbm", "zonaut-base"]),
    library("zonaut-discrete", &["zonaut-compile", "zonaut-model", "zonaut-base"]),
    library(
        "zonaut-sampling",
        &["zonaut-discrete", "zonaut-compile", "zonaut-model", "zonaut-base"],
    ),
    library(
        "zonaut-zonegraph",
        &[
            "zonaut-discrete",
            "zonaut-analysis",
            "zonaut-compile",
            "zonaut-model",
            "zonaut-dbm",
            "zonaut-space",
            "zonaut-base",
        ],
    ),
    library(
        "zonaut-concrete",
        &[
            "zonaut-zonegraph",
            "zonaut-discrete",
            "zonaut-compile",
            "zonaut-model",
            "zonaut-dbm",
            "zonaut-space",
            "zonaut-base",
        ],
    ),
    library(
        "zonaut-symmetry",
        &[
            "zonaut-zonegraph",
            "zonaut-compile",
            "zonaut-analysis",
            "zonaut-model",
            "zonaut-dbm",
            "zonaut-space",
            "zonaut-base",
        ],
    ),
    library("zonaut-search", &["zonaut-space", "zonaut-strategy", "zonaut-base"]),
    library(
        "zonaut-heuristics",
        &["zonaut-space", "zonaut-strategy", "zonaut-analysis", "zonaut-model", "zonaut-base"],
    ),
    library(
        "zonaut-merge",
        &["zonaut-heuristics", "zonaut-space", "zonaut-analysis", "zonaut-model", "zonaut-base"],
    ),
    library(
        "zonaut-pdb",
        &[
            "zonaut-space",
            "zonaut-strategy",
            "zonaut-analysis",
            "zonaut-search",
            "zonaut-compile",
            "zonaut-zonegraph",
            "zonaut-heuristics",
            "zonaut-dbm",
            "zonaut-model",
            "zonaut-base",
        ],
    ),
    library(
        "zonaut-predicates",
        &[
            "zonaut-space",
            "zonaut-analysis",
            "zonaut-pdb",
            "zonaut-compile",
            "zonaut-zonegraph",
            "zonaut-dbm",
            "zonaut-model",
            "zonaut-base",
        ],
    ),
    library(
        "zonaut-lazy",
        &[
            "zonaut-space",
            "zonaut-strategy",
            "zonaut-analysis",
            "zonaut-search",
            "zonaut-zonegraph",
            "zonaut-discrete",
            "zonaut-dbm",
            "zonaut-compile",
            "zonaut-model",
            "zonaut-base",
        ],
    ),
    library(
        "zonaut-cost",
        &[
            "zonaut-space",
            "zonaut-strategy",
            "zonaut-analysis",
            "zonaut-search",
            "zonaut-zonegraph",
            "zonaut-dbm",
            "zonaut-heuristics",
            "zonaut-pdb",
            "zonaut-concrete",
            "zonaut-compile",
            "zonaut-model",
            "zonaut-base",
        ],
    ),
    library(
        "zonaut-scheduling",
        &[
            "zonaut-space",
            "zonaut-strategy",
            "zonaut-analysis",
            "zonaut-search",
            "zonaut-zonegraph",
            "zonaut-cost",
            "zonaut-compile",
            "zonaut-model",
            "zonaut-base",
        ],
    ),
    library(
        "zonaut-priced",
        &[
            "zonaut-space",
            "zonaut-strategy",
            "zonaut-search",
            "zonaut-symmetry",
            "zonaut-zonegraph",
            "zonaut-cost",
            "zonaut-concrete",
            "zonaut-dbm",
            "zonaut-compile",
            "zonaut-analysis",
            "zonaut-model",
            "zonaut-base",
        ],
    ),
    library(
        "zonaut-liveness",
        &[
            "zonaut-space",
            "zonaut-search",
            "zonaut-zonegraph",
            "zonaut-compile",
            "zonaut-dbm",
            "zonaut-model",
            "zonaut-base",
        ],
    ),
    library(
        "zonaut-evidence",
        &[
            "zonaut-space",
            "zonaut-lazy",
            "zonaut-liveness",
            "zonaut-concrete",
            "zonaut-search",
            "zonaut-zonegraph",
            "zonaut-compile",
            "zonaut-dbm",
            "zonaut-model",
            "zonaut-base",
        ],
    ),
    library(
        "zonaut-portfolio",
        &[
            "zonaut-symmetry",
            "zonaut-strategy",
            "zonaut-lazy",
            "zonaut-predicates",
            "zonaut-merge",
            "zonaut-pdb",
            "zonaut-heuristics",
            "zonaut-search",
            "zonaut-zonegraph",
            "zonaut-compile",
            "zonaut-dbm",
            "zonaut-model",
            "zonaut-space",
            "zonaut-base",
        ],
    ),
    std_only("zonaut-certify", &[]),
    library(
        "zonaut-trace",
        &[
            "zonaut-space",
            "zonaut-concrete",
            "zonaut-zonegraph",
            "zonaut-compile",
            "zonaut-dbm",
            "zonaut-syntax",
            "zonaut-model",
            "zonaut-base",
        ],
    ),
    library("zonaut-draw", &["zonaut-trace", "zonaut-dbm", "zonaut-syntax", "zonaut-base"]),
    library(
        "zonaut-report",
        &[
            "zonaut-draw",
            "zonaut-trace",
            "zonaut-dbm",
            "zonaut-syntax",
            "zonaut-model",
            "zonaut-base",
        ],
    ),
    Rule { name: "zonaut-engine", internal: Internal::AnyLibrary, external: External::Libraries },
    library("zonaut-cluster", &["zonaut-base", "zonaut-search"]),
    library("zonaut-certification", &["zonaut-engine", "zonaut-certify"]),
    library(
        "zonaut-serve",
        &[
            "zonaut-engine",
            "zonaut-certification",
            "zonaut-report",
            "zonaut-draw",
            "zonaut-trace",
            "zonaut-syntax",
            "zonaut-dbm",
            "zonaut-base",
        ],
    ),
    library(
        "zonaut-lsp",
        &["zonaut-engine", "zonaut-draw", "zonaut-trace", "zonaut-syntax", "zonaut-base"],
    ),
    Rule {
        name: "zonaut-console",
        internal: Internal::Only(&["zonaut-engine", "zonaut-base"]),
        external: External::Any,
    },
    library("zonaut-bench", &["zonaut-console", "zonaut-families"]),
    library("zonaut-verifyta", &["zonaut-console", "zonaut-engine", "zonaut-trace"]),
    Rule {
        name: "zonaut",
        internal: Internal::Only(&[
            "zonaut-console",
            "zonaut-bench",
            "zonaut-verifyta",
            "zonaut-engine",
            "zonaut-trace",
            "zonaut-draw",
            "zonaut-report",
            "zonaut-serve",
            "zonaut-lsp",
            "zonaut-certification",
            "zonaut-certify",
            "zonaut-cluster",
            "zonaut-families",
        ]),
        external: External::Any,
    },
    Rule {
        name: "zonaut-python",
        internal: Internal::Only(&[
            "zonaut",
            "zonaut-certification",
            "zonaut-console",
            "zonaut-dbm",
            "zonaut-draw",
            "zonaut-engine",
            "zonaut-trace",
        ]),
        external: External::Libraries,
    },
    library("zonaut-oracle", &["zonaut-lower", "zonaut-syntax", "zonaut-model", "zonaut-base"]),
    Rule { name: "zonaut-testkit", internal: Internal::Any, external: External::Any },
    Rule { name: "xtask", internal: Internal::Any, external: External::Any },
];
