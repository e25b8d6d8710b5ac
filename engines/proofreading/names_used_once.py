"""Names that a text has once, where another index is meant: `x_7` in a text about `x_1` and `x_2`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from engines.core.expression_language import display_name
from engines.core.tree import ZERO, Tree
from engines.proofreading.chains import ChainLink
from engines.proofreading.facts import Facts
from engines.proofreading.link_verdicts import Accusation, Evidence
from engines.proofreading.near_consequences import FAR_LINES, says_the_same
from engines.proofreading.slips import iterate_retyped
from engines.proofreading.stated_facts import describe_sources
from engines.proofreading.term_properties import free_symbols

_SECOND = 2
_ENOUGH = 9
"""Nodes of an equation that is hardly an identity by chance: a - b = 0 is one with a for b."""
_ROW_AND_COLUMN = 2
"""Digits of an index that can be those of a row and a column."""


def find_meant_name(
    facts: Facts,
    link: ChainLink,
    left: Tree,
    right: Tree,
    counts: Mapping[str, int],
    are_equal: Callable[[Tree, Tree], bool],
) -> Accusation | None:
    """Return which name is meant in an equation that fails, where it has one that the text has nowhere else;
    None where no other makes it hold.

    A name that stands in a text once, and alone on a side, may be introduced there.

    Args:
        counts: How often the text has each name with a number below it.
        are_equal: Whether two terms are equal whatever their variables are.
    """
    if all(not side.children and free_symbols(side) for side in (left, right)):
        return None  # behind x_1 = x_2 comes x_2 = x_3
    for symbol in sorted(free_symbols(left) | free_symbols(right)):
        name = symbol.removesuffix("(")
        # With y_4 a text goes on to x_4, too.
        if Tree(name) in (left, right) and _has_index_elsewhere(name, counts):
            continue
        for candidate in _iterate_others(name, counts) if _count_name(name, counts) == 1 else ():
            if Tree(candidate) in (*left, *right) and _count_name(candidate, counts) == 1:
                continue  # both are introduced here
            sides = _rename(left, name, candidate), _rename(right, name, candidate)
            instead = f"{display_name(candidate)} for {display_name(name)}, which the text has only here"
            is_long = len(left) + len(right) >= _ENOUGH
            # Behind C_1(x) = … a text defines C_2(y) = …
            heads = [side.children[0] if side.label == "call" else side for side in (left, right)]
            is_used = is_long and Tree(symbol) not in heads
            # A text that has x_7 and no x_6 hardly goes on to it.
            skips = _skips_index(name, counts)
            if are_equal(*sides):
                told = sides[0] != sides[1] and ZERO not in sides
                if told and (is_long or skips):
                    return Accusation(f"it holds with {instead}", Evidence("name", (), is_used))
                continue
            reduced = facts.reduce_by_facts(*sides)
            if reduced is None or not reduced.same:
                continue
            if skips or not any(says_the_same(fact, *sides) for fact in reduced.used):
                near = all(link.line - fact.line <= FAR_LINES for fact in reduced.used)
                reason = f"it holds with {instead}, {describe_sources(reduced.used)}"
                restated = any(says_the_same(fact, *sides) for fact in reduced.used)
                # A name that stands within a term, and that the text does not go on to, is not introduced.
                is_foreign = near and skips and Tree(name) not in (left, right, *heads[:1])
                is_certain = near and not restated and (is_used or is_foreign)
                evidence = Evidence("name", reduced.used, is_certain, is_confirmed=is_foreign)
                return Accusation(reason, evidence)
    return None


def _count_name(name: str, counts: Mapping[str, int]) -> int:
    """Return how often a text has a name with an index, whichever slope of it is meant."""
    return counts.get(name.replace("'", ""), 0)


def _has_index_elsewhere(name: str, counts: Mapping[str, int]) -> bool:
    """Return whether a text has another name with the index of one."""
    index = name.rpartition("_")[2]
    return any(other != name and other.endswith(f"_{index}") for other in counts)


def _skips_index(name: str, counts: Mapping[str, int]) -> bool:
    """Return whether the index before that of a name stands nowhere in a text, which leaves out no other
    second one as `B_2`, `B_4`, `B_6` do, and counts no rows and columns as `w_11`, `w_12`, `w_21` do."""
    base, _, index = name.rpartition("_")
    if not index.isdecimal() or int(index) <= 1:
        return False
    has = {back: _count_name(f"{base}_{int(index) - back}", counts) > 0 for back in (1, 2, 3, 4, 10)}
    leaves_out = has[2] and has[4] and not has[3]
    begins_row = len(index) == _ROW_AND_COLUMN and has[10]
    return not (has[1] or leaves_out or begins_row)


def _rename(tree: Tree, name: str, new_name: str) -> Tree:
    """Return a term with another name in the place of one, which may be that of a function."""
    if not tree.children:
        return Tree(new_name) if tree.label == name else tree
    return Tree(tree.label, tuple(_rename(part, name, new_name) for part in tree.children))


def _iterate_others(name: str, counts: Mapping[str, int]) -> Iterator[str]:
    """Yield the names of a text that differ from one in a digit of the index."""
    base, _, index = name.rpartition("_")
    for candidate in dict.fromkeys(iterate_retyped(index)):
        if _count_name(f"{base}_{candidate}", counts):
            yield f"{base}_{candidate}"
