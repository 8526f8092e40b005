//! The analysis over dense tables, by its definition, for comparison with the sparse one.

use super::*;
use crate::test_models::Random;

type Dense = Vec<Vec<Vec<Pair>>>;

fn dense(model: &Model, goal: &Formula) -> Dense {
    let writes = AllClockWrites::new(model);
    let copies: Vec<ClockCopy> = writes.copies().collect();
    let mut constants = Constants::new(model, &copies);
    let clocks = model.clocks.len();
    let mut of_goal = Vec::new();
    constants.of_goal(goal, &mut of_goal);
    let mut table: Dense = Vec::new();
    for (id, process) in model.processes.iter_enumerated() {
        let mut rows = vec![vec![NEITHER; clocks]; process.locations.len()];
        let one_sided = TwoSidedLocations::none().of_process(id, process);
        for LocationTest { location, bounds: b } in
            tests_of(model, process, &one_sided, &mut constants)
        {
            raise(&mut rows[location.index()][b.clock.index()], (b.lower, b.upper));
        }
        table.push(rows);
    }
    let mut changed = true;
    while std::mem::take(&mut changed) {
        let mut anywhere = vec![NEITHER; clocks];
        for row in table.iter().flatten() {
            (0..clocks).for_each(|k| {
                raise(&mut anywhere[k], row[k]);
            });
        }
        for b in &of_goal {
            raise(&mut anywhere[b.clock.index()], (b.lower, b.upper));
        }
        for (id, process) in model.processes.iter_enumerated() {
            for (edge, own) in process.edges.iter().zip(&writes.edges[id]) {
                let target = table[id.index()][edge.target.index()].clone();
                let source = &mut table[id.index()][edge.source.index()];
                for k in (0..clocks).filter(|&k| !own.killed.contains(&Id::from_index(k))) {
                    changed |= raise(&mut source[k], target[k]);
                }
                for (x, y) in own.copies.iter().chain(&writes.hooks) {
                    changed |= raise(&mut source[y.index()], anywhere[x.index()]);
                }
            }
        }
    }
    table
}

/// A random network in which processes share clocks, and copy and set them in many forms.
fn network(random: &mut Random) -> String {
    let clocks = ["a", "b", "c[0]", "c[1]", "c[i]"];
    let mut text = "clock a, b; clock c[2]; int[0,1] i; broadcast chan u; \
                    void f() { a = b; } int g() { c[i] = a; return 0; } "
        .to_owned();
    if random.chance(20) {
        text += "before_update { b = c[0] } ";
    }
    let processes = 1 + random.below(3);
    for p in 0..processes {
        let mut edges = Vec::new();
        for _ in 0..1 + random.below(6) {
            let (source, target) = (random.below(4), random.below(4));
            let mut guards = vec!["i < 2".to_owned()];
            for _ in 0..random.below(3) {
                let relation = random.choose(&["<", "<=", "==", ">=", ">"]);
                guards.push(format!("{} {relation} {}", random.choose(&clocks), random.below(9)));
            }
            let mut updates = vec!["i = 0".to_owned()];
            for _ in 0..random.below(3) {
                updates.push(match random.below(6) {
                    0 => "f()".to_owned(),
                    1 => "i = g()".to_owned(),
                    2 | 3 => format!("{} = {}", random.choose(&clocks), random.choose(&clocks)),
                    _ => format!("{} = {}", random.choose(&clocks), random.below(3)),
                });
            }
            let sync = random.choose(&["", "sync u!;", "sync u?;"]);
            let (guards, updates) = (guards.join(" && "), updates.join(", "));
            edges.push(format!(
                "s{source} -> s{target} {{ guard {guards}; {sync} assign {updates}; }}"
            ));
        }
        let edges = edges.join(", ");
        text += &format!(
            "process P{p}() {{ state s0, s1, s2 {{ b <= 11 }}, s3; init s0; trans {edges}; }} "
        );
    }
    let names: Vec<String> = (0..processes).map(|p| format!("P{p}")).collect();
    text + "system " + &names.join(", ") + ";"
}

#[test]
fn the_sparse_flow_agrees_with_the_dense_one() {
    for seed in 0..300 {
        let text = network(&mut Random(seed));
        let (model, goal) = model_of(&text, "E<> a > 7 && not (b > 3)");
        let table = BoundsTable::new(&model, &goal);
        let expected = dense(&model, &goal);
        for (id, process) in model.processes.iter_enumerated() {
            for location in process.locations.ids() {
                let clocks: Vec<ClockId> = model.clocks.ids().collect();
                let row = sparse(&clocks, &expected[id.index()][location.index()]);
                assert_eq!(table.of(id, location), &*row, "{seed}: {text}");
            }
        }
    }
}

#[test]
fn a_thousand_processes_with_clocks_of_their_own_take_little_room() {
    let processes = 1000;
    let text = "process T(const int[0,999] id) { clock x, y; state s { x <= 5 }, t; init s; \
                trans s -> t { guard x >= 2; assign y = x; }, t -> s { guard y < 9; assign x = 0; }; } system T;";
    let (model, goal) = model_of(text, "E<> true");
    assert_eq!((model.processes.len(), model.clocks.len()), (processes, 2 * processes));
    let table = BoundsTable::new(&model, &goal);
    for process in model.processes.ids() {
        for location in [0, 1] {
            assert_eq!(table.of(process, Id::from_index(location)).len(), 1);
        }
    }
}
