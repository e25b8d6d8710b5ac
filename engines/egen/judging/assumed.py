"""Statements that are assumed: where variables run, and what stands for some of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engines.core.numeric import compile_valid
from engines.core.tree import ZERO, Tree
from engines.egen.assumptions import Assumptions, Relation
from engines.egen.expressions.notation import infix
from engines.egen.judging.names import INTEGERS, NUMBER_SETS, free, replaced
from engines.egen.judging.reals import Known

_TURNED = {">": "<", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Given(Known):
    """Also what stands for variables, by what is assumed to be equal to them."""

    values: tuple[tuple[str, Tree], ...] = ()

    def substituted(self, tree: Tree) -> Tree:
        for name, instead in self.values:
            tree = replaced(tree, name, instead)
        return tree


def assumed(statements: Sequence[Tree]) -> Given:
    integers: dict[str, None] = {}
    relations: list[Relation] = []
    values: list[tuple[str, Tree]] = []
    unclear = ""
    for one in flat(statements):
        for name, instead in values:
            one = replaced(one, name, instead)
        if one.label == "in" and not one.children[0].children and one.children[1].label in INTEGERS:
            name = one.children[0].label
            integers[name] = None
            if one.children[1].label in ("N", "ℕ"):
                relations.append(Relation(ZERO, "<=", Tree(name)))
        elif one.label == "in" and one.children[1].label in NUMBER_SETS:
            continue
        elif one.label == "=" and (found := _solved(one)):
            values.append(found)
        elif (relation := _relation(one)) is not None:
            relations.append(relation)
        else:
            unclear = unclear or said(one)
    return Given(Assumptions(tuple(sorted(integers)), tuple(relations)), (), unclear, tuple(values))


def flat(statements: Sequence[Tree]) -> Iterator[Tree]:
    for one in statements:
        if one.label == "and":
            yield from flat(one.children)
        else:
            yield one


def _solved(equation: Tree) -> tuple[str, Tree] | None:
    for side, other in (equation.children, equation.children[::-1]):
        if not side.children and {side.label} == free(side) and side.label not in other.labels():
            return side.label, other
    return None


def _relation(statement: Tree) -> Relation | None:
    if statement.label not in ("<", "<=", ">", ">=", "!="):
        return None
    left, right = statement.children
    names = sorted(free(left, right) | {"x"})
    difference = Tree("-", (left, right))
    if not free(difference) or compile_valid([difference], variables=names).nesting[0] < 0:
        return None
    if statement.label in _TURNED:
        left, right = right, left
    return Relation(left, _TURNED.get(statement.label, statement.label), right)  # type: ignore[arg-type]


def said(statement: Tree) -> str:
    """A statement for people."""
    if len(statement.children) == 2:
        left, right = statement.children
        return f"{infix(left)} {statement.label} {infix(right)}"
    return infix(statement)
