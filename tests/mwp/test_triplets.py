"""Triplets: similarities beside NLTK and zss, and the strategies on a pool small enough to see through."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zss
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.core.errors import EngineError
from engines.core.system import asset
from engines.core.tree import Tree
from engines.core.tree_edit import NearestTrees
from engines.mwp.problems.problem import read_equation
from engines.mwp.problems.readers import read_problems
from engines.mwp.triplets.find_and_explain import explain, find_triplets, list_anchors, open_pool
from engines.mwp.triplets.hard_triplets import (
    CANDIDATES,
    Joint,
    equation_vectors,
    parts_of,
    text_vectors,
    to_encoder_prefix,
)
from engines.mwp.triplets.settings import (
    ExplainTriplet,
    FindTriplets,
    ListAnchors,
    Similarity,
    Triplet,
)
from engines.mwp.triplets.similarity import (
    BiBleu,
    compare_problems,
    compute_bibleu,
    equation_similarity,
    tokenize_for_bleu,
)
from tests.conftest import expect_error
from workbench.papers.mwp.tables import anchors


def by_nltk(left: Any, right: Any) -> float:
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    smooth = SmoothingFunction().method1
    return sum(
        sentence_bleu([list(a)], list(b), smoothing_function=smooth) / 2
        for a, b in ((left, right), (right, left))
    )


@given(st.lists(st.text(alphabet="abN_0", min_size=1, max_size=12), min_size=2, max_size=4))
def test_bibleu_is_nltks(texts: list[str]) -> None:
    found = BiBleu(texts)
    for place, text in enumerate(texts):
        scores = found.compare_texts(place, np.arange(len(texts)))
        assert scores == pytest.approx([by_nltk(text, other) for other in texts], abs=1e-12)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("abc", "abd", 0.2403),
        ("N_0+N_1", "N_1+N_0", 0.3344),
        ("买N_0个苹果", "买N_0个梨", 0.6290),
        ("小明有N_0个苹果，吃了N_1个，还剩多少个？", "小明有N_0个苹果，又买N_1个，现在有多少个？", 0.6281),
    ],
)
def test_bibleu_of_worked_examples(left: str, right: str, expected: float) -> None:
    assert compute_bibleu(tokenize_for_bleu(left, "zh"), tokenize_for_bleu(right, "zh")) == pytest.approx(
        expected, abs=5e-5
    )


def test_tokens_are_words_in_english_and_characters_in_chinese() -> None:
    assert tokenize_for_bleu("Tom's N_0 pens, left?", "en") == ("tom's", "N_0", "pens", ",", "left", "?")
    assert tokenize_for_bleu("买N_0个", "zh") == ("买", "N", "_", "0", "个")
    assert tokenize_for_bleu("买N_0个", "zh", "words") == ("买", "N_0", "个")
    assert tokenize_for_bleu("a N_0", "en", "characters") == ("a", " ", "N", "_", "0")


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("N_0+N_1", "N_0-N_1", 0.8333),
        ("N_0*N_1/N_2", "N_0*N_1", 0.75),
        ("N_0/N_1", "N_1/N_0", 0.6667),
        ("N_0-N_1", "N_0-(N_1-N_2)", 0.75),
        ("N_0*(C_1-N_1)", "N_0*N_1", 0.75),
        ("N_0*(N_1+N_2)", "N_0*N_1+N_2", 0.70),
    ],
)
def test_similarity_of_worked_equations(left: str, right: str, expected: float) -> None:
    trees = read_equation(left, Tree), read_equation(right, Tree)
    assert equation_similarity(*trees) == pytest.approx(expected, abs=5e-5)


def by_zss(left: Tree, right: Tree) -> float:
    edits = zss.distance(
        left,
        right,
        lambda node: list(node.children),
        lambda node: 1,
        lambda node: 1,
        lambda one, other: int(one.label != other.label),
    )
    return float(1 - edits / (len(left) + len(right)))


equations = st.recursive(
    st.sampled_from(["N_0", "N_1", "C_1"]).map(Tree),
    lambda inner: st.builds(lambda label, a, b: Tree(label, (a, b)), st.sampled_from("+-*/"), inner, inner),
    max_leaves=6,
)


@settings(max_examples=20)
@given(st.lists(equations, min_size=3, max_size=8, unique=True), st.integers(1, 3))
def test_the_nearest_equations_are_those_of_zss(trees: list[Tree], levels: int) -> None:
    nearest = NearestTrees(trees)
    for place, tree in enumerate(trees):
        row = [by_zss(tree, other) for other in trees]
        assert nearest.compute_similarities(place) == pytest.approx(row)
        others = sorted({round(value, 9) for at, value in enumerate(row) if at != place}, reverse=True)
        found = nearest.list_neighbours(place, levels=levels)
        assert [round(level, 9) for level, _ in found] == others[:levels]
        for level, places in found:
            assert places.tolist() == [
                at for at, value in enumerate(row) if at != place and value == pytest.approx(level)
            ]


ROWS = [
    ("a", "Tom has 3 red pens and 4 blue pens . How many pens has he ?", "3+4"),
    ("b", "A farm keeps 8 cows and 2 sheep . How many animals live there ?", "8+2"),
    ("c", "Tom has 7 red pens and buys 9 blue pens . How many pens has he ?", "7+9"),
    ("d", "Tom has 9 red pens and loses 4 red pens . How many pens has he ?", "9-4"),
    ("e", "A shop sold 9 of its 20 hats . How many hats has it ?", "20-9"),
    ("f", "Tom has 3 boxes of 6 pens and drops 2 pens . How many pens has he ?", "3*6-2"),
    ("g", "Rows of 5 chairs stand 4 deep . How many chairs are there ?", "5*4"),
]


def written(place: Path, rows: list[tuple[str, str, str]] = ROWS) -> Path:
    path = place / "problems.jsonl"
    path.write_text(
        "".join(json.dumps({"id": id_, "text": text, "equation": eq}) + "\n" for id_, text, eq in rows)
    )
    return path


def found(path: Path, **settings: Any) -> dict[str, Triplet]:
    return {one.anchor: one for one in find_triplets(FindTriplets(path, **settings))["triplets"]}


def test_exact_match_takes_the_least_like_positive_and_the_most_like_negative(tmp_path: Path) -> None:
    path = written(tmp_path)
    by_id = {one.id: one for one in read_problems(path).rows}
    rows = found(path)

    def text(one: str, other: str) -> float:
        return by_nltk(*(tokenize_for_bleu(by_id[id_].text, "en") for id_ in (one, other)))

    # a+b: the others of its equation are b and c; N_0-N_1, N_1-N_0... and N_0*N_1 differ by one label.
    assert min("bc", key=lambda other: text("a", other)) == rows["a"].positive == "b"
    assert rows["a"].eq_sim_negative == pytest.approx(5 / 6)
    assert rows["a"].negative == max("dg", key=lambda other: text("a", other)) == "d"
    assert rows["a"].text_sim_negative == pytest.approx(text("a", "d"), abs=1e-12)
    assert not rows["a"].alone
    # d is alone with its equation, and its own positive.
    assert (rows["d"].positive, rows["d"].alone, rows["d"].text_sim_positive) == ("d", True, 1.0)


def test_nearest_neighbour_differs_only_where_an_anchor_is_alone(tmp_path: Path) -> None:
    path = written(tmp_path)
    exact, near = found(path), found(path, strategy="nn")
    assert {id_ for id_ in exact if asdict(near[id_]) | {"strategy": "em"} != asdict(exact[id_])} == set(
        "defg"
    )
    # The nearest equations of N_0-N_1 are N_0+N_1 and N_0*N_1, 5/6; the next nearest the negative's.
    assert near["d"].eq_sim_positive == pytest.approx(5 / 6)
    assert near["d"].positive in "abcg"
    assert near["d"].eq_sim_negative < 5 / 6


def test_ties_go_to_the_least_id_whatever_the_order_of_the_file(tmp_path: Path) -> None:
    rows = [("z", "4 red pens and 5 more . How many ?", "4+5"), ("m", "4 pens , 5 lost . How many ?", "4-5")]
    same = [(id_, "6 pens , 3 lost . How many ?", "6-3") for id_ in ("k", "b", "x")]
    for order in (rows + same, same[::-1] + rows):
        assert found(written(tmp_path, order))["z"].negative == "b"


def test_rare_equations_are_left_to_the_common_ones(tmp_path: Path) -> None:
    path = written(tmp_path)
    rows = found(path, rare_min=2)
    by_id = {one.id: one for one in read_problems(path).rows}
    # Only N_0+N_1 has two examples, so it is everyone's negative but its own, which has none.
    assert {by_id[one.negative].template for one in rows.values()} == {"N_0+N_1"}
    assert set(rows) == set("defg")
    assert find_triplets(FindTriplets(path, rare_min=2))["without_negative"] == 3


MIXED = [
    ("a", "Tom has 9 pens , loses 2 and 3 . How many ?", "9-2-3"),
    ("b", "Tom has 9 pens , loses 2 and then 3 . How many ?", "9-(2+3)"),
    ("c", "Tom has 9 pens and gets 2 . How many ?", "9+2"),
    ("d", "Ann has 9 pens , loses 2 and gets 3 . How many ?", "9-2+3"),
    ("e", "小明有9支笔，丢了2支又丢了3支，还剩几支？", "9-2-3"),
    ("f", "小明有9支笔，丢了2支又买了3支，还有几支？", "9-2+3"),
    ("g", "小明有9支笔，又买了2支，还有几支？", "9+2"),
    ("h", "小明有9支笔，丢了2支和3支，还剩几支？", "9-(2+3)"),
]


@pytest.mark.parametrize("strategy", ["em", "nn", "joint"])
@pytest.mark.parametrize("pool", ["train", "train,qr"])
def test_no_triplet_has_two_languages_or_a_negative_that_is_equal(
    strategy: Any, pool: str, tmp_path: Path
) -> None:
    path = tmp_path / "mixed.jsonl"
    rows = [{"id": name, "text": text, "equation": equation} for name, text, equation in MIXED]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    by_id = {one.id: one for one in read_problems(path).rows}
    told = find_triplets(FindTriplets(path, strategy=strategy, pool=pool))
    assert told["without_negative"] == 0
    for row in told["triplets"]:
        anchor, positive, negative = (
            by_id[name.partition("/")[0]] for name in (row.anchor, row.positive, row.negative)
        )
        assert anchor.language == positive.language == negative.language
        if row.negative in by_id:
            assert not {anchor.template, negative.template} <= {"N_0-N_1-N_2", "N_0-(N_1+N_2)"}
        if strategy == "nn" and pool == "train" and row.anchor == "a":
            assert row.positive == "b"
    why = explain(ExplainTriplet(path, strategy=strategy, pool=pool, anchor="a", show=100))
    missed = {one.id: one.reason for one in why.lost}
    assert missed["b"] == "its equation is equal to the anchor's as a function"
    assert missed["g"] == "it is of another language"


def test_random_choices_are_repeated_by_their_seed(tmp_path: Path) -> None:
    path = written(tmp_path)
    runs = [found(path, text="random", seed=seed) for seed in (1, 1, 2, 3, 4, 5)]
    assert runs[0] == runs[1]
    assert any(run != runs[0] for run in runs[2:])


@pytest.mark.parametrize("block", [7, pytest.param(256, marks=pytest.mark.slow)])
def test_joint_triplets_are_those_of_comparing_each_anchor_with_every_example(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engines.mwp.triplets.hard_triplets._BLOCK", block)
    spec = FindTriplets(asset("sample/problems/sample-en/problems.jsonl"), strategy="joint", pool="train,qr")
    source = open_pool(spec)
    pool, texts = source.pool, source.texts
    of_trees = equation_vectors(pool.equations)[pool.equation]
    of_texts = text_vectors([tokenize_for_bleu(one.text, one.language) for one in pool.problems])
    joint = Joint(pool, texts, of_trees, of_texts, weight=spec.weight)
    of_trees, of_texts = of_trees.astype(np.float64), of_texts.astype(np.float64)
    both = np.hstack([of_trees * spec.weight**0.5, of_texts * (1.0 - spec.weight) ** 0.5])
    chosen = 0
    for anchor, example in enumerate(pool.examples):
        if example.of:
            continue
        scores = both @ both[anchor]
        lost = {*pool.list_doubtful(anchor).tolist()}
        allowed = pool.is_negative(int(pool.equation[anchor]))
        places = [
            place
            for place in range(len(pool.examples))
            if place not in lost and allowed[pool.equation[place]]
        ]
        nearest = sorted(places, key=lambda place: -scores[place])[:CANDIDATES]
        best: tuple[float, int] | None = None
        for place in sorted(nearest):
            equal = equation_similarity(
                pool.equations[pool.equation[anchor]], pool.equations[pool.equation[place]]
            )
            like = float(texts.compare_texts(anchor, np.array([place]))[0])
            score = spec.weight * equal + (1.0 - spec.weight) * like
            if best is None or score > best[0]:
                best = score, place
        triplet = joint.find_triplet(anchor)
        assert best is not None
        assert triplet is not None
        assert triplet.negative == pool.examples[best[1]].problem.id
        chosen += 1
    assert chosen == 181


def test_the_joint_strategy_sees_the_anchors_own_variants(tmp_path: Path) -> None:
    path = written(tmp_path)
    told = find_triplets(FindTriplets(path, strategy="joint", pool="train,qr", weight=0.3))
    exact = find_triplets(FindTriplets(path, pool="train,qr"))
    assert told["hardness"]["em"] == exact["hardness"]["em"]
    assert told["hardness"]["joint"]["text_sim_negative"] >= exact["hardness"]["em"]["text_sim_negative"]
    pool = {row.anchor: row for row in told["triplets"]}
    every = [one.id for one in read_problems(path).rows]
    assert list(pool) == every
    for row in told["triplets"]:
        why = explain(ExplainTriplet(path, strategy="joint", pool="train,qr", weight=0.3, anchor=row.anchor))
        assert why.triplet == row
        rivals = (*why.negatives, *why.lost)
        score = 0.3 * row.eq_sim_negative + 0.7 * row.text_sim_negative
        assert score == pytest.approx(max(0.3 * one.eq_sim + 0.7 * one.text_sim for one in rivals))


def test_an_explanation_names_the_rivals_and_what_was_never_looked_at(tmp_path: Path) -> None:
    why = explain(ExplainTriplet(written(tmp_path), pool="train,qr", anchor="a"))
    assert why.positives[0].id == why.triplet.positive
    assert why.positives[0].id in ("b", "b/qr")
    assert [one.text_sim for one in why.positives] == sorted(one.text_sim for one in why.positives)
    assert [one.text_sim for one in why.negatives] == sorted(
        (one.text_sim for one in why.negatives), reverse=True
    )
    assert {one.id for one in why.own} == {"a/qr"}
    nearest = why.triplet.eq_sim_negative
    assert all(one.eq_sim == pytest.approx(nearest) for one in why.negatives)
    assert all(one.eq_sim < nearest for one in why.lost)
    assert {edit["kind"] for edit in why.edits["negative"]} == {"keep", "rename"}


def test_similarity_tells_edits_and_tokens() -> None:
    told = compare_problems(Similarity("N_1*N_0-N_2", "5*N_1"))
    assert (told["left"], told["right"], told["distance"]) == ("N_0*N_1-N_2", "C_5*N_1", 3)
    assert sum(edit["kind"] != "keep" for edit in told["edits"]) == 3
    assert compare_problems(Similarity("abc", "abd", texts=True, tokens="characters"))[
        "bibleu"
    ] == pytest.approx(0.2403, abs=5e-5)


def test_triplets_are_written_to_a_file(tmp_path: Path) -> None:
    path, out = written(tmp_path), tmp_path / "t.jsonl"
    rows = find_triplets(FindTriplets(path))["triplets"]
    find_triplets(FindTriplets(path, out=out))
    assert [Triplet(**json.loads(line)) for line in out.read_text().splitlines()] == rows
    assert list(json.loads(out.read_text().splitlines()[0])) == [
        *("anchor", "positive", "negative", "eq_sim_positive", "eq_sim_negative"),
        *("text_sim_positive", "text_sim_negative", "pool", "strategy", "alone"),
    ]


def test_triplets_that_were_labelled_bad_are_left_out_and_counted(tmp_path: Path) -> None:
    data, bad = written(tmp_path, ROWS), tmp_path / "bad.jsonl"
    rows = find_triplets(FindTriplets(data))["triplets"]
    label = {"set": "mine", **asdict(rows[1]), "label": "negative"}
    other = {**label, "anchor": rows[0].anchor, "negative": "another"}
    bad.write_text(json.dumps(label) + "\n" + json.dumps(other) + "\n")
    found = find_triplets(FindTriplets(data, without=bad))
    assert found["triplets"] == [rows[0], *rows[2:]]
    assert found["labelled"] == 1
    bad.write_text('{"anchor": 3}\n')
    with expect_error("E317", line=1):
        find_triplets(FindTriplets(data, without=bad))


def test_rows_that_cannot_be_read_are_counted(tmp_path: Path) -> None:
    path = written(tmp_path)
    whole = list_anchors(ListAnchors(path))
    with path.open("ab") as file:
        file.write(b'{"id": "x", "text": "caf\xe9 3", "equation": "3"}\n{"id": "y", "text": "How man')
    cut = list_anchors(ListAnchors(path))
    assert cut["anchors"] == whole["anchors"]
    assert (whole["unusable"], cut["unusable"]) == (0, 2)
    assert "2 rows" in list(anchors(cut, None))[1]


def test_too_few_equations_name_the_file_and_the_row_without_one(tmp_path: Path) -> None:
    rows = [{"id": "a", "text": "Add 3 and 4 .", "equation": "3+4"}, {"id": "b", "text": "Add 5 and 6 ."}]
    path = tmp_path / "two.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with expect_error("E681", path=path, line=2) as caught:
        find_triplets(FindTriplets(path))
    assert "there is none beside the text" in caught.value.what


def test_what_makes_no_triplets_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, ROWS[:3])
    for asked, code in (
        ({}, "E681"),
        ({"pool": "qr"}, "E424"),
        ({"pool": "train,both"}, "E424"),
        ({"strategy": "joint", "text": "random"}, "E427"),
        ({"strategy": "joint", "rare_min": 2}, "E427"),
        ({"weight": 0.3}, "E427"),
        ({"encoder": "minilm"}, "E427"),
        ({"text": "bertsim", "tokens": "words"}, "E427"),
    ):
        with pytest.raises(EngineError) as refused:
            find_triplets(FindTriplets(path, **asked))
        assert refused.value.code == code
    with pytest.raises(EngineError) as refused:
        explain(ExplainTriplet(written(tmp_path), anchor="zz"))
    assert refused.value.code == "E684"
    assert parts_of("roda, train") == ("train", "roda")


@pytest.mark.real_data
def test_no_chinese_is_given_to_an_encoder_that_reads_none(real_data: Path) -> None:
    with pytest.raises(EngineError) as refused:
        find_triplets(FindTriplets(real_data / "mwp" / "math23k_valid.jsonl.gz", text="bertsim"))
    assert refused.value.code == "E682"


def test_equations_are_told_to_an_encoder_of_expressions_in_its_words() -> None:
    tree = read_equation("N_0*(N_1+C_0_5)-N_11^C_2", Tree)
    assert to_encoder_prefix(tree) == ("sub mul x add INT+ 1 0 1 div INT+ 5 INT+ 1 0 pow INT+ 1 1 1 INT+ 2")


@pytest.mark.parametrize("strategy", ["em", "nn", "joint"])
def test_what_may_have_the_anchors_equation_is_no_negative(strategy: str, tmp_path: Path) -> None:
    text = "A shop has {} tame cats and {} wild cats . Then {} cats are sold . How many cats are left ?"
    rows = [
        # 12+20-20 is N_0+N_1-N_2, but N_0+N_2-N_1 as well, and that is the equation of "near".
        ("anchor", text.format(12, 20, 20), "12+20-20"),
        ("near", text.format(12, 5, 3), "12+3-5"),
        ("twin", "Hens lay 3 eggs , later 9 . Ann eats 2 eggs . How many eggs remain ?", "3+9-2"),
        ("kin", "Bob pays 8 of his 6 coins and of the 4 that Eve lends . What has he ?", "8+4-6"),
        ("far", "Rows of 5 chairs stand 4 deep . How many chairs are there ?", "5*4"),
        ("last", "Tom drops 4 of 9 pens . How many pens does Tom have now ?", "9-4"),
    ]
    path = written(tmp_path, rows)
    chosen = found(path, strategy=strategy)
    assert chosen["anchor"].negative in ("far", "last")
    assert chosen["near"].negative != "anchor"
    explanation = explain(ExplainTriplet(path, strategy=strategy, anchor="anchor"))  # type: ignore[arg-type]
    reasons = {one.id: one.reason for one in explanation.lost}
    assert reasons["near"] == "with equal numbers exchanged its equation is the anchor's"
    # With three different numbers nothing is open, and the nearest text is the negative.
    sure = [("anchor", text.format(12, 20, 7), "12+20-7"), *rows[1:]]
    assert found(written(tmp_path, sure), strategy=strategy)["anchor"].negative == "near"
