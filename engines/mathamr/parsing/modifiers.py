"""Modifiers: what hangs below a word and is no argument of a clause, a rule for each relation."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence

from engines.mathamr.parsing.concepts import Concepts
from engines.mathamr.parsing.labelling import voice
from engines.mathamr.parsing.parts import Part
from engines.mathamr.parsing.roles import MODIFIERS, Dependent, Predicate
from engines.mathamr.parsing.spelling import adjective, number_of, positive
from engines.mathamr.parsing.words import (
    ACTIONS,
    ADVERB_ROLES,
    CLAUSE_ROLES,
    EXTENTS,
    FIXED,
    OF_ROLES,
    ORDINALS,
    PLACES,
    PREPOSITION_ROLES,
    PRONOUNS,
    QUANTIFIERS,
    SPEECH,
    TIMES,
    UNKNOWN,
)

__all__ = ["Modifiers"]

_SILENT = frozenset(
    ("punct", "case", "mark", "cop", "aux", "aux:pass", "cc", "expl", "discourse", "goeswith")
)
"""Relations of words that stand for no concept of their own."""

_BARE = ("nsubj", "nsubj:pass", "obj", "iobj")
"""Relations of dependents without a preposition."""
_CORE = (*_BARE, "csubj", "ccomp", "xcomp")
"""Relations of what completes a verb."""


def placed(preposition: str, role: str, target: Part) -> Part:
    """A place or time, told by a preposition where that is a concept: before, between."""
    if preposition not in PLACES or role not in (":location", ":time", ":direction"):
        return target
    return Part(preposition).put(":op1", target)


class Modifiers(Concepts):
    """The rules for modifiers; clauses and noun phrases come from `rules`."""

    @abstractmethod
    def clause(self, number: int, subject: Part | None = None) -> Part:
        """The part of a clause by its head, with all that depends on it; `subject` where it has none."""

    @abstractmethod
    def nominal(self, number: int) -> Part:
        """A noun phrase, a formula or a clause in its place, with what is coordinated with it."""

    @abstractmethod
    def embedded(self, number: int, subject: Part | None = None) -> Part:
        """A clause inside another; where it asks, what it asks for."""

    @abstractmethod
    def subject(self, number: int) -> Part | None:
        """Who does what a verb says, also where it inherits that."""

    def argue(self, number: int, part: Part, found: Sequence[tuple[int | None, Part, str]]) -> None:
        """Put the dependents of a word at their likeliest roles. Args: found: of each its word (None where it
        is inherited), its part and its relation."""
        below = {self.relation(one) for one in self.children(number)}
        predicate = Predicate(part.concept, self.words[number].tag, voice(below))
        dependents, barred = [], []
        for one, target, relation in found:
            tag = "NN" if one is None else self.words[one].tag
            preposition = "" if one is None or relation in _BARE else self.marker(one)
            dependents.append(Dependent(relation, preposition, tag))
            if relation in _CORE or (relation != "advcl" and target.concept == "string-entity"):
                no = set(MODIFIERS.values())
            elif relation in ("advcl", "acl"):
                no = set()
            else:
                no = {":cause", ":purpose"} if target.concept in TIMES else {":cause", ":purpose", ":time"}
            barred.append(no)
        taken = {role for role, _ in part.edges if role.startswith(":ARG")}
        chosen = self.roles.of(predicate, dependents, taken, barred)
        for (_, target, _), dependent, role in zip(found, dependents, chosen, strict=True):
            part.put(role or ":mod", placed(dependent.preposition, role or ":mod", target))

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
        if extent := self.extent(one):
            part.put(":ARG1-of", self.degree(one, inner, extent))
            self.modifiers(one, inner)
            return
        roles = self.frames.roles.get(inner.concept)
        if roles is not None:
            active = self.words[one].tag == "VBG" and inner.concept != "follow-04"
            part.put(":ARG0-of" if (active and "0" in roles) or "1" not in roles else ":ARG1-of", inner)
        else:
            part.put(":mod", inner)
        if self.is_able(one):
            inner.put(":ARG1-of", Part("possible-01"))
        self.modifiers(one, inner)

    def extent(self, number: int) -> int | str:
        """How far an adjective holds: more, most, or the word that says so, too; "" where nothing does."""
        if self.words[number].tag in ("JJR", "JJS"):
            return "most" if self.words[number].tag == "JJS" else "more"
        found = [one for one in self.children(number, "advmod") if self.lemma(one) in EXTENTS]
        return found[0] if found and self.words[number].tag[:2] == "JJ" else ""

    def degree(self, number: int, adjective: Part, extent: int | str) -> Part:
        """have-degree-91 of an adjective, without what it is the degree of."""
        how = extent if isinstance(extent, str) else self.concept(extent)
        self.degrees[number] = Part("have-degree-91").put(":ARG2", adjective).put(":ARG3", Part(how))
        return self.degrees[number]

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
        if self.words[one].tag[:3] == "NNP" and one not in self.formulas and part.concept != "string-entity":
            part.put(":name", self.name(one))
        elif part.concept in self.frames.roles and one in self.formulas:
            part.put(":ARG1", self.part(one))
        else:
            part.put(":mod", self.nominal(one))

    def name(self, number: int) -> Part:
        """A name before a noun: Taylor series, Cauchy-Schwarz inequality."""
        words = sorted((number, *self.children(number, "compound", "flat")))
        self.parts[number] = Part("name")
        for place, word in enumerate(words, start=1):
            text = re.sub(r'["\\]', "", self.words[word].text)
            self.parts[number].put(f":op{place}", f'"{text}"')
        return self.parts[number]

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

    def fixed(self, part: Part, one: int) -> bool:
        """Put what is one concept with "at" before it; whether the word was such."""
        role = FIXED.get(self.lemma(one))
        if role is None or self.marker(one, "case") != "at" or len(self.children(one)) != 1:
            return False
        part.put(role, Part(f"at-{self.lemma(one)}"))
        return True

    def _nmod(self, number: int, part: Part, one: int) -> None:
        if self.fixed(part, one):
            return
        inner = self.nominal(one)
        preposition = self.marker(one, "case")
        if preposition == "than" and number in self.degrees:
            self.degrees[number].put(":ARG4", inner)
        elif preposition in ("such", "like"):
            part.put(":example", inner)
        elif preposition == "of" and (role := OF_ROLES.get(part.concept)):
            part.put(role, inner)
        elif part.concept in self.frames.roles:
            self.argue(number, part, [(one, inner, self.relation(one))])
        elif self.relation(one) == "nmod:poss":
            part.put(":poss", inner)
        else:
            role = PREPOSITION_ROLES.get(preposition, ":mod")
            part.put(role, placed(preposition, role, inner))

    def _obl(self, number: int, part: Part, one: int) -> None:
        preposition = self.marker(one, "case")
        if self.relation(one) == "obl:tmod":
            part.put(":time", self.nominal(one))
            return
        if preposition == "for" and self.lemma(one) in ("example", "instance"):
            part.put(":ARG0-of", Part("exemplify-01"))
            return
        if self.fixed(part, one):
            return
        inner = self.nominal(one)
        if preposition == "than" and number in self.degrees:
            self.degrees[number].put(":ARG4", inner)
        elif preposition in ("in", "on", "at") and inner.concept in TIMES:
            part.put(":time", inner)
        elif part.concept in self.frames.roles:
            bare = not preposition and one in self.formulas
            self.argue(number, part, [(one, inner, "obj" if bare else "obl")])
        else:
            role = PREPOSITION_ROLES.get(preposition, ":mod")
            part.put(role, placed(preposition, role, inner))

    def _advmod(self, number: int, part: Part, one: int) -> None:
        lemma = self.lemma(one)
        if lemma in ("not", "n't"):
            if not self.is_clause(number):
                part.put(":polarity", "-")
        elif self.ordinal(part, lemma) or (number in self.degrees and lemma in EXTENTS):
            return
        elif lemma == "never":
            part.put(":time", Part("ever"))
        elif lemma in ("maybe", "perhaps"):
            part.put(":ARG1-of", Part("possible-01"))
        elif lemma == "how":
            part.put(":manner" if self.is_clause(number) else ":degree", self.part(one))
        elif lemma == "why":
            part.put(":ARG1-of", Part("cause-01").put(":ARG0", self.part(one)))
        elif lemma in ("when", "where"):
            if self.asks:
                part.put(":time" if lemma == "when" else ":location", self.part(one))
        elif lemma == "however" and one < number:
            return
        elif lemma == "then" and any(self.lemma(word) == "if" for word in range(one)):
            # "If …, then …" is the condition alone.
            return
        elif lemma in ("thus", "hence", "therefore", "so") and self.is_clause(number) and one < number:
            part.put(":ARG1-of", Part("cause-01"))
        elif lemma == "far" and [self.lemma(word) for word in self.children(one)] == ["so"]:
            part.put(":time", Part("so-far"))
        else:
            stem = positive(adjective(lemma), self.frames)
            inner = self.part(one)
            if stem != adjective(lemma):
                inner.put(":polarity", "-")
            inner.concept = self.frames.of(stem, "j") or stem
            if inner.concept in self.frames.roles and stem != lemma:
                part.put(":ARG1-of", inner)
            else:
                usual = ":manner" if self.is_verb(number) else ":degree"
                part.put(ADVERB_ROLES.get(lemma, usual if stem != lemma else ":mod"), inner)
            self.modifiers(one, inner)

    def _advcl(self, number: int, part: Part, one: int) -> None:
        mark = self.marker(one, "mark") or self.marker(one, "advmod")
        if self.words[one].text.lower() == "using" and mark not in CLAUSE_ROLES:
            mark = "by"
        kind = CLAUSE_ROLES.get(mark, "")
        inner = self.clause(one, self.subject(number))
        if kind == "cause":
            part.put(":ARG1-of", Part("cause-01").put(":ARG0", inner))
        elif kind == "effect":
            part.put(":ARG0-of", Part("cause-01").put(":ARG1", inner))
        elif kind == "without":
            part.put(":manner", inner.put(":polarity", "-"))
        elif kind:
            part.put(kind, placed(mark, kind, inner))
        elif part.concept in self.frames.roles:
            self.argue(number, part, [(one, inner, "advcl")])
        else:
            part.put(":purpose" if mark == "to" else ":manner", inner)

    def _acl(self, number: int, part: Part, one: int) -> None:
        if self.relation(one) == "acl:relcl":
            self.relative(part, one)
            return
        tag = self.words[one].tag
        if self.marker(one, "mark") == "to":
            if part.concept in self.frames.roles:
                self.argue(number, part, [(one, self.embedded(one), "acl")])
            else:
                part.put(ACTIONS.get(part.concept, ":purpose"), self.embedded(one))
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
        inner = self.clause(one)
        if inner.concept in SPEECH and not inner.has(":ARG1"):
            part.put(":ARG1-of", inner)
        else:
            part.put(":mod", inner)

    def _vocative(self, _number: int, part: Part, one: int) -> None:
        part.put(":mod", self.nominal(one))
