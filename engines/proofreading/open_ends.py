"""Where a term ends that no bracket ends: arguments without brackets, what stands behind a slash, and powers
of what only braces join, which are not printed. The reader says which terms those are."""

from __future__ import annotations

from collections.abc import Callable, Set

from engines.core.tree import Tree
from engines.mathematics.judging.judge import Judge
from engines.proofreading.chains import ChainLink
from engines.proofreading.link_verdicts import LinkVerdict
from engines.proofreading.number_links import NumberLinks
from engines.proofreading.term_properties import OF_ANGLES, WHOLE, free_symbols, is_power_of_ten

_WITH_POWERS = ("ln", "log", "sin", "cos", "tan", "cot", "asin", "acos", "atan", "sinh", "cosh", "tanh")
"""Functions whose argument may end before or behind a power, as of `\\arctan (x)^2`."""
_JOINING = ("+", "-", "*")


def judge_open_ends(
    link: ChainLink, left: Tree, right: Tree, judge: Judge, numbers: NumberLinks
) -> LinkVerdict | None:
    """Return the verdict on a link that holds where a term ends elsewhere than it was read; None where it
    does not."""
    open_ended = frozenset[Tree]().union(*(side.open_ended for side in numbers.read_sides(link)))
    scaled = _join_powers_of_ten(left, open_ended), _join_powers_of_ten(right, open_ended)
    if scaled != (left, right) and (
        judge.equal(*scaled).outcome == "equal" or numbers.describe_rounding(*scaled, link.relation)
    ):
        return LinkVerdict(link, "right if", "the power of ten belongs to the number before it")
    if hold_as(lambda side: _take_factors_out(side, open_ended), left, right, judge):
        return LinkVerdict(link, "right if", "a factor behind a function is none of its argument")
    if hold_as(_take_factors_in, left, right, judge):
        return LinkVerdict(link, "right if", "a factor behind a bracket belongs to the argument before it")
    if hold_as(lambda side: take_powers_in(side, open_ended), left, right, judge):
        return LinkVerdict(link, "right if", "the power is that of the argument of the function")
    if hold_as(lambda side: _take_divisors_in(side, open_ended), left, right, judge):
        return LinkVerdict(link, "right if", "what is behind the slash belongs to the argument before it")
    if hold_as(lambda side: _take_divisors_out(side, open_ended), left, right, judge):
        return LinkVerdict(link, "right if", "what is behind the slash divides the function before it")
    if hold_as(lambda side: _lower_powers(side, open_ended), left, right, judge):
        return LinkVerdict(link, "right if", "the power of what braces join is that of its last part")
    return None


def hold_as(meaning: Callable[[Tree], Tree], left: Tree, right: Tree, judge: Judge) -> bool:
    """Return whether terms that differ are equal in another meaning."""
    one, other = meaning(left), meaning(right)
    if (one, other) == (left, right):
        return False
    verdict = judge.equal(one, other)
    return verdict.outcome == "equal" or (verdict.outcome == "equal if" and not verdict.witness)


def _take_factors_out(tree: Tree, open_ended: Set[Tree]) -> Tree:
    """Return a term in which functions of angles and logarithms are of the first factor of a product only,
    where no bracket ends it."""
    children = tuple(_take_factors_out(part, open_ended) for part in tree.children)
    of_product = bool(tree.children) and tree.children[0].label == "*" and tree.children[0] in open_ended
    if tree.label in (*OF_ANGLES, "ln") and of_product:
        first, *others = children[0].children
        if free_symbols(first) and all(map(free_symbols, others)):
            return Tree("*", (_take_factors_out(Tree(tree.label, (first,)), open_ended), *others))
    return Tree(tree.label, children)


def _take_factors_in(tree: Tree) -> Tree:
    r"""Return a term in which functions of angles are of the factor behind their bracket, too: sin((n + 1) t)
    for each `\sin (n + 1) t`."""
    children = tuple(map(_take_factors_in, tree.children))
    if tree.label == "*" and children[0].label in OF_ANGLES and not children[1].children:
        argument = children[0].children[0]
        if argument.label in ("+", "-") and free_symbols(children[1]):
            return Tree(children[0].label, (Tree("*", (argument, children[1])),))
    return Tree(tree.label, children)


def _join_powers_of_ten(tree: Tree, open_ended: Set[Tree]) -> Tree:
    """Return a term in which a power of ten behind a slash belongs to the divisor: 6/2 × 10⁸."""
    if (
        tree.label == "*"
        and tree in open_ended
        and tree.children[0].label == "/"
        and is_power_of_ten(tree.children[1])
    ):
        dividend, divisor = tree.children[0].children
        if not divisor.children:
            dividend = _join_powers_of_ten(dividend, open_ended)
            return Tree("/", (dividend, Tree("*", (divisor, tree.children[1]))))
    return Tree(tree.label, tuple(_join_powers_of_ten(part, open_ended) for part in tree.children))


def take_powers_in(tree: Tree, open_ended: Set[Tree]) -> Tree:
    r"""Return a term with f(u^n) for each `f(u)^n` of a function that is known, where no bracket ends it."""
    parts = tuple(take_powers_in(part, open_ended) for part in tree.children)
    if tree.label == "pow" and tree in open_ended and parts[0].label in _WITH_POWERS:
        *base, argument = parts[0].children
        return Tree(parts[0].label, (*base, Tree("pow", (argument, parts[1]))))
    return Tree(tree.label, parts)


def _take_divisors_in(tree: Tree, open_ended: Set[Tree]) -> Tree:
    r"""Return a term in which what stands behind a slash belongs to the argument of the function before it,
    where no bracket ends that: log(1/C) for `\log 1/C`."""
    parts = tuple(_take_divisors_in(part, open_ended) for part in tree.children)
    if tree.label == "/" and (joined := _divide_last(tree.children[0], parts[0], parts[1], open_ended)):
        return joined
    return Tree(tree.label, parts)


def _take_divisors_out(tree: Tree, open_ended: Set[Tree]) -> Tree:
    r"""Return a term in which what stands behind a slash divides the function before it: (sin π)/π for
    `\sin\pi/\pi`."""
    parts = tuple(_take_divisors_out(part, open_ended) for part in tree.children)
    # sec alone can be the unit of seconds.
    of_quotient = bool(tree.children) and tree.children[0].label == "/" and tree.children[0] in open_ended
    if tree.label in OF_ANGLES and of_quotient:
        dividend, divisor = parts[0].children
        # Of \sin\pi/2 nobody means half of sin π.
        if WHOLE.match(divisor.label):
            return Tree(tree.label, parts)
        return Tree("/", (Tree(tree.label, (dividend,)), divisor))
    return Tree(tree.label, parts)


def _divide_last(written: Tree, meant: Tree, divisor: Tree, open_ended: Set[Tree]) -> Tree | None:
    """Return a product with the argument of its last factor divided, if that is a function without brackets;
    None for another."""
    if written in open_ended and written.label in _WITH_POWERS:
        *base, argument = meant.children
        return Tree(meant.label, (*base, Tree("/", (argument, divisor))))
    if written.label != "*" or meant.label != "*":
        return None
    last = _divide_last(written.children[1], meant.children[1], divisor, open_ended)
    return last and Tree("*", (meant.children[0], last))


def _lower_powers(tree: Tree, open_ended: Set[Tree]) -> Tree:
    """Return a term in which the power of a group that only braces join is that of its last part, as it is
    printed: 2b² for `{2b}^2`."""
    parts = tuple(_lower_powers(part, open_ended) for part in tree.children)
    joined = tree in open_ended and tree.label == "pow" and len(parts[0].children) == 2
    if joined and parts[0].label in _JOINING:
        return _raise_last(*parts)
    return Tree(tree.label, parts)


def _raise_last(base: Tree, exponent: Tree) -> Tree:
    first, last = base.children
    # What is the second factor of a product and a sum or product itself, has brackets.
    if base.label != "*" and last.label == "*":
        return Tree(base.label, (first, _raise_last(last, exponent)))
    return Tree(base.label, (first, Tree("pow", (last, exponent))))
