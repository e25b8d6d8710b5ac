"""Porter's stemmer against another implementation, and Lucene's words."""

from __future__ import annotations

import re

from engines.core.system import asset
from engines.retrieval.index_terms import english_terms, porter_stem


def test_stems_are_those_of_nltk() -> None:
    from nltk.stem.porter import PorterStemmer  # as long to import as torch: for every worker that collects

    stemmer = PorterStemmer(PorterStemmer.MARTIN_EXTENSIONS)
    text = (asset("sample/arqmath/sample-forum") / "posts.jsonl").read_text(encoding="utf-8").lower()
    rare = "sky say bying toy agreed ties caresses rational hopefulness analogies controlling rolls ion"
    words = {*re.findall("[a-z]+", f"{text} {rare}")}
    assert len(words) > 1_000
    assert {word: porter_stem(word) for word in words} == {word: stemmer.stem(word) for word in words}


def test_words_are_cut_as_lucene_does() -> None:
    """By the rules of Unicode's annex 29 for words, without possessives and function words."""
    text = "Gauss's proofs, isn't 3.14 or 1,000? $\\frac{a_1}{x^2}$ The END."
    assert english_terms(text) == ["gauss", "proof", "isn't", "3.14", "1,000", "frac", "a_1", "x", "2", "end"]
