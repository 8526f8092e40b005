//! Merged automata that are saved and read again.

use crate::laws::{committed_partner, heuristic};
use zonaut_base::LoadError;
use zonaut_heuristics::DiscreteHeuristic;
use zonaut_merge::{Merged, Merging};
use zonaut_testkit::world::World;

fn saved() -> (Merged, Vec<u8>) {
    let heuristic = heuristic(&committed_partner(), Merging::default());
    let mut file = Vec::new();
    heuristic.save(b"partners", &mut file).expect("memory holds it");
    (heuristic, file)
}

fn load(mut bytes: &[u8], fingerprint: &[u8]) -> Result<Merged, LoadError> {
    Merged::load(&committed_partner().model, fingerprint, &mut bytes)
}

#[test]
fn saved_files_are_loaded_again() {
    let (mut heuristic, file) = saved();
    let mut read = load(&file, b"partners").expect("just written");
    let task = committed_partner();
    let world = World::new(&task.model, &task.goal).expect("a small world");
    for state in &world.states {
        assert_eq!(read.estimate(&state.values), heuristic.estimate(&state.values));
    }
    let mut again = Vec::new();
    read.save(b"partners", &mut again).expect("memory holds it");
    assert_eq!(again, file);
}

#[test]
fn other_and_damaged_files_are_refused() {
    let (_, file) = saved();
    assert!(matches!(load(&file, b"strangers"), Err(LoadError::Other)));
    for length in 0..file.len() {
        assert!(load(&file[..length], b"partners").is_err());
    }
    let mut damaged = file.clone();
    for position in 0..file.len() {
        for bit in [0, 3, 7] {
            damaged[position] ^= 1 << bit;
            assert!(load(&damaged, b"partners").is_err(), "{position} {bit}");
            damaged[position] = file[position];
        }
    }
}
