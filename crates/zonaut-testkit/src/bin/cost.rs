//! The cost of certification: `cost [MODEL QUERIES]...` answers the queries of instances of the
//! families, of the models of this repository, of those in the folder that `ZONAUT_MODELS` names,
//! if it is set, and of the models given. It compares the time of the check with that of the
//! search, and the size of the certificate with that of the store.
//!
//! Exit codes: 0 within the goals, 1 a goal is exceeded or an answer is not certified, 2 wrong
//! usage.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use zonaut_certify::{Limits, check};
use zonaut_engine::{
    Evidence, LoadOptions, QuerySource, Resources, Session, Verdict, VerifyOptions, load, load_text,
};

/// Families, with the sizes whose searches take between some milliseconds and some seconds.
const MEMBERS: [(&str, &[u32]); 10] = [
    ("fischer", &[5, 6, 7, 8]),
    ("csmacd", &[5, 6, 7, 8]),
    ("fddi", &[5, 8, 10]),
    ("critical-region", &[2, 3]),
    ("train-gate", &[3, 4, 5]),
    ("leader-election", &[4, 5]),
    ("arbiter-tree", &[2]),
    ("parallel", &[8, 10]),
    ("dining-philosophers", &[3, 4, 5]),
    ("fireflies", &[4, 5]),
];

/// The minimal search time; shorter ones are below the resolution of the measurement.
const LEAST_SECONDS: f64 = 0.001;
/// The time limit of a search, for the folder of `ZONAUT_MODELS`, which has many models, and for
/// the others.
const MOST_SECONDS: [u64; 2] = [2, 60];
/// Measurements with a smaller total are repeated, up to this many times; the minimum counts, which
/// other processes disturb least.
const REPEATED: (f64, usize) = (0.3, 10);

/// The goals: the ratio of times in the median and at the 95th percentile, and that of bytes.
const GOALS: (f64, f64, f64) = (10.0, 30.0, 2.0);

/// The cost of one answer.
#[derive(Clone, Copy)]
struct Cost {
    time: f64,
    bytes: f64,
    /// Whether the certificate is a set of zones and not a run.
    is_set: bool,
}

/// The costs so far.
#[derive(Default)]
struct Measured {
    costs: Vec<Cost>,
    refused: usize,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if !words.len().is_multiple_of(2) {
        eprintln!("usage: cost [MODEL QUERIES]...");
        return ExitCode::from(2);
    }
    print("search s   check s   ratio  store kB  certificate kB   ratio  query");
    let mut measured = Measured::default();
    let members =
        MEMBERS.iter().flat_map(|&(family, sizes)| sizes.iter().map(move |size| (family, size)));
    for (family, &size) in members {
        let generated = zonaut_families::find(family).map(|family| family.generate(&[size]));
        let Some(Ok(generated)) = generated else { continue };
        let loaded = load_text(family, &generated.text(), &LoadOptions::default());
        let Some(session) = loaded.session() else { continue };
        measured.add(&session, &format!("{family} {size}"), MOST_SECONDS[1]);
    }
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    for model in models_in(&own) {
        measured.add_file(&model, &queries_of(&model), MOST_SECONDS[1]);
    }
    if let Some(folder) = std::env::var_os("ZONAUT_MODELS") {
        for model in models_in(Path::new(&folder)) {
            measured.add_file(&model, &queries_of(&model), MOST_SECONDS[0]);
        }
    }
    for pair in words.chunks_exact(2) {
        let queries = QuerySource::File(PathBuf::from(&pair[1]));
        measured.add_file(Path::new(&pair[0]), &queries, MOST_SECONDS[1]);
    }
    let Measured { costs, refused } = measured;
    let sets: Vec<Cost> = costs.iter().copied().filter(|cost| cost.is_set).collect();
    let is_good = [summarise("answers", &costs), summarise("of them not reached", &sets)];
    ExitCode::from(u8::from(refused > 0 || is_good.contains(&false)))
}

fn print(line: &str) {
    // A closed standard output is no error.
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// Prints the costs of some answers; returns whether they are within the goals.
fn summarise(what: &str, costs: &[Cost]) -> bool {
    let time = |costs: &Cost| costs.time;
    let (median, late) = (percentile(costs, 50, time), percentile(costs, 95, time));
    let size = percentile(costs, 95, |cost| cost.bytes);
    print(&format!(
        "{} {what}: check time / search time {median:.1} in the median, {late:.1} at the 95th \
         percentile; certificate bytes / store bytes {size:.1} at the 95th percentile",
        costs.len()
    ));
    median <= GOALS.0 && late <= GOALS.1 && size <= GOALS.2
}

/// The models in a folder and its subfolders, sorted by name.
fn models_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let is_model = |path: &Path| path.extension().is_some_and(|e| e == "xta" || e == "xml");
    let models = |path: PathBuf| match path.is_dir() {
        true => models_in(&path),
        false => Some(path).filter(|path| is_model(path)).into_iter().collect(),
    };
    paths.into_iter().flat_map(models).collect()
}

/// The queries in the file beside a model, or in the model.
fn queries_of(model: &Path) -> QuerySource {
    let beside = model.with_extension("q");
    if beside.is_file() { QuerySource::File(beside) } else { QuerySource::Embedded }
}

impl Measured {
    /// Answers the queries of a model in a file. A refused model has no answers.
    fn add_file(&mut self, model: &Path, queries: &QuerySource, seconds: u64) {
        let Ok(loaded) = load(model, queries, &LoadOptions::default()) else { return };
        let Some(session) = loaded.session() else { return };
        let name = model.file_name().unwrap_or_default().to_string_lossy();
        self.add(&session, &name, seconds);
    }

    /// Answers all queries and prints the cost of each.
    fn add(&mut self, session: &Session, name: &str, seconds: u64) {
        let time = Some(Duration::from_secs(seconds));
        let resources = Resources { time, ..Resources::default() };
        let options = VerifyOptions { resources, ..VerifyOptions::default() };
        for (id, query) in session.queries() {
            let (searching, (answer, certificate)) = least(|| {
                let mut certificate = Vec::new();
                let out = Evidence { certificate: Some(&mut certificate), ..Evidence::default() };
                let answer = session.verify_with_certificate(id, &options, out);
                (answer.seconds, (answer, certificate))
            });
            if matches!(answer.verdict, Verdict::Unknown(_)) || searching < LEAST_SECONDS {
                continue;
            }
            let core = session.core_text(Some(id));
            let (checking, checked) = least(|| {
                let start = Instant::now();
                let checked = check(&core, &certificate, &Limits::default());
                (start.elapsed().as_secs_f64(), checked)
            });
            if let Err(refusal) = checked {
                self.refused += 1;
                print(&format!("{name}: {refusal}"));
            }
            let (stored, written) = (answer.statistics.bytes as f64, certificate.len() as f64);
            let (time, bytes) = (checking / searching, written / stored);
            print(&format!(
                "{searching:8.3} {checking:9.3} {time:7.1} {:9.0} {:15.0} {bytes:7.2}  {name} {}",
                stored / 1e3,
                written / 1e3,
                query.text
            ));
            self.costs.push(Cost { time, bytes, is_set: answer.depth.is_none() });
        }
    }
}

/// The minimal time of a function, repeated if it is short, and its last result.
fn least<T>(mut timed: impl FnMut() -> (f64, T)) -> (f64, T) {
    let (mut total, mut last) = timed();
    let mut least = total;
    for _ in 1..REPEATED.1 {
        if total >= REPEATED.0 {
            break;
        }
        let (seconds, result) = timed();
        (total, least, last) = (total + seconds, least.min(seconds), result);
    }
    (least, last)
}

/// The given percentile of the values.
fn percentile(costs: &[Cost], percent: usize, value: impl Fn(&Cost) -> f64) -> f64 {
    let mut values: Vec<f64> = costs.iter().map(value).collect();
    values.sort_by(f64::total_cmp);
    let position = (values.len() * percent).div_ceil(100).saturating_sub(1);
    values.get(position).copied().unwrap_or_default()
}
