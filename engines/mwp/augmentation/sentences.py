"""Sentences and clauses of a problem, and which of them asks."""

from __future__ import annotations

import re

from engines.mwp.problems.numbers import Language

__all__ = ["asks", "clauses", "sentences"]

_ENDS_ZH = "。．.？?！!；;"
_CLAUSE_ZH = re.compile(rf"[^，,{_ENDS_ZH}]*[，,{_ENDS_ZH}]*")
_SENTENCE_EN = re.compile(r".+?(?:[.?!]+[\"'”’)]*(?=\s|$)|$)", re.DOTALL)
_SHORT = re.compile(
    r"(?:^|\s)(?:Mr|Mrs|Ms|Dr|St|vs|etc|No|[A-Za-z]|[ap]\.m|i\.e|e\.g|U\.S)\.$", re.IGNORECASE
)
_MARKERS_ZH = re.compile(r"多少|几(?!何|乎)|(?<![^，。．])求|=$|＝$|什么|哪|多[长远久大重高宽深快厚]")
_WORDS_EN = re.compile(
    r"\b(?:how|what|which|who|whose|when|where|why|find|calculate|determine|compute|tell)\b|\?", re.IGNORECASE
)


def sentences(text: str) -> list[str]:
    """The sentences of an English text, with their marks and without the blanks around them.

    A point after an abbreviation ends none.

    >>> sentences("Mr. Li has N_0 pens . How many?")
    ['Mr. Li has N_0 pens .', 'How many?']
    """
    found: list[str] = []
    for match in _SENTENCE_EN.finditer(text):
        part = match[0].strip()
        if not part:
            continue
        if found and (_SHORT.search(found[-1]) or not re.search(r"\w", part)):
            found[-1] += f" {part}"
        else:
            found.append(part)
    return found


def clauses(text: str) -> list[str]:
    """The clauses of a Chinese text, each with the marks that end it.

    >>> clauses("甲每小时行N_0千米，N_1小时行多少千米？")
    ['甲每小时行N_0千米，', 'N_1小时行多少千米？']
    """
    found: list[str] = []
    for match in _CLAUSE_ZH.finditer(text):
        part = match[0].strip()
        if not part:
            continue
        # What stands in brackets belongs to the clause before.
        if (
            found
            and (found[-1].count("（") + found[-1].count("(")) > found[-1].count("）") + found[-1].count(")")
        ) or (found and re.match(r"[（(][^（(]*[）)]?[，,。．？?]*$", part)):
            found[-1] += part
        else:
            found.append(part)
    return found


def asks(part: str, language: Language) -> bool:
    """Whether a sentence or clause is a question, by its mark or its words."""
    if language == "zh":
        return bool(_MARKERS_ZH.search(part.rstrip("，,。．.？?！!；;）) ")))
    return bool(_WORDS_EN.search(part)) and ("?" in part or bool(_WORDS_EN.match(part)))
