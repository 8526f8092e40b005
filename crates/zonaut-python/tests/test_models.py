"""The models of the repository have their expected verdicts, and those of the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import MODELS

import zonaut as zn


def _expectations() -> list[tuple[Path, Path | None, int, str, str]]:
    """Model, file of queries, index of the query, formula and verdict."""
    found = []
    for path in sorted(MODELS.glob("*/*.expected.toml")):
        text = path.read_text(encoding="utf-8")
        head, *entries = text.split("[[query]]")
        if "cost" in text or "define" in text:
            continue

        def value(part: str, key: str) -> str | None:
            match = re.search(rf'^{key} = "((?:[^"\\]|\\.)*)"', part, re.M)
            return match[1].replace('\\"', '"').replace("\\\\", "\\") if match else None

        model = path.parent / (value(head, "model") or "")
        queries = value(head, "queries")
        file = path.parent / queries if queries else None
        for index, entry in enumerate(entries):
            formula, verdict = value(entry, "formula"), value(entry, "verdict")
            if formula and verdict in ("satisfied", "not_satisfied"):
                found.append((model, file, index, formula, verdict))
    return found


EXPECTATIONS = _expectations()


def test_there_are_expectations() -> None:
    assert len(EXPECTATIONS) >= 40


@pytest.mark.parametrize(
    ("model", "queries", "index", "formula", "verdict"),
    EXPECTATIONS,
    ids=[f"{model.stem}-{index}" for model, _, index, _, _ in EXPECTATIONS],
)
def test_a_query_has_its_expected_verdict(
    model: Path, queries: Path | None, index: int, formula: str, verdict: str
) -> None:
    loaded = zn.load(model, queries)
    assert loaded.queries[index] == formula
    assert loaded.check(index, certify="never", trace="none").verdict == verdict


@pytest.mark.parametrize("name", ["fischer", "train-gate", "lift", "heartbeat", "tea-machine"])
def test_answers_are_those_of_the_command_line(name: str) -> None:
    (path,) = (
        one for one in sorted((MODELS / name).iterdir()) if one.name in (f"{name}.xta", f"{name}.xml")
    )
    words = ["--json", "--trace", "some", "--certify", "never", "--separate", "--threads", "1"]
    shown = zn.command("verify", path, *words)
    expected = [json.loads(line) for line in shown.out.splitlines()]
    results = zn.load(path).check(certify="never")
    assert len(results) == len(expected)
    for result, record in zip(results, expected):
        own = result.to_dict()
        for key in ("formula", "verdict", "explored", "stored", "transitions", "strategy"):
            assert own[key] == record[key], key
        assert own.get("trace") == record.get("trace")
