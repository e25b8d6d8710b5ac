"""Words of a sentence beside the nodes of its graph, and what the graph says of the roles of dependents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engines.language.english import Word
from engines.mathamr.graph.amr import Graph, Node
from engines.mathamr.parsing.frames import frames
from engines.mathamr.parsing.roles import MODIFIERS

__all__ = ["aligned", "arguments"]

_NAMES = {role: name for name, role in reversed(list(MODIFIERS.items()))}
"""PropBank's name of each role that is a modifier; the first where several have one role."""


def aligned(words: Sequence[Word], graph: Graph) -> dict[str, int]:
    """The word of each variable, by its concept: a frame that the word can stand for, or its lemma.

    Only where there is one such word, and no other node that it could be.
    """
    known = frames().words
    lemmas = [word.lemma.lower() for word in words]
    can_be = [
        {lemma, *(one for kind in "vnj" for one in known.get(f"{lemma}/{kind}", ()))} for lemma in lemmas
    ]
    concepts = {name: node.concept for name, node in graph.by_variable().items()}
    found: dict[str, int] = {}
    for name, concept in concepts.items():
        places = [number for number, own in enumerate(can_be) if concept in own]
        others = [one for one in concepts.values() if places and one in can_be[places[0]]]
        if len(places) == 1 and len(others) == 1:
            found[name] = places[0]
    return found


def arguments(graph: Graph) -> Iterator[tuple[str, str, str]]:
    """(variable of a frame, PropBank's name of a role, variable of what has the role): inverse roles turned
    round, numbered roles as 0, 1, …, modifiers as LOC, TMP, …"""
    known = graph.by_variable()
    for node in graph.nodes():
        for branch in node.branches:
            target = branch.target.variable if isinstance(branch.target, Node) else branch.target
            role = branch.role.lower()
            if target not in known:
                continue
            source, other = node.variable, target
            if role.startswith(":arg") and role.endswith("-of"):
                source, other, role = target, node.variable, role.removesuffix("-of")
            if role.startswith(":arg") and role[4:].isdigit():
                yield source, role[4:], other
            elif role in _NAMES:
                yield source, _NAMES[role], other
