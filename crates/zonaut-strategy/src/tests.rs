use super::catalogue::{ALIASES, Guarantee, Kind, PARTS};
use super::*;

fn check(text: &str, canonical: &str) {
    let strategy: Strategy = text.parse().expect("a strategy");
    assert_eq!(strategy.to_string(), canonical);
    assert_eq!(canonical.parse(), Ok(strategy));
}

fn check_refused(text: &str, message: &str) {
    let error = text.parse::<Strategy>().expect_err("not a strategy").to_string();
    assert!(error.contains(message), "{error}");
}

#[test]
fn strategies_are_printed_as_they_are_read() {
    check(" bfs ", "bfs");
    check("auto( first=32768 )", "auto");
    check("auto(first=7)", "auto(first=7)");
    check("useful(hu, prefer=depth)", "useful(hu, prefer=depth)");
    check("astar( hl )", "astar(hl)");
    check("context(hu , ties=lifo)", "context(hu)");
    check("coverage( ties=fifo )", "coverage(ties=fifo)");
    check("coverage(ties=lifo)", "coverage");
    check("astar(hl(values=location, clocks=ignored))", "astar(hl(values=location))");
    check("greedy(hl(clocks=location, cache=9))", "greedy(hl(clocks=location, cache=9))");
    check("greedy(max(hu, du), ties=lifo, prefer=estimate)", "greedy(max(hu, du))");
    check("greedy(hu,ties=fifo,prefer=depth)", "greedy(hu, ties=fifo, prefer=depth)");
    check("wastar(hl)", "wastar(hl, weight=3)");
    check("greedy(hl, ties=random)", "greedy(hl, ties=random)");
    check(
        "alternate(hl(cache=0), sum(hu, weighted(du)))",
        "alternate(hl(cache=0), sum(hu, weighted(du, weight=3)))",
    );
    check("restarts(hu, perturb=0, patience=7)", "restarts(hu, patience=7, perturb=0)");
    check("astar(max(rd(states=10), cone))", "astar(max(rd(states=10), cone(d=2)))");
    check(
        "astar(sum(rd, cone(d=1), partition=shared))",
        "astar(sum(rd, cone(d=1), partition=shared))",
    );
    check("astar(sum(hl , partition=shared))", "astar(sum(hl, partition=shared))");
    check("greedy(sum(hl, du, partition=off))", "greedy(sum(hl, du))");
    check("astar(cone(states=9, d=auto))", "astar(cone(d=auto, states=9))");
    check("astar(rd(memory=9, inputs=kept))", "astar(rd(inputs=kept, memory=9))");
    check("greedy(rd(inputs=direct))", "greedy(rd(inputs=direct))");
    let learning = "greedy(pa(refine=4, ways=all, learn=guards, perimeter=2, near=9, seconds=5))";
    check(learning, learning);
    check("astar(merge(n=50, states=9, memory=1))", "astar(merge(states=9, memory=1))");
}

#[test]
fn alternative_names_are_printed_as_the_canonical_ones() {
    check("transition-based(hu, ties=fifo)", "useful(hu, ties=fifo)");
    check("structural(ties=fifo)", "coverage(ties=fifo)");
    check("structural", "coverage");
    check_refused("transition-based(rd)", "`useful` needs the heuristic");
    for alias in ALIASES {
        assert!(PARTS.iter().all(|part| part.name != alias.name), "{} is a part", alias.name);
        let part = PARTS.iter().find(|part| part.name == alias.part).expect(alias.part);
        let example = part.example.replace(part.name, alias.name);
        let [read, expected] = [example.as_str(), part.example]
            .map(|text| text.parse::<Strategy>().expect(text).to_string());
        assert_eq!(read, expected, "{example}");
    }
}

#[test]
fn every_example_of_the_catalogue_is_read_and_uses_its_part() {
    for part in PARTS {
        assert!(part.example.contains(part.name));
        let read = match part.kind.is_about_costs() {
            true => part.example.parse::<CostStrategy>().expect(part.example).to_string(),
            false => part.example.parse::<Strategy>().expect(part.example).to_string(),
        };
        // A shorthand is printed in full.
        let shown = if part.name == "mc+" { "astar(rem)" } else { part.name };
        assert!(read.contains(shown), "{read}");
    }
}

#[test]
fn the_catalogue_declares_admissible_heuristics() {
    for part in PARTS.iter().filter(|part| part.kind == Kind::Heuristic) {
        let alone = format!("astar({})", part.name).parse::<Strategy>();
        assert_eq!(alone.is_ok(), part.guarantee == Guarantee::Yes, "{}", part.name);
    }
    for part in PARTS.iter().filter(|part| part.kind == Kind::Combinator) {
        let of_good = format!("astar({}(hl))", part.name).replace("(hl)", "(hl, dl)");
        let of_good = of_good.replace("weighted(hl, dl)", "weighted(hl)").parse::<Strategy>();
        assert_eq!(of_good.is_ok(), part.guarantee == Guarantee::LikeParts, "{}", part.name);
        check_refused("astar(max(hl, hu))", "is not admissible");
    }
}

#[test]
fn defaults_of_the_catalogue_are_the_defaults() {
    for part in PARTS.iter().filter(|part| !part.kind.is_about_costs()) {
        let named_parameters: Vec<String> = part
            .parameters
            .iter()
            .filter(|parameter| !matches!(parameter.default, "" | "none"))
            .map(|parameter| format!("{}={}", parameter.name, parameter.default))
            .collect();
        if named_parameters.is_empty() {
            continue;
        }
        let heuristics = part.parameters.iter().find(|parameter| parameter.name.is_empty());
        let inner = match heuristics {
            Some(parameter) if parameter.meaning.contains("two") => "hl, hl, ",
            Some(_) => "hl, ",
            None => "",
        };
        let named_parameters = format!("{}({inner}{})", part.name, named_parameters.join(", "));
        let unsaid = format!("{}({})", part.name, inner.trim_end_matches(", "));
        let wrap = |text: &str| match part.kind {
            Kind::Search | Kind::CostSearch => text.to_owned(),
            Kind::Heuristic | Kind::Combinator | Kind::Estimate => format!("greedy({text})"),
        };
        assert_eq!(
            wrap(&named_parameters).parse::<Strategy>(),
            wrap(&unsaid).parse(),
            "{named_parameters}"
        );
    }
}

#[test]
fn wrong_strategies_are_refused_with_their_place_and_a_hint() {
    check_refused("astar(hu)", "use greedy(hu) or wastar(hu)");
    check_refused("astar(sum(hl, rd))", "is not admissible");
    check_refused("astar(sum(hl, du, partition=shared))", "among rd, cone(d=N) and hl");
    check_refused("greedy(sum(hl, partition=off))", "needs two heuristics");
    check_refused("hl", "`hl` is a heuristic; try greedy(hl)");
    check_refused("greedy(bfs)", "`bfs` is a search");
    check_refused("gredy(hl)", "unknown strategy `gredy`; available: auto, bfs, dfs");
    check_refused("greedy", "`greedy` needs a heuristic, as in greedy(hu)");
    check_refused("useful(rd)", "`useful` needs the heuristic hl or hu");
    check_refused("lazy(order=auto)", "a single search except lazy");
    check_refused("greedy(hl, hu)", "takes one heuristic");
    check_refused("greedy(hl, tie=lifo)", "has no parameter `tie`; available: ties, prefer");
    check_refused("greedy(hl, ties=old)", "`ties` must be one of fifo, lifo, random");
    check_refused("wastar(hl, weight=much)", "`weight` must be a number");
    check_refused("wastar(hl, weight=99999999999)", "too large");
    check_refused("greedy(hl", "expected `,` or `)`, found the end");
    check_refused("greedy(hl) x", "expected the end, found `x`");
    check_refused("bfs(3)", "`bfs` does not take this argument");
    check_refused("", "expected a name, found the end");
    check_refused(&"max(".repeat(100), "nested too deep");
    let error = "greedy(hä)".parse::<Strategy>().expect_err("not a strategy").to_string();
    assert!(error.ends_with("\n  greedy(hä)\n          ^"), "{error}");
}

fn check_cost(text: &str, canonical: &str) {
    let strategy: CostStrategy = text.parse().expect("a strategy");
    assert_eq!(strategy.to_string(), canonical);
    assert_eq!(canonical.parse(), Ok(strategy));
}

fn check_cost_refused(text: &str, message: &str) {
    let error = text.parse::<CostStrategy>().expect_err("not a strategy").to_string();
    assert!(error.contains(message), "{error}");
}

#[test]
fn searches_for_cheapest_runs_are_printed_as_they_are_read() {
    check_cost("auto", "auto");
    check_cost("beam( width=1, growth=2 )", "beam(growth=2)");
    check_cost(" bfs ", "bfs");
    check_cost("dfs( rem )", "dfs(rem)");
    check_cost("mc(over=auto)", "mc");
    check_cost("mc(rem(auto), over=zones)", "mc(rem(auto), over=zones)");
    check_cost("mc+", "astar(rem)");
    check_cost("mc+(rem(remaining))", "astar(rem(remaining))");
    check_cost("best-dfs", "best-dfs(rem)");
    check_cost("best-dfs(rem(remaining, auto), work=1, total=8)", "best-dfs(rem, total=8, work=1)");
    check_cost("heur", "heur");
    check_cost("astar(rem( smaller, auto ))", "astar(rem(auto, smaller))");
    check_cost("heur-dfs(rem(auto))", "heur-dfs(rem(auto))");
}

#[test]
fn the_defaults_of_searches_for_cheapest_runs_are_those_of_the_catalogue() {
    for part in PARTS.iter().filter(|part| part.kind == Kind::CostSearch) {
        let named_parameters =
            part.parameters.iter().filter(|parameter| parameter.default != "none");
        let named_parameters: Vec<String> = named_parameters
            .map(|parameter| match parameter.name {
                "" => parameter.default.to_owned(),
                name => format!("{name}={}", parameter.default),
            })
            .collect();
        // A mandatory argument has no default.
        let unsaid = if part.name == "astar" { "astar(rem)" } else { part.name };
        let named_parameters = format!("{}({})", part.name, named_parameters.join(", "));
        assert_eq!(named_parameters.parse::<CostStrategy>(), unsaid.parse(), "{named_parameters}");
    }
}

#[test]
fn wrong_searches_for_cheapest_runs_are_refused_with_their_place_and_a_hint() {
    check_cost_refused("greedy(hu)", "`greedy` is a search; available: auto, beam, bfs");
    check_cost_refused("rem", "`rem` is a lower bound of the remaining cost; try astar(rem)");
    check_cost_refused(
        "astar",
        "`astar` needs a lower bound of the remaining cost, as in \
                                 astar(rem(auto))",
    );
    check_cost_refused("astar(hl)", "`hl` is a heuristic; try greedy(hl); available: rem");
    check_cost_refused("astar(3)", "a lower bound is written as in rem(auto)");
    check_cost_refused("astar(rem(best))", "`rem` takes one or more of auto, remaining, smaller");
    check_cost_refused("mc(rem, rem)", "`mc` does not take this argument");
    check_cost_refused("auto(rem)", "`auto` does not take this argument");
    check_cost_refused("mc(over=points)", "`over` must be one of auto, zones");
    check_cost_refused("beam(growth=1)", "`growth` at least 2");
    check_cost_refused("beam(widht=1)", "`beam` has no parameter `widht`");
    check_refused("mc", "`mc` is a search of `zonaut optimize`; available: auto, bfs");
    check_refused("greedy(rem)", "`rem` is a lower bound of the remaining cost");
}
