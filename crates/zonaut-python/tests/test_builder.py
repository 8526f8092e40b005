"""The model builder."""

from __future__ import annotations

import pytest

import zonaut as zn


def _train(b: zn.ModelBuilder) -> None:
    t = b.template("Train", "const int[1, N] id", "clock x;")
    t.location("safe", initial=True).location("near", "x <= 20").location("inside", "x <= 5")
    t.location("gone", urgent=True).location("back", committed=True)
    t.edge("safe", "near", sync="appr[id]!", update="x = 0")
    t.edge("near", "inside", guard="x >= 10", update="x = 0, n = n + 1")
    t.edge("inside", "gone", select="k : int[0, 1]", guard="x >= 3 && n > 0", update="n = n - 1")
    t.edge("gone", "back").edge("back", "safe")


TEXT = """
const int N = 2;
chan appr[N + 1];
int[0, 5] n;
process Train(const int[1, N] id) {
    clock x;
    state safe, near { x <= 20 }, inside { x <= 5 }, gone, back;
    commit back;
    urgent gone;
    init safe;
    trans
        safe -> near { sync appr[id]!; assign x = 0; },
        near -> inside { guard x >= 10; assign x = 0, n = n + 1; },
        inside -> gone { select k : int[0, 1]; guard x >= 3 && n > 0; assign n = n - 1; },
        gone -> back { },
        back -> safe { };
}
process Gate() { state free; init free; trans free -> free { select i : int[1, N]; sync appr[i]?; }; }
system Train, Gate;
"""


def _built() -> zn.ModelBuilder:
    b = zn.ModelBuilder("const int N = 2;\nchan appr[N + 1];")
    b.declare("int[0, 5] n;")
    _train(b)
    b.template("Gate").location("free").edge("free", "free", select="i : int[1, N]", sync="appr[i]?")
    return b.system("Train, Gate").query("A[] n <= N", "E<> n == 2")


def test_a_built_model_is_the_model_of_the_text() -> None:
    text = zn.loads(TEXT, ["A[] n <= N", "E<> n == 2"])
    built = _built().model()
    assert built.digest == text.digest
    assert built.queries == text.queries
    assert [r.holds for r in built.check()] == [r.holds for r in text.check()] == [True, True]
    assert built.replace(N=3).digest == _built().model(N=3).digest != built.digest


def test_the_text_of_a_built_model_can_be_read() -> None:
    assert zn.loads(_built().to_xta()).digest == _built().model().digest
    assert repr(_built()) == "<ModelBuilder of Train, Gate>"


def test_without_a_system_line_all_templates_are_processes() -> None:
    b = zn.ModelBuilder()
    b.template("A").location("a")
    b.template("B").location("b")
    assert b.model().processes == ["A", "B"]


def test_instances_are_declared_before_the_system_line() -> None:
    b = zn.ModelBuilder("int n;")
    b.template("A", "int[0, 9] k").location("a").edge("a", "a", guard="n != k", update="n = k")
    b.system("A1, A2;", "A1 = A(1); A2 = A(2);")
    assert b.model().processes == ["A1", "A2"]
    assert b.model().check("E<> n == 2").holds is True


def test_errors_have_places_in_the_built_text() -> None:
    b = zn.ModelBuilder()
    b.template("A").location("a").edge("a", "a", guard="y > 2")
    with pytest.raises(zn.ModelError) as caught:
        b.model()
    assert caught.value.file == "builder.xta" and "y > 2" in caught.value.snippet


@pytest.mark.parametrize("name", ["", "1a", "a b", "a;", "ä", "a }"])
def test_names_are_identifiers(name: str) -> None:
    with pytest.raises(zn.OptionError):
        zn.ModelBuilder().template(name)
    with pytest.raises(zn.OptionError):
        zn.ModelBuilder().template("A").location(name)


def test_wrong_structures_are_refused() -> None:
    b = zn.ModelBuilder()
    t = b.template("A")
    with pytest.raises(zn.OptionError, match="no location"):
        b.to_xta()
    t.location("a")
    with pytest.raises(zn.OptionError, match="two locations"):
        t.location("a")
    with pytest.raises(zn.OptionError, match="urgent and committed"):
        t.location("b", urgent=True, committed=True)
    with pytest.raises(zn.OptionError, match="two templates"):
        b.template("A")
    t.edge("a", "c")
    with pytest.raises(zn.OptionError, match="`c`"):
        b.model()
