"""Columns of anchors and candidates, and the forms in which a triplet is copied."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.content import Content

from screens.shell.export import CommandLine, Export, Form, Selection
from screens.shell.theme import safe_text
from screens.triplets.choice import Choice
from screens.triplets.drawing import plain_text
from screens.widgets.table import Record
from workbench.papers.mwp.tables import CANDIDATES, CANDIDATES_OF, CHOSEN, candidate_row, quoted, triplet_home
from workbench.tables import Column

if TYPE_CHECKING:
    from workbench.engine_process import EngineProcess


def figure(value: float | None) -> str:
    """`.41`, `1.00`, `−.08`."""
    if value is None:
        return ""
    text = f"{abs(value):.2f}"
    return ("−" if round(value, 2) < 0 else "") + (text[1:] if text.startswith("0.") else text)


def _margin(record: Record) -> Content:
    value = record["margin"]
    if value is None:
        return Content()
    return Content.styled(figure(value), "$success" if value > 0 else "$quiet")


def _sign(record: Record) -> Content:
    if record["label"]:
        return Content.styled("✗", "$error")
    if record["moved"]:
        return Content.styled(record["moved"], "$accent")
    return Content.styled("1", "$quiet") if record["alone"] else Content()


ANCHOR_COLUMNS = CHOSEN.drawn(
    template=lambda record: safe_text(record["template"], "$foreground"), margin=_margin, moved=_sign
)


def anchor_records(
    anchors: Sequence[Record],
    triplets: Mapping[str, Record] | None,
    before: Mapping[str, Record] | None,
    labels: Mapping[str, str],
) -> list[dict[str, Any]]:
    """The anchors with their triplets, as far as these are found.

    Args: before: the triplets of the choice before, which `moved` compares with: `p` for another positive,
    `n` for another negative. labels: by anchor.
    """
    found = []
    for anchor in anchors:
        id_ = anchor["id"]
        triplet = (triplets or {}).get(id_)
        old = (before or {}).get(id_)
        moved = ""
        if triplet is not None and old is not None:
            moved = "".join(name[0] for name in ("positive", "negative") if triplet[name] != old[name])
        found.append(
            {
                **anchor,
                "margin": triplet["text_sim_negative"] - triplet["text_sim_positive"] if triplet else None,
                "eq": triplet["eq_sim_negative"] if triplet else None,
                "positive": triplet["positive"] if triplet else None,
                "negative": triplet["negative"] if triplet else None,
                "strategy": triplet["strategy"] if triplet else None,
                "alone": "yes" if anchor["like"] == 1 else "",
                "moved": moved,
                "label": labels.get(id_, ""),
            }
        )
    return found


_STYLES = {"positive": "$success", "negative": "$warning", "lost": "$quiet", "own": "$accent"}


def _role(record: Record) -> Content:
    sign = "▸" if record["chosen"] else " "
    return Content.assemble((sign, "$accent bold"), (record["as"], _STYLES[record["as"]]))


CANDIDATE_COLUMNS = CANDIDATES.drawn(
    **{"as": _role},
    text=lambda record: figure(record["text"]),
    eq=lambda record: figure(record["eq"]),
    why=lambda record: safe_text(record["why"], "$quiet"),
    problem=lambda record: safe_text(record["problem"], "$foreground"),
)


def candidate_records(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    chosen = {role: found["triplet"].get(role) for role in CANDIDATES_OF}
    return [
        {
            **candidate_row(role, candidate),
            "key": f"{role} {candidate['id']}",
            "chosen": candidate["id"] == chosen[role],
        }
        for role, name in CANDIDATES_OF.items()
        for candidate in found[name]
    ]


TEMPLATE_COLUMNS = (
    Column("equation", "equation", show=lambda r: safe_text(r["equation"], "$foreground")),
    Column("problems", "problems", 9, "right"),
    Column("qr", "qr", 7, "right", show=lambda r: str(r["qr"] or "")),
    Column("roda", "roda", 7, "right", show=lambda r: str(r["roda"] or "")),
)


@dataclass(frozen=True, slots=True)
class Shown:
    """The triplet that is shown: of which set, how chosen, and what `mwp.explain` says of it."""

    set: str
    path: Path
    choice: Choice
    found: Mapping[str, Any]

    @property
    def anchor(self) -> str:
        return str(self.found["triplet"]["anchor"])

    @property
    def address(self) -> str:
        return f"{home(self.set, self.choice)}/{quoted(self.anchor)}"

    def command(self, line: CommandLine) -> str:
        return line("mwp", "explain", str(self.path), self.anchor, *self.choice.options)


def home(set_: str, choice: Choice) -> str:
    return triplet_home(set_, choice.name)


def triplet_selection(shown: Shown, line: CommandLine) -> Selection:
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
            lambda: "\n".join(f"{name}\t{plain_text(one)}" for name, one in shown.found["problems"].items()),
        ),
        Form("j", "JSON", lambda: json.dumps(shown.found, ensure_ascii=False)),
        Form("a", "command line of all triplets", lambda: everything),
    )
    return Selection(shown.address, f"triplet of {shown.anchor}", shown.command(line), forms)


def problem_selection(shown: Shown, name: str, line: CommandLine) -> Selection:
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
    forms = (
        Form("q", "equation", lambda: str(row["template"])),
        Form("j", "JSON", lambda: json.dumps({key: row[key] for key in row if key != "id"})),
    )
    command = line("mwp", "anchors", data, "--pool", pool)
    return Selection(f"problems/{quoted(name)}", f"problems {name}", command, forms)


def candidate_selection(shown: Shown, row: Mapping[str, Any], line: CommandLine) -> Selection:
    forms = (
        Form("i", "id", lambda: str(row["id"])),
        Form("t", "text", lambda: str(row["problem"])),
        Form("q", "equation", lambda: str(row["equation"])),
        Form("j", "JSON", lambda: json.dumps(dict(row), ensure_ascii=False)),
    )
    return Selection(shown.address, f"candidate {row['id']}", shown.command(line), forms)


def all_triplets(
    engine: EngineProcess, set_: str, path: Path, choice: Choice, facts: Mapping[str, object]
) -> Export:
    def write(file: Path) -> object:
        from workbench.export import with_sidecar

        engine.call_blocking("mwp.triplets", {**choice.params(path), "out": str(file)})
        return with_sidecar(file, {"problems": str(path), "choice": choice.name, **facts})

    return Export("a", "all triplets for training", ".jsonl", f"{set_}-{choice.name}", write)
