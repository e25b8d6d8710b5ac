"""Step-by-step evaluations with one mistake in them (E-Gen, Table 8), read, written and made.

An expression is evaluated by SymPy level by level, deepest operands first; whenever something on a level
changed, that is a step. A mistake replaces one function or operator in a step, and the rest goes on from it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path

from engines.core.errors import DataError, ExpressionError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.files import atomic_writer, read_lines
from engines.core.symbolic import from_sympy, to_sympy
from engines.core.tree import Tree
from engines.egen.corpus.labelled import Labelled, Side, read_labelled
from engines.egen.corpus.splits import SplitName
from engines.egen.evaluations.changes import mistaken
from engines.egen.expressions.canonical import canonical_key
from engines.egen.expressions.language import prefix, read_prefix
from engines.egen.expressions.notation import read
from engines.egen.models.sequences import usable
from engines.egen.verification.verify import Verifier

__all__ = [
    "MIN_STEPS",
    "Derivation",
    "build",
    "evaluated",
    "open_derivations",
    "read_derivations",
    "with_mistake",
    "write_derivations",
]

MIN_STEPS = 4
_EQUAL = ("equal", "extends", "shrinks")


@dataclass(frozen=True, slots=True)
class Derivation:
    """Expressions that should be equal from each to the next. `wrong` is the number, from 0, of the
    transition that is not (from step `wrong` to the one after it); None when all are right or nothing is
    known."""

    steps: tuple[Tree, ...]
    wrong: int | None = None


def evaluated(tree: Tree) -> list[Tree]:
    """The expression and what it becomes when SymPy evaluates one level of operands after another.

    A level counts as changed when its canonical form did: reordering is no step.
    Raises: ExpressionError when an operand has no finite real value, or SymPy fails.
    """
    steps = [tree]
    for depth in range(tree.depth - 1, -1, -1):
        before = steps[-1]
        after = before
        for path in _at_depth(before, depth):
            node = before.at(path)
            if not node.children or any(part.label == "d" for part in node):
                continue
            value = from_sympy(to_sympy(node))
            if canonical_key(value) != canonical_key(node):
                after = after.replace(path, value)
        if after != before:
            steps.append(after)
    return steps


def _at_depth(tree: Tree, depth: int) -> list[tuple[int, ...]]:
    paths: list[tuple[int, ...]] = [()]
    for _ in range(depth):
        paths = [(*path, place) for path in paths for place in range(len(tree.at(path).children))]
    return paths


def with_mistake(steps: Sequence[Tree], draw: random.Random) -> Derivation | None:
    """The derivation with a mistake in a random step after the first, and evaluated on from there; None when
    no mistake can be made there."""
    place = draw.randint(1, len(steps) - 1)
    wrong = mistaken(steps[place], draw)
    if wrong is None:
        return None
    return Derivation((*steps[:place], *evaluated(wrong)), place - 1)


def build(
    data: Labelled,
    count: int,
    *,
    seed: int = 0,
    max_length: int = 200,
    on_bad: Callable[[ExpressionError], None] = lambda _: None,
    events: Sink = ignore,
    stop: Stop = never,
) -> list[Derivation]:
    """Derivations of `MIN_STEPS` or more with one mistake each, from members of clusters in random order.

    Every right transition is verified equal where both sides are defined, the wrong one to differ.
    Expressions with a derivative are skipped, as published. One expression gives one derivation at most; when
    a round over the clusters is done, each gives its next. Fewer come back when the data does not hold so
    many.

    Args: max_length: of a step in training notation. on_bad: is given every expression that SymPy cannot
    evaluate; it is left out.
    """
    draw = random.Random(seed)
    clusters = [[text for text in texts if "d" not in text.split()] for texts in data.clusters]
    draw.shuffle(clusters)
    for texts in clusters:
        draw.shuffle(texts)
    found: list[Derivation] = []
    for turn in range(max(map(len, clusters), default=0)):
        for texts in clusters:
            if len(found) >= count or stop():
                return found
            if turn >= len(texts):
                continue
            try:
                made = _made(texts[turn], draw, max_length)
            except ExpressionError as error:
                on_bad(error)
                continue
            if made is not None:
                found.append(made)
                events(Event("progress", {"done": len(found), "total": count, "unit": "derivations"}))
    return found


def _made(text: str, draw: random.Random, max_length: int) -> Derivation | None:
    steps = evaluated(read_prefix(text))
    made = with_mistake(steps, draw) if len(steps) > 1 else None
    if made is None or len(made.steps) < MIN_STEPS:
        return None
    # What SymPy made must be of the language as well: numbers may have become too long.
    trees = [read_prefix(prefix(tree)) for tree in made.steps]
    if not all(usable(prefix(tree), max_length) for tree in trees):
        return None
    for number, (one, other) in enumerate(pairwise(trees)):
        outcome = Verifier(one).check([other])[0].outcome
        if outcome != "different" if number == made.wrong else outcome not in _EQUAL:
            return None
    return made


def write_derivations(derivations: Sequence[Derivation], path: Path) -> None:
    """Write them in E-Gen's layout: a step a line in prefix notation, a tab and the number of the wrong
    transition after the first, a blank line after each derivation."""
    with atomic_writer(path) as file:
        for derivation in derivations:
            mark = "" if derivation.wrong is None else f"\t{derivation.wrong}"
            lines = [prefix(step) for step in derivation.steps]
            file.write("\n".join([lines[0] + mark, *lines[1:]]) + "\n\n")


def read_derivations(
    path: Path, *, on_bad: Callable[[DataError], None] | None = None, reader: Callable[[str], Tree] = read
) -> Iterator[Derivation]:
    """Read derivations, steps in prefix or infix notation.

    Args: reader: of a step. on_bad: is given what is wrong with a derivation, which is left out.
    Raises: DataError E317, without `on_bad`, with path and line: for a step that cannot be read, a number of
    a transition that there is not, and a derivation of one step.
    """
    lines: list[tuple[int, str]] = []
    for number, line in [*read_lines(path), (0, "")]:
        if line.strip():
            lines.append((number, line.rstrip()))
            continue
        if lines:
            try:
                yield _derivation(path, lines, reader)
            except DataError as error:
                if on_bad is None:
                    raise
                on_bad(error)
        lines = []


def open_derivations(
    path: Path,
    count: int,
    *,
    side: Side = "all",
    split: SplitName = "paper",
    partial: bool = False,
    seed: int = 0,
    on_bad: Callable[[ExpressionError], None] = lambda _: None,
    events: Sink = ignore,
    stop: Stop = never,
) -> list[Derivation]:
    """Those of a file of derivations, all of them; or `count` made from a corpus or a file of clusters.

    Args: as `read_labelled` and `build`. Raises: DataError as `read_derivations` and `read_labelled`.
    """
    if not path.is_dir() and any(_marked(line) for _, line in islice(read_lines(path), 1)):
        return list(read_derivations(path))
    data = read_labelled(path, side=side, split=split, partial=partial)
    return build(data, count, seed=seed, on_bad=on_bad, events=events, stop=stop)


def _marked(line: str) -> bool:
    """Whether it ends with a tab and a number, as the first line of a derivation."""
    _, tab, mark = line.rpartition("\t")
    return bool(tab) and mark.strip().isdigit()


def _derivation(path: Path, lines: Sequence[tuple[int, str]], reader: Callable[[str], Tree]) -> Derivation:
    """Of its lines and their numbers."""

    def bad(what: str, line: int, remedy: str) -> DataError:
        return DataError(what, path=path, line=line, code="E317", remedy=remedy)

    begin = lines[0][0]
    wrong: int | None = None
    steps = []
    for number, line in lines:
        text, tab, mark = line.partition("\t")
        try:
            steps.append(reader(text))
        except ExpressionError as error:
            raise bad(error.what, number, error.remedy) from error
        if tab and number == begin:
            if not mark.strip().isdecimal():
                remedy = "After the tab stands which transition is wrong, counted from 0."
                raise bad(f"{mark[:40]!r} is not the number of a transition", number, remedy)
            wrong = int(mark)
    if len(steps) < 2 or (wrong is not None and wrong >= len(steps) - 1):
        what = "a derivation of one step" if len(steps) < 2 else f"there is no transition {wrong}"
        raise bad(what, begin, "Steps go one to a line, without gaps.")
    return Derivation(tuple(steps), wrong)
