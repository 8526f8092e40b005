//! Random integer expressions.

use super::value_type::{PathStep, Ty, VariablePart};
use super::writer::Writer;

impl Writer {
    /// A part of a variable, with its indices as text.
    pub(super) fn written_place(&mut self, part: &VariablePart, depth: usize) -> String {
        let mut text = part.variable.clone();
        for step in &part.path {
            match step {
                PathStep::Member(member) => text = format!("{text}.{member}"),
                PathStep::Element { low, size } => {
                    let index = self.fitting(*low, low + size - 1, depth.saturating_sub(1));
                    text = format!("{text}[{index}]");
                }
            }
        }
        text
    }

    /// A part of a variable of a wanted type; `None` if no variable has one.
    pub(super) fn place(
        &mut self,
        is_written: bool,
        depth: usize,
        is_wanted: impl Fn(Ty) -> bool,
    ) -> Option<(String, Ty)> {
        let places = self.places(is_written, is_wanted);
        if places.is_empty() {
            return None;
        }
        let place = self.random.choose(&places);
        Some((self.written_place(&place, depth), place.ty))
    }

    /// Any number.
    pub(super) fn number(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.chance(15) {
            return self.small_number();
        }
        if self.wants_effect()
            && let Some(text) = self.number_with_effect(depth)
        {
            return text;
        }
        let below = depth - 1;
        match self.random.below(12) {
            0..=4 => self.arithmetic(below),
            5 => format!(
                "({} ? {} : {})",
                self.condition(below),
                self.number(below),
                self.number(below)
            ),
            6 => format!("({})", self.condition(below)),
            7 => {
                let (binder, high) = (self.fresh("i"), 1 + self.random.below(2));
                let body = self.with_binder(&binder, |writer| writer.number(below));
                format!("(sum ({binder} : int[0,{high}]) {body})")
            }
            8 | 9 => self.call_of(below, |ty| matches!(ty, Ty::Number(_))),
            10 => self.part_of_value(below, |ty| matches!(ty, Ty::Number(_))),
            _ => format!("(- {})", self.number(below)),
        }
    }

    fn small_number(&mut self) -> String {
        if self.random.chance(70)
            && let Some((text, _)) = self.place(false, 0, |ty| matches!(ty, Ty::Number(_)))
        {
            return text;
        }
        self.literal(-2, if self.knobs.has_limits { 2_147_483_647 } else { 5 })
    }

    fn arithmetic(&mut self, depth: usize) -> String {
        let left = self.number(depth);
        let operators = ["+", "-", "*", "+", "-", "/", "%", "&", "|", "^", "<<", ">>", "<?", ">?"];
        let operator = self.random.choose(&operators);
        let right = match operator {
            "/" | "%" if self.random.chance(80) => {
                self.random.choose(&["2", "3", "(-2)"]).to_owned()
            }
            "/" | "%" => format!("(1 + ({} & 3))", self.number(depth)),
            "<<" | ">>" => self.fitting(0, 3, depth),
            "*" => self.fitting(-2, 3, depth),
            _ => self.number(depth),
        };
        let right = if self.wants_failure() { self.number(depth) } else { right };
        if self.random.chance(4) {
            return format!("(({left} & 3) ** {})", self.fitting(0, 3, depth));
        }
        format!("({left} {operator} {right})")
    }

    /// A number of a range, mostly.
    pub(super) fn fitting(&mut self, low: i64, high: i64, depth: usize) -> String {
        if self.wants_failure() {
            return self.unfit(depth);
        }
        let fits = |writer: &Self, ty: Ty| {
            let (least, most) = writer.types.range(ty);
            matches!(ty, Ty::Number(_)) && low <= least && most <= high
        };
        let wanted: Vec<Ty> =
            (0..self.types.numbers.len()).map(Ty::Number).filter(|&ty| fits(self, ty)).collect();
        if depth == 0 || self.random.chance(20) {
            if self.random.chance(60)
                && let Some((text, _)) = self.place(false, 0, |ty| wanted.contains(&ty))
            {
                return text;
            }
            return self.literal(low, high);
        }
        if self.wants_effect()
            && let Some(text) = self.assignment_among(&wanted, depth)
        {
            return text;
        }
        let below = depth - 1;
        match self.random.below(10) {
            0 if low <= 0 && high >= 1 => format!("({})", self.condition(below)),
            1 => {
                let condition = self.condition(below);
                let (yes, no) = (self.fitting(low, high, below), self.fitting(low, high, below));
                format!("({condition} ? {yes} : {no})")
            }
            2..=4 if !wanted.is_empty() => self.call_of(below, |ty| wanted.contains(&ty)),
            5 if !wanted.is_empty() => self.part_of_value(below, |ty| wanted.contains(&ty)),
            _ => {
                let number = self.number(below);
                cut(&number, low, high)
            }
        }
    }

    /// A number that need not be in range. It is computed, since constants out of range are
    /// refused.
    fn unfit(&mut self, depth: usize) -> String {
        let (number, other) = (self.number(depth), self.literal(-2, 5));
        match self.place(false, 0, |ty| matches!(ty, Ty::Number(_))) {
            Some((place, _)) if self.random.chance(50) => format!("({place} + {other})"),
            Some((place, _)) => format!("({number} - {place})"),
            None => number,
        }
    }

    /// `v++` and similar operators, or an assignment.
    fn number_with_effect(&mut self, depth: usize) -> Option<String> {
        let is_wide = |writer: &Self, ty: Ty| match ty {
            Ty::Number(number) => writer.types.numbers[number].is_wide(),
            _ => false,
        };
        if self.random.chance(35) {
            let wide: Vec<Ty> = (0..self.types.numbers.len())
                .map(Ty::Number)
                .filter(|&ty| is_wide(self, ty))
                .collect();
            let (text, _) = self.place(true, depth - 1, |ty| wide.contains(&ty))?;
            let forms = [format!("{text}++"), format!("--{text}"), format!("++{text}")];
            return Some(self.random.choose(&forms));
        }
        let all: Vec<Ty> = (0..self.types.numbers.len()).map(Ty::Number).collect();
        self.assignment_among(&all, depth)
    }

    /// A parenthesised assignment to a variable of one of these types.
    fn assignment_among(&mut self, types: &[Ty], depth: usize) -> Option<String> {
        let (place, ty) = self.place(true, depth - 1, |ty| types.contains(&ty))?;
        let text = self.scalar_assignment(&place, ty, depth - 1);
        Some(format!("({text})"))
    }
}

/// A number reduced to a range.
fn cut(number: &str, low: i64, high: i64) -> String {
    let width = (high - low + 1).max(1);
    let mask = ((1_i64 << (63 - width.leading_zeros())) - 1).min(i64::from(i32::MAX));
    match low {
        0 => format!("({number} & {mask})"),
        low => format!("({low} + ({number} & {mask}))"),
    }
}
