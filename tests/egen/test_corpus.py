"""Reading a corpus: clusters, members, merging of equal heads, finding a function, statistics, splits."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.core.errors import DataError
from engines.core.expression_language import read_prefix
from engines.egen.corpora import CorpusStats, ShowCluster, corpus_stats, save_cluster, show_cluster
from engines.egen.corpus.assemble import CLUSTERS, paper_split, shape_split
from engines.egen.corpus.build import build_corpus
from engines.egen.corpus.folder import (
    ROWS,
    Corpus,
    GrownHead,
    StoredMember,
    open_corpus,
    parquet_bytes,
    parquet_table,
    read_shard,
    stored_shards,
    write_shard,
)
from engines.egen.corpus.sources import file_source, open_source, sample_heads, template_source, to_skeleton
from engines.egen.models.datasets import stream_pairs, stream_triplets
from engines.egen.settings import EgenConfig
from engines.mathematics.terms.canonical import canonical_key
from engines.mathematics.terms.notation import to_training
from engines.mathematics.verification.verdicts import MemberVerdict
from tests.conftest import expect_error
from tests.egen import fake_growth

EQUAL = (
    "+ 1000 x",
    "d x + x 3",
    "d x - x 5",
    "+ pow sin x 2 pow cos x 2",
    "pow csc / x 7 -3",
    "pow sin / x 7 3",
)
OTHERS = ("+ x 2", "pow sqrt + x 2 2", "ln x", "ln abs x")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """20 heads `+ x 1000`…, six of which some are the same function, and four that are alike and are not."""
    out = tmp_path_factory.mktemp("corpus")
    build_corpus(
        fake_growth.source(20, *EQUAL, *OTHERS), out, EgenConfig(members=6), service=fake_growth.service
    )
    return out


@pytest.fixture
def corpus(folder: Path) -> Corpus:
    return open_corpus(folder)


def test_heads_that_are_the_same_function_share_a_cluster(corpus: Corpus) -> None:
    heads = fake_growth.source(20, *EQUAL, *OTHERS).heads
    merged = [sources for sources in corpus.read_clusters()["merged_from"].to_pylist() if len(sources) > 1]
    assert [[heads[n].prefix for n in sources] for sources in merged] == [
        ["+ x 1000", "+ 1000 x"],
        ["d x + x 3", "d x - x 5", "+ pow sin x 2 pow cos x 2"],
        ["pow csc / x 7 -3", "pow sin / x 7 3"],  # undefined at isolated points only
    ]


def test_functions_of_different_domain_stay_apart_and_are_found_as_such(corpus: Corpus) -> None:
    assert set(OTHERS) <= set(corpus.read_clusters()["head"].to_pylist())
    found = [(match.head, match.verdict.outcome) for match in corpus.find_clusters(read_prefix("ln x"))]
    assert found == [("ln x", "equal"), ("ln abs x", "shrinks")]
    found = [(match.head, match.verdict.outcome) for match in corpus.find_clusters(read_prefix("+ 2 x"))]
    assert found == [("+ x 2", "equal"), ("pow sqrt + x 2 2", "extends")]


def test_members_of_a_cluster_are_those_of_all_its_heads_once(corpus: Corpus) -> None:
    table = corpus.read_clusters()
    grown: dict[int, set[str]] = {}
    for path in stored_shards(corpus.path / "shards").values():
        for row in read_shard(path).rows.to_pylist():
            grown.setdefault(row["source"], set()).add(canonical_key(row["prefix"].split()))
    for number, sources in enumerate(table["merged_from"].to_pylist()):
        members = corpus.read_members(number)
        keys = [canonical_key(text.split()) for text in members["prefix"].to_pylist()]
        assert len(set(keys)) == len(keys) == table["size"][number].as_py()
        assert members["member"].to_pylist() == list(range(len(keys)))
        assert set(members["source"].to_pylist()) == set(sources)
        assert set(keys) == set().union(*(grown[source] for source in sources))
        assert members["prefix"][0].as_py() == table["head"][number].as_py()


def test_the_table_of_clusters_describes_the_members(corpus: Corpus) -> None:
    table = corpus.read_clusters()
    assert table.schema.names == CLUSTERS.names
    for row in table.to_pylist():
        texts = corpus.read_members(row["cluster"])["prefix"].to_pylist()
        labels = [text.split() for text in texts]
        assert row["mean_tokens"] == pytest.approx(sum(map(len, labels)) / len(labels))
        training = [len(to_training(read_prefix(text))) for text in texts]
        assert row["mean_training_tokens"] == pytest.approx(sum(training) / len(training))
        used = {token for label in labels for token in label}
        assert set(row["operators"]) == {t for t in used if not t.lstrip("-").isdigit() and t != "x"}
        assert row["all_equal"]
        assert row["equal"] == row["size"] - 1
        assert row["total_members"] == str(10**30)


@pytest.mark.parametrize(
    ("text", "head", "member"),
    [
        ("+ x 1007", "+ x 1007", 0),
        ("+ 1007 x", "+ x 1007", 0),
        ("- x -1007", "+ x 1007", 0),
        ("+ pow sqrt pow x 2 1 + - x pow sqrt pow x 2 1 1007", "+ x 1007", None),
        ("/ sin x sin x", "d x + x 3", None),
    ],
)
def test_find_knows_a_function_in_any_form(corpus: Corpus, text: str, head: str, member: int | None) -> None:
    match = corpus.find_clusters(read_prefix(text))[0]
    assert (match.head, match.member, match.verdict.outcome) == (head, member, "equal")


def test_find_knows_what_is_not_there(corpus: Corpus) -> None:
    assert corpus.find_clusters(read_prefix("sinh x")) == []
    assert corpus.find_clusters(read_prefix("sqrt - -1 pow x 2")) == []  # defined nowhere


def test_heads_are_found_in_their_own_corpus(corpus: Corpus) -> None:
    for number, head in enumerate(corpus.read_clusters()["head"].to_pylist()):
        best = corpus.find_clusters(read_prefix(head))[0]
        assert (best.cluster, best.member, best.verdict.outcome) == (number, 0, "equal")


def test_a_cluster_that_is_not_there_is_an_explained_error(corpus: Corpus) -> None:
    with expect_error("E454"):
        corpus.read_members(99)


@pytest.mark.parametrize("name", ["clusters.parquet", "fingerprints.parquet", "manifest.json"])
def test_a_corrupt_table_is_named(tmp_path: Path, name: str) -> None:
    build_corpus(fake_growth.source(3), tmp_path, EgenConfig(members=2), service=fake_growth.service)
    victim = tmp_path / name
    victim.write_bytes(victim.read_bytes()[:-40])
    with expect_error("E320"):
        opened = open_corpus(tmp_path)
        opened.read_clusters()
        opened.find_clusters(read_prefix("x"))


@pytest.mark.parametrize(
    ("document", "code"),
    [('{"format": 4, "shards": [], "files": {}, "source": {}, "config": {}}', "E325"), ("[]", "E320")],
)
def test_a_manifest_of_another_kind_is_explained(tmp_path: Path, document: str, code: str) -> None:
    (tmp_path / "manifest.json").write_text(document)
    with expect_error(code, exit_code=2):
        open_corpus(tmp_path)


def test_an_empty_folder_is_no_corpus(tmp_path: Path) -> None:
    with expect_error("E322"):
        open_corpus(tmp_path)


def test_statistics_count_what_is_there(folder: Path, corpus: Corpus) -> None:
    found = corpus_stats(CorpusStats(folder))
    sizes = [members.num_rows for _, members in corpus.iterate_members()]
    assert found["clusters"] == len(sizes)
    assert found["expressions"] == sum(sizes)
    assert found["pairs_in_all"] == sum(n * (n - 1) for n in sizes)
    assert found["mean_cluster_size"] == pytest.approx(sum(sizes) / len(sizes), abs=0.01)
    assert found["merged_heads"] == 30 - len(sizes)
    assert sum(found["verdicts"].values()) == pytest.approx(1)
    assert found["stop_reasons"] == {"saturated": len(sizes)}
    for split in ("split", "split_by_shape"):
        sides = ("train", "validation", "neither")
        assert sum(found[split][side]["clusters"] for side in sides) == len(sizes)
        assert sum(found[split][side]["expressions"] for side in sides) == sum(sizes)
    assert found["split"]["pairs"] == sum(1 for _ in stream_pairs(corpus))
    json.dumps(found)


def test_streams_hold_members_of_training_clusters(corpus: Corpus) -> None:
    side = corpus.read_clusters()["split"].to_pylist()
    owner = {
        text: number for number, members in corpus.iterate_members() for text in members["prefix"].to_pylist()
    }
    pairs = list(stream_pairs(corpus, seed=3))
    assert len(set(pairs)) == len(pairs)
    for one, other in pairs:
        assert owner[one] == owner[other]
        assert side[owner[one]] == "train"
    assert list(stream_pairs(corpus, seed=3, start=100)) == pairs[100:]
    triplets = list(stream_triplets(corpus, seed=3, target=1_000))
    assert all(owner[a] == owner[p] != owner[n] for a, p, n in triplets)
    anchors = Counter(owner[a] for a, _, _ in triplets)
    assert set(anchors.values()) == {1_000 // side.count("train") + 1}


# --- splits


@settings(deadline=None)
@given(st.lists(st.integers(1, 150), min_size=2, max_size=80), st.integers(1, 400), st.integers(0, 2**32))
def test_the_papers_split_takes_small_clusters_until_there_are_enough(
    sizes: list[int], wanted: int, seed: int
) -> None:
    sides = paper_split(sizes, wanted, seed)
    assert sides == paper_split(sizes, wanted, seed)
    assert "train" in sides
    held = [size for size, side in zip(sizes, sides, strict=True) if side == "validation"]
    small = [size for size in sizes if 20 <= size <= 40]
    if sum(small) >= wanted and len(small) < len(sizes):
        assert all(20 <= size <= 40 for size in held)
        assert sum(held) >= wanted
        assert sum(held) - max(held) < wanted + 40 * len(held)


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.sets(st.sampled_from("abcdef"), min_size=1, max_size=2), st.integers(1, 50)), min_size=1
    ),
    st.integers(1, 400),
    st.integers(0, 2**32),
)
def test_no_shape_is_on_both_sides(clusters: list[tuple[set[str], int]], wanted: int, seed: int) -> None:
    shapes = [frozenset(names) for names, _ in clusters]
    sides = shape_split(shapes, [size for _, size in clusters], wanted, seed)
    on = {
        side: {name for names, here in zip(shapes, sides, strict=True) if here == side for name in names}
        for side in ("train", "validation")
    }
    assert not on["train"] & on["validation"]


def test_held_out_shapes_of_templates_come_with_all_functions_and_derivatives() -> None:
    heads = template_source("all").heads
    sides = shape_split([frozenset({head.shape}) for head in heads], [120] * len(heads), 9_500, 0)
    held = {head.shape for head, side in zip(heads, sides, strict=True) if side == "validation"}
    assert held
    assert 4_000 < 120 * sides.count("validation") <= 9_500
    for head, side in zip(heads, sides, strict=True):
        assert (head.shape in held) == (side == "validation")


# --- sources


def test_a_file_of_own_expressions_is_read_line_by_line(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text(
        "sin(2*x) + 3\n# a remark\n\n- tanh - * 3 x -4 6\nfoo(x)\nfloor(y)\n3 + sin(2*x)\nsin(2*x) + 3\n1/0\n"
    )
    source = file_source(file)
    assert [head.prefix for head in source.heads] == [
        "+ sin * 2 x 3", "- tanh - * 3 x -4 6", "+ 3 sin * 2 x",
    ]  # fmt: skip
    assert [bad.line for bad in source.bad_lines] == [5, 6, 9]
    assert source.repeated == 1
    assert source.name == "mine.txt"


def test_a_sample_has_heads_of_every_kind() -> None:
    whole = template_source("all")
    part = sample_heads(whole, 80, 0)
    assert Counter(head.kind for head in part.heads) == {
        "poly": 20, "function": 20, "poly_d": 20, "function_d": 20,
    }  # fmt: skip
    places = [whole.heads.index(head) for head in part.heads]
    assert places == sorted(set(places))
    assert sample_heads(whole, 80, 0) == part != sample_heads(whole, 80, 1)
    assert sample_heads(whole, 10_000, 0).heads == whole.heads


@pytest.mark.parametrize("content", [b"", b"\x00\x01\x02binary\x00", b"foo\nbar(\n", b"# only\n\n"])
def test_a_file_without_expressions_is_one_error(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "bad.txt"
    file.write_bytes(content)
    with pytest.raises(DataError) as caught:
        open_source(str(file))
    assert "bad.txt" in str(caught.value)
    assert caught.value.exit_code == 2


def test_neither_templates_nor_a_file() -> None:
    with expect_error("E451") as caught:
        open_source("nowhere.txt")
    assert caught.value.exit_code == 2


def test_shapes_of_own_expressions_ignore_constants_signs_and_functions() -> None:
    same = ["+ sin * 2 x 3", "- -4 cos / x 9", "d x + ln * 5 x 2"]
    assert len({to_skeleton(read_prefix(text)) for text in same}) == 1
    assert to_skeleton(read_prefix("sin sin x")) != to_skeleton(read_prefix("sin x"))


# --- saved clusters


SMALL = EgenConfig(members=2)


def grown(head: str, *members: str) -> GrownHead:
    rows = [StoredMember(text, MemberVerdict("equal", 1.0)) for text in (head, *members)]
    return GrownHead(0, tuple(rows), "saturated", 2, 10, 5, "12345678901234567890123")


def test_saved_clusters_gather_in_one_corpus(tmp_path: Path) -> None:
    out = tmp_path / "saved"
    heads = [f"+ sin x {n}" for n in range(20)]
    assert [save_cluster(out, grown(head, f"- {head} 0"), SMALL) for head in heads] == list(range(20))
    # What is there stays as it is: the same head with other members is one cluster more.
    assert save_cluster(out, grown("+ sin x 3", "+ 3 sin x"), SMALL) == 20
    assert save_cluster(out, grown("+ sin x 3", "- + sin x 3 0"), SMALL) == 3
    corpus = open_corpus(out)
    assert corpus.read_clusters()["head"].to_pylist() == [*heads, "+ sin x 3"]
    assert corpus.read_members(3)["prefix"].to_pylist() == ["+ sin x 3", "- + sin x 3 0"]
    assert corpus.read_members(20)["prefix"].to_pylist() == ["+ sin x 3", "+ 3 sin x"]
    assert corpus.read_members(19)["prefix"].to_pylist() == ["+ sin x 19", "- + sin x 19 0"]
    assert corpus.read_clusters()["total_members"][4].as_py() == "12345678901234567890123"
    assert len(list((out / "shards").iterdir())) == 2


def test_isolated_points_are_kept_with_verdicts(tmp_path: Path) -> None:
    cluster = grown("1", "/ x x")
    rows = (
        cluster.rows[0],
        replace(cluster.rows[1], verdict=MemberVerdict("equal", 1.0, exceptional_text="0")),
    )
    # the second save reads and writes the first again
    for head in (replace(cluster, rows=rows), grown("+ x 5")):
        save_cluster(tmp_path / "new", head, SMALL)
    assert open_corpus(tmp_path / "new").read_members(0)["except"].to_pylist() == ["", "0"]
    shown = show_cluster(ShowCluster(tmp_path / "new", 0))["members"]
    assert [row.get("except") for row in shown] == [None, "0"]


def test_a_shard_from_before_isolated_points_were_kept_is_read(tmp_path: Path) -> None:
    stored = write_shard(tmp_path, 0, [grown("1", "/ x x")])
    data = parquet_bytes(parquet_table((tmp_path / stored.name).read_bytes()).drop_columns("except"))
    path = tmp_path / f"shard-00001-{sha256(data).hexdigest()[:16]}.parquet"
    path.write_bytes(data)
    rows = read_shard(path).rows
    assert [*rows.schema.names] == [*ROWS.names, "by"]
    assert rows["except"].to_pylist() == rows["by"].to_pylist() == ["", ""]


def test_clusters_are_not_saved_into_a_built_corpus(folder: Path) -> None:
    with expect_error("E452"):
        save_cluster(folder, grown("x"), SMALL)


def test_a_saved_corpus_is_not_grown(tmp_path: Path) -> None:
    save_cluster(tmp_path, grown("x"), SMALL)
    with expect_error("E452"):
        build_corpus(fake_growth.source(3), tmp_path, EgenConfig(members=2), service=fake_growth.service)
