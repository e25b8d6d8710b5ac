"""Formulas of propositional logic: variables are single small letters, constants `true` and `false`.

Infix binds, tightest first: `~ & ^ | -> <->`; `a -> b -> c` is a -> (b -> c). In prefix notation the
operators are `not and xor or implies iff`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from engines.core.errors import ExpressionError
from engines.core.tree import MAX_DEPTH, MAX_NODES, Tree, parse_prefix

if TYPE_CHECKING:
    from engines.egen.expressions.notation import Notation


LOGIC: Mapping[str, int] = {
    **dict.fromkeys(("and", "or", "xor", "implies", "iff"), 2),
    "not": 1,
    **dict.fromkeys(("true", "false"), 0),
}
"""Operators and constants, with their operands."""

_BINDING = {"iff": 1, "implies": 2, "or": 3, "xor": 4, "and": 5, "not": 6}
_RIGHT = "implies"
_ASCII = {"iff": "<->", "implies": "->", "or": "|", "xor": "^", "and": "&", "not": "~"}
_UNICODE = {
    "iff": "↔",
    "implies": "→",
    "or": "∨",
    "xor": "⊕",
    "and": "∧",
    "not": "¬",
    "true": "⊤",
    "false": "⊥",
}
_LATEX = {
    "iff": r"\leftrightarrow",
    "implies": r"\to",
    "or": r"\lor",
    "xor": r"\oplus",
    "and": r"\land",
    "not": r"\lnot",
    "true": r"\top",
    "false": r"\bot",
}
_SPELLINGS = {
    **{sign: name for signs in (_ASCII, _UNICODE, _LATEX) for name, sign in signs.items()},
    **{name: name for name in LOGIC},
    "!": "not",
    r"\neg": "not",
    "&&": "and",
    r"\wedge": "and",
    "||": "or",
    r"\vee": "or",
    "=>": "implies",
    r"\rightarrow": "implies",
    r"\implies": "implies",
    "<=>": "iff",
    r"\iff": "iff",
}
_TOKEN = re.compile(r"\s+|<->|<=>|->|=>|&&|\|\||\\[a-z]+|[a-z]+|.", re.DOTALL)
_REMEDY = "Write formulas like: (p & q) | ~r -> s, with small letters, true and false."


def read_logic(text: str, notation: Notation = "auto") -> Tree:
    """Read a formula in infix (with words, signs or LaTeX) or prefix notation; `auto` tries prefix first.

    Raises: ExpressionError with the character position.

    >>> read_logic("p & q -> ~r").labels()
    ['implies', 'and', 'p', 'q', 'not', 'r']
    """
    if notation in ("auto", "prefix"):
        try:
            return parse_prefix(text.split(), _operands)
        except ExpressionError:
            if notation == "prefix":
                raise
    return _Reader(text).read()


def _operands(token: str) -> int:
    if token not in LOGIC and not _is_variable(token):
        raise ExpressionError(f"{token[:40]!r} is not of propositional logic", remedy=_REMEDY)
    return LOGIC.get(token, 0)


def _is_variable(token: str) -> bool:
    return len(token) == 1 and token.isascii() and token.islower()


class _Reader:
    """By precedence, with stacks of its own: no input is too deep for it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.done: list[Tree] = []
        self.waiting: list[tuple[str, int]] = []

    def read(self) -> Tree:
        operand = True  # whether one is expected
        for match in _TOKEN.finditer(self.text):
            word, at = match.group(), match.start()
            if word.isspace():
                continue
            name = _SPELLINGS.get(word, word)
            if operand and (name == "not" or word == "("):
                self.waiting.append((name, at))
            elif operand and (_is_variable(name) or name in ("true", "false")):
                self.done.append(Tree(name))
                operand = False
            elif not operand and word == ")":
                self.reduce(0)
                if not self.waiting:
                    self.fail("')' closes nothing", at)
                self.waiting.pop()
            elif not operand and LOGIC.get(name) == 2:
                self.reduce(_BINDING[name] + (name == _RIGHT))
                self.waiting.append((name, at))
                operand = True
            else:
                self.fail(f"{word[:40]!r} cannot stand here", at)
        if operand:
            self.fail(
                "the formula ends too early" if self.text.strip() else "the formula is empty", len(self.text)
            )
        self.reduce(0)
        if self.waiting:
            self.fail("'(' is never closed", self.waiting[-1][1])
        (tree,) = self.done
        if len(tree) > MAX_NODES or tree.depth > MAX_DEPTH:
            self.fail("the formula is too large", 0)
        return tree

    def reduce(self, binding: int) -> None:
        while self.waiting and self.waiting[-1][0] != "(" and _BINDING[self.waiting[-1][0]] >= binding:
            name = self.waiting.pop()[0]
            last = self.done.pop()
            self.done.append(Tree(name, (last,) if name == "not" else (self.done.pop(), last)))

    def fail(self, what: str, at: int) -> None:
        raise ExpressionError(
            f"{what} (character {at + 1})", text=self.text[:200], position=at, remedy=_REMEDY
        )


def _written(tree: Tree, signs: Mapping[str, str]) -> str:
    stack: list[tuple[str, int]] = []
    for node in reversed(list(tree)):
        parts = [stack.pop() for _ in node.children]
        sign, binding = signs.get(node.label, node.label), _BINDING.get(node.label, 9)
        if len(parts) == 1:
            gap = " " if sign.startswith("\\") else ""
            text = sign + gap + _bracketed(parts[0], binding)
        elif parts:
            sides = binding + (node.label == _RIGHT), binding + (node.label != _RIGHT)
            left, right = (_bracketed(part, side) for part, side in zip(parts, sides, strict=True))
            text = f"{left} {sign} {right}"
        else:
            text = sign
        stack.append((text, binding))
    return stack[0][0]


def _bracketed(part: tuple[str, int], binding: int) -> str:
    return part[0] if part[1] >= binding else f"({part[0]})"


def logic_row(tree: Tree) -> dict[str, Any]:
    return {
        "prefix": " ".join(tree.labels()),
        "infix": _written(tree, _ASCII),
        "unicode": _written(tree, _UNICODE),
        "latex": _written(tree, _LATEX),
        "tokens": len(tree),
    }
