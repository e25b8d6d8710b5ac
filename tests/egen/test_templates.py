"""The initial expressions are counted as E-Gen's published generator counts them."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from engines.core.expression_language import (
    FUNCTIONS,
    is_constant_token,
    read_prefix,
    to_prefix,
)
from engines.egen.corpus.sources import FUNCTION_SHAPES, POLYNOMIAL_SHAPES, list_templates
from tests.conftest import expect_error

POLYNOMIAL_SIZES = {1: 1, 3: 5, 5: 8, 7: 16, 9: 64, 11: 128}
FUNCTION_SIZES = {2: 25, 4: 125, 6: 700, 8: 1400}
POLYNOMIAL_VARIANTS = [1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 8, 8, 8, 8, 8, 8, 8, 8, *[16] * 8]
FUNCTION_VARIANTS = {
    "f(x)": 1, "f(x)^2": 1, "f(x±a)": 2, "f(x±b)^a": 2, "f(ax)": 2, "f(bx)^a": 2, "c·f(ax)": 4,
    "c·f(ax)^b": 4, "c·f(x±a)": 4, "c·f(x±a)^b": 4, "c·f(x)±a": 4, "c·f(x)^b±a": 4, "f(ax±b)": 4,
    "f(bx±c)^a": 4, "f(ax)±b": 4, "f(bx)^a±c": 4, "f(x±a)±b": 4, "f(x±b)^a±c": 4, "c·f(ax±b)": 8,
    "c·f(ax)±b": 8, "c·f(x±a)±b": 8, "f(ax±b)±c": 8,
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "sizes"),
    [
        ("poly", POLYNOMIAL_SIZES),
        ("poly_d", POLYNOMIAL_SIZES),
        ("function", FUNCTION_SIZES),
        ("function_d", FUNCTION_SIZES),
    ],
)
def test_files_of_the_published_corpus_have_these_sizes(kind: str, sizes: dict[int, int]) -> None:
    found = [template for template in list_templates() if template.kind == kind]
    assert Counter(template.size for template in found) == sizes
    for template in found:
        body = template.tree.children[1] if kind.endswith("_d") else template.tree
        assert len(body) == template.size
        assert (template.tree.label == "d") == kind.endswith("_d")


def test_selections_partition_all() -> None:
    everything = list_templates()
    assert len(everything) == 4_944
    assert [len(list_templates(s)) for s in ("poly", "functions", "derivatives")] == [222, 2_250, 2_472]
    assert list_templates("poly") + list_templates("functions") + list_templates("derivatives") == everything


def test_shapes_have_the_variants_of_the_fact_sheet() -> None:
    assert len(POLYNOMIAL_SHAPES) == 27
    assert len(FUNCTION_SHAPES) == 22
    polynomial = Counter(template.shape for template in list_templates("poly"))
    assert [polynomial[shape] for shape in POLYNOMIAL_SHAPES] == POLYNOMIAL_VARIANTS
    of_functions = Counter(template.shape for template in list_templates("functions"))
    assert of_functions == {shape: 25 * count for shape, count in FUNCTION_VARIANTS.items()}


def test_every_function_has_ninety_expressions() -> None:
    labels = [set(template.tree.list_labels()) for template in list_templates("functions")]
    for function in FUNCTIONS:
        assert sum(function in found for found in labels) == 90


def test_marks_are_enumerated() -> None:
    def skeletons(shape: str) -> list[str]:
        return [
            " ".join("#" if is_constant_token(t) else t for t in template.tree.list_labels())
            for template in list_templates()
            if template.shape == shape
            and template.tree.list_labels()[0] != "d"
            and "sin" in template.tree.list_labels()
        ]

    assert sorted(skeletons("c·f(ax)")) == [
        "* # sin * # x", "* # sin / x #", "/ # sin * # x", "/ # sin / x #",
    ]  # fmt: skip
    assert sorted(skeletons("c·f(x±a)")) == [
        "* # sin + x #", "* # sin - x #", "/ sin + x # #", "/ sin - x # #",
    ]  # fmt: skip


def test_constants_are_drawn_fairly_and_never_zero_or_one() -> None:
    drawn: Counter[int] = Counter()
    for template in list_templates():
        if template.shape != "f(x)^2":
            drawn.update(int(Fraction(t)) for t in template.tree.list_labels() if is_constant_token(t))
    assert set(drawn) == {sign * n for sign in (1, -1) for n in range(2, 10)}
    expected = sum(drawn.values()) / 16
    assert (
        sum((count - expected) ** 2 / expected for count in drawn.values()) < 37.7
    )  # chi-square, 15 df, .1 %


@pytest.mark.slow
def test_seeds_change_constants_and_nothing_else() -> None:
    def skeleton(seed: int) -> list[list[str]]:
        return [
            ["#" if is_constant_token(t) else t for t in template.tree.list_labels()]
            for template in list_templates(seed=seed)
        ]

    assert list_templates() == list_templates(seed=42, derivative_seed=84)
    assert skeleton(1) == skeleton(2)
    first, second = list_templates(seed=1), list_templates(seed=2)
    assert sum(a == b for a, b in zip(first[:2472], second[:2472], strict=True)) < 400
    assert first[2472:] == second[2472:]


def test_templates_are_readable_generator_notation() -> None:
    for template in list_templates():
        assert read_prefix(to_prefix(template.tree)) == template.tree


def test_unknown_selection_is_an_explained_error() -> None:
    with expect_error("E450"):
        list_templates("polynomials")  # type: ignore[arg-type]


@pytest.mark.real_data
def test_published_heads_are_of_our_shapes(real_data: Path) -> None:
    def skeleton(text: str) -> str:
        return " ".join("#" if is_constant_token(t) else t for t in text.split())

    known: dict[str, set[str]] = {}
    for template in list_templates():
        kind = template.kind.replace("function", "op")
        known.setdefault(f"{kind}_{template.size}", set()).add(skeleton(to_prefix(template.tree)))
    with gzip.open(real_data / "expr/egen_clusters_sample.jsonl.gz", "rt", encoding="utf-8") as lines:
        for cluster in map(json.loads, lines):
            assert skeleton(cluster["head"]) in known[cluster["source"]], cluster["head"]
