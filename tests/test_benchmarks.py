"""Results of benchmarks are about the data that they name, and written in one way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import _record
from benchmarks._record import Record, parser_of

BENCHMARKS = sorted(path for path in Path(_record.__file__).parent.glob("*.py") if path.name[0] != "_")
BENCHMARKS = [path for path in BENCHMARKS if path.stem != "repro"]  # it measures nothing


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


def test_where_it_goes_is_an_option_of_all() -> None:
    assert parser_of("x").parse_args([]).out is None
    assert parser_of("x").parse_args(["--out", "-"]).out == "-"
