"""Augmentation: questions told first, operations reversed, each result worth what it asks for."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from engines.core.tree import Tree
from engines.mwp.augmentation.augment import Augment, augment, make_variants
from engines.mwp.augmentation.reordering import reorder_question
from engines.mwp.augmentation.reversal import (
    Refused,
    reversed_operations,
    simplify_equation,
    solve_for_number,
)
from engines.mwp.augmentation.variant import ProblemVariant, split_clauses, split_problem_sentences
from engines.mwp.problems.numbers import language_of, mask_numbers, value_of
from engines.mwp.problems.problem import (
    EquationError,
    Problem,
    evaluate,
    list_placeholders,
    read_equation,
    to_infix,
)
from engines.mwp.problems.readers import read_problems


def problem(text: str, equation: str) -> Problem:
    """A problem of a text with its numbers, and an equation over the placeholders."""
    masked = mask_numbers(text)
    tree = read_equation(equation, Tree)
    return Problem(
        id="p",
        language=language_of(text),
        text=masked.text,
        numbers=masked.numbers,
        values=tuple(map(float, masked.values)),
        equation=tree,
        answer=float(evaluate(tree, masked.values)),
        fold=2,
        source="test",
        original=text,
    )


def made(text: str, equation: str) -> ProblemVariant:
    found = reorder_question(problem(text, equation))
    assert isinstance(found, ProblemVariant), found
    return found


def test_a_number_in_the_question_makes_the_reordered_problem_another_one() -> None:
    found = made(
        "Each box has 5 pens. There are 3 boxes. How many pens are left after 2 are sold?", "N_0*N_1-N_2"
    )
    assert found.problem.text == (
        "How many pens are left after N_0 are sold? Each box has N_1 pens. There are N_2 boxes."
    )
    assert found.problem.template == "N_1*N_2-N_0"
    assert found.problem.numbers == ("2", "5", "3")
    assert (found.problem.answer, found.relation, found.problem.fold) == (13.0, "negative", 2)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "Mr. Li had 9 pens. He lost 4. How many are left?",
            "How many are left? Mr. Li had N_0 pens. He lost N_1.",
        ),
        (
            "If Tom has 9 pens and loses 4, how many are left?",
            "How many are left if Tom has N_0 pens and loses N_1?",
        ),
        ("tom had 9 pens . he lost 4 . how many now ?", "how many now ? tom had N_0 pens . he lost N_1 ."),
        ("甲有9个，给乙4个，甲还剩几个？", "甲还剩几个？甲有N_0个，给乙N_1个。"),
        ("甲有9个．给乙4个．甲还剩多少个．", "甲还剩多少个？甲有N_0个．给乙N_1个．"),
    ],
)
def test_the_question_is_told_first(text: str, told: str) -> None:
    found = made(text, "N_0-N_1")
    assert found.problem.text == told
    assert found.relation == "positive"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("How many are 9 and 4?", "the question is the only sentence"),
        ("He has 9. He lost 4.", "there is no question"),
        ("How many are left? He had 9. He lost 4.", "the question is first"),
        ("How many had he? He had 9. He lost 4. How many are left?", "there are two questions"),
        ("9与4的差是多少？", "the question is the only sentence"),
    ],
)
def test_what_cannot_be_reordered_says_why(text: str, why: str) -> None:
    assert reorder_question(problem(text, "N_0-N_1")) == why


def test_sentences_and_clauses_lose_nothing() -> None:
    english = "Dr. Ho sold 3 pens at 2.50 a.m. yesterday. Why? No one knows"
    assert " ".join(split_problem_sentences(english)) == english
    chinese = "甲每小时行40千米（平路），乙：“快！”；相距多少"
    assert "".join(split_clauses(chinese)) == chinese


def reversals(text: str, equation: str) -> dict[str, ProblemVariant]:
    found = reversed_operations(problem(text, equation))
    return {one.asked: one for one in found if isinstance(one, ProblemVariant)}


def test_the_worked_example_of_reversed_operations() -> None:
    # The fact of the published data: 4 * (40 + 35) = 300.
    found = reversals("甲车每小时行40千米，乙车每小时行35千米，4小时后两车相距多少千米？", "N_2*(N_0+N_1)")
    assert {asked: (one.problem.template, one.problem.answer) for asked, one in found.items()} == {
        "N_0": ("N_2/N_1-N_0", 40.0),
        "N_1": ("N_2/N_1-N_0", 35.0),
        "N_2": ("N_2/(N_0+N_1)", 4.0),
    }
    assert found["N_0"].problem.text == (
        "乙车每小时行N_0千米，N_1小时后两车相距N_2千米，甲车每小时行多少千米？"
    )
    assert found["N_0"].solved == "N_3/N_2-N_1"


def test_a_product_of_three_is_divided_by_the_others() -> None:
    for one in reversals("运费为120元，打8折后交税，税为0.15，要交多少元税？", "N_0*N_1*N_2").values():
        assert one.problem.template == "N_2/(N_0*N_1)"


def test_fractions_and_percentages_are_asked_for_as_such() -> None:
    found = reversals("全书120页，第一天看了(1/4)，第二天看了20%，还剩多少页？", "N_0*(C_1-N_1-N_2)")
    assert found["N_1"].problem.text.endswith("第一天看了几分之几？")
    assert found["N_1"].problem.answer == 0.25
    assert found["N_2"].problem.text.endswith("第二天看了百分之几？")


@pytest.mark.parametrize(
    ("text", "equation", "why"),
    [
        ("正方形边长5米，高2米，面积是多少平方米？", "N_0*N_0", "the equation uses it more than once"),
        ("正方体边长5米，乘2次，是多少？", "N_0^C_2*N_1", "the equation has a power"),
        ("边长5米的路，有多少米？", "N_0*C_2", "there are fewer than two numbers"),
        ("甲有5个，乙有2个。", "N_0+N_1", "there is no question word"),
        ("甲有多少个？乙有5个，丙有2个，共有多少个？", "N_0+N_1", "there are two questions"),
        ("甲有5个，乙有5个，差多少个？", "N_0-N_1", "the answer is not above zero"),
    ],
)
def test_what_cannot_be_reversed_says_why(text: str, equation: str, why: str) -> None:
    found = list(reversed_operations(problem(text, equation)))
    assert {one.reason for one in found if isinstance(one, Refused)} == {why}
    assert not any(isinstance(one, ProblemVariant) for one in found)


@given(st.data())
def test_a_solved_equation_gives_the_number_back_and_is_sympys(data: st.DataObject) -> None:
    leaves = ["N_0", "N_1", "N_2", "N_3", "C_2"]
    order = data.draw(st.permutations(leaves))
    trees = [Tree(leaf) for leaf in order[: data.draw(st.integers(2, 5))]]
    while len(trees) > 1:
        place = data.draw(st.integers(0, len(trees) - 2))
        pair = trees[place], trees[place + 1]
        trees[place : place + 2] = [Tree(data.draw(st.sampled_from("+-*/")), pair)]
    (tree,) = trees
    values = [Fraction(7), Fraction(3), Fraction(5, 2), Fraction(11)]
    try:
        answer = evaluate(tree, values)
    except EquationError:
        return
    for number in list_placeholders(tree):
        try:
            solved = solve_for_number(tree, f"N_{number}", "N_4")
            value = evaluate(solved, [*values, answer])
        except EquationError:
            continue
        assert value == values[number]
        names = sympy.symbols("N_0 N_1 N_2 N_3 N_4")
        scope = {str(name): name for name in names}
        as_sympy = sympy.sympify(to_infix(tree).replace("C_2", "2"), locals=scope) - names[4]
        put_in = as_sympy.subs(names[number], sympy.sympify(to_infix(solved).replace("C_", ""), locals=scope))
        assert sympy.simplify(put_in) == 0


def test_simplifying_keeps_one_fraction_and_no_factor_one() -> None:
    def form(text: str) -> str:
        return to_infix(simplify_equation(read_equation(text, Tree)))

    assert form("N_0/N_1/N_2") == "N_0/(N_1*N_2)"
    assert form("N_0-(N_1-N_2)") == "N_0+N_2-N_1"
    assert form("C_1*N_0*N_1/N_0") == "N_1"
    assert form("C_1/(N_0/C_1)") == "C_1/N_0"


def test_problems_as_they_are_written_are_reversed() -> None:
    found = make_variants(
        [problem("Tom had 9 pens. He lost 4. How many are left?", "N_0-N_1")], ("roda",)
    ).made
    assert found[0].problem.text == "Tom lost N_0 . N_1 are left . How many pens did Tom have ?"


def test_variants_are_written_as_problems_that_are_read_back(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    row = {"id": "7", "text": "甲有9个，给乙4个，甲还剩几个？", "equation": "9-4", "answer": 5}
    path.write_text(json.dumps(row, ensure_ascii=False))
    told = augment(Augment(path, out=tmp_path / "v.jsonl"))
    assert told["kinds"]["qr"]["made"] == 1
    assert told["kinds"]["roda"]["made"] == 2
    again = read_problems(tmp_path / "v.jsonl")
    assert [(one.id, one.template, one.answer, one.source) for one in again.rows] == [
        ("7/qr", "N_0-N_1", 5.0, "7"),
        ("7/roda-0", "N_0+N_1", 9.0, "7"),
        ("7/roda-1", "N_0-N_1", 4.0, "7"),
    ]
    assert (again.skipped, again.disagreements) == ((), ())


@pytest.mark.slow
@pytest.mark.real_data
def test_nine_of_ten_validation_problems_are_reversed_and_all_results_are_right(real_data: Path) -> None:
    read = read_problems(real_data / "mwp" / "math23k_valid.jsonl.gz")
    found = make_variants(read.usable, ("roda",)).made
    assert len({one.of for one in found}) >= 900
    by_id = {one.id: one for one in read.rows}
    for one in found:
        source = by_id[one.of]
        assert one.problem.equation is not None
        # Exactly the number that is asked for, from the numbers that the new text gives.
        value = evaluate(one.problem.equation, tuple(map(value_of, one.problem.numbers)))
        assert value == value_of(source.numbers[int(one.asked[2:])])


def test_an_amount_of_money_is_told_in_yuan(tmp_path: Path) -> None:
    row = {"text": "一支铅笔5元，买3支，一共要多少钱？", "equation": "5*3"}
    path = tmp_path / "money.jsonl"
    path.write_text(json.dumps(row, ensure_ascii=False) + "\n", "utf-8")
    made = make_variants(read_problems(path).rows, ("roda",)).made
    texts = [variant.problem.text for variant in made]
    assert len(texts) == 2
    assert all("一共要N_" in text and "元" in text for text in texts)
    assert not any("钱" in text for text in texts)


def test_a_title_stays_with_its_name(tmp_path: Path) -> None:
    texts = [
        "Mrs. Lee has 9 cats. Mr. Lee gave her 4 more cats. How many cats does Mrs. Lee have altogether?",
        "mrs . snyder made 8 red pies . she made 5 big pies . how many pies did mrs . snyder make ?",
    ]
    path = tmp_path / "titles.jsonl"
    rows = [{"text": text, "equation": one} for text, one in zip(texts, ("9+4", "8+5"), strict=True)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    made = make_variants(read_problems(path).rows).made
    assert {variant.kind for variant in made} == {"qr", "roda"}
    for variant in made:
        text = variant.problem.text.lower()
        # Every title is followed by its name, and no name stands alone.
        titles = re.findall(r"\bmrs? ?\. ?(?:lee|snyder)\b", text)
        assert (
            len(titles) == len(re.findall(r"\bmrs?\b", text)) == len(re.findall(r"\b(?:lee|snyder)\b", text))
        )
        assert titles
