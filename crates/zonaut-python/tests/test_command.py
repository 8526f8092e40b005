"""The command line, in this process and as a program."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import LAMP, MODELS

import zonaut as zn

FISCHER = MODELS / "fischer" / "fischer.xta"


def _program(*words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "zonaut", *words], capture_output=True, text=True, cwd=cwd
    )


def test_versions_agree() -> None:
    assert zn.command("--version").out == f"zonaut {zn.__version__}\n"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["verify", str(FISCHER)], 0),
        (["verify", str(FISCHER), "-q", "E<> turn == 99"], 1),
        (["verify", "missing.xta"], 2),
        (["verify", str(FISCHER), "-q", "A[] true", "--states", "1", "--strategy", "bfs"], 3),
        (["no-such-command"], 2),
        (["strategies"], 0),
        (["--help"], 0),
    ],
    ids=str,
)
def test_exit_codes(words: list[str], code: int) -> None:
    result = zn.command(*words)
    assert result.code == code, result.err
    assert result.out or result.err


def test_a_command_certifies_in_another_process() -> None:
    result = zn.command("verify", FISCHER, "--json", "--certify", "always")
    assert all(json.loads(line)["certified"] for line in result.out.splitlines())


def test_the_program_has_the_output_of_the_command() -> None:
    words = ["verify", str(FISCHER), "--json", "--certify", "always"]
    shown = _program(*words)
    assert shown.returncode == 0, shown.stderr
    verdicts = [json.loads(line)["verdict"] for line in shown.stdout.splitlines()]
    own = [json.loads(line)["verdict"] for line in zn.command(*words).out.splitlines()]
    assert verdicts == own
    assert all(json.loads(line)["certified"] for line in shown.stdout.splitlines())
    assert _program("verify", "missing.xta").returncode == 2


def test_checkers_import_nothing_from_the_current_folder(tmp_path: Path) -> None:
    (tmp_path / "zonaut.py").write_text("raise SystemExit('a foreign module')")
    (tmp_path / "lamp.xta").write_text(LAMP)
    script = (
        "import sys; sys.path[:] = [p for p in sys.path if p]; import zonaut as zn;"
        "print(zn.load('lamp.xta').check('E<> Lamp.on', certify='always').certified)"
    )
    shown = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path
    )
    assert shown.stdout == "True\n", shown.stderr


def test_benchmarks_start_this_interpreter(tmp_path: Path) -> None:
    (tmp_path / "lamp.xta").write_text(LAMP)
    suite = tmp_path / "suite.toml"
    suite.write_text(
        'title = "lamp"\n[[run]]\nname = "lamp"\nmodel = "lamp.xta"\n'
        'formulas = ["E<> Lamp.on"]\nstrategies = ["bfs"]\n'
    )
    result = zn.command("bench", suite, "--format", "json")
    assert '"satisfied"' in result.out, result.err
