"""The composed encoder: terms against a walk of the tree, values against cmath, the network against a
recursion, the loss against its definition, and a training that learns and comes back."""

from __future__ import annotations

import cmath
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from engines.core.errors import DataError, ExpressionError
from engines.core.expression_language import read_prefix, to_prefix
from engines.core.tree import Tree
from engines.egen.composed.examples import (
    ComposedExample,
    are_alike,
    compute_subterm_values,
    draw_operation,
    near_copy,
    plane_points,
    write_detour,
)
from engines.egen.composed.network import (
    OPERATIONS,
    UNARY_COUNT,
    ComposedEncoder,
    ComposedSizes,
    constant_features,
    load_network,
    new_network,
    save_network,
    to_subterms,
)
from engines.egen.composed.trainer import make_composed_task
from engines.egen.corpus.published import import_published
from engines.egen.models.datasets import read_labelled, sample_corpus
from engines.egen.models.encode import load_encoder
from engines.mathematics.verification.verifier import Verifier
from engines.retrieval.dense import precision_at
from tests.conftest import expect_error
from tests.egen.expressions import trees
from tests.egen.small_clusters import write_clusters

pytestmark = pytest.mark.usefixtures("one_thread")
TEXTS = ["pow sin x 2", "- 1 pow cos x 2", "+ x 3", "/ + x 3 sin x", "x", "7", "d x * x ln x", "log 2 x"]


def _network(**settings: int) -> Any:
    torch.manual_seed(0)
    return new_network(ComposedSizes(d_model=12, hidden=8), **settings)


def _alone(network: Any, tree: Tree) -> torch.Tensor:
    """The vector of a term, by recursion and matrix by matrix."""
    if not tree.children:
        if tree.label == "x":
            found = network.x
        else:
            worth = {"pi": math.pi, "e": math.e}.get(tree.label) or float(tree.label)
            found = network.number(torch.from_numpy(constant_features(np.array([worth])))[0])
    else:
        left, right = (_alone(network, tree.children[place]) for place in (0, -1))
        kind = OPERATIONS.index(tree.label)
        if len(tree.children) == 1:
            whole = left @ network.of_one[kind]
        else:
            whole = torch.cat([left, right]) @ network.of_two[kind - UNARY_COUNT]
        units = torch.nn.functional.gelu(whole[:8] + network.bias[kind])
        products = (left @ network.left[kind]) * (right @ network.right[kind]) / 4
        found = torch.cat([products, units]) @ network.out[kind] + whole[8:]
    return found / found.norm() * math.sqrt(12)


def test_a_network_computes_every_term_once_as_a_recursion_does() -> None:
    network = _network()
    found = to_subterms([text.split() for text in TEXTS])
    read = [read_prefix(text) for text in TEXTS]
    states = network.compute_states(found.to_tensors())
    assert len(states) == len({node for tree in read for node in tree})
    with torch.no_grad():
        for tree, root in zip(read, found.arrays["roots"], strict=True):
            assert torch.allclose(states[root], _alone(network, tree), atol=1e-4), to_prefix(tree)
    vectors = ComposedEncoder(network).encode(TEXTS)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-5)
    # Not what stands beside it, and not the order, changes a vector.
    assert ComposedEncoder(network).encode(TEXTS[3:4]) == pytest.approx(vectors[3:4], abs=1e-5)


def test_what_is_no_expression_is_refused() -> None:
    with pytest.raises(ExpressionError):
        ComposedEncoder(_network()).encode(["+ x"])


_FUNCTIONS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "pow": lambda a, b: a**b,
    "sqrt": cmath.sqrt,
    "ln": cmath.log,
    **{name: getattr(cmath, name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{f"a{name}": getattr(cmath, f"a{name}") for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    "csc": lambda u: 1 / cmath.sin(u),
    "sec": lambda u: 1 / cmath.cos(u),
    "coth": lambda u: cmath.cosh(u) / cmath.sinh(u),
    "acsc": lambda u: cmath.asin(1 / u),
    "asech": lambda u: cmath.acosh(1 / u),
}


@pytest.mark.parametrize(
    "text",
    [
        "+ * 3 x / 5 - x 2",
        "pow - x 4 -3",
        "sin asin cos tan x",
        "sqrt sinh cosh tanh * 2 x",
        "acos atan asinh x",
        "acosh atanh / x 9",
        "csc sec coth acsc asech x",
        "ln pow x pi",
    ],
)
def test_values_are_those_of_cmath(text: str) -> None:
    def worth(tree: Tree, at: complex) -> complex:
        if not tree.children:
            return at if tree.label == "x" else math.pi if tree.label == "pi" else float(tree.label)
        function: Any = _FUNCTIONS[tree.label]
        return complex(function(*(worth(child, at) for child in tree.children)))

    points = plane_points(8)
    found = to_subterms([text.split()])
    row = compute_subterm_values(found, points)[found.arrays["roots"][0]]
    for place, at in enumerate(points):
        own = worth(read_prefix(text), complex(at))
        scaled = own / abs(own) * math.log1p(abs(own))
        assert complex(row[place], row[place + 8]) == pytest.approx(scaled, rel=1e-4, abs=1e-5)


def test_values_tell_equal_ones_from_others() -> None:
    texts = [
        "d x pow sin x 2",
        "sin * 2 x",
        "* 2 * sin x cos x",
        "cos * 2 x",
        "sin asin x",
        "x",
        "ln 0",
        "+ x 0",
    ]
    found = to_subterms([text.split() for text in texts])
    rows = compute_subterm_values(found, plane_points(16))[found.arrays["roots"]]
    same = are_alike(rows, rows)
    assert same[0, 1]
    assert same[1, 2]
    assert not same[1, 3]
    assert same[4, 5]
    assert same[5, 7]
    assert not same[5, 1]
    assert same[6].all()  # of what has no value nothing is known


@given(trees(), st.integers(0, 2**32 - 1))
def test_a_near_copy_differs_in_one_label_of_its_kind(tree: Tree, seed: int) -> None:
    tokens = tuple(to_prefix(tree).split())
    copy = near_copy(tokens, np.random.default_rng(seed))
    if copy is not None:
        assert sum(a != b for a, b in zip(tokens, copy, strict=True)) == 1
        assert len(read_prefix(" ".join(copy))) == len(tokens)


@pytest.mark.parametrize(
    "text", ["+ pow asec * 6 x 5 -3", "/ sech - * 3 x 5 -2", "d x asin / x pi", "acoth x"]
)
def test_a_detour_is_the_same_function_in_the_complex_plane(text: str) -> None:
    tokens, draw = tuple(text.split()), np.random.default_rng(0)
    detours = {write_detour(tokens, draw) for _ in range(60)} - {tokens}
    assert len(detours) > 10
    found = to_subterms([tokens, *detours])
    rows = compute_subterm_values(found, plane_points(16))[found.arrays["roots"]]
    assert are_alike(rows[:1], rows).all()


def test_operations_keep_what_is_equal_equal() -> None:
    draw = np.random.default_rng(0)
    kinds = set()
    for _ in range(40):
        operation = draw_operation(draw)
        one, other = (read_prefix(" ".join(operation(tuple(text.split())))) for text in ("+ x x", "* 2 x"))
        kinds.add(one.label)
        assert Verifier(one).judge_members([other])[0].outcome != "different"
    assert {"pow", "*", "+", "/"} <= kinds


def test_the_loss_is_its_definition() -> None:
    task = make_composed_task(
        {"d_model": 12, "hidden": 8, "tau": 0.2, "points": 4, "values_weight": 2.0, "moves_weight": 0.5},
        {"corpus": sample_corpus()},
        seed=0,
    )
    network = _network(read_out=8)
    sin, other = (("sin", "x"), ("/", "1", "csc", "x")), (("ln", "x"), ("+", "ln", "x", "0"))
    move = (("cos", "x"), ("tan", "x"), ("*", "2", "cos", "x"), ("*", "2", "tan", "x"))
    batch = task.collate(
        [ComposedExample(4, sin, (("cos", "x"),), (move,)), ComposedExample(9, other, (), ())]
    )
    with torch.no_grad():
        found = task.loss(network, batch)
    texts = [*sin, *other, ("cos", "x"), *move]
    vectors = ComposedEncoder(network).encode([" ".join(each) for each in texts]).astype(float)
    cosines = np.exp(vectors @ vectors.T / 0.2)
    rows = []
    for row, (mate, others) in enumerate([(1, (2, 3, 4)), (0, (2, 3, 4)), (3, (0, 1, 4)), (2, (0, 1, 4))]):
        rows.append(-math.log(cosines[row, mate] / (cosines[row, mate] + cosines[row, list(others)].sum())))
    assert float(found[0]) == pytest.approx(np.mean(rows), rel=1e-4)
    target = vectors[7] - vectors[5] + vectors[6]
    scores = np.exp(vectors @ target / np.linalg.norm(target) / 0.1)
    asked = scores[8] / scores[[0, 1, 2, 3, 4, 8]].sum()
    assert float(found[2]) == pytest.approx(-0.5 * math.log(asked), rel=1e-4)
    worth = batch["values"]
    states = network.values(network.compute_states(batch)).detach()
    off = (states - worth)[worth.isfinite()].abs()
    smooth = torch.where(off < 0.5, off**2, off - 0.25)
    assert float(found[1]) == pytest.approx(2 * float(smooth.mean()), rel=1e-4)
    assert task.counts(batch) == (4, int(worth.isfinite().sum()), 1)


@pytest.mark.slow
def test_a_training_learns_and_comes_back(tmp_path: Path) -> None:
    from engines.training import TrainConfig, train

    import_published(write_clusters(tmp_path / "clusters.jsonl"), tmp_path / "corpus")
    sizes = {"d_model": 48, "hidden": 32, "points": 8, "moves": 0.0, "detours": 0.0, "values_weight": 0.3}
    settings = {**sizes, "precision": "fp16"}
    task = make_composed_task(settings, {"corpus": tmp_path / "corpus"}, seed=0)
    # One validation cluster, as so small a corpus has, is nothing to measure on.
    task.held_out = data = read_labelled(tmp_path / "corpus")
    config = TrainConfig(steps=40, batch_size=15, lr=1e-2, bucket=1, device="cpu")

    def partners(encoder: ComposedEncoder) -> float:
        return float(precision_at(encoder.encode(data.texts), data.labels, (5,))[5].mean())

    before = partners(ComposedEncoder(task.model().eval()))
    done = train(task, config, tmp_path / "run")
    assert done.complete
    encoder = load_encoder(tmp_path / "run" / "model", device="cpu")
    assert isinstance(encoder, ComposedEncoder)
    after = partners(encoder)
    assert after > max(0.8, before + 0.1)
    assert 100 * after == pytest.approx(done.measures["validation_retrieval_at_5_percent"], abs=2)
    assert "clusters excluded" in (tmp_path / "run" / "model" / "README.md").read_text()

    data = {"corpus": tmp_path / "corpus", "backbone": tmp_path / "run" / "model"}
    again = ComposedEncoder(make_composed_task(settings, data, seed=1).model().eval())
    assert (again.encode(TEXTS) == encoder.encode(TEXTS)).all()
    with expect_error("E640"):
        make_composed_task({**settings, "hidden": 16}, data, seed=1).model()


def test_folders_of_something_else_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError) as nothing:
        load_network(tmp_path)
    assert nothing.value.code == "E642"
    save_network(_network(), tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(DataError) as damaged:
        load_encoder(tmp_path)
    assert damaged.value.code == "E642"
    with expect_error("E640"):
        make_composed_task({"pooling": "mean"}, {"corpus": sample_corpus()}, seed=0)
    with pytest.raises(DataError) as none:
        make_composed_task({}, {}, seed=0)
    assert none.value.code == "E644"
