"""Challenge sets: drawn by a seed, without doubtful texts, and never more than there are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engines.core.errors import EngineError
from engines.core.system import asset
from engines.mwp.augmentation.augment import make_variants
from engines.mwp.augmentation.challenge_sets import Challenge, challenge
from engines.mwp.augmentation.robustness_variants import FAMILY_KINDS, make_family
from engines.mwp.evaluations.attempts import SolverAttempt, score_attempt
from engines.mwp.evaluations.evaluate import EvaluateSolver, evaluate_solver
from engines.mwp.problems.numbers import mask_numbers, value_of
from engines.mwp.problems.problem import UNANSWERABLE, evaluate
from engines.mwp.problems.readers import read_problems
from tests.chat.model_server import served
from tests.conftest import expect_error

ZH = asset("sample/problems/sample-zh/problems.jsonl")
EN = asset("sample/problems/sample-en/problems.jsonl")


def made(out: Path, data: Path = ZH, **settings: Any) -> dict[str, Any]:
    return challenge(Challenge(data, out, **settings))


def test_the_same_seed_gives_the_same_coherent_set(tmp_path: Path) -> None:
    first, again, other = (tmp_path / name for name in ("a", "b", "c"))
    told = made(first, draw=60, keep=40)
    made(again, draw=60, keep=40)
    made(other, draw=60, keep=40, seed=1)
    assert first.read_bytes() == again.read_bytes() != other.read_bytes()
    assert (told["drawn"], told["kept"]) == (60, 40)
    kept = read_problems(first)
    assert (len(kept.usable), kept.skipped, kept.disagreements) == (40, (), ())
    by_id = {one.problem.id: one for one in make_variants(read_problems(ZH).usable, ("roda",)).made}
    for problem in kept.rows:
        assert by_id[problem.id].doubts == ()
        assert problem.answer == by_id[problem.id].problem.answer


def test_fewer_than_asked_for_are_told(tmp_path: Path) -> None:
    told = made(tmp_path / "a")
    assert told["kept"] == told["drawn"] - told["doubtful"] < told["asked"] == 400


def test_given_that_stands_between_question_and_facts(tmp_path: Path) -> None:
    made(tmp_path / "a", EN, how="given-that", draw=20, keep=20)
    for line in (tmp_path / "a").read_text("utf-8").splitlines():
        row = json.loads(line)
        assert " given that " in row["text"]
        assert row["original"].endswith("?")
        assert row["original"].startswith(("How", "What", "By", "With", "After", "In", "If", "At"))


@pytest.mark.parametrize(
    ("data", "settings", "code"),
    [
        (ZH, {"how": "given-that"}, "E683"),
        (ZH, {"draw": 5, "keep": 6}, "E424"),
    ],
)
def test_what_makes_no_challenge_is_refused(
    data: Path, settings: dict[str, Any], code: str, tmp_path: Path
) -> None:
    with pytest.raises(EngineError) as refused:
        made(tmp_path / "a", data, **settings)
    assert refused.value.code == code
    assert not (tmp_path / "a").exists()


def test_problems_that_cannot_be_turned_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps({"text": "9与4的差是多少？", "equation": "9-4"}, ensure_ascii=False))
    with pytest.raises(EngineError) as refused:
        made(tmp_path / "a", path, how="question-first")
    assert refused.value.code == "E686"


# ---- families


def family_of(text: str, equation: str, tmp_path: Path, seed: int = 0) -> dict[str, Any]:
    path = tmp_path / "one.jsonl"
    path.write_text(json.dumps({"id": "p", "question": text, "equation": equation}, ensure_ascii=False))
    (problem,) = read_problems(path).usable
    variants, _ = make_family(problem, FAMILY_KINDS, seed)
    return {variant.id.removeprefix("p/"): variant for variant in variants}


BOXES = "Ann has 12 boxes. There are 5 pens in a box of hers. Bob takes 7 pens. How many pens are left?"


def test_each_kind_of_variant_changes_what_it_says_and_nothing_else(tmp_path: Path) -> None:
    made = family_of(BOXES, "12*5-7", tmp_path)
    assert set(made) == set(FAMILY_KINDS)
    numbers = [int(written) for written in made["numbers"].numbers]
    assert made["numbers"].text == read_problems(tmp_path / "one.jsonl").rows[0].text
    assert made["numbers"].answer == numbers[0] * numbers[1] - numbers[2] > 0
    assert numbers != [12, 5, 7]
    # The order of size is kept.
    assert sorted(range(3), key=numbers.__getitem__) == [1, 2, 0]
    moved = made["reordered"]
    assert moved.original != BOXES
    assert sorted(moved.original.split(". ")) == sorted(BOXES.split(". "))
    assert (moved.answer, sorted(moved.numbers)) == (53, ["12", "5", "7"])
    assert made["reversed"].answer in (12, 5, 7)
    assert "53" in made["reversed"].numbers
    added = made["distractor"]
    assert (added.answer, len(added.numbers)) == (53, 4)
    assert added.original.startswith(BOXES.rpartition(" How")[0])
    assert added.numbers[3] not in ("12", "5", "7", "53")
    missing = made["missing"]
    assert (missing.equation, missing.answer_text, len(missing.numbers)) == (None, UNANSWERABLE, 2)
    others = made["entities"]
    assert (others.equation, others.numbers) == (added.equation, ("12", "5", "7"))
    assert not {"Ann", "pens", "boxes"} & set(others.original.replace(".", "").split())


@pytest.mark.parametrize(
    ("text", "equation", "kind"),
    [
        ("How many is 3 plus 4?", "3+4", "reordered"),
        ("How many is 3 plus 4?", "3+4", "distractor"),
        ("How many is 3 plus 4?", "3+4", "missing"),
        ("It is 0.5 and 0.25. How much is it?", "0.5+0.25", "numbers"),
        ("Zed has 3 quux. He finds 4 quux. How many quux has he?", "3+4", "entities"),
        # A sentence that begins with a pronoun stays behind the one that it speaks of.
        ("Zed has 3 quux. He finds 4 quux. How many has he? How many?", "3+4", "reordered"),
    ],
)
def test_what_cannot_be_made_is_refused(text: str, equation: str, kind: str, tmp_path: Path) -> None:
    assert kind not in family_of(text, equation, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("data", [ZH, EN], ids=["zh", "en"])
def test_families_are_drawn_by_the_seed_and_every_member_is_right(data: Path, tmp_path: Path) -> None:
    first, again, other = (tmp_path / name for name in ("a.jsonl", "b.jsonl", "c.jsonl"))
    told = made(first, data, how="families", draw=40, keep=30)
    made(again, data, how="families", draw=40, keep=30)
    made(other, data, how="families", draw=40, keep=30, seed=1)
    assert first.read_bytes() == again.read_bytes() != other.read_bytes()
    read = read_problems(first)
    assert (read.skipped, read.disagreements) == ((), ())
    ids = {row.id for row in read.rows}
    sources = {row.id: row for row in read.rows if row.source not in ids}
    assert told["kept"] == len(sources) == 30
    for row in read.rows:
        if row.id in sources:
            continue
        kind = row.id.removeprefix(f"{row.source}/")
        # Text, numbers, equation and answer belong together once more when they are read from words.
        assert (
            mask_numbers(row.original, row.language).text.split() == row.text.split() or "(" in row.original
        )
        if kind == "missing":
            assert row.equation is None
            continue
        assert row.equation is not None
        assert float(evaluate(row.equation, tuple(map(value_of, row.numbers)))) == row.answer
        if kind in ("reordered", "distractor", "entities"):
            assert row.answer == sources[row.source].answer


def test_families_are_measured_as_a_whole(tmp_path: Path) -> None:
    path, given = tmp_path / "families.jsonl", tmp_path / "given.jsonl"
    made(path, EN, how="families", draw=10, keep=10)
    rows = read_problems(path).rows

    def answers(wrong: str) -> dict[str, Any]:
        lines = [
            {"id": row.id, "answer": "x" if row.id.endswith(wrong) else row.answer_text or row.answer}
            for row in rows
        ]
        given.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return dict(evaluate_solver(EvaluateSolver(data=path, answers=given))["families"])

    found = answers("nothing")
    assert (found["families"], found["whole_accuracy"]) == (10, 1.0)
    found = answers("/numbers")
    kinds = found["by_kind"]
    assert (kinds["numbers"]["before"], kinds["numbers"]["answer_accuracy"]) == (1.0, 0.0)
    assert kinds["numbers"]["drop"] == 1.0
    assert kinds["entities"]["drop"] == 0.0
    assert found["whole_accuracy"] == 1 - kinds["numbers"]["problems"] / 10
    found = answers("/missing")
    assert found["whole_accuracy"] < found["whole_answerable_accuracy"] == 1.0


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("There is not enough information. ANSWER: cannot be determined", True),
        ("条件不足，无法确定。", True),
        ("At first it cannot be determined, but with 3 it is. ANSWER: 12", False),
        ("12", False),
        ("", False),
    ],
)
def test_a_problem_that_lacks_a_fact_has_no_answer(text: str, right: bool, tmp_path: Path) -> None:
    missing = family_of(BOXES, "12*5-7", tmp_path)["missing"]
    assert score_attempt(missing, SolverAttempt(text)).score.answer is right


# ---- paraphrases by a language model


PARAPHRASES = {
    "Ann has 12": "From 12 boxes of 5 pens Ann loses 7 pens. How many pens remain?",
    "Tom reads": "For 6 days Tom reads 8 pages every day. How many pages are that?",
    "Sam had": "Sam had 14 marbles, then 10. How many has he?",
    "Lea has": "Lea has 3 bags with 4 apples in each and eats 2.",
    "Dan": "Dan has 3 pens and gets 3. How many pens has Dan?",
}
TOLD = [
    ("a", "Ann has 12 boxes with 5 pens in each and loses 7. How many pens are left?", "12*5-7"),
    ("b", "Tom reads 8 pages a day for 6 days. How many pages does he read?", "8*6"),
    ("c", "Sam had 14 marbles and found 9. How many marbles does he have now?", "14+9"),
    ("d", "Lea has 3 bags with 4 apples in each and eats 2. How many apples are left?", "3*4-2"),
    ("e", "Dan has 3 pens and 3 cups. How many things has Dan?", "3+3"),
]


def test_a_paraphrase_is_taken_only_where_the_equation_survives(tmp_path: Path) -> None:
    data, out = tmp_path / "told.jsonl", tmp_path / "out.jsonl"
    rows = [{"id": id_, "question": text, "equation": equation} for id_, text, equation in TOLD]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with served() as model:
        model.reply = lambda prompt: next(text for key, text in PARAPHRASES.items() if key in prompt)
        spec = Challenge(data, out, how="families", llm=model.url, llm_model="m")
        found = challenge(spec, cache=tmp_path / "cache")
        assert len(model.requests) == 5
        # Replies are kept: the same set is made again without a question.
        assert challenge(spec, cache=tmp_path / "cache")["kinds"] == found["kinds"]
        assert len(model.requests) == 5
    assert found["kinds"]["paraphrase"]["variants"] == 3
    assert found["kinds"]["paraphrase"]["refused"] == {
        "a number is missing, added or changed": 1,
        "nothing is asked for": 1,
    }
    made = {row.id: row for row in read_problems(out).usable if row.id.endswith("/paraphrase")}
    assert {id_: (row.template, row.answer) for id_, row in made.items()} == {
        "a/paraphrase": ("N_0*N_1-N_2", 53.0),
        "b/paraphrase": ("N_0*N_1", 48.0),
        "e/paraphrase": ("N_0+N_1", 6.0),
    }
    assert made["b/paraphrase"].numbers == ("6", "8")


@pytest.mark.parametrize(
    "settings",
    [{"llm": "http://localhost/v1", "llm_model": "m"}, {"how": "families", "llm_model": "m"}],
)
def test_a_model_is_asked_for_families_only(settings: dict[str, Any], tmp_path: Path) -> None:
    with expect_error("E427"):
        Challenge(EN, tmp_path / "a", **settings)
