"""Corpora in and out: E-Gen's published layouts, and training pairs as lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

from engines.core.events import Sink, Stop, ignore, never
from engines.core.spec import Arg
from engines.egen.corpus.splits import SplitName
from engines.egen.records import Layout

__all__ = ["ExportCorpus", "ImportClusters", "Pairs", "export_corpus", "import_clusters", "pairs"]


@dataclass(frozen=True, slots=True)
class ImportClusters:
    """Make a corpus of published clusters; every member is judged against its head."""

    file: Annotated[Path, Arg("Clusters in E-Gen's published layout.")]
    out: Annotated[Path, Arg("The corpus folder to write.", option=True, writes=True)]
    seed: Annotated[int, Arg("Of verification and splits.", low=0)] = 0


@dataclass(frozen=True, slots=True)
class ExportCorpus:
    """Write the clusters of a corpus in E-Gen's published layout."""

    corpus: Annotated[Path, Arg("A corpus folder, or its name.", metavar="FOLDER", ref="corpus")]
    file: Annotated[Path, Arg("The file to write; .gz compresses.", writes=True)]
    layout: Annotated[Layout, Arg("Blocks of lines, or JSON lines.")] = "blocks"


@dataclass(frozen=True, slots=True)
class Pairs:
    """Stream training pairs (or triplets) in shuffled order, one per line."""

    corpus: Annotated[Path, Arg("A corpus folder, or its name.", metavar="FOLDER", ref="corpus")]
    triplets: Annotated[bool, Arg("Anchor, positive and negative.")] = False
    split: Annotated[SplitName, Arg("Whose training side.")] = "paper"
    seed: Annotated[int, Arg("Chooses the order.", low=0)] = 0
    start: Annotated[int, Arg("Position to begin at.", low=0)] = 0
    limit: Annotated[int | None, Arg("At most so many.", low=1)] = None
    jsonl: Annotated[bool, Arg("JSON lines instead of tabs.")] = False


def import_clusters(spec: ImportClusters, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """A corpus of published clusters. Returns: `out`, and what `import_published` counted."""
    from engines.egen.corpus.published import import_published

    made = import_published(spec.file, spec.out, seed=spec.seed, events=events, stop=stop)
    return {"out": str(spec.out), **asdict(made)}


def export_corpus(spec: ExportCorpus) -> dict[str, Any]:
    """Write a corpus as published. Returns: `file`, and how many clusters it holds."""
    from engines.egen.corpus.published import export_published
    from engines.egen.corpus.reader import open_corpus

    count = export_published(open_corpus(spec.corpus, several=True), spec.file, layout=spec.layout)
    return {"file": str(spec.file), "clusters": count}


def pairs(spec: Pairs) -> Iterator[tuple[str, ...]]:
    """Pairs or triplets in training notation, in an order that the seed determines."""
    from itertools import islice

    from engines.egen.corpus.pairs import stream_pairs, stream_triplets
    from engines.egen.corpus.reader import open_corpus

    stream = stream_triplets if spec.triplets else stream_pairs
    rows = stream(open_corpus(spec.corpus), split=spec.split, seed=spec.seed, start=spec.start)
    return iter(islice(rows, spec.limit))
