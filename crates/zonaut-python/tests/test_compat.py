"""The interface of pyuppaal."""

from __future__ import annotations

from pathlib import Path

import pytest

from zonaut.compat.pyuppaal import SimTrace, UModel

DEMO = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.1//EN' 'http://www.it.uu.se/research/group/darts/uppaal/flat-1_2.dtd'>
<nta>
<declaration>broadcast chan a, b, c, d; clock x;</declaration>
<template><name>P</name>
<location id="id0"><name>start</name></location>
<location id="id1"><name>left</name></location>
<location id="id2"><name>right</name></location>
<location id="id3"><name>pass</name></location>
<init ref="id0"/>
<transition><source ref="id0"/><target ref="id1"/><label kind="synchronisation">a!</label></transition>
<transition><source ref="id1"/><target ref="id3"/><label kind="synchronisation">b!</label></transition>
<transition><source ref="id0"/><target ref="id2"/><label kind="guard">x &gt;= 2</label><label kind="synchronisation">c!</label></transition>
<transition><source ref="id2"/><target ref="id3"/><label kind="synchronisation">d!</label></transition>
</template>
<system>system P;</system>
<queries><query><formula>E&lt;&gt; P.pass</formula><comment></comment></query></queries>
</nta>
"""


@pytest.fixture
def demo(tmp_path: Path) -> UModel:
    path = tmp_path / "demo.xml"
    path.write_text(DEMO)
    return UModel(str(path))


def test_verify_returns_the_output(demo: UModel) -> None:
    out = demo.verify()
    assert "Verifying formula 1 at /nta/queries/query[1]/formula" in out
    assert "-- Formula is satisfied." in out


def test_verify_writes_a_trace(demo: UModel, tmp_path: Path) -> None:
    out = demo.verify(trace_path=str(tmp_path / "demo_xtr"), verify_options="-t 1")
    assert "Writing witness trace to" in out
    assert list(tmp_path.glob("demo-1*"))


def test_easy_verify_returns_a_trace(demo: UModel) -> None:
    trace = demo.easy_verify()
    assert isinstance(trace, SimTrace)
    assert trace.untime_pattern == ["a", "b"]
    assert trace.states == [["P.start"], ["P.left"], ["P.pass"]]
    assert trace.transitions[0].sync == "a"
    assert trace.transitions[0].edges[0].start_location == "P.start"
    assert len(trace) == 3 and len(trace.clock_constraints) == 3
    assert trace == demo.easy_verify() and hash(trace) == hash(demo.easy_verify())


def test_easy_verify_needs_the_option_of_traces(demo: UModel) -> None:
    with pytest.raises(ValueError, match="-t"):
        demo.easy_verify("-o 1")


def test_all_patterns_are_found(demo: UModel) -> None:
    assert [one.untime_pattern for one in demo.find_all_patterns()] == [["a", "b"], ["c", "d"]]


def test_queries_are_read_and_written(demo: UModel) -> None:
    assert demo.queries == ["E<> P.pass"]
    demo.queries = ["A[] not P.pass", "E<> P.left && x < 3"]
    assert UModel(demo.model_path).queries == ["A[] not P.pass", "E<> P.left && x < 3"]
    assert "NOT satisfied" in demo.verify()
    demo.queries = "E<> P.right"
    assert demo.queries == ["E<> P.right"]
    trace = demo.easy_verify("-t1")
    assert trace is not None and trace.actions == ["c"]
    demo.queries = None
    assert demo.queries == []


def test_declarations_are_read_and_written(demo: UModel) -> None:
    assert demo.declaration.startswith("broadcast chan")
    demo.declaration = demo.declaration + " int n = 1 < 2;"
    assert "1 &lt; 2" in Path(demo.model_path).read_text()
    assert demo.declaration.endswith("1 < 2;")


def test_a_wrong_change_is_not_written(demo: UModel) -> None:
    before = Path(demo.model_path).read_text()
    with pytest.raises(Exception):
        demo.declaration = "clock ;"
    assert Path(demo.model_path).read_text() == before


def test_copies(demo: UModel, tmp_path: Path) -> None:
    other = demo.copy_as(str(tmp_path / "copy.xml"))
    assert other.queries == demo.queries and other.xml == demo.xml
    demo.save_as(str(tmp_path / "moved.xml"))
    assert demo.model_path.endswith("moved.xml")


def test_traces_are_saved_as_text(demo: UModel, tmp_path: Path) -> None:
    trace = demo.easy_verify()
    assert trace is not None
    trace.save(str(tmp_path / "trace.txt"))
    assert (tmp_path / "trace.txt").read_text() == trace.raw == str(trace)
    assert trace.filter_by_actions(["b"]) == ["b"]
    assert trace.global_variables[0].variables_name == []
