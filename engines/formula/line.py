"""Pieces of a formula and how they are put on one line: spaces, brackets, scripts, letters."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace

from engines.formula.symbols import symbols

__all__ = [
    "ALPHABETS",
    "CASES",
    "MATRICES",
    "Atom",
    "accented",
    "alphabet",
    "character",
    "choose",
    "fraction",
    "is_product",
    "joined",
    "lettered",
    "plain_symbol",
    "root",
    "scripted",
    "table",
]

_SCRIPT = 6
"""Longer scripts are written with ^ and _."""
_SUPER = str.maketrans("0123456789+−=()niT", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵀ")
_SUB = str.maketrans("0123456789+−=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
_RAISED = {"∘": "°", "∗": "*", "*": "*", "′": "′", "′′": "″", "†": "†", "⊤": "ᵀ", "⟂": "^⟂"}
_CLOSERS = {"(": ")", "[": "]", "{": "}", "|": "|", "‖": "‖", "": ""}
ALPHABETS = {
    "bb": ("DOUBLE-STRUCK", ("mathbb", "Bbb")),
    "script": ("SCRIPT", ("mathcal", "mathscr", "cal", "scr")),
    "fraktur": ("FRAKTUR", ("mathfrak", "frak")),
}
"""Alphabets with a meaning of their own: what Unicode calls them, and the commands that ask for them."""
_KINDS = {
    "relations": "relation",
    "arrows": "relation",
    "operators": "binary",
    "large": "large",
    "functions": "function",
}
_OPEN, _CLOSE = set("([{⟨⌊⌈⌜⌞⟦"), set(")]}⟩⌋⌉⌝⌟⟧")
MATRICES = {"pmatrix": "(", "bmatrix": "[", "Bmatrix": "{", "vmatrix": "|", "Vmatrix": "‖"}
CASES = ("cases", "dcases", "rcases")
_ROOTS = {"2": "√", "3": "∛", "4": "∜", "": "√"}
_LIMITS = ("lim", "sup", "inf", "max", "min")
_DIFFERENTIAL = re.compile(r"[d∂]\w[²³]?")


@dataclass(frozen=True, slots=True)
class Atom:
    """A piece of the line. `kind` decides the spaces around it: ordinary, number, relation, binary, open,
    close, punctuation, function, large, fraction, text, space, command."""

    text: str
    kind: str = "ordinary"
    weight: int = 0
    """As a part of something larger: 0 stands alone, 1 is a product such as 2x, 2 needs brackets."""
    scripts: str = ""
    """The marks of the scripts that it has."""
    grouped: bool = False
    """Whether it takes a script only in brackets."""


def character(text: str) -> Atom:
    """A character that is no command."""
    if text in "+-*/":
        return Atom("−" if text == "-" else text, "ordinary" if text == "/" else "binary")
    if text in "=<>":
        return Atom(text, "relation")
    if text in ",;:":
        return Atom(text, "punctuation")
    if text in _OPEN:
        return Atom(text, "open")
    if text in _CLOSE:
        return Atom(text, "close")
    return Atom(text)


def plain_symbol(text: str) -> Atom:
    """A command that stands for one symbol; an unknown one as it is written."""
    symbol = symbols().get(text)
    if symbol is None or not (symbol.unicode or symbol.group == "functions"):
        return Atom(text, "command")
    shown = symbol.unicode or text[1:]
    if shown in _OPEN or shown in _CLOSE:
        return Atom(shown, "open" if shown in _OPEN else "close")
    if text == "\\colon":
        return Atom(":", "punctuation")
    return Atom(shown, _KINDS.get(symbol.group, "ordinary"))


def scripted(mark: str, body: str, *, plain: bool) -> str:
    """A script as Unicode has it, else with its mark, ^ or _; `plain` always takes the mark."""
    if not body:
        return ""
    if mark == "^" and body in _RAISED:
        return _RAISED[body]
    table = _SUPER if mark == "^" else _SUB
    if not plain and len(body) <= _SCRIPT and all(ord(char) in table for char in body):
        return body.translate(table)
    return f"{mark}{body}" if len(body) == 1 else f"{mark}{{{body}}}"


def is_product(atoms: list[Atom]) -> bool:
    """Whether the atoms are factors beside each other."""
    return all(atom.weight < 2 and atom.kind in ("ordinary", "number", "command") for atom in atoms)


def _part(atoms: list[Atom], *, product: bool) -> str:
    """A side of a fraction, in brackets where they are needed; `product` lets `2x` go without."""
    text = joined(atoms, tight=True).strip()
    alone = len(atoms) == 1 and atoms[0].weight == 0
    if alone and atoms[0].kind in ("ordinary", "number", "close", "command"):
        return text
    return text if _DIFFERENTIAL.fullmatch(text) or (product and is_product(atoms)) else f"({text})"


def fraction(top: list[Atom], bottom: list[Atom]) -> Atom:
    """`(a+b)/c`, brackets only where they are needed."""
    return Atom(f"{_part(top, product=True)}/{_part(bottom, product=False)}", "fraction", weight=2)


def choose(top: list[Atom], bottom: list[Atom]) -> Atom:
    """A binomial coefficient."""
    return Atom(f"C({joined(top, tight=True)},{joined(bottom, tight=True)})", "close")


def root(index: str, atoms: list[Atom]) -> Atom:
    """`√x`, `∛(x+1)`, `ⁿ√x`."""
    text = joined(atoms, tight=True).strip()
    sign = _ROOTS.get(index) or f"{scripted('^', index, plain=False)}√"
    alone = len(atoms) == 1 and atoms[0].weight == 0 and atoms[0].kind in ("ordinary", "number")
    alone = alone and text.isalnum() and "^" not in atoms[0].scripts
    shown = f"{sign}{text}" if alone else f"{sign}({text})"
    return Atom(shown, grouped=True)


def accented(command: str, combining: str, text: str) -> Atom:
    """A letter with its accent, several with a line; other accents over several as a function."""
    if not combining:
        return Atom(text)
    if len(text) == 1 or command in ("\\overline", "\\underline", "\\bar"):
        return Atom("".join(char + combining if char != " " else char for char in text))
    return Atom(f"{command[1:]}({text})", "close") if text else Atom("")


def lettered(text: str, kind: str) -> str:
    """Letters in blackboard bold, script or fraktur; other characters as they are."""
    name = ALPHABETS[kind][0]
    return "".join(_letter(name, char) for char in text)


def alphabet(char: str) -> tuple[str, str] | None:
    """Of a letter in blackboard bold, script or fraktur the alphabet and the plain letter.

    >>> alphabet("ℝ"), alphabet("R")
    (('bb', 'R'), None)
    """
    if unicodedata.decomposition(char).startswith("<font>"):
        plain = unicodedata.normalize("NFKC", char)
        return next(((kind, plain) for kind in ALPHABETS if lettered(plain, kind) == char), None)
    return None


def _letter(alphabet: str, char: str) -> str:
    if not (char.isascii() and char.isalnum()):
        return char
    case = "DIGIT" if char.isdigit() else "CAPITAL" if char.isupper() else "SMALL"
    own = unicodedata.name(char).rsplit(" ", 1)[1]
    # A few letters were in Unicode before the mathematical alphabets: ℝ, ℒ, ℭ.
    for prefix in ("", "BLACK-LETTER" if alphabet == "FRAKTUR" else "", "MATHEMATICAL"):
        words = [prefix, *([] if prefix == "BLACK-LETTER" else [alphabet]), case, own]
        try:
            return unicodedata.lookup(" ".join(filter(None, words)))
        except KeyError:
            continue
    return char


def table(name: str, rows: list[list[str]]) -> Atom:
    """A matrix on one line, `(a b; c d)`, or the cases of a definition."""
    if name in CASES:
        return Atom("{" + "; ".join(", ".join(filter(None, row)) for row in rows), "close")
    left = MATRICES.get(name, "[")
    body = "; ".join(" ".join(cell or "·" for cell in row) for row in rows)
    return Atom(f"{left}{body}{_CLOSERS[left]}", "close")


def joined(atoms: list[Atom], *, tight: bool) -> str:
    """The line of atoms, with spaces around what relates and between words."""
    pieces: list[str] = []
    before: Atom | None = None
    for position, atom in enumerate(atoms):
        if atom.kind == "binary" and (
            before is None
            or before.kind in ("relation", "binary", "open", "punctuation", "function", "large")
        ):
            atom = replace(atom, kind="ordinary")
        if atom.kind == "fraction":
            after = atoms[position + 1].kind if position + 1 < len(atoms) else ""
            near = ("ordinary", "number", "open", "close", "fraction", "large", "function")
            applied = before is not None and before.kind == "function" and not before.text.startswith(_LIMITS)
            beside = applied or (before is not None and before.kind in ("ordinary", "number"))
            if after in near[:3] + near[4:] or beside:
                atom = Atom(f"({atom.text})", "close")
        if before is not None and _apart(before, atom, tight):
            pieces.append(" ")
        pieces.append(atom.text)
        before = atom
    return "".join(pieces)


_WORD = ("ordinary", "number", "fraction", "text", "command", "function", "large")


def _apart(a: Atom, b: Atom, tight: bool) -> bool:
    if "space" in (a.kind, b.kind):
        return False
    if not tight and ("relation" in (a.kind, b.kind) or "binary" in (a.kind, b.kind)):
        return True
    if a.kind == "punctuation":
        return not tight and not (a.text == "," and b.kind == "number")
    if "mod" in (a.text, b.text):
        return True
    if a.text[-2:-1] in ("^", "_", *_ROOTS.values()) and b.text[:1].isalnum():
        # Else it would read as a part of the script or root: x^j C(k,j).
        return True
    if a.kind == "large" or (a.kind == "function" and "_" in a.text):
        return b.text[:1] in _OPEN or b.text[:1].isalnum() or b.kind in _WORD
    if a.kind == "function":
        return b.text[:1].isalnum() or b.kind in _WORD
    if b.kind in ("function", "large"):
        return a.kind in ("ordinary", "number", "close", "fraction", "command", "text")
    if a.kind == "command":
        return b.text[:1].isalpha()
    if "text" in (a.kind, b.kind):
        return a.text[-1:].isalnum() and b.text[:1].isalnum()
    return a.kind == "number" and b.kind == "number"
