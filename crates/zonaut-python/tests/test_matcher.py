"""The problem matcher of the editor extension against real diagnostics."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import ROOT

import zonaut as zn

EXTENSION = ROOT / "editors/vscode/package.json"


@pytest.mark.parametrize(
    ("text", "severity", "line"),
    [
        ("int a = b;\nprocess P() { state s; init s; } system P;", "error", 1),
        ("clock x;\nprocess P() { state s { x < 3 }; init s; } system P;", "warning", 2),
    ],
)
def test_diagnostics_are_matched(text: str, severity: str, line: int, tmp_path: Path) -> None:
    path = tmp_path / "model.xta"
    path.write_text(text)
    printed = zn.command("check", path).err.splitlines()
    matchers = json.loads(EXTENSION.read_text())["contributes"]["problemMatchers"]
    first, second = matchers[0]["pattern"]
    for at, shown in enumerate(printed):
        head = re.search(first["regexp"], shown)
        if head is not None:
            place = re.search(second["regexp"], printed[at + 1])
            assert place is not None, printed[at + 1]
            assert head[first["severity"]] == severity
            assert head[first["code"]].startswith("TA") and head[first["message"]]
            assert place[second["file"]] == str(path)
            assert int(place[second["line"]]) == line and int(place[second["column"]]) > 0
            return
    pytest.fail(f"nothing was matched in {printed}")
