"""Running tasks: progress and interruption."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from . import _zonaut
from ._errors import translated

#: The seconds between two looks at a running task; an interrupt is noticed within this time.
PERIOD = 0.05

#: The seconds that a cancelled task has to end with a partial result.
PATIENCE = 0.7


@dataclass(frozen=True)
class Progress:
    """The progress of a running task.

    `cost` and `lower_bound` are the bounds of an optimisation, once they are known.
    """

    seconds: float
    explored: int
    stored: int
    waiting: int
    memory_bytes: int
    cost: int | None
    lower_bound: int | None


ProgressCallback = Callable[[Progress], object]


def finish(job: _zonaut.Job, progress: ProgressCallback | bool | None) -> _zonaut.Outcome:
    """Waits for a job and reports its progress.

    A `KeyboardInterrupt` cancels the job; the exception has the partial record as `partial`.
    """
    with _display(progress) as report:
        try:
            wait_until_end(job, report)
        except BaseException as error:
            job.cancel()
            if job.wait(PATIENCE):
                partial = json.loads(translated(job.result).record)
                setattr(error, "partial", partial)
            raise
    return translated(job.result)


def wait_until_end(job: _zonaut.Job, report: ProgressCallback | None) -> None:
    """Waits for the end of a job; Python handles signals between two looks."""
    while not job.wait(PERIOD):
        if report is not None:
            report(progress_of(job))


def progress_of(job: _zonaut.Job) -> Progress:
    """The progress of a job now."""
    record: dict[str, Any] = json.loads(job.progress())
    return Progress(**{name: record[name] for name in Progress.__dataclass_fields__})


@contextmanager
def _display(progress: ProgressCallback | bool | None) -> Iterator[ProgressCallback | None]:
    """The callback of the caller, or a line of `tqdm` for `True`."""
    if progress is None or progress is False:
        yield None
    elif progress is True:
        yield from _tqdm_line()
    else:
        yield progress


def _tqdm_line() -> Iterator[ProgressCallback | None]:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        print("zonaut: install tqdm to see progress", file=sys.stderr)
        yield None
        return
    with tqdm(unit=" states", leave=False) as line:

        def update(now: Progress) -> None:
            line.update(now.explored - line.n)

        yield update
