"""The Python examples of the documents, and the docstrings."""

from __future__ import annotations

import doctest
import importlib
import os
import pkgutil
import re
from pathlib import Path

import pytest
from conftest import ROOT

import zonaut

DOCUMENTS = [ROOT / "README.md", ROOT / "docs" / "PYTHON.md", ROOT / "crates/zonaut-python/README.md"]


def _modules() -> list[str]:
    found = pkgutil.walk_packages(zonaut.__path__, "zonaut.")
    return ["zonaut", *(one.name for one in found if one.name not in ("zonaut._zonaut", "zonaut.__main__"))]


@pytest.mark.parametrize("name", _modules())
def test_docstrings_are_true(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_docstrings_have_examples() -> None:
    tests = [
        test
        for name in _modules()
        for test in doctest.DocTestFinder().find(importlib.import_module(name))
        if test.examples
    ]
    assert len(tests) >= 10


@pytest.mark.parametrize("name", [name for name in zonaut.__all__])
def test_public_names_are_documented(name: str) -> None:
    assert (getattr(zonaut, name).__doc__ or "").strip()


def _blocks() -> list[tuple[Path, int, str]]:
    found = []
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        for block in re.finditer(r"```python\n(.*?)```", text, re.S):
            found.append((path, text[: block.start()].count("\n") + 2, block[1]))
    return found


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name + "-" + path.parent.name)
def test_the_examples_of_a_document_run(path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Examples of one document continue each other, in the root of the repository."""
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {}
    blocks = [one for one in _blocks() if one[0] == path]
    assert blocks
    for _, line, text in blocks:
        if ">>> " in text:
            test = doctest.DocTestParser().get_doctest(text, names, path.name, str(path), line)
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
            runner.run(test, clear_globs=False)
            names = test.globs
            assert runner.failures == 0
        else:
            exec(compile(text, f"{path.name}:{line}", "exec"), names)
    assert os.getcwd() == str(ROOT)
