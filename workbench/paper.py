"""Papers: what each of them registers with the workbench, and what follows from it.

A paper is one folder in `engines/`, one in `workbench/papers/`, one in `screens/`, and one name each in
`workbench.papers.PAPERS` and `screens.registry`. Commands, engine calls, jobs and forms, kinds of data,
trainers, settings, samples, doctor and tour all come from its `PAPER`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.operation import Operation


@dataclass(frozen=True, slots=True)
class Trainer:
    """A kind of model that can be trained: its name in recipes, and `module:function` that reads the recipe's
    table `model` and makes the training task; the module loads no torch. `settings` are the classes
    (`module:Class`) whose fields that table has: a form takes their choices from there. `data` are the keys
    of the table `data` that it reads, `begins` the one of the weights that it begins with ("": none)."""

    name: str
    call: str
    settings: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    begins: str = ""


@dataclass(frozen=True, slots=True)
class DataKey:
    """A key of a recipe's table `data` whose names a paper looks up: the kind that a user registers for it,
    and `f(workspace, name)`, the place or None."""

    name: str
    kind: str
    find: str


@dataclass(frozen=True, slots=True)
class Paper:
    """What a paper brings. Targets are `module:name`, imported when they are needed.

    Args: name: of its folders and of its group of commands. key: of its screen. title: the screen's. help:
    the group's line. operations: the table of its operations. trainers: what it trains. kinds: of data that a
    user may register (`module:name` of a tuple). data: keys of recipes that it looks up. references: what a
    name may stand for, by the `ref` of a field: `f(name)`. settings: the user's settings (`module:name` of a
    tuple). defaults: which of them are defaults of the doors, as (operation, field) by setting. folder: of
    the workspace, for data of its own. doctor: `f() -> Iterator[Finding]`. tour: `f(guide, workspace)`, its
    stops of the tour.
    """

    name: str
    key: str
    title: str
    help: str
    operations: str
    trainers: tuple[Trainer, ...] = ()
    kinds: str = ""
    data: tuple[DataKey, ...] = ()
    references: Mapping[str, str] = field(default_factory=dict)
    settings: str = ""
    defaults: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    folder: str = ""
    doctor: str = ""
    tour: str = ""

    def rows(self) -> tuple[Operation, ...]:
        """Its operations."""
        from workbench.operation import load

        found: tuple[Operation, ...] = load(self.operations)
        return found


@cache
def papers() -> tuple[Paper, ...]:
    """Every registered paper, in the order of the screens' keys."""
    from workbench.papers import PAPERS

    return tuple(import_module(f"workbench.papers.{name}.paper").PAPER for name in PAPERS)


@cache
def trainers() -> dict[str, Trainer]:
    """Every trainer, by name."""
    return {trainer.name: trainer for paper in papers() for trainer in paper.trainers}


@cache
def data_keys() -> Mapping[str, DataKey]:
    """The keys of a recipe's table `data` that papers look up, by name."""
    return {key.name: key for paper in papers() for key in paper.data}


@cache
def references() -> Mapping[str, str]:
    """What names stand for: `module:function` by reference."""
    return {ref: target for paper in papers() for ref, target in paper.references.items()}
