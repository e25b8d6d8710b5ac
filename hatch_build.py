"""How a wheel is made: the rooms of the repository become packages of `mathwb`, as which they are installed.

`engines/egen` is `mathwb/egen` there, `workbench` `mathwb/workbench`, `screens` `mathwb/screens`. Their
imports follow, and the dotted names in texts, such as those of operations and of `python -m`. No line is
added or taken away: a traceback names the lines of the repository. An editable install has the repository
as it is, and `mathwb/__init__.py`.
"""

from __future__ import annotations

import io
import re
import shutil
import tokenize
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOMS = {"engines": "mathwb", "workbench": "mathwb.workbench", "screens": "mathwb.screens"}
_DOTTED = re.compile(r"(?<![\w.{/])(engines|workbench|screens)(?=\.[a-z_{])")
_LAYOUT = {tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT}

Edit = tuple[int, int, int, str]
"""Line, first and last column, and what takes their place."""


def installed(source: str) -> str:
    """A module as it is installed.

    >>> installed("from engines.core import tree\\nrun('-m', 'workbench.jobs.worker')")
    "from mathwb.core import tree\\nrun('-m', 'mathwb.workbench.jobs.worker')"
    >>> installed("import workbench")
    'import mathwb.workbench as workbench'
    """
    lines = source.splitlines(keepends=True)
    for row, start, end, new in sorted(_edits(source, lines), reverse=True):
        line = lines[row - 1]
        lines[row - 1] = line[:start] + new + line[end:]
    return "".join(lines)


def _edits(source: str, lines: list[str]) -> Iterator[Edit]:
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    begun: list[tuple[int, int]] = []
    for index, token in enumerate(tokens):
        kind = tokenize.tok_name[token.type]
        if kind == "STRING" and not begun:
            yield from _in_text(lines, token.start, token.end)
        elif kind == "FSTRING_START":
            begun.append(token.start)
        elif kind == "FSTRING_END":
            start = begun.pop()
            if not begun:
                yield from _in_text(lines, start, token.end)
        elif token.string in ("from", "import") and (not index or tokens[index - 1].type in _LAYOUT):
            yield from _imported(token.string, tokens[index + 1], tokens[index + 2].string)


def _imported(how: str, name: tokenize.TokenInfo, then: str) -> Iterator[Edit]:
    if name.string in ROOMS:
        new = ROOMS[name.string]
        if how == "import":
            if then.strip():
                raise ValueError(f"line {name.start[0]}: say `from {name.string}… import …`")
            new += f" as {name.string}"
        yield name.start[0], name.start[1], name.end[1], new


def _in_text(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> Iterator[Edit]:
    for row in range(start[0], end[0] + 1):
        for found in _DOTTED.finditer(lines[row - 1]):
            if start <= (row, found.start()) < end:
                yield row, found.start(), found.end(), ROOMS[found[1]]


class Hook(BuildHookInterface[Any]):
    """Puts the rooms into the wheel under their installed names."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        root = Path(self.root)
        self._made = Path(mkdtemp())
        for room, name in ROOMS.items():
            for path in sorted((root / room).rglob("*")):
                if path.suffix == ".py" or path.name == "py.typed":
                    target = self._made / name.replace(".", "/") / path.relative_to(root / room)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_text(installed(path.read_text("utf-8")), "utf-8")
        shutil.copy(root / "mathwb" / "__main__.py", self._made / "mathwb")
        build_data["force_include"] |= {str(self._made): "/", str(root / "assets"): "mathwb/_assets"}

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        if version != "editable":
            shutil.rmtree(self._made)
