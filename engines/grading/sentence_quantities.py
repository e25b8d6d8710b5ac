"""The quantities of a sentence, and which of them it states as its answer.

`She had 12, gave away 5 and has 7 left` states three quantities. What a sentence computes, what it says is
left and what a main clause states goes before what is given: operands, what an article or possessive points
back to, what stands in a subordinate clause, in brackets or in a breakdown behind a colon.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engines.grading.answer_vocabulary import (
    CHANCES,
    CIRCUMSTANCES_BEHIND,
    CONCLUDING,
    CONDITIONALS,
    COPULAS,
    CORRECTIONS,
    CURRENCIES,
    DENIALS,
    DETERMINERS,
    JOINS,
    NO_DENIALS,
    OBLIGATIONS,
    ODDS,
    PERCENT,
    PREPOSITIONS,
    REMAINDERS,
    SHARES,
    SUBORDINATES,
    TOTALS,
)
from engines.grading.numbers import BASES
from engines.grading.quantity_reader import is_quantity
from engines.grading.tokens import AnswerToken, Phrases, is_blank, skip_blanks, text_at
from engines.grading.unit_reader import PER_WORDS, names_unit

Span = tuple[int, int]
"""Where a quantity begins and ends, as indices of tokens."""

_GIVEN, _NEARBY, _STATED, _TOTAL, _REMAINING = range(5)
"""How much says that a quantity is the answer of its sentence, the least first."""
_OPERATORS = frozenset("+-−–*×·÷/^x=<>±")
_RELATIVES = ("who", "which", "that")
_CONDITIONS = ("当", "若")
"""Words behind a comma that begin a condition in Chinese."""
_CIRCUMSTANCE_TOKENS = 4
_ORDINALS = ("st", "nd", "rd", "th")
_CLAUSE_MARKS = frozenset(",;，；、")
_OPENING, _CLOSING = frozenset("([（"), frozenset(")]）")


@dataclass(frozen=True, slots=True)
class QuantityChoice:
    """The quantity that a sentence states as its answer; `rivals`: others that may be meant as well."""

    chosen: Span
    rivals: tuple[Span, ...] = ()


def choose_quantity(tokens: Sequence[AnswerToken], spans: Sequence[Span], last: int) -> QuantityChoice:
    """Choose among the quantities of one sentence, in their order.

    Args:
        tokens: The tokens of a text.
        spans: Where its quantities are, at least one.
        last: The index behind the sentence.
    """
    part = tokens[:last]
    start = _find_sentence_start(part, spans[-1][0])
    spans = [span for span in spans if span[0] >= start]
    if len(spans) == 1:
        return QuantityChoice(spans[0])
    spans = _drop_premises(part, spans)
    ranks = _rank_quantities(part, spans)
    best = max(ranks)
    results = [span for span in spans if _is_result(part, span)]
    if best == _GIVEN and results:
        return QuantityChoice(results[-1])
    if best == _GIVEN:  # a clause without a comma behind it, as `after the 20% discount it costs 40`
        ranks = _rank_quantities(part, spans, has_regions=False)
        best = max(ranks)
    winners = [span for span, rank in zip(spans, ranks, strict=True) if rank == best]
    chosen = winners[-1]
    # A clause behind the statement may compute what is asked for, as in `he has 7, which is 2 more`.
    winners += [span for span in results if span > chosen]
    # Behind a total another quantity may be the one that is asked for.
    ranked = zip(spans, ranks, strict=True)
    further = [span for span, rank in ranked if best == _TOTAL and rank == _STATED and span > chosen]
    if further:
        winners, chosen = winners + further, further[-1]
    said = _spell_digits(tokens, chosen)
    rivals = [span for span in winners if _spell_digits(tokens, span) != said]
    return QuantityChoice(chosen, tuple(rivals))


def names_another(tokens: Sequence[AnswerToken], span: Span) -> bool:
    """Return whether a number is part of a word, as in `the 6th term` and `a 6-sided die`."""
    behind = text_at(tokens, span[1])
    return behind in _ORDINALS or (behind == "-" and text_at(tokens, span[1] + 1).isalpha())


def find_denial(tokens: Sequence[AnswerToken], first: int, at: int) -> int | None:
    """Return where the clause of a number denies it, as in `he does not have 30`; None where none does."""
    for index in range(at - 1, max(first, at - MOST_TOKENS) - 1, -1):
        token = tokens[index]
        if (
            token.kind == "line"
            or (token.text in _MARKS and is_blank(tokens[index + 1]))
            or CORRECTIONS.match(tokens, index)
        ):
            return None
        if NO_DENIALS.match(tokens, index) is not None:
            continue
        if (denial := DENIALS.match(tokens, index)) is not None and denial[0] <= at:
            return index
    return None


_MARKS = _CLAUSE_MARKS | frozenset(".!?:。")


def _spell_digits(tokens: Sequence[AnswerToken], span: Span) -> str:
    said = tokens[slice(*span)]
    return "".join(token.text for token in said if token.kind == "digits" or token.text in tuple("./-"))


def _drop_premises(part: Sequence[AnswerToken], spans: Sequence[Span]) -> Sequence[Span]:
    """Return the quantities behind the last word that concludes, as `so` or `which means`."""
    concluded = [
        match[0]
        for at in range(spans[0][1], spans[-1][0])
        if (match := CONCLUDING.match(part, at)) is not None
    ]
    return [span for span in spans if span[0] >= concluded[-1]] if concluded else spans


def _rank_quantities(
    part: Sequence[AnswerToken], spans: Sequence[Span], *, has_regions: bool = True
) -> list[int]:
    """Return the rank of each quantity of a sentence."""
    given = find_given_regions(part, spans) if has_regions else [False] * len(part)
    first = _find_sentence_start(part, spans[0][0])
    clauses = _split_clauses(part, spans, first)
    computed = [span for span in spans if _is_result(part, span) and not given[span[0]]]
    ranks = []
    for span in spans:
        before = _skip_back(part, span[0])
        rank = _STATED
        if (
            given[span[0]]
            or names_another(part, span)
            or CIRCUMSTANCES_BEHIND.find(part[span[0] : span[1] + _CIRCUMSTANCE_TOKENS]) is not None
            or _is_operand(part, span)
            or (computed and span != computed[-1])
            or find_denial(part, first, span[0]) is not None
            or any(table.match_before(part, before) is not None for table in (DETERMINERS, CONDITIONALS))
        ):
            rank = _GIVEN
        elif (preposition := PREPOSITIONS.match_before(part, noun := _skip_noun(part, before))) is not None:
            verb = COPULAS.match_before(part, _skip_back(part, preposition[0])) is not None
            rank = _STATED if verb else _NEARBY if noun == before else _GIVEN
        if rank:
            clause = next(clause for clause in clauses if span[0] < clause[1])
            if _is_nearest(REMAINDERS, part, clause, span, spans):
                rank = _REMAINING
            elif _is_nearest(TOTALS, part, clause, span, spans):
                rank = _TOTAL
        ranks.append(rank)
    # What stands behind a colon says what a quantity before it is made of.
    between = range(spans[0][1], spans[-1][0])
    colon = next((at for at in between if part[at].text in (":", "：") and is_blank(part[at + 1])), None)
    if colon is not None and any(rank for span, rank in zip(spans, ranks, strict=True) if span[0] < colon):
        ranks = [rank if span[0] < colon else _GIVEN for span, rank in zip(spans, ranks, strict=True)]
    return ranks


def _find_sentence_start(part: Sequence[AnswerToken], at: int) -> int:
    for start in range(at, max(0, at - MOST_TOKENS), -1):
        before = part[start - 1]
        if before.kind == "line" or (before.text in tuple(".!?。") and is_blank(part[start])):
            return start
    return max(0, at - MOST_TOKENS)


def find_given_regions(part: Sequence[AnswerToken], spans: Sequence[Span]) -> list[bool]:
    """Return for each token whether it stands in a subordinate clause, or in brackets behind a quantity."""
    given = [False] * len(part)
    depth, subordinate, passed, relative = 0, False, False, -1
    quantities = {at for span in spans for at in range(*span)}
    starts = dict(spans)
    for at in range(max(0, len(part) - MOST_TOKENS), len(part)):
        token = part[at]
        passed = passed or at in quantities
        if at in quantities and token.text in _OPENING | _CLOSING:
            pass
        elif token.text in _OPENING and passed:
            depth += 1
        elif token.text in _CLOSING and depth:
            depth -= 1
        elif token.text in _CLAUSE_MARKS or token.text in ".!?。" or token.kind == "line":
            is_digit_mark = at in quantities
            subordinate = subordinate and is_digit_mark
            passed = passed and (is_digit_mark or token.text in _CLAUSE_MARKS)
        elif CONCLUDING.match(part, at) is not None or _joins_another(part, at, starts):
            subordinate = False
        elif (
            SUBORDINATES.match(part, at) is not None
            or _begins_purpose(part, at, passed=passed)
            or _begins_participle(part, at)
            or (token.text in _CONDITIONS and text_at(part, at - 1) in _CLAUSE_MARKS)
        ):
            subordinate = True
            relative = at if token.text.lower() in _RELATIVES else -1
        elif 0 <= relative < at - 2 and COPULAS.match(part, at) is not None:
            subordinate, relative = False, -1  # the people who left are 5
        given[at] = subordinate or depth > 0
    return given


def _joins_another(part: Sequence[AnswerToken], at: int, ends: Mapping[int, int]) -> bool:
    """Return whether `and` joins a quantity with a circumstance of its own: `40 before and 30 after it`."""
    behind = skip_blanks(part, at + 1)
    while text_at(part, behind) in CURRENCIES and behind not in ends:
        behind = skip_blanks(part, behind + 1)
    if part[at].kind != "word" or JOINS.match(part, at) is None or behind not in ends:
        return False
    return SUBORDINATES.match(part, skip_blanks(part, ends[behind])) is not None


def _begins_purpose(part: Sequence[AnswerToken], at: int, *, passed: bool) -> bool:
    """Return whether `to` with a verb begins to say what a quantity is for, or `by` how it comes about."""
    word = part[at].text.lower()
    behind = text_at(part, skip_blanks(part, at + 1))
    if word == "by":
        return behind.endswith("ing")
    if word != "to" or not behind.isalpha() or len(behind) < 2:
        return False
    if not passed:
        return _find_sentence_start(part, at) == at
    return OBLIGATIONS.match_before(part, _skip_back(part, at)) is None


def _begins_participle(part: Sequence[AnswerToken], at: int) -> bool:
    """Return whether a clause without a verb of its own begins behind a comma: `, getting 15 of them`."""
    word = part[at]
    if word.kind != "word" or len(word.text) < _SHORTEST_PARTICIPLE or not word.text.endswith("ing"):
        return False
    return text_at(part, _skip_back(part, at) - 1) == ","


_SHORTEST_PARTICIPLE = 6


def _split_clauses(part: Sequence[AnswerToken], spans: Sequence[Span], first: int) -> list[Span]:
    """Return the clauses of a sentence; one without a quantity belongs to the next, or else to the last."""
    inside = {at for span in spans for at in range(*span)}
    marks = [
        at
        for at in range(first, len(part))
        if at not in inside and (part[at].text in _CLAUSE_MARKS or _joins_clauses(part, at))
    ]
    clauses: list[Span] = []
    start = first
    for end in (*marks, len(part)):
        if any(start <= span[0] < end for span in spans):
            clauses.append((start, end))
            start = end
    if clauses and start < len(part):
        clauses[-1] = clauses[-1][0], len(part)
    return clauses


def _joins_clauses(part: Sequence[AnswerToken], at: int) -> bool:
    return JOINS.match(part, at) is not None or CORRECTIONS.match(part, at) is not None


def _is_nearest(
    phrases: Phrases[str], part: Sequence[AnswerToken], clause: Span, span: Span, spans: Sequence[Span]
) -> bool:
    """Return whether a phrase stands in the clause of a quantity, and nearer to it than to any other one."""
    inside = part[: clause[1]]
    place = next((at for at in range(*clause) if phrases.match(inside, at) is not None), None)
    if place is None:
        return False
    rivals = [one for one in spans if clause[0] <= one[0] < clause[1]]
    return span == min(rivals, key=lambda one: max(one[0] - place, place - one[1] + 1, 0))


def _skip_back(part: Sequence[AnswerToken], at: int) -> int:
    """Return the index behind the last token before one that is no space, bracket or currency."""
    while at and (is_blank(part[at - 1]) or part[at - 1].text in CURRENCIES or part[at - 1].text in _OPENING):
        at -= 1
    return at


def _skip_noun(part: Sequence[AnswerToken], at: int) -> int:
    """Return the index before the noun that a number is the value of, as in `at a rate of 30`;
    the same index where no preposition stands before one."""
    skipped = at
    if text_at(part, at - 1).lower() == "of":
        skipped = _skip_back(part, at - 1)
    if not skipped or part[skipped - 1].kind != "word":
        return at
    noun = _skip_back(part, skipped - 1)
    article = noun > 0 and part[noun - 1].text.lower() in ("a", "an")
    begin = _skip_back(part, noun - 1) if article else noun
    nouns = (article and skipped < at) or text_at(part, begin - 1).lower() in _WITH
    return begin if nouns and PREPOSITIONS.match_before(part, begin) is not None else at


_WITH = ("with", "mit", "avec", "con", "с")


def _is_result(part: Sequence[AnswerToken], span: Span) -> bool:
    """Return whether a quantity stands behind a sign of equality, and is no operand of what follows."""
    at = _skip_back(part, span[0]) - 1
    sign, left = text_at(part, at), _skip_back(part, at) - 1
    # Behind a name the sign says what that is: `attained at x = 2`.
    named = left >= 0 and part[left].kind == "word" and len(part[left].text) == 1
    attached = text_at(part, left - 1)
    counted = text_at(part, _skip_back(part, left) - 1).isdecimal()
    counted = counted or (attached.isalnum() and attached < "\u3040")
    if named and not counted:
        return False
    return sign in ("=", "≈") and not _is_followed_by_operator(part, span)


def _is_operand(part: Sequence[AnswerToken], span: Span) -> bool:
    """Return whether a quantity is part of a calculation, or of a difference."""
    before = _skip_back(part, span[0])
    sign = text_at(part, before - 1)
    if sign != "=" and sign in _OPERATORS and before > 1:
        return True
    # A minus with a space behind it takes away: `92 - 72`.
    if part[span[0]].text in ("-", "−") and is_blank(part[span[0] + 1]):
        return True
    return _is_followed_by_operator(part, span)


def _is_followed_by_operator(part: Sequence[AnswerToken], span: Span) -> bool:
    """Return whether an operator with another number stands behind a quantity and its unit."""
    at = span[1]
    for _ in range(_UNIT_WORDS):
        at = skip_blanks(part, at)
        while text_at(part, at) in _CLOSING or text_at(part, at) == "%":
            at = skip_blanks(part, at + 1)
        if text_at(part, at) in _OPERATORS:
            behind = skip_blanks(part, at + 1)
            while (
                text_at(part, behind) in CURRENCIES
                or text_at(part, behind) in _OPENING
                or text_at(part, behind) == "."
            ):
                behind = skip_blanks(part, behind + 1)
            return behind < len(part) and part[behind].kind == "digits"
        if at >= len(part) or part[at].kind != "word":
            return False
        at += 1
    return False


_BEFORE_DIGITS = frozenset((*CURRENCIES, *_OPENING, "."))
_UNIT_WORDS = 4
"""Words that a unit and what is counted have at most."""


def list_quantities(tokens: Sequence[AnswerToken], first: int, last: int) -> list[Span]:
    """Return where the numbers with their units are between two tokens, of a long text those at its end."""
    first = max(first, last - MOST_TOKENS)
    base = max(0, first - _CONTEXT)
    window = tokens[base:last]
    if not any(token.kind == "digits" or token.text == "π" for token in window):
        return []
    spans: list[Span] = []
    at = first - base
    while at < len(window):
        if window[at].kind in _NO_FIGURES and window[at].text != "π":
            at += 1
            continue
        before = text_at(window, at - 1) if at > first - base else ""
        skipped = (before[-1:].isalnum() and before < "\u3040") or before in (".", "^", "_")
        end = 0 if skipped else match_value(window, at, len(window))
        if end:
            previous = spans[-1] if spans else (0, 0)
            if previous[1] and _is_compound(window, previous, (at, end)):
                spans[-1] = previous[0], end
            else:
                spans.append((at, end))
        at = max(at + 1, end)
    return [(begin + base, end + base) for begin, end in spans]


MOST_TOKENS = 400
"""Tokens at the end of a text among which its quantities are searched."""
_CONTEXT = 40
"""Tokens before a quantity in which a word such as `odds` is searched."""
_RATIOS = {"in": CHANCES, "to": ODDS}
"""Words between two numbers that are one where a sentence speaks of chances or ratios."""


def match_value(tokens: Sequence[AnswerToken], first: int, last: int) -> int:
    """Return the index behind a quantity, or a point or interval in brackets; 0 where none begins."""
    if tokens[first].text in ("(", "["):
        end = next((at for at in range(first + 1, last) if tokens[at].text in (")", "]")), last)
        inside = tokens[first + 1 : end]
        plain = all(token.kind != "word" or len(token.text) == 1 for token in inside)
        listed = any(token.text in (",", ";") for token in inside)
        if end < last and plain and listed and any(token.kind == "digits" for token in inside):
            return end + 1
    return match_quantity(tokens, first, last)


def match_quantity(tokens: Sequence[AnswerToken], first: int, last: int) -> int:
    """Return the index behind a number with currency, sign and unit; 0 where none begins."""
    if first >= last or (tokens[first].kind in _NO_FIGURES and tokens[first].text != "π"):
        return 0
    part = tokens[:last]
    at = first
    # `-$5` and `$-5`: the sign stands before or behind the currency.
    for signs in (CURRENCIES, ("-", "−", "+"), CURRENCIES):
        if text_at(part, at) in signs:
            at += 1
            at += at < last and is_blank(part[at])
    at = match_figures(tokens, at, last)
    while at and (sign := at + (at < last and is_blank(part[at]))) < last:
        taken = SHARES.match(part, sign)
        if taken is None and (between := _RATIOS.get(part[sign].text.lower())) is not None:
            taken = None if between.find(tokens) is None else (sign + 1, "")
        if taken is None and part[sign].text not in tuple("/:^"):
            break
        below = sign + 1 if taken is None else taken[0]
        below += text_at(part, below).isspace()
        below += text_at(part, below) == "-"
        if (end := match_figures(tokens, below, last)) == 0:
            break
        at = end
    if not at:
        return 0
    if (base := BASES.match(part, skip_blanks(part, at))) is not None:
        return base[0]
    if text_at(part, skip := at + text_at(part, at).isspace()) in CURRENCIES:
        at = skip + 1
    unit = skip_blanks(part, at)
    if (percent := PERCENT.match(part, unit)) is not None:
        return percent[0]
    return match_unit(part, unit) or at


_NO_FIGURES = ("word", "space", "line")


def match_unit(part: Sequence[AnswerToken], first: int) -> int:
    """Return the index behind the known unit that begins at a token, as `km/h` or `m s⁻²`; 0 without one."""
    if first >= len(part) or part[first].kind != "word" or part[first].text.lower() in _NO_UNITS:
        return 0
    best = 0
    for end in range(first + 1, min(first + _MOST_UNIT_TOKENS, len(part)) + 1):
        last = part[end - 1]
        if is_blank(last) or last.text in ("/", "^", "-", "⁻", "·", "'", "’"):
            continue
        if last.kind == "sign" and last.text not in tuple("²³¹."):
            break
        if best == end - 2 and is_blank(part[best]) and last.text in _PREPOSITIONS:
            break  # 20 metres in all
        if last.kind == "digits" and part[end - 2].text not in ("^", "-"):
            break
        if not names_unit("".join(token.text for token in part[first:end])):
            if best and last.text not in (*PER_WORDS, "all"):
                break
            continue
        best = end
    return best


_MOST_UNIT_TOKENS = 9
_NO_UNITS = ("in", "a", "as", "at", "of", "s", "t", "h", "c", "f", "day", "unit", "units")
"""Words behind a number that are more often something else than its unit."""
_PREPOSITIONS = ("in", "a", "as", "at")
"""Words behind a unit that begin something else than another unit."""


def _is_compound(tokens: Sequence[AnswerToken], one: Span, other: Span) -> bool:
    """Return whether two quantities are one, as `2 hours and 30 minutes`."""
    between = tokens[one[1] : other[0]]
    joined = all(is_blank(token) or token.text in (",", "and", "und", "et", "y", "и") for token in between)
    return joined and is_quantity("".join(token.text for token in tokens[one[0] : other[1]]))


def match_figures(tokens: Sequence[AnswerToken], first: int, last: int) -> int:
    """Return the index behind digits with what parts thousands, decimals and mixed numbers, and a root or π
    behind them, as 2√5; 0 without digits."""
    if text_at(tokens, first) == "π" and text_at(tokens[:last], first + 1) == "/":
        return first + 1
    at = _match_digits(tokens, first, last)
    rooted = at or first
    if text_at(tokens[:last], rooted) == "√" and (end := _match_digits(tokens, rooted + 1, last)):
        return end
    return at + 1 if at and text_at(tokens[:last], at) == "π" else at


def _match_digits(tokens: Sequence[AnswerToken], first: int, last: int) -> int:
    """Return the index behind digits with what parts thousands, decimals and mixed numbers; 0 without."""
    part = tokens[:last]
    at = first
    if at < last and part[at].kind == "digits":
        at += 1
        while (
            text_at(part, at) in (",", " ")
            and len(text_at(part, at + 1)) == 3
            and part[at + 1].kind == "digits"
        ):
            at += 2
        slash = text_at(part, at + 2) == "/" and at + 3 < last
        if (
            at == first + 1
            and text_at(part, at) == " "
            and slash
            and part[at + 1].kind == part[at + 3].kind == "digits"
        ):
            return at + 4
    if text_at(part, at) in (".", ",") and at + 1 < last and part[at + 1].kind == "digits":
        at += 2
    if at > first and text_at(part, at) in ("e", "E"):
        exponent = at + 1 + (text_at(part, at + 1) in ("-", "+", "−"))
        if exponent < last and part[exponent].kind == "digits":
            return exponent + 1
    return at if at > first else 0
