//! `zonaut generate`: members of families of models.

use crate::arguments::GenerateArguments;
use std::io::{self, Write};
use zonaut_console::{Console, Status, one_line, write_file};
use zonaut_families::{DefaultValue, FAMILIES, Family};

pub(crate) fn run(arguments: &GenerateArguments, console: &mut Console<'_>) -> io::Result<Status> {
    if arguments.list {
        list(console.out)?;
        return Ok(Status::Success);
    }
    let name = arguments.family.as_deref().unwrap_or_default();
    let Some(family) = zonaut_families::find(name) else {
        let known: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
        let name = one_line(name);
        console.complain(&format!("error: there is no family `{name}`"));
        console.complain(&format!("  = help: the families are {}", known.join(", ")));
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
    match &arguments.output {
        None => {
            console.out.write_all(generated.text().as_bytes())?;
            Ok(Status::Success)
        }
        Some(path) => Ok(write_file(path, &generated.text(), console)),
    }
}

fn list(out: &mut dyn Write) -> io::Result<()> {
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
