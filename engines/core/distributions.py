"""Which distributions are installed, and what mathwb asks for, by the names of their folders.

`importlib.metadata` parses all that a distribution says of itself to tell its version: for the packages of
mathwb a tenth of a second, in every process of a job.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path


def normalize_name(name: str) -> str:
    """Return the name of a distribution as all its spellings are compared.

    >>> normalize_name("Typing_Extensions")
    'typing-extensions'
    """
    return re.sub(r"[-_.]+", "-", name).lower()


@cache
def _find_folders() -> dict[str, Path]:
    """Return where each installed distribution describes itself; the first of a name is the one in use."""
    folders: dict[str, Path] = {}
    for root in sys.path:
        with suppress(OSError):
            for entry in Path(root).iterdir():
                if entry.suffix in (".dist-info", ".egg-info"):
                    folders.setdefault(normalize_name(entry.stem.partition("-")[0]), entry)
    return folders


def all_versions() -> dict[str, str]:
    """Return the versions of all installed distributions by their normalized names."""
    # The name of a folder is `name-version`, and of older ones `name-version-py3.11`.
    return {name: f"{folder.stem}-".split("-")[1] for name, folder in _find_folders().items()}


def installed_versions(names: Iterable[str]) -> dict[str, str]:
    """Return the versions of those of these distributions that are installed."""
    versions = all_versions()
    return {name: versions[key] for name in names if (key := normalize_name(name)) in versions}


def list_requirements(name: str) -> list[str]:
    """Return the names of the distributions that an installed one asks for, those of its extras too."""
    folder = _find_folders().get(normalize_name(name))
    with suppress(OSError):
        lines = (folder / "METADATA").read_text("utf-8").splitlines() if folder else []
        said = (line.removeprefix("Requires-Dist: ") for line in lines if line.startswith("Requires-Dist: "))
        # The name is what comes before extras, versions and markers: `torch>=2.1; python_version < "3.14"`.
        return list(dict.fromkeys(re.split(r"[^A-Za-z0-9._-]", each, maxsplit=1)[0] for each in said))
    return []
