"""`mathwb tour`: the main job of every engine on the sample workspace, and what it found."""

from __future__ import annotations

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
