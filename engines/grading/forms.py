"""What an answer is: a number or formula with its unit, words, a list, an interval, a matrix, a relation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engines.core.tree import Tree
from engines.formula.statement_view import Statement
from engines.grading.numbers import Term


@dataclass(frozen=True, slots=True)
class WordsForm:
    """An answer in words, or the letter of a choice."""

    text: str


@dataclass(frozen=True, slots=True)
class Many:
    """Several answers. A `list` is what a solution gives with commas, a `set` has braces, a `tuple` an order;
    a `ratio` is as 1:2."""

    kind: Literal["list", "set", "tuple", "ratio"]
    items: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class SetOfSets:
    """A set of which some members are sets themselves."""

    items: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class Repeated:
    """A value that counts so many times, as a double root."""

    value: Form
    times: int


@dataclass(frozen=True, slots=True)
class IntervalForm:
    """An interval; `closed` says which ends belong to it."""

    low: Form
    high: Form
    closed: tuple[bool, bool]


@dataclass(frozen=True, slots=True)
class Union:
    """What belongs to any of several sets."""

    parts: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class Without:
    """A set of the line without another."""

    whole: Form
    taken: Form


@dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix, by rows."""

    rows: tuple[tuple[Form, ...], ...]


@dataclass(frozen=True, slots=True)
class Named:
    """What is said of a name: `x = 5`, `f(x) = 2x`, `x \\in [0, 1]`.

    `subject` is the name as a term; `indexed` are the names x_1, x_2 of which several values were said.
    """

    name: str
    value: Form
    subject: Tree
    indexed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RelationForm:
    """Terms with a sign between them, such as `2x + y = 1`."""

    tree: Tree


@dataclass(frozen=True, slots=True, eq=False)
class UnreadForm:
    """What cannot be read, and why. It equals nothing: not even another for the same reason."""

    reason: str


Form = (
    Term
    | WordsForm
    | Many
    | SetOfSets
    | Repeated
    | IntervalForm
    | Union
    | Without
    | Matrix
    | Named
    | RelationForm
    | Statement
    | UnreadForm
)
SetForm = IntervalForm | Union | Without
REALS = IntervalForm(
    Term("-\\infty", tree=Tree("*", (Tree("-1"), Tree("inf")))),
    Term("\\infty", tree=Tree("inf")),
    (False, False),
)
EMPTY = Many("set", ())
