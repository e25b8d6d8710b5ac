"""SemVec: score at 5 of encoders trained on each set's classes, over seeds, beside the published figures.

`python -m benchmarks.semvec FOLDER [--sets …] [--seeds …] [--steps N] [--cache DIR]` trains each by the
recipe `egen/semvec-small` (with other steps where they are given) and measures it on the classes that were
never seen; a training that is in the cache is not made again. Longer trainings have a record of their own.
`--develop STEPS …` compares lengths of training without a look at those classes: three of ten training
classes are kept apart and asked for instead.
"""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks._record import Record, parser_of
from engines.egen.semvec.evaluate import SemVec, Split, evaluate, split_file

PUBLISHED = {
    "poly8": {"EQNet": 86.2, "SemEmb": 87.3},
    "simplepoly8": {"EQNet": 98.9, "SemEmb": 98.9},
    "oneVarPoly13": {"EQNet": 90.4, "SemEmb": 99.6},
    "boolean8": {"EQNet": 58.1, "SemEmb": 100.0},
}
"""score_5 in percent of EQNet (Allamanis et al., 2017) and SemEmb (Gangwar and Kani, 2022)."""


def trained(classes: Path, seed: int, folder: Path, *settings: str) -> Path:
    """The model of a training by the recipe and the settings, which goes on where it was."""
    words = ["train", "egen/semvec-small", "--headless", "--out", str(folder)]
    for setting in (f"data.classes={classes}", f"seed={seed}", *settings):
        words += ["--set", setting]
    if not (folder / "model").is_dir():
        subprocess.run(
            [sys.executable, "-P", "-c", "from workbench.cli import main; main()", *words], check=True
        )
    return folder / "model"


def measured(classes: Path, seeds: list[int], steps: list[str], cache: Path) -> dict[str, Any]:
    """The figures of a set: of each seed, and the mean; the interval is that of the seed in the middle."""
    name = classes.name.partition("-train.")[0]
    runs = []
    for seed in seeds:
        folder = trained(classes, seed, cache / "-".join([name, str(seed), *steps]), *steps)
        found = evaluate(SemVec(folder, classes))
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


def developed(classes: Path, steps: list[int], cache: Path) -> dict[str, Any]:
    """score_5 on training classes that were kept apart, by length of training."""
    name = classes.name.partition("-train.")[0]
    parts: dict[Split, list[dict[str, Any]]] = {}
    for split in ("train", "validation"):
        with gzip.open(split_file(classes, split), "rt", encoding="utf-8") as lines:
            parts[split] = [json.loads(line) for line in lines]
    order = random.Random(0).sample(parts["train"], len(parts["train"]))
    cut = len(order) * 3 // 10
    parts["neweqtest"], parts["train"] = order[:cut], order[cut:]
    known = {row["class"] for row in parts["train"]}
    parts["validation"] = [row for row in parts["validation"] if row["class"] in known]
    begun = cache / f"{name}part-train.jsonl.gz"
    for split, rows in parts.items():
        text = "".join(f"{json.dumps(row)}\n" for row in rows)
        split_file(begun, split).write_bytes(gzip.compress(text.encode(), mtime=0))
    found = {}
    for count in steps:
        folder = trained(begun, 0, cache / f"{name}part-{count}", f"steps={count}")
        figures = evaluate(SemVec(folder, begun))["figures"]
        found[str(count)] = next(each for each in figures if each["name"] == "model")
    return {"classes": len(order) - cut, "kept_apart": cut, "by_steps": found}


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path, help="with SET-train.jsonl.gz and the other splits")
    parser.add_argument("--sets", nargs="+", default=list(PUBLISHED))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--cache", type=Path, help="where trainings are kept")
    parser.add_argument("--steps", type=int)
    parser.add_argument("--develop", nargs="+", type=int, metavar="STEPS")
    given = parser.parse_args()
    name = "semvec_develop" if given.develop else "semvec_longer" if given.steps else "semvec"
    asked = {"sets": given.sets, "seeds": given.seeds, "steps": given.steps or given.develop}
    kept = Record(name, given.out, folder=given.folder, **asked)
    with TemporaryDirectory(prefix="mathwb-") as place:
        cache = given.cache or Path(place)
        cache.mkdir(parents=True, exist_ok=True)
        if given.develop:
            sets = {name: given.folder / f"{name}-train.jsonl.gz" for name in given.sets}
            found = {name: developed(classes, given.develop, cache) for name, classes in sets.items()}
            kept.write(found, libraries=("torch", "numpy"))
            return
        steps = [f"steps={given.steps}"] if given.steps else []
        figures = {
            name: measured(given.folder / f"{name}-train.jsonl.gz", given.seeds, steps, cache)
            for name in given.sets
        }
    kept.write(figures, libraries=("torch", "numpy"))


if __name__ == "__main__":
    main()
