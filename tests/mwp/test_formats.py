"""Files in the formats of other data sets: rows of their shapes, written for these tests."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.core.tree import Tree
from engines.mwp.problems.problem import EquationError, evaluate, read_equation
from engines.mwp.problems.readers import (
    DescribeProblems,
    ProblemFile,
    described_problems,
    read_problems,
)
from engines.mwp.problems.unknowns import solve_unknowns
from tests.conftest import expect_error

pytestmark = pytest.mark.filterwarnings("error")


def read_rows(place: Path, *rows: dict[str, Any]) -> ProblemFile:
    path = place / "rows.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return read_problems(path)


@pytest.mark.parametrize(
    ("equation", "form", "value"),
    [
        ("x+6=15", "N_1-N_0", 9),
        ("6+(2*x)=15", "(N_1-N_0)/C_2", "9/2"),
        ("7=15-x", "N_1-C_7", 8),
        ("15/shells=6", "N_1/N_0", "5/2"),
        ("6*number=number+15", "N_1/(N_0-C_1)", 3),
        ("15/(6-x)=6/(6+x)", "(N_0*N_0-N_0*N_1)/(N_0+N_1)", "-18/7"),
        ("x=6+15", "N_0+N_1", 21),
    ],
)
def test_one_unknown_inside_an_equation_is_solved_for(
    equation: str, form: str, value: Any, tmp_path: Path
) -> None:
    found = read_rows(tmp_path, {"text": "6 shells and 15 shells. How many?", "equation": equation})
    (problem,) = found.rows
    assert problem.answer == pytest.approx(float(Fraction(value)))
    assert problem.template == form


@pytest.mark.parametrize(
    ("equation", "reason"),
    [
        ("x*x*x=15-x", "degree 3"),
        ("6^x=15", "exponent"),
        ("x^2=6-15", "no real solution"),
        ("15/6=2 r3", "a remainder"),
        ("GCD(6,15)=3", "the function GCD"),
        ("6/15=0.4(here) < 1", "a comparison"),
        ("6, 15, 24", "a list of numbers"),
        ("15-6=9 shells", "cannot be read"),
        ("x:The tens; y:The ones; x+y=15; x=6", "none of the unknowns is the answer: x = 6, y = 9"),
        ("x+y=15", "leave an unknown open"),
        ("x+6=15; x+6=16", "contradict"),
        ("x+6=x+15", "leave an unknown open"),
        ("x+6=15=3", "is not one equation"),
        ("6 shells + 15", "cannot be read"),
    ],
)
def test_what_is_not_solved_says_why(equation: str, reason: str, tmp_path: Path) -> None:
    row = {"text": "6 shells and 15 shells. How many?", "equation": equation, "answer": 69}
    found = read_rows(tmp_path, row)
    assert found.rows[0].equation is None
    (note,) = (note for note in found.remarks if note.reason.startswith("no equation"))
    assert reason in note.reason


coefficients = st.integers(-6, 6)


@given(st.lists(st.lists(coefficients, min_size=4, max_size=4), min_size=3, max_size=3))
def test_linear_systems_are_solved_as_sympy_solves_them(rows: list[list[int]]) -> None:
    names = sympy.symbols("x y z")
    values = [Fraction(number) for row in rows for number in row]
    sides, matrix = [], []
    for index, row in enumerate(rows):
        text = "+".join(f"N_{4 * index + place}*{name}" for place, name in enumerate("xyz"))
        left = read_equation(text, Tree, lambda name: Tree(f"?{name}"))
        sides.append((left, Tree(f"N_{4 * index + 3}")))
        matrix.append(row)
    known = sympy.linsolve(
        (sympy.Matrix([row[:3] for row in matrix]), sympy.Matrix([row[3] for row in matrix])), names
    )
    try:
        solutions = solve_unknowns(sides, values)
    except EquationError:
        # No solution, or more than one.
        assert not known or any(part.free_symbols for part in next(iter(known)))
        return
    (expected,) = known
    (solution,) = solutions
    for name, value in zip("xyz", expected, strict=True):
        assert evaluate(solution[f"?{name}"], values) == Fraction(int(value.p), int(value.q))


@settings(max_examples=20)
@given(
    st.lists(st.integers(1, 9), min_size=6, max_size=6), st.sampled_from(["x*y", "x^2+y^2", "x^2-y", "x/y"])
)
def test_quadratic_systems_are_solved_as_sympy_solves_them(numbers: list[int], term: str) -> None:
    values = list(map(Fraction, numbers))
    texts = [("N_0*x+N_1*y", "N_2"), (f"N_3*({term})+N_4*x", "N_5")]
    sides = [
        tuple(
            read_equation(one, lambda digit: Tree(f"C_{digit}"), lambda name: Tree(f"?{name}"))
            for one in pair
        )
        for pair in texts
    ]
    x, y = sympy.symbols("x y", real=True)
    a, b, c, d, e, f = numbers
    second = d * sympy.sympify(term.replace("^", "**"), locals={"x": x, "y": y}) + e * x - f
    expected = [
        tuple(map(float, pair))
        for pair in sympy.solve([a * x + b * y - c, second], [x, y])
        if all(part.is_real for part in pair)
    ]
    try:
        solutions = solve_unknowns([(left, right) for left, right in sides], values)
    except EquationError:
        solutions = []
    found = [tuple(float(evaluate(one[name], values)) for name in ("?x", "?y")) for one in solutions]
    assert len(found) == len(expected)
    for one in expected:
        assert any(one == pytest.approx(other, abs=1e-6) for other in found)


def test_a_system_of_alg514_and_hmwp_is_solved(tmp_path: Path) -> None:
    found = read_rows(
        tmp_path,
        {
            "id": 1,
            "original_text": "A show sold 900 seats at 7 or 4 dollars , for 5,100 dollars . How many at 7 ?",
            "equation": "7.0*m+4.0*n=5100.0 ; m+n=900.0",
            "ans": [500.0, 400.0],
        },
        {
            "id": 2,
            "original_text": "大船 坐 6 人 ， 小船 坐 4 人 ， 50 人 坐 10 条 船 ， 大船 几 条 ？",
            "equation": "6.0 * x + 4.0 * ( 10.0 - x ) = 50.0",
            "ans": [5],
        },
        {
            "iIndex": 3,
            "sQuestion": "Tickets cost 8 or 5 dollars ; 34 tickets cost 236 dollars . How many cost 8 ?",
            "lEquations": ["student+general=34", "8*general+5*student=236"],
            "lSolutions": [22.0, 12.0],
        },
    )
    assert [problem.answer for problem in found.rows] == pytest.approx([500, 5, 22])
    assert [problem.template for problem in found.rows] == [
        "(N_3-N_0*N_2)/(N_1-N_2)",
        "(N_2-N_1*N_3)/(N_0-N_1)",
        "(N_3-N_1*N_2)/(N_0-N_1)",
    ]
    assert found.disagreements == ()
    said = [note.reason for note in found.remarks if note.reason.startswith("several unknowns")]
    assert said == [
        "several unknowns: m = 500, n = 400; the equation is that of m",
        "several unknowns: general = 22, student = 12; the equation is that of general",
    ]


def test_implicit_products_and_several_solutions(tmp_path: Path) -> None:
    shop = "A field has a perimeter of 14 m and an area of 12 m. What is its length?"
    found = read_rows(
        tmp_path,
        {"text": shop, "equations": "unkn: l\r\nequ: 2l+2w=14\r\nequ: lw=12", "ans": "4"},
        {"text": shop, "equations": ["unkn: w", "equ: 2(l+w)=14", "equ: w(7-w)=12", "equ: w<l"], "ans": "3"},
        {
            "text": "The product of 2 consecutive numbers is 72.",
            "equations": ["equ: (x)(x+1)=72"],
            "ans": "{-9; -8}",
        },
        {
            "original_text": "从 50 吨 经过 2 年 增长 到 72 吨 ， 求 年 增长率 ？",
            "equation": "50.0*(1.0+x)^2.0=72.0",
            "ans": [0.2],
        },
        {
            "original_text": "两 数 和 为 7 ， 积 为 12 ， 求 两 数 ？",
            "equation": "x + y = 7.0 ; x * y = 12.0",
            "ans": [3, 4],
        },
    )
    assert found.disagreements == ()
    assert [problem.answer for problem in found.rows] == pytest.approx([4, 3, -9, 0.2, 3])
    assert found.rows[3].template == "(N_2/N_0)^(C_1/N_1)-C_1"
    said = [note.reason for note in found.remarks if note.reason.startswith("several solutions")]
    assert said[-2:] == [
        "several solutions: x = 0.2 or -2.2; the file's answer decides",
        "several solutions: y = 3 or 4; the file's answer decides",
    ]


def test_equations_of_asdiv_with_units_steps_proportions_and_named_unknowns(tmp_path: Path) -> None:
    def row(question: str, formula: str, answer: str) -> dict[str, Any]:
        return {"body": "In a park.", "question": question, "formula": formula, "answer": answer}

    rows = [
        row("How many hours are 11 days?", "11 (day) * 24 (hour/day) = 264 (hour)", "264 (hours)"),
        row("4 cakes cost 3 coins. What do 32 cakes cost?", "3:4=24:32", "24 (coins)"),
        row("Al has 3, Bo 5 more than Al, Cy 2 less than Bo.", "3+5=8; 8-2=6; 3+8+6=17", "17 (stamps)"),
        row(
            "45 birds, twice as many grey as red?",
            "x:The red ones; y:The grey ones; x+y=45; 2x=y",
            "15 (red); 30 (grey)",
        ),
        row("What is the ratio of 42 to 30?", "42:30=7:5", "7:5"),
    ]
    found = read_rows(tmp_path, *rows)
    assert found.disagreements == ()
    assert [problem.answer for problem in found.rows] == pytest.approx([264, 24, 17, 15, 1.4])
    assert [problem.template for problem in found.rows] == [
        "C_24*N_0",
        "N_1/N_0*N_2",
        "N_0+N_1+N_0+(N_0+N_1-N_2)",
        "N_0/C_3",
        "N_0/N_1",
    ]


def test_rows_that_hold_the_row_of_a_data_set(tmp_path: Path) -> None:
    inner = {
        "iIndex": 7,
        "sQuestion": "Tickets cost 8 or 5 dollars ; 34 tickets cost 236 dollars . How many cost 8 ?",
        "lEquations": ["student+general=34", "8*general+5*student=236"],
        "lSolutions": [22.0, 12.0],
    }
    outer = {"original": inner, "text": "…", "numbers": [], "answer": [[22.0, 12.0]], "expr": [[0, "…"]]}
    found = read_rows(tmp_path, {**outer, "id": "draw-7"}, outer)
    assert found.format == "mawps"
    assert [(problem.id, problem.answer) for problem in found.rows] == [("draw-7", 22), ("7", 22)]


ANN = "Ann has 12 boxes with 5 pens in each. How many pens?"
BY_NUMBER = {"text": "2", "answer": "3"}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("lists.json", json.dumps([["a", ANN, "60"], ["b", ANN, "60 pens"]])),
        ("lists.json", json.dumps([["a", ANN, "60"], ["b", ANN, "60 pens"]], indent=1)),
        ("lists.jsonl", f'["a", "{ANN}", 60]\n["b", "{ANN}", 60]\n'),
        ("bare.tsv", f"a\t{ANN}\t60\nb\t{ANN}\t60\n"),
        ("bare.csv", f'a,"{ANN}",60\nb,"{ANN}",60\n'),
    ],
)
def test_columns_without_names_are_counted(name: str, content: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content, "utf-8")
    found = read_problems(path, fields=BY_NUMBER)
    assert [(problem.original, problem.gold) for problem in found.rows] == [(ANN, 60), (ANN, 60)]


def test_columns_that_are_not_there_and_other_encodings_are_told(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("Nr;Aufgabe\n1;3 and 4?\n", "utf-8")
    with expect_error("E318", line=1) as caught:
        read_problems(path, fields={"text": "Frage"})
    assert "frage" in caught.value.what
    assert "Nr, Aufgabe" in caught.value.what
    with expect_error("E318", line=1):
        read_problems(path, fields={"text": "7"})
    path.write_bytes("题目,答案\n3个和4个,7\n".encode("gbk"))
    with expect_error("E318", line=1) as caught:
        read_problems(path)
    assert "iconv -f GBK" in caught.value.remedy


ROPE = "A rope of 20 m is cut into 4 pieces , 1 is lost . How many m are left ?"
FORMATS: dict[str, tuple[list[dict[str, Any]], float, str]] = {
    "dolphin": (
        [
            {
                "id": "yahoo.1",
                "text": "The sum of 2 numbers is 120. The larger is 4 times the smaller. Find the larger.",
                "equations": ["unkn: x", "equ: x + y = 120", "equ: x = 4*y"],
                "ans": "96",
                "ans_simple": [96],
            }
        ],
        96,
        "N_1*N_2/(C_1+N_2)",
    ),
    "mathqa": (
        [
            {
                "Problem": ROPE,
                "Rationale": "20 / 4 = 5",
                "options": "a ) 5 , b ) 15 , c ) 25 , d ) 4 , e ) none of these",
                "correct": "b",
                "annotated_formula": "multiply(divide(20,4),subtract(4,1))",
                "linear_formula": "divide(n0,n1)|subtract(n1,n2)|multiply(#0,#1)|",
                "category": "general",
            }
        ],
        15,
        "N_0/N_1*(N_1-N_2)",
    ),
    "aqua": (
        [{"question": ROPE, "options": ["A)5", "B)15 m", "C)$25"], "rationale": "20/4 ...", "correct": "B"}],
        15,
        "",
    ),
    "tal-scq": (
        [
            {
                "qid": "a1",
                "qtype": "single_choice",
                "problem": "A rope of $$20$$ m is cut into $$4$$ , $$1$$ is lost . How many m are left ?",
                "answer_option_list": [
                    [{"aoVal": "A", "content": "$$5$$ "}],
                    [{"aoVal": "B", "content": "$$15$$ "}],
                ],
                "answer_value": "B",
            }
        ],
        15,
        "",
    ),
    "gsm-hard": ([{"input": ROPE, "code": "def solution():\n    return 15", "target": 15.0}], 15, ""),
    "cmath": (
        [{"grade": 3, "question": "一根绳子长20米，剪成4段，丢了1段，还剩多少米？", "golden": "15"}],
        15,
        "",
    ),
}


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_recognised_and_its_answer_read(name: str, tmp_path: Path) -> None:
    rows, answer, form = FORMATS[name]
    found = read_rows(tmp_path, *rows)
    (problem,) = found.rows
    assert (found.format, found.skipped, found.disagreements) == (name, (), ())
    assert (problem.answer, problem.stated, problem.template) == (answer, answer, form)
    assert len(problem.numbers) == 3
    # As problems of ours they keep all of it.
    (again,) = read_rows(tmp_path, problem.to_row()).rows
    assert (again.answer, again.stated, again.template) == (answer, answer, form)


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("choose(n0,n1)|", "choose(2 operands) is no operation of equations"),
        ("add(n0,n7)|", "n7 is not among the 3 numbers of the problem"),
        ("add(n0,#0)|", "#0 stands before the call that it means"),
        ("add(n0,__import__('os'))|", "is no call of a program"),
        ("divide(n0,const_0)|", "divides by zero"),
    ],
)
def test_a_program_that_is_none_is_refused_by_what_is_wrong(
    program: str, reason: str, tmp_path: Path
) -> None:
    row = {**FORMATS["mathqa"][0][0], "linear_formula": program}
    found = read_rows(tmp_path, row)
    (note,) = (note.reason for note in found.remarks if note.reason.startswith("no equation"))
    assert reason in note
    assert found.rows[0].answer == 15


def test_the_rows_of_an_object_are_read_with_their_lines(tmp_path: Path) -> None:
    # Rows that stand in a list of one object, beside facts about the set.
    path = tmp_path / "nested.json"
    rows = [
        {"uid": "a", "prompt": {"body": "Ann has 3 pens and buys 4. How many?"}, "gold": {"value": "7 pens"}},
        {"uid": "b", "prompt": {"body": "Bob has 9 pens and loses 2. How many?"}, "gold": {"value": 6}},
    ]
    path.write_text(json.dumps({"version": {"items": [1]}, "items": rows}, indent=1))
    columns = {"text": "prompt.body", "answer": "gold.value", "id": "uid"}
    found = read_problems(path, fields=columns)
    assert [(row.id, row.stated) for row in found.rows] == [("a", 7), ("b", 6)]
    begin = [number for number, line in enumerate(path.read_text().splitlines(), start=1) if line == "  {"]
    assert [note.line for note in found.remarks if note.reason.startswith("no equation")] == begin
    # The same on one line, and an object that is itself a row.
    path.write_text(json.dumps({"items": rows}))
    assert len(read_problems(path, fields=columns).rows) == 2
    path.write_text(json.dumps({**rows[0], "turns": [{"role": "user"}, {"role": "assistant"}]}))
    assert [row.id for row in read_problems(path, fields=columns).rows] == ["a"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("It runs 60 km each hour, so 60*3 = 180 km.\nThe answer is 180 km.", 180),
        ("20 - 7.50 = 12.50. The answer is: \\boxed{12.50}", 12.5),
        ("First 3, then 4; altogether she has 7 pens.\n#### 7", 7),
        ("20 (apples)", 20),
    ],
)
def test_an_answer_that_is_a_solution_gives_its_final_answer(text: str, value: float, tmp_path: Path) -> None:
    row = {"question": "A train runs 60 km in 1 hour. How far in 3 hours?", "answer": text}
    (problem,) = read_rows(tmp_path, row).rows
    assert problem.stated == value
    (again,) = read_rows(tmp_path, problem.to_row()).rows
    assert again.stated == value


def test_dolphin_has_its_numbers_in_words(tmp_path: Path) -> None:
    row = {
        "id": "algebra.1",
        "text": "Six more than three times a number is twenty-one. What is the number?",
        "equations": ["unkn: x", "equ: 6 + 3*x = 21"],
        "ans_simple": [5],
    }
    found = read_rows(tmp_path, row)
    (problem,) = found.rows
    assert (found.format, problem.numbers) == ("dolphin", ("Six", "three", "twenty-one"))
    assert (problem.template, problem.answer) == ("(N_2-N_0)/N_1", 5)


def test_geometry_of_mathqa_and_equal_numbers_are_those_that_the_program_names(tmp_path: Path) -> None:
    row = {
        **FORMATS["mathqa"][0][0],
        "Problem": "A box of 4 by 4 by 5 cm costs 20 % of 100 . The surface of its floor ?",
        "linear_formula": "rectangle_area(n1,n2)|",
        "correct": "d",
        "options": "a ) 5 , d ) 20",
    }
    (problem,) = read_rows(tmp_path, row).rows
    assert (problem.numbers, problem.template, problem.answer) == (
        ("4", "4", "5", "20", "100"),
        "N_1*N_2",
        20,
    )


def test_a_letter_that_is_no_option_is_told(tmp_path: Path) -> None:
    found = read_rows(tmp_path, {**FORMATS["aqua"][0][0], "correct": "E"})
    assert found.rows[0].stated is None
    assert "no answer: 'E' is none of the options A, B, C" in {note.reason for note in found.remarks}


def test_mgsm_has_no_header(tmp_path: Path) -> None:
    path = tmp_path / "mgsm_en.tsv"
    path.write_text("Ann has 3 pens, and buys 4. How many?\t7\nBob had 1,200 and spent 1. Left?\t1,199\n")
    found = read_problems(path)
    assert [(problem.id, problem.answer) for problem in found.rows] == [("mgsm_en-1", 7), ("mgsm_en-2", 1199)]
    chinese = tmp_path / "mgsm_zh.tsv"
    chinese.write_text("小明有3支笔，又买了4支，一共有几支？\t7\n", "utf-8")
    (problem,) = read_problems(chinese).rows
    assert (problem.language, problem.answer) == ("zh", 7)


def test_rows_with_a_repeated_id_are_all_kept(tmp_path: Path) -> None:
    # GSM-Symbolic: an id is a template's, and has many instances.
    rows = [
        {
            "id": 3,
            "instance": number,
            "question": f"Ann has {number} pens and 4. How many?",
            "answer": f"{number}+4=<<{number}+4={number + 4}>>{number + 4}\n#### {number + 4}",
        }
        for number in range(3)
    ]
    found = read_rows(tmp_path, *rows)
    assert [(problem.id, problem.answer) for problem in found.rows] == [("3", 4), ("3#2", 5), ("3#3", 6)]
    assert found.skipped == ()
    said = [note.reason for note in found.remarks if note.reason.startswith("a repeated id")]
    assert said == ["a repeated id: 3 stands above too"] * 2


def test_any_columns_are_read_where_they_are_named(tmp_path: Path) -> None:
    fields = {"text": "Prompt", "answer": "meta.gold", "id": "key"}
    path = tmp_path / "own.jsonl"
    row = {"prompt": "3 pens and 4. How many?", "meta": {"Gold": 7}, "key": "a", "answer": 1}
    path.write_text(json.dumps(row) + "\n" + json.dumps({"prompt": "5 pens"}) + "\n")
    found = read_problems(path, fields=fields)
    assert [(problem.id, problem.answer) for problem in found.rows] == [("a", 7)]
    assert [(note.line, note.reason) for note in found.skipped] == [(2, "it has no column 'meta.gold'")]
    table = tmp_path / "own.csv"
    table.write_text("Aufgabe;Ergebnis\n3 pens and 4. How many?;7\n")
    (problem,) = read_problems(table, fields={"text": "aufgabe", "answer": "Ergebnis"}).rows
    assert problem.answer == 7
    with expect_error("E318") as caught:
        read_problems(table, fields={"text": "task"})
    assert caught.value.line == 1


def test_problems_with_an_answer_alone_are_written_for_other_commands(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text('{"prompt": "3 pens and 4. How many?", "gold": "7 pens"}\n{"prompt": "What is 5?"}\n')
    out = tmp_path / "problems.jsonl"
    fields = ("text=prompt", "answer=gold")
    told = described_problems(DescribeProblems((path,), field=fields, out=out))
    assert (told["problems"], told["usable"], told["out_problems"]) == (1, 0, 1)
    (problem,) = read_problems(out).rows
    assert (problem.answer, problem.answer_text) == (7, "7 pens")


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (("text",), "E424"),
        (("text=",), "E424"),
        (("texts=prompt",), "E424"),
        (("text=a", "text=b"), "E424"),
        (("answer=gold",), "E402"),
    ],
)
def test_fields_that_say_nothing_are_refused(given: tuple[str, ...], code: str, tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text('{"prompt": "3 pens", "gold": 3}\n')
    with expect_error(code):
        described_problems(DescribeProblems((path,), field=given))
