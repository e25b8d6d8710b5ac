"""Parts of a graph that is being made: nodes as objects, so that the same one in two places is a
re-entrancy."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from engines.mathamr.graph.amr import Branch, Graph, Node

__all__ = ["Part", "joined", "written"]


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
        """This part and all that hang on it."""
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
    """Parts as the operands of a coordination."""
    top = Part(concept)
    for number, part in enumerate(parts, start=1):
        top.put(f":op{number}", part)
    return top
