"""The MathAMR screen by real keys, over the real operations in this process."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from math import log2
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from textual.pilot import Pilot
from typer.testing import CliRunner

from engines.formula.unicode import unicode_text
from screens.app import Workbench
from screens.egraphs.sheets import DerivationSheet
from screens.mathamr.comparisons import GraphComparison, StandingsSheet
from screens.mathamr.contexts import FILES, OWN, Subject, destinations
from screens.mathamr.graph import in_the_plane, line_by_line
from screens.mathamr.inspection import DrawnNode, balance_end
from screens.mathamr.screen import MathamrScreen
from screens.mathamr.texts import lit_part, text_content
from screens.widgets.dialogs import Prompt
from screens.widgets.listing import ReaderBox
from screens.widgets.table import Table
from tests.screens.driving import press, ready, settle, shown, write
from tests.screens.mathamr_engine import GRAPHS, TOPICS, QuickEngine, write_formula_collection
from workbench.cli.command import app as main_app
from workbench.workspace import Workspace

Make = Callable[..., Workbench]
Compare = Callable[..., bool]
WIDE, NARROW = (120, 40), (80, 24)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_formula_collection(tmp_path_factory.mktemp("collections") / "mini")


@pytest.fixture
def build(workspace: Workspace, files: Path, make: Make, monkeypatch: pytest.MonkeyPatch) -> Make:
    """The app over a workspace with that collection; operations run in this process."""
    engine = QuickEngine()
    # What splits sentences takes seconds to load.
    monkeypatch.setattr("engines.language.english.split_sentences", lambda text, **_: [(0, len(text))])
    monkeypatch.setattr("workbench.engine_process.EngineProcess", lambda: engine)
    shutil.copytree(files, workspace.make_folder("arqmath") / "mini")

    def built(**options: Any) -> Workbench:
        return make(**{"screen": "mathamr", "jobs": [], **options})

    return built


def subject(screen: MathamrScreen) -> str:
    return screen.inspection.subject.name if screen.inspection is not None else ""


def nodes(screen: MathamrScreen) -> Table:
    return screen.query_one("#graph-table", Table)


def lit(screen: MathamrScreen) -> str:
    """What of the sentence is lit, as it is shown."""
    inspection = screen.inspection
    assert inspection is not None
    content = text_content(inspection, screen.sentence._key, raw=screen.sentence.raw)
    return "".join(
        content.plain[span.start : span.end] for span in content.spans if "underline" in str(span.style)
    )


def here(screen: MathamrScreen) -> tuple[str, ...]:
    node = screen.inspection.get_row(screen.graph.key) if screen.inspection is not None else None
    topic = screen.subject.topic if screen.subject is not None else ""
    return (screen.source, topic, node["shown"] if node is not None else "")


async def test_a_topic_is_shown_as_sentence_graph_tree_and_string(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        assert [row["id"] for row in screen.contexts.table.visible_records()] == list(TOPICS)
        assert "⟦xⁿ + yⁿ = zⁿ⟧" in shown(app)
        await press(pilot, "enter")
        assert screen.active_pane is screen.graph
        assert [row["concept"] for row in nodes(screen).visible_records()][:3] == [
            "find-01",
            "imperative",
            "you",
        ]
        said = shown(app)
        assert "├ :mode imperative" in said
        assert "↗ you" in said
        assert "U eq" in said
        document = screen.inspection.document  # type: ignore[union-attr]
        lines = screen.query_one("#string", ReaderBox).reader.lines
        assert document["strings"]["mathamr"] in " ".join(lines)
        assert "3 re-entrant" in screen.graph.footnote
        assert here(screen) == ("mini", "B.1", "find-01")


async def test_graph_tree_and_sentence_are_lit_together(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "enter")
        assert lit(screen) == "Find"
        assert screen.graph.go_to("O2")
        await settle(pilot)
        assert lit(screen) == "yⁿ"
        assert screen.formula.key == "O2"
        # And back: along the tree, the graph and the sentence follow.
        await press(pilot, "tab", "j")
        assert screen.formula.key == nodes(screen).current_key == "V3"
        assert lit(screen) == "y"
        await press(pilot, "g", "enter")
        assert screen.active_pane is screen.graph
        assert nodes(screen).current_key == "U1"
        assert lit(screen) == "xⁿ + yⁿ = zⁿ"
        await press(pilot, "L")
        assert "$x^n+y^n=z^n$" in shown(app)
        assert lit(screen) == "x^n+y^n=z^n"


@pytest.mark.slow
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
async def test_a_reference_is_followed_to_the_formula_and_the_graph_written_as_svg(
    build: Make, size: tuple[int, int]
) -> None:
    """Way 6."""
    app = build()
    async with app.run_test(size=size) as pilot:
        screen = await ready(pilot)
        await press(pilot, "enter", "slash", *"kind", "colon", *"reference", "enter", "G")
        assert nodes(screen).current["kind"] == "reference"  # type: ignore[index]
        assert lit(screen) == "ⁿ"
        reference = nodes(screen).current_key
        await press(pilot, "enter")
        assert nodes(screen).current_key == "V2"
        assert screen.formula.key == "V2"
        await press(pilot, "escape")
        assert nodes(screen).current_key == reference
        await press(pilot, "e", "s", "enter")
        await settle(pilot)
        [picture] = list(app.workspace.root.rglob("*.svg")) or list(Path.cwd().glob("mini-B.1*.svg"))
        text = picture.read_text("utf-8")
        assert text.startswith("<svg")
        assert ">find-01<" in text


async def test_nodes_fold_and_a_hidden_one_is_unfolded_to_go_there(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "enter")
        whole = nodes(screen).shown
        assert screen.graph.go_to("U1")
        await press(pilot, "h")
        assert "▸ eq +10" in shown(app)
        assert nodes(screen).shown == whole - 10
        assert screen.graph.go_to("V4")
        assert nodes(screen).shown == whole
        await press(pilot, "g", "h", "h")
        assert screen.active_pane is screen.contexts


@pytest.mark.slow
async def test_any_text_is_inspected_and_kept(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "a")
        assert isinstance(app.screen, Prompt)
        await press(pilot, *"Solve $x^2=2$", "enter")
        await settle(pilot, lambda: subject(screen) == "Solve $x^2=2$")
        assert screen.source == OWN
        assert screen.inspection is not None
        assert screen.inspection.document["parser"] == "builtin"
        assert "approximate" in screen.graph.footnote
        assert screen.state()["texts"] == ["Solve $x^2=2$"]
        # Formulas near it come from the collection that was looked at last.
        table = screen.query_one("#nearest-table", Table)
        await settle(pilot, lambda: table.shown > 0)
        assert table.visible_records()[0]["formula"] == "129"
        command = screen.graph.selection(app.command_line).command  # type: ignore[union-attr]
        assert command.endswith("-- 'Solve $x^2=2$'")
        assert screen.go_to_source("mini")
        await settle(pilot, lambda: subject(screen) == "B.1")
        address = Subject(OWN, text="Is $a/b$ 100%25?").address
        assert unquote(address.split("/")[-1]) == "Is $a/b$ 100%25?"
        app.navigation.go_to_address(address)
        await settle(pilot, lambda: subject(screen) == "Is $a/b$ 100%25?")


async def test_another_parser_and_an_edited_graph(
    build: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from contextlib import nullcontext

    app = build()
    monkeypatch.setattr(app, "suspend", nullcontext)
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        assert screen.inspection is not None
        await press(pilot, "R")
        assert screen.inspection.document["parser"] == "builtin"
        await press(pilot, "p", "1")
        assert screen.inspection.document["parser"] == "published"
        monkeypatch.setenv("EDITOR", "sed -i s/find-01/seek-01/")
        await press(pilot, "o")
        assert screen.inspection.document["parser"] == "given"
        assert screen.inspection.document["strings"]["mathamr"].startswith("seek-01 ")
        assert "edited by hand" in shown(app)
        # A faulty text is refused, and is there again for the next edit.
        monkeypatch.setenv("EDITOR", "sed -i s/[(]s/s/")
        await press(pilot, "o")
        assert any("E329" in happening.code for happening in app.activity)
        assert screen.inspection.document["parser"] == "given"
        assert screen.inspection.document["strings"]["mathamr"].startswith("seek-01 ")
        await press(pilot, "u", "u")
        assert screen.inspection.document["strings"]["mathamr"].startswith("find-01 ")


async def test_two_graphs_are_compared_by_smatch(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot)
        await press(pilot, "d")
        assert isinstance(app.screen, GraphComparison)
        table = app.screen.query_one(Table)
        await settle(pilot, lambda: table.shown > 0)
        rows = [(row["in"], row["source"], row["role"], row["target"]) for row in table.visible_records()]
        assert ("both", "find-01", ":arg0", "you") in rows
        assert ("one", "find-01", ":mode", "imperative") in rows
        assert ("other", "solution", ":instance", "solution") in rows
        assert "Smatch 0." in shown(app)
        command = app.screen.command_words()
        assert command is not None
        assert command[2] == GRAPHS["B.1"]
        printed = CliRunner().invoke(main_app, [*command, "--json"])
        assert printed.exit_code == 0
        assert len(json.loads(printed.stdout)["triples"]) == len(rows)
        await press(pilot, "escape")
        assert isinstance(app.screen, MathamrScreen)


async def test_runs_are_compared_topic_by_topic(build: Make, tmp_path: Path) -> None:
    """By hand, B.1: grades 2 and 3 at ranks 1 and 2 against 3 alone; B.2 has a judged formula and no run."""
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        screen.show_pane("formula-pane")
        await press(pilot, "right_square_bracket", "right_square_bracket", "right_square_bracket")
        await settle(pilot, lambda: screen.formula.runs_shown)
        await press(pilot, "d")
        sheet = app.screen
        assert isinstance(sheet, StandingsSheet)
        await settle(pilot, lambda: bool(sheet.query(Table)) and sheet.query_one(Table).shown == 2)
        rows = {row["topic"]: row for row in sheet.query_one(Table).visible_records()}
        ideal = 3 + 2 / log2(3)
        assert rows["B.1"]["paths"] == pytest.approx((2 + 3 / log2(3)) / ideal)
        assert rows["B.1"]["vectors"] == pytest.approx((3 - 2 - 3 / log2(3)) / ideal)
        assert (rows["B.2"]["paths"], rows["B.2"]["vectors"]) == (0, 0)
        assert "1 worse" in shown(app)
        # What is copied prints the same.
        command = sheet.command_words()
        assert command is not None
        printed = CliRunner().invoke(main_app, [*command, "--json"])
        assert printed.exit_code == 0
        means = [one["ndcg10_prime"] for one in json.loads(printed.stdout)["systems"]]
        assert means[0] == pytest.approx(rows["B.1"]["paths"] / 2, abs=1e-6)
        picture = next(one for one in sheet.exports() if one.suffix == ".svg")
        picture.write(tmp_path / "runs.svg")
        assert "vectors.tsv less paths.tsv" in (tmp_path / "runs.svg").read_text("utf-8")
        await press(pilot, "escape")
        assert isinstance(app.screen, MathamrScreen)


async def test_a_hostile_text_is_shown_as_it_is(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "j")
        await settle(pilot, lambda: subject(screen) == "B.2")
        assert "[b]no[/b]" in shown(app)
        assert "\x1b" not in shown(app)
        assert screen.query_one("#penman", ReaderBox).reader.lines[0].startswith("(r / root")


async def test_every_page_yields_a_command_line(build: Make) -> None:
    """Way 7."""
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        folder = str(app.workspace.make_folder("arqmath") / "mini")
        whole = f"mathwb mathamr inspect --folder {folder} --topic B.1"
        await press(pilot, "enter")
        for pane in (screen.contexts, screen.graph, screen.formula, screen.strings):
            for page in pane.pages or [None]:
                if page is not None:
                    await pane.show_page(page.id or "")
                    await settle(pilot)
                chosen = pane.selection(app.command_line)
                assert chosen is not None
                assert chosen.address.startswith("mathamr/mini/topic/B.1")
                command = chosen.command.partition(" mathwb ")[2] or chosen.command
                name = page.id if page is not None else pane.id
                if name in ("runs-page", "triples-page"):
                    assert " --json " in command
                elif name not in ("tree-page", "slt-page"):
                    assert f"mathwb {command}".replace("mathwb mathwb", "mathwb").startswith(whole), name
        assert screen.graph.selection(app.command_line).address == "mathamr/mini/topic/B.1/node/f"  # type: ignore[union-attr]


async def test_bookmarks_lead_back_to_a_node(build: Make) -> None:
    """Way 8."""
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "j", "m")
        assert list(app.workspace.notes.notes_under("mathamr/mini/topic")) == ["B.2"]
        await screen.contexts.listing.set_query("is:bookmarked")
        assert [row["id"] for row in screen.contexts.table.visible_records()] == ["B.2"]
        app.navigation.go_to_address("mathamr/mini/topic/B.1/node/O2")
        await settle(pilot, lambda: nodes(screen).current_key == "O2")
        assert nodes(screen).current_key == "O2"
        await press(pilot, "m")
        await screen.graph.listing.set_query("is:bookmarked")
        assert [row["id"] for row in nodes(screen).visible_records()] == ["O2"]
        await screen.graph.listing.set_query("")
        app.navigation.go_to_address("mathamr/mini/topic/B.2/node/V2")
        await settle(pilot, lambda: here(screen)[1:] == ("B.2", "b"))
        assert here(screen) == ("mini", "B.2", "b")


@pytest.mark.slow
async def test_equal_formulas_are_listed_and_derived(build: Make) -> None:
    app = build()
    async with app.run_test(size=(200, 50)) as pilot:
        screen = await ready(pilot)
        screen.inspect_text(r"How about $\frac{2a}{2c}$?")
        await settle(pilot, lambda: subject(screen).startswith("How"))
        await press(pilot, "tab", "right_square_bracket", "right_square_bracket")
        table = screen.query_one("#equal-table", Table)
        await settle(pilot, lambda: table.shown > 0)
        rows = {row["latex"]: (row["score"], row["verdict"]) for row in table.visible_records()}
        assert rows[r"\frac{a}{c}"] == (1.0, "equal")
        await press(pilot, "d")
        assert isinstance(app.screen, DerivationSheet)


async def test_nearest_formulas_and_runs_have_grades(build: Make) -> None:
    app = build()
    async with app.run_test(size=(200, 50)) as pilot:
        screen = await ready(pilot)
        await press(pilot, "enter", "tab", "right_square_bracket")
        table = screen.query_one("#nearest-table", Table)
        await settle(pilot, lambda: table.shown > 0)
        grades = {row["formula"]: row["grade"] for row in table.visible_records()}
        assert grades["119"] == 3
        assert "in common: " in shown(app)
        await press(pilot, "right_square_bracket", "right_square_bracket")
        ranked = screen.query_one("#ranked-table", Table)
        found = ranked.visible_records()
        assert [(row["run"], row["formula"], row["grade"], row["elsewhere"]) for row in found] == [
            ("paths", "129", 2, "vectors –"),
            ("paths", "119", 3, "vectors ↑1"),
            ("vectors", "119", 3, "paths ↓2"),
        ]
        assert "vectors ↑1" in shown(app)


@pytest.mark.parametrize(
    ("latex", "part", "found"),
    [
        ("x^n+y^n=z^n", "n", "ⁿ"),
        ("x^n+y^n=z^n", "x^n+y^n", "xⁿ + yⁿ"),
        ("\\binom{n+k-1}{k-1}", "n+k-1", "n+k−1"),
        ("7^{2026} \\bmod 100", "2026", "²⁰²⁶"),
        ("\\frac{\\sin x}{x}=1", "\\sin x", "sin x"),
        ("\\int_{-\\infty}^\\infty e^{-x^2} dx", "\\infty", "∞"),
    ],
)
def test_the_part_of_a_formula_is_found_in_what_is_shown(latex: str, part: str, found: str) -> None:
    start = latex.index(part)
    shown, place = lit_part(latex, start, start + len(part), unicode_text)
    assert shown == unicode_text(latex)
    assert shown[place[0] : place[1]] == found


def test_braces_that_a_part_opened_belong_to_it() -> None:
    latex = "\\binom{n}{k-1}+1"
    assert latex[: balance_end(latex, 0, latex.index("1") + 1)] == "\\binom{n}{k-1}"


def test_a_tree_is_drawn_in_the_plane_and_line_by_line() -> None:
    tree = DrawnNode(
        "U",
        "U",
        "plus",
        (DrawnNode("x", "V", "x", ()), DrawnNode("m", "O", "minus", (DrawnNode("y", "V", "y", ()),))),
    )
    rows: dict[int, str] = {}
    for one in sorted(in_the_plane(tree), key=lambda one: (one.line, one.column)):
        rows[one.line] = rows.get(one.line, "").ljust(one.column) + one.text
    assert [rows[line].rstrip() for line in sorted(rows)] == [
        " U plus",
        " ┌──┴───┐",
        "V x  O minus",
        "        │",
        "       V y",
    ]
    lines = ["".join(one.text for one in line_by_line(tree) if one.line == line) for line in range(4)]
    assert lines == ["U plus", "├ V x", "└ O minus", "  └ V y"]


def test_the_screen_loads_nothing_heavy() -> None:
    import subprocess
    import sys

    heavy = {"numpy", "pyarrow", "torch", "lxml", "penman", "spacy"}
    code = f"import sys, screens.mathamr.screen; print(*{heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_the_graphs_of_the_collection_are_graphs() -> None:
    from engines.mathamr.graph.amr import read_graph

    assert all(read_graph(graph).root.concept for graph in GRAPHS.values())


def test_what_the_palette_finds(files: Path, workspace: Workspace) -> None:
    shutil.copytree(files, workspace.make_folder("arqmath") / "mini")
    found = {thing.label: thing.sentence for thing in destinations(workspace)}
    assert found["topic B.2"] == "formula \\frac{a}{b}"
    assert found["collection mini"] == "a collection of formulas in context"


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_the_looks_of_the_screen(build: Make, snap_compare: Compare, size: tuple[int, int]) -> None:
    async def look(pilot: Pilot[Any]) -> None:
        screen = await ready(pilot)
        await press(pilot, "enter")
        screen.graph.go_to("O2")
        await settle(pilot)

    assert snap_compare(build(), terminal_size=size, run_before=look)


@pytest.mark.slow
async def test_own_files_are_added_searched_and_opened_at_the_line(
    workspace: Workspace, make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who has no collection but the samples begins with the search of files."""
    engine = QuickEngine()
    monkeypatch.setattr("engines.language.english.split_sentences", lambda text, **_: [(0, len(text))])
    monkeypatch.setattr("workbench.engine_process.EngineProcess", lambda: engine)
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("One.\n\nA circle is $x^2+y^2=1$, no square $q$.\n")
    (notes / "b.tex").write_text("The sum $\\sum_{k=1}^n k$ of [b]all[/b].")
    app = make(screen="mathamr", jobs=[])
    opened: list[tuple[Path, int]] = []
    async with app.run_test(size=WIDE) as pilot:
        screen = app.screen_stack[0]
        assert isinstance(screen, MathamrScreen)
        await settle(pilot, lambda: screen.source == FILES)
        assert "a adds a folder" in " ".join(shown(app).split())
        await pilot.press("a")
        await write(pilot, str(notes))
        await press(pilot, "enter")
        await settle(pilot, lambda: screen.source == "notes" and "3 formulas of 2 files" in shown(app))
        await pilot.press("a")
        await write(pilot, "?a^2 + ?b^2")
        await press(pilot, "enter")
        await settle(pilot, lambda: screen.contexts.hit is not None and screen.inspection is not None)
        assert screen.contexts.hit["place"] == "a.md:3"
        assert subject(screen) == "A circle is $x^2+y^2=1$"
        monkeypatch.setattr(app, "edit_file", lambda path, line: opened.append((path, line)))
        await press(pilot, "o")
        assert opened == [(notes / "a.md", 3)]
        assert screen.state()["queries"] == {"notes": "?a^2 + ?b^2"}
        assert screen.go_to_source(OWN)
        await settle(pilot, lambda: screen.contexts.title == "texts")
