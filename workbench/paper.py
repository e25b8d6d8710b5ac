"""Papers: what each one registers with the workbench, and what follows from it.

A paper is one folder in `engines/`, one in `workbench/papers/`, one in `screens/`, and one name each in
`workbench.papers.PAPERS` and `screens.registry`. Any other installed distribution adds a paper by an entry
point of the group `mathwb.papers` that names its `PAPER`; see `docs/guides/own-paper.md`. Commands, engine
calls, jobs and forms, kinds of data, trainers, settings, recipes, samples, doctor and tour all come from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.core.entry_points import find_entry_points
from engines.core.system import asset
from engines.moved import moved_verb
from workbench.errors import UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from workbench.operations import Operation


GROUP = "mathwb.papers"
"""The group of entry points by which other distributions add papers."""


def load(target: str) -> Any:
    """Import and return what `module:name` names."""
    module, _, name = target.partition(":")
    return getattr(import_module(module), name)


@dataclass(frozen=True, slots=True)
class Trainer:
    """A kind of model that can be trained.

    Args:
        name: Its name in recipes.
        call: `module:function` that reads a recipe's table `model` and makes the training task; its module
            imports no torch.
        settings: The classes (`module:Class`) whose fields that table has; a form takes its choices from
            them.
        data: The keys of the table `data` that it reads.
        begins: The key of the weights that training starts from, or "".
    """

    name: str
    call: str
    settings: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    begins: str = ""


@dataclass(frozen=True, slots=True)
class DataKey:
    """A key of a recipe's table `data` whose values are names that a paper looks up.

    Args:
        name: The key.
        kind: The kind of data that a user registers for it.
        find: `module:function`, called as `f(workspace, name)`; it returns the path, or None.
    """

    name: str
    kind: str
    find: str


@dataclass(frozen=True, slots=True)
class Paper:
    """What a paper adds to the workbench; targets are `module:name`, imported when they are needed.

    Args:
        name: The name of its folders and of its group of commands.
        help: The line of help of that group.
        operations: The table of its operations.
        tables: The module with the functions that print what they return.
        trainers: The kinds of model that it trains.
        kinds: The kinds of data that a user may register (`module:name` of a tuple).
        data: The keys of recipes that it looks up.
        references: For each `ref` of a field, the function `f(name)` that returns the path of a name.
        settings: Its settings for the user (`module:name` of a tuple).
        defaults: Which of those settings are defaults of operations, as (operation, field) by setting.
        folder: The folder of the workspace for its data.
        doctor: `f() -> Iterator[DoctorFinding]`, its checks in `mathwb doctor`.
        tour: `f(guide, workspace)`, its stops of `mathwb tour`.
        title: The title of its screen, if another distribution adds the paper.
        screen: The class of that screen, a `WorkbenchScreen`.
        keys: The keys of that screen.
        assets: The package with its folders `recipes/` and `sample/`, laid out as in `assets/`.
    """

    name: str
    help: str
    operations: str
    tables: str = ""
    trainers: tuple[Trainer, ...] = ()
    kinds: str = ""
    data: tuple[DataKey, ...] = ()
    references: Mapping[str, str] = field(default_factory=dict)
    settings: str = ""
    defaults: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    folder: str = ""
    doctor: str = ""
    tour: str = ""
    title: str = ""
    screen: str = ""
    keys: str = ""
    assets: str = ""

    def load_operations(self) -> tuple[Operation, ...]:
        """Import and return the table of the paper's operations."""
        result: tuple[Operation, ...] = load(self.operations)
        return result


def own_papers() -> tuple[Paper, ...]:
    """Return the papers that ship, in the order of the keys of their screens."""
    from workbench.papers import PAPERS

    return tuple(import_module(f"workbench.papers.{name}.paper").PAPER for name in PAPERS)


@cache
def all_papers() -> tuple[Paper, ...]:
    """Return every registered paper: those that ship, then those of other distributions."""
    return (*own_papers(), *added_papers()[0])


@cache
def added_papers() -> tuple[tuple[Paper, ...], tuple[UsageError, ...]]:
    """Load the papers of other distributions.

    Returns:
        The papers, and an error (E412) for each that cannot be used.
    """
    papers: list[Paper] = []
    problems: list[UsageError] = []
    for point in find_entry_points(GROUP):
        try:
            papers.append(_load_entry_point(point, (*own_papers(), *papers)))
        except (Exception, SystemExit) as error:  # noqa: BLE001  # whatever the code of others raises
            problems.append(paper_error(point.name, error))
    return tuple(papers), tuple(problems)


def paper_error(name: str, error: BaseException) -> UsageError:
    """Return the error that says why the paper of another distribution cannot be used."""
    what = str(error) if isinstance(error, UsageError) else f"{type(error).__name__}: {error}"
    remedy = "Update or uninstall the package that adds it."
    return UsageError(what, where=f"the paper {name}", code="E412", remedy=remedy)


def _load_entry_point(point: EntryPoint, others: tuple[Paper, ...]) -> Paper:
    """Return the paper that an entry point names. Raises: whatever makes it unusable."""
    paper = point.load()
    if not isinstance(paper, Paper):
        raise TypeError(f"{point.value} is no Paper")
    if paper.name in COMMANDS:
        raise ValueError(f"{paper.name!r} is a command of mathwb itself")
    for what, names in _NAMES.items():
        taken = {name for other in others for name in names(other)}
        if both := taken.intersection(names(paper)):
            raise ValueError(f"{what} {sorted(both)[0]!r} is taken")
    if foreign := [row.name for row in paper.load_operations() if row.name.partition(".")[0] != paper.name]:
        raise ValueError(f"the operation {foreign[0]!r} does not start with {paper.name!r}")
    return paper


def _load_tuple(target: str) -> tuple[Any, ...]:
    return tuple(load(target)) if target else ()


COMMANDS = (
    *("grade", "proofread", "train", "repro", "jobs", "data", "completion", "config", "doctor", "serve"),
    *("mcp", "tour", "picture", "trash"),
)
_NAMES: Mapping[str, Callable[[Paper], Iterable[str]]] = {
    "the name": lambda paper: (paper.name,),
    "the trainer": lambda paper: (one.name for one in paper.trainers),
    "the key of recipes": lambda paper: (one.name for one in paper.data),
    "the reference": lambda paper: paper.references,
    "the kind of data": lambda paper: (one.name for one in _load_tuple(paper.kinds)),
    "the setting": lambda paper: (one.name for one in _load_tuple(paper.settings)),
}
"""What may stand for one paper only."""


def asset_folders(name: str) -> Iterator[tuple[str, Path]]:
    """Iterate over all folders `recipes` or `sample`.

    Args:
        name: `recipes` or `sample`.

    Yields:
        The name of the paper that adds the folder ("" for the program's own), and the folder.
    """
    yield "", asset(name)
    for paper in added_papers()[0]:
        spec = find_spec(paper.assets) if paper.assets else None
        for location in (spec.submodule_search_locations or ()) if spec else ():
            if (Path(location) / name).is_dir():
                yield paper.name, Path(location) / name


@cache
def all_trainers() -> dict[str, Trainer]:
    """Return the trainers of all papers by name."""
    return {trainer.name: trainer for paper in all_papers() for trainer in paper.trainers}


@cache
def data_keys() -> Mapping[str, DataKey]:
    """Return the keys of a recipe's table `data` that papers look up, by name."""
    return {key.name: key for paper in all_papers() for key in paper.data}


@cache
def all_references() -> Mapping[str, str]:
    """Return, for each `ref` of a field, the `module:function` that resolves its names."""
    return {ref: target for paper in all_papers() for ref, target in paper.references.items()}


def resolve_reference(ref: str, name: str) -> Path:
    """Return the path that a name stands for.

    Args:
        ref: What kind of thing is named, as in `Arg.ref`: `model`, `corpus`, …
        name: A name in the workspace, the name of something that ships, or a path.
    """
    return load(all_references()[ref])(name)


def __getattr__(name: str) -> object:
    return moved_verb(__name__, name)
