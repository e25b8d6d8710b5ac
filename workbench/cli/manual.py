"""The pages of all commands and error codes, the man page, and tables within other pages:
`python -m workbench.cli.manual`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engines.core.error_codes import CODES
from workbench import __version__
from workbench.cli.command import list_subcommands, program_command
from workbench.jobs.job_table import JOBS
from workbench.operations import all_operations
from workbench.paper import load

DOCS = Path(__file__).resolve().parents[2] / "docs"

_HEAD = """# Commands

Every command with its arguments and options. `--json` prints one document instead of text; what a command
prints besides its result goes to standard error. This page is written by `python -m workbench.cli.manual`.
"""

_ERRORS = """# Errors

Every error code, the exit code of a command that fails with it, and what it means. The message names the
place and the remedy. With `--json` it is one document:
`{"error": {"code", "what", "where", "remedy", "exit_code"}}`.

Exit code 1 means that the run failed, 2 wrong usage or input, 3 that data, a model or a device is missing,
4 that a job is lost, 130 that the work was stopped. This page is written by `python -m workbench.cli.manual`.
"""
_TABLE = re.compile(
    r"(?P<begin><!-- written by `python -m workbench.cli.manual`: (?P<name>[a-z ]+) -->\n)"
    r".*?(?P<end><!-- end -->)",
    re.DOTALL,
)
"""The place of a written table in a page that people write."""
_GROUPS = {
    "E1": "General",
    "E2": "Expressions and formulas",
    "E3": "Files and data",
    "E4": "Usage and settings",
    "E5": "Workspace",
    "E6": "Jobs, training, models and indexes",
    "E7": "Engine process and screens",
    "E9": "Internal",
}

_MAN = r"""
.SH FILES
.TP
.I config.toml
Settings, in your configuration folder;
.B mathwb config show
names it, each setting and where it comes from.
.TP
.I workspace
Corpora, collections, models, runs, notes: a folder of open formats, in your data folder unless
.B \-\-workspace
or
.B MATHWB_WORKSPACE
names another.
.SH ENVIRONMENT
.TP
.B MATHWB_HOME
One folder for settings, data, state and cache.
.TP
.B MATHWB_WORKSPACE
The workspace.
.TP
.BI MATHWB_ SETTING
Any setting, before the settings file.
.SH EXIT STATUS
0 done, 1 the run failed, 2 wrong usage or input, 3 data, model, package or device missing, 4 a job is lost,
130 interrupted.
"""


def commands_page() -> str:
    """Return the page of all commands."""
    return "\n".join((_HEAD, *_command_section(*program_command(), "mathwb", 2)))


def errors_page() -> str:
    """Return the page of error codes."""
    lines = [_ERRORS]
    for group, title in _GROUPS.items():
        lines += [f"## {title}", "", "| code | exit code | meaning |", "|---|--:|---|"]
        rows = (row for row in CODES.items() if row[0].startswith(group))
        lines += [*(f"| `{code}` | {exit_code} | {meaning} |" for code, (exit_code, meaning) in rows), ""]
    return "\n".join(lines)


def first_stages_table() -> str:
    """Return the table of first stages, each with the first sentence of its class and the option it needs."""
    from engines.arqmath.first_stage import RETRIEVERS

    lines = ["| name | score |", "|---|---|"]
    for name, retriever in RETRIEVERS.items():
        if retriever.__module__ == "engines.arqmath.first_stage":
            sentence = (inspect.getdoc(retriever) or "").partition("\n\n")[0].removesuffix(".")
            option = f" (`index {retriever.holds[1]}`)" if retriever.holds[1] else ""
            lines.append(f"| `{name}` | {_escape_cell(sentence)}{option} |")
    return "\n".join(lines) + "\n"


TABLES = {"first stages": first_stages_table}
"""The tables that pages have between two comments, by the name in the first."""


def fill_tables(page: str) -> str:
    """Return a page with the tables between its comments written anew."""
    return _TABLE.sub(lambda match: f"{match['begin']}\n{TABLES[match['name']]()}\n{match['end']}", page)


def man_page() -> str:
    """Return the man page."""
    root, context = program_command()
    lines = [
        f'.TH MATHWB 1 "" "mathwb {__version__}"',
        ".SH NAME",
        r"mathwb \- a workbench for mathematical language",
    ]
    lines += [".SH SYNOPSIS", ".B mathwb", "[options] [command] [arguments]", ".SH DESCRIPTION"]
    lines += ["Without a command it opens the screens. Every command has", ".BR \\-\\-help ,"]
    lines += ["most print one JSON document with", ".BR \\-\\-json .", ".SH OPTIONS"]
    for name, help in filter(None, (parameter.get_help_record(context) for parameter in root.params)):
        lines += [".TP", f".B {_escape_roff(name)}", _escape_roff(help)]
    for group, command, inner in list_subcommands(root, context):
        lines += [f".SS mathwb {group}", _escape_roff(command.get_short_help_str(200))]
        for name, below, _ in list_subcommands(command, inner):
            lines += [".TP", f".B {_escape_roff(name)}", _escape_roff(below.get_short_help_str(200))]
    return "\n".join(lines) + _MAN


def _escape_roff(text: str) -> str:
    return _escape_cell(text).replace("\\|", "|").replace("\\", r"\e").replace("-", r"\-")


def _command_section(command: Any, context: Any, path: str, level: int) -> Iterator[str]:
    yield f"{'#' * level} {path}"
    yield ""
    yield inspect.cleandoc(command.help or "")
    yield ""
    records = [parameter.get_help_record(context) for parameter in command.params]
    rows = [f"| `{_escape_cell(name)}` | {_escape_cell(help)} |" for name, help in filter(None, records)]
    if rows:
        yield "| | |"
        yield "|---|---|"
        yield from rows
        yield ""
    row = all_operations().get(path.removeprefix("mathwb ").replace(" ", "."))
    table = load(row.where.table) if row and row.where else JOBS if path == "mathwb jobs list" else None
    if table is not None:
        known = (column for column in table.columns if not column.unfiltered)
        names = (f"`{one.name}`" + (f" ({one.unit})" if one.unit else "") for one in known)
        yield f"Columns for `--where`: {', '.join(names)}."
        yield ""
    for name, inner, below in list_subcommands(command, context):
        yield from _command_section(inner, below, f"{path} {name}", level + 1)


def _escape_cell(text: str) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")


def write_pages() -> None:
    """Write the pages and the man page to `docs/`."""
    from engines.core.files import write_text

    write_text(DOCS / "commands.md", commands_page())
    write_text(DOCS / "errors.md", errors_page())
    write_text(DOCS / "mathwb.1", man_page())
    for path in sorted(DOCS.rglob("*.md")):
        write_text(path, fill_tables(path.read_text("utf-8")))


if __name__ == "__main__":
    write_pages()
