"""Random expressions and a plain evaluator, shared by the tests of the expression language."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hypothesis import strategies as st

from engines.core.expression_language import FUNCTIONS
from engines.core.tree import Tree

INTEGERS = st.integers(-1200, 1200).map(str)
DECIMALS = st.tuples(st.integers(-99, 99), st.sampled_from(["25", "5", "125", "75"])).map(
    lambda parts: f"{parts[0]}.{parts[1]}"
)
LEAVES = st.one_of(
    st.just("x"), st.just("x"), st.sampled_from(["pi", "e", "0", "1", "-1"]), INTEGERS, DECIMALS
)


def _grow(inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    binary = st.builds(
        lambda label, left, right: Tree(label, (left, right)),
        st.sampled_from(["+", "-", "*", "/", "pow", "log"]),
        inner,
        inner,
    )
    unary = st.builds(
        lambda label, only: Tree(label, (only,)), st.sampled_from(["sqrt", "abs", *FUNCTIONS]), inner
    )
    slope = st.builds(lambda body: Tree("d", (Tree("x"), body)), inner)
    return st.one_of(binary, binary, unary, slope)


def trees(leaves: st.SearchStrategy[str] = LEAVES, *, max_leaves: int = 12) -> st.SearchStrategy[Tree]:
    """Expressions over every operator of the language."""
    return st.recursive(leaves.map(Tree), _grow, max_leaves=max_leaves)


def arithmetic(max_leaves: int = 14) -> st.SearchStrategy[Tree]:
    """Expressions of + - * / and sin only, which are defined nearly everywhere."""
    return st.recursive(
        st.sampled_from(["x", "2", "-3", "7", "0.5", "1", "-1", "0", "pi"]).map(Tree),
        lambda inner: st.one_of(
            st.builds(lambda f, a, b: Tree(f, (a, b)), st.sampled_from(["+", "-", "*", "/"]), inner, inner),
            st.builds(lambda a: Tree("sin", (a,)), inner),
        ),
        max_leaves=max_leaves,
    )


def value(tokens: Sequence[str], x: float) -> float:
    """An arithmetic expression at a point; nan where undefined."""
    stack: list[float] = []
    for token in reversed(tokens):
        if token == "x":
            stack.append(x)
        elif token == "pi":
            stack.append(math.pi)
        elif token == "sin":
            operand = stack.pop()
            stack.append(math.sin(operand) if math.isfinite(operand) else math.nan)
        elif token in ("+", "-", "*", "/"):
            left, right = stack.pop(), stack.pop()
            if token == "/":
                zero = abs(right) < 1e-12  # sin(pi), say
                stack.append(math.nan if zero else left / right)
            else:
                stack.append(left + right if token == "+" else left - right if token == "-" else left * right)
        else:
            stack.append(float(token))
    return stack.pop()
