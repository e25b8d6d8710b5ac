"""The SemVec benchmark: its sets, and whether the nearest of new classes are equal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from engines.core.errors import DataError, EngineError, ExpressionError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.rows import json_objects
from engines.core.spec import Arg, specification
from engines.core.tree import MAX_DEPTH, MAX_NODES, Tree

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engines.retrieval.dense import Vectors

    Ints = NDArray[np.int64]


# SemVec's sets: classes of equal polynomials or formulas of logic, in four splits (Allamanis et al., 2017).
#
# A file `SET-SPLIT.jsonl`, also gzipped, has a class a line: `class`, its name, and `exprs`, infix with a
# blank between tokens. The files of a set lie beside each other.

Split = Literal["train", "validation", "test", "neweqtest"]
SPLITS: tuple[Split, ...] = ("train", "validation", "test", "neweqtest")
"""train: classes to learn from. validation and test: other expressions; neweqtest: of classes that are in no
other split."""

OPERATORS = {"+": 2, "-": 2, "*": 2, "&": 2, "|": 2, "^": 2, ">>": 2, "~": 1, "neg": 1}
"""Labels of trees by how many operands they have; `>>` is implication, `^` in logic is exclusive or."""


@dataclass(frozen=True, slots=True)
class SemVecExpressions:
    """Expressions of a set: the tree, the class and the split of each. One that a class has twice is there
    once, with the split that comes first in `SPLITS`."""

    trees: tuple[Tree, ...]
    classes: tuple[str, ...]
    splits: tuple[Split, ...]

    @property
    def numbers(self) -> NDArray[np.int64]:
        """(expressions,) the number of each one's class."""
        import numpy as np

        known: dict[str, int] = {}
        return np.array([known.setdefault(name, len(known)) for name in self.classes], np.int64)

    def list_queries(self, split: Split) -> NDArray[np.int64]:
        """Return the places of a split's expressions that have another one of their class."""
        import numpy as np

        numbers = self.numbers
        of_split = np.array([own == split for own in self.splits], bool)
        return np.flatnonzero(of_split & (np.bincount(numbers)[numbers] > 1))


def split_file(train: Path, split: Split) -> Path:
    """Return the file of a split, beside that of the split `train`."""
    name = train.name
    if "-train." not in name:
        remedy = "Name the file that ends with -train.jsonl or -train.jsonl.gz."
        raise DataError("not the training split of a SemVec set", path=train, code="E318", remedy=remedy)
    return train.with_name(name.replace("-train.", f"-{split}."))


def read_splits(train: Path, wanted: tuple[Split, ...] = SPLITS) -> SemVecExpressions:
    """Return the expressions of the set that a training split belongs to."""
    split_of_tree: dict[tuple[str, Tree], Split] = {}
    for split in wanted:
        path = split_file(train, split)
        for name, trees in _read_classes(path):
            for tree in trees:
                split_of_tree.setdefault((name, tree), split)
    return SemVecExpressions(
        tuple(tree for _, tree in split_of_tree),
        tuple(name for name, _ in split_of_tree),
        tuple(split_of_tree.values()),
    )


def _read_classes(path: Path) -> Iterator[tuple[str, list[Tree]]]:
    remedy = 'A line is like {"class": "2*a", "exprs": ["a + a"]}.'
    for number, row in json_objects(path, remedy=remedy):
        try:
            name, texts = row["class"], row["exprs"]
            if not isinstance(name, str) or not isinstance(texts, list):
                raise TypeError
            yield name, [read_expression(text) for text in texts]
        except ExpressionError as error:
            spaces = "Separate tokens with spaces."
            raise DataError(error.what, path=path, line=number, code="E317", remedy=spaces) from error
        except (KeyError, TypeError, AttributeError) as error:
            what = "this is not an object with `class` and `exprs`"
            raise DataError(what, path=path, line=number, code="E317", remedy=remedy) from error


def read_expression(text: str) -> Tree:
    """Return an expression in which every operation but the outermost stands in brackets.

    Raises:
        ExpressionError: With the number of the token.

    >>> read_expression("a * ( b - a )").list_labels()
    ['*', 'a', '-', 'b', 'a']
    """
    tokens = text.split()
    if len(tokens) > MAX_NODES:
        raise ExpressionError(f"the expression has {len(tokens):,} tokens; at most {MAX_NODES:,} are read")
    tree, index = _read_operation(tokens, 0, 0)
    if index < len(tokens):
        raise _unexpected_error(tokens, index)
    return tree


def _read_operation(tokens: list[str], index: int, depth: int) -> tuple[Tree, int]:
    left, index = _read_operand(tokens, index, depth)
    if index == len(tokens) or tokens[index] == ")":
        return left, index
    operator = tokens[index]
    if OPERATORS.get(operator) != 2:
        raise _unexpected_error(tokens, index)
    right, index = _read_operand(tokens, index + 1, depth)
    return Tree(operator, (left, right)), index


def _read_operand(tokens: list[str], index: int, depth: int) -> tuple[Tree, int]:
    if depth > MAX_DEPTH:
        raise ExpressionError(f"the expression is deeper than {MAX_DEPTH}", position=index)
    token = tokens[index] if index < len(tokens) else ""
    if token == "(":
        tree, index = _read_operation(tokens, index + 1, depth + 1)
        if index == len(tokens):
            raise ExpressionError("a bracket is not closed", position=index)
        return tree, index + 1
    if token in ("~", "-"):
        tree, index = _read_operand(tokens, index + 1, depth + 1)
        return Tree("~" if token == "~" else "neg", (tree,)), index
    if not token.isidentifier() or not token.isascii():
        raise _unexpected_error(tokens, index)
    return Tree(token), index + 1


def _unexpected_error(tokens: list[str], index: int) -> ExpressionError:
    what = f"{tokens[index][:20]!r} where" if index < len(tokens) else "it ends where"
    return ExpressionError(f"{what} another token is expected (token {index + 1})", position=index)


@specification
class SemVec:
    """Evaluate an encoder on the SemVec benchmark: are an expression's nearest neighbours equal to it?

    Queries come from one split, neighbours from all splits present. Token bigrams serve as a baseline.
    """

    model: Annotated[Path, Arg("A folder that training with egen.semvec made.", ref="model")]
    classes: Annotated[Path, Arg("The training split of the set: SET-train.jsonl.gz.")]
    queries: Annotated[Split, Arg("The split that queries are taken from.")] = "neweqtest"
    k: Annotated[int, Arg("How many neighbours to score.", low=1)] = 5


def evaluate(spec: SemVec, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """Return the share of the k nearest that are of the query's class, of as many as there can be.

    score_k of a query is the number of the k nearest others by cosine that are of its class, divided by k or
    by how many others its class has where that is less; a class of one is left out.

    Returns:
        Set, model, queries, k, expressions and classes (of the pool), asked (queries), and `figures`: name,
        value in percent, and its interval over classes.

    Raises:
        DataError: E642 for a folder without such a model.
        EngineError: E645 for a split without queries, and as `splits` does.
    """
    import numpy as np

    from engines.egen.evaluations.figures import mean_figure
    from engines.egen.models.vectors import stopped_error
    from engines.egen.semvec.network import encode, load_network

    network = load_network(spec.model)
    splits = tuple(
        split
        for split in SPLITS
        if split in ("train", spec.queries) or split_file(spec.classes, split).exists()
    )
    pool = read_splits(spec.classes, splits)
    queries = pool.list_queries(spec.queries)
    if not len(queries):
        what = f"no class of the split {spec.queries} has two expressions"
        raise EngineError(what, code="E645", remedy="Name another split with --queries.")
    # Intervals are over classes, because queries of one class depend on each other.
    _, groups = np.unique(pool.numbers[queries], return_inverse=True)
    figures = []
    systems: dict[str, Callable[[Sequence[Tree]], Vectors]] = {
        "model": partial(encode, network),
        "token_bigrams": compute_bigrams,
    }
    for name, vectors in systems.items():
        if stop():
            raise stopped_error("evaluation")
        result = compute_scores(vectors(pool.trees), pool.numbers, queries, spec.k)
        figure = mean_figure(name, "paper", result, groups=groups)
        figures.append({"name": name, "value": figure.value, "interval": list(figure.interval)})
        events(Event("progress", {"done": len(figures), "total": len(systems), "unit": "systems"}))
    return {
        "set": spec.classes.name.partition("-train.")[0],
        "model": spec.model.name,
        "queries": spec.queries,
        "k": spec.k,
        "expressions": len(pool.trees),
        "classes": len(set(pool.classes)),
        "asked": len(queries),
        "figures": figures,
    }


def compute_scores(vectors: Vectors, numbers: Ints, asked: Ints, k: int) -> NDArray[np.float64]:
    """Return score_k of each query, shape `(asked,)`, from 0 to 1.

    Args:
        vectors: Unit vectors, shape `(expressions, d)`.
        numbers: The class of each expression, shape `(expressions,)`.
        asked: Indices of the queries, whose classes have two expressions or more.
    """
    import numpy as np

    from engines.retrieval.dense import nearest

    _, rows = nearest(vectors[asked], vectors, k + 1)
    # The query is among its nearest, unless others have its very vector and come before it.
    own = rows == asked[:, None]
    own[~own.any(1), -1] = True
    others = rows[~own].reshape(len(asked), -1)
    right = (numbers[others] == numbers[asked][:, None]).sum(1)
    return right / np.minimum(k, np.bincount(numbers)[numbers[asked]] - 1)


def compute_bigrams(trees: Sequence[Tree]) -> Vectors:
    """Return unit vectors of counts of label pairs, shape `(trees, d)`: the baseline without training.

    A pair is a label and the one that follows it in prefix order, weighted by how rare that is among the
    trees.
    """
    import numpy as np

    from engines.retrieval.dense import normalize_rows

    pairs = [list(pairwise(["", *tree.list_labels(), ""])) for tree in trees]
    positions = {pair: index for index, pair in enumerate(sorted({pair for row in pairs for pair in row}))}
    owner = np.repeat(np.arange(len(pairs)), [len(row) for row in pairs])
    columns = np.array([positions[pair] for row in pairs for pair in row])
    counts = np.zeros((len(trees), len(positions)), np.float32)
    np.add.at(counts, (owner, columns), 1)
    return normalize_rows(counts * np.log(len(trees) / (counts > 0).sum(0)))
