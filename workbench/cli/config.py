"""`mathwb config`: settings and where each value comes from."""

from __future__ import annotations

from typing import Annotated

import typer

from workbench import paths
from workbench.cli.common import Json, emit, guard, say, table
from workbench.cli.lazy import group
from workbench.config import Setting, load_config, set_value
from workbench.errors import one_line

__all__ = ["app"]

app = group("config", "Settings, and where each value comes from.")


@app.command()
@guard
def show(as_json: Json = False) -> None:
    """Every setting with its value and origin: default, file or environment."""
    config = load_config()
    settings = config.settings.values()
    for problem in config.problems:
        say(one_line(problem))
    rows = [
        (s.name, _shown(s), s.origin + (f" {s.source}" if s.source else ""), s.key.help) for s in settings
    ]
    document = {
        "settings": {s.name: {"value": s.value, "origin": s.origin, "source": s.source} for s in settings},
        "problems": [problem.to_dict() for problem in config.problems],
    }
    emit(document, as_json, text=table(("setting", "value", "from", "what it is"), rows))


@app.command("set")
@guard
def set_(
    name: Annotated[str, typer.Argument(help="The setting, such as theme or egen.mode.", show_default=False)],
    value: Annotated[str, typer.Argument(help="Its value.", show_default=False)],
) -> None:
    """Write a setting to the file."""
    setting = set_value(name, value)
    say(f"{setting.name} = {_shown(setting)} in {setting.source}")


@app.command()
@guard
def path() -> None:
    """Where the settings file is, whether it exists or not."""
    emit(None, False, text=[str(paths.config_file())])


def _shown(setting: Setting) -> str:
    return str(setting.value).lower() if isinstance(setting.value, bool) else str(setting.value)
