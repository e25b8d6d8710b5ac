"""What a solution concludes in its last clause: `…, so it is an identity: every real x is a solution`.

The clause behind the last word that concludes, or behind a colon, is an answer like any other. What stands
before it leads to it, unless that supposes something.
"""

from __future__ import annotations

from collections.abc import Sequence

from engines.grading.answer_vocabulary import (
    CONCLUDING,
    CONCLUSIONS,
    CONTRASTING,
    COPULA_VERBS,
    EXISTENCES,
    make_phrases,
)
from engines.grading.tokens import AnswerToken, is_blank, join_formulas, skip_blanks, text_at, tokenize

_LONGEST = 400
"""Characters of a text that is no long solution."""
_RESULTS = make_phrases(
    "gives, which gives, yields, we get, we obtain, this gives, leads to, we find, then, and then"
    ", it follows that",
    "exactly when, precisely when, if and only if, iff, exactly for, exactly if, this means, i.e., so that",
    "ergibt, erhält man, erhalten wir, folgt, genau dann wenn, genau für, dann, dann ist, d. h., das heißt",
    "soit, on obtient, on trouve, si et seulement si, alors, donne, obtenemos, se obtiene, da"
    ", si y solo si, entonces",
    "si ottiene, se e solo se, allora, obtemos, se e somente se, então, получаем"
    ", тогда и только тогда когда, тогда",
    "dus, dus we krijgen, we krijgen, daarom, hieruit volgt, dan, dan is, więc, zatem, czyli, stąd"
    ", otrzymujemy",
    "得, 得到, 解得, 即, 当且仅当, よって, すなわち, なので, だから, ので, 答, 答案, 答え",
)
"""Words between what a solution works out and what it comes to."""
_EXISTENCES = make_phrases(
    "there are, there is, has, have, hat, haben, a, possède, tiene, ha, tem, имеет, 有"
)
"""Verbs of a statement besides `is`."""
_SUPPOSITIONS = make_phrases(
    "soit, either, entweder, if, suppose, assume, assuming, unless, were, provided, case, or, wenn"
    ", falls, angenommen, wäre"
    ", oder, si",
    "supposons, sauf, ou, supongamos, salvo, o, se, supponiamo, oppure, ou, если, предположим, или"
    ", 如果, 假设, もし, 或",
    "not, no, cannot, nicht, kein, keine, ne, pas, no es, non, не, нет, 不, 没有, wrong, false, falsch, faux",
)
"""Words before a conclusion with which it may hold for a part only, or not at all."""


def list_last_clauses(text: str) -> list[str]:
    """Return the last clause of a text behind words that conclude, and behind a colon; the longest first.

    >>> list_last_clauses("3x = 6, so it has a root: x = 2")
    ['it has a root: x = 2', 'x = 2']
    """
    if len(text) > _LONGEST or "**" in text or "\\boxed" in text:
        return []
    tokens = join_formulas(text, tokenize(text))
    starts = []
    for at in range(1, len(tokens)):
        result = _match_result(tokens, at)
        behind = skip_blanks(tokens, result) if result else 0
        while behind and text_at(tokens, behind) in (",", ":", "，") and behind < len(tokens):
            behind = skip_blanks(tokens, behind + 1)
        if behind and behind < len(tokens) and not _supposes(tokens[:at]):
            starts.append(behind)
    return [text[tokens[start].start :].strip(" .。") for start in dict.fromkeys(starts)]


def take_verdict(text: str) -> str:
    """Return the sentence with a yes or no that a text begins with, before what explains it; "" for others.

    >>> take_verdict("Yes, it is true: if n were odd, n² would be odd."), take_verdict("True if n = 2.")
    ('Yes, it is true', '')
    """
    tokens = tokenize(text)
    if not tokens or tokens[0].text.lower() not in _VERDICTS or len(text) > _LONGEST:
        return ""
    end = next((at for at, token in enumerate(tokens) if token.text in (".", ";", ":", "。")), len(tokens))
    behind = tokens[end + 1 :]
    # What follows may take the verdict back; only what would be otherwise, or a new sentence, explains it.
    is_open = (
        end < len(tokens) and tokens[end].text == ":" and _OPENING_IF.match(behind, skip_blanks(behind, 0))
    )
    is_counterfactual = any(token.text.lower() in _WOULD for token in behind)
    others = any(token.text.lower() in _VERDICTS for token in behind)
    limited = any(table.find(behind) is not None for table in (_LIMITING, CONTRASTING))
    if not behind or others or limited or (is_open and not is_counterfactual):
        return ""
    return text[: tokens[end].start].strip()


_VERDICTS = (
    "yes",
    "no",
    "true",
    "false",
    "ja",
    "nein",
    "oui",
    "non",
    "sí",
    "sì",
    "sim",
    "да",
    "нет",
    "wahr",
    "falsch",
)
_WOULD = ("would", "were", "wäre", "würde", "serait", "était", "sería", "fuera", "sarebbe", "был", "было")
_LIMITING = make_phrases(
    "except, unless, however, at least, at most, fails, fail, apart from, other than, exception, just, außer",
    "jedoch, mindestens, sauf, cependant, salvo, sin embargo, excepto, tranne, però, exceto, кроме, однако",
)
"""Words with which what follows a verdict takes a part of it back."""
_OPENING_IF = make_phrases("if, only if, when, provided, wenn, falls, si, se, если")


def _match_result(tokens: Sequence[AnswerToken], at: int) -> int:
    """Return the index behind a word that concludes, or a colon behind words, at a token; 0 for others."""
    if text_at(tokens, at) in (":", "：") and tokens[at - 1].kind == "word":
        # A label may name another value; a statement before a colon is explained behind it.
        return at + 1 if _states(tokens[:at]) else 0
    if (
        tokens[at].kind == "word"
        and text_at(tokens, at - 1)[-1:].isalpha()
        and text_at(tokens, at - 1).isascii()
    ):
        return 0
    matches = (table.match(tokens, at) for table in (_RESULTS, CONCLUDING, CONCLUSIONS))
    return max((match[0] for match in matches if match is not None), default=0)


def _states(tokens: Sequence[AnswerToken]) -> bool:
    """Return whether the last clause among tokens is a statement with a verb."""
    start = max(
        (at + 1 for at, token in enumerate(tokens) if token.text in (",", "，", ".", "。", ";")), default=0
    )
    return any(table.find(tokens[start:]) is not None for table in (COPULA_VERBS, EXISTENCES, _EXISTENCES))


def _supposes(tokens: Sequence[AnswerToken]) -> bool:
    """Return whether the last sentence among tokens supposes or denies something."""
    start = max(
        (at + 1 for at, token in enumerate(tokens[:-1]) if token.text in ".。" and is_blank(tokens[at + 1])),
        default=0,
    )
    return _SUPPOSITIONS.find(tokens[start:]) is not None
