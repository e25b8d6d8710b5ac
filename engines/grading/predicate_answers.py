"""Yes and no in the words of a question: `Is 91 prime?` is answered no by `It is not prime, as 91 = 7·13`."""

from __future__ import annotations

from itertools import pairwise

from engines.grading.answer_vocabulary import (
    ALTERNATIVES,
    CONDITIONALS,
    DENIALS,
    HEDGES,
    PLAIN_CAUSES,
    make_phrases,
)
from engines.grading.tokens import AnswerToken, is_blank, tokenize
from engines.grading.word_answers import match_side, name_opposite

_ASKING = make_phrases(
    "is, are, does, do, can, was, has, ist, sind, hat, kann, est-ce que, est-il, es, son, tiene, è, sono",
    "é, são, является ли, верно ли, 是否",
)
_CAUSES = make_phrases("because, since, as, for, due, by, ya que, pues, car, denn, ибо")
_CHOICES = ("or", "oder", "ou", "o", "или", "还是")
_FEW_LETTERS = 4
"""Letters of words that name a property; shorter ones join others."""
_ARTICLES = (*"aeoéèy", "A", "$")
_UNTELLING = frozenset(
    (
        *("that", "this", "they", "them", "number", "numbers", "zahl", "zahlen", "nombre", "número"),
        *("numero", "число", "function", "matrix", "matrices", "vectors", "answer", "thus", "hence"),
        *("therefore", "then", "also", "indeed", "fact", "clearly", "given"),
    )
)


def answer_by_predicate(question: str, answer: str) -> str:
    """Return "yes" or "no" where an answer says or denies what the end of a question asks; "" for others.

    >>> answer_by_predicate("¿91 es un número primo?", "No es primo porque 91 = 7·13")
    'no'
    >>> answer_by_predicate("Is 97 prime?", "It is prime"), answer_by_predicate("Is 97 prime?", "It is odd")
    ('yes', '')
    """
    asked = _take_question([token for token in tokenize(question) if not is_blank(token)])
    said = [token for token in tokenize(answer.strip()) if not is_blank(token)]
    if not asked or any(token.text.lower() in _CHOICES for token in asked) or DENIALS.find(asked) is not None:
        return ""
    causes = [table.find(said) for table in (PLAIN_CAUSES, _CAUSES)]
    ends = [found[0] for found in causes if found is not None]
    stops = [at for at, token in enumerate(said) if token.text in tuple(",;:.—")]
    claim = said[: min([*ends, *stops, len(said)])]
    if any(table.find(claim) is not None for table in (HEDGES, ALTERNATIVES, CONDITIONALS)):
        return ""
    if any(token.kind == "digits" for token in said[len(claim) :]) and not ends:
        return ""  # what follows may be another claim
    named, mine = _list_properties(asked), _list_properties(claim)
    opposites = {name for name in mine if name_opposite(name) in named and name not in named}
    denied = len(opposites)
    mine = mine - opposites | {*map(name_opposite, opposites)}
    # What is said of another subject answers another question.
    short = {at for at, token in enumerate(claim) if token.text in ("'", "’")}  # isn't
    short = {at for at in short if at + 1 < len(claim) and claim[at + 1].text in ("t", "s")}
    plain = [token for at, token in enumerate(claim) if not {at, at - 1} & short]
    subjects = {token.text for token in plain if token.kind == "digits" or len(token.text) == 1}
    if not subjects - {*_ARTICLES} <= {token.text for token in asked}:
        return ""
    if not mine or not mine <= named or not _list_last(asked) <= mine:
        return ""
    denials = denied + sum(1 for _ in DENIALS.find_all(claim, 0, len(claim)))
    denials += claim[0].text.lower() in ("no", "não", "нет") and DENIALS.match(claim, 0) is None
    return {0: "yes", 1: "no"}.get(denials, "")


def find_contrary_verdict(question: str, answer: str) -> str:
    """Return the clause of a short answer that says the opposite of the yes or no it begins with; "" without
    one.

    >>> find_contrary_verdict("Does it converge?", "No, that is wrong: it does converge")
    'it does converge'
    """
    tokens = tokenize(answer.strip()) if len(answer) <= _LONGEST else ()
    verdict = _VERDICTS.get(tokens[0].text.lower(), "") if tokens else ""
    if not verdict:
        return ""
    ends = [at for at, token in enumerate(tokens) if token.text in tuple(",;:.—")]
    for first, last in pairwise([*ends, len(tokens)]):
        clause = answer.strip()[tokens[first].end : tokens[last - 1].end].strip() if first + 1 < last else ""
        said = answer_by_predicate(question, clause) if clause else ""
        if said not in ("", verdict):
            return clause
    return ""


_LONGEST = 200
_VERDICTS = {
    **dict.fromkeys(("no", "nein", "non", "não", "нет", "nej", "nie"), "no"),
    **dict.fromkeys(("yes", "ja", "oui", "sí", "sì", "sim", "да", "tak"), "yes"),
}


def _take_question(tokens: list[AnswerToken]) -> list[AnswerToken]:
    """Return the last sentence of a text where that is a question for yes or no; [] for others."""
    if not tokens or tokens[-1].text not in ("?", "？"):
        return []
    start = max((at + 1 for at, token in enumerate(tokens[:-1]) if token.text in tuple(".:¿!")), default=0)
    sentence = tokens[start:-1]
    opened = start and tokens[start - 1].text == "¿"
    return sentence if opened or _ASKING.match(sentence, 0) is not None else []


def _list_properties(tokens: list[AnswerToken]) -> set[str]:
    """Return the words that name properties; those of one meaning, as `converges` and `convergent`, alike."""
    words = {at: token.text.lower() for at, token in enumerate(tokens) if token.kind == "word"}
    known = {at: side[1] for at in words if (side := match_side(tokens, at)) is not None}
    return {
        known.get(at, word)
        for at, word in words.items()
        if len(word) >= _FEW_LETTERS and word not in _UNTELLING
    }


def _list_last(tokens: list[AnswerToken]) -> set[str]:
    """Return the last property of a question, which is what it asks for."""
    properties = ([*_list_properties(tokens[at:])] for at in range(len(tokens) - 1, -1, -1))
    return {next((found[0] for found in properties if found), "")}
