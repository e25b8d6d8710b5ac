"""Expression trees: prefix notation, and differentiation by rule, keeping the domain."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from engines.core.errors import ExpressionError

MAX_NODES = 2_000
MAX_CHARACTERS = 20 * MAX_NODES
"""A larger formula is refused when read: every algorithm here is at least linear in it."""
MAX_DEPTH = 200
"""A deeper formula is refused when read, so that recursion over trees is safe."""


class _KnownSlots:
    __slots__ = ("_hash", "_size")
    _hash: int
    _size: int


@dataclass(frozen=True, slots=True)
class Tree(_KnownSlots):
    """A label with ordered children; a leaf has none. Immutable, hashable, compared by value."""

    label: str
    children: tuple[Tree, ...] = ()

    # Terms are keys of many tables and are compared by size, and either goes over all nodes: both are kept.
    # The slots are no fields, so that they are not pickled: another process hashes labels in another way.
    def __hash__(self) -> int:
        try:
            known = self._hash
        except AttributeError:
            known = hash((self.label, self.children))
            object.__setattr__(self, "_hash", known)
        return known

    def __iter__(self) -> Iterator[Tree]:
        """Yield every node, parents before children, left to right (prefix order)."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            if node.children:
                stack += node.children[::-1]

    def __len__(self) -> int:
        try:
            return self._size
        except AttributeError:
            size = 1 + sum(map(len, self.children))
            object.__setattr__(self, "_size", size)
            return size

    def __bool__(self) -> bool:
        return True

    @property
    def depth(self) -> int:
        """Nodes on the longest way down: 1 for a leaf."""
        deepest, stack = 0, [(self, 1)]
        while stack:
            node, depth = stack.pop()
            deepest = max(deepest, depth)
            stack.extend((child, depth + 1) for child in node.children)
        return deepest

    def list_labels(self) -> list[str]:
        """Return the labels in prefix order: with known arities this is the tree itself."""
        labels, stack = [], [self]
        while stack:
            node = stack.pop()
            labels.append(node.label)
            if node.children:
                stack += node.children[::-1]
        return labels

    def replace_subtree(self, path: Sequence[int], new: Tree) -> Tree:
        """Return this tree with the subtree at `path` (child positions from the root) replaced."""
        if not path:
            return new
        first, rest = path[0], path[1:]
        children = list(self.children)
        children[first] = children[first].replace_subtree(rest, new)
        return Tree(self.label, tuple(children))

    def subtree_at(self, path: Sequence[int]) -> Tree:
        """Return the subtree at `path` (child positions from the root)."""
        node = self
        for index in path:
            node = node.children[index]
        return node


T = TypeVar("T")


def draw_branch(last: Sequence[bool]) -> str:
    """Return the lines that lead to a node where each stands on a line of its own: `│ └ `.

    Args:
        last: Of the node's ancestors below the root, and of itself, whether it is the last of its siblings.
    """
    return "".join("  " if ended else "│ " for ended in last[:-1]) + ("├ ", "└ ")[last[-1]] if last else ""


def walk_outline(root: T, children: Callable[[T], Sequence[T]]) -> Iterator[tuple[str, T]]:
    """Yield every node in prefix order, behind the lines that lead to it.

    >>> tree = Tree("+", (Tree("*", (Tree("x"), Tree("y"))), Tree("1")))
    >>> [lead + node.label for lead, node in walk_outline(tree, lambda node: node.children)]
    ['+', '├ *', '│ ├ x', '│ └ y', '└ 1']
    """
    pending: list[tuple[T, tuple[bool, ...]]] = [(root, ())]
    while pending:
        node, last = pending.pop()
        yield draw_branch(last), node
        below = children(node)
        for number in reversed(range(len(below))):
            pending.append((below[number], (*last, number == len(below) - 1)))


def parse_prefix(tokens: Sequence[str], arity: Callable[[str], int]) -> Tree:
    """Read labels in prefix order.

    Args:
        tokens: One label each.
        arity: How many children a label takes; it raises `ExpressionError` for a label it does not know.

    Raises:
        ExpressionError: With the token position when operands are missing or left over, or when the tree is
            larger than `MAX_NODES` or deeper than `MAX_DEPTH`.

    >>> parse_prefix("+ 1 x".split(), lambda t: 2 if t == "+" else 0).children[1].label
    'x'
    """
    if not tokens:
        raise ExpressionError("the expression is empty", remedy="Write something like: sin x")
    if len(tokens) > MAX_NODES:
        what = f"the expression has {len(tokens):,} tokens; at most {MAX_NODES:,} are read"
        raise ExpressionError(what, remedy="Split it into smaller expressions.")
    # `open_nodes` is the path to the next free child: label, number of operands, operands read so far.
    root: list[Tree] = []
    open_nodes: list[tuple[str, int, list[Tree]]] = []
    for position, token in enumerate(tokens):
        if root:
            what = f"the expression is complete before token {position + 1} ({token!r})"
            remedy = "Remove what follows, or check the operators' operands."
            raise ExpressionError(what, text=" ".join(tokens), position=position, remedy=remedy)
        operand_count = arity(token)
        if operand_count:
            if len(open_nodes) >= MAX_DEPTH - 1:
                what = f"the expression is nested more than {MAX_DEPTH} deep"
                raise ExpressionError(what, position=position, remedy="Split it into smaller expressions.")
            open_nodes.append((token, operand_count, []))
            continue
        done = Tree(token)
        # A finished node may finish its parents too.
        while open_nodes:
            label, count, children = open_nodes[-1]
            children.append(done)
            if len(children) < count:
                break
            open_nodes.pop()
            done = Tree(label, tuple(children))
        else:
            root.append(done)
    if not root:
        label, count, children = open_nodes[-1]
        what = f"{label!r} takes {count} operand{'s' if count > 1 else ''} and got {len(children)}"
        remedy = "The expression ends too early."
        raise ExpressionError(what, text=" ".join(tokens), position=len(tokens), remedy=remedy)
    return root[0]


# Differentiation of expression trees by rule, keeping the domain.
#
# The evaluator differentiates once, by dual numbers. A derivative inside another is replaced here by `where u
# u'`: the derivative, defined only where u itself is. u' is written so that it is undefined where u has a
# kink or a vertical tangent.

ZERO, ONE = Tree("0"), Tree("1")


def without_inner_derivatives(tree: Tree, limit: int, *, inside: bool = False) -> Tree:
    """Return the same function with no `d` inside another `d`, each `d` at most `limit` nodes large.

    Args:
        inside: The tree itself stands in a `d`.

    Raises:
        ExpressionError: When one grows larger.
    """
    parts = tuple(
        without_inner_derivatives(child, limit, inside=inside or tree.label == "d") for child in tree.children
    )
    label = tree.label
    if label == "d" and inside:
        variable, body = parts
        parts = body, differentiate(body, variable.label)
        label = "where"
    result = Tree(label, parts)
    if tree.label == "d" and sum(1 for _ in islice(result, limit + 1)) > limit:
        raise ExpressionError(f"a nested derivative grows to more than {limit:,} tokens")
    return result


def differentiate(tree: Tree, variable: str) -> Tree:
    """Return u' for a u without `d`.

    The result is correct where u is defined and differentiable, and meaningless outside the domain of u.
    """
    if not tree.children:
        return ONE if tree.label == variable else ZERO
    return differentiate_operation(tree, [differentiate(part, variable) for part in tree.children])


def differentiate_operation(tree: Tree, slopes: Sequence[Tree]) -> Tree:
    """Return the derivative of an operation from those of its operands, where `ZERO` is one that does not
    vary.
    """
    label, parts = tree.label, tree.children
    if label == "where":
        return slopes[1]
    if all(slope is ZERO for slope in slopes):
        return ZERO
    if len(parts) == 1:
        return _times(_CHAIN[label](parts[0]), slopes[0])
    (u, v), (du, dv) = parts, slopes
    if label == "+":
        return _plus(du, dv)
    if label == "-":
        return _minus(du, dv)
    if label == "*":
        return _plus(_times(du, v), _times(u, dv))
    if label == "/":
        # (u/v)' = (u' - (u/v) v') / v, which uses the quotient as it stands.
        return Tree("/", (_minus(du, _times(tree, dv)), v))
    if label == "pow":
        if dv is ZERO:
            return du if v == ONE else _times(_times(v, Tree("pow", (u, Tree("-", (v, ONE))))), du)
        # u^v = e^(v ln u), so its derivative is u^v (v' ln u + v u'/u).
        return _times(tree, _plus(_times(dv, Tree("ln", (u,))), _times(v, Tree("/", (du, u)))))
    if label == "log":  # ln v / ln u
        top, bottom = Tree("/", (dv, v)), Tree("/", (du, u))
        return Tree("/", (_minus(top, _times(tree, bottom)), Tree("ln", (u,))))
    raise ValueError(f"no rule for the derivative of {label!r}")


def _plus(a: Tree, b: Tree) -> Tree:
    return b if a is ZERO else a if b is ZERO else Tree("+", (a, b))


def _minus(a: Tree, b: Tree) -> Tree:
    return a if b is ZERO else Tree("-", (a, b))


def _times(a: Tree, b: Tree) -> Tree:
    if a is ZERO or b is ZERO:
        return ZERO
    return b if a is ONE else a if b is ONE else Tree("*", (a, b))


def _over(sign: int, below: Tree) -> Tree:
    return Tree("/", (Tree(str(sign)), below))


def _square(u: Tree) -> Tree:
    return Tree("*", (u, u))


def _root(u: Tree, form: str) -> Tree:
    """Return the square root of 1 + u², 1 - u² or u² - 1; the differences as products, without
    cancellation.
    """
    if form == "1+uu":
        return Tree("sqrt", (Tree("+", (ONE, _square(u))),))
    low = Tree("-", (ONE, u) if form == "1-uu" else (u, ONE))
    return Tree("sqrt", (Tree("*", (low, Tree("+", (u, ONE)))),))


def _negative(u: Tree) -> Tree:
    return Tree("*", (Tree("-1"), u))


def _apply_function(name: str, u: Tree) -> Tree:
    return Tree(name, (u,))


_CHAIN: dict[str, Callable[[Tree], Tree]] = {
    "sqrt": lambda u: Tree("/", (Tree("0.5"), _apply_function("sqrt", u))),
    "abs": lambda u: Tree("/", (u, _apply_function("abs", u))),
    "ln": lambda u: _over(1, u),
    "sin": lambda u: _apply_function("cos", u),
    "cos": lambda u: _negative(_apply_function("sin", u)),
    "tan": lambda u: _square(_apply_function("sec", u)),
    "cot": lambda u: _negative(_square(_apply_function("csc", u))),
    "sec": lambda u: Tree("*", (_apply_function("sec", u), _apply_function("tan", u))),
    "csc": lambda u: _negative(Tree("*", (_apply_function("csc", u), _apply_function("cot", u)))),
    "asin": lambda u: _over(1, _root(u, "1-uu")),
    "acos": lambda u: _over(-1, _root(u, "1-uu")),
    "atan": lambda u: _over(1, Tree("+", (ONE, _square(u)))),
    "acot": lambda u: _over(-1, Tree("+", (ONE, _square(u)))),
    "asec": lambda u: _over(1, Tree("*", (_apply_function("abs", u), _root(u, "uu-1")))),
    "acsc": lambda u: _over(-1, Tree("*", (_apply_function("abs", u), _root(u, "uu-1")))),
    "sinh": lambda u: _apply_function("cosh", u),
    "cosh": lambda u: _apply_function("sinh", u),
    "tanh": lambda u: _square(_apply_function("sech", u)),
    "coth": lambda u: _negative(_square(_apply_function("csch", u))),
    "sech": lambda u: _negative(Tree("*", (_apply_function("sech", u), _apply_function("tanh", u)))),
    "csch": lambda u: _negative(Tree("*", (_apply_function("csch", u), _apply_function("coth", u)))),
    "asinh": lambda u: _over(1, _root(u, "1+uu")),
    "acosh": lambda u: _over(1, _root(u, "uu-1")),
    "atanh": lambda u: _over(1, Tree("-", (ONE, _square(u)))),
    "acoth": lambda u: _over(1, Tree("-", (ONE, _square(u)))),
    "asech": lambda u: _over(-1, Tree("*", (u, _root(u, "1-uu")))),
    "acsch": lambda u: _over(-1, Tree("*", (_apply_function("abs", u), _root(u, "1+uu")))),
}
