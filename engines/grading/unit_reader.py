"""Parse units of measurement as answers write them: what they measure together, and their size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from engines.formula.unit_table import TEMPERATURES, UnitPowers, find_unit
from engines.grading.locales import LIMITS_BEHIND
from engines.grading.tokens import TEXT_COMMANDS, AnswerToken, Phrases, skip_blanks, text_at, tokenize
from engines.language.english import SCALES


@dataclass(frozen=True, slots=True)
class MeasureUnit:
    """A unit: the powers of what it measures, its size, and whether all its words are known.

    `times` is what a word such as "million" multiplies the number by.
    """

    text: str
    powers: UnitPowers
    factor: Fraction
    known: bool
    times: int = 1

    @property
    def scale(self) -> tuple[Fraction, Fraction] | None:
        """Of degrees of temperature: how large one is, and where they begin, in kelvins."""
        return next((scale for name, scale in TEMPERATURES.items() if self.measures_only(name)), None)

    @property
    def dimension(self) -> str:
        """What it measures, in words: `length`, `length^2`, `length/time`."""
        above = [name if count == 1 else f"{name}^{count}" for name, count in self.powers if count > 0]
        below = [name if count == -1 else f"{name}^{-count}" for name, count in self.powers if count < 0]
        return " ".join(above or ["1"]) + "".join(f"/{name}" for name in below)

    def measures_only(self, dimension: str) -> bool:
        """Return whether it measures that and nothing else."""
        return self.powers == ((dimension, 1),)


_SHAPES = {"square": 2, "sq": 2, "cubic": 3, "平方": 2, "立方": 3, "Quadrat": 2, "Kubik": 3}
_SHAPES |= dict.fromkeys(("квадратный", "квадратных", "квадратные", "квадратного", "кв"), 2)
_SHAPES |= dict.fromkeys(("кубический", "кубических", "кубические", "кубического", "куб"), 3)
"""Words before a unit, and the power that they raise it to."""
_JOINED_SHAPES = ("平方", "立方", "Quadrat", "Kubik")
"""Those that are one word with the unit."""
_RAISED = {
    **dict.fromkeys(("squared", "carré", "carrés", "carrée", "cuadrado", "cuadrados", "cuadrada"), 2),
    **dict.fromkeys(("quadrado", "quadrados", "quadrada", "quadrato", "quadrati", "quadrata"), 2),
    **dict.fromkeys(("cubed", "cube", "cubes", "cúbico", "cúbicos", "cúbica", "cúbicas"), 3),
    **dict.fromkeys(("cubo", "cubi", "cubico", "cubici"), 3),
}
"""Words behind a unit, and the power that they raise it to."""
PER_WORDS = ("per", "pro", "par", "por", "в", "за", "all'", "al", "alla", "ao", "à l'")
"""Words before what a rate is for one of."""
_PHRASES = Phrases(
    {
        **dict.fromkeys(
            ("° C", "° Celsius", "deg C", "degrees C", "degrees Celsius", "degree Celsius"), "celsius"
        ),
        **dict.fromkeys(("° F", "° Fahrenheit", "deg F", "degrees F", "degrees Fahrenheit"), "fahrenheit"),
        "degree Fahrenheit": "fahrenheit",
        **{word: word for word in ("per cent", "pour cent", "por ciento", "por cento", "per cento")},
        "a.m": "a.m",
        "p.m": "p.m",
        **dict.fromkeys(PER_WORDS, "/"),
    }
)
"""Units of several words or signs, and what stands for them."""
_ARTICLES = ("of", "the", "a")
_SIGNS = tuple("%°$€£¥¢")
_RUN_TOGETHER = ("ms", "kms", "cms", "mms")
"""Lengths with the seconds that divide them behind."""
_TIMES = {
    "dozen": 12,
    "hundred": 100,
    **SCALES,
    **dict.fromkeys(("tausend", "mille", "mil", "тысяч", "тысяча", "тысячи", "tys."), 1000),
    **dict.fromkeys(("millionen", "millón", "millones", "миллион", "миллиона", "миллионов"), 10**6),
    **dict.fromkeys(("milliarde", "milliarden", "milliard", "миллиард", "миллиарда", "миллиардов"), 10**9),
}
_NO_UNIT_WORDS = (
    "not no never below under less minus negative loss wrong incorrect false factorial half halves "
    "third quarter tenth hundredth thousandth over root times plus mod modulo choose infinity power "
    "more fewer greater higher lower above least most than root twice double squared cubed if when "
    "moins plus demi demie más menos medio media mehr weniger halb nicht kein pas non больше меньше "
    "where or and then alpha beta gamma delta epsilon theta lambda sigma omega phi"
)
_NO_UNITS = frozenset(_NO_UNIT_WORDS.split())
"""Words after a number that change it, or what is said of it."""


_RAISED_DIGITS = {digit: power for power, digit in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹") if power}
_PLAIN_POWERS = str.maketrans({"⁻": "^-", "²": "^2", "³": "^3", "{": "", "}": ""})


@lru_cache(maxsize=4096)
def read_unit(text: str) -> MeasureUnit | None:
    r"""Return the unit that a text names, as `square cm`, `cm^2`, `km/h` or `\text{cm}^2`; None for no words,
    and for those that limit the number before them.

    >>> read_unit("square feet").powers, read_unit("km/h").factor
    ((('length', 2),), Fraction(5, 18))
    """
    if text.endswith(LIMITS_BEHIND):
        return None
    tokens = tokenize(text.replace("\\Omega", "Ω"))
    said = [token for token in tokens if token.kind != "command" and token.text not in ("{", "}")]
    spelled = "".join(" " if token.kind == "command" else token.text for token in tokens)
    name = " ".join(spelled.translate(_PLAIN_POWERS).split())
    return _UnitParser(name.strip(" ,;·"), said).parse_unit()


def names_unit(text: str) -> bool:
    """Return whether a text is made of the words of known units."""
    result = read_unit(text)
    return result is not None and result.known


def mark_shaped_unit(text: str) -> str:
    r"""Return a value with π or a root in it and the words of an area or volume behind it as LaTeX; "" for
    other texts.

    >>> mark_shaped_unit("36π square centimeters")
    '36\\pi \\text{ square centimeters}'
    """
    tokens = tokenize(text) if any(shape in text for shape in _SHAPES) else ()
    at = next((at for at, token in enumerate(tokens) if token.text in _SHAPES), 0)
    head = text[: tokens[at].start].strip() if at else ""
    words = (token for token in tokens[:at] if token.kind == "word" or token.text in TEXT_COMMANDS)
    plain = all(word.text == "π" for word in words)
    has_sign = any(sign in head for sign in ("π", "\\pi", "√", "\\sqrt"))
    if not plain or not has_sign or not names_unit(text[tokens[at].start :]):
        return ""
    value = head.replace("π", "\\pi ").strip()
    return rf"{value} \text{{ {text[tokens[at].start :].strip()}}}"


class _UnitParser:
    """Parser of a product of units with their powers; what is divided by stands behind a slash or `per`."""

    def __init__(self, name: str, tokens: Sequence[AnswerToken]) -> None:
        self.name = name
        self.tokens = tokens
        self.at = 0
        self.powers: dict[str, int] = {}
        self.factor, self.known, self.times = Fraction(1), True, 1
        self.last = Fraction(1)
        """The size of the last unit, which `squared` behind it raises."""

    def parse_unit(self) -> MeasureUnit | None:
        """Return the unit; None where a word says that there is none."""
        sign, shape = 1, 1
        while self.at < len(self.tokens):
            word = self.take_word()
            folded = word.lower()
            if word == "/":
                sign, shape = -1, 1
            elif folded in _SHAPES:
                shape = _SHAPES[folded]
            elif folded in _RAISED and self.powers:
                self.powers[next(reversed(self.powers))] *= _RAISED[folded]
                self.factor *= self.last ** (_RAISED[folded] - 1)
            elif folded in _NO_UNITS:
                return None
            elif (times := _TIMES.get(folded, _TIMES.get(folded.removesuffix("s")))) is not None:
                self.times *= times
            elif word and word not in _ARTICLES:
                square = next(filter(word.startswith, _JOINED_SHAPES), "")
                shape = _SHAPES.get(square, shape)
                power, length = self.take_power(), word.removesuffix("s")
                # Physicists write metres per second without a space: 3 ms⁻¹.
                if power < 0 and word in _RUN_TOGETHER:
                    self.add_factor(length, sign)
                    word = "s"
                self.add_factor(word.removeprefix(square), power * shape * sign)
                shape = 1
        powers = {name: power for name, power in self.powers.items() if power}
        if not powers and self.times == 1:
            return None
        return MeasureUnit(self.name, tuple(sorted(powers.items())), self.factor, self.known, self.times)

    def take_word(self) -> str:
        """Take the next word or sign of a unit, with the words that belong to it; "" for other signs."""
        if (phrase := _PHRASES.match(self.tokens, self.at)) is not None:
            self.at = phrase[0]
            return phrase[1]
        token = self.tokens[self.at]
        self.at += 1
        if token.kind != "word":
            return token.text if token.text in (*_SIGNS, "/") else ""
        word = token.text
        while self.continues_word(word):
            word += self.tokens[self.at].text
            self.at += 1
        return word

    def continues_word(self, word: str) -> bool:
        """Return whether the next token belongs to a word: a hyphen before a word, or a character of a script
        without spaces."""
        ahead = text_at(self.tokens, self.at)
        if ahead == "-":
            return self.at + 1 < len(self.tokens) and self.tokens[self.at + 1].kind == "word"
        is_word = self.at < len(self.tokens) and self.tokens[self.at].kind == "word"
        return is_word and (word[-1] == "-" or (word[-1] >= "\u3040" and ahead >= "\u3040"))

    def take_power(self) -> int:
        """Take the exponent of a unit: `^2`, `^{-1}`, `²` or a digit."""
        at = self.at + (text_at(self.tokens, self.at) == ".")
        raised = at + (text_at(self.tokens, at) == "⁻")
        if (power := _RAISED_DIGITS.get(text_at(self.tokens, raised))) is not None:
            self.at = raised + 1
            return -power if raised > at else power
        at = skip_blanks(self.tokens, at)
        marked = text_at(self.tokens, at) == "^"
        at = skip_blanks(self.tokens, at + 1) if marked else at
        negative = text_at(self.tokens, at) == "-"
        digit = text_at(self.tokens, at + negative)
        if len(digit) != 1 or digit not in "123456789" or (negative and not marked):
            return 1
        self.at = at + negative + 1
        return -int(digit) if negative else int(digit)

    def add_factor(self, symbol: str, exponent: int) -> None:
        unit = find_unit(symbol)
        self.known = self.known and unit is not None
        word = symbol.lower()
        stem = word.removesuffix("s") if len(word) > 3 else word  # its, is
        own, size = unit or (((stem, 1),), Fraction(1))
        for name, count in own:
            self.powers[name] = self.powers.get(name, 0) + count * exponent
        self.last = size**exponent
        self.factor *= self.last
