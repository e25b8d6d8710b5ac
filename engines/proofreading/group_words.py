"""Equations of words of a group, in which one inverse has another exponent than -1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from engines.core.tree import Tree
from engines.proofreading.term_properties import WHOLE, free_symbols

IDENTITY = Tree("e")
"""The identity of a group, which is written as the number e is."""
_INVERSE = Tree("-1")
_LARGEST = 12
"""Exponents of a word that is written out."""
_VALUES = (3, 4)
"""What exponents with a letter are tried as."""

_Word = tuple[tuple[str, int], ...]
"""Letters with 1 or -1."""


def find_inverse_slip(left: Tree, right: Tree) -> str:
    """Return which exponent is to be -1, by which the sides are equal in every group, or a conjugate is that
    of an element; "" where none is.

    Orders of elements give equations such as r^5 s = r s, but hardly exponents that are none of a conjugate.

    >>> from engines.formula.reader import read
    >>> texts = ("g^{-8} f g = f", "b b^{-4} a = a", "(a b)^{-1} = b^{-1} a^{-2}", "r s = s r^{-2}")
    >>> [find_inverse_slip(*read(text).tree.children) for text in texts]
    ['-1 for -8', '-1 for -4', '-1 for -2', '']
    """
    sides = (left, right)
    for at, side in enumerate(sides):
        for path, exponent in _iterate_inverses(side):
            meant = side.replace_subtree(path, _INVERSE)
            changed = (meant, right) if at == 0 else (left, meant)
            is_repeated = _list_factors(meant) == _list_factors(sides[1 - at])
            if not is_repeated and all(_are_equal(*changed, meant, value) for value in _VALUES):
                return f"-1 for {exponent}"
    return ""


def _iterate_inverses(tree: Tree, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], str]]:
    """Yield the exponents below -1 in a term, with their places."""
    for index, part in enumerate(tree.children):
        is_exponent = tree.label == "pow" and index == 1
        if is_exponent and WHOLE.match(part.label) and int(part.label) < -1:
            yield (*path, index), part.label
        yield from _iterate_inverses(part, (*path, index))


def _are_equal(left: Tree, right: Tree, meant: Tree, value: int) -> bool:
    """Return whether words are equal in every group, or are in abelian ones since in the one that was changed
    a letter and its inverse stand around others."""
    words = [_write_word(side, value) for side in (left, right)]
    first, second = words
    if first is None or second is None:
        return False
    if _cancel(first) == _cancel(second):
        return True
    changed = first if left == meant else second
    return _count_letters(first) == _count_letters(second) and len(_count_letters(changed)) < len(
        {letter for letter, _ in changed}
    )


def _list_factors(tree: Tree) -> list[Tree]:
    return [one for part in tree.children for one in _list_factors(part)] if tree.label == "*" else [tree]


def _count_letters(word: _Word) -> Mapping[str, int]:
    """Return the exponent of each letter in an abelian group, but for those that are 0."""
    # In an abelian group only the sum of the exponents of each letter counts.
    counts = Counter[str]()
    for letter, exponent in word:
        counts[letter] += exponent
    return {letter: count for letter, count in counts.items() if count}


def _cancel(word: _Word) -> _Word:
    """Return a word without letters beside their inverses."""
    result: list[tuple[str, int]] = []
    for letter, exponent in word:
        # What stands beside its inverse goes, and what was before it may now stand beside another.
        if result and result[-1] == (letter, -exponent):
            result.pop()
        else:
            result.append((letter, exponent))
    return tuple(result)


def _write_word(tree: Tree, value: int) -> _Word | None:
    """Return the letters of a product of powers; None for another term. Args: value: of letters in
    exponents."""
    if tree.label == "*":
        parts = [_write_word(part, value) for part in tree.children]
        known = [part for part in parts if part is not None]
        return tuple(letter for part in known for letter in part) if len(known) == len(parts) else None
    if tree.label == "pow":
        base, exponent = _write_word(tree.children[0], value), _find_exponent(tree.children[1], value)
        if base is None or exponent is None or abs(exponent) > _LARGEST:
            return None
        # The inverse of a product has the inverses of its factors in the other order.
        turned = base if exponent >= 0 else tuple((letter, -one) for letter, one in reversed(base))
        return turned * abs(exponent)
    if tree in (IDENTITY, Tree("1")):
        return ()
    return ((tree.label, 1),) if not tree.children and free_symbols(tree) else None


def _find_exponent(tree: Tree, value: int) -> int | None:
    if WHOLE.match(tree.label):
        return int(tree.label)
    if tree.label == "*" and tree.children[0] == _INVERSE:
        exponent = _find_exponent(tree.children[1], value)
        return None if exponent is None else -exponent
    return value if not tree.children and free_symbols(tree) else None


def is_identity_law(product: Tree, factor: Tree) -> bool:
    """Return whether a term is the product of e with another, or of another with e: e a = a."""
    return product.label == "*" and product.children in ((Tree("e"), factor), (factor, Tree("e")))
