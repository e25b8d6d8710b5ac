"""What two versions of mathwb cost for the same work, from `--help` to a tiny training.

    .venv/bin/python -m benchmarks.compare_versions OLD NEW [--runs 9] [--only generate] [--out FILE]

OLD and NEW are checkouts, each with its own `.venv/bin/mathwb`. Both run once to warm up, each with a folder
of its own for all that mathwb keeps; then they take turns, so that a busy machine slows both alike. What
counts is the processor time of the whole command and of the processes that it starts: the clock says more of
what else runs. Given are the medians, and the median of the ratios of neighbouring runs with an interval that
holds it in at least 95 of 100 cases (from the order of the ratios; it takes six runs).
"""

from __future__ import annotations

import json
import math
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks._record import Record, parser_of, table
from benchmarks.startup import first_paint_s, terminal_environment, time_command

ANSWERS = Path(__file__).with_name("answer_forms.tsv")
TRAINING = ("train.steps=20", "train.eval_every=20", "train.save_every=20")
SIZE = 80, 24
"""Columns and rows of the terminal of the first paint."""
COVERED = 0.95


def order_interval(values: Sequence[float]) -> tuple[float, float]:
    """Return two of the values between which the median lies in at least 95 of 100 cases.

    Of fewer than six values they are the least and the largest.
    """
    ordered, count = sorted(values), len(values)
    beyond = 0
    # So many values are left out at each end as the binomial distribution of those below the median allows.
    while 2 * sum(math.comb(count, below) for below in range(beyond + 1)) <= (1 - COVERED) * 2**count:
        beyond += 1
    first = max(beyond - 1, 0)
    return ordered[first], ordered[-1 - first]


def write_answers(path: Path) -> None:
    """Write the pairs of the table of answers as JSON Lines."""
    rows = [line.split("\t") for line in ANSWERS.read_text(encoding="utf-8").splitlines() if "\t" in line]
    path.write_text("".join(json.dumps({"gold": row[2], "pred": row[3]}) + "\n" for row in rows))


def list_work(pairs: Path) -> dict[str, list[str]]:
    """Return the arguments of each command, by the name of what it does; none open the screens."""
    head = "sin(2*x)+3"
    settings = [part for setting in TRAINING for part in ("--set", setting)]
    return {
        "help": ["--help"],
        "generate, 20 members": ["egen", "generate", head, "--members", "20", "--json"],
        "generate, 1,000 members": ["egen", "generate", head, "--members", "1000", "--json"],
        "derive": ["egen", "derive", "sin(2*x)", "2*sin(x)*cos(x)", "--json"],
        "grade": ["grade", str(pairs), "--json"],
        "first paint": [],
        "train": ["train", "egen/cl-mean-tiny", "--headless", *settings],
    }


def time_work(checkout: Path, arguments: Sequence[str], home: Path) -> Callable[[], float]:
    """Return what runs a command of a checkout and says the processor time that it took.

    `grade` exits with 1 where not every answer is right, and the table has answers that are wrong.
    """
    command = [str(checkout / ".venv/bin/mathwb"), *arguments]
    environment = terminal_environment(str(home))
    # What is ours would be compiled anew at each start.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if not arguments:
        return lambda: first_paint_s(command, environment, b"mathwb", SIZE).cpu_s
    allowed = (0, 1) if arguments[0] == "grade" else (0,)
    return lambda: time_command(command, environment, allowed).cpu_s


def name_commit(checkout: Path) -> str:
    """Return the commit that a checkout stands at."""
    asked = ["git", "-C", str(checkout), "rev-parse", "--short=12", "HEAD"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


def main() -> None:
    """Measure, print and record."""
    parser = parser_of(__doc__)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--only", default="", help="only what has this in its name")
    arguments = parser.parse_args()
    checkouts = [arguments.old.resolve(), arguments.new.resolve()]
    commits = [name_commit(checkout) for checkout in checkouts]
    kept = Record("compare_versions", arguments.out, old=commits[0], only=arguments.only)
    figures = {}
    with tempfile.TemporaryDirectory() as folder:
        homes = [Path(folder) / name for name in ("old", "new")]
        write_answers(pairs := Path(folder) / "pairs.jsonl")
        for name, work in list_work(pairs).items():
            if arguments.only not in name:
                continue
            runners = [
                time_work(checkout, work, home) for checkout, home in zip(checkouts, homes, strict=True)
            ]
            for run in runners:
                run()
            old, new = zip(*[[run() for run in runners] for _ in range(arguments.runs)], strict=True)
            ratios = [after / before for before, after in zip(old, new, strict=True)]
            figures[name] = {
                "old_cpu_s": [round(seconds, 3) for seconds in old],
                "new_cpu_s": [round(seconds, 3) for seconds in new],
                "old_median_s": round(statistics.median(old), 3),
                "new_median_s": round(statistics.median(new), 3),
                "ratio": round(statistics.median(ratios), 3),
                "ratio_interval": [round(end, 3) for end in order_interval(ratios)],
            }
            print(name, figures[name], flush=True)
    rows = [
        [
            name,
            f"{row['old_median_s']:.2f}",
            f"{row['new_median_s']:.2f}",
            "{:.2f} [{:.2f}, {:.2f}]".format(row["ratio"], *row["ratio_interval"]),
        ]
        for name, row in figures.items()
    ]
    print("\n".join(table(["processor time, s", *commits, "ratio"], rows)))
    kept.write(
        {"new": commits[1], "runs": arguments.runs, **figures}, libraries=("typer", "textual", "torch")
    )


if __name__ == "__main__":
    main()
