"""Simulators."""

from __future__ import annotations

import pickle

import pytest

import zonaut as zn


def test_a_simulator_starts_in_the_initial_state(lamp: zn.Model) -> None:
    simulator = lamp.simulator()
    assert simulator.state.locations == ("Lamp.off",)
    assert simulator.position == 0
    assert simulator.zone.includes(zn.Zone.origin(simulator.zone.clocks))


def test_transitions_are_fired_and_undone(lamp: zn.Model) -> None:
    simulator = lamp.simulator()
    (only,) = simulator.enabled
    assert str(only) == "Lamp: off -> on" and only.why is None
    simulator.fire(0)
    assert simulator.state.locations == ("Lamp.on",)
    assert simulator.zone.bound("x") == (5, False)
    simulator.undo()
    assert simulator.state.locations == ("Lamp.off",)
    simulator.fire(0)
    simulator.fire(0)
    simulator.reset()
    assert simulator.position == 0
    with pytest.raises(zn.OptionError):
        simulator.undo()


@pytest.mark.parametrize("choice", [-1, 1, 100])
def test_only_enabled_transitions_can_be_fired(lamp: zn.Model, choice: int) -> None:
    with pytest.raises(zn.OptionError):
        lamp.simulator().fire(choice)


def test_disabled_transitions_have_reasons(counter: zn.Model) -> None:
    disabled = counter.simulator().disabled
    assert [str(one) for one in disabled] == ["P: a -> b"]
    assert disabled[0].why


def test_a_failing_transition_cannot_be_fired() -> None:
    model = zn.loads(
        "int[0, 0] n; process P() { state a; init a; trans a -> a { assign n = 1; }; } system P;"
    )
    simulator = model.simulator()
    assert simulator.enabled[0].why
    with pytest.raises(zn.OptionError):
        simulator.fire(0)
    assert simulator.walk(5) == 0


def test_the_path_is_a_trace(fischer: zn.Model) -> None:
    simulator = fischer.simulator()
    taken = simulator.walk(12, seed=3)
    trace = simulator.trace
    assert len(trace) == taken == simulator.position
    assert trace.states[-1].locations == simulator.state.locations
    assert trace.states[-1].variables == simulator.state.variables
    assert "<svg" in simulator._repr_svg_()


def test_walks_depend_on_their_seed_only(fischer: zn.Model) -> None:
    def end(seed: int) -> str:
        simulator = fischer.simulator()
        simulator.walk(20, seed)
        return simulator.trace.to_json()

    assert end(1) == end(1)
    assert len({end(seed) for seed in range(6)}) > 1


def test_simulators_can_be_pickled(fischer: zn.Model) -> None:
    simulator = fischer.simulator()
    simulator.walk(7, seed=5)
    simulator.undo()
    again = pickle.loads(pickle.dumps(simulator))
    assert again.position == simulator.position == 6
    assert again.state == simulator.state and again.zone == simulator.zone
    assert repr(again) == repr(simulator)


def test_a_path_is_cut_where_another_transition_is_fired(fischer: zn.Model) -> None:
    simulator = fischer.simulator()
    simulator.walk(5)
    simulator.undo()
    simulator.undo()
    simulator.fire(0)
    again = pickle.loads(pickle.dumps(simulator))
    assert again.state == simulator.state
    assert again.position == 4


def test_a_model_without_initial_state_is_not_simulated() -> None:
    with pytest.raises(zn.ModelError, match="cannot start"):
        zn.loads("clock x; process P() { state a { x < 0 }; init a; } system P;")
