//! Fault injection: every check of pictures detects its fault.

mod support;

use support::{
    CROWDED, HOSTILE, document, drawing_flaws, flaw_of_states, models, overlap_in, random_model,
    run, states,
};
use zonaut_dbm::{Bound, Row, Wide, Zone};
use zonaut_draw::faults::{Fault, select};
use zonaut_draw::{ZoneView, draw_gantt, draw_zone};
use zonaut_trace::Chart;

fn is_apart_when_laid_out() -> bool {
    models().iter().all(|(_, document)| overlap_in(document) == Ok(None))
}

fn is_apart_when_written() -> bool {
    overlap_in(&document("crowded.xml", CROWDED)) == Ok(None)
}

fn is_escaped() -> bool {
    let trace = run([HOSTILE[0], HOSTILE[1]], 1);
    let svg = draw_gantt(&trace, &Chart::of_locations(&trace)).standalone();
    roxmltree::Document::parse(&svg).is_ok() && !svg.contains("<script")
}

fn has_no_flaws(text: &str) -> bool {
    let document = document("random.xml", text);
    document.templates.iter().all(|template| drawing_flaws(&document, template).1.is_empty())
}

fn has_dashes() -> bool {
    let mut zone: Zone<Wide> = Zone::universe(3);
    zone.constrain(Row(1), Row::ZERO, Bound::lt(5)).expect("a zone");
    let clocks = [(Row(1), "x"), (Row(2), "y")];
    let view = ZoneView { zone: &zone, leaving: None, clocks, stay: [[0.0; 2]; 2] };
    draw_zone(&view).standalone().contains("class=\"side strict\"")
}

#[test]
fn every_fault_is_detected() {
    let check = |fault: Fault| match fault {
        Fault::StrictSidesSolid => has_dashes(),
        Fault::RoomForgotten => is_apart_when_laid_out(),
        Fault::LabelsNotSettled => is_apart_when_written(),
        Fault::MarkupKept => is_escaped(),
        Fault::TipsDegenerate => has_no_flaws(&random_model(3, None)),
        Fault::LinesNotBent => (0..40).all(|seed| has_no_flaws(&random_model(seed, Some(160)))),
        Fault::BandsForgotten | Fault::CoveredSolid | Fault::TreeTurned => {
            flaw_of_states(&states(40, 3)).is_none()
        }
    };
    for &fault in Fault::ALL {
        assert!(check(fault), "{fault:?} without it");
        select(Some(fault));
        let is_well = check(fault);
        select(None);
        assert!(!is_well, "{fault:?} is not noticed");
    }
}
