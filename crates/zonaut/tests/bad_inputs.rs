//! Untrusted input: each file is rejected with a message and a position, in little memory.
#![cfg(unix)]

mod support;

use support::Bench;

/// A model in XTA with these global declarations on its first line.
fn declaring(declarations: &str) -> String {
    format!("{declarations}\nprocess P() {{ state a; init a; }}\nsystem P;\n")
}

/// A model in XTA whose process has this body, from the second line on.
fn with_body(body: &str) -> String {
    format!(
        "clock x, y; int i; chan c; chan d[3]; const int N = 2;\nprocess P() {{ {body} }}\nsystem P;\n"
    )
}

/// A model in XTA with this guard at line 2, column 58.
fn guarded(guard: &str) -> String {
    with_body(&format!("state a; init a; trans a -> a {{ guard {guard}; }};"))
}

/// A model in XML with these global declarations, from line 2, column 19 on.
fn xml(declarations: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<nta><declaration>{declarations}</declaration>\
         <template><name>P</name><location id=\"id0\"/><init ref=\"id0\"/></template>\
         <system>system P;</system></nta>\n"
    )
}

/// Expects that a file with this name and content is rejected at this line and column, with a
/// message that contains `words`.
#[track_caller]
fn refused(name: &str, content: impl AsRef<[u8]>, place: &str, words: &str) {
    let bench = Bench::new();
    bench.write(name, content);
    let run = bench.run_with_little_memory(&["check", name]);
    let shown: String = run.stderr.chars().take(1500).collect();
    assert_eq!(run.code, Some(2), "{shown}");
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains(&format!("--> {name}:{place}\n")), "not at {place}:\n{shown}");
    assert!(run.stderr.contains(words), "nothing about `{words}`:\n{shown}");
    assert!(run.stderr.len() < 100_000, "{} bytes of complaints", run.stderr.len());
}

/// Expects that a file with this name and content is accepted.
#[track_caller]
fn accepted(name: &str, content: impl AsRef<[u8]>) {
    let bench = Bench::new();
    bench.write(name, content);
    let run = bench.run_with_little_memory(&["check", name]);
    let shown: String = run.stderr.chars().take(1500).collect();
    assert_eq!(run.code, Some(0), "{shown}");
}

/// Expects that these queries on a small model are rejected at this line and column.
#[track_caller]
fn refused_queries(queries: &str, place: &str, words: &str) {
    let bench = Bench::new();
    bench.write("m.xta", with_body("state a, b; init a; trans a -> b { };"));
    bench.write("m.q", queries);
    let run = bench.run_with_little_memory(&["check", "m.xta", "m.q"]);
    let shown: String = run.stderr.chars().take(1500).collect();
    assert_eq!(run.code, Some(2), "{shown}");
    // The model is accepted, unless the end of the queries is unknown.
    assert!(run.stdout.is_empty() || run.stdout.contains("    has an error\n"), "{}", run.stdout);
    assert!(run.stderr.contains(&format!("--> m.q:{place}\n")), "not at {place}:\n{shown}");
    assert!(run.stderr.contains(words), "nothing about `{words}`:\n{shown}");
}

mod xml_bombs {
    use super::*;

    fn with_subset(subset: &str, text: &str) -> String {
        xml(text).replace("<nta>", &format!("<!DOCTYPE nta [{subset}]>\n<nta>"))
    }

    #[test]
    fn nested_entities_are_not_expanded() {
        let mut subset = "<!ENTITY a0 \"ha\">".to_owned();
        for level in 1..10 {
            let copies = format!("&a{};", level - 1).repeat(10);
            subset += &format!("<!ENTITY a{level} \"{copies}\">");
        }
        refused("m.xml", with_subset(&subset, "&a9;"), "2:15", "entit");
    }

    #[test]
    fn a_large_entity_is_not_copied() {
        let subset = format!("<!ENTITY a \"{}\">", "x".repeat(100_000));
        refused("m.xml", with_subset(&subset, &"&a;".repeat(20_000)), "2:15", "entit");
    }

    #[test]
    fn a_file_named_by_an_entity_is_not_opened() {
        let subset = "<!ENTITY a SYSTEM \"file:///etc/hostname\">";
        refused("m.xml", with_subset(subset, "&a;"), "2:15", "entit");
    }

    #[test]
    fn an_external_document_type_is_tolerated() {
        let doctype = "<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.1//EN' \
                       'http://www.it.uu.se/research/group/darts/uppaal/flat-1_1.dtd'>\n<nta>";
        accepted("m.xml", xml("").replace("<nta>", doctype));
    }

    #[test]
    fn an_unknown_entity_is_refused() {
        refused("m.xml", xml("int x = &nbsp;1;"), "2:27", "nbsp");
    }

    #[test]
    fn elements_nested_without_end_are_refused() {
        refused("m.xml", xml(&"<a>".repeat(300_000)), "2:781", "nest");
        let closed = "<a>".repeat(300_000) + &"</a>".repeat(300_000);
        refused("m.xml", xml(&closed), "2:781", "nest");
    }

    #[test]
    fn mismatched_tags_are_rejected() {
        refused("m.xml", xml("int x;</declaratio>"), "2:25", "declaratio");
    }
}

mod depth {
    use super::*;

    /// Expects that a model with this text in a declaration, or as a guard, is too deeply nested.
    #[track_caller]
    fn too_deep(name: &str, content: &str) {
        let bench = Bench::new();
        bench.write(name, content);
        let run = bench.run_with_little_memory(&["check", name]);
        let shown: String = run.stderr.chars().take(1500).collect();
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{shown}");
        assert!(run.stderr.contains("nested deeper than 1000 levels"), "{shown}");
        let line = if content.starts_with("clock") || name == "m.xml" { 2 } else { 1 };
        assert!(run.stderr.contains(&format!("--> {name}:{line}:")), "{shown}");
    }

    #[test]
    fn parentheses_in_a_guard() {
        let guard = "(".repeat(200_000) + "1" + &")".repeat(200_000);
        too_deep("m.xta", &guarded(&guard));
    }

    #[test]
    fn parentheses_in_a_declaration() {
        let declarations = format!("int v = {}1{};", "(".repeat(1_000_000), ")".repeat(1_000_000));
        too_deep("m.xta", &declaring(&declarations));
        too_deep("m.xml", &xml(&declarations));
    }

    #[test]
    fn minus_signs() {
        too_deep("m.xta", &guarded(&("-".repeat(300_000) + "1")));
        too_deep("m.xta", &guarded(&("- ".repeat(300_000) + "1")));
    }

    #[test]
    fn negations_and_conditionals_and_indices() {
        too_deep("m.xta", &guarded(&("!".repeat(300_000) + "i")));
        let conditional = "i ? 1 : ".repeat(100_000) + "1";
        too_deep("m.xta", &guarded(&conditional));
        let index = "d[".repeat(100_000) + "0" + &"]".repeat(100_000);
        too_deep("m.xta", &guarded(&index));
    }

    #[test]
    fn quantifiers() {
        let guard = "forall (k : int[0,1]) ".repeat(50_000) + "k > 0";
        too_deep("m.xta", &guarded(&guard));
    }

    #[test]
    fn blocks() {
        let body = format!("void f() {{ {}{} }}", "{".repeat(200_000), "}".repeat(200_000));
        too_deep("m.xta", &declaring(&body));
    }

    #[test]
    fn structs() {
        let types = "struct { ".repeat(20_000) + "int f; " + &"} f; ".repeat(19_999) + "} v;";
        too_deep("m.xta", &declaring(&types));
    }

    #[test]
    fn initialisers() {
        let value = format!("int v = {}1{};", "{".repeat(200_000), "}".repeat(200_000));
        too_deep("m.xta", &declaring(&value));
    }

    #[test]
    fn long_sums_are_no_depth() {
        accepted("m.xta", guarded(&format!("{}1 > 0", "1 + ".repeat(100_000))));
        accepted("m.xta", guarded(&format!("{}1 > 0", "i + ".repeat(100_000))));
        accepted("m.xta", guarded(&format!("{}i > 0", "i > 0 && ".repeat(100_000))));
        accepted("m.xml", xml(&format!("const int S = {}1;", "1 + ".repeat(10_000))));
    }
}

mod numbers_and_sizes {
    use super::*;

    #[test]
    fn a_literal_that_fits_no_integer() {
        refused("m.xta", declaring("int v = 99999999999999999999999;"), "1:9", "large");
        refused("m.xta", declaring("int[0,2147483647] v = 2147483648;"), "1:23", "large");
    }

    #[test]
    fn the_smallest_integer_can_be_written() {
        accepted("m.xta", declaring("int[-2147483648,0] v = -2147483648;"));
    }

    #[test]
    fn arrays_larger_than_the_limit() {
        refused("m.xta", declaring("int a[2000000000];"), "1:5", "2000000000");
        refused("m.xta", declaring("int a[100000][100000];"), "1:5", "10000000000");
        refused("m.xta", declaring("clock x[20000];"), "1:7", "clocks");
        refused("m.xta", declaring("chan c[2000000000];"), "1:6", "channels");
        accepted("m.xta", declaring("clock x[1000];"));
    }

    #[test]
    fn an_empty_range() {
        refused("m.xta", declaring("int[5,2] v;"), "1:1", "5");
    }

    #[test]
    fn a_division_by_zero_in_a_declaration() {
        refused("m.xta", declaring("int v = 1/0;"), "1:9", "zero");
    }

    #[test]
    fn a_negative_constant_index() {
        refused("m.xta", declaring("int a[3]; int v = a[-1];"), "1:21", "-1");
        accepted("m.xta", guarded("N > 0; sync d[3]!"));
    }

    #[test]
    fn more_processes_than_the_limit() {
        let text =
            "process P(int[0,1000000] a, int[0,1000000] b) { state s; init s; }\nsystem P;\n";
        refused("m.xta", text, "2:8", "1000002000001");
    }

    #[test]
    fn a_select_over_more_values_than_anyone_can_try_is_still_a_model() {
        let edge = "trans a -> a { select k : int[0,1000000]; guard k == i; };";
        accepted("m.xta", with_body(&format!("state a; init a; {edge}")));
    }

    #[test]
    fn an_identifier_of_five_megabytes() {
        let name = "x".repeat(5_000_000);
        refused("m.xta", declaring(&format!("int {name};")), "1:5", "xxx");
    }

    #[test]
    fn limits_are_raised_on_the_command_line_only() {
        let bench = Bench::new();
        bench.write("m.xta", declaring("clock x[5000];"));
        assert_eq!(bench.run(&["check", "m.xta"]).code, Some(2));
        assert_eq!(bench.run(&["check", "m.xta", "--max-clocks", "5000"]).code, Some(0));
        let guard = "(".repeat(1500) + "1" + &")".repeat(1500);
        bench.write("m.xta", guarded(&guard));
        assert_eq!(bench.run(&["check", "m.xta"]).code, Some(2));
        assert_eq!(bench.run(&["check", "m.xta", "--max-nesting", "2000"]).code, Some(0));
    }
}

mod encodings {
    use super::*;

    #[test]
    fn a_nul_byte() {
        refused("m.xta", declaring("int v;\0int w;"), "1:7", "TA0101");
        refused("m.xml", xml("int v;\0int w;"), "2:25", "");
    }

    #[test]
    fn invalid_utf8() {
        let mut text = xml("int v;").into_bytes();
        let place = text.windows(2).position(|pair| pair == b"v;").expect("it is there");
        text[place] = 0xFF;
        refused("m.xml", &text, "2:23", "UTF-8");
        refused("m.xta", b"int \xFF;", "1:5", "TA0101");
    }

    #[test]
    fn utf16_and_declared_latin1_are_read() {
        let wide = |text: &str| -> Vec<u8> {
            format!("\u{FEFF}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect()
        };
        accepted("m.xml", wide(&xml("// gr\u{FC}n\nint v;")));
        refused("m.xml", wide(&xml("// gr\u{FC}n\nint 5;")), "3:5", "");
        let declared = xml("// gr\u{FC}n\nint v;").replace("utf-8", "iso-8859-1");
        let narrow: Vec<u8> = declared.chars().map(|c| c as u8).collect();
        accepted("m.xml", narrow);
    }

    #[test]
    fn nothing_at_all() {
        for name in ["m.xml", "m.xta"] {
            refused(name, "", "1:1", "");
            refused(name, " \n\t\n ", "1:1", "");
            refused(name, "\u{FEFF}", "1:1", "");
        }
    }

    #[test]
    fn every_kind_of_line_end_counts_lines() {
        for end in ["\n", "\r\n", "\r"] {
            let text = format!("clock x;{end}// comment{end}\tint 5;{end}");
            refused("m.xta", text, "3:6", "");
        }
    }

    #[test]
    fn comments_and_strings_without_end() {
        refused("m.xta", declaring("int v; /* no end"), "1:8", "comment");
        refused("m.xta", declaring("const string s = \"no end"), "1:18", "");
        accepted("m.xta", declaring("int v;").trim_end().to_owned() + " // no newline");
    }

    #[test]
    fn a_name_that_only_looks_right() {
        refused("m.xta", declaring("int v; int w = \u{475};"), "1:16", "");
    }

    #[test]
    fn escape_sequences_of_a_model_stay_in_the_model() {
        let bench = Bench::new();
        bench.write("m.xta", declaring("int \x1b[31mv;"));
        let run = bench.run(&["check", "m.xta"]);
        assert!(!run.stderr.contains('\x1b'), "{:?}", run.stderr);
    }
}

mod meaning {
    use super::*;

    #[test]
    fn a_function_that_calls_itself() {
        let functions = "int f(int n) { return f(n - 1); }";
        refused("m.xta", declaring(functions), "1:23", "f");
    }

    #[test]
    fn an_edge_to_a_location_that_is_not_there() {
        let edge = "<transition><source ref=\"id0\"/><target ref=\"id7\"/></transition></template>";
        refused("m.xml", xml("").replace("</template>", edge), "2:137", "id7");
        refused("m.xta", with_body("state a; init a; trans a -> b { };"), "2:43", "b");
    }

    #[test]
    fn a_name_declared_twice_shows_both_places() {
        let bench = Bench::new();
        bench.write("m.xta", declaring("int v;\nbool v;"));
        let run = bench.run(&["check", "m.xta"]);
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.contains("--> m.xta:2:6\n"), "{}", run.stderr);
        assert!(run.stderr.contains("::: m.xta:1:5\n"), "{}", run.stderr);
    }

    #[test]
    fn an_import_is_declared_and_never_opened() {
        let import = "import \"./evil.so\" { int f(int n); };";
        accepted("m.xta", declaring(import));
    }

    #[test]
    fn a_type_made_of_itself() {
        refused("m.xta", declaring("typedef T T;"), "1:9", "T");
    }

    #[test]
    fn a_template_without_an_initial_location() {
        refused("m.xta", "process P() { state a; }\nsystem P;\n", "1:9", "initial");
        refused("m.xml", xml("").replace("<init ref=\"id0\"/>", ""), "2:49", "initial");
    }

    #[test]
    fn consequences_of_an_error_are_not_reported() {
        let only = |text: &str, query: &str| {
            let bench = Bench::new();
            bench.write("m.xta", text);
            let run = bench.run(&["verify", "m.xta", "-q", query]);
            assert_eq!((run.code, run.stderr.matches("error[").count()), (Some(2), 1), "{run:?}");
        };
        only("process P() { state a; }\nsystem P;\n", "E<> P.a");
        only("process P() { int n = ; state a; init a; }\nsystem P;\n", "E<> P.n > 1");
        only("process P() { state a; init a; }\nsystem P, Q;\n", "E<> Q.a");
    }

    #[test]
    fn a_template_named_like_a_keyword_does_no_harm() {
        accepted("m.xta", "process gantt() { state a; init a; }\nsystem gantt;\n");
        accepted("m.xta", "process while() { state a; init a; }\nsystem while;\n");
    }

    #[test]
    fn a_location_named_with_an_entity() {
        let location = "<location id=\"id0\"><name>a&lt;b</name></location>";
        refused("m.xml", xml("").replace("<location id=\"id0\"/>", location), "2:83", "");
    }

    #[test]
    fn a_process_without_edges_is_a_process() {
        accepted("m.xta", declaring("meta int m;"));
    }

    #[test]
    fn disjunctions_of_clocks() {
        refused("m.xta", with_body("state a { x <= 3 || y <= 4 }; init a;"), "2:35", "disjunction");
        refused("m.xta", guarded("x <= 3 || y <= 4"), "2:63", "disjunction");
    }

    #[test]
    fn a_constant_that_is_assigned() {
        refused("m.xta", guarded("true; assign N = 3"), "2:66", "assign");
    }

    #[test]
    fn priorities_of_channels_that_are_not_there() {
        refused("m.xta", declaring("chan priority nope < default;"), "1:15", "nope");
    }

    #[test]
    fn a_system_line_with_a_process_that_is_not_there() {
        let text = "process P() { state a; init a; }\nsystem P, Q;\n";
        refused("m.xta", text, "2:11", "Q");
    }

    #[test]
    fn two_system_lines() {
        refused("m.xta", declaring("") + "system P;\n", "4:1", "system");
    }
}

mod work {
    use super::*;
    use std::time::{Duration, Instant};

    /// Runs the binary, and expects that it ends soon and never holds 500 MB. The time limit is far
    /// above the needed time, and far below that of quadratic work.
    #[track_caller]
    fn ends_soon(bench: &Bench, words: &[&str]) -> support::Run {
        let begun = Instant::now();
        let (run, held) = bench.run_watched(words);
        assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
        assert!(held < 500 << 20, "{held} bytes");
        run
    }

    /// Pitfall P76, `empty-loop`: iterations without statements were not counted.
    #[test]
    fn loops_without_a_body_count() {
        let bench = Bench::new();
        let loops = "const int N = 2000000000; bool f() { for (i : int[0,N]) for (j : int[0,N]) { } \
                     return true; } const bool b = f();";
        bench.write("m.xta", declaring(loops));
        for words in [&["check", "m.xta"][..], &["verify", "m.xta", "-q", "E<> P.a"]] {
            let run = ends_soon(&bench, words);
            assert_eq!(run.code, Some(2), "{run:?}");
            assert!(run.stderr.contains("too many steps"), "{run:?}");
        }
        let run = ends_soon(&bench, &["check", "m.xta", "--max-steps", "10"]);
        assert!(run.stderr.contains("too many steps"), "{run:?}");
    }

    #[test]
    fn copies_of_large_arrays_count() {
        let bench = Bench::new();
        let copies = "typedef int A[200000]; int f() { A a, b; for (i : int[0,999999]) { a = b; } \
                      return 1; } const int v = f();";
        bench.write("m.xta", declaring(copies));
        let run = ends_soon(&bench, &["check", "m.xta"]);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.stderr.contains("too many steps"), "{run:?}");
    }

    /// Each constant stays below the step limit of one constant.
    #[test]
    fn a_limit_on_time_ends_loading() {
        let bench = Bench::new();
        let mut text =
            "const int N = 3000000; int f() { for (i : int[0,N]) { } return 1; }".to_owned();
        for number in 0..2_000 {
            text += &format!(" const int v{number} = f();");
        }
        bench.write("m.xta", declaring(&text));
        bench.write("c.cert", "tacert 1\nkind reach\n");
        let words = [
            &["verify", "m.xta", "-q", "E<> P.a", "--time", "0.5"][..],
            &["optimize", "m.xta", "-q", "E<> P.a", "--time", "0.5"],
            &["certify", "m.xta", "c.cert", "-q", "E<> P.a", "--time", "0.5"],
        ];
        for words in words {
            let run = ends_soon(&bench, words);
            assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""), "{run:?}");
            assert!(run.stderr.contains("TA0010") && run.stderr.contains("time limit"), "{run:?}");
        }
    }

    #[test]
    fn a_limit_on_memory_ends_loading() {
        let bench = Bench::new();
        let edges = "a -> a { guard i + i + i + i + i + i + i + i > n; }, ".repeat(50);
        let text = format!(
            "int i;\nprocess P(int[0,40000] n) {{ state a; init a; trans {edges} a -> a {{ }}; }}\n\
             system P;\n"
        );
        bench.write("m.xta", text);
        bench.write("c.cert", "tacert 1\nkind reach\n");
        let words = [
            &["verify", "m.xta", "-q", "E<> P(1).a", "--memory", "50M"][..],
            &["certify", "m.xta", "c.cert", "-q", "E<> P(1).a", "--memory", "50M"],
        ];
        for words in words {
            let run = bench.run(words);
            let complaint = &run.stderr;
            assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""), "{run:?}");
            assert!(complaint.contains("TA0010") && complaint.contains("memory limit"), "{run:?}");
        }
    }

    /// Pitfall P77, `suggestion-is-quadratic`: each unknown name was compared with all names.
    #[test]
    fn many_unknown_names_beside_many_declared_ones() {
        let bench = Bench::new();
        let declared: String = (0..20_000).map(|n| format!("int name{n};\n")).collect();
        let unknown: String = (0..20_000).map(|n| format!("int v{n} = nmae{n};\n")).collect();
        bench.write("m.xta", declaring(&(declared.clone() + &unknown)));
        let run = ends_soon(&bench, &["check", "m.xta"]);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.stderr.contains("did you mean `name0`?"), "{}", &run.stderr[..1000]);
        assert!(run.stderr.contains("more problems are not shown"), "{run:?}");
        bench.write("m.xta", declaring(&declared));
        let queries: String = (0..20_000).map(|n| format!("E<> nmae{n} > 0\n")).collect();
        bench.write("m.q", queries);
        let run = ends_soon(&bench, &["check", "m.xta", "m.q"]);
        assert_eq!(run.code, Some(2), "{}", &run.stderr[..1000]);
    }

    #[test]
    fn a_line_of_many_megabytes_with_errors() {
        let bench = Bench::new();
        let unknown: String = (0..700_000).map(|n| format!("int v{n} = nowhere{n}; ")).collect();
        let wrong: String = (0..1_100_000).map(|n| format!("int v{n} = ; ; ")).collect();
        for text in [unknown, wrong, "\u{e4} ".repeat(7_000_000), "int v;".repeat(3_500_000)] {
            bench.write("m.xta", declaring(&text));
            let run = ends_soon(&bench, &["check", "m.xta"]);
            let shown: String = run.stderr.chars().take(1000).collect();
            assert_eq!(run.code, Some(2), "{shown}");
            assert!(run.stderr.len() < 200_000, "{} bytes of complaints", run.stderr.len());
        }
    }
}

mod queries {
    use super::*;

    #[test]
    fn unbalanced_quantifiers() {
        refused_queries("E<> true\nE<> forall (i : int[0,1]) (P.a\n", "2:31", "");
        refused_queries("E<> forall (i : int[0,1]\n", "1:25", "");
    }

    #[test]
    fn a_query_of_ten_megabytes() {
        let open = format!("E<> {}P.a{}\n", "(".repeat(5_000_000), ")".repeat(5_000_000));
        refused_queries(&open, "1:1005", "deep");
    }

    #[test]
    fn an_implication_without_its_right_side() {
        refused_queries("E<> deadlock imply\n", "1:19", "");
    }

    #[test]
    fn a_path_quantifier_inside_a_formula() {
        refused_queries("A[] E<> P.a\n", "1:5", "");
        refused_queries("E<> P.a and A[] P.b\n", "1:13", "");
    }

    #[test]
    fn a_name_that_is_not_there() {
        refused_queries("E<> P.a\n\nA[] not P.nowhere\n", "3:11", "nowhere");
    }

    #[test]
    fn deadlock_inside_a_formula_is_understood() {
        let bench = Bench::new();
        bench.write("m.xta", with_body("state a, b; init a; trans a -> b { };"));
        bench.write("m.q", "A[] (deadlock imply P.b)\nE<> not (P.a or deadlock)\n");
        let run = bench.run(&["check", "m.xta", "m.q"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }
}

mod files {
    use super::*;

    /// Expects that this path is rejected without a position in it.
    #[track_caller]
    fn unreadable(bench: &Bench, path: &str, words: &str) {
        let run = bench.run_with_little_memory(&["check", path]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{}", run.stderr);
        assert!(run.stderr.contains(words), "{}", run.stderr);
    }

    #[test]
    fn folders_and_devices_are_rejected() {
        let bench = Bench::new();
        unreadable(&bench, ".", "folder");
        unreadable(&bench, "/dev/zero", "device");
        unreadable(&bench, "nothing.xml", "no such file");
        let made = bench.command("mkfifo").arg("pipe").status();
        if made.is_ok_and(|status| status.success()) {
            unreadable(&bench, "pipe", "pipe");
        }
    }

    #[test]
    fn large_files_are_rejected_before_reading() {
        let bench = Bench::new();
        let path = bench.write("m.xml", "");
        let file = std::fs::File::options().write(true).open(path).expect("it exists");
        file.set_len(5 << 30).expect("a sparse file");
        unreadable(&bench, "m.xml", "larger than the limit");
    }

    #[test]
    fn a_compressed_file_is_not_unpacked() {
        let bench = Bench::new();
        bench.write("m.xml", b"\x1F\x8B\x08\0\0\0\0\0");
        unreadable(&bench, "m.xml", "gzip");
    }

    #[test]
    fn a_file_without_permission_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let bench = Bench::new();
        let path = bench.write("m.xml", "");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o000)).expect("it is ours");
        if std::fs::File::open(&path).is_ok() {
            return eprintln!("skipped: this user may read everything");
        }
        unreadable(&bench, "m.xml", "cannot be read");
    }
}
