//! Damaged and forged certificates of least costs with different rates of locations.

use super::{Count, Violation, beyond, damaged};
use crate::generate::generate;
use crate::priced::{Rated, claimed_by};
use crate::random::Random;
use std::panic::catch_unwind;
use zonaut_certify::check;

/// Damages the certificate of the least cost of the network of `seed`, `times` times.
///
/// # Errors
/// The first certificate with a false claim that is accepted, or that makes the checker panic.
pub fn damage_rates(seed: u64, times: u64, count: &mut Count) -> Result<(), Box<Violation>> {
    let Some(rated) = Rated::of(&generate(seed), seed) else { return Ok(()) };
    let Ok(Some((core, bytes))) = rated.certificate() else { return Ok(()) };
    let Ok(text) = String::from_utf8(bytes) else { return Ok(()) };
    let bodies = [beyond::about(&text, &core)];
    let mut random = Random::new(seed ^ 0x7a7ed);
    for _ in 0..times {
        let certificate = damaged(&bodies, &mut random);
        count.damaged += 1;
        if let Err(what) = judge(&core, &certificate, &rated, count) {
            let certificate = certificate.into_bytes();
            return Err(Box::new(Violation { seed, what, core, certificate }));
        }
    }
    Ok(())
}

/// Checks that the checker's answer about a least cost is compatible with the truth.
pub(super) fn judge(
    core: &str,
    certificate: &str,
    rated: &Rated,
    count: &mut Count,
) -> Result<(), String> {
    let limits = zonaut_certify::Limits { steps: 100_000, ..Default::default() };
    let checked = catch_unwind(|| check(core, certificate, &limits));
    let accepted = match checked.map_err(|_| "the checker panics".to_owned())? {
        Ok(accepted) => accepted,
        Err(refusal) => {
            count.refused(&refusal);
            return Ok(());
        }
    };
    match claimed_by(&accepted).map(|claimed| rated.is_true(claimed)) {
        Some(Some(true)) => count.accepted += 1,
        Some(Some(false)) => return Err(format!("{accepted}, which is not true")),
        Some(None) | None => count.unjudged += 1,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_certificates_with_rates_are_accepted_only_if_their_claims_are_true() {
        let mut count = Count::default();
        for seed in 0..150 {
            if let Err(violation) = damage_rates(seed, 20, &mut count) {
                unreachable!(
                    "{}: {}\n{}\n{}",
                    violation.seed,
                    violation.what,
                    violation.core,
                    violation.certificate.escape_ascii()
                );
            }
        }
        assert!(count.damaged > 1_000, "{count:?}");
        assert!(count.accepted > 100 && count.rejected > 100, "{count:?}");
    }
}
