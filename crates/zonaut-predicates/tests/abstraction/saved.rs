//! Saving and loading of predicate abstractions.

use crate::figures::task;
use crate::laws::{ask, shared};
use zonaut_base::LoadError;
use zonaut_compile::BoundsTable;
use zonaut_dbm::Narrow;
use zonaut_predicates::{Cut, Shared};
use zonaut_testkit::world::World;

const COUNTER: &str = "int[0,3] n; clock x;
    process P() {
        state a, b; init a;
        trans a -> a { guard x >= 1; assign n := n + 1, x := 0; }, a -> b { guard n == 3 && x < 1; };
    }
    system P;";

type Load<'a> = &'a dyn Fn(&[u8], &[u8]) -> Result<Shared<Narrow>, LoadError>;

fn with_saved(check: impl Fn(&mut Shared<Narrow>, &[u8], Load<'_>)) {
    let counter = task(COUNTER, "E<> P.b");
    let bounds = BoundsTable::new(&counter.model, &counter.goal);
    let cut = Cut { split: Some(1), ..Cut::default() };
    let mut heuristic = shared(&counter, &cut, 20_000);
    let mut file = Vec::new();
    heuristic.save(b"counter", &mut file).expect("memory holds it");
    check(&mut heuristic, &file, &|bytes, fingerprint| {
        Shared::load(&counter.model, &bounds, fingerprint, &mut &*bytes)
    });
}

#[test]
fn saved_abstractions_load_unchanged() {
    let counter = task(COUNTER, "E<> P.b");
    let world = World::new(&counter.model, &counter.goal).expect("a small world");
    with_saved(|heuristic, file, load| {
        let mut read = load(file, b"counter").expect("just written");
        assert_eq!(read.size().states, heuristic.size().states);
        for state in &world.states {
            assert_eq!(ask(&mut read, state), ask(heuristic, state));
        }
        let mut again = Vec::new();
        read.save(b"counter", &mut again).expect("memory holds it");
        assert_eq!(again, file);
    });
}

#[test]
fn files_of_another_model_or_format_are_rejected() {
    with_saved(|_, file, load| {
        assert!(matches!(load(file, b"lamp"), Err(LoadError::Other)));
        let mut earlier = file.to_vec();
        earlier[15] = b'0';
        assert!(matches!(load(&earlier, b"counter"), Err(LoadError::Format)));
    });
}

#[test]
fn damaged_files_are_rejected() {
    with_saved(|_, file, load| {
        for length in 0..file.len() {
            assert!(load(&file[..length], b"counter").is_err());
        }
        let mut damaged = file.to_vec();
        for position in 0..file.len() {
            for bit in [0, 3, 7] {
                damaged[position] ^= 1 << bit;
                assert!(load(&damaged, b"counter").is_err(), "{position} {bit}");
                damaged[position] = file[position];
            }
        }
    });
}
