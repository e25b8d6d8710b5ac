"""Formulas that are no LaTeX: plain text (`2*x^2 <= sqrt(2)`) and Presentation MathML as LaTeX, Content
MathML as terms."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from engines.core.tree import Tree
from engines.formula.cursor import UnreadError, negative, nested
from engines.formula.mathml import mathml_root, name_of
from engines.formula.operator_tree import deep_recursion
from engines.formula.symbols import symbols
from engines.formula.words import ONE_PLACE, UNITS

if TYPE_CHECKING:
    from lxml.etree import _Element

_SIGNS = {
    "**": "^",
    "<=": r"\le ",
    ">=": r"\ge ",
    "!=": r"\ne ",
    "<>": r"\ne ",
    "==": "=",
    "<=>": r"\iff ",
    "=>": r"\implies ",
    "->": r"\to ",
    "+-": r"\pm ",
    "+/-": r"\pm ",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "&": r"\&",
    "{": r"\{",
    "}": r"\}",
    "...": r"\ldots ",
}
_PLAIN = re.compile(
    r"(?P<raised>[\^_]|\*\*)\s*(?:(?P<group>\()|(?P<script>[-+]?[0-9]+(?:\.[0-9]+)?|-?[^\W\d_]+))"
    r"|(?P<word>[^\W\d_]{2,})"
    r"|(?P<sign><=>|\+/-|\.\.\.|\*\*|<=|>=|!=|<>|==|=>|->|\+-|[%$#&{}])",
)
_ANSWERS = ("yes", "no", "odd", "any", "all")
"""Short words that are an answer, and no product."""
_WORDS = re.compile(r"\s*[^\W\d_]{2,}(?:\s+[^\W\d_]+)*[.!]?\s*")
_GREEK = {"inf": r"\infty", "infinity": r"\infty", "oo": r"\infty", "pi": r"\pi", "degrees": r"^\circ"}
_SEVERAL = ("min", "max", "gcd", "lcm", "mod", "lim")
_CONNECTED = ("and", "or", "if", "in")


def latex_of_plain(text: str) -> str:
    r"""Plain text as LaTeX: whole numbers and brackets are exponents, words are functions, Greek letters or
    texts. Of other letters behind ^ one is the exponent, as in LaTeX.

    >>> latex_of_plain("2*x^10 <= sqrt(2)^(n+1)")
    '2*x^{10} \\le  \\operatorname{sqrt}(2)^{n+1}'
    """
    words = text.strip(" .!").split()
    if _WORDS.fullmatch(text) and (
        len(words) > 1 or words[0].lower() in _ANSWERS or _word(words[0]).startswith(r"\text")
    ):
        return rf"\text{{{text.strip()}}}"
    found: list[str] = []
    closing: list[int] = []
    depth = at = 0

    def copied(piece: str) -> None:
        nonlocal depth
        for char in piece:
            depth += (char == "(") - (char == ")")
            if char == ")" and closing and closing[-1] == depth:
                closing.pop()
                found.append("}")
            else:
                found.append(char)

    for match in _PLAIN.finditer(text):
        copied(text[at : match.start()])
        at = match.end()
        if match["group"]:
            closing.append(depth)
            depth += 1
            found.append("_{" if match["raised"] == "_" else "^{")
        elif match["script"]:
            script = match["script"]
            mark = "_" if match["raised"] == "_" else "^"
            sign, letters = script[: script[0] == "-"], script.lstrip("-")
            named = _word(letters) if letters.isalpha() and len(letters) > 1 else letters
            if mark == "^" and len(named) > 1 and named.isalpha():
                found.append(f"^{{{sign}{named[0]}}}{_word(named[1:])}")
            else:
                found.append(f"{mark}{{{sign}{named}}}")
        else:
            found.append(_word(match["word"]) if match["word"] else _SIGNS[match["sign"]])
    copied(text[at:])
    return "".join(found)


def _word(word: str) -> str:
    lower = word.lower()
    if lower in _GREEK:
        return _GREEK[lower] + " "
    if rf"\{word}" in symbols() and len(symbols()[rf"\{word}"].unicode) == 1 and word not in ("in", "to"):
        return rf"\{word} "
    if word in ONE_PLACE or word in _SEVERAL:
        return (
            rf"\operatorname{{{word}}}" if word not in ("lim", "mod") else rf"\{'b' * (word == 'mod')}{word} "
        )
    if word == "in":
        return r"\in "
    if lower in _CONNECTED or word in UNITS or len(word) > 3:
        return rf"\text{{ {word} }}"
    return word


# MathML

_SCRIPTS = {"msup": "^", "msub": "_", "munder": "_", "mover": "^", "msubsup": "_^", "munderover": "_^"}


def meant_by_mathml(xml: str) -> str | Tree:
    """LaTeX of Presentation MathML, and the term of Content MathML. An annotation in TeX goes before both.

    Raises: UnreadError for what has neither; DataError E317 for text that is no XML.
    """
    root = mathml_root(xml)
    for element in root.iter():
        if name_of(element) == "annotation" and "tex" in (element.get("encoding") or "").lower():
            return "".join(map(str, element.itertext()))
    with deep_recursion():
        inner = next((one for one in root.iter() if name_of(one) == "annotation-xml"), root)
        if any(name_of(one) in ("apply", "ci", "cn", "csymbol") for one in inner.iter()):
            children = [one for one in inner if name_of(one) != "semantics"]
            if len(children) != 1:
                raise UnreadError("not one formula")
            return _term(children[0])
        return _latex(root)


def _latex(element: _Element) -> str:
    name, parts = name_of(element), [_latex(child) for child in element]
    text = "".join(map(str, element.itertext())).strip()
    if name in ("mi", "mo", "mn", "mtext"):
        if name == "mtext":
            return rf"\text{{{text}}}"
        if name == "mi" and len(text) > 1:
            return rf"\operatorname{{{text}}}" if text.isalpha() else text
        return {"{": r"\{", "}": r"\}", "%": r"\%", "\u2061": "", "\u2062": " ", "&": r"\&"}.get(
            text, text + " "
        )
    if name in ("math", "mrow", "mstyle", "semantics", "mpadded", "mtd"):
        return "".join(parts)
    if name == "mspace":
        return r"\,"
    if name == "mfrac" and len(parts) == 2:
        return rf"\frac{{{parts[0]}}}{{{parts[1]}}}"
    if len(parts) == 1 + len(signs := _SCRIPTS.get(name, "")) > 1:
        marks = {"¯": r"\overline", "_": r"\overline", "^": r"\hat", "~": r"\tilde", "→": r"\vec"}
        if name == "mover" and parts[1].strip() in marks:
            return f"{marks[parts[1].strip()]}{{{parts[0]}}}"
        base, *scripts = parts
        whole = base if name_of(element[0]) in ("mi", "mo", "mn") else f"{{{base}}}"
        return whole + "".join(f"{sign}{{{script}}}" for sign, script in zip(signs, scripts, strict=True))
    if name == "msqrt":
        return rf"\sqrt{{{''.join(parts)}}}"
    if name == "mroot" and len(parts) == 2:
        return rf"\sqrt[{parts[1]}]{{{parts[0]}}}"
    if name == "mfenced":
        opening, closing = element.get("open", "("), element.get("close", ")")
        return opening + ",".join(parts) + closing
    if name == "mtable":
        rows = r"\\".join(parts)
        return rf"\begin{{matrix}}{rows}\end{{matrix}}"
    if name == "mtr":
        return "&".join(parts)
    raise UnreadError(f"<{name}> is not understood")


_SAME = "in approx subset and or not implies factorial abs floor arg union transpose set list matrix min max"
_LABELS = {
    **{name: name for name in (*_SAME.split(), "gcd", "lcm", "ln")},
    "eq": "=",
    "neq": "!=",
    "lt": "<",
    "gt": ">",
    "leq": "<=",
    "geq": ">=",
    "prsubset": "subset",
    "equivalent": "iff",
    "plus": "+",
    "minus": "-",
    "times": "*",
    "divide": "/",
    "power": "pow",
    "rem": "mod",
    "ceiling": "ceil",
    "real": "re",
    "imaginary": "im",
    "conjugate": "conj",
    "intersect": "intersection",
    "setdiff": "without",
    "determinant": "det",
    "vector": "tuple",
    "matrixrow": "row",
}
_LEAVES = {
    "pi": "pi",
    "exponentiale": "e",
    "imaginaryi": "i",
    "infinity": "inf",
    "reals": "ℝ",
    "integers": "ℤ",
}
_NESTED = ("+", "*", "min", "max", "gcd", "lcm", "union", "intersection")
_CLOSURES = {"open": "oo", "closed": "cc", "open-closed": "oc", "closed-open": "co"}


def _term(element: _Element) -> Tree:
    name = name_of(element)
    text = "".join(map(str, element.itertext())).strip()
    if name in ("cn", "ci"):
        if len(element) or not text:
            raise UnreadError(f"<{name}> with elements in it is not understood")
        return Tree(text)
    if name in _LEAVES:
        return Tree(_LEAVES[name])
    if name == "emptyset":
        return Tree("set")
    if name == "interval":
        closure = _CLOSURES.get(element.get("closure", "closed"), "")
        return Tree("interval", (Tree(closure), *map(_term, element)))
    if name in ("set", "list", "vector", "matrix", "matrixrow"):
        return Tree(_LABELS[name], tuple(map(_term, element)))
    if name != "apply" or not len(element):
        raise UnreadError(f"<{name}> is not understood")
    operator, *rest = element
    marks = {name_of(one): one for one in rest}
    given = [_term(one) for one in rest if name_of(one) not in _MARKS]
    return _applied(name_of(operator), operator, {key: marks[key] for key in _MARKS if key in marks}, given)


_MARKS = ("bvar", "lowlimit", "uplimit", "degree", "logbase", "condition")


def _applied(name: str, operator: _Element, marks: dict[str, _Element], given: list[Tree]) -> Tree:
    inner = {key: _term(one[0]) for key, one in marks.items() if len(one)}
    ranged = {"sum": "sum", "product": "prod", "int": "integral"}
    if name in ranged and inner.keys() == {"bvar", "lowlimit", "uplimit"} and len(given) == 1:
        return Tree(ranged[name], (inner["bvar"], inner["lowlimit"], inner["uplimit"], given[0]))
    if name == "int" and inner.keys() == {"bvar"} and len(given) == 1:
        return Tree("antiderivative", (inner["bvar"], given[0]))
    if name == "diff" and inner.keys() == {"bvar"} and len(given) == 1:
        return Tree("d", (inner["bvar"], given[0]))
    if name == "root" and len(given) == 1:
        degree = inner.get("degree", Tree("2"))
        return Tree("sqrt", tuple(given)) if degree == Tree("2") else Tree("root", (degree, given[0]))
    if name == "log" and len(given) == 1:
        return Tree("log", (inner.get("logbase", Tree("10")), given[0]))
    if inner:
        raise UnreadError(f"<{name}> with <{next(iter(inner))}> is not understood")
    if name == "exp" and len(given) == 1:
        return Tree("pow", (Tree("e"), given[0]))
    if name == "minus" and len(given) == 1:
        return negative(given[0])
    if name == "ci":
        return Tree("call", (_term(operator), *given))
    label = _LABELS.get(name) or ONE_PLACE.get(name, "")
    if label in _NESTED and given:
        return nested(label, given)
    chained = label in ("=", "!=", "<", "<=", ">", ">=", "in", "subset", "approx")
    if chained and len(given) > 2:
        return Tree("and", tuple(Tree(label, pair) for pair in pairwise(given)))
    two = chained or label in ("-", "/", "pow", "mod", "without")
    one = label in ONE_PLACE.values()
    if not label or not given or (two and len(given) != 2) or (one and len(given) != 1):
        raise UnreadError(f"<{name}> of {len(given)} is not understood")
    return Tree(label, tuple(given))
