"""Reversed operations (Liu et al. 2021, RODA): a known number is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from types import ModuleType

from engines.core.tree import Tree
from engines.mwp.augmentation.variant import (
    ProblemVariant,
    compare_equations,
    renumber_problem,
    written_number,
)
from engines.mwp.problems.numbers import value_of
from engines.mwp.problems.problem import EquationError, Problem, evaluate, list_placeholders, to_infix


def solve_for_number(equation: Tree, number: str, answer: str) -> Tree:
    """Return the expression of `number`, given that the value of the equation is `answer`.

    This is the equation step of RODA (Liu et al. 2021): from the root down, each operation is undone on the
    side of the answer until only the number is left. Both arguments are labels of leaves.

    Raises:
        EquationError: If the number does not occur exactly once, or occurs below a power.

    >>> from engines.mwp.problems.problem import to_infix, read_equation
    >>> to_infix(solve_for_number(read_equation("N_2*(N_0+N_1)", Tree), "N_0", "N_3"))
    'N_3/N_2-N_1'
    """
    if equation.list_labels().count(number) != 1:
        raise EquationError(f"{number} occurs {equation.list_labels().count(number)} times in the equation")
    node, rest = equation, Tree(answer)
    # Invariant: the value of `node` is `rest`.
    while node.children:
        left, right = node.children
        in_left = number in left.list_labels()
        match node.label, in_left:
            case "+", _:
                rest = Tree("-", (rest, right if in_left else left))
            case "*", _:
                rest = Tree("/", (rest, right if in_left else left))
            case "-", True:
                rest = Tree("+", (rest, right))
            case "-", False:
                rest = Tree("-", (left, rest))
            case "/", True:
                rest = Tree("*", (rest, right))
            case "/", False:
                rest = Tree("/", (left, rest))
            case _:
                raise EquationError("a power is not solved for its base or exponent")
        node = left if in_left else right
    return simplify_equation(rest)


def simplify_equation(equation: Tree) -> Tree:
    """Return the equation as one sum of fractions: `a-(b-c)` becomes `a+c-b`, `(a/b)/c` becomes `a/(b*c)`.

    Equal factors are cancelled and factors 1 dropped; nothing is multiplied out. Terms and factors are in the
    order of their numbers, so that what differs only in grouping becomes one equation.
    """
    return _build_sum(_to_signed_terms(equation))


SignedTerms = list[tuple[int, Tree]]


def _to_signed_terms(tree: Tree) -> SignedTerms:
    if tree.label not in "+-" or not tree.children:
        return [_to_signed_fraction(tree)]
    left, right = (_to_signed_terms(child) for child in tree.children)
    sign = 1 if tree.label == "+" else -1
    return left + [(sign * each, term) for each, term in right]


def _build_sum(terms: SignedTerms) -> Tree:
    """Return terms as a tree; those with a plus first, so that none begins with a minus where that can be."""
    added = sorted((term for sign, term in terms if sign > 0), key=_leaf_keys)
    taken = sorted((term for sign, term in terms if sign < 0), key=_leaf_keys)
    if not added:
        raise EquationError("the value is the opposite of a sum")
    result = added[0]
    for term in added[1:]:
        result = Tree("+", (result, term))
    for term in taken:
        result = Tree("-", (result, term))
    return result


def _to_signed_fraction(tree: Tree) -> tuple[int, Tree]:
    sign, over, under = _split_factors(tree)
    for factor in list(under):
        if factor in over:
            over.remove(factor)
            under.remove(factor)
    top = _build_product(over) or Tree("C_1")
    bottom = _build_product(under)
    return sign, Tree("/", (top, bottom)) if bottom else top


def _split_factors(tree: Tree) -> tuple[int, list[Tree], list[Tree]]:
    if not tree.children or tree.label == "^":
        return 1, [] if tree.label == "C_1" else [tree], []
    if tree.label in "+-":
        terms = _to_signed_terms(tree)
        sign = 1 if any(each > 0 for each, _ in terms) else -1
        return sign, [_build_sum([(sign * each, term) for each, term in terms])], []
    (sign, over, under), (other, over2, under2) = (_split_factors(child) for child in tree.children)
    if tree.label == "*":
        return sign * other, over + over2, under + under2
    return sign * other, over + under2, under + over2


def _build_product(factors: list[Tree]) -> Tree | None:
    result = None
    for factor in sorted(factors, key=_leaf_keys):
        result = factor if result is None else Tree("*", (result, factor))
    return result


def _leaf_keys(tree: Tree) -> list[tuple[str, float]]:
    leaves = (node.label.partition("_") for node in tree if not node.children)
    return [("~" if kind == "C" else kind, float(key.replace("_", "."))) for kind, _, key in leaves]


# Reversed operations (Liu et al. 2021, RODA): a known number is asked for, and the answer is told.
#
# The step on the equation is the same for all languages; a language brings the step on the text: `refusal`
# says why nothing of a problem is reversed, `reversed_text` asks for one number.

TEXT_STEPS: Mapping[str, str] = {
    "en": "engines.mwp.augmentation.reversal_english",
    "zh": "engines.mwp.augmentation.reversal_chinese",
}
"""The module with the step on the text, by language."""


@dataclass(frozen=True, slots=True)
class ReversedText:
    """A text that asks for another number; its placeholders are the source's, and one more for the answer.
    doubts: why it may not be coherent."""

    text: str
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """A number that is not asked for (None: any), and why."""

    number: int | None
    reason: str


def reversed_operations(problem: Problem) -> Iterator[ProblemVariant | Refused]:
    """Yield, for each number of the equation, a problem that asks for it, or why there is none.

    The text states the old answer exactly, and the answer of each new problem is exactly the number it asks
    for.
    """
    assert problem.equation is not None
    step = _text_step(problem)
    if isinstance(step, Refused):
        yield step
        return
    values = tuple(map(value_of, problem.numbers))
    answer = evaluate(problem.equation, values)
    if isinstance(answer, float):
        yield Refused(None, "the answer is not a rational number")
        return
    if answer <= 0:
        yield Refused(None, "the answer is not above zero")
        return
    last = len(values)
    # A problem about percentages states its old answer as a percentage too.
    percent = any(mark in problem.text for mark in ("百分之", "多少%", "percent"))
    # The old answer becomes one more number, `N_last`.
    numbers = (*problem.numbers, written_number(answer, percent=percent))
    placeholders = list_placeholders(problem.equation)
    for number in sorted(set(placeholders)):
        if placeholders.count(number) > 1:
            yield Refused(number, "the equation uses it more than once")
            continue
        text = step.reversed_text(problem, number, last)
        if isinstance(text, str):
            yield Refused(number, text)
            continue
        try:
            solved = solve_for_number(problem.equation, f"N_{number}", f"N_{last}")
            id_ = f"{problem.id}/roda-{number}"
            made = renumber_problem(problem, text.text, solved, numbers, id_=id_)
            made = replace(made, equation=simplify_equation(made.equation)) if made.equation else made
            # Check the result: the new equation must give back the number that is asked for.
            value = evaluate(made.equation, tuple(map(value_of, made.numbers))) if made.equation else None
        except EquationError as error:
            yield Refused(number, error.what)
            continue
        if value != values[number]:
            yield Refused(number, "the solved equation does not give the number")
            continue
        yield ProblemVariant(
            problem=made,
            of=problem.id,
            kind="roda",
            asked=f"N_{number}",
            solved=to_infix(solved),
            relation=compare_equations(problem, made),
            doubts=text.doubts,
        )


def _text_step(problem: Problem) -> ModuleType | Refused:
    assert problem.equation is not None
    labels = problem.equation.list_labels()
    for reason, holds in (
        ("the equation has a power", "^" in labels),
        ("the equation has no operation", len(labels) < 3),
        ("there are fewer than two numbers", len(problem.numbers) < 2),
    ):
        if holds:
            return Refused(None, reason)
    step = import_module(TEXT_STEPS[problem.language])
    reason = step.refusal(problem)
    return Refused(None, reason) if reason else step
