"""Growth line, at the foot: an expression to grow is written in it, and then it says how far that is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from screens.egraphs.columns import stop_words
from screens.egraphs.notation import asked, shown
from screens.egraphs.sources import Draft
from screens.shell.request import Answer, Ask, Progress
from screens.shell.text import safe_text
from screens.widgets.notice import error_text

__all__ = ["GrowLine", "usual_settings"]


class _GrowInput(Input):
    """Leaves on escape."""

    def on_key(self, event: events.Key) -> None:
        if event.key == "escape":
            event.stop()
            event.prevent_default()
            self.post_message(GrowLine.Left())


class GrowLine(Vertical):
    """`grow sqrt(x^2*y) where x > 0`, and under it what is wrong, what was understood, or how far it is.

    It has the `drafts` of this session. Posts `Grew` when one of them has changed, `Saved` when one was put
    into a corpus, and `Left` when it is not wanted any more.

    `usual` are the settings with which what is written is grown.

    Args: ask: gives its ways to ask operations.
    """

    DEFAULT_CSS = """
    GrowLine { height: auto; background: $panel; padding: 0 1; border-top: solid $accent; }
    GrowLine Horizontal { height: 1; }
    GrowLine .label { width: auto; color: $accent; padding-right: 1; }
    GrowLine Input { border: none; height: 1; padding: 0; width: 1fr; background: $panel; }
    GrowLine .say { height: auto; max-height: 4; color: $quiet; }
    """

    class Left(Message):
        """The line is not wanted any more."""

    class Grew(Message):
        """A draft has begun, has grown, or has ended."""

        def __init__(self, draft: Draft, drafts: tuple[Draft, ...]) -> None:
            super().__init__()
            self.draft = draft
            self.drafts = drafts

    class Ended(Answer):
        """A growth has ended; tagged with the number of its draft."""

    class Progressed(Progress):
        """How far a growth is."""

    class Warmed(Answer):
        """The engine has loaded the rules."""

    class Saved(Answer):
        """A draft was kept, or could not be: the document of `egen.save`; its number is the tag."""

    def __init__(self, ask: Ask, usual: Mapping[str, Any]) -> None:
        super().__init__()
        self._generate = ask(self, "egen.generate", self.Ended, self.Progressed)
        # Of its own: a growth that is stopped must not wait behind it.
        self._warm_up = ask(self, "egen.generate", self.Warmed)
        self._save = ask(self, "egen.save", self.Saved)
        self.field = _GrowInput(
            placeholder="sin(x)^2 + cos(x)^2",
            classes="-not-by-tab",
            compact=True,
            select_on_focus=False,
            id="grow-input",
        )
        self._said = Static(classes="say")
        self.usual = usual
        self.drafts: tuple[Draft, ...] = ()
        self._begun = 0
        self._warm = False
        self._documents = TemporaryDirectory()

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
        self.field.select_all()
        self._judge(self.field.value)
        if not self._warm:
            # The engine loads the rules while one writes.
            self._warm = True
            least = {**self.usual, "members": 1, "nodes": 20}
            self._warm_up.ask({**least, "expr": "x", "notation": "prefix"})

    def leave(self) -> None:
        """Take it away, and with it the keys."""
        self.field.can_focus = False
        self.display = False

    @property
    def growing(self) -> bool:
        """Whether something grows."""
        return any(draft.growing for draft in self.drafts)

    def grow(self, head: str, settings: Mapping[str, Any]) -> None:
        """Grow an expression, given in prefix notation, unless something grows already."""
        if self.growing:
            return
        draft = Draft(self._begun, head, settings)
        self._begun += 1
        self.drafts = (*self.drafts, draft)
        self._take(draft)
        self.field.can_focus = False
        self._generate.ask(draft.params, draft.number)

    def stop(self) -> None:
        """Ask the growth to end with what there is."""
        for draft in self.drafts:
            if draft.growing:
                self._take(replace(draft, stopping=True))
        self._generate.stop()

    def keep(self, draft: Draft, folder: Path) -> None:
        """Put what was grown into the corpus of kept clusters in this folder."""
        from engines.core.files import write_json

        file = Path(self._documents.name) / f"{draft.number}.json"
        write_json(file, draft.generated)
        self._save.ask({"cluster": str(file), "out": str(folder)}, draft.number)

    @property
    def keeping(self) -> bool:
        """Whether something is being kept."""
        return self._save.running

    def _draft(self, number: int) -> Draft:
        return next(draft for draft in self.drafts if draft.number == number)

    @on(Progressed)
    def _progressed(self, event: Progressed) -> None:
        self._take(self._draft(event.tag).heard(event.event))

    @on(Warmed)
    def _warmed(self, event: Warmed) -> None:
        # What is wrong with the engine is told when something is really asked of it.
        self._warm = event.error is None

    @on(Ended)
    def _ended(self, event: Ended) -> None:
        draft = self._draft(event.tag)
        self._take(draft.failed(event.error) if event.error else draft.ended(event.value))

    @on(Saved)
    def _saved(self, event: Saved) -> None:
        if event.error is None:
            self.drafts = tuple(draft for draft in self.drafts if draft.number != event.tag)

    def _take(self, draft: Draft) -> None:
        self.drafts = tuple(draft if each.number == draft.number else each for each in self.drafts)
        self._say(draft)
        self.post_message(self.Grew(draft, self.drafts))

    def _say(self, draft: Draft) -> None:
        """Say how far a growth is, or how it ended."""
        if draft.error is not None:
            self._said.update(error_text(draft.error))
            return
        if draft.growing:
            glyph, words = ("… ", "$accent"), draft.words
            tail = "   stopping" if draft.stopping else "   x stops it and keeps what there is"
        elif draft.generated is None:
            glyph, words, tail = ("", ""), "stopped before anything had grown", "   r grows it again"
        elif none := draft.none:
            glyph, words, tail = ("– ", "$warning"), none, ""
        else:
            glyph, words = ("✓ ", "$success"), draft.words
            ways = "K keeps it, r grows it again" if draft.ordinary else "r grows it again"
            tail = f" · ended: {stop_words(draft.stop)}   {ways}"
        self._said.update(Content.assemble(glyph, safe_text(words), (tail, "$quiet")))

    def _judge(self, text: str) -> tuple[str, str]:
        """Say what the text means or what is wrong with it. Returns: its prefix form, or nothing, and what is
        assumed."""
        if not text.strip():
            usual = self.usual
            how = f"mode {usual['mode']}, style {usual['style']}, {usual['order']} first"
            what = "infix, LaTeX or prefix, then if you like: where x > 0, n integer"
            most = f"at most {usual['max_tokens']} tokens"
            self._said.update(safe_text(f"{what};  ⏎ grows it ({how}, {most}), esc leaves it"))
            return "", ""
        prefix, assume, wrong = asked(text)
        if wrong:
            self._said.update(Content.assemble(("✗ ", "$warning"), safe_text(wrong, "$warning")))
            return "", ""
        where = safe_text(f"   where {assume}" if assume else "", "$quiet")
        self._said.update(Content.assemble(("= ", "$success"), safe_text(shown(prefix)), where))
        return prefix, assume

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if self.field.has_focus:
            self._judge(event.value)

    @on(Input.Submitted)
    def _done(self, event: Input.Submitted) -> None:
        event.stop()
        prefix, assume = self._judge(event.value)
        if prefix:
            self.grow(prefix, {**self.usual, "assume": assume} if assume else self.usual)


def usual_settings() -> dict[str, Any]:
    """With what an expression is grown, unless something else is asked."""
    from engines.egen.records import style_of
    from workbench.config import load_config

    settings = load_config().settings
    found: dict[str, Any] = {name: settings[f"egen.{name}"].value for name in ("mode", "order", "max_tokens")}
    style = settings["egen.style"]
    found["style"] = style_of(found["mode"]) if style.origin == "default" else style.value
    return {**found, "members": 1_000, "seed": 0}
