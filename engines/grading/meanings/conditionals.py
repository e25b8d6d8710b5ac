"""Sentences that say what follows from what: `If it rains, the match is off`, `n is odd if n² is odd`.

Each is a condition and what follows from it, both denied or not; the converse, the inverse and the
contrapositive of a sentence are other sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engines.grading.meanings.quantified_sentences import find_stem
from engines.grading.tokens import tokenize
from engines.grading.verdicts import EQUAL, GradeVerdict, differ_by

_MOST_WORDS = 50
_IF = frozenset(
    ["if", "whenever", "when", "wenn", "falls", "si", "lorsque", "se", "quando", "если", "когда", "als"]
)
_THEN = frozenset(["then", "dann", "so", "alors", "entonces", "allora", "então", "то", "dan"])
_DENIALS = frozenset(["not", "never", "nicht", "pas", "non", "no", "não", "не", "niet"])
_AUXILIARIES = frozenset(
    [
        "is",
        "are",
        "does",
        "do",
        "did",
        "be",
        "being",
        "ist",
        "sind",
        "est",
        "sont",
        "es",
        "son",
        "è",
        "sono",
        "é",
        "são",
        "zijn",
        "ne",
        "the",
        "an",
    ]
)
"""Words that say nothing of their own in a clause: it rains, it does not rain, it is not raining."""
_OTHERS = frozenset(
    [
        "only",
        "iff",
        "and",
        "or",
        "but",
        "unless",
        "und",
        "oder",
        "aber",
        "nur",
        "et",
        "ou",
        "mais",
        "o",
        "pero",
        "ma",
        "и",
        "или",
        "но",
        "every",
        "each",
        "all",
        "some",
        "any",
        "there",
        "none",
    ]
)
"""Words of sentences that have more parts."""
_DENIED = {
    "odd": "even",
    "irrational": "rational",
    "infinite": "finite",
    "unbounded": "bounded",
    "divergent": "convergent",
    "ungerade": "gerade",
    "impair": "pair",
    "impar": "par",
    "dispari": "pari",
    "нечётно": "чётно",
    "нечетно": "четно",
}
"""Words that deny another one: what is not even is odd."""


@dataclass(frozen=True, slots=True)
class ClaimedFact:
    """What a clause says of something, by its words, and whether it denies it."""

    words: tuple[str, ...]
    is_denied: bool


def read_conditional(text: str) -> tuple[ClaimedFact, ClaimedFact] | None:
    """Return a condition and what follows from it; None for other texts.

    >>> read_conditional("If n is odd, then n is prime.") == read_conditional("n is prime if n isn't even")
    True
    """
    written = text.strip(" .").replace("’", "'").replace("n't", " not").replace("cannot", "can not")
    tokens = [token for token in tokenize(written.replace("$", " ")) if token.kind not in ("space", "line")]
    words = [token.text.lower() for token in tokens]
    plain = all(token.kind in ("word", "digits") or token.text == "," for token in tokens)
    places = [at for at, word in enumerate(words) if word in _IF]
    if not plain or len(words) > _MOST_WORDS or len(places) != 1 or not _OTHERS.isdisjoint(words):
        return None
    (at,) = places
    if at:
        parts = [words[at + 1 :], words[:at]]
    else:
        end = next((index for index, word in enumerate(words) if word in _THEN and index > 1), 0)
        comma = words.index(",") if "," in words else 0
        # Of two signs that end the condition they stand side by side: `, then`.
        if not (end or comma) or (end and comma and end != comma + 1) or words.count(",") > 1:
            return None
        parts = [words[1 : comma or end], words[max(comma, end) + 1 :]]
    facts = [_read_fact(part) for part in parts]
    return (facts[0], facts[1]) if all(fact.words for fact in facts) else None


def _read_fact(words: Sequence[str]) -> ClaimedFact:
    is_denied = False
    said: list[str] = []
    for word in words:
        if word in _DENIALS:
            is_denied = not is_denied
        elif word in _DENIED:
            is_denied = not is_denied
            said.append(find_stem(_DENIED[word]))
        elif word not in _AUXILIARIES and word != ",":
            said.append(find_stem(word))
    return ClaimedFact(tuple(said), is_denied)


def compare_conditionals(gold: str, pred: str) -> GradeVerdict | None:
    """Compare two sentences with a condition each; None where one of them is none."""
    mine = read_conditional(gold)
    theirs = read_conditional(pred) if mine is not None else None
    if mine is None or theirs is None:
        return None
    if mine == theirs:
        return EQUAL
    words = [[fact.words for fact in side] for side in (mine, theirs)]
    if words[0][0] == words[0][1] or sorted(words[0]) != sorted(words[1]):
        return GradeVerdict("undecided", reason="their conditions or what follows are worded otherwise")
    denials = [{fact.words: fact.is_denied for fact in side} for side in (mine, theirs)]
    is_turned = words[0] != words[1]
    if is_turned and all(denials[0][word] != denials[1][word] for word in denials[0]):
        return GradeVerdict("undecided", reason="each of them is the contrapositive of the other")
    changed = "what follows is the condition" if is_turned else "the condition or what follows is denied"
    return differ_by(f"{changed} in one of them")
