"""Bases of a space, which are the same answer if they span the same space."""

from __future__ import annotations

from engines.formula.statement_view import Statement
from engines.grading.compare import AnswerComparison
from engines.grading.forms import Form, Many, Named
from engines.grading.linear_terms import read_flat
from engines.grading.reading import read_form
from engines.grading.spans import make_span, take_spanned
from engines.grading.tokens import tokenize
from engines.grading.verdicts import GradeVerdict, differ_in_number, with_policy

_OPENING = ("{", "\\{", "\\left", "(", "[", "\\langle", "\\begin")


def compare_bases(gold: str, pred: str, comparison: AnswerComparison) -> GradeVerdict | None:
    """Compare two bases by what they span; None where one of the answers is none."""
    forms = [read_form(_take_vectors(text)) for text in (gold, pred)]
    forms = [one.value if isinstance(one, Named) else one for one in forms]
    spans = [one if isinstance(one, Statement) else make_span(one) for one in forms]
    if spans[0] is None or spans[1] is None or read_flat(spans[0].tree) is None:
        return None
    if (
        isinstance(forms[0], Many)
        and isinstance(forms[1], Many)
        and len(forms[0].items) != len(forms[1].items)
    ):
        return differ_in_number(forms[0], forms[1])
    return with_policy(comparison.compare(spans[0], spans[1]), "both are bases of the same space")


def compare_spanned(
    texts: tuple[str, str], answers: tuple[str, str], comparison: AnswerComparison
) -> GradeVerdict | None:
    """Compare what vectors span in words, as `the span of (1, 0)`, with another space; None for others."""
    sides: list[Form] = []
    for text, answer in zip(texts, answers, strict=True):
        vectors = take_spanned(text)
        span = make_span(read_form(vectors)) if vectors else None
        if vectors and (span is None or read_flat(span.tree) is None):
            return None
        sides.append(span or read_form(answer))
    return comparison.compare(sides[0], sides[1]) if texts != answers else None


def _take_vectors(text: str) -> str:
    """Return the vectors of an answer without the words before them."""
    first = next((token for token in tokenize(text) if token.text in _OPENING), None)
    before = "" if first is None else text[: first.start].strip()
    if first is None or not before or before[-1] not in ":=" + "s":
        return text
    vectors = text[first.start :].strip()
    return f"\\{vectors[:-1]}\\}}" if vectors[:1] == "{" and vectors[-1:] == "}" else vectors
