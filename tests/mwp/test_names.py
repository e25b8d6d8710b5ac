"""Names of sets of problems: the workspace's, registered ones, and those that ship."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.core.errors import EngineError
from engines.core.system import asset
from workbench.papers.mwp.data import check_problems, problems_path
from workbench.workspace import Workspace, ensure_sample


def test_a_sample_is_there_before_the_workspace_has_it_and_after(tmp_path: Path) -> None:
    assert problems_path("sample-en") == asset("sample/problems/sample-en/problems.jsonl")
    workspace = Workspace.open()
    ensure_sample(workspace)
    assert problems_path("sample-en") == workspace.make_folder("problems") / "sample-en" / "problems.jsonl"


def test_registered_problems_go_by_their_name_and_bad_rows_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("text,equation,answer\n3 pens and 4. How many?,3+4,8\nbroken\n")
    reported: list[str] = []
    counts = check_problems(path, lambda error: reported.append(error.where))
    assert (counts["records"], counts["usable"], counts["skipped"], counts["disagreements"]) == (1, 1, 1, 1)
    assert sorted(reported) == [f"{path}:2", f"{path}:3"]
    Workspace.open().data.add_entry("problems", path, name="mine")
    assert problems_path("mine") == path


def test_a_name_that_stands_for_nothing_is_refused() -> None:
    with pytest.raises(EngineError) as refused:
        problems_path("sample-fr")
    assert refused.value.code == "E354"
