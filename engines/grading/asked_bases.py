"""Numbers in the base that a question names: 0xff and FF₁₆ are FF where it asks for a hexadecimal number."""

from __future__ import annotations

from engines.grading.tokens import is_blank, tokenize
from engines.grading.verdicts import GradeVerdict

_NAMES = {
    **dict.fromkeys(("hexadecimal", "hex", "hexadezimal", "hexadézimal", "hexadécimal", "esadecimale"), 16),
    **dict.fromkeys(("hexadezimalzahl", "hexadezimalsystem", "шестнадцатеричной", "十六进制", "16進数"), 16),
    **dict.fromkeys(("octal", "oktal", "ottale", "восьмеричной", "八进制"), 8),
    **dict.fromkeys(("binary", "binär", "dualzahl", "dualsystem", "binärzahl", "binaire", "binario"), 2),
    **dict.fromkeys(("binário", "двоичной", "二进制", "2進数"), 2),
}
_BASE_WORDS = ("base", "basis", "основанием", "基数")
_LEADS = (
    "in",
    "to",
    "into",
    "as",
    "ins",
    "im",
    "zu",
    "nach",
    "als",
    "en",
    "à",
    "au",
    "em",
    "a",
    "al",
    "в",
    "по",
)
_SOURCES = ("from", "von", "aus", "depuis", "desde", "из")
_FORMS = ("form", "representation", "notation", "expansion", "digits", "darstellung", "complement", "表示")
"""Words before and behind the name of a base in which a number is wanted."""
_FEW_WORDS = 3
_PREFIXES = {"0x": 16, "0X": 16, "0b": 2, "0B": 2, "0o": 8}
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_FIGURES = "0123456789ABCDEF"


def compare_in_base(gold: str, pred: str, question: str) -> GradeVerdict | None:
    """Compare two numbers by their digits in a base that the question names; None for other answers.

    >>> compare_in_base("FF", "0xff", "Write 255 in hexadecimal.").outcome
    'equal'
    >>> compare_in_base("FF", "255", "Write 255 in hexadecimal.")
    """
    for base in sorted(_list_bases(question)):
        digits = [_read_digits(text, base) for text in (gold, pred)]
        if digits[0] and digits[0] == digits[1]:
            return GradeVerdict("equal", reason=f"the question asks for base {base}")
    return None


def _list_bases(question: str) -> set[int]:
    """Return the bases in which a question wants its answer: behind `in` or `to`, or before `form`."""
    words = [token.text.lower() for token in tokenize(question) if not is_blank(token)]
    bases: set[int] = set()
    for at, word in enumerate(words):
        behind = words[at + 1 : at + _FEW_WORDS] if word in _BASE_WORDS else []
        base = _NAMES.get(word) or next((int(one) for one in behind if one.isdecimal()), 0)
        before, after = {*words[max(0, at - _FEW_WORDS) : at]}, {*words[at + 1 : at + _FEW_WORDS]}
        is_wanted = not before.isdisjoint(_LEADS) or not after.isdisjoint(_FORMS)
        is_wanted = is_wanted and before.isdisjoint(_SOURCES)
        if is_wanted and 1 < base <= len(_FIGURES):
            bases.add(base)
    return bases


def _read_digits(text: str, base: int) -> str:
    """Return the digits of a number without what names its base; "" for texts that are no such number."""
    for mark in ("$", "\\text", "\\mathrm", "{", "}", "(", ")", " ", "\\,", "\\mathtt", "."):
        text = text.replace(mark, "")
    if _PREFIXES.get(text[:2]) == base and len(text) > 2:
        text = text[2:]
    plain = text.translate(_SUBSCRIPTS)
    for suffix in (f"_{base}", f"base{base}"):
        plain = plain.removesuffix(suffix)
    if plain == text.translate(_SUBSCRIPTS) and plain != text:
        plain = plain.removesuffix(str(base))  # FF₁₆
    plain = plain.upper()
    return plain.lstrip("0") if plain and all(one in _FIGURES[:base] for one in plain) else ""
