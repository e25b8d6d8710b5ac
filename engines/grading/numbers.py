"""Numbers as answers have them: in digits, as fractions and mixed numbers, in another base, in words, with a
unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from engines.core.tree import Tree
from engines.grading.tokens import AnswerToken, Phrases, is_blank, skip_blanks, text_at, tokenize
from engines.grading.unit_reader import MeasureUnit, read_unit
from engines.language.numerals import read_numeral


@dataclass(frozen=True, slots=True)
class Term:
    """A formula or number.

    Args:
        text: What was written.
        value: The value of a plain number.
        decimals: How many decimals it is written with.
        unit: Its unit.
        base: The base of its digits.
        shown_digits: How many decimals are written of a number that goes on, as 0.333…
        tree: What the text was read as, if it was.
    """

    text: str
    value: Fraction | None = None
    decimals: int | None = None
    unit: MeasureUnit | None = None
    base: int = 10
    shown_digits: int = 0
    tree: Tree | None = None

    @property
    def significant(self) -> int:
        """How many significant digits a decimal is written with: zeros in front do not count."""
        return len(str(abs(self.value * 10**self.decimals).numerator)) if self.value and self.decimals else 0


_LONGEST = 1_000
"""Characters of a number that is read here."""
_MOST_DIGITS = 400
_TIMES_SIGNS = ("\\times", "\\cdot", "*", "x")
_DOTS = ("…", "\\ldots", "\\cdots", "\\dots")
_MOST_EXPONENT = 999
PARTS = Phrases(dict.fromkeys(("out of", "in", "von", "из", "sur", "su", "de cada", "de entre", "em"), ""))
"""Words between a number and the larger one that it is a part of."""


def plain_number(text: str) -> Term | None:
    r"""Read a text that is one number: `\frac{3}{4}`, `3/4`, `1 1/2`, `10 000`, `204_5`; None for others.

    >>> plain_number(r"1\frac12").value
    Fraction(3, 2)
    """
    digits = text[1:] if text[:1] in ("-", "+") else text
    if digits.isdecimal():
        return Term(text, Fraction(int(text)), 0) if len(digits) <= _MOST_DIGITS else None
    if not text or len(text) > _LONGEST:
        return None
    is_hexadecimal = text.endswith(("_{16}", "_16")) and text[1] in "0123456789ABCDEF"
    if not (text[0].isdecimal() or text[0] in "-+." or text.startswith("\\frac") or is_hexadecimal):
        return None
    return _parse_whole_number(text)


@lru_cache(maxsize=4096)
def _parse_whole_number(text: str) -> Term | None:
    parser = NumberParser(text, tokenize(text))
    number = parser.parse_number()
    return number if number is not None and parser.at == len(parser.tokens) else None


class NumberParser:
    """Parser of a number at a token: digits with what may stand behind them, or a fraction."""

    def __init__(self, text: str, tokens: Sequence[AnswerToken], at: int = 0) -> None:
        self.text = text
        self.tokens = tokens
        self.at = at

    def peek(self, ahead: int = 0) -> str:
        """Return the text of a token; "" at the end."""
        return text_at(self.tokens, self.at + ahead)

    def take(self, *texts: str) -> bool:
        """Take the next token if it is one of some texts."""
        if self.at < len(self.tokens) and self.tokens[self.at].text in texts:
            self.at += 1
            return True
        return False

    def take_digits(self) -> str:
        """Take a run of digits; "" where there is none."""
        if self.at < len(self.tokens) and self.tokens[self.at].kind == "digits":
            self.at += 1
            digits = self.tokens[self.at - 1].text
            return digits if len(digits) <= _MOST_DIGITS else ""
        return ""

    def take_space(self) -> None:
        """Take white space, if it is there."""
        self.at = skip_blanks(self.tokens, self.at)

    def take_sign(self) -> str:
        """Take a sign; "" where there is none."""
        return self.tokens[self.at - 1].text if self.take("-", "+") else ""

    def take_group(self) -> tuple[str, ...] | None:
        """Take what braces hold, without white space; None where there are none."""
        if self.peek() != "{":
            return None
        end = next((at for at in range(self.at, len(self.tokens)) if self.tokens[at].text == "}"), None)
        if end is None:
            return None
        inside = tuple(token.text for token in self.tokens[self.at + 1 : end] if not token.text.isspace())
        self.at = end + 1
        return inside

    def parse_number(self) -> Term | None:
        """Parse the longest number that begins here; None where there is none, or it has no value."""
        first = self.at
        minus = self.peek() == "-"
        signed = self.take("-", "+")
        if signed and self.peek().isspace() and self.peek(1) == "\\frac":
            self.take_space()
        if self.peek() == "\\frac":
            value = self.parse_fraction()
            return None if value is None else self.make_term(first, -value if minus else value)
        start = self.at
        digits = self.take_digits()
        if not digits and self.peek() != ".":
            return self.parse_based(start) if first == start and len(self.peek()) > 1 else None
        return self.parse_tail(first, start, digits, -1 if minus else 1)

    def make_term(self, first: int, value: Fraction, decimals: int | None = None, **more: int) -> Term:
        """Return the number from a token to here."""
        text = self.text[self.tokens[first].start : self.tokens[self.at - 1].end]
        return Term(text, value, decimals, **more)  # type: ignore[arg-type]

    def parse_tail(self, first: int, start: int, digits: str, minus: int) -> Term | None:
        """Parse what stands behind the first digits of a number."""
        if self.peek() == " " and len(digits) < 4 and self.is_group(1):  # 10 000
            while self.peek() == " " and self.is_group(1):
                self.at += 1
                digits += self.take_digits()
        if self.peek() == "." and (self.peek(1).isdecimal() or self.peek(1) in ("\\overline", "(")):
            self.at += 1
            return self.parse_decimals(first, start, digits, minus)
        if not digits:
            return None
        return (
            self.parse_mixed(first, int(digits), minus)
            or self.parse_quotient(first, minus * int(digits))
            or self.parse_scientific(first, minus * Fraction(digits))
            or (self.parse_based(start) if first == start else None)
            or self.make_term(first, Fraction(minus * int(digits)), 0)
        )

    def is_group(self, ahead: int) -> bool:
        """Return whether three digits stand at a later token."""
        at = self.at + ahead
        return at < len(self.tokens) and self.tokens[at].kind == "digits" and len(self.tokens[at].text) == 3

    def parse_decimals(self, first: int, start: int, whole: str, minus: int) -> Term | None:
        r"""Parse decimals, and their period or dots: `16\overline{6}`, `58(3)`, `333…`."""
        decimals = self.take_digits()
        value = minus * Fraction(f"{whole or 0}.{decimals or 0}")
        before = self.at
        period = None
        if self.take("\\overline"):
            self.take_space()
            period = "".join(self.take_group() or (self.take_digits(),))
        elif self.take("("):
            period = self.take_digits()
            period = period if self.take(")") else ""
        if period and period.isdecimal():
            return self.make_term(first, minus * _read_periodic(whole, decimals, period))
        self.at = before
        self.take_space()
        group = self.take_group()
        if (group is not None and group[0:1] and group[0] in _DOTS) or (group is None and self.take(*_DOTS)):
            repeated = _find_period(decimals)
            known = minus * _read_periodic(whole, decimals, repeated) if repeated else None
            sign = "-" if minus < 0 else ""
            return Term(f"{sign}{whole or '0'}.{decimals}", known, shown_digits=len(decimals))
        self.at = before
        if not decimals:
            return None
        return (
            self.parse_scientific(first, value)
            or (self.parse_based(start) if first == start else None)
            or self.make_term(first, value, len(decimals))
        )

    def parse_fraction(self) -> Fraction | None:
        r"""Parse `\frac{3}{4}` or `\frac34`."""
        self.at += 1
        sides: list[int] = []
        while len(sides) < 2:
            self.take_space()
            token = self.tokens[self.at] if self.at < len(self.tokens) else None
            if token is not None and token.kind == "digits" and len(token.text) == 2 and not sides:  # \frac34
                sides = [int(token.text[0]), int(token.text[1])]
                self.at += 1
                break
            written = self.take_group()
            if written is None:
                digit = self.take_digits()
                written = (digit,) if len(digit) == 1 else ()
            number = "".join(written)
            unsigned = number[1:] if not sides and number[:1] in ("-", "+") else number
            if not unsigned.isdecimal() or len(number) > _MOST_DIGITS:
                return None
            sides.append(int(number))
        return Fraction(*sides) if sides[1] else None

    def parse_mixed(self, first: int, whole: int, minus: int) -> Term | None:
        r"""Parse the fraction of a mixed number: `1\frac12`, `1 1/2`."""
        before = self.at
        part: Fraction | None = None
        spaced = self.peek().isspace()
        if self.peek(spaced) == "\\frac":
            self.at += spaced
            above_one = self.at
            part = self.parse_fraction()
            if part is not None and (part >= 1 or text_at(self.tokens, above_one + 2) in ("-", "+")):
                part = None
        elif self.peek() == " " and self.peek(2) == "/":
            self.at += 1
            above, _, below = self.take_digits(), self.take("/"), self.take_digits()
            if above and below and int(above) < int(below):
                part = Fraction(int(above), int(below))
        if part is None:
            self.at = before
            return None
        return self.make_term(first, minus * (whole + part))

    def parse_quotient(self, first: int, above: int) -> Term | None:
        """Parse what a number is divided by, `/4`, or taken out of: `5 out of 36`, `1 in 4`."""
        before = self.at
        self.take_space()
        part = PARTS.match(self.tokens, self.at)
        self.at = self.at if part is None else part[0]
        if part is not None or self.take("/"):
            self.take_space()
            below = int(self.take_digits() or 0)
            if below and (part is None or 0 <= above <= below):
                return self.make_term(first, Fraction(above, below))
        self.at = before
        return None

    def parse_scientific(self, first: int, value: Fraction) -> Term | None:
        r"""Parse a power of ten behind a number: `\times 10^{3}`, `e3`."""
        before = self.at
        exponent = ""
        if self.peek() in ("e", "E"):
            self.at += 1
            exponent = self.take_sign() + self.take_digits()
        else:
            self.take_space()
            if self.take(*_TIMES_SIGNS):
                self.take_space()
                if self.take("10"):
                    self.take_space()
                    if self.take("^"):
                        self.take_space()
                        group = self.take_group()
                        exponent = "".join(group or (self.take_sign(), self.take_digits()))
        if exponent.lstrip("-+").isdecimal() and abs(int(exponent)) <= _MOST_EXPONENT:
            return self.make_term(first, value * Fraction(10) ** int(exponent))
        self.at = before
        return None

    def parse_based(self, start: int) -> Term | None:
        """Parse digits, small ones or letters, with the base that they are in: `204_5`, `1A_{16}`."""
        at, written = start, ""
        while at < len(self.tokens) and (
            self.tokens[at].kind in ("digits", "word") or self.tokens[at].text == "."
        ):
            written += self.tokens[at].text
            at += 1
        if written[:2] in _PREFIXED and len(written) > 2:  # 0xFF
            self.at = at
            return self.make_based(start, written[2:], _PREFIXED[written[:2]])
        whole, point, part = written.partition(".")
        if (spoken := BASES.match(self.tokens, skip_blanks(self.tokens, at))) is not None:
            self.at = spoken[0]
            return self.make_based(start, whole, spoken[1])
        if text_at(self.tokens, at) != "_" or not whole or (point and not part) or written != written.upper():
            return None
        before = self.at
        self.at = at + 1
        self.take_space()
        base = "".join(self.take_group() or (self.take_digits(),))
        if base.isdecimal() and 2 <= int(base) <= _MOST_BASE:
            try:
                value = Fraction(int(whole + part, int(base)), int(base) ** len(part))
            except ValueError:
                value = None
            if value is not None:
                return self.make_term(start, value, base=int(base))
        self.at = before
        return None

    def make_based(self, start: int, digits: str, base: int) -> Term | None:
        """Return the number with some digits in a base; None where they are no digits of it."""
        try:
            return self.make_term(start, Fraction(int(digits, base)), base=base)
        except ValueError:
            return None


_MOST_BASE = 36
_PREFIXED = {"0x": 16, "0b": 2, "0o": 8}
"""What stands before digits in another base in programs."""
_NAMED_BASES = ("", "", "two", "three", "four", "five", "six", "seven", "eight", "nine")
BASES = Phrases(
    {
        f"{before}base {name}{after}": base
        for base in range(2, _MOST_BASE + 1)
        for name in (str(base), *_NAMED_BASES[base : base + 1], *(["sixteen"] if base == 16 else []))
        for before, after in (("in ", ""), ("", ""), ("(", ")"), ("(in ", ")"), ("im ", ""))
    }
    | {f"in {name}": base for name, base in (("binary", 2), ("octal", 8), ("hexadecimal", 16))}
)
"""Words behind digits for the base that they are in."""


def _read_periodic(whole: str, digits: str, period: str) -> Fraction:
    r"""`0.1\overline{6}` as 1/6."""
    before_period = Fraction(int(whole + digits or "0"), 10 ** len(digits))
    return before_period + Fraction(int(period), (10 ** len(period) - 1) * 10 ** len(digits))


def _find_period(digits: str) -> str:
    """Return what decimals repeat at their end: a digit that stands there three times, or several that stand
    there twice; "" where nothing repeats itself."""
    if len(digits) > 2 and len({*digits[-3:]}) == 1:
        return digits[-1]
    sizes = range(2, len(digits) // 2 + 1)
    return next((digits[-size:] for size in sizes if digits[-size:] == digits[-2 * size : -size]), "")


def _read_share(text: str) -> Fraction | None:
    """Return the fraction that `one out of six` is; None for other texts."""
    tokens = tokenize(text)
    if (share := PARTS.find(tokens)) is None:
        return None
    first, last, _ = share
    counted = text[: tokens[first].start].strip()
    if counted.lower().split()[-1:] and counted.lower().split()[-1] in _CHANCES:
        counted = counted.rpartition(" ")[0]
    above = Fraction(1) if counted.lower() in _ONES else read_numeral(counted)
    below = read_numeral(text[tokens[last - 1].end :])
    if above is None or below is None or not 0 < above <= below:
        return None
    return above / below if above.denominator == below.denominator == 1 else None


_ONES = ("one", "eine", "ein", "einer", "une", "un", "una", "uno", "uma", "um", "один", "одна")
_CHANCES = ("chance", "chances", "case", "cases", "cas", "casos", "casi", "fällen", "fall", "times", "шанс")
"""Nouns between a number and what it is a part of: `one chance in six`."""
_ODDS = {"against": True, "in favor": False, "in favour": False, "for": False, "on": False}
"""Words behind odds, and whether the second number counts what is favourable."""


def _read_odds(text: str) -> Fraction | None:
    """Return the probability that `5 to 1 against` is; None for other texts."""
    tokens = tokenize(text.lower())
    words = [token.text for token in tokens if not is_blank(token) and token.text != "-"]
    end = " ".join(words[3:])
    if end not in _ODDS or words[1] not in ("to", ":"):
        return None
    one, other = (read_numeral(word) if not word.isdecimal() else Fraction(word) for word in words[0:3:2])
    if not one or not other:
        return None
    return (other if _ODDS[end] else one) / (one + other)


_PERCENT_WORDS = (
    *("percent", "per cent", "prozent", "pour cent", "por ciento", "por cento", "per cento"),
    *("процент", "процента", "процентов"),
)
_HALF_WORDS = dict.fromkeys(
    ("la mitad", "la moitié", "die hälfte", "la metà", "a metade", "metade", "половина", "the half"),
    Fraction(1, 2),
)


def in_words(text: str) -> Term | None:
    """Read a number in words: `forty-two`, `minus three`, `three quarters`, `fifty percent`, `one in six`."""
    for word in _PERCENT_WORDS:
        if text.lower().endswith(f" {word}") and (value := read_numeral(text[: -len(word)])) is not None:
            return Term(str(value), value, unit=read_unit("%"))
    if text.startswith("百分之") and (value := read_numeral(text.removeprefix("百分之"))) is not None:
        return Term(str(value), value, unit=read_unit("%"))
    sign, _, figures = text.partition(" ")
    if sign.lower() in ("minus", "negative") and (number := plain_number(figures.strip())) is not None:
        return (
            replace(number, text=text, value=-number.value, tree=None) if number.value is not None else None
        )
    value = _read_share(text) or _read_odds(text) or _HALF_WORDS.get(text.lower()) or read_numeral(text)
    return None if value is None else Term(text, value, 0 if value.denominator == 1 else None)
