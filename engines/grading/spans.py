r"""What vectors span: `\text{span}\{v, w\}`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engines.core.tree import Tree
from engines.formula.statement_view import Statement
from engines.grading.forms import Form, Many, Matrix, Named
from engines.grading.numbers import Term
from engines.grading.tokens import TEXT_COMMANDS, is_blank, text_at, tokenize

_LETTERS = "tsuv"
_MOST_LEAD = 20
_NAMES = ("span", "\\span", "Span")


def read_span(plain: str, read: Callable[[str], Form]) -> Form | None:
    r"""Return `\text{span}\{v, w\}` as all sums of its vectors times numbers; None for other texts."""
    if "pan" not in plain[:_MOST_LEAD]:
        return None
    tokens = [token for token in tokenize(plain) if not is_blank(token)]
    wrapped = tokens[0].text in TEXT_COMMANDS and text_at(tokens, 1) == "{"
    at = 2 * wrapped
    if text_at(tokens, at) not in _NAMES or (wrapped and text_at(tokens, at + 1) != "}"):
        return None
    behind = plain[tokens[at + wrapped].end :].strip()
    return make_span(read(f"\\{behind[:-1]}\\}}" if behind[:1] == "{" and behind[-1:] == "}" else behind))


def make_span(vectors: Form) -> Statement | None:
    """Return all sums of listed vectors times numbers; None for other answers."""
    vectors = vectors.value if isinstance(vectors, Named) else vectors
    items = vectors.items if isinstance(vectors, Many) and vectors.kind != "tuple" else (vectors,)
    rows = [_list_entries(item) for item in items]
    if not 0 < len(rows) <= len(_LETTERS) or None in rows:
        return None
    letters = _LETTERS[: len(rows)]
    summands = [
        Tree("*", (Tree(letter), Tree("tuple", tuple(row or ()))))
        for letter, row in zip(letters, rows, strict=True)
    ]
    tree = summands[0]
    for summand in summands[1:]:
        tree = Tree("+", (tree, summand))
    ranges = tuple(Tree("in", (Tree(letter), Tree("ℝ"))) for letter in letters)
    return Statement(Tree("such", (tree, ranges[0] if len(ranges) == 1 else Tree("and", ranges))))


def _list_entries(item: Form) -> list[Tree] | None:
    """Return the entries of a vector, in a row or a column; None for anything else."""
    cells: Sequence[Form] = item.items if isinstance(item, Many) and item.kind == "tuple" else ()
    if isinstance(item, Matrix) and 1 in (len(item.rows), len(item.rows[0])):
        cells = tuple(cell for row in item.rows for cell in row)
    trees = [cell.tree for cell in cells if isinstance(cell, Term) and cell.tree is not None]
    return trees if trees and len(trees) == len(cells) else None
