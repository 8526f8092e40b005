//! Judgements of the oracles are consistent on every network.

use zonaut_testkit::generate::{Stratum, generate_in};
use zonaut_testkit::judge::{Claim, Judgement, judge};
use zonaut_testkit::oracle::Limits;

/// The numbers of claims that are judged right, wrong and undecided.
fn check(stratum: Stratum, claim: Claim) -> [usize; 3] {
    let mut counts = [0; 3];
    for seed in 0..60 {
        match judge(&generate_in(stratum, seed), claim, Limits::default()) {
            Judgement::Right => counts[0] += 1,
            Judgement::Wrong(_) => counts[1] += 1,
            Judgement::Undecided => counts[2] += 1,
        }
    }
    counts
}

#[test]
fn opposite_claims_are_judged_oppositely() {
    for stratum in Stratum::ALL {
        let [reachable, not_reachable, undecided] =
            check(stratum, Claim::Reachable { shortest: None });
        let [unreachable, not_unreachable, _] = check(stratum, Claim::Unreachable);
        let [failed, not_failed, _] = check(stratum, Claim::Failed);
        assert!(undecided < 3, "{stratum:?}: {undecided}");
        assert!(reachable > 10 && unreachable > 10);
        assert!(reachable <= not_unreachable && unreachable <= not_reachable);
        assert!(failed <= not_unreachable && unreachable <= not_failed);
    }
}

#[test]
fn only_one_shortest_length_is_right() {
    for seed in 0..100 {
        let specification = generate_in(Stratum::Open, seed);
        let is_right = |actions: &u32| {
            let claim = Claim::Reachable { shortest: Some(*actions) };
            judge(&specification, claim, Limits::default()) == Judgement::Right
        };
        assert!((0..20).filter(is_right).count() <= 1, "{seed}");
    }
}
