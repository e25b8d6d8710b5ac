"""Whether members of heads with several variables and assumptions hold at other points too.

.venv/bin/python -m benchmarks.several_variables
"""

from __future__ import annotations

import time
from collections import Counter

from benchmarks._record import Record, parser_of, table
from engines.egen.egraph.growth import Grower
from engines.egen.egraph.members import generate
from engines.egen.records import EgenConfig, Limits
from engines.egen.theories.theory import theory_of

HEADS = (
    ("(x+y)^2/(x-y)", ""),
    ("ln(x y) - ln(y)", "x > 0, y > 0"),
    ("sqrt(a^2 b^2)", "a < 0, b > 0"),
    ("x^n y^n / x^m", "n m integers, x > 0"),
    ("sin(x+y) - sin(x-y)", ""),
    ("cos(n pi + x)", "n integer"),
    ("abs(x - y) + abs(y - x)", "x > y"),
    ("e^(x+y)/e^y", ""),
    ("a x^2 + b x + c", "a != 0"),
    ("sqrt(1 - x^2)/sqrt(1 - x)", "-1 < x < 1"),
    ("tanh(x) + tanh(y)", ""),
    ("(x^a)^b", "x > 0"),
    ("(-1)^n (-1)^m", "n m integers"),
    ("atan(x/y) + atan(y/x)", "x > 0, y > 0"),
    ("1/n + 1/(n+1)", "n integer, n > 0"),
    ("x y z t u v", ""),
    ("ln(x^n)", "n integer, x < 0"),
    ("d/dx(a x^n)", "n integer, x > 0"),
    ("sqrt(x-y) sqrt(x-y)", "x >= y"),
    ("abs(n)/n", "n integer, n != 0"),
)
MEMBERS, NODES, OTHER_SEED = 150, 1_500, 77


def main() -> None:
    """Measure, print and record."""
    kept = Record("several_variables", parser_of(__doc__).parse_args().out)
    grower = Grower("strict", theory=theory_of("reals", "x > 0"))
    verdicts: Counter[str] = Counter()
    seconds = []
    for text, assume in HEADS:
        head = theory_of("reals", assume).read(text)
        config = EgenConfig(members=MEMBERS, style="plain", assume=assume, limits=Limits(nodes=NODES))
        begun = time.perf_counter()
        cluster = generate(head, config, grower=grower)
        seconds.append(time.perf_counter() - begun)
        judge = theory_of("reals", assume, head).judge(head, seed=OTHER_SEED)
        verdicts.update(found.outcome for found in judge.check([one.tree for one in cluster.members]))
    figures = {"heads": len(HEADS), "members": verdicts.total(), **verdicts, "slowest_head_s": max(seconds)}
    print("\n".join(table(["", "number"], [(name, f"{number:.6g}") for name, number in figures.items()])))
    kept.write(figures, libraries=("egglog", "python-flint"))


if __name__ == "__main__":
    main()
