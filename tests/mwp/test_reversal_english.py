"""Reversed questions in English: forms of verbs, questions and statements, names and times, real problems."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.core.tree import Tree
from engines.mwp.augmentation.augment import make_variants
from engines.mwp.augmentation.reversal import Refused, reversed_operations
from engines.mwp.augmentation.reversal_english import (
    ask_for_number,
    parse_clause,
    past_tense,
    state_answer,
    third_person,
)
from engines.mwp.augmentation.variant import ProblemVariant
from engines.mwp.problems.numbers import value_of
from engines.mwp.problems.problem import Problem, evaluate, read_equation
from engines.mwp.problems.readers import read_problems


@pytest.mark.parametrize(
    ("statement", "question"),
    [
        ("tom ate N_1 red apples", "how many red apples did tom eat"),
        ("each bag has N_1 pounds of sand", "how many pounds of sand does each bag have"),
        ("there are N_1 birds in the tree", "how many birds are there in the tree"),
        ("N_1 boys were in the room", "how many boys were in the room"),
        ("she will buy N_1 tickets", "how many tickets will she buy"),
        ("mary spent $ N_1 on books", "how much money did mary spend on books"),
        ("tom is N_1 years old", "how old is tom"),
        ("he lives in a N_1 story house", None),
    ],
)
def test_questions_of_statements(statement: str, question: str | None) -> None:
    assert ask_for_number(parse_clause(statement), "N_1") == question


@pytest.mark.parametrize(
    ("question", "statement"),
    [
        ("how many apples did tom eat in all ?", "tom ate N_2 apples in all"),
        ("how many more pens does she have than ann ?", "she has N_2 more pens than ann"),
        ("how many books are there in the room ?", "there are N_2 books in the room"),
        ("how many bags are needed ?", "N_2 bags are needed"),
        ("how many cookies will each child get ?", "each child will get N_2 cookies"),
        ("how much money did mary spend ?", "mary spent $ N_2"),
        ("what is the total number of apples ?", "the total number of apples is N_2"),
        ("how long is it ?", None),
    ],
)
def test_statements_of_questions(question: str, statement: str | None) -> None:
    assert state_answer(parse_clause(question), "N_2", money=False) == statement


def test_forms_of_verbs() -> None:
    assert [past_tense(verb) for verb in ("eat", "carry", "bake", "stop", "play")] == [
        *("ate", "carried", "baked", "stopped", "played")
    ]
    assert [third_person(verb) for verb in ("have", "carry", "fix", "buy")] == [
        "has",
        "carries",
        "fixes",
        "buys",
    ]


def problem(text: str, numbers: tuple[str, ...], equation: str) -> Problem:
    tree = read_equation(equation, Tree)
    values = tuple(map(value_of, numbers))
    answer = float(evaluate(tree, values))
    return Problem(
        "own-1",
        "en",
        text,
        numbers,
        tuple(map(float, values)),
        tree,
        answer,
        None,
        "own",
        "",
    )


def texts(own: Problem) -> list[str]:
    return [one.problem.text for one in reversed_operations(own) if isinstance(one, ProblemVariant)]


def test_a_name_and_the_time_are_put_back() -> None:
    own = problem(
        "maria had N_0 pieces of candy . she ate N_1 pieces . how many pieces of candy does maria have now ?",
        ("9", "4"),
        "N_0-N_1",
    )
    assert texts(own) == [
        "maria ate N_0 pieces . maria has N_1 pieces of candy now ."
        " how many pieces of candy did maria have at first ?",
        "maria had N_0 pieces of candy . maria has N_1 pieces of candy now . how many pieces did she eat ?",
    ]


def test_two_amounts_of_one_verb_are_told_apart() -> None:
    own = problem(
        "liz had a sale . she sold N_0 red books and N_1 blue books . how many books did she sell in all ?",
        ("3", "8"),
        "N_0+N_1",
    )
    assert texts(own)[0] == (
        "liz had a sale . she sold N_0 blue books . she sold N_1 books in all ."
        " how many red books did she sell ?"
    )


@pytest.mark.parametrize(
    "text",
    [
        "tom has N_0 pens and N_1 books .",
        "how many pens ? N_0 or N_1 ?",
        "? N_0 N_1",
        "N_0 N_1 how many",
        "if if N_0 , and N_1 and how many more than ?",
    ],
)
def test_what_cannot_be_reversed_is_refused_with_a_reason(text: str) -> None:
    for one in reversed_operations(problem(text, ("3", "8"), "N_0+N_1")):
        assert isinstance(one, Refused)
        assert one.reason


@pytest.mark.slow
@pytest.mark.real_data
def test_real_problems_evaluate_to_the_number_that_is_asked_for(real_data: Path) -> None:
    read = read_problems(real_data / "mwp" / "asdiv_a_folds0-3.jsonl").usable[:60]
    by_id = {one.id: one for one in read}
    found = make_variants(read, ("roda",)).made
    assert len(found) > 30
    for one in found:
        source = by_id[one.of]
        assert one.problem.answer == pytest.approx(source.values[int(one.asked.removeprefix("N_"))])
        assert one.problem.text.endswith(" ?")
