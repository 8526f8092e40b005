//! The native module exists after a build of the tests: `cargo xtask python-test` loads it.
//!
//! Its behaviour is tested in Python, by the other files of this folder.

use std::path::Path;

#[test]
fn the_stub_and_the_marker_of_types_are_beside_the_sources() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/zonaut");
    for name in ["__init__.py", "_zonaut.pyi", "py.typed"] {
        assert!(package.join(name).is_file(), "{name} is missing");
    }
}
