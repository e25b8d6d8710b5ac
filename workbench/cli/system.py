"""Commands about the program itself: config, doctor, repro, serve, mcp, tour."""

from __future__ import annotations

import ipaddress
import sys
from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.command import (
    CsvOption,
    JsonOption,
    PlotFile,
    TexOption,
    form_of,
    plain_argument,
    plain_option,
    print_result,
)
from workbench.cli.command_groups import make_group
from workbench.cli.failures import print_message
from workbench.config import Setting, load_config, set_value
from workbench.doctor import examine_installation
from workbench.errors import UsageError, one_line
from workbench.folders import config_file
from workbench.operations import Guide
from workbench.paper import all_papers, load
from workbench.repro import ReproCell, ReproTable, engine_names, paper_tables
from workbench.tables import align_rows, indent_lines
from workbench.workspace import Workspace, ensure_sample

app = make_group("config", "Show or change settings, and see where each value comes from.")


@app.command("show")
def show_settings(as_json: JsonOption = False) -> None:
    """Show every setting with its value and origin: default, file or environment."""
    config = load_config()
    settings = config.settings.values()
    for problem in config.problems:
        print_message(one_line(problem))
    rows = [
        (s.name, _setting_text(s), s.origin + (f" {s.source}" if s.source else ""), s.key.help)
        for s in settings
    ]
    document = {
        "settings": {s.name: {"value": s.value, "origin": s.origin, "source": s.source} for s in settings},
        "problems": [problem.to_dict() for problem in config.problems],
    }
    print_result(document, as_json, text=align_rows(("setting", "value", "from", "what it is"), rows))


@app.command("set")
def set_setting(
    name: Annotated[str, plain_argument(help="The setting, such as theme or egen.mode.")],
    value: Annotated[str, plain_argument(help="Its value.")],
) -> None:
    """Write a setting to the settings file."""
    setting = set_value(name, value)
    print_message(f"{setting.name} = {_setting_text(setting)} in {setting.source}")


@app.command("path")
def print_settings_path() -> None:
    """Print the path of the settings file, whether it exists or not."""
    print_result(None, False, text=[str(config_file())])


def _setting_text(setting: Setting) -> str:
    return str(setting.value).lower() if isinstance(setting.value, bool) else str(setting.value)


_GLYPHS = {"ok": "✓", "note": "·", "wrong": "!", "missing": "✗"}


def check_installation(as_json: JsonOption = False) -> None:
    """Check the installation: what is missing, and what to do. Exits with 3 if a requirement is missing."""
    findings = examine_installation()
    missing = any(finding.state == "missing" for finding in findings)
    lines: list[str] = []
    for finding in findings:
        lines.append(f"{_GLYPHS[finding.state]} {finding.state:<7}  {finding.name:<13}  {finding.what}")
        if finding.remedy:
            lines.append(f"{'':<26}→ {finding.remedy}")
    print_result({"ok": not missing, "findings": findings}, as_json, text=lines)
    if missing:
        raise typer.Exit(3)


def show_tables(
    engine: Annotated[
        str | None, plain_argument(metavar="[ENGINE]", help="egen, mwp, arqmath or mathamr; default: all.")
    ] = None,
    number: Annotated[int | None, plain_option("--table", metavar="N", help="Show only this table.")] = None,
    plot: PlotFile = None,
    csv: CsvOption = False,
    tex: TexOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show the papers' tables: their numbers, ours with intervals, the settings, and what is missing."""
    form = form_of(tex, csv, as_json)
    workspace = Workspace.open()
    wanted = [engine] if engine else engine_names()
    results = [item for name in wanted for item in paper_tables(workspace, name, number=number)]
    if plot is not None:
        _plot_table(plot, results)
    lines = [line for item in results for line in [*_table_lines(item), ""]]
    print_result(results, as_json, text=lines[:-1], form=form)


def _plot_table(path: Path, tables: list[ReproTable]) -> None:
    """Our figures of a table beside the paper's.

    Raises:
        UsageError: E402 for more tables than one, E645 where nothing of it is measured.
    """
    from engines.core.picture import check_drawing, dots_figure
    from workbench.folders import cache_dir

    check_drawing(path)
    if len(tables) != 1:
        raise UsageError("a plot shows one table", code="E402", remedy="Name it: mathwb repro egen --table 3")
    (item,) = tables
    rows = [
        (
            f"{row.name}, {cell.column}",
            cell.ours,
            None if cell.low is None or cell.high is None else (cell.low, cell.high),
            None if cell.paper != cell.paper else cell.paper,
        )
        for row in item.rows
        for cell in row.cells
        if cell.ours is not None
    ]
    if not rows:
        raise UsageError("nothing of this table is measured here", code="E645", remedy=f"Run: {item.command}")
    dots_figure(path, rows, item.title, "paper", cache=cache_dir())
    print_message(f"plotted to {path}")


def _table_lines(item: ReproTable) -> list[str]:
    head = f"{item.engine}, Table {item.number}: {item.title}"
    columns = [cell.column for cell in item.rows[0].cells]
    rows = []
    for row in item.rows:
        papers = [_format_number(cell.paper, item.decimals) for cell in row.cells]
        rows.append((row.name, "paper" if set(papers) != {"-"} else "", *papers))
        if row.source:
            rows.append((f"  {row.source}", "ours", *(_our_value(cell, item.decimals) for cell in row.cells)))
    lines = [head, f"  paper's setting: {item.setting}"]
    lines += indent_lines(align_rows(("", "", *columns), rows))
    if item.note:
        lines.append(f"  note: {item.note}")
    if not any(row.source for row in item.rows):
        lines.append("  ours: not measured here yet")
    measured = {(row.command, row.record) for row in item.rows if row.command}
    lines += [f"  ours by: {command}{record and f' -> {record}'}" for command, record in sorted(measured)]
    lines.append(f"  to measure: {item.command}")
    return lines + [f"  missing: {what}" for what in item.missing]


def _our_value(cell: ReproCell, decimals: int) -> str:
    if cell.ours is None:
        return ""
    mean = _format_number(cell.ours, decimals)
    if cell.low is None or cell.high is None:
        return mean
    return f"{mean} [{_format_number(cell.low, decimals)}, {_format_number(cell.high, decimals)}]"


def _format_number(value: float, decimals: int) -> str:
    if value != value:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.{decimals}f}"


HostOption = Annotated[
    str,
    typer.Option(
        "--host", help="Address to listen on; any other than 127.0.0.1 lets other machines connect."
    ),
]
PortOption = Annotated[int, typer.Option("--port", min=0, max=65535, help="Port; 0 picks a free one.")]


def serve_screens(host: HostOption = "127.0.0.1", port: PortOption = 8000) -> None:
    """Serve the screens to a browser, at an address that cannot be guessed; Ctrl-C ends it.

    Anyone with the address can do what you can do here. By default only this machine can connect.
    """
    from workbench.web import WebServer, open_socket

    # Once here, so that a workspace that cannot be used is an error now, not on each page.
    ensure_sample(Workspace.open())
    socket = open_socket(host, port)
    server = WebServer(socket)
    if not ipaddress.ip_address(socket.getsockname()[0].partition("%")[0]).is_loopback:
        print_message("other machines can reach this address, and the connection is not encrypted")
    print_result(None, False, text=server.address)
    sys.stdout.flush()
    server.run_server()


LimitOption = Annotated[float, typer.Option("--limit-s", min=1, help="Time limit of a call, in seconds.")]


def serve_tools(limit_s: LimitOption = 300.0) -> None:
    """Serve the commands that only read or compute as tools of the Model Context Protocol, on standard input
    and output.

    Your editor or assistant starts it; nothing is written.
    """
    from workbench.mcp import serve_tools

    serve_tools(limit_s)


def run_tours(as_json: JsonOption = False) -> None:
    """Run the main task of every engine on the sample workspace and show the results."""
    workspace = Workspace.open()
    made = ensure_sample(workspace)
    print_message(f"workspace {workspace.root}{': with the sample' if made else ''}")
    guide = Guide(
        lambda line: None if as_json else print_result(None, False, text=line or [""]), print_message
    )
    for paper in all_papers():
        if paper.tour:
            load(paper.tour)(guide, workspace)
    print_result(
        {"workspace": str(workspace.root), "stops": guide.stops},
        as_json,
        text="Explore it on the screens: mathwb",
    )
