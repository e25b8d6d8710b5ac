"""Sets of integers in words: all positive multiples of 3, the primes less than 20, alle Vielfachen von 5."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt

from engines.grading.tokens import AnswerToken, Phrases, is_blank, skip_blanks, text_at, tokenize


def _phrases(phrases: str) -> dict[str, str]:
    return dict.fromkeys(phrases.split(", "), "")


_EVERY = Phrases(
    _phrases(
        "the set of all, the set of, the set of the, all, every, any, the, all the, alle, die, tous les, les"
        ", todos los, los, все, 所有, tutti i, are, is, n is, n is a"
    )
)
_SIGNS = Phrases(
    {
        **dict.fromkeys(("positive", "positiven", "positivos", "положительные", "正"), "1"),
        **dict.fromkeys(("nonnegative", "non-negative"), "0"),
    }
)
_MULTIPLES = Phrases(
    _phrases(
        "multiples of, multiple of, integers divisible by, numbers divisible by, divisible by"
        ", integer multiples of, Vielfachen von, Vielfache von, multiples de, múltiplos de"
        ", кратные, числа, кратные, multipli di"
    )
)
_KINDS = Phrases(
    {
        **dict.fromkeys(("even integers", "even numbers", "even", "geraden Zahlen", "偶数"), "2k"),
        **dict.fromkeys(("odd integers", "odd numbers", "odd", "ungeraden Zahlen", "奇数"), "2k + 1"),
        **dict.fromkeys(("primes", "prime numbers", "Primzahlen", "nombres premiers"), "prime"),
        **dict.fromkeys(("perfect squares", "square numbers", "squares", "Quadratzahlen"), "square"),
        **dict.fromkeys(("integers", "whole numbers", "ganzen Zahlen", "entiers"), "k"),
    }
)
"""What is said of integers: a term in k, or the name of a test."""
_EXACTLY = Phrases(_phrases("exactly, precisely, just, genau, exactement, exactamente, esattamente, ровно"))
_POSITIVE_BEHIND = Phrases(
    _phrases("positive integers, positive numbers, natural numbers, integers, numbers")
)
_DIVISORS = Phrases(_phrases("divisors of, factors of, Teiler von, diviseurs de, divisores de"))
_MULTIPLE_SIGN = ("的", "倍", "数")
_BOUNDS = Phrases(
    {
        **dict.fromkeys(("between", "zwischen", "entre"), "()"),
        **dict.fromkeys(("from", "von", "de", "between and including", "inclusive between"), "[]"),
        **dict.fromkeys(("less than", "smaller than", "below", "under", "kleiner als", "unter"), "<"),
        **dict.fromkeys(("at most", "up to", "no greater than", "not exceeding", "bis"), "<="),
        **dict.fromkeys(("greater than", "larger than", "above"), ">"),
        "at least": ">=",
    }
)
_TO = Phrases(
    _phrases(
        "and, to, up to and including, up to, through, und, bis, bis einschließlich, et, à, jusqu'à"
        ", y, a, hasta"
    )
)
_FROM_ONE = ("prime", "square")
_MOST_INTEGERS = 200


def spell_integers(text: str) -> str:
    r"""Return words for a set of integers as LaTeX; "" for anything else.

    >>> spell_integers("all positive multiples of 3"), spell_integers("the odd integers")
    ('\\{3 k : k \\in \\mathbb{Z}, k \\ge 1\\}', '\\{2k + 1 : k \\in \\mathbb{Z}\\}')
    >>> spell_integers("the even numbers between 1 and 9"), spell_integers("all primes less than 10")
    ('\\{2, 4, 6, 8\\}', '\\{2, 3, 5, 7\\}')
    """
    if not may_name_integers(text):
        return ""
    tokens = [token for token in tokenize(text.strip(" .")) if token.text != "$"]
    at = 0
    least = ""
    if (exactly := _EXACTLY.match(tokens, at)) is not None:
        at = skip_blanks(tokens, exactly[0])
    for table in (_EVERY, _SIGNS):
        if (match := table.match(tokens, at)) is not None:
            at, least = skip_blanks(tokens, match[0]), match[1]
    begin = at
    if least and (noun := _POSITIVE_BEHIND.match(tokens, at)) is not None:
        at = skip_blanks(tokens, noun[0])  # all positive integers divisible by 3
    if (divisors := _DIVISORS.match(tokens, at)) is not None and begin:
        return _list_divisors(tokens, divisors[0]) if least else ""
    if not least and (family := _match_form(tokens, at)):
        return family
    kind, end = _match_kind(tokens, at)
    if not kind:
        kind, end = _match_kind(tokens, begin)
    if not kind:
        return ""
    behind = skip_blanks(tokens, end)
    if not least and (sign := _SIGNS.match(tokens, behind)) is not None:
        noun = _POSITIVE_BEHIND.match(tokens, skip_blanks(tokens, sign[0]))
        if noun is not None:
            least, end = sign[1], noun[0]  # all odd positive integers
    if _ends(tokens, end):
        is_word = not begin and _KINDS.match(tokens, at) is not None  # a function may be even
        return "" if is_word or kind in (*_FROM_ONE, "k") else _write_family(kind, least)
    return _list_integers(kind, least, tokens, end)


_MARKS = (
    *("ivisible", "ultipl", "últipl", "ielfach", "ратн", "倍数", "odd", "even", "prime", "Prim", "premier"),
    *(
        "square",
        "Quadratz",
        "integers",
        "whole numbers",
        "divisor",
        "factors of",
        "gerade",
        "ganze",
        "entier",
    ),
    *("Teiler", "diviseur"),
)


def may_name_integers(text: str) -> bool:
    """Return whether a word for a set of integers is in a text, so that it is worth parsing it."""
    return any(mark in text for mark in _MARKS)


def _match_kind(tokens: Sequence[AnswerToken], at: int) -> tuple[str, int]:
    """Return the integers that words name, as a term in k or the name of a test, and the index behind."""
    if (kind := _KINDS.match(tokens, at)) is not None:
        return kind[1], kind[0]
    multiples = _MULTIPLES.match(tokens, at)
    if multiples is not None:
        number = skip_blanks(tokens, multiples[0])
        end = number + 1
    else:  # 3的倍数
        number, end = at, at + 1 + len(_MULTIPLE_SIGN)
        if tuple(token.text for token in tokens[at + 1 : end]) != _MULTIPLE_SIGN:
            return "", 0
    step = text_at(tokens, number)
    return (f"{step} k", end) if step.isdecimal() else ("", 0)


def _match_form(tokens: Sequence[AnswerToken], at: int) -> str:
    """Return the family that a linear form of integers names, as `integers n of the form 3k + 1`; ""
    without one."""
    noun = _NOUNS.match(tokens, at)
    if noun is None:
        return ""
    behind = skip_blanks(tokens, noun[0])
    if len(text_at(tokens, behind)) == 1 and text_at(tokens, behind).isalpha():
        behind = skip_blanks(tokens, behind + 1)  # integers n of the form
    lead = _OF_FORM.match(tokens, behind)
    if lead is None:
        return ""
    comma = next((i for i in range(lead[0], len(tokens)) if tokens[i].text == ","), len(tokens))
    range_start = next(
        (i for i in range(lead[0], comma) if tokens[i].text in ("for", "with", "where")), comma
    )
    said = [token.text for token in tokens[lead[0] : range_start] if not is_blank(token)]
    letters = [one for one in said if one.isalpha()]
    linear = len(letters) == 1 and len(letters[0]) == 1 and "^" not in said and "²" not in said
    plain = all(one.isalnum() or one in tuple("+-−*") for one in said)
    words = [token.text for token in tokens[range_start:] if not is_blank(token) and token.text != ","]
    any_integer = {*words} <= {*letters, "∈", "ℤ", "\\in", "Z", "\\mathbb", "{", "}", *_ANY_INTEGER}
    return (
        rf"\{{{''.join(said)} : {letters[0]} \in \mathbb{{Z}}\}}" if linear and plain and any_integer else ""
    )


_NOUNS = Phrases(_phrases("integers, whole numbers, numbers, ganzen Zahlen, entiers, números, целые числа"))
_OF_FORM = Phrases(
    _phrases("of the form, of form, der Form, de la forme, de la forma, вида, that are of the form")
)
_ANY_INTEGER = ("for", "with", "where", "an", "any", "some", "all", "integer", "integers", "is")


def _list_integers(kind: str, least: str, tokens: Sequence[AnswerToken], at: int) -> str:
    """Return the integers of a kind between the bounds that follow as a set; "" where it is not finite, or an
    end of `between` is one of them, which some count and some do not."""
    low: int | None = int(least) if least else 1 if kind in _FROM_ONE else None
    high: int | None = None
    between = False
    while not _ends(tokens, at):
        at = skip_blanks(tokens, at)
        if _TO.match(tokens, at) is not None and high is None and low is not None:
            at = skip_blanks(tokens, at + 1)
        bound = _BOUNDS.match(tokens, at)
        if bound is None:
            return ""
        number, at = _take_integer(tokens, bound[0])
        sign = bound[1]
        if number is None:
            return ""
        if sign in ("()", "[]"):
            join = _TO.match(tokens, skip_blanks(tokens, at))
            further, at = _take_integer(tokens, join[0]) if join is not None else (None, at)
            if further is None:
                return ""
            low, high, between = max(number, number if low is None else low), further, sign == "()"
            if text_at(tokens, skip_blanks(tokens, at)).lower() == "inclusive":
                at, between = skip_blanks(tokens, at) + 1, False
        elif sign[0] == "<":
            high = number - (sign == "<")
        else:
            low = number + (sign == ">")
    if low is None or high is None or high - low > _MOST_INTEGERS:
        return ""
    members = [number for number in range(low, high + 1) if _is_of_kind(number, kind)]
    if between and not {low, high}.isdisjoint(members):
        return ""
    return f"\\{{{', '.join(map(str, members))}\\}}"


def _take_integer(tokens: Sequence[AnswerToken], at: int) -> tuple[int | None, int]:
    at = skip_blanks(tokens, at)
    minus = text_at(tokens, at) in ("-", "−")
    digits = text_at(tokens, at + minus)
    if not digits.isdecimal() or len(digits) > _MOST_FIGURES:
        return None, at
    return (-int(digits) if minus else int(digits)), at + minus + 1


_MOST_FIGURES = 9


def _is_of_kind(number: int, kind: str) -> bool:
    if kind == "prime":
        return number > 1 and all(number % factor for factor in range(2, isqrt(number) + 1))
    if kind == "square":
        return number > 0 and isqrt(number) ** 2 == number
    if kind.endswith("+ 1"):
        return number % 2 == 1
    return kind == "k" or number % int(kind.removesuffix("k")) == 0


def _list_divisors(tokens: Sequence[AnswerToken], at: int) -> str:
    number, end = _take_integer(tokens, at)
    if number is None or number < 1 or not _ends(tokens, end) or number > _MOST_DIVIDED:
        return ""
    divisors = (str(factor) for factor in range(1, number + 1) if number % factor == 0)
    return f"\\{{{', '.join(divisors)}\\}}"


_MOST_DIVIDED = 100_000


def _ends(tokens: Sequence[AnswerToken], at: int) -> bool:
    return all(is_blank(token) for token in tokens[at:])


def _write_family(term: str, least: str) -> str:
    if least and term.endswith("+ 1"):
        least = "0"
    bound = f", k \\ge {least}" if least else ""
    return f"\\{{{term} : k \\in \\mathbb{{Z}}{bound}\\}}"
