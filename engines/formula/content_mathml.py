"""Content MathML as operator trees, and the elements of MathML of either kind."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from engines.core.errors import DataError
from engines.formula.operator_tree import ABSENT, OperatorTree, apply_operator, deep_recursion, make_fragments

if TYPE_CHECKING:
    from lxml.etree import _Element


def mathml_root(xml: str) -> _Element:
    """Parse Presentation or Content MathML and return its root element, without comments.

    Entities and external files are not read.

    Raises:
        DataError: E317 for text that is no XML.
    """
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True, huge_tree=True
    )
    try:
        return etree.fromstring(xml.encode(), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise DataError(f"not well-formed MathML: {error}", code="E317") from error


def name_of(element: _Element) -> str:
    """Return the name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


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
    """Return the operator tree of a `<math>` element of Content MathML.

    >>> str(read_content_mathml("<math><apply><plus/><ci>x</ci><cn>1</cn></apply></math>"))
    '(U!plus V!x N!1)'

    Raises:
        DataError E317: for text that is no XML.
    """
    children = list(mathml_root(xml))
    if not children:
        return ABSENT
    with deep_recursion():
        result = _to_tree(children[0])
    return result.cut_deep_parts() if result.is_too_tall() else result


def _to_tree(element: _Element) -> OperatorTree:
    name = name_of(element)
    children = list(element)
    # Content markup names its operators by elements; these have children with a meaning of their own.
    if name == "apply":
        return _apply_operator(children)
    if name == "cerror":
        return make_fragments([_to_tree(child) for child in children[1:]])
    if name in ("ci", "cn", "mtext", "csymbol"):
        return _leaf_to_tree(name, element)
    if name == "interval":
        closure = _CLOSURES.get(element.get("closure", "closed"), "C-C")
        return OperatorTree(f"O!interval({closure})", tuple(map(_to_tree, children)))
    # The label contains the number of elements, so that collections of different sizes differ.
    if name in ("set", "list", "vector"):
        return OperatorTree(f"M!{name[0].upper()}-{len(children)}", tuple(map(_to_tree, children)))
    if name == "matrix":
        rows = tuple(map(_to_tree, children))
        width = max((len(row.children) for row in rows), default=0)
        return OperatorTree(f"M!M-{len(rows)}x{width}", rows)
    if name == "matrixrow":
        return OperatorTree("M!R!", tuple(map(_to_tree, children)))
    if name == "merror":
        return OperatorTree("E!", tuple(map(_to_tree, children)))
    # Anything else is an operator without operands, or unknown, which "-!" marks.
    return OperatorTree(_LABELS.get(name, f"-!{name}"), tuple(map(_to_tree, children)))


def _leaf_to_tree(name: str, element: _Element) -> OperatorTree:
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
        return _to_tree(element[0])
    if element.get("cd") == "unknown":
        return OperatorTree(f"-!{text.lower()}")
    return OperatorTree(_SYMBOLS.get(text, f"O!{text}"))


def _apply_operator(children: Sequence[_Element]) -> OperatorTree:
    if not children:
        return ABSENT
    degree = next((child for child in children[1:] if name_of(child) == "degree"), None)
    operands = [_to_tree(child) for child in children[1:] if name_of(child) not in ("degree", "share")]
    operator = _to_tree(children[0])
    if operator.label == "O!root":
        operands.append(_to_tree(degree[0]) if degree is not None and len(degree) else OperatorTree("N!2"))
    elif operator == OperatorTree("O!int"):
        operands += [ABSENT, ABSENT]
    if operator.label.startswith(("V!", "-!")) and not operator.children:
        operator = OperatorTree(f"F!{operator.label[2:]}")
    return apply_operator(operator, operands)
