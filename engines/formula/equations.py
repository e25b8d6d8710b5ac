"""The dialect of word problems: equations over placeholders `N_0`, constants `C_1` and numbers.

It is plain text. Signs may be those of print (× ÷ − and any brackets), a sign may stand before an operand,
and % or a unit in brackets behind it: `11 (day) * 24 (hour/day)`. Where there are unknowns, neighbours are
multiplied: `2x`, `3(x+1)`, `(x-5)(y+3)`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NoReturn

from engines.core.errors import ExpressionError
from engines.core.tree import MAX_DEPTH, MAX_NODES, Tree
from engines.formula.infix import POWER, PRODUCT, SUM, InfixReader, InfixToken

# Signs of print that stand for those of a keyboard: full-width brackets, dashes, crosses and colons.
_PRINTED = str.maketrans("×✕✖∗⋅·÷∶：:−–—－＋（［【〔[{｛）］】〕]}｝", "******////----+(((((((" + ")" * 7)
_TOKEN = re.compile(
    r"\s*(?:(?P<leaf>N_\d+|C_\d+(?:[._]\d+)?"
    r"|\d*\(\d+/\d+\)|\d+又(?:\(\d+/\d+\)|\d+/\d+)|\d+ +\d+/\d+|\d*[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒]"
    r"|(?:\d[\d,]*\.?\d*|\.\d+)(?:\s*[%‰])?)"
    r"|(?P<sign>\*\*|[-+*/^()%]))"
)
_NEGATIVE = "~"
"""A minus before an operand, until it is taken into the sums."""


_NAME = re.compile(r"\s*([^\W\d_](?:[^\W_]|_(?=\w))*)")
"""An unknown: a letter or a word."""
_LONGEST_FACTOR = 2
"""Letters of a name that is multiplied with what stands before it: `2xy`."""
_UNIT = re.compile(r"(?:\s+|(?=\([^\W\d_]{2}))\(\s*[^\W\d_]+\.?(?:[ /][^\W\d_]+\.?)*\s*\)")
"""A unit behind an operand, which does not take part: ` (hour/day)`."""


def read_equation(
    text: str, leaf: Callable[[str], Tree], unknown: Callable[[str], Tree] | None = None
) -> Tree:
    """Read the right side of an equation; `+ -` bind least, `^` most and from the right.

    A minus before an operand is taken into the sums: -a+b is b-a.

    Args:
        text: one side of an equation.
        leaf: makes the tree of a number or placeholder as it is written.
        unknown: makes the tree of a letter or word; without it there may be none.

    Raises:
        ExpressionError: with the character that cannot be read; and what `leaf` raises.

    >>> read_equation("-N_0+N_1×2**N_2", Tree).list_labels()
    ['-', '*', 'N_1', '^', '2', 'N_2', 'N_0']
    >>> read_equation("3(x+1)", Tree, Tree).list_labels()
    ['*', '3', '+', 'x', '1']
    """
    reader = _EquationReader(text.translate(_PRINTED), leaf, unknown)
    below, tree = _without_minus(reader.read_text())
    return _negate(tree) if below else tree


def _tokens_of(text: str, *, unknowns: bool) -> list[InfixToken]:
    result: list[InfixToken] = []
    at = 0
    while text[at:].strip():
        operand_before = bool(result) and (result[-1].kind != "symbol" or result[-1].text in (")", "%"))
        if operand_before and (unit := _UNIT.match(text, at)):
            at = unit.end()
            continue
        match = _TOKEN.match(text, at)
        name = _NAME.match(text, at) if match is None and unknowns else None
        if (match is None and name is None) or len(result) >= MAX_NODES:
            result.append(InfixToken("symbol", "", at))  # refused where it stands
            break
        if unknowns and operand_before and _begins_factor(match, name, result[-1]):
            result.append(InfixToken("symbol", "*", at))
        if name is not None:
            result.append(InfixToken("leaf", name[1], at))
            at = name.end()
            continue
        assert match is not None
        if match["leaf"]:
            result.append(InfixToken("number", match["leaf"], at))
        else:
            result.append(InfixToken("symbol", "^" if match["sign"] == "**" else match["sign"], at))
        at = match.end()
    return [*result, InfixToken("end", "", len(text))]


def _begins_factor(match: re.Match[str] | None, name: re.Match[str] | None, before: InfixToken) -> bool:
    """Return whether an operand stands directly behind another one: a bracket, a letter, or a number behind a
    bracket.

    A word before a bracket is no factor but the name of a function, a word behind a number is a unit.
    """
    if match is None:
        return name is not None and len(name[1]) <= _LONGEST_FACTOR and name[0] == name[1]
    if match["sign"] == "(":
        return before.kind != "leaf" or len(before.text) == 1
    return bool(match["leaf"]) and before.text == ")"


class _EquationReader(InfixReader):
    def __init__(self, text: str, leaf: Callable[[str], Tree], unknown: Callable[[str], Tree] | None) -> None:
        self.leaf, self.unknown = leaf, unknown
        super().__init__(text, _tokens_of(text, unknowns=unknown is not None))

    def raise_error(self, _what: str, position: int, _remedy: str = "") -> NoReturn:
        raise ExpressionError(
            f"the equation {self.text[:80]!r} cannot be read at character {position + 1}",
            text=self.text,
            position=position,
            remedy="Equations are numbers, placeholders, + - * / ^ and brackets.",
        )

    def read_operand(self) -> None:
        while True:
            token = self.tokens[self.at]
            self.at += 1
            if token.kind in ("number", "leaf"):
                make = self.unknown if token.kind == "leaf" and self.unknown else self.leaf
                tree = make(token.text)
                self.push_tree(tree, tree.depth)
                return
            if token.text == "(":
                self.open_bracket(token)
            elif token.text == "-":
                self.read_minus(token)
            elif token.text != "+":
                self.raise_error("", token.position)

    def read_operator(self) -> bool:
        token = self.tokens[self.at]
        if token.text in ("+", "-"):
            return self.read_infix(token, token.text, SUM)
        if token.text in ("*", "/"):
            return self.read_infix(token, token.text, PRODUCT)
        if token.text == "^":
            return self.read_infix(token, "^", POWER)
        if token.text == "%":
            # A percent sign is a postfix division by 100, so it binds to the last operand alone.
            self.at += 1
            self.build_operation("/", self.done.pop(), (self.leaf("C_100"), 1))
        elif token.text == ")":
            self.close_bracket(token)
        elif token.kind != "end":
            self.raise_error("", token.position)
        return False

    def negate_operand(self, operand: tuple[Tree, int]) -> None:
        self.build_operation(_NEGATIVE, operand)

    def push_tree(self, tree: Tree, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise ExpressionError(f"the equation is nested more than {MAX_DEPTH} deep")
        self.done.append((tree, depth))


def _negate(tree: Tree) -> Tree:
    return Tree("-", (Tree("C_0"), tree))


def _without_minus(tree: Tree) -> tuple[bool, Tree]:
    """Return whether an equation has a minus before it, and the rest."""
    if not tree.children:
        return False, tree
    parts = [_without_minus(child) for child in tree.children]
    left_below, left = parts[0]
    if tree.label == _NEGATIVE:
        return not left_below, left
    right_below, right = parts[1]
    if tree.label == "^":
        return False, Tree("^", tuple(_negate(part) if below else part for below, part in parts))
    if tree.label in "*/":
        return left_below != right_below, Tree(tree.label, (left, right))
    right_below ^= tree.label == "-"
    if left_below == right_below:
        return left_below, Tree("+", (left, right))
    return False, Tree("-", (right, left) if left_below else (left, right))
