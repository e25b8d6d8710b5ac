"""Names of what is judged: relations and sets, which names in a term are variables; verdicts in short."""

from __future__ import annotations

from collections.abc import Iterator
from operator import is_

from engines.core.expression_language import ARITY, BINDERS, CONSTANTS, FURTHER, is_constant_token
from engines.core.tree import Tree
from engines.mathematics.judging.verdicts import Verdict

COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}
OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "!=", "!=": "="}
QUANTIFIERS = ("forall", "exists")
"""Labels of quantified statements: a variable, where it ranges, if that is said, and the body."""
WRITTEN = {
    "=": "=",
    ":=": ":=",
    "<": "<",
    ">": ">",
    **dict.fromkeys((r"\le", r"\leq", r"\leqslant", r"\leqq", "≤"), "<="),
    **dict.fromkeys((r"\ge", r"\geq", r"\geqslant", r"\geqq", "≥"), ">="),
    **dict.fromkeys((r"\lt", "&lt;"), "<"),
    **dict.fromkeys((r"\gt", "&gt;"), ">"),
    **dict.fromkeys((r"\ne", r"\neq", "≠"), "!="),
    **dict.fromkeys((r"\approx", r"\simeq", r"\doteq", r"\approxeq", "≈"), "approx"),
    **dict.fromkeys((r"\equiv", "≡"), "congruent"),
    **dict.fromkeys((r"\coloneqq", r"\triangleq", r"\stackrel{\text{def}}{=}"), ":="),
}
"""Relations as LaTeX and plain text write them."""
INTEGERS = ("Z", "ℤ", "N", "ℕ")
REALS = ("R", "ℝ")
NUMBER_SETS = (*INTEGERS, *REALS, "C", "ℂ", "Q", "ℚ")
EMPTY = ("∅", "set")
"""The empty set: also a set without members."""
COMPLEX = ("i", "conj", "re", "im", "arg")
BOUND = (*BINDERS, "limit", "antiderivative", "d")
"""Operators whose first operand is a variable that they bind, and the last is what they bind it in."""
_AT = "at"
"""A derivative by a variable for which something stands: at that value, which is not judged."""
_BINDING = frozenset((*BOUND, *QUANTIFIERS))
_NO_VARIABLES = (*CONSTANTS, "i", "inf", *EMPTY)
REAL = {*ARITY, *FURTHER} - {"x"}
"""Operations on real numbers that are worked out."""
EQUAL = Verdict("equal")


def undecided_verdict(reason: str) -> Verdict:
    """Return the verdict "undecided" with a reason."""
    return Verdict("undecided", reason=reason)


def free_variables(*trees: Tree) -> set[str]:
    """Return the free variables of terms and statements."""
    return {name for tree in trees for name in _iterate_free(tree)}


def _iterate_free(tree: Tree) -> Iterator[str]:
    label, parts = tree.label, tree.children
    if not parts:
        if label not in _NO_VARIABLES and not is_constant_token(label):
            yield label
        return
    if label in ("text", "unit"):
        return
    if label in QUANTIFIERS:
        bound = parts[0].label
        yield from (one for part in parts[1:] for one in _iterate_free(part) if one != bound)
        return
    if label == "such":
        member, condition = parts
        kept = {member.children[0].label if member.label == "in" else member.label}
        if not kept & {*_iterate_free(member)}:
            kept = {node.children[0].label for node in condition if node.label == "in" and node.children}
        yield from (one for part in parts for one in _iterate_free(part) if one not in kept)
        return
    if label in ("call", "interval"):
        parts = parts[1:]
    elif label == "in" and parts[1].label in NUMBER_SETS:
        parts = parts[:1]
    elif label in BOUND and label not in ("d", "antiderivative"):
        name, *ends, body = parts
        yield from (one for one in _iterate_free(body) if one != name.label)
        parts = tuple(ends[: 1 if label == "limit" else 2])
    for part in parts:
        yield from _iterate_free(part)


def is_real(tree: Tree) -> bool:
    """Return whether a term is made of operations on real numbers that are worked out."""
    return all(node.label in REAL for node in tree if node.children) and not {"i", "inf"} & {
        *tree.list_labels()
    }


def replace_variable(tree: Tree, name: str, instead: Tree) -> Tree:
    """Return a tree with a term in the place of a free variable; bound variables that would capture it are
    renamed.
    """
    if not tree.children:
        return instead if tree.label == name else tree
    bound = tree.children[0].label if tree.label in _BINDING else ""
    if bound and name not in tree.list_labels():
        return tree
    if bound == name:
        if tree.label in ("d", "antiderivative"):
            return Tree(_AT, (tree, Tree(name), instead))
        if tree.label in QUANTIFIERS:
            return tree
        middle = tuple(replace_variable(child, name, instead) for child in tree.children[1:-1])
        return Tree(tree.label, (tree.children[0], *middle, tree.children[-1]))
    if bound and tree.label not in ("d", "antiderivative") and bound in free_variables(instead):
        fresh_name = f"{bound}'"
        while fresh_name in {*tree.list_labels(), *instead.list_labels(), name}:
            fresh_name += "'"
        *head, body = tree.children[1:]
        if tree.label in QUANTIFIERS:
            head = [replace_variable(one, bound, Tree(fresh_name)) for one in head]
        tree = Tree(tree.label, (Tree(fresh_name), *head, replace_variable(body, bound, Tree(fresh_name))))
    parts = [replace_variable(child, name, instead) for child in tree.children]
    if all(map(is_, parts, tree.children)):
        return tree
    return Tree(tree.label, tuple(parts))
