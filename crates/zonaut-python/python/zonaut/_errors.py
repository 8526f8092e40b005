"""Exceptions and diagnostics."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from . import _zonaut

_P = ParamSpec("_P")
_T = TypeVar("_T")


@dataclass(frozen=True)
class Diagnostic:
    """A problem of a model or a query, with its position.

    `snippet` is the message with an excerpt of the source, as the command line prints it.
    """

    code: str
    severity: str
    message: str
    file: str
    line: int | None
    column: int | None
    help: str | None
    snippet: str

    @staticmethod
    def _of(record: dict[str, Any]) -> Diagnostic:
        return Diagnostic(
            code=record["code"],
            severity=record["severity"],
            message=record["message"],
            file=record["file"],
            line=record["line"],
            column=record["column"],
            help=record["help"],
            snippet=record.get("snippet") or record["message"],
        )

    def __str__(self) -> str:
        return self.snippet


class ZonautError(Exception):
    """The base class of all exceptions of this package.

    `code`, `line`, `column`, `file`, `help` and `snippet` are those of the first diagnostic.
    """

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        super().__init__(diagnostics)
        self.diagnostics = diagnostics

    def __str__(self) -> str:
        return "\n\n".join(found.snippet for found in self.diagnostics)

    @property
    def _first(self) -> Diagnostic:
        errors = [found for found in self.diagnostics if found.severity == "error"]
        return (errors or self.diagnostics)[0]

    @property
    def message(self) -> str:
        """The message without its position."""
        return self._first.message

    @property
    def code(self) -> str:
        """The stable code, such as `TA0104`; empty for wrong arguments."""
        return self._first.code

    @property
    def file(self) -> str:
        """The file, as it was named."""
        return self._first.file

    @property
    def line(self) -> int | None:
        """The line, from 1."""
        return self._first.line

    @property
    def column(self) -> int | None:
        """The column, from 1, in characters."""
        return self._first.column

    @property
    def help(self) -> str | None:
        """Advice how to fix the problem."""
        return self._first.help

    @property
    def snippet(self) -> str:
        """The message with an excerpt of the source."""
        return self._first.snippet


class InputError(ZonautError):
    """A file cannot be read."""


class ModelError(ZonautError):
    """A model has an error."""


class QueryError(ZonautError):
    """A query has an error."""


class OptionError(ZonautError, ValueError):
    """An option or an argument has a wrong value."""


class UndecidedError(ZonautError):
    """A verdict was needed but not reached: a limit was hit, or the model fails."""


class InternalError(ZonautError):
    """A bug in Zonaut, or a problem of the machine. Please report it."""


_KINDS: dict[str, type[ZonautError]] = {
    "input": InputError,
    "model": ModelError,
    "query": QueryError,
    "option": OptionError,
    "undecided": UndecidedError,
    "internal": InternalError,
}


def problem(kind: str, message: str) -> ZonautError:
    """An exception without a position."""
    return _KINDS[kind](
        [Diagnostic("", "error", message, "", None, None, None, message)]
    )


def diagnostics_of(text: str) -> list[Diagnostic]:
    """The diagnostics of a JSON list."""
    return [Diagnostic._of(record) for record in json.loads(text)]


def translated(call: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Calls a native function and raises its failure as a typed exception."""
    try:
        return call(*args, **kwargs)
    except _zonaut.Failure as failure:
        kind, text = failure.args
        error = _KINDS[kind](diagnostics_of(text))
    raise error
