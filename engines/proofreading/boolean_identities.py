"""Identities of truth values that fail for numbers, as `AB + A'C + BC = AB + A'C`.

A sum is *or*, a product *and*.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from itertools import product

from engines.core.tree import ONE, ZERO, Tree
from engines.proofreading.term_properties import free_symbols

_MOST_LETTERS = 8
_BAR = "\u0304"
_PRIMES = ("'", "′")
_OPERATIONS = ("+", "*")


def holds_for_truth_values(left: Tree, right: Tree) -> bool:
    """Return whether two sums and products of capital letters, with complements such as A' or Ā among them,
    have the same truth value whatever those of the letters are.

    >>> a, complement = Tree("A"), Tree("A'")
    >>> holds_for_truth_values(Tree("+", (a, Tree("*", (complement, Tree("B"))))), Tree("+", (a, Tree("B"))))
    True
    """
    nodes = [*left, *right]
    if any(node.children and node.label not in _OPERATIONS for node in nodes):
        return False
    names = free_symbols(left) | free_symbols(right)
    letters = {name: _read_letter(name) for name in names}
    plain = sorted({letter for letter, _ in letters.values()})
    # AB = BA can be said of matrices, where nothing is negated.
    if not any(is_negated for _, is_negated in letters.values()):
        return False
    if not 0 < len(plain) <= _MOST_LETTERS or not all(len(one) == 1 and one.isupper() for one in plain):
        return False
    leaves = {node.label for node in nodes if not node.children}
    if not leaves <= names | {ZERO.label, ONE.label}:
        return False
    for values in product((False, True), repeat=len(plain)):
        at = dict(zip(plain, values, strict=True))
        of_names = {name: at[letter] != is_negated for name, (letter, is_negated) in letters.items()}
        if _find_truth(left, of_names) != _find_truth(right, of_names):
            return False
    return True


def _read_letter(name: str) -> tuple[str, bool]:
    """Return the letter of a name, and whether a prime or bar negates it."""
    plain = unicodedata.normalize("NFD", name)
    letter = plain.rstrip("".join((*_PRIMES, _BAR)))
    return letter, (len(plain) - len(letter)) % 2 == 1


def _find_truth(term: Tree, of_names: Mapping[str, bool]) -> bool:
    if not term.children:
        return of_names.get(term.label, term == ONE)
    parts = (_find_truth(part, of_names) for part in term.children)
    return any(parts) if term.label == "+" else all(parts)
