//! Fischer's protocol: mutual exclusion by one shared variable and time.
//!
//! Reference: L. Lamport, *A fast mutual exclusion algorithm*, ACM Transactions
//! on Computer Systems 5(1), 1987, <https://doi.org/10.1145/7351.7352>.

use crate::arguments::Arguments;
use crate::family::{DefaultValue, Family, Generated, Parameter};
use crate::model_text::{constant, model_text};

pub(crate) const FAMILY: Family = Family {
    name: "fischer",
    summary: "mutual exclusion of N processes by one shared variable and delays",
    parameters: &[
        Parameter {
            name: "N",
            meaning: "number of processes",
            default: DefaultValue::Fixed(5),
            minimum: 1,
            maximum: 10_000,
        },
        Parameter {
            name: "K",
            meaning: "longest time to write, and time to wait before entering",
            default: DefaultValue::Fixed(10),
            minimum: 0,
            maximum: 32_767,
        },
    ],
    write,
};

const COMMENT: &str = "
Fischer's mutual exclusion protocol.
A process that finds the turn free writes its number within K time units, waits
for more than K, and enters if the number is still its own.
";

/// The protocol; its variants with a mistake change parts of this text.
pub(crate) const BODY: &str = r"
typedef int[1, N] id_t;

int[0, N] turn = 0;  // 0 while the turn is free

process P(const id_t id) {
    clock x;
    state
        Idle,
        Write { x <= K },
        Wait,
        Critical;
    init Idle;
    trans
        Idle -> Write { guard turn == 0; assign x = 0; },
        Write -> Wait { guard x <= K; assign x = 0, turn = id; },
        Wait -> Write { guard turn == 0; assign x = 0; },
        Wait -> Critical { guard x > K && turn == id; },
        Critical -> Idle { assign turn = 0; };
}

system P;
";

fn write(arguments: &Arguments) -> Generated {
    let constants = [
        constant("N", &arguments.value("N"), "processes"),
        constant("K", &arguments.value("K"), "longest time to write, shortest to wait"),
    ];
    Generated {
        model: model_text(COMMENT, &constants, BODY),
        queries: vec!["A[] (sum (i : id_t) P(i).Critical) <= 1".to_owned()],
    }
}
