"""How long work reports what it does, and how it is asked to stop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Event:
    """Something that long work reports: progress, a metric, a checkpoint, a warning.

    `kind` is one of state, progress, metric, checkpoint, log, warning, error. A progress event carries
    `done`, `total` (or None) and `unit` in `data`; a metric event carries numbers by name, units in the name
    (`loss_nats`, `tokens_per_s`). `step` counts whatever the work counts.
    """

    kind: str
    data: Mapping[str, object] = field(default_factory=dict)
    step: int | None = None


Sink = Callable[[Event], None]
Stop = Callable[[], bool]

NAMED = 20
"""Lines that are named, at most."""


def warn(events: Sink, message: str) -> None:
    """Send a warning to a listener."""
    events(Event("warning", {"message": message}))


def warn_of_left_out(events: Sink, path: Path, left_out: Iterable[tuple[str, str]]) -> None:
    """Name what was left out of a file or folder, the first `NAMED`, and say how much more there is.

    Args:
        left_out: Where each is, as `file:line` or `file`, and why.
    """
    listed = list(left_out)
    for where, what in listed[:NAMED]:
        warn(events, f"{where}: {what}")
    if len(listed) > NAMED:
        warn(events, f"… and {len(listed) - NAMED:,} more lines of {path}")


def ignore(event: Event) -> None:
    """Do nothing with an event: the listener of callers who do not listen."""


def never() -> bool:
    """Return False: the stop signal of callers who never stop."""
    return False
