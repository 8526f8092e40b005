"""Parameter sweeps."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from conftest import COUNTER, LARGE

import zonaut as zn


@pytest.mark.parametrize("jobs", [1, 2])
def test_rows_are_in_the_order_of_the_parameters(counter: zn.Model, jobs: int) -> None:
    table = zn.sweep(counter, {"N": range(1, 6)}, ["E<> n == 3", "A[] n <= 4"], jobs=jobs)
    rows = [(row["N"], row["query"], row["holds"]) for row in table]
    assert rows == [
        (n, query, holds)
        for n in range(1, 6)
        for query, holds in [("E<> n == 3", n >= 3), ("A[] n <= 4", n <= 4)]
    ]
    assert len(table) == 10 and table[0]["explored"] >= 1
    assert "N" in repr(table) and "<table>" in table._repr_html_()


def test_workers_give_the_same_rows_as_this_process(counter: zn.Model) -> None:
    def plain(jobs: int) -> list[dict[str, Any]]:
        table = zn.sweep(counter, {"N": range(1, 5)}, ["E<> P.b"], jobs=jobs, certify="always")
        return [{k: v for k, v in row.items() if k not in ("seconds", "memory_bytes")} for row in table]

    assert plain(1) == plain(2)
    assert all(row["certified"] for row in plain(2))


def test_several_parameters_are_combined(tmp_path: Path) -> None:
    path = tmp_path / "m.xta"
    path.write_text(
        "const int A = 0; const int B = 0; process P() { state a; init a; } system P;"
        " query { E<> A + B == 3 }"
    )
    table = zn.sweep(path, {"A": [1, 2], "B": [1, 2]})
    assert [(row["A"], row["B"], row["holds"]) for row in table] == [
        (1, 1, False),
        (1, 2, True),
        (2, 1, True),
        (2, 2, False),
    ]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_wrong_value_is_a_row_with_an_error(jobs: int) -> None:
    model = zn.loads("const int N = 2; int a[N]; process P() { state s; init s; } system P;")
    table = zn.sweep(model, {"N": [1, -1]}, ["E<> P.s"], jobs=jobs)
    assert [row["verdict"] for row in table] == ["satisfied", "error"]
    assert table[1]["reason"] and table[1]["holds"] is None


def test_rows_are_reported_as_they_are_finished(counter: zn.Model) -> None:
    seen: list[int] = []
    zn.sweep(counter, {"N": range(1, 5)}, ["E<> P.b"], jobs=2, on_row=lambda row: seen.append(row["N"]))
    assert sorted(seen) == [1, 2, 3, 4]


def test_tables_as_frames(counter: zn.Model) -> None:
    pytest.importorskip("pandas")
    frame = zn.sweep(counter, {"N": range(1, 4)}, ["E<> n == 2"]).to_dataframe()
    assert frame["N"].tolist() == [1, 2, 3] and frame["holds"].tolist() == [False, True, True]
    assert zn.sweep(counter, {"N": []}, ["E<> n == 2"]).to_dataframe().empty


def test_wrong_arguments_are_refused(counter: zn.Model) -> None:
    with pytest.raises(zn.OptionError):
        zn.sweep(counter, {"N": [1]}, ["E<> P.b"], jobs=0)
    with pytest.raises(zn.ModelError):
        zn.sweep(counter, {"M": [1]}, ["E<> P.b"]) and zn.loads(COUNTER, constants={"M": 1})
    with pytest.raises(zn.OptionError):
        zn.sweep(counter, {"N": [1]}, ["E<> P.b"], strategy="bsf")


def test_an_error_of_a_worker_is_an_exception(counter: zn.Model) -> None:
    with pytest.raises(zn.ZonautError, match="bsf|strategy"):
        zn.sweep(counter, {"N": [1, 2]}, ["E<> P.b"], jobs=2, strategy="bsf")


def _interrupted(script: str, tmp_path: Path) -> str:
    """The output of a script that gets an interrupt after it has printed a line."""
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(script))
    process = subprocess.Popen(
        [sys.executable, str(path)], stdout=subprocess.PIPE, text=True, env=os.environ.copy()
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    return out


@pytest.mark.skipif(sys.platform == "win32", reason="signals of terminals")
def test_an_interrupt_ends_a_search_and_keeps_its_statistics(tmp_path: Path) -> None:
    out = _interrupted(
        f"""
        import zonaut as zn
        model = zn.loads({LARGE!r})
        started = []
        def progress(now):
            if now.explored and not started:
                started.append(now)
                print("started", flush=True)
        try:
            model.check("A[] P(0).n < 11", strategy="bfs", progress=progress)
        except KeyboardInterrupt as interrupt:
            print(interrupt.partial["verdict"], interrupt.partial["explored"] > 0)
        """,
        tmp_path,
    )
    assert out == "unknown True\n"


@pytest.mark.skipif(sys.platform == "win32", reason="signals of terminals")
def test_an_interrupt_ends_a_sweep_and_keeps_its_rows(tmp_path: Path) -> None:
    out = _interrupted(
        f"""
        import zonaut as zn
        model = zn.loads({LARGE!r})
        def row(found):
            print("started", flush=True)
        try:
            zn.sweep(model, {{"N": [1, 12, 13]}}, ["A[] P(0).n < 11"], jobs=2, on_row=row)
        except KeyboardInterrupt as interrupt:
            print([row["N"] for row in interrupt.partial])
        """,
        tmp_path,
    )
    assert out == "[1]\n"
