"""Topics, answers and hits as rows: the fields that filters know, on the screens and on the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

__all__ = [
    "ANSWER_FIELDS",
    "HIT_FIELDS",
    "TOPIC_FIELDS",
    "answer_address",
    "answer_row",
    "hit_address",
    "hit_row",
    "topic_address",
    "topic_row",
    "topic_rows",
]

TOPIC_FIELDS = (
    *("topic", "title", "ndcg", "delta", "kind", "difficulty", "category", "judged", "relevant", "run"),
)
ANSWER_FIELDS = ("id", "rank", "other", "move", "grade", "gain", "change", "score")
HIT_FIELDS = ("id", "first", "score", "again", "title", "answer")

Found = Mapping[str, Any]
Address = Callable[[Found], str]


def topic_rows(overview: Found, run: str, against: str, *, title: str = "shown") -> list[dict[str, Any]]:
    """The topics as one run does on them, held against another; `title`: which form of it."""
    return [_topic(topic, run, against, title) for topic in overview["topics"]]


def topic_row(topic: Found, overview: Found) -> Found:
    """A topic of what `arqmath topics` found."""
    return _topic(topic, overview["run"], overview["against"], "shown")


def _topic(topic: Found, run: str, against: str, title: str) -> dict[str, Any]:
    ndcg, before = topic["ndcg"].get(run), topic["ndcg"].get(against)
    info = {name.casefold(): value.casefold() for name, value in topic["info"].items()}
    grades = topic["grades"] or ()
    row = {"id": topic["id"], "topic": topic["id"], "title": topic[title], "kind": topic["kind"]}
    delta = ndcg - before if ndcg is not None and before is not None else None
    row |= {"ndcg": ndcg, "before": before, "delta": delta, "run": list(topic["judged"])}
    row |= {"judged": sum(grades), "relevant": sum(grades[2:])}
    return row | {name: info.get(name, "") for name in ("difficulty", "category")}


def answer_row(answer: Found, _ranking: Found) -> Found:
    """An answer of a ranking; one that was written (Task 3) by the run that wrote it."""
    return {**answer, "id": answer.get("id", answer.get("run"))}


def hit_row(hit: Found, _found: Found) -> Found:
    """What a search found."""
    return {
        **hit,
        "first": hit.get("first", hit["rank"]),
        "again": hit.get("probability"),
        "answer": hit["snippet"],
    }


def topic_address(spec: Any) -> Address:
    """Where notes on topics are kept."""
    from workbench.papers.arqmath.collections import name_of

    home = f"arqmath/{name_of(spec.folder)}/topic"
    return lambda topic: f"{home}/{topic['id']}"


def answer_address(spec: Any) -> Address:
    """Where notes on the answers to a topic are kept."""
    from workbench.papers.arqmath.collections import name_of

    home = f"arqmath/{name_of(spec.folder)}/topic/{spec.topic}"
    return lambda answer: f"{home}/written/{answer['run']}" if spec.written else f"{home}/post/{answer['id']}"


def hit_address(spec: Any) -> Address:
    """Where notes on posts that were found are kept."""
    from workbench.papers.arqmath.collections import name_of

    home = f"arqmath/{name_of(spec.index)}/post"
    return lambda hit: f"{home}/{hit['id']}"
