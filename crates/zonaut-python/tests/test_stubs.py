"""The stub of the native module has its names, and no others."""

from __future__ import annotations

import ast
from pathlib import Path

import zonaut
from zonaut import _zonaut


def _names(body: list[ast.stmt]) -> set[str]:
    return {one.name for one in body if isinstance(one, (ast.FunctionDef, ast.ClassDef))}


def test_the_stub_names_everything() -> None:
    path = Path(zonaut.__file__).with_name("_zonaut.pyi")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert _names(tree.body) == {name for name in dir(_zonaut) if not name.startswith("_")}
    for one in tree.body:
        if isinstance(one, ast.ClassDef) and one.name != "Failure":
            real = {name for name in dir(getattr(_zonaut, one.name)) if not name.startswith("_")}
            assert _names(one.body) == real, one.name
