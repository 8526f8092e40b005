"""What users of pyuppaal do, with the program at sys.argv[1] as verifyta."""

import os
import shutil
import sys

import pyuppaal
from pyuppaal import UModel, Verifyta

VERIFYTA, MODEL = sys.argv[1:3]
VERSION = int(os.environ.get("ZONAUT_UPPAAL_VERSION", "5").split(".")[0])
# The name that pyuppaal gives to the trace of the first query.
TRACE = "{}-1.xtr" if VERSION == 4 else "{}_xtr-1"


def model(name, query=None, change=None):
    """A copy of the model; pyuppaal writes to the files that it reads."""
    shutil.copyfile(MODEL, name)
    if change is not None:
        with open(name, encoding="utf-8") as file:
            text = file.read()
        assert change[0] in text, change
        with open(name, "w", encoding="utf-8") as file:
            file.write(text.replace(*change))
    found = UModel(name)
    if query is not None:
        found.queries = query
    return found


def constraints(trace):
    return [[str(c) for c in zone.clockzones] for zone in trace.clock_constraints]


def check_verdicts():
    assert Verifyta().get_uppaal_version() == VERSION
    report = model("verdict.xml").verify()
    assert " -- Formula is satisfied." in report, report
    assert os.path.exists(TRACE.format("verdict"))
    several = model("several.xml", ["E<> P1.pass", "A[] not P1.pass", "A[] P1.start imply P1.t <= 10"])
    report = several.verify()
    assert report.count("Verifying formula") == 3, report
    assert report.count(" -- Formula is satisfied.") == 2, report
    assert report.count(" -- Formula is NOT satisfied.") == 1, report


def check_witness():
    trace = model("witness.xml").easy_verify()
    assert trace.untime_pattern == ["a", "b"], trace.untime_pattern
    assert trace.states == [["P1.start"], ["P1._id1"], ["P1.pass"]], trace.states
    assert constraints(trace) == [
        ["t(0) - P1.t ≤ 0", "P1.t - t(0) ≤ 10"],
        ["t(0) - P1.t ≤ -10"],
        ["t(0) - P1.t ≤ -10"],
    ], constraints(trace)
    first = trace.transitions[0]
    assert (first.start_process, first.edges[0].guard, first.edges[0].update) == ("P1", "t >= 10", "1")


def check_counter_example():
    trace = model("counter.xml", "A[] not (P1.pass && P1.t < 3)").easy_verify(keep_tmp_file=False)
    assert trace.untime_pattern == ["c", "d"], trace.untime_pattern
    # That the formula fails only later in the last state does not make the state smaller.
    assert constraints(trace)[-1] == ["t(0) - P1.t ≤ 0"], constraints(trace)
    assert not os.path.exists(TRACE.format("counter"))
    assert model("holds.xml", "A[] P1.start imply P1.t <= 10").easy_verify() is None


def check_patterns():
    patterns = model("patterns.xml").find_all_patterns()
    assert [p.untime_pattern for p in patterns] == [["a", "b"], ["c", "d"]], patterns
    negated = model("negated.xml", "A[] not P1.pass").find_all_patterns()
    assert [p.untime_pattern for p in negated] == [["a", "b"], ["c", "d"]], negated


def check_variables_and_synchronisation():
    change = ("<system>", """<template><name x="0" y="0">Q</name>
<declaration>int[0,5] seen;</declaration>
<location id="id9" x="0" y="0"><name x="0" y="0">idle</name></location><init ref="id9"/>
<transition><source ref="id9"/><target ref="id9"/>
<label kind="synchronisation" x="0" y="0">a?</label>
<label kind="assignment" x="0" y="0">seen++</label></transition></template>
<system>""")
    two = model("two.xml", change=change)
    two.system = "\nsystem P1, Q;\n"
    trace = two.easy_verify()
    assert trace.states[1] == ["P1._id1", "Q.idle"], trace.states
    assert [v.variables_value for v in trace.global_variables] == [["0"], ["1"], ["1"]]
    assert trace.transitions[0].end_process == ["Q"], trace.transitions[0]


def check_observer():
    observed = model("observed.xml")
    observed.declaration += "\nclock gclk;"
    observations = [("c", "gclk>=1", "gclk<=2"), ("d", "gclk>=2", "gclk<=2")]
    observed.add_observer_monitor(observations, template_name="Seen")
    observed.queries = "E<> Seen.pass"
    trace = observed.easy_verify()
    assert trace.untime_pattern == ["c", "d"], trace.untime_pattern
    assert trace.transitions[0].end_process == ["Seen"], trace.transitions[0]
    assert "gclk - t(0) ≤ 2" in constraints(trace)[1], constraints(trace)
    observed.queries = "E<> Seen.pass && P1.t > 20 && gclk < 20"
    assert observed.easy_verify() is None


def check_problems():
    # A warning is no error: pyuppaal takes anything on standard error for one.
    strict = model("strict.xml", change=("t &lt;= 10", "t &lt; 11"))
    assert "[warning] Strict invariant" in strict.verify()
    wrong = model("wrong.xml", "E<> P1.nowhere")
    try:
        wrong.verify()
    except ValueError as error:
        assert "[error]" in str(error), error
    else:
        raise AssertionError("an error was not reported")


def check_statistical_queries():
    queries = [
        "Pr[<=20](<> P1.pass)",
        "E[<=20; 50](max: P1.t)",
        "simulate [<=20; 2] { P1.t }",
        "Pr[<=20](<> P1.pass) >= 0.5",
        "Pr[<=20](<> P1.pass) >= Pr[<=2](<> P1.pass)",
        "E<> P1.pass",
    ]
    report = model("statistical.xml", queries).verify()
    assert report.count("Verifying formula") == len(queries), report
    assert report.count(" -- Formula is satisfied.") == len(queries), report
    for shown in ["Pr(<> ...) in [", "(50 runs) E(max) = ", "P1.t:\n[0]: (0,0)", "H0: Pr(<> ...) >= 0.5"]:
        assert shown in report, report
    rejected = model("rejected.xml", "Pr[<=20](<> P1.pass) <= 0.5").verify()
    assert " -- Formula is NOT satisfied." in rejected, rejected


def check_xml_trace():
    name = "trace1.xml" if VERSION == 4 else "trace_xtr1.xml"
    model("xml.xml").verify(trace_path="trace.xml")
    with open(name, encoding="utf-8") as file:
        assert '<transition from="State1" to="State2" edges="P1.Edge1 "/>' in file.read()


pyuppaal.set_verifyta_path(VERIFYTA)
check_verdicts()
check_witness()
check_counter_example()
check_patterns()
check_variables_and_synchronisation()
check_observer()
check_problems()
check_statistical_queries()
check_xml_trace()
print("all scenarios passed")
