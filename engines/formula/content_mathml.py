"""Content MathML, as LaTeXML writes it, as operator trees."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from engines.formula.mathml import mathml_root
from engines.formula.operator_tree import ABSENT, OperatorTree, apply, fragments
from engines.formula.room import room

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["read_content_mathml"]

_UNORDERED = "times plus eq neq approx equivalent union intersect and or"
_ORDERED = (
    "minus divide lt gt leq geq subset prsubset notsubset in notin forall exists not implies int sum product"
    " partialdiff limit factorial compose root setdiff rem power quotient"
)
_FUNCTIONS = (
    "sin cos tan sec csc cot sinh cosh tanh sech csch coth arcsin arccos arctan arcsinh arccosh arctanh exp"
    " log ln min max gcd lcm abs floor ceiling arg real imaginary conjugate"
)
_CONSTANTS = "infinity emptyset exponentiale imaginaryi pi eulergamma reals integers naturalnumbers rationals"
_LABELS: Mapping[str, str] = {
    **{name: f"U!{name}" for name in _UNORDERED.split()},
    **{name: f"O!{name}" for name in _ORDERED.split()},
    **{name: f"F!{name}" for name in _FUNCTIONS.split()},
    **{name: f"C!{name}" for name in _CONSTANTS.split()},
    "determinant": "F!det",
}
_SYMBOLS: Mapping[str, str] = {
    "superscript": "O!SUP",
    "subscript": "O!SUB",
    "fragments": "O!fragments",
    "formulae-sequence": "O!form-seq",
    "missing-subexpression": "W!",
    "absent": "W!",
    "for-all": "O!forall",
    "modulo": "O!rem",
    "similar-to": "U!similar-to",
    "approximately-equals": "U!approx",
    "iff": "U!iff",
    "delimited-[]": "M!D-lsqb;&rsqb;",
    "hyperbolic-cotangent": "F!coth",
}
"""What LaTeXML names in words; all others are ordered operators of their name."""
_CLOSURES = {"open": "O-O", "closed": "C-C", "open-closed": "O-C", "closed-open": "C-O"}
_ESCAPES = {"[": "&lsqb;", "]": "&rsqb;", ",": "&comma;", "?": "&quest;"}
"""Characters that the published labels spell out."""


def read_content_mathml(xml: str) -> OperatorTree:
    """The operator tree of a `<math>` element of Content MathML.

    >>> str(read_content_mathml("<math><apply><plus/><ci>x</ci><cn>1</cn></apply></math>"))
    '(U!plus V!x N!1)'

    Raises:
        DataError E317: for text that is no XML.
    """
    children = list(mathml_root(xml))
    if not children:
        return ABSENT
    with room():
        found = _tree(children[0])
    return found.cut() if found.tall() else found


def _tree(element: _Element) -> OperatorTree:
    name = _name(element)
    children = list(element)
    if name == "apply":
        return _applied(children)
    if name == "cerror":
        return fragments([_tree(child) for child in children[1:]])
    if name in ("ci", "cn", "mtext", "csymbol"):
        return _leaf(name, element)
    if name == "interval":
        closure = _CLOSURES.get(element.get("closure", "closed"), "C-C")
        return OperatorTree(f"O!interval({closure})", tuple(map(_tree, children)))
    if name in ("set", "list", "vector"):
        return OperatorTree(f"M!{name[0].upper()}-{len(children)}", tuple(map(_tree, children)))
    if name == "matrix":
        rows = tuple(map(_tree, children))
        width = max((len(row.children) for row in rows), default=0)
        return OperatorTree(f"M!M-{len(rows)}x{width}", rows)
    if name == "matrixrow":
        return OperatorTree("M!R!", tuple(map(_tree, children)))
    if name == "merror":
        return OperatorTree("E!", tuple(map(_tree, children)))
    return OperatorTree(_LABELS.get(name, f"-!{name}"), tuple(map(_tree, children)))


def _name(element: _Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _leaf(name: str, element: _Element) -> OperatorTree:
    text = unicodedata.normalize("NFKC", "".join(map(str, element.itertext())).strip())
    if name == "cn":
        return OperatorTree(f"N!{text}")
    if name == "mtext":
        return ABSENT if len(element) else OperatorTree(f"T!{text}")
    if name == "ci":
        if len(element):
            return ABSENT
        # LaTeXML names letters that have two shapes: italic-ϵ.
        return OperatorTree(f"V!{_ESCAPES.get(text, text)}")
    if len(element):
        return _tree(element[0])
    if element.get("cd") == "unknown":
        return OperatorTree(f"-!{text.lower()}")
    return OperatorTree(_SYMBOLS.get(text, f"O!{text}"))


def _applied(children: Sequence[_Element]) -> OperatorTree:
    if not children:
        return ABSENT
    degree = next((child for child in children[1:] if _name(child) == "degree"), None)
    operands = [_tree(child) for child in children[1:] if _name(child) not in ("degree", "share")]
    operator = _tree(children[0])
    if operator.label == "O!root":
        operands.append(_tree(degree[0]) if degree is not None and len(degree) else OperatorTree("N!2"))
    elif operator == OperatorTree("O!int"):
        operands += [ABSENT, ABSENT]
    if operator.label.startswith(("V!", "-!")) and not operator.children:
        operator = OperatorTree(f"F!{operator.label[2:]}")
    return apply(operator, operands)
