"""Shared parts of the tests."""

from __future__ import annotations

from pathlib import Path

import pytest

import zonaut as zn

ROOT = Path(__file__).resolve().parents[3]
MODELS = ROOT / "models"

LAMP = """
clock x, y;
process Lamp() {
    state off, on { x <= 5 };
    init off;
    trans off -> on { guard y >= 1; assign x = 0; }, on -> off { guard x == 5; assign y = 0; };
}
system Lamp;
"""

COUNTER = """
const int N = 3;
int[0, 100] n;
process P() {
    state a, b;
    init a;
    trans a -> a { guard n < N; assign n = n + 1; }, a -> b { guard n == N; };
}
system P;
"""

#: A model whose exploration takes minutes.
LARGE = """
const int N = 12;
clock x[N];
process P(const int[0, N - 1] id) {
    int[0, 9] n;
    state a { x[id] <= 7 + id };
    init a;
    trans a -> a { guard x[id] >= 2 + id; assign x[id] = 0, n = (n + 1) % 10; };
}
system P;
"""


@pytest.fixture
def lamp() -> zn.Model:
    return zn.loads(LAMP, name="lamp.xta")


@pytest.fixture
def counter() -> zn.Model:
    return zn.loads(COUNTER, name="counter.xta")


@pytest.fixture(scope="session")
def fischer() -> zn.Model:
    return zn.load(MODELS / "fischer" / "fischer.xta")


@pytest.fixture(scope="session")
def job_shop() -> zn.Model:
    return zn.load(MODELS / "job-shop" / "job-shop.xta")
