"""Which file of a collection is what: by the usual names, by `arqmath.toml`, by content."""

from __future__ import annotations

import contextlib
import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.core.errors import DataError
from engines.forum.folder import DESCRIPTION, ArqmathFolder, FileRole, role_of
from tests.conftest import expect_error

NAMES = {
    "Collection/Posts.V1.2.xml": None,
    "Collection/Posts.V1.3.xml": FileRole("posts"),
    "Collection/PostLinks.V1.3.xml": FileRole("links"),
    "Collection/Comments.V1.3.xml": FileRole("comments"),
    "Collection/Votes.V1.3.xml": None,
    "Formulas/latex_representation_v3/9.tsv": FileRole("formulas"),
    "Formulas/latex_representation_v3/10.tsv": FileRole("formulas"),
    "Formulas/opt_representation_v3/1.tsv.gz": FileRole("formulas"),
    "Topics_Task1_2021_V1.1.xml": FileRole("topics", 1),
    "Task 2/Topics/Topics_V1.1.xml": FileRole("topics", 2),
    "qrel_task1_2022_official.tsv": FileRole("qrels", 1),
    "qrels_task2_2020.tsv.gz": FileRole("qrels", 2),
    "task3_qrels_2022.tsv": FileRole("qrels", 3),
    "MathDowsers-task1-alpha05-auto-both-P.tsv": FileRole("runs"),
    "runs_task1_2020/mine.tsv": FileRole("runs"),
    "runs_task1_2020/mine.per_topic.tsv": None,
    "runs_task1_2020/scores.tsv": None,
    "TU_DBS-task3-se3-auto-both-generate-P.tsv": FileRole("answers"),
    "task3_run_map_2022.tsv": None,
    "task1_topic_info_2021.csv": FileRole("topic_info"),
    "topic_formulas_2020_latex.tsv.gz": None,
    "README.md": None,
}


def make(folder: Path, names: list[str]) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")


def test_files_are_found_by_the_names_of_the_organisers(tmp_path: Path) -> None:
    make(tmp_path, list(NAMES))
    folder = ArqmathFolder.open(tmp_path)
    found = {file.relative_to(tmp_path).as_posix(): role for role, file in folder.list_files()}
    assert found == {name: role for name, role in NAMES.items() if role is not None}
    assert [file.name for file in folder.formulas][:2] == ["9.tsv", "10.tsv"]
    assert [file.parent.name for file in folder.latex_tables] == ["latex_representation_v3"] * 2
    assert folder.title == tmp_path.name


def test_a_description_says_what_is_what(tmp_path: Path) -> None:
    make(tmp_path, ["p.xml", "t1.xml", "t3.xml", "q.tsv", "r/a.tsv", "r/b.tsv"])
    (tmp_path / DESCRIPTION).write_text(
        'title = "A small forum"\nposts = "p.xml"\nruns = ["r/*.tsv"]\n'
        '[topics]\n1 = "t1.xml"\n3 = ["t3.xml"]\n[qrels]\n1 = ["q.tsv"]\n'
    )
    folder = ArqmathFolder.open(tmp_path)
    assert folder.title == "A small forum"
    assert folder.posts == folder.need_posts() == tmp_path / "p.xml"
    assert folder.topics == {1: (tmp_path / "t1.xml",), 3: (tmp_path / "t3.xml",)}
    assert [file.name for file in folder.runs] == ["a.tsv", "b.tsv"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("posts = [", "E327"),
        ('post = "p.xml"', "E327"),
        ("posts = 3", "E327"),
        ('posts = "none.xml"', "E312"),
        ('posts = ["p.xml", "q.xml"]', "E327"),
        ('runs = "nothing/*.tsv"', "E312"),
        ('[topics]\n4 = "p.xml"', "E327"),
        ('topics = "p.xml"', "E327"),
        ('runs = "/*"', "E327"),
    ],
)
def test_a_wrong_description_is_explained(tmp_path: Path, text: str, code: str) -> None:
    make(tmp_path, ["p.xml", "q.xml"])
    (tmp_path / DESCRIPTION).write_text(text)
    with expect_error(code) as caught:
        ArqmathFolder.open(tmp_path)
    assert DESCRIPTION in caught.value.where
    assert caught.value.exit_code in (2, 3)


def test_what_is_no_collection_is_refused(tmp_path: Path) -> None:
    with expect_error("E312"):
        ArqmathFolder.open(tmp_path / "missing")
    make(tmp_path, ["letter.txt"])
    for path in (tmp_path, tmp_path / "letter.txt"):
        with pytest.raises(DataError):
            ArqmathFolder.open(path)
    make(tmp_path, ["qrels_task1.tsv"])
    with expect_error("E312"):
        ArqmathFolder.open(tmp_path).need_posts()


@pytest.mark.parametrize(
    ("content", "role"),
    [
        ('<?xml version="1.0"?>\n<posts>\n', FileRole("posts")),
        ("<postlinks>\n", FileRole("links")),
        ("<comments>\n", FileRole("comments")),
        ('<Topics>\n<Topic number="A.1">', FileRole("topics", 1)),
        ("<Topics><Topic><Formula_Id>q_1", FileRole("topics", 2)),
        ('{"id": 1, "type": 1, "body": "x"}\n', FileRole("posts")),
        ("id\tpost_id\ttype\tvisual_id\tlatex\n", FileRole("formulas")),
        ("A.1\t0\t7\t2\n", FileRole("qrels", 1)),
        ("B.1\t0\t7\t2\n", FileRole("qrels", 2)),
        ("A.301\t0\td_7\t2\n", FileRole("qrels", 3)),
        ("A.1\tQ0\t7\t1\t3.5\tmine\n", FileRole("runs")),
        ("A.1\t7\t1\t3.5\tmine\n", FileRole("runs")),
        ("A.301\t1\t3.5\tmine\tmodel\tIt is $4$.\n", FileRole("answers")),
        ("nothing of this kind\n", None),
        ("", None),
    ],
)
def test_a_file_whose_name_says_nothing_is_told_by_its_beginning(
    tmp_path: Path, content: str, role: FileRole | None
) -> None:
    path = tmp_path / "mystery"
    path.write_text(content)
    assert role_of(path) == role
    if role is not None:
        assert ArqmathFolder.open(path).list_files() == [(role, path)]


def test_a_file_that_cannot_be_read_is_told_as_that(tmp_path: Path) -> None:
    path = tmp_path / "mystery"
    path.write_bytes(gzip.compress(b"<posts>")[:15])
    with pytest.raises(DataError) as caught:
        ArqmathFolder.open(path)
    assert caught.value.code == "E316"


@given(st.binary(max_size=300))
def test_telling_never_fails(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "mystery"
    path.write_bytes(content)
    with contextlib.suppress(DataError):  # it begins as a compressed file does, or as UTF-16
        found = role_of(path)
        assert found is None or found.name in {"posts", "topics", "qrels", "runs", "answers", "formulas"}


@pytest.mark.real_data
def test_the_real_folder(real_data: Path) -> None:
    folder = ArqmathFolder.open(real_data / "arqmath")
    assert folder.posts is not None
    assert folder.posts.name == "posts_mini.jsonl.gz"
    assert {task: len(files) for task, files in folder.topics.items()} == {1: 2, 2: 2}
    assert {task: len(files) for task, files in folder.qrels.items()} == {1: 4, 2: 6, 3: 1}
    assert len(folder.runs) == 7
    assert [file.name for file in folder.latex_tables] == ["formulas_mini.tsv.gz"]


def test_different_files_of_posts_are_refused_by_name(tmp_path: Path) -> None:
    make(tmp_path, ["posts_a.jsonl", "posts_b.jsonl.gz"])
    with expect_error("E318"):
        ArqmathFolder.open(tmp_path)
    (tmp_path / DESCRIPTION).write_text('posts = "posts_a.jsonl"\n', "utf-8")
    folder = ArqmathFolder.open(tmp_path)
    assert folder.posts is not None
    assert folder.posts.name == "posts_a.jsonl"


@pytest.mark.parametrize(
    ("names", "read"),
    [
        (["Posts.V1.2.xml", "Posts.V1.3.xml.gz"], "Posts.V1.3.xml.gz"),
        (["posts.jsonl", "posts.xml.bz2"], "posts.xml.bz2"),
        (["math.stackexchange.com.7z", "Posts.xml"], "Posts.xml"),
    ],
)
def test_versions_and_packings_of_one_file_of_posts(tmp_path: Path, names: list[str], read: str) -> None:
    make(tmp_path, names)
    posts = ArqmathFolder.open(tmp_path).posts
    assert posts is not None
    assert posts.name == read


def test_topics_as_lines_of_json_are_found(tmp_path: Path) -> None:
    make(tmp_path, ["topics_task1_mine.jsonl", "topics_task3.xml.gz", "linearized_topics.jsonl"])
    folder = ArqmathFolder.open(tmp_path)
    assert {task: [file.name for file in files] for task, files in folder.topics.items()} == {
        1: ["topics_task1_mine.jsonl"],
        3: ["topics_task3.xml.gz"],
    }
