"""Signs that a document uses in its own way, as the number of its links shows that fail with one of them:
what fails time and again in one notation is a meaning that is not known, and no mistake."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from engines.core.tree import Tree
from engines.formula.lexer import token_texts
from engines.formula.symbols import read_table
from engines.proofreading.chains import ChainLink
from engines.proofreading.link_verdicts import LinkVerdict
from engines.proofreading.own_notations import SidesReader

_FEWEST = 4
"""So many different links with a sign that fail: an author hardly makes the same mistake so often."""
_ACCUSED = ("wrong", "doubtful")
_HELD = ("right", "right if", "follows", "loses domain")
_GROUPS = ("operators", "symbols", "relations", "arrows", "accents")
"""Of signs that texts give meanings of their own."""
_EVERYDAY = frozenset("+-*/=<>≤≥≠×⋅÷±∓∞∂≈→∈′")
"""Signs whose meaning is the same everywhere."""
_SIGNED_ZERO = "±0"


def excuse_repeated_notations(judged: Sequence[LinkVerdict], read_sides: SidesReader) -> list[LinkVerdict]:
    """Return the verdicts on the links of a document, in which those with a sign that fails repeatedly, and
    no less often than it holds, are not shown. Only what two sides show by themselves is counted."""
    signs = [
        _list_unusual_signs(each.link, *read_sides(each.link))
        if each.outcome in (*_ACCUSED, *_HELD)
        else frozenset()
        for each in judged
    ]
    held: Counter[str] = Counter()
    failed: dict[str, set[tuple[str, str]]] = {}
    for each, found in zip(judged, signs, strict=True):
        if each.outcome in _HELD:
            held.update(found)
        elif each.evidence.kind == "sides":
            for sign in found:
                failed.setdefault(sign, set()).add((each.link.left, each.link.right))
    own = {
        sign: len(links)
        for sign, links in failed.items()
        if len(links) >= _FEWEST and len(links) >= held[sign]
    }
    result = []
    for each, found in zip(judged, signs, strict=True):
        meant = sorted(found & own.keys())
        if each.outcome in _ACCUSED and each.evidence.kind == "sides" and meant:
            reason = f"the text may use {meant[0]} in its own way: {own[meant[0]]} statements with it fail"
            each = replace(each, outcome="not shown", reason=reason)
        result.append(each)
    return result


def _list_unusual_signs(link: ChainLink, left: Tree | None, right: Tree | None) -> frozenset[str]:
    """Return the signs of a link that texts give meanings of their own, as characters."""
    table = read_table()
    found = set()
    for text in (*token_texts(link.left), *token_texts(link.right)):
        symbol = table.get(text)
        if symbol is not None and symbol.group in _GROUPS:
            found.add(symbol.unicode or text)
    if any(side is not None and _has_signed_zero(side) for side in (left, right)):
        found.add(_SIGNED_ZERO)
    return frozenset(found - _EVERYDAY)


def _has_signed_zero(tree: Tree) -> bool:
    """Return whether a term has a zero with a sign, as `-0`."""
    return "-0" in tree.list_labels()
