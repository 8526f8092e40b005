//! Mutations of certificates.

use crate::random::Random;

/// A mutation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Change {
    /// A node is removed; the others are renumbered and recounted.
    DropNode,
    /// A line is removed.
    DropLine,
    /// A line is repeated.
    DoubleLine,
    /// Two lines are swapped.
    SwapLines,
    /// A number is replaced by another one.
    Number,
    /// `<` becomes `<=`, or vice versa.
    Strictness,
    /// The content of a cell becomes unknown.
    Forget,
    /// A constraint or another word is removed or repeated.
    Word,
    /// A word is replaced by a word of another line.
    OtherWord,
    /// A byte is replaced by another one.
    Byte,
    /// The text is truncated.
    Cut,
}

const ALL: [Change; 11] = [
    Change::DropNode,
    Change::DropLine,
    Change::DoubleLine,
    Change::SwapLines,
    Change::Number,
    Change::Strictness,
    Change::Forget,
    Change::Word,
    Change::OtherWord,
    Change::Byte,
    Change::Cut,
];

const GENTLE: [Change; 5] =
    [Change::DropNode, Change::Number, Change::Strictness, Change::Forget, Change::Word];

impl Change {
    /// A mutation that is likely to leave the text well formed.
    pub(super) fn gentle(random: &mut Random) -> Self {
        random.choose(&GENTLE)
    }

    /// Any mutation.
    pub(super) fn any(random: &mut Random) -> Self {
        random.choose(&ALL)
    }

    /// Damages the content of a node, a table or a step, or removes a node.
    pub(super) fn applied_to_content(self, text: &str, random: &mut Random) -> String {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        if self == Self::DropNode {
            drop_node(&mut lines, random);
        } else {
            let spoken = |&k: &usize| words_of_content(&lines[k]).is_some();
            let places: Vec<usize> = (0..lines.len()).filter(spoken).collect();
            if let Some(first) = places.get(random.below(places.len().max(1))) {
                let line = &lines[*first];
                let (frame, content) = line.split_at(words_of_content(line).unwrap_or(0));
                let changed = self.applied(content, random);
                lines[*first] = format!("{frame}{}", changed.trim_end_matches('\n'));
            }
        }
        lines.iter().map(|line| format!("{line}\n")).collect()
    }

    /// The damaged text.
    pub(super) fn applied(self, text: &str, random: &mut Random) -> String {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        if lines.is_empty() {
            return text.to_owned();
        }
        let (position, other) = (random.below(lines.len()), random.below(lines.len()));
        match self {
            Self::DropNode => drop_node(&mut lines, random),
            Self::DropLine => drop(lines.remove(position)),
            Self::DoubleLine => lines.insert(other, lines[position].clone()),
            Self::SwapLines => lines.swap(position, other),
            Self::Number => lines[position] = with_another_number(&lines[position], random),
            Self::Strictness => {
                let line = &lines[position];
                let parts: Vec<&str> = line.split('<').collect();
                let which = random.below(parts.len());
                lines[position] = with_other_strictness(&parts, which);
            }
            Self::Forget => {
                let line = &lines[position];
                let values: Vec<usize> = line.match_indices('=').map(|(at, _)| at + 1).collect();
                if let Some(&start) = values.get(random.below(values.len().max(1))) {
                    let rest =
                        line[start..].find([',', ' ']).map_or("", |end| &line[start + end..]);
                    lines[position] = format!("{}*{rest}", &line[..start]);
                }
            }
            Self::Word => {
                let mut words: Vec<&str> = lines[position].split(' ').collect();
                let which = random.below(words.len());
                match random.chance(60) {
                    true => drop(words.remove(which)),
                    false => words.insert(which, words[which]),
                }
                lines[position] = words.join(" ");
            }
            Self::OtherWord => {
                let words: Vec<&str> = lines[other].split(' ').collect();
                let word = random.choose(&words);
                let mut words: Vec<&str> = lines[position].split(' ').collect();
                let which = random.below(words.len());
                words[which] = word;
                lines[position] = words.join(" ");
            }
            Self::Byte => return with_another_byte(text, random),
            Self::Cut => {
                let end = random.below(text.len() + 1);
                let end = (0..=end).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
                return text[..end].to_owned();
            }
        }
        lines.iter().map(|line| format!("{line}\n")).collect()
    }
}

/// The position of the first word of a line's content: after the keyword, and in every other case
/// after the number and the discrete state of a node.
fn words_of_content(line: &str) -> Option<usize> {
    let words = match line.split(' ').next()? {
        "node" if line.len().is_multiple_of(2) => 4,
        "node" | "bounds" | "rank" | "take" | "least" | "greatest" => 2,
        "act" | "delay" | "denom" | "cost" | "by" => 1,
        _ => return None,
    };
    let end = line.match_indices(' ').nth(words - 1)?.0 + 1;
    (end < line.len()).then_some(end)
}

fn is_node(line: &str) -> bool {
    line.starts_with("node ")
}

/// Removes a node such that the text stays well formed: the other nodes of its set are recounted
/// and renumbered, and so are lines about one of them.
fn drop_node(lines: &mut Vec<String>, random: &mut Random) {
    let nodes: Vec<usize> = (0..lines.len()).filter(|&k| is_node(&lines[k])).collect();
    if nodes.is_empty() {
        return;
    }
    let place = random.choose(&nodes);
    let number = |line: &str| line.split(' ').nth(1).and_then(|word| word.parse::<usize>().ok());
    let Some(dropped) = number(&lines[place]) else { return };
    let is_start = |k: &usize| lines[*k].starts_with("nodes ");
    let start = (0..place).rev().find(is_start).unwrap_or(0);
    let is_next = |k: &usize| lines[*k].starts_with("set ");
    let end = (place..lines.len()).find(is_next).unwrap_or(lines.len());
    let renumbered = |line: String| {
        let words: Vec<&str> = line.splitn(3, ' ').collect();
        let (keyword, rest) = (words[0], words.get(2).copied().unwrap_or_default());
        match (keyword, number(&line)) {
            ("nodes", Some(count)) => Some(format!("nodes {}", count.saturating_sub(1))),
            ("hint", _) => None,
            ("node" | "rank" | "take" | "reason" | "cost" | "goal" | "by", Some(own))
                if own == dropped =>
            {
                None
            }
            ("node" | "rank" | "take" | "reason" | "cost" | "goal" | "by", Some(own)) => {
                Some(format!("{keyword} {} {rest}", own - usize::from(own > dropped)))
            }
            _ => Some(line),
        }
    };
    let set: Vec<String> = lines[start..end].iter().cloned().filter_map(renumbered).collect();
    lines.splice(start..end, set);
}

/// Replaces one number of the line.
fn with_another_number(line: &str, random: &mut Random) -> String {
    let bytes = line.as_bytes();
    let starts: Vec<usize> = (0..bytes.len())
        .filter(|&k| bytes[k].is_ascii_digit() && (k == 0 || !bytes[k - 1].is_ascii_digit()))
        .collect();
    if starts.is_empty() {
        return line.to_owned();
    }
    let start = random.choose(&starts);
    let digits = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (before, after) = (&line[..start], &line[start + digits..]);
    let old: i64 = line[start..start + digits].parse().unwrap_or(i64::MAX);
    let new = match random.below(6) {
        0 | 1 => old.saturating_add(1),
        2 | 3 => old.saturating_sub(1),
        4 => random.choose(&[0, 1, -1, 1 << 31, 1 << 40, 1 << 62, i64::MAX, i64::MIN]),
        _ => i64::from(random.between(0, 20)),
    };
    format!("{before}{new}{after}")
}

/// Joins the parts of a line between `<`, and flips the strictness of the relation before part
/// `which`.
fn with_other_strictness(parts: &[&str], which: usize) -> String {
    let part = |(k, part): (usize, &&str)| match (k, part.strip_prefix('=')) {
        (0, _) => (*part).to_owned(),
        (k, Some(rest)) if k == which => format!("<{rest}"),
        (k, None) if k == which => format!("<={part}"),
        _ => format!("<{part}"),
    };
    parts.iter().enumerate().map(part).collect()
}

/// Replaces one byte of the text; returns it unchanged if the result is not valid text.
fn with_another_byte(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let position = random.below(bytes.len());
    bytes[position] = match random.chance(50) {
        true => bytes[position] ^ (1 << random.below(8)),
        false => random.choose(b" \n0123456789-<=,.:*x"),
    };
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "abs incl\nnodes 3\nnode 0 0 - 1-0<=5\nnode 1 1 - 0-1<-3\nnode 2 0 2=1\n";

    #[test]
    fn a_removed_node_leaves_no_gap_in_the_numbering() {
        for seed in 0..20 {
            let changed = Change::DropNode.applied(TEXT, &mut Random::new(seed));
            let mut lines = changed.lines().skip(1);
            assert_eq!(lines.next(), Some("nodes 2"));
            let starts: Vec<&str> = lines.map(|line| &line[..6]).collect();
            assert_eq!(starts, ["node 0", "node 1"]);
        }
    }

    #[test]
    fn strictness_is_flipped_in_both_directions() {
        let check =
            |line: &str, which| with_other_strictness(&line.split('<').collect::<Vec<_>>(), which);
        assert_eq!(check("node 0 1-0<=5 0-1<2", 1), "node 0 1-0<5 0-1<2");
        assert_eq!(check("node 0 1-0<=5 0-1<2", 2), "node 0 1-0<=5 0-1<=2");
        assert_eq!(check("node 0 1-0<=5 0-1<2", 0), "node 0 1-0<=5 0-1<2");
    }

    #[test]
    fn every_mutation_changes_some_text() {
        for change in ALL {
            let mut random = Random::new(3);
            let is_changed = |_: &i32| change.applied(TEXT, &mut random) != TEXT;
            assert!((0..100).filter(is_changed).count() > 10, "{change:?}");
        }
        for change in GENTLE {
            let mut random = Random::new(3);
            let is_changed = |_: &i32| change.applied_to_content(TEXT, &mut random) != TEXT;
            assert!((0..100).filter(is_changed).count() > 10, "{change:?}");
        }
    }
}
