//! The arguments of every command.

use crate::bench::TableFormatName;
use crate::certified_answer::CertifyName;
use crate::charts::ChartArguments;
use crate::completions::CompletionsArguments;
use crate::diff::DiffArguments;
use crate::distribution::DistributionArguments;
use crate::draw::DrawArguments;
use crate::expectations::TestArguments;
use crate::explain::ExplainArguments;
use crate::limits::LimitArguments;
use crate::lsp::LspArguments;
use crate::manual::ManualArguments;
use crate::race::RaceArguments;
use crate::resume::ResumeArguments;
use crate::sampling_arguments::SamplingArguments;
use crate::schema::SchemaArguments;
use crate::search_arguments::{DelaysName, SearchArguments, TraceName, seconds};
use crate::serve::ServeArguments;
use crate::watch::WatchArguments;
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;
use zonaut_console::{Console, parse_size};
use zonaut_engine::Combination;
use zonaut_engine::strategy::CostStrategy;

/// A model checker and scheduler for networks of timed automata.
#[derive(Parser, Debug)]
#[command(
    name = "zonaut",
    version,
    propagate_version = false,
    help_template = "\
{about-with-newline}
{usage-heading} {usage}

{before-help}Options:
{options}{after-help}",
    after_help = "\
Models are read in UPPAAL's XML and XTA formats, current and 3.x syntax.

Exit codes: 0 every query satisfied or command succeeded, 1 some query not satisfied, 2 invalid
input or usage, 3 undecided, 4 a bug in Zonaut or a rejected certificate, 5 a run-time error of the
model."
)]
pub(crate) struct Arguments {
    /// When to use colours; by default on terminals, unless NO_COLOR is set.
    #[arg(long, visible_alias = "colour", global = true, value_enum, default_value_t)]
    #[arg(value_name = "WHEN", display_order = 1000)]
    pub(crate) color: ColourName,
    /// Ignore the settings of a file `zonaut.toml` beside the model or above it.
    #[arg(long, global = true, display_order = 1001)]
    pub(crate) no_config: bool,
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

/// The commands by purpose, as `zonaut --help` lists them.
const GROUPS: &[CommandGroup] = &[
    CommandGroup {
        title: "Verification and optimization",
        commands: &["verify", "resume", "optimize", "test", "watch", "explore", "race", "verifyta"],
    },
    CommandGroup {
        title: "Simulation, traces and editing",
        commands: &["simulate", "serve", "explain", "diff", "lsp"],
    },
    CommandGroup {
        title: "Models",
        commands: &["check", "convert", "draw", "abstract", "generate"],
    },
    CommandGroup { title: "Trust", commands: &["certify", "selftest"] },
    CommandGroup {
        title: "Reference and measurement",
        commands: &["strategies", "schema", "bench", "completions", "manual", "help"],
    },
];

/// Commands that serve one purpose.
struct CommandGroup {
    title: &'static str,
    commands: &'static [&'static str],
}

impl Arguments {
    /// The program with the options of all commands.
    pub(crate) fn with_all_commands() -> clap::Command {
        let mut program = Self::command();
        program.build();
        program
    }

    /// The program with the list of commands in its help. That takes longer than parsing, so it is
    /// built where help is shown.
    pub(crate) fn with_list_of_commands() -> clap::Command {
        Self::command().before_help(grouped_commands(&Self::with_all_commands()))
    }
}

/// The list of commands in the help of the program.
fn grouped_commands(commands: &clap::Command) -> String {
    let about = |name: &str| match name {
        "help" => "Print this message or the help of a command".to_owned(),
        _ => {
            let command = commands.find_subcommand(name);
            command.and_then(clap::Command::get_about).map(ToString::to_string).unwrap_or_default()
        }
    };
    let mut text = String::new();
    for group in GROUPS {
        text.push_str(&format!("{}:\n", group.title));
        for name in group.commands {
            text.push_str(&format!("  {name:<12} {}\n", about(name)));
        }
        text.push('\n');
    }
    text.trim_end().to_owned()
}

/// Defines [`Command`]. A command describes its options when it is called or when help is shown:
/// describing those of all commands takes longer than answering a small query.
macro_rules! commands {
    ($($name:literal $variant:ident($arguments:ty),)*) => {
        /// A command with its arguments.
        #[derive(Debug)]
        pub(crate) enum Command {
            $($variant($arguments),)*
        }

        impl FromArgMatches for Command {
            fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
                match matches.subcommand() {
                    $(Some(($name, matches)) => {
                        <$arguments>::from_arg_matches(matches).map(Self::$variant)
                    })*
                    _ => Err(clap::Error::new(ErrorKind::MissingSubcommand)),
                }
            }

            fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
                *self = Self::from_arg_matches(matches)?;
                Ok(())
            }
        }

        impl Subcommand for Command {
            fn augment_subcommands(program: clap::Command) -> clap::Command {
                let program = program.subcommand_required(true).arg_required_else_help(true);
                program$(.subcommand(
                    clap::Command::new($name)
                        .hide(HIDDEN.contains(&$name))
                        .defer(<$arguments>::augment_args),
                ))*
            }

            fn augment_subcommands_for_update(program: clap::Command) -> clap::Command {
                Self::augment_subcommands(program)
            }

            fn has_subcommand(name: &str) -> bool {
                [$($name),*].contains(&name)
            }
        }
    };
}

commands! {
    "verify" Verify(VerifyArguments),
    "resume" Resume(ResumeArguments),
    "optimize" Optimize(OptimizeArguments),
    "race" Race(RaceArguments),
    "test" Test(TestArguments),
    "explore" Explore(ExploreArguments),
    "simulate" Simulate(SimulateArguments),
    "serve" Serve(ServeArguments),
    "watch" Watch(WatchArguments),
    "lsp" Lsp(LspArguments),
    "explain" Explain(ExplainArguments),
    "diff" Diff(DiffArguments),
    "draw" Draw(DrawArguments),
    "bench" Bench(BenchArguments),
    "check" Check(CheckArguments),
    "convert" Convert(ConvertArguments),
    "abstract" Abstract(AbstractArguments),
    "generate" Generate(GenerateArguments),
    "strategies" Strategies(StrategiesArguments),
    "certify" Certify(CertifyArguments),
    "selftest" Selftest(SelftestArguments),
    "verifyta" Verifyta(VerifytaArguments),
    "schema" Schema(SchemaArguments),
    "completions" Completions(CompletionsArguments),
    "manual" Manual(ManualArguments),
    "check-certificate" CheckCertificate(CheckCertificateArguments),
}

/// Commands that Zonaut calls itself.
const HIDDEN: &[&str] = &["check-certificate"];

/// List search strategies, heuristics and their parameters, for `verify` and `optimize`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut strategies
  zonaut verify model.xml --strategy 'astar(hl)' --trace some
  zonaut verify model.xml --strategy 'greedy(max(hu, du), ties=fifo)'
  zonaut optimize shop.xta --strategy 'astar(rem(auto))'")]
pub(crate) struct StrategiesArguments {
    /// Print one JSON object for each entry instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the tables of docs/STRATEGIES.md.
    #[arg(long, conflicts_with = "json", hide = true)]
    pub(crate) markdown: bool,
}

/// The headings of options of several commands.
pub(crate) const TRACES: &str = "Traces and charts";
const CERTIFICATES: &str = "Certificates";

/// Check queries: reachability, safety, liveness, deadlock freedom, bounds of expressions.
///
/// With several queries the exit code is the first that occurs of 4, 5, 2, 3, 1, 0.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut verify fischer.xta fischer.q
  zonaut verify train-gate.xml --trace shortest
  zonaut verify model.xml -q 'A[] not P.error' -q 'E<> P.done' --json
  zonaut verify model.xml --strategy 'greedy(hu)' --trace
  zonaut verify model.xml --strategy dfs --abstraction lu+ --time 60 --memory 4G
  zonaut verify model.xml --certify always --certificate model.cert
  zonaut verify fischer.xta fischer.q --report fischer.html
  zonaut verify model.xml -q 'A[] P.safe' --processes 2 --checkpoint saved")]
pub(crate) struct VerifyArguments {
    /// Check this formula; may be given several times.
    #[arg(long = "query", short = 'q', value_name = "FORMULA", conflicts_with = "queries")]
    pub(crate) formulas: Vec<String>,
    /// Print the trace: the witness or counterexample of the verdict.
    ///
    /// Without a value, the trace that the search finds.
    #[arg(long, value_enum, default_value_t, num_args = 0..=1, default_missing_value = "some")]
    #[arg(value_name = "KIND", help_heading = TRACES)]
    pub(crate) trace: TraceName,
    /// Print this many different traces, shortest first, for `E<>` and `A[]` queries.
    #[arg(long, value_name = "COUNT", help_heading = TRACES)]
    pub(crate) traces: Option<NonZeroUsize>,
    /// The delays of the trace, where its transitions leave a choice.
    #[arg(long, value_enum, default_value_t, value_name = "KIND", help_heading = TRACES)]
    pub(crate) delays: DelaysName,
    #[command(flatten)]
    pub(crate) charts: ChartArguments,
    /// When to verify certificates with the independent checker, in a process of its own.
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", help_heading = CERTIFICATES)]
    pub(crate) certify: CertifyName,
    /// Write the certificate to this file; with several queries, file names are numbered.
    #[arg(long, value_name = "FILE", help_heading = CERTIFICATES)]
    pub(crate) certificate: Option<PathBuf>,
    /// Search for each query separately, and print each answer when it is known.
    ///
    /// By default, `E<>` and `A[]` queries that need no clock constants beyond those of the model
    /// share one search, its limits and one certificate if neither a trace nor a certificate file is
    /// requested.
    #[arg(long)]
    pub(crate) separate: bool,
    /// Explain the proof of a lazy search: the variables and clock bounds that it needs.
    ///
    /// They are listed by location, and so are the variables that the proof does not need.
    #[arg(long)]
    pub(crate) explain: bool,
    /// Write an HTML report with pictures of the trace.
    ///
    /// With several queries, file names are numbered, and this one has an index of them.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Print one JSON object for each query instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print statistics of each answer, and the members of the portfolio with their results.
    #[arg(long, short = 'v')]
    pub(crate) verbose: bool,
    // Flattened arguments with a heading come last, because those after them would get it, too.
    #[command(flatten)]
    pub(crate) input: InputArguments,
    /// Search with this many threads.
    ///
    /// By default 2 for `auto` if the machine has them, which gives the same answers as 1, and 1 for
    /// other strategies. Verdicts and shortest lengths do not depend on it; counts and traces may
    /// differ between 1 and several threads, between 2 and more for `auto`, and for other orders than
    /// `bfs` they depend on the speed of threads, too. Lazy searches and `useful`, `context`,
    /// `coverage` and `restarts` use one thread. The checker of certificates uses as many threads, and
    /// by default all processors. Statistical queries use several, too; other queries that are not
    /// decided by reachability use one.
    #[arg(long, value_name = "COUNT", help_heading = "Search")]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Move old states to files in this folder shortly before the memory limit of `--memory`, and
    /// search on.
    ///
    /// Without `--memory`, the limit is 80 % of the available memory. The folder is created if needed;
    /// the files are removed at the end. For `E<>` and `A[]` queries: breadth first by default, with
    /// any number of threads, or with one thread and another strategy that is not lazy. Verdicts and
    /// counts do not depend on it.
    #[arg(long, value_name = "FOLDER", help_heading = "Search")]
    #[arg(conflicts_with_all = ["processes", "hosts", "checkpoint"])]
    pub(crate) spill: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) search: SearchArguments,
    #[command(flatten)]
    pub(crate) distribution: DistributionArguments,
    #[command(flatten)]
    pub(crate) sampling: SamplingArguments,
}

/// Compute a run of minimum cost to a goal, and prove that it is optimal.
///
/// Cost accumulates by the rates of locations and the prices of edges; without cost annotations, cost
/// is elapsed time. Exit codes: 0 the minimum cost is known, 1 the goal is unreachable, 3 a limit was
/// reached first.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut generate bridge -o bridge.xta && zonaut optimize bridge.xta --trace
  zonaut optimize model.xml -q 'E<> Plant.done' --time 60 --json
  zonaut generate jobshop la01 -o la01.xta && zonaut optimize la01.xta --gantt la01.svg --chart")]
pub(crate) struct OptimizeArguments {
    /// The goal, as in `E<> Plant.done`, or the number of a query of the model; by default, the only
    /// query of the model.
    #[arg(long = "query", short = 'q', value_name = "FORMULA|NUMBER")]
    pub(crate) formula: Option<String>,
    /// The search strategy, as in `mc`, `astar(rem(auto))` or `heur-dfs`; see `zonaut strategies`.
    #[arg(long, value_name = "STRATEGY", default_value = "auto", help_heading = "Search")]
    pub(crate) strategy: CostStrategy,
    /// The seed of random choices.
    #[arg(long, value_name = "NUMBER", default_value_t = 0, help_heading = "Search")]
    pub(crate) seed: u64,
    /// Print the run.
    #[arg(long, help_heading = TRACES)]
    pub(crate) trace: bool,
    /// How the cost rates of the processes are combined: sum, min or max.
    #[arg(long, value_name = "NAME", default_value = "sum", value_parser = combination)]
    pub(crate) rates: Combination,
    /// Search with this many threads.
    ///
    /// The verdict and the minimum cost do not depend on it; the run and the counts do, and on the
    /// speed of threads. Models whose cost rates differ between locations, and those with transitions
    /// that may fail at run time, are searched by one thread.
    #[arg(long, value_name = "COUNT", default_value = "1")]
    pub(crate) threads: NonZeroUsize,
    /// When to verify the certificate with the independent checker.
    ///
    /// `auto` gives up after one second or the time of the search, whichever is longer.
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", help_heading = CERTIFICATES)]
    pub(crate) certify: CertifyName,
    /// Write the certificate to this file.
    #[arg(long, value_name = "FILE", help_heading = CERTIFICATES)]
    pub(crate) certificate: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) charts: ChartArguments,
    /// Write an HTML report with pictures of the run.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Print one JSON object for each incumbent and for the result instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print statistics, the resources that estimates use, and why others contribute no lower bound.
    #[arg(long, short = 'v')]
    pub(crate) verbose: bool,
    /// Stop after this many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "Search")]
    pub(crate) time: Option<Duration>,
    /// Stop when states need this much memory, as in 512M or 4G; by default 80 % of the available
    /// memory.
    #[arg(long, value_name = "SIZE", value_parser = parse_size, help_heading = "Search")]
    pub(crate) memory: Option<u64>,
    /// Stop after this many explored states.
    #[arg(long, value_name = "COUNT", help_heading = "Search")]
    pub(crate) states: Option<usize>,
    #[command(flatten)]
    pub(crate) input: InputArguments,
}

fn combination(name: &str) -> Result<Combination, String> {
    let found = Combination::ALL.into_iter().find(|combination| combination.name() == name);
    found.ok_or_else(|| "rates are combined by sum, min or max".to_owned())
}

/// Explore the whole state space; report unreachable locations, dead edges and deadlocks.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut explore train-gate.xml
  zonaut explore fischer.xta --define N=5 --abstraction lu+ --json
  zonaut explore model.xml --time 60")]
pub(crate) struct ExploreArguments {
    /// Write an HTML report about the state space.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// Explore with this many threads; needs the strategy `bfs` or `auto`, which explores breadth
    /// first.
    #[arg(long, value_name = "COUNT", default_value = "1", help_heading = "Search")]
    pub(crate) threads: NonZeroUsize,
    #[command(flatten)]
    pub(crate) input: InputArguments,
    #[command(flatten)]
    pub(crate) search: SearchArguments,
}

/// Simulate a model in the terminal, step by step or at random.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut simulate train-gate.xml
  zonaut simulate fischer.xta --define N=3 --random 20 --seed 7

Commands: a number fires that transition, `b` goes back, `g N` goes to the state after N
transitions, `s FILE` saves the trace as JSON, `?` shows help, `q` quits.")]
pub(crate) struct SimulateArguments {
    /// Fire this many random transitions instead of asking.
    #[arg(long, value_name = "COUNT")]
    pub(crate) random: Option<usize>,
    /// The seed of random choices.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) input: InputArguments,
}

/// Run a benchmark suite, each run in a process of its own.
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
    /// The format of the table.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: TableFormatName,
    /// Write the table to this file instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write plots of time, explored states and memory into this folder.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) svg: Option<PathBuf>,
    /// Record finished rows in this file, and skip the rows that it contains.
    #[arg(long, value_name = "FILE")]
    pub(crate) resume: Option<PathBuf>,
    /// Run only the rows whose names contain this text.
    #[arg(long, value_name = "TEXT")]
    pub(crate) only: Option<String>,
    /// Run the commands of other tools that the suite names; read them first.
    #[arg(long)]
    pub(crate) allow_commands: bool,
    /// Measure this many runs side by side; times are then those of a shared machine.
    #[arg(long, value_name = "COUNT", default_value = "1")]
    pub(crate) threads: NonZeroUsize,
}

/// Report errors and warnings of a model and its queries, and its components.
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

/// The model and its queries.
#[derive(Args, Debug)]
pub(crate) struct InputArguments {
    /// The model, in XML or XTA; `-` is standard input.
    pub(crate) model: PathBuf,
    /// The query file; by default the queries in the model, else those in the `.q` file beside it.
    pub(crate) queries: Option<PathBuf>,
    /// Replace the value of a constant of the model, as in `N=5`.
    #[arg(long, short = 'D', value_name = "NAME=VALUE", value_parser = definition)]
    pub(crate) define: Vec<(String, i64)>,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
}

/// Convert a model to the format of the output's extension: .xta, .xml, .dot, .svg,
/// .pdf, .tex (TikZ) or .core.
///
/// Comments on locations, edges and queries are preserved, in XML with positions and colours; comments
/// inside declarations are not. A picture uses the model's layout, or an automatic one if it has none.
///
/// A core text is the flattened model with its first query: the input of the certificate checker.
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

/// Slice a model: remove processes, variables, clocks or channels, as XTA.
///
/// In the abstraction, the goal of the first query is reachable in at most as many transitions as
/// before. The abstracted query is written beside the output, with the extension .q.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut abstract train-gate.xml --drop 'Train(3)' -o smaller.xta
  zonaut abstract model.xta model.q --select rd -o slice.xta
  zonaut abstract model.xta -q 'E<> P.error' --select 'cone(d=2)'")]
pub(crate) struct AbstractArguments {
    /// The model, in XML or XTA; `-` is standard input.
    pub(crate) model: PathBuf,
    /// A query file, whose first query has the goal.
    pub(crate) queries: Option<PathBuf>,
    /// The query that has the goal.
    #[arg(long, short = 'q', value_name = "FORMULA", conflicts_with = "queries")]
    pub(crate) query: Option<String>,
    /// Remove the processes, variables, clocks or channels of this name; may be given several times.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) drop: Vec<String>,
    /// Select the removed parts automatically: `rd` or `cone(d=N)`.
    #[arg(long, value_name = "SELECTOR", conflicts_with = "drop")]
    pub(crate) select: Option<String>,
    /// Write to this file instead of standard output.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
}

/// Generate a benchmark model of a scalable family as XTA, with its queries.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut generate --list
  zonaut generate fischer 5
  zonaut generate train-gate N=3 -o train-gate-3.xta
  zonaut generate jobshop la01.txt -o la01.xta
  zonaut generate airland airland1.txt 2 -o airland1.xta")]
pub(crate) struct GenerateArguments {
    /// The family.
    #[arg(required_unless_present = "list")]
    pub(crate) family: Option<String>,
    /// Its parameters: numbers in order, or NAME=NUMBER; for `jobshop`, an instance file in the
    /// standard text format; for `airland`, an instance file and the number of runways.
    pub(crate) parameters: Vec<String>,
    /// Write to this file instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// List the families and their parameters.
    #[arg(long)]
    pub(crate) list: bool,
}

/// Verify a certificate of `zonaut verify` or `zonaut optimize` with the independent checker.
///
/// The checker shares no code with the engine. Exit codes: 0 accepted, 2 malformed or of another
/// model, 3 undecided because of a limit, 4 rejected.
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
    /// The formula of the certificate; by default, the formula that the certificate names.
    #[arg(long, short, value_name = "FORMULA")]
    pub(crate) query: Option<String>,
    /// The number of the query in the model.
    #[arg(long, value_name = "NUMBER", conflicts_with = "query")]
    pub(crate) query_index: Option<u32>,
    /// Cost rate of time, for certificates of a least cost: sum, min or max of the rates of the
    /// processes.
    #[arg(long, value_name = "NAME", default_value = "sum", value_parser = combination)]
    pub(crate) rates: Combination,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// Stop after this many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) time: Option<Duration>,
    /// Stop when the check needs this much memory, as in 512M or 4G; by default 80 % of the available
    /// memory.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) memory: Option<u64>,
    /// Replace the value of a constant of the model, as in `N=5`.
    #[arg(long, short = 'D', value_name = "NAME=VALUE", value_parser = definition)]
    pub(crate) define: Vec<(String, i64)>,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
}

/// Test this installation, in less than a minute.
///
/// Checks the queries of the built-in model families at small sizes in every search order and with
/// every abstraction, those of a collection of pitfalls, and those of 2,000 random networks with two
/// configurations each. Compares verdicts and state counts with recorded ones, and verifies every
/// answer with the independent checker.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut selftest && echo ready")]
pub(crate) struct SelftestArguments {}

/// Replace UPPAAL's `verifyta`: same options, output and exit codes.
///
/// The program behaves like this when it is called `verifyta`; `zonaut verifyta -h` shows the options.
#[derive(Args, Debug)]
#[command(disable_help_flag = true)]
pub(crate) struct VerifytaArguments {
    /// The options and files of `verifyta`.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) words: Vec<OsString>,
}

/// Check a certificate for another process.
#[derive(Args, Debug)]
pub(crate) struct CheckCertificateArguments {
    /// The core text.
    pub(crate) core: PathBuf,
    /// The certificate.
    pub(crate) certificate: PathBuf,
    /// The largest certificate to read, in bytes.
    #[arg(long, value_name = "BYTES")]
    pub(crate) max_file_size: Option<u64>,
    /// Check with this many threads; by default one for each processor.
    #[arg(long, value_name = "COUNT")]
    pub(crate) threads: Option<NonZeroUsize>,
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

    #[test]
    fn the_commands_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_visible_command_is_listed_in_one_group() {
        let mut listed: Vec<&str> =
            GROUPS.iter().flat_map(|group| group.commands).copied().collect();
        listed.sort_unstable();
        let program = Arguments::with_all_commands();
        let visible = program.get_subcommands().filter(|command| !command.is_hide_set());
        let mut names: Vec<&str> = visible.map(clap::Command::get_name).collect();
        names.sort_unstable();
        assert_eq!(listed, names);
    }

    #[test]
    fn every_command_shows_examples_that_can_be_parsed() {
        for command in Arguments::with_all_commands().get_subcommands() {
            let name = command.get_name();
            if command.is_hide_set() || ["verifyta", "help"].contains(&name) {
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
