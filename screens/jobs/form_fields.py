"""The fields of the form for a new job: what each may contain, and the job or sweep that they make."""

from __future__ import annotations

import dataclasses
import re
import shlex
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.core.errors import EngineError
from engines.core.spec import Arg, describe_fields, parse
from engines.core.spec import Field as SpecField
from workbench.jobs.control import live_outputs, next_free
from workbench.jobs.placement import check_placement
from workbench.operations import find_operation
from workbench.paper import all_trainers, load
from workbench.recipes import job_recipe, with_settings

if TYPE_CHECKING:
    from workbench.jobs.folder import Job
    from workbench.jobs.job_views import JobView
    from workbench.recipes import Recipe
    from workbench.train import Sweep, SweepRun
    from workbench.workspace import Workspace

FormValues = Mapping[str, str]
_SEED = SpecField("seed", int, Arg("Same seed, same result.", low=0))


@dataclass(frozen=True, slots=True)
class FormField:
    """A line of the form.

    `key` names it within its `table` (data, model, train, job), `text` is what it contains at first, and
    `help` what it means.
    """

    table: str
    key: str
    text: str
    help: str = ""

    @property
    def name(self) -> str:
        """Return the field as recipes name it: `table.key`."""
        return f"{self.table}.{self.key}"


class FormFields:
    """The fields of a form, their checks, and the job that they make."""

    fields: tuple[FormField, ...]

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def find_problems(self, values: FormValues) -> dict[str, EngineError]:
        """Return what is wrong, by the field's name; errors that belong to no field are under "".

        Fields are checked one by one first, then all together.
        """
        problems: dict[str, EngineError] = {}
        # Each field alone, so that every wrong one is marked.
        for field in self.fields:
            try:
                self._check_field(field, values[field.name].strip())
            except EngineError as error:
                problems[field.name] = error
        # Only correct fields can be checked together.
        if not problems:
            try:
                self.make_recipe(values)
            except EngineError as error:
                problems[self.find_field(error)] = error
        return problems

    def find_field(self, error: EngineError) -> str:
        """Return the name of the field that an error is about: the first one that it mentions."""
        words = re.findall(r"\w+", error.what)
        # Reversed, so that of two fields with one key the first one wins.
        keys = {field.key: field.name for field in reversed(self.fields)}
        return next((keys[word] for word in words if word in keys), "")

    def _check_field(self, field: FormField, text: str) -> object:
        """Raise EngineError for what can be told of this field alone."""
        raise NotImplementedError

    def make_recipe(self, values: FormValues) -> Recipe:
        """Return the recipe that the values make.

        Raises:
            EngineError: A value is wrong.
        """
        raise NotImplementedError

    def list_choices(self, field: FormField) -> Mapping[str, str]:  # noqa: ARG002
        """Return the values that a field can have, each with its meaning; empty if there is no such list."""
        return {}

    def prepare_start(self, values: FormValues) -> Callable[[], Job]:
        """Return a function that starts the job.

        Raises:
            EngineError: A value is wrong.
        """
        from workbench.jobs import control

        spec = self.make_recipe(values)
        return lambda: control.submit_job(self._workspace, spec)

    def count_runs(self, values: FormValues) -> int:  # noqa: ARG002
        """Return how many runs the values start; they must be without problems."""
        return 1

    def list_questions(self, values: FormValues) -> Iterator[Mapping[str, Any]]:  # noqa: ARG002
        """Return the parameters for checking each run with `train.check`; empty if there is nothing to ask.

        Raises:
            EngineError: A value is wrong.
        """
        yield from ()


def _spec_choices(field: SpecField) -> Mapping[str, str]:
    return dict.fromkeys(("true", "false") if field.kind is bool else map(str, field.choices), "")


def form_fields(
    recipe: Recipe, workspace: Workspace, how: Sweep | None = None, jobs: Iterable[JobView] = ()
) -> FormFields:
    """Return the form of a recipe.

    Args:
        recipe: the recipe.
        workspace: the workspace.
        how: fills in the fields that make it a sweep.
        jobs: the jobs; what those that are live write is no free name.
    """
    if recipe.task == "train":
        return TrainFields(recipe, workspace, how, jobs)
    return OperationFields(recipe, workspace, jobs)


def _field_error(what: str, remedy: str = "") -> EngineError:
    return EngineError(what, remedy=remedy, code="E424")


def _name_problem(text: str, folder: Path, what: str) -> str:
    if not text or text in (".", "..") or "/" in text or not text.isprintable():
        return "a name without slashes"
    return f"a {what} named {text} already exists" if (folder / text).exists() else ""


class OperationFields(FormFields):
    """The form of an operation that runs as a job: the fields of its spec, and the name of its result."""

    def __init__(self, recipe: Recipe, workspace: Workspace, jobs: Iterable[JobView] = ()) -> None:
        super().__init__(workspace)
        self._recipe = recipe
        self._row = find_operation(recipe.task)
        assert self._row.background is not None
        self._target = self._row.background.target
        self._home = workspace.make_folder(self._row.background.home)
        self._table = recipe.task.rpartition(".")[2]
        stem = recipe.name.rpartition("/")[2]
        name = next_free(self._home, stem, live_outputs(jobs)).name
        given = {**recipe.params, "seed": recipe.seed, self._target: name}
        # Hidden fields are set by the program.
        self._spec = {
            field.name: field for field in describe_fields(self._row.spec_type) if not field.arg.hidden
        }
        helps = {name: field.arg.help for name, field in self._spec.items()}
        helps[self._target] = f"its name among the {self._home.name}"
        texts = {name: _to_text(given[name]) if name in given else "" for name in self._spec}
        self.fields = tuple(FormField(self._table, name, texts[name], helps[name]) for name in self._spec)

    def list_choices(self, field: FormField) -> Mapping[str, str]:
        return _spec_choices(self._spec[field.key])

    def _check_field(self, field: FormField, text: str) -> Any:
        """Return the value that a text is. Raises: EngineError."""
        if field.key != self._target:
            return parse(self._spec[field.key], text)
        if said := _name_problem(text, self._home, self._table):
            raise _field_error(said)
        return str(self._home / text)

    def make_recipe(self, values: FormValues) -> Recipe:
        given = {field.key: self._check_field(field, values[field.name].strip()) for field in self.fields}
        return job_recipe(self._row, self._row.resolve_spec(given))


_JOB_HELP = {
    "seed": "same seed, same model on a CPU",
    "device": "auto, cpu, or GPUs as in 0,1",
    "name": "of the model in this workspace",
    "more": "other settings, as in patience=3",
}


class TrainFields(FormFields):
    """The form of a training run: the recipe's tables, seed, device, the model's name, and the sweep."""

    def __init__(
        self, recipe: Recipe, workspace: Workspace, how: Sweep | None, jobs: Iterable[JobView]
    ) -> None:
        from workbench.train import Sweep

        super().__init__(workspace)
        self._recipe = recipe
        self._sweep = {field.name: field for field in describe_fields(Sweep)}
        fields = []
        self._tables = {key: table for key, table in recipe.params.items() if isinstance(table, Mapping)}
        # 1. The recipe's own tables, with the help of the trainer's settings.
        for table, content in self._tables.items():
            specs = {spec.name: spec for spec in self._list_specs(table)}
            for key, value in content.items():
                help_ = specs[key].arg.help if key in specs else ""
                if table == "data":
                    help_ = f"{key}, by name or path" if value else "nothing, or data by name or path"
                fields.append(FormField(table, key, _to_text(value), help_))
        stem = recipe.name.rpartition("/")[2]
        # 2. What belongs to the job.
        job = {
            "seed": str(recipe.seed),
            "device": str(recipe.params.get("device", "auto")),
            "name": next_free(workspace.models, stem, live_outputs(jobs)).name,
            "more": "",
        }
        fields += [FormField("job", key, text, _JOB_HELP[key]) for key, text in job.items()]
        # 3. What makes several runs of it.
        for name, field in self._sweep.items():
            given = getattr(how, name, None)
            kind = f"{field.arg.metavar}: " if field.arg.metavar else ""
            fields.append(
                FormField("sweep", name, _to_text(given) if given else "", f"{kind}{field.arg.help}")
            )
        self.fields = tuple(fields)

    def list_choices(self, field: FormField) -> Mapping[str, str]:
        if field.table == "data":
            from workbench.train import data_names

            return data_names(self._workspace, field.key)
        if field.name == "job.device":
            return {"auto": "a free GPU, else the CPU", "cpu": ""}
        if field.table == "sweep":
            return _spec_choices(self._sweep[field.key])
        return next(
            (_spec_choices(spec) for spec in self._list_specs(field.table) if spec.name == field.key), {}
        )

    def _list_specs(self, table: str) -> Iterator[SpecField]:
        from engines.training.task import TrainConfig

        trainer = all_trainers().get(str(self._recipe.params.get("trainer")))
        classes = {"train": [TrainConfig], "model": map(load, trainer.settings if trainer else ())}
        for spec in classes.get(table, ()):
            yield from describe_fields(spec)

    def _check_field(self, field: FormField, text: str) -> None:
        """A field is asked about with the recipe's own settings around it."""
        if field.name == "job.seed":
            parse(_SEED, text)
        elif field.name == "job.name":
            if said := _name_problem(text, self._workspace.models, "model"):
                raise _field_error(said)
        elif field.name == "job.device":
            check_placement({"device": text})
        elif field.name == "job.more":
            self._add_settings(self._recipe, text)
        elif field.table == "sweep":
            from workbench.train import Sweep, list_variants

            # A sweep's field is checked alone, so that a mistake is shown where it was made.
            how = parse(self._sweep[field.key], text)
            if how and field.key in ("grid", "random", "seeds", "folds"):
                list_variants(self._recipe, Sweep(**{field.key: how}))
        elif field.table == "data":
            from workbench.train import data_path

            if text:
                data_path(self._workspace, field.key, text)
        # A value of the recipe: of the type that it has there, and for `train` within its range.
        else:
            value = self._read_value(field, text)
            if field.table == "train":
                from engines.training.task import TrainConfig

                TrainConfig.from_table({**self._tables["train"], field.key: value})

    def _read_value(self, field: FormField, text: str) -> Any:
        """Return the text as the recipe's own value is: a word stays one, a number has to be one."""
        before = self._tables[field.table][field.key]
        if isinstance(before, str):
            return text
        kind = {bool: "true or false", int: "a whole number", float: "a number"}.get(type(before), "TOML")
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            raise _field_error(kind) from None
        # An integer is accepted where the recipe has a float, and not the other way round.
        accepted = (int, float) if isinstance(before, float) else (type(before),)
        if isinstance(value, bool) is not isinstance(before, bool) or not isinstance(value, accepted):
            raise _field_error(kind)
        return value

    def _add_settings(self, recipe: Recipe, text: str) -> Recipe:
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise _field_error(str(error).lower()) from None
        return with_settings(recipe, words)

    def _fill_recipe(self, values: FormValues) -> Recipe:
        tables: dict[str, dict[str, Any]] = {name: {} for name in self._tables}
        for field in self.fields:
            if field.table in tables:
                tables[field.table][field.key] = self._read_value(field, values[field.name].strip())
        params = {**self._recipe.params, **tables}
        seed = int(values["job.seed"])
        made = dataclasses.replace(self._recipe, params=params, seed=seed)
        return self._add_settings(made, values["job.more"].strip())

    def make_recipe(self, values: FormValues) -> Recipe:
        from workbench.train import job_spec

        # Called for its checks: the sweep must make sense before a job is made.
        self.count_runs(values)
        filled, device = self._fill_recipe(values), values["job.device"].strip()
        # The model gets the name of the form instead of the recipe's.
        made = job_spec(self._workspace, filled, device=device, publish=False)
        publish = str(self._workspace.models / values["job.name"].strip())
        return dataclasses.replace(made, params={**made.params, "publish": publish})

    def _read_sweep(self, values: FormValues) -> Sweep:
        from workbench.train import Sweep

        parsed = {name: parse(field, values[f"sweep.{name}"]) for name, field in self._sweep.items()}
        return Sweep(**{name: value for name, value in parsed.items() if value is not None})

    def _make_runs(self, values: FormValues) -> list[SweepRun]:
        from workbench.train import member_runs

        device = values["job.device"].strip()
        return member_runs(
            self._workspace, self._fill_recipe(values), self._read_sweep(values), device=device
        )

    def prepare_start(self, values: FormValues) -> Callable[[], Job]:
        from workbench.train import start_sweep

        how = self._read_sweep(values)
        if not how.several:
            return super().prepare_start(values)
        members = self._make_runs(values)
        return lambda: start_sweep(self._workspace, self._recipe, members, how)

    def count_runs(self, values: FormValues) -> int:
        from workbench.train import list_variants

        return len(list_variants(self._fill_recipe(values), self._read_sweep(values)))

    def list_questions(self, values: FormValues) -> Iterator[Mapping[str, Any]]:
        from workbench.train import training_check

        worst = self._read_sweep(values).stop_worst
        for spec, _ in self._make_runs(values):
            yield training_check(spec, worst)


def _to_text(value: Any) -> str:
    """Return a value as TOML writes it, a word without quotes, several parted by spaces."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return " ".join(value) if isinstance(value, tuple) else repr(value)
