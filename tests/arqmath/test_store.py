"""The store of a collection's posts: building, going on after a kill, refusing."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import pytest

from engines.arqmath.collection.posts import PostStore, build_store
from engines.core.errors import DataError
from engines.core.events import Event
from engines.forum.folder import ArqmathFolder
from tests.arqmath.small_collection import ROWS, row, small_collection


def post_row(shift: int, post: dict[str, Any]) -> str:
    """A post as Stack Exchange writes it, ids shifted."""
    kept = {"Id": int(post["id"]) + shift, "PostTypeId": post["type"], "Title": post.get("title", "")}
    kept |= {"ParentId": int(post["parent_id"]) + shift} if post["type"] == 2 else {}
    kept["Body"] = post["body"]
    return f"<row {' '.join(f'{name}={quoteattr(str(value))}' for name, value in kept.items())} />"


@pytest.fixture
def folder(tmp_path: Path) -> ArqmathFolder:
    return small_collection(tmp_path / "collection")


def test_the_store_gives_posts_by_id(folder: ArqmathFolder, tmp_path: Path) -> None:
    links = tmp_path / "PostLinks.xml"
    links.write_text(
        '<postlinks>\n<row Id="1" PostId="2" RelatedPostId="3" LinkTypeId="3" />\n</postlinks>\n'
    )
    facts = build_store(folder.need_posts(), tmp_path / "posts.sqlite", links=links)
    assert {name: facts[name] for name in ("questions", "answers", "repeated", "left_out", "duplicates")} == {
        "questions": 2,
        "answers": 10,
        "repeated": 1,
        "left_out": 1,
        "duplicates": 2,
    }
    assert "posts.jsonl:13" in facts["first"][0]
    store = PostStore(tmp_path / "posts.sqlite")
    answer = store.get_post("10")
    assert answer is not None
    assert (answer.title, answer.tags, answer.parent, answer.score) == (
        "Cyclic groups",
        ("group-theory",),
        "1",
        5,
    )
    assert answer.text == "Yes, since $a^n a^m = a^m a^n$"
    assert store.get_post("999") is None
    assert list(store.get_posts(["11", "nothing", "1", "11"])) == ["11", "1"]
    assert store.list_answer_ids("1") == ["10", "11"]
    assert store.answer_ids()[:3] == ["10", "11", "20"]
    assert store.question_ids() == ["1", "2"]
    assert (store.list_duplicate_ids("2"), store.list_duplicate_ids("3")) == (["1", "3"], ["2"])
    orphan = store.get_post("30")
    assert orphan is not None
    assert orphan.title == ""
    assert store.counts["answers"] == 10


def test_posts_that_are_indexed_are_not_told_to_be_left_out(tmp_path: Path) -> None:
    """A formula in broken HTML counts as text; the post is there."""
    broken = '<p>See <span class="math-container" id="1">$a<b<c/>$</p></span> <span class="math-container">$x'
    rows = [row(1, 1, title="Sums"), *(row(2 + n, 2, parent_id="1", body=broken) for n in range(25))]
    posts = tmp_path / "posts.jsonl"
    posts.write_text("\n".join([*map(json.dumps, rows), "{bad"]) + "\n")
    facts = build_store(posts, tmp_path / "posts.sqlite")
    assert (facts["answers"], facts["left_out"], len(facts["first"])) == (25, 1, 1)
    assert facts["first"][0].startswith("posts.jsonl:27: ")


def test_a_store_is_replaced_whole_or_stays(folder: ArqmathFolder, tmp_path: Path) -> None:
    out = tmp_path / "posts.sqlite"
    build_store(folder.need_posts(), out)
    before = out.read_bytes()
    assert not build_store(folder.need_posts(), out, stop=lambda: True)["complete"]
    (tmp_path / "bad.jsonl").write_text("")
    with pytest.raises(DataError):
        build_store(tmp_path / "bad.jsonl", out)
    assert out.read_bytes() == before
    assert [path.name for path in tmp_path.glob(".*")] == []


@pytest.mark.parametrize("kind", ["jsonl", "xml"])
def test_a_store_whose_maker_was_killed_goes_on_behind_the_last_rows(
    folder: ArqmathFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr("engines.arqmath.collection.posts._ROWS", 3)
    posts = folder.need_posts()
    if kind == "xml":
        posts = tmp_path / "Posts.xml"
        rows = [post_row(1_000 * copy, post) for copy in range(3) for post in ROWS]
        rows[0] = rows[0].replace("<row ", "<row Broken ")
        posts.write_text("\n".join(["<posts>", *rows, rows[1], "</posts>"]))
    out, events = tmp_path / "posts.sqlite", []

    def dies(event: Event) -> None:
        if event.data["done"] >= 6:
            os.kill(os.getpid(), signal.SIGKILL)

    for done in (6, 9):  # the second is killed as soon as it has added something
        child = multiprocessing.get_context("fork").Process(
            target=build_store, args=(posts, out), kwargs={"events": dies}
        )
        child.start()
        child.join()
        assert child.exitcode == -signal.SIGKILL
        with closing(sqlite3.connect(tmp_path / ".posts.sqlite.tmp")) as base:
            assert base.execute("SELECT count(*) FROM posts").fetchone() == (done,)
    again = build_store(posts, out, events=events.append)
    assert events[0].data["done"] == 12
    whole = build_store(posts, tmp_path / "whole.sqlite")
    assert again == whole
    assert (whole["left_out"], whole["repeated"]) == (1, 1)
    tables = [
        [base.execute(f"SELECT * FROM {name}").fetchall() for name in ("posts", "duplicates", "facts")]
        for path in (out, tmp_path / "whole.sqlite")
        for base in [sqlite3.connect(path)]
    ]
    assert tables[0] == tables[1]
    assert not list(tmp_path.glob(".posts*"))


def test_a_draft_of_other_posts_is_not_gone_on_with(folder: ArqmathFolder, tmp_path: Path) -> None:
    out, posts = tmp_path / "posts.sqlite", folder.need_posts()
    build_store(posts, out, stop=lambda: True)
    assert list(tmp_path.glob(".posts*"))
    posts.write_text(json.dumps(ROWS[3]) + "\n")
    assert build_store(posts, out)["questions"] == 1
    build_store(posts, out, stop=lambda: True)
    (tmp_path / ".posts.sqlite.tmp").write_bytes(b"no store" * 1_000)
    assert build_store(posts, out)["questions"] == 1


def test_a_store_cut_short_is_named(folder: ArqmathFolder, tmp_path: Path) -> None:
    out = tmp_path / "posts.sqlite"
    build_store(folder.need_posts(), out)
    for length in (50, 4_096, len(out.read_bytes()) - 4_096):
        (tmp_path / "short.sqlite").write_bytes(out.read_bytes()[:length])
        with pytest.raises(DataError) as caught:
            PostStore(tmp_path / "short.sqlite")
        assert caught.value.code == "E661"
        assert "short.sqlite" in caught.value.where
