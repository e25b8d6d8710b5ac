"""Text with formulas as index terms."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from math import fsum
from typing import Literal

from engines.formula.lexer import TokenCursor, source_tokens

# English words by Porter's stemmer, as Lucene's analyser of English has them: no term for formulas.
#
# The stemmer is that of Porter (1980, An algorithm for suffix stripping) with its author's later changes,
# which Lucene has too: `bli` and `logi` instead of `abli`, and words of two letters stay.

_ENGLISH_WORD = re.compile(r"\w+(?:(?:(?<=[^\W\d])['\u2019.](?=[^\W\d])|(?<=\d)[.,;'](?=\d))\w+)*")
_POSSESSIVE = re.compile(r"['\u2019]s$")
_ENGLISH_FUNCTION_WORDS = """
a an and are as at be but by for if in into is it no not of on or such that the their then there these they
this to was will with
"""
_ENGLISH_STOP = frozenset(_ENGLISH_FUNCTION_WORDS.split())

_SECOND = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble",
    "alli": "al", "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate",
    "alism": "al", "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive",
    "biliti": "ble", "logi": "log",
}  # fmt: skip
_THIRD = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_FOURTH = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ion", "ism", "ate", "iti", "ous", "ive",
    "ize", "al", "er", "ic", "ou",
)  # fmt: skip


def english_terms(text: str) -> list[str]:
    """Return the terms of a text as Lucene's English analyser makes them: stemmed, without stop words.

    Formulas are cut as words are. Ligatures and composed letters become the letters that they look like
    (NFKC).

    >>> english_terms("Proving the sums of Cauchy's $x^2 + A_k$")
    ['prove', 'sum', 'cauchi', 'x', '2', 'a_k']
    """
    words = (
        _POSSESSIVE.sub("", word)
        for word in _ENGLISH_WORD.findall(unicodedata.normalize("NFKC", text).lower())
    )
    return [porter_stem(word) for word in words if word not in _ENGLISH_STOP]


@lru_cache(maxsize=200_000)
def porter_stem(word: str) -> str:
    """Return the stem of a lower-case word.

    >>> [porter_stem(word) for word in ("relational", "hopping", "probabilities", "logic", "by")]
    ['relat', 'hop', 'probabl', 'logic', 'by']
    """
    if len(word) <= 2:
        return word
    word = _verb_ending(_strip_plural(word))
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    for endings in (_SECOND, _THIRD):
        end = next((word[at:] for at in range(len(word)) if word[at:] in endings), None)
        if end and _count_vowel_groups(word.removesuffix(end)) > 0:
            word = word.removesuffix(end) + endings[end]
    end = next((end for end in _FOURTH if word.endswith(end)), None)
    if end:
        stem = word.removesuffix(end)
        if _count_vowel_groups(stem) > 1 and (end != "ion" or stem.endswith(("s", "t"))):
            word = stem
    if word.endswith("e"):
        stem = word[:-1]
        if _count_vowel_groups(stem) > 1 or (_count_vowel_groups(stem) == 1 and not _ends_short(stem)):
            word = stem
    return word[:-1] if word.endswith("ll") and _count_vowel_groups(word) > 1 else word


def _strip_plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _verb_ending(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _count_vowel_groups(word[:-3]) > 0 else word
    end = next(
        (end for end in ("ed", "ing") if word.endswith(end) and _has_vowel(word.removesuffix(end))), ""
    )
    if not end:
        return word
    stem = word.removesuffix(end)
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if len(stem) > 1 and stem[-1] == stem[-2] and _is_consonant(stem, len(stem) - 1):
        return stem if stem[-1] in "lsz" else stem[:-1]
    return stem + "e" if _count_vowel_groups(stem) == 1 and _ends_short(stem) else stem


def _is_consonant(word: str, at: int) -> bool:
    if word[at] == "y":
        return at == 0 or not _is_consonant(word, at - 1)
    return word[at] not in "aeiou"


def _has_vowel(stem: str) -> bool:
    return not all(_is_consonant(stem, at) for at in range(len(stem)))


def _count_vowel_groups(stem: str) -> int:
    kinds = [_is_consonant(stem, at) for at in range(len(stem))]
    return sum(after and not before for before, after in pairwise(kinds))


def _ends_short(stem: str) -> bool:
    """It ends in consonant, vowel, consonant, and the last is not w, x or y."""
    if len(stem) < 3 or stem[-1] in "wxy":
        return False
    return [_is_consonant(stem, len(stem) - back) for back in (3, 2, 1)] == [True, False, True]


# Text with formulas as index terms.
#
# Formulas stand between dollar signs. Inside them every LaTeX command is one term, letters keep their case,
# numbers stay whole, characters outside ASCII and references of HTML are what they stand for; braces,
# spacing, sizes, labels and tags mean nothing and are left out; and each two neighbours are one term more,
# since symbols alone say little. Outside, and in texts within formulas, words are lower-cased and lose the s
# of a plural, function words are left out. Both sorts of term share one space, so that the word "x" finds the
# formula `$x$`.

Terms = Literal["math", "porter"]
"""Words and formulas, as `extract_terms` returns them, or English words by Porter's stemmer, as in Lucene."""
VERSIONS: Mapping[Terms, str] = {"math": "math-terms-4", "porter": "porter-terms-2"}
"""One changes whenever its terms of some text do: an index of other terms cannot be searched."""
STRUCTURE = "structure-terms-3"
"""The version of `structure_terms`; its number is that of the features."""

_FORMULA = re.compile(r"\$\$([^$\n]+)\$\$(?!\$)|\$([^$\n]+)\$")
_WORD = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)*")
_STRUCTURE = ("g", "w")
"""Kinds of features (`engines.formula.operator_tree`) that are terms of a structure: those with wildcards."""
_LONG_FORMULA = 200
"""Longer formulas are not kept in the cache, in characters: they hardly ever return."""

_FUNCTION_WORDS = """
a about above after again all also am an and any are aren as at be because been before being below between
both but by can could couldn d did didn do does doesn doing don down during each few for from further had
hadn has hasn have haven having he her here hers him his how i if in into is isn it its itself just ll m me
more most my myself no nor not of off on once only or other our ours out over own re s same she should
shouldn so some such t than that the their theirs them then there these they this those through to too under
until up us ve very was wasn we were weren what when where which while who whom why will with won would
wouldn you your yours
"""
_LAYOUT_COMMANDS = """
left right middle big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr quad qquad
displaystyle textstyle scriptstyle scriptscriptstyle limits nolimits
nonumber notag rm mathrm
"""
_STOP = frozenset(_FUNCTION_WORDS.split())
_SILENT = frozenset(
    {
        *"{}()[].,;:&~'\"",
        *(f"\\{mark}" for mark in " ,;:!>/\\"),
        *(f"\\{name}" for name in _LAYOUT_COMMANDS.split()),
    }
)


def split_pieces(text: str) -> Iterator[tuple[bool, str]]:
    """Yield the text in its order as (is it a formula, piece without dollar signs).

    A formula ends within its line, so a lone dollar sign does no harm beyond that.

    >>> list(split_pieces("If $x>0$ then"))
    [(False, 'If '), (True, 'x>0'), (False, ' then')]
    """
    end = 0
    for match in _FORMULA.finditer(text):
        if match.start() > end:
            yield False, text[end : match.start()]
        yield True, match[1] or match[2]
        end = match.end()
    if end < len(text):
        yield False, text[end:]


@lru_cache(maxsize=200_000)
def strip_plural(word: str) -> str:
    """Return a lower-case word without the s of its plural.

    >>> [strip_plural(word) for word in ("primes", "identities", "series", "class", "radius", "sums")]
    ['prime', 'identity', 'series', 'class', 'radius', 'sum']
    """
    if len(word) < 4 or word == "series" or not word.endswith("s"):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word if word.endswith(("ss", "us", "is")) else word[:-1]


def formula_terms(latex: str) -> tuple[str, ...]:
    r"""Return the terms of one formula: its symbols, then each two that follow one another.

    >>> formula_terms(r"\left(\frac{\Gamma}{12}\right)^{n}")
    ('\\frac', '\\Gamma', '12', '^', 'n', '\\frac \\Gamma', '\\Gamma 12', '12 ^', '^ n')
    >>> formula_terms(r"x\text{ is prime}\tag{3}")
    ('x', 'prime', 'x prime')
    """
    return _kept_terms(latex) if len(latex) <= _LONG_FORMULA else _lex_formula(latex)


def _lex_formula(latex: str) -> tuple[str, ...]:
    cursor = TokenCursor(source_tokens(latex), len(latex))
    single: list[str] = []
    while text := cursor.current_text():
        cursor.at += 1
        role = cursor.roles[text].role if text in cursor.roles else ""
        if role in ("text", "words"):
            words = [word for word, _ in cursor.read_words()]
            single += [
                _normalize_word(one) if len(one) > 1 else one
                for one in words
                if len(one) == 1 or one.lower() not in _STOP
            ]
        elif text in ("\\begin", "\\end"):
            name = cursor.read_name()
            single += [name] if text == "\\begin" else []
        elif role == "skipped":
            cursor.skip_option()
            cursor.skip_argument()
        elif text not in _SILENT:
            single.append(text)
    return (*single, *map(" ".join, pairwise(single)))


_kept_terms = lru_cache(maxsize=100_000)(_lex_formula)


def extract_terms(text: str) -> list[str]:
    r"""Return the terms of a text in their order.

    >>> extract_terms(r"Proving the sums $\sum A_k$")
    ['proving', 'sum', '\\sum', 'A', '_', 'k', '\\sum A', 'A _', '_ k']
    """
    result: list[str] = []
    for is_formula, piece in split_pieces(text):
        if is_formula:
            result += formula_terms(piece)
        else:
            words = _WORD.findall(unicodedata.normalize("NFKC", piece).lower())
            result += [strip_plural(word) for word in words if word not in _STOP]
    return result


def _normalize_word(written: str) -> str:
    return strip_plural(unicodedata.normalize("NFKC", written).lower())


def structure_terms(text: str) -> list[str]:
    r"""Return features of the operator trees of a text's formulas: paths of two or three nodes, and
    sub-trees.

    Every letter becomes V and every number N. Words, and formulas of one symbol, have no features.

    >>> structure_terms(r"if $a+b$")
    ['g V U!plus', 'g V U!plus', 'w (U!plus V V)']
    """
    return [
        term for formula, piece in split_pieces(text) if formula for term in _structure_terms(piece.strip())
    ]


@lru_cache(maxsize=20_000)
def _structure_terms(latex: str) -> tuple[str, ...]:
    from engines.formula.operator_tree import count_features
    from engines.formula.operator_tree_parser import search_tree

    counts = count_features(search_tree(latex))
    return tuple(name for name in counts.elements() if name[0] in _STRUCTURE)


TERMS: Mapping[str, Callable[[str], list[str]]] = {
    VERSIONS["math"]: extract_terms,
    VERSIONS["porter"]: english_terms,
    STRUCTURE: structure_terms,
}
"""The terms of a text, by the version."""


def make_snippet(text: str, query: str, width: int = 160) -> str:
    """Return the part of a text, about `width` characters in one line, that holds most of a query's terms.

    Cut at spaces outside formulas, with … where something was left out; rarer terms of the text count for
    more.
    """
    line = unicodedata.normalize("NFC", " ".join(text.split()))
    if len(line) <= width:
        return line
    wanted = set(extract_terms(query))
    results = [(begin, end, wanted.intersection(held)) for begin, end, held in _term_spans(line)]
    results = [span for span in results if span[2]]
    count = Counter(term for _, _, held in results for term in held)
    best, begin, end = 0.0, 0, 0
    for number, (start, last, _) in enumerate(results):
        near = results[number : number + width]
        # A formula longer than the snippet stands alone.
        inside = [span for span in near if span[1] <= start + width] or near[:1]
        # Exactly rounded: what a set gives in another order is worth the same.
        value = fsum(1.0 / (1 + count[term]) for term in set().union(*(held for _, _, held in inside)))
        if value > best:
            best, begin, end = value, start, max([last, *(span[1] for span in inside)])
    gaps = _FORMULA.sub(lambda match: "$" * len(match[0]), line)
    # What is found stands in the middle, unless the text begins or ends before that.
    early = min(begin - (width - (end - begin)) // 2, len(line) - width)
    begin = 0 if early <= 0 else gaps.find(" ", early - 1, begin) + 1 or begin
    stop = begin + width
    if stop < len(line):
        stop = gaps.rfind(" ", max(end, begin + 1), stop + 1)
        stop = stop if stop > 0 else gaps.find(" ", max(end, begin + width))
        stop = stop if stop > 0 else len(line)
    return ("… " if begin else "") + line[begin:stop].strip() + (" …" if stop < len(line) else "")


def _term_spans(line: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Yield the words and the formulas of a line: where each begins and ends, and its terms."""
    at = 0
    for formula in (*_FORMULA.finditer(line), None):
        for word in _WORD.finditer(line, at, formula.start() if formula else len(line)):
            if word[0].lower() not in _STOP:
                yield word.start(), word.end(), (_normalize_word(word[0]),)
        if formula:
            yield formula.start(), formula.end(), formula_terms(formula[1] or formula[2])
            at = formula.end()
