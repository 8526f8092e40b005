//! Certificates about random networks: the checker accepts them, and they prove the answers; without
//! one of their states or steps, or with another value, it does not.

use std::collections::BTreeMap;
use zonaut_base::Id;
use zonaut_model::{ClockId, Formula, Model, QueryId, QueryKind, core_text};
use zonaut_testkit::certify::{Limits, check, seal};
use zonaut_testkit::engine::{
    Abstraction, Answer, Resources, Strategy, TraceWish, Verdict, VerifyOptions,
};
use zonaut_testkit::evidence::{answered, asking, judge};
use zonaut_testkit::front_end::model_of;
use zonaut_testkit::generate::generate;
use zonaut_testkit::liveness::questions;
use zonaut_testkit::random::Random;
use zonaut_testkit::values::{Subject, question};

/// A model with one query, its answer, and the certificate.
struct Certified {
    model: Model,
    answer: Answer,
    text: String,
}

impl Certified {
    /// The certificate of the answer to `query`; `None` if the answer has no certificate.
    fn of(model: &Model, query: &QueryKind, options: &VerifyOptions) -> Option<Self> {
        let model = asking(model, query);
        let (answer, text) = answered(&model, options);
        let text = String::from_utf8(text?).ok()?;
        Some(Self { model, answer, text })
    }

    fn lines(&self) -> Vec<&str> {
        self.text.lines().filter(|line| !line.starts_with("end ")).collect()
    }

    /// The first word after `keyword`, of the first line with it.
    fn word(&self, keyword: &str) -> &str {
        let line = self.text.lines().find_map(|line| line.strip_prefix(keyword));
        line.and_then(|rest| rest.split_whitespace().next()).unwrap_or("none")
    }

    /// The positions of the lines with this keyword.
    fn with_keyword(&self, keyword: &str) -> Vec<usize> {
        let lines = self.lines();
        (0..lines.len()).filter(|&at| lines[at].split(' ').next() == Some(keyword)).collect()
    }

    /// Whether the checker accepts these lines, sealed, as a certificate about the same question.
    fn accepts(&self, lines: &[String]) -> bool {
        let query = &self.model.queries[QueryId::from_index(0)].kind;
        let core = core_text::write(&self.model, Some(query));
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        check(&core, &seal(text), &Limits::default()).is_ok()
    }

    /// The lines with the one at `position` replaced, or removed.
    fn changed(&self, position: usize, line: Option<String>) -> Vec<String> {
        let mut lines: Vec<String> = self.lines().into_iter().map(str::to_owned).collect();
        match line {
            Some(line) => lines[position] = line,
            None => drop(lines.remove(position)),
        }
        lines
    }

    /// The lines without the node at a position; the nodes behind it are renumbered.
    fn without_node(&self, position: usize) -> Vec<String> {
        let mut number = 0;
        let renumbered = self.changed(position, None).into_iter().map(|line| {
            let mut words: Vec<String> = line.splitn(3, ' ').map(str::to_owned).collect();
            match words[0].as_str() {
                "nodes" => {
                    words[1] = (words[1].parse::<usize>().expect("a number") - 1).to_string();
                }
                "node" => {
                    words[1] = number.to_string();
                    number += 1;
                }
                _ => return line,
            }
            words.join(" ")
        });
        renumbered.collect()
    }
}

fn options(strategy: &str, abstraction: Option<Abstraction>) -> VerifyOptions {
    VerifyOptions {
        strategy: strategy.parse::<Strategy>().expect("a strategy"),
        abstraction,
        resources: Resources { states: Some(2_000), ..Resources::default() },
        ..VerifyOptions::default()
    }
}

/// The own query of the network of a seed, and the absence of deadlocks.
fn reachability(seed: u64) -> (Model, [QueryKind; 2]) {
    let model = generate(seed).to_model();
    let own = model.queries[QueryId::from_index(0)].kind.clone();
    let no_deadlock = QueryKind::Always(Formula::Not(Box::new(Formula::Deadlock)));
    (model, [own, no_deadlock])
}

/// Models that fail at run time: in an update, and in a guard.
const FAILING: [&str; 2] = [
    "clock x; int[0,2] n; process P() { state a; init a; \
     trans a -> a { guard x > 1; assign n = n + 1, x = 0; }; } system P;",
    "int n; process P() { state a; init a; \
     trans a -> a { guard 6 / (2 - n) > 0; assign n = n + 1; }; } system P;",
];

/// Whether the certificate is accepted as a proof of the answer; its kind and form are counted.
fn examine(certified: &Certified, forms: &mut BTreeMap<String, usize>) -> Result<(), String> {
    judge(&certified.model, &certified.answer, certified.text.as_bytes())?;
    let end = ["goal", "fails", "stays", "repeats"];
    let end = end.into_iter().find(|end| certified.lines().contains(end));
    let form = end.unwrap_or_else(|| certified.word("abs "));
    *forms.entry(format!("{} {form}", certified.word("kind "))).or_default() += 1;
    Ok(())
}

#[test]
fn certificates_of_every_kind_are_accepted() {
    let strategies = [
        ("bfs", Some(Abstraction::Simulation)),
        ("bfs", Some(Abstraction::LowerUpperPlus)),
        ("greedy(hl)", None),
        ("lazy", None),
        ("lazy(clocks=lu)", None),
    ];
    let mut forms = BTreeMap::new();
    for seed in 0..150 {
        let (model, queries) = reachability(seed);
        for (strategy, abstraction) in strategies {
            for query in &queries {
                let options = options(strategy, abstraction);
                if let Some(certified) = Certified::of(&model, query, &options) {
                    let examined = examine(&certified, &mut forms);
                    assert_eq!(examined, Ok(()), "{seed} {strategy}\n{}", certified.text);
                }
            }
        }
        let (mut model, mut queries) = (model, Vec::new());
        queries.extend(questions(&mut model, seed, 1));
        if !model.clocks.is_empty() {
            let clock = ClockId::from_index(Random::new(seed).below(model.clocks.len()));
            queries.push(question(&mut model, &Formula::truth(), &[Subject::Clock(clock)]));
        }
        for query in &queries {
            if let Some(certified) = Certified::of(&model, query, &options("bfs", None)) {
                let examined = examine(&certified, &mut forms);
                assert_eq!(examined, Ok(()), "{seed}\n{}", certified.text);
            }
        }
    }
    for text in FAILING {
        let (model, _) = model_of(text, &["A[] n < 7"]).expect("a model");
        let query = model.queries[QueryId::from_index(0)].kind.clone();
        let certified =
            Certified::of(&model, &query, &options("bfs", None)).expect("a certificate");
        let examined = examine(&certified, &mut forms);
        assert_eq!(examined, Ok(()), "{text}\n{}", certified.text);
    }
    let expected = [
        "reach goal",
        "reach fails",
        "deadlock goal",
        "unreach lu",
        "unreach incl",
        "nodeadlock lu",
        "lasso stays",
        "lasso repeats",
        "live incl",
        "live lu",
        "values lu",
    ];
    for form in expected {
        assert!(forms.get(form).is_some_and(|&count| count >= 2), "{form}: {forms:?}");
    }
}

/// No live state of an eager search covers another one. If none was evicted, every state is initial
/// or the successor of another one of the set, which only itself covers. So each is necessary.
#[test]
fn a_closed_set_without_one_of_its_states_is_rejected() {
    let mut removed = 0;
    for seed in 0..200 {
        let (model, queries) = reachability(seed);
        let options = options("bfs", Some(Abstraction::Simulation));
        for query in &queries {
            let Some(certified) = Certified::of(&model, query, &options) else { continue };
            let nodes = certified.with_keyword("node");
            let has_evicted = certified.answer.statistics.evicted > 0;
            if certified.word("abs ") != "lu" || nodes.len() < 2 || has_evicted {
                continue;
            }
            for node in nodes.into_iter().take(40) {
                let lines = certified.without_node(node);
                assert!(!certified.accepts(&lines), "{seed}\n{}", lines.join("\n"));
                removed += 1;
            }
        }
    }
    assert!(removed > 200, "{removed}");
}

/// A shortest run without one of its transitions would be a shorter one.
#[test]
fn a_shortest_run_without_one_of_its_transitions_is_rejected() {
    let mut removed = 0;
    for seed in 0..200 {
        let (model, queries) = reachability(seed);
        let options = VerifyOptions { trace: TraceWish::Shortest, ..options("bfs", None) };
        for query in &queries {
            let Some(certified) = Certified::of(&model, query, &options) else { continue };
            if !certified.lines().contains(&"goal") {
                continue;
            }
            for step in certified.with_keyword("act") {
                let lines = certified.changed(step, None);
                assert!(!certified.accepts(&lines), "{seed}\n{}", lines.join("\n"));
                removed += 1;
            }
        }
    }
    assert!(removed > 200, "{removed}");
}

/// Values that differ from the stated one.
fn other_values(value: &str) -> Vec<String> {
    match value.split_once(' ') {
        Some((how, number)) => {
            let number: i64 = number.parse().expect("a number");
            let other = if how == "attained" { "approached" } else { "attained" };
            vec![
                format!("{how} {}", number + 1),
                format!("{how} {}", number - 1),
                format!("{other} {number}"),
                "unbounded".to_owned(),
            ]
        }
        None => vec!["attained 1000".to_owned(), "approached 1000".to_owned()],
    }
}

#[test]
fn another_value_is_rejected() {
    let mut changed = 0;
    for seed in 0..150 {
        let mut model = generate(seed).to_model();
        if model.clocks.is_empty() {
            continue;
        }
        let clock = ClockId::from_index(Random::new(seed).below(model.clocks.len()));
        let query = question(&mut model, &Formula::truth(), &[Subject::Clock(clock)]);
        let Some(certified) = Certified::of(&model, &query, &options("bfs", None)) else {
            continue;
        };
        if certified.answer.verdict != Verdict::Satisfied {
            continue;
        }
        for keyword in ["least", "greatest"] {
            for position in certified.with_keyword(keyword) {
                let line = certified.lines()[position];
                let stated = format!("{keyword} 0 ");
                let value = line.strip_prefix(&stated).expect("a value of the only expression");
                for other in other_values(value) {
                    let lines = certified.changed(position, Some(format!("{stated}{other}")));
                    assert!(!certified.accepts(&lines), "{seed}\n{}", lines.join("\n"));
                    changed += 1;
                }
            }
        }
    }
    assert!(changed > 100, "{changed}");
}

#[test]
fn proofs_about_maximal_runs_need_all_their_steps_and_ranks() {
    let mut removed = BTreeMap::new();
    for seed in 0..150 {
        let mut model = generate(seed).to_model();
        for query in questions(&mut model, seed, 1) {
            let Some(certified) = Certified::of(&model, &query, &options("bfs", None)) else {
                continue;
            };
            for keyword in ["take", "rank"] {
                for position in certified.with_keyword(keyword) {
                    let lines = certified.changed(position, None);
                    assert!(!certified.accepts(&lines), "{seed}\n{}", lines.join("\n"));
                    *removed.entry(keyword).or_insert(0) += 1;
                }
            }
        }
    }
    assert!(removed["take"] > 20 && removed["rank"] > 40, "{removed:?}");
}
