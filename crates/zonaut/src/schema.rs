//! `zonaut schema`: what programs may rely on in our JSON outputs.

use clap::Args;
use std::io;
use zonaut_console::{Console, Status, one_line};

/// A schema with the name of the output that it describes.
struct Schema {
    name: &'static str,
    describes: &'static str,
    text: &'static str,
}

const SCHEMAS: [Schema; 8] = [
    Schema {
        name: "verify",
        describes: "a line of `zonaut verify --json`",
        text: include_str!("../../../docs/schema/verify.json"),
    },
    Schema {
        name: "test",
        describes: "a line of `zonaut test --json`",
        text: include_str!("../../../docs/schema/test.json"),
    },
    Schema {
        name: "explore",
        describes: "the object of `zonaut explore --json`",
        text: include_str!("../../../docs/schema/explore.json"),
    },
    Schema {
        name: "check",
        describes: "the object of `zonaut check --json`",
        text: include_str!("../../../docs/schema/check.json"),
    },
    Schema {
        name: "certify",
        describes: "the object of `zonaut certify --json`",
        text: include_str!("../../../docs/schema/certify.json"),
    },
    Schema {
        name: "bench",
        describes: "a line of `zonaut bench --format json`",
        text: include_str!("../../../docs/schema/bench.json"),
    },
    Schema {
        name: "strategies",
        describes: "a line of `zonaut strategies --json`",
        text: include_str!("../../../docs/schema/strategies.json"),
    },
    Schema {
        name: "trace",
        describes: "a run, as part of other outputs and as `zonaut simulate` saves it",
        text: include_str!("../../../docs/schema/trace.json"),
    },
];

/// Print the JSON schema of an output.
///
/// Fields may be added to outputs; those that a schema names stay.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut schema
  zonaut schema verify > verify.json")]
pub(crate) struct SchemaArguments {
    /// The output; without it, the names are listed.
    name: Option<String>,
}

pub(crate) fn run(arguments: &SchemaArguments, console: &mut Console<'_>) -> io::Result<Status> {
    let Some(name) = &arguments.name else {
        for schema in &SCHEMAS {
            writeln!(console.out, "{:<12} {}", schema.name, schema.describes)?;
        }
        return Ok(Status::Success);
    };
    match SCHEMAS.iter().find(|schema| schema.name == name) {
        Some(schema) => {
            console.out.write_all(schema.text.as_bytes())?;
            Ok(Status::Success)
        }
        None => {
            let known: Vec<&str> = SCHEMAS.iter().map(|schema| schema.name).collect();
            console.complain(&format!("error: there is no schema `{}`", one_line(name)));
            console.complain(&format!("  = help: the schemas are {}", known.join(", ")));
            Ok(Status::WrongInput)
        }
    }
}
