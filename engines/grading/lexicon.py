r"""Words, signs and units of answers as they are written: what is looked up in a text as a whole, before
`engines.formula` reads what it says.

Nothing here splits a text into parts that mean something: only a number in front of its unit is told from it.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import replace

from engines.formula.brackets import find_closing
from engines.formula.cursor import UnreadError
from engines.formula.notations import latex_of_plain
from engines.formula.words import SETS_IN_WORDS
from engines.grading.forms import EMPTY, Form, WordsForm
from engines.grading.numbers import Term, in_words, plain_number
from engines.grading.quantities import read_quantity
from engines.grading.unit_reader import names_unit, read_unit
from engines.language.numerals import split_chinese

PLAIN_INTEGER = re.compile(r"-?\d+")

# ---- what only changes how a text looks


def normalise_text(text: str) -> str:
    r"""Return the text without what only changes how it looks: sizes, dollar signs, commas of thousands.

    >>> normalise_text(r"$\left(\dfrac{1}{2},\ 32{,}349\right)$.")
    '(\\frac{1}{2},\\ 32349)'
    """
    if PLAIN_INTEGER.fullmatch(text):
        return text
    text = _THOUSANDS_MARKED.sub("", text)
    if "\\" not in text and "{" not in text and _FUNCTION.search(text):
        with contextlib.suppress(UnreadError):  # too deep: so it stays for whoever reads it
            text = latex_of_plain(text)
    if not text.isascii():
        text = text.translate(_SIGNS)
    if "\\" in text:
        text = (_SIZES if "\\right." in text else _LAYOUT).sub("", text)
        text = _FRAC.sub(r"\\frac", text)
        text = _QUAD.sub(r"\\quad ", text)
        text = _TEXT_SIGN.sub(r"\1", text)
        text = _UPRIGHT.sub(lambda found: rf"\text{{{found[1]}}}" if names_unit(found[1]) else found[0], text)
        text = _OHMS.sub(r"\\text{ Ω}", text)
        text = text.replace("\\$", "＄").replace("^{\\circ}", "°").replace("^\\circ", "°")
        text = _DOTTED.sub(r"\1\\overline{\2\3\4}", text) if "\\dot" in text else text
    text = _BARE_SET.sub(r"\\{\1\\}", text) if "{" in text else text
    text = _replace_commands(text)
    text = _DEGREES.sub(r"°\1\2", text) if "°" in text else text
    if "$" in text:
        text = _LONE_DOLLAR.sub("＄", text) if text.count("$") == 1 else text
        text = text.replace("$", " ")
    text = text.replace("＄", "\\$" if "\\" in text else "$").strip()
    return text if text.endswith("\\right.") else text.rstrip(".;:,").strip()


_TEXT_SIGN = re.compile(r"\\(?:text|mbox|mathrm)\s*\{\s*([:.,;])\s*\}")
_UPRIGHT = re.compile(
    r"(?<=[\d})])(?:\s|\\[,;: ]|~)*\\(?:mathrm|operatorname|rm)\s*\{([^{}]*(?:\{-?\d\}[^{}]*)*)\}"
)
_OHMS = re.compile(r"(?<=\d)(?:\s|\\[,;: ]|~)*\\Omega(?![A-Za-z])")
_LONE_DOLLAR = re.compile(r"\$(?=\s?\d[\d,. ]*$)(?<!\d\$)|(?<=\d)\$$")
_DEGREES = re.compile(
    r"(?:\{\}|\\[,;: ]|\s)*°\s*(?:\\(?:text|mathrm|textrm|mbox|rm)\s*\{?\s*([CF])\s*\}?|([CF])(?![A-Za-z]))"
)
_DOTTED = re.compile(r"(\d*\.\d*)\\dot\s*\{?(\d)\}?(?:(\d*)\\dot\s*\{?(\d)\}?)?")


def _replace_commands(text: str) -> str:
    r"""Functions of programming languages as LaTeX: `sqrt(2)`, `2*pi`, `x**2`.

    >>> print(_replace_commands("2*sqrt(x+1)**2/pi"))
    2*\sqrt{x+1}^2/\pi
    """
    text = text.replace("**", "^")
    text = _FUNCTION.sub(r"\\\1 ", text)
    while match := _ROOT_CALL.search(text):
        end = find_closing(text, match.end() - 1)
        if end < 0:
            break
        inside = text[match.end() : end].strip()
        text = f"{text[: match.start()]}\\sqrt{{{inside}}}{text[end + 1 :]}"
    return text.strip()


_FUNCTION = re.compile(
    r"(?<![\\A-Za-z{])(sqrt|pi|infty|sin|cos|tan|sec|csc|cot|ln|log|exp|arcsin|arccos|arctan)(?![A-Za-z])"
)
_ROOT_CALL = re.compile(r"\\sqrt\s*\(")
_THOUSANDS_MARKED = re.compile(
    r"(?<=\d)(?:\{,\}|,\s*\\!|\\!\s*,|\\,|[\u00a0\u202f\u2009'’])\s*(?=\d{3}(?!\d))"
)
_SIGNS = str.maketrans(
    {
        "−": "-",
        "–": "-",
        "½": "\\frac{1}{2}",
        "¼": "\\frac{1}{4}",
        "¾": "\\frac{3}{4}",
        "⁄": "/",
        "\u00a0": " ",
        "，": ",",
        "；": ";",
        "（": "(",
        "）": ")",
    }
)
_LAYOUT = re.compile(
    r"\\(?:left|right|[bB]igg?[lrm]?|displaystyle|textstyle|limits|mathstrut|hphantom\{[^{}]*\}|phantom\{[^{}]*\})(?![a-z])"
    r"|\\!"
)
_SIZES = re.compile(
    r"\\(?:[bB]igg?[lrm]?|displaystyle|textstyle|limits|mathstrut|hphantom\{[^{}]*\}|phantom\{[^{}]*\})(?![a-z])|\\!"
)
_FRAC = re.compile(r"\\[dtc]frac")
_BARE_SET = re.compile(r"(?<![\\_^}A-Za-z\]\d])\{([^{}\\]*\d[^{}\\]*,[^{}\\]*)\}")
"""A set whose braces TeX would not show."""
_QUAD = re.compile(r"\\quad(?=[A-Za-z])")
SPACES = re.compile(r"(?<!\\)\\(?:[,;: ]|q?quad(?![a-z]))|\\quad|~|\s{2,}")


# ---- words


def read_words(text: str) -> Form | None:
    """Return what a text of words, or the letter of a choice, says as a whole; None for other texts."""
    whole = TEXT.fullmatch(text)
    inside = whole[1].strip() if whole else text
    folded = inside.lower()
    if folded in _EMPTY:
        return EMPTY
    if folded in _NO_VALUE:
        return WordsForm("does not exist")
    if match := _INFINITY.fullmatch(folded):
        return Term(f"{match[1].replace('+', '')}\\infty")
    if _MONTH.search(inside) and "\\" not in inside:
        return WordsForm(inside)
    if (number := in_words(inside)) is not None:
        return number
    if choice := _CHOICE.fullmatch(inside):
        letter = choice[1] or choice[2] or choice[3] or choice[4]
        return WordsForm(letter if whole else letter.upper())
    if _CLOCK.fullmatch(text) or (whole and _CLOCK.fullmatch(inside)):
        return _read_clock(inside)
    if folded in SETS_IN_WORDS:
        return None
    if _WORDS.fullmatch(inside) and (said := _PREDICATE.fullmatch(inside)):
        return read_words(said[1]) or WordsForm(said[1])
    if whole and not FIGURES.fullmatch(inside):
        return WordsForm(inside)
    return WordsForm(text) if _WORDS.fullmatch(text) and not names_unit(text) else None


_EMPTY = frozenset(
    f"{before}{words}"
    for before, group in (
        (
            "",
            (
                "no solution",
                "no solutions",
                "no real solution",
                "no real solutions",
                "empty set",
                "none exist",
            ),
        ),
        ("there is ", ("no solution", "no real solution")),
        ("there are ", ("no solutions", "no real solutions")),
        ("the ", ("empty set",)),
    )
    for words in group
) | frozenset(
    (
        *("keine lösung", "keine lösungen", "keine reelle lösung", "aucune solution", "pas de solution"),
        *("нет решений", "решений нет", "нет корней", "корней нет", "无解", "無解", "无实数解", "解なし"),
    )
)
_NO_VALUE = ("dne", "does not exist", "doesn't exist")
_INFINITY = re.compile(r"([-+]?)\s*(?:infinity|inf)")
_MONTH = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b"
)
TEXT = re.compile(
    r"\\(?:text|textbf|textit|textrm|textnormal|mbox|mathrm|mathbf|operatorname)\s*\{([^{}\\]*)\}"
)
_CHOICE = re.compile(
    r"(?:option|choice|answer)?\s*\(([A-Ja-j])\)|(?:option|choice)\s+([A-J])|([A-J])[.)]|(?:选|選|选择|故选)\s*([A-J])"
)
_WORDS = re.compile(r"(?=.*[A-Za-z]{3})(?=.*[aeiouyAEIOUY])(?!.*\\)[A-Za-z][A-Za-z' ,.-]*")
_PREDICATE = re.compile(
    r"(?:(?:the|this|its) [\w ]+? )?(?:is|are|diverges to|tends to|goes to|approaches)\s+([\w -]+)",
    re.IGNORECASE,
)
"""A sentence whose predicate is the answer: `The function is even`."""
FIGURES = re.compile(r"(?:[-+\d.,/: ]|\b(?:and|or)\b)+%?|[A-Z](?:, ?[A-Z])+")
_CLOCK = re.compile(r"(\d{1,2}):([0-5]\d)\s*(?:\\text\{\s*)?([ap]\.?m\.?)?\}?", re.IGNORECASE)


def _read_clock(text: str) -> Form | None:
    match = _CLOCK.fullmatch(text)
    if not match or int(match[1]) > 24 or (int(match[1]) == 0 and match[3]):
        return None
    half = (match[3] or "").lower().replace(".", "")
    return WordsForm(f"{int(match[1])}:{match[2]}{' ' + half if half else ''}")


# ---- numbers with what they count or measure


def read_figures(text: str) -> Term | None:
    """A text that is one number, also with commas, or in several units (2 h 30 min); None for others."""
    if _QUOTIENT.fullmatch(text):
        text = text.replace(",", "")
    elif _DECIMAL_COMMA.fullmatch(text):
        text = text.replace(",", ".")
    number = plain_number(text)
    if number is not None or not text[0].isdigit():
        return number
    return read_quantity(TEXT.sub(r"\1", text).strip())


def read_measure(text: str) -> Term | None:
    """A number or formula with a unit behind it, or a currency before it; None for other texts."""
    if _THOUSANDS.fullmatch(text):
        text = text.replace(",", "")
    if found := _CURRENCY.fullmatch(text):
        rest = f"{found[1]}{found[3]}".strip()
        inside = plain_number(rest) or read_measure(rest) or Term(rest)
        if inside.unit is None or inside.unit.measures_only("dollars"):
            return replace(inside, unit=inside.unit or read_unit(found[2]))
    if found := _UNIT.fullmatch(text) or _PLAIN_UNIT.fullmatch(text):
        words = " ".join(re.sub(r"\\[a-z]+\s*\{((?:[^{}]|\^\{-?\d\})*)\}", r"\1", found[2]).split())
        named = read_unit(words)
        number = _read_counting(found[1].strip())
        joined = text[: found.start(2)][-1:].isdigit() and found[2][:1].isalpha()
        if named is not None and number.text and (named.known or not joined):
            return replace(number, unit=named)
    return None if text.isascii() else _read_counted(text)


def _read_counting(text: str) -> Term:
    """What stands before a unit: 1,2 km is no list, since that has a space behind the comma."""
    if _FEW_DECIMALS.fullmatch(text):
        text = text.replace(",", ".")
    return plain_number(text) or Term(text)


def _read_counted(text: str) -> Term | None:
    """A number with a word of another script behind it: 42只, 42 рубля, 十二个."""
    found = _COUNTED.fullmatch(text) or _COUNTED.fullmatch(" ".join(TEXT.sub(r"\1", text).split()))
    if found and (number := plain_number(found[1])) is not None:
        return replace(number, unit=read_unit(found[2].removesuffix("です")))
    numeral, counted = split_chinese(text)
    if numeral and len(counted) <= _CLASSIFIER and (number := in_words(numeral)) is not None:
        return replace(number, unit=read_unit(counted))
    return None


_THOUSANDS = re.compile(
    r"[-+]?\s?\\?[$€£]?\s?[-+]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?(?![\d,])[^\d,;()=]*(?:\^\{?[23]\}?)?"
)
_QUOTIENT = re.compile(
    r"[-+]?(?:[1-9]\d{0,2}(?:,\d{3})+\s?/\s?(?:\d+|[1-9]\d{0,2}(?:,\d{3})+)|\d+\s?/\s?[1-9]\d{0,2}(?:,\d{3})+)"
)
_DECIMAL_COMMA = re.compile(r"[-+]?(?:0,\d{2,}|\d{4,},\d{1,2}|\d+,\d+\s?[€%]|€\s?\d+,\d+)")
_FEW_DECIMALS = re.compile(r"[-+]?\d+,\d{1,2}")
_CLASSIFIER = 3
"""Characters of a word that is counted in Chinese."""
_COUNTED = re.compile(r"([-+\d./]+)\s?([\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff]+)")
_CURRENCY = re.compile(r"([-+]?)\s*\\?(\$|€|£|¥|USD)\s*([-+]?[\d.].*)", re.DOTALL)
_WORD_UNIT = (
    r"(?:\\(?:text|mbox|textbf|textrm|textnormal|mathrm|operatorname)\s*"
    r"\{[^{}\\]*(?:\^\{-?\d\}[^{}\\]*)*\}\s*(?:\^\s*\{?[1-9]\}?)?"
    r"(?:\s*/\s*\\(?:text|mbox|mathrm)\s*\{[^{}\\]*\}\s*(?:\^\s*\{?[1-9]\}?)?)?)"
)
_UNIT = re.compile(rf"(.*?[\d}})a-z|])\s*({_WORD_UNIT}|°\s?[CF]?|%|€|\\?\$|£|¢)", re.DOTALL)
_PLAIN_UNIT = re.compile(
    r"([-+]?[$€£]?\s?[\d.,/ ]*\d)\s?((?:(?:square|sq\.?|cubic) )?"
    r"(?:[A-Za-z]{3,}|(?<= )(?:[mgshlLNJWKAVΩ](?![a-zA-Z])"
    r"|(?:[kMGmµμnp](?:[NJWAVΩC]|Pa|Hz|mol)|Pa|Hz|mol|kWh)(?![a-zA-Z]))"
    r"|[ckm]m|kg|ft|in|mi|m(?=[²³])|[ap]\.m\.?|[ap]m|€|%)[²³]?"
    r"(?:[ /-][A-Za-z.²³]+){0,4}(?:\s?\^\s?\{?[23]\}?)?)"
)
