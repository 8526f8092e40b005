//! The Towers of Hanoi: discs that move from the first of three pegs to the last.
//!
//! The shortest solution has 2^N - 1 moves of repeating patterns, which heuristics that ignore
//! deletes underestimate. The model has 3^N states and no clocks.

use crate::arguments::Arguments;
use crate::family::{DefaultValue, Family, Generated, Parameter};
use crate::model_text::{constant, model_text};

pub(crate) const FAMILY: Family = Family {
    name: "hanoi",
    summary: "N discs that move from the first of three pegs to the last",
    parameters: &[Parameter {
        name: "N",
        meaning: "number of discs",
        default: DefaultValue::Fixed(4),
        minimum: 1,
        maximum: 1_000,
    }],
    write,
};

const COMMENT: &str = "
The Towers of Hanoi.
Discs of different sizes stand on the first of three pegs. One disc at a time moves from the
top of a peg to the top of another one, and never onto a smaller disc.
";

const BODY: &str = r"
process Disc(const disc_t id) {
    state First, Second, Third;
    init First;
    trans
        First -> Second {
            guard top[0] == id && top[1] > id;
            assign top[0] = under[id], under[id] = top[1], top[1] = id;
        },
        First -> Third {
            guard top[0] == id && top[2] > id;
            assign top[0] = under[id], under[id] = top[2], top[2] = id;
        },
        Second -> First {
            guard top[1] == id && top[0] > id;
            assign top[1] = under[id], under[id] = top[0], top[0] = id;
        },
        Second -> Third {
            guard top[1] == id && top[2] > id;
            assign top[1] = under[id], under[id] = top[2], top[2] = id;
        },
        Third -> First {
            guard top[2] == id && top[0] > id;
            assign top[2] = under[id], under[id] = top[0], top[0] = id;
        },
        Third -> Second {
            guard top[2] == id && top[1] > id;
            assign top[2] = under[id], under[id] = top[1], top[1] = id;
        };
}

system Disc;
";

/// Number of initial values per line.
const VALUES_PER_LINE: u32 = 16;

/// The declarations of the initial configuration: each disc lies on the next larger one.
fn declarations(discs: u32) -> String {
    let mut text = String::from(
        "\
typedef int[1, N] disc_t;        // from the smallest to the largest
typedef int[1, N + 1] thing_t;   // a disc, or the ground

thing_t top[3] = { 1, N + 1, N + 1 };  // what is on top of each peg
thing_t under[disc_t] = {",
    );
    for disc in 0..discs {
        let space = if disc % VALUES_PER_LINE == 0 { "\n    " } else { " " };
        let comma = if disc + 1 < discs { "," } else { "" };
        text.push_str(&format!("{space}{}{comma}", disc + 2));
    }
    text.push_str("\n};  // what each disc lies on\n\n");
    text
}

fn write(arguments: &Arguments) -> Generated {
    let discs = arguments.value("N");
    let constants = [constant("N", &discs, "discs; as many values in under")];
    let body = declarations(discs) + BODY.trim_start();
    Generated {
        model: model_text(COMMENT, &constants, &body),
        queries: vec!["E<> forall (i : disc_t) Disc(i).Third".to_owned()],
    }
}
