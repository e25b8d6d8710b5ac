r"""Queries as people type them: formulas in LaTeX, plain text or Unicode, with wildcards; words beside them.

Without dollars a query is one formula. With them it is what stands between them, and the rest are words:
`sums of $k^2$ by induction`. `?a` stands for any sub-expression, `??` for any operands.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from engines.core.errors import EngineError
from engines.formula.formula import Formula
from engines.formula.operator_tree import OperatorTree
from engines.formula.patterns import is_pattern, with_wildcards
from engines.formula.symbols import symbols

_FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$]+)\$|\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)
_LATEX = re.compile(r"\\|[\^_]\s*\{")
_PLAIN = re.compile(r"[A-Za-z]{2,}|\*|<=|>=|!=|->|=>|[\^_]\s*(?:\(|-?\d{2,}|-\w)")
_CALLED = re.compile(r"\\operatorname\{(\w+)\}")
_APPLIED = re.compile(r"(\\[a-z]{2,})\s*\(")
_POWER = re.compile(r"\s*\^\s*(\{[^{}]*\}|\w)")
_CHOOSE = re.compile(r"\b(\w+)\s+choose\s+(\w+)\b")
_DERIVED = re.compile(r"(?<![A-Za-z\\])d/d([A-Za-z])(?![A-Za-z])")
_ROOT = re.compile(r"\\sqrt\s*\(")


@dataclass(frozen=True)
class Asked:
    """A formula of a query: as it was typed, and as LaTeX, wildcards as letters."""

    typed: str
    formula: Formula

    @cached_property
    def tree(self) -> OperatorTree:
        return self.formula.search_tree

    @cached_property
    def is_pattern(self) -> bool:
        return is_pattern(self.tree)


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked for: one formula or several, and words beside them, or ""."""

    formulas: tuple[Asked, ...]
    words: str = ""


def read_query(text: str) -> Query:
    """Raises: EngineError E376 for a query without a formula.

    >>> found = read_query("sums of $k^2$ and $sqrt(k)$")
    >>> [one.formula.latex for one in found.formulas], found.words
    (['k^2', '\\\\sqrt{k}'], 'sums of and')
    """
    between = [next(filter(None, match.groups())) for match in _FORMULA.finditer(text)]
    formulas = [one for one in map(str.strip, between or [text]) if one]
    if not formulas:
        raise EngineError(
            "the query has no formula", code="E376", remedy="Type one, as x^2 or as: words and $x^2$."
        )
    words = " ".join(_FORMULA.sub(" ", text).split()) if between else ""
    return Query(tuple(_asked(one) for one in formulas), words)


def _asked(typed: str) -> Asked:
    return Asked(typed, Formula(as_latex(with_wildcards(typed))))


def as_latex(typed: str) -> str:
    r"""Plain text as LaTeX, where it has what LaTeX has not; anything else as it is.

    >>> as_latex("sin(x)/sqrt(x^2+1) <= alpha"), as_latex("a_n x^2")
    ('\\sin (x)/\\sqrt{x^{2}+1} \\le \\alpha', 'a_n x^2')
    """
    typed = _CHOOSE.sub(r"\\binom{\1}{\2}", typed)
    if _LATEX.search(typed) or not _PLAIN.search(typed):
        return typed
    from engines.formula.notations import latex_of_plain

    latex = _CALLED.sub(lambda m: f"\\{m[1]} " if f"\\{m[1]}" in symbols() else m[0], latex_of_plain(typed))
    latex = _with_roots(latex.replace("\\operatorname{sqrt}", "\\sqrt"))
    latex = " ".join(_DERIVED.sub(r"\\frac{d}{d\1}", _with_powers(latex)).split())
    return typed if "\\text" in latex else latex


def _with_roots(latex: str) -> str:
    """Braces in place of the brackets behind the sign of a root."""
    while (match := _ROOT.search(latex)) is not None:
        end = _closed(latex, match.end())
        inner = latex[match.end() : end].removesuffix(")")
        latex = f"{latex[: match.start()]}\\sqrt{{{inner}}}{latex[end:]}"
    return latex


def _with_powers(latex: str) -> str:
    """The power of a function's value behind its name, where LaTeX has it: `sin(x)^2` is not `sin(x^2)`."""
    for match in reversed(list(_APPLIED.finditer(latex))):
        end = _closed(latex, match.end())
        if power := _POWER.match(latex, end):
            called = f"{match[1]}^{power[1]} {latex[match.end() - 1 : end]}"
            latex = latex[: match.start()] + called + latex[power.end() :]
    return latex


def _closed(latex: str, begin: int) -> int:
    """Behind the bracket that closes the one before a place."""
    depth, end = 1, begin
    while end < len(latex) and depth:
        depth += (latex[end] == "(") - (latex[end] == ")")
        end += 1
    return end
