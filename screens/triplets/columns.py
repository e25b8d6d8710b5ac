"""Columns: anchors with their margins, candidates, and what the pool holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from textual.content import Content

from screens.shell.text import safe_text
from screens.widgets.rows import Column, Record
from workbench.papers.mwp.rows import CANDIDATES, candidate_row

__all__ = [
    "ANCHOR_COLUMNS",
    "ANCHOR_FIELDS",
    "CANDIDATE_COLUMNS",
    "TEMPLATE_COLUMNS",
    "anchor_records",
    "candidate_records",
    "figure",
]


def figure(value: float | None) -> str:
    """`.41`, `1.00`, `−.08`."""
    if value is None:
        return ""
    text = f"{abs(value):.2f}"
    return ("−" if round(value, 2) < 0 else "") + (text[1:] if text.startswith("0.") else text)


def _margin(record: Record) -> Content:
    value = record["margin"]
    if value is None:
        return Content()
    return Content.styled(figure(value), "$success" if value > 0 else "$quiet")


def _sign(record: Record) -> Content:
    if record["label"]:
        return Content.styled("✗", "$error")
    if record["moved"]:
        return Content.styled(record["moved"], "$accent")
    return Content.styled("1", "$quiet") if record["alone"] else Content()


ANCHOR_COLUMNS = (
    Column("id", "id", 10),
    Column("template", "template", show=lambda r: safe_text(r["template"], "$foreground")),
    Column("margin", "margin", 6, "right", show=_margin),
    Column("moved", "", 2, show=_sign, drop=1),
)
ANCHOR_FIELDS = (
    *("id", "template", "margin", "strategy", "source", "fold", "like", "alone", "moved", "label"),
    *("eq", "positive", "negative", "text"),
)


def anchor_records(
    anchors: Sequence[Record],
    triplets: Mapping[str, Record] | None,
    before: Mapping[str, Record] | None,
    labels: Mapping[str, str],
) -> list[dict[str, Any]]:
    """The anchors with their triplets, as far as these are found.

    Args: before: the triplets of the choice before, which `moved` compares with: `p` for another positive,
    `n` for another negative. labels: by anchor.
    """
    found = []
    for anchor in anchors:
        id_ = anchor["id"]
        triplet = (triplets or {}).get(id_)
        old = (before or {}).get(id_)
        moved = ""
        if triplet is not None and old is not None:
            moved = "".join(name[0] for name in ("positive", "negative") if triplet[name] != old[name])
        found.append(
            {
                **anchor,
                "margin": triplet["text_sim_negative"] - triplet["text_sim_positive"] if triplet else None,
                "eq": triplet["eq_sim_negative"] if triplet else None,
                "positive": triplet["positive"] if triplet else None,
                "negative": triplet["negative"] if triplet else None,
                "strategy": triplet["strategy"] if triplet else None,
                "alone": "yes" if anchor["like"] == 1 else "",
                "moved": moved,
                "label": labels.get(id_, ""),
            }
        )
    return found


_LOOKS = {"positive": "$success", "negative": "$warning", "lost": "$quiet", "own": "$accent"}


def _role(record: Record) -> Content:
    sign = "▸" if record["chosen"] else " "
    return Content.assemble((sign, "$accent bold"), (record["as"], _LOOKS[record["as"]]))


def _told(record: Record) -> Content:
    return safe_text(record["problem"], "$foreground")


CANDIDATE_COLUMNS = (
    Column("as", "as", 9, show=_role),
    Column("id", "id", 16, show=lambda r: str(r["name"])),
    Column("text", "text", 5, "right", show=lambda r: figure(r["text"])),
    Column("eq", "eq", 5, "right", show=lambda r: figure(r["eq"])),
    Column("equation", "equation", 24, drop=1),
    Column("pool", "pool", 5, drop=3),
    Column("why", "why", 44, show=lambda r: safe_text(r["why"], "$quiet"), drop=2),
    Column("problem", "problem", show=_told, drop=4),
)


def candidate_records(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What `mwp.explain` says of candidates: negatives, those that were lost, own variants, positives."""
    chosen = {role: found["triplet"].get(role) for role in CANDIDATES}
    return [
        {
            **candidate_row(role, candidate),
            "id": f"{role} {candidate['id']}",
            "name": candidate["id"],
            "chosen": candidate["id"] == chosen[role],
        }
        for role, name in CANDIDATES.items()
        for candidate in found[name]
    ]


TEMPLATE_COLUMNS = (
    Column("equation", "equation", show=lambda r: safe_text(r["equation"], "$foreground")),
    Column("problems", "problems", 9, "right"),
    Column("qr", "qr", 7, "right", show=lambda r: str(r["qr"] or "")),
    Column("roda", "roda", 7, "right", show=lambda r: str(r["roda"] or "")),
)
