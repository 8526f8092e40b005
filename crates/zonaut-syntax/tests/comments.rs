//! Conversions between formats preserve comments.

use zonaut_base::{SourceFile, SourceMap};
use zonaut_syntax::tree::Document;
use zonaut_syntax::{ParseOptions, parse_model, print_xml, print_xta};

fn read(name: &str, text: &str) -> Document {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new(name, text));
    let (document, found) = parse_model(&mut sources, file, &ParseOptions::default());
    assert!(!found.has_errors(), "{text}");
    document
}

const XTA: &str = "// What this is.
/* And
   more. */
int n; // how many
const int A[2] = { 1, // one
                   2 }; /* two */ int m;
int f(int k) {
    // First.
    int i = 0; // counts
    // Before the loop.
    while (i < k) {
        i++; // again
        // Not yet.
    }
    if (i > 3) // too many
        return 3;
    return i; // done
    // The end.
}
int l; // last

// Not about the process.

// A process.
process P() {
    // Its own clock.
    clock x;
    // Where it is.
    state
        // At first.
        a { x <= 5 },
        b;
    init a;
    trans
        // Leaves late,
        // but leaves.
        a -> b { guard x > 4; },
        b -> a { };
    // No more.
}
// What runs.
system P; // alone
";

#[test]
fn printed_comments_keep_their_positions() {
    let printed = print_xta(&read("m.xta", XTA));
    let expected = "// What this is.
/* And
   more. */
int n; // how many
// one
const int A[2] = {1, 2}; /* two */
int m;
// too many
int f(int k)
{
    // First.
    int i = 0; // counts
    // Before the loop.
    while (i < k)
    {
        i++; // again
        // Not yet.
    }
    if (i > 3)
        return 3;
    return i; // done
    // The end.
}
int l; // last
// Not about the process.

process P() {
    // A process.
    // Its own clock.
    clock x;
    // Where it is.
    // No more.
    state
        // At first.
        a { x <= 5 },
        b;
    init a;
    trans
        // Leaves late,
        // but leaves.
        a -> b { guard x > 4; },
        b -> a { };
}

// What runs.
// alone
system P;
";
    assert_eq!(printed, expected);
}

#[test]
fn conversions_preserve_every_comment_and_are_stable() {
    let document = read("m.xta", XTA);
    let words = [
        "What this is",
        "more. ",
        "how many",
        "// one",
        "/* two",
        "First",
        "counts",
        "Before the loop",
        "again",
        "Not yet",
        "too many",
        "done",
        "The end",
        "last",
        "Not about the process",
        "A process",
        "Its own clock",
        "Where it is",
        "At first",
        "Leaves late",
        "but leaves",
        "No more",
        "What runs",
        "alone",
    ];
    let (xta, xml) = (print_xta(&document), print_xml(&document));
    let from_xml = read("m.xml", &xml);
    for word in words {
        assert_eq!(xta.matches(word).count(), 1, "{word}: {xta}");
        assert_eq!(xml.matches(word).count(), 1, "{word}: {xml}");
    }
    assert_eq!(print_xta(&read("m.xta", &xta)), xta);
    assert_eq!(print_xml(&from_xml), xml);
    assert_eq!(print_xta(&from_xml), xta);
    assert_eq!(print_xml(&read("m.xta", &xta)), xml);
}

#[test]
fn comments_with_markup_and_control_characters_print_as_valid_text() {
    let cut = "int n; /* one\ntwo */ process P() { state a; init a; } system P;";
    assert!(print_xta(&read("m.xta", cut)).starts_with("int n; /* one\ntwo */\n"));
    let text = "/* <b>&amp;]]> \u{1}\u{b} \"q\" */ int n; // </declaration>\r\n// a\rint k;\n\
                process P() { state a; init a; } system P;";
    let document = read("m.xta", text);
    for printed in [print_xta(&document), print_xml(&document)] {
        let name = if printed.starts_with('<') { "m.xml" } else { "m.xta" };
        let again = read(name, &printed);
        assert_eq!(again.declarations.len(), document.declarations.len(), "{printed}");
        assert_eq!(print_xta(&again), print_xta(&document));
    }
}

#[test]
fn a_template_without_declarations_keeps_its_comment() {
    let text = "<nta><declaration>// Place global declarations here.</declaration><template>\
        <name>P</name><declaration>// Place local declarations here.</declaration>\
        <location id=\"id0\"><label kind=\"comments\">Waits.</label></location><init ref=\"id0\"/>\
        </template><system>// List them.\nsystem P;</system></nta>";
    let document = read("m.xml", text);
    let xml = print_xml(&document);
    for comment in ["global", "local", "Waits.", "List them."] {
        assert!(xml.contains(comment), "{xml}");
        assert!(print_xta(&document).contains(comment), "{}", print_xta(&document));
    }
}
