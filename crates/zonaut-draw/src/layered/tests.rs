use super::*;
use crate::diagram::{DiagramNode, Label, Shape};
use crate::geometry::Rect;
use proptest::prelude::*;
use zonaut_syntax::tree::{LabelKind, LocationKind};

fn label(kind: Option<LabelKind>, length: usize) -> Label {
    Label { kind, lines: vec!["m".repeat(length)] }
}

/// A diagram with these arcs, whose labels have these lengths.
fn diagram(nodes: usize, arcs: &[(usize, usize, usize)]) -> Diagram {
    let node = |number: usize| DiagramNode {
        shape: Shape::Location(LocationKind::Ordinary),
        labels: vec![label(None, number % 7 + 1)],
        colour: None,
    };
    let arc = |(edge, &(source, target, length)): (usize, &(usize, usize, usize))| Arc {
        source,
        target,
        edge,
        labels: (0..length % 4).map(|_| label(Some(LabelKind::Guard), length)).collect(),
        colour: None,
        controllable: true,
    };
    Diagram {
        nodes: (0..nodes).map(node).collect(),
        arcs: arcs.iter().enumerate().map(arc).collect(),
        initial: Some(0),
    }
}

/// Whether a line enters a rectangle, by sampling.
fn enters(route: &Route, area: Rect) -> bool {
    let is_inside =
        |p: Point| area.left < p.x && p.x < area.right && area.top < p.y && p.y < area.bottom;
    route.sampled().into_iter().any(is_inside)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_lies_over_anything_else(
        nodes in 1..12_usize,
        arcs in prop::collection::vec((0..12_usize, 0..12_usize, 0..30_usize), 0..30),
    ) {
        let arcs: Vec<_> = arcs.iter().map(|&(a, b, l)| (a % nodes, b % nodes, l)).collect();
        let diagram = diagram(nodes, &arcs);
        let placed = place(&diagram).expect("a small diagram");
        let texts = placed.texts().map(Text::area);
        let circles = placed.nodes.iter().map(|&at| Rect::around(at, 11.0));
        let areas: Vec<Rect> = texts.chain(circles).collect();
        for (position, area) in areas.iter().enumerate() {
            prop_assert!(area.left.is_finite() && area.top.is_finite());
            for other in &areas[..position] {
                prop_assert!(!area.overlaps(*other), "{area:?} {other:?}");
            }
        }
        for (arc, route) in diagram.arcs.iter().zip(&placed.routes) {
            let texts = areas.len() - nodes;
            for (number, area) in areas.iter().enumerate() {
                let node = number.checked_sub(texts);
                let is_own = node == Some(arc.source) || node == Some(arc.target);
                prop_assert!(is_own || !enters(route, *area), "{route:?} {area:?}");
            }
        }
    }

    #[test]
    fn arcs_join_the_borders_of_their_nodes(
        arcs in prop::collection::vec((0..6_usize, 0..6_usize, 0..9_usize), 0..14),
    ) {
        let diagram = diagram(6, &arcs);
        let placed = place(&diagram).expect("a small diagram");
        for (arc, route) in diagram.arcs.iter().zip(&placed.routes) {
            let (first, last) = (route.start, route.end());
            prop_assert!((first.distance(placed.nodes[arc.source]) - 11.0).abs() < 1e-6);
            prop_assert!((last.distance(placed.nodes[arc.target]) - 11.0).abs() < 1e-6);
        }
    }
}

#[test]
fn a_circle_is_drawn_downwards_with_one_arc_back() {
    let diagram = diagram(3, &[(0, 1, 5), (1, 2, 5), (2, 0, 5)]);
    let placed = place(&diagram).expect("a small diagram");
    assert!(placed.nodes.is_sorted_by(|a, b| a.y < b.y));
    let back = &placed.routes[2];
    assert!(back.start.y > back.end().y);
}

#[test]
fn many_labels_between_two_rows_take_several_rows() {
    let arcs: Vec<_> = (1..40).map(|target| (0, target, 27)).collect();
    let diagram = diagram(40, &arcs);
    let placed = place(&diagram).expect("a small diagram");
    let mut tops: Vec<i64> = placed.arc_texts.iter().map(|t| t[0].corner.y as i64).collect();
    tops.sort_unstable();
    tops.dedup();
    assert!(tops.len() > 4, "{tops:?}");
}

#[test]
fn too_large_diagrams_are_rejected_quickly() {
    let chain: Vec<_> = (0..3000).map(|node| (node, node + 1, 5)).collect();
    let jumps = (0..3000).map(|node| (0, node, 0));
    let diagram = diagram(3001, &chain.into_iter().chain(jumps).collect::<Vec<_>>());
    assert!(place(&diagram).is_none());
}
