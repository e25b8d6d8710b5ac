"""Answers by cases of a parameter: `If $a \\ne 0$: $x = 2/a$; if $a = 0$: no solution`.

Each clause is a condition and what holds under it, in either order; `otherwise` is the case that the other
side has and no other clause names. Conditions are compared with conditions, and what they lead to with that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engines.grading.answer_vocabulary import DENIALS, make_phrases
from engines.grading.tokens import AnswerToken, is_blank, join_formulas, skip_blanks, tokenize
from engines.grading.verdicts import GradeOutcome

_LONGEST = 400
"""Characters of a text that is no long solution."""
_IF = make_phrases(
    "if, when, for, in case, in the case, wenn, falls, für, im Fall, si, pour, lorsque, cuando"
    ", para, se, per, quando"
    ", если, при, когда, для, als, voor, dla, jeśli, gdy"
)
_OTHERWISE = make_phrases(
    "otherwise, in every other case, in all other cases, in any other case, else, for all other values, sonst"
    ", andernfalls, in allen anderen Fällen, sinon, dans les autres cas, dans tous les autres cas"
    ", en otro caso"
    ", en los demás casos, altrimenti, negli altri casi, caso contrário, nos outros casos, иначе"
    ", в остальных случаях, anders, w przeciwnym razie"
)
_RELATIONS = frozenset((*"=≠<>≤≥", "\\ne", "\\neq", "\\le", "\\leq", "\\ge", "\\geq"))


@dataclass(frozen=True, slots=True)
class ParameterCase:
    """A condition, "" for all that is left, and what an answer says under it."""

    condition: str
    said: str


def have_same_cases(gold: str, pred: str, compare: Callable[[str, str], GradeOutcome]) -> bool:
    """Return whether two answers distinguish the same cases and say the same in each.

    Args: gold, pred: the answers. compare: grades a condition, or what is said under it, as a whole answer.
    """
    mine = list_cases(gold)
    theirs = list_cases(pred) if len(mine) > 1 else []
    if not theirs or len(mine) != len(theirs):
        return False
    pairs: list[tuple[ParameterCase, ParameterCase]] = []
    rest = list(theirs)
    for case in mine:
        match = next((one for one in rest if _have_same_condition(case, one, compare)), None)
        if match is not None:
            rest.remove(match)
            pairs.append((case, match))
    matched = [case for case, _ in pairs]
    left = [case for case in mine if case not in matched]
    # What is left on one side may be `otherwise` on the other.
    if len(left) == len(rest) == 1 and "" in (left[0].condition, rest[0].condition):
        pairs.append((left[0], rest[0]))
    return len(pairs) == len(mine) and all(compare(one.said, other.said) == "equal" for one, other in pairs)


def _have_same_condition(
    one: ParameterCase, other: ParameterCase, compare: Callable[[str, str], GradeOutcome]
) -> bool:
    if not one.condition or not other.condition:
        return one.condition == other.condition
    return compare(one.condition, other.condition) == "equal"


def list_cases(text: str) -> list[ParameterCase]:
    """Return the cases of a text; [] where a clause of it is none.

    >>> [(case.condition, case.said) for case in list_cases("x = 2/a if a ≠ 0, no solution if a = 0")]
    [('a ≠ 0', 'x = 2/a'), ('a = 0', 'no solution')]
    """
    tokens = join_formulas(text, tokenize(text)) if len(text) <= _LONGEST else []
    cases = [_read_case(text, clause) for clause in _split_clauses(tokens)]
    return [case for case in cases if case is not None] if None not in cases else []


def _split_clauses(tokens: Sequence[AnswerToken]) -> list[Sequence[AnswerToken]]:
    """Return the parts of a text between semicolons and full stops, and between commas where a clause is
    complete before one."""
    clauses: list[Sequence[AnswerToken]] = []
    start = 0
    for at, token in enumerate(tokens):
        behind = skip_blanks(tokens, at + 1)
        ends = (
            token.text in (";", "；", "。")
            or (token.text == "." and behind > at + 1)
            or behind >= len(tokens)
        )
        joins = token.text in (",", "，", "and", "und", "et", "y", "и", "but", "aber")
        if ends or (joins and _is_complete(tokens[start:at]) and _begins_case(tokens, behind)):
            clauses.append(tokens[start : at + (behind >= len(tokens) and token.text != ".")])
            start = behind
    return [clause for clause in clauses if any(not is_blank(token) for token in clause)]


def _begins_case(tokens: Sequence[AnswerToken], at: int) -> bool:
    """Return whether a clause with a condition begins at a token."""
    stops = (end for end in range(at, len(tokens)) if tokens[end].text in (".", ";", "。"))
    rest = tokens[at : next(stops, len(tokens))]
    return any(table.find(rest) is not None for table in (_IF, _OTHERWISE))


def _is_complete(tokens: Sequence[AnswerToken]) -> bool:
    """Return whether a clause has a condition and something besides it."""
    found = _IF.find(tokens) or _OTHERWISE.find(tokens)
    if found is None:
        return False
    before = any(not is_blank(token) for token in tokens[: found[0]])
    return (
        before
        or any(token.text == ":" for token in tokens)
        or _find_condition_end(tokens, found[1]) < len(tokens)
    )


def _read_case(text: str, clause: Sequence[AnswerToken]) -> ParameterCase | None:
    first = skip_blanks(clause, 0)
    if (rest := _OTHERWISE.match(clause, first)) is not None:
        return _make_case("", _spell(text, clause[rest[0] :]))
    opening = _IF.match(clause, first)
    colon = next((at for at, token in enumerate(clause) if token.text in (":", "：")), 0)
    if opening is not None:
        end = _find_condition_end(clause, opening[0])
        return _make_case(_spell(text, clause[opening[0] : end]), _spell(text, clause[end:]))
    if colon:
        return _make_case(_spell(text, clause[:colon]), _spell(text, clause[colon + 1 :]))
    behind = _OTHERWISE.find(clause)
    if behind is not None and behind[1] >= len(clause) - 1:
        return _make_case("", _spell(text, clause[: behind[0]]))
    lead = _IF.find(clause)
    if lead is None:
        return None
    return _make_case(_spell(text, clause[lead[1] :]), _spell(text, clause[: lead[0]]))


def _make_case(condition: str, said: str) -> ParameterCase | None:
    if _is_absurd(said):
        said = "no solution"
    states = not condition or any(token.text in _RELATIONS for token in tokenize(condition))
    return ParameterCase(condition, said) if said and states else None


def _is_absurd(said: str) -> bool:
    """Return whether a clause calls an equation of two numbers impossible: `0 = 2, a contradiction`."""
    tokens = [token for token in tokenize(said) if not is_blank(token) and token.text != "$"]
    equates = any(
        tokens[at].text == "=" and tokens[at - 1].kind == tokens[at + 1].kind == "digits"
        for at in range(1, len(tokens) - 1)
    )
    return equates and _IMPOSSIBLE.find(tokenize(said)) is not None and DENIALS.find(tokenize(said)) is None


_IMPOSSIBLE = make_phrases(
    "impossible, contradiction, a contradiction, absurd, unmöglich, Widerspruch, contradictoire, imposible"
    ", contradicción, impossibile, contraddizione, impossível, contradição, невозможно, противоречие"
)


def _find_condition_end(clause: Sequence[AnswerToken], first: int) -> int:
    """Return the index behind the condition that begins at a token: at a comma, colon or word."""
    at = skip_blanks(clause, first)
    while at < len(clause):
        token = clause[at]
        is_word = token.kind == "word" and len(token.text) > 1
        if is_word or token.text in (",", ":", "，", "："):
            return at
        at += 1
        if token.kind == "formula":
            return at
    return at


def _spell(text: str, tokens: Sequence[AnswerToken]) -> str:
    if not tokens:
        return ""
    said = text[tokens[0].start : tokens[-1].end].strip(" ,;:.，：\n")
    lead = _LEADS.match(tokenize(said), 0)
    return said[tokenize(said)[lead[0] - 1].end :].strip() if lead is not None else said


_LEADS = make_phrases(
    "then, we have, we get, there is, there are, dann, gilt, alors, on a, entonces, allora, então, то"
)
