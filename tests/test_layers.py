"""Who may know whom, at run time: import-linter sees what is written, this sees what is loaded."""

from __future__ import annotations

import subprocess
import sys

import pytest


def loaded_by(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    return set(result.stdout.split())


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


def test_the_workbench_loads_no_screen() -> None:
    everything = (
        "import workbench, pkgutil, importlib\n"
        "for module in pkgutil.walk_packages(workbench.__path__, 'workbench.'):\n"
        "    importlib.import_module(module.name)"
    )
    assert not loaded_by(everything) & {"textual", "screens", "torch"}
