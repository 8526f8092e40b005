"""Loading of models, and exceptions."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from conftest import COUNTER, MODELS

import zonaut as zn


def test_a_model_knows_its_parts(fischer: zn.Model) -> None:
    assert fischer.templates == ["P"]
    assert len(fischer.processes) == fischer.summary["processes"] >= 2
    assert len(fischer.queries) == len(fischer.comments) >= 3
    assert "P" in repr(fischer)
    assert fischer.name.endswith("fischer.xta")


def test_queries_can_come_from_another_file() -> None:
    hasty = zn.load(MODELS / "fischer" / "fischer-hasty.xta", MODELS / "fischer" / "fischer.q")
    assert hasty.check(1).holds is False


def test_constants_are_replaced(tmp_path: Path) -> None:
    path = tmp_path / "counter.xta"
    path.write_text(COUNTER)
    assert zn.load(path).check("E<> n == 4").holds is False
    model = zn.load(path, N=4)
    assert model.check("E<> n == 4").holds is True
    assert model.constants == {"N": 4}
    assert model.replace(N=5).check("E<> n == 5").holds is True
    assert model.digest != model.replace(N=5).digest


def test_an_unknown_constant_is_an_error_with_a_place() -> None:
    with pytest.raises(zn.ModelError) as caught:
        zn.loads(COUNTER, constants={"M": 1})
    assert caught.value.code.startswith("TA")
    assert "M" in caught.value.message


@pytest.mark.parametrize("value", [1.5, "3", None])
def test_a_constant_is_an_integer(value: object) -> None:
    with pytest.raises(zn.OptionError, match="N"):
        zn.loads(COUNTER, constants={"N": value})  # type: ignore[dict-item]


def test_a_missing_file_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(zn.InputError) as caught:
        zn.load(tmp_path / "missing.xml")
    assert "missing.xml" in str(caught.value)


def test_a_model_error_has_code_place_snippet_and_help() -> None:
    text = "clock x;\nprocess P() { state a; init a; trans a -> a { guard y < 3; }; }\nsystem P;"
    with pytest.raises(zn.ModelError) as caught:
        zn.loads(text, name="wrong.xta")
    error = caught.value
    assert (error.file, error.line) == ("wrong.xta", 2)
    assert error.column == text.splitlines()[1].index("y < 3") + 1
    assert error.code.startswith("TA")
    assert "y" in error.message
    assert "guard y < 3" in error.snippet and "^" in error.snippet
    assert error.snippet in str(error)


def test_all_errors_of_a_model_are_listed() -> None:
    with pytest.raises(zn.ModelError) as caught:
        zn.loads("int a = b; int c = d; process P() { state s; init s; } system P;")
    assert len(caught.value.diagnostics) == 2


def test_a_wrong_formula_is_a_query_error(counter: zn.Model) -> None:
    with pytest.raises(zn.QueryError) as caught:
        counter.check("E<> m == 3")
    assert "m" in caught.value.message
    assert caught.value.line == 1
    with pytest.raises(zn.QueryError):
        counter.check("E<> (n ==")


def test_a_wrong_query_of_a_model_does_not_prevent_loading() -> None:
    model = zn.loads("process P() { state a; init a; } system P; query { E<> P.z\nE<> P.a\n }")
    assert len(model.queries) == 2
    assert any(found.severity == "error" for found in model.diagnostics)
    assert model.check(1).holds is True
    with pytest.raises(zn.QueryError):
        model.check(0)


def test_warnings_are_listed() -> None:
    model = zn.loads("process P() { state a; init a; trans a -> a { guard false; }; } system P;")
    assert all(found.severity == "warning" for found in model.diagnostics)


def test_models_are_pickled_with_constants_and_queries() -> None:
    model = zn.loads(COUNTER, ["E<> n == 4"], constants={"N": 4})
    again = pickle.loads(pickle.dumps(model))
    assert (again.text, again.queries, again.constants) == (
        model.text,
        model.queries,
        model.constants,
    )
    assert again.digest == model.digest
    assert again.check(0).holds is True


def test_other_constants_keep_the_queries_of_the_text() -> None:
    text = (
        "<nta><declaration>const int N = 2;</declaration><template><name>P</name>"
        '<location id="a"><name>a</name></location><init ref="a"/></template>'
        "<system>system P;</system><queries><query><formula>E&lt;&gt; P.a</formula>"
        "<comment>one</comment></query>"
        "<query><formula>E&lt;&gt; P.b</formula><comment>two</comment></query></queries></nta>"
    )
    model = zn.loads(text)
    assert len(model.diagnostics) == 1, "a damaged query"
    for again in (model.replace(N=3), pickle.loads(pickle.dumps(model))):
        assert again.comments == model.comments == ["one", "two"]
        assert again.check(0).holds is True
    assert model.with_queries().replace(N=3).queries == []


def test_damaged_queries_of_a_file_are_errors_when_they_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "counter.q"
    path.write_text("E<> P.c\nE<> P.b\n")
    (tmp_path / "counter.xta").write_text(COUNTER)
    model = zn.load(tmp_path / "counter.xta")
    for again in (model, model.replace(N=2), pickle.loads(pickle.dumps(model))):
        assert again.check(1).holds is True
        with pytest.raises(zn.QueryError):
            again.check(0)


def test_exceptions_can_be_pickled(counter: zn.Model) -> None:
    with pytest.raises(zn.QueryError) as caught:
        counter.check("E<> m")
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.code == caught.value.code


@pytest.mark.parametrize("name", ["fischer/fischer.xta", "job-shop/job-shop.xta", "lift/lift.xta"])
def test_conversion_keeps_the_meaning(name: str) -> None:
    path = MODELS / name
    model = zn.load(path)
    for text in (model.to_xta(), model.to_xml()):
        again = zn.loads(text, model.queries)
        assert again.digest == model.digest


def test_pictures_are_svg(fischer: zn.Model) -> None:
    assert fischer.svg().lstrip().startswith("<svg") or "<svg" in fischer.svg()[:200]
    assert "<svg" in fischer.svg("P")
    assert fischer._repr_svg_() == fischer.svg()
    assert fischer.to_dot().startswith("digraph")
    with pytest.raises(zn.OptionError, match="Q"):
        fischer.svg("Q")


def test_names_are_escaped_in_pictures() -> None:
    model = zn.loads("process P() { state a, b; init a; trans a -> b { guard 1 < 2 && 3 > 2; }; } system P;")
    assert "1 < 2" not in model.svg()


def test_a_model_is_not_constructed_directly() -> None:
    with pytest.raises(TypeError):
        zn.Model()
