"""Formulas of propositional logic: variables are small letters (not d), constants `true` and `false`.

Infix binds, tightest first: `~ & ^ | -> <->`; `a -> b -> c` is a -> (b -> c). In prefix notation the
operators are `not and xor or implies iff`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from engines.egen.expressions.signs import Sign, Signs

if TYPE_CHECKING:
    from engines.core.tree import Tree
    from engines.egen.expressions.notation import Notation

_two, _leaf = partial(Sign, "infix", arity=2), partial(Sign, "constant", arity=0)
SIGNS = Signs(
    {
        "and": _two("&", binds=5, unicode="∧", latex=r"\land", also=("&&", r"\wedge")),
        "or": _two("|", binds=3, unicode="∨", latex=r"\lor", also=("||", r"\vee")),
        "xor": _two("^", binds=4, unicode="⊕", latex=r"\oplus"),
        "implies": _two(
            "->", binds=2, right=True, unicode="→", latex=r"\to", also=("=>", r"\rightarrow", r"\implies")
        ),
        "iff": _two("<->", binds=1, unicode="↔", latex=r"\leftrightarrow", also=("<=>", r"\iff")),
        "not": Sign("prefix", "~", 1, 6, unicode="¬", latex=r"\lnot", also=("!", r"\neg")),
        "true": _leaf("true", unicode="⊤", latex=r"\top"),
        "false": _leaf("false", unicode="⊥", latex=r"\bot"),
    },
    "propositional logic",
    letters="a-ce-z",
    remedy="Write formulas like: (p & q) | ~r -> s, with small letters, true and false.",
)
LOGIC: Mapping[str, int] = SIGNS.arity
"""Operators and constants, with their operands."""


def read_logic(text: str, notation: Notation = "auto") -> Tree:
    """Read a formula in infix (with words, signs or LaTeX) or prefix notation; `auto` tries prefix first.

    Raises: ExpressionError with the character position.

    >>> read_logic("p & q -> ~r").labels()
    ['implies', 'and', 'p', 'q', 'not', 'r']
    """
    return SIGNS.read(text, notation)


def logic_row(tree: Tree) -> dict[str, Any]:
    return SIGNS.row(tree)
