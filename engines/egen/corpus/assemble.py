"""From finished shards to a corpus: equal heads are merged, clusters described."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engines.core.build import ResumableBuild
from engines.core.errors import EngineError
from engines.core.expression_language import ARITY, FUNCTIONS, VARIABLE
from engines.core.files import write_bytes
from engines.core.tree import Tree
from engines.egen.corpus.folder import (
    BLOCK,
    Shard,
    Skipped,
    assumption_of,
    parquet_bytes,
    read_shard,
    theory_in,
)
from engines.egen.corpus.same_functions import (
    POINTS,
    are_same_function,
    compute_fingerprints,
    same_functions,
    same_terms,
)
from engines.egen.corpus.sources import SourceHead
from engines.egen.theories.real_functions import Reals
from engines.egen.theories.registry import theory_of
from engines.egen.theories.theory import Theory
from engines.mathematics.assumptions import read_assumptions
from engines.mathematics.terms.canonical import Subterms
from engines.mathematics.terms.notation import to_training
from engines.mathematics.verification.verdicts import MemberOutcome

# Which clusters are for training and which for validation.
#
# Splits, all seeded. `paper`: random clusters of 20..40 members until enough expressions are together
# (as E-Gen published), which leaves clusters on the training side that differ from a validation cluster in
# their constants only. `shapes`: whole template shapes are held out, for every function, with and without
# d/dx.

SplitSide = Literal["train", "validation", "neither"]

MIN_SIZE, MAX_SIZE = 20, 40


def paper_split(sizes: Sequence[int], wanted: int, seed: int) -> list[SplitSide]:
    """Assign random clusters of `MIN_SIZE` to `MAX_SIZE` expressions to validation until they hold `wanted`.

    As published, wanted // MAX_SIZE clusters are drawn, and drawn again with one more until the sum suffices.
    If clusters of that size do not hold enough, as in a corpus whose clusters are all large, every cluster of
    at least `MIN_SIZE` may be drawn, and if that is not enough either, any cluster. One cluster is left to
    train on.
    """
    draw = random.Random(seed)
    eligible: list[int] = []
    for low, high in ((MIN_SIZE, MAX_SIZE), (MIN_SIZE, None), (2, None)):
        eligible = [n for n, size in enumerate(sizes) if size >= low and (high is None or size <= high)]
        if sum(sizes[n] for n in eligible) >= wanted:
            break
    chosen: list[int] = []
    largest = max((sizes[n] for n in eligible), default=1)
    count = max(1, wanted // max(largest, MAX_SIZE))
    while count < len(sizes) and count <= len(eligible):
        chosen = draw.sample(eligible, count)
        if sum(sizes[n] for n in chosen) >= wanted:
            break
        count += 1
    held = set(chosen)
    return ["validation" if n in held else "train" for n in range(len(sizes))]


def held_out_split(count: int, share: float, seed: int) -> list[SplitSide]:
    """Assign random clusters to validation, as many as the share says; one is left to train on.

    >>> held_out_split(10, 0.2, 0).count("validation")
    2
    """
    held_out = {*random.Random(seed).sample(range(count), min(round(share * count), max(0, count - 1)))}
    return ["validation" if n in held_out else "train" for n in range(count)]


def shape_split(
    shapes: Sequence[frozenset[str]], sizes: Sequence[int], wanted: int, seed: int
) -> list[SplitSide]:
    """Hold out whole shapes, in random order, as long as they fit into `wanted` expressions; at least one.

    Args:
        shapes: Of each cluster, those of all heads merged into it. A cluster that has a shape of either side
            is on neither. A single shape stays on the training side.
    """
    total: dict[str, int] = defaultdict(int)
    for names, size in zip(shapes, sizes, strict=True):
        for name in names:
            total[name] += size
    order = sorted(total)
    random.Random(seed).shuffle(order)
    held: set[str] = set()
    room = wanted
    for name in order:
        if total[name] <= room:
            held.add(name)
            room -= total[name]
    if not held and len(order) > 1:
        held.add(min(order, key=lambda name: total[name]))
    return ["validation" if names <= held else "train" if not names & held else "neither" for names in shapes]


OUTCOMES = get_args(MemberOutcome)
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
    """The sizes of an assembled corpus and what was left out of it."""

    clusters: int
    expressions: int
    skipped: tuple[Skipped, ...]
    bad_lines: int
    held_out: int


def assemble(
    out: Path,
    plan: Mapping[str, Any],
    heads: Sequence[SourceHead],
    shards: Mapping[int, Path],
    *,
    seed: int,
    merge: bool = True,
) -> Assembled:
    """Write `clusters.parquet`, `fingerprints.parquet` and, last, `manifest.json` of a corpus.

    Args:
        heads: Of the source; every one is in some shard, grown or left out.
        shards: The file of each block.
        seed: Of the splits.
        merge: Whether clusters that are the same function become one.
    """
    blocks = range(-(-len(heads) // BLOCK))
    head_facts: dict[int, Mapping[str, Any]] = {}
    skipped: list[Skipped] = []
    stored = []
    files = [shards.get(block, out / "shards" / f"shard-{block:05d}.parquet") for block in blocks]
    # Read every shard once: heads with their facts, heads that were skipped, and digests.
    for file in files:
        shard = read_shard(file)
        head_facts.update((head["source"], head) for head in shard.heads)
        skipped.extend(shard.skipped)
        stored.append(asdict(shard.stored))
    grown = sorted(head_facts)
    theory = theory_of(theory_in(plan), "")
    real = isinstance(theory, Reals)
    trees = [theory.read_term(heads[number].prefix, "prefix", head=False) for number in grown]
    assumed = [read_assumptions(assumption_of(plan, number)) for number in grown] if real else []
    # Fingerprints find heads that are the same function.
    if real:
        fingerprints = compute_fingerprints(trees, plan.get("variables", (VARIABLE,)), assumed)
    else:
        fingerprints = np.full((len(trees), len(POINTS)), np.nan, np.float32)
    owner = list(range(len(grown)))
    if merge and grown and real:
        owner = same_functions(trees, fingerprints, equal=partial(are_same_function, assumptions=assumed[0]))
    elif merge:
        owner = same_terms(trees, theory)
    # Clusters of the same function become one, named by the first of their heads.
    groups: dict[int, list[int]] = {}
    for index, first in enumerate(owner):
        groups.setdefault(first, []).append(grown[index])

    @lru_cache(maxsize=8)
    def shard_of(block: int) -> Shard:
        return read_shard(files[block])

    # Only a few shards are in memory at a time; clusters go through them in order.
    rows = [
        _describe_cluster(number, heads, sources, head_facts[sources[0]], shard_of, theory)
        for number, sources in enumerate(groups.values())
    ]
    sizes = [row["size"] for row in rows]
    # Without a share, the split is the paper's, by expressions; with one it is by clusters.
    share = plan.get("held_out")
    # Both splits are made of whole clusters, the second one of whole template shapes.
    wanted = round(sum(sizes) * (_SHARE if share is None else share))
    by_cluster = paper_split(sizes, wanted, seed)
    if share is not None:
        by_cluster = held_out_split(len(sizes), share, seed)
    shapes = [frozenset(heads[source].shape for source in sources) for sources in groups.values()]
    for row, side, other in zip(rows, by_cluster, shape_split(shapes, sizes, wanted, seed), strict=True):
        row["split"], row["split_by_shape"] = side, other
    tables = {
        "clusters.parquet": pa.Table.from_pylist(rows, schema=CLUSTERS),
        "fingerprints.parquet": pa.table(
            {
                "print": pa.FixedSizeListArray.from_arrays(
                    pa.array(fingerprints[list(groups)].ravel()), len(POINTS)
                )
            }
        ),
    }
    # Digests in the manifest let a reader find files that were changed or cut off.
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
    ResumableBuild(out).publish_manifest(document)
    validation_count = by_cluster.count("validation")
    return Assembled(
        len(rows), sum(sizes), tuple(skipped), len(plan["source"]["bad_lines"]), validation_count
    )


def _describe_cluster(
    number: int,
    heads: Sequence[SourceHead],
    sources: Sequence[int],
    growth_facts: Mapping[str, Any],
    shard_of: Any,
    theory: Theory,
) -> dict[str, Any]:
    texts: list[str] = []
    verdicts: list[str] = []
    for source in sources:
        rows = shard_of(source // BLOCK).rows
        rows = rows.filter(pc.equal(rows["source"], source))
        texts += rows["prefix"].to_pylist()
        verdicts += rows["verdict"].to_pylist()
    # Merging heads may bring the same expression twice.
    duplicates = _find_duplicates(texts, theory) if len(sources) > 1 else []
    for position in reversed(duplicates):
        del texts[position], verdicts[position]
    token_lists = [text.split() for text in texts]
    lengths = [length for tokens in token_lists if (length := _training_length(tokens)) is not None]
    counts = {outcome: verdicts.count(outcome) for outcome in OUTCOMES}
    counts[verdicts[0]] -= 1  # the head itself
    head = heads[sources[0]]
    operators = OPERATORS if isinstance(theory, Reals) else {*theory.arity}
    return {
        "cluster": number,
        "head": head.prefix,
        "kind": head.kind,
        "shape": head.shape,
        "size": len(texts),
        "mean_tokens": sum(map(len, token_lists)) / len(token_lists),
        "mean_training_tokens": sum(lengths) / len(lengths) if lengths else None,
        "operators": sorted(operators.intersection(*[set().union(*token_lists)])),
        "all_equal": counts["equal"] == len(texts) - 1,
        **counts,
        **{
            name: growth_facts[name]
            for name in ("stop_reason", "iterations", "nodes", "classes", "total_members")
        },
        "merged_from": list(sources),
        "duplicates": duplicates,
    }


def _training_length(tokens: Sequence[str]) -> int | None:
    lengths = [1 if token in ARITY else _number_length(token) for token in tokens]
    return None if None in lengths else sum(filter(None, lengths))


@lru_cache(maxsize=65_536)
def _number_length(token: str) -> int | None:
    try:
        return len(to_training(Tree(token)))
    except EngineError:
        return None


def _find_duplicates(texts: Sequence[str], theory: Theory) -> list[int]:
    terms = Subterms(theory.arity)
    forms = theory.make_forms(terms)
    seen: set[object] = set()
    duplicates = []
    for index, text in enumerate(texts):
        key = forms.key_of(terms.number_of(text.split()))
        if key in seen:
            duplicates.append(index)
        seen.add(key)
    return duplicates
