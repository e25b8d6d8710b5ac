"""Several processes share the session file, and each keeps what it has changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from screens.shell.session import Session


def test_two_processes_lose_nothing_of_each_other(tmp_path: Path) -> None:
    path = tmp_path / "session.json"
    one, two, elsewhere = Session(path, "/w"), Session(path, "/w"), Session(path, "/other")
    one.remember_screens(mode="jobs", screens={"jobs": {"sort": "id"}})
    two.remember_screens(mode="egraphs", screens={"egraphs": {"source": "corpus/a"}})
    elsewhere.remember_screens(mode="mathamr", screens={"jobs": {"sort": "age"}})
    elsewhere.theme = "mathwb-light"
    for session in (one, two, elsewhere, one):
        session.save()
    one.remember_screens(mode="jobs", screens={"jobs": {"filter": "!lost"}})
    one.save()
    again, other = Session(path, "/w"), Session(path, "/other")
    assert again.screen_state("jobs") == {"sort": "id", "filter": "!lost"}
    assert again.screen_state("egraphs") == {"source": "corpus/a"}
    assert (again.mode, again.theme) == ("jobs", "mathwb-light")
    assert (other.mode, other.screen_state("jobs")) == ("mathamr", {"sort": "age"})


def test_the_colours_chosen_last_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "session.json"
    path.write_text('{"version": 1, "theme": "mathwb-dark"}')
    one, two = Session(path, "/w"), Session(path, "/other")
    for theme in ("mathwb-light", "mathwb-dark"):
        one.theme = theme
        one.save()
        assert Session(path, "/w").theme == theme
    two.theme = "mathwb-contrast"
    two.save()
    one.remember_screens(mode="jobs", screens={})
    one.save()
    assert Session(path, "/w").theme == "mathwb-contrast"


def test_a_crash_is_told_once_by_one(tmp_path: Path) -> None:
    path = tmp_path / "session.json"
    running, failing = Session(path, "/w"), Session(path, "/w")
    failing.remember_crash("crash-1.txt")
    failing.save()
    running.remember_screens(mode="jobs", screens={})
    running.save()
    after = Session(path, "/w")
    assert after.take_crash() == "crash-1.txt"
    after.save()
    assert Session(path, "/w").take_crash() == ""


@pytest.mark.parametrize("content", ["{", "[]", '{"version": 99}', '{"version": 1, "workspaces": {"/w": 3}}'])
def test_what_cannot_be_read_is_kept_under_another_name_when_it_would_be_replaced(
    tmp_path: Path, content: str
) -> None:
    path = tmp_path / "session.json"
    path.write_text(content)
    session = Session(path, "/w")
    assert session.mode == ""
    session.save()
    assert path.read_text() == content
    session.remember_screens(mode="jobs", screens={})
    session.save()
    assert json.loads(path.read_text())["workspaces"]["/w"]["mode"] == "jobs"
    readable = content.startswith('{"version": 1')
    assert readable or (tmp_path / "session.old.json").read_text() == content
