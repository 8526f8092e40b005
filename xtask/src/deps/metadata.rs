//! Reads the packages of the workspace from the output of `cargo metadata --no-deps`.

use serde_json::Value;

/// A package of the workspace.
#[derive(Debug)]
pub(super) struct Package {
    /// Its name.
    pub(super) name: String,
    /// Its direct dependencies.
    pub(super) dependencies: Vec<Dependency>,
}

/// One direct dependency.
#[derive(Debug)]
pub(super) struct Dependency {
    /// The name of the package depended on, whatever it is renamed to.
    pub(super) name: String,
    /// Whether only tests, benches and examples see it.
    pub(super) is_for_development: bool,
}

/// Packages sorted by name, or the reason why the text is not the output of cargo.
pub(super) fn read(json: &[u8]) -> Result<Vec<Package>, String> {
    let root: Value = serde_json::from_slice(json).map_err(|error| error.to_string())?;
    let mut packages = list(&root, "packages")?
        .iter()
        .map(|package| {
            let dependencies =
                list(package, "dependencies")?.iter().map(dependency).collect::<Result<_, _>>()?;
            Ok(Package { name: name(package)?, dependencies })
        })
        .collect::<Result<Vec<_>, String>>()?;
    packages.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(packages)
}

fn dependency(value: &Value) -> Result<Dependency, String> {
    let kind = value.get("kind").and_then(Value::as_str);
    Ok(Dependency { name: name(value)?, is_for_development: kind == Some("dev") })
}

fn list<'v>(value: &'v Value, key: &str) -> Result<&'v Vec<Value>, String> {
    value.get(key).and_then(Value::as_array).ok_or_else(|| format!("no list `{key}` in metadata"))
}

fn name(value: &Value) -> Result<String, String> {
    let name = value.get("name").and_then(Value::as_str);
    name.map(str::to_owned).ok_or_else(|| "no `name` in metadata".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_sorted_and_have_kinds_of_dependencies() {
        let json = br#"{"packages": [
            {"name": "b", "dependencies": [
                {"name": "a", "kind": null}, {"name": "c", "kind": "dev"}, {"name": "d", "kind": "build"}]},
            {"name": "a", "dependencies": []}]}"#;
        let packages = read(json).unwrap();
        let names: Vec<&str> = packages.iter().map(|package| package.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        let kinds: Vec<bool> =
            packages[1].dependencies.iter().map(|edge| edge.is_for_development).collect();
        assert_eq!(kinds, [false, true, false]);
    }

    #[test]
    fn text_that_is_not_cargo_output_is_refused() {
        for text in ["", "[]", "{\"packages\": [{}]}", "{\"packages\": 3}"] {
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
    }
}
