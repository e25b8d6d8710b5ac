"""Triples of an AMR in one form, so that graphs that say the same do not differ (Opitz 2023, Smatch++).

Many edges may be nodes of their own: `(a :location b)` is `(l / be-located-at-91 :ARG1 a :ARG2 b)`. Which
stand for which is the AMR guidelines' table, as the penman library has it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from engines.mathamr.graph.alignment import Triple

__all__ = ["standardised"]


def standardised(triples: Sequence[Triple], edges: Literal["dereified", "reified"]) -> list[Triple]:
    """Triples whose inverse roles are turned round and whose roles are small, in the standard form.

    The root is known by its concept, a triple stands once, and nodes that can be edges are edges, or edges
    that can be nodes are nodes. A node becomes an edge only if nothing else hangs on it, nothing refers to
    it, and it is not the root.
    """
    small = [
        (source, role, target if is_node else target.lower(), is_node)
        for source, role, target, is_node in triples
    ]
    concepts = {source: target for source, role, target, _ in small if role == ":instance"}
    rooted = [
        (source, ":root", concepts[source], False) if role == ":top" else (source, role, target, is_node)
        for source, role, target, is_node in small
    ]
    single = list(dict.fromkeys(rooted))
    made = _dereified(single, concepts) if edges == "dereified" else _reified(single)
    return list(dict.fromkeys(made))


def _dereified(triples: Sequence[Triple], concepts: dict[str, str]) -> list[Triple]:
    from penman.models.amr import model

    own: dict[str, dict[str, Triple]] = {}
    sizes = Counter(source for source, role, _, _ in triples if role != ":instance")
    referred = {target for _, _, target, is_node in triples if is_node}
    for triple in triples:
        own.setdefault(triple[0], {})[triple[1]] = triple
    edge: dict[str, Triple] = {}
    for name, concept in concepts.items():
        if name in referred or sizes[name] != 2:
            continue
        for role, of_source, of_target in model.dereifications.get(concept, ()):
            source, target = own[name].get(of_source.lower()), own[name].get(of_target.lower())
            if source is not None and target is not None and source[3]:
                edge[name] = _turned((source[2], role, target[2], target[3]))
                break
    found = [triple for triple in triples if triple[0] not in edge]
    return found + list(edge.values())


def _reified(triples: Sequence[Triple]) -> list[Triple]:
    from penman.models.amr import model

    found: list[Triple] = []
    for number, triple in enumerate(triples):
        source, role, target, is_node = _turned(triple) if triple[1] == ":domain" else triple
        if role not in model.reifications:
            found.append(triple)
            continue
        concept, of_source, of_target = model.reifications[role][0]
        name = f"reified {number}"
        found += [
            (name, ":instance", concept, False),
            (name, of_source.lower(), source, True),
            (name, of_target.lower(), target, is_node),
        ]
    return found


def _turned(triple: Triple) -> Triple:
    """`:mod` between nodes is `:domain` turned round, and the other way round; others stay."""
    source, role, target, is_node = triple
    other = {":mod": ":domain", ":domain": ":mod"}.get(role)
    return (target, other, source, True) if other and is_node else triple
