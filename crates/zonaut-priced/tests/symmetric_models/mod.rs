//! Random models over a scalar set, with different rates of locations, and their least costs with and
//! without symmetry reduction.

use std::ops::ControlFlow;
use zonaut_base::{Id, Meter};
use zonaut_cost::{
    Combination, CostOrder, Estimates, Infimum, LocationRates, Optimisation, OptimizationObserver,
    OptimizationOutcome,
};
use zonaut_model::{Formula, Model, QueryId, QueryKind};
use zonaut_oracle::front_end::model_of;
use zonaut_oracle::random::Random;
use zonaut_priced::{PricedSearch, paid_along, run_along};
use zonaut_space::{Progress, StopReason};
use zonaut_symmetry::Symmetry;

/// The greatest number of explored states.
struct Limit(usize);

impl OptimizationObserver for Limit {
    fn progress(&mut self, now: &Progress, _: Infimum) -> ControlFlow<StopReason> {
        match now.explored > self.0 {
            true => ControlFlow::Break(StopReason::NodeLimit),
            false => ControlFlow::Continue(()),
        }
    }
}

/// A model as text, and its query.
pub(crate) struct Written {
    pub(crate) model: String,
    pub(crate) query: String,
}

struct Writer(Random);

impl Writer {
    fn choose(&mut self, texts: &[String]) -> String {
        self.0.choose(texts)
    }

    fn some_of(
        &mut self,
        percent: usize,
        text: impl FnOnce(&mut Self) -> String,
    ) -> Option<String> {
        self.0.chance(percent).then(|| text(self))
    }

    fn guard(&mut self, own: &str) -> String {
        let k = self.0.between(0, 2);
        self.choose(&[
            format!("a[{own}] == {k}"),
            format!("last != {own}"),
            format!("last == {own}"),
            format!("z[{own}] >= {}", k + 1),
            format!("z[{own}] > {k}"),
            format!("z[{own}] <= {}", k + 1),
            format!("(forall (j : id_t) a[j] <= {k})"),
        ])
    }

    fn update(&mut self, own: &str) -> String {
        let k = self.0.between(0, 2);
        self.choose(&[
            format!("a[{own}] = {k}"),
            format!("last = {own}"),
            format!("z[{own}] = 0"),
            format!("z[{own}] = 0"),
            "z[last] = 1".to_owned(),
            format!("cost += {k}"),
        ])
    }

    fn edge(&mut self, from: i32, own: &str, select: &str) -> String {
        let to = self.0.between(0, 2);
        let k = self.0.between(0, 3);
        let bounds = [format!("y >= {k}"), format!("y > {k}"), format!("y <= {k}")];
        let clock = self.some_of(60, |writer| writer.choose(&bounds));
        let guard = self.some_of(50, |writer| writer.guard(own));
        let guards: Vec<String> = clock.into_iter().chain(guard).collect();
        let own_update = self.some_of(60, |writer| writer.update(own));
        let reset = self.some_of(50, |_| "y = 0".to_owned());
        let updates: Vec<String> = own_update.into_iter().chain(reset).collect();
        let channels = [format!("sync c[{own}]!;"), format!("sync c[{own}]?;")];
        let sync = self.some_of(25, |writer| writer.choose(&channels)).unwrap_or_default();
        let guard = match guards.is_empty() {
            true => String::new(),
            false => format!("guard {};", guards.join(" && ")),
        };
        let update = match updates.is_empty() {
            true => String::new(),
            false => format!("assign {};", updates.join(", ")),
        };
        format!("l{from} -> l{to} {{ {select} {guard} {sync} {update} }}")
    }

    fn template(&mut self, head: &str, own: &str, select: &str) -> String {
        let states = (0..3).map(|number| {
            let rate = self.0.between(0, 4);
            let bound = self.0.between(1, 4);
            let bound = self.some_of(50, |_| format!(" && y <= {bound}")).unwrap_or_default();
            format!("l{number} {{ cost' == {rate}{bound} }}")
        });
        let states: Vec<String> = states.collect();
        let mut edges = Vec::new();
        for from in 0..3 {
            for _ in 0..self.0.between(1, 2) {
                edges.push(self.edge(from, own, select));
            }
        }
        format!(
            "process {head} {{ clock y; state {}; init l0; trans {}; }}\n",
            states.join(", "),
            edges.join(",\n  ")
        )
    }
}

/// The model of a seed.
pub(crate) fn write(seed: u64) -> Written {
    let mut writer = Writer(Random::new(seed));
    let size = if writer.0.chance(65) { 2 } else { 3 };
    let job = writer.template("Job(const id_t id)", "id", "");
    let other = writer.template("Other()", "i", "select i : id_t;");
    let (place, k) = (writer.0.between(1, 2), writer.0.between(0, 2));
    let quantifier = if writer.0.chance(50) { "exists" } else { "forall" };
    let more = writer.choose(&[
        String::new(),
        format!(" && a[i] == {k}"),
        format!(" && z[i] >= {k}"),
        " && last == i".to_owned(),
    ]);
    Written {
        model: format!(
            "typedef scalar[{size}] id_t; clock z[id_t]; int[0,2] a[id_t]; id_t last; chan c[id_t];\n\
             {job}{other}system Job, Other;\n"
        ),
        query: format!("E<> {quantifier} (i : id_t) (Job(i).l{place}{more})"),
    }
}

/// The result of a comparison.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compared {
    /// Explored states without symmetry.
    pub(crate) plain: usize,
    /// Explored states with it.
    pub(crate) reduced: usize,
    pub(crate) is_reachable: bool,
}

/// The least cost; `None` outside if the model fails, or a limit came first.
fn least(found: &Optimisation) -> Option<Option<Infimum>> {
    match found.ending {
        OptimizationOutcome::Optimal | OptimizationOutcome::Unreachable => {
            Some(found.best.as_ref().map(|best| best.cost))
        }
        OptimizationOutcome::Failed { .. } | OptimizationOutcome::Stopped(_) => None,
    }
}

/// A model with a goal.
struct Asked<'m> {
    model: &'m Model,
    goal: &'m Formula,
    rates: LocationRates,
}

impl Asked<'_> {
    fn search(&self) -> PricedSearch<'_> {
        let rates = self.rates.clone();
        PricedSearch::new(self.model, self.goal, rates, &Meter::default()).expect("small")
    }

    /// Checks that a run along the path of a result has its cost, or nearly so.
    fn check_run(&self, found: &Optimisation) -> Result<(), String> {
        let Some(best) = &found.best else { return Ok(()) };
        let meter = &Meter::default();
        let run = run_along(self.model, self.goal, &self.rates, best, meter);
        let (network, run) = run.map_err(|why| format!("{} without a run: {why:?}", best.cost))?;
        let paid = paid_along(&network, &self.rates, best, &run, meter);
        let above = paid.last().map_or(0.0, |(_, paid)| *paid) - best.cost.value() as f64;
        let is_right = match best.cost.is_attained() {
            true => above.abs() < 1e-6,
            false => (1e-6..1.0).contains(&above),
        };
        if is_right { Ok(()) } else { Err(format!("{} by {paid:?}", best.cost)) }
    }
}

/// Compares searches with and without symmetry; `None` if the model has no symmetry, or a search does
/// not end within this number of states.
pub(crate) fn compare(written: &Written, most: usize) -> Result<Option<Compared>, String> {
    let (model, _) = model_of(&written.model, &[&written.query])
        .map_err(|problems| format!("{problems:?}\n{}", written.model))?;
    let query = QueryId::from_index(0);
    let QueryKind::Possibly(goal) = &model.queries[query].kind else {
        return Err("no goal".to_owned());
    };
    let symmetry = Symmetry::of(&model, &[query]);
    let Ok(rates) = LocationRates::of(&model, Combination::Sum) else { return Ok(None) };
    if symmetry.is_trivial() {
        return Ok(None);
    }
    let asked = Asked { model: &model, goal, rates };
    let found = |search: &PricedSearch<'_>| {
        search.optimise(CostOrder::LeastCost, Estimates::NONE, &mut Limit(most)).expect("small")
    };
    let (plain, reduced) =
        (found(&asked.search()), found(&asked.search().reduced(symmetry.clone())));
    let (Some(known), Some(other)) = (least(&plain), least(&reduced)) else { return Ok(None) };
    if known != other {
        return Err(format!("{known:?} without symmetry, {other:?} with it"));
    }
    asked.check_run(&reduced)?;
    let search = asked.search().reduced(symmetry);
    let automatic = search.optimise_automatically(Estimates::ALL, &mut Limit(most)).expect("small");
    if least(&automatic).is_some_and(|automatic| automatic != known) {
        return Err(format!("{known:?}, and automatically {automatic:?}"));
    }
    asked.check_run(&automatic)?;
    Ok(Some(Compared {
        plain: plain.statistics.explored,
        reduced: reduced.statistics.explored,
        is_reachable: known.is_some(),
    }))
}

/// Compares searches on the models of these seeds; returns the results of those that ended.
pub(crate) fn compare_seeds(seeds: std::ops::Range<u64>) -> Result<Vec<Compared>, String> {
    let mut all = Vec::new();
    for seed in seeds {
        let written = write(seed);
        let compared = compare(&written, 300);
        let compared = compared.map_err(|problem| {
            format!("seed {seed}: {problem}\n{}\n{}", written.model, written.query)
        })?;
        all.extend(compared);
    }
    Ok(all)
}
