"""What a short text states besides its answer: `The maximum value is 7 when x = 2` states 7 and x = 2.

Such texts are no solutions: nothing in them is boxed or announced, and they have few words. What both of two
texts state besides the same answer, and each otherwise, keeps them from being equal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engines.grading.answer_vocabulary import JOINS, map_phrases
from engines.grading.boxes_and_announcements import find_announced, find_boxed
from engines.grading.dropped_words import compare_dropped_words, list_clause_words
from engines.grading.final_answer import LONGEST, repair_escapes
from engines.grading.permutations import speaks_of_orders
from engines.grading.sentence_quantities import list_quantities
from engines.grading.tokens import (
    AnswerToken,
    Phrases,
    is_blank,
    join_formulas,
    skip_blanks,
    text_at,
    tokenize,
)
from engines.grading.word_answers import match_side
from engines.language.numerals import with_ascii_digits

_MOST_TOKENS = 90
"""Tokens of a text that is no solution."""
_MOST_PARTS = 8
_OPERATORS = frozenset("+-−–*×·÷/^=≈")
_BETWEEN = frozenset("$€£¥()（）%")
"""Signs between a number and the operator of its calculation."""


def find_other_statements(
    texts: tuple[str, str], answers: tuple[str, str], are_equal: Callable[[str, str], bool]
) -> str:
    """Return what two texts state besides their answers, and each otherwise, as `7 and 5`; "" for none.

    Args: texts, answers: both texts, and the answers that were found in them. are_equal: compares formulas.
    """
    squeezed = [_squeeze(answer) for answer in answers]
    bare = [_squeeze(text) == answer for text, answer in zip(texts, squeezed, strict=True)]
    if texts[0] == texts[1] or all(bare):
        return ""
    # Solutions state many things on their way; only short texts are looked at.
    texts = _take_statement(texts[0]), _take_statement(texts[1])
    bare = [not text or _squeeze(text) == answer for text, answer in zip(texts, squeezed, strict=True)]
    if all(bare):
        return ""
    # "(1, 2) in any order" is more than the pair.
    orders = [
        answer.startswith("(") and answer.count("(") == text.count("(") and speaks_of_orders(text)
        for text, answer in zip(texts, answers, strict=True)
    ]
    if orders[0] != orders[1] and not any("permut" in answer for answer in answers):
        return "values in one order and in any order"
    changes = [_find_change(text, answer) for text, answer in zip(texts, answers, strict=True)]
    if changes[0] != changes[1]:
        return " and ".join(filter(None, changes)) + ", which is more than the answer"
    if any(bare):
        return ""  # one of them is no more than the answer
    if words := compare_dropped_words((_join(texts[0]), _join(texts[1]))):
        return words
    # Maxima and minima, or labels, that have exchanged their places.
    sides = [_list_sides(text) for text in texts]
    for said in sides[0].keys() & sides[1].keys():
        ours, others = sides[0][said], sides[1][said]
        if len(ours) == len(others) and not all(
            any(_are_same(one, other, are_equal) for other in others) for one in ours
        ):
            return f"{', '.join(ours)} and {', '.join(others)}"
    mine, theirs = (list_statements(text, answer) for text, answer in zip(texts, answers, strict=True))
    if not mine or not theirs or len(mine) > _MOST_PARTS or len(theirs) > _MOST_PARTS:
        return ""
    # What both state is no difference, and what only one of them states explains the answer.
    alone = next((one for one in mine if not any(_are_same(one, other, are_equal) for other in theirs)), "")
    if not alone:
        return ""
    other = next((one for one in theirs if not any(_are_same(one, part, are_equal) for part in mine)), "")
    return f"{alone} and {other}" if other else ""


def _join(text: str) -> Sequence[AnswerToken]:
    return join_formulas(text, tokenize(text))


def _take_statement(text: str) -> str:
    """Return a short text, what it announces, or a sentence in its box; "" for solutions and other boxes."""
    text = with_ascii_digits(repair_escapes(text[-LONGEST:]))
    tokens = tokenize(text)
    # A box has all of the answer; one with a sentence in it is read like a text.
    boxed = find_boxed(text, tokens)
    if boxed is not None:
        return boxed if "$" in boxed else ""
    first, last, announced = find_announced(text, tokens)
    if last - first > _MOST_TOKENS:
        return ""
    return text[tokens[first].start : tokens[last - 1].end] if announced else text


def list_statements(text: str, answer: str) -> list[str]:
    """Return the formulas and numbers that a short text states besides its answer; [] for solutions.

    >>> list_statements("The maximum value is $7$ when $x=2$", "x=2")
    ['7']
    >>> list_statements("She has 3 + 4 = 7 plums", "7 plums")
    []
    """
    tokens = tokenize(text)
    joined = join_formulas(text, tokens)
    formulas = [token.text for token in joined if token.kind == "formula"]
    left = _squeeze(answer)
    parts: list[str] = []
    # The longest first: of `2` and `x = 2` the answer x = 2 is the second.
    for formula in sorted(formulas, key=len, reverse=True):
        squeezed = _squeeze(formula)
        if squeezed in left:
            left = left.replace(squeezed, "", 1)
        elif not _is_name_list(formula) and not _is_working(squeezed, _squeeze(answer)):
            parts.append(formula)
    spans = list_quantities(joined, 0, len(joined))
    for first, last in spans:
        said = text[joined[first].start : joined[last - 1].end]
        digits = _squeeze("".join(token.text for token in joined[first:last] if token.kind != "word"))
        if digits in left:
            left = left.replace(digits, "", 1)
        elif not _is_operand(joined, first, last) and not _names_rank(joined, last):
            parts.append(said)
    if left and len(parts) == 1 and left in _squeeze(parts[0]).split("="):
        return []  # the answer is a side of the only other formula
    return parts


def _find_change(text: str, answer: str) -> str:
    """Return the words of a short text that say of its answer that something else is meant, as `except`."""
    tokens = tokenize(text)
    if not _CHANGES.may_occur(tokens) or not answer.strip():
        return ""
    wanted = _squeeze(answer)
    for _, behind, said in _CHANGES.find_all(tokens, 0, len(tokens)):
        rest = tokens[behind:]
        # Behind a few words: `outside the circle x² + y² = 1`.
        for _ in range(_WORDS_BETWEEN):
            if _squeeze("".join(token.text for token in rest)).startswith(wanted):
                return said
            start = skip_blanks(rest, 0)
            if start >= len(rest) or rest[start].kind != "word":
                break
            rest = rest[start + 1 :]
    return ""


_WORDS_BETWEEN = 3
_CHANGES = map_phrases(
    (group.split(", ")[0], group)
    for group in (
        "except, except for, other than, excluding, apart from, besides, but not"
        ", unless, außer, ausgenommen, sauf, excepté, à l'exception de, excepto"
        ", salvo, кроме, за исключением, tranne, eccetto, exceto",
        "multiples of, multiple of, Vielfache von, Vielfaches von, multiples de"
        ", múltiplos de, múltiplo de, multiple de, кратные, кратно, multipli di"
        ", multiplo di",
        "divisors of, divisor of, factors of, factor of, Teiler von, diviseurs de"
        ", diviseur de, divisores de, divisor de, делители, divisori di, divisore di",
        "powers of, power of, Potenzen von, puissances de, puissance de, potencias de"
        ", potencia de, степени, potenze di",
        "square of, squares of, Quadrat von, carré de, cuadrado de, квадрат, quadrato di",
        "cube of, cubes of",
        "square root of, square roots of, Wurzel aus, racine carrée de, raíz cuadrada de",
        "reciprocal of, Kehrwert von, inverse de, inverso de",
        "interior of, exterior of, boundary of, inside, outside, bounded by, enclosed by",
        "doppelt so viel wie, twice as much as",
        "complement of, Komplement von, complémentaire de, complemento de",
        "negation of, Negation von, négation de",
        "coprime to, relatively prime to, teilerfremd zu, premiers avec, взаимно просты с",
        "congruent to, divisible by, teilbar durch, divisible par, divisible por, divisibles por",
    )
)
"""Words before a formula for something that is made of it."""


def _list_sides(text: str) -> dict[str, list[str]]:
    """Return what a short text says of values with a word that has an opposite, or of a root that counts
    twice: for each such word the formulas and numbers of its clause."""
    tokens = join_formulas(text, tokenize(text))
    spans = dict(list_quantities(tokens, 0, len(tokens)))
    spans |= {
        at: at + 1
        for at, token in enumerate(tokens)
        if token.kind == "formula" and not _is_name_list(token.text)
    }
    said: dict[str, list[str]] = {}
    words: set[str] = set()
    values: list[str] = []
    at, depth, start = 0, 0, 0
    while at <= len(tokens):
        depth += (text_at(tokens, at) in ("(", "（")) - (text_at(tokens, at) in (")", "）"))
        ends = at == len(tokens) or (
            depth <= 0
            and at not in spans
            and (text_at(tokens, at) in tuple(",;，；、。") or JOINS.match(tokens, at) is not None)
        )
        if ends:
            if len(words) == 1 and values:
                said.setdefault(words.pop(), []).extend(values)
            elif not words and values and (named := list_clause_words(tokens[start:at])):
                said.setdefault(named, []).extend(values)
            words, values, start = set(), [], at + 1
        elif at in spans:
            values.append(text[tokens[at].start : tokens[spans[at] - 1].end].strip("$ "))
            at = spans[at]
            continue
        elif (side := match_side(tokens, at)) is not None:
            words.add(side[1])
            at = side[0]
            continue
        elif (twice := _TWICE.match(tokens, at)) is not None:
            words.add(twice[1])
            at = twice[0]
            continue
        at += 1
    return said


_TWICE = Phrases(
    dict.fromkeys(
        (
            *(
                "double root",
                "double",
                "twice",
                "repeated",
                "multiplicity 2",
                "doppelte",
                "doppelt",
                "zweifach",
            ),
            *(
                "racine double",
                "doble",
                "двойной",
                "кратности 2",
                "кратный",
                "doppia",
                "重根",
                "二重根",
                "중근",
            ),
        ),
        "twice",
    )
)


def _squeeze(text: str) -> str:
    """Return a text without spaces and the signs that part figures or formulas."""
    return "".join(text.replace("\\,", "").translate(_LOOSE).split())


_LOOSE = dict.fromkeys(map(ord, "$,.{}"))


def _are_same(one: str, other: str, are_equal: Callable[[str, str], bool]) -> bool:
    return _squeeze(one) == _squeeze(other) or are_equal(one, other)


def _is_name_list(formula: str) -> bool:
    """Return whether a formula names letters only, as `x` or `a, b`, and states nothing of them."""
    said = [token for token in tokenize(formula) if not is_blank(token)]
    return all(
        token.text == "," or (token.kind == "word" and len(token.text) == 1) or token.text in ("f(x)",)
        for token in said
    ) or [token.text for token in said[1:2] + said[-1:]] == ["(", ")"]


def _is_working(formula: str, answer: str) -> bool:
    """Return whether a formula is a calculation: of numbers only, or a chain that ends in the answer."""
    sides = formula.split("=")
    if len(sides) == 1:
        return False
    return not any(char.isalpha() for char in formula) or (len(sides) > 2 and sides[-1] == answer)


def _is_operand(tokens: Sequence[AnswerToken], first: int, last: int) -> bool:
    """Return whether a number is part of a calculation: no more than `x = ` makes a statement of it."""
    before = first - 1
    while before >= 0 and (is_blank(tokens[before]) or tokens[before].text in _BETWEEN):
        before -= 1
    behind = skip_blanks(tokens, last)
    while text_at(tokens, behind) in _BETWEEN:
        behind = skip_blanks(tokens, behind + 1)
    if text_at(tokens, behind) in _OPERATORS and behind < len(tokens):
        return True
    if before < 0 or tokens[before].text not in _OPERATORS:
        return False
    name = before - 1
    while name >= 0 and is_blank(tokens[name]):
        name -= 1
    return not (tokens[before].text in ("=", "≈") and name >= 0 and tokens[name].kind == "word")


def _names_rank(tokens: Sequence[AnswerToken], last: int) -> bool:
    """Return whether letters right behind a number make it a word, as in `6th`."""
    return text_at(tokens, last) in ("st", "nd", "rd", "th")
