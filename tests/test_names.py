"""Names: a class has one meaning in the repository, and a function is not named by a bare participle.

What there still is of the other kind is counted, and may only become less.
"""

from __future__ import annotations

from collections import defaultdict

import pytest

from tests.source_trees import outline_modules

TWICE = 2
"""So many public classes and types share a name with another: the verbs Generate and Evaluate."""
PARTICIPLES = 14
"""So many functions are named by a participle alone: `unmeasured` and `shuffled` of trainings, a command."""
SPREAD = 2
"""So many functions have a name that functions of more than three modules have."""

VERBS = frozenset(
    [
        "compare",
        "encode",
        "evaluate",
        "explain",
        "generate",
        "index",
        "main",
        "parse",
        "rank",
        "read",
        "search",
        "verify",
    ]
)
"""What every paper or process has one of, under the name of its command."""

_IRREGULAR = frozenset(
    [
        "begun",
        "bent",
        "bound",
        "broken",
        "brought",
        "built",
        "caught",
        "chosen",
        "cut",
        "done",
        "drawn",
        "driven",
        "fed",
        "felt",
        "found",
        "forgotten",
        "frozen",
        "given",
        "gone",
        "grown",
        "held",
        "hidden",
        "kept",
        "known",
        "laid",
        "learnt",
        "led",
        "left",
        "lent",
        "lost",
        "made",
        "meant",
        "met",
        "paid",
        "put",
        "read",
        "run",
        "said",
        "seen",
        "sent",
        "set",
        "shown",
        "shut",
        "sought",
        "spelt",
        "spent",
        "split",
        "spoken",
        "spread",
        "stolen",
        "stood",
        "stuck",
        "sung",
        "sunk",
        "taken",
        "taught",
        "thought",
        "thrown",
        "told",
        "torn",
        "understood",
        "undone",
        "woken",
        "won",
        "worn",
        "wound",
        "woven",
        "written",
    ]
)
_NOT_PARTICIPLES = frozenset(
    [
        "bound",
        "cut",
        "feed",
        "left",
        "need",
        "put",
        "read",
        "run",
        "seed",
        "set",
        "shed",
        "speed",
        "split",
        "spread",
        "embed",
    ]
)


def is_participle(name: str) -> bool:
    """Whether a name is one word that looks like a past participle."""
    word = name.strip("_")
    if "_" in word or word in _NOT_PARTICIPLES or word != word.lower():
        return False
    return word in _IRREGULAR or (word.endswith("ed") and len(word) > 4)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("written", True),
        ("_shown", True),
        ("matched", True),
        ("read", False),
        ("write_rows", False),
        ("seed", False),
    ],
)
def test_participles_are_recognised(name: str, expected: bool) -> None:
    assert is_participle(name) is expected


def test_no_more_functions_are_named_by_a_participle() -> None:
    matches = [
        f"{module.file}:{line} {name}"
        for module in outline_modules()
        for line, name in module.functions
        if is_participle(name)
    ]
    assert len(matches) <= PARTICIPLES, "a verb and a noun say more: " + ", ".join(matches[:20])


def test_no_more_classes_share_a_name() -> None:
    files = defaultdict(set)
    for module in outline_modules():
        for name in module.types:
            files[name].add(module.file)
    twice = {name: sorted(where) for name, where in files.items() if len(where) > 1}
    assert len(twice) <= TWICE, f"one of them wants a name of its own: {twice}"


def test_no_more_functions_have_a_name_of_many() -> None:
    files = defaultdict(set)
    for module in outline_modules():
        for name in module.public_functions:
            files[name].add(module.file)
    spread = {name for name, where in files.items() if len(where) > 3} - VERBS
    assert len(spread) <= SPREAD, f"what they are about belongs to their names: {sorted(spread)}"
