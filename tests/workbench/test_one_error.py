"""A wrong setting is one error: in Python, on the command line, in recipes and forms, for language models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engines.core.errors import EngineError
from engines.egen import Generate
from screens.egraphs.growth_text import parse_growth
from screens.jobs.form_fields import OperationFields
from tests.conftest import mathwb
from workbench.jobs.worker import resolve_recipe
from workbench.mcp import read_arguments
from workbench.operations import find_operation
from workbench.recipes import Recipe, list_recipes
from workbench.workspace import Workspace

WRONG: list[tuple[str, Any]] = [("mode", "strikt"), ("members", 0), ("seed", -1), ("max_tokens", 1_000)]


def said(error: EngineError) -> tuple[str, str, str]:
    return error.code, error.what, error.remedy


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("MATHWB_HOME", str(tmp_path))
    return Workspace.open()


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_wrong_setting_is_the_same_error_everywhere(
    name: str, value: Any, workspace: Workspace, tmp_path: Path
) -> None:
    with pytest.raises(EngineError) as made:
        Generate("x", **{name: value})
    expected = said(made.value)
    assert expected[0] == "E424"

    row = find_operation("egen.generate")
    with pytest.raises(EngineError) as asked:
        row.resolve_spec(read_arguments(row, {"expr": "x", name: value}, tmp_path))
    assert said(asked.value) == expected

    recipe = next(one for one in list_recipes() if one.task == "egen.corpus")
    changed = Recipe(recipe.task, recipe.title, {**recipe.params, name: value}, recipe.seed)
    with pytest.raises(EngineError) as refused:
        resolve_recipe(changed, tmp_path / "out")
    assert said(refused.value) == expected

    form = OperationFields(recipe, workspace)
    values = {field.name: field.text for field in form.fields} | {f"corpus.{name}": str(value)}
    assert said(form.find_problems(values)[f"corpus.{name}"]) == expected

    option = f"--{name.replace('_', '-')}"
    typed = mathwb("egen", "generate", "x", option, str(value), "--json")
    error = json.loads(typed.stdout)["error"]
    code, what, remedy = expected
    assert (error["code"], error["what"], error["remedy"]) == (code, what.replace(name, option, 1), remedy)

    assert parse_growth(f"x {name} {value}") == ("", {}, f"{what}. {remedy}".strip())


def test_an_unknown_setting_names_the_nearest(tmp_path: Path) -> None:
    row = find_operation("egen.generate")
    expected = ("E424", "unknown setting sede", "Did you mean 'seed'?")
    with pytest.raises(EngineError) as made:
        Generate("x", sede=1)
    with pytest.raises(EngineError) as resolved:
        row.resolve_spec({"expr": "x", "sede": 1})
    with pytest.raises(EngineError) as asked:
        read_arguments(row, {"expr": "x", "sede": 1}, tmp_path)
    assert said(made.value) == said(resolved.value) == said(asked.value) == expected
