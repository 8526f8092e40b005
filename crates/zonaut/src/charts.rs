//! `--chart` and `--gantt`: traces as Gantt charts.

use crate::arguments::TRACES;
use crate::certified_answer::numbered;
use crate::draw::PictureFormat;
use crate::render::Renderer;
use clap::{Args, ValueEnum};
use std::io;
use std::path::{Path, PathBuf};
use zonaut_console::{Console, Status, write_file};
use zonaut_draw::draw_gantt;
use zonaut_engine::{Combination, QueryId, RunTimeError, Session, Severity, Trace};
use zonaut_trace::Chart;

/// The default width of a chart if the output is not a terminal.
const COLUMNS: usize = 100;

/// How runs are shown over time.
#[derive(Args, Debug)]
pub(crate) struct ChartArguments {
    /// Print the trace as a Gantt chart.
    #[arg(long, help_heading = TRACES)]
    pub(crate) chart: bool,
    /// The rows of Gantt charts; by default those of the model's gantt section, else processes.
    #[arg(long, value_enum, value_name = "WHAT", help_heading = TRACES)]
    pub(crate) rows: Option<RowsName>,
    /// Write the trace as a Gantt chart in SVG, PDF (.pdf) or TikZ (.tex).
    ///
    /// With several queries, file names are numbered.
    #[arg(long, value_name = "FILE", help_heading = TRACES)]
    pub(crate) gantt: Option<PathBuf>,
}

/// The rows of a chart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum RowsName {
    /// One row per process, with its locations.
    Process,
    /// One row per resource, with the process that holds it.
    Resource,
    /// The rows of the model's gantt section.
    Gantt,
}

/// The charts that a command produces.
pub(crate) struct Charts<'a> {
    pub(crate) session: &'a Session,
    pub(crate) arguments: &'a ChartArguments,
    /// The combination of cost rates, which determines resources.
    pub(crate) rates: Combination,
    /// Whether runs are schedules, of which only the tasks are shown.
    pub(crate) are_schedules: bool,
    /// Whether there are several queries, each with its own file.
    pub(crate) has_several: bool,
    /// Whether the output is JSON, which excludes charts on the terminal.
    pub(crate) is_for_programs: bool,
}

impl Charts<'_> {
    /// Whether a chart is requested.
    pub(crate) fn are_wanted(&self) -> bool {
        self.arguments.chart || self.arguments.gantt.is_some()
    }

    /// Whether the model supports the requested rows; reports an error if not.
    pub(crate) fn are_possible(&self, console: &mut Console<'_>) -> bool {
        let is_missing = self.session.model().chart.is_empty();
        if self.arguments.rows == Some(RowsName::Gantt) && is_missing {
            console.complain("error: the model has no gantt section with rows to show");
            console.complain("  = help: add one after the system line, or use --rows process");
            return false;
        }
        true
    }

    /// Prints the run of a query as a chart and writes it to a file, as requested, and warns about
    /// missing bars.
    pub(crate) fn give(
        &self,
        id: QueryId,
        trace: Option<&Trace>,
        console: &mut Console<'_>,
    ) -> io::Result<Status> {
        if !self.are_wanted() {
            return Ok(Status::Success);
        }
        let index = self.session.model().queries[id].index;
        let Some(trace) = trace else {
            console.complain(&format!("note: query {index} has no chart, because it has no run"));
            return Ok(Status::Success);
        };
        let (chart, failures) = self.chart(id, trace, console);
        if self.arguments.chart && !self.is_for_programs {
            chart.write_text(&mut *console.out, console.width.unwrap_or(COLUMNS))?;
            console.out.flush()?;
        }
        failures.iter().for_each(|failure| self.warn(failure, console));
        let write = |path: &Path, console: &mut Console<'_>| {
            let format = PictureFormat::of(path).unwrap_or(PictureFormat::Svg);
            write_file(path, &format.print(&draw_gantt(trace, &chart)), console)
        };
        Ok(match &self.arguments.gantt {
            None => Status::Success,
            Some(path) if self.has_several => write(&numbered(path, index), console),
            Some(path) => write(path, console),
        })
    }

    fn chart(
        &self,
        id: QueryId,
        trace: &Trace,
        console: &mut Console<'_>,
    ) -> (Chart, Vec<RunTimeError>) {
        let model = self.session.model();
        let usual = if model.chart.is_empty() { RowsName::Process } else { RowsName::Gantt };
        let chart = match self.arguments.rows.unwrap_or(usual) {
            RowsName::Process => self.by_process(trace),
            RowsName::Resource => {
                let resources = self.session.resources(id, self.rates);
                let held = resources.iter().map(|one| (one.name.as_str(), &one.held[..]));
                let chart = Chart::of_resources(model, trace, held);
                if chart.rows.is_empty() {
                    console.complain(
                        "note: no resource is recognised in this run, so the chart has a row for \
                         each process",
                    );
                    console.complain(
                        "  = help: a resource is a variable that one process at a time sets and \
                         resets, at fixed locations",
                    );
                    return (self.by_process(trace), Vec::new());
                }
                chart
            }
            RowsName::Gantt => return Chart::of_section(model, trace),
        };
        (chart, Vec::new())
    }

    /// The chart with a row for each process.
    fn by_process(&self, trace: &Trace) -> Chart {
        match self.are_schedules {
            true => Chart::of_work(self.session.model(), trace),
            false => Chart::of_locations(trace),
        }
    }

    /// Warns about missing bars.
    fn warn(&self, failure: &RunTimeError, console: &mut Console<'_>) {
        let mut diagnostic = self.session.diagnostic_of(failure);
        diagnostic.severity = Severity::Warning;
        diagnostic.message = format!("the chart is incomplete: {}", diagnostic.message);
        let renderer = Renderer { sources: self.session.sources(), colour: console.colour };
        console.complain(renderer.render(&diagnostic).trim_end_matches('\n'));
    }
}
