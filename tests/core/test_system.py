"""What is asked of the system: git about a checkout."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from engines.core.system import git_answers


def test_git_is_asked_without_a_write(tmp_path: Path) -> None:
    """A job that is killed meanwhile would leave a lock there, which keeps the user from committing."""
    (tmp_path / "a.txt").write_text("a")
    for words in ("init -q", "add a.txt"):
        subprocess.run(["git", "-C", str(tmp_path), *words.split()], check=True)
    os.utime(tmp_path / "a.txt", (0, 0))  # so that `git status` has something to refresh
    index = tmp_path / ".git" / "index"
    before = index.read_bytes()
    assert git_answers(tmp_path, ["status", "--porcelain"]) == ["A  a.txt"]
    assert index.read_bytes() == before
