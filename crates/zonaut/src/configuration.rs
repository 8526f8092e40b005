//! `zonaut.toml`: settings of the models in its folder and below.
//!
//! The nearest file above the model applies, and its settings become options of the command line
//! unless the user gives these options. So every setting has the meaning and the checks of its
//! option, and definitions enter the digest of the model as `--define` does. A file can choose
//! limits, strategy, definitions and queries; it names neither outputs nor commands.

use crate::arguments::{Arguments, Command};
use crate::search_arguments::TraceName;
use clap::parser::ValueSource;
use clap::{ArgMatches, FromArgMatches};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};
use zonaut_console::{most_similar, one_line};
use zonaut_engine::read_bytes;
use zonaut_lsp::FolderSettings;

/// The name of the file.
const FILE: &str = "zonaut.toml";
/// The largest file to read, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// The type of a setting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// Text, given to the option as it is.
    Text,
    /// An integer.
    Integer,
    /// A number with or without a fraction.
    Number,
    /// A path relative to the folder of the file.
    Path,
    /// A table from names to integers.
    Definitions,
}

/// A setting: its key, and the option that it stands for.
struct Setting {
    key: &'static str,
    /// The name of the argument in the command, which is also the long option.
    argument: &'static str,
    kind: Kind,
}

const SETTINGS: [Setting; 7] = [
    Setting { key: "strategy", argument: "strategy", kind: Kind::Text },
    Setting { key: "queries", argument: "queries", kind: Kind::Path },
    Setting { key: "time", argument: "time", kind: Kind::Number },
    Setting { key: "memory", argument: "memory", kind: Kind::Text },
    Setting { key: "states", argument: "states", kind: Kind::Integer },
    Setting { key: "seed", argument: "seed", kind: Kind::Integer },
    Setting { key: "define", argument: "define", kind: Kind::Definitions },
];

/// The commands that settings apply to.
const COMMANDS: [&str; 10] = [
    "verify", "optimize", "explore", "simulate", "serve", "race", "test", "check", "certify",
    "watch",
];

impl Setting {
    /// Whether the setting is an option of a command. Strategies of `optimize` are other ones.
    fn applies_to(&self, command: &clap::Command) -> bool {
        let has_option = command.get_arguments().any(|found| found.get_id() == self.argument);
        has_option && !(self.argument == "strategy" && command.get_name() == "optimize")
    }
}

/// A parsed command line.
pub(crate) struct CommandLine<'w> {
    /// The words, beginning with the name of the program.
    pub(crate) words: &'w [OsString],
    /// The name of the command.
    pub(crate) name: String,
    /// The arguments of the command, and where they come from.
    pub(crate) matches: ArgMatches,
}

/// The command with the settings of the file that applies, and a note about them; `None` if no
/// setting applies.
pub(crate) fn configured(line: &CommandLine<'_>) -> Result<Option<Configured>, String> {
    if !COMMANDS.contains(&line.name.as_str()) {
        return Ok(None);
    }
    let Some(file) = file_of(&line.matches)? else { return Ok(None) };
    let shown = one_line(&file.display().to_string());
    let bytes = read_bytes(&file, MAX_BYTES).map_err(|error| format!("{shown}: {error}"))?;
    let text = String::from_utf8(bytes).map_err(|_| format!("{shown}: this is not UTF-8"))?;
    let all = settings(&text, &file).map_err(|error| format!("{shown}{error}"))?;
    reparsed(&shown, &all, line)
}

/// A command with settings of a file.
pub(crate) struct Configured {
    pub(crate) command: Command,
    /// The file and its settings, for the user.
    pub(crate) note: String,
}

/// The settings of the file that applies to a model, for an editor: those of `zonaut verify`.
pub(crate) fn settings_of(model: &Path) -> Result<Option<FolderSettings>, String> {
    let words = ["zonaut".into(), "verify".into(), "--".into(), OsString::from(model)];
    let (_, line) = crate::parsed(&words).map_err(|error| error.to_string())?;
    let Some(Configured { command: Command::Verify(arguments), .. }) = configured(&line)? else {
        return Ok(None);
    };
    let search = &arguments.search;
    let mut options = search.options(TraceName::Some);
    let memory = search.memory.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
    options.resources.memory = memory;
    options.threads = search.default_threads();
    Ok(Some(FolderSettings { defines: arguments.input.define.clone(), options }))
}

/// A setting of a file: the words that it adds to the command line.
struct Chosen {
    setting: &'static Setting,
    /// The values, each for one occurrence of the option.
    values: Vec<OsString>,
}

/// The file that applies to the models of a command line.
fn file_of(matches: &ArgMatches) -> Result<Option<PathBuf>, String> {
    let one = matches.try_get_one::<PathBuf>("model").ok().flatten().into_iter();
    let several = matches.try_get_many::<PathBuf>("models").ok().flatten().into_iter().flatten();
    let files: BTreeSet<Option<PathBuf>> = one.chain(several).map(|path| nearest(path)).collect();
    let mut files = files.into_iter();
    match (files.next(), files.next()) {
        (Some(Some(one)), Some(Some(other))) => Err(format!(
            "the models have different settings: {} and {}; give them one by one",
            one_line(&one.display().to_string()),
            one_line(&other.display().to_string())
        )),
        (Some(None), Some(Some(one))) => Err(format!(
            "{} applies to some of the models only; give them one by one",
            one_line(&one.display().to_string())
        )),
        (first, _) => Ok(first.flatten()),
    }
}

/// The nearest file above a model, or in a folder and above it; `None` for standard input.
fn nearest(model: &Path) -> Option<PathBuf> {
    if model == Path::new("-") {
        return None;
    }
    let path = std::path::absolute(model).ok()?;
    let skipped = usize::from(!path.is_dir());
    let mut files = path.ancestors().skip(skipped).map(|folder| folder.join(FILE));
    let found = files.find(|file| file.is_file())?;
    // A file below the working folder is shown relative to it.
    let here = std::env::current_dir().unwrap_or_default();
    Some(found.strip_prefix(here).map(Path::to_owned).unwrap_or(found))
}

/// The settings in the text of a file. The error begins with a position.
fn settings(text: &str, file: &Path) -> Result<Vec<Chosen>, String> {
    let at = |start: usize, message: String| {
        let before = text.get(..start).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
        format!(":{line}:{column}: {message}")
    };
    let table = DeTable::parse(text).map_err(|error| {
        at(error.span().map_or(0, |span| span.start), error.message().to_owned())
    })?;
    let mut all = Vec::new();
    for (key, value) in table.get_ref() {
        let name: &str = key.get_ref();
        let Some(setting) = SETTINGS.iter().find(|setting| setting.key == name) else {
            let similar = most_similar(name, SETTINGS.iter().map(|setting| setting.key));
            let help = match similar {
                Some(similar) => format!("did you mean `{similar}`?"),
                None => format!("the keys are {}", SETTINGS.map(|setting| setting.key).join(", ")),
            };
            let name = one_line(name);
            return Err(at(key.span().start, format!("unknown key `{name}`; {help}")));
        };
        let values = values(setting.kind, value.get_ref(), file);
        let wrong = |expected| at(value.span().start, format!("`{name}` takes {expected}"));
        all.push(Chosen { setting, values: values.map_err(wrong)? });
    }
    Ok(all)
}

/// The values of an option for the value of a setting; the error names what it takes.
fn values(kind: Kind, value: &DeValue<'_>, file: &Path) -> Result<Vec<OsString>, &'static str> {
    let integer = |value: &DeValue<'_>| match value {
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).ok(),
        _ => None,
    };
    let one = match (kind, value) {
        (Kind::Text, DeValue::String(text)) => OsString::from(text.as_ref()),
        (Kind::Text, _) => return Err("text in quotation marks"),
        (Kind::Path, DeValue::String(path)) => file.with_file_name(path.as_ref()).into(),
        (Kind::Path, _) => return Err("a path in quotation marks"),
        (Kind::Number, DeValue::Float(number)) => number.as_str().into(),
        (Kind::Number, _) => integer(value).ok_or("a number")?.to_string().into(),
        (Kind::Integer, _) => integer(value).ok_or("an integer")?.to_string().into(),
        (Kind::Definitions, DeValue::Table(table)) => {
            let defined = table.iter().map(|(name, value)| {
                let number =
                    integer(value.get_ref()).ok_or("integers by the names of constants")?;
                Ok(format!("{}={number}", name.get_ref()).into())
            });
            return defined.collect();
        }
        (Kind::Definitions, _) => return Err("a table from names of constants to integers"),
    };
    Ok(vec![one])
}

/// The command with these settings of the file `shown`, if one of them applies.
fn reparsed(
    shown: &str,
    all: &[Chosen],
    line: &CommandLine<'_>,
) -> Result<Option<Configured>, String> {
    let CommandLine { words, name, matches } = line;
    let program = Arguments::with_all_commands();
    let Some(command) = program.find_subcommand(name) else { return Ok(None) };
    let (mut options, mut last, mut applied) = (Vec::new(), Vec::new(), Vec::new());
    for Chosen { setting, values } in all {
        let values = left_by_user(setting, values, matches);
        if values.is_empty() || !setting.applies_to(command) {
            continue;
        }
        applied.push(format!("`{}`", setting.key));
        let argument = command.get_arguments().find(|found| found.get_id() == setting.argument);
        for value in values {
            if argument.is_some_and(clap::Arg::is_positional) {
                last.push(value.clone());
            } else {
                let mut word = OsString::from(format!("--{}=", setting.argument));
                word.push(value);
                options.push(word);
            }
        }
    }
    if applied.is_empty() {
        return Ok(None);
    }
    let after =
        words.iter().position(|word| word == name.as_str()).map_or(words.len(), |at| at + 1);
    let (before, rest) = words.split_at(after);
    let all = [before, &options, rest, &last].concat();
    let wrong = |error: clap::Error| {
        let message = error.to_string();
        let first = message.lines().next().unwrap_or_default();
        format!("{shown}: {}", first.strip_prefix("error: ").unwrap_or(first))
    };
    let matches = program.try_get_matches_from(all).map_err(wrong)?;
    let arguments = Arguments::from_arg_matches(&matches).map_err(wrong)?;
    let note = format!("note: {shown} sets {}", applied.join(", "));
    Ok(Some(Configured { command: arguments.command, note }))
}

/// The values of a setting that the command line does not have itself.
fn left_by_user<'v>(
    setting: &Setting,
    values: &'v [OsString],
    matches: &ArgMatches,
) -> Vec<&'v OsString> {
    let is_given = |id: &str| {
        matches.try_contains_id(id).is_ok()
            && matches.value_source(id) == Some(ValueSource::CommandLine)
    };
    if setting.kind == Kind::Definitions {
        let given = matches.try_get_many::<(String, i64)>(setting.argument).ok().flatten();
        let given: Vec<&String> = given.into_iter().flatten().map(|(name, _)| name).collect();
        let is_free = |value: &&OsString| {
            let text = value.to_string_lossy();
            given.iter().all(|name| text.split('=').next() != Some(name.as_str()))
        };
        return values.iter().filter(is_free).collect();
    }
    // A formula of the command line is a query, too.
    let has_formulas = is_given("formulas") || is_given("formula");
    match is_given(setting.argument) || (setting.kind == Kind::Path && has_formulas) {
        true => Vec::new(),
        false => values.iter().collect(),
    }
}
