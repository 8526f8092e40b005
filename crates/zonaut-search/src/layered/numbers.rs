//! Short names of steps in messages between two processes.
//!
//! A message has many states and few different steps. A step is written out when it is first sent to
//! a process, and by its number among the steps sent to that process later.

use crate::wire::{Bytes, Codec, Malformed, put_u32};

/// The steps that one process has sent to another one, and those that it has received from it.
pub(super) struct StepNumbers<Step> {
    /// By the number of a step in this process, its number in messages; [`Self::UNKNOWN`] if it was
    /// not sent.
    sent: Vec<u32>,
    /// The number of steps that were sent.
    count: u32,
    /// By number in messages.
    received: Vec<Step>,
}

impl<Step> Default for StepNumbers<Step> {
    fn default() -> Self {
        Self { sent: Vec::new(), count: 0, received: Vec::new() }
    }
}

impl<Step: Copy> StepNumbers<Step> {
    const UNKNOWN: u32 = u32::MAX;

    /// Appends a step to a message.
    pub(super) fn write<Item>(
        &mut self,
        step: Step,
        codec: &dyn Codec<Step, Item>,
        to: &mut Vec<u8>,
    ) {
        let local = codec.step_number(step) as usize;
        if self.sent.len() <= local {
            self.sent.resize(local + 1, Self::UNKNOWN);
        }
        let number = &mut self.sent[local];
        if *number != Self::UNKNOWN {
            put_u32(to, *number);
            return;
        }
        *number = self.count;
        self.count += 1;
        put_u32(to, *number);
        codec.write_step(step, to);
    }

    /// Reads a step from a message.
    ///
    /// # Errors
    /// If the bytes are not a step that was written, in the order of messages.
    pub(super) fn read<Item>(
        &mut self,
        codec: &dyn Codec<Step, Item>,
        from: &mut Bytes<'_>,
    ) -> Result<Step, Malformed> {
        let number = from.u32()? as usize;
        if number == self.received.len() {
            self.received.push(codec.read_step(from)?);
        }
        self.received.get(number).copied().ok_or(Malformed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps are letters; a process numbers them in its own order.
    struct Letters(&'static [u8]);

    impl Codec<u8, ()> for Letters {
        fn step_number(&self, step: u8) -> u32 {
            self.0.iter().position(|&letter| letter == step).expect("a letter") as u32
        }
        fn write_step(&self, step: u8, to: &mut Vec<u8>) {
            to.push(step);
        }
        fn read_step(&self, from: &mut Bytes<'_>) -> Result<u8, Malformed> {
            let step = from.u8()?;
            self.0.contains(&step).then_some(step).ok_or(Malformed)
        }
        fn write_payload(&self, _: &[()], _: &mut Vec<u8>) {}
        fn read_payload(
            &self,
            _: usize,
            _: &mut Bytes<'_>,
            _: &mut Vec<()>,
        ) -> Result<(), Malformed> {
            Ok(())
        }
    }

    #[test]
    fn steps_are_written_out_once_and_read_in_every_message() {
        let (here, there) = (Letters(b"xyz"), Letters(b"zyx"));
        let (mut sender, mut receiver) = (StepNumbers::default(), StepNumbers::default());
        for (steps, bytes) in [(&b"zyzz"[..], 4 * 4 + 2), (b"yz", 2 * 4), (b"xyx", 3 * 4 + 1)] {
            let mut message = Vec::new();
            steps.iter().for_each(|&step| sender.write(step, &here, &mut message));
            assert_eq!(message.len(), bytes);
            let mut message = Bytes::new(&message);
            for &step in steps {
                assert_eq!(receiver.read(&there, &mut message), Ok(step));
            }
            assert!(message.is_empty());
        }
    }

    #[test]
    fn other_numbers_and_steps_are_refused() {
        for wrong in [&[1, 0, 0, 0, b'x'][..], &[0, 0, 0, 0, b'a'], &[0, 0, 0, 0], &[0]] {
            let mut numbers = StepNumbers::<u8>::default();
            let read = numbers.read(&Letters(b"x"), &mut Bytes::new(wrong));
            assert_eq!(read, Err(Malformed), "{wrong:?}");
        }
    }
}
