//! Steps and zones as bytes, for other processes, for checkpoints and for spilled states.

use zonaut_base::Id;
use zonaut_compile::{ActionId, StepNames};
use zonaut_dbm::{Bound, Width};
use zonaut_search::{Bytes, Codec, Edge, Form, Malformed, Overflow, Spilling, put_u32};
use zonaut_space::NodeId;
use zonaut_zonegraph::{Step, ZoneGraph};

/// The spilling of a search over a zone graph. The process that writes the files is the only one that
/// reads them, so steps are their numbers.
#[must_use]
pub fn zone_spilling<W: Width>(overflow: Overflow) -> Spilling<Step, Bound<W>> {
    let edges = Form {
        bytes: 8,
        write: |edges: &[Edge<Step>], to| {
            for Edge { from, step } in edges {
                put_u32(to, from.index() as u32);
                put_u32(to, step.index() as u32);
            }
        },
        read: |bytes, to| {
            let word = |four: [u8; 4]| u32::from_le_bytes(four);
            to.extend(bytes.as_chunks().0.iter().map(|&[a, b, c, d, e, f, g, h]| Edge {
                from: NodeId::from_index(word([a, b, c, d]) as usize),
                step: Step::from_index(word([e, f, g, h])),
            }));
        },
    };
    let items = Form { bytes: size_of::<Bound<W>>(), write: write_bounds, read: read_bounds };
    Spilling { overflow, edges, items }
}

/// Appends bounds in as many bytes as they take in memory.
fn write_bounds<W: Width>(bounds: &[Bound<W>], to: &mut Vec<u8>) {
    match size_of::<Bound<W>>() {
        2 => write_in::<W, 2>(bounds, to),
        4 => write_in::<W, 4>(bounds, to),
        _ => write_in::<W, 8>(bounds, to),
    }
}

/// Reads bounds that were written. Other bytes are read as no bound of a zone.
fn read_bounds<W: Width>(written: &[u8], to: &mut Vec<Bound<W>>) {
    let _ = try_read_bounds(written, to);
}

/// Reads bounds that another process may have written.
///
/// # Errors
/// If the bytes are other ones.
fn try_read_bounds<W: Width>(written: &[u8], to: &mut Vec<Bound<W>>) -> Result<(), Malformed> {
    match size_of::<Bound<W>>() {
        2 => read_in::<W, 2>(written, to),
        4 => read_in::<W, 4>(written, to),
        _ => read_in::<W, 8>(written, to),
    }
}

/// Appends bounds in `N` bytes each.
fn write_in<W: Width, const N: usize>(bounds: &[Bound<W>], to: &mut Vec<u8>) {
    let start = to.len();
    to.resize(start + bounds.len() * N, 0);
    for (bound, into) in bounds.iter().zip(to[start..].as_chunks_mut::<N>().0) {
        into.copy_from_slice(&bound.encoded().to_le_bytes()[..N]);
    }
}

/// Reads bounds in `N` bytes each.
fn read_in<W: Width, const N: usize>(
    written: &[u8],
    to: &mut Vec<Bound<W>>,
) -> Result<(), Malformed> {
    let mut are_bounds = true;
    to.extend(written.as_chunks::<N>().0.iter().map(|bytes| {
        let sign = if bytes[N - 1] >= 0x80 { 0xff } else { 0 };
        let mut encoded = [sign; 8];
        encoded[..N].copy_from_slice(bytes);
        let bound = Bound::try_from_encoded(i64::from_le_bytes(encoded));
        are_bounds &= bound.is_some();
        bound.unwrap_or(Bound::INFINITY)
    }));
    if are_bounds { Ok(()) } else { Err(Malformed) }
}

/// The form of the steps and zones of one network: a step is its participants and its part, because
/// its number differs between processes.
#[derive(Clone, Debug)]
pub struct ZoneCodec {
    names: StepNames,
}

impl ZoneCodec {
    /// The form of the steps and zones of a graph.
    #[must_use]
    pub fn new<W: Width>(graph: &ZoneGraph<'_, W>) -> Self {
        Self { names: graph.network().names().clone() }
    }
}

impl<W: Width> Codec<Step, Bound<W>> for ZoneCodec {
    fn step_number(&self, step: Step) -> u32 {
        step.index() as u32
    }

    fn write_step(&self, step: Step, to: &mut Vec<u8>) {
        put_u32(to, self.names.part(step));
        self.names.read(step, |participants| {
            put_u32(to, participants.len() as u32);
            participants.iter().for_each(|action| put_u32(to, action.index() as u32));
        });
    }

    fn read_step(&self, from: &mut Bytes<'_>) -> Result<Step, Malformed> {
        let (part, len) = (from.u32()?, from.u32()?);
        let mut participants = Vec::new();
        for _ in 0..len {
            let action = from.u32()? as usize;
            if action >= self.names.actions() {
                return Err(Malformed);
            }
            participants.push(ActionId::from_index(action));
        }
        match participants.is_empty() {
            true => Err(Malformed),
            false => Ok(self.names.name(&participants, part)),
        }
    }

    fn write_payload(&self, payload: &[Bound<W>], to: &mut Vec<u8>) {
        write_bounds(payload, to);
    }

    fn read_payload(
        &self,
        len: usize,
        from: &mut Bytes<'_>,
        into: &mut Vec<Bound<W>>,
    ) -> Result<(), Malformed> {
        into.clear();
        let bytes = size_of::<Bound<W>>();
        // The payload is a square matrix with at least the reference clock.
        if len == 0 || len.isqrt().pow(2) != len {
            return Err(Malformed);
        }
        try_read_bounds(from.take(len.checked_mul(bytes).ok_or(Malformed)?)?, into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zonaut_dbm::{Narrow, Wide};

    fn check<W: Width>() {
        let codec = ZoneCodec { names: StepNames::new(3) };
        let zone: Vec<Bound<W>> =
            vec![Bound::ZERO, Bound::lt(-7), Bound::INFINITY, Bound::le(1 << 20)];
        let mut bytes = Vec::new();
        codec.write_payload(&zone, &mut bytes);
        assert_eq!(bytes.len(), zone.len() * size_of::<Bound<W>>());
        let mut read = Vec::new();
        let codec: &dyn Codec<Step, Bound<W>> = &codec;
        assert_eq!(codec.read_payload(4, &mut Bytes::new(&bytes), &mut read), Ok(()));
        assert!(read == zone);
        for wrong in [0, 2, 3, 9] {
            let mut bytes = Bytes::new(&bytes);
            assert_eq!(codec.read_payload(wrong, &mut bytes, &mut read), Err(Malformed));
        }
        bytes[size_of::<Bound<W>>() - 1] = 0x7f;
        assert_eq!(codec.read_payload(4, &mut Bytes::new(&bytes), &mut read), Err(Malformed));
    }

    #[test]
    fn zones_are_read_back_and_other_bytes_refused() {
        check::<Narrow>();
        check::<Wide>();
    }

    #[test]
    fn steps_have_the_numbers_of_the_process_that_reads_them() {
        let (here, there) =
            (ZoneCodec { names: StepNames::new(5) }, ZoneCodec { names: StepNames::new(5) });
        let actions = |numbers: &[usize]| -> Vec<ActionId> {
            numbers.iter().map(|&number| ActionId::from_index(number)).collect()
        };
        let _ = there.names.name(&actions(&[4, 0]), 1);
        let (here, there): (&dyn Codec<Step, Bound<Narrow>>, &dyn Codec<Step, Bound<Narrow>>) =
            (&here, &there);
        let names = StepNames::new(5);
        let local = ZoneCodec { names: names.clone() };
        let local: &dyn Codec<Step, Bound<Narrow>> = &local;
        for (participants, part) in [(&[3][..], 0), (&[3], 2), (&[1, 2], 0), (&[2, 1, 0], 7)] {
            let step = names.name(&actions(participants), part);
            let mut bytes = Vec::new();
            local.write_step(step, &mut bytes);
            for other in [here, there] {
                let read = other.read_step(&mut Bytes::new(&bytes)).expect("a step");
                let mut again = Vec::new();
                other.write_step(read, &mut again);
                assert_eq!(again, bytes);
            }
        }
        let mut wrong = Vec::new();
        [0, 1, 5].into_iter().for_each(|number| put_u32(&mut wrong, number));
        assert_eq!(local.read_step(&mut Bytes::new(&wrong)), Err(Malformed));
        assert_eq!(local.read_step(&mut Bytes::new(&[0; 8])), Err(Malformed));
    }
}
