"""Placeholders: a word in the place of each formula of a text, "eqx12eqx" in double quotes as in the
published contexts (MathAMR, section 3.1; the paper prints EQ:12)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

__all__ = ["PLACEHOLDER", "Marked", "ids", "in_fields", "marked", "placeholder", "put"]

PLACEHOLDER = re.compile(r'"?eqx(\w+?)eqx"?')
_FORMULA = re.compile(
    r"(?<!\\)\$\$(?P<a>.+?)(?<!\\)\$\$|(?<!\\)\$(?P<b>[^$]+?)(?<!\\)\$|\\\((?P<c>.+?)\\\)|\\\[(?P<d>.+?)\\\]",
    re.DOTALL,
)
_END = re.compile(r"(?:(?<!\\)[.,?:;]|(?<=\s)!|\s)+\Z")


@dataclass(frozen=True, slots=True)
class Marked:
    """A text with placeholders, the LaTeX of each formula by its id, and what was wrong."""

    text: str
    formulas: Mapping[str, str]
    warnings: tuple[str, ...] = ()


def placeholder(name: str) -> str:
    """The placeholder of a formula by its id, with its quotes."""
    return f'"eqx{name}eqx"'


def ids(text: str) -> list[str]:
    """The ids of the placeholders in a text, in order."""
    return [match[1] for match in PLACEHOLDER.finditer(text)]


def put(latex: str, name: str) -> tuple[str, str]:
    r"""The placeholder of a formula and the formula. Punctuation at its end goes behind the placeholder: .
    , ? : ; as the paper or the authors' code has it, and ! after a blank, since otherwise it is a factorial.

    >>> put("a+b=c.", "7"), put("n!", "8")
    (('"eqx7eqx".', 'a+b=c'), ('"eqx8eqx"', 'n!'))
    """
    latex = latex.strip()
    end = _END.search(latex)
    kept = latex[: end.start()] if end else latex
    if not kept:
        return placeholder(name), latex
    return placeholder(name) + "".join(latex[len(kept) :].split()), kept


def marked(text: str) -> Marked:
    r"""A text whose formulas stand between dollar signs, or as `\(…\)` and `\[…\]`, with placeholders; the
    ids count from 1. Posts as ARQMath has them, in HTML with `math-container`, keep the ids of their
    formulas.

    >>> marked("Why is $x^2 \\ge 0$?").text
    'Why is "eqx1eqx"?'
    """
    if "math-container" in text:
        return _of_post(text)
    formulas: dict[str, str] = {}

    def replaced(match: re.Match[str]) -> str:
        name = str(len(formulas) + 1)
        written, formulas[name] = put(next(one for one in match.groups() if one is not None), name)
        return written

    found = _FORMULA.sub(replaced, text)
    loose = len(re.findall(r"(?<!\\)\$", found))
    warnings = (f"{loose} dollar signs have no partner and stay text",) if loose else ()
    return Marked(found.replace("\\$", "$"), formulas, warnings)


def _of_post(body: str) -> Marked:
    from engines.forum.cleaning import broken_formulas, clean_with_formulas

    cleaned = clean_with_formulas(body)
    text, found = in_fields(cleaned.text, cleaned.formulas)
    broken = broken_formulas(body, cleaned)
    return Marked(text, found, (f"{broken} formulas are in broken HTML",) if broken else ())


def in_fields(text: str, formulas: Iterable[tuple[str, str]]) -> tuple[str, dict[str, str]]:
    """A cleaned text, whose formulas stand as `$latex$`, with placeholders, and LaTeX by id. Args:
    formulas: (id, LaTeX) in their order, `q_12` being 12; one without an id is `n` and its number."""
    parts: list[str] = []
    found: dict[str, str] = {}
    at = 0
    for number, (name, latex) in enumerate(formulas):
        start = text.find(f"${latex}$", at)
        if start < 0:
            continue
        short = name.removeprefix("q_") or f"n{number}"
        written, found[short] = put(latex, short)
        parts += [text[at:start], written]
        at = start + len(latex) + 2
    return "".join([*parts, text[at:]]), found
