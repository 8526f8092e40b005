//! Each stratum exercises its feature: without the feature, its answers differ.

use zonaut_base::Id;
use zonaut_model::{Direction, LocationKind, QueryId, Relation};
use zonaut_testkit::generate::{Stratum, generate_in};
use zonaut_testkit::oracle::{Limits, Verdict, region};
use zonaut_testkit::specification::{Atom, EdgeSpecification, Specification, Update, Value};

/// The number of actions to the goal, and whether an error comes before it.
fn outcome(specification: &Specification) -> Option<(Option<u32>, bool)> {
    let model = specification.to_model();
    match region(&model, &model.queries[QueryId::from_index(0)].kind, Limits::default()) {
        Verdict::Decided(answer) => Some((answer.goal, answer.failure.is_some())),
        Verdict::Refused(_) | Verdict::TooLarge => None,
    }
}

fn edges(specification: &mut Specification) -> impl Iterator<Item = &mut EdgeSpecification> {
    specification.processes.iter_mut().flat_map(|process| &mut process.edges)
}

fn atoms(specification: &mut Specification) -> impl Iterator<Item = &mut Vec<Atom>> {
    specification.processes.iter_mut().flat_map(|process| {
        let invariants = process.locations.iter_mut().map(|location| &mut location.invariant);
        invariants.chain(process.edges.iter_mut().map(|edge| &mut edge.guard))
    })
}

fn close(atom: &mut Atom) {
    atom.relation = match atom.relation {
        Relation::Less => Relation::LessEqual,
        Relation::Greater => Relation::GreaterEqual,
        other => other,
    };
}

fn without_feature(stratum: Stratum, specification: &mut Specification) {
    match stratum {
        Stratum::Closed | Stratum::Pattern => atoms(specification).for_each(Vec::clear),
        Stratum::Open => atoms(specification).flatten().for_each(close),
        Stratum::Updates => edges(specification).flat_map(|edge| &mut edge.updates).for_each(|u| {
            if let Update::Reset(clock, _) | Update::Copy(clock, _) = *u {
                *u = Update::Reset(clock, Value::Constant(0));
            }
        }),
        Stratum::Broadcast => {
            let channels = specification.channels.clone();
            for edge in edges(specification) {
                let Some(label) = &edge.synchronisation else { continue };
                if channels[label.channel].broadcast && label.direction == Direction::Receive {
                    edge.guard.clear();
                }
            }
        }
        Stratum::Committed => {
            let processes = specification.processes.iter_mut();
            let locations = processes.flat_map(|process| &mut process.locations);
            locations.for_each(|location| location.kind = LocationKind::Ordinary);
        }
        Stratum::UrgentChannels => {
            specification.channels.iter_mut().for_each(|channel| channel.urgent = false);
        }
        Stratum::Data => edges(specification).for_each(|edge| edge.data = None),
        Stratum::Diagonal => atoms(specification).for_each(|atoms| {
            atoms.retain(|atom| atom.right.is_none());
        }),
        Stratum::Language => edges(specification).for_each(|edge| {
            let is_array = |update: &Update| matches!(update, Update::SetElement(..));
            edge.updates.retain(|update| !is_array(update));
            edge.select = edge.select.map(|_| 0);
            if let Some(Some(index)) = edge.synchronisation.as_mut().map(|label| &mut label.index) {
                *index = Value::Constant(0);
            }
        }),
    }
}

#[test]
fn a_stratum_without_its_feature_has_other_answers() {
    for stratum in Stratum::ALL {
        let mut changed = 0;
        for seed in 0..300 {
            let specification = generate_in(stratum, seed);
            let mut other = specification.clone();
            without_feature(stratum, &mut other);
            changed += usize::from(outcome(&specification) != outcome(&other));
        }
        println!("{stratum:?}: {changed} of 300");
        assert!(changed >= 9, "{stratum:?}: {changed} of 300");
    }
}
