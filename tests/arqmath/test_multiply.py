"""The generator of large collections: sizes, ids, and that it is read like the collection it is made of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks._multiply import multiply
from engines.core.errors import DataError
from engines.forum.readers import Report, read_posts

FORMULA = '<span class="math-container" id="7">$a<b & "c"$</span>'.replace("<b", "&lt;b").replace(
    "& ", "&amp; "
)
ROWS = [
    {
        "id": 1,
        "type": 1,
        "title": "Which one?",
        "body": f"<p>Consider {FORMULA}\nnow.</p>",
        "tags": ["algebra"],
    },
    {"id": 2, "type": 2, "parent_id": 1, "body": "<p>" + "something completely different " * 20 + "</p>"},
]


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "posts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def test_copies_have_ids_of_their_own_and_other_words(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "Posts.xml"
    counts = multiply(small, out, target_bytes=10_000)
    assert counts["bytes"] == out.stat().st_size >= 10_000
    report = Report()
    posts = list(read_posts(out, report))
    assert len(posts) == counts["posts"] == report.read
    assert report.bad == 0
    original = list(read_posts(small, Report()))
    assert [(post.id, post.text, post.tags) for post in posts[:2]] == [
        (post.id, post.text, post.tags) for post in original
    ]
    assert len({post.id for post in posts}) == len(posts)
    assert all(post.parent in {other.id for other in posts} for post in posts if post.kind == 2)
    assert posts[2].body.formulas == posts[0].body.formulas == (("7", 'a<b & "c"'),)
    assert len({post.body.text for post in posts if post.kind == 2}) > 2


def test_xml_can_be_multiplied_again_and_the_seed_decides(small: Path, tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.xml", "b.xml", "c.xml")]
    multiply(small, paths[0], target_bytes=4_000, seed=1)
    multiply(small, paths[1], target_bytes=4_000, seed=1)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    multiply(paths[0], paths[2], target_bytes=10_000, seed=2)
    assert next(read_posts(paths[2], Report())) == next(read_posts(paths[0], Report()))


def test_nothing_cannot_be_multiplied(tmp_path: Path) -> None:
    path = tmp_path / "Posts.xml"
    path.write_text('<posts>\n<row Id="1" PostTypeId="5" />\n</posts>\n')
    with pytest.raises(DataError, match="no posts"):
        multiply(path, tmp_path / "out.xml", target_bytes=10)
