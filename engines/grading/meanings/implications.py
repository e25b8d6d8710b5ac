"""Implications in words: `If n is odd, then n² is odd`, `n² is odd whenever n is`.

Two of them are the same if their premises are and their conclusions are. Premise and conclusion that have
exchanged their places make the converse, which says something else.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engines.grading.answer_vocabulary import make_phrases
from engines.grading.meanings.clauses import find_subject, read_clause
from engines.grading.meanings.sentence_vocabulary import DENYING, ELSEWHERE
from engines.grading.tokens import AnswerToken, is_blank, join_formulas, tokenize
from engines.grading.verdicts import GradeOutcome, GradeVerdict, differ_by

_LONGEST = 300
"""Longer texts are solutions."""
_IF = make_phrases(
    "if, whenever, wenn, falls, si, se, если, 如果, 若, jeśli, jeżeli, wann immer, chaque fois que"
)
_THEN = make_phrases("then, dann, so, alors, entonces, allora, então, то, тогда, 那么, 则, wtedy")
_IMPLIES = make_phrases(
    "implies, implies that, only if, impliziert, impliziert dass, nur wenn, nur dann wenn, implique"
    ", implique que, seulement si, implica, implica que, sólo si, solo si, solo se, влечёт, только если, 蕴含"
)
"""Words between a premise and its conclusion."""
_ARROW_SIGNS = make_phrases("⇒, ⟹, \\Rightarrow, \\implies")
_INVERTED = make_phrases("ist, sind, gilt, teilt")
"""Verbs with which a premise begins without a word for `if`."""
_BOTH_WAYS = make_phrases(
    "if and only if, iff, dann und nur dann, genau dann, si et seulement si, si y solo si"
    ", si y sólo si, se e solo se, se e somente se, тогда и только тогда, 当且仅当"
)
_ELSEWHERE, _DENYING = make_phrases(ELSEWHERE), make_phrases(DENYING)
_ECHOES = make_phrases("either, too, as well, also, auch, non plus, également, también, tampoco, тоже, также")
"""Words at the end of a conclusion for that it says the same as the premise does."""
_MARKS = tuple(",.:;，。：；\"'“”„«»‘’")


@dataclass(frozen=True, slots=True)
class WordedImplication:
    """A sentence that says something under a premise: the texts of both."""

    premise: str
    conclusion: str


def read_implication(text: str) -> WordedImplication | None:
    """Return the premise and the conclusion of a text that is one implication; None for others.

    >>> read_implication("If $n$ is odd, then $n^2$ is odd.")
    WordedImplication(premise='$n$ is odd', conclusion='$n^2$ is odd')
    >>> read_implication("n is even whenever n^2 is even")
    WordedImplication(premise='n^2 is even', conclusion='n is even')
    """
    if len(text) > _LONGEST:
        return None
    tokens = join_formulas(text, tokenize(text))
    if any(table.find(tokens) is not None for table in (_BOTH_WAYS, _ELSEWHERE)):
        return None
    joined = list(_IMPLIES.find_all(tokens, 0, len(tokens)))
    if not joined and len(arrows := list(_ARROW_SIGNS.find_all(tokens, 0, len(tokens)))) == 1:
        # Between formulas alone an arrow is part of one.
        sides = tokens[: arrows[0][0]], tokens[arrows[0][1] :]
        joined = arrows if all(any(map(_is_long, side)) for side in sides) else []
    found = joined or list(_IF.find_all(tokens, 0, len(tokens)))
    if not found and tokens and _INVERTED.match(tokens, 0) and _THEN.find(tokens) is not None:
        found = [(0, 0, "")]
    if len(found) != 1:
        return None
    first, begin, _ = found[0]
    parts: tuple[Sequence[AnswerToken], Sequence[AnswerToken]] | None
    if joined:
        parts = tokens[:first], tokens[begin:]
    elif (then := next(_THEN.find_all(tokens, begin, len(tokens)), None)) is not None:
        # `It is not true that if …` says the opposite.
        is_denied = _DENYING.find(tokens[:first]) is not None
        parts = None if is_denied else (tokens[begin : then[0]], tokens[then[1] :])
    elif _leads_sentence(tokens, first):
        commas = [at for at in range(begin, len(tokens)) if tokens[at].text in (",", "，")]
        parts = (tokens[begin : commas[0]], tokens[commas[0] :]) if len(commas) == 1 else None
    else:
        parts = tokens[begin:], tokens[:first]
    if parts is None:
        return None
    premise, conclusion = (_spell(text, _trim(part)) for part in parts)
    return WordedImplication(premise, conclusion) if premise and conclusion else None


def _is_long(token: AnswerToken) -> bool:
    return token.kind == "word" and len(token.text) > 2


def _leads_sentence(tokens: Sequence[AnswerToken], at: int) -> bool:
    """Return whether nothing stands before a token, or what announces a sentence, as `The converse is:`."""
    before = [token for token in tokens[:at] if not is_blank(token)]
    return not before or before[-1].text in _MARKS


def _trim(tokens: Sequence[AnswerToken]) -> Sequence[AnswerToken]:
    """Return the tokens of a part without marks around them and without echoes at its end."""
    while tokens and (is_blank(tokens[0]) or tokens[0].text in _MARKS):
        tokens = tokens[1:]
    while tokens:
        if is_blank(tokens[-1]) or tokens[-1].text in _MARKS:
            tokens = tokens[:-1]
        elif (echo := _ECHOES.match_before(tokens, len(tokens))) is not None:
            tokens = tokens[: echo[0]]
        else:
            break
    return tokens


def _spell(text: str, tokens: Sequence[AnswerToken]) -> str:
    return text[tokens[0].start : tokens[-1].end] if tokens else ""


def compare_implications(
    gold: str, pred: str, compare: Callable[[str, str], GradeOutcome]
) -> GradeVerdict | None:
    """Compare two implications, premise with premise; None where a text is none.

    Args: gold, pred: both texts. compare: grades a part of one against that of the other.
    """
    mine = read_implication(gold)
    theirs = read_implication(pred) if mine is not None else None
    if mine is None or theirs is None:
        return None

    subjects = find_subject(mine.premise), find_subject(theirs.premise)

    def say_same(one: str, other: str) -> bool:
        clauses = read_clause(one, subjects[0]), read_clause(other, subjects[1])
        return clauses[0] == clauses[1] and len(clauses[0][0]) > 1

    def are_equal(*pairs: tuple[str, str]) -> bool:
        return all(
            say_same(one, other)
            or (_list_symbols(one) == _list_symbols(other) and compare(one, other) == "equal")
            for one, other in pairs
        )

    if are_equal((mine.premise, theirs.premise), (mine.conclusion, theirs.conclusion)):
        return GradeVerdict("equal", reason="premises and conclusions are compared")
    if are_equal((mine.premise, theirs.conclusion), (mine.conclusion, theirs.premise)):
        return differ_by("each of them is the converse of the other")
    return GradeVerdict("undecided", reason="their premises or conclusions are not shown to be the same")


def _list_symbols(text: str) -> list[str]:
    """Return the letters and figures of the formulas of a part: those of what is said, and of what it is."""
    symbols: list[str] = []
    for token in join_formulas(text, tokenize(text)):
        is_symbol = token.kind in ("formula", "digits") or len(token.text) == 1
        if is_symbol and token.text not in _SHORT_WORDS:
            letters = [one.text for one in tokenize(token.text) if one.kind != "command"]
            symbols += [char for char in unicodedata.normalize("NFKC", "".join(letters)) if char.isalnum()]
    return sorted(symbols)


_SHORT_WORDS = ("a", "A", "à", "e", "y", "o", "è", "é", "и", "是")


def find_missing_premise(gold: str, pred: str) -> str:
    """Return the premise under which only a reference says something; "" where both do, or neither.

    >>> find_missing_premise("If n is odd, then n^2 is odd.", "n^2 is odd")
    'n is odd'
    """
    tokens = tokenize(gold)
    begins = bool(tokens) and _IF.match(tokens, 0) is not None
    implied = read_implication(gold) if begins else None
    is_implied = any(sign in pred for sign in _ARROWS) or read_implication(pred) is not None
    return implied.premise if implied is not None and not is_implied else ""


_ARROWS = ("\\Rightarrow", "\\implies", "\\to", "⇒", "→", "⟹", "=>", "->")
