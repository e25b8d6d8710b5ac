"""Which languages the prose of a text is in, and where it is in one whose words say nothing to the program.

What a text denies, asks or supposes is known by its words. Where these cannot be read, a statement that fails
may be any of these, and nobody is accused of it.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import chain

from engines.core.tree import Tree
from engines.documents.reading import Document
from engines.proofreading.latin_vocabularies import COMMON_WORDS_OF_OTHERS, LATIN_WORDS
from engines.proofreading.link_verdicts import LinkVerdict
from engines.proofreading.other_vocabularies import OTHER_WORDS
from engines.proofreading.phrase_search import index_phrases
from engines.proofreading.scopes import Position
from engines.proofreading.term_properties import free_symbols

ENGLISH = "en"
WORDS_OF_LANGUAGES: Mapping[str, Mapping[str, str]] = {**LATIN_WORDS, **OTHER_WORDS}
"""Of each language that is read what its words are in English."""
MARKS = "\u0591-\u05c7\u064b-\u065f\u0900-\u0903\u093a-\u094f"
"""Signs of vowels, which Python counts with no word."""
WITHOUT_SPACES = ("zh", "ja", "ko")
"""Languages whose phrases stand within longer words."""
_ATTACHED = {"he": "[ושהכלבמ]{1,3}", "ar": "[وف]?(?:ال|لل|[بلك])?"}
"""Of languages that write short words together with the next one, what these are."""
_LETTERS = re.compile(rf"[^\W\d_](?:[^\W\d_]|[{MARKS}])+")
"""Letters of a word, of two or more: one alone is a name in a formula."""
_LATIN = "LATIN"
_NO_PROSE = ("MATHEMATICAL", "DOUBLE-STRUCK", "FULLWIDTH", "MODIFIER", "SCRIPT", "BLACK-LETTER", "HALFWIDTH")
"""What the names of letters begin with that are of no script."""
_SEARCHED = 20_000
"""Characters at the beginning of a text that show its language."""
_SHARE = 3
"""One letter of so many in a script says that a paragraph is written in it: the others can be markup."""
_FEWEST = 6
"""Words of a language that show it."""
_NEIGHBOURS = (0, -1, 1, -2, 2)
"""Paragraphs around a formula, of which the first with words is its prose: a formula can stand alone."""


@lru_cache(4)
def find_languages(beginning: str) -> tuple[tuple[str, ...], str]:
    """Return the languages of a text that are read, the main one first, and a language in Latin letters that
    is not read, if the text is in one."""
    scripts = [script for script, _ in _count_scripts(beginning).most_common()]
    unread = ""
    languages: list[str] = []
    for script in scripts or [_LATIN]:
        candidates = [name for name in WORDS_OF_LANGUAGES if script in _scripts_of(name)]
        if not candidates or any(script in _scripts_of(name) for name in languages):
            continue
        # Letters of formulas and markup are Latin in every text.
        if script == _LATIN and languages:
            languages.append(ENGLISH)
            continue
        counts = {name: _count_phrases(name, script, beginning) for name in candidates}
        languages.append(max(candidates, key=counts.__getitem__))
        if script == _LATIN:
            unread = _name_unread_latin(beginning, counts[languages[-1]])
    return tuple(languages) or (ENGLISH,), unread


def _count_phrases(language: str, script: str, text: str) -> int:
    """Return how many phrases of a language a text has."""
    if script == _LATIN:
        return _count_spans(_join_phrases(language), text)
    return len(compile_phrases(language).findall(text))


@cache
def _join_phrases(language: str) -> str:
    return " ".join(WORDS_OF_LANGUAGES[language].values())


def _count_spans(phrases: str, text: str) -> int:
    return sum(1 for _ in index_phrases(phrases).iterate_spans(text))


def _name_unread_latin(beginning: str, fewest: int) -> str:
    """Return the language in Latin letters of which a text has most common words, if these are more than it
    has of a language that is read."""
    counts = {name: _count_spans(words, beginning) for name, words in COMMON_WORDS_OF_OTHERS.items()}
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] > max(fewest, _FEWEST) else ""


def name_unread_prose(document: Document, positions: Sequence[Position]) -> Mapping[int, str]:
    """Return in which script or language the prose around each formula is, by their pieces, where it is one
    that cannot be read."""
    texts: dict[int, list[str]] = {}
    for piece, position in zip(document.pieces, positions, strict=True):
        if not piece.formula:
            texts.setdefault(position.paragraph, []).append(piece.text)
    _, latin = find_languages(read_beginning(document))
    of_paragraphs = {at: _name_unread_words(" ".join(words), latin) for at, words in texts.items()}
    if not any(of_paragraphs.values()):
        return {}
    result = {}
    for at, position in enumerate(positions):
        near = (of_paragraphs.get(position.paragraph + step) for step in _NEIGHBOURS)
        if name := next((name for name in near if name is not None), None):
            result[at] = name
    return result


def _name_unread_words(words: str, latin: str) -> str | None:
    """Return the script or language of words that cannot be read, nothing where they can be; None for no
    words.

    Args:
        latin: The language of Latin words that cannot be read, if they are of one.
    """
    scripts = _count_scripts(words)
    if not scripts:
        return None
    read = frozenset(chain.from_iterable(map(_scripts_of, WORDS_OF_LANGUAGES)))
    script, letters = max(
        ((script, letters) for script, letters in scripts.items() if script not in read),
        key=lambda counted: counted[1],
        default=("", 0),
    )
    if letters * _SHARE >= scripts.total():
        return f"{script.capitalize()} letters" if letters else latin
    return latin


def withhold_accusation(judged: LinkVerdict, left: Tree, right: Tree, language: str) -> LinkVerdict:
    """Return the verdict on a link that fails in prose that cannot be read: a calculation with numbers is
    doubtful, and of anything else nothing is said."""
    calculates = judged.link.relation == "=" and not free_symbols(left) | free_symbols(right)
    calculates = calculates and bool(left.children or right.children)
    reason = f"its words are in {language}, which cannot be read here: {judged.reason}"
    return replace(judged, outcome="doubtful" if calculates else "not shown", reason=reason)


def read_beginning(document: Document) -> str:
    """Return the words at the beginning of a document."""
    words = "\n".join(piece.text[:_SEARCHED] for piece in document.pieces[:_SEARCHED] if not piece.formula)
    return words[:_SEARCHED]


@cache
def compile_phrases(language: str) -> re.Pattern[str]:
    """Return the pattern of the phrases of a language; the group `phrase` is one without what is attached."""
    phrases = sorted(
        chain.from_iterable(map(str.split, WORDS_OF_LANGUAGES[language].values())), key=len, reverse=True
    )
    written = "|".join(
        re.escape(phrase.removesuffix("*")).replace("_", r"\s+") + (r"\w*" if phrase[-1:] == "*" else "")
        for phrase in phrases
    )
    if language in WITHOUT_SPACES:
        return re.compile(rf"(?P<phrase>{written})")
    attached = rf"(?:{_ATTACHED[language]})??" if language in _ATTACHED else ""
    return re.compile(
        rf"(?<![\w{MARKS}]){attached}(?P<phrase>{written})(?![\w{MARKS}])",
        re.IGNORECASE,
    )


@cache
def is_written_leftwards(language: str) -> bool:
    """Return whether a language is written from right to left.

    >>> [is_written_leftwards(language) for language in ("he", "ar", "ru")]
    [True, True, False]
    """
    letters = chain.from_iterable(WORDS_OF_LANGUAGES[language].values())
    return any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in letters)


@cache
def _scripts_of(language: str) -> frozenset[str]:
    """Return the scripts of the words of a language."""
    return frozenset(_count_scripts(" ".join(WORDS_OF_LANGUAGES[language].values())))


def _count_scripts(text: str) -> Counter[str]:
    """Return how many letters of words are of each script: the names of letters begin with it."""
    result: Counter[str] = Counter()
    for word in _LETTERS.findall(text):
        if word.isascii():
            result[_LATIN] += len(word)
        else:
            result.update(map(_script_of, word))
    for none in ("", *_NO_PROSE):
        del result[none]
    return result


@cache
def _script_of(letter: str) -> str:
    """Return the script of a letter.

    >>> [_script_of(letter) for letter in "aßжא中か"]
    ['LATIN', 'LATIN', 'CYRILLIC', 'HEBREW', 'CJK', 'HIRAGANA']
    """
    return unicodedata.name(letter, "").partition(" ")[0]
