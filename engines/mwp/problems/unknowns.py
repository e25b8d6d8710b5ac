"""Equations that hold unknowns, solved over the numbers of a problem: `N_0+x=N_1` is x = N_1-N_0.

What is linear in its unknowns, also after the denominators are multiplied out, is solved by elimination,
symbolically, so that the result is an equation like any other. Each solution is put into the equations again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from engines.core.tree import Tree
from engines.mwp.problems.problem import EquationError, ProblemValue, constant_label, evaluate

UNKNOWN = "?"
"""In front of the name of an unknown, in the labels of a tree."""
_MOST = 400
"""Nodes of a solution: more is no equation of a word problem."""
_MOST_UNKNOWNS = 6

UnknownPolynomial = dict[tuple[str, ...], Tree]
"""Coefficients by the product of unknowns that they stand before, () for what stands alone."""
Rational = tuple[UnknownPolynomial, UnknownPolynomial]
_ZERO, _ONE = Tree("C_0"), Tree("C_1")


def list_unknowns(tree: Tree) -> list[str]:
    """Return the names of the unknowns of a tree, in alphabetical order."""
    return sorted({node.label for node in tree if node.label.startswith(UNKNOWN)})


def solve_unknowns(sides: Sequence[tuple[Tree, Tree]], values: Sequence[ProblemValue]) -> dict[str, Tree]:
    """Return each unknown as an equation over the numbers of the text.

    Args:
        sides: The left and the right side of each equation.
        values: Of the numbers of the text; they say which coefficients are zero.

    Raises:
        EquationError: For what is not linear, has no solution or not exactly one, or is too long.

    >>> from engines.mwp.problems.problem import to_infix
    >>> x, sides = Tree("?x"), (Tree("+", (Tree("?x"), Tree("N_0"))), Tree("N_1"))
    >>> to_infix(solve_unknowns([sides], [Fraction(6), Fraction(15)])["?x"])
    'N_1-N_0'
    """
    names = sorted({name for pair in sides for side in pair for name in list_unknowns(side)})
    if not names or len(names) > _MOST_UNKNOWNS:
        raise EquationError(f"the equations have {len(names)} unknowns")
    occurrences = [label for pair in sides for side in pair for label in side.list_labels()]
    if len(sides) == 1 and len(names) == 1 and occurrences.count(names[0]) == 1:
        solution = {names[0]: _isolate(*sides[0], names[0])}
    else:
        forms = [_to_linear_form(left, right, values) for left, right in sides]
        solution = {name: _eliminate_others(name, forms, values) for name in names}
    for left, right in sides:
        ours, theirs = (evaluate(_substitute(side, solution), values) for side in (left, right))
        if abs(float(ours) - float(theirs)) > 1e-9 * max(1.0, abs(float(theirs))):
            raise EquationError("the equations contradict each other")
    return solution


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


def _isolate(left: Tree, right: Tree, name: str) -> Tree:
    """Return what the one unknown is that occurs once: each operation is undone on the other side."""
    node, rest = (left, right) if name in left.list_labels() else (right, left)
    while node.children:
        first, second = node.children
        in_first = name in first.list_labels()
        match node.label, in_first:
            case "+", _:
                rest = _subtract(rest, second if in_first else first)
            case "-", True:
                rest = _add(rest, second)
            case "-", False:
                rest = _subtract(first, rest)
            case "*", _:
                rest = _divide(rest, second if in_first else first)
            case "/", True:
                rest = _multiply(rest, second)
            case "/", False:
                rest = _divide(first, rest)
            case _:
                raise EquationError("an unknown under a power is not solved for")
        node = first if in_first else second
    return rest


def _eliminate_others(name: str, forms: Sequence[UnknownPolynomial], values: Sequence[ProblemValue]) -> Tree:
    """Solve linear forms, each of which is zero, for one unknown."""
    remaining = list(forms)
    while others := {key for form in remaining for key in form if key not in ((), (name,))}:
        choices = [
            (form[key] not in (_ONE, _negate(_ONE)), len(form[key]), index, key)
            for index, form in enumerate(remaining)
            for key in sorted(others)
            if key in form
        ]
        *_, index, key = min(choices)
        pivot = dict(remaining.pop(index))
        # The unknown of the pivot is the rest of its form by its coefficient.
        scale = pivot.pop(key)
        remaining = [_drop_zeros(_replace_unknown(form, key, pivot, scale), values) for form in remaining]
        remaining = [form for form in remaining if form]
        if not remaining:
            raise EquationError("the equations leave an unknown open")
    decisive = [form for form in remaining if (name,) in form]
    if not decisive:
        raise EquationError("the equations leave an unknown open")
    form = min(decisive, key=lambda one: sum(map(len, one.values())))
    return _divide(_negate(form.get((), _ZERO)), form[(name,)])


def _replace_unknown(
    form: UnknownPolynomial, key: tuple[str, ...], pivot: Mapping[tuple[str, ...], Tree], scale: Tree
) -> UnknownPolynomial:
    if key not in form:
        return dict(form)
    factor = _divide(form[key], scale)
    result = {other: coefficient for other, coefficient in form.items() if other != key}
    for other, coefficient in pivot.items():
        result[other] = _subtract(result.get(other, _ZERO), _multiply(factor, coefficient))
    return result


def _to_linear_form(left: Tree, right: Tree, values: Sequence[ProblemValue]) -> UnknownPolynomial:
    (top, bottom), (other_top, other_bottom) = _to_rational(left), _to_rational(right)
    if bottom != other_bottom:
        top, other_top = _times(top, other_bottom), _times(other_top, bottom)
    form = _drop_zeros(_plus(top, {key: _negate(tree) for key, tree in other_top.items()}), values)
    if any(len(key) > 1 for key in form):
        raise EquationError("an equation is not linear in its unknowns")
    return form


def _drop_zeros(form: UnknownPolynomial, values: Sequence[ProblemValue]) -> UnknownPolynomial:
    if sum(map(len, form.values())) > _MOST:
        raise EquationError("the solution is too long")
    return {key: tree for key, tree in form.items() if evaluate(tree, values) != 0}


def _to_rational(tree: Tree) -> Rational:
    if tree.label.startswith(UNKNOWN):
        return {(tree.label,): _ONE}, {(): _ONE}
    if not list_unknowns(tree):
        return {(): tree}, {(): _ONE}
    (top, bottom), (other_top, other_bottom) = (_to_rational(child) for child in tree.children)
    match tree.label:
        case "+" | "-":
            if tree.label == "-":
                other_top = {key: _negate(one) for key, one in other_top.items()}
            if bottom == other_bottom:
                return _plus(top, other_top), bottom
            return _plus(_times(top, other_bottom), _times(other_top, bottom)), _times(bottom, other_bottom)
        case "*":
            return _times(top, other_top), _times(bottom, other_bottom)
        case "/":
            if {*other_top} == {()} and {*other_bottom} == {()}:
                divisor = _divide(other_top[()], other_bottom[()])
                return {key: _divide(one, divisor) for key, one in top.items()}, bottom
            return _times(top, other_bottom), _times(bottom, other_top)
    raise EquationError("an unknown under a power is not solved for")


def _plus(left: UnknownPolynomial, right: UnknownPolynomial) -> UnknownPolynomial:
    result = dict(left)
    for key, tree in right.items():
        result[key] = _add(result[key], tree) if key in result else tree
    return result


def _times(left: UnknownPolynomial, right: UnknownPolynomial) -> UnknownPolynomial:
    result: UnknownPolynomial = {}
    for key, tree in left.items():
        for other, factor in right.items():
            result = _plus(result, {tuple(sorted(key + other)): _multiply(tree, factor)})
    if sum(map(len, result.values())) > _MOST:
        raise EquationError("the solution is too long")
    return result


# Operations that write nothing that is not needed: no sums with 0, no products with 1, constants worked out.


def _value_of_constant(tree: Tree) -> Fraction | None:
    return Fraction(tree.label[2:].replace("_", ".")) if tree.label.startswith("C_") else None


def _work_out(operator: str, left: Tree, right: Tree) -> Tree:
    """Return an operation, or the constant that it is where both sides are and it can be written as one."""
    tree = Tree(operator, (left, right))
    if _value_of_constant(left) is None or _value_of_constant(right) is None:
        return tree
    try:
        return Tree(constant_label(Fraction(evaluate(tree, ()))))
    except EquationError:
        return tree


def _is_negative(tree: Tree) -> bool:
    return tree.label == "-" and tree.children[0] == _ZERO


def _negate(tree: Tree) -> Tree:
    if tree == _ZERO:
        return tree
    if tree.label == "-":
        left, right = tree.children
        return right if left == _ZERO else Tree("-", (right, left))
    if tree.label in "*/" and any(map(_is_negative, tree.children)):
        left, right = tree.children
        return (
            Tree(tree.label, (_negate(left), right))
            if _is_negative(left)
            else Tree(tree.label, (left, _negate(right)))
        )
    return Tree("-", (_ZERO, tree))


def _add(left: Tree, right: Tree) -> Tree:
    if _is_negative(right):
        return _subtract(left, _negate(right))
    if _is_negative(left):
        return _subtract(right, _negate(left))
    if left == _ZERO or right == _ZERO:
        return right if left == _ZERO else left
    return _work_out("+", left, right)


def _subtract(left: Tree, right: Tree) -> Tree:
    if left == right:
        return _ZERO
    if _is_negative(right):
        return _add(left, _negate(right))
    if _is_negative(left):
        return _negate(_add(_negate(left), right))
    if right == _ZERO:
        return left
    return _work_out("-", left, right)


def _multiply(left: Tree, right: Tree) -> Tree:
    if left == _ZERO or right == _ZERO:
        return _ZERO
    if _is_negative(left) or _is_negative(right):
        product = _multiply(*(_negate(one) if _is_negative(one) else one for one in (left, right)))
        return product if _is_negative(left) and _is_negative(right) else _negate(product)
    if left == _ONE or right == _ONE:
        return right if left == _ONE else left
    if left.label == "/" and left.children[0] == _ONE:
        return _divide(right, left.children[1])
    return _work_out("*", left, right)


def _divide(left: Tree, right: Tree) -> Tree:
    if left == _ZERO:
        return left
    if right == _ONE:
        return left
    if left == right:
        return _ONE
    if _is_negative(left) and right.label == "-":
        return _divide(_negate(left), _negate(right))
    if _is_negative(left) or _is_negative(right):
        quotient = _divide(*(_negate(one) if _is_negative(one) else one for one in (left, right)))
        return quotient if _is_negative(left) and _is_negative(right) else _negate(quotient)
    if right.label == "/" and right.children[0] == _ONE:
        return _multiply(left, right.children[1])
    return _work_out("/", left, right)
