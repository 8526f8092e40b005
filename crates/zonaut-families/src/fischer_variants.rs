//! Fischer's protocol with a mistake, in three variants of asking for the error.
//!
//! A process may enter after exactly K time units, while another one may still write at that
//! instant. The variants differ in how they say that two processes are inside: by processes that
//! meet and tell a monitor, by naming two processes, and by counting.
//!
//! Reference: S. Kupferschmid, J. Hoffmann, H. Dierks and G. Behrmann, *Adapting an AI planning
//! heuristic for directed model checking*, SPIN 2006, LNCS 3925, pages 35-52. The paper describes
//! the variants in words; the models are written from that description.

use crate::arguments::Arguments;
use crate::family::{DefaultValue, Family, Generated, Parameter};
use crate::model_text::{constant, model_text};

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "N",
        meaning: "number of processes",
        default: DefaultValue::Fixed(5),
        minimum: 2,
        maximum: 10_000,
    },
    Parameter {
        name: "K",
        meaning: "longest time to write, and time to wait before entering",
        default: DefaultValue::Fixed(10),
        minimum: 0,
        maximum: 32_767,
    },
];

pub(crate) const MEETING: Family = Family {
    name: "fischer-a",
    summary: "Fischer's protocol with a mistake: two processes that meet inside raise an alarm",
    parameters: PARAMETERS,
    write: write_meeting,
};

pub(crate) const NAMED: Family = Family {
    name: "fischer-b",
    summary: "Fischer's protocol with a mistake: can the first two processes be inside?",
    parameters: PARAMETERS,
    write: write_named,
};

pub(crate) const COUNTED: Family = Family {
    name: "fischer-c",
    summary: "Fischer's protocol with a mistake: a variable counts the processes inside",
    parameters: PARAMETERS,
    write: write_counted,
};

const COMMENT: &str = "
Fischer's mutual exclusion protocol with a mistake.
A process waits for K time units instead of more than K: at that instant one may enter
while another one, still allowed to write, takes the turn and enters K time units later.
";

const MEETING_BODY: &str = r"
typedef int[1, N] id_t;

int[0, N] turn = 0;  // 0 while nobody is in turn

chan meet, alarm;

process P(const id_t id) {
    clock x;
    state
        Idle,
        Write { x <= K },
        Wait,
        Critical,
        Met;
    commit Met;
    init Idle;
    trans
        Idle -> Write { guard turn == 0; assign x = 0; },
        Write -> Wait { guard x <= K; assign x = 0, turn = id; },
        Wait -> Write { guard turn == 0; assign x = 0; },
        Wait -> Critical { guard x >= K && turn == id; },
        Critical -> Idle { assign turn = 0; },
        Critical -> Critical { sync meet!; },
        Critical -> Met { sync meet?; },
        Met -> Critical { sync alarm!; };
}

process Monitor() {
    state Quiet, Alarm;
    init Quiet;
    trans Quiet -> Alarm { sync alarm?; };
}

system P, Monitor;
";

const NAMED_BODY: &str = r"
typedef int[1, N] id_t;

int[0, N] turn = 0;  // 0 while nobody is in turn

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
        Wait -> Critical { guard x >= K && turn == id; },
        Critical -> Idle { assign turn = 0; };
}

system P;
";

const COUNTED_BODY: &str = r"
typedef int[1, N] id_t;

int[0, N] turn = 0;    // 0 while nobody is in turn
int[0, N] inside = 0;  // processes in their critical section

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
        Wait -> Critical { guard x >= K && turn == id; assign inside = inside + 1; },
        Critical -> Idle { assign turn = 0, inside = inside - 1; };
}

system P;
";

fn write_meeting(arguments: &Arguments) -> Generated {
    write(arguments, MEETING_BODY, "E<> Monitor.Alarm")
}

fn write_named(arguments: &Arguments) -> Generated {
    write(arguments, NAMED_BODY, "E<> P(1).Critical && P(2).Critical")
}

fn write_counted(arguments: &Arguments) -> Generated {
    write(arguments, COUNTED_BODY, "E<> inside >= 2")
}

fn write(arguments: &Arguments, body: &str, error: &str) -> Generated {
    let constants = [
        constant("N", &arguments.value("N"), "processes"),
        constant("K", &arguments.value("K"), "longest time to write, time to wait"),
    ];
    Generated { model: model_text(COMMENT, &constants, body), queries: vec![error.to_owned()] }
}
