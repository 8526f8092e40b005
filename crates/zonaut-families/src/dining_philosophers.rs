//! Dining philosophers who give up after a time-out.
//!
//! Reference: D. Lugiez, P. Niebert and S. Zennou, *A partial order semantics
//! approach to the clock explosion problem of timed automata*, Theoretical Computer
//! Science 345(1), 2005.

use crate::arguments::Arguments;
use crate::family::{DefaultValue, Family, Generated, Parameter};
use crate::model_text::{constant, model_text};

pub(crate) const FAMILY: Family = Family {
    name: "dining-philosophers",
    summary: "N philosophers who put the first fork back after a time-out",
    parameters: &[
        Parameter {
            name: "N",
            meaning: "number of philosophers and forks",
            default: DefaultValue::Fixed(3),
            minimum: 2,
            maximum: 10_000,
        },
        Parameter {
            name: "TIMEOUT",
            meaning: "time to hold one fork and wait for the other",
            default: DefaultValue::Fixed(3),
            minimum: 0,
            maximum: 32_767,
        },
        Parameter {
            name: "EAT",
            meaning: "time to eat",
            default: DefaultValue::Fixed(10),
            minimum: 0,
            maximum: 32_767,
        },
        Parameter {
            name: "SLOW",
            meaning: "longest time between putting down the two forks",
            default: DefaultValue::Fixed(0),
            minimum: 0,
            maximum: 32_767,
        },
    ],
    write,
};

const COMMENT: &str = "
Dining philosophers with a time-out.
A philosopher takes the left fork first, and puts it back if the right one cannot be
had within TIMEOUT; after a meal the right fork is put down first.
";

const BODY: &str = r"
typedef int[0, N - 1] id_t;

chan take[id_t], put[id_t];

process Philosopher(const id_t id) {
    const int left = (id + N - 1) % N;
    const int right = id;
    clock x;
    state
        Thinking,
        Waiting { x <= TIMEOUT },
        Eating { x <= EAT },
        Leaving { x <= SLOW };
    init Thinking;
    trans
        Thinking -> Waiting { sync take[left]!; assign x = 0; },
        Waiting -> Thinking { guard x >= TIMEOUT; sync put[left]!; },
        Waiting -> Eating { guard x <= TIMEOUT; sync take[right]!; assign x = 0; },
        Eating -> Leaving { guard x >= EAT; sync put[right]!; assign x = 0; },
        Leaving -> Thinking { sync put[left]!; };
}

process Fork(const id_t id) {
    state Free, Taken;
    init Free;
    trans
        Free -> Taken { sync take[id]?; },
        Taken -> Free { sync put[id]?; };
}

system Philosopher, Fork;
";

fn write(arguments: &Arguments) -> Generated {
    let constants = [
        constant("N", &arguments.value("N"), "philosophers and forks"),
        constant("TIMEOUT", &arguments.value("TIMEOUT"), "patience with one fork in hand"),
        constant("EAT", &arguments.value("EAT"), "time to eat"),
        constant("SLOW", &arguments.value("SLOW"), "longest time between the two forks"),
    ];
    let both = "Philosopher(i).Eating && Philosopher(j).Eating";
    Generated {
        model: model_text(COMMENT, &constants, BODY),
        queries: vec![
            format!("A[] forall (i : id_t) forall (j : id_t) !(j == (i + 1) % N && {both})"),
            "E<> forall (i : id_t) Philosopher(i).Waiting".to_owned(),
        ],
    }
}
