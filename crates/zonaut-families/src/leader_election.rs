//! Election of a leader on a ring, by passing the numbers of candidates on.
//!
//! Reference: R. Ehlers, D. Fass, M. Gerke and H.-J. Peter, *Fully symbolic timed
//! model checking using constraint matrix diagrams*, RTSS 2010.

use crate::arguments::Arguments;
use crate::family::{DefaultValue, Family, Generated, Parameter};
use crate::model_text::{constant, model_text};

pub(crate) const FAMILY: Family = Family {
    name: "leader-election",
    summary: "N candidates on a ring elect a leader before a time-out",
    parameters: &[
        Parameter {
            name: "N",
            meaning: "number of candidates",
            default: DefaultValue::Fixed(3),
            minimum: 2,
            maximum: 10_000,
        },
        Parameter {
            name: "TIMEOUT",
            meaning: "time in which a leader is wanted",
            default: DefaultValue::Fixed(4),
            minimum: 0,
            maximum: 32_767,
        },
    ],
    write,
};

const COMMENT: &str = "
Election of a leader on a ring of candidates.
Each candidate shows a number, at first its own. It locks its predecessor, reads the
number shown there, releases it, and then either leads, if the number is its own, or
shows the number to its successor. The watch wants a leader before TIMEOUT.
";

const BODY: &str = r"
chan lock[id_t], unlock[id_t], elected;

process Candidate(const id_t id) {
    const int previous = (id + N - 1) % N;
    clock x;
    id_t heard = id;
    state
        Start { x <= 0 },
        Read { x <= 1 },
        Release { x <= 1 },
        Decide { x <= 1 },
        Offer,
        Locked,
        Turn { x <= 0 },
        Leader;
    init Start;
    trans
        Start -> Read { sync lock[previous]!; assign x = 0; },
        Start -> Locked { sync lock[id]?; },
        Read -> Release { assign heard = shown[previous]; },
        Release -> Decide { sync unlock[previous]!; },
        Decide -> Leader { guard heard == id; sync elected!; },
        Decide -> Offer { guard heard != id; assign shown[id] = heard; },
        Offer -> Locked { sync lock[id]?; },
        Locked -> Turn { sync unlock[id]?; assign x = 0; },
        Turn -> Read { sync lock[previous]!; assign x = 0; };
}

process Watch() {
    clock z;
    state Running, InTime, Late;
    init Running;
    trans
        Running -> InTime { guard z <= TIMEOUT; sync elected?; },
        Running -> Late { guard z > TIMEOUT; };
}

system Candidate, Watch;
";

/// Number of initial values per line.
const VALUES_PER_LINE: u32 = 16;

/// The declaration of the numbers shown by the candidates, initially their own numbers.
fn shown(candidates: u32) -> String {
    let mut text = String::from("typedef int[0, N - 1] id_t;\n\nid_t shown[id_t] = {");
    for candidate in 0..candidates {
        let space = if candidate % VALUES_PER_LINE == 0 { "\n    " } else { " " };
        let comma = if candidate + 1 < candidates { "," } else { "" };
        text.push_str(&format!("{space}{candidate}{comma}"));
    }
    text.push_str("\n};  // the number that each candidate shows to its successor\n\n");
    text
}

fn write(arguments: &Arguments) -> Generated {
    let candidates = arguments.value("N");
    let constants = [
        constant("N", &candidates, "candidates; as many values in shown"),
        constant("TIMEOUT", &arguments.value("TIMEOUT"), "time in which a leader is wanted"),
    ];
    let body = shown(candidates) + BODY.trim_start();
    Generated {
        model: model_text(COMMENT, &constants, &body),
        queries: vec![
            "A[] (sum (i : id_t) Candidate(i).Leader) <= 1".to_owned(),
            "E<> Watch.Late".to_owned(),
        ],
    }
}
