"""What modules and verbs were called one version ago still works, and says what it is called now."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from engines.moved import MODULES, VERBS


def here(name: str) -> str:
    """Return a name as it is in a checkout."""
    return name if name.startswith(("workbench.", "screens.")) else f"engines.{name}"


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", [*MODULES, "egen.grading.adapters", "egen.verification.verify"])
def test_a_module_is_found_under_its_former_name(name: str) -> None:
    sys.modules.pop(f"engines.{name}", None)
    with pytest.warns(FutureWarning, match=rf"mathwb\.{name} is mathwb\."):
        module = import_module(f"engines.{name}")
    if hasattr(module, "__path__"):
        real = import_module(f"engines.{MODULES[name]}")
        assert all(
            getattr(module, public) is getattr(real, public) for public in getattr(real, "__all__", ())
        )
    else:
        assert sys.modules[module.__name__] is module, "the module itself, not a second one"
        assert module.__name__ != f"engines.{name}"


@pytest.mark.parametrize(
    ("package", "name"), [(package, name) for package in VERBS for name in VERBS[package]]
)
def test_a_verb_is_offered_where_it_was(package: str, name: str) -> None:
    module, _, new_name = VERBS[package][name].partition(":")
    new_name = new_name or name
    with pytest.warns(FutureWarning, match=rf"mathwb\.{package}\.{name} is mathwb\.{module}\.{new_name} now"):
        verb = getattr(import_module(here(package)), name)
    assert verb is getattr(import_module(here(module)), new_name)


def test_users_are_warned_once_at_their_own_line() -> None:
    done = run(
        "from mathwb.egen.grading.adapters import parse, verify\n"
        "import mathwb.egen.grading.grade\n"
        "from mathwb.egen import grade\n"
        "from mathwb.grading import grade as now\n"
        "assert grade is now\n"
        "print(grade('1/2', '0.5').verdict)"
    )
    assert done.stdout == "equal\n", done.stderr
    assert done.stderr.count("mathwb.egen.grade is mathwb.grading.grade now") == 1
    assert "<string>:3: FutureWarning" in done.stderr
    assert run("import mathwb.egen.no_such_module").stderr.endswith(
        "No module named 'mathwb.egen.no_such_module'\n"
    )
    assert (
        "FutureWarning" not in run("from mathwb.egen import generate; import mathwb.grading.adapters").stderr
    )
