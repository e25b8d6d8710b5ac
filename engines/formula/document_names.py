r"""What a document says of its letters: by how its formulas write them, and by its words.

Which letters are functions; where `i` is an index; which names have indices above them instead of exponents;
and whether π is the number or a name, such as that of a policy or a permutation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from engines.formula.cursor import UnreadError
from engines.formula.layout import Piece
from engines.formula.lexer import LatexSource
from engines.formula.meaning import Names, context_of, pieces_of
from engines.formula.symbols import PieceRole
from engines.formula.vocabulary import argument_pieces, bracket_after, is_variable, iterate_lines, name_of

_LET = re.compile(
    r"(?:function|map(?:ping)?|polynomial|sequence|funktion)s?\s+(?:be\s+)?\$?\\?([A-Za-z]+)\b", re.IGNORECASE
)
_ARROW = re.compile(r"(?<![A-Za-z\\])([A-Za-z])\s*(?::|\\colon)[^=]*?\\(?:to|rightarrow|mapsto)(?![a-z])")
_ACCENTS = {"F!¯": "\u0304", "F!^": "\u0302", "F!~": "\u0303", "F!˙": "\u0307", "F!¨": "\u0308"}
_NO_BASES = ("e", "i", "d", "ℝ", "ℤ", "ℕ", "ℂ", "ℚ")
_COUNTED = ("i", "j", "h", "μ", "ν")
"""Letters that count things, and are exponents only of sums over them."""
_DOTS = ("V!...", "V!⋯", "V!⋮", "V!⋱")
_ENOUGH = 2
_SHARE = 6


@dataclass(slots=True)
class ScriptCounts:
    """Count what stands above a name in a document, to tell indices from exponents.

    Attributes:
        indices: What a reader takes for an index.
        squares: 2 and 3, which can be either.
        powers: What a reader takes for an exponent.
        bracketed: Something in brackets.
        counted: Letters that count, such as n, where no index stands below.
    """

    indices: int = 0
    squares: int = 0
    powers: int = 0
    bracketed: int = 0
    counted: int = 0

    @property
    def is_indexed(self) -> bool:
        """Whether what stands above the name is an index."""
        indices = self.indices + (self.counted if self.indices else 0)
        return indices >= _ENOUGH and indices > 2 * self.powers and self.squares <= _SHARE * indices


@dataclass(slots=True)
class NameEvidence:
    """Collect what the formulas of a document show of its names.

    Attributes:
        functions: Names that are functions.
        letters: Names that are neither functions nor constants.
        scripts: What stands above each name.
        numbered: How often each name with a number below it occurs, such as `x_1`.
    """

    functions: set[str] = field(default_factory=set)
    letters: set[str] = field(default_factory=set)
    scripts: dict[str, ScriptCounts] = field(default_factory=dict)
    numbered: Counter[str] = field(default_factory=Counter)

    @property
    def names(self) -> Names:
        """The names as a reader of formulas takes them."""
        indexed = frozenset(self.list_indexed())
        return Names(
            frozenset(self.functions), frozenset(self.letters), indexed=indexed, reads_unknown_signs=True
        )

    def list_indexed(self) -> Iterator[str]:
        """Yield the names with indices above them, with a bracket behind where those are in brackets."""
        for name, counts in self.scripts.items():
            if counts.is_indexed:
                yield name
            elif counts.bracketed:
                yield f"{name}("


def names_of(formulas: Iterable[str | LatexSource], text: str = "") -> Names:
    r"""Return what the formulas of a document, and its text, say of its letters.

    >>> formulas = ["P(x) = x^2", r"q\colon A \to B", r"\omega^0 = 3, \omega^1 = 4, c^{(k)}"]
    >>> names = names_of(formulas, "a function $u$")
    >>> sorted(names.functions), sorted(names.indexed)
    (['P', 'q', 'u'], ['c(', 'ω'])
    """
    return gather_evidence(formulas, text).names


def gather_evidence(formulas: Iterable[str | LatexSource], text: str = "") -> NameEvidence:
    """Return what the formulas of a document, and its text, show of names.

    >>> gather_evidence(["x_1 + x_2 = x_1", r"\\lambda_{12}"]).numbered
    Counter({'x_1': 2, 'x_2': 1, 'λ_12': 1})
    """
    evidence = NameEvidence({match[1] for match in _LET.finditer(text) if len(match[1]) == 1})
    for formula in formulas:
        source = LatexSource.from_latex(formula)
        evidence.functions |= {match[1] for match in _ARROW.finditer(source.latex)}
        try:
            parts = pieces_of(source)
        except UnreadError:
            continue
        context = context_of(parts, Names())
        evidence.functions |= context.functions
        evidence.letters |= context.letters & {"i"}
        _count_in_formula(parts, evidence)
    return evidence


def _name_at(piece: Piece) -> str:
    """Return the name that a piece is, also with an accent; "" for another."""
    if is_variable(piece):
        return name_of(piece)
    mark = _ACCENTS.get(piece.alone.label, "")
    inside = argument_pieces(piece.alone.children[0]) if mark else ()
    return name_of(inside[0]) + mark if len(inside) == 1 and is_variable(inside[0]) else ""


def _count_in_formula(parts: Sequence[Piece], evidence: NameEvidence) -> None:
    above: dict[str, set[str]] = {}
    dots = False
    for line in iterate_lines(parts):
        for name, exponent in _count_scripts(line, evidence):
            above.setdefault(name, set()).add(exponent)
        dots = dots or any(one.alone.label in _DOTS for one in line)
    # A sum that goes on through the exponents 1 and 2, as n/k^1 + n/k^2 + …, is of powers.
    if dots and any(one.role == PieceRole.ADD for one in parts):
        for name, exponents in above.items():
            if {"1", "2"} <= exponents:
                evidence.scripts[name].powers += _ENOUGH


def _count_scripts(line: Sequence[Piece], evidence: NameEvidence) -> list[tuple[str, str]]:
    """Count what stands above the names of a line, and return the names with that."""
    scripted: list[tuple[str, str, str]] = []
    at = 0
    while at < len(line):
        name = _name_at(line[at])
        at += 1
        above = below = ""
        marks: tuple[Piece, ...] = ()
        while name and at < len(line) and line[at].role == PieceRole.SCRIPT:
            inside = argument_pieces(line[at].alone)
            written = "".join(one.text for one in inside)
            if line[at].text == "O!SUB":
                below = written
            else:
                above, marks = written, inside
            at += 1
        # What stands above e, i, d and the sets of numbers is never an index.
        if name in _NO_BASES or not (above or below):
            continue
        scripted.append((name, above, below))
        if below.isdecimal():
            evidence.numbered[f"{name}_{below}"] += 1
        if not above or not marks:
            continue
        counts = evidence.scripts.setdefault(name, ScriptCounts())
        if above[0] == "(" and above[-1] == ")" and above.count("(") == 1:
            counts.bracketed += 1
        elif above in ("0", "1"):
            # x^0 = 1 and x^1 = x are laws of exponents; anywhere else nobody writes the exponents 0 and 1.
            law = _is_followed_by(line, at, ("1", name))
            counts.powers += 2 * law
            counts.indices += not law
            listed = at + 1 < len(line) and line[at].text == "," and _name_at(line[at + 1]) == name
            counts.indices += listed
        # Squares and cubes are ordinary, and decide only where nothing else does.
        elif above in ("2", "3"):
            counts.squares += 1
        elif len(marks) == 1 and marks[0].role == PieceRole.UNKNOWN and name_of(marks[0]) in _COUNTED:
            # a_i x^i is a term of a power series; b_k^i has two indices.
            series = len(scripted) > 1 and scripted[-2][2] == above and not below
            counts.powers += series
            counts.indices += bool(below)
            counts.counted += not (series or below)
        elif not (below and len(marks) == 1 and marks[0].role == PieceRole.UNKNOWN) and (
            any(one.role in (PieceRole.NUMBER, PieceRole.ADD) for one in marks)
            or above in ("n", "k", "m", "p")
        ):
            counts.powers += 1
    return [(name, above) for name, above, *_ in scripted if above]


def _is_followed_by(line: Sequence[Piece], at: int, values: Sequence[str]) -> bool:
    """Return whether an equals sign and one of some values stand behind a place, and nothing more."""
    if at + 1 >= len(line) or line[at].text != "=":
        return False
    after = line[at + 1]
    alone = at + 2 >= len(line) or line[at + 2].role in (PieceRole.PUNCTUATION, PieceRole.PERIOD)
    return alone and (after.text in values or _name_at(after) in values)


# ---- π

_CLEAR = 3
"""The weight of a sign that can be read in one way only."""


def weigh_pi(formula: str | LatexSource) -> int:
    r"""Return how much a formula shows that π is a name in it: above 0 if so, below 0 if it is the number.

    >>> weigh_pi(r"\pi \colon X \to Y") > 0, weigh_pi(r"2\pi/3 + \sin \pi x") < 0
    (True, True)
    """
    try:
        parts = pieces_of(LatexSource.from_latex(formula))
    except UnreadError:
        return 0
    return sum(
        _weigh_pi_at(line, at)
        for line in iterate_lines(parts)
        for at, piece in enumerate(line)
        if is_variable(piece) and name_of(piece) == "π"
    ) - sum(_divides_pi(piece) for line in iterate_lines(parts) for piece in line)


def _weigh_pi_at(line: Sequence[Piece], at: int) -> int:
    before = line[at - 1] if at else None
    after = line[at + 1] if at + 1 < len(line) else None
    beyond = line[at + 2] if at + 2 < len(line) else None
    if before is not None and (
        before.role == PieceRole.FUNCTION or (at > 1 and line[at - 2].role == PieceRole.FUNCTION)
    ):
        return -_CLEAR
    # i π is an angle.
    if any(
        one is not None and one.role == PieceRole.UNKNOWN and name_of(one) == "i" for one in (before, after)
    ):
        return -_CLEAR
    if after is None:
        return -1 if before is not None and before.role == PieceRole.NUMBER else 0
    # An index shows a name: π_k, π^*; a square of the number is usual.
    if after.role == PieceRole.SCRIPT:
        marks = argument_pieces(after.alone)
        written = "".join(one.text for one in marks)
        square = after.text == "O!SUP" and written.isdecimal() and written not in ("0", "1")
        return (-1 if before is not None and before.role == PieceRole.NUMBER else 0) if square else _CLEAR
    # What is defined is a name, unless it is defined as 3.14.
    begins = before is None or before.role in (PieceRole.PUNCTUATION, PieceRole.RELATION, PieceRole.OPEN)
    if after.role == PieceRole.COLON:
        return _CLEAR
    if begins and after.role == PieceRole.RELATION:
        known = beyond is not None and beyond.text.startswith(("3.14", "22"))
        return -_CLEAR if known else 1 if after.operator.label == "U!eq" else 2
    if after.text == "(" and begins and bracket_after(line, at) == "function":
        return 1
    if before is not None and before.role == PieceRole.NUMBER:
        return -1
    if before is not None and before.text == "-" and (at == 1 or line[at - 2].role != PieceRole.NUMBER):
        return -2
    taken = before is not None and before.text == "-" and line[at - 2].text == "1"
    return 2 if taken else -1 if after.text == "/" else 0


def _divides_pi(piece: Piece) -> int:
    """Return the weight of a fraction or root of π and a number, such as π/2."""
    if piece.alone.label not in ("O!divide", "O!root") or len(piece.alone.children) < 2:
        return 0
    above, below = (argument_pieces(one) for one in piece.alone.children[:2])
    for one, other in ((above, below), (below, above)):
        last = bool(one) and is_variable(one[-1]) and name_of(one[-1]) == "π"
        if last and len(one) <= 2 and len(other) == 1 and other[0].role == PieceRole.NUMBER:
            return 2
    return 0
