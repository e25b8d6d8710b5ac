"""Header and key bar: the line above (which screens are there, what runs) and the one below (what can I
press)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.screen import Screen
from textual.style import Style
from textual.widget import Widget
from textual.widgets import Input

from screens.registry import SCREENS
from screens.shell.keymap import VERBS, key_text
from screens.shell.theme import elide, fill_cell, safe_text, text_width

# They stand at the right end and are the last to go.
_LAST = ("palette", "help")
_ORDER = {verb: rank for rank, verb in enumerate(VERBS)}


@dataclass(frozen=True, slots=True)
class Load:
    """The load of this machine: `share` is how much of the job nearest to its end is done; CPU in cores."""

    jobs: int = 0
    share: float | None = None
    cpu: float = 0.0
    cores: int = 1

    @property
    def badge(self) -> str:
        """`⣦`, or `⣦2` for two jobs; nothing without any."""
        return fill_cell(self.share) + (str(self.jobs) if self.jobs > 1 else "") if self.jobs else ""


Badge = tuple[str, str]
"""What stands behind a screen's name, and its colour."""

RUNS, FAILED = ("⣾", "$accent"), ("✗", "$error")


class Header(Widget):
    """` mathwb   1 E-graphs │ 2 Triplets │ 3 Jobs ⣾2 │ 4 ARQMath │ 5 MathAMR      ws: sample   CPU 1.7/2`."""

    DEFAULT_CSS = "Header { height: 1; dock: top; background: $background; }"

    here: reactive[str] = reactive("")
    """The name of the screen that is open."""
    badges: reactive[Mapping[str, Badge]] = reactive(dict)
    """By the names of screens: that something runs there, or has failed."""
    workspace: reactive[str] = reactive("")
    load: reactive[Load | None] = reactive(None)

    @dataclass
    class Picked(Message):
        name: str

    def on_click(self, event: events.Click) -> None:
        if name := event.style.meta.get("screen"):
            self.post_message(self.Picked(name))

    def render(self) -> Content:
        """Draw the bar: the names of the screens stay, shortened if need be; the rest gives way."""
        cells = self.size.width
        cpu = f"CPU {self.load.cpu:.1f}/{self.load.cores}" if self.load is not None else ""
        name, brand = self.workspace, Content.assemble((" mathwb ", "$accent bold"), " ")
        names = (name, *(elide(name, length) for length in range(text_width(name) - 1, 5, -1)))
        # From the full name of the workspace down to six cells of it, then without it.
        rights = [*(f"ws: {short}   {cpu}" for short in names), cpu]
        # From the widest form to the narrowest; the first that fits is drawn.
        for left, right in (
            *((brand + self._screen_names(), right) for right in rights),
            (brand + self._screen_names(), ""),
            (self._screen_names(), cpu),
            (self._screen_names(), ""),
            (self._screen_names(short=True), ""),
        ):
            if left.cell_length + text_width(right) + 3 * bool(right) <= cells:
                break
        room = cells - left.cell_length - text_width(right) - 1
        return left.pad_right(max(0, room)) + safe_text(right, "$quiet")

    def _screen_names(self, short: bool = False) -> Content:
        results = []
        for entry in SCREENS:
            here, (sign, colour) = entry.name == self.here, self.badges.get(entry.name, ("", ""))
            title = entry.title[:1] if short else entry.title
            name = f"{entry.key} {title}", "$accent bold" if here else "$quiet"
            badge = (f"{'' if short else ' '}{sign}", colour) if sign else ""
            results.append(Content.assemble(name, badge).stylize(Style.from_meta({"screen": entry.name})))
        return Content(" ") + Content.styled(" " if short else " │ ", "$line").join(results)


KeyHint = tuple[str, str, str]
"""A verb, its key, and what it is called."""


class KeyBar(Widget):
    """Show the keys that apply now, the most important first; `?` is the last to be dropped."""

    DEFAULT_CSS = "KeyBar { height: 1; dock: bottom; background: $background; }"

    said: reactive[str] = reactive("")
    """What stands in place of the keys until the next one is pressed: why the last one does nothing now."""

    @dataclass
    class Pressed(Message):
        verb: str

    def on_mount(self) -> None:
        def repaint_keys(screen: Screen[object]) -> None:
            if self.is_attached and screen is self.screen:
                self.refresh()

        self.screen.bindings_updated_signal.subscribe(self, repaint_keys)

    def on_click(self, event: events.Click) -> None:
        if verb := event.style.meta.get("verb"):
            self.post_message(self.Pressed(verb))

    def list_hints(self) -> list[KeyHint]:
        """Return the hints in the order in which they are drawn."""
        hints: dict[str, KeyHint] = {}
        # While text is typed, single letters are no keys.
        written = isinstance(self.screen.focused, Input)
        for active in self.screen.active_bindings.values():
            binding = active.binding
            if binding.show and binding.id and active.enabled and binding.action not in hints:
                shown = binding.key_display or self._name_key(binding.key)
                if written and len(shown) == 1 and shown.isascii():
                    continue  # a letter of what is being written
                hints[binding.action] = (binding.action, shown, binding.description)
        return sorted(hints.values(), key=lambda hint: _ORDER.get(hint[0], len(_ORDER)))

    def _name_key(self, key: str) -> str:
        name = {":": "colon", "?": "question_mark"}.get(key, key)
        return key_text(name, plain=getattr(self.app, "ascii", False))

    def render(self) -> Content:
        if not getattr(self.screen, "built", True):
            return Content()
        hints = self.list_hints()
        # 1. The last hints, as many as fit.
        ends = [hint for hint in hints if hint[0] in _LAST]
        room = self.size.width - 2
        while ends and _measure_hints(ends) > room:
            ends.pop(0)
        right = _join_hints(ends)
        # 2. The others from the left, in their order, until one does not fit.
        room -= _measure_hints(ends) + 2
        middle: list[KeyHint] = []
        for hint in (hint for hint in hints if hint[0] not in _LAST):
            if _measure_hints([*middle, hint]) > room:
                break
            middle.append(hint)
        left = _join_hints(middle)
        # 3. A refusal takes the place of the keys.
        if self.said:
            left = safe_text(f"✗ {self.said}", "$warning")
            if text_width(left.plain) > room:
                left, right = left.truncate(self.size.width - 2, ellipsis=True), Content()
        gap = max(0, self.size.width - 2 - text_width(left.plain) - text_width(right.plain))
        return Content(" ") + left + Content(" " * gap) + right + Content(" ")


def _measure_hints(hints: Sequence[KeyHint]) -> int:
    return sum(text_width(key) + 1 + text_width(label) for _, key, label in hints) + 2 * max(
        0, len(hints) - 1
    )


def _join_hints(hints: Sequence[KeyHint]) -> Content:
    parts = []
    for verb, key, label in hints:
        click = Style.from_meta({"verb": verb})
        parts.append(Content.assemble((key, "$accent bold"), " ", (label, "$foreground")).stylize(click))
    return Content("  ").join(parts)
