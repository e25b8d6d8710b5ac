"""Nearest: the neighbours of a member by cosine, and of which cluster each is."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

from textual import on

from screens.egraphs.columns import Expression, listed, member_title, table
from screens.egraphs.member import Case
from screens.egraphs.middle import Heading, TableView
from screens.egraphs.models import AT_ONCE, NOT_ENCODED, TOO_MANY, Hindrance
from screens.egraphs.notation import copies
from screens.egraphs.sources import Cluster
from screens.shell.export import Export
from screens.shell.request import Answer, Ask, Progress
from screens.shell.selection import CommandLine, Selection
from screens.shell.text import count
from screens.widgets.listing import Listing
from screens.widgets.rows import Record

__all__ = ["NearestView"]

_NEIGHBOURS = 50
_KEPT = 256
_EXPORTED = ("place", "cosine", "prefix", "cluster", "member", "same", "verdict")

_Key = tuple[str, str, int, int]
"""Model, corpus, cluster, member."""


class NearestView(TableView):
    """Asks for the neighbours of the member that is chosen."""

    encodes = True

    class Found(Answer):
        """Neighbours were found; tagged with model, corpus, cluster and member."""

    def __init__(self, ask: Ask) -> None:
        super().__init__(Listing(**table("nearest")))
        self._found: OrderedDict[_Key, list[Expression]] = OrderedDict()
        self._shown: _Key | None = None
        self.request = ask(self, "egen.nearest", self.Found, Progress)

    @property
    def _key(self) -> _Key | None:
        state = self.state
        if state.hindrance or state.model is None or state.cluster is None or state.member is None:
            return None
        return str(state.model), str(state.folder), state.cluster.number, state.member["member"]

    def show(self) -> None:
        hindrance, key, member = self.state.hindrance, self._key, self.state.member
        if hindrance is not None:
            self.say(hindrance)
        elif not self.state.arrived:
            self._wait()
        elif key is None or member is None:
            self.say(None)
        elif key not in self._found:
            place = dict(zip(("model", "data", "cluster", "member"), key, strict=True))
            if self.ask({**place, "expr": member["prefix"], "count": _NEIGHBOURS, "at_most": AT_ONCE}, key):
                self._wait()
        elif key != self._shown:
            self._shown = key
            self._listing.home = f"{self.state.source.address}/cluster" if self.state.source else ""
            self._listing.load(self._found[key], keep=False)

    def _wait(self) -> None:
        self._shown = None
        self._listing.show_loading("looking for neighbours")

    def say(self, hindrance: Hindrance | None) -> None:
        self._shown = None
        super().say(hindrance)

    @on(Found)
    def _answered(self, event: Found) -> None:
        key: _Key = event.tag
        if event.error is None:
            self._found[key] = _rows(event.value)
            while len(self._found) > _KEPT:
                self._found.popitem(last=False)
        if key == self._key:
            if event.error is None:
                self.show()
            elif event.error.code == TOO_MANY:
                self.say(NOT_ENCODED)
            else:
                self._listing.show_error(event.error)
        self.post_message(self.Changed())

    def progressed(self, words: str) -> None:
        self._listing.show_loading(f"encoding: {words} · x stops it")

    @property
    def _here(self) -> tuple[Cluster, Expression, Record] | None:
        cluster, member, row = self.state.cluster, self.state.member, self._table.current
        if cluster is None or member is None or row is None or self._shown is None:
            return None
        return cluster, member, row

    def heading(self) -> Heading:
        cluster, member, model = self.state.cluster, self.state.member, self.state.model_words
        crumbs = (f"cluster {cluster.number}",) if cluster is not None else ()
        crumbs = (*crumbs, *((member_title(member),) if member is not None else ()), "nearest")
        rows = self._table.rows
        if not len(rows):
            return Heading("nearest", "", model, crumbs)
        wrong = sum(row["same"] == "no" for row in rows.records)
        words = f"{len(rows)}, {count(wrong)} of other clusters"
        return Heading("nearest", words, f"{model} · S: wrong first", crumbs)

    def case(self) -> Case | None:
        if self._here is None:
            return None
        cluster, member, row = self._here
        return Case(
            f"neighbour {row['place']}", member["prefix"], row["prefix"], row["verdict"], cluster.seed
        )

    def selection(self, line: CommandLine) -> Selection | None:
        if self._here is None or self.state.model is None:
            return None
        cluster, member, row = self._here
        known = {name: row[name] for name in ("cluster", "member", "cosine", "verdict")}
        forms = copies(row["prefix"], {"nearest_to": member["prefix"], **known})
        words = ["egen", "nearest", self.state.model.name, "--corpus", str(self.state.folder)]
        own = ["--cluster", str(cluster.number), "--member", str(member["member"])]
        command = line(*words, *own, "-k", str(_NEIGHBOURS), "--", member["prefix"])
        address = f"{cluster.source.address}/cluster/{row['id']}"
        return Selection(address, f"neighbour {row['place']}", command, forms)

    def exports(self) -> Sequence[Export]:
        cluster, model = self.state.cluster, self.state.model
        if cluster is None or model is None:
            return ()
        facts = {**cluster.facts, "model": model.name}
        return listed("neighbours", f"{cluster.stem}-nearest", _EXPORTED, self._table.visible_records, facts)

    def legend(self) -> Sequence[tuple[str, str]]:
        return (
            ("✓ same", "of the same cluster"),
            ("≈ other", "of another cluster, and yet equal, extending or shrinking"),
            ("✗ other", "of another cluster, and different"),
            ("cosine", "of the angle between the two vectors: 1 is the same direction"),
        )

    def opened(self, row: Record) -> None:
        self.post_message(self.Visited(str(row["cluster"]), str(row["member"])))


def _rows(found: Mapping[str, Any]) -> list[Expression]:
    """The document of `egen.nearest`, a row each."""
    rows = []
    for place, each in enumerate(found["neighbours"], 1):
        same = "yes" if each["same"] else "no"
        more = {"id": f"{each['cluster']}/member/{each['member']}", "place": place, "same": same}
        more["where"] = f"{each['cluster']}.{each['member']}"
        rows.append(Expression({"verdict": "", **each, **more}))
    return rows
