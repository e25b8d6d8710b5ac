"""The code on the card of every model that ships runs as it stands."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engines.core.assets import models_folder
from tests.conftest import card_code

CARDS = sorted(path.parent for path in models_folder().glob("*/README.md"))


@pytest.mark.slow
@pytest.mark.parametrize("folder", CARDS, ids=lambda folder: folder.name)
def test_the_code_on_a_card_runs(folder: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "HF_HOME": str(tmp_path)}
    command = [sys.executable, "-c", card_code(folder)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
