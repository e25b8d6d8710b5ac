r"""Balanced equations of reactions, as their species with coefficients: `2H2 + O2 → 2H2O`, and 2, 1, 2."""

from __future__ import annotations

from engines.grading.forms import Many, Named
from engines.grading.numbers import Term
from engines.grading.reading import read_form
from engines.grading.tokens import tokenize
from engines.grading.verdicts import GradeVerdict

_ARROWS = ("→", "⟶", "->", "-->", "\\to", "\\rightarrow", "\\longrightarrow", "=", "⇌", "\\rightleftharpoons")
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_DRESS = ("\\mathrm", "\\text", "\\ce", "\\rm", "$", "{", "}", "_", "\\,", "\\;", "\\ ", " ", "~")
_BALANCING = ("balance", "balanced", "ausgleichen", "équilibrez", "équilibrer", "ajusta", "balancea", "配平")
_Side = tuple[tuple[str, int], ...]


def compare_reactions(gold: str, pred: str, question: str) -> GradeVerdict | None:
    """Compare two balanced equations, or one with the coefficients in the order of the question's; None for
    other answers.

    >>> asked = r"Balance $H_2 + O_2 \\to H_2O$"
    >>> compare_reactions("2, 1, 2", "O2 + 2 H2 → 2 H2O", asked).outcome
    'equal'
    >>> compare_reactions("2, 1, 2", "H2 + 2 O2 → 2 H2O", asked).outcome
    'different'
    """
    words = {token.text.lower() for token in tokenize(question)}
    asked = _find_reaction(question) if not words.isdisjoint(_BALANCING) else None
    if asked is None:
        return None
    order = [name for side in asked for name, _ in side]
    mine, theirs = (_read_coefficients(text, order) for text in (gold, pred))
    if mine is None or theirs is None:
        return None
    if mine == theirs:
        return GradeVerdict("equal", reason="the same coefficients of the species")
    return GradeVerdict("different", witness=f"the coefficients {mine} and {theirs}")


def _find_reaction(question: str) -> tuple[_Side, _Side] | None:
    parts = question.split("$")
    texts = [*parts[1::2], question.partition(":")[2].partition(".")[0]]
    return next((found for text in texts if (found := _read_reaction(text)) is not None), None)


def _read_coefficients(text: str, order: list[str]) -> list[int] | None:
    """Return the coefficients of species in an order, from an equation or a list; None for other answers."""
    reaction = _read_reaction(text)
    if reaction is not None:
        sides = [dict(side) for side in reaction]
        found = {**sides[0], **sides[1]}
        return [found[name] for name in order] if {*found} == {*order} and len(found) == len(order) else None
    form = read_form(text)
    form = form.value if isinstance(form, Named) else form
    if not isinstance(form, Many) or len(form.items) != len(order) or form.kind == "set":
        return None
    values = [item.value if isinstance(item, Term) and item.unit is None else None for item in form.items]
    whole = [int(value) for value in values if value is not None and value.denominator == 1 and value > 0]
    return whole if len(whole) == len(values) else None


def _read_reaction(text: str) -> tuple[_Side, _Side] | None:
    arrow = next((sign for sign in _ARROWS if text.count(sign) == 1), "")
    if not arrow:
        return None
    sides = [_read_side(side) for side in text.split(arrow)]
    return None if sides[0] is None or sides[1] is None else (sides[0], sides[1])


def _read_side(text: str) -> _Side | None:
    """Return the species of a side, each with its coefficient; None where one is no formula of chemistry."""
    for mark in _DRESS:
        text = text.replace(mark, "")
    species = []
    for part in text.translate(_SUBSCRIPTS).strip(". ").split("+"):
        name = part.lstrip("0123456789")
        is_formula = name[:1].isupper() and all(one.isalnum() or one in "()" for one in name)
        if not is_formula or any(token.text.islower() for token in tokenize(name) if token.kind == "word"):
            return None
        species.append((name, int(part[: len(part) - len(name)] or 1)))
    return tuple(species)
