"""Points in the plane, drawn with braille dots: one is lit, and the arrow keys go from point to point."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from colorsys import hls_to_rgb
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from screens.shell.keymap import SCATTER_KEYS, bindings
from screens.shell.theme import DOTS, format_count, safe_text
from screens.widgets.pane import Pane
from screens.widgets.reader import WidgetMessage

# First colours of the theme, then mostly those of Okabe and Ito.
_COLOURS = ("$accent", "$series-2", "#009e73", "#cc79a7", "#e69f00", "#8c7ae6", "#d55e00")
_LETTERS = "ox+*#%@&abcdefghijkl"
_DOWN, _UP, _LEFT, _RIGHT = (0, 1), (0, -1), (-1, 0), (1, 0)

DotPosition = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ScatterDot:
    """A dot of the map: its key, its coordinates and its kind."""

    key: str
    x: float
    y: float
    kind: str


def _assign_colours(kinds: Sequence[str]) -> dict[str, str]:
    if len(kinds) <= len(_COLOURS):
        return dict(zip(kinds, _COLOURS, strict=False))
    result = {}
    for number, kind in enumerate(kinds):
        # Around the circle of hues, alternating in lightness, so that neighbours differ in both.
        red, green, blue = hls_to_rgb(number / len(kinds), (0.5, 0.65)[number % 2], 0.7)
        result[kind] = f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"
    return result


class Scatter(Widget, can_focus=True):
    """A map of dots; `show_dots` fills it, and `show_message` shows a text instead.

    `lit` is the key of the dot under the cursor. `faint` are the keys of dots that are hidden by a filter:
    they are drawn in grey and skipped. Messages: `Selected` when another dot is lit, `Opened` on enter and
    double click, `Left` for left at the left end, `Arrange` when another arrangement is wanted.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(SCATTER_KEYS)
    DEFAULT_CSS = "Scatter { height: 1fr; padding: 0 1; }"

    lit: reactive[str] = reactive("")

    class Arrange(WidgetMessage["Scatter"]):
        """The dots are to be arranged in another way."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.dots: tuple[ScatterDot, ...] = ()
        self._said = Content()
        self._faint: Collection[str] = frozenset()
        self._colours: dict[str, str] = {}
        self._numbers: dict[str, int] = {}
        self._grid = (0, 0)
        # Computed by `_lay_out` for the present size: the position of each dot, and the dots in each cell.
        self._dot_places: list[DotPosition] = []
        self._by_cell: dict[DotPosition, list[int]] = {}

    # What there is

    def show_dots(self, dots: Sequence[ScatterDot]) -> None:
        """Show other dots; the lit dot stays lit if it is among them."""
        self.dots = tuple(dots)
        self._said = Content()
        self._numbers = {dot.key: number for number, dot in enumerate(self.dots)}
        # The most frequent kinds get the first colours, which are easiest to tell apart.
        self._colours = _assign_colours([kind for kind, _ in Counter(dot.kind for dot in dots).most_common()])
        self._grid, self._dot_places, self._by_cell = (0, 0), [], {}
        if self.dots and self.lit not in self._numbers:
            self.set_reactive(Scatter.lit, self.dots[0].key)
        self.refresh()

    def show_message(self, message: Content) -> None:
        """Show a message in place of the dots."""
        self.dots, self._said = (), message
        self.refresh()

    @property
    def faint(self) -> Collection[str]:
        """The keys of dots that are passed over."""
        return self._faint

    @faint.setter
    def faint(self, keys: Collection[str]) -> None:
        if keys != self._faint:
            self._faint = keys
            self.refresh()

    @property
    def here(self) -> ScatterDot | None:
        """Return the dot under the cursor."""
        number = self._numbers.get(self.lit)
        return None if number is None or not self.dots else self.dots[number]

    @property
    def together(self) -> tuple[int, int]:
        """Which of how many dots in its cell the lit one is, from 1 on."""
        self._lay_out()
        number = self._numbers.get(self.lit)
        if number is None or not self._dot_places:  # there may be no room yet
            return 0, 0
        # Dots of one cell cannot be told apart by eye, so they are counted.
        mates = self._by_cell[_cell_of(self._dot_places[number])]
        return mates.index(number) + 1, len(mates)

    def watch_lit(self) -> None:
        self.refresh()
        self.post_message(Pane.Selected(self))

    # Places

    def _lay_out(self) -> None:
        """Put the dots on the grid of braille dots, two across and four down a cell."""
        # The last line is the legend.
        cells, lines = self.content_size.width, self.content_size.height - 1
        if self._grid == (cells, lines) or not self.dots or cells < 1 or lines < 1:
            return
        self._grid = (cells, lines)
        across = _scale_values([dot.x for dot in self.dots], 2 * cells - 1)
        up = _scale_values([dot.y for dot in self.dots], 4 * lines - 1)
        # The y axis points up, lines are counted downwards.
        self._dot_places = [(x, 4 * lines - 1 - y) for x, y in zip(across, up, strict=True)]
        self._by_cell = {}
        for number, position in enumerate(self._dot_places):
            self._by_cell.setdefault(_cell_of(position), []).append(number)

    def on_resize(self) -> None:
        self.refresh()
        if self.dots:
            self.post_message(Pane.Selected(self))  # what stands together is another now

    # Keys

    def _light_best(self, cost: Callable[[DotPosition], float | None]) -> bool:
        """Highlight the dot of least cost; None is no dot to go to. Whether there was one."""
        self._lay_out()
        bright = (n for n, dot in enumerate(self.dots) if dot.key not in self._faint)
        costs = ((cost(self._dot_places[n]), n) for n in bright) if self._dot_places else ()
        best = min(((price, n) for price, n in costs if price is not None), default=None)
        if best is not None:
            self.lit = self.dots[best[1]].key
        return best is not None

    def _lit_place(self) -> DotPosition | None:
        self._lay_out()
        number = self._numbers.get(self.lit)
        return self._dot_places[number] if number is not None and self._dot_places and self.dots else None

    def _step_towards(self, direction: DotPosition) -> bool:
        """To the nearest dot of another cell in a direction; the less aside, the nearer."""
        if (here := self._lit_place()) is None:
            return False

        def step_cost(position: DotPosition) -> float | None:
            # Within an angle of about 72 degrees to either side; nothing in the same cell.
            along, aside = _measure_along(here, position, direction)
            if along <= 0 or aside > 3 * along or _cell_of(position) == _cell_of(here):
                return None
            # Being off to the side costs twice as much as distance.
            return along + 2 * aside

        return self._light_best(step_cost)

    def _leap_half_map(self, direction: DotPosition) -> None:
        """To the dot nearest to the place half the map away."""
        if (here := self._lit_place()) is None:
            return
        # In dots: half of 4 · lines, or half of 2 · cells.
        reach = 2 * self._grid[1] if direction[1] else self._grid[0]
        aim = here[0] + direction[0] * reach, here[1] + direction[1] * reach

        def leap_cost(position: DotPosition) -> float | None:
            along, _ = _measure_along(here, position, direction)
            return (position[0] - aim[0]) ** 2 + (position[1] - aim[1]) ** 2 if along > 0 else None

        self._light_best(leap_cost)

    def action_down(self) -> None:
        self._step_towards(_DOWN)

    def action_up(self) -> None:
        self._step_towards(_UP)

    def action_right(self) -> None:
        self._step_towards(_RIGHT)

    def action_left(self) -> None:
        if not self._step_towards(_LEFT):
            self.post_message(Pane.Left(self))

    def action_half_down(self) -> None:
        self._leap_half_map(_DOWN)

    def action_half_up(self) -> None:
        self._leap_half_map(_UP)

    def action_top(self) -> None:
        self._light_best(lambda position: float(position[1]))

    def action_bottom(self) -> None:
        self._light_best(lambda position: -float(position[1]))

    def why_not(self, verb: str) -> str:
        """Return the reason that a verb does not apply now, or an empty string if it does."""
        here = self._lit_place()
        alone = here is None or len(self._by_cell[_cell_of(here)]) < 2
        return "there is no other at this place" if verb in ("next_match", "previous_match") and alone else ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return None if self.why_not(action) else super().check_action(action, parameters)

    def action_next_match(self) -> None:
        self._turn_to_mate(1)

    def action_previous_match(self) -> None:
        self._turn_to_mate(-1)

    def _turn_to_mate(self, step: int) -> None:
        if (here := self._lit_place()) is not None:
            mates = self._by_cell[_cell_of(here)]
            at = mates.index(self._numbers[self.lit])
            self.lit = self.dots[mates[(at + step) % len(mates)]].key

    def action_open(self) -> None:
        if self.here is not None:
            self.post_message(Pane.Opened(self))

    def action_sort(self) -> None:
        self.post_message(self.Arrange(self))

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None:
            return
        # The dot in the middle of the cell that was clicked.
        aim = 2 * offset.x, 4 * offset.y + 1
        self._light_best(lambda dot: float((dot[0] - aim[0]) ** 2 + (dot[1] - aim[1]) ** 2))
        if event.chain == 2:
            self.action_open()

    # Drawing

    def render(self) -> Content:
        self._lay_out()
        if not self.dots or min(self._grid) < 1:
            return self._said
        cells, lines = self._grid
        letters = bool(getattr(self.app, "ascii", False)) or self.app.no_color
        lit = self._numbers.get(self.lit)
        spot = _cell_of(self._dot_places[lit]) if lit is not None else None
        rows = []
        for line in range(lines):
            runs: list[tuple[str, str]] = []
            for column in range(cells):
                text, style = self._cell_look((column, line), spot, letters)
                # Cells with the same style become one piece of text.
                if runs and runs[-1][1] == style:
                    runs[-1] = (runs[-1][0] + text, style)
                else:
                    runs.append((text, style))
            rows.append(Content.assemble(*runs))
        return Content("\n").join([*rows, self._legend_line(cells, letters)])

    def _cell_look(self, cell: DotPosition, spot: DotPosition | None, letters: bool) -> tuple[str, str]:
        # The lit dot covers all others of its cell.
        if cell == spot:
            return "●", "$foreground bold on $cursor"
        there = self._by_cell.get(cell)
        if there is None:
            # Arrows on both sides point at the lit dot.
            offset = spot is not None and cell[1] == spot[1] and cell[0] - spot[0]
            return ("▸" if offset == -1 else "◂" if offset == 1 else " "), "$accent bold"
        shown = [number for number in there if self.dots[number].key not in self._faint]
        # A few dots are seen better, and their colours with them, when each is a bullet.
        few = 4 * len(self.dots) <= self._grid[0] * self._grid[1]
        bits = 0
        for number in shown or there:
            x, y = self._dot_places[number]
            bits |= DOTS[y % 4][x % 2]
        if not shown:
            return ("." if letters else "•" if few else chr(0x2800 | bits)), "$off"
        # A cell has the colour of the kind that is most frequent in it.
        ((kind, _),) = Counter(self.dots[number].kind for number in shown).most_common(1)
        return (self._kind_letter(kind) if letters else "•" if few else chr(0x2800 | bits)), self._colours[
            kind
        ]

    def _kind_letter(self, kind: str) -> str:
        return _LETTERS[list(self._colours).index(kind) % len(_LETTERS)]

    def _legend_line(self, cells: int, letters: bool) -> Content:
        """As many kinds as there is room for, the most frequent first; how many of each if all have room."""
        # With counts if all kinds then fit, else as many names as fit.
        numbers = Counter(dot.kind for dot in self.dots)
        texts = {kind: f" {kind} {format_count(numbers[kind])}" for kind in self._colours}
        if sum(len(text) + 3 for text in texts.values()) - 2 > cells:
            texts = {kind: f" {kind}" for kind in self._colours}
        parts: list[Content] = []
        used = 0
        for kind, colour in self._colours.items():
            text = texts[kind]
            if used + len(text) + 1 > cells - (3 if len(parts) + 1 < len(numbers) else 0):
                parts.append(Content.styled("…", "$quiet"))
                break
            mark = self._kind_letter(kind) if letters else "●"
            parts.append(Content.styled(mark, colour) + safe_text(text, "$quiet"))
            used += len(text) + 3
        return Content("  ").join(parts)


def _cell_of(position: DotPosition) -> DotPosition:
    return position[0] // 2, position[1] // 4


def _measure_along(here: DotPosition, there: DotPosition, direction: DotPosition) -> tuple[int, int]:
    """Return how far `there` is in a direction, and how far aside."""
    across, down = there[0] - here[0], there[1] - here[1]
    along = across * direction[0] + down * direction[1]
    return along, abs(across * direction[1]) + abs(down * direction[0])


def _scale_values(values: Sequence[float], steps: int) -> list[int]:
    low, high = min(values), max(values)
    if high <= low:
        # All values are equal: the middle.
        return [steps // 2] * len(values)
    return [round((value - low) / (high - low) * steps) for value in values]
