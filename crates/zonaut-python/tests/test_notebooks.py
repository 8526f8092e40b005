"""The notebooks run."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def test_there_are_three_notebooks() -> None:
    assert len(NOTEBOOKS) == 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    for name in ("ipykernel", "pandas", "matplotlib"):
        pytest.importorskip(name)
    notebook = nbformat.read(path, as_version=4)
    folder = {"metadata": {"path": str(path.parent)}}
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources=folder).execute()
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", [])]
    assert any("image/svg+xml" in out.get("data", {}) for out in outputs)
