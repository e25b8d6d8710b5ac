"""What runs compiled and as plain Python gives the same bits, wherever compiled code is and is not."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from engines.core import compiling
from engines.core.compiling import Kernel, compile_kernel, compile_kinds, fused_multiply_add, to_plain_python
from engines.mathematics.numbers import numeric_kernel
from engines.mathematics.numbers.numeric import compile_valid
from engines.mathematics.numbers.numeric_kernel import BINARY, UNARY
from tests.conftest import count_examples

ROOT = Path(__file__).resolve().parents[2]
EDGES = (0.0, -0.0, 1.0, -1.0, 0.5, 1e-300, -1e-300, 1e300, 1e-8, 710.0, -800.0, 1e155, np.pi, 1.57, 33.0)
LEAVES = ("x", "0", "1", "-1", "2", "-3", "0.5", "64", "33", "0.0001", "pi", "e", "1000000000000000000000")
HEADS = ("cos(2*x)", "acosh(x^2) + tanh(x)", "d/dx ln(3*x^2 + 1)")
TERMS = st.recursive(
    st.sampled_from(LEAVES).map(lambda leaf: [leaf]),
    lambda below: st.one_of(
        st.tuples(st.sampled_from(UNARY), below).map(lambda made: [made[0], *made[1]]),
        st.tuples(st.sampled_from(BINARY[:6]), below, below).map(lambda made: [made[0], *made[1], *made[2]]),
        below.map(lambda body: ["d", "x", *body]),
    ),
    max_leaves=12,
)


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    row = ("<f8", 1, "C", False)
    kinds = (("<i4", 2, "C", False), row, row, ("<f8", 2, "C", False))
    compile_kinds(cast(Kernel, numeric_kernel.run), kinds)


@settings(max_examples=count_examples(60), deadline=None)
@given(st.lists(TERMS, min_size=1, max_size=30), st.lists(st.floats(-1e300, 1e300), max_size=8))
def test_values_and_their_bounds_are_the_same_bits(terms: list[list[str]], more: list[float]) -> None:
    programs = compile_valid(terms)
    given = programs.nodes, programs.numbers, programs.radii, np.array([[*EDGES, *more]])
    with np.errstate(all="ignore"):
        found = to_plain_python(numeric_kernel.run)(*given)
    for one, other in zip(numeric_kernel.run(*given), found, strict=True):
        same = (one.view(np.int64) == other.view(np.int64)) | (np.isnan(one) & np.isnan(other))
        assert same.all()


@given(st.floats(1e-140, 1e140), st.floats(-1e140, -1e-140))
def test_what_a_product_loses_is_exact(a: float, b: float) -> None:
    assert Fraction(fused_multiply_add(a, b, -(a * b))) == Fraction(a) * Fraction(b) - Fraction(a * b)


CLUSTERS = """
from engines.egen.egraph.member_selection import grow_cluster
from engines.mathematics.terms.notation import read_head
from engines.egen.settings import EgenConfig, Limits

def clusters(*heads):
    config = EgenConfig(members=25, style="plain", forms="all", limits=Limits(nodes=200))
    return [repr(grow_cluster(read_head(head), config).members) for head in heads]
"""


PLAIN = """
import json, sys
from engines.core import compiling
compiling._load_compiled = compiling._Background.is_compiled = lambda *_, **__: False
"""
"""Nothing is ever compiled."""


def _run(code: str, *words: str, **environment: str) -> str:
    env = {"PATH": os.environ["PATH"], **environment}
    result = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, cwd=ROOT, env=env
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


@pytest.mark.slow
def test_clusters_are_the_same_before_anything_is_compiled(tmp_path: Path) -> None:
    code = f"{PLAIN}{CLUSTERS}print(json.dumps(clusters(*sys.argv[1:])))"
    usual: dict[str, Any] = {}
    exec(CLUSTERS, usual)
    assert json.loads(_run(code, *HEADS, MATHWB_HOME=str(tmp_path))) == usual["clusters"](*HEADS)


@pytest.mark.slow
def test_what_is_stopped_before_all_is_compiled_keeps_what_it_has(tmp_path: Path) -> None:
    code = (
        f"{PLAIN}{CLUSTERS}"
        "from engines.egen.egraph import member_selection\n"
        "member_selection._ROUND = member_selection._JUDGED_TOGETHER = 20\n"  # plain Python is slow
        "seen = []\n"
        "hear = lambda event: seen.extend(event.data.get('members', ()))\n"
        "config = EgenConfig(members=1_000, limits=Limits(nodes=200))\n"
        "head = read_head('tanh(3*x + 4) - 6')\n"
        "found = grow_cluster(head, config, events=hear, stop=lambda: bool(seen))\n"
        "print(len(found.members), found.stats.stop_reason)"
    )
    count, reason = _run(code, MATHWB_HOME=str(tmp_path)).split()
    assert (0 < int(count) < 1_000, reason) == (True, "stopped")


def test_what_waits_for_compiled_code_can_be_stopped(tmp_path: Path) -> None:
    code = (
        "from engines.core import compiling\n"
        "from engines.core.tree import Tree\n"
        "from engines.core.tree_edit import edit_distance, _subtree_distances\n"
        "compiling._CHILD = 'import sys; sys.stdin.read()'\n"  # it is never through
        "compiling._background.plain_s = 1e9\n"  # every call waits
        "with compiling.allow_stopping(lambda: True):\n"
        "    print(edit_distance(Tree('+', (Tree('x'), Tree('1'))), Tree('x')))\n"
        "assert not _subtree_distances.linked"
    )
    assert _run(code, MATHWB_HOME=str(tmp_path)) == "2"


@pytest.mark.slow
def test_processes_that_start_together_compile_once(tmp_path: Path) -> None:
    code = (
        "from engines.core import compiling, tree_edit\n"
        "from engines.core.tree import Tree\n"
        "compiling._LARGE = -1\n"  # a call with much data: it waits for compiled code
        "compiled, compile_code = [], compiling._compile_code\n"
        "compiling._compile_code = lambda *asked: compiled.append(asked) or compile_code(*asked)\n"
        "tree_edit.edit_distance(Tree('+', (Tree('x'), Tree('1'))), Tree('x'))\n"
        "print(len(compiled))"
    )
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    start = partial(subprocess.Popen, [sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=ROOT, env=env)
    compiled = [int(process.communicate()[0]) for process in (start(), start())]
    assert sum(compiled) == 1


_TWICE = """
from engines.core.compiling import _background, _private_folder
from engines.core.tree import Tree
from engines.core.tree_edit import edit_distance, _fill_forest_costs, _subtree_distances
tree = Tree('+', (Tree('x'), Tree('1')))
first = edit_distance(tree, Tree('x'))
loaded = bool(_subtree_distances.linked)
_background.plain_s = 1e9  # now it waits
assert first == edit_distance(tree, Tree('x'))
assert _subtree_distances.linked
"""


def _beside_modules() -> set[Path]:
    return {path for suffix in ("*.nb?", "*.compiled") for path in (ROOT / "engines").rglob(suffix)}


def test_compiled_code_is_kept_in_the_users_cache_and_nowhere_else(tmp_path: Path) -> None:
    before = _beside_modules()
    assert _run(f"{_TWICE}print(loaded)", MATHWB_HOME=str(tmp_path)) == "False"
    kept = {path.relative_to(tmp_path).parts[:2] for path in tmp_path.rglob("*.compiled")}
    assert kept == {("cache", "compiled")}
    assert _beside_modules() == before
    assert _run(f"{_TWICE}print(loaded)", MATHWB_HOME=str(tmp_path)) == "True", "the second start compiled"
    code = f"{_TWICE}import sys; print('numba' in sys.modules)"
    assert _run(code, MATHWB_HOME=str(tmp_path)) == "False", "what is kept is linked without numba"


@pytest.mark.slow
def test_where_no_folder_can_be_written_there_is_a_private_one(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    before = _beside_modules()
    code = f"{_TWICE}assert not loaded; print(_private_folder())"
    folder = Path(_run(code, MATHWB_HOME=str(tmp_path / "file"), TMPDIR=str(tmp_path)))
    assert folder.parent == tmp_path
    assert not folder.exists()
    assert _beside_modules() == before


@pytest.mark.slow
def test_compiled_code_serves_where_the_disk_is_full(tmp_path: Path) -> None:
    code = (
        "import resource, signal\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "from engines.core import tree_edit\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"  # files can be made, and nothing put into them
        f"{_TWICE}"
    )
    _run(code, MATHWB_HOME=str(tmp_path))
    assert not [path for path in tmp_path.rglob("*.compiled") if path.stat().st_size]


@compile_kernel
def _sum_of_squares(values: NDArray[np.float64]) -> float:
    total = 0.0
    for value in values:
        total += _square(value)
    return total


@compile_kernel
def _square(value: float) -> float:
    return value * value


def test_code_is_compiled_anew_when_what_it_calls_changes() -> None:
    kernels = cast(Kernel, _sum_of_squares), cast(Kernel, _square)
    before = [kernel.digest for kernel in kernels]
    assert before[0] != before[1]
    other = Kernel(cast(FunctionType, lambda value: value + value))
    globals_now = {**kernels[0].function.__globals__, "_square": other}
    function = FunctionType(kernels[0].function.__code__, globals_now, "_sum_of_squares")
    assert Kernel(function).digest != before[0]
    assert Kernel(kernels[0].function).digest == before[0]


def test_each_kind_of_arguments_has_its_code() -> None:
    kernel = cast(Kernel, _sum_of_squares)
    whole = np.arange(20.0)
    for values in (whole, whole[::2], whole.astype(np.int64), whole.astype(np.float32)):
        compile_kinds(kernel, (kinds := (compiling._kind_of(values),)))
        assert kernel.linked[kinds](values) == sum(float(value) ** 2 for value in values)
    assert len(kernel.linked) == 4


def test_what_compiled_code_raises_is_raised() -> None:
    kinds = (("<i8",),)
    compile_kinds(cast(Kernel, _make_room), kinds)
    make_room = cast(Kernel, _make_room).linked[kinds]
    assert len(make_room(3)) == 3
    with pytest.raises(ValueError, match="negative dimensions"):
        make_room(-1)


@compile_kernel
def _make_room(count: int) -> NDArray[np.float64]:
    return np.zeros(count)


def test_damaged_code_is_compiled_again() -> None:
    kernel, kinds = Kernel(cast(Kernel, _square).function), (("<f8",),)
    compile_kinds(kernel, kinds)
    path = compiling._path_of(kernel, kinds)
    assert path is not None
    good = path.read_bytes()
    for damage in (b"", good[: len(good) // 2], b"(garbage", b"cnot_there\nname\n.", b"I1\n."):
        path.write_bytes(damage)
        kernel.linked.clear()
        assert not compiling._load_compiled(kernel, kinds)
    compile_kinds(kernel, kinds)
    assert kernel.linked[kinds](3.0) == 9.0
    # Its symbols have numbers that numba counts up, so the bytes may be others.
    assert pickle.loads(path.read_bytes()).image[:8] == pickle.loads(good).image[:8]


def test_where_code_cannot_be_linked_numba_calls_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_code: object) -> None:
        raise RuntimeError("no such symbol")

    monkeypatch.setattr(compiling, "link_code", refuse)
    kernel, kinds = Kernel(cast(Kernel, _sum_of_squares).function), (("<f8", 1, "C", False),)
    compile_kinds(kernel, kinds)
    assert kernel.linked[kinds](np.arange(4.0)) == 14.0
