"""Who may know whom, at run time: import-linter sees what is written, this sees what is loaded."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.egen.small_clusters import write_clusters
from tests.source_trees import ROOMS, outline_modules
from workbench.errors import EXTRAS

ROOT = Path(__file__).resolve().parents[1]


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
        "from workbench.operations import all_operations; all_operations()",
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
    for module in outline_modules():
        for node in (one.node for one in module.imports):
            if isinstance(node, ast.Import):
                found |= {name.name.partition(".")[0] for name in node.names}
            elif not node.level:
                found.add(str(node.module).partition(".")[0])
    return found - {*ROOMS, *sys.stdlib_module_names, "_typeshed"}


@pytest.mark.slow
def test_what_is_imported_is_a_dependency_and_the_other_way_round() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    owners = packages_distributions()
    known = {name: {one.lower().replace("_", "-") for one in owners[name]} for name in owners}
    by_extra = {
        extra: {re.split("[<>=]", line)[0] for line in lines if not line.startswith("mathwb[")}
        for extra, lines in project["optional-dependencies"].items()
    }
    base = {re.split("[<>=]", line)[0] for line in project["dependencies"]}
    optional = set().union(*(by_extra[extra] for extra in EXTRAS))
    used = set().union(*(known[name] for name in imported()))
    of_others, of_amrlib = (
        {"aiohttp", "aiohttp-jinja2", "mcp-types"},
        {"cached-property", "unidecode", "word2number"},
    )
    assert used - base - optional == of_others
    assert base | optional - used == base | of_amrlib
    for extra, names in EXTRAS.items():
        for name in names.split():
            assert known[name] & (by_extra[extra] | of_others), f"{name} does not come with {extra}"
        assert by_extra[extra] - of_amrlib <= set().union(*(known[name] for name in names.split()))


LIGHT = """
import sys
from workbench.errors import EXTRAS
absent = {name for names in EXTRAS.values() for name in names.split()}
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in absent:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
from importlib import util
import engines.core.system
engines.core.system.has_torch = lambda: False
from workbench.cli import main
sys.argv = ["mathwb", *sys.argv[1:]]
main()
"""


def without_extras(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", LIGHT, *words], capture_output=True, text=True, timeout=300)


@pytest.mark.slow
def test_a_light_install_takes_the_tour() -> None:
    done = without_extras("tour", "--json")
    assert done.returncode == 0, done.stderr
    tasks = [one["task"] for one in json.loads(done.stdout)["stops"]]
    assert {"egen.generate", "egen.verify", "mwp.triplets", "arqmath.search", "mathamr.topics"} <= set(tasks)
    assert "pip install 'mathwb[language]'" in done.stderr, "left out, with the remedy"


@pytest.mark.parametrize(
    "words",
    [
        ("egen", "derive", "sin(2*x)", "2*sin(x)*cos(x)"),
        pytest.param(
            ("egen", "analogy", "egen-both", "x", "2*x", "sin(x)", "--corpus", "few.jsonl"),
            marks=pytest.mark.slow,
        ),
        ("grade", "--gold", "1/2", "--pred", "0.5"),
    ],
)
def test_a_light_install_computes(words: tuple[str, ...], tmp_path: Path) -> None:
    write_clusters(tmp_path / "few.jsonl")
    words = tuple(str(tmp_path / word) if word == "few.jsonl" else word for word in words)
    done = without_extras(*words)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (("mwp", "solve", "mwp-en", "Ann has 12 boxes and loses 7. How many are left?"), "train"),
        (("train", "egen/cl-mean-tiny", "--headless"), "train"),
        (("mathamr", "parse", "The sum is $x$."), "language"),
    ],
)
def test_a_command_says_which_extra_it_needs(words: tuple[str, ...], extra: str) -> None:
    done = without_extras(*words)
    assert done.returncode == 3, done.stdout + done.stderr
    assert done.stderr.startswith("E351 ")
    assert f"pip install 'mathwb[{extra}]'" in done.stderr
