"""The panes: problems of a set, the three problems of a triplet, and below them why it was chosen."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from engines.core.errors import EngineError
from screens.shell.export import CommandLine, Destination, Export, Lookup, PaneSelection, declared_exports
from screens.shell.keymap import TEXT_KEYS, bindings
from screens.shell.theme import format_count, safe_text
from screens.triplets.columns import (
    ANCHOR_COLUMNS,
    CANDIDATE_COLUMNS,
    TEMPLATE_COLUMNS,
    ShownTriplet,
    TripletChoice,
    candidate_records,
    candidate_selection,
    format_figure,
    mark_differences,
    note_prefix,
    problem_selection,
    template_selection,
    tree_drawing,
    triplet_selection,
)
from screens.widgets.listing import Listing, failure_content
from screens.widgets.pane import ListPane, Page, Pane
from screens.widgets.reader import Moving
from screens.widgets.table import Table, TableRows
from screens.widgets.table_columns import Record
from workbench.papers.mwp.tables import CANDIDATES, CHOSEN
from workbench.workspace import Workspace


def destinations(workspace: Workspace) -> Iterator[Destination]:
    """Return the sets, and the problems of those in the workspace by id and text.

    Registered files can be large and of any format: their problems are found on the screen.
    """
    from workbench.papers.mwp.data import list_sets, own_folders

    # Files of the workspace are small and in our own format; others are only named here.
    own = set(own_folders(workspace))
    for name, path in list_sets(workspace).items():
        home = ("problems", name)
        yield Destination((home,), "a set of math word problems")
        for line in path.read_text("utf-8", "replace").splitlines() if path.parent in own else ():
            with suppress(ValueError, KeyError, TypeError, AttributeError):  # the screen says what is wrong
                row = json.loads(line)
                words = f"problem: {row.get('original') or row['text']}"
                yield Destination((home, ("triplet", str(row["id"]))), words)


class AnchorsPane(ListPane):
    """The left pane: the anchors of a set."""

    NONE = (
        "No problems yet: word problems appear here, each with its triplet",
        "mathwb data add problems FILE registers yours\n"
        "a  solve one now: Tom has 3 pens and 4 cups. How many things does he have?",
    )
    LEGEND = (
        ("margin", "text similarity to the negative minus that to the positive; larger is harder"),
        ("✗", "labelled as a bad triplet"),
        ("p n", "the positive or negative differs from the previous choice's"),
        ("1", "the only problem with its equation"),
    )

    def __init__(self, *, id: str) -> None:
        super().__init__(Listing(ANCHOR_COLUMNS, id="anchors", fields=CHOSEN.fields), title="anchors", id=id)
        self.shown: ShownTriplet | None = None
        """The triplet of the anchor under the cursor, once it is there."""
        self._stem = "triplets"

    def show_anchors(self, name: str, choice: TripletChoice, records: Sequence[Record]) -> None:
        """Show the anchors with their triplets."""
        self._stem = name
        self.listing.home = note_prefix(name, choice)
        self.listing.when_empty("No problem has an equation", "i shows what was skipped.")
        self.listing.load(records, keep=True)

    @property
    def anchor_id(self) -> str:
        """Return the id of the problem under the cursor, or an empty string."""
        return self.table.current_key or ""

    def why_not(self, verb: str) -> str:
        return "there is no problem" if verb == "open" and not self.anchor_id else super().why_not(verb)

    def selection(self, line: CommandLine) -> PaneSelection | None:
        return None if self.shown is None else triplet_selection(self.shown, line)

    def exports(self) -> Sequence[Export]:
        if not len(self.table.rows):
            return ()
        keys, facts = {".csv": "c", ".tex": "t"}, {"filter": self.listing.query_text}
        stem, rows = f"{self._stem}-triplets", self.table.visible_records
        return declared_exports(CHOSEN, "list of triplets", stem, keys, rows, facts)

    def lookups(self) -> Sequence[Lookup]:
        return (Lookup("triplet", "Go to the triplet of a problem by its id.", self.listing.go_to),)


_MOVES = ("down", "up", "top", "bottom", "half_down", "half_up")


class ProblemScroll(VerticalScroll, Moving, can_focus=True, inherit_bindings=False):
    """What is too long is scrolled by the keys of every text."""

    BINDINGS: ClassVar[list[BindingType]] = bindings([key for key in TEXT_KEYS if key.verb in _MOVES])
    DEFAULT_CSS = (
        "ProblemScroll { padding: 0 1; scrollbar-size-vertical: 1; } ProblemScroll Static { height: auto; }"
    )


class ProblemPane(Pane):
    """A problem of the triplet."""

    DEFAULT_CSS = "ProblemPane .scores { height: 2; padding: 0 1; color: $quiet; }"

    LEGEND = (
        ("⟨7⟩", "a number of the problem: N_0 is the first, N_1 the second"),
        ("eq", "similarity of its equation to the anchor's; 1: equal"),
        ("text", "similarity of its text to the anchor's; 1: equal"),
    )

    def __init__(self, role: str, *, id: str) -> None:
        super().__init__(title=role, id=id)
        self.role = role
        self.shown: ShownTriplet | None = None
        self._scores = Static(classes="scores")
        self._body = Static()

    def compose(self) -> ComposeResult:
        yield self._scores
        yield ProblemScroll(self._body)
        yield from super().compose()

    def show_triplet(self, shown: ShownTriplet | None) -> None:
        """Show the problem of a triplet; None for none."""
        self.shown = shown
        if shown is None:
            self.detail = ""
            self._scores.update("")
            self._body.update("")
            return
        problems = shown.found["problems"]
        problem = problems[self.role]
        self.detail = str(problem["id"])
        # The anchor against its negative, which it is most easily taken for.
        other = problems["negative" if self.role == "anchor" else "anchor"]
        self._scores.update(_score_content(self.role, shown.found, random=shown.choice.text == "random"))
        self._body.update(_problem_content(problem, other))

    def show_error(self, error: EngineError) -> None:
        """Show the error in place of the problem."""
        self.show_triplet(None)
        self._body.update(failure_content(self, error))

    def why_not(self, verb: str) -> str:
        return "no triplet is shown" if verb == "open" and self.shown is None else super().why_not(verb)

    def selection(self, line: CommandLine) -> PaneSelection | None:
        return None if self.shown is None else problem_selection(self.shown, self.role, line)


def _count_alike(count: int) -> str:
    if not count:
        return "the only problem with this equation"
    return f"{format_count(count)} other {'problem' if count == 1 else 'problems'} with this equation"


def _score_content(role: str, explanation: Mapping[str, Any], *, random: bool) -> Content:
    triplet, problems = explanation["triplet"], explanation["problems"]
    if role == "anchor":
        # An anchor that is alone gets itself as its positive, which is no other problem.
        same = explanation["positive_count"] if not triplet["alone"] else 0
        words = _count_alike(same)
        return safe_text(words, "$quiet")
    if problems[role]["id"] == triplet["anchor"]:
        return Content.styled("the anchor itself", "$warning")
    equation, text = (format_figure(triplet[f"{kind}_sim_{role}"]) for kind in ("eq", "text"))
    best = "lowest" if role == "positive" else "best" if triplet["strategy"] == "joint" else "highest"
    best = "one" if random else best
    many = f"\n{best} of {format_count(explanation[f'{role}_count'])}"
    style = "$success bold" if role == "positive" else "$warning bold"
    return Content.assemble("eq ", (equation, "bold"), "  text ", (text, style), (many, "$quiet"))


def _problem_content(problem: Mapping[str, Any], other: Mapping[str, Any]) -> Content:
    answer = problem["answer"]
    lines = [
        mark_differences(problem, other),
        Content(),
        safe_text(f"{problem['equation']} = {'?' if answer is None else f'{answer:.10g}'}", "bold"),
        *(safe_text(line) for line in tree_drawing(problem["normal"], problem)),
    ]
    if problem["source"]:
        lines += [Content(), safe_text(f"from {problem['source']}", "$quiet")]
    return Content("\n").join(lines)


_ROOMY = 14
"""With so many lines there is room for reasons that wrap; a lower pane keeps its lines for candidates."""


class WhyPane(Pane):
    """The candidates of a triplet, and statistics of the pool.

    `AskedFor` is posted with an equation to list its anchors.
    """

    DEFAULT_CSS = """
    WhyPane #reasons { height: auto; max-height: 4; padding: 0 1; }
    WhyPane #pool-words { height: auto; max-height: 3; padding: 0 1; color: $quiet; }
    """
    LEGEND = (
        ("▸", "chosen"),
        ("lost", "similar text, but not a candidate in this strategy"),
        ("own", "made from the anchor itself"),
    )

    def __init__(self, *, id: str) -> None:
        advice = "C chooses in another way, and the triplet changes at once."
        none = "This pane shows why a triplet was chosen", advice
        self._reasons = Static(id="reasons")
        self._pool_words = Static(id="pool-words")
        self._candidates = Listing(CANDIDATE_COLUMNS, id="candidates", fields=CANDIDATES.fields, empty=none)
        self._templates = Listing(TEMPLATE_COLUMNS, id="templates", empty=("No equations", ""))
        super().__init__(
            Page("why", self._reasons, self._candidates, id="why-page"),
            Page("pool", id="pool-page", make=lambda: (self._pool_words, self._templates)),
            title="why",
            id=id,
        )
        self.shown: ShownTriplet | None = None
        self._change = Content()
        self._pool: Mapping[str, Any] | None = None
        self._set_name = ""

    # What is shown

    def show_triplet(self, shown: ShownTriplet | None, before: ShownTriplet | None = None) -> None:
        """Show why a triplet was chosen; `before` is the anchor's triplet by the previous choice."""
        self.shown = shown
        self._change = Content() if shown is None or before is None else change_words(before, shown)
        self._show_reasons()
        if self.is_attached:
            records = candidate_records(shown.found) if shown is not None else []
            self._candidates.load(TableRows(records, "key"), keep=False)
            self._candidates.table.cursor = 0

    def show_pool(self, name: str, pool: Mapping[str, Any] | None) -> None:
        """Show the statistics of a pool."""
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

    def on_resize(self) -> None:
        self._show_reasons()

    def _show_reasons(self) -> None:
        shown = self.shown
        if shown is None:
            self.detail = ""
            self._reasons.update("")
            return
        self.detail = f"{shown.choice.short} · pool {shown.choice.pool}"
        lines = [
            _reason_content(shown.found, role, random=shown.choice.text == "random")
            for role in ("negative", "positive")
        ]
        if self._change.plain:
            lines.insert(0, self._change)
        # In a low pane each reason is one line.
        if self.size.height < _ROOMY:
            cells = max(8, self.size.width - 4)
            lines = [line.truncate(cells, ellipsis=True) for line in lines]
        self._reasons.update(Content("\n").join(lines))

    @on(Table.Opened)
    def _report_opened(self, event: Table.Opened) -> None:
        event.stop()
        if event.table is self._templates.table:
            self.post_message(self.AskedFor(self, event.table.current_key or ""))
        else:
            self.post_message(self.Opened(self))

    @property
    def candidate(self) -> Record | None:
        """Return the candidate under the cursor, or None on other pages."""
        return self._candidates.table.current if self.page_name == "why" else None

    # What the screen asks

    def selection(self, line: CommandLine) -> PaneSelection | None:
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
        what, stem = f"candidates of {shown.anchor}", f"{shown.set}-{shown.choice.name}-candidates"
        facts = {"problems": str(shown.path), "anchor": shown.anchor, "choice": shown.choice.name}
        rows = self._candidates.table.visible_records
        return declared_exports(CANDIDATES, what, stem, {".csv": "C", ".jsonl": "J"}, rows, facts)


def pool_words(pool: Mapping[str, Any]) -> str:
    """Describe a pool: `152 anchors; pool 152 train, 140 qr; 30 equations, 2 of one problem only`."""
    parts = ", ".join(f"{format_count(number)} {part}" for part, number in pool["pool"].items())
    alone = sum(row["count"] == 1 for row in pool["templates"])
    anchors, equations = format_count(len(pool["anchors"])), format_count(len(pool["templates"]))
    words = f"{anchors} anchors; pool {parts}; {equations} equations"
    words += f", {format_count(alone)} of one problem only" if alone else ""
    return words + (
        f"; {format_count(pool['unusable'])} rows without a usable equation" if pool["unusable"] else ""
    )


def provenance_lines(path: Path, pool: Mapping[str, Any], choice: TripletChoice, labels: int) -> list[str]:
    """Describe where the problems come from."""
    languages = ", ".join(f"{format_count(number)} {name}" for name, number in pool["languages"].items())
    return [
        f"file        {path}",
        f"problems    {pool_words(pool)}",
        f"languages   {languages}",
        f"choice      {choice.name}: {choice.words}",
        f"labels      {format_count(labels)} in this workspace",
        f"what was skipped, and why: mathwb mwp problems {path}",
    ]


def _reason_content(explanation: Mapping[str, Any], role: str, *, random: bool) -> Content:
    """`negative 0099  nearest other equation, text most similar to the anchor's  next 0123 .43`."""
    first, *rest = explanation[f"{role}s"]
    words = [(f"{role} ", "$quiet"), (str(first["id"]), "bold"), ("  " + first["reason"], "")]
    if rest and not random:
        words.append((f"; next {rest[0]['id']} {format_figure(rest[0]['text_sim'])}", "$quiet"))
    return Content("").join(safe_text(text, style) for text, style in words)


def change_words(before: ShownTriplet, now: ShownTriplet) -> Content:
    """Describe what another choice changed: `em · bibleu → nn · bibleu: negative 9 → 12 (text .44 → .52)`."""
    old, new = before.found["triplet"], now.found["triplet"]
    said = []
    for role in ("positive", "negative"):
        if old[role] == new[role]:
            said.append(f"{role} the same")
            continue
        figures = ", ".join(
            f"{kind} {format_figure(old[f'{kind}_sim_{role}'])} → {format_figure(new[f'{kind}_sim_{role}'])}"
            for kind in ("text", "eq")
        )
        said.append(f"{role} {old[role]} → {new[role]} ({figures})")
    return safe_text(
        f"{_choice_label(before.choice, now.choice)} → {_choice_label(now.choice, before.choice)}: "
        + "; ".join(said),
        "$accent",
    )


def _choice_label(choice: TripletChoice, other: TripletChoice) -> str:
    return choice.short if choice.pool == other.pool else f"{choice.short} · {choice.pool}"
