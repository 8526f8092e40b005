"""The command line."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from . import _zonaut

#: The program of another process that runs a command line. It imports nothing from the current
#: folder.
_PROGRAM = (
    "import sys; sys.path[:] = [p for p in sys.path if p]; "
    "from zonaut.__main__ import main; main()"
)


def register() -> None:
    """Names the program that runs command lines in other processes: this interpreter."""
    if sys.executable:
        _zonaut.register_program(sys.executable, ["-c", _PROGRAM])


@dataclass(frozen=True)
class CommandResult:
    """The result of a command line: exit code, output and error output."""

    code: int
    out: str
    err: str


def command(*words: str | os.PathLike[str]) -> CommandResult:
    """Runs the command line of Zonaut in this process.

    >>> import zonaut as zn
    >>> zn.command("--version").out.startswith("zonaut ")
    True
    """
    code, out, err = _zonaut.run(["zonaut", *(os.fspath(word) for word in words)])
    return CommandResult(code, out, err)


def main(words: Sequence[str]) -> int:
    """Runs a command line with the streams of this process; returns its exit code."""
    sys.stdout.flush()
    sys.stderr.flush()
    return _zonaut.main(["zonaut", *words])
