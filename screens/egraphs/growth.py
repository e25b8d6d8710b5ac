"""Growth of a cluster: what grows, and the line at the foot where it is written and says how far it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, Static

from engines.core.errors import EngineError
from engines.core.events import Event
from screens.egraphs.columns import format_expression, stop_words
from screens.egraphs.growth_text import list_settings, parse_growth
from screens.egraphs.sources import NOT_SAVED, ClusterSource, member_row, row_from_members
from screens.keys import GROW_KEYS
from screens.shell.keymap import bindings
from screens.shell.request import CachedRequest, RequestAnswer, RequestProgress
from screens.shell.theme import format_quantity, safe_text
from screens.widgets.dialogs import Chooser, MenuChoice
from screens.widgets.line_input import LineInput
from screens.widgets.listing import failure_content
from workbench.config import load_config
from workbench.tables import LazyRow

# What grows


@dataclass(frozen=True, slots=True)
class GrowthDraft:
    """A cluster that grows or has grown, and is not saved.

    `stats` are iterations, nodes and classes; `generated` is the answer of `egen.generate` when it has ended.
    """

    number: int
    head: str
    settings: Mapping[str, Any]
    members: tuple[LazyRow, ...] = ()
    growing: bool = True
    stopping: bool = False
    stats: Mapping[str, Any] = field(
        default_factory=lambda: dict.fromkeys(("iterations", "nodes", "classes"), 0)
    )
    generated: Mapping[str, Any] | None = None
    error: EngineError | None = None

    @property
    def params(self) -> dict[str, Any]:
        """Return the parameters of `egen.generate`."""
        return {**self.settings, "expr": self.head, "notation": "prefix"}

    @property
    def stop(self) -> str:
        """The reason why growth ended, or `growing`."""
        if self.growing:
            return "growing"
        return str(self.stats.get("stop_reason", "failed" if self.error else "stopped"))

    @property
    def unsaved(self) -> bool:
        """Tell whether the draft would be lost when the app ends."""
        return self.growing or (self.generated is not None and bool(self.members))

    @property
    def why_not_keep(self) -> str:
        """Return the reason that the draft cannot be saved, or an empty string."""
        if self.growing:
            return "it is still growing; x stops it"
        if self.error is not None:
            return "its growth failed, so nothing is verified"
        if self.generated is None or not self.members:
            return "it was stopped before it had members; R grows it again"
        return ""

    @property
    def words(self) -> str:
        """Describe how far the growth is."""
        counted = {**self.stats, "members": len(self.members)}
        names = (("node", "nodes"), ("class", "classes"), ("member", "members"))
        parts = (format_quantity(counted[many], one, many) for one, many in names)
        return " · ".join([f"iteration {counted['iterations']}", *parts])

    @property
    def row(self) -> LazyRow:
        """Return the row of the cluster."""
        row = row_from_members(
            self.number,
            self.head,
            self.members,
            self.settings.get("seed", 0),
            mean_tokens=sum(member["tokens"] for member in self.members) / max(1, len(self.members)),
            kind="own",
            **{"total_members": 0, **self.stats, "stop_reason": self.stop},
        )
        if self.generated is None:  # nothing is judged yet
            row.update(verdict=["growing"] if self.growing else [], equal=0.0)
        return row

    @property
    def none(self) -> str:
        """The reason why growth ended without members, and what to change; empty while it grows or if it has
        members.
        """
        if self.generated is None or self.members:
            return ""
        from engines.egen.generation import without_members

        settings = load_config().settings
        why, change = without_members(self.generated)
        said = [
            f"mathwb config set egen.{name} {'true' if value is True else value}"
            for name, value in change.items()
            if f"egen.{name}" in settings
        ]
        said += ["allow padding: mathwb egen generate --padding"] if "padding" in change else []
        return f"no members: {why}   " + (f"{said[0]}, then a" if said else "a writes another expression")

    def with_event(self, event: Event) -> GrowthDraft:
        """Return the draft after an event of the growth."""
        data, stats, members = event.data, self.stats, self.members
        # An event either says how large the e-graph is or brings members.
        if data.get("stage") == "grow":
            size = {"nodes": data["nodes"], "classes": data["classes"]}
            stats = {"iterations": event.step or stats["iterations"], **size}
        if isinstance(arrived := data.get("members"), list):
            members += tuple(_grown_row(n, prefix) for n, prefix in enumerate(arrived, len(members) + 1))
        return replace(self, stats=stats, members=members)

    def with_result(self, generated: Mapping[str, Any]) -> GrowthDraft:
        """Return the draft after the growth ended or was stopped; its members now have verdicts."""
        members = tuple(member_row(number, row) for number, row in enumerate(generated["members"], 1))
        ended = replace(self, growing=False, stopping=False, members=members)
        return replace(ended, generated=generated, stats=generated["stats"])

    def with_error(self, error: EngineError) -> GrowthDraft:
        """Return the draft after the growth failed, or was stopped before anything had grown.

        Members that had arrived stay visible.
        """
        # A growth that was stopped while it waited is no failure.
        forgone = error.code == "E703" and self.stopping
        return replace(self, growing=False, stopping=False, error=None if forgone else error)


class Drafts(ClusterSource):
    """The source of the clusters that are not saved."""

    name = title = NOT_SAVED
    address = "draft"
    state = "not saved yet: K saves one"

    def __init__(self, drafts: Sequence[GrowthDraft]) -> None:
        self._drafts = {draft.number: draft for draft in drafts}

    def get_provenance(self, cluster: int) -> Mapping[str, Any]:
        return {"config": dict(self._drafts[cluster].settings)}

    def read_clusters(self) -> list[LazyRow]:
        return [draft.row for draft in self._drafts.values()]

    def read_members(self, cluster: int) -> list[LazyRow]:
        draft = self._drafts[cluster]
        return [_grown_row(0, draft.head), *draft.members]


def _grown_row(number: int, prefix: str) -> LazyRow:
    """Return the head, number 0, or a member that is not verified yet."""
    # Members arrive before they are verified; the head equals itself.
    judged = {"verdict": "", "kept": None} if number else {"verdict": "equal", "kept": 1.0}
    return member_row(number, {"prefix": prefix, "tokens": len(prefix.split()), **judged})


# The line

_MOST_LINES = 50
"""So many pasted lines are read and grown; more are a corpus."""


class _GrowInput(LineInput):
    """Hands several pasted lines to `pasted`."""

    def __init__(self, pasted: Callable[[Sequence[str]], object], **how: Any) -> None:
        super().__init__(**how)
        self._pasted = pasted

    def take_lines(self, lines: Sequence[str]) -> None:
        super().take_lines(lines)
        # What is said of the whole text comes first.
        self.call_after_refresh(self._pasted, lines)


_STAYS_S = 8.0
"""So long it is said that a growth has ended; the frame of the members goes on to say how."""


class GrowLine(Vertical):
    """The line that grows expressions: `grow sqrt(x^2*y) where x > 0 weights trig=4`.

    Below it stands what is wrong, what was understood, or how far the growth is. It holds the `drafts` of
    this session. `usual` are the settings with which an expression is grown, unless keys chose others.

    Args:
        usual: the settings.
        grew: called when a draft has begun, has grown or has ended.
        saved: gets the answer of `egen.save-document`, with the draft's number as its tag.
        left: called when the line is not wanted any more.
    """

    BINDINGS = bindings(GROW_KEYS)
    DEFAULT_CSS = """
    GrowLine { height: auto; background: $panel; padding: 0 1; border-top: solid $accent; }
    GrowLine Horizontal { height: 1; }
    GrowLine .label { width: auto; color: $accent; padding-right: 1; }
    GrowLine Input { border: none; height: 1; padding: 0; width: 1fr; background: $panel; }
    GrowLine .say { height: auto; max-height: 4; color: $quiet; }
    """

    def __init__(
        self,
        usual: Mapping[str, Any],
        *,
        grew: Callable[[GrowthDraft, tuple[GrowthDraft, ...]], object],
        saved: Callable[[RequestAnswer], object],
        left: Callable[[], object],
    ) -> None:
        super().__init__()
        self._when_grown, self._when_saved, self._when_left = grew, saved, left
        self._generate = CachedRequest(self, "egen.generate", self._finish_growth, self._add_progress)
        # Of its own: a growth that is stopped must not wait behind it.
        self._warm_up = CachedRequest(self, "egen.generate", self._finish_warm_up)
        self._save = CachedRequest(self, "egen.save-document", self._finish_saving)
        self.field = _GrowInput(
            self._take_pasted_lines,
            placeholder="sin(x)^2 + cos(x)^2",
            classes="-not-by-tab",
            compact=True,
            select_on_focus=False,
            id="grow-input",
        )
        self._said = Static(classes="say")
        self.usual = usual
        self._chosen: dict[str, str] = {}
        self.drafts: tuple[GrowthDraft, ...] = ()
        self._begun = 0
        self._waiting: list[tuple[str, Mapping[str, Any]]] = []
        """What is grown next: heads in prefix notation, with their settings."""
        self._warm = False

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Static("grow", classes="label")
            yield self.field
        yield self._said

    def edit_line(self, text: str | None = None) -> None:
        """Show the line and let the user type, starting from `text` if given."""
        if text is not None:
            self.field.value = text
        self.display = True
        self.field.can_focus = True
        # At once: what is typed next is meant for it.
        self.screen.set_focus(self.field)
        self.field.select_all()
        self._check_text(self.field.value)
        if not self._warm:
            # The engine loads the rules while one writes.
            self._warm = True
            least = {**self.usual, "members": 1, "nodes": 20}
            self._warm_up.ask({**least, "expr": "x", "notation": "prefix"})

    @property
    def settings(self) -> dict[str, Any]:
        """Return the settings of the growth: the usual ones, replaced by those that were chosen."""
        return {**self.usual, **self._chosen}

    def action_style(self) -> None:
        self._choose_next("style")

    def action_order(self) -> None:
        self._choose_next("order")

    def _choose_next(self, name: str) -> None:
        choices = list_settings()[name].choices
        here = choices.index(self.settings[name])
        self._chosen[name] = choices[(here + 1) % len(choices)]
        self._check_text(self.field.value)

    def hide_line(self) -> None:
        """Hide the line and take the keyboard focus from it."""
        self.field.can_focus = False
        self.display = False

    @property
    def growing(self) -> bool:
        """Return whether a cluster is being grown."""
        return any(draft.growing for draft in self.drafts)

    def grow(self, head: str, settings: Mapping[str, Any]) -> None:
        """Grow an expression, given in prefix notation, unless something grows already."""
        if self.growing:
            return
        draft = GrowthDraft(self._begun, head, settings)
        self._begun += 1
        self.drafts = (*self.drafts, draft)
        self._replace_draft(draft)
        self.field.can_focus = False
        self._generate.ask(draft.params, draft.number)

    def stop(self) -> None:
        """Stop the growth, and drop those that wait."""
        self._waiting.clear()
        # Marked at once, so that the line says that it is stopping.
        for draft in self.drafts:
            if draft.growing:
                self._replace_draft(replace(draft, stopping=True))
        self._generate.stop()

    def save_draft(self, draft: GrowthDraft, folder: Path) -> None:
        """Save a draft as a cluster of the corpus in a folder."""
        document = json.dumps(draft.generated)
        self._save.ask({"document": document, "out": str(folder)}, draft.number)

    @property
    def keeping(self) -> bool:
        """Tell whether a draft is being saved."""
        return self._save.running

    def _get_draft(self, number: int) -> GrowthDraft:
        return next(draft for draft in self.drafts if draft.number == number)

    def _add_progress(self, event: RequestProgress) -> None:
        self._replace_draft(self._get_draft(event.tag).with_event(event.event))

    def _finish_warm_up(self, event: RequestAnswer) -> None:
        # What is wrong with the engine is told when something is really asked of it.
        self._warm = event.error is None

    def _finish_growth(self, event: RequestAnswer) -> None:
        draft = self._get_draft(event.tag)
        self._replace_draft(draft.with_error(event.error) if event.error else draft.with_result(event.value))
        if self._waiting:
            self.grow(*self._waiting.pop(0))

    def _finish_saving(self, event: RequestAnswer) -> None:
        if event.error is None:
            self.drafts = tuple(draft for draft in self.drafts if draft.number != event.tag)
        self.screen.call_later(self._when_saved, event)

    def _replace_draft(self, draft: GrowthDraft) -> None:
        self.drafts = tuple(draft if each.number == draft.number else each for each in self.drafts)
        self._describe_draft(draft)
        self.screen.call_later(self._when_grown, draft, self.drafts)

    def _describe_draft(self, draft: GrowthDraft) -> None:
        if draft.error is not None:
            self._said.update(failure_content(self, draft.error))
            return
        if draft.growing:
            glyph, words = ("… ", "$accent"), draft.words
            tail = "   stopping" if draft.stopping else "   x stops it and keeps the members so far"
        elif draft.generated is None:
            glyph, words, tail = ("", ""), "stopped before anything had grown", "   R grows it again"
        elif none := draft.none:
            glyph, words, tail = ("– ", "$warning"), none, ""
        else:
            glyph, words = ("✓ ", "$success"), draft.words
            tail = f" · ended: {stop_words(draft.stop)}   K saves it, R grows it again"
        self._said.update(Content.assemble(glyph, safe_text(words), (tail, "$quiet")))
        if not draft.growing:
            self.set_timer(
                _STAYS_S, lambda: None if self.growing or self.field.can_focus else self.hide_line()
            )

    def _take_pasted_lines(self, lines: Sequence[str]) -> None:
        """Lines that are one formula stay in one line; otherwise one growth for each is offered."""
        if len(lines) > _MOST_LINES:
            how = "write them to a file: mathwb egen corpus --templates FILE"
            self._said.update(safe_text(f"{len(lines):,} lines; to grow each, {how}", "$warning"))
            return
        # Each line on its own, and if some cannot be read, all of them as one formula.
        readings = {line: parse_growth(line) for line in lines}
        heads = [(prefix, named) for prefix, named, wrong in readings.values() if not wrong]
        unread = [line for line, (_, _, wrong) in readings.items() if wrong]
        if not heads or (unread and not parse_growth(" ".join(lines))[2]):
            return

        def grow_each(choice: str) -> None:
            if choice == "each":
                self._waiting = [(prefix, {**self.settings, **named}) for prefix, named in heads]
                self.field.value = unread[0] if unread else ""
                self.grow(*self._waiting.pop(0))

        each = f"grow {format_quantity(len(heads), 'formula')}, one after the other"
        left = f"cannot be read: {', '.join(unread)}" if unread else ", ".join(lines)
        choices = [
            MenuChoice("each", each, left, "1"),
            MenuChoice("one", "keep them in one line", " ".join(lines), "2"),
        ]
        Chooser(f"{len(lines)} lines were pasted", choices).ask(self.app, grow_each)

    def _check_text(self, text: str) -> tuple[str, dict[str, Any]]:
        """Say what the text means or what is wrong with it.

        Returns:
            Its prefix form, or nothing, and the settings that it names.
        """
        if not text.strip():
            what = "infix, LaTeX or prefix; optionally: where x > 0, n integer  weights trig=4  members 50"
            most = f"at most {self.usual['max_tokens']} tokens"
            how = f"mode {self.usual['mode']}, {self._manner}, {most}"
            self._said.update(safe_text(f"{what};  enter grows it ({how}), esc cancels"))
            return "", {}
        prefix, named, wrong = parse_growth(text)
        if wrong:
            self._said.update(Content.assemble(("✗ ", "$warning"), safe_text(wrong, "$warning")))
            return "", {}
        more = "".join(f"   {name} {value}" for name, value in named.items()).replace(" assume ", " where ")
        more += f"   {self._manner}" if self._chosen else ""
        meaning = Content.assemble(
            ("= ", "$success"), safe_text(format_expression(prefix)), safe_text(more, "$quiet")
        )
        self._said.update(meaning)
        return prefix, named

    @property
    def _manner(self) -> str:
        settings = self.settings
        return f"style {settings['style']} (F2), {settings['order']} first (F3)"

    def on_key(self, event: events.Key) -> None:
        if event.key == "escape":
            event.stop()
            self.screen.call_later(self._when_left)

    @on(Input.Changed)
    def _check_typed_text(self, event: Input.Changed) -> None:
        event.stop()
        if self.field.has_focus:
            self._check_text(event.value)

    @on(Input.Submitted)
    def _grow_typed_text(self, event: Input.Submitted) -> None:
        event.stop()
        prefix, named = self._check_text(event.value)
        if prefix:
            self.grow(prefix, {**self.settings, **named})
