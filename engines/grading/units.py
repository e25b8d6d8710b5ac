"""Units of measurement, as words and symbols name them: what each measures, and its size."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from engines.language.english import SCALES

TEMPERATURES = {
    "celsius": (Fraction(1), Fraction("273.15")),
    "fahrenheit": (Fraction(5, 9), Fraction("459.67") * 5 / 9),
    "kelvin": (Fraction(1), Fraction(0)),
}
"""Size of a degree, and where the scale begins, in kelvins."""
_FACTORS = {
    "length": "mm 1/1000, millimeter 1/1000, cm 1/100, centimeter 1/100, dm 1/10, m 1, meter 1, metre 1, "
    "km 1000, kilometer 1000, in 127/5000, inch 127/5000, ft 381/1250, foot 381/1250, feet 381/1250, "
    "yd 1143/1250, yard 1143/1250, mi 201168/125, mile 201168/125, 米 1, 厘米 1/100, 毫米 1/1000, 千米 1000, "
    "公里 1000, м 1, см 1/100, мм 1/1000, км 1000",
    "mass": "mg 1/1000000, g 1/1000, gram 1/1000, kg 1, kilogram 1, lb 45359237/100000000, "
    "lbs 45359237/100000000, ton 1000, oz 45359237/1600000000, ounce 45359237/1600000000, "
    "克 1/1000, 千克 1, 公斤 1, г 1/1000, кг 1",
    "time": "s 1, sec 1, second 1, min 60, minute 60, h 3600, hr 3600, hour 3600, day 86400, week 604800, "
    "ms 1/1000, 秒 1, 分 60, 分钟 60, 小时 3600, 时 3600, 天 86400, 日 86400, с 1, сек 1, мин 60, ч 3600, "
    "час 3600, часа 3600, часов 3600",
    "dollars": "dollar 1, usd 1, $ 1, cent 1/100, ¢ 1/100",
    "euros": "euro 1, eur 1, € 1",
    "pounds sterling": "£ 1, gbp 1",
    "yuan": "yuan 1, ¥ 1, cny 1, rmb 1, 元 1, 块 1, 角 1/10",
    "roubles": "rouble 1, ruble 1, ₽ 1, руб 1, рубль 1, рубля 1, рублей 1",
    "yen": "yen 1, 円 1",
    "angle": "degree 1, ° 1, deg 1, arcminute 1/60",
    "radians": "radian 1, rad 1",
    "percent": "% 1, percent 1, pct 1, per cent 1",
    "a.m.": "a.m 1, am 1",
    "p.m.": "p.m 1, pm 1",
    "speed in mph": "mph 1",
    **{name: f"{name} 1" for name in TEMPERATURES},
}
"""The words of each dimension with the size of its unit: another unit is a line, or an entry in one, here."""
_Powers = tuple[tuple[str, int], ...]
_VOLUMES = {
    **dict.fromkeys(("l", "liter", "litre", "升"), Fraction(1, 1_000)),
    **dict.fromkeys(("ml", "milliliter", "millilitre", "cc", "毫升"), Fraction(1, 1_000_000)),
    **dict.fromkeys(("gallon", "gal"), Fraction(473176473, 125_000_000_000)),
    **dict.fromkeys(("quart", "qt"), Fraction(473176473, 500_000_000_000)),
    **dict.fromkeys(("pint", "pt"), Fraction(473176473, 1_000_000_000_000)),
    "cup": Fraction(473176473, 2_000_000_000_000),
}
"""Units that are cubes of a length, in cubic metres."""
_KNOWN: dict[str, tuple[_Powers, Fraction]] = {
    **{
        word.rpartition(" ")[0]: (((dimension, 1),), Fraction(word.rpartition(" ")[2]))
        for dimension, words in _FACTORS.items()
        for word in words.split(", ")
    },
    **{word: ((("length", 3),), size) for word, size in _VOLUMES.items()},
}
_DERIVED = {
    "A ampere amp": {"current": 1},
    "C coulomb": {"current": 1, "time": 1},
    "F farad": {"mass": -1, "length": -2, "time": 4, "current": 2},
    "Hz hertz": {"time": -1},
    "J joule": {"mass": 1, "length": 2, "time": -2},
    "N newton": {"mass": 1, "length": 1, "time": -2},
    "Pa pascal": {"mass": 1, "length": -1, "time": -2},
    "T tesla": {"mass": 1, "time": -2, "current": -1},
    "V volt": {"mass": 1, "length": 2, "time": -3, "current": -1},
    "W watt": {"mass": 1, "length": 2, "time": -3},
    "mol mole": {"amount": 1},
    "Ω ohm": {"mass": 1, "length": 2, "time": -3, "current": -2},
}
"""Units of physics, the symbol first, by the powers of what they measure."""
_PREFIXES = {
    "T tera": Fraction(10**12),
    "G giga": Fraction(10**9),
    "M mega": Fraction(10**6),
    "k kilo": Fraction(10**3),
    " ": Fraction(1),
    "c centi": Fraction(1, 10**2),
    "m milli": Fraction(1, 10**3),
    "µ micro": Fraction(1, 10**6),
    "μ micro": Fraction(1, 10**6),
    "n nano": Fraction(1, 10**9),
    "p pico": Fraction(1, 10**12),
}
_SYMBOLS: dict[str, tuple[_Powers, Fraction]] = {
    f"{before}{name}": (tuple(sorted(powers.items())), times)
    for names, powers in _DERIVED.items()
    for prefixes, times in _PREFIXES.items()
    for before, name in (
        (prefixes.split(" ")[0], names.split()[0]),
        *((prefixes.split(" ")[-1], word) for word in names.split()[1:]),
    )
} | {
    "K": ((("kelvin", 1),), Fraction(1)),
    "kWh": ((("length", 2), ("mass", 1), ("time", -2)), Fraction(3_600_000)),
}
"""Units whose letters are small or large for a reason, and their names."""


@dataclass(frozen=True, slots=True)
class MeasureUnit:
    """A unit: the powers of what it measures, its size, and whether all its words are known.

    `times` is what a word such as "million" multiplies the number by.
    """

    text: str
    powers: tuple[tuple[str, int], ...]
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
        """Whether it measures that and nothing else."""
        return self.powers == ((dimension, 1),)


def read_unit(text: str) -> MeasureUnit | None:
    r"""The unit that a text names, as `square cm`, `cm^2` or `km/h`; None for no words.

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


def _find_unit(symbol: str) -> tuple[_Powers, Fraction] | None:
    """Return what a known unit measures, and its size; None for other words."""
    word = symbol.lower()
    for form in (symbol, word, word.removesuffix("s"), word.removesuffix("es")):
        found = _SYMBOLS.get(form) if form == symbol or len(form) > 2 else None
        if found is not None or (found := _KNOWN.get(form)) is not None:
            return found
    return None


def names_unit(text: str) -> bool:
    """Whether a text is made of the words of known units."""
    result = read_unit(text)
    return result is not None and result.known
