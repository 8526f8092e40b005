//! Random models over a scalar set, and naive searches of them.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use zonaut_base::{Id, Meter};
use zonaut_compile::{BoundsTable, CompiledNetwork};
use zonaut_concrete::{Destination, concretise};
use zonaut_dbm::{Narrow, includes_slices};
use zonaut_model::{QueryId, QueryKind};
use zonaut_oracle::front_end::model_of;
use zonaut_oracle::random::Random;
use zonaut_oracle::tree::explore;
use zonaut_space::{Goal, Successor, TransitionSystem};
use zonaut_symmetry::{SymmetricGoal, SymmetricGraph, Symmetry};
use zonaut_zonegraph::{
    Abstraction, CompiledGoal, Step, StepError, SymbolicState, ZoneGoal, ZoneGraph,
};

/// A model over a scalar set of `size` elements, and an equivalent one without scalar sets.
pub(crate) struct Written {
    /// The model with a scalar set.
    pub(crate) symmetric: String,
    /// Its query.
    pub(crate) query: String,
    /// The model with numbers instead.
    pub(crate) plain: String,
    /// Its query.
    pub(crate) plain_query: String,
}

struct Writer {
    random: Random,
    size: i32,
}

impl Writer {
    fn pick<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.random.between(0, texts.len() as i32 - 1) as usize]
    }

    fn number(&mut self, high: i32) -> i32 {
        self.random.between(0, high)
    }

    fn guard(&mut self, own: &str) -> String {
        let k = self.number(2);
        let texts = [
            format!("a[{own}] == {k}"),
            format!("last == {own}"),
            format!("last != {own}"),
            format!("n <= {k}"),
            format!("(forall (j : id_t) a[j] <= {k})"),
            format!("(exists (j : id_t) a[j] == {k} && j != last)"),
            format!("(sum (j : id_t) a[j]) <= {k}"),
            format!("m[{own}][last] == {k}"),
            format!("z[{own}] >= {}", k + 1),
            format!("z[{own}] <= {k}"),
            format!("z[{own}] == {}", k + 1),
            format!("z[last] <= {k}"),
        ];
        let position = self.number(texts.len() as i32 - 1) as usize;
        texts[position].clone()
    }

    fn update(&mut self, own: &str) -> String {
        let k = self.number(2);
        let texts = [
            format!("a[{own}] = {k}"),
            format!("a[last] = {k}"),
            format!("last = {own}"),
            format!("n = {k}"),
            format!("m[{own}][last] = {k}"),
            format!("m[last][{own}] = {k}"),
            format!("z[{own}] = 0"),
            format!("z[{own}] = {k}"),
            format!("z[last] = {k}"),
        ];
        let position = self.number(texts.len() as i32 - 1) as usize;
        texts[position].clone()
    }

    /// An edge; `own` is the element of its process, `clock` the clock of the process.
    fn edge(&mut self, from: i32, (own, clock): (&str, Option<&str>), select: &str) -> String {
        let to = self.number(2);
        let mut guards = Vec::new();
        for _ in 0..self.number(2) {
            guards.push(self.guard(own));
        }
        let mut updates = Vec::new();
        for _ in 0..self.number(2) {
            updates.push(self.update(own));
        }
        if let Some(clock) = clock {
            if self.random.chance(80) {
                let (relation, k) = (self.pick(&[">=", "<=", ">="]), self.number(3));
                guards.push(format!("{clock} {relation} {k}"));
            }
            if self.random.chance(50) {
                updates.push(format!("{clock} = {}", self.number(1)));
            }
        }
        let sync = match self.number(9) {
            0 => format!("sync c[{own}]!;"),
            1 => format!("sync c[{own}]?;"),
            2 => "sync c[last]?;".to_owned(),
            3 => "sync b!;".to_owned(),
            4 => "sync b?;".to_owned(),
            _ => String::new(),
        };
        let mut text = format!("l{from} -> l{to} {{ {select}");
        if !guards.is_empty() {
            let _ = write!(text, "guard {}; ", guards.join(" && "));
        }
        text += &sync;
        if !updates.is_empty() {
            let _ = write!(text, " assign {};", updates.join(", "));
        }
        text + " }"
    }

    fn template(&mut self, head: &str, own: (&str, Option<&str>), select: &str) -> String {
        let mut text = format!("process {head} {{\n");
        let mut invariants = [String::new(), String::new(), String::new()];
        if let Some(clock) = own.1 {
            let _ = writeln!(text, "  clock {clock};");
            for invariant in &mut invariants {
                if self.random.chance(40) {
                    *invariant = format!(" {{ {clock} <= {} }}", self.random.between(1, 3));
                }
            }
        }
        let [one, two, three] = invariants;
        let _ = writeln!(text, "  state l0{one}, l1{two}, l2{three};");
        match self.number(5) {
            0 => text += "  commit l1;\n",
            1 => text += "  urgent l2;\n",
            _ => {}
        }
        text += "  init l0;\n  trans\n";
        let mut edges = Vec::new();
        for from in 0..3 {
            for _ in 0..=self.number(1) {
                edges.push(format!("    {}", self.edge(from, own, select)));
            }
        }
        text + &edges.join(",\n") + ";\n}\n"
    }

    /// The query: with the scalar set, and without it.
    fn query(&mut self) -> (String, String) {
        let (l, k) = (self.number(2), self.number(2));
        let case = |process: &str, element: &str, form: i32| match form {
            0 => format!("({process}.l{l} && a[{element}] == {k})"),
            1 => format!("({process}.l{l} && {process}.x >= {k} && last == {element})"),
            2 => format!("({process}.l{l} || a[{element}] == {k})"),
            3 => format!("({process}.l{l} && m[{element}][last] == {k})"),
            4 => format!("({process}.l{l} && z[{element}] >= {k})"),
            _ => format!("({process}.l{l} && z[{element}] >= {} && {process}.x <= {k})", k + 1),
        };
        let form = self.number(5);
        let (quantifier, operator) =
            if self.random.chance(70) { ("exists", " || ") } else { ("forall", " && ") };
        let cases: Vec<String> = (0..self.size)
            .map(|element| case(&format!("P{element}"), &element.to_string(), form))
            .collect();
        let short = format!("{quantifier} (i : id_t) {}", case("P(i)", "i", form));
        (format!("E<> {short}"), format!("E<> {}", cases.join(operator)))
    }
}

/// The model of a seed.
pub(crate) fn write(seed: u64) -> Written {
    let mut random = Random::new(seed);
    let size = if random.chance(60) { 2 } else { 3 };
    let mut writer = Writer { random, size };
    let process = writer.template("P(const id_t id)", ("id", Some("x")), "");
    let other = writer.template("M()", ("i", None), "select i : id_t; ");
    let globals = "int[0,2] a[id_t]; int[0,2] m[id_t][id_t]; int[0,2] n; id_t last;\n\
                   chan c[id_t]; broadcast chan b; clock z[id_t];\n";
    let (query, plain_query) = writer.query();
    let names: Vec<String> = (0..size).map(|element| format!("P{element}")).collect();
    let instances: String =
        (0..size).map(|element| format!("P{element} = P({element});\n")).collect();
    let range = size - 1;
    Written {
        symmetric: format!("typedef scalar[{size}] id_t;\n{globals}{process}{other}system P, M;\n"),
        query,
        plain: format!(
            "typedef int[0,{range}] id_t;\n{globals}{process}{other}{instances}system {}, M;\n",
            names.join(", ")
        ),
        plain_query,
    }
}

/// The result of a search: the path to the goal, if it is reachable, and the number of states.
pub(crate) struct Found {
    pub(crate) steps: Option<Vec<Step>>,
    pub(crate) states: usize,
}

type State = SymbolicState<Narrow>;

/// The greatest number of explored states.
const LIMIT: usize = 1_000;

/// Breadth-first search with inclusion of zones; `None` on a run-time error, or if there are too
/// many states.
pub(crate) fn search<Ts, G>(system: &Ts, goal: &mut G) -> Option<Found>
where
    Ts: TransitionSystem<State = State, Step = Step, Error = StepError>,
    G: Goal<Ts>,
{
    let mut scratch = system.scratch();
    let mut passed = Passed::default();
    let mut is_met = None;
    let mut is_failed = false;
    let _ = system.for_each_initial(&mut scratch, |state| {
        match state {
            Ok(state) => passed.insert(state, None, goal, &mut is_met, &mut is_failed),
            Err(_) => is_failed = true,
        }
        ControlFlow::Continue(())
    });
    let mut next = 0;
    while is_met.is_none() && !is_failed && next < passed.nodes.len() {
        let state = passed.nodes[next].0.clone();
        let _ = system.for_each_successor(&state, &mut scratch, |successor| {
            match successor {
                Successor::State(step, target) => {
                    passed.insert(target, Some((next, step)), goal, &mut is_met, &mut is_failed);
                }
                Successor::Error(..) => is_failed = true,
            }
            ControlFlow::Continue(())
        });
        next += 1;
        is_failed |= passed.nodes.len() > LIMIT;
    }
    (!is_failed)
        .then(|| Found { steps: is_met.map(|node| passed.steps(node)), states: passed.nodes.len() })
}

#[derive(Default)]
struct Passed {
    nodes: Vec<(State, Option<(usize, Step)>)>,
    by_key: HashMap<Vec<u64>, Vec<usize>>,
}

impl Passed {
    fn insert<Ts, G>(
        &mut self,
        state: &State,
        from: Option<(usize, Step)>,
        goal: &mut G,
        is_met: &mut Option<usize>,
        is_failed: &mut bool,
    ) where
        Ts: TransitionSystem<State = State, Error = StepError>,
        G: Goal<Ts>,
    {
        let bucket = self.by_key.entry(state.key().to_vec()).or_default();
        let covers = |&node: &usize| {
            includes_slices(self.nodes[node].0.zone.as_slice(), state.zone.as_slice())
        };
        if is_met.is_some() || bucket.iter().any(covers) {
            return;
        }
        let node = self.nodes.len();
        bucket.push(node);
        self.nodes.push((state.clone(), from));
        match goal.holds_in(state) {
            Ok(true) => *is_met = Some(node),
            Ok(false) => {}
            Err(_) => *is_failed = true,
        }
    }

    fn steps(&self, mut node: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        while let Some((from, step)) = self.nodes[node].1 {
            steps.push(step);
            node = from;
        }
        steps.reverse();
        steps
    }
}

/// The result of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Compared {
    /// States without symmetry.
    pub(crate) plain: usize,
    /// States with symmetry, if the model has any.
    pub(crate) symmetric: Option<usize>,
    /// Whether the oracle gave an answer.
    pub(crate) is_judged: bool,
    /// Whether the goal is reachable.
    pub(crate) is_reachable: bool,
}

/// Compares searches with and without symmetry, and the oracle; `None` if one of them gives up.
pub(crate) fn compare(written: &Written) -> Result<Option<Compared>, String> {
    let (model, _) = model_of(&written.symmetric, &[&written.query])
        .map_err(|problems| format!("{problems:?}\n{}", written.symmetric))?;
    let query = QueryId::from_index(0);
    let QueryKind::Possibly(formula) = &model.queries[query].kind else {
        return Err("the query is damaged".to_owned());
    };
    let network =
        CompiledNetwork::new(&model, &Meter::default()).map_err(|_| "too many actions")?;
    let bounds = BoundsTable::new(&model, formula);
    let abstraction = Abstraction::LowerUpperPlus;
    let graph: ZoneGraph<'_, Narrow> =
        ZoneGraph::new(&network, &bounds, abstraction, &Meter::default())
            .map_err(|why| format!("{why:?}"))?;
    let compiled = CompiledGoal::new(&model, formula);
    let mut goal = ZoneGoal::new(&graph, &compiled);
    let Some(plain) = search::<ZoneGraph<'_, Narrow>, _>(&graph, &mut goal) else {
        return Ok(None);
    };
    let length = plain.steps.as_ref().map(Vec::len);
    let mut compared = Compared {
        plain: plain.states,
        symmetric: None,
        is_judged: false,
        is_reachable: length.is_some(),
    };
    compared.is_judged = match judged(written)? {
        Some(truth) if truth != length => {
            return Err(format!("{length:?} steps without symmetry, the oracle says {truth:?}"));
        }
        judgement => judgement.is_some(),
    };
    let symmetry = Symmetry::of(&model, &[query]);
    if symmetry.is_trivial() {
        return Ok(Some(compared));
    }
    let reduced = SymmetricGraph::new(&graph, &symmetry);
    let found =
        search::<SymmetricGraph<'_, ZoneGraph<'_, Narrow>>, _>(&reduced, &mut SymmetricGoal(goal))
            .ok_or("fails with symmetry only")?;
    let reduced_length = found.steps.as_ref().map(Vec::len);
    if reduced_length != length {
        return Err(format!("{length:?} steps without symmetry, {reduced_length:?} with it"));
    }
    if let Some(steps) = &found.steps {
        let unfolded = reduced.unfold(&model, steps).ok_or("the path cannot be unfolded")?;
        concretise(&graph, &unfolded, Destination::Goal(&compiled))
            .map_err(|why| format!("the unfolded path has no run: {why:?}"))?;
    }
    compared.symmetric = Some(found.states);
    Ok(Some(compared))
}

/// The oracle's answer for the model without scalar sets: the least number of steps to the goal, or
/// `None` if it is unreachable; outer `None` if the oracle gives up.
fn judged(written: &Written) -> Result<Option<Option<usize>>, String> {
    use zonaut_base::{SourceFile, SourceMap};
    use zonaut_syntax::{ParseOptions, parse_model, parse_query_text};
    let mut sources = SourceMap::default();
    let options = ParseOptions::default();
    let file = sources.add(SourceFile::new("model.xta", written.plain.as_str()));
    let (document, problems) = parse_model(&mut sources, file, &options);
    let file = sources.add(SourceFile::new("query.q", written.plain_query.as_str()));
    let (queries, more) = parse_query_text(&mut sources, file, &options);
    if problems.has_errors() || more.has_errors() {
        return Err(format!("what is written out has errors\n{}", written.plain));
    }
    let explored = explore(&document, &queries, 5_000).ok();
    Ok(explored
        .filter(|explored| explored.failure.is_none())
        .map(|explored| explored.goal.map(|actions| actions as usize)))
}
