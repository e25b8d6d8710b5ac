"""Dependencies of a parsed sentence: what stands below a word, and by which relation."""

from __future__ import annotations

from collections.abc import Sequence

from engines.language.english import Word
from engines.mathamr.parsing.mending import mended

__all__ = ["Dependencies"]


class Dependencies:
    """The words of a sentence as a tree. Args: lemmas: one for each word."""

    def __init__(self, words: Sequence[Word], lemmas: Sequence[str]) -> None:
        self.words, self.lemmas = mended(words), lemmas
        self.below: dict[int, list[int]] = {}
        for number, word in enumerate(self.words):
            if word.head != number:
                self.below.setdefault(word.head, []).append(number)

    def relation(self, number: int) -> str:
        """How a word depends on the one above it."""
        return self.words[number].relation

    def lemma(self, number: int) -> str:
        """Its base form."""
        return self.lemmas[number]

    def children(self, number: int, *relations: str) -> list[int]:
        """The words right below, of some relations; `obl` means `obl:tmod` too."""
        found = self.below.get(number, [])
        if not relations:
            return found
        return [one for one in found if self.relation(one) in relations or self.base(one) in relations]

    def base(self, number: int) -> str:
        """Its relation without what stands behind the colon."""
        return self.relation(number).partition(":")[0]

    def first(self, number: int, *relations: str) -> int | None:
        """The first word right below, of some relations."""
        found = self.children(number, *relations)
        return found[0] if found else None

    def marker(self, number: int, *relations: str) -> str:
        """The preposition or conjunction that introduces a word, with what is fixed to it: `such as`."""
        found = self.first(number, *(relations or ("case", "mark")))
        return "" if found is None else self.lemma(found)

    def is_verb(self, number: int) -> bool:
        """Whether it is a verb by its tag, or a noun by mistake: one with a subject and no copula."""
        tag = self.words[number].tag
        mistaken = (
            tag in ("NN", "NNS") and self.children(number, "nsubj") and not self.children(number, "cop")
        )
        return tag[:2] in ("VB", "MD") or bool(mistaken)

    def is_clause(self, number: int) -> bool:
        """Whether a word is the head of a clause: a verb, or anything with a copula or a subject."""
        return self.is_verb(number) or bool(self.children(number, "cop", "nsubj"))
