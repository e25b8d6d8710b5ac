"""Rules from a dependency parse to an AMR graph: concepts of words, roles of what depends on them.

Every word of content becomes a concept once; what a relation means to AMR depends on the frame of the word
above. A formula is the concept string-entity with its placeholder as :value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engines.language.english import Word
from engines.mathamr.parsing.concepts import ABLE
from engines.mathamr.parsing.frames import Frames
from engines.mathamr.parsing.modifiers import Modifiers
from engines.mathamr.parsing.parts import Part, joined
from engines.mathamr.parsing.roles import Roles
from engines.mathamr.parsing.words import MODALS, SMALL

__all__ = ["sentence_graph"]

_EFFECT = {"so", "thus", "hence", "therefore"}


def sentence_graph(
    words: Sequence[Word], formulas: dict[int, str], frames: Frames, roles: Roles
) -> Part | None:
    """The graph of one sentence. Args: formulas: the placeholder of each word that is a formula. Returns:
    None for a sentence without a word of content."""
    return _Sentence(words, formulas, frames, roles).root()


class _Sentence(Modifiers):
    """The rules at work on one sentence."""

    # --- the sentence

    def root(self) -> Part | None:
        roots = [number for number, word in enumerate(self.words) if word.head == number]
        tops = [
            self.clause(number)
            for number in roots
            if self.base(number) != "punct" and re.search(r"\w", self.words[number].text)
        ]
        if not tops:
            tops = [self.part(number) for number in self.formulas][:1]
        if not tops:
            return None
        top = tops[0] if len(tops) == 1 else joined("and", tops)
        placed = {id(part) for part in top.reached()}
        for number in self.formulas:
            # No rule may lose a formula.
            if number not in self.parts or id(self.parts[number]) not in placed:
                top.put(":mod", self.part(number))
        if self.asks and not self.is_question_of_content():
            top.put(":polarity", Part("amr-unknown"))
        return top

    def is_question_of_content(self) -> bool:
        return any(part.concept == "amr-unknown" for part in self.parts.values())

    def clause(self, number: int, subject: Part | None = None) -> Part:
        """The part of a clause by its head, with all that depends on it; `subject` where it has none."""
        conjuncts = self.children(number, "conj")
        there = self.first(number, "nsubj") if self.children(number, "expl") else None
        if there is not None and self.lemma(number) == "be":
            # "There is a proof" is the proof.
            top = self.nominal(there)
            self.modifiers(number, top)
        else:
            top = self.simple(number, subject)
        if top.concept == "string-entity" and top.has(":condition"):
            # A formula that holds if another does is a condition, not a thing with one.
            conditions = [target for role, target in top.edges if role == ":condition"]
            top.edges = [edge for edge in top.edges if edge[0] not in (":condition", ":time")]
            top = Part("have-condition-91").put(":ARG1", top).put(":ARG2", conditions[0])
        if conjuncts:
            own = self.subject(number) or subject
            parts = [top, *(self.clause(one, own) for one in conjuncts)]
            words = {self.lemma(word) for one in conjuncts for word in self.children(one, "cc", "mark")}
            if len(parts) == 2 and words & {"but", "yet"}:
                return Part("contrast-01").put(":ARG1", parts[0]).put(":ARG2", parts[1])
            if len(parts) == 2 and words & _EFFECT:
                return Part("cause-01").put(":ARG0", parts[0]).put(":ARG1", parts[1])
            return joined("or" if "or" in words else "and", parts)
        if self.relation(number) == "root":
            words = {self.lemma(word) for word in self.children(number, "cc", "advmod") if word < number}
            if words & {"but", "however"}:
                return Part("contrast-01").put(":ARG2", top)
            if words & _EFFECT and not top.has(":ARG1-of"):
                return Part("cause-01").put(":ARG1", top)
            if "and" in words:
                return Part("and").put(":op2", top)
        return top

    def subject(self, number: int) -> Part | None:
        """Who does what a verb says, also where it inherits that."""
        if number in self.subjects:
            return self.subjects[number]
        found = self.first(number, "nsubj")
        return None if found is None else self.parts.get(found)

    def simple(self, number: int, subject: Part | None) -> Part:
        """A clause without what is coordinated with it."""
        part = self.part(number)
        frame = part
        own = self.first(number, "nsubj")
        if self.children(number, "cop") or (own is not None and not self.is_verb(number)):
            frame = part = self.predication(number, part, own, subject)
        elif self.is_verb(number):
            self.arguments(number, part, subject)
        top = part
        self.modifiers(number, frame)
        if self.is_able(number):
            top = Part("possible-01").put(":ARG1", frame)
            if (":polarity", "-") in frame.edges:
                frame.edges.remove((":polarity", "-"))
                top.put(":polarity", "-")
        if any(self.lemma(one) in ("not", "n't", "never") for one in self.children(number, "advmod")):
            frame.put(":polarity", "-")
        for modal in self.children(number, "aux"):
            if self.lemma(modal) in MODALS:
                concept, role = MODALS[self.lemma(modal)]
                top = Part(concept).put(role, top)
                if (
                    "-" in [target for one, target in frame.edges if one == ":polarity"]
                ) and concept == "possible-01":
                    frame.edges.remove((":polarity", "-"))
                    top.put(":polarity", "-")
                break
        if self.words[number].tag == "VB" and own is None and subject is None:
            commands = not self.children(number, "aux", "mark") and self.relation(number) in (
                "root",
                "conj",
                "parataxis",
            )
            if commands and part.concept != "let-01":
                part.put(":mode", "imperative")
                if any(self.lemma(one) == "please" for one in self.children(number)):
                    part.put(":polite", "+")
                part.put(":ARG0", self.people.setdefault("you", Part("you")))
        return top

    def predication(self, number: int, part: Part, subject: int | None, inherited: Part | None) -> Part:
        """`X is Y`: the frame of Y with X, Y with X as its domain, or an equation of formulas."""
        what = inherited if subject is None else self.nominal(subject)
        if number in self.formulas or self.words[number].tag == "CD" or part.concept == "amr-unknown":
            if what and not what.has(":ARG2") and "2" in self.frames.roles.get(what.concept, {}):
                # "The value is 3": what a frame gives is its ARG2.
                return what.put(":ARG2", part)
            if part.concept != "amr-unknown":
                return Part("equal-01").put(":ARG1", what).put(":ARG2", part)
        roles = self.frames.roles.get(part.concept)
        if self.lemma(number) in ABLE:
            if self.lemma(number) != "able":
                part.put(":polarity", "-")
            for one in self.children(number, "xcomp", "ccomp", "advcl", "csubj"):
                part.put(":ARG1", self.clause(one, what))
            return part
        for one in self.children(number, "ccomp", "xcomp", "csubj"):
            part.put(":ARG1" if roles and "1" in roles else ":topic", self.embedded(one, what))
        if extent := self.extent(number):
            return self.degree(number, part, extent).put(":ARG1", what)
        quality = part.concept == self.frames.of(self.lemma(number), "j")
        if roles is not None and (quality or self.words[number].tag[:2] == "JJ"):
            if what is not None:
                self.argue(number, part, [(subject, what, "nsubj")])
            return part
        return part.put(":domain", what)

    def arguments(self, number: int, part: Part, subject: Part | None) -> None:
        """Subject, objects and clauses that complete a verb, by the roles that its frame has."""
        passive = bool(self.children(number, "nsubj:pass", "aux:pass"))
        subjects = self.children(number, "nsubj", "csubj")
        light = self.light(number)
        objects = [one for one in self.children(number, "obj") if one != light]
        if light is not None:
            self.modifiers(light, part)
        own = self.nominal(subjects[0]) if subjects else subject
        if (
            self.lemma(number) == "have"
            and not self.children(number, "obj")
            and self.children(number, "xcomp")
        ):
            part.concept = "obligate-01"
        if part.concept == "ask-01" and self.children(number, "xcomp"):
            part.concept = "ask-02"
        found: list[tuple[int | None, Part, str]] = []
        if own is not None:
            self.subjects[number] = own
            if part.concept == "obligate-01":
                part.put(":ARG1", own)
            else:
                found.append((subjects[0] if subjects else None, own, "nsubj:pass" if passive else "nsubj"))
        small = (
            self.lemma(number) in SMALL
            and objects
            and any(self.takes_subject(one) for one in self.children(number, "xcomp", "ccomp"))
        )
        for one in objects + self.children(number, "iobj"):
            if not small or one != objects[0]:
                found.append((one, self.nominal(one), self.base(one)))
        asked = (self.children(number, "iobj") or objects)[:1]
        controller = self.nominal(objects[0]) if small else self.parts.get(asked[0]) if asked else own
        for one in self.children(number, "ccomp", "xcomp"):
            if self.lemma(one) == "please":
                continue
            bare = self.relation(one) == "xcomp" or self.marker(one, "mark") == "to"
            inherits = controller if bare else None
            found.append((one, self.embedded(one, inherits), self.relation(one)))
        self.argue(number, part, found)

    def takes_subject(self, number: int) -> bool:
        """Whether a clause can have a subject: a formula alone has none."""
        return number not in self.formulas or bool(self.children(number, "cop"))

    def embedded(self, number: int, subject: Part | None = None) -> Part:
        """A clause inside another; where it asks ("I know how to solve it", "whether it holds"), what it
        asks for."""
        clause = self.clause(number, subject)
        mark = self.marker(number, "mark")
        if mark == "whether" or (mark == "if" and self.relation(number) == "ccomp"):
            return Part("truth-value").put(":polarity-of", clause)
        for place, (role, target) in enumerate(clause.edges):
            if isinstance(target, Part) and target.concept == "amr-unknown" and not target.edges:
                del clause.edges[place]
                target.concept = "thing"
                inverse = role.removesuffix("-of") if role.endswith("-of") else role + "-of"
                return target.put(inverse, clause)
        return clause

    # --- nouns

    def nominal(self, number: int) -> Part:
        """A noun phrase, a formula or a clause in its place, with what is coordinated with it."""
        if self.is_clause(number) and number not in self.formulas:
            return self.clause(number)
        part = self.part(number)
        if part in self.people.values():
            first = part
        else:
            self.modifiers(number, part)
            first = part
        conjuncts = self.children(number, "conj")
        if not conjuncts:
            return first
        words = {self.lemma(word) for one in conjuncts for word in self.children(one, "cc")}
        return joined("or" if "or" in words else "and", [first, *(self.nominal(one) for one in conjuncts)])
