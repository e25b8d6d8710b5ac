"""How triplets are chosen, drawn, listed and copied."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.content import Content

from engines.core.tree import Tree, parse_prefix, walk_outline
from screens.shell.export import CommandLine, CopyForm, Export, PaneSelection, engine_writer, json_form
from screens.shell.theme import safe_text
from screens.widgets.dialogs import Chooser, number_choices
from screens.widgets.dialogs import MenuChoice as Line
from screens.widgets.table_columns import Record
from workbench.papers.mwp.tables import (
    CANDIDATES,
    CANDIDATES_OF,
    CHOSEN,
    candidate_row,
    choice_name,
    quote_part,
    triplet_home,
)
from workbench.tables import Column

if TYPE_CHECKING:
    from workbench.engine_process import EngineProcess


ProblemRecord = Mapping[str, Any]

# Operators of equations are binary; everything else is a leaf.
_OPERATORS = "+-*/^"
_PART = re.compile(r"(N_\d+)|([^\W\d_]+(?:'[^\W\d_]+)?)|(\d+(?:\.\d+)?)|(.)", re.DOTALL)
_PLACE = re.compile(r"N_(\d+)")
NUMBER, OTHER = "$accent bold", "$warning underline"


def _split_parts(text: str, language: str) -> list[str]:
    """Placeholders, words, signs; in Chinese every character is one."""
    # Chinese has no blanks between words.
    if language == "zh":
        return re.findall(r"N_\d+|[A-Za-z]+|.", text, re.DOTALL)
    return [match[0] for match in _PART.finditer(text)]


def _list_grams(parts: Sequence[str], language: str) -> set[tuple[str, ...]]:
    """Return words, or in Chinese pairs of neighbours."""
    if language == "zh":
        return set(pairwise(parts))
    return {(part.casefold(),) for part in parts}


def mark_differences(problem: ProblemRecord, other: ProblemRecord | None) -> Content:
    """Return a problem's text with its numbers filled in, and the words marked that `other` lacks."""
    language = problem["language"]
    parts = _split_parts(problem["text"], language)
    known = _list_grams(_split_parts(other["text"], language), language) if other is not None else None
    shown: list[Content] = []
    for index, part in enumerate(parts):
        if match := _PLACE.fullmatch(part):
            shown.append(safe_text(f"⟨{_number_text(problem, int(match[1]))}⟩", NUMBER))
        elif (
            known is not None and any(map(str.isalnum, part)) and not _is_known(known, parts, index, language)
        ):
            shown.append(safe_text(part, OTHER))
        else:
            shown.append(safe_text(part))
    return Content("").join(shown)


def _is_known(known: set[tuple[str, ...]], parts: Sequence[str], index: int, language: str) -> bool:
    if language != "zh":
        return (parts[index].casefold(),) in known
    # A character is known if either of its pairs is.
    return any(tuple(parts[at : at + 2]) in known for at in (index - 1, index) if at >= 0)


def plain_text(problem: ProblemRecord) -> str:
    """Return a problem's text with its numbers filled in."""
    return " ".join(_PLACE.sub(lambda match: _number_text(problem, int(match[1])), problem["text"]).split())


def _number_text(problem: ProblemRecord, position: int) -> str:
    numbers = problem["numbers"]
    return str(numbers[position]) if position < len(numbers) else f"N_{position}"


def tree_of(labels: Sequence[str]) -> Tree:
    """Return the tree of an equation in prefix notation."""
    return parse_prefix(labels, lambda label: 2 if label in _OPERATORS else 0)


def format_leaf(label: str, problem: ProblemRecord | None) -> str:
    """Format a leaf with its number, `N_0=7`; a constant as its value."""
    if match := _PLACE.fullmatch(label):
        return f"{label}={_number_text(problem, int(match[1]))}" if problem is not None else label
    return label.removeprefix("C_").replace("_", ".") if label.startswith("C_") else label


def tree_drawing(labels: Sequence[str], problem: ProblemRecord | None) -> list[str]:
    """Draw an equation as a tree, with operators over leaves in one line."""

    def get_children(node: Tree) -> Sequence[Tree]:
        return node.children if any(child.children for child in node.children) else ()

    def node_words(node: Tree) -> str:
        if get_children(node) or not node.children:
            return format_leaf(node.label, problem)
        return "  ".join([node.label, *(format_leaf(child.label, problem) for child in node.children)])

    return [lead + node_words(node) for lead, node in walk_outline(tree_of(labels), get_children)]


def node_lines(tree: Tree) -> list[str]:
    """Draw a tree with one node in each line."""
    return [
        lead + format_leaf(node.label, None) for lead, node in walk_outline(tree, lambda node: node.children)
    ]


def grow_tree(tree: Tree, problem: ProblemRecord, steps: int | None = None) -> Content:
    """Draw a tree after some steps of its solution.

    Steps go from the operands upwards, left to right, equal ones once, as `mwp.solve` lists them. The last
    step is lit, and a dot stands for each later one.

    Args:
        tree: the equation.
        problem: gives the numbers.
        steps: how many steps; None for all.
    """
    reached: dict[Tree, int] = {}
    # The number of the step that computes each operator; equal ones are computed once.
    _number_steps(tree, reached)
    lines = []
    for lead, node in walk_outline(tree, lambda node: node.children):
        step = reached.get(node, 0)
        if steps is not None and step > steps:
            lines.append(Content.assemble((lead, "$quiet"), ("·", "$quiet")))
        else:
            style = "$accent bold" if step and step == steps else ""
            lines.append(
                Content.assemble((lead, "$quiet"), safe_text(format_leaf(node.label, problem), style))
            )
    return Content("\n").join(lines)


def _number_steps(node: Tree, reached: dict[Tree, int]) -> None:
    for child in node.children:
        _number_steps(child, reached)
    if node.children:
        reached.setdefault(node, len(reached) + 1)


def align_edits(edits: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return edits in the order of both trees, with insertions where they belong."""
    # Insertions by their place in the right tree.
    inserted = {edit["right"]: edit for edit in edits if edit["kind"] == "insert"}
    results: list[Mapping[str, Any]] = []
    due = 0
    for edit in edits:
        if edit["kind"] == "insert":
            continue
        # Insertions that come before this node on the right are due now.
        if edit["right"] is not None:
            results += [inserted.pop(index) for index in range(due, edit["right"]) if index in inserted]
            due = edit["right"] + 1
        results.append(edit)
    return [*results, *(inserted[position] for position in sorted(inserted))]


STRATEGIES: Mapping[str, str] = {
    "em": "exact match: same equation, and the nearest other one",
    "nn": "nearest neighbour: the nearest equation, and the next one",
    "joint": "equation and text scored together over the whole pool",
}
TEXTS: Mapping[str, str] = {
    "bibleu": "texts compared by Bi-BLEU",
    "bertsim": "texts compared by sentence vectors",
    "random": "any text",
}
POOLS = ("train", "train,qr", "train,roda", "train,qr,roda")


@dataclass(frozen=True, slots=True)
class TripletChoice:
    """A way to choose triplets: a strategy, a text similarity and a pool."""

    strategy: str = "em"
    text: str = "bibleu"
    pool: str = "train"

    @classmethod
    def from_name(cls, name: str) -> TripletChoice | None:
        """Return the choice with a name such as `nn-bibleu-train+qr`, or None."""
        strategy, _, rest = name.partition("-")
        text, _, pool = rest.partition("-")
        result = cls(strategy, text, pool.replace("+", ","))
        known = replace(result, pool="train") in list_choices(bertsim=True) and result.pool in POOLS
        return result if known else None

    @property
    def name(self) -> str:
        """The choice as one word: `em-bibleu-train+qr`."""
        return choice_name(self.strategy, self.text, self.pool)

    @property
    def short(self) -> str:
        """Return the choice in two words, for headings."""
        return f"{self.strategy} · {self.text}"

    @property
    def words(self) -> str:
        """Return the choice in a sentence."""
        return f"{STRATEGIES[self.strategy]}; {TEXTS[self.text]}"

    def to_params(self, path: Path) -> dict[str, Any]:
        """Return the parameters of operations on the problems at `path`."""
        return {"data": str(path), "strategy": self.strategy, "text": self.text, "pool": self.pool}

    @property
    def options(self) -> list[str]:
        """Return the options that name the choice on a command line."""
        return ["--strategy", self.strategy, "--text", self.text, "--pool", self.pool]

    def next_choice(self, *, bertsim: bool) -> TripletChoice:
        """Return the next choice with the same pool; `bertsim` tells whether a model compares texts."""
        known = list_choices(bertsim=bertsim)
        here = replace(self, pool="train")
        position = known.index(here) if here in known else -1
        return replace(known[(position + 1) % len(known)], pool=self.pool)


def list_choices(*, bertsim: bool) -> list[TripletChoice]:
    """Return all choices that make sense, on the training problems; a joint choice is never random."""
    texts = [text for text in TEXTS if bertsim or text != "bertsim"]
    return [
        TripletChoice(strategy, text)
        for text in texts
        for strategy in STRATEGIES
        if (strategy, text) != ("joint", "random")
    ]


def list_offers(now: TripletChoice, *, bertsim: bool) -> dict[str, tuple[TripletChoice, str, str]]:
    """Return the alternatives by name: the choice, its short name, and its meaning."""
    result = {}
    for way in (replace(one, pool=now.pool) for one in list_choices(bertsim=bertsim)):
        result[way.name] = way, way.short, way.words + ("   shown now" if way == now else "")
    for way in (replace(now, pool=pool) for pool in POOLS if pool != now.pool):
        words = "the same choice, from these problems and their variants"
        result[way.name] = way, f"pool {way.pool}", words
    return result


def ask_choice(
    app: App[Any], now: TripletChoice, *, bertsim: bool, done: Callable[[TripletChoice], None]
) -> None:
    """Let the user choose how triplets are chosen."""
    ways = list_offers(now, bertsim=bertsim)
    lines = number_choices(Line(name, short, words) for name, (_, short, words) in ways.items())
    Chooser("choose triplets by", lines, now=now.name).ask(app, lambda name: done(ways[name][0]))


def ask_label(app: App[Any], anchor: str, now: str, done: Callable[[str], None]) -> None:
    """Ask what is wrong with an anchor's triplet; an empty answer removes the label `now`."""
    from workbench.papers.mwp.data import LABELS

    lines = [Line(name, name, words, key=name[0]) for name, words in LABELS.items()]
    if now:
        lines.append(Line("-", "no label", f"take {now} back", key="-"))
    title = f"what is wrong with the triplet of {anchor}?"
    Chooser(title, lines).ask(app, lambda name: done("" if name == "-" else name))


def format_figure(value: float | None) -> str:
    """Format a similarity: `.41`, `1.00`, `−.08`."""
    if value is None:
        return ""
    text = f"{abs(value):.2f}"
    return ("−" if round(value, 2) < 0 else "") + (text[1:] if text.startswith("0.") else text)


def _margin_cell(record: Record) -> Content:
    value = record["margin"]
    if value is None:
        return Content()
    return Content.styled(format_figure(value), "$success" if value > 0 else "$quiet")


def _sign_cell(record: Record) -> Content:
    if record["label"]:
        return Content.styled("✗", "$error")
    if record["moved"]:
        return Content.styled(record["moved"], "$accent")
    return Content.styled("1", "$quiet") if record["alone"] else Content()


ANCHOR_COLUMNS = CHOSEN.screen_columns(
    template=lambda record: safe_text(record["template"], "$foreground"),
    margin=_margin_cell,
    moved=_sign_cell,
)


def anchor_records(
    anchors: Sequence[Record],
    triplets: Mapping[str, Record] | None,
    before: Mapping[str, Record] | None,
    labels: Mapping[str, str],
) -> list[dict[str, Any]]:
    """Return the rows of the anchors, with their triplets as far as they are known.

    Args:
        anchors: the anchors.
        triplets: the triplets, by anchor.
        before: the triplets of the previous choice; `moved` is `p` for another positive and `n` for another
            negative.
        labels: the user's labels, by anchor.
    """
    result = []
    for anchor in anchors:
        id_ = anchor["id"]
        triplet = (triplets or {}).get(id_)
        old = (before or {}).get(id_)
        moved = ""
        if triplet is not None and old is not None:
            # The first letters, `p` and `n`, in the order of the columns.
            moved = "".join(name[0] for name in ("positive", "negative") if triplet[name] != old[name])
        row = {**anchor, "alone": "yes" if anchor["like"] == 1 else "", "moved": moved}
        row |= {"label": labels.get(id_, ""), "margin": None, "eq": None}
        row |= {name: triplet[name] if triplet else None for name in ("positive", "negative", "strategy")}
        if triplet:
            row["margin"] = triplet["text_sim_negative"] - triplet["text_sim_positive"]
            row["eq"] = triplet["eq_sim_negative"]
        result.append(row)
    return result


_STYLES = {"positive": "$success", "negative": "$warning", "lost": "$quiet", "own": "$accent"}


def _role_cell(record: Record) -> Content:
    sign = "▸" if record["chosen"] else " "
    return Content.assemble((sign, "$accent bold"), (record["as"], _STYLES[record["as"]]))


CANDIDATE_COLUMNS = CANDIDATES.screen_columns(
    **{"as": _role_cell},
    text=lambda record: format_figure(record["text"]),
    eq=lambda record: format_figure(record["eq"]),
    why=lambda record: safe_text("" if record["chosen"] or record["again"] else record["why"], "$quiet"),
    problem=lambda record: safe_text(record["problem"], "$foreground"),
)


def candidate_records(explanation: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of the candidates; `again` marks those with the same reason as the row before."""
    records: list[dict[str, Any]] = []
    for role, name in CANDIDATES_OF.items():
        for candidate in explanation[name]:
            row = candidate_row(role, candidate)
            # The reason is shown once for a group of candidates.
            again = bool(records) and (role, row["why"]) == (records[-1]["role"], records[-1]["why"])
            chosen = candidate["id"] == explanation["triplet"].get(role)
            key = f"{role} {candidate['id']}"
            records.append({**row, "role": role, "again": again, "key": key, "chosen": chosen})
    return records


TEMPLATE_COLUMNS = (
    Column("equation", "equation", show=lambda r: safe_text(r["equation"], "$foreground")),
    Column("problems", "problems", 9, "right"),
    Column("qr", "qr", 7, "right", show=lambda r: str(r["qr"] or "")),
    Column("roda", "roda", 7, "right", show=lambda r: str(r["roda"] or "")),
)


@dataclass(frozen=True, slots=True)
class ShownTriplet:
    """The triplet that is shown: its set, how it was chosen, and the answer of `mwp.explain`."""

    set: str
    path: Path
    choice: TripletChoice
    found: Mapping[str, Any]

    @property
    def anchor(self) -> str:
        """Return the id of the anchor problem."""
        return str(self.found["triplet"]["anchor"])

    @property
    def address(self) -> str:
        """Return the address of the triplet, under which notes and bookmarks are stored."""
        return f"{note_prefix(self.set, self.choice)}/{quote_part(self.anchor)}"

    def command_text(self, line: CommandLine) -> str:
        """Return the command line that explains the triplet."""
        return line("mwp", "explain", str(self.path), self.anchor, *self.choice.options)


def note_prefix(set_: str, choice: TripletChoice) -> str:
    """Return the prefix of the notes on triplets of a set."""
    return triplet_home(set_, choice.name)


def triplet_selection(shown: ShownTriplet, line: CommandLine) -> PaneSelection:
    """Return a triplet as a selection."""
    triplet = shown.found["triplet"]
    everything = line("mwp", "triplets", str(shown.path), *shown.choice.options)
    problems = shown.found["problems"]
    ids = lambda: "\t".join(str(triplet[name]) for name in ("anchor", "positive", "negative"))  # noqa: E731
    texts = lambda: "\n".join(f"{name}\t{plain_text(one)}" for name, one in problems.items())  # noqa: E731
    forms = (
        CopyForm("t", "line of the triplet", lambda: json.dumps(triplet, ensure_ascii=False)),
        CopyForm("i", "ids", ids),
        CopyForm("x", "texts", texts),
        json_form(lambda: shown.found),
        CopyForm("a", "command line of all triplets", lambda: everything),
    )
    about = partial(str, problems["anchor"]["original"])
    return PaneSelection(shown.address, f"triplet of {shown.anchor}", shown.command_text(line), forms, about)


def problem_selection(shown: ShownTriplet, name: str, line: CommandLine) -> PaneSelection:
    """Return a problem of a triplet as a selection."""
    problem = shown.found["problems"][name]
    forms = (
        CopyForm("t", "text", lambda: str(problem["original"])),
        CopyForm("q", "equation", lambda: str(problem["equation"])),
        CopyForm("p", "prefix", lambda: " ".join(problem["prefix"])),
        CopyForm("i", "id", lambda: str(problem["id"])),
        json_form(lambda: problem),
    )
    about = partial(str, problem["original"])
    return PaneSelection(shown.address, f"{name} {problem['id']}", shown.command_text(line), forms, about)


def template_selection(
    row: Mapping[str, Any], name: str, data: str, pool: str, line: CommandLine
) -> PaneSelection:
    """Return an equation of the pool as a selection."""
    forms = (
        CopyForm("q", "equation", lambda: str(row["template"])),
        json_form(lambda: {key: row[key] for key in row if key != "id"}),
    )
    command = line("mwp", "anchors", data, "--pool", pool)
    return PaneSelection(f"problems/{quote_part(name)}", f"problems {name}", command, forms)


def candidate_selection(shown: ShownTriplet, row: Mapping[str, Any], line: CommandLine) -> PaneSelection:
    """Return a candidate as a selection."""
    forms = (
        CopyForm("i", "id", lambda: str(row["id"])),
        CopyForm("t", "text", lambda: str(row["problem"])),
        CopyForm("q", "equation", lambda: str(row["equation"])),
        json_form(lambda: dict(row)),
    )
    return PaneSelection(shown.address, f"candidate {row['id']}", shown.command_text(line), forms)


def all_triplets(
    engine: EngineProcess, set_: str, path: Path, choice: TripletChoice, facts: Mapping[str, object]
) -> Export:
    """Return the export of all triplets of a choice."""
    made = {"problems": str(path), "choice": choice.name, **facts}
    write = engine_writer(engine, "mwp.triplets", choice.to_params(path), made)
    return Export("a", "all triplets for training", ".jsonl", f"{set_}-{choice.name}", write)
