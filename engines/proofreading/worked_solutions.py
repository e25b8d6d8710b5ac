"""Calculations in the words of a worked solution: `48/2 = 24`, `<<48/2=24>>`, `left = boxes - 7 = 53`.

Formulas between dollar signs are chains of `chains`. A solution of a word problem, by a person or a language
model, calculates in its words instead: those calculations are found here, read by the reader of equations and
evaluated exactly. What could also be meant otherwise is not judged.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from engines.core.errors import ExpressionError
from engines.core.tree import Tree
from engines.documents.reading import Document
from engines.formula.equations import read_equation
from engines.proofreading.chains import ChainLink
from engines.proofreading.link_verdicts import LinkOutcome, LinkVerdict

_TokenKind = Literal["number", "word", "sign", "equal", "open", "close", "mark", "other"]
_TOKEN = re.compile(
    r"(?P<number>\d*[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒]|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+|\.\d+|\d+)"
    r"|(?P<word>[A-Za-z][A-Za-z0-9_]*(?:-[A-Za-z][A-Za-z0-9_]*)*|[^\W\d_]+)"
    r"|(?P<sign>\*\*|[-+*/^×÷·−–∗⋅])"
    r"|(?P<equal>=+|≈)"
    r"|(?P<open>[(\[])|(?P<close>[)\]])"
    r"|(?P<mark>[$€£%])"
    r"|(?P<other>\S)"
)
_ANNOTATION = re.compile(r"<<([^<>=]+)=([^<>=]+)>>")
_LARGEST_POWER = 64
_MOST_BRIDGED = 3
"""Words that may name what a number counts, between it and the next sign."""
_CHANGE_BEFORE = frozenset(
    {
        *("half", "twice", "double", "triple", "thrice", "times", "plus", "minus", "from", "than"),
        *("percent", "another", "more", "less", "quarter", "third", "remaining", "over", "per", "x"),
    }
)
"""Words before a calculation that belong to it, so that its first side is not whole."""
_PARTS = frozenset(
    {
        *("half", "third", "thirds", "quarter", "quarters", "fourth", "fifth", "tenth", "percent"),
        *("divided", "multiplied"),
    }
)
"""Words that with `of` or `by` make a calculation of what follows, as numbers do."""
_CHANGE_AFTER = frozenset(
    {
        *("of", "plus", "minus", "divided", "multiplied", "thousand", "million"),
        *("billion", "trillion", "hundred", "dozen", "percent", "cents", "half", "halves", "thirds"),
        *("quarters", "squared", "cubed", "r", "remainder", "rem", "x"),
    }
)
"""Words behind a calculation that change its last number."""


class _Token(NamedTuple):
    kind: str
    text: str
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Calculation:
    """A link between two sides of a calculation.

    Args:
        left, right: As they are written.
        line, piece: Where it stands in its document.
        outcome: Right, wrong, or not shown where it may be meant otherwise.
        reason: Why; of a wrong one what is right.
    """

    left: str
    right: str
    line: int
    outcome: LinkOutcome
    reason: str = ""
    piece: int = 0


@dataclass(slots=True)
class _Side:
    """A side of a calculation: its text, and what stands for it in the reader; units by number."""

    text: str
    plain: str
    units: list[str] = field(default_factory=list)
    percents: int = 0
    is_named: bool = False
    tree: Tree | None = None
    value: Fraction | None = None


def find_calculations(document: Document) -> list[Calculation]:
    """Return the calculations in the words of a document, in their order, each with its verdict.

    >>> from engines.documents.reading import TextPiece
    >>> text = "She sold 48/2 = <<48/2=25>>25 clips in May.\\nIn all 25 + 48 = 73."
    >>> found = find_calculations(Document("a", (TextPiece(text, 1),)))
    >>> [(one.left, one.outcome, one.reason) for one in found]
    [('48/2', 'wrong', 'it is 24'), ('25 + 48', 'right', '')]
    """
    known: dict[str, Fraction] = {}
    return [
        replace(calculation, piece=index)
        for index, piece in enumerate(document.pieces)
        if not piece.formula and not piece.said
        for number, line in enumerate(piece.text.split("\n"))
        for calculation in _find_in_line(line, piece.line + number, known)
    ]


def with_calculations(document: Document, judged: Sequence[LinkVerdict]) -> list[LinkVerdict]:
    """Return the links of a document with those of the calculations in its words, in the order of lines."""
    chain = max((each.link.chain_index for each in judged), default=-1)
    calculations = [
        LinkVerdict(
            ChainLink(
                one.left, "=", one.right, one.line, "", chain_index=chain + number, piece_index=one.piece
            ),
            one.outcome,
            one.reason,
            "claim",
        )
        for number, one in enumerate(find_calculations(document), start=1)
    ]
    return (
        sorted([*judged, *calculations], key=lambda each: (each.link.line, each.link.piece_index))
        if calculations
        else [*judged]
    )


def find_first_wrong(links: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return the first wrong step of a text, by its number among the links, or None.

    Args:
        links: The links of the text in their order, as rows with line, sides, verdict and reason.
    """
    for step, link in enumerate(links, start=1):
        if link["verdict"] == "wrong":
            text = " ".join(f"{link['left']} {link['relation']} {link['right']}".split())
            return {"step": step, "line": link["line"], "text": text, "reason": link["reason"]}
    return None


def _find_in_line(line: str, number: int, known: dict[str, Fraction]) -> Iterator[Calculation]:
    seen = set()
    for match in _ANNOTATION.finditer(line):
        sides = [_read_side(_list_tokens(text), text, known) for text in match.groups()]
        seen.add((_squeeze(sides[0].plain), sides[1].value))
        yield _judge_link(sides[0], sides[1], number)
    plain = _ANNOTATION.sub("", line)
    tokens = _list_tokens(plain)
    name, tokens = _take_name(tokens)
    last: Fraction | None = None
    for sides in _find_chains(plain, tokens, known):
        for index, (left, right) in enumerate(pairwise(sides)):
            # A first number may count what follows, `1 gallon = 4 * 2 pints`.
            if not (_calculates(left) or (index and _calculates(right))):
                continue
            if (_squeeze(left.plain), right.value) not in seen:
                yield _judge_link(left, right, number)
        last = sides[-1].value
    if name:
        if last is None:
            known.pop(name, None)
        else:
            known[name] = last


def _squeeze(text: str) -> str:
    return text.replace(" ", "")


def _list_tokens(text: str) -> list[_Token]:
    tokens = [
        _Token(match.lastgroup or "other", match[0], match.start(), match.end())
        for match in _TOKEN.finditer(text)
    ]
    # An x between numbers is a sign of multiplication.
    for at in range(1, len(tokens) - 1):
        before, here, after = tokens[at - 1 : at + 2]
        if here.text in ("x", "X") and before.kind in ("number", "close") and after.kind in _BEGIN:
            tokens[at] = here._replace(kind="sign", text="*")
    return tokens


_BEGIN = ("number", "open", "mark")


def _take_name(tokens: list[_Token]) -> tuple[str, list[_Token]]:
    """Return the name that a line of a program gives, and the tokens behind it."""
    if len(tokens) > 2 and tokens[0].kind == "word" and tokens[1].text == "=" and len(tokens[0].text) > 1:
        return tokens[0].text, tokens[2:]
    return "", tokens


def _find_chains(line: str, tokens: Sequence[_Token], known: Mapping[str, Fraction]) -> Iterator[list[_Side]]:
    """Yield the sides of every chain of calculations in a line; of each only what is whole."""
    at = 0
    while at < len(tokens):
        end = _run_end(tokens, at, known)
        if end == at:
            at += 1
            continue
        sides = _split_sides(line, tokens[at:end], known)
        first, last = 0, len(sides)
        if _is_cut_before(tokens, at):
            first += 1
        if last > first and _is_cut_after(tokens, end):
            last -= 1
        # Where a side cannot be read the chain begins anew.
        chain: list[_Side] = []
        for side in sides[first:last]:
            if side.value is None:
                if chain:
                    yield chain
                chain = []
            else:
                chain.append(side)
        if chain:
            yield chain
        at = end


def _run_end(tokens: Sequence[_Token], at: int, known: Mapping[str, Fraction]) -> int:
    """Return where a run of numbers, signs and known names ends; words that name what a number counts are
    bridged."""
    end = at
    while end < len(tokens):
        token = tokens[end]
        if end > at and _is_rate(tokens, end):
            end += 2
            continue
        if token.kind in ("number", "sign", "equal", "open", "close", "mark") or token.text in known:
            end += 1
            continue
        if token.kind == "word" and end > at and tokens[end - 1].kind in ("number", "mark"):
            bridge = end
            while (
                bridge < len(tokens)
                and tokens[bridge].kind == "word"
                and bridge - end < _MOST_BRIDGED
                and tokens[bridge].text.replace("-", "").isalpha()
                and not _is_letter(tokens[bridge].text)
                and tokens[bridge].text.lower() not in _CHANGE_AFTER
            ):
                bridge += 1
            if end < bridge < len(tokens) and tokens[bridge].kind in ("sign", "equal"):
                end = bridge
                continue
        break
    return end


def _is_rate(tokens: Sequence[_Token], at: int) -> bool:
    """Return whether `/hour` stands there."""
    slash, *rest = tokens[at : at + 2]
    return slash.text == "/" and bool(rest) and rest[0].kind == "word" and rest[0].begin == slash.end


def _split_sides(line: str, run: Sequence[_Token], known: Mapping[str, Fraction]) -> list[_Side]:
    parts: list[list[_Token]] = [[]]
    for token in run:
        if token.kind == "equal":
            parts.append([])
        else:
            parts[-1].append(token)
    return [_read_side(part, line[part[0].begin : part[-1].end] if part else "", known) for part in parts]


def _read_side(tokens: Sequence[_Token], text: str, known: Mapping[str, Fraction]) -> _Side:
    """Read a side; its value is None where it is no calculation of known numbers."""
    words: list[str] = []
    side = _Side(text, "")
    for at, token in enumerate(tokens):
        if _is_rate(tokens, at) or (at and _is_rate(tokens, at - 1)):
            continue
        if token.kind == "number" or token.text in known:
            words.append(token.text.replace(",", ""))
            side.units.append("")
        elif token.kind == "word":
            if side.units:
                side.units[-1] = token.text.lower().rstrip("s")
        elif token.text == "%" and words:
            side.percents += 1
            words[-1] = f"({words[-1]} / 100)"
        elif token.kind != "mark":
            words.append({"[": "(", "]": ")"}.get(token.text, token.text))
    side.plain = " ".join(words)
    side.is_named = side.plain in known
    if tokens and tokens[0].kind == "sign" and tokens[0].text not in ("-", "−", "–"):
        return side
    # Two numbers beside each other are a mixed one, or none.
    for one, other in pairwise(tokens):
        if (one.kind in ("number", "close") or one.text == "%") and other.kind in ("number", "open"):
            return side

    try:
        side.tree = read_equation(
            side.plain, lambda written: Tree(str(_read_number(written))), lambda name: Tree(str(known[name]))
        )
        side.value = _evaluate(side.tree)
    except (ExpressionError, ValueError, KeyError, ArithmeticError):
        side.tree = side.value = None
    return side


def _read_number(written: str) -> Fraction:
    if written[-1].isascii():
        return Fraction(written.strip("()"))
    # A fraction that is one character, perhaps behind a whole number.
    return Fraction(written[:-1] or 0) + Fraction(unicodedata.numeric(written[-1])).limit_denominator(10)


def _evaluate(tree: Tree) -> Fraction:
    if not tree.children:
        return Fraction(tree.label.removeprefix("C_"))
    left, right = map(_evaluate, tree.children)
    match tree.label:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return left / right
    if right.denominator != 1 or abs(right) > _LARGEST_POWER:
        raise ArithmeticError("the power is no rational number, or too large")
    return Fraction(left ** int(right))


def _calculates(side: _Side) -> bool:
    return side.is_named or (side.tree is not None and bool(side.tree.children) and len(side.units) > 1)


def _is_cut_before(tokens: Sequence[_Token], at: int) -> bool:
    """Return whether what stands before a run belongs to its first side."""
    here = tokens[at]
    if at == 0:
        return False
    before = tokens[at - 1]
    touches = before.end == here.begin
    if before.kind == "word":
        if before.text.lower() in ("of", "by") and at > 1:
            part = tokens[at - 2]
            return part.kind in ("number", "mark", "close") or part.text.lower() in _PARTS
        # `f(3)`, `x2`; and a minus behind a word subtracts from it.
        return (
            (touches and before.text.isascii())
            or here.kind == "sign"
            or before.text.lower() in _CHANGE_BEFORE
        )
    return touches and before.text in ":.,_\\^{}~|" and here.kind in ("number", "sign")


def _is_cut_after(tokens: Sequence[_Token], end: int) -> bool:
    """Return whether what stands behind a run belongs to its last side."""
    if end == len(tokens):
        return False
    after = tokens[end]
    touches = tokens[end - 1].end == after.begin
    if after.kind == "word":
        if after.text.lower() in _CHANGE_AFTER or _is_letter(after.text):
            return True
        if after.text.lower() == "times" and end + 1 < len(tokens) and tokens[end + 1].kind in _BEGIN:
            return True
        # `3 apples + 4`: the calculation goes on behind its unit.
        beyond = end
        while beyond < len(tokens) and tokens[beyond].kind == "word":
            beyond += 1
        return beyond < len(tokens) and tokens[beyond].kind in ("sign", "equal")
    follows = end + 1 < len(tokens) and tokens[end + 1].begin == after.end
    return touches and follows and after.text in ":_\\^{}~|!"


def _is_letter(word: str) -> bool:
    return len(word) == 1 and word.isascii() and word not in ("a", "A", "I")


def _judge_link(left: _Side, right: _Side, line: int) -> Calculation:
    def say(outcome: LinkOutcome, reason: str = "") -> Calculation:
        return Calculation(left.text.strip(), right.text.strip(), line, outcome, reason)

    if left.value is None or right.value is None:
        return say("not shown", "a side cannot be read")
    left_value, right_value = left.value, right.value
    if left_value == right_value:
        return say("right")
    correct = f"it is {format_value(left_value if _calculates(left) else right_value)}"
    if _is_rounded(left_value, right.plain):
        return say("right", f"rounded: {correct}")
    # A percentage is rounded to its own digits: 1/3 = 33%.
    share = right.text.strip().removesuffix("%").strip() if right.percents == len(right.units) == 1 else ""
    if share and _is_rounded(100 * left_value, share, least=0):
        return say("right", f"rounded: {correct}")
    # 100 - 20 = 80%, 30/60 * 100 = 50%, 50% + 25% = 75: the sign is left out.
    if share and not left.percents and 100 * right_value == left_value:
        plain = _adds(left) or "100" in left.plain.split()
        return say("right") if plain else say("not shown", f"{_PERCENTAGES}: {correct}")
    shares = _adds(left) and left.percents == len(left.units)
    plain = (shares or "100%" in left.text) and not right.percents
    if plain and (100 * left_value == right_value or _is_rounded(100 * left_value, right.plain)):
        return say("right")
    if _adds(left) and 0 < left.percents < len(left.units):  # 100 - 20%: of what?
        return say("not shown", f"{_PERCENTAGES}: {correct}")
    if (
        ("/" in left.text or "÷" in left.text)
        and abs(left_value - right_value) < 1
        and right_value.denominator == 1
    ):
        return say("not shown", f"a division can leave a remainder: {correct}")
    units = {*left.units, *right.units} - {""}
    if _adds(left) and (len(units) > 1 or (units and "" in left.units)):
        return say("not shown", f"the units differ: {correct}")
    if right.tree is not None and right.tree.children and _first_number(right.tree) == left_value:
        return say("not shown", "the calculation goes on from the result")
    return say("wrong", correct)


_PERCENTAGES = "percentages can be meant in several ways"


def _adds(side: _Side) -> bool:
    return side.tree is not None and not {"+", "-"}.isdisjoint(side.tree.list_labels())


def _is_rounded(value: Fraction, written: str, least: int = 1) -> bool:
    """Return whether a number with so many decimals at least is a value rounded to them, or cut off behind
    several."""
    sign, digits = (-1, written.removeprefix("- ")) if written.startswith("- ") else (1, written)
    whole, _, decimals = digits.partition(".")
    if len(decimals) < least or not (whole + decimals).isdecimal():
        return False
    # In units of the last digit. One decimal is rounded and not cut off: 1.99 * 3 is not 5.9.
    apart = (sign * value - Fraction(digits)) * 10 ** len(decimals)
    return 2 * abs(apart) <= 1 or (len(decimals) != 1 and 0 < apart < 1)


def _first_number(tree: Tree) -> Fraction:
    while tree.children:
        tree = tree.children[0]
    return _evaluate(tree)


def format_value(value: Fraction) -> str:
    """Return a value for people: whole, as a decimal where that ends soon, else rounded.

    >>> [format_value(Fraction(one)) for one in ("24", "1/4", "10/3")]
    ['24', '0.25', '3.33333']
    """
    return str(value.numerator) if value.denominator == 1 else f"{float(value):.6g}"
