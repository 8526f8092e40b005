//! Arguments of families: error messages for invalid ones, and accepted ranges.

use zonaut_families::{ArgumentError, FAMILIES, find};

fn message(family: &str, words: &[&str]) -> String {
    let family = find(family).expect("a known family");
    family.generate_from_words(words).expect_err("arguments that are wrong").to_string()
}

#[test]
fn an_error_for_a_number_out_of_range_names_the_range() {
    assert_eq!(
        message("leader-election", &["1"]),
        "N (number of candidates) must be between 2 and 10000, not 1"
    );
    assert_eq!(
        message("fischer", &["3", "-1"]),
        "K (longest time to write, and time to wait before entering) must be between 0 and \
         32767, not -1"
    );
    assert_eq!(
        message("train-gate", &["99999999999999999999"]),
        "N (number of trains) must be between 1 and 10000, not 99999999999999999999"
    );
}

#[test]
fn every_parameter_accepts_its_bounds_and_nothing_beyond() {
    for family in FAMILIES {
        for parameter in family.parameters {
            let with =
                |value: i64| family.generate_from_words(&[format!("{}={value}", parameter.name)]);
            let (least, most) = (i64::from(parameter.minimum), i64::from(parameter.maximum));
            assert!(with(least).is_ok() && with(most).is_ok());
            for outside in [least - 1, most + 1] {
                assert!(matches!(with(outside), Err(ArgumentError::OutOfRange { .. })));
            }
        }
    }
}

#[test]
fn defaults_are_in_range_for_every_size() {
    for family in FAMILIES {
        let most = family.parameters[0].maximum;
        let text = family.generate(&[most]).expect("the greatest size").model;
        assert!(text.contains(&format!("= {most};")));
    }
}

#[test]
fn a_word_that_is_no_number_is_quoted() {
    for word in ["many", "", "3.5", "0x10", "+3", "-", "1 2"] {
        assert_eq!(
            message("fischer", &[word]),
            format!(
                "`{word}` is not a number; N (number of processes) must be between 1 and 10000"
            )
        );
    }
}

#[test]
fn too_many_arguments_are_refused() {
    assert_eq!(
        message("train-gate", &["3", "4"]),
        "`4` is one argument too many: train-gate takes at most 1"
    );
    for family in FAMILIES {
        let least: Vec<u32> = family.parameters.iter().map(|p| p.minimum).chain([1]).collect();
        assert!(matches!(family.generate(&least), Err(ArgumentError::TooMany { .. })));
    }
}

#[test]
fn arguments_can_be_named_in_any_order_and_case() {
    let csmacd = find("csmacd").expect("a known family");
    let positional = csmacd.generate(&[3, 100, 5]);
    assert_eq!(csmacd.generate_from_words(&["sigma=5", "N=3", "Lambda=100"]), positional);
    assert_eq!(csmacd.generate_from_words(&["3", "SIGMA=5", "LAMBDA=100"]), positional);
}

#[test]
fn an_error_for_an_unknown_name_lists_the_known_ones() {
    assert_eq!(
        message("csmacd", &["delta=5"]),
        "csmacd has no parameter `delta`; its parameters are N, LAMBDA, SIGMA"
    );
}

#[test]
fn a_parameter_given_twice_is_refused() {
    assert_eq!(message("fischer", &["4", "n=4"]), "N (number of processes) is given twice");
}

#[test]
fn usage_names_the_parameters() {
    assert_eq!(find("fischer").expect("a known family").usage(), "fischer [N] [K]");
    assert!(find("fisher").is_none());
}
