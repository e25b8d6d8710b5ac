"""Languages of signs: operators before, between and behind their operands, named functions and constants.

A language is the table of its operators. Terms are read in infix, with any spelling of a sign, or in prefix
notation, where operators go by their names; they are written in either, in Unicode and in LaTeX.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from engines.core.errors import ExpressionError
from engines.core.tree import MAX_DEPTH, MAX_NODES, Tree, parse_prefix

if TYPE_CHECKING:
    from engines.formula.reader import Notation

Place = Literal["infix", "prefix", "postfix", "function", "constant"]
# Binds more tightly than any operator of a theory, whose numbers end at 999.
_ATOM = 1_000


@dataclass(frozen=True, slots=True)
class TheorySign:
    """How an operator is written.

    The greater `binds`, the tighter the operator. With `right`, a ∘ b ∘ c is a ∘ (b ∘ c). `also` are further
    spellings that are read; an infix operator spelt "" stands between operands side by side.
    """

    place: Place
    ascii: str
    arity: int
    binds: int = _ATOM
    right: bool = False
    unicode: str = ""
    latex: str = ""
    also: tuple[str, ...] = ()

    @property
    def spellings(self) -> tuple[str, ...]:
        """All spellings that are read as this operator."""
        return tuple(
            dict.fromkeys((self.ascii, self.unicode or self.ascii, self.latex or self.ascii, *self.also))
        )


@dataclass(frozen=True)
class TheorySigns:
    """A language by the names of its operators.

    Args:
        title: In errors.
        letters: Of variables, as a character class.
        remedy: An example.
    """

    table: Mapping[str, TheorySign]
    title: str
    letters: str = "a-ce-zA-Z"
    remedy: str = ""

    @cached_property
    def arity(self) -> dict[str, int]:
        """The number of operands of each operator."""
        return {name: sign.arity for name, sign in self.table.items()}

    @cached_property
    def _spelt(self) -> dict[str, list[str]]:
        """The operators of each spelling: `-` may stand before one operand and between two."""
        result: dict[str, list[str]] = {}
        beside = any("" in sign.also for sign in self.table.values())
        for name, sign in self.table.items():
            # Letters side by side are variables there: awesome is no awe+, of the operator `some`.
            for spelling in sign.spellings if beside else (*sign.spellings, name):
                if name not in result.setdefault(spelling, []):
                    result[spelling].append(name)
        return result

    @cached_property
    def _token(self) -> re.Pattern[str]:
        def to_pattern(spelling: str) -> str:
            return re.escape(spelling) + (r"(?![A-Za-z])" if spelling[-1].isalpha() else "")

        known = [
            to_pattern(text) for text in sorted(self._spelt, key=lambda text: (-len(text), text)) if text
        ]
        return re.compile("|".join([r"\s+", *known, self.variable, r"."]), re.DOTALL)

    @property
    def variable(self) -> str:
        """The regular expression of a variable."""
        return rf"[{self.letters}](?:_[0-9]+)?"

    def is_variable(self, token: str) -> bool:
        """Return whether a token is a variable: of the right form and no operator."""
        known = token in self.table or token in self._spelt
        return not known and re.fullmatch(self.variable, token) is not None

    def read_term(self, text: str, notation: Notation = "auto") -> Tree:
        """Return a term in infix or prefix notation; `auto` tries prefix first.

        Raises:
            ExpressionError: With the character position.
        """
        if notation in ("auto", "prefix"):
            try:
                return parse_prefix(text.split(), self._operand_count)
            except ExpressionError:
                if notation == "prefix":
                    raise
        return _Reader(self, text).read_term()

    def _operand_count(self, token: str) -> int:
        if token not in self.table and not self.is_variable(token):
            raise ExpressionError(f"{token[:40]!r} is not of {self.title}", remedy=self.remedy)
        return self.arity.get(token, 0)

    def from_prefix(self, tokens: Sequence[str]) -> Tree:
        """Return a term in prefix notation that this program wrote."""
        return parse_prefix(tokens, lambda token: self.arity.get(token, 0))

    def write_tree(self, tree: Tree, how: Literal["ascii", "unicode", "latex"] = "ascii") -> str:
        """Return a term in infix notation, with brackets only where they are needed."""
        stack: list[tuple[str, int]] = []
        for node in reversed(list(tree)):
            parts = [stack.pop() for _ in node.children]
            sign = self.table.get(node.label)
            if sign is None:
                stack.append((node.label, _ATOM))
                continue
            text = getattr(sign, how) or sign.ascii
            gap = " " if text.startswith("\\") or text.isalpha() else ""
            if sign.place == "infix":
                # An operand that itself is an operation needs brackets unless it binds more tightly; the
                # side on which operators of a kind associate may have the same kind.
                chained = sign.right and node.children[1].label == node.label
                sides = sign.binds + sign.right, sign.binds + (not chained)
                left, right = (_bracket_part(part, side) for part, side in zip(parts, sides, strict=True))
                text = f"{left} {text} {right}"
            elif sign.place == "prefix":
                inner = self.table.get(node.children[0].label)
                behind = inner is not None and inner.place in ("infix", "postfix")
                text = text + gap + _bracket_part(parts[0], sign.binds + behind)
            elif sign.place == "postfix":
                text = _bracket_part(parts[0], sign.binds) + gap + text
            elif sign.place == "function":
                text = f"{text}({', '.join(part for part, _ in parts)})"
            stack.append((text, sign.binds if sign.place in ("infix", "prefix", "postfix") else _ATOM))
        return stack[0][0]

    def to_row(self, tree: Tree) -> dict[str, Any]:
        """Return a term in all notations, as a row of JSON."""
        return {
            "prefix": " ".join(tree.list_labels()),
            "infix": self.write_tree(tree),
            "unicode": self.write_tree(tree, "unicode"),
            "latex": self.write_tree(tree, "latex"),
            "tokens": len(tree),
        }


def _bracket_part(part: tuple[str, int], binding: int) -> str:
    return part[0] if part[1] >= binding else f"({part[0]})"


class _Reader:
    """By precedence, with stacks of its own: no input is too deep for it."""

    def __init__(self, signs: TheorySigns, text: str) -> None:
        self.signs, self.text = signs, text
        self.done: list[Tree] = []
        self.waiting: list[tuple[str, int, int]] = []
        """An operator or bracket, where it is, and how many operands there were before it."""
        self.operand = True  # whether one is expected

    def read_term(self) -> Tree:
        for match in self.signs._token.finditer(self.text):
            if not match.group().isspace():
                self.take_word(match.group(), match.start())
        if self.operand:
            empty = "the formula ends too early" if self.text.strip() else "the formula is empty"
            self.raise_error(empty, len(self.text))
        self.reduce_operators(0)
        if self.waiting:
            self.raise_error("'(' is never closed", self.waiting[-1][1])
        (tree,) = self.done
        if len(tree) > MAX_NODES or tree.depth > MAX_DEPTH:
            self.raise_error("the formula is too large", 0)
        return tree

    def take_word(self, word: str, at: int) -> None:
        positions = {self.signs.table[name].place: name for name in self.signs._spelt.get(word, ())}
        starts = (
            word == "(" or self.signs.is_variable(word) or {"prefix", "function", "constant"} & {*positions}
        )
        # Two operands side by side are joined by the operator whose sign is empty, if there is one.
        if not self.operand and starts and "infix" not in positions and (beside := self.signs._spelt.get("")):
            self.check_between(beside[0], at)
        if self.operand and word == "(":
            self.waiting.append(("(", at, len(self.done)))
        elif self.operand and self.signs.is_variable(word):
            self.done.append(Tree(word))
            self.operand = False
        elif self.operand and (name := positions.get("constant")):
            self.done.append(Tree(name))
            self.operand = False
        elif self.operand and (name := positions.get("prefix") or positions.get("function")):
            self.waiting.append((name, at, len(self.done)))
            function = self.signs.table[name].place == "function"
            if function and not self.text[at + len(word) :].lstrip().startswith("("):
                self.raise_error(f"{word!r} needs brackets around what it is of", at)
        elif not self.operand and (name := positions.get("infix")):
            self.check_between(name, at)
        elif not self.operand and (name := positions.get("postfix")):
            # Operators that bind more tightly than the postfix sign are finished first.
            self.reduce_operators(self.signs.table[name].binds)
            self.done.append(Tree(name, (self.done.pop(),)))
        elif not self.operand and word == "," and self.is_in_function():
            self.operand = True
        elif not self.operand and word == ")":
            self.close_bracket(at)
        else:
            self.raise_error(f"{word[:40]!r} cannot stand here", at)

    def check_between(self, name: str, at: int) -> None:
        sign = self.signs.table[name]
        self.reduce_operators(sign.binds + sign.right)
        self.waiting.append((name, at, len(self.done)))
        self.operand = True

    def is_in_function(self) -> bool:
        """Return whether the innermost open bracket is that of a function; what is in it so far is put
        together.
        """
        self.reduce_operators(0)
        names = [name for name, _, _ in self.waiting[-2:]]
        return len(names) == 2 and names[1] == "(" and self.place_name(names[0]) == "function"

    def close_bracket(self, at: int) -> None:
        function = self.is_in_function()
        if not self.waiting:
            self.raise_error("')' closes nothing", at)
        _, _, before = self.waiting.pop()
        count = len(self.done) - before
        if function:
            name, at, _ = self.waiting.pop()
            if count != (wanted := self.signs.arity[name]):
                self.raise_error(f"{name!r} takes {wanted} and got {count}", at)
            self.done[before:] = [Tree(name, tuple(self.done[before:]))]

    def place_name(self, name: str) -> str:
        return "(" if name == "(" else self.signs.table[name].place

    def reduce_operators(self, binding: int) -> None:
        while self.waiting and self.place_name(self.waiting[-1][0]) in ("infix", "prefix"):
            name = self.waiting[-1][0]
            if self.signs.table[name].binds < binding:
                return
            self.waiting.pop()
            last = self.done.pop()
            one = self.place_name(name) == "prefix"
            self.done.append(Tree(name, (last,) if one else (self.done.pop(), last)))

    def raise_error(self, what: str, at: int) -> None:
        raise ExpressionError(
            f"{what} (character {at + 1})", text=self.text[:200], position=at, remedy=self.signs.remedy
        )


def iterate_names(tree: Tree, language: TheorySigns) -> Iterator[str]:
    """Return the variables of a term."""
    return (node.label for node in tree if node.label not in language.table)


def ac_key(tree: Tree, commuting: Collection[str], associating: Collection[str]) -> str:
    """Return the same for terms that differ in the order of operands and in brackets alone."""
    if not tree.children:
        return tree.label
    parts = [part for child in tree.children for part in _flatten_operands(tree.label, child, associating)]
    keys = [ac_key(part, commuting, associating) for part in parts]
    return f"{tree.label}({','.join(sorted(keys) if tree.label in commuting else keys)})"


def _flatten_operands(label: str, tree: Tree, associating: Collection[str]) -> list[Tree]:
    if label not in associating or tree.label != label:
        return [tree]
    return [part for child in tree.children for part in _flatten_operands(label, child, associating)]
