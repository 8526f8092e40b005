"""Parameter sweeps with worker processes."""

from __future__ import annotations

import itertools
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._errors import Diagnostic, ModelError, problem
from ._model import Model, load
from ._trace import _pandas

if TYPE_CHECKING:
    import pandas

#: The program of a worker. It imports nothing from the current folder.
_WORKER = (
    "import sys; sys.path[:] = [p for p in sys.path if p]; "
    "from zonaut._sweep import _work; _work()"
)

#: The columns of a result, after those of the parameters.
COLUMNS = (
    "query",
    "verdict",
    "holds",
    "certified",
    "transitions",
    "explored",
    "stored",
    "seconds",
    "memory_bytes",
    "reason",
)


class SweepTable(Sequence[dict[str, Any]]):
    """The rows of a sweep in the order of its parameters: a sequence of dictionaries."""

    def __init__(self, parameters: Sequence[str], rows: Iterable[dict[str, Any]]) -> None:
        #: The names of the parameters.
        self.parameters = list(parameters)
        #: The rows.
        self.rows = list(rows)

    def __getitem__(self, index: Any) -> Any:
        return self.rows[index]

    def __len__(self) -> int:
        return len(self.rows)

    def to_dataframe(self) -> pandas.DataFrame:
        """The rows as a data frame; needs pandas."""
        columns = [*self.parameters, *COLUMNS]
        return _pandas().DataFrame(self.rows, columns=columns)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"<SweepTable of {len(self)} rows over {', '.join(self.parameters)}>"

    def _repr_html_(self) -> str:
        from html import escape

        columns = [*self.parameters, "query", "verdict", "certified", "explored", "seconds"]
        head = "".join(f"<th>{escape(name)}</th>" for name in columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(str(row[name]))}</td>" for name in columns) + "</tr>"
            for row in self.rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def sweep(
    model: str | os.PathLike[str] | Model,
    parameters: Mapping[str, Iterable[int]],
    queries: Sequence[str] | None = None,
    *,
    jobs: int = 1,
    on_row: Callable[[dict[str, Any]], object] | None = None,
    **options: Any,
) -> SweepTable:
    """Checks queries for every combination of values of constants.

    `jobs` worker processes share the work; `on_row` is called with each row as it is finished;
    `options` are those of `Model.check`. Without `queries`, those of the model are checked.

    A `KeyboardInterrupt` ends all workers; the exception has the finished rows as `partial`. A
    model that has an error for some values gives rows with the verdict `error`.

    >>> import zonaut as zn
    >>> m = zn.loads('''
    ... const int N = 1;
    ... int[0, 5] n;
    ... process P() { state a; init a; trans a -> a { guard n < N; assign n = n + 1; }; }
    ... system P;''')
    >>> table = zn.sweep(m, {"N": range(1, 4)}, ["E<> n == 2"])
    >>> [(row["N"], row["holds"]) for row in table]
    [(1, False), (2, True), (3, True)]
    """
    if jobs < 1:
        raise problem("option", "`jobs` is at least 1")
    base = model if isinstance(model, Model) else load(model)
    names = list(parameters)
    values = [list(one) for one in parameters.values()]
    combinations = [dict(zip(names, chosen)) for chosen in itertools.product(*values)]
    options.setdefault("trace", "none")
    job = {
        "name": base.name,
        "text": base.text,
        "queries": list(base.queries if queries is None else queries),
        "constants": base.constants,
        "options": {
            name: os.fspath(value) if isinstance(value, Path) else value
            for name, value in options.items()
        },
    }
    finished: dict[int, list[dict[str, Any]]] = {}

    def table() -> SweepTable:
        rows = [row for index in sorted(finished) for row in finished[index]]
        return SweepTable(names, rows)

    def finish(index: int, rows: list[dict[str, Any]]) -> None:
        finished[index] = [{**combinations[index], **row} for row in rows]
        for row in finished[index]:
            if on_row is not None:
                on_row(row)

    try:
        if jobs == 1 or len(combinations) < 2:
            for index, chosen in enumerate(combinations):
                finish(index, _rows({**job, "chosen": chosen}))
        else:
            _run_workers(job, combinations, min(jobs, len(combinations)), finish)
    except KeyboardInterrupt as interrupt:
        setattr(interrupt, "partial", table())
        raise
    return table()


def _rows(job: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of one combination of values."""
    constants = {**job["constants"], **job["chosen"]}
    try:
        model = Model._parse(job["name"], job["text"], job["queries"], constants)
    except ModelError as error:
        return [_failed(query, error._first) for query in job["queries"]]
    rows = []
    for index, query in enumerate(job["queries"]):
        result = model.check(index, **job["options"])
        record = {**result.to_dict(), "query": query, "holds": result.holds}
        rows.append({name: record.get(name) for name in COLUMNS})
    return rows


def _failed(query: str, why: Diagnostic) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(COLUMNS)
    return {**row, "query": query, "verdict": "error", "certified": False, "reason": why.message}


def _run_workers(
    job: dict[str, Any],
    combinations: list[dict[str, int]],
    jobs: int,
    finish: Callable[[int, list[dict[str, Any]]], None],
) -> None:
    """Distributes combinations to worker processes and passes their rows on, on this thread."""
    waiting: queue.SimpleQueue[tuple[int, dict[str, int]]] = queue.SimpleQueue()
    for entry in enumerate(combinations):
        waiting.put(entry)
    done: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", _WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        for _ in range(jobs)
    ]

    def drive(worker: subprocess.Popen[str]) -> None:
        assert worker.stdin is not None and worker.stdout is not None
        while True:
            try:
                index, chosen = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                worker.stdin.write(json.dumps({**job, "chosen": chosen}) + "\n")
                worker.stdin.flush()
                answer = worker.stdout.readline()
                done.put((index, json.loads(answer)))
            except (OSError, ValueError):
                done.put((index, {"error": "a worker process has ended"}))
                return

    threads = [threading.Thread(target=drive, args=(one,), daemon=True) for one in workers]
    try:
        for thread in threads:
            thread.start()
        for _ in combinations:
            index, answer = _next(done)
            if "error" in answer:
                raise problem("internal", f"{combinations[index]}: {answer['error']}")
            finish(index, answer["rows"])
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
            for stream in (worker.stdin, worker.stdout):
                if stream is not None:
                    try:
                        stream.close()
                    except OSError:
                        pass


def _next(done: queue.SimpleQueue[tuple[int, Any]]) -> tuple[int, Any]:
    """The next answer; Python handles signals between two looks."""
    while True:
        try:
            return done.get(timeout=0.1)
        except queue.Empty:
            continue


def _work() -> None:
    """Answers the jobs of standard input, one a line, until it is closed."""
    for line in sys.stdin:
        try:
            answer: dict[str, Any] = {"rows": _rows(json.loads(line))}
        except Exception as error:
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)
