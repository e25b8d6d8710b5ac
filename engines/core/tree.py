"""The one ordered tree: expressions, equations and operator trees are all of this kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from engines.core.errors import ExpressionError

T = TypeVar("T")

MAX_NODES = 2_000
MAX_CHARACTERS = 20 * MAX_NODES
"""A larger formula is refused when read: every algorithm here is at least linear in it."""
MAX_DEPTH = 200
"""A deeper formula is refused when read, so that recursion over trees is safe."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A label with ordered children; a leaf has none. Immutable, hashable, compared by value."""

    label: str
    children: tuple[Tree, ...] = ()

    def __iter__(self) -> Iterator[Tree]:
        """Every node, parents before children, left to right (prefix order)."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def __len__(self) -> int:
        """The number of nodes."""
        return sum(1 for _ in self)

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

    def labels(self) -> list[str]:
        """The labels in prefix order: with known arities this is the tree itself."""
        return [node.label for node in self]

    def replace(self, path: Sequence[int], new: Tree) -> Tree:
        """This tree with the subtree at `path` (child positions from the root) replaced."""
        if not path:
            return new
        first, rest = path[0], path[1:]
        children = list(self.children)
        children[first] = children[first].replace(rest, new)
        return Tree(self.label, tuple(children))

    def at(self, path: Sequence[int]) -> Tree:
        """The subtree at `path`."""
        node = self
        for index in path:
            node = node.children[index]
        return node


def branch(last: Sequence[bool]) -> str:
    """The lines that lead to a node where each stands on a line of its own: `│ └ `.

    Args: last: of the node's ancestors below the root, and of itself, whether it is the last of its siblings.
    """
    return "".join("  " if ended else "│ " for ended in last[:-1]) + ("├ ", "└ ")[last[-1]] if last else ""


def outline(root: T, children: Callable[[T], Sequence[T]]) -> Iterator[tuple[str, T]]:
    """Every node in prefix order, behind the lines that lead to it.

    >>> tree = Tree("+", (Tree("*", (Tree("x"), Tree("y"))), Tree("1")))
    >>> [lead + node.label for lead, node in outline(tree, lambda node: node.children)]
    ['+', '├ *', '│ ├ x', '│ └ y', '└ 1']
    """
    pending: list[tuple[T, tuple[bool, ...]]] = [(root, ())]
    while pending:
        node, last = pending.pop()
        yield branch(last), node
        below = children(node)
        for number in reversed(range(len(below))):
            pending.append((below[number], (*last, number == len(below) - 1)))


def parse_prefix(tokens: Sequence[str], arity: Callable[[str], int]) -> Tree:
    """Read labels in prefix order.

    Args: tokens: one label each. arity: how many children a label takes; it raises `ExpressionError` for a
    label it does not know. Raises: ExpressionError with the token position when operands are missing or left
    over, or when the tree is larger than `MAX_NODES` or deeper than `MAX_DEPTH`.

    >>> parse_prefix("+ 1 x".split(), lambda t: 2 if t == "+" else 0).children[1].label
    'x'
    """
    if not tokens:
        raise ExpressionError("the expression is empty", remedy="Write something like: sin x")
    if len(tokens) > MAX_NODES:
        raise ExpressionError(
            f"the expression has {len(tokens):,} tokens; at most {MAX_NODES:,} are read",
            remedy="Split it into smaller expressions.",
        )
    root: list[Tree] = []
    open_nodes: list[tuple[str, int, list[Tree]]] = []
    for position, token in enumerate(tokens):
        if root:
            raise ExpressionError(
                f"the expression is complete before token {position + 1} ({token!r})",
                text=" ".join(tokens),
                position=position,
                remedy="Remove what follows, or check the operators' operands.",
            )
        wanted = arity(token)
        if wanted:
            if len(open_nodes) >= MAX_DEPTH - 1:
                raise ExpressionError(
                    f"the expression is nested more than {MAX_DEPTH} deep",
                    position=position,
                    remedy="Split it into smaller expressions.",
                )
            open_nodes.append((token, wanted, []))
            continue
        done = Tree(token)
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
        raise ExpressionError(
            f"{label!r} takes {count} operand{'s' if count > 1 else ''} and got {len(children)}",
            text=" ".join(tokens),
            position=len(tokens),
            remedy="The expression ends too early.",
        )
    return root[0]
