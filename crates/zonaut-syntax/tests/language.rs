//! Each feature of the language in a correct and in an incorrect use.

#![cfg(test)]

use zonaut_base::{Diagnostics, SourceFile, SourceMap};
use zonaut_syntax::tree::{Dialect, Direction, Document, LocationKind};
use zonaut_syntax::{ParseOptions, parse_model, print_xml, print_xta};

fn model(text: &str, dialect: Option<Dialect>) -> (Document, Diagnostics, SourceMap) {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("m", text));
    let options = ParseOptions { dialect, ..ParseOptions::default() };
    let (document, diagnostics) = parse_model(&mut sources, file, &options);
    (document, diagnostics, sources)
}

fn problems(sources: &SourceMap, diagnostics: &Diagnostics) -> String {
    let mut lines = Vec::new();
    for diagnostic in diagnostics.iter() {
        let at = sources.position(diagnostic.span());
        lines.push(format!("{}:{} {} {}", at.line, at.column, diagnostic.code, diagnostic.message));
    }
    lines.join("\n")
}

/// Checks that `text` parses in the current language, and that printing it is stable in both formats.
fn accepts(text: &str) -> Document {
    let (document, diagnostics, sources) = model(text, Some(Dialect::Current));
    assert!(!diagnostics.has_errors(), "{text}\n{}", problems(&sources, &diagnostics));
    let printed = print_xta(&document);
    let (again, diagnostics, sources) = model(&printed, Some(Dialect::Current));
    assert!(!diagnostics.has_errors(), "{printed}\n{}", problems(&sources, &diagnostics));
    assert_eq!(print_xta(&again), printed);
    let xml = print_xml(&document);
    let (again, diagnostics, sources) = model(&xml, Some(Dialect::Current));
    assert!(!diagnostics.has_errors(), "{xml}\n{}", problems(&sources, &diagnostics));
    assert_eq!(print_xml(&again), xml);
    assert_eq!(print_xta(&again), printed);
    document
}

fn refuses(text: &str, expected: &str) {
    let (_, diagnostics, sources) = model(text, Some(Dialect::Current));
    assert_eq!(problems(&sources, &diagnostics), expected, "{text}");
}

const REST: &str = " process P() { state a; init a; } system P;";

fn accepts_declaration(text: &str) {
    accepts(&format!("{text}{REST}"));
}

fn refuses_declaration(text: &str, expected: &str) {
    refuses(&format!("{text}{REST}"), expected);
}

#[test]
fn valid_declarations_parse_and_invalid_ones_are_errors() {
    let correct = [
        "int a, b = 3, c := 4;",
        "int[0,5] a[3][2] = {{1,2},{3,4},{5,0}};",
        "bool a[int[3,5]];",
        "const int N = 2; typedef int[0,N-1] id_t; int a[id_t];",
        "meta int m; const bool b = true; const double d = 1.5e3; const string s = \"x \\\" y\";",
        "clock x, y[3]; hybrid clock h; double d;",
        "chan a; urgent chan b; broadcast chan c[2]; urgent broadcast chan d;",
        "chan a, b[2]; chan priority a, b[0] < default < b[1];",
        "chan priority; chan priority2;",
        "typedef scalar[3] set_t; set_t s;",
        "typedef struct { int a; bool b, c[2]; } s_t; s_t s = {1, true, {false, true}};",
        "struct { int a; struct { int b; } c; } s = { c: {b: 2}, a: 1 };",
        "typedef int[0,3] row_t[4]; row_t rows[2];",
        "int x; before_update { x = 1, x++ } after_update { x = 2 }",
        "void __ON_CONSTRUCT__() { }",
        "int32_t x = INT32_MAX; int8_t y[2];",
        "int a;;int b;",
    ];
    correct.iter().for_each(|text| accepts_declaration(text));
    let wrong = [
        ("int = 3;", "1:5 TA0201 expected a name, found `=`"),
        ("int[0] a;", "1:6 TA0201 expected `,` and the upper bound of the range, found `]`"),
        ("int if;", "1:5 TA0201 expected a name, found the keyword `if`"),
        ("scalar s;", "1:8 TA0201 expected `[` and the size of the scalar set, found `s`"),
        ("struct { int a } s;", "1:16 TA0201 expected `;` after a field, found `}`"),
        ("typedef int;", "1:12 TA0201 expected a name, found `;`"),
        ("int a[3;", "1:8 TA0201 expected `]` after the array size, found `;`"),
        ("int a = {1, 2;", "1:14 TA0201 expected `,` or `}`, found `;`"),
        ("chan a; chan priority a < ;", "1:27 TA0201 expected an expression, found `;`"),
        (
            "dynamic P()",
            "1:13 TA0201 expected `;` after a dynamic template, found the keyword `process`",
        ),
        (
            "import \"a\" int f();",
            "1:12 TA0201 expected `{` and the functions of the library, found the keyword `int`",
        ),
        ("int a; 5;", "1:8 TA0201 expected a declaration, found `5`"),
        ("foo;", "1:4 TA0201 expected a name to declare, found `;`"),
    ];
    wrong.iter().for_each(|(text, expected)| refuses_declaration(text, expected));
}

#[test]
fn all_errors_are_reported_and_correct_parts_are_kept() {
    let text = "int 1; int b; bool c = ; int f() { x = ; y = 1; return }; clock d;\n\
        process P() { state a, 5, b; init a; trans a -> b { guard ; }, a -> { }, b -> a { }; }\n\
        system P;";
    let (document, diagnostics, sources) = model(text, Some(Dialect::Current));
    let expected = "1:5 TA0201 expected a name, found `1`
1:24 TA0201 expected an expression, found `;`
1:40 TA0201 expected an expression, found `;`
1:56 TA0201 expected an expression, found `}`
2:24 TA0201 expected a location, found `5`
2:59 TA0201 expected an expression, found `;`
2:69 TA0201 expected the target of the edge, found `{`";
    assert_eq!(problems(&sources, &diagnostics), expected);
    assert_eq!(document.declarations.len(), 3);
    assert_eq!(document.templates[0].locations.len(), 2);
    assert_eq!(document.templates[0].edges.len(), 2);
}

#[test]
fn valid_functions_parse_and_invalid_ones_are_errors() {
    let correct = [
        "int f(int a, const int &b, int c[2]) { int d = 1, e; typedef int[0,1] t; t g; return d; }",
        "void f() { int i; for (i = 0, i++; i < 3; i++, i--) ; for (;;) { } }",
        "void f() { for (i : int[0,3]) { g(i); } while (a, b) c++; do { d--; } while (e); }",
        "void f() { if (a) if (b) c(); else d(); else { } if (a) { if (b) c(); } else d(); }",
        "void f() { assert(x > 0); assert !y; ; { } a = b = 3; a, b; return; }",
        "int f() { int assert; assert = 3; return assert; }",
        "typedef struct { int a; } s; s f() { s x; return x; } void g() { f().a; }",
        "void f() { double d = 1.0; string s; exit(); query = 3; location++; }",
        "dynamic P(const int n, double d); void f() { spawn P(1, 2.5); x = 3 * spawn P(); }",
        "import \"a b.so\" { int f(int a, double &b[2]); g = void h(); } int n; import \"c\" { };",
    ];
    correct.iter().for_each(|text| accepts_declaration(text));
    let wrong = [
        ("void f() { int a; a = 1; int b; }", "1:26 TA0211 a declaration after a statement"),
        ("void f() { int g() { } }", "1:16 TA0211 functions cannot be declared inside functions"),
        ("void f() { break; }", "1:12 TA0205 `break` is not supported"),
        ("void f() { switch (x) { } }", "1:12 TA0205 `switch` is not supported"),
        ("void f() { x = spawn P; }", "1:23 TA0201 expected `(` and arguments, found `;`"),
        ("void f() { if a b(); }", "1:15 TA0201 expected `(` and a condition, found `a`"),
        ("void f() { do x++; }", "1:20 TA0201 expected `while` after the body of `do`, found `}`"),
        ("void f( { }", "1:9 TA0201 expected a type, found `{`"),
        ("void f() { return 1 }", "1:21 TA0201 expected `;` after `return`, found `}`"),
        (
            "void f() { for (i; j) x(); }",
            "1:21 TA0201 expected `;` after the condition of the loop, found `)`",
        ),
    ];
    wrong.iter().for_each(|(text, expected)| refuses_declaration(text, expected));
}

fn process(body: &str) -> String {
    format!("process P(const int k, chan &c) {{ {body} }} system P;")
}

#[test]
fn valid_processes_parse_and_invalid_ones_are_errors() {
    let document = accepts(&process(
        "clock x; state a { x <= 5 }, b { x < 3 ; 2 }, d { ; 1 : 2 }, e { }; branchpoint q; \
         commit b; urgent d, e; init a; trans a -> b { select i : int[0,3], j : bool; \
         guard x > 1; sync c!; assign x = 0, k := 1; probability 3; }, -> q { sync c?; }, \
         q -u-> d { probability 1; }, d -> a { sync c; };",
    ));
    let template = &document.templates[0];
    let kinds: Vec<LocationKind> = template.locations.iter().map(|l| l.kind).collect();
    use LocationKind::{Committed, Ordinary, Urgent};
    assert_eq!(kinds, [Ordinary, Committed, Urgent, Urgent]);
    assert_eq!(template.edges[1].source.node, template.edges[0].source.node);
    assert!(!template.edges[2].controllable);
    let directions: Vec<_> = template.edges.iter().map(|e| e.synchronisation.as_ref()).collect();
    let directions: Vec<_> = directions.iter().map(|s| s.map(|s| s.direction)).collect();
    use Direction::{Receive, Send, Together};
    assert_eq!(directions, [Some(Send), Some(Receive), None, Some(Together)]);
    accepts(&process(
        "state a; init a; trans a -> a { sync (k ? c : c)?; }, a -> a { sync k ? c : c!; };",
    ));
    accepts("process P { state a; init a; } system P;");
    let wrong = [
        ("state a; init b;", "1:49 TA0207 no location is named `b`"),
        ("state a;", "1:9 TA0208 template `P` has no initial location"),
        ("state a; init a; init a;", "1:52 TA0210 a second `init`"),
        ("state a, a; init a;", "1:44 TA0212 `a` is declared twice in one process"),
        ("state a; branchpoint q; init q;", "1:64 TA0207 `q` is a branchpoint, not a location"),
        (
            "state a; init a; trans -> a { };",
            "1:58 TA0201 expected the source of the first edge, found `->`",
        ),
        (
            "state a; init a; trans a -> a { guard x = 1; };",
            "1:73 TA0206 an assignment where a condition is expected",
        ),
        (
            "state a; init a; trans a -> a { guard x > 1, x < 3; };",
            "1:78 TA0201 expected an operator or the end of the condition, found `,`",
        ),
        (
            "state a; init a; trans a -> a { guard x; guard y; };",
            "1:76 TA0210 a second `guard` on one edge",
        ),
        (
            "state a; init a; trans a -> a { sync c! };",
            "1:75 TA0201 expected `;` after `sync`, found `}`",
        ),
        ("state a; init a; trans a - b { };", "1:60 TA0201 expected `->`, found `-`"),
    ];
    wrong.iter().for_each(|(text, expected)| refuses(&process(text), expected));
}

#[test]
fn valid_system_sections_parse_and_invalid_ones_are_errors() {
    let processes = "process A() { state a; init a; } process B(int[0,1] i) { state a; init a; } ";
    let with = |text: &str| format!("int n; {processes}{text}");
    let document = accepts(&with(
        "int k = 2; C(const int j) = B(j); D = B(1); E := A(); system A, C < D < E; \
         progress { n; n > 0 : A.x; } gantt { R(i : int[0,1]) : B(i).a -> 1, \
         for (j : int[0,1], k : bool) j > 0 -> 2; S : true -> 3; }",
    ));
    assert_eq!(document.declarations.len(), 1);
    assert_eq!(document.system.declarations.len(), 4);
    let sizes: Vec<usize> = document.system.levels.iter().map(Vec::len).collect();
    assert_eq!(sizes, [2, 1, 1]);
    assert_eq!((document.system.progress.len(), document.system.gantt.len()), (2, 2));
    let wrong = [
        ("system ;", "expected a process, found `;`"),
        ("system A B;", "expected `;` after the processes, found `B`"),
        ("C = B(1) system C;", "expected `;` after an instantiation, found the keyword `system`"),
        ("system A; progress { n }", "expected `;` after a progress measure, found `}`"),
        ("system A; gantt { R : true; }", "expected `->` and a colour, found `;`"),
        ("system A; system B;", "expected the end of the model, found the keyword `system`"),
        ("system A; }", "expected the end of the model, found `}`"),
        ("", "the model has no `system` line"),
        ("} system A;", "expected a declaration, a process or `system`, found `}`"),
    ];
    for (text, expected) in wrong {
        let (_, diagnostics, _) = model(&with(text), Some(Dialect::Current));
        let messages: Vec<&str> = diagnostics.iter().map(|d| d.message.as_str()).collect();
        assert_eq!(messages, [expected], "{text}");
    }
}

#[test]
fn keywords_of_newer_versions_are_identifiers() {
    let words = "exit spawn query location dynamic hybrid import string xor gantt progress foreach \
        numOf double select probability branchpoint priority default assert deadlock sup inf bounds \
        simulate Pr X control under strategy A U W R E M fabs before_update switch case break";
    for word in words.split_whitespace() {
        accepts(&format!(
            "chan {word}; process P() {{ int {word}; state a; init a; \
             trans a -> a {{ guard {word} == 1; sync {word}!; assign {word} = {word} + 1; }}; }} system P;"
        ));
        accepts(&format!("process {word}() {{ state {word}; init {word}; }} system {word};"));
    }
}

#[test]
fn models_of_the_3x_language_are_read() {
    let text = "const N 2, a[2] {1,2}; int v := 0, struct; int[0,3] w; urgent chan go; bool b;\n\
        process P(int x, y; chan c; const k, m; clock z[2]) { clock t; state s {t <= k, x =< N}, e;\n\
        commit e; init s; trans s -> e { guard t >= 1, x => 0; sync c?; assign x := a[1], struct := 1; }; }\n\
        process Q { state s; init s; }\n\
        P1 := P(v, w, go, 3, N, z);\nsystem P1, Q;";
    let (document, diagnostics, sources) = model(text, None);
    assert!(!diagnostics.has_errors(), "{}", problems(&sources, &diagnostics));
    assert_eq!(document.dialect, Dialect::Old);
    let template = &document.templates[0];
    let references: Vec<bool> = template.parameters.iter().map(|p| p.by_reference).collect();
    assert_eq!(references, [true, true, true, false, false, true]);
    assert_eq!(template.edges[0].guard.len(), 2);
    assert_eq!(template.locations.as_slice()[0].invariant.len(), 2);
    accepts(&print_xta(&document));
    let wrong = [
        ("const N; system P;", "1:8 TA0201 expected an expression, found `;`"),
        (
            "int f() { return 1; } system P;",
            "1:5 TA0205 a function in the 3.x language is not supported",
        ),
        (
            "typedef int t; system P;",
            "1:9 TA0201 expected a name to declare, found the keyword `int`",
        ),
    ];
    for (text, expected) in wrong {
        let (_, diagnostics, sources) = model(text, Some(Dialect::Old));
        assert!(
            problems(&sources, &diagnostics).starts_with(expected),
            "{text}\n{}",
            problems(&sources, &diagnostics)
        );
    }
}

#[test]
fn the_dialect_with_fewer_errors_is_chosen() {
    let (document, _, _) = model("const N 5; process P() { state a; init a; } system P;", None);
    assert_eq!(document.dialect, Dialect::Old);
    let (document, diagnostics, _) = model(&format!("int f() {{ return; }} int 5;{REST}"), None);
    assert_eq!((document.dialect, diagnostics.error_count()), (Dialect::Current, 1));
}
