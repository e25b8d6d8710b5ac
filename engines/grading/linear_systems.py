"""Systems of linear equations, and what may be their solution: `x + y = 3, x - y = 1` and `x = 2, y = 1`."""

from __future__ import annotations

from engines.core.tree import Tree
from engines.grading.forms import Form, Many, Named
from engines.grading.parameters import has_single_solution
from engines.grading.reading import is_constant, write_tree
from engines.grading.trees import list_relations, statement_of_form
from engines.grading.verdicts import GradeVerdict, differ_by
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.names import free_variables, replace_variable


def compare_solved(judge: Judge, system: Tree, solution: Form) -> GradeVerdict | None:
    """Compare linear equations with a value for each of their unknowns; None for other answers."""
    items = solution.items if isinstance(solution, Many) else ()
    values = {one.subject.label: statement_of_form(one.value) for one in items if isinstance(one, Named)}
    equations = list_relations(system)
    if not (
        1 < len(values) == len(items)
        and values.keys() == free_variables(system)
        and system.label == "and"
        and all(equation.label == "=" for equation in equations)
    ):
        return None
    for equation in equations:
        sides = equation
        for name, value in values.items():
            if isinstance(value, str) or not is_constant(value):
                return None
            sides = replace_variable(sides, name, value)
        left, right = sides.children
        verdict = judge.equal(left, right)
        if verdict.outcome != "equal":
            said = " = ".join(map(write_tree, equation.children))
            return differ_by(f"{said} does not hold") if verdict.outcome == "different" else None
    if not has_single_solution(equations, tuple(values)):
        return GradeVerdict("undecided", reason="the system may have other solutions")
    return GradeVerdict("equal", reason="the only solution of the system")
