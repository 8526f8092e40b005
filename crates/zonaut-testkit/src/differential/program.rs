//! Programs: lowering, engine, heuristics and pattern databases against the naive explorer.

use super::answer::{Answered, Task};
use super::{
    Certifies, Configuration, Contradiction, Examination, Failure, Finding, Mistake, Part, Tally,
    certification,
};
use crate::command::{Format, Input};
use crate::fault::Fault;
use crate::front_end::model_of;
use crate::judge::{Claim, truth};
use crate::oracle::{self, Answer, Limits};
use crate::program::{self, Program, Stratum, parsed};
use crate::random::Random;
use crate::replay::goal_of;
use crate::tree::{Explored, compare, explore};
use zonaut_base::{Id, SourceFile, SourceMap};
use zonaut_lower::{LowerOptions, lower};
use zonaut_model::interpret::RunTimeError;
use zonaut_model::{ExpressionId, Formula, Model, QueryId, QueryKind};
use zonaut_pdb::AbstractModel;
use zonaut_printer::{formula_text, model_text};
use zonaut_syntax::tree::{Document, Queries};
use zonaut_syntax::{ParseOptions, parse_model, print_xml, print_xta};

/// The state limit of the naive explorer.
const STATES: usize = 150;
/// The state limit of abstractions that are compared.
const ABSTRACT_STATES: usize = 2_000;
/// In strata about the front end, one program in this many is also examined by heuristics and
/// pattern databases.
const WHOLE: u64 = 50;
/// The number of states in which edges are compared, each once more with other values.
const COMPARED: usize = 12;

/// The examination of a program.
#[derive(Clone, Debug)]
pub struct ProgramExamination {
    /// The examination of its query.
    pub examination: Examination,
    /// The abstraction that is printed and read again.
    pub printed: Option<Part>,
    /// The seed of changed states.
    pub seed: u64,
    /// Whether only the front end and one search are examined, without heuristics and pattern
    /// databases.
    pub is_lean: bool,
}

impl ProgramExamination {
    /// The examination of the program of `seed`: half of them with certificates.
    #[must_use]
    pub fn of(seed: u64) -> Self {
        let mut random = Random::new(seed ^ 0x9a07);
        let configurations = Configuration::for_program(&mut random);
        let small = random.choose(&[Part::Cone(0), Part::Cone(1)]);
        let parts = vec![small, Part::ALL[random.below(Part::ALL.len())]];
        let certifies = match random.chance(50) {
            true => Certifies::Everything,
            false => Certifies::LazySearches,
        };
        let printed = Some(Part::ALL[random.below(Part::ALL.len())]);
        let (certified, change, command, fault) = (None, None, Some(seed), None);
        let examination =
            Examination { configurations, certified, certifies, parts, change, command, fault };
        Self { examination, printed, seed, is_lean: false }
    }

    /// The examination of the program of `seed` in a stratum. If a stratum is about the front end,
    /// most of its programs are examined by little else.
    #[must_use]
    pub fn of_stratum(stratum: Stratum, seed: u64) -> Self {
        let is_lean = match stratum {
            Stratum::Parameters | Stratum::Branches => !(seed / 2).is_multiple_of(WHOLE),
            _ => false,
        };
        Self { is_lean, ..Self::of(seed) }
    }

    /// Examines the program of a seed.
    ///
    /// # Errors
    /// The first wrong answer, with the program shrunk as long as an answer stays wrong.
    pub fn examine(
        &self,
        stratum: Stratum,
        seed: u64,
        tally: &mut Tally,
    ) -> Result<(), Box<Failure>> {
        let program = program::generate(stratum, seed);
        let Err(finding) = self.examine_program(&program, tally) else { return Ok(()) };
        let mut uncounted = Tally::default();
        let smallest = program::shrink(program, |smaller| {
            let found = self.examine_program(smaller, &mut uncounted);
            found.is_err_and(|found| is_like(&found.mistake, &finding.mistake))
        });
        let finding = self.examine_program(&smallest, &mut uncounted).err().unwrap_or(finding);
        let edges = parsed(&smallest).map_or(0, |(document, _)| {
            document.templates.iter().map(|template| template.edges.len()).sum()
        });
        let Program { text: model, query } = smallest;
        Err(Box::new(Failure { seed, finding, model, query, edges }))
    }

    /// Examines one program.
    ///
    /// # Errors
    /// The first wrong answer.
    pub fn examine_program(&self, program: &Program, tally: &mut Tally) -> Result<(), Finding> {
        let read = parsed(program).and_then(|(document, queries)| {
            let model = lowered(&document, &queries)?;
            let seen = match self.examination.fault {
                Some(Fault::Program(fault)) => lowered(&fault.applied(&document), &queries)?,
                _ => model.clone(),
            };
            Some((document, queries, model, seen))
        });
        let Some((document, queries, model, seen)) = read else {
            tally.refused += 1;
            return Ok(());
        };
        let configuration = self.examination.configurations[0];
        let fail = |mistake| Finding { configuration, change: None, mistake };
        let Ok(explored) = explore(&document, &queries, STATES) else {
            tally.models += 1;
            tally.undecided += 1;
            return Ok(());
        };
        let states = &explored.states[..explored.states.len().min(COMPARED)];
        let compared = compare(&document, &seen, states, self.seed);
        compared.map_err(|difference| fail(Mistake::Lowering(difference)))?;
        let truth = Some(("the tree", answer(&explored)));
        let known = match self.is_lean {
            true => {
                printed_again(&document, &queries, &model).map_err(fail)?;
                self.search_alone(&model, &seen, answer(&explored), tally)?
            }
            false => {
                let known = self.examination.examine_seen(&model, &seen, &truth, tally)?;
                self.printed.map_or(Ok(()), |part| reread(&model, part)).map_err(fail)?;
                known
            }
        };
        if let (Some(seed), None) = (self.examination.command, self.examination.fault) {
            let (text, query) = (&program.text, Some(program.query.as_str()));
            let input = Input { model: text, format: Format::Xta, query, seed };
            let query = &model.queries[QueryId::from_index(0)].kind;
            self.examination.examine_command(&input, query, &truth, known, tally)?;
        }
        Ok(())
    }
}

impl ProgramExamination {
    /// Answers the query by one search for a shortest run, and checks its certificate if answers
    /// are certified; returns the answer, if there is one.
    fn search_alone(
        &self,
        model: &Model,
        seen: &Model,
        truth: Answer,
        tally: &mut Tally,
    ) -> Result<Option<Claim>, Finding> {
        let query = &model.queries[QueryId::from_index(0)].kind;
        let seen_query = &seen.queries[QueryId::from_index(0)].kind;
        let Some((goal, seen_goal)) = goal_of(query).zip(goal_of(seen_query)) else {
            return Ok(None);
        };
        let mut task = Task::new(model, &goal).seen_as(seen, &seen_goal);
        if let Some(fault) = self.examination.fault {
            fault.spoil(&mut task);
        }
        let configuration = Configuration::best(&task.bounds);
        let fail = |mistake| Finding { configuration, change: None, mistake };
        tally.models += 1;
        tally.features.count_query(model, query);
        let Some(Answered { claim, .. }) = task.answer(configuration).map_err(fail)? else {
            return Ok(None);
        };
        tally.answers += 1;
        match claim {
            Claim::Reachable { .. } => tally.reachable += 1,
            Claim::Failed => tally.failing += 1,
            Claim::Unreachable => {}
        }
        if !claim.agrees_with(&truth) {
            let (oracle, answer) = ("the tree", Box::new(truth));
            return Err(fail(Mistake::Contradiction(Contradiction { oracle, claim, answer })));
        }
        if self.examination.certifies == Certifies::Everything {
            tally.certified += 1;
            certification::certify(seen, configuration).map_err(fail)?;
        }
        Ok(Some(claim))
    }
}

/// Prints a program in both formats, and compares it with the model that is read back.
fn printed_again(document: &Document, queries: &Queries, model: &Model) -> Result<(), Mistake> {
    for (name, text) in [("again.xta", print_xta(document)), ("again.xml", print_xml(document))] {
        let mut sources = SourceMap::default();
        let file = sources.add(SourceFile::new(name, text));
        let (again, _) = parse_model(&mut sources, file, &ParseOptions::default());
        if lowered(&again, queries).as_ref() != Some(model) {
            return Err(Mistake::Unreadable(vec![format!("printed as {name}, it differs")]));
        }
    }
    Ok(())
}

fn lowered(document: &Document, queries: &Queries) -> Option<Model> {
    let lowered = lower(document, &[queries], &LowerOptions::default());
    lowered.model.filter(|_| !lowered.diagnostics.has_errors())
}

/// Whether two mistakes are of one kind: a smaller program with a different mistake would hide the
/// first.
fn is_like(one: &Mistake, other: &Mistake) -> bool {
    std::mem::discriminant(one) == std::mem::discriminant(other)
}

fn answer(explored: &Explored) -> Answer {
    let failure = explored.failure.map(|(actions, kind)| {
        // The tree has no expression ids of the model.
        let error = RunTimeError { kind, expression: ExpressionId::from_index(0) };
        oracle::Failure { actions, error }
    });
    Answer { goal: explored.goal, failure, states: explored.states.len(), run: None }
}

/// Prints the abstraction of a model by a pattern, and compares it with the model that is read
/// back.
fn reread(model: &Model, part: Part) -> Result<(), Mistake> {
    let Some(goal) = goal_of(&model.queries[QueryId::from_index(0)].kind) else { return Ok(()) };
    let child = AbstractModel::new(model, &goal, &part.pattern(model, &goal));
    let text = model_text(&child.model);
    let query = format!("E<> {}", formula_text(&child.model, &child.goal));
    let read = model_of(&text, &[&query]).map_err(|problems| {
        Mistake::Unreadable(problems.into_iter().map(|problem| problem.message).collect())
    })?;
    let before = summary(&child.model, &child.goal);
    let QueryKind::Possibly(goal) = &read.0.queries[QueryId::from_index(0)].kind else {
        return Ok(());
    };
    let after = summary(&read.0, goal);
    match (before, after) {
        (Some(before), Some(after)) if before != after => {
            Err(Mistake::Reread(Box::new((part, before, after))))
        }
        _ => Ok(()),
    }
}

/// The true answer about a goal, as text; `None` if it is unknown.
fn summary(model: &Model, goal: &Formula) -> Option<String> {
    let query = QueryKind::Possibly(goal.clone());
    let limits = Limits { states: ABSTRACT_STATES, ..Limits::default() };
    let (_, Answer { goal, failure, .. }) = truth(model, &query, limits)?;
    let fails = if failure.is_some() { "an error" } else { "no error" };
    Some(match goal {
        Some(actions) => format!("a goal after {actions} actions and {fails}"),
        None => format!("no goal and {fails}"),
    })
}
