//! Outputs and inputs of single processes: the view of time domains in which processes act one
//! after the other.

use crate::scratch::DiscreteScratch;
use zonaut_compile::{ActionId, CompiledNetwork};
use zonaut_model::ChannelId;
use zonaut_model::interpret::RunTimeError;

/// An action that its process can take on its own initiative: internal, or sending.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Output {
    /// The action.
    pub action: ActionId,
    /// The channel, if it sends.
    pub channel: Option<ChannelId>,
}

impl DiscreteScratch {
    /// Adds the outputs of a process whose data guards hold in the state that is left.
    ///
    /// # Errors
    /// If a guard or the index of a channel cannot be evaluated.
    #[inline]
    pub fn add_outputs(
        &mut self,
        network: &CompiledNetwork,
        process: usize,
        into: &mut Vec<Output>,
    ) -> Result<(), RunTimeError> {
        let Self { source, machine, .. } = self;
        let location = network.location(process, source);
        for &action in &location.internal {
            if network.data_holds(&network.action(action).guard, source, machine)? {
                into.push(Output { action, channel: None });
            }
        }
        for &action in &location.sends {
            if network.data_holds(&network.action(action).guard, source, machine)? {
                let channel = network.channel(action, source, machine)?;
                into.push(Output { action, channel });
            }
        }
        Ok(())
    }

    /// Adds the actions of other processes than the sender's that receive on `channel` and whose
    /// data guards hold in the state that is left, in system order.
    ///
    /// # Errors
    /// If a guard or the index of a channel cannot be evaluated.
    #[inline]
    pub fn add_inputs(
        &mut self,
        network: &CompiledNetwork,
        sender: usize,
        channel: ChannelId,
        into: &mut Vec<ActionId>,
    ) -> Result<(), RunTimeError> {
        let Self { source, machine, .. } = self;
        for process in (0..network.process_count()).filter(|&process| process != sender) {
            let location = network.location(process, source);
            for &action in &location.receives {
                if network.may_name(action, channel)
                    && network.data_holds(&network.action(action).guard, source, machine)?
                    && network.channel(action, source, machine)? == Some(channel)
                {
                    into.push(action);
                }
            }
        }
        Ok(())
    }

    /// The values of the state that is left, and the evaluator.
    #[inline]
    pub fn parts(&mut self) -> (&mut Vec<i32>, &mut zonaut_compile::Machine) {
        (&mut self.source, &mut self.machine)
    }
}
