"""The notation models are trained on."""

from __future__ import annotations

import gzip
import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.core.errors import ExpressionError
from engines.core.expression_language import is_constant_token, read_prefix, to_prefix
from engines.core.tree import Tree
from engines.mathematics.terms.notation import VOCABULARY, decode_ids, from_training, to_training
from tests.egen.expressions import trees


def encode(tree: Tree) -> list[int]:
    """The ids a model is given: SOE, the tree's tokens, EOE."""
    return [1, *map(VOCABULARY.index, to_training(tree)), 2]


PLAIN_LEAVES = st.one_of(st.sampled_from(["x", "x", "pi", "e"]), st.integers(-(10**12), 10**12).map(str))


def has_log(tree: Tree) -> bool:
    return any(node.label == "log" for node in tree)


def exact(tree: Tree) -> Tree:
    """The tree with decimals as quotients and integers in their usual spelling: what must come back."""
    if is_constant_token(tree.label):
        value = Fraction(tree.label)
        top = Tree(str(value.numerator))
        return top if value.denominator == 1 else Tree("/", (top, Tree(str(value.denominator))))
    return Tree(tree.label, tuple(exact(child) for child in tree.children))


@pytest.mark.parametrize(
    ("generator", "training"),
    [
        ("pow + / x 6 2 9", "pow add div x INT+ 6 INT+ 2 INT+ 9"),
        ("* -0.5 x", "mul div INT- 1 INT+ 2 x"),
        ("- x -12", "sub x INT- 1 2"),
        ("12", "INT+ 1 2"),
        ("-7", "INT- 7"),
        ("0.5", "div INT+ 1 INT+ 2"),
        ("-1.5", "div INT- 3 INT+ 2"),
        ("0", "INT+ 0"),
        ("0.3333333333333333", "div INT+ 1 INT+ 3"),
        ("-1.1764705882352942", "div INT- 2 0 INT+ 1 7"),
        ("d x * -2 pow ln / x 7 -2", "d x mul INT- 2 pow ln div x INT+ 7 INT- 2"),
        ("pow e acsch abs sqrt pi", "pow e acsch abs sqrt pi"),
    ],
)
def test_conversions_of_the_paper(generator: str, training: str) -> None:
    assert " ".join(to_training(read_prefix(generator))) == training


def test_the_vocabulary_has_its_59_tokens_in_order() -> None:
    assert len(VOCABULARY) == len(set(VOCABULARY)) == 59
    assert VOCABULARY[:4] == ("PAD", "SOE", "EOE", "0")
    assert [VOCABULARY.index(t) for t in ("9", "pi", "e", "INT+", "INT-", "x", "add")] == [*range(12, 19)]
    assert VOCABULARY.index("sin") == 34
    assert VOCABULARY[-1] == "d"


@settings(deadline=None)
@given(trees(PLAIN_LEAVES).filter(lambda tree: not has_log(tree)))
def test_integers_survive(tree: Tree) -> None:
    assert from_training(to_training(tree)) == tree
    assert decode_ids(encode(tree)) == tree
    ids = encode(tree)
    assert (ids[0], ids[-1]) == (1, 2)
    assert max(ids) < 59


@settings(deadline=None)
@given(trees().filter(lambda tree: not has_log(tree)))
def test_decimals_come_back_as_the_quotients_they_are(tree: Tree) -> None:
    assert from_training(to_training(tree)) == exact(tree)


@settings(deadline=None)
@given(st.integers(-500, 500), st.integers(1, 17))
def test_every_fraction_up_to_17_is_exact(numerator: int, denominator: int) -> None:
    value = Fraction(numerator, denominator)
    tree = from_training(to_training(Tree(repr(numerator / denominator))))
    found = [int(node.label) for node in tree if node.label != "/"]
    assert Fraction(*found) == value


@pytest.mark.parametrize("text", ["0.33", "* 0.01 x", "+ x 3.14159", "0.0555555555555555556", "log 2 x"])
def test_what_has_no_exact_form_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        to_training(read_prefix(text))


@pytest.mark.parametrize(
    "text",
    [
        "", "add x", "x x", "INT+", "INT+ x", "INT+ 12", "7", "+ x x", "sign x", "rac x INT+ 2", "exp x",
        "foo", "PAD", "d INT+ 2 x", "add INT- INT+ 2", "INT+ ٣",
    ],
)  # fmt: skip
def test_nonsense_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        from_training(text.split())


def test_decoding_stops_at_the_end_token_and_skips_padding() -> None:
    tree = read_prefix("sin * 12 x")
    assert decode_ids([*encode(tree), 0, 0, 5]) == tree
    assert decode_ids([0, 0, *encode(tree)]) == tree
    for ids in ([], [1, 2], [59], [-1], [1, 5, 2]):
        with pytest.raises(ExpressionError):
            decode_ids(ids)


@pytest.mark.real_data
def test_published_expressions_survive(real_data: Path) -> None:
    converted = 0
    with gzip.open(real_data / "expr" / "egen_clusters_sample.jsonl.gz", "rt") as file:
        for line in file:
            tree = read_prefix(json.loads(line)["head"])
            assert to_prefix(decode_ids(encode(tree))) == to_prefix(exact(tree))
            converted += 1
    assert converted > 100
