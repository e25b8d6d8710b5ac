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
        "arqmath.index": "workbench.tasks.arqmath_index:index",
        "train.check": "workbench.tasks.training:check",
        "arqmath.rank": "workbench.tasks.arqmath_rank:rank",
        "arqmath.generate": "workbench.tasks.arqmath_generate:generate",
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
            ("check", "check"),
            ("write", "write"),
            ("semembed", "semembed"),
        )
    }
    | {
        f"arqmath.{name}": f"workbench.tasks.arqmath:{name}"
        for name in ("overview", "ranking", "snippets", "post", "prepare", "search", "write_run", "picture")
    }
    | {
        f"egen.{name}": f"workbench.tasks.egen_explore:{function}"
        for name, function in (
            ("nearest", "nearest"),
            ("map", "map_"),
            ("tsne", "tsne"),
            ("index", "index"),
            ("analogy", "analogy"),
            ("analogies", "analogies"),
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
