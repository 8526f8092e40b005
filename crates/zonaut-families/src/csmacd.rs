//! Carrier sense, multiple access with collision detection: stations on a bus.
//!
//! References: IEEE 802.3; S. Yovine, *Kronos: a verification tool for real-time
//! systems*, STTT 1(1), 1997, <https://doi.org/10.1007/s100090050009>.
//!
//! The bus tells the stations of a collision one after the other, in a committed
//! location, so that each of them takes a step of its own.

use crate::arguments::Arguments;
use crate::family::{DefaultValue, Family, Generated, Parameter};
use crate::model_text::{constant, model_text};

pub(crate) const FAMILY: Family = Family {
    name: "csmacd",
    summary: "N stations that share a bus and detect collisions",
    parameters: &[
        Parameter {
            name: "N",
            meaning: "number of stations",
            default: DefaultValue::Fixed(4),
            minimum: 1,
            maximum: 10_000,
        },
        Parameter {
            name: "LAMBDA",
            meaning: "time to send a message",
            default: DefaultValue::Fixed(808),
            minimum: 1,
            maximum: 32_767,
        },
        Parameter {
            name: "SIGMA",
            meaning: "time for a signal to cross the bus",
            default: DefaultValue::Fixed(26),
            minimum: 1,
            maximum: 16_383,
        },
    ],
    write,
};

const COMMENT: &str = "
Carrier sense, multiple access with collision detection.
A station that begins within SIGMA of another one's beginning causes a collision;
the bus reports it to all stations before SIGMA has passed, and those that want to
send try again within twice that time.
";

const BODY: &str = r"
typedef int[0, N - 1] id_t;

chan begin, busy, finish, collision[id_t];

process Bus() {
    clock y;
    int[0, N] told = 0;  // stations that know of the present collision
    state
        Idle,
        Active,
        Collision { y < SIGMA },
        Report;
    commit Report;
    init Idle;
    trans
        Idle -> Active { sync begin?; assign y = 0; },
        Active -> Active { guard y >= SIGMA; sync busy!; },
        Active -> Idle { sync finish?; assign y = 0; },
        Active -> Collision { guard y < SIGMA; sync begin?; assign y = 0; },
        Collision -> Report { guard y < SIGMA; assign told = 0; },
        Report -> Report {
            select i : id_t;
            guard told == i;
            sync collision[i]!;
            assign told = told + 1;
        },
        Report -> Idle { guard told == N && y < SIGMA; assign y = 0, told = 0; };
}

process Station(const id_t id) {
    clock x;
    state
        Wait,
        Send { x <= LAMBDA },
        Retry { x < 2 * SIGMA };
    init Wait;
    trans
        Wait -> Send { sync begin!; assign x = 0; },
        Wait -> Retry { sync busy?; assign x = 0; },
        Wait -> Wait { sync collision[id]?; assign x = 0; },
        Wait -> Retry { sync collision[id]?; assign x = 0; },
        Send -> Wait { guard x == LAMBDA; sync finish!; assign x = 0; },
        Send -> Retry { guard x < SIGMA; sync collision[id]?; assign x = 0; },
        Retry -> Send { guard x < 2 * SIGMA; sync begin!; assign x = 0; },
        Retry -> Retry { guard x < 2 * SIGMA; sync busy?; assign x = 0; },
        Retry -> Retry { guard x < 2 * SIGMA; sync collision[id]?; assign x = 0; };
}

system Bus, Station;
";

fn write(arguments: &Arguments) -> Generated {
    let constants = [
        constant("N", &arguments.value("N"), "stations"),
        constant("LAMBDA", &arguments.value("LAMBDA"), "time to send a message"),
        constant("SIGMA", &arguments.value("SIGMA"), "time for a signal to cross the bus"),
    ];
    Generated {
        model: model_text(COMMENT, &constants, BODY),
        queries: vec![
            "A[] Bus.Idle imply forall (i : id_t) !Station(i).Send".to_owned(),
            "E<> Bus.Collision".to_owned(),
        ],
    }
}
