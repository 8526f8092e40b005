//! Trains that share a bridge, and the gate that stops and restarts them.
//!
//! Reference: W. Yi, P. Pettersson and M. Daniels, *Automatic verification of
//! real-time communicating systems by constraint-solving*, FORTE 1994.
//!
//! The queue is a circular buffer whose unused cells keep their values: they are part of the state
//! and of the number of states.

use crate::arguments::Arguments;
use crate::family::{DefaultValue, Family, Generated, Parameter};
use crate::model_text::{constant, model_text};

pub(crate) const FAMILY: Family = Family {
    name: "train-gate",
    summary: "N trains that cross one bridge, controlled by a gate with a queue",
    parameters: &[Parameter {
        name: "N",
        meaning: "number of trains",
        default: DefaultValue::Fixed(3),
        minimum: 1,
        maximum: 10_000,
    }],
    write,
};

const COMMENT: &str = "
Trains on their way to a bridge that bears one of them.
The gate stops a train that approaches while the bridge is taken, and lets the trains
go in the order in which they came.
";

const BODY: &str = r"
typedef int[0, N - 1] id_t;

chan approach[id_t], stop[id_t], go[id_t], leave[id_t];

process Gate() {
    id_t line[N];          // the trains in order of arrival, in a circle
    id_t head = 0;         // where the line begins
    int[0, N] length = 0;  // how many trains are in it
    state Free, Taken, Stopping;
    commit Stopping;
    init Free;
    trans
        Free -> Taken {
            select i : id_t;
            guard length == 0;
            sync approach[i]?;
            assign line[(head + length) % N] = i, length = length + 1;
        },
        Free -> Taken {
            select i : id_t;
            guard length > 0 && line[head] == i;
            sync go[i]!;
        },
        Taken -> Stopping {
            select i : id_t;
            sync approach[i]?;
            assign line[(head + length) % N] = i, length = length + 1;
        },
        Stopping -> Taken {
            select i : id_t;
            guard length > 0 && line[(head + length - 1) % N] == i;
            sync stop[i]!;
        },
        Taken -> Free {
            select i : id_t;
            guard length > 0 && line[head] == i;
            sync leave[i]?;
            assign head = (head + 1) % N, length = length - 1;
        };
}

process Train(const id_t id) {
    clock x;
    state
        Away,
        Approaching { x <= LAST_ENTRY },
        Stopped,
        Restarting { x <= LAST_RESTART },
        Crossing { x <= LAST_LEAVE };
    init Away;
    trans
        Away -> Approaching { sync approach[id]!; assign x = 0; },
        Approaching -> Crossing { guard x >= ENTRY; assign x = 0; },
        Approaching -> Stopped { guard x <= ENTRY; sync stop[id]?; },
        Stopped -> Restarting { sync go[id]?; assign x = 0; },
        Restarting -> Crossing { guard x >= RESTART; assign x = 0; },
        Crossing -> Away { guard x >= LEAVE; sync leave[id]!; };
}

system Gate, Train;
";

fn write(arguments: &Arguments) -> Generated {
    let constants = [
        constant("N", &arguments.value("N"), "trains"),
        constant("ENTRY", &10, "first time to enter, last time to be stopped"),
        constant("LAST_ENTRY", &20, "last time to enter"),
        constant("RESTART", &7, "first time to enter after a stop"),
        constant("LAST_RESTART", &15, "last time to enter after a stop"),
        constant("LEAVE", &3, "shortest time on the bridge"),
        constant("LAST_LEAVE", &5, "longest time on the bridge"),
    ];
    Generated {
        model: model_text(COMMENT, &constants, BODY),
        queries: vec![
            "A[] (sum (i : id_t) Train(i).Crossing) <= 1".to_owned(),
            "E<> Gate.Taken && forall (i : id_t) !Train(i).Away".to_owned(),
        ],
    }
}
