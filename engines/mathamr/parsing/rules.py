"""Rules from a dependency parse to an AMR graph: concepts of words, roles of what depends on them.

Every word of content becomes a concept once; what a relation means to AMR depends on the frame of the word
above. A formula is the concept string-entity with its placeholder as :value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engines.language.english import Word
from engines.mathamr.parsing.dependencies import Dependencies
from engines.mathamr.parsing.frames import Frames
from engines.mathamr.parsing.parts import Part, joined
from engines.mathamr.parsing.roles import Roles
from engines.mathamr.parsing.spelling import adjective, lemma_of, number_of
from engines.mathamr.parsing.words import (
    ADVERB_ROLES,
    CLAUSE_ROLES,
    MODALS,
    ORDINALS,
    PREPOSITION_ROLES,
    PRONOUNS,
    QUANTIFIERS,
    TIMES,
    UNKNOWN,
)

__all__ = ["sentence_graph"]

ABLE = ("able", "unable", "impossible")
_EFFECT = {"so", "thus", "hence", "therefore"}
_SILENT = frozenset(
    ("punct", "case", "mark", "cop", "aux", "aux:pass", "cc", "expl", "discourse", "goeswith")
)
"""Relations of words that stand for no concept of their own."""


def sentence_graph(
    words: Sequence[Word], formulas: dict[int, str], frames: Frames, roles: Roles
) -> Part | None:
    """The graph of one sentence. Args: formulas: the placeholder of each word that is a formula. Returns:
    None for a sentence without a word of content."""
    return _Sentence(words, formulas, frames, roles).root()


class _Sentence(Dependencies):
    """The rules at work on one sentence."""

    def __init__(self, words: Sequence[Word], formulas: dict[int, str], frames: Frames, roles: Roles) -> None:
        super().__init__(words, [lemma_of(word, frames) for word in words])
        self.formulas, self.frames, self.roles = formulas, frames, roles
        self.parts: dict[int, Part] = {}
        self.people: dict[str, Part] = {}
        self.asks = bool(words) and any(word.text == "?" for word in words[-2:])
        self.subjects: dict[int, Part] = {}

    # --- concepts

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
        if self.is_verb(number):
            particle = self.first(number, "compound:prt")
            if particle is not None and (frame := self.frames.of(f"{lemma}-{self.lemma(particle)}", "v")):
                return frame
            return self.frames.of(lemma, "v") or lemma
        if word.tag[:2] == "JJ":
            return self.frames.of(lemma, "j") or lemma
        if word.tag in ("NN", "NNS"):
            if word.text.lower() == "following":
                return "thing"
            frame = self.frames.of(lemma, "n")
            # A noun that is also the verb's name mostly means a thing: set, number, point.
            if frame and (frame[:-3] != lemma or f"{lemma}/n" in self.frames.senses):
                return frame
        return lemma

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

    def part(self, number: int) -> Part:
        """The part of a word, made once; people (i, we, you) are one throughout the sentence."""
        if number in self.parts:
            return self.parts[number]
        if number in self.formulas:
            made = _formulas(self.formulas[number].split())
        else:
            concept = self.concept(number)
            if self.words[number].text.lower() == "following" and concept == "thing":
                made = Part("thing").put(":ARG1-of", Part("follow-04"))
            elif concept == "string-entity":
                made = Part(concept).put(":value", f'"{self.words[number].text.lower()}"')
            elif concept in ("i", "we", "you"):
                made = self.people.setdefault(concept, Part(concept))
            else:
                made = Part(concept)
        self.parts[number] = made
        return made

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
            frame = part = self.predication(number, part, own)
        elif self.is_verb(number):
            self.arguments(number, part, subject)
        top = part
        self.modifiers(number, frame)
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
                part.put(":ARG0", self.people.setdefault("you", Part("you")))
        return top

    def predication(self, number: int, part: Part, subject: int | None) -> Part:
        """`X is Y`: the frame of Y with X, Y with X as its domain, or an equation of formulas."""
        what = None if subject is None else self.nominal(subject)
        if number in self.formulas or (
            subject in self.formulas and self.words[number].tag[:2] == "NN" and part.concept == "amr-unknown"
        ):
            return Part("equal-01").put(":ARG1", what).put(":ARG2", part)
        roles = self.frames.roles.get(part.concept)
        if self.lemma(number) in ABLE:
            if self.lemma(number) != "able":
                part.put(":polarity", "-")
            for one in self.children(number, "xcomp", "ccomp", "advcl", "csubj"):
                part.put(":ARG1", self.clause(one, what))
            return part
        for one in self.children(number, "ccomp", "xcomp", "csubj"):
            part.put(":ARG1" if roles and "1" in roles else ":topic", self.clause(one, what))
        if roles is not None and self.words[number].tag[:2] == "JJ":
            return part.put(":ARG1" if "1" in roles else ":ARG0", what)
        return part.put(":domain", what)

    def arguments(self, number: int, part: Part, subject: Part | None) -> None:
        """Subject, objects and clauses that complete a verb, by the roles that its frame has."""
        passive = bool(self.children(number, "nsubj:pass", "aux:pass"))
        subjects = self.children(number, "nsubj", "csubj")
        objects = self.children(number, "obj")
        own = self.nominal(subjects[0]) if subjects else subject
        if self.lemma(number) == "have" and not objects and self.children(number, "xcomp"):
            part.concept = "obligate-01"
        if own is not None:
            self.subjects[number] = own
            self.argue(part, own, "nsubj:pass" if passive else "nsubj", "")
        for one in objects + self.children(number, "iobj"):
            self.argue(part, self.nominal(one), self.base(one), "")
        controller = self.parts.get(objects[0]) if objects else own
        for one in self.children(number, "ccomp", "xcomp"):
            inherits = controller if self.relation(one) == "xcomp" else None
            inner = self.embedded(self.clause(one, inherits))
            self.argue(part, inner, self.relation(one), self.marker(one))

    def argue(self, part: Part, target: Part, relation: str, preposition: str) -> None:
        """Put a dependent at the role that PropBank's examples give it, or at the first that is free."""
        taken = [role for role, _ in part.edges]
        role = self.roles.of(part.concept, relation, preposition, taken)
        unlikely = role in (":cause", ":purpose") or (role == ":time" and target.concept not in TIMES)
        if role is None or unlikely or (target.concept == "string-entity" and role[:4] != ":ARG"):
            numbers = self.frames.roles.get(part.concept, {}) or {"0": "", "1": "", "2": ""}
            free = [f":ARG{one}" for one in sorted(numbers) if f":ARG{one}" not in taken]
            late = [one for one in free if one != ":ARG0"]
            role = (free if relation == "nsubj" else late or free or [":mod"])[:1][0] if free else ":mod"
        part.put(role, target)

    def embedded(self, clause: Part) -> Part:
        """A clause that asks inside another ("I know how to solve it") is the thing that is asked for."""
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

    # --- modifiers

    def modifiers(self, number: int, part: Part) -> None:
        """Everything below a word that is no argument of a clause."""
        for one in self.children(number):
            base = self.base(one)
            rule = getattr(self, f"_{base}", None)
            if base in _SILENT or rule is None or re.search(r"\w", self.words[one].text) is None:
                continue
            rule(number, part, one)

    def _amod(self, _number: int, part: Part, one: int) -> None:
        inner = self.part(one)
        lemma = self.lemma(one)
        if self.ordinal(part, lemma):
            return
        if lemma in QUANTIFIERS:
            part.put(":quant", inner)
            return
        if self.words[one].tag in ("JJR", "JJS"):
            extent = Part("most" if self.words[one].tag == "JJS" else "more")
            part.put(":ARG1-of", Part("have-degree-91").put(":ARG2", inner).put(":ARG3", extent))
            return
        roles = self.frames.roles.get(inner.concept)
        if roles is not None:
            active = self.words[one].tag == "VBG" and inner.concept != "follow-04"
            part.put(":ARG0-of" if (active and "0" in roles) or "1" not in roles else ":ARG1-of", inner)
        else:
            part.put(":mod", inner)
        self.modifiers(one, inner)

    def ordinal(self, part: Part, lemma: str) -> bool:
        """Put first, second, … as AMR has them; whether the word was one."""
        if lemma not in ORDINALS:
            return False
        part.put(":ord", Part("ordinal-entity").put(":value", str(ORDINALS.index(lemma) + 1)))
        return True

    def _compound(self, _number: int, part: Part, one: int) -> None:
        if self.relation(one) == "compound:prt":
            return
        if self.ordinal(part, self.lemma(one)):
            return
        if part.concept in self.frames.roles and one in self.formulas:
            part.put(":ARG1", self.part(one))
        else:
            part.put(":mod", self.nominal(one))

    def _appos(self, _number: int, part: Part, one: int) -> None:
        role = ":ARG1" if part.concept in self.frames.roles and not part.has(":ARG1") else ":mod"
        part.put(role if one in self.formulas else ":mod", self.nominal(one))

    _flat = _compound
    _dep = _appos

    def _list(self, _number: int, part: Part, one: int) -> None:
        part.put(":mod", self.nominal(one))

    def _nummod(self, _number: int, part: Part, one: int) -> None:
        text = self.words[one].text.lower()
        part.put(":quant", self.part(one) if one in self.formulas else number_of(text))

    def _det(self, _number: int, part: Part, one: int) -> None:
        lemma = self.words[one].text.lower()
        if lemma in ("the", "a", "an"):
            return
        if lemma == "no":
            part.put(":polarity", "-")
        else:
            self.parts[one] = Part(PRONOUNS.get(lemma, "amr-unknown" if lemma in UNKNOWN else lemma))
            part.put(":mod", self.parts[one])

    def _nmod(self, _number: int, part: Part, one: int) -> None:
        inner = self.nominal(one)
        preposition = self.marker(one, "case")
        if preposition in ("such", "like"):
            part.put(":example", inner)
        elif part.concept in self.frames.roles:
            self.argue(part, inner, self.relation(one), preposition)
        elif self.relation(one) == "nmod:poss":
            part.put(":poss", inner)
        else:
            part.put(PREPOSITION_ROLES.get(preposition, ":mod"), inner)

    def _obl(self, _number: int, part: Part, one: int) -> None:
        preposition = self.marker(one, "case")
        if self.relation(one) == "obl:tmod":
            part.put(":time", self.nominal(one))
            return
        inner = self.nominal(one)
        if part.concept in self.frames.roles:
            bare = not preposition and one in self.formulas
            self.argue(part, inner, "obj" if bare else "obl", preposition)
        else:
            part.put(PREPOSITION_ROLES.get(preposition, ":mod"), inner)

    def _advmod(self, number: int, part: Part, one: int) -> None:
        lemma = self.lemma(one)
        if lemma in ("not", "n't"):
            if not self.is_clause(number):
                part.put(":polarity", "-")
        elif self.ordinal(part, lemma):
            return
        elif lemma == "how":
            part.put(":manner" if self.is_clause(number) else ":degree", self.part(one))
        elif lemma == "why":
            part.put(":ARG1-of", Part("cause-01").put(":ARG0", self.part(one)))
        elif lemma in ("when", "where"):
            if self.asks:
                part.put(":time" if lemma == "when" else ":location", self.part(one))
        elif lemma == "however" and one < number:
            return
        elif lemma in ("thus", "hence", "therefore", "so") and self.is_clause(number) and one < number:
            part.put(":ARG1-of", Part("cause-01"))
        else:
            stem = adjective(lemma)
            inner = self.part(one)
            inner.concept = self.frames.of(stem, "j") or stem
            if inner.concept in self.frames.roles and stem != lemma:
                part.put(":ARG1-of", inner)
            else:
                manner = stem != lemma and self.is_verb(number)
                part.put(ADVERB_ROLES.get(lemma, ":manner" if manner else ":mod"), inner)
            self.modifiers(one, inner)

    def _advcl(self, number: int, part: Part, one: int) -> None:
        mark = self.marker(one, "mark") or self.marker(one, "advmod")
        kind = CLAUSE_ROLES.get(mark, "")
        inner = self.clause(one, self.subject(number))
        if kind == "cause":
            part.put(":ARG1-of", Part("cause-01").put(":ARG0", inner))
        elif kind == "effect":
            part.put(":ARG0-of", Part("cause-01").put(":ARG1", inner))
        elif kind == "without":
            part.put(":manner", inner.put(":polarity", "-"))
        elif kind:
            part.put(kind, inner)
        else:
            part.put(":purpose" if mark == "to" else ":manner", inner)

    def _acl(self, _number: int, part: Part, one: int) -> None:
        if self.relation(one) == "acl:relcl":
            self.relative(part, one)
            return
        tag = self.words[one].tag
        if self.marker(one, "mark") == "to":
            part.put(":purpose", self.clause(one))
            return
        if self.marker(one, "mark") in ("that", "such"):
            part.put(":ARG1" if part.concept in self.frames.roles else ":topic", self.clause(one))
            return
        inner = self.clause(one)
        part.put(":ARG1-of" if tag == "VBN" else ":ARG0-of" if tag == "VBG" else ":mod", inner)

    def relative(self, part: Part, one: int) -> None:
        """A relative clause: the pronoun's role in it, turned round."""
        pronoun = next(
            (
                word
                for word in self.children(one)
                if self.words[word].tag in ("WDT", "WP") or self.lemma(word) in ("that", "which")
                if self.base(word) in ("nsubj", "obj", "obl")
            ),
            None,
        )
        if pronoun is not None:
            self.parts[pronoun] = part
        inner = self.clause(one)
        if pronoun is None:
            role = ":ARG1" if not inner.has(":ARG1") else ":ARG2"
            part.put(role + "-of", inner)
            return
        for place, (role, target) in enumerate(inner.edges):
            if target is part:
                del inner.edges[place]
                part.put(role + "-of", inner)
                return
        part.put(":mod", inner)

    def _parataxis(self, _number: int, part: Part, one: int) -> None:
        part.put(":mod", self.clause(one))

    def _vocative(self, _number: int, part: Part, one: int) -> None:
        part.put(":mod", self.nominal(one))


def _formulas(placeholders: Sequence[str]) -> Part:
    """A formula, or several in a row."""
    parts = [Part("string-entity").put(":value", one) for one in placeholders]
    return parts[0] if len(parts) == 1 else joined("and", parts)
