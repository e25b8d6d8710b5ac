"""E-graphs of other programs: the JSON of egraph-serialize, which egg, egglog and Herbie write.

The terms of a class are counted exactly by size, in nodes: cycles do no harm, because operands are smaller
than what they are part of. A term is drawn by drawing its number and working out which term that is, so that
drawing is exactly uniform.
"""

from __future__ import annotations

import json
import random
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import accumulate, islice
from pathlib import Path
from typing import Any, NamedTuple

from engines.core.errors import DataError, EngineError
from engines.core.files import file_error
from engines.core.hashing import open_read
from engines.core.rows import unique_keys
from engines.core.tree import MAX_DEPTH, Tree

# JSON of this size takes several times as much memory once it is read.
_MOST_BYTES = 2**30
_MOST_WORK = 10**8
"""Products that counting may take: some minutes."""
_POOL = 1_000
# The size of a smallest term is capped here: shared sub-terms make it grow exponentially with the depth.
_HUGE = 10**18
_LEFT_OUT = "[...]"
"""What egglog writes in the place of nodes that it left out."""
_SAID = 'Write it with egraph-serialize: {"nodes": {ID: {"op": …, "children": [ID, …], "eclass": …}}}.'


class SerializedNode(NamedTuple):
    """An operator over classes."""

    op: str
    children: tuple[str, ...] = ()


@dataclass(frozen=True)
class SerializedEgraph:
    """An e-graph as its file says it: the nodes of each class, each once, and the classes that are roots.

    `named` are classes by what egglog bound them to (`let`). `repeated` counts nodes that stand in two
    classes. Where there are none, no term is in two classes, and counts are of different terms; otherwise the
    e-graph is not closed under congruence, and a term may be counted more than once.
    """

    classes: Mapping[str, tuple[SerializedNode, ...]]
    roots: tuple[str, ...]
    repeated: int = 0
    named: Mapping[str, str] = field(default_factory=dict)
    _counts: dict[tuple[str, ...], list[int]] = field(default_factory=dict, repr=False)

    @property
    def nodes(self) -> int:
        return sum(map(len, self.classes.values()))

    def find_root_class(self, name: str | None = None) -> str:
        """Return the class of that name; without one the file's root, or the one class that nothing is made
        of.

        Raises: EngineError E454.
        """
        if name is None:
            used = {child for nodes in self.classes.values() for node in nodes for child in node.children}
            tops = (
                tuple(dict.fromkeys(self.roots))
                or tuple(known for known in self.classes if known not in used)
                or (*self.classes,)
            )
            if len(tops) == 1:
                return tops[0]
            what = f"the e-graph has {len(tops):,} classes that could be meant"
            some = ", ".join(tops[:6])
            raise EngineError(what, remedy=f"Name one with --class, such as {some}.", code="E454")
        name = name if name in self.classes else self.named.get(name, name)
        if name not in self.classes:
            some = ", ".join(islice(self.classes, 6))
            raise EngineError(f"there is no class {name!r}", remedy=f"There are {some}, …", code="E454")
        return name

    def list_reachable(self, root: str) -> list[str]:
        """Return the classes that can be reached from a class, itself first."""
        reachable, waiting = {root: None}, [root]
        while waiting:
            for node in self.classes[waiting.pop()]:
                for child in node.children:
                    if child not in reachable:
                        reachable[child] = None
                        waiting.append(child)
        return list(reachable)

    def smallest_size(self, root: str) -> int | None:
        """Return the number of nodes of the smallest term of a class, or None if every term is infinite.

        Sizes from 10^18 on are given as 10^18.
        """
        # Knuth's generalisation of Dijkstra's algorithm (1977): classes are settled in the order of their
        # smallest terms, so that cycles do no harm.
        # `missing` has the operands of each node whose smallest size is not yet known.
        missing: dict[tuple[str, SerializedNode], set[str]] = {}
        parents: dict[str, list[tuple[str, SerializedNode]]] = {}
        waiting: list[tuple[int, str]] = []
        for home in self.list_reachable(root):
            for node in self.classes[home]:
                missing[home, node] = {*node.children}
                for child in missing[home, node]:
                    parents.setdefault(child, []).append((home, node))
                if not node.children:
                    waiting.append((1, home))
        size: dict[str, int] = {}
        while waiting and root not in size:
            total_size, home = heappop(waiting)
            if home in size:
                continue
            size[home] = total_size
            for parent, node in parents.get(home, ()):
                missing[parent, node].discard(home)
                # A node is as large as its operands together, and known when the last of them is.
                if not missing[parent, node] and parent not in size:
                    total = min(1 + sum(size[child] for child in node.children), _HUGE)
                    heappush(waiting, (total, parent))
        return size.get(root)

    def count_terms(self, root: str, most: int) -> list[int]:
        """Count the terms of a class by size, exactly.

        Returns:
            For each size n from 0 to `most` the number of terms of n nodes.

        Raises:
            EngineError: E424 if that would take too long.
        """
        known = self._counts
        if len(known.get((root,), ())) > most:
            return known[root,][: most + 1]
        homes = self.list_reachable(root)
        sequences = {node.children for home in homes for node in self.classes[home]}
        # Sequences of operands are counted by their tails, which nodes with common last operands share.
        tails = {row[at:] for row in sequences for at in range(len(row)) if len(row) - at > 1}
        if len(tails) * most * most > _MOST_WORK:
            what = f"{len(tails):,} sequences of operands up to size {most} are too many to count"
            raise EngineError(
                what, remedy="Ask for smaller terms (--max-size), or another class.", code="E424"
            )
        order = sorted(tails, key=len)
        known.clear()
        known.update({(home,): [0] for home in homes} | {tail: [0] for tail in order} | {(): [1]})
        for size in range(1, most + 1):
            for home in homes:
                ways = (_count_at_size(known[node.children], size - 1) for node in self.classes[home])
                known[home,].append(sum(ways))
            # A sequence has its first operand and a rest, which share the size in all possible ways.
            for tail in order:
                first, rest = known[tail[:1]], known[tail[1:]]
                known[tail].append(
                    sum(first[n] * _count_at_size(rest, size - n) for n in range(1, size) if first[n])
                )
        return known[root,][: most + 1]

    def nth_term(self, root: str, size: int, number: int) -> Tree:
        """Return the term of a class that has this number among those of its size, once they are counted."""
        for node in self.classes[root]:
            ways = _count_at_size(self._counts[node.children], size - 1)
            if number < ways:
                return Tree(node.op, tuple(self._iterate_operands(node.children, size - 1, number)))
            number -= ways
        raise IndexError(number)

    def _iterate_operands(self, children: tuple[str, ...], size: int, number: int) -> Iterator[Tree]:
        if not children:
            return
        first, rest = self._counts[children[:1]], self._counts[children[1:]]
        for part in range(1, size + 1):
            others = _count_at_size(rest, size - part)
            if number < (ways := first[part] * others):
                yield self.nth_term(children[0], part, number // others)
                yield from self._iterate_operands(children[1:], size - part, number % others)
                return
            number -= ways

    def sample_uniformly(self, root: str, most: int, count: int, seed: int) -> list[Tree]:
        """Draw different terms of a class, each equally likely.

        Args:
            root: The class.
            most: The largest size, in nodes.
            count: How many terms; if there are no more, all are returned, smallest first.
            seed: The same seed draws the same terms.
        """
        # Terms are numbered by size: number n belongs to the first size whose running total exceeds n.
        ends = list(accumulate(self.count_terms(root, most)))
        terms = []
        for number in _sample_numbers(random.Random(seed), ends[-1], count):
            size = bisect_right(ends, number)
            terms.append(self.nth_term(root, size, number - ends[size - 1]))
        return terms

    def sample_different(self, root: str, most: int, count: int, seed: int) -> list[Tree]:
        """Choose terms of a class, each as unlike the earlier ones as possible, beginning with the smallest.

        Terms are compared by the share of operators, and of operators below operators, that they do not have
        in common. They are chosen from a thousand, with as many of each size as there are.
        """
        counts = self.count_terms(root, most)
        # Sizes with few terms come first, so that what they do not use up is left to the others.
        sizes = sorted((size for size, known in enumerate(counts) if known), key=counts.__getitem__)
        draw = random.Random(seed)
        pool: list[Tree] = []
        for index, size in enumerate(sizes):
            share = (max(_POOL, count) - len(pool)) // (len(sizes) - index)
            pool += [
                self.nth_term(root, size, number) for number in _sample_numbers(draw, counts[size], share)
            ]
        pool = sorted(dict.fromkeys(pool), key=len)
        features = [_tree_features(tree) for tree in pool]
        apart = [1.0] * len(pool)
        chosen: list[int] = []
        while len(chosen) < min(count, len(pool)):
            # Greedy choice of the term whose nearest chosen one is farthest away.
            index = max(range(len(pool)), key=apart.__getitem__) if chosen else 0
            chosen.append(index)
            for other, has in enumerate(features):
                apart[other] = min(apart[other], 1 - len(has & features[index]) / len(has | features[index]))
            apart[index] = -1.0
        return [pool[index] for index in chosen]


def _sample_numbers(draw: random.Random, total: int, count: int) -> Iterable[int]:
    """So many different numbers below a total, or all there are."""
    if total <= count:
        return range(total)
    chosen: dict[int, None] = {}
    while len(chosen) < count:
        chosen[draw.randrange(total)] = None
    return chosen


def _count_at_size(counts: Sequence[int], size: int) -> int:
    return counts[size] if size < len(counts) else 0


def _tree_features(tree: Tree) -> frozenset[tuple[str, ...]]:
    pairs = ((node.label, child.label) for node in tree for child in node.children)
    return frozenset([*((node.label,) for node in tree), *pairs])


def read_serialized(path: Path) -> SerializedEgraph:
    """Return the e-graph of a file. Raises: DataError E300 that names what is wrong with it."""

    def wrong_file_error(what: str) -> DataError:
        return DataError(what, path=path, remedy=_SAID)

    try:
        if path.stat().st_size > _MOST_BYTES:
            raise wrong_file_error(f"the file has more than {_MOST_BYTES:,} bytes")
        with open_read(path) as file:
            document = json.loads(file.read(), object_pairs_hook=unique_keys)
    except OSError as error:
        raise file_error(error, path, "read") from error
    except json.JSONDecodeError as error:
        what = f"the JSON ends too early or is wrong: {error.msg}"
        raise DataError(what, path=path, line=error.lineno, remedy=_SAID) from error
    except (ValueError, RecursionError) as error:
        raise wrong_file_error(f"this is not JSON: {error}") from error
    if not isinstance(document, dict) or not isinstance(document.get("nodes"), dict) or not document["nodes"]:
        raise wrong_file_error("the document has no nodes")
    # The class of each node is needed first, because children are given as nodes.
    homes: dict[str, str] = {}
    for name, row in document["nodes"].items():
        if not isinstance(row, dict) or not isinstance(row.get("op"), str) or not _is_id(row.get("eclass")):
            raise wrong_file_error(f"the node {name[:60]!r} has no op and eclass")
        if row["op"] == _LEFT_OUT:
            what = f"the node {name[:60]!r} stands for nodes that egglog left out"
            raise DataError(
                what, path=path, remedy="Serialize the e-graph without a limit of nodes or calls."
            )
        homes[name] = str(row["eclass"])
    classes: dict[str, dict[SerializedNode, None]] = {}
    for name, row in document["nodes"].items():
        children = row.get("children", [])
        if not isinstance(children, list) or not all(map(_is_id, children)):
            raise wrong_file_error(f"the children of the node {name[:60]!r} are no list of nodes")
        if lost := next((child for child in map(str, children) if child not in homes), None):
            raise wrong_file_error(f"the node {name[:60]!r} has a child {lost[:60]!r} that is not there")
        if len(children) > MAX_DEPTH:
            raise wrong_file_error(f"the node {name[:60]!r} has {len(children):,} children")
        if not isinstance(subsumed := row.get("subsumed", False), bool):
            raise wrong_file_error(
                f"the node {name[:60]!r} has subsumed = {subsumed!r:.60}, which is neither true nor false"
            )
        if not subsumed:
            node = SerializedNode(row["op"], tuple(homes[str(child)] for child in children))
            classes.setdefault(homes[name], {})[node] = None
        else:
            classes.setdefault(homes[name], {})
    roots = document.get("root_eclasses", [])
    if not isinstance(roots, list) or not all(str(root) in classes for root in roots):
        raise wrong_file_error("root_eclasses names a class that has no node")
    data = document.get("class_data", {})
    if not isinstance(data, dict) or not all(isinstance(row, dict) for row in data.values()):
        raise wrong_file_error("class_data is no table of classes")
    named = {
        row["let"]: home for home, row in data.items() if isinstance(row.get("let"), str) and home in classes
    }
    # In a closed e-graph each node belongs to one class: count those for which this is not so.
    often = Counter(node for nodes in classes.values() for node in nodes)
    repeated = sum(1 for times in often.values() if times > 1)
    nodes_by_class = {name: tuple(nodes) for name, nodes in classes.items()}
    return SerializedEgraph(nodes_by_class, tuple(map(str, roots)), repeated, named)


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)
