//! Probabilities and sizes of random networks, by stratum.

use super::Stratum;
use crate::random::Random;

/// Percentages and sizes. They are tuned so that between 35 % and 65 % of goals are reachable,
/// which a test checks.
#[derive(Clone, Debug)]
pub(super) struct Knobs {
    /// The number of processes.
    pub(super) processes: usize,
    /// The number of clocks.
    pub(super) clocks: usize,
    /// The number of integer variables.
    pub(super) variables: usize,
    /// The number of channels.
    pub(super) channels: usize,
    /// The largest clock constant.
    pub(super) largest: i32,
    /// The maximal number of locations per process.
    pub(super) locations: usize,
    /// The maximal number of random edges per process.
    pub(super) more_edges: usize,
    /// A strict relation.
    pub(super) strict: usize,
    /// A clock constraint on a guard, in each of two attempts.
    pub(super) guard: usize,
    /// A clock difference instead of a clock.
    pub(super) difference: usize,
    /// An upper bound on a location.
    pub(super) invariant: usize,
    /// An urgent, and a committed location.
    pub(super) urgent: usize,
    /// A committed location.
    pub(super) committed: usize,
    /// A label on an edge.
    pub(super) label: usize,
    /// A broadcast channel.
    pub(super) broadcast: usize,
    /// An urgent channel.
    pub(super) urgent_channel: usize,
    /// A clock guard on an edge whose guard is negated by broadcast or urgency.
    pub(super) negated_guard: usize,
    /// A reset of each clock.
    pub(super) reset: usize,
    /// A reset to a number other than 0.
    pub(super) reset_to_number: usize,
    /// A reset to another clock.
    pub(super) copy: usize,
    /// A data guard, and an update of a variable.
    pub(super) data: usize,
    /// A clock bound, or a number set, that is computed from variables.
    pub(super) computed: usize,
    /// A data part of an invariant.
    pub(super) data_invariant: usize,
    /// Selections, arrays, functions, arrays of channels.
    pub(super) language: usize,
    /// A clock constraint in the goal, in each of two attempts.
    pub(super) goal_clock: usize,
    /// A location of a second process in the goal.
    pub(super) goal_partner: usize,
}

impl Knobs {
    /// The knobs of a stratum, with random sizes.
    pub(super) fn of(stratum: Stratum, random: &mut Random) -> Self {
        let processes = random.choose(&[1, 2, 2, 3]);
        let clocks = random.choose(&[1, 2, 2, 3, 3]);
        let mut knobs = Self {
            processes,
            clocks,
            variables: random.below(2),
            channels: if processes == 1 { 0 } else { random.below(3) },
            largest: if random.chance(8) && clocks < 3 && processes < 3 {
                random.between(4, 20)
            } else {
                random.between(1, 4)
            },
            locations: [7, 6, 5][processes - 1],
            more_edges: [9, 7, 6][processes - 1],
            strict: 40,
            guard: 42,
            difference: 0,
            invariant: 25,
            urgent: 5,
            committed: 3,
            label: 25,
            broadcast: 20,
            urgent_channel: 10,
            negated_guard: 0,
            reset: 35,
            reset_to_number: 8,
            copy: 0,
            data: 15,
            computed: 0,
            data_invariant: 0,
            language: 0,
            goal_clock: 15,
            goal_partner: 30,
        };
        knobs.specialise(stratum, random);
        knobs
    }

    /// Increases the influence of data.
    pub(super) fn add_data(&mut self) {
        self.variables = self.variables.max(1);
        self.data = self.data.max(25);
        self.computed = self.computed.max(10);
        self.data_invariant = self.data_invariant.max(15);
    }

    fn specialise(&mut self, stratum: Stratum, random: &mut Random) {
        let with_partners = |knobs: &mut Self| {
            knobs.processes = random_partners(knobs.processes);
            knobs.channels = knobs.channels.max(1);
            knobs.label = 40;
        };
        match stratum {
            Stratum::Closed => {
                self.strict = 0;
                self.guard = 52;
            }
            Stratum::Open => self.strict = 60,
            Stratum::Updates => {
                self.clocks = self.clocks.max(2);
                self.reset_to_number = 45;
                self.copy = 25;
                self.goal_clock = 30;
                self.computed = 15;
                self.variables = self.variables.max(1);
            }
            Stratum::Broadcast => {
                with_partners(self);
                self.broadcast = 85;
                self.label = 60;
                self.negated_guard = 70;
                self.goal_clock = 30;
                self.goal_partner = 70;
            }
            Stratum::Committed => {
                self.urgent = 20;
                self.committed = 20;
                self.processes = random_partners(self.processes);
            }
            Stratum::UrgentChannels => {
                with_partners(self);
                // An urgent broadcast needs no partner to stop time.
                self.urgent_channel = 90;
                self.broadcast = 60;
                self.label = 55;
                self.invariant = 10;
                self.urgent = 0;
                self.negated_guard = if random.chance(60) { 45 } else { 0 };
                self.goal_clock = 40;
            }
            Stratum::Data => {
                self.variables = 2;
                self.data = 35;
                self.computed = 20;
                self.data_invariant = 15;
            }
            Stratum::Diagonal => {
                // Clock differences lead to many regions.
                self.clocks = self.clocks.clamp(2, if random.chance(20) { 3 } else { 2 });
                self.largest = self.largest.min(3);
                self.difference = 35;
                self.strict = if random.chance(50) { 0 } else { 40 };
            }
            Stratum::Language => {
                with_partners(self);
                self.variables = 2;
                self.data = 30;
                self.computed = 30;
                self.language = 45;
                self.goal_partner = 10;
            }
            Stratum::Pattern => {}
        }
        // Sizes that were chosen for fewer processes are reduced.
        self.locations = self.locations.min([7, 6, 5][self.processes - 1]);
        self.more_edges = self.more_edges.min([9, 7, 6][self.processes - 1]);
    }
}

fn random_partners(processes: usize) -> usize {
    processes.max(2)
}
