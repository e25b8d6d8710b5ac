"""The dummy paper's registration."""

from __future__ import annotations

from workbench.paper import DataKey, Paper, Trainer

__all__ = ["PAPER"]

PAPER = Paper(
    name="dummy",
    key="9",
    title="Dummy",
    help="Words: count them.",
    operations="workbench.papers.dummy.registered:OPERATIONS",
    trainers=(Trainer("dummy.model", "engines.dummy.model:model"),),
    kinds="workbench.papers.dummy.registered:KINDS",
    data=(DataKey("dummy-text", "dummy-text", "workbench.papers.dummy.registered:find"),),
    references={"dummy-text": "workbench.papers.dummy.registered:resolve"},
    settings="workbench.papers.dummy.registered:KEYS",
    defaults={"dummy.least": (("dummy.count", "least"),)},
    folder="dummies",
    doctor="workbench.papers.dummy.registered:examine",
    tour="workbench.papers.dummy.registered:tour",
)
