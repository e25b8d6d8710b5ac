"""Equations that hold unknowns, solved over the numbers of a problem: `N_0+x=N_1` is x = N_1-N_0.

What is linear in its unknowns, also after the denominators are multiplied out, is solved by elimination, and
what comes down to quadratic equations by their formula, symbolically, so that each result is an equation like
any other. Each solution is put into the equations again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction

from engines.core.tree import Tree
from engines.mwp.problems.problem import EquationError, ProblemValue, evaluate
from engines.mwp.problems.unknown_polynomials import (
    ONE,
    TWO,
    UNKNOWN,
    ZERO,
    UnknownPolynomial,
    add,
    add_trees,
    divide_trees,
    drop_zeros,
    list_unknowns,
    multiply,
    multiply_trees,
    negate_tree,
    raise_to,
    subtract_trees,
    to_polynomial,
    work_out,
)

_MOST_UNKNOWNS = 6
_MOST_NODES = 400
"""Nodes of a solution: more is no equation of a word problem."""
_AGREES = 1e-9
_SQUARE = "²"
"""Behind the name of an unknown: its square, where no equation has the unknown itself."""
_HALF = Tree("C_0_5")

UnknownSolution = dict[str, Tree]
"""What each unknown is."""


def solve_unknowns(
    sides: Sequence[tuple[Tree, Tree]], values: Sequence[ProblemValue]
) -> list[UnknownSolution]:
    """Return each unknown as an equation over the numbers of the text, in every solution.

    Solutions without negative values come first.

    Args:
        sides: The left and the right side of each equation.
        values: Of the numbers of the text; they say which coefficients are zero.

    Raises:
        EquationError: For what is neither linear nor quadratic, has no solution or infinitely many, or is too
            long.

    >>> from engines.mwp.problems.problem import to_infix
    >>> x, sides = Tree("?x"), (Tree("+", (Tree("?x"), Tree("N_0"))), Tree("N_1"))
    >>> [to_infix(one["?x"]) for one in solve_unknowns([sides], [Fraction(6), Fraction(15)])]
    ['N_1-N_0']
    >>> square = Tree("^", (x, Tree("C_2"))), Tree("N_0")
    >>> [to_infix(one["?x"]) for one in solve_unknowns([square], [Fraction(6), Fraction(15)])]
    ['N_0^C_0_5', 'C_0-N_0^C_0_5']
    """
    names = sorted({name for pair in sides for side in pair for name in list_unknowns(side)})
    if not names or len(names) > _MOST_UNKNOWNS:
        raise EquationError(f"the equations have {len(names)} unknowns")
    occurrences = [label for pair in sides for side in pair for label in side.list_labels()]
    if len(sides) == 1 and len(names) == 1 and occurrences.count(names[0]) == 1:
        candidates = [{names[0]: tree} for tree in _isolate(*sides[0], names[0], values)]
    else:
        forms = [to_polynomial(left, right, values) for left, right in sides]
        if any(len(key) > 1 for form in forms for key in form):
            candidates = list(_solve_polynomials(names, forms, values))
        else:
            candidates = [{name: _eliminate_others(name, forms, values) for name in names}]
    solutions = [one for one in candidates if _satisfies(one, sides, values)]
    if not solutions:
        raise EquationError("the equations contradict each other or have no real solution")
    return sorted(solutions, key=lambda one: any(evaluate(tree, values) < 0 for tree in one.values()))


def _satisfies(
    solution: UnknownSolution, sides: Sequence[tuple[Tree, Tree]], values: Sequence[ProblemValue]
) -> bool:
    if max(map(len, solution.values())) > _MOST_NODES:
        return False
    for left, right in sides:
        try:
            ours, theirs = (float(evaluate(_substitute(side, solution), values)) for side in (left, right))
        except EquationError:
            return False
        if abs(ours - theirs) > _AGREES * max(1.0, abs(theirs)):
            return False
    return True


def _substitute(tree: Tree, solution: Mapping[str, Tree]) -> Tree:
    if tree.label in solution:
        return solution[tree.label]
    return Tree(tree.label, tuple(_substitute(child, solution) for child in tree.children))


def substitute_unknowns(tree: Tree, solution: Mapping[str, Tree]) -> Tree:
    """Return an expression with its unknowns replaced by what they are.

    Raises:
        EquationError: For an unknown that is not solved for.
    """
    result = _substitute(tree, solution)
    if left := list_unknowns(result):
        raise EquationError(f"nothing says what {left[0].removeprefix(UNKNOWN)} is")
    return result


def _isolate(left: Tree, right: Tree, name: str, values: Sequence[ProblemValue]) -> list[Tree]:
    """Return what the one unknown is that occurs once: each operation is undone on the other side.

    An even power has two roots.
    """
    node, rest = (left, right) if name in left.list_labels() else (right, left)
    roots = [rest]
    while node.children:
        first, second = node.children
        in_first = name in first.list_labels()
        if node.label == "^":
            if not in_first:
                raise EquationError("an unknown in an exponent is not solved for")
            roots = [root for one in roots for root in _undo_power(one, second, values)]
        else:
            roots = [_undo_operation(node, one, in_first=in_first) for one in roots]
        node = first if in_first else second
    return roots


def _undo_operation(node: Tree, rest: Tree, *, in_first: bool) -> Tree:
    first, second = node.children
    match node.label, in_first:
        case "+", _:
            return subtract_trees(rest, second if in_first else first)
        case "-", True:
            return add_trees(rest, second)
        case "-", False:
            return subtract_trees(first, rest)
        case "*", _:
            return divide_trees(rest, second if in_first else first)
        case "/", True:
            return multiply_trees(rest, second)
        case _:
            return divide_trees(first, rest)


def _undo_power(rest: Tree, exponent: Tree, values: Sequence[ProblemValue]) -> list[Tree]:
    power = evaluate(exponent, values)
    if power == 0:
        raise EquationError("the equations leave an unknown open")
    root = work_out("^", rest, divide_trees(ONE, exponent))
    is_even = isinstance(power, Fraction) and power.denominator == 1 and power.numerator % 2 == 0
    return [root, negate_tree(root)] if is_even else [root]


def _eliminate_others(name: str, forms: Sequence[UnknownPolynomial], values: Sequence[ProblemValue]) -> Tree:
    """Solve linear forms, each of which is zero, for one unknown."""
    remaining = list(forms)
    while others := {key for form in remaining for key in form if key not in ((), (name,))}:
        choices = [
            (form[key] not in (ONE, negate_tree(ONE)), len(form[key]), index, key)
            for index, form in enumerate(remaining)
            for key in sorted(others)
            if key in form
        ]
        *_, index, key = min(choices)
        pivot = dict(remaining.pop(index))
        # The unknown of the pivot is the rest of its form by its coefficient.
        scale = pivot.pop(key)
        remaining = [drop_zeros(_replace_unknown(form, key, pivot, scale), values) for form in remaining]
        remaining = [form for form in remaining if form]
        if not remaining:
            raise EquationError("the equations leave an unknown open")
    decisive = [form for form in remaining if (name,) in form]
    if not decisive:
        raise EquationError("the equations leave an unknown open")
    form = min(decisive, key=lambda one: sum(map(len, one.values())))
    return divide_trees(negate_tree(form.get((), ZERO)), form[(name,)])


def _replace_unknown(
    form: UnknownPolynomial, key: tuple[str, ...], pivot: Mapping[tuple[str, ...], Tree], scale: Tree
) -> UnknownPolynomial:
    if key not in form:
        return dict(form)
    factor = divide_trees(form[key], scale)
    result = {unknown: coefficient for unknown, coefficient in form.items() if unknown != key}
    for unknown, coefficient in pivot.items():
        result[unknown] = subtract_trees(result.get(unknown, ZERO), multiply_trees(factor, coefficient))
    return result


# Systems that are not linear: an unknown that some equation has once and alone is replaced by what that
# equation makes of it, until one equation has one unknown.


def _solve_polynomials(
    names: Sequence[str], given: Sequence[UnknownPolynomial], values: Sequence[ProblemValue]
) -> Iterator[UnknownSolution]:
    forms = [one for form in given if (one := drop_zeros(form, values))]
    if any({*form} == {()} for form in forms):
        return  # a number that should be zero is not
    if not names:
        yield {}
        return
    if not forms:
        raise EquationError("the equations leave an unknown open")
    if (choice := _choose_linear(names, forms)) is not None:
        yield from _solve_by_substitution(*choice, names, forms, values)
        return
    if single := [form for form in forms if len({name for key in form for name in key}) == 1]:
        form = min(single, key=lambda one: (max(map(len, one)), sum(map(len, one.values()))))
        yield from _solve_for_one(form, names, forms, values)
        return
    yield from _solve_for_squares(names, forms, values)


def _choose_linear(names: Sequence[str], forms: Sequence[UnknownPolynomial]) -> tuple[str, int] | None:
    """Return the simplest unknown that a form has only as a factor of degree one, and the form's index."""
    choices = []
    for index, form in enumerate(forms):
        for name in names:
            keys = [key for key in form if name in key]
            if keys and all(key.count(name) == 1 for key in keys):
                length = sum(map(len, form.values()))
                has_factor = any(len(key) > 1 for key in keys)
                choices.append((has_factor, len(keys) > 1, length, index, name))
    return (min(choices)[-1], min(choices)[-2]) if choices else None


def _solve_by_substitution(
    name: str,
    index: int,
    names: Sequence[str],
    forms: Sequence[UnknownPolynomial],
    values: Sequence[ProblemValue],
) -> Iterator[UnknownSolution]:
    # The form is factor * name + rest, so that the unknown is -rest / factor.
    factor: UnknownPolynomial = {}
    rest: UnknownPolynomial = {}
    for key, tree in forms[index].items():
        if name in key:
            factor[tuple(one for one in key if one != name)] = tree
        else:
            rest[key] = negate_tree(tree)
    if {*factor} == {()}:
        rest = {key: divide_trees(tree, factor[()]) for key, tree in rest.items()}
        factor = {(): ONE}
    others = [one for one in names if one != name]
    remaining = [
        _replace_in_polynomial(form, name, rest, factor) for at, form in enumerate(forms) if at != index
    ]
    for solution in _solve_polynomials(others, remaining, values):
        top, bottom = (_evaluate_polynomial(part, solution) for part in (rest, factor))
        if evaluate(bottom, values) != 0:
            yield {**solution, name: divide_trees(top, bottom)}


def _replace_in_polynomial(
    form: UnknownPolynomial, name: str, rest: UnknownPolynomial, factor: UnknownPolynomial
) -> UnknownPolynomial:
    """Return a polynomial with rest / factor for an unknown, multiplied by the factor until none divides."""
    # With x = r/f, a term c x^k of a polynomial of degree n in x becomes c r^k f^(n-k).
    degree = max((key.count(name) for key in form), default=0)
    result: UnknownPolynomial = {}
    for key, tree in form.items():
        power = key.count(name)
        term: UnknownPolynomial = {tuple(one for one in key if one != name): tree}
        term = multiply(term, multiply(raise_to(rest, power), raise_to(factor, degree - power)))
        result = add(result, term)
    return result


def _evaluate_polynomial(form: UnknownPolynomial, solution: UnknownSolution) -> Tree:
    total = ZERO
    for key, tree in form.items():
        for name in key:
            tree = multiply_trees(tree, solution[name])
        total = add_trees(total, tree)
    return total


def _solve_for_one(
    form: UnknownPolynomial,
    names: Sequence[str],
    forms: Sequence[UnknownPolynomial],
    values: Sequence[ProblemValue],
) -> Iterator[UnknownSolution]:
    """Solve the forms for the one unknown that one of them has, and then for the others."""
    (name,) = {one for key in form for one in key}
    degree = max(map(len, form))
    if degree > 2:
        if all(len(key) % 2 == 0 for key in form):
            yield from _solve_for_squares(names, forms, values)
            return
        raise EquationError(f"an equation of degree {degree} is not solved")
    others = [one for one in names if one != name]
    for root in _find_roots(
        form.get((name, name), ZERO), form.get((name,), ZERO), form.get((), ZERO), values
    ):
        remaining = [
            _replace_in_polynomial(one, name, {(): root}, {(): ONE}) for one in forms if one is not form
        ]
        for solution in _solve_polynomials(others, remaining, values):
            yield {**solution, name: root}


def _find_roots(square: Tree, linear: Tree, constant: Tree, values: Sequence[ProblemValue]) -> list[Tree]:
    """Return the real roots of square * x^2 + linear * x + constant."""
    # Without a linear term the root is taken directly: sqrt(-c/a), the shortest solution to read.
    if linear == ZERO:
        middle, root = ZERO, _take_root(divide_trees(negate_tree(constant), square), values)
        scale = ONE
    else:
        # (-b +- sqrt(b^2 - 4ac)) / 2a, as trees over the numbers of the problem.
        product = multiply_trees(multiply_trees(Tree("C_4"), square), constant)
        root = _take_root(subtract_trees(multiply_trees(linear, linear), product), values)
        middle, scale = negate_tree(linear), multiply_trees(TWO, square)
    if root is None:
        raise EquationError("the equations have no real solution")
    upper, lower = add_trees(middle, root), subtract_trees(middle, root)
    roots = [divide_trees(upper, scale), divide_trees(lower, scale)]
    # A double root is one solution.
    return roots[:1] if evaluate(root, values) == 0 else roots


def _take_root(tree: Tree, values: Sequence[ProblemValue]) -> Tree | None:
    return None if evaluate(tree, values) < 0 else work_out("^", tree, _HALF)


def _solve_for_squares(
    names: Sequence[str], forms: Sequence[UnknownPolynomial], values: Sequence[ProblemValue]
) -> Iterator[UnknownSolution]:
    """Solve forms for an unknown that occurs only squared: first for its square."""
    squared = next(
        (
            name
            for name in names
            if any(name in key for form in forms for key in form)
            and all(key.count(name) % 2 == 0 for form in forms for key in form)
        ),
        None,
    )
    if squared is None:
        raise EquationError("the equations are neither linear nor quadratic in one unknown")
    # x^2 is renamed to one unknown, which is linear then, and its root is taken at the end.
    square = squared + _SQUARE
    replaced = [
        {
            tuple(
                sorted([*(one for one in key if one != squared), *[square] * (key.count(squared) // 2)])
            ): tree
            for key, tree in form.items()
        }
        for form in forms
    ]
    others = [square if name == squared else name for name in names]
    for solution in _solve_polynomials(others, replaced, values):
        tree = solution.pop(square)
        with suppress(EquationError):
            if (root := _take_root(tree, values)) is not None:
                yield {**solution, squared: root}
                yield {**solution, squared: negate_tree(root)}
