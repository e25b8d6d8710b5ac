"""Generating, verifying, deriving, grading and proofreading name the same exceptional points of a pair."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from engines.core.expression_language import LETTERS, variables_of
from engines.core.tree import Tree
from engines.formula.reader import read_expression
from engines.mathematics.terms.notation import to_latex

EVERY_POLE_OF_TAN = "-pi/2, pi/2, -3*pi/2, 3*pi/2"
PAIRS = [
    # head, member, where only one of them has a value: the first points of each variable, or a curve
    ("sech(x)^2", "tanh(x)/(cosh(x)*sinh(x))", {"x": "0"}),
    ("sin(x)*cos(y)", "sin(x)/sec(y)", {"y": EVERY_POLE_OF_TAN}),
    ("x", "x*cos(y)/cos(y)", {"y": EVERY_POLE_OF_TAN}),
    ("x", "x*(x-7/3)/(x-7/3)", {"x": "7/3"}),
    ("x*(x-7/3)/(x-7/3)", "x", {"x": "7/3"}),
    ("x+1", "(x^2-1)/(x-1)", {"x": "1"}),
    ("x-2", "(x^2-4)/(x+2)", {"x": "-2"}),
    ("1", "x/x", {"x": "0"}),
    ("x", "x^2/x", {"x": "0"}),
    ("x", "1/(1/x)", {"x": "0"}),
    ("1/x", "x/x^2", {}),
    ("x+y", "(x^2-y^2)/(x-y)", {"x - y": "0"}),
    ("x*y", "x*y*(y-7/3)/(y-7/3)", {"y": "7/3"}),
    ("1", "(x+y)/(x+y)", {"x + y": "0"}),
    ("x", "x*y*z/(y*z)", {"y": "0", "z": "0"}),
    ("a/b", "a*c/(b*c)", {"c": "0"}),
    ("sin(x)", "tan(x)*cos(x)", {"x": EVERY_POLE_OF_TAN}),
    ("cos(x)", "sin(x)/tan(x)", {"x": "0, -pi/2, pi/2, -pi"}),
    ("cos(x)", "1/sec(x)", {"x": EVERY_POLE_OF_TAN}),
    ("sin(x)", "1/csc(x)", {"x": "0, -pi, pi, -2*pi"}),
    ("1", "sin(x)/sin(x)", {"x": "0, -pi, pi, -2*pi"}),
    ("cosh(x)", "sinh(x)/tanh(x)", {"x": "0"}),
    ("2*cos(x)", "sin(2*x)/sin(x)", {"x": "0, -pi, pi, -2*pi"}),
    ("ln(x)", "ln(x^3)/3", {}),
    ("x^2", "x^3/x", {"x": "0"}),
    ("1/(x+1)", "(x-1)/(x^2-1)", {"x": "1"}),
    ("x+3", "(x^2-9)/(x-3)", {"x": "3"}),
    ("1/(x*(x+1))", "1/x-1/(x+1)", {}),
    ("1+1/x", "(x+1)/x", {}),
    ("abs(x)", "x^2/abs(x)", {"x": "0"}),
    ("x", "(x*y+x)/(y+1)", {"y": "-1"}),
    ("2*x", "(x^2-x)/(x-1)+x", {"x": "1"}),
    ("x/(x-1)", "1+1/(x-1)", {}),
    ("(x-1)*(x-2)", "(x-1)^2*(x-2)/(x-1)", {"x": "1"}),
    ("1/y", "x/(x*y)", {"x": "0"}),
    ("exp(x)", "exp(2*x)/exp(x)", {}),
    ("x^2+1", "(x^4-1)/(x^2-1)", {"x": "-1, 1"}),
    ("1", "(x-1/2)/(x-1/2)", {"x": "1/2"}),
    ("t", "t*(t^2-5)/(t^2-5)", {"t": "about -2.236, about 2.236"}),
    ("tan(x)", "sin(x)/cos(x)", {}),
    ("x-y", "(x-y)^2/(x-y)", {"x - y": "0"}),
    ("(x-y)^2/(x-y)", "x-y", {"x - y": "0"}),
]


def read_sides(head: str, member: str) -> tuple[Tree, Tree]:
    one, other = (read_expression(text, "auto", LETTERS) for text in (head, member))
    return one, other


def generate(head: str, member: str, _folder: Path) -> str:
    """What the judge says that generated members are put before."""
    from engines.egen.theories.registry import theory_of

    one, other = read_sides(head, member)
    (verdict,) = theory_of("reals", "", one, other).make_judge(one).judge_members([other])
    assert verdict.outcome == "equal"
    return verdict.exceptional_text


def verify(head: str, member: str, folder: Path) -> str:
    from engines.egen.verify_and_explain import Verify
    from engines.egen.verify_and_explain import verify as verify_file

    file = folder / "pair.tsv"
    file.write_text(f"{head}\t{member}\n")
    (row,) = verify_file(Verify(file)).results
    assert row["verdict"] == "equal"
    return str(row.get("except", ""))


def derive(head: str, member: str, _folder: Path) -> str:
    from engines.egen.egraphs import derive as derive_steps

    last = derive_steps(head, member)["steps"][-1]
    assert last["verdict"] == "equal"
    return str(last.get("except", ""))


def grade(head: str, member: str, _folder: Path) -> str:
    from engines.grading.grades import grade as grade_answer

    found = grade_answer(*map(to_latex, read_sides(head, member)))
    assert found.verdict == ("equal if" if found.condition else "equal")
    return found.condition


def proofread(head: str, member: str, _folder: Path) -> str:
    one, other = map(to_latex, read_sides(head, member))
    found = proofreader().check_links(f"We have ${one} = {other}$.")[-1]
    assert found.verdict == "right"
    return found.reason.removeprefix("where ")


@cache
def proofreader():  # type: ignore[no-untyped-def]
    from engines.proofreading.proofread_files import TextProofreader

    return TextProofreader()


ENTRANCES: list[Callable[[str, str, Path], str]] = [generate, verify, derive, grade, proofread]


CONDITIONS_OF_FAMILIES = {
    ("sin(x)*cos(y)", "sin(x)/sec(y)"): "cos(y) != 0",
    ("x", "x*cos(y)/cos(y)"): "cos(y) != 0",
    ("sin(x)", "tan(x)*cos(x)"): "cos(x) != 0",
    ("cos(x)", "sin(x)/tan(x)"): "tan(x) != 0 and cos(x) != 0",
    ("cos(x)", "1/sec(x)"): "cos(x) != 0",
    ("sin(x)", "1/csc(x)"): "sin(x) != 0",
    ("1", "sin(x)/sin(x)"): "sin(x) != 0",
    ("2*cos(x)", "sin(2*x)/sin(x)"): "sin(x) != 0",
}
"""What grading and proofreading say instead of the first points of a family without end."""


def spell_points(points: dict[str, str], sign: str, between: str) -> str:
    rows = [f"{name} {sign} {value}" for name, values in points.items() for value in values.split(", ")]
    return between.join(rows)


@pytest.mark.parametrize("entrance", ENTRANCES, ids=lambda entrance: entrance.__name__)
def test_every_entrance_names_the_points_where_one_side_has_no_value(
    entrance: Callable[[str, str, Path], str], tmp_path: Path
) -> None:
    for head, member, points in PAIRS:
        expected = CONDITIONS_OF_FAMILIES.get((head, member)) or spell_points(points, "!=", " and ")
        if entrance in (generate, verify, derive):
            alone = variables_of(*read_sides(head, member)) == {"x"}
            expected = points.get("x", "") if alone else spell_points(points, "=", ", ")
        # That there are others is said by verdicts only.
        assert entrance(head, member, tmp_path).removesuffix(", …") == expected, (head, member)
