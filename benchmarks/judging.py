"""How sure and how quick the judge is: pairs of equal terms, and pairs in which one thing was changed.

    .venv/bin/python -m benchmarks.judging [--heads 120] [--members 25] [--changed 10000] [--out -]

Members of E-Gen clusters and the true identities of `identities.tsv` are written as LaTeX and read again by
the reader of formulas. They are equal to their heads. Then one number, sign or function of a member is
changed, and mpmath, which shares nothing with the judge, looks for a real point where both have values that
differ: if there is one, the pair is different, and to call it equal is a false accept. One thread.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import mpmath

from benchmarks._record import Record, parser_of
from benchmarks.classical import value
from engines.core.tree import Tree

_DIGITS, _CLOSE = 60, 25
_MOST = 1e30
"""What is larger on the way is too large to tell."""
_POINTS = tuple(
    mpmath.mpf(number) / 1009 for number in (137, 709, 1511, 2903, 6427, 12011, -311, -1249, -5113)
)
Pair = tuple[Tree, Tree]


def equal_pairs(heads: int, members: int, seed: int) -> Iterator[Pair]:
    """Heads and members of clusters grown from E-Gen's templates, and the identities from the tables."""
    from engines.core.errors import EngineError
    from engines.egen.corpus.sources import list_templates
    from engines.egen.egraph.process import shared_process
    from engines.egen.settings import EgenConfig
    from engines.formula.infix import read_infix

    every = [one.tree for one in list_templates() if "d" not in one.tree.list_labels()]
    config = EgenConfig(members=members, max_tokens=25)
    for head in random.Random(seed).sample(every, heads):
        try:
            cluster = shared_process().generate(head, config)
        except EngineError:
            continue
        yield from ((head, member.tree) for member in cluster.members)
    lines = Path(__file__).with_name("identities.tsv").read_text(encoding="utf-8").splitlines()
    for line in lines:
        cells = line.split("\t")
        if not line.startswith("#") and len(cells) > 2 and "false" not in cells[3:]:
            pair = read_infix(cells[1]), read_infix(cells[2])
            if not {"d"} & {*pair[0].list_labels(), *pair[1].list_labels()}:
                yield pair


def changed(tree: Tree, source: random.Random) -> Tree:
    """With another number, sign or function in one place."""
    from engines.core.expression_language import of_its_kind

    paths = [path for path in _paths(tree) if of_its_kind(tree.subtree_at(path).label)]
    path = source.choice(paths)
    node = tree.subtree_at(path)
    others = [label for label in of_its_kind(node.label) if label != node.label]
    return tree.replace_subtree(path, Tree(source.choice(others), node.children))


def _paths(tree: Tree, path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    yield path
    for place, child in enumerate(tree.children):
        yield from _paths(child, (*path, place))


def differ(left: Tree, right: Tree) -> bool:
    """Whether mpmath finds a real point where both have values, and these differ."""
    with mpmath.workdps(_DIGITS):
        for point in _POINTS:
            one, other = value(left, point, _MOST), value(right, point, _MOST)
            if one is None or other is None:
                continue
            close = mpmath.mpf(10) ** -_CLOSE
            if abs(one - other) > close * max(abs(one), abs(other), close):
                return True
    return False


def in_latex(pairs: Sequence[Pair]) -> tuple[list[tuple[Pair, Pair]], int]:
    """Pairs, each with what the reader makes of both in LaTeX, and how many are not read."""
    from engines.formula.meaning import read
    from engines.mathematics.terms.notation import to_latex

    result, unread = [], 0
    for pair in pairs:
        sides = [read(to_latex(side)).tree for side in pair]
        if sides[0] is None or sides[1] is None:
            unread += 1
        else:
            result.append((pair, (sides[0], sides[1])))
    return result, unread


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--heads", type=int, default=120)
    parser.add_argument("--members", type=int, default=25)
    parser.add_argument("--changed", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    result = Record("judging", given.out, heads=given.heads, changed=given.changed, seed=given.seed)
    from engines.core.expression_language import of_its_kind
    from engines.mathematics.judging import judge
    from engines.mathematics.terms.notation import to_infix

    judged = judge()
    pairs = list(equal_pairs(given.heads, given.members, given.seed))
    read, unread = in_latex(pairs)
    judged.equal(*read[0][1])
    began = time.perf_counter()
    verdicts = Counter(_verdict(judged.equal(*sides)) for _, sides in read)
    equal_rate = len(read) / (time.perf_counter() - began)
    print(f"{len(pairs):,} equal pairs, {unread} not read: {dict(verdicts)}; {equal_rate:.0f} a second")

    source = random.Random(given.seed)
    near: list[Pair] = []
    while len(near) < given.changed:
        head, member = source.choice(pairs)
        if any(of_its_kind(node.label) for node in member):
            near.append((head, changed(member, source)))
    read, unread_near = in_latex(near)
    began = time.perf_counter()
    found = [judged.equal(*sides) for _, sides in read]
    changed_rate = len(read) / (time.perf_counter() - began)
    table: Counter[str] = Counter()
    false = []
    for (pair, _), one in zip(read, found, strict=True):
        verdict = _verdict(one)
        apart = differ(*pair)
        table[f"{verdict}, {'different' if apart else 'no difference'} by mpmath"] += 1
        if apart and verdict in ("equal", "equal where defined"):
            false.append([to_infix(pair[0]), to_infix(pair[1]), one.condition])
    print(f"{len(near):,} changed pairs, {unread_near} not read; {changed_rate:.0f} a second")
    for name, count in sorted(table.items()):
        print(f"{count:7,}  {name}")
    print(f"false accepts: {len(false)}", *false, sep="\n")
    result.write(
        {
            "equal_pairs": len(pairs),
            "equal_unread": unread,
            "equal": dict(verdicts),
            "equal_per_s": round(equal_rate),
            "changed_pairs": len(near),
            "changed_unread": unread_near,
            "changed": dict(sorted(table.items())),
            "changed_per_s": round(changed_rate),
            "false_accepts": false,
        },
        libraries=["python-flint", "mpmath", "numba"],
    )


def _verdict(found: Any) -> str:
    if found.outcome != "equal if":
        return str(found.outcome)
    return "equal under a hypothesis" if found.witness else "equal where defined"


if __name__ == "__main__":
    main()
