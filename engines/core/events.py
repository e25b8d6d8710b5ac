"""How long work reports what it does, and how it is asked to stop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

__all__ = ["Event", "Sink", "Stop", "ignore", "never"]


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened.

    `kind` is one of state, progress, metric, checkpoint, log, warning, error. A progress event carries
    `done`, `total` (or None) and `unit` in `data`; a metric event carries numbers by name, units in the name
    (`loss_nats`, `tokens_per_s`). `step` counts whatever the work counts.
    """

    kind: str
    data: Mapping[str, object] = field(default_factory=dict)
    step: int | None = None


Sink = Callable[[Event], None]
Stop = Callable[[], bool]


def ignore(event: Event) -> None:
    """A sink for callers who do not listen."""


def never() -> bool:
    """A stop flag that is never raised."""
    return False
