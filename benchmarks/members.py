"""Whether generated members are equal to their heads, by mpmath at 40 to 480 digits.

    .venv/bin/python -m benchmarks.members [--heads 240] [--members 25] [--seed 1] [--out FILE]

Heads are drawn from E-Gen's templates, derivatives among them, and heads in several variables are added; of
each a cluster is grown in the styles `any` and `plain` in turn. Heads and members are evaluated by mpmath,
which shares nothing with the verifier, at points drawn by the seed. Where they differ with 40 digits, or the
member has no value, they are evaluated again with 120 and 480, so that no rounding is counted. Counted are
the members that are equal, that are wrong (both have a value at a point, and these differ), that have no
value at a drawn point where the head has one, and that could not be compared at any point. `--show` lists the
second and the third.
"""

from __future__ import annotations

import contextlib
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import mpmath

from benchmarks._record import Record, parser_of
from benchmarks.classical import list_functions
from engines.core.tree import Tree

DIGITS = (40, 120, 480)
_TOLERANCE = mpmath.mpf("1e-24")
"""Of the larger of 1 and the value; how many digits are lost on the way depends on the term."""
_POINTS = 6
_DRAWN = 400
"""So many points are tried for a head, some of which have values on a short interval only."""
_MOST = mpmath.mpf("1e400")
"""What is larger on the way is too large to tell."""


class TooLargeError(Exception):
    """A value on the way to one that is asked for is too large."""


SEVERAL = (
    *("x*y", "(x+y)^2", "x^2-y^2", "a*b+b*c+c*a", "sqrt(x*y)", "x/y+y/x", "sin(x+y)", "cos(x)*cos(y)"),
    *("ln(x*y)", "e^(x+y)", "1/x+1/y", "(x^3-y^3)/(x-y)", "sinh(x-y)", "a*x^2+b*x+c", "x^y", "tan(x)/y"),
    *("sqrt(x^2+y^2)", "abs(x*y)", "ln(x/y)", "(a+b)*(a-b)+c"),
)
"""Heads in several variables."""


def value_at(tree: Tree, point: Mapping[str, Any]) -> Any:
    """Return the real value of an expression at a point by mpmath, or None where it has none."""
    label, parts = tree.label, tree.children
    if not parts:
        if label in point:
            return point[label]
        return +getattr(mpmath, label) if label in ("pi", "e") else mpmath.mpf(label)
    try:
        if label == "d":
            name, body = parts
            result = mpmath.diff(
                lambda moved: _raise_none(value_at(body, {**point, name.label: moved})), point[name.label]
            )
        else:
            values = [value_at(part, point) for part in parts]
            if None in values:
                return None
            if max(map(abs, values)) > _MOST:
                raise TooLargeError
            result = (list_functions().get(label) or getattr(mpmath, label))(*values)
    except (ZeroDivisionError, ValueError, OverflowError):
        return None
    return result if isinstance(result, mpmath.mpf) and mpmath.isfinite(result) else None


def _raise_none(value: Any) -> Any:
    if value is None:
        raise ValueError
    return value


def draw_points(head: Tree, names: list[str], source: random.Random) -> list[dict[str, str]]:
    """Draw points at which an expression has a value, as numerators of 1009; none where few are found."""
    points: list[dict[str, str]] = []
    for _ in range(_DRAWN):
        if len(points) == _POINTS:
            break
        point = {name: str(source.choice((-1, 1)) * source.randrange(37, 20_000)) for name in names}
        with mpmath.workdps(DIGITS[0]), contextlib.suppress(TooLargeError):
            at = {name: mpmath.mpf(number) / 1009 for name, number in point.items()}
            points += [point] * (value_at(head, at) is not None)
    return points


def differ_at(head: Tree, member: Tree, point: Mapping[str, str]) -> bool | None:
    """Return whether both have values at a point that differ with each number of digits.

    Returns:
        None where the head has no value.

    Raises:
        ValueError: Where the head has a value and the member has none, with the most digits.
        TooLargeError: Where a value on the way is too large.
    """
    for digits in DIGITS:
        with mpmath.workdps(digits):
            at = {name: mpmath.mpf(number) / 1009 for name, number in point.items()}
            wanted = value_at(head, at)
            if wanted is None:
                return None
            found = value_at(member, at)
            # Rounding can take the argument of a logarithm or a root below 0.
            if found is None and digits < DIGITS[-1]:
                continue
            if abs(wanted - _raise_none(found)) <= _TOLERANCE * (1 + abs(wanted)):
                return False
    return True


def judge_member(head: Tree, member: Tree, points: list[dict[str, str]]) -> str:
    """Return "equal", "wrong", "undefined" where only the head has a value, or "not compared"."""
    outcomes: set[str] = set()
    for point in points:
        try:
            differs = differ_at(head, member, point)
        except TooLargeError:
            continue
        except ValueError:
            outcomes.add("undefined")
            continue
        if differs is not None:
            outcomes.add("wrong" if differs else "equal")
    return next(
        (outcome for outcome in ("wrong", "undefined", "equal") if outcome in outcomes), "not compared"
    )


def grow_clusters(heads: int, members: int, seed: int) -> Iterator[tuple[Tree, list[Tree]]]:
    """Grow clusters of templates that are drawn by a seed, and of heads in several variables."""
    from engines.core.errors import EngineError
    from engines.core.expression_language import LETTERS
    from engines.egen.corpus.sources import list_templates
    from engines.egen.egraph.process import shared_process
    from engines.egen.settings import EgenConfig
    from engines.formula.infix import read_infix

    drawn = [template.tree for template in random.Random(seed).sample(list_templates(), heads)]
    plain = EgenConfig(members=members, max_tokens=25, style="plain", forms="all")
    for number, head in enumerate([*drawn, *(read_infix(text, LETTERS) for text in SEVERAL)]):
        config = plain if number % 2 else EgenConfig(members=members, max_tokens=25)
        try:
            cluster = shared_process().generate(head, config)
        except EngineError:
            continue
        yield cluster.head, [member.tree for member in cluster.members]


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--heads", type=int, default=240, help="how many templates are drawn")
    parser.add_argument("--members", type=int, default=25, help="of each head, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="list members that are wrong or have no value")
    arguments = parser.parse_args()
    asked = {"heads": arguments.heads, "members": arguments.members, "seed": arguments.seed}
    record = Record("members", arguments.out, **asked)
    source, counts, clusters = random.Random(arguments.seed), Counter[str](), 0
    for head, members in grow_clusters(arguments.heads, arguments.members, arguments.seed):
        clusters += 1
        names = sorted(
            {node.label for node in head if not node.children and node.label.isalpha()} - {"pi", "e"}
        )
        points = draw_points(head, names, source)
        for member in members:
            outcome = judge_member(head, member, points)
            counts[outcome] += 1
            if arguments.show and outcome in ("wrong", "undefined"):
                print(outcome, *head.list_labels(), "|", *member.list_labels(), sep=" ")
    figures = {"clusters": clusters, "members": counts.total(), **counts}
    print(figures)
    record.write(figures, libraries=["mpmath"])


if __name__ == "__main__":
    main()
