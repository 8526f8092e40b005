//! Conflict-driven search for the orders in which locks are used.
//!
//! The certain uses of locks ([`Activity`]) are a relaxation of the model: in every run to the goal,
//! two uses of one lock exclude each other, uses of a process keep their distances, and heads and tails
//! are lower bounds. The search decides for each pair of uses of a lock which one comes first, until
//! the relaxation has a schedule that is over by a limit, or has none.
//!
//! # Propagation
//! Heads and tails grow along decided pairs, along processes, and by edge finding. A pair is decided
//! if one of its orders would be late, or by transitivity.
//!
//! # Learning
//! Every change is an *event* with the earlier events that imply it. A conflict is a set of events that
//! cannot occur together. Heads and tails are replaced by the events that imply them, and so are pairs
//! of the last decision level until one of them is left (the first unique implication point); the
//! remaining pairs cannot be decided so together, which is learnt as a clause (J. Marques-Silva, K.
//! Sakallah: "GRASP", DOI 10.1109/12.769433).
//!
//! *Claim.* A learnt clause holds in every schedule that is over by the limit. An event follows from
//! its antecedents and the limit alone, so by induction it follows from the pairs that replace it; a
//! conflict that follows from pairs excludes them together. A later limit is smaller, so the clause
//! stays valid. Events before the first decision hold in every schedule, and are left out.

use zonaut_cost::tasks::{Follows, Span};
use zonaut_space::StopReason;

use crate::edge_finding::{EdgeFinder, Overload, UseSet, Window};
use crate::propagation::{Activity, LARGEST};

/// No event.
const NONE: u32 = u32::MAX;

/// The most pairs of uses; larger problems are left to other searches.
const MOST_PAIRS: usize = 1 << 16;

/// The number of conflicts between two restarts, times Luby's sequence.
const RESTART: u64 = 128;

/// The number of conflicts between two calls of the observer.
const CONFLICTS_PER_POLL: u64 = 64;

/// The factor by which the weight of a conflict grows.
const GROWTH: f64 = 1.0 / 0.95;

/// The number of learnt clauses at which the first half of them is forgotten.
const FIRST_CLAUSES: usize = 4_000;

/// Two uses of one lock.
#[derive(Clone, Copy, Debug)]
struct Pair {
    first: u32,
    second: u32,
}

/// The role of a use in a pair.
#[derive(Clone, Copy, Debug)]
struct Rival {
    pair: u32,
    other: u32,
    is_first: bool,
}

/// An order of a pair: twice its number, plus one if the second use precedes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Order(u32);

impl Order {
    fn new(pair: u32, first_precedes: bool) -> Self {
        Self(2 * pair + u32::from(!first_precedes))
    }
    fn pair(self) -> usize {
        (self.0 / 2) as usize
    }
    fn first_precedes(self) -> bool {
        self.0.is_multiple_of(2)
    }
    fn reversed(self) -> Self {
        Self(self.0 ^ 1)
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The subject of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Subject {
    Order(Order),
    Head(u32),
    Tail(u32),
}

/// A change, which later ones may follow from.
#[derive(Clone, Copy, Debug)]
struct Event {
    subject: Subject,
    /// The bound before it.
    before: Span,
    /// The event before it of the same subject.
    earlier: u32,
    /// The beginning of its antecedents; they end where those of the next event begin.
    from: u32,
    level: u32,
}

/// A learnt clause: one of its orders holds. The first two are watched.
#[derive(Clone, Debug)]
struct Clause {
    orders: Vec<Order>,
    /// The number of decision levels when it was learnt.
    levels: u32,
}

/// A clause that watches an order, and another order of it, which often holds.
#[derive(Clone, Copy, Debug)]
struct Watch {
    clause: u32,
    other: Order,
}

/// Events that cannot occur together were found.
struct Conflict;

/// A learnt clause: in every schedule that is over by the limit, one of its orders holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lemma<'l> {
    pub(crate) orders: &'l [Order],
    /// The number of decision levels when it was learnt.
    pub(crate) levels: u32,
    pub(crate) limit: Span,
}

/// The company of a search for orders: it may stop the search, and learns and teaches clauses.
pub(crate) trait Company {
    /// Called every few conflicts, and when it is urgent.
    ///
    /// # Errors
    /// If the search is to stop.
    fn poll(&mut self, search: &OrderSearch) -> Result<(), StopReason>;

    /// Whether [`Self::poll`] is to be called now. Called at every conflict.
    fn is_urgent(&self, search: &OrderSearch) -> bool {
        let _ = search;
        false
    }

    /// Called with every clause that is learnt.
    fn learn(&mut self, lemma: Lemma<'_>) {
        let _ = lemma;
    }

    /// Called at restarts, when no pair is decided by choice: may restrict the search, and teach it
    /// clauses.
    fn teach(&mut self, search: &mut OrderSearch) {
        let _ = search;
    }
}

/// The result of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ordering {
    /// The start of every use, in a schedule of the relaxation that is over by the limit.
    Schedule(Vec<Span>),
    /// No schedule is over by the limit.
    Impossible,
    /// The given number of conflicts was reached.
    Undecided,
}

/// A search for orders of uses.
#[derive(Debug)]
pub(crate) struct OrderSearch {
    limit: Span,
    lengths: Vec<Span>,
    heads: Vec<Span>,
    tails: Vec<Span>,
    /// By use, its offsets from the use before it in the list, if it certainly follows that one.
    after: Vec<Option<Follows>>,
    /// By use, its lock.
    lock_of: Vec<usize>,
    /// By lock, its uses.
    by_lock: Vec<Vec<u32>>,
    pairs: Vec<Pair>,
    /// By use, its pairs.
    rivals: Vec<Vec<Rival>>,
    /// By pair, its order, if it is decided.
    decided: Vec<Option<Order>>,
    /// By pair, head and tail, the last event.
    last_of_pair: Vec<u32>,
    last_of_head: Vec<u32>,
    last_of_tail: Vec<u32>,
    trail: Vec<Event>,
    antecedents: Vec<u32>,
    /// By decision level, the number of events before it.
    levels: Vec<usize>,
    /// The next event to be propagated.
    next: usize,
    /// The locks whose heads or tails have changed.
    changed: Vec<usize>,
    is_changed: Vec<bool>,
    edges: EdgeFinder,
    conflict: Vec<u32>,
    clauses: Vec<Clause>,
    /// By order, the clauses that watch it.
    watches: Vec<Vec<Watch>>,
    most_clauses: usize,
    /// By pair, its weight in conflicts.
    weights: Vec<f64>,
    weight: f64,
    /// By pair, its order when it was last decided.
    phases: Vec<Option<Order>>,
    /// By event, whether the analysis of a conflict needs it.
    marks: Vec<bool>,
    /// By decision level, the last conflict that counted it.
    counted: Vec<u64>,
    conflicts: u64,
    decisions: u64,
    is_impossible: bool,
}

impl OrderSearch {
    /// A search over these uses, which are in the order of their processes; `None` if no two uses
    /// exclude each other, or too many do.
    pub(crate) fn new(activities: &[Activity], limit: Span) -> Option<Self> {
        let locks = activities.iter().map(|activity| activity.lock + 1).max()?;
        let mut by_lock = vec![Vec::new(); locks];
        for (index, activity) in activities.iter().enumerate() {
            by_lock[activity.lock].push(index as u32);
        }
        let count: usize =
            by_lock.iter().map(|uses| uses.len() * uses.len().saturating_sub(1) / 2).sum();
        if count == 0 || count > MOST_PAIRS || limit > LARGEST {
            return None;
        }
        let mut pairs = Vec::with_capacity(count);
        let mut rivals = vec![Vec::new(); activities.len()];
        for uses in &by_lock {
            for (position, &first) in uses.iter().enumerate() {
                for &second in &uses[position + 1..] {
                    let pair = pairs.len() as u32;
                    pairs.push(Pair { first, second });
                    rivals[first as usize].push(Rival { pair, other: second, is_first: true });
                    rivals[second as usize].push(Rival { pair, other: first, is_first: false });
                }
            }
        }
        let span = |of: fn(&Activity) -> Span| activities.iter().map(of).collect();
        let mut search = Self {
            limit,
            lengths: span(|a| a.length),
            heads: span(|a| a.head),
            tails: span(|a| a.tail),
            after: activities.iter().map(|a| a.after).collect(),
            lock_of: activities.iter().map(|a| a.lock).collect(),
            is_changed: vec![false; locks],
            by_lock,
            rivals,
            decided: vec![None; count],
            last_of_pair: vec![NONE; count],
            last_of_head: vec![NONE; activities.len()],
            last_of_tail: vec![NONE; activities.len()],
            trail: Vec::new(),
            antecedents: Vec::new(),
            levels: Vec::new(),
            next: 0,
            changed: Vec::new(),
            edges: EdgeFinder::default(),
            conflict: Vec::new(),
            clauses: Vec::new(),
            watches: vec![Vec::new(); 2 * count],
            most_clauses: FIRST_CLAUSES,
            weights: vec![0.0; count],
            weight: 1.0,
            phases: vec![None; count],
            marks: Vec::new(),
            counted: Vec::new(),
            conflicts: 0,
            decisions: 0,
            is_impossible: false,
            pairs,
        };
        for pair in 0..count as u32 {
            let slack =
                search.slack(Order::new(pair, true)) + search.slack(Order::new(pair, false));
            search.weights[pair as usize] = 1.0 / (2.0 + slack.max(0) as f64);
        }
        search.order_processes();
        search.examine_all();
        Some(search)
    }

    /// Decides the pairs of uses that follow each other in one process.
    fn order_processes(&mut self) {
        let mut chain = 0;
        let mut chains = Vec::with_capacity(self.after.len());
        for after in &self.after {
            chain += u32::from(after.is_none());
            chains.push(chain);
        }
        for pair in 0..self.pairs.len() {
            let Pair { first, second } = self.pairs[pair];
            if chains[first as usize] == chains[second as usize] {
                self.record(Subject::Order(Order::new(pair as u32, true)), &[]);
            }
        }
    }

    /// The last date of the schedules that it looks for.
    pub(crate) fn limit(&self) -> Span {
        self.limit
    }

    /// The number of decisions so far.
    pub(crate) fn decisions(&self) -> u64 {
        self.decisions
    }

    /// The approximate memory.
    pub(crate) fn bytes(&self) -> usize {
        let clauses = self.clauses.iter().map(|clause| 4 * clause.orders.len() + 64);
        clauses.sum::<usize>() + 64 * self.pairs.len() + 32 * self.trail.capacity()
    }

    /// Asks for schedules that are over by an earlier limit. Everything that was learnt stays valid.
    pub(crate) fn restrict(&mut self, limit: Span) {
        self.limit = limit.min(self.limit);
        self.return_to(0);
        self.examine_all();
    }

    /// Prefers the orders of this schedule.
    pub(crate) fn prefer(&mut self, starts: &[Span]) {
        for (pair, &Pair { first, second }) in self.pairs.iter().enumerate() {
            let first_precedes = starts[first as usize] <= starts[second as usize];
            self.phases[pair] = Some(Order::new(pair as u32, first_precedes));
        }
    }

    /// Searches for a schedule, up to a number of conflicts.
    ///
    /// # Errors
    /// If the company stops the search.
    pub(crate) fn run(
        &mut self,
        conflicts: u64,
        company: &mut impl Company,
    ) -> Result<Ordering, StopReason> {
        let last = self.conflicts.saturating_add(conflicts);
        let mut restarts = 0;
        let mut until = self.conflicts + RESTART * luby(restarts);
        while !self.is_impossible {
            if self.propagate().is_err() {
                self.conflicts += 1;
                if self.conflicts.is_multiple_of(CONFLICTS_PER_POLL) || company.is_urgent(self) {
                    company.poll(self)?;
                }
                match self.levels.is_empty() {
                    true => self.is_impossible = true,
                    false => self.learn(company),
                }
                continue;
            }
            if self.conflicts >= last {
                return Ok(Ordering::Undecided);
            }
            if self.conflicts >= until {
                restarts += 1;
                until = self.conflicts + RESTART * luby(restarts);
                self.return_to(0);
                self.forget_clauses();
                company.teach(self);
                continue;
            }
            let Some(order) = self.choose() else {
                return Ok(Ordering::Schedule(self.heads.clone()));
            };
            self.decisions += 1;
            self.levels.push(self.trail.len());
            self.record(Subject::Order(order), &[]);
        }
        Ok(Ordering::Impossible)
    }

    /// Lets the next propagation look at everything again.
    fn examine_all(&mut self) {
        self.next = 0;
        for lock in 0..self.by_lock.len() {
            self.mark_changed(lock);
        }
        for this in 0..self.lengths.len() {
            // An event that changes nothing examines the use.
            self.record(Subject::Head(this as u32), &[]);
        }
    }

    fn mark_changed(&mut self, lock: usize) {
        if !std::mem::replace(&mut self.is_changed[lock], true) {
            self.changed.push(lock);
        }
    }

    /// The time that is left if a pair has this order.
    fn slack(&self, order: Order) -> Span {
        let (before, after) = self.uses(order);
        let (before, after) = (before as usize, after as usize);
        let taken = self.heads[before] + self.lengths[before] + self.lengths[after];
        self.limit - taken - self.tails[after]
    }

    /// The uses of a pair in this order.
    fn uses(&self, order: Order) -> (u32, u32) {
        let Pair { first, second } = self.pairs[order.pair()];
        if order.first_precedes() { (first, second) } else { (second, first) }
    }

    /// The undecided pair of the greatest weight, in its preferred order.
    fn choose(&self) -> Option<Order> {
        let mut best: Option<usize> = None;
        for (pair, decided) in self.decided.iter().enumerate() {
            if decided.is_none() && best.is_none_or(|best| self.weights[pair] > self.weights[best])
            {
                best = Some(pair);
            }
        }
        let pair = best?;
        Some(self.phases[pair].unwrap_or_else(|| {
            let (one, other) = (Order::new(pair as u32, true), Order::new(pair as u32, false));
            if self.slack(one) >= self.slack(other) { one } else { other }
        }))
    }

    /// Records an event with its antecedents.
    fn record(&mut self, subject: Subject, antecedents: &[u32]) {
        let event = self.trail.len() as u32;
        let from = self.antecedents.len() as u32;
        for &antecedent in antecedents {
            // Events before the first decision hold in any case.
            if antecedent != NONE && self.trail[antecedent as usize].level > 0 {
                self.antecedents.push(antecedent);
            }
        }
        let (last, before) = match subject {
            Subject::Order(order) => {
                self.decided[order.pair()] = Some(order);
                self.phases[order.pair()] = Some(order);
                (&mut self.last_of_pair[order.pair()], 0)
            }
            Subject::Head(this) => {
                (&mut self.last_of_head[this as usize], self.heads[this as usize])
            }
            Subject::Tail(this) => {
                (&mut self.last_of_tail[this as usize], self.tails[this as usize])
            }
        };
        let earlier = std::mem::replace(last, event);
        let level = self.levels.len() as u32;
        self.trail.push(Event { subject, before, earlier, from, level });
    }

    /// Raises the head of a use.
    fn raise_head(&mut self, this: u32, head: Span, antecedents: &[u32]) -> Result<(), Conflict> {
        if head > self.heads[this as usize] {
            self.record(Subject::Head(this), antecedents);
            self.heads[this as usize] = head;
            self.check(this)?;
        }
        Ok(())
    }

    /// Raises the tail of a use.
    fn raise_tail(&mut self, this: u32, tail: Span, antecedents: &[u32]) -> Result<(), Conflict> {
        if tail > self.tails[this as usize] {
            self.record(Subject::Tail(this), antecedents);
            self.tails[this as usize] = tail;
            self.check(this)?;
        }
        Ok(())
    }

    /// Checks that a use may be over in time.
    fn check(&mut self, this: u32) -> Result<(), Conflict> {
        let index = this as usize;
        if self.heads[index] + self.lengths[index] + self.tails[index] <= self.limit {
            return Ok(());
        }
        let (head, tail) = (self.last_of_head[index], self.last_of_tail[index]);
        self.contradict(&[head, tail])
    }

    fn contradict(&mut self, events: &[u32]) -> Result<(), Conflict> {
        self.conflict.clear();
        self.conflict.extend(events.iter().filter(|&&event| event != NONE));
        Err(Conflict)
    }

    /// Decides a pair.
    fn imply(&mut self, order: Order, antecedents: &[u32]) -> Result<(), Conflict> {
        match self.decided[order.pair()] {
            None => {
                self.record(Subject::Order(order), antecedents);
                Ok(())
            }
            Some(decided) if decided == order => Ok(()),
            Some(_) => {
                let result = self.contradict(antecedents);
                self.conflict.push(self.last_of_pair[order.pair()]);
                result
            }
        }
    }

    /// Draws all conclusions.
    fn propagate(&mut self) -> Result<(), Conflict> {
        loop {
            while let Some(&event) = self.trail.get(self.next) {
                self.next += 1;
                match event.subject {
                    Subject::Order(order) => self.follow_order(order)?,
                    Subject::Head(this) => self.follow_head(this)?,
                    Subject::Tail(this) => self.follow_tail(this)?,
                }
            }
            let Some(lock) = self.changed.pop() else { return Ok(()) };
            self.is_changed[lock] = false;
            for is_backwards in [false, true] {
                self.find_edges(lock, is_backwards)?;
            }
        }
    }

    /// The consequences of a decided pair.
    fn follow_order(&mut self, order: Order) -> Result<(), Conflict> {
        self.follow_clauses(order)?;
        let (before, after) = self.uses(order);
        let event = self.last_of_pair[order.pair()];
        let (first, second) = (before as usize, after as usize);
        let head = self.heads[first] + self.lengths[first];
        self.raise_head(after, head, &[event, self.last_of_head[first]])?;
        let tail = self.tails[second] + self.lengths[second];
        self.raise_tail(before, tail, &[event, self.last_of_tail[second]])?;
        // Uses after `after` are after `before`, and those before `before` are before `after`.
        for position in 0..self.rivals[second].len() {
            let rival = self.rivals[second][position];
            if let Some(next) = self.decided[rival.pair as usize]
                && next.first_precedes() == rival.is_first
                && rival.other != before
            {
                let implied = self.order_of(before, rival.other);
                self.imply(implied, &[event, self.last_of_pair[rival.pair as usize]])?;
            }
        }
        for position in 0..self.rivals[first].len() {
            let rival = self.rivals[first][position];
            if let Some(previous) = self.decided[rival.pair as usize]
                && previous.first_precedes() != rival.is_first
                && rival.other != after
            {
                let implied = self.order_of(rival.other, after);
                self.imply(implied, &[event, self.last_of_pair[rival.pair as usize]])?;
            }
        }
        Ok(())
    }

    /// The order in which one use of a lock precedes another one.
    fn order_of(&self, before: u32, after: u32) -> Order {
        let lists = &self.rivals[before as usize];
        let found = lists.iter().find(|rival| rival.other == after);
        let rival = found.expect("invariant: two uses of a lock are a pair");
        Order::new(rival.pair, rival.is_first)
    }

    /// The consequences of a later head.
    fn follow_head(&mut self, this: u32) -> Result<(), Conflict> {
        let index = this as usize;
        self.check(this)?;
        self.mark_changed(self.lock_of[index]);
        let (head, event) = (self.heads[index], self.last_of_head[index]);
        if let Some(Some(Follows { head: offset, .. })) = self.after.get(index + 1) {
            self.raise_head(this + 1, head + offset, &[event])?;
        }
        let end = head + self.lengths[index];
        for position in 0..self.rivals[index].len() {
            let Rival { pair, other, is_first } = self.rivals[index][position];
            match self.decided[pair as usize] {
                Some(order) if order.first_precedes() == is_first => {
                    self.raise_head(other, end, &[self.last_of_pair[pair as usize], event])?;
                }
                Some(_) => {}
                None => {
                    let rest = self.lengths[other as usize] + self.tails[other as usize];
                    if end + rest > self.limit {
                        let late = [event, self.last_of_tail[other as usize]];
                        self.imply(Order::new(pair, !is_first), &late)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The consequences of a longer tail.
    fn follow_tail(&mut self, this: u32) -> Result<(), Conflict> {
        let index = this as usize;
        self.mark_changed(self.lock_of[index]);
        let (tail, event) = (self.tails[index], self.last_of_tail[index]);
        if let Some(Follows { tail: offset, .. }) = self.after[index] {
            self.raise_tail(this - 1, tail + offset, &[event])?;
        }
        let rest = tail + self.lengths[index];
        for position in 0..self.rivals[index].len() {
            let Rival { pair, other, is_first } = self.rivals[index][position];
            match self.decided[pair as usize] {
                Some(order) if order.first_precedes() != is_first => {
                    self.raise_tail(other, rest, &[self.last_of_pair[pair as usize], event])?;
                }
                Some(_) => {}
                None => {
                    let end = self.heads[other as usize] + self.lengths[other as usize];
                    if end + rest > self.limit {
                        let late = [event, self.last_of_head[other as usize]];
                        self.imply(Order::new(pair, is_first), &late)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Raises heads of the uses of a lock, or, backwards, their tails.
    fn find_edges(&mut self, lock: usize, is_backwards: bool) -> Result<(), Conflict> {
        let Self { edges, heads, tails, lengths, limit, by_lock, .. } = self;
        edges.fill(by_lock[lock].iter().map(|&this| {
            let index = this as usize;
            let (head, tail, length) = (heads[index], tails[index], lengths[index]);
            let (start, rest) = if is_backwards { (tail, head) } else { (head, tail) };
            Window { index, start, length, end: *limit - rest }
        }));
        if let Err(Overload(set)) = self.edges.find() {
            let events = self.explain(set, None, is_backwards);
            return self.contradict(&events);
        }
        for position in 0..self.edges.raises().len() {
            let raise = self.edges.raises()[position];
            let index = self.edges.windows()[raise.position].index;
            let now = if is_backwards { self.tails[index] } else { self.heads[index] };
            if raise.start <= now {
                continue;
            }
            let events = self.explain(raise.after, Some(index), is_backwards);
            match is_backwards {
                true => self.raise_tail(index as u32, raise.start, &events)?,
                false => self.raise_head(index as u32, raise.start, &events)?,
            }
        }
        Ok(())
    }

    /// The events from which the windows of a set follow, and the start of another use.
    fn explain(&self, set: UseSet, later: Option<usize>, is_backwards: bool) -> Vec<u32> {
        let mut events = Vec::new();
        for window in self.edges.members(set).filter(|window| Some(window.index) != later) {
            events.extend([self.last_of_head[window.index], self.last_of_tail[window.index]]);
        }
        let starts = if is_backwards { &self.last_of_tail } else { &self.last_of_head };
        events.extend(later.map(|index| starts[index]));
        events
    }

    /// Looks at the clauses that watch the reverse of an order.
    fn follow_clauses(&mut self, order: Order) -> Result<(), Conflict> {
        let reversed = order.reversed();
        let mut watching = std::mem::take(&mut self.watches[reversed.index()]);
        let mut result = Ok(());
        let mut kept = 0;
        for position in 0..watching.len() {
            let watch = watching[position];
            let is_kept = result.is_err() || self.holds(watch.other) || {
                match self.watch_another(watch, reversed) {
                    Some(moved) => {
                        result = moved;
                        true
                    }
                    None => false,
                }
            };
            if is_kept {
                watching[kept] = watch;
                kept += 1;
            }
        }
        watching.truncate(kept);
        self.watches[reversed.index()] = watching;
        result
    }

    fn holds(&self, order: Order) -> bool {
        self.decided[order.pair()] == Some(order)
    }

    fn fails(&self, order: Order) -> bool {
        self.decided[order.pair()] == Some(order.reversed())
    }

    /// Lets a clause watch another order than `failed`, or follows it if no other order is left: then
    /// the result is that of its last order.
    fn watch_another(&mut self, watch: Watch, failed: Order) -> Option<Result<(), Conflict>> {
        let mut orders = std::mem::take(&mut self.clauses[watch.clause as usize].orders);
        if orders[0] == failed {
            orders.swap(0, 1);
        }
        let other = orders[0];
        let mut result = Some(Ok(()));
        if !self.holds(other) {
            match orders[2..].iter().position(|&order| !self.fails(order)) {
                Some(position) => {
                    orders.swap(1, position + 2);
                    let watch = Watch { clause: watch.clause, other };
                    self.watches[orders[1].index()].push(watch);
                    result = None;
                }
                None => {
                    let events: Vec<u32> =
                        orders[1..].iter().map(|order| self.last_of_pair[order.pair()]).collect();
                    result = Some(self.imply(other, &events));
                }
            }
        }
        self.clauses[watch.clause as usize].orders = orders;
        result
    }

    /// Learns from the conflict, and returns to the level where the clause decides a pair.
    fn learn(&mut self, company: &mut impl Company) {
        let level = self.levels.len() as u32;
        self.marks.clear();
        self.marks.resize(self.trail.len(), false);
        let mut of_level = 0;
        let conflict = std::mem::take(&mut self.conflict);
        conflict.iter().for_each(|&event| self.mark(event, &mut of_level));
        self.conflict = conflict;
        let mut orders: Vec<Order> = Vec::new();
        let (mut implied, mut second) = (None, 0);
        for index in (0..self.trail.len()).rev() {
            if !self.marks[index] {
                continue;
            }
            let event = self.trail[index];
            let is_last = event.level == level;
            if let Subject::Order(order) = event.subject {
                self.weights[order.pair()] += self.weight;
                if is_last && of_level == 1 && implied.is_none() {
                    implied = Some(order.reversed());
                    of_level = 0;
                    continue;
                }
                if !is_last {
                    second = second.max(event.level);
                    orders.push(order.reversed());
                    continue;
                }
            }
            of_level -= u32::from(is_last);
            let to = match self.trail.get(index + 1) {
                Some(next) => next.from as usize,
                None => self.antecedents.len(),
            };
            for position in event.from as usize..to {
                self.mark(self.antecedents[position], &mut of_level);
            }
        }
        #[cfg(feature = "faults")]
        if crate::faults::Fault::AntecedentForgotten.is_selected() {
            orders.pop();
        }
        self.weight *= GROWTH;
        if self.weight > 1e100 {
            self.weights.iter_mut().for_each(|weight| *weight *= 1e-100);
            self.weight *= 1e-100;
        }
        let implied = implied.expect("invariant: a conflict has a pair of the last decision level");
        // The watched orders are the implied one and one of the level to which the search returns.
        let levels = self.count_levels(&orders);
        let of_second =
            |order: &Order| self.trail[self.last_of_pair[order.pair()] as usize].level == second;
        if let Some(position) = orders.iter().position(of_second) {
            orders.swap(0, position);
        }
        self.return_to(second as usize);
        let events: Vec<u32> = orders.iter().map(|order| self.last_of_pair[order.pair()]).collect();
        self.record(Subject::Order(implied), &events);
        orders.insert(0, implied);
        company.learn(Lemma { orders: &orders, levels, limit: self.limit });
        self.add_clause(orders, levels);
    }

    /// Adds a clause, unless it has a single order, which holds in any case.
    fn add_clause(&mut self, orders: Vec<Order>, levels: u32) {
        if let [one, other, ..] = orders[..] {
            let clause = self.clauses.len() as u32;
            self.watches[one.index()].push(Watch { clause, other });
            self.watches[other.index()].push(Watch { clause, other: one });
            self.clauses.push(Clause { orders, levels });
        }
    }

    /// Adopts a clause that another search over the same uses has learnt. Only at a restart.
    ///
    /// *Claim.* It holds in every schedule that is over by the limit of this search, which is no
    /// later than that of the lemma. Orders that fail before the first decision are left out, as are
    /// such events in clauses of this search.
    pub(crate) fn adopt(&mut self, lemma: Lemma<'_>) {
        let Lemma { orders, levels, limit } = lemma;
        #[cfg(feature = "faults")]
        let limit = match crate::faults::Fault::LemmaBeyondLimit.is_selected() {
            true => Span::MAX,
            false => limit,
        };
        if limit < self.limit || orders.iter().any(|&order| self.holds(order)) {
            return;
        }
        let open: Vec<Order> = orders.iter().copied().filter(|&order| !self.fails(order)).collect();
        match open[..] {
            [] => self.is_impossible = true,
            [only] => self.record(Subject::Order(only), &[]),
            _ => self.add_clause(open, levels),
        }
    }

    fn mark(&mut self, event: u32, of_level: &mut u32) {
        let level = self.trail[event as usize].level;
        if level > 0 && !std::mem::replace(&mut self.marks[event as usize], true) {
            *of_level += u32::from(level as usize == self.levels.len());
        }
    }

    /// The number of decision levels of these orders, and the last one.
    fn count_levels(&mut self, orders: &[Order]) -> u32 {
        self.counted.resize(self.levels.len() + 1, 0);
        let mut count = 1;
        for order in orders {
            let level = self.trail[self.last_of_pair[order.pair()] as usize].level as usize;
            if std::mem::replace(&mut self.counted[level], self.conflicts) != self.conflicts {
                count += 1;
            }
        }
        count
    }

    /// Takes back all events after a decision level.
    fn return_to(&mut self, level: usize) {
        let Some(&kept) = self.levels.get(level) else { return };
        while self.trail.len() > kept {
            let Some(event) = self.trail.pop() else { break };
            self.antecedents.truncate(event.from as usize);
            match event.subject {
                Subject::Order(order) => {
                    self.decided[order.pair()] = None;
                    self.last_of_pair[order.pair()] = event.earlier;
                }
                Subject::Head(this) => {
                    self.heads[this as usize] = event.before;
                    self.last_of_head[this as usize] = event.earlier;
                }
                Subject::Tail(this) => {
                    self.tails[this as usize] = event.before;
                    self.last_of_tail[this as usize] = event.earlier;
                }
            }
        }
        self.levels.truncate(level);
        self.next = kept;
        // All conclusions of the level were drawn before the next decision.
        while let Some(lock) = self.changed.pop() {
            self.is_changed[lock] = false;
        }
    }

    /// Forgets half of the learnt clauses if they are too many. Antecedents do not name clauses.
    fn forget_clauses(&mut self) {
        if self.clauses.len() < self.most_clauses {
            return;
        }
        self.most_clauses += self.most_clauses / 10;
        let mut levels: Vec<u32> = self.clauses.iter().map(|clause| clause.levels).collect();
        let middle = levels.len() / 2;
        let (_, &mut middle, _) = levels.select_nth_unstable(middle);
        let kept = middle.max(2);
        // Of clauses with as many levels as the middle one, later ones are kept.
        let mut spare = self.clauses.len() / 2;
        let all = std::mem::take(&mut self.clauses);
        self.watches.iter_mut().for_each(Vec::clear);
        for clause in all.into_iter().rev() {
            let is_spare = clause.levels > 2 && (clause.levels > kept || spare == 0);
            if is_spare {
                continue;
            }
            spare = spare.saturating_sub(1);
            self.clauses.push(clause);
        }
        self.clauses.reverse();
        for (index, clause) in self.clauses.iter().enumerate() {
            let (one, other) = (clause.orders[0], clause.orders[1]);
            self.watches[one.index()].push(Watch { clause: index as u32, other });
            self.watches[other.index()].push(Watch { clause: index as u32, other: one });
        }
    }
}

/// Luby's sequence: 1, 1, 2, 1, 1, 2, 4 and so on.
fn luby(mut index: u64) -> u64 {
    let (mut size, mut exponent) = (1, 0);
    while size < index + 1 {
        exponent += 1;
        size = 2 * size + 1;
    }
    while size - 1 != index {
        size = (size - 1) / 2;
        exponent -= 1;
        index %= size;
    }
    1 << exponent
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::propagation::tests::{Shop, activities, for_each_order};
    use proptest::prelude::*;

    /// No company.
    struct Alone;

    impl Company for Alone {
        fn poll(&mut self, _: &OrderSearch) -> Result<(), StopReason> {
            Ok(())
        }
    }

    /// The least date at which a shop is over, by restriction of one search, and the number of
    /// decisions.
    fn least(shop: &Shop, limit: Span) -> Option<Span> {
        let given = activities(shop);
        let mut search = OrderSearch::new(&given, limit)?;
        let mut best = None;
        loop {
            match search.run(u64::MAX, &mut Alone).expect("no limit") {
                Ordering::Undecided => unreachable!("no limit of conflicts"),
                Ordering::Impossible => return best,
                Ordering::Schedule(starts) => {
                    check_schedule(shop, &given, &starts);
                    let end = |(a, start): (&Activity, &Span)| start + a.length + a.tail;
                    let over = given.iter().zip(&starts).map(end).max().expect("uses");
                    assert!(best.is_none_or(|best| over < best), "{over} is no improvement");
                    best = Some(over);
                    search.restrict(over - 1);
                    search.prefer(&starts);
                }
            }
        }
    }

    /// Uses of a lock exclude each other, and those of a process keep their distances.
    pub(crate) fn check_schedule(shop: &Shop, given: &[Activity], starts: &[Span]) {
        for (one, a) in given.iter().enumerate() {
            assert!(starts[one] >= a.head, "{shop:?} {starts:?}");
            if let Some(after) = a.after {
                assert!(starts[one] >= starts[one - 1] + after.head, "{shop:?} {starts:?}");
            }
            for (other, b) in
                given.iter().enumerate().skip(one + 1).filter(|(_, b)| b.lock == a.lock)
            {
                let is_before = starts[one] + a.length <= starts[other];
                let is_after = starts[other] + b.length <= starts[one];
                assert!(is_before || is_after, "{shop:?} {starts:?}");
            }
        }
    }

    /// The least date over all orders of starting uses.
    pub(crate) fn naive(shop: &Shop) -> Span {
        let mut best = Span::MAX;
        for_each_order(shop, &mut |_, end| best = best.min(end));
        best
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]
        #[test]
        fn the_last_schedule_is_the_best_one(
            shop in prop::collection::vec(
                prop::collection::vec((0..2usize, 0..3i64, 0..6i64), 1..4), 2..5),
            slack in 0..20i64,
        ) {
            let best = naive(&shop);
            if OrderSearch::new(&activities(&shop), best).is_some() {
                prop_assert_eq!(least(&shop, best + slack), Some(best));
                prop_assert_eq!(least(&shop, best - 1), None);
            }
        }
    }

    #[test]
    fn restarts_grow_by_lubys_sequence() {
        let first: Vec<u64> = (0..15).map(luby).collect();
        assert_eq!(first, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }
}
