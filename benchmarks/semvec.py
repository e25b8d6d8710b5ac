"""SemVec: score at 5 of encoders trained on each set's classes, over seeds, beside the published figures.

`python -m benchmarks.semvec FOLDER [--sets …] [--seeds …] [--cache DIR]` trains each by the recipe
`egen/semvec-small` and measures it on the classes that were never seen; a training that is in the cache is
not made again.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks._record import parser_of, record
from engines.egen.semvec.evaluate import SemVec, evaluate

PUBLISHED = {
    "poly8": {"EQNet": 86.2, "SemEmb": 87.3},
    "simplepoly8": {"EQNet": 98.9, "SemEmb": 98.9},
    "oneVarPoly13": {"EQNet": 90.4, "SemEmb": 99.6},
    "boolean8": {"EQNet": 58.1, "SemEmb": 100.0},
}
"""score_5 in percent of EQNet (Allamanis et al., 2017) and SemEmb (Gangwar and Kani, 2022)."""


def trained(classes: Path, seed: int, folder: Path) -> Path:
    """The model of a training by the recipe, which goes on where it was."""
    words = ["train", "egen/semvec-small", "--headless", "--out", str(folder)]
    words += ["--set", f"data.classes={classes}", "--set", f"seed={seed}"]
    if not (folder / "model").is_dir():
        subprocess.run(
            [sys.executable, "-P", "-c", "from workbench.cli import main; main()", *words], check=True
        )
    return folder / "model"


def measured(classes: Path, seeds: list[int], cache: Path) -> dict[str, Any]:
    """The figures of a set: of each seed, and the mean; the interval is that of the seed in the middle."""
    name = classes.name.partition("-train.")[0]
    runs = []
    for seed in seeds:
        found = evaluate(SemVec(trained(classes, seed, cache / f"{name}-{seed}"), classes))
        runs.append({each["name"]: each for each in found["figures"]})
    values = [run["model"]["value"] for run in runs]
    middle = sorted(runs, key=lambda run: run["model"]["value"])[len(runs) // 2]
    return {
        **{key: found[key] for key in ("expressions", "classes", "asked")},
        "seeds": dict(zip(map(str, seeds), values, strict=True)),
        "mean": mean(values),
        "interval_of_the_middle_seed": middle["model"]["interval"],
        "token_bigrams": middle["token_bigrams"]["value"],
        "values_oracle": middle["values_oracle"]["value"],
        "published": PUBLISHED.get(name, {}),
    }


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path, help="with SET-train.jsonl.gz and the other splits")
    parser.add_argument("--sets", nargs="+", default=list(PUBLISHED))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--cache", type=Path, help="where trainings are kept")
    given = parser.parse_args()
    with TemporaryDirectory(prefix="mathwb-") as place:
        cache = given.cache or Path(place)
        figures = {
            name: measured(given.folder / f"{name}-train.jsonl.gz", given.seeds, cache) for name in given.sets
        }
    record("semvec", figures, libraries=("torch", "numpy"))


if __name__ == "__main__":
    main()
