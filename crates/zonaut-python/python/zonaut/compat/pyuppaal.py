"""The most used part of `pyuppaal`, on top of Zonaut.

A script moves by changing its import from `pyuppaal` to `zonaut.compat.pyuppaal`: models are read
and verified in the process, without a licensed binary. Names follow that package.
"""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass
from typing import Any

from .. import Model, ModelError, Trace, command, load
from .._errors import problem

_TRACES = {"0": "some", "1": "shortest", "2": "fastest"}


@dataclass(frozen=True)
class Edges:
    """An edge of a transition."""

    start_location: str
    end_location: str
    guard: str
    sync: str
    update: str


@dataclass(frozen=True)
class Transition:
    """A transition: its synchronisation, its sender and its receivers."""

    sync: str
    start_process: str
    end_process: list[str]
    edges: list[Edges]

    @property
    def action(self) -> str:
        """The channel, without `!`."""
        return self.sync


@dataclass(frozen=True)
class GlobalVar:
    """The values of variables."""

    variables_name: list[str]
    variables_value: list[int]


class SimTrace:
    """A run: states, transitions, zones and variables."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    @property
    def trace(self) -> Trace:
        """The run as an object of Zonaut."""
        return self._trace

    @property
    def raw(self) -> str:
        """The run as text."""
        return str(self._trace)

    @property
    def states(self) -> list[list[str]]:
        """The locations of every state."""
        return [list(state.locations) for state in self._trace.states]

    @property
    def clock_constraints(self) -> list[str]:
        """The zone of every state."""
        return self._trace.zones

    @property
    def transitions(self) -> list[Transition]:
        """The transitions."""
        return [
            Transition(
                step.action or "None",
                step.edges[0].process,
                [edge.process for edge in step.edges[1:]],
                [
                    Edges(
                        f"{edge.process}.{edge.source}",
                        f"{edge.process}.{edge.target}",
                        edge.guard,
                        edge.synchronisation,
                        edge.updates,
                    )
                    for edge in step.edges
                ],
            )
            for step in self._trace
        ]

    @property
    def actions(self) -> list[str]:
        """The action of every transition; `None` as text for internal ones."""
        return [transition.action for transition in self.transitions]

    @property
    def untime_pattern(self) -> list[str]:
        """The actions without internal ones."""
        return [action for action in self.actions if action != "None"]

    @property
    def global_variables(self) -> list[GlobalVar]:
        """The variables of every state."""
        return [
            GlobalVar(list(state.variables), list(state.variables.values()))
            for state in self._trace.states
        ]

    def filter_by_actions(self, focused_actions: list[str]) -> list[str]:
        """The actions that are among some."""
        return [action for action in self.actions if action in focused_actions]

    def save(self, file_name: str) -> None:
        """Writes the run as text."""
        with open(file_name, "w", encoding="utf-8") as file:
            file.write(self.raw)

    def __len__(self) -> int:
        return len(self._trace) + 1

    def __str__(self) -> str:
        return self.raw

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SimTrace) and self._trace == other._trace

    def __hash__(self) -> int:
        return hash(self._trace)


class UModel:
    """A model in a file.

    Setting `queries` or `declaration` writes the file, as in `pyuppaal`.
    """

    def __init__(self, model_path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(model_path)
        self._model = load(self._path)

    @property
    def model_path(self) -> str:
        """The path of the file."""
        return self._path

    @property
    def model(self) -> Model:
        """The model as an object of Zonaut."""
        return self._model

    @property
    def xml(self) -> str:
        """The text of the file."""
        return self._model.text

    @property
    def queries(self) -> list[str]:
        """The queries."""
        return self._model.queries

    @queries.setter
    def queries(self, value: str | list[str] | None) -> None:
        formulas = [value] if isinstance(value, str) else list(value or [])
        self._rewrite(r"\s*<queries>.*</queries>|\s*<queries\s*/>", "")
        entries = "".join(
            f"\n\t\t<query>\n\t\t\t<formula>{_escaped(one)}</formula>\n"
            "\t\t\t<comment></comment>\n\t\t</query>"
            for one in formulas
        )
        self._rewrite(r"\s*</nta>", f"\n\t<queries>{entries}\n\t</queries>\n</nta>")
        self._save()

    @property
    def declaration(self) -> str:
        """The global declarations."""
        found = re.search(r"<nta>\s*<declaration>(.*?)</declaration>", self._model.text, re.S)
        return _unescaped(found[1]) if found else ""

    @declaration.setter
    def declaration(self, value: str) -> None:
        pattern = r"(<nta>\s*)(<declaration>.*?</declaration>)?"
        text = f"<declaration>{_escaped(value)}</declaration>"
        changed = re.sub(pattern, lambda found: found[1] + text, self._text(), count=1, flags=re.S)
        self._pending = changed
        self._save()

    _pending: str | None = None

    def _text(self) -> str:
        return self._model.text if self._pending is None else self._pending

    def _rewrite(self, pattern: str, text: str) -> None:
        self._pending = re.sub(pattern, lambda _: text, self._text(), count=1, flags=re.S)

    def _save(self) -> None:
        text, self._pending = self._text(), None
        if not text.lstrip().startswith("<"):
            raise problem("option", "only XML models can be changed")
        Model._parse(self._path, text, None, {})
        with open(self._path, "w", encoding="utf-8") as file:
            file.write(text)
        self._model = load(self._path)

    def save_as(self, new_path: str) -> UModel:
        """Writes the model to another file, which is the file of this object from now on."""
        with open(new_path, "w", encoding="utf-8") as file:
            file.write(self._model.text)
        self._path = new_path
        self._model = load(new_path)
        return self

    def copy_as(self, new_path: str) -> UModel:
        """Writes the model to another file and returns that one."""
        with open(new_path, "w", encoding="utf-8") as file:
            file.write(self._model.text)
        return UModel(new_path)

    def verify(
        self,
        trace_path: str | None = None,
        verify_options: str | None = None,
        keep_tmp_file: bool = True,
    ) -> str:
        """Verifies all queries and returns the output of `zonaut verifyta`."""
        words = [self._path, *shlex.split(verify_options or "")]
        if trace_path is not None:
            words += ["-f", re.sub(r"(\.xtr|_xtr)$", "", trace_path)]
            if not any(word.startswith("-t") for word in words):
                words += ["-t", "1"]
        result = command("verifyta", *words)
        if result.code not in (0, 1):
            raise ModelError(problem("model", result.err or result.out).diagnostics)
        return result.out

    def easy_verify(
        self, verify_options: str = "-t 1", keep_tmp_file: bool = True
    ) -> SimTrace | None:
        """The run of the first query, if it has one. No file is written."""
        found = re.search(r"-t\s*(\d)", verify_options)
        if found is None:
            raise ValueError(f'"-t" must be set in verify_options: {verify_options}')
        options: dict[str, Any] = {"trace": _TRACES.get(found[1], "some")}
        trace = self._model.check(0, certify="never", **options).trace
        return None if trace is None else SimTrace(trace)

    def find_all_patterns(self, limit: int = 100) -> list[SimTrace]:
        """Runs of the first query with different actions, shortest first, at most `limit`."""
        patterns: list[SimTrace] = []
        for trace in self._model.traces(0, limit):
            run = SimTrace(trace)
            if all(run.untime_pattern != known.untime_pattern for known in patterns):
                patterns.append(run)
        return patterns


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _unescaped(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
