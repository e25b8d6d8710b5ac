"""Names of modules, of what is in them, and of files, as docstrings and comments cite them: each exists."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache

import pytest

from tests.source_trees import ROOMS, ROOT

_CITED = re.compile(r"`((?:[A-Za-z_]\w*[./])+[A-Za-z_]\w*)(?:\(\))?`")
_SETTINGS = frozenset(("config", "data", "paper", "spec", "train"))
"""First words of settings in recipes, and of placeholders: `train.lr`, `paper.command`."""
_FILES = ("gz", "jsonl", "parquet", "sqlite", "toml", "tsv")
"""Ends of files of data, which are no names of code."""


@cache
def read_texts() -> dict[str, str]:
    """Return the text of every source file by its path, those of tests and benchmarks too."""
    paths = (path for room in (*ROOMS, "benchmarks", "tests") for path in sorted((ROOT / room).rglob("*.py")))
    return {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in paths}


@cache
def map_modules() -> dict[str, list[str]]:
    """Return the files of modules by all ends of their dotted names: `core.tree` and `tree`."""
    files = defaultdict(list)
    for file in read_texts():
        parts = file.removesuffix(".py").removesuffix("/__init__").split("/")
        for start in range(len(parts)):
            files[".".join(parts[start:])].append(file)
    return files


@cache
def map_classes() -> dict[str, list[str]]:
    """Return the files that have classes by the names of those."""
    files = defaultdict(list)
    for file, text in read_texts().items():
        for name in re.findall(r"^ *class (\w+)", text, re.MULTILINE):
            files[name].append(file)
    return files


@cache
def exists(cited: str) -> bool:
    """Return whether a cited name can be of something that there is; what begins with a name of no module
    and no class is believed, since it may be a variable's or a library's.
    """
    if cited.endswith(".py"):
        return any(f"/{file}".endswith(f"/{cited}") for file in read_texts())
    parts = cited.split(".")
    if "/" in cited or parts[0] in _SETTINGS or parts[-1] in _FILES:
        return True
    is_full = parts[0] in (*ROOMS, "mathwb")
    parts = parts[parts[0] in ("engines", "mathwb") :]
    files = [(file, parts[1]) for file in map_classes().get(parts[0], ()) if len(parts) > 1]
    for count in range(len(parts), 0, -1):
        modules = map_modules().get(".".join(parts[:count]), [])
        if count == len(parts) and modules:
            return True
        files += [(file, parts[count]) for file in modules if count < len(parts)]
    if any(re.search(rf"\b{name}\b", read_texts()[file]) for file, name in files):
        return True
    # Names of operations, entry points and keys are strings of the program.
    is_string = any(f'"{cited}"' in text for text in read_texts().values())
    return is_string or not (files or is_full)


def list_missing() -> Iterator[str]:
    for file, text in read_texts().items():
        for match in _CITED.finditer(text):
            if not exists(match[1]):
                yield f"{file}:{text.count(chr(10), 0, match.start()) + 1} {match[1]}"


@pytest.mark.parametrize(
    ("cited", "expected"),
    [
        ("engines.core.tree", True),
        ("mathwb.core.tree.Tree", True),
        ("tree.parse_prefix", True),
        ("Tree.list_labels", True),
        ("core/tree.py", True),
        ("mwp.eval", True),
        ("np.ndarray", True),
        ("engines.core." + "trees", False),
        ("tree." + "parse_postfix", False),
        ("Tree." + "list_roots", False),
        ("core/" + "trees.py", False),
    ],
)
def test_names_are_told_from_names_of_nothing(cited: str, expected: bool) -> None:
    assert exists(cited) is expected


def test_what_docstrings_and_comments_cite_is_there() -> None:
    assert not list(list_missing())
