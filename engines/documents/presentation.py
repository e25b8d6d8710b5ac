"""Presentation MathML as LaTeX, where a page carries no LaTeX of its own."""

from __future__ import annotations

from typing import Any

from engines.core.errors import DataError
from engines.formula.mathml import mathml_root

_FORMS = {
    "mfrac": r"\frac{%s}{%s}", "msup": "{%s}^{%s}", "msub": "{%s}_{%s}", "msubsup": "{%s}_{%s}^{%s}",
    "munder": "{%s}_{%s}", "mover": "{%s}^{%s}", "munderover": "{%s}_{%s}^{%s}",
}  # fmt: skip
_SPECIAL = str.maketrans({"%": r"\%", "{": r"\{", "}": r"\}", "#": r"\#", "&": r"\&", "_": r"\_"})
_MOST_DEPTH = 100


def latex_of_mathml(xml: str) -> str:
    """The LaTeX of a `<math>` element; "" for text that is no XML.

    >>> latex_of_mathml("<math><mfrac><mi>a</mi><mn>2</mn></mfrac><mo>=</mo><mi>b</mi></math>")
    '\\\\frac{a}{2} = b'
    """
    try:
        return _written(mathml_root(xml), 0)
    except DataError:
        return ""


def _written(element: Any, depth: int) -> str:
    name = str(element.tag).rpartition("}")[2]
    if depth > _MOST_DEPTH or name in ("annotation", "annotation-xml", "mphantom"):
        return ""
    text = (element.text or "").strip()
    if name == "mtext":
        return rf"\text{{{text.translate(_SPECIAL)}}}"
    if name in ("mi", "mn", "mo"):
        word = len(text) > 1 and text.isalpha()
        return rf"\operatorname{{{text}}}" if word else text.translate(_SPECIAL)
    parts = [_written(child, depth + 1) for child in element]
    if name == "mroot" and len(parts) == 2:
        return rf"\sqrt[{parts[1]}]{{{parts[0]}}}"
    if name == "msqrt":
        return rf"\sqrt{{{' '.join(parts)}}}"
    if name == "mfenced":
        return f"({', '.join(parts)})"
    form = _FORMS.get(name)
    if form and form.count("%s") == len(parts):
        return form % tuple(parts)
    return " ".join(part for part in parts if part)
