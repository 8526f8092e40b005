//! Packed sets of zones.

use crate::{core, fingerprint};
use zonaut_certify::{Accepted, Limits, Refusal, check, seal_of};

/// A packed set with bounds of one byte, 127 for none, and states of one byte.
#[derive(Clone)]
struct Set {
    kind: &'static str,
    /// The lines before the zones.
    head: String,
    zones: Vec<Vec<i8>>,
    /// The zone and the table of each node.
    nodes: Vec<[u32; 2]>,
    /// The state and the first node of each group.
    groups: Vec<(u8, u32)>,
    /// The lines after the records.
    tail: &'static str,
}

impl Set {
    fn body(&self) -> Vec<u8> {
        let classes = self.zones.chunk_by(|one, other| one.len() == other.len());
        let classes = classes.map(|class| format!(" {}:{}", class[0].len().isqrt(), class.len()));
        let classes: String = classes.collect();
        let (groups, nodes) = (self.groups.len(), self.nodes.len());
        let head = format!("{}zones 1{classes}\npacked {groups} {nodes}\n", self.head);
        let mut bytes = head.into_bytes();
        bytes.extend(self.zones.iter().flatten().map(|code| code.cast_unsigned()));
        bytes.extend(self.nodes.iter().flatten().flat_map(|number| number.to_le_bytes()));
        for (state, first) in &self.groups {
            bytes.push(*state);
            bytes.extend(first.to_le_bytes());
        }
        bytes.push(b'\n');
        bytes.extend(self.tail.bytes());
        bytes
    }

    fn answer(&self, core: &str) -> Result<Accepted, Refusal> {
        answer(core, self.kind, &self.body())
    }
}

fn answer(core: &str, kind: &str, body: &[u8]) -> Result<Accepted, Refusal> {
    let clocks = core.lines().filter_map(|line| line.strip_prefix("clock "));
    let names: Vec<&str> = clocks.filter_map(|line| line.split(' ').next()).collect();
    let (count, names) = (names.len(), names.join(" "));
    let digest = fingerprint(core.as_bytes());
    let head = format!("tacert 1\nkind {kind}\ncore {digest}\nclocks {count} {names}\n");
    let mut bytes = [head.as_bytes(), body].concat();
    if !bytes.ends_with(b"\n") {
        bytes.push(b'\n');
    }
    bytes.extend(seal_of(&bytes).bytes());
    check(core, &bytes, &Limits::default())
}

#[track_caller]
fn accepted(core: &str, set: &Set) {
    let given = set.answer(core);
    assert!(given.is_ok(), "{given:?}");
}

#[track_caller]
fn rejected(core: &str, set: &Set, reason: &str) {
    let given = set.answer(core);
    assert!(
        matches!(&given, Err(Refusal::Rejected(given)) if given.contains(reason)),
        "{given:?}, not {reason}"
    );
}

#[track_caller]
fn malformed(core: &str, set: &Set, reason: &str) {
    let given = set.answer(core);
    assert!(
        matches!(&given, Err(Refusal::Malformed { message, .. }) if message.contains(reason)),
        "{given:?}, not {reason}"
    );
}

/// Two locations that are reached and one that is not.
fn window() -> (String, Set) {
    let model = "
        clock x, y;
        process P() {
            state a { x <= 2 }, b, c;
            init a;
            trans a -> b { guard x >= 1; assign x = 0; }, b -> c { guard x - y > 0; };
        }
        system P;";
    let set = Set {
        kind: "unreach",
        head: "abs incl\nrows 0 1 2\nrows 1 1\n".to_owned(),
        // x and y are equal and at most 2; y is 1 to 2 above x.
        zones: vec![vec![1, 1, 1, 5, 1, 1, 5, 1, 1], vec![1, 1, -1, 127, 1, -1, 127, 5, 1]],
        nodes: vec![[0, 0], [1, 0]],
        groups: vec![(0, 0), (1, 1)],
        tail: "",
    };
    (core(model, "E<> P.c"), set)
}

#[test]
fn a_packed_set_is_accepted_and_none_of_its_nodes_is_redundant() {
    let (core, set) = window();
    accepted(&core, &set);
    // Zones are restricted to invariants, hints are tried first, and never trusted.
    let larger = vec![1, 1, 1, 127, 1, 1, 127, 1, 1];
    accepted(&core, &Set { zones: vec![larger.clone(), set.zones[1].clone()], ..set.clone() });
    for tail in ["hint 0 1\n", "hint 0 0\n", "hint 1 0\nhint 0 1 0\n"] {
        accepted(&core, &Set { tail, ..set.clone() });
    }
    let with = |zones: Vec<Vec<i8>>, nodes: Vec<[u32; 2]>| Set { zones, nodes, ..set.clone() };
    let one = Set { groups: vec![(0, 0)], ..with(set.zones.clone(), vec![[0, 0]]) };
    rejected(&core, &one, "node 0, transition P.0: no node covers");
    rejected(&core, &Set { tail: "hint 0 0\n", ..one }, "node 0, transition P.0: no node covers");
    let small = vec![1, 1, -1, 127, 1, -1, 127, 3, 1];
    let small = with(vec![set.zones[0].clone(), small], set.nodes.clone());
    rejected(&core, &small, "node 0, transition P.0: no node covers");
    rejected(&core, &with(set.zones.clone(), vec![[1, 0], [1, 0]]), "the initial state");
    rejected(&core, &with(set.zones.clone(), vec![[0, 0], [0, 0]]), "node 0, transition P.0");
    let mut other = set.clone();
    other.groups = vec![(0, 0), (2, 1)];
    rejected(&core, &other, "no node covers");
    // Two nodes cover together what none of them covers alone.
    let halves = [vec![1, 1, -1, 127, 1, -1, 127, 3, 1], vec![1, 1, -2, 127, 1, -2, 127, 5, 1]];
    let zones = [&set.zones[..1], &halves].concat();
    let split = with(zones, vec![[0, 0], [1, 0], [2, 0]]);
    accepted(&core, &split);
    rejected(&core, &Set { nodes: vec![[0, 0], [1, 0]], ..split }, "no node covers");
}

#[test]
fn damaged_records_are_malformed() {
    let (core, set) = window();
    let zones = |first: Vec<i8>| Set { zones: vec![first, set.zones[1].clone()], ..set.clone() };
    let unclosed = "the matrix of a zone is empty or not closed";
    malformed(&core, &zones(vec![1, 1, 1, 7, 1, 1, 5, 1, 1]), unclosed);
    malformed(&core, &zones(vec![1, 1, 1, 5, 1, 1, 127, 1, 1]), unclosed);
    malformed(&core, &zones(vec![1, 1, 1, 5, 1, -1, 5, -1, 1]), unclosed);
    malformed(&core, &zones(vec![1, 3, 1, 5, 1, 1, 5, 1, 1]), unclosed);
    malformed(&core, &zones(vec![3, 1, 1, 5, 1, 1, 5, 1, 1]), unclosed);
    malformed(&core, &zones(vec![1, 1, 1, 5, 0, 1, 5, 1, 1]), unclosed);
    let nodes = |second: [u32; 2]| Set { nodes: vec![[0, 0], second], ..set.clone() };
    malformed(&core, &nodes([2, 0]), "a zone or a table that does not exist");
    malformed(&core, &nodes([u32::MAX, 0]), "a zone or a table that does not exist");
    malformed(&core, &nodes([1, 2]), "a zone or a table that does not exist");
    malformed(&core, &nodes([1, 1]), "different clocks");
    let groups = |groups: &[(u8, u32)]| Set { groups: groups.to_vec(), ..set.clone() };
    malformed(&core, &groups(&[(0, 0), (0, 1)]), "a discrete state occurs twice");
    malformed(&core, &groups(&[(0, 0), (3, 1)]), "out of range");
    malformed(&core, &groups(&[(0, 0), (255, 1)]), "out of range");
    malformed(&core, &groups(&[(0, 0), (1, 0)]), "follow those before it");
    malformed(&core, &groups(&[(0, 0), (1, 2)]), "follow those before it");
    malformed(&core, &groups(&[(0, 1), (1, 0)]), "follow those before it");
    malformed(&core, &groups(&[(0, 1)]), "follow those before it");
    malformed(&core, &groups(&[]), "no discrete state");
    for tail in ["hint 2 0\n", "hint 0 2\n", "hint 0 0\nhint 0 1\n", "nodes 0\n", "x"] {
        let given = Set { tail, ..set.clone() }.answer(&core);
        assert!(matches!(given, Err(Refusal::Malformed { .. })), "{tail} {given:?}");
    }
}

#[test]
fn announcements_that_do_not_fit_the_bytes_are_malformed() {
    let (core, set) = window();
    let body = set.body();
    for length in 0..body.len() {
        let given = answer(&core, "unreach", &body[..length]);
        // The newline after the records is optional.
        if length + 1 < body.len() {
            assert!(matches!(given, Err(Refusal::Malformed { .. })), "{length} {given:?}");
        }
    }
    for (old, new) in [
        ("packed 2 2", "packed 2 3"),
        ("packed 2 2", "packed 3 2"),
        ("packed 2 2", "packed 1 2"),
        ("packed 2 2", "packed 2 -2"),
        ("packed 2 2", "packed 18446744073709551615 2"),
        ("packed 2 2", "packed 2"),
        ("packed 2 2", "nodes 2"),
        ("zones 1 3:2", "zones 1 3:1"),
        ("zones 1 3:2", "zones 1 3:0"),
        ("zones 1 3:2", "zones 1 3:18446744073709551615"),
        ("zones 1 3:2", "zones 1 4:2"),
        ("zones 1 3:2", "zones 1 3:1 3:1"),
        ("zones 1 3:2", "zones 1 0:2"),
        ("zones 1 3:2", "zones 3 3:2"),
        ("zones 1 3:2", "zones 2 3:2"),
        ("zones 1 3:2", "zones"),
        ("zones 1 3:2\n", ""),
        ("rows 0 1 2", "rows 0 2 1"),
        ("rows 0 1 2", "rows 0 1 3"),
        ("rows 0 1 2", "bounds 0 1:1:1 2:1:1"),
        ("rows 0 1 2", "rows 1 1 2"),
    ] {
        let head = body.iter().rposition(|&byte| byte == b'2').unwrap_or(0) + 2;
        let text = String::from_utf8(body[..head].to_vec()).expect("lines");
        assert!(text.contains(old), "{text}");
        let changed = [text.replacen(old, new, 1).as_bytes(), &body[head..]].concat();
        let given = answer(&core, "unreach", &changed);
        let refused = matches!(given, Err(Refusal::Malformed { .. } | Refusal::Undecided(_)));
        assert!(refused, "{new} {given:?}");
    }
}

#[test]
fn constants_have_to_respect_guards_and_flow_backwards() {
    let model = "
        clock x;
        process P() {
            state a, b, c; init a;
            trans a -> b { guard x >= 2; }, b -> c { guard x <= 1; };
        }
        system P;";
    let core = core(model, "E<> P.c");
    let with = |first: &str, second: &str| Set {
        kind: "unreach",
        head: format!("abs lu\nbounds 0 {first}\nbounds 1 {second}\n"),
        zones: vec![vec![1, 1, 127, 1], vec![1, -3, 127, 1]],
        nodes: vec![[0, 0], [1, 1]],
        groups: vec![(0, 0), (1, 1)],
        tail: "",
    };
    accepted(&core, &with("1:2:1", "1:-:1"));
    accepted(&core, &with("1:2:4", "1:-:3"));
    rejected(&core, &with("1:2:1", "1:-:0"), "node 1, transition P.1: no node covers");
    rejected(&core, &with("1:2:1", "1:-:-"), "node 1, transition P.1: no node covers");
    rejected(&core, &with("1:2:-", "1:-:1"), "node 0, transition P.0: no node covers");
    rejected(&core, &with("1:1:1", "1:-:1"), "node 0, transition P.0: no node covers");
}

#[test]
fn constants_have_to_respect_possible_deadlocks() {
    let model = "
        clock x;
        process P() {
            state a, b; urgent b; init a;
            trans a -> b { assign x = 0; }, b -> a { guard x <= 3; };
        }
        system P;";
    let core = core(model, "A[] not deadlock");
    let with = |bounds: &str| Set {
        kind: "nodeadlock",
        head: format!("abs lu\nbounds 0 1:-:-\nbounds 1 {bounds}\n"),
        zones: vec![vec![1, 1, 127, 1], vec![1, 1, 1, 1]],
        nodes: vec![[0, 0], [1, 1]],
        groups: vec![(0, 0), (1, 1)],
        tail: "",
    };
    accepted(&core, &with("1:3:3"));
    rejected(&core, &with("1:-:3"), "do not respect");
    rejected(&core, &with("1:3:-"), "do not respect");
    rejected(&core, &with("1:2:3"), "do not respect");
}

#[test]
fn other_kinds_have_no_packed_sets() {
    let (_, set) = window();
    let model = "clock x, y; process P() { state a; init a; } system P;";
    for (query, kind, before) in [
        ("A<> x > 1", "live", "set stays\n"),
        ("sup: x", "values", "greatest 0 unbounded\nset 0\n"),
    ] {
        let core = core(model, query);
        let body =
            [before.as_bytes(), &Set { groups: vec![], nodes: vec![], ..set.clone() }.body()];
        let given = answer(&core, kind, &body.concat());
        assert!(given.is_err(), "{given:?}");
    }
}
