"""How long a corpus takes to build, how much memory that needs, and how fast it is read.

`python -m benchmarks.corpus` builds the whole corpus of templates (4,944 heads; minutes);
`--heads 100` builds a seeded sample of them and says so in the result.
"""

from __future__ import annotations

import random
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path

import psutil

from benchmarks._record import Record, parser_of
from engines.core.events import Event
from engines.egen.corpora import CorpusStats, corpus_stats
from engines.egen.corpus.build import build_corpus
from engines.egen.corpus.pairs import stream_pairs, stream_triplets
from engines.egen.corpus.reader import Corpus, open_corpus
from engines.egen.corpus.sources import template_source
from engines.egen.expressions.language import read_prefix
from engines.egen.records import CORPUS_CONFIG

ALL = 4_944
STREAMED = 200_000


class Watch:
    """Prints progress; remembers the most memory in use and when the assembly began."""

    def __init__(self) -> None:
        self.peak_bytes = 0
        self.assembling_s = 0.0
        self._next = 0.0
        self._self = psutil.Process()

    def __call__(self, event: Event) -> None:
        if event.kind == "metric":
            workers = event.data["workers_bytes"]
            assert isinstance(workers, int)
            self.peak_bytes = max(self.peak_bytes, workers + self._self.memory_info().rss)
        elif event.kind == "state" and event.data["state"] == "assembling":
            self.assembling_s = time.perf_counter()
        elif event.kind == "warning" or (event.kind == "progress" and time.monotonic() > self._next):
            self._next = time.monotonic() + 15
            print(dict(event.data), flush=True)


def median_ms(measured: Callable[[], object]) -> float:
    """The median of a few runs in milliseconds."""
    times = []
    for _ in range(9):
        started = time.perf_counter()
        measured()
        times.append(time.perf_counter() - started)
    return round(statistics.median(times) * 1e3, 2)


def processor_s() -> float:
    """Processor time of this process and of those that it started and that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def reading(out: Path) -> dict[str, object]:
    """How fast the screens get their tables, and training its pairs."""
    corpus = open_corpus(out)
    count = corpus.clusters().num_rows
    draw = random.Random(0)
    heads = [read_prefix(head) for head in corpus.clusters()["head"].to_pylist()]
    corpus.find(heads[0])
    rates = {}
    for name, stream in (("pairs_per_s", stream_pairs), ("triplets_per_s", stream_triplets)):
        rows = stream(corpus)
        next(rows)
        started = time.perf_counter()
        streamed = sum(1 for _ in islice(rows, STREAMED))
        rates[name] = round(streamed / (time.perf_counter() - started))
    return {
        "open_clusters_ms": median_ms(lambda: open_corpus(out).clusters()),
        "members_ms": median_ms(lambda: Corpus(out, corpus.manifest).members(draw.randrange(count))),
        "find_ms": median_ms(lambda: corpus.find(draw.choice(heads))),
        **rates,
    }


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--heads", type=int, default=ALL, help="a seeded sample of so many templates")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="where the corpus is kept")
    given = parser.parse_args()
    kept = Record("corpus" if given.heads >= ALL else "corpus-sample", given.out, heads=given.heads)
    source = template_source("all")
    if given.heads < ALL:
        heads = list(source.heads)
        random.Random(0).shuffle(heads)
        source = replace(source, name=f"sample of {given.heads}", heads=tuple(heads[: given.heads]))
    with tempfile.TemporaryDirectory() as scratch:
        out = given.keep or Path(scratch) / "corpus"
        watch = Watch()
        started, worked = time.perf_counter(), processor_s()
        built = build_corpus(source, out, CORPUS_CONFIG, workers=given.workers, events=watch)
        ended, worked = time.perf_counter(), processor_s() - worked
        found = corpus_stats(CorpusStats(out))
        figures = {
            "heads": built.heads,
            "workers": given.workers,
            "members_asked": CORPUS_CONFIG.members,
            "build_s": round(ended - started, 1),
            "assemble_s": round(ended - watch.assembling_s, 1),
            "processor_ms_per_head": round(1e3 * worked / built.heads, 1),
            "heads_per_s": round(built.heads / (ended - started), 2),
            "peak_memory_bytes": watch.peak_bytes,
            "clusters": built.clusters,
            "expressions": built.expressions,
            "mean_cluster_size": found["mean_cluster_size"],
            "mean_members_per_head": found["mean_members_per_head"],
            "skipped": len(built.skipped),
            "corpus_bytes": sum(path.stat().st_size for path in out.rglob("*.parquet")),
            **reading(out),
        }
    print(figures)
    kept.write(figures, libraries=("egglog", "numpy", "numba", "pyarrow"))


if __name__ == "__main__":
    main()
