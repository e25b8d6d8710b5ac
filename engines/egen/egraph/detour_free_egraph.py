"""An e-graph without detours: classes split by what their terms may not begin with.

In the style `plain` no term holds a function of an inverse function of its family, or the other way round,
with nothing but arithmetic between them (`tan acot u`, `cot(pi + acot u)`), a factor or numerator -1 that
could be left out (in a product, sum or quotient, as the argument of an odd or even function, before a
difference), a negative number that is added, subtracted or divided by, or a reciprocal of a reciprocal.
What an operand may not be depends on the operator above it, so each class becomes several, one for each set
of such demands: the terms that are left are still counted exactly and drawn uniformly.

A head such as `acos(cos x)` is itself such a function of an inverse and may have no form that is none:
there as few kinds of them as it takes are let through.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np

from engines.core.arrays import Bools, Ints
from engines.core.compiling import compile_kernel
from engines.core.expression_language import HYPERBOLIC, TRIGONOMETRIC
from engines.egen.egraph.term_grammar import EGraph

# Bits of a mask: each says what a production does that an inverse production would undo. The functions
# and their inverses have the bits 8 to 64.
_MINUS, _DIFFERENCE, _RECIPROCAL, _NEGATIVE = 1, 2, 4, 128
_KINDS = dict.fromkeys(TRIGONOMETRIC, 8) | {f"a{name}": 16 for name in TRIGONOMETRIC}
_KINDS |= dict.fromkeys(HYPERBOLIC, 32) | {f"a{name}": 64 for name in HYPERBOLIC}
_ODD_INVERSES = ("asin", "atan", "acsc", "asinh", "atanh", "acsch", "acoth")
_ODD_OR_EVEN = {*TRIGONOMETRIC, *HYPERBOLIC, "abs", *_ODD_INVERSES}
_FUNCTIONS = 8 | 16 | 32 | 64
# What undoes a function, by their bits: trigonometric functions, their inverses, and the
# same for hyperbolic ones.
_UNDONE = {8: 16, 16: 8, 32: 64, 64: 32}


def remove_detours(egraph: EGraph) -> tuple[EGraph, Ints]:
    """Return the e-graph of the terms that make no detour, and for each of its classes the one it is a
    part of."""
    kinds, demands = _compute_node_kinds(egraph), _compute_demands(egraph)
    through = egraph.mask_labels("+", "-", "*", "/", "pow", "sqrt", "abs")
    parts = egraph.root, egraph.starts, egraph.children, kinds, demands, through
    for allowed in (0, *_UNDONE, _FUNCTIONS):
        origin, rows = _divide_classes(*parts, allowed)
        rows = rows[_find_ending_nodes(rows[:, 0], rows[:, 2:], len(origin))]
        if not np.all(rows[:, 0]):
            break
    rows = rows[np.argsort(rows[:, 0], kind="stable")]
    starts = np.searchsorted(rows[:, 0], np.arange(len(origin) + 1))
    labels = egraph.labels[rows[:, 1]]
    return replace(egraph, root=0, labels=labels, children=rows[:, 2:].copy(), starts=starts), origin


@compile_kernel
def _divide_classes(
    root: int, starts: Ints, children: Ints, kinds: Ints, demands: Ints, through: Bools, allowed: int
) -> tuple[Ints, Ints]:
    """Classes divided by demands: the class that each is a part of, and rows of a class's number, a node and
    the numbers of its children. Args: through: which nodes pass on what their own class may not be."""
    # A class is divided by what its terms may not be: at most 256 sets of eight bits.
    numbers = np.full((len(starts) - 1, 256), -1, np.int64)
    numbers[root, 0] = 0
    waiting, origin = [(root, 0)], [root]
    rows = [0]
    rows.pop()
    while len(waiting):
        home, barred = waiting.pop()
        for node in range(starts[home], starts[home + 1]):
            if kinds[node] & barred & ~allowed or demands[node, 0] < 0:
                continue
            rows.append(numbers[home, barred])
            rows.append(node)
            for side in range(2):
                child, number = children[node, side], -1
                # Sums, products and powers pass on which functions must not occur directly below.
                if child >= 0:
                    demand = demands[node, side] | (barred & _FUNCTIONS if through[node] else 0)
                    number = numbers[child, demand]
                    if number < 0:
                        number = numbers[child, demand] = len(origin)
                        waiting.append((child, demand))
                        origin.append(child)
                rows.append(number)
    return np.array(origin), np.array(rows, np.int64).reshape(-1, 4)


def _find_ending_nodes(homes: Ints, children: Ints, count: int) -> Bools:
    """Return which nodes have a term that ends: a class may hold nothing but terms of itself."""
    ending = np.arange(count + 1) == count  # the last stands for no child
    is_ending = np.zeros(len(homes), np.bool_)
    while (more := np.logical_and(*ending[children.T])).sum() > is_ending.sum():
        is_ending = more
        ending[homes[is_ending]] = True
    return is_ending


def _find_known_operands(egraph: EGraph, holds: Callable[[Fraction], bool]) -> Bools:
    """(nodes, 2) whether an operand is a number for which something holds."""
    known = np.zeros(len(egraph) + 1, np.bool_)  # the last stands for no child
    known[[number for number, value in egraph.constants.items() if holds(value)]] = True
    return known[egraph.children]


def _compute_node_kinds(egraph: EGraph) -> Ints:
    """(nodes,) what the terms of a node begin with."""
    minus = _find_known_operands(egraph, lambda c: c == -1)
    one = _find_known_operands(egraph, lambda c: c == 1)
    negative = _find_known_operands(egraph, lambda c: c < 0)
    times, over = egraph.mask_labels("*")[:, None], egraph.mask_labels("/")
    kinds = np.array([_KINDS.get(name, 0) for name in egraph.names], np.int64)[egraph.labels]
    kinds |= np.any(times & minus, axis=1) * _MINUS | np.any(times & negative, axis=1) * _NEGATIVE
    kinds |= (
        egraph.mask_labels("-") * _DIFFERENCE | (egraph.mask_labels("pow") & negative[:, 1]) * _RECIPROCAL
    )
    kinds |= (over & (one | minus)[:, 0]) * _RECIPROCAL
    return kinds | (over & minus[:, 0]) * _MINUS | (over & negative[:, 0]) * _NEGATIVE


def _compute_demands(egraph: EGraph) -> Ints:
    """(nodes, 2) what each operand may not be; -1 where the node itself is a detour."""
    alone = [
        _UNDONE.get(_KINDS.get(name, 0), 0) | (_MINUS if name in _ODD_OR_EVEN else 0) for name in egraph.names
    ]
    demands = np.stack([np.array(alone, np.int64)[egraph.labels], np.zeros(len(egraph.labels), np.int64)], 1)
    negative = _find_known_operands(egraph, lambda c: c < 0)[:, 1]
    whole = _find_known_operands(egraph, lambda c: c.denominator == 1)[:, 1]
    times, over, raised = (egraph.mask_labels(name) for name in ("*", "/", "pow"))
    sums = egraph.mask_labels("+", "-")
    both = np.any(_find_known_operands(egraph, lambda c: c == -1), axis=1) * _DIFFERENCE
    both |= np.any(_find_known_operands(egraph, lambda _: True), axis=1) * _NEGATIVE | _MINUS
    demands[times] = both[times, None]
    demands[sums] = _MINUS, _MINUS | _NEGATIVE
    demands[over] = _MINUS, _MINUS | _RECIPROCAL
    demands[raised, 0] = (whole * _MINUS | negative * _RECIPROCAL)[raised]
    # A sum with a negative number, or a quotient by one, is a detour whatever its other operand is.
    demands[(sums | over) & negative] = -1
    return demands
