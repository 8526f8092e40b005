"""Runs, schedules and pictures."""

from __future__ import annotations

import builtins
import json
import pickle
import sys
from fractions import Fraction
from typing import Any

import pytest

import zonaut as zn


@pytest.fixture
def trace(lamp: zn.Model) -> zn.Trace:
    found = lamp.check("E<> Lamp.off && x == 8 && y == 3", trace="fastest").trace
    assert found is not None
    return found


def test_a_trace_is_a_sequence_of_steps(trace: zn.Trace) -> None:
    assert len(trace) == len(trace.steps) == len(list(trace))
    assert trace[0] is trace.steps[0]
    assert len(trace.states) == len(trace) + 1
    assert bool(trace)
    assert str(len(trace)) in repr(trace)


def test_delays_and_dates_are_exact(trace: zn.Trace) -> None:
    total = Fraction(0)
    for step in trace:
        total += step.delay
        assert step.time == total
    assert total + trace.last_delay == trace.duration
    assert trace.states[-1].clocks["x"] + trace.last_delay == 8


def test_lenient_delays_are_far_from_bounds(lamp: zn.Model) -> None:
    found = lamp.check("E<> Lamp.on && x <= 4").trace
    assert found is not None
    lenient = found.retimed("lenient")
    assert found[0].delay == 1 and found.last_delay == 0
    assert lenient[0].delay > 1 and lenient.last_delay <= 4
    assert [str(step.edges[0]) for step in lenient] == [str(step.edges[0]) for step in found]
    assert lenient.retimed("earliest") == found
    assert pickle.loads(pickle.dumps(lenient)) == lenient
    with pytest.raises(zn.OptionError, match="lenient"):
        found.retimed("late")


def test_a_maximal_run_keeps_its_delays(lamp: zn.Model) -> None:
    found = lamp.check("E[] Lamp.off").trace
    assert found is not None and found.continuation is not None
    assert found.retimed() is found


def test_states_have_locations_variables_and_clocks(counter: zn.Model) -> None:
    found = counter.check("E<> P.b").trace
    assert found is not None
    assert [state.variables["n"] for state in found.states] == [0, 1, 2, 3, 3]
    assert found.states[-1].location("P") == "b"
    with pytest.raises(KeyError):
        found.start.location("Q")


def test_edges_have_labels_and_selections() -> None:
    model = zn.loads(
        "chan c; int n; process P() { state a, b; init a;"
        " trans a -> b { select i : int[3, 4]; guard i > 3; sync c!; assign n = i; }; }"
        " process Q() { state u, v; init u; trans u -> v { sync c?; }; } system P, Q;"
    )
    found = model.check("E<> n == 4").trace
    assert found is not None
    sender, receiver = found[0].edges
    assert (sender.process, receiver.process) == ("P", "Q")
    assert sender.select == {"i": 4}
    assert sender.guard == "i > 3" and sender.synchronisation == "c!"
    assert found[0].action == "c"
    assert str(sender) == "P: a -> b [c!]"


def test_json_and_dictionaries(trace: zn.Trace) -> None:
    assert json.loads(trace.to_json()) == trace.to_dict()
    assert len(trace.to_dict()["steps"]) == len(trace)


def test_text_xml_xtr_and_zones(trace: zn.Trace) -> None:
    assert "Lamp" in str(trace)
    assert trace.to_xml().startswith("<?xml")
    assert trace.to_xtr().count("\n.\n") >= 1
    assert len(trace.zones) == len(trace.states)


@pytest.mark.parametrize("kind", ["sequence", "gantt", "clocks"])
def test_pictures(trace: zn.Trace, kind: str) -> None:
    assert "<svg" in trace.svg(kind)


def test_there_may_be_nothing_to_draw(counter: zn.Model, trace: zn.Trace) -> None:
    found = counter.check("E<> P.b").trace
    assert found is not None
    assert found.svg("clocks") == ""
    assert "<svg" in found.svg("variables")
    with pytest.raises(zn.OptionError):
        trace.svg("portrait")
    assert trace._repr_svg_() == trace.svg()


def test_traces_can_be_pickled_and_compared(trace: zn.Trace, lamp: zn.Model) -> None:
    again = pickle.loads(pickle.dumps(trace))
    assert again == trace and hash(again) == hash(trace)
    assert again.svg("clocks") == trace.svg("clocks")
    assert again.to_xtr() == trace.to_xtr()
    assert str(again) == str(trace)
    assert trace != lamp.check("E<> Lamp.on").trace


def test_the_loop_of_a_maximal_run_survives_pickling(lamp: zn.Model) -> None:
    found = lamp.check("A<> Lamp.on").trace
    assert found is not None
    again = pickle.loads(pickle.dumps(found))
    assert again.continuation == found.continuation is not None


def test_records_have_a_row_for_each_state(trace: zn.Trace) -> None:
    rows = trace.to_records()
    assert [row["step"] for row in rows] == list(range(len(trace) + 1))
    assert rows[0]["Lamp"] == "off" and rows[1]["Lamp"] == "on"
    assert rows[0]["time"] == 0.0 and rows[0]["x"] == 0.0


def test_data_frames(trace: zn.Trace) -> None:
    pytest.importorskip("pandas")
    frame = trace.to_dataframe()
    assert len(frame) == len(trace) + 1
    assert {"step", "time", "transition", "Lamp", "x", "y"} <= set(frame.columns)


def test_without_pandas_the_message_says_what_to_do(
    trace: zn.Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "pandas":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    monkeypatch.delitem(sys.modules, "pandas", raising=False)
    with pytest.raises(ImportError, match="pip install pandas"):
        trace.to_dataframe()


GOAL = "E<> forall (j : job_t) Job(j).done"


def test_optimal_schedules(job_shop: zn.Model) -> None:
    best = job_shop.optimize(GOAL, certify="always")
    assert best.is_optimal and best.cost == best.lower_bound == 12
    assert best.gap == 0 and best.attained
    assert best.certified, best.uncertified_reason
    assert best.improvements and best.improvements[-1].cost == 12
    assert best.stats is not None and best.stats.explored > 0
    schedule = best.schedule
    assert schedule.makespan == 12
    assert len(schedule) == 9
    assert all(bar.start < bar.end <= 12 for bar in schedule)
    assert "<svg" in schedule.svg() and best._repr_svg_() == schedule.svg()
    assert "12" in repr(best) and "9 bars" in repr(schedule)


@pytest.mark.parametrize("threads", [1, 2])
def test_several_threads_find_the_same_optimum(job_shop: zn.Model, threads: int) -> None:
    best = job_shop.optimize(GOAL, threads=threads, certify="always")
    assert best.is_optimal and best.cost == 12 and best.certified


def test_bars_of_one_row_do_not_overlap(job_shop: zn.Model) -> None:
    trace = job_shop.optimize(GOAL).trace
    assert trace is not None
    for rows in ("process", "location", "resource"):
        bars = trace.schedule(rows).bars
        for row in {bar.row for bar in bars}:
            mine = sorted((bar.start, bar.end) for bar in bars if bar.row == row)
            assert all(left[1] <= right[0] for left, right in zip(mine, mine[1:])), rows
    with pytest.raises(zn.OptionError):
        trace.schedule("column")


def test_schedules_as_frames(job_shop: zn.Model) -> None:
    pytest.importorskip("pandas")
    frame = job_shop.optimize(GOAL).schedule.to_dataframe()
    assert list(frame.columns) == ["row", "label", "start", "end"]
    assert frame["end"].max() == 12


def test_optima_and_schedules_can_be_pickled(job_shop: zn.Model) -> None:
    best = job_shop.optimize(GOAL)
    again = pickle.loads(pickle.dumps(best))
    assert again.to_dict() == best.to_dict()
    assert pickle.loads(pickle.dumps(best.schedule)).bars == best.schedule.bars


def test_certificates_of_optima(job_shop: zn.Model, tmp_path: Any) -> None:
    path = tmp_path / "optimum.cert"
    assert job_shop.optimize(GOAL, certificate=path, certify="always").certified
    assert job_shop.verify_certificate(path, GOAL, cost=True).accepted


def test_an_unreachable_goal_has_no_schedule(lamp: zn.Model) -> None:
    best = lamp.optimize("E<> Lamp.on && x > 5")
    assert best.verdict == "unreachable" and best.trace is None and best.cost is None
    with pytest.raises(zn.UndecidedError):
        best.schedule


@pytest.mark.parametrize("options", [{"strategy": "points"}, {"rates": "most"}, {"time": 3}, {"threads": 0}])
def test_wrong_options_of_optimisation(lamp: zn.Model, options: dict[str, Any]) -> None:
    with pytest.raises(zn.OptionError):
        lamp.optimize("E<> Lamp.on", **options)


def test_only_goals_are_optimised(lamp: zn.Model) -> None:
    with pytest.raises(zn.OptionError, match="E<>"):
        lamp.optimize("A[] Lamp.on")
