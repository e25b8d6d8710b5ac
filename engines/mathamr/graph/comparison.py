"""Comparison of two graphs, triple by triple: Smatch (Cai and Knight 2013) under the best pairing of nodes.

The pairing is found by an integer programme (Opitz 2023, Smatch++), whose solver says whether it is proved to
be the best; where time ends before, also by climbing, as Smatch does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import Annotated, Any, Literal

from engines.core.errors import DataError
from engines.core.events import Sink, ignore, warn
from engines.core.spec import Arg, specification
from engines.mathamr.graph.amr import Graph, read_graph

# Climbing ends at the nearest peak, so it is begun at several places.
_STARTS = 20
_SECONDS = 20.0
"""So long the integer programme may take for two graphs."""

Triple = tuple[str, str, str, bool]
"""Source, role, target, and whether that is a node; a concept is the target of the role `:instance`."""
Agreements = Mapping[tuple[int, int], Mapping[tuple[int, int], int]]
"""What agrees when a node is paired with another: at (-1, -1) by itself, at other pairs with them."""


def pair_nodes(
    names: Sequence[Sequence[str]], triples: Sequence[Sequence[Triple]], seconds: float = _SECONDS
) -> tuple[dict[str, str], bool]:
    """Return the best pairing, from the one graph's variables to the other's, and whether it is proved to be.

    Each pair of nodes that could agree is chosen or not, a node at most once; what two pairs give together
    counts if both are chosen. Where time ends, it is the better one of what was found and of a climb.
    """
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    weights = _count_agreements(names, triples)
    pairs = sorted(weights)
    if not pairs:
        return {}, True
    # One binary variable for each pair of nodes that could agree, and one for each two pairs that gain
    # together.
    number = {pair: index for index, pair in enumerate(pairs)}
    joint = [(one, two) for one in pairs for two in weights[one] if two != (-1, -1) and one < two]
    gains = [_own_gain(pair, weights) for pair in pairs] + [weights[one][two] for one, two in joint]
    rows: list[tuple[int, int, int]] = []
    limits: list[int] = []
    # A node is in at most one chosen pair.
    for side in (0, 1):
        for node in sorted({pair[side] for pair in pairs}):
            rows += [(len(limits), number[pair], 1) for pair in pairs if pair[side] == node]
            limits.append(1)
    # A joint gain needs both of its pairs: x_joint <= x_pair.
    for index, needed_pairs in enumerate(joint, start=len(pairs)):
        for pair in needed_pairs:
            rows += [(len(limits), index, 1), (len(limits), number[pair], -1)]
            limits.append(0)
    line, column, value = zip(*rows, strict=True)
    shape = (len(limits), len(gains))
    # milp minimises, so gains are negative; only the pairs need to be integers, the joint variables follow.
    result = milp(
        -np.array(gains, float),
        integrality=np.arange(len(gains)) < len(pairs),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(coo_array((value, (line, column)), shape=shape).tocsc(), ub=limits),
        options={"time_limit": seconds},
    )
    best = [-1] * len(names[0])
    if result.x is not None:
        for index, partner in pairs:
            # The solver's integers are exact only up to its tolerance.
            if result.x[number[index, partner]] > 0.5:
                best[index] = partner
    # Without a proof, climb from several starts and keep the best pairing of all.
    if result.status != 0:
        random = Random(0)
        tried = [_draw_pairing(weights, len(names[0]), random if start else None) for start in range(_STARTS)]
        for pairing in tried:
            _climb_to_peak(pairing, weights)
        best = max(best, *tried, key=lambda one: _total_gain(one, weights))
    partners = {names[0][index]: names[1][partner] for index, partner in enumerate(best) if partner >= 0}
    return partners, bool(result.status == 0)


def fold_case(triple: Triple) -> Triple:
    """Return a triple as it is compared: small and capital letters are the same."""
    source, role, target, is_node = triple
    return source, role, target if is_node else target.lower(), is_node


def _total_gain(pairing: Sequence[int], weights: Agreements) -> int:
    return (
        sum(_joint_gain(pair, pairing, weights) + _own_gain(pair, weights) for pair in enumerate(pairing))
        // 2
    )


def _count_agreements(names: Sequence[Sequence[str]], triples: Sequence[Sequence[Triple]]) -> Agreements:
    number = [{name: index for index, name in enumerate(variable)} for variable in names]
    # Equal triples are counted, so that each can be matched only as often as both graphs have it.
    own, others = (Counter(map(fold_case, written)) for written in triples)
    by_kind: dict[tuple[str, str, bool], list[Triple]] = {}
    for triple in others:
        # What two triples must have in common to match: the role, and the target unless it is a node.
        by_kind.setdefault((triple[1], "" if triple[3] else triple[2], triple[3]), []).append(triple)
    agreements: dict[tuple[int, int], dict[tuple[int, int], int]] = {}
    for (source, role, target, is_node), times in own.items():
        for candidate in by_kind.get((role, "" if is_node else target, is_node), ()):
            pair = number[0][source], number[1][candidate[0]]
            with_it = (number[0][target], number[1][candidate[2]]) if is_node else (-1, -1)
            # A relation of a node to itself counts for the pair alone, as an attribute does.
            if with_it == pair:
                with_it = (-1, -1)
            # Two pairs that share a node cannot both be chosen.
            elif is_node and (with_it[0] == pair[0] or with_it[1] == pair[1]):
                continue
            # What the two pairs gain together is stored for both of them; (-1, -1) stands for none.
            for one, two in ((pair, with_it), (with_it, pair)):
                if one != (-1, -1):
                    agreements.setdefault(one, {}).setdefault(two, 0)
                    agreements[one][two] += min(times, others[candidate])
    return agreements


def _draw_pairing(weights: Agreements, size: int, random: Random | None) -> list[int]:
    """Return a pairing to start from: nodes that agree by themselves first, or any that could agree."""
    pairs = [pair for pair in weights if random is not None or (-1, -1) in weights[pair]]
    if random is not None:
        random.shuffle(pairs)
    else:
        pairs.sort(key=lambda pair: (-weights[pair][-1, -1], pair))
    pairing, taken = [-1] * size, set[int]()
    # Greedy: take each pair whose nodes are both still free.
    for node, partner in pairs:
        if pairing[node] < 0 and partner not in taken:
            pairing[node] = partner
            taken.add(partner)
    return pairing


def _own_gain(pair: tuple[int, int], weights: Agreements) -> int:
    return weights.get(pair, {}).get((-1, -1), 0)


def _joint_gain(pair: tuple[int, int], pairing: Sequence[int], weights: Agreements) -> int:
    pairs = weights.get(pair, {}).items()
    joint = sum(n for (node, partner), n in pairs if node >= 0 and pairing[node] == partner)
    return _own_gain(pair, weights) + joint


def _climb_to_peak(pairing: list[int], weights: Agreements) -> None:
    """Give a node another partner, whose own one takes over the old one, as long as that gains something."""
    candidates: dict[int, list[int]] = {}
    for node, partner in sorted(weights):
        candidates.setdefault(node, []).append(partner)
    # Steepest ascent: make the best of all exchanges, until none gains anything.
    while True:
        best, change = 0, (-1, -1)
        for node, partners in candidates.items():
            for partner in partners:
                if (
                    partner != pairing[node]
                    and (gained := _measure_exchange(node, partner, pairing, weights)) > best
                ):
                    best, change = gained, (node, partner)
        if not best:
            return
        _exchange_partners(*change, pairing)


def _exchange_partners(index: int, partner: int, pairing: list[int]) -> None:
    if partner in pairing:
        pairing[pairing.index(partner)] = pairing[index]
    pairing[index] = partner


def _measure_exchange(index: int, partner: int, pairing: list[int], weights: Agreements) -> int:
    """Return what an exchange gains; the pairing is as before."""
    second = pairing.index(partner) if partner in pairing else -1
    old = pairing[index]

    def count_gain() -> int:
        first = (index, pairing[index])
        if second < 0:
            return _joint_gain(first, pairing, weights)
        other = (second, pairing[second])
        # What the two pairs gain together is in both sums, so it is taken off once.
        shared = weights.get(first, {}).get(other, 0)
        return _joint_gain(first, pairing, weights) + _joint_gain(other, pairing, weights) - shared

    before = count_gain()
    _exchange_partners(index, partner, pairing)
    after = count_gain()
    # Undo the exchange; without a second partner there is only one node to restore.
    pairing[index] = old
    if second >= 0:
        pairing[second] = partner
    return after - before


def standardize_triples(triples: Sequence[Triple], edges: Literal["dereified", "reified"]) -> list[Triple]:
    """Return triples with inverse roles turned round and roles in lower case, in a standard form.

    Many edges may be nodes of their own: `(a :location b)` is `(l / be-located-at-91 :ARG1 a :ARG2 b)`; which
    is the AMR guidelines' table, as the penman library has it. The root is known by its concept, a triple
    stands once, and nodes that can be edges are edges, or edges that can be nodes are nodes. A node becomes
    an edge only if nothing else hangs on it, nothing refers to it, and it is not the root.
    """
    # Compare without case: released graphs are lower-cased.
    small = [fold_case(triple) for triple in triples]
    concepts = {source: target for source, role, target, _ in small if role == ":instance"}
    rooted = [
        (source, ":root", concepts[source], False) if role == ":top" else (source, role, target, is_node)
        for source, role, target, is_node in small
    ]
    single = list(dict.fromkeys(rooted))
    made = _dereify_nodes(single, concepts) if edges == "dereified" else _reify_edges(single)
    return list(dict.fromkeys(made))


def _dereify_nodes(triples: Sequence[Triple], concepts: dict[str, str]) -> list[Triple]:
    from penman.models.amr import model

    own: dict[str, dict[str, Triple]] = {}
    sizes = Counter(source for source, role, _, _ in triples if role != ":instance")
    referred = {target for _, _, target, is_node in triples if is_node}
    for triple in triples:
        own.setdefault(triple[0], {})[triple[1]] = triple
    edge: dict[str, Triple] = {}
    for name, concept in concepts.items():
        # A node that something else refers to, or that has further edges, cannot become an edge.
        if name in referred or sizes[name] != 2:
            continue
        for role, of_source, of_target in model.dereifications.get(concept, ()):
            source, target = own[name].get(of_source.lower()), own[name].get(of_target.lower())
            if source is not None and target is not None and source[3]:
                edge[name] = _invert_domain((source[2], role, target[2], target[3]))
                break
    results = [triple for triple in triples if triple[0] not in edge]
    return results + list(edge.values())


def _reify_edges(triples: Sequence[Triple]) -> list[Triple]:
    from penman.models.amr import model

    result: list[Triple] = []
    for number, triple in enumerate(triples):
        source, role, target, is_node = _invert_domain(triple) if triple[1] == ":domain" else triple
        if role not in model.reifications:
            result.append(triple)
            continue
        concept, of_source, of_target = model.reifications[role][0]
        name = f"reified {number}"
        result += [
            (name, ":instance", concept, False),
            (name, of_source.lower(), source, True),
            (name, of_target.lower(), target, is_node),
        ]
    return result


def _invert_domain(triple: Triple) -> Triple:
    """`:mod` between nodes is `:domain` turned round, and the other way round; others stay."""
    source, role, target, is_node = triple
    inverse = {":mod": ":domain", ":domain": ":mod"}.get(role)
    return (target, inverse, source, True) if inverse and is_node else triple


_FORWARD = {":prep-on-behalf-of", ":prep-out-of", ":consist-of"}
"""Roles that end like inverse ones and are none."""


@specification
class CompareGraphs:
    """Compare two graphs of the same text, such as two parsers', by Smatch and triple by triple.

    With --edges dereified or reified both graphs are standardised first, as for Smatch++. Nodes are paired
    for the highest score; if that cannot be proved within 20 seconds, the score is a lower bound.
    """

    one: Annotated[str, Arg("A graph, as PENMAN text.")]
    other: Annotated[str, Arg("The reference graph, as PENMAN text.")]
    edges: Annotated[
        Literal["written", "dereified", "reified"],
        Arg(
            "Leave relations as written, or turn all that can be either into edges (dereified) or into "
            "nodes (reified)."
        ),
    ] = "written"


def compare_graphs(spec: CompareGraphs, *, events: Sink = ignore) -> dict[str, Any]:
    """Compare two graphs by Smatch (Cai and Knight 2013): precision, recall and F1 of their triples.

    Returns:
        `{"precision", "recall", "f1", "matched", "optimal", "triples": [{"in", "source", "role",
            "target"}]}`. `in` is one, other or both; inverse roles are turned round, and nodes are named by
            their concepts. `optimal` says whether no other pairing of nodes is better; if that is not proved,
            the scores are lower bounds.

    Events:
        Warnings of what a graph hardly means.

    Raises:
        DataError: E329 for a text that is no graph.
    """
    graphs = [_read_named_graph(spec.one, "first"), _read_named_graph(spec.other, "second")]
    for warning in (warning for graph in graphs for warning in graph.list_warnings()):
        warn(events, warning)
    triples = [list_triples(graph) for graph in graphs]
    if spec.edges != "written":
        triples = [standardize_triples(own_triples, spec.edges) for own_triples in triples]
    names = [
        list(dict.fromkeys(source for source, role, _, _ in own if role == ":instance")) for own in triples
    ]
    pairing, optimal = pair_nodes(names, triples)
    # A triple of the second graph can be matched once.
    unmatched = Counter(map(fold_case, triples[1]))
    concepts = [{source: target for source, role, target, _ in own if role == ":instance"} for own in triples]
    rows, matched = [], 0
    for triple in triples[0]:
        source, role, target, is_node = fold_case(triple)
        is_matched = False
        # A triple matches only if all of its nodes are paired.
        if source in pairing and (not is_node or target in pairing):
            renamed = pairing[source], role, pairing[target] if is_node else target, is_node
            is_matched = unmatched[renamed] > 0
            unmatched[renamed] -= is_matched
        matched += is_matched
        rows.append(_build_row("both" if is_matched else "one", triple, concepts[0]))
    # What is left belongs to the second graph alone.
    for triple in triples[1]:
        if unmatched[fold_case(triple)] > 0:
            unmatched[fold_case(triple)] -= 1
            rows.append(_build_row("other", triple, concepts[1]))
    precision, recall = matched / len(triples[0]), matched / len(triples[1])
    f1 = 2 * precision * recall / (precision + recall) if matched else 0.0
    scores = {"precision": precision, "recall": recall, "f1": f1, "matched": matched}
    return {**scores, "optimal": optimal, "triples": rows}


def _read_named_graph(text: str, which: str) -> Graph:
    try:
        return read_graph(text)
    except DataError as error:
        error.where = f"the {which} graph"
        raise


def _build_row(where: str, triple: Triple, concepts: Mapping[str, str]) -> dict[str, str]:
    source, role, target, is_node = triple
    return {
        "in": where,
        "source": concepts[source],
        "role": role,
        "target": concepts[target] if is_node else target,
    }


def list_triples(graph: Graph) -> list[Triple]:
    """Return the triples, roles in small letters; the root has the attribute `:top`."""
    known = graph.map_variables()
    result: list[Triple] = [(graph.root.variable, ":top", "top", False)]
    for node in graph.iterate_nodes():
        result.append((node.variable, ":instance", node.concept, False))
        for branch in node.branches:
            # Inverse roles are turned round, so that an edge is the same from
            # whichever end it was written.
            target = branch.name
            role = branch.role.lower()
            if target not in known:
                result.append((node.variable, role, target, False))
            # By AMR's convention, `:mod` is the inverse of `:domain`.
            elif role == ":mod":
                result.append((target, ":domain", node.variable, True))
            elif role.endswith("-of") and role not in _FORWARD:
                result.append((target, role.removesuffix("-of"), node.variable, True))
            else:
                result.append((node.variable, role, target, True))
    return result
