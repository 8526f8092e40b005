//! The network, as read from the core text.

use crate::code::{Code, Operation, Range};
use crate::priced::CostRates;
use crate::refusal::{Refusal, Text};
use std::sync::OnceLock;

/// A network with a query.
#[derive(Default)]
pub(crate) struct Core {
    pub(crate) cells: Vec<Cell>,
    /// The ranges of working storage.
    pub(crate) locals: Vec<(i64, i64)>,
    pub(crate) constants: Vec<i64>,
    /// Clock 0 is the constant 0 and has no name.
    pub(crate) clocks: Vec<Clock>,
    /// The measure of the last clock, if that is not a clock of the model.
    pub(crate) measure: Option<Measure>,
    /// The cost rates of locations, if they differ within a process.
    pub(crate) cost_rates: Option<CostRates>,
    pub(crate) channels: Vec<Channel>,
    pub(crate) default_priority: u32,
    pub(crate) functions: Vec<Function>,
    pub(crate) before: Vec<Code>,
    pub(crate) after: Vec<Code>,
    pub(crate) processes: Vec<Process>,
    pub(crate) query: String,
    /// The parts of the formulas of the query; operands come before their operators.
    pub(crate) formula: Vec<Formula>,
    /// The formulas of the query that are not operands of others.
    pub(crate) roots: Vec<usize>,
    /// The expressions whose infimum and supremum the query asks for.
    pub(crate) subjects: Vec<Subject>,
    /// The cost measure, if the query asks for the least cost.
    pub(crate) measured: Option<MeasureKind>,
    /// The version of the text: costs are supported from version 2.
    version: u32,
}

/// The quantity that is minimised: the cost measure of runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MeasureKind {
    /// Prices, and time at the sum of the rates of processes.
    Sum,
    /// Prices, and time at the least of these rates.
    Least,
    /// Prices, and time at the greatest of these rates.
    Greatest,
    /// Elapsed time, without the prices and rates of the model.
    Time,
}

impl MeasureKind {
    /// All measures, with their keywords of the core text.
    const ALL: [(&str, Self); 4] = [
        ("sum", Self::Sum),
        ("least", Self::Least),
        ("greatest", Self::Greatest),
        ("time", Self::Time),
    ];

    /// The keyword of the core text.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Least => "least",
            Self::Greatest => "greatest",
            Self::Time => "time",
        }
    }
}

impl MeasureKind {
    /// The cost of a unit of time where processes have these rates.
    pub(crate) fn combined(self, mut rates: impl Iterator<Item = i64>) -> i64 {
        match self {
            Self::Least => rates.min().unwrap_or(0),
            Self::Greatest => rates.max().unwrap_or(0),
            Self::Sum | Self::Time => rates.by_ref().fold(0, i64::saturating_add),
        }
    }
}

/// The cost measure of the last clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Measure {
    pub(crate) clock: usize,
    /// The cost of a unit of time. If positive, all clocks run `rate` times as fast as time; if
    /// zero, the cost clock is stopped.
    pub(crate) rate: i64,
    /// Whether the prices of transitions count.
    pub(crate) has_prices: bool,
}

/// A discrete state: the location of each process and the content of each cell.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct State {
    pub(crate) locations: Vec<usize>,
    pub(crate) cells: Vec<i64>,
}

/// A variable of the discrete state: one integer.
pub(crate) struct Cell {
    pub(crate) range: (i64, i64),
    pub(crate) initial: i64,
    pub(crate) meta: bool,
}

#[derive(Default)]
pub(crate) struct Clock {
    pub(crate) name: String,
    pub(crate) initial: i64,
}

pub(crate) struct Channel {
    pub(crate) broadcast: bool,
    pub(crate) urgent: bool,
    pub(crate) priority: u32,
}

#[derive(Default)]
pub(crate) struct Function {
    /// The storage of the arguments, number by number.
    pub(crate) parameters: Vec<usize>,
    pub(crate) body: Code,
}

#[derive(Default)]
pub(crate) struct Process {
    pub(crate) name: String,
    pub(crate) priority: u32,
    pub(crate) initial: usize,
    pub(crate) locations: Vec<Location>,
    pub(crate) edges: Vec<Edge>,
}

#[derive(Default)]
pub(crate) struct Location {
    pub(crate) urgent: bool,
    pub(crate) committed: bool,
    pub(crate) invariant: Test,
    pub(crate) rates: Vec<Rate>,
    /// The cost of a unit of time in this location.
    pub(crate) cost_rate: Option<Code>,
    /// The edges that leave it.
    pub(crate) leaving: Vec<usize>,
}

#[derive(Default)]
pub(crate) struct Edge {
    pub(crate) target: usize,
    pub(crate) select: Vec<Range>,
    /// All values of the `select` variables, once they were listed, if they are few.
    pub(crate) selections: OnceLock<Vec<Vec<i64>>>,
    pub(crate) guard: Test,
    /// The channel of its synchronisation, and whether it sends.
    pub(crate) label: Option<(OffsetRef, bool)>,
    pub(crate) updates: Vec<Code>,
}

/// A conjunction: data conditions first, then clock constraints.
#[derive(Default)]
pub(crate) struct Test {
    pub(crate) data: Vec<Code>,
    pub(crate) clocks: Vec<Constraint>,
}

/// Bounds on the difference of two clocks, or on one clock.
pub(crate) struct Constraint {
    /// `Some` if there is an upper or a lower bound; true if it is strict.
    pub(crate) upper: Option<bool>,
    pub(crate) lower: Option<bool>,
    pub(crate) condition: Code,
    pub(crate) left: OffsetRef,
    pub(crate) right: Option<OffsetRef>,
    pub(crate) bound: Code,
    /// Whether it compares the same clocks with the same number in all states.
    pub(crate) is_constant: bool,
    /// The comparison, once it was evaluated, if it is constant.
    pub(crate) evaluated: OnceLock<Option<Comparison>>,
}

/// An evaluated comparison of `x - y` with a number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comparison {
    pub(crate) x: usize,
    pub(crate) y: usize,
    pub(crate) value: i64,
}

/// The rate of a clock, where a condition holds.
pub(crate) struct Rate {
    pub(crate) condition: Code,
    pub(crate) clock: OffsetRef,
    pub(crate) rate: Code,
}

/// A clock or a channel of an array: its first element, and a displacement from it.
pub(crate) struct OffsetRef {
    pub(crate) first: usize,
    pub(crate) displacement: Code,
}

/// A part of a state formula; operands are named by their position.
pub(crate) enum Formula {
    Data(Code),
    Clock(Constraint),
    Deadlock,
    Not(usize),
    And(Vec<usize>),
    Or(Vec<usize>),
}

/// An expression whose extreme values are asked for.
pub(crate) enum Subject {
    Integer(Code),
    Clock(OffsetRef),
    /// The cost; its values are not checked here.
    Cost,
}

/// The maximal number of clocks where zones are needed: the size of a zone is quadratic.
const CLOCKS: usize = 2_000;

impl Core {
    /// Reads a core text.
    pub(crate) fn read(text: &str) -> Result<Self, Refusal> {
        let mut core = Self { clocks: vec![Clock::default()], ..Self::default() };
        let mut line = 0;
        match core.lines(text, &mut line) {
            Ok(()) => Ok(core),
            Err(message) => Err(Refusal::Malformed { text: Text::Core, line, message }),
        }
    }

    /// Reads all lines; `number` is that of the last line read.
    fn lines(&mut self, text: &str, number: &mut usize) -> Result<(), String> {
        let mut ended = false;
        for line in text.lines() {
            *number += 1;
            if ended {
                return Err("text behind the end".to_owned());
            }
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            let (&keyword, words) = words.split_first().unwrap_or((&"", &[]));
            if (*number == 1) != (keyword == "core") {
                return Err("the first line is `core 1`".to_owned());
            }
            self.line(*number, keyword, words)?;
            ended = keyword == "end";
        }
        if !ended {
            return Err("the text is not complete".to_owned());
        }
        self.validate()
    }

    fn line(&mut self, line: usize, keyword: &str, words: &[&str]) -> Result<(), String> {
        let code = |words: &[&str]| Code::read(line, words);
        match (keyword, words) {
            ("core", ["1"]) => self.version = 1,
            ("core", ["2"]) => self.version = 2,
            ("end", []) => {}
            ("cell", [_, low, high, initial, kind @ ("state" | "meta")]) => {
                let (range, meta) = ((number(low)?, number(high)?), *kind == "meta");
                self.cells.push(Cell { range, initial: number(initial)?, meta });
            }
            ("local", [low, high]) => self.locals.push((number(low)?, number(high)?)),
            ("constant", [value]) => self.constants.push(number(value)?),
            ("clock", [name, initial]) => {
                let (name, initial) = ((*name).to_owned(), i64::from(natural::<u32>(initial)?));
                self.clocks.push(Clock { name, initial });
            }
            (
                "channel",
                [_, reach @ ("broadcast" | "binary"), hurry @ ("urgent" | "patient"), priority],
            ) => {
                let (broadcast, urgent) = (*reach == "broadcast", *hurry == "urgent");
                self.channels.push(Channel { broadcast, urgent, priority: natural(priority)? });
            }
            ("default-priority", [priority]) => self.default_priority = natural(priority)?,
            ("function", [_]) => self.functions.push(Function::default()),
            ("parameter", [first, length]) => {
                self.parameter(natural(first)?, natural(length)?)?;
            }
            ("body", words) => self.body(code(words)?)?,
            ("before", words) => self.before.push(code(words)?),
            ("after", words) => self.after.push(code(words)?),
            ("process", [name, priority, initial]) => self.processes.push(Process {
                name: (*name).to_owned(),
                priority: natural(priority)?,
                initial: natural(initial)?,
                ..Process::default()
            }),
            ("query", [kind]) if self.query.is_empty() => self.query = (*kind).to_owned(),
            (keyword, words) if keyword.starts_with("formula") => {
                self.formula_line(line, keyword, words)?;
            }
            ("measure", [word]) if self.version == 2 && self.measured.is_none() => {
                let found = MeasureKind::ALL.into_iter().find(|(name, _)| name == word);
                self.measured = Some(found.ok_or("an unknown measure")?.1);
            }
            ("value", words) => self.subjects.push(Subject::Integer(Code::read(line, words)?)),
            ("value-clock", words) => self.subjects.push(Subject::Clock(place(line, words)?)),
            ("value-cost", []) => self.subjects.push(Subject::Cost),
            (keyword, words) => self.process_line(line, keyword, words)?,
        }
        Ok(())
    }

    fn body(&mut self, body: Code) -> Result<(), String> {
        let (function, earlier) = self.functions.split_last_mut().ok_or("a missing function")?;
        let is_later = |o: &Operation| matches!(o, Operation::Call(f) if *f >= earlier.len());
        if body.operations.iter().any(is_later) {
            return Err("a function calls itself or a later one".to_owned());
        }
        function.body = body;
        Ok(())
    }

    fn parameter(&mut self, first: usize, length: usize) -> Result<(), String> {
        let end = first.checked_add(length).filter(|&end| end <= self.locals.len());
        let end = end.ok_or("a parameter without storage")?;
        let function = self.functions.last_mut().ok_or("a missing function")?;
        // Parameters do not share storage, so a longer list is malformed, and could be very long.
        if function.parameters.len() + length > self.locals.len() {
            return Err("more parameters than storage".to_owned());
        }
        function.parameters.extend(first..end);
        Ok(())
    }

    /// A line about the last process: its locations, its edges, or the last of either.
    fn process_line(&mut self, line: usize, keyword: &str, words: &[&str]) -> Result<(), String> {
        let code = |words: &[&str]| Code::read(line, words);
        let unknown = "an unknown keyword";
        let Process { locations, edges, .. } = self.processes.last_mut().ok_or(unknown)?;
        match (keyword, words, edges.last_mut(), locations.last_mut()) {
            ("location", [_, kind @ ("ordinary" | "urgent" | "committed")], None, _) => {
                let (urgent, committed) = (*kind == "urgent", *kind == "committed");
                locations.push(Location { urgent, committed, ..Location::default() });
            }
            ("invariant", words, None, Some(location)) => {
                location.invariant.data.extend(code(words)?.conjuncts());
            }
            ("invariant-clock", words, None, Some(location)) => {
                location.invariant.clocks.push(constraint(line, words)?);
            }
            ("rate", words, None, Some(location)) => location.rates.push(rate(line, words)?),
            ("cost-rate", words, None, Some(location)) => location.cost_rate = Some(code(words)?),
            ("edge", [source, target], ..) => {
                let target = one_of("location", locations.len(), target)?;
                let source = one_of("location", locations.len(), source)?;
                locations[source].leaving.push(edges.len());
                edges.push(Edge { target, ..Edge::default() });
            }
            ("select", [local, low, high], Some(edge), _) => {
                let local = one_of("local", self.locals.len(), local)?;
                edge.select.push(Range { local, low: number(low)?, high: number(high)? });
            }
            ("guard", words, Some(edge), _) => {
                edge.guard.data.extend(code(words)?.conjuncts());
            }
            ("guard-clock", words, Some(edge), _) => {
                edge.guard.clocks.push(constraint(line, words)?);
            }
            ("send" | "receive", words, Some(edge), _) if edge.label.is_none() => {
                edge.label = Some((place(line, words)?, keyword == "send"));
            }
            ("update", words, Some(edge), _) => edge.updates.push(code(words)?),
            _ => return Err(unknown.to_owned()),
        }
        Ok(())
    }

    /// Reads a part of a formula; its operands are the parts that no other part has used yet.
    fn formula_line(&mut self, line: usize, keyword: &str, words: &[&str]) -> Result<(), String> {
        let part = match (keyword, words) {
            ("formula", words) => Formula::Data(Code::read(line, words)?),
            ("formula-clock", words) => Formula::Clock(constraint(line, words)?),
            ("formula-deadlock", []) => Formula::Deadlock,
            ("formula-not", []) => Formula::Not(self.roots.pop().ok_or("a missing part")?),
            ("formula-and" | "formula-or", [count]) => {
                let count: usize = natural(count)?;
                let first = self.roots.len().checked_sub(count).ok_or("a missing part")?;
                let parts = self.roots.split_off(first);
                if keyword == "formula-and" { Formula::And(parts) } else { Formula::Or(parts) }
            }
            _ => return Err("an unknown keyword".to_owned()),
        };
        self.roots.push(self.formula.len());
        self.formula.push(part);
        Ok(())
    }

    /// Checks the numbers that the successor computation relies on. Code is checked when it runs.
    fn validate(&self) -> Result<(), String> {
        if self.version == 2 && (self.measured.is_none() || self.query != "possibly") {
            return Err("version 2 asks for the cost of reaching a formula".to_owned());
        }
        if self.processes.iter().any(|process| process.initial >= process.locations.len()) {
            return Err("an initial location is missing".to_owned());
        }
        Ok(())
    }

    /// Refuses a network whose zones would be too large.
    pub(crate) fn require_zones(&self) -> Result<(), Refusal> {
        if self.clocks.len() > CLOCKS {
            return Err(Refusal::Undecided(format!("there are more than {CLOCKS} clocks")));
        }
        Ok(())
    }

    /// The number of operations in the code of edges, invariants and functions.
    pub(crate) fn operations(&self) -> u64 {
        let locations = self.processes.iter().flat_map(|process| &process.locations);
        let edges = self.processes.iter().flat_map(|process| &process.edges);
        let tests = locations.map(|l| &l.invariant).chain(edges.map(|edge| &edge.guard));
        let data = tests.flat_map(|test| &test.data);
        self.codes().chain(data).map(|code| 1 + code.operations.len() as u64).sum()
    }

    pub(crate) fn initial(&self) -> State {
        let locations = self.processes.iter().map(|process| process.initial).collect();
        State { locations, cells: self.cells.iter().map(|cell| cell.initial).collect() }
    }

    /// All code that may have effects.
    pub(crate) fn codes(&self) -> impl Iterator<Item = &Code> {
        let edges = self.processes.iter().flat_map(|process| &process.edges);
        let functions = self.functions.iter().map(|function| &function.body);
        let everywhere = self.before.iter().chain(&self.after);
        edges.flat_map(|edge| &edge.updates).chain(functions).chain(everywhere)
    }

    /// The ratio of clock speed to time.
    pub(crate) fn scale(&self) -> i64 {
        self.measure.map_or(1, |measure| measure.rate.max(1))
    }

    /// Whether some location sets the rate of a clock.
    pub(crate) fn has_rates(&self) -> bool {
        let mut locations = self.processes.iter().flat_map(|process| &process.locations);
        locations.any(|location| !location.rates.is_empty())
    }

    /// Whether the query asks for deadlocks.
    pub(crate) fn asks_for_deadlock(&self) -> bool {
        self.formula.iter().any(|part| matches!(part, Formula::Deadlock))
    }

    /// Whether priorities distinguish any two transitions.
    pub(crate) fn has_priorities(&self) -> bool {
        self.channels.iter().any(|channel| channel.priority != self.default_priority)
            || self.processes.iter().any(|process| process.priority != 0)
    }
}

/// Reads `RELATION ; CONDITION ; LEFT ; RIGHT or - ; BOUND`.
fn constraint(line: usize, words: &[&str]) -> Result<Constraint, String> {
    let parts: Vec<&[&str]> = words.split(|&word| word == ";").collect();
    let [[relation], condition, left, right, bound] = parts[..] else {
        return Err("a clock constraint has five parts".to_owned());
    };
    let (upper, lower) = match *relation {
        "<" => (Some(true), None),
        "<=" => (Some(false), None),
        "==" => (Some(false), Some(false)),
        ">=" => (None, Some(false)),
        ">" => (None, Some(true)),
        _ => return Err("an unknown relation".to_owned()),
    };
    let condition = Code::read(line, condition)?;
    let left = place(line, left)?;
    let right = if *right == ["-"] { None } else { Some(place(line, right)?) };
    let bound = Code::read(line, bound)?;
    let places = std::iter::once(&left).chain(&right).map(|place| &place.displacement);
    let is_constant = places.chain([&condition, &bound]).all(Code::is_constant);
    let evaluated = OnceLock::new();
    Ok(Constraint { upper, lower, condition, left, right, bound, is_constant, evaluated })
}

/// Reads `CONDITION ; CLOCK ; RATE`.
fn rate(line: usize, words: &[&str]) -> Result<Rate, String> {
    let parts: Vec<&[&str]> = words.split(|&word| word == ";").collect();
    let [condition, clock, rate] = parts[..] else {
        return Err("a rate has three parts".to_owned());
    };
    let condition = Code::read(line, condition)?;
    Ok(Rate { condition, clock: place(line, clock)?, rate: Code::read(line, rate)? })
}

/// Reads `CLOCK CODE` or `CHANNEL CODE`.
fn place(line: usize, words: &[&str]) -> Result<OffsetRef, String> {
    let (first, code) = words.split_first().ok_or("a missing clock or channel")?;
    Ok(OffsetRef { first: natural(first)?, displacement: Code::read(line, code)? })
}

fn number(word: &str) -> Result<i64, String> {
    word.parse::<i32>().map(i64::from).map_err(|_| format!("`{word}` is not a number"))
}

/// The number of one of `count` elements.
fn one_of(what: &str, count: usize, word: &str) -> Result<usize, String> {
    let number = natural(word)?;
    if number < count { Ok(number) } else { Err(format!("there is no {what} {word}")) }
}

fn natural<N: std::str::FromStr>(word: &str) -> Result<N, String> {
    word.parse().map_err(|_| format!("`{word}` is not a natural number"))
}
