"""A sentence as a tree of its words, and the parts of the graph made from it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from engines.language.english import Word
from engines.mathamr.graph.amr import Branch, Graph, Node


class Dependencies:
    """The words of a sentence as a tree. Args: lemmas: one for each word."""

    def __init__(self, words: Sequence[Word], lemmas: Sequence[str]) -> None:
        self.words, self.lemmas = words, lemmas
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
        result = self.below.get(number, [])
        if not relations:
            return result
        return [one for one in result if self.relation(one) in relations or self.base(one) in relations]

    def base(self, number: int) -> str:
        """Its relation without what stands behind the colon."""
        return self.relation(number).partition(":")[0]

    def first(self, number: int, *relations: str) -> int | None:
        result = self.children(number, *relations)
        return result[0] if result else None

    def marker(self, number: int, *relations: str) -> str:
        """The preposition or conjunction that introduces a word, with what is fixed to it: `such as`."""
        result = self.first(number, *(relations or ("case", "mark")))
        return "" if result is None else self.lemma(result)

    def is_verb(self, number: int) -> bool:
        """Whether it is a verb by its tag, or a noun by mistake: one with a subject and no copula."""
        tag = self.words[number].tag
        mistaken = (
            tag in ("NN", "NNS") and self.children(number, "nsubj") and not self.children(number, "cop")
        )
        return tag[:2] in ("VB", "MD") or bool(mistaken)

    def is_clause(self, number: int) -> bool:
        return self.is_verb(number) or bool(self.children(number, "cop", "nsubj"))


def turned(role: str) -> str:
    """The role of the same edge from its other end."""
    return role.removesuffix("-of") if role.endswith("-of") else role + "-of"


@dataclass(slots=True, eq=False)
class Part:
    """A node while the graph is made: the same object in two places is a re-entrancy. Edges are (role, part)
    or (role, constant)."""

    concept: str
    edges: list[tuple[str, Part | str]] = field(default_factory=list)

    def put(self, role: str, target: Part | str | None) -> Part:
        """Hang something on this part, once, from whichever end it is said; nothing, and the part itself, are
        passed over."""
        if isinstance(target, Part) and not target.edges and re.fullmatch(r"\d+(\.\d+)?", target.concept):
            target = target.concept
        same = (
            one is target or (isinstance(one, str) and one == target) for at, one in self.edges if at == role
        )
        said = isinstance(target, Part) and any(
            one is self and at == turned(role) for at, one in target.edges
        )
        if target is not None and target is not self and not said and not any(same):
            self.edges.append((role, target))
        return self

    def reached(self) -> list[Part]:
        result, seen = [self], {id(self)}
        for part in result:
            for _, target in part.edges:
                if isinstance(target, Part) and id(target) not in seen:
                    seen.add(id(target))
                    result.append(target)
        return result

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
