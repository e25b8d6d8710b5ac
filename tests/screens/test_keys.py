"""One keymap: what it promises about all screens at once."""

from __future__ import annotations

from pathlib import Path

import pytest

import screens.shell.keymap as keys
from engines.core.errors import EngineError
from screens.app import Workbench
from screens.keys import list_free_letters, list_scopes, write_reference
from screens.registry import SCREENS
from screens.shell.screen import WorkbenchScreen
from screens.widgets.listing import Listing
from screens.widgets.reader import TextReader
from screens.widgets.table import Table


def all_keys() -> list[keys.VerbKey]:
    return [key for _, group in list_scopes() for key in group]


def test_the_document_is_current() -> None:
    path = Path(__file__).parents[2] / "docs" / "keys.md"
    assert path.read_text("utf-8") == write_reference(), "run: make pages"


def test_a_key_means_one_verb_everywhere() -> None:
    seen: dict[str, str] = {}
    for verb, what in keys.VERBS.items():
        for key in what.keys:
            assert key not in seen, f"{key} is {seen[key]} and {verb}"
            seen[key] = verb


def test_keys_that_terminals_keep_for_themselves_are_not_used() -> None:
    kept = {f"ctrl+{letter}" for letter in "imjhsab"} | {"ctrl+left_square_bracket"}
    assert not kept & {key for verb in keys.VERBS.values() for key in verb.keys}


def test_every_ctrl_chord_has_a_plain_twin() -> None:
    """But for the one that a shell teaches, which works while something is written too."""
    for verb in [verb for verb in keys.VERBS.values() if verb.keys != ("ctrl+z",)]:
        assert not verb.keys[0].startswith("ctrl+") or any("+" not in key for key in verb.keys)


def test_ids_are_unique_and_sentences_end() -> None:
    ids = [key.id for key in all_keys()]
    assert len(set(ids)) == len(ids)
    assert all(key.sentence.endswith(".") for key in all_keys())


def test_every_key_is_done_by_somebody() -> None:
    doers: dict[str, tuple[type, ...]] = {
        "app": (Workbench,),
        "view": (WorkbenchScreen,),
        "list": (Table, Listing),
        "text": (TextReader, Listing),
    }
    doers |= {entry.name: (entry.load_screen(),) for entry in SCREENS}
    for key in all_keys():
        room = doers.get(key.id.partition(".")[0])
        if room is not None:
            assert any(hasattr(doer, f"action_{key.action.partition('(')[0]}") for doer in room), key.id


def test_a_scope_brings_a_verb_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    free, other = list_free_letters()[:2]
    monkeypatch.setattr(keys, "VERBS", dict(keys.VERBS))
    (key,) = keys.scope("jobs", hop=(keys.Verb((free,), "hop"), "Hop."))
    assert (key.id, key.keys, key.label, key.action) == ("jobs.hop", (free,), "hop", "hop")
    assert keys.remap_keys({"hop": "W"}, [key], refuse) == {"jobs.hop": "W"}
    for verb, used in (("spin", free), ("spin", "x"), ("hop", other)):
        with pytest.raises(LookupError, match=rf"jobs.{verb}: the verb (hop|stop) has the keys"):
            keys.scope("jobs", **{verb: (keys.Verb((used,), verb), "Do it.")})


def refuse(error: EngineError) -> None:
    raise error


def test_remaps_go_by_id_and_by_verb() -> None:
    known = keys.scope("jobs", stop="Stop.", kill="Kill.") + keys.scope("egraphs", stop="Stop.")
    assert keys.remap_keys({"jobs.stop": "z"}, known, refuse) == {"jobs.stop": "z"}
    assert keys.remap_keys({"stop": "z"}, known, refuse) == {"jobs.stop": "z", "egraphs.stop": "z"}
    assert keys.remap_keys({"jobs.stop": "Z", "stop": "z"}, known, refuse) == {
        "jobs.stop": "Z",
        "egraphs.stop": "z",
    }


def test_a_remap_of_something_unknown_names_the_nearest_and_spoils_no_other() -> None:
    problems: list[EngineError] = []
    known = keys.scope("jobs", stop="Stop.", kill="Kill.")
    remapped = keys.remap_keys({"jobs.stp": "z", "kill": "Z", "jobs": "j"}, known, problems.append)
    assert remapped == {"jobs.kill": "Z"}
    assert [problem.code for problem in problems] == ["E423", "E423"]
    assert any("jobs.stop" in problem.remedy for problem in problems if "jobs.stp" in problem.what)
