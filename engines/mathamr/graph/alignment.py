"""The pairing of two graphs' nodes under which most triples agree: by climbing, as Smatch does, or exactly.

Exactly (Opitz 2023, Smatch++): an integer programme over the pairs of nodes that could agree. Its solver says
whether what it found is proved to be the best.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

__all__ = ["Triple", "climbed", "exact"]

_STARTS = 20
_SECONDS = 20.0
"""So long the exact search may take for two graphs."""

Triple = tuple[str, str, str, bool]
"""Source, role, target, and whether that is a node; a concept is the target of the role `:instance`."""
Weights = Mapping[tuple[int, int], Mapping[tuple[int, int], int]]
"""What agrees when a node is paired with another: at (-1, -1) by itself, at other pairs with them."""


def climbed(names: Sequence[Sequence[str]], triples: Sequence[Sequence[Triple]]) -> dict[str, str]:
    """The pairing with the highest count of all climbs, from the one graph's variables to the other's."""
    weights = _weights(names, triples)
    random, best, most = Random(0), [-1] * len(names[0]), -1
    for start in range(_STARTS):
        pairing = _start(weights, len(names[0]), random if start else None)
        _climb(pairing, weights)
        count = _total(pairing, weights)
        if count > most:
            best, most = pairing, count
    return {names[0][place]: names[1][partner] for place, partner in enumerate(best) if partner >= 0}


def exact(names: Sequence[Sequence[str]], triples: Sequence[Sequence[Triple]]) -> tuple[dict[str, str], bool]:
    """The best pairing, and whether it is proved to be; where time ends, at least as good as `climbed`.

    Each pair of nodes that could agree is chosen or not, a node at most once; what two pairs give together
    counts if both are chosen.
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
        options={"time_limit": _SECONDS},
    )
    climb = climbed(names, triples)
    if found.x is None:
        return climb, False
    chosen = [pair for pair in pairs if found.x[number[pair]] > 0.5]
    best = {names[0][one]: names[1][two] for one, two in chosen}
    if found.status == 0 or _count(best, names, weights) >= _count(climb, names, weights):
        return best, found.status == 0
    return climb, False


def _count(pairing: Mapping[str, str], names: Sequence[Sequence[str]], weights: Weights) -> int:
    places = [names[1].index(pairing[name]) if name in pairing else -1 for name in names[0]]
    return _total(places, weights)


def _total(pairing: Sequence[int], weights: Weights) -> int:
    """How many triples agree."""
    return sum(_gain(pair, pairing, weights) + _alone(pair, weights) for pair in enumerate(pairing)) // 2


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
