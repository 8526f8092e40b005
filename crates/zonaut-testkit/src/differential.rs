//! Differential tests of the engine against the oracles: many configurations on one network, and on
//! metamorphic variants of it, whose answer must be the same.

mod answer;
mod certification;
mod change;
mod configuration;
mod goal_path;
mod inspector;
mod program;

use answer::Answered;
pub(crate) use answer::{Task, WrongInclusion};
pub use certification::certify_with;
pub use change::Change;
pub use configuration::{Configuration, Order};
pub use goal_path::{Part, WrongEstimate};
pub use program::ProgramExamination;

use crate::command::{
    self, Ended, Format, Input, WrongCommand, outcomes_by_engine, outcomes_by_oracle,
};
use crate::fault::Fault;
use crate::features::{Feature, Features};
use crate::generate::Theme;
use crate::judge::{Claim, Contradiction, truth};
use crate::oracle::{Answer, Limits};
use crate::random::Random;
use crate::replay::{Flaw, goal_of};
use crate::specification::{Specification, shrink};
use crate::tree::Difference;
use goal_path::{GoalPath, GoalQuery};
use std::path::Path;
use std::{fmt, fs, io};
use zonaut_base::Id;
use zonaut_compile::BoundsTable;
use zonaut_model::{Model, QueryId, QueryKind};

/// An error in an answer.
#[derive(Clone, Debug)]
pub enum Mistake {
    /// The answer contradicts an oracle.
    Contradiction(Contradiction),
    /// Two answers disagree.
    Disagreement(Claim, Claim),
    /// A path of the zone graph has no concrete run.
    Spurious,
    /// The concrete run is not a run of the model.
    Run(Flaw),
    /// A search that should have terminated did not.
    Endless,
    /// A stored zone is not canonical.
    NotCanonical,
    /// The store does not return the states that were inserted.
    Store,
    /// A state in the store includes another one.
    Redundant,
    /// A heuristic overestimates, or prunes a state that reaches a goal.
    Heuristic(WrongEstimate),
    /// The checker does not accept the certificate of an answer.
    Uncertified(String),
    /// The front end refuses a printed model.
    Unreadable(Vec<String>),
    /// Lowering changed the meaning of an edge.
    Lowering(Box<Difference>),
    /// The answer to a query beyond reachability is wrong.
    Beyond(String),
    /// The exit code or the output of a command is wrong.
    Command(Box<WrongCommand>),
    /// The abstraction of a model, printed and read again, has a different answer.
    Reread(Box<(Part, String, String)>),
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Contradiction(contradiction) => write!(f, "{contradiction}"),
            Self::Disagreement(one, other) => write!(f, "claimed {one:?} and {other:?}"),
            Self::Spurious => f.write_str("the path to the goal has no run"),
            Self::Run(flaw) => write!(f, "the run is not one: {flaw}"),
            Self::Endless => f.write_str("the search does not end"),
            Self::NotCanonical => f.write_str("a stored zone is not canonical"),
            Self::Store => f.write_str("the store has another state than was put in"),
            Self::Redundant => f.write_str("the store has a state that includes another one"),
            Self::Heuristic(wrong) => write!(f, "{wrong}"),
            Self::Uncertified(reason) => write!(f, "the certificate is refused: {reason}"),
            Self::Unreadable(messages) => write!(f, "not read again: {}", messages.join("; ")),
            Self::Lowering(difference) => write!(f, "{difference}"),
            Self::Beyond(mistake) => f.write_str(mistake),
            Self::Command(wrong) => write!(f, "{wrong}"),
            Self::Reread(different) => {
                let (part, before, after) = &**different;
                write!(f, "the abstraction by {part:?} has {before}, printed and read {after}")
            }
        }
    }
}

/// A mistake, and the configuration that made it.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The configuration with the wrong answer.
    pub configuration: Configuration,
    /// The metamorphic change that was applied, if any.
    pub change: Option<Change>,
    /// The mistake.
    pub mistake: Mistake,
}

/// A wrong answer to the query of a seed.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The seed of the network.
    pub seed: u64,
    /// The mistake.
    pub finding: Finding,
    /// The model, shrunk, as text.
    pub model: String,
    /// Its query.
    pub query: String,
    /// The number of its edges.
    pub edges: usize,
}

impl Failure {
    /// A wrong answer to a query that is not the specification's own.
    pub(crate) fn of_query(
        seed: u64,
        specification: &Specification,
        query: String,
        mistake: String,
    ) -> Self {
        let model = specification.to_model();
        let bounds = BoundsTable::new(&model, &zonaut_model::Formula::truth());
        let configuration = Configuration::best(&bounds);
        let mistake = Mistake::Beyond(mistake);
        let finding = Finding { configuration, change: None, mistake };
        let edges = specification.edges();
        Self { seed, finding, model: specification.to_xta(), query, edges }
    }

    /// A wrong answer to the query of a model given as text.
    pub(crate) fn of_text(seed: u64, model: String, query: String, mistake: Mistake) -> Self {
        let nothing = BoundsTable::new(&Model::default(), &zonaut_model::Formula::truth());
        let configuration = Configuration::best(&nothing);
        let finding = Finding { configuration, change: None, mistake };
        let edges = model.matches(" -> ").count();
        Self { seed, finding, model, query, edges }
    }

    /// Writes the network and its query into files of a folder, as a regression model.
    ///
    /// # Errors
    /// If the files cannot be written.
    pub fn save(&self, folder: &Path, name: &str) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        let model = format!("// {name}\n{}{}", self.heading(), self.model);
        fs::write(folder.join(format!("{name}.xta")), model)?;
        fs::write(folder.join(format!("{name}.q")), format!("{}\n", self.query))
    }

    fn heading(&self) -> String {
        let Finding { configuration, change, mistake } = &self.finding;
        let Configuration { abstraction, comparison, order } = configuration;
        let change = change.map_or(String::new(), |change| format!(", {change:?}"));
        format!(
            "// seed {}, {abstraction:?}, {comparison:?}, {order:?}{change}:\n// {mistake}\n",
            self.seed
        )
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}{}", self.heading(), self.model)?;
        writeln!(f, "// {}", self.query)
    }
}

/// Statistics of examined networks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Networks examined.
    pub models: u64,
    /// Networks with a reachable goal.
    pub reachable: u64,
    /// Networks with a reachable run-time error.
    pub failing: u64,
    /// Networks that no oracle could decide.
    pub undecided: u64,
    /// Networks that the front end refuses; they are not examined.
    pub refused: u64,
    /// Answers given.
    pub answers: u64,
    /// Answers about maximal runs and values whose evidence was checked.
    pub certified: u64,
    /// Commands whose exit code and output were compared.
    pub commands: u64,
    /// Commands that ended with exit code 3, undecided.
    pub open: u64,
    /// Commands whose answer the checker accepted.
    pub checked: u64,
    /// The features of the examined queries.
    pub features: Features,
}

impl Tally {
    /// Adds the statistics of other networks.
    pub fn add(&mut self, other: Self) {
        self.models += other.models;
        self.reachable += other.reachable;
        self.failing += other.failing;
        self.undecided += other.undecided;
        self.refused += other.refused;
        self.answers += other.answers;
        self.certified += other.certified;
        self.commands += other.commands;
        self.open += other.open;
        self.checked += other.checked;
        self.features.add(other.features);
    }

    /// Counts a command that was run.
    pub(crate) fn count_command(&mut self, ended: &Ended) {
        self.commands += 1;
        self.open += u64::from(ended.code == 3);
        self.checked += u64::from(ended.rows.last().is_some_and(|row| row.certified));
    }
}

/// The true answer to a query, and the oracle that found it; `None` if no oracle could.
type Truth = Option<(&'static str, Answer)>;

/// The answers of strategies whose certificates must be accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Certifies {
    /// None: a wrong verdict must be detected without a certificate.
    Nothing,
    /// Answers of lazy searches: the labels of their nodes are evidence beyond the answer.
    LazySearches,
    /// All.
    Everything,
}

/// The examination of a network: configurations, changes and faults.
#[derive(Clone, Debug)]
pub struct Examination {
    /// The configurations that answer its query.
    pub configurations: Vec<Configuration>,
    /// The configuration whose certificate is checked.
    pub certified: Option<Configuration>,
    /// The answers of strategies whose certificates must be accepted.
    pub certifies: Certifies,
    /// The pattern databases that are checked along the path to its goal, besides all other
    /// heuristics.
    pub parts: Vec<Part>,
    /// The metamorphic change for one more answer.
    pub change: Option<Change>,
    /// The seed of the model if the command `verify` answers its query, too.
    pub command: Option<u64>,
    /// The fault injected into the engine, in a test of the tests.
    pub fault: Option<Fault>,
}

impl Examination {
    /// The examination of the network of `seed`: some configurations, and perhaps a metamorphic
    /// change.
    #[must_use]
    pub fn of(seed: u64) -> Self {
        let (configurations, change) = (Configuration::selection(seed), Change::of(seed));
        let certified = Random::new(seed ^ 0xce47).choose(&configurations);
        let parts = Part::of(seed).into_iter().collect();
        let certified = Some(certified);
        let certifies = Certifies::LazySearches;
        let (command, fault) = (None, None);
        Self { configurations, certified, certifies, parts, change, command, fault }
    }

    /// The examination of the network of `seed` by strategies with all heuristics, by all pattern
    /// databases and by a command; half of the networks are examined without certificates.
    fn of_every_heuristic(seed: u64) -> Self {
        let configurations = Configuration::every_heuristic(seed);
        let certifies = match Random::new(seed ^ 0xce27).chance(50) {
            true => Certifies::Everything,
            false => Certifies::Nothing,
        };
        let (parts, command) = (Part::ALL.to_vec(), Some(seed));
        Self { configurations, certifies, parts, certified: None, command, ..Self::of(seed) }
    }

    /// The examination of the network of `seed` by the portfolio strategy `auto`.
    fn auto(seed: u64) -> Self {
        let (configurations, parts) = (Configuration::auto(seed), Vec::new());
        Self { configurations, parts, certified: None, change: None, ..Self::of(seed) }
    }

    /// The examination of the network of `seed` by lazy searches, whose certificates are all
    /// checked.
    fn lazy(seed: u64) -> Self {
        Self { configurations: Configuration::lazy(seed), ..Self::auto(seed) }
    }

    /// Examines the network that `seed` has for a theme.
    ///
    /// # Errors
    /// The first wrong answer, with the network shrunk as long as an answer stays wrong.
    pub fn examine(&self, theme: Theme, seed: u64, tally: &mut Tally) -> Result<(), Box<Failure>> {
        let examined = smallest_mistake(theme.network(seed), tally, |specification, tally| {
            self.examine_specification(specification, tally)
        });
        let Err(mistake) = examined else { return Ok(()) };
        let (specification, finding) = *mistake;
        let (model, query) = (specification.to_xta(), specification.query_text());
        Err(Box::new(Failure { seed, finding, model, query, edges: specification.edges() }))
    }

    /// Examines one network.
    ///
    /// # Errors
    /// The first wrong answer.
    pub fn examine_specification(
        &self,
        specification: &Specification,
        tally: &mut Tally,
    ) -> Result<(), Finding> {
        let model = specification.to_model();
        let claim = match self.fault {
            None => {
                let truth = self.truth(&model);
                let claim = self.examine_seen(&model, &model, &truth, tally)?;
                if let Some(seed) = self.command {
                    let (text, query) = (specification.to_xta(), specification.query_text());
                    let input =
                        Input { model: &text, format: Format::Xta, query: Some(&query), seed };
                    let kind = &model.queries[QueryId::from_index(0)].kind;
                    self.examine_command(&input, kind, &truth, claim, tally)?;
                }
                claim
            }
            Some(fault) => {
                let seen = fault.specification(specification).to_model();
                self.examine_seen(&model, &seen, &self.truth(&model), tally)?
            }
        };
        match (claim, self.change) {
            (Some(known), Some(change)) => {
                examine_changed(specification, &model, change, known, tally)
            }
            _ => Ok(()),
        }
    }

    /// Examines the first query of a model; returns an answer to it, if there is one.
    ///
    /// # Errors
    /// The first wrong answer.
    pub fn examine_model(
        &self,
        model: &Model,
        tally: &mut Tally,
    ) -> Result<Option<Claim>, Finding> {
        self.examine_seen(model, model, &self.truth(model), tally)
    }

    /// Lets the command `verify` answer the query. The oracle determines the right outcomes or, if
    /// it is undecided, the answer of the engine; a command may be undecided if the engine is.
    fn examine_command(
        &self,
        input: &Input<'_>,
        query: &QueryKind,
        truth: &Truth,
        known: Option<Claim>,
        tally: &mut Tally,
    ) -> Result<(), Finding> {
        let mut allowed = match (truth, known) {
            (Some((_, answer)), _) => outcomes_by_oracle(query, answer),
            (None, Some(known)) => outcomes_by_engine(query, known),
            (None, None) => return Ok(()),
        };
        if known.is_none() {
            allowed.push(command::Outcome::Unknown);
        }
        let configuration = self.configurations[0];
        let required = input.require_verdicts(&[allowed], tally);
        required.map_err(|mistake| Finding { configuration, change: None, mistake })
    }

    /// The true answer to the first query of a model, and the oracle that found it.
    fn truth(&self, model: &Model) -> Truth {
        truth(model, &model.queries[QueryId::from_index(0)].kind, Limits::default())
    }

    fn examine_seen(
        &self,
        model: &Model,
        seen: &Model,
        truth: &Truth,
        tally: &mut Tally,
    ) -> Result<Option<Claim>, Finding> {
        let query = &model.queries[QueryId::from_index(0)].kind;
        let Some(goal) = goal_of(query) else { return Ok(None) };
        let Some(seen_goal) = goal_of(&seen.queries[QueryId::from_index(0)].kind) else {
            return Ok(None);
        };
        let mut task = Task::new(model, &goal).seen_as(seen, &seen_goal);
        if let Some(fault) = self.fault {
            fault.spoil(&mut task);
        }
        task.certifies = self.certifies;
        let mut first: Option<Claim> = None;
        let mut shortest: Option<(Configuration, GoalPath)> = None;
        for &configuration in &self.configurations {
            let fail = |mistake| Finding { configuration, change: None, mistake };
            let answered = task.answer(configuration).map_err(fail)?;
            let Some(Answered { claim, path }) = answered else { continue };
            if let Some(path) = path
                && shortest.as_ref().is_none_or(|(_, other)| path.is_better_than(other))
            {
                shortest = Some((configuration, path));
            }
            tally.answers += 1;
            let known = *first.get_or_insert(claim);
            if let Some((oracle, answer)) = truth
                && !claim.agrees_with(answer)
            {
                let answer = Box::new(answer.clone());
                return Err(fail(Mistake::Contradiction(Contradiction { oracle, claim, answer })));
            }
            if !known.is_compatible_with(claim) {
                return Err(fail(Mistake::Disagreement(known, claim)));
            }
        }
        if let Some((configuration, path)) = shortest {
            let asked = GoalQuery { model: seen, goal: &seen_goal, bounds: &task.bounds };
            let fail = |mistake| Finding { configuration, change: None, mistake };
            path.examine(&asked, &self.parts).map_err(fail)?;
        }
        if let Some(configuration) = self.certified {
            let certified = certification::certify(model, configuration);
            certified.map_err(|mistake| Finding { configuration, change: None, mistake })?;
        }
        tally.models += 1;
        tally.features.count_query(model, query);
        tally.undecided += u64::from(truth.is_none());
        match first {
            Some(Claim::Reachable { .. }) => tally.reachable += 1,
            Some(Claim::Failed) => tally.failing += 1,
            Some(Claim::Unreachable) | None => {}
        }
        // The oracle has the exact length of a shortest path.
        Ok(match (first, truth) {
            (Some(Claim::Reachable { .. }), Some((_, answer))) => {
                Some(Claim::Reachable { shortest: answer.goal })
            }
            _ => first,
        })
    }
}

/// Examines a network and, if an answer is wrong, shrinks it as long as one is.
///
/// # Errors
/// The smallest network with a wrong answer, and the mistake.
pub(crate) fn smallest_mistake<M>(
    specification: Specification,
    tally: &mut Tally,
    examine: impl Fn(&Specification, &mut Tally) -> Result<(), M>,
) -> Result<(), Box<(Specification, M)>> {
    let Err(first) = examine(&specification, tally) else { return Ok(()) };
    let mut uncounted = Tally::default();
    let smallest = shrink(specification, |smaller| examine(smaller, &mut uncounted).is_err());
    let mistake = examine(&smallest, &mut uncounted).err().unwrap_or(first);
    Err(Box::new((smallest, mistake)))
}

/// Examines a network of `seed` by `examine`, which returns the query with a wrong answer.
///
/// # Errors
/// The first wrong answer, with the network shrunk as long as one stays wrong.
pub(crate) fn examine_queries(
    specification: Specification,
    seed: u64,
    tally: &mut Tally,
    examine: impl Fn(&Specification, u64, &mut Tally) -> Result<(), (String, String)>,
) -> Result<(), Box<Failure>> {
    let examined = smallest_mistake(specification, tally, |specification, tally| {
        examine(specification, seed, tally)
    });
    let Err(mistake) = examined else { return Ok(()) };
    let (smallest, (query, mistake)) = *mistake;
    Err(Box::new(Failure::of_query(seed, &smallest, query, mistake)))
}

/// Examines the network that `seed` has for a theme in a selection of configurations; networks with
/// `meta` variables with every heuristic.
///
/// # Errors
/// The first wrong answer, with the network shrunk as long as it stays wrong.
pub fn examine_theme(theme: Theme, seed: u64, tally: &mut Tally) -> Result<(), Box<Failure>> {
    let examination = match theme {
        Theme::Meta => Examination::of_every_heuristic(seed),
        Theme::Reachability | Theme::Deadlock | Theme::Priorities => Examination::of(seed),
    };
    examination.examine(theme, seed, tally)
}

/// Examines the network of `seed` with the portfolio strategy `auto`; themes alternate.
///
/// # Errors
/// The first wrong answer, with the network shrunk as long as it stays wrong.
pub fn examine_auto(seed: u64, tally: &mut Tally) -> Result<(), Box<Failure>> {
    let (_, theme) = Theme::ALL[(seed % Theme::ALL.len() as u64) as usize];
    Examination::auto(seed).examine(theme, seed, tally)
}

/// Examines the network of `seed` with lazy searches, which refuse priorities and `deadlock`.
///
/// # Errors
/// The first wrong answer, with the network shrunk as long as it stays wrong.
pub fn examine_lazy(seed: u64, tally: &mut Tally) -> Result<(), Box<Failure>> {
    Examination::lazy(seed).examine(Theme::Reachability, seed, tally)
}

/// Checks all heuristics along a shortest path of the network of `seed`, and little else.
///
/// # Errors
/// The first wrong estimate, with the network shrunk as long as one remains.
pub fn examine_heuristics(seed: u64, tally: &mut Tally) -> Result<(), Box<Failure>> {
    let (_, theme) = Theme::ALL[(seed % Theme::ALL.len() as u64) as usize];
    let mut few = Examination { certified: None, change: None, ..Examination::of(seed) };
    few.configurations.retain(|configuration| configuration.order == Order::Shortest);
    few.examine(theme, seed, tally)
}

/// Compares the answer for a changed network with the known one.
fn examine_changed(
    specification: &Specification,
    model: &Model,
    change: Change,
    known: Claim,
    tally: &mut Tally,
) -> Result<(), Finding> {
    let goal = |model: &Model| goal_of(&model.queries[QueryId::from_index(0)].kind);
    let Some(original) = goal(model) else { return Ok(()) };
    let configuration = Configuration::best(&BoundsTable::new(model, &original));
    let fail = |mistake| Finding { configuration, change: Some(change), mistake };
    let Some(changed) = change.applied(specification).map_err(fail)? else { return Ok(()) };
    let Some(goal) = goal(&changed) else { return Ok(()) };
    let answer = Task::new(&changed, &goal).answer(configuration);
    let Some(Answered { claim, .. }) = answer.map_err(fail)? else { return Ok(()) };
    tally.answers += 1;
    match change {
        Change::Reread => tally.features.count(Feature::Reread),
        Change::Scaled(_) => tally.features.count(Feature::LargeConstants),
        Change::UnusedClock | Change::ClocksReversed => {}
    }
    if known.is_compatible_with(claim) {
        return Ok(());
    }
    Err(fail(Mistake::Disagreement(known, claim)))
}
