//! Saving and loading of databases.

use crate::check::Problem;
use zonaut_compile::BoundsTable;
use zonaut_pdb::{AbstractModel, Database, LoadError, Pattern, Symbols};

const LAMP: &str = "chan press; clock x;
    process Lamp() { state off, on { x <= 5 }, bright; init off;
        trans off -> on { sync press?; assign x := 0; }, on -> bright { guard x < 3; sync press?; },
            on -> off { guard x >= 5; }; }
    process User() { state idle; init idle; trans idle -> idle { sync press!; }; }
    system Lamp, User;";

fn with_saved(
    check: impl Fn(&Database, &[u8], &dyn Fn(&[u8], &[u8]) -> Result<Database, LoadError>),
) {
    let problem = Problem::of_text(LAMP, "E<> Lamp.bright");
    let bounds = BoundsTable::new(&problem.model, &problem.goal);
    let pattern = Pattern::dropping(&problem.model, &Symbols::default());
    let abstract_model = AbstractModel::new(&problem.model, &problem.goal, &pattern);
    let database =
        Database::build(&problem.model, &bounds, &abstract_model, &mut ()).expect("explorable");
    let mut file = Vec::new();
    database.save(b"lamp", &mut file).expect("memory holds it");
    check(&database, &file, &|bytes, fingerprint| {
        Database::load(&problem.model, &bounds, &abstract_model, fingerprint, &mut &*bytes)
    });
}

#[test]
fn saved_files_are_loaded_again() {
    with_saved(|database, file, load| {
        let read = load(file, b"lamp").expect("just written");
        assert_eq!(read.size(), database.size());
        let mut again = Vec::new();
        read.save(b"lamp", &mut again).expect("memory holds it");
        assert_eq!(again, file);
    });
}

#[test]
fn a_database_of_another_model_is_refused() {
    with_saved(|_, file, load| assert!(matches!(load(file, b"tram"), Err(LoadError::Other))));
}

/// The first version was built by a construction that lost values in temporary storage.
#[test]
fn a_database_of_an_earlier_version_is_refused() {
    with_saved(|_, file, load| {
        let mut earlier = file.to_vec();
        earlier[..16].copy_from_slice(b"zonaut database1");
        assert!(matches!(load(&earlier, b"lamp"), Err(LoadError::Format)));
    });
}

#[test]
fn damaged_files_are_refused() {
    with_saved(|_, file, load| {
        for length in 0..file.len() {
            assert!(load(&file[..length], b"lamp").is_err());
        }
        let mut damaged = file.to_vec();
        for position in 0..file.len() {
            for bit in [0, 3, 7] {
                damaged[position] ^= 1 << bit;
                assert!(load(&damaged, b"lamp").is_err(), "{position} {bit}");
                damaged[position] = file[position];
            }
        }
    });
}
