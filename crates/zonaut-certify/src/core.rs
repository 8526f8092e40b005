//! The network, as read from the core text.

use crate::clocks::Relation;
use crate::code::{Code, Operation};
use crate::machine::displaced;
use crate::refusal::{Refusal, Text};

/// A network with a query.
#[derive(Debug, Default)]
pub(crate) struct Core {
    pub(crate) cells: Vec<Cell>,
    /// The ranges of working storage.
    pub(crate) locals: Vec<(i64, i64)>,
    pub(crate) constants: Vec<i64>,
    /// Clock 0 is the constant 0 and has no name.
    pub(crate) clocks: Vec<Clock>,
    pub(crate) channels: Vec<Channel>,
    pub(crate) default_priority: u32,
    pub(crate) functions: Vec<Function>,
    pub(crate) before: Vec<Code>,
    pub(crate) after: Vec<Code>,
    pub(crate) processes: Vec<Process>,
    pub(crate) query: String,
    /// The parts of the formulas of the query, parts before wholes.
    pub(crate) formula: Vec<Formula>,
    /// The formulas of the query that are not parts of others.
    pub(crate) roots: Vec<usize>,
    /// Whether a location sets the rate of a clock.
    pub(crate) has_rates: bool,
}

/// A number of the state.
#[derive(Debug)]
pub(crate) struct Cell {
    pub(crate) range: (i64, i64),
    pub(crate) initial: i64,
    pub(crate) meta: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Clock {
    pub(crate) name: String,
    pub(crate) initial: i64,
}

#[derive(Debug)]
pub(crate) struct Channel {
    pub(crate) broadcast: bool,
    pub(crate) urgent: bool,
    pub(crate) priority: u32,
}

#[derive(Debug, Default)]
pub(crate) struct Function {
    /// Where the arguments go, number by number.
    pub(crate) parameters: Vec<usize>,
    pub(crate) body: Code,
}

#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) name: String,
    pub(crate) priority: u32,
    pub(crate) initial: usize,
    pub(crate) locations: Vec<Location>,
    pub(crate) edges: Vec<Edge>,
}

#[derive(Debug)]
pub(crate) struct Location {
    pub(crate) urgent: bool,
    pub(crate) committed: bool,
    pub(crate) invariant: Test,
    /// The edges that leave it.
    pub(crate) leaving: Vec<usize>,
}

#[derive(Debug)]
pub(crate) struct Edge {
    pub(crate) target: usize,
    pub(crate) select: Vec<Select>,
    pub(crate) guard: Test,
    pub(crate) label: Option<Label>,
    pub(crate) updates: Vec<Code>,
}

#[derive(Debug)]
pub(crate) struct Select {
    pub(crate) local: usize,
    pub(crate) low: i64,
    pub(crate) high: i64,
}

/// One side of a synchronisation.
#[derive(Debug)]
pub(crate) struct Label {
    pub(crate) sends: bool,
    pub(crate) channel: usize,
    pub(crate) displacement: Code,
}

/// A conjunction: conditions on data first, then clock constraints.
#[derive(Debug, Default)]
pub(crate) struct Test {
    pub(crate) data: Vec<Code>,
    pub(crate) clocks: Vec<Constraint>,
}

#[derive(Debug)]
pub(crate) struct Constraint {
    pub(crate) relation: Relation,
    pub(crate) condition: Code,
    pub(crate) left: Place,
    pub(crate) right: Option<Place>,
    pub(crate) bound: Code,
}

/// A clock and a displacement from it.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) clock: usize,
    pub(crate) displacement: Code,
}

/// A part of a state formula; parts of parts are named by their position.
#[derive(Debug)]
pub(crate) enum Formula {
    Data(Code),
    Clock(Constraint),
    Deadlock,
    Not(usize),
    And(Vec<usize>),
    Or(Vec<usize>),
}

/// The most clocks that a network may have: a zone is their square.
const CLOCKS: usize = 2_000;

impl Core {
    /// Reads a core text.
    pub(crate) fn read(text: &str) -> Result<Self, Refusal> {
        let mut core = Self { clocks: vec![Clock::default()], ..Self::default() };
        let mut ended = false;
        let malformed = |line, message| Refusal::Malformed { text: Text::Core, line, message };
        let mut last = 0;
        for (position, line) in text.lines().enumerate() {
            last = position + 1;
            if ended {
                return Err(malformed(last, "text behind the end".to_owned()));
            }
            let mut words = line.split_ascii_whitespace();
            let keyword = words.next().unwrap_or("");
            if (position == 0) != (keyword == "core") {
                return Err(malformed(last, "the first line is `core 1`".to_owned()));
            }
            ended = keyword == "end";
            let words: Vec<&str> = words.collect();
            core.line(last, keyword, &words).map_err(|message| malformed(last, message))?;
        }
        if !ended {
            return Err(malformed(last, "the text is not complete".to_owned()));
        }
        core.validate().map_err(|message| malformed(last, message))?;
        Ok(core)
    }

    fn line(&mut self, line: usize, keyword: &str, words: &[&str]) -> Result<(), String> {
        let code = |words: &[&str]| Code::read(line, words.iter().copied());
        match (keyword, words) {
            ("core", ["1"]) | ("end", []) => {}
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
            ("body", words) => {
                let body = code(words)?;
                self.functions.last_mut().ok_or("a body without a function")?.body = body;
            }
            ("before", words) => self.before.push(code(words)?),
            ("after", words) => self.after.push(code(words)?),
            ("process", [name, priority, initial]) => self.processes.push(Process {
                name: (*name).to_owned(),
                priority: natural(priority)?,
                initial: natural(initial)?,
                locations: Vec::new(),
                edges: Vec::new(),
            }),
            ("query", [kind]) if self.query.is_empty() => self.query = (*kind).to_owned(),
            (keyword, words) if keyword.starts_with("formula") => {
                self.formula_line(line, keyword, words)?;
            }
            (keyword, words) => self.process_line(line, keyword, words)?,
        }
        Ok(())
    }

    fn parameter(&mut self, first: usize, length: usize) -> Result<(), String> {
        let end = first.checked_add(length).filter(|&end| end <= self.locals.len());
        let end = end.ok_or("a parameter without storage")?;
        let function = self.functions.last_mut().ok_or("a parameter without a function")?;
        // Parameters do not share storage: a longer list is nonsense, and could be very long.
        if function.parameters.len() + length > self.locals.len() {
            return Err("more parameters than storage".to_owned());
        }
        function.parameters.extend(first..end);
        Ok(())
    }

    /// A line about the last process: its locations, its edges, or the last of either.
    fn process_line(&mut self, line: usize, keyword: &str, words: &[&str]) -> Result<(), String> {
        let code = |words: &[&str]| Code::read(line, words.iter().copied());
        let process = self.processes.last_mut().ok_or("an unknown keyword")?;
        let (locations, edges) = (&mut process.locations, &mut process.edges);
        match (keyword, words) {
            ("location", [_, kind @ ("ordinary" | "urgent" | "committed")]) if edges.is_empty() => {
                let (urgent, committed) = (*kind == "urgent", *kind == "committed");
                let (invariant, leaving) = (Test::default(), Vec::new());
                locations.push(Location { urgent, committed, invariant, leaving });
                return Ok(());
            }
            ("edge", [source, target]) => {
                let source: usize = natural(source)?;
                let leaving = &mut locations.get_mut(source).ok_or("a missing location")?.leaving;
                leaving.push(edges.len());
                let (select, guard, updates) = (Vec::new(), Test::default(), Vec::new());
                let target = natural(target)?;
                edges.push(Edge { target, select, guard, label: None, updates });
                return Ok(());
            }
            _ => {}
        }
        if let Some(edge) = edges.last_mut() {
            match (keyword, words) {
                ("select", [local, low, high]) => {
                    let (low, high) = (number(low)?, number(high)?);
                    edge.select.push(Select { local: natural(local)?, low, high });
                }
                ("guard", words) => edge.guard.data.push(code(words)?),
                ("guard-clock", words) => edge.guard.clocks.push(constraint(line, words)?),
                ("send" | "receive", [channel, words @ ..]) if edge.label.is_none() => {
                    let (sends, channel) = (keyword == "send", natural(channel)?);
                    edge.label = Some(Label { sends, channel, displacement: code(words)? });
                }
                ("update", words) => edge.updates.push(code(words)?),
                _ => return Err("an unknown keyword".to_owned()),
            }
            return Ok(());
        }
        let location = locations.last_mut().ok_or("an unknown keyword")?;
        match (keyword, words) {
            ("invariant", words) => location.invariant.data.push(code(words)?),
            ("invariant-clock", words) => location.invariant.clocks.push(constraint(line, words)?),
            ("rate", _) => self.has_rates = true,
            ("cost-rate", words) => code(words).map(|_| ())?,
            _ => return Err("an unknown keyword".to_owned()),
        }
        Ok(())
    }

    /// A part of a formula takes its own parts from those that nothing has taken yet.
    fn formula_line(&mut self, line: usize, keyword: &str, words: &[&str]) -> Result<(), String> {
        let part = match (keyword, words) {
            ("formula", words) => Formula::Data(Code::read(line, words.iter().copied())?),
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

    /// Checks the numbers that the successors rely on. Code is checked when it is run.
    fn validate(&self) -> Result<(), String> {
        if self.clocks.len() > CLOCKS {
            return Err(format!("more than {CLOCKS} clocks"));
        }
        for (position, function) in self.functions.iter().enumerate() {
            let calls_later = |operation: &Operation| match *operation {
                Operation::Call(called) => called >= position,
                _ => false,
            };
            if function.body.operations.iter().any(calls_later) {
                return Err("a function calls itself or a later one".to_owned());
            }
        }
        for process in &self.processes {
            let count = process.locations.len();
            let mut targets = process.edges.iter().map(|edge| edge.target);
            if process.initial >= count || targets.any(|target| target >= count) {
                return Err("a location is missing".to_owned());
            }
            let mut locals = process.edges.iter().flat_map(|edge| &edge.select);
            if locals.any(|select| select.local >= self.locals.len()) {
                return Err("a select variable without storage".to_owned());
            }
        }
        Ok(())
    }

    /// The clock at a distance from another.
    pub(crate) fn clock(&self, first: usize, displacement: i64) -> Option<usize> {
        displaced(first, displacement).filter(|clock| (1..self.clocks.len()).contains(clock))
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
    let relation = match *relation {
        "<" => Relation::Less,
        "<=" => Relation::LessEqual,
        "==" => Relation::Equal,
        ">=" => Relation::GreaterEqual,
        ">" => Relation::Greater,
        _ => return Err("an unknown relation".to_owned()),
    };
    let place = |words: &[&str]| match words {
        [clock, words @ ..] => {
            let displacement = Code::read(line, words.iter().copied())?;
            Ok(Place { clock: natural(clock)?, displacement })
        }
        [] => Err("a missing clock".to_owned()),
    };
    Ok(Constraint {
        relation,
        condition: Code::read(line, condition.iter().copied())?,
        left: place(left)?,
        right: if *right == ["-"] { None } else { Some(place(right)?) },
        bound: Code::read(line, bound.iter().copied())?,
    })
}

fn number(word: &str) -> Result<i64, String> {
    word.parse::<i32>().map(i64::from).map_err(|_| format!("`{word}` is not a number"))
}

fn natural<N: std::str::FromStr>(word: &str) -> Result<N, String> {
    word.parse().map_err(|_| format!("`{word}` is not a natural number"))
}
