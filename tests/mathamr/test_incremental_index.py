"""Indexes of documents: a refreshed one finds what a new one does, a stopped one goes on."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from engines.core.events import Event
from engines.mathamr.retrieval import incremental_index
from engines.mathamr.retrieval.formula_index import FormulaIndex
from engines.mathamr.retrieval.indexing import IndexFormulas, index
from engines.mathamr.retrieval.search import SearchFormulas, search
from tests.conftest import expect_error

QUERIES = ("x^2+1", r"\frac{a}{b}", "f(x)", "y=3")


def notes(folder: Path, count: int = 30) -> Path:
    folder.mkdir()
    for number in range(count):
        text = f"Note: $x^{number % 7}+{number}$.\n\nWe see $\\frac{{a_{number}}}{{b}} = f(x)$ and $y=3$."
        (folder / f"{number:02}.md").write_text(text)
    return folder


def found(place: Path) -> list[list[tuple[float, str, set[str]]]]:
    """Of each query score, LaTeX and places, equal scores in one order."""
    opened = FormulaIndex(place)
    rows = []
    for query in QUERIES:
        hits = search(SearchFormulas(place, query, k=50))["hits"]
        own = {opened.read_latex(look): opened.list_members(look) for look in range(len(opened))}
        named = [(hit["score"], hit["latex"], {one["id"] for one in own[hit["latex"]]}) for hit in hits]
        rows.append(sorted(named, key=lambda row: (-row[0], row[1])))
    return rows


def test_a_refreshed_index_finds_what_a_new_one_does(tmp_path: Path) -> None:
    place = notes(tmp_path / "notes")
    assert index(IndexFormulas(place, tmp_path / "index"))["files_read"] == 30
    (place / "03.md").write_text("Changed: $x^2+1$.")
    (place / "04.md").unlink()
    (place / "new.md").write_text("New $z_9$ and $y=3$.")
    made = index(IndexFormulas(place, tmp_path / "index"))
    assert (made["files"], made["files_read"]) == (30, 2)
    fresh = index(IndexFormulas(place, tmp_path / "fresh"))
    counts = ("formulas", "looks", "features", "postings", "without_context")
    assert [made[key] for key in counts] == [fresh[key] for key in counts]
    assert found(tmp_path / "index") == found(tmp_path / "fresh")
    assert index(IndexFormulas(place, tmp_path / "index"))["files_read"] == 0


def test_an_open_index_goes_on_with_its_state_and_mixes_no_other_in(tmp_path: Path) -> None:
    place, out = notes(tmp_path / "notes", 5), tmp_path / "index"
    index(IndexFormulas(place, out))
    opened = FormulaIndex(out)
    before = [opened.list_members(look) for look in range(len(opened))]
    (place / "00.md").write_text("Quite $o^{t^h}er$.")
    index(IndexFormulas(place, out))
    assert [opened.list_members(look) for look in range(len(opened))] == before
    with expect_error("E661"):
        opened.score_words("note")
    assert FormulaIndex(out).score_words("quite").max() == 1


def test_hits_say_file_line_and_sentence(tmp_path: Path) -> None:
    place = notes(tmp_path / "notes", 3)
    index(IndexFormulas(place, tmp_path / "index"))
    hit = search(SearchFormulas(tmp_path / "index", r"\frac{a_2}{b} = f(x)"))["hits"][0]
    assert (hit["file"], hit["line"], hit["formula"]) == (str(place / "02.md"), 3, "02.md:3")
    assert hit["sentence"] == r"We see $\frac{a_2}{b} = f(x)$ and $y=3$."


@pytest.mark.slow
def test_a_stopped_build_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, out = notes(tmp_path / "notes"), tmp_path / "index"
    monkeypatch.setattr(incremental_index, "_BATCH", 500)
    seen: list[Mapping[str, Any]] = []
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    monkeypatch.setattr(incremental_index, "_SMALL", 10**9)
    asked = iter([False, False, True])
    stopped = index(IndexFormulas(place, out), stop=lambda: next(asked, True))
    assert stopped == {"out": str(out), "complete": False}
    assert not out.exists()
    parts = [path for path in (tmp_path / ".index.parts").iterdir() if path.is_dir()]
    assert parts
    times = {path: (path / "features.npy").stat().st_mtime_ns for path in parts}
    kept = incremental_index.remove_folder
    monkeypatch.setattr(incremental_index, "remove_folder", lambda *_: seen.append({}))
    assert index(IndexFormulas(place, out))["complete"]
    assert {path: (path / "features.npy").stat().st_mtime_ns for path in parts} == times
    monkeypatch.setattr(incremental_index, "remove_folder", kept)
    index(IndexFormulas(place, tmp_path / "fresh"))
    assert found(out) == found(tmp_path / "fresh")
    assert not (tmp_path / ".fresh.parts").exists()


@pytest.mark.slow
def test_processes_share_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = notes(tmp_path / "notes")
    index(IndexFormulas(place, tmp_path / "one"))
    monkeypatch.setattr(incremental_index, "_BATCH", 500)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    index(IndexFormulas(place, tmp_path / "two"))
    assert found(tmp_path / "one") == found(tmp_path / "two")


def test_many_blocks_merge_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from engines.mathamr.retrieval import segments

    place = notes(tmp_path / "notes")
    index(IndexFormulas(place, tmp_path / "one"))
    monkeypatch.setattr(segments, "BLOCK", 100)
    index(IndexFormulas(place, tmp_path / "two"))
    for name in ("features", "starts", "looks", "counts", "masses", "members", "firsts"):
        one, two = ((tmp_path / which / f"{name}.npy").read_bytes() for which in ("one", "two"))
        assert one == two, name


def test_what_cannot_be_read_is_counted_and_said(tmp_path: Path) -> None:
    place = notes(tmp_path / "notes", 2)
    (place / "bad.tex").write_bytes(b"$x$ \xff\xfe")
    (place / "a.pdf").write_bytes(b"%PDF")
    heard: list[Event] = []
    made = index(IndexFormulas(place, tmp_path / "index"), events=heard.append)
    said = " ".join(str(event.data.get("message")) for event in heard if event.kind == "warning")
    assert made["left_out"] == 1
    assert "bad.tex" in said
    assert "1 PDF file is not read" in said
    again = index(IndexFormulas(place, tmp_path / "index"))
    assert (again["left_out"], again["files_left_out"]) == (1, {".pdf": 1})


def test_an_index_of_other_documents_is_not_replaced(tmp_path: Path) -> None:
    index(IndexFormulas(notes(tmp_path / "notes", 2), tmp_path / "index"))
    with expect_error("E452"):
        index(IndexFormulas(notes(tmp_path / "others", 2), tmp_path / "index"))
    (tmp_path / "empty").mkdir()
    with expect_error("E660"):
        index(IndexFormulas(tmp_path / "empty", tmp_path / "nothing"))


def test_a_watched_folder_is_made_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from engines.mathamr.retrieval import indexing

    monkeypatch.setattr(indexing, "_LOOKED_S", 0.01)
    place = notes(tmp_path / "notes", 2)
    waits: list[Event] = []

    def heard(event: Event) -> None:
        if event.kind == "log":
            waits.append(event)
            (place / "added.md").write_text("Added $q^{77}$.")

    index(IndexFormulas(place, tmp_path / "index", watch=True), events=heard, stop=lambda: len(waits) > 1)
    assert len(waits) == 2
    assert search(SearchFormulas(tmp_path / "index", "q^{77}"))["hits"][0]["formula"] == "added.md:1"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of documents about different things."""
    place = tmp_path_factory.mktemp("library")
    (place / "docs").mkdir()
    texts = {
        "sums": "The sum of squares: $\\sum_{k=1}^n k^2$ by induction. Circles are $a^2+b^2$ and $x^2+x$.",
        "roots": "The root of a sum, by the mean inequality: $\\sqrt{x^2+y^2}$, and $\\sum_{k=1}^n k$.",
        "trig": "As in $\\sin^2(u)+\\cos^2(u)=1$ or $\\frac{d}{dx} f(x)$, $\\sum_{k=1}^n k^2$ again.",
    }
    for name, text in texts.items():
        (place / "docs" / f"{name}.md").write_text(text)
    index(IndexFormulas(place / "docs", place / "index"))
    return place / "index"


@pytest.mark.parametrize(
    ("query", "latex"),
    [
        ("sqrt(x^2+y^2)", r"\sqrt{x^2+y^2}"),
        ("√(x²+y²)", r"\sqrt{x^2+y^2}"),
        ("sin(u)^2+cos(u)^2=1", r"\sin^2(u)+\cos^2(u)=1"),
        ("d/dx f(x)", r"\frac{d}{dx} f(x)"),
        ("sum_(k=1)^n k^2", r"\sum_{k=1}^n k^2"),
    ],
)
def test_queries_are_typed_as_people_do(library: Path, query: str, latex: str) -> None:
    hit = search(SearchFormulas(library, query))["hits"][0]
    assert (hit["latex"], hit["score"]) == (latex, pytest.approx(1, abs=1e-5))


def test_consistent_letters_come_before_others(library: Path) -> None:
    """By the parts that they share alone, a^2+b^2 has .570, and x^2+x .533 on the collection."""
    scores = {hit["latex"]: hit["score"] for hit in search(SearchFormulas(library, "m^2+m"))["hits"]}
    assert scores["x^2+x"] > scores["a^2+b^2"]


def test_a_pattern_finds_what_it_matches_and_says_how(library: Path) -> None:
    hits = search(SearchFormulas(library, "?a^2+?b^2"))["hits"]
    assert {hit["latex"] for hit in hits} == {"a^2+b^2", r"\sqrt{x^2+y^2}"}
    assert hits[0]["bound"] == {"a": "a", "b": "b"}
    assert (hits[0]["score"], hits[1]["score"] < 1) == (1.0, True)


def test_words_beside_a_formula_choose_its_text(library: Path) -> None:
    for words, file in (("squares by induction", "sums.md"), ("again", "trig.md")):
        hit = search(SearchFormulas(library, rf"{words} $\sum_{{k=1}}^n k^2$"))["hits"][0]
        assert Path(hit["file"]).name == file


def test_several_formulas_are_looked_for_in_one_text(library: Path) -> None:
    hits = search(SearchFormulas(library, r"$\sum_{k=1}^n k^2$ $\cos^2 u$"))["hits"]
    assert Path(hits[0]["file"]).name == "trig.md"
    assert len(hits) == 3


def test_each_row_of_a_table_is_a_text_of_its_own(tmp_path: Path) -> None:
    rows = [f"{number},see $x^{number}+1$ and $\\sin y_{number}$\n" for number in range(2, 9)]
    (tmp_path / "a.csv").write_text("id,text\n" + "".join(rows))
    index(IndexFormulas(tmp_path / "a.csv", tmp_path / "index"))
    hits = search(SearchFormulas(tmp_path / "index", r"$x^5+1$ $\sin y_5$"))["hits"]
    assert (hits[0]["formula"].partition(":")[0], len(hits)) == ("5", 7)


def test_queries_that_cannot_be_answered_are_refused(library: Path) -> None:
    with expect_error("E376"):
        search(SearchFormulas(library, "$ $"))
    with expect_error("E427"):
        search(SearchFormulas(library, "?a+1", how="dense"))
