"""A corpus as rows for others: CSV, Parquet, or a folder that HuggingFace `datasets` opens.

A row is an expression with its cluster, its verdict and the side of the split that its whole cluster is on.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from engines.core.errors import DataError
from engines.core.files import atomic_folder, atomic_writer, file_error, write_json, write_text
from engines.core.hashing import sha256
from engines.egen.corpus.folder import Corpus, theory_in
from engines.egen.settings import Layout, SplitName

ROWS = pa.schema(
    [
        ("cluster", pa.int32()),
        ("member", pa.int32()),
        ("prefix", pa.string()),
        ("infix", pa.string()),
        ("latex", pa.string()),
        ("tokens", pa.int32()),
        ("verdict", pa.string()),
        ("kept", pa.float32()),
        ("except", pa.string()),
        ("by", pa.string()),
        ("assume", pa.string()),
        ("split", pa.string()),
    ]
)
_MEANT = {
    "cluster": "number of the cluster; expressions of one cluster are equal",
    "member": "place in the cluster; 0 is the head",
    "prefix": "the expression in prefix notation",
    "infix": "the same in infix",
    "latex": "the same in LaTeX",
    "tokens": "length of prefix",
    "verdict": "the expression compared with the head: equal, extends (also defined elsewhere), shrinks, …",
    "kept": "share of the head's points at which the expression is defined",
    "except": "isolated points at which one of the two is undefined",
    "by": "family of classical forms that made it, if one did",
    "assume": "what is assumed of the variables",
    "split": "side of the split that the whole cluster is on",
}
MARK = "corpus.json"
"""A file that every such folder has: what made the corpus."""
_ABOUT = {"reals": "real functions", "logic": "propositional logic", "terms": "a foreign e-graph"}
_ROWS_TOGETHER = 20_000


def export_rows(corpus: Corpus, path: Path, layout: Layout, split: SplitName) -> Counter[str]:
    """Write all expressions in a layout of rows; `dataset` is a folder.

    Returns:
        Clusters by side of the split.
    """
    if layout == "dataset":
        return _write_folder(corpus, path, split)
    sides: Counter[str] = Counter()
    with ExitStack() as open_files:
        if layout == "csv":
            lines = csv.DictWriter(open_files.enter_context(atomic_writer(path)), ROWS.names)
            lines.writeheader()
            add: Callable[[list[dict[str, Any]]], None] = lines.writerows
        else:
            add = _Parquet(open_files, path).add_rows
        for rows in _iterate_clusters(corpus, split):
            sides[rows[0]["split"]] += 1
            add(rows)
    return sides


def _iterate_clusters(corpus: Corpus, split: SplitName) -> Iterator[list[dict[str, Any]]]:
    theory = corpus.theory
    sides = corpus.read_clusters()["split" if split == "paper" else "split_by_shape"].to_pylist()
    for number, members in corpus.iterate_members():
        more = {"assume": corpus.assumption_of_cluster(number), "split": sides[number]}
        results = []
        for row in members.to_pylist():
            shown = theory.to_row(theory.read_term(row["prefix"], "prefix", head=False))
            known = {**row, **{name: shown[name] for name in ("infix", "latex")}, **more}
            results.append({name: known[name] for name in ROWS.names})
        yield results


class _Parquet:
    """Writes rows in groups, the last when its file is closed."""

    def __init__(self, open_files: ExitStack, path: Path) -> None:
        raw = open_files.enter_context(atomic_writer(path, "wb"))
        self._writer = open_files.enter_context(pq.ParquetWriter(raw, ROWS, compression="zstd"))
        self._waiting: list[dict[str, Any]] = []
        open_files.callback(self._write_rows)

    def add_rows(self, rows: list[dict[str, Any]]) -> None:
        self._waiting += rows
        if len(self._waiting) >= _ROWS_TOGETHER:
            self._write_rows()

    def _write_rows(self) -> None:
        if self._waiting:
            self._writer.write_table(pa.Table.from_pylist(self._waiting, ROWS))
            self._waiting.clear()


def _write_folder(corpus: Corpus, path: Path, split: SplitName) -> Counter[str]:
    clusters, expressions, verdicts = Counter[str](), Counter[str](), Counter[str]()
    _refuse_changed(path)
    with atomic_folder(path, MARK) as folder:
        with ExitStack() as open_files:
            writers: dict[str, _Parquet] = {}
            for rows in _iterate_clusters(corpus, split):
                side = rows[0]["split"]
                clusters[side] += 1
                expressions[side] += len(rows)
                verdicts.update(row["verdict"] for row in rows[1:])
                if side not in writers:
                    file_path = folder / "data" / f"{side}-00000-of-00001.parquet"
                    writers[side] = _Parquet(open_files, file_path)
                writers[side].add_rows(rows)
        manifest = corpus.manifest
        made = {name: manifest[name] for name in ("source", "config", "rules", "versions")}
        write_text(
            folder / "README.md", _write_card(corpus, path.name, split, clusters, expressions, verdicts)
        )
        counted = {"split": split, "clusters": clusters, "expressions": expressions}
        files = {name: sha256(folder / name) for name in sorted(_list_files(folder))}
        write_json(folder / MARK, {**made, **counted, "files": files})
    return clusters


def _list_files(folder: Path) -> Iterator[str]:
    return (str(one.relative_to(folder)) for one in folder.rglob("*") if not one.is_dir())


def _refuse_changed(folder: Path) -> None:
    """Refuse an older folder with a file that was added or changed since it was written: a card that somebody
    wrote, a repository."""
    if not (mark := folder / MARK).is_file():
        return  # `atomic_folder` refuses what is no such folder
    try:
        made = json.loads(mark.read_text(encoding="utf-8"))["files"]
        others = (name for name in sorted(_list_files(folder)) if name != MARK)
        other = next((name for name in others if made.get(name) != sha256(folder / name)), None)
    except OSError as error:
        raise file_error(error, folder, "read") from error
    except (ValueError, LookupError, TypeError, AttributeError):
        other = MARK
    if other:
        what = f"the folder holds what was not written here, or was changed since: {other}"
        remedy = "Name a new folder, or remove this one yourself."
        raise DataError(what, path=folder, code="E452", remedy=remedy)


def _write_card(
    corpus: Corpus,
    name: str,
    split: SplitName,
    clusters: Counter[str],
    expressions: Counter[str],
    verdicts: Counter[str],
) -> str:
    config = corpus.manifest["config"]
    order = [side for side in ("train", "validation", "neither") if clusters.get(side)]
    files = "".join(f"  - split: {side}\n    path: data/{side}-*.parquet\n" for side in order)
    sizes = "".join(f"| {side} | {clusters[side]:,} | {expressions[side]:,} |\n" for side in order)
    columns = "".join(f"| `{column}` | {_MEANT[column]} |\n" for column in ROWS.names)
    total = verdicts.total() or 1
    judged = ", ".join(f"{word} {count / total:.2%}" for word, count in sorted(verdicts.items())) or "none"
    own_rules = json.loads(config["rules"]) if config.get("rules") else []
    # Clusters that were grown one by one, or imported, have no common settings.
    grown = "origin" not in corpus.manifest  # else its settings are of one cluster, or of nothing
    theory = theory_in(corpus.manifest)
    about = _ABOUT.get(theory) or json.loads(theory)["name"]
    origin = {"terms of": about, "source": corpus.manifest["source"]["name"]}
    table = f"table {corpus.manifest['rules'][:12]}" + (f" and {len(own_rules)} more" if own_rules else "")
    settings = {
        "mode, style": f"{config['mode']}, {config.get('style', 'any')}",
        "members a head, tokens": f"{config['members']}, {config['max_tokens']}",
        "assumed": config.get("assume", ""),
        "classical forms": config.get("forms", ""),
        "weights": config.get("weights", ""),
        "rules": table if theory == "reals" else "",
        "seed": str(config["seed"]),
    }
    origin |= settings if grown else {"clusters": corpus.manifest["origin"]}
    origin["mathwb"] = corpus.manifest["versions"]["mathwb"]
    cells = {key: " ".join(value.replace("|", "\\|").split()) for key, value in origin.items() if value}
    facts = "".join(f"| {key} | {value} |\n" for key, value in cells.items())
    grouping = "whole template shapes" if split == "shapes" else "whole clusters"
    return f"""---
pretty_name: {json.dumps(name, ensure_ascii=False)}
tags:
- mathematics
- equivalent expressions
configs:
- config_name: default
  data_files:
{files}---

# {name}

{clusters.total():,} clusters of equivalent expressions, {expressions.total():,} expressions in all.
Each was compared with the head of its cluster.

| split | clusters | expressions |
|---|--:|--:|
{sizes}
The split is by {grouping}: no cluster is on two sides. Verdicts of the members: {judged}.

```python
from datasets import load_dataset

rows = load_dataset("PATH_OR_NAME_OF_THIS_FOLDER")
```

| column | holds |
|---|---|
{columns}
| made from | |
|---|---|
{facts}"""
