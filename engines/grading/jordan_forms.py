r"""Jordan forms by their blocks: `a 2×2 Jordan block with eigenvalue 3`, `J_2(3) ⊕ J_1(5)`, a matrix."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from engines.grading.forms import Form, Matrix, Named
from engines.grading.numbers import Term
from engines.grading.reading import read_form
from engines.grading.tokens import is_blank, tokenize
from engines.grading.verdicts import GradeVerdict, differ_by

_BLOCKS = Counter[tuple[int, Fraction]]
_DRESS = ("$", "\\left", "\\right", "\\,", "{", "}", "\\mathrm", "\\operatorname")
_COUNTS = {
    **dict.fromkeys(("a", "one", "single", "ein", "einem", "un"), 1),
    "two": 2,
    "zwei": 2,
    "deux": 2,
    "three": 3,
}
_SIZES = ("×", "x", "\\times")
_BLOCK_WORDS = ("block", "blocks", "jordanblock", "jordankästchen", "jordanblöcke", "bloc", "bloque")
_VALUE_WORDS = ("eigenvalue", "eigenwert", "propre", "autovalor", "autovalore", "λ", "\\lambda", "=")


def compare_jordan_forms(gold: str, pred: str, question: str) -> GradeVerdict | None:
    """Compare two Jordan forms by their blocks, which may stand in any order; None for other answers.

    >>> matrix = r"\\begin{pmatrix}3&1\\\\0&3\\end{pmatrix}"
    >>> asked = "Find the Jordan form."
    >>> compare_jordan_forms(matrix, "a single 2×2 Jordan block with eigenvalue 3", asked).outcome
    'equal'
    >>> compare_jordan_forms(matrix, "J_1(3) ⊕ J_1(3)", asked).outcome
    'different'
    """
    if "jordan" not in question.lower():
        return None
    mine, theirs = (_read_blocks(text) for text in (gold, pred))
    if mine is None or theirs is None:
        return None
    if mine == theirs:
        return GradeVerdict("equal", reason="the same Jordan blocks")
    size, value = next(iter((mine - theirs) or (theirs - mine)))
    return differ_by(f"only one of them has such a block of size {size} for {value}")


def _read_blocks(text: str) -> _BLOCKS | None:
    form = read_form(text)
    form = form.value if isinstance(form, Named) else form
    return _split_matrix(form) if isinstance(form, Matrix) else _read_named(text)


def _split_matrix(matrix: Matrix) -> _BLOCKS | None:
    """Return the blocks of a Jordan matrix, with ones above or below the diagonal; None for others."""
    rows = [[_take_value(cell) for cell in row] for row in matrix.rows]
    size = len(rows)
    if any(len(row) != size or None in row for row in rows):
        return None
    lower = any(rows[at + 1][at] for at in range(size - 1))
    blocks, start = _BLOCKS(), 0
    for at in range(size):
        beside = (rows[at + 1][at] if lower else rows[at][at + 1]) if at + 1 < size else 0
        allowed = (at, at - 1 if lower else at + 1)
        others = [value for column, value in enumerate(rows[at]) if column not in allowed]
        if any(others) or beside not in (0, 1) or (beside and rows[at][at] != rows[at + 1][at + 1]):
            return None
        value = rows[at][at]
        if not beside and value is not None:
            blocks[at + 1 - start, value] += 1
            start = at + 1
    return blocks


def _take_value(cell: Form) -> Fraction | None:
    return cell.value if isinstance(cell, Term) else None


def _read_named(text: str) -> _BLOCKS | None:
    """Return blocks that are named as `J_2(3)` or in words; None for other texts."""
    words = [one.text.lower() for one in tokenize(text) if not is_blank(one) and one.text not in _DRESS]
    blocks, at, used = _BLOCKS(), 0, 0
    while at < len(words):
        behind = words[at + 1 :]
        if words[at] == "j" and behind[0:1] == ["_"] and behind[2:3] == ["("] and behind[4:5] == [")"]:
            if not (behind[1].isdecimal() and behind[3].isdecimal()):
                return None
            blocks[int(behind[1]), Fraction(int(behind[3]))] += 1
            at, used = at + 6, used + 2
        elif words[at].isdecimal() and behind[:1] and behind[0] in _SIZES and behind[1:2] == [words[at]]:
            end = next((i for i in range(at, len(words)) if words[i] in _BLOCK_WORDS), 0)
            number = next((i for i in range(end, len(words)) if words[i].isdecimal()), 0)
            between = {*words[end + 1 : number]} & {*_VALUE_WORDS}
            sign = -1 if words[number - 1] in ("-", "−") else 1
            count = next((_COUNTS[word] for word in reversed(words[:at]) if word in _COUNTS), 1)
            if not end or not number or not between or any(word in ("not", "kein", "no") for word in words):
                return None
            blocks[int(words[at]), Fraction(sign * int(words[number]))] += count
            at, used = number + 1, used + 3
        else:
            at += 1
    numbers = sum(word.isdecimal() for word in words)
    return blocks if blocks and used == numbers else None
