"""Pairs to fine-tune on: what is correct, what may be incorrect, what is held out."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from engines.arqmath.training.data_files import DrawPairs, write_drawn_pairs
from engines.arqmath.training.finetuning import open_pair_sampler
from engines.arqmath.training.pairs import (
    AnnotatedTopics,
    DrawnPairs,
    HardNegatives,
    Threads,
    draw_pairs,
    read_threads,
)
from engines.core.errors import DataError, EngineError
from engines.forum.folder import ArqmathFolder
from engines.retrieval.trec import TrecRun, read_qrels
from tests.arqmath.small_forum import forum
from tests.conftest import expect_error

ANSWERS = {n: n % 4 for n in range(1, 25)}
SAME = {"1", "5", "9"}


@pytest.fixture
def threads(tmp_path: Path) -> Threads:
    return read_threads(ArqmathFolder.open(forum(tmp_path / "forum")))


def owner(answer: str) -> str:
    return str(int(answer) // 100)


def test_threads_are_the_questions_with_answers(threads: Threads) -> None:
    assert {q: len(a) for q, a in zip(threads.questions, threads.answers, strict=True)} == {
        str(n): count for n, count in ANSWERS.items() if count
    }
    assert threads.left_out["questions without answers"] == 6
    groups = dict(zip(threads.questions, threads.groups, strict=True))
    assert groups["1"] == groups["5"] == groups["9"]
    assert Counter(threads.groups).most_common(2)[1][1] == 1


@pytest.mark.parametrize("per_question", [1, 2, 10])
def test_pairs_are_balanced_and_of_the_right_questions(threads: Threads, per_question: int) -> None:
    pairs = draw_pairs(threads, per_question=per_question, seed=3)
    expected = sum(min(per_question, count) for count in ANSWERS.values())
    assert Counter(pair.label for pair in pairs) == {1: expected, 0: expected}
    assert pairs.counts["correct"] == pairs.counts["incorrect"] == expected
    tags = dict(zip(threads.questions, threads.tags, strict=True))
    for pair in pairs:
        if pair.label:
            assert owner(pair.answer) == pair.question
        else:
            assert owner(pair.answer) != pair.question
            assert not {owner(pair.answer), pair.question} <= SAME
            assert set(tags[owner(pair.answer)]) & set(tags[pair.question])
    assert len({(pair.question, pair.answer) for pair in pairs}) == len(pairs)


def test_whole_questions_are_held_out(threads: Threads) -> None:
    pairs = draw_pairs(threads, per_question=10, seed=0)
    sides = {side: {p.question for p in pairs if p.held_out is side} for side in (True, False)}
    assert not sides[True] & sides[False]
    assert len(sides[True]) == pairs.counts["held_out_questions"] == 2


def test_the_seed_determines_everything(threads: Threads) -> None:
    first, again, other = (list(draw_pairs(threads, per_question=2, seed=seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_a_tag_of_its_own_falls_back_to_any_question(tmp_path: Path) -> None:
    rows = [
        {"id": 1, "type": 1, "title": "a", "body": "a", "tags": ["only-here"]},
        {"id": 2, "type": 1, "title": "b", "body": "b", "tags": []},
        {"id": 11, "type": 2, "body": "x", "parent_id": 1},
        {"id": 21, "type": 2, "body": "y", "parent_id": 2},
    ]
    pairs = drawn(tmp_path, rows)
    assert {(pair.question, pair.answer, pair.label) for pair in pairs} == {
        ("1", "11", 1),
        ("1", "21", 0),
        ("2", "21", 1),
        ("2", "11", 0),
    }


def test_duplicates_alone_give_no_pairs(tmp_path: Path) -> None:
    rows = [
        {"id": 1, "type": 1, "title": "a", "body": "a", "tags": ["t"]},
        {"id": 2, "type": 1, "title": "b", "body": "b", "tags": ["t"]},
        {"id": 11, "type": 2, "body": "x", "parent_id": 1},
        {"id": 21, "type": 2, "body": "y", "parent_id": 2},
    ]
    # Both are duplicates of a question that the collection lacks.
    (tmp_path / "PostLinks.xml").write_text(
        '<postlinks>\n<row Id="1" PostId="1" RelatedPostId="77" LinkTypeId="3" />\n'
        '<row Id="2" PostId="2" RelatedPostId="77" LinkTypeId="3" />\n'
        '<row Id="3" PostId="2" RelatedPostId="1" LinkTypeId="1" />\n</postlinks>\n'
    )
    pairs = drawn(tmp_path, rows)
    assert (len(pairs), pairs.counts["correct_left_out"]) == (0, 2)


def drawn(folder: Path, rows: list[dict[str, object]]) -> DrawnPairs:
    (folder / "posts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return draw_pairs(read_threads(ArqmathFolder.open(folder)), per_question=1, seed=0)


def test_what_is_evaluated_on_is_kept_out_with_its_duplicates(tmp_path: Path) -> None:
    found = read_threads(ArqmathFolder.open(forum(tmp_path)), exclude=["9", "2", "5000"])
    assert {"1", "2", "5", "9"}.isdisjoint(found.questions)
    assert found.left_out["questions excluded"] == 4
    assert not {owner(answer) for answer in found.known} & {"1", "2", "5", "9"}


def test_a_collection_without_answers_is_refused(tmp_path: Path) -> None:
    (tmp_path / "posts.jsonl").write_text('{"id": 1, "type": 1, "title": "a", "body": "a", "tags": []}\n')
    with pytest.raises(DataError) as caught:
        read_threads(ArqmathFolder.open(tmp_path))
    assert (caught.value.code, caught.value.exit_code) == ("E674", 3)


QRELS = "A.1 0 100 3\nA.1 0 200 2\nA.1 0 300 1\nA.1 0 301 0\nA.1 0 999 3\nA.2 0 500 1\nA.3 0 600 2\n"


def test_annotated_pairs_take_the_relevant_and_what_a_model_ranked(threads: Threads, tmp_path: Path) -> None:
    path = tmp_path / "qrels.tsv"
    path.write_text(QRELS)
    results = ["100", "301", "300", "700", "998"]
    run = TrecRun.from_scores(
        "m", {"A.1": [(a, -float(n)) for n, a in enumerate(results)], "A.2": [("100", 1.0)]}
    )
    source = AnnotatedTopics.from_qrels(read_qrels(path), run, threads.known)
    assert source.questions == ("A.1",)
    assert set(source.list_correct(0)) == {"100", "200"}
    assert set(source.draw_incorrect(0, 9, Random(0))) == {"301", "300", "700"}
    pairs = draw_pairs(source, per_question=99, seed=0)
    assert (pairs.counts["correct"], pairs.counts["incorrect"]) == (2, 2)
    with expect_error("E674"):
        AnnotatedTopics.from_qrels(read_qrels(path), run, ["998"])


def test_hard_negatives_are_what_a_first_stage_ranks_high(threads: Threads) -> None:
    ranked = {q: [(a, 1.0) for a in ("100", "500", "900", "1000", "1001")] for q in threads.questions}
    run = TrecRun.from_scores("bm25", ranked)
    every = draw_pairs(HardNegatives(threads, run, 1.0), per_question=1, seed=0)
    wrong = {pair.question: pair.answer for pair in every if not pair.label}
    assert set(wrong.values()) <= {"100", "500", "900", "1000", "1001"}
    assert all(wrong[question] in {"1000", "1001"} for question in SAME)
    assert wrong["10"] in {"100", "500", "900"}
    none = draw_pairs(HardNegatives(threads, run, 0.0), per_question=1, seed=0)
    assert len(none) == len(every)


def test_files_that_do_not_fit_are_told(tmp_path: Path) -> None:
    folder = ArqmathFolder.open(forum(tmp_path / "forum"))
    path = tmp_path / "x.tsv"
    path.write_text(QRELS)
    with expect_error("E674"):
        open_pair_sampler(folder, annotated=path)
    path.write_text("A.1\t100\t1\t0.5\tm\n")
    with expect_error("E674"):
        open_pair_sampler(folder, hard_negatives=path)


def test_the_operation_writes_what_is_drawn(tmp_path: Path) -> None:
    folder, out = forum(tmp_path / "forum"), tmp_path / "pairs.tsv"
    document = write_drawn_pairs(DrawPairs(folder, out, seed=3))
    drawn = draw_pairs(read_threads(ArqmathFolder.open(folder)), per_question=1, seed=3)
    header, *lines = out.read_text().splitlines()
    assert header.split("\t") == ["question", "answer", "label", "side"]
    assert [tuple(line.split("\t")[:3]) for line in lines] == [
        (pair.question, pair.answer, str(pair.label)) for pair in drawn
    ]
    assert document["pairs"] == len(lines)
    with pytest.raises(EngineError) as caught:
        DrawPairs(folder, out, run=out)
    assert (caught.value.code, caught.value.exit_code) == ("E427", 2)


@pytest.mark.real_data
def test_the_mini_collection(real_data: Path) -> None:
    threads = read_threads(ArqmathFolder.open(real_data / "arqmath"))
    pairs = draw_pairs(threads, per_question=1, seed=0)
    assert pairs.counts["correct"] == pairs.counts["incorrect"] == 2_769
    places = {question: place for place, question in enumerate(threads.questions)}
    groups = threads.groups
    assert all(
        groups[places[pair.question]] != groups[threads.known[pair.answer]]
        for pair in pairs
        if not pair.label
    )
