"""Whether two clauses say the same with other auxiliary verbs: `it isn't raining` and `it does not rain`.

Of a clause the stems of its words count in their order, and how often it denies them. What is not even is
odd, and what 4 does not divide is not divisible by 4.
"""

from __future__ import annotations

import unicodedata

from engines.grading.answer_vocabulary import make_phrases, map_phrases
from engines.grading.meanings.quantified_sentences import find_stem
from engines.grading.tokens import is_blank, tokenize

_AUXILIARIES = frozenset(
    (
        *(
            "is",
            "are",
            "be",
            "does",
            "do",
            "a",
            "an",
            "the",
            "then",
            "also",
            "too",
            "has",
            "to",
            "any",
            "will",
        ),
        *("ist", "sind", "auch", "ein", "eine", "der", "die", "das", "dann", "wird", "so", "es"),
        *("est", "sont", "un", "une", "le", "la", "aussi", "alors", "ne", "n"),
        *(
            "es",
            "son",
            "un",
            "una",
            "el",
            "también",
            "é",
            "são",
            "um",
            "uma",
            "o",
            "também",
            "è",
            "sono",
            "il",
        ),
    )
)
"""Words that a clause may have or not."""
_DENIALS = frozenset(("not", "no", "t", "nicht", "kein", "keine", "pas", "non", "não", "не", "never"))
_PRONOUNS = frozenset(("it", "they", "es", "sie", "er", "il", "elle"))
_PARITIES = map_phrases(
    {
        "even": "even, gerade, pair, par, pari, чётно, чётное, четно, четное, 偶数",
        "odd": "odd, ungerade, impair, impar, dispari, нечётно, нечётное, нечетно, нечетное, 奇数",
    }.items()
)
_OTHER_PARITY = {"even": "odd", "odd": "even"}
_DIVIDES = make_phrases("divides, divide, teilt, divise, divide a, делит")
_DIVISIBLE = make_phrases("divisible by, teilbar durch, durch, divisible par, divisible por, divisible entre")
_SKIPPED = tuple("$^{}(),.:;\"“”'’")
ClauseStems = tuple[tuple[str, ...], int]
"""The stems of a clause, and whether it denies them."""


def read_clause(text: str, subject: str = "") -> ClauseStems:
    """Return the stems of a clause and 1 where it denies them, 0 where it does not.

    Args: subject: what a pronoun at its beginning stands for.

    >>> read_clause("it isn't raining") == read_clause("it does not rain")
    True
    >>> read_clause("4 does not divide n") == read_clause("n is not divisible by 4")
    True
    """
    tokens = [token for token in tokenize(unicodedata.normalize("NFKC", text)) if not is_blank(token)]
    stems: list[str] = []
    denials = 0
    at = 0
    while at < len(tokens):
        word = tokens[at].text.lower()
        parity, divides = _PARITIES.match(tokens, at), _DIVIDES.match(tokens, at)
        divisible = _DIVISIBLE.match(tokens, at)
        if parity is not None:
            stems.append(parity[1])
            at = parity[0]
            continue
        if divides is not None and len(stems) == 1:
            behind = [token.text for token in tokens[divides[0] :] if token.text not in _SKIPPED]
            return (*behind, "divisible", *stems), denials % 2
        if divisible is not None:
            stems.append("divisible")
            at = divisible[0]
            continue
        at += 1
        if word in _DENIALS or word == "cannot" or word.endswith("n't"):
            denials += 1
        elif word in ("isn", "doesn", "aren", "don", "hasn", "won", "can") or word in _SKIPPED:
            continue
        elif word in _PRONOUNS and not stems and subject:
            stems.append(subject)
        elif word not in _AUXILIARIES or (
            len(word) == 1 and tokens[at - 1].text.isascii() and word not in "ao"
        ):
            stems.append(find_stem(word))
    # What is not even is odd.
    if denials % 2 and stems and stems[-1] in _OTHER_PARITY:
        return (*stems[:-1], _OTHER_PARITY[stems[-1]]), 0
    return tuple(stems), denials % 2


def find_subject(text: str) -> str:
    """Return what a clause is about where that is one word or letter; "" for others.

    >>> find_subject("n is not even"), find_subject("it rains")
    ('n', '')
    """
    stems, _ = read_clause(text)
    return stems[0] if len(stems) == 2 and stems[0] not in _PRONOUNS else ""
