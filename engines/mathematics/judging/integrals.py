"""Integrals by antiderivatives: of powers, and of powers times an exponential, a sine or a cosine.

They are exact, also inside of another integral and to infinity, where numerical integration is not. What
holds only where an integral converges is said by a term that is 0 there and undefined elsewhere:
`+ u * 0 ln a` is u where a > 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import factorial

from engines.core.tree import ONE, ZERO, Tree
from engines.mathematics.algebra.rational import (
    Space,
    TooLargeError,
    number_tree,
    rational_value,
    times_all,
    to_fraction,
)
from engines.mathematics.judging.limits import evaluate_limit
from engines.mathematics.judging.names import free_variables, replace_variable
from engines.mathematics.judging.numbers import NoValueError, compare_numbers, infinite_sign, is_number

_MINUS_ONE = Tree("-1")
_HIGHEST = 12
"""Powers of the variable before an exponential, sine or cosine."""


class _OtherIntegrandError(Exception):
    """An integrand is of a kind of which no antiderivative is known here."""


def evaluate_integral(tree: Tree) -> Tree | None:
    """Return the value of a definite integral, whose ends may be infinite; None where it is not found."""
    name, low, high, body = tree.children
    if name.label in free_variables(low, high):
        return None
    # One term without a value leaves the whole integral open, although the others have theirs: two terms that
    # diverge may cancel each other.
    total = ZERO
    try:
        for term in _split_sum(body, name.label):
            value = _integrate_gaussian(term, name.label, low, high) or _integrate_between(
                term, name.label, low, high
            )
            if value is None:
                return None
            total = value if total == ZERO else Tree("+", (total, value))
    except (_OtherIntegrandError, TooLargeError, NoValueError):
        return None
    return total


class _Term:
    """c x^p f(u), where c is free of x, and f(u) is 1, exp u, sin u or cos u."""

    def __init__(self, factor: Tree, power: Fraction, function: str = "", inner: Tree = ZERO) -> None:
        self.factor = factor
        self.power = power
        self.function = function
        self.inner = inner


def _split_sum(body: Tree, name: str) -> Iterator[_Term]:
    """Yield the terms of an integrand.

    Raises:
        _OtherIntegrandError: If one is of another kind.
    """
    space = Space([body])
    quotient = space.to_quotient(body)
    below = [_read_factors(row, name) for row in _list_rows(space, quotient.bottom)]
    # Over a denominator of several terms the integrand is no sum of the kind c x^p f(u).
    if len(below) != 1:
        raise _OtherIntegrandError
    for row in _list_rows(space, quotient.top):
        above = _read_factors(row, name)
        if below[0].function:
            raise _OtherIntegrandError
        factor = Tree("/", (above.factor, below[0].factor))
        yield _Term(factor, above.power - below[0].power, above.function, above.inner)


_Row = tuple[Fraction, Mapping[Tree, int]]


def _list_rows(space: Space, polynomial: object) -> Iterator[_Row]:
    for exponents, c in polynomial.to_dict().items():  # type: ignore[attr-defined]
        atoms = {atom: int(n) for atom, n in zip(space.atoms, exponents, strict=False) if n}
        yield to_fraction(c), atoms


def _read_factors(row: _Row, name: str) -> _Term:
    coefficient, atoms = row
    factors, power, function, inner = [number_tree(coefficient)], Fraction(0), "", ZERO
    for atom, exponent in atoms.items():
        if name not in free_variables(atom):
            factors.append(atom if exponent == 1 else Tree("pow", (atom, Tree(str(exponent)))))
            continue
        own = _read_power(atom, name)
        if own is not None:
            power += own * exponent
            continue
        # Exponentials are multiplied by adding their exponents; a second sine or cosine would need a product
        # formula.
        is_exponential = atom.label == "pow" and atom.children[0].label == "e"
        if is_exponential and function in ("", "exp"):
            times = Tree("*", (Tree(str(exponent)), atom.children[1]))
            inner = times if not function else Tree("+", (inner, times))
            function = "exp"
        elif atom.label in ("sin", "cos") and exponent == 1 and not function:
            function, inner = atom.label, atom.children[0]
        else:
            raise _OtherIntegrandError
    return _Term(times_all(factors), power, function, inner)


def _read_power(atom: Tree, name: str) -> Fraction | None:
    """Return the exponent of the variable in `x`, `sqrt x` or `pow x p`."""
    if atom.label == name:
        return Fraction(1)
    if atom.label == "sqrt" and atom.children[0].label == name:
        return Fraction(1, 2)
    if atom.label == "pow" and atom.children[0].label == name:
        return rational_value(atom.children[1])
    return None


def _list_coefficients(tree: Tree, name: str) -> list[Tree] | None:
    """Return the coefficients of a polynomial in the variable by rising powers; None for other terms."""
    space = Space([tree])
    quotient = space.to_quotient(tree)
    # An atom such as sin x hides the variable: the term is no polynomial in it then.
    others = [atom for atom in space.atoms if atom.label != name]
    if any(name in free_variables(atom) for atom in others) or Tree(name) not in space.atoms:
        return None
    position = space.atoms.index(Tree(name))
    rows: dict[int, dict[tuple[int, ...], object]] = {}
    if any(exponents[position] for exponents in quotient.bottom.to_dict()):
        return None
    for exponents, c in quotient.top.to_dict().items():
        rest = tuple(0 if k == position else n for k, n in enumerate(exponents))
        rows.setdefault(int(exponents[position]), {})[rest] = c
    return [
        space.to_tree(space.reduce_quotient(space.make_polynomial(rows[n]), quotient.bottom))
        if n in rows
        else ZERO
        for n in range(max(rows) + 1)
    ]


def _integrate_between(term: _Term, name: str, low: Tree, high: Tree) -> Tree | None:
    """Return the integral of c x^p f(a x + b) between two ends."""
    if not term.function:
        return _integrate_power(term, name, low, high)
    # Only a linear argument: then f has elementary antiderivatives, each divided by the slope.
    linear = _list_coefficients(term.inner, name)
    power = int(term.power)
    if linear is None or len(linear) != 2 or term.power != power or not 0 <= power <= _HIGHEST:
        return None
    slope = linear[1]
    antiderivative = _integrate_by_parts(name, power, term.function, term.inner, slope)
    values, condition = [], None
    for end, towards in ((high, 1), (low, -1)):
        if not infinite_sign(end):
            values.append(replace_variable(antiderivative, name, end))
        # exp(a x + b) vanishes at this end only if a has the opposite sign, which may depend on letters. So 0
        # times the logarithm of ±a is added: nothing where the condition holds, and undefined where it fails.
        elif term.function == "exp" and infinite_sign(end) == towards:
            values.append(ZERO)  # where the exponent falls without bound
            condition = Tree("*", (Tree(str(-towards)), slope))
        else:
            return None
    total = Tree("*", (term.factor, Tree("-", (values[0], values[1]))))
    if condition is None:
        return total
    return Tree("+", (total, Tree("*", (ZERO, Tree("ln", (condition,))))))


def _integrate_by_parts(name: str, power: int, function: str, inner: Tree, slope: Tree) -> Tree:
    """Return an antiderivative of x^n f(a x + b): Σ (-1)^k n!/(n - k)! x^(n - k) F_k / a^(k + 1)."""
    u = Tree("pow", (Tree("e"), inner)) if function == "exp" else None
    # the antiderivatives of sin and cos, with their signs, one after the other
    cycle = {"sin": ("-cos", "-sin", "cos", "sin"), "cos": ("sin", "-cos", "-sin", "cos")}.get(function)
    total = ZERO
    for k in range(power + 1):
        if u is not None or cycle is None:
            sign, value = 1, u
        else:
            named = cycle[k % 4]
            sign, value = (-1 if named[0] == "-" else 1), Tree(named.removeprefix("-"), (inner,))
        assert value is not None
        number = number_tree(Fraction((-1) ** k * sign * factorial(power), factorial(power - k)))
        x = Tree("pow", (Tree(name), Tree(str(power - k)))) if power > k else ONE
        part = Tree("/", (times_all([number, x, value]), Tree("pow", (slope, Tree(str(k + 1))))))
        total = part if total == ZERO else Tree("+", (total, part))
    return total


def _integrate_power(term: _Term, name: str, low: Tree, high: Tree) -> Tree | None:
    """Return the integral of c x^p: by x^(p + 1)/(p + 1), or ln |x| where p = -1."""
    power = term.power
    whole = power.denominator == 1
    if (power < 0 or not whole) and not _is_beside_zero(low, high, both=whole):
        return None
    if power == -1:
        antiderivative = Tree("ln", (Tree("abs", (Tree(name),)),))
    else:
        raised = Tree("pow", (Tree(name), number_tree(power + 1)))
        antiderivative = Tree("/", (raised, number_tree(power + 1)))
    values = []
    # At an end where the antiderivative has no value its limit from inside is taken; an infinite one means
    # that the integral diverges.
    for end, side in ((high, "-"), (low, "+")):
        if infinite_sign(end) or (power < 0 and end == ZERO):
            value = evaluate_limit(Tree("limit", (Tree(name), end, Tree(side), antiderivative)))
            if value is None or infinite_sign(value):
                return None
        else:
            value = replace_variable(antiderivative, name, end)
        values.append(value)
    return Tree("*", (term.factor, Tree("-", (values[0], values[1]))))


def _is_beside_zero(low: Tree, high: Tree, *, both: bool) -> bool:
    """Return whether an interval lies on one side of 0, the positive one unless both are allowed."""
    signs = []
    for end in (low, high):
        sign = compare_numbers(end, ZERO) if infinite_sign(end) or is_number(end) else None
        if sign is None:
            return False
        signs.append(sign)
    return min(signs) >= 0 or (both and max(signs) <= 0)


def _integrate_gaussian(term: _Term, name: str, low: Tree, high: Tree) -> Tree | None:
    """Return the integral of c x^n exp(-a x^2) over all numbers or the positive ones, where a > 0.

    It is Γ((n + 1)/2) / a^((n + 1)/2) over all numbers for an even n, and half of it over the positive ones.
    """
    from_zero = low == ZERO
    if term.function != "exp" or infinite_sign(high) != 1 or not (from_zero or infinite_sign(low) == -1):
        return None
    rows = _list_coefficients(term.inner, name)
    power = term.power
    if rows is None or len(rows) != 3 or rows[1] != ZERO or power.denominator != 1 or power < 0:
        return None
    a = Tree("*", (_MINUS_ONE, rows[2]))
    # An odd integrand over all numbers: 0, as long as a > 0 makes it converge.
    if not from_zero and power % 2:
        return Tree("*", (ZERO, Tree("ln", (a,))))
    half = number_tree((power + 1) / 2)
    value = Tree("/", (Tree("gamma", (half,)), Tree("pow", (a, half))))
    factor = times_all([term.factor, Tree("pow", (Tree("e"), rows[0]))])
    result = Tree("*", (factor, Tree("/", (value, Tree("2"))) if from_zero else value))
    return Tree("+", (result, Tree("*", (ZERO, Tree("ln", (a,))))))
