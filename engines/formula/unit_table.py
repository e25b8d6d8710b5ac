"""Units of measurement: their words and symbols, what each measures, and its size.

`*` stands behind words and symbols that are units in formulas too, where no `\\text` says so. Another unit
is a line here, or a word in one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

TEMPERATURES = {
    "celsius": (Fraction(1), Fraction("273.15")),
    "fahrenheit": (Fraction(5, 9), Fraction("459.67") * 5 / 9),
    "kelvin": (Fraction(1), Fraction(0)),
}
"""Size of a degree, and where the scale begins, in kelvins."""
# Inch, foot, yard and mile are those of 1959, exact in metres; so is the pound in kilograms.
_WORDS: dict[str, dict[str, str]] = {
    "length": {
        "mm*, millimeter, 毫米, мм, millimètre": "1/1000",
        "cm*, centimeter, centimeters*, 厘米, см": "1/100",
        "zentimeter, centimètre, centímetro, centimetro, centimetri, センチメートル": "1/100",
        "сантиметр, сантиметра, сантиметров": "1/100",
        "milímetro, millimetro, millimetri, миллиметр, миллиметра, миллиметров, ミリメートル": "1/1000",
        "dm*, decimetre, decimeter, dezimeter, décimètre, decímetro, дециметр, дм, 分米": "1/10",
        "m*, meter, meters*, metre, metres*, 米, м, mètre, метр, метра, метров": "1",
        "metro, metri, メートル, 미터": "1",
        "km*, kilometer, kilometre, 千米, 公里, км, kilomètre, километр, километра, километров": "1000",
        "kilómetro, quilômetro, quilómetro, chilometro, chilometri, キロメートル, 킬로미터": "1000",
        "in*, inch*, inches*": "127/5000",
        "ft*, foot*, feet*": "381/1250",
        "yd*, yard, yards*": "1143/1250",
        "furlong": "25146/125",
        "mi*, mile, miles*": "201168/125",
    },
    "mass": {
        "µg, μg": "1/1000000000",
        "mg*": "1/1000000",
        "g*, gram, grams*, 克, г, gramm, gramme, грамм, грамма, граммов": "1/1000",
        "gramo, grama, grammo, grammi, グラム, 그램": "1/1000",
        "kg*, kilogram, kilograms*, 千克, 公斤, кг": "1",
        "kilogramm, kilogramme, килограмм, килограмма, килограммов": "1",
        "kilo, kilogramo, quilograma, quilo, chilogrammo, chilogrammi, chilo, キログラム, 킬로그램": "1",
        "ton, tonne, tonelada, tonnellata, tonnellate, тонна, тонны, тонн": "1000",
        "lb*, lbs*": "45359237/100000000",
        "oz*, ounce, ounces*": "45359237/1600000000",
    },
    "time": {
        "ns": "1/1000000000",
        "µs, μs": "1/1000000",
        "ms*": "1/1000",
        "s*, sec*, second, seconds*, 秒, с, сек, sekunde, sekunden, seconde, секунда, секунды, секунд": "1",
        "segundo, secondo, secondi, 초": "1",
        "minuto, minuti, 分間, 분": "60",
        "hora, ora, ore, 時間, 시간": "3600",
        "día, dia, giorno, giorni, 日間, 일": "86400",
        "semana, settimana, settimane, 週間, 주": "604800",
        "min*, minute, minutes*, 分, 分钟, мин, minuten, минута, минуты, минут": "60",
        "h*, hr*, hrs*, std, hour, hours*, 小时, 时, ч, час, часа, часов, stunde, stunden, heure": "3600",
        "day, days*, 天, 日, tag, tage, jour, день, дня, дней": "86400",
        "week, weeks*, woche, wochen, semaine, неделя, недели, недель, 周": "604800",
    },
    "calendar": {
        "month*, months*, monat, monate, monaten, mois, mes, meses, mese, mesi, mês": "1",
        "месяц, месяца, месяцев, 个月, ヶ月, か月, 개월": "1",
        "year*, years*, yr*, yrs*, annum, jahr, jahre, jahren, ans, année, années, año, años": "12",
        "anno, anni, ano, anos, год, года, лет, 年, 년": "12",
        "decade, decades, jahrzehnt, jahrzehnte": "120",
        "century, centuries, jahrhundert, jahrhunderte, siècle, siglo, siglos, век": "1200",
    },
    "information": {"bit, bits*": "1", "byte, bytes*": "8"},
    "dollars": {"dollar, dollars*, usd, $, 美元, 달러": "1", "cent, cents*, ¢, 美分": "1/100"},
    "euros": {
        "euro, euros*, eur, €, 欧元, 歐元, ユーロ": "1",
        "centime, centimes*, céntimo, céntimos, центов, eurocent": "1/100",
    },
    "reais": {"real, reais, brl": "1", "centavo, centavos": "1/100"},
    "pounds sterling": {"£, gbp": "1", "penny, pence": "1/100"},
    "yuan": {"yuan, ¥, cny, rmb, 元, 块": "1", "角": "1/10"},
    "roubles": {"rouble, ruble, ₽, руб, рубль, рубля, рублей": "1", "копейка, копейки, копеек": "1/100"},
    "yen": {"yen, 円, jpy, 日元": "1"},
    "Swiss francs": {"chf, franken": "1"},
    "rupees": {"rupee, inr, ₹": "1"},
    "won": {"krw, ₩, 원": "1"},
    "angle": {
        "degree*, degrees*, deg*, °, grad, degré, градус, градуса, градусов, 度": "1",
        "grado, gradi, grau, graus": "1",
        "arcminute": "1/60",
    },
    "radians": {"radian, rad*, radianti, radiante, радиан, радиана, радианов": "1"},
    "percent": {
        "%, percent, pct, per cent, prozent, процент, процента, процентов": "1",
        "pour cent, por ciento, por cento, per cento, パーセント, 퍼센트": "1",
    },
    "a.m.": {"a.m, am": "1"},
    "p.m.": {"p.m, pm": "1"},
    "speed in mph": {"mph*": "1"},
    "speed in rpm": {"rpm": "1"},
    "parts per million": {"ppm": "1"},
    **{name: {name: "1"} for name in TEMPERATURES},
}
"""The words for each dimension, with the size of their unit; small and capital letters are the same."""
# Gallon, quart, pint and cup are those of the United States: a gallon is 231 cubic inches.
_VOLUMES = {
    "l*, L*, liter, liters*, litre, litro, litri, литр, литра, литров, л, 升, リットル, 리터": Fraction(
        1, 1_000
    ),
    "ml*, mL*, milliliter, millilitre, mililitro, millilitro, millilitri, cc, 毫升": Fraction(1, 1_000_000),
    "миллилитр, миллилитра, миллилитров, мл": Fraction(1, 1_000_000),
    "cl, centiliter, centilitre, centilitro": Fraction(1, 100_000),
    "dl, deciliter, decilitre, decilitro": Fraction(1, 10_000),
    "hl, hectoliter, hectolitre, hectolitro": Fraction(1, 10),
    "gallon, gal": Fraction(473176473, 125_000_000_000),
    "quart, qt": Fraction(473176473, 500_000_000_000),
    "pint, pt": Fraction(473176473, 1_000_000_000_000),
    "cup": Fraction(473176473, 2_000_000_000_000),
}
"""Words for units that are cubes of a length, in cubic metres."""
_AREAS = {
    "hectare, ha, hektar, hectárea, ettaro, ettari, гектар, гектара, гектаров, 公顷": Fraction(10_000),
    "acre, acres": Fraction("4046.8564224"),
}
"""Words for units that are squares of a length, in square metres."""
_DERIVED = {
    "A* ampere amp": {"current": 1},
    "C coulomb": {"current": 1, "time": 1},
    "F farad": {"mass": -1, "length": -2, "time": 4, "current": 2},
    "Hz* hertz": {"time": -1},
    "J* joule": {"mass": 1, "length": 2, "time": -2},
    "N* newton": {"mass": 1, "length": 1, "time": -2},
    "Pa* pascal": {"mass": 1, "length": -1, "time": -2},
    "T tesla": {"mass": 1, "time": -2, "current": -1},
    "V* volt": {"mass": 1, "length": 2, "time": -3, "current": -1},
    "W* watt": {"mass": 1, "length": 2, "time": -3},
    "mol* mole": {"amount": 1},
    "Ω ohm": {"mass": 1, "length": 2, "time": -3, "current": -2},
}
"""Units of physics, the symbol first, by the powers of what they measure; prefixes may stand before them."""
_PREFIXES = {
    "T tera": Fraction(10**12),
    "G giga": Fraction(10**9),
    "M mega": Fraction(10**6),
    "k kilo": Fraction(10**3),
    "h hecto": Fraction(100),
    " ": Fraction(1),
    "c centi": Fraction(1, 10**2),
    "m milli": Fraction(1, 10**3),
    "µ micro": Fraction(1, 10**6),
    "μ micro": Fraction(1, 10**6),
    "n nano": Fraction(1, 10**9),
    "p pico": Fraction(1, 10**12),
}
_SINGLE_SYMBOLS = {
    "K*": ({"kelvin": 1}, Fraction(1)),
    "kW*": ({"mass": 1, "length": 2, "time": -3}, Fraction(1_000)),
    "kWh": ({"mass": 1, "length": 2, "time": -2}, Fraction(3_600_000)),
    **{
        f"{prefix}eV*": ({"mass": 1, "length": 2, "time": -2}, Fraction("1.602176634e-19") * times)
        for prefix, times in (("", 1), ("k", 10**3), ("M", 10**6), ("G", 10**9))
    },
    "cal": ({"mass": 1, "length": 2, "time": -2}, Fraction("4.184")),
    "kcal": ({"mass": 1, "length": 2, "time": -2}, Fraction(4_184)),
    "nm*": ({"length": 1}, Fraction(1, 10**9)),
    "µm*": ({"length": 1}, Fraction(1, 10**6)),
    "μm": ({"length": 1}, Fraction(1, 10**6)),
}
_UNSIZED = ("unit", "units", "pounds")
"""Units in formulas whose size is not known: pounds may be money."""

UnitPowers = tuple[tuple[str, int], ...]
"""The dimensions that a unit measures, in the order of the alphabet, with their powers."""
UNIT_WORDS: Mapping[str, tuple[UnitPowers, Fraction]] = (
    {
        word.removesuffix("*"): (((dimension, 1),), Fraction(size))
        for dimension, units in _WORDS.items()
        for words, size in units.items()
        for word in words.split(", ")
    }
    | {
        word.removesuffix("*"): ((("length", 3),), size)
        for words, size in _VOLUMES.items()
        for word in words.split(", ")
    }
    | {word: ((("length", 2),), size) for words, size in _AREAS.items() for word in words.split(", ")}
)
"""What the words of units measure, and the size of the unit."""
UNIT_SYMBOLS: Mapping[str, tuple[UnitPowers, Fraction]] = {
    f"{before}{name.removesuffix('*')}": (tuple(sorted(powers.items())), times)
    for names, powers in _DERIVED.items()
    for prefixes, times in _PREFIXES.items()
    for before, name in (
        (prefixes.split(" ")[0], names.split()[0]),
        *((prefixes.split(" ")[-1], word) for word in names.split()[1:]),
    )
} | {
    symbol.removesuffix("*"): (tuple(sorted(powers.items())), size)
    for symbol, (powers, size) in _SINGLE_SYMBOLS.items()
}
"""Units whose letters are small or large for a reason, and their names."""
BARE_UNITS = frozenset(
    (
        *_UNSIZED,
        *(
            word.removesuffix("*")
            for words in (
                *(words for units in _WORDS.values() for words in units),
                *_VOLUMES,
                *_SINGLE_SYMBOLS,
            )
            for word in words.split(", ")
            if word.endswith("*")
        ),
        *(
            f"{prefix}{symbol.removesuffix('*')}"
            for names in _DERIVED
            if (symbol := names.split()[0]).endswith("*")
            # MN and kA are the names of segments and products of letters as well.
            for prefix in (("", "k", "M") if symbol in ("J*", "Hz*", "Pa*") else ("",))
        ),
    )
)
"""Words and symbols that are units in a formula although no `\\text` says so."""


def split_unit(text: str) -> list[tuple[str, int]]:
    """Return the units and exponents that a unit is a product of; a text with unknown ones is one unit.

    >>> split_unit("kg m/s^2")
    [('kg', 1), ('m', 1), ('s', -2)]
    >>> split_unit("m s^-1")
    [('m', 1), ('s', -1)]
    >>> split_unit("apples/day and week")
    [('apples/day and week', 1)]
    """
    factors = []
    for place, product in enumerate(text.split("/")):
        for first, factor in enumerate(product.replace("·", " ").split()):
            symbol = factor.rstrip("0123456789²³").removesuffix("^-").removesuffix("^")
            written = factor[len(symbol) :].removeprefix("^").translate(_RAISED) or "1"
            digits = written.removeprefix("-")
            if find_unit(symbol) is None or not digits.isdecimal() or len(digits) > 1:
                return [(text, 1)]
            # A stroke divides by the unit right behind it.
            factors.append((symbol, int(written) * (-1 if place and not first else 1)))
    return factors if len(factors) > 1 else [(text, 1)]


def is_product_of_units(text: str) -> bool:
    """Return whether a text is a product or quotient of several known units, as `m/s`."""
    return len(split_unit(text)) > 1


_RAISED = str.maketrans("²³", "23")


def find_unit(symbol: str) -> tuple[UnitPowers, Fraction] | None:
    """Return what a known unit measures, and its size; None for other words."""
    word = symbol.lower()
    for form in (symbol, word, word.removesuffix("s"), word.removesuffix("es")):
        unit = UNIT_SYMBOLS.get(form) if form == symbol or len(form) > 2 else None
        if unit is not None or (unit := UNIT_WORDS.get(form)) is not None:
            return unit
    return find_unit(stem) if (stem := _take_stem(word)) else None


_CASE_ENDINGS = ("ами", "ам", "ах", "ями", "ям", "ях", "ов", "ом", "у", "е", "ы", "и")


def _take_stem(word: str) -> str:
    """Return a word of Russian in the nominative, as a unit is listed; "" for other words."""
    if not "а" <= word[:1] <= "я":
        return ""
    ending = next(filter(word.endswith, _CASE_ENDINGS), "")
    stem = word.removesuffix(ending)
    listed = (f"{stem}{last}" for last in ("", "а", "ь", "я") if ending and len(stem) > 2)
    return next((one for one in listed if one in UNIT_WORDS and one != word), "")


_BASE_UNITS = {"length": "m", "mass": "kg", "time": "s", "current": "A", "amount": "mol", "angle": "°"}


def write_base_units(powers: Iterable[tuple[str, int]]) -> str:
    """Return what is measured, or unknown units, with its powers as a unit for people.

    >>> write_base_units([("length", 1), ("time", -2)])
    'm s^-2'
    """
    names = ((_BASE_UNITS.get(name, name), power) for name, power in powers)
    return " ".join(name if power == 1 else f"{name}^{power}" for name, power in names) or "1"
