//! `zonaut draw`: pictures of automata and of traces.

use crate::arguments::definition;
use crate::explain::read_trace;
use crate::limits::LimitArguments;
use crate::loading::{read, with_problems_shown};
use clap::Args;
use std::io;
use std::path::{Path, PathBuf};
use zonaut_console::{Console, Status, one_line, wants_old_syntax, write_file};
use zonaut_draw::{Picture, draw_document, draw_film, draw_frame};
use zonaut_engine::{DelayChoice, QuerySource, RecordedRun, Session, Trace};
use zonaut_report::film_of;

/// Draw a model, or a trace step by step, as SVG, PDF or TikZ.
///
/// With a trace, an SVG picture is animated: each step is shown for two seconds, with the current
/// locations and the edges taken. `--step` draws one state instead, in any format.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut draw train-gate.xml train-gate.pdf
  zonaut verify fischer.xta -q 'E<> P(1).critical' --trace --json > run.json
  zonaut draw fischer.xta run.svg --trace run.json
  zonaut draw fischer.xta step3.tex --trace run.json --step 3")]
pub(crate) struct DrawArguments {
    /// The model, in XML or XTA.
    model: PathBuf,
    /// The file to write: .svg, .pdf, or .tex for TikZ.
    output: PathBuf,
    /// Draw this trace: JSON, or UPPAAL's XML or .xtr.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Draw the state after this many steps of the trace only.
    #[arg(long, value_name = "NUMBER", requires = "trace")]
    step: Option<usize>,
    /// Replace the value of a constant of the model, as in `N=5`.
    #[arg(long, short = 'D', value_name = "NAME=VALUE", value_parser = definition)]
    define: Vec<(String, i64)>,
    #[command(flatten)]
    limits: LimitArguments,
}

/// A format of pictures.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PictureFormat {
    Svg,
    Pdf,
    Tikz,
}

impl PictureFormat {
    /// The format of a file, by its extension.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "svg" => Some(Self::Svg),
            "pdf" => Some(Self::Pdf),
            "tex" | "tikz" => Some(Self::Tikz),
            _ => None,
        }
    }

    /// The content of a file with this picture.
    pub(crate) fn print(self, picture: &Picture) -> String {
        match self {
            Self::Svg => picture.standalone(),
            Self::Pdf => picture.pdf(),
            Self::Tikz => picture.tikz(),
        }
    }
}

pub(crate) fn run(arguments: &DrawArguments, console: &mut Console<'_>) -> io::Result<Status> {
    let Some(format) = PictureFormat::of(&arguments.output) else {
        let shown = one_line(&arguments.output.display().to_string());
        console.complain(&format!("error: `{shown}` does not name a format of pictures"));
        console.complain("  = help: the extensions are .svg, .pdf and .tex");
        return Ok(Status::WrongInput);
    };
    if arguments.trace.is_some() && arguments.step.is_none() && format != PictureFormat::Svg {
        console.complain("error: only SVG pictures are animated");
        console.complain("  = help: choose a state with `--step`, or write an .svg file");
        return Ok(Status::WrongInput);
    }
    let options = arguments.limits.options(arguments.define.clone(), wants_old_syntax());
    let loaded = read(&arguments.model, &QuerySource::WithModel, &options);
    let loaded = match with_problems_shown(loaded, console) {
        Ok(loaded) => loaded,
        Err(status) => return Ok(status),
    };
    let Some(session) = loaded.session() else { return Ok(Status::WrongInput) };
    let Some(file) = &arguments.trace else {
        let picture = draw_document(session.labels().document);
        return Ok(write_file(&arguments.output, &format.print(&picture), console));
    };
    let trace = match taken_again(&session, file, console) {
        Ok(trace) => trace,
        Err(status) => return Ok(status),
    };
    let film = film_of(session.labels(), &trace, &session.explained_steps(&trace));
    if let Some(step) = arguments.step.filter(|&step| step >= film.frames.len()) {
        let last = film.frames.len() - 1;
        console.complain(&format!("error: the trace has {last} steps, and none is number {step}"));
        return Ok(Status::WrongInput);
    }
    let picture = match arguments.step {
        Some(step) => draw_frame(&film, step),
        None => draw_film(&film),
    };
    Ok(write_file(&arguments.output, &format.print(&picture), console))
}

/// The run of a trace file in the model.
fn taken_again(session: &Session, file: &Path, console: &mut Console<'_>) -> Result<Trace, Status> {
    let text = read_trace(file, console)?;
    let problem = |why: &str, console: &mut Console<'_>| {
        let shown = one_line(&file.display().to_string());
        console.complain(&format!("error: `{shown}` cannot be drawn: {}", one_line(why)));
        Status::WrongInput
    };
    let recorded = match RecordedRun::read(&text, session.model()) {
        Ok(recorded) => recorded,
        Err(why) => return Err(problem(&why, console)),
    };
    let Ok(mut simulator) = session.simulator() else {
        return Err(problem("the model has no initial state that can be explored", console));
    };
    let followed = simulator.follow(&recorded);
    if let Some(why) = followed.obstacle {
        let step = followed.path.len() + 1;
        return Err(problem(&format!("step {step} is not possible: {why}"), console));
    }
    let timed = simulator.trace_staying(&followed.delays);
    let timed = timed.or_else(|| simulator.trace_choosing(DelayChoice::Earliest));
    timed.ok_or_else(|| problem("no run has this path", console))
}
