"""Pictures: widgets that show pixels where the terminal has them, and their own drawing elsewhere."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from rich.style import Style
from textual import events
from textual.color import Color
from textual.content import Content
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from screens.shell import graphics as kitty
from screens.shell.graphics import NONE, Graphics
from screens.shell.request import Answer, CachedRequest
from screens.shell.theme import safe_text
from screens.widgets.plot import MOST_SERIES, Plot, Series, span

if TYPE_CHECKING:
    from screens.shell.frame import Frame


_PAUSE_S = 0.1
"""A picture is asked for when nothing has changed for so long,"""
_BETWEEN_S = 0.5
"""and at most so often, since a curve that grows changes all the time."""
_STALE_S = 1.5
"""A picture of what was is shown for so long while the next one is drawn."""


class _Shown:
    def __init__(self, owner: Pictured, document: Mapping[str, Any], graphics: Graphics) -> None:
        self.columns, self.lines = int(document["columns"]), int(document["lines"])
        self._owner = owner
        self._kitty = graphics.protocol == "kitty"
        if self._kitty:
            self.number = kitty.fresh_number()
            self._write(kitty.transmission(self.number, document["png"], self.columns, self.lines))
        else:
            from screens.shell.graphics import Sixel

            self.number = owner.frame.sixels.add(Sixel(owner, document))

    def row(self, line: int, style: Style) -> Strip:
        if self._kitty:
            from rich.segment import Segment

            named = style + Style(color=kitty.colour(self.number))
            return Strip([Segment(kitty.placeholders(line, self.columns), named)], self.columns)
        from screens.shell.graphics import cells

        return cells(self.number, self.columns, style)

    def remove(self) -> None:
        if self._kitty:
            self._write(kitty.removal(self.number))
        else:
            self._owner.frame.sixels.remove(self.number)

    def _write(self, sequence: str) -> None:
        driver = self._owner.app._driver
        if driver is not None:
            driver.write(sequence)


class Pictured(Widget):
    """A widget that is drawn by `render`, and by a picture as soon as the engine has made one.

    Say `renew` when what it shows has changed. A subclass names the `operation` that draws it and tells what
    that is asked (`question`). The picture is left out while a dialog is above the screen: what is dimmed
    there is text.
    """

    operation = ""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._shown: _Shown | None = None
        self._asked: Mapping[str, Any] | None = None
        self._asked_at = 0.0
        self._room: tuple[int, ...] = ()
        self._pause: Timer | None = None
        self._stale: Timer | None = None
        self._request: CachedRequest | None = None

    # For subclasses to give

    def question(self) -> Mapping[str, Any] | None:
        """What the operation is asked besides `look`; None when there is nothing to draw."""
        raise NotImplementedError

    def room(self) -> tuple[int, ...]:
        """The cells on which the size of the picture depends."""
        return self.size

    def fitted(self, document: Mapping[str, Any] | None) -> None:
        """Called when the picture is there, and with None when there is none any more."""

    # The picture

    @property
    def frame(self) -> Frame:
        return cast("Frame", self.app)

    @property
    def graphics(self) -> Graphics:
        return getattr(self.app, "graphics", NONE)

    @property
    def picture_shown(self) -> bool:
        return self._shown is not None and self.screen is self.app.screen and self._fits(self._shown)

    def _fits(self, shown: _Shown) -> bool:
        return shown.columns <= self.size.width and shown.lines <= self.size.height

    def on_mount(self) -> None:
        # A picture's number is a colour: kitty needs all of them.
        coloured = self.graphics.protocol != "kitty" or self.app.console.color_system == "truecolor"
        if self.graphics.protocol == "none" or not coloured:
            return
        self._request = CachedRequest(self, lambda: self.frame.engine, self.operation, self._answered)
        self.app.screen_change_signal.subscribe(self, self._screen_changed)
        self.app.app_resume_signal.subscribe(self, self._resumed)
        self.app.theme_changed_signal.subscribe(self, lambda _: self._again())

    def on_unmount(self) -> None:
        self._drop()

    def on_resize(self, event: events.Resize) -> None:  # noqa: ARG002  # its size is the widget's by now
        if self._request is None:
            return
        self.graphics.measure()
        room = (*self.room(), *self.graphics.cell)
        if room != self._room:
            self._room = room
            self._again()

    def _screen_changed(self, screen: object) -> None:  # noqa: ARG002
        if self._shown is not None:
            self.refresh()

    def _resumed(self, app: object) -> None:  # noqa: ARG002
        # What ran meanwhile may have cleared the terminal's pictures.
        self._again()

    def _again(self) -> None:
        self._drop()
        self.renew()

    def renew(self) -> None:
        """What is shown has changed: ask for a picture of it. The last one stays for a moment."""
        if self._request is None:
            return
        if self._pause is not None:
            self._pause.stop()
        if self._shown is not None and self._stale is None:
            self._stale = self.set_timer(_STALE_S, self._drop)
        wait = max(_PAUSE_S, self._asked_at + _BETWEEN_S - time.monotonic())
        self._pause = self.set_timer(wait, self._ask)

    def _ask(self) -> None:
        assert self._request is not None
        question = self.question() if all(self.room()) else None
        self._asked = question
        if question is None:
            self._request.forget()
            self._drop()
            return
        self._asked_at = time.monotonic()
        self._request.ask({**question, "look": self._look()}, question)

    def _answered(self, event: Answer) -> None:
        if event.tag is not self._asked:
            return
        if event.error is not None:
            # It stays with the drawing, which says the same.
            self._drop()
            return
        before, self._shown = self._shown, _Shown(self, event.value, self.graphics)
        self._fresh()
        self.fitted(event.value)
        self.refresh()
        if before is not None:
            # Its cells are still on the screen until the next update.
            self.call_after_refresh(before.remove)

    def _fresh(self) -> None:
        if self._stale is not None:
            self._stale.stop()
            self._stale = None

    def _drop(self) -> None:
        self._fresh()
        shown, self._shown = self._shown, None
        if shown is not None:
            shown.remove()
            if self.is_attached:
                self.fitted(None)
                self.refresh()

    def _look(self) -> dict[str, Any]:
        def colour(name: str) -> str:
            return Color.parse(self.app.theme_variables[name]).hex6

        width, height = self.graphics.cell
        names = ("accent", *(f"series-{number}" for number in range(2, MOST_SERIES + 1)))
        return {
            "foreground": colour("foreground"),
            "background": self.background_colors[1].hex6,
            "quiet": colour("quiet"),
            "line": colour("line"),
            "warning": colour("warning"),
            "series": [colour(name) for name in names],
            "cell_width": width,
            "cell_height": height,
            "colours": self.graphics.colours if self.graphics.protocol == "sixel" else 0,
        }

    def render_line(self, y: int) -> Strip:
        shown = self._shown
        if shown is None or not self.picture_shown:
            return super().render_line(y)
        style = self.rich_style
        if y >= shown.lines:
            return Strip.blank(self.size.width, style)
        return shown.row(y, style).adjust_cell_length(self.size.width, style)


class PicturePlot(Plot, Pictured):
    operation = "picture.curves"

    def watch_series(self) -> None:
        self._changed()

    def watch_gaps(self) -> None:
        self._changed()

    def watch_caption(self) -> None:
        self._changed()

    def _changed(self) -> None:
        if not self.series:
            self._drop()
        self.renew()

    def question(self) -> Mapping[str, Any] | None:
        ranges = span(self.series)
        columns, lines = self.size
        if ranges is None or columns < 16 or lines < 5 or max(columns, lines) > kitty.MOST_CELLS:
            return None
        most = columns * self.graphics.cell[0]
        return {
            "curves": [_thinned(one, most) for one in self.series[:MOST_SERIES]],
            "columns": columns,
            "lines": lines,
            "x": list(ranges[0]),
            "y": list(ranges[1]),
            "gaps": [{"low": low, "high": high} for low, high in self.gaps],
            "caption": self.caption.replace("× ", "shaded: "),
            "markers": self.legend,
        }


def _thinned(one: Series, most: int) -> dict[str, Any]:
    """A curve with about `most` points at most: of each stretch the least and the largest value."""
    xs, ys = list(one.xs), list(one.ys)
    step = -(-2 * len(xs) // max(2, most))
    if step > 2:
        kept: list[int] = []
        for start in range(0, len(xs), step):
            stretch = range(start, min(start + step, len(xs)))
            known = [(y, at) for at in stretch if (y := ys[at]) is not None]
            ends = {min(known)[1], max(known)[1]} if known else {start}
            gap = [at for at in stretch if ys[at] is None][:1]
            kept += sorted({*ends, *gap})
        xs, ys = [xs[at] for at in kept], [ys[at] for at in kept]
    return {"name": one.name, "xs": xs, "ys": ys}


class FormulaImage(Pictured):
    """A formula as it is printed; takes no room where it cannot be drawn so. `show` tells which."""

    DEFAULT_CSS = "FormulaImage { height: 0; padding: 0 1; }"

    operation = "picture.formula"
    MOST_LINES = 6

    def __init__(self) -> None:
        super().__init__()
        self._latex = self._text = ""

    def show(self, latex: str, text: str) -> None:
        """Show this formula; `text` stands in its place while a dialog is above it."""
        self._latex, self._text = latex, text
        self._drop()
        self.renew()

    def question(self) -> Mapping[str, Any] | None:
        columns = min(self.size.width, kitty.MOST_CELLS)
        asked = {"latex": self._latex, "columns": columns, "lines": self.MOST_LINES}
        return asked if self._latex else None

    def room(self) -> tuple[int, ...]:
        """Its width: its height is the picture's."""
        return (self.size.width,)

    def fitted(self, document: Mapping[str, Any] | None) -> None:
        # A line of space below it.
        self.styles.height = document["lines"] + 1 if document is not None else 0

    def render(self) -> Content:
        return safe_text(self._text)
