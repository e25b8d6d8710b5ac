"""What is made of data for a training, such as tokens, cached by content."""

from __future__ import annotations

import ast
import contextlib
import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from engines.core.files import sweep_folders

LIMIT_BYTES = 20 * 2**30
"""What has not been used for longest goes when more is kept."""
_A_MINUTE_S = 60
_READERS = ("core", "formula", "forum", "arqmath")
"""The packages that read posts and cut them into tokens."""
_NAME = re.compile("[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Kept:
    """A folder that trainings share (none: nothing is kept), and the contents of this one's data, by kind."""

    folder: Path | None = None
    contents: Mapping[str, str] = field(default_factory=dict)

    def place(self, name: str, *kinds: str, tokenizer: Any, **settings: Any) -> Path | None:
        """Where that is kept which depends on the data of these kinds, the tokenizer and the settings alone.

        Our own code and the version of the tokenizers have a part in it too.
        """
        if self.folder is None:
            return None
        import tokenizers

        made_of = {
            "name": name,
            "data": {kind: self.contents[kind] for kind in kinds if kind in self.contents},
            "tokenizer": _tokenizer(tokenizer),
            "settings": settings,
            "versions": [_code(), tokenizers.__version__],
        }
        return self.folder / sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()[:32]


def _tokenizer(tokenizer: Any) -> str:
    """A hash of what a fast tokenizer does to a text, without how it was last told to pad and to cut."""
    described = json.loads(tokenizer.backend_tokenizer.to_str())
    described = {key: value for key, value in described.items() if key not in ("padding", "truncation")}
    return sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()


@cache
def _code() -> str:
    """A hash of the code that reads posts and makes rows of tokens of them."""
    import engines

    (root,) = map(Path, engines.__path__)
    digest = sha256()
    for file in sorted(file for room in _READERS for file in (root / room).rglob("*.py")):
        digest.update(f"{file.relative_to(root)} {_meaning(file.read_text(encoding='utf-8'))}\n".encode())
    return digest.hexdigest()


def _meaning(source: str) -> str:
    """A program without its comments and docstrings, and however it is laid out."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [each for each in body if not _is_text(each)]  # type: ignore[attr-defined]
    return ast.dump(tree)


def _is_text(statement: ast.AST) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def prune(keep: Path) -> None:
    """Remove what was not used for longest beside `keep` until all of it is within `LIMIT_BYTES`, and what
    killed writers have left. Whoever reads what is removed can go on reading."""
    found = []
    for place in _places(keep.parent):
        try:
            changed = place.stat().st_mtime
            size = sum(file.stat().st_size for file in place.iterdir())
        except OSError:
            continue  # another process has just removed it
        found.append((changed, size, place))
    sweep_folders(keep.parent, _A_MINUTE_S)
    total = 0
    for _, size, place in sorted(found, reverse=True):
        total += size
        if total > LIMIT_BYTES and place != keep:
            _remove(place)


def remove(folder: Path) -> None:
    """Remove all that is kept in a folder, and the folder if nothing else is in it."""
    for place in _places(folder):
        _remove(place)
    with contextlib.suppress(OSError):
        folder.rmdir()


def _places(folder: Path) -> list[Path]:
    """What was kept here, by the names that `Kept.place` gives; anything else is not ours."""
    return [place for place in folder.glob("*") if _NAME.fullmatch(place.name) and place.is_dir()]


def _remove(place: Path) -> None:
    shutil.rmtree(place, ignore_errors=True)
    place.with_suffix(".lock").unlink(missing_ok=True)
