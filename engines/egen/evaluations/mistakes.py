"""Mistake detection in derivations (E-Gen, Table 8)."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.core.arrays import Floats
from engines.core.errors import DataError, EngineError, ExpressionError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.expression_language import FUNCTIONS, SIGNS, of_its_kind, read_prefix, to_prefix
from engines.core.files import atomic_writer
from engines.core.rows import read_lines
from engines.core.system import read_reported_figures
from engines.core.tree import Tree
from engines.egen.evaluations.figures import (
    RESAMPLES,
    WORST,
    EvaluationReport,
    Figure,
    Mistake,
    describe_unread,
    filter_readable,
    select_costliest,
)
from engines.egen.models.datasets import Labelled, Side, is_usable, read_labelled, sample_corpus, without_log
from engines.egen.models.encode import encode_readable
from engines.egen.settings import SplitName
from engines.formula.reader import read_expression
from engines.mathematics.terms.canonical import canonical_key
from engines.mathematics.terms.symbolic import from_sympy, to_sympy
from engines.mathematics.verification.verifier import Verifier
from engines.retrieval.dense import row_cosines
from engines.retrieval.encoders import Encoder
from engines.retrieval.significance import bootstrap_bounds


def _replace_label(tree: Tree, path: tuple[int, ...], label: str) -> Tree:
    node = tree.subtree_at(path)
    return tree.replace_subtree(path, Tree(label, node.children))


def _iterate_paths(tree: Tree) -> Iterator[tuple[tuple[int, ...], Tree]]:
    stack: list[tuple[tuple[int, ...], Tree]] = [((), tree)]
    while stack:
        path, node = stack.pop()
        yield path, node
        stack.extend((((*path, index), child) for index, child in enumerate(node.children)))


def iterate_changes(tree: Tree, draw: random.Random) -> Iterator[Tree]:
    """Yield all trees that differ from this one in the label of one node (a function, one of + - * /, or a
    number), in random order.
    """
    results = [
        (path, other)
        for path, node in _iterate_paths(tree)
        for other in of_its_kind(node.label)
        if other != node.label
    ]
    draw.shuffle(results)
    for path, other in results:
        yield _replace_label(tree, path, other)


def near_copies(tree: Tree, count: int, draw: random.Random) -> list[Tree]:
    """Return changed copies of a tree that are verified to differ from it in value somewhere.

    Args:
        tree: The original.
        count: How many copies; fewer are returned if there are not as many. No two change the same node as
            long as other nodes are left.
        draw: The source of randomness.
    """
    verifier = Verifier(tree)
    results: list[Tree] = []
    spare: list[Tree] = []
    nodes: set[tuple[str, ...]] = set()
    for other in iterate_changes(tree, draw):
        if len(results) == count:
            break
        if verifier.judge_members([other])[0].outcome != "different":
            continue
        position = _find_place(tree, other)
        if position in nodes:
            spare.append(other)
            continue
        nodes.add(position)
        results.append(other)
    return (results + spare)[:count]


def _find_place(tree: Tree, other: Tree) -> tuple[str, ...]:
    pairs = zip(tree, other, strict=True)
    return tuple(str(index) for index, (a, b) in enumerate(pairs) if a.label != b.label)


def make_mistake(tree: Tree, draw: random.Random) -> Tree | None:
    """Return the tree with a mistake as E-Gen makes them: a random function becomes another one; without a
    function, a random one of + - * / becomes another. Verified to differ; None when no such mistake is
    found.
    """
    verifier = Verifier(tree)
    functions = [path for path, node in _iterate_paths(tree) if node.label in FUNCTIONS]
    operators = [path for path, node in _iterate_paths(tree) if node.label in SIGNS]
    names = FUNCTIONS if functions else SIGNS
    positions = functions or operators
    draw.shuffle(positions)
    for path in positions:
        others = [name for name in names if name != tree.subtree_at(path).label]
        for name in draw.sample(others, min(4, len(others))):
            wrong = _replace_label(tree, path, name)
            if verifier.judge_members([wrong])[0].outcome == "different":
                return wrong
    return None


# An expression is evaluated by SymPy level by level, deepest operands first; whenever something on a level
# changed, that is a step. A mistake replaces one function or operator in a step, and the rest goes on from
# it.

MIN_STEPS = 4
_EQUAL = ("equal", "extends", "shrinks")


@dataclass(frozen=True, slots=True)
class MarkedDerivation:
    """Expressions that should be equal from each to the next. `wrong` is the number, from 0, of the
    transition that is not (from step `wrong` to the one after it); None when all are right or nothing is
    known."""

    steps: tuple[Tree, ...]
    wrong: int | None = None


def evaluate_by_levels(tree: Tree) -> list[Tree]:
    """Return the expression and what it becomes when SymPy evaluates one level of operands after another.

    A level counts as changed when its canonical form did: reordering is no step.

    Raises:
        ExpressionError: When an operand has no finite real value, or SymPy fails.
    """
    steps = [tree]
    for depth in range(tree.depth - 1, -1, -1):
        before = steps[-1]
        after = before
        for path in _at_depth(before, depth):
            node = before.subtree_at(path)
            if not node.children or any(part.label == "d" for part in node):
                continue
            value = from_sympy(to_sympy(node))
            if canonical_key(value) != canonical_key(node):
                after = after.replace_subtree(path, value)
        if after != before:
            steps.append(after)
    return steps


def _at_depth(tree: Tree, depth: int) -> list[tuple[int, ...]]:
    paths: list[tuple[int, ...]] = [()]
    for _ in range(depth):
        paths = [(*path, index) for path in paths for index in range(len(tree.subtree_at(path).children))]
    return paths


def with_mistake(steps: Sequence[Tree], draw: random.Random) -> MarkedDerivation | None:
    """Return the derivation with a mistake in a random step after the first, and evaluated on from there;
    None when no mistake can be made there.
    """
    index = draw.randint(1, len(steps) - 1)
    wrong = make_mistake(steps[index], draw)
    if wrong is None:
        return None
    return MarkedDerivation((*steps[:index], *evaluate_by_levels(wrong)), index - 1)


def build_derivations(
    data: Labelled,
    count: int,
    *,
    seed: int = 0,
    max_length: int = 200,
    on_bad: Callable[[ExpressionError], None] = lambda _: None,
    events: Sink = ignore,
    stop: Stop = never,
) -> list[MarkedDerivation]:
    """Make derivations of `MIN_STEPS` steps or more with one mistake each (E-Gen, Table 8).

    Members of clusters are taken in random order. Every right transition is verified to be equal where both
    sides are defined, and the wrong one to differ. Expressions with a derivative are skipped, as published.
    An expression gives one derivation at most; after a round over the clusters, each gives its next
    expression. Fewer derivations come back if the data does not hold enough.

    Args:
        max_length: The most tokens of a step in training notation.
        on_bad: Receives every expression that SymPy cannot evaluate, which is left out.
    """
    draw = random.Random(seed)
    clusters = [[text for text in texts if "d" not in text.split()] for texts in data.clusters]
    draw.shuffle(clusters)
    for texts in clusters:
        draw.shuffle(texts)
    result: list[MarkedDerivation] = []
    for round_number in range(max(map(len, clusters), default=0)):
        for texts in clusters:
            if len(result) >= count or stop():
                return result
            if round_number >= len(texts):
                continue
            try:
                derivation = _make_derivation(texts[round_number], draw, max_length)
            except ExpressionError as error:
                on_bad(error)
                continue
            if derivation is not None:
                result.append(derivation)
                events(Event("progress", {"done": len(result), "total": count, "unit": "derivations"}))
    return result


def _make_derivation(text: str, draw: random.Random, max_length: int) -> MarkedDerivation | None:
    steps = evaluate_by_levels(read_prefix(text))
    made = with_mistake(steps, draw) if len(steps) > 1 else None
    if made is None or len(made.steps) < MIN_STEPS:
        return None
    # What SymPy made must be of the language as well: numbers may have become too long.
    trees = [read_prefix(to_prefix(tree)) for tree in made.steps]
    if not all(is_usable(to_prefix(tree), max_length) for tree in trees):
        return None
    for number, (first, second) in enumerate(pairwise(trees)):
        outcome = Verifier(first).judge_members([second])[0].outcome
        if outcome != "different" if number == made.wrong else outcome not in _EQUAL:
            return None
    return made


def write_derivations(derivations: Sequence[MarkedDerivation], path: Path) -> None:
    """Write them in E-Gen's layout: a step a line in prefix notation, a tab and the number of the wrong
    transition after the first, a blank line after each derivation."""
    with atomic_writer(path) as file:
        for derivation in derivations:
            mark = "" if derivation.wrong is None else f"\t{derivation.wrong}"
            lines = [to_prefix(step) for step in derivation.steps]
            file.write("\n".join([lines[0] + mark, *lines[1:]]) + "\n\n")


def read_derivations(
    path: Path,
    *,
    on_bad: Callable[[DataError], None] | None = None,
    reader: Callable[[str], Tree] = read_expression,
) -> Iterator[MarkedDerivation]:
    """Read derivations, steps in infix, LaTeX or prefix.

    Args:
        reader: Of a step.
        on_bad: Is given what is wrong with a derivation, which is left out.

    Raises:
        DataError: E317, without `on_bad`, with path and line: for a step that cannot be read, a number of a
            transition that there is not, and a derivation of one step.
    """
    lines: list[tuple[int, str]] = []
    for number, line in [*read_lines(path), (0, "")]:
        if line.strip():
            lines.append((number, line.rstrip()))
            continue
        if lines:
            try:
                yield _read_derivation(path, lines, reader)
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
) -> list[MarkedDerivation]:
    """Return those of a file of derivations, all of them; or `count` made from a corpus or a file of
    clusters.

    Args: as `read_labelled` and `build`. Raises: DataError as `read_derivations` and `read_labelled`.
    """
    first = "" if path.is_dir() else next((line for _, line in read_lines(path)), "")
    _, tab, mark = first.rpartition("\t")
    if tab and mark.strip().isdigit():
        return list(read_derivations(path))
    data = read_labelled(path, side=side, split=split, partial=partial)
    return build_derivations(data, count, seed=seed, on_bad=on_bad, events=events, stop=stop)


def _read_derivation(
    path: Path, lines: Sequence[tuple[int, str]], reader: Callable[[str], Tree]
) -> MarkedDerivation:
    def bad_file_error(what: str, line: int, remedy: str) -> DataError:
        return DataError(what, path=path, line=line, code="E317", remedy=remedy)

    begin = lines[0][0]
    wrong: int | None = None
    steps = []
    for number, line in lines:
        text, tab, mark = line.partition("\t")
        try:
            steps.append(reader(text))
        except ExpressionError as error:
            raise bad_file_error(error.what, number, error.remedy) from error
        if tab and number == begin:
            if not mark.strip().isdecimal():
                remedy = "After the tab comes the number of the wrong transition, counted from 0."
                raise bad_file_error(f"{mark[:40]!r} is not the number of a transition", number, remedy)
            wrong = int(mark)
    if len(steps) < 2 or (wrong is not None and wrong >= len(steps) - 1):
        what = "a derivation of one step" if len(steps) < 2 else f"there is no transition {wrong}"
        raise bad_file_error(what, begin, "Write one step per line, without gaps.")
    return MarkedDerivation(tuple(steps), wrong)


def step_cosines(
    encoder: Encoder, derivations: Sequence[MarkedDerivation], *, events: Sink = ignore, stop: Stop = never
) -> list[Floats]:
    """Return, for each derivation, the cosine of every step with the next, shape `(steps - 1,)` each.

    A cosine is nan if the model cannot read one of the two steps.
    """
    texts = [text for derivation in derivations for text in _step_texts(derivation)]
    vectors = encode_readable(encoder, texts, events=events, stop=stop)
    result = []
    begin = 0
    for derivation in derivations:
        own = vectors[begin : begin + len(derivation.steps)]
        begin += len(own)
        result.append(row_cosines(own[:-1], own[1:]).astype(np.float64))
    return result


def learn_threshold(cosines: Sequence[Floats], wrong: Sequence[int | None]) -> float:
    """Return the threshold of the paper's Algorithm 1: the mean over derivations of the lowest cosine of a
    right transition.
    """
    lowest = [
        float(np.delete(values, wrong_index).min() if wrong_index is not None else values.min())
        for values, wrong_index in zip(cosines, wrong, strict=True)
        if len(values) > (wrong_index is not None)
    ]
    if not lowest:
        what = "no derivation has a right transition to learn a threshold from"
        raise EngineError(what, code="E645", remedy="Name data with longer expressions.")
    return float(np.mean(lowest))


def learned_threshold(
    encoder: Encoder, count: int, *, events: Sink = ignore, stop: Stop = never
) -> tuple[float, dict[str, float]]:
    """Learn a threshold on derivations made from the training side of the sample corpus.

    Returns:
        It, and the `precision` and `recall` of the mistakes below it in as many other derivations, in
        percent.
    """
    derivations = open_derivations(sample_corpus(), 2 * count, side="train", seed=1, events=events, stop=stop)
    cosines = step_cosines(encoder, derivations, events=events, stop=stop)
    limit = learn_threshold(cosines[::2], [derivation.wrong for derivation in derivations[::2]])
    held = list(zip(cosines[1::2], derivations[1::2], strict=True))
    wrong = np.concatenate([np.arange(len(values)) == derivation.wrong for values, derivation in held])
    result = compute_scores(np.concatenate([values for values, _ in held]) < limit, wrong)
    return limit, {"precision": result["mistake_precision"], "recall": result["mistake_recall"]}


def best_threshold(values: Floats, wrong: NDArray[np.bool_]) -> float:
    """Return the threshold below which flagging has the highest F1 of mistakes, midway between two
    cosines.
    """
    order = np.argsort(values, kind="stable")
    caught = np.cumsum(wrong[order])
    flagged = np.arange(1, len(values) + 1)
    index = int(np.argmax(2 * caught / (flagged + wrong.sum())))
    ahead = values[order[min(index + 1, len(values) - 1)]]
    return float((values[order[index]] + ahead) / 2)


def compute_scores(flagged: NDArray[np.bool_], wrong: NDArray[np.bool_]) -> dict[str, float]:
    """Return precision, recall and F1 of both classes in percent, 0 where there is nothing to divide by."""
    result = _compute_cell_scores([np.float64(cell.sum()) for cell in _confusion_cells(flagged, wrong)])
    return {name: float(value) for name, value in result.items()}


def _confusion_cells(flagged: NDArray[np.bool_], wrong: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
    return [said & true for said in (flagged, ~flagged) for true in (wrong, ~wrong)]


def _compute_cell_scores(counts: Sequence[Any]) -> dict[str, Any]:
    hit, false, missed, passed = counts
    result = {}
    for name, both, said, true in (
        ("none", passed, passed + missed, passed + false),
        ("mistake", hit, hit + false, hit + missed),
    ):
        precision, recall = both / np.maximum(1, said), both / np.maximum(1, true)
        result[f"{name}_precision"] = 100 * precision
        result[f"{name}_recall"] = 100 * recall
        result[f"{name}_f1"] = 200 * precision * recall / np.maximum(precision + recall, 1e-12)
    return result


def evaluate(
    encoder: Encoder,
    training: Sequence[MarkedDerivation],
    test: Sequence[MarkedDerivation],
    *,
    left_out: Mapping[str, int] | None = None,
    worst: int = WORST,
    events: Sink = ignore,
    stop: Stop = never,
) -> EvaluationReport:
    """Flag transitions whose cosine is below a threshold learned on training derivations alone.

    `paper`: the threshold of Algorithm 1. `better`: the one with the highest F1 of mistakes in training,
    which knows the wrong transitions there. Intervals over derivations. Wrong are mistakes that were missed
    and right steps that were flagged, by `paper`; the cost is the distance of their cosine from the
    threshold.

    Args:
        left_out: What the derivations were made without, by reason, for the report.
    """
    given_count = len(training) + len(test)
    # Derivations that the encoder cannot read are left out on both sides, and counted in the report.
    training, test = (filter_readable(side, _step_texts, encoder) for side in (training, test))
    if not training or not test:
        what = "there are too few derivations to learn from and test on"
        raise EngineError(what, code="E645", remedy="Name data with longer expressions.")
    # The threshold is learned on training derivations only.
    learned = step_cosines(encoder, training, events=events, stop=stop)
    limit = learn_threshold(learned, [derivation.wrong for derivation in training])
    best = best_threshold(np.concatenate(learned), mark_wrong_steps(training))
    result = step_cosines(encoder, test, events=events, stop=stop)
    values, wrong = np.concatenate(result), mark_wrong_steps(test)
    owner = np.repeat(np.arange(len(result)), [len(part) for part in result])
    return EvaluationReport(
        "mistakes",
        encoder.name,
        (
            *compute_figures("paper", values < limit, wrong, owner),
            *compute_figures("better", values < best, wrong, owner),
        ),
        {
            "threshold": limit,
            "threshold_best_f1": best,
            "training_derivations": len(training),
            "derivations": len(test),
            "transitions": len(values),
            "mistakes": int(wrong.sum()),
            "left_out": {**(left_out or {}), **describe_unread(given_count - len(training) - len(test))},
        },
        int(((values < limit) != wrong).sum()),
        select_costliest(_iterate_failures(test, owner, values, limit, wrong), worst),
    )


def _step_texts(derivation: MarkedDerivation) -> list[str]:
    """Return its steps as models read them."""
    return [to_prefix(without_log(step)) for step in derivation.steps]


def mark_wrong_steps(derivations: Sequence[MarkedDerivation]) -> NDArray[np.bool_]:
    """Return which transitions are known to be wrong, over all derivations in order, shape
    `(transitions,)`.
    """
    return np.array(
        [index == item.wrong for item in derivations for index in range(len(item.steps) - 1)], bool
    )


def compute_figures(
    protocol: str, flagged: NDArray[np.bool_], wrong: NDArray[np.bool_], owner: NDArray[np.int64]
) -> list[Figure]:
    """Return all six scores of transitions; a resample of derivations is counted by weights.

    Args:
        flagged, wrong: (transitions,).
        owner: (transitions,) the derivation of each, numbered from 0.
    """
    count = int(owner.max()) + 1
    table = [np.bincount(owner, weights=cell, minlength=count) for cell in _confusion_cells(flagged, wrong)]
    result = []
    for name, value in compute_scores(flagged, wrong).items():

        def resample_score(rows: NDArray[np.int64], name: str = name) -> Floats:
            return _compute_cell_scores([cell[rows].sum(-1) for cell in table])[name]

        interval = bootstrap_bounds(resample_score, count, draws=RESAMPLES)
        paper = read_reported_figures("egen", name) if protocol == "paper" else {}
        result.append(Figure(name, protocol, value, interval, paper))
    return result


def _iterate_failures(
    test: Sequence[MarkedDerivation],
    owner: NDArray[np.int64],
    values: Floats,
    limit: float,
    wrong: NDArray[np.bool_],
) -> Iterator[Mistake]:
    positions = np.concatenate([np.arange(len(item.steps) - 1) for item in test])
    for row in np.flatnonzero((values < limit) != wrong).tolist():
        before, after = _step_texts(test[owner[row]])[positions[row] :][:2]
        said = f"cosine {values[row]:.4f}, threshold {limit:.4f}"
        missed, cost = bool(wrong[row]), abs(float(values[row]) - limit)
        note = f"a mistake that was missed: {said}" if missed else f"a right step that was flagged: {said}"
        yield Mistake(before, "" if missed else after, after if missed else "", cost, note)
