"""Sets of integers in words: all positive multiples of 3, the odd integers, alle Vielfachen von 5."""

from __future__ import annotations

from collections.abc import Sequence

from engines.grading.tokens import AnswerToken, Phrases, is_blank, skip_blanks, text_at, tokenize

_EVERY = Phrases(
    dict.fromkeys(
        (
            *(
                "the set of all",
                "all",
                "every",
                "any",
                "the",
                "all the",
                "alle",
                "tous les",
                "todos los",
                "los",
            ),
            *("все", "所有", "tutti i", "are", "is", "n is", "n is a"),
        ),
        "",
    )
)
_SIGNS = Phrases(
    {
        **dict.fromkeys(("positive", "positiven", "positivos", "положительные", "正"), "1"),
        **dict.fromkeys(("nonnegative", "non-negative"), "0"),
    }
)
_MULTIPLES = Phrases(
    dict.fromkeys(
        (
            *("multiples of", "multiple of", "integers divisible by", "numbers divisible by", "divisible by"),
            *("integer multiples of", "Vielfachen von", "Vielfache von", "multiples de", "múltiplos de"),
            *("кратные", "числа, кратные", "multipli di"),
        ),
        "",
    )
)
_PARITIES = Phrases(
    {
        **dict.fromkeys(("even integers", "even numbers", "even", "geraden Zahlen", "偶数"), "2k"),
        **dict.fromkeys(("odd integers", "odd numbers", "odd", "ungeraden Zahlen", "奇数"), "2k + 1"),
    }
)
_POSITIVE_BEHIND = Phrases(
    dict.fromkeys(("positive integers", "positive numbers", "natural numbers", "integers", "numbers"), "")
)
_MULTIPLE_SIGN = ("的", "倍", "数")


def spell_integers(text: str) -> str:
    r"""Return words for a set of integers as LaTeX; "" for anything else.

    >>> spell_integers("all positive multiples of 3"), spell_integers("the odd integers")
    ('\\{3 k : k \\in \\mathbb{Z}, k \\ge 1\\}', '\\{2k + 1 : k \\in \\mathbb{Z}\\}')
    """
    if not any(
        mark in text for mark in ("ivisible", "ultipl", "últipl", "ielfach", "ратн", "倍数", "odd", "even")
    ):
        return ""
    tokens = [token for token in tokenize(text.strip(" .")) if token.text != "$"]
    at = 0
    least = ""
    for table in (_EVERY, _SIGNS):
        if (match := table.match(tokens, at)) is not None:
            at, least = skip_blanks(tokens, match[0]), match[1]
    if least and (noun := _POSITIVE_BEHIND.match(tokens, at)) is not None:
        at = skip_blanks(tokens, noun[0])  # all positive integers divisible by 3
    if (parity := _PARITIES.match(tokens, at)) is not None and at:
        return _write_family(parity[1], least) if _ends(tokens, parity[0]) else ""
    multiples = _MULTIPLES.match(tokens, at)
    if multiples is not None:
        number = skip_blanks(tokens, multiples[0])
        end = number + 1
    else:  # 3的倍数
        number, end = at, at + 1 + len(_MULTIPLE_SIGN)
        if tuple(token.text for token in tokens[at + 1 : end]) != _MULTIPLE_SIGN:
            return ""
    step = text_at(tokens, number)
    return _write_family(f"{step} k", least) if step.isdecimal() and _ends(tokens, end) else ""


def _ends(tokens: Sequence[AnswerToken], at: int) -> bool:
    return all(is_blank(token) for token in tokens[at:])


def _write_family(term: str, least: str) -> str:
    if least and term.endswith("+ 1"):
        least = "0"
    bound = f", k \\ge {least}" if least else ""
    return f"\\{{{term} : k \\in \\mathbb{{Z}}{bound}\\}}"


_RANGES = Phrases(
    {
        **dict.fromkeys(
            (
                *("for any integer", "for all integers", "for every integer", "for each integer"),
                *("for some integer", "for integer", "for integers", "with integer", "any integer"),
                *("für alle ganzen Zahlen", "für ganze Zahlen", "pour tout entier", "para todo entero"),
                *("для любого целого", "для целых", "для всех целых"),
            ),
            "",
        ),
        **dict.fromkeys(
            (
                *("for any positive integer", "for all positive integers", "for every positive integer"),
                *("for positive integers", "for some positive integer"),
            ),
            "1",
        ),
        **dict.fromkeys(
            (
                *("for any nonnegative integer", "for all nonnegative integers", "for nonnegative integers"),
                *("for any non-negative integer", "for all non-negative integers"),
            ),
            "0",
        ),
    }
)
_RANGES_BEHIND = Phrases(
    {
        **dict.fromkeys(
            (
                *("is an integer", "is any integer", "any integer", "an integer", "integer", "entier"),
                *("ganze Zahl", "entero", "целое", "is an arbitrary integer", "为整数", "是整数"),
            ),
            "",
        ),
        **dict.fromkeys(("is a positive integer", "is any positive integer", "为正整数"), "1"),
        **dict.fromkeys(("is a nonnegative integer", "is a non-negative integer"), "0"),
    }
)
_BEFORE_RANGE = ("where", "with", "for", "(", ",", "and", "и", "mit", "où", "avec", "其中", "，")


def spell_ranges(text: str) -> str:
    r"""Return a text in which words for the range of a letter at its end are LaTeX.

    >>> spell_ranges("x = 7k + 3 for any integer k"), spell_ranges("2n, where n is a positive integer")
    ('x = 7k + 3, k \\in \\mathbb{Z}', '2n, n \\in \\mathbb{Z}, n \\ge 1')
    """
    if not any(word in text for word in _INTEGERS):
        return text
    tokens = [token for token in tokenize(text) if not is_blank(token) and token.text not in tuple("$.")]
    for at in range(1, len(tokens)):
        end, least, letter = 0, "", ""
        if (match := _RANGES.match(tokens, at)) is not None:
            end, least, letter = match[0] + 1, match[1], text_at(tokens, match[0])
        elif len(tokens[at].text) == 1 and (match := _RANGES_BEHIND.match(tokens, at + 1)) is not None:
            end, least, letter = match[0], match[1], tokens[at].text
        if end and len(letter) == 1 and letter.isalpha() and all(one.text == ")" for one in tokens[end:]):
            while at > 1 and tokens[at - 1].text in _BEFORE_RANGE:
                at -= 1
            bound = f", {letter} \\ge {least}" if least else ""
            return f"{text[: tokens[at - 1].end]}, {letter} \\in \\mathbb{{Z}}{bound}"
    return text


_INTEGERS = ("integer", "ganze", "entier", "entero", "цел", "整数")
