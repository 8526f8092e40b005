//! The results of statistical queries, as UPPAAL prints them.

use crate::version::Version;
use std::io::{self, Write};
use zonaut_console::one_line;
use zonaut_engine::{Estimate, HistogramRecord, RunRecord, Sample};

/// A number with at most six significant digits, without trailing zeros.
fn short(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let exponent = value.abs().log10().floor() as i32;
    if !(-5..6).contains(&exponent) {
        let text = format!("{value:.5e}");
        let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
        let digits = digits.trim_end_matches('0').trim_end_matches('.');
        let power: i32 = power.parse().unwrap_or(0);
        let sign = if power < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", power.abs());
    }
    let text = format!("{value:.*}", (5 - exponent).max(0) as usize);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// Writes the estimates of a query after its verdict.
pub(crate) fn write_sample(
    sample: &Sample,
    version: Version,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Sample { runs, confidence, estimate, .. } = sample;
    let percent = short(confidence * 100.0);
    match estimate {
        Estimate::Probability { path, successes, interval, histogram } => {
            let (low, high) = (short(interval.low), short(interval.high));
            let path = if *path == "U" { "U ...".to_owned() } else { format!("{path} ...") };
            match version.is_old() {
                true => writeln!(
                    out,
                    "({runs} runs) Pr({path}) in [{low},{high}]\nwith confidence {confidence}."
                )?,
                false => writeln!(
                    out,
                    "({successes}/{runs} runs) Pr({path}) in [{low},{high}] ({percent}% CI)"
                )?,
            }
            write_histogram(histogram.as_ref(), out)
        }
        Estimate::Hypothesis { path, relation, probability, .. } => {
            writeln!(out, "({runs} runs) H0: Pr({path} ...) {relation} {probability}")?;
            writeln!(out, "with confidence {confidence}.")
        }
        Estimate::Comparison { .. } => {
            writeln!(out, "({runs} runs) Pr(..)/Pr(..) >= 1")?;
            writeln!(out, "with confidence {confidence}.")
        }
        Estimate::Expectation { extreme, mean, half_width, histogram, .. } => {
            write!(out, "({runs} runs) E({extreme}) = ")?;
            match half_width {
                Some(half) if *half > 0.0 && version.is_old() => {
                    writeln!(out, "{}", short(*mean))?;
                }
                Some(half) if *half > 0.0 => {
                    writeln!(out, "{} \u{b1} {} ({percent}% CI)", short(*mean), short(*half))?;
                }
                _ => writeln!(out, "\u{2248} {}", short(*mean))?,
            }
            write_histogram(histogram.as_ref(), out)
        }
        Estimate::Simulation { expressions, trajectories, successes, interval } => {
            for (k, expression) in expressions.iter().enumerate() {
                writeln!(out, "{}:", one_line(expression))?;
                for (number, RunRecord { values, .. }) in trajectories.iter().enumerate() {
                    write!(out, "[{number}]:")?;
                    for (date, value) in values.get(k).into_iter().flatten() {
                        write!(out, " ({},{})", short(*date), short(*value))?;
                    }
                    writeln!(out)?;
                }
            }
            if let (Some(successes), Some(interval)) = (successes, interval) {
                let (low, high) = (short(interval.low), short(interval.high));
                writeln!(out, "({successes}/{runs} runs) Pr in [{low},{high}] ({percent}% CI)")?;
            }
            Ok(())
        }
    }
}

fn write_histogram(histogram: Option<&HistogramRecord>, out: &mut dyn Write) -> io::Result<()> {
    let Some(histogram) = histogram else { return Ok(()) };
    let HistogramRecord { least, greatest, mean, width, counts, .. } = histogram;
    let counts: Vec<String> = counts.iter().map(ToString::to_string).collect();
    writeln!(
        out,
        "Values in [{},{}] mean={} steps={}: {}",
        short(*least),
        short(*greatest),
        short(*mean),
        short(*width),
        counts.join(" ")
    )
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn numbers_have_six_significant_digits() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (0.0973938, "0.0973938"),
            (0.90260612, "0.902606"),
            (123456.7, "123457"),
            (0.000999882, "0.000999882"),
            (12.5, "12.5"),
            (1e-7, "1e-07"),
            (2_500_000.0, "2.5e+06"),
            (-3.25, "-3.25"),
        ];
        for (value, expected) in cases {
            assert_eq!(short(value), expected);
        }
    }
}
