//! Fischer's protocol with an error, in three variants of the error query.
//!
//! A process may enter after exactly K time units, while another one may still write at that
//! instant. The variants express differently that two processes are in the critical section: by two
//! processes that synchronise and signal a monitor, by naming two processes, and by a counter.
//!
//! Reference: S. Kupferschmid, J. Hoffmann, H. Dierks and G. Behrmann, *Adapting an AI planning
//! heuristic for directed model checking*, SPIN 2006, LNCS 3925, pages 35-52. The paper describes
//! the variants in words; the models are written from that description.

use crate::arguments::Arguments;
use crate::family::{DefaultValue, Family, Generated, Parameter};
use crate::fischer::BODY;
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

pub(crate) const FISCHER_A: Family = Family {
    name: "fischer-a",
    summary: "Fischer's protocol with a mistake: two processes that meet inside raise an alarm",
    parameters: PARAMETERS,
    write: write_meeting,
};

pub(crate) const FISCHER_B: Family = Family {
    name: "fischer-b",
    summary: "Fischer's protocol with a mistake: can the first two processes be inside?",
    parameters: PARAMETERS,
    write: write_named,
};

pub(crate) const FISCHER_C: Family = Family {
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

/// A modification of the protocol: a text in [`BODY`] and its replacement.
type Change = (&'static str, &'static str);

const MISTAKE: Change = ("x > K", "x >= K");

const MEETING: &[Change] = &[
    MISTAKE,
    ("process P", "chan meet, alarm;\n\nprocess P"),
    ("        Critical;\n", "        Critical,\n        Met;\n    commit Met;\n"),
    (
        "assign turn = 0; };\n}\n",
        "assign turn = 0; },
        Critical -> Critical { sync meet!; },
        Critical -> Met { sync meet?; },
        Met -> Critical { sync alarm!; };
}

process Monitor() {
    state Quiet, Alarm;
    init Quiet;
    trans Quiet -> Alarm { sync alarm?; };
}
",
    ),
    ("system P", "system P, Monitor"),
];

const NAMED: &[Change] = &[MISTAKE];

const COUNTED: &[Change] = &[
    MISTAKE,
    (
        "turn = 0;  // 0 while the turn is free\n",
        "turn = 0;    // 0 while the turn is free
int[0, N] inside = 0;  // processes in their critical section
",
    ),
    ("turn == id; }", "turn == id; assign inside = inside + 1; }"),
    ("assign turn = 0; }", "assign turn = 0, inside = inside - 1; }"),
];

fn write_meeting(arguments: &Arguments) -> Generated {
    write(arguments, MEETING, "E<> Monitor.Alarm")
}

fn write_named(arguments: &Arguments) -> Generated {
    write(arguments, NAMED, "E<> P(1).Critical && P(2).Critical")
}

fn write_counted(arguments: &Arguments) -> Generated {
    write(arguments, COUNTED, "E<> inside >= 2")
}

fn write(arguments: &Arguments, changes: &[Change], error: &str) -> Generated {
    let body = changes.iter().fold(BODY.to_owned(), |body, (old, new)| {
        debug_assert_eq!(body.matches(old).count(), 1, "{old}");
        body.replace(old, new)
    });
    let constants = [
        constant("N", &arguments.value("N"), "processes"),
        constant("K", &arguments.value("K"), "longest time to write, time to wait"),
    ];
    Generated { model: model_text(COMMENT, &constants, &body), queries: vec![error.to_owned()] }
}
