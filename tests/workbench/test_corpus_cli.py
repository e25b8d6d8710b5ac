"""`mathwb egen corpus`, `stats`, `find`, `import`, `export` as scripts use them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from tests.conftest import mathwb

MATHWB = [sys.executable, "-c", "from workbench.cli import main; main()"]


egen = partial(mathwb, "egen")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `mine.txt` and the corpus grown from it."""
    home = tmp_path_factory.mktemp("cli")
    (home / "mine.txt").write_text("sin(2*x) + 3\nno(x)\ncos(x - 5)\n- tanh - * 3 x -4 6\n")
    done = egen(
        "corpus", "--templates", home / "mine.txt", "--out", home / "corpus", "--members", 30, "--workers", 1
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        f"3 clusters, 93 expressions in {home / 'corpus'}",
        "held out for validation: 1 of 3 clusters",
        "lines that could not be read: 1",
    ]
    assert "mine.txt:2: " in done.stderr
    assert "3/3 heads" in done.stderr
    return home


@pytest.mark.slow
def test_stats_are_one_document(home: Path) -> None:
    found = json.loads(egen("stats", home / "corpus", "--json").stdout)
    assert (found["clusters"], found["expressions"], found["bad_lines"]) == (3, 93, 1)
    text = egen("stats", home / "corpus").stdout
    assert "cluster size, mean" in text
    assert "55,000,000" in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("expression", "cluster"),
    [("3 - sin(-2*x)", 0), ("cos(5 - x)", 1), ("- tanh - * 3 x -4 6", 2), ("-6 + tanh(3*x+4)", 2)],
)
def test_find_answers_for_expressions_that_begin_with_a_minus_too(
    home: Path, expression: str, cluster: int
) -> None:
    done = egen("find", home / "corpus", expression, "--json")
    assert done.returncode == 0, done.stderr
    matches = json.loads(done.stdout)["matches"]
    assert [match["cluster"] for match in matches if match["verdict"] == "equal"] == [cluster]


@pytest.mark.slow
def test_find_says_when_there_is_none(home: Path) -> None:
    done = egen("find", home / "corpus", "-x")
    assert done.returncode == 0
    assert done.stdout == "no cluster holds −x\n"


@pytest.mark.slow
def test_the_same_command_without_settings_finishes_what_was_begun(home: Path) -> None:
    done = egen("corpus", "--out", home / "corpus", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["complete"]
    done = egen("corpus", "--out", home / "corpus", "--members", 31)
    assert done.returncode == 2
    assert done.stderr.startswith("E452 ")
    assert "members 30, and not 31" in done.stderr


@pytest.mark.slow
def test_what_was_assumed_and_weighed_is_that_of_the_begun_corpus(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("sqrt(x^2)*a\n")
    begin = ["corpus", "--templates", tmp_path / "mine.txt", "--out", tmp_path / "out", "--members", 3]
    done = egen(*begin, "--assume", "x > 0", "--assume", "a != 0", "--weights", "power=2")
    assert done.returncode == 0, done.stderr
    before = (tmp_path / "out" / "manifest.json").read_bytes()
    done = egen("corpus", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "manifest.json").read_bytes() == before


@pytest.mark.slow
def test_published_layouts_go_out_and_come_back(home: Path, tmp_path: Path) -> None:
    assert egen("export", home / "corpus", tmp_path / "published.txt").returncode == 0
    done = egen("import", tmp_path / "published.txt", "--out", tmp_path / "corpus", "--json")
    assert json.loads(done.stdout)["expressions"] == 93
    egen("export", tmp_path / "corpus", tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_text() == (tmp_path / "published.txt").read_text()


@pytest.mark.slow
def test_ctrl_c_stops_gently_and_the_same_command_goes_on(tmp_path: Path) -> None:
    command = ["corpus", "--templates", "functions", "--out", str(tmp_path / "out"), "--workers", "1"]
    builder = subprocess.Popen(
        [*MATHWB, "egen", *command, "--members", "5"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 120
    while not list(tmp_path.glob("out/shards/shard-*")) and time.monotonic() < deadline:
        time.sleep(0.05)
    builder.send_signal(signal.SIGINT)
    out, err = builder.communicate(timeout=240)
    assert builder.returncode == 130
    assert out.startswith("stopped after ")
    assert "Traceback" not in err
    done = egen("stats", tmp_path / "out")
    assert done.returncode == 3
    assert "not finished" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "code"),
    [(None, 2), (b"", 2), (b"\x00\x01\x00\xff", 2), (b"foo\nbar(\n", 2)],
    ids=["missing", "empty", "binary", "no expression"],
)
def test_bad_files_are_one_line(tmp_path: Path, content: bytes | None, code: int) -> None:
    file = tmp_path / "mine.txt"
    if content is not None:
        file.write_bytes(content)
    done = egen("corpus", "--templates", file, "--out", tmp_path / "out")
    assert done.returncode == code
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "mine.txt" in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_folder_without_a_corpus_is_one_line(tmp_path: Path) -> None:
    for command in (["stats", str(tmp_path)], ["find", str(tmp_path), "x"]):
        done = egen(*command)
        assert done.returncode == 3
        assert done.stderr.startswith("E322 ")
