"""BM25 with any parameters against indexes built with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engines.retrieval.bm25 import Bm25, Frequencies, LexicalIndex, TermPart, build_lexical
from engines.retrieval.index_terms import TERMS, VERSIONS, Terms
from tests.retrieval.test_bm25 import TEXTS


@pytest.mark.parametrize("terms", list(VERSIONS))
@pytest.mark.parametrize("params", [Bm25(), Bm25(0.4, 1.0), Bm25(3.0, 0.0)])
def test_a_search_finds_what_an_index_with_the_parameters_finds(
    terms: Terms, params: Bm25, tmp_path: Path
) -> None:
    version = VERSIONS[terms]
    part = TermPart.from_texts(TEXTS, TERMS[version])
    build_lexical([part], tmp_path / "index", params, tokens=version)
    queries = {"A": "cyclic groups of prime order $p$ $p$", "B": "$\\frac{1}{n}$ sums", "C": "nothing"}
    counted = Frequencies(TEXTS, queries, version)
    for name, scores, rows in counted.search(params, 3):
        expected, places = LexicalIndex(tmp_path / "index").search(queries[name], 3)
        assert np.array_equal(rows, places)
        assert np.array_equal(scores, expected)
