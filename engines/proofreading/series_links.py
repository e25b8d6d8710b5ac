r"""Expansions of which the first terms are written: `\cos x = 1 - x^2/2 + \dots`, `e^x = 1 + x + O(x^2)`.

Both sides are expanded in powers of a variable, at the point that their terms show, and the coefficients that
are known of both are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from engines.core.tree import ONE, ZERO, Tree
from engines.formula.cursor import ELLIPSIS
from engines.formula.vocabulary import variable_name
from engines.mathematics.judging.names import free_variables
from engines.mathematics.judging.series_expansion import SeriesComparison, compare_series
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import mentions
from engines.proofreading.link_context import VECTORS, LinkContext
from engines.proofreading.link_verdicts import Evidence, LinkVerdict
from engines.proofreading.repair_conditions import write_term
from engines.proofreading.scopes import NUMBERS
from engines.proofreading.slips import iterate_changes
from engines.proofreading.stated_facts import Fact, describe_sources
from engines.proofreading.statement_roles import is_concluded, is_supposed
from engines.proofreading.term_properties import DECIMAL, free_symbols

_ORDERS = ("O", "o", "𝒪")
_NO_LETTERS = frozenset((ELLIPSIS, *(f"{symbol}(" for symbol in _ORDERS)))
_INFINITY = Tree("inf")
_MOST_CENTRES = 4
_MOST_CHANGES = 60
_ENOUGH = 2
"""Coefficients that are not equal by chance."""
_WRITTEN = "in the terms that are written"


def judge_expansion(context: LinkContext, link: ChainLink, left: Tree, right: Tree) -> LinkVerdict | None:
    """Return the verdict on an equation of expansions; None where it is none, or its terms do not decide."""
    if VECTORS.search(link.left + link.right) or not context.matrices.isdisjoint(free_symbols(left)):
        return None
    goes_on = _goes_on(left) or _goes_on(right)
    if link.relation == "approx" and mentions("expansion", link.words_before):
        # The terms of a Taylor polynomial are the first of a series.
        right, goes_on = Tree("+", (right, Tree(ELLIPSIS))), True
    elif link.relation != "=" or not (goes_on or _has_infinite_sum(left) or _has_infinite_sum(right)):
        return None
    whole = left, right
    sides: list[Tree] = []
    used: list[Fact] = []
    for side in (left, right):
        defined = context.facts.reduce_by_definitions(side, ZERO) if not _goes_on(side) else None
        sides.append(defined.left if defined else side)
        used += defined.used if defined else ()
    left, right = sides
    compared = [(base, each) for base, each in _iterate_comparisons(left, right) if each.is_decided]
    source = describe_sources(used) if used else ""
    if not (link.index or is_concluded(link)) and _is_defined_anew(whole, used):
        return None
    if any(each.equal and not each.different for _, each in compared):
        if not goes_on:
            return None  # equal first terms do not prove that sums are equal
        return LinkVerdict(link, "follows", source) if used else LinkVerdict(link, "right", _WRITTEN)
    mistakes = [(base, each.different) for base, each in compared if each.equal and each.different]
    if len(compared) != 1 or not _is_claimed(context, link, left, right):
        return None
    if not mistakes:
        # No coefficient is right where a number of the function is wrong: ln(6 + x) = x - x^2/2 + ...
        change = "" if used else _find_change(left, right)
        return LinkVerdict(link, "wrong", f"it holds with {change}") if change else None
    base, (exponent, one, other) = mistakes[0]
    power = "constant terms" if not exponent else f"coefficients of order {exponent} in {write_term(base)}"
    reason = f"the {power} are {write_term(one)} and {write_term(other)}"
    slip = "" if goes_on else context.describe_slip(link)
    evidence = Evidence("definition", tuple(used)) if used else Evidence()
    reason = slip or (f"{reason}, {source}" if source else reason)
    return LinkVerdict(link, "wrong", reason, evidence=evidence)


def _find_change(left: Tree, right: Tree) -> str:
    """Return the one change by which an expansion holds in all terms that are written; "" where none does."""
    for side, other in ((left, right), (right, left)):
        for path, changed, instead in islice(iterate_changes(side), _MOST_CHANGES):
            whole = side.replace_subtree(path, changed)
            if any(
                each.equal >= _ENOUGH and not each.different
                for _, each in _iterate_comparisons(whole, other)
                if each.is_decided
            ):
                return instead
    return ""


def _is_defined_anew(sides: tuple[Tree, Tree], used: Sequence[Fact]) -> bool:
    """Return whether an equation gives a function another series than the text gave it before, as the next
    example of a list does: `F(x) = \\sum x^{2n}` behind `F(x) = \\sum x^n`."""
    function, series = sides
    return (
        function.label == "call"
        and _has_infinite_sum(series)
        and any(fact.left == function and _has_infinite_sum(fact.right) for fact in used)
    )


def _goes_on(tree: Tree) -> bool:
    """Return whether a term has an ellipsis, or a remainder such as O(x^2)."""
    return any(
        node.label == ELLIPSIS or (node.label == "call" and node.children[0].label in _ORDERS)
        for node in tree
    )


def _has_infinite_sum(tree: Tree) -> bool:
    return any(node.label == "sum" and node.children[2] == _INFINITY for node in tree)


def _iterate_comparisons(left: Tree, right: Tree) -> Iterator[tuple[Tree, SeriesComparison]]:
    """Yield the comparisons of two terms as power series, one for each variable that both have, with what
    the powers are of."""
    for name in sorted(free_variables(left) & free_variables(right) - {ELLIPSIS}):
        for centre in (*_list_centres(Tree("=", (left, right)), name), ZERO, _INFINITY):
            compared = compare_series(left, right, name, centre)
            if compared is not None and (compared.equal or compared.different):
                yield _write_base(name, centre), compared
                break


def _write_base(name: str, centre: Tree) -> Tree:
    if centre == _INFINITY:
        return Tree("/", (ONE, Tree(name)))
    return Tree(name) if centre == ZERO else Tree("-", (Tree(name), centre))


def _list_centres(tree: Tree, name: str) -> list[Tree]:
    """List the numbers a of the differences `x - a` in a term with an ellipsis or a remainder."""
    differences = (
        node
        for part in tree
        if part.label in ("+", "-", "call", "*") and _goes_on(part)
        for node in part
        if node.label in ("+", "-") and node.children[0] == Tree(name)
    )
    centres = (
        node.children[1] if node.label == "-" else Tree("*", (Tree("-1"), node.children[1]))
        for node in differences
        if name not in free_variables(node.children[1]) and not _goes_on(node)
    )
    return list(dict.fromkeys(centres))[:_MOST_CENTRES]


def _is_claimed(context: LinkContext, link: ChainLink, left: Tree, right: Tree) -> bool:
    """Return whether an expansion that fails is a mistake: it is stated, of real numbers."""
    free, other = (free_symbols(_cut_at_ellipsis(side)) - _NO_LETTERS for side in (left, right))
    labels = {*left.list_labels(), *right.list_labels()}
    return not (
        link.of_problem
        or link.is_denied_directly
        or link.has_denial_nearby
        or is_supposed(link, may_give_value=False)
        or context.is_asked(link)
        or link.position.domain != NUMBERS
        or free != other
        or not labels.isdisjoint({"i", variable_name("i"), "j"})
        or any(map(DECIMAL.match, labels))
    )


def _cut_at_ellipsis(tree: Tree) -> Tree:
    """Return a term whose sums end before their first ellipsis."""
    if tree.label in ("+", "-") and len(tree.children) > 1:
        first, last = tree.children
        if last.label == ELLIPSIS or _has_ellipsis(first):
            return _cut_at_ellipsis(first)
    return Tree(tree.label, tuple(map(_cut_at_ellipsis, tree.children)))


def _has_ellipsis(tree: Tree) -> bool:
    """Return whether an ellipsis is a term of a sum."""
    return tree.label in ("+", "-") and any(
        one.label == ELLIPSIS or _has_ellipsis(one) for one in tree.children
    )
