//! Untrusted input: damaged, excessive or malicious files.

#![cfg(test)]

use zonaut_base::{Diagnostics, SourceFile, SourceMap};
use zonaut_syntax::tree::{Document, Queries};
use zonaut_syntax::{Limits, ParseOptions, parse_model, parse_query_text, print_xta};

fn model(text: &str) -> (Document, Diagnostics, SourceMap) {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("m", text));
    let (document, diagnostics) = parse_model(&mut sources, file, &ParseOptions::default());
    (document, diagnostics, sources)
}

fn query(text: &str) -> (Queries, Diagnostics, SourceMap) {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("q", text));
    let (queries, diagnostics) = parse_query_text(&mut sources, file, &ParseOptions::default());
    (queries, diagnostics, sources)
}

/// The first error or warning, except the one that a model is read in the 3.x language.
fn first(sources: &SourceMap, diagnostics: &Diagnostics) -> String {
    let mut problems = diagnostics.iter().filter(|d| d.code != zonaut_syntax::codes::READ_AS_OLD);
    let Some(diagnostic) = problems.next() else { return "fine".to_owned() };
    for label in &diagnostic.labels {
        assert!(label.span.end as usize <= sources.file(label.span.file).text().len());
    }
    let position = sources.position(diagnostic.span());
    format!("{}:{} {} {}", position.line, position.column, diagnostic.code, diagnostic.message)
}

/// Checks that `text` has this first error; text without errors must print, at any depth.
fn check(text: &str, expected: &str) {
    let (document, diagnostics, sources) = model(text);
    assert_eq!(first(&sources, &diagnostics), expected, "{}", &text[..text.len().min(200)]);
    if expected == "fine" {
        let printed = print_xta(&document);
        let (again, diagnostics, sources) = model(&printed);
        assert_eq!(first(&sources, &diagnostics), "fine");
        assert_eq!(print_xta(&again), printed);
    }
}

fn check_query(text: &str, expected: &str) {
    let (_, diagnostics, sources) = query(text);
    assert_eq!(first(&sources, &diagnostics), expected, "{}", &text[..text.len().min(200)]);
}

const REST: &str = "\nprocess P() { state a; init a; }\nsystem P;\n";

fn with_guard(guard: &str) -> String {
    format!("process P() {{ state a; init a; trans a -> a {{ guard {guard}; }}; }}\nsystem P;\n")
}

#[test]
fn entity_declarations_are_rejected_and_a_plain_doctype_is_ignored() {
    let laughs = "<!DOCTYPE nta [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;\">]>\n<nta/>";
    check(laughs, "1:15 TA0304 entity declarations are not supported");
    let blow_up = format!("<!DOCTYPE nta [<!ENTITY a \"{}\">]><nta/>", "x".repeat(100_000));
    check(&blow_up, "1:15 TA0304 entity declarations are not supported");
    let file = "<!DOCTYPE nta [<!ENTITY x SYSTEM \"file:///etc/hostname\">]><nta>&x;</nta>";
    check(file, "1:15 TA0304 entity declarations are not supported");
    let plain = "<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.1//EN' 'file:///none'>
        <nta><template><name>P</name><location id='a'/><init ref='a'/></template>
        <system>system P;</system></nta>";
    check(plain, "fine");
}

#[test]
fn nesting_of_xml_elements_is_limited() {
    check(&"<nta>".repeat(300_000), "1:1281 TA0306 elements nested deeper than 256 levels");
}

#[test]
fn nesting_beyond_the_limit_is_an_error() {
    let deep = |open: &str, close: &str, count: usize| {
        format!("int v = {}1{};{REST}", open.repeat(count), close.repeat(count))
    };
    let nested = "TA0202 nested deeper than 1000 levels";
    check(&deep("(", ")", 200_000), &format!("1:1009 {nested}"));
    check(&deep("(", ")", 1_000_000), &format!("1:1009 {nested}"));
    check(&deep("-", "", 300_000), &format!("1:2007 {nested}"));
    check(&deep("- ", "", 300_000), &format!("1:2007 {nested}"));
    let parentheses = format!("{}1{}", "(".repeat(200_000), ")".repeat(200_000));
    let (_, diagnostics, _) = model(&with_guard(&parentheses));
    assert_eq!(diagnostics.error_count(), 1);
    check_query(&format!("E<> {parentheses}"), &format!("1:1005 {nested}"));
    check(
        &format!("{}int x;{}{REST}", "struct { ".repeat(20_000), " } y;".repeat(20_000)),
        &format!("1:9001 {nested}"),
    );
}

#[test]
fn nesting_below_the_limit_fits_the_stack() {
    let deep = |open: &str, middle: &str, close: &str, count: usize| {
        let text = format!("{}{middle}{}", open.repeat(count), close.repeat(count));
        format!("int v = {text};{REST}")
    };
    check(&deep("(", "1", ")", 999), "fine");
    check(&deep("a[", "1", "]", 999), "fine");
    check(&deep("f(1, ", "1", ")", 999), "fine");
    check(&deep("1 + -(", "1", ")", 490), "fine");
    check(&deep("1 || 1 && 1 | 1 ^ 1 & 1 == 1 < 1 <? 1 << 1 + 1 * 1 ** (", "1", ")", 999), "fine");
    check(&deep("forall (i : int[0,1]) ", "1", "", 990), "fine");
    check(&deep("a ? ", "1", " : 0", 990), "fine");
    check(&deep("a = ", "1", "", 990), "fine");
    check(&deep("{", "1", "}", 990), "fine");
    let body = |open: &str, close: &str, count: usize| {
        format!("void f() {{ {}x = 1;{} }}{REST}", open.repeat(count), close.repeat(count))
    };
    check(&body("{ ", "} ", 990), "fine");
    check(&body("if (x) ", "", 990), "fine");
    check(&body("if (x) y(); else ", "", 990), "fine");
    check(&body("do { ", "} while (x);", 490), "fine");
    check(&body("for (i : int[0,1]) ", "", 990), "fine");
    check(&body("while (x) { ", "}", 490), "fine");
    check(&format!("{}int x;{}{REST}", "struct { ".repeat(990), " } y;".repeat(990)), "fine");
    check(&deep("sum (i : int[0, ", "1", "]) 1", 330), "fine");
}

#[test]
fn long_sums_are_accepted() {
    check(&format!("int v = 1{};{REST}", "+1".repeat(100_000)), "fine");
    check(&format!("int v = 1{};{REST}", "+1".repeat(300_000)), "fine");
    check(&format!("int v = {}1;{REST}", "-1 + ".repeat(100_000)), "fine");
}

#[test]
fn numbers_and_names_have_limits() {
    check(
        &format!("int v = 99999999999999999999999;{REST}"),
        "1:9 TA0104 the number 99999999999999999999999 is too large",
    );
    check(&format!("int v = 2147483648;{REST}"), "1:9 TA0104 the number 2147483648 is too large");
    check(&format!("int v = -2147483648;{REST}"), "fine");
    check(&format!("int v = -2147483649;{REST}"), "1:10 TA0104 the number 2147483649 is too large");
    let (_, diagnostics, _) = model(&format!("int {};{REST}", "x".repeat(5_000_000)));
    let diagnostic = diagnostics.iter().next().unwrap();
    assert_eq!(diagnostic.code, "TA0105");
    assert!(diagnostic.message.len() < 160, "{}", diagnostic.message.len());
    check(&format!("int {};{REST}", "x".repeat(4000)), "fine");
}

#[test]
fn illegal_characters_and_empty_files_are_errors() {
    check(&format!("int a\0b;{REST}"), "1:6 TA0101 illegal character `\\u{0}`");
    check("<nta>\0</nta>", "1:6 TA0101 illegal character U+0000");
    check("", "1:1 TA0106 the file is empty");
    check(" \t\r\n ", "1:1 TA0106 the file is empty");
    check("\u{feff}", "1:1 TA0106 the file is empty");
    check(&format!("\u{feff}int a;{REST}"), "fine");
}

#[test]
fn positions_are_exact_for_all_line_endings_and_tabs() {
    for end in ["\n", "\r\n", "\r"] {
        let text = format!("int a;{end}\tint 5;{end}{REST}");
        check(&text, "2:6 TA0201 expected a name, found `5`");
    }
    check("int a; /* never", "1:8 TA0102 the comment that starts here has no end");
    check(
        "const string s = \"never",
        "1:18 TA0103 the string that starts here has no closing quote",
    );
    check(&format!("int a;{REST}// no newline"), "fine");
}

#[test]
fn imported_libraries_are_not_opened() {
    let text = format!("import \"/none/evil.so\" {{ int f(int x); }};{REST}");
    check(&text, "fine");
    let (document, diagnostics, _) = model(&text);
    assert_eq!((document.templates.len(), diagnostics.error_count()), (1, 0));
    let open = format!("import \"a.so\" {{ int f(int x) {REST}");
    check(&open, "2:1 TA0201 expected `;` after an external function, found the keyword `process`");
}

#[test]
fn dangling_references_of_xml_are_reported_at_their_positions() {
    let template = |inner: &str| {
        format!(
            "<nta>\n<template><name>P</name><location id=\"a\"/>{inner}</template>\n\
            <system>system P;</system></nta>"
        )
    };
    check(&template(""), "2:17 TA0208 template `P` has no initial location");
    let edge =
        "<init ref=\"a\"/>\n<transition><source ref=\"a\"/><target ref=\"b7\"/></transition>";
    check(&template(edge), "3:42 TA0309 no location has the id `b7`");
    check("<nta><template></nta>", "1:16 TA0302 `</nta>` where `</template>` is expected");
    check("<html/>", "1:1 TA0307 the root element is `html`, not `nta`");
}

#[test]
fn errors_of_queries_have_positions_in_the_query() {
    check_query("E<> (a and b", "1:13 TA0401 expected `)`, found the end of the text");
    check_query(
        "E<> forall (i : T",
        "1:18 TA0401 expected `)` after the quantifier's type, found the end of the text",
    );
    check_query(
        "E<> deadlock imply",
        "1:19 TA0401 expected an expression, found the end of the text",
    );
    check_query("A[] (p imply A<> q)", "1:14 TA0402 path quantifiers cannot be nested");
    check_query(
        "a > b",
        "1:6 TA0401 expected `-->`, or `A[]`, `E<>`, `A<>` or `E[]` in front, found the end of the text",
    );
    let (_, diagnostics, _) = query(&format!("E<> a{}", " and a".repeat(1_700_000)));
    assert_eq!(diagnostics.iter().next().map(|d| d.code), Some("TA0203"));
    let (_, diagnostics, _) = query(&format!("E<> {}", ") ".repeat(5_000_000)));
    assert_eq!(diagnostics.error_count(), 1);
}

#[test]
fn the_length_of_lists_is_limited() {
    let limits = Limits { items: 1000, xml_items: 1000, queries: 10, ..Limits::default() };
    let options = ParseOptions { dialect: None, limits };
    let check = |text: &str, expected: &[&str]| {
        let mut sources = SourceMap::default();
        let file = sources.add(SourceFile::new("m", text));
        let (_, diagnostics) = parse_model(&mut sources, file, &options);
        let codes: Vec<&str> = diagnostics.iter().map(|d| d.code).collect();
        assert_eq!(codes, expected, "{}", &text[..30]);
    };
    check(&format!("int v = 1{};{REST}", "+1".repeat(1000)), &["TA0203"]);
    check(&format!("void f() {{ {} }}", ";".repeat(1100)), &["TA0203"]);
    check(&format!("int a = {{ {} }};", "{},".repeat(1100)), &["TA0203"]);
    check(&format!("int {};", "a,".repeat(1100)), &["TA0203"]);
    check(&format!("<nta{}>", " a=''".repeat(1100)), &["TA0312"]);
    check(&format!("{REST} query {{ {} }}", "E<> a\n".repeat(20)), &["TA0403"]);
}

#[test]
fn a_missing_semicolon_before_a_section_is_one_error() {
    for body in [
        "state a, b init a; trans a -> b { };",
        "state a, b; commit b init a; trans a -> b { };",
        "state a, b; init a trans a -> b { };",
        "state a, b; trans a -> b { } init a;",
    ] {
        let (_, diagnostics, _) = model(&format!("process P() {{ {body} }}\nsystem P;\n"));
        assert_eq!(diagnostics.error_count(), 1, "{body}");
    }
}

#[test]
fn reading_stops_after_a_hundred_errors() {
    for text in ["@ ".repeat(200_000), "; } ) ".repeat(100_000), "int 5; ".repeat(100_000)] {
        let (_, diagnostics, _) = model(&text);
        assert!(diagnostics.error_count() <= 101);
    }
}

const XTA: &str = "// Ünïcode\nconst int N = 3;\ntypedef int[0,N-1] id_t;\nstruct { int a; bool b[2]; } s = {1, {true, false}};
chan c[id_t]; urgent broadcast chan go;\nint f(int &x, const id_t k) { int i; for (j : id_t) { x += j; } while (i < 3) i++; if (i == 3) return 1; else return k ? 2 : 3; }
process P(const id_t id) {\n clock x;\n state a { x <= 5 && x' == 1 }, b, d { x < 3 ; 2 };\n branchpoint q;\n commit b;\n urgent d;\n init a;
 trans a -> b { select i : id_t; guard x >= 2 && forall (j : id_t) j <= i; sync c[i]!; assign x = 0, f(s.a, i); },\n -> q { sync go?; },\n q -u-> d { probability 3; };\n}
Q(const id_t k) = P(k);\nsystem P < Q;\nprogress { s.a; }\ngantt { G(i : id_t) : P(i).a -> 1, for (j : id_t) j > 0 -> 2; }\nquery { E<> P(0).b\nsup{P(1).a}: P(1).x }\n";

const OLD: &str = "const N 2, a[2] {1,2};\nint v := 0;\nchan go;\nprocess P(int x; chan c; const k) {\n clock y;\n state s1 {y <= k, x =< N}, s2;\n init s1;\n trans s1 -> s2 { guard y >= 1, x => 0; sync c!; assign x := x + a[1]; };\n}\nP1 := P(v, go, 3);\nsystem P1;\n";

const XML: &str = "<?xml version=\"1.0\"?>\n<!DOCTYPE nta PUBLIC 'x' 'y'>\n<nta>\n<declaration>int n; // &lt;&#228;\nchan c;</declaration>
<template><name x=\"1\" y=\"2\">P</name><parameter>const int k</parameter><location id=\"id0\" x=\"0\" y=\"0\"><name>a</name><label kind=\"invariant\">n &lt;= 5</label></location>
<location id=\"id1\"><committed/></location><branchpoint id=\"id2\"/><init ref=\"id0\"/>
<transition><source ref=\"id0\"/><target ref=\"id1\"/><label kind=\"guard\"><![CDATA[n < 3 && n > 1]]></label><label kind=\"synchronisation\">c!</label><nail x=\"3\" y=\"4\"/></transition></template>
<system>Q = P(1);\nsystem Q;</system>\n<queries><query><formula>E&lt;&gt; Q.a</formula><comment>c</comment></query><query><formula/></query></queries>\n</nta>\n";

#[test]
fn a_truncated_model_has_errors_or_is_complete() {
    for text in [XTA, OLD, XML] {
        check(text, "fine");
        for end in 0..text.len() {
            if !text.is_char_boundary(end) {
                continue;
            }
            let cut = &text[..end];
            let (document, diagnostics, sources) = model(cut);
            let whole =
                document.system.span.is_some_and(|span| sources.snippet(span).ends_with(';'));
            assert!(diagnostics.has_errors() || whole, "{cut}");
            first(&sources, &diagnostics);
        }
    }
}

#[test]
fn a_model_with_a_byte_changed_never_panics() {
    for text in [XTA, OLD, XML] {
        for at in (0..text.len()).filter(|&at| text.is_char_boundary(at)) {
            let after = text[at..].chars().next().map_or(at, |c| at + c.len_utf8());
            for replacement in ["", "{", ")", ";", "\"", "/*", "<", "&", "\0", "ä", "9", "process "]
            {
                let (_, diagnostics, sources) =
                    model(&format!("{}{replacement}{}", &text[..at], &text[after..]));
                first(&sources, &diagnostics);
            }
        }
    }
}
