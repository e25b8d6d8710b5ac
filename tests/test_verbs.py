"""The verbs that each paper's engine offers: there, light until they are called, with examples."""

from __future__ import annotations

import doctest
import inspect
import pkgutil
import subprocess
import sys
from importlib import import_module

import pytest

from tests.test_doctests import MODULES as DOCTESTED
from workbench.papers import PAPERS

VERBS = {
    "egen": {
        "generate",
        "verify",
        "derive",
        "build_corpus",
        "embed",
        "evaluate",
        "explain",
    },
    "grading": {"grade"},
    "proofreading": {"proofread"},
    "mwp": {"described_problems", "augment", "find_triplets", "explain", "solve", "evaluate_solver"},
    "arqmath": {"index", "search", "rank", "generate", "evaluate", "compare"},
    "mathamr": {"opt", "parse", "index", "search", "evaluate", "inspect"},
}
HEAVY = {"numpy", "torch", "egglog", "pyarrow", "transformers", "scipy", "faiss", "lxml", "spacy"}


def test_every_paper_is_held_to_this() -> None:
    assert set(PAPERS) <= VERBS.keys()


@pytest.mark.filterwarnings("error::FutureWarning")
@pytest.mark.parametrize("paper", VERBS)
def test_verbs_come_with_their_specs_and_nothing_hides_them(paper: str) -> None:
    engine = import_module(f"engines.{paper}")
    assert {name for name in engine.__all__ if name.islower()} == VERBS[paper]
    for name in VERBS[paper]:
        spec = next(iter(inspect.signature(getattr(engine, name)).parameters.values()))
        if spec.annotation == "str":
            continue  # `grade` takes texts
        wanted = spec.annotation.split(" | ")[0]  # some take what a spec would be made of as well
        assert wanted in engine.__all__
        assert inspect.isclass(getattr(engine, wanted))
    # A module of that name would be what the package's attribute is, once it is imported.
    assert not {found.name for found in pkgutil.iter_modules(engine.__path__)} & VERBS[paper]
    with pytest.raises(AttributeError):
        engine.no_such_verb  # noqa: B018


@pytest.mark.parametrize("paper", VERBS)
def test_the_package_is_light(paper: str) -> None:
    code = f"import sys, engines.{paper}; print(*{HEAVY} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"\n"


@pytest.mark.parametrize(
    ("paper", "name"), [(paper, name) for paper in VERBS for name in sorted(VERBS[paper])]
)
def test_a_verb_has_an_example_that_the_doctests_run(paper: str, name: str) -> None:
    verb = inspect.unwrap(getattr(import_module(f"engines.{paper}"), name))
    assert verb.__module__ in DOCTESTED
    (example,) = doctest.DocTestFinder(recurse=False).find(verb, name, globs={})
    assert example.examples
    assert getattr(import_module(verb.__module__), name).__doc__ == verb.__doc__
