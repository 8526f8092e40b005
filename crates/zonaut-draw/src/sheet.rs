//! The style sheet of pictures, applied to their elements: formats without style sheets need the
//! colour and the width of each line.
//!
//! The sheet uses a small part of CSS: variables of the light scheme, lists of selectors that
//! combine classes, attributes and element names by descent, and a few properties.

use crate::picture::STYLE;
use std::collections::HashMap;

/// A colour with components from 0 to 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Colour(pub(crate) [f64; 3]);

const BLACK: Colour = Colour([0.0; 3]);

impl Colour {
    /// A colour such as `#1f2328` or `#fff`; black if it has another form.
    pub(crate) fn parse(text: &str) -> Self {
        let digits = text.trim().trim_start_matches('#');
        let long: String = match digits.len() {
            3 => digits.chars().flat_map(|digit| [digit, digit]).collect(),
            _ => digits.to_owned(),
        };
        let part = |at: usize| {
            let number = long.get(at..at + 2).and_then(|it| u8::from_str_radix(it, 16).ok());
            f64::from(number.unwrap_or(0)) / 255.0
        };
        Self([part(0), part(2), part(4)])
    }

    /// The colour with this opacity on a white page.
    fn faded(self, opacity: f64) -> Self {
        Self(self.0.map(|part| 1.0 - (1.0 - part) * opacity))
    }
}

/// An element with its classes and attributes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: HashMap<String, String>,
}

impl Element {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).map(String::as_str)
    }

    fn has_class(&self, class: &str) -> bool {
        self.get("class").is_some_and(|all| all.split(' ').any(|own| own == class))
    }
}

/// How an element is painted.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Paint {
    pub(crate) fill: Option<Colour>,
    pub(crate) stroke: Option<Colour>,
    pub(crate) width: f64,
    pub(crate) dashes: Vec<f64>,
    pub(crate) size: f64,
    pub(crate) is_bold: bool,
    pub(crate) is_sans: bool,
    pub(crate) anchor: Anchor,
}

/// The part of a text that is at its position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// A compound selector, such as `.enabled` or `[data-l]`.
#[derive(Debug)]
struct Compound {
    name: Option<&'static str>,
    classes: Vec<&'static str>,
    attribute: Option<&'static str>,
}

impl Compound {
    fn parse(text: &'static str) -> Option<Self> {
        if text.contains(':') {
            return None;
        }
        let (front, attribute) = match text.split_once('[') {
            Some((front, rest)) => (front, Some(rest.trim_end_matches(']'))),
            None => (text, None),
        };
        let mut parts = front.split('.');
        let name = parts.next().filter(|name| !name.is_empty());
        Some(Self { name, classes: parts.collect(), attribute })
    }

    fn matches(&self, element: &Element) -> bool {
        self.name.is_none_or(|name| name == element.name)
            && self.classes.iter().all(|class| element.has_class(class))
            && self.attribute.is_none_or(|name| element.attributes.contains_key(name))
    }

    /// Its weight: classes and attributes count more than names.
    fn weight(&self) -> usize {
        let marks = self.classes.len() + usize::from(self.attribute.is_some());
        marks * 100 + usize::from(self.name.is_some())
    }
}

/// A selector with the declarations of its rule.
#[derive(Debug)]
struct Rule {
    compounds: Vec<Compound>,
    declarations: &'static str,
}

/// The style sheet.
pub(crate) struct Sheet {
    variables: HashMap<&'static str, &'static str>,
    /// In ascending order of precedence.
    rules: Vec<Rule>,
}

impl Sheet {
    /// The light scheme of the style sheet of all pictures.
    pub(crate) fn light() -> Self {
        let mut sheet = Self { variables: HashMap::new(), rules: Vec::new() };
        // Conditional rules, which are nested, are for other media.
        let mut depth = 0_usize;
        let mut selector = "";
        let mut from = 0;
        for (at, c) in STYLE.char_indices() {
            match c {
                '{' => {
                    if depth == 0 {
                        selector = STYLE[from..at].trim();
                    }
                    depth += 1;
                    from = at + 1;
                }
                '}' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 && !selector.starts_with('@') {
                        sheet.add(selector, &STYLE[from..at]);
                    }
                    from = at + 1;
                }
                _ => {}
            }
        }
        sheet.rules.sort_by_key(|rule| rule.compounds.iter().map(Compound::weight).sum::<usize>());
        sheet
    }

    fn add(&mut self, selectors: &'static str, declarations: &'static str) {
        if selectors == ":root" {
            let all = declarations.split(';').filter_map(|it| it.split_once(':'));
            self.variables.extend(all.map(|(name, value)| (name.trim(), value.trim())));
            return;
        }
        for selector in selectors.split(',') {
            let compounds: Option<Vec<Compound>> =
                selector.split_whitespace().map(Compound::parse).collect();
            self.rules.extend(compounds.map(|compounds| Rule { compounds, declarations }));
        }
    }

    /// The paint of the last of the elements, each inside the one before it.
    pub(crate) fn paint(&self, elements: &[Element]) -> Paint {
        let mut values: HashMap<&str, String> = HashMap::new();
        let Some(own) = elements.last() else { return self.resolved(&values) };
        for name in ["fill", "stroke", "stroke-width"] {
            values.extend(own.get(name).map(|value| (name, value.to_owned())));
        }
        for rule in self.rules.iter().filter(|rule| applies(rule, elements)) {
            for (name, value) in rule.declarations.split(';').filter_map(|it| it.split_once(':')) {
                values.insert(name.trim(), value.trim().to_owned());
                if name.trim() == "font" {
                    // Size and weight of the shorthand.
                    let words: Vec<&str> = value.split_whitespace().collect();
                    let size = words.iter().find(|word| word.ends_with("px"));
                    values.extend(size.map(|size| ("font-size", (*size).to_owned())));
                    let weight = words.iter().find(|word| word.parse::<u32>().is_ok());
                    values.extend(weight.map(|weight| ("font-weight", (*weight).to_owned())));
                }
            }
        }
        self.resolved(&values)
    }

    fn resolved(&self, values: &HashMap<&str, String>) -> Paint {
        let get = |name: &str| values.get(name).map(String::as_str);
        let number = |name: &str| get(name)?.trim_end_matches("px").parse::<f64>().ok();
        let colour = |name: &str, usual: Option<Colour>| match get(name) {
            None => usual,
            Some("none" | "transparent") => None,
            Some(value) => Some(self.colour(value)),
        };
        let opacity = number("fill-opacity").unwrap_or(1.0);
        let dashes = get("stroke-dasharray").unwrap_or_default().split_whitespace();
        Paint {
            fill: colour("fill", Some(BLACK)).map(|fill| fill.faded(opacity)),
            stroke: colour("stroke", None),
            width: number("stroke-width").unwrap_or(1.0),
            dashes: dashes.filter_map(|word| word.parse().ok()).collect(),
            size: number("font-size").unwrap_or(12.0),
            is_bold: number("font-weight").is_some_and(|weight| weight > 500.0),
            is_sans: get("font").is_some_and(|font| font.contains("sans-serif")),
            anchor: match get("text-anchor") {
                Some("middle") => Anchor::Middle,
                Some("end") => Anchor::End,
                _ => Anchor::Start,
            },
        }
    }

    fn colour(&self, value: &str) -> Colour {
        let variable = value.strip_prefix("var(").and_then(|it| it.strip_suffix(')'));
        match variable {
            Some(name) => self.variables.get(name).map_or(BLACK, |value| Colour::parse(value)),
            None => Colour::parse(value),
        }
    }
}

/// Whether the last compound matches the last element, and the others match elements around it.
fn applies(rule: &Rule, elements: &[Element]) -> bool {
    let (Some((last, outer)), Some((own, around))) =
        (rule.compounds.split_last(), elements.split_last())
    else {
        return false;
    };
    let mut around = around.iter().rev();
    last.matches(own) && outer.iter().rev().all(|it| around.any(|element| it.matches(element)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(name: &str, attributes: &[(&str, &str)]) -> Element {
        let attributes = attributes.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
        Element { name: name.to_owned(), attributes: attributes.collect() }
    }

    #[test]
    fn elements_get_the_colours_of_the_style_sheet() {
        let sheet = Sheet::light();
        let zd = element("svg", &[("class", "zd")]);
        let paint = |inner: &[Element]| sheet.paint(&[std::slice::from_ref(&zd), inner].concat());
        let edge = element("path", &[("class", "edge")]);
        let plain = paint(&[element("g", &[("data-e", "0")]), edge.clone()]);
        assert_eq!((plain.fill, plain.width), (None, 1.3));
        assert_eq!(plain.stroke, Some(Colour::parse("#1f2328")));
        let taken = paint(&[element("g", &[("class", "taken")]), edge]);
        assert_eq!((taken.stroke, taken.width), (Some(Colour::parse("#cf222e")), 2.8));
        let name = element("text", &[("class", "name")]);
        let label = paint(&[element("g", &[("data-l", "1")]), name]);
        assert!(label.is_bold && !label.is_sans);
        assert_eq!(label.stroke, Some(Colour::parse("#ffffff")), "labels have halos");
        let head = paint(&[element("text", &[("class", "head")])]);
        assert!(head.is_bold && head.is_sans);
        assert_eq!(head.size, 14.0);
        let own = element("path", &[("class", "own"), ("stroke", "#00ff00")]);
        assert_eq!(paint(&[own]).stroke, Some(Colour::parse("#0f0")));
    }
}
