//! Damaged certificates: truncated, with changed bytes, with changed and resealed lines.

use crate::{certificate, core};
use zonaut_certify::{Limits, check, seal};
use zonaut_testkit::random::Random;

const MODEL: &str = "
    clock x, y;
    int[0,3] v;
    process P() {
        state a { x <= 2 }, b, c;
        init a;
        trans a -> b { guard x >= 1; assign x = 0, v = 1; }, b -> c { guard x > y; };
    }
    system P;";

/// Valid certificates with their core texts.
fn certificates() -> Vec<(String, String)> {
    let unreachable = core(MODEL, "E<> P.c");
    let set = "nodes 2\nnode 0 0 - 1-2<=0 2-1<=0 1-0<=2\nnode 1 1 0=1 1-2<=-1 2-1<=2\n";
    let incl = certificate(&unreachable, "unreach", &format!("abs incl\n{set}hint 0 1\n"));
    let plain = core(&MODEL.replace("x > y", "x < 1 && y > 9 && x > 1"), "E<> P.c");
    let lu = "abs lu\nbounds 0 1:1:2 2:9:-\nnodes 2\nnode 0 0 - 0 1-2<=0 2-1<=0\nnode 1 1 0=1 0\n";
    let lu = certificate(&plain, "unreach", lu);
    let data = MODEL.replace("v = 1", "v = (v + 1) % 3").replace("x > y", "x > y && v < 4");
    let data = core(&data, "E<> P.c");
    let unknown = "abs incl\nnodes 2\nnode 0 0 0=* 1-2<=0 2-1<=0\nnode 1 1 0=* 1-2<=-1\n";
    let unknown = certificate(&data, "unreach", unknown);
    let reachable = core(MODEL, "E<> P.b and v == 1 and y < 2 and x > 0");
    let run = "denom 4\ndelay 5\nact 0.0\ndelay 2\ngoal\n";
    let run = certificate(&reachable, "reach", run);
    vec![(unreachable, incl), (plain, lu), (data, unknown), (reachable, run)]
}

fn is_accepted(core: &str, text: &str) -> bool {
    check(core, text, &Limits::default()).is_ok()
}

#[test]
fn a_truncated_certificate_is_not_accepted() {
    for (core, text) in certificates() {
        assert!(is_accepted(&core, &text), "{:?}", check(&core, &text, &Limits::default()));
        assert!(is_accepted(&core, text.trim_end_matches('\n')));
        for length in 0..text.len() - 1 {
            assert!(!is_accepted(&core, &text[..length]), "{length}");
        }
        assert!(!is_accepted(&core, &format!("{text}\n")));
        assert!(!is_accepted(&core, &format!("{text}x")));
    }
}

#[test]
fn a_certificate_with_a_changed_byte_is_not_accepted() {
    for (core, text) in certificates() {
        for position in 0..text.len() {
            for byte in [b' ', b'\n', b'0', b'1', b'-', b'<', b'*', b'z'] {
                let mut bytes = text.clone().into_bytes();
                if bytes[position] == byte || (position + 1 == bytes.len()) {
                    continue;
                }
                bytes[position] = byte;
                let changed = String::from_utf8(bytes).unwrap();
                assert!(!is_accepted(&core, &changed), "{position}: {changed}");
            }
        }
    }
}

/// A truncated or changed core text never makes the checker panic.
#[test]
fn damaged_core_texts_never_panic() {
    let mut random = Random::new(5);
    for (core, text) in certificates() {
        for length in 0..core.len() {
            let cut = &core[..length];
            assert!(!is_accepted(cut, &text));
        }
        for _ in 0..3000 {
            let mut lines: Vec<&str> = core.lines().collect();
            let position = random.below(lines.len());
            match random.below(3) {
                0 => drop(lines.remove(position)),
                1 => lines.swap(position, random.below(core.lines().count())),
                _ => lines[position] = lines[random.below(core.lines().count())],
            }
            let changed: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let body = text.lines().skip(3).filter(|line| !line.starts_with("end "));
            let body: String =
                body.filter(|l| !l.starts_with("clocks")).map(|l| format!("{l}\n")).collect();
            let kind = if text.contains("kind reach") { "reach" } else { "unreach" };
            let _ = check(&changed, &certificate(&changed, kind, &body), &Limits::default());
        }
    }
}

/// Changed words in a resealed certificate never make the checker panic, and an accepted
/// certificate still proves a true claim: the claim is about the core text, which did not change.
#[test]
fn resealed_changes_never_prove_false_claims() {
    let mut random = Random::new(3);
    for (core, text) in certificates() {
        let body = &text[..text.rfind("end ").unwrap()];
        let claim = check(&core, &text, &Limits::default()).unwrap().claim;
        for _ in 0..4000 {
            let mut bytes = body.as_bytes().to_vec();
            for _ in 0..=random.below(3) {
                let position = random.below(bytes.len());
                match random.below(4) {
                    0 => drop(bytes.remove(position)),
                    1 => bytes.insert(position, b"0123456789-<=*.,: \n"[random.below(19)]),
                    _ => bytes[position] = b"0123456789-<=*.,: \n"[random.below(19)],
                }
            }
            let changed = seal(String::from_utf8(bytes).unwrap());
            if let Ok(accepted) = check(&core, &changed, &Limits::default()) {
                assert_eq!(accepted.claim, claim);
            }
        }
    }
}
