"""What is shipped: one package and no more; it holds its own among others with the repository's names."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

from workbench import __version__
from workbench.errors import EXTRAS

ROOT = Path(__file__).resolve().parents[1]
ROOMS = {"engines": "mathwb", "screens": "mathwb/screens", "workbench": "mathwb/workbench"}


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
def test_the_wheel_holds_one_package_and_the_assets(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    names = archive.namelist()
    beside = {f"mathwb-{__version__}.{kind}" for kind in ("dist-info", "data")}
    assert {name.partition("/")[0] for name in names} == {"mathwb", *beside}
    assert {f"{place}/py.typed" for place in ROOMS.values()} <= set(names)
    shipped = {name.removeprefix("mathwb/_assets/") for name in names if name.startswith("mathwb/_assets/")}
    wanted = {
        path.relative_to(ROOT / "assets").as_posix()
        for path in (ROOT / "assets").rglob("*")
        if path.is_file()
    }
    assert shipped == wanted
    assert not [name for name in names if "__pycache__" in name or name.endswith((".pyc", ".nbi", ".nbc"))]
    source = {
        f"{place}/{path.relative_to(ROOT / room)}": path
        for room, place in ROOMS.items()
        for path in (ROOT / room).rglob("*.py")
    }
    # The code that lies in a model's folder is one of the assets.
    modules = {name for name in names if name.endswith(".py") and not name.startswith("mathwb/_assets/")}
    assert modules == {*source, "mathwb/__main__.py"}
    for name, path in source.items():
        made = archive.read(name).decode()
        assert made.count("\n") == path.read_text("utf-8").count("\n"), name
        for node in ast.walk(ast.parse(made)):
            found = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            found += [str(node.module)] if isinstance(node, ast.ImportFrom) and not node.level else []
            assert not {one.partition(".")[0] for one in found} & set(ROOMS), f"{name}, line {node.lineno}"


@pytest.mark.slow
def test_the_wheel_says_under_which_licences_it_is_and_has_their_texts(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    information = f"mathwb-{__version__}.dist-info"
    declared = message_from_bytes(archive.read(f"{information}/METADATA"))["License-Expression"].split(
        " AND "
    )
    rows = (ROOT / "assets" / "SOURCES.md").read_text("utf-8").splitlines()
    licences = {
        re.split(r",", row.rstrip(" |").rpartition("| ")[2])[0] for row in rows if row.startswith("| `")
    }
    assert {licence.replace(" BY", "-BY").replace("SA ", "SA-") for licence in licences} == set(declared)
    for name in ("LICENSE", "LICENSE-CC-BY-SA-4.0", "LICENSE-MIT"):
        assert archive.read(f"{information}/licenses/{name}") == (ROOT / name).read_bytes()


@pytest.mark.slow
def test_the_sdist_holds_the_sources_and_no_more(built: Path) -> None:
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    top = {name.partition("/")[0] for name in names if name}
    assert top >= {
        *ROOMS,
        "mathwb",
        "hatch_build.py",
        "assets",
        "tests",
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "requirements.lock",
    }
    assert not top & {"benchmarks", ".venv", "dist"}


_CALL = """
from mathwb.workbench.engine_process import EngineProcess
from mathwb.core.errors import EngineError
try: EngineProcess().call_blocking('no.such', {})
except EngineError as error: print(error.code)
"""
_SPAWN = """
import multiprocessing
from mathwb.formula.meaning import read
if __name__ == "__main__":
    import engines  # another distribution's: it was not hidden, and does not hide ours
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(engines.WHOSE, *pool.map(read, ["x + 1"]))
"""


@pytest.mark.slow
def test_the_installed_wheel_is_safe_among_packages_with_the_same_names(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "venv"
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    install = ["install", "--quiet", "--no-deps", "--no-index", "--disable-pip-version-check", str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", "--python", str(python), *install], check=True, timeout=900)
    # The libraries come from here; a path file in a path file is not followed, so our checkout does not.
    site = Path(sysconfig.get_path("purelib", vars={"base": str(home)}))
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    for room in ROOMS:
        (site / room).mkdir()
        (site / room / "__init__.py").write_text("WHOSE = 'theirs'\n")

    def run(*command: str | Path) -> str:
        words = [str(part) for part in command]
        done = subprocess.run(words, cwd=site, capture_output=True, text=True, timeout=900)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    assert run(home / "bin" / "mathwb", "--version") == f"mathwb {__version__}"
    assert run(python, "-m", "mathwb", "--version") == f"mathwb {__version__}"
    where = run(python, "-c", "from mathwb.core.system import asset; print(asset('rules/egen.toml'))")
    assert Path(where).is_relative_to(home)
    assert run(python, "-c", _CALL) == "E410", "the child took another's"
    (tmp_path / "spawn.py").write_text(_SPAWN)
    assert run(python, tmp_path / "spawn.py").startswith("theirs ")
    assert run(home / "bin" / "mathwb", "egen", "generate", "sin(x)", "--members", "2")
    assert "mathwb are ours alone" in run(home / "bin" / "mathwb", "doctor")
    (heads := tmp_path / "heads.txt").write_text("sin(x)\n")
    build = ("egen", "corpus", "--out", tmp_path / "corpus", "--templates", heads, "--members", "3")
    job = json.loads(run(home / "bin" / "mathwb", *build, "--detach", "--json"))["job"]
    run(home / "bin" / "mathwb", "jobs", "tail", "--follow", str(job))


def test_the_lock_is_exact_and_complete() -> None:
    lines = (ROOT / "requirements.lock").read_text().split()
    assert all(line.count("==") == 1 and not set(line) & set("@+;:/") for line in lines)
    pins = {line.partition("==")[0].lower().replace("_", "-") for line in lines}
    assert "torch==2.13.0" in lines
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = [
        project["dependencies"],
        *(project["optional-dependencies"][extra] for extra in (*EXTRAS, "dev")),
    ]
    for requirement in (line for group in groups for line in group if not line.startswith("mathwb[")):
        name = requirement.replace("<", "=").replace(">", "=").partition("=")[0].lower().replace("_", "-")
        assert name in pins, f"{name} is not in requirements.lock"
