"""Runs of models."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from . import _zonaut
from ._errors import translated

if TYPE_CHECKING:
    import pandas

    from ._model import Model


@dataclass(frozen=True)
class State:
    """A state of a run: locations, variables and clocks."""

    locations: tuple[str, ...]
    variables: dict[str, int]
    clocks: dict[str, Fraction]

    @staticmethod
    def _of(record: dict[str, Any]) -> State:
        clocks = {name: Fraction(value) for name, value in record["clocks"].items()}
        return State(tuple(record["locations"]), dict(record["variables"]), clocks)

    def location(self, process: str) -> str:
        """The location of a process, without the name of the process."""
        for place in self.locations:
            owner, _, location = place.rpartition(".")
            if owner == process:
                return location
        raise KeyError(process)


@dataclass(frozen=True)
class Edge:
    """An edge that takes part in a transition."""

    process: str
    source: str
    target: str
    edge: int
    guard: str
    synchronisation: str
    updates: str
    select: dict[str, int]

    @staticmethod
    def _of(record: dict[str, Any]) -> Edge:
        return Edge(**{name: record[name] for name in Edge.__dataclass_fields__})

    def __str__(self) -> str:
        sync = f" [{self.synchronisation}]" if self.synchronisation else ""
        return f"{self.process}: {self.source} -> {self.target}{sync}"


@dataclass(frozen=True)
class Step:
    """A delay, a transition, and the state after it. `time` is the date of the transition."""

    delay: Fraction
    time: Fraction
    edges: tuple[Edge, ...]
    state: State

    @property
    def action(self) -> str:
        """The synchronisation of the sender without `!`; empty for an internal transition."""
        return self.edges[0].synchronisation.rstrip("!?") if self.edges else ""


def _pandas() -> Any:
    try:
        import pandas
    except ImportError as error:
        message = "data frames need pandas: pip install pandas"
        raise ImportError(message) from error
    return pandas


class Trace(Sequence[Step]):
    """A run of a model: an initial state and steps with exact delays.

    A trace is a sequence of its steps. In a notebook it is shown as a sequence chart.

    >>> import zonaut as zn
    >>> m = zn.loads('''
    ... clock x;
    ... process P() { state a, b; init a; trans a -> b { guard x > 2; }; }
    ... system P;''')
    >>> t = m.check("E<> P.b").trace
    >>> len(t), t[0].state.locations, t.duration
    (1, ('P.b',), Fraction(3, 1))
    """

    def __init__(self, model: Model, native: _zonaut.Trace) -> None:
        self._model = model
        self._native = native
        record = json.loads(native.json())
        dates = [Fraction(date) for date in native.dates()]
        #: The initial state.
        self.start = State._of(record["start"])
        #: The steps.
        self.steps: tuple[Step, ...] = tuple(
            Step(
                delay=Fraction(step["delay"]),
                time=date,
                edges=tuple(Edge._of(edge) for edge in step["edges"]),
                state=State._of(step["state"]),
            )
            for step, date in zip(record["steps"], dates[1:])
        )
        #: The delay after the last transition.
        self.last_delay = Fraction(record["last_delay"])
        #: Whether the last transition fails at run time.
        self.fails: bool = record["fails"]
        #: The continuation of a maximal run: `{"repeats": {"from": i}}`, `"diverges"`,
        #: `"blocked"`, or `None`.
        self.continuation: Any = record.get("continuation")

    def __getitem__(self, index: Any) -> Any:
        return self.steps[index]

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __bool__(self) -> bool:
        """A trace is true even if it has no steps."""
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trace) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    @property
    def duration(self) -> Fraction:
        """The duration of the run."""
        return Fraction(self._native.duration())

    def retimed(self, delays: str = "lenient") -> Trace:
        """The run with the same transitions and other delays.

        `"lenient"` takes each transition as far from the bounds of guards and invariants as
        possible, `"earliest"` as early as possible. A run whose last transition fails or that has
        a continuation stays as it is.

        >>> import zonaut as zn
        >>> m = zn.loads('''
        ... clock x;
        ... process P() { state a { x <= 8 }, b; init a; trans a -> b { guard x >= 2; }; }
        ... system P;''')
        >>> t = m.check("E<> P.b").trace
        >>> t[0].delay, t.retimed("lenient")[0].delay
        (Fraction(2, 1), Fraction(5, 1))
        """
        found = translated(self._native.retimed, delays)
        return self if found is None else Trace(self._model, found)

    @property
    def states(self) -> list[State]:
        """The states: the initial one, and that after each step."""
        return [self.start, *(step.state for step in self.steps)]

    @property
    def zones(self) -> list[str]:
        """The zone of every state, as constraints."""
        return translated(self._native.zones)

    def __str__(self) -> str:
        return translated(self._native.text, 100).rstrip("\n")

    def __repr__(self) -> str:
        return f"<Trace of {len(self)} steps, duration {self.duration}>"

    def to_json(self) -> str:
        """The run as JSON, as `zonaut verify --json` prints it."""
        return self._native.json()

    def to_dict(self) -> dict[str, Any]:
        """The run as plain data."""
        record: dict[str, Any] = json.loads(self._native.json())
        return record

    def to_xml(self) -> str:
        """The run as UPPAAL's XML trace."""
        return translated(self._native.xml)

    def to_xtr(self) -> str:
        """The run as an `.xtr` file."""
        return translated(self._native.xtr)

    def to_records(self) -> list[dict[str, Any]]:
        """A row for each state: number, time, transition, locations, variables and clocks."""
        rows = []
        times = [Fraction(0), *(step.time for step in self.steps)]
        labels = ["", *("; ".join(map(str, step.edges)) for step in self.steps)]
        for number, (time, label, state) in enumerate(zip(times, labels, self.states)):
            row: dict[str, Any] = {"step": number, "time": float(time), "transition": label}
            for place in state.locations:
                process, _, location = place.rpartition(".")
                row[process] = location
            row.update(state.variables)
            row.update({name: float(value) for name, value in state.clocks.items()})
            rows.append(row)
        return rows

    def to_dataframe(self) -> pandas.DataFrame:
        """The rows of `to_records` as a data frame; needs pandas."""
        return _pandas().DataFrame(self.to_records())  # type: ignore[no-any-return]

    def svg(self, kind: str = "sequence") -> str:
        """A picture: `sequence`, `gantt`, `clocks` or `variables`. Empty if there is nothing to
        show, such as no clocks."""
        if kind == "gantt":
            return translated(self._native.gantt, None, None)
        return translated(self._native.picture, kind) or ""

    def _repr_svg_(self) -> str:
        return self.svg()

    def schedule(self, rows: str | None = None) -> Schedule:
        """The run as a Gantt chart: see `Schedule`."""
        return Schedule(self, rows)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._model, self._native.query, self._native.stored())


def _restored(model: Model, query: int | None, stored: str) -> Trace:
    return Trace(model, translated(_zonaut.Trace.restored, model._native, query, stored))


@dataclass(frozen=True)
class Bar:
    """A bar of a Gantt chart."""

    row: str
    label: str
    start: Fraction
    end: Fraction


class Schedule(Sequence[Bar]):
    """A Gantt chart of a run: a sequence of bars.

    `rows` is `process` for the tasks of each process, `location` for all stays, `resource` for the
    users of each resource, or `gantt` for the chart that the model describes; by default the
    model's chart if it has one, and `process` otherwise.
    """

    def __init__(self, trace: Trace, rows: str | None = None) -> None:
        self.trace = trace
        self.rows = rows
        records = json.loads(translated(trace._native.bars, rows, None))
        #: The bars, row by row.
        self.bars: tuple[Bar, ...] = tuple(
            Bar(one["row"], one["label"], Fraction(one["start"]), Fraction(one["end"]))
            for one in records
        )

    def __getitem__(self, index: Any) -> Any:
        return self.bars[index]

    def __len__(self) -> int:
        return len(self.bars)

    def __repr__(self) -> str:
        return f"<Schedule of {len(self)} bars, makespan {self.makespan}>"

    @property
    def makespan(self) -> Fraction:
        """The duration of the run."""
        return self.trace.duration

    def to_records(self) -> list[dict[str, Any]]:
        """A row for each bar: its row, its label, start and end."""
        return [
            {"row": bar.row, "label": bar.label, "start": float(bar.start), "end": float(bar.end)}
            for bar in self.bars
        ]

    def to_dataframe(self) -> pandas.DataFrame:
        """The bars as a data frame; needs pandas."""
        return _pandas().DataFrame(  # type: ignore[no-any-return]
            self.to_records(), columns=["row", "label", "start", "end"]
        )

    def svg(self) -> str:
        """The chart as SVG."""
        return translated(self.trace._native.gantt, self.rows, None)

    def _repr_svg_(self) -> str:
        return self.svg()
