"""Anchors, triplets and candidates as rows: the fields that filters know, and the addresses of notes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engines.mwp.triplets.explain import Candidate, Explanation
    from engines.mwp.triplets.triplet import Triplet

__all__ = [
    "ANCHOR_FIELDS",
    "CANDIDATES",
    "CANDIDATE_FIELDS",
    "TRIPLET_FIELDS",
    "anchor_row",
    "candidate_row",
    "choice_name",
    "explained_row",
    "quoted",
    "triplet_address",
    "triplet_home",
    "triplet_row",
]

ANCHOR_FIELDS = ("id", "template", "source", "fold", "like", "alone", "text")
TRIPLET_FIELDS = ("id", "margin", "strategy", "alone", "eq", "positive", "negative")
CANDIDATE_FIELDS = ("as", "id", "text", "eq", "equation", "pool", "of", "own", "why", "problem")
CANDIDATES = {"negative": "negatives", "lost": "lost", "own": "own", "positive": "positives"}
"""What a candidate is, and the list of an explanation that holds it."""


def anchor_row(anchor: Mapping[str, Any], _found: object = None) -> dict[str, Any]:
    """An anchor of what `mwp anchors` found."""
    return {**anchor, "alone": "yes" if anchor["like"] == 1 else ""}


def triplet_row(triplet: Triplet, _found: object = None) -> dict[str, Any]:
    """A triplet of what `mwp triplets` found."""
    return {
        "id": triplet.anchor,
        "margin": triplet.margin,
        "strategy": triplet.strategy,
        "alone": "yes" if triplet.alone else "",
        "eq": triplet.eq_sim_negative,
        "positive": triplet.positive,
        "negative": triplet.negative,
    }


def candidate_row(role: str, candidate: Mapping[str, Any]) -> dict[str, Any]:
    """A candidate of what `mwp explain` found. Args: role: one of `CANDIDATES`."""
    return {
        "as": role,
        "id": candidate["id"],
        "text": candidate["text_sim"],
        "eq": candidate["eq_sim"],
        "equation": candidate["template"],
        "pool": candidate["part"],
        "of": candidate["of"],
        "own": "yes" if candidate["own"] else "",
        "why": candidate["reason"],
        "problem": " ".join(candidate["text"].split()),
    }


def explained_row(candidate: Candidate, found: Explanation) -> dict[str, Any]:
    """The same, of an explanation that was just made."""
    held = (
        role for role, name in CANDIDATES.items() if any(candidate is one for one in getattr(found, name))
    )
    return candidate_row(next(held), asdict(candidate))


def choice_name(strategy: str, text: str, pool: str) -> str:
    """How triplets are chosen, as one word: `em-bibleu-train+qr`."""
    return f"{strategy}-{text}-{pool.replace(',', '+')}"


def triplet_home(set_: str, choice: str) -> str:
    """What begins the addresses of the triplets of a set of problems."""
    return f"problems/{quoted(set_)}/strategy/{choice}/triplet"


def triplet_address(spec: Any) -> Callable[[Triplet], str]:
    """Where notes on triplets are kept."""
    home = triplet_home(_name_of(spec.data), choice_name(spec.strategy, spec.text, spec.pool))
    return lambda triplet: f"{home}/{quoted(triplet.anchor)}"


def quoted(name: str) -> str:
    """A part of an address: ids of problems may hold slashes."""
    return name.replace("%", "%25").replace("/", "%2F")


def _name_of(path: Path) -> str:
    """The name of the workspace's set that this file is; the file's without one."""
    from workbench.papers.mwp.data import sets
    from workbench.workspace import Workspace

    known = sets(Workspace.open())
    return next((name for name, place in known.items() if place.absolute() == path.absolute()), path.stem)
