"""The concepts of the words of a sentence, and the parts of a graph that they begin."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engines.language.english import Word
from engines.mathamr.graph.amr import GraphPart, join_parts
from engines.mathamr.parsing.corrections import Dependencies, correct_words
from engines.mathamr.parsing.lexicon import (
    PLACES,
    PRONOUNS,
    UNKNOWN,
    Frames,
    derive_adjective,
    find_lemma,
    find_possible_frame,
    strip_negation,
    to_number,
)
from engines.mathamr.parsing.roles import Roles

ABLE = ("able", "unable", "impossible")
_PEOPLE = frozenset(("i", "we", "you", "he", "she", "they"))
"""Pronouns that mean the same throughout a sentence."""
_MEANT = {"it": "NN", "its": "NN", "they": "NNS", "them": "NNS", "their": "NNS"}
"""Pronouns that stand for a noun, and its tag."""


class Concepts(Dependencies):
    """The words of a sentence and the part of each. Args: formulas: the placeholder of each word that is a
    formula."""

    def __init__(self, words: Sequence[Word], formulas: dict[int, str], frames: Frames, roles: Roles) -> None:
        words = correct_words(words)
        super().__init__(words, [find_lemma(word, frames) for word in words])
        self.formulas, self.frames, self.roles = formulas, frames, roles
        self.parts: dict[int, GraphPart] = {}
        self.people: dict[str, GraphPart] = {}
        self.asks = bool(words) and any(word.text == "?" for word in words[-2:])
        self.subjects: dict[int, GraphPart] = {}
        self.degrees: dict[int, GraphPart] = {}

    def find_concept(self, number: int) -> str:
        """Return the concept of a word."""
        word, lemma = self.words[number], self.get_lemma(number)
        if number in self.list_letters():
            return "string-entity"
        if word.text.lower() in PRONOUNS:
            return PRONOUNS[word.text.lower()]
        if lemma in UNKNOWN and word.tag[:1] == "W":
            return "amr-unknown" if self.asks or lemma in ("how", "why") else "thing"
        # From here on the concept depends on the part of speech.
        lemma = re.sub(r"[^\w'-]", "", lemma).strip("-'") or "symbol"
        if word.tag == "CD" and lemma != "one":
            return to_number(word.text.lower()).strip('"')
        if lemma in ABLE and word.tag[:2] == "JJ":
            return "possible-01"
        if word.text.lower() == "following" and word.tag in ("VBG", "JJ"):
            return "follow-04"
        # Verbs: with their particle ("carry out"), with a light verb's object ("take place"), or alone.
        if self.is_verb(number):
            particle = self.first_child(number, "compound:prt")
            if particle is not None and (
                frame := self.frames.find_frame(f"{lemma}-{self.get_lemma(particle)}", "v")
            ):
                return frame
            if (noun := self.find_light_object(number)) is not None:
                return self.frames.find_frame(f"{lemma}-{self.get_lemma(noun)}", "l") or lemma
            return self.frames.find_frame(lemma, "v") or lemma
        if word.tag[:2] == "JJ":
            return (
                find_possible_frame(lemma, self.frames)
                or self.frames.find_frame(strip_negation(lemma, self.frames), "j")
                or strip_negation(lemma, self.frames)
            )
        if word.tag[:2] == "RB":
            return derive_adjective(lemma)
        if word.tag in ("NN", "NNS"):
            if word.text.lower() == "following":
                return "thing"
            frame = self.frames.find_frame(lemma, "n")
            # A noun that is also the verb's name mostly means a thing: set, number, point; but not "my try".
            ours = any(
                self.words[one].tag == "PRP$" and PRONOUNS.get(self.get_lemma(one), "") in ("i", "we", "you")
                for one in self.list_children(number, "nmod:poss")
            )
            if frame and (frame[:-3] != lemma or f"{lemma}/n" in self.frames.senses or ours):
                return frame
            if not frame and f"{lemma}/n" not in self.frames.senses:
                return self.frames.find_frame(lemma, "j") or lemma
        return lemma

    def find_light_object(self, number: int) -> int | None:
        """Return the object of a verb that says nothing without it: the use of "make use"."""
        for one in self.list_children(number, "obj"):
            if not self.list_children(one, "conj") and self.frames.find_frame(
                f"{self.get_lemma(number)}-{self.get_lemma(one)}", "l"
            ):
                return one
        return None

    def list_letters(self) -> frozenset[int]:
        """Return the single letters that stand for themselves: the n of "n elements"."""
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
        """Return whether a word is an adjective with a prefix that denies it, as in improper."""
        lemma = self.get_lemma(number)
        negated = self.words[number].tag[:2] == "JJ" and strip_negation(lemma, self.frames) != lemma
        return negated and lemma not in ABLE and number not in self.formulas

    def is_able(self, number: int) -> bool:
        """Return whether a word is an adjective like integrable, which says that something is possible."""
        able = self.words[number].tag[:2] == "JJ" and number not in self.formulas
        return able and find_possible_frame(self.get_lemma(number), self.frames) is not None

    def find_antecedent(self, number: int) -> int | None:
        """Return the noun or formula that "it" or "they" means: the nearest subject or object before it in
        the sentence.
        """
        wanted = _MEANT.get(self.words[number].text.lower(), "")
        for one in range(number - 1, -1, -1) if wanted else ():
            named = self.words[one].tag == wanted or (wanted == "NN" and one in self.formulas)
            if named and one in self.parts and self.base_relation(one) in ("nsubj", "obj", "root"):
                return one
        return None

    def build_bound(self, number: int) -> GraphPart | None:
        """Return the part "at least" or "at most" before a number or formula, without the number, or None."""
        bound = self.words[max(number - 1, 0)].text.lower()
        if number < 2 or self.words[number - 2].text.lower() != "at" or bound not in ("least", "most"):
            return None
        return GraphPart(f"at-{bound}")

    def build_part(self, number: int) -> GraphPart:
        """Return the part of a word, made once; people (i, they …) are one throughout the sentence."""
        if number in self.parts:
            return self.parts[number]
        if number in self.formulas:
            # A run of formulas is one word of the sentence, and a conjunction in the graph.
            each = [
                GraphPart("string-entity").add_edge(":value", one) for one in self.formulas[number].split()
            ]
            made = each[0] if len(each) == 1 else join_parts("and", each)
            if (bound := self.build_bound(number)) is not None:
                made = bound.add_edge(":op1", made)
        # A pronoun is a re-entrancy of what it refers to.
        elif (meant := self.find_antecedent(number)) is not None:
            made = self.parts[meant]
        else:
            concept = self.find_concept(number)
            if self.words[number].text.lower() == "following" and concept == "thing":
                made = GraphPart("thing").add_edge(":ARG1-of", GraphPart("follow-04"))
            elif concept == "string-entity":
                made = GraphPart(concept).add_edge(":value", f'"{self.words[number].text.lower()}"')
            elif concept in _PEOPLE:
                made = self.people.setdefault(concept, GraphPart(concept))
            else:
                made = GraphPart(concept)
            if self.is_negated(number):
                made.add_edge(":polarity", "-")
        self.parts[number] = made
        return made


def wrap_preposition(preposition: str, role: str, target: GraphPart) -> GraphPart:
    """Return a place or time, told by a preposition where that is a concept: before, between."""
    if preposition not in PLACES or role not in (":location", ":time", ":direction"):
        return target
    return GraphPart(preposition).add_edge(":op1", target)


def raise_negation(inner: GraphPart, top: GraphPart) -> None:
    """Move the negation of a part to the one above it."""
    if (":polarity", "-") in inner.edges:
        inner.edges.remove((":polarity", "-"))
        top.add_edge(":polarity", "-")
