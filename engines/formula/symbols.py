"""The symbols of LaTeX, amsmath and amssymb, each in one row of `assets/latex/symbols.tsv`, and the LaTeX
that other characters stand for.

    symbol    as it is written: `\\alpha`, `pmatrix`, `=`
    group     what people know it as; "" where it only changes the looks, or is another spelling
    unicode   how it is shown; "" where it has no character of its own
    role      what the parser does with it, one of `PieceRole` or of the lexer; "" for an unknown letter
    label     its operator tree, as LaTeXML's grammar names it
    term      what this label is called in terms: `<=`, `union`, `sum`; once for each label

The rows stand as readers look for them: commoner groups and symbols first. Of the symbols with one label, the
first is the one that is written.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from typing import NamedTuple

from engines.core.errors import DataError
from engines.core.system import asset
from engines.formula.operator_tree import OperatorTree


class PieceRole:
    """The roles that a piece of a formula may have in the formula."""

    ADD = "add"
    ANNOTATION = "annotation"
    ATOM = "atom"
    BAR = "bar"
    BIG = "big"
    CLOSE = "close"
    COLON = "colon"
    FUNCTION = "function"
    INTEGRAL = "integral"
    LIMIT = "limit"
    MODIFIER = "modifier"
    MULTIPLY = "multiply"
    NUMBER = "number"
    OPEN = "open"
    OPERATOR = "operator"
    PERIOD = "period"
    POSTFIX = "postfix"
    PUNCTUATION = "punctuation"
    RELATION = "relation"
    SCRIPT = "script"
    STRAY = "stray"
    UNKNOWN = "unknown"


BODIES = (PieceRole.BIG, PieceRole.INTEGRAL, PieceRole.LIMIT)
"""Roles of large operators, which take what follows."""
STARTS = {
    PieceRole.ATOM,
    PieceRole.UNKNOWN,
    PieceRole.NUMBER,
    PieceRole.OPEN,
    PieceRole.FUNCTION,
    PieceRole.OPERATOR,
    *BODIES,
}
"""Roles with which a factor begins."""
IMPLIES = {"O!implies": 1, "F!⇒": 1, "F!⟹": 1, "O!is-implied-by": -1, "F!⇐": -1, "F!⟸": -1}
IFF = {"U!iff", "F!⇔", "F!⟺", "F!↔", "F!⟷"}
ARROWS = {*IMPLIES, *IFF}
"""Labels of arrows between statements; of those that imply the direction."""


class SymbolRole(NamedTuple):
    """The role of a symbol, and its trees as an operator and where it stands alone."""

    role: str
    operator: OperatorTree
    alone: OperatorTree


_NAMED = (PieceRole.FUNCTION, PieceRole.LIMIT)
_NEGATED = (PieceRole.RELATION, PieceRole.OPERATOR)


@dataclass(frozen=True, slots=True)
class Symbol:
    """A row of the table of symbols; the module says what its columns are."""

    name: str
    group: str
    unicode: str
    role: str
    label: str
    term: str


@cache
def read_table() -> Mapping[str, Symbol]:
    """Return every row of the table of symbols, by symbol."""
    path, result = asset("latex/symbols.tsv"), dict[str, Symbol]()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()[1:], start=2):
        row = line.split("\t")
        if len(row) != len(fields(Symbol)) or row[0] in result:
            raise DataError("not a row of symbols", path=path, line=number, code="E300")
        result[row[0]] = Symbol(*row)
    return result


@cache
def symbol_roles() -> Mapping[str, SymbolRole]:
    """Return the symbols that have a role; all others are unknown letters."""
    result: dict[str, SymbolRole] = {}
    for name, symbol in read_table().items():
        if symbol.role:
            # A sign without a meaning is a function where it is applied, and a variable alone.
            bare = symbol.label.startswith("F!") and symbol.role not in _NAMED
            alone = f"V!{symbol.label[2:]}" if bare else symbol.label
            result[name] = SymbolRole(symbol.role, OperatorTree(symbol.label), OperatorTree(alone))
    return result


def list_meanings(*roles: str) -> Mapping[str, Symbol]:
    """Return the symbols of some roles that say what their label is called in terms, by label."""
    return {symbol.label: symbol for symbol in read_table().values() if symbol.term and symbol.role in roles}


@cache
def stacked_commands() -> Mapping[str, tuple[str, str]]:
    """Return what is set as one thing above another, by label: its first command with the role of that."""
    result: dict[str, tuple[str, str]] = {}
    for name, known in symbol_roles().items():
        if known.role in ("fraction", "infix"):
            result.setdefault(known.operator.label, (name, known.role))
    return result


def genfrac_label(fence: str, thickness: str) -> str:
    r"""Return what `\genfrac` makes: a thickness of zero means that there is no fraction line."""
    return "O!divide" if thickness[:1] != "0" else "O!binomial" if fence else "F!atop"


def negate_symbol(symbol: SymbolRole) -> SymbolRole | None:
    r"""Return the symbol that `\not` makes of a relation or operator without a row for its negation; None for
    others.
    """
    if symbol.role not in _NEGATED:
        return None
    kind, name = symbol.operator.label[:2], symbol.operator.label[2:]
    tree = OperatorTree(f"{kind}not-{name}")
    return SymbolRole(symbol.role, tree, tree)


@cache
def list_symbols() -> Mapping[str, Symbol]:
    """Return every symbol that has a group, by name, commoner groups and symbols first."""
    return {name: symbol for name, symbol in read_table().items() if symbol.group}


SCRIPTS = {"<super>": "^", "<sub>": "_"}
"""What raised and lowered characters are made of, and the marks of LaTeX."""
_SPELLED = {
    **dict.fromkeys("−–—‐‑‒﹣", "-"),
    **dict.fromkeys("′’´ʹ", "'"),
    "″": "''",
    "‴": "'''",
    "⁗": "''''",
    "∶": ":",
    "⁄": "/",
    "∕": "/",
    "、": ",",
    "\u2063": ",",  # the invisible separator of indices
    "∆": r"\Delta",
    "·": r"\cdot",
    "°": r"^{\circ}",
    "√": r"\sqrt",
    "∛": r"\sqrt[3]",
    "∜": r"\sqrt[4]",
    "‖": r"\|",
    "≤": r"\leq",
    "≥": r"\geq",
    "≠": r"\neq",
    "¬": r"\neg",
    "…": r"\dots",
}
"""The LaTeX of characters that are not their own command in the table, or not the one that trees are written
with."""


@cache
def _command_symbols() -> Mapping[str, str]:
    result: dict[str, str] = {}
    for name, symbol in sorted(list_symbols().items(), key=lambda pair: pair[0] not in symbol_roles()):
        character = symbol.unicode
        if len(character) == 1 and not character.isascii() and name[:1] == "\\" and symbol.group != "accents":
            result.setdefault(character, name)
    return result


@cache
def _accent_commands() -> Mapping[str, str]:
    result: dict[str, str] = {}
    for name, symbol in list_symbols().items():
        if symbol.group == "accents" and symbol.unicode:
            result.setdefault(symbol.unicode, name)
    return result


def accent_command(character: str) -> str:
    """Return the command of a combining accent; "" of other characters."""
    return _accent_commands().get(character, "")


def script_mark(character: str) -> str:
    """Return the mark of a raised or lowered character: ^ or _; "" of other characters."""
    return SCRIPTS.get(unicodedata.decomposition(character).partition(" ")[0], "")


@lru_cache(4096)
def latex_of(character: str) -> str:
    r"""Return the LaTeX that a character stands for.

    An unknown character stands for itself, and one that is not seen for nothing.

    >>> latex_of("≤"), latex_of("½"), latex_of("é"), latex_of("ﬁ"), latex_of("\N{FUNCTION APPLICATION}")
    ('\\leq', '\\frac{1}{2}', '\\acute{e}', 'fi', '')
    """
    if character in _SPELLED:
        return _SPELLED[character]
    # Format characters, such as a zero-width joiner, are invisible.
    if unicodedata.category(character) == "Cf":
        return ""
    # The kind of decomposition says what the character is made of: a fraction, a
    # font variant, a ligature.
    kind = unicodedata.decomposition(character).partition(" ")[0]
    plain = unicodedata.normalize("NFKC", character)
    parts = unicodedata.normalize("NFD", character)
    # A letter with one accent is the command of the accent with the letter.
    if (
        len(parts) == 2
        and parts[0].isalpha()
        and parts[0].isascii()
        and (command := accent_command(parts[1]))
    ):
        return f"{command}{{{parts[0]}}}"
    if len(plain) > 1 and plain.isascii() and plain.isalpha():
        return plain
    # U+2044 is the fraction slash that the compatibility decomposition of ½ contains.
    if kind == "<fraction>" and "⁄" in plain:
        above, _, below = plain.partition("⁄")
        return rf"\frac{{{above}}}{{{below}}}"
    # Letters in a mathematical font stay as they are: plain letters would lose their meaning.
    if kind == "<font>" and plain.isascii():
        return character
    if character in _command_symbols() and not unicodedata.name(character, "").startswith("LATIN "):
        return _command_symbols()[character]
    # Decompose further until the character has a spelling or no longer changes.
    return latex_of(plain) if len(plain) == 1 and plain != character else character


ALPHABETS = {
    "bb": ("DOUBLE-STRUCK", ("mathbb", "Bbb")),
    "script": ("SCRIPT", ("mathcal", "mathscr", "cal", "scr")),
    "fraktur": ("FRAKTUR", ("mathfrak", "frak")),
}
"""Alphabets with a meaning of their own: what Unicode calls them, and the commands that ask for them."""
ALPHABET_OF = {f"\\{name}": kind for kind, (_, names) in ALPHABETS.items() for name in names}
"""The alphabet that a command asks for."""


def to_alphabet(text: str, kind: str) -> str:
    """Return letters in blackboard bold, script or fraktur; other characters as they are."""
    name = ALPHABETS[kind][0]
    return "".join(_alphabet_letter(name, char) for char in text)


def split_alphabet(char: str) -> tuple[str, str] | None:
    """Return the alphabet and the plain letter of a letter in blackboard bold, script or fraktur, or None.

    >>> split_alphabet("ℝ"), split_alphabet("R")
    (('bb', 'R'), None)
    """
    if unicodedata.decomposition(char).startswith("<font>"):
        plain = unicodedata.normalize("NFKC", char)
        return next(((kind, plain) for kind in ALPHABETS if to_alphabet(plain, kind) == char), None)
    return None


def _alphabet_letter(alphabet: str, char: str) -> str:
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
