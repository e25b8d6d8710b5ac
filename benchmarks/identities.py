"""How many identities of the standard tables are derived, and how fast; how many false ones are refused.

    .venv/bin/python -m benchmarks.identities [--family NAME]

Each line of `identities.tsv` is asked of the growth process that every caller uses, once, in the mode that
the list says. One that holds counts when it is derived within two seconds of clock and every line is judged
equal (or, in mode `common`, equal where both are defined); one that does not when it is refused with a point
at which the two differ. Prints the table of `docs/measurements/egen.md`.
"""

from __future__ import annotations

import statistics
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from benchmarks._record import Record, parser_of
from engines.core.errors import DataError
from engines.core.rows import read_lines

LIST = Path(__file__).with_name("identities.tsv")
LIMIT_S = 2.0

Meant = Literal["", "common", "false", "lost"]
"""What the list says of a line; see its head."""
MEANT: tuple[Meant, ...] = get_args(Meant)


@dataclass(frozen=True, slots=True)
class Identity:
    """A line of the list: two expressions in infix notation and what is said of them."""

    line: int
    family: str
    left: str
    right: str
    meant: Meant

    @property
    def holds(self) -> bool:
        """Whether it is to be derived; otherwise it is to be refused."""
        return self.meant in ("", "common")


def read_identities(path: Path = LIST) -> list[Identity]:
    """The lines of a list. Raises: DataError that names the first line that is none."""
    result = []
    for number, line in read_lines(path):
        text = line.rstrip("\n")
        if text.startswith("#") or not text.strip():
            continue
        family, left, right, *rest = [*text.split("\t"), "", ""]
        meant = next((known for known in MEANT if known == rest[0]), None)
        if not right or meant is None or any(rest[1:]):
            raise DataError(f"not family, left, right and {MEANT}", path=path, line=number)
        result.append(Identity(number, family, left, right, meant))
    return result


def asked(identity: Identity) -> dict[str, Any]:
    """What comes of one line: seconds, steps, whether it went as it should, and why not."""
    from engines.egen.egraphs import Derive, derive

    mode: Literal["strict", "common"] = "common" if identity.meant == "common" else "strict"
    began = time.perf_counter()
    result = derive(Derive(identity.left, identity.right, mode=mode))
    seconds = time.perf_counter() - began
    right = bool(result["steps"]) and seconds <= LIMIT_S if identity.holds else bool(result["counterexample"])
    judged = {step["verdict"] for step in result["steps"]}
    return {
        "line": identity.line,
        "family": identity.family,
        "left": identity.left,
        "right": identity.right,
        "holds": identity.holds,
        "as_it_should": right and judged <= {"equal", "extends", *(["shrinks"] if mode == "common" else [])},
        "seconds": round(seconds, 3),
        "steps": [step["rule"] for step in result["steps"][1:]],
        "reason": result["reason"],
    }


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--family", default="")
    arguments = parser.parse_args()
    kept = Record("identities", arguments.out, family=arguments.family)
    from engines.egen.egraphs import Derive, derive

    derive(Derive("x + 1", "1 + x"))  # starts the process, compiled code loaded
    rows = [asked(one) for one in read_identities() if arguments.family in one.family]
    held = [row for row in rows if row["holds"]]
    print("| family | derived within 2 s | of | seconds, median | longest | steps, median |")
    print("|---|--:|--:|--:|--:|--:|")
    for family in [*dict.fromkeys(row["family"] for row in held), "all"]:
        some = [row for row in held if family in (row["family"], "all")]
        seconds = [row["seconds"] for row in some]
        steps = statistics.median(len(row["steps"]) for row in some)
        done = sum(row["as_it_should"] for row in some)
        middle, most = statistics.median(seconds), max(seconds)
        print(f"| {family} | {done} | {len(some)} | {middle:.2f} | {most:.2f} | {steps:g} |")
    false = [row for row in rows if not row["holds"]]
    refused = sum(row["as_it_should"] for row in false)
    print(f"\n{refused} of {len(false)} false ones refused with a counterexample")
    for row in rows:
        if not row["as_it_should"]:
            print(f"line {row['line']}: {row['left']} = {row['right']} ({row['seconds']} s) {row['reason']}")
    figures = {
        "limit_s": LIMIT_S,
        "identities": len(held),
        "derived": sum(row["as_it_should"] for row in held),
        "false": len(false),
        "refused": refused,
        "median_s": statistics.median(row["seconds"] for row in held),
        "worst_s": max(row["seconds"] for row in held),
        "steps_by_name": dict(Counter(step for row in held for step in row["steps"]).most_common()),
        "rows": rows,
    }
    kept.write(figures, libraries=["python-flint", "numpy", "numba"])


if __name__ == "__main__":
    main()
