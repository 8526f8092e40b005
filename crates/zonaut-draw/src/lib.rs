//! Drawings of models and of their runs, as SVG, PDF and TikZ.
//!
//! Automata are drawn as their authors drew them, or laid out automatically if there is no drawing
//! ([`draw_template`], [`draw_document`]), and automatic layouts can be written into the model
//! ([`lay_out`]); runs as animated automata ([`draw_film`]), as sequence charts ([`draw_sequence`]),
//! as Gantt charts of locations ([`draw_gantt`]) and as curves of clocks and variables over exact time
//! ([`draw_clocks`], [`draw_variables`]); zones as areas ([`draw_zone`]); explored states as a
//! graph ([`draw_states`]); samples of random runs as histograms, curves and trajectories
//! ([`draw_histogram`], [`draw_band`], [`draw_trajectories`]). One renderer serves the command line, the report and the explorer: the
//! crate reads and writes no files.
//!
//! Invariants: a picture is well-formed for any names in the model, needs no external font, script
//! or file, and follows the viewer's preference of light or dark.
//!
//! ```
//! use zonaut_base::{SourceFile, SourceMap};
//! use zonaut_syntax::{ParseOptions, parse_model};
//!
//! let text = "process P() { state a, b; init a; trans a -> b { guard 1 < 2; }; } system P;";
//! let mut sources = SourceMap::default();
//! let file = sources.add(SourceFile::new("p.xta", text));
//! let (document, _) = parse_model(&mut sources, file, &ParseOptions::default());
//! let picture = zonaut_draw::draw_document(&document).standalone();
//! assert!(picture.contains(">1 &lt; 2</text>"));
//! ```

mod automaton;
mod axis;
mod curves;
mod diagram;
#[cfg(feature = "faults")]
pub mod faults;
mod film;
mod gantt;
mod geometry;
mod graphviz;
mod lanes;
mod layered;
mod layout;
mod multiples;
mod pdf;
mod picture;
mod placed;
mod plots;
mod polygon;
mod sequence;
mod settled;
mod shapes;
mod sheet;
mod state_graph;
mod text;
mod tikz;
mod written;
mod zone;

pub use automaton::{draw_document, draw_template};
pub use curves::{Curve, draw_curves};
pub use film::{Film, FilmEdge, FilmFrame, FilmRole, draw_film, draw_frame};
pub use gantt::{draw_gantt, draw_locations_by_step};
pub use graphviz::print_dot;
pub use lanes::{draw_clocks, draw_variables};
pub use layout::lay_out;
pub use multiples::draw_multiples;
pub use picture::{Picture, STYLE};
pub use plots::{
    BandPoint, Histogram, Trajectories, draw_band, draw_histogram, draw_trajectories, stack,
};
pub use sequence::draw_sequence;
pub use state_graph::{StateArc, StateGraphView, StateNode, draw_states};
pub use text::escaped;
pub use zone::{ZoneView, draw_zone};
