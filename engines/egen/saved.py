"""A corpus that grows by hand: clusters that the user kept, one at a time."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from engines.core.errors import EngineError
from engines.core.locks import sole_builder
from engines.egen.assemble import assemble
from engines.egen.build import Plan, versions
from engines.egen.corpus import Corpus, open_corpus
from engines.egen.language import read_prefix
from engines.egen.records import EgenConfig
from engines.egen.rules import table_hash
from engines.egen.shards import BLOCK, GrownHead, Row, write_shard
from engines.egen.sources import Head, Source, skeleton

__all__ = ["save_cluster"]

_ORIGIN = "saved"


def save_cluster(out: Path, cluster: GrownHead, config: EgenConfig) -> int:
    """Put a cluster into the corpus of saved clusters in `out`, in place of an older one with the same head.

    Each was grown with a configuration of its own: the manifest lists them as `configs`, by number, and as
    `config` the one of the cluster that came last.

    Returns: its number there. Raises: EngineError E452 when the folder holds a corpus of another kind.
    """
    with sole_builder(out, code="E453"):
        kept, configs = _kept(out)
        place = next((n for n, old in enumerate(kept) if old.head == cluster.head), len(kept))
        kept[place : place + 1] = [cluster]
        configs[place : place + 1] = [asdict(config)]
        kept = [replace(grown, source=number) for number, grown in enumerate(kept)]
        heads = tuple(
            Head(grown.head, "own", skeleton(read_prefix(grown.head)), grown.rows[0].tokens) for grown in kept
        )
        shards = {}
        for block in range(-(-len(kept) // BLOCK)):
            stored = write_shard(out / "shards", block, kept[block * BLOCK : (block + 1) * BLOCK])
            shards[block] = out / "shards" / stored.name
        plan = Plan(Source(_ORIGIN, heads), config, table_hash(), versions()).to_dict()
        plan = {**plan, "origin": _ORIGIN, "configs": configs}
        assemble(out, plan, heads, shards, seed=0, merge=False)
        for path in set((out / "shards").glob("shard-*.parquet")) - set(shards.values()):
            path.unlink()
    return place


def _kept(out: Path) -> tuple[list[GrownHead], list[dict[str, Any]]]:
    if not any((out / name).exists() for name in ("manifest.json", "plan.json")):
        return [], []
    corpus = open_corpus(out)
    if corpus.manifest.get("origin") != _ORIGIN:
        raise EngineError(
            "this folder holds a corpus that was not made of saved clusters",
            where=str(out),
            remedy="Save to another folder.",
            code="E452",
            exit_code=2,
        )
    grown = [_grown(corpus, number) for number in range(corpus.clusters().num_rows)]
    return grown, list(corpus.manifest["configs"])


def _grown(corpus: Corpus, number: int) -> GrownHead:
    (facts,) = corpus.clusters().slice(number, 1).to_pylist()
    rows = corpus.members(number).select(["prefix", "tokens", "verdict", "kept", "gained"]).to_pylist()
    known = (facts[name] for name in ("stop_reason", "iterations", "nodes", "classes", "total_members"))
    return GrownHead(number, tuple(Row(**row) for row in rows), *known)
