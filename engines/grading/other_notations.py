r"""Notations that the reader of formulas has not, written as others: `2 cis 150°`, `3∠45°`, `1111 1011`."""

from __future__ import annotations

from collections.abc import Sequence

from engines.grading.tokens import TEXT_COMMANDS, AnswerToken, is_blank, skip_blanks, text_at, tokenize
from engines.language.numerals import read_chinese

_ANGLE_SIGNS = ("∠", "\\angle")
_ENDS = frozenset(("+", "-", "−", ",", ";", "=", "≈", ")", "]", "}", "$", "&", "or", "and"))
"""What ends the argument of a function without brackets."""
_GROUPS = (4, 8)
"""Bits of a group."""


def write_polar(text: str) -> str:
    r"""Return a text with cosine and sine for `cis`, and for the sign of an angle behind a modulus.

    >>> write_polar("2 cis 150°"), write_polar(r"3\angle 45^\circ")
    ('2 (cos(150°) + i sin(150°))', '3(\\cos(45^\\circ) + i \\sin(45^\\circ))')
    """
    if "cis" not in text and not any(map(text.__contains__, _ANGLE_SIGNS)):
        return text
    tokens = tokenize(text)
    slash = "\\" if "\\" in text else ""
    written, at = "", 0
    while at < len(tokens):
        behind = _match_cis(tokens, at) or _match_angle(tokens, at)
        end = _find_argument_end(tokens, behind) if behind else 0
        if not end:
            written, at = written + tokens[at].text, at + 1
            continue
        said = "".join(token.text for token in tokens[skip_blanks(tokens, behind) : end]).strip()
        said = said if said.startswith("(") else f"({said})"
        written += f"({slash}cos{said} + i {slash}sin{said})"
        at = end
    return written


def _match_cis(tokens: Sequence[AnswerToken], at: int) -> int:
    """Return the index behind `cis`, which may be an argument of a command for upright letters; 0 without."""
    if tokens[at].text == "cis":
        return at + 1
    words = [token.text for token in tokens[at + 1 : at + 4]]
    return at + 4 if tokens[at].text in TEXT_COMMANDS and words == ["{", "cis", "}"] else 0


def _match_angle(tokens: Sequence[AnswerToken], at: int) -> int:
    """Return the index behind the sign of an angle that stands behind a number; 0 without one."""
    before = next((token for token in reversed(tokens[:at]) if not is_blank(token)), None)
    return at + 1 if tokens[at].text in _ANGLE_SIGNS and before and before.kind == "digits" else 0


def _find_argument_end(tokens: Sequence[AnswerToken], at: int) -> int:
    """Return the index behind an argument with or without brackets; 0 where there is none."""
    first = skip_blanks(tokens, at)
    signed = first + (text_at(tokens, first) in ("-", "−"))
    depth, end = 0, signed
    while end < len(tokens):
        opens, closes = tokens[end].text in ("(", "{", "["), tokens[end].text in (")", "}", "]")
        if not depth and (closes or tokens[end].text in _ENDS):
            break
        depth += opens - closes
        end += 1
        if not depth and closes and text_at(tokens, signed) == "(":
            break
    return end if end > signed and not depth else 0


def write_differences(text: str) -> str:
    r"""Return a text with the command for a backslash between two sets.

    >>> write_differences(r"A \ B"), write_differences(r"x ∈ ℝ \ {-1, 1}"), write_differences(r"5 \ \text{m}")
    ('A \\setminus B', 'x ∈ ℝ \\setminus \\{-1, 1\\}', '5 \\ \\text{m}')
    >>> write_differences(r"ℝ \ [2; 3]")
    'ℝ \\setminus [2; 3]'
    """
    if " U " in text:
        text = _write_unions(text)
    if " \\ " not in text:
        return text
    tokens = tokenize(text)
    written, at = "", 0
    while at < len(tokens):
        before, behind = text_at(tokens, at - 2), skip_blanks(tokens, at + 1)
        opens = text_at(tokens, behind)
        whole = before.isupper() and len(before) == 1
        if tokens[at].text == "\\ " and whole and (opens in _SET_STARTS or opens.isupper()):
            end = next((i for i in range(behind, len(tokens)) if tokens[i].text in ("}", "\\}")), 0)
            said = "".join(token.text for token in tokens[behind : end + 1]).strip("\\{}") if end else ""
            is_set = opens in ("{", "\\{") and bool(said)
            written += "\\setminus " + (f"\\{{{said}\\}}" if is_set else "")
            at = end + 1 if is_set else behind
        else:
            written, at = written + tokens[at].text, at + 1
    return written


_SET_STARTS = ("{", "\\{", "[", "]", "(")


def _write_unions(text: str) -> str:
    """Return a text with the sign of a union for the letter U between two intervals."""
    tokens = tokenize(text)
    written = [token.text for token in tokens]
    for at in range(2, len(tokens) - 2):
        if written[at] == "U" and written[at - 2] in (")", "]") and written[at + 2] in ("(", "[", "]"):
            written[at] = "∪"
    return "".join(written)


def join_bits(text: str) -> str:
    """Return the digits of a binary number without the spaces between its groups; other texts as they are.

    >>> join_bits("1111 1011"), join_bits("1111 1021"), join_bits("10 1011")
    ('11111011', '1111 1021', '10 1011')
    """
    groups = text.split()
    is_binary = len(groups) > 1 and all({*group} <= {"0", "1"} for group in groups)
    return "".join(groups) if is_binary and any({*map(len, groups)} == {size} for size in _GROUPS) else text


def write_myriads(text: str) -> str:
    """Return a text with numbers that count in ten thousands as figures alone.

    >>> write_myriads("1800万 km"), write_myriads("1億5000万"), write_myriads("3.6亿元")
    ('18000000 km', '150000000', '360000000元')
    """
    if not any(map(text.__contains__, _MYRIADS)):
        return text
    tokens = tokenize(text)
    written, at = "", 0
    while at < len(tokens):
        end = at
        while end < len(tokens) and _counts_on(tokens, end):
            end += 1
        said = "".join(token.text for token in tokens[at:end])
        value = read_chinese(said) if tokens[at].kind == "digits" and said[-1:] in _MYRIADS else None
        if value is not None and value.denominator == 1:
            written, at = written + str(value), end
        else:
            written, at = written + tokens[at].text, at + 1
    return written


def _counts_on(tokens: Sequence[AnswerToken], at: int) -> bool:
    point = tokens[at].text == "." and at > 0 and tokens[at - 1].kind == "digits"
    return tokens[at].kind == "digits" or tokens[at].text in _MYRIADS or point


_MYRIADS = ("万", "萬", "亿", "億")
"""Signs for 10⁴ and 10⁸ behind figures."""
