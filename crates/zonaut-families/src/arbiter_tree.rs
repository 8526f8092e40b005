//! A binary tree of arbiters that lets one of its leaves at a time use a resource.
//!
//! The members of a tree are numbered like those of a heap: 1 is the root, the
//! children of `n` are `2 n` and `2 n + 1`, and the last half are the clients. A
//! channel has the number of the child, so the two ends of a channel are fixed.

use crate::arguments::Arguments;
use crate::family::{DefaultValue, Family, Generated, Parameter};
use crate::model_text::{constant, model_text};

pub(crate) const FAMILY: Family = Family {
    name: "arbiter-tree",
    summary: "2^HEIGHT clients that get a resource through a tree of arbiters",
    parameters: &[
        Parameter {
            name: "HEIGHT",
            meaning: "height of the tree, with 2^HEIGHT clients",
            default: DefaultValue::Fixed(2),
            minimum: 1,
            maximum: 12,
        },
        Parameter {
            name: "DELAY",
            meaning: "longest time for an arbiter to pass on a grant or a release",
            default: DefaultValue::Fixed(2),
            minimum: 0,
            maximum: 32_767,
        },
        Parameter {
            name: "USE",
            meaning: "time for a client to use the resource",
            default: DefaultValue::Fixed(10),
            minimum: 0,
            maximum: 32_767,
        },
        Parameter {
            name: "REST",
            meaning: "shortest time of a client between two uses",
            default: DefaultValue::Fixed(5),
            minimum: 0,
            maximum: 32_767,
        },
    ],
    write,
};

const COMMENT: &str = "
A tree of arbiters between clients and a resource.
An arbiter serves one of its two children at a time: it passes the child's request on
to its own parent, the grant down and the release up. The root has no parent: it
grants what it is asked for. A client rests at least REST between uses.
";

const BODY: &str = r"
typedef int[1, CLIENTS - 1] arbiter_t;
typedef int[CLIENTS, 2 * CLIENTS - 1] client_t;
typedef int[0, 1] side_t;

chan request[2 * CLIENTS], grant[2 * CLIENTS], release[2 * CLIENTS];

process Arbiter(const arbiter_t id) {
    const bool root = id == 1;
    clock x;
    side_t served = 0;  // 0 if no child is served
    state
        Free,
        Asking,
        Waiting,
        Granting { x <= DELAY },
        Granted,
        Releasing { x <= DELAY };
    init Free;
    trans
        Free -> Asking {
            select side : side_t;
            guard !root;
            sync request[2 * id + side]?;
            assign served = side;
        },
        Free -> Granting {
            select side : side_t;
            guard root;
            sync request[2 * id + side]?;
            assign x = 0, served = side;
        },
        Asking -> Waiting { guard !root; sync request[id]!; },
        Waiting -> Granting { guard !root; sync grant[id]?; assign x = 0; },
        Granting -> Granted {
            select side : side_t;
            guard served == side;
            sync grant[2 * id + side]!;
        },
        Granted -> Releasing {
            select side : side_t;
            guard !root && served == side;
            sync release[2 * id + side]?;
            assign x = 0;
        },
        Granted -> Free {
            select side : side_t;
            guard root && served == side;
            sync release[2 * id + side]?;
            assign served = 0;
        },
        Releasing -> Free { guard !root; sync release[id]!; assign served = 0; };
}

process Client(const client_t id) {
    clock x;
    state
        Idle,
        Waiting,
        Using { x <= USE };
    init Idle;
    trans
        Idle -> Waiting { guard x >= REST; sync request[id]!; },
        Waiting -> Using { sync grant[id]?; assign x = 0; },
        Using -> Idle { guard x >= USE; sync release[id]!; assign x = 0; };
}

system Arbiter, Client;
";

fn write(arguments: &Arguments) -> Generated {
    let constants = [
        constant("HEIGHT", &arguments.value("HEIGHT"), "height of the tree"),
        constant("CLIENTS", &"1 << HEIGHT", "leaves of the tree"),
        constant("DELAY", &arguments.value("DELAY"), "longest time to pass a message on"),
        constant("USE", &arguments.value("USE"), "time to use the resource"),
        constant("REST", &arguments.value("REST"), "shortest time between two uses"),
    ];
    Generated {
        model: model_text(COMMENT, &constants, BODY),
        queries: vec![
            "A[] (sum (i : client_t) Client(i).Using) <= 1".to_owned(),
            "E<> Client(2 * CLIENTS - 1).Using".to_owned(),
        ],
    }
}
