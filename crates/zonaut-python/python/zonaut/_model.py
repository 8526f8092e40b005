"""Models and what can be asked about them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

from . import _zonaut
from ._errors import Diagnostic, diagnostics_of, problem, translated
from ._jobs import ProgressCallback, finish
from ._results import CertificateCheck, Estimate, Exploration, Improvement, Optimum, Result
from ._simulator import Simulator
from ._trace import Trace

_Path = str | os.PathLike[str]

#: The options of statistical queries.
_SAMPLING = (
    "alpha",
    "beta",
    "epsilon",
    "lower_delta",
    "upper_delta",
    "u0",
    "u1",
    "histogram",
    "integration_step",
    "run_steps",
)


def _defines(constants: Mapping[str, int]) -> list[tuple[str, int]]:
    for name, value in constants.items():
        if not isinstance(value, int):
            raise problem("option", f"the constant `{name}` is not an integer: {value!r}")
    return [(name, int(value)) for name, value in constants.items()]


def load(path: _Path, queries: _Path | None = None, **constants: int) -> Model:
    """Reads a model (`.xml`, `.xta` or `.ta`) and its queries.

    The queries are those of the model or, if it has none, those of the file with its name and the
    extension `.q`; `queries` names another file. Keyword arguments replace constants of the model.

    Raises `InputError` if a file cannot be read and `ModelError` if the model has an error.
    """
    return Model._load(path, queries, constants)


def loads(
    text: str,
    queries: Sequence[str] | None = None,
    *,
    name: str = "model",
    constants: Mapping[str, int] | None = None,
) -> Model:
    """Reads a model from a text.

    >>> import zonaut as zn
    >>> m = zn.loads("process P() { state a; init a; } system P;", ["E<> P.a"])
    >>> m.queries
    ['E<> P.a']
    """
    return Model._parse(name, text, queries, constants or {})


class Model:
    """A model without errors, with its queries. It never changes and can be pickled.

    >>> import zonaut as zn
    >>> m = zn.loads('''
    ... const int N = 3;
    ... int[0, 100] n;
    ... process P() { state a; init a; trans a -> a { guard n < N; assign n = n + 1; }; }
    ... system P;''')
    >>> bool(m.check("E<> n == 3")), bool(m.check("E<> n == 4"))
    (True, False)
    >>> m.replace(N=4).check("E<> n == 4").verdict
    'satisfied'
    """

    _native: _zonaut.Model
    _constants: dict[str, int]

    def __init__(self) -> None:
        raise TypeError("use zonaut.load or zonaut.loads")

    @staticmethod
    def _new(native: _zonaut.Model, constants: Mapping[str, int]) -> Model:
        model = object.__new__(Model)
        model._native = native
        model._constants = dict(constants)
        return model

    @staticmethod
    def _load(path: _Path, queries: _Path | None, constants: Mapping[str, int]) -> Model:
        options = json.dumps({"defines": _defines(constants)})
        return Model._new(translated(_zonaut.Model.load, path, queries, options), constants)

    @staticmethod
    def _parse(
        name: str,
        text: str,
        queries: Sequence[str] | None,
        constants: Mapping[str, int],
        keeps_damage: bool = False,
    ) -> Model:
        options = json.dumps({"defines": _defines(constants), "keeps_damage": keeps_damage})
        formulas = None if queries is None else list(queries)
        return Model._new(
            translated(_zonaut.Model.parse, name, text, formulas, options), constants
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _parsed_again, (self.name, self.text, self._formulas, self._constants)

    # The parts of a model.

    @property
    def name(self) -> str:
        """The file, as it was named."""
        return self._native.name

    @property
    def text(self) -> str:
        """The text of the model, before constants are replaced."""
        return self._native.text()

    @property
    def constants(self) -> dict[str, int]:
        """The replaced constants."""
        return dict(self._constants)

    @property
    def queries(self) -> list[str]:
        """The formulas of the queries."""
        return [query["formula"] for query in json.loads(self._native.queries())]

    @property
    def _formulas(self) -> list[str] | None:
        """The queries unless they are part of the text, which has their comments, too."""
        return None if self._native.has_own_queries() else self.queries

    @property
    def comments(self) -> list[str]:
        """The comment of each query."""
        return [query["comment"] for query in json.loads(self._native.queries())]

    @property
    def templates(self) -> list[str]:
        """The names of the templates."""
        return self._native.templates()

    @property
    def processes(self) -> list[str]:
        """The names of the processes."""
        return self._native.processes()

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Warnings about the model, and errors of its queries."""
        return diagnostics_of(self._native.diagnostics())

    @property
    def summary(self) -> dict[str, Any]:
        """Sizes, features and queries, as `zonaut check --json` prints them."""
        summary: dict[str, Any] = json.loads(self._native.summary())
        return summary

    @property
    def digest(self) -> str:
        """The digest of the model, as in certificates: equal for models with equal behaviour that
        are written alike."""
        return self._native.digest(None)

    def __repr__(self) -> str:
        return f"<Model {self.name!r}: {', '.join(self.processes)}>"

    def replace(self, **constants: int) -> Model:
        """The same model with other values of constants."""
        merged = {**self._constants, **constants}
        return _parsed_again(self.name, self.text, self._formulas, merged)

    def with_queries(self, *queries: str) -> Model:
        """The same model with other queries. Raises `QueryError` if one has an error."""
        return Model._parse(self.name, self.text, queries, self._constants)

    # Other formats.

    def to_xta(self) -> str:
        """The model as UPPAAL's textual format, without queries."""
        return translated(self._native.converted, "xta")

    def to_xml(self) -> str:
        """The model as UPPAAL's XML format."""
        return translated(self._native.converted, "xml")

    def to_dot(self) -> str:
        """The automata as input of Graphviz."""
        return translated(self._native.converted, "dot")

    def svg(self, template: str | None = None) -> str:
        """A drawing of one automaton, or of all of them."""
        if template is None:
            return translated(self._native.converted, "svg")
        return translated(self._native.drawn, template)

    def _repr_svg_(self) -> str:
        return self.svg()

    # Questions.

    def _asking(self, query: str | int) -> tuple[Model, int]:
        """The model that has the query, and its index."""
        if isinstance(query, str):
            return self.with_queries(query), 0
        number = len(self.queries)
        if not -number <= query < number:
            raise problem("option", f"the model has {number} queries: there is no query {query}")
        return self, query % number

    @overload
    def check(self, query: str | int, **options: Any) -> Result: ...
    @overload
    def check(self, query: Sequence[str] | None = None, **options: Any) -> list[Result]: ...
    def check(self, query: Any = None, **options: Any) -> Any:
        """Answers a query: a formula, or the index of a query of the model.

        Without a query, or with a list of formulas, the result is a list. Options:

        * `timeout`: seconds, certification included; `memory`: bytes; `states`: explored states.
        * `trace`: `"some"` (default), `"shortest"`, `"fastest"` or `"none"`.
        * `strategy`: as in `zonaut strategies`, such as `"bfs"` or `"astar(hl)"`; `seed`.
        * `threads`: 1 by default. Lazy searches and `useful`, `context`, `coverage` and
          `restarts` use one thread.
        * `abstraction`, `store`, `symmetry` (a truth value), `databases` (a folder), `explain`.
        * `certify`: `"auto"` (default), `"always"` or `"never"`.
        * `certificate`: a file that receives the certificate.
        * the parameters of statistical queries: see `estimate`.
        * `progress`: a function that is called with a `Progress` about every 50 ms, or `True` for
          a line of `tqdm`.

        A `KeyboardInterrupt` ends the search within a second.

        >>> import zonaut as zn
        >>> m = zn.loads("process P() { state a, b; init a; trans a -> b { }; } system P;")
        >>> r = m.check("E<> P.b", strategy="bfs", certify="always")
        >>> r.holds, r.certified, len(r.trace)
        (True, True, 1)
        """
        if query is None:
            return [self._check_one(self, index, options) for index in range(len(self.queries))]
        if isinstance(query, (str, int)):
            model, index = self._asking(query)
            return self._check_one(model, index, options)
        model = self.with_queries(*query)
        return [self._check_one(model, index, options) for index in range(len(model.queries))]

    @staticmethod
    def _check_one(model: Model, index: int, options: dict[str, Any]) -> Result:
        kept = {name: value for name, value in options.items() if name not in _SAMPLING}
        sampling = {name: options[name] for name in _SAMPLING if options.get(name) is not None}
        text, progress = _encoded({**kept, "sampling": sampling})
        damaged = json.loads(model._native.summary())["queries"][index]["prospect"] == "error"
        if damaged:
            model = model.with_queries(model.queries[index])
        outcome = finish(translated(model._native.check, index, text), progress)
        return Result(model, outcome, json.loads(outcome.record))

    def traces(self, query: str | int, limit: int = 10, **options: Any) -> Iterator[Trace]:
        """Different runs to the goal of an `E<>` query, or different counterexamples of an `A[]`
        query, shortest first.

        Runs are different if they take different transitions; each ends at the first state in
        which the goal is reachable by delaying only. Options: `timeout`, `memory`, `states`,
        `progress`.

        >>> import zonaut as zn
        >>> m = zn.loads('''
        ... process P() { state a, b, c; init a; trans a -> b { }, a -> c { }, c -> b { }; }
        ... system P;''')
        >>> [len(t) for t in m.traces("E<> P.b")]
        [1, 2]
        """
        model, index = self._asking(query)
        text, progress = _encoded(options)
        outcome = finish(translated(model._native.traces, index, limit, text), progress)
        record = json.loads(outcome.record)
        for number in range(record["found"]):
            found = outcome.run(str(number))
            if found is not None:
                yield Trace(model, found)
        if record["reason"] is not None:
            raise problem("undecided", f"the enumeration of runs ended: {record['reason']}")

    def estimate(self, query: str | int, **options: Any) -> Estimate:
        """Answers a statistical query: `Pr`, `E` or `simulate`.

        Options: `seed`, `threads`, `timeout`, `memory`, `progress`, and the statistical parameters
        `alpha`, `beta`, `epsilon`, `lower_delta`, `upper_delta`, `u0`, `u1`, `histogram` (a number
        of buckets), `integration_step`, `run_steps`, with the meanings and defaults of the command
        line.

        Raises `UndecidedError` if no sample was taken, or a limit was reached before its end.

        >>> import zonaut as zn
        >>> m = zn.loads('''
        ... clock x;
        ... process P() { state a { x <= 4 }, b; init a; trans a -> b { guard x >= 0; }; }
        ... system P;''')
        >>> e = m.estimate("Pr[<=1](<> P.b)", seed=1)
        >>> e.interval[0] < 0.25 < e.interval[1], e.confidence
        (True, 0.95)
        """
        model, index = self._asking(query)
        result = self._check_one(model, index, {**options, "certify": "never", "trace": "none"})
        if result.estimate is None:
            reason = result.reason or "the query is not statistical; use `check`"
            raise problem("undecided", f"no estimate for `{result.query}`: {reason}")
        return result.estimate

    def optimize(self, query: str | int, **options: Any) -> Optimum:
        """Searches for a run of minimal cost to the goal of an `E<>` query; without cost
        annotations, cost is elapsed time.

        Options: `strategy`, `seed`, `rates` (`"sum"`, `"min"` or `"max"`), `threads`, `timeout`,
        `memory`, `states`, `certify`, `certificate`, `progress`.

        >>> import zonaut as zn
        >>> m = zn.loads('''
        ... clock x;
        ... process P() { state a { x <= 5 }, b; init a; trans a -> b { guard x >= 3; }; }
        ... system P;''')
        >>> best = m.optimize("E<> P.b")
        >>> best.cost, best.is_optimal, best.schedule.makespan
        (3, True, Fraction(3, 1))
        """
        model, index = self._asking(query)
        text, progress = _encoded(options)
        job = translated(model._native.optimize, index, text)
        outcome = finish(job, progress)
        found = json.loads(job.progress())["improvements"]
        improvements = [
            Improvement(one["seconds"], one["cost"], one["lower_bound"]) for one in found
        ]
        return Optimum(model, outcome, json.loads(outcome.record), improvements)

    def explore(self, **options: Any) -> Exploration:
        """Explores all reachable states: dead locations and edges, a deadlock.

        Options: `strategy` (an order), `seed`, `threads` (with `auto` and `bfs`), `abstraction`,
        `store`, `timeout`, `memory`, `states`, `progress`.
        """
        text, progress = _encoded(options)
        outcome = finish(translated(self._native.explore, text), progress)
        return Exploration(self, outcome, json.loads(outcome.record))

    def simulator(self) -> Simulator:
        """A simulator in the initial state."""
        return Simulator(self)

    def verify_certificate(
        self, certificate: _Path, query: str | int, *, cost: bool = False, rates: str | None = None
    ) -> CertificateCheck:
        """Checks a certificate about a query with the independent checker, in another process.

        `cost` is true for the certificate of an optimisation.
        """
        model, index = self._asking(query)
        record = json.loads(
            translated(model._native.verify_certificate, certificate, index, rates, cost)
        )
        return CertificateCheck(**record)


def _parsed_again(
    name: str, text: str, queries: list[str] | None, constants: dict[str, int]
) -> Model:
    """The model of a text whose queries may have errors, as those of a file."""
    return Model._parse(name, text, queries, constants, keeps_damage=True)


def _encoded(options: Mapping[str, Any]) -> tuple[str, ProgressCallback | bool | None]:
    """The options as JSON, and the receiver of progress."""
    rest = {
        name: os.fspath(value) if isinstance(value, os.PathLike) else value
        for name, value in options.items()
        if value is not None
    }
    progress = rest.pop("progress", None)
    if "trace" in options and options["trace"] is None:
        rest["trace"] = "none"
    try:
        return json.dumps(rest, allow_nan=False), progress
    except (TypeError, ValueError) as error:
        raise problem("option", str(error)) from None
