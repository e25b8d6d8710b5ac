"""Notations of an expression: each is made when it is first seen or copied, and kept."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from screens.shell.selection import Form

if TYPE_CHECKING:
    from engines.core.tree import Tree

__all__ = ["check", "copies", "infix", "latex", "shown", "tree_lines", "write_plainly"]

# The engine's notations are imported where they are used: the screen is painted before.

_plain = False


def write_plainly(plain: bool) -> None:
    """Whether `shown` keeps to ASCII: there a raised 2 would come out as a 2 like any other."""
    global _plain
    _plain = plain


def shown(prefix: str) -> str:
    """The form in which the screen shows an expression: `63·cosh(2 − 7x)`, or as `infix`."""
    return _written("infix" if _plain else "unicode_infix", prefix)


@lru_cache(32_768)
def _written(notation: str, prefix: str) -> str:
    from engines.egen.expressions import notation as notations
    from engines.egen.expressions.language import read_prefix

    return str(getattr(notations, notation)(read_prefix(prefix)))


infix = partial(_written, "infix")
"""`63*cosh(2 - 7*x)`: ASCII that can be read back."""
latex = partial(_written, "latex")


def tree_lines(prefix: str) -> list[str]:
    """The tree, a node a line."""
    from engines.egen.expressions.language import read_prefix

    return list(_branch(read_prefix(prefix), "", ""))


def _branch(tree: Tree, first: str, rest: str) -> Iterator[str]:
    yield first + tree.label
    for number, child in enumerate(tree.children):
        last = number == len(tree.children) - 1
        yield from _branch(child, rest + ("└ " if last else "├ "), rest + ("  " if last else "│ "))


def copies(prefix: str, known: Mapping[str, object]) -> tuple[Form, ...]:
    """What an expression can be copied as; what is `known` of it goes into its JSON."""
    document = {**known, "prefix": prefix}
    return (
        Form("u", "Unicode infix", partial(_written, "unicode_infix", prefix)),
        Form("i", "infix", partial(infix, prefix)),
        Form("p", "prefix", lambda: prefix),
        Form("l", "LaTeX", partial(latex, prefix)),
        Form("t", "tree", lambda: "\n".join(tree_lines(prefix))),
        Form("j", "JSON", lambda: json.dumps({**document, "infix": infix(prefix)}, ensure_ascii=False)),
    )


def check(text: str) -> tuple[str, str]:
    """An expression as it is typed. Returns: its prefix form and nothing, or nothing and what is wrong."""
    from engines.core.errors import ExpressionError
    from engines.egen.expressions.language import prefix
    from engines.egen.expressions.notation import check_head, read

    try:
        tree = read(text)
        check_head(tree)
    except ExpressionError as error:
        place = f"character {error.position + 1}: " if error.position is not None and error.text else ""
        return "", f"{place}{error.what}. {error.remedy}".strip()
    return prefix(tree), ""
