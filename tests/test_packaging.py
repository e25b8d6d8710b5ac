"""What is shipped: three packages and nothing else, and they hold their own among decoys."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

from workbench import __version__

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = {"engines", "screens", "workbench"}


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist and the wheel that is built from it; nothing is fetched."""
    target = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(target), str(ROOT)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stdout + result.stderr
    return target


@pytest.fixture(scope="session")
def wheel(built: Path) -> Path:
    (path,) = built.glob("*.whl")
    return path


@pytest.mark.slow
def test_the_wheel_holds_three_packages_and_the_assets(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names} == PACKAGES | {f"mathwb-{__version__}.dist-info"}
    assert {f"{package}/py.typed" for package in PACKAGES} <= set(names)
    shipped = {
        name.removeprefix("workbench/_assets/") for name in names if name.startswith("workbench/_assets/")
    }
    wanted = {
        path.relative_to(ROOT / "assets").as_posix()
        for path in (ROOT / "assets").rglob("*")
        if path.is_file()
    }
    assert shipped == wanted
    assert not [name for name in names if "__pycache__" in name or name.endswith((".pyc", ".nbi", ".nbc"))]
    # The code that lies in a model's folder is one of the assets.
    modules = {name for name in names if name.endswith(".py") and not name.startswith("workbench/_assets/")}
    source = {path.relative_to(ROOT).as_posix() for name in PACKAGES for path in (ROOT / name).rglob("*.py")}
    assert modules == source


def test_the_sdist_holds_the_sources_and_no_more(built: Path) -> None:
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    top = {name.partition("/")[0] for name in names if name}
    assert top >= PACKAGES | {
        "assets",
        "tests",
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "requirements.lock",
    }
    assert not top & {"benchmarks", ".venv", "dist"}


@pytest.mark.slow
def test_the_installed_wheel_is_safe_among_decoys(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "venv"
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    install = ["install", "--quiet", "--no-deps", "--no-index", "--disable-pip-version-check", str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", "--python", str(python), *install], check=True, timeout=120)
    # The libraries come from here; a path file in a path file is not followed, so our checkout does not.
    site = Path(sysconfig.get_path("purelib", vars={"base": str(home)}))
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    decoys = tmp_path / "decoys"
    for name in PACKAGES:
        (decoys / name).mkdir(parents=True)
        (decoys / name / "__init__.py").write_text("raise ImportError('a decoy was imported')\n")

    def run(*command: str | Path) -> str:
        result = subprocess.run(
            [str(part) for part in command], cwd=decoys, capture_output=True, text=True, timeout=120
        )
        assert result.returncode == 0, result.stderr
        return result.stdout.strip()

    assert run(home / "bin" / "mathwb", "--version") == f"mathwb {__version__}"
    where = run(python, "-P", "-c", "import engines.core.assets as a; print(a.asset('rules/egen.toml'))")
    assert Path(where).is_relative_to(home)
    answer = (
        "from workbench.engine_process import EngineProcess\n"
        "from engines.core.errors import EngineError\n"
        "try: EngineProcess().call_blocking('no.such', {})\n"
        "except EngineError as error: print(error.code)"
    )
    assert run(python, "-P", "-c", answer) == "E410", "the child took a decoy"


def test_the_lock_is_exact_and_complete() -> None:
    lines = (ROOT / "requirements.lock").read_text().split()
    assert all(line.count("==") == 1 and not set(line) & set("@+;:/") for line in lines)
    pins = {line.partition("==")[0].lower().replace("_", "-") for line in lines}
    assert "torch==2.13.0" in lines
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = [project["dependencies"], project["optional-dependencies"]["dev"]]
    for requirement in (line for group in groups for line in group):
        name = requirement.replace("<", "=").replace(">", "=").partition("=")[0].lower().replace("_", "-")
        assert name in pins, f"{name} is not in requirements.lock"
