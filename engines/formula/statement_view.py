r"""Statements: what a text says as a whole, with its connective, kind, relation and quantifiers.

A statement is a view of the tree that the reader makes of a whole text, so that nobody splits the text to
find out what it says. `engines.formula.meaning` describes the trees.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engines.core.expression_language import is_constant_token
from engines.core.tree import Tree
from engines.formula.cursor import QUANTIFIERS

Connective = Literal["", "and", "or", "implies", "iff", "not"]
Kind = Literal[
    "number", "term", "quantity", "text", "tuple", "list", "set", "interval", "union", "matrix", "relation",
    "system", "cases", "compound", "quantified",
]  # fmt: skip
TWO_SIDED_RELATIONS = ("=", "!=", "<", "<=", ">", ">=", "in", "subset", "approx", "congruent")
"""Labels of statements without a connective: a relation of two sides."""
_CONNECTIVES = ("and", "or", "implies", "iff", "not")
_UNIONS = ("union", "intersection", "without")
_COLLECTIONS = ("tuple", "list", "set", "interval", "matrix", "text", "cases")


@dataclass(frozen=True, slots=True)
class Quantifier:
    """A quantifier: `forall` or `exists`, the variable, and the statement that says where it ranges."""

    label: str
    name: str
    range: Tree | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """What a text says as a whole: its kind, and the quantifiers, connective, parts and relation of its body.

    Attributes:
        tree: All of it, as the reader makes it.
        notes: What was settled while it was read.
    """

    tree: Tree
    notes: tuple[str, ...] = ()

    @property
    def quantifiers(self) -> tuple[Quantifier, ...]:
        """The quantifiers before the body, the outermost first."""
        result: list[Quantifier] = []
        tree = self.tree
        while tree.label in QUANTIFIERS and tree.children:
            name, *ranges, body = tree.children
            result.append(Quantifier(tree.label, name.label, ranges[0] if ranges else None))
            tree = body
        return tuple(result)

    @property
    def body(self) -> Statement:
        """The statement behind the quantifiers."""
        tree = self.tree
        while tree.label in QUANTIFIERS and tree.children:
            tree = tree.children[-1]
        return Statement(tree, self.notes)

    @property
    def connective(self) -> Connective:
        """The connective that joins the parts of the body; "" for a single relation, term or collection."""
        tree = self.body.tree
        return tree.label if tree.label in _CONNECTIVES and tree.children else ""  # type: ignore[return-value]

    @property
    def parts(self) -> tuple[Statement, ...]:
        """The statements that the connective of the body joins; the body alone without a connective."""
        body = self.body
        return tuple(map(Statement, body.tree.children)) if self.connective else (body,)

    @property
    def body_relation(self) -> str:
        """The relation of the body, "" where it is none."""
        tree = self.body.tree
        return tree.label if tree.label in TWO_SIDED_RELATIONS and tree.children else ""

    @property
    def kind(self) -> Kind:
        """The sort of thing that the text says: number, term, relation, set, …."""
        label, parts = self.tree.label, self.tree.children
        # The order matters: a label counts as the first kind that it fits.
        if not parts:
            return "set" if label == "set" else "number" if is_constant_token(label) else "term"
        if label in QUANTIFIERS:
            return "quantified"
        if label == "and" and all(part.label in TWO_SIDED_RELATIONS and part.children for part in parts):
            return "system"
        if label in _CONNECTIVES:
            return "compound"
        if label in TWO_SIDED_RELATIONS:
            return "relation"
        if label in _UNIONS:
            return "union"
        if label == "such":
            return "set"
        if label in _COLLECTIONS:
            return label  # type: ignore[return-value]
        # A term with a unit is a quantity, and one of numbers alone is a number.
        if any(node.label == "unit" for node in self.tree):
            return "quantity"
        numeric = all(node.children or is_constant_token(node.label) for node in self.tree)
        return "number" if numeric else "term"


def read_statement(text: str, *, is_answer: bool = False, log_base: str = "") -> Statement | str:
    r"""Read a whole text as one statement.

    Args:
        text: What is read.
        is_answer: Whether it is an answer; see `engines.formula.meaning.Names`.
        log_base: The base of logarithms without one; "" for natural ones.

    Returns:
        The statement, or why the text is not read.

    >>> said = read_statement(r"x \le -2 \text{ or } x \ge 3")
    >>> said.connective, [part.body_relation for part in said.parts]
    ('or', ['<=', '>='])
    """
    from engines.formula.meaning import Names, read

    reading = read(text, Names(is_answer=is_answer, log_base=log_base) if is_answer or log_base else None)
    return reading.reason if reading.tree is None else Statement(reading.tree, reading.notes)
