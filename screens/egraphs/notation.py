"""Notations of an expression: each is made when it is first seen or copied, and kept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from screens.shell.selection import Form

if TYPE_CHECKING:
    from engines.core.errors import EngineError
    from engines.core.tree import Tree

__all__ = [
    "asked",
    "check",
    "copies",
    "infix",
    "latex",
    "shown",
    "tree_lines",
    "variables",
    "write_plainly",
]

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

    return str(getattr(notations, notation)(_tree(prefix)))


def _tree(prefix: str) -> Tree:
    from engines.egen.expressions.language import LETTERS, read_prefix

    return read_prefix(prefix, LETTERS)


infix = partial(_written, "infix")
"""`63*cosh(2 - 7*x)`: ASCII that can be read back."""
latex = partial(_written, "latex")


def tree_lines(prefix: str) -> list[str]:
    """The tree, a node a line."""
    return list(_branch(_tree(prefix), "", ""))


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


@lru_cache(4_096)
def variables(prefix: str) -> tuple[str, ...]:
    """The variables and parameters of an expression, in the order in which they are named."""
    from engines.egen.assumptions import ordered
    from engines.egen.expressions.language import variables_of

    names = variables_of(_tree(prefix))
    return tuple(name for name in ordered(names) if name in names)


def check(text: str) -> tuple[str, str]:
    """An expression of x as it is typed. Returns: its prefix form and nothing, or nothing and why not."""
    from engines.core.errors import ExpressionError
    from engines.egen.expressions.language import prefix
    from engines.egen.expressions.notation import read_head

    try:
        return prefix(read_head(text)), ""
    except ExpressionError as error:
        return "", _wrong(error)


_ASKED = re.compile(r"(.*?\S)(?:\s+where\b(.*?))?(?:\s+weights\b(.*))?", re.DOTALL)


def asked(text: str) -> tuple[str, dict[str, str], str]:
    """What is to be grown as it is typed: `sqrt(x^2*y) where x > 0, y > 0 weights trig=4`.

    Returns: the prefix form, the settings that it names (`assume`, `weights`) and nothing, or nothing, none
    and what is wrong.
    """
    from engines.core.errors import EngineError
    from engines.egen.assumptions import read_assumptions
    from engines.egen.expressions.language import prefix
    from engines.egen.theories.theory import theory_of
    from engines.egen.weights import canonical_weights

    found = _ASKED.fullmatch(text.strip())
    written, assumed, weighed = found.groups("") if found else ("", "", "")
    try:
        head = theory_of("reals", "").read(written)
        assume = str(read_assumptions(assumed))
        weights = canonical_weights(weighed)
        theory = theory_of("reals", assume, head)
    except EngineError as error:
        return "", {}, _wrong(error)
    settings = {name: value for name, value in (("assume", assume), ("weights", weights)) if value}
    return ("", {}, theory.unwritten) if theory.unwritten else (prefix(head), settings, "")


def _wrong(error: EngineError) -> str:
    from engines.core.errors import ExpressionError

    place = ""
    if isinstance(error, ExpressionError) and error.position is not None and error.text:
        place = f"character {error.position + 1}: "
    return f"{place}{error.what}. {error.remedy}".strip()
