"""The guides do what they show: their files are written, their commands and Python run in order, and the
output that stands behind one is what it prints.

A block of `text` is the output of the block before it. It may leave lines out, and `…` stands for anything.
What cannot run here has a line `<!-- not run: reason -->` before it. Trainings end after a few steps: of what
they make, the guides show nothing.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from unittest import mock

import pytest

from tests.conftest import mathwb

ROOT = Path(__file__).resolve().parents[1]
GUIDES = sorted((ROOT / "docs" / "guides").glob("*.md"))
_BLOCK = re.compile(
    r"(?P<before>(?:(?!```).)*?)^```(?P<language>\w*)\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE
)
_NAMED = re.compile(r"`([\w-]+\.\w+)`")
_REASON = re.compile(r"<!-- not run: (.+?) -->\s*\Z")


@dataclass(frozen=True)
class Block:
    """A block of a guide: `shown` is the output that stands behind it, `reason` why it is not run, `file` the
    last name of a file in the text before it."""

    language: str
    body: str
    shown: str | None
    reason: str | None
    file: str | None


def read_blocks(text: str) -> Iterator[Block]:
    found = list(_BLOCK.finditer(text))
    for place, block in enumerate(found):
        reason = _REASON.search(block["before"])
        following = found[place + 1] if place + 1 < len(found) else None
        adjacent = following is not None and not following["before"].strip()
        is_output = block["language"] == "text" and place > 0 and not block["before"].strip()
        if is_output:
            continue
        shown = following["body"] if following and adjacent and following["language"] == "text" else None
        names = _NAMED.findall(block["before"])
        yield Block(
            block["language"], block["body"], shown, reason and reason[1], names[-1] if names else None
        )


_FIGURE = re.compile(r"[+-]?\d*\.\d{3,}")


def is_shown_as(shown: str, printed: str) -> bool:
    """Return whether a line prints what is shown; the third digit of a figure differs between processors.

    >>> is_shown_as("mean 0.8161 of … runs", "mean 0.8156 of 3 runs"), is_shown_as("a 0.816", "a 0.819")
    (True, False)
    """
    parts = [".*".join(map(re.escape, part.split("…"))) for part in _FIGURE.split(shown)]
    match = re.fullmatch(f"({_FIGURE.pattern})".join(parts), printed)
    if match is None:
        return False
    pairs = zip(_FIGURE.findall(shown), match.groups(), strict=True)
    return all(abs(float(one) - float(other)) <= 2e-3 for one, other in pairs)


def missing_lines(shown: str, printed: str) -> list[str]:
    """The shown lines that the output does not have, in this order.

    >>> missing_lines("a  1\\nc … e\\nf", "a 1\\nb\\nc d e")
    ['f']
    """
    rest = iter([" ".join(line.split()) for line in printed.splitlines()])
    missing = []
    for line in filter(None, (" ".join(line.split()) for line in shown.splitlines())):
        if not any(is_shown_as(line, printed_line) for printed_line in rest):
            missing.append(line)
            rest = iter(())
    return missing


_QUOTED = re.compile(r"""'[^']*'|"[^"$`]*\"""")
_FEW_STEPS = ("--set", "train.steps=20", "--set", "train.eval_every=20")
_OF_SHELL = re.compile(r"[|&;<>$`*?~#]")


def plain_commands(block: Block) -> list[list[str]]:
    r"""The words of each line, if all are commands of mathwb that ask nothing of the shell but its quotes.

    >>> plain_commands(Block("sh", "mathwb a 'b $c' \\\n d \"(e)*\"", None, None, None))
    [['mathwb', 'a', 'b $c', 'd', '(e)*']]
    >>> plain_commands(Block("sh", "mathwb a > b", None, None, None))
    []
    """
    lines = block.body.replace("\\\n", " ").strip().splitlines()
    plain = all(line.startswith("mathwb ") and not _OF_SHELL.search(_QUOTED.sub("", line)) for line in lines)
    return [shlex.split(line) for line in lines] if plain and block.language == "sh" else []


def run(block: Block, session: dict[str, object], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a block in the folder: commands and Python in this process, which has what they import, Python with
    the names that the guide's Python before it has defined; other lines of the shell together."""
    done = subprocess.CompletedProcess([], 0, "", "")
    commands = plain_commands(block)
    if commands or block.language == "python":
        with contextlib.chdir(folder), mock.patch.dict(os.environ, COLUMNS="160"):
            for command in commands:
                each = mathwb(*command[1:], *(_FEW_STEPS if command[1] == "train" else ()))
                done.stdout, done.stderr = done.stdout + each.stdout, done.stderr + each.stderr
                done.returncode = each.returncode
                if done.returncode:
                    break
            if not commands:
                with contextlib.redirect_stdout(io.StringIO()) as printed:
                    exec(block.body, session)
                done.stdout = printed.getvalue()
        return done
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "160"}
    return subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", block.body],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=900,
    )


@pytest.mark.slow
@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)
def test_a_guide_does_what_it_shows(guide: Path, tmp_path: Path) -> None:
    forum = ROOT / "assets" / "sample" / "arqmath" / "sample-forum"
    shutil.copytree(forum, tmp_path / "COLLECTION")
    shutil.copy(forum / "topics_task1.xml", tmp_path / "TOPICS.xml")
    shutil.copy(forum / "qrels_task1.tsv", tmp_path / "QRELS")
    (tmp_path / "mine.txt").write_text("sin(2*x)\n")
    (tmp_path / "queries.jsonl").write_text('{"id": "1", "latex": "x^2"}\n')
    session: dict[str, object] = {"__name__": "__main__", "mathwb": import_module("mathwb")}
    for block in read_blocks(guide.read_text("utf-8")):
        if block.reason:
            continue
        if block.language in ("", "toml", "json"):
            assert block.file, f"no name of a file stands before:\n{block.body}"
            (tmp_path / block.file).write_text(block.body, "utf-8")
            continue
        assert block.language in ("sh", "python"), f"neither run nor marked:\n{block.body}"
        done = run(block, session, tmp_path)
        assert not re.search(r"Traceback|\bE9\d\d\b", done.stderr), done.stderr
        assert done.returncode in (0, 1), f"{block.body}\n{done.stderr}"
        if block.shown is not None:
            missing = missing_lines(block.shown, done.stdout + done.stderr)
            assert not missing, f"{block.body}\nshows {missing[0]!r}, and prints\n{done.stdout}{done.stderr}"
