"""Header and key bar: the line above (where am I, what runs) and the line below (what can I press)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.screen import Screen
from textual.style import Style
from textual.widget import Widget
from textual.widgets import Input

from screens.shell.keymap import VERBS, key_text
from screens.shell.theme import elide, fill, safe_text, some, width

_LAST = ("palette", "help")
_ORDER = {verb: rank for rank, verb in enumerate(VERBS)}


@dataclass(frozen=True, slots=True)
class Load:
    """What runs on this machine: `share` done of the job nearest to its end, CPU in cores."""

    jobs: int = 0
    share: float | None = None
    cpu: float = 0.0
    cores: int = 1

    def short(self) -> str:
        """`2 jobs ⣦ 64 %   CPU 1.7/2`."""
        if not self.jobs:
            jobs = "no jobs"
        else:
            jobs = f"{some(self.jobs, 'job')} {fill(self.share)}"
            jobs += f" {self.share:.0%}".replace("%", " %") if self.share is not None else ""
        return f"{jobs}   CPU {self.cpu:.1f}/{self.cores}"


class Header(Widget):
    """` mathwb  E-graphs › corpus sample-e › cluster 412      ws: sample   2 jobs ⣦ 64 %   CPU 1.7/2`."""

    DEFAULT_CSS = "Header { height: 1; dock: top; background: $background; }"

    crumbs: reactive[tuple[str, ...]] = reactive(())
    workspace: reactive[str] = reactive("")
    load: reactive[Load | None] = reactive(None)

    def render(self) -> Content:
        """Workspace, jobs and load stay, and the breadcrumb's end; long names are cut in the middle."""
        cells = self.size.width
        right = ""
        if self.load is not None:
            jobs, _, cpu = self.load.short().partition("   ")
            name = self.workspace
            whole = width(" › ".join(self.crumbs))
            # A third of the line is the breadcrumb's, if it needs as much.
            own = min(whole, cells // 3)
            for right in (
                f"ws: {name}   {jobs}   {cpu}",
                *(f"ws: {elide(name, length)}   {jobs}   {cpu}" for length in range(width(name) - 1, 5, -1)),
                f"{jobs}   {cpu}",
                jobs,
            ):
                if 9 + own + 3 + width(right) <= cells:
                    break
        room = cells - 9 - (width(right) + 3 if right else 0)
        parts = list(self.crumbs)
        while len(parts) > 2 and width(" › ".join(parts)) > room:
            parts[1:3] = ["…"] if len(parts) > 3 or parts[1] != "…" else []
        trail = " › ".join(parts)
        left = Content.assemble((" mathwb ", "$accent bold"), " ")
        if width(trail) > room or len(parts) < 2:
            left += safe_text(elide(trail, max(0, room)), "bold")
        else:
            left += safe_text(" › ".join(parts[:-1]) + " › ", "$quiet") + safe_text(parts[-1], "bold")
        return left.pad_right(max(1, cells - width(left.plain) - width(right) - 1)) + safe_text(
            right, "$quiet"
        )


class KeyBar(Widget):
    """The keys that apply here; greyed ones do not apply now. `?` is the last to be squeezed out."""

    DEFAULT_CSS = "KeyBar { height: 1; dock: bottom; background: $background; }"

    said: reactive[str] = reactive("")
    """What stands in place of the keys until the next one is pressed: why the last one does nothing now."""

    @dataclass
    class Pressed(Message):
        """A hint was clicked: do what its key does."""

        verb: str

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._changed)

    def _changed(self, screen: Screen[object]) -> None:
        if self.is_attached and screen is self.screen:
            self.refresh()

    def on_click(self, event: events.Click) -> None:
        if verb := event.style.meta.get("verb"):
            self.post_message(self.Pressed(verb))

    def hints(self) -> list[tuple[str, str, str, bool]]:
        """Verb, key, label and whether it applies, in the order in which they are drawn."""
        found: dict[str, tuple[str, str, str, bool]] = {}
        written = isinstance(self.screen.focused, Input)
        for active in self.screen.active_bindings.values():
            binding = active.binding
            if binding.show and binding.id and binding.action not in found:
                shown = binding.key_display or self._key(binding.key)
                if written and len(shown) == 1 and shown.isascii():
                    continue  # a letter of what is being written
                found[binding.action] = (binding.action, shown, binding.description, active.enabled)
        return sorted(found.values(), key=lambda hint: _ORDER.get(hint[0], len(_ORDER)))

    def _key(self, key: str) -> str:
        name = {":": "colon", "?": "question_mark"}.get(key, key)
        return key_text(name, plain=getattr(self.app, "ascii", False))

    def render(self) -> Content:
        if not getattr(self.screen, "built", True):
            return Content()
        hints = self.hints()
        ends = [hint for hint in hints if hint[0] in _LAST]
        room = self.size.width - 2
        while ends and _width(ends) > room:
            ends.pop(0)
        right = _join(ends)
        room -= _width(ends) + 2
        middle: list[tuple[str, str, str, bool]] = []
        for hint in (hint for hint in hints if hint[0] not in _LAST):
            if _width([*middle, hint]) > room:
                break
            middle.append(hint)
        left = _join(middle)
        if self.said:
            left = safe_text(f"✗ {self.said}", "$warning")
            if width(left.plain) > room:
                left, right = left.truncate(self.size.width - 2, ellipsis=True), Content()
        gap = max(0, self.size.width - 2 - width(left.plain) - width(right.plain))
        return Content(" ") + left + Content(" " * gap) + right + Content(" ")


def _width(hints: Sequence[tuple[str, str, str, bool]]) -> int:
    return sum(width(key) + 1 + width(label) for _, key, label, _ in hints) + 2 * max(0, len(hints) - 1)


def _join(hints: Sequence[tuple[str, str, str, bool]]) -> Content:
    parts = []
    for verb, key, label, enabled in hints:
        click = Style.from_meta({"verb": verb})
        styles = ("$accent bold", "$foreground") if enabled else ("$off", "$off")
        parts.append(Content.assemble((key, styles[0]), " ", (label, styles[1])).stylize(click))
    return Content("  ").join(parts)
