"""Who may know whom, at run time: import-linter sees what is written, this sees what is loaded."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("engines", "workbench", "screens")


def loaded_by(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    return set(result.stdout.split())


@pytest.mark.slow
def test_engines_load_no_terminal_library_and_no_torch() -> None:
    everything = (
        "import engines, pkgutil, importlib\n"
        "for module in pkgutil.walk_packages(engines.__path__, 'engines.'):\n"
        "    importlib.import_module(module.name)"
    )
    loaded = loaded_by(everything)
    assert not loaded & {"workbench", "screens", "textual", "typer", "rich", "torch", "transformers", "spacy"}


@pytest.mark.parametrize(
    "statement",
    [
        "from engines.egen import Generate, Verify, Derive, BuildCorpus, Embed, Evaluate",
        "import engines.core.files",
        "import workbench.cli",
        "import workbench.engine_process",
        "from workbench.operation import operations; operations()",
    ],
)
def test_light_modules_load_nothing_heavy(statement: str) -> None:
    heavy = {"textual", "torch", "numpy", "pyarrow", "sympy", "numba", "egglog", "pandas", "scipy"}
    loaded = loaded_by(statement)
    assert loaded & {"engines", "workbench"}
    assert not loaded & heavy


@pytest.mark.slow
def test_the_workbench_loads_no_screen() -> None:
    everything = (
        "import workbench, pkgutil, importlib\n"
        "for module in pkgutil.walk_packages(workbench.__path__, 'workbench.'):\n"
        "    importlib.import_module(module.name)"
    )
    assert not loaded_by(everything) & {"textual", "screens", "torch"}


def imported() -> set[str]:
    """The top names of all modules that the program imports, wherever it does."""
    found: set[str] = set()
    for path in (path for room in ROOMS for path in (ROOT / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found |= {name.name.partition(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add(str(node.module).partition(".")[0])
    return found - {*ROOMS, *sys.stdlib_module_names, "_typeshed"}


@pytest.mark.slow
def test_what_is_imported_is_a_dependency_and_the_other_way_round() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    known = packages_distributions()
    used = {known[name][0].lower() for name in imported()}
    base, serve = (
        {re.split("[<>=]", line)[0] for line in lines}
        for lines in (project["dependencies"], project["optional-dependencies"]["serve"])
    )
    of_textual_serve, of_amrlib = (
        {"aiohttp", "aiohttp-jinja2"},
        {"cached-property", "unidecode", "word2number"},
    )
    assert {name.replace("_", "-") for name in used} - base - serve == of_textual_serve
    assert base - {name.replace("_", "-") for name in used} == of_amrlib
