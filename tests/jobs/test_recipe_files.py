"""Recipes: what is written is what is read, and what is wrong is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import expect_error
from workbench.jobs.folder import recipe_diff
from workbench.recipes import Recipe

values = st.recursive(
    st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


tables = st.dictionaries(st.text(), values, max_size=4)


@given(task=st.text(), title=st.text(), params=tables, seed=st.integers())
def test_a_recipe_survives_the_file(
    tmp_path_factory: pytest.TempPathFactory, task: str, title: str, params: dict[str, Any], seed: int
) -> None:
    path = tmp_path_factory.mktemp("recipe") / "recipe.toml"
    spec = Recipe(task, title, params, seed)
    spec.write(path)
    assert Recipe.read(path) == spec
    assert Recipe.read(path).sha256() == spec.sha256()
    assert recipe_diff(spec, Recipe.read(path)) == []


def test_none_means_not_given() -> None:
    nothing = Recipe("t", "x", {"a": None, "b": {"c": None}})
    assert nothing.sha256() == Recipe("t", "y", {"b": {}}).sha256()
    assert nothing.to_toml() == Recipe("t", "x", {"b": {}}).to_toml()


@pytest.mark.parametrize("value", [[1, None], object(), {"depth": {1, 2}}])
def test_what_a_recipe_cannot_hold_is_refused(tmp_path: Path, value: object) -> None:
    with expect_error("E610") as caught:
        Recipe("t", "x", {"depth": value}).write(tmp_path / "recipe.toml")
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    "text",
    [
        "task = ",
        "title = 'x'",
        "task = 'a'\nsede = 3",
        "task = 'a'\nseed = 'many'",
        "task = 'a'\nparams = 3",
        "\xff",
    ],
)
def test_a_wrong_recipe_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "recipe.toml"
    path.write_bytes(text.encode("latin-1"))
    with expect_error("E610") as caught:
        Recipe.read(path)
    assert (caught.value.code, caught.value.where) == ("E610", str(path))


def test_a_missing_recipe_is_refused(tmp_path: Path) -> None:
    with expect_error("E312"):
        Recipe.read(tmp_path / "recipe.toml")
