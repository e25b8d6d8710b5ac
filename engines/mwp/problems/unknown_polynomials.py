"""Polynomials in the unknowns of equations, whose coefficients are equations over the numbers of a problem.

Operations on coefficients write nothing that is not needed: no sums with 0, no products with 1, constants
worked out.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from engines.core.tree import Tree
from engines.mwp.problems.problem import EquationError, ProblemValue, constant_label, evaluate

UNKNOWN = "?"
"""In front of the name of an unknown, in the labels of a tree."""
_MOST = 400
"""Nodes of a solution: more is no equation of a word problem."""
_LARGEST_POWER = 4

UnknownPolynomial = dict[tuple[str, ...], Tree]
"""Coefficients by the product of unknowns that they stand before, () for what stands alone."""
Rational = tuple[UnknownPolynomial, UnknownPolynomial]
ZERO, ONE, TWO = Tree("C_0"), Tree("C_1"), Tree("C_2")


def list_unknowns(tree: Tree) -> list[str]:
    """Return the names of the unknowns of a tree, in alphabetical order."""
    return sorted({node.label for node in tree if node.label.startswith(UNKNOWN)})


def to_polynomial(left: Tree, right: Tree, values: Sequence[ProblemValue]) -> UnknownPolynomial:
    """Return the polynomial that is zero where both sides of an equation are equal.

    Raises:
        EquationError: For what is no polynomial, also after the denominators are multiplied out.
    """
    (top, bottom), (other_top, other_bottom) = _to_rational(left, values), _to_rational(right, values)
    # p/q = r/s holds where p s = r q; solutions at which a denominator is 0 are refused by whoever
    # evaluates the result.
    if bottom != other_bottom:
        top, other_top = multiply(top, other_bottom), multiply(other_top, bottom)
    return drop_zeros(add(top, {key: negate_tree(tree) for key, tree in other_top.items()}), values)


def drop_zeros(form: UnknownPolynomial, values: Sequence[ProblemValue]) -> UnknownPolynomial:
    """Return a polynomial without coefficients that are zero.

    Raises:
        EquationError: For one that is too long.
    """
    if sum(map(len, form.values())) > _MOST:
        raise EquationError("the solution is too long")
    return {key: tree for key, tree in form.items() if evaluate(tree, values) != 0}


def _to_rational(tree: Tree, values: Sequence[ProblemValue]) -> Rational:
    if tree.label.startswith(UNKNOWN):
        return {(tree.label,): ONE}, {(): ONE}
    if not list_unknowns(tree):
        return {(): tree}, {(): ONE}
    left, right = tree.children
    top, bottom = _to_rational(left, values)
    if tree.label == "^":
        power = _read_power(right, values)
        return raise_to(top, power), raise_to(bottom, power)
    other_top, other_bottom = _to_rational(right, values)
    # Sums over a common denominator stay small: x/3 + y/3 is not multiplied out.
    match tree.label:
        case "+" | "-":
            if tree.label == "-":
                other_top = {key: negate_tree(one) for key, one in other_top.items()}
            if bottom == other_bottom:
                return add(top, other_top), bottom
            sum_ = add(multiply(top, other_bottom), multiply(other_top, bottom))
            return sum_, multiply(bottom, other_bottom)
        case "*":
            return multiply(top, other_top), multiply(bottom, other_bottom)
        case "/":
            # Division by a constant divides the coefficients, so that no unknown gets below a fraction bar.
            if {*other_top} == {()} and {*other_bottom} == {()}:
                divisor = divide_trees(other_top[()], other_bottom[()])
                return {key: divide_trees(one, divisor) for key, one in top.items()}, bottom
            return multiply(top, other_bottom), multiply(bottom, other_top)
    raise AssertionError("unreachable")


def _read_power(exponent: Tree, values: Sequence[ProblemValue]) -> int:
    if list_unknowns(exponent):
        raise EquationError("an unknown in an exponent is not solved for")
    value = evaluate(exponent, values)
    if value not in range(1, _LARGEST_POWER + 1):
        raise EquationError(f"an unknown raised to the power {float(value):.10g} is not solved for")
    return int(value)


def raise_to(form: UnknownPolynomial, power: int) -> UnknownPolynomial:
    """Return a polynomial multiplied by itself so often."""
    result: UnknownPolynomial = {(): ONE}
    for _ in range(power):
        result = multiply(result, form)
    return result


def add(left: UnknownPolynomial, right: UnknownPolynomial) -> UnknownPolynomial:
    """Return the sum of two polynomials."""
    result = dict(left)
    for key, tree in right.items():
        result[key] = add_trees(result[key], tree) if key in result else tree
    return result


def multiply(left: UnknownPolynomial, right: UnknownPolynomial) -> UnknownPolynomial:
    """Return the product of two polynomials.

    Raises:
        EquationError: For one that is too long.
    """
    result: UnknownPolynomial = {}
    for key, tree in left.items():
        for right_key, factor in right.items():
            result = add(result, {tuple(sorted(key + right_key)): multiply_trees(tree, factor)})
    if sum(map(len, result.values())) > _MOST:
        raise EquationError("the solution is too long")
    return result


def _value_of_constant(tree: Tree) -> Fraction | None:
    return Fraction(tree.label[2:].replace("_", ".")) if tree.label.startswith("C_") else None


def work_out(operator: str, left: Tree, right: Tree) -> Tree:
    """Return an operation, or the constant that it is where both sides are and it can be written as one."""
    tree = Tree(operator, (left, right))
    if _value_of_constant(left) is None or _value_of_constant(right) is None:
        return tree
    try:
        return Tree(constant_label(Fraction(evaluate(tree, ()))))
    except EquationError:
        return tree


def _is_negative(tree: Tree) -> bool:
    return tree.label == "-" and tree.children[0] == ZERO


def negate_tree(tree: Tree) -> Tree:
    """Return 0 minus a coefficient."""
    if tree == ZERO:
        return tree
    if tree.label == "-":
        left, right = tree.children
        return right if left == ZERO else Tree("-", (right, left))
    # A minus goes to the front or cancels: -(a * -b) is a * b. Coefficients become steps of a solution that
    # people read.
    if tree.label in "*/" and any(map(_is_negative, tree.children)):
        left, right = tree.children
        return (
            Tree(tree.label, (negate_tree(left), right))
            if _is_negative(left)
            else Tree(tree.label, (left, negate_tree(right)))
        )
    return Tree("-", (ZERO, tree))


def add_trees(left: Tree, right: Tree) -> Tree:
    """Return the sum of two coefficients."""
    if _is_negative(right):
        return subtract_trees(left, negate_tree(right))
    if _is_negative(left):
        return subtract_trees(right, negate_tree(left))
    if left == ZERO or right == ZERO:
        return right if left == ZERO else left
    return work_out("+", left, right)


def subtract_trees(left: Tree, right: Tree) -> Tree:
    """Return the difference of two coefficients."""
    if left == right:
        return ZERO
    if _is_negative(right):
        return add_trees(left, negate_tree(right))
    if _is_negative(left):
        return negate_tree(add_trees(negate_tree(left), right))
    if right == ZERO:
        return left
    return work_out("-", left, right)


def multiply_trees(left: Tree, right: Tree) -> Tree:
    """Return the product of two coefficients."""
    if left == ZERO or right == ZERO:
        return ZERO
    if _is_negative(left) or _is_negative(right):
        product = multiply_trees(*(negate_tree(one) if _is_negative(one) else one for one in (left, right)))
        return product if _is_negative(left) and _is_negative(right) else negate_tree(product)
    if left == ONE or right == ONE:
        return right if left == ONE else left
    if left.label == "/" and left.children[0] == ONE:
        return divide_trees(right, left.children[1])
    return work_out("*", left, right)


def divide_trees(left: Tree, right: Tree) -> Tree:
    """Return the quotient of two coefficients."""
    if left == ZERO:
        return left
    if right == ONE:
        return left
    if left == right:
        return ONE
    if _is_negative(left) and right.label == "-":
        return divide_trees(negate_tree(left), negate_tree(right))
    if _is_negative(left) or _is_negative(right):
        quotient = divide_trees(*(negate_tree(one) if _is_negative(one) else one for one in (left, right)))
        return quotient if _is_negative(left) and _is_negative(right) else negate_tree(quotient)
    # a / (1/b) is a * b.
    if right.label == "/" and right.children[0] == ONE:
        return multiply_trees(left, right.children[1])
    return work_out("/", left, right)
