"""Files in the formats of other data sets: rows of their shapes, written for these tests."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from engines.core.tree import Tree
from engines.mwp.problems.problem import EquationError, evaluate, read_equation
from engines.mwp.problems.readers import ProblemFile, read_problems
from engines.mwp.problems.unknowns import solve_unknowns

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
        ("x*x=15", "not linear"),
        ("x^2=15", "under a power"),
        ("x+y=15", "leave an unknown open"),
        ("x+6=15; x+6=16", "contradict"),
        ("x+6=x+15", "leave an unknown open"),
        ("x+6=15=3", "is not one equation"),
        ("6 shells + 15", "cannot be read"),
    ],
)
def test_what_is_not_solved_says_why(equation: str, reason: str, tmp_path: Path) -> None:
    found = read_rows(tmp_path, {"text": "6 shells and 15 shells. How many?", "equation": equation})
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
        solution = solve_unknowns(sides, values)
    except EquationError:
        # No solution, or more than one.
        assert not known or any(part.free_symbols for part in next(iter(known)))
        return
    (expected,) = known
    for name, value in zip("xyz", expected, strict=True):
        assert evaluate(solution[f"?{name}"], values) == Fraction(int(value.p), int(value.q))


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
