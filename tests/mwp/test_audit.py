"""Audits of sets, and solutions as chains of equations."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from engines.mwp.problems.audit import KINDS, AuditProblems, audit_problems
from engines.mwp.problems.problem import EquationError
from engines.mwp.problems.solution_notations import read_annotations, read_mathqa
from engines.mwp.problems.solution_steps import ListSolutions, ShowSteps, list_solutions, show_steps
from tests.conftest import expect_error

GSM8K = (
    "Natalia sold 48/2 = <<48/2=24>>24 clips in May.\n"
    "Natalia sold 48+24 = <<48+24=72>>72 clips altogether in April and May.\n#### 72"
)


def problems(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


def row(id_: str, question: str, equation: str = "", answer: object = None) -> dict[str, Any]:
    return {"id": id_, "question": question, "equation": equation, "answer": answer}


def test_every_kind_of_finding_is_planted_and_found(tmp_path: Path) -> None:
    data = problems(
        tmp_path / "set.jsonl",
        {"id": "none", "equation": "1+1"},
        row("binding", "Ann has 20 cats, 20 dogs and 12 birds. How many legs less a cat?", "20*12", 240),
        row("rounding", "A rope of 50 m is cut into 7 parts. How long is one?", "50/7", 7.14),
        row("remainder", "50 pens are put into boxes of 8. How many are left over?", "50/8", 2),
        row("answer", "Bob had 14 marbles and found 9 more. How many now?", "14+9", 24),
        row(
            "calculation",
            "Eve sold 48 clips in April and half in May. How many?",
            "",
            GSM8K.replace("=72", "=73"),
        ),
        row("unused number", "Tom, 9, reads 8 pages a day for 6 days. How many pages?", "8*6", 48),
        row("foreign number", "A bus has 8 wheels here. How many have all the buses?", "8*17", 136),
        row("first", "Lea buys 3 bags of 4 apples. How many apples?", "3*4", 12),
        row("contradiction", "Lea buys 5 bags of 6 apples. How many apples?", "5+6", 11),
        row("duplicate", "Lea buys 3 bags of 4 apples. How many apples?", "4*3", 12),
        row("fine", "小明有12支铅笔，用了5支，还剩多少支？", "12-5", 7),
    )
    other = problems(
        tmp_path / "train.jsonl", row("twin", "小明有30支铅笔，用了8支，还剩多少支？", "30-8", 22)
    )
    found = audit_problems(AuditProblems(data, (other,), tmp_path / "out.jsonl"))
    kinds = {(finding["id"], finding["kind"]) for finding in found["findings"]}
    assert kinds == {
        ("none", "not read"),
        ("binding", "binding"),
        ("binding", "unused number"),
        ("rounding", "rounding"),
        ("remainder", "remainder"),
        ("answer", "answer"),
        ("calculation", "calculation"),
        ("unused number", "unused number"),
        ("foreign number", "foreign number"),
        ("contradiction", "contradiction"),
        ("duplicate", "duplicate"),
        ("duplicate", "contradiction"),
        ("fine", "other set"),
    }
    assert set(found["kinds"]) == set(KINDS)
    assert [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()] == found[
        "findings"
    ]


def test_a_sound_set_has_no_finding(tmp_path: Path) -> None:
    data = problems(
        tmp_path / "set.jsonl",
        row("a", "Bob had 14 marbles and found 9 more. How many now?", "14+9", 23),
        row("b", "A box holds 8 pens, and there are 6 boxes. How many pens?", "8*6", "48 pens"),
        row("c", "Eve sold 48 clips in April and half in May. How many?", "", GSM8K),
    )
    assert audit_problems(AuditProblems(data))["findings"] == []


def list_kinds(data: Path) -> set[tuple[str, str]]:
    return {(finding["id"], finding["kind"]) for finding in audit_problems(AuditProblems(data))["findings"]}


def test_problems_contradict_each_other_only_where_signs_and_places_of_numbers_agree(tmp_path: Path) -> None:
    data = problems(
        tmp_path / "set.jsonl",
        row("product", "计算：23*42+26=．", "23*42+26", 992),
        row("quotient", "计算：84/42+26=．", "84/42+26", 28),
        row("before", "Of 9 pens Ann gives away 4. How many has she?", "9-4", 5),
        row("behind", "Of pens Ann gives away 4 9. How many has she?", "4+9", 13),
        row("sum", "Of 7 pens Ann gives away 2. How many has she?", "7+2", 9),
    )
    assert list_kinds(data) == {("sum", "contradiction")}


def test_equal_numbers_that_may_be_bound_otherwise_are_no_contradiction(tmp_path: Path) -> None:
    text = "{} friends play when {} more join. Each has {} lives. How many lives have they?"
    data = problems(
        tmp_path / "set.jsonl",
        row("equal", text.format(7, 2, 7), "7*(7+2)", 63),
        row("plain", text.format(8, 5, 3), "(8+5)*3", 39),
        row("wrong", text.format(8, 5, 3), "8+5*3", 23),
    )
    assert list_kinds(data) == {
        ("equal", "binding"),
        ("wrong", "contradiction"),
        ("wrong", "duplicate"),
    }


def test_a_rounded_third_makes_no_remainder(tmp_path: Path) -> None:
    data = problems(
        tmp_path / "set.jsonl",
        row("third", "Find a number of which 0.75 is 1 more than 0.6667 of it.", "1/(0.75-0.6667)", 12),
        row("whole", "9 boys water 29 trees. How many does each?", "29/9", 3),
    )
    assert list_kinds(data) == {("third", "rounding"), ("whole", "remainder")}


def test_a_number_in_words_is_not_foreign(tmp_path: Path) -> None:
    data = problems(
        tmp_path / "set.jsonl",
        row(
            "words", "A shelf holds seven cans, and Tom has 4 red and 52 blue ones. How many?", "(4+52)/7", 8
        ),
        row(
            "other", "A shelf holds eight cans, and Tom has 4 red and 52 blue ones. How many?", "(4+52)/7", 8
        ),
    )
    assert list_kinds(data) == {("other", "foreign number")}


# ---- solutions


def test_annotations_are_a_chain_of_equations() -> None:
    text = "Natalia sold clips to 48 friends in April, and half as many in May. How many altogether?"
    found = show_steps(ShowSteps(GSM8K, text))
    assert [(step["expression"], step["value"]) for step in found["steps"]] == [
        ("48/2", "24"),
        ("48+#1", "72"),
    ]
    assert (found["equation"], found["filled"], found["answer"]) == ("N_0+N_0/C_2", "48+48/2", 72.0)
    assert [step["text"] for step in found["operations"]] == ["48 ÷ 2 = 24", "48 + 24 = 72"]
    assert found["first_wrong"] is None
    wrong = show_steps(ShowSteps(GSM8K.replace("<<48/2=24>>", "<<48/2=25>>"), text))
    assert wrong["first_wrong"] == "48/2=25"
    assert wrong["wrong_steps"] == [{"step": 1, "text": "48/2=25", "value": "24"}]


def test_a_constant_of_mathqa_is_no_number_of_the_problem() -> None:
    text = "Of each hundred of 100 pens 20 are red."
    found = show_steps(ShowSteps("divide(n1,const_100)|multiply(#0,n0)", text))
    assert found["equation"] == "N_1/C_100*N_0"
    assert found["answer"] == 20.0


def test_the_solutions_of_a_set_are_its_equations_and_its_annotations(tmp_path: Path) -> None:
    data = tmp_path / "set.jsonl"
    rows = [
        {"id": "a", "question": "Ann has 12 boxes of 5 and loses 7.", "equation": "12*5-7", "answer": 53},
        {"id": "b", "question": "Half of 48 clips?", "answer": "<<48/2=25>>25\n#### 25"},
        {"id": "c", "question": "How many are 3 and 4?", "answer": "7"},
    ]
    data.write_text("".join(json.dumps(one) + "\n" for one in rows))
    found = list_solutions(ListSolutions(data))
    assert (found["problems"], found["with_steps"], found["wrong"]) == (3, 2, 1)
    told = {one["id"]: (one["steps"], one["chain"], one["wrong"]) for one in found["solutions"]}
    assert told == {
        "a": (2, "12 × 5 = 60; 60 − 7 = 53", ""),
        "b": (1, "48/2 = 25", "step 1: 48/2=25, it is 24"),
        "c": (0, "", ""),
    }
    shown = show_steps(ShowSteps("a", data=data))
    assert [step["text"] for step in shown["steps"]] == ["12*5 = 60", "60-7 = 53"]
    for code, id_ in (("E684", "d"), ("E220", "c")):
        with expect_error(code):
            show_steps(ShowSteps(id_, data=data))


def test_a_number_of_the_problem_stands_before_a_result_that_is_worth_as_much() -> None:
    solution = "<<5*4=20>>20 pens. Then <<20-3=17>>17 and <<17+20=37>>37."
    # The 20 of the text is used where it is first needed, the result afterwards.
    found = show_steps(ShowSteps(solution, "5 boxes of 4 pens, 3 are lost and 20 are bought."))
    assert found["unused"] == []
    assert found["answer"] == 37.0


@pytest.mark.parametrize(
    ("program", "values", "value"),
    [
        ("divide(n0,n1)|add(#0,const_1)|multiply(#0,#1)|", (48, 2), 600),
        ("multiply(n0,const_0_25)", (8,), 2),
        ("power(n0, const_2)", (7,), 49),
        ("sqrt(n0)", (9,), 3),
    ],
)
def test_programs_of_mathqa_are_evaluated(program: str, values: tuple[int, ...], value: int) -> None:
    assert read_mathqa(program, tuple(map(Fraction, values))).value == value


@pytest.mark.parametrize(
    "program", ["", "add(n0,n5)", "add(#0,n0)", "teapot_volume(n0)", "add(n0", "add(x,y)"]
)
def test_a_program_that_cannot_be_read_says_why(program: str) -> None:
    with pytest.raises(EquationError):
        read_mathqa(program, (Fraction(1), Fraction(2)))


@pytest.mark.parametrize(
    ("text", "problem", "code"),
    [
        ("So it is 72.", None, "E220"),
        ("add(n0,n1)", None, "E402"),
        ("<<1/0=3>>", None, "E220"),
        ("a = b", None, "E220"),
    ],
)
def test_a_solution_that_cannot_be_read_is_refused(text: str, problem: str | None, code: str) -> None:
    with expect_error(code):
        show_steps(ShowSteps(text, problem))


def test_annotations_keep_what_the_solution_says() -> None:
    steps = read_annotations("<<3*$5=15>> and <<20%*50=10.0>> and <<two=2>>")
    assert [(step.value, step.stated) for step in steps] == [
        (None, 15),
        (Fraction(10), 10),
        (None, 2),
    ]
