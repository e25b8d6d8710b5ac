"""Where clusters come from: finished corpora, corpora that are being built, and what was grown and not kept.

All of them give the same two kinds of records (see `looks`), so that the screen need not know which it shows.
Reading is for threads; nothing here touches the screen.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from engines.core.errors import DataError
from screens.egraphs.forms import infix
from screens.text import count

__all__ = ["Building", "Expression", "Finished", "Source", "corpus_names", "open_source"]

_LIMITS = ("nodes", "iterations", "time_s")
_SETTINGS = ("members", "max_tokens", "mode", "padding", "seed")


class Expression(dict[str, Any]):
    """A record of a head or member; its infix form and its operators are made when a filter asks for them."""

    def get(self, name: str, default: Any = None) -> Any:
        """The field, as `dict.get`."""
        if name == "infix":
            return infix(self["head" if "head" in self else "prefix"])
        if name == "op" and "op" not in self:
            return self["prefix"].split()
        return super().get(name, default)


class Source(Protocol):
    """Clusters, and the members of each."""

    name: str
    state: str
    """What there is to say about it as a whole; nothing when it is finished."""

    def settings(self, cluster: int) -> Mapping[str, Any]:
        """With what a cluster was made, as parameters of `egen.generate`."""

    def facts(self, cluster: int) -> Mapping[str, Any]:
        """What is known of its making, for `i`: rules (hash of the table), versions and the like."""

    def clusters(self) -> list[Expression]:
        """One record per cluster."""

    def members(self, cluster: int) -> list[Expression]:
        """The head, number 0, and the members of a cluster."""


def corpus_names(folder: Path) -> list[str]:
    """The corpora of a workspace, finished or not; samples first."""
    found = [
        path.name
        for path in folder.iterdir()
        if (path / "manifest.json").exists() or (path / "plan.json").exists()
    ]
    return sorted(found, key=lambda name: (not name.startswith("sample"), name))


def open_source(path: Path) -> Source:
    """Open a corpus. Raises: DataError when there is none, or when it is damaged."""
    return Finished(path) if (path / "manifest.json").exists() else Building(path)


def _settings(config: Mapping[str, Any]) -> dict[str, Any]:
    limits = {name: config["limits"][name] for name in _LIMITS if name in config.get("limits", {})}
    return {**{name: config[name] for name in _SETTINGS if name in config}, **limits}


def _head_seed(seed: int, head: str) -> int:
    from engines.egen.workers import head_seed

    return head_seed(seed, head)


def _cluster(row: Mapping[str, Any], outcomes: Mapping[str, int], seed: int) -> Expression:
    members = max(1, row["size"] - 1)
    words = ["all"] if outcomes.get("equal", 0) >= row["size"] - 1 else [w for w, n in outcomes.items() if n]
    return Expression(
        id=str(row["cluster"]),
        cluster=row["cluster"],
        head=row["head"],
        op=row["operators"],
        size=row["size"],
        tok=row["mean_tokens"],
        verdict=words,
        equal=outcomes.get("equal", 0) / members if row["size"] > 1 else 1.0,
        kind=row["kind"],
        stop=row["stop_reason"],
        nodes=row["nodes"],
        classes=row["classes"],
        iterations=row["iterations"],
        total=int(row["total_members"]),
        seed=seed,
    )


def _member(number: int, row: Mapping[str, Any]) -> Expression:
    names = ("prefix", "tokens", "verdict", "kept", "gained")
    return Expression(id=str(number), member=number, **{name: row[name] for name in names})


class Finished:
    """A corpus with its manifest."""

    state = ""

    def __init__(self, path: Path) -> None:
        from engines.egen.corpus import open_corpus

        self.name = path.name
        self._corpus = open_corpus(path)
        self._lock = threading.Lock()

    def _config(self, cluster: int) -> Mapping[str, Any]:
        """The configuration of the corpus, or the cluster's own where each was kept with its own."""
        manifest = self._corpus.manifest
        config: Mapping[str, Any] = manifest["configs"][cluster] if self._kept else manifest["config"]
        return config

    @property
    def _kept(self) -> bool:
        return "configs" in self._corpus.manifest

    def settings(self, cluster: int) -> Mapping[str, Any]:
        """The configuration in the manifest."""
        return _settings(self._config(cluster))

    def facts(self, cluster: int) -> Mapping[str, Any]:
        """What the manifest says, without its lists of files."""
        manifest = {**self._corpus.manifest, "config": self._config(cluster)}
        return {
            name: manifest[name] for name in ("source", "config", "rules", "versions") if name in manifest
        }

    def clusters(self) -> list[Expression]:
        """The table of clusters."""
        from engines.egen.assemble import OUTCOMES

        with self._lock:
            rows = self._corpus.clusters().to_pylist()
        return [_cluster(row, {name: row[name] for name in OUTCOMES}, self._seed(row)) for row in rows]

    def _seed(self, row: Mapping[str, Any]) -> int:
        seed: int = self._config(row["cluster"])["seed"]
        return seed if self._kept else _head_seed(seed, row["head"])

    def members(self, cluster: int) -> list[Expression]:
        """The rows of its shard."""
        with self._lock:
            rows = self._corpus.members(cluster).to_pylist()
        return [_member(row["member"], row) for row in rows]


class Building:
    """A corpus that is not finished: the shards that are there, in the order of the heads."""

    def __init__(self, path: Path) -> None:
        from engines.egen.shards import read_shard, stored_shards

        self.name = path.name
        try:
            self._plan = json.loads((path / "plan.json").read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise DataError("the plan of this corpus cannot be read", path=path / "plan.json") from error
        stored = stored_shards(path / "shards")
        self._shards = [read_shard(stored[block]) for block in sorted(stored)]
        total = -(-self._plan["source"]["heads"] // self._plan["block"])
        self.state = f"not finished: {count(len(stored))} of {count(total)} shards"

    def settings(self, cluster: int) -> Mapping[str, Any]:  # noqa: ARG002
        """The configuration in the plan."""
        return _settings(self._plan["config"])

    def facts(self, cluster: int) -> Mapping[str, Any]:  # noqa: ARG002
        """The plan."""
        return {name: self._plan[name] for name in ("source", "config", "rules", "versions")}

    @cached_property
    def _rows(self) -> dict[int, list[dict[str, Any]]]:
        found: dict[int, list[dict[str, Any]]] = {}
        for shard in self._shards:
            for row in shard.rows.to_pylist():
                found.setdefault(row["source"], []).append(row)
        return found

    def clusters(self) -> list[Expression]:
        """The heads that were grown so far."""
        facts = {head["source"]: head for shard in self._shards for head in shard.heads}
        return [self._describe(source, rows, facts[source]) for source, rows in sorted(self._rows.items())]

    def _describe(self, source: int, rows: Sequence[dict[str, Any]], facts: Mapping[str, Any]) -> Expression:
        outcomes: dict[str, int] = {}
        for row in rows[1:]:
            outcomes[row["verdict"]] = outcomes.get(row["verdict"], 0) + 1
        row = {
            **facts,
            "cluster": source,
            "head": rows[0]["prefix"],
            "operators": sorted(set(rows[0]["prefix"].split())),
            "size": len(rows),
            "mean_tokens": sum(row["tokens"] for row in rows) / len(rows),
            "kind": "",
        }
        return _cluster(row, outcomes, _head_seed(self._plan["config"]["seed"], row["head"]))

    def members(self, cluster: int) -> list[Expression]:
        """The rows of a head."""
        return [_member(number, row) for number, row in enumerate(self._rows[cluster])]
