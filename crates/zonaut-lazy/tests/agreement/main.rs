//! Lazy searches against the oracles, on random networks, in one call and in time slices, with
//! their labels checked as a certificate; and detection of injected faults.

use std::ops::{ControlFlow, Range};
use zonaut_base::{Id, Meter};
use zonaut_compile::{BoundsTable, CompiledNetwork};
use zonaut_concrete::{Destination, concretise};
use zonaut_dbm::Wide;
use zonaut_lazy::{
    AnyFrontier, Choice, Clocks, CoveringOrder, Data, LazyTask, Options, Refinement, Refused,
};
use zonaut_model::{EdgeId, Model, ProcessId, QueryId};
use zonaut_search::{AStar, Blind, Budget, Fifo, Lifo, Outcome, Status, Ties, Uninformed};
use zonaut_space::{Observer, Progress, StopReason};
use zonaut_testkit::differential::certify_with;
use zonaut_testkit::front_end::model_of;
use zonaut_testkit::generate::generate;
use zonaut_testkit::judge::{Claim, truth};
use zonaut_testkit::oracle::{Answer, Limits};
use zonaut_testkit::random::Random;
use zonaut_testkit::replay::goal_of;
use zonaut_testkit::specification::{Specification, shrink};
use zonaut_zonegraph::{CompiledGoal, StepError, SymbolicState, ZoneGraph};

/// The number of stored states above which a search counts as infinite.
struct Patience(usize);

impl Observer<SymbolicState<Wide>, zonaut_zonegraph::Step> for Patience {
    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        match now.stored > self.0 {
            true => ControlFlow::Break(StopReason::NodeLimit),
            false => ControlFlow::Continue(()),
        }
    }
}

/// One configuration of a lazy search.
#[derive(Clone, Copy, Debug)]
struct Configuration {
    choice: Choice,
    is_depth_first: bool,
}

impl Configuration {
    /// The strategy expression.
    fn strategy(self) -> String {
        let Choice { data, clocks, options } = self.choice;
        let order = if self.is_depth_first { "dfs" } else { "bfs" };
        let [data, clocks, covering] = [data.name(), clocks.name(), options.covering.name()];
        let refine = options.refinement.name();
        format!(
            "lazy(data={data}, clocks={clocks}, order={order}, covering={covering}, \
             refine={refine})"
        )
    }
}

fn configurations() -> Vec<Configuration> {
    let mut all = Vec::new();
    for data in Data::ALL {
        for clocks in Clocks::ALL {
            for (is_depth_first, shortest) in [(false, false), (true, false), (false, true)] {
                for (covering, refinement) in CoveringOrder::ALL
                    .into_iter()
                    .flat_map(|covering| Refinement::ALL.map(|own| (covering, own)))
                {
                    let options = Options { covering, shortest, refinement };
                    all.push(Configuration {
                        choice: Choice { data, clocks, options },
                        is_depth_first,
                    });
                }
            }
        }
    }
    all
}

/// The claim of a search; `None` if it is refused or undecided.
fn claim(model: &Model, configuration: Configuration) -> Result<Option<Claim>, String> {
    let Some(goal_formula) = goal_of(&model.queries[QueryId::from_index(0)].kind) else {
        return Ok(None);
    };
    let network = CompiledNetwork::new(model, &Meter::default()).expect("few actions");
    let bounds = BoundsTable::new(model, &goal_formula);
    let abstraction = match configuration.choice.abstraction(&bounds, None) {
        Ok(abstraction) => abstraction,
        Err(Refused::Differences) if configuration.choice.clocks == Clocks::LowerUpper => {
            return Ok(None);
        }
        Err(why) => return Err(format!("refused: {why}")),
    };
    let graph: ZoneGraph<'_, Wide> =
        match ZoneGraph::new(&network, &bounds, abstraction, &Meter::default()) {
            Ok(graph) => graph,
            Err(_) => return Ok(None),
        };
    let goal = CompiledGoal::new(model, &goal_formula);
    let task = LazyTask { model, graph: &graph, formula: &goal_formula, goal: &goal };
    let frontier = || -> AnyFrontier<'_, Wide> {
        match (configuration.is_depth_first, configuration.choice.options.shortest) {
            (true, _) => Box::new(Uninformed(Lifo::default())),
            (false, false) => Box::new(Uninformed(Fifo::default())),
            (false, true) => Box::new(AStar::new(Blind, Ties::default())),
        }
    };
    let report = match task.search(configuration.choice, frontier(), &mut Patience(20_000)) {
        Ok(report) => report,
        Err(Refused::Priorities | Refused::Stopwatches | Refused::Deadlock) => return Ok(None),
        Err(why) => return Err(format!("refused: {why}")),
    };
    let mut paused = task.begin(configuration.choice, frontier()).map_err(|why| why.to_string())?;
    let mut length = 0;
    while paused.run(Budget::of(length % 5), &mut Patience(20_000)) == Status::Paused {
        length += 1;
    }
    let paused = paused.into_report();
    if (&paused.outcome, paused.statistics, paused.labelling)
        != (&report.outcome, report.statistics, report.labelling)
    {
        return Err(format!("paused {length} times: {paused:?} instead of {report:?}"));
    }
    let claim = match &report.outcome {
        Outcome::Reached { steps, .. } => {
            concretise(&graph, steps, Destination::Goal(&goal))
                .map_err(|why| format!("no run: {why:?}"))?;
            let length = u32::try_from(steps.len()).expect("short");
            Claim::Reachable { shortest: configuration.choice.options.shortest.then_some(length) }
        }
        Outcome::Exhausted => Claim::Unreachable,
        Outcome::Failed { error: StepError::RunTime(_), .. } => Claim::Failed,
        Outcome::Failed { .. } => return Ok(None),
        Outcome::Stopped { why, .. } => return Err(format!("endless: {why}")),
    };
    Ok(Some(claim))
}

/// The error of a configuration on a network.
fn mistake(
    specification: &Specification,
    configuration: Configuration,
    known: Option<&Answer>,
) -> Option<String> {
    let model = specification.to_model();
    match claim(&model, configuration) {
        Err(why) => Some(why),
        Ok(Some(claim)) if known.is_some_and(|answer| !claim.agrees_with(answer)) => {
            Some(format!("{claim:?} against {known:?}"))
        }
        Ok(Some(Claim::Unreachable)) => certify_with(&model, &configuration.strategy()).err(),
        Ok(_) => None,
    }
}

fn truth_of(specification: &Specification) -> Option<Answer> {
    let model = specification.to_model();
    let query = &model.queries[QueryId::from_index(0)].kind;
    truth(&model, query, Limits::default()).map(|(_, answer)| answer)
}

/// The first error in networks of some seeds, each searched in `count` of these configurations.
fn first_mistake(
    seeds: Range<u64>,
    configurations: &[Configuration],
    count: usize,
) -> Option<String> {
    for seed in seeds {
        let specification = generate(seed);
        let Some(known) = truth_of(&specification) else { continue };
        let mut random = Random::new(seed ^ 0x1a27);
        for _ in 0..count {
            let configuration = configurations[random.below(configurations.len())];
            if mistake(&specification, configuration, Some(&known)).is_none() {
                continue;
            }
            let is_wrong = |smaller: &Specification| {
                truth_of(smaller)
                    .is_some_and(|known| mistake(smaller, configuration, Some(&known)).is_some())
            };
            let smallest = shrink(specification, is_wrong);
            let what = mistake(&smallest, configuration, truth_of(&smallest).as_ref());
            let (model, query) = (smallest.to_xta(), smallest.query_text());
            return Some(format!("seed {seed}, {configuration:?}: {what:?}\n{model}\n{query}"));
        }
    }
    None
}

/// Models with reachable goals whose features are rare in random networks.
const RARE: [(&str, &str); 3] = [
    // The value of a variable alone decides the receivers of a broadcast: the goal requires that no
    // process receives it, and a state with a receiver is reached first.
    (
        "int[0,1] v; broadcast chan b; \
        process C() { state c, d, e; init c; trans c -> d { assign v = 1; }, \
        c -> d { assign v = 0; }, d -> e { sync b!; }; } \
        process R() { state r, s; init r; trans r -> s { guard v == 1; sync b?; }; } system C, R;",
        "E<> C.e and R.r",
    ),
    // A function does not change a variable, and another variable decides whether it does.
    (
        include_str!("../../../zonaut-testkit/regressions/what-stays-forgotten.xta"),
        include_str!("../../../zonaut-testkit/regressions/what-stays-forgotten.q"),
    ),
    // Data alone decides whether a broadcast with timed receivers may arrive.
    (
        include_str!("../../../zonaut-testkit/regressions/broadcast-blocked-by-data.xta"),
        include_str!("../../../zonaut-testkit/regressions/broadcast-blocked-by-data.q"),
    ),
];

/// The first of these configurations that does not find the goal of one of the rare models.
fn incomplete_configuration(configurations: &[Configuration]) -> Option<String> {
    RARE.iter().find_map(|(text, query)| {
        let (model, _) = model_of(text, &[query]).expect("a model");
        let is_found = |configuration| {
            matches!(claim(&model, configuration), Ok(Some(Claim::Reachable { .. })))
        };
        configurations
            .iter()
            .find(|&&configuration| !is_found(configuration))
            .map(|configuration| format!("{}, {configuration:?}", query.trim()))
    })
}

#[test]
#[cfg(not(feature = "faults"))]
fn goals_of_rare_models_are_found() {
    assert_eq!(incomplete_configuration(&configurations()), None);
}

/// The first of these configurations whose proof is rejected for two edges of one step that share
/// the address of their select variables, which lowering never produces.
fn rejected_configuration(configurations: &[Configuration]) -> Option<String> {
    let text = "int[0,3] v, w, a[3]; chan c; \
        process P() { state l; init l; \
        trans l -> l { select s : int[0,1]; guard s == 1; sync c!; assign w = a[v % 3] % 4; }; } \
        process Q() { state l, m; init l; \
        trans l -> m { select s : int[0,0]; sync c?; }, m -> m { guard a[w % 3] == 1; }; } \
        system P, Q;";
    let (mut model, _) = model_of(text, &["E<> w == 1"]).expect("a model");
    let [sender, receiver] = [0, 1].map(ProcessId::from_index);
    let binder = model.processes[sender].edges[EdgeId::from_index(0)].select[0].binder;
    model.processes[receiver].edges[EdgeId::from_index(0)].select[0].binder = binder;
    let proof = |configuration: &Configuration| certify_with(&model, &configuration.strategy());
    configurations.iter().find_map(|configuration| {
        proof(configuration).err().map(|why| format!("{configuration:?}: {why}"))
    })
}

#[test]
#[cfg(not(feature = "faults"))]
fn select_variables_belong_to_their_edge() {
    assert_eq!(rejected_configuration(&configurations()), None);
}

#[test]
#[cfg(not(feature = "faults"))]
fn lazy_searches_agree_with_the_oracles_on_random_networks() {
    let seeds = std::env::var("ZONAUT_LAZY_SEEDS").ok().and_then(|seeds| seeds.parse().ok());
    assert_eq!(first_mistake(0..seeds.unwrap_or(300), &configurations(), 8), None);
}

/// Every injected fault is detected within a number of networks: a test of the test.
#[test]
#[cfg(feature = "faults")]
fn every_fault_is_noticed() {
    use zonaut_lazy::faults::{Fault, select};
    let mut escaped = Vec::new();
    for &fault in Fault::ALL {
        let location_flags = |configuration: &Configuration| match fault {
            Fault::CoveringKept
            | Fault::AwaitedLost
            | Fault::LargerLost
            | Fault::PauseLosesNode => true,
            Fault::CellForgotten
            | Fault::ComputedForgotten
            | Fault::ReceiversUndecided
            | Fault::ArrivalForgotten
            | Fault::StayingForgotten
            | Fault::SelectsMixed => configuration.choice.data != Data::Explicit,
            Fault::AheadForgotten => {
                configuration.choice.data != Data::Explicit
                    && configuration.choice.options.refinement == Refinement::Forward
            }
            Fault::LateNever | Fault::LateOnce => {
                configuration.choice.options.refinement == Refinement::Late
            }
            Fault::RangeTooWide | Fault::RangeNotPropagated | Fault::RangeIgnored => {
                configuration.choice.data == Data::Interval
            }
            Fault::BoundTooSmall | Fault::BoundNotPropagated | Fault::TestsForgotten => {
                configuration.choice.clocks == Clocks::LowerUpper
            }
            Fault::AtomForgotten | Fault::DelayForgotten | Fault::EffectsForgotten => {
                configuration.choice.clocks == Clocks::Zone
            }
        };
        let configurations: Vec<Configuration> =
            configurations().into_iter().filter(location_flags).collect();
        select(Some(fault));
        let noticed = incomplete_configuration(&configurations)
            .or_else(|| rejected_configuration(&configurations))
            .or_else(|| first_mistake(0..4_000, &configurations, 6));
        select(None);
        let line = noticed.as_deref().and_then(|text| text.lines().next().map(str::to_owned));
        println!("{fault:?}: {line:?}");
        if noticed.is_none() {
            escaped.push(fault);
        }
    }
    assert!(escaped.is_empty(), "not noticed: {escaped:?}");
}
