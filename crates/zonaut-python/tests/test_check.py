"""Answers to queries."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from pathlib import Path

import pytest
from conftest import LARGE, MODELS

import zonaut as zn

QUERIES = [
    ("E<> Lamp.on && x == 3", True),
    ("E<> Lamp.on && x > 5", False),
    ("A[] Lamp.on imply x <= 5", True),
    ("A[] Lamp.off", False),
    ("A[] not deadlock", True),
    ("Lamp.on --> Lamp.off", True),
    ("A<> Lamp.on", False),
    ("E[] Lamp.off", True),
]


@pytest.mark.parametrize(("query", "holds"), QUERIES)
def test_verdicts(lamp: zn.Model, query: str, holds: bool) -> None:
    result = lamp.check(query)
    assert result.holds is holds
    assert bool(result) is holds
    assert result.verdict == ("satisfied" if holds else "not_satisfied")
    assert result.query == query


@pytest.mark.parametrize(("query", "holds"), QUERIES)
def test_answers_are_certified(lamp: zn.Model, query: str, holds: bool) -> None:
    result = lamp.check(query, certify="always")
    assert result.certified, result.uncertified_reason
    assert result.uncertified_reason is None


@pytest.mark.parametrize("strategy", ["auto", "bfs", "dfs", "rdfs", "astar(hl)", "greedy(hu)", "lazy"])
def test_strategies_agree(fischer: zn.Model, strategy: str) -> None:
    verdicts = [r.holds for r in fischer.check(strategy=strategy, certify="never", trace="none")]
    assert verdicts == [r.holds for r in fischer.check(certify="never", trace="none")]


@pytest.mark.parametrize(
    "options",
    [
        {"abstraction": "lu+", "store": "inclusion"},
        {"abstraction": "lu", "store": "exact"},
        {"symmetry": False},
        {"strategy": "bfs", "threads": 2},
        {"threads": 2},
        {"strategy": "rdfs", "seed": 7},
        {"explain": True, "strategy": "lazy"},
    ],
    ids=str,
)
def test_options_do_not_change_verdicts(lamp: zn.Model, options: dict[str, object]) -> None:
    assert lamp.check("A[] Lamp.on imply x <= 5", **options).holds is True


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"strategy": "bsf"}, "strategy"),
        ({"abstraction": "all"}, "abstraction"),
        ({"store": "all"}, "store"),
        ({"trace": "long"}, "long"),
        ({"certify": "perhaps"}, "perhaps"),
        ({"timeout": -1}, "timeout"),
        ({"timeout": float("inf")}, ""),
        ({"threads": 0}, ""),
        ({"threads": 2, "strategy": "lazy"}, "one thread"),
        ({"colour": "blue"}, "colour"),
        ({"timout": 3}, "unknown option `timout`; did you mean `timeout`?"),
        ({"epsilonn": 0.1}, "did you mean `epsilon`?"),
        ({"nothing_like_it": 3}, "the options are strategy"),
        ({"seed": "x"}, "`seed`: "),
        ({"states": -1}, ""),
        ({"databases": object()}, ""),
    ],
    ids=str,
)
def test_wrong_options_are_refused(
    lamp: zn.Model, options: dict[str, object], word: str
) -> None:
    with pytest.raises(zn.OptionError) as caught:
        lamp.check("E<> Lamp.on", **options)
    assert word in str(caught.value)


def test_several_queries_have_a_list_of_results(lamp: zn.Model) -> None:
    results = lamp.check([query for query, _ in QUERIES], certify="never")
    assert [result.holds for result in results] == [holds for _, holds in QUERIES]
    assert lamp.check() == []
    with_queries = lamp.with_queries("E<> Lamp.on", "E<> Lamp.off")
    assert [result.query for result in with_queries.check()] == ["E<> Lamp.on", "E<> Lamp.off"]
    assert with_queries.check(-1).query == "E<> Lamp.off"
    with pytest.raises(zn.OptionError):
        with_queries.check(2)


def test_a_limit_gives_no_verdict() -> None:
    model = zn.loads(LARGE)
    result = model.check("A[] true && P(0).n < 11", states=50, strategy="bfs")
    assert result.holds is None and result.verdict == "unknown"
    assert "state" in (result.reason or "")
    with pytest.raises(zn.UndecidedError):
        bool(result)


def test_a_timeout_ends_the_search() -> None:
    result = zn.loads(LARGE).check("A[] P(0).n < 11", timeout=0.2, strategy="bfs")
    assert result.verdict == "unknown" and result.reason is not None


def test_an_error_of_the_model_is_not_a_verdict() -> None:
    model = zn.loads(
        "int[0, 3] n; process P() { state a; init a; trans a -> a { assign n = n + 1; }; } system P;"
    )
    result = model.check("E<> n == 4")
    assert result.verdict == "error" and result.holds is None
    assert result.failure is not None and result.failure.line == 1
    assert result.trace is not None and result.trace.fails
    with pytest.raises(zn.UndecidedError) as caught:
        bool(result)
    assert caught.value.code.startswith("TA")


def test_an_uncertified_answer_shows_why(lamp: zn.Model) -> None:
    result = lamp.check("E<> Lamp.on", certify="never")
    assert repr(result).endswith(": satisfied, uncertified: not requested>")
    assert repr(lamp.check("E<> Lamp.on", certify="always")).endswith(": satisfied, certified>")
    undecided = zn.loads(LARGE).check("A[] P(0).n < 11", states=50, strategy="bfs")
    assert "certified" not in repr(undecided)


def test_unsupported_queries_say_why(lamp: zn.Model) -> None:
    result = lamp.check("control: A<> Lamp.on")
    assert result.holds is None
    assert result.unsupported


def test_statistics(lamp: zn.Model) -> None:
    stats = lamp.check("E<> Lamp.on").stats
    assert stats.explored >= 1 and stats.stored >= 1
    assert stats.transitions == 1
    assert stats.seconds >= stats.search_seconds >= 0


def test_values_of_expressions(counter: zn.Model) -> None:
    result = counter.check("sup: n")
    (values,) = result.values
    assert values.expression == "n"
    assert values.supremum == zn.Bound(3, True)
    assert values.infimum is None
    (both,) = counter.check("bounds: n").values
    assert (both.infimum, both.supremum) == (zn.Bound(0, True), zn.Bound(3, True))


def test_values_of_clocks(lamp: zn.Model) -> None:
    (values,) = lamp.check("sup{Lamp.on}: x, y").values[:1]
    assert values.supremum == zn.Bound(5, True)
    assert lamp.check("sup: y").values[0].supremum == zn.Bound(None, False)


@pytest.mark.parametrize(
    ("trace", "steps", "duration"), [("shortest", 1, None), ("fastest", None, Fraction(1))]
)
def test_kinds_of_traces(
    lamp: zn.Model, trace: str, steps: int | None, duration: Fraction | None
) -> None:
    found = lamp.check("E<> Lamp.on", trace=trace).trace
    assert found is not None
    assert steps is None or len(found) == steps
    assert duration is None or found.duration == duration


def test_no_trace_if_none_is_asked(lamp: zn.Model) -> None:
    assert lamp.check("E<> Lamp.on", trace="none").trace is None
    assert lamp.check("E<> Lamp.on", trace=None).trace is None
    assert lamp.check("E<> Lamp.on && x > 5").trace is None


def test_certificates_are_written_and_verified(lamp: zn.Model, tmp_path: Path) -> None:
    path = tmp_path / "lamp.cert"
    query = "A[] Lamp.on imply x <= 5"
    assert lamp.check(query, certificate=path, certify="always").certified
    check = lamp.verify_certificate(path, query)
    assert check and check.accepted and check.answer == "accepted"
    other = lamp.verify_certificate(path, "A[] Lamp.on imply x <= 4")
    assert not other and other.reason
    path.write_bytes(path.read_bytes()[:-20])
    assert not lamp.verify_certificate(path, query)
    assert not lamp.verify_certificate(tmp_path / "missing", query)


def test_a_certificate_that_cannot_be_written_is_a_warning(lamp: zn.Model, tmp_path: Path) -> None:
    result = lamp.check("E<> Lamp.on", certificate=tmp_path / "no" / "folder.cert")
    assert result.holds is True and not result.certified
    assert result.uncertified_reason


def test_results_can_be_pickled(lamp: zn.Model) -> None:
    for query, _ in QUERIES:
        result = lamp.check(query)
        again = pickle.loads(pickle.dumps(result))
        assert again.to_dict() == result.to_dict()
        assert repr(again) == repr(result)


def test_results_are_plain_data(lamp: zn.Model) -> None:
    record = lamp.check("E<> Lamp.on").to_dict()
    assert json.loads(json.dumps(record)) == record


def test_progress_is_reported() -> None:
    seen: list[zn.Progress] = []
    zn.loads(LARGE).check("A[] P(0).n < 11", timeout=0.6, strategy="bfs", progress=seen.append)
    assert seen
    assert seen[-1].explored >= seen[0].explored
    assert seen[-1].explored > 0


def test_an_exception_of_the_callback_ends_the_search() -> None:
    def stop(_: zn.Progress) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough") as caught:
        zn.loads(LARGE).check("A[] P(0).n < 11", strategy="bfs", progress=stop)
    assert getattr(caught.value, "partial")["verdict"] == "unknown"


def test_the_lock_is_released() -> None:
    import threading

    model = zn.loads(LARGE)
    ended = threading.Event()

    def search() -> None:
        model.check("A[] P(0).n < 11", timeout=0.5, strategy="bfs")
        ended.set()

    thread = threading.Thread(target=search)
    thread.start()
    turns = 0
    while not ended.is_set():
        turns += 1
    thread.join()
    assert turns > 1000


def test_models_can_be_used_by_several_threads(fischer: zn.Model) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda i: fischer.check(i % 3, certify="never").holds, range(12)))
    assert found == [fischer.check(i % 3, certify="never").holds for i in range(12)]


def test_several_traces_are_different_and_ordered(fischer: zn.Model) -> None:
    traces = list(fischer.traces("E<> P(1).critical", limit=8))
    assert len(traces) == 8
    lengths = [len(trace) for trace in traces]
    assert lengths == sorted(lengths)
    assert len({tuple((e.process, e.edge) for s in t for e in s.edges) for t in traces}) == 8
    assert all(trace.states[-1].location("P(1)") == "critical" for trace in traces)


def test_several_traces_end_where_there_are_no_more(counter: zn.Model) -> None:
    assert [len(t) for t in counter.traces("E<> P.b", limit=5)] == [4]
    assert list(counter.traces("E<> n == 4")) == []
    assert [len(t) for t in counter.traces("A[] n < 2", limit=5)] == [2]
    with pytest.raises(zn.OptionError):
        list(counter.traces("A<> P.b"))


def test_an_ended_enumeration_keeps_its_traces(lamp: zn.Model) -> None:
    iterator = zn.loads(LARGE).traces("E<> P(0).n == 9 && P(1).n == 9", states=300)
    with pytest.raises(zn.UndecidedError):
        list(iterator)


def test_exploration(fischer: zn.Model) -> None:
    found = fischer.explore()
    assert found.complete and found.reason is None
    assert found.stored > 0 and found.explored > 0
    assert found.unreached == [] and found.deadlock is None
    assert found.coverage(fischer) == {"locations": 1, "edges": 1}
    assert pickle.loads(pickle.dumps(found)).to_dict() == found.to_dict()


def test_exploration_finds_dead_parts_and_deadlocks() -> None:
    model = zn.loads(
        "process P() { state a, b, c; init a; trans a -> b { }, a -> c { guard 1 > 2; }; } system P;"
    )
    found = model.explore()
    assert found.unreached == ["P.c"]
    assert [(edge.source, edge.target) for edge in found.untaken] == [("a", "c")]
    assert found.deadlock is not None and len(found.deadlock) == 1
    assert found.coverage(model)["locations"] == Fraction(2, 3)
    assert "complete" in repr(found)


def test_an_incomplete_exploration_says_so() -> None:
    found = zn.loads(LARGE).explore(states=10)
    assert not found.complete and found.reason


def test_a_large_formula_does_not_overflow_the_stack(counter: zn.Model) -> None:
    query = "E<> " + "(" * 300 + "n == 3" + ")" * 300
    try:
        assert counter.check(query).holds is True
    except zn.QueryError as error:
        assert "nest" in str(error) or "deep" in str(error)
