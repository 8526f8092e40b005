//! `zonaut schema`: JSON schemas of outputs.

use clap::Args;
use std::io;
use zonaut_console::{Console, Status, one_line};
use zonaut_engine::report::{SCHEMAS, Schema};

/// The schemas of outputs of the command line itself.
const OWN: [Schema; 4] = [
    Schema {
        name: "test",
        describes: "a line of `zonaut test --json`",
        text: include_str!("../schema/test.json"),
    },
    Schema {
        name: "certify",
        describes: "the object of `zonaut certify --json`",
        text: include_str!("../schema/certify.json"),
    },
    Schema {
        name: "bench",
        describes: "a line of `zonaut bench --format json`",
        text: include_str!("../schema/bench.json"),
    },
    Schema {
        name: "strategies",
        describes: "a line of `zonaut strategies --json`",
        text: include_str!("../schema/strategies.json"),
    },
];

fn schemas() -> impl Iterator<Item = &'static Schema> {
    SCHEMAS.iter().chain(&OWN)
}

/// Print the JSON schema of an output.
///
/// Fields may be added to outputs; those that a schema names stay.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut schema
  zonaut schema verify > verify.json")]
pub(crate) struct SchemaArguments {
    /// The name of the output; by default, list the names.
    name: Option<String>,
}

pub(crate) fn run(arguments: &SchemaArguments, console: &mut Console<'_>) -> io::Result<Status> {
    let Some(name) = &arguments.name else {
        for schema in schemas() {
            writeln!(console.out, "{:<12} {}", schema.name, schema.describes)?;
        }
        return Ok(Status::Success);
    };
    match schemas().find(|schema| schema.name == name) {
        Some(schema) => {
            console.out.write_all(schema.text.as_bytes())?;
            Ok(Status::Success)
        }
        None => {
            let known: Vec<&str> = schemas().map(|schema| schema.name).collect();
            console.complain(&format!("error: unknown schema `{}`", one_line(name)));
            console.complain(&format!("  = help: available: {}", known.join(", ")));
            Ok(Status::WrongInput)
        }
    }
}
