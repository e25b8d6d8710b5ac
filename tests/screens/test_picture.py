"""Pictures in the terminal: sent once, covered, moved, and gone without rest."""

from __future__ import annotations

import asyncio
import codecs
import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.widgets import Static

from engines.core.errors import EngineError
from engines.core.events import Event
from screens.shell.terminal import Graphics, Protocol, Sixels, with_sixels
from screens.shell.theme import THEMES
from screens.widgets import plot as picture
from screens.widgets.plot import FormulaImage, PicturePlot, Series
from tests.screens.driving import until
from tests.screens.pixel_terminal import PixelTerminal
from workbench.engine_process import CallResult
from workbench.operations import find_operation

CELL = (6, 12)
COLUMNS, LINES = 60, 24


class Call:
    def __init__(self, engine: Engine, task: str, params: Mapping[str, Any]) -> None:
        self.engine, self.task, self.params = engine, task, params

    def stop(self) -> None:
        pass

    async def __aiter__(self) -> AsyncIterator[Event | CallResult]:
        if self.engine.error:
            raise self.engine.error
        yield CallResult(find_operation(self.task).run(self.params))


class Engine:
    """Draws in this process."""

    def __init__(self) -> None:
        self.asked: list[Mapping[str, Any]] = []
        self.error: EngineError | None = None

    def call(self, task: str, params: Mapping[str, Any]) -> Call:
        self.asked.append(params)
        return Call(self, task, params)


class Dialog(ModalScreen[None]):
    DEFAULT_CSS = (
        "Dialog { align: center middle; background: black 60%; } Dialog Static { width: 20; height: 5; }"
    )

    def compose(self) -> ComposeResult:
        yield Static("a dialog")


class Board(App[None]):
    CSS = """
    PicturePlot { height: 10; margin: 0 2; }
    #cover { layer: above; offset: 10 4; width: 12; height: 3; display: none; background: red; }
    Screen { layers: base above; }
    #below { height: 40; }
    """

    def __init__(self, protocol: Protocol) -> None:
        super().__init__()
        self.graphics = Graphics(protocol, CELL, 32)
        self.engine = Engine()
        self.sixels = Sixels()
        self.terminal = PixelTerminal(COLUMNS, LINES, CELL)
        self.written: list[str] = []

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield PicturePlot()
            yield FormulaImage()
            yield Static("below", id="below")
        yield Static("cover", id="cover")

    def on_mount(self) -> None:
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = THEMES[0].name
        assert self._driver is not None
        self._driver.write = self.terminal.write  # type: ignore[method-assign]

    def _display(self, screen: Any, renderable: Any) -> None:
        """As the workbench does; what would go to the terminal goes to ours."""
        if renderable is not None and not self._batch_count:
            update = with_sixels(renderable, self.sixels)
            self.terminal.write(update.render_segments(self.console))
        super()._display(screen, renderable)


def curve(scale: float = 1.0) -> tuple[Series, ...]:
    xs = [x / 20 for x in range(-100, 101)]
    return (Series("head", xs, [scale * x * x for x in xs]),)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, user_home: Path) -> None:
    monkeypatch.setattr(picture, "_BETWEEN_S", 0.0)
    monkeypatch.setattr(picture, "_PAUSE_S", 0.01)
    monkeypatch.setenv("COLORTERM", "truecolor")


def region(app: Board) -> set[tuple[int, int]]:
    """The cells of the plot that are on the screen."""
    place = app.query_one(PicturePlot).content_region
    seen = app.screen.region.intersection(place)
    return {(y, x) for y in seen.line_range for x in seen.column_range}


async def shown(app: Board, pilot: Pilot[None]) -> PicturePlot:
    plot = app.query_one(PicturePlot)
    plot.series = curve()
    await until(pilot, lambda: plot.picture_shown and (app.terminal.placed() or app.terminal.painted()))
    await pilot.pause()
    return plot


async def test_without_pixels_the_engine_is_not_asked() -> None:
    app = Board("none")
    async with app.run_test(size=(COLUMNS, LINES)) as pilot:
        app.query_one(PicturePlot).series = curve()
        text = lambda: "".join(app.terminal.text(line) for line in range(10))  # noqa: E731
        await until(pilot, lambda: any("⣀" <= character <= "⣿" for character in text()))
        assert app.engine.asked == []


async def test_kitty_shows_every_cell_of_the_picture_in_its_place() -> None:
    app = Board("kitty")
    async with app.run_test(size=(COLUMNS, LINES)) as pilot:
        plot = await shown(app, pilot)
        ((number, (image, columns, lines)),) = app.terminal.images.items()
        assert (columns, lines) == plot.size
        assert image.size == (columns * CELL[0], lines * CELL[1])
        (placed,) = app.terminal.placed().values()
        assert set(app.terminal.placed()) == {number}
        left, top = plot.content_region.offset
        assert set(placed) == region(app)
        assert all(
            row == y - top and (column == x - left or column == -1)
            for (y, x), (row, column) in placed.items()
        )
        assert placed[top, left + 15] == (0, 15)


async def test_kitty_has_one_picture_at_a_time_and_none_in_the_end() -> None:
    app = Board("kitty")
    async with app.run_test(size=(COLUMNS, LINES)) as pilot:
        plot = await shown(app, pilot)
        (first,) = app.terminal.images
        plot.series = curve(3.0)
        await until(
            pilot, lambda: set(app.terminal.images) not in ({first}, set()) and len(app.terminal.images) == 1
        )
        await pilot.pause()
        assert set(app.terminal.placed()) == set(app.terminal.images)
        await pilot.resize_terminal(50, LINES)
        app.terminal.resize(50)
        await until(pilot, lambda: plot.picture_shown and len(app.terminal.images) == 1)
        plot.series = ()
        await until(pilot, lambda: not app.terminal.images)
        plot.series = curve()
        await until(pilot, lambda: plot.picture_shown)
        assert app.terminal.images
        await plot.remove()
        await until(pilot, lambda: not app.terminal.images and not app.terminal.placed())


async def test_sixel_paints_once_and_only_over_its_cells() -> None:
    app = Board("sixel")
    async with app.run_test(size=(COLUMNS, LINES)) as pilot:
        plot = await shown(app, pilot)
        assert app.terminal.painted()
        assert app.terminal.painted() <= region(app)
        # As a whole, in one sequence.
        sizes = {(len(rows[0]), len(rows)) for rows in app.terminal.sixels}
        assert sizes == {(plot.size.width * CELL[0], plot.size.height * CELL[1])}


async def test_what_covers_a_sixel_picture_stays_and_leaves_nothing() -> None:
    app = Board("sixel")
    async with app.run_test(size=(COLUMNS, LINES)) as pilot:
        plot = await shown(app, pilot)
        before = app.terminal.painted()
        cover = app.query_one("#cover")
        cover.display = True
        await until(pilot, lambda: app.terminal.painted() < before)
        covered = {(y, x) for y in cover.region.line_range for x in cover.region.column_range}
        assert covered & before
        assert app.terminal.painted() == before - covered
        # A repaint of all of it goes around the cover.
        plot.refresh()
        app.refresh()
        await pilot.pause(0.1)
        assert app.terminal.painted() == before - covered
        assert "cover" in app.terminal.text(cover.region.y)
        cover.display = False
        await until(pilot, lambda: app.terminal.painted() == before)


@pytest.mark.parametrize("protocol", ["kitty", "sixel"])
async def test_under_a_dialog_it_is_drawn_and_then_it_comes_back(protocol: Protocol) -> None:
    app = Board(protocol)

    def pixels() -> bool:
        return bool(app.terminal.painted() or app.terminal.placed())

    async with app.run_test(size=(COLUMNS, LINES)) as pilot:
        plot = await shown(app, pilot)
        assert pixels()
        app.push_screen(Dialog())
        await until(pilot, lambda: not pixels() and not plot.picture_shown)
        app.pop_screen()
        await until(pilot, pixels)
        assert len(app.engine.asked) == 1, "it is not drawn anew"


@pytest.mark.parametrize("protocol", ["kitty", "sixel"])
async def test_it_scrolls_with_what_is_around_it(protocol: Protocol) -> None:
    app = Board(protocol)
    async with app.run_test(size=(COLUMNS, LINES)) as pilot:
        await shown(app, pilot)
        scroll = app.query_one(VerticalScroll)

        def in_place() -> bool:
            if protocol == "kitty":
                return {cell for cells in app.terminal.placed().values() for cell in cells} == region(app)
            painted = app.terminal.painted()
            return painted <= region(app) and bool(painted) == (scroll.scroll_offset.y < 9)

        for offset in (4, 30, 2, 0):
            scroll.scroll_to(y=offset, animate=False)
            there = min(offset, scroll.max_scroll_y)
            await until(pilot, lambda there=there: scroll.scroll_offset.y == there and in_place())  # type: ignore[misc]


async def test_a_theme_brings_its_colours() -> None:
    app = Board("kitty")
    async with app.run_test(size=(COLUMNS, LINES)) as pilot:
        await shown(app, pilot)
        ((image, *_),) = app.terminal.images.values()
        dark = image.convert("RGB").getpixel((0, 0))
        app.theme = "mathwb-light"
        await until(pilot, lambda: len(app.engine.asked) == 2 and len(app.terminal.images) == 1)
        ((image, *_),) = app.terminal.images.values()
        assert image.convert("RGB").getpixel((0, 0)) != dark


async def test_a_picture_that_fails_is_a_drawing() -> None:
    app = Board("kitty")
    async with app.run_test(size=(COLUMNS, LINES)) as pilot:
        plot = await shown(app, pilot)
        app.engine.error = EngineError("no", code="E201")
        plot.series = curve(2.0)
        await until(pilot, lambda: not plot.picture_shown)
        assert not app.terminal.images


async def test_the_newest_curves_win() -> None:
    app = Board("kitty")
    async with app.run_test(size=(COLUMNS, LINES)) as pilot:
        plot = await shown(app, pilot)
        for step in range(1, 30):
            plot.series = curve(float(step))
            await asyncio.sleep(0)
        await until(pilot, lambda: app.engine.asked[-1]["y"] == [0.0, 29 * 25.0])
        assert len(app.engine.asked) < 20


async def test_a_formula_takes_the_room_it_needs_and_no_more() -> None:
    app = Board("kitty")
    async with app.run_test(size=(COLUMNS, LINES)) as pilot:
        formula = app.query_one(FormulaImage)
        assert formula.size.height == 0
        formula.show_formula(r"\frac{x^{2}}{3}", "x²/3")
        await until(pilot, lambda: formula.picture_shown)
        await pilot.pause()
        ((_, columns, lines),) = app.terminal.images.values()
        assert formula.size.height == lines + 1
        (placed,) = app.terminal.placed().values()
        assert len(placed) == columns * lines
        # What cannot be drawn takes none.
        formula.show_formula(r"\nosuch{", "?")
        await until(pilot, lambda: len(app.engine.asked) == 2 and formula.size.height == 0)
        assert not app.terminal.images


def test_a_long_curve_is_thinned_and_keeps_its_ends_and_gaps() -> None:
    xs = [float(x) for x in range(100_000)]
    ys: list[float | None] = [0.0] * 100_000
    ys[51_234], ys[70_001] = 9.0, -3.0
    ys[20_000:30_000] = [None] * 10_000
    thin = picture._thin_curve(Series("loss", xs, ys), 500)
    assert len(thin["xs"]) == len(thin["ys"]) < 1600
    assert max(y for y in thin["ys"] if y is not None) == 9.0
    assert min(y for y in thin["ys"] if y is not None) == -3.0
    assert any(y is None for y in thin["ys"])
    assert thin["xs"] == sorted(thin["xs"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("protocol", "answer"),
    [
        ("kitty", b"\x1bP>|kitty(0.35.2)\x1b\\\x1b_Gi=4711;OK\x1b\\\x1b[6;18;9t\x1b[?62;c"),
        ("sixel", b"\x1b[6;18;9t\x1b[?63;1;4c\x1b[?1;0;256S\x1b[?63;4c"),
    ],
)
def test_the_program_in_a_terminal_shows_a_picture_and_leaves_none(
    protocol: str, answer: bytes, user_home: Path
) -> None:
    terminal = PixelTerminal(140, 44, (9, 18))
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 44, 140, 140 * 9, 44 * 18))
    # Workers of pytest are told a size of the terminal, which is not that of this one.
    own = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    environment = own | {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
    command = [sys.executable, "-P", "-c", "from workbench.cli import main; main()"]
    with subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True
    ) as process:
        os.close(slave)
        decoder = codecs.getincrementaldecoder("utf-8")()

        def read_until(reached: Callable[[], bool]) -> None:
            end = time.monotonic() + 120
            while not reached() and time.monotonic() < end:
                if select.select([master], [], [], 0.1)[0]:
                    try:
                        data = os.read(master, 65536)
                    except OSError:  # it has ended
                        return
                    if b"\x1b[16t" in data:
                        os.write(master, answer)
                    terminal.write(decoder.decode(data))
            assert reached()

        try:
            read_until(lambda: bool(terminal.placed() or terminal.painted()))
            assert bool(terminal.images) == (protocol == "kitty")
            os.write(master, b"3")
            read_until(lambda: not terminal.placed() and not terminal.painted())
            os.write(master, b"1")
            read_until(lambda: bool(terminal.placed() or terminal.painted()))
            os.write(master, b"q")
            read_until(lambda: process.poll() is not None)
            assert process.wait(120) == 0
            assert not terminal.images
        finally:
            process.kill()
            os.close(master)
