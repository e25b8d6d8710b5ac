r"""Signs that bind less than relations where they stand between them: implications, `\land` and `\lor`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from engines.formula.layout import Piece
from engines.formula.operators import Role

__all__ = ["IMPLIES", "connected"]

IMPLIES = {"O!implies", "O!is-implied-by", "U!iff", *(f"F!{arrow}" for arrow in "⇒⟹⇐⟸⇔⟺")}
"""Labels of arrows between statements."""
_PARTING = {*IMPLIES, "O!conditional"}
_CONNECTIVES = {"U!and", "U!or"}
_ENDS = {Role.PUNCTUATION, Role.PERIOD, Role.COLON, Role.BAR}


@dataclass(slots=True)
class _Stretch:
    """What stands between two ends of statements within one pair of brackets; `listed`: members of a set,
    which are no statements."""

    listed: bool = False
    related: bool = False
    statements: bool = True
    signs: list[int] = field(default_factory=list)


def connected(parts: list[Piece]) -> list[Piece]:
    r"""The pieces, with each `\land` and `\lor` whose sides all are relations as a relation itself.

    In `x > 0 \land y > 0` it joins two statements, in `x \land y = z` it makes a term.
    """
    found = list(parts)
    stretches = [_Stretch()]

    def finish(listed: bool) -> _Stretch:
        last = stretches.pop()
        if last.statements and last.related and not last.listed:
            for at in last.signs:
                found[at] = replace(found[at], role=Role.RELATION)
        return _Stretch(listed)

    for at, piece in enumerate(parts):
        here = stretches[-1]
        label = piece.operator.label
        if piece.role == Role.OPEN:
            stretches.append(_Stretch(piece.text == "{"))
        elif piece.role == Role.CLOSE and len(stretches) > 1:
            finish(listed=False)
        elif piece.role in _ENDS or (
            piece.role == Role.RELATION and (label in IMPLIES or piece.text == "\\mid")
        ):
            stretches.append(finish(listed=here.listed and piece.role == Role.PUNCTUATION))
        elif piece.role == Role.RELATION:
            here.related = True
        elif piece.role == Role.ADD and label in _CONNECTIVES:
            here.statements = here.statements and here.related
            here.related = False
            here.signs.append(at)
    while stretches:
        finish(listed=False)
    return found
