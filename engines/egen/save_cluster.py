"""Keeping generated clusters in a corpus that grows by hand, one at a time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from engines.core.errors import DataError
from engines.core.spec import Arg
from engines.egen.expressions.language import LETTERS, read_prefix
from engines.egen.records import EgenConfig

if TYPE_CHECKING:
    from engines.egen.corpus.reader import Corpus
    from engines.egen.corpus.shards import GrownHead, Row

__all__ = ["SaveCluster", "save", "save_cluster"]

_ORIGIN = "saved"
_FACTS = ("stop_reason", "iterations", "nodes", "classes")


@dataclass(frozen=True, slots=True)
class SaveCluster:
    """Keep a generated cluster in a corpus of saved ones, which are all left as they are."""

    cluster: Annotated[Path, Arg("What `mathwb egen generate --out` wrote.", metavar="FILE")]
    out: Annotated[Path, Arg("The corpus folder of saved clusters.", option=True, writes=True)]


def save(spec: SaveCluster) -> dict[str, Any]:
    """Keep a cluster that `generation.document` describes, or its head, stats and some of its members.

    Returns: out and cluster, the number it has there. Raises: DataError E318 when the file holds no such
    document, E456 for what is no real function; EngineError E452 when the folder
    holds a corpus of another kind.
    """
    from engines.egen.corpus.shards import GrownHead

    document = _document(spec.cluster)
    try:
        stats, config = document["stats"], EgenConfig.of(document["config"])
        if config.theory != "reals":
            raise DataError(
                "corpora hold real functions",
                path=spec.cluster,
                code="E456",
                remedy="Keep the file itself.",
            )
        head = {"prefix": document["head"], "verdict": "equal", "kept": 1.0}
        grown = GrownHead(
            0,
            tuple(map(_row, (head, *document["members"]))),
            total_members=str(stats["total_members"]),
            **{name: stats[name] for name in _FACTS},
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise _no_cluster(spec.cluster) from error
    return {"out": str(spec.out), "cluster": save_cluster(spec.out, grown, config)}


def _document(path: Path) -> Mapping[str, Any]:
    from engines.core.files import file_error

    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise file_error(error, path, "read") from error
    except ValueError as error:
        raise _no_cluster(path) from error
    if not isinstance(document, Mapping):
        raise _no_cluster(path)
    return document


def _no_cluster(path: Path) -> DataError:
    return DataError(
        "this is no generated cluster",
        path=path,
        remedy="Make one with: mathwb egen generate EXPR --out FILE",
        code="E318",
    )


def _row(row: Mapping[str, Any]) -> Row:
    from engines.egen.corpus.shards import Row

    length = len(read_prefix(row["prefix"], LETTERS))
    gained, exceptions = bool(row.get("gained", False)), str(row.get("except", ""))
    return Row(row["prefix"], length, row["verdict"], float(row["kept"]), gained, exceptions)


def save_cluster(out: Path, cluster: GrownHead, config: EgenConfig) -> int:
    """Put a cluster into the corpus of saved clusters in `out`, after those that are there.

    One that is there already, with the same members and configuration, is not put there again. Each was grown
    with a configuration of its own: the manifest lists them as `configs`, by number, and as `config` the one
    of the cluster that came last.

    Returns: its number there. Raises: EngineError E452 when the folder holds a corpus of another kind.
    """
    from engines.core.locks import sole_builder
    from engines.egen.corpus.assemble import assemble
    from engines.egen.corpus.build import Plan, refuse_other_folder, versions
    from engines.egen.corpus.shards import BLOCK, header, shard_files, write_shard
    from engines.egen.corpus.sources import Head, Source, skeleton
    from engines.egen.rules.table import table_hash

    refuse_other_folder(out)
    with sole_builder(out, code="E453"):
        kept, configs = _kept(out)
        place, settings = len(kept), config.to_dict()
        for number, old in enumerate(kept):
            if (old.rows, configs[number]) == (cluster.rows, settings):
                return number
        kept.append(replace(cluster, source=place))
        configs.append(settings)
        heads = tuple(
            Head(one.head, "own", skeleton(read_prefix(one.head, LETTERS)), one.rows[0].tokens)
            for one in kept
        )
        shards = {}
        for block in range(-(-len(kept) // BLOCK)):
            stored = write_shard(out / "shards", block, kept[block * BLOCK : (block + 1) * BLOCK])
            shards[block] = out / "shards" / stored.name
        plan = Plan(Source(_ORIGIN, heads), config, table_hash(), versions()).to_dict()
        beginning = header([head.prefix for head in heads], *(old.get("assume", "") for old in configs))
        plan = {**plan, **beginning, "origin": _ORIGIN, "configs": configs}
        assemble(out, plan, heads, shards, seed=0, merge=False)
        for path in set(shard_files(out / "shards")) - set(shards.values()):
            path.unlink()
    return place


def _kept(out: Path) -> tuple[list[GrownHead], list[dict[str, Any]]]:
    from engines.egen.corpus.build import other_folder
    from engines.egen.corpus.reader import open_corpus

    if not any((out / name).exists() for name in ("manifest.json", "plan.json")):
        return [], []
    corpus = open_corpus(out, several=True)
    if corpus.manifest.get("origin") != _ORIGIN:
        what = "this folder holds a corpus that was not made of saved clusters"
        raise other_folder(out, what, "Save to another folder.")
    grown = [_grown(corpus, number) for number in range(corpus.clusters().num_rows)]
    return grown, list(corpus.manifest["configs"])


def _grown(corpus: Corpus, number: int) -> GrownHead:
    from engines.egen.corpus.shards import GrownHead

    (facts,) = corpus.clusters().slice(number, 1).to_pylist()
    rows = corpus.members(number).to_pylist()
    known = {name: facts[name] for name in (*_FACTS, "total_members")}
    return GrownHead(number, tuple(map(_row, rows)), **known)
