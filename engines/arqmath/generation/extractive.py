"""Answers to topics out of answers that exist: the passage of the best answers that fits the topic best.

A stronger baseline than free generation: what is returned was written by a person.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from engines.arqmath.generation.answer_text import LIMIT, fitted, one_line, sentences
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.retrieval.run import Answer

if TYPE_CHECKING:
    from engines.arqmath.generation.draft import Draft
    from engines.forum.topics import Topic

__all__ = ["extract", "passages"]

Search = Callable[[str, int], Sequence[str]]
"""Ids of the best answers to a text, at most so many."""
Texts = Callable[[Sequence[str]], Mapping[str, str]]
"""The texts of posts."""
Score = Callable[[str, Sequence[str]], Sequence[float]]
"""How well each passage answers a text, the higher the better."""


def passages(text: str, limit: int = LIMIT) -> list[str]:
    """Runs of whole sentences of at most `limit` characters, each as long as can be; the first begins the
    text, each later one half a passage on.

    >>> passages("One two. Three four. Five.", 21)
    ['One two. Three four.', 'Three four. Five.']
    """
    found = [part for part in sentences(one_line(text)) if len(part) <= limit]
    if not found:
        short = fitted(text, limit)
        return [short] if short else []
    made: list[str] = []
    begin = 0
    while begin < len(found):
        end, length = begin, -1
        while end < len(found) and length + 1 + len(found[end]) <= limit:
            length += 1 + len(found[end])
            end += 1
        made.append(fitted(" ".join(found[begin:end]), limit))
        if end == len(found):
            break
        begin = max(begin + 1, (begin + end) // 2)
    return made


def extract(
    topics: Sequence[Topic],
    search: Search,
    texts: Texts,
    score: Score,
    draft: Draft,
    *,
    tag: str,
    depth: int = 10,
    events: Sink = ignore,
    stop: Stop = never,
) -> list[Answer]:
    """The best passage for each topic among those of its `depth` best answers; `sources` is the answer's id.

    What the draft has is taken from it. A topic for which nothing is found has no answer.
    """
    started, made = time.monotonic(), 0
    for topic in topics:
        if topic.id in draft.answers:
            continue
        if stop():
            break
        found = search(topic.text, depth)
        held = texts(found)
        offers = [(post, passage) for post in found if post in held for passage in passages(held[post])]
        best = Answer(topic.id, "", 0.0, tag, "")
        if offers:
            scores = score(topic.text, [passage for _, passage in offers])
            at = max(range(len(offers)), key=lambda place: scores[place])
            best = Answer(topic.id, offers[at][1], float(scores[at]), tag, offers[at][0])
        draft.keep(best)
        made += 1
        done = len(draft.answers)
        rate = made / max(time.monotonic() - started, 1e-9)
        data = {"done": done, "total": len(topics), "rate_per_s": rate, "eta_s": (len(topics) - done) / rate}
        events(Event("progress", {**data, "unit": "topics"}, done))
    answers = [draft.answers[topic.id] for topic in topics if topic.id in draft.answers]
    return [replace(answer, tag=tag) for answer in answers if answer.text]
