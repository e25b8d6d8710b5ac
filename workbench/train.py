"""Training: from a recipe to a job or several, and by a trainer to a model; sums over several runs."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated, Any, Protocol

from engines.core.errors import EngineError, did_you_mean
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.spec import Arg, specification, suggest_name, to_mapping
from workbench.errors import MissingError, UsageError
from workbench.jobs.control import live_outputs, next_free, submit_sweep
from workbench.jobs.folder import read_document
from workbench.jobs.job_registry import list_jobs
from workbench.jobs.placement import check_placement
from workbench.operations import Operation
from workbench.paper import Trainer, all_trainers, data_keys, load
from workbench.recipes import Recipe, list_recipes, with_settings, with_value
from workbench.workspace import all_kinds

if TYPE_CHECKING:
    from engines.training import TrainingTask, TrainResult
    from workbench.jobs.folder import Job
    from workbench.workspace import Workspace


# The folders of the workspace in which the data of a key is a name.
_FOLDERS = {"corpus": "corpora", "model": "models", "backbone": "models"}


def job_spec(
    workspace: Workspace,
    recipe: Recipe,
    *,
    out: Path | None = None,
    device: str = "",
    executor: str = "local",
    publish: bool = True,
) -> Recipe:
    """Return the recipe of a job that trains by a recipe, with nothing left open.

    Args:
        workspace: The workspace.
        recipe: The recipe.
        out: The folder to write to.
        device: The device, instead of the recipe's.
        executor: Where it runs; see `jobs.placement`.
        publish: Whether to copy the model to the workspace's models, under the recipe's name or the next free
            one; not with `out`.

    Raises:
        UsageError: E425 for a recipe of something else, E424 for one that names an output folder.
        EngineError: E630 for a wrong setting, E638 for a wrong device.
        MissingError: E354 for data that is not here.
    """
    from engines.training import TrainConfig

    params: dict[str, Any] = dict(recipe.params)
    check_trains(recipe)
    # Step 1: refuse what a training recipe may not say.
    if params.pop("out", None):
        # Anybody may have written the recipe: where a training writes says who starts it.
        what = f"{recipe.name} sets `out`, which a training recipe may not"
        raise UsageError(what, code="E424", remedy="Remove `out` from it, and use --out.")
    params.pop("publish", None)
    # Step 2: check the settings, so that a wrong one fails here and not minutes later in the job.
    row = _find_trainer(str(params.get("trainer")))
    TrainConfig.from_table(params.get("train", {}))
    for key in params.get("data", {}):
        if key not in row.data:
            remedy = did_you_mean(key, row.data) or f"It reads: {', '.join(row.data) or 'none'}."
            raise UsageError(f"{row.name} reads no data.{key}", code="E424", remedy=remedy)
    # Step 3: where it runs and what it reads, as absolute paths.
    params["recipe"] = recipe.name
    params["device"] = device or params.get("device", "auto")
    if executor != "local":
        params["executor"] = executor
    check_placement(params)
    data = params.get("data", {})
    params["data"] = {kind: str(data_path(workspace, kind, name)) for kind, name in data.items() if name}
    # Step 4: where it writes.
    if out is not None:
        params["out"] = str(out.absolute())
    elif publish:
        stem = recipe.name.rpartition("/")[2]
        params["publish"] = str(next_free(workspace.models, stem, live_outputs(list_jobs(workspace))))
    return Recipe("train", f"train {recipe.name}", params, recipe.seed)


def training_check(spec: Recipe, stop_worst: str = "") -> dict[str, Any]:
    """Return the parameters of the operation `train.check` for a training.

    Args:
        spec: The recipe of the job.
        stop_worst: A measure that must be computed during the training.
    """
    wanted = ("trainer", "data", "model", "train")
    results = {key: spec.params[key] for key in wanted if key in spec.params}
    return {**results, "seed": spec.seed, "stop_worst": stop_worst}


def begun_from(recipe: Recipe, model: str) -> Recipe:
    """Return the recipe with the weights of a model to start from.

    Raises:
        UsageError: E424 if its trainer cannot start from a model.
    """
    check_trains(recipe)
    trainer = all_trainers().get(str(recipe.params.get("trainer")))
    if trainer is None or not trainer.begins:
        what = f"{recipe.name} cannot start from a model"
        raise UsageError(what, code="E424", remedy="Leave out --init-from.")
    data = {**recipe.params.get("data", {}), trainer.begins: model}
    return replace(recipe, params={**recipe.params, "data": data})


def check_trains(recipe: Recipe) -> None:
    """Refuse a recipe that does not train a model.

    Raises:
        UsageError: E425 if it does not.
    """
    if recipe.task != "train":
        what = f"{recipe.name} does not train a model: its task is {recipe.task}"
        raise UsageError(what, code="E425", remedy="List the recipes that do with: mathwb train --list")


def data_path(workspace: Workspace, kind: str, name: str) -> Path:
    """Return the path of data for a training.

    Args:
        workspace: The workspace.
        kind: The key of the recipe's table `data`; if it is a kind of data, only data of that kind is taken.
        name: A path, the name of a corpus, model or collection of the workspace, or a registered data set.

    Raises:
        MissingError: E354, which says how to get it.
    """
    # A name of more than one part can only be a path.
    path = Path(name).expanduser()
    if len(path.parts) > 1:
        if path.exists():
            return path.absolute()
    # Without a slash a name of the workspace comes before a file in the current folder.
    else:
        for folder in [_FOLDERS[kind]] if kind in _FOLDERS else ("corpora", "models"):
            if (workspace.root / folder / name).exists():
                return workspace.root / folder / name
    # A paper may look up its own kinds of data.
    own = data_keys().get(kind)
    if own is not None:
        if (stored_path := load(own.find)(workspace, name)) is not None:
            return Path(stored_path)
    else:
        for entry in workspace.data.list_entries():
            if entry.name == name and (entry.kind == kind or kind not in all_kinds()):
                return entry.locate_data()
        # A file in the current folder comes last, and only for keys that are no kind of data.
        if path.exists() and kind not in _FOLDERS and kind not in all_kinds():
            return path.absolute()
    if kind in ("model", "backbone"):
        remedy = f"Train it first, or name a model folder with --set data.{kind}=PATH"
    else:
        registered = own.kind if own else kind
        remedy = (
            f"{_making_recipe(name)}Name another with --set data.{kind}=NAME, or register one: "
            f"mathwb data add {registered} PATH"
        )
    raise MissingError(f"there is no {kind} {name!r} here", code="E354", remedy=remedy)


def data_names(workspace: Workspace, kind: str) -> dict[str, str]:
    """Return the names that `data_path` knows for a key, each with what the data has: `80 records,
    corpus`.
    """
    # Everything that might be known under a name; `is_known` then asks `data_path`, so the two cannot differ.
    folders = [workspace.root / name for name in dict.fromkeys(_FOLDERS.values())]
    held = [path for folder in folders if folder.is_dir() for path in sorted(folder.iterdir())]
    held += [path for _, path in workspace.list_own_data()]
    # `path.stem`, because an index or a file may be named without its ending.
    names = [name for path in held for name in (path.name, path.stem) if not name.startswith(".")]
    names += [entry.name for entry in workspace.data.list_entries()]
    held_kinds = {
        path.name: (name, all_kinds()[name].count_records(path)) for name, path in workspace.list_own_data()
    }
    held_kinds |= {
        entry.name: (entry.kind, entry.counts.get("records")) for entry in workspace.data.list_entries()
    }

    def is_known(name: str) -> bool:
        try:
            data_path(workspace, kind, name)
        except EngineError:
            return False
        return True

    def to_words(name: str) -> str:
        of, count = held_kinds.get(name, ("", None))
        return of if count is None else f"{count:,} records, {of}"

    return {name: to_words(name) for name in dict.fromkeys(names) if is_known(name)}


def _making_recipe(name: str) -> str:
    """Return the recipe that makes a corpus of this name, as a sentence; nothing when there is none."""
    for recipe in list_recipes():
        if recipe.task == "egen.corpus" and recipe.name.rpartition("/")[2] == name:
            return f"The recipe {recipe.name} makes it (`a` on the Jobs screen). "
    return ""


# Training as an operation: from the tables of a recipe to an engine's training task and back.
#
# ```
# [params]
# trainer = "egen.contrastive"    which model: a trainer of a paper
# [params.data]                   data by kind; paths by the time the work begins
# [params.model]                  what the trainer takes: sizes, pooling, loss, …
# [params.train]                  what every training takes: see `engines.training.TrainConfig`
# ```

OPERATIONS = (
    Operation(
        "train",
        "Train a model from a recipe, here or in the background.",
        "workbench.train:train",
        resolve="workbench.train:resolve_training",
    ),
    Operation(
        "train.check", "Ask a trainer whether it takes a recipe's settings.", "workbench.train:check_settings"
    ),
)
"""Offered by `mathwb train` and the launch form, which make them of recipes."""


class Trains(Protocol):
    """A kind of model that can be trained."""

    def __call__(self, model: Mapping[str, Any], data: Mapping[str, Path], *, seed: int) -> TrainingTask:
        """Return the task to train.

        Raises:
            EngineError: For settings or data that cannot be used.
        """
        ...


@specification(kw_only=True)
class _Settings:
    trainer: Annotated[str, Arg("Which model: a trainer's name.")]
    data: Annotated[Mapping[str, Any], Arg("Data by kind.")] = field(default_factory=dict)
    model: Annotated[Mapping[str, Any], Arg("What the trainer takes.")] = field(default_factory=dict)
    train: Annotated[Mapping[str, Any], Arg("What every training takes.")] = field(default_factory=dict)
    seed: Annotated[int, Arg("Of weights, order and dropout.", low=0, high=2**32 - 1)] = 0

    def build_task(self) -> TrainingTask:
        """Raise as `Trains`."""
        paths = {kind: Path(position) for kind, position in self.data.items()}
        return load_trainer(self.trainer)(self.model, paths, seed=self.seed)


@specification(kw_only=True)
class CheckTraining(_Settings):
    """The settings that can be checked before the data of a training is read."""

    stop_worst: Annotated[str, Arg("A measure to be taken while it runs.")] = ""


@specification(kw_only=True)
class Train(_Settings):
    """Train a model by the tables of a recipe."""

    out: Annotated[Path, Arg("Folder for the checkpoints and the model.", option=True, writes=True)]
    recipe: Annotated[str, Arg("Where the settings come from.")] = ""
    device: Annotated[str, Arg("auto, all, cpu, or GPUs by number or UUID, as in 0,1.")] = "auto"
    executor: Annotated[str, Arg("local, slurm with options of sbatch, or an installed executor.")] = "local"
    publish: Annotated[Path | None, Arg("The folder to which the finished model is copied.", writes=True)] = (
        None
    )


def load_trainer(name: str) -> Trains:
    """Import the engine of a trainer and return its function.

    Raises:
        UsageError: E411 for an unknown name.
    """
    result: Trains = load(_find_trainer(name).call)
    return result


_REMOVED = {"arqmath.coco-mae": 'Pre-train with trainer = "arqmath.pretrain", as in arqmath/pretrain-tiny.'}
"""Trainers of earlier versions, which recipes may still name, and what does their work now."""


def _find_trainer(name: str) -> Trainer:
    if name in _REMOVED:
        raise UsageError(f"the trainer {name!r} was removed", code="E411", remedy=_REMOVED[name])
    if name not in all_trainers():
        remedy = suggest_name(name, all_trainers())
        raise UsageError(f"there is no trainer {name!r}", code="E411", remedy=remedy)
    return all_trainers()[name]


def train(spec: Train, *, events: Sink = ignore, stop: Stop = never) -> TrainResult:
    """Train a model by a recipe, and publish it if that was requested."""
    from engines.core.files import copy_folder
    from engines.training import RECORD, TrainConfig
    from engines.training import train as run

    # The libraries take seconds to load; until then there is no other progress.
    events(Event("log", {"message": "loading the training libraries"}))
    # Which GPUs it sees was decided by who started this process.
    device = kind if (kind := spec.device.partition(":")[0]) in ("auto", "cpu") else "cuda"
    config = TrainConfig.from_table({**spec.train, "seed": spec.seed, "device": device})
    result = run(
        spec.build_task(),
        config,
        spec.out,
        events=events,
        stop=stop,
        facts=_training_record(spec),
        cache=_token_cache(),
    )
    # Of several processes only the first one publishes. An interrupted training is not published at all.
    if result.complete and spec.publish is not None and os.environ.get("RANK", "0") == "0":
        copy_folder(spec.out / "model", spec.publish, RECORD)
        result = replace(result, model=str(spec.publish))
    return result


def check_settings(spec: CheckTraining) -> dict[str, Any]:
    """Ask the trainer whether it takes these settings, before a job is made of them.

    Returns:
        A document with the measures that the training may be judged by.

    Raises:
        EngineError: As `train` would, as far as that is known without reading the data.
    """
    names = _allowed_measures(spec)
    if spec.stop_worst and spec.stop_worst not in names:
        what = f"stop_worst is {spec.stop_worst!r}, which is not computed"
        raise UsageError(what, code="E403", remedy=suggest_name(spec.stop_worst, names))
    return {"measures": names}


def _allowed_measures(spec: _Settings) -> list[str]:
    from engines.training import TrainConfig

    config = TrainConfig.from_table(spec.train)
    task = spec.build_task()
    config.check_best(task.measures)
    return [*task.measures, "loss_nats"]


def resolve_training(spec: Train) -> Train:
    """Check the spec of a training with its trainer and return it.

    Raises:
        EngineError: As `check_settings`.
        DataError: E452 if files would be replaced that no training has written.
    """
    from engines.core.files import refuse_other
    from engines.training import RECORD, refuse_foreign_folder

    refuse_foreign_folder(spec.out)
    if spec.publish is not None:
        refuse_other(spec.publish, RECORD)
    _allowed_measures(spec)
    return spec


def _token_cache() -> Path | None:
    """Return what jobs of a workspace share of what is made of their data; none outside of a job."""
    from workbench.jobs.machine import MARK

    # The mark is the folder of the attempt, so its grandparent is the folder of all runs.
    attempt = os.environ.get(MARK)
    return Path(attempt).parents[1] / ".kept" if attempt else None


def _training_record(spec: Train) -> dict[str, Any]:
    """Return the recipe and, within a job, its environment; names instead of places, since models travel."""
    from workbench.jobs.machine import MARK

    recipe = {key: value for key, value in to_mapping(spec).items() if key not in ("out", "publish")}
    recipe["data"] = {kind: Path(position).name for kind, position in spec.data.items()}
    attempt = os.environ.get(MARK)
    environment = read_document(Path(attempt).parent / "env.json") if attempt else {}
    if not environment:
        return {"recipe": recipe}
    # Absolute paths of this machine would mean nothing where the model is used.
    for entry in environment.get("data", {}).values():
        entry["path"] = Path(entry["path"]).name
    return {"recipe": recipe, "environment": environment}


# Several runs of one recipe: a grid, draws, seeds and folds.

CONFIDENCE = 0.95
_TRIALS = 10
_MOST = 1_000


@specification
class Sweep:
    """Several runs of one recipe: every combination of grid values, draws, seeds and folds.

    Values are a list, `low..high/count` for values at equal distances, with `log` after the count at equal
    ratios, or `low..high` for all integers. Draws are uniform, with `/log` uniform in the logarithm, and use
    the recipe's seed; a combination that is drawn twice is run once.

    Raises:
        UsageError: E427 for a setting that has no effect without another.
    """

    grid: Annotated[
        tuple[str, ...],
        Arg("One run for each combination; 1..5, 0..1/5 and 1e-5..1e-3/4log work too.", metavar="KEY=V1,V2"),
    ] = ()
    random: Annotated[
        tuple[str, ...],
        Arg(
            "Sample a value for each trial; append /log to sample on a logarithmic scale.",
            metavar="KEY=LOW..HIGH",
        ),
    ] = ()
    trials: Annotated[int | None, Arg(f"Number of trials for --random; default {_TRIALS}.", low=1)] = None
    seeds: Annotated[str, Arg("One run for each seed; 1..5 works too.", metavar="1,2,3")] = ""
    folds: Annotated[bool, Arg("One run for each fold of the recipe.")] = False
    parallel: Annotated[int, Arg("Runs at a time in the background; 0: as many as fit.", low=0)] = 0
    stop_worst: Annotated[
        str,
        Arg(
            "Stop background runs whose measure is worse than the median at the same step.", metavar="MEASURE"
        ),
    ] = ""

    def __post_init__(self) -> None:
        if self.trials and not self.random:
            what = "trials need random values, and --random is not given"
            raise UsageError(what, code="E427", remedy="Add --random.")
        if (self.parallel or self.stop_worst) and not self.several:
            name = "parallel" if self.parallel else "stop_worst"
            remedy = "Add --grid, --random, --seeds or --folds."
            raise UsageError(f"{name} needs several runs, and there is one", code="E427", remedy=remedy)

    @property
    def several(self) -> bool:
        """Whether there is more than one run."""
        return bool(self.grid or self.random or self.seeds or self.folds)


@dataclass(frozen=True, slots=True)
class LaunchDraft:
    """What the form for a new job is filled in with."""

    recipe: Recipe
    how: Sweep = field(default_factory=Sweep)


@dataclass(frozen=True, slots=True)
class SweepVariant:
    """A run of several of a recipe.

    Args:
        recipe: The recipe of the run.
        setting: Its values of the grid and of the draw.
        repeat: What distinguishes it from other runs of the setting: seed and fold.
    """

    recipe: Recipe
    setting: Mapping[str, Any]
    repeat: Mapping[str, int]

    @property
    def name(self) -> str:
        """What distinguishes the run: `lr=0.001 seed=2`."""
        parts = {**self.setting, **self.repeat}
        return " ".join(f"{key.removeprefix('train.')}={value}" for key, value in parts.items())


SweepRun = tuple[Recipe, SweepVariant]
"""A job that is to be started, and what it is one of several of."""


def list_variants(recipe: Recipe, how: Sweep) -> list[SweepVariant]:
    """List the runs of a sweep.

    Raises:
        UsageError: E424 for a key that the recipe does not have; E426 for wrong values, folds of a recipe
            without folds, equal runs, or too many runs.
    """
    seeds: list[int | None] = list(_parse_seeds(how.seeds)) or [None]
    axes = [[(key, value) for value in _parse_values(text)] for key, text in map(_parse_axis, how.grid)]
    draws = _sample_settings(how.random, how.trials or _TRIALS, recipe.seed)
    # Counted before anything is made: a grid of five axes can have millions of combinations.
    if math.prod(map(len, axes)) * len(draws) * len(seeds) > _MOST:
        raise UsageError(f"more than {_MOST:,} runs", code="E426", remedy="Give fewer values.")
    result = []
    for setting in ((*fixed, *drawn) for drawn in draws for fixed in product(*axes)):
        # Settings are written as text, so that a grid and `--set` accept the same values.
        of_grid = with_settings(recipe, [f"{key}={value}" for key, value in setting])
        for seed, fold in product(seeds, _list_folds(of_grid) if how.folds else [None]):
            made, repeat = of_grid, dict[str, int]()
            if seed is not None:
                made, repeat["seed"] = with_value(made, "seed", seed), seed
            if fold is not None:
                made, repeat["fold"] = with_value(made, "model.fold", fold), fold
            result.append(SweepVariant(made, dict(setting), repeat))
    # Equal runs would only cost time, and are most often a typing error.
    alike = len(result) - len({each.recipe.sha256() for each in result})
    if alike:
        remedy = "Give each key and each value once."
        raise UsageError(f"{alike} of {len(result)} runs repeat another one", code="E426", remedy=remedy)
    return result


def member_runs(
    workspace: Workspace, recipe: Recipe, how: Sweep, *, device: str = "", executor: str = "local"
) -> list[SweepRun]:
    """Return the jobs of a sweep, each with a title that says which run it is.

    Raises:
        UsageError: As `list_variants` and `job_spec`.
    """
    result = []
    for variant in list_variants(recipe, how):
        spec = job_spec(workspace, variant.recipe, device=device, executor=executor, publish=False)
        result.append((replace(spec, title=f"{spec.title} {variant.name}"), variant))
    return result


def start_sweep(workspace: Workspace, recipe: Recipe, runs: Sequence[SweepRun], how: Sweep) -> Job:
    """Start the runs of a sweep in the background, as one line of the list.

    Raises:
        EngineError: As `control.submit_sweep`.
    """
    return submit_sweep(
        workspace,
        recipe.name,
        f"sweep {recipe.name}",
        [(spec, each.setting, each.repeat) for spec, each in runs],
        parallel=how.parallel,
        stop_worst=how.stop_worst,
    )


def by_setting(variants: Sequence[SweepVariant], values: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Summarise the measures of finished runs over the repeats of each setting.

    Args:
        variants: The runs.
        values: What the task of each run returned.

    Returns:
        Rows of setting, runs and measures.
    """
    groups: dict[str, tuple[Mapping[str, Any], list[Mapping[str, Any]]]] = {}
    for variant, value in zip(variants, values, strict=True):
        groups.setdefault(str(variant.setting), (variant.setting, []))[1].append(value)
    rows = []
    for setting, runs in groups.values():
        # A run that was stopped has measures of an unfinished model, which would distort the mean.
        measures = [value.get("measures", {}) for value in runs if value.get("complete")]
        # Only measures that every finished run has can be summed up.
        names = [
            name for name in (measures[0] if measures else ()) if all(name in measure for measure in measures)
        ]
        sums = {
            name: asdict(summarize_values([float(measure[name]) for measure in measures], name))
            for name in names
        }
        counts = {"runs": len(runs), "finished": len(measures)}
        rows.append({"setting": dict(setting), **counts, "measures": sums})
    return rows


def _list_folds(recipe: Recipe) -> Sequence[int | None]:
    count = recipe.params.get("model", {}).get("folds", 0)
    if not count:
        what = f"{recipe.name} has no folds"
        raise UsageError(what, code="E426", remedy="Use --seeds, or a recipe with model.folds.")
    return range(count)


def _parse_seeds(text: str) -> list[int]:
    try:
        return [int(value) for value in _parse_values(text)] if text else []
    except ValueError:
        remedy = "As in: --seeds 1,2,3, or 1..3"
        raise UsageError(f"{text!r} is not a list of seeds", code="E426", remedy=remedy) from None


def _parse_axis(text: str) -> tuple[str, str]:
    key, _, values = text.partition("=")
    if not key or not values:
        what = f"{text!r} is not of the form key=v1,v2"
        raise UsageError(what, code="E426", remedy="As in: --grid lr=1e-4,3e-4")
    return key, values


_RANGE = re.compile(r"(?P<low>[-+.\deE]+?)\.\.(?P<high>[-+.\deE]+)(?:/(?P<count>[1-9]\d*)?(?P<log>log)?)?")


def _parse_range(text: str) -> tuple[str, str, int, bool]:
    """Low, high, count (0: not given) and whether by ratios.

    Raises:
        UsageError: E426.
    """
    match = _RANGE.fullmatch(text)
    try:
        if match is None:
            raise ValueError
        low, high = match["low"], match["high"]
        by_ratio = bool(match["log"])
        if not float(low) < float(high) or (by_ratio and float(low) <= 0):
            raise ValueError
    except ValueError:
        remedy = "As in: 1..5, 0..1/5, 1e-5..1e-3/4log, from the lower to the higher."
        raise UsageError(f"{text!r} is not a range", code="E426", remedy=remedy) from None
    return low, high, int(match["count"] or 0), by_ratio


def _parse_values(text: str) -> Sequence[str]:
    if ".." not in text:
        return text.split(",")
    low, high, count, by_ratio = _parse_range(text)
    if not count:
        if not (low.isdecimal() and high.isdecimal()) or by_ratio:
            raise UsageError(f"{text!r} gives no number of values", code="E426", remedy="As in: 0..1/5")
        return [str(value) for value in _limit_count(range(int(low), int(high) + 1))]
    results = [
        # `count - 1` gaps between `count` values; a single value is the lower end.
        _interpolate_range(low, high, number / max(1, count - 1), by_ratio)
        for number in _limit_count(range(count))
    ]
    # Four digits: values such as 0.00031622776 would make long titles and say no more.
    return [f"{value:.0f}" if value.is_integer() else f"{value:.4g}" for value in results]


def _limit_count(numbers: range) -> range:
    if len(numbers) > _MOST:
        raise UsageError(f"more than {_MOST:,} values", code="E426", remedy="Give fewer values.")
    return numbers


def _sample_settings(random: Sequence[str], draws: int, seed: int) -> Sequence[tuple[tuple[str, str], ...]]:
    """Return the settings of each draw; one without any where nothing is drawn."""
    if not random:
        return [()]
    # The recipe's seed, so that the same sweep draws the same values again.
    source = Random(seed)
    axes = [(key, *_parse_range(text)) for key, text in map(_parse_axis, random)]
    if counted := [key for key, _, _, count, _ in axes if count]:
        what = f"{counted[0]} is sampled once per trial, but its range has a number of values"
        remedy = "Set the number of trials with --trials, or give the range to --grid."
        raise UsageError(what, code="E426", remedy=remedy)
    results = [
        tuple((key, _sample_value(source, low, high, by_ratio)) for key, low, high, _, by_ratio in axes)
        for _ in _limit_count(range(draws))
    ]
    # Duplicates are removed in order; integers of a small range are often drawn twice.
    return list(dict.fromkeys(results))


def _sample_value(source: Random, low: str, high: str, by_ratio: bool) -> str:
    """Return a value of a range: a whole number between whole numbers, otherwise to four digits."""
    if low.isdecimal() and high.isdecimal():
        # `last + 1`, because the draw is rounded down; `min` guards against a draw that rounding lifts to it.
        last = int(high)
        return str(min(last, int(_interpolate_range(low, str(last + 1), source.random(), by_ratio))))
    return f"{_interpolate_range(low, high, source.random(), by_ratio):.4g}"


def _interpolate_range(low: str, high: str, part: float, by_ratio: bool) -> float:
    a, b = float(low), float(high)
    # Equal ratios: a·(b/a)^part lies at the fraction `part` between a and b on a logarithmic scale.
    return a * (b / a) ** part if by_ratio else a + (b - a) * part


@dataclass(frozen=True, slots=True)
class MeasureSummary:
    """A measure over repeated runs: mean and 95 % interval of the mean (Student's t; None for a single
    run).
    """

    mean: float
    low: float | None
    high: float | None
    runs: int

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.mean:.4g}"
        return f"{self.mean:.4g} [{self.low:.4g}, {self.high:.4g}]"


def summarize_values(values: Sequence[float], measure: str = "") -> MeasureSummary:
    """Return mean and interval of a measure in independent runs.

    Args:
        values: The values.
        measure: The name of the measure; the interval of a percentage (`…_percent`) stays between 0 and 100.

    >>> print(summarize_values([0.9, 0.92, 0.94]))
    0.92 [0.8703, 0.9697]
    """
    mean = math.fsum(values) / len(values)
    half = interval_half_width(values)
    if half is None:
        return MeasureSummary(mean, None, None, len(values))
    low, high = mean - half, mean + half
    if measure.endswith("_percent"):
        low, high = max(0.0, low), min(100.0, high)
    return MeasureSummary(mean, low, high, len(values))


def interval_half_width(values: Sequence[float]) -> float | None:
    """Return half the width of the 95 % interval of the mean, or None for a single value.

    The interval is Student's t: mean ± t(0.975, n - 1) · s / √n, where s is the standard deviation of the
    sample.
    """
    if len(values) < 2:
        return None
    from statistics import stdev

    from engines.retrieval.significance import student_quantile

    quantile = student_quantile(CONFIDENCE, len(values) - 1)
    return quantile * stdev(values) / math.sqrt(len(values))
