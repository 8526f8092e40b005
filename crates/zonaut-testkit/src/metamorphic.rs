//! Metamorphic variants of a network, with the same answers: in a smaller unit of time, with
//! constants that are too large for any oracle, or as text that the front end reads.

use crate::differential::Tally;
use crate::evidence::certified;
use crate::features::Feature;
use crate::front_end::model_of;
use crate::random::Random;
use crate::specification::Specification;
use zonaut_engine::{Answer, FoundValues, Value, Verdict};
use zonaut_model::{Extremum, Formula, Model, QueryKind};

/// The factors of clock constants; the largest one stays within the limit of clocks.
const FACTORS: [i32; 4] = [7, 1_000, 1_000_003, 1 << 24];

/// A metamorphic change of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Metamorphic {
    /// A unit of time that is smaller by this factor.
    Scaled(i32),
    /// Printing, of the network and its queries, and parsing.
    Text,
}

/// A query of the original network, and the answer to it, if there is evidence of one.
pub(crate) struct Baseline {
    pub(crate) text: String,
    pub(crate) answer: Option<Answer>,
}

/// The changed network, and its queries.
type Variant = (Model, Vec<QueryKind>);

impl Metamorphic {
    /// The change for the network of a seed; half of the networks have none.
    pub(crate) fn of(seed: u64) -> Option<Self> {
        let mut random = Random::new(seed ^ 0x7e11);
        match random.below(4) {
            0 => Some(Self::Scaled(random.choose(&FACTORS))),
            1 => Some(Self::Text),
            _ => None,
        }
    }

    /// Compares the answers for the changed network with those for the original one. `ask` adds the
    /// queries to a model, with clock constants multiplied by a factor. The error is a query and
    /// the mistake in its answer.
    pub(crate) fn compare(
        self,
        specification: &Specification,
        baselines: &[Baseline],
        ask: impl FnOnce(&mut Model, i32) -> Vec<QueryKind>,
        tally: &mut Tally,
    ) -> Result<(), (String, String)> {
        let Some((model, queries)) = self.variant(specification, baselines, ask)? else {
            return Ok(());
        };
        for (Baseline { text, answer }, query) in baselines.iter().zip(&queries) {
            let fail = |mistake| (text.clone(), format!("{self:?}: {mistake}"));
            let again = certified(&model, query).map_err(fail)?;
            let (Some(before), Some(after)) = (answer, again) else { continue };
            tally.features.count(match self {
                Self::Scaled(_) => Feature::LargeConstants,
                Self::Text => Feature::Reread,
            });
            if !self.is_same(query, before, &after) {
                let (before, after) = (shown(before), shown(&after));
                return Err(fail(format!("{after}, but {before} before")));
            }
        }
        Ok(())
    }

    /// The changed network and its queries; `None` if the change is not applicable.
    fn variant(
        self,
        specification: &Specification,
        baselines: &[Baseline],
        ask: impl FnOnce(&mut Model, i32) -> Vec<QueryKind>,
    ) -> Result<Option<Variant>, (String, String)> {
        match self {
            Self::Scaled(factor) => {
                let Some(scaled) = specification.scaled(factor) else { return Ok(None) };
                let mut model = scaled.to_model();
                let queries = ask(&mut model, factor);
                Ok(Some((model, queries)))
            }
            Self::Text => {
                let texts: Vec<&str> =
                    baselines.iter().map(|baseline| baseline.text.as_str()).collect();
                let (model, _) = model_of(&specification.to_xta(), &texts).map_err(|problems| {
                    let messages: Vec<String> = problems.into_iter().map(|p| p.message).collect();
                    (texts.join("; "), format!("not read: {}", messages.join("; ")))
                })?;
                let queries = model.queries.iter().map(|query| query.kind.clone()).collect();
                Ok(Some((model, queries)))
            }
        }
    }

    fn is_same(self, query: &QueryKind, before: &Answer, after: &Answer) -> bool {
        let factors = subjects(query).iter().map(|subject| match (self, subject) {
            (Self::Scaled(factor), Extremum::Clock(_)) => i64::from(factor),
            _ => 1,
        });
        let ends = |found: &FoundValues| [found.infimum, found.supremum];
        let expected = before.values().iter().zip(factors).map(|(found, factor)| {
            ends(found).map(|value| value.map(|value| multiplied(value, factor)))
        });
        let is_one_found =
            may_meet_failure(query, before, after) || may_meet_failure(query, after, before);
        is_one_found
            || std::mem::discriminant(&before.verdict) == std::mem::discriminant(&after.verdict)
                && expected.eq(after.values().iter().map(ends))
    }
}

/// Whether one answer has found a run that decides the query, and the other a run-time error: both
/// exist, and either may be met first.
fn may_meet_failure(query: &QueryKind, found: &Answer, failed: &Answer) -> bool {
    let is_found = match query {
        QueryKind::Possibly(_) | QueryKind::PossiblyAlways(_) => {
            matches!(found.verdict, Verdict::Satisfied)
        }
        QueryKind::Always(_) | QueryKind::Eventually(_) | QueryKind::LeadsTo(..) => {
            matches!(found.verdict, Verdict::NotSatisfied)
        }
        _ => false,
    };
    is_found && matches!(failed.verdict, Verdict::Error(_))
}

/// A formula in the syntax of queries, where a clock of a process has its qualified name.
pub(crate) fn formula_text(model: &Model, formula: &Formula) -> String {
    let text = zonaut_printer::formula_text(model, formula);
    let owned = model.clocks.iter().filter(|clock| clock.owner.is_some());
    owned.fold(text, |text, clock| text.replace(&clock.name.replace('.', "_"), &clock.name))
}

fn subjects(query: &QueryKind) -> &[Extremum] {
    match query {
        QueryKind::Supremum(_, subjects)
        | QueryKind::Infimum(_, subjects)
        | QueryKind::Bounds(_, subjects) => subjects,
        _ => &[],
    }
}

fn multiplied(value: Value, factor: i64) -> Value {
    match value {
        Value::Attained(number) => Value::Attained(number * factor),
        Value::Approached(number) => Value::Approached(number * factor),
        Value::Unbounded => Value::Unbounded,
    }
}

fn shown(answer: &Answer) -> String {
    let values: Vec<_> =
        answer.values().iter().map(|found| (found.infimum, found.supremum)).collect();
    format!("{:?} {values:?}", answer.verdict)
}
