"""Compare what two answers in words mean, where their words are all known: claims, statements, objects."""

from __future__ import annotations

from engines.grading.compare import AnswerComparison
from engines.grading.meanings.classified_points import compare_classified
from engines.grading.meanings.compare_claims import compare_claims
from engines.grading.meanings.dimensions import compare_dimensions
from engines.grading.meanings.distributions import compare_distributions
from engines.grading.meanings.exact_conditions import compare_exact_conditions
from engines.grading.meanings.maps_in_words import compare_functions, compare_maps
from engines.grading.meanings.named_sets import compare_named_sets, compare_prime_sets
from engines.grading.meanings.numbered_parts import compare_divisions, compare_parts
from engines.grading.meanings.quantified_sentences import compare_quantified
from engines.grading.meanings.quantifier_words import compare_quantifiers
from engines.grading.meanings.sentence_items import is_word
from engines.grading.meanings.statement_labels import compare_statement_labels
from engines.grading.meanings.structures import compare_structures
from engines.grading.tokens import tokenize
from engines.grading.verdicts import GradeVerdict

_LONGEST = 300
"""Longer texts are solutions."""
_SAYING_NOTHING = frozenset(
    ("The", "Therefore", "So", "Thus", "Hence", "the", "final", "answer", "is", "pmatrix")
)
_SYMBOLS = frozenset("ZℤCSADQVKPGRr①②③④⑤")
"""Letters of groups and graphs, and of a remainder."""


def compare_meanings(
    texts: tuple[str, str], answers: tuple[str, str], comparison: AnswerComparison
) -> GradeVerdict | None:
    """Return whether two texts mean the same; None where words of them are not known.

    Args: texts, answers: both texts, and the answers that were found in them.
    """
    compared = _compare_sides(texts, answers, comparison)
    return None if compared is None or compared.outcome == "unread" else compared


def _compare_sides(
    texts: tuple[str, str], answers: tuple[str, str], comparison: AnswerComparison
) -> GradeVerdict | None:
    sides = [
        answer if "\\boxed" in text or len(text) > _LONGEST else text
        for text, answer in zip(texts, answers, strict=True)
    ]
    if all(_is_number(side) for side in sides):
        return None
    is_worded = any(map(has_words, sides))
    # Most answers are plain formulas: what their symbols rule out is not parsed.
    if not is_worded and not any(map(_may_name_parts, sides)):
        return None
    if (structures := compare_structures(*sides)) is not None:
        return structures
    for compare_numbers in (compare_parts, compare_divisions):
        if (numbered := compare_numbers(sides[0], sides[1], comparison)) is not None:
            return numbered
    if not is_worded:
        return None
    if (quantified := compare_quantifiers(sides[0], sides[1], comparison)) is not None:
        return quantified
    if (labels := compare_statement_labels(*sides)) is not None:
        return labels
    if (primes := compare_prime_sets(*sides)) is not None:
        return primes
    for compare in (
        *(
            compare_exact_conditions,
            compare_dimensions,
            compare_classified,
            compare_distributions,
            compare_maps,
            compare_functions,
            compare_named_sets,
        ),
        compare_claims,
    ):
        # An answer that was taken out of its text has lost the words that classify it.
        if compare is compare_classified and sides != [*texts]:
            continue
        compared = compare(sides[0], sides[1], comparison)
        if compared is not None:
            return compared
    return compare_quantified(*sides)


def has_words(text: str) -> bool:
    """Return whether a text says anything in words besides that its answer follows."""
    return any(
        (is_word(token) and token.text not in _SAYING_NOTHING) or token.text[0] in "①②③④⑤"
        for token in tokenize(text)
    )


def _may_name_parts(text: str) -> bool:
    """Return whether symbols of groups or graphs, of a remainder or of numbered parts stand in a formula."""
    return text.count("(") > 1 or not _SYMBOLS.isdisjoint(token.text for token in tokenize(text))


def _is_number(text: str) -> bool:
    return not any(char.isalpha() for char in text)
