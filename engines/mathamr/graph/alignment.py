"""The pairing of two graphs' nodes under which most triples agree.

It is found by an integer programme over the pairs of nodes that could agree (Opitz 2023, Smatch++), whose
solver says whether it is proved to be the best; where time ends before, also by climbing, as Smatch does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random

__all__ = ["Triple", "alike", "paired"]

_STARTS = 20
_SECONDS = 20.0
"""So long the integer programme may take for two graphs."""

Triple = tuple[str, str, str, bool]
"""Source, role, target, and whether that is a node; a concept is the target of the role `:instance`."""
Weights = Mapping[tuple[int, int], Mapping[tuple[int, int], int]]
"""What agrees when a node is paired with another: at (-1, -1) by itself, at other pairs with them."""


def paired(
    names: Sequence[Sequence[str]], triples: Sequence[Sequence[Triple]], seconds: float = _SECONDS
) -> tuple[dict[str, str], bool]:
    """The best pairing, from the one graph's variables to the other's, and whether it is proved to be.

    Each pair of nodes that could agree is chosen or not, a node at most once; what two pairs give together
    counts if both are chosen. Where time ends, it is the better one of what was found and of a climb.
    """
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    weights = _weights(names, triples)
    pairs = sorted(weights)
    if not pairs:
        return {}, True
    number = {pair: place for place, pair in enumerate(pairs)}
    joint = [(one, two) for one in pairs for two in weights[one] if two != (-1, -1) and one < two]
    gains = [_alone(pair, weights) for pair in pairs] + [weights[one][two] for one, two in joint]
    rows: list[tuple[int, int, int]] = []
    limits: list[int] = []
    for side in (0, 1):
        for node in sorted({pair[side] for pair in pairs}):
            rows += [(len(limits), number[pair], 1) for pair in pairs if pair[side] == node]
            limits.append(1)
    for place, both in enumerate(joint, start=len(pairs)):
        for pair in both:
            rows += [(len(limits), place, 1), (len(limits), number[pair], -1)]
            limits.append(0)
    line, column, value = zip(*rows, strict=True)
    shape = (len(limits), len(gains))
    found = milp(
        -np.array(gains, float),
        integrality=np.arange(len(gains)) < len(pairs),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(coo_array((value, (line, column)), shape=shape).tocsc(), ub=limits),
        options={"time_limit": seconds},
    )
    best = [-1] * len(names[0])
    if found.x is not None:
        for place, partner in pairs:
            if found.x[number[place, partner]] > 0.5:
                best[place] = partner
    if found.status != 0:
        best = max(best, _climbed(len(names[0]), weights), key=lambda one: _total(one, weights))
    partners = {names[0][place]: names[1][partner] for place, partner in enumerate(best) if partner >= 0}
    return partners, bool(found.status == 0)


def _climbed(size: int, weights: Weights) -> list[int]:
    """The pairing with the highest count of all climbs."""
    random = Random(0)
    tried = [_start(weights, size, random if start else None) for start in range(_STARTS)]
    for pairing in tried:
        _climb(pairing, weights)
    return max(tried, key=lambda one: _total(one, weights))


def alike(triple: Triple) -> Triple:
    """A triple as it is compared: small and capital letters are the same."""
    source, role, target, is_node = triple
    return source, role, target if is_node else target.lower(), is_node


def _total(pairing: Sequence[int], weights: Weights) -> int:
    """How many triples agree."""
    return sum(_gain(pair, pairing, weights) + _alone(pair, weights) for pair in enumerate(pairing)) // 2


def _weights(names: Sequence[Sequence[str]], triples: Sequence[Sequence[Triple]]) -> Weights:
    number = [{name: place for place, name in enumerate(found)} for found in names]
    own, others = (Counter(map(alike, written)) for written in triples)
    by_kind: dict[tuple[str, str, bool], list[Triple]] = {}
    for triple in others:
        by_kind.setdefault((triple[1], "" if triple[3] else triple[2], triple[3]), []).append(triple)
    found: dict[tuple[int, int], dict[tuple[int, int], int]] = {}
    for (source, role, target, is_node), times in own.items():
        for other in by_kind.get((role, "" if is_node else target, is_node), ()):
            pair = number[0][source], number[1][other[0]]
            with_it = (number[0][target], number[1][other[2]]) if is_node else (-1, -1)
            if with_it == pair:
                with_it = (-1, -1)
            elif is_node and (with_it[0] == pair[0] or with_it[1] == pair[1]):
                continue
            for one, two in ((pair, with_it), (with_it, pair)):
                if one != (-1, -1):
                    found.setdefault(one, {}).setdefault(two, 0)
                    found[one][two] += min(times, others[other])
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
