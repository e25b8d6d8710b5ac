"""Fusing run files of any origin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from engines.core.events import Sink, ignore
from engines.core.spec import Arg
from engines.retrieval.fusion import FuseRuns, fused_runs
from engines.retrieval.run import write_manifest


@dataclass(frozen=True, slots=True)
class Fuse(FuseRuns):
    """Fuse runs by reciprocal ranks, plain or weighted by scores, or by weighted scores."""

    task: Annotated[int, Arg("1: answers; 2: formulas, possibly with post ids.", low=1, high=2)] = 1


def fuse(spec: Fuse, *, events: Sink = ignore) -> dict[str, Any]:
    """Write the fused run. Returns: out, topics, documents, left_out (documents beyond 1,000 of a topic).
    Events and errors as of `fused_runs`.

    >>> from engines.core.assets import asset
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> runs = asset("sample/arqmath/sample-forum") / "runs"
    >>> found = fuse(Fuse((runs / "bm25.tsv", runs / "dense.tsv"), Path(mkdtemp()) / "both.tsv"))
    >>> found["topics"]
    12
    """
    fused, left_out = fused_runs(spec, task=spec.task, events=events)
    found = {
        "out": str(spec.out),
        "topics": len(fused.rankings),
        "documents": len(fused),
        "left_out": left_out,
    }
    write_manifest("arqmath.fuse", spec, spec.out, {"runs": spec.runs}, found)
    return found
