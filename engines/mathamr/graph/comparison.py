"""Comparison of two graphs: the pairing of their nodes under which most triples agree, and its Smatch score.

Cai and Knight (2013), Smatch: an evaluation metric for semantic feature structures. As there, the pairing is
found by climbing from several starts, so that it may miss the best one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Annotated, Any

from engines.core.spec import Arg
from engines.mathamr.graph.amr import Graph, Node, read_graph

__all__ = ["Compare", "compare"]

_STARTS = 20
_FORWARD = {":prep-on-behalf-of", ":prep-out-of", ":consist-of"}
"""Roles that end like inverse ones and are none."""

Triple = tuple[str, str, str, bool]
"""Source, role, target, and whether that is a node; a concept is the target of the role `:instance`."""
Weights = Mapping[tuple[int, int], Mapping[tuple[int, int], int]]
"""What agrees when a node is paired with another: at (-1, -1) by itself, at other pairs with them."""


@dataclass(frozen=True, slots=True)
class Compare:
    """Compare two graphs of the same text, as of two parsers: Smatch, and triple by triple."""

    one: Annotated[str, Arg("A graph, as PENMAN text.")]
    other: Annotated[str, Arg("The graph that it is measured by, as PENMAN text.")]


def compare(spec: Compare) -> dict[str, Any]:
    """`{"precision", "recall", "f1", "matched", "triples": [{"in", "source", "role", "target"}]}`.

    `in` is one, other or both; inverse roles are turned round, nodes are named by their concepts. Raises:
    DataError E329 for a text that is no graph.
    """
    graphs = [read_graph(spec.one), read_graph(spec.other)]
    triples = [_triples(graph) for graph in graphs]
    names = [list(graph.by_variable()) for graph in graphs]
    pairing = _best(names, triples)
    left = Counter(map(_alike, triples[1]))
    concepts = [{name: node.concept for name, node in graph.by_variable().items()} for graph in graphs]
    rows, matched = [], 0
    for triple in triples[0]:
        found = _placed(triple, pairing)
        both = found is not None and left[found] > 0
        if found is not None:
            left[found] -= both
        matched += both
        rows.append(_row("both" if both else "one", triple, concepts[0]))
    for triple in triples[1]:
        if left[_alike(triple)] > 0:
            left[_alike(triple)] -= 1
            rows.append(_row("other", triple, concepts[1]))
    precision, recall = matched / len(triples[0]), matched / len(triples[1])
    f1 = 2 * precision * recall / (precision + recall) if matched else 0.0
    return {"precision": precision, "recall": recall, "f1": f1, "matched": matched, "triples": rows}


def _row(where: str, triple: Triple, concepts: Mapping[str, str]) -> dict[str, str]:
    source, role, target, is_node = triple
    return {
        "in": where,
        "source": concepts[source],
        "role": role,
        "target": concepts[target] if is_node else target,
    }


def _triples(graph: Graph) -> list[Triple]:
    """The triples, roles in small letters; the root has the attribute `:top`."""
    known = graph.by_variable()
    found: list[Triple] = [(graph.root.variable, ":top", "top", False)]
    for node in graph.nodes():
        found.append((node.variable, ":instance", node.concept, False))
        for branch in node.branches:
            target = branch.target.variable if isinstance(branch.target, Node) else branch.target
            role = branch.role.lower()
            if target not in known:
                found.append((node.variable, role, target, False))
            elif role == ":mod":
                found.append((target, ":domain", node.variable, True))
            elif role.endswith("-of") and role not in _FORWARD:
                found.append((target, role.removesuffix("-of"), node.variable, True))
            else:
                found.append((node.variable, role, target, True))
    return found


def _alike(triple: Triple) -> Triple:
    """A triple as it is compared: small and capital letters are the same."""
    source, role, target, is_node = triple
    return source, role, target if is_node else target.lower(), is_node


def _placed(triple: Triple, pairing: Mapping[str, str]) -> Triple | None:
    """A triple as it stands in the other graph; None where a node has no partner."""
    source, role, target, is_node = _alike(triple)
    if source not in pairing or (is_node and target not in pairing):
        return None
    return pairing[source], role, pairing[target] if is_node else target, is_node


def _best(names: Sequence[Sequence[str]], triples: Sequence[Sequence[Triple]]) -> dict[str, str]:
    """The pairing with the highest count of all climbs."""
    weights = _weights(names, triples)
    random, best, most = Random(0), [-1] * len(names[0]), -1
    for start in range(_STARTS):
        pairing = _start(weights, len(names[0]), random if start else None)
        _climb(pairing, weights)
        count = sum(_gain(pair, pairing, weights) + _alone(pair, weights) for pair in enumerate(pairing)) // 2
        if count > most:
            best, most = pairing, count
    return {names[0][place]: names[1][partner] for place, partner in enumerate(best) if partner >= 0}


def _weights(names: Sequence[Sequence[str]], triples: Sequence[Sequence[Triple]]) -> Weights:
    number = [{name: place for place, name in enumerate(found)} for found in names]
    by_kind: dict[tuple[str, str, bool], list[Triple]] = {}
    for triple in triples[1]:
        by_kind.setdefault((triple[1], "" if triple[3] else triple[2].lower(), triple[3]), []).append(triple)
    found: dict[tuple[int, int], dict[tuple[int, int], int]] = {}
    for source, role, target, is_node in triples[0]:
        for other in by_kind.get((role, "" if is_node else target.lower(), is_node), ()):
            pair = number[0][source], number[1][other[0]]
            with_it = (number[0][target], number[1][other[2]]) if is_node else (-1, -1)
            if with_it == pair:
                with_it = (-1, -1)
            elif is_node and (with_it[0] == pair[0] or with_it[1] == pair[1]):
                continue
            for one, two in ((pair, with_it), (with_it, pair)):
                if one != (-1, -1):
                    found.setdefault(one, {}).setdefault(two, 0)
                    found[one][two] += 1
    return found


def _start(weights: Weights, size: int, random: Random | None) -> list[int]:
    """A pairing to start from: nodes that agree by themselves first, or any that could agree."""
    pairs = [pair for pair in weights if random is not None or (-1, -1) in weights[pair]]
    if random is not None:
        random.shuffle(pairs)
    else:
        pairs.sort(key=lambda pair: (-weights[pair][-1, -1], pair))
    pairing, taken = [-1] * size, set[int]()
    for place, partner in pairs:
        if pairing[place] < 0 and partner not in taken:
            pairing[place] = partner
            taken.add(partner)
    return pairing


def _alone(pair: tuple[int, int], weights: Weights) -> int:
    return weights.get(pair, {}).get((-1, -1), 0)


def _gain(pair: tuple[int, int], pairing: Sequence[int], weights: Weights) -> int:
    """What agrees by a pair, by itself and together with the others."""
    joint = (
        count
        for (place, partner), count in weights.get(pair, {}).items()
        if place >= 0 and pairing[place] == partner
    )
    return _alone(pair, weights) + sum(joint)


def _climb(pairing: list[int], weights: Weights) -> None:
    """Give a node another partner, whose own one takes over the old one, as long as that gains something."""
    candidates: dict[int, list[int]] = {}
    for place, partner in sorted(weights):
        candidates.setdefault(place, []).append(partner)
    while True:
        best, change = 0, (-1, -1)
        for place, partners in candidates.items():
            for partner in partners:
                if partner != pairing[place] and (gained := _try(place, partner, pairing, weights)) > best:
                    best, change = gained, (place, partner)
        if not best:
            return
        _exchange(*change, pairing)


def _exchange(place: int, partner: int, pairing: list[int]) -> None:
    if partner in pairing:
        pairing[pairing.index(partner)] = pairing[place]
    pairing[place] = partner


def _try(place: int, partner: int, pairing: list[int], weights: Weights) -> int:
    """What an exchange gains; the pairing is as before."""
    second = pairing.index(partner) if partner in pairing else -1
    old = pairing[place]

    def count() -> int:
        first = (place, pairing[place])
        if second < 0:
            return _gain(first, pairing, weights)
        other = (second, pairing[second])
        shared = weights.get(first, {}).get(other, 0)
        return _gain(first, pairing, weights) + _gain(other, pairing, weights) - shared

    before = count()
    _exchange(place, partner, pairing)
    after = count()
    pairing[place] = old
    if second >= 0:
        pairing[second] = partner
    return after - before
