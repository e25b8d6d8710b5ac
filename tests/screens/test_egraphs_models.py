"""Map, neighbours, analogies and mistakes on the E-graphs screen: by real keys, and without torch."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from engines.core.errors import EngineError
from engines.core.events import Event
from engines.egen.corpora import save_cluster
from engines.egen.settings import EgenConfig
from screens.app import Workbench
from screens.egraphs.member import MemberPane
from screens.egraphs.screen import EgraphsScreen
from screens.widgets.listing import Listing
from screens.widgets.pane import Pane
from screens.widgets.scatter import Scatter, ScatterDot
from screens.widgets.table import Table
from tests.screens.driving import place, press, ready, settle, until
from tests.screens.egraph_engine import StillCall, StillEngine
from tests.screens.test_egraphs import CLUSTERS, grown
from workbench.engine_process import CallResult
from workbench.jobs.job_views import JobView
from workbench.workspace import Workspace

Make = Callable[..., Workbench]
WIDE, NARROW = (120, 40), (80, 24)

PLACES = {0: (0.0, 0.0, "poly"), 1: (4.0, 0.2, "function"), 2: (0.2, 3.0, "function_d")}
ANALOGY = {"family": "times 2", "x1": "sin x", "y1": "* 2 sin x", "x2": "ln x", "y2": "* 2 ln x"}


def neighbour(
    cluster: int, member: int, prefix: str, cosine: float, same: bool, verdict: str
) -> dict[str, Any]:
    return {
        "cluster": cluster,
        "member": member,
        "prefix": prefix,
        "unicode": prefix,
        "cosine": cosine,
        "same": same,
        "verdict": verdict,
    }


NEAR = [
    neighbour(0, 2, "* 63 cosh - * 7 x 2", 0.99, True, "equal"),
    neighbour(2, 1, "* 1 sin ln x", 0.98, False, "different"),
    neighbour(0, 1, "/ 63 sech - * 7 x 2", 0.7, True, "equal"),
    neighbour(1, 2, "pow sqrt x 2", 0.6, False, "different"),
]


def hit(prefix: str, verdict: str | None, echo: bool, cluster: int | None) -> dict[str, Any]:
    member = None if cluster is None else 1
    return {
        "prefix": prefix,
        "unicode": prefix,
        "cosine": 0.9,
        "verdict": verdict,
        "echo": echo,
        "cluster": cluster,
        "member": member,
    }


REPORT = {
    "figures": [
        {"name": "retrieval_at_5", "protocol": "paper", "value": 91.5, "interval": [90.0, 93.0], "paper": {}},
        {
            "name": "retrieval_at_5_of_reachable",
            "protocol": "better",
            "value": 92.5,
            "interval": [91.0, 94.0],
            "paper": {},
        },
    ],
    "setting": {},
    "wrong": 2,
    "mistakes": [
        {
            "query": "sin x",
            "expected": "cos - x / pi 2",
            "predicted": "sin * 2 x",
            "cost": 0.4,
            "note": "why",
        },
        {"query": "ln x", "expected": "", "predicted": "ln * 2 x", "cost": 0.1, "note": ""},
    ],
}


class Call(StillCall):
    """Answers for a model."""

    async def __aiter__(self) -> AsyncIterator[Event | CallResult]:
        asked = self.params
        if error := self.engine.errors.get(self.task):
            raise error
        if self.task == "egen.map" and "file" not in asked:
            if self.engine.cold:
                yield Event("progress", {"done": 1, "total": 3, "unit": "expressions"})
                await self.stopped.wait()
                raise EngineError("the encoding was stopped", code="E646", remedy="Start it again.")
            yield CallResult(self.map_())
        elif self.task == "egen.nearest":
            yield CallResult({"neighbours": NEAR, "pool": 9})
        elif self.task == "egen.eval":
            yield Event("progress", {"done": 1, "total": 3, "unit": "expressions"})
            yield CallResult(REPORT)
        elif self.task == "egen.analogies":
            yield CallResult({"analogies": [ANALOGY]})
        elif self.task == "egen.analogy":
            named = {name: {"prefix": asked[name], "unicode": asked[name]} for name in ("x1", "y1", "x2")}
            wanted = asked.get("expected")
            hits = [
                hit("+ ln x ln x", wanted and "equal", False, None),
                hit("ln x", wanted and "different", True, 2),
            ]
            found = {"candidates": 12, "hits": hits, "place": 1, "place_without_echo": 1}
            yield CallResult({**named, **found, "expected": wanted and {"prefix": wanted, "unicode": wanted}})
        else:
            async for item in super().__aiter__():
                yield item

    def map_(self) -> dict[str, Any]:
        known = isinstance(self.engine, Engine) and self.engine.tsne
        numbers, points = list(PLACES), [[x, y] for x, y, _ in PLACES.values()]
        if self.params.get("known"):
            points = [[-x, -y] for x, y in points]
        found = {"points": points if known or not self.params.get("known") else None, "model": "m"}
        if not self.params.get("clusters"):
            return {**found, "exprs": ["sin x", "cos x", "tan x"], "names": ["sin", "cos", "tan"]}
        kinds = [kind for *_, kind in PLACES.values()]
        return {**found, "clusters": numbers, "names": kinds, "exprs": [head for head, *_ in CLUSTERS]}

    def wait(self) -> dict[str, Any]:
        Path(self.params["file"]).write_text("drawn")
        return {}


class Engine(StillEngine):
    """Knows maps by t-SNE when `tsne` is true."""

    tsne = False

    def call(self, task: str, params: Mapping[str, Any]) -> Call:
        call = Call(self, task, params)
        self.calls.append(call)
        return call

    def asked(self, task: str) -> list[dict[str, Any]]:
        return [call.params for call in self.calls if call.task == task]


@pytest.fixture
def build(workspace: Workspace, make: Make) -> Callable[..., Workbench]:
    for head, members, stop in CLUSTERS:
        save_cluster(workspace.corpora / "sample-e", grown(head, members, stop), EgenConfig())

    def built(*, models: tuple[str, ...] = ("m", "other"), **options: Any) -> Workbench:
        for name in models:
            folder = workspace.models / name
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "config.json").write_text(json.dumps({"egen": {}}))
        options.setdefault("jobs", [])
        app = make(screen="egraphs", **options)
        app.__dict__["engine"] = Engine()
        return app

    return built


@pytest.fixture(autouse=True)
def only_own_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engines.egen.models.model_folder.shipped_models", list)


def engine_of(app: Workbench) -> Engine:
    engine = app.engine
    assert isinstance(engine, Engine)
    return engine


def scatter(screen: EgraphsScreen) -> Scatter:
    return screen.query_one("#map", Scatter)


def nearest(screen: EgraphsScreen) -> Table:
    return screen.query_one("#nearest-table", Table)


async def on_map(pilot: Pilot[Any]) -> EgraphsScreen:
    screen = await ready(pilot)
    await press(pilot, "enter", "right_square_bracket", "right_square_bracket")
    return screen


async def on_nearest(pilot: Pilot[Any], *first: str) -> EgraphsScreen:
    screen = await ready(pilot)
    await press(pilot, "enter", *first, "left_square_bracket")
    return screen


@pytest.mark.slow
async def test_the_map_lights_the_cluster_and_goes_where_the_arrows_point(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await on_map(pilot)
        assert [dot.key for dot in scatter(screen).dots] == ["0", "1", "2"]
        assert app.focused is scatter(screen)
        assert screen.query_one("#middle", Pane).detail == "3 clusters, PCA"
        assert scatter(screen).lit == "0"
        assert screen.query_one("#right", Pane).title == "cluster 0"
        await press(pilot, "right")
        assert scatter(screen).lit == "1"
        assert place(screen) == ("sample-e", "map", "cluster 1")
        case = screen.query_one(MemberPane).case
        assert case is not None
        assert (case.member, case.alone) == ("x", True)
        await press(pilot, "right", "down", "left")
        assert scatter(screen).lit == "0"
        await press(pilot, "k")
        assert scatter(screen).lit == "2"
        await press(pilot, "G")
        assert scatter(screen).lit == "0"
        await press(pilot, "ctrl+u")
        assert scatter(screen).lit == "2"
        await press(pilot, "enter")
        assert screen.middle.page_name == "members"
        assert place(screen) == ("sample-e", "cluster 2", "members", "head")
        await press(pilot, "right_square_bracket", "right_square_bracket")
        assert scatter(screen).lit == "2"
        await press(pilot, "left", "left")
        assert app.focused is screen.query_one("#clusters-table")


async def test_what_the_filter_hides_is_passed_over_on_the_map(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await on_map(pilot)
        await screen.query_one("#clusters", Listing).set_query("head:cosh")
        await settle(pilot)
        assert scatter(screen).faint == {"1", "2"}
        await press(pilot, "ctrl+u", "l")
        assert scatter(screen).lit == "0"


@pytest.mark.slow
async def test_t_sne_is_a_job_and_is_shown_when_it_is_there(
    build: Make, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:

    submitted: list[Any] = []

    class Submitted:
        id = 7

    def submit(_: Workspace, spec: Any) -> Submitted:
        submitted.append(spec)
        return Submitted()

    monkeypatch.setattr("workbench.jobs.control.submit_job", submit)
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await on_map(pilot)
        await press(pilot, "s")
        await settle(pilot, lambda: bool(submitted))
        (spec,) = submitted
        assert (spec.task, spec.params["method"], spec.params["clusters"]) == ("egen.map", "tsne", True)
        assert all(Path(spec.params[name]).is_absolute() for name in ("model", "data"))
        assert screen.now.arrangement == "pca"
        running = JobView(7, spec.task, spec.title, "running", params=dict(spec.params))
        app.watch_jobs.jobs = (running,)  # type: ignore[attr-defined]
        app.look_now()
        await settle(pilot, lambda: "job 7" in screen.query_one("#middle", Pane).footnote)
        await press(pilot, "s")
        assert len(submitted) == 1
        engine_of(app).tsne = True
        app.watch_jobs.jobs = (JobView(7, spec.task, spec.title, "succeeded", params=dict(spec.params)),)  # type: ignore[attr-defined]
        app.look_now()
        await settle(pilot, lambda: screen.now.arrangement == "tsne")
        await settle(pilot)
        assert screen.query_one("#middle", Pane).detail == "3 clusters, t-SNE"
        assert scatter(screen).dots[1].x == -4.0
        await press(pilot, "s")
        assert screen.query_one("#middle", Pane).detail == "3 of 17 families, t-SNE"
        await press(pilot, "right")
        case = screen.query_one(MemberPane).case
        assert case is not None
        assert case.title.startswith("of the family ")
        assert screen.selection().command.endswith(
            f"egen map m --method tsne --data {workspace.corpora / 'sample-e'}"
        )  # type: ignore[union-attr]


async def test_without_a_model_it_says_how_to_get_one(build: Make) -> None:
    app = build(models=())
    async with app.run_test(size=NARROW) as pilot:
        screen = await on_map(pilot)
        said = str(scatter(screen).render())
        assert "There is no model yet" in said
        assert "mathwb train --headless" in said
        assert screen.why_not("model") == "there is no model; 3 and a train one"
        assert "no model" in screen.why_not("evaluate")
        assert [command.name for command in screen.list_commands() if not command.reason] == ["judge a pair"]
        await press(pilot, "right_square_bracket")
        assert "There is no model yet" in str(screen.query_one("#nearest", Listing).notice.content)


@pytest.mark.slow
async def test_the_model_is_chosen_and_kept(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await on_map(pilot)
        await press(pilot, "p", "o", "t", "h", "enter")
        assert screen.now.model is not None
        assert screen.now.model.name == "other"
        assert engine_of(app).asked("egen.map")[-1]["model"].endswith("/other")
        assert screen.state()["model"] == "other"
        assert screen.query_one("#middle", Pane).footnote.startswith("model other")
        assert screen.state()["page"] == "map-page"


@pytest.mark.slow
async def test_no_map_of_another_model_stands_where_one_is_refused(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await on_map(pilot)
        engine_of(app).errors["egen.map"] = EngineError("no such map", code="E458")
        for _ in range(2):
            assert len(scatter(screen).dots) == len(PLACES)
            await press(pilot, "p", "o", "t", "h", "enter")
            assert "no such map" in str(scatter(screen).render())
            assert not scatter(screen).dots
            await press(pilot, "p", "m", "enter")


@pytest.mark.slow
async def test_encoding_is_told_and_stopped(build: Make) -> None:
    app = build()
    engine_of(app).cold = True
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await pilot.press("enter", "right_square_bracket", "right_square_bracket")
        await until(
            pilot,
            lambda: (
                screen.middle.page_name == "map" and "1 of 3 expressions" in str(scatter(screen).render())
            ),
        )
        assert not screen.why_not("stop")
        await press(pilot, "x")
        assert "E646" in str(scatter(screen).render())
        assert screen.why_not("stop") == "nothing is growing"


@pytest.mark.slow
async def test_neighbours_are_judged_and_the_wrong_come_first(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await on_nearest(pilot, "j")
        (asked,) = engine_of(app).asked("egen.nearest")
        assert (asked["cluster"], asked["member"], asked["at_most"]) == (0, 1, 20_000)
        assert asked["expr"] == "/ 63 sech - * 7 x 2"
        assert [row["place"] for row in nearest(screen).visible_records()] == [1, 2, 3, 4]
        assert screen.query_one("#middle", Pane).detail == "4, 2 of other clusters"
        assert place(screen)[:4] == ("sample-e", "cluster 0", "member 1", "nearest")
        await press(pilot, "S")
        assert [row["place"] for row in nearest(screen).visible_records()] == [2, 4, 1, 3]
        await press(pilot, "g")
        case = screen.query_one(MemberPane).case
        assert case is not None
        assert (case.title, case.head, case.member) == ("neighbour 2", "/ 63 sech - * 7 x 2", "* 1 sin ln x")
        chosen = screen.selection()
        assert chosen is not None
        assert "egen nearest m --corpus" in chosen.command
        assert chosen.command.endswith("-- '/ 63 sech - * 7 x 2'")
        await press(pilot, "enter")
        assert place(screen) == ("sample-e", "cluster 2", "members", "member 1")


async def test_a_large_corpus_is_left_to_a_job(build: Make) -> None:
    app = build()
    engine_of(app).errors["egen.nearest"] = EngineError("too many", code="E647")
    async with app.run_test(size=NARROW) as pilot:
        screen = await on_nearest(pilot)
        said = str(screen.query_one("#nearest", Listing).notice.content)
        assert "encode the corpus" in said
        assert "encode the corpus" in [
            command.name for command in screen.list_commands() if not command.reason
        ]


@pytest.mark.slow
async def test_the_map_is_exported(build: Make, tmp_path: Path) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await on_map(pilot)
        ways = {way.suffix: way for way in screen.exports() if "map" in way.name}
        assert set(ways) == {".svg", ".png", ".csv"}
        ways[".svg"].write(tmp_path / "map.svg")
        assert (tmp_path / "map.svg").read_text() == "drawn"
        chosen = screen.selection()
        assert chosen is not None
        assert "egen map m --clusters --method pca --data" in chosen.command
        await press(pilot, "left_square_bracket", "left_square_bracket", "left_square_bracket")
        (way,) = [way for way in screen.exports() if way.name == "neighbours as CSV"]
        way.write(tmp_path / "near.csv")
        assert (
            (tmp_path / "near.csv")
            .read_text()
            .splitlines()[2]
            .startswith("2,0.98,* 1 sin ln x,1*sin(ln(x)),different,no,2,1")
        )


@pytest.mark.slow
async def test_dots_of_one_cell_are_gone_through(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await on_map(pilot)
        chart = scatter(screen)
        chart.show_dots([ScatterDot("0", 0, 0, "a"), ScatterDot("1", 0, 0, "b"), ScatterDot("2", 9, 9, "b")])
        chart.lit = "0"
        await settle(pilot)
        assert chart.together == (1, 2)
        await press(pilot, "n")
        assert (chart.lit, chart.together) == ("1", (2, 2))
        await press(pilot, "N", "up")
        assert chart.lit == "2"


def test_the_screen_still_loads_nothing_heavy() -> None:
    import subprocess
    import sys

    heavy = {"numpy", "pyarrow", "torch", "sympy", "egglog", "sklearn"}
    modules = "screens.egraphs.screen, screens.egraphs.sheets"
    code = f"import sys, {modules}; print(*{heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


Compare = Callable[..., bool]


def pages(*keys: str) -> Callable[[Pilot[Any]], Any]:
    async def run(pilot: Pilot[Any]) -> None:
        await ready(pilot)
        await press(pilot, *keys)
        # The sign of work in the header goes with the next look at the machine, and what is shown of a row
        # follows the cursor when it has come to rest.
        tables = pilot.app.screen.query(Table)
        await settle(pilot, lambda: not pilot.app.badges and all(each._resting is None for each in tables))

    return run


@pytest.mark.slow
@pytest.mark.parametrize("size", [NARROW, WIDE], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("page", ["map", "nearest"])
def test_how_the_pages_look(size: tuple[int, int], page: str, build: Make, snap_compare: Compare) -> None:
    keys = ("right_square_bracket",) * (2 if page == "map" else 3)
    assert snap_compare(build(), terminal_size=size, run_before=pages("enter", *keys))


def test_how_mistakes_look(build: Make, snap_compare: Compare) -> None:
    assert snap_compare(build(), terminal_size=NARROW, run_before=pages("E"))
