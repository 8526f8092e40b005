//! Production cells that share a critical region under arbiters and a counter.
//!
//! Reference: G. Morbé, F. Pigorsch and C. Scholl, *Fully symbolic model checking
//! for timed automata*, CAV 2011.
//!
//! The counter goes on counting while a cell is in the region, so more than one cell may be in it:
//! the region is guarded against lateness, not mutually exclusive.

use crate::arguments::Arguments;
use crate::family::{DefaultValue, Family, Generated, Parameter};
use crate::model_text::{constant, model_text};

pub(crate) const FAMILY: Family = Family {
    name: "critical-region",
    summary: "N production cells that pass a critical region in limited time",
    parameters: &[
        Parameter {
            name: "N",
            meaning: "number of production cells",
            default: DefaultValue::Fixed(2),
            minimum: 1,
            maximum: 10_000,
        },
        Parameter {
            name: "T",
            meaning: "time limit of a cell",
            default: DefaultValue::Fixed(10),
            minimum: 1,
            maximum: 16_383,
        },
    ],
    write,
};

const COMMENT: &str = "
Production cells that pass a critical region.
A counter offers the region to one cell after the other; the arbiter of a cell takes
the offer when the cell asks. A cell that stays too long, in the region or in the
test after it, is in error.
";

const BODY: &str = r"
typedef int[1, N] id_t;

int[0, N] offer = 0;  // 0 just after a cell has entered

chan enter[id_t], leave[id_t];

process Counter() {
    state Start, Counting;
    init Start;
    trans
        Start -> Counting { guard offer == 0; assign offer = 1; },
        Counting -> Counting { guard offer < N; assign offer = offer + 1; },
        Counting -> Counting { guard offer == N; assign offer = 1; };
}

process Arbiter(const id_t id) {
    state Ready, Granted;
    init Ready;
    trans
        Ready -> Granted { guard offer == id; sync enter[id]?; assign offer = 0; },
        Granted -> Ready { sync leave[id]?; assign offer = id; };
}

process Cell(const id_t id) {
    clock x;
    state
        NotReady,
        Testing { x <= T },
        Requesting,
        Critical { x <= 2 * T },
        Checking { x <= T },
        Safe,
        Error;
    init NotReady;
    trans
        NotReady -> Testing { guard x <= 2 * T; assign x = 0; },
        Testing -> NotReady { guard x >= T; assign x = 0; },
        Testing -> Requesting { guard x <= T - 1; },
        Requesting -> Critical { sync enter[id]!; assign x = 0; },
        Critical -> Error { guard x >= 2 * T; },
        Critical -> Checking { guard x <= T - 1; sync leave[id]!; assign x = 0; },
        Checking -> Error { guard x >= T; },
        Checking -> Safe { guard x <= T - 1; };
}

system Counter, Arbiter, Cell;
";

fn write(arguments: &Arguments) -> Generated {
    let constants = [
        constant("N", &arguments.value("N"), "production cells"),
        constant("T", &arguments.value("T"), "time limit of a cell"),
    ];
    Generated {
        model: model_text(COMMENT, &constants, BODY),
        queries: vec![
            "A[] forall (i : id_t) Cell(i).Critical imply Arbiter(i).Granted".to_owned(),
            "E<> exists (i : id_t) Cell(i).Error".to_owned(),
        ],
    }
}
