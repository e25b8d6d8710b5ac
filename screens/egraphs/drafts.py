"""What was grown in this session and is not kept yet: a source like a corpus, in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engines.core.errors import EngineError
from engines.core.events import Event
from screens.egraphs.sources import Expression
from screens.text import count

__all__ = ["Draft", "Drafts"]


@dataclass(slots=True)
class Draft:
    """A cluster that grows, or has grown: `generated` is the task's result once there is one."""

    number: int
    head: str
    settings: Mapping[str, Any]
    members: list[Expression] = field(default_factory=list)
    growing: bool = True
    stopping: bool = False
    iteration: int = 0
    nodes: int = 0
    classes: int = 0
    generated: Mapping[str, Any] | None = None
    error: EngineError | None = None

    @property
    def params(self) -> dict[str, Any]:
        """What `egen.generate` is asked."""
        return {**self.settings, "expr": self.head, "notation": "prefix"}

    def hear(self, event: Event) -> None:
        """Take in what the growth tells."""
        data = event.data
        if data.get("stage") == "grow":
            self.iteration = event.step or self.iteration
            self.nodes, self.classes = int(str(data["nodes"])), int(str(data["classes"]))
        rows = data.get("rows")
        if isinstance(rows, list):
            for row in rows:
                number = len(self.members) + 1
                self.members.append(
                    Expression(
                        id=str(number),
                        member=number,
                        prefix=row["prefix"],
                        tokens=row["tokens"],
                        verdict="",
                        kept=None,
                        gained=False,
                    )
                )

    def finish(self, generated: Mapping[str, Any]) -> None:
        """It ended, by itself or because it was stopped; the members now have verdicts and their order."""
        self.growing = self.stopping = False
        self.generated = generated
        stats = generated["stats"]
        self.iteration, self.nodes, self.classes = stats["iterations"], stats["nodes"], stats["classes"]
        self.members = [
            Expression(
                id=str(number),
                member=number,
                **{name: row[name] for name in ("prefix", "tokens", "verdict", "kept", "gained")},
            )
            for number, row in enumerate(generated["members"], 1)
        ]

    def forgo(self) -> None:
        """It was stopped before anything had grown."""
        self.growing = self.stopping = False

    def fail(self, error: EngineError) -> None:
        """It ended without a result; what had arrived stays to be seen."""
        self.growing = self.stopping = False
        self.error = error

    def words(self) -> str:
        """How far it is, in one line."""
        parts = [
            f"iteration {self.iteration}",
            f"{count(self.nodes)} nodes",
            f"{count(self.classes)} classes",
            f"{count(len(self.members))} members",
        ]
        return " · ".join(parts)


class Drafts:
    """The drafts of this session, newest last."""

    name = "not kept"
    state = "not kept yet: K keeps one"

    def __init__(self) -> None:
        self.all: list[Draft] = []
        self._numbers = 0

    def begin(self, head: str, settings: Mapping[str, Any]) -> Draft:
        """A new one."""
        draft = Draft(self._numbers, head, settings)
        self._numbers += 1
        self.all.append(draft)
        return draft

    def get(self, number: int) -> Draft | None:
        """The one with this number."""
        return next((draft for draft in self.all if draft.number == number), None)

    def settings(self, cluster: int) -> Mapping[str, Any]:
        """With what it was grown."""
        draft = self.get(cluster)
        return draft.settings if draft else {}

    def facts(self, cluster: int) -> Mapping[str, Any]:
        """What is known of it here."""
        return {"config": dict(self.settings(cluster))}

    def clusters(self) -> list[Expression]:
        """One record per draft."""
        return [_record(draft) for draft in self.all]

    def members(self, cluster: int) -> list[Expression]:
        """The head and what there is."""
        draft = self.get(cluster)
        if draft is None:
            return []
        tokens = len(draft.head.split())
        facts = {"prefix": draft.head, "tokens": tokens, "verdict": "equal", "kept": 1.0, "gained": False}
        return [Expression(id="0", member=0, **facts), *draft.members]


def _stop(draft: Draft) -> str:
    if draft.growing:
        return "growing"
    return "failed" if draft.error else "stopped"


def _record(draft: Draft) -> Expression:
    size = len(draft.members) + 1
    outcomes = [member["verdict"] for member in draft.members]
    equal = outcomes.count("equal")
    words = sorted(set(outcomes))
    if draft.growing:
        words = ["growing"]
    elif outcomes and equal == len(outcomes):
        words = ["all"]
    stats = draft.generated["stats"] if draft.generated else {}
    return Expression(
        id=str(draft.number),
        cluster=draft.number,
        head=draft.head,
        op=sorted(set(draft.head.split())),
        size=size,
        tok=sum(member["tokens"] for member in draft.members) / max(1, size - 1),
        verdict=words,
        equal=equal / max(1, size - 1),
        kind="own",
        stop=stats.get("stop_reason", _stop(draft)),
        nodes=draft.nodes,
        classes=draft.classes,
        iterations=draft.iteration,
        total=stats.get("total_members", 0),
        seed=draft.settings.get("seed", 0),
    )
