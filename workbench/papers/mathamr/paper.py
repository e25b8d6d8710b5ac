"""MathAMR's registration, and its stops of the tour."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from workbench.paper import Paper, Trainer

if TYPE_CHECKING:
    from workbench.tour import Found, Guide
    from workbench.workspace import Workspace


def tour(guide: Guide, workspace: Workspace) -> None:
    """A formula in its context, a text of one's own, and the formulas nearest to one."""
    from workbench.papers.arqmath.data import collections

    known = collections(workspace)
    if not known:
        guide.say("the workspace has no collection, so this is skipped")
        return
    folder = str(known[0].path)
    overview = guide.stop("List the topics of formula search", "mathamr.topics", {"folder": folder}, _topics)
    with_graphs = [topic for topic in overview["topics"] if topic["graph"]]
    if with_graphs:
        topic = max(with_graphs, key=lambda one: (sum(one["judged"]), one["id"]))
        asked = {"folder": folder, "topic": topic["id"], "k": 5}
        guide.stop(f"Inspect {topic['id']} in its context", "mathamr.inspect", asked, _inspected)
    text = "Prove that the sum $\\sum_{k=1}^n k$ equals $\\frac{n(n+1)}{2}$."
    guide.stop(f"Parse a text: {text}", "mathamr.inspect", {"text": text, "k": 0}, _parsed)


def _topics(found: Found) -> Iterator[str]:
    from engines.formula.unicode import unicode_text

    for topic in found["topics"]:
        yield f"{topic['id']}  {sum(topic['judged']):>3} judged  {unicode_text(topic['latex'])}"


def _inspected(found: Found) -> Iterator[str]:
    from engines.formula.unicode import render_text, unicode_text

    yield render_text(found["text"])
    yield f"string: {found['strings']['mathamr']}"
    for one in found["nearest"]:
        grade = "unjudged" if one["grade"] is None else f"grade {one['grade']}"
        yield f"  {one['score']:.3f}  {grade:<9} {unicode_text(one['latex'])}"


def _parsed(found: Found) -> Iterator[str]:
    yield from found["penman"].splitlines()
    yield f"by the {found['parser']} parser, which is approximate"


PAPER = Paper(
    name="mathamr",
    help="Formulas in context as graphs: trees, strings, search.",
    operations="workbench.papers.mathamr.operations:OPERATIONS",
    tables="workbench.papers.mathamr.tables",
    trainers=(
        Trainer(
            "mathamr.sentences",
            "engines.mathamr.training.sentences:sentence_encoder",
            data=("collection", "index", "encoder"),
            begins="encoder",
        ),
    ),
    settings="workbench.papers.mathamr.data:KEYS",
    folder="mathamr",
    doctor="workbench.papers.mathamr.data:examine",
    tour="workbench.papers.mathamr.paper:tour",
    kinds="workbench.papers.mathamr.data:KINDS",
    references={
        "amr": "workbench.papers.mathamr.data:amr_path",
        "formulas": "workbench.papers.mathamr.data:index_path",
        "formula source": "workbench.papers.mathamr.data:source_path",
    },
)
