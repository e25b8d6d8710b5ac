"""A stand-in for growth, to test building by itself: quick, and able to misbehave on command."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable

from engines.core.errors import EngineError
from engines.core.tree import Tree
from engines.egen.language import prefix
from engines.egen.records import Cluster, EgenConfig, Member, Stats, Verdict
from engines.egen.sources import Head, Source

Generator = Callable[[Tree, EgenConfig], Cluster]


def source(count: int, *extra: str) -> Source:
    """Heads `+ x 1000`, `+ x 1001`, … and others."""
    texts = [f"+ x {1000 + n}" for n in range(count)] + list(extra)
    return Source("fake", tuple(Head(text, "own", "± c x", len(text.split())) for text in texts))


def cluster(head: Tree, config: EgenConfig, *, stop_reason: str = "saturated") -> Cluster:
    """Members `- + head c c` for seeded c: equal to any head."""
    draw = random.Random(config.seed)
    constants = draw.sample(range(2, 500), config.members)
    trees = [Tree("-", (Tree("+", (head, Tree(str(c)))), Tree(str(c)))) for c in constants]
    members = tuple(Member(tree, Verdict("equal", 1.0, points=48)) for tree in trees)
    stats = Stats(stop_reason, 3, 100, 20, 0.1, 0.1, 0.1, 10**30)  # type: ignore[arg-type]
    return Cluster(head, members, stats, config)


def service(config: EgenConfig) -> Generator:
    """Grows every head at once."""
    return cluster


def slow_service(config: EgenConfig) -> Generator:
    """Takes 30 ms for a head."""

    def grow(head: Tree, settings: EgenConfig) -> Cluster:
        time.sleep(0.03)
        return cluster(head, settings)

    return grow


def moody_service(config: EgenConfig) -> Generator:
    """Misbehaves on `sin`, `cos`, `tan`, `sinh`, `cosh`, `asin` and `acos`, each in its way."""

    def grow(head: Tree, settings: EgenConfig) -> Cluster:
        if head.label == "sin":
            os.kill(os.getpid(), signal.SIGKILL)
        if head.label == "cos":
            time.sleep(3600)
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


def fails_once_service(config: EgenConfig) -> Generator:
    """Dies on `+ x 1003` in every worker that has not seen it die (a file in $FAKE_DIR remembers)."""

    def grow(head: Tree, settings: EgenConfig) -> Cluster:
        mark = os.path.join(os.environ["FAKE_DIR"], "died")
        if prefix(head) == "+ x 1003" and not os.path.exists(mark):
            open(mark, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return cluster(head, settings)

    return grow


def wrong_service(config: EgenConfig) -> Generator:
    """A rule that is wrong: a member differed."""

    def grow(head: Tree, settings: EgenConfig) -> Cluster:
        if prefix(head) == "+ x 1002":
            raise EngineError("+ x 1 is not equal to + x 1002", remedy="Check: bad-rule.", code="E211")
        return cluster(head, settings)

    return grow


def broken_service(config: EgenConfig) -> Generator:
    """Cannot be started."""
    raise ImportError("no egglog here")


if __name__ == "__main__":  # a builder of its own for the tests that kill it
    import sys
    from pathlib import Path

    from engines.egen.build import build_corpus
    from tests.egen import fake_growth

    build_corpus(
        fake_growth.source(70),
        Path(sys.argv[1]),
        EgenConfig(members=5),
        workers=2,
        service=fake_growth.slow_service,
    )
