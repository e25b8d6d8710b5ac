"""Fingerprints: equal terms share a key, others do not; keys that hold under any names; parts."""

from __future__ import annotations

import pytest

from engines.core.tree import Tree
from engines.formula.meaning import read
from engines.mathematics.judging.fingerprint import Fingerprint, ValueFingerprints


def _tree(latex: str) -> Tree:
    tree = read(latex).tree
    assert tree is not None
    return tree


def _of(latex: str) -> Fingerprint:
    return ValueFingerprints().compute_fingerprint(_tree(latex))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"\frac{(k+1)(k+2)(2k+3)}{6}", r"\frac{2k^3+9k^2+13k+6}{6}"),
        (r"x^2-y^2", r"(x-y)(x+y)"),
        (r"\sum_{k=1}^n k", r"\frac{n(n+1)}{2}"),
        (r"\binom{n+1}{2}", r"\frac{n(n+1)}{2}"),
        (r"n!", r"n(n-1)!"),
        (r"\sin(2x)", r"2\sin x\cos x"),
        (r"x+y=1", r"2-2x=2y"),
        (r"a<b", r"2b>2a"),
        (r"\{a,b\}", r"\{b,a\}"),
    ],
)
def test_equal_terms_and_statements_share_a_key(one: str, other: str) -> None:
    assert set(_of(one).whole) & set(_of(other).whole)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"x^2-y^2", r"x^2+y^2"),
        (r"x-1", r"1-x"),
        (r"a<b", r"b<a"),
        (r"x+y", r"a+b"),
        (r"\sum_{k=1}^n k", r"\sum_{k=0}^{n-1} k"),
    ],
)
def test_others_share_none(one: str, other: str) -> None:
    assert not set(_of(one).whole) & set(_of(other).whole)


def test_renamed_terms_share_a_key_and_the_names_are_found() -> None:
    one, other = _tree(r"a^2-b^2"), _tree(r"(y-x)(x+y)")
    assert set(_of(r"a^2-b^2").renamed) & set(_of(r"(y-x)(x+y)").renamed)
    ((names, renamed),) = ValueFingerprints().iterate_renamings(one, other)
    assert names == {"a": "y", "b": "x"}
    assert renamed == _tree(r"y^2-x^2")


def test_a_bound_variable_gives_way_to_a_new_name() -> None:
    one, other = _tree(r"\sum_{k=1}^n (k+m)"), _tree(r"\sum_{j=1}^n (j+k)")
    ways = [tree for names, tree in ValueFingerprints().iterate_renamings(one, other) if names == {"m": "k"}]
    assert set(ValueFingerprints().compute_fingerprint(ways[0]).whole) & set(
        ValueFingerprints().compute_fingerprint(other).whole
    )


def test_parts_have_the_keys_of_wholes() -> None:
    keys = {key for _, found in _of(r"y=\frac{x^2-1}{x+2}").parts for key in found}
    assert keys & set(_of(r"(x-1)(x+1)").whole)


def test_a_variable_may_be_called_d() -> None:
    from engines.mathematics.judging import judge

    assert judge().equal(_tree("d(a+b)"), _tree("da+db")).outcome == "equal"
