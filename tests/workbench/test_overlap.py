"""`mathwb data overlap`: what of one data set is in another."""

from __future__ import annotations

import gzip
import html
import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from engines.core.system import asset
from tests.conftest import expect_error
from workbench.cli.command import app
from workbench.overlap import NEAR, TextUnit, compare_data, compare_texts
from workbench.workspace import Workspace, ensure_sample


def _file(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_expressions_and_functions_are_found_in_other_forms(tmp_path: Path) -> None:
    ours = _file(
        tmp_path / "a.jsonl",
        '{"head": "+ x 1", "exprs": ["+ x 1", "* 1 + x 1"]}\n'
        '{"head": "sin * 2 x", "exprs": ["sin * 2 x", "* 2 * sin x cos x"]}\n'
        '{"head": "ln x", "exprs": ["ln x"]}\n',
    )
    theirs = _file(tmp_path / "b.txt", "1 + x\n2*cos(x)*sin(x)\ncosh(x)\n")
    expressions, functions = compare_data(ours, theirs).found
    # Canonically: 1 + x in two members (1·u is u), and the product of sine and cosine.
    assert (expressions.count_a, expressions.count_b, expressions.shared) == (5, 3, 3)
    assert (functions.count_a, functions.count_b, functions.shared) == (3, 3, 2)
    assert ("sin * 2 x", "* * 2 cos x sin x") in functions.examples
    assert not compare_data(_file(tmp_path / "c.txt", "tanh(x)\n"), theirs).any


def test_texts_are_compared_without_markup_and_with_any_numbers(tmp_path: Path) -> None:
    ours = _file(
        tmp_path / "a.jsonl",
        '{"body": "<p>Tom has 5 books.</p>", "question": "How many, then?"}\n'
        '{"text": "Ann has 3 cats"}\n{"original_text": "小明有3个苹果．"}\n',
    )
    theirs = _file(
        tmp_path / "b.jsonl",
        '{"text": "tom HAS 5 books. How many, then"}\n{"text": "Ann has 1,200 cats."}\n'
        '{"text": "小明有7个苹果"}\n',
    )
    same, masked, near = compare_data(ours, theirs).found
    assert (same.shared, masked.shared, near.shared) == (1, 3, 1)


def test_different_kinds_and_damage_are_explained(tmp_path: Path) -> None:
    texts = _file(tmp_path / "t.jsonl", '{"text": "Tom has 5 books"}\n')
    expressions = _file(tmp_path / "e.txt", "sin x\n")
    with expect_error("E326") as caught:
        compare_data(texts, expressions)
    bad = _file(tmp_path / "bad.jsonl", '{"text": "a b c"}\n{"id": 4}\n')
    with expect_error("E317", line=2) as caught:
        compare_data(bad, texts)
    assert caught.value.line == 2


def test_a_line_that_is_nested_too_deep_is_named(tmp_path: Path) -> None:
    texts = _file(tmp_path / "t.jsonl", '{"text": "Tom has 5 books"}\n')
    deep = _file(tmp_path / "deep.jsonl", '{"text": "a b c"}\n' + '{"a":' * 100_000 + "\n")
    with expect_error("E317", line=2) as caught:
        compare_data(deep, texts)
    assert caught.value.line == 2


FORUM = asset("sample/arqmath/sample-forum")
POSTS = FORUM / "posts.jsonl"


def _rows() -> list[dict[str, object]]:
    return [json.loads(line) for line in POSTS.read_text("utf-8").splitlines()]


def _posts_xml(path: Path, rows: list[dict[str, object]]) -> Path:
    """The same posts as Stack Exchange writes them."""
    lines = []
    for row in rows:
        named = {"Id": row["id"], "PostTypeId": row["type"], "Title": row["title"], "Body": row["body"]}
        named["ParentId"] = row["parent_id"]
        text = " ".join(f'{name}="{html.escape(str(v))}"' for name, v in named.items() if v is not None)
        lines.append(f"  <row {text} />")
    return _file(path, '<?xml version="1.0"?>\n<posts>\n' + "\n".join(lines) + "\n</posts>\n")


def test_a_collection_equals_itself_in_every_form(tmp_path: Path) -> None:
    zipped = tmp_path / "posts_mine.jsonl.gz"
    zipped.write_bytes(gzip.compress(POSTS.read_bytes()))
    xml = _posts_xml(tmp_path / "Posts.V1.3.xml", _rows())
    for other in (FORUM, zipped, xml):
        found = compare_data(FORUM, other)
        assert found.kind == "posts"
        assert [each.shared for each in found.found] == [259] * 4
        assert found.bad == (0, 0)


def test_posts_are_found_by_id_by_text_and_when_a_little_was_changed(tmp_path: Path) -> None:
    rows = [row for row in _rows() if len(str(row["body"]).split()) > 40]
    known, renamed, changed, other = rows[:4]
    ours = [
        {**known, "body": "<p>something else entirely, with the same id</p>", "title": "Another question"},
        {**renamed, "id": 77, "body": f"<div>{str(renamed['body']).upper()}</div>"},
        {**changed, "id": 78, "body": f"{changed['body']} <p>Thank you!</p>"},
        {**other, "id": 79, "body": " ".join(reversed(str(other["body"]).split())), "title": ""},
    ]
    path = _file(tmp_path / "mine.jsonl", "\n".join(map(json.dumps, [*ours, {"type": 1}])) + "\n")
    found = compare_data(path, FORUM)
    assert [each.shared for each in found.found] == [1, 1, 1, 2]
    assert found.bad == (1, 0)
    ids, texts, _, near = found.found
    assert ids.examples[0][1].startswith(str(known["id"]))
    assert texts.examples[0][0].startswith("77 ")
    ((mine, theirs),) = near.examples
    assert mine.startswith("78 ")
    assert theirs.startswith(str(changed["id"]))


def test_topics_and_plain_texts_are_held_against_posts(tmp_path: Path) -> None:
    assert not compare_data(FORUM / "topics_task1.xml", FORUM).any
    first = next(row for row in _rows() if row["type"] == 2)
    plain = _file(tmp_path / "plain.jsonl", json.dumps({"id": 4, "body_text": first["body"]}) + "\n")
    found = compare_data(plain, FORUM)
    assert found.kind == "texts"
    assert found.found[0].shared == 1


def test_texts_without_words_equal_nothing(tmp_path: Path) -> None:
    path = _file(tmp_path / "a.jsonl", '{"text": "?!"}\n{"text": "<img src=1>"}\n')
    assert not compare_data(path, path).any


def test_an_empty_side_shares_nothing() -> None:
    one = [TextUnit("1", "a text of some words")]
    for a, b in ((one, []), ([], one), ([], [])):
        found = compare_texts(lambda a=a: a, lambda b=b: b, ids=True)
        assert {(each.count_a, each.count_b, each.shared) for each in found} == {(len(a), len(b), 0)}


def _agreement(a: str, b: str) -> float:
    """Jaccard of the sets of runs of four words, by hand."""
    x, y = ({tuple(words[i : i + 4]) for i in range(len(words) - 3)} for words in (a.split(), b.split()))
    return len(x & y) / len(x | y)


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_near_texts_are_those_that_a_full_comparison_finds(seed: int) -> None:
    rng = random.Random(seed)
    ours = [[rng.choice("abcdefghij") + str(rng.randrange(50)) for _ in range(60)] for _ in range(12)]
    theirs = []
    for words in ours:
        copy = list(words)
        for _ in range(rng.randrange(12)):
            copy[rng.randrange(len(copy))] = "new"
        theirs.append(copy)
    rng.shuffle(theirs)
    a, b = ([TextUnit("", " ".join(words)) for words in side] for side in (ours, theirs))
    near = compare_texts(lambda: a, lambda: b, ids=False)[-1]
    best = [max(_agreement(one.text, two.text) for two in b) for one in a]
    # Bands may miss a pair at the very edge, and never add one.
    assert sum(value >= 0.95 for value in best) <= near.shared <= sum(value >= NEAR for value in best)
    for mine, other in near.examples:
        whole = [
            next(u.text for u in side if u.text.startswith(t[:150])) for side, t in ((a, mine), (b, other))
        ]
        assert _agreement(*whole) >= NEAR


@pytest.mark.slow
@pytest.mark.real_data
def test_the_real_topics_are_not_among_the_real_posts(real_data: Path) -> None:
    folder = real_data / "arqmath"
    found = compare_data(folder / "topics_task1_2021.xml", folder / "posts_mini.jsonl.gz")
    assert [each.count_b for each in found.found] == [6_164] * 4
    assert not found.any


@pytest.mark.real_data
def test_real_word_problems_share_nothing(real_data: Path) -> None:
    found = compare_data(real_data / "mwp/svamp_half_a.jsonl", real_data / "mwp/asdiv_a_folds0-3.jsonl")
    assert [each.count_a for each in found.found] == [500, 500, 500]
    itself = compare_data(real_data / "mwp/svamp_half_a.jsonl", real_data / "mwp/svamp_half_a.jsonl")
    assert itself.found[0].shared == 500


def test_data_sets_are_compared_by_their_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    workspace = Workspace.open(tmp_path / "w")
    ensure_sample(workspace)
    workspace.data.add_entry(
        "expressions", _file(tmp_path / "mine.txt", "sin x\n+ sin x 0\n"), name="my-heads"
    )
    arguments = ["--workspace", str(workspace.root), "data", "overlap", "--json"]
    found = CliRunner().invoke(app, [*arguments, "my-heads", "sample-e"])
    assert found.exit_code == 0, found.output
    counts = {row["what"]: row["count_a"] for row in json.loads(found.stdout)["found"]}
    assert counts == {"expressions, in canonical form": 2, "clusters, as functions": 2}
    assert CliRunner().invoke(app, [*arguments, "my-heads", "sample-forum"]).exit_code == 2  # posts
    problems = CliRunner().invoke(app, [*arguments, "sample-en", "sample-en"])
    (texts,) = [row for row in json.loads(problems.stdout)["found"] if row["count_a"]][:1]
    assert texts["count_a"] == texts["shared"] > 0
    missing = CliRunner().invoke(app, [*arguments, "my-heads", "nowhere"])
    assert missing.exit_code == 3
    assert "E312 nowhere: " in missing.output
