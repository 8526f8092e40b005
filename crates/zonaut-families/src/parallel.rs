//! Independent processes that synchronise once.
//!
//! All processes take part in the last step. A binary synchronisation has two participants only,
//! and a broadcast does not wait for receivers that are not enabled. So the first process
//! broadcasts with a guard over all processes: each has started, and no clock is beyond the limit.
//! The number of started processes is a function of their locations, so it adds no states; the
//! guards over all clocks belong to the first process, so that a process that has not started keeps
//! an upper bound for its clock, which adds no states either, as no clock has a lower bound.

use crate::arguments::Arguments;
use crate::family::{DefaultValue, Family, Generated, Parameter};
use crate::model_text::{constant, model_text};

pub(crate) const FAMILY: Family = Family {
    name: "parallel",
    summary: "N processes that start independently and finish together",
    parameters: &[
        Parameter {
            name: "N",
            meaning: "number of processes",
            default: DefaultValue::Fixed(6),
            minimum: 1,
            maximum: 10_000,
        },
        Parameter {
            name: "LIMIT",
            meaning: "longest time from a start to the common finish",
            default: DefaultValue::Fixed(1),
            minimum: 0,
            maximum: 32_767,
        },
    ],
    write,
};

const COMMENT: &str = "
Processes that start in any order and finish all at once.
They finish when each of them has started not longer than LIMIT before.
";

const BODY: &str = r"
typedef int[0, N - 1] id_t;

clock x[id_t];          // time since the start of each process
int[0, N] started = 0;  // processes that have started

broadcast chan finish;

process P(const id_t id) {
    state Idle, Started, Finished;
    init Idle;
    trans
        Idle -> Started { assign x[id] = 0, started = started + 1; },
        Started -> Finished {
            guard id == 0 && started == N && forall (i : id_t) x[i] <= LIMIT;
            sync finish!;
        },
        Started -> Finished { guard id != 0; sync finish?; };
}

system P;
";

fn write(arguments: &Arguments) -> Generated {
    let constants = [
        constant("N", &arguments.value("N"), "processes"),
        constant("LIMIT", &arguments.value("LIMIT"), "longest time from start to finish"),
    ];
    Generated {
        model: model_text(COMMENT, &constants, BODY),
        queries: vec![
            "A[] P(0).Finished imply forall (i : id_t) P(i).Finished".to_owned(),
            "E<> forall (i : id_t) P(i).Finished".to_owned(),
        ],
    }
}
