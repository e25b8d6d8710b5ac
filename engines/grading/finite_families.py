"""Values of a term for a few integers, as `2k, 1 <= k <= 4` and `e^(i*pi*k/2), k = 0, 1, 2, 3`."""

from __future__ import annotations

from math import ceil, floor

from engines.core.tree import Tree
from engines.grading.linear_terms import list_conjuncts, read_number
from engines.mathematics.judging.names import INTEGERS, free_variables, replace_variable

_MOST_MEMBERS = 200
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def list_values(tree: Tree) -> list[Tree] | None:
    """Return the values that a term has for the few integers that a condition leaves; None for other sets."""
    if tree.label != "such" or len(tree.children) != 2:
        return None
    member, condition = tree.children
    parts = list_conjuncts(condition)
    if member.label == "in":
        parts, member = [member, *parts], member.children[0]
    for name in sorted(free_variables(member)):
        about = [one for one in parts if name in one.list_labels()]
        if len(about) == len(parts) and (numbers := _list_integers(about, name)) is not None:
            values = [replace_variable(member, name, Tree(str(number))) for number in numbers]
            return list(dict.fromkeys(values))
    return None


def split_family(tree: Tree) -> tuple[Tree, list[Tree]] | None:
    """Return the name of values that an equation gives for a few integers, and these values; None for other
    statements."""
    if tree.label != "and":
        return None
    first, *conditions = [one for part in tree.children for one in list_conjuncts(part)]
    if first.label != "=" or first.children[0].children or not conditions:
        return None
    name, term = first.children
    condition = conditions[0] if len(conditions) == 1 else Tree("and", tuple(conditions))
    if name in {leaf for one in conditions for leaf in one}:
        return None
    values = list_values(Tree("such", (term, condition)))
    if values is None or len(values) < 2:
        return None
    base, _, index = name.label.partition("_")
    return (Tree(base) if index.isalpha() else name), values


def _list_integers(parts: list[Tree], name: str) -> list[int] | None:
    """Return the integers that conditions on a name leave; None where these are too many or not certain."""
    if len(parts) == 1 and parts[0].label in ("or", "="):
        return _list_stated(parts[0], name)
    if len(parts) == 1 and parts[0].label == "in" and parts[0].children[1].label == "set":
        equations = tuple(Tree("=", (parts[0].children[0], one)) for one in parts[0].children[1].children)
        return _list_stated(Tree("or", equations), name)
    low: int | None = None
    high: int | None = None
    stated = is_positive = False
    for one in parts:
        if one.label == "in":
            if one.children[0].label != name or one.children[1].label not in (*INTEGERS, "ℤ+", "ℕ*"):
                return None
            stated = True
            is_positive = one.children[1].label not in ("ℤ", "Z")
            continue
        if one.label not in _TURNED:
            return None
        label, (left, right) = one.label, one.children
        if right == Tree(name) or right == Tree("abs", (Tree(name),)):
            label, left, right = _TURNED[label], right, left
        edge = read_number(right)
        if edge is None:
            return None
        least, most = (ceil(edge), floor(edge)) if "=" in label else (floor(edge) + 1, ceil(edge) - 1)
        if left == Tree("abs", (Tree(name),)) and label[0] == "<":
            low, high = (
                max(low if low is not None else -most, -most),
                min(high if high is not None else most, most),
            )
        elif left != Tree(name):
            return None
        elif label[0] == ">":
            low = least if low is None else max(low, least)
        else:
            high = most if high is None else min(high, most)
    # Natural numbers begin with 0 or 1.
    if low is None or high is None or high - low >= _MOST_MEMBERS or (is_positive and low < 1):
        return None
    # Without a word about integers only a letter that counts runs through these.
    return list(range(low, high + 1)) if stated or name in _COUNTERS else None


_COUNTERS = ("k", "n", "m", "j", "l")


def _list_stated(tree: Tree, name: str) -> list[int] | None:
    equations = tree.children if tree.label == "or" else (tree,)
    numbers = []
    for one in equations:
        signs = (1, -1) if one.label == "=" and one.children[1].label == "pm" else (1,)
        if one.label != "=" or one.children[0] != Tree(name):
            return None
        right = one.children[1].children[0] if len(signs) > 1 else one.children[1]
        number = read_number(right)
        if number is None or number.denominator > 1:
            return None
        numbers += [sign * int(number) for sign in signs]
    return numbers
