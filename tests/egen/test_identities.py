"""The list of identities says of each what 30 digits of mpmath say, and derivations follow it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import mpmath
import pytest

from benchmarks.identities import Identity, read_identities
from engines.core.tree import Tree
from engines.egen.egraph.derivation import derive
from engines.formula.reader import read_expression as read
from tests.conftest import expect_error
from tests.mathematics.reals import AmbiguousError, UndefinedError, value

POINTS = [
    mpmath.mpf(x) for x in ("-7.31", "-2.57", "-1.13", "-0.77", "-0.29", "0.31", "0.83", "1.71", "4.39")
]
DIGITS = 30


def at(tree: Tree, x: mpmath.mpf) -> mpmath.mpf | None:
    """The value, None where there is none."""
    try:
        return value(tree, x)
    except (UndefinedError, ZeroDivisionError):
        return None


def seen(identity: Identity) -> set[str]:
    """How the two sides compare at the points: equal, different, lost, gained."""
    left, right = read(identity.left), read(identity.right)
    kinds = set()
    for x in POINTS:
        try:
            one, other = at(left, x), at(right, x)
        except AmbiguousError:
            continue
        if one is None or other is None:
            if one is not other:
                kinds.add("gained" if one is None else "lost")
        else:
            close = abs(one - other) < mpmath.mpf(10) ** -DIGITS * (1 + abs(one))
            kinds.add("equal" if close else "different")
    return kinds


@pytest.mark.parametrize("identity", read_identities(), ids=lambda one: f"{one.line}")
def test_each_line_is_what_it_is_said_to_be(identity: Identity) -> None:
    kinds = seen(identity)
    if identity.meant == "false":
        assert "different" in kinds
        return
    assert "equal" in kinds
    assert "different" not in kinds
    assert ("lost" in kinds) == (identity.meant in ("lost", "common"))


@pytest.mark.parametrize("identity", read_identities()[::14], ids=lambda one: f"{one.line}")
def test_what_holds_is_derived_and_what_does_not_is_refused(identity: Identity) -> None:
    mode = "common" if identity.meant == "common" else "strict"
    found = derive(read(identity.left), read(identity.right), mode=mode)
    if identity.holds:
        assert found.steps[-1].tree == read(identity.right)
        kept = {"equal", "extends", "shrinks"} if mode == "common" else {"equal", "extends"}
        assert {step.verdict.outcome for step in found.steps} <= kept
        assert all(step.rule for step in found.steps[1:])
        return
    point = found.counterexample
    assert found.steps == ()
    assert point is not None
    one, other = at(read(identity.left), mpmath.mpf(point.x)), at(read(identity.right), mpmath.mpf(point.x))
    assert one is not None
    assert other is None or abs(one - other) > mpmath.mpf(10) ** -DIGITS


def test_the_list_is_long_and_broad_enough() -> None:
    lines = read_identities()
    held = Counter(line.family for line in lines if line.holds)
    assert sum(held.values()) >= 250
    assert sum(not line.holds for line in lines) >= 50
    assert min(held.values()) >= 10
    assert len({(line.left, line.right, line.holds) for line in lines}) == len(lines)


@pytest.mark.parametrize("line", ["trig\tsin(x)", "trig\tsin(x)\tx\tmaybe", "trig\tx\tx\tfalse\tmore"])
def test_a_line_that_is_none_is_named(line: str, tmp_path: Path) -> None:
    path = tmp_path / "list.tsv"
    path.write_text(f"# head\n{line}\n")
    with expect_error("E300", line=2) as raised:
        read_identities(path)
    assert "2" in str(raised.value)
