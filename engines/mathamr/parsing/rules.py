"""Rules from a dependency parse to an AMR graph.

Every word of content becomes a concept once; what a relation means to AMR depends on the frame of the word
above. A formula is the concept string-entity with its placeholder as :value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engines.language.english import Word
from engines.mathamr.graph.amr import GraphPart, invert_role, join_parts
from engines.mathamr.parsing.concepts import ABLE, Concepts, raise_negation, wrap_preposition
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
    PREPOSITION_ROLES,
    PRONOUNS,
    QUANTITY_LEMMAS,
    SMALL,
    SPEECH,
    TIMES,
    UNKNOWN,
    Frames,
    derive_adjective,
    strip_negation,
    to_number,
)
from engines.mathamr.parsing.roles import MODIFIERS, Dependent, Predicate, Roles, find_voice

_SILENT = frozenset(
    ("punct", "case", "mark", "cop", "aux", "aux:pass", "cc", "expl", "discourse", "goeswith")
)
"""Relations of words that stand for no concept of their own."""

_EFFECT = {"so", "thus", "hence", "therefore"}

_BARE = ("nsubj", "nsubj:pass", "obj", "iobj")
"""Relations of dependents without a preposition."""
_CORE = (*_BARE, "csubj", "ccomp", "xcomp")
"""Relations of what completes a verb."""


class _SentenceRules(Concepts):
    """The rules at work on one sentence."""

    # --- the sentence

    def build_root(self) -> GraphPart | None:
        roots = [number for number, word in enumerate(self.words) if word.head == number]
        tops = [
            self.build_clause(number)
            for number in roots
            if self.base_relation(number) != "punct" and re.search(r"\w", self.words[number].text)
        ]
        if not tops:
            tops = [self.build_part(number) for number in self.formulas][:1]
        if not tops:
            return None
        top = tops[0] if len(tops) == 1 else join_parts("and", tops)
        placed = {id(part) for part in top.list_reachable()}
        for number in self.formulas:
            # No rule may lose a formula.
            if number not in self.parts or id(self.parts[number]) not in placed:
                top.add_edge(":mod", self.build_part(number))
        if self.asks and not any(part.concept == "amr-unknown" for part in self.parts.values()):
            top.add_edge(":polarity", GraphPart("amr-unknown"))
        return top

    def build_clause(self, number: int, subject: GraphPart | None = None) -> GraphPart:
        """Return the part of a clause by its head, with all that depends on it; `subject` where it has
        none.
        """
        conjuncts = self.list_children(number, "conj")
        there = self.first_child(number, "nsubj") if self.list_children(number, "expl") else None
        if there is not None and self.get_lemma(number) == "be" and self.is_claimed(number):
            self.parts[number] = GraphPart("exist-01")
            top = self.build_simple_clause(number, subject)
        elif there is not None and self.get_lemma(number) == "be":
            # "There is a proof" is the proof.
            top = self.build_nominal(there)
            for one in self.list_children(number, "advcl"):
                if self.find_marker(one, "mark") == "to":
                    self._acl(number, top, one)
                    self.below[number].remove(one)
            self.add_modifiers(number, top)
        else:
            top = self.build_simple_clause(number, subject)
        if top.concept == "string-entity" and top.has_role(":condition"):
            # A formula that holds if another does is a condition, not a thing with one.
            conditions = [target for role, target in top.edges if role == ":condition"]
            top.edges = [edge for edge in top.edges if edge[0] not in (":condition", ":time")]
            top = GraphPart("have-condition-91").add_edge(":ARG1", top).add_edge(":ARG2", conditions[0])
        # Coordinated clauses: contrast, cause, or a plain conjunction.
        if conjuncts:
            own = self.find_subject(number) or subject
            parts = [top, *(self.build_clause(one, own) for one in conjuncts)]
            words = {
                self.get_lemma(word) for one in conjuncts for word in self.list_children(one, "cc", "mark")
            }
            if len(parts) == 2 and words & {"but", "yet"}:
                return GraphPart("contrast-01").add_edge(":ARG1", parts[0]).add_edge(":ARG2", parts[1])
            if len(parts) == 2 and words & _EFFECT:
                return GraphPart("cause-01").add_edge(":ARG0", parts[0]).add_edge(":ARG1", parts[1])
            return join_parts("or" if "or" in words else "and", parts)
        # A conjunction at the beginning of the sentence relates it to the one before.
        if self.get_relation(number) == "root":
            words = {
                self.get_lemma(word) for word in self.list_children(number, "cc", "advmod") if word < number
            }
            if words & {"but", "however"}:
                return GraphPart("contrast-01").add_edge(":ARG2", top)
            if words & _EFFECT and not top.has_role(":ARG1-of"):
                return GraphPart("cause-01").add_edge(":ARG1", top)
            if "and" in words:
                return GraphPart("and").add_edge(":op2", top)
        return top

    def is_claimed(self, number: int) -> bool:
        """Return whether "there is" says more than what there is: that it must be, is not, or is for every
        other.
        """
        return (
            bool(self.list_children(number, "aux"))
            or self.is_denied(number)
            or any(
                self.find_marker(one, "case") == "for" and self.is_quantified(one)
                for one in self.list_children(number, "obl")
            )
        )

    def find_subject(self, number: int) -> GraphPart | None:
        """Who does what a verb says, also where it inherits that."""
        if number in self.subjects:
            return self.subjects[number]
        result = self.first_child(number, "nsubj")
        return None if result is None else self.parts.get(result)

    def build_simple_clause(self, number: int, subject: GraphPart | None) -> GraphPart:
        part = self.build_part(number)
        frame = part
        own = self.first_child(number, "nsubj")
        if self.list_children(number, "cop") or (own is not None and not self.is_verb(number)):
            frame = part = self.build_predication(number, part, own, subject)
        elif self.is_verb(number):
            self.add_arguments(number, part, subject)
        elif (
            subject is not None and self.words[number].tag[:2] == "JJ" and self.get_relation(number) == "conj"
        ):
            frame = part = self.build_predication(number, part, None, subject)
        top = part
        # Modifiers first, so that negation and modality are put around the finished clause.
        self.add_modifiers(number, frame)
        if self.is_able(number):
            top = GraphPart("possible-01").add_edge(":ARG1", frame)
            raise_negation(frame, top)
        if self.is_denied(number):
            # "Not invertible" cannot be inverted; "not noninvertible" is what it denies.
            (frame if (":polarity", "-") in top.edges else top).add_edge(":polarity", "-")
        for modal in self.list_children(number, "aux"):
            if self.get_lemma(modal) in MODALS:
                concept, role = MODALS[self.get_lemma(modal)]
                inner, top = top, GraphPart(concept).add_edge(role, top)
                if concept == "possible-01":
                    raise_negation(inner, top)
                    for at, target in inner.edges:
                        if inner.concept == "exist-01" and at == ":ARG1" and isinstance(target, GraphPart):
                            # "There can be no …"
                            raise_negation(target, top)
                break
        # An infinitive without subject is a command to "you".
        if self.words[number].tag == "VB" and own is None and subject is None:
            commands = not self.list_children(number, "aux", "mark") and self.get_relation(number) in (
                "root",
                "conj",
                "parataxis",
            )
            if commands and part.concept != "let-01":
                part.add_edge(":mode", "imperative")
                if any(self.get_lemma(one) == "please" for one in self.list_children(number)):
                    part.add_edge(":polite", "+")
                part.add_edge(":ARG0", self.people.setdefault("you", GraphPart("you")))
        return top

    def build_predication(
        self, number: int, part: GraphPart, subject: int | None, inherited: GraphPart | None
    ) -> GraphPart:
        """`X is Y`: the frame of Y with X, Y with X as its domain, or an equation of formulas."""
        what = inherited if subject is None else self.build_nominal(subject)
        if number in self.formulas or self.words[number].tag == "CD" or part.concept == "amr-unknown":
            if what and not what.has_role(":ARG2") and "2" in self.frames.roles.get(what.concept, {}):
                # "The value is 3": what a frame gives is its ARG2.
                return what.add_edge(":ARG2", part)
            if part.concept != "amr-unknown":
                return GraphPart("equal-01").add_edge(":ARG1", what).add_edge(":ARG2", part)
        roles = self.frames.roles.get(part.concept)
        if self.get_lemma(number) in ABLE:
            if self.get_lemma(number) != "able":
                part.add_edge(":polarity", "-")
            for one in self.list_children(number, "xcomp", "ccomp", "advcl", "csubj"):
                part.add_edge(":ARG1", self.build_clause(one, what))
            return part
        for one in self.list_children(number, "ccomp", "xcomp", "csubj"):
            part.add_edge(":ARG1" if roles and "1" in roles else ":topic", self.build_embedded(one, what))
        if extent := self.find_extent(number):
            return self.build_degree(number, part, extent).add_edge(":ARG1", what)
        quality = part.concept == self.frames.find_frame(self.get_lemma(number), "j")
        if roles is not None and (quality or self.words[number].tag[:2] == "JJ"):
            if what is not None:
                self.assign_roles(number, part, [(subject, what, "nsubj")])
            return part
        return part.add_edge(":domain", what)

    def add_arguments(self, number: int, part: GraphPart, subject: GraphPart | None) -> None:
        """Add the subject, the objects and the clauses that complete a verb, by the roles of its frame."""
        passive = bool(self.list_children(number, "nsubj:pass", "aux:pass"))
        subjects = self.list_children(number, "nsubj", "csubj")
        light = self.find_light_object(number)
        objects = [one for one in self.list_children(number, "obj") if one != light]
        if light is not None:
            self.add_modifiers(light, part)
        own = self.build_nominal(subjects[0]) if subjects else subject
        # "Have to" is an obligation, and "ask to" a request.
        infinitive = self.list_children(number, "xcomp") and not self.list_children(number, "obj")
        if self.get_lemma(number) == "have" and infinitive:
            part.concept = "obligate-01"
        if part.concept == "ask-01" and self.list_children(number, "xcomp"):
            part.concept = "ask-02"
        arguments: list[tuple[int | None, GraphPart, str]] = []
        if own is not None:
            self.subjects[number] = own
            if part.concept == "obligate-01":
                part.add_edge(":ARG1", own)
            else:
                arguments.append(
                    (subjects[0] if subjects else None, own, "nsubj:pass" if passive else "nsubj")
                )
        # "Make x prime": the object is the subject of the clause after it.
        has_small_clause = (
            self.get_lemma(number) in SMALL
            and objects
            and any(self.takes_subject(one) for one in self.list_children(number, "xcomp", "ccomp"))
        )
        for one in objects + self.list_children(number, "iobj"):
            if has_small_clause and one == objects[0]:
                continue
            named = self.build_nominal(one)
            if one < number and named.concept in ASKED and named.has_role(":quant"):
                part.add_edge(ASKED[named.concept], named)  # "How many ways can we …?"
            else:
                arguments.append((one, named, self.base_relation(one)))
        # The subject of an embedded infinitive is the person asked, the object, or the subject.
        controllers = (self.list_children(number, "iobj") or objects)[:1]
        controller = (
            self.build_nominal(objects[0])
            if has_small_clause
            else self.parts.get(controllers[0])
            if controllers
            else own
        )
        for one in self.list_children(number, "ccomp", "xcomp"):
            if self.get_lemma(one) == "please":
                continue
            bare = self.get_relation(one) == "xcomp" or self.find_marker(one, "mark") == "to"
            inherits = controller if bare else None
            arguments.append((one, self.build_embedded(one, inherits), self.get_relation(one)))
        self.assign_roles(number, part, arguments)

    def takes_subject(self, number: int) -> bool:
        return number not in self.formulas or bool(self.list_children(number, "cop"))

    def build_embedded(self, number: int, subject: GraphPart | None = None) -> GraphPart:
        """Return a clause inside another; where it asks ("I know how to solve it", "whether it holds"), what
        it asks for.
        """
        clause = self.build_clause(number, subject)
        mark = self.find_marker(number, "mark")
        if (asked := self.find_asked_quantity(clause)) is not None:
            # "How many there are": the number of those.
            clause.edges.remove((":quant", asked))
            asked.concept = "thing"
            return asked.add_edge(":quant-of", clause)
        if mark == "whether" or (mark == "if" and self.get_relation(number) == "ccomp"):
            return GraphPart("truth-value").add_edge(":polarity-of", clause)
        for index, (role, target) in enumerate(clause.edges):
            if isinstance(target, GraphPart) and (asked := self.find_asked_quantity(target)) is not None:
                # "How many solutions it has": the number of those.
                del clause.edges[index]
                target.edges.remove((":quant", asked))
                asked.concept = "thing"
                return asked.add_edge(":quant-of", target.add_edge(invert_role(role), clause))
            if isinstance(target, GraphPart) and target.concept == "amr-unknown" and not target.edges:
                del clause.edges[index]
                target.concept = "thing"
                return target.add_edge(invert_role(role), clause)
        return clause

    def find_asked_quantity(self, part: GraphPart) -> GraphPart | None:
        """Return what is asked for by "how many" of something."""
        for role, target in part.edges:
            if role == ":quant" and isinstance(target, GraphPart) and target.concept == "amr-unknown":
                return target
        return None

    # --- nouns

    def build_nominal(self, number: int) -> GraphPart:
        """Return a noun phrase, a formula or a clause in its place, with what is coordinated with it."""
        if self.is_clause(number) and number not in self.formulas:
            return self.build_clause(number)
        first = self.build_part(number)
        # People are shared by the whole sentence, so modifiers of one mention must not be added to all.
        if first not in self.people.values():
            self.add_modifiers(number, first)
        conjuncts = self.list_children(number, "conj")
        if not conjuncts:
            return first
        words = {self.get_lemma(word) for one in conjuncts for word in self.list_children(one, "cc")}
        whole = join_parts(
            "or" if words & {"or", "nor"} else "and", [first, *map(self.build_nominal, conjuncts)]
        )
        if "or" in words:
            raise_negation(first, whole)  # "No … or …"
        return whole

    # --- modifiers

    def assign_roles(
        self, number: int, part: GraphPart, arguments: Sequence[tuple[int | None, GraphPart, str]]
    ) -> None:
        """Put the dependents of a word at their likeliest roles.

        Args:
            arguments: Of each its word (None where it is inherited), its part and its relation.
        """
        below = {self.get_relation(one) for one in self.list_children(number)}
        predicate = Predicate(part.concept, self.words[number].tag, find_voice(below))
        dependents, barred = [], []
        for one, target, relation in arguments:
            # An inherited argument has no word of its own in this clause, and counts as a noun.
            tag = "NN" if one is None else self.words[one].tag
            preposition = "" if one is None or relation in _BARE else self.find_marker(one)
            dependents.append(Dependent(relation, preposition, tag))
            # Cores of a clause, and formulas, are never modifiers such as time or place.
            if relation in _CORE or (relation != "advcl" and target.concept == "string-entity"):
                no = set(MODIFIERS.values())
            elif relation in ("advcl", "acl"):
                no = set()
            else:
                no = {":cause", ":purpose"} if target.concept in TIMES else {":cause", ":purpose", ":time"}
            barred.append(no)
        # A numbered role that has been given already cannot be given again.
        taken = {role for role, _ in part.edges if role.startswith(":ARG")}
        chosen = self.roles.choose_roles(predicate, dependents, taken, barred)
        for (_, target, _), dependent, role in zip(arguments, dependents, chosen, strict=True):
            part.add_edge(role or ":mod", wrap_preposition(dependent.preposition, role or ":mod", target))

    def add_modifiers(self, number: int, part: GraphPart) -> None:
        """Everything below a word that is no argument of a clause."""
        for one in self.list_children(number):
            base = self.base_relation(one)
            rule = getattr(self, f"_{base}", None)
            if base in _SILENT or rule is None or re.search(r"\w", self.words[one].text) is None:
                continue
            rule(number, part, one)

    def _amod(self, number: int, part: GraphPart, one: int) -> None:
        inner = self.build_part(one)
        lemma = self.get_lemma(one)
        for conjunct in self.list_children(one, "conj"):
            if self.words[conjunct].tag[:2] == "JJ":
                self._amod(number, part, conjunct)
        if self.add_ordinal(part, lemma):
            return
        if lemma in QUANTITY_LEMMAS:
            part.add_edge(":quant", self.find_asked(one) or inner)
            return
        if extent := self.find_extent(one):
            part.add_edge(":ARG1-of", self.build_degree(one, inner, extent))
            self.add_modifiers(one, inner)
            return
        roles = self.frames.roles.get(inner.concept)
        if roles is not None:
            # A present participle is active: the noun of "converging series" does
            # what the participle says.
            active = self.words[one].tag == "VBG" and inner.concept != "follow-04"
            part.add_edge(":ARG0-of" if (active and "0" in roles) or "1" not in roles else ":ARG1-of", inner)
        else:
            part.add_edge(":mod", inner)
        # An adjective such as "solvable" says that something is possible.
        if self.is_able(one):
            inner.add_edge(":ARG1-of", GraphPart("possible-01"))
        self.add_modifiers(one, inner)

    def find_asked(self, number: int) -> GraphPart | None:
        """Return what "how many" asks for; None where no "how" stands right before a word."""
        how = [one for one in self.list_children(number, "advmod") if self.get_lemma(one) == "how"]
        return self.build_part(how[0]) if how and how[0] == number - 1 else None

    def find_extent(self, number: int) -> int | str:
        """Return how far an adjective holds: more, most, or the word that says so, too; "" where nothing
        does.
        """
        if self.words[number].tag in ("JJR", "JJS"):
            return "most" if self.words[number].tag == "JJS" else "more"
        results = [one for one in self.list_children(number, "advmod") if self.get_lemma(one) in EXTENTS]
        return results[0] if results and self.words[number].tag[:2] == "JJ" else ""

    def build_degree(self, number: int, adjective: GraphPart, extent: int | str) -> GraphPart:
        """have-degree-91 of an adjective, without what it is the degree of."""
        how = extent if isinstance(extent, str) else self.find_concept(extent)
        self.degrees[number] = (
            GraphPart("have-degree-91").add_edge(":ARG2", adjective).add_edge(":ARG3", GraphPart(how))
        )
        return self.degrees[number]

    def add_ordinal(self, part: GraphPart, lemma: str) -> bool:
        """Put first, second, … as AMR has them; whether the word was one."""
        if lemma not in ORDINALS:
            return False
        part.add_edge(":ord", GraphPart("ordinal-entity").add_edge(":value", str(ORDINALS.index(lemma) + 1)))
        return True

    def _compound(self, _number: int, part: GraphPart, one: int) -> None:
        if self.get_relation(one) == "compound:prt":
            return
        if self.add_ordinal(part, self.get_lemma(one)):
            return
        if self.words[one].tag[:3] == "NNP" and one not in self.formulas and part.concept != "string-entity":
            part.add_edge(":name", self.build_name(one))
        elif part.concept in self.frames.roles and one in self.formulas:
            part.add_edge(":ARG1", self.build_part(one))
        else:
            part.add_edge(":mod", self.build_nominal(one))

    def build_name(self, number: int) -> GraphPart:
        """Return a name before a noun: Taylor series, Cauchy-Schwarz inequality."""
        words = sorted((number, *self.list_children(number, "compound", "flat")))
        self.parts[number] = GraphPart("name")
        for index, word in enumerate(words, start=1):
            text = re.sub(r'["\\]', "", self.words[word].text)
            self.parts[number].add_edge(f":op{index}", f'"{text}"')
        return self.parts[number]

    def _appos(self, _number: int, part: GraphPart, one: int) -> None:
        role = ":ARG1" if part.concept in self.frames.roles and not part.has_role(":ARG1") else ":mod"
        part.add_edge(role if one in self.formulas else ":mod", self.build_nominal(one))

    _flat = _compound
    _dep = _appos

    def _list(self, _number: int, part: GraphPart, one: int) -> None:
        part.add_edge(":mod", self.build_nominal(one))

    def _nummod(self, _number: int, part: GraphPart, one: int) -> None:
        if one in self.formulas:
            part.add_edge(":quant", self.build_part(one))
            return
        number, bound = to_number(self.words[one].text.lower()), self.build_bound(one)
        part.add_edge(":quant", number if bound is None else bound.add_edge(":op1", number))

    def _det(self, _number: int, part: GraphPart, one: int) -> None:
        lemma = self.words[one].text.lower()
        if lemma in ("the", "a", "an"):
            return
        if lemma == "no":
            part.add_edge(":polarity", "-")
        elif lemma in ("none", "neither"):
            # It denies the clause; see `is_denied`.
            part.add_edge(":mod", GraphPart("any"))
        else:
            self.parts[one] = GraphPart(PRONOUNS.get(lemma, "amr-unknown" if lemma in UNKNOWN else lemma))
            part.add_edge(":mod", self.parts[one])

    def add_fixed(self, part: GraphPart, one: int) -> bool:
        """Put what is one concept with "at" before it; whether the word was such."""
        role = FIXED.get(self.get_lemma(one))
        if role is None or self.find_marker(one, "case") != "at" or len(self.list_children(one)) != 1:
            return False
        part.add_edge(role, GraphPart(f"at-{self.get_lemma(one)}"))
        return True

    def _nmod(self, number: int, part: GraphPart, one: int) -> None:
        if self.add_fixed(part, one):
            return
        inner = self.build_nominal(one)
        preposition = self.find_marker(one, "case")
        if preposition == "than" and number in self.degrees:
            self.degrees[number].add_edge(":ARG4", inner)
        elif preposition in ("such", "like"):
            part.add_edge(":example", inner)
        # Nouns such as "number" have a role of their own for what follows "of".
        elif preposition == "of" and (role := OF_ROLES.get(part.concept)):
            part.add_edge(role, inner)
        elif part.concept in self.frames.roles:
            self.assign_roles(number, part, [(one, inner, self.get_relation(one))])
        elif self.get_relation(one) == "nmod:poss":
            part.add_edge(":poss", inner)
        else:
            role = PREPOSITION_ROLES.get(preposition, ":mod")
            part.add_edge(role, wrap_preposition(preposition, role, inner))

    def is_denied(self, number: int) -> bool:
        """Return whether a clause is denied, by itself or of all its things: "neither of them"."""
        own = [self.get_lemma(one) for one in self.list_children(number, "advmod", "cc", "cc:preconj")]
        return any(word in ("not", "n't", "never", "nor", "neither") for word in own) or any(
            self.get_lemma(word) in ("none", "neither")
            for noun in self.list_children(number, *_BARE, "obl")
            for one in (noun, *self.list_children(noun, "amod"))
            for word in self.list_children(one, "det", "cc:preconj")
        )

    def is_quantified(self, number: int) -> bool:
        """Return whether it says of all or of which ones."""
        return any(
            self.get_lemma(one) in (*EVERY, "which", "what") for one in self.list_children(number, "det")
        )

    def _obl(self, number: int, part: GraphPart, one: int) -> None:
        preposition = self.find_marker(one, "case")
        if self.get_relation(one) == "obl:tmod":
            part.add_edge(":time", self.build_nominal(one))
            return
        if preposition == "for" and self.get_lemma(one) in ("example", "instance"):
            part.add_edge(":ARG0-of", GraphPart("exemplify-01"))
            return
        if self.add_fixed(part, one):
            return
        inner = self.build_nominal(one)
        if preposition == "than" and number in self.degrees:
            self.degrees[number].add_edge(":ARG4", inner)
        elif preposition == "for" and self.is_quantified(one):
            part.add_edge(":prep-for", inner)
        elif preposition == "in" and inner.concept == "way":
            part.add_edge(":manner", inner)
        elif preposition in ("in", "on", "at") and inner.concept in TIMES:
            part.add_edge(":time", inner)
        # A frame has roles for its complements; for other concepts the preposition decides.
        elif part.concept in self.frames.roles:
            bare = not preposition and one in self.formulas
            self.assign_roles(number, part, [(one, inner, "obj" if bare else "obl")])
        else:
            role = PREPOSITION_ROLES.get(preposition, ":mod")
            part.add_edge(role, wrap_preposition(preposition, role, inner))

    def _advmod(self, number: int, part: GraphPart, one: int) -> None:
        # Negation, time, possibility, questions and causes have roles of their own; other adverbs are manner
        # or degree.
        lemma = self.get_lemma(one)
        if lemma in ("not", "n't"):
            if not self.is_clause(number):
                part.add_edge(":polarity", "-")
        elif lemma == "nowhere":
            part.add_edge(":polarity", "-").add_edge(":location", GraphPart("anywhere"))
        elif self.add_ordinal(part, lemma) or (number in self.degrees and lemma in EXTENTS):
            return
        elif lemma == "never":
            part.add_edge(":time", GraphPart("ever"))
        elif lemma in ("maybe", "perhaps"):
            part.add_edge(":ARG1-of", GraphPart("possible-01"))
        elif lemma == "how":
            verb = self.is_clause(number) and (one != number - 1 or self.is_verb(number))
            part.add_edge(":manner" if verb else ":degree", self.build_part(one))
        elif lemma == "why":
            part.add_edge(":ARG1-of", GraphPart("cause-01").add_edge(":ARG0", self.build_part(one)))
        elif lemma in ("when", "where"):
            if self.asks:
                part.add_edge(":time" if lemma == "when" else ":location", self.build_part(one))
        elif lemma == "however" and one < number:
            return
        elif lemma == "then" and any(self.get_lemma(word) == "if" for word in range(one)):
            # "If …, then …" is the condition alone.
            return
        elif lemma in ("thus", "hence", "therefore", "so") and self.is_clause(number) and one < number:
            part.add_edge(":ARG1-of", GraphPart("cause-01"))
        elif lemma == "far" and [self.get_lemma(word) for word in self.list_children(one)] == ["so"]:
            part.add_edge(":time", GraphPart("so-far"))
        else:
            stem = strip_negation(derive_adjective(lemma), self.frames)
            inner = self.build_part(one)
            if stem != derive_adjective(lemma):
                inner.add_edge(":polarity", "-")
            inner.concept = self.frames.find_frame(stem, "j") or stem
            if inner.concept in self.frames.roles and stem != lemma:
                part.add_edge(":ARG1-of", inner)
            else:
                usual = ":manner" if self.is_verb(number) else ":degree"
                part.add_edge(ADVERB_ROLES.get(lemma, usual if stem != lemma else ":mod"), inner)
            self.add_modifiers(one, inner)

    def _advcl(self, number: int, part: GraphPart, one: int) -> None:
        mark = self.find_marker(one, "mark") or self.find_marker(one, "advmod")
        # "Using the lemma" says by which means something is done.
        if self.words[one].text.lower() == "using" and mark not in CLAUSE_ROLES:
            mark = "by"
        kind = CLAUSE_ROLES.get(mark, "")
        # The subject of the main clause is understood in an adverbial clause that has none.
        inner = self.build_clause(one, self.find_subject(number))
        if kind == "cause":
            part.add_edge(":ARG1-of", GraphPart("cause-01").add_edge(":ARG0", inner))
        elif kind == "effect":
            part.add_edge(":ARG0-of", GraphPart("cause-01").add_edge(":ARG1", inner))
        elif kind == "without":
            part.add_edge(":manner", inner.add_edge(":polarity", "-"))
        elif kind:
            part.add_edge(kind, wrap_preposition(mark, kind, inner))
        elif part.concept in self.frames.roles:
            self.assign_roles(number, part, [(one, inner, "advcl")])
        else:
            part.add_edge(":purpose" if mark == "to" else ":manner", inner)

    def _acl(self, number: int, part: GraphPart, one: int) -> None:
        if self.get_relation(one) == "acl:relcl":
            self.add_relative(part, one)
            return
        tag = self.words[one].tag
        if self.find_marker(one, "mark") == "to":
            if part.concept in self.frames.roles:
                self.assign_roles(number, part, [(one, self.build_embedded(one), "acl")])
            else:
                part.add_edge(ACTIONS.get(part.concept, ":purpose"), self.build_embedded(one))
            return
        if self.find_marker(one, "mark") in ("that", "such"):
            part.add_edge(":ARG1" if part.concept in self.frames.roles else ":topic", self.build_clause(one))
            return
        inner = self.build_clause(one)
        # A passive participle modifies what something is done to, an active one what does it.
        part.add_edge(":ARG1-of" if tag == "VBN" else ":ARG0-of" if tag == "VBG" else ":mod", inner)

    def add_relative(self, part: GraphPart, one: int) -> None:
        """A relative clause: the pronoun's role in it, turned round."""
        pronoun = next(
            (
                word
                for word in self.list_children(one)
                if self.words[word].tag in ("WDT", "WP") or self.get_lemma(word) in ("that", "which")
                if self.base_relation(word) in ("nsubj", "obj", "obl")
            ),
            None,
        )
        # The pronoun stands for the noun itself, so that the clause has an edge to the noun.
        if pronoun is not None:
            self.parts[pronoun] = part
        inner = self.build_clause(one)
        # Without a pronoun, as in "the number we seek", the noun is the object that the clause lacks.
        if pronoun is None:
            role = ":ARG1" if not inner.has_role(":ARG1") else ":ARG2"
            part.add_edge(role + "-of", inner)
            return
        # Turn this edge round, because the noun governs the clause.
        for index, (role, target) in enumerate(inner.edges):
            if target is part:
                del inner.edges[index]
                part.add_edge(role + "-of", inner)
                return
        part.add_edge(":mod", inner)

    def _parataxis(self, _number: int, part: GraphPart, one: int) -> None:
        inner = self.build_clause(one)
        if inner.concept in SPEECH and not inner.has_role(":ARG1"):
            part.add_edge(":ARG1-of", inner)
        else:
            part.add_edge(":mod", inner)

    def _vocative(self, _number: int, part: GraphPart, one: int) -> None:
        part.add_edge(":mod", self.build_nominal(one))


def build_sentence(
    words: Sequence[Word], formulas: dict[int, str], frames: Frames, roles: Roles
) -> GraphPart | None:
    """Return the graph of one sentence.

    Args:
        formulas: The placeholder of each word that is a formula.

    Returns:
        None for a sentence without a word of content.
    """
    return _SentenceRules(words, formulas, frames, roles).build_root()
