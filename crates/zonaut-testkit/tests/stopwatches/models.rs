//! Small random models with stopwatches.

use std::fmt::Write;
use zonaut_testkit::random::Random;

const CLOCKS: [&str; 3] = ["x", "y", "z"];
const LOCATIONS: usize = 3;

/// The form of conditions.
#[derive(Clone, Copy)]
struct Style {
    is_closed: bool,
    has_differences: bool,
}

/// The text of a model.
pub(crate) fn text(seed: u64) -> String {
    let mut random = Random::new(seed);
    let style = Style { is_closed: random.chance(50), has_differences: seed % 5 == 4 };
    let mut text = "clock x, y, z;\nint[0,2] v;\nchan c;\nbroadcast chan b;\n".to_owned();
    text += "urgent chan u;\n";
    for name in ["P", "Q"] {
        process(&mut random, name, style, &mut text);
    }
    text + "system P, Q;\n"
}

/// Whether all bounds of the model are non-strict and no clocks are compared with each other, so
/// that times on a grid decide what is enabled after a delay.
pub(crate) fn has_closed_bounds(seed: u64) -> bool {
    Random::new(seed).chance(50) && seed % 5 != 4
}

/// A query about its deadlocks.
pub(crate) fn deadlock_query(seed: u64) -> String {
    let mut random = Random::new(seed ^ 0xdead);
    match random.below(3) {
        0 => "E<> deadlock".to_owned(),
        1 => format!("E<> deadlock and P.l{}", random.below(LOCATIONS)),
        _ => format!("E<> deadlock and {} <= {}", random.choose(&CLOCKS), random.below(4)),
    }
}

/// The query about it.
pub(crate) fn query(seed: u64) -> String {
    let mut random = Random::new(seed ^ 0x5709);
    let mut goal = format!("P.l{}", 1 + random.below(LOCATIONS - 1));
    if random.chance(40) {
        let _ = write!(goal, " and Q.l{}", random.below(LOCATIONS));
    }
    if random.chance(50) {
        let relation = random.choose(&["<=", ">=", "=="]);
        let _ = write!(goal, " and {} {relation} {}", random.choose(&CLOCKS), random.below(4));
    }
    format!("E<> {goal}")
}

fn process(random: &mut Random, name: &str, style: Style, text: &mut String) {
    let _ = writeln!(text, "process {name}() {{");
    let locations: Vec<String> =
        (0..LOCATIONS).map(|l| format!("l{l}{}", invariant(random, style.is_closed))).collect();
    let _ = writeln!(text, "    state {};\n    init l0;\n    trans", locations.join(", "));
    let count = 3 + random.below(3);
    let edges: Vec<String> = (0..count)
        .map(|k| {
            // Every location has an edge to the next one.
            let source = if k < LOCATIONS { k } else { random.below(LOCATIONS) };
            let target = if k < LOCATIONS { (k + 1) % LOCATIONS } else { random.below(LOCATIONS) };
            format!("        l{source} -> l{target} {{ {}}}", labels(random, style))
        })
        .collect();
    let _ = writeln!(text, "{};\n}}", edges.join(",\n"));
}

fn invariant(random: &mut Random, is_closed: bool) -> String {
    let mut parts = Vec::new();
    if random.chance(50) {
        let strict = if is_closed || random.chance(60) { "<=" } else { "<" };
        parts.push(format!("{} {strict} {}", random.choose(&CLOCKS), 1 + random.below(3)));
    }
    for clock in CLOCKS {
        if random.chance(30) {
            let rate = random.choose(&["0", "0", "1", "(v == 1 ? 0 : 1)", "(v > 0 ? 1 : 0)"]);
            parts.push(format!("{clock}' == {rate}"));
        }
    }
    if parts.is_empty() { String::new() } else { format!(" {{ {} }}", parts.join(" && ")) }
}

fn labels(random: &mut Random, style: Style) -> String {
    let Style { is_closed, has_differences } = style;
    let mut guard = Vec::new();
    for _ in 0..random.below(3) {
        let relations: &[&str] =
            if is_closed { &["<=", ">=", "=="] } else { &["<", "<=", ">=", ">", "=="] };
        let relation = random.choose(relations);
        guard.push(format!("{} {relation} {}", random.choose(&CLOCKS), random.below(4)));
    }
    if has_differences && random.chance(50) {
        let (left, right) = random.choose(&[("x", "y"), ("y", "z"), ("z", "x")]);
        let relation = random.choose(&["<=", ">=", "=="]);
        guard.push(format!("{left} - {right} {relation} {}", random.between(-2, 2)));
    }
    if random.chance(20) {
        guard.push(format!("v {} {}", random.choose(&["==", "!="]), random.below(3)));
    }
    let mut text = String::new();
    if !guard.is_empty() {
        let _ = write!(text, "guard {}; ", guard.join(" && "));
    }
    if random.chance(30) {
        let channel = random.choose(&["c", "b", "b", "u"]);
        let _ = write!(text, "sync {channel}{}; ", random.choose(&["!", "?"]));
    }
    let mut updates = Vec::new();
    if random.chance(40) {
        updates.push(format!("{} = {}", random.choose(&CLOCKS), random.below(2)));
    }
    if random.chance(30) {
        updates.push(format!("v = {}", random.below(3)));
    }
    if !updates.is_empty() {
        let _ = write!(text, "assign {}; ", updates.join(", "));
    }
    text
}
