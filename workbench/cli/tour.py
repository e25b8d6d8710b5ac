"""`mathwb tour`: the main job of every engine on the sample workspace, and what it found."""

from __future__ import annotations

import textwrap
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from engines.core.events import ignore, never
from workbench.cli.common import Json, emit, say
from workbench.tasks import resolve
from workbench.workspace import Workspace, ensure_sample

__all__ = ["tour"]

Found = Mapping[str, Any]


class _Guide:
    """Runs one task after the other, tells its result, and keeps it for `--json`."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self.stops: list[dict[str, Any]] = []

    def stop(
        self, title: str, task: str, params: dict[str, Any], tell: Callable[[Found], Iterator[str]]
    ) -> Found:
        began = time.perf_counter()
        found = resolve(task)(params, events=ignore, stop=never)
        seconds = round(time.perf_counter() - began, 3)
        self.stops.append(
            {"title": title, "task": task, "params": params, "seconds": seconds, "result": found}
        )
        if not self._quiet:
            lines = [
                f"{len(self.stops)}. {title} ({seconds:.2f} s)",
                *(f"   {line}" for line in tell(found)),
                "",
            ]
            emit(None, False, text=lines)
        return found


def tour(as_json: Json = False) -> None:
    """Do the main job of every engine on the sample workspace and tell what it found."""
    workspace = Workspace.open()
    made = ensure_sample(workspace)
    say(f"workspace {workspace.root}{': the sample was put there' if made else ''}")
    guide = _Guide(quiet=as_json)
    _egen(guide, workspace.corpora)
    _arqmath(guide, workspace)
    emit(
        {"workspace": str(workspace.root), "stops": guide.stops},
        as_json,
        text="Look at all of it with: mathwb",
    )


def _egen(guide: _Guide, corpora: Path) -> None:
    guide.stop(
        "Grow the derivative of -9 sinh(2-7x) into expressions that equal it",
        "egen.generate",
        {"expr": "d x * -9 sinh - 2 * 7 x", "members": 12},
        _members,
    )
    guide.stop(
        "Judge three ways to write x",
        "egen.verify",
        {"expr": "x", "members": ["tan(atan(x))", "sqrt(x)^2", "asin(sin(x))"]},
        _verdicts,
    )
    corpus = next((path for path in sorted(corpora.iterdir()) if (path / "manifest.json").exists()), None)
    if corpus is None:
        say("no corpus is left in the workspace, so none is looked at")
        return
    place = {"corpus": str(corpus)}
    guide.stop(f"Count the corpus {corpus.name}", "egen.stats", place, _statistics)
    cluster = guide.stop("Open its first cluster", "egen.cluster", {**place, "cluster": 0}, _cluster)
    # A member that lost some of the domain is another function.
    equal = [row for row in cluster["members"] if row["verdict"] in ("head", "equal")]
    longest = max(equal, key=lambda row: row["tokens"])
    guide.stop(
        f"Find the cluster of {longest['infix']}", "egen.find", {**place, "expr": longest["prefix"]}, _matches
    )


def _arqmath(guide: _Guide, workspace: Workspace) -> None:
    from workbench.collections import collections

    known = collections(workspace)
    if not known:
        say("no ARQMath collection is left in the workspace, so none is looked at")
        return
    collection = known[0]
    place = {"folder": str(collection.path), "index": str(collection.index)}
    overview = guide.stop(
        f"Evaluate the runs of the collection {collection.name}", "arqmath.overview", place, _runs
    )
    runs = [run["name"] for run in overview["runs"] if run["interval"]]
    if len(runs) > 1:
        ours, other = runs[:2]
        topic = _largest_loss(overview, ours, other)
        ranking = guide.stop(
            f"See where {other} loses most against {ours}: {topic['id']}",
            "arqmath.ranking",
            {**place, "topic": topic["id"]},
            lambda found: _side_by_side(found, overview, ours, other),
        )
        best = max(ranking["grades"], key=lambda id_: (ranking["grades"][id_], id_))
        guide.stop("Read its best answer", "arqmath.post", {**place, "id": best}, _post)
    if overview["index"] == "small":
        guide.stop("Index its answers", "arqmath.prepare", place, _indexed)
    if overview["index"] in ("small", "ready"):
        query = "why is the sum of $\\frac{1}{n}$ infinite"
        guide.stop(f"Search it: {query}", "arqmath.search", {**place, "query": query, "k": 5}, _hits)


def _largest_loss(overview: Found, ours: str, other: str) -> Found:
    """The topic on which the other run is worst against ours."""
    both = [topic for topic in overview["topics"] if {ours, other} <= topic["ndcg"].keys()]
    return min(both, key=lambda topic: float(topic["ndcg"][other] - topic["ndcg"][ours]))


def _runs(found: Found) -> Iterator[str]:
    grades = ", ".join(f"{count} of grade {grade}" for grade, count in enumerate(found["grades"]))
    yield f"{len(found['topics'])} topics; judgements: {grades}"
    for run in found["runs"]:
        if run["interval"]:
            low, high = run["interval"]
            yield (
                f"  {run['name']:<14} nDCG' {run['ndcg_prime']:.3f} ({low:.3f} to {high:.3f})  "
                f"mAP' {run['map_prime']:.3f}  P'@10 {run['p10_prime']:.3f}"
            )
    for written in found["answers"]:
        if written["judged"]:
            yield f"  written answers of {written['name']}: AR {written['ar']:.2f}, P@1 {written['p1']:.2f}"


def _side_by_side(found: Found, overview: Found, ours: str, other: str) -> Iterator[str]:
    scores = {
        topic["id"]: (topic["ndcg"].get(ours, 0.0), topic["ndcg"].get(other, 0.0))
        for topic in overview["topics"]
    }
    better, worse = (sum(sign * (b - a) > 0 for a, b in scores.values()) for sign in (1, -1))
    yield f"{other} is better than {ours} on {better} topics and worse on {worse}"
    a, b = scores[found["topic"]]
    yield f"{found['shown']['title']} (nDCG' {b:.3f} against {a:.3f})"
    yield f"  rank  {ours:<20} {other}"
    for rank, pair in enumerate(
        zip(*(found["runs"][name][:5] for name in (ours, other)), strict=False), start=1
    ):
        mine, theirs = (f"{id_} {_grade(found['grades'].get(id_))}" for id_, _ in pair)
        yield f"  {rank:<4}  {mine:<20} {theirs}"


def _grade(grade: int | None) -> str:
    return "unjudged" if grade is None else f"grade {grade}"


def _post(found: Found) -> Iterator[str]:
    if found["question"]:
        yield f"to: {found['question']['title']}"
    for line in found["text"].splitlines():
        yield from textwrap.wrap(line, 100)


def _indexed(found: Found) -> Iterator[str]:
    yield f"{found['documents']:,} answers, {found['lexical']['terms']:,} terms"


def _hits(found: Found) -> Iterator[str]:
    for row in found["rows"]:
        yield f"{row['score']:6.2f}  {row['id']}  {row['title']}"


def _members(found: Found) -> Iterator[str]:
    stats = found["stats"]
    yield (
        f"{stats['total_members']:,} expressions within the token limit, in {stats['nodes']:,} nodes and "
        f"{stats['classes']:,} classes (stop: {stats['stop_reason']}); {len(found['members'])} of them:"
    )
    for row in found["members"]:
        yield f"  {row['verdict']:<8} {row['tokens']:>3} tokens  {row['unicode']}"


def _verdicts(found: Found) -> Iterator[str]:
    for row in found["members"]:
        yield f"{row['unicode']}: {row['verdict']}, defined at {row['kept']:.0%} of the points"


def _statistics(found: Found) -> Iterator[str]:
    for name, value in found.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield f"{name.replace('_', ' ')}: {value:,.6g}"


def _cluster(found: Found) -> Iterator[str]:
    verdicts = Counter(row["verdict"] for row in found["members"])
    yield f"{len(found['members']):,} expressions: " + ", ".join(
        f"{n:,} {word}" for word, n in verdicts.items()
    )
    for row in found["members"][:4]:
        yield f"  {row['unicode']}"


def _matches(found: Found) -> Iterator[str]:
    for match in found["matches"]:
        yield f"cluster {match['cluster']}, {match['unicode']}: {match['verdict']}"
