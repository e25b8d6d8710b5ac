"""Fields of the launch form: those of a recipe, what is wrong with what stands in them, and the job or the
sweep of it. Nothing here draws."""

from __future__ import annotations

import dataclasses
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.core.errors import EngineError
from engines.core.spec import Arg, described, parse
from engines.core.spec import Field as SpecField
from workbench.jobs.changes import next_free
from workbench.operation import load, operation
from workbench.paper import trainers

if TYPE_CHECKING:
    from workbench.jobs import Job
    from workbench.recipes import Recipe
    from workbench.sweep import Run, Sweep
    from workbench.workspace import Workspace

__all__ = ["Field", "FormFields", "OperationFields", "TrainFields", "form_fields"]

Values = Mapping[str, str]
_SEED = SpecField("seed", int, Arg("Same seed, same result.", low=0))


@dataclass(frozen=True, slots=True)
class Field:
    """A line of the form: `key` names it within its `table` (data, model, train, job), `text` is what stands
    there at first, `help` what it means."""

    table: str
    key: str
    text: str
    help: str = ""

    @property
    def name(self) -> str:
        """What identifies it, such as `train.lr`."""
        return f"{self.table}.{self.key}"


class FormFields:
    """The fields of one recipe."""

    fields: tuple[Field, ...]

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def problems(self, values: Values) -> dict[str, EngineError]:
        """What is wrong, by the name of the field; under "" what belongs to none. Fields are asked about
        one by one, then all of them together."""
        found: dict[str, EngineError] = {}
        for field in self.fields:
            try:
                self._check(field, values[field.name].strip())
            except EngineError as error:
                found[field.name] = error
        if not found:
            try:
                self.spec(values)
            except EngineError as error:
                found[self.place(error)] = error
        return found

    def place(self, error: EngineError) -> str:
        """The field that an error is about: the first whose key it names."""
        words = re.findall(r"\w+", error.what)
        keys = {field.key: field.name for field in reversed(self.fields)}
        return next((keys[word] for word in words if word in keys), "")

    def _check(self, field: Field, text: str) -> object:
        """Raises: EngineError for what can be told of this field alone."""
        raise NotImplementedError

    def spec(self, values: Values) -> Recipe:
        """The job. Raises: EngineError when something is wrong."""
        raise NotImplementedError

    def choices(self, field: Field) -> Sequence[str]:  # noqa: ARG002
        """What may stand in a field whose value is one of several; nothing where it is not."""
        return ()

    def start(self, values: Values) -> Callable[[], Job]:
        """What starts it. Raises: EngineError when something is wrong."""
        from workbench import jobs

        spec = self.spec(values)
        return lambda: jobs.submit(self._workspace, spec)

    def runs(self, values: Values) -> int:  # noqa: ARG002
        """How many runs are started, of what has no problems."""
        return 1

    def questions(self, values: Values) -> Iterator[Mapping[str, Any]]:  # noqa: ARG002
        """Parameters of the task `train.check`, which asks the engine, of each run; nothing when there is
        nothing to ask. Raises: EngineError when something is wrong."""
        yield from ()


def _choices(field: SpecField) -> Sequence[str]:
    """Of a field of a spec."""
    return ("true", "false") if field.kind is bool else tuple(map(str, field.choices))


def _sweep_help(field: SpecField) -> str:
    return f"{field.arg.metavar}: {field.arg.help}" if field.arg.metavar else field.arg.help


def form_fields(recipe: Recipe, workspace: Workspace, how: Sweep | None = None) -> FormFields:
    """The sheet for a recipe, of a training with what makes several runs of it."""
    return (
        TrainFields(recipe, workspace, how) if recipe.task == "train" else OperationFields(recipe, workspace)
    )


def _wrong(what: str, remedy: str = "") -> EngineError:
    return EngineError(what, remedy=remedy, code="E424", exit_code=2)


def _name_problem(text: str, folder: Path, what: str) -> str:
    if not text or text in (".", "..") or "/" in text or not text.isprintable():
        return "a name without slashes"
    return f"there is a {what} {text} already" if (folder / text).exists() else ""


class OperationFields(FormFields):
    """An operation of which a job is made: the fields of its spec, filled as the recipe says, and the name
    that its result has in the workspace."""

    def __init__(self, recipe: Recipe, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._recipe = recipe
        self._row = operation(recipe.task)
        assert self._row.background is not None
        self._target = self._row.background.target
        self._home = workspace.folder(self._row.background.home)
        self._table = recipe.task.rpartition(".")[2]
        stem = recipe.name.rpartition("/")[2]
        given = {**recipe.params, "seed": recipe.seed, self._target: next_free(self._home, stem).name}
        self._spec = {field.name: field for field in described(self._row.spec_type) if not field.arg.hidden}
        self.fields = tuple(
            Field(self._table, name, _text(given[name]) if name in given else "", self._help(field))
            for name, field in self._spec.items()
        )

    def _help(self, field: SpecField) -> str:
        return f"its name among the {self._home.name}" if field.name == self._target else field.arg.help

    def choices(self, field: Field) -> Sequence[str]:
        """See `FormFields`."""
        return _choices(self._spec[field.key])

    def _check(self, field: Field, text: str) -> Any:
        """The value that a text is. Raises: EngineError."""
        if field.key != self._target:
            return parse(self._spec[field.key], text)
        if said := _name_problem(text, self._home, self._table):
            raise _wrong(said)
        return str(self._home / text)

    def spec(self, values: Values) -> Recipe:
        """See `FormFields`."""
        from workbench.recipes import job_recipe

        given = {field.key: self._check(field, values[field.name].strip()) for field in self.fields}
        return job_recipe(self._row, self._row.settled(given))


_HELP = {
    "data.backbone": "the model to begin with; empty: from scratch",
    "data.hard_negatives": "a run to take wrong answers from, or nothing",
    "model.d_model": "width of a token's vector",
    "model.width": "width of a token's vector",
    "model.heads": "of attention, in each layer",
    "model.ffn": "width between the two steps of a layer",
    "model.layers": "of the encoder",
    "model.decoder_layers": "of the decoder",
    "model.pooling": "mean or max over the tokens",
    "model.measured": "questions at each evaluation, at most",
    "model.max_length": "tokens of an input, at most",
    "model.held_out": "share of the data that only measures",
    "model.latex_tokens": "whether LaTeX commands are tokens",
    "model.per_question": "pairs made of each question",
    "model.smoothing": "of the labels, 0 to 1",
    "model.tau": "temperature of the loss",
    "train.steps": "updates of the weights",
    "train.epochs": "times through the data",
    "train.batch_size": "examples a batch",
    "train.accumulate": "batches a step",
    "train.bucket": "batches sorted by length together",
    "train.lr": "learning rate at its highest",
    "train.lr_min": "learning rate at its lowest",
    "train.warmup": "steps until lr is reached",
    "train.schedule": "constant, linear or cosine_restarts",
    "train.weight_decay": "pull of the weights to 0",
    "train.clip": "greatest norm of the gradient",
    "train.eval_every": "steps between evaluations",
    "train.save_every": "steps between checkpoints",
    "train.best": "the measure that chooses the model",
    "train.patience": "evaluations without a better one",
    "train.precision": "auto, bf16 or fp32",
    "job.more": "other settings, as in patience=3",
    "job.seed": "same seed, same model on a CPU",
    "job.device": "auto, cpu, or GPUs as in 0,1",
    "job.name": "of the model in this workspace",
}


class TrainFields(FormFields):
    """A training: what the recipe's tables hold, seed, device, the name of the model, and what makes several
    runs of it."""

    def __init__(self, recipe: Recipe, workspace: Workspace, how: Sweep | None = None) -> None:
        from workbench.sweep import Sweep

        super().__init__(workspace)
        self._recipe = recipe
        self._sweep = {field.name: field for field in described(Sweep)}
        fields = []
        self._tables = {key: table for key, table in recipe.params.items() if isinstance(table, Mapping)}
        for table, content in self._tables.items():
            for key, value in content.items():
                help_ = _HELP.get(f"{table}.{key}", "")
                if table == "data":
                    help_ = f"{key}, by name or path" if value else "nothing, or data by name or path"
                fields.append(Field(table, key, _text(value), help_))
        stem = recipe.name.rpartition("/")[2]
        job = {
            "seed": str(recipe.seed),
            "device": str(recipe.params.get("device", "auto")),
            "name": next_free(workspace.models, stem).name,
            "more": "",
        }
        fields += [Field("job", key, text, _HELP[f"job.{key}"]) for key, text in job.items()]
        for name, field in self._sweep.items():
            given = getattr(how, name, None)
            fields.append(Field("sweep", name, _text(given) if given else "", _sweep_help(field)))
        self.fields = tuple(fields)

    def choices(self, field: Field) -> Sequence[str]:
        """See `FormFields`; of data the names that the workspace knows."""
        if field.table == "data":
            from workbench.training import data_names

            return data_names(self._workspace, field.key)
        if field.name == "job.device":
            return ("auto", "cpu")
        if field.table == "sweep":
            return _choices(self._sweep[field.key])
        return next((_choices(spec) for spec in self._specs(field.table) if spec.name == field.key), ())

    def _specs(self, table: str) -> Iterator[SpecField]:
        """The fields that a table may have."""
        from engines.training.config import TrainConfig

        trainer = trainers().get(str(self._recipe.params.get("trainer")))
        classes = {"train": [TrainConfig], "model": map(load, trainer.settings if trainer else ())}
        for spec in classes.get(table, ()):
            yield from described(spec)

    def _check(self, field: Field, text: str) -> None:
        """A field is asked about with the recipe's own settings around it."""
        if field.name == "job.seed":
            parse(_SEED, text)
        elif field.name == "job.name":
            if said := _name_problem(text, self._workspace.models, "model"):
                raise _wrong(said)
        elif field.name == "job.device":
            from workbench.jobs.executors import check_placement

            check_placement({"device": text})
        elif field.name == "job.more":
            self._more(self._recipe, text)
        elif field.table == "sweep":
            self._check_sweep(field, text)
        elif field.table == "data":
            from workbench.training import data_path

            if text:
                data_path(self._workspace, field.key, text)
        else:
            value = self._value(field, text)
            if field.table == "train":
                from engines.training.config import TrainConfig

                TrainConfig.of({**self._tables["train"], field.key: value})

    def _check_sweep(self, field: Field, text: str) -> None:
        from workbench.sweep import Sweep, variants

        value = parse(self._sweep[field.key], text)
        if value and field.key in ("grid", "random", "seeds", "folds"):
            variants(self._recipe, Sweep(**{field.key: value}))

    def _value(self, field: Field, text: str) -> Any:
        """The text as the recipe's own value is: a word stays one, a number has to be one."""
        before = self._tables[field.table][field.key]
        if isinstance(before, str):
            return text
        kind = {bool: "true or false", int: "a whole number", float: "a number"}.get(type(before), "TOML")
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            raise _wrong(kind) from None
        accepted = (int, float) if isinstance(before, float) else (type(before),)
        if isinstance(value, bool) is not isinstance(before, bool) or not isinstance(value, accepted):
            raise _wrong(kind)
        return value

    def _more(self, recipe: Recipe, text: str) -> Recipe:
        from workbench.recipes import with_settings

        try:
            words = shlex.split(text)
        except ValueError as error:
            raise _wrong(str(error).lower()) from None
        return with_settings(recipe, words)

    def _filled(self, values: Values) -> Recipe:
        tables: dict[str, dict[str, Any]] = {name: {} for name in self._tables}
        for field in self.fields:
            if field.table in tables:
                tables[field.table][field.key] = self._value(field, values[field.name].strip())
        params = {**self._recipe.params, **tables}
        seed = int(values["job.seed"])
        made = dataclasses.replace(self._recipe, params=params, seed=seed)
        return self._more(made, values["job.more"].strip())

    def spec(self, values: Values) -> Recipe:
        """See `FormFields`."""
        from workbench.training import job_spec

        self.runs(values)
        made = job_spec(self._workspace, self._filled(values), device=values["job.device"].strip())
        publish = str(self._workspace.models / values["job.name"].strip())
        return dataclasses.replace(made, params={**made.params, "publish": publish})

    def _how(self, values: Values) -> Sweep:
        from workbench.sweep import Sweep

        parsed = {name: parse(field, values[f"sweep.{name}"]) for name, field in self._sweep.items()}
        return Sweep(**{name: value for name, value in parsed.items() if value is not None})

    def _members(self, values: Values) -> list[Run]:
        from workbench.sweep import member_runs

        device = values["job.device"].strip()
        return member_runs(self._workspace, self._filled(values), self._how(values), device=device)

    def start(self, values: Values) -> Callable[[], Job]:
        """See `FormFields`."""
        from workbench import sweep

        how = self._how(values)
        if not how.several:
            return super().start(values)
        members = self._members(values)
        return lambda: sweep.start(self._workspace, self._recipe, members, how)

    def runs(self, values: Values) -> int:
        """See `FormFields`."""
        from workbench.sweep import variants

        return len(variants(self._filled(values), self._how(values)))

    def questions(self, values: Values) -> Iterator[Mapping[str, Any]]:
        """See `FormFields`."""
        from workbench.training import question

        worst = self._how(values).stop_worst
        for spec, _ in self._members(values):
            yield question(spec, worst)


def _text(value: Any) -> str:
    """A value as TOML writes it, a word without quotes, several parted by spaces."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return " ".join(value) if isinstance(value, tuple) else repr(value)
