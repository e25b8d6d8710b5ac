"""Ranges for which a text gives a formula: behind `c(t) = 3t^2 on 2 ≤ t ≤ 3` nothing is known of c(1), nor of
an integral from 0 to 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from engines.core.tree import Tree
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.names import replace_variable
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import is_made_of, words_of
from engines.proofreading.letter_domains import list_conditions, list_interval_ends
from engines.proofreading.stated_facts import Fact
from engines.proofreading.term_properties import free_symbols

_ALL_NUMBERS = ("ℝ", "R", "ℂ")
_OF_ALL = frozenset(("for", "all", "every", "any", "each"))
_OVER_SPANS = ("integral", "sum", "prod")


def holds_for_all_numbers(link: ChainLink, left: Tree, read_tree: Callable[[str], Tree | None]) -> bool:
    """Return whether `for all x in R` stands behind a definition of a function: it is no case of several."""
    if left.label != "call" or not link.next_formula or not words_of(link.words_after):
        return False
    said = read_tree(link.next_formula)
    is_set = said is not None and said.label == "in" and said.children[1].label in _ALL_NUMBERS
    return is_set and {*words_of(link.words_after)} <= _OF_ALL


def read_range(link: ChainLink, left: Tree, read_tree: Callable[[str], Tree | None]) -> Sequence[Tree]:
    """Return the conditions on its argument for which a definition of a function holds, by the formula behind
    it: `on 2 ≤ t ≤ 3` or `on [2, 3]`."""
    if left.label != "call" or len(left.children) != 2 or left.children[1].children:
        return ()
    if not (link.next_formula and is_made_of("over a range", link.words_after)):
        return ()
    # What stands behind "on" or "for" is an interval, or a chain of inequalities.
    said = read_tree(link.next_formula)
    if said is None:
        return ()
    argument = left.children[1]
    if said.label == "interval":
        return list_interval_ends(argument, said)
    conditions = list_conditions(said)
    about = frozenset((argument.label,))
    return conditions if all(free_symbols(each) == about for each in conditions) else ()


def reaches_out(
    sides: Sequence[Tree], used: Sequence[Fact], ranges: Mapping[Fact, Sequence[Tree]], judge: Judge
) -> bool:
    """Return whether terms take a function at a number outside the range of its definition, or integrate it
    over such a number.

    Args:
        sides: The terms.
        used: The definitions of functions in them.
        ranges: The conditions on the arguments of definitions.
    """
    return any(
        judge.holds(replace_variable(condition, argument.label, place)).outcome == "different"
        for fact in used
        for condition in ranges.get(fact, ())
        for name, argument in (fact.left.children,)
        for side in sides
        for place in _list_places(side, name, {})
    )


def _list_places(tree: Tree, name: Tree, spans: Mapping[str, Sequence[Tree]]) -> Iterator[Tree]:
    """Yield the numbers at which a term takes a function; of an index or variable of integration its ends."""
    # Inside an integral or sum its variable runs between two ends, of which both are tried.
    if tree.label in _OVER_SPANS and len(tree.children) == 4:
        spans = {**spans, tree.children[0].label: tree.children[1:3]}
    if tree.label == "call" and tree.children[0] == name and len(tree.children) == 2:
        argument = tree.children[1]
        ends = spans.get(argument.label, (argument,)) if not argument.children else (argument,)
        yield from (end for end in ends if not free_symbols(end))
    for part in tree.children:
        yield from _list_places(part, name, spans)
