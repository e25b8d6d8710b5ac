"""Read units of measurement as answers write them: what they measure together, and their size."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from engines.formula.unit_table import TEMPERATURES, UNIT_SYMBOLS, UNIT_WORDS, UnitPowers
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


def read_unit(text: str) -> MeasureUnit | None:
    r"""Return the unit that a text names, as `square cm`, `cm^2` or `km/h`; None for no words.

    >>> read_unit("square feet").powers, read_unit("km/h").factor
    ((('length', 2),), Fraction(5, 18))
    """
    text = text.replace("\\,", " ").replace("\\cdot", " ").replace("·", " ").replace("\\Omega", "Ω")
    text = " ".join(text.replace("²", "^2").replace("³", "^3").split()).strip(" ,;")
    plain = _PER.sub("/", text)
    plain = _DEGREES.sub(lambda found: "celsius" if found[1] else "fahrenheit", plain)
    powers: dict[str, int] = {}
    factor, known, times = Fraction(1), True, 1
    for number, part in enumerate(plain.split("/")):
        scale = 1
        for symbol, power in _WORD.findall(part):
            word = symbol.lower()
            if word in ("square", "sq", "cubic", "squared", "cubed"):
                if word in ("squared", "cubed") and powers:
                    last = next(reversed(powers))
                    powers[last] *= 2 if word == "squared" else 3
                else:
                    scale = 3 if word == "cubic" else 2
                continue
            if symbol in ("of", "the", "a"):
                continue
            if word in _NO_UNITS:
                return None
            if word.removesuffix("s") in _TIMES:
                times *= _TIMES[word.removesuffix("s")]
                continue
            for square, count in _CHINESE_POWERS.items():
                if symbol.startswith(square) and len(symbol) > len(square):
                    symbol, scale = symbol.removeprefix(square), count
            exponent = (int(power) if power else 1) * scale * (-1 if number else 1)
            scale = 1
            found = _find_unit(symbol)
            known = known and found is not None
            stem = word.removesuffix("s") if len(word) > 3 else word  # its, is
            own, size = found or (((stem, 1),), Fraction(1))
            for name, count in own:
                powers[name] = powers.get(name, 0) + count * exponent
            factor *= size**exponent
    powers = {name: power for name, power in powers.items() if power}
    if not powers and times == 1:
        return None
    return MeasureUnit(text, tuple(sorted(powers.items())), factor, known, times)


_PER = re.compile(r"\bper\b(?! ?cent)", re.IGNORECASE)
_DEGREES = re.compile(r"(?:°|\bdeg(?:rees?)?\b)\s*(?:(c)(?:elsius)?|f(?:ahrenheit)?)\b", re.IGNORECASE)
_CHINESE_POWERS = {"平方": 2, "立方": 3}
_TIMES = {"dozen": 12, "hundred": 100, **SCALES}
_NO_UNITS = frozenset(
    re.findall(
        r"\w+",
        "not no never below under less minus negative loss wrong incorrect false factorial half halves third "
        "quarter tenth hundredth thousandth over root times plus mod modulo choose infinity power "
        "more fewer greater higher lower above least most than root twice double "
        "squared cubed if when where or and then alpha beta gamma delta epsilon theta lambda sigma omega phi",
    )
)
"""Words after a number that change it, or what is said of it."""


_WORD = re.compile(
    r"(per cent|[ap]\.\s?m\b|[^\W\d_]+(?:-[^\W\d_]+)*|[%°$€£¥¢])\.?(?:\s?\^?\s?\{?(-?[1-9])\}?)?",
    re.IGNORECASE,
)


def _find_unit(symbol: str) -> tuple[UnitPowers, Fraction] | None:
    """Return what a known unit measures, and its size; None for other words."""
    word = symbol.lower()
    for form in (symbol, word, word.removesuffix("s"), word.removesuffix("es")):
        found = UNIT_SYMBOLS.get(form) if form == symbol or len(form) > 2 else None
        if found is not None or (found := UNIT_WORDS.get(form)) is not None:
            return found
    return None


def names_unit(text: str) -> bool:
    """Return whether a text is made of the words of known units."""
    result = read_unit(text)
    return result is not None and result.known
