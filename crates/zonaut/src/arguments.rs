//! The arguments of every command.

use crate::bench::TableFormatName;
use crate::certification::CertifyName;
use crate::charts::ChartArguments;
use crate::completions::CompletionsArguments;
use crate::expectations::TestArguments;
use crate::limits::LimitArguments;
use crate::manual::ManualArguments;
use crate::race::RaceArguments;
use crate::schema::SchemaArguments;
use crate::search_arguments::{SearchArguments, TraceName, seconds};
use crate::serve::ServeArguments;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use zonaut_console::{Console, parse_size};
use zonaut_engine::Combination;
use zonaut_engine::strategy::CostStrategy;

/// A model checker for networks of timed automata.
#[derive(Parser, Debug)]
#[command(
    name = "zonaut",
    version,
    propagate_version = false,
    after_help = "\
Models are read in UPPAAL's XML and XTA, current and 3.x.

Exit codes: 0 every query satisfied or work done, 1 some query not satisfied, 2 wrong input or
usage, 3 undecided, 4 a bug in Zonaut or a rejected certificate, 5 the model failed at run time."
)]
pub(crate) struct Arguments {
    /// Whether colours are used; by default on terminals, unless NO_COLOR is set.
    #[arg(long, visible_alias = "colour", global = true, value_enum, default_value_t)]
    #[arg(value_name = "WHEN", display_order = 1000)]
    pub(crate) color: ColourName,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// When colours are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum ColourName {
    /// On terminals, unless the environment has NO_COLOR.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl ColourName {
    /// Uses colours as the user wants them.
    pub(crate) fn apply(self, console: &mut Console<'_>) {
        let wanted = match self {
            Self::Auto => return,
            Self::Always => true,
            Self::Never => false,
        };
        (console.colour, console.colours_results) = (wanted, wanted);
    }
}

/// What to do.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    Verify(VerifyArguments),
    Optimize(OptimizeArguments),
    Race(RaceArguments),
    Test(TestArguments),
    Explore(ExploreArguments),
    Simulate(SimulateArguments),
    Serve(ServeArguments),
    Bench(BenchArguments),
    Check(CheckArguments),
    Convert(ConvertArguments),
    Abstract(AbstractArguments),
    Generate(GenerateArguments),
    Strategies(StrategiesArguments),
    Certify(CertifyArguments),
    Selftest(SelftestArguments),
    Verifyta(VerifytaArguments),
    Schema(SchemaArguments),
    Completions(CompletionsArguments),
    Manual(ManualArguments),
    #[command(hide = true)]
    CheckCertificate(CheckCertificateArguments),
}

/// List what can be written after `--strategy`: searches, guides, how guides are combined, and what
/// `zonaut optimize` understands.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut strategies
  zonaut verify model.xml --strategy 'astar(hl)' --trace some
  zonaut verify model.xml --strategy 'greedy(max(hu, du), ties=fifo)'
  zonaut optimize shop.xta --strategy 'astar(rem(auto))'")]
pub(crate) struct StrategiesArguments {
    /// Print one JSON object for each part instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the tables of docs/STRATEGIES.md.
    #[arg(long, conflicts_with = "json", hide = true)]
    pub(crate) markdown: bool,
}

/// Answer queries about a model.
///
/// With several queries the exit code is the first that occurs of 4, 5, 2, 3, 1, 0.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut verify fischer.xta fischer.q
  zonaut verify train-gate.xml --trace shortest
  zonaut verify model.xml -q 'A[] not P.error' -q 'E<> P.done' --json
  zonaut verify model.xml --strategy 'greedy(hu)' --trace some
  zonaut verify model.xml --strategy dfs --abstraction lu+ --time 60 --memory 4G
  zonaut verify model.xml --certify always --certificate model.cert
  zonaut verify fischer.xta fischer.q --report fischer.html")]
pub(crate) struct VerifyArguments {
    /// Ask this formula; may be given several times.
    #[arg(long = "query", short = 'q', value_name = "FORMULA", conflicts_with = "queries")]
    pub(crate) formulas: Vec<String>,
    /// Show a run that decides the query.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) trace: TraceName,
    /// When to have answers checked by the independent checker, in a process of its own.
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) certify: CertifyName,
    /// Write a certificate of the answer; of several answers, with their numbers in the names.
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,
    /// Explore for each query anew; otherwise, those without clock constraints and `deadlock` share
    /// one exploration and its limits, where neither a trace, a certificate nor a guide is wanted.
    #[arg(long)]
    pub(crate) separate: bool,
    /// Say what a proof depends on: the variables and the bounds of clocks that a lazy search had to
    /// remember, by location, and the variables that it could do without.
    #[arg(long)]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) charts: ChartArguments,
    /// Write a page about the answer, with pictures of the run; of several answers, with their
    /// numbers in the names.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Print one JSON object for each query instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// Say which searches were tried, what for, and what came of it.
    #[arg(long, short = 'v')]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) input: InputArguments,
    #[command(flatten)]
    pub(crate) search: SearchArguments,
}

/// Find a cheapest run to a goal, and show that there is none cheaper.
///
/// Prices of edges and the rate of locations are what a run costs; a model without any costs its time.
/// Exit codes: 0 the least cost is known, 1 the goal cannot be reached, 3 a limit was reached before.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut generate bridge -o bridge.xta && zonaut optimize bridge.xta --trace
  zonaut optimize model.xml -q 'E<> Plant.done' --time 60 --json
  zonaut generate jobshop la01 -o la01.xta && zonaut optimize la01.xta --gantt la01.svg --chart")]
pub(crate) struct OptimizeArguments {
    /// What to reach, as in `E<> Plant.done`; without it, the query of the model.
    #[arg(long = "query", short = 'q', value_name = "FORMULA", conflicts_with = "queries")]
    pub(crate) formula: Option<String>,
    /// How to search, as in `mc`, `astar(rem(auto))` or `heur-dfs`; `zonaut strategies` lists what can
    /// be written.
    #[arg(long, value_name = "STRATEGY", default_value = "auto")]
    pub(crate) strategy: CostStrategy,
    /// The seed of random choices.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Show the run.
    #[arg(long)]
    pub(crate) trace: bool,
    /// How the rates of processes make what a unit of time costs: sum, min or max.
    #[arg(long, value_name = "NAME", default_value = "sum", value_parser = combination)]
    pub(crate) rates: Combination,
    /// When the result is checked by an independent program; `auto` gives up after a second, or
    /// after as long as the search took.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) certify: CertifyName,
    /// Write a certificate of the result.
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) charts: ChartArguments,
    /// Write a page about the result, with pictures of the run.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Print one JSON object for each better run and for the result, instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// Say what estimates rest on, and why something that looks like a resource bounds nothing.
    #[arg(long, short = 'v')]
    pub(crate) verbose: bool,
    /// Stop after so many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) time: Option<Duration>,
    /// Stop when states need so much memory, as in 512M or 4G; without it, 80 % of what there is.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) memory: Option<u64>,
    /// Stop after so many explored states.
    #[arg(long, value_name = "COUNT")]
    pub(crate) states: Option<usize>,
    #[command(flatten)]
    pub(crate) input: InputArguments,
}

fn combination(name: &str) -> Result<Combination, String> {
    let found = Combination::ALL.into_iter().find(|combination| combination.name() == name);
    found.ok_or_else(|| "rates are combined by sum, min or max".to_owned())
}

/// Explore everything that can be reached, and report what never is.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut explore train-gate.xml
  zonaut explore fischer.xta --define N=5 --abstraction lu+ --json
  zonaut explore model.xml --time 60")]
pub(crate) struct ExploreArguments {
    /// Write a page about what was explored.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) input: InputArguments,
    #[command(flatten)]
    pub(crate) search: SearchArguments,
}

/// Step through the symbolic states of a model, by hand or at random.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut simulate train-gate.xml
  zonaut simulate fischer.xta --define N=3 --random 20 --seed 7

By hand: a number takes that transition, `b` goes back, `g N` goes to the state after N
transitions, `s FILE` saves the run as JSON, `?` shows help, `q` quits.")]
pub(crate) struct SimulateArguments {
    /// Take so many random transitions instead of asking.
    #[arg(long, value_name = "COUNT")]
    pub(crate) random: Option<usize>,
    /// The seed of random choices.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) input: InputArguments,
}

/// Measure a suite of models, each run in a process of its own.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut bench bench/families.toml
  zonaut bench bench/mcta.toml --only m --format markdown -o mcta.md
  zonaut bench bench/families.toml --resume families.jsonl --format csv
  zonaut bench bench/optimal.toml --resume optimal.jsonl --svg plots
  zonaut bench bench/families.toml --allow-commands")]
pub(crate) struct BenchArguments {
    /// The suite, in TOML.
    pub(crate) suite: PathBuf,
    /// How to print the table.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: TableFormatName,
    /// Write the table to this file instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write pictures of time, explored states and memory into this folder.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) svg: Option<PathBuf>,
    /// Keep finished rows in this file, and skip those that are in it.
    #[arg(long, value_name = "FILE")]
    pub(crate) resume: Option<PathBuf>,
    /// Measure only runs whose names contain this.
    #[arg(long, value_name = "TEXT")]
    pub(crate) only: Option<String>,
    /// Run the commands of other tools that the suite names. Look at them first.
    #[arg(long)]
    pub(crate) allow_commands: bool,
}

/// Report problems of a model and its queries, and what it consists of.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut check train-gate.xml
  zonaut check fischer.xta fischer.q --define N=5
  zonaut check model.xml --json")]
pub(crate) struct CheckArguments {
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) input: InputArguments,
}

/// Which model and queries to read, and how.
#[derive(Args, Debug)]
pub(crate) struct InputArguments {
    /// The model, in XML or XTA; `-` is standard input.
    pub(crate) model: PathBuf,
    /// The queries; without this file, those in the model, else those in the `.q` file beside it.
    pub(crate) queries: Option<PathBuf>,
    /// Set a constant of the model, as in `N=5`.
    #[arg(long, short = 'D', value_name = "NAME=VALUE", value_parser = definition)]
    pub(crate) define: Vec<(String, i64)>,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
}

/// Write a model in another format, chosen by the extension: .xta, .xml, .dot, .svg or .core.
///
/// Comments on locations, edges and queries are kept, with positions and colours in XML; comments
/// inside of declarations are not. A picture shows the automata as they were drawn, or laid out where
/// there is no drawing.
///
/// A core text is the flattened model with its first query, for the checker of certificates.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut convert train-gate.xml train-gate.xta
  zonaut convert old.xta new.xml
  zonaut convert fischer.xta fischer.svg
  zonaut convert fischer.xta fischer.core")]
pub(crate) struct ConvertArguments {
    /// The model, in XML or XTA; `-` is standard input.
    pub(crate) model: PathBuf,
    /// The file to write.
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
}

/// Leave parts of a model out, and whatever has to go with them, and write the rest as XTA.
///
/// The goal of the first query can be reached in no more transitions than before. The query about
/// the smaller model is written beside it, with the extension .q.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut abstract train-gate.xml --drop 'Train(3)' -o smaller.xta
  zonaut abstract model.xta model.q --select rd -o doll.xta
  zonaut abstract model.xta -q 'E<> P.error' --select 'cone(d=2)'")]
pub(crate) struct AbstractArguments {
    /// The model, in XML or XTA; `-` is standard input.
    pub(crate) model: PathBuf,
    /// A file of queries, of which the first has the goal.
    pub(crate) queries: Option<PathBuf>,
    /// The query that has the goal.
    #[arg(long, short = 'q', value_name = "FORMULA", conflicts_with = "queries")]
    pub(crate) query: Option<String>,
    /// Leave out the processes, variables, clocks or channels of this name; may be given several
    /// times.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) drop: Vec<String>,
    /// Let a selector decide: `rd` or `cone(d=N)`.
    #[arg(long, value_name = "SELECTOR", conflicts_with = "drop")]
    pub(crate) select: Option<String>,
    /// The file to write, instead of the output.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
}

/// Print a member of a family of models as XTA, with its queries.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut generate --list
  zonaut generate fischer 5
  zonaut generate train-gate N=3 -o train-gate-3.xta
  zonaut generate jobshop la01.txt -o la01.xta")]
pub(crate) struct GenerateArguments {
    /// The family.
    #[arg(required_unless_present = "list")]
    pub(crate) family: Option<String>,
    /// Its parameters: numbers in order, or NAME=NUMBER; for `jobshop` a file in the common text
    /// format of job shops.
    pub(crate) parameters: Vec<String>,
    /// Write to this file instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// List the families and their parameters.
    #[arg(long)]
    pub(crate) list: bool,
}

/// Check a certificate that `zonaut verify --certificate` wrote.
///
/// The checker shares no code with the engine. Exit codes: 0 accepted, 2 malformed or about another
/// model, 4 rejected.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut certify train-gate.xta train-gate.cert
  zonaut certify model.xml model-2.cert --query-index 2
  zonaut certify model.xml model.cert -q 'A[] not P.error' --json")]
pub(crate) struct CertifyArguments {
    /// The model, in XML or XTA; `-` is standard input.
    pub(crate) model: PathBuf,
    /// The certificate.
    pub(crate) certificate: PathBuf,
    /// What the certificate is about; without it, the formula that the certificate names.
    #[arg(long, short, value_name = "FORMULA")]
    pub(crate) query: Option<String>,
    /// The number of the query in the model that the certificate is about.
    #[arg(long, value_name = "NUMBER", conflicts_with = "query")]
    pub(crate) query_index: Option<u32>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// Set a constant of the model, as in `N=5`.
    #[arg(long, short = 'D', value_name = "NAME=VALUE", value_parser = definition)]
    pub(crate) define: Vec<(String, i64)>,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
}

/// Find out whether this installation works, in less than a minute.
///
/// Answers the queries of the built-in families of models at small sizes in every order and with
/// every abstraction, those of a collection of pitfalls, and those of 2,000 random networks, each in
/// two ways. Compares verdicts and numbers of states with known ones, and has every answer checked
/// by the independent checker.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut selftest && echo ready")]
pub(crate) struct SelftestArguments {}

/// Take the place of UPPAAL's `verifyta`, as this program does when called by that name.
///
/// Options, output and exit codes are those of that tool; `zonaut verifyta -h` shows them.
#[derive(Args, Debug)]
#[command(disable_help_flag = true)]
pub(crate) struct VerifytaArguments {
    /// The options and files of `verifyta`.
    #[arg(id = "words", trailing_var_arg = true, allow_hyphen_values = true)]
    _words: Vec<OsString>,
}

/// Check a certificate for another process.
#[derive(Args, Debug)]
pub(crate) struct CheckCertificateArguments {
    /// The core text.
    pub(crate) core: PathBuf,
    /// The certificate.
    pub(crate) certificate: PathBuf,
}

pub(crate) fn definition(word: &str) -> Result<(String, i64), String> {
    let (name, value) = word.split_once('=').ok_or("expected NAME=VALUE, as in `N=5`")?;
    if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return Err(format!("`{name}` is not the name of a constant"));
    }
    let number: i32 = match value {
        "true" => 1,
        "false" => 0,
        _ => value.parse().map_err(|_| format!("`{value}` is not a 32-bit integer"))?,
    };
    Ok((name.to_owned(), number.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_commands_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_command_shows_examples_that_can_be_parsed() {
        for command in Arguments::command().get_subcommands() {
            let name = command.get_name();
            if command.is_hide_set() || name == "verifyta" {
                continue;
            }
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let (_, examples) = help.split_once("Examples:\n").expect(name);
            let mut count = 0;
            for line in examples.lines().take_while(|line| line.starts_with("  zonaut ")) {
                let example = line.split(['&', '|', '>', '#']).next().unwrap_or_default();
                if example.contains('\'') {
                    continue;
                }
                let words = example.split_whitespace();
                let parsed = Arguments::try_parse_from(words);
                assert!(parsed.is_ok(), "{example}: {:?}", parsed.err());
                count += 1;
            }
            assert!(count > 0, "{name}");
        }
    }

    #[test]
    fn definitions_are_names_with_integers() {
        assert_eq!(definition("N=5"), Ok(("N".into(), 5)));
        assert_eq!(definition("low_2=-7"), Ok(("low_2".into(), -7)));
        assert_eq!(definition("on=true"), Ok(("on".into(), 1)));
        for wrong in ["N", "=5", "N=", "N=x", "N=2147483648", "a b=1", "N = 5"] {
            assert!(definition(wrong).is_err(), "{wrong}");
        }
    }
}
