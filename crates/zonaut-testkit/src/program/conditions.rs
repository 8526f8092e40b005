//! Random conditions.

use super::value_type::Ty;
use super::writer::Writer;

impl Writer {
    /// A random condition.
    pub(super) fn condition(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.small_condition();
        }
        let below = depth - 1;
        if self.wants_effect()
            && self.random.chance(30)
            && let Some((place, _)) = self.place(true, below, |ty| ty == Ty::Boolean)
        {
            return format!("({place} = {})", self.condition(below));
        }
        match self.random.below(12) {
            0..=3 => self.comparison(below),
            4 | 5 => self.aggregate_comparison(below),
            6 | 7 => {
                let operator = self.random.choose(&["&&", "||", "imply", "xor", "and", "or"]);
                format!("({} {operator} {})", self.condition(below), self.condition(below))
            }
            8 => format!("(!{})", self.condition(below)),
            9 => {
                let binder = self.fresh("i");
                let quantifier = self.random.choose(&["forall", "exists"]);
                let body = self.with_binder(&binder, |writer| writer.condition(below));
                format!("({quantifier} ({binder} : int[0,2]) {body})")
            }
            10 => self.call_of(below, |ty| ty == Ty::Boolean),
            _ => self.small_condition(),
        }
    }

    fn small_condition(&mut self) -> String {
        if self.random.chance(30)
            && let Some((place, _)) = self.place(false, 0, |ty| ty == Ty::Boolean)
        {
            return place;
        }
        self.comparison(0)
    }

    fn comparison(&mut self, depth: usize) -> String {
        let operator = self.random.choose(&["==", "!=", "<", "<=", ">", ">="]);
        let is_small = |ty| ty == Ty::Number(0) || ty == Ty::Number(1);
        // Comparing with a possible value of a variable distinguishes more states than comparing
        // two unrelated numbers.
        if self.random.chance(50)
            && let Some((place, ty)) = self.place(false, depth, is_small)
        {
            let (low, high) = self.types.range(ty);
            return format!("({place} {operator} {})", self.fitting(low, high, depth));
        }
        let (left, right) = (self.number(depth), self.number(depth));
        format!("({left} {operator} {right})")
    }

    fn aggregate_comparison(&mut self, depth: usize) -> String {
        let ty = Ty::Aggregate(self.random.below(self.types.aggregates.len()));
        let operator = self.random.choose(&["==", "!="]);
        let (left, right) = (self.aggregate(ty, depth), self.aggregate(ty, depth));
        format!("({left} {operator} {right})")
    }
}
