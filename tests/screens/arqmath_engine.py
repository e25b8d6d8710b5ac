"""A small collection with hand-made runs, and an engine that answers the ARQMath screen in this process."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

from engines.core.errors import EngineError
from engines.core.events import Event, never
from workbench.engine_process import CallResult
from workbench.operations import find_operation

QUESTIONS = {
    "10": ("How many subsets has a set?", "Why is $\\sum_{k=0}^n \\binom{n}{k} = 2^n$?", ["combinatorics"]),
    "20": ("A limit of a quotient", "What is $\\lim_{x \\to 0} \\frac{\\sin x}{x}$?", ["calculus", "limits"]),
}
ANSWERS = {
    "11": (
        "10",
        "Count subsets by size: $\\sum_{k=0}^n \\binom{n}{k} = 2^n$, since each element is in or out.",
    ),
    "12": ("10", "Put $x = y = 1$ into the binomial theorem."),
    "13": ("10", "I think you should draw a picture of it."),
    "14": ("10", "By induction on $n$: Pascal's rule gives $2^{n-1} + 2^{n-1} = 2^n$."),
    "21": ("20", "Squeeze $\\frac{\\sin x}{x}$ between $\\cos x$ and $1$."),
    "22": ("20", "The derivative of $\\sin$ at $0$ is $1$, if you know it."),
    "23": ("20", "Use a calculator."),
}
TOPICS = {
    "A.1": ("Sum of binomials", "Show $\\sum_{k} \\binom{n}{k} = 2^n$ without induction.", "combinatorics"),
    "A.2": ("Sine over $x$", "Find $\\lim_{x \\to 0} \\sin(x)/x$.", "limits"),
    "A.3": ("Nobody judged this", "What is $e^{i\\pi}$?", "complex-numbers"),
}
QRELS = {"A.1": {"11": 3, "12": 2, "13": 0, "14": 1, "99": 2}, "A.2": {"21": 3, "22": 2, "23": 0}}
RUNS = {
    "bm25": {"A.1": ["11", "12", "14", "13"], "A.2": ["22", "23", "21"], "A.3": ["23"]},
    "dense": {"A.1": ["13", "22", "12", "14", "11"], "A.2": ["21", "22", "23", "11"]},
}
INFO = {"A.1": ("Both", "Low", "Both"), "A.2": ("Math", "High", "Formula")}


def write_collection(folder: Path, *, posts: bool = True, written: bool = True) -> Path:
    """The collection as files with ARQMath's usual names."""
    (folder / "runs_task1").mkdir(parents=True)
    if posts:
        rows = [
            {"id": id_, "type": 1, "title": title, "body": _html(body), "tags": tags}
            for id_, (title, body, tags) in QUESTIONS.items()
        ]
        rows += [
            {"id": id_, "type": 2, "parent_id": parent, "body": _html(body), "score": int(id_) % 5}
            for id_, (parent, body) in ANSWERS.items()
        ]
        (folder / "posts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    topics = "".join(
        f'<Topic number="{id_}"><Title>{escape(_html(title))}</Title>'
        f"<Question>{escape(_html(question))}</Question>"
        f"<Tags>{tags}</Tags></Topic>"
        for id_, (title, question, tags) in TOPICS.items()
    )
    (folder / "topics_task1.xml").write_text(f"<Topics>{topics}</Topics>", "utf-8")
    qrels = "".join(f"{t}\t0\t{d}\t{g}\n" for t, grades in QRELS.items() for d, g in grades.items())
    (folder / "qrels_task1.tsv").write_text(qrels, "utf-8")
    for name, run in RUNS.items():
        write_run(folder / "runs_task1" / f"{name}.tsv", run)
    info = "".join(f"{topic},{','.join(values)}\n" for topic, values in INFO.items())
    (folder / "topic_info.csv").write_text("Topic,Type,Difficulty,Dependency\n" + info, "utf-8")
    if written:
        (folder / "answers_task3").mkdir()
        lines = ["A.1\t1\t1.0\tgpt\t\tEach element is in or out, so $2^n$.\n"]
        lines.append("A.2\t1\t1.0\tgpt\t\tIt is $1$.\n")
        (folder / "answers_task3" / "gpt.tsv").write_text("".join(lines), "utf-8")
        (folder / "task3_run_map.tsv").write_text("gpt\tA.1\td_1\ngpt\tA.2\td_2\n", "utf-8")
        (folder / "qrels_task3.tsv").write_text("A.1\t0\td_1\t3\n", "utf-8")
    return folder


def _html(text: str) -> str:
    """Formulas as the collection has them."""
    parts = text.split("$")
    for place in range(1, len(parts), 2):
        parts[place] = f'<span class="math-container">${parts[place]}$</span>'
    return "".join(parts)


def write_run(path: Path, run: Mapping[str, list[str]]) -> Path:
    """A TREC run, best first."""
    lines = [
        f"{topic}\tQ0\t{document}\t{rank}\t{10 - rank}.5\t{path.stem}\n"
        for topic, documents in run.items()
        for rank, document in enumerate(documents, start=1)
    ]
    path.write_text("".join(lines), "utf-8")
    return path


class HereCall:
    """A call that runs the real task at once."""

    def __init__(self, engine: HereEngine, task: str, params: Mapping[str, Any]) -> None:
        self.engine, self.task, self.params = engine, task, dict(params)
        self.stopped = False

    def stop(self) -> None:
        self.stopped = True

    async def __aiter__(self) -> AsyncIterator[Event | CallResult]:
        if error := self.engine.errors.get(self.task):
            raise error
        if self.task == "arqmath.prepare" and not self.engine.indexes:
            raise EngineError("no index in this test", code="E999")
        told: list[Event] = []
        value = find_operation(self.task).run(self.params, events=told.append, stop=never)
        for event in told:
            yield event
        yield CallResult(value)


class HereEngine:
    """Keeps what was asked; `errors` by task are raised instead of an answer."""

    def __init__(self) -> None:
        self.calls: list[HereCall] = []
        self.errors: dict[str, EngineError] = {}
        self.indexes = True

    def call(self, task: str, params: Mapping[str, Any]) -> HereCall:
        call = HereCall(self, task, params)
        self.calls.append(call)
        return call

    def call_blocking(self, task: str, params: Mapping[str, Any]) -> dict[str, Any]:
        return find_operation(task).run(dict(params), events=lambda _: None, stop=never)

    def close(self) -> None:
        pass
