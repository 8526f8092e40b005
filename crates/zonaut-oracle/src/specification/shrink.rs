//! Shrinking: reduces a specification while it still fails.

use super::{
    ChannelPriority, Comparison, EdgeSpecification, LocationSpecification, Specification, Update,
    Value,
};
use zonaut_model::LocationKind;

/// A specification, reached from `specification` by single cuts, that still `fails` and none of
/// whose cuts does. `specification` must fail.
pub fn shrink(
    specification: Specification,
    mut fails: impl FnMut(&Specification) -> bool,
) -> Specification {
    let mut smallest = specification;
    while let Some(smaller) = cuts(&smallest).into_iter().find(|candidate| fails(candidate)) {
        smallest = smaller;
    }
    smallest
}

/// All results of a single cut, the largest cuts first. Each is smaller: it has fewer parts, or a
/// smaller constant.
fn cuts(whole: &Specification) -> Vec<Specification> {
    let mut cuts = Vec::new();
    let mut offer = |change: &dyn Fn(&mut Specification)| {
        let mut candidate = whole.clone();
        change(&mut candidate);
        if candidate != *whole {
            cuts.push(candidate);
        }
    };
    if whole.processes.len() > 1 {
        (0..whole.processes.len()).for_each(|p| offer(&|s| drop_process(s, p)));
    }
    for p in 0..whole.processes.len() {
        for e in 0..whole.processes[p].edges.len() {
            offer(&|s| drop(s.processes[p].edges.remove(e)));
        }
    }
    for p in 0..whole.processes.len() {
        for l in 1..whole.processes[p].locations.len() {
            offer(&|s| drop_location(s, p, l));
        }
        for e in 0..whole.processes[p].edges.len() {
            offer(&|s| contract(s, p, e));
        }
        for l in 0..whole.processes[p].locations.len() {
            cut_location(&whole.processes[p].locations[l], &mut |change| {
                offer(&|s| change(&mut s.processes[p].locations[l]));
            });
        }
        for e in 0..whole.processes[p].edges.len() {
            cut_edge(&whole.processes[p].edges[e], &mut |change| {
                offer(&|s| change(&mut s.processes[p].edges[e]));
            });
        }
    }
    cut_query(whole, &mut offer);
    cut_declarations(whole, &mut offer);
    cut_constants(whole, &mut offer);
    cuts
}

type Offer<'o, T> = &'o mut dyn FnMut(&dyn Fn(&mut T));

fn cut_location(location: &LocationSpecification, offer: Offer<'_, LocationSpecification>) {
    offer(&|l| l.kind = LocationKind::Ordinary);
    offer(&|l| l.data = None);
    for atom in 0..location.invariant.len() {
        offer(&|l| drop(l.invariant.remove(atom)));
    }
}

fn cut_edge(edge: &EdgeSpecification, offer: Offer<'_, EdgeSpecification>) {
    offer(&|e| e.synchronisation = None);
    offer(&|e| e.data = None);
    offer(&|e| e.select = None);
    offer(&|e| e.target = e.target.min(e.source));
    for atom in 0..edge.guard.len() {
        offer(&|e| drop(e.guard.remove(atom)));
    }
    for update in 0..edge.updates.len() {
        offer(&|e| drop(e.updates.remove(update)));
        offer(&|e| {
            if let Update::Copy(to, _) = e.updates[update] {
                e.updates[update] = Update::Reset(to, Value::Constant(0));
            }
        });
    }
}

fn cut_query(whole: &Specification, offer: Offer<'_, Specification>) {
    offer(&|s| s.query.possibly = true);
    offer(&|s| s.query.data = None);
    for atom in 0..whole.query.atoms.len() {
        offer(&|s| drop(s.query.atoms.remove(atom)));
    }
    for location in 0..whole.query.locations.len() {
        offer(&|s| {
            s.query.locations.remove(location);
        });
    }
    for location in 0..whole.query.elsewhere.len() {
        offer(&|s| {
            s.query.elsewhere.remove(location);
        });
    }
    offer(&|s| s.query.alternative = None);
    offer(&|s| s.query.deadlock = None);
}

fn cut_declarations(whole: &Specification, offer: Offer<'_, Specification>) {
    for c in 0..whole.channels.len() {
        offer(&|s| s.channels[c].urgent = false);
        offer(&|s| s.channels[c].broadcast = false);
        offer(&|s| s.channels[c].priority = ChannelPriority::Same);
        offer(&|s| drop_channel(s, c));
    }
    for p in 0..whole.processes.len() {
        offer(&|s| s.processes[p].rises = false);
    }
    for c in 0..whole.clocks.len() {
        offer(&|s| drop_clock(s, c));
    }
    for v in 0..whole.variables.len() {
        offer(&|s| drop_variable(s, v));
        offer(&|s| s.variables[v].initial = 0);
        offer(&|s| s.variables[v].meta = false);
    }
}

/// Replaces each number by 0, by half of it, and by one less.
fn cut_constants(whole: &Specification, offer: Offer<'_, Specification>) {
    let mut count = 0;
    let mut counted = whole.clone();
    for_each_value_mut(&mut counted, &mut |_| count += 1);
    let smaller: [fn(i32) -> i32; 3] = [|_| 0, |c| c / 2, |c| c - c.signum()];
    for position in 0..count {
        for smaller in smaller {
            offer(&|s| {
                let mut now = 0;
                for_each_value_mut(s, &mut |value| {
                    if now == position {
                        *value = Value::Constant(match value {
                            Value::Constant(number) => smaller(*number),
                            _ => smaller(3),
                        });
                    }
                    now += 1;
                });
            });
        }
    }
}

fn for_each_value_mut(specification: &mut Specification, visit: &mut dyn FnMut(&mut Value)) {
    specification.for_each_atom_mut(&mut |atom| visit(&mut atom.bound));
    specification.for_each_update_mut(&mut |update| match update {
        Update::Set(_, value) | Update::Reset(_, value) => visit(value),
        Update::SetElement(index, value) => {
            visit(index);
            visit(value);
        }
        Update::Copy(..) => {}
    });
    let mut compare = |data: &mut Comparison| {
        visit(&mut data.left);
        visit(&mut data.right);
    };
    for process in &mut specification.processes {
        process.locations.iter_mut().filter_map(|l| l.data.as_mut()).for_each(&mut compare);
        process.edges.iter_mut().filter_map(|e| e.data.as_mut()).for_each(&mut compare);
    }
    specification.query.data.iter_mut().for_each(compare);
}

fn drop_process(s: &mut Specification, dropped: usize) {
    s.processes.remove(dropped);
    let shift = |p: &mut usize| *p -= usize::from(*p > dropped);
    s.query.retain_locations(|(p, _)| *p != dropped);
    s.query.for_each_location_mut(&mut |(p, _)| shift(p));
    for clock in &mut s.clocks {
        if clock.owner == Some(dropped) {
            clock.owner = None;
        }
        clock.owner.iter_mut().for_each(shift);
    }
}

/// Removes a location with its edges.
fn drop_location(s: &mut Specification, process: usize, dropped: usize) {
    let shift = |l: &mut usize| *l -= usize::from(*l > dropped);
    s.query.retain_locations(|&place| place != (process, dropped));
    s.query.for_each_location_mut(&mut |(p, l)| {
        if *p == process {
            shift(l);
        }
    });
    let process = &mut s.processes[process];
    process.locations.remove(dropped);
    process.edges.retain(|edge| edge.source != dropped && edge.target != dropped);
    for edge in &mut process.edges {
        shift(&mut edge.source);
        shift(&mut edge.target);
    }
}

/// Merges the ends of an edge into the earlier location, and removes the edge.
fn contract(s: &mut Specification, process: usize, edge: usize) {
    let edge = s.processes[process].edges.remove(edge);
    let (kept, dropped) = (edge.source.min(edge.target), edge.source.max(edge.target));
    if kept == dropped {
        return;
    }
    let rename = |l: &mut usize| {
        if *l == dropped {
            *l = kept;
        }
    };
    s.query.for_each_location_mut(&mut |(p, l)| {
        if *p == process {
            rename(l);
        }
    });
    for edge in &mut s.processes[process].edges {
        rename(&mut edge.source);
        rename(&mut edge.target);
    }
    drop_location(s, process, dropped);
}

/// Removes a channel with the labels that name it.
fn drop_channel(s: &mut Specification, dropped: usize) {
    s.channels.remove(dropped);
    for edge in s.processes.iter_mut().flat_map(|process| &mut process.edges) {
        edge.synchronisation = edge.synchronisation.take().filter(|l| l.channel != dropped);
        if let Some(label) = &mut edge.synchronisation {
            label.channel -= usize::from(label.channel > dropped);
        }
    }
}

/// Removes a clock with the constraints and updates that name it.
fn drop_clock(s: &mut Specification, dropped: usize) {
    s.clocks.remove(dropped);
    let keeps = |atom: &super::Atom| atom.left != dropped && atom.right != Some(dropped);
    for process in &mut s.processes {
        process.locations.iter_mut().for_each(|location| location.invariant.retain(keeps));
        for edge in &mut process.edges {
            edge.guard.retain(keeps);
            edge.updates.retain(|update| match update {
                Update::Reset(clock, _) => *clock != dropped,
                Update::Copy(to, from) => *to != dropped && *from != dropped,
                Update::Set(..) | Update::SetElement(..) => true,
            });
        }
    }
    s.query.atoms.retain(keeps);
    let shift = |clock: &mut usize| *clock -= usize::from(*clock > dropped);
    s.for_each_atom_mut(&mut |atom| {
        shift(&mut atom.left);
        atom.right.iter_mut().for_each(shift);
    });
    s.for_each_update_mut(&mut |update| match update {
        Update::Reset(clock, _) => shift(clock),
        Update::Copy(to, from) => {
            shift(to);
            shift(from);
        }
        Update::Set(..) | Update::SetElement(..) => {}
    });
}

/// Removes the last variable, if nothing names it.
fn drop_variable(s: &mut Specification, dropped: usize) {
    let mut is_used = dropped + 1 != s.variables.len();
    s.for_each_value(&mut |value| is_used |= *value == Value::Variable(dropped));
    s.for_each_update_mut(&mut |update| {
        is_used |= matches!(update, Update::Set(variable, _) if *variable == dropped);
    });
    if !is_used {
        s.variables.pop();
    }
}
