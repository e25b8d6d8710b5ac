"""Terms of other programs' e-graphs: written as s-expressions, equal because their e-graph says so."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engines.core.errors import ExpressionError
from engines.core.tree import MAX_CHARACTERS, MAX_DEPTH, Tree
from engines.egen.theories.theory import Forms, PlainForms, Theory, TheoryChecker
from engines.mathematics.verification.verdicts import MemberVerdict

if TYPE_CHECKING:
    from engines.formula.reader import Notation
    from engines.mathematics.terms.canonical import Subterms

_PLAIN = re.compile(r'(?:[^\s()"|]+|"[^\s()"|]*")\Z')
_TOKEN = re.compile(r"\s*(?:([()])|\|([^|\s]*)\||([^\s()|]+))")
_BARRED = str.maketrans({char: f"\\u{ord(char):04x}" for char in " |"})


def s_expression(tree: Tree) -> str:
    """Return a term as an s-expression with a blank only between an operator and its operands."""
    stack: list[str] = []
    for node in reversed(list(tree)):
        label = node.label
        if not _PLAIN.match(label):  # between bars, as JSON writes it
            label = f"|{json.dumps(label)[1:-1].translate(_BARRED)}|"
        parts = [stack.pop() for _ in node.children]
        stack.append(f"({' '.join([label, *parts])})" if parts else label)
    return stack[0]


def read_s_expression(text: str) -> Tree:
    """Read what `s_expression` writes.

    Raises:
        ExpressionError: With a message that says what is wrong.
    """
    remedy = "Write it like (+ (sin x) 1)."
    if len(text) > MAX_CHARACTERS:
        raise ExpressionError("the term is too long", remedy=remedy)
    # Each open bracket has a list of the parts that have been read in it.
    stack: list[list[Any]] = [[]]
    at = 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None:
            raise ExpressionError(f"the term cannot be read (character {at + 1})", remedy=remedy)
        at = match.end()
        bracket, barred, plain = match.groups()
        if bracket == "(":
            stack.append([])
        elif bracket:
            parts = stack.pop()
            if not stack or not parts or not isinstance(parts[0], str) or len(stack) > MAX_DEPTH:
                raise ExpressionError(f"')' closes nothing (character {at})", remedy=remedy)
            stack[-1].append(
                Tree(parts[0], tuple(Tree(one) if isinstance(one, str) else one for one in parts[1:]))
            )
        else:
            try:
                stack[-1].append(plain if barred is None else json.loads(f'"{barred}"'))
            except ValueError:
                raise ExpressionError(f"the term cannot be read (character {at})", remedy=remedy) from None
    if len(stack) != 1 or len(stack[0]) != 1:
        raise ExpressionError("this is not one term", remedy=remedy)
    (tree,) = stack[0]
    return Tree(tree) if isinstance(tree, str) else tree


class _Unjudged:
    reason = "equal because the e-graph says so; nothing here judges it"

    def judge_members(self, members: Sequence[Tree | Sequence[str]]) -> list[MemberVerdict]:
        return [MemberVerdict("undecided", 1.0) for _ in members]


@dataclass(frozen=True, slots=True)
class FreeTerms(Theory):
    """Any terms; neither judged nor grown."""

    @property
    def kind(self) -> Hashable:
        """The key of the theory, for caches."""
        return "terms"

    @property
    def unwritten(self) -> str:
        """Why terms can only be shown."""
        return "terms of a foreign e-graph have no rules here"

    def make_judge(self, head: Tree, *, seed: int = 0) -> TheoryChecker:
        """Return a judge that decides nothing."""
        del head, seed
        return _Unjudged()

    def make_forms(self, terms: Subterms, *, direct: bool = False) -> Forms:
        """Return what tells sampled terms apart."""
        del direct
        return PlainForms(terms)

    def read_term(self, text: str, notation: Notation = "auto", *, head: bool = True) -> Tree:
        """Read an s-expression."""
        del notation, head
        return read_s_expression(text)

    def to_infix(self, tree: Tree) -> str:
        """Return a term as an s-expression."""
        return s_expression(tree)

    def to_row(self, tree: Tree) -> dict[str, Any]:
        """Return a term in all notations, as a row of JSON."""
        text = s_expression(tree)
        escaped = re.sub(r"([\\{}$&#^_%~])", lambda match: f"\\char{ord(match[0])} ", text)
        latex = rf"\texttt{{{escaped}}}"
        return {"prefix": text, "infix": text, "unicode": text, "latex": latex, "tokens": len(tree)}
