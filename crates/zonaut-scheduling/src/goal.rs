//! Goals that processes are in certain locations.

use zonaut_base::Id;
use zonaut_cost::tasks::Tasks;
use zonaut_model::{Expression, ExpressionId, Formula, LocationId, Model, ProcessId};

use crate::task_network::NoTasks;

/// A goal over locations, without negation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum LocationGoal {
    At(ProcessId, LocationId),
    All(Vec<LocationGoal>),
    Any(Vec<LocationGoal>),
}

const OTHER_GOAL: NoTasks = NoTasks("a goal that is not a condition on locations between tasks");

impl LocationGoal {
    /// Understands a goal.
    ///
    /// A process that is ahead of where it could be has ended a task or begun one, so it must not
    /// matter whether it is in a task.
    pub(crate) fn of(model: &Model, goal: &Formula, tasks: &Tasks) -> Result<Self, NoTasks> {
        let goal = Self::of_formula(model, goal)?;
        match goal.names_a_task(tasks) {
            true => Err(OTHER_GOAL),
            false => Ok(goal),
        }
    }

    fn of_formula(model: &Model, goal: &Formula) -> Result<Self, NoTasks> {
        let all = |parts: &[Formula]| {
            parts.iter().map(|part| Self::of_formula(model, part)).collect::<Result<_, _>>()
        };
        match goal {
            Formula::Data(data) => Self::of_expression(model, *data),
            Formula::And(parts) => Ok(Self::All(all(parts)?)),
            Formula::Or(parts) => Ok(Self::Any(all(parts)?)),
            Formula::Clock(_) | Formula::Deadlock | Formula::Not(_) => Err(OTHER_GOAL),
        }
    }

    fn of_expression(model: &Model, id: ExpressionId) -> Result<Self, NoTasks> {
        match model.expressions[id] {
            Expression::At(process, location) => Ok(Self::At(process, location)),
            Expression::And(..) => Ok(Self::All(Self::of_chain(model, id)?)),
            Expression::Or(..) => Ok(Self::Any(Self::of_chain(model, id)?)),
            _ => Err(OTHER_GOAL),
        }
    }

    /// The parts of a chain of one connective, which leans to the left and may be long.
    fn of_chain(model: &Model, id: ExpressionId) -> Result<Vec<Self>, NoTasks> {
        let is_and = matches!(model.expressions[id], Expression::And(..));
        let (mut rest, mut parts) = (id, Vec::new());
        loop {
            match model.expressions[rest] {
                Expression::And(left, right) if is_and => {
                    parts.push(Self::of_expression(model, right)?);
                    rest = left;
                }
                Expression::Or(left, right) if !is_and => {
                    parts.push(Self::of_expression(model, right)?);
                    rest = left;
                }
                _ => break,
            }
        }
        parts.push(Self::of_expression(model, rest)?);
        Ok(parts)
    }

    fn names_a_task(&self, tasks: &Tasks) -> bool {
        match self {
            Self::At(process, location) => tasks.is_task(*process, *location),
            Self::All(parts) | Self::Any(parts) => {
                parts.iter().any(|part| part.names_a_task(tasks))
            }
        }
    }

    /// Whether it holds in a state with these values, which begin with the locations.
    pub(crate) fn holds(&self, values: &[i32]) -> bool {
        match self {
            Self::At(process, location) => values[process.index()] == location.index() as i32,
            Self::All(parts) => parts.iter().all(|part| part.holds(values)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(values)),
        }
    }

    /// Whether it names this location.
    pub(crate) fn names(&self, process: ProcessId, location: LocationId) -> bool {
        match self {
            Self::At(p, l) => (*p, *l) == (process, location),
            Self::All(parts) | Self::Any(parts) => {
                parts.iter().any(|part| part.names(process, location))
            }
        }
    }

    /// The locations that it demands, at most one of each process.
    pub(crate) fn demands(&self, into: &mut Vec<(ProcessId, LocationId)>) {
        match self {
            Self::At(process, location) => into.push((*process, *location)),
            Self::All(parts) => parts.iter().for_each(|part| part.demands(into)),
            Self::Any(parts) => {
                if let [part] = parts.as_slice() {
                    part.demands(into);
                }
            }
        }
    }
}
