"""Every test has its own user folders, and none has the network; commands run in the process of the test."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import io
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import HealthCheck, settings

from engines.core.errors import EngineError

# The same examples every time: a failure can be repeated, and a slow machine is no failure. The profile
# `search` looks for new ones. `everyday` tries fewer; it is the one when slow tests are left out.
SLOW_MACHINE = [HealthCheck.too_slow]
settings.register_profile(
    "repeatable", deadline=None, derandomize=True, database=None, suppress_health_check=SLOW_MACHINE
)
settings.register_profile("everyday", settings.get_profile("repeatable"), max_examples=25)
settings.register_profile(
    "search", deadline=None, max_examples=1000, print_blob=True, suppress_health_check=SLOW_MACHINE
)
settings.load_profile("repeatable")

if "PYTEST_XDIST_WORKER" in os.environ:
    # Tests run side by side, one to a core: further threads, theirs or of jobs, would wait for each other.
    os.environ.setdefault("OMP_NUM_THREADS", "1")

# Most of what is made in a test goes with the test, and need not be looked for every 700 objects.
gc.set_threshold(50_000, 20, 50)

# Compiled code is kept from run to run, and not in each test's own folders: compiling takes half a minute.
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(__file__).parents[1] / ".cache" / "compiled"))

_LOOPBACK = {"127.0.0.1", "::1", "localhost"}


def pytest_configure(config: pytest.Config) -> None:
    """Choose the examples of every day where slow tests are left out and no profile is named."""
    if "not slow" in config.getoption("markexpr") and not config.getoption("hypothesis_profile"):
        settings.load_profile("everyday")


def count_examples(number: int) -> int:
    """Return how many examples a test tries that tries so many in the profile `repeatable`."""
    return number * settings.default.max_examples // settings.get_profile("repeatable").max_examples


def mathwb(*words: object, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
    """What the command `mathwb` with these words prints, and its exit code; it runs in this process."""
    from workbench.cli import main

    line = ["mathwb", *map(str, words)]
    streams = {name: io.TextIOWrapper(io.BytesIO(), "utf-8") for name in ("stdout", "stderr")}
    read = io.TextIOWrapper(io.BytesIO(stdin), "utf-8")
    interrupt = signal.getsignal(signal.SIGINT)
    with contextlib.ExitStack() as stack:
        stack.callback(signal.signal, signal.SIGINT, interrupt)
        stack.enter_context(mock.patch.dict(os.environ))
        stack.enter_context(mock.patch.multiple(sys, argv=line, stdin=read, **streams))
        with pytest.raises(SystemExit) as ended:
            main()
    for stream in streams.values():
        stream.seek(0)
    return subprocess.CompletedProcess(
        line, int(ended.value.code or 0), *(stream.read() for stream in streams.values())
    )


def expect_error(code: str, **fields: object) -> pytest.RaisesExc[EngineError]:
    """Expect an error of the program with this code and these attributes; `wording.txt` has what it says."""

    def is_expected(error: EngineError) -> bool:
        assert {"code": error.code, **{name: getattr(error, name, None) for name in fields}} == {
            "code": code,
            **fields,
        }, str(error)
        return True

    return pytest.raises(EngineError, check=is_expected)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files of slow tests alone: what takes minutes must not begin last."""
    quick = {item.path for item in items if item.get_closest_marker("slow") is None}
    items.sort(key=lambda item: item.path in quick)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Set aside what is collected: thousands of tests and what they import are no garbage."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Look for garbage once; pytest looks five times more, through all that was imported."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders to be made, one for each test. `mktemp` looks through thousands of them to number the next."""
    parent = tmp_path_factory.mktemp("homes")
    return (parent / str(number) for number in count())


@pytest.fixture(autouse=True)
def user_home(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Settings, data, state and cache in a folder of the test's own; no setting leaks in from outside."""
    home = next(homes)
    home.mkdir()
    for name in list(os.environ):
        if name.startswith("MATHWB_") and name != "MATHWB_REAL_DATA":
            monkeypatch.delenv(name)
    monkeypatch.setenv("MATHWB_HOME", str(home))
    return home


@pytest.fixture(autouse=True)
def no_network(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only this machine can be reached, unless the test is marked `online`."""
    if request.node.get_closest_marker("online"):
        return
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in _LOOPBACK:  # type: ignore[index]
            raise OSError(f"tests do not use the network: {address}")
        connect(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", guarded)
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE"):
        monkeypatch.setenv(name, "1")


def weights(folder: Path) -> str:
    """What tells whether two trainings ended with the same weights."""
    return hashlib.sha256((folder / "model" / "model.safetensors").read_bytes()).hexdigest()


def card_code(folder: Path) -> str:
    """The code that the card of a model folder shows, with the folder put in."""
    (code,) = re.findall(r"```python\n(.*?)```", (folder / "README.md").read_text("utf-8"), re.DOTALL)
    assert "this-folder" in code
    return str(code).replace("this-folder", str(folder))


@pytest.fixture
def real_data() -> Path:
    """The folder of real data sets; tests that use it are skipped where there is none."""
    named = os.environ.get("MATHWB_REAL_DATA")
    if not named or not Path(named).is_dir():
        pytest.skip("MATHWB_REAL_DATA names no folder")
    return Path(named)


@pytest.fixture(scope="session")
def own_paper(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for `sys.path` in which the paper of `tests/own_paper` is installed, as users would."""
    place = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    offline = ["--no-index", "--no-deps", "--no-build-isolation", "--target", str(place)]
    subprocess.run([*pip, *offline, str(Path(__file__).parent / "own_paper")], check=True)
    return place


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Tiny models are fastest in one thread, above all on a busy machine."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
