//! The bridge: people who cross it in the dark, two at a time, with one torch.
//!
//! How soon they are all on the other side is the oldest example of a schedule that model checkers
//! were asked for (T. C. Ruys, E. Brinksma: "Experience with literate programming in the modelling
//! and validation of systems", DOI 10.1007/BFb0054185). With 5, 10, 20 and 25 minutes it is an hour.

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
";

const BODY: &str = r"
chan take, release;
int[0,1] side;  // where the torch is

process Person(const int minutes) {
    clock y;
    state unsafe, over, safe, back;
    init unsafe;
    trans
        unsafe -> over { guard side == 0; sync take!; assign y = 0; },
        over -> safe { guard y >= minutes; sync release!; },
        safe -> back { guard side == 1; sync take!; assign y = 0; },
        back -> unsafe { guard y >= minutes; sync release!; };
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

PA = Person(A);
PB = Person(B);
PC = Person(C);
PD = Person(D);
T = Torch();
system PA, PB, PC, PD, T;
";

fn write(arguments: &Arguments) -> Generated {
    let minutes = |name| constant(name, &arguments.value(name), "minutes");
    let model = model_text(COMMENT, &["A", "B", "C", "D"].map(minutes), BODY);
    Generated { model, queries: vec!["E<> PA.safe && PB.safe && PC.safe && PD.safe".to_owned()] }
}
