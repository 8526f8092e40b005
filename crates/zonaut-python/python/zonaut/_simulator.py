"""Symbolic simulation."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._errors import problem, translated
from ._trace import Edge, Trace
from ._zone import Zone

if TYPE_CHECKING:
    from ._model import Model


@dataclass(frozen=True)
class SymbolicState:
    """Locations, variables and the constraints of clocks."""

    locations: tuple[str, ...]
    variables: dict[str, int]
    zone: str


@dataclass(frozen=True)
class Transition:
    """A transition. `why` is the reason why it is disabled, or why it fails."""

    edges: tuple[Edge, ...]
    why: str | None

    def __str__(self) -> str:
        return "; ".join(map(str, self.edges))


def _transitions(text: str) -> list[Transition]:
    return [
        Transition(tuple(Edge._of(edge) for edge in one["edges"]), one["why"])
        for one in json.loads(text)
    ]


class Simulator:
    """A path through the symbolic states of a model, with a current position.

    >>> import zonaut as zn
    >>> m = zn.loads('''
    ... clock x;
    ... process P() { state a { x <= 5 }, b; init a; trans a -> b { guard x >= 3; assign x = 0; }; }
    ... system P;''')
    >>> s = m.simulator()
    >>> str(s.zone), [str(t) for t in s.enabled]
    ('x <= 5', ['P: a -> b'])
    >>> s.fire(0)
    >>> s.state.locations, s.enabled
    (('P.b',), [])
    """

    def __init__(self, model: Model) -> None:
        #: The model.
        self.model = model
        self._native = translated(model._native.simulator)
        self._choices: list[int] = []

    @property
    def state(self) -> SymbolicState:
        """The current state."""
        record = json.loads(self._native.state())
        return SymbolicState(
            tuple(record["locations"]), dict(record["variables"]), record["zone"]
        )

    @property
    def zone(self) -> Zone:
        """The zone of the current state, over its active clocks."""
        return Zone._of(self._native.zone())

    @property
    def enabled(self) -> list[Transition]:
        """The enabled transitions; one with a reason fails at run time."""
        return _transitions(self._native.enabled())

    @property
    def disabled(self) -> list[Transition]:
        """The disabled transitions that leave the current locations, with the reasons."""
        return _transitions(translated(self._native.disabled))

    @property
    def position(self) -> int:
        """The number of transitions before the current state."""
        return self._native.position

    def fire(self, choice: int) -> None:
        """Takes the enabled transition with this index."""
        if choice < 0 or not self._native.take(choice):
            number = len(self.enabled)
            raise problem("option", f"no transition {choice} can be taken; {number} are enabled")
        self._choices[self.position - 1 :] = [choice]

    def undo(self) -> None:
        """Goes back by one transition."""
        if not self.position or not self._native.go_to(self.position - 1):
            raise problem("option", "this is the initial state")

    def reset(self) -> None:
        """Goes back to the initial state."""
        self._native.go_to(0)

    def walk(self, steps: int, seed: int = 0) -> int:
        """Takes up to `steps` random transitions; returns their number."""
        choice = random.Random(seed)
        for taken in range(steps):
            enabled = self.enabled
            possible = [at for at, one in enumerate(enabled) if one.why is None]
            if not possible:
                return taken
            self.fire(choice.choice(possible))
        return steps

    @property
    def trace(self) -> Trace:
        """A concrete run along the path to the current state."""
        native = self._native.trace()
        if native is None:
            raise problem("undecided", "clock values exceed the range of exact zones")
        return Trace(self.model, native)

    def __repr__(self) -> str:
        state = self.state
        return f"<Simulator after {self.position} steps: {', '.join(state.locations)}>"

    def _repr_svg_(self) -> str:
        return self.trace.svg()

    def __reduce__(self) -> tuple[Any, ...]:
        return _replayed, (self.model, self._choices[: self.position])


def _replayed(model: Model, choices: list[int]) -> Simulator:
    simulator = Simulator(model)
    for choice in choices:
        simulator.fire(choice)
    return simulator
