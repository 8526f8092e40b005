"""Zones against points."""

from __future__ import annotations

import itertools
import pickle
import random
from fractions import Fraction

import pytest

import zonaut as zn
from zonaut import Zone

CLOCKS = ["x", "y"]
POINTS = [
    {"x": Fraction(i, 2), "y": Fraction(j, 2)} for i in range(13) for j in range(13)
]


def _random_constraints(choice: random.Random) -> str:
    atoms = []
    for _ in range(choice.randint(0, 3)):
        left = choice.choice(["x", "y", "x - y", "y - x"])
        relation = choice.choice(["<", "<=", ">", ">=", "=="])
        atoms.append(f"{left} {relation} {choice.randint(0, 4)}")
    return " && ".join(atoms)


def _holds(constraints: str, point: dict[str, Fraction]) -> bool:
    text = constraints.replace("&&", "and") or "True"
    return bool(eval(text, {}, point))


def _zones(number: int, seed: int) -> list[tuple[str, Zone]]:
    choice = random.Random(seed)
    found: list[tuple[str, Zone]] = []
    while len(found) < number:
        constraints = _random_constraints(choice)
        zone = Zone(CLOCKS).constrained(constraints)
        if zone is not None:
            found.append((constraints, zone))
    return found


@pytest.mark.parametrize("seed", range(5))
def test_a_zone_contains_the_points_that_satisfy_its_constraints(seed: int) -> None:
    for constraints, zone in _zones(20, seed):
        for point in POINTS:
            assert (point in zone) == _holds(constraints, point), (constraints, point)


@pytest.mark.parametrize("seed", range(3))
def test_empty_zones_have_no_points(seed: int) -> None:
    choice = random.Random(seed)
    for _ in range(60):
        constraints = _random_constraints(choice)
        if Zone(CLOCKS).constrained(constraints) is None:
            assert not any(_holds(constraints, point) for point in POINTS), constraints


@pytest.mark.parametrize("seed", range(3))
def test_delays_resets_and_freed_clocks(seed: int) -> None:
    delays = [Fraction(i, 2) for i in range(13)]
    for _, zone in _zones(12, seed):
        for point in POINTS[::5]:
            moved = [{c: v - d for c, v in point.items()} for d in delays]
            before = [one for one in moved if min(one.values()) >= 0]
            assert (point in zone.delayed()) == any(one in zone for one in before)
            if point in zone:
                assert {"x": Fraction(2), "y": point["y"]} in zone.reset("x", 2)
                assert all({"x": d, "y": point["y"]} in zone.freed("x") for d in delays)
                assert point in zone.past()


@pytest.mark.parametrize("seed", range(3))
def test_inclusion_and_intersection(seed: int) -> None:
    zones = [zone for _, zone in _zones(10, seed)]
    for one, other in itertools.product(zones, zones):
        if one.includes(other):
            assert all(point in one for point in POINTS if point in other)
            assert other <= one and one >= other
        both = one.intersected(other)
        for point in POINTS[::3]:
            inside = point in one and point in other
            assert (both is not None and point in both) == inside


def test_texts_can_be_read_again() -> None:
    for constraints, zone in _zones(60, 11):
        assert Zone(CLOCKS, str(zone)) == zone, constraints
        assert pickle.loads(pickle.dumps(zone)) == zone
        assert hash(pickle.loads(pickle.dumps(zone))) == hash(zone)


def test_constraints_and_bounds() -> None:
    zone = Zone(CLOCKS, "x <= 5 and x - y < 3")
    assert sorted(zone.constraints) == ["x - y < 3", "x <= 5"]
    assert zone.bound("x") == (5, False)
    assert zone.bound("x", "y") == (3, True)
    assert zone.bound("y") is None
    assert zone.bound(None, "x") == (0, False)
    assert Zone(CLOCKS).constraints == []
    assert str(Zone.origin(CLOCKS)) != "true"
    assert eval(repr(zone), {"Zone": Zone}) == zone
    assert zone != "x <= 5"


def test_clocks_can_be_compared_with_each_other() -> None:
    assert Zone(CLOCKS, "x <= y") == Zone(CLOCKS, "x - y <= 0")


@pytest.mark.parametrize(
    "constraints", ["x", "x <= ", "x != 3", "x + y < 3", "z < 3", "x < 3.5", "x < 99999999999999"]
)
def test_wrong_constraints_are_refused(constraints: str) -> None:
    with pytest.raises(zn.OptionError):
        Zone(CLOCKS, constraints)


def test_wrong_clocks_are_refused() -> None:
    with pytest.raises(zn.OptionError):
        Zone(["x", "x"])
    with pytest.raises(zn.OptionError):
        Zone(CLOCKS).reset("z")
    with pytest.raises(zn.OptionError):
        Zone(CLOCKS).reset("x", -1)
    with pytest.raises(zn.OptionError):
        Zone(CLOCKS).includes(Zone(["x"]))
    with pytest.raises(zn.OptionError, match="no valuation"):
        Zone(CLOCKS, "x < 1 && x > 1")


def test_pictures_of_zones() -> None:
    zone = Zone(["x", "y", "z"], "x <= 5 && y >= 2")
    assert "<svg" in zone.svg() and zone.svg() != zone.svg("x", "z")
    assert zone._repr_svg_() == zone.svg()
    assert Zone(["x"])._repr_svg_() is None
    with pytest.raises(zn.OptionError):
        Zone(["x"]).svg()
