"""A spec checks itself: whoever makes it gets the same error for the same mistake."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

from engines.core.errors import EngineError
from engines.core.spec import Arg, Flat, describe_fields, read, specification, to_mapping
from engines.egen import Generate, generate
from engines.grading import grade
from engines.mwp import Solve, solve
from tests.conftest import expect_error
from workbench.operations import all_operations


@specification
class Inner:
    depth: Annotated[int, Arg("", low=1)] = 1


@specification
class Outer:
    name: str
    path: Path = Path("here")
    rate: Annotated[float, Arg("", low=0, high=1)] = 0.5
    mode: Literal["fast", "exact"] = "fast"
    files: tuple[Path, ...] = ()
    inner: Inner = Inner()
    limit: int | None = None

    def __post_init__(self) -> None:
        if self.limit == 13:
            raise ValueError("the class's own check")


@dataclass(frozen=True)
class Limits:
    nodes: Annotated[int, Arg("Nodes.", low=1)] = 7
    bytes: int = 9


@dataclass(frozen=True)
class Config:
    seed: Annotated[int, Arg("Seed.", low=0)] = 0
    limits: Annotated[Limits, Flat()] = Limits()
    style: Annotated[str, Arg("Style.")] = "complete"


@specification
class Request:
    text: str
    config: Annotated[Config, Flat()] = Config(seed=3)
    style: Annotated[str | None, Arg("Style.")] = None


def make_request(text: str, **settings: Any) -> Any:
    return Request(text, **settings)


def test_settings_of_a_flat_record_are_those_of_the_spec() -> None:
    made = make_request("a", nodes=8, style="own")
    assert made.config == Config(seed=3, limits=Limits(nodes=8))
    assert (made.nodes, made.seed, made.style) == (8, 3, "own")
    assert to_mapping(made) == {"text": "a", "seed": 3, "nodes": 8, "style": "own"}
    assert read(Request, to_mapping(made)) == made
    assert replace(made, seed=4).config == Config(seed=4, limits=Limits(nodes=8))
    assert [(field.name, field.default) for field in describe_fields(Request)[1:]] == [
        ("seed", 3),
        ("nodes", 7),
        ("style", None),
    ]
    assert make_request("a", config=Config(limits=Limits(bytes=1)), seed=5).config.limits == Limits(bytes=1)


@pytest.mark.parametrize(
    "settings",
    [
        {"nodes": 0},
        {"seed": "1"},
        {"bytes": 1},
        {"limits": Limits()},
        {"config": 3},
        {"config": Config(seed=-1)},
    ],
)
def test_settings_of_a_flat_record_are_checked(settings: dict[str, Any]) -> None:
    with pytest.raises(EngineError) as caught:
        make_request("a", **settings)
    assert caught.value.code == "E424"


def test_values_are_converted_as_a_recipe_converts_them() -> None:
    made = Outer("a", path="x/y", rate=1, files=["b"], inner={"depth": 2}, limit=3)  # type: ignore[arg-type]
    assert made == read(
        Outer, {"name": "a", "path": "x/y", "rate": 1, "files": ["b"], "inner": {"depth": 2}, "limit": 3}
    )
    assert made.path == Path("x/y")
    assert isinstance(made.rate, float)
    assert made.files == (Path("b"),)
    assert made.inner == Inner(2)


@pytest.mark.parametrize(
    "given",
    [
        {"rate": 2},
        {"rate": "0.1"},
        {"rate": None},
        {"mode": "fsat"},
        {"inner": {"dept": 2}},
        {"inner": {"depth": 0}},
        {"files": "b"},
        {"limit": True},
        {"nmae": "b"},
    ],
)
def test_the_constructor_refuses_what_a_recipe_is_refused_for(given: dict[str, object]) -> None:
    with pytest.raises(EngineError) as made:
        Outer(**{"name": "a", **given})  # type: ignore[arg-type]
    assert made.value.code == "E424"
    assert made.value.exit_code == 2
    if given != {"rate": None}:  # a recipe says "not given" so
        with pytest.raises(EngineError) as from_recipe:
            read(Outer, {"name": "a", **given})
        assert (made.value.what, made.value.remedy) == (from_recipe.value.what, from_recipe.value.remedy)


def test_a_missing_value_is_named() -> None:
    with expect_error("E424") as caught:
        Outer()  # type: ignore[call-arg]
    assert caught.value.what.startswith("name ")


def test_the_class_has_its_own_check_too() -> None:
    with pytest.raises(ValueError, match="own check"):
        Outer("a", limit=13)


def test_every_operation_takes_a_spec_that_checks_itself() -> None:
    for row in all_operations().values():
        with pytest.raises(EngineError) as error:
            row.spec_type(no_such_setting=1)
        assert error.value.code == "E424", row.name
        for item in describe_fields(row.spec_type):
            assert item.name.isidentifier()


def test_verbs_refuse_what_their_commands_refuse() -> None:
    with expect_error("E424"):
        generate("sin(2*x)", members=-1)
    with pytest.raises(EngineError) as error:
        Generate("x", mode="strikt")  # type: ignore[arg-type]
    assert "'strict'" in error.value.remedy
    with expect_error("E424"):
        grade("3 km", "3", units="requires")  # type: ignore[arg-type]
    with expect_error("E424"):
        grade("1/3", "0.33", digits="2")  # type: ignore[arg-type]


def test_a_notebook_may_name_a_model() -> None:
    text = "Ann has 3 pens and buys 4 more pens. How many pens does she have?"
    assert solve(Solve("mwp-en", text))["answer"] == 7  # type: ignore[arg-type]
    with pytest.raises(EngineError) as error:
        solve(Solve("mwp-em", text))  # type: ignore[arg-type]
    assert "'mwp-en'" in error.value.remedy
