"""The code on the card of every model that ships runs as it stands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engines.core.system import models_folder
from tests.conftest import card_code

_RUN = """
import json, sys
for card, code in json.load(sys.stdin).items():
    try:
        exec(compile(code, card, "exec"), {"__name__": "__main__"})
    except BaseException as error:
        error.add_note(f"on the card of {card}")
        raise
    print(card)
"""


@pytest.mark.slow
def test_the_code_on_the_cards_runs(tmp_path: Path) -> None:
    """In one process, each in names of its own: loading the libraries takes longest."""
    codes = {path.parent.name: card_code(path.parent) for path in models_folder().glob("*/README.md")}
    assert len(codes) == 6
    done = subprocess.run(
        [sys.executable, "-c", _RUN],
        env={**os.environ, "HF_HOME": str(tmp_path)},
        input=json.dumps(codes),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert set(codes) <= set(done.stdout.splitlines())
