//! The bridge: people who cross it in the dark, two at a time, with one torch.
//!
//! The least time until all are on the other side is the oldest example of a scheduling question
//! for model checkers (T. C. Ruys, E. Brinksma: "Experience with literate programming in the
//! modelling and validation of systems", DOI 10.1007/BFb0054185). With 5, 10, 20 and 25 minutes it
//! is 60 minutes.

use crate::arguments::Arguments;
use crate::family::{DefaultValue, Family, Generated, Parameter};
use crate::model_text::{constant, model_text};

const fn walk(name: &'static str, default: u32) -> Parameter {
    Parameter {
        name,
        meaning: "minutes that one of the people needs",
        default: DefaultValue::Fixed(default),
        minimum: 0,
        maximum: 1_000_000,
    }
}

pub(crate) const FAMILY: Family = Family {
    name: "bridge",
    summary: "four people who cross a bridge in the dark, two at a time, with one torch",
    parameters: &[walk("A", 5), walk("B", 10), walk("C", 20), walk("D", 25)],
    write,
};

const COMMENT: &str = "
The bridge.
Four people cross a bridge in the dark. It carries two of them at a time, and who crosses it
needs the torch, of which there is one. The slower of two sets the pace.
The lower bound `remaining` of the remaining cost is the crossing time of the slowest person who
has not set out yet, or is on the way back.
";

const BODY: &str = r"
chan take, release;
int[0,1] side;  // where the torch is
typedef int[0,1000000] minutes_t;
const minutes_t minutes[4] = { A, B, C, D };
bool crosses[4] = { true, true, true, true };  // who has still to set out
meta minutes_t remaining = (A >? B) >? (C >? D);

minutes_t slowest() {
    minutes_t most = 0;
    for (i : int[0,3])
        if (crosses[i]) most = most >? minutes[i];
    return most;
}

process Person(const int[0,3] me) {
    clock y;
    state unsafe, over, safe, back;
    init unsafe;
    trans
        unsafe -> over { guard side == 0; sync take!;
            assign y = 0, crosses[me] = false, remaining = slowest(); },
        over -> safe { guard y >= minutes[me]; sync release!; },
        safe -> back { guard side == 1; sync take!;
            assign y = 0, crosses[me] = true, remaining = slowest(); },
        back -> unsafe { guard y >= minutes[me]; sync release!; };
}

process Torch() {
    state free, one, two, taken;
    urgent taken;
    init free;
    trans
        free -> taken { sync take?; },
        taken -> one { },
        taken -> two { sync take?; },
        two -> one { sync release?; },
        one -> free { sync release?; assign side = 1 - side; };
}

PA = Person(0);
PB = Person(1);
PC = Person(2);
PD = Person(3);
T = Torch();
system PA, PB, PC, PD, T;
";

fn write(arguments: &Arguments) -> Generated {
    let minutes = |name| constant(name, &arguments.value(name), "minutes");
    let model = model_text(COMMENT, &["A", "B", "C", "D"].map(minutes), BODY);
    Generated { model, queries: vec!["E<> PA.safe && PB.safe && PC.safe && PD.safe".to_owned()] }
}
