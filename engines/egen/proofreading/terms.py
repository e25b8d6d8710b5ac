"""What a term of a claim is: a product written out, a derivative, one of several meanings, too long a sum."""

from __future__ import annotations

import re

from engines.core.errors import EngineError
from engines.core.tree import Tree
from engines.egen.algebra.rational import Space, TooLargeError
from engines.egen.proofreading.facts import variables

UNSURE = frozenset(("pm", "unit", "text", "abs", "call"))
OF_ANGLES = frozenset(("sin", "cos", "tan", "cot", "sec", "csc"))
LOG = re.compile(r"\\log(?![A-Za-z]|\s*_)")
"""A logarithm in LaTeX whose base is not written: e, 10 or 2."""
_WHOLE = re.compile(r"-?\d{1,12}\Z")


def difference(left: Tree, right: Tree) -> int | None:
    """0 for what exact algebra shows equal, 1 for rational functions that are not, None for anything else."""
    if left == right:
        return 0
    try:
        space = Space((left, right))
        apart = space.combined("-", space.of(left), space.of(right)).top
    except (TooLargeError, OverflowError, ZeroDivisionError, EngineError, RecursionError):
        return None
    if apart.is_zero():
        return 0
    return 1 if all(not atom.children and variables(atom) for atom in space.atoms) else None


def is_expansion(left: Tree, right: Tree) -> bool:
    """Whether a product of sums is written as a sum of products, all of one degree in several variables."""
    if variables(left) != variables(right) or len(variables(left)) < 2 or right.label not in "+-":
        return False
    sums = [each for each in (left, *left.children) if each.label in ("+", "-") and len(each.children) > 1]
    nested = any(each.label in "+-" and each.children for node in right.children for each in node.children)
    if left.label not in ("*", "pow") or not sums or nested:
        return False
    space = Space((left, right))
    degrees = {sum(powers) for side in (left, right) for powers in space.of(side).top.monoms()}
    return len(degrees) == 1


def is_unsure(tree: Tree) -> bool:
    """Whether a term can be meant in several ways: with units, signs ±, angles that may be in degrees."""
    angles = (node.children[0] for node in tree if node.label in OF_ANGLES)
    plain = any("pi" not in each.labels() and each != Tree("0") and not variables(each) for each in angles)
    return plain or not UNSURE.isdisjoint(tree.labels())


def is_slope(tree: Tree) -> bool:
    """Whether a term is a derivative, in its variables."""
    return tree.label == "d" or (tree.label == "call" and tree.children[0].label.endswith("'"))


def units(tree: Tree) -> set[Tree]:
    return {node for node in tree if node.label in ("unit", "text")}


def terms(tree: Tree) -> int:
    """How many terms the sums and products of a term have, those inside others multiplied."""
    inside = max(map(terms, tree.children), default=1)
    if tree.label not in ("sum", "prod") or len(tree.children) != 4:
        return inside
    ends = [each.label for each in tree.children[1:3]]
    span = int(ends[1]) - int(ends[0]) + 1 if all(_WHOLE.match(end) for end in ends) else 50
    return inside * max(1, span)
