"""What people read of MathAMR's results on the command line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engines.mathamr.representations.opt import Opt

__all__ = ["draw", "opt", "slt"]


def opt(tree: Mapping[str, Any], spec: Opt) -> Iterator[str]:
    """The tree, an operand a line under its operator; or as the formula that it stands for."""
    if spec.write != "tree":
        from engines.formula.operator_tree import OperatorTree
        from engines.formula.render import latex
        from engines.formula.unicode import unicode_text

        written = latex(OperatorTree.read(tree))
        yield unicode_text(written) if spec.write == "unicode" else written
        return
    yield from slt(tree, spec)


def slt(tree: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """A tree, what hangs on a node indented under it."""
    pending: list[tuple[Mapping[str, Any], str, str]] = [(tree, "", "")]
    while pending:
        node, lead, below = pending.pop()
        yield lead + node["label"]
        children = node.get("children", ())
        for number, child in reversed(list(enumerate(children))):
            last = number == len(children) - 1
            pending.append((child, below + ("└ " if last else "├ "), below + ("  " if last else "│ ")))


def draw(made: Mapping[str, Any], _spec: object) -> list[str]:
    """The picture's text."""
    return str(made["text"]).splitlines()
