"""Conditions that words call exact: `if and only if k ≠ 2` is `exactly when k ≠ 2`, and k ≠ 2."""

from __future__ import annotations

from engines.grading.compare import AnswerComparison
from engines.grading.forms import UnreadForm
from engines.grading.meanings.sentence_items import list_phrases
from engines.grading.meanings.sentence_vocabulary import EXACT_PLACES
from engines.grading.reading import read_form
from engines.grading.tokens import Phrases, skip_blanks, tokenize
from engines.grading.verdicts import GradeVerdict

_LEADS = Phrases(dict.fromkeys(list_phrases(EXACT_PLACES) + EXACT_PLACES.split(", "), ""))


def read_exact_condition(text: str) -> str | None:
    """Return the condition behind the words for it; None where a text does not begin with them.

    >>> read_exact_condition("exactly when $k = 2$.")
    'k = 2'
    """
    tokens = tokenize(text)
    lead = _LEADS.match(tokens, skip_blanks(tokens, 0))
    if lead is None or lead[0] >= len(tokens):
        return None
    return text[tokens[lead[0]].start :].strip(" .,:$")


def compare_exact_conditions(gold: str, pred: str, comparison: AnswerComparison) -> GradeVerdict | None:
    """Compare conditions of which at least one is called exact; None where none is, or one is not read."""
    said = [read_exact_condition(text) for text in (gold, pred)]
    if said == [None, None]:
        return None
    plain = [text.strip(" .$") if one is None else one for one, text in zip(said, (gold, pred), strict=True)]
    forms = [read_form(one) for one in plain]
    if any(isinstance(form, UnreadForm) for form in forms):
        return None
    return comparison.compare(forms[0], forms[1])
