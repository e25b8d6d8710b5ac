"""A collection as registered data: what is counted, which rows are named, what a changed file does."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engines.core.errors import DataError
from workbench.papers.arqmath.data import check_collection
from workbench.workspace import DataRegistry, Workspace

QUESTION = '<row Id="1" PostTypeId="1" Title="t" Body="b" Tags="&lt;a&gt;" />'
ANSWER = '<row Id="2" PostTypeId="2" ParentId="1" Body="b" />'
TOPIC = '<Topics><Topic number="{}"><Title>t</Title><Question>q</Question><Tags>a</Tags></Topic></Topics>'


@pytest.fixture
def registry(tmp_path: Path) -> DataRegistry:
    return Workspace.open(tmp_path / "w").data


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "Posts.V1.3.xml": f'<posts>\n{QUESTION}\n{ANSWER}\n<row Id=3 />\n<row A="2" />\n</posts>\n',
        "PostLinks.V1.3.xml": '<row Id="1" PostId="1" RelatedPostId="9" LinkTypeId="3" />\n<row Id="2" />\n',
        "Comments.V1.3.xml": '<row Id="1" PostId="1" Text="no" />\n<row Id="2" Text="no" />\n',
        "topics_task1_2021.xml": TOPIC.format("A.1"),
        "qrels_task1_2021.tsv": "A.1\t0\t2\t3\nA.1\t0\t2\nA.1\t0\t4\thigh\nA.1\t0\t2\t1\n",
        "runs_task1/mine.tsv": "A.1\tQ0\t2\t1\t3.5\tmine\nA.1\tQ0\t2\t2\t3.0\tmine\n",
        "answers_task3/mine.tsv": "A.1\t1\t1.0\tmine\tmodel\tIt is $4.\n",
        "my_topic_info.csv": "Topic,Difficulty\nA.1,hard\nA.2\n",
        "formulas.tsv": "id\tpost_id\tlatex\n1\t2\tx\n1\t2\n",
    }
    for name, content in files.items():
        (tmp_path / "mine" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "mine" / name).write_text(content)
    return tmp_path / "mine"


def test_a_folder_is_counted_and_its_bad_rows_named(registry: DataRegistry, folder: Path) -> None:
    checked = registry.add_entry("arqmath", folder)
    assert checked.data.counts == {
        "records": 10,
        "files": 9,
        **dict.fromkeys(("questions", "answers", "links", "comments", "topics", "judgements"), 1),
        **dict.fromkeys(("ranked", "written_answers", "topic_rows", "formulas"), 1),
    }
    where = {Path(error.where).name for error in checked.bad_lines}
    assert {"Posts.V1.3.xml:4", "Posts.V1.3.xml:5", "PostLinks.V1.3.xml:2", "Comments.V1.3.xml:2"} <= where
    assert {f"qrels_task1_2021.tsv:{line}" for line in (2, 3, 4)} <= where
    assert {"mine.tsv", "my_topic_info.csv:3", "formulas.tsv:3"} <= where
    assert checked.data.bad == len(checked.bad_lines)
    assert set(checked.data.files) == {file.relative_to(folder).as_posix() for file in folder.rglob("*.*")}
    assert registry.find_entry("mine") == checked.data


def test_a_changed_file_is_seen(registry: DataRegistry, folder: Path) -> None:
    data = registry.add_entry("arqmath", folder).data
    assert registry.check_entry(data).state == "unchanged"
    (folder / "topics_task1_2021.xml").write_text(TOPIC.format("A.2"))
    assert registry.check_entry(data).state == "changed"


def test_a_single_file_is_a_collection_too(registry: DataRegistry, folder: Path) -> None:
    checked = registry.add_entry("arqmath", folder / "qrels_task1_2021.tsv")
    assert checked.data.counts["judgements"] == 1
    assert checked.data.files == {}


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("qrels_task2.tsv", b"A.1\t0\t2\t3\n", "not of task 2"),
        ("topics_task1.xml", TOPIC.format("B.1").encode(), "not of task 1"),
        ("Posts.xml.gz", gzip.compress(b"<posts>" + QUESTION.encode() * 99, mtime=0)[:60], "ends too early"),
        ("Posts.xml", "<posts>\n".encode("utf-16"), "UTF-16"),
        ("Posts.xml", b'<row Id="1" Body="\xe9" />\n', "no rows: all 1 are malformed"),
        ("Posts.xml", b"<!DOCTYPE x [<!ENTITY a 'b'>]>\n<posts/>", "declares XML entities"),
        ("Posts.xml", b'<row Id="1" PostTypeId="5" />\n', "no question and no answer"),
        ("topics_task1.xml", b"<Topics><Topic>", "not well-formed"),
        ("runs_task1/x.tsv", b"A.1\t2\t3\n", "3 columns"),
        ("my_topic_info.csv", b"a,b\n1,2\n", "no column 'Topic'"),
        ("formulas.tsv", b"a\tb\n1\t2\n", "no column 'id'"),
        ("formulas.tsv", b"", "empty"),
    ],
)
def test_a_file_that_cannot_be_used_is_reported_and_the_others_count(
    tmp_path: Path, name: str, content: bytes, what: str
) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_bytes(content)
    (tmp_path / "qrels_task1_good.tsv").write_text("A.1\t0\t2\t3\n")
    reported: list[DataError] = []
    counts = check_collection(tmp_path, reported.append)
    assert any(what in error.what for error in reported)
    assert counts["judgements"] == 1


def test_the_command_prints_what_it_found(folder: Path) -> None:
    from workbench.cli.data import app

    result = CliRunner().invoke(app, ["add", "arqmath", str(folder), "--json"])
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["counts"]["questions"] == 1
    assert document["files"]["formulas.tsv"]


@pytest.mark.slow
@pytest.mark.real_data
def test_the_real_collection(registry: DataRegistry, real_data: Path) -> None:
    checked = registry.add_entry("arqmath", real_data / "arqmath")
    counts = checked.data.counts
    assert (counts["questions"], counts["answers"]) == (2_769, 3_395)
    assert counts["topics"] == 98 + 100 + 85 + 100
    assert counts["formulas"] == 76_970
    # Formulas within the text of formulas, which ARQMath marks too, and a row or two.
    assert 0 < checked.data.bad < 30
