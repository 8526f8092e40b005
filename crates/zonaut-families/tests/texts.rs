//! The texts of all families: layout, constants and queries.

use zonaut_families::{DefaultValue, FAMILIES, Family, Generated, find};

/// The family's member with these arguments, which are in range.
fn member(name: &str, arguments: &[u32]) -> Generated {
    find(name).expect("a known family").generate(arguments).expect("arguments in range")
}

/// The argument lists with which every family is tested: none, and the first parameter at its least
/// value and a little above.
fn samples(family: &Family) -> Vec<Vec<u32>> {
    let least = family.parameters[0].minimum;
    vec![vec![], vec![least], vec![least + 1], vec![least + 2]]
}

/// The numbers of process templates, locations, edges and channels written.
fn shape(model: &str) -> [usize; 4] {
    let code: Vec<&str> =
        model.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let code = code.join("\n");
    let lists = |word: &str| -> usize {
        code.split(';')
            .filter_map(|part| part.split_once(word).map(|(_, list)| list.split(',').count()))
            .sum()
    };
    [
        code.matches("process ").count(),
        lists("state\n") + lists("state "),
        code.matches(" -> ").count(),
        lists("chan "),
    ]
}

#[test]
fn every_family_has_the_locations_and_edges_of_its_protocol() {
    let expected = [
        ("fischer", [1, 4, 5, 0]),
        ("csmacd", [2, 4 + 3, 7 + 9, 4]),
        ("fddi", [2, 2 + 8, 2 + 10, 2]),
        ("critical-region", [3, 2 + 2 + 7, 3 + 2 + 8, 2]),
        ("train-gate", [2, 3 + 5, 5 + 6, 4]),
        ("leader-election", [2, 8 + 3, 9 + 2, 3]),
        ("arbiter-tree", [2, 6 + 3, 8 + 3, 3]),
        ("parallel", [1, 3, 3, 1]),
        ("dining-philosophers", [2, 4 + 2, 5 + 2, 2]),
        ("fireflies", [1, 1, 3, 1]),
        ("fischer-a", [2, 5 + 2, 8 + 1, 2]),
        ("fischer-b", [1, 4, 5, 0]),
        ("fischer-c", [1, 4, 5, 0]),
        ("hanoi", [1, 3, 6, 0]),
        ("bridge", [2, 4 + 4, 4 + 5, 2]),
        ("sidmar", [3, 14 + 3 + 1, 14 + 4, 0]),
        ("biphase", [3, 5 + 2 + 2, 9 + 3 + 4, 1]),
    ];
    assert_eq!(expected.map(|(name, _)| name).to_vec(), names());
    for (name, shape_of_protocol) in expected {
        assert_eq!(shape(&member(name, &[]).model), shape_of_protocol, "{name}");
    }
}

#[test]
fn random_shops_depend_on_their_seed_alone() {
    let shop = |words: &[&str]| find("random-shop").expect("a family").generate_from_words(words);
    let [first, again, other] = ["1", "1", "2"].map(|seed| shop(&["4", "3", seed]).expect(seed));
    assert_eq!(shape(&first.model), [4, 4 * 7, 4 * 6, 0]);
    assert_eq!(first.model, again.model);
    assert_ne!(first.model, other.model);
    assert!(shop(&["0"]).is_err() && shop(&["4", "3", "2", "1"]).is_err());
}

fn names() -> Vec<&'static str> {
    FAMILIES.iter().map(|family| family.name).collect()
}

#[test]
fn every_argument_is_a_constant_of_the_text() {
    for family in FAMILIES {
        for (place, parameter) in family.parameters.iter().enumerate() {
            for value in [parameter.minimum, parameter.minimum + 7, parameter.maximum] {
                let word = format!("{}={value}", parameter.name);
                let model = family.generate_from_words(&[&word]).expect(&word).model;
                let declaration = format!("const int {} = {value};", parameter.name);
                assert!(model.contains(&declaration), "{} {word} ({place})", family.name);
            }
        }
    }
}

#[test]
fn only_constants_and_initial_values_depend_on_the_arguments() {
    for family in FAMILIES {
        let [least, more] = [0, 3].map(|above| family.parameters[0].minimum + above);
        let [small, large] = [least, more].map(|size| member(family.name, &[size]));
        assert_eq!(small.queries, large.queries, "{}", family.name);
        let body = |text: &str| -> Vec<String> {
            let is_body = |line: &&str| {
                !line.starts_with("const int ")
                    && !line.trim_start().starts_with(|first: char| first.is_ascii_digit())
            };
            text.lines().filter(is_body).map(str::to_owned).collect()
        };
        assert_eq!(body(&small.model), body(&large.model), "{}", family.name);
    }
}

#[test]
fn a_default_is_equivalent_to_its_value() {
    for family in FAMILIES {
        let first = match family.parameters[0].default {
            DefaultValue::Fixed(value) => value,
            DefaultValue::TimesFirst(_) => panic!("the first default has no first to refer to"),
        };
        let values: Vec<u32> = family
            .parameters
            .iter()
            .map(|parameter| match parameter.default {
                DefaultValue::Fixed(value) => value,
                DefaultValue::TimesFirst(factor) => factor * first,
            })
            .collect();
        for given in 0..=values.len() {
            assert_eq!(member(family.name, &values[..given]), member(family.name, &[]));
        }
    }
}

#[test]
fn texts_are_readable_and_balanced() {
    for family in FAMILIES {
        for arguments in samples(family) {
            let text = member(family.name, &arguments).text();
            assert!(text.starts_with("// "), "{}", family.name);
            assert!(text.ends_with("}\n"), "{}", family.name);
            for (open, close) in [('{', '}'), ('(', ')'), ('[', ']')] {
                let count = |wanted: char| text.chars().filter(|&c| c == wanted).count();
                assert_eq!(count(open), count(close), "{} {open}{close}", family.name);
            }
            let model = &member(family.name, &arguments).model;
            let widest = model.lines().map(str::len).max().unwrap_or(0);
            assert!(widest <= 100, "{} has a line of {widest}", family.name);
            assert!(!text.contains('\t') && text.lines().all(|line| line.trim_end() == line));
        }
    }
}

#[test]
fn the_same_arguments_give_the_same_text() {
    for family in FAMILIES {
        for arguments in samples(family) {
            assert_eq!(member(family.name, &arguments), member(family.name, &arguments));
        }
    }
}

#[test]
fn the_first_query_is_a_safety_query_or_the_only_one_and_all_follow_the_model() {
    for family in FAMILIES {
        let generated = member(family.name, &[]);
        let is_alone = generated.queries.len() == 1;
        assert!(is_alone || generated.queries[0].starts_with("A[] "), "{}", family.name);
        let mut text = generated.model.clone();
        for query in &generated.queries {
            assert!(query.starts_with("A[] ") || query.starts_with("E<> "), "{query}");
            text += &format!("\nquery {{ {query} }}\n");
        }
        assert_eq!(generated.text(), text);
    }
}

#[test]
fn queries_name_processes_and_locations_of_the_model() {
    for family in FAMILIES {
        let generated = member(family.name, &[]);
        for query in &generated.queries {
            for (before, after) in query.split('.').zip(query.split('.').skip(1)) {
                let location: String =
                    after.chars().take_while(|c| c.is_ascii_alphanumeric()).collect();
                let process = before.rsplit_once('(').map_or(before, |(process, _)| process);
                let process: String = if before.ends_with(')') { process } else { before }
                    .rsplit(|c: char| !c.is_ascii_alphanumeric())
                    .next()
                    .unwrap_or_default()
                    .to_owned();
                // An instance has the locations of its template.
                let instance = generated.model.split_once(&format!("\n{process} = "));
                let process = match instance.and_then(|(_, rest)| rest.split_once('(')) {
                    Some((template, _)) => template.to_owned(),
                    None => process,
                };
                let template = format!("process {process}(");
                let (_, rest) = generated.model.split_once(&template).expect(&template);
                let states = rest.split("init ").next().unwrap_or_default();
                let is_location = |word: &str| word == location;
                let mut words = states.split(|c: char| !c.is_ascii_alphanumeric());
                assert!(words.any(is_location), "{}: {process}.{location}", family.name);
            }
        }
    }
}

#[test]
fn the_ring_of_candidates_starts_with_every_number_once() {
    for size in [2, 15, 16, 17, 100] {
        let model = member("leader-election", &[size]).model;
        let (_, rest) = model.split_once("shown[id_t] = {").expect("the initial values");
        let (list, _) = rest.split_once('}').expect("the end of the initial values");
        let values: Vec<u32> =
            list.split(',').map(|value| value.trim().parse().expect("a number")).collect();
        assert_eq!(values, (0..size).collect::<Vec<_>>());
    }
}

#[test]
fn every_disc_lies_on_the_next_larger_one_at_first() {
    for size in [1, 15, 16, 17, 100] {
        let model = member("hanoi", &[size]).model;
        let (_, rest) = model.split_once("under[disc_t] = {").expect("the initial values");
        let (list, _) = rest.split_once('}').expect("the end of the initial values");
        let values: Vec<u32> =
            list.split(',').map(|value| value.trim().parse().expect("a number")).collect();
        assert_eq!(values, (2..=size + 1).collect::<Vec<_>>());
    }
}

#[test]
fn the_rotation_time_of_a_ring_follows_its_size_unless_it_is_given() {
    assert!(member("fddi", &[7]).model.contains("const int TTRT = 50 * N;"));
    assert!(member("fddi", &[7, 350]).model.contains("const int TTRT = 50 * N;"));
    assert!(member("fddi", &[7, 100]).model.contains("const int TTRT = 100;"));
}
