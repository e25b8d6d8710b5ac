"""The recipes that ship can be read, name tasks that exist, and take settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.core.errors import EngineError
from engines.training import TrainConfig
from tests.conftest import expect_error
from workbench.errors import UsageError
from workbench.operations import all_operations
from workbench.recipes import list_recipes, load_recipe, with_settings


def test_every_recipe_that_ships_is_complete() -> None:
    found = list_recipes()
    assert "egen/templates" in {recipe.name for recipe in found}
    for recipe in found:
        assert recipe.task in all_operations()
        assert recipe.title
        assert recipe.minutes > 0
        assert load_recipe(recipe.name) == recipe


def test_settings_keep_their_types() -> None:
    recipe = with_settings(load_recipe("egen/templates"), ["members=7", "templates=poly"])
    assert recipe.params == {"templates": "poly", "members": 7}
    assert load_recipe("egen/templates").params["members"] == 120


@pytest.mark.parametrize("setting", ["memers=7", "members"])
def test_a_setting_that_sets_nothing_is_refused(setting: str) -> None:
    with pytest.raises(EngineError) as caught:
        with_settings(load_recipe("egen/templates"), [setting])
    assert caught.value.exit_code == 2
    assert "members" in caught.value.remedy
    assert "Did you mean" not in caught.value.remedy or setting.startswith("memers")


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
        load_recipe(str(path))
    assert caught.value.where == str(path)
    assert caught.value.remedy


def test_a_setting_of_the_model_need_not_be_in_the_recipe() -> None:
    recipe = with_settings(load_recipe("egen/cl-mean-tiny"), ["model.tau=0.2", "model.d_model=32"])
    assert (recipe.params["model"]["tau"], recipe.params["model"]["d_model"]) == (0.2, 32)
    with pytest.raises(EngineError) as caught:
        with_settings(recipe, ["taw=0.2"])
    assert "tau" in caught.value.remedy


def test_an_unknown_recipe_is_missing() -> None:
    with pytest.raises(EngineError) as caught:
        load_recipe("egen/template")
    assert caught.value.exit_code == 3
    assert "egen/templates" in caught.value.remedy


def test_a_recipe_that_extends_another_says_only_what_differs(tmp_path: Path) -> None:
    base = load_recipe("egen/cl-mean-tiny")
    (tmp_path / "mine.toml").write_text(
        'extends = "egen/cl-mean-tiny"\ntitle = "mine"\n[params.train]\nlr = 0.5\n[params.model]\ntau = 0.2\n'
    )
    (tmp_path / "next.toml").write_text('extends = "mine.toml"\nseed = 3\n[params.train]\nsteps = 7\n')
    found = load_recipe(str(tmp_path / "next.toml"))
    assert (found.task, found.title, found.seed, found.quickest) == ("train", "mine", 3, False)
    assert found.params["train"] == {**base.params["train"], "lr": 0.5, "steps": 7}
    assert found.params["model"] == {**base.params["model"], "tau": 0.2}
    assert found.params["data"] == base.params["data"]
    # What is recorded is the whole of it.
    whole = tmp_path / "whole.toml"
    whole.write_text(found.to_toml())
    assert load_recipe(str(whole)).sha256() == found.sha256()


def test_recipes_that_extend_each_other_are_refused(tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text('extends = "two.toml"\n')
    (tmp_path / "two.toml").write_text('extends = "one.toml"\n')
    with expect_error("E610") as caught:
        load_recipe(str(tmp_path / "one.toml"))
    (tmp_path / "three.toml").write_text('extends = "egen/no-such"\n')
    with pytest.raises(EngineError) as caught:
        load_recipe(str(tmp_path / "three.toml"))
    assert caught.value.code == "E310" or "no-such" in caught.value.where


def test_the_name_that_other_libraries_use_leads_to_ours() -> None:
    with pytest.raises(EngineError) as caught:
        with_settings(load_recipe("egen/cl-mean-tiny"), ["learning_rate=1e-3"])
    assert "'lr'" in caught.value.remedy
    with pytest.raises(EngineError) as caught:
        TrainConfig.from_table({"steps": 1, "learning_rate": 1e-3})
    assert "'lr'" in caught.value.remedy


def test_a_recipe_of_an_earlier_version_that_names_a_removed_trainer_is_told_what_to_use() -> None:
    from workbench.train import load_trainer

    with pytest.raises(UsageError) as caught:
        load_trainer("arqmath.coco-mae")
    assert caught.value.code == "E411"
    assert "arqmath.pretrain" in str(caught.value.remedy)
