"""What a composed encoder is trained on: members of a cluster, near-copies, values in the complex plane."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.core.arrays import ShortFloats
from engines.core.expression_language import (
    ARITY,
    FUNCTIONS,
    HYPERBOLIC,
    RECIPROCAL,
    SIGNS,
    TRIGONOMETRIC,
    VARIABLE,
    of_its_kind,
)
from engines.egen.composed.network import OPERATIONS, UNARY_COUNT, SubtermBatch
from engines.mathematics.numbers.numeric_kernel import CONSTANT, LEAF

# Values of sub-terms at points of the complex plane: what a composed encoder learns from, and never sees.
#
# Detours such as sin(asin(u)) leave the reals where u is above 1, but not the complex plane. Principal
# values everywhere; a derivative is a difference quotient.

Complexes = NDArray[np.complex128]
# The distance of two points from which a slope is taken: small, but far above the rounding of doubles.
_STEP = 1e-4
# Values beyond this size say little about a function, and would dominate the loss.
_LARGEST = 1e12
_CLOSE = 1e-5
"""Mean square of the differences below which functions count as the same."""
_COMPARED = 8
"""Numbers that two functions must both have to be told apart."""


def _invert_values(function: Callable[[Complexes], Any]) -> Callable[[Complexes], Any]:
    return lambda u: 1 / function(u)


def _of_reciprocal(function: Callable[[Complexes], Any]) -> Callable[[Complexes], Any]:
    return lambda u: function(1 / u)


_DIRECT = ("sin", "cos", "tan", "sinh", "cosh", "tanh")
_OF_ONE: Mapping[str, Callable[[Complexes], Any]] = {
    "sqrt": np.sqrt,
    "abs": lambda u: np.abs(u) + 0j,
    "ln": np.log,
    **{name: getattr(np, name) for name in _DIRECT},
    **{f"a{name}": getattr(np, f"arc{name}") for name in _DIRECT},
    **{RECIPROCAL[name]: _invert_values(getattr(np, name)) for name in _DIRECT},
    **{f"a{RECIPROCAL[name]}": _of_reciprocal(getattr(np, f"arc{name}")) for name in _DIRECT},
    "acot": lambda u: np.pi / 2 - np.arctan(u),
}


def _sign_slope(_: Complexes, u: Complexes) -> Complexes:
    result = np.full_like(u, np.nan)
    result[..., 0] = (u[..., -1] - u[..., 0]) / _STEP if u.shape[-1] > 1 else np.nan
    return result


_OF_TWO: Mapping[str, Callable[[Complexes, Complexes], Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "pow": lambda a, b: np.exp(b * np.log(a)),
    "log": lambda a, b: np.log(b) / np.log(a),
    "d": _sign_slope,
    "where": lambda _, b: b,
}


def plane_points(count: int) -> Complexes:
    """Return random points of the upper half plane, shape (count,), at distances from 0.3 to 8 of 0.

    The lower half plane has the conjugate values.
    """
    draw = np.random.default_rng(0)
    return np.exp(draw.uniform(np.log(0.3), np.log(8), count) + 1j * draw.uniform(0.12, np.pi - 0.12, count))


def compute_subterm_values(batch: SubtermBatch, points: Complexes) -> ShortFloats:
    """Return the values of all sub-terms at some complex points, shape `(sub-terms, 2 · points)`.

    Real and imaginary parts are on a logarithmic scale, in the order of the terms; nan where there is no
    value.
    """
    codes, left, right = batch.programs.nodes
    shifted = OPERATIONS.index("d") in codes
    at = points[:, None] + np.array([0, _STEP] if shifted else [0])
    values = np.full((len(codes), *at.shape), np.nan, np.complex128)
    leaves = np.flatnonzero(codes >= LEAF)
    for node in leaves:
        values[node] = at if codes[node] < CONSTANT else batch.programs.numbers[codes[node] - CONSTANT]
    inner = batch.order[len(leaves) :]
    # A level is sorted by operation; a run of one operation ends at the level's end too.
    heights = np.repeat(np.arange(len(batch.sizes)), batch.sizes)
    cuts = np.flatnonzero(np.diff(codes[inner]) | np.diff(heights)) + 1
    with np.errstate(all="ignore"):
        for rows in np.split(inner, cuts) if len(inner) else []:
            kind = int(codes[rows[0]])
            name, one = OPERATIONS[kind], values[left[rows]]
            part = _OF_ONE[name](one) if kind < UNARY_COUNT else _OF_TWO[name](one, values[right[rows]])
            part[~np.isfinite(part) | (np.abs(part) > _LARGEST)] = np.nan
            values[rows] = part
        base = values[batch.order, :, 0]
        size = np.abs(base)
        scaled = np.where(size == 0, 0, base / np.where(size == 0, 1, size) * np.log1p(size))
    scaled[np.isnan(size)] = complex(np.nan, np.nan)
    return np.concatenate([scaled.real, scaled.imag], -1).astype(np.float32)


def are_alike(ones: ShortFloats, others: ShortFloats) -> NDArray[np.bool_]:
    """Return whether rows of values agree wherever both have some, shape `(ones, others)`.

    Rows with too few common values count as alike.

    Args:
        ones, others: Rows as `compute_subterm_values` returns them.
    """
    here, there = np.isfinite(ones), np.isfinite(others)
    left, right = np.where(here, ones, 0), np.where(there, others, 0)
    is_one, is_other = here.astype(np.float32), there.astype(np.float32)
    both = is_one @ is_other.T
    squares = (left**2) @ is_other.T + is_one @ (right**2).T - 2 * left @ right.T
    return (squares < _CLOSE * np.maximum(both, 1)) | (both < _COMPARED)


Tokens = tuple[str, ...]
"""Of an expression, in generator prefix notation."""

_NOTHING = [(name, f"a{name}") for name in (*TRIGONOMETRIC, *HYPERBOLIC)]
_OVER = [(other, f"a{name}") for name, other in RECIPROCAL.items()]
"""Two functions that give u, and those that give 1/u."""
_TURNED = {"*": "/", "/": "*"}
_TURNED |= {f"a{name}": f"a{other}" for name, other in RECIPROCAL.items() if name not in ("tan", "cot")}
"""What stands for an operation when 1/u is its last operand."""


@dataclass(frozen=True, slots=True)
class ComposedExample:
    """`members` of the cluster `number`; `copies` differ from one of them in a label each, and may be worth
    the same all the same; `moves`: quadruples (u, v, p(u), p(v)) of an operation p."""

    number: int
    members: tuple[Tokens, ...]
    copies: tuple[Tokens, ...]
    moves: tuple[tuple[Tokens, Tokens, Tokens, Tokens], ...]

    @property
    def expressions(self) -> tuple[Tokens, ...]:
        """All expressions of the example: members, near-copies and moves."""
        return (*self.members, *self.copies, *(each for move in self.moves for each in move))


def near_copy(tokens: Tokens, draw: np.random.Generator) -> Tokens | None:
    """Return an expression with another label of its kind at a random position, or None if that changes
    nothing.
    """
    kinds = [
        (position, replacements)
        for position, token in enumerate(tokens)
        if (replacements := of_its_kind(token))
    ]
    if not kinds:
        return None
    position, replacements = kinds[int(draw.integers(len(kinds)))]
    label = replacements[int(draw.integers(len(replacements)))]
    return None if label == tokens[position] else (*tokens[:position], label, *tokens[position + 1 :])


def write_detour(tokens: Tokens, draw: np.random.Generator) -> Tokens:
    """Return the same function, written with a detour in a random place: cot(atan u) for 1/u, u / cot(atan v)
    for u·v, asin(sec(acos u)) for acsc u, tan(atan u) for u, (1 + u) + 2 for u + 3.
    """
    begin = int(draw.integers(len(tokens)))
    if begin and tokens[begin - 1] == "d":
        return tokens
    end = _find_operand_end(tokens, begin)
    name, inner = tokens[begin], tokens[begin + 1 : end]
    last = _find_operand_end(inner, 0) if name in SIGNS else 0
    over = _OVER[draw.integers(len(_OVER))]
    results: Tokens
    if draw.random() < 0.3:
        results = (*_NOTHING[draw.integers(len(_NOTHING))], name, *inner)
    elif name in _TURNED:
        results = (_TURNED[name], *inner[:last], *over, *inner[last:])
    elif name in ("+", "-") and inner[last].lstrip("-").isdecimal():
        number = int(inner[last]) + (1 if name == "-" else -1)
        results = (name, "+", "1", *inner[:last], str(number))
    else:
        results = ("/", "1", *over, name, *inner)
    return (*tokens[:begin], *results, *tokens[end:])


def _find_operand_end(tokens: Sequence[str], begin: int) -> int:
    wanted = 1
    while wanted:
        wanted += ARITY.get(tokens[begin], 0) - 1
        begin += 1
    return begin


def draw_operation(draw: np.random.Generator) -> Callable[[Tokens], Tokens]:
    """Return a random operation on expressions: a power, a multiple, a sum, a function, a reciprocal, a power
    of e, or another argument in the place of x.
    """
    number = str(draw.integers(2, 10) * (1 if draw.random() < 0.7 else -1))
    function = FUNCTIONS[draw.integers(len(FUNCTIONS))]
    around: list[tuple[Tokens, Tokens]] = [
        (("pow",), (number,)),
        (("*", number), ()),
        (("+",), (number,)),
        ((function,), ()),
        (("/", "1"), ()) if draw.random() < 0.5 else (("pow", "e"), ()),
    ]
    kind = draw.integers(len(around) + 1)
    if kind < len(around):
        before, after = around[kind]
        return lambda tokens: (*before, *tokens, *after)
    sign = ("+", "-", "*", "/", "pow")[draw.integers(5)]
    inner = ("*", number, VARIABLE) if sign == "*" else (sign, VARIABLE, number)
    return lambda tokens: tuple(
        each for token in tokens for each in (inner if token == VARIABLE else (token,))
    )
