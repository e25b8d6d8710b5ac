"""What is taken away from the ARQMath screen: command lines that print it, and files."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from screens.app import Workbench
from tests.conftest import mathwb
from tests.screens.driving import press, ready
from tests.screens.test_arqmath import WIDE, build, engine, files, topics
from workbench.papers.arqmath.data import find_collection

__all__ = ["build", "engine", "files"]

Make = Callable[..., Workbench]


def run_line(line: str) -> str:
    place, program, *words = shlex.split(line)
    assert program == "mathwb"
    done = mathwb("--workspace", place.removeprefix("MATHWB_WORKSPACE="), *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
async def test_what_is_selected_can_be_printed_by_a_command(build: Make) -> None:
    """Way 7."""
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        line = screen.selection()
        assert line is not None
        printed = run_line(line.command + " --json")
        document = json.loads(printed)
        shown = [(row["id"], row["rank"], row["grade"], row["change"]) for row in screen.ranking.rows]
        assert [(r["id"], r["rank"], r["grade"], r["change"]) for r in document["answers"]] == shown
        everything = next(form for form in line.forms if form.key == "a").text()
        printed = run_line(everything)
        for topic in topics(screen).visible_records():
            assert topic["id"] in printed
            assert topic["ndcg"] is None or f"{topic['ndcg']:.4f}" in printed
        await press(pilot, "enter")
        answer = screen.selection()
        assert answer is not None
        assert answer.forms[0].text() == "A.1\tQ0\t13\t1\t9.5\tdense"
        printed = run_line(answer.command)
        assert "I think you should draw a picture of it." in printed
        screen.keep_judgement("A.1", "22", 1)
        place = find_collection(app.workspace, "mini").name
        words = app.command_line("arqmath", "judgements", place)
        assert run_line(words) == "A.1 0 22 1\n"


async def test_everything_can_be_written_to_a_file(build: Make, tmp_path: Path) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        ways = {way.key: way for way in screen.exports()}
        for key in ("r", "s", "c", "t", "C", "T"):
            path = tmp_path / f"out-{key}{ways[key].suffix}"
            ways[key].write(path)
            assert path.stat().st_size > 0
            assert json.loads(Path(f"{path}.meta.json").read_text("utf-8"))["run"] == "dense"
        from engines.retrieval.trec import read_run

        assert [d for d, _ in read_run(tmp_path / "out-r.tsv").rankings["A.1"]] == [
            "13",
            "22",
            "12",
            "14",
            "11",
        ]
        picture = (tmp_path / "out-s.svg").read_text("utf-8")
        assert picture.startswith("<svg")
        assert picture.count("<title>") == 2
        assert "nDCG′ of dense" in picture
        table = (tmp_path / "out-T.tex").read_text("utf-8")
        assert table.count("\\\\") == 7
