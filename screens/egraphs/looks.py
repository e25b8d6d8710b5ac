"""How clusters, members and points look as lines of tables."""

from __future__ import annotations

from collections.abc import Callable

from textual.content import Content

from screens.egraphs.forms import shown
from screens.text import count, safe_text
from screens.widgets.rows import Column, Record

__all__ = [
    "CLUSTER_COLUMNS",
    "CLUSTER_FIELDS",
    "MEMBER_COLUMNS",
    "MEMBER_FIELDS",
    "POINT_COLUMNS",
    "VERDICTS",
    "member_title",
    "stop_words",
    "verdict",
]

VERDICTS: dict[str, tuple[str, str]] = {
    "equal": ("✓", "$success"),
    "extends": ("▴", "$success"),
    "shrinks": ("▾", "$warning"),
    "nowhere": ("○", "$warning"),
    "different": ("✗", "$error"),
    "undecided": ("?", "$warning"),
}
"""A verdict's glyph and colour; the word always stands beside them. The worst come last, but for the last."""

_WORST = ("different", "nowhere", "undecided", "shrinks", "extends")

CLUSTER_FIELDS = (
    *("cluster", "head", "infix", "op", "size", "tok", "verdict"),
    *("kind", "stop", "nodes", "classes", "iterations"),
)
MEMBER_FIELDS = ("member", "prefix", "infix", "tokens", "verdict", "kept", "op")


def verdict(word: str) -> Content:
    """`✓ equal` in its colour."""
    glyph, colour = VERDICTS.get(word, ("·", "$quiet"))
    return Content.styled(f"{glyph} {word}", colour)


def stop_words(reason: str) -> str:
    """`node_limit` as people say it."""
    return reason.replace("_", " ")


def member_title(member: Record) -> str:
    """`member 37`, or `head`."""
    return f"member {member['member']}" if member["member"] else "head"


def _head(record: Record) -> Content:
    return safe_text(shown(record["head"]))


def _member(record: Record) -> Content:
    return safe_text(shown(record["prefix"]), "" if record["member"] else "bold")


def _judged(record: Record) -> Content:
    if record["member"] == 0:
        return Content.styled("· head", "$quiet")
    return verdict(record["verdict"]) if record["verdict"] else Content.styled("… verified", "$quiet")


def _all(record: Record) -> Content:
    """Whether all members equal the head; if not, the worst that occurs and the share that is equal."""
    words = record["verdict"]
    if words == ["growing"]:
        return Content.styled("…", "$accent")
    if words == ["all"]:
        return Content.styled("✓ all", "$success")
    worst = next((word for word in _WORST if word in words), "equal")
    glyph, colour = VERDICTS[worst]
    return Content.styled(f"{glyph} {record['equal']:.0%}".replace("%", " %"), colour)


CLUSTER_COLUMNS = (
    Column("head", "head", show=_head, sort=lambda record: shown(record["head"])),
    Column("size", "size", 5, "right", show=lambda record: count(record["size"])),
    Column("tok", "tok", 4, "right", show=lambda record: f"{record['tok']:.0f}", drop=1),
    Column("verdict", "equal", 6, show=_all, sort=lambda record: record["equal"]),
)
MEMBER_COLUMNS = (
    Column("member", "#", 4, "right"),
    Column("prefix", "member", show=_member),
    Column("tokens", "tok", 3, "right", drop=1),
    Column("verdict", "verdict", 11, show=_judged),
)


def _x(record: Record) -> Content:
    return safe_text(f"{record['x']:.4g}")


def _value(name: str) -> Callable[[Record], Content]:
    def show(record: Record) -> Content:
        state = record[f"{name}_state"]
        if state == "defined":
            return safe_text(f"{record[name]:.4g}")
        return Content.styled("–" if state == "undefined" else "?", "$warning")

    return show


def _failing(record: Record) -> Content:
    if not record["term"]:
        return Content.styled("equal", "$quiet") if record["agrees"] else Content.styled("differs", "$error")
    # The reason first: of a narrow column the end is cut.
    what, _, reason = record["why"].rpartition(": ")
    where = "   ".join(part for part in (what, f"in {shown(record['term'])}") if part)
    return safe_text(reason, "$warning") + safe_text(f"   {where}", "$quiet")


POINT_COLUMNS = (
    Column("x", "x", 9, "right", show=_x),
    Column("head", "head", 10, "right", show=_value("head"), drop=1),
    Column("member", "member", 10, "right", show=_value("member")),
    Column("why", "because", show=_failing),
)
