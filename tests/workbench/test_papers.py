"""A paper is registered by one name; a dummy proves that everything else follows from it."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import engines
import screens
import workbench.papers
from engines.core import assets
from engines.core.events import ignore, never
from workbench import config, operation, paper
from workbench import data as data_kinds
from workbench.cli import command as lazy
from workbench.config import load_config, set_value
from workbench.doctor import examine
from workbench.jobs.worker import perform
from workbench.papers import PAPERS
from workbench.recipes import recipes
from workbench.tour import Guide
from workbench.training import data_path
from workbench.workspace import Workspace, ensure_sample

ROOT = Path(__file__).resolve().parents[2]
DUMMY = ROOT / "tests" / "dummy_paper"
_TABLES = (
    paper.papers,
    paper.trainers,
    paper.references,
    paper.data_keys,
    operation.operations,
    data_kinds.kinds,
    config.schema,
)


def _forget() -> None:
    for table in _TABLES:
        table.cache_clear()


@pytest.fixture
def dummy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Workspace]:
    """A workbench with one paper more: its folders are found, and its name stands in PAPERS."""
    for package, folder in ((engines, "engines"), (workbench.papers, "papers"), (screens, "screens")):
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(DUMMY / folder)])
    overlay = tmp_path / "assets"
    for source in (*(ROOT / "assets").glob("*/*"), *(DUMMY / "assets").glob("*/*")):
        target = overlay / source.parent.name / source.name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(source)
    monkeypatch.setattr(assets, "_roots", lambda: (overlay,))
    monkeypatch.setattr(workbench.papers, "PAPERS", (*PAPERS, "dummy"))
    _forget()
    workspace = Workspace.open()
    ensure_sample(workspace)
    yield workspace
    _forget()


def test_its_operation_is_a_command_with_help_ranges_and_choices(
    dummy: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    app = lazy.paper_group(paper.papers()[-1])
    assert app(["count", "sample-d", "--json"], standalone_mode=False) is None
    assert json.loads(capsys.readouterr().out) == {"words": 7, "complete": True}
    app(["count", "--help"], standalone_mode=False)
    assert "--least" in (shown := capsys.readouterr().out)
    assert "Count words of so many letters and more." in shown
    assert "--detach" in shown


def test_its_setting_is_a_default_of_its_command(
    dummy: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    set_value("dummy.least", "5")
    assert load_config().get("dummy.least") == 5
    app = lazy.paper_group(paper.papers()[-1])
    app(["count", "sample-d"], standalone_mode=False)
    assert capsys.readouterr().out == "4 words\n"


def test_its_recipe_is_a_job(dummy: Workspace, tmp_path: Path) -> None:
    (recipe,) = (one for one in recipes() if one.name == "dummy/count")
    assert perform(recipe, tmp_path, events=ignore, stop=never) == ({"words": 5, "complete": True}, False)
    assert perform(recipe, tmp_path, events=ignore, stop=lambda: True)[1]


def test_its_data_its_sample_and_its_doctor_are_known(dummy: Workspace) -> None:
    text = dummy.root / "dummies" / "sample-d" / "text.txt"
    assert ("dummy-text", text) in dummy.held()
    assert dummy.data.add("dummy-text", text, name="mine").data.counts == {"records": 7}
    assert data_path(dummy, "dummy-text", "sample-d") == text
    found = {finding.name: finding.what for finding in examine()}
    assert found["dummy"] == "words can be counted"
    assert "1 texts" in found["workspace"]
    assert "dummy.model" in paper.trainers()


def test_the_tour_stops_there(dummy: Workspace) -> None:
    lines: list[str] = []
    guide = Guide(lines.append, lines.append)
    operation.load(paper.papers()[-1].tour)(guide, dummy)
    assert lines[1] == "   7 words"
    assert guide.stops[0]["result"] == {"words": 7, "complete": True}


def test_the_import_contract_knows_every_paper() -> None:
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    layers = next(one for one in tool["contracts"] if one["name"].startswith("papers"))["layers"]
    assert layers[0].split(" | ") == [f"engines.{name}" for name in PAPERS]
    inside = {path.name for path in (ROOT / "engines").iterdir() if (path / "__init__.py").exists()}
    assert inside == {name.strip().removeprefix("engines.") for row in layers for name in row.split("|")}
