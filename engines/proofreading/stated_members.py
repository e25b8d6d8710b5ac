"""Members of a family that a text gives by a formula: behind `P(X = k) = 2^k / e^2 k!` the value `P(X = 3)`,
and behind `a_n = 3n - 1` the number `a_3`.
"""

from __future__ import annotations

from engines.core.tree import Tree
from engines.mathematics.judging.names import replace_variable
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import read_last_cue
from engines.proofreading.facts import Facts
from engines.proofreading.stated_facts import Fact
from engines.proofreading.stated_values import ValuedStatement
from engines.proofreading.statement_roles import is_supposed
from engines.proofreading.term_properties import WHOLE, free_symbols

_NEAR_LINES = 20


def find_stated_member(facts: Facts, link: ChainLink, left: Tree, right: Tree) -> ValuedStatement | None:
    """Return a statement about a member of a family with the value that the formula before it gives; None
    where there is no such formula, or several.

    Args:
        facts: What the text has said so far.
        link: The link of the statement.
        left: The member.
        right: Its value.
    """
    if link.relation != "=" or link.has_denial_nearby or link.is_one_of_alternatives or free_symbols(right):
        return None
    if is_supposed(link) or (not link.index and read_last_cue(link.words_before) == "given"):
        return None
    found: list[tuple[Fact, Tree]] = []
    for fact in facts.in_scope:
        index = _find_index(fact.left, left)
        if index is None or fact.alternative or not fact.is_certain:
            continue
        # a_n = a_1 + (n - 1)d says nothing of a_1.
        if left.label in free_symbols(fact.right):
            return None
        here = fact.position.scope.section is link.position.scope.section
        value = replace_variable(fact.right, *index)
        if not here or link.line - fact.line > _NEAR_LINES or index[0] not in free_symbols(fact.right):
            return None
        found.append((fact, value))
    if len({value for _, value in found}) != 1:
        return None
    fact, value = found[0]
    used = [fact]
    for name in sorted(free_symbols(value)):
        said = {each.right: each for each in facts.in_scope if each.is_value and each.left == Tree(name)}
        if len(said) != 1:
            return None
        used += said.values()
        value = replace_variable(value, name, next(iter(said)))
    return None if free_symbols(value) else ValuedStatement(value, right, tuple(used))


def _find_index(family: Tree, member: Tree) -> tuple[str, Tree] | None:
    """Return the letter of a family, as k in `P(X = k)` or n in `a_n`, that is a number in a member, and the
    number; None where they differ in another way."""
    if not family.children and not member.children:
        name, _, letter = family.label.partition("_")
        named, _, number = member.label.partition("_")
        is_member = name == named and len(letter) == 1 and letter.isalpha() and WHOLE.match(number)
        return (letter, Tree(number)) if is_member else None
    # What a function with one argument is at a place its definition gives.
    inside = family.label == member.label == "call" and family.children[0] == member.children[0]
    return (
        _match_number(family, member) if inside and any(each.children for each in family.children) else None
    )


def _match_number(family: Tree, member: Tree) -> tuple[str, Tree] | None:
    """Return the only letter of a term that is a number in another, and the number."""
    if not family.children and free_symbols(family) and WHOLE.match(member.label):
        return family.label, member
    if family.label != member.label or len(family.children) != len(member.children):
        return None
    pairs = [pair for pair in zip(family.children, member.children, strict=True) if pair[0] != pair[1]]
    return _match_number(*pairs[0]) if len(pairs) == 1 else None
