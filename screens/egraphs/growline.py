"""The line at the foot in which an expression to grow is written, and which then says how far it is."""

from __future__ import annotations

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from screens.egraphs.drafts import Draft
from screens.egraphs.forms import check, shown
from screens.egraphs.looks import stop_words
from screens.text import safe_text
from screens.widgets.notice import error_text

__all__ = ["GrowLine"]


class _GrowInput(Input):
    """Leaves on escape."""

    def on_key(self, event: events.Key) -> None:
        if event.key == "escape":
            event.stop()
            event.prevent_default()
            self.post_message(GrowLine.Left())


class GrowLine(Vertical):
    """`grow sin(x)^2 + cos(x)^2`, and under it what is wrong, what was understood, or how far it is."""

    DEFAULT_CSS = """
    GrowLine { height: auto; background: $panel; padding: 0 1; border-top: solid $accent; }
    GrowLine Horizontal { height: 1; }
    GrowLine .label { width: auto; color: $accent; padding-right: 1; }
    GrowLine Input { border: none; height: 1; padding: 0; width: 1fr; background: $panel; }
    GrowLine .say { height: auto; max-height: 2; color: $quiet; }
    """

    class Asked(Message):
        """An expression is to be grown, in prefix notation."""

        def __init__(self, prefix: str) -> None:
            super().__init__()
            self.prefix = prefix

    class Left(Message):
        """The line is not wanted any more."""

    def __init__(self) -> None:
        super().__init__()
        self.field = _GrowInput(
            placeholder="sin(x)^2 + cos(x)^2",
            classes="-not-by-tab",
            compact=True,
            select_on_focus=False,
            id="grow-input",
        )
        self._said = Static(classes="say")

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Static("grow", classes="label")
            yield self.field
        yield self._said

    def edit(self, text: str | None = None) -> None:
        """Let the user write, from this text."""
        if text is not None:
            self.field.value = text
        self.display = True
        self.field.can_focus = True
        # At once: what is typed next is meant for it.
        self.screen.set_focus(self.field)
        self._judge(self.field.value)

    def leave(self) -> None:
        """Take the keys away from it; what it says stays."""
        self.field.can_focus = False

    def show_draft(self, draft: Draft) -> None:
        """Say how far a growth is, or how it ended."""
        if draft.error is not None:
            self._said.update(error_text(draft.error))
            return
        words = safe_text(draft.words())
        if draft.growing:
            ask = "stopping" if draft.stopping else "x stops it and keeps what there is"
            self._said.update(Content.assemble(("… ", "$accent"), words, (f"   {ask}", "$quiet")))
            return
        if draft.generated is None:
            again = ("   r grows it again", "$quiet")
            self._said.update(Content.assemble("stopped before anything had grown", again))
            return
        ended = stop_words(draft.generated["stats"]["stop_reason"])
        keep = "K keeps it, " if draft.members else ""
        tail = f" · ended: {ended}   {keep}r grows it again"
        self._said.update(Content.assemble(("✓ ", "$success"), words, (tail, "$quiet")))

    def _judge(self, text: str) -> str:
        """Say what the text means or what is wrong with it. Returns: its prefix form, or nothing."""
        if not text.strip():
            self._said.update(safe_text("infix or prefix, one variable x;  ⏎ grows it, esc leaves it"))
            return ""
        prefix, wrong = check(text)
        if wrong:
            self._said.update(Content.assemble(("✗ ", "$warning"), safe_text(wrong, "$warning")))
            return ""
        self._said.update(Content.assemble(("= ", "$success"), safe_text(shown(prefix))))
        return prefix

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if self.field.has_focus:
            self._judge(event.value)

    @on(Input.Submitted)
    def _done(self, event: Input.Submitted) -> None:
        event.stop()
        if prefix := self._judge(event.value):
            self.post_message(self.Asked(prefix))
