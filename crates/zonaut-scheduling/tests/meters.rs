//! The preparation of a search over points counts on the meter of its caller, and ends when the
//! meter stops.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use zonaut_base::{Id, Meter};
use zonaut_cost::{CostOrder, Costing, Failure, OptimizationOutcome};
use zonaut_families::{JobShop, Operation};
use zonaut_model::{Model, QueryId, QueryKind};
use zonaut_oracle::front_end::model_of;
use zonaut_scheduling::{Beams, ScheduleSearch, TaskHeuristic};
use zonaut_space::StopReason;

/// A shop in which every job needs every machine.
fn shop(size: usize) -> Model {
    let operation = |machine| Operation { machine, length: 1 };
    let jobs = (0..size).map(|_| (0..size).map(operation).collect()).collect();
    let generated = JobShop { machines: size, jobs }.generate();
    model_of(&generated.model, &[&generated.queries[0]]).expect("a correct model").0
}

#[test]
fn a_meter_stops_the_analysis_of_tasks_and_the_search() {
    let model = shop(8);
    let QueryKind::Possibly(goal) = &model.queries[QueryId::from_index(0)].kind else {
        unreachable!("a goal to reach")
    };
    let is_over = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&is_over);
    let meter = Meter::new(move |_| asked.load(Ordering::Relaxed).then_some(StopReason::TimeLimit));
    let points = ScheduleSearch::new(&model, goal, Costing::TIME, &meter).expect("in time");
    let points = points.unwrap_or_else(|why| unreachable!("{}", why.0));
    // 128 edges are compared with each other.
    assert!(meter.spent() > 16_000, "{}", meter.spent());
    is_over.store(true, Ordering::Relaxed);
    assert_eq!(meter.poll(0), Err(StopReason::TimeLimit));
    let stopped = OptimizationOutcome::Stopped(StopReason::TimeLimit);
    let found = points.optimise(CostOrder::LeastTotal, TaskHeuristic::Automatic, &mut ());
    assert_eq!((found.ending, found.statistics.explored), (stopped.clone(), 0));
    let found = points.schedule(Beams::default(), &mut ());
    assert_eq!((found.ending, found.statistics.explored), (stopped, 0));
    let again = ScheduleSearch::new(&model, goal, Costing::TIME, &meter);
    assert_eq!(again.err(), Some(Failure::Stopped(StopReason::TimeLimit)));
}
