r"""Symbol layout trees: what a formula looks like, from LaTeX or Presentation MathML.

>>> str(layout_tree(r"x^2+\frac1n"))
'(line (V!x (above N!2)) O!+ (O!frac (over N!1) (under V!n)))'

A line holds the symbols from left to right. A symbol is labelled by its appearance alone: N (number), V
(letters), O (any other sign), M (table), T (text), W (nothing). Lines hang on it by where they stand: above,
below, over, under, within, degree, cell. Limits of big operators are above and below however they are set,
and accents are signs with a line within, so that both sources give the same tree.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING

from engines.formula.content_mathml import mathml_root, name_of
from engines.formula.layout import Piece, read_pieces
from engines.formula.lexer import LatexSource
from engines.formula.operator_tree import ABSENT, OperatorTree, deep_recursion
from engines.formula.spans import node_spans
from engines.formula.symbols import PieceRole, list_symbols, stacked_commands

if TYPE_CHECKING:
    from lxml.etree import _Element


_SAME = str.maketrans({"−": "-", "∗": "*", "⋅": "·", "∣": "|", "‖": "∥", "〈": "⟨", "〉": "⟩", "’": "′"})
_INVISIBLE = "\u2061\u2062\u2063\u2064\u200b"
_ACCENTS = set("¯^~→˙¨⃛ˇ˘´`˚⏞⏟←↔")
_FENCES = {"p": "()", "b": "[]", "B": "{}", "v": "||", "V": "∥∥"}
_AROUND = {"F!abs": "||", "O!norm": "∥∥", "F!floor": "⌊⌋", "F!ceiling": "⌈⌉"}
_WORDS = {"\\bmod": "mod"}
_MATRIX = re.compile(r"\\begin\s*\{([pbBvV])(?:small)?matrix\}")


def _symbol_label(text: str) -> str:
    if text not in _ACCENTS:  # which would come apart
        text = "".join(unicodedata.normalize("NFKC", text.translate(_SAME)).split())
    if not text:
        return "W!"
    text = {"||": "∥"}.get(text, text)
    kind = "N" if text[0].isdigit() else "V" if text[0].isalpha() else "O"
    return f"{kind}!{text}"


def _join_line(row: Iterable[OperatorTree], where: str = "line") -> OperatorTree:
    return OperatorTree(where, tuple(row))


# LaTeX


def layout_tree(latex: str | LatexSource) -> OperatorTree:
    """Return the symbol layout tree of a LaTeX formula; never raises."""
    source = LatexSource.from_latex(latex)
    with deep_recursion():
        result = _join_line(
            _layout_row(
                read_pieces(source, lambda inner: _join_line(_layout_row(inner, source.latex))), source.latex
            )
        )
    return result.cut_deep_parts(node_spans(result, source)) if result.is_too_tall() else result


def _layout_row(parts: list[Piece], latex: str) -> list[OperatorTree]:
    result: list[OperatorTree] = []
    for part in parts:
        if part.role == PieceRole.SCRIPT:
            where = "above" if part.text == "O!SUP" else "below"
            base = result.pop() if result else ABSENT
            script = _join_line(_list_symbols(part.alone), where)
            hung = (*base.children, script) if where == "above" else (script, *base.children)
            result.append(OperatorTree(base.label, hung))
        else:
            result += _layout_piece(part, latex)
    return result


def _layout_piece(part: Piece, latex: str) -> list[OperatorTree]:
    tree, source = part.alone, latex[part.start : part.end]
    if tree.label == "V!quad":
        return []
    if tree.label.startswith("E!") and not tree.children:
        return [tree]
    if tree.label == "W!" and source:
        text = " ".join(re.sub(r"\\[A-Za-z]+|\\\\(?:\[.*\])?|[{}]", " ", source).split())
        return [OperatorTree(f"T!{text}")] if text else []
    if tree.children:
        return _layout_tree(tree, source)
    if not part.text and tree.label in ("W!", "V!"):
        return [ABSENT] if tree is ABSENT and not source else []
    return [OperatorTree(_symbol_label(_command_sign(part.text or tree.label[2:])))]


def _command_sign(name: str) -> str:
    """Return the sign of a command; a word where it has none: \\lim is lim."""
    if name.startswith("\\not") and name not in list_symbols() and len(name) > 4:
        return unicodedata.normalize("NFC", _command_sign(name[4:]) + "\u0338")
    known = list_symbols().get(name)
    return known.unicode if known and known.unicode else _WORDS.get(name, name.removeprefix("\\"))


def _list_symbols(tree: OperatorTree) -> list[OperatorTree]:
    """Return a line's symbols; what is a single token is no line yet."""
    if tree.label == "line":
        return list(tree.children)
    if tree.label.startswith("E!"):
        return [tree]
    return _layout_tree(tree, "") if tree.children else [OperatorTree(_symbol_label(tree.label[2:]))]


def _layout_tree(tree: OperatorTree, source: str) -> list[OperatorTree]:
    label = tree.label
    parts = [_list_symbols(child) for child in tree.children]
    if label == "line":
        return list(tree.children)
    # Lines above and below each other: a fraction, or without its line a binomial.
    if label in stacked_commands():
        name = "O!frac" if label in ("O!divide", "O!continued-fraction") else "O!atop"
        made = OperatorTree(name, (_join_line(parts[0], "over"), _join_line(parts[1], "under")))
        fenced = label == "O!binomial"
        return [OperatorTree("O!("), made, OperatorTree("O!)")] if fenced else [made]
    if label == "F!pmod":
        return [OperatorTree("O!("), OperatorTree("V!mod"), *parts[0], OperatorTree("O!)")]
    if label in _AROUND and len(parts) == 1:
        left, right = (OperatorTree(f"O!{sign}") for sign in _AROUND[label])
        return [left, *parts[0], right]
    if label == "O!root" and len(parts) == 2:
        degree = () if tree.children[1].label == "N!2" else (_join_line(parts[1], "degree"),)
        return [OperatorTree("O!root", (_join_line(parts[0], "within"), *degree))]
    # A script hangs on the last symbol of its base, so (a+b)^2 has its exponent on the bracket.
    if label in ("O!SUP", "O!SUB"):
        base = parts[0][-1] if parts[0] else ABSENT
        where = "over" if label == "O!SUP" else "under"
        return [*parts[0][:-1], OperatorTree(base.label, (*base.children, _join_line(parts[1], where)))]
    if label == "O!cases":
        rows = [parts[at : at + 2] for at in range(0, len(parts), 2)]
        return [OperatorTree("O!{"), _make_table(rows)]
    if label.startswith("M!M-"):
        rows = [[_list_symbols(cell) for cell in row.children] for row in tree.children]
        # The brackets of a matrix are in the name of its environment, and so only in the source.
        fence = _MATRIX.match(source)
        if fence is None:
            return [_make_table(rows)]
        around = _FENCES[fence[1]]
        return [
            OperatorTree(_symbol_label(around[0])),
            _make_table(rows),
            OperatorTree(_symbol_label(around[1])),
        ]
    # Anything else keeps its label and has its parts inside.
    return [OperatorTree(label, tuple(_join_line(part, "within") for part in parts))]


def _make_table(rows: list[list[list[OperatorTree]]]) -> OperatorTree:
    size = f"{len(rows)}x{max(map(len, rows), default=0)}"
    return OperatorTree(f"M!{size}", tuple(_join_line(cell, "cell") for row in rows for cell in row))


# Presentation MathML


def read_presentation_mathml(xml: str) -> OperatorTree:
    """Return the symbol layout tree of a `<math>` element of Presentation MathML.

    >>> str(read_presentation_mathml("<math><msup><mi>x</mi><mn>2</mn></msup></math>"))
    '(line (V!x (above N!2)))'

    Raises:
        DataError E317: for text that is no XML.
    """
    with deep_recursion():
        result = _join_line(_layout_elements(list(mathml_root(xml))))
    return result.cut_deep_parts() if result.is_too_tall() else result


def _layout_elements(elements: Iterable[_Element]) -> list[OperatorTree]:
    return [symbol for element in elements for symbol in _layout_element(element)]


def _layout_element(element: _Element) -> list[OperatorTree]:
    name = name_of(element)
    inner = list(element)
    if name in ("mi", "mo", "mn", "ms"):
        text = "".join(map(str, element.itertext())).strip(_INVISIBLE)
        return [OperatorTree(_symbol_label(text))] if text.strip() else []
    if name == "mtext":
        text = " ".join("".join(map(str, element.itertext())).replace("\xa0", " ").split())
        return [OperatorTree(f"T!{text}")] if text else []
    # What is invisible or only repeats the formula in another form has no symbols.
    if name in ("mspace", "mphantom", "none", "annotation", "annotation-xml"):
        return []
    # The first child is the presentation; annotations follow.
    if name == "semantics":
        return _layout_elements(inner[:1])
    if name in ("msup", "msub", "msubsup", "munder", "mover", "munderover"):
        return _layout_scripts(name, inner)
    if name == "mmultiscripts":
        return _layout_multiscripts(inner)
    if name == "mfrac" and len(inner) == 2:
        # A fraction line of zero thickness is no line.
        label = "O!atop" if element.get("linethickness", "") in ("0", "0pt", "0.0pt") else "O!frac"
        parts = (
            _join_line(_layout_element(inner[0]), "over"),
            _join_line(_layout_element(inner[1]), "under"),
        )
        return [OperatorTree(label, parts)]
    if name == "msqrt":
        return [OperatorTree("O!root", (_join_line(_layout_elements(inner), "within"),))]
    if name == "mroot" and len(inner) == 2:
        parts = (
            _join_line(_layout_element(inner[0]), "within"),
            _join_line(_layout_element(inner[1]), "degree"),
        )
        return [OperatorTree("O!root", parts)]
    if name == "mtable":
        return [_make_table([[_layout_elements(list(cell)) for cell in row] for row in inner])]
    # Unknown elements and rows are transparent.
    return _layout_elements(inner)


def _layout_scripts(name: str, inner: list[_Element]) -> list[OperatorTree]:
    base = _layout_element(inner[0]) if inner else []
    lines = [_layout_element(one) for one in inner[1:]]
    positions = {
        "msup": ("above",),
        "msub": ("below",),
        "msubsup": ("below", "above"),
        "mover": ("over",),
        "munder": ("under",),
        "munderover": ("under", "over"),
    }[name]
    # A script that is an accent makes an accented symbol of its base.
    if name in ("mover", "munder") and lines and len(lines[0]) == 1 and lines[0][0].label[2:] in _ACCENTS:
        return [OperatorTree(f"F!{lines[0][0].label[2:]}", (_join_line(base, "within"),))]
    # Limits above and below a large operator count as its scripts, whichever way they are set.
    if positions[0] in ("over", "under") and str(inner[0].tag).endswith("mo") and base:
        positions = tuple({"over": "above", "under": "below"}[index] for index in positions)
    last = base[-1] if base else ABSENT
    hung = tuple(_join_line(line, position) for line, position in zip(lines, positions, strict=False))
    return [*base[:-1], OperatorTree(last.label, (*last.children, *hung))]


def _layout_multiscripts(inner: list[_Element]) -> list[OperatorTree]:
    """Return a base with scripts on either side; those before it hang on nothing."""
    names = [name_of(one) for one in inner]
    cut = names.index("mprescripts") if "mprescripts" in names else len(inner)

    def hang_scripts(scripts: list[_Element]) -> tuple[OperatorTree, ...]:
        lines = [(_layout_element(one), ("below", "above")[at % 2]) for at, one in enumerate(scripts)]
        return tuple(_join_line(line, where) for line, where in lines if line)

    base = _layout_element(inner[0]) if inner else []
    last = base[-1] if base else ABSENT
    before = hang_scripts(inner[cut + 1 :])
    lead = [OperatorTree("W!", before)] if before else []
    return [*lead, *base[:-1], OperatorTree(last.label, (*last.children, *hang_scripts(inner[1:cut])))]


def layout_string(tree: OperatorTree) -> str:
    """Return a symbol layout tree on one line: symbols, and where a line hangs before what it holds.

    >>> layout_string(layout_tree("x^2+1"))
    'x above 2 + 1'
    """
    words = (node.label.partition("!")[2] or node.label for node in tree.walk_nodes() if node.label != "line")
    return " ".join(word for word in words if word != "W!")
