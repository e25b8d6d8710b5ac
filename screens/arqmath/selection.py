"""The forms in which a topic or an answer can be copied."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from screens.arqmath.runs import Runs
from screens.shell.selection import CommandLine, Form, Selection
from screens.widgets.rows import Record

__all__ = ["Chosen", "answer_selection", "of_all_topics", "topic_selection"]


@dataclass(frozen=True, slots=True)
class Chosen:
    """An answer under a cursor: its row and where that stands. `search` is what `arqmath search` was told
    to find it, if it was searched for."""

    row: Record
    runs: Runs
    topic: str
    search: Sequence[str] | None = None


def topic_selection(topic: Record, runs: Runs, line: CommandLine) -> Selection:
    """A topic as the selection of a pane."""
    known = {name: topic[name] for name in ("id", "title", "ndcg", "delta", "kind")}
    forms = (
        Form("i", "id", lambda: topic["id"]),
        Form("t", "title", lambda: topic["title"]),
        Form("j", "JSON", lambda: json.dumps(known, ensure_ascii=False)),
        Form("a", "command line of all topics", lambda: line("arqmath", "topics", runs.place, *runs.options)),
    )
    command = line("arqmath", "show", runs.place, topic["id"], *runs.options)
    return Selection(f"{runs.address}/topic/{topic['id']}", f"topic {topic['id']}", command, forms)


def of_all_topics(topic: Selection, runs: Runs, line: CommandLine, *more: str) -> Selection:
    """A topic where all are shown: the command, with `more` options, prints all of them."""
    command = line("arqmath", "topics", runs.place, *runs.options, *more)
    own = Form("p", "command line of the topic", lambda: topic.command)
    return replace(topic, command=command, forms=(*(form for form in topic.forms if form.key != "a"), own))


def answer_selection(chosen: Chosen, post: Mapping[str, Any] | None, line: CommandLine) -> Selection:
    """An answer as the selection of a pane; `post` is its text once that is there."""
    row, runs, topic = chosen.row, chosen.runs, chosen.topic
    if "written" in row:
        command = line("arqmath", "show", runs.place, topic, "--written")
        written = (
            Form("t", "text", lambda: row["written"]["text"]),
            Form("l", "LaTeX", lambda: row["written"]["latex"]),
        )
        address = f"{runs.address}/topic/{topic}/written/{row['id']}"
        return Selection(address, f"answer of {row['id']}", command, written)
    names = ("id", "rank", "other", "grade", "own", "gain", "change", "score", "ranks")
    document = {"topic": topic, **{name: row[name] for name in names if name in row}}
    document |= (
        {"tags": post.get("tags"), "text": post.get("latex")} if post else {"tags": None, "text": None}
    )
    forms = [
        Form("i", "id", lambda: row["id"]),
        Form("j", "JSON", lambda: json.dumps(document, ensure_ascii=False)),
    ]
    if row.get("rank") is not None:
        words = (topic, "Q0", row["id"], row["rank"], f"{row['score']:.9g}", runs.run)
        forms.insert(0, Form("r", "line of the run", lambda: "\t".join(map(str, words))))
    if post:
        forms += [Form("t", "text", lambda: post["text"]), Form("l", "LaTeX", lambda: post["latex"])]
    command = line("arqmath", "post", runs.place, row["id"])
    if chosen.search is not None:
        forms.append(
            Form("p", "command line of the post", lambda: line("arqmath", "post", runs.place, row["id"]))
        )
        command = line("arqmath", "search", str(runs.collection.index), *chosen.search)
    # An answer found by a search stands in no ranking.
    place = runs.address if chosen.search is not None else f"{runs.address}/topic/{topic}"
    return Selection(f"{place}/post/{row['id']}", f"answer {row['id']}", command, tuple(forms))
