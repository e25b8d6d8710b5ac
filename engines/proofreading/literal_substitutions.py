"""Values of functions that are written out, `f(0) = 0^2 - 4(0) + 7`, with another number or sign."""

from __future__ import annotations

from collections.abc import Iterator

from engines.core.tree import Tree
from engines.mathematics.judging.names import replace_variable
from engines.proofreading.facts import Facts
from engines.proofreading.link_verdicts import Accusation, Evidence
from engines.proofreading.stated_facts import describe_sources
from engines.proofreading.term_properties import WHOLE, free_symbols

_LEAST = 7
"""Nodes of a value that is no other way to write it."""
_SIGNS = ("+", "-")


def find_copied_wrong(facts: Facts, left: Tree, right: Tree) -> Accusation | None:
    """Return what is to be changed in a value of a function that is its definition with the argument put in,
    but for one number or sign: `0^3` and `0^2` are the same by chance; None where nothing is."""
    known = facts.functions.get(left.children[0].label) if left.label == "call" else None
    if known is None or len(known.fact.left.children) != len(left.children) or len(right) < _LEAST:
        return None
    names = [part.label for part in known.fact.left.children[1:]]
    # Of an argument with letters the value is another where a number is.
    if any(map(free_symbols, left.children[1:])) or not all(map(free_symbols, known.fact.left.children[1:])):
        return None
    written = known.fact.right
    for name, argument in zip(names, left.children[1:], strict=True):
        written = replace_variable(written, name, argument)
    pairs = list(_iterate_differing(written, right))
    if len(pairs) != 1 or None in pairs[0]:
        return None
    (meant, said), numerals = pairs[0], [WHOLE.match(label or "") for label in pairs[0]]
    if not (all(numerals) or {meant, said} == {*_SIGNS}):
        return None
    reason = f"it holds with {meant} for {said}, {describe_sources([known.fact])}"
    return Accusation(reason, Evidence("definition", (known.fact,)))


def _iterate_differing(one: Tree, other: Tree) -> Iterator[tuple[str | None, str | None]]:
    """Yield the labels in which two terms of one shape differ; None where the shapes do."""
    if len(one.children) != len(other.children):
        yield None, None
        return
    if one.label != other.label:
        yield one.label, other.label
    for pair in zip(one.children, other.children, strict=True):
        yield from _iterate_differing(*pair)
