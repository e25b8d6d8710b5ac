"""Settings: one schema; the environment wins over the file, the file over the default."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from engines.core.errors import EngineError, did_you_mean
from engines.core.files import file_error
from engines.core.locks import update
from engines.core.spec import Arg, Field, check_value, parse
from engines.moved import moved_verb
from workbench.errors import UsageError
from workbench.folders import config_file
from workbench.paper import all_papers, load

SettingValue = str | int | bool


@dataclass(frozen=True, slots=True)
class SettingKey:
    """A setting that exists. A name that ends in `.*` stands for any name under it."""

    name: str
    default: SettingValue
    help: str
    choices: tuple[str, ...] = ()
    least: int = 0
    most: int | None = None
    check: str = ""
    """The function, as `module:name`, that refuses what looks right and could not be used."""

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "MATHWB_" + self.name.upper().replace(".", "_")

    @property
    def field(self) -> Field:
        """The field that says how its value is read."""
        arg = Arg(self.help, low=self.least if isinstance(self.default, int) else None, high=self.most)
        return Field(self.name, type(self.default), arg, self.choices, default=self.default)


KEYS: tuple[SettingKey, ...] = (
    SettingKey(
        "workspace",
        "",
        "the workspace folder; empty: the one in your data folder",
        check="workbench.config:absolute_folder",
    ),
    SettingKey(
        "theme",
        "",
        "colour theme of the screens; empty: the last one used",
        choices=("", "dark", "light", "contrast"),
    ),
    SettingKey("ascii", False, "draw with plain ASCII characters"),
    SettingKey(
        "graphics",
        "",
        "how to draw plots and formulas as pixels; empty: detect from the terminal",
        choices=("", "kitty", "sixel", "none"),
    ),
    SettingKey("fps", 0, "frames per second; 0: 60, or 15 over SSH", most=240),
    SettingKey(
        "trash_days",
        30,
        "days for which deleted jobs, notes and other items can be restored",
        least=1,
        most=36500,
    ),
    SettingKey(
        "job_slots", 0, "background jobs to run at a time on the CPU; 0: one per processor", most=1000
    ),
    SettingKey(
        "reporters",
        "tensorboard",
        "where new jobs send their metrics: tensorboard (trainings only), wandb, mlflow, trackio,"
        " FILE.py:FUNCTION; separate several with commas",
        check="workbench.jobs.reporting:check_reporters",
    ),
    SettingKey(
        "csv_formulas", False, "leave CSV cells that a spreadsheet would run as formulas without a ' in front"
    ),
    SettingKey("keymap.*", "", 'the key of an action, by its id, such as keymap.jobs.stop = "z"'),
)
"""The settings of the workbench itself; a paper names its own in its registration."""


@cache
def all_settings() -> Mapping[str, SettingKey]:
    """Return all settings by name: the workbench's, then the papers'."""
    of_papers = (key for paper in all_papers() if paper.settings for key in load(paper.settings))
    return {key.name: key for key in (*KEYS, *of_papers)}


@dataclass(frozen=True, slots=True)
class Setting:
    """A value with where it comes from: `default`, `file` or `environment`, and which file or variable."""

    key: SettingKey
    name: str
    value: SettingValue
    origin: str
    source: str = ""


def _find_setting(name: str, known: Mapping[str, SettingKey] | None = None) -> SettingKey:
    known = all_settings() if known is None else known
    key = known.get(name)
    # The name may be one of a family, such as `keymap.jobs.stop`, which is registered as `keymap.*`.
    if key is None and "." in name:
        key = known.get(name.partition(".")[0] + ".*")
    if key is None:
        remedy = did_you_mean(name, known) or "List them with: mathwb config show"
        raise UsageError(f"unknown setting {name!r}", code="E420", remedy=remedy)
    return key


def _check_value(key: SettingKey, name: str, value: object, where: str) -> SettingValue:
    """Return the value in the type of the key's default; text is read, as variables and arguments are
    text.
    """
    try:
        # Variables of the environment and arguments are text; the file has types already. An empty text is
        # false for a truth value, and refused for a number.
        if isinstance(value, str) and not isinstance(key.default, str):
            results = parse(key.field, value or "false", name=name, code="E421")
        else:
            results = check_value(key.field, value, name=name, code="E421")
    except EngineError as error:
        raise UsageError(error.what, code="E421", where=where, remedy=error.remedy) from None
    result: SettingValue = results
    return result


def flatten_table(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested tables as one table with dotted keys.

    >>> flatten_table({"model": {"size": 2}, "seed": 1})
    {'model.size': 2, 'seed': 1}
    """
    rows: dict[str, Any] = {}
    for name, value in table.items():
        rows |= (
            flatten_table(value, f"{prefix}{name}.") if isinstance(value, Mapping) else {prefix + name: value}
        )
    return rows


@dataclass(frozen=True, slots=True)
class Config:
    """All settings, resolved. `problems` lists what is wrong in the file; those values are ignored."""

    settings: Mapping[str, Setting]
    problems: tuple[UsageError, ...] = ()

    def get(self, name: str) -> SettingValue:
        """Return the value of a setting.

        Raises:
            UsageError: E420 if there is no such setting.
        """
        setting = self.settings.get(name)
        return setting.value if setting else _find_setting(name).default

    @property
    def keymap(self) -> dict[str, str]:
        """The keys that the user has changed, by the id of their action."""
        prefix = "keymap."
        return {
            name.removeprefix(prefix): str(setting.value)
            for name, setting in self.settings.items()
            if name.startswith(prefix)
        }


def absolute_folder(text: str) -> str:
    """Return a folder as an absolute path, so that the setting does not depend on the current folder.

    Raises:
        UsageError: E421 if the path is a file.
    """
    path = Path(text).expanduser().absolute()
    if path.exists() and not path.is_dir():
        what = "this is a file, and a folder is needed"
        raise UsageError(what, code="E421", where=str(path), remedy="Name a folder.")
    return str(path) if text else ""


def _read_file() -> dict[str, Any]:
    path = config_file()
    try:
        return _parse_settings(path.read_bytes())
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise file_error(error, path, "read") from error


def _parse_settings(data: bytes) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        what = f"the settings cannot be read: {error}"
        where = str(config_file())
        raise UsageError(what, code="E422", where=where, remedy="Fix or remove the file.") from error


def load_config() -> Config:
    """Read the settings. Wrong values and unknown names in the file are listed in `problems`.

    Raises:
        UsageError: E421 for a wrong environment variable, E422 if the file is not TOML.
    """
    return _resolve_settings(all_settings(), flatten_table(_read_file()))


def own_config() -> Config:
    """Read the settings of the workbench alone, or all if the file or the environment sets others.

    No paper is imported to learn its settings, so the screens open sooner.

    Raises:
        UsageError: As `load_config`.
    """
    known = {key.name: key for key in KEYS}
    written = flatten_table(_read_file())
    others = [name for name in written if name not in known and not name.startswith("keymap.")]
    # MATHWB_HOME is no setting: it says where the settings are.
    ours = {"MATHWB_HOME", *(key.variable for key in KEYS)}
    if others or any(name.startswith("MATHWB_") and name not in ours for name in os.environ):
        return load_config()
    return _resolve_settings(known, written)


def _resolve_settings(known: Mapping[str, SettingKey], written: Mapping[str, object]) -> Config:
    path = config_file()
    # Step 1: the defaults. A family such as `keymap.*` has none.
    settings: dict[str, Setting] = {
        key.name: Setting(key, key.name, key.default, "default")
        for key in known.values()
        if not key.name.endswith("*")
    }
    problems: list[UsageError] = []
    # Step 2: the file. What is wrong in it is listed, so that one typing error does not stop the program.
    for name, value in written.items():
        try:
            key = _find_setting(name, known)
            settings[name] = Setting(key, name, _check_value(key, name, value, str(path)), "file", str(path))
        except UsageError as error:
            error.where = error.where or str(path)
            problems.append(error)
    # Step 3: the environment. A wrong value there is raised: it was set for this very call.
    for name, setting in settings.items():
        text = os.environ.get(setting.key.variable)
        if text is not None and not setting.key.name.endswith("*"):
            value = _check_value(setting.key, name, text, setting.key.variable)
            settings[name] = Setting(setting.key, name, value, "environment", setting.key.variable)
    return Config(settings, tuple(problems))


def set_value(name: str, text: str) -> Setting:
    """Check a value and write it to the settings file; everything else in the file stays, comments too.

    A path is written as an absolute path.

    Raises:
        UsageError: E420 for an unknown setting, E421 for a wrong value, E422 if the file cannot take it, and
            whatever the check of the setting raises.
    """
    path = config_file()
    key = _find_setting(name)
    value = _check_value(key, name, text, "")
    if key.check:
        value = load(key.check)(value)
    # Read, changed and written under a lock, so that two programs do not lose each other's changes.
    update(path, lambda data: _with_value(data, name, value))
    return Setting(key, name, value, "file", str(path))


def _with_value(data: bytes, name: str, value: SettingValue) -> bytes:
    """Return a settings file with one value more, or another."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    # `tomlkit` keeps comments and the order of the file, which `tomllib` and `tomli_w` would lose.
    before = _parse_settings(data)
    document = tomlkit.parse(data)
    table: MutableMapping[str, Any] = document
    rest = name
    with suppress(TOMLKitError, TypeError):  # what it cannot do is seen below
        # A table under any part of the name, as the file has it: [keymap] or [keymap.jobs].
        while folder := next((key for key in table if rest.startswith(f"{key}.")), None):
            table, rest = table[folder], rest.removeprefix(f"{folder}.")
        if table is document and "." in rest and rest not in table:
            folder, _, rest = rest.partition(".")
            table = table.setdefault(folder, tomlkit.table())
        if (
            table is document
            and rest not in table
            and any(isinstance(row, Mapping) for row in before.values())
        ):
            # In front, so that the comment above the first table stays above it.
            document = tomlkit.parse(tomlkit.dumps({rest: value}) + "\n" + tomlkit.dumps(document))
        else:
            table[rest] = value
    result = tomlkit.dumps(document).encode()
    # The result is read back: if anything but this setting has changed, nothing is written.
    if flatten_table(_parse_settings(result)) != flatten_table(before) | {name: value}:
        what = f"{name} cannot be written into it without changing something else"
        remedy = f"Write it there yourself: {name} = {json.dumps(value)}"
        raise UsageError(what, code="E422", where=str(config_file()), remedy=remedy)
    return result


def is_remote(environment: Mapping[str, str] = os.environ) -> bool:
    """Tell whether the session runs over SSH."""
    return bool(environment.get("SSH_CONNECTION") or environment.get("SSH_TTY"))


def __getattr__(name: str) -> object:
    return moved_verb(__name__, name)
