//! Read and write sets of joint actions, by static analysis.

use super::layout::{Bits, Layout};
use super::meaning::{bind, edge_of, truth};
use crate::interner::{Interner, Number};
use zonaut_analysis::footprint::{Footprint, FootprintWalk, Footprints};
use zonaut_base::Id;
use zonaut_compile::{ActionId, CompiledNetwork};
use zonaut_model::{Expression, ExpressionId, Model};

/// The read and write sets of joint actions.
#[derive(Clone, Debug)]
pub(crate) struct Profile {
    /// The actions.
    pub(crate) participants: Box<[ActionId]>,
    /// The cells that may be read.
    pub(crate) reads: Bits,
    /// The cells that may be written.
    pub(crate) writes: Bits,
    /// The cells that determine the clock effects.
    pub(crate) effects: Bits,
}

/// The profiles of all joint actions met so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Profiles {
    numbers: Interner<u32>,
    profiles: Vec<Profile>,
    buffer: Vec<u32>,
}

impl Profiles {
    /// The profile of a number.
    pub(crate) fn get(&self, number: Number) -> &Profile {
        &self.profiles[number as usize]
    }

    /// The number of the profile of these actions.
    pub(crate) fn number(
        &mut self,
        model: &Model,
        network: &CompiledNetwork,
        layout: &Layout,
        participants: &[ActionId],
    ) -> Number {
        self.buffer.clear();
        self.buffer.extend(participants.iter().map(|action| action.index() as u32));
        let number = self.numbers.intern(&self.buffer);
        if number as usize == self.profiles.len() {
            self.profiles.push(Profile::new(model, network, layout, participants));
        }
        number
    }
}

impl Profile {
    fn new(
        model: &Model,
        network: &CompiledNetwork,
        layout: &Layout,
        participants: &[ActionId],
    ) -> Self {
        let updates = |is_wanted: &dyn Fn(ExpressionId) -> bool| {
            let mut walk = Footprints::walk(model);
            let touch = |walk: &mut FootprintWalk<'_>, updates: &[ExpressionId]| {
                for &update in updates.iter().filter(|&&update| is_wanted(update)) {
                    walk.evaluate(update);
                }
            };
            touch(&mut walk, &model.before_update);
            for &id in participants {
                bind(&mut walk, network, id);
                touch(&mut walk, &edge_of(model, network, id).updates);
            }
            touch(&mut walk, &model.after_update);
            walk.domain.found
        };
        let mut guards = Footprints::walk(model);
        for &id in participants {
            bind(&mut guards, network, id);
            truth(&mut guards, &edge_of(model, network, id).guard);
        }
        let whole = updates(&|_| true);
        let difficult: Footprint = updates(&|update| !is_plain_effect(model, update));
        let has_plain_effects = difficult.writes.clocks.is_empty();
        let writes = layout.bits_of(&whole.writes);
        let mut reads = whole.reads.clone();
        reads.extend(&guards.domain.found.reads);
        let effects = match has_plain_effects {
            true => vec![0; layout.words()].into(),
            false => layout.bits_of(&whole.reads),
        };
        Self { participants: participants.into(), reads: layout.bits_of(&reads), writes, effects }
    }
}

/// Whether an update sets one clock to a constant or to another clock, independently of data.
fn is_plain_effect(model: &Model, update: ExpressionId) -> bool {
    match &model.expressions[update] {
        Expression::AssignClock(place, value) => {
            place.is_fixed() && matches!(model.expressions[*value], Expression::Constant(_))
        }
        Expression::CopyClock(target, source) => target.is_fixed() && source.is_fixed(),
        Expression::Sequence(parts) => parts.iter().all(|&part| is_plain_effect(model, part)),
        _ => false,
    }
}
