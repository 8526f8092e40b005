//! Shops beyond the job shop, as models with a process for each job and the data in tables: open shops,
//! crews of several members, setup times, jobs that do not wait, release dates and deadlines.

use crate::family::Generated;
use crate::job_shop::{JobShop, Operation};

/// An open shop: every job needs every machine, in an order of its choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenShop {
    /// By job and machine.
    pub durations: Vec<Vec<u32>>,
}

/// A shop in which an operation needs members of a crew instead of a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrewShop {
    /// The members of each crew.
    pub crews: Vec<u32>,
    /// By job and operation, the number of members that it needs.
    pub needs: Vec<Vec<u32>>,
    /// The operations; their machines are the crews.
    pub shop: JobShop,
}

/// A job shop in which a machine needs time before an operation of another colour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetupShop {
    /// The operations.
    pub shop: JobShop,
    /// The colour of each job.
    pub colours: Vec<usize>,
    /// By the colour before and the next one.
    pub setups: Vec<Vec<u32>>,
}

/// A job shop in which a job does not wait between its operations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoWaitShop {
    /// The operations.
    pub shop: JobShop,
}

/// A job shop in which jobs have release dates and deadlines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowShop {
    /// The operations.
    pub shop: JobShop,
    /// By job, the date of its earliest start.
    pub releases: Vec<u32>,
    /// By job, the date of its latest end.
    pub deadlines: Vec<u32>,
}

impl OpenShop {
    /// The model, and the query whether all jobs can be finished.
    #[must_use]
    pub fn generate(&self) -> Generated {
        let (jobs, machines) = (self.durations.len(), self.durations[0].len());
        let durations = table(&self.durations);
        let work = |m: usize| format!("work{m} {{ x <= DURATION[id][{m}] }}");
        let edges = |m: usize| {
            format!(
                "waiting -> work{m} {{\n            guard !occupied[{m}] && !visited[{m}];\n            \
                 assign x = 0, occupied[{m}] = true, visited[{m}] = true;\n        }},\n        \
                 work{m} -> waiting {{ guard x >= DURATION[id][{m}]; assign occupied[{m}] = false; }}"
            )
        };
        generated(format!(
            "// An open shop: {jobs} jobs visit {machines} machines, each in an order of its choice.\n\n\
             typedef int[0, {}] job_t;\ntypedef int[0, {}] machine_t;\n\
             const int DURATION[job_t][machine_t] = {durations};\n\n\
             bool occupied[machine_t];\n\n\
             process Job(const job_t id) {{\n    clock x;\n    bool visited[machine_t];\n    \
             state\n        waiting,\n        {},\n        done;\n    \
             init waiting;\n    trans\n        {},\n        \
             waiting -> done {{ guard forall (m : machine_t) visited[m]; }};\n}}\n\nsystem Job;\n",
            jobs - 1,
            machines - 1,
            (0..machines).map(work).collect::<Vec<_>>().join(",\n        "),
            (0..machines).map(edges).collect::<Vec<_>>().join(",\n        "),
        ))
    }
}

impl CrewShop {
    /// The model, and the query whether all jobs can be finished.
    #[must_use]
    pub fn generate(&self) -> Generated {
        let crews = self.crews.len();
        let declarations = format!(
            "const int MEMBERS[{crews}] = {};\nconst int NEED[job_t][step_t] = {};\n\n\
             int[0, {}] busy[{crews}];  // the members of each crew that are at work\n",
            list(&self.crews),
            table(&self.needs),
            self.crews.iter().max().copied().unwrap_or(0),
        );
        let body = Template {
            summary: "their operations need members of crews",
            machines: "CREW",
            declarations: &declarations,
            locals: "",
            steps: &|step: Step| {
                let Step { number, next } = step;
                let crew = format!("busy[CREW[id][{number}]]");
                StepText {
                    locations: format!(
                        "wait{number}, work{number} {{ x <= DURATION[id][{number}] }}"
                    ),
                    edges: format!(
                        "wait{number} -> work{number} {{\n            \
                         guard {crew} + NEED[id][{number}] <= MEMBERS[CREW[id][{number}]];\n            \
                         assign x = 0, {crew} += NEED[id][{number}];\n        }},\n        \
                         work{number} -> {next} {{\n            guard x >= DURATION[id][{number}];\n            \
                         assign {crew} -= NEED[id][{number}];\n        }}"
                    ),
                }
            },
        };
        generated(body.of(&self.shop))
    }
}

impl SetupShop {
    /// The model, and the query whether all jobs can be finished.
    #[must_use]
    pub fn generate(&self) -> Generated {
        let (machines, count) = (self.shop.machines, self.setups.len());
        let none = vec!["-1"; machines].join(", ");
        let colours: Vec<String> = self.colours.iter().map(usize::to_string).collect();
        let declarations = format!(
            "const int COLOUR[job_t] = {{ {} }};\n\
             // The time to change from the first colour to the second.\n\
             const int SETUP[{count}][{count}] = {};\n\nbool busy[{machines}];\n\
             // The colour of each machine; -1: no colour yet, and no time to load the first one.\n\
             int[-1, {}] loaded[{machines}] = {{ {none} }};\n",
            colours.join(", "),
            table(&self.setups),
            count - 1,
        );
        let body = Template {
            summary: "machines need time to change their colour",
            machines: "MACHINE",
            declarations: &declarations,
            locals: "",
            steps: &|step: Step| {
                let Step { number, next } = step;
                let machine = format!("MACHINE[id][{number}]");
                // A location for each colour that the machine may have had.
                let work = |before: usize| match before == count {
                    true => Work {
                        location: format!("work{number}"),
                        loaded: -1,
                        length: format!("DURATION[id][{number}]"),
                    },
                    false => Work {
                        location: format!("work{number}_{before}"),
                        loaded: before as i64,
                        length: format!("DURATION[id][{number}] + SETUP[{before}][COLOUR[id]]"),
                    },
                };
                let all: Vec<Work> = (0..=count).map(work).collect();
                let location =
                    |work: &Work| format!("{} {{ x <= {} }}", work.location, work.length);
                let edges = |work: &Work| {
                    let Work { location, loaded, length } = work;
                    format!(
                        "wait{number} -> {location} {{\n            \
                         guard !busy[{machine}] && loaded[{machine}] == {loaded};\n            \
                         assign x = 0, busy[{machine}] = true, loaded[{machine}] = COLOUR[id];\n        \
                         }},\n        {location} -> {next} {{\n            guard x >= {length};\n            \
                         assign busy[{machine}] = false;\n        }}"
                    )
                };
                let locations: Vec<String> = all.iter().map(location).collect();
                let edges: Vec<String> = all.iter().map(edges).collect();
                StepText {
                    locations: format!("wait{number}, {}", locations.join(",\n        ")),
                    edges: edges.join(",\n        "),
                }
            },
        };
        generated(body.of(&self.shop))
    }
}

/// An operation after an operation of a certain colour, or after none.
struct Work {
    location: String,
    loaded: i64,
    length: String,
}

impl NoWaitShop {
    /// The model, and the query whether all jobs can be finished.
    #[must_use]
    pub fn generate(&self) -> Generated {
        let declarations = format!("\nbool busy[{}];\n", self.shop.machines);
        let body = Template {
            summary: "they do not wait between their operations",
            machines: "MACHINE",
            declarations: &declarations,
            locals: "",
            steps: &|step: Step| {
                let Step { number, next } = step;
                let machine = format!("busy[MACHINE[id][{number}]]");
                // No time passes in `next`, so that two jobs can exchange their machines.
                let wait = match number {
                    0 => "wait0".to_owned(),
                    _ => format!("wait{number} {{ x <= DURATION[id][{}] }}", number - 1),
                };
                StepText {
                    locations: format!("{wait}, work{number} {{ x <= DURATION[id][{number}] }}"),
                    edges: format!(
                        "wait{number} -> work{number} {{ guard !{machine}; assign x = 0, {machine} = true; }},\n        \
                         work{number} -> {next} {{\n            guard x >= DURATION[id][{number}];\n            \
                         assign {machine} = false;\n        }}"
                    ),
                }
            },
        };
        generated(body.of(&self.shop))
    }
}

impl WindowShop {
    /// The model, and the query whether all jobs can be finished.
    #[must_use]
    pub fn generate(&self) -> Generated {
        let declarations = format!(
            "const int RELEASE[job_t] = {};\nconst int DEADLINE[job_t] = {};\n\n\
             clock time;\nbool busy[{}];\n",
            list(&self.releases),
            list(&self.deadlines),
            self.shop.machines,
        );
        let body = Template {
            summary: "they have release dates and deadlines",
            machines: "MACHINE",
            declarations: &declarations,
            locals: "",
            steps: &|step: Step| {
                let Step { number, next } = step;
                let machine = format!("busy[MACHINE[id][{number}]]");
                let release = if number == 0 { " && time >= RELEASE[id]" } else { "" };
                let in_time = "time <= DEADLINE[id]";
                StepText {
                    locations: format!(
                        "wait{number} {{ {in_time} }}, work{number} {{ x <= DURATION[id][{number}] && {in_time} }}"
                    ),
                    edges: format!(
                        "wait{number} -> work{number} {{\n            guard !{machine}{release};\n            \
                         assign x = 0, {machine} = true;\n        }},\n        \
                         work{number} -> {next} {{\n            guard x >= DURATION[id][{number}];\n            \
                         assign {machine} = false;\n        }}"
                    ),
                }
            },
        };
        generated(body.of(&self.shop))
    }
}

/// An operation of a job.
struct Step {
    /// Its place in the job, from 0.
    number: usize,
    /// The location after it.
    next: String,
}

/// The text of an operation.
struct StepText {
    locations: String,
    edges: String,
}

/// A model with one template of a job.
struct Template<'t> {
    summary: &'t str,
    /// The name of the table of machines.
    machines: &'t str,
    declarations: &'t str,
    /// The variables of a job.
    locals: &'t str,
    steps: &'t dyn Fn(Step) -> StepText,
}

impl Template<'_> {
    /// The model of a shop whose jobs have equally many operations.
    fn of(&self, shop: &JobShop) -> String {
        let (jobs, count) = (shop.jobs.len(), shop.jobs[0].len());
        let by_operation = |of: fn(&Operation) -> u32| -> Vec<Vec<u32>> {
            shop.jobs.iter().map(|job| job.iter().map(of).collect()).collect()
        };
        let steps: Vec<StepText> = (0..count)
            .map(|number| {
                let next = match number + 1 == count {
                    true => "done".to_owned(),
                    false => format!("wait{}", number + 1),
                };
                (self.steps)(Step { number, next })
            })
            .collect();
        let locations: Vec<&str> = steps.iter().map(|step| step.locations.as_str()).collect();
        let edges: Vec<&str> = steps.iter().map(|step| step.edges.as_str()).collect();
        format!(
            "// {jobs} jobs with {count} operations each; {}. `zonaut optimize` computes the\n\
             // minimal makespan.\n\n\
             typedef int[0, {}] job_t;\ntypedef int[0, {}] step_t;\n\
             const int {}[job_t][step_t] = {};\n\
             const int DURATION[job_t][step_t] = {};\n{}\n\
             process Job(const job_t id) {{\n    clock x;\n{}    state\n        {},\n        done;\n    \
             init wait0;\n    trans\n        {};\n}}\n\nsystem Job;\n",
            self.summary,
            jobs - 1,
            count - 1,
            self.machines,
            table(&by_operation(|operation| operation.machine as u32)),
            table(&by_operation(|operation| operation.length)),
            self.declarations,
            self.locals,
            locations.join(",\n        "),
            edges.join(",\n        "),
        )
    }
}

/// The model with the query whether all jobs can be finished.
fn generated(model: String) -> Generated {
    Generated { model, queries: vec!["E<> forall (i : job_t) Job(i).done".to_owned()] }
}

fn list(values: &[u32]) -> String {
    let values: Vec<String> = values.iter().map(u32::to_string).collect();
    format!("{{ {} }}", values.join(", "))
}

fn table(rows: &[Vec<u32>]) -> String {
    let rows: Vec<String> = rows.iter().map(|row| list(row)).collect();
    format!("{{ {} }}", rows.join(", "))
}
