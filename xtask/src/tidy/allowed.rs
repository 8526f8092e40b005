//! The exceptions from the rules, each with its reason.

/// An exception from a rule.
#[derive(Debug)]
pub(super) struct Exception {
    /// The rule.
    pub(super) rule: &'static str,
    /// The file, from the root of the repository.
    pub(super) path: &'static str,
    /// The item inside the file, or nothing for the file itself.
    pub(super) item: &'static str,
    /// The justification.
    #[expect(dead_code, reason = "read by people, beside the exception it explains")]
    pub(super) reason: &'static str,
}

/// All exceptions.
pub(super) const EXCEPTIONS: &[Exception] = &[];

/// The exceptions of one run, and whether each was needed.
pub(super) struct Exceptions {
    list: &'static [Exception],
    is_used: Vec<bool>,
}

impl Exceptions {
    pub(super) fn new(list: &'static [Exception]) -> Self {
        Exceptions { list, is_used: vec![false; list.len()] }
    }

    /// Whether a finding is excused; marks the exception as used.
    pub(super) fn excuse(&mut self, rule: &str, path: &str, item: &str) -> bool {
        let position = self.list.iter().position(|exception| {
            exception.rule == rule && exception.path == path && exception.item == item
        });
        if let Some(position) = position {
            self.is_used[position] = true;
        }
        position.is_some()
    }

    /// One line for each unused exception.
    pub(super) fn unused(&self) -> Vec<String> {
        let unused = self.list.iter().zip(&self.is_used).filter(|(_, is_used)| !**is_used);
        unused
            .map(|(exception, _)| {
                let Exception { rule, path, .. } = exception;
                format!("{path}: the exception from rule `{rule}` is no longer needed")
            })
            .collect()
    }
}
