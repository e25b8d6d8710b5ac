"""Grammatical roles and meanings of symbols: what LaTeXML's grammar takes them for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from engines.core.errors import DataError
from engines.core.system import asset
from engines.formula.operator_tree import OperatorTree


class Role:
    """What a piece of a formula may do in it."""

    ADD = "add"
    ANNOTATION = "annotation"
    ATOM = "atom"
    BAR = "bar"
    BIG = "big"
    CLOSE = "close"
    COLON = "colon"
    FUNCTION = "function"
    INTEGRAL = "integral"
    LIMIT = "limit"
    MODIFIER = "modifier"
    MULTIPLY = "multiply"
    NUMBER = "number"
    OPEN = "open"
    OPERATOR = "operator"
    PERIOD = "period"
    POSTFIX = "postfix"
    PUNCTUATION = "punctuation"
    RELATION = "relation"
    SCRIPT = "script"
    STRAY = "stray"
    UNKNOWN = "unknown"


class Symbol(NamedTuple):
    """The role of a symbol, and its trees as an operator and where it stands alone."""

    role: str
    operator: OperatorTree
    alone: OperatorTree


_NAMED = (Role.FUNCTION, Role.LIMIT)
_NEGATED = (Role.RELATION, Role.OPERATOR)


@cache
def roles() -> Mapping[str, Symbol]:
    """The symbols that have a role, from `assets/latex/grammar.tsv`; all others are unknown letters."""
    path = asset("latex/grammar.tsv")
    result: dict[str, Symbol] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()[1:], start=2):
        columns = line.split("\t")
        if len(columns) != 3 or columns[0] in result:
            raise DataError("not a row of symbol, role, label", path=path, line=number, code="E300")
        symbol, role, label = columns
        # A sign without a meaning is a function where it is applied, and a variable alone.
        bare = label.startswith("F!") and role not in _NAMED
        alone = f"V!{label[2:]}" if bare else label
        result[symbol] = Symbol(role, OperatorTree(label), OperatorTree(alone))
    return result


def negated(symbol: Symbol) -> Symbol | None:
    r"""What `\not` makes of a relation or an operator that has no row with it; of other symbols nothing."""
    if symbol.role not in _NEGATED:
        return None
    kind, name = symbol.operator.label[:2], symbol.operator.label[2:]
    tree = OperatorTree(f"{kind}not-{name}")
    return Symbol(symbol.role, tree, tree)
