//! The steel plant: ladles of molten iron between the blast furnace and the caster.
//!
//! A case study of the project VHS on the plant of Sidmar in Ghent (A. Fehnker: "Scheduling a steel
//! plant with timed automata", DOI 10.1109/RTCSA.1999.811257), in the form in which schedules were
//! improved by costs (G. Behrmann and others: "Efficient guiding towards cost-optimality in
//! UPPAAL", DOI 10.1007/3-540-45319-9_13). The layout is that of the papers: two tracks, five
//! machines, two cranes on one track, and a caster that must not stop. The durations are our own.
//! They are chosen so that the papers' two bounds for ten ladles hold: no schedule takes less than
//! 291, which is the shortest route of a ladle to the caster and the shortest casts in sequence,
//! and none more than 425, which is the longest stay and the longest casts.

use crate::arguments::Arguments;
use crate::family::{DefaultValue, Family, Generated, Parameter};
use crate::model_text::{constant, model_text};

pub(crate) const FAMILY: Family = Family {
    name: "sidmar",
    summary: "N ladles in a steel plant with two tracks, five machines, two cranes and a caster",
    parameters: &[Parameter {
        name: "N",
        meaning: "number of ladles",
        default: DefaultValue::Fixed(3),
        minimum: 1,
        maximum: 1_000,
    }],
    write,
};

const COMMENT: &str = "
A steel plant.
Ladles of iron of three qualities come in on one of two tracks, are treated by machines 1, 2 and
3 on the first track or 4 and 5 on the second, are carried to the holding place of the caster by
one of two cranes that cannot pass each other, and are cast. A ladle must be cast soon enough
after it was filled, and once the caster has begun, it does not stop until all are cast.
The variable `heur` guides a search in depth (`zonaut optimize --strategy heur-dfs`): what is due
first in a steady rhythm is tried first, and cranes move where they are needed.
";

const BODY: &str = r"
const int first[3] = { 30, 35, 25 };   // on machine 1 or 4, by quality
const int second[3] = { 25, 25, 45 };  // on machine 2 or 5
const int third[3] = { 0, 20, 0 };     // on machine 3

typedef int[0, N - 1] id_t;
typedef int[0, 1] crane_t;

// The inlet and machines 1 to 3, the inlet and machines 4 and 5, and the holding place.
bool taken[8];
bool out[2];                     // the ends of the tracks, under the cranes
int[0, 4] at[2] = { 0, 4 };      // cranes: 1 and 2 are the ends of the tracks, 3 the holding place
bool still[2] = { true, true };
bool loaded[2];
bool casting;
int[0, N] cast;
clock gap;                       // since the last cast
meta int[0, 1000000] heur;

process Ladle(const id_t k) {
    const int quality = 2 * k % 3;
    // When what happens to the ladle is due.
    const int due = k * CAST + 300;
    const int lift = due - SETTLE - CARRY;
    const int track1 = lift - 2 * PASS - third[quality] - second[quality] - first[quality];
    const int track2 = lift - PASS - second[quality] - first[quality];
    clock x, s;
    crane_t crane;
    state outside, in1 { s <= STAY }, m1 { s <= STAY }, m2 { s <= STAY }, m3 { s <= STAY },
        out1 { s <= STAY }, in2 { s <= STAY }, m4 { s <= STAY }, m5 { s <= STAY },
        out2 { s <= STAY }, hung { s <= STAY }, held { s <= STAY }, casts { x <= SLOW }, gone;
    init outside;
    trans
        outside -> in1 { guard !taken[0];
            assign taken[0] = true, x = 0, s = 0, heur = track1 - POUR + (quality == 2 ? 20 : 0); },
        in1 -> m1 { guard x >= POUR && !taken[1];
            assign taken[0] = false, taken[1] = true, x = 0, heur = track1; },
        m1 -> m2 { guard x >= first[quality] && !taken[2];
            assign taken[1] = false, taken[2] = true, x = 0, heur = track1 + first[quality]; },
        m2 -> m3 { guard x >= second[quality] && !taken[3];
            assign taken[2] = false, taken[3] = true, x = 0,
                heur = lift - 2 * PASS - third[quality]; },
        m3 -> out1 { guard x >= PASS + third[quality] && !out[0];
            assign taken[3] = false, out[0] = true, x = 0, heur = lift - PASS; },
        outside -> in2 { guard third[quality] == 0 && !taken[4];
            assign taken[4] = true, x = 0, s = 0, heur = track2 - POUR + (quality == 0 ? 20 : 0); },
        in2 -> m4 { guard x >= POUR && !taken[5];
            assign taken[4] = false, taken[5] = true, x = 0, heur = track2; },
        m4 -> m5 { guard x >= first[quality] && !taken[6];
            assign taken[5] = false, taken[6] = true, x = 0, heur = track2 + first[quality]; },
        m5 -> out2 { guard x >= second[quality] && !out[1];
            assign taken[6] = false, out[1] = true, x = 0, heur = lift - PASS; },
        out1 -> hung { select c : crane_t;
            guard x >= PASS && at[c] == 1 && still[c] && !loaded[c];
            assign crane = c, loaded[c] = true, out[0] = false, x = 0, heur = lift; },
        out2 -> hung { select c : crane_t;
            guard x >= PASS && at[c] == 2 && still[c] && !loaded[c];
            assign crane = c, loaded[c] = true, out[1] = false, x = 0, heur = lift; },
        hung -> held { guard x >= CARRY && at[crane] == 3 && still[crane] && !taken[7];
            assign loaded[crane] = false, taken[7] = true, crane = 0, x = 0, heur = due - SETTLE; },
        held -> casts { guard x >= SETTLE && !casting;
            assign taken[7] = false, casting = true, x = 0, heur = due; },
        casts -> gone { guard x >= CAST;
            assign casting = false, cast++, gap = 0, x = 0, heur = due + CAST - 1; };
}

process Crane(const crane_t me) {
    clock y;
    state idle, left { y <= STEP }, right { y <= STEP };
    init idle;
    trans
        idle -> left { guard at[me] > 0 && at[1 - me] != at[me] - 1;
            assign at[me]--, still[me] = false, y = 0,
                heur = me == 0 && !loaded[0]
                    && (at[0] == 2 && (out[0] || out[1]) || at[0] == 1 && out[0]) ? 0 : 100000; },
        idle -> right { guard at[me] < 4 && at[1 - me] != at[me] + 1;
            assign at[me]++, still[me] = false, y = 0,
                heur = me == 0 && (loaded[0] && at[0] <= 3
                    || !loaded[0] && at[0] == 1 && (out[0] || out[1])
                    || !loaded[0] && at[0] == 2 && out[1] && !out[0]) ? 0 : 100000; },
        left -> idle { guard y >= STEP; assign still[me] = true, y = 0, heur = 0; },
        right -> idle { guard y >= STEP; assign still[me] = true, y = 0, heur = 0; };
}

process Caster() {
    state run { casting || cast == 0 || cast == N || gap <= 0 };
    init run;
}

system Ladle, Crane, Caster;
";

fn write(arguments: &Arguments) -> Generated {
    let constants = [
        constant("N", &arguments.value("N"), "number of ladles"),
        constant("POUR", &6, "to fill a ladle"),
        constant("PASS", &4, "to pass a place of a track"),
        constant("STEP", &4, "for a crane, from a place to the next"),
        constant("CARRY", &16, "to lift a ladle and to set it down"),
        constant("SETTLE", &10, "in the holding place"),
        constant("CAST", &20, "to cast a ladle, at least"),
        constant("SLOW", &25, "to cast a ladle, at most"),
        constant("STAY", &175, "between filling and casting, at most"),
    ];
    let model = model_text(COMMENT, &constants, BODY);
    Generated { model, queries: vec!["E<> forall (k : id_t) Ladle(k).gone".to_owned()] }
}
