"""The identity of a training: what its weights depend on, so that no folder holds two trainings."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engines.core.files import sha256
from engines.core.spec import refused
from engines.training.task import Origin, TrainConfig

NOT_THE_WEIGHTS = frozenset(("compile", "device", "eval_every", "keep", "log_every", "save_every"))
"""Where a training runs, and how often it reports."""
LENGTH = frozenset(("epochs", "steps"))
"""May be changed by who asks for it: checkpoint and card say at which step."""
_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Identity:
    """`settings`: trainer, seed, `model.*` and `train.*` by name with their values, `data.*` by content."""

    settings: Mapping[str, Any]

    @classmethod
    def of(cls, origin: Origin, config: TrainConfig) -> Identity:
        """Of a task and its settings. Raises: DataError for a file that cannot be read."""
        train = config.to_dict()
        seed = train.pop("seed")
        kept = {key: value for key, value in train.items() if key not in NOT_THE_WEIGHTS | LENGTH}
        return cls(
            {
                "trainer": origin.trainer,
                "seed": seed,
                **{f"data.{name}": content(files) for name, files in sorted(origin.data.items())},
                **{f"model.{name}": value for name, value in sorted(origin.model.items())},
                **{f"train.{name}": value for name, value in sorted(kept.items())},
            }
        )

    @property
    def contents(self) -> dict[str, str]:
        """The contents of the data, by what they serve as."""
        kinds = {name: name.removeprefix("data.") for name in self.settings if name.startswith("data.")}
        return {kind: self.settings[name] for name, kind in kinds.items()}

    def differences(self, there: Mapping[str, Any]) -> list[str]:
        """How settings that were written down differ from these, in words: `model.tau: 0.1 there, 0.9 asked
        for`."""
        names = [*self.settings, *(name for name in there if name not in self.settings)]
        return [
            f"{name}: {_shown(name, there)} there, {_shown(name, self.settings)} asked for"
            for name in names
            if (name in there) != (name in self.settings) or there.get(name) != self.settings.get(name)
        ]


def _shown(name: str, settings: Mapping[str, Any]) -> str:
    if name not in settings:
        return "nothing"
    return f"content {settings[name][:_SHOWN]}" if name.startswith("data.") else f"{settings[name]!r}"


def content(files: Sequence[Path]) -> str:
    """A hash of what files hold; of a folder, of all files in it and their names there. Where they lie does
    not matter. Raises: DataError for a file that cannot be read."""
    if len(files) == 1 and not files[0].is_dir():
        return sha256(files[0])
    digest = hashlib.sha256()
    for name, file in _each(files):
        digest.update(f"{name} {sha256(file)}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def _each(files: Sequence[Path]) -> Iterator[tuple[str, Path]]:
    for file in files:
        if not file.is_dir():
            yield file.name, file
            continue
        for inner in sorted(path for path in file.rglob("*") if path.is_file()):
            yield inner.relative_to(file).as_posix(), inner


def refuse_other_sizes(name: str, there: Mapping[str, Any], asked: Mapping[str, Any], code: str) -> None:
    """Refuse to begin with the model `name`, whose sizes are `there`, when others are `asked`. Raises:
    EngineError of that code."""
    other = [
        f"{size} {there[size]} there, {asked[size]} asked for" for size in asked if there[size] != asked[size]
    ]
    if other:
        what = f"{name} is a model of other sizes: {'; '.join(other)}"
        raise refused(what, code, "Set them as they are there, or begin with another model.")
