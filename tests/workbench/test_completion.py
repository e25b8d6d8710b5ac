"""What a shell completes, and the pages that are made of the commands."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import mathwb
from workbench.cli.completion import find_completions
from workbench.cli.manual import commands_page, man_page
from workbench.workspace import Workspace, ensure_sample

ROOT = Path(__file__).resolve().parents[2]


def words(*line: str) -> list[str]:
    return [word for word, _ in find_completions(list(line))]


def test_commands_options_and_choices_are_completed() -> None:
    assert words("eg") == ["egen"]
    assert words("egen", "gen") == ["generate"]
    assert words("egen", "generate", "--m") == ["--members", "--max-tokens", "--mode"]
    assert words("egen", "generate", "x", "--mode", "") == ["strict", "common", "paper"]
    assert "--mode" not in words("egen", "generate", "x", "--mode", "paper", "--")
    assert words("egen", "generate", "x", "--members", "") == [], "a number"
    assert words("completion", "") == ["bash", "zsh", "fish"]
    assert words("no-such", "x") == []


def test_names_are_those_of_the_workspace_and_what_ships() -> None:
    assert words("egen", "analogy", "") == ["egen-both", "egen-cl-mean", "egen-composed"]
    workspace = Workspace.open()
    ensure_sample(workspace)
    for name in ("mine", "m; touch it", "m$(touch it)", "m*", "m\nn", "m\x1b[31m", "-m"):
        (workspace.models / name).mkdir()
    assert words("egen", "stats", "") == ["sample-classical", "sample-e"]
    assert words("mwp", "solve", "m") == ["mine", "mwp-en", "mwp-zh"]
    assert words("mwp", "problems", "sample-e") == ["sample-en"]
    assert "egen/cl-mean-tiny" in words("train", "egen/")


def test_a_shell_gets_them_without_the_command_parser() -> None:
    words("eg")  # from here on they are kept
    code = (
        "import sys; sys.argv = ['mathwb', 'egen', 'gen']\n"
        "from workbench.cli import main\n"
        "try: main()\n"
        "finally: print(*{'typer', 'numpy', 'textual'} & {*sys.modules}, file=sys.stderr)"
    )
    asked = {**os.environ, "_MATHWB_COMPLETE": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=asked, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("generate\t")
    assert done.stderr == "\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_is_right(shell: str, tmp_path: Path) -> None:
    script = mathwb("completion", shell).stdout
    (path := tmp_path / "script").write_text(script)
    try:
        subprocess.run([shell, "-n", path], check=True, timeout=60)
    except FileNotFoundError:
        pytest.skip(f"{shell} is not here")
    if shell == "bash":
        (tmp_path / "mathwb").write_text(f'#!/bin/sh\nexec {sys.executable} -m mathwb "$@"\n')
        (tmp_path / "mathwb").chmod(0o755)
        line = f". {path}; COMP_WORDS=(mathwb egen gen); COMP_CWORD=2; _mathwb; echo ${{COMPREPLY[*]}}"
        asked = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
        done = subprocess.run(["bash", "-c", line], env=asked, capture_output=True, text=True, check=True)
        assert done.stdout == "generate\n"


def test_pages_are_those_of_the_commands() -> None:
    for name, made in (("commands.md", commands_page()), ("mathwb.1", man_page())):
        assert (ROOT / "docs" / name).read_text("utf-8") == made, "run: make pages"
