//! Resources that one process at a time can use, whatever they are called and however they are
//! written: what is proven of them, and what is not.

use zonaut_base::{Id, Meter};
use zonaut_cost::{
    Combination, CostOrder, Costing, Estimates, Infimum, Nothing, Resource, Zones, resources,
};
use zonaut_model::{Formula, Model, QueryId, QueryKind};
use zonaut_oracle::front_end::model_of;

/// The results for a model: the estimate of the initial state, the least cost, and the resources.
struct Known {
    at_start: i64,
    least: i64,
    resources: Vec<Resource>,
}

impl Known {
    /// The finding about a resource.
    #[track_caller]
    fn finding(&self, name: &str) -> Result<usize, String> {
        let found = self.resources.iter().find(|resource| resource.name == name);
        found
            .unwrap_or_else(|| unreachable!("nothing about {name}: {:?}", self.resources))
            .finding
            .clone()
    }
}

/// Asks for a goal, with estimates and without.
#[track_caller]
fn known(text: &str, query: &str) -> Known {
    let (model, _) = model_of(text, &[query]).unwrap_or_else(|why| unreachable!("{why:?}: {text}"));
    let QueryKind::Possibly(goal) = &model.queries[QueryId::from_index(0)].kind else {
        unreachable!("a goal to reach")
    };
    let costing = Costing::of(&model, Combination::Sum).expect("understood");
    let least = least(&model, goal, costing);
    let found = resources(&model, goal, costing, &Meter::default());
    let zones = Zones::new(&model, goal, costing, &Meter::default()).expect("small");
    let at_start = zones.totals_along(&model, goal, Estimates::ALL, &[]).expect("small")[0];
    let at_start = at_start.expect("a goal that can be reached").value();
    assert!(at_start <= least, "{at_start} is more than {least}: {text}");
    Known { at_start, least, resources: found.expect("the default meter never stops") }
}

/// The least cost by zones, with estimates and without: the same.
#[track_caller]
fn least(model: &Model, goal: &Formula, costing: Costing) -> i64 {
    let zones = Zones::new(model, goal, costing, &Meter::default()).expect("small");
    let blind = zones.optimise(CostOrder::LeastCost, Nothing, &mut ()).expect("small");
    let cost = blind.best.expect("a way").cost;
    for order in [CostOrder::LeastTotal, CostOrder::BestDepthFirst { total: 1, work: 0 }] {
        let guided = zones.optimise_with(model, goal, order, Estimates::ALL, &mut ());
        assert_eq!(guided.expect("small").best.map(|best| best.cost), Some(cost), "{order:?}");
    }
    assert_eq!(cost, Infimum::attained(cost.value()));
    cost.value()
}

/// Three cakes of 5, 3 and 4 units in one oven, that a process keeps: how it is declared, asked for and
/// given back.
struct Bakery {
    declared: &'static str,
    take: &'static str,
    give: &'static str,
    keeper: &'static str,
    keepers: &'static str,
}

const GOAL: &str = "E<> A.sold && B.sold && C.sold";

const LOCK_PROCESS: Bakery = Bakery {
    declared: "chan open, close;",
    take: "sync open!; assign age = 0;",
    give: "guard age >= bake; sync close!;",
    keeper: "process Oven() { state cold, hot; init cold; trans cold -> hot { sync open?; }, \
             hot -> cold { sync close?; }; } ",
    keepers: ", Oven",
};

/// The process asks, and has a break after each cake.
const TIRED_PROCESS: Bakery = Bakery {
    keeper: "process Oven() { state cold, hot, swept; init cold; trans cold -> hot { sync open!; }, \
             hot -> swept { sync close!; }, swept -> cold { }; } ",
    take: "sync open?; assign age = 0;",
    give: "guard age >= bake; sync close?;",
    ..LOCK_PROCESS
};

const SEMAPHORE: Bakery = Bakery {
    declared: "chan open, close; int[0,1] places = 1;",
    keeper: "process Oven() { state on; init on; trans \
             on -> on { guard places > 0; sync open?; assign places--; }, \
             on -> on { sync close?; assign places++; }; } ",
    ..LOCK_PROCESS
};

/// A channel for each oven, of which there is one.
const ARRAY: Bakery = Bakery {
    declared: "chan open[2], close[2];",
    take: "sync open[1]!; assign age = 0;",
    give: "guard age >= bake; sync close[1]!;",
    keeper: "process Lock(const int[0,1] me) { state cold, hot; init cold; trans \
             cold -> hot { sync open[me]?; }, hot -> cold { sync close[me]?; }; } Oven = Lock(1); ",
    keepers: ", Oven",
};

const CELL: Bakery = Bakery {
    declared: "int[-1,9] oven = -1;",
    take: "guard oven < 0; assign age = 0, oven = bake;",
    give: "guard age >= bake; assign oven = -1;",
    keeper: "",
    keepers: "",
};

/// The writer of the cell does not ask; whom it meets does.
const ASKED_ELSEWHERE: Bakery = Bakery {
    declared: "chan open; bool full;",
    take: "sync open!; assign age = 0, full = true;",
    give: "guard age >= bake; assign full = false;",
    keeper: "process Door() { state d; init d; trans d -> d { guard !full; sync open?; }; } ",
    keepers: ", Door",
};

impl Bakery {
    fn text(&self) -> String {
        let Self { declared, take, give, keeper, keepers } = self;
        format!(
            "{declared} {keeper} process Cake(const int bake) {{ clock age; \
             state shelf, oven1, sold; init shelf; trans shelf -> oven1 {{ {take} }}, \
             oven1 -> sold {{ {give} }}; }} \
             A = Cake(5); B = Cake(3); C = Cake(4); system A, B, C{keepers};"
        )
    }

    /// The results for the model in whose text `from` is replaced by `to`.
    #[track_caller]
    fn changed(&self, from: &str, to: &str) -> Known {
        let text = self.text();
        assert!(text.contains(from), "{from} is not in {text}");
        known(&text.replace(from, to), GOAL)
    }
}

#[test]
fn a_resource_is_found_however_it_is_written() {
    for (bakery, name) in [
        (LOCK_PROCESS, "Oven"),
        (TIRED_PROCESS, "Oven"),
        (SEMAPHORE, "places"),
        (ARRAY, "Oven"),
        (CELL, "oven"),
        (ASKED_ELSEWHERE, "full"),
    ] {
        let known = known(&bakery.text(), GOAL);
        assert_eq!((known.at_start, known.least), (12, 12), "{name}");
        assert_eq!(known.finding(name), Ok(3));
    }
}

#[test]
fn uses_have_heads_and_tails() {
    // Each cake rests for 2 before the oven and for 6 afterwards.
    let text = LOCK_PROCESS.text().replace(
        "state shelf, oven1, sold; init shelf; trans",
        "state \
        shelf, rested, oven1, cooled, sold; init shelf; trans shelf -> rested { guard age >= 2; }, \
        cooled -> sold { guard age >= 6; },",
    );
    let text = text.replace("shelf -> oven1", "rested -> oven1").replace(
        "oven1 -> sold { guard age >= bake; sync close!;",
        "oven1 -> cooled { guard age >= bake; sync close!; assign age = 0;",
    );
    let known = known(&text, GOAL);
    assert_eq!((known.at_start, known.least), (2 + 12 + 6, 2 + 12 + 6));
}

/// The longest cake alone.
const ALONE: i64 = 5;

#[test]
fn where_the_exclusion_is_not_proven_there_is_no_bound() {
    let refused = |bakery: Bakery, name: &str, (from, to): (&str, &str), why: &str| {
        let known = bakery.changed(from, to);
        let finding = known.finding(name).expect_err("no bound");
        assert!(finding.contains(why), "{finding}");
        assert_eq!(known.at_start, ALONE, "{finding}");
    };
    // The oven closes by itself, and opens again while there is a cake in it.
    let alone = ("hot -> cold { sync close?; }", "hot -> cold { }, cold -> cold { sync close?; }");
    refused(LOCK_PROCESS, "Oven", alone, "is unknown");
    // Another process closes it.
    let other = (
        "system A",
        "process Cat() { state c; init c; trans c -> c { sync close!; }; } \
        system Cat, A",
    );
    refused(LOCK_PROCESS, "Oven", other, "does not hold");
    // The oven lets a second cake in.
    let second = (
        "hot -> cold { sync close?; }",
        "hot -> cold { sync close?; }, \
        hot -> hot { sync open?; }",
    );
    refused(LOCK_PROCESS, "Oven", second, "is unknown");
    // The channel is heard by all.
    let all = ("chan open, close;", "broadcast chan open, close;");
    let known = LOCK_PROCESS.changed(all.0, all.1);
    assert_eq!(known.at_start, ALONE);
    // A semaphore with two places.
    let two = SEMAPHORE.changed("int[0,1] places = 1", "int[0,2] places = 2");
    assert_eq!(two.at_start, ALONE);
    // No guard tests whether it is free.
    let blind = CELL.changed("guard oven < 0;", "");
    assert_eq!((blind.at_start, blind.least), (ALONE, ALONE));
    // It can be taken where it is not free.
    let some = CELL.changed("guard oven < 0;", "guard oven < 4;");
    assert_eq!(some.at_start, ALONE);
    // Another process empties the oven.
    refused(
        CELL,
        "oven",
        (
            "system A",
            "process Cat() { state c; init c; trans c -> c { assign \
        oven = -1; }; } system Cat, A",
        ),
        "does not hold",
    );
    // A variable that is reset after each step excludes no process.
    let meta = CELL.changed("int[-1,9] oven", "meta int[-1,9] oven");
    assert_eq!((meta.at_start, meta.least), (ALONE, ALONE));
}

#[test]
fn where_a_use_need_not_last_there_is_no_bound() {
    let refused = |from: &str, to: &str, why: &str| {
        let known = LOCK_PROCESS.changed(from, to);
        let finding = known.finding("Oven").expect_err("no bound");
        assert!(finding.contains(why), "{finding}");
        assert!(known.at_start < 12, "{finding}");
    };
    // The clock runs on from before.
    refused("assign age = 0;", "", "no minimal duration");
    // Another process sets it to the value that the guard requires.
    let cat = "process Cat() { state c; init c; trans c -> c { assign age = 9; }; } system Cat, A";
    let text = LOCK_PROCESS.text().replace("clock age;", "").replace("chan", "clock age; chan");
    let known = known(&text.replace("system A", cat), GOAL);
    assert!(known.finding("Oven").expect_err("no bound").contains("no minimal duration"));
    // There is a second way out of the oven.
    refused(
        "oven1 -> sold {",
        "oven1 -> sold { sync close!; }, oven1 -> sold {",
        "no minimal duration",
    );
    // There is a way around the oven.
    refused("oven1 -> sold {", "shelf -> sold { guard age >= 1; }, oven1 -> sold {", "every path");
}

#[test]
fn a_goal_that_demands_nothing_of_processes_has_no_bound() {
    let text = LOCK_PROCESS.text();
    let nothing = known(&text, "E<> A.sold || B.sold");
    assert_eq!(nothing.at_start, 0);
    assert!(nothing.finding("Oven").expect_err("no bound").contains("does not determine"));
    let one = known(&text, "E<> A.sold && B.sold");
    assert_eq!((one.at_start, one.least, one.finding("Oven")), (8, 8, Ok(2)));
}
