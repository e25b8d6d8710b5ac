"""What two sentences speak of: `ab is even` is said of another number than `a is even`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engines.formula.vocabulary import CONNECTIVES
from engines.grading.answer_vocabulary import CONCLUSIONS, COPULA_VERBS, PREPOSITIONS, make_phrases
from engines.grading.tokens import AnswerToken, is_blank, join_formulas, skip_blanks, tokenize

_VERBS = (
    COPULA_VERBS,
    make_phrases(
        "must be, has to be, have to be, is always, converges, diverges, muss, konvergiert, divergiert",
        "doit être, converge, diverge, debe ser, должно быть, сходится, расходится",
    ),
)
_PRONOUN_LIST = "it he she we you they es er sie il on ce ça lo que so and or no yes все он это"
_PRONOUNS = frozenset(_PRONOUN_LIST.split())
_PARTS = ("of", "von", "de", "du", "des", "del", "di", "do", "функции", "between", "zwischen", "entre")
_LONGEST_PRODUCT = 3
"""Letters of a word that may be a product of numbers or matrices."""
_RELATIONS = frozenset((*"=<>≤≥≠∈→:", "\\to", "\\in", "\\le", "\\ge", "\\leq", "\\geq", "\\ne", "\\neq"))


def find_other_subject(gold: str, pred: str, are_equal: Callable[[str, str], bool]) -> str:
    """Return the formulas of which two sentences say something in words, as `ab and a`; "" where one names
    none or both the same.

    Args: gold, pred: the sentences. are_equal: compares formulas.
    """
    mine, theirs = _find_subject(gold), _find_subject(pred)
    if not mine or not theirs or mine == theirs or are_equal(mine, theirs):
        return ""
    return f"{mine} and {theirs}"


def _find_subject(text: str) -> str:
    """Return the formula right before the first verb of a sentence that goes on with a word; "" for none."""
    tokens = join_formulas(text, tokenize(text))
    start = skip_blanks(tokens, 0)
    if (conclusion := CONCLUSIONS.match(tokens, start)) is not None:
        start = skip_blanks(tokens, conclusion[0])
    for at in range(start + 1, len(tokens)):
        verb = next(filter(None, (table.match(tokens, at) for table in _VERBS)), None)
        if verb is None or not is_blank(tokens[at - 1]):
            continue
        behind = skip_blanks(tokens, verb[0])
        said = behind >= len(tokens) or (tokens[behind].kind == "word" and len(tokens[behind].text) > 1)
        return _spell_formula(tokens[start:at]) if said else ""
    return ""


def _spell_formula(tokens: Sequence[AnswerToken]) -> str:
    """Return the formula at the end of tokens; "" where that is none, or states a relation."""
    first = len(tokens)
    while first and _may_stand_in_formula(tokens[first - 1]):
        first -= 1
    before = next((token.text.lower() for token in reversed(tokens[:first]) if not is_blank(token)), "")
    if before in CONNECTIVES or PREPOSITIONS.is_whole(tokenize(before)) or before in _PARTS:
        return ""  # the product of a and b
    part = tokens[first:]
    signs = {token.text for formula in part for token in tokenize(formula.text)}
    return "" if signs & _RELATIONS else "".join(token.text for token in part).strip("$ ,")


def _may_stand_in_formula(token: AnswerToken) -> bool:
    if token.kind != "word":
        return token.text not in tuple(",;.")
    return (
        len(token.text) <= _LONGEST_PRODUCT and token.text.isascii() and token.text.lower() not in _PRONOUNS
    )
