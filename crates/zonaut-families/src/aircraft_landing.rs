//! Aircraft landing problems, from files in the format of the OR-Library.
//!
//! The file has the number of aircraft and the freeze time; then for each aircraft its appearance,
//! its earliest, target and latest landing time, the penalties for each unit of time before and after
//! the target, and the separation times to all aircraft that land after it on the same runway.
//! Penalties may have decimals; the costs of the model are then multiplied by a power of ten.

use std::fmt;

use crate::family::Generated;

/// The most aircraft of a problem.
const MOST_AIRCRAFT: u64 = 1_000;
/// The most runways of a problem.
const MOST_RUNWAYS: u64 = 1_000;
/// Times and penalties are below this.
const MOST: u64 = 1 << 24;
/// The most decimals of a penalty.
const MOST_DECIMALS: usize = 4;

/// An aircraft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aircraft {
    /// The earliest landing time.
    pub earliest: u64,
    /// The landing time without penalty.
    pub target: u64,
    /// The latest landing time.
    pub latest: u64,
    /// The penalty for each unit of time before the target.
    pub early_penalty: u64,
    /// The penalty for each unit of time after the target.
    pub late_penalty: u64,
    /// The time until each aircraft may land after this one on the same runway.
    pub separation: Vec<u64>,
}

/// An aircraft landing problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AircraftLanding {
    /// The aircraft.
    pub aircraft: Vec<Aircraft>,
    /// The number of runways.
    pub runways: u64,
    /// The factor by which penalties are multiplied.
    pub scale: u64,
}

/// The reason why a text is not an aircraft landing problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AircraftLandingError {
    /// The line, counted from 1; absent for the number of runways.
    pub line: Option<usize>,
    /// The problem.
    pub problem: &'static str,
}

impl fmt::Display for AircraftLandingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.problem),
            None => f.write_str(self.problem),
        }
    }
}

impl std::error::Error for AircraftLandingError {}

/// The numbers of a file, one after the other.
struct Words<'t> {
    words: std::vec::IntoIter<(usize, &'t str)>,
    line: usize,
}

impl<'t> Words<'t> {
    fn of(text: &'t str) -> Self {
        let lines = text.lines().enumerate();
        let words =
            lines.flat_map(|(n, line)| line.split_whitespace().map(move |word| (n + 1, word)));
        Self { words: words.collect::<Vec<_>>().into_iter(), line: 1 }
    }

    fn error(&self, problem: &'static str) -> AircraftLandingError {
        AircraftLandingError { line: Some(self.line), problem }
    }

    fn next(&mut self) -> Result<&'t str, AircraftLandingError> {
        let (line, word) = self.words.next().ok_or(self.error("the file ends too early"))?;
        self.line = line;
        Ok(word)
    }

    fn number(&mut self) -> Result<u64, AircraftLandingError> {
        let number = self.next()?.parse().ok().filter(|&number| number < MOST);
        number.ok_or(self.error("this should be natural numbers below 2^24"))
    }

    /// A penalty in units of one over 10^[`MOST_DECIMALS`].
    fn penalty(&mut self) -> Result<u64, AircraftLandingError> {
        let word = self.next()?;
        let (whole, decimals) = word.split_once('.').unwrap_or((word, ""));
        let decimals = decimals.trim_end_matches('0');
        let is_number = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
        if decimals.len() > MOST_DECIMALS || !is_number(whole) || !is_number(decimals) {
            return Err(self.error("a penalty should be a number with at most 4 decimals"));
        }
        let digits = format!("{whole}{decimals:0<MOST_DECIMALS$}");
        let number = digits.parse().ok().filter(|&number| number < MOST * FINEST);
        number.ok_or(self.error("a penalty is too large"))
    }
}

/// The scale of penalties with all decimals.
const FINEST: u64 = 10_u64.pow(MOST_DECIMALS as u32);

impl AircraftLanding {
    /// Reads a problem for this number of runways.
    ///
    /// # Errors
    /// The first number that violates the format.
    pub fn read(text: &str, runways: u64) -> Result<Self, AircraftLandingError> {
        if !(1..=MOST_RUNWAYS).contains(&runways) {
            let problem = "the number of runways should be between 1 and 1000";
            return Err(AircraftLandingError { line: None, problem });
        }
        let mut words = Words::of(text);
        let count = words.number()?;
        if !(1..=MOST_AIRCRAFT).contains(&count) {
            return Err(words.error("the number of aircraft should be between 1 and 1000"));
        }
        words.number()?;
        let mut aircraft = Vec::new();
        for _ in 0..count {
            words.number()?;
            let (earliest, target, latest) = (words.number()?, words.number()?, words.number()?);
            if !(earliest <= target && target <= latest) {
                return Err(words.error("the target time should be between the other two"));
            }
            let (early_penalty, late_penalty) = (words.penalty()?, words.penalty()?);
            let separation = (0..count).map(|_| words.number()).collect::<Result<_, _>>()?;
            aircraft.push(Aircraft {
                earliest,
                target,
                latest,
                early_penalty,
                late_penalty,
                separation,
            });
        }
        if words.next().is_ok() {
            return Err(words.error("there are more numbers than announced"));
        }
        let mut problem = Self { aircraft, runways, scale: FINEST };
        while problem.scale > 1 && problem.penalties().all(|penalty| *penalty % 10 == 0) {
            problem.penalties().for_each(|penalty| *penalty /= 10);
            problem.scale /= 10;
        }
        if problem.penalties().any(|penalty| *penalty >= MOST) {
            return Err(words.error("a penalty is too large"));
        }
        Ok(problem)
    }

    fn penalties(&mut self) -> impl Iterator<Item = &mut u64> {
        self.aircraft.iter_mut().flat_map(|one| [&mut one.early_penalty, &mut one.late_penalty])
    }

    /// The number of earlier landings on a runway that may still delay a landing: after more than
    /// these, the separations in between add up to enough. It is 1 if separations satisfy the triangle
    /// inequality.
    fn memory(&self) -> usize {
        let count = self.aircraft.len();
        let separation = |first: usize, second: usize| match first == second {
            // An aircraft does not follow itself.
            true => u64::MAX,
            false => self.aircraft[first].separation[second],
        };
        let row = |first: usize| (0..count).map(|second| separation(first, second)).collect();
        let direct: Vec<Vec<u64>> = (0..count).map(row).collect();
        let mut sums = direct.clone();
        let mut memory = 1;
        while memory < count.saturating_sub(1) {
            let through = |first: usize, second: usize| {
                let sums = (0..count)
                    .map(|between| sums[first][between].saturating_add(direct[between][second]));
                sums.min().unwrap_or(u64::MAX)
            };
            let next: Vec<Vec<u64>> = (0..count)
                .map(|first| (0..count).map(|second| through(first, second)).collect())
                .collect();
            let suffices = |first: usize| {
                let pairs = next[first].iter().zip(&direct[first]).enumerate();
                pairs.into_iter().all(|(second, (sum, own))| second == first || sum >= own)
            };
            if (0..count).all(suffices) {
                break;
            }
            sums = next;
            memory += 1;
        }
        memory
    }

    /// The model: a process for each aircraft, which pays for the time between its landing and its
    /// target, and the query whether all can land.
    #[must_use]
    pub fn generate(&self) -> Generated {
        let (count, runways, memory) = (self.aircraft.len(), self.runways, self.memory());
        let scale = match self.scale {
            1 => String::new(),
            scale => format!("// Costs are multiplied by {scale}.\n"),
        };
        let list = |of: fn(&Aircraft) -> u64| {
            let values: Vec<String> = self.aircraft.iter().map(|one| of(one).to_string()).collect();
            values.join(", ")
        };
        let separation: Vec<String> = self
            .aircraft
            .iter()
            .enumerate()
            .map(|(own, one)| {
                let others = one.separation.iter().enumerate();
                let times = others.map(|(other, &time)| if other == own { 0 } else { time });
                let times: Vec<String> = times.map(|time| time.to_string()).collect();
                format!("    {{ {} }}", times.join(", "))
            })
            .collect();
        let Landings { declarations, separated, lands } = Landings::of(memory, runways);
        let model = format!(
            "// {count} aircraft land on {runways} runway(s). An aircraft that lands before its target time\n\
             // pays a rate from then until the target, one that lands after it pays another rate from the\n\
             // target until it lands. `zonaut optimize` computes the least total penalty.\n{scale}\n\
             const int N = {count};\nconst int R = {runways};\n\
             typedef int[0, N - 1] aircraft_t;\n\
             typedef scalar[R] runway_t;  // runways are interchangeable\n\n\
             const int EARLIEST[N] = {{ {} }};\nconst int TARGET[N] = {{ {} }};\n\
             const int LATEST[N] = {{ {} }};\nconst int EARLY[N] = {{ {} }};\n\
             const int LATE[N] = {{ {} }};\n\
             // The time after which the second aircraft may follow the first on its runway.\n\
             const int SEPARATION[N][N] = {{\n{}\n}};\n\n\
             clock time;\n{declarations}\n\
             process Aircraft(const aircraft_t id) {{\n    state\n        \
             approaching {{ time <= TARGET[id] }},\n        \
             early {{ time <= TARGET[id] && cost' == EARLY[id] }},\n        \
             late {{ time <= LATEST[id] && cost' == LATE[id] }},\n        landed;\n    \
             init approaching;\n    trans\n        \
             approaching -> early {{\n            select r : runway_t;\n            \
             guard time >= EARLIEST[id] && {separated};\n            {lands}\n        }},\n        \
             early -> landed {{ guard time >= TARGET[id]; }},\n        \
             approaching -> late {{ guard time >= TARGET[id]; }},\n        \
             late -> landed {{\n            select r : runway_t;\n            \
             guard {separated};\n            {lands}\n        }};\n}}\n\nsystem Aircraft;\n",
            list(|one| one.earliest),
            list(|one| one.target),
            list(|one| one.latest),
            list(|one| one.early_penalty),
            list(|one| one.late_penalty),
            separation.join(",\n"),
        );
        let query = "E<> forall (i : aircraft_t) Aircraft(i).landed".to_owned();
        Generated { model, queries: vec![query] }
    }
}

/// The record of the last landings on each runway.
struct Landings {
    /// Its variables.
    declarations: String,
    /// The condition that all recorded landings on runway `r` are far enough in the past.
    separated: &'static str,
    /// The landing on runway `r`.
    lands: String,
}

impl Landings {
    /// The record of this number of landings on each runway.
    fn of(memory: usize, runways: u64) -> Self {
        let each = |value: &str| vec![value; runways as usize].join(", ");
        if memory == 1 {
            return Self {
                declarations: format!(
                    "// Only the last landing on a runway can delay the next one: separations satisfy the\n\
                     // triangle inequality.\n\
                     clock since[runway_t];                      // the time since it\n\
                     int[-1, N - 1] last[runway_t] = {{ {} }};  // its aircraft, or -1\n",
                    each("-1")
                ),
                separated: "(last[r] >= 0 imply since[r] >= SEPARATION[last[r]][id])",
                lands: "assign since[r] = 0, last[r] = id;".to_owned(),
            };
        }
        let none = format!("{{ {} }}", vec!["-1"; memory].join(", "));
        let shift = (1..memory).rev().map(|place| {
            let before = place - 1;
            format!(
                "since[r][{place}] = since[r][{before}], last[r][{place}] = last[r][{before}], "
            )
        });
        Self {
            declarations: format!(
                "// The last M landings on a runway can delay the next one.\nconst int M = {memory};\n\
                 clock since[runway_t][M];  // the time since each of them, the last one first\n\
                 // The aircraft of each of them, or -1.\n\
                 int[-1, N - 1] last[runway_t][M] = {{ {} }};\n",
                each(&none)
            ),
            separated: "(forall (k : int[0, M - 1])\n                \
                        last[r][k] >= 0 imply since[r][k] >= SEPARATION[last[r][k]][id])",
            lands: format!("assign {}since[r][0] = 0, last[r][0] = id;", shift.collect::<String>()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = "2 10\n 5 10 12 30 2.00 0.5\n 99999 3\n 6 11 12 40 1.00 3\n 4 99999\n";

    #[test]
    fn penalties_with_decimals_are_scaled() {
        let problem = AircraftLanding::read(TWO, 1).expect("a problem");
        assert_eq!(problem.scale, 10);
        let first = &problem.aircraft[0];
        assert_eq!((first.early_penalty, first.late_penalty), (20, 5));
        assert_eq!(first.separation, [99999, 3]);
        let text = problem.generate().model;
        assert!(text.contains("multiplied by 10.") && text.contains("{ 0, 3 }"), "{text}");
        let whole = AircraftLanding::read(&TWO.replace("0.5", "5"), 2).expect("a problem");
        assert_eq!((whole.scale, whole.aircraft[0].late_penalty), (1, 5));
    }

    #[test]
    fn landings_are_remembered_as_long_as_they_matter() {
        let problem = |separation: [[u64; 3]; 3]| AircraftLanding {
            aircraft: separation
                .map(|row| Aircraft {
                    earliest: 0,
                    target: 5,
                    latest: 9,
                    early_penalty: 1,
                    late_penalty: 1,
                    separation: row.to_vec(),
                })
                .to_vec(),
            runways: 2,
            scale: 1,
        };
        let metric = problem([[9, 3, 5], [3, 9, 3], [5, 3, 9]]);
        assert_eq!(metric.memory(), 1);
        assert!(metric.generate().model.contains("clock since[runway_t];"));
        let other = problem([[9, 2, 5], [2, 9, 2], [5, 2, 9]]);
        assert_eq!(other.memory(), 2);
        let text = other.generate().model;
        assert!(text.contains("since[r][1] = since[r][0], last[r][1] = last[r][0], "), "{text}");
    }

    #[test]
    fn errors_have_line_numbers() {
        let line = |text: &str| AircraftLanding::read(text, 1).map_err(|error| error.line);
        assert_eq!(line(""), Err(Some(1)));
        assert_eq!(line("0 10"), Err(Some(1)));
        assert_eq!(line(&TWO.replace("40", "11")), Err(Some(4)));
        assert_eq!(line(&TWO.replace("0.5", "-1")), Err(Some(2)));
        assert_eq!(line(&TWO.replace("0.5", "0.12345")), Err(Some(2)));
        assert_eq!(line(&TWO.replace(" 4 99999\n", "4")), Err(Some(5)));
        assert_eq!(line(&format!("{TWO} 7")), Err(Some(6)));
        assert_eq!(AircraftLanding::read(TWO, 0).map_err(|error| error.line), Err(None));
    }
}
