"""The verbs that `engines.egen` offers: each is there, loads when asked for, and its example is true."""

from __future__ import annotations

import doctest
import inspect
import pkgutil
import subprocess
import sys

import pytest

import engines.egen

VERBS = [name for name in engines.egen.__all__ if name.islower()]


def test_verbs_come_with_their_specs_and_nothing_hides_them() -> None:
    assert set(VERBS) == {"generate", "verify", "derive", "build_corpus", "embed", "evaluate"}
    for name in VERBS:
        spec = next(iter(inspect.signature(getattr(engines.egen, name)).parameters.values()))
        assert spec.annotation in engines.egen.__all__
        assert inspect.isclass(getattr(engines.egen, spec.annotation))
    # A module of that name would be what the package's attribute is, once it is imported.
    assert not {found.name for found in pkgutil.iter_modules(engines.egen.__path__)} & set(VERBS)
    with pytest.raises(AttributeError):
        engines.egen.no_such_verb  # noqa: B018


def test_the_package_is_light() -> None:
    code = "import sys, engines.egen; print(*{'numpy', 'torch', 'egglog', 'pyarrow'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"\n"


@pytest.mark.parametrize("name", VERBS)
def test_the_example_of_a_verb_is_true(name: str) -> None:
    verb = getattr(engines.egen, name)
    (found,) = doctest.DocTestFinder(recurse=False).find(verb, name, globs=dict(verb.__globals__))
    assert found.examples
    assert doctest.DocTestRunner().run(found).failed == 0
