//! The watch of the process's memory. It has a process of its own: other tests hold memory too.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};
use zonaut_engine::{MemoryWatch, Resources, held_memory};

#[test]
fn the_memory_flag_follows_the_limit() {
    if held_memory(std::process::id()).is_none() {
        return;
    }
    let resources = Resources { memory: Some(1 << 20), ..Resources::default() };
    let _watch = MemoryWatch::start(&resources);
    let becomes = |wanted: bool| {
        let end = Instant::now() + Duration::from_secs(20);
        while resources.exhausted.load(Ordering::Relaxed) != wanted {
            assert!(Instant::now() < end, "{wanted}");
            thread::sleep(Duration::from_millis(10));
        }
    };
    let block = vec![1_u8; 96 << 20];
    becomes(true);
    assert_eq!(block.iter().map(|&byte| u64::from(byte)).sum::<u64>(), 96 << 20);
    drop(block);
    becomes(false);
}
