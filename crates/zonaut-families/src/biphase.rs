//! The Biphase Mark protocol: bits and clock pulses on one wire.
//!
//! After F. Vaandrager and A. de Groot: "Analysis of a biphase mark protocol with UPPAAL and PVS"
//! (DOI 10.1007/s00165-006-0008-1), and its use in G. Behrmann and others: "Efficient guiding
//! towards cost-optimality in UPPAAL" (DOI 10.1007/3-540-45319-9_13). The automata are our own:
//! every cycle of the two clocks is a transition. Cells of 16, 18 and 32 cycles with marks of 6, 5
//! and 16 and sampling distances of 11, 10 and 23 are safe; a shorter mark is missed, a longer one
//! is sampled too early, and a shorter cell is sampled too late.

use crate::arguments::Arguments;
use crate::family::{DefaultValue, Family, Generated, Parameter};
use crate::model_text::{constant, model_text};

const fn cycles(name: &'static str, meaning: &'static str, default: u32) -> Parameter {
    let default = DefaultValue::Fixed(default);
    Parameter { name, meaning, default, minimum: 2, maximum: 1_000 }
}

pub(crate) const FAMILY: Family = Family {
    name: "biphase",
    summary: "the Biphase Mark protocol with cells of C cycles, marks of M and samples after S",
    parameters: &[
        cycles("C", "cycles of a cell", 16),
        cycles("M", "cycles of the mark", 6),
        cycles("S", "cycles from an edge to the sample", 11),
    ],
    write,
};

const COMMENT: &str = "
The Biphase Mark protocol.
A sender toggles the wire at the beginning of every cell, and again after the mark if the bit is
1. For a while after each edge the wire has any level. A receiver, with a clock of its own, waits
for an edge and samples the wire some cycles later: the bit is 1 if the level has changed again.
Both clocks drift. The protocol fails if a bit is read wrongly, twice or not at all.
The cost of a run is the number of cells that it sends. The variable `heur` guides a search
(`zonaut optimize --strategy heur`): cells with the bit 1 are tried first.
";

const BODY: &str = r"
broadcast chan edge;
int[0, 1] level;      // what the sender drives
bool settled = true;  // whether the wire has that level
int[0, 1] bit;        // of the cell that is sent
bool fresh;           // whether it has not been read yet
bool failed;
meta int[0, 1000000] heur;

process Sender() {
    clock x;
    int[0, C] n;
    state start, mark { x <= SLOW }, middle, rest { x <= SLOW }, stuck;
    commit start, middle;
    init start;
    trans
        start -> mark { guard !fresh; sync edge!;
            assign bit = 1, fresh = true, level = 1 - level, x = 0, cost += 1; },
        start -> mark { guard !fresh; sync edge!;
            assign bit = 0, fresh = true, level = 1 - level, x = 0, cost += 1,
                heur = heur < 900000 ? heur + 1000 : heur; },
        start -> stuck { guard fresh; assign failed = true; },
        mark -> mark { guard x >= FAST && n < M - 1; assign n++, x = 0; },
        mark -> middle { guard x >= FAST && n == M - 1; assign n++, x = 0; },
        middle -> rest { guard bit == 1; sync edge!; assign level = 1 - level; },
        middle -> rest { guard bit == 0; },
        rest -> rest { guard x >= FAST && n < C - 1; assign n++, x = 0; },
        rest -> start { guard x >= FAST && n >= C - 1; assign n = 0, x = 0; };
}

process Wire() {
    clock w;
    state stable, unstable { w <= EDGE };
    init stable;
    trans
        stable -> unstable { sync edge?; assign w = 0, settled = false; },
        unstable -> unstable { sync edge?; assign w = 0; },
        unstable -> stable { guard w >= EDGE; assign settled = true; };
}

process Receiver() {
    clock z;
    int[0, S] n;
    int[0, 1] last;  // the level that was read last
    state listen { z <= SLOW }, wait { z <= SLOW };
    init listen;
    trans
        listen -> listen { guard z >= FAST && (!settled || level == last); assign z = 0; },
        listen -> wait { guard z >= FAST && (!settled || level != last);
            assign last = 1 - last, z = 0; },
        wait -> wait { guard z >= FAST && n < S - 1; assign n++, z = 0; },
        wait -> listen { select v : int[0, 1];
            guard z >= FAST && n == S - 1 && (!settled || v == level);
            assign failed = failed || !fresh || (v != last) != (bit == 1), fresh = false,
                last = v, n = 0, z = 0; };
}

system Sender, Wire, Receiver;
";

fn write(arguments: &Arguments) -> Generated {
    let constants = [
        constant("C", &arguments.value("C"), "cycles of a cell"),
        constant("M", &arguments.value("M"), "cycles of the mark"),
        constant("S", &arguments.value("S"), "cycles from an edge to the sample"),
        constant("FAST", &8, "the shortest cycle"),
        constant("SLOW", &"S == 11 ? 9 : 10", "the longest, of the clocks made for S"),
        constant("EDGE", &"S == 10 ? 28 : S == 11 ? 16 : 15", "how long an edge takes"),
    ];
    let model = model_text(COMMENT, &constants, BODY);
    Generated { model, queries: vec!["E<> failed".to_owned()] }
}
