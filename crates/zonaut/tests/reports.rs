//! Drawings of models and reports about answers, as the command line writes them.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;
use support::Bench;
use zonaut_engine::{LoadOptions, QuerySource, Random, Session, Trace, load};
use zonaut_report::{Dead, Report, Run, Tone, write_report};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn model(name: &str) -> String {
    repository().join("models").join(name).display().to_string()
}

#[test]
fn the_picture_in_the_readme_is_what_the_tool_draws() {
    let bench = Bench::new();
    let picture = bench.path("train-gate.svg").display().to_string();
    let run = bench.run(&["convert", &model("train-gate/train-gate.xta"), &picture]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let drawn = fs::read_to_string(&picture).unwrap();
    let kept = fs::read_to_string(repository().join("docs/train-gate.svg")).unwrap();
    assert!(drawn == kept, "draw docs/train-gate.svg again with `zonaut convert`");
}

#[test]
fn a_page_shows_the_run_and_changes_nothing_else() {
    let bench = Bench::new();
    let (path, query) = (model("fischer/fischer-hasty.xta"), "E<> P(1).critical && P(2).critical");
    let page = bench.path("run.html").display().to_string();
    let plain = bench.run(&["verify", &path, "-q", query]);
    let run = bench.run(&["verify", &path, "-q", query, "--report", &page]);
    assert_eq!((run.code, plain.code), (Some(0), Some(0)), "{}", run.stderr);
    assert_eq!(run.stdout.lines().count(), plain.stdout.lines().count());
    let text = fs::read_to_string(&page).unwrap();
    for part in
        [">satisfied</span>", "accepted by the independent checker", "\"zones\":{\"count\":4"]
    {
        assert!(text.contains(part), "{part}");
    }
    assert!(text.contains("zonaut verify") && text.contains("6 transitions in "));
}

#[test]
fn a_report_begins_with_one_sentence_about_the_answer() {
    let bench = Bench::new();
    let page = bench.path("page.html").display().to_string();
    let check = |words: &[&str], expected: &[&str]| {
        bench.run(&[words, &["--report", &page]].concat());
        let text = fs::read_to_string(&page).expect("a page");
        for part in expected {
            assert!(text.contains(part), "{words:?}: {part}");
        }
    };
    let gate = model("train-gate/train-gate.xta");
    check(
        &["verify", &gate, "-q", "A<> Train(0).crossing"],
        &["Train(0).crossing never holds: in the initial state, time passes for ever."],
    );
    check(
        &["verify", &gate, "-q", "E[] not Train(0).crossing"],
        &["not Train(0).crossing always holds: in the initial state"],
    );
    check(
        &["verify", &gate, "-q", "Train(0).away --> Train(0).halted"],
        &["Train(0).away holds, and Train(0).halted never does after it: in the initial state, "],
    );
    // States are numbered in the chart by step, and the certificate is beside the model's name.
    check(
        &["verify", &gate, "-q", "E<> Train(0).crossing and Train(1).halted"],
        &[" data-by-step=\"1\"", ">4</text>", "<span class=\"certified\">certified</span>"],
    );
    check(
        &["explore", &model("lossy-link/lossy-link.xml")],
        &[
            "<span class=\"verdict open\">deadlock</span> A deadlock is reachable, after 3 ",
            "No process can move:<br>Sender.done: no edge leaves this location<br>Link.empty -&gt; Link.busy",
        ],
    );
    check(
        &["verify", &model("retries/retries.xta"), "-q", "E[<=20; 20](max: 1)"],
        &["<span class=\"verdict neutral\">estimated</span>"],
    );
}

#[test]
fn every_answer_has_a_report() {
    let bench = Bench::new();
    let path = model("lossy-link/lossy-link.xml");
    let page = bench.path("link.html").display().to_string();
    let queries = ["-q", "E<> Sender.done", "-q", "A[] not Sender.failed", "-q", "A[] total >= 0"];
    let words = [&["verify", &path, "--report", &page], &queries[..]].concat();
    assert_eq!(bench.run(&words).code, Some(1));
    let verdicts = ["satisfied", "not satisfied", "satisfied"];
    for (number, verdict) in verdicts.into_iter().enumerate() {
        let text = fs::read_to_string(bench.path(&format!("link-{}.html", number + 1))).unwrap();
        assert!(text.contains(&format!(">{verdict}</span>")), "{verdict}");
        // The edge through the branchpoint is marked in both of its parts.
        assert_eq!(text.contains("id=\"run\""), number < 2);
    }
    let index = fs::read_to_string(&page).expect("an index");
    assert_eq!(index.matches("class=\"entry\"").count(), 3, "{index}");
}

#[test]
fn a_page_that_cannot_be_written_is_wrong_input() {
    let bench = Bench::new();
    let target = bench.path("nowhere/run.html").display().to_string();
    let path = model("fischer/fischer.xta");
    let run = bench.run(&["verify", &path, "-q", "E<> P(1).critical", "--report", &target]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
}

#[test]
fn pages_about_all_our_models_are_small() {
    let bench = Bench::new();
    let mut count = 0;
    for folder in fs::read_dir(repository().join("models")).unwrap() {
        let Ok(files) = fs::read_dir(folder.unwrap().path()) else { continue };
        for file in files {
            let file = file.unwrap().path();
            if !file.extension().is_some_and(|extension| extension == "xta" || extension == "xml") {
                continue;
            }
            count += 1;
            let page = bench.path(&format!("{count}.html")).display().to_string();
            let path = file.display().to_string();
            let queries = file.with_extension("q").display().to_string();
            let mut words = vec!["verify", &path, "--certify", "never", "--report", &page];
            if Path::new(&queries).exists() {
                words.insert(2, &queries);
            }
            let run = bench.run(&words);
            assert!(run.code.is_some_and(|code| code <= 3), "{path}: {}", run.stderr);
        }
    }
    assert!(count >= 14);
    let pages = fs::read_dir(bench.path("")).unwrap().map(|entry| entry.unwrap().path());
    let pages: Vec<PathBuf> =
        pages.filter(|path| path.extension().is_some_and(|e| e == "html")).collect();
    assert!(pages.len() > 30, "{}", pages.len());
    for page in pages {
        assert!(fs::metadata(&page).unwrap().len() < 300_000, "{}", page.display());
    }
}

/// The maximal number of transitions of a run in a report.
const STEPS: usize = 2_000;

/// A random run.
fn random_run(session: &Session, steps: usize) -> Option<Trace> {
    let mut simulator = session.simulator().ok()?;
    let mut random = Random::new(7);
    for _ in 0..steps {
        let choices = simulator.choices().iter().enumerate();
        let possible: Vec<usize> =
            choices.filter(|(_, it)| it.failure.is_none()).map(|(number, _)| number).collect();
        if possible.is_empty() {
            break;
        }
        simulator.take(possible[random.below(possible.len())]);
    }
    simulator.trace()
}

/// The report about a run of a model.
fn page(session: &Session, name: &str, trace: &Trace) -> String {
    let symbolic = session.symbolic_trace(trace);
    write_report(&Report {
        labels: session.labels(),
        model: name,
        digest: &session.digest(None),
        command: "zonaut verify --report",
        program: "zonaut",
        query: "a run by chance",
        verdict: "explored",
        tone: Tone::Open,
        summary: "A run by chance.",
        reason: None,
        certificate: "nothing to certify",
        is_certified: false,
        facts: &[],
        lists: &[],
        charts: &[],
        plots: &[],
        run: Some(Run { trace, symbolic: symbolic.as_ref() }),
        is_schedule: false,
        dead: &Dead::default(),
    })
}

/// All models below a folder.
fn models_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            let is_model = ["xml", "xta", "ta"]
                .iter()
                .any(|end| path.extension().is_some_and(|it| it == *end));
            match path.is_dir() {
                true => waiting.push(path),
                false if is_model => found.push(path),
                false => {}
            }
        }
    }
    found.sort();
    found
}

/// Writes a report about a long run of every model that has one; their sizes are printed.
#[test]
#[ignore = "needs ZONAUT_MODELS, a folder of public models, and some minutes"]
fn pages_about_long_runs_of_many_models_are_small() {
    let public = std::env::var_os("ZONAUT_MODELS").expect("ZONAUT_MODELS names a folder of models");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    fs::create_dir_all(&folder).expect("a folder");
    let (own, public) =
        (models_below(&repository().join("models")), models_below(Path::new(&public)));
    let (mut pages, mut large) = ([0, 0], 0);
    for (kind, path) in own.iter().map(|path| (0, path)).chain(public.iter().map(|path| (1, path)))
    {
        let loaded = load(path, &QuerySource::WithModel, &LoadOptions::default());
        let Some(session) = loaded.ok().and_then(|loaded| loaded.session()) else { continue };
        let begun = Instant::now();
        // With stopwatches, every transition at every step is concretised along the whole run.
        let steps = if session.model().has_rates() { STEPS / 40 } else { STEPS };
        let Some(trace) = random_run(&session, steps) else { continue };
        let name = path.file_name().expect("a name").to_string_lossy();
        let text = page(&session, &name, &trace);
        let steps = trace.steps.len();
        eprintln!("{:>9} bytes, {steps:>4} steps, {:?}: {name}", text.len(), begun.elapsed());
        let is_small = text.len() < 2_000_000;
        assert!(is_small || kind == 1, "{}: {} bytes", path.display(), text.len());
        large += usize::from(!is_small);
        fs::write(folder.join(format!("{name}-{}.html", pages[kind])), text).expect("a page");
        pages[kind] += 1;
    }
    eprintln!(
        "{} pages about our models, {} about public ones, {large} of these too large",
        pages[0], pages[1]
    );
    assert!(pages[0] >= own.len() - 2 && pages[1] - large >= 50, "{pages:?}");
}
