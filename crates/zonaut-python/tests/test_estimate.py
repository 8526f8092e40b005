"""Statistical queries."""

from __future__ import annotations

import pytest

import zonaut as zn

MODEL = """
clock x;
int n;
process P() {
    state a { x <= 4 }, b;
    init a;
    trans a -> b { guard x >= 0; assign n = 7; };
}
system P;
"""


@pytest.fixture(scope="module")
def model() -> zn.Model:
    return zn.loads(MODEL, name="estimate.xta")


def test_a_probability_has_an_interval(model: zn.Model) -> None:
    estimate = model.estimate("Pr[<=1](<> P.b)", seed=3)
    assert estimate.kind == "probability"
    assert estimate.interval is not None and estimate.value is not None
    low, high = estimate.interval
    assert low <= estimate.value <= high
    assert low < 0.25 < high
    assert estimate.successes is not None and estimate.successes <= estimate.runs
    assert estimate.holds is None


def test_the_same_seed_gives_the_same_sample(model: zn.Model) -> None:
    query = "Pr[<=2](<> P.b)"
    first, second = (model.estimate(query, seed=5).to_dict() for _ in range(2))
    assert first == second
    assert model.estimate(query, seed=6).to_dict() != first
    assert model.estimate(query, seed=5, threads=2).to_dict() == first


@pytest.mark.parametrize("epsilon", [0.1, 0.05, 0.02])
def test_more_precision_takes_more_runs(model: zn.Model, epsilon: float) -> None:
    estimate = model.estimate("Pr[<=2](<> P.b)", epsilon=epsilon, seed=1)
    assert estimate.interval is not None
    assert estimate.interval[1] - estimate.interval[0] <= 2 * epsilon + 1e-9


@pytest.mark.parametrize(("bound", "holds"), [("0.2", True), ("0.9", False)])
def test_a_hypothesis_is_decided(model: zn.Model, bound: str, holds: bool) -> None:
    estimate = model.estimate(f"Pr[<=2](<> P.b) >= {bound}", seed=1)
    assert estimate.kind == "hypothesis"
    assert estimate.holds is holds
    assert bool(estimate) is holds


def test_a_comparison_is_decided(model: zn.Model) -> None:
    estimate = model.estimate("Pr[<=3](<> P.b) >= Pr[<=1](<> P.b)", seed=1)
    assert (estimate.kind, bool(estimate)) == ("comparison", True)


def test_an_expectation_has_a_mean(model: zn.Model) -> None:
    estimate = model.estimate("E[<=10; 400](max: n)", seed=1)
    assert (estimate.kind, estimate.value, estimate.runs) == ("expectation", 7, 400)
    assert estimate.to_records() == [] or sum(row["count"] for row in estimate.to_records()) == 400


def test_a_simulation_has_trajectories(model: zn.Model) -> None:
    estimate = model.estimate("simulate[<=10; 2]{x, n}", seed=1)
    rows = estimate.to_records()
    assert {row["run"] for row in rows} == {0, 1}
    assert {row["expression"] for row in rows} == {"x", "n"}
    assert max(row["time"] for row in rows) <= 10
    with pytest.raises(zn.UndecidedError):
        bool(estimate)


def test_a_histogram_counts_all_successes(model: zn.Model) -> None:
    estimate = model.estimate("Pr[<=3](<> P.b)", seed=1, histogram=6)
    histogram = estimate.histogram
    assert histogram is not None
    assert len(histogram.counts) == 6
    assert len(histogram.edges) == 7
    assert sum(histogram.counts) == estimate.successes
    assert histogram.least <= histogram.mean <= histogram.greatest <= 3


def test_check_has_the_estimate_as_well(model: zn.Model) -> None:
    result = model.check("Pr[<=1](<> P.b)", seed=3)
    assert result.estimate is not None
    assert result.estimate.to_dict() == model.estimate("Pr[<=1](<> P.b)", seed=3).to_dict()
    assert model.check("E<> P.b").estimate is None


@pytest.mark.parametrize("query", ["E<> P.b", "A[] x >= 0"])
def test_other_queries_have_no_estimate(model: zn.Model, query: str) -> None:
    with pytest.raises(zn.UndecidedError):
        model.estimate(query)


@pytest.mark.parametrize("options", [{"alpha": 2}, {"epsilon": 0}, {"beta": -1}])
def test_wrong_parameters_are_refused(model: zn.Model, options: dict[str, float]) -> None:
    with pytest.raises(zn.ZonautError):
        model.estimate("Pr[<=1](<> P.b)", **options)


def test_unknown_parameters_are_refused(model: zn.Model) -> None:
    with pytest.raises(zn.OptionError):
        model.estimate("Pr[<=1](<> P.b)", gamma=1)


def test_data_frames(model: zn.Model) -> None:
    pytest.importorskip("pandas")
    frame = model.estimate("simulate[<=5; 2]{x}", seed=1).to_dataframe()
    assert list(frame.columns) == ["run", "expression", "time", "value"]
