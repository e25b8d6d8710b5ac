"""The initial expressions of E-Gen: the shapes of its published generator, enumerated.

A shape is written in prefix notation over single letters. `x` and digits stand for themselves, `f` for a
function and `a b c d e` for constants, each drawn independently. Three marks choose an operator and are
enumerated: `± u v` is u+v or u−v, `× a u` is a·u or u/a, `÷ a u` is a·u or a/u.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import product
from typing import Literal, get_args

from engines.core.errors import EngineError
from engines.core.tree import Tree, parse_prefix
from engines.egen.expressions.language import FUNCTIONS

__all__ = ["FUNCTION_SHAPES", "POLYNOMIAL_SHAPES", "Kind", "Selection", "Template", "templates"]

Kind = Literal["poly", "function", "poly_d", "function_d"]
Selection = Literal["all", "poly", "functions", "derivatives"]

POLYNOMIAL_SHAPES: dict[str, tuple[str, ...]] = {
    "x": ("x",),
    "x^a": ("pow x a",),
    "x±a": ("± x a",),
    "ax": ("× a x",),
    "x^a±b": ("± pow x a b",),
    "ax^b": ("× a pow x b",),
    "ax±b": ("± × a x b",),
    # The published generator repeats two variants here instead of enumerating four.
    "x^a+bx": ("+ pow x a * b x", "+ pow x a * b x", "- pow x a / x b", "- pow x a / x b"),
    "(ax±b)^c": ("pow ± × a x b c",),
    "ax^b±c": ("± × a pow x b c",),
    "a(x^b±c)": ("× a ± pow x b c",),
    "ax^b±cx": ("± × a pow x b × c x",),
    "a(x^b±cx)": ("× a ± pow x b × c x",),
    "x^a±bx±c": ("± ± pow x a × b x c",),
    "a(bx±c)^d": ("× a pow ± × b x c d",),
    "(ax±b)^c±d": ("± pow ± × a x b c d",),
    "a(x±b)^c±d": ("± × a pow ± x b c d",),
    "a(bx)^c±d": ("± × a pow × b x c d",),
    "a(bx^c±d)": ("× a ± × b pow x c d",),
    "(ax±b)^c±dx": ("± pow ± × a x b c × d x",),
    "a(x±b)^c±dx": ("± × a pow ± x b c × d x",),
    "a(bx)^c±dx": ("± × a pow × b x c × d x",),
    "a(bx^c±dx)": ("× a ± × b pow x c × d x",),
    "a(x^b±cx)±d": ("± × a ± pow x b × c x d",),
    "a(x^b±cx±d)": ("× a ± ± pow x b × c x d",),
    "ax^b±cx±d": ("± ± × a pow x b × c x d",),
    "a(bx±c)^d±e": ("± × a pow ± × b x c d e",),
}
"""27 shapes, 222 variants."""

FUNCTION_SHAPES: dict[str, tuple[str, ...]] = {
    "f(x)": ("f x",),
    "f(x)^2": ("pow f x 2",),
    "f(x±a)": ("f ± x a",),
    "f(ax)": ("f × a x",),
    "f(x±b)^a": ("pow f ± x b a",),
    "f(bx)^a": ("pow f × b x a",),
    "c·f(ax)": ("÷ c f × a x",),
    "c·f(x±a)": ("× c f ± x a",),
    "c·f(x)±a": ("± × c f x a",),
    "f(ax±b)": ("f ± × a x b",),
    "f(ax)±b": ("± f × a x b",),
    "f(x±a)±b": ("± f ± x a b",),
    "c·f(ax)^b": ("÷ c pow f × a x b",),
    "c·f(x±a)^b": ("× c pow f ± x a b",),
    "c·f(x)^b±a": ("± × c pow f x b a",),
    "f(bx±c)^a": ("pow f ± × b x c a",),
    "f(bx)^a±c": ("± pow f × b x a c",),
    "f(x±b)^a±c": ("± pow f ± x b a c",),
    "c·f(ax±b)": ("× c f ± × a x b",),
    "c·f(ax)±b": ("± × c f × a x b",),
    "c·f(x±a)±b": ("± × c f ± x a b",),
    "f(ax±b)±c": ("± f ± × a x b c",),
}
"""22 shapes, 90 variants for each of the 25 functions."""

_SELECTED: dict[Selection, tuple[Kind, ...]] = {
    "all": get_args(Kind),
    "poly": ("poly",),
    "functions": ("function",),
    "derivatives": ("poly_d", "function_d"),
}
_MARKS: dict[str, tuple[Callable[[Tree, Tree], Tree], ...]] = {
    "±": (lambda u, v: Tree("+", (u, v)), lambda u, v: Tree("-", (u, v))),
    "×": (lambda a, u: Tree("*", (a, u)), lambda a, u: Tree("/", (u, a))),
    "÷": (lambda a, u: Tree("*", (a, u)), lambda a, u: Tree("/", (a, u))),
}
_ARITY = {**dict.fromkeys((*_MARKS, "+", "-", "*", "/", "pow"), 2), "f": 1}


@dataclass(frozen=True, slots=True)
class Template:
    """An initial expression. `shape` is its row of the tables above, the same with and without d/dx; `size`
    counts the tokens of the shape's body, without `d x`, as the published file names do."""

    tree: Tree
    kind: Kind
    shape: str
    size: int


def templates(selection: Selection = "all", *, seed: int = 42, derivative_seed: int = 84) -> list[Template]:
    """The initial expressions: 222 poly, 2,250 functions, and both again as 2,472 derivatives.

    Constants have a fair sign and a magnitude uniform on 2..9. Each depends only on the seed and on its own
    place (kind, function, shape, variant, placeholder), so a selection holds the same expressions as `all`.
    Raises: EngineError for an unknown selection.
    """
    if selection not in _SELECTED:
        raise EngineError(
            f"{selection!r} is not a set of templates",
            remedy=f"Choose one of: {', '.join(_SELECTED)}.",
            code="E450",
            exit_code=2,
        )
    return [
        template
        for kind in _SELECTED[selection]
        for template in _of_kind(kind, derivative_seed if kind.endswith("_d") else seed)
    ]


def _of_kind(kind: Kind, seed: int) -> Iterator[Template]:
    table = POLYNOMIAL_SHAPES if kind.startswith("poly") else FUNCTION_SHAPES
    for function in ("",) if table is POLYNOMIAL_SHAPES else FUNCTIONS:
        for shape, patterns in table.items():
            for number, variant in enumerate(v for pattern in patterns for v in _variants(pattern)):
                place = f"{seed}|{kind}|{function}|{shape}|{number}"
                body = _fill(variant, function, place)
                tree = Tree("d", (Tree("x"), body)) if kind.endswith("_d") else body
                yield Template(tree, kind, shape, len(body))


def _variants(pattern: str) -> list[Tree]:
    """Every choice of operators for the marks of a pattern, the first mark varying slowest."""

    def choices(node: Tree) -> list[Tree]:
        children = list(product(*map(choices, node.children)))
        makers = _MARKS.get(node.label, (lambda *operands: Tree(node.label, operands),))
        return [make(*operands) for make in makers for operands in children]

    return choices(parse_prefix(pattern.split(), lambda token: _ARITY.get(token, 0)))


def _fill(variant: Tree, function: str, place: str) -> Tree:
    """The variant with its function and its constants."""
    if variant.label == "f":
        return Tree(function, tuple(_fill(child, function, place) for child in variant.children))
    if variant.label in "abcde":
        return Tree(str(_constant(f"{place}|{variant.label}")))
    return Tree(variant.label, tuple(_fill(child, function, place) for child in variant.children))


def _constant(place: str) -> int:
    """A constant from the sixteen -9..-2, 2..9, each as likely."""
    draw = blake2b(place.encode(), digest_size=1).digest()[0]
    magnitude = 2 + (draw & 7)
    return -magnitude if draw & 8 else magnitude
