//! `zonaut generate`: prints models of built-in families.

use crate::arguments::GenerateArguments;
use std::io::{self, Write};
use std::path::Path;
use zonaut_console::{Console, Status, one_line, write_file};
use zonaut_engine::{DEFAULT_MAX_FILE_BYTES, read_bytes};
use zonaut_families::{DefaultValue, FAMILIES, Family, Generated, JobShop};

pub(crate) fn run(arguments: &GenerateArguments, console: &mut Console<'_>) -> io::Result<Status> {
    if arguments.list {
        list(console.out)?;
        return Ok(Status::Success);
    }
    let name = arguments.family.as_deref().unwrap_or_default();
    if name == JOB_SHOP {
        return job_shop(arguments, console);
    }
    let Some(family) = zonaut_families::find(name) else {
        let known = FAMILIES.iter().map(|family| family.name).chain([JOB_SHOP]);
        let known: Vec<&str> = known.collect();
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

/// The family whose instances are read from files.
const JOB_SHOP: &str = "jobshop";

/// Writes the model of a job shop instance.
fn job_shop(arguments: &GenerateArguments, console: &mut Console<'_>) -> io::Result<Status> {
    let [file] = arguments.parameters.as_slice() else {
        console.complain("error: `jobshop` takes one file");
        console.complain("  = help: zonaut generate jobshop FILE");
        return Ok(Status::WrongInput);
    };
    let bytes = match read_bytes(Path::new(file), DEFAULT_MAX_FILE_BYTES) {
        Ok(bytes) => bytes,
        Err(error) => {
            console.complain(&format!("error: {}", one_line(&error.to_string())));
            return Ok(Status::WrongInput);
        }
    };
    match JobShop::read(&String::from_utf8_lossy(&bytes)) {
        Ok(shop) => write(&shop.generate(), arguments, console),
        Err(error) => {
            console.complain(&format!("error: {}: {error}", one_line(file)));
            Ok(Status::WrongInput)
        }
    }
}

fn list(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{JOB_SHOP} FILE\n    a job shop in the common text format")?;
    for family in FAMILIES {
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
