"""BM25 against a plain calculation, and indexes that are damaged."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from engines.core.errors import DataError
from engines.retrieval.bm25 import Bm25, LexicalIndex, TermPart, build_lexical
from engines.retrieval.index_terms import extract_terms
from tests.conftest import expect_error

TEXTS = [
    "Every finite group of prime order is cyclic: take $g\\ne e$ and $\\langle g\\rangle$",
    "The series $\\sum_{n=1}^{\\infty}\\frac{1}{n}$ diverges, the harmonic series",
    "",
    "A prime $p$ divides $a^p-a$; Fermat",
    "The groups of order $p^2$ are abelian, groups of order $p$ cyclic groups",
    "$\\frac{1}{n^2}$ sums to $\\frac{\\pi^2}{6}$",
    "$\\frac{1}{n^2}$ sums to $\\frac{\\pi^2}{6}$",
]


def plain(query: str, texts: list[str], k1: float, b: float) -> list[float]:
    """Lucene's BM25 as its formula says."""
    documents = [Counter(extract_terms(text)) for text in texts]
    mean = sum(sum(d.values()) for d in documents) / len(documents)
    scores = []
    for document in documents:
        score = 0.0
        for term in extract_terms(query):
            df = sum(term in other for other in documents)
            if df and document[term]:
                idf = math.log(1 + (len(documents) - df + 0.5) / (df + 0.5))
                norm = k1 * (1 - b + b * sum(document.values()) / mean)
                score += idf * document[term] / (document[term] + norm)
        scores.append(score)
    return scores


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    build_lexical([TermPart.from_texts(TEXTS[:3]), TermPart.from_texts(TEXTS[3:])], tmp_path / "lexical")
    return tmp_path / "lexical"


@pytest.mark.parametrize(
    "query", ["cyclic groups of prime order $p$ $p$", "$\\frac{1}{n}$ series", "nothing"]
)
@pytest.mark.parametrize("params", [Bm25(), Bm25(2.0, 0.3)])
def test_scores_equal_the_formula(tmp_path: Path, query: str, params: Bm25) -> None:
    about = build_lexical([TermPart.from_texts(TEXTS)], tmp_path / "index", params)
    assert about["bm25"] == {"k1": params.k1, "b": params.b}
    expected = plain(query, TEXTS, params.k1, params.b)
    found = LexicalIndex(tmp_path / "index").score_documents(query)
    assert found == pytest.approx(expected, rel=1e-5, abs=1e-6)


def test_the_division_into_parts_changes_nothing(folder: Path, tmp_path: Path) -> None:
    build_lexical([TermPart.from_texts([text]) for text in TEXTS], tmp_path / "many")
    query = "groups $\\frac{1}{n^2}$"
    assert LexicalIndex(folder).score_documents(query) == pytest.approx(
        LexicalIndex(tmp_path / "many").score_documents(query)
    )


@pytest.mark.parametrize(("block", "size"), [(1, 1), (5, 2), (10**6, 3)])
def test_what_is_gathered_on_the_disk_equals_a_plain_calculation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int, size: int
) -> None:
    monkeypatch.setattr("engines.retrieval.bm25.BLOCK", block)
    parts = [TermPart.from_texts(TEXTS[begin : begin + size]) for begin in range(0, len(TEXTS), size)]
    build_lexical(parts, tmp_path / "index")
    counted = [Counter(extract_terms(text)) for text in TEXTS]
    numbers = {term: number for number, term in enumerate(dict.fromkeys(t for c in counted for t in c))}
    lengths = [sum(count.values()) for count in counted]
    rows, summands, starts = [], [], [0]
    for term in numbers:
        held = [(row, count[term]) for row, count in enumerate(counted) if term in count]
        idf = math.log1p((len(TEXTS) - len(held) + 0.5) / (len(held) + 0.5))
        norms = [1.2 * (1 - 0.75 + 0.75 * length / (sum(lengths) / len(lengths))) for length in lengths]
        rows += [row for row, _ in held]
        summands += [idf * times / (times + norms[row]) for row, times in held]
        starts.append(len(rows))
    assert json.loads((tmp_path / "index" / "vocab.index.json").read_text()) == numbers
    for name, expected in (("indices", rows), ("indptr", starts)):
        assert np.load(tmp_path / "index" / f"{name}.csc.index.npy").tolist() == expected
    found = np.load(tmp_path / "index" / "data.csc.index.npy")
    assert found.dtype == np.float32
    np.testing.assert_array_max_ulp(found, np.array(summands, np.float32), maxulp=1)
    assert {path.name for path in (tmp_path / "index").iterdir()} == {
        "data.csc.index.npy",
        "indices.csc.index.npy",
        "indptr.csc.index.npy",
        "vocab.index.json",
        "about.json",
    }


def test_search_gives_the_best_in_order(folder: Path) -> None:
    index = LexicalIndex(folder)
    scores, rows = index.search("$\\frac{\\pi^2}{6}$", 10)
    assert rows.tolist()[:2] == [5, 6]  # equal scores in the order of the documents
    assert scores[0] == scores[1]
    assert (scores > 0).all()
    assert len(index.search("cyclic", 1)[1]) == 1
    assert len(index.search("unheard", 5)[1]) == 0
    assert len(index.search("the of $,$", 5)[1]) == 0


def test_a_part_comes_back_from_its_file(tmp_path: Path) -> None:
    for texts in (TEXTS, ["", ""]):
        part = TermPart.from_texts(texts)
        part.save(tmp_path / "part.npz")
        back = TermPart.load(tmp_path / "part.npz")
        assert tuple(back.vocabulary) == tuple(part.vocabulary)
        assert back.ids.tolist() == part.ids.tolist()
        assert back.lengths.tolist() == part.lengths.tolist()
    (tmp_path / "part.npz").write_bytes((tmp_path / "part.npz").read_bytes()[:100])
    with expect_error("E661"):
        TermPart.load(tmp_path / "part.npz")


@pytest.mark.parametrize(
    "name",
    ["data.csc.index.npy", "indices.csc.index.npy", "indptr.csc.index.npy", "vocab.index.json", "about.json"],
)
def test_a_file_cut_short_is_named(folder: Path, name: str) -> None:
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: len(content) // 2])
    with pytest.raises(DataError) as caught:
        LexicalIndex(folder)
    assert caught.value.code == "E661"
    assert name in caught.value.where


def test_terms_of_another_version_are_refused(folder: Path) -> None:
    about = json.loads((folder / "about.json").read_text())
    (folder / "about.json").write_text(json.dumps({**about, "tokens": "other"}))
    with pytest.raises(DataError) as caught:
        LexicalIndex(folder)
    assert caught.value.code == "E662"
    assert caught.value.remedy


def test_documents_without_any_word(tmp_path: Path) -> None:
    with expect_error("E660"):
        build_lexical([TermPart.from_texts(["", "the"])], tmp_path / "index")
    assert list(tmp_path.iterdir()) == []
