//! The token ring of the fibre distributed data interface.
//!
//! Reference: C. Daws, A. Olivero, S. Tripakis and S. Yovine, *The tool Kronos*,
//! Hybrid Systems III, 1996, <https://doi.org/10.1007/BFb0020947>.
//!
//! The index of the next station is a variable of the ring; with a location for each station
//! instead, the number of states would be the same.

use crate::arguments::Arguments;
use crate::family::{DefaultValue, Family, Generated, Parameter};
use crate::model_text::{constant, model_text};

/// The default target rotation time of a ring, for each of its stations.
const ROTATION_PER_STATION: u32 = 50;

pub(crate) const FAMILY: Family = Family {
    name: "fddi",
    summary: "a token ring of N stations with timed rotation",
    parameters: &[
        Parameter {
            name: "N",
            meaning: "number of stations",
            default: DefaultValue::Fixed(4),
            minimum: 1,
            maximum: 32_767 / ROTATION_PER_STATION,
        },
        Parameter {
            name: "TTRT",
            meaning: "target time of a token rotation",
            default: DefaultValue::TimesFirst(ROTATION_PER_STATION),
            minimum: 0,
            maximum: 32_767,
        },
        Parameter {
            name: "SA",
            meaning: "time of a station for synchronous traffic",
            default: DefaultValue::Fixed(20),
            minimum: 0,
            maximum: 32_767,
        },
        Parameter {
            name: "TD",
            meaning: "time for the token to reach the next station",
            default: DefaultValue::Fixed(0),
            minimum: 0,
            maximum: 32_767,
        },
    ],
    write,
};

const COMMENT: &str = "
Token ring of the fibre distributed data interface.
A station that gets the token sends synchronous traffic for exactly SA; if the token
is early, it may go on with asynchronous traffic until TTRT + SA have passed since
the token came the time before. Clocks a and b take turns in measuring this, so each
station goes through two rounds, A and B.
";

const BODY: &str = r"
typedef int[0, N - 1] id_t;

chan take[id_t], pass[id_t];

process Ring() {
    clock t;
    id_t next = 0;
    state
        Travelling { t <= TD },
        Taken;
    init Travelling;
    trans
        Travelling -> Taken {
            select i : id_t;
            guard t == TD && next == i;
            sync take[i]!;
        },
        Taken -> Travelling {
            select i : id_t;
            guard next == i;
            sync pass[i]?;
            assign t = 0, next = (next + 1) % N;
        };
}

process Station(const id_t id) {
    clock rotation, a, b;
    state
        IdleA,
        LateA { rotation <= SA },
        EarlyA { rotation <= SA },
        AsynchronousA { a <= TTRT + SA },
        IdleB,
        LateB { rotation <= SA },
        EarlyB { rotation <= SA },
        AsynchronousB { b <= TTRT + SA };
    init IdleA;
    trans
        IdleA -> LateA { guard rotation >= TTRT; sync take[id]?; assign rotation = 0, b = 0; },
        IdleA -> EarlyA { guard rotation < TTRT; sync take[id]?; assign rotation = 0, b = 0; },
        LateA -> IdleB { guard rotation == SA; sync pass[id]!; },
        EarlyA -> AsynchronousA { guard rotation == SA; },
        AsynchronousA -> IdleB { sync pass[id]!; },
        IdleB -> LateB { guard rotation >= TTRT; sync take[id]?; assign rotation = 0, a = 0; },
        IdleB -> EarlyB { guard rotation < TTRT; sync take[id]?; assign rotation = 0, a = 0; },
        LateB -> IdleA { guard rotation == SA; sync pass[id]!; },
        EarlyB -> AsynchronousB { guard rotation == SA; },
        AsynchronousB -> IdleA { sync pass[id]!; };
}

system Station, Ring;
";

fn write(arguments: &Arguments) -> Generated {
    let (stations, rotation) = (arguments.value("N"), arguments.value("TTRT"));
    let rotation = if rotation == ROTATION_PER_STATION * stations {
        format!("{ROTATION_PER_STATION} * N")
    } else {
        rotation.to_string()
    };
    let constants = [
        constant("N", &stations, "stations"),
        constant("TTRT", &rotation, "target time of a token rotation"),
        constant("SA", &arguments.value("SA"), "time for synchronous traffic"),
        constant("TD", &arguments.value("TD"), "time to the next station"),
    ];
    let holders = "(sum (i : id_t) !(Station(i).IdleA || Station(i).IdleB))";
    Generated {
        model: model_text(COMMENT, &constants, BODY),
        queries: vec![format!("A[] {holders} <= 1")],
    }
}
