//! Models for the tests of this crate: from text, and random ones from seeds.

mod expressions;

pub(crate) use expressions::{RandomModel, SELECT};

use zonaut_base::{Id, SourceFile, SourceMap};
use zonaut_lower::{LowerOptions, lower};
use zonaut_model::{Formula, Model, QueryId, QueryKind};
use zonaut_syntax::{ParseOptions, parse_model, parse_query_text};

/// The model of a text, and the goal of a query `E<> goal` about it.
pub(crate) fn model_of(text: &str, query: &str) -> (Model, Formula) {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("model.xta", text));
    let (document, problems) = parse_model(&mut sources, file, &ParseOptions::default());
    assert!(!problems.has_errors(), "{problems:?}");
    let file = sources.add(SourceFile::new("query.q", query));
    let (queries, problems) = parse_query_text(&mut sources, file, &ParseOptions::default());
    assert!(!problems.has_errors(), "{problems:?}");
    let lowered = lower(&document, &[&queries], &LowerOptions::default());
    let model = lowered.model.unwrap_or_else(|| panic!("{:?}", lowered.diagnostics));
    let QueryKind::Possibly(goal) = model.queries[QueryId::from_index(0)].kind.clone() else {
        panic!("the query is not of the form E<>");
    };
    (model, goal)
}

/// A process around `body`, which declares what it needs.
pub(crate) fn process(body: &str) -> String {
    format!("process P() {{ {body} }} system P;")
}

/// Random numbers that are reproducible on all platforms (SplitMix64).
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(z ^ (z >> 31)) * end as u128) >> 64) as usize
    }

    /// A number from `low` to `high`.
    pub(crate) fn between(&mut self, low: i32, high: i32) -> i32 {
        low + self.below((high - low + 1) as usize) as i32
    }

    /// True in `percent` of a hundred cases.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of `choices`.
    pub(crate) fn choose<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}
