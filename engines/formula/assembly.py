"""Assembly of operator trees: runs of operands, things in brackets or side by side, and what has no parse."""

from __future__ import annotations

from typing import Literal

from engines.formula.layout import Piece
from engines.formula.operator_tree import ABSENT, OperatorTree, apply, fragments
from engines.formula.operators import Role

__all__ = ["Mode", "Run", "fenced", "fragmented", "listed"]

Mode = Literal["arqmath", "correct"]

_INTERVALS = {"()": "O-O", "[]": "C-C", "(]": "O-C", "[)": "C-O"}
_PAIRS = {
    "()": "M!V-{}",
    "{}": "M!S-{}",
    "[]": "M!D-lsqb;&rsqb;",
    "⟨⟩": "M!D-lang;&rang;",
    "||": "F!abs",
    "∥∥": "O!norm",
    "⌊⌋": "F!floor",
    "⌈⌉": "F!ceiling",
}
"""Labels by the brackets; where there is room in it, with how many things there are."""


class Run:
    """Operands with operators between them, from left to right; the same sign again adds an operand."""

    def __init__(self, first: OperatorTree, mode: Mode) -> None:
        self.operands = [first]
        self.operator: OperatorTree | None = None
        self.sign = ""
        self.mode = mode

    def add(self, operator: OperatorTree, sign: str, operand: OperatorTree) -> None:
        """One more operand; `sign` tells operators apart that are written in different ways."""
        nested = self.mode == "correct" and not operator.label.startswith("U!")
        if self.operator is not None and (sign != self.sign or not sign or operator.children or nested):
            self.operands = [self.tree()]
        self.operator, self.sign = operator, "" if operator.children else sign
        self.operands.append(operand)

    def tree(self) -> OperatorTree:
        """What there is, as a tree."""
        return self.operands[0] if self.operator is None else apply(self.operator, self.operands)


def listed(parts: list[OperatorTree]) -> OperatorTree:
    """Expressions side by side; one alone is itself."""
    return parts[0] if len(parts) == 1 else OperatorTree(f"M!L-{len(parts)}", tuple(parts))


def fenced(opening: str, closing: str, found: list[OperatorTree]) -> OperatorTree | None:
    """What these things mean in these brackets; `set` opens a set by a condition. None: nothing."""
    pair = opening + closing
    if opening == "set" or (pair == "()" and len(found) == 1):
        return found[0]
    if pair in _INTERVALS and len(found) == 2:
        return OperatorTree(f"O!interval({_INTERVALS[pair]})", tuple(found))
    label = _PAIRS.get(pair)
    return None if label is None else OperatorTree(label.format(len(found)), tuple(found))


def fragmented(parts: list[Piece]) -> OperatorTree:
    """What cannot be parsed: the pieces one by one; what stands in brackets is put together."""
    stack: list[list[OperatorTree]] = [[]]
    bare: Piece | None = None
    for piece in parts:
        if piece.role == Role.SCRIPT:
            base = stack[-1].pop() if stack[-1] else ABSENT
            base = bare.alone if bare is not None else base
            stack[-1].append(OperatorTree(piece.text, (base, piece.alone)))
            bare = None
            continue
        bare = piece if piece.role == Role.UNKNOWN else None
        shown = OperatorTree(f"-!{piece.text.lower()}") if bare else piece.alone
        if piece.role == Role.OPEN:
            stack.append([shown])
        elif piece.role == Role.CLOSE and len(stack) > 1:
            inner = stack.pop()
            stack[-1].append(fragments([*inner, shown]))
        else:
            stack[-1].append(shown)
    while len(stack) > 1:
        inner = stack.pop()
        stack[-1].extend(inner)
    return fragments(stack[0])
