//! The options of `verifyta`.
//!
//! Options without effect are accepted only if ignoring them cannot change a verdict: settings of
//! memory, approximations that are answered exactly, and settings of learning queries, which are
//! rejected by name. Parameters of statistical queries are checked when they are read.

use std::ffi::OsString;
use std::path::PathBuf;
use zonaut_engine::SamplingOptions;

/// The effect of an option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Meaning {
    Help,
    Version,
    Trace,
    TraceFile,
    XmlFile,
    Symbolic,
    Stable,
    Order,
    BreadthFirst,
    DepthFirst,
    Seed,
    Summary,
    NoHeader,
    NoProgress,
    QueryIndex,
    Space,
    Reuse,
    Statistical(Parameter),
    Nothing,
}

/// A parameter of statistical queries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Parameter {
    Alpha,
    Beta,
    Epsilon,
    LowerDelta,
    UpperDelta,
    LowerRatio,
    UpperRatio,
    Histogram,
    IntegrationStep,
}

impl Parameter {
    /// Sets the parameter to a number.
    pub(crate) fn set(self, value: f64, sampling: &mut SamplingOptions) -> Result<(), String> {
        let SamplingOptions { parameters, buckets, sampler } = sampling;
        let slot = match self {
            Self::Alpha => &mut parameters.alpha,
            Self::Beta => &mut parameters.beta,
            Self::Epsilon => &mut parameters.epsilon,
            Self::LowerDelta => &mut parameters.lower_delta,
            Self::UpperDelta => &mut parameters.upper_delta,
            Self::LowerRatio => &mut parameters.lower_ratio,
            Self::UpperRatio => &mut parameters.upper_ratio,
            Self::IntegrationStep => &mut sampler.integration_step,
            Self::Histogram if value.fract() == 0.0 && (0.0..1e6).contains(&value) => {
                *buckets = (value >= 1.0).then_some(value as usize);
                return Ok(());
            }
            Self::Histogram => {
                return Err("the number of buckets must be a whole number below 1000000".to_owned());
            }
        };
        *slot = value;
        Ok(())
    }
}

/// An option: its letter or name or both, the name of its value, its effect, and its help text.
struct Known {
    letter: Option<char>,
    name: &'static str,
    value: &'static str,
    meaning: Meaning,
    help: &'static str,
}

const fn short(letter: char, value: &'static str, meaning: Meaning, help: &'static str) -> Known {
    Known { letter: Some(letter), name: "", value, meaning, help }
}

const fn long(
    name: &'static str,
    value: &'static str,
    meaning: Meaning,
    help: &'static str,
) -> Known {
    Known { letter: None, name, value, meaning, help }
}

impl Known {
    const fn or(mut self, letter: char) -> Self {
        self.letter = Some(letter);
        self
    }
}

const LEARNING: &str = "For learning and statistical queries; ignored.";

const KNOWN: &[Known] = &[
    long("help", "", Meaning::Help, "Show this text.").or('h'),
    long("version", "", Meaning::Version, "Show the version.").or('v'),
    short('V', "", Meaning::Version, "The same."),
    long("diagnostic", "n", Meaning::Trace, "Show a trace: 0 some, 1 shortest, 2 fastest.").or('t'),
    short('f', "prefix", Meaning::TraceFile, "With -t: write traces to the files prefix-1, prefix-2, ..."),
    short('X', "prefix", Meaning::XmlFile, "With -t: write traces as XML to prefix1.xml, prefix2.xml, ..."),
    short('y', "", Meaning::Symbolic, "Show traces symbolically."),
    short('Y', "", Meaning::Stable, "The same, with states all of whose parts go on to the end."),
    long("search-order", "n", Meaning::Order, "Search order: 0 breadth first, 1 depth first, 2 random depth first; others are breadth first.").or('o'),
    short('b', "", Meaning::BreadthFirst, "Search breadth first."),
    short('d', "", Meaning::DepthFirst, "Search depth first."),
    long("seed", "n", Meaning::Seed, "The seed of random orders.").or('r'),
    long("summary", "", Meaning::Summary, "Show statistics after each formula.").or('u'),
    long("silence-progress", "", Meaning::NoProgress, "Show no progress.").or('s'),
    short('q', "", Meaning::NoHeader, "Do not show the options."),
    long("query-index", "k", Meaning::QueryIndex, "Verify one formula only, numbered from 0."),
    short('S', "n", Meaning::Space, "Space optimisation; has no effect."),
    short('T', "", Meaning::Reuse, "Reuse of the state space; has no effect."),
    short('n', "n", Meaning::Nothing, "Extrapolation: the best that is sound is always used."),
    short('A', "", Meaning::Nothing, "Over-approximation: answers are exact."),
    short('Z', "", Meaning::Nothing, "Under-approximation: answers are exact."),
    long("hashtable-size", "n", Meaning::Nothing, "Of under-approximation; ignored.").or('H'),
    long("state-representation", "n", Meaning::Nothing, "Answers are exact; ignored."),
    short('C', "", Meaning::Nothing, "Memory reduction; ignored."),
    short('U', "", Meaning::Nothing, "Memory reduction; ignored."),
    short('N', "", Meaning::Nothing, "Ignored."),
    long("key", "key", Meaning::Nothing, "No licence is needed; ignored."),
    long("lease", "hours", Meaning::Nothing, "No licence is needed; ignored."),
    short('O', "format", Meaning::Nothing, LEARNING),
    long("alpha", "x", Meaning::Statistical(Parameter::Alpha), "Probability of missing the true value, or of rejecting a true hypothesis.").or('a'),
    long("beta", "x", Meaning::Statistical(Parameter::Beta), "Probability of accepting a false hypothesis.").or('B'),
    long("epsilon", "x", Meaning::Statistical(Parameter::Epsilon), "Half of the width of confidence intervals.").or('E'),
    long("delta-lower", "x", Meaning::Statistical(Parameter::LowerDelta), "Indifference region below the probability of a hypothesis."),
    long("delta-upper", "x", Meaning::Statistical(Parameter::UpperDelta), "Indifference region above the probability of a hypothesis."),
    long("u0", "x", Meaning::Statistical(Parameter::LowerRatio), "Odds ratio at which a comparison fails."),
    long("u1", "x", Meaning::Statistical(Parameter::UpperRatio), "Odds ratio at which a comparison holds."),
    long("histogram-count", "n", Meaning::Statistical(Parameter::Histogram), "Number of buckets of histograms."),
    long("discretization", "x", Meaning::Statistical(Parameter::IntegrationStep), "Longest step of the integration of differential equations.").or('D'),
    long("truncation-error", "x", Meaning::Nothing, LEARNING),
    long("truncation-time-error", "x", Meaning::Nothing, LEARNING),
    long("learning-method", "n", Meaning::Nothing, LEARNING),
    long("generate-strategy", "n", Meaning::Nothing, LEARNING),
    long("good-runs", "n", Meaning::Nothing, LEARNING),
    long("total-runs", "n", Meaning::Nothing, LEARNING),
    long("runs-pr-state", "n", Meaning::Nothing, LEARNING),
    long("eval-runs", "n", Meaning::Nothing, LEARNING),
    long("max-iterations", "n", Meaning::Nothing, LEARNING),
    long("max-reset-learning", "n", Meaning::Nothing, LEARNING),
    long("reset-no-better", "n", Meaning::Nothing, LEARNING),
    long("filter", "n", Meaning::Nothing, LEARNING),
];

/// A number of the command line; two are equal if their texts are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Number(String);

impl std::str::FromStr for Number {
    type Err = std::num::ParseFloatError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse::<f64>().map(|_| Self(text.to_owned()))
    }
}

impl Number {
    /// Its value.
    pub(crate) fn value(&self) -> f64 {
        self.0.parse().unwrap_or(f64::NAN)
    }
}

/// The requested trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TraceKind {
    Some,
    Shortest,
    Fastest,
}

/// The representation of clocks in traces on standard error.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Zones {
    /// By their values in a run.
    #[default]
    None,
    /// By the zones of reachable valuations.
    Forward,
    /// By the zones of reachable valuations from which the rest of the trace is possible.
    Stable,
}

/// The parsed options.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Options {
    pub(crate) help: bool,
    pub(crate) version: bool,
    pub(crate) trace: Option<TraceKind>,
    pub(crate) trace_prefix: Option<OsString>,
    pub(crate) xml_prefix: Option<OsString>,
    pub(crate) zones: Zones,
    /// The number of the option `-o`.
    pub(crate) order: u32,
    pub(crate) seed: u64,
    /// Parameters of statistical queries, in order.
    pub(crate) statistical: Vec<(Parameter, Number)>,
    pub(crate) summary: bool,
    pub(crate) no_header: bool,
    pub(crate) no_progress: bool,
    pub(crate) query_index: Option<usize>,
    /// The number of the option `-S`.
    pub(crate) space: Option<u32>,
    pub(crate) reuse: bool,
    /// The model, and the queries if they are given.
    pub(crate) files: Vec<PathBuf>,
}

impl Options {
    /// Parses the words after the program's name: options and files in any order, letters separate
    /// or combined, values attached or in the next word.
    pub(crate) fn parse(words: &[OsString]) -> Result<Self, String> {
        let mut options = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.to_str() {
                Some("--") => {
                    options.files.extend(words.by_ref().map(PathBuf::from));
                }
                Some(text) if text.len() > 2 && text.starts_with("--") => {
                    options.take_long(&text[2..], &mut words)?;
                }
                Some(text) if text.len() > 1 && text.starts_with('-') => {
                    options.take_letters(&text[1..], &mut words)?;
                }
                _ => options.files.push(PathBuf::from(word)),
            }
        }
        match options.files.as_slice() {
            [] if !options.help && !options.version => Err("name a model".to_owned()),
            [_, _, third, ..] => Err(format!("one file too many: {}", third.display())),
            _ => Ok(options),
        }
    }

    fn take_long<'w>(
        &mut self,
        text: &str,
        rest: &mut impl Iterator<Item = &'w OsString>,
    ) -> Result<(), String> {
        let (name, glued) = match text.split_once('=') {
            Some((name, value)) => (name, Some(OsString::from(value))),
            None => (text, None),
        };
        let shown = format!("--{name}");
        let known = KNOWN.iter().find(|known| known.name == name);
        let known = known.ok_or_else(|| unknown(&shown))?;
        if known.value.is_empty() && glued.is_some() {
            return Err(format!("option {shown} takes no value"));
        }
        self.take(known, &shown, glued, rest)
    }

    fn take_letters<'w>(
        &mut self,
        text: &str,
        rest: &mut impl Iterator<Item = &'w OsString>,
    ) -> Result<(), String> {
        for (position, letter) in text.char_indices() {
            let shown = format!("-{letter}");
            let known = KNOWN.iter().find(|known| known.letter == Some(letter));
            let known = known.ok_or_else(|| unknown(&shown))?;
            if !known.value.is_empty() {
                let glued = &text[position + letter.len_utf8()..];
                let glued = (!glued.is_empty()).then(|| OsString::from(glued));
                return self.take(known, &shown, glued, rest);
            }
            self.take(known, &shown, None, rest)?;
        }
        Ok(())
    }

    fn take<'w>(
        &mut self,
        known: &Known,
        shown: &str,
        glued: Option<OsString>,
        rest: &mut impl Iterator<Item = &'w OsString>,
    ) -> Result<(), String> {
        let mut value = OsString::new();
        if !known.value.is_empty() {
            let given = glued.or_else(|| rest.next().cloned());
            value = given.ok_or_else(|| format!("option {shown} needs a value"))?;
        }
        match known.meaning {
            Meaning::Help => self.help = true,
            Meaning::Version => self.version = true,
            Meaning::Trace => self.trace = Some(trace_kind(shown, &value)?),
            Meaning::TraceFile => self.trace_prefix = Some(value),
            Meaning::XmlFile => self.xml_prefix = Some(value),
            Meaning::Symbolic => self.zones = Zones::Forward,
            Meaning::Stable => self.zones = Zones::Stable,
            Meaning::Order => self.order = number(shown, &value)?,
            Meaning::BreadthFirst => self.order = 0,
            Meaning::DepthFirst => self.order = 1,
            Meaning::Seed => self.seed = number(shown, &value)?,
            Meaning::Summary => self.summary = true,
            Meaning::NoHeader => self.no_header = true,
            Meaning::NoProgress => self.no_progress = true,
            Meaning::QueryIndex => self.query_index = Some(number(shown, &value)?),
            Meaning::Space => self.space = Some(number(shown, &value)?),
            Meaning::Reuse => self.reuse = true,
            Meaning::Statistical(parameter) => {
                let value: Number = number(shown, &value)?;
                let mut sampling = SamplingOptions::default();
                let set = parameter.set(value.value(), &mut sampling);
                if let Some(message) = set.err().or_else(|| sampling.wrong()) {
                    return Err(format!("option {shown} {}: {message}", value.0));
                }
                self.statistical.push((parameter, value));
            }
            Meaning::Nothing => {}
        }
        Ok(())
    }
}

fn unknown(shown: &str) -> String {
    format!("unknown option {shown}; -h shows those that there are")
}

fn number<N: std::str::FromStr>(shown: &str, value: &OsString) -> Result<N, String> {
    let parsed = value.to_str().and_then(|text| text.trim().parse().ok());
    parsed.ok_or_else(|| format!("option {shown}: {} is not a number", value.display()))
}

fn trace_kind(shown: &str, value: &OsString) -> Result<TraceKind, String> {
    match number(shown, value)? {
        0u32 => Ok(TraceKind::Some),
        1 => Ok(TraceKind::Shortest),
        2 => Ok(TraceKind::Fastest),
        _ => Err(format!("option {shown}: {} is not one of 0, 1, 2", value.display())),
    }
}

/// The text of the option `-h`.
pub(crate) fn help() -> String {
    let mut text = "\
Usage: verifyta MODEL [QUERY] [OPTION]...

Verifies the formulas in QUERY, or those in MODEL, as UPPAAL's verifyta does.
Standard output has the verdicts and the warnings, standard error the errors, and the trace that
-t asks for. Exit code: 0 whenever all formulas were verified, whatever the verdicts; 1 otherwise.

Options:
"
    .to_owned();
    for known in KNOWN {
        let head = match known.letter {
            Some(letter) if known.name.is_empty() => format!("-{letter}"),
            Some(letter) => format!("-{letter} [ --{} ]", known.name),
            None => format!("--{}", known.name),
        };
        let head = format!("{head} {}", known.value);
        text.push_str(&format!("  {:<32} {}\n", head.trim_end(), known.help));
    }
    text.push_str(
        "
Environment (a variable that is empty counts as absent):
  UPPAAL_COMPILE_ONLY              Print the intermediate format of the model instead.
  UPPAAL_OLD_SYNTAX                Read the language of UPPAAL 3.x.
  ZONAUT_UPPAAL_VERSION            Behave like this version: 4.0, 4.1 or 5.0, the default.
",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        Options::parse(&words)
    }

    fn check(line: &str, same: &str) {
        assert_eq!(parse(line).unwrap(), parse(same).unwrap(), "{line}");
    }

    #[test]
    fn letters_combine_and_values_may_be_glued() {
        check("-squ m.xml", "-s -q -u m.xml");
        check("-t0 m.xml q.q", "-t 0 m.xml q.q");
        check("-qt1 m.xml", "-q -t 1 m.xml");
        check("-ut1 -o2 m.xml", "-u --diagnostic 1 --search-order=2 m.xml");
    }

    #[test]
    fn options_stand_before_between_and_after_files() {
        let expected = parse("-f out -t 1 m.xml q.q").unwrap();
        assert_eq!(expected.files, [PathBuf::from("m.xml"), PathBuf::from("q.q")]);
        check("m.xml -f out q.q -t 1", "-f out -t 1 m.xml q.q");
        check("m.xml q.q -t 1 -f out", "-f out -t 1 m.xml q.q");
        check("-f out -t1 -- m.xml q.q", "-f out -t 1 m.xml q.q");
    }

    #[test]
    fn options_without_effect_take_their_values_along() {
        check("m.xml -S2 -A -C -H 27 -n4 -T -Z -N", "m.xml -S 2 -T");
        check("m.xml q.q --learning-method -1 --good-runs 5", "m.xml q.q");
        check("m.xml q.q -D 0.01", "m.xml q.q --discretization 0.01");
        check("m.xml q.q --epsilon=0.1 -a 0.05 --key abc", "m.xml q.q -E 0.1 --alpha 0.05");
    }

    #[test]
    fn unknown_or_incomplete_options_are_rejected() {
        let wrong = [
            "",
            "a b c",
            "m -k",
            "m --nonsense",
            "m -t",
            "m -t 3",
            "m -tx",
            "m -o x",
            "m -f",
            "m --summary=1",
            "m --query-index -1",
            "m -sk",
            "m --alpha 0",
            "m -a 1",
            "m -E nan",
            "m --beta=-0.5",
            "m --delta-lower 1",
            "m --delta-upper 0",
            "m --u0 1.1",
            "m --u1 0.9",
            "m -D 0",
            "m --histogram-count -1",
            "m --histogram-count 2.5",
        ];
        for line in wrong {
            assert!(parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn parameters_outside_their_ranges_are_named_with_their_option() {
        let message = parse("m.xml --alpha 1.5").unwrap_err();
        assert_eq!(message, "option --alpha 1.5: alpha must be between 0 and 1, without the ends");
        let message = parse("m.xml -D 0").unwrap_err();
        assert_eq!(message, "option -D 0: the integration step must be positive");
        check("m.xml --histogram-count 0", "m.xml --histogram-count 0");
    }

    #[test]
    fn letters_and_names_are_unique_and_all_are_in_the_help() {
        let text = help();
        for (position, known) in KNOWN.iter().enumerate() {
            assert!(known.letter.is_some() || !known.name.is_empty());
            for other in &KNOWN[..position] {
                assert!(
                    known.letter.is_none() || known.letter != other.letter,
                    "{:?}",
                    known.letter
                );
                assert!(known.name.is_empty() || known.name != other.name, "{}", known.name);
            }
            assert!(known.name.is_empty() || text.contains(&format!("--{}", known.name)));
        }
        assert!(text.contains("-h [ --help ]"));
    }
}
