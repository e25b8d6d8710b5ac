"""Real evaluation of expression trees at many points, with the domain and an error bound of every value.

An expression in prefix order becomes a flat program of operation codes; a compiled stack machine
(`numeric_kernel`) runs many programs over many points. Conventions: everything is real; acot has values in
(0, pi); asec u = acos(1/u), acsc u = asin(1/u), likewise acoth, asech and acsch; a power is undefined for a
negative base with a non-integer exponent and for 0 to a power <= 0. `d x u` is the derivative by dual
numbers: defined where u is defined and differentiable; a derivative inside a derivative is first worked out
by rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engines.core.errors import ExpressionError
from engines.core.tree import MAX_DEPTH, MAX_NODES, Tree, parse_prefix, without_inner_derivatives
from engines.mathematics.numbers.numeric_kernel import (
    BINARY,
    CONSTANT,
    DIFF,
    LEAF,
    UNARY,
    find_reached_nodes,
    run,
    share_subterms,
)

DEFINED, UNDEFINED, UNKNOWN = 0, 1, 2
"""States of a value: a real number; outside the real domain; overflow, underflow or too ill-conditioned."""

CODE = {name: code for code, name in enumerate(UNARY + BINARY)}
"""Operation codes by name."""
_OPERATIONS = {name: code for name, code in CODE.items() if name != "where"}
_ARITY = {**dict.fromkeys(UNARY, 1), **dict.fromkeys(BINARY, 2)}
_NUMBER = re.compile(r"-?(?:\d+(?:\.\d*)?|\.\d+)\Z")
_MAX_VARIABLES = CONSTANT - LEAF
_MAX_DIGITS = 30
# pi and e with bounds of their rounding errors as doubles.
_NAMED = {"pi": (np.pi, 1.3e-16), "e": (np.e, 1.5e-16)}
# A ball without bounds: it contains every value, so nothing follows from it.
_HOPELESS = (0.0, np.inf)
_TOGETHER = 2**17
"""Values of sub-terms held at once: nodes times points."""


@dataclass(frozen=True, slots=True)
class Programs:
    """Compiled expressions as one graph, in which every distinct sub-term is one node.

    nodes: (3, nodes) operation code and operands, operands first; node 0 stands for no operand. roots: (n,)
    the node of each expression, 0 for what is not one (only from `compile_valid`). nesting: (n,) depth of
    derivatives as written, -1 for what is not an expression. constants: the tokens; numbers, radii: the
    nearest doubles and how far they may be off.
    """

    nodes: NDArray[np.int32]
    roots: NDArray[np.int32]
    nesting: NDArray[np.int8]
    constants: tuple[str, ...]
    numbers: NDArray[np.float64]
    radii: NDArray[np.float64]
    variables: tuple[str, ...] = ("x",)

    def __len__(self) -> int:
        return len(self.roots)

    def select_programs(self, chosen: Sequence[int]) -> Programs:
        """Return some of the expressions, with the nodes they consist of."""
        roots = self.roots[np.asarray(chosen, np.intp)]
        kept = find_reached_nodes(self.nodes, roots)
        kept[0] = True
        new = (np.cumsum(kept) - 1).astype(np.int32)
        nodes = np.ascontiguousarray(self.nodes[:, kept])
        nodes[1:] = new[nodes[1:]]
        return replace(self, nodes=nodes, roots=new[roots], nesting=self.nesting[chosen])

    def restrict_to_line(self, name: str, point: NDArray[np.float64]) -> Programs:
        """Return the same functions on the line through a point on which one variable varies, called x
        there; the others are constants. Derivatives are by the first variable all the same."""
        offset, known = self.variables.index(name), self.write_derivatives_out(name)
        nodes, count = known.nodes.copy(), len(known.constants)
        tokens = [np.format_float_positional(value, trim="-") for value in point.tolist()]
        leaves = (nodes[0] >= LEAF) & (nodes[0] < CONSTANT)
        moved = nodes[0, leaves] - LEAF
        nodes[0, leaves] = np.where(moved == offset, LEAF, CONSTANT + count + moved)
        return replace(
            known,
            nodes=nodes,
            constants=(*known.constants, *tokens),
            numbers=np.concatenate([known.numbers, point]),
            radii=np.concatenate([known.radii, np.zeros(len(point))]),
            variables=("x",),
        )

    def list_node_trees(self) -> list[Tree]:
        """Return the term of every node."""
        names = dict(enumerate(UNARY + BINARY))
        names |= {LEAF + index: name for index, name in enumerate(self.variables)}
        names |= {CONSTANT + index: token for index, token in enumerate(self.constants)}
        trees: list[Tree] = [Tree("")]
        for code, *operands in self.nodes[:, 1:].T.tolist():
            trees.append(Tree(names[code], tuple(trees[operand] for operand in operands if operand)))
        return trees

    def write_derivatives_out(self, name: str) -> Programs:
        """Return the same functions with their derivatives worked out by rule, if they are not by this
        variable; what grows too large is none."""
        if not self.variables.index(name) or not (self.nodes[0] == DIFF).any():
            return self
        trees = self.list_node_trees()
        table = _Table(self.variables)
        table["where"] = CODE["where"]
        codes, bounds = _flatten_expressions(
            (_worked_out(trees[root]) for root in self.roots.tolist()), table
        )
        return _make_programs(table, *_share_nodes(codes, bounds, MAX_NODES))


class BallEvaluation(NamedTuple):
    """Values of programs at points with their errors, each of shape `(programs, points)`.

    `values` are NaN unless defined; `state` is `DEFINED`, `UNDEFINED` or `UNKNOWN`; `errors` bounds |value -
    true value| and is inf unless defined.
    """

    values: NDArray[np.float64]
    state: NDArray[np.uint8]
    errors: NDArray[np.float64]


@lru_cache(maxsize=2**16)
def _parse_constant(token: str) -> tuple[float, float] | None:
    """Return the nearest double to a constant and how far it is off; None for what is no constant."""
    if token in _NAMED or len(token.removeprefix("-")) > _MAX_DIGITS or not _NUMBER.match(token):
        return _NAMED.get(token)
    exact = Fraction(token)
    near = float(exact)
    return near, abs(float(exact - Fraction(near)))


class _Table(dict[str, int]):
    def __init__(self, variables: Sequence[str]) -> None:
        super().__init__(_OPERATIONS)
        self.variables = tuple(variables)
        self.constants: dict[str, tuple[float, float]] = {}
        for index, name in enumerate(variables):
            self[name] = LEAF + index

    def __missing__(self, token: str) -> int:
        number = _parse_constant(token)
        self[token] = code = -1 if number is None else self.append_token(token, number)
        return code

    def append_token(self, token: str, number: tuple[float, float]) -> int:
        self.constants[token] = number
        return CONSTANT + len(self.constants) - 1

    def arity_of(self, token: str) -> int:
        """For reading one expression with an explanation of what is wrong."""
        if self[token] < 0:
            raise ExpressionError(f"{token[:40]!r} cannot be evaluated")
        return _ARITY.get(token, 0)


Expression = Tree | Sequence[str]


def compile_valid(expressions: Iterable[Expression], *, variables: Sequence[str] = ("x",)) -> Programs:
    """Compile trees or token lists; what is no expression gets nesting -1 and no code, without an error."""
    if len(variables) > _MAX_VARIABLES:
        raise ExpressionError(f"there are more than {_MAX_VARIABLES} variables")
    table = _Table(variables)
    codes, bounds = _flatten_expressions(expressions, table)
    nodes, roots, nesting = _share_nodes(codes, bounds, MAX_DEPTH)
    if nesting.size and nesting.max() > 1:
        codes, bounds = _rebuild_with_nesting(codes, bounds, nesting, table)
        nodes, roots, _ = _share_nodes(codes, bounds, MAX_NODES)
    return _make_programs(table, nodes, roots, nesting)


def _flatten_expressions(
    expressions: Iterable[Expression], table: _Table
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the codes of expressions one after the other, and where each starts."""
    code = table.__getitem__
    flat: list[int] = []
    starts = [0]
    for expression in expressions:
        flat.extend(map(code, expression.list_labels() if isinstance(expression, Tree) else expression))
        starts.append(len(flat))
    return np.array(flat, np.int32), np.array(starts, np.int64)


def _make_programs(
    table: _Table, nodes: NDArray[np.int32], roots: NDArray[np.int32], nesting: NDArray[np.int8]
) -> Programs:
    numbers, radii = np.array(list(table.constants.values()), np.float64).reshape(-1, 2).T.copy()
    return Programs(nodes, roots, nesting, tuple(table.constants), numbers, radii, table.variables)


def _worked_out(tree: Tree) -> Tree:
    """Return an expression with its derivatives worked out by rule; no expression where it grows too
    large.
    """
    try:
        return without_inner_derivatives(tree, MAX_NODES, inside=True)
    except ExpressionError:
        return Tree("")


def _share_nodes(
    codes: NDArray[np.int32], starts: NDArray[np.int64], deepest: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int8]]:
    """Nodes, roots and nesting of programs."""
    nodes = np.empty((3, len(codes) + 1), np.int32)
    roots, nesting = np.empty(len(starts) - 1, np.int32), np.empty(len(starts) - 1, np.int8)
    count = share_subterms(codes, starts, MAX_NODES, deepest, nesting, roots, nodes)
    return nodes[:, :count].copy(), roots, nesting


def _rebuild_with_nesting(
    codes: NDArray[np.int32], starts: NDArray[np.int64], nesting: NDArray[np.int8], table: _Table
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the same programs with derivatives nested at most once; what is bad or grows too large for that
    becomes one unknown constant.
    """
    hopeless = table.append_token("", _HOPELESS)
    names = {number: token for token, number in table.items()}
    table["where"] = CODE["where"]
    pieces: list[NDArray[np.int32]] = []
    for k, depth in enumerate(nesting):
        piece = codes[starts[k] : starts[k + 1]]
        if depth < 0:
            piece = np.array([hopeless], np.int32)
        elif depth > 1:
            try:
                tree = parse_prefix([names[number] for number in piece.tolist()], table.arity_of)
                labels = without_inner_derivatives(tree, MAX_NODES).list_labels()
                piece = np.array([table[label] for label in labels], np.int32)
            except ExpressionError:
                piece = np.array([hopeless], np.int32)
        pieces.append(piece)
    bounds = np.cumsum([0, *map(len, pieces)], dtype=np.int64)
    return np.concatenate(pieces), bounds


def compile_many(expressions: Sequence[Expression], *, variables: Sequence[str] = ("x",)) -> Programs:
    """Compile trees or token lists.

    Raises:
        ExpressionError: For the first that is not one expression over `variables` and the known operations,
            or that differentiates by anything but the first variable.
    """
    programs = compile_valid(expressions, variables=variables)
    for k in np.flatnonzero(programs.nesting < 0)[:1].tolist():
        expression = expressions[k]
        labels = expression.list_labels() if isinstance(expression, Tree) else list(expression)
        parse_prefix(labels, _Table(variables).arity_of)
        what = f"the derivative is not with respect to {variables[0]}"
        raise ExpressionError(what, text=" ".join(labels), remedy=f"Write: d {variables[0]} <expression>.")
    return programs


def evaluate(programs: Programs, points: ArrayLike) -> BallEvaluation:
    """Evaluate every program at every point.

    Args:
        points: (points,) for one variable, (variables, points) for several.

    >>> evaluate(compile_many(["/ 1 x".split()]), [2.0, 0.0]).values.tolist()
    [[0.5, nan]]
    """
    values, errors = evaluate_balls(programs, points)
    state = np.full(values.shape, DEFINED, np.uint8)
    state[np.isinf(errors)] = UNKNOWN
    state[np.isnan(values)] = UNDEFINED
    values[state != DEFINED] = np.nan
    return BallEvaluation(values, state, errors)


def evaluate_balls(
    programs: Programs, points: ArrayLike, *, trace: bool = False
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return midpoints and radii as the kernel gives them: NaN is undefined, an infinite radius unknown.

    Returns:
        Two of (programs, points), or with `trace` of (nodes, points): of every distinct sub-term.
    """
    positions = np.ascontiguousarray(np.atleast_2d(np.asarray(points, np.float64)))
    if positions.shape[0] != len(programs.variables):
        raise ValueError(f"{len(programs.variables)} rows of points are needed, not {positions.shape[0]}")
    step = max(16, _TOGETHER // programs.nodes.shape[1])
    pieces = []
    for start in range(0, max(positions.shape[1], 1), step):
        piece = np.ascontiguousarray(positions[:, start : start + step])
        result = run(programs.nodes, programs.numbers, programs.radii, piece)
        pieces.append(result if trace else (result[0][programs.roots], result[1][programs.roots]))
    if len(pieces) == 1:
        return pieces[0]
    values, errors = zip(*pieces, strict=True)
    return np.concatenate(values, axis=1), np.concatenate(errors, axis=1)
