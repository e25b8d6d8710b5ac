"""Vectors as sums of the unit vectors i, j and k."""

from __future__ import annotations

from fractions import Fraction
from unicodedata import normalize

from engines.core.tree import Tree
from engines.grading.forms import Form, Many
from engines.grading.numbers import Term
from engines.grading.reading import form_of, is_constant, negate_tree
from engines.mathematics.judging.names import free_variables

_MINUS_ONE = Tree("-1")


def read_vector(form: Form, *, is_beside: bool) -> Many | None:
    r"""Read a vector in terms of i, j and k as a tuple; None for anything else.

    Args:
        form: A form.
        is_beside: Whether it is compared with a vector, so that plain letters may stand for unit vectors.

    >>> from engines.grading.reading import read_form
    >>> vector = read_vector(read_form(r"3\mathbf{i} - \hat{\mathbf j}"), is_beside=False)
    >>> [item.text for item in vector.items]
    ['3', '-1']
    """
    tree = form.tree if isinstance(form, Term) else None
    along = None if tree is None else _list_components(tree, is_beside=is_beside)
    if along is None:
        return None
    names = "ijk" if "k" in along else "ij"
    return Many(
        "tuple", tuple(form_of(along[name]) if name in along else Term("0", Fraction(0), 0) for name in names)
    )


_UNIT_VECTORS = {
    **{
        f"{letter}{mark}": name
        for letter, name in zip("iıjȷk𝐢𝐣𝐤", "iijjkijk", strict=True)
        for mark in ("\u0302", "\u20d7")
    },
    **dict(zip("𝐢𝐣𝐤", "ijk", strict=True)),
    **{f"{letter}\u0302": name for letter, name in zip("xyz𝐱𝐲𝐳", "ijkijk", strict=True)},
    **{
        f"{head}_{index}": name
        for head in ("e\u20d7", "𝐞", "e\u0302")
        for indices in ("xyz", "123")
        for index, name in zip(indices, "ijk", strict=True)
    },
}
"""Letters with a mark, or in bold, for the unit vectors."""


def _list_components(tree: Tree, *, is_beside: bool) -> dict[str, Tree] | None:
    """Return what stands before each of i, j and k in a sum; None where something else is in it."""
    label, parts = tree.label, tree.children
    if not parts:
        plain = label.rstrip("_") if is_beside else ""
        name = _UNIT_VECTORS.get(normalize("NFD", label)) or (plain if plain in ("i", "j", "k") else "")
        return {name: Tree("1")} if name else None
    if (
        label == "*"
        and len(parts) == 2
        and (is_beside or not free_variables(parts[0]))
        and "i" not in parts[0].list_labels()
    ):
        inner = _list_components(parts[1], is_beside=is_beside)
        return inner and {name: _scale_component(parts[0], value) for name, value in inner.items()}
    if label in ("*", "/") and len(parts) == 2:
        return _scale_sum(tree, is_beside=is_beside)
    if label not in ("+", "-") or len(parts) != 2:
        return None
    one, other = (_list_components(part, is_beside=is_beside) for part in parts)
    if one is None or other is None or one.keys() & other.keys():
        return None
    if label == "-":
        other = {name: _scale_component(_MINUS_ONE, value) for name, value in other.items()}
    return {**one, **other}


def _scale_sum(tree: Tree, *, is_beside: bool) -> dict[str, Tree] | None:
    """Return the components of a sum over a number, as `(i - 2j)/3`, or before one."""
    vector, number = tree.children
    inner = _list_components(vector, is_beside=is_beside) if is_constant(number) else None
    if inner is None or "i" in number.list_labels():
        return None
    return {name: Tree(tree.label, (value, number)) for name, value in inner.items()}


def _scale_component(factor: Tree, value: Tree) -> Tree:
    if value == Tree("1"):
        return factor
    return negate_tree(value) if factor == _MINUS_ONE else Tree("*", (factor, value))
