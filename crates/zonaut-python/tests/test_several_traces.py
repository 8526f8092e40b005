"""Several runs to a goal against plain enumeration with the simulator."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import zonaut as zn

FILE = os.environ.get("ZONAUT_RANDOM_MODELS")

#: The greatest length of compared runs, and the most paths that are enumerated for a model.
DEPTH, MOST = 4, 400

_Path = tuple[tuple[tuple[str, int, tuple[tuple[str, int], ...]], ...], ...]


def _step(edges: tuple[zn.Edge, ...]) -> tuple[tuple[str, int, tuple[tuple[str, int], ...]], ...]:
    return tuple((edge.process, edge.edge, tuple(edge.select.items())) for edge in edges)


def _enumerated(simulator: zn.Simulator, goal: str, depth: int, prefix: _Path) -> list[_Path]:
    """The paths of at most `depth` steps that end at their first state in `goal`. Raises
    `LookupError` if they are too many or a transition fails."""
    if goal in simulator.state.locations:
        return [prefix]
    if depth == 0:
        return []
    found: list[_Path] = []
    for choice, transition in enumerate(simulator.enabled):
        if transition.why is not None or len(found) > MOST:
            raise LookupError
        simulator.fire(choice)
        found += _enumerated(simulator, goal, depth - 1, (*prefix, _step(transition.edges)))
        simulator.undo()
    return found


@pytest.mark.skipif(FILE is None, reason="ZONAUT_RANDOM_MODELS names no file of random models")
@pytest.mark.parametrize("part", range(4))
def test_all_short_runs_are_enumerated_once(part: int) -> None:
    assert FILE is not None
    lines = Path(FILE).read_text(encoding="utf-8").splitlines()
    compared = found_some = 0
    for line in lines[part:240:4]:
        record = json.loads(line)
        model = zn.loads(record["text"])
        for goal in ("P0.l1", "P0.l2"):
            try:
                # The simulator lists the parts of a split result separately.
                expected = sorted(set(_enumerated(model.simulator(), goal, DEPTH, ())))
                if len(expected) > 60:
                    continue
                runs = []
                for run in model.traces(f"E<> {goal}", len(expected) + 1, states=20000):
                    if len(run) <= DEPTH:
                        runs.append(tuple(_step(step.edges) for step in run))
            except (LookupError, zn.ZonautError):
                continue
            assert sorted(runs) == expected, (record["seed"], goal)
            assert [len(run) for run in runs] == sorted(map(len, expected))
            compared += 1
            found_some += len(expected) > 1
    assert compared >= 20 and found_some >= 5, (compared, found_some)
