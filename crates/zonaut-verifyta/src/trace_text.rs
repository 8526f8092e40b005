//! Traces as `verifyta` prints them on standard error.

use crate::version::Version;
use std::fmt::Write;
use zonaut_console::one_line;
use zonaut_engine::{Rational, Trace, TraceEdge, TraceState};

/// The text of a trace; with `zones`, one for each state, clocks are shown symbolically.
pub(crate) fn trace_text(trace: &Trace, zones: Option<&[String]>, version: Version) -> String {
    let mut writer = Writer { text: String::new(), zones, version };
    writer.state(0, &trace.start);
    for (position, step) in trace.steps.iter().enumerate() {
        writer.delay(step.delay);
        writer.transition(&step.edges);
        writer.state(position + 1, &step.state);
    }
    if zones.is_none() && trace.last_delay.numerator > 0 {
        let last = trace.steps.last().map_or(&trace.start, |step| &step.state);
        writer.delay(trace.last_delay);
        writer.state(trace.steps.len(), &with_clocks(last, &trace.last_clocks));
    }
    writer.text
}

/// `state` with other values of its clocks.
fn with_clocks(state: &TraceState, clocks: &[Rational]) -> TraceState {
    let mut later = state.clone();
    for ((_, value), &now) in later.clocks.iter_mut().zip(clocks) {
        *value = now;
    }
    later
}

struct Writer<'z> {
    text: String,
    zones: Option<&'z [String]>,
    version: Version,
}

impl Writer<'_> {
    fn state(&mut self, depth: usize, state: &TraceState) {
        let locations: Vec<String> = state.locations.iter().map(|name| one_line(name)).collect();
        let variables = state.variables.iter();
        let mut parts: Vec<String> =
            variables.map(|(name, value)| format!("{}={value}", one_line(name))).collect();
        match self.zones {
            Some(zones) => parts.push(one_line(&zones[depth])),
            None => {
                let clocks = state.clocks.iter();
                parts.extend(
                    clocks.map(|(name, value)| format!("{}={}", one_line(name), decimal(*value))),
                );
            }
        }
        if self.version.is_old() {
            parts.push(format!("#depth={depth}"));
        }
        let (locations, parts) = (locations.join(" "), parts.join(" "));
        let _ = writeln!(self.text, "State:\n( {locations} )\n{parts}\n");
    }

    fn delay(&mut self, delay: Rational) {
        if self.zones.is_none() && delay.numerator > 0 {
            let _ = writeln!(self.text, "Delay: {}\n", decimal(delay));
        }
    }

    fn transition(&mut self, edges: &[TraceEdge]) {
        self.text.push_str("Transitions:\n");
        for edge in edges {
            let [process, source, target] =
                [&edge.process, &edge.source, &edge.target].map(|name| one_line(name));
            let label = |text: &str, absent: &str| {
                let text = one_line(text);
                if text.trim().is_empty() { absent.to_owned() } else { text.trim().to_owned() }
            };
            let _ = writeln!(
                self.text,
                "  {process}.{source}->{process}.{target} {{ {}, {}, {} }}",
                label(&edge.guard, "1"),
                label(&edge.synchronisation, "tau"),
                label(&edge.updates, "1"),
            );
        }
        self.text.push('\n');
    }
}

/// A number of time units as a decimal if it has one of few digits, otherwise as a fraction: the
/// output is exact.
fn decimal(number: Rational) -> String {
    let scale = 1_000_000;
    let Some(scaled) = number.numerator.checked_mul(scale) else { return number.to_string() };
    if number.denominator == 1 || scaled % number.denominator != 0 {
        return number.to_string();
    }
    let scaled = scaled / number.denominator;
    let sign = if scaled < 0 { "-" } else { "" };
    let scaled = scaled.abs();
    let digits = format!("{sign}{}.{:06}", scaled / scale, scaled % scale);
    digits.trim_end_matches('0').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact() {
        for (numerator, denominator, text) in [
            (5, 1, "5"),
            (1, 2, "0.5"),
            (-7, 4, "-1.75"),
            (1, 3, "1/3"),
            (10, 8, "1.25"),
            (0, 9, "0"),
        ] {
            assert_eq!(decimal(Rational::new(numerator, denominator)), text);
        }
    }
}
