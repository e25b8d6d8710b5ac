"""What `mathwb repro` shows as ours, from the records in `benchmarks/results` and the pages in `docs`.

    .venv/bin/python -m benchmarks.repro

writes `assets/results/<paper>/table-<n>-<row>.json` anew, one for each row of a paper's table of which
something was measured, with setting, command, record and commit. Run it when a record has changed; a test
fails until then. A row of a name that the paper lacks is ours and has no number of the paper.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

from benchmarks._record import RESULTS
from engines.core.system import asset
from workbench.repro import save_result

ROOT = RESULTS.parents[1]


@dataclass(frozen=True, slots=True)
class Measured:
    """A row of ours. `values`: by measure where it stands: in a result the keys to it and those to its
    interval; on a page a heading and the words that stand before it."""

    engine: str
    table: int
    row: str
    record: str
    setting: str
    command: str
    values: Mapping[str, tuple[str, str]]
    times: float = 1.0

    def save(self, folder: Path) -> Path:
        """Write it below a folder, as `mathwb repro` reads it."""
        path = ROOT / self.record
        read = _of_page if path.suffix == ".md" else _of_result
        values = {name: read(path, where, self.times) for name, where in self.values.items()}
        commit = "" if path.suffix == ".md" else json.loads(path.read_bytes())["commit"]
        named = {"setting": self.setting, "command": self.command, "record": self.record, "commit": commit}
        return save_result(folder, self.engine, table=self.table, row=self.row, values=values, **named)


def _of_result(path: Path, where: tuple[str, str], times: float) -> dict[str, float]:
    figures = json.loads(path.read_bytes())["figures"]
    value: Any
    bounds: Any
    value, bounds = (reduce(getitem, keys.split("/"), figures) if keys else None for keys in where)
    found = {"mean": value} if bounds is None else {"mean": value, "low": bounds[0], "high": bounds[1]}
    return {name: round(number * times, 4) for name, number in found.items()}


def _of_page(path: Path, where: tuple[str, str], times: float) -> dict[str, float]:
    """The first figure behind the words; its interval where one follows."""
    text = path.read_text("utf-8")
    for words in where:
        _, found, text = text.partition(words)
        assert found, (path, words)
    number = re.match(r"\s*([\d.]+)(?: %)?(?: \[([\d.]+), ([\d.]+)\])?", text)
    assert number, (path, where)
    names = zip(("mean", "low", "high"), number.groups(), strict=True)
    return {name: float(value) * times for name, value in names if value}


def _egen() -> Iterator[Measured]:
    tables = {4: "kmeans", 6: "semantic", 8: "mistakes", 10: "algebra", 15: "retrieval"}
    record, page = "benchmarks/results/egen_tables.json", "docs/measurements/egen.md"
    figures = json.loads((ROOT / record).read_bytes())["figures"]
    size, steps = figures["size"], figures["steps"]
    sample = "egen_clusters_sample.jsonl.gz"
    benchmark = f"python -m benchmarks.egen_tables {sample} --cache FOLDER --corpus padded --size {size}"
    for number, task in tables.items():
        for row, measures in figures[task]["figures"].items():
            at = {name: f"{task}/figures/{row}/{name}" for name in measures}
            yield Measured(
                "egen",
                number,
                row,
                record,
                f"{size} recipe, {steps} steps; published sample",
                f"{benchmark} --steps {steps} (in full in docs/measurements/egen.md)",
                {name: (f"{place}/value", f"{place}/interval") for name, place in at.items()},
            )
    both = {
        4: {"kmeans_accuracy": "| K-means |"},
        6: {"semantic_accuracy": "| semantic understanding |"},
        8: {
            f"{name}_{key.lower()}": f"| {words}: {key} |"
            for name, words in (("none", "right steps"), ("mistake", "mistakes"))
            for key in ("precision", "recall", "F1")
        },
        10: {"algebra_accuracy": "| embedding algebra |"},
        15: {f"retrieval_at_{k}": f"| retrieval at {k} |" for k in (5, 10, 15, 20)},
    }
    for number, words in both.items():
        command = f"mathwb egen eval {tables[number]} egen-both --data {sample}"
        values = {name: ("### Results", line) for name, line in words.items()}
        yield Measured("egen", number, "egen-both", page, "it ships; published sample", command, values)
    corpus = {"operators": "operators", "cluster_size": "cluster size, mean", "tokens": "tokens, mean"}
    values = {name: ("## A corpus of all templates", f"| {words} |") for name, words in corpus.items()}
    command = "mathwb egen corpus --templates all --style any --workers 2 --out all && mathwb egen stats all"
    yield Measured("egen", 3, "corpus", page, "all 4,944 templates, --style any", command, values)


def _mwp() -> Iterator[Measured]:
    record = "benchmarks/results/mwp_rows.json"
    rows = json.loads((ROOT / record).read_bytes())["figures"]["rows"]
    shown = {
        "BERT-GTS": "bert-gts-on",
        "+ supervised CL": "cl",
        "+ RODA CL": "cl-roda",
        "+ QR CL": "cl-qr",
        "+ CL": "cl-all",
    }
    for row, name in shown.items():
        folds = ",".join(str(run["fold"]) for run in rows[name]["runs"])
        yield Measured(
            "mwp",
            2,
            row,
            record,
            f"MiniLM, adapters, few epochs; fold {folds}",
            f"python -m benchmarks.mwp_rows {name} --cache DIR --data FOLDER --folds {folds}",
            {"accuracy_asdiv_a": (f"rows/{name}/asdiv-a/answer_accuracy", f"rows/{name}/asdiv-a/ci95")},
            times=100,
        )
    page = "docs/measurements/mwp.md"
    sets = {
        "Math23K": {
            "problems_train": "problems to train on",
            "templates": "templates of those with an equation",
        },
        "ASDiv-A": {"problems_train": "problems of folds 0 to 3", "templates": "templates"},
        "HE-MWP": {"problems_test": "problems", "templates": "templates"},
    }
    command = "mathwb mwp problems FILE"
    for row, words in sets.items():
        begin = f"| {row} as made anew" if row == "HE-MWP" else f"| {row}"
        values = {name: ("Table 1", f"{begin}, {line} |") for name, line in words.items()}
        setting = "made anew" if row == "HE-MWP" else "files at hand; some equations are withheld"
        yield Measured("mwp", 1, row, page, setting, command, values)
    yield Measured(
        "mwp",
        2,
        "GTS",
        "docs/measurements/mwp.md",
        "half the widths, 6 epochs; validation split",
        "mathwb train mwp/gts-zh-small --headless --out gts && "
        "mathwb mwp eval gts/model math23k_valid.jsonl.gz",
        {"accuracy_math23k": ("GTS itself", "to choose the model by:")},
    )


def _arqmath() -> Iterator[Measured]:
    shown = {
        "BM25": ("second", "collection", "BM25"),
        "lexical + dense + questions": ("second", "collection", "lexical + dense + questions"),
        "arqmath-reranker": ("reranker", "judged", "reranker alone"),
    }
    for row, (record, pool, system) in shown.items():
        options = "--reranker assets/models/arqmath-reranker" if record == "reranker" else "--second"
        yield Measured(
            "arqmath",
            2,
            row,
            f"benchmarks/results/arqmath_{record}.json",
            f"mini collection, {'its judged answers alone' if pool == 'judged' else '3,395 answers'}",
            f"python -m benchmarks.arqmath COLLECTION --cache DIR {options}",
            {
                f"{measure}_{year}": (
                    f"reports/{year}/{pool}/{system}/{measure}",
                    f"reports/{year}/{pool}/{system}/ndcg_prime_interval" if "ndcg" in measure else "",
                )
                for year in ("2020", "2021")
                for measure in ("ndcg_prime", "map_prime", "p10_prime")
            },
        )


def _mathamr() -> Iterator[Measured]:
    shown = {
        "AMRText w. OPTText": "mathamr",
        "AMRText w. LaTeX": "amr-latex",
        "RawText w. OPTText": "raw-opt",
        "RawText w. LaTeX": "raw-latex",
        "OPTText": "opt",
        "paths of the index": "paths",
    }
    record = "benchmarks/results/mathamr.json"
    topics = json.loads((ROOT / record).read_bytes())["figures"]["judged"]["visual"]["2021"]["topics"]
    for row, kind in shown.items():
        place = f"judged/visual/2021/{kind}"
        measures = ("ndcg5_prime", "ndcg10_prime", "p5_prime", "p10_prime")
        untrained = "" if kind == "paths" else ", MiniLM untrained"
        yield Measured(
            "mathamr",
            1,
            row,
            record,
            f"mini collection, {topics} topics of 2021{untrained}",
            "python -m benchmarks.mathamr COLLECTION --cache DIR (in full in docs/measurements/mathamr.md)",
            {
                name: (f"{place}/{name}", f"{place}/ndcg10_interval" if name == "ndcg10_prime" else "")
                for name in measures
            },
        )


def measured() -> list[Measured]:
    """All rows of ours."""
    return [*_egen(), *_mwp(), *_arqmath(), *_mathamr()]


def main() -> None:
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    for row in measured():
        print(row.save(asset("repro").parent))


if __name__ == "__main__":
    main()
