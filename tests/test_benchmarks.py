"""Benchmarks run, and their results are about the data that they name and written in one way."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest

from benchmarks import _record
from benchmarks._record import Record, parser_of

DRIVERS = sorted(path for path in Path(_record.__file__).parent.glob("*.py") if path.name[0] != "_")
BENCHMARKS = [path for path in DRIVERS if path.stem != "repro"]  # it measures nothing


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(_record, "RESULTS", tmp_path / "results")
    (tmp_path / "results").mkdir()
    return tmp_path / "results"


def data(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "clusters.txt").write_text(text)
    return folder / "clusters.txt"


def test_a_result_is_replaced_by_the_same_data_alone(results: Path, tmp_path: Path) -> None:
    own, other = data(tmp_path / "a", "sin x"), data(tmp_path / "b", "cos x")
    Record("one", None, clusters=own, only="").write({"n": 1})
    Record("one", None, clusters=data(tmp_path / "moved", "sin x")).write({"n": 2})
    for about in ({"clusters": other}, {"clusters": own, "only": "some"}, {"clusters": own.parent}, {}):
        with pytest.raises(SystemExit, match=r"clusters\.txt.*--out FILE"):
            Record("one", None, **about)
    Record("one", str(tmp_path / "mine.json"), clusters=other).write({"n": 3})
    Record("one", "-", clusters=other).write({"n": 4})
    kept = json.loads((results / "one.json").read_bytes())
    assert (kept["figures"], set(kept["about"])) == ({"n": 2}, {"clusters"})
    mine = json.loads((tmp_path / "mine.json").read_bytes())
    assert mine["figures"] == {"n": 3}
    assert mine["about"] != kept["about"]
    assert [path.name for path in results.iterdir()] == ["one.json"]


def test_what_an_older_result_is_about_is_not_guessed(results: Path, tmp_path: Path) -> None:
    (results / "one.json").write_text(json.dumps({"figures": {}}))
    Record("one", None)
    with pytest.raises(SystemExit, match="does not name"):
        Record("one", None, clusters=data(tmp_path, "sin x"))


@pytest.mark.parametrize("path", BENCHMARKS, ids=lambda path: path.stem)
def test_every_benchmark_writes_in_that_way(path: Path) -> None:
    text = path.read_text()
    assert text.count("Record(") == text.count("parser_of(__doc__)") == 1
    assert text.index("Record(") < text.rindex(".write(")
    assert text.count("write_json(") == (path.stem == "egen_tables")  # its cache


@pytest.mark.parametrize("path", DRIVERS, ids=lambda path: path.stem)
def test_every_driver_says_how_it_is_called(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    driver = import_module(f"benchmarks.{path.stem}")
    monkeypatch.setattr("sys.argv", [path.stem, "--help"])
    with pytest.raises(SystemExit) as stopped:
        driver.main()
    assert stopped.value.code == 0
    assert (driver.__doc__ or "").splitlines()[0] in capsys.readouterr().out


TEXT = r"""Let $x > 0$. Then $\frac{x^2 - 1}{x + 1} = x - 1$ and $\sqrt{x^2} = x$.

Hence $(x + 1)^2 = x^2 + 2x + 1$, and $\sin^2 x + \cos^2 x = 1$.
"""


@pytest.mark.parametrize(
    ("name", "words", "printed"),
    [
        ("hostile_answers", ["--pairs", "5"], "| all | "),
        ("identities", ["--family", "machin"], "machin"),
        ("members", ["--heads", "1", "--members", "2"], "'equal': "),
        ("judging", ["--heads", "1", "--members", "1", "--changed", "5"], "false accepts: 0"),
        ("known_items", ["FOLDER", "--queries", "2"], "bm25"),
        ("proofread_texts", ["FOLDER", "--plant", "2"], "right"),
    ],
)
def test_a_driver_measures_a_handful_of_rows(
    name: str,
    words: list[str],
    printed: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "text.md").write_text(TEXT)
    out = tmp_path / "result.json"
    words = [str(tmp_path) if word == "FOLDER" else word for word in words]
    monkeypatch.setattr("sys.argv", [name, *words, "--out", str(out)])
    import_module(f"benchmarks.{name}").main()
    assert printed in capsys.readouterr().out
    assert json.loads(out.read_bytes())["figures"]


def test_where_it_goes_is_an_option_of_all() -> None:
    assert parser_of("x").parse_args([]).out is None
    assert parser_of("x").parse_args(["--out", "-"]).out == "-"
