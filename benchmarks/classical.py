"""How many classical forms of textbook heads are among their members, and how different the first ones are.

    .venv/bin/python -m benchmarks.classical [--out FILE]

`classical.tsv` was written before what makes these forms. Expressions count as the same form where SymPy's
automatic evaluation (signs, order, like terms, periods; no simplification) makes them the same, so that what
counts as different is decided by another program. For every head: which of its forms are among 1,000 members
and among the first 20, how many of the first 20 differ from each other and the head, and the seconds
that the 20 take. All members are evaluated by mpmath with 80 digits at 8 points of its own: how many differ
from the head where both are defined, and how many are undefined where the head is defined. The figures are
those of `docs/measurements/egen.md`.
"""

from __future__ import annotations

import math
import operator
import statistics
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks._record import Record, parser_of
from engines.core.rows import read_lines
from engines.core.tree import Tree

LIST = Path(__file__).with_name("classical.tsv")
FIRST, MOST = 20, 1_000


def read_forms(path: Path = LIST) -> list[tuple[str, list[str]]]:
    """Heads with their forms, in infix notation."""
    lines = (line.rstrip("\n") for _, line in read_lines(path))
    return [
        (head, forms) for line in lines if not line.startswith("#") for head, *forms in [line.split("\t")]
    ]


def evaluated(tree: Tree) -> str:
    """An expression as SymPy evaluates it by itself."""
    from engines.mathematics.terms.symbolic import to_sympy

    return str(to_sympy(tree))


POINTS = (-3.7123, -1.8311, -0.6127, 0.2391, 0.7113, 1.3717, 2.9171, 11.317)


@cache
def list_functions() -> dict[str, Callable[..., Any]]:
    """Return what works operators out in mpmath, where their names differ or they have no value."""
    import mpmath

    return {
        "+": operator.add,
        "-": operator.sub,
        "*": operator.mul,
        "/": operator.truediv,
        "abs": abs,
        "pow": lambda base, exponent: None if base == 0 and exponent <= 0 else base**exponent,
        "log": lambda base, u: mpmath.log(u) / mpmath.log(base) if base > 0 and u > 0 else None,
        "ln": lambda u: mpmath.log(u) if u > 0 else None,
        "acot": lambda u: mpmath.pi / 2 - mpmath.atan(u),
    }


def value(tree: Tree, x: Any, most: float = math.inf) -> Any:
    """The real value of an expression at a point by mpmath; None where it has none, or one on the way is
    beyond `most`."""
    import mpmath

    known = {"x": x, "pi": mpmath.pi, "e": mpmath.e}
    if not tree.children:
        return known[tree.label] if tree.label in known else mpmath.mpf(tree.label)
    parts = [value(child, x, most) for child in tree.children]
    if any(part is None or abs(part) > most for part in parts):
        return None
    try:
        result = (list_functions().get(tree.label) or getattr(mpmath, tree.label))(*parts)
    except (ZeroDivisionError, ValueError, OverflowError):
        return None
    return result if isinstance(result, mpmath.mpf) and mpmath.isfinite(result) else None


def unsound(head: Tree, members: list[Tree]) -> dict[str, int]:
    """How many members were compared, differ, and are undefined where the head has a value."""
    import mpmath

    result = {"compared": 0, "different": 0, "undefined": 0}
    with mpmath.workdps(80):
        points = [mpmath.mpf(point) for point in POINTS]
        wanted = [(x, v) for x in points if (v := value(head, x)) is not None]
        for member in members:
            pairs = [(v, value(member, x)) for x, v in wanted]
            apart = [abs(v - u) > 1e-25 * (1 + abs(v)) for v, u in pairs if u is not None]
            result["compared"] += bool(pairs)
            result["different"] += any(apart)
            result["undefined"] += any(u is None for _, u in pairs)
    return result


def measured(head: str, forms: list[str]) -> dict[str, Any]:
    from engines.egen.generation import generate
    from engines.formula.reader import read_expression as read

    def members(count: int) -> list[Tree]:
        return [one.tree for one in generate(head, members=count).members]

    began = time.perf_counter()
    first = members(FIRST)
    seconds = time.perf_counter() - began
    everything = members(MOST)
    few = [*map(evaluated, first)]
    many = {*map(evaluated, everything), *few}
    wanted = {form: evaluated(read(form)) for form in forms}
    return {
        "head": head,
        "forms": len(forms),
        "missing": [form for form, key in wanted.items() if key not in many],
        "not_first": [form for form, key in wanted.items() if key not in few],
        "new": len({*few} - {evaluated(read(head))}),
        "first": len(few),
        "seconds": round(seconds, 3),
        **unsound(read(head), first + everything),
    }


def main() -> None:
    kept = Record("classical", parser_of(__doc__).parse_args().out)
    from engines.egen.generation import generate

    generate("x + 1", members=10)  # starts the process, compiled code loaded
    rows = [measured(head, forms) for head, forms in read_forms()]
    total = sum(row["forms"] for row in rows)
    shown = {
        "heads": len(rows),
        "forms": total,
        f"among_{MOST}": total - sum(len(row["missing"]) for row in rows),
        f"among_first_{FIRST}": total - sum(len(row["not_first"]) for row in rows),
        "different_of_first": [sum(row["new"] for row in rows), sum(row["first"] for row in rows)],
        "heads_with_15_different": sum(row["new"] >= 15 for row in rows),
        **{name: sum(row[name] for row in rows) for name in ("compared", "different", "undefined")},
        "median_s": statistics.median(row["seconds"] for row in rows),
    }
    for row in rows:
        print(
            f"{row['head']:24} {row['new']:3} of {row['first']:3} different; missing {row['missing']}",
            end="",
        )
        print(f"; not among the first {[form for form in row['not_first'] if form not in row['missing']]}")
    for name, value in shown.items():
        print(f"{name}: {value}")
    kept.write(shown | {"rows": rows}, libraries=["sympy", "egglog"])


if __name__ == "__main__":
    main()
