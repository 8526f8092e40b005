"""Answers to queries."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ._errors import Diagnostic, UndecidedError
from ._trace import Schedule, Trace, _pandas

if TYPE_CHECKING:
    import pandas

    from . import _zonaut
    from ._model import Model


@dataclass(frozen=True)
class Statistics:
    """The effort of an answer.

    `seconds` includes `certification_seconds`; memory is in bytes. `transitions` is the length of
    the run that was found.
    """

    explored: int
    stored: int
    transitions: int | None
    seconds: float
    search_seconds: float
    memory_bytes: int
    certification_seconds: float

    @staticmethod
    def _of(record: dict[str, Any]) -> Statistics:
        return Statistics(**{name: record[name] for name in Statistics.__dataclass_fields__})


@dataclass(frozen=True)
class Bound:
    """A least or greatest value: `value` is `None` if there is no bound, and `attained` is false
    if it is only approached."""

    value: int | None
    attained: bool

    @staticmethod
    def _of(record: Any) -> Bound | None:
        if record is None:
            return None
        if record == "unbounded":
            return Bound(None, False)
        return Bound(record["value"], record["attained"])


@dataclass(frozen=True)
class Values:
    """The values of one expression of a `sup`, `inf` or `bounds` query."""

    expression: str
    infimum: Bound | None
    supremum: Bound | None
    trace: Trace | None


def _undecided(verdict: str, query: str, reason: str | None, failure: Any) -> UndecidedError:
    message = f"no verdict for `{query}`: {reason or verdict}"
    if failure is not None:
        return UndecidedError([Diagnostic._of(failure)])
    return UndecidedError([Diagnostic("", "error", message, "", None, None, None, message)])


def _certification(answer: Result | Optimum) -> str:
    """Whether an answer is certified, or why not; empty without a verdict."""
    if answer.certified:
        return ", certified"
    if answer.verdict in ("unknown", "error") or not answer.uncertified_reason:
        return ""
    return f", uncertified: {answer.uncertified_reason}"


class Result:
    """The answer to a query.

    `bool(result)` is its verdict, and raises `UndecidedError` without one, so that an
    exhausted limit is never mistaken for a negative answer.
    """

    def __init__(self, model: Model, outcome: _zonaut.Outcome, record: dict[str, Any]) -> None:
        self._record = record
        #: The query as written.
        self.query: str = record["formula"]
        #: `satisfied`, `not_satisfied`, `unknown` or `error`.
        self.verdict: str = record["verdict"]
        #: Whether the independent checker accepted the certificate of the answer.
        self.certified: bool = record["certified"]
        #: Why the answer is not certified.
        self.uncertified_reason: str | None = record["uncertified_reason"]
        #: The reason for an unknown verdict or an error.
        self.reason: str | None = record["reason"]
        #: The strategy that decided.
        self.strategy: str = record["strategy"]
        #: Problems that did not affect the verdict.
        self.warnings: list[str] = record["warnings"]
        #: The parts of the formula that the last state of the run decides.
        self.decided: list[str] = record["decided"]
        #: Names of the unsupported features that the query or the model needs.
        self.unsupported: list[str] = [one["name"] for one in record["unsupported"]]
        #: The run-time error of the model, with its position.
        self.failure: Diagnostic | None = None
        if record["failure"] is not None:
            self.failure = Diagnostic._of(record["failure"])
        #: The effort.
        self.stats: Statistics = Statistics._of(record)

        def run(name: str) -> Trace | None:
            found = outcome.run(name)
            return None if found is None else Trace(model, found)

        #: A witness or a counterexample, if one was requested and exists.
        self.trace: Trace | None = run("trace")
        sample = record.get("sample")
        #: The estimates of a statistical query.
        self.estimate: Estimate | None = None if sample is None else Estimate(self, sample)
        #: The values of a `sup`, `inf` or `bounds` query.
        self.values: list[Values] = [
            Values(
                one["expression"],
                Bound._of(one["infimum"]),
                Bound._of(one["supremum"]),
                run(f"values/{index}"),
            )
            for index, one in enumerate(record.get("values", []))
        ]

    @property
    def holds(self) -> bool | None:
        """Whether the query is satisfied; `None` if there is no verdict."""
        return {"satisfied": True, "not_satisfied": False}.get(self.verdict)

    def __bool__(self) -> bool:
        holds = self.holds
        if holds is None:
            raise _undecided(self.verdict, self.query, self.reason, self._record["failure"])
        return holds

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain data, as `zonaut verify --json` prints it."""
        record = {
            name: value
            for name, value in self._record.items()
            if name not in ("unsupported", "failure", "decided")
        }
        if self.trace is not None:
            record["trace"] = self.trace.to_dict()
        return record

    def __repr__(self) -> str:
        reason = f" ({self.reason})" if self.reason else ""
        return f"<Result {self.query!r}: {self.verdict}{reason}{_certification(self)}>"


@dataclass(frozen=True)
class Histogram:
    """The numbers of values in buckets of equal width, from `first` on."""

    first: float
    width: float
    counts: tuple[int, ...]
    least: float
    greatest: float
    mean: float

    @property
    def edges(self) -> list[float]:
        """The ends of the buckets, one more than there are buckets."""
        return [self.first + self.width * index for index in range(len(self.counts) + 1)]

    @staticmethod
    def _of(record: dict[str, Any] | None) -> Histogram | None:
        if record is None:
            return None
        return Histogram(**{**record, "counts": tuple(record["counts"])})


class Estimate:
    """The answer to a statistical query, from a sample of random runs.

    `bool(estimate)` is the verdict of a hypothesis or a comparison, and raises `UndecidedError` for
    other queries.
    """

    def __init__(self, result: Result, record: dict[str, Any]) -> None:
        self._record = record
        #: The query as written.
        self.query: str = result.query
        #: `probability`, `hypothesis`, `comparison`, `expectation` or `simulation`.
        self.kind: str = record["kind"]
        #: The number of runs that count.
        self.runs: int = record["runs"]
        #: The seed of the runs.
        self.seed: int = record["seed"]
        #: The confidence of the interval, such as 0.95.
        self.confidence: float = record["confidence"]
        #: The number of runs that satisfy the formula or the filter.
        self.successes: int | None = record.get("successes")
        #: The histogram of a probability or an expectation.
        self.histogram: Histogram | None = Histogram._of(record.get("histogram"))
        #: The effort.
        self.stats: Statistics = result.stats
        decides = self.kind in ("hypothesis", "comparison")
        #: The verdict of a hypothesis or a comparison.
        self.holds: bool | None = result.holds if decides else None
        #: The estimated probability or mean.
        self.value: float | None = record.get("mean")
        if self.kind == "probability" and self.successes is not None and self.runs > 0:
            self.value = self.successes / self.runs
        #: The confidence interval of a probability or a mean.
        self.interval: tuple[float, float] | None = None
        interval, half = record.get("interval"), record.get("half_width")
        if interval is not None:
            self.interval = (interval["low"], interval["high"])
        elif half is not None and self.value is not None:
            self.interval = (self.value - half, self.value + half)

    def __bool__(self) -> bool:
        if self.holds is None:
            reason = "it estimates a number" if self.value is not None else "it simulates runs"
            raise _undecided("unknown", self.query, reason, None)
        return self.holds

    def to_records(self) -> list[dict[str, Any]]:
        """The points of a simulation (`run`, `expression`, `time`, `value`), or the buckets of the
        histogram (`start`, `end`, `count`)."""
        if self.kind == "simulation":
            return [
                {"run": run["run"], "expression": name, "time": time, "value": value}
                for run in self._record["trajectories"]
                for name, points in zip(self._record["expressions"], run["values"], strict=True)
                for time, value in points
            ]
        if self.histogram is None:
            return []
        edges = self.histogram.edges
        return [
            {"start": start, "end": end, "count": count}
            for start, end, count in zip(edges, edges[1:], self.histogram.counts, strict=False)
        ]

    def to_dataframe(self) -> pandas.DataFrame:
        """The rows of `to_records` as a data frame; needs pandas."""
        return _pandas().DataFrame(self.to_records())  # type: ignore[no-any-return]

    def to_dict(self) -> dict[str, Any]:
        """The estimates as plain data."""
        return {"formula": self.query, **self._record}

    def __repr__(self) -> str:
        if self.interval is not None:
            low, high = self.interval
            return f"<Estimate {self.query!r}: [{low:.6g}, {high:.6g}], {self.runs} runs>"
        return f"<Estimate {self.query!r}: {self.kind}, {self.runs} runs>"


@dataclass(frozen=True)
class Improvement:
    """A better run, found after this many seconds."""

    seconds: float
    cost: int
    lower_bound: int


class Optimum:
    """The result of an optimisation."""

    def __init__(
        self,
        model: Model,
        outcome: _zonaut.Outcome,
        record: dict[str, Any],
        improvements: list[Improvement],
    ) -> None:
        self._record = record
        #: The query as written.
        self.query: str = record["formula"]
        #: `optimal`, `unreachable`, `unknown` or `error`.
        self.verdict: str = record["verdict"]
        #: The cost of the best run found.
        self.cost: int | None = record.get("cost")
        #: Whether the run attains the cost, or only approaches it.
        self.attained: bool | None = record.get("attained")
        #: No run costs less.
        self.lower_bound: int | None = record.get("lower_bound")
        #: The optimality gap: 0 for a proven optimum.
        self.gap: float | None = record.get("gap")
        #: Whether the independent checker accepted the certificate of the result.
        self.certified: bool = record.get("certified", False)
        #: Why the result is not certified.
        self.uncertified_reason: str | None = record.get("uncertified_reason")
        #: The reason for an unknown result or an error.
        self.reason: str | None = record.get("reason")
        #: The effort; `None` if no search took place.
        self.stats: Statistics | None = Statistics._of(record) if "explored" in record else None
        #: The improvements in their order.
        self.improvements: list[Improvement] = improvements
        found = outcome.run("trace")
        #: The best run found.
        self.trace: Trace | None = None if found is None else Trace(model, found)

    @property
    def is_optimal(self) -> bool:
        """Whether the cost is proven to be minimal."""
        return self.verdict == "optimal"

    @property
    def schedule(self) -> Schedule:
        """The best run as a Gantt chart; raises `UndecidedError` without a run."""
        if self.trace is None:
            failure = self._record.get("failure")
            raise _undecided(self.verdict, self.query, self.reason, failure)
        return self.trace.schedule()

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data."""
        record = dict(self._record)
        if self.trace is not None:
            record["trace"] = self.trace.to_dict()
        return record

    def _repr_svg_(self) -> str | None:
        return None if self.trace is None else self.schedule.svg()

    def __repr__(self) -> str:
        certified = _certification(self)
        return f"<Optimum {self.query!r}: {self.verdict}, cost {self.cost}{certified}>"


@dataclass(frozen=True)
class UntakenEdge:
    """An edge that no run takes, with its position."""

    process: str
    source: str
    target: str
    place: str


class Exploration:
    """The result of exploring all reachable states."""

    def __init__(self, model: Model, outcome: _zonaut.Outcome, record: dict[str, Any]) -> None:
        self._record = record
        #: Whether all reachable states were explored.
        self.complete: bool = record["complete"]
        #: Why the exploration is incomplete.
        self.reason: str | None = record["reason"]
        #: Expanded states.
        self.explored: int = record["explored"]
        #: Stored states.
        self.stored: int = record["stored"]
        #: The elapsed time.
        self.seconds: float = record["seconds"]
        #: Locations that were not reached, such as `P.critical`.
        self.unreached: list[str] = [
            f"{one['process']}.{one['location']}" for one in record["unreached_locations"]
        ]
        #: Edges that were not taken.
        self.untaken: list[UntakenEdge] = [
            UntakenEdge(one["process"], one["source"], one["target"], one["place"])
            for one in record["untaken_edges"]
        ]
        deadlock, failing = outcome.run("deadlock"), outcome.run("trace")
        #: A run to a state without enabled transitions, if one was found.
        self.deadlock: Trace | None = None if deadlock is None else Trace(model, deadlock)
        #: The run to a transition that fails at run time, if there is one.
        self.trace: Trace | None = None if failing is None else Trace(model, failing)

    def coverage(self, model: Model) -> dict[str, Fraction]:
        """The covered part of all locations and of all edges of `model`."""
        summary = model.summary
        parts = {"locations": len(self.unreached), "edges": len(self.untaken)}
        covered = {}
        for name, missing in parts.items():
            total = summary[name]
            covered[name] = Fraction(total - missing, total) if total else Fraction(1)
        return covered

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, as `zonaut explore --json` prints it."""
        record = dict(self._record)
        for name, trace in (("trace", self.trace), ("deadlock", self.deadlock)):
            if trace is not None:
                record[name] = trace.to_dict()
        return record

    def __repr__(self) -> str:
        state = "complete" if self.complete else f"incomplete ({self.reason})"
        return f"<Exploration: {state}, {self.stored} states>"


@dataclass(frozen=True)
class CertificateCheck:
    """The answer of the independent checker about a certificate.

    `answer` is `accepted`, `rejected`, `malformed`, `wrong_model` or `undecided`.
    """

    accepted: bool
    answer: str
    reason: str | None
    kind: str | None
    text: str | None

    def __bool__(self) -> bool:
        return self.accepted
