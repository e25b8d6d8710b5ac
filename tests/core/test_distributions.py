"""Versions by the names of folders, beside what importlib reads of the distributions' own account."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

import pytest

from engines.core import distributions
from engines.core.distributions import installed_versions, list_requirements


def test_versions_and_requirements_are_those_of_importlib() -> None:
    asked = [re.split(r"[^A-Za-z0-9._-]", line, maxsplit=1)[0] for line in metadata.requires("mathwb") or ()]
    assert list_requirements("mathwb") == list(dict.fromkeys(asked))
    known = {}
    for name in ["mathwb", *asked]:
        try:
            known[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    assert {"mathwb", "numpy", "psutil"} <= known.keys()
    assert installed_versions(["mathwb", *asked]) == known
    assert list_requirements("no such distribution") == []


def test_names_have_several_spellings_and_the_first_place_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place, name in (
        ("a", "Two_Words-2.0+cpu.dist-info"),
        ("b", "two.words-1.0.dist-info"),
        ("b", "old-0.3-py3.11.egg-info"),
        ("b", "new-4-nothing-else"),
    ):
        (tmp_path / place / name).mkdir(parents=True)
    monkeypatch.setattr("sys.path", [str(tmp_path / place) for place in ("a", "missing", "b")])
    distributions._find_folders.cache_clear()
    try:
        assert installed_versions(["two-words", "OLD", "new"]) == {"two-words": "2.0+cpu", "OLD": "0.3"}
    finally:
        distributions._find_folders.cache_clear()
