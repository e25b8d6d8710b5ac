"""Everything that computes, by name: one registry for the engine process, the job worker and the tour.

A task is `f(params, *, events, stop) -> dict`: JSON-able in and out, so that it can run in any process. One
that writes files gets their folder as `params["out"]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Protocol

from engines.core.events import Sink, Stop
from workbench.errors import UsageError, did_you_mean

__all__ = ["TASKS", "Task", "resolve"]


class Task(Protocol):
    """What every registered function looks like."""

    def __call__(self, params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]: ...


TASKS: Mapping[str, str] = (
    {
        "train": "workbench.tasks.training:train",
    }
    | {
        f"egen.{name}": f"workbench.tasks.egen:{name}"
        for name in (
            "generate",
            "verify",
            "egraph",
            "explain",
            "curve",
            "derive",
            "save",
            "corpus",
            "cluster",
            "stats",
            "find",
        )
    }
    | {
        f"egen.{name}": f"workbench.tasks.egen_models:{function}"
        for name, function in (
            ("embed", "embed"),
            ("eval", "evaluate"),
            ("nearest", "nearest"),
            ("map", "map_"),
            ("check", "check"),
            ("write", "write"),
            ("semembed", "semembed"),
        )
    }
)


def resolve(name: str) -> Task:
    """The function behind a task name; its module is imported now, and its engine with it.

    Raises: UsageError E410 for a name that is not registered.
    """
    target = TASKS.get(name)
    if target is None:
        raise UsageError(f"there is no task {name!r}", code="E410", remedy=did_you_mean(name, TASKS))
    module, _, function = target.partition(":")
    task: Task = getattr(import_module(module), function)
    return task
