r"""Solutions of differential equations: `y'' + 4y = 0`, so `y = c_1 \cos 2x + c_2 \sin 2x`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from random import Random

from engines.core.tree import Tree, differentiate
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import read_last_cue
from engines.proofreading.facts import Facts
from engines.proofreading.link_verdicts import Accusation, Evidence
from engines.proofreading.slips import iterate_changes
from engines.proofreading.stated_facts import Fact, describe_sources
from engines.proofreading.statement_roles import is_supposed
from engines.proofreading.term_properties import evaluate_term, free_symbols

_VARIABLES = ("x", "t", "s", "θ", "r", "z")
"""Letters that a solution is usually a function of."""
_NEAR_LINES, _NEAR_PARAGRAPHS = 20, 3
"""From an equation to its solution: the answers to a list of exercises stand further away."""
_MOST_NODES = 60
"""Of a solution; longer ones take too long to be differentiated with each change."""
_PLACES = 3
_ZERO = 1e-7


def find_failed_solution(facts: Facts, link: ChainLink, left: Tree, right: Tree) -> Accusation | None:
    """Return the change by which a function solves the differential equation that was stated last for it,
    which it does not solve as it stands; None where it does, or no change does that.

    Args:
        facts: What the text has said so far.
        link: The link that says what the function is.
        left: Its left side: the function, `y` or `y(x)`.
        right: Its right side.
    """
    name = left.children[0].label if left.label == "call" else "" if left.children else left.label
    if not name or link.relation != "=" or link.of_problem or link.is_denied_directly or not right.children:
        return None
    if link.is_one_of_alternatives or is_supposed(link) or read_last_cue(link.words_before) == "given":
        return None
    equation = _find_equation(facts, link, name)
    variable = _find_variable(left, right, equation) if equation is not None else ""
    is_long = len(right) > _MOST_NODES
    if equation is None or not variable or f"{name}(" in free_symbols(right) or is_long:
        return None
    if _leaves_nothing(equation, name, variable, right) is not False:
        return None
    for path, part, instead in chain(iterate_changes(right), _iterate_opposite_exponents(right)):
        if _leaves_nothing(equation, name, variable, right.replace_subtree(path, part)):
            reason = f"it holds with {instead}, {describe_sources([equation])}"
            return Accusation(reason, Evidence("only statement", (equation,)))
    return None


def _iterate_opposite_exponents(
    tree: Tree, path: tuple[int, ...] = ()
) -> Iterator[tuple[tuple[int, ...], Tree, str]]:
    """Yield each exponent of e in a term with the other sign, as `iterate_changes` yields changes."""
    exponent = tree.children[-1:] if tree.label == "exp" or tree.children[:1] == (Tree("e"),) else ()
    if exponent:
        opposite = Tree("*", (Tree("-1"), exponent[0]))
        yield (*path, len(tree.children) - 1), opposite, "the opposite exponent"
    for at, part in enumerate(tree.children):
        yield from _iterate_opposite_exponents(part, (*path, at))


def _find_equation(facts: Facts, link: ChainLink, name: str) -> Fact | None:
    """Return the last equation for the derivatives of a function, shortly before a link."""
    for fact in reversed(facts.in_scope):
        apart = link.position.paragraph - fact.position.paragraph
        if link.line - fact.line > _NEAR_LINES or apart > _NEAR_PARAGRAPHS:
            break
        if any(one.startswith(f"{name}'") and not one.endswith("(") for one in fact.variables):
            values = not fact.left.children and not free_symbols(fact.right)
            return None if values or fact.alternative else fact
    return None


def _find_variable(left: Tree, right: Tree, equation: Fact) -> str:
    """Return the letter that a solution is a function of; "" where it can be several."""
    if left.label == "call":
        argument = left.children[1] if len(left.children) == 2 else left
        return "" if argument.children else argument.label
    names = free_symbols(right)
    named = [one for one in _VARIABLES if one in names & equation.variables]
    found = named or [one for one in _VARIABLES if one in names]
    return found[0] if len(found) == 1 else ""


def _leaves_nothing(equation: Fact, name: str, variable: str, solution: Tree) -> bool | None:
    """Return whether an equation holds for a function whatever its constants are; None where it has no value
    that is known."""
    slopes = [solution]
    orders = [one.count("'") for one in equation.variables if one.rstrip("'") == name]
    try:
        for _ in range(max(orders, default=0)):
            slopes.append(differentiate(slopes[-1], variable))
    except (KeyError, ValueError):
        return None
    terms = {name + "'" * order: slope for order, slope in enumerate(slopes)}
    letters = sorted(
        (free_symbols(solution) | (equation.variables - terms.keys()) | {variable})
        - {one for one in equation.variables if one.endswith("(")}
    )
    random = Random(len(letters))
    for _ in range(_PLACES):
        at = {letter: random.uniform(0.4, 1.4) for letter in letters}
        gap = _measure_gap(equation, terms, at)
        if gap is None or abs(gap) > _ZERO:
            return None if gap is None else False
    return True


def _measure_gap(equation: Fact, terms: Mapping[str, Tree], at: Mapping[str, float]) -> float | None:
    """Return by how much the sides of an equation differ at a place, as a share of its terms."""
    values = dict(at)
    for name in equation.variables & terms.keys():
        value = evaluate_term(terms[name], at)
        if value is None:
            return None
        values[name] = value
    sides = [evaluate_term(side, values) for side in (equation.left, equation.right)]
    if sides[0] is None or sides[1] is None:
        return None
    size = 1 + sum(abs(values[name]) for name in equation.variables & terms.keys())
    return (sides[0] - sides[1]) / size
