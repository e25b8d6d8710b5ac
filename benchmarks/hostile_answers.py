r"""What grading accepts that is wrong, and what it refuses that is right.

    .venv/bin/python -m benchmarks.hostile_answers --pairs 10000 --seed 1

Wrong answers are made from correct ones by changing one connective, bracket, quantifier, sign, digit, unit or
side, so that they certainly say something else; each is dressed as people and models write answers. A pair
that is graded *equal* is a false accept. Right answers in other forms are those of `answer_forms.tsv`, which
also has pairs that only look alike. The 150 pairs of `answer_kinds.tsv`, right and wrong, were labelled
before any of them was graded; they are counted by their kinds. Math-Verify is asked about the same pairs
where it is installed, and its time for one pair is limited to five seconds.

`--show` lists the false accepts and the forms that are not judged as they should be.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks._formula_changes import MAKERS, hostile_pairs
from benchmarks._record import Record, parser_of, table
from engines.grading.grades import grade

FORMS = Path(__file__).with_name("answer_forms.tsv")
KINDS = Path(__file__).with_name("answer_kinds.tsv")


def forms(path: Path = FORMS) -> list[tuple[str, bool, str, str]]:
    """Read the pairs of a file: their kind, whether they are the same answer, and both texts."""
    rows = [
        line.split("\t")
        for line in path.read_text(encoding="utf-8").splitlines()
        if line[:1] not in ("", "#")
    ]
    return [(kind, same == "same", gold, pred) for kind, same, gold, pred in rows]


def math_verify() -> Callable[[str, str], bool] | None:
    """Math-Verify's judgement, where it is installed."""
    try:
        module = import_module("math_verify")
    except ModuleNotFoundError:
        return None

    def accepts(gold: str, pred: str) -> bool:
        dressed = gold if "$" in gold else f"${gold}$"
        parsed = [
            module.parse(text) for text in (dressed, pred if "$" in pred or "boxed" in pred else f"${pred}$")
        ]
        return bool(module.verify(*parsed))

    return accepts


def _count_accepted(rows: list[tuple[str, bool, str, str]], accepts: Callable[[str, str], bool]) -> list[str]:
    """Count the accepted pairs among those that are the same answer, and among the others."""
    groups = ([row for row in rows if row[1] == same] for same in (True, False))
    return [f"{sum(accepts(*row[2:]) for row in group)} of {len(group)}" for group in groups]


def _accepts(gold: str, pred: str) -> bool:
    return grade(gold, pred).accepted


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--pairs", type=int, default=10_000, help="how many wrong answers")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="list what is judged wrongly")
    args = parser.parse_args()
    record = Record("hostile_answers", args.out, forms=FORMS, kinds=KINDS, pairs=args.pairs, seed=args.seed)
    judges: dict[str, Callable[[str, str], bool]] = {"mathwb": _accepts}
    if (other := math_verify()) is not None:
        judges["Math-Verify"] = other
    pairs, rows, kinds = list(hostile_pairs(args.pairs, args.seed)), forms(), forms(KINDS)
    totals = Counter(kind for kind, _, _ in pairs)
    figures: dict[str, Any] = {"pairs": dict(totals)}
    columns: dict[str, list[str]] = defaultdict(list)
    by_kind: dict[str, list[str]] = defaultdict(list)
    for name, accepts in judges.items():
        begin = time.process_time()
        accepted = [(kind, gold, pred) for kind, gold, pred in pairs if accepts(gold, pred)]
        seconds = time.process_time() - begin
        counts = Counter(kind for kind, _, _ in accepted)
        wrong = [row for row in rows if accepts(row[2], row[3]) != row[1]]
        same = [row for row in rows if row[1]]
        missed = [row for row in wrong if row[1]]
        figures[name] = {
            "false_accepts": dict(counts),
            "processor_s": round(seconds, 1),
            "forms_accepted": [len(same) - len(missed), len(same)],
            "forms_missed": [list(row) for row in missed],
            "look_alikes_accepted": [list(row) for row in wrong if not row[1]],
            "kinds_judged_wrongly": [list(row) for row in kinds if accepts(row[2], row[3]) != row[1]],
        }
        for kind in dict.fromkeys(row[0] for row in kinds):
            by_kind[kind] += _count_accepted([row for row in kinds if row[0] == kind], accepts)
        by_kind["all"] += _count_accepted(kinds, accepts)
        for kind in MAKERS:
            columns[kind].append(f"{counts[kind]:,}")
        columns["all"].append(f"{counts.total():,}")
        columns["other forms accepted"].append(f"{len(same) - len(missed)} of {len(same)}")
        columns["look-alikes accepted"].append(f"{len(wrong) - len(missed)} of {len(rows) - len(same)}")
        if args.show:
            for kind, gold, pred in accepted:
                print(f"{name} accepts\t{kind}\t{gold}\t{pred}")
            for kind, is_same, gold, pred in wrong:
                print(f"{name} {'misses' if is_same else 'accepts'}\t{kind}\t{gold}\t{pred}")
    heads = ["changed", "pairs", *judges]
    counted = {**totals, "all": len(pairs)}
    body = [[kind, f"{counted[kind]:,}" if kind in counted else "", *columns[kind]] for kind in columns]
    print("\n".join(table(heads, body)))
    heads = [
        "150 pairs",
        *(f"{name}: {what}" for name in judges for what in ("right accepted", "wrong accepted")),
    ]
    print("\n".join(table(heads, [[kind, *found] for kind, found in by_kind.items()])))
    record.write(figures)


if __name__ == "__main__":
    main()
