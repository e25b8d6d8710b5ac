"""The recipes that ship can be read, name tasks that exist, and take settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.core.errors import EngineError
from workbench.recipes import load, recipes, with_settings
from workbench.tasks import TASKS


def test_every_recipe_that_ships_is_complete() -> None:
    found = recipes()
    assert "egen/templates" in {recipe.name for recipe in found}
    for recipe in found:
        assert recipe.task in TASKS
        assert recipe.title
        assert recipe.minutes > 0
        assert load(recipe.name) == recipe


def test_settings_keep_their_types() -> None:
    recipe = with_settings(load("egen/templates"), ["members=7", "templates=poly"])
    assert recipe.params == {"templates": "poly", "members": 7}
    assert load("egen/templates").params["members"] == 120


@pytest.mark.parametrize("setting", ["memers=7", "members"])
def test_a_setting_that_sets_nothing_is_refused(setting: str) -> None:
    with pytest.raises(EngineError) as caught:
        with_settings(load("egen/templates"), [setting])
    assert caught.value.exit_code == 2
    assert "members" in caught.value.remedy


@pytest.mark.parametrize(
    "text",
    [
        "",
        "task =",
        'task = "no.such"',
        'task = "egen.corpus"\nsede = 1',
        'task = "train"\nparams = 3',
        'task = "train"\nseed = "x"',
        'task = "train"\nminutes = true',
        'task = "train"\n[params]\ndata = "corpus"',
    ],
)
def test_a_file_that_is_no_recipe_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(text)
    with pytest.raises(EngineError) as caught:
        load(str(path))
    assert caught.value.where == str(path)
    assert caught.value.remedy


def test_a_setting_of_the_model_need_not_be_in_the_recipe() -> None:
    recipe = with_settings(load("egen/cl-mean-tiny"), ["model.tau=0.2", "model.d_model=32"])
    assert (recipe.params["model"]["tau"], recipe.params["model"]["d_model"]) == (0.2, 32)
    with pytest.raises(EngineError) as caught:
        with_settings(recipe, ["taw=0.2"])
    assert "tau" in caught.value.remedy


def test_an_unknown_recipe_is_missing() -> None:
    with pytest.raises(EngineError) as caught:
        load("egen/template")
    assert caught.value.exit_code == 3
    assert "egen/templates" in caught.value.remedy
