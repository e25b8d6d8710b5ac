"""score_k of vectors of expressions (EQNet, section 4), and vectors to compare an encoder with: of a baseline
that knows only which tokens follow each other, and of an oracle that knows what expressions are worth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise, product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engines.core.tree import Tree
from engines.egen.semvec.evaluate import OPERATORS

if TYPE_CHECKING:
    from engines.retrieval.dense import Vectors


Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_PRIME = 2**31 - 1
_POINTS = 16
_LOGIC = {"&", "|", "^", ">>", "~"}


def scores(vectors: Vectors, numbers: Ints, asked: Ints, k: int) -> Floats:
    """(asked,) score_k of each query, from 0 to 1.

    Args: vectors: (expressions, d) rows of length 1. numbers: (expressions,) of the classes. asked: places of
    the queries, whose classes have two expressions or more.
    """
    from engines.retrieval.dense import nearest

    _, rows = nearest(vectors[asked], vectors, k + 1)
    # The query is among its nearest, unless others have its very vector and come before it.
    own = rows == asked[:, None]
    own[~own.any(1), -1] = True
    others = rows[~own].reshape(len(asked), -1)
    right = (numbers[others] == numbers[asked][:, None]).sum(1)
    return right / np.minimum(k, np.bincount(numbers)[numbers[asked]] - 1)


def bigrams(trees: Sequence[Tree]) -> Vectors:
    """(trees, d) rows of length 1: how often a label follows another in prefix order, weighted by how rare
    that is among the trees."""
    from engines.retrieval.dense import unit

    pairs = [list(pairwise(["", *tree.labels(), ""])) for tree in trees]
    places = {pair: place for place, pair in enumerate(sorted({pair for row in pairs for pair in row}))}
    owner = np.repeat(np.arange(len(pairs)), [len(row) for row in pairs])
    columns = np.array([places[pair] for row in pairs for pair in row])
    counts = np.zeros((len(trees), len(places)), np.float32)
    np.add.at(counts, (owner, columns), 1)
    return unit(counts * np.log(len(trees) / (counts > 0).sum(0)))


def fingerprints(trees: Sequence[Tree]) -> Vectors:
    """(trees, d) rows of length 1, the same for expressions of the same values and a random one otherwise.

    Values are those of logic for all values of the variables, or those of polynomials modulo a prime at
    random points: two different ones of degree n agree there with a chance of (n / 2^31)^16.
    """
    from engines.retrieval.dense import unit

    labels = {node.label for tree in trees for node in tree}
    names = sorted(labels - OPERATORS.keys())
    if labels & _LOGIC:
        points = np.array(list(product((0, 1), repeat=len(names))), np.int64).T.reshape(len(names), -1)
    else:
        points = np.random.default_rng(0).integers(0, _PRIME, (len(names), _POINTS))
    known: dict[Tree, Ints] = {Tree(name): row for name, row in zip(names, points, strict=True)}
    numbers: dict[bytes, int] = {}
    rows = [numbers.setdefault(_value(tree, known).tobytes(), len(numbers)) for tree in trees]
    return unit(np.random.default_rng(1).normal(size=(len(numbers), 64)).astype(np.float32))[rows]


def _value(tree: Tree, known: dict[Tree, Ints]) -> Ints:
    if tree not in known:
        known[tree] = _OPERATIONS[tree.label](*(_value(child, known) for child in tree.children))
    return known[tree]


_OPERATIONS: Mapping[str, Callable[..., Ints]] = {
    "+": lambda a, b: (a + b) % _PRIME,
    "-": lambda a, b: (a - b) % _PRIME,
    "*": lambda a, b: a * b % _PRIME,
    "neg": lambda a: -a % _PRIME,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    ">>": lambda a, b: (1 - a) | b,
    "~": lambda a: 1 - a,
}
