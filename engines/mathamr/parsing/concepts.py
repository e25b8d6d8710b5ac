"""Concepts of words: frames of the inventory, numbers, letters, formulas; each word's part is made once."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engines.language.english import Word
from engines.mathamr.parsing.dependencies import Dependencies
from engines.mathamr.parsing.frames import Frames
from engines.mathamr.parsing.parts import Part, joined
from engines.mathamr.parsing.roles import Roles
from engines.mathamr.parsing.spelling import adjective, lemma_of, number_of, positive, possible
from engines.mathamr.parsing.words import PRONOUNS, UNKNOWN

__all__ = ["ABLE", "Concepts"]

ABLE = ("able", "unable", "impossible")

_PEOPLE = frozenset(("i", "we", "you", "he", "she", "they"))
"""Pronouns that mean the same throughout a sentence."""
_MEANT = {"it": "NN", "its": "NN", "they": "NNS", "them": "NNS", "their": "NNS"}
"""Pronouns that stand for a noun, and its tag."""


class Concepts(Dependencies):
    """The words of a sentence and the part of each. Args: formulas: the placeholder of each word that is a
    formula."""

    def __init__(self, words: Sequence[Word], formulas: dict[int, str], frames: Frames, roles: Roles) -> None:
        super().__init__(words, [lemma_of(word, frames) for word in words])
        self.formulas, self.frames, self.roles = formulas, frames, roles
        self.parts: dict[int, Part] = {}
        self.people: dict[str, Part] = {}
        self.asks = bool(words) and any(word.text == "?" for word in words[-2:])
        self.subjects: dict[int, Part] = {}
        self.degrees: dict[int, Part] = {}

    def concept(self, number: int) -> str:
        """The concept of a word."""
        word, lemma = self.words[number], self.lemma(number)
        if number in self.letters():
            return "string-entity"
        if word.text.lower() in PRONOUNS:
            return PRONOUNS[word.text.lower()]
        if lemma in UNKNOWN and word.tag[:1] == "W":
            return "amr-unknown" if self.asks or lemma in ("how", "why") else "thing"
        lemma = re.sub(r"[^\w'-]", "", lemma).strip("-'") or "symbol"
        if word.tag == "CD" and lemma != "one":
            return number_of(word.text.lower()).strip('"')
        if lemma in ABLE and word.tag[:2] == "JJ":
            return "possible-01"
        if word.text.lower() == "following" and word.tag in ("VBG", "JJ"):
            return "follow-04"
        if self.is_verb(number):
            particle = self.first(number, "compound:prt")
            if particle is not None and (frame := self.frames.of(f"{lemma}-{self.lemma(particle)}", "v")):
                return frame
            if (noun := self.light(number)) is not None:
                return self.frames.of(f"{lemma}-{self.lemma(noun)}", "l") or lemma
            return self.frames.of(lemma, "v") or lemma
        if word.tag[:2] == "JJ":
            return (
                possible(lemma, self.frames)
                or self.frames.of(positive(lemma, self.frames), "j")
                or positive(lemma, self.frames)
            )
        if word.tag[:2] == "RB":
            return adjective(lemma)
        if word.tag in ("NN", "NNS"):
            if word.text.lower() == "following":
                return "thing"
            frame = self.frames.of(lemma, "n")
            # A noun that is also the verb's name mostly means a thing: set, number, point; but not "my try".
            ours = any(
                self.words[one].tag == "PRP$" and PRONOUNS.get(self.lemma(one), "") in ("i", "we", "you")
                for one in self.children(number, "nmod:poss")
            )
            if frame and (frame[:-3] != lemma or f"{lemma}/n" in self.frames.senses or ours):
                return frame
            if not frame and f"{lemma}/n" not in self.frames.senses:
                return self.frames.of(lemma, "j") or lemma
        return lemma

    def light(self, number: int) -> int | None:
        """The object of a verb that says nothing without it: the use of "make use"."""
        for one in self.children(number, "obj"):
            if not self.children(one, "conj") and self.frames.of(
                f"{self.lemma(number)}-{self.lemma(one)}", "l"
            ):
                return one
        return None

    def letters(self) -> frozenset[int]:
        """Single letters that stand for themselves: the n of "n elements"."""
        return frozenset(
            number
            for number, word in enumerate(self.words)
            if len(word.text) == 1
            and word.text.isalpha()
            and word.text not in ("a", "I", "i")
            and word.tag not in ("DT", "PRP", "LS")
            and number not in self.formulas
        )

    def is_negated(self, number: int) -> bool:
        """Whether a word is an adjective with a prefix that denies it, as in improper."""
        lemma = self.lemma(number)
        negated = self.words[number].tag[:2] == "JJ" and positive(lemma, self.frames) != lemma
        return negated and lemma not in ABLE and number not in self.formulas

    def is_able(self, number: int) -> bool:
        """Whether a word is an adjective like integrable, which says that something is possible."""
        able = self.words[number].tag[:2] == "JJ" and number not in self.formulas
        return able and possible(self.lemma(number), self.frames) is not None

    def antecedent(self, number: int) -> int | None:
        """The noun or formula that "it" or "they" means: the nearest subject or object before it in the
        sentence."""
        wanted = _MEANT.get(self.words[number].text.lower(), "")
        for one in range(number - 1, -1, -1) if wanted else ():
            named = self.words[one].tag == wanted or (wanted == "NN" and one in self.formulas)
            if named and one in self.parts and self.base(one) in ("nsubj", "obj", "root"):
                return one
        return None

    def part(self, number: int) -> Part:
        """The part of a word, made once; people (i, they …) are one throughout the sentence."""
        if number in self.parts:
            return self.parts[number]
        if number in self.formulas:
            made = _formulas(self.formulas[number].split())
        elif (meant := self.antecedent(number)) is not None:
            made = self.parts[meant]
        else:
            concept = self.concept(number)
            if self.words[number].text.lower() == "following" and concept == "thing":
                made = Part("thing").put(":ARG1-of", Part("follow-04"))
            elif concept == "string-entity":
                made = Part(concept).put(":value", f'"{self.words[number].text.lower()}"')
            elif concept in _PEOPLE:
                made = self.people.setdefault(concept, Part(concept))
            else:
                made = Part(concept)
            if self.is_negated(number):
                made.put(":polarity", "-")
        self.parts[number] = made
        return made


def _formulas(placeholders: Sequence[str]) -> Part:
    """A formula, or several in a row."""
    parts = [Part("string-entity").put(":value", one) for one in placeholders]
    return parts[0] if len(parts) == 1 else joined("and", parts)
