r"""Decimal commas in documents of languages that write numbers so: `3,5 \cdot 2` has the number 3.5 in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from engines.documents.reading import Document
from engines.formula.lexer import lex_latex

_LANGUAGES = frozenset(("de", "fr", "es", "it", "pt", "pl", "tr", "vi", "nl", "cs", "sv", "ru", "uk"))
"""Languages of which the decimal sign is a comma."""
_OPENING, _CLOSING = ("(", "[", r"\{", r"\langle", r"\lbrace"), (")", "]", r"\}", r"\rangle", r"\rbrace")
_POINT = re.compile(r"\d\.\d")
_LISTED = re.compile(r"\s*\\?[A-Za-z]+\s*=\s*[1-9],\d[\s.,;]*")
"""Two values of an index: `k = 1,2`; nobody counts from `0,5`."""
_REPEATING = (r"\overline", r"\bar")


def spell_decimal_commas(document: Document, languages: Sequence[str]) -> Document:
    """Return a document with braces around the commas of its decimals, as LaTeX asks for them. Where it has
    decimal points, too, those of pocket calculators, only the numbers that nobody lists are decimals: 0,05.

    Args:
        document: The document.
        languages: Those of its words, the main one first.
    """
    formulas = [piece.text for piece in document.pieces if piece.formula]
    if not languages or languages[0] not in _LANGUAGES:
        return document
    is_mixed = any(map(_POINT.search, formulas))
    pieces = tuple(
        replace(piece, text=_write_commas(piece.text, is_mixed=is_mixed)) if piece.formula else piece
        for piece in document.pieces
    )
    return replace(document, pieces=pieces)


def _write_commas(latex: str, *, is_mixed: bool = False) -> str:
    r"""Return a formula with braces around the commas of decimals.

    >>> _write_commas(r"3,5 \cdot f(2,3) + x_{1,2}"), _write_commas("k = 1,2"), _write_commas("1,2,3")
    ('3{,}5 \\cdot f(2,3) + x_{1,2}', 'k = 1,2', '1,2,3')
    """
    if _LISTED.fullmatch(latex):
        return latex
    for at in sorted(_iterate_commas(latex, is_mixed=is_mixed), reverse=True):
        latex = f"{latex[:at]}{{,}}{latex[at + 1 :]}"
    return latex


def _iterate_commas(latex: str, *, is_mixed: bool) -> Iterator[int]:
    """Yield where commas are signs of decimals: between two numbers without a space, in no index, and in no
    brackets, which have coordinates, arguments or members in them."""
    tokens = lex_latex(latex)
    lists: list[bool] = []
    for at, token in enumerate(tokens):
        if token.text in _OPENING or token.text == "{":
            is_index = at > 0 and tokens[at - 1].text == "_"
            lists.append(token.text != "{" or is_index)
        elif (token.text in _CLOSING or token.text == "}") and lists:
            lists.pop()
        beside = tokens[max(0, at - 2) : at + 3]
        if token.text != "," or any(lists) or not 0 < at < len(tokens) - 1:
            continue
        before, after = tokens[at - 1], tokens[at + 1]
        touching = before.kind == "number" and (before.end, token.end) == (token.start, after.start)
        touching = touching and (after.kind == "number" or after.text in _REPEATING)
        if is_mixed and not (before.text == "0" and len(after.text) > 1):
            continue
        # "1,2,3" is a list.
        if touching and sum(each.text == "," for each in beside) == 1:
            yield token.start
