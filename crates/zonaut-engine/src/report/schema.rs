//! JSON schemas of records.

/// A schema with the name of the output that it describes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Schema {
    /// Its name.
    pub name: &'static str,
    /// A description of the output, as the command line prints it.
    pub describes: &'static str,
    /// The schema, as JSON.
    pub text: &'static str,
}

/// The schemas of the records of this crate.
pub const SCHEMAS: [Schema; 5] = [
    Schema {
        name: "verify",
        describes: "a line of `zonaut verify --json`",
        text: include_str!("../../schema/verify.json"),
    },
    Schema {
        name: "explore",
        describes: "the object of `zonaut explore --json`",
        text: include_str!("../../schema/explore.json"),
    },
    Schema {
        name: "check",
        describes: "the object of `zonaut check --json`",
        text: include_str!("../../schema/check.json"),
    },
    Schema {
        name: "trace",
        describes: "a run, as part of other outputs and as `zonaut simulate` saves it",
        text: include_str!("../../schema/trace.json"),
    },
    Schema {
        name: "optimize",
        describes: "a line of `zonaut optimize --json`",
        text: include_str!("../../schema/optimize.json"),
    },
];
