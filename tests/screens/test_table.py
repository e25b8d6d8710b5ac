"""The table and the reader, each alone in an app of its own."""

from __future__ import annotations

import math
import re
from functools import partial
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.pilot import Pilot
from textual.widgets import Static

from screens.widgets.dialogs import Chooser, MenuChoice
from screens.widgets.listing import FilterLine, Listing, ReaderBox, list_completions
from screens.widgets.table import Table, TableRows
from screens.widgets.table_columns import Record, cell_content, distribute_widths, fit_cell, measure_column
from tests.screens.conftest import WAIT
from tests.screens.driving import until
from workbench.tables import Column, parse_filter

COLUMNS = (Column("id", "id", 4, "right"), Column("head", "head"), Column("size", "size", 6, "right", drop=1))
ROWS = [{"id": i, "head": f"sin(x + {i})", "size": (i * 37) % 101} for i in range(200)]


class One(App[None]):
    """Holds a list and a log."""

    CSS = "#list { height: 12; } #log { height: 8; }"

    def __init__(self) -> None:
        super().__init__()
        self.listing = Listing(COLUMNS, id="list")
        self.box = ReaderBox(id="log")
        self.seen: list[str | None] = []
        self.opened: list[str | None] = []

    def compose(self) -> ComposeResult:
        yield self.listing
        yield self.box

    def get_theme_variable_defaults(self) -> dict[str, str]:
        names = ("quiet", "line", "off", "cursor", "cursor-blurred", "series-2")
        return dict.fromkeys(names, "#888888")

    def on_table_moved(self, event: Table.Moved) -> None:
        self.seen.append(event.table.current_key)

    def on_table_opened(self, event: Table.Opened) -> None:
        self.opened.append(event.table.current_key)


async def keys(pilot: Pilot[Any], *pressed: str) -> Table:
    await pilot.press(*pressed)
    await pilot.pause()
    return pilot.app.query_one(Table)


async def test_moving_marking_sorting_and_opening() -> None:
    app = One()
    async with app.run_test(size=(60, 24)) as pilot:
        app.listing.load(ROWS)
        await pilot.pause()
        table = app.listing.table
        table.focus()
        assert (await keys(pilot, "j", "down", "j", "k")).current_key == "2"
        assert (await keys(pilot, "G")).current_key == "199"
        assert (await keys(pilot, "g")).current_key == "0"
        half = (await keys(pilot, "ctrl+d")).cursor
        assert half > 1
        assert (await keys(pilot, "ctrl+u")).cursor == 0
        await keys(pilot, "space")
        assert list(table.marks) == ["0"]
        assert table.current_key == "1"
        await keys(pilot, "j", "j", "v")
        assert sorted(table.marks) == ["0", "1", "2", "3"]
        await keys(pilot, "g", "space")
        assert "0" not in table.marks
        await keys(pilot, "s", "s", "s")
        assert table.sorting == ("size", False)
        assert (table.cursor, table.scroll_y) == (0, 0)
        shown = [record["size"] for record in table.visible_records()]
        assert shown == sorted(row["size"] for row in ROWS)
        await keys(pilot, "S")
        assert [r["size"] for r in table.visible_records()] == shown[::-1]
        await keys(pilot, "s")
        assert table.sorting is None
        await keys(pilot, "g", "enter")
        assert app.opened == ["0"]
        assert app.seen[-1] == "0"


async def test_only_shown_columns_are_sorted_by_and_titles_stay_whole() -> None:
    """The column `size` leaves at 30 cells: `s` passes it by, and once sorted by it stays."""
    app = One()
    rows = [{**row, "head": "x" * 60} for row in ROWS]
    async with app.run_test(size=(26, 24)) as pilot:
        app.listing.load(rows)
        table = app.listing.table
        table.focus()
        await pilot.pause()
        assert "size" not in table.render_line(0).text
        seen = []
        for _ in range(4):
            await keys(pilot, "s")
            seen.append(table.sorting[0] if table.sorting else None)
        assert seen == ["id", "head", None, "id"]
        assert "id▲" in table.render_line(0).text
        await pilot.resize_terminal(60, 24)
        await keys(pilot, "s", "s")
        assert table.sorting == ("size", False)
        await pilot.resize_terminal(26, 24)
        await pilot.pause()
        assert "size▲" in table.render_line(0).text
        await keys(pilot, "S")
        assert "size▼" in table.render_line(0).text
        shown = [record["size"] for record in table.visible_records()]
        assert shown == sorted(shown, reverse=True)


async def test_an_order_goes_with_its_column() -> None:
    """A list that gets other columns: `s` begins anew at those that there are."""
    app = One()
    async with app.run_test(size=(60, 24)) as pilot:
        app.listing.load(ROWS)
        table = app.listing.table
        table.focus()
        table.set_sorting(("size", True))
        table.columns = COLUMNS[:2]
        await pilot.pause()
        assert table.sorting is None
        assert [record["id"] for record in table.visible_records()] == [row["id"] for row in ROWS]
        assert (await keys(pilot, "s")).sorting == ("id", False)


async def test_a_column_computes_what_the_records_of_a_screen_do_not_hold() -> None:
    class Doubled(One):
        def __init__(self) -> None:
            super().__init__()
            twice = Column("twice", "twice", 6, "right", value=lambda row: row["size"] * 2)
            self.listing = Listing((*COLUMNS, twice), id="list", fields=("id", "head", "size", "twice"))

    app = Doubled()
    async with app.run_test(size=(60, 24)) as pilot:
        app.listing.load(ROWS)
        table = app.listing.table
        table.set_sorting(("twice", True))
        await pilot.pause()
        assert [record["size"] for record in table.visible_records()[:2]] == [100, 100]
        assert "200" in table.render_line(1).text
        table.set_filter(parse_filter("twice=74", ("size", "twice")))
        await until(pilot, lambda: [row["size"] for row in table.visible_records()] == [37, 37])


async def test_lines_without_a_value_come_last_in_both_directions() -> None:
    app = One()
    async with app.run_test(size=(60, 24)) as pilot:
        app.listing.load([{"id": i, "head": "x", "size": size} for i, size in enumerate((3, None, 7))])
        for descending, wanted in ((False, [3, 7, None]), (True, [7, 3, None])):
            app.listing.table.set_sorting(("size", descending))
            await pilot.pause()
            assert [record["size"] for record in app.listing.table.visible_records()] == wanted


async def test_the_worst_is_one_key_away_whatever_the_order_was() -> None:
    class Losses(One):
        def __init__(self) -> None:
            super().__init__()
            self.listing = Listing(COLUMNS, id="list", table=partial(Table, loss="size"))

    app = Losses()
    worst = min(ROWS, key=lambda row: (row["size"], row["id"]))["id"]
    async with app.run_test(size=(60, 24)) as pilot:
        app.listing.load(ROWS)
        table = app.listing.table
        for before in (None, ("head", True), ("size", False), ("size", True)):
            app.box.reader.focus()
            table.set_sorting(before)
            table.go_to("17")
            table.focus()
            await pilot.pause()
            assert (await keys(pilot, "S")).current_key == str(worst)
            assert table.current is not None
            await keys(pilot, "S")
            assert table.current["size"] == max(row["size"] for row in ROWS)


def test_widths_follow_what_stands_in_the_columns() -> None:
    columns = (
        Column("head", "head"),
        Column("size", "size", 8, "right", drop=1),
        Column("tok", "tok", 8, "right", drop=2),
    )
    records = [{"head": "h" * 30, "size": 120, "tok": number} for number in range(95, 105)]
    needs = [measure_column(column, records) for column in columns]
    assert [need.constant for need in needs] == [True, True, False]
    assert [(c.name, cells) for c, cells in distribute_widths(needs, 60)] == [
        ("head", 50),
        ("size", 4),
        ("tok", 3),
    ]
    # What says the same in every line leaves while heads are cut, before what tells lines apart.
    assert [(c.name, cells) for c, cells in distribute_widths(needs, 38)] == [("head", 33), ("tok", 3)]
    assert [c.name for c, _ in distribute_widths(needs, 16)] == ["head"]
    # What is empty in all lines leaves whatever room there is, unless it is sorted by.
    empty = [measure_column(column, [{"head": "h", "size": "", "tok": ""}] * 3) for column in columns]
    assert [c.name for c, _ in distribute_widths(empty, 60)] == ["head"]
    assert [c.name for c, _ in distribute_widths(empty, 60, pinned="tok")] == ["head", "tok"]
    assert [c.name for c, _ in distribute_widths(needs, 16, pinned="tok")] == ["head", "tok"]


async def test_a_column_that_can_do_with_less_gives_first(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = (Column("head", "head"), Column("verdict", "verdict", 26, least=9), Column("n", "n", drop=1))
    rows = [{"id": str(n), "head": "h" * 30, "verdict": "equal except at 0", "n": n} for n in range(3)]
    needs = [measure_column(column, rows) for column in columns]
    assert [cells for _, cells in distribute_widths(needs, 60)] == [30, 17, 10]
    assert [cells for _, cells in distribute_widths(needs, 50)] == [30, 9, 8]
    app = One()
    async with app.run_test(size=(40, 24)) as pilot:
        table = Table(columns)
        await app.screen.mount(table)
        table.load(rows)
        await pilot.pause()
        asked: list[bool] = []
        monkeypatch.setattr(table, "refresh", lambda *_, **__: asked.append(True))
        assert "…at 0" in table.render_line(1).text
        # What is cut on purpose does not ask for more room at every painting.
        assert not asked


def test_figures_line_up_at_their_points() -> None:
    texts = ["0.3101", "12.5", "-7", "4e-05", "–", "", "1.25k/s"]
    column = Column("a", "a", 12, "point")
    need = measure_column(column, [{"a": text} for text in texts])
    lines = [
        fit_cell(cell_content(column, {"a": text}), need.cells, "point", need.point).plain for text in texts
    ]
    assert {len(line) for line in lines} == {need.cells}
    assert [line.strip() for line in lines] == texts
    assert {line.index(".") for line in lines if "." in line} == {2}
    assert lines[2].index("7") == lines[3].index("4") == 1
    # In less room they still do, but for those that need the room in front.
    narrow = [fit_cell(cell_content(column, {"a": text}), 7, "point", need.point).plain for text in texts]
    assert [line.strip() for line in narrow] == texts
    assert [line.index(".") for line in narrow if "." in line] == [2, 2, 1]


async def test_a_held_key_moves_the_cursor_and_what_follows_waits_until_it_rests(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("screens.widgets.table.REST_S", 0.3)
    monkeypatch.setattr(Table, "_wait_for_rest", WAIT)
    app = One()
    async with app.run_test(size=(60, 24)) as pilot:
        app.listing.load(ROWS)
        await pilot.pause()
        table = app.listing.table
        table.focus()
        app.seen.clear()
        for _ in range(30):
            table.action_down()
        await pilot.pause()
        assert (table.current_key, app.seen) == ("30", []), "nothing while it is held"
        top = round(table.scroll_y)
        lines = [table.render_line(line).text for line in range(1, 12)]
        assert all(str(ROWS[top + at - 1]["head"]) in line for at, line in enumerate(lines, 1)), lines
        assert lines[30 - top].startswith(" ▸")
        await until(pilot, lambda: app.seen == ["30"])
        table.action_up()
        table.action_up()
        assert table.settle_cursor()
        await pilot.pause()
        assert app.seen[-1] == "28"
        assert not table.settle_cursor()


async def test_a_number_is_never_cut_in_its_middle() -> None:
    app = One()
    async with app.run_test(size=(60, 24)) as pilot:
        table = app.listing.table
        table.columns = (*COLUMNS[1:], Column("x", "x", 5, "point", least=3, format=".4g"))
        rows = [
            {"id": i, "head": "h" * 60, "size": f"{10**i:,}".replace(",", " "), "x": -5.3e-6}
            for i in range(7)
        ]
        app.listing.load(rows)
        await pilot.pause()
        for cells in range(60, 8, -1):
            app.listing.styles.width = cells
            await pilot.pause()
            for line in range(1, 8):
                figures = re.split(r"[h…]+ ", table.render_line(line).text)[-1].split("  ")
                for figure in filter(None, map(str.strip, figures)):
                    value = float(figure.replace(" ", ""))
                    wanted = -5.3e-6 if value < 0 else 10 ** (line - 1)
                    assert math.isclose(value, wanted, rel_tol=0.1), (cells, figure)


async def test_filter_is_applied_while_it_is_typed() -> None:
    app = One()
    async with app.run_test(size=(60, 24)) as pilot:
        app.listing.load(ROWS)
        table = app.listing.table
        table.focus()
        await keys(pilot, "slash", *"size>90")
        assert {record["size"] for record in table.visible_records()} == set(range(91, 101))
        await keys(pilot, "enter")
        assert table.has_focus
        last = table.shown
        await keys(pilot, "slash", "space", "z", "z")
        assert table.shown == 0
        await keys(pilot, "escape")
        assert table.shown == len(ROWS)
        assert last < len(ROWS)
        assert table.has_focus
        await keys(pilot, "slash", *"size>90", "enter")
        first = table.current_key
        app.listing.clear_filter()
        await keys(pilot, "g", "n")
        assert table.current is not None
        assert table.current["size"] > 90
        following = table.cursor
        await keys(pilot, "n")
        assert table.cursor > following
        await keys(pilot, "N")
        assert table.cursor == following
        assert first is not None


async def test_a_wrong_filter_says_where_and_keeps_the_last_rows() -> None:
    app = One()
    async with app.run_test(size=(80, 24)) as pilot:
        app.listing.load(ROWS)
        app.listing.table.focus()
        await keys(pilot, "slash", *"siz>9")
        said = str(app.listing.query(".say").first().render())
        assert said.startswith("1: there is no field 'siz'")
        assert "size" in said
        assert app.listing.table.shown == len(ROWS)


@pytest.mark.slow
async def test_the_filter_line_has_the_full_width_completes_and_remembers() -> None:
    class Narrow(One):
        CSS = "#list { height: 12; width: 30; } #log { height: 8; }"

    app = Narrow()
    async with app.run_test(size=(90, 24)) as pilot:
        rows = [{**row, "head": "odd one" if row["id"] % 2 else "even"} for row in ROWS]
        app.listing.load(rows)
        table = app.listing.table
        table.focus()
        await keys(pilot, "slash")
        line = app.listing.query_one(FilterLine)
        said = line.query_one(".say", Static)
        assert line.region.width == 90
        assert str(said.render()).startswith("id  head  size")
        await keys(pilot, "s", "tab")
        assert line.text == "size"
        await keys(pilot, *">90", "enter")
        assert table.has_focus
        assert line.region.width == 30
        assert {record["size"] for record in table.visible_records()} == set(range(91, 101))
        await keys(pilot, "slash", "escape", "slash", *"head:", "tab", "enter")
        assert line.text == "head:even"
        assert {record["id"] % 2 for record in table.visible_records()} == {0}
        await keys(pilot, "slash", "escape", "slash", *"head:o", "tab")
        assert line.text == 'head:"odd one"'
        assert {record["id"] % 2 for record in table.visible_records()} == {1}
        await keys(pilot, "up")
        assert line.text == "head:even"
        await keys(pilot, "up")
        assert line.text == "size>90"
        await keys(pilot, "down", "down")
        assert line.text == 'head:"odd one"'
        await keys(pilot, "escape", "slash", *"zzz:1")
        assert "there is no field 'zzz'" in str(said.render())
        assert "id, head, size" in str(said.render())
        assert said.region.height >= 1
        kept = app.listing.state()
        again = Listing(COLUMNS, id="again")
        await app.mount(again)
        await again.restore(kept)
        assert again.query_one(FilterLine).history == ["size>90", "head:even", 'head:"odd one"']


@pytest.mark.parametrize(
    ("before", "wanted"),
    [
        ("", (0, ["op", "size", "state"])),
        ("op:sin s", (7, ["size", "state"])),
        ("!st", (1, ["state"])),
        ("state:", (6, ["failed", '"not yet"'])),
        ("state:NO", (6, ['"not yet"'])),
        ("state=f", (6, ["failed"])),
        ("size>1", (6, [])),
    ],
)
def test_completions_are_fields_and_behind_them_their_values(
    before: str, wanted: tuple[int, list[str]]
) -> None:
    known = {"state": ["failed", "not yet"]}
    found = list_completions(before, ["op", "size", "state"], lambda field: known.get(field, []))
    assert found[1] == wanted[1]
    assert not wanted[1] or found[0] == wanted[0]


async def test_the_cursor_stays_at_its_record_when_rows_change() -> None:
    app = One()
    async with app.run_test(size=(60, 24)) as pilot:
        app.listing.load(ROWS)
        await pilot.pause()
        app.listing.table.go_to("50")
        app.listing.load([*({"id": 1000 + i, "head": "new", "size": 1} for i in range(5)), *ROWS])
        await pilot.pause()
        assert app.listing.table.current_key == "50"
        assert not app.listing.table.go_to("no such")
        app.listing.table.expect_record("7000")
        app.listing.load([*ROWS, {"id": 7000, "head": "late", "size": 1}])
        await pilot.pause()
        assert app.listing.table.current_key == "7000"
        app.listing.load([])
        await pilot.pause()
        assert app.listing.table.current is None
        assert app.seen[-1] is None
        assert app.listing.notice.display


class CountingRows(TableRows):
    """A million records that count how often one is looked at."""

    def __init__(self) -> None:
        super().__init__([])
        self.looked = 0

    def __len__(self) -> int:
        return 1_000_000

    def get_record(self, index: int) -> Record:
        self.looked += 1
        return {"id": index, "head": "x", "size": index}

    def get_key(self, index: int) -> str:
        return str(index)

    def find_index(self, key: str) -> int | None:
        return int(key)


async def test_only_the_lines_that_are_seen_are_read() -> None:
    app, rows = One(), CountingRows()
    async with app.run_test(size=(60, 24)) as pilot:
        app.listing.load(rows)
        app.listing.table.focus()
        await keys(pilot, "G", "k", "k")
        assert app.listing.table.current_key == "999997"
        assert rows.looked < 500


async def test_many_rows_are_filtered_away_from_the_screen() -> None:
    app, rows = One(), TableRows([{"id": i, "head": "x", "size": i % 7} for i in range(20_000)])
    async with app.run_test(size=(60, 24)) as pilot:
        app.listing.load(rows)
        app.listing.table.focus()
        await keys(pilot, "slash", *"size=3")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert app.listing.table.shown == len([i for i in range(20_000) if i % 7 == 3])
        app.listing.load([{"id": i, "head": "y", "size": 3} for i in range(6_000)])
        assert app.listing.table.current is None
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert app.listing.table.shown == 6_000


async def test_text_from_data_is_data() -> None:
    app = One()
    async with app.run_test(size=(60, 24)) as pilot:
        app.listing.load([{"id": 1, "head": "[red]a[/red]\x1b[2Jb\u202e", "size": 1}])
        app.box.reader.show_lines(["[b]bold[/b]\x07"])
        await pilot.pause()
        line = app.listing.table.render_line(1).text
        assert "[red]a[/red]\\x1b[2Jb\\u202e" in line
        assert "[b]bold[/b]\\x07" in app.box.reader.render_line(0).text


async def test_the_reader_follows_counts_and_filters() -> None:
    app = One()
    async with app.run_test(size=(60, 24)) as pilot:
        reader = app.box.reader
        reader.show_lines([f"line {i}" for i in range(100)])
        reader.focus()
        await pilot.pause()
        assert reader.render_line(0).text.strip() == "line 0"
        reader.append_lines(["late one", "late two"])
        await pilot.pause()
        assert reader.behind == 2
        await pilot.press("t")
        await pilot.pause()
        assert reader.follow
        assert reader.behind == 0
        assert "late two" in [reader.render_line(y).text.strip() for y in range(8)]
        await pilot.press("k")
        assert not reader.follow
        await pilot.press("slash", *"late", "enter")
        await pilot.pause()
        assert [reader.render_line(y).text.strip() for y in range(3)] == ["late one", "late two", ""]
        await pilot.press("escape", "g", "n")
        app.box.clear_filter()
        await pilot.press("g", "n")
        await pilot.pause()
        assert reader.scroll_y > 50
        reader.show_lines(["word " * 40])
        await pilot.press("w")
        await pilot.pause()
        assert reader.virtual_size.height == math.ceil(200 / reader.scrollable_content_region.width)


async def test_a_log_that_is_too_long_says_what_it_left_off() -> None:
    app = One()
    async with app.run_test(size=(60, 24)) as pilot:
        app.box.reader.append_lines(f"line {i}" for i in range(50_010))
        await pilot.pause()
        assert app.box.reader.left_off == 10
        assert app.box.reader.lines[0] == "line 10"


@pytest.mark.parametrize("typed", [False, True])
async def test_choosers_have_the_keys_of_lists(typed: bool) -> None:
    app = One()
    async with app.run_test(size=(80, 30)) as pilot:
        chosen: list[str] = []
        choices = [MenuChoice(f"c{i}", f"choice {i}", key="" if i else "c") for i in range(8)]
        Chooser("which", choices, typed=typed).ask(app, chosen.append)
        await pilot.pause()
        table = app.screen.query_one(Table)
        if typed:
            await pilot.press("tab")
        for key, wanted in zip("jjkGkgnnN", (1, 2, 1, 7, 6, 0, 1, 2, 1), strict=True):
            await pilot.press(key)
            await pilot.pause()
            assert table.cursor == wanted, key
        await pilot.press("slash", "5")
        await pilot.pause()
        assert table.current_key == "c5"
        await pilot.press("enter")
        await pilot.pause()
        assert chosen == ["c5"]


async def test_choosers_begin_at_what_is_chosen_now() -> None:
    app = One()
    async with app.run_test(size=(80, 30)) as pilot:
        for now, place in (("c3", 3), ("", 0), ("gone", 0)):
            Chooser("which", [MenuChoice(f"c{i}", f"choice {i}") for i in range(8)], now=now).ask(app, print)
            await pilot.pause()
            assert app.screen.query_one(Table).cursor == place
            await pilot.press("escape")


async def test_a_dialog_is_painted_although_the_screen_under_it_changes() -> None:
    """What is new in the dialog and what is new behind it, within one frame."""
    app = One()
    async with app.run_test(size=(80, 30)) as pilot:
        app.listing.load(ROWS)
        Chooser("which", [MenuChoice(f"c{i}", f"choice {i}") for i in range(8)]).ask(app, print)
        await until(pilot, lambda: [table.shown for table in app.screen.query(Table)] == [8])
        table, painted = app.screen.query_one(Table), list[int]()
        draw = table.render_line
        table.render_line = lambda y: (painted.append(y), draw(y))[1]  # type: ignore[method-assign]
        for _ in range(5):
            painted.clear()
            table.refresh()
            app.screen.refresh(Region(0, 0, 80, 1))
            await until(pilot, lambda: painted)


async def test_names_of_choices_are_whole_where_there_is_room() -> None:
    """Also those that come while one types."""
    name = "train mwp/bert-gts-roda-anchors-cl-paper"

    def more(_: str) -> list[MenuChoice]:
        return [MenuChoice("x", name, "the paper's size " * 4)]

    for width in (120, 80):
        app = One()
        async with app.run_test(size=(width, 30)) as pilot:
            Chooser("which", [MenuChoice("a", "a")], typed=True, text="t", more=more).ask(app, print)
            await pilot.pause()
            table = app.screen.query_one(Table)
            await until(pilot, lambda table=table: "anchors-cl-paper" in table.render_line(1).text)  # type: ignore[misc]
            assert (name in table.render_line(1).text) == (width == 120)


async def test_nothing_is_filtered_where_nothing_is() -> None:
    app = One()
    async with app.run_test(size=(60, 24)) as pilot:
        app.listing.load([])
        assert app.listing.why_not("filter") == "there are no lines here"
        assert app.listing.check_action("filter", ()) is None
        app.listing.load(ROWS)
        assert app.listing.check_action("filter", ())
        await app.listing.set_query("id:7")
        app.listing.load([])
        await pilot.pause()
        # A filter can be taken away also when nothing is left.
        assert app.listing.check_action("filter", ())


def test_a_header_that_no_filter_knows_is_refused() -> None:
    """So every list that a test opens has headers that can be asked for, or says why one cannot."""
    columns = (Column("id", "id"), Column("head", "expression"))
    with pytest.raises(ValueError, match="expression"):
        Listing(columns, id="list")
    Listing((*columns[:1], Column("head", "x : y")), id="list", fields=("id", "x", "y"))
    bar = Column("bar", "0 to 1", unfiltered="it draws id")
    assert Listing((columns[0], bar), id="list").fields == ("id",)
