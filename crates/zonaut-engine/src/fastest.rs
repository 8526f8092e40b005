//! Runs that take the least time.
//!
//! A run that was found takes some time; the same goal is asked for once more, to be reached
//! earlier, until that is impossible. Time is measured by one more clock that nothing resets. Runs
//! along a path are the earliest there, so each question rules out all paths found before. All
//! constants are integers, so the least time of a path is one as well, or is only approached from
//! above: then a run is shown that takes less than one unit longer.

use crate::answer::Verdict;
use crate::session::Session;
use crate::verify::{TraceWish, VerifyOptions};
use std::time::Instant;
use zonaut_analysis::goal::Reachability;
use zonaut_base::{FileId, Id, Span};
use zonaut_model::{
    CLOCK_LIMIT, Clock, ClockConstraint, ClockId, Expression, Formula, Place, QueryId, QueryKind,
    Relation,
};
use zonaut_trace::{Rational, Trace};

/// A run, and what is known about its time.
#[derive(Clone, Debug)]
pub struct Fastest {
    /// The run.
    pub trace: Trace,
    /// Whether no run takes less time, or only by less than one unit where the least time is
    /// never reached. False if a limit ended the search.
    pub is_proven: bool,
}

impl Session {
    /// A run that takes the least time to where `found`, a run that decides `query`, leads. All
    /// searches for it together may take as long as the options allow one.
    #[must_use]
    pub fn fastest_trace(&self, query: QueryId, found: Trace, options: &VerifyOptions) -> Fastest {
        let mut best = Fastest { trace: found, is_proven: false };
        let Some(mut race) = Race::new(self, query) else { return best };
        let mut options = VerifyOptions { trace: TraceWish::Some, ..options.clone() };
        let (start, time) = (Instant::now(), options.resources.time);
        while let Some((relation, bound)) = earlier_than(best.trace.duration()) {
            if bound > i64::from(CLOCK_LIMIT) {
                return best;
            }
            options.resources.time = time.map(|time| time.saturating_sub(start.elapsed()));
            match race.ask(relation, bound as i32, &options) {
                Ok(Some(trace)) => best.trace = trace,
                Ok(None) => break,
                Err(Undecided) => return best,
            }
        }
        // Where clocks stand still, runs along a path are not the earliest, nor least times whole.
        best.is_proven = !self.model.has_rates();
        best
    }
}

/// What the time of a better run than one of this duration satisfies; nothing if there is none.
fn earlier_than(duration: Rational) -> Option<(Relation, i64)> {
    let whole = duration.numerator.div_euclid(duration.denominator);
    match duration.denominator {
        1 if whole == 0 => None,
        1 => Some((Relation::Less, whole)),
        _ => Some((Relation::LessEqual, whole)),
    }
}

/// A search was given up.
struct Undecided;

/// The model with a clock for the time since the start.
struct Race {
    session: Session,
    query: QueryId,
    goal: Formula,
    time: ClockId,
}

impl Race {
    fn new(session: &Session, query: QueryId) -> Option<Self> {
        let goal = Reachability::of(&session.model.queries[query].kind)?.goal;
        let mut session = session.clone();
        let (model, origin) = session.parts();
        let time = model.clocks.push(Clock { name: "#time".into(), owner: None, initial: 0 });
        origin.clocks.push(Span { file: FileId::from_index(0), start: 0, end: 0 });
        Some(Self { session, query, goal, time })
    }

    /// A run to the goal at a time that compares with `bound` like this, if there is one.
    fn ask(
        &mut self,
        relation: Relation,
        bound: i32,
        options: &VerifyOptions,
    ) -> Result<Option<Trace>, Undecided> {
        let (model, origin) = self.session.parts();
        let bound = model.expressions.push(Expression::Constant(bound));
        origin.expressions.push(Span { file: FileId::from_index(0), start: 0, end: 0 });
        let early = Formula::Clock(ClockConstraint {
            condition: None,
            left: Place::fixed(self.time),
            right: None,
            relation,
            bound,
        });
        let both = Formula::And(vec![self.goal.clone(), early]);
        model.queries[self.query].kind = QueryKind::Possibly(both);
        let answer = self.session.verify(self.query, options, None);
        match (answer.verdict, answer.trace) {
            (Verdict::NotSatisfied, _) => Ok(None),
            (Verdict::Satisfied, Some(mut trace)) => {
                forget_time(&mut trace);
                Ok(Some(trace))
            }
            _ => Err(Undecided),
        }
    }
}

/// Takes the last clock out of all states.
fn forget_time(trace: &mut Trace) {
    trace.start.clocks.pop();
    trace.last_clocks.pop();
    for step in &mut trace.steps {
        step.state.clocks.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn better_is_less_than_a_time_that_is_reached_and_at_most_one_that_is_approached() {
        let after = |numerator, denominator| earlier_than(Rational::new(numerator, denominator));
        assert_eq!(after(0, 1), None);
        assert_eq!(after(6, 2), Some((Relation::Less, 3)));
        assert_eq!(after(7, 2), Some((Relation::LessEqual, 3)));
        assert_eq!(after(1, 5), Some((Relation::LessEqual, 0)));
    }
}
