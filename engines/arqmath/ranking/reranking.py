"""Rank the answers of a run again by a scorer, topic by topic, and go on where a run ended."""

from __future__ import annotations

import contextlib
import hashlib
import heapq
import json
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from engines.arqmath.collection.posts import posts_of_file
from engines.arqmath.ranking.scorers import Scorer, StoredText
from engines.core.build import Journal
from engines.core.errors import DataError
from engines.core.events import Event, Sink, Stop, ignore, never, warn
from engines.core.model_checks import check_finite
from engines.forum.topics import Topic
from engines.retrieval.trec import DEPTH, Scored, TrecRun, read_run, write_run

# Answers ranked by a scorer, topic by topic; a ranking that was interrupted goes on where it was.
#
# Beside the run file lies a journal while the ranking goes on, `<run>.partial.jsonl`: its first line says
# what is scored with what, each other one is a finished topic. A line is written at once and synced, so a
# kill loses the topic under way and nothing else, and the run comes out the same.

_CHUNK = 2_000
"""Candidates that are in memory at once: every answer of a real collection may be one."""


class AnswerTexts(Protocol):
    """A source of the texts of answers: `PostStore`, or `load_texts`."""

    def get_posts(self, ids: Sequence[str]) -> Mapping[str, StoredText]:
        """Return the posts of these ids; what is not there is left out."""
        ...


@dataclass(frozen=True, slots=True)
class ScoredRanking:
    """The result of a ranking.

    `run` holds the topics that are finished; `complete` says whether these are all. `pairs` were scored, of
    which `truncated` were too long to be read whole; `missing` candidates have no text. `resumed` topics were
    finished before; `seconds` is the time this call took for the others, `pairs_per_s` their rate.
    """

    run: TrecRun
    complete: bool
    topics: int
    resumed: int
    pairs: int
    truncated: int
    missing: int
    seconds: float
    pairs_per_s: float


@dataclass(frozen=True, slots=True)
class _FinishedTopic:
    topic: str
    digest: str
    pairs: int
    truncated: int
    missing: int
    ranking: list[Scored]

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> _FinishedTopic:
        ranking = [(str(name), float(score)) for name, score in row["ranking"]]
        return cls(**{**row, "ranking": ranking})


@dataclass(frozen=True, slots=True)
class _LoadedTexts:
    texts: Mapping[str, StoredText]

    def get_posts(self, ids: Sequence[str]) -> Mapping[str, StoredText]:
        return {name: self.texts[name] for name in ids if name in self.texts}


def load_texts(posts: Path, wanted: Collection[str]) -> AnswerTexts:
    """Return the wanted answers of a collection's file, each with its question; the file is read twice. For
    few answers no store is needed.
    """
    result = posts_of_file(posts, wanted, to_end=True)
    parents = posts_of_file(posts, {post.parent for post in result.values()})
    return _LoadedTexts(
        {
            name: replace(post, title=parent.title, question=parent.text)
            if (parent := parents.get(post.parent))
            else replace(post, title="")
            for name, post in result.items()
        }
    )


def journal_path(out: Path) -> Path:
    """Return the file that keeps the finished topics of a ranking until it is complete."""
    return out.with_name(f"{out.name}.partial.jsonl")


def score_candidates(
    topics: Sequence[Topic],
    candidates: Mapping[str, Sequence[str]] | TrecRun,
    store: AnswerTexts,
    scorer: Scorer,
    out: Path,
    *,
    depth: int = DEPTH,
    tag: str = "",
    events: Sink = ignore,
    stop: Stop = never,
) -> ScoredRanking:
    """Score every candidate of every topic and write the run to `out`, at most `depth` answers a topic.

    Args:
        topics: Asked with title and question.
        candidates: Answer ids by topic, or a first stage's run; topics without any are left out.
        tag: The run's name, the scorer's without one.

    Events:
        Progress in pairs, with `topic`, `rate_per_s` and `eta_s`; a warning of candidates without a text.
        When `stop` is raised it ends after the batch under way: the topics that are finished stay in the
        journal, and the same call goes on from them.

    Raises:
        DataError: E343 when no topic has candidates or no candidate has a text, E345 when the journal beside
            `out` is of another scorer.
    """
    if isinstance(candidates, TrecRun):
        rankings = candidates.rankings.items()
        candidate_ids = {name: [document for document, _ in ranking] for name, ranking in rankings}
    else:
        candidate_ids = {name: list(dict.fromkeys(ids)) for name, ids in candidates.items()}
    # Topics without candidates are not ranked.
    ranked_topics = [topic for topic in topics if candidate_ids.get(topic.id)]
    if not ranked_topics:
        remedy = "Do the topics belong to these judgements, or to this run?"
        raise DataError("none of the topics has candidates", code="E343", remedy=remedy)
    out = Path(out)
    tag = tag or scorer.name
    journal = Journal(journal_path(out), {"v": 1, "scorer": scorer.fingerprint, "depth": depth})

    def other_scorer_error(_head: str) -> DataError:
        return DataError(
            "this folder has an unfinished ranking by another model, or to another depth",
            path=journal.path,
            code="E345",
            remedy="Finish it, choose another --out, or remove this file.",
        )

    # A digest of question and candidates tells whether a finished topic in the journal is still the same.
    digests = {}
    for topic in ranked_topics:
        content = json.dumps([topic.text, candidate_ids[topic.id]], ensure_ascii=False)
        digests[topic.id] = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    done: dict[str, _FinishedTopic] = {}
    for row in journal.read_items(other_scorer_error):
        with contextlib.suppress(KeyError, TypeError, ValueError):
            finished = _FinishedTopic.from_row(row)
            if digests.get(finished.topic) == finished.digest:
                done[finished.topic] = finished
    resumed = len(done)
    meter = _Meter(
        sum(len(candidate_ids[topic.id]) for topic in ranked_topics),
        sum(len(candidate_ids[name]) for name in done),
    )
    journal.begin_file(map(asdict, done.values()))
    # Each finished topic is written to the journal at once, so that a stop loses at most one topic.
    for number, topic in enumerate(ranked_topics):
        if topic.id in done:
            continue
        topic_progress = {"topic": topic.id, "topics_done": number, "topics": len(ranked_topics)}
        sink = meter.wrap_sink(events, topic_progress)
        scored = _score_topic(
            topic, candidate_ids[topic.id], digests[topic.id], store, scorer, depth, sink, stop
        )
        if scored is None:
            break
        journal.append(asdict(scored))
        done[topic.id] = scored
    ordered = [done[topic.id] for topic in ranked_topics if topic.id in done]
    run = TrecRun(tag, {item.topic: item.ranking for item in ordered if item.ranking})
    complete = len(ordered) == len(ranked_topics)
    if complete:
        if not run.rankings:
            what = "the collection has none of the candidates"
            remedy = "Is it the collection that was judged, or that the first stage searched?"
            raise DataError(what, code="E343", exit_code=3, remedy=remedy)
        write_run(run, out, depth=depth)
        journal.remove()
        # Read the run back: scores as they stand in the file, ties included.
        run = read_run(out)
    if missing := sum(item.missing for item in ordered):
        warn(events, f"{missing:,} candidates are not in the collection and were left out")
    return ScoredRanking(
        run=run,
        complete=complete,
        topics=len(ranked_topics),
        resumed=resumed,
        pairs=sum(item.pairs for item in ordered),
        truncated=sum(item.truncated for item in ordered),
        missing=missing,
        seconds=meter.elapsed_seconds(),
        pairs_per_s=meter.pairs_per_second(),
    )


def _score_topic(
    topic: Topic,
    candidates: Sequence[str],
    digest: str,
    store: AnswerTexts,
    scorer: Scorer,
    depth: int,
    events: Sink,
    stop: Stop,
) -> _FinishedTopic | None:
    """Return the best answers to one topic; None when it was stopped on the way."""
    before = scorer.truncated
    best: list[Scored] = []
    pairs = 0
    for begin in range(0, len(candidates), _CHUNK):
        chunk = candidates[begin : begin + _CHUNK]
        posts = store.get_posts(chunk)
        ids = [name for name in chunk if name in posts]
        scores = scorer.score(
            [(topic.text, scorer.select_text(posts[name])) for name in ids], events=events, stop=stop
        )
        if stop() and np.isnan(scores).any():
            return None
        check_finite(scores, scorer.name, "score")
        pairs += len(ids)
        results = [(name, float(score)) for name, score in zip(ids, scores, strict=True)]
        best = heapq.nlargest(depth, best + results, key=lambda pair: (pair[1], pair[0]))
        events(Event("progress", {"done": len(ids), "chunk_done": True}))
    return _FinishedTopic(topic.id, digest, pairs, scorer.truncated - before, len(candidates) - pairs, best)


class _Meter:
    def __init__(self, total: int, resumed: int) -> None:
        self._total, self._begin, self._done = total, resumed, resumed
        self._start = time.monotonic()

    def elapsed_seconds(self) -> float:
        return time.monotonic() - self._start

    def pairs_per_second(self) -> float:
        return (self._done - self._begin) / max(self.elapsed_seconds(), 1e-9)

    def wrap_sink(self, events: Sink, here: Mapping[str, object]) -> Sink:
        """Turns what a scorer reports of one chunk into the progress of the whole ranking."""

        def forward_event(event: Event) -> None:
            if event.kind != "progress":
                events(event)
                return
            part = event.data["done"]
            assert isinstance(part, int)
            if event.data.get("chunk_done"):
                self._done += part
                part = 0
            done, pace = (
                self._done + part,
                (self._done + part - self._begin) / max(self.elapsed_seconds(), 1e-9),
            )
            left = round((self._total - done) / pace, 1) if pace else None
            data = {"done": done, "total": self._total, "unit": "pairs", "rate_per_s": pace, "eta_s": left}
            events(Event("progress", {**data, **here}))

        return forward_event
