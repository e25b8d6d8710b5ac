"""Notes and bookmarks survive, whoever else writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engines.core.errors import EngineError
from workbench.notes import Notes
from workbench.workspace import Workspace

ADDRESS = "corpus/sample-e/cluster/412/member/37"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.open(tmp_path / "w")


def test_notes_and_bookmarks_are_there_after_a_restart(workspace: Workspace) -> None:
    workspace.notes.set_note(ADDRESS, "  loses x < 0\nlook again ")
    assert workspace.notes.toggle_bookmark(ADDRESS)
    kept = Notes(workspace.root, workspace.trash).get(ADDRESS)
    assert kept is not None
    assert (kept.note, kept.bookmark) == ("loses x < 0\nlook again", True)
    assert kept.changed.endswith("+00:00")


def test_what_is_empty_goes_away(workspace: Workspace) -> None:
    notes = workspace.notes
    notes.set_note(ADDRESS, "a")
    notes.set_note(ADDRESS, "")
    assert notes.toggle_bookmark("job/1")
    assert not notes.toggle_bookmark("job/1")
    assert Notes(workspace.root, workspace.trash).all_records() == ()


def test_a_removed_note_can_be_brought_back_and_replaces_no_other(workspace: Workspace) -> None:
    notes, trash = workspace.notes, workspace.trash
    notes.set_note(ADDRESS, "look again", "member 37")
    notes.toggle_bookmark("job/1")
    notes.set_note(ADDRESS, "")
    assert Notes(workspace.root, workspace.trash).get(ADDRESS) is None
    (item,) = Workspace.open(workspace.root).trash.list_items()
    assert (item.address, item.title) == (f"note/{ADDRESS}", "look again")
    notes.set_note(ADDRESS, "something else")
    with pytest.raises(EngineError) as caught:
        trash.restore_item(workspace, item)
    assert caught.value.code == "E466"
    assert [note.note for note in Notes(workspace.root, workspace.trash).all_records()] == [
        "something else",
        "",
    ]
    notes.toggle_bookmark(ADDRESS)
    notes.set_note(ADDRESS, "")
    trash.restore_item(workspace, item)
    kept = Notes(workspace.root, workspace.trash).get(ADDRESS)
    assert kept is not None
    assert (kept.note, kept.title, kept.bookmark) == ("look again", "member 37", True)
    assert [each.title for each in trash.list_items()] == ["something else"]


def test_two_programs_lose_nothing(workspace: Workspace) -> None:
    first, second = Notes(workspace.root, workspace.trash), Notes(workspace.root, workspace.trash)
    first.set_note("a", "from the first")
    second.set_note("b", "from the second")
    first.toggle_bookmark("c")
    assert [note.address for note in Notes(workspace.root, workspace.trash).all_records()] == ["a", "b", "c"]


def test_a_line_that_cannot_be_read_is_reported_and_kept(workspace: Workspace) -> None:
    path = workspace.root / "notes.jsonl"
    path.write_text('{"address": "a", "note": "good"}\n{"address": \n[]\n')
    notes = Notes(workspace.root, workspace.trash)
    assert [problem.line for problem in notes.problems] == [2, 3]
    notes.set_note("b", "new")
    assert '{"address": \n' in path.read_text()
    assert [note.address for note in Notes(workspace.root, workspace.trash).all_records()] == ["a", "b"]


def test_a_line_that_is_no_text_is_kept_byte_by_byte(workspace: Workspace) -> None:
    path = workspace.root / "notes.jsonl"
    path.write_bytes(b'{"address": "caf\xe9"}\n\xff\xfe\n{"address": "a", "note": "good"}\n')
    notes = Notes(workspace.root, workspace.trash)
    assert [problem.line for problem in notes.problems] == [1, 2]
    notes.set_note("b", "new")
    assert path.read_bytes().startswith(b'{"address": "caf\xe9"}\n\xff\xfe\n')
    assert [note.address for note in Notes(workspace.root, workspace.trash).all_records()] == ["a", "b"]


def test_export_says_where_it_came_from(workspace: Workspace, tmp_path: Path) -> None:
    workspace.notes.set_note(ADDRESS, "x")
    target = workspace.notes.export_notes(tmp_path / "notes.jsonl")
    assert json.loads(target.read_text())["address"] == ADDRESS
    sidecar = json.loads((tmp_path / "notes.jsonl.meta.json").read_text())
    assert sidecar["what"] == "notes"


def test_the_newest_note_of_a_second_is_known(workspace: Workspace) -> None:
    for address in ("b", "c", "a"):
        workspace.notes.toggle_bookmark(address)
    changed = {note.address: note.changed for note in workspace.notes.all_records()}
    assert sorted(changed, key=changed.__getitem__) == ["b", "c", "a"]
