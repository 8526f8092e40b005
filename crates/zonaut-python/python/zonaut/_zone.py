"""Zones: sets of clock valuations."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from . import _zonaut
from ._errors import problem, translated

_CONSTRAINT = re.compile(
    r"\s*(?P<x>[^\W\d][\w.()\[\],]*)\s*(-\s*(?P<y>[^\W\d][\w.()\[\],]*)\s*)?"
    r"(?P<relation><=|<|>=|>|==)\s*(?P<value>-?\d+|[^\W\d][\w.()\[\],]*)\s*"
)

#: A constraint `x - y <= value` or `x - y < value`; `None` is the constant zero.
_Atom = tuple[str | None, str | None, int, bool]


def _atoms(text: str) -> list[_Atom]:
    """The atoms of a conjunction such as `x <= 5 && x - y > 2`."""
    atoms: list[_Atom] = []
    for part in re.split(r"&&|\band\b", text):
        if part.strip() in ("", "true"):
            continue
        found = _CONSTRAINT.fullmatch(part)
        if found is None:
            raise problem("option", f"`{part.strip()}` is not a constraint such as `x - y <= 3`")
        x, y, relation = found["x"], found["y"], found["relation"]
        value = found["value"]
        if not re.fullmatch(r"-?\d+", value):
            if y is not None:
                raise problem("option", f"`{value}` is not an integer")
            y, value = value, "0"
        number, is_strict = int(value), relation in ("<", ">")
        if relation in ("<", "<=", "=="):
            atoms.append((x, y, number, is_strict))
        if relation in (">", ">=", "=="):
            atoms.append((y, x, -number, is_strict))
    return atoms


class Zone:
    """A non-empty set of clock valuations that difference constraints describe.

    A zone never changes: operations return new zones, or `None` where the result is empty.

    >>> from zonaut import Zone
    >>> z = Zone(["x", "y"], "x <= 5 && x - y < 3")
    >>> str(z.delayed().constrained("y == 7"))
    'y == 7 && x < 10'
    >>> z.constrained("x > 5") is None
    True
    >>> z.includes(Zone(["x", "y"], "x == 1 && y == 1")), {"x": 5, "y": 2} in z
    (True, False)
    """

    _native: _zonaut.Zone

    def __init__(self, clocks: Iterable[str], constraints: str = "") -> None:
        native = translated(_zonaut.Zone.of_clocks, list(clocks), False)
        zone = Zone._of(native).constrained(constraints)
        if zone is None:
            raise problem("option", f"no valuation satisfies `{constraints}`")
        self._native = zone._native

    @staticmethod
    def _of(native: _zonaut.Zone) -> Zone:
        zone = object.__new__(Zone)
        zone._native = native
        return zone

    @staticmethod
    def origin(clocks: Iterable[str]) -> Zone:
        """The zone in which every clock is 0."""
        return Zone._of(translated(_zonaut.Zone.of_clocks, list(clocks), True))

    @property
    def clocks(self) -> list[str]:
        """The names of the clocks."""
        return self._native.clocks

    @property
    def constraints(self) -> list[str]:
        """The constraints in the least number."""
        text = self._native.text()
        return [] if text == "true" else text.split(" && ")

    def bound(self, x: str | None, y: str | None = None) -> tuple[int, bool] | None:
        """The upper bound of `x - y`, where `None` is the constant zero: its value, and whether it
        is strict. `None` if the difference is unbounded."""
        return translated(self._native.bound, x, y)

    def constrained(self, constraints: str) -> Zone | None:
        """The valuations that also satisfy the constraints."""
        native: _zonaut.Zone | None = self._native
        for atom in _atoms(constraints):
            if native is not None:
                native = translated(native.constrained, *atom)
        return None if native is None else Zone._of(native)

    def delayed(self) -> Zone:
        """The valuations after any delay."""
        return Zone._of(translated(self._native.delayed))

    def past(self) -> Zone:
        """The valuations from which some delay leads into the zone."""
        return Zone._of(translated(self._native.past))

    def reset(self, clock: str, value: int = 0) -> Zone:
        """The valuations with `clock` set to a value."""
        return Zone._of(translated(self._native.reset, clock, value))

    def freed(self, clock: str) -> Zone:
        """The valuations with any value of `clock`."""
        return Zone._of(translated(self._native.freed, clock))

    def intersected(self, other: Zone) -> Zone | None:
        """The valuations of both zones."""
        native = translated(self._native.intersected, other._native)
        return None if native is None else Zone._of(native)

    def includes(self, other: Zone) -> bool:
        """Whether all valuations of `other` are in the zone."""
        return translated(self._native.includes, other._native)

    def __contains__(self, valuation: Mapping[str, int | float | Fraction]) -> bool:
        values = [Fraction(valuation[clock]) for clock in self.clocks]
        denominator = math.lcm(*(value.denominator for value in values))
        numerators = [int(value * denominator) for value in values]
        return translated(self._native.contains, numerators, denominator)

    def svg(self, x: str | None = None, y: str | None = None) -> str:
        """A drawing of two clocks, by default of the first ones."""
        clocks = self.clocks
        if len(clocks) < 2 and (x is None or y is None):
            raise problem("option", "a drawing needs two clocks")
        return translated(self._native.svg, x or clocks[0], y or clocks[1])

    def _repr_svg_(self) -> str | None:
        return self.svg() if len(self.clocks) > 1 else None

    def __str__(self) -> str:
        return self._native.text()

    def __repr__(self) -> str:
        return f"Zone({self.clocks}, {str(self)!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Zone):
            return NotImplemented
        return self.clocks == other.clocks and self.includes(other) and other.includes(self)

    def __hash__(self) -> int:
        return hash((tuple(self.clocks), str(self)))

    def __le__(self, other: Zone) -> bool:
        return other.includes(self)

    def __ge__(self, other: Zone) -> bool:
        return self.includes(other)

    def __reduce__(self) -> tuple[Any, ...]:
        return Zone, (self.clocks, str(self))
