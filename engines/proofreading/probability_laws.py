r"""Laws of variances and of binomial chances: `\operatorname{Var}(X) = E(X^2) - E(X)^2`, and `np(1 - p)`."""

from __future__ import annotations

from collections.abc import Mapping

from engines.core.tree import ONE, Tree
from engines.mathematics.judging.names import replace_variable
from engines.proofreading.chains import ChainLink
from engines.proofreading.facts import Facts
from engines.proofreading.link_verdicts import Accusation
from engines.proofreading.slips import iterate_changes, points_of
from engines.proofreading.term_properties import (
    WHOLE,
    are_exactly_equal,
    evaluate_term,
    free_symbols,
    values_agree,
)

_VARIANCES = ("Var", "V", "var", "𝕍")
_MEANS = ("E", "𝔼", "E[]", "𝔼[]")
_TRIALS, _CHANCE, _OTHER_CHANCE = "n", "p", "q"
_NEAR_LINES = 8
_LAW = "Var(X) = E(X^2) - E(X)^2"


def find_broken_law(facts: Facts, link: ChainLink, left: Tree, right: Tree) -> Accusation | None:
    """Return which law of probability an equation breaks; None for none.

    Args:
        facts: What the text has said so far.
        link: The link between the terms.
        left: Its left side.
        right: Its right side.
    """
    if link.relation != "=" or link.of_problem or link.is_denied_directly:
        return None
    broken = _find_broken_variance(left, right) or _find_other_chance(left, right)
    if not broken and _has_binomial_mean(facts, link):
        broken = _find_other_variance(left, right)
    return Accusation(broken) if broken else None


def _has_binomial_mean(facts: Facts, link: ChainLink) -> bool:
    """Return whether the text says right before that a mean is n p."""
    meant = Tree("*", (Tree(_TRIALS), Tree(_CHANCE)))
    return any(
        fact.left.label == "call"
        and fact.left.children[0].label in _MEANS
        and are_exactly_equal(fact.right, meant)
        and link.line - fact.line <= _NEAR_LINES
        for fact in facts.in_scope
    )


def _find_broken_variance(left: Tree, right: Tree) -> str:
    """Return the change by which an equation with a variance and both its means is the law for them; ""
    where it is that law, or none."""
    calls = {node for side in (left, right) for node in side if node.label == "call"}
    variances = [node for node in calls if node.children[0].label in _VARIANCES and len(node.children) == 2]
    if len(variances) != 1:
        return ""
    means = {
        Tree("call", (Tree(mean), argument)): Tree(name)
        for mean in _MEANS
        for argument, name in (
            (variances[0].children[1], "m_1"),
            (Tree("pow", (variances[0].children[1], Tree("2"))), "m_2"),
        )
    }
    if len(calls & means.keys()) != 2 or calls - means.keys() != {variances[0]}:
        return ""
    law = Tree("-", (Tree("m_2"), Tree("pow", (Tree("m_1"), Tree("2")))))
    one, other = (_replace_terms(side, {**means, variances[0]: law}) for side in (left, right))
    if are_exactly_equal(one, other) is not False:
        return ""
    for side, beside in ((left, right), (right, left)):
        for path, part, instead in iterate_changes(side):
            changed = side.replace_subtree(path, part)
            pair = (_replace_terms(each, {**means, variances[0]: law}) for each in (changed, beside))
            if are_exactly_equal(*pair):
                return f"it holds with {instead}, by {_LAW}"
    return ""


def _replace_terms(tree: Tree, terms: Mapping[Tree, Tree]) -> Tree:
    """Return a term with others in the place of some of its parts."""
    if tree in terms:
        return terms[tree]
    return Tree(tree.label, tuple(_replace_terms(part, terms) for part in tree.children))


def _find_other_variance(left: Tree, right: Tree) -> str:
    """Return what the variance of a binomial distribution is, where it is said to be another term in its
    parameters; "" where it is not."""
    is_variance = left.label == "call" and left.children[0].label in _VARIANCES
    names = free_symbols(right)
    if not is_variance or not names or not names <= {_TRIALS, _CHANCE, _OTHER_CHANCE} or names == {_TRIALS}:
        return ""
    written = replace_variable(right, _OTHER_CHANCE, Tree("-", (ONE, Tree(_CHANCE))))
    meant = Tree("*", (Tree("*", (Tree(_TRIALS), Tree(_CHANCE))), Tree("-", (ONE, Tree(_CHANCE)))))
    at = points_of(free_symbols(meant))[0]
    if _TRIALS not in names or values_agree(written, meant, at) is not False:
        return ""
    return "the variance of a binomial distribution is n p (1 - p)"


def _find_other_chance(left: Tree, right: Tree) -> str:
    """Return which exponents the chances of k among n trials have, where one of them is another: in
    `\\binom{5}{2} (1/3)^2 (2/3)^3` they are 2 and 3; "" where they are these."""
    if left.label != "call" or left.children[0].label not in ("P", "ℙ", "Pr"):
        return ""
    factors = _list_factors(right)
    counts = [one for one in factors if one.label == "binomial"]
    powers = [one for one in factors if one.label == "pow"]
    plain = [Tree("pow", (one, ONE)) for one in factors if one not in counts and one not in powers]
    chances = [*powers, *plain]
    if len(counts) != 1 or len(chances) != 2 or free_symbols(right):
        return ""
    labels = [part.label for part in counts[0].children] + [one.children[1].label for one in chances]
    if not all(map(WHOLE.match, labels)):
        return ""
    bases = [evaluate_term(one.children[0], {}) for one in chances]
    if None in bases or abs(sum(filter(None, bases)) - 1) > _CLOSE:
        return ""
    many, few, *exponents = map(int, labels)
    meant = few, many - few
    # Until the last of several successes there is one trial more.
    is_until = sum(exponents) == many + 1
    if is_until or sorted(exponents) == sorted(meant) or not {*meant} & {*exponents}:
        return ""
    return f"of {many} trials {few} and {many - few} are the exponents of the chances"


_CLOSE = 1e-9


def _list_factors(tree: Tree) -> list[Tree]:
    return [one for part in tree.children for one in _list_factors(part)] if tree.label == "*" else [tree]
