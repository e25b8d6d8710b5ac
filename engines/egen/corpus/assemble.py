"""From finished shards to a corpus: merge equal heads, describe clusters, split, sign with a manifest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, get_args

import pyarrow as pa
import pyarrow.compute as pc

from engines.core.errors import EngineError
from engines.core.files import write_bytes, write_json
from engines.core.tree import Tree
from engines.egen.assumptions import read_assumptions
from engines.egen.corpus.merge import POINTS, fingerprints, same, same_functions
from engines.egen.corpus.shards import BLOCK, Shard, Skipped, assumption, parquet_bytes, read_shard
from engines.egen.corpus.sources import Head
from engines.egen.corpus.splits import paper_split, shape_split
from engines.egen.expressions.canonical import canonical_key
from engines.egen.expressions.language import ARITY, FUNCTIONS, LETTERS, VARIABLE, read_prefix
from engines.egen.expressions.training_notation import to_training
from engines.egen.records import Outcome

__all__ = ["CLUSTERS", "OUTCOMES", "Assembled", "assemble"]

OUTCOMES = get_args(Outcome)
"""Verdicts of stored members; `different` occurs in imported corpora only."""

OPERATORS = frozenset(("+", "-", "*", "/", "pow", "log", "d", "sqrt", "abs", *FUNCTIONS))

CLUSTERS = pa.schema(
    [
        ("cluster", pa.int32()),
        ("head", pa.string()),
        ("kind", pa.string()),
        ("shape", pa.string()),
        ("size", pa.int32()),
        ("mean_tokens", pa.float32()),
        ("mean_training_tokens", pa.float32()),
        ("operators", pa.list_(pa.string())),
        ("all_equal", pa.bool_()),
        *((outcome, pa.int32()) for outcome in OUTCOMES),
        ("stop_reason", pa.string()),
        ("iterations", pa.int32()),
        ("nodes", pa.int32()),
        ("classes", pa.int32()),
        ("total_members", pa.string()),
        ("merged_from", pa.list_(pa.int32())),
        ("duplicates", pa.list_(pa.int32())),
        ("split", pa.string()),
        ("split_by_shape", pa.string()),
    ]
)
"""`size` counts the head. The verdict columns count members. `merged_from` holds the source numbers of the
cluster's heads, its own first; `duplicates` the places among their rows that repeat an earlier member."""

_SHARE = 8_077 / (4_944 * 102)
"""The paper's share of expressions for validation."""


@dataclass(frozen=True, slots=True)
class Assembled:
    """What a finished corpus holds; `expressions` counts heads and members."""

    clusters: int
    expressions: int
    skipped: tuple[Skipped, ...]
    bad_lines: int


def assemble(
    out: Path,
    plan: Mapping[str, Any],
    heads: Sequence[Head],
    shards: Mapping[int, Path],
    *,
    seed: int,
    merge: bool = True,
) -> Assembled:
    """Write `clusters.parquet`, `fingerprints.parquet` and, last, `manifest.json` of a corpus.

    Args: heads: of the source; every one is in some shard, grown or left out. shards: the file of each block.
    seed: of the splits. merge: whether clusters that are the same function become one.
    Raises: DataError when a shard is missing or corrupt.
    """
    blocks = range(-(-len(heads) // BLOCK))
    facts: dict[int, Mapping[str, Any]] = {}
    skipped: list[Skipped] = []
    stored = []
    files = [shards.get(block, out / "shards" / f"shard-{block:05d}.parquet") for block in blocks]
    for file in files:
        shard = read_shard(file)
        facts.update((head["source"], head) for head in shard.heads)
        skipped.extend(shard.skipped)
        stored.append(asdict(shard.stored))
    grown = sorted(facts)
    trees = [read_prefix(heads[number].prefix, LETTERS) for number in grown]
    assumed = [read_assumptions(assumption(plan, number)) for number in grown]
    prints = fingerprints(trees, plan.get("variables", (VARIABLE,)), assumed)
    owner = list(range(len(grown)))
    if merge and grown:
        owner = same_functions(trees, prints, equal=partial(same, assumptions=assumed[0]))
    groups: dict[int, list[int]] = {}
    for place, first in enumerate(owner):
        groups.setdefault(first, []).append(grown[place])

    @lru_cache(maxsize=8)
    def shard_of(block: int) -> Shard:
        return read_shard(files[block])

    rows = [
        _describe(number, heads, sources, facts[sources[0]], shard_of)
        for number, sources in enumerate(groups.values())
    ]
    sizes = [row["size"] for row in rows]
    wanted = round(sum(sizes) * _SHARE)
    shapes = [frozenset(heads[source].shape for source in sources) for sources in groups.values()]
    for row, side, other in zip(
        rows, paper_split(sizes, wanted, seed), shape_split(shapes, sizes, wanted, seed), strict=True
    ):
        row["split"], row["split_by_shape"] = side, other
    tables = {
        "clusters.parquet": pa.Table.from_pylist(rows, schema=CLUSTERS),
        "fingerprints.parquet": pa.table(
            {"print": pa.FixedSizeListArray.from_arrays(pa.array(prints[list(groups)].ravel()), len(POINTS))}
        ),
    }
    digests = {}
    for name, table in tables.items():
        data = parquet_bytes(table)
        digests[name] = sha256(data).hexdigest()
        write_bytes(out / name, data)
    document = {
        **plan,
        "clusters": len(rows),
        "expressions": sum(sizes),
        "validation_expressions_wanted": wanted,
        "skipped": [asdict(head) for head in skipped],
        "files": digests,
        "shards": stored,
    }
    write_json(out / "manifest.json", document)
    return Assembled(len(rows), sum(sizes), tuple(skipped), len(plan["source"]["bad_lines"]))


def _describe(
    number: int, heads: Sequence[Head], sources: Sequence[int], facts: Mapping[str, Any], shard_of: Any
) -> dict[str, Any]:
    """The row of `clusters.parquet` for one cluster, without its splits."""
    texts: list[str] = []
    verdicts: list[str] = []
    for source in sources:
        rows = shard_of(source // BLOCK).rows
        rows = rows.filter(pc.equal(rows["source"], source))
        texts += rows["prefix"].to_pylist()
        verdicts += rows["verdict"].to_pylist()
    duplicates = _duplicates(texts) if len(sources) > 1 else []
    for place in reversed(duplicates):
        del texts[place], verdicts[place]
    split = [text.split() for text in texts]
    lengths = [length for tokens in split if (length := _training_length(tokens)) is not None]
    counts = {outcome: verdicts.count(outcome) for outcome in OUTCOMES}
    counts["equal"] -= 1  # the head itself
    head = heads[sources[0]]
    return {
        "cluster": number,
        "head": head.prefix,
        "kind": head.kind,
        "shape": head.shape,
        "size": len(texts),
        "mean_tokens": sum(map(len, split)) / len(split),
        "mean_training_tokens": sum(lengths) / len(lengths) if lengths else None,
        "operators": sorted(OPERATORS.intersection(*[set().union(*split)])),
        "all_equal": counts["equal"] == len(texts) - 1,
        **counts,
        **{name: facts[name] for name in ("stop_reason", "iterations", "nodes", "classes", "total_members")},
        "merged_from": list(sources),
        "duplicates": duplicates,
    }


def _training_length(tokens: Sequence[str]) -> int | None:
    """Tokens in training notation, None when a constant cannot be written in it."""
    lengths = [1 if token in ARITY else _number_length(token) for token in tokens]
    return None if None in lengths else sum(filter(None, lengths))


@lru_cache(maxsize=65_536)
def _number_length(token: str) -> int | None:
    try:
        return len(to_training(Tree(token)))
    except EngineError:
        return None


def _duplicates(texts: Sequence[str]) -> list[int]:
    """The places of expressions whose canonical form came before."""
    seen: set[object] = set()
    found = []
    for place, text in enumerate(texts):
        key = canonical_key(text.split())
        if key in seen:
            found.append(place)
        seen.add(key)
    return found
