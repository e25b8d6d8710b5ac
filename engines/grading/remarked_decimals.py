"""Decimals in brackets behind exact values: `x₁ = 1+√5 (≈ 3.24), x₂ = 1−√5 (≈ −1.24)`."""

from __future__ import annotations

from collections.abc import Callable

from engines.grading.tokens import skip_blanks, text_at, tokenize

_SIGNS = ("≈", "\\approx", "≃", "about", "approximately", "rund", "ca", "environ")
_STARTS = (",", ";", "and", "or", "und", "oder", "et", "ou", "y", "o", "e", "=")


def drop_decimals(text: str, is_about: Callable[[str, str], bool]) -> str:
    """Return a text without the decimals in brackets behind values that they are right of; "" where there are
    none, or one is wrong.

    Args: is_about: whether a value rounds to decimals.

    >>> drop_decimals("1+√5 (≈ 3.24), 1−√5 (≈ −1.24)", lambda value, said: True)
    '1+√5, 1−√5'
    """
    tokens = tokenize(text)
    kept, at, found, start = "", 0, 0, 0
    while at < len(tokens):
        sign = skip_blanks(tokens, at + 1)
        if tokens[at].text in ("(", "（") and text_at(tokens, sign) in _SIGNS:
            end = next((i for i in range(sign, len(tokens)) if tokens[i].text in (")", "）")), 0)
            value = "".join(token.text for token in tokens[start:at]).strip(" $")
            said = "".join(token.text for token in tokens[sign + 1 : end]).strip(" $.")
            if not end or not is_about(value, said):
                return ""
            kept, at, found = kept.rstrip(), end + 1, found + 1
            continue
        if tokens[at].text in _STARTS:
            start = at + 1
        kept += tokens[at].text
        at += 1
    return kept if found else ""
