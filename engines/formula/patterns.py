"""Patterns: formulas with wildcards, and formulas up to other letters.

`?a` stands for any sub-expression, the same one wherever it is named; `??` for any operands, or none. They
are written as letters that no formula has, so that every reader takes a pattern for a formula. In a sum or a
product one wildcard may stand for several operands; a pattern that is a sum matches a part of a longer one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engines.formula.operator_tree import OperatorTree, count_features

_WILD = re.compile(r"\?\?|\?([A-Za-z])")
_FIRST = 0x1401
"""Canadian syllabics, of which no formula has any: one a letter of ASCII, the last for `??`."""
_MANY = chr(_FIRST + 128)
_MOST_STEPS = 20_000
"""Of one attempt to match: what takes longer is taken not to."""


def with_wildcards(text: str) -> str:
    r"""Return a query with wildcards as letters that every reader takes for such.

    >>> from engines.formula.operator_tree_parser import search_tree
    >>> [wildcard_name(node.label) for node in search_tree(with_wildcards("?a + ??")).children]
    ['a', '??']
    """
    return _WILD.sub(lambda m: _MANY if m[0] == "??" else f"{chr(_FIRST + ord(m[1]))} ", text)


def wildcard_name(label: str) -> str | None:
    """Return the wildcard that a label stands for: `a`, or `??`; None for none."""
    if len(label) != 3 or not label.startswith("V!") or not _FIRST <= ord(label[2]) <= ord(_MANY):
        return None
    return "??" if label[2] == _MANY else chr(ord(label[2]) - _FIRST)


def is_pattern(tree: OperatorTree) -> bool:
    """Return whether a tree has wildcards."""
    return any(wildcard_name(node.label) for node in tree.walk_nodes())


def pattern_features(tree: OperatorTree) -> Counter[str]:
    """Return the features that every matching formula has: those of the parts between the wildcards."""
    result: Counter[str] = Counter()
    for part, fixed in _iterate_cut(tree):
        for name, count in count_features(part).items():
            open_ = any(_FIRST <= ord(char) <= ord(_MANY) for char in name) or _HOLE in name
            if (fixed or name[0] not in "sw") and not open_:
                result[name] += count
    return result


_HOLE = "W!hole"


def _iterate_cut(tree: OperatorTree) -> Iterator[tuple[OperatorTree, bool]]:
    """Yield the tree with a hole for each wildcard, and the parts of it that have none."""
    # From the leaves upwards; each node is stored with whether it is free of wildcards.
    done: dict[int, tuple[OperatorTree, bool]] = {}
    for node in reversed(list(tree.walk_nodes())):
        children = [done[id(child)] for child in node.children]
        fixed = wildcard_name(node.label) is None and all(one for _, one in children)
        if wildcard_name(node.label) is not None:
            done[id(node)] = OperatorTree(_HOLE), False
        else:
            # Behind several operands in order nobody knows the place of the others.
            many = any(wildcard_name(child.label) == "??" for child in node.children) and not node.unordered
            held = () if many else tuple(part for part, _ in children)
            done[id(node)] = OperatorTree(node.label, held), fixed and not many
    # Without any wildcard, the pattern is the formula itself.
    if done[id(tree)][1]:
        yield tree, True
        return
    yield done[id(tree)][0], False
    for node in _iterate_fixed(tree, done):
        yield node, True


def _iterate_fixed(
    tree: OperatorTree, done: Mapping[int, tuple[OperatorTree, bool]]
) -> Iterator[OperatorTree]:
    for child in tree.children:
        if not done[id(child)][1]:
            yield from _iterate_fixed(child, done)


@dataclass(frozen=True, slots=True)
class PatternMatch:
    """A match of a pattern.

    `bound` holds what the wildcards stand for, by name, `place` the index of the node that matches in the
    order of `walk_nodes()`, and `share` how much of the formula's nodes lie in it.
    """

    bound: Mapping[str, OperatorTree]
    place: int
    share: float


def match_pattern(pattern: OperatorTree, tree: OperatorTree) -> PatternMatch | None:
    """Return the largest part of a formula that a pattern matches, or of a sum or product several
    operands.
    """
    nodes = list(tree.walk_nodes())
    best: PatternMatch | None = None
    for index, node in enumerate(nodes):
        size = node.count_nodes()
        if best is not None and size / len(nodes) <= best.share:
            continue
        for bound, left in _Matcher().iterate_matches(pattern, node):
            share = (size - left) / len(nodes)
            if best is None or share > best.share:
                best = PatternMatch(bound, index, share)
            break
    return best


class _Matcher:
    """Tries the ways to match; a wildcard is bound by the text of what it stands for."""

    def __init__(self) -> None:
        self._steps = 0

    def iterate_matches(
        self, pattern: OperatorTree, node: OperatorTree
    ) -> Iterator[tuple[dict[str, OperatorTree], int]]:
        """Yield the bindings, and how many nodes of operands are left over."""
        if pattern.unordered and pattern.label == node.label:
            for bound, left in self._match_several(pattern.children, node, {}, rest=True):
                yield bound, sum(one.count_nodes() for one in left)
            return
        for bound in self._match_one(pattern, node, {}):
            yield bound, 0

    def _match_one(
        self, pattern: OperatorTree, node: OperatorTree, bound: dict[str, OperatorTree]
    ) -> Iterator[dict[str, OperatorTree]]:
        # Operands in any order make matching exponential, so the number of steps is bounded.
        self._steps += 1
        if self._steps > _MOST_STEPS:
            return
        name = wildcard_name(pattern.label)
        # "??" stands for any operands and binds nothing; a named wildcard must
        # match the same tree each time.
        if name == "??":
            yield bound
        elif name is not None:
            before = bound.get(name)
            if before is None:
                yield {**bound, name: node}
            # Operands without order are sorted, so that a + b is the same as b + a.
            elif str(before.sort_operands()) == str(node.sort_operands()):
                yield bound
        elif pattern.label == node.label:
            if pattern.unordered:
                yield from (
                    binding for binding, _ in self._match_several(pattern.children, node, bound, rest=False)
                )
            else:
                yield from self._in_order(pattern.children, node.children, bound)

    def _in_order(
        self,
        patterns: Sequence[OperatorTree],
        nodes: Sequence[OperatorTree],
        bound: dict[str, OperatorTree],
    ) -> Iterator[dict[str, OperatorTree]]:
        if not patterns:
            if not nodes:
                yield bound
            return
        if wildcard_name(patterns[0].label) == "??":
            for skipped in range(len(nodes) + 1):
                yield from self._in_order(patterns[1:], nodes[skipped:], bound)
        elif nodes:
            for binding in self._match_one(patterns[0], nodes[0], bound):
                yield from self._in_order(patterns[1:], nodes[1:], binding)

    def _match_several(
        self,
        patterns: Sequence[OperatorTree],
        node: OperatorTree,
        bound: dict[str, OperatorTree],
        *,
        rest: bool,
    ) -> Iterator[tuple[dict[str, OperatorTree], list[OperatorTree]]]:
        """Operands in any order.

        Args:
            rest: Whether some may be left over.
        """
        many = any(wildcard_name(one.label) == "??" for one in patterns)
        # What is known comes first, wildcards by themselves last: they match anything.
        order = sorted(
            (one for one in patterns if wildcard_name(one.label) != "??"),
            key=lambda one: wildcard_name(one.label) or "",
        )
        for binding, left in self._assign_operands(order, list(node.children), bound):
            if not left or many or rest:
                yield binding, ([] if many else left)
            else:
                yield from ((more, []) for more in self._absorb_operands(order, node, left, binding))

    def _assign_operands(
        self, patterns: Sequence[OperatorTree], nodes: list[OperatorTree], bound: dict[str, OperatorTree]
    ) -> Iterator[tuple[dict[str, OperatorTree], list[OperatorTree]]]:
        if not patterns:
            yield bound, nodes
            return
        for index, node in enumerate(nodes):
            for binding in self._match_one(patterns[0], node, bound):
                yield from self._assign_operands(patterns[1:], nodes[:index] + nodes[index + 1 :], binding)
            if self._steps > _MOST_STEPS:
                return

    def _absorb_operands(
        self,
        patterns: Sequence[OperatorTree],
        node: OperatorTree,
        left: list[OperatorTree],
        bound: dict[str, OperatorTree],
    ) -> Iterator[dict[str, OperatorTree]]:
        names = Counter(
            name for one in patterns for inner in one.walk_nodes() if (name := wildcard_name(inner.label))
        )
        for one in patterns:
            name = wildcard_name(one.label)
            if name is not None and names[name] == 1:
                yield {**bound, name: OperatorTree(node.label, (bound[name], *left))}
                return


# Other letters.


def find_renaming(tree: OperatorTree, other: OperatorTree) -> dict[str, str]:
    """Match the variables of one formula with those of another that stand in the same surroundings.

    Returns:
        For each label of the first its label in the second, as far as there is one; no two have the same.
    """
    ours, theirs = _describe_surroundings(tree), _describe_surroundings(other)
    ways = [
        (sum((own & their).values()), name == like, name, like)
        for name, own in ours.items()
        for like, their in theirs.items()
    ]
    result: dict[str, str] = {}
    taken: set[str] = set()
    for common, _, name, like in sorted(ways, key=lambda way: (-way[0], not way[1], way[2], way[3])):
        if common and name not in result and like not in taken:
            result[name] = like
            taken.add(like)
    return result


def _describe_surroundings(tree: OperatorTree) -> dict[str, Counter[tuple[str, ...]]]:
    """Of each variable what it stands in: up to three operators above, with the places in those."""
    result: dict[str, Counter[tuple[str, ...]]] = {}
    pending: list[tuple[OperatorTree, tuple[str, ...]]] = [(tree, ())]
    while pending:
        node, above = pending.pop()
        if node.label.startswith("V!"):
            own = result.setdefault(node.label, Counter())
            for steps in range(len(above) + 1):
                own[above[:steps]] += 1
        for index, child in enumerate(node.children):
            step = node.label if node.unordered else f"{node.label}{index}"
            pending.append((child, (step, *above)[:3]))
    return result


def rename_variables(tree: OperatorTree, names: Mapping[str, str]) -> OperatorTree:
    """Return a formula with all variables renamed at once.

    If a variable takes the letter of one that is not renamed, that one takes its old letter, so that
    different
    variables stay different.
    """
    free = dict(names)
    for old, new in names.items():
        if new not in names:
            free.setdefault(new, old)
    done: dict[int, OperatorTree] = {}
    for node in reversed(list(tree.walk_nodes())):
        children = tuple(done[id(child)] for child in node.children)
        done[id(node)] = OperatorTree(free.get(node.label, node.label), children)
    return done[id(tree)]
