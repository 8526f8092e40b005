"""2,000 random models against the command line.

`cargo xtask python-test` writes the models to the file that `ZONAUT_RANDOM_MODELS` names.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import zonaut as zn

FILE = os.environ.get("ZONAUT_RANDOM_MODELS")

KEYS = ("formula", "verdict", "reason", "explored", "stored", "transitions", "abstraction")


@pytest.mark.skipif(FILE is None, reason="ZONAUT_RANDOM_MODELS names no file of random models")
@pytest.mark.parametrize("part", range(20))
def test_random_models_have_the_answers_of_the_command_line(part: int, tmp_path: Path) -> None:
    assert FILE is not None
    lines = Path(FILE).read_text(encoding="utf-8").splitlines()
    assert len(lines) == 2000
    strategy = ["auto", "bfs", "dfs", "astar(hl)"][part % 4]
    for line in lines[part::20]:
        model = json.loads(line)
        path = tmp_path / "model.xta"
        path.write_text(model["text"], encoding="utf-8")
        query = model["query"]
        words = ["-q", query, "--json", "--certify", "never", "--trace", "some", "--separate", "--threads", "1"]
        shown = zn.command("verify", path, *words, "--strategy", strategy)
        expected = [json.loads(one) for one in shown.out.splitlines()]
        results = zn.loads(model["text"], [query]).check(certify="never", strategy=strategy)
        assert len(results) == len(expected) > 0, model["seed"]
        for result, record in zip(results, expected):
            own = result.to_dict()
            for key in KEYS:
                ours = own[key]
                if key == "reason" and ours is not None:
                    ours, record[key] = ours.split(": ", 1)[-1], record[key].split(": ", 1)[-1]
                assert ours == record[key], (model["seed"], key)
            assert own.get("trace") == record.get("trace"), model["seed"]
