"""A corpus for others: what is held out, and every expression with its cluster, verdict and split."""

from __future__ import annotations

import csv
import gzip
import json
import re
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from engines.egen.corpora import ExportCorpus, ImportClusters, export_corpus, import_clusters
from engines.egen.corpus.assemble import held_out_split
from engines.egen.corpus.build import build_corpus, saved_plan
from engines.egen.corpus.folder import open_corpus
from engines.egen.settings import EgenConfig
from tests.conftest import expect_error, mathwb
from tests.egen import fake_growth

CONFIG = EgenConfig(members=5)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("published") / "corpus"
    built = build_corpus(fake_growth.source(40), out, CONFIG, held_out=0.25, service=fake_growth.service)
    assert (built.clusters, built.held_out) == (40, 10)
    return out


def test_the_share_is_of_clusters_and_part_of_the_plan(corpus: Path) -> None:
    sides = open_corpus(corpus).read_clusters()["split"].to_pylist()
    assert (sides.count("validation"), sides.count("train")) == (10, 30)
    assert saved_plan(corpus).held_out == 0.25
    source = saved_plan(corpus).source
    assert build_corpus(source, corpus, CONFIG, service=fake_growth.service).held_out == 10
    with expect_error("E452"):
        build_corpus(source, corpus, CONFIG, held_out=0.5, service=fake_growth.service)
    assert held_out_split(1, 0.5, 0) == ["train"]
    assert held_out_split(9, 0.0, 0) == ["train"] * 9
    assert held_out_split(100, 0.2, 1) != held_out_split(100, 0.2, 2)


def test_every_layout_has_cluster_verdict_and_split(corpus: Path, tmp_path: Path) -> None:
    stored = open_corpus(corpus)
    sides = stored.read_clusters()["split"].to_pylist()
    wanted = [
        (number, row["member"], row["prefix"], row["verdict"], sides[number])
        for number, members in stored.iterate_members()
        for row in members.to_pylist()
    ]
    names = ("cluster", "member", "prefix", "verdict", "split")
    for end in ("csv", "parquet", "jsonl"):
        made = export_corpus(ExportCorpus(corpus, tmp_path / f"x.{end}"))
        assert (made["layout"], made["clusters"]) == (end, 40)
    table = pq.read_table(tmp_path / "x.parquet")
    assert [tuple(row[name] for name in names) for row in table.to_pylist()] == wanted
    with (tmp_path / "x.csv").open() as file:
        rows = [tuple(row[name] for name in names) for row in csv.DictReader(file)]
    assert rows == [tuple(map(str, row)) for row in wanted]
    lines = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text().splitlines()]
    flat = [
        (line["cluster"], place, text, verdict, line["split"])
        for line in lines
        for place, (text, verdict) in enumerate(zip(line["exprs"], line["verdicts"], strict=True))
    ]
    assert flat == wanted
    assert export_corpus(ExportCorpus(corpus, tmp_path / "x.jsonl.gz"))["layout"] == "jsonl"
    assert gzip.decompress((tmp_path / "x.jsonl.gz").read_bytes()) == (tmp_path / "x.jsonl").read_bytes()
    with expect_error("E427"):
        export_corpus(ExportCorpus(corpus, tmp_path / "x.csv.gz"))


def test_a_card_claims_no_settings_of_what_was_not_grown(corpus: Path, tmp_path: Path) -> None:
    def made(name: str) -> str:
        export_corpus(ExportCorpus(tmp_path / name, tmp_path / f"set-{name}", layout="dataset"))
        return (tmp_path / f"set-{name}" / "README.md").read_text().split("| made from")[1]

    (tmp_path / "clusters.txt").write_text("+ x x\n* 2 x\n\n")
    import_clusters(ImportClusters(tmp_path / "clusters.txt", tmp_path / "imported"))
    shutil.copytree(corpus, tmp_path / "grown")
    assert "| members a head, tokens | 5, 25 |" in made("grown")
    assert "members a head" not in made("imported")
    assert "| clusters | published |" in made("imported")
    for name in ("grown", "imported"):
        assert "| terms of | real functions |" in made(name)


def test_the_folder_has_a_card_and_opens_as_a_data_set(corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "set"
    made = export_corpus(ExportCorpus(corpus, folder, layout="dataset"))
    assert made["sides"] == {"train": 30, "validation": 10}
    card = (folder / "README.md").read_text()
    front = card.split("---\n")[1]
    found = {}
    for side, pattern in re.findall(r"- split: (\w+)\n    path: (\S+)", front):
        (file,) = folder.glob(pattern)
        found[side] = pq.read_table(file)
    assert set(found) == {"train", "validation"}
    assert f"| validation | 10 | {found['validation'].num_rows:,} |" in card
    clusters = {side: set(table["cluster"].to_pylist()) for side, table in found.items()}
    assert not clusters["train"] & clusters["validation"]
    assert sum(map(len, clusters.values())) == 40
    for column in found["train"].column_names:
        assert f"| `{column}` |" in card
    shapes = open_corpus(corpus).read_clusters()["split_by_shape"].to_pylist()
    export_corpus(ExportCorpus(corpus, folder, layout="dataset", split="shapes"))
    rows = [row for file in (folder / "data").iterdir() for row in pq.read_table(file).to_pylist()]
    assert [side for _, side in sorted({(row["cluster"], row["split"]) for row in rows})] == shapes
    assert shapes != open_corpus(corpus).read_clusters()["split"].to_pylist()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "README.md").write_text("mine")
    with expect_error("E452"):
        export_corpus(ExportCorpus(corpus, tmp_path / "mine", layout="dataset"))
    assert (tmp_path / "mine" / "README.md").read_text() == "mine"
    for name in (".git/HEAD", "README.md"):
        (folder / name).parent.mkdir(exist_ok=True)
        before = (folder / name).read_text() if (folder / name).exists() else ""
        (folder / name).write_text(before + "mine")
        with expect_error("E452"):
            export_corpus(ExportCorpus(corpus, folder, layout="dataset"))
        assert (folder / name).read_text() == before + "mine"
        (folder / name).write_text(before) if before else (folder / name).unlink()
    export_corpus(ExportCorpus(corpus, folder, layout="dataset"))


def test_huggingface_datasets_opens_it(corpus: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    export_corpus(ExportCorpus(corpus, tmp_path / "set", layout="dataset"))
    opened = datasets.load_dataset(str(tmp_path / "set"), cache_dir=str(tmp_path / "cache"))
    assert {side: len(set(rows["cluster"])) for side, rows in opened.items()} == {
        "train": 30,
        "validation": 10,
    }


def test_registered_expressions_are_templates_by_name(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("x + 1\n2*x\n")
    assert mathwb("data", "add", "expressions", tmp_path / "mine.txt").returncode == 0
    built = mathwb(
        *("egen", "corpus", "--templates", "mine", "--members", 2, "--nodes", 60, "--workers", 1),
        *("--out", tmp_path / "corpus", "--json"),
    )
    assert built.returncode == 0, built.stderr
    assert json.loads(built.stdout)["heads"] == 2
    missing = mathwb("egen", "corpus", "--templates", "mien", "--out", tmp_path / "other")
    assert missing.returncode == 2
    assert "E451" in missing.stderr
