"""A collection's runs held against each other: what is counted, and what is left out with a reason."""

from __future__ import annotations

import csv
from math import log2
from pathlib import Path

import pytest

from engines.arqmath.collection.posts import find_posts, shorten_text
from engines.arqmath.ranking.overview import Rankings, answer_rows, run_name
from engines.forum.folder import ArqmathFolder, natural_key
from engines.retrieval.pictures import draw_bars, draw_differences
from tests.conftest import expect_error
from tests.screens.arqmath_engine import write_collection, write_run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> ArqmathFolder:
    return ArqmathFolder.open(write_collection(tmp_path_factory.mktemp("rankings") / "mini"))


def test_the_gain_and_its_change_by_hand(folder: ArqmathFolder) -> None:
    found = Rankings.from_folder(folder)
    rows = {row["id"]: row for row in answer_rows(found.describe_ranking("A.1"), "dense", "bm25")}
    # dense: 13 (0), 22 (unjudged), 12 (2), 14 (1), 11 (3); bm25: 11, 12, 14, 13
    assert rows["12"]["gain"] == pytest.approx(2 / log2(3))
    assert rows["11"]["gain"] == pytest.approx(3 / log2(5))
    assert rows["11"]["change"] == pytest.approx(3 / log2(5) - 3)
    assert (rows["22"]["gain"], rows["22"]["change"]) == (None, None)
    assert (rows["11"]["rank"], rows["11"]["other"], rows["11"]["move"]) == (5, 1, -4)
    assert rows["99"]["run"] == []
    # The gains of all answers over the ideal ones are the measure.
    ideal = 3 + 2 / log2(3) + 2 / log2(4) + 1 / log2(5)
    gains = sum(row["gain"] or 0.0 for row in rows.values())
    assert found.runs["dense"].evaluation is not None
    assert gains / ideal == pytest.approx(found.runs["dense"].evaluation.per_topic["A.1"]["ndcg_prime"])


def test_without_a_second_run_nothing_moves(folder: ArqmathFolder) -> None:
    rows = answer_rows(Rankings.from_folder(folder).describe_ranking("A.1"), "bm25")
    assert all(row["move"] is None and row["change"] is None for row in rows)
    assert [row["id"] for row in rows] == ["11", "12", "14", "13", "99"]


def test_answers_that_only_the_other_run_has_follow(folder: ArqmathFolder) -> None:
    rows = answer_rows(Rankings.from_folder(folder).describe_ranking("A.2"), "bm25", "dense")
    assert [(row["id"], row["rank"], row["other"]) for row in rows][-1] == ("11", None, 4)


def test_the_overview_counts_every_topic_once(folder: ArqmathFolder) -> None:
    found = Rankings.from_folder(folder).build_overview()
    assert [topic["id"] for topic in found["topics"]] == ["A.1", "A.2", "A.3"]
    assert found["grades"] == [2, 1, 3, 2]
    assert [run["name"] for run in found["runs"]] == ["bm25", "dense"]
    first = found["topics"][0]
    assert (first["kind"], first["grades"], first["judged"]["dense"]) == ("both", [1, 1, 2, 1], (4, 5))
    assert found["topics"][2]["grades"] is None
    assert found["answers"][0] | {"path": ""} == {
        "name": "gpt", "path": "", "topics": 2, "judged": 1, "ar": 3.0, "p1": 1.0,
    }  # fmt: skip


def test_a_run_is_held_against_the_judgements_of_its_own_year(tmp_path: Path) -> None:
    folder = write_collection(tmp_path / "mini", posts=False)
    (folder / "qrels_task1_later.tsv").write_text("A.201\t0\t11\t3\n", "utf-8")
    write_run(folder / "runs_task1" / "later.tsv", {"A.201": ["11"]})
    found = Rankings.from_folder(ArqmathFolder.open(folder))
    means = {run["name"]: (run["judged_topics"], run["ndcg_prime"]) for run in found.build_overview()["runs"]}
    assert means["later"] == (1, 1.0)
    assert means["bm25"][0] == 2


def test_all_files_of_judgements_count(tmp_path: Path) -> None:
    folder = write_collection(tmp_path / "mini", posts=False)
    before = dict(Rankings.from_folder(ArqmathFolder.open(folder)).grades["A.1"])
    (folder / "qrels_task1_more.tsv").write_text("A.1\t0\t13\t3\nA.1\t0\t99\t2\n", "utf-8")
    found = Rankings.from_folder(ArqmathFolder.open(folder))
    assert found.grades["A.1"] == {**before, "99": 2}
    assert before["13"] == 0
    assert any("qrels_task1_more.tsv grades 1 answers differently" in told for told in found.problems)


def test_what_cannot_be_read_is_told_and_left_out(tmp_path: Path) -> None:
    folder = write_collection(tmp_path / "mini", posts=False)
    (folder / "runs_task1" / "bad.tsv").write_text("A.1 Q0 11 1 nan x\n", "utf-8")
    (folder / "topic_info.csv").write_text("Subject,Type\nA.1,Both\n", "utf-8")
    found = Rankings.from_folder(ArqmathFolder.open(folder), [tmp_path / "gone.tsv"])
    assert list(found.runs) == ["bm25", "dense"]
    told = "\n".join(found.problems)
    assert all(words in told for words in ("bad.tsv:1", "gone.tsv", "no column 'Topic'"))
    with expect_error("E371"):
        found.describe_ranking("A.9")
    with expect_error("E372") as caught:
        found.find_run("x")
    assert "bm25" in caught.value.remedy


def test_runs_of_one_name_stay_apart_and_a_stop_leaves_out_the_rest(tmp_path: Path) -> None:
    folder = ArqmathFolder.open(write_collection(tmp_path / "mini", posts=False))
    other = write_run(tmp_path / "bm25.tsv", {"A.1": ["11"]})
    assert list(Rankings.from_folder(folder, [other]).runs) == ["bm25", "dense", "bm25-2"]
    stopped = Rankings.from_folder(folder, stop=lambda: True)
    assert not stopped.runs
    assert "stopped before bm25.tsv was read" in stopped.problems


def test_names_and_order() -> None:
    assert [run_name(Path(name)) for name in ("a.tsv.gz", "b.run", "c.d.txt", ".tsv")] == [
        "a",
        "b",
        "c.d",
        ".tsv",
    ]
    assert sorted(["A.10", "A.9", "B.1", "A.9b"], key=natural_key) == ["A.9", "A.9b", "A.10", "B.1"]


def test_posts_are_found_without_an_index(folder: ArqmathFolder, tmp_path: Path) -> None:
    found = find_posts(folder, ["11", "10", "nope"], tmp_path)
    assert sorted(found) == ["10", "11"]
    assert found["11"].parent == "10"
    assert found["11"].text.startswith("Count subsets by size: $")
    bare = ArqmathFolder(tmp_path, "bare")
    with expect_error("E312") as caught:
        find_posts(bare, ["1"])
    assert caught.value.exit_code == 3


@pytest.mark.parametrize("plain", [False, True])
def test_a_snippet_never_cuts_a_formula(plain: bool) -> None:
    text = "word " * 30 + "$\\frac{a}{b} + " + "x + " * 20 + "y$ end"
    line = shorten_text(text, 160, plain=plain)
    assert line.count("$") % 2 == 0
    assert line.endswith("y$" if plain else "y")
    assert shorten_text("long " * 100, 20) == "long long long long"
    assert "\n" not in shorten_text("a\nb", 20)


def test_the_picture_has_a_bar_for_every_topic_and_escapes_names() -> None:
    from lxml import etree

    drawn = etree.fromstring(draw_bars({"A.1": 0.5, "A.2": 0.25}, "<dense>", ticks={"A.2": 0.75}).encode())
    rows = drawn.findall(".//{*}rect[{*}title]")
    assert [row[0].text for row in rows] == ["A.1 0.5000", "A.2 0.2500"]
    assert [float(row.get("height")) for row in rows] == [120, 60]  # of 240 for 1
    floor = {float(row.get("y")) + float(row.get("height")) for row in rows}
    (tick,) = [line for line in drawn.iter("{*}line") if line.get("stroke-width") == "2"]
    assert floor.pop() - float(tick.get("y1")) == 180
    assert not floor
    texts = [text.text for text in drawn.iter("{*}text")]
    assert texts[0] == "<dense>"
    assert "mean 0.3750" in texts


def test_differences_stand_above_and_below_zero_the_highest_first() -> None:
    from lxml import etree

    drawn = etree.fromstring(
        draw_differences([("a", {"A.1": -0.1, "A.2": 0.2}), ("b", {"A.1": 0.0})]).encode()
    )
    first, second = drawn.findall("{*}g")
    rows = first.findall("{*}rect")
    assert [row[0].text for row in rows] == ["A.2 +0.2000", "A.1 -0.1000"]
    # A scale from -.2 to .2 on 240 pixels: both bars end at 0.
    assert [float(row.get("height")) for row in rows] == [120, 60]
    assert float(rows[0].get("y")) + 120 == float(rows[1].get("y"))
    assert [row[0].text for row in second.findall("{*}rect")] == ["A.1 +0.0000"]


@pytest.mark.slow
@pytest.mark.real_data
def test_means_of_the_real_runs_are_the_published_ones(real_data: Path) -> None:
    found = Rankings.from_folder(ArqmathFolder.open(real_data / "arqmath"))
    runs = {run["name"]: run for run in found.build_overview()["runs"]}
    with open(real_data / "arqmath" / "runs_task1_2020" / "scores.tsv", encoding="utf-8") as file:
        published = list(csv.DictReader(file, delimiter="\t"))
    assert published
    for row in published:
        assert runs[row["run"]]["ndcg_prime"] == pytest.approx(float(row["ndcg_prime"]), abs=5e-5)
        assert runs[row["run"]]["map_prime"] == pytest.approx(float(row["map_prime_rel2"]), abs=5e-5)


def test_a_collection_without_any_topic_says_so(tmp_path: Path) -> None:
    (tmp_path / "posts.jsonl").write_text("")
    (tmp_path / "arqmath.toml").write_text("")
    found = Rankings.from_folder(ArqmathFolder.open(tmp_path))
    assert found.topic_ids() == []
    assert "no topics" in found.problems[0]
    assert "topics_task1" in found.problems[0]
