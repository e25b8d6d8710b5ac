"""Rules from a dependency parse to an AMR graph.

Every word of content becomes a concept once; what a relation means to AMR depends on the frame of the word
above. A formula is the concept string-entity with its placeholder as :value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engines.language.english import Word
from engines.mathamr.graph.amr import Part, joined, turned
from engines.mathamr.parsing.corrections import Dependencies, corrected
from engines.mathamr.parsing.lexicon import (
    ACTIONS,
    ADVERB_ROLES,
    ASKED,
    CLAUSE_ROLES,
    EVERY,
    EXTENTS,
    FIXED,
    MODALS,
    OF_ROLES,
    ORDINALS,
    PLACES,
    PREPOSITION_ROLES,
    PRONOUNS,
    QUANTIFIERS,
    SMALL,
    SPEECH,
    TIMES,
    UNKNOWN,
    Frames,
    adjective,
    lemma_of,
    number_of,
    positive,
    possible,
)
from engines.mathamr.parsing.roles import MODIFIERS, Dependent, Predicate, Roles, voice

ABLE = ("able", "unable", "impossible")

_PEOPLE = frozenset(("i", "we", "you", "he", "she", "they"))
"""Pronouns that mean the same throughout a sentence."""
_MEANT = {"it": "NN", "its": "NN", "they": "NNS", "them": "NNS", "their": "NNS"}
"""Pronouns that stand for a noun, and its tag."""


class Concepts(Dependencies):
    """The words of a sentence and the part of each. Args: formulas: the placeholder of each word that is a
    formula."""

    def __init__(self, words: Sequence[Word], formulas: dict[int, str], frames: Frames, roles: Roles) -> None:
        words = corrected(words)
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

    def bounded(self, number: int) -> Part | None:
        """What is at least or at most a number or formula, still without it."""
        bound = self.words[max(number - 1, 0)].text.lower()
        if number < 2 or self.words[number - 2].text.lower() != "at" or bound not in ("least", "most"):
            return None
        return Part(f"at-{bound}")

    def part(self, number: int) -> Part:
        """The part of a word, made once; people (i, they …) are one throughout the sentence."""
        if number in self.parts:
            return self.parts[number]
        if number in self.formulas:
            each = [Part("string-entity").put(":value", one) for one in self.formulas[number].split()]
            made = each[0] if len(each) == 1 else joined("and", each)
            if (bound := self.bounded(number)) is not None:
                made = bound.put(":op1", made)
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


_SILENT = frozenset(
    ("punct", "case", "mark", "cop", "aux", "aux:pass", "cc", "expl", "discourse", "goeswith")
)
"""Relations of words that stand for no concept of their own."""

_EFFECT = {"so", "thus", "hence", "therefore"}

_BARE = ("nsubj", "nsubj:pass", "obj", "iobj")
"""Relations of dependents without a preposition."""
_CORE = (*_BARE, "csubj", "ccomp", "xcomp")
"""Relations of what completes a verb."""


def placed(preposition: str, role: str, target: Part) -> Part:
    """A place or time, told by a preposition where that is a concept: before, between."""
    if preposition not in PLACES or role not in (":location", ":time", ":direction"):
        return target
    return Part(preposition).put(":op1", target)


def denied(inner: Part, top: Part) -> None:
    """Move the negation of a part to the one above it."""
    if (":polarity", "-") in inner.edges:
        inner.edges.remove((":polarity", "-"))
        top.put(":polarity", "-")


class _Sentence(Concepts):
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
        if self.asks and not any(part.concept == "amr-unknown" for part in self.parts.values()):
            top.put(":polarity", Part("amr-unknown"))
        return top

    def clause(self, number: int, subject: Part | None = None) -> Part:
        """The part of a clause by its head, with all that depends on it; `subject` where it has none."""
        conjuncts = self.children(number, "conj")
        there = self.first(number, "nsubj") if self.children(number, "expl") else None
        if there is not None and self.lemma(number) == "be" and self.is_claimed(number):
            self.parts[number] = Part("exist-01")
            top = self.simple(number, subject)
        elif there is not None and self.lemma(number) == "be":
            # "There is a proof" is the proof.
            top = self.nominal(there)
            for one in self.children(number, "advcl"):
                if self.marker(one, "mark") == "to":
                    self._acl(number, top, one)
                    self.below[number].remove(one)
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

    def is_claimed(self, number: int) -> bool:
        """Whether "there is" says more than what there is: that it must be, is not, or is for every other."""
        return (
            bool(self.children(number, "aux"))
            or self.is_denied(number)
            or any(
                self.marker(one, "case") == "for" and self.is_quantified(one)
                for one in self.children(number, "obl")
            )
        )

    def subject(self, number: int) -> Part | None:
        """Who does what a verb says, also where it inherits that."""
        if number in self.subjects:
            return self.subjects[number]
        result = self.first(number, "nsubj")
        return None if result is None else self.parts.get(result)

    def simple(self, number: int, subject: Part | None) -> Part:
        part = self.part(number)
        frame = part
        own = self.first(number, "nsubj")
        if self.children(number, "cop") or (own is not None and not self.is_verb(number)):
            frame = part = self.predication(number, part, own, subject)
        elif self.is_verb(number):
            self.arguments(number, part, subject)
        elif subject is not None and self.words[number].tag[:2] == "JJ" and self.relation(number) == "conj":
            frame = part = self.predication(number, part, None, subject)
        top = part
        self.modifiers(number, frame)
        if self.is_able(number):
            top = Part("possible-01").put(":ARG1", frame)
            denied(frame, top)
        if self.is_denied(number):
            # "Not invertible" cannot be inverted; "not noninvertible" is what it denies.
            (frame if (":polarity", "-") in top.edges else top).put(":polarity", "-")
        for modal in self.children(number, "aux"):
            if self.lemma(modal) in MODALS:
                concept, role = MODALS[self.lemma(modal)]
                inner, top = top, Part(concept).put(role, top)
                if concept == "possible-01":
                    denied(inner, top)
                    for at, target in inner.edges:
                        if inner.concept == "exist-01" and at == ":ARG1" and isinstance(target, Part):
                            # "There can be no …"
                            denied(target, top)
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
        infinitive = self.children(number, "xcomp") and not self.children(number, "obj")
        if self.lemma(number) == "have" and infinitive:
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
            if small and one == objects[0]:
                continue
            named = self.nominal(one)
            if one < number and named.concept in ASKED and named.has(":quant"):
                part.put(ASKED[named.concept], named)  # "How many ways can we …?"
            else:
                found.append((one, named, self.base(one)))
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
        return number not in self.formulas or bool(self.children(number, "cop"))

    def embedded(self, number: int, subject: Part | None = None) -> Part:
        """A clause inside another; where it asks ("I know how to solve it", "whether it holds"), what it
        asks for."""
        clause = self.clause(number, subject)
        mark = self.marker(number, "mark")
        if (asked := self.quantity(clause)) is not None:
            # "How many there are": the number of those.
            clause.edges.remove((":quant", asked))
            asked.concept = "thing"
            return asked.put(":quant-of", clause)
        if mark == "whether" or (mark == "if" and self.relation(number) == "ccomp"):
            return Part("truth-value").put(":polarity-of", clause)
        for place, (role, target) in enumerate(clause.edges):
            if isinstance(target, Part) and (asked := self.quantity(target)) is not None:
                # "How many solutions it has": the number of those.
                del clause.edges[place]
                target.edges.remove((":quant", asked))
                asked.concept = "thing"
                return asked.put(":quant-of", target.put(turned(role), clause))
            if isinstance(target, Part) and target.concept == "amr-unknown" and not target.edges:
                del clause.edges[place]
                target.concept = "thing"
                return target.put(turned(role), clause)
        return clause

    def quantity(self, part: Part) -> Part | None:
        """What is asked for by "how many" of something."""
        for role, target in part.edges:
            if role == ":quant" and isinstance(target, Part) and target.concept == "amr-unknown":
                return target
        return None

    # --- nouns

    def nominal(self, number: int) -> Part:
        """A noun phrase, a formula or a clause in its place, with what is coordinated with it."""
        if self.is_clause(number) and number not in self.formulas:
            return self.clause(number)
        first = self.part(number)
        if first not in self.people.values():
            self.modifiers(number, first)
        conjuncts = self.children(number, "conj")
        if not conjuncts:
            return first
        words = {self.lemma(word) for one in conjuncts for word in self.children(one, "cc")}
        whole = joined("or" if words & {"or", "nor"} else "and", [first, *map(self.nominal, conjuncts)])
        if "or" in words:
            denied(first, whole)  # "No … or …"
        return whole

    # --- modifiers

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

    def _amod(self, number: int, part: Part, one: int) -> None:
        inner = self.part(one)
        lemma = self.lemma(one)
        for other in self.children(one, "conj"):
            if self.words[other].tag[:2] == "JJ":
                self._amod(number, part, other)
        if self.ordinal(part, lemma):
            return
        if lemma in QUANTIFIERS:
            part.put(":quant", self.asked(one) or inner)
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

    def asked(self, number: int) -> Part | None:
        """What "how many" asks for; None where no "how" stands right before a word."""
        how = [one for one in self.children(number, "advmod") if self.lemma(one) == "how"]
        return self.part(how[0]) if how and how[0] == number - 1 else None

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
        if one in self.formulas:
            part.put(":quant", self.part(one))
            return
        number, bound = number_of(self.words[one].text.lower()), self.bounded(one)
        part.put(":quant", number if bound is None else bound.put(":op1", number))

    def _det(self, _number: int, part: Part, one: int) -> None:
        lemma = self.words[one].text.lower()
        if lemma in ("the", "a", "an"):
            return
        if lemma == "no":
            part.put(":polarity", "-")
        elif lemma in ("none", "neither"):
            # It denies the clause; see `is_denied`.
            part.put(":mod", Part("any"))
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

    def is_denied(self, number: int) -> bool:
        """Whether a clause is denied, by itself or of all its things: "neither of them"."""
        own = [self.lemma(one) for one in self.children(number, "advmod", "cc", "cc:preconj")]
        return any(word in ("not", "n't", "never", "nor", "neither") for word in own) or any(
            self.lemma(word) in ("none", "neither")
            for noun in self.children(number, *_BARE, "obl")
            for one in (noun, *self.children(noun, "amod"))
            for word in self.children(one, "det", "cc:preconj")
        )

    def is_quantified(self, number: int) -> bool:
        """Whether it says of all or of which ones."""
        return any(self.lemma(one) in (*EVERY, "which", "what") for one in self.children(number, "det"))

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
        elif preposition == "for" and self.is_quantified(one):
            part.put(":prep-for", inner)
        elif preposition == "in" and inner.concept == "way":
            part.put(":manner", inner)
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
        elif lemma == "nowhere":
            part.put(":polarity", "-").put(":location", Part("anywhere"))
        elif self.ordinal(part, lemma) or (number in self.degrees and lemma in EXTENTS):
            return
        elif lemma == "never":
            part.put(":time", Part("ever"))
        elif lemma in ("maybe", "perhaps"):
            part.put(":ARG1-of", Part("possible-01"))
        elif lemma == "how":
            verb = self.is_clause(number) and (one != number - 1 or self.is_verb(number))
            part.put(":manner" if verb else ":degree", self.part(one))
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


def sentence_graph(
    words: Sequence[Word], formulas: dict[int, str], frames: Frames, roles: Roles
) -> Part | None:
    """The graph of one sentence. Args: formulas: the placeholder of each word that is a formula. Returns:
    None for a sentence without a word of content."""
    return _Sentence(words, formulas, frames, roles).root()
