"""Numbers of combinations and arrangements, and double factorials, as terms of what other operators say."""

from __future__ import annotations

from engines.core.tree import Tree

_TWO = Tree("2")


def make_count(name: str, chosen_from: Tree, chosen: Tree) -> Tree:
    """Return how many ways there are to choose: combinations (C), or arrangements, in which the order counts
    (A and P).

    >>> make_count("P", Tree("5"), Tree("2")).list_labels()
    ['/', 'factorial', '5', 'factorial', '-', '5', '2']
    """
    if name == "C":
        return Tree("binomial", (chosen_from, chosen))
    left = Tree("factorial", (Tree("-", (chosen_from, chosen)),))
    return Tree("/", (Tree("factorial", (chosen_from,)), left))


COUNTS = ("C", "P", "A")
"""Letters for a number of combinations or arrangements."""


def make_double_factorial(number: Tree) -> Tree | None:
    """Return n!! = n(n-2)(n-4)… in terms of factorials; None where it is not known whether n is even.

    Of even numbers (2m)!! = 2^m m!, of odd ones (2m-1)!! = (2m)!/(2^m m!).

    >>> make_double_factorial(Tree("6")).list_labels()
    ['*', 'pow', '2', '3', 'factorial', '3']
    """
    half, is_odd = _halve(number)
    if half is None:
        return None
    even = Tree("*", (Tree("pow", (_TWO, half)), Tree("factorial", (half,))))
    return Tree("/", (Tree("factorial", (Tree("*", (_TWO, half)),)), even)) if is_odd else even


def _halve(number: Tree) -> tuple[Tree | None, bool]:
    """Return half of a number, or of the one after it where it is odd, and whether it is odd."""
    label, parts = number.label, number.children
    if not parts:
        return (
            (Tree(str((int(label) + 1) // 2)), bool(int(label) % 2)) if label.isdecimal() else (None, False)
        )
    if label == "*" and parts[0] == _TWO:
        return parts[1], False
    if label not in ("+", "-") or len(parts) != 2 or not parts[1].label.isdecimal():
        return None, False
    half, is_odd = _halve(parts[0])
    if half is None or is_odd:
        return None, False
    added = int(parts[1].label) * (1 if label == "+" else -1)
    steps = (added + 1) // 2
    shifted = Tree("+" if steps > 0 else "-", (half, Tree(str(abs(steps))))) if steps else half
    return shifted, bool(added % 2)
