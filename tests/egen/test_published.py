"""E-Gen's published layouts: read, judged, and written back as they were."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

from engines.core.errors import DataError, EngineError
from engines.core.expression_language import to_prefix
from engines.egen.corpora import save_cluster
from engines.egen.corpus.folder import GrownHead, StoredMember, open_corpus
from engines.egen.corpus.published import export_published, import_published, read_published
from engines.egen.corpus.sources import BadLine
from engines.egen.settings import EgenConfig
from engines.mathematics.verification.verdicts import MemberVerdict
from tests.conftest import expect_error
from tests.egen import fake_growth

BLOCKS = """\
ln x
+ ln cos - 0 sin asin acos x 0
* 1 ln x

* -0.5 x
/ x -2
- 0 * 0.5 x
"""


@pytest.fixture
def blocks(tmp_path: Path) -> Path:
    file = tmp_path / "op_2.txt"
    file.write_text(BLOCKS)
    return file


def test_blocks_are_imported_with_decimals_and_judged(blocks: Path, tmp_path: Path) -> None:
    made = import_published(blocks, tmp_path / "corpus")
    assert (made.clusters, made.expressions) == (2, 6)
    corpus = open_corpus(tmp_path / "corpus")
    logarithm = corpus.read_members(0).to_pylist()
    assert [row["prefix"] for row in logarithm] == BLOCKS.splitlines()[:3]
    # ln(cos(-sin(asin(acos x)))) needs |acos x| <= 1: it has lost x > 1.
    assert [row["verdict"] for row in logarithm] == ["equal", "shrinks", "equal"]
    assert 0 < logarithm[1]["kept"] < 0.5
    assert corpus.read_members(1)["prefix"].to_pylist() == BLOCKS.splitlines()[4:]
    assert corpus.read_members(1)["verdict"].to_pylist() == ["equal"] * 3


def test_blocks_come_back_as_they_were(blocks: Path, tmp_path: Path) -> None:
    import_published(blocks, tmp_path / "corpus")
    again = tmp_path / "again.txt"
    assert export_published(open_corpus(tmp_path / "corpus"), again) == 2
    assert again.read_text() == BLOCKS + "\n"


@pytest.mark.parametrize("name", ["again.jsonl", "again.jsonl.gz", "again.txt.gz"])
def test_layouts_are_converted_into_each_other(blocks: Path, tmp_path: Path, name: str) -> None:
    import_published(blocks, tmp_path / "one")
    file = tmp_path / name
    layout = "jsonl" if "jsonl" in name else "blocks"
    export_published(open_corpus(tmp_path / "one"), file, layout=layout)  # type: ignore[arg-type]
    import_published(file, tmp_path / "two")
    for number in range(2):
        one, two = (open_corpus(tmp_path / each).read_members(number) for each in ("one", "two"))
        assert one.equals(two)


def test_bad_lines_are_told_and_the_rest_is_done(tmp_path: Path) -> None:
    file = tmp_path / "published.txt"
    file.write_text("sin x\nfoo x\n* 1 sin x\n\nbar\n+ x 1\n\ncos x\nsin x +\n\nsin x\n+ 0 sin x\n")
    told: list[BadLine] = []
    found = list(read_published(file, on_bad=told.append))
    assert [(to_prefix(c.head), [to_prefix(m) for m in c.members]) for c in found] == [
        ("sin x", ["* 1 sin x"]),
        ("cos x", []),
        ("sin x", ["+ 0 sin x"]),
    ]
    assert [bad.line for bad in told] == [2, 5, 9]
    made = import_published(file, tmp_path / "corpus")
    assert made.clusters == 2
    manifest = json.loads((tmp_path / "corpus" / "manifest.json").read_text())
    assert [bad["line"] for bad in manifest["source"]["bad_lines"]] == [2, 5, 9]
    assert manifest["source"]["repeated"] == 1


def test_a_line_that_is_nested_too_deep_is_told(tmp_path: Path) -> None:
    file = tmp_path / "published.jsonl"
    file.write_text('{"a":' * 100_000 + '\n{"head": "sin x", "exprs": ["* 1 sin x"]}\n')
    told: list[BadLine] = []
    (found,) = read_published(file, on_bad=told.append)
    assert (to_prefix(found.head), [bad.line for bad in told]) == ("sin x", [1])


def test_lines_that_are_no_clusters_are_told(tmp_path: Path) -> None:
    file = tmp_path / "published.jsonl"
    good = json.dumps(
        {"head": "sin x", "exprs": ["sin x", "* 1 sin x"], "partial_domain": ["sin asin sin x"]}
    )
    file.write_text('{"head": "x"}\n{broken\n[1]\n' + good + "\n")
    told: list[BadLine] = []
    (found,) = read_published(file, on_bad=told.append)
    assert [to_prefix(m) for m in found.members] == ["* 1 sin x", "sin asin sin x"]
    assert [bad.line for bad in told] == [1, 2, 3]
    with pytest.raises(DataError) as caught:
        list(read_published(file))
    assert caught.value.where == f"{file}:1"


@pytest.mark.parametrize("content", [b"", b"\x00\x01\x00", b"foo\n\nbar\n"])
def test_a_file_without_clusters_is_one_error(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "bad"
    file.write_bytes(content)
    with pytest.raises(DataError):
        import_published(file, tmp_path / "corpus")


def test_an_import_does_not_touch_a_corpus_that_is_there(blocks: Path, tmp_path: Path) -> None:
    import_published(blocks, tmp_path / "corpus")
    with expect_error("E452"):
        import_published(blocks, tmp_path / "corpus")
    with expect_error("E322"):
        fake_growth.finish(tmp_path / "corpus")


def test_equal_imports_are_equal_files(blocks: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        import_published(blocks, tmp_path / name)
    files = [p.relative_to(tmp_path / "one") for p in (tmp_path / "one").rglob("*") if p.is_file()]
    assert files
    for file in files:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


@pytest.mark.slow
@pytest.mark.real_data
def test_the_published_sample_comes_through(real_data: Path, tmp_path: Path) -> None:
    sample = real_data / "expr/egen_clusters_sample.jsonl.gz"
    made = import_published(sample, tmp_path / "corpus")
    assert made.clusters == 300
    with gzip.open(sample, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    corpus = open_corpus(tmp_path / "corpus")
    for number, row in enumerate(rows):
        given = dict.fromkeys([row["head"], *row["exprs"], *row["partial_domain"]])
        # Some differentiate by something that is no variable: `d sin asin x …`.
        expected = [text for text in given if re.search(r"\bd (?!x )", text) is None]
        assert corpus.read_members(number)["prefix"].to_pylist() == expected
    assert corpus.read_clusters()["kind"].to_pylist() == [row["source"] for row in rows]


def test_an_import_leaves_a_folder_with_other_things_alone(blocks: Path, tmp_path: Path) -> None:
    shard = tmp_path / "other" / "shards" / f"shard-00000-{'0' * 16}.parquet"
    shard.parent.mkdir(parents=True)
    shard.touch()
    (tmp_path / "other" / "notes.txt").touch()
    with expect_error("E452"):
        import_published(blocks, tmp_path / "other")
    assert shard.exists()


@pytest.mark.parametrize("name", ["clusters.parquet", "shards/shard-00000-mine.parquet"])
def test_files_with_the_names_of_a_corpus_are_left_alone(blocks: Path, tmp_path: Path, name: str) -> None:
    """Only a folder in which we hold the lock, or a plan or manifest of ours is, was begun by us."""
    head = StoredMember("x", MemberVerdict("equal", 1.0))
    cluster = GrownHead(0, (head,), "saturated", 1, 1, 1, "1")
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("years")
    for work in (
        lambda: import_published(blocks, tmp_path),
        lambda: save_cluster(tmp_path, cluster, EgenConfig()),
    ):
        with pytest.raises(EngineError) as caught:
            work()
        assert caught.value.code == "E452"
    assert (tmp_path / name).read_text() == "years"


def test_a_corrupt_import_is_not_sent_to_a_build(blocks: Path, tmp_path: Path) -> None:
    import_published(blocks, tmp_path / "corpus")
    for path in (tmp_path / "corpus" / "shards").iterdir():
        path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(DataError) as caught:
        open_corpus(tmp_path / "corpus").read_members(0)
    assert "import" in caught.value.remedy


def test_lines_that_were_refused_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "clusters.txt"
    file.write_text("sin x\nfoo x\n/ 1 csc x\n")
    made = import_published(file, tmp_path / "corpus")
    assert (made.expressions, made.bad_lines) == (2, 1)


def test_an_import_that_was_interrupted_ends_as_such(blocks: Path, tmp_path: Path) -> None:
    with pytest.raises(EngineError) as caught:
        import_published(blocks, tmp_path / "corpus", stop=lambda: True)
    assert (caught.value.code, caught.value.exit_code) == ("E646", 130)
