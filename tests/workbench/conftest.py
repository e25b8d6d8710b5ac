"""The sample workspace and an engine process, for tests of what operations do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.engine_process import EngineProcess
from workbench.workspace import Workspace, ensure_sample


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of user files with the sample workspace, shared by the tests of a file."""
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MATHWB_HOME", str(folder))
        ensure_sample(Workspace.open())
    return folder


@pytest.fixture(scope="module")
def engine() -> Iterator[EngineProcess]:
    process = EngineProcess()
    yield process
    process.close()
