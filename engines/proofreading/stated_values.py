"""Calculations with the values that a paragraph gives its variables: `Let a = 3. Then a^2 + 1 = 12`."""

from __future__ import annotations

from collections.abc import Mapping

from engines.core.tree import Tree
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.names import replace_variable
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import last_clause, mentions, read_last_cue
from engines.proofreading.facts import Fact, Facts, describe_sources
from engines.proofreading.link_verdicts import Accusation, Evidence
from engines.proofreading.number_links import NumberLinks
from engines.proofreading.roles import is_concluded
from engines.proofreading.term_properties import free_symbols, real_roots, values_agree


def describe_failed_calculation(
    facts: Facts, link: ChainLink, left: Tree, right: Tree, judge: Judge, numbers: NumberLinks
) -> Accusation | None:
    """Return what the sides of a conclusion are for the values that its paragraph gives all of its variables,
    if they differ; None if they do not, or a variable has no value there or more than one.
    """
    free = free_symbols(left) | free_symbols(right)
    # a = 4 behind a = 3 gives the variable another value
    calculated = any(side.children and free_symbols(side) for side in (left, right))
    bare = any(not side.children and free_symbols(side) for side in (left, right))
    if link.relation != "=" or not free or not calculated or bare:
        return None
    if (
        link.of_problem
        or link.is_denied_directly
        or link.is_one_of_alternatives
        or mentions("either", link.words_before)
    ):
        return None
    values = _list_values(facts, link, free, judge)
    if values is None or not _is_drawn(link, values):
        return None
    one, other = _insert_values(left, values), _insert_values(right, values)
    if free_symbols(one) | free_symbols(other) or _has_vectors(one) or _has_vectors(other):
        return None
    found = judge.equal(one, other)
    if found.outcome != "different" or numbers.describe_rounding(one, other, link.relation):
        return None
    used = tuple(values[name] for name in sorted(values))
    return Accusation(f"{found.witness}, {describe_sources(used)}", Evidence("stated values", used))


def describe_failed_step(facts: Facts, link: ChainLink, left: Tree, right: Tree) -> Accusation | None:
    """Return where a step from the equation right before it fails, if it holds at none of the roots of that
    equation: behind `3x + 2 = 11` the conclusion `3x = 13`; None if it holds at one, or they are not known.
    """
    names = free_symbols(left) | free_symbols(right)
    clause = last_clause(link.words_before.rstrip(" ,"))
    drawn = is_concluded(link) or mentions("obtaining", clause)
    if link.relation != "=" or len(names) != 1 or not drawn or mentions("differentiating", link.words_before):
        return None
    if any(not side.children and free_symbols(side) for side in (left, right)):
        return None  # a root, of which the equation may have others
    if (
        link.of_problem
        or link.is_denied_directly
        or link.is_one_of_alternatives
        or mentions("either", link.words_before)
    ):
        return None
    (name,) = names
    known = facts.equation_for(name)
    if known is None or known.number != facts.last_number or known.alternative:
        return None
    if known.position.paragraph != link.position.paragraph or link.piece_index - known.piece > 2:
        return None
    roots = real_roots(known.left, known.right, name, {})
    if not roots or any(values_agree(left, right, {name: root}) is not False for root in roots):
        return None
    places = " and ".join(f"{name} = {root:.6g}" for root in roots)
    reason = f"it does not hold at {places}, {describe_sources([known])}"
    return Accusation(reason, Evidence("last equation", (known,)))


def _list_values(
    facts: Facts, link: ChainLink, names: frozenset[str], judge: Judge
) -> Mapping[str, Fact] | None:
    """Return the only value of each variable in the paragraph; None where one has none, or several."""
    values: dict[str, Fact] = {}
    for name in names:
        about = [fact for fact in facts.facts_about(frozenset((name,))) if name in fact.variables]
        here = [fact for fact in about if fact.position.paragraph == link.position.paragraph]
        given = [fact for fact in here if fact.is_value and fact.left == Tree(name)]
        if not given or any(fact.right != given[0].right for fact in given):
            return None
        begun = link.piece_index - 2 * link.words_before.count("§")
        if any(fact.alternative or (fact.is_supposed and fact.piece < begun) for fact in given):
            return None
        values[name] = given[0]
        # What else is said of it alone has to hold for the value, which may be one of several roots.
        for fact in here:
            if fact.variables == {name} and not fact.is_value:
                left, right = _insert_values(fact.left, values), _insert_values(fact.right, values)
                if judge.equal(left, right).outcome != "equal":
                    return None
    return values


def _is_drawn(link: ChainLink, values: Mapping[str, Fact]) -> bool:
    """Return whether words behind the values say that a conclusion is drawn: behind `x = 0, y = 0 and` a line
    is named."""
    sentence = link.words_before.split("§")
    behind = (link.piece_index - max(fact.piece for fact in values.values())) // 2
    words = " ".join(sentence[-behind:] if behind else sentence[-1:])
    return link.index > 0 or is_concluded(link) or read_last_cue(words) == "claimed"


def _has_vectors(side: Tree) -> bool:
    """Return whether a pair has vectors: `(x, y)` is their inner product then."""
    shapes = ("tuple", "matrix")
    return any(node.label == "tuple" and any(part.label in shapes for part in node.children) for node in side)


def _insert_values(side: Tree, values: Mapping[str, Fact]) -> Tree:
    for name, fact in values.items():
        side = replace_variable(side, name, fact.right)
    return side
