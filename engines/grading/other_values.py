"""Other values of an answer: `x = 2, also x = 5`, `both 3 and 4 work, e.g. 3`, `5 (twice that is 10)`.

The last value of a text is taken for its answer. It is none where the text says that others are as good, or
where it only stands in a remark on the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engines.grading.answer_vocabulary import make_phrases
from engines.grading.forms import Form, Named
from engines.grading.meanings.compare_meanings import has_words
from engines.grading.meanings.sentence_items import list_items
from engines.grading.numbers import Term
from engines.grading.reading import read_form
from engines.grading.restatements import ASIDE, split_restated
from engines.grading.sentence_quantities import list_quantities
from engines.grading.tokens import AnswerToken, join_formulas, skip_blanks, tokenize
from engines.grading.translated_vocabulary import FIRST_ALTERNATIVES
from engines.grading.translated_words import translate_words
from engines.grading.verdicts import GradeOutcome

_MOST_TOKENS = 90
"""Tokens of a text that is no solution."""
_ALSO = make_phrases("also, and also, auch, und auch, aussi, et aussi, también, anche, também, также, 也")
_EXAMPLES = make_phrases(
    "e.g., e. g., eg, for example, for instance, z.B., z. B., zum Beispiel, etwa, par exemple, p. ex.",
    "por ejemplo, p. ej., per esempio, ad esempio, por exemplo, например, 例如, 比如, 例えば",
)
_SPEAKS_OF_EXAMPLES = make_phrases(
    "example, examples, counterexample, Beispiel, Gegenbeispiel, exemple, contre-exemple, ejemplo",
    "contraejemplo, esempio, controesempio, exemplo, contraexemplo, пример, контрпример, 例, 例子, 反例",
)


def join_further_values(text: str) -> str:
    """Return a text in which `also` before another value of the same letter is `and`.

    In German `also` concludes: what follows from a value of a letter is the same value.

    >>> join_further_values("x = 2, also x = 5"), join_further_values("x = 10/2, also x = 5")
    ('x = 2 and x = 5', 'x = 10/2, also x = 5')
    """
    tokens = tokenize(text) if text.count("=") > 1 else []
    if (
        0 < len(tokens) <= _MOST_TOKENS
        and FIRST_ALTERNATIVES.match(tokens, skip_blanks(tokens, 0)) is not None
    ):
        return translate_words(text)  # soit x = 1, soit x = 2
    if not 0 < len(tokens) <= _MOST_TOKENS or not _ALSO.may_occur(tokens) or "**" in text:
        return text
    tokens, items = list_items(text)
    for first, behind, _ in _ALSO.find_all(tokens, 0, len(tokens)):
        before = [item for item in items if item.end <= first and item.kind not in ("mark", "and")]
        after = [item for item in items if item.start >= behind]
        if not before or not after or {before[-1].kind, after[0].kind} != {"formula"}:
            continue
        if _differ_in_value(read_form(before[-1].name), read_form(after[0].name)):
            end, start = tokens[before[-1].end - 1].end, tokens[after[0].start].start
            # Both formulas keep the dollars around them.
            end += text[end:].startswith("$")
            start -= text[:start].endswith("$")
            return f"{text[:end]} and {text[start:]}"
    return text


def _differ_in_value(one: Form, other: Form) -> bool:
    """Return whether two equations give one letter two numbers that differ."""
    if not isinstance(one, Named) or not isinstance(other, Named) or one.name != other.name:
        return False
    values = [side.value.value if isinstance(side.value, Term) else None for side in (one, other)]
    return None not in values and values[0] != values[1]


def find_rival_value(problem: str, pred: str, compare: Callable[[str], GradeOutcome]) -> str:
    """Return the value of a short text beside which the reference stands as an example or in a remark; ""
    without one.

    Args: problem: the question. pred: the answer. compare: grades a value as the whole answer.
    """
    return _find_exemplified(problem, pred, compare) or _find_remarked(pred, compare)


def _find_exemplified(problem: str, pred: str, compare: Callable[[str], GradeOutcome]) -> str:
    """Return another value before `for example`, unless the question asks for an example."""
    tokens = tokenize(pred)
    if len(tokens) > _MOST_TOKENS or not _EXAMPLES.may_occur(tokens):
        return ""
    if _SPEAKS_OF_EXAMPLES.find(tokenize(problem)) is not None:
        return ""
    tokens = join_formulas(pred, tokens)
    found = list(_EXAMPLES.find_all(tokens, 0, len(tokens)))
    if not found or not _list_values(pred, tokens, found[-1][1], len(tokens)):
        return ""
    before = _list_values(pred, tokens, 0, found[-1][0])
    return next((value for value in before if compare(value) == "different"), "")


def _list_values(text: str, tokens: Sequence[AnswerToken], first: int, last: int) -> list[str]:
    """Return the formulas and quantities between two tokens."""
    spans = list_quantities(tokens, first, last)
    spans += [(at, at + 1) for at in range(first, last) if tokens[at].kind == "formula"]
    return [text[tokens[begin].start : tokens[end - 1].end] for begin, end in spans]


def _find_remarked(pred: str, compare: Callable[[str], GradeOutcome]) -> str:
    """Return the number alone before a remark in brackets that says in words what else follows from it."""
    parts = split_restated(pred.replace("**", ""))
    if len(parts) != 2 or parts[1].relation != ASIDE or not has_words(parts[1].text):
        return ""
    number = read_form(parts[0].text)
    is_number = isinstance(number, Term) and number.value is not None and number.unit is None
    return parts[0].text if is_number and compare(parts[0].text) == "different" else ""
