"""A small collection with formula topics, their graphs, grades and a run; an engine that answers for it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

from engines.core.events import Event
from tests.screens.arqmath_engine import HereCall, HereEngine
from workbench.engine_process import CallResult

__all__ = ["GRAPHS", "TOPICS", "QuickEngine", "write_formula_collection"]

TOPICS = {
    "B.1": ("Fermat", "Find a general solution of ", "x^n+y^n=z^n", " please. It is hard."),
    "B.2": ("Twice", "The root of ", "\\frac{a}{b}", " with [b]no[/b] \x1b[31mmarkup."),
    "B.3": ("No graph", "What is ", "7^{2026}", " worth?"),
}
GRAPHS = {
    "B.1": """(f / find-01
      :mode imperative
      :arg0 (y / you)
      :arg1 (t / thing
            :mod (g / general-02)
            :arg2-of (s / solve-01
                  :arg0 y
                  :arg1 (e / equal-01
                        :math (U1 / eq
                              :op0 (O1 / SUP
                                    :op0 (V1 / z)
                                    :op1 (V2 / n))
                              :op0 (U2 / plus
                                    :op0 (O2 / SUP
                                          :op0 (V3 / y)
                                          :op1 V2)
                                    :op0 (O3 / SUP
                                          :op0 (V4 / x)
                                          :op1 V2))))))
      :polite +)""",
    "B.2": "(r / root :mod (O1 / divide :op0 (V1 / a) :op1 (V2 / b)))".replace(":mod", ":math"),
}
ANSWERS = {"11": "x^n+y^n=w^n", "12": "x^2+y^2=z^2", "13": "\\frac{a}{c}", "14": "7^{3}"}
"""LaTeX of a formula in each answer; the formula's id is that of the answer with a 9 behind it."""
QRELS = {"B.1": {"119": 3, "129": 2}, "B.2": {"139": 1}}


def _body(before: str, latex: str, after: str, name: str) -> str:
    return f'<p>{before}<span class="math-container" id="{name}">${latex}$</span>{after}</p>'


def write_formula_collection(folder: Path) -> Path:
    """The collection as files with ARQMath's usual names."""
    (folder / "runs_task2").mkdir(parents=True)
    posts = [{"id": 10, "type": 1, "title": "A question", "body": "<p>Why?</p>", "tags": []}]
    posts += [
        {"id": int(id_), "type": 2, "parent_id": 10, "body": _body("So ", latex, ".", f"{id_}9"), "score": 1}
        for id_, latex in ANSWERS.items()
    ]
    (folder / "posts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in posts), "utf-8")
    topics = ""
    for number, (id_, (title, before, latex, after)) in enumerate(TOPICS.items(), start=1):
        question = escape(_body(before, latex, after.replace("\x1b", ""), f"q_{number}"))
        topics += (
            f'<Topic number="{id_}"><Formula_Id>q_{number}</Formula_Id><Latex>{escape(latex)}</Latex>'
            f"<Title>{title}</Title><Question>{question}</Question><Tags>algebra</Tags></Topic>"
        )
    (folder / "topics_task2.xml").write_text(f"<Topics>{topics}</Topics>", "utf-8")
    qrels = "".join(f"{t}\t0\t{f}\t{g}\n" for t, grades in QRELS.items() for f, g in grades.items())
    (folder / "qrels_task2.tsv").write_text(qrels, "utf-8")
    (folder / "runs_task2" / "paths.tsv").write_text(
        "B.1\tQ0\t129\t1\t0.9\tpaths\nB.1\tQ0\t119\t2\t0.8\tpaths\n", "utf-8"
    )
    (folder / "runs_task2" / "vectors.tsv").write_text("B.1\tQ0\t119\t1\t0.7\tvectors\n", "utf-8")
    rows = [{"topic_id": id_, "mathamr": graph} for id_, graph in GRAPHS.items()]
    (folder / "mathamr_topics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return folder


_PARSED = '(f / find-01 :arg0 (y / you) :arg1 (s / solution :mod (g / general)) :math "MATH")'


class QuickCall(HereCall):
    """The real operation, but for the parser, which takes seconds to load: its graph is a given one."""

    async def __aiter__(self) -> AsyncIterator[Event | CallResult]:
        parsed = self.task == "mathamr.inspect" and "graph" not in self.params
        if parsed and self.params.get("topic") in GRAPHS and self.params.get("parser") != "builtin":
            parsed = False
        if parsed:
            self.params = {**self.params, "parser": "builtin", "graph": _PARSED}
        async for item in super().__aiter__():
            if parsed and isinstance(item, CallResult):
                item.value["parser"] = "builtin"
            yield item


class QuickEngine(HereEngine):
    """Answers the MathAMR screen in this process."""

    def call(self, task: str, params: Mapping[str, Any]) -> HereCall:
        call = QuickCall(self, task, params)
        self.calls.append(call)
        return call
