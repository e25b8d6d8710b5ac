"""Building an index of terms of 1.4 million generated posts, and searching it after loading.

    .venv/bin/python -m benchmarks.lexical COLLECTION [--posts 1400000] [--queries 100]

COLLECTION is an ARQMath folder (the mini collection). Its posts are multiplied: each copy has one word in
five replaced by a word drawn from all words of the collection, and is tokenised and indexed like any post.
Queries are the topics of Task 1, as titles and in full. Timed are single searches for 1,000 answers, one
after another, in one process that has opened the memory-mapped index and asked one query before. The peak of
memory is that of the process after building, before the index is opened.
"""

from __future__ import annotations

import random
import re
import resource
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import psutil

from benchmarks._record import Record, parser_of
from engines.forum.folder import ArqmathFolder
from engines.forum.readers import Report, read_posts
from engines.forum.topics import read_topics
from engines.retrieval.bm25 import LexicalIndex, TermPart, build_lexical

PART = 10_000
_WORD = re.compile(r"\b[a-z]{3,}\b")


def multiplied(texts: Sequence[str], count: int) -> Iterator[str]:
    """The texts over and over, each copy with other words in it."""
    chance = random.Random(0)
    words = [word for text in texts for word in _WORD.findall(text)]
    for number in range(count):
        text = texts[number % len(texts)]
        yield _WORD.sub(lambda m: chance.choice(words) if chance.random() < 0.2 else m[0], text)


def parts(texts: Iterator[str], count: int) -> Iterator[TermPart]:
    for begin in range(0, count, PART):
        yield TermPart.of(next(texts) for _ in range(min(PART, count - begin)))


def spread(seconds: Sequence[float]) -> dict[str, float]:
    low, high = np.percentile(seconds, [50, 95]).tolist()
    return {
        "median_ms": round(1000 * low, 1),
        "p95_ms": round(1000 * high, 1),
        "max_ms": round(1000 * max(seconds), 1),
    }


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("collection", type=Path)
    parser.add_argument("--posts", type=int, default=1_400_000)
    parser.add_argument("--queries", type=int, default=100)
    arguments = parser.parse_args()
    about = {"collection": arguments.collection, "posts": arguments.posts}
    kept = Record("lexical", arguments.out, **about)
    folder = ArqmathFolder.open(arguments.collection)
    texts = [post.text for post in read_posts(folder.need_posts(), Report())]
    topics = [topic for file in folder.topics[1] for topic in read_topics(file)][: arguments.queries]
    with tempfile.TemporaryDirectory() as place:
        began = time.perf_counter()
        about = build_lexical(
            parts(multiplied(texts, arguments.posts), arguments.posts), Path(place) / "lexical"
        )
        build_s = time.perf_counter() - began
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        size = sum(file.stat().st_size for file in (Path(place) / "lexical").iterdir())
        began = time.perf_counter()
        index = LexicalIndex(Path(place) / "lexical")
        load_s = time.perf_counter() - began
        index.search(topics[0].text, 1_000)
        timed: dict[str, list[float]] = {"title": [], "whole_topic": []}
        for topic in topics:
            for name, query in (("title", topic.title.text), ("whole_topic", topic.text)):
                began = time.perf_counter()
                index.search(query, 1_000)
                timed[name].append(time.perf_counter() - began)
    figures = {
        "posts": about["documents"],
        "terms": about["terms"],
        "postings": about["postings"],
        "mean_terms": about["mean_terms"],
        "build_s": round(build_s, 1),
        "build_peak_mib": round(peak / 2**20),
        "index_mib": round(size / 2**20),
        "memory_after_mib": round(psutil.Process().memory_info().rss / 2**20),
        "load_s": round(load_s, 2),
        "queries": len(topics),
        **{f"{name}_{key}": value for name, own in timed.items() for key, value in spread(own).items()},
    }
    kept.write(figures, libraries=["numpy"])
    print(
        f"{figures['posts']:,} posts, built in {figures['build_s']} s with {figures['build_peak_mib']} MiB"
        f": titles {figures['title_median_ms']} ms (95 % under "
        f"{figures['title_p95_ms']}), whole topics {figures['whole_topic_median_ms']} ms (95 % under "
        f"{figures['whole_topic_p95_ms']})"
    )


if __name__ == "__main__":
    main()
