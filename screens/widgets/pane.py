"""Panes: a quiet frame with a title, what it holds, and tabs when it holds several things."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Offset
from textual.message import Message
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget
from textual.widgets import Static

from engines.core.errors import EngineError
from screens.shell.export import CommandLine, Export, Lookup, PaneSelection
from screens.shell.theme import elide, format_count, safe_text, text_width
from screens.widgets.listing import Listing
from screens.widgets.reader import WidgetMessage
from screens.widgets.table import Table

_CORNERS = 6
"""Cells of the line above a frame that no title stands in."""


class TabStrip(Static):
    """Tabs in one line, `[members] [e-graph] [map]`; the current one stands out, and a click shows another.

    Without room for all, the current one is visible, and `…` stands for those that are not.
    """

    DEFAULT_CSS = "TabStrip { height: 1; color: $quiet; padding: 0 1; }"

    _labels: tuple[str, ...] = ()
    _active = -1
    in_sight: tuple[tuple[int, int], ...] = ()
    """The tabs in sight: their index, and the cell they begin at."""

    @dataclass
    class Picked(Message):
        index: int

    def on_click(self, event: events.Click) -> None:
        if (index := event.style.meta.get("tab")) is not None:
            self.post_message(self.Picked(index))

    def show_tabs(self, labels: Sequence[str], active: int) -> None:
        """Show these tabs; `active` is the index of the current one, or -1."""
        self._labels, self._active = tuple(safe_text(label).plain for label in labels), active
        self._draw_tabs()

    def on_resize(self) -> None:
        self._draw_tabs()

    def _draw_tabs(self) -> None:
        # Each tab takes the cells of its label, two brackets, and the blank behind it.
        first, last = _in_sight(
            [text_width(label) + 3 for label in self._labels], self._active, self.size.width
        )
        parts, in_sight, x = [], [], 0
        if first:
            parts, x = [Content.styled("…", "$quiet")], 2
        # Tabs before the first one in sight are shown by `…`.
        for index in range(first, last):
            label = self._labels[index]
            style = "$accent bold" if index == self._active else "$quiet"
            # The index travels with the text, so that a click knows its tab.
            tab = Content.assemble((f"[{label}]", style)).stylize(Style.from_meta({"tab": index}))
            parts.append(tab)
            in_sight.append((index, x))
            x += tab.cell_length + 1
        if last < len(self._labels):
            parts.append(Content.styled("…", "$quiet"))
        self.in_sight = tuple(in_sight)
        self.update(Content(" ").join(parts))


def _in_sight(widths: Sequence[int], active: int, cells: int) -> tuple[int, int]:
    """Return the first tab in sight and the one behind the last; `widths` with the blank behind each.

    >>> _in_sight([5, 5, 5, 5], 0, 19), _in_sight([5, 5, 5, 5], 0, 12), _in_sight([5, 5, 5, 5], 3, 12)
    ((0, 4), (0, 2), (2, 4))
    """
    many = len(widths)
    if not cells or sum(widths) - 1 <= cells:
        return 0, many
    # Begin as far left as possible, so that the active tab is still in sight.
    for first in range(max(active, 0) + 1):
        # `…` takes two cells on each side where tabs are left out.
        room, last = cells - 2 * (first > 0), first
        while last < many and sum(widths[first : last + 1]) + 1 <= room + 2 * (last + 1 == many):
            last += 1
        if last > active:
            return first, last
    return max(active, 0), max(active, 0) + 1


class Page(Vertical):
    """One of several pages of a pane; `make` creates its content when it is first shown."""

    DEFAULT_CSS = "Page { height: 1fr; }"

    def __init__(
        self, label: str, *children: Widget, id: str, make: Callable[[], Iterable[Widget]] | None = None
    ) -> None:
        super().__init__(*children, id=id)
        self.label = label
        self._make = make

    async def make_content(self) -> None:
        """Create the content, unless that has been done."""
        make, self._make = self._make, None
        # The app may be left while its panes are still being put up.
        if make is not None and self.is_attached:
            await self.mount(*make())


class Holding:
    """The protocol of everything that shows content: its selection, exports, lookups and signs."""

    LEGEND: ClassVar[Sequence[tuple[str, str]]] = ()
    """The signs that it shows, each with what it means, for `?`."""

    def selection(self, line: CommandLine) -> PaneSelection | None:  # noqa: ARG002
        """Return what is selected, for copying, notes and bookmarks.

        Args:
            line: makes a command line out of words.
        """
        return None

    def exports(self) -> Sequence[Export]:
        """Return the formats in which the content can be written."""
        return ()

    def lookups(self) -> Sequence[Lookup]:
        """Return the ids by which the palette finds the content."""
        return ()

    def why_not(self, verb: str) -> str:  # noqa: ARG002
        """Return the reason that a verb does not apply here now, or an empty string."""
        return ""

    def list_signs(self) -> Sequence[tuple[str, str]]:
        """Return the signs shown here, each with its meaning, for `?`."""
        return self.LEGEND


class Pane(Holding, Vertical):
    """A framed part of a screen.

    Its children are widgets, or `Page`s of which one is shown at a time, with tabs. `title` says what the
    pane shows, `trail` what that is a part of, `detail` how many there are, and `footnote`, in the lower
    frame, where it came from. `PageShown` is posted when a page comes to the front, so that it can be filled.

    A pane gets its data by its own methods, posts messages, and does not know the screen.
    """

    DEFAULT_CSS = """
    Pane {
        border: round $line;
        border-title-color: $quiet;
        border-subtitle-color: $quiet;
        border-subtitle-align: left;
        padding: 0;
        height: 1fr;
        width: 1fr;
    }
    Pane:focus-within { border: round $accent; border-title-color: $foreground; }
    """

    # They are drawn as parts of the frame, which repaints itself where one is another than before.
    title: reactive[str] = reactive("", repaint=False)
    trail: reactive[tuple[str, ...]] = reactive((), repaint=False)
    detail: reactive[str] = reactive("", repaint=False)
    footnote: reactive[str] = reactive("", repaint=False)
    neighbours: reactive[tuple[str, ...]] = reactive((), repaint=False)
    """Titles of the panes that share this place when the terminal is narrow; the shown one is this pane."""

    @dataclass
    class NeighbourPicked(Message):
        pane: Pane
        index: int

    class Retitled(Message):
        """The title is another one; panes that share its place name it."""

    class PageShown(WidgetMessage["Pane"]):
        """A page came to the front."""

    # What panes and the parts of them say; `@on(Pane.Selected, "#left")` hears one of them.

    class Selected(WidgetMessage[Widget]):
        """Something else is selected, or nothing, or the same as it is now."""

    class Opened(WidgetMessage[Widget]):
        """What is selected is to be opened."""

    class Marked(WidgetMessage[Widget]):
        """Marks changed."""

    class Left(WidgetMessage[Widget]):
        """There is nothing further to the left: the pane there is wanted."""

    class AskedFor(WidgetMessage[Widget]):
        def __init__(self, widget: Widget, name: str) -> None:
            super().__init__(widget)
            self.name = name

    def __init__(self, *children: Widget, title: str, id: str, share: int = 1) -> None:
        super().__init__(*children, id=id)
        self.set_reactive(Pane.title, title)
        self.share = share
        self._strip = TabStrip()
        self.styles.width = f"{share}fr"

    def compose(self) -> ComposeResult:
        yield self._strip

    async def on_mount(self) -> None:
        pages = self.pages
        self._strip.display = bool(pages)
        if pages:
            await self.show_page(pages[0].id or "")
        self._draw_title()

    # Pages

    @property
    def has_tabs(self) -> bool:
        """Return whether the pane has pages to switch between."""
        return bool(self.pages)

    @property
    def pages(self) -> list[Page]:
        """Return the pages of the pane, in the order of their tabs."""
        return [child for child in self.children if isinstance(child, Page)]

    @property
    def page(self) -> Page | None:
        """Return the page that is shown, or None."""
        return next((page for page in self.pages if page.display), None)

    @property
    def page_name(self) -> str:
        """The id of the page that is shown, without `-page`."""
        return (self.page.id or "").removesuffix("-page") if self.page is not None else ""

    async def show_page(self, name: str) -> None:
        """Bring the page with this id to the front; the focus follows if it was in this pane."""
        chosen = next((page for page in self.pages if page.id == name), None)
        if chosen is None:
            return
        # Asked before the pages change, which may take the focus away.
        focused = self.screen.focused
        inside = focused is not None and self in focused.ancestors
        # The content of a page is made when it is first shown.
        await chosen.make_content()
        for page in self.pages:
            page.display = page is chosen
        self._strip.show_tabs([page.label for page in self.pages], self.pages.index(chosen))
        if inside:
            self.focus_inside()
        self.post_message(self.PageShown(self))

    def tab_places(self) -> list[tuple[Page, Offset]]:
        """Return the pages with the positions of their tabs on the screen."""
        strip = self._strip
        at, pages = strip.content_region, self.pages
        # The tabs of a list are its sources.
        return [(pages[index], Offset(at.x + x, at.y)) for index, x in strip.in_sight] if pages else []

    async def step_page(self, step: int) -> None:
        """Show the page `step` tabs further on, wrapping around."""
        if (page := self.page) is not None:
            pages = self.pages
            await self.show_page(pages[(pages.index(page) + step) % len(pages)].id or "")

    @on(TabStrip.Picked)
    async def _show_picked_page(self, event: TabStrip.Picked) -> None:
        event.stop()
        await self.show_page(self.pages[event.index].id or "")

    # Focus

    def focus_inside(self) -> bool:
        """Focus the first widget here that takes the focus; return whether there is one."""
        # The first widget that the tab key would reach; filter lines are left out.
        target: Widget = self.page or self
        for widget in target.walk_children(Widget):
            if widget.focusable and widget.can_focus and not widget.has_class("-not-by-tab"):
                widget.focus()
                return True
        return False

    # Frame

    def on_click(self, event: events.Click) -> None:
        if (index := event.style.meta.get("neighbour")) is not None:
            self.post_message(self.NeighbourPicked(self, index))

    def watch_title(self) -> None:
        self._draw_title()
        if self.neighbours:
            self.post_message(self.Retitled())

    def watch_footnote(self) -> None:
        self.border_subtitle = safe_text(self.footnote)

    @on(events.Resize)
    def _draw_title(self) -> None:
        """Trail, title and detail; the trail gives way to the detail, and that to the names of neighbours."""
        # What this pane shows comes first; the names of others take the room that they need.
        own = safe_text(f"{self.title} {self.detail}".strip())
        others = sum(text_width(name) + 3 for name in self.neighbours) - 3 - text_width(self.title)
        room = self.outer_size.width - _CORNERS - (others if len(self.neighbours) > 1 else 0)
        # The trail gives way first, and is left out below three cells.
        trail = elide(" › ".join(self.trail), room - own.cell_length - 3)
        if text_width(trail) > 3:
            own = safe_text(f"{trail} › ", "$quiet") + own
        if len(self.neighbours) < 2:
            self.border_title = own
            return
        if text_width(own.plain) > room >= text_width(self.title):
            own = own.truncate(room, ellipsis=True)
        # The titles of all panes that share this place, each of which can be clicked.
        parts = []
        for index, name in enumerate(self.neighbours):
            label = own.stylize("bold") if name == self.title else safe_text(name, "$quiet")
            parts.append(label.stylize(Style.from_meta({"neighbour": index})))
        self.border_title = Content(" │ ").join(parts)

    watch_detail = watch_trail = watch_neighbours = _draw_title


class TreeListing(Listing):
    """A list of records that form a tree and can be folded.

    Each record has its `home` (the key of its parent, or an empty string), `leaf` (whether it has no
    children) and `open` (whether it is unfolded). `Left` is posted when nothing is left to fold.
    """

    _back: tuple[str, ...] = ()
    """Where references were followed."""

    def toggle_node(self, key: str) -> None:
        """Fold or unfold the node with this key."""
        raise NotImplementedError

    def action_right(self) -> None:
        row = self.table.current
        if row is None or row["leaf"]:
            return
        if row["open"]:
            self.table.cursor += 1
        else:
            self.toggle_node(row["id"])

    def action_left(self) -> None:
        row = self.table.current
        if row is not None and row["open"] and not row["leaf"]:
            self.toggle_node(row["id"])
        elif row is not None and row["home"]:
            self.table.go_to(row["home"])
        else:
            self.post_message(Pane.Left(self))

    def go_back(self) -> bool:
        """Go back to the reference that was followed last; return whether there was one."""
        if not self._back:
            return False
        *back, last = self._back
        self._back = tuple(back)
        return self.go_to(last)


class ListPane(Pane):
    """A pane that is one list, with other widgets below it; its title says how many lines there are.

    Its tabs, if there are several, are the sources of the list: corpora, collections. `show_sources` names
    them, and `AskedFor` is posted when another one is to be shown.
    """

    NONE: ClassVar[tuple[str, str]] = ("", "")
    """What is said where there is no source, and what can be done about it."""

    sources: tuple[str, ...] = ()
    source = ""

    def __init__(self, listing: Listing, *below: Widget, title: str, id: str, share: int = 1) -> None:
        super().__init__(listing, *below, title=title, id=id, share=share)
        self.listing = listing
        self.table = listing.table

    # Sources

    def show_sources(self, names: Sequence[str], shown: str) -> None:
        """Show the names of the sources as tabs, unless there is only one."""
        self.sources, self.source = tuple(names), shown
        self.trail = (shown,) if shown else ()
        self._strip.display = len(names) > 1
        self._strip.show_tabs(names, self._place)

    @property
    def _place(self) -> int:
        return self.sources.index(self.source) if self.source in self.sources else -1

    @property
    def has_tabs(self) -> bool:
        """Return whether there are several sources to switch between."""
        return len(self.sources) > 1

    async def step_page(self, step: int) -> None:
        if self.sources:
            name = self.sources[(max(0, self._place) + step) % len(self.sources)]
            self.post_message(self.AskedFor(self, name))

    @on(TabStrip.Picked)
    def _source_picked(self, event: TabStrip.Picked) -> None:
        event.stop()
        # Otherwise the handler of `Pane` would look for a page of this index.
        event.prevent_default()
        self.post_message(self.AskedFor(self, self.sources[event.index]))

    # The list

    def show_loading(self, what: str) -> None:
        """Say what is being loaded, in place of rows."""
        self.listing.show_loading(what)

    def show_error(self, error: EngineError) -> None:
        """Show an error in place of rows."""
        self.listing.show_error(error)

    def show_none(self) -> None:
        """Show that there is no source."""
        self.listing.when_empty(*self.NONE)
        self.listing.load([])

    def go_to(self, key: str) -> bool:
        """Put the cursor on a record; return whether it is in the list."""
        return self.listing.go_to(key)

    def step_cursor(self, by: int) -> None:
        """Move the cursor by so many records."""
        self.table.cursor += by

    def why_no_step(self, verb: str) -> str:
        """Return the reason that `earlier` or `later` leads nowhere."""
        if not self.table.shown:
            return "there is nothing to open"
        if verb == "earlier":
            return "" if self.table.cursor else "this is the first"
        return "" if self.table.cursor < self.table.shown - 1 else "this is the last"

    @on(Table.Counted)
    def _show_count(self, event: Table.Counted) -> None:
        shown, total = event.table.shown, len(event.table.rows)
        self.detail = (
            format_count(total)
            if event.table.filter is None
            else f"{format_count(shown)} of {format_count(total)}"
        )

    @on(Table.Moved)
    @on(Table.Opened)
    @on(Table.Marked)
    def _table_said(self, event: Table.Moved) -> None:
        # The table's own message stops here; the screen hears that of the pane.
        event.stop()
        said = {Table.Moved: self.Selected, Table.Opened: self.Opened, Table.Marked: self.Marked}
        self.post_message(said[type(event)](self))
