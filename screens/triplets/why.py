"""The lower pane: why this triplet, what changed with the strategy, who lost, and what the pool holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from textual import events, on
from textual.content import Content
from textual.widgets import Static

from screens.shell.export import CommandLine, Export, Selection, exported
from screens.shell.theme import count, safe_text
from screens.triplets.choice import Choice
from screens.triplets.columns import (
    CANDIDATE_COLUMNS,
    TEMPLATE_COLUMNS,
    Shown,
    candidate_records,
    candidate_selection,
    figure,
    template_selection,
)
from screens.widgets.listing import Listing
from screens.widgets.pane import Page, Pane
from screens.widgets.table import Record, Rows, Table
from workbench.papers.mwp.tables import CANDIDATES

_ROOMY = 14
"""With so many lines there is room for reasons that wrap; a lower pane keeps its lines for candidates."""


class WhyPane(Pane):
    """Shows the candidates of the triplet, and the statistics of the pool; `AskedFor` names an equation whose
    anchors are to be listed."""

    DEFAULT_CSS = """
    WhyPane #reasons { height: auto; max-height: 4; padding: 0 1; }
    WhyPane #pool-words { height: auto; max-height: 3; padding: 0 1; color: $quiet; }
    """

    def __init__(self, *, id: str) -> None:
        none = ("No triplet is shown", "")
        self._reasons = Static(id="reasons")
        self._pool_words = Static(id="pool-words")
        self._candidates = Listing(
            CANDIDATE_COLUMNS, id="candidates", fields=CANDIDATES.fields, counts=False, empty=none
        )
        self._templates = Listing(TEMPLATE_COLUMNS, id="templates", counts=False, empty=("No equations", ""))
        super().__init__(
            Page("why", self._reasons, self._candidates, id="why-page"),
            Page("pool", id="pool-page", make=lambda: (self._pool_words, self._templates)),
            title="why",
            id=id,
        )
        self.shown: Shown | None = None
        self._change = Content()
        self._pool: Mapping[str, Any] | None = None
        self._set_name = ""

    # What is shown

    def show(self, shown: Shown | None, before: Shown | None = None) -> None:
        """Show why; `before` is the same anchor's triplet by the choice before."""
        self.shown = shown
        self._change = Content() if shown is None or before is None else change_words(before, shown)
        self._tell()
        if self.is_attached:
            records = candidate_records(shown.found) if shown is not None else []
            self._candidates.load(Rows(records, "key"), keep=False)
            self._candidates.table.cursor = 0

    def show_pool(self, name: str, pool: Mapping[str, Any] | None) -> None:
        self._set_name, self._pool = name, pool
        self._fill_pool()

    @on(Pane.PageShown)
    def _page_shown(self, event: Pane.PageShown) -> None:
        event.stop()
        self._fill_pool()

    def _fill_pool(self) -> None:
        if not self._templates.is_attached:
            return
        pool = self._pool
        rows = () if pool is None else pool["templates"]
        self._templates.load(
            [
                {"id": row["template"], "equation": row["template"], "problems": row["count"], **row}
                for row in rows
            ]
        )
        self._pool_words.update("" if pool is None else safe_text(pool_words(pool), "$quiet"))

    def on_resize(self, event: events.Resize) -> None:  # noqa: ARG002
        self._tell()

    def _tell(self) -> None:
        shown = self.shown
        if shown is None:
            self.detail = ""
            self._reasons.update("")
            return
        self.detail = f"{shown.choice.short} · pool {shown.choice.pool}"
        lines = [
            _reason(shown.found, role, random=shown.choice.text == "random")
            for role in ("negative", "positive")
        ]
        if self._change.plain:
            lines.insert(0, self._change)
        if self.size.height < _ROOMY:
            cells = max(8, self.size.width - 4)
            lines = [line.truncate(cells, ellipsis=True) for line in lines]
        self._reasons.update(Content("\n").join(lines))

    @on(Table.Opened)
    def _opened(self, event: Table.Opened) -> None:
        event.stop()
        if event.table is self._templates.table:
            self.post_message(self.AskedFor(self, event.table.current_key or ""))
        else:
            self.post_message(self.Opened(self))

    @property
    def candidate(self) -> Record | None:
        return self._candidates.table.current if self.page_name == "why" else None

    # What the screen asks

    def selection(self, line: CommandLine) -> Selection | None:
        if self._pool is not None and self.page_name == "pool":
            template = self._templates.table.current
            if template is None:
                return None
            parts = ",".join(self._pool["pool"])
            return template_selection(template, self._set_name, str(self._pool["data"]), parts, line)
        row = self.candidate
        return None if row is None or self.shown is None else candidate_selection(self.shown, row, line)

    def exports(self) -> Sequence[Export]:
        shown = self.shown
        if shown is None:
            return ()
        return exported(
            CANDIDATES,
            f"candidates of {shown.anchor}",
            f"{shown.set}-{shown.choice.name}-candidates",
            {".csv": "C", ".jsonl": "J"},
            self._candidates.table.visible_records,
            {"problems": str(shown.path), "anchor": shown.anchor, "choice": shown.choice.name},
        )

    def legend(self) -> Sequence[tuple[str, str]]:
        return (
            ("▸", "chosen"),
            ("lost", "similar text, but not a candidate in this strategy"),
            ("own", "made from the anchor itself"),
        )


def pool_words(pool: Mapping[str, Any]) -> str:
    """`152 anchors; pool 152 train, 140 qr; 30 equations, 2 of one problem only; 1 unusable`."""
    parts = ", ".join(f"{count(number)} {part}" for part, number in pool["pool"].items())
    alone = sum(row["count"] == 1 for row in pool["templates"])
    words = f"{count(len(pool['anchors']))} anchors; pool {parts}; {count(len(pool['templates']))} equations"
    words += f", {count(alone)} of one problem only" if alone else ""
    return words + (f"; {count(pool['unusable'])} rows without a usable equation" if pool["unusable"] else "")


def provenance(path: Path, pool: Mapping[str, Any], choice: Choice, labels: int) -> list[str]:
    languages = ", ".join(f"{count(number)} {name}" for name, number in pool["languages"].items())
    return [
        f"file        {path}",
        f"problems    {pool_words(pool)}",
        f"languages   {languages}",
        f"choice      {choice.name}: {choice.words}",
        f"labels      {count(labels)} in this workspace",
        f"what was skipped, and why: mathwb mwp problems {path}",
    ]


def _reason(found: Mapping[str, Any], role: str, *, random: bool) -> Content:
    """`negative 0099  nearest other equation, text most similar to the anchor's  next 0123 .43`."""
    first, *rest = found[f"{role}s"]
    words = [(f"{role} ", "$quiet"), (str(first["id"]), "bold"), ("  " + first["reason"], "")]
    if rest and not random:
        words.append((f"; next {rest[0]['id']} {figure(rest[0]['text_sim'])}", "$quiet"))
    return Content("").join(safe_text(text, look) for text, look in words)


def change_words(before: Shown, now: Shown) -> Content:
    """What another choice changed: `em · bibleu → nn · bibleu: negative 9 → 12 (text .44 → .52)`."""
    old, new = before.found["triplet"], now.found["triplet"]
    said = []
    for role in ("positive", "negative"):
        if old[role] == new[role]:
            said.append(f"{role} the same")
            continue
        figures = ", ".join(
            f"{kind} {figure(old[f'{kind}_sim_{role}'])} → {figure(new[f'{kind}_sim_{role}'])}"
            for kind in ("text", "eq")
        )
        said.append(f"{role} {old[role]} → {new[role]} ({figures})")
    return safe_text(
        f"{_name(before.choice, now.choice)} → {_name(now.choice, before.choice)}: " + "; ".join(said),
        "$accent",
    )


def _name(choice: Choice, other: Choice) -> str:
    return choice.short if choice.pool == other.pool else f"{choice.short} · {choice.pool}"
