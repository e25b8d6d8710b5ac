"""Generated problems: read back as they are meant, from the text alone, and the same for the same seed."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from fractions import Fraction
from math import gcd
from pathlib import Path

import pytest

from engines.core.errors import EngineError
from engines.mwp.problems.generation import (
    GenerateProblems,
    generate,
    generate_problem,
    generate_problems,
    load_vocabulary,
)
from engines.mwp.problems.numbers import mask_numbers, value_of
from engines.mwp.problems.problem import Problem, to_infix
from engines.mwp.problems.readers import read_problems
from engines.mwp.problems.situations import Situation

SITUATIONS = load_vocabulary().situations


def make_problems(situation: Situation) -> list[Problem]:
    """Return a problem of every text with every wording of every question."""
    vocabulary, rng = load_vocabulary(), random.Random(5)
    result = []
    for text in situation.texts:
        for question in situation.questions:
            for asked in question.texts:
                chosen = replace(question, texts=(asked,))
                name = f"{len(result)}"
                result.append(
                    generate_problem(vocabulary, replace(situation, texts=(text,)), rng, name, chosen)
                )
    return result


def compute(problem: Problem) -> Fraction:
    """The value of the equation by Python's own operators, over numbers read from the text."""
    assert problem.equation is not None
    values = {f"N_{index}": value_of(number) for index, number in enumerate(problem.numbers)}
    constants = {label: Fraction(label[2:].replace("_", ".")) for label in problem.prefix if label[0] == "C"}
    return Fraction(eval(to_infix(problem.equation), {}, values | constants))


def test_there_are_situations_of_every_kind() -> None:
    assert len(SITUATIONS) >= 200
    assert len({situation.name for situation in SITUATIONS}) == len(SITUATIONS)
    assert sum(len(row.texts) * sum(len(q.texts) for q in row.questions) for row in SITUATIONS) > 3000


@pytest.mark.slow
@pytest.mark.parametrize("topic", sorted({situation.topic for situation in SITUATIONS}))
def test_every_wording_is_read_back_as_it_is_meant(topic: str, tmp_path: Path) -> None:
    problems = [
        replace(problem, id=f"{situation.name} {problem.id}")
        for situation in SITUATIONS
        if situation.topic == topic
        for problem in make_problems(situation)
    ]
    masked, plain = tmp_path / "masked.jsonl", tmp_path / "plain.jsonl"
    masked.write_text("\n".join(json.dumps(one.to_row()) for one in problems), "utf-8")
    rows = []
    for problem in problems:
        assert problem.equation is not None
        rows.append(
            {
                "id": problem.id,
                "text": problem.original,
                "equation": to_infix(problem.equation),
                "answer": problem.answer,
            }
        )
    plain.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    for file in (masked, plain):
        read = read_problems(file)
        assert (read.skipped, read.disagreements) == ((), ())
        assert len(read.usable) == len(problems)
        for problem, again in zip(problems, read.usable, strict=True):
            same = (again.text, again.numbers, again.equation)
            assert same == (problem.text, problem.numbers, problem.equation), problem.original
            assert again.answer == problem.answer


def test_the_text_alone_has_the_numbers_and_the_answer_is_exact() -> None:
    for problem in generate_problems(1500, 7):
        read = mask_numbers(problem.original, "zh")
        assert (read.text, read.numbers) == (problem.text, problem.numbers), problem.original
        assert len(set(read.values)) == len(read.values)
        answer = compute(problem)
        assert answer > 0
        assert float(answer) == problem.answer
        assert not {*"{}[]|｜"} & {*problem.original}, problem.original


def test_persons_and_ratios_are_whole() -> None:
    for problem in generate_problems(1500, 8):
        if problem.text.endswith(("多少人？", "几人？", "多少名学生？")):
            assert problem.answer == int(problem.answer), problem.original
        left, _, right = problem.text.partition("：")
        if left.endswith("N_0") and right.startswith("N_1"):
            assert gcd(int(problem.numbers[0]), int(problem.numbers[1])) == 1, problem.original


def test_the_same_seed_gives_the_same_file(tmp_path: Path) -> None:
    first, again, other = (tmp_path / name for name in ("a", "b", "c"))
    told = generate(GenerateProblems(300, 1, first))
    generate(GenerateProblems(300, 1, again))
    generate(GenerateProblems(300, 2, other))
    assert first.read_bytes() == again.read_bytes() != other.read_bytes()
    read = read_problems(first)
    assert told["problems"] == len(read.usable) == len({row.original for row in read.rows}) == 300
    assert len(told["rows"]) < 300
    longer = [problem.original for problem in generate_problems(400, 1)]
    assert longer[:300] == [row.original for row in read.rows]


@pytest.mark.parametrize("settings", [{"count": 0}, {"seed": -1}, {"count": 2_000_000}])
def test_what_cannot_be_generated_is_refused(settings: dict[str, int]) -> None:
    with pytest.raises(EngineError):
        GenerateProblems(**settings)


def test_a_stop_ends_it() -> None:
    told = generate(GenerateProblems(50), stop=lambda: True)
    assert (told["problems"], told["complete"]) == (0, False)
