"""Functions of which nothing is known: equal arguments give equal values."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from engines.core.tree import Tree
from engines.egen.expressions.language import BINDERS
from engines.egen.judging.names import BOUND, replaced
from engines.egen.judging.reals import Known
from engines.formula.judge import Judgement

if TYPE_CHECKING:
    from engines.egen.judging.terms import TermJudge


_WORDS = {"sum": "sum", "prod": "product", "integral": "integral"}


class Calls:
    """Takes calls out of terms, with a variable in the place of each that may have another value.

    What is not worked out (limits, infinite sums, derivatives of unknown functions) is taken out in the same
    way, where it is written alike.
    """

    def __init__(self, judge: TermJudge, known: Known) -> None:
        self._judge = judge
        self._known = known
        self._variables: list[tuple[Tree, str]] = []
        self._names: dict[Tree, Tree] = {}
        self._opaque = ""

    def without(self, tree: Tree) -> Tree:
        if not tree.children:
            return tree
        if tree in self._names:
            return self._names[tree]
        if tree.label in BOUND:
            reason = _not_worked_out(tree)
            if reason:
                self._opaque = self._opaque or reason
                return self._variable(_alike_named(tree), alike=False)
        parts = tuple(self.without(child) for child in tree.children)
        if tree.label != "call":
            return Tree(tree.label, parts)
        return self._variable(Tree("call", (tree.children[0], *parts[1:])), alike=True, said=tree)

    def _variable(self, term: Tree, *, alike: bool, said: Tree | None = None) -> Tree:
        for other, name in self._variables:
            if other == term or (alike and self._same(other, term)):
                return Tree(name)
        name = f"call_{len(self._variables)}"
        self._variables.append((term, name))
        self._names[said or term] = Tree(name)
        return Tree(name)

    def _same(self, one: Tree, other: Tree) -> bool:
        if one.label != other.label or len(one.children) != len(other.children):
            return False
        if one.children[0] != other.children[0]:
            return False
        pairs = zip(one.children[1:], other.children[1:], strict=True)
        return all(self._judge.scalars(left, right, self._known).verdict == "equal" for left, right in pairs)

    def judged(self, found: Judgement) -> Judgement:
        """The judgement of terms with calls, from that of those with variables in their place."""
        if not self._variables:
            return found
        if found.verdict in ("different", "equal if"):
            if self._opaque:
                return Judgement("undecided", reason=self._opaque)
            if found.verdict == "equal if" and (found.witness or "call_" in found.condition):
                return Judgement("undecided", reason="it depends on functions of which nothing is known")
            if found.verdict == "different" and not self._apart():
                reason = "it depends on functions of which nothing is known"
                return Judgement("undecided", reason=reason)
        return replace(found, witness=self._said(found.witness))

    def _apart(self) -> bool:
        """Whether the calls of each function certainly have other arguments at almost all points, so that
        some function has any values there."""
        for place, (one, _) in enumerate(self._variables):
            for other, _ in self._variables[:place]:
                if one.children[0] != other.children[0] or len(one.children) != len(other.children):
                    continue
                pairs = zip(one.children[1:], other.children[1:], strict=True)
                if not any(_always_apart(left, right) for left, right in pairs):
                    return False
        return True

    def _said(self, witness: str) -> str:
        from engines.egen.judging.reals import said

        for term, name in reversed(self._variables):
            witness = witness.replace(name, said(term) if term.label != "call" else _call(term))
        return witness


def _always_apart(left: Tree, right: Tree) -> bool:
    """Whether two arguments differ by a number that is not 0 whatever variables are."""
    from engines.egen.algebra.rational import TooLargeError, normal
    from engines.egen.judging import numbers

    try:
        difference = numbers.exact(normal(Tree("-", (left, right))))
    except TooLargeError:
        return False
    return bool(difference)


def _call(term: Tree) -> str:
    from engines.egen.expressions.notation import infix

    name, *arguments = term.children
    return f"{name.label}({', '.join(map(infix, arguments))})"


def _alike_named(tree: Tree, depth: int = 0) -> Tree:
    """With the same names of bound variables wherever they are bound at the same depth."""
    if not tree.children:
        return tree
    if tree.label in BOUND and tree.label not in ("d", "antiderivative"):
        name, *ends, body = tree.children
        new = Tree(f"bound_{depth}")
        inner = _alike_named(replaced(body, name.label, new), depth + 1)
        return Tree(tree.label, (new, *(_alike_named(end, depth) for end in ends), inner))
    return Tree(tree.label, tuple(_alike_named(child, depth) for child in tree.children))


def _not_worked_out(tree: Tree) -> str:
    if tree.label == "limit":
        return "the limit is not worked out"
    if tree.label == "antiderivative":
        return "antiderivatives are judged only as terms of a sum"
    if any(node.label in ("call", "limit") for node in tree):
        return f"{tree.label} of an unknown function is not worked out"
    if tree.label in BINDERS and any(node.label == "inf" for end in tree.children[1:3] for node in end):
        return f"the {_WORDS[tree.label]} to infinity is not worked out"
    return ""
