"""The verb `grade`: whether an answer is that of the reference."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from engines.core.shown import Tabular
from engines.egen.grading.answers import answer
from engines.egen.grading.compare import Compared, Comparison, Units, Verdict
from engines.egen.grading.forms import Form, Many, Matrix, Words, by_basis, form, tidied
from engines.egen.grading.numbers import Term
from engines.formula.judge import Judge


@dataclass(frozen=True, slots=True)
class Grade(Tabular):
    """What an answer is worth.

    Attributes: verdict: `equal`; `equal if` the condition holds; `different`; `undecided`, where both are
    read and neither is shown; or `unread`. condition: see verdict. witness: what shows that they differ, as
    a point with both values. reason: why it is undecided or unread, or what was passed over. gold, pred: the
    answers that were found.
    """

    verdict: Verdict
    condition: str = ""
    witness: str = ""
    reason: str = ""
    gold: str = ""
    pred: str = ""

    @property
    def accepted(self) -> bool:
        """Whether the answer is right without any condition."""
        return self.verdict == "equal"

    def table(self) -> tuple[str, Sequence[str], Iterable[Sequence[Any]]]:
        names = ("condition", "witness", "reason", "gold", "pred")
        return self.verdict, ("", " "), [(name, getattr(self, name)) for name in names if getattr(self, name)]


def grade(
    gold: str,
    pred: str,
    *,
    digits: int | None = None,
    units: Units = "compare",
    judge: Judge | None = None,
) -> Grade:
    r"""Judge an answer, or a solution that ends in one, against a reference.

    Args: gold, pred: LaTeX, plain text or a whole solution. digits: compare numbers to so many decimals;
    None: exactly. units: `compare` them where both are given, `require` that of the reference, or `ignore`
    them. judge: who decides what needs mathematics.

    It never raises for what stands in the texts, needs no clock and may be called by several threads.

    >>> grade("1/\\sqrt{n}", "\\sqrt{1/n}").verdict
    'equal'
    >>> grade(r"\{1, 2\}", r"So $x$ is \boxed{2} or \boxed{1}.").verdict
    'equal'
    >>> grade("1/3", "0.33").witness, grade("1/3", "0.33", digits=2).verdict
    ('1/3 and 33/100', 'equal')
    """
    found = answer(gold), answer(pred)
    compared = judged(*found, Comparison(judge, digits, units))
    return Grade(compared.verdict, compared.condition, compared.witness, compared.reason, *found)


def judged(gold: str, pred: str, comparison: Comparison) -> Compared:
    """Two answers, without solutions around them."""
    if gold.strip() and gold == pred:
        return Compared("equal")
    lettered = _CHOICE.fullmatch(gold), _CHOICE.fullmatch(pred)
    if any(lettered):
        return _choices(gold, pred, lettered, comparison)
    natural = _judged(gold, pred, comparison)
    if natural.verdict in ("undecided", "unread") or not (_LOG.search(gold) or _LOG.search(pred)):
        return natural
    common = _judged(_LOG.sub(r"\\log_{10}", gold), _LOG.sub(r"\\log_{10}", pred), comparison)
    if common.verdict == natural.verdict:
        return natural
    return Compared("undecided", reason="log without a base may be that to base 10 or the natural one")


def _judged(gold: str, pred: str, comparison: Comparison) -> Compared:
    try:
        one, other = form(gold), form(pred)
        compared = comparison.compare(one, other)
        if compared.verdict != "equal":
            compared = (
                _with_vectors(gold, pred, one, other, comparison)
                or _with_lists(gold, pred, one, other, comparison)
                or compared
            )
    except Exception as error:  # noqa: BLE001  # one answer does not end an evaluation or a training
        return Compared("undecided", reason=f"it could not be judged ({type(error).__name__})")
    return compared


_LOG = re.compile(r"\\?(?<![A-Za-z])log(?![A-Za-z]|\s*_)")
_CHOICE = re.compile(
    r"(?:\\(?:text|mathrm|mathbf)(?:bf|rm)?\s*\{\s*)?\(?([A-J])[).]\s*\}?\s*[:.]?"
    r"(?:\\ |\\[,;:]|\\q?quad|~|\s)+(\S.*)",
    re.DOTALL,
)


def _choices(
    gold: str, pred: str, lettered: tuple[re.Match[str] | None, ...], comparison: Comparison
) -> Compared:
    """Answers such as `(B) 15`: a letter is compared with the letter, anything else with the rest."""
    mine, theirs = lettered
    if mine is not None and theirs is not None:
        letters = judged(mine[1], theirs[1], comparison)
        return judged(mine[2], theirs[2], comparison) if letters.verdict == "equal" else letters
    found = mine or theirs
    assert found is not None
    other = form(pred if mine else gold)
    part = 1 if isinstance(other, Words) and len(other.text) == 1 else 2
    if isinstance(other, Term) and re.fullmatch("[A-J]", other.text):
        part = 1
    return judged(found[part], pred, comparison) if mine else judged(gold, found[part], comparison)


def _with_vectors(gold: str, pred: str, one: Form, other: Form, comparison: Comparison) -> Compared | None:
    r"""`3\mathbf i + 4\mathbf j` is (3, 4) where the other side is a vector, and (3, 4, 0) where that is in
    space."""
    written = [by_basis(text) if "\\" in text else None for text in (gold, pred)]
    if not any(written):
        return None
    sides = [mine or plain for mine, plain in zip(written, (one, other), strict=True)]
    if not all(
        isinstance(side, Matrix) or (isinstance(side, Many) and side.kind == "tuple") for side in sides
    ):
        return None
    most = max(len(side.items) if isinstance(side, Many) else len(side.rows) for side in sides)  # type: ignore[union-attr]
    filled = [
        replace(side, items=(*side.items, Term("0", Fraction(0), 0)))
        if mine is not None and isinstance(side, Many) and len(side.items) == 2 and most == 3
        else side
        for mine, side in zip(written, sides, strict=True)
    ]
    return comparison.compare(*filled)


def _with_lists(gold: str, pred: str, one: Form, other: Form, comparison: Comparison) -> Compared | None:
    """`100,200` is a number, and a list where the other side is one."""
    for text, mine, theirs in ((gold, one, other), (pred, other, one)):
        if isinstance(theirs, Many) and not isinstance(mine, Many) and _grouped(tidied(text)):
            listed = form(tidied(text).replace(",", ", "))
            compared = comparison.compare(*((listed, theirs) if mine is one else (theirs, listed)))
            if compared.verdict == "equal":
                return compared
    return None


def _grouped(text: str) -> bool:
    return text.replace(",", "").isdigit() and "," in text
