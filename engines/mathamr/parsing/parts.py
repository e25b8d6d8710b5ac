"""A dependency parse with its common mistakes corrected, and the parts of the graph made from it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from engines.language.english import Word
from engines.mathamr.graph.amr import Branch, Graph, Node

_QUANTIFIERS = ("all", "each", "every", "any", "some")
_LOOSE = ("dep", "appos", "compound", "flat", "nmod", "list")
"""Relations by which a noun hangs on its own quantifier."""


def corrected(words: Sequence[Word]) -> list[Word]:
    """The words of a sentence, of which some hang elsewhere.

    "Using" below a noun belongs to the verb above it; "that" before "for all …" is no object; a quantifier
    hangs on its noun or formula, and not the other way.
    """
    found = [_using(words, word) for word in words]
    found = [_that(found, number) for number in range(len(found))]
    for number, word in enumerate(found):
        noun = _quantified(found, number)
        if noun is None:
            continue
        head = noun if word.head == number else word.head
        found = [replace(one, head=noun) if one.head == number else one for one in found]
        found[noun] = replace(found[noun], head=head, relation=word.relation)
        found[number] = replace(word, head=noun, relation="det")
    return found


def _using(words: Sequence[Word], word: Word) -> Word:
    if word.text.lower() != "using" or word.relation != "acl":
        return word
    above = word.head
    while words[above].head != above:
        above = words[above].head
        if words[above].tag[:2] == "VB":
            return replace(word, relation="advcl", head=above)
    return word


def _that(words: Sequence[Word], number: int) -> Word:
    word = words[number]
    if word.text.lower() != "that" or word.relation not in ("obj", "obl", "punct", "dep"):
        return word
    after = [one.text.lower() for one in words[number + 1 : number + 3]]
    follows = word.tag == "IN" or after[:1] == ["for"] or after == [",", "for"]
    return replace(word, relation="mark") if follows else word


def _quantified(words: Sequence[Word], number: int) -> int | None:
    """The noun or formula that hangs on its quantifier, close behind it and with nothing between."""
    if words[number].text.lower() not in _QUANTIFIERS:
        return None
    for place in range(number + 1, min(number + 4, len(words))):
        if words[place].head == number and words[place].relation in _LOOSE:
            before = (one for one in words[:place] if one.head == place)
            return None if any(one.relation in ("case", "punct") for one in before) else place
    return None


class Dependencies:
    """The words of a sentence as a tree. Args: lemmas: one for each word."""

    def __init__(self, words: Sequence[Word], lemmas: Sequence[str]) -> None:
        self.words, self.lemmas = corrected(words), lemmas
        self.below: dict[int, list[int]] = {}
        for number, word in enumerate(self.words):
            if word.head != number:
                self.below.setdefault(word.head, []).append(number)

    def relation(self, number: int) -> str:
        return self.words[number].relation

    def lemma(self, number: int) -> str:
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
        return self.is_verb(number) or bool(self.children(number, "cop", "nsubj"))


@dataclass(slots=True, eq=False)
class Part:
    """A node while the graph is made: the same object in two places is a re-entrancy. Edges are (role, part)
    or (role, constant)."""

    concept: str
    edges: list[tuple[str, Part | str]] = field(default_factory=list)

    def put(self, role: str, target: Part | str | None) -> Part:
        """Hang something on this part, once; nothing, and the part itself, are passed over."""
        if isinstance(target, Part) and not target.edges and re.fullmatch(r"\d+(\.\d+)?", target.concept):
            target = target.concept
        same = (
            one is target or (isinstance(one, str) and one == target) for at, one in self.edges if at == role
        )
        if target is not None and target is not self and not any(same):
            self.edges.append((role, target))
        return self

    def reached(self) -> list[Part]:
        found, seen = [self], {id(self)}
        for part in found:
            for _, target in part.edges:
                if isinstance(target, Part) and id(target) not in seen:
                    seen.add(id(target))
                    found.append(target)
        return found

    def has(self, role: str) -> bool:
        return any(one == role for one, _ in self.edges)


def written(root: Part) -> Graph:
    """The graph of a part and what hangs on it, with variables by first letters."""
    names: dict[int, str] = {}
    counts: dict[str, int] = {}

    def node(part: Part) -> Node:
        letter = part.concept[:1].lower()
        letter = letter if letter.isascii() and letter.isalpha() else "x"
        counts[letter] = counts.get(letter, 0) + 1
        names[id(part)] = letter + (str(counts[letter]) if counts[letter] > 1 else "")
        return Node(names[id(part)], re.sub(r"[^\w'-]", "", part.concept) or "symbol", [])

    made = node(root)
    pending = [(root, made, iter(root.edges))]
    while pending:
        _, above, edges = pending[-1]
        edge = next(edges, None)
        if edge is None:
            pending.pop()
            continue
        role, target = edge
        if isinstance(target, str):
            above.branches.append(Branch(role, target))
        elif id(target) in names:
            above.branches.append(Branch(role, names[id(target)]))
        else:
            inner = node(target)
            above.branches.append(Branch(role, inner))
            pending.append((target, inner, iter(target.edges)))
    return Graph(made)


def joined(concept: str, parts: Iterable[Part]) -> Part:
    top = Part(concept)
    for number, part in enumerate(parts, start=1):
        top.put(f":op{number}", part)
    return top
