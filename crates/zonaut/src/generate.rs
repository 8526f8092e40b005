//! `zonaut generate`: prints models of built-in families.

use crate::arguments::GenerateArguments;
use std::io::{self, Write};
use std::path::Path;
use zonaut_console::{Console, Status, one_line, write_file};
use zonaut_engine::{DEFAULT_MAX_FILE_BYTES, read_bytes};
use zonaut_families::{
    AircraftLanding, DefaultValue, FAMILIES, Family, Generated, JobShop, RANDOM_FAMILIES,
};

pub(crate) fn run(arguments: &GenerateArguments, console: &mut Console<'_>) -> io::Result<Status> {
    if arguments.list {
        list(console.out)?;
        return Ok(Status::Success);
    }
    let name = arguments.family.as_deref().unwrap_or_default();
    match name {
        JOB_SHOP => return job_shop(arguments, console),
        AIRCRAFT_LANDING => return aircraft_landing(arguments, console),
        _ => {}
    }
    let Some(family) = zonaut_families::find(name) else {
        let known = FAMILIES.iter().chain(RANDOM_FAMILIES).map(|family| family.name);
        let known: Vec<&str> = known.chain([JOB_SHOP, AIRCRAFT_LANDING]).collect();
        let name = one_line(name);
        console.complain(&format!("error: unknown family `{name}`"));
        console.complain(&format!("  = help: available: {}", known.join(", ")));
        return Ok(Status::WrongInput);
    };
    let generated = match family.generate_from_words(&arguments.parameters) {
        Ok(generated) => generated,
        Err(error) => {
            console.complain(&format!("error: {}", one_line(&error.to_string())));
            console.complain(&format!("  = help: zonaut generate {}", family.usage()));
            return Ok(Status::WrongInput);
        }
    };
    write(&generated, arguments, console)
}

fn write(
    generated: &Generated,
    arguments: &GenerateArguments,
    console: &mut Console<'_>,
) -> io::Result<Status> {
    match &arguments.output {
        None => {
            console.out.write_all(generated.text().as_bytes())?;
            Ok(Status::Success)
        }
        Some(path) => Ok(write_file(path, &generated.text(), console)),
    }
}

/// The families whose instances are read from files.
const JOB_SHOP: &str = "jobshop";
const AIRCRAFT_LANDING: &str = "airland";

/// Writes the model of a job shop instance.
fn job_shop(arguments: &GenerateArguments, console: &mut Console<'_>) -> io::Result<Status> {
    let [file] = arguments.parameters.as_slice() else {
        console.complain("error: `jobshop` takes one file");
        console.complain("  = help: zonaut generate jobshop FILE");
        return Ok(Status::WrongInput);
    };
    let text = match instance(file, console) {
        Ok(text) => text,
        Err(status) => return Ok(status),
    };
    match JobShop::read(&text) {
        Ok(shop) => write(&shop.generate(), arguments, console),
        Err(error) => Ok(refuse(file, &error.to_string(), console)),
    }
}

/// Writes the model of an aircraft landing instance.
fn aircraft_landing(
    arguments: &GenerateArguments,
    console: &mut Console<'_>,
) -> io::Result<Status> {
    let parameters = match arguments.parameters.as_slice() {
        [file, runways] => runways.parse().ok().map(|runways| (file, runways)),
        _ => None,
    };
    let Some((file, runways)) = parameters else {
        console.complain("error: `airland` takes a file and the number of runways");
        console.complain("  = help: zonaut generate airland FILE RUNWAYS");
        return Ok(Status::WrongInput);
    };
    let text = match instance(file, console) {
        Ok(text) => text,
        Err(status) => return Ok(status),
    };
    match AircraftLanding::read(&text, runways) {
        Ok(problem) => write(&problem.generate(), arguments, console),
        Err(error) => Ok(refuse(file, &error.to_string(), console)),
    }
}

/// The text of an instance file; if it cannot be read, that is reported.
fn instance(file: &str, console: &mut Console<'_>) -> Result<String, Status> {
    match read_bytes(Path::new(file), DEFAULT_MAX_FILE_BYTES) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) => Err(refuse(file, &error.to_string(), console)),
    }
}

/// Reports an instance file that violates its format.
fn refuse(file: &str, problem: &str, console: &mut Console<'_>) -> Status {
    console.complain(&format!("error: {}: {}", one_line(file), one_line(problem)));
    Status::WrongInput
}

fn list(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{JOB_SHOP} FILE\n    a job shop in the common text format")?;
    let landing = "aircraft landing with penalties, in the format of the OR-Library";
    writeln!(out, "{AIRCRAFT_LANDING} FILE RUNWAYS\n    {landing}")?;
    for family in FAMILIES.iter().chain(RANDOM_FAMILIES) {
        writeln!(out, "{}\n    {}", family.usage(), family.summary)?;
        for parameter in family.parameters {
            let default = match parameter.default {
                DefaultValue::Fixed(value) => value.to_string(),
                DefaultValue::TimesFirst(factor) => format!("{factor}*{}", first_name(family)),
            };
            writeln!(out, "    {} = {default}: {}", parameter.name, parameter.meaning)?;
        }
    }
    Ok(())
}

fn first_name(family: &Family) -> &'static str {
    family.parameters.first().map_or("", |parameter| parameter.name)
}
