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

    /// The model: a process for each aircraft, which pays for the time between its landing and its
    /// target, and the query whether all can land.
    #[must_use]
    pub fn generate(&self) -> Generated {
        let (count, runways) = (self.aircraft.len(), self.runways);
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
                // An aircraft does not follow itself.
                let others = one.separation.iter().enumerate();
                let times = others.map(|(other, &time)| if other == own { 0 } else { time });
                let times: Vec<String> = times.map(|time| time.to_string()).collect();
                format!("    {{ {} }}", times.join(", "))
            })
            .collect();
        let model = format!(
            "// {count} aircraft land on {runways} runway(s). An aircraft that lands before its target time\n\
             // pays a rate from then until the target, one that lands after it pays another rate from the\n\
             // target until it lands. `zonaut optimize` computes the least total penalty.\n{scale}\n\
             const int N = {count};\nconst int R = {runways};\n\
             typedef int[0, N - 1] aircraft_t;\ntypedef int[0, R - 1] runway_t;\n\n\
             const int EARLIEST[N] = {{ {} }};\nconst int TARGET[N] = {{ {} }};\n\
             const int LATEST[N] = {{ {} }};\nconst int EARLY[N] = {{ {} }};\n\
             const int LATE[N] = {{ {} }};\n\
             // The time after which the second aircraft may follow the first on its runway.\n\
             const int SEPARATION[N][N] = {{\n{}\n}};\n\n\
             clock time;\n\
             clock since[N];      // the time since each landing\n\
             int[-1, R - 1] runway[N] = {{ {} }};  // the runway of each aircraft that has landed\n\n\
             process Aircraft(const aircraft_t id) {{\n    state\n        \
             approaching {{ time <= TARGET[id] }},\n        \
             early {{ time <= TARGET[id] && cost' == EARLY[id] }},\n        \
             late {{ time <= LATEST[id] && cost' == LATE[id] }},\n        landed;\n    \
             init approaching;\n    trans\n        \
             approaching -> early {{\n            select r : runway_t;\n            \
             guard time >= EARLIEST[id] && {SEPARATED};\n            {LANDS}\n        }},\n        \
             early -> landed {{ guard time >= TARGET[id]; }},\n        \
             approaching -> late {{ guard time >= TARGET[id]; }},\n        \
             late -> landed {{\n            select r : runway_t;\n            \
             guard {SEPARATED};\n            {LANDS}\n        }};\n}}\n\nsystem Aircraft;\n",
            list(|one| one.earliest),
            list(|one| one.target),
            list(|one| one.latest),
            list(|one| one.early_penalty),
            list(|one| one.late_penalty),
            separation.join(",\n"),
            vec!["-1"; count].join(", "),
        );
        let query = "E<> forall (i : aircraft_t) Aircraft(i).landed".to_owned();
        Generated { model, queries: vec![query] }
    }
}

/// All aircraft that have landed on runway `r` are far enough ahead.
const SEPARATED: &str =
    "forall (i : aircraft_t) runway[i] == r imply since[i] >= SEPARATION[i][id]";
/// The landing on runway `r`.
const LANDS: &str = "assign since[id] = 0, runway[id] = r;";

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
