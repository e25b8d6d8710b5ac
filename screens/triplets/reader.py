"""Reading a set of problems: its anchors, their triplets, and why one has the triplet that it has."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual import on

from screens.shell.request import Answer, OwnEngine, Progress, Request, Service
from screens.triplets.choice import Choice

if TYPE_CHECKING:
    from workbench.engine_process import EngineProcess

__all__ = ["MANY", "AnchorsRead", "Explained", "SetReader", "TripletsProgress", "TripletsRead"]

_KEPT = 256
MANY = 3_000
"""Triplets of more anchors than this are found only when they are asked for."""

Way = tuple[Path, Choice]


class AnchorsRead(Answer):
    """The anchors of a set and its pool; tagged with file and choice."""


class TripletsRead(Answer):
    """The triplets of all anchors; tagged with file and choice."""


class TripletsProgress(Progress):
    """How many anchors have theirs."""


class Explained(Answer):
    """Why an anchor has its triplet; tagged with file, choice and anchor."""


class SetReader(Service):
    """Answers what it knows at once, asks for the rest, and says when it has come."""

    def __init__(self, engine: Callable[[], EngineProcess], new_engine: Callable[[], EngineProcess]) -> None:
        super().__init__()
        self._own = OwnEngine(new_engine)
        self._explanations: OrderedDict[tuple[Path, Choice, str], Mapping[str, Any]] = OrderedDict()
        self._triplets: OrderedDict[Way, Mapping[str, Mapping[str, Any]]] = OrderedDict()
        self._asked: Way | None = None
        self._stopped = False
        self._anchors_request = Request(self, engine, "mwp.anchors", AnchorsRead)
        self._triplets_request = Request(self, self._own, "mwp.triplets", TripletsRead, TripletsProgress)
        self._explain = Request(self, engine, "mwp.explain", Explained)

    def on_unmount(self) -> None:
        self._own.close()

    def anchors(self, path: Path, choice: Choice) -> None:
        """Ask for the anchors of a set; what is known of triplets is forgotten."""
        self._explanations.clear()
        self._triplets.clear()
        self._asked = None
        self.pool(path, choice)

    def pool(self, path: Path, choice: Choice) -> None:
        """Ask for the anchors again, and for what another pool holds; triplets stay."""
        self._anchors_request.ask({"data": str(path), "pool": choice.pool}, (path, choice))

    def triplets(self, path: Path, choice: Choice, anchors: int, *, wanted: bool = False) -> None:
        """Ask for the triplets of all anchors unless they are known; of a large set only if `wanted`."""
        way = (path, choice)
        if wanted or (way not in self._triplets and way != self._asked and anchors <= MANY):
            self._triplets_request.stop()
            self._asked, self._stopped = way, False
            self._triplets_request.ask(choice.params(path), way)

    def known_triplets(self, path: Path, choice: Choice | None) -> Mapping[str, Mapping[str, Any]] | None:
        """The triplets of all anchors, if they were found."""
        return self._triplets.get((path, choice)) if choice is not None else None

    def explanation(self, path: Path, choice: Choice, anchor: str) -> Mapping[str, Any] | None:
        """Why an anchor has its triplet, if that is known; else it is asked for."""
        key = (path, choice, anchor)
        if key not in self._explanations:
            self._explain.ask({**choice.params(path), "anchor": anchor}, key)
        return self._explanations.get(key)

    def known(self, path: Path, choice: Choice, anchor: str) -> Mapping[str, Any] | None:
        """The same, without asking."""
        return self._explanations.get((path, choice, anchor))

    @property
    def finding(self) -> bool:
        """Whether triplets are being found."""
        return self._triplets_request.running

    def stop(self) -> None:
        """End finding triplets, with those that there are."""
        self._stopped = True
        self._triplets_request.stop()

    @on(Explained)
    def _explained(self, event: Explained) -> None:
        if event.error is None:
            self._explanations[event.tag] = event.value
            while len(self._explanations) > _KEPT:
                self._explanations.popitem(last=False)

    @on(TripletsRead)
    def _found(self, event: TripletsRead) -> None:
        if event.tag == self._asked:
            self._asked = None
        # What gave way to another choice is asked again when it is wanted again.
        if event.error is None and (event.value["complete"] or self._stopped):
            self._triplets[event.tag] = {row["anchor"]: row for row in event.value["triplets"]}
            while len(self._triplets) > 6:
                self._triplets.popitem(last=False)
