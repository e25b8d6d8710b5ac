"""What a model says of the corpus: the words for its absence, and records of maps, neighbours and answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from textual.content import Content

from screens.egraphs.forms import shown
from screens.text import safe_text
from screens.widgets.rows import Column, Record
from screens.widgets.scatter import Dot

__all__ = [
    "ARRANGEMENTS",
    "NEIGHBOUR_COLUMNS",
    "NEIGHBOUR_FIELDS",
    "NOT_ENCODED",
    "NOT_FINISHED",
    "NOT_KEPT",
    "NO_CORPUS",
    "NO_MODEL",
    "Hindrance",
    "dots",
    "hit_verdict",
    "neighbour_rows",
    "notice",
]

ARRANGEMENTS = {
    "pca": "{} clusters, PCA",
    "tsne": "{} clusters, t-SNE",
    "families": "{} of 17 families, t-SNE",
}
"""What the map can show, in the order in which `s` goes through it, and its title."""


@dataclass(frozen=True, slots=True)
class Hindrance:
    """Why there are no vectors, and what can be done about it."""

    what: str
    advice: str


NO_MODEL = Hindrance(
    "There is no model yet",
    "A model turns expressions into vectors. 3 and a train one: egen/cl-mean-tiny takes a minute, "
    "egen/cl-mean-small an hour. On the command line: mathwb train --headless",
)
NO_CORPUS = Hindrance("There is no corpus", "a grows an expression, K keeps it.")
NOT_KEPT = Hindrance(
    "What was grown here and is not kept has no place among others",
    "K keeps it in the corpus `grown`; there its members get vectors.",
)
NOT_FINISHED = Hindrance("This corpus is not finished", "Its vectors can be made when it is.")
NOT_ENCODED = Hindrance(
    "This corpus is large, and its expressions have no vectors by this model yet",
    "`:` and `encode the corpus` starts a job that makes them.",
)


def notice(what: str, advice: str = "", *, glyph: str = "") -> Content:
    """One thought in place of a map, and what can be done about it."""
    first = Content.assemble((f"{glyph} " if glyph else "", "$accent"), safe_text(what))
    return Content("\n").join([Content(), first, safe_text(advice, "$quiet")])


def dots(found: Mapping[str, Any]) -> list[Dot]:
    """The map that `egen.map` returned; the expressions of families have keys that no cluster has."""
    if "clusters" not in found:
        return [
            Dot(f"{name} {number}", x, y, name)
            for number, (name, (x, y)) in enumerate(zip(found["names"], found["points"], strict=True))
        ]
    return [
        Dot(str(cluster), x, y, kind)
        for cluster, kind, (x, y) in zip(found["clusters"], found["names"], found["points"], strict=True)
    ]


# Neighbours

NEIGHBOUR_FIELDS = ("place", "cosine", "prefix", "infix", "op", "same", "verdict", "cluster", "member")


class _Neighbour(dict[str, Any]):
    """A record whose infix form and operators are made when a filter asks for them."""

    def get(self, name: str, default: Any = None) -> Any:
        """The field, as `dict.get`."""
        from screens.egraphs.forms import infix

        if name == "infix":
            return infix(self["prefix"])
        if name == "op":
            return self["prefix"].split()
        return super().get(name, default)


def neighbour_rows(found: Mapping[str, Any]) -> list[Record]:
    """What `egen.nearest` returned, a line each."""
    return [
        _Neighbour(
            {
                "verdict": "",
                **each,
                "id": f"{each['cluster']}.{each['member']}",
                "place": place,
                "same": "yes" if each["same"] else "no",
            }
        )
        for place, each in enumerate(found["neighbours"], 1)
    ]


def hit_verdict(word: str, right: bool) -> tuple[str, str]:
    """Glyph and colour of an answer: right, equal all the same, or wrong."""
    if right:
        return "✓", "$success"
    return ("≈", "$warning") if word in ("equal", "extends", "shrinks") else ("✗", "$error")


def _where(record: Record) -> Content:
    same = record["same"] == "yes"
    glyph, colour = hit_verdict(record["verdict"], same)
    return Content.styled(f"{glyph} {'same' if same else 'other'}", colour)


def _place(record: Record) -> int:
    """Those of other clusters above all; in both parts the nearest first when it is sorted descending."""
    return (10**6 if record["same"] == "no" else 0) - int(record["place"])


NEIGHBOUR_COLUMNS = (
    Column("place", "#", 3, "right", sort=_place),
    Column("cosine", "cosine", 6, "right", show=lambda record: f"{record['cosine']:.4f}"),
    Column("prefix", "neighbour", show=lambda record: safe_text(shown(record["prefix"]))),
    Column("id", "place", 7, drop=1),
    Column("same", "cluster", 7, show=_where),
)
"""`S` from the order of cosines sorts the first column descending: the wrong ones come first."""
