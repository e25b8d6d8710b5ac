"""Rules of a user's own: read from our TOML, lines `left -> right` and tables, classified, and recorded for
growing e-graphs and deriving.

A line holds both sides in infix notation with single letters as variables, as s-expressions with variables
like `a` or `?a`, or in prefix notation with variables like `?a`; what stands before a colon is its name.
A table has tab-separated columns `name`, `group`, `left`, `right`. A variable stands for any real number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path
from string import ascii_lowercase
from typing import Any, Literal

import numpy as np
from flint import arb, ctx, fmpq

from engines.core.errors import DataError, EngineError, ExpressionError
from engines.core.expression_language import ARITY, LETTERS, is_constant_token, to_prefix, variables_of
from engines.core.rows import read_lines
from engines.core.tree import Tree
from engines.egen.rules.rule_check import check_rules
from engines.egen.rules.table import Effect, Rule, load_rules, parse_families, read_pattern
from engines.formula.infix import read_infix
from engines.mathematics.numbers.precise import BallValue
from engines.mathematics.verification.enclosures import value_at

EXTRA = {
    **dict.fromkeys(("cbrt", "erf", "erfc"), 1),
    **dict.fromkeys(("fmin", "fmax", "remainder", "copysign", "atan2", "sound-log"), 2),
    **dict.fromkeys(("sound-/", "sound-pow"), 3),
}
"""Operators that s-expressions may have beyond the language, with their operands. The last operand of a
`sound-` one is its value where the plain one has none."""
_NAMED = {"PI": "pi", "E": "e", "pi": "pi", "e": "e"}
_RENAMED = {"fabs": "abs", "log": "ln"}
_SYMBOLS = {
    **{name: arity for name, arity in ARITY.items() if arity and name not in ("d", "log")},
    **EXTRA,
    **dict.fromkeys(("neg", "exp", "fabs", "log"), 1),
    **dict.fromkeys(("PI", "E"), 0),
}
_OPENED = re.compile(r"\s*\(\s*([^\s()]+)[\s)]")
_FRACTION = re.compile(r"-?\d+/\d+\Z")
_WORD = re.compile(r"\(|\)|[^\s()]+")
_VARIABLE = re.compile(r"[a-z]\w*\Z")


@dataclass(frozen=True, slots=True)
class ForeignRule:
    """A rule of a file; its variables are leaves that are neither numbers nor constants."""

    line: int
    name: str
    group: str
    left: Tree
    right: Tree


@dataclass(frozen=True, slots=True)
class Unread:
    """A line of a file that holds no rule that could be read, and why."""

    line: int
    why: str


def read_foreign(path: Path) -> tuple[list[ForeignRule], list[Unread]]:
    """Return the rules of a file and the lines that are none.

    Raises:
        DataError: When the file cannot be read or holds no rule at all.
    """
    rules: list[ForeignRule] = []
    unread: list[Unread] = []
    for line, fields in _read_rows(path):
        try:
            if fields is None:
                raise ExpressionError("there is no `->` between two sides")
            name, group, left, right = fields
            symbolic = _is_symbolic(left) or _is_symbolic(right)
            sides = _read_side(left, symbolic), _read_side(right, symbolic)
            if missing := sorted(variables_of(sides[1]) - variables_of(sides[0])):
                raise ExpressionError(f"the right side has {', '.join(missing)}, the left side has not")
            rules.append(ForeignRule(line, name or f"line {line}", group, *sides))
        except EngineError as error:
            unread.append(Unread(line, error.what))
    if not rules:
        why = f"; line {unread[0].line}: {unread[0].why}" if unread else ""
        raise DataError(
            f"no rule could be read{why}",
            path=path,
            remedy="Write lines like `(a + b)^2 -> a^2 + 2ab + b^2`, or a table with name, left, right.",
        )
    return rules, unread


def _read_rows(path: Path) -> Iterator[tuple[int, tuple[str, str, str, str] | None]]:
    columns: list[str] = []
    for number, text in read_lines(path):
        if not text.strip() or text.startswith("#"):
            continue
        if "\t" in text:
            cells = text.split("\t")
            if not columns:
                columns = [cell.strip().lower() for cell in cells]
                if not {"left", "right"} <= set(columns):
                    raise DataError(
                        "the table has no columns `left` and `right`",
                        path=path,
                        line=number,
                        remedy="The first line names the columns; two are left and right.",
                    )
                continue
            row = dict(zip(columns, cells, strict=False))
            yield (
                number,
                (row.get("name", ""), row.get("group", ""), row.get("left", ""), row.get("right", "")),
            )
            continue
        # `name: left -> right`; the name may be missing.
        head, arrow, right = text.partition("->")
        name, colon, left = head.rpartition(":")
        yield number, (name.strip(), "", left if colon else head, right) if arrow else None


def _read_side(text: str, symbolic: bool) -> Tree:
    text = text.strip()
    if not text:
        raise ExpressionError("a side is empty")
    if symbolic:
        tree = _Symbolic(text).read_side()
    elif "?" in text:
        tree = read_pattern(text)
    else:
        tree = read_infix(text, LETTERS)
    if any(node.label == "d" for node in tree if node.children):
        raise ExpressionError("rules on derivatives can only be checked in our own format")
    return tree


def _is_symbolic(text: str) -> bool:
    match = _OPENED.match(text)
    return match is not None and match[1] in _SYMBOLS


class _Symbolic:
    def __init__(self, text: str) -> None:
        self.words = _WORD.findall(text)
        self.at = 0

    def read_side(self) -> Tree:
        tree = self.read_term()
        if self.at < len(self.words):
            raise ExpressionError(f"{self.words[self.at]!r} follows the end of the expression")
        return tree

    def next_token(self) -> str:
        if self.at >= len(self.words):
            raise ExpressionError("a bracket is not closed")
        self.at += 1
        return self.words[self.at - 1]

    def read_term(self) -> Tree:
        word = self.next_token()
        if word != "(":
            return _read_leaf(word)
        name = self.next_token()
        parts: list[Tree] = []
        while self.words[self.at : self.at + 1] != [")"]:
            parts.append(self.read_term())
        self.next_token()
        if not parts:
            return _read_leaf(name)
        if _SYMBOLS.get(name) != len(parts):
            wanted = _SYMBOLS.get(name)
            what = f"takes {wanted} operands" if wanted else "is not a known operator or function"
            raise ExpressionError(f"{name[:40]!r} {what}")
        if name == "neg":
            return Tree("*", (Tree("-1"), *parts))
        return (
            Tree("pow", (Tree("e"), *parts))
            if name == "exp"
            else Tree(_RENAMED.get(name, name), tuple(parts))
        )


def _read_leaf(word: str) -> Tree:
    word = word.removeprefix("?")
    if word in _NAMED:
        return Tree(_NAMED[word])
    if _FRACTION.match(word):
        return Tree("/", tuple(map(Tree, word.split("/"))))
    if is_constant_token(word) or _VARIABLE.match(word):
        return Tree(word)
    raise ExpressionError(f"{word[:40]!r} is not a number, constant or variable")


# What a rule of several real variables does to values and domains, by rigorous bounds at many points.
#
# Points are drawn in general position, from several ranges for each variable, some with one variable far out,
# and besides from special values (0, 1, -1, 2, 1/2 ...). Both sides are balls of Arb at each. The class is
# found on the points in general position, since single values count no more than isolated points do
# elsewhere; what happens at special ones only is named beside it. A different value is one wherever it is.
# This looks for counterexamples; it is no proof.

Class = Literal["equal", "widening", "losing", "false", "undecided"]
"""`equal`: the same values, defined at the same points up to single values. `widening`: the right side is
also defined where the left is not. `losing`: undefined where the left has a value. `false`: different values
somewhere. `undecided`: too few points where both sides have a value."""
# The precision of an evaluation, and the bits in which both sides have to agree at a point.
_BITS = 192
_SURE_BITS = 48
_GENERAL, _FAR, _SPECIAL = 160, 32, 120
"""So many points; far ones for each variable."""
_FEWEST = 8
_FAR_POWERS = (1.5, 8)
"""Far out are values between these powers of ten, of either sign."""
# Small and large numbers of both signs, and ranges in which inverse functions are defined.
_RANGES = ((0, 1), (-1, 1), (0, 5), (-5, 5), (1, 30), (-30, 30), (1, 2))
_EXACT = [Fraction(text) for text in ("0", "1", "-1", "2", "-2", "3", "-3", "1/2", "-1/2", "1/3", "4")]
_FEW = [Fraction(text) for text in ("0", "1", "-1", "2", "1/2")]

Point = Mapping[str, Fraction]


@dataclass(frozen=True, slots=True)
class Difference:
    """A point where two sides part: the variables and both values, None where undefined."""

    binding: dict[str, float]
    left: float | None
    right: float | None


@dataclass(frozen=True, slots=True)
class ClassifiedRule:
    """What a rule was found to do.

    `points` counts those where both sides have the same value; `except_at` is how it differs at single values
    only (widening, losing, or both), and is empty if it does not.
    """

    rule: ForeignRule
    effect: Class
    points: int
    difference: Difference | None = None
    except_at: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the rule and its class as a row of JSON."""
        return {
            "line": self.rule.line,
            "name": self.rule.name,
            "group": self.rule.group,
            "left": to_prefix(self.rule.left),
            "right": to_prefix(self.rule.right),
            "class": self.effect,
            "except_at_single_values": self.except_at,
            "points": self.points,
            "counterexample": self.difference and asdict(self.difference),
        }


def classify_rule(rule: ForeignRule) -> ClassifiedRule:
    """Find what a rule does."""
    names = sorted(variables_of(rule.left))
    seen: dict[str, Difference] = {}
    agreed = 0
    # The precision has to show differences that rounding in double precision would hide.
    with ctx.workprec(_BITS):
        for general, point in _sample_points(names):
            values = {name: arb(fmpq(c.numerator, c.denominator)) for name, c in point.items()}
            left, right = value_at(rule.left, values), value_at(rule.right, values)
            kind = _compare_values(left, right)
            if kind == "agree":
                agreed += 1
            elif kind:
                key = kind if general or kind == "false" else f"{kind} at single values"
                sides = (None if side is None else float(side) for side in (left, right))
                seen.setdefault(key, Difference({name: float(c) for name, c in point.items()}, *sides))
    effect: Class = "equal" if agreed >= _FEWEST else "undecided"
    # The worst that was met decides: differing values before lost ones, and these before gained ones.
    for one in ("widening", "losing", "false"):
        if one in seen:
            effect = one
    single = [one for one in ("widening", "losing") if f"{one} at single values" in seen and one not in seen]
    shown = seen.get(effect) or next((seen[f"{one} at single values"] for one in single), None)
    return ClassifiedRule(rule, effect, agreed, shown, " and ".join(single))


def _sample_points(names: Sequence[str]) -> list[tuple[bool, Point]]:
    rng = np.random.default_rng(12)
    result: list[tuple[bool, Point]] = []
    for _ in range(_GENERAL):
        result.append((True, {name: _draw_fraction(rng) for name in names}))
    # Small exact numbers in all combinations, where powers and roots change their domain.
    if 1 < len(names) <= 3:  # such as (-1)^2^(1/2): all together
        result += [
            (False, dict(zip(names, values, strict=True))) for values in product(_FEW, repeat=len(names))
        ]
    # Then exact and random numbers mixed, and at last one variable far out at a time.
    for _ in range(_SPECIAL if names else 0):
        point = {
            name: _draw_fraction(rng) if rng.random() < 0.4 else _EXACT[rng.integers(len(_EXACT))]
            for name in names
        }
        result.append((False, point))
    for far in [name for name in names for _ in range(_FAR)]:
        result.append(
            (True, {name: _draw_far_fraction(rng) if name == far else _draw_fraction(rng) for name in names})
        )
    return result


def _draw_fraction(rng: np.random.Generator) -> Fraction:
    low, high = _RANGES[rng.integers(len(_RANGES))]
    return _to_odd_fraction(rng.uniform(low, high))


def _draw_far_fraction(rng: np.random.Generator) -> Fraction:
    return _to_odd_fraction(rng.choice((-1, 1)) * 10 ** rng.uniform(*_FAR_POWERS))


def _to_odd_fraction(value: float) -> Fraction:
    return Fraction(int(value * 2**20) * 2 + 1, 2**21)


def _compare_values(left: BallValue, right: BallValue) -> str:
    """agree, widening, losing or false; empty where it cannot be told."""
    if left is None or right is None:
        known = right if left is None else left
        if known is None or not known.is_finite():
            return ""
        return "widening" if left is None else "losing"
    if not (left.is_finite() and right.is_finite()):
        return ""
    if not left.overlaps(right):
        return "false"
    size = abs(left).union(abs(right)).max(arb(1))
    return "agree" if (left - right).abs_upper() < size * arb(2) ** -_SURE_BITS else ""


# Checked, for growing and deriving

_CLAIMS: dict[Class, Effect] = {"equal": "sound", "widening": "extends", "losing": "loses"}
_REMEDY = "Fix it or leave it out; `mathwb egen rules FILE --check` checks all of them."


def checked_rules(path: Path) -> str:
    """Return the rules of a file, each checked, as text that `own_rules` reads: what a configuration records.

    Rules of our TOML keep the conditions that they name. Of others, those that lose domain are used in mode
    `common` alone.

    Args:
        path: Our TOML, lines `left -> right`, or a table.

    Raises:
        DataError: For a file without rules, and for a rule that is false, cannot be read or decided, or has
            the name of one of ours.
    """
    if path.suffix == ".toml":
        families = parse_families("\n".join(line for _, line in read_lines(path)), path)
        rules = [rule for family in families for rule in family.rules]
        for check in check_rules(rules):
            if check.problem:
                raise DataError(f"the rule {check.rule.name!r}: {check.problem}", path=path, remedy=_REMEDY)
    else:
        read, unread = read_foreign(path)
        if unread:
            raise DataError(unread[0].why, path=path, line=unread[0].line, remedy=_REMEDY)
        rules = [_make_rule(path, classify_rule(rule)) for rule in read]
    taken = {rule.name for rule in load_rules()}
    for rule in rules:
        if rule.name in taken:
            what = f"the rule {rule.name!r} has the name of another"
            raise DataError(what, path=path, remedy="Give it a name of its own.")
        taken.add(rule.name)
    fields = ("name", "family", "left", "right", "when", "exact", "class")
    rows = [{name: rule.to_dict()[name] for name in fields} for rule in rules]
    return json.dumps(rows, ensure_ascii=False)


def _make_rule(path: Path, classified: ClassifiedRule) -> Rule:
    rule = classified.rule
    if classified.effect not in _CLAIMS:
        what = f"the rule {rule.name!r} is {classified.effect}"
        raise DataError(what, path=path, line=rule.line, remedy=_REMEDY)
    names = dict(
        zip(sorted(variables_of(rule.left)), (f"?{letter}" for letter in ascii_lowercase), strict=False)
    )
    sides = []
    for tree in (rule.left, rule.right):
        for node in tree:
            if node.children and node.label not in ARITY:
                what = f"{node.label!r} is not an operator of expressions"
                raise DataError(what, path=path, line=rule.line, remedy=_REMEDY)
        sides.append(_to_pattern(tree, names))
    claim = _CLAIMS[classified.effect]
    exact = () if claim == "loses" else ((),)
    return Rule(rule.name, rule.group or "own", sides[0], sides[1], (), exact, claim)


def _to_pattern(tree: Tree, names: dict[str, str]) -> Tree:
    if not tree.children:
        return Tree(names.get(tree.label, tree.label))
    return Tree(tree.label, tuple(_to_pattern(child, names) for child in tree.children))
