//! What certificates cost: `cost [MODEL QUERIES]...` answers the queries of members of the families,
//! and of the models given, and compares the time of the check with that of the search, and the
//! bytes of the certificate with those of the store.
//!
//! Exit codes: 0 within the goals, 1 beyond one of them or an answer that is not certified, 2 wrong
//! usage.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;
use zonaut_certify::{Limits, check};
use zonaut_engine::{
    Evidence, LoadOptions, QuerySource, Resources, Session, Verdict, VerifyOptions, load, load_text,
};

/// Members of families whose searches take between some milliseconds and some seconds.
const MEMBERS: [(&str, &[u32]); 24] = [
    ("fischer", &[5]),
    ("fischer", &[6]),
    ("fischer", &[7]),
    ("fischer", &[8]),
    ("csmacd", &[5]),
    ("csmacd", &[6]),
    ("csmacd", &[7]),
    ("csmacd", &[8]),
    ("fddi", &[5]),
    ("fddi", &[8]),
    ("fddi", &[10]),
    ("critical-region", &[2]),
    ("critical-region", &[3]),
    ("train-gate", &[3]),
    ("train-gate", &[4]),
    ("train-gate", &[5]),
    ("leader-election", &[4]),
    ("leader-election", &[5]),
    ("arbiter-tree", &[2]),
    ("parallel", &[8]),
    ("parallel", &[10]),
    ("dining-philosophers", &[3]),
    ("dining-philosophers", &[4]),
    ("dining-philosophers", &[5]),
];

/// Shorter searches are left out: their time is that of a look at the clock.
const LEAST_SECONDS: f64 = 0.001;

/// The goals: the ratio of times in the median and at the 95th percentile, and that of bytes.
const GOALS: (f64, f64, f64) = (10.0, 30.0, 2.0);

/// The cost of one answer.
struct Cost {
    time: f64,
    bytes: f64,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut out = std::io::stdout();
    // A closed standard output is the reader's choice.
    let mut print = |line: &str| drop(writeln!(out, "{line}"));
    print("search s   check s   ratio  store kB  certificate kB   ratio  query");
    let mut costs = Vec::new();
    let mut is_certified = true;
    for (family, parameters) in MEMBERS {
        let generated = zonaut_families::find(family).map(|family| family.generate(parameters));
        let Some(Ok(generated)) = generated else { continue };
        let loaded = load_text(family, &generated.text(), &LoadOptions::default());
        let Some(session) = loaded.session() else { continue };
        is_certified &=
            measure(session, &format!("{family} {parameters:?}"), &mut costs, &mut print);
    }
    for pair in words.chunks(2) {
        let [model, queries] = pair else {
            eprintln!("usage: cost [MODEL QUERIES]...");
            return ExitCode::from(2);
        };
        let source = QuerySource::File(queries.into());
        let loaded = load(Path::new(model), &source, &LoadOptions::default());
        let Ok(loaded) = loaded else { continue };
        let Some(session) = loaded.session() else { continue };
        is_certified &= measure(session, model, &mut costs, &mut print);
    }
    let time = |costs: &Cost| costs.time;
    let (median, late) = (percentile(&costs, 50, time), percentile(&costs, 95, time));
    let size = percentile(&costs, 95, |cost| cost.bytes);
    print(&format!(
        "{} answers: check time / search time {median:.1} in the median, {late:.1} at the 95th \
         percentile; certificate bytes / store bytes {size:.1} at the 95th percentile",
        costs.len()
    ));
    let is_good = median <= GOALS.0 && late <= GOALS.1 && size <= GOALS.2 && is_certified;
    ExitCode::from(u8::from(!is_good))
}

/// Answers all queries and prints what each costs; says whether all are certified.
fn measure(
    session: Session<'_>,
    name: &str,
    costs: &mut Vec<Cost>,
    print: &mut impl FnMut(&str),
) -> bool {
    let mut is_certified = true;
    let resources =
        Resources { time: Some(std::time::Duration::from_secs(60)), ..Resources::default() };
    let options = VerifyOptions { resources, ..VerifyOptions::default() };
    for (id, query) in session.queries() {
        let mut certificate = Vec::new();
        let evidence = Evidence { certificate: Some(&mut certificate), ..Evidence::default() };
        let answer = session.verify_with_certificate(id, &options, evidence);
        if matches!(answer.verdict, Verdict::Unknown(_)) || answer.seconds < LEAST_SECONDS {
            continue;
        }
        let (core, text) = (session.core_text(Some(id)), String::from_utf8_lossy(&certificate));
        let start = Instant::now();
        let checked = check(&core, &text, &Limits::default());
        let seconds = start.elapsed().as_secs_f64();
        if let Err(refusal) = checked {
            is_certified = false;
            print(&format!("{name}: {refusal}"));
        }
        let (stored, written) = (answer.statistics.bytes as f64, certificate.len() as f64);
        let cost = Cost { time: seconds / answer.seconds, bytes: written / stored };
        print(&format!(
            "{:8.3} {:9.3} {:7.1} {:9.0} {:15.0} {:7.2}  {name} {}",
            answer.seconds,
            seconds,
            cost.time,
            stored / 1e3,
            written / 1e3,
            cost.bytes,
            query.text
        ));
        costs.push(cost);
    }
    is_certified
}

/// The value below which so many percent of the values are.
fn percentile(costs: &[Cost], percent: usize, value: impl Fn(&Cost) -> f64) -> f64 {
    let mut values: Vec<f64> = costs.iter().map(value).collect();
    values.sort_by(f64::total_cmp);
    let position = (values.len() * percent).div_ceil(100).saturating_sub(1);
    values.get(position).copied().unwrap_or_default()
}
