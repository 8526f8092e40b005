//! Job shops: jobs with sequences of operations on machines, from files in the common text format.
//!
//! The first line that is not a comment has the numbers of jobs and machines. A line for each job
//! follows with its operations in order: a machine, counted from 0, and a duration.

use std::fmt;

use crate::family::Generated;

/// The most operations of a shop.
const MOST_OPERATIONS: usize = 100_000;

/// An operation of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// The machine that it needs, counted from 0.
    pub machine: usize,
    /// The duration.
    pub length: u32,
}

/// A job shop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobShop {
    /// The number of machines.
    pub machines: usize,
    /// The operations of each job, in order.
    pub jobs: Vec<Vec<Operation>>,
}

/// The reason why a text is not a job shop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobShopError {
    /// The line, counted from 1.
    pub line: usize,
    /// The problem.
    pub problem: &'static str,
}

impl fmt::Display for JobShopError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

impl std::error::Error for JobShopError {}

impl JobShop {
    /// Reads a shop. Lines that begin with `#` and empty lines are ignored.
    ///
    /// # Errors
    /// The first line that violates the format.
    pub fn read(text: &str) -> Result<Self, JobShopError> {
        let error = |line: usize, problem| JobShopError { line, problem };
        let is_content = |(_, line): &(usize, &str)| !line.is_empty() && !line.starts_with('#');
        let lines = text.lines().enumerate().map(|(n, line)| (n + 1, line.trim()));
        let mut lines = lines.filter(is_content);
        let (first, sizes) = lines
            .next()
            .ok_or(error(1, "there is no line with the numbers of jobs and machines"))?;
        let (jobs, machines) = match numbers(sizes).as_deref() {
            Some(&[jobs, machines]) if jobs > 0 && machines > 0 => (jobs, machines),
            _ => return Err(error(first, "this should be the numbers of jobs and machines")),
        };
        if jobs.saturating_mul(machines) > MOST_OPERATIONS as u64 {
            return Err(error(first, "the shop is too large"));
        }
        let mut shop = Self { machines: machines as usize, jobs: Vec::new() };
        let mut last = first;
        for (line, text) in lines.by_ref().take(jobs as usize) {
            let job = numbers(text).ok_or(error(line, "this should be natural numbers"))?;
            shop.jobs.push(operations(&job, machines).map_err(|problem| error(line, problem))?);
            last = line;
        }
        match (shop.jobs.len() as u64 == jobs, lines.next()) {
            (false, _) => Err(error(last, "there are fewer jobs than announced")),
            (true, Some((line, _))) => Err(error(line, "there are more jobs than announced")),
            (true, None) => Ok(shop),
        }
    }

    /// The model: a process for each job with a waiting and a working location for each operation,
    /// a flag for each machine, and the query whether all jobs can be finished.
    #[must_use]
    pub fn generate(&self) -> Generated {
        let (jobs, machines) = (self.jobs.len(), self.machines);
        let mut model = format!(
            "// A job shop with {jobs} jobs and {machines} machines. `zonaut optimize` computes \
             the\n// minimal makespan.\n\nbool busy[{machines}];\n"
        );
        for (number, operations) in self.jobs.iter().enumerate() {
            model.push_str(&process(number, operations));
        }
        let names: Vec<String> = (0..jobs).map(|number| format!("Job{number}")).collect();
        model.push_str(&format!("\nsystem {};\n", names.join(", ")));
        let done: Vec<String> = names.iter().map(|name| format!("{name}.done")).collect();
        Generated { model, queries: vec![format!("E<> {}", done.join(" && "))] }
    }
}

fn numbers(line: &str) -> Option<Vec<u64>> {
    line.split_whitespace().map(|word| word.parse().ok()).collect()
}

fn operations(numbers: &[u64], machines: u64) -> Result<Vec<Operation>, &'static str> {
    let (pairs, rest) = numbers.as_chunks::<2>();
    if !rest.is_empty() || pairs.is_empty() {
        return Err("this should be pairs of a machine and a time");
    }
    let operation = |&[machine, length]: &[u64; 2]| match u32::try_from(length) {
        _ if machine >= machines => Err("there is no machine of this number"),
        Ok(length) if length < 1 << 24 => Ok(Operation { machine: machine as usize, length }),
        _ => Err("a time is too long"),
    };
    pairs.iter().map(operation).collect()
}

/// The process of a job.
fn process(number: usize, operations: &[Operation]) -> String {
    let mut locations = Vec::new();
    let mut edges = Vec::new();
    for (step, &Operation { machine, length }) in operations.iter().enumerate() {
        let next = match step + 1 == operations.len() {
            true => "done".to_owned(),
            false => format!("wait{}", step + 1),
        };
        locations.push(format!("wait{step}, work{step} {{ x <= {length} }}"));
        edges.push(format!(
            "wait{step} -> work{step} {{ guard !busy[{machine}]; assign busy[{machine}] = true, \
             x = 0; }},\n        work{step} -> {next} {{ guard x >= {length}; assign \
             busy[{machine}] = false; }}"
        ));
    }
    format!(
        "\nprocess Job{number}() {{\n    clock x;\n    state {}, done;\n    init wait0;\n    trans\n        {};\n}}\n",
        locations.join(", "),
        edges.join(",\n        ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_format_is_read() {
        let shop = JobShop::read("# two jobs\n\n 2 2\n0 3 1 2\n1 4 0 1\n").expect("a shop");
        let operation = |machine, length| Operation { machine, length };
        let jobs =
            vec![vec![operation(0, 3), operation(1, 2)], vec![operation(1, 4), operation(0, 1)]];
        assert_eq!(shop, JobShop { machines: 2, jobs });
        let generated = shop.generate();
        assert!(generated.model.contains("work1 { x <= 2 }"));
        assert_eq!(generated.queries, ["E<> Job0.done && Job1.done"]);
    }

    #[test]
    fn errors_have_line_numbers() {
        let line = |text| JobShop::read(text).map_err(|error| error.line);
        assert_eq!(line(""), Err(1));
        assert_eq!(line("2 x\n"), Err(1));
        assert_eq!(line("1 1\n0 -3\n"), Err(2));
        assert_eq!(line("1 1\n1 3\n"), Err(2));
        assert_eq!(line("1 1\n0 3 0\n"), Err(2));
        assert_eq!(line("2 1\n0 3\n"), Err(2));
        assert_eq!(line("1 1\n0 3\n# more\n0 4\n"), Err(4));
        assert_eq!(line("99999999999 99999999999\n"), Err(1));
        assert_eq!(line("1 1\n0 99999999999\n"), Err(2));
    }
}
