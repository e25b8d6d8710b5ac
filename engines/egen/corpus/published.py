"""E-Gen's published layouts: plain blocks (head, equal expressions, blank line) and JSON lines.

A block's first line is the head, every further line an expression equal to it; all in generator prefix
notation, constants as integers or decimals. A JSON line holds `head` and `exprs` (the head among them), and
`partial_domain` for those that its maker found equal at some points only.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from engines.core.build import ResumableBuild
from engines.core.errors import DataError, ExpressionError, StoppedError
from engines.core.events import Event, Sink, Stop, ignore, never, warn
from engines.core.expression_language import read_prefix, to_prefix
from engines.core.files import atomic_writer
from engines.core.rows import json_object, read_lines
from engines.core.tree import Tree
from engines.egen.corpus.assemble import Assembled, assemble
from engines.egen.corpus.build import Plan, library_versions, other_folder, refuse_other_folder
from engines.egen.corpus.folder import (
    BLOCK,
    Corpus,
    GrownHead,
    StoredMember,
    shard_files,
    stored_shards,
    write_shard,
)
from engines.egen.corpus.sources import BadLine, HeadSource, SourceHead, to_skeleton
from engines.egen.settings import EgenConfig, Layout
from engines.mathematics.verification.verdicts import MemberVerdict
from engines.mathematics.verification.verifier import Verifier


@dataclass(frozen=True, slots=True)
class PublishedCluster:
    """A cluster as published: the head, and distinct expressions without it. `name` is the published file it
    comes from, or `published`; `line` is where it begins."""

    head: Tree
    members: tuple[Tree, ...]
    name: str
    line: int


def read_published(
    path: Path, *, on_bad: Callable[[BadLine], None] | None = None
) -> Iterator[PublishedCluster]:
    """Yield the clusters of a file in either layout, plain or compressed.

    What cannot be read is reported to `on_bad` and left out: an expression, or the whole cluster of a head.

    Raises:
        DataError: For a file that is empty, binary or missing; without `on_bad` for the first bad line.
    """

    def refuse_line(line: int, what: str) -> None:
        if on_bad is None:
            raise DataError(what, path=path, line=line, code="E317")
        on_bad(BadLine(line, what))

    lines = read_lines(path, on_bad=lambda error: refuse_line(error.line or 0, error.what))
    for name, block in _iterate_blocks(lines, refuse_line):
        cluster = _read_cluster(name, block, refuse_line)
        if cluster is not None:
            yield cluster


_Block = list[tuple[int, str]]
_Refuse = Callable[[int, str], None]


def _iterate_blocks(lines: Iterable[tuple[int, str]], refuse: _Refuse) -> Iterator[tuple[str, _Block]]:
    block: _Block = []
    for number, line in lines:
        text = line.strip()
        # E-Gen published clusters as lines separated by empty ones; our own files have an object a line.
        # Both may occur in one file.
        if text and not text.startswith("{"):
            block.append((number, text))
            continue
        if block:
            yield "published", block
            block = []
        if text:
            try:
                row = json_object(text)
            except ValueError as error:
                refuse(number, str(error))
                continue
            try:
                texts = [row["head"], *row["exprs"], *row.get("partial_domain", ())]
                name = str(row.get("source", "published"))
            except (KeyError, TypeError):
                refuse(number, "this is not an object with `head` and `exprs`")
                continue
            yield name, [(number, str(text)) for text in texts]
    if block:
        yield "published", block


def _read_cluster(name: str, block: _Block, refuse: _Refuse) -> PublishedCluster | None:
    trees: dict[Tree, None] = {}
    for index, (number, text) in enumerate(block):
        try:
            trees[read_prefix(text)] = None
        except ExpressionError as error:
            refuse(number, error.what)
            if index == 0:
                return None
    head, *members = trees
    return PublishedCluster(head, tuple(members), name, block[0][0])


def import_published(
    path: Path, out: Path, *, seed: int = 0, events: Sink = ignore, stop: Stop = never
) -> Assembled:
    """Make a corpus folder of published clusters, every member judged against its head.

    Clusters stay as they are in the file; one whose head came before is left out. Members that differ from
    their head are kept with that verdict.

    Args:
        seed: Of verification and splits.

    Raises:
        EngineError: E452 when `out` holds a corpus or something else, E453 when another import or build is at
            work there, E646 when it was stopped.
        DataError: When nothing in the file is a cluster.
    """
    bad: list[BadLine] = []

    def refuse_line(line: BadLine) -> None:
        bad.append(line)
        warn(events, f"{path.name}:{line.line}: {line.what}")

    clusters = read_published(path, on_bad=refuse_line)
    return corpus_of(clusters, path, out, bad=bad, seed=seed, events=events, stop=stop)


def corpus_of(
    clusters: Iterable[PublishedCluster],
    source: Path,
    out: Path,
    *,
    bad: Sequence[BadLine] = (),
    seed: int = 0,
    events: Sink = ignore,
    stop: Stop = never,
) -> Assembled:
    """Make a corpus of clusters as they come, as `import_published` does.

    Args:
        source: The file that names the corpus.
        bad: Lines that could not be read.
    """
    if (out / "manifest.json").exists() or (out / "plan.json").exists():
        raise other_folder(out, "this folder holds a corpus already")
    refuse_other_folder(out)
    with ResumableBuild(out).lock("E453"):
        # What a stopped import left is removed.
        for leftover in shard_files(out / "shards"):
            leftover.unlink()
        heads: list[SourceHead] = []
        # A head that occurs again is counted and left out.
        seen, repeated = set[Tree](), 0

        def iterate_new() -> Iterator[PublishedCluster]:
            nonlocal repeated
            for cluster in clusters:
                repeated += cluster.head in seen
                if cluster.head not in seen:
                    seen.add(cluster.head)
                    yield cluster

        once = iterate_new()
        while block := list(islice(once, BLOCK)):
            if stop():
                raise StoppedError("the import was stopped", remedy="Start it again.")
            # Judge every member against its head: the published lists are not all right.
            judged = [_judge_cluster(len(heads) + n, cluster, seed) for n, cluster in enumerate(block)]
            heads += [SourceHead(to_prefix(c.head), c.name, to_skeleton(c.head), len(c.head)) for c in block]
            write_shard(out / "shards", (len(heads) - 1) // BLOCK, judged)
            events(Event("progress", {"done": len(heads), "total": None, "unit": "clusters"}, len(heads)))
        if not heads:
            remedy = f"Line {bad[0].line}: {bad[0].what}." if bad else "A cluster begins with its head."
            raise DataError("no cluster could be read from it", path=source, remedy=remedy, code="E321")
        plan = Plan(
            HeadSource(source.name, tuple(heads), tuple(bad), repeated),
            EgenConfig(mode="paper", seed=seed),
            "",
            library_versions(),
        ).to_dict()
        shards = stored_shards(out / "shards")
        return assemble(out, {**plan, "origin": "published"}, heads, shards, seed=seed, merge=False)


def _judge_cluster(source: int, cluster: PublishedCluster, seed: int) -> GrownHead:
    verdicts = [
        MemberVerdict("equal", 1.0),
        *Verifier(cluster.head, seed=seed).judge_members(cluster.members),
    ]
    judged = zip((cluster.head, *cluster.members), verdicts, strict=True)
    rows = tuple(StoredMember(to_prefix(tree), verdict) for tree, verdict in judged)
    return GrownHead(source, rows, "published", 0, 0, 0, str(len(cluster.members)))


def export_published(corpus: Corpus, path: Path, *, layout: Layout = "blocks") -> int:
    """Write all clusters of a corpus in a published layout (compressed when the name ends in `.gz`).

    Returns:
        The number of clusters.
    """
    kinds = corpus.read_clusters()["kind"].to_pylist()
    sides = {name: corpus.read_clusters()[name].to_pylist() for name in ("split", "split_by_shape")}
    count = 0
    with atomic_writer(path, "wb") as raw:
        # No time and no name in the compressed file: equal corpora give equal files.
        packed = gzip.GzipFile("", "wb", fileobj=raw, mtime=0) if path.suffix == ".gz" else None
        for number, members in corpus.iterate_members():
            texts = members["prefix"].to_pylist()
            if layout == "jsonl":
                row = {"cluster": number, "source": kinds[number], "head": texts[0], "exprs": texts}
                row |= {"verdicts": members["verdict"].to_pylist()}
                row |= {name: column[number] for name, column in sides.items()}
                text = json.dumps(row) + "\n"
            else:
                text = "\n".join(texts) + "\n\n"
            (packed or raw).write(text.encode())
            count += 1
        if packed is not None:
            packed.close()
    return count
