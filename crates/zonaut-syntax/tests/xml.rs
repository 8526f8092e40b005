//! XML: positions inside labels, paths of elements, and the structure around labels.

#![cfg(test)]

use zonaut_base::{Diagnostics, Severity, SourceFile, SourceMap};
use zonaut_syntax::tree::{Dialect, Document, LocationKind, Point};
use zonaut_syntax::{ParseOptions, parse_model, print_xml, print_xta};

fn model(text: &str) -> (Document, Diagnostics, SourceMap) {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("m.xml", text));
    let (document, diagnostics) = parse_model(&mut sources, file, &ParseOptions::default());
    (document, diagnostics, sources)
}

fn in_template(body: &str) -> String {
    format!(
        "<nta>\n<template>\n<name>P</name>\n<location id=\"i0\"><name>a</name></location>\n\
         <location id=\"i1\" x=\"-3\" y=\"7\" color=\"#ff0000\"></location>\n<init ref=\"i0\"/>\n\
         <transition><source ref=\"i0\"/><target ref=\"i1\"/>\n{body}\n</transition></template>\n\
         <system>system P;</system>\n</nta>"
    )
}

fn accepts(text: &str) -> Document {
    let (document, diagnostics, sources) = model(text);
    let error = diagnostics.iter().find(|d| d.severity == Severity::Error);
    let shown = error.map(|d| format!("{} {}", sources.position(d.span()), d.message));
    assert_eq!(shown, None, "{text}");
    let printed = print_xml(&document);
    let (again, diagnostics, _) = model(&printed);
    assert!(!diagnostics.has_errors(), "{printed}");
    assert_eq!(print_xml(&again), printed);
    document
}

/// Checks that the first error is at the text `marked`, on line 8, under the label's path.
fn refuses_label(label: &str, marked: &str, message: &str) {
    let (_, diagnostics, sources) = model(&in_template(label));
    let diagnostic = diagnostics.iter().next().unwrap();
    assert_eq!(diagnostic.message, message, "{label}");
    assert_eq!(sources.snippet(diagnostic.span()), marked, "{label}");
    let position = sources.position(diagnostic.span());
    assert_eq!(position.line, 8);
    assert_eq!(position.path, Some("/nta/template[1]/transition[1]/label[1]"));
}

#[test]
fn positions_inside_labels_are_exact_for_every_encoding() {
    let label = |text: &str| format!("<label kind=\"guard\">{text}</label>");
    let message = "expected an expression, found `]`";
    refuses_label(&label("x ]"), "]", "expected the end of the guard, found `]`");
    refuses_label(&label("x &lt;= ]"), "]", message);
    refuses_label(&label("x &lt; &#53; &amp;&amp; ]"), "]", message);
    refuses_label(&label("<![CDATA[x < 5 && ]]]>"), "]", message);
    refuses_label(&label("x <!-- > --> &gt; <![CDATA[]]]>"), "]", message);
    refuses_label(&label("x &lt; &lt;= 5"), "&lt;=", "expected an expression, found `<=`");
    refuses_label(&label("x &lt;"), "", "expected an expression, found the end of the text");
}

#[test]
fn spans_of_expressions_point_into_the_file() {
    let text = in_template("<label kind=\"guard\">ä1 &lt; 3</label>");
    let (_, diagnostics, sources) = model(&text);
    let span = diagnostics.iter().next().unwrap().span();
    assert_eq!(sources.snippet(span), "ä");
    let text = in_template("<label kind=\"guard\">y + 1 &lt;= z &amp;&amp; b</label>");
    let (document, _, sources) = model(&text);
    let guard = document.templates[0].edges[0].guard[0];
    let snippet = sources.snippet(document.expressions[guard].span);
    assert_eq!(snippet, "y + 1 &lt;= z &amp;&amp; b");
}

#[test]
fn layout_flags_and_notes_are_preserved() {
    let document = accepts(
        "<nta><template><name x='1' y='2'>T</name><location id='l' x='-3' y='7' color='#00ff00'>\
         <name x='5' y='6'>here</name><label kind='comments'>a &lt; b\n</label>\
         <label kind='invariant' x='1' y='2'>true</label><label kind='exponentialrate'>1:2</label>\
         <label kind='testcodeEnter'>go</label><urgent/></location><location id='m'><committed/>\
         </location><branchpoint id='n' x='9' y='9'/><init ref='l'/><transition controllable='false' \
         action='x' color='#0000ff'><source ref='l'/><target ref='n'/><label kind='select'>i : int[0,1]\
         </label><label kind='synchronisation' x='0' y='1'>c?</label><nail x='1' y='1'/></transition>\
         <transition><source ref='n'/><target ref='m'/><label kind='probability'>2</label></transition>\
         </template><instantiation>Q = T();</instantiation><system>system Q;</system></nta>",
    );
    let template = &document.templates[0];
    let [here, other] = template.locations.as_slice() else { panic!("two locations") };
    assert_eq!((here.kind, other.kind), (LocationKind::Urgent, LocationKind::Committed));
    assert_eq!(here.layout.position, Some(Point { x: -3, y: 7 }));
    assert_eq!(here.layout.colour.as_deref(), Some("#00ff00"));
    assert_eq!((here.notes.len(), here.exponential_rate.len()), (2, 2));
    assert!(other.name.is_none());
    assert!(!template.edges[0].controllable);
    assert_eq!(template.edges[0].layout.nails, [Point { x: 1, y: 1 }]);
    assert_eq!(document.system.declarations.len(), 1);
    assert!(print_xta(&document).contains("_m"), "{}", print_xta(&document));
    let printed = print_xml(&document);
    for kept in ["x=\"-3\" y=\"7\" color=\"#00ff00\"", "testcodeEnter", "a &lt; b", "<nail x=\"1\""]
    {
        assert!(printed.contains(kept), "{kept}\n{printed}");
    }
}

#[test]
fn labels_of_the_3x_language_are_read_in_xml() {
    let document = accepts(&in_template("<label kind=\"guard\">x &gt;= 1, y =&lt; 2</label>"));
    assert_eq!(document.dialect, Dialect::Old);
    assert_eq!(document.templates[0].edges[0].guard.len(), 2);
}

#[test]
fn unknown_elements_are_ignored_and_missing_ones_are_errors() {
    let rest = "<system>system P;</system></nta>";
    let template = "<template><name>P</name><location id='a'/><init ref='a'/></template>";
    let check = |text: String, expected: &[&str]| {
        let (_, diagnostics, _) = model(&text);
        let messages: Vec<&str> = diagnostics.iter().map(|d| d.message.as_str()).collect();
        assert_eq!(messages, expected, "{text}");
    };
    check(format!("<nta><lsc/>{template}{rest}"), &["live sequence charts are ignored"]);
    check(
        format!("<project>{template}<foo/><system>system P;</system></project>"),
        &["the element `foo` is ignored"],
    );
    check(format!("<nta>{template}</nta>"), &["the model has no `system` element"]);
    check(
        format!("<nta>{template}<system>P();</system></nta>"),
        &["expected `=` and a template, found `;`", "the model has no `system` line"],
    );
    check(
        format!("<nta><template><location id='a'/></template>{rest}"),
        &["a template without a name"],
    );
    check(
        format!("<nta><template><name>P</name><location/><init ref='a'/></template>{rest}"),
        &["a location without an `id`", "no location has the id `a`"],
    );
    check(
        format!("<nta><template><name>if</name></template>{rest}"),
        &["expected a name, found the keyword `if`"],
    );
    check(
        format!(
            "<nta><template><name>P</name><location id='a'/><location id='a'/><init/></template>{rest}"
        ),
        &["the id `a` is given twice", "`init` without a `ref`"],
    );
    check(
        format!(
            "<nta><template><name>P</name><location id='a'/><init ref='a'/><transition><source ref='a'/></transition></template>{rest}"
        ),
        &["a transition without a `target`"],
    );
    check(
        format!("<nta><declaration>process Q() {{ }} int a;</declaration>{template}{rest}"),
        &["the keyword `process` does not belong in declarations"],
    );
}

#[test]
fn an_error_in_a_label_does_not_hide_the_next_label() {
    let text =
        in_template("<label kind=\"guard\">x &lt;</label><label kind=\"assignment\">x = </label>");
    let (_, diagnostics, sources) = model(&text);
    let paths: Vec<_> = diagnostics.iter().map(|d| sources.position(d.span()).path).collect();
    assert_eq!(
        paths,
        [
            Some("/nta/template[1]/transition[1]/label[1]"),
            Some("/nta/template[1]/transition[1]/label[2]"),
        ]
    );
}
