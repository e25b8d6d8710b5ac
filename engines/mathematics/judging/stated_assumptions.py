"""What is assumed about variables: what statements say of them, and what terms such as `n!` need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engines.core.expression_language import BINDERS, WHOLE, display_name, variables_of
from engines.core.tree import ZERO, Tree
from engines.mathematics.assumptions import AssumedRelation, Assumptions
from engines.mathematics.judging.names import (
    INTEGERS,
    NUMBER_SETS,
    TURNED,
    free_variables,
    replace_variable,
)
from engines.mathematics.numbers.numeric import compile_valid
from engines.mathematics.terms.notation import to_infix


@dataclass(frozen=True, slots=True)
class Known:
    """What is assumed about variables.

    `notes` says what was settled on the way and must be reported; `unclear` says which assumption could not
    be taken into account; `complex_names` need not be real.
    """

    assumptions: Assumptions
    notes: tuple[str, ...] = ()
    unclear: str = ""
    complex_names: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Given(Known):
    """Also what stands for variables, by what is assumed to be equal to them."""

    values: tuple[tuple[str, Tree], ...] = ()

    def substitute_given(self, tree: Tree) -> Tree:
        """Return a tree with given values in the place of variables."""
        for name, instead in self.values:
            tree = replace_variable(tree, name, instead)
        return tree


def read_assumptions(statements: Sequence[Tree]) -> Given:
    """Read statements as assumptions: integers, relations, and values of variables."""
    integers: dict[str, None] = {}
    relations: list[AssumedRelation] = []
    values: list[tuple[str, Tree]] = []
    complex_names: set[str] = set()
    unclear = ""
    for one in iterate_flat(statements):
        # Values that were stated earlier are substituted into later statements.
        for name, instead in values:
            one = replace_variable(one, name, instead)
        if one.label == "in" and not one.children[0].children and one.children[1].label in INTEGERS:
            name = one.children[0].label
            integers[name] = None
            if one.children[1].label in ("N", "ℕ"):
                relations.append(AssumedRelation(ZERO, "<=", Tree(name)))
        # Being real, or a number of another such set, restricts nothing here.
        elif one.label == "in" and one.children[1].label in NUMBER_SETS:
            complex_names |= {one.children[0].label} if one.children[1].label in ("C", "ℂ") else set()
        elif one.label == "=" and (result := _value_said(one)):
            values.append(result)
        elif (relation := _to_relation(one)) is not None:
            relations.append(relation)
        else:
            unclear = unclear or describe_statement(one)
    assumptions = Assumptions(tuple(sorted(integers)), tuple(relations))
    return Given(assumptions, (), unclear, frozenset(complex_names), tuple(values))


def iterate_flat(statements: Sequence[Tree]) -> Iterator[Tree]:
    """Yield the parts of statements joined by `and`."""
    for one in statements:
        if one.label == "and":
            yield from iterate_flat(one.children)
        else:
            yield one


def _value_said(equation: Tree) -> tuple[str, Tree] | None:
    for side, value in (equation.children, equation.children[::-1]):
        if (
            not side.children
            and {side.label} == free_variables(side)
            and side.label not in value.list_labels()
        ):
            return side.label, value
    return None


def _to_relation(statement: Tree) -> AssumedRelation | None:
    if statement.label not in ("<", "<=", ">", ">=", "!="):
        return None
    left, right = statement.children
    names = sorted(free_variables(left, right) | {"x"})
    difference = Tree("-", (left, right))
    if not free_variables(difference) or compile_valid([difference], variables=names).nesting[0] < 0:
        return None
    if statement.label[0] == ">":
        return AssumedRelation(right, TURNED[statement.label], left)  # type: ignore[arg-type]
    return AssumedRelation(left, statement.label, right)  # type: ignore[arg-type]


def describe_statement(statement: Tree) -> str:
    """Return a statement for people."""
    if len(statement.children) == 2:
        left, right = statement.children
        return f"{to_infix(left)} {statement.label} {to_infix(right)}"
    return to_infix(statement)


def add_implied_integers(trees: Sequence[Tree], known: Known) -> Known:
    """Return the assumptions with variables in `n!`, `gcd(a, b)` or the bounds of a sum as integers."""
    lower_bounds: dict[str, Tree] = {}
    for tree in trees:
        for node in tree:
            # The smallest value of such a variable: the lower bound of its sum, otherwise 0.
            if node.label in ("sum", "prod"):
                low, high = node.children[1:3]
                for name in sorted(variables_of(high) - variables_of(low)):
                    lower_bounds[name] = low if high == Tree(name) else lower_bounds.get(name, ZERO)
                for name in variables_of(low):
                    lower_bounds.setdefault(name, ZERO)
            elif node.label in WHOLE and node.label not in ("gamma", "pochhammer"):
                for name in variables_of(node):
                    lower_bounds.setdefault(name, ZERO)
    # Bound variables of sums are integers anyway.
    bound = {node.children[0].label for tree in trees for node in tree if node.label in BINDERS}
    assumed = known.assumptions
    assumed_variables = assumed.variables
    free = variables_of(*trees)
    new = sorted(name for name in lower_bounds if name in free and name not in bound - free)
    if not new:
        return known
    integers = tuple(sorted({*assumed.integers, *new}))
    relations = tuple(
        AssumedRelation(lower_bounds[name], "<=", Tree(name))
        for name in new
        if name not in assumed_variables - {*assumed.integers}
    )
    # What is assumed here is reported with the verdict.
    notes = tuple(
        f"{display_name(name)} is an integer"
        + (
            ""
            if name in assumed_variables - {*assumed.integers}
            else f", {display_name(name)} >= {to_infix(lower_bounds[name])}"
        )
        for name in new
        if name not in assumed.integers or name not in assumed_variables
    )
    return Known(
        Assumptions(integers, (*assumed.relations, *relations)), (*known.notes, *notes), known.unclear
    )
