r"""The dialects of formulas that are read naturally: how each is recognized, and what makes LaTeX of it.

Another dialect is a row of `NATURAL_DIALECTS`, with the function that converts it. What a conversion needs is
imported when it is used, since most formulas are LaTeX.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engines.core.tree import Tree


@dataclass(frozen=True, slots=True)
class NaturalDialect:
    """A way in which texts write formulas."""

    recognizes: Callable[[str], bool]
    """Whether a text is written so; for a dialect that only a caller can name, never."""
    convert: Callable[[str], str | Tree]
    """Makes LaTeX of a text, or at once its term."""


def _is_mathml(text: str) -> bool:
    return text.lstrip()[:6].startswith(("<math", "<m:mat", "<mml:", "<?xml"))


def _convert_mathml(text: str) -> str | Tree:
    from engines.formula.latex_conversion import meant_by_mathml

    return meant_by_mathml(text)


_LATEX = re.compile(r"\\|[\^_]\s*\{|\{,\}|\{\}[\^_]|\A\s*\$.*\$\s*\Z", re.DOTALL)


def _convert_plain(text: str) -> str:
    from engines.formula.latex_conversion import latex_of_plain

    return latex_of_plain(text)


NATURAL_DIALECTS: Mapping[str, NaturalDialect] = {
    "mathml": NaturalDialect(_is_mathml, _convert_mathml),
    "latex": NaturalDialect(lambda text: _LATEX.search(text) is not None, str),
    "plain": NaturalDialect(lambda _: True, _convert_plain),
}
"""The dialects by name; a text is in the first that recognizes it, so `plain`, which is all else, is last."""


def recognize_dialect(text: str) -> str:
    """Return the dialect that a text is written in.

    An element is MathML; commands, and braces behind ^ and _ or empty before them, are LaTeX; all else is
    plain text.

    >>> recognize_dialect("<math><mi>x</mi></math>"), recognize_dialect("x^{2}"), recognize_dialect("x^2")
    ('mathml', 'latex', 'plain')
    """
    return next(name for name, dialect in NATURAL_DIALECTS.items() if dialect.recognizes(text))
