"""Forms as the judge takes them: terms, statements and sets of the line as trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from engines.core.tree import Tree
from engines.formula.meaning import Reading
from engines.formula.reader import read
from engines.formula.statement_view import Statement
from engines.grading.forms import (
    Form,
    IntervalForm,
    Many,
    Matrix,
    Named,
    RelationForm,
    Repeated,
    SetForm,
    SetOfSets,
    Union,
    Without,
    WordsForm,
)
from engines.grading.messages import to_message_text
from engines.grading.numbers import Term


@lru_cache(maxsize=4096)
def cached_reading(text: str) -> Reading:
    """Return what a formula says; it is read once."""
    return read(text)


def tree_of_term(term: Term) -> Tree | str:
    """Return the term as the judge takes it, or why it cannot be read."""
    if term.value is not None:
        return number_tree(term.value) if term.value.denominator > 1 else Tree(str(term.value))
    if term.tree is not None:
        return term.tree
    result = cached_reading(term.text)
    return result.reason if result.tree is None else result.tree


def statement_of_form(item: Form) -> Tree | str:
    """Return a form as the judge takes it, or why it cannot be read.

    `x = 1, 2` says that x is one of them.
    """
    if isinstance(item, Statement | RelationForm):
        return item.tree
    if isinstance(item, Term):
        return tree_of_term(item)
    if isinstance(item, Matrix):
        return _matrix_tree(item)
    if isinstance(item, Repeated):
        return statement_of_form(item.value)
    if isinstance(item, SetOfSets):
        return "sets of sets are compared by their members"
    if isinstance(item, WordsForm):
        return tree_of_term(Term(item.text))
    if (
        isinstance(item, Many)
        and item.items
        and all(isinstance(one, Named | RelationForm) for one in item.items)
    ):
        return join_statements("and", [statement_of_form(one) for one in item.items])
    if isinstance(item, Many) and item.kind == "list" and all(map(_is_letter, item.items)):
        return join_statements("and", [statement_of_form(one) for one in item.items])
    if isinstance(item, SetForm) or (isinstance(item, Many) and item.kind in ("set", "list")):
        return set_tree(list_on_line(replace(item, kind="set") if isinstance(item, Many) else item) or [])
    if isinstance(item, Many):
        entries = [statement_of_form(one) for one in item.items]
        return join_statements("tuple", entries) if item.kind == "tuple" else "a ratio is no statement"
    assert isinstance(item, Named)
    if isinstance(item.value, Many) and item.value.kind == "ratio" and item.subject.label == "ratio":
        return _proportion_tree(item.subject, item.value)
    if isinstance(item.value, Many) and item.value.kind in ("list", "set"):
        return join_statements(
            "or", [statement_of_form(replace(item, value=value)) for value in item.value.items]
        )
    value = statement_of_form(item.value)
    return (
        value
        if isinstance(value, str)
        else Tree("in" if isinstance(item.value, SetForm) else "=", (item.subject, value))
    )


def _proportion_tree(names: Tree, ratio: Many) -> Tree | str:
    """Return `x : y = 2 : 3` as an equation of quotients, and a longer ratio as one for each two members."""
    values = [statement_of_form(value) for value in ratio.items]
    known = [value for value in values if isinstance(value, Tree)]
    if len(known) < len(values) or len(known) != len(names.children):
        return "a ratio of so many members is no statement"
    sides = pairwise(zip(names.children, known, strict=True))
    return join_statements(
        "and",
        [
            Tree("=", (Tree("/", (one, other)), Tree("/", (mine, theirs))))
            for (one, mine), (other, theirs) in sides
        ],
    )


def _matrix_tree(matrix: Matrix) -> Tree | str:
    rows = [join_statements("row", [statement_of_form(cell) for cell in row]) for row in matrix.rows]
    wrong = next((row for row in rows if isinstance(row, str)), None)
    if wrong is not None:
        return wrong
    trees = (row if isinstance(row, Tree) and row.label == "row" else Tree("row", (row,)) for row in rows)  # type: ignore[arg-type]
    return Tree("matrix", tuple(trees))


def join_statements(connective: str, parts: Sequence[Tree | str]) -> Tree | str:
    """Return statements under a connective, or the reason why one of them cannot be read."""
    trees = [part for part in parts if isinstance(part, Tree)]
    if len(trees) < len(parts):
        return next(part for part in parts if isinstance(part, str))
    return Tree(connective, tuple(trees)) if len(trees) > 1 else trees[0] if trees else "it is empty"


def _is_letter(item: Form) -> bool:
    text = item.text if isinstance(item, Term | WordsForm) else ""
    return len(text) == 1 and text.isalpha()


def number_tree(value: Fraction) -> Tree:
    """Return a rational number as a quotient of two integers."""
    return Tree("/", (Tree(str(value.numerator)), Tree(str(value.denominator))))


def list_on_line(item: Form) -> list[Form] | None:
    """Return the intervals and single values that a set is made of, joined where their ends are the same
    number and in order where they are numbers; None for what is no set of the line."""
    if isinstance(item, IntervalForm | Without):
        return [item]
    if isinstance(item, Many) and item.kind == "tuple" and len(item.items) == 2:
        return [IntervalForm(item.items[0], item.items[1], (False, False))]
    if isinstance(item, Many) and item.kind == "set":
        return list(item.items)
    if isinstance(item, Union):
        result: list[Form] = []
        for part in item.parts:
            parts = list_on_line(part)
            if parts is None:
                return None
            result += parts
        return result
    return None


def set_tree(parts: Sequence[Form]) -> Tree | str:
    """Return the union of intervals and values as the judge takes it, or why it cannot be read."""
    trees: list[Tree] = []
    values: list[Tree] = []
    for part in parts:
        if isinstance(part, Without):
            sides = [set_tree(list_on_line(side) or [side]) for side in (part.whole, part.taken)]
            if wrong := next((side for side in sides if isinstance(side, str)), None):
                return wrong
            trees.append(Tree("without", tuple(sides)))  # type: ignore[arg-type]
            continue
        ends = (part.low, part.high) if isinstance(part, IntervalForm) else (part,)
        read_ends: list[Tree] = []
        for end in ends:
            if not isinstance(end, Term):
                return f"{to_message_text(end)} is no number"
            tree = tree_of_term(end)
            if isinstance(tree, str):
                return tree
            read_ends.append(tree)
        if isinstance(part, IntervalForm):
            kind = "".join("c" if closed else "o" for closed in part.closed)
            trees.append(Tree("interval", (Tree(kind), *read_ends)))
        else:
            values += read_ends
    if values:
        trees.append(Tree("set", tuple(values)))
    if not trees:
        return "the set is empty"
    whole = trees[0]
    for tree in trees[1:]:
        whole = Tree("union", (whole, tree))
    return whole


def list_relations(tree: Tree) -> list[Tree]:
    """Return the relations that a statement joins."""
    if tree.label in ("and", "or", "not", "implies", "iff"):
        return [one for part in tree.children for one in list_relations(part)]
    return [tree]


def name_relations(tree: Tree, letters: dict[Tree, str]) -> Tree:
    """Return a statement with a letter in the place of each relation, as `letters` assigns them."""
    if tree in letters:
        return Tree(letters[tree])
    return Tree(tree.label, tuple(name_relations(part, letters) for part in tree.children))
