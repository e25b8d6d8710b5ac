"""Mistakes of the dependency parse that are corrected."""

from __future__ import annotations

import pytest

from engines.language.english import Word
from engines.mathamr.parsing.corrections import correct_words

GIVEN = (
    # "solve equations using induction", as the parser has it: using below equations.
    (("solve", "VB", "root", 0), ("equations", "NNS", "obj", 0), ("using", "VBG", "acl", 1)),
    # "for each MATH": the formula below its quantifier.
    (
        ("holds", "VBZ", "root", 0),
        ("for", "IN", "case", 2),
        ("each", "DT", "obl", 0),
        ("MATH", "NN", "dep", 2),
    ),
    # "all MATH" alone.
    (("all", "DT", "root", 0), ("MATH", "NN", "appos", 0)),
    # "prove that for n": no object.
    (("prove", "VB", "root", 0), ("that", "DT", "obj", 0), ("for", "IN", "case", 3), ("n", "NN", "obl", 0)),
    # "prove that again": an object.
    (("prove", "VB", "root", 0), ("that", "DT", "obj", 0), ("again", "RB", "advmod", 0)),
    # "all of MATH": the preposition says that it does hang there.
    (("all", "DT", "root", 0), ("of", "IN", "case", 2), ("MATH", "NN", "nmod", 0)),
)
EXPECTED = (
    [("root", 0), ("obj", 0), ("advcl", 0)],
    [("root", 0), ("case", 3), ("det", 3), ("obl", 0)],
    [("det", 1), ("root", 1)],
    [("root", 0), ("mark", 0), ("case", 3), ("obl", 0)],
    [("root", 0), ("obj", 0), ("advmod", 0)],
    [("root", 0), ("case", 2), ("nmod", 0)],
)


@pytest.mark.parametrize(("given", "expected"), zip(GIVEN, EXPECTED, strict=True))
def test_recurring_mistakes(given: list[tuple[str, str, str, int]], expected: list[tuple[str, int]]) -> None:
    words = [Word(text, text.lower(), tag, relation, head) for text, tag, relation, head in given]
    assert [(word.relation, word.head) for word in correct_words(words)] == expected
