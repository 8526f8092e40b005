//! Fault injection: the comparison with the interpreter detects faults in domains.

use crate::concrete::Sets;
use crate::program::{Program, Random};
use crate::values::{BySets, Seen, Stands, counterexample};
use zonaut_analysis::interval::{Declared, Intervals};
use zonaut_analysis::{Applied, Domain, Limited, Overlay, Truth};
use zonaut_model::interval::Interval;
use zonaut_model::{
    BinaryOperator, CLOCK_LIMIT, LocationId, ProcessId, Range, Storage, UnaryOperator,
};

/// A fault of a domain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    /// A join of two branches keeps only one.
    JoinForgets,
    /// A weak update is treated as a strong one.
    StrongUpdate,
    /// Stored values are not compared with the range.
    NoRangeCheck,
    /// Widening drops the memory before the loop.
    WidenForgets,
    /// The join of memories after an undecided condition keeps only one branch.
    MemoryForgets,
    /// Division by zero is not reported.
    NoDivision,
    /// A condition that may fail is treated as true.
    Optimism,
    /// The limit of clock values is not checked.
    NoClockLimit,
    /// A comparison that holds is treated as a strict one.
    Strictness,
}

const FAULTS: [Fault; 9] = [
    Fault::JoinForgets,
    Fault::StrongUpdate,
    Fault::NoRangeCheck,
    Fault::WidenForgets,
    Fault::MemoryForgets,
    Fault::NoDivision,
    Fault::Optimism,
    Fault::NoClockLimit,
    Fault::Strictness,
];

struct Faulty<'m> {
    inner: Intervals<'m, BySets<'m>>,
    fault: Fault,
}

impl Stands for Faulty<'_> {}

impl Domain for Faulty<'_> {
    type Value = Interval;
    type Memory = Overlay<Interval>;
    type Scope = ();
    const LEARNS: bool = true;

    fn constant(&mut self, value: i32) -> Interval {
        self.inner.constant(value)
    }
    fn between(&mut self, low: i32, high: i32) -> Option<Interval> {
        self.inner.between(low, high)
    }
    fn unary(&mut self, operator: UnaryOperator, operand: &Interval) -> Applied<Interval> {
        self.inner.unary(operator, operand)
    }
    fn binary(&mut self, o: BinaryOperator, l: &Interval, r: &Interval) -> Applied<Interval> {
        let mut applied = self.inner.binary(o, l, r);
        if self.fault == Fault::NoDivision && o == BinaryOperator::Divide {
            applied.failures = zonaut_analysis::FailureKinds::NONE;
        }
        applied
    }
    fn sum(&mut self, value: &Interval, count: u64) -> Applied<Interval> {
        self.inner.sum(value, count)
    }
    fn truth(&self, value: &Interval) -> Truth {
        match self.inner.truth(value) {
            Truth::Either if self.fault == Fault::Optimism => Truth::Holds,
            truth => truth,
        }
    }
    fn limit(&mut self, value: &Interval, range: Range) -> Limited<Interval> {
        let limited = self.inner.limit(value, range);
        let is_forgotten = match self.fault {
            Fault::NoRangeCheck => true,
            Fault::NoClockLimit => range.high == CLOCK_LIMIT,
            _ => false,
        };
        let may_exceed = limited.may_exceed && !is_forgotten;
        Limited { may_exceed, ..limited }
    }
    fn span(&self, value: &Interval) -> (i32, i32) {
        self.inner.span(value)
    }
    fn join(&mut self, one: Interval, other: Interval) -> Interval {
        if self.fault == Fault::JoinForgets { one } else { self.inner.join(one, other) }
    }
    fn load(&mut self, memory: &Overlay<Interval>, address: Storage) -> Option<Interval> {
        self.inner.load(memory, address)
    }
    fn store(&mut self, memory: &mut Overlay<Interval>, address: Storage, value: Interval) {
        self.inner.store(memory, address, value);
    }
    fn store_perhaps(&mut self, memory: &mut Overlay<Interval>, address: Storage, value: Interval) {
        if self.fault == Fault::StrongUpdate {
            self.inner.store(memory, address, value);
        } else {
            self.inner.store_perhaps(memory, address, value);
        }
    }
    fn restrict(
        &mut self,
        memory: &mut Overlay<Interval>,
        address: Storage,
        operator: BinaryOperator,
        other: &Interval,
    ) -> Option<()> {
        let operator = match operator {
            BinaryOperator::LessEqual if self.fault == Fault::Strictness => BinaryOperator::Less,
            operator => operator,
        };
        self.inner.restrict(memory, address, operator, other)
    }
    fn at(&mut self, process: ProcessId, location: LocationId) -> Option<Interval> {
        self.inner.at(process, location)
    }
    fn join_memory(&mut self, into: &mut Overlay<Interval>, other: Overlay<Interval>) {
        if self.fault != Fault::MemoryForgets {
            self.inner.join_memory(into, other);
        }
    }
    fn widen(&mut self, before: &Overlay<Interval>, after: &mut Overlay<Interval>) -> bool {
        if self.fault == Fault::WidenForgets {
            return false;
        }
        self.inner.widen(before, after)
    }
    fn scope(&self, _memory: &Overlay<Interval>) {}
    fn unrolling(&self) -> u32 {
        self.inner.unrolling()
    }
    fn patience(&self) -> u64 {
        self.inner.patience()
    }
}

#[test]
fn every_fault_is_detected() {
    for fault in FAULTS {
        let is_noticed = (0..4000).any(|seed| {
            let mut program = Program::new(seed);
            let id = program.expression(3);
            let model = &program.model;
            let sets = Sets::random(model, &mut Random(seed ^ 0xabcd), true);
            let contents = BySets { declared: Declared(model), sets: sets.clone() };
            let domain = Faulty { inner: Intervals::new(model, contents), fault };
            let seen = &mut Seen::default();
            counterexample(model, &sets, domain, Overlay::default(), id, seen).is_some()
        });
        assert!(is_noticed, "{fault:?}");
    }
}
