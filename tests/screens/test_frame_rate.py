"""How often the screens draw: as the setting says, and seldom over SSH."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys, types

def run(*_, **__):
    import textual.screen
    return round(1 / textual.screen.UPDATE_PERIOD)

sys.modules["screens.app"] = types.SimpleNamespace(run=run)
from workbench.cli.launcher import open_screens
print(open_screens())
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variables", "rate"),
    [({"MATHWB_FPS": "7"}, 7), ({"SSH_TTY": "x"}, 15), ({"SSH_TTY": "x", "TEXTUAL_FPS": "30"}, 30), ({}, 60)],
)
def test_textual_draws_as_often_as_the_setting_says(
    tmp_path: Path, variables: dict[str, str], rate: int
) -> None:
    outer = {name: value for name, value in os.environ.items() if not name.startswith(("SSH_", "TEXTUAL_"))}
    here = {**outer, "MATHWB_HOME": str(tmp_path), "TEXTUAL_DRIVER": "none", **variables}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=here, capture_output=True, text=True, check=True
    )
    assert done.stdout.split()[-1] == str(rate)
