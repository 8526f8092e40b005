//! Fireflies that synchronise: clocks that reset each other by broadcast.
//!
//! Reference: R. E. Mirollo, S. H. Strogatz, *Synchronization of pulse-coupled biological
//! oscillators*, SIAM Journal on Applied Mathematics 50(6), 1990,
//! <https://doi.org/10.1137/0150098>; here a flash resets those fireflies that have recovered,
//! instead of advancing them a little.
//!
//! The discrete states are few, and each has a zone for almost every order of the clocks. No zone
//! includes another, so that comparing zones dominates the cost of a search.

use crate::arguments::Arguments;
use crate::family::{DefaultValue, Family, Generated, Parameter};
use crate::model_text::{constant, model_text};

pub(crate) const FAMILY: Family = Family {
    name: "fireflies",
    summary: "N fireflies that flash together after a while, unless they are startled",
    parameters: &[
        Parameter {
            name: "N",
            meaning: "number of fireflies",
            default: DefaultValue::Fixed(4),
            minimum: 1,
            maximum: 10_000,
        },
        Parameter {
            name: "PERIOD",
            meaning: "time between two flashes of an undisturbed firefly",
            default: DefaultValue::Fixed(10),
            minimum: 1,
            maximum: 16_383,
        },
        Parameter {
            name: "TIRED",
            meaning: "time after a flash in which others are not noticed",
            default: DefaultValue::Fixed(4),
            minimum: 0,
            maximum: 16_383,
        },
    ],
    write,
};

const COMMENT: &str = "
Fireflies that fall into step.
A firefly flashes when it has been dark for a PERIOD, or with the flash of another
one if it is no longer TIRED.
At any time one may be startled, and begins its period anew in the dark.
";

const BODY: &str = r"
typedef int[0, N - 1] id_t;

broadcast chan flash;

int[0, N] flashed = 0;  // how many flashed the last time
bool unison = false;    // all flashed the last time, and none was startled since

process Firefly(const id_t id) {
    clock x;
    state Dark { x <= PERIOD };
    init Dark;
    trans
        Dark -> Dark {
            guard x == PERIOD;
            sync flash!;
            assign x = 0, flashed = 1, unison = flashed == N;
        },
        Dark -> Dark {
            guard x >= TIRED;
            sync flash?;
            assign x = 0, flashed = flashed + 1, unison = flashed == N;
        },
        Dark -> Dark { assign x = 0, unison = false; };
}

system Firefly;
";

fn write(arguments: &Arguments) -> Generated {
    let constants = [
        constant("N", &arguments.value("N"), "fireflies"),
        constant("PERIOD", &arguments.value("PERIOD"), "time between two flashes"),
        constant("TIRED", &arguments.value("TIRED"), "time without notice of others"),
    ];
    Generated {
        model: model_text(COMMENT, &constants, BODY),
        queries: vec!["A[] unison imply flashed == N".to_owned(), "E<> unison".to_owned()],
    }
}
