"""SemVec: sets as they are read, scores by hand, and a network that learns and comes back."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.core.errors import DataError, EngineError, ExpressionError
from engines.core.tree import Tree
from engines.egen.semvec.evaluate import (
    OPERATORS,
    SemVec,
    compute_bigrams,
    compute_scores,
    evaluate,
    read_expression,
    read_splits,
    split_file,
)
from tests.conftest import count_examples, expect_error

CLASSES = {
    "2*a": ["a + a", "( b + a ) + ( a - b )", "- ( ( b - a ) - ( a + b ) )", "a - ( b - ( a + b ) )"],
    "a*b": ["a * b", "b * a", "( a * b ) + ( b - b )", "( b * a ) - ( a - a )"],
    "a + b": ["a + b", "b + a", "( a - b ) + ( b + b )", "( b + b ) - ( b - a )"],
    "b - a": ["b - a", "( b - a ) + ( a - a )", "( b + b ) - ( a + b )", "- ( a - b )"],
}


def written(folder: Path) -> Path:
    """A set: three classes to learn from with a validation expression each, a new one, and one of one."""
    rows: dict[str, list[dict[str, object]]] = {"train": [], "validation": [], "test": [], "neweqtest": []}
    rows["test"].append({"class": "b**2", "exprs": ["b * b"]})
    for number, (name, texts) in enumerate(CLASSES.items()):
        if number == len(CLASSES) - 1:
            rows["neweqtest"].append({"class": name, "exprs": texts})
        else:
            rows["train"].append({"class": name, "exprs": texts[:3]})
            rows["validation"].append({"class": name, "exprs": texts[3:]})
    for split, lines in rows.items():
        (folder / f"own-{split}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder / "own-train.jsonl"


def expressions() -> st.SearchStrategy[str]:
    """Texts as the sets have them."""
    names = st.sampled_from(["a", "b", "c"])
    return st.recursive(
        names,
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from(["+", "-", "*", "&", "|", "^", ">>"]), inner).map(
                lambda parts: f"( {parts[0]} {parts[1]} {parts[2]} )"
            ),
            inner.map(lambda text: f"( ~ {text} )"),
        ),
        max_leaves=12,
    )


def again(tree: Tree) -> str:
    if not tree.children:
        return tree.label
    if len(tree.children) == 1:
        return f"( {'-' if tree.label == 'neg' else tree.label} {again(tree.children[0])} )"
    return f"( {again(tree.children[0])} {tree.label} {again(tree.children[1])} )"


@given(expressions())
@settings(max_examples=count_examples(80), deadline=None)
def test_what_is_read_is_what_was_written(text: str) -> None:
    assert again(read_expression(text)) == text


@pytest.mark.parametrize(
    "text", ["", "a +", "( a + b", "a + b )", "a + b + c", "a $ b", "+ a", "a b", "( )", "( " * 500 + "a"]
)
def test_what_is_no_expression_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        read_expression(text)


def test_a_set_is_read_once_and_its_faults_are_named(tmp_path: Path) -> None:
    train = written(tmp_path)
    pool = read_splits(train)
    assert len(pool.trees) == 1 + sum(map(len, CLASSES.values()))
    assert pool.splits.count("neweqtest") == 4
    again = tmp_path / "own-test.jsonl"
    again.write_text(json.dumps({"class": "a*b", "exprs": ["a * b", "( a * b ) + ( a - a )"]}) + "\n")
    assert read_splits(train).splits.count("test") == 1  # the other one is of the training
    for broken in ("{", '{"class": "a", "exprs": ["a +"]}'):
        again.write_text(f"\n{broken}\n")
        with expect_error("E317", line=2):
            read_splits(train)
    again.unlink()
    with pytest.raises(DataError) as caught:
        read_splits(train)
    assert caught.value.code == "E312"
    assert read_splits(train, ("train", "neweqtest")).splits.count("validation") == 0
    with expect_error("E318"):
        split_file(tmp_path / "own.jsonl", "test")


def test_scores_by_hand() -> None:
    """Four of one class on a line and two of another beside its end: of the query at 0 the three others are
    nearest; of the one at 3 two of three are, since one of the other class is nearer than the last."""
    angles = np.array([0.0, 0.1, 0.2, 0.3, 0.45, 0.9])
    vectors = np.stack([np.cos(angles), np.sin(angles)], -1).astype(np.float32)
    numbers = np.array([0, 0, 0, 0, 1, 1])
    found = compute_scores(vectors, numbers, np.array([0, 3, 5]), 5)
    assert found.tolist() == [1.0, 1.0, 1.0]  # fewer than five others are of the class, and all are reached
    found = compute_scores(vectors, numbers, np.array([0, 3, 5]), 3)
    assert found.tolist() == [1.0, pytest.approx(2 / 3), 1.0]
    # The same vector twice: neither is left out for the other.
    twice = np.array([[1.0, 0.0]] * 3, np.float32)
    assert compute_scores(twice, np.array([0, 0, 0]), np.array([0, 1, 2]), 2).tolist() == [1.0] * 3


def test_bigrams_know_order_and_nothing_else() -> None:
    vectors = compute_bigrams([read_expression(text) for text in ("a + b", "a + b", "b + a")])
    assert vectors[0] @ vectors[1] == pytest.approx(1)
    assert vectors[0] @ vectors[2] < 0.99


def test_a_network_learns_comes_back_and_is_measured(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from engines.egen.semvec.network import encode, load_network
    from engines.egen.semvec.trainer import SemVecTask
    from engines.training import TrainConfig, train

    classes = written(tmp_path)
    config = TrainConfig(steps=30, batch_size=8, lr=2e-2, bucket=1, device="cpu")
    done = train(
        SemVecTask({"d_model": 16, "hidden": 16}, {"classes": classes}, seed=0), config, tmp_path / "run"
    )
    assert done.complete
    network = load_network(tmp_path / "run" / "model")
    begun = {"classes": classes, "backbone": tmp_path / "run" / "model"}
    again = SemVecTask({"d_model": 16, "hidden": 16}, begun, seed=1).model().state_dict()
    assert all((value == again[name]).all() for name, value in network.state_dict().items())
    with expect_error("E640"):
        SemVecTask({"d_model": 16, "hidden": 8}, begun, seed=1).model()
    pool = read_splits(classes)
    vectors = encode(network, pool.trees)
    learned = compute_scores(vectors, pool.numbers, pool.list_queries("train"), 1)
    assert learned.mean() > 0.6  # the share of a class in the pool is a quarter
    found = evaluate(SemVec(tmp_path / "run" / "model", classes))
    named = {each["name"]: each["value"] for each in found["figures"]}
    own = compute_scores(vectors, pool.numbers, pool.list_queries("neweqtest"), 5)
    assert named["model"] == pytest.approx(100 * own.mean())
    assert named.keys() == {"model", "token_bigrams"}
    assert (found["asked"], found["expressions"], found["classes"]) == (4, 17, 5)
    with pytest.raises(EngineError) as caught:
        evaluate(SemVec(tmp_path / "run" / "model", classes, "test"))
    assert caught.value.code == "E645"
    split_file(classes, "neweqtest").unlink()
    assert evaluate(SemVec(tmp_path / "run" / "model", classes, "validation"))["expressions"] == 13
    with pytest.raises(DataError) as gone:
        evaluate(SemVec(tmp_path / "run" / "model", classes))
    assert gone.value.code == "E312"
    with expect_error("E200"):
        encode(network, [read_expression("z + a")])
    with pytest.raises(DataError) as refused:
        load_network(tmp_path)
    assert refused.value.code == "E642"


def values(tree: Tree, known: dict[Tree, np.ndarray]) -> np.ndarray:
    """Modulo a prime, or of logic, at the points of the variables."""
    if tree not in known:
        parts = [values(child, known) for child in tree.children]
        known[tree] = OF_VALUES[tree.label](*parts)
    return known[tree]


PRIME = 2**31 - 1
OF_VALUES: dict[str, Callable[..., np.ndarray]] = {
    "+": lambda a, b: (a + b) % PRIME,
    "-": lambda a, b: (a - b) % PRIME,
    "*": lambda a, b: a * b % PRIME,
    "neg": lambda a: -a % PRIME,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    ">>": lambda a, b: (1 - a) | b,
    "~": lambda a: 1 - a,
}


@pytest.mark.real_data
@pytest.mark.parametrize("name", ["poly5", "simplepoly8", "boolean5"])
def test_published_classes_are_those_of_the_values(name: str, real_data: Path) -> None:
    """Two expressions have the same values exactly when their classes are the same."""
    train = real_data / "expr" / "semvec" / f"{name}-train.jsonl.gz"
    wanted = tuple(s for s in ("train", "validation", "test") if split_file(train, s).exists())  # type: ignore[arg-type]
    pool = read_splits(train, wanted)  # type: ignore[arg-type]
    assert {node.label for tree in pool.trees for node in tree} - OPERATORS.keys() <= {"a", "b", "c"}
    logic = name.startswith("boolean")
    points = np.random.default_rng(0).integers(0, PRIME, (3, 16))
    rows = np.array(list(product((0, 1), repeat=3))).T if logic else points
    known = {Tree(variable): row for variable, row in zip("abc", rows, strict=True)}
    of_values = [values(tree, known).tobytes() for tree in pool.trees]
    pairs = set(zip(of_values, pool.numbers.tolist(), strict=True))
    assert len(pairs) == len(set(of_values)) == len(set(pool.classes))
