"""Letters that can be the imaginary unit, and powers of it."""

from __future__ import annotations

from engines.core.tree import Tree
from engines.formula.vocabulary import variable_name
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.names import replace_variable
from engines.proofreading.term_properties import free_symbols


def take_imaginary_unit(tree: Tree) -> Tree:
    """Return a term in which letters i and j, which are indices elsewhere, are the imaginary unit."""
    for name in (variable_name("i"), "j"):
        tree = replace_variable(tree, name, Tree("i"))
    return tree


def find_whole_powers(left: Tree, right: Tree, judge: Judge) -> str:
    """For which whole exponents terms with the imaginary unit are equal; "" for none."""
    if "i" not in (*left.list_labels(), *right.list_labels()):
        return ""
    exponents = {
        name
        for side in (left, right)
        for node in side
        if node.label == "pow" and "i" in node.list_labels()
        for name in free_symbols(node.children[1])
    }
    if not exponents:
        return ""
    whole = [Tree("in", (Tree(name), Tree("ℤ"))) for name in sorted(exponents)]
    if judge.equal(left, right, whole).outcome != "equal":
        return ""
    return " and ".join(f"{name} is an integer" for name in sorted(exponents))
