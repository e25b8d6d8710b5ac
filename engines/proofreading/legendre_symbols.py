r"""Symbols of Legendre and Jacobi, written as fractions in brackets: `\\left(\\frac{3}{7}\\right) = -1`.

Such a symbol is 0, 1 or -1, and says whether its upper number is a square modulo the lower one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engines.core.tree import Tree
from engines.proofreading.chains import ChainLink
from engines.proofreading.link_verdicts import LinkVerdict
from engines.proofreading.term_properties import WHOLE, evaluate_term, free_symbols

_SYMBOL = re.compile(
    r"(?:\\left\s*|\\[bB]igg?l?\s*)?\(\s*(?:\\[dt]?frac\s*(?:\{[^{}]*\}|\d)\s*(?:\{[^{}]*\}|\d)|\d+\s*/\s*\d+)"
    r"\s*(?:\\right\s*|\\[bB]igg?r?\s*)?\)"
    r"|\\genfrac\s*\{\(\}\s*\{\)\}\s*(?:\{[^{}]*\}\s*){2}(?:\{[^{}]*\}|\d)\s*(?:\{[^{}]*\}|\d)"
)
"""A fraction alone in brackets."""
_NO_FRACTION = re.compile(r"\(\s*-\s*1\s*\)|\A\s*(?:-\s*1|0)\s*\Z")
_VALUES = (-1, 0, 1)
_RESIDUES = "residues"


def judge_symbols(links: Sequence[ChainLink], link: ChainLink, left: Tree, right: Tree) -> LinkVerdict | None:
    """Return the verdict on an equation that fails for fractions and holds for symbols of Legendre or Jacobi,
    or products of these; None for another.

    Args:
        links: The chain of the link.
    """
    if link.relation != "=":
        return None
    sides = (link.left, left, right), (link.right, right, left)
    # No fraction of positive numbers is -1, so one beside it needs no brackets.
    written = [
        len(_SYMBOL.findall(latex)) or (tree.label == "/" and other.label == "-1")
        for latex, tree, other in sides
    ]
    values = [_evaluate_symbols(tree, int(count)) for count, (_, tree, _) in zip(written, sides, strict=True)]
    about = _is_about_residues(link)
    if about and any(
        _SYMBOL.fullmatch(latex.strip()) and free_symbols(tree) and other.label in ("-1", "0", "1")
        for latex, tree, other in sides
    ):
        return LinkVerdict(link, "not shown", "it can be a Legendre symbol")
    # Both sides have to be symbols or signs, and equal as such.
    if not any(written) or None in values or values[0] != values[1]:
        return None
    # Fractions of positive numbers, and products of these, are neither 0 nor negative, and have no signs.
    chain = [side for each in links for side in (each.left, each.right)]
    told = any(map(_SYMBOL.search, chain)) and any(map(_NO_FRACTION.search, chain))
    is_product = any(tree.label != "/" and count for count, (_, tree, _) in zip(written, sides, strict=True))
    # A product of fractions in brackets is an ordinary one unless the text says what they are.
    if is_product and not (told or about):
        return None
    certain = about or (told and values[0] in (0, -1))
    condition = f"it is a Legendre symbol, {values[0]}"
    return LinkVerdict(link, "right" if certain else "right if", condition)


def _is_about_residues(link: ChainLink) -> bool:
    """Return whether the text around a link speaks of residues, if of other things more often too."""
    position = link.position
    return position.domain == _RESIDUES or any(
        _RESIDUES in scope.domains or _RESIDUES in scope.titled for scope in position.scope.lineage
    )


def _evaluate_symbols(tree: Tree, count: int) -> int | None:
    """Return the value of a term in which fractions are symbols, 0 or a sign; None for another, or where not
    all of its fractions are in brackets, of which there are so many."""
    value, found = _combine_symbols(tree)
    return value if found <= count else None


def _combine_symbols(tree: Tree) -> tuple[int | None, int]:
    """Return the value of a sum or product of symbols and signs, and how many symbols it has."""
    if tree.label == "/" and (values := [evaluate_term(part, {}) for part in tree.children]):
        numbers = [int(value) for value in values if value is not None and value.is_integer()]
        return (jacobi_symbol(*numbers) if len(numbers) == len(values) else None), 1
    if tree.label == "*":
        (one, found), (other, more) = map(_combine_symbols, tree.children)
        return (one * other if None not in (one, other) else None), found + more  # type: ignore[operator]
    if tree.label in ("+", "-") and len(tree.children) == 2:
        (one, found), (other, more) = map(_combine_symbols, tree.children)
        if one is None or other is None:
            return None, found + more
        return (one + other if tree.label == "+" else one - other), found + more
    if tree.label == "pow" and tree.children[0].label == "/" and WHOLE.match(tree.children[1].label):
        value, found = _combine_symbols(tree.children[0])
        return (value ** int(tree.children[1].label) if value is not None else None), found
    sign = evaluate_term(tree, {})
    return (int(sign) if sign in _VALUES else None), 0


def jacobi_symbol(number: int, modulus: int) -> int | None:
    """Return the Jacobi symbol of a number and an odd positive modulus; None for another modulus.

    >>> [jacobi_symbol(number, 5) for number in range(5)], jacobi_symbol(3, 4)
    ([0, 1, -1, -1, 1], None)
    """
    if modulus < 1 or modulus % 2 == 0:
        return None
    # By quadratic reciprocity: the two numbers are exchanged and reduced as in Euclid's algorithm.
    number %= modulus
    result = 1
    while number:
        while number % 2 == 0:
            number //= 2
            # 2 is a square modulo n only if n leaves 1 or 7 modulo 8.
            if modulus % 8 in (3, 5):
                result = -result
        # Exchanged, two numbers that both leave 3 modulo 4 have the other sign.
        number, modulus = modulus, number
        if number % 4 == 3 and modulus % 4 == 3:
            result = -result
        number %= modulus
    return result if modulus == 1 else 0
