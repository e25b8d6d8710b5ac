"""A stand-in for growth, to test building by itself: quick, and able to misbehave on command."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path
from typing import Any

from engines.core.errors import EngineError
from engines.core.events import Sink, Stop
from engines.core.expression_language import LETTERS, read_prefix, to_prefix
from engines.core.tree import Tree
from engines.egen.corpus.build import BuildResult, build_corpus, saved_plan
from engines.egen.corpus.sources import HeadSource, SourceHead
from engines.egen.egraph.process import ClusterRequest, RequestHandler
from engines.egen.records import Cluster, Member, Stats
from engines.egen.settings import EgenConfig
from engines.mathematics.verification.verdicts import MemberVerdict


def source(count: int, *extra: str) -> HeadSource:
    """Heads `+ x 1000`, `+ x 1001`, … and others."""
    texts = [f"+ x {1000 + n}" for n in range(count)] + list(extra)
    return HeadSource("fake", tuple(SourceHead(text, "own", "± c x", len(text.split())) for text in texts))


def cluster(head: Tree, config: EgenConfig, *, stop_reason: str = "saturated") -> Cluster:
    """Members `- + head c c` for seeded c: equal to any head."""
    draw = random.Random(config.seed)
    constants = draw.sample(range(2, 500), config.members)
    texts = [f"- + {to_prefix(head)} {c} {c}" for c in constants]
    members = tuple(
        Member(read_prefix(text, LETTERS), MemberVerdict("equal", 1.0, point_count=48)) for text in texts
    )
    stats = Stats(stop_reason, 3, 100, 20, 0.1, 0.1, 0.1, 10**30)  # type: ignore[arg-type]
    return Cluster(head, members, stats, config)


def service() -> RequestHandler:
    """Grows every head at once."""
    return lambda request, events, stop: cluster(request.head, request.config)


def slow_service() -> RequestHandler:
    """Takes 30 ms for a head."""

    def grow(request: ClusterRequest, events: Sink, stop: Stop) -> Cluster:
        head, settings = request.head, request.config
        time.sleep(0.03)
        return cluster(head, settings)

    return grow


def moody_service() -> RequestHandler:
    """Misbehaves on `sin`, `cos`, `tan`, `sinh`, `cosh` and `asin`, each in its way, and waits on `tanh`."""

    def grow(request: ClusterRequest, events: Sink, stop: Stop) -> Cluster:
        head, settings = request.head, request.config
        if head.label == "sin":
            os.kill(os.getpid(), signal.SIGKILL)
        while head.label == "cos":
            pass
        if head.label == "tanh":
            time.sleep(0.5)
        if head.label == "tan":
            return cluster(head, settings, stop_reason="time_limit")
        if head.label == "sinh":
            raise EngineError("the head is defined nowhere")
        if head.label == "cosh":
            raise SystemExit("panic")
        if head.label == "asin":
            hoard = bytearray(2**30)
            hoard[::4096] = b"x" * len(hoard[::4096])
            time.sleep(3600)
        return cluster(head, settings)

    return grow


def fails_once_service() -> RequestHandler:
    """Dies on `+ x 1003` in every worker that has not seen it die (a file in $FAKE_DIR remembers)."""

    def grow(request: ClusterRequest, events: Sink, stop: Stop) -> Cluster:
        head, settings = request.head, request.config
        mark = os.path.join(os.environ["FAKE_DIR"], "died")
        if to_prefix(head) == "+ x 1003" and not os.path.exists(mark):
            open(mark, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return cluster(head, settings)

    return grow


def wrong_service() -> RequestHandler:
    """A rule that is wrong: a member differed."""

    def grow(request: ClusterRequest, events: Sink, stop: Stop) -> Cluster:
        head, settings = request.head, request.config
        if to_prefix(head) == "+ x 1002":
            raise EngineError("+ x 1 is not equal to + x 1002", remedy="Check: bad-rule.", code="E211")
        return cluster(head, settings)

    return grow


def broken_service() -> RequestHandler:
    """Cannot be started."""
    raise ImportError("no egglog here")


def finish(out: Path, **how: Any) -> BuildResult:
    """Build what was begun in the folder to the end, with the settings it was begun with."""
    plan = saved_plan(out)
    return build_corpus(plan.source, out, plan.config, **how)


if __name__ == "__main__":  # a builder of its own for the tests that kill it
    import sys

    from tests.egen import fake_growth

    build_corpus(
        fake_growth.source(70),
        Path(sys.argv[1]),
        EgenConfig(members=5),
        workers=2,
        service=fake_growth.slow_service,
    )
