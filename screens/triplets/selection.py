"""The forms in which a triplet, or one of its problems, can be copied, and all of them as a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from screens.shell.export import Export
from screens.shell.selection import CommandLine, Form, Selection
from screens.triplets.choice import Choice
from screens.triplets.drawing import told
from workbench.papers.mwp.rows import quoted, triplet_home

if TYPE_CHECKING:
    from workbench.engine_process import EngineProcess

__all__ = [
    "Shown",
    "all_triplets",
    "candidate_selection",
    "home",
    "problem_selection",
    "template_selection",
    "triplet_selection",
]


@dataclass(frozen=True, slots=True)
class Shown:
    """The triplet that is shown: of which set, how chosen, and what `mwp.explain` says of it."""

    set: str
    path: Path
    choice: Choice
    found: Mapping[str, Any]

    @property
    def anchor(self) -> str:
        """The id of its anchor."""
        return str(self.found["triplet"]["anchor"])

    @property
    def address(self) -> str:
        """Where notes on it are kept."""
        return f"{home(self.set, self.choice)}/{quoted(self.anchor)}"

    def command(self, line: CommandLine) -> str:
        """The command line that explains it."""
        return line("mwp", "explain", str(self.path), self.anchor, *self.choice.options)


def home(set_: str, choice: Choice) -> str:
    """What begins the addresses of the triplets of a set."""
    return triplet_home(set_, choice.name)


def triplet_selection(shown: Shown, line: CommandLine) -> Selection:
    """A triplet as the selection of a pane."""
    triplet = shown.found["triplet"]
    everything = line("mwp", "triplets", str(shown.path), *shown.choice.options)
    forms = (
        Form("t", "line of the triplet", lambda: json.dumps(triplet, ensure_ascii=False)),
        Form(
            "i", "ids", lambda: "\t".join(str(triplet[name]) for name in ("anchor", "positive", "negative"))
        ),
        Form(
            "x",
            "texts",
            lambda: "\n".join(f"{name}\t{told(one)}" for name, one in shown.found["problems"].items()),
        ),
        Form("j", "JSON", lambda: json.dumps(shown.found, ensure_ascii=False)),
        Form("a", "command line of all triplets", lambda: everything),
    )
    return Selection(shown.address, f"triplet of {shown.anchor}", shown.command(line), forms)


def problem_selection(shown: Shown, name: str, line: CommandLine) -> Selection:
    """The anchor, positive or negative of a triplet as the selection of its pane."""
    problem = shown.found["problems"][name]
    forms = (
        Form("t", "text", lambda: str(problem["original"])),
        Form("q", "equation", lambda: str(problem["equation"])),
        Form("p", "prefix", lambda: " ".join(problem["prefix"])),
        Form("i", "id", lambda: str(problem["id"])),
        Form("j", "JSON", lambda: json.dumps(problem, ensure_ascii=False)),
    )
    return Selection(shown.address, f"{name} {problem['id']}", shown.command(line), forms)


def template_selection(
    row: Mapping[str, Any], name: str, data: str, pool: str, line: CommandLine
) -> Selection:
    """An equation of the pool as the selection of the page that counts them."""
    forms = (
        Form("q", "equation", lambda: str(row["template"])),
        Form("j", "JSON", lambda: json.dumps({key: row[key] for key in row if key != "id"})),
    )
    command = line("mwp", "anchors", data, "--pool", pool)
    return Selection(f"problems/{quoted(name)}", f"problems {name}", command, forms)


def candidate_selection(shown: Shown, row: Mapping[str, Any], line: CommandLine) -> Selection:
    """A candidate as the selection of the pane that says why."""
    forms = (
        Form("i", "id", lambda: str(row["name"])),
        Form("t", "text", lambda: str(row["problem"])),
        Form("q", "equation", lambda: str(row["equation"])),
        Form("j", "JSON", lambda: json.dumps({**row, "id": row["name"]}, ensure_ascii=False)),
    )
    return Selection(shown.address, f"candidate {row['name']}", shown.command(line), forms)


def all_triplets(
    engine: EngineProcess, set_: str, path: Path, choice: Choice, facts: Mapping[str, object]
) -> Export:
    """All triplets of a set as the engine has them; `facts` go with them."""

    def write(file: Path) -> object:
        from workbench.export import with_sidecar

        engine.call_blocking("mwp.triplets", {**choice.params(path), "out": str(file)})
        return with_sidecar(file, {"problems": str(path), "choice": choice.name, **facts})

    return Export("a", "all triplets for training", ".jsonl", f"{set_}-{choice.name}", write)
