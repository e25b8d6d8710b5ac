"""Analogies x1 : y1 :: x2 : y2 from families of identities and operations, each verified; and embedding
algebra, which solves them by adding and subtracting vectors (E-Gen, Table 10).

The published 584 were made by hand and are not available; the families are those that the published examples
belong to. An identity relates a function to another form of it, an operation to something else.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engines.core.arrays import Bools
from engines.core.errors import DataError, EngineError, ExpressionError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.expression_language import (
    FUNCTIONS,
    HYPERBOLIC,
    RECIPROCAL,
    TRIGONOMETRIC,
    read_prefix,
    to_prefix,
)
from engines.core.files import atomic_writer
from engines.core.rows import read_lines
from engines.core.tree import Tree
from engines.egen.corpus.same_functions import compute_fingerprints, look_alike
from engines.egen.evaluations.figures import (
    WORST,
    EvaluationReport,
    Mistake,
    describe_unread,
    filter_readable,
    mean_figure,
    select_costliest,
)
from engines.mathematics.verification.verifier import Verifier
from engines.retrieval.dense import normalize_rows
from engines.retrieval.encoders import Encoder

PAPER_COUNT = 584


@dataclass(frozen=True, slots=True)
class Analogy:
    """An analogy: x1 is to y1 as x2 is to y2; texts in generator prefix notation."""

    x1: str
    y1: str
    x2: str
    y2: str
    family: str = ""

    @property
    def texts(self) -> tuple[str, str, str, str]:
        """The four expressions."""
        return self.x1, self.y1, self.x2, self.y2


@dataclass(frozen=True, slots=True)
class AnalogyFamily:
    """Pairs (x, y) of one relation. `kind` says what is verified: `identity` that y equals x; `reciprocal`
    that x times y is 1; `inverse` that x of y is x again; `operation` is true by construction."""

    name: str
    kind: str
    pairs: tuple[tuple[str, str], ...]


_EVEN = ("cos", "sec", "cosh", "sech")
_NEITHER = ("ln", "acos", "asec", "acot", "acosh", "asech")
_ODD = tuple(name for name in FUNCTIONS if name not in _EVEN + _NEITHER)
_OF_RECIPROCAL = {"asin": "acsc", "acos": "asec", "asinh": "acsch", "acosh": "asech", "atanh": "acoth"}
_OF_RECIPROCAL |= {other: name for name, other in _OF_RECIPROCAL.items()}
_HALF_PERIOD = ("tan", "cot")
_COFUNCTION = {
    "sin": "cos - x / pi 2",
    "cos": "sin + x / pi 2",
    "csc": "sec - x / pi 2",
    "sec": "csc + x / pi 2",
    "tan": "* -1 cot + x / pi 2",
    "cot": "* -1 tan + x / pi 2",
}
_SQUARES = {
    "sin": "- 1 pow cos x 2",
    "cos": "- 1 pow sin x 2",
    "tan": "- pow sec x 2 1",
    "sec": "+ pow tan x 2 1",
    "cot": "- pow csc x 2 1",
    "csc": "+ pow cot x 2 1",
    "sinh": "- pow cosh x 2 1",
    "cosh": "+ pow sinh x 2 1",
    "tanh": "- 1 pow sech x 2",
    "sech": "- 1 pow tanh x 2",
    "coth": "+ pow csch x 2 1",
    "csch": "- pow coth x 2 1",
}
_SLOPES = {
    "ln": "/ 1 x",
    "sin": "cos x",
    "cos": "* -1 sin x",
    "tan": "pow sec x 2",
    "csc": "* -1 * csc x cot x",
    "sec": "* sec x tan x",
    "cot": "* -1 pow csc x 2",
    "asin": "/ 1 sqrt - 1 pow x 2",
    "acos": "/ -1 sqrt - 1 pow x 2",
    "atan": "/ 1 + pow x 2 1",
    "acot": "/ -1 + pow x 2 1",
    "sinh": "cosh x",
    "cosh": "sinh x",
    "tanh": "pow sech x 2",
    "csch": "* -1 * csch x coth x",
    "sech": "* -1 * sech x tanh x",
    "coth": "* -1 pow csch x 2",
    "asinh": "/ 1 sqrt + pow x 2 1",
    "atanh": "/ 1 - 1 pow x 2",
    "acoth": "/ 1 - 1 pow x 2",
}
_OPERATIONS = {
    **{f"to the power {n}": f"pow {{}} {n}" for n in (2, 3, 4, 5, -2)},
    "logarithm": "ln {}",
    "reciprocal of": "/ 1 {}",
    "exponential": "pow e {}",
    "sine of": "sin {}",
    **{f"times {c}": f"* {c} {{}}" for c in (2, 3, 5, -4)},
    **{f"plus {c}": f"+ {{}} {c}" for c in (2, 3, 7)},
}
_ARGUMENTS = {"of 2x": "* 2 x", "of 3x": "* 3 x", "of x/2": "/ x 2", "of x+3": "+ x 3", "of x-5": "- x 5"}
_ARGUMENTS |= {"of x squared": "pow x 2", "of -x": "* -1 x"}


def analogy_families() -> tuple[AnalogyFamily, ...]:
    """Return the families that analogies are made of."""
    trigonometric, hyperbolic = TRIGONOMETRIC, HYPERBOLIC
    squares = tuple((f"pow {f} x 2", other) for f, other in _SQUARES.items())
    inverses = tuple((f"{f} x", f"a{f} x") for f in trigonometric + hyperbolic)
    # Pairs are in prefix notation. Both sides of an `identity` are equal: `is_family_pair` asks the verifier.
    result = [
        AnalogyFamily("odd", "identity", tuple((f"{f} x", f"* -1 {f} * -1 x") for f in _ODD)),
        AnalogyFamily("even", "identity", tuple((f"{f} x", f"{f} * -1 x") for f in _EVEN)),
        AnalogyFamily("one over", "identity", tuple((f"{f} x", f"/ 1 {g} x") for f, g in RECIPROCAL.items())),
        AnalogyFamily(
            "inverse of 1/x", "identity", tuple((f"{f} x", f"{g} / 1 x") for f, g in _OF_RECIPROCAL.items())
        ),
        AnalogyFamily("period", "identity", tuple((f"{f} x", f"{f} + x * 2 pi") for f in trigonometric)),
        AnalogyFamily("half period", "identity", tuple((f"{f} x", f"{f} + x pi") for f in _HALF_PERIOD)),
        AnalogyFamily(
            "half a period on",
            "identity",
            tuple((f"* -1 {f} x", f"{f} + x pi") for f in trigonometric if f not in _HALF_PERIOD),
        ),
        AnalogyFamily("cofunction", "identity", tuple((f"{f} x", other) for f, other in _COFUNCTION.items())),
        AnalogyFamily("squares", "identity", squares),
        AnalogyFamily("derivative", "identity", tuple((f"d x {f} x", slope) for f, slope in _SLOPES.items())),
        AnalogyFamily("reciprocal", "reciprocal", tuple((f"{f} x", f"{g} x") for f, g in RECIPROCAL.items())),
        AnalogyFamily("inverse", "inverse", inverses),
    ]
    # Operations: the same change at x and at every function, so that an analogy is `f : f + 2 :: g : g +
    # 2`.
    bases = ("x", *(f"{name} x" for name in FUNCTIONS))
    for name, pattern in _OPERATIONS.items():
        result.append(AnalogyFamily(name, "operation", tuple((base, pattern.format(base)) for base in bases)))
    for name, argument in _ARGUMENTS.items():
        result.append(
            AnalogyFamily(name, "operation", tuple((f"{f} x", f"{f} {argument}") for f in FUNCTIONS))
        )
    return tuple(result)


FAMILIES = analogy_families()


def is_family_pair(kind: str, x: str, y: str) -> bool:
    """Return whether a pair is what its family says, by the verifier."""
    if kind == "operation":
        read_prefix(y)
        return True
    left, right = read_prefix(x), read_prefix(y)
    if kind == "reciprocal":
        left, right = Tree("1"), Tree("*", (left, right))
    elif kind == "inverse":
        left, right = Tree("x"), Tree(left.label, (right,))
    # A product of reciprocals and a function of its inverse are defined on a part of the line only.
    wanted = ("equal", "extends") if kind == "identity" else ("equal", "shrinks")
    return Verifier(left).judge_members([right])[0].outcome in wanted


def build_analogies(count: int = PAPER_COUNT, *, seed: int = 0) -> list[Analogy]:
    """Build analogies in random order, as evenly over the families as their pairs allow.

    Args:
        count: How many; if there are fewer, all of them are returned.
        seed: The same seed builds the same analogies.
    """
    draw = random.Random(seed)
    groups = [list(_iterate_analogies(family)) for family in FAMILIES]
    for group in groups:
        draw.shuffle(group)
    result: list[Analogy] = []
    while len(result) < count and any(groups):
        for group in groups:
            if group and len(result) < count:
                result.append(group.pop())
    draw.shuffle(result)
    return result


def _iterate_analogies(family: AnalogyFamily) -> Iterator[Analogy]:
    pairs = [(x, y) for x, y in family.pairs if is_family_pair(family.kind, x, y)]
    for x1, y1 in pairs:
        for x2, y2 in pairs:
            if x1 != x2 and len({x1, y1, x2, y2}) == 4:
                yield Analogy(x1, y1, x2, y2, family.name)


def write_analogies(analogies: Sequence[Analogy], path: Path) -> None:
    """Write them in E-Gen's layout: four expressions with tabs between them on a line."""
    with atomic_writer(path) as file:
        for analogy in analogies:
            file.write("\t".join(analogy.texts) + "\n")


def read_analogies(path: Path) -> Iterator[Analogy]:
    """Read analogies from a file with four expressions a line, separated by tabs.

    Raises:
        DataError: With path and line for a line that is no analogy.
    """
    for number, line in read_lines(path):
        parts = [part.strip() for part in line.split("\t")]
        if not any(parts):
            continue
        if len(parts) != 4:
            what = "four tab-separated expressions are needed"
            remedy = "Write x1, y1, x2 and y2, in prefix notation."
            raise DataError(what, path=path, line=number, code="E317", remedy=remedy)
        try:
            x1, y1, x2, y2 = (to_prefix(read_prefix(part)) for part in parts)
        except ExpressionError as error:
            raise DataError(error.what, path=path, line=number, remedy=error.remedy, code="E317") from error
        yield Analogy(x1, y1, x2, y2)


def algebra(
    encoder: Encoder,
    analogies: Sequence[Analogy],
    pool: Sequence[str],
    *,
    worst: int = WORST,
    events: Sink = ignore,
    stop: Stop = never,
) -> EvaluationReport:
    """Solve analogies by embedding algebra (E-Gen, Table 10).

    The answer is the nearest expression by cosine to -f(x1) + f(y1) + f(x2) among a pool and all expressions
    of the analogies. In `paper`, expressions equal to x2 or y2 are not in the pool, and only y2 is right; in
    `better`, they are, and any form of y2 is right. x1, y1 and x2 are never candidates. Equal means equal
    values at the points of the fingerprints. Intervals are over analogies. The mistakes are those of `paper`;
    their note is `x1 : y1`.
    """
    kept = filter_readable(analogies, lambda item: item.texts, encoder)
    if not kept:
        remedy = "The model can read none of them: give shorter ones with --analogies."
        raise EngineError("no analogy can be solved", code="E645", remedy=remedy)
    analogy_texts = [text for item in kept for text in item.texts]
    texts = list(dict.fromkeys([*analogy_texts, *pool]))
    row_of_text = {text: number for number, text in enumerate(texts)}
    vectors = encoder.encode(texts, normalise=False, events=events, stop=stop)
    normal = normalize_rows(vectors)
    equal = _Equality(texts)
    strict, fair = np.zeros(len(kept)), np.zeros(len(kept))
    failures = []
    for number, item in enumerate(kept):
        if stop():
            break
        x1, y1, x2, y2 = (row_of_text[text] for text in item.texts)
        # The analogy as a vector; rows of `normal` have length 1, so a product with it orders by cosine.
        target = vectors[y1] - vectors[x1] + vectors[x2]
        scores = normal @ target
        scores[[x1, y1, x2]] = -np.inf
        like_y = equal.equal_to_row(y2)
        # `better`: any expression equal to y2 counts.
        fair[number] = like_y[int(scores.argmax())]
        # `paper`: leave out what equals x2 or y2, but for y2 itself.
        excluded = like_y | equal.equal_to_row(x2)
        excluded[y2] = False
        best_row = int(np.where(excluded, -np.inf, scores).argmax())
        strict[number] = best_row == y2
        if best_row != y2:
            # The cost is the difference of the two cosines.
            cost = float(scores[best_row] - scores[y2]) / max(float(np.linalg.norm(target)), 1e-12)
            failures.append(Mistake(item.x2, item.y2, texts[best_row], cost, f"{item.x1} : {item.y1}"))
        events(Event("progress", {"done": number + 1, "total": len(kept), "unit": "analogies"}))
    families: dict[str, list[int]] = {}
    for number, item in enumerate(kept):
        families.setdefault(item.family or "from a file", []).append(number)
    return EvaluationReport(
        "algebra",
        encoder.name,
        (
            mean_figure("algebra_accuracy", "paper", strict),
            mean_figure("algebra_accuracy_any_form", "better", fair),
        ),
        {
            "analogies": len(kept),
            "pool": len(texts),
            "left_out": describe_unread(len(analogies) - len(kept)),
            "by_family": {
                name: [len(rows), 100 * float(strict[rows].mean()), 100 * float(fair[rows].mean())]
                for name, rows in sorted(families.items())
            },
        },
        len(failures),
        select_costliest(failures, worst),
    )


class _Equality:
    def __init__(self, texts: Sequence[str]) -> None:
        self._prints = compute_fingerprints([text.split() for text in texts])
        self._known: dict[int, Bools] = {}

    def equal_to_row(self, row: int) -> Bools:
        """Return (texts,) True for the expression itself too."""
        if row not in self._known:
            result = np.zeros(len(self._prints), bool)
            result[look_alike(self._prints[row], self._prints)] = True
            result[row] = True
            self._known[row] = result
        return self._known[row]
