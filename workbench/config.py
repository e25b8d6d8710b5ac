"""Settings: one schema, three origins. The environment wins over the file, the file over the default."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engines.core.files import atomic_writer
from engines.egen.records import MAX_TOKENS
from workbench import paths
from workbench.errors import UsageError, did_you_mean

__all__ = ["KEYS", "Config", "Key", "Setting", "load_config", "set_value"]

Value = str | int | bool


@dataclass(frozen=True, slots=True)
class Key:
    """A setting that exists. A name that ends in `.*` stands for any name under it."""

    name: str
    default: Value
    help: str
    choices: tuple[str, ...] = ()
    least: int = 0
    most: int | None = None

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "MATHWB_" + self.name.upper().replace(".", "_")


KEYS: tuple[Key, ...] = (
    Key("workspace", "", "the workspace folder; empty: the one in the user's data folder"),
    Key("theme", "", "the colour theme of the screens; empty: the house's own"),
    Key("ascii", False, "draw with plain ASCII characters"),
    Key("fps", 0, "repaints a second; 0: 60, and 15 over SSH", most=240),
    Key("keymap.*", "", 'the key of a binding, by its id, such as keymap.jobs.stop = "z"'),
    Key("egen.mode", "strict", "which members count as equal", ("strict", "common", "paper")),
    Key(
        "egen.max_tokens", 25, "the longest member, in tokens of generator notation", least=1, most=MAX_TOKENS
    ),
)
_BY_NAME = {key.name: key for key in KEYS}


@dataclass(frozen=True, slots=True)
class Setting:
    """A value with where it comes from: `default`, `file` or `environment`, and which file or variable."""

    key: Key
    name: str
    value: Value
    origin: str
    source: str = ""


def _key(name: str) -> Key:
    """The schema of a setting. Raises: UsageError E420 for an unknown name."""
    key = _BY_NAME.get(name)
    if key is None and "." in name:
        key = _BY_NAME.get(name.partition(".")[0] + ".*")
    if key is None:
        raise UsageError(
            f"there is no setting {name!r}",
            code="E420",
            remedy=did_you_mean(name, _BY_NAME) or "List them with: mathwb config show",
        )
    return key


def _checked(key: Key, name: str, value: object, where: str) -> Value:
    """The value in the type of the key's default; text is read, as variables and arguments are text."""
    wanted: Any = value
    if isinstance(value, str) and not isinstance(key.default, str):
        read: Callable[[str], Any] = _read_bool if isinstance(key.default, bool) else int
        try:
            wanted = read(value)
        except ValueError:
            wanted = None
    if type(wanted) is not type(key.default):
        kind = {bool: "true or false", int: "a whole number", str: "text"}[type(key.default)]
        raise UsageError(f"{name} must be {kind}, not {value!r}", code="E421", where=where)
    if key.choices and wanted not in key.choices:
        raise UsageError(
            f"{name} must be one of {', '.join(key.choices)}, not {value!r}",
            code="E421",
            where=where,
            remedy=did_you_mean(str(value), key.choices),
        )
    if isinstance(wanted, int) and not isinstance(wanted, bool) and wanted < key.least:
        raise UsageError(f"{name} must be at least {key.least}, not {wanted}", code="E421", where=where)
    if isinstance(wanted, int) and key.most is not None and wanted > key.most:
        raise UsageError(f"{name} must be at most {key.most:,}, not {wanted:,}", code="E421", where=where)
    result: Value = wanted
    return result


def _read_bool(text: str) -> bool:
    known = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False}
    known |= {"off": False, "": False}
    if text.strip().lower() not in known:
        raise ValueError(text)
    return known[text.strip().lower()]


def _flatten(table: Mapping[str, Any], prefix: str = "") -> dict[str, object]:
    flat: dict[str, object] = {}
    for name, value in table.items():
        if isinstance(value, Mapping):
            flat |= _flatten(value, f"{prefix}{name}.")
        else:
            flat[prefix + name] = value
    return flat


@dataclass(frozen=True, slots=True)
class Config:
    """All settings, resolved. `problems` holds what was wrong in the file: those values are left out."""

    settings: Mapping[str, Setting]
    problems: tuple[UsageError, ...] = ()

    def get(self, name: str) -> Value:
        """The value of a setting. Raises: UsageError E420 for an unknown name."""
        setting = self.settings.get(name)
        return setting.value if setting else _key(name).default

    @property
    def keymap(self) -> dict[str, str]:
        """Remapped keys: binding id to key."""
        prefix = "keymap."
        return {
            name.removeprefix(prefix): str(setting.value)
            for name, setting in self.settings.items()
            if name.startswith(prefix)
        }


def _read_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(
            f"the settings cannot be read: {error}",
            code="E422",
            where=str(path),
            remedy="Mend or remove the file.",
        ) from error


def load_config() -> Config:
    """Read the settings. A wrong value or an unknown name in the file is listed in `problems`.

    Raises: UsageError E421 for a wrong environment variable, E422 for a file that is not TOML.
    """
    path = paths.config_file()
    settings: dict[str, Setting] = {
        key.name: Setting(key, key.name, key.default, "default") for key in KEYS if not key.name.endswith("*")
    }
    problems: list[UsageError] = []
    for name, value in _flatten(_read_file(path)).items():
        try:
            key = _key(name)
            settings[name] = Setting(key, name, _checked(key, name, value, str(path)), "file", str(path))
        except UsageError as error:
            error.where = error.where or str(path)
            problems.append(error)
    for name, setting in settings.items():
        text = os.environ.get(setting.key.variable)
        if text is not None and not setting.key.name.endswith("*"):
            value = _checked(setting.key, name, text, setting.key.variable)
            settings[name] = Setting(setting.key, name, value, "environment", setting.key.variable)
    return Config(settings, tuple(problems))


def set_value(name: str, text: str) -> Setting:
    """Check a value and write it to the settings file; what else the file holds stays.

    Raises: UsageError E420 or E421.
    """
    import tomli_w

    path = paths.config_file()
    key = _key(name)
    value = _checked(key, name, text, "")
    document = _read_file(path)
    table = document
    *folders, last = ("keymap", name.partition(".")[2]) if key.name == "keymap.*" else name.split(".")
    for folder in folders:
        table = table.setdefault(folder, {})
    table[last] = value
    with atomic_writer(path, "wb") as file:
        tomli_w.dump(document, file)
    return Setting(key, name, value, "file", str(path))
