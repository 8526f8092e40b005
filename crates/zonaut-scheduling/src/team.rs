//! Searches for orders of uses on several threads.
//!
//! The calling thread does as it does alone: beams, and between them the *steady* search, which asks
//! for any schedule that is better than the incumbent. Each other thread has a *bold* search: it asks
//! for a schedule that is over by an aim between the lower bound and the date of the incumbent, which
//! either improves the incumbent a lot or raises the lower bound. An aim that takes long is given up
//! for a later one; a search whose aim is just below the incumbent is another steady one. All
//! searches exchange short clauses.
//!
//! *Claim.* The result does not depend on the number of threads or their speed. Every schedule that
//! counts is a run of the model, every lower bound is beyond the limit of a search that has no
//! schedule, and a clause is adopted only by a search whose limit is no later. So when both bounds
//! meet, the incumbent is optimal. Which of several optimal schedules it is, and the counts, depend
//! on the order of events.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering as Memory};
use std::sync::{Mutex, MutexGuard, PoisonError};

use zonaut_cost::Infimum;
use zonaut_cost::tasks::Span;
use zonaut_space::StopReason;

use crate::beam::Found;
use crate::bound::{CertainUse, Known};
use crate::order_search::{Company, Lemma, Order, OrderSearch, Ordering};
use crate::plan::Plan;
use crate::propagation::Activity;
use crate::system::TaskSystem;

/// The number of conflicts after which a bold search gives up an aim.
const CONFLICTS_PER_AIM: u64 = 256;

/// Before the first schedule, searches assume one that exceeds the lower bound by this part.
const GUESSED_PART: Span = 4;

/// The most orders of a clause that is shared, unless it is of few decision levels.
const LONGEST_LEMMA: usize = 6;

/// The most decision levels of a longer clause that is shared.
const MOST_LEVELS: u32 = 2;

/// A clause that a search has published.
struct Published {
    author: usize,
    orders: Box<[Order]>,
    levels: u32,
    limit: Span,
}

/// The incumbent and the clauses of all searches.
#[derive(Default)]
struct Knowledge {
    best: Option<Found>,
    /// The starts of the uses in the schedule of the relaxation that became the incumbent.
    starts: Vec<Span>,
    lemmas: Vec<Published>,
}

/// The counts of a bold search.
#[derive(Default)]
struct Counts {
    explored: AtomicUsize,
    bytes: AtomicUsize,
}

/// The shared part of the searches of a team.
pub(crate) struct Team {
    rate: i64,
    known: Known,
    /// No schedule is over before this date.
    least: AtomicI64,
    knowledge: Mutex<Knowledge>,
    /// By bold search.
    counts: Vec<Counts>,
    is_over: AtomicBool,
}

impl Team {
    /// The team of a steady search and this number of bold ones, if no schedule costs less than
    /// `at_least`. The cost of the incumbent is shared with estimates by `known`.
    pub(crate) fn new(rate: i64, known: Known, at_least: Infimum, bold: usize) -> Self {
        Self {
            rate,
            known,
            least: AtomicI64::new(at_least.value().div_euclid(rate)),
            knowledge: Mutex::default(),
            counts: (0..bold).map(|_| Counts::default()).collect(),
            is_over: AtomicBool::new(false),
        }
    }

    fn knowledge(&self) -> MutexGuard<'_, Knowledge> {
        self.knowledge.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of bold searches.
    pub(crate) fn bold(&self) -> usize {
        self.counts.len()
    }

    /// The last date of a better schedule, if one is known.
    pub(crate) fn limit(&self) -> Option<Span> {
        self.known.limit(self.rate)
    }

    /// No schedule costs less.
    pub(crate) fn lower_bound(&self) -> Infimum {
        Infimum::attained(self.least.load(Memory::Relaxed).saturating_mul(self.rate))
    }

    /// Whether the incumbent is optimal.
    pub(crate) fn is_decided(&self) -> bool {
        let least = self.least.load(Memory::Relaxed);
        self.limit().is_some_and(|limit| limit < least)
    }

    /// Whether all searches have to end.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Memory::Relaxed) || self.is_decided()
    }

    /// Ends all searches.
    pub(crate) fn end(&self) {
        self.is_over.store(true, Memory::Relaxed);
    }

    /// Publishes a schedule, if it is better than the incumbent.
    pub(crate) fn improve(&self, found: &Found, starts: &[Span]) {
        let mut knowledge = self.knowledge();
        if knowledge.best.as_ref().is_none_or(|(cost, _)| found.0 < *cost) {
            knowledge.best = Some(found.clone());
            knowledge.starts = starts.to_vec();
            self.known.tell(found.0);
        }
    }

    /// The incumbent, if it costs less than `cost`.
    pub(crate) fn better_than(&self, cost: Option<Infimum>) -> Option<Found> {
        let limit = self.limit()?;
        let is_better = cost.is_none_or(|cost| limit < crate::bound::limit_below(cost, self.rate));
        is_better.then(|| self.knowledge().best.clone()).flatten()
    }

    /// Records that no schedule is over by this limit.
    pub(crate) fn refute(&self, limit: Span) {
        #[cfg(feature = "faults")]
        let limit = match crate::faults::Fault::AimCountsAsLimit.is_selected() {
            true => self.limit().unwrap_or(limit),
            false => limit,
        };
        self.least.fetch_max(limit.saturating_add(1), Memory::Relaxed);
    }

    /// The states that bold searches have explored, and their memory.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let sum = |of: fn(&Counts) -> &AtomicUsize| {
            self.counts.iter().map(|counts| of(counts).load(Memory::Relaxed)).sum()
        };
        (sum(|counts| &counts.explored), sum(|counts| &counts.bytes))
    }

    /// Publishes a clause if it is short.
    pub(crate) fn publish(&self, author: usize, lemma: Lemma<'_>) {
        let Lemma { orders, levels, limit } = lemma;
        if orders.len() <= LONGEST_LEMMA || levels <= MOST_LEVELS {
            let orders = orders.into();
            self.knowledge().lemmas.push(Published { author, orders, levels, limit });
        }
    }

    /// Teaches a search, which is at a restart, the clauses of others from number `known` on;
    /// returns the number of clauses.
    pub(crate) fn teach(&self, search: &mut OrderSearch, author: usize, known: usize) -> usize {
        let knowledge = self.knowledge();
        for Published { orders, levels, limit, .. } in
            knowledge.lemmas[known..].iter().filter(|lemma| lemma.author != author)
        {
            search.adopt(Lemma { orders, levels: *levels, limit: *limit });
        }
        knowledge.lemmas.len()
    }

    /// Runs a bold search until the team is over, or the model does not allow a plan.
    pub(crate) fn run_bold(&self, number: usize, system: &TaskSystem<'_>, uses: &[CertainUse]) {
        let activities: Vec<Activity> = uses.iter().map(|one| one.activity).collect();
        let mut search: Option<OrderSearch> = None;
        let mut member = Member { team: self, author: number + 1, taught: 0, counted: 0 };
        // Aims before this date have taken too long.
        let mut patience = Span::MIN;
        while let Some(aim) = self.aim(number, patience).filter(|_| !self.is_over()) {
            let is_kept = search.as_ref().is_some_and(|search| aim.date <= search.limit());
            if !is_kept {
                search = OrderSearch::new(&activities, aim.date);
                (member.taught, member.counted) = (0, 0);
            }
            let Some(search) = &mut search else { return };
            search.restrict(aim.date);
            if !is_kept {
                let knowledge = self.knowledge();
                if knowledge.starts.len() == activities.len() {
                    search.prefer(&knowledge.starts);
                }
            }
            member.taught = self.teach(search, member.author, member.taught);
            let conflicts = if aim.is_last { u64::MAX } else { CONFLICTS_PER_AIM };
            let found = search.run(conflicts, &mut member);
            member.count(search);
            match found {
                Err(_) => {}
                Ok(Ordering::Undecided) => patience = search.limit() + 1,
                Ok(Ordering::Impossible) => self.refute(search.limit()),
                Ok(Ordering::Schedule(starts)) => {
                    search.prefer(&starts);
                    let run = Plan::new(uses, &starts).carry_out(system);
                    let is_late = |found: &Found| found.0.value() > search.limit() * self.rate;
                    match run.filter(|found| !is_late(found)) {
                        Some(found) => self.improve(&found, &starts),
                        None => return,
                    }
                }
            }
        }
    }

    /// The aim of a bold search; `None` if there are no better schedules.
    fn aim(&self, number: usize, patience: Span) -> Option<Aim> {
        let least = self.least.load(Memory::Relaxed);
        let from = least.max(patience);
        let known = self.limit();
        let limit = known.unwrap_or_else(|| from.saturating_add(from / GUESSED_PART + 1));
        let from = from.min(limit);
        let part = (number + 1) as Span;
        let date = from + (limit - from) * part / (self.counts.len() + 2) as Span;
        (least <= limit).then_some(Aim { date, is_last: known == Some(date) })
    }
}

/// The last date of the schedules that a bold search asks for.
struct Aim {
    date: Span,
    /// Whether every better schedule is over by then.
    is_last: bool,
}

/// A bold search as a member of the team.
struct Member<'t> {
    team: &'t Team,
    author: usize,
    /// The number of clauses that it was taught.
    taught: usize,
    /// The number of decisions that are counted.
    counted: u64,
}

impl Member<'_> {
    fn count(&mut self, search: &OrderSearch) {
        let counts = &self.team.counts[self.author - 1];
        let decisions =
            search.decisions() - std::mem::replace(&mut self.counted, search.decisions());
        counts.explored.fetch_add(decisions as usize, Memory::Relaxed);
        counts.bytes.store(search.bytes(), Memory::Relaxed);
    }
}

impl Company for Member<'_> {
    fn is_urgent(&self, search: &OrderSearch) -> bool {
        // A date that was refuted, or that the incumbent has reached, is no aim any more.
        let least = self.team.least.load(Memory::Relaxed);
        self.team.is_over()
            || search.limit() < least
            || self.team.limit().is_some_and(|limit| limit < search.limit())
    }

    fn poll(&mut self, search: &OrderSearch) -> Result<(), StopReason> {
        self.count(search);
        match self.is_urgent(search) {
            true => Err(StopReason::Cancelled),
            false => Ok(()),
        }
    }

    fn learn(&mut self, lemma: Lemma<'_>) {
        self.team.publish(self.author, lemma);
    }

    fn teach(&mut self, search: &mut OrderSearch) {
        self.taught = self.team.teach(search, self.author, self.taught);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order_search::tests::{check_schedule, naive};
    use crate::propagation::tests::{Shop, activities};
    use proptest::prelude::*;

    /// A search that publishes all clauses, and ends after few conflicts.
    struct Chatty<'t> {
        team: &'t Team,
        author: usize,
    }

    impl Company for Chatty<'_> {
        fn poll(&mut self, _: &OrderSearch) -> Result<(), StopReason> {
            Ok(())
        }
        fn learn(&mut self, lemma: Lemma<'_>) {
            self.team.publish(self.author, Lemma { levels: 0, ..lemma });
        }
    }

    /// The least date that two searches find together, of which the second one has aims.
    fn least_of_team(shop: &Shop, first: Span, parts: &[Span]) -> Span {
        let given = activities(shop);
        let known = Known::default();
        known.tell(Infimum::attained(first));
        let team = Team::new(1, known, Infimum::attained(0), 1);
        let new = |limit: Span| OrderSearch::new(&given, limit).expect("rivals");
        let mut searches = [new(first - 1), new(first - 1)];
        let mut taught = [0, 0];
        for round in 0.. {
            let (Some(limit), false) = (team.limit(), team.is_decided()) else { break };
            let author = round % 2;
            let least = team.least.load(Memory::Relaxed);
            let part = parts[round % parts.len()];
            let aim = if author == 0 { limit } else { least + (limit - least) * part / 4 };
            if aim > searches[author].limit() {
                (searches[author], taught[author]) = (new(aim), 0);
            }
            let search = &mut searches[author];
            search.restrict(aim);
            taught[author] = team.teach(search, author, taught[author]);
            match search.run(1, &mut Chatty { team: &team, author }).expect("no limit") {
                Ordering::Undecided => {}
                Ordering::Impossible => team.refute(search.limit()),
                Ordering::Schedule(starts) => {
                    check_schedule(shop, &given, &starts);
                    let end = |(a, start): (&Activity, &Span)| start + a.length + a.tail;
                    let over = given.iter().zip(&starts).map(end).max().expect("uses");
                    assert!(over <= search.limit(), "{over}");
                    team.known.tell(Infimum::attained(over));
                }
            }
        }
        team.limit().expect("known from the start") + 1
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]
        #[test]
        fn searches_that_share_clauses_find_the_best_schedule(
            shop in prop::collection::vec(
                prop::collection::vec((0..2usize, 0..3i64, 0..6i64), 1..4), 2..5),
            slack in 1..20i64,
            parts in prop::collection::vec(0..5i64, 1..6),
        ) {
            let best = naive(&shop);
            if OrderSearch::new(&activities(&shop), best).is_some() {
                prop_assert_eq!(least_of_team(&shop, best + slack, &parts), best);
            }
        }
    }

    /// Shops with two locks, from a sequence of numbers.
    #[cfg(feature = "faults")]
    fn shops(count: usize) -> impl Iterator<Item = Shop> {
        let mut state = 1_u64;
        let mut below = move |most: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        (0..count).map(move |_| {
            let mut uses = |_| (below(2) as usize, below(3) as Span, below(6) as Span);
            (0..4).map(|_| (0..3).map(&mut uses).collect()).collect()
        })
    }

    #[cfg(feature = "faults")]
    #[test]
    fn faults_of_clauses_are_noticed() {
        use crate::faults::{Fault, select};
        use std::panic::catch_unwind;

        // Wrong clauses may also make a search end without a schedule, or with a wrong one.
        let is_right = |shop: &Shop| {
            let best = naive(shop);
            let is_searched = OrderSearch::new(&activities(shop), best).is_some();
            !is_searched
                || catch_unwind(|| least_of_team(shop, best + 9, &[1, 2, 3]))
                    .is_ok_and(|least| least == best)
        };
        assert!(shops(100).all(|shop| is_right(&shop)));
        select(Some(Fault::LemmaBeyondLimit));
        let is_noticed = shops(400).any(|shop| !is_right(&shop));
        select(None);
        assert!(is_noticed);
    }

    #[test]
    fn an_aim_lies_between_the_lower_bound_and_the_incumbent() {
        let known = Known::default();
        let team = Team::new(1, known.clone(), Infimum::attained(10), 1);
        assert!(team.aim(0, Span::MIN).is_some_and(|aim| aim.date >= 10 && !aim.is_last));
        known.tell(Infimum::attained(41));
        let aim = team.aim(0, Span::MIN).expect("a better schedule may exist");
        assert_eq!((aim.date, aim.is_last), (20, false));
        let aim = team.aim(0, 50).expect("a better schedule may exist");
        assert_eq!((aim.date, aim.is_last), (40, true));
        team.refute(39);
        assert!(team.aim(0, Span::MIN).is_some_and(|aim| aim.is_last) && !team.is_decided());
        team.refute(40);
        assert!(team.aim(0, Span::MIN).is_none() && team.is_decided());
    }
}
