"""An expression in the forms people read; each is made when it is first seen, and kept."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engines.core.tree import Tree

__all__ = ["check", "infix", "latex", "over", "shown", "tree_lines", "unicode", "write_plainly"]

# The notations are imported where they are used: the screen is painted before.

_plain = False


def write_plainly(plain: bool) -> None:
    """Whether `shown` keeps to ASCII: there a raised 2 would come out as a 2 like any other."""
    global _plain
    _plain = plain


def shown(prefix: str) -> str:
    """The form in which the screen shows an expression."""
    return infix(prefix) if _plain else unicode(prefix)


@lru_cache(16_384)
def unicode(prefix: str) -> str:
    """`63·cosh(2 − 7x)`."""
    from engines.egen.language import read_prefix
    from engines.egen.notation import unicode_infix

    return unicode_infix(read_prefix(prefix))


@lru_cache(16_384)
def infix(prefix: str) -> str:
    """`63*cosh(2 - 7*x)`: ASCII that can be read back."""
    from engines.egen.language import read_prefix
    from engines.egen.notation import infix as written

    return written(read_prefix(prefix))


@lru_cache(512)
def latex(prefix: str) -> str:
    """LaTeX, for showing."""
    from engines.egen.language import read_prefix
    from engines.egen.notation import latex as written

    return written(read_prefix(prefix))


@lru_cache(512)
def tree_lines(prefix: str) -> tuple[str, ...]:
    """The tree, a node a line."""
    from engines.egen.language import read_prefix

    return tuple(_branch(read_prefix(prefix), "", ""))


def _branch(tree: Tree, first: str, rest: str) -> Iterator[str]:
    yield first + tree.label
    for number, child in enumerate(tree.children):
        last = number == len(tree.children) - 1
        yield from _branch(child, rest + ("└ " if last else "├ "), rest + ("  " if last else "│ "))


def over(label: str, children: tuple[str, ...]) -> str:
    """An operator over terms, in prefix notation; the derivative has its body as only operand."""
    return " ".join((label, *(("x",) if label == "d" else ()), *children))


def check(text: str) -> tuple[str, str]:
    """An expression as it is typed. Returns: its prefix form and nothing, or nothing and what is wrong."""
    from engines.core.errors import ExpressionError
    from engines.egen.language import prefix
    from engines.egen.notation import check_head, read

    try:
        tree = read(text)
        check_head(tree)
    except ExpressionError as error:
        place = f"character {error.position + 1}: " if error.position is not None and error.text else ""
        return "", f"{place}{error.what}. {error.remedy}".strip()
    return prefix(tree), ""
