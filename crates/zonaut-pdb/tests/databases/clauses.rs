//! A small model for each clause of the construction, with a wrong result if the clause is
//! disabled.

use crate::check::Problem;
use zonaut_pdb::faults::Clause;

/// A model that needs a clause.
pub(crate) struct Case {
    /// The clause.
    pub(crate) clause: Clause,
    /// The model.
    pub(crate) model: &'static str,
    /// The query.
    pub(crate) query: &'static str,
    /// The dropped symbols.
    pub(crate) dropped: &'static [&'static str],
}

/// One model for each clause.
pub(crate) const CASES: [Case; 20] = [
    Case {
        clause: Clause::FarHorizon,
        // Two steps cost less than the jump over both, which is found first.
        model: "int[0,199] n;
            process P() { state a, b; init a;
                trans a -> b { guard n == 199; },
                      a -> a { guard n < 199; assign n := n + 1; },
                      a -> a { guard n < 0; },
                      a -> a { guard n < 198; assign n := n + 2; }; }
            system P;",
        query: "E<> P.b",
        dropped: &[],
    },
    Case {
        clause: Clause::Writes,
        model: "int[0,1] v;
            process P() { state a, b; init a; trans a -> b { guard v == 1; }; }
            process Q() { state a; init a; trans a -> a { assign v := 1; }; }
            system P, Q;",
        query: "E<> P.b",
        dropped: &["Q"],
    },
    Case {
        clause: Clause::Hooks,
        model: "int[0,3] n;
            after_update { n = n < 3 ? n + 1 : n }
            process P() { state a, b; init a; trans a -> b { guard n >= 2; }; }
            process Q() { state a; init a; trans a -> a { }; }
            system P, Q;",
        query: "E<> P.b",
        dropped: &["Q"],
    },
    Case {
        clause: Clause::Flow,
        model: "int[0,1] v; int[0,1] w;
            process P() { state a, b; init a; trans a -> a { assign v := w; }, a -> b { guard v == 1; }; }
            process Q() { state a; init a; trans a -> a { assign w := 1; }; }
            system P, Q;",
        query: "E<> P.b",
        dropped: &["Q"],
    },
    Case {
        clause: Clause::Temporaries,
        model: "typedef struct { int[0,9] x; int[0,9] y; } S; S s, t = { 4, 4 }; bool g = true;
            process P() { state a, b; init a; trans a -> b { assign s = (g ? t : s); }; }
            system P;",
        query: "E<> s.x == 4",
        dropped: &[],
    },
    Case {
        clause: Clause::Temporaries,
        model: "typedef struct { int[0,9] x; int[0,9] y; } S; S s; int[0,9] n = 4;
            S pair(int[0,9] k) { S it = { k, k }; return it; }
            process P() { state a, b, c; init a;
                trans a -> b { assign s = pair(n); }, b -> c { guard s.y == 4; }; }
            system P;",
        query: "E<> P.c",
        dropped: &[],
    },
    Case {
        clause: Clause::Temporaries,
        model: "typedef struct { int[0,9] x; int[0,9] y; } S; S s; int[0,1] v;
            S pair(int[0,9] k) { S it = { k, k }; return it; }
            process P() { state a, b; init a; trans a -> b { assign s = pair(v); }; }
            process Q() { state a; init a; trans a -> a { assign v = 1; }; }
            system P, Q;",
        query: "E<> P.b && s.x == 1",
        dropped: &["Q"],
    },
    Case {
        clause: Clause::Conjuncts,
        model: "int[0,1] v; int[0,1] u;
            process P() { state a, b; init a; trans a -> a { assign u := 1; }, a -> b { guard u == 1 && v == 1; }; }
            process Q() { state a; init a; trans a -> a { assign v := 1; }; }
            system P, Q;",
        query: "E<> P.b",
        dropped: &["Q"],
    },
    Case {
        clause: Clause::Polarity,
        model: "process P() { state a, b; init a; trans a -> b { }; }
            process Q() { state a, b; init a; trans a -> b { }; }
            system P, Q;",
        query: "E<> P.b and not Q.a",
        dropped: &["Q"],
    },
    Case {
        clause: Clause::SilentCopy,
        model: "chan c;
            process P() { state a, b; init a; trans a -> b { sync c!; }; }
            process Q() { state a, b; init a; trans a -> b { sync c?; }; }
            system P, Q;",
        query: "E<> P.b",
        dropped: &["Q"],
    },
    Case {
        clause: Clause::BothSides,
        model: "chan c;
            process P() { state a, b; init a; trans a -> b { sync c!; }; }
            process Q() { state a, b; init a; trans a -> b { sync c?; }; }
            system P, Q;",
        query: "E<> P.b and Q.b",
        dropped: &["c"],
    },
    Case {
        clause: Clause::SenderStub,
        model: "broadcast chan c;
            process P() { state a, b; init a; trans a -> b { sync c?; }; }
            process Q() { state a, b; init a; trans a -> b { sync c?; }; }
            process R() { state a; init a; trans a -> a { sync c!; }; }
            system P, Q, R;",
        query: "E<> P.b and Q.b",
        dropped: &["R"],
    },
    Case {
        clause: Clause::ReceiverLoop,
        model: "broadcast chan c; int[0,1] v;
            process P() { state a, b; init a; trans a -> b { guard v == 1; sync c?; }; }
            process Q() { state a, b; init a; trans a -> b { sync c!; }; }
            process R() { state a; init a; trans a -> a { assign v := 1; }; }
            system P, Q, R;",
        query: "E<> P.a and Q.b",
        dropped: &["R"],
    },
    Case {
        clause: Clause::Urgency,
        model: "urgent chan c; int[0,1] v; clock x;
            process P() { state a, b; init a; trans a -> b { guard v == 1; sync c?; }; }
            process Q() { state a, b; init a; trans a -> b { sync c!; }; }
            process R() { state a; init a; trans a -> a { assign v := 1; }; }
            process T() { state a, b; init a; trans a -> b { guard x >= 5; }; }
            system P, Q, R, T;",
        query: "E<> T.b",
        dropped: &["R"],
    },
    Case {
        clause: Clause::Committed,
        model: "chan c;
            process P() { state a, b; commit a; init a; trans a -> b { }; }
            process Q() { state a, b; commit a; init a; trans a -> b { sync c!; }; }
            process R() { state a, b; init a; trans a -> b { sync c?; }; }
            system P, Q, R;",
        query: "E<> P.a and R.b",
        dropped: &["Q"],
    },
    Case {
        clause: Clause::EveryChannel,
        model: "chan c[2]; int[0,1] v;
            process P() { state a, b; init a; trans a -> b { sync c[v]!; }; }
            process Q() { state a, b; init a; trans a -> b { sync c[1]?; }; }
            process R() { state a; init a; trans a -> a { assign v := 1; }; }
            system P, Q, R;",
        query: "E<> P.b and Q.b",
        dropped: &["R"],
    },
    Case {
        clause: Clause::FailingGuard,
        model: "chan c; int[0,5] i := 5; int[0,1] v[2];
            process P() { state a, b, d; init a; trans a -> b { guard v[i] == 0; }, a -> d { }; }
            process Q() { state a, b; commit a; init a; trans a -> b { sync c!; }; }
            process R() { state a, b; init a; trans a -> b { sync c?; assign i := 0; }; }
            system P, Q, R;",
        query: "E<> P.d",
        dropped: &["Q"],
    },
    Case {
        clause: Clause::ReturnRange,
        model: "int n = 4; int[0,3] narrow(int k) { return k; }
            process P() { state a, b, c; init a;
                trans a -> b { }, b -> c { guard narrow(n) == 4; }; }
            system P;",
        query: "E<> P.c",
        dropped: &[],
    },
    Case {
        clause: Clause::ClockLimit,
        model: "int[0,2000000000] v = 1100000000; clock x;
            process P() { state a, b; init a; trans a -> b { assign x := v; }; }
            system P;",
        query: "E<> v == 1",
        dropped: &[],
    },
    Case {
        clause: Clause::ClockLimit,
        model: "int[0,2000000000] v = 1100000000; clock y;
            process P() { state a, b; init a; trans a -> b { guard y >= v; }; }
            system P;",
        query: "E<> v == 1",
        dropped: &[],
    },
];

impl Case {
    /// The first violation by the database of this case.
    pub(crate) fn verdict(&self) -> Result<(), String> {
        let problem = Problem::of_text(self.model, self.query);
        let dropped = problem.symbols(self.dropped);
        problem.verdict(&dropped)?;
        problem.verdict_when_stopped(&dropped)
    }
}
