"""Scorers, and answers ranked by one, topic by topic; a ranking that was interrupted goes on where it was.

Beside the run file lies a journal while the ranking goes on, `<run>.partial.jsonl`: its first line says what
is scored with what, each other one is a finished topic. A line is written at once and synced, so a kill loses
the topic under way and nothing else, and the run comes out the same.
"""

from __future__ import annotations

import contextlib
import hashlib
import heapq
import json
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engines.core.build import Journal
from engines.core.errors import DataError
from engines.core.events import Event, Sink, Stop, ignore, never, warn
from engines.forum.readers import Report, read_posts
from engines.forum.topics import Topic
from engines.retrieval.run import DEPTH, Run, Scored, read_run, write_run

_CHUNK = 2_000
"""Candidates that are in memory at once: every answer of a real collection may be one."""


class StoredText(Protocol):
    """A post as a store gives it."""

    @property
    def title(self) -> str:
        """The title of the question that it is or answers."""
        ...

    @property
    def text(self) -> str:
        """Its cleaned body, formulas as `$latex$`."""
        ...

    @property
    def question(self) -> str:
        """The cleaned body of the question that it answers."""
        ...


class Scorer(ABC):
    """What scores pairs of question and answer, batch by batch; a second stage of your own is a subclass."""

    name: str
    """What it is called in reports and in the last column of a run."""
    max_tokens: int = 0
    """Of a pair, where both are read together."""
    truncated: int = 0
    """How many of the pairs that it has scored so far were too long to be read whole."""

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """Changes when its scores could."""

    @abstractmethod
    def batches(self, pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[Any, Any]]:
        """The places of the pairs of a batch, and their scores."""

    def reads(self, answer: StoredText) -> str:
        """What it is to be given of an answer."""
        return answer.text

    def score(
        self, pairs: Sequence[tuple[str, str]], *, events: Sink = ignore, stop: Stop = never
    ) -> NDArray[np.float64]:
        """(pairs,) the scores in the order of the pairs (question, answer).

        Events: progress in pairs. When `stop` is raised it ends early: what was not reached is NaN.
        """
        result, done = np.full(len(pairs), np.nan), 0
        batches = self.batches(pairs)
        while done < len(pairs) and not stop():
            rows, scores = next(batches)
            result[rows] = scores
            done += len(rows)
            events(Event("progress", {"done": done, "total": len(pairs), "unit": "pairs"}))
        return result


def batches_by_length(lengths: Sequence[int] | NDArray[np.int64], tokens: int) -> Iterator[NDArray[np.int64]]:
    """Places of about one length, at most so many tokens with padding, the longest first, so that a lack of
    memory shows at once."""
    lengths = np.asarray(lengths)
    order = np.argsort(-lengths, kind="stable")
    begin = 0
    while begin < len(order):
        batch = order[begin : begin + max(1, tokens // int(lengths[order[begin]]))]
        yield batch
        begin += len(batch)


class Texts(Protocol):
    """Where the texts of answers come from: `engines.arqmath.collection.store.PostStore`, or `load_texts`."""

    def many(self, ids: Sequence[str]) -> Mapping[str, StoredText]:
        """The posts of these ids; what is not there is left out."""
        ...


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a ranking came to.

    `run` holds the topics that are finished; `complete` says whether these are all. `pairs` were scored, of
    which `truncated` were too long to be read whole; `missing` candidates have no text. `resumed` topics were
    finished before; `seconds` is the time this call took for the others, `pairs_per_s` their rate.
    """

    run: Run
    complete: bool
    topics: int
    resumed: int
    pairs: int
    truncated: int
    missing: int
    seconds: float
    pairs_per_s: float


@dataclass(frozen=True, slots=True)
class _Done:
    topic: str
    digest: str
    pairs: int
    truncated: int
    missing: int
    ranking: list[Scored]

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> _Done:
        ranking = [(str(name), float(score)) for name, score in row["ranking"]]
        return cls(**{**row, "ranking": ranking})


@dataclass(frozen=True, slots=True)
class _Loaded:
    texts: Mapping[str, StoredText]

    def many(self, ids: Sequence[str]) -> Mapping[str, StoredText]:
        return {name: self.texts[name] for name in ids if name in self.texts}


@dataclass(frozen=True, slots=True)
class _Body:
    title: str
    text: str
    question: str


def load_texts(posts: Path, wanted: Collection[str]) -> Texts:
    """The wanted answers of a collection's file, each with its question; the file is read twice. For few
    answers no store is needed."""
    ids = set(wanted)
    found = {post.id: post for post in read_posts(posts, Report()) if post.id in ids}
    parents = {post.parent for post in found.values()}
    asked = {
        post.id: (post.title, post.body.text) for post in read_posts(posts, Report()) if post.id in parents
    }
    bodies = {}
    for name, post in found.items():
        title, question = asked.get(post.parent, ("", ""))
        bodies[name] = _Body(title, post.body.text, question)
    return _Loaded(bodies)


def journal_of(out: Path) -> Path:
    """Where a ranking that goes to `out` keeps its finished topics until it is complete."""
    return out.with_name(f"{out.name}.partial.jsonl")


def score_candidates(
    topics: Sequence[Topic],
    candidates: Mapping[str, Sequence[str]] | Run,
    store: Texts,
    scorer: Scorer,
    out: Path,
    *,
    depth: int = DEPTH,
    tag: str = "",
    events: Sink = ignore,
    stop: Stop = never,
) -> Ranking:
    """Score every candidate of every topic and write the run to `out`, at most `depth` answers a topic.

    Args: topics: asked with title and question. candidates: answer ids by topic, or a first stage's run;
    topics without any are left out. tag: the run's name, the scorer's without one.
    Events: progress in pairs, with `topic`, `rate_per_s` and `eta_s`; a warning of candidates without a
    text. When `stop` is raised it ends after the batch under way: the topics that are finished stay in the
    journal, and the same call goes on from them.

    Raises: DataError E343 when no topic has candidates or no candidate has a text, E345 when the journal
    beside `out` is of another scorer.
    """
    wanted = _candidates(candidates)
    asked = [topic for topic in topics if wanted.get(topic.id)]
    if not asked:
        raise DataError(
            "none of the topics has candidates",
            code="E343",
            remedy="Do the topics belong to these judgements, or to this run?",
        )
    out = Path(out)
    tag = tag or scorer.name
    journal = Journal(journal_of(out), {"v": 1, "scorer": scorer.fingerprint, "depth": depth})

    def other(_head: str) -> DataError:
        return DataError(
            "this folder has an unfinished ranking by another model, or to another depth",
            path=journal.path,
            code="E345",
            remedy="Finish it, choose another --out, or remove this file.",
        )

    digests = {topic.id: _digest(topic.text, wanted[topic.id]) for topic in asked}
    done: dict[str, _Done] = {}
    for row in journal.read(other):
        with contextlib.suppress(KeyError, TypeError, ValueError):
            finished = _Done.of(row)
            if digests.get(finished.topic) == finished.digest:
                done[finished.topic] = finished
    resumed = len(done)
    meter = _Meter(sum(len(wanted[topic.id]) for topic in asked), sum(len(wanted[name]) for name in done))
    journal.begin(map(asdict, done.values()))
    for number, topic in enumerate(asked):
        if topic.id in done:
            continue
        here = {"topic": topic.id, "topics_done": number, "topics": len(asked)}
        sink = meter.sink(events, here)
        scored = _score_topic(topic, wanted[topic.id], digests[topic.id], store, scorer, depth, sink, stop)
        if scored is None:
            break
        journal.append(asdict(scored))
        done[topic.id] = scored
    ordered = [done[topic.id] for topic in asked if topic.id in done]
    run = Run(tag, {item.topic: item.ranking for item in ordered if item.ranking})
    complete = len(ordered) == len(asked)
    if complete:
        if not run.rankings:
            raise DataError(
                "the collection has none of the candidates",
                code="E343",
                exit_code=3,
                remedy="Is it the collection that was judged, or that the first stage searched?",
            )
        write_run(run, out, depth=depth)
        journal.remove()
        run = read_run(out)
    if missing := sum(item.missing for item in ordered):
        warn(events, f"{missing:,} candidates are not in the collection and were left out")
    return Ranking(
        run=run,
        complete=complete,
        topics=len(asked),
        resumed=resumed,
        pairs=sum(item.pairs for item in ordered),
        truncated=sum(item.truncated for item in ordered),
        missing=missing,
        seconds=meter.seconds(),
        pairs_per_s=meter.rate(),
    )


def _candidates(candidates: Mapping[str, Sequence[str]] | Run) -> dict[str, list[str]]:
    if isinstance(candidates, Run):
        return {name: [document for document, _ in found] for name, found in candidates.rankings.items()}
    return {name: list(dict.fromkeys(found)) for name, found in candidates.items()}


def _score_topic(
    topic: Topic,
    candidates: Sequence[str],
    digest: str,
    store: Texts,
    scorer: Scorer,
    depth: int,
    events: Sink,
    stop: Stop,
) -> _Done | None:
    """The best answers to one topic; None when it was stopped on the way."""
    before = scorer.truncated
    best: list[Scored] = []
    pairs = 0
    for begin in range(0, len(candidates), _CHUNK):
        chunk = candidates[begin : begin + _CHUNK]
        posts = store.many(chunk)
        ids = [name for name in chunk if name in posts]
        scores = scorer.score(
            [(topic.text, scorer.reads(posts[name])) for name in ids], events=events, stop=stop
        )
        if any(math.isnan(score) for score in scores):
            if stop():
                return None
            raise DataError(
                f"the model's score of an answer to {topic.id} is not a number",
                code="E346",
                remedy="Its training may have diverged; choose another checkpoint.",
            )
        pairs += len(ids)
        found = [(name, float(score)) for name, score in zip(ids, scores, strict=True)]
        best = heapq.nlargest(depth, best + found, key=lambda pair: (pair[1], pair[0]))
        events(Event("progress", {"done": len(ids), "chunk_done": True}))
    return _Done(topic.id, digest, pairs, scorer.truncated - before, len(candidates) - pairs, best)


def _digest(text: str, candidates: Sequence[str]) -> str:
    content = json.dumps([text, list(candidates)], ensure_ascii=False)
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class _Meter:
    def __init__(self, total: int, resumed: int) -> None:
        self._total, self._begin, self._done = total, resumed, resumed
        self._start = time.monotonic()

    def seconds(self) -> float:
        return time.monotonic() - self._start

    def rate(self) -> float:
        return (self._done - self._begin) / max(self.seconds(), 1e-9)

    def sink(self, events: Sink, here: Mapping[str, object]) -> Sink:
        """Turns what a scorer reports of one chunk into the progress of the whole ranking."""

        def hear(event: Event) -> None:
            if event.kind != "progress":
                events(event)
                return
            part = event.data["done"]
            assert isinstance(part, int)
            if event.data.get("chunk_done"):
                self._done += part
                part = 0
            done, pace = self._done + part, (self._done + part - self._begin) / max(self.seconds(), 1e-9)
            left = round((self._total - done) / pace, 1) if pace else None
            data = {"done": done, "total": self._total, "unit": "pairs", "rate_per_s": pace, "eta_s": left}
            events(Event("progress", {**data, **here}))

        return hear
