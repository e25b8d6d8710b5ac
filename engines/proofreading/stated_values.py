"""Calculations with the values that a paragraph gives its variables: `Let a = 3. Then a^2 + 1 = 12`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from engines.core.tree import Tree
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.names import replace_variable
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import has_last_word, last_clause, mentions, read_last_cue, words_of
from engines.proofreading.facts import Facts
from engines.proofreading.link_verdicts import Accusation, Evidence
from engines.proofreading.number_links import NumberLinks
from engines.proofreading.other_meanings import take_degrees
from engines.proofreading.stated_facts import Fact, describe_sources
from engines.proofreading.statement_roles import is_concluded
from engines.proofreading.term_properties import free_symbols, real_roots, values_agree

VECTOR_PRODUCT = "×("
"""How the operation between two vectors is named among the symbols of a term."""
_MOST_VALUES = 8
"""So many variables are given their values, those that others are calculated from among them."""


class ValuedStatement(NamedTuple):
    """Both sides of a conclusion with the values that its paragraph gives all of its variables."""

    left: Tree
    right: Tree
    used: tuple[Fact, ...]


def find_valued_statement(
    facts: Facts, link: ChainLink, left: Tree, right: Tree, judge: Judge
) -> ValuedStatement | None:
    """Return a conclusion with values for its variables; None where one has no value or more than one."""
    free = (free_symbols(left) | free_symbols(right)) - {VECTOR_PRODUCT}
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
    # "That occurs when § is 0" says where something holds, and not what holds at the value before.
    if has_last_word("conditional", link.words_before):
        return None
    # "The balance equations are" announces what is to be solved.
    if mentions("task", " ".join(words_of(link.words_before)[-2:])):
        return None
    values = _list_values(facts, link, free, judge)
    if values is None or not _is_drawn(link, values):
        return None
    # Every letter has a value in the paragraph: what is left are two numbers.
    one, other = (_multiply_vectors(_insert_values(side, values)) for side in (left, right))
    if free_symbols(one) | free_symbols(other) or _has_vectors(one) or _has_vectors(other):
        return None
    return ValuedStatement(one, other, tuple(values[name] for name in sorted(values)))


def describe_failed_calculation(
    statement: ValuedStatement, judge: Judge, numbers: NumberLinks
) -> Accusation | None:
    """Return what the sides of a calculation are, if they differ; None if they do not."""
    one, other, used = statement
    verdict = judge.equal(one, other)
    # What the values were rounded for leaves digits that are a little off.
    if verdict.outcome != "different" or numbers.are_about_equal(one, other):
        return None
    if numbers.are_rounded_in_parts(one, other):
        return None
    in_degrees = take_degrees(one), take_degrees(other)
    if in_degrees != (one, other) and values_agree(*in_degrees, {}) is not False:
        return None
    return Accusation(f"{verdict.witness}, {describe_sources(used)}", Evidence("stated values", used))


def _multiply_vectors(tree: Tree) -> Tree:
    """Return a term in which vector products of vectors with known entries are products."""
    parts = tuple(map(_multiply_vectors, tree.children))
    is_product = tree.label == "call" and parts[0].label == VECTOR_PRODUCT.removesuffix("(")
    if is_product and all(part.label in ("tuple", "matrix") for part in parts[1:]):
        return Tree("*", parts[1:])
    return Tree(tree.label, parts)


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
    if name.endswith("("):
        return None  # a function of which nothing is known has no roots
    known = facts.equation_for(name)
    if known is None or known.number != facts.last_number or known.alternative:
        return None
    if known.position.paragraph != link.position.paragraph or link.piece_index - known.piece > 2:
        return None
    # A step from an equation holds at one of its roots at least.
    roots = real_roots(known.left, known.right, name, {})
    if not roots or any(values_agree(left, right, {name: root}) is not False for root in roots):
        return None
    places = " and ".join(f"{name} = {root:.6g}" for root in roots)
    reason = f"it does not hold at {places}, {describe_sources([known])}"
    return Accusation(reason, Evidence("last equation", (known,)))


def _list_values(
    facts: Facts, link: ChainLink, names: frozenset[str], judge: Judge
) -> Mapping[str, Fact] | None:
    """Return the only value of each variable in the paragraph, or the equation that gives it by others with a
    value; None where one has none, or several."""
    values: dict[str, Fact] = {}
    pending = sorted(names)
    while pending:
        name = pending.pop()
        about = [fact for fact in facts.facts_about(frozenset((name,))) if name in fact.variables]
        here = [fact for fact in about if fact.position.paragraph == link.position.paragraph]
        named = [fact for fact in here if fact.left == Tree(name)]
        given = [fact for fact in named if fact.is_value] or named
        if not given or any(fact.right != given[0].right for fact in given):
            return None
        begun = link.piece_index - 2 * link.words_before.count("§")
        if any(fact.alternative or (fact.is_supposed and fact.piece < begun) for fact in given):
            return None
        values[name] = given[0]
        # The value may be an expression of other letters, which have values in turn.
        pending += sorted(free_symbols(given[0].right) - values.keys() - {*pending})
        if len(values) > _MOST_VALUES:
            return None
    # What else is said of a variable alone has to hold for its value, which may be one of several roots.
    for fact in facts.facts_about(frozenset(values)):
        near = fact.position.paragraph == link.position.paragraph
        if near and not fact.is_value and len(fact.variables) == 1 and fact.variables <= values.keys():
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
    """Return a term with values for its variables, those of the values among them."""
    for _ in values:
        for name in free_symbols(side) & values.keys():
            side = replace_variable(side, name, values[name].right)
        if free_symbols(side).isdisjoint(values):
            break
    return side
