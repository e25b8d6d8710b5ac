"""How many classical forms of textbook heads are among their members, and how different the first ones are.

    .venv/bin/python -m benchmarks.classical [--out FILE]

`classical.tsv` was written before what makes these forms. Expressions count as the same form where SymPy's
automatic evaluation (signs, order, like terms, periods; no simplification) makes them the same, so that what
counts as different is decided by another program. For every head: which of its forms are among 1,000 members
and among the first 20, how many of the first 20 differ from each other and the head, and the seconds
that the 20 take. Prints the table of `docs/measurements/egen.md`.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import Any

from benchmarks._record import Record, parser_of
from engines.core.files import read_lines
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
    from engines.core.symbolic import to_sympy

    return str(to_sympy(tree))


def measured(head: str, forms: list[str]) -> dict[str, Any]:
    from engines.egen.expressions.notation import read
    from engines.egen.generation import Generate, generate

    def members(count: int) -> list[str]:
        return [evaluated(one.tree) for one in generate(Generate(head, members=count)).members]

    began = time.perf_counter()
    few = members(FIRST)
    seconds = time.perf_counter() - began
    many = {*members(MOST), *few}
    wanted = {form: evaluated(read(form)) for form in forms}
    return {
        "head": head,
        "forms": len(forms),
        "missing": [form for form, key in wanted.items() if key not in many],
        "not_first": [form for form, key in wanted.items() if key not in few],
        "different": len({*few} - {evaluated(read(head))}),
        "first": len(few),
        "seconds": round(seconds, 3),
    }


def main() -> None:
    kept = Record("classical", parser_of(__doc__).parse_args().out)
    from engines.egen.generation import Generate, generate

    generate(Generate("x + 1", members=10))  # starts the process, compiled code loaded
    rows = [measured(head, forms) for head, forms in read_forms()]
    total = sum(row["forms"] for row in rows)
    shown = {
        "heads": len(rows),
        "forms": total,
        f"among_{MOST}": total - sum(len(row["missing"]) for row in rows),
        f"among_first_{FIRST}": total - sum(len(row["not_first"]) for row in rows),
        "different_of_first": [sum(row["different"] for row in rows), sum(row["first"] for row in rows)],
        "heads_with_15_different": sum(row["different"] >= 15 for row in rows),
        "median_s": statistics.median(row["seconds"] for row in rows),
    }
    for row in rows:
        print(
            f"{row['head']:24} {row['different']:3} of {row['first']:3} different; missing {row['missing']}",
            end="",
        )
        print(f"; not among the first {[form for form in row['not_first'] if form not in row['missing']]}")
    for name, value in shown.items():
        print(f"{name}: {value}")
    kept.write(shown | {"rows": rows}, libraries=["sympy", "egglog"])


if __name__ == "__main__":
    main()
