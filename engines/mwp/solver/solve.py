"""Solve one problem: its equation, the steps that lead to the answer, and what else was thought of."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from engines.core.errors import EngineError
from engines.core.hashing import cache_by_file_state, file_stamp
from engines.core.shown import Shown
from engines.core.spec import Arg, specification
from engines.core.tree import Tree
from engines.mwp.problems.numbers import language_of, list_unread_numbers, mask_numbers
from engines.mwp.problems.problem import Problem, evaluate, leaf_value, to_infix
from engines.mwp.solver.reading import LARGEST, ScoredEquation

if TYPE_CHECKING:
    from engines.mwp.solver.solver import Solver


LANGUAGES = {"en": "English", "zh": "Chinese"}
_SIGNS = {"*": "×", "/": "÷", "-": "−"}


@specification
class Solve:
    """Solve a math word problem.

    The answer is the value of an equation over the numbers in the text; only equations with a value are
    shown.
    """

    model: Annotated[Path, Arg("A solver: its folder, or the name of one.", ref="solver")]
    text: Annotated[str, Arg("The problem.", words=True)]
    beam: Annotated[int, Arg("Beam width: equations to follow and show.", low=1, high=100)] = 5
    number_words: Annotated[bool, Arg("Read words such as three, a dozen or 三分之二 as numbers.")] = False


def solve(spec: Solve) -> dict[str, Any]:
    """Return the best equation with its steps and answer, the alternatives in the order of their probability,
    and as `remarks` what of the problem was not understood.

    Raises:
        EngineError: E690 for a problem without numbers, or one that the solver cannot read.
        DataError: E680 for a folder without a solver.

    >>> from engines.core.system import asset
    >>> text = "Ann has 3 pens and buys 4 more pens. How many pens does she have?"
    >>> found = solve(Solve(asset("models/mwp-en"), text))
    >>> found["equation"], found["answer"]
    ('N_0+N_1', 7.0)
    """
    problem = problem_of(spec.text, number_words=spec.number_words)
    if not problem.numbers:
        remedy = "" if spec.number_words else "Words such as three or 三 count with --number-words."
        raise _unsolved_error("the problem has no number", remedy)
    solver = open_cached_solver(spec.model)
    (equations,) = solver.solve([problem], beam=spec.beam)
    if isinstance(equations, str):
        raise _unsolved_error(f"the solver cannot read the problem: {equations}")
    if not equations:
        what = "no equation from the numbers and the solver's constants has a value"
        raise _unsolved_error(what, "Try a wider --beam, or a solver that knows more constants.")
    # The first equation is the answer; the others are shown as alternatives.
    rows = [_describe_equation(problem, one) for one in equations]
    steps = list_steps(problem, equations[0].equation)
    document = {
        "model": spec.model.name,
        "language": problem.language,
        "text": problem.text,
        "numbers": list(problem.numbers),
        **rows[0],
        "steps": steps,
        "alternatives": rows[1:],
        "remarks": [*([solver.note] if solver.note else []), *_list_remarks(problem, solver.languages)],
    }
    title = (
        f"{spec.text} Answer {document['answer']:.10g} = {document['filled']} ({document['probability']:.0%})"
    )
    return Shown(document, "steps", ("text", "operation", "result"), title=title)


def _list_remarks(problem: Problem, languages: tuple[str, ...]) -> list[str]:
    result = []
    if languages and problem.language not in languages:
        learned = " and ".join(LANGUAGES[name] for name in languages)
        result.append(
            f"the problem is {LANGUAGES[problem.language]}, and the solver has learned {learned} only"
        )
    for written, value in zip(problem.numbers, problem.values, strict=True):
        if abs(value) > LARGEST:
            result.append(f"{written} is larger than {LARGEST:.0e}, so no step uses it")
    result += list_unread_numbers(problem.text, problem.numbers, problem.original)
    read = set(problem.numbers)
    result += [
        f"{word} is read as a word: with --number-words it is a number"
        for word in dict.fromkeys(mask_numbers(problem.original, words=True).numbers)
        if word not in read and word.lower() != "one"
    ]
    return result


@cache_by_file_state(2, lambda folder: file_stamp(folder / "solver.json"))
def open_cached_solver(folder: Path) -> Solver:
    """Return a solver; it stays open for the next question until its folder changes."""
    from engines.mwp.solver.solver import open_solver

    return open_solver(folder)


def problem_of(text: str, *, number_words: bool = False) -> Problem:
    """Return a problem as it is told, without an equation."""
    masked = mask_numbers(text, words=number_words)
    values = tuple(map(float, masked.values))
    return Problem("", language_of(text), masked.text, masked.numbers, values, None, math.nan, None, "", text)


def list_steps(problem: Problem, equation: Tree) -> list[dict[str, str]]:
    """Return the operations of an equation in the order in which they are done, each with its operands and
    its result in the numbers of the problem; equal ones once.

    `operation` is `N_0+N_1`, or `R_1*N_2` with the result of the first; `text` is `3 + 4 = 7`.
    """
    rows: list[dict[str, str]] = []
    names: dict[Tree, str] = {}

    def name_result(node: Tree) -> str:
        if not node.children:
            return node.label
        if node not in names:
            left, right = (name_result(child) for child in node.children)
            names[node] = f"R_{len(rows) + 1}"
            one, other, value = (_format_value(problem, each) for each in (*node.children, node))
            text = f"{one} {_SIGNS.get(node.label, node.label)} {other} = {value}"
            rows.append({"operation": f"{left}{node.label}{right}", "result": value, "text": text})
        return names[node]

    name_result(equation)
    return rows


def _format_value(problem: Problem, node: Tree) -> str:
    if node.label.startswith("N_"):
        return problem.numbers[int(node.label[2:])]
    if not node.children:
        return f"{float(leaf_value(node.label, ())):.10g}"
    return f"{float(evaluate(node, problem.values)):.10g}"


def _describe_equation(problem: Problem, found: ScoredEquation) -> dict[str, Any]:
    return {
        "equation": to_infix(found.equation),
        "filled": to_infix(_fill_in_numbers(problem, found.equation)),
        "answer": float(evaluate(found.equation, problem.values)),
        "probability": math.exp(found.score),
        "tree": found.equation.list_labels(),
    }


def _fill_in_numbers(problem: Problem, node: Tree) -> Tree:
    if not node.children:
        return Tree(_format_value(problem, node))
    return Tree(node.label, tuple(_fill_in_numbers(problem, child) for child in node.children))


def _unsolved_error(what: str, remedy: str = "") -> EngineError:
    return EngineError(what, code="E690", remedy=remedy)
