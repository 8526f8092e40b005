//! Asking, with the progress shown.

use crate::console::Console;
use crate::interrupt::Interrupt;
use crate::progress_line::ProgressLine;
use std::io::Write;
use zonaut_engine::{Answer, Evidence, Exploration, QueryId, Session, VerifyOptions};

/// What is asked, how, and what may end it.
#[derive(Clone, Copy)]
pub struct Asking<'a> {
    /// The model.
    pub session: &'a Session,
    /// How to answer.
    pub options: &'a VerifyOptions,
    /// The signals.
    pub interrupt: &'a Interrupt,
}

impl Asking<'_> {
    /// Answers a query, gives the evidence that is wanted, and shows how the search goes on.
    pub fn answer(
        &self,
        query: QueryId,
        evidence: Evidence<'_>,
        console: &mut Console<'_>,
    ) -> Answer {
        let title = &self.session.model().queries[query].text;
        let mut line = ProgressLine::new(title, self.interrupt);
        let mut listener = |now: &_, elapsed| line.update(now, elapsed, console);
        let certificate = evidence.certificate.map(|out| out as &mut dyn Write);
        let closing = evidence.closing;
        let evidence = Evidence { listener: Some(&mut listener), certificate, closing };
        self.session.verify_with_certificate(query, self.options, evidence)
    }

    /// Explores everything, and shows how that goes on.
    pub fn explore(&self, console: &mut Console<'_>) -> Exploration {
        let mut line = ProgressLine::new("", self.interrupt);
        let mut listener = |now: &_, elapsed| line.update(now, elapsed, console);
        self.session.explore(self.options, Some(&mut listener))
    }
}
