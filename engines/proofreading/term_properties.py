"""Terms of a text: what they are, what they are worth, and which letters are matrices.

Values are in floating point: quick, to find what a rigorous judge then shows.
"""

from __future__ import annotations

import cmath
import math
import operator
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache, lru_cache, partial, reduce
from itertools import product, repeat
from random import Random

from engines.core.errors import EngineError
from engines.core.tree import ONE, Tree, differentiate
from engines.documents.reading import Document
from engines.formula.cursor import ELLIPSIS, SAID
from engines.mathematics.algebra.rational import Space, TooLargeError
from engines.mathematics.judging.names import EMPTY, free_variables, replace_variable
from engines.mathematics.judging.shapes import choose_signs
from engines.proofreading.chains import SENTENCE_BREAK
from engines.proofreading.cue_phrases import mentions
from engines.proofreading.operation_values import OF_COMPLEX, OF_REAL

AMBIGUOUS_LABELS = frozenset(("pm", "unit", "text", "abs", "call"))
OF_ANGLES = frozenset(("sin", "cos", "tan", "cot", "sec", "csc"))
LOG = re.compile(r"(?:\\lo?g|(?<![A-Za-z\\])log)(?![A-Za-z]|\s*_)")
"""A logarithm whose base is not written: e, 10 or 2."""
DEGREES = re.compile(
    r"\^\s*(?:\\circ(?![A-Za-z])|\{\s*\\circ\s*\})|\\degree(?![A-Za-z])|°|\^\s*\{\s*\\text\s*\{o\}\s*\}"
)
DECIMAL = re.compile(r"-?\d*\.(\d+)\Z")
WHOLE = re.compile(r"-?\d{1,12}\Z")
_LONG_WHOLE = re.compile(r"-?\d{1,2000}\Z")
_LONGEST_INDEX = 3
_TENSOR_INDICES = frozenset("ijklmpqrs0123456789")
_CONSTANTS = {"pi": math.pi, "e": math.e}
_CLOSE, _APART, _ROUNDED = 1e-9, 1e-3, 0.02
_MOST_TERMS = 100
"""Of a sum or product whose value is asked for."""


@lru_cache(8192)
def free_symbols(tree: Tree) -> frozenset[str]:
    """Return the variables that occur free in a term; functions of which nothing is known count by their
    names."""
    called = {f"{node.children[0].label}(" for node in tree if node.label == "call"}
    return frozenset(free_variables(tree) | called)


def is_ambiguous(tree: Tree) -> bool:
    """Return whether a term can be meant in several ways: with units, signs ±, angles that may be in
    degrees."""
    angles = list_angles(tree)
    plain = [each for each in angles if "pi" not in each.list_labels() and not free_symbols(each)]
    return any(evaluate_term(each, {}) != 0 for each in plain) or not AMBIGUOUS_LABELS.isdisjoint(
        tree.list_labels()
    )


def list_angles(tree: Tree) -> list[Tree]:
    """Return the arguments of the functions of angles in a term; a name without one has none."""
    return [node.children[0] for node in tree if node.label in OF_ANGLES and node.children]


def has_opposite_angle(tree: Tree) -> bool:
    """Return whether a term has a function of an angle with a minus: `sin(-x)`."""
    return any(angle.label == "*" and angle.children[0].label == "-1" for angle in list_angles(tree))


def is_power_of_ten(tree: Tree) -> bool:
    """Return whether a term is 10 to a number, as in 3 × 10⁸."""
    return tree.label == "pow" and tree.children[0].label == "10" and not free_symbols(tree.children[1])


def is_measured(calculated: Tree, written: Tree) -> bool:
    """Return whether a decimal number is near a value that has fewer decimals: nobody calculates it so.

    >>> is_measured(Tree("4"), Tree("4.017")), is_measured(Tree("2.5"), Tree("2.6"))
    (True, False)
    """
    shown, value = DECIMAL.match(written.label), evaluate_term(calculated, {})
    if written.children or shown is None or value is None:
        return False
    fewer = round(value, len(shown[1]) - 1)
    near = abs(float(written.label) - value) <= _ROUNDED * abs(value)
    return near and abs(fewer - value) <= _CLOSE * (1 + abs(value))


def is_slope(tree: Tree) -> bool:
    """Return whether a term is a derivative, in its variables, or a list of them, as a gradient is."""
    if tree.label == "tuple":
        return all(map(is_slope, tree.children))
    return tree.label == "d" or (tree.label == "call" and tree.children[0].label.endswith("'"))


def are_renamed(left: Tree, right: Tree) -> bool:
    """Return whether two terms are alike but for the names of variables, each of which has one other name.

    >>> x, y, two = Tree("x"), Tree("y"), Tree("2")
    >>> are_renamed(Tree("/", (two, x)), Tree("/", (two, y)))
    True
    >>> are_renamed(Tree("/", (two, x)), Tree("/", (x, two)))
    False
    """
    names: dict[str, str] = {}

    def match(one: Tree, other: Tree) -> bool:
        if one.children or other.children:
            alike = one.label == other.label and len(one.children) == len(other.children)
            return alike and all(map(match, one.children, other.children))
        if not (free_symbols(one) and free_symbols(other)):
            return one == other
        return names.setdefault(one.label, other.label) == other.label

    return left != right and match(left, right) and len({*names.values()}) == len(names)


def has_summed_index(left: Tree, right: Tree) -> bool:
    """Return whether letters stand twice as indices on one side of an equation, and not on the other: of
    tensors such indices are summed over.

    >>> a, b, t = Tree("a_ij"), Tree("b_j"), Tree("t_i")
    >>> has_summed_index(Tree("*", (a, b)), t), has_summed_index(Tree("*", (a, t)), Tree("a_j"))
    (True, True)
    >>> has_summed_index(Tree("*", (b, b)), b)
    False
    """
    counts = [
        Counter(index for node in side for index in _list_tensor_indices(node)) for side in (left, right)
    ]
    # What a sum or product runs over is written out.
    bound = {
        node.children[0].label for side in (left, right) for node in side if node.label in ("sum", "prod")
    }
    summed = [{index for index, count in one.items() if count == 2} - bound for one in counts]
    return any(own - other.keys() for own, other in zip(summed, counts[::-1], strict=True))


def _list_tensor_indices(node: Tree) -> str:
    """Return the letters of an index such as pq or i, which stand for numbers."""
    index = "" if node.children else node.label.partition("_")[2]
    plain = len(index) <= _LONGEST_INDEX and set(index) <= _TENSOR_INDICES
    return "".join(filter(str.isalpha, index)) if plain and len({*index}) == len(index) else ""


def find_units(tree: Tree) -> set[Tree]:
    """Return the units and texts of a term."""
    return {node for node in tree if node.label in ("unit", "text")}


def remove_units(tree: Tree) -> Tree:
    r"""Return a quantity without the factors and divisors that are units.

    >>> from engines.formula.reader import read
    >>> remove_units(read(r"22.2\,\text{m/s}").tree).list_labels()
    ['22.2']
    """
    if tree.label == "pow":
        base = remove_units(tree.children[0])
        return ONE if base == ONE else Tree("pow", (base, tree.children[1]))
    if tree.label not in ("*", "/"):
        return ONE if tree.label == "unit" else tree
    first, second = map(remove_units, tree.children)
    if second == ONE:
        return first
    return second if first == ONE and tree.label == "*" else Tree(tree.label, (first, second))


def count_members(tree: Tree) -> Tree:
    r"""Return a term in which finite sets between bars are replaced by their numbers of members.

    >>> from engines.formula.reader import read
    >>> count_members(read(r"|\{1, 2, 4\}| + |\emptyset|").tree).list_labels()
    ['+', '3', '0']
    """
    if tree.label == "abs" and tree.children[0].label in EMPTY:
        members = tree.children[0].children
        if len(set(members)) == len(members) and all(WHOLE.match(one.label) for one in members):
            return Tree(str(len(members)))
    return Tree(tree.label, tuple(map(count_members, tree.children)))


def count_terms(tree: Tree) -> int:
    """Return how many terms the sums and products of a term have, those inside others multiplied."""
    inside = max(map(count_terms, tree.children), default=1)
    if tree.label not in ("sum", "prod") or len(tree.children) != 4:
        return inside
    ends = [each.label for each in tree.children[1:3]]
    span = int(ends[1]) - int(ends[0]) + 1 if all(WHOLE.match(end) for end in ends) else 50
    return inside * max(1, span)


def are_exactly_equal(left: Tree, right: Tree) -> bool | None:
    """Return whether exact algebra shows two terms equal; False for rational functions that differ, None
    where it decides nothing."""
    if left == right:
        return True
    try:
        space = Space((left, right))
        apart = space.combine_quotients("-", space.to_quotient(left), space.to_quotient(right)).top
    except (TooLargeError, OverflowError, ZeroDivisionError, EngineError, RecursionError):
        return None
    if apart.is_zero():
        # Atoms commute, and matrices need not.
        return True if sum("matrix" in atom.list_labels() for atom in space.atoms) < 2 else None
    return False if all(not atom.children and free_symbols(atom) for atom in space.atoms) else None


def list_divisors(tree: Tree) -> frozenset[Tree]:
    """Return the factors with variables that a term divides by, without their powers.

    >>> from engines.formula.reader import read
    >>> sorted(len(factor) for factor in list_divisors(read("a/(2b) - (x^2-1)/((x-1)^3 c)").tree))
    [1, 1, 3]
    """
    result: set[Tree] = set()
    waiting: list[Tree] = []
    for node in tree:
        if node.label == "/":
            waiting.append(node.children[1])
        elif node.label == "pow" and node.children[1].label.startswith("-"):
            waiting.append(node.children[0])
    for node in waiting:
        if node.label in ("*", "/"):
            waiting += node.children
        elif node.label == "pow":
            waiting.append(node.children[0])
        elif free_symbols(node):
            result.add(node)
    return frozenset(result)


def constant_gap(left: Tree, right: Tree) -> str:
    """Return the number by which two rational functions differ everywhere, or "" if there is none.

    >>> from engines.formula.reader import read
    >>> constant_gap(read("x-(x-2)").tree, Tree("1")), constant_gap(Tree("x"), Tree("1"))
    ('1', '')
    """
    try:
        space = Space((left, right))
        apart = space.combine_quotients("-", space.to_quotient(left), space.to_quotient(right))
    except (TooLargeError, OverflowError, ZeroDivisionError, EngineError, RecursionError):
        return ""
    fixed = apart.top.is_constant() and apart.bottom.is_constant() and not apart.top.is_zero()
    return str(evaluate_term(space.to_tree(apart), {}) or "").removesuffix(".0") if fixed else ""


def is_expansion(left: Tree, right: Tree) -> bool:
    """Return whether a product of sums is written as a sum of products, all of one degree in several
    variables."""
    if free_symbols(left) != free_symbols(right) or len(free_symbols(left)) < 2 or right.label not in "+-":
        return False
    sums = [each for each in (left, *left.children) if each.label in ("+", "-") and len(each.children) > 1]
    nested = any(each.label in "+-" and each.children for node in right.children for each in node.children)
    if left.label not in ("*", "pow") or not sums or nested:
        return False
    space = Space((left, right))
    degrees = {sum(powers) for side in (left, right) for powers in space.to_quotient(side).top.monoms()}
    return len(degrees) == 1


# ---- values


class _NoValueError(ValueError):
    pass


def evaluate_term(tree: Tree, at: Mapping[str, float]) -> float | None:
    """Return the value of a term; None where it has none that is known. Units count as 1.

    >>> evaluate_term(Tree("+", (Tree("x"), Tree("1"))), {"x": 2})
    3.0
    """
    with suppress(ArithmeticError, LookupError, ValueError, RecursionError):
        result = float(_evaluate_node(tree, at))
        if math.isfinite(result):
            return result
    return None


def _evaluate_node(tree: Tree, at: Mapping[str, float]) -> float:
    label, parts = tree.label, tree.children
    if not parts:
        if label in at:
            return at[label]
        if label in _CONSTANTS:
            return _CONSTANTS[label]
        if label[0] in "-.0123456789":
            return float(label)
        raise _NoValueError
    if label == "+":
        return sum([_evaluate_node(part, at) for part in parts])
    if label == "*":
        return math.prod([_evaluate_node(part, at) for part in parts])
    if label == "unit":
        return 1.0
    if label in ("sum", "prod"):
        return _evaluate_total(tree, at)
    if label == "det":
        return _evaluate_determinant(parts[0], at)
    if label == "integral":
        return _evaluate_integral(tree, at)
    if label == "d":
        return _evaluate_node(differentiate(parts[1], parts[0].label), at)
    if label == "call":
        name = f"{parts[0].label}("
        if name not in at:
            raise _NoValueError
        return _call_any(at[name], [_evaluate_node(part, at) for part in parts[1:]])
    return apply_label(label, [_evaluate_node(part, at) for part in parts])


def has_empty_range(tree: Tree) -> bool:
    """Return whether a term integrates from a place to the same place, or adds up from a number to a smaller
    one, which is 0 whatever is integrated or added."""
    return any(
        (node.label == "integral" and are_exactly_equal(*node.children[1:3]))
        or (node.label == "sum" and _is_empty_sum(*node.children[1:3]))
        for node in tree
    )


def _is_empty_sum(first: Tree, last: Tree) -> bool:
    ends = [int(end.label) for end in (first, last) if WHOLE.match(end.label)]
    return len(ends) == 2 and ends[0] > ends[1]


def evaluate_complex(tree: Tree, at: Mapping[str, complex]) -> complex | None:
    """Return the value of a term with imaginary numbers; None where it has operations of real numbers only.

    >>> abs(evaluate_complex(Tree("exp", (Tree("*", (Tree("i"), Tree("pi"))),)), {}) + 1) < 1e-12
    True
    """
    with suppress(ArithmeticError, LookupError, ValueError, RecursionError):
        result = _evaluate_complex_node(tree, at)
        if cmath.isfinite(result):
            return result
    return None


def _evaluate_complex_node(tree: Tree, at: Mapping[str, complex]) -> complex:
    label, parts = tree.label, tree.children
    if not parts:
        return 1j if label == "i" else at[label] if label in at else _evaluate_node(tree, {})
    if label == "call" and f"{parts[0].label}(" in at:
        seed, values = at[f"{parts[0].label}("], [_evaluate_complex_node(part, at) for part in parts[1:]]
        return sum(cmath.sin(seed * value + place) for place, value in enumerate(values, 1))
    if label not in OF_COMPLEX:
        return _evaluate_node(tree, {name: one.real for name, one in at.items() if not one.imag})
    values = [_evaluate_complex_node(part, at) for part in parts]
    return OF_COMPLEX[label](*values)


def _evaluate_total(tree: Tree, at: Mapping[str, float]) -> float:
    if len(tree.children) != 4:
        raise _NoValueError
    name, low, high, body = tree.children
    first, last = (_evaluate_node(end, at) for end in (low, high))
    if first != int(first) or last != int(last) or last - first > _MOST_TERMS:
        raise _NoValueError
    if first > last:
        return 0.0 if tree.label == "sum" else 1.0
    term = _bind_values(body, name.label, at)
    values = (term(float(number)) for number in range(int(first), int(last) + 1))
    return sum(values) if tree.label == "sum" else math.prod(values)


def _evaluate_integral(tree: Tree, at: Mapping[str, float]) -> float:
    name, low, high, body = tree.children
    if any(node.label in ("integral", "sum", "prod") for node in body):
        raise _NoValueError
    first, last = (_evaluate_node(end, at) for end in (low, high))
    middle, half = (first + last) / 2, (last - first) / 2
    places, weights = _gauss_rule()
    integrand = _bind_values(body, name.label, at)
    return half * sum(
        weight * integrand(middle + half * place) for place, weight in zip(places, weights, strict=True)
    )


def _bind_values(tree: Tree, name: str, at: Mapping[str, float]) -> Callable[[float], float]:
    """Return a term as a function of one variable, to evaluate it at many values: what does not vary is
    worked out once."""
    bound = _bind_node(tree, name, at)
    return bound if callable(bound) else lambda _: bound


def _bind_node(tree: Tree, name: str, at: Mapping[str, float]) -> Callable[[float], float] | float:
    label = tree.label
    if not tree.children:
        return _identity if label == name else _evaluate_node(tree, at)
    if label in _OF_WHOLE_TERMS:
        if name not in tree.list_labels():
            return _evaluate_node(tree, at)
        return lambda value: _evaluate_node(tree, {**at, name: value})
    parts = [_bind_node(part, name, at) for part in tree.children]
    known = [part for part in parts if not callable(part)]
    if len(known) == len(parts):
        return apply_label(label, known)
    functions = [part if callable(part) else partial(_constant, part) for part in parts]
    if len(functions) == 2 and label in _OF_PAIRS:
        operation, (left, right) = _OF_PAIRS[label], functions
        return lambda value: operation(left(value), right(value))
    if len(functions) == 1 and label in OF_REAL:
        function, (argument,) = OF_REAL[label], functions
        return lambda value: function(argument(value))
    return lambda value: apply_label(label, [function(value) for function in functions])


def _identity(value: float) -> float:
    return value


def _constant(known: float, _: float) -> float:
    return known


_OF_WHOLE_TERMS = ("sum", "prod", "det", "integral", "d", "call", "unit")
"""Operations whose value is not that of their operands' values."""
_OF_PAIRS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


@cache
def _gauss_rule() -> tuple[list[float], list[float]]:
    from numpy.polynomial.legendre import leggauss

    places, weights = leggauss(24)
    return places.tolist(), weights.tolist()


def _evaluate_determinant(matrix: Tree, at: Mapping[str, float]) -> float:
    from numpy.linalg import det

    if matrix.label != "matrix" or any(len(row.children) != len(matrix.children) for row in matrix.children):
        raise _NoValueError
    return float(det([[_evaluate_node(entry, at) for entry in row.children] for row in matrix.children]))


def _call_any(seed: float, values: Sequence[float]) -> float:
    """Return the value of a function that stands for any: a positive one without symmetry or period."""
    return sum(
        1.5 + math.sin(seed * value + place) + value * value / 7 for place, value in enumerate(values, 1)
    )


def apply_label(label: str, values: Sequence[float]) -> float:
    """Return the value of an operation of numbers.

    Raises:
        ValueError, or another error, where it has none.
    """
    if label == "+":
        return sum(values)
    if label == "*":
        return math.prod(values)
    if label in ("-", "/", "pow", "root", "log", "factorial", "binomial"):
        return _of_two(label, values)
    if label in ("min", "max"):
        return min(values) if label == "min" else max(values)
    if label in ("mod", "gcd", "lcm") and len(values) == 2:
        return _of_whole(label, *values)
    function = OF_REAL.get(label)
    if function is None or len(values) != 1:
        raise _NoValueError
    return function(values[0])


def _of_whole(label: str, one: float, other: float) -> float:
    if label == "mod":
        return one - other * math.floor(one / other)
    if one != int(one) or other != int(other):
        raise _NoValueError
    return float(math.gcd(int(one), int(other)) if label == "gcd" else math.lcm(int(one), int(other)))


def _of_two(label: str, values: Sequence[float]) -> float:
    if label == "factorial":
        if values[0] != int(values[0]) or not 0 <= values[0] <= 170:
            raise _NoValueError
        return float(math.factorial(int(values[0])))
    if len(values) == 1:
        return -values[0] if label == "-" else math.log10(values[0])
    first, second = values[0], values[1]
    if label == "-":
        return reduce(lambda left, right: left - right, values)
    if label == "/":
        return first / second
    if label == "pow":
        result = first**second
        if isinstance(result, complex):
            raise _NoValueError
        return result
    if label == "root":
        if second < 0 and first % 2 != 1:
            raise _NoValueError
        return math.copysign(abs(second) ** (1 / first), second)
    if label == "log":
        return math.log(second) / math.log(first)
    if min(values) < 0 or max(values) > 1_000 or any(each != int(each) for each in values):
        raise _NoValueError
    return float(math.comb(int(first), int(second)))


def values_agree(left: Tree, right: Tree, at: Mapping[str, float]) -> bool | None:
    """Return whether two terms have one value there; None where that is not clear, since a number may be
    rounded."""
    left_value, right_value = evaluate_term(left, at), evaluate_term(right, at)
    if left_value is None or right_value is None:
        return None
    size = max(abs(left_value), abs(right_value), *(abs(value) for value in at.values()), 1.0)
    apart = abs(left_value - right_value) / size
    if apart < _CLOSE:
        return True
    if apart < _APART or apart >= _ROUNDED:
        return None if apart < _APART else False
    decimal = any("." in label for side in (left, right) for label in side.list_labels())
    return None if decimal else False


def differ_everywhere(left: Tree, right: Tree) -> bool:
    """Return whether two terms differ at every place that is looked at: with variables of all signs, and
    whole."""
    names = sorted(free_symbols(left) | free_symbols(right))
    if not names:
        return False
    different = 0
    for row in _sample_rows(len(names)):
        agree = values_agree(left, right, dict(zip(names, row, strict=True)))
        if agree:
            return False
        different += agree is False
    return different >= _ENOUGH


@cache
def _sample_rows(many: int) -> list[list[float]]:
    """Values of so many variables: in general position with each pattern of signs of the first three, small
    whole numbers, and the same for all."""
    source = Random(many)
    rows: list[list[float]] = []
    for pattern in product((1, -1), repeat=min(many, 3)):
        signs = [pattern[place] if place < len(pattern) else pattern[-1] for place in range(many)]
        rows.append([sign * source.uniform(0.2, 0.9) for sign in signs])
        rows.append([sign * source.uniform(1.2, 2.9) for sign in signs])
    rows += [[float(source.randint(1, 6)) for _ in range(many)] for _ in range(3)]
    rows += [[float(value)] * many for value in (1, 2, 4)]
    return rows


_ENOUGH = 4
"""Places at which both terms have values that differ, before they are said to differ everywhere."""


def expand_mixed_numbers(tree: Tree) -> Tree:
    """Return a term in which mixed numbers are read as products."""
    children = tuple(map(expand_mixed_numbers, tree.children))
    mixed = tree.label == "+" and _LONG_WHOLE.match(children[0].label) and children[1].label == "/"
    return Tree("*" if mixed else tree.label, children)


def join_mixed_numbers(tree: Tree) -> Tree:
    """Return a term in which a whole factor and a fraction behind it are a mixed number, as in 5 × 2 ⅔."""
    children = tuple(map(join_mixed_numbers, tree.children))
    if tree.label == "*" and children[0].label == "*" and children[1].label == "/":
        first, whole = children[0].children
        if WHOLE.match(whole.label) and all(WHOLE.match(part.label) for part in children[1].children):
            return Tree("*", (first, Tree("+", (whole, children[1]))))
    return Tree(tree.label, children)


def real_roots(left: Tree, right: Tree, name: str, at: Mapping[str, float]) -> list[float]:
    """Return where two terms that are at most quadratic in a variable are equal, or two powers of numbers
    whose exponents are; [] for others."""
    left, right = _take_inverse(*_take_logarithms(left, right), name)
    gaps: list[float] = []
    for place in (0.0, 1.0, 2.0, 3.0, -1.0):
        one, other = (evaluate_term(side, {**at, name: place}) for side in (left, right))
        if one is None or other is None:
            return []
        gaps.append(one - other)
    c = gaps[0]
    a = (gaps[2] - 2 * gaps[1] + c) / 2
    b = gaps[1] - a - c
    size = max(map(abs, gaps), default=0.0)
    if any(abs(a * x * x + b * x + c - y) > _CLOSE * (1 + size) for x, y in ((3, gaps[3]), (-1, gaps[4]))):
        return []
    if abs(a) <= _CLOSE * size:
        return [-c / b] if abs(b) > _CLOSE * size else []
    inside = b * b - 4 * a * c
    return [] if inside < 0 else [(-b + sign * math.sqrt(inside)) / (2 * a) for sign in (1, -1)]


def _take_logarithms(left: Tree, right: Tree) -> tuple[Tree, Tree]:
    """Return the logarithms of two powers of numbers, which are equal where these are: of 4^x and 8^(x-1);
    other terms as they are."""
    if left.label != "pow" or right.label != "pow":
        return left, right
    bases, exponents = zip(left.children, right.children, strict=True)
    if not all(base.label.isdecimal() and base.label != "0" for base in bases):
        return left, right
    one, other = (
        Tree("*", (exponent, Tree("ln", (base,)))) for base, exponent in zip(bases, exponents, strict=True)
    )
    return one, other


def _take_inverse(left: Tree, right: Tree, name: str) -> tuple[Tree, Tree]:
    """Return x and 2^3 for `\\log_2 x` and 3, likewise for roots; other terms as they are."""
    value = evaluate_term(right, {}) if name not in free_symbols(right) else None
    if value is not None and left.label in ("log", "ln"):
        base = left.children[0] if left.label == "log" else Tree("e")
        return left.children[-1], Tree("pow", (base, right))
    squared = left.label == "sqrt" and value is not None and value >= 0
    return (left.children[0], Tree("pow", (right, Tree("2")))) if squared else (left, right)


def take_odd_roots(tree: Tree) -> Tree:
    """Return a term with the powers 1/3, 2/5 … as roots, which negative numbers have too."""
    children = tuple(map(take_odd_roots, tree.children))
    if tree.label == "pow" and not free_symbols(tree.children[1]):
        value = evaluate_term(tree.children[1], {}) or 0.0
        exponent = Fraction(value).limit_denominator(_MOST_ROOTS)
        if exponent.denominator > 1 and exponent.denominator % 2 and abs(exponent - value) < _CLOSE:
            root = Tree("root", (Tree(f"{exponent.denominator}"), children[0]))
            return Tree("pow", (root, Tree(f"{exponent.numerator}")))
    return Tree(tree.label, children)


_MOST_ROOTS = 99


def find_residue(tree: Tree, modulus: int) -> int | None:
    """Return what a number leaves, with inverses for divisions; None where it has no residue that is known.

    >>> find_residue(Tree("pow", (Tree("9"), Tree("-1"))), 100)
    89
    """
    label, parts = tree.label, tree.children
    if not parts:
        return int(label) % modulus if _LONG_WHOLE.match(label) else None
    if label == "pow":
        base = find_residue(parts[0], modulus)
        exponent = parts[1].label if not parts[1].children else ""
        if base is None or not _LONG_WHOLE.match(exponent):
            return None
        with suppress(ValueError):
            return pow(base, int(exponent), modulus)
        return None
    if label not in ("+", "-", "*", "/"):
        return None
    values = [find_residue(part, modulus) for part in parts]
    first, second = values[0], values[-1]
    if first is None or second is None or len(values) > 2:
        return None
    if label == "/":
        with suppress(ValueError):
            return first * pow(second, -1, modulus) % modulus
        return None
    return {"+": first + second, "-": first - second if len(values) == 2 else -first, "*": first * second}[
        label
    ] % modulus


def are_equal_modulo(left: Tree, right: Tree, modulus: int) -> bool:
    """Return whether two terms are equal modulo a number, for both signs of a ±: by their residues, or as
    polynomials by those of their coefficients.

    >>> from engines.formula.reader import read
    >>> left, right = read("(x+1)^2 = x^2+1").tree.children
    >>> are_equal_modulo(left, right, 2), are_equal_modulo(left, right, 3)
    (True, False)
    """
    if "pm" in (*left.list_labels(), *right.list_labels()):
        pairs = ([choose_signs(side, repeat(sign)) for side in (left, right)] for sign in "+-")
        return all(are_equal_modulo(one, other, modulus) for one, other in pairs)
    if not free_symbols(left) | free_symbols(right):
        residues = {find_residue(side, modulus) for side in (left, right)}
        return len(residues) == 1 and None not in residues
    try:
        space = Space((left, right))
        apart = space.combine_quotients("-", space.to_quotient(left), space.to_quotient(right))
        *_, scale = space.to_integer_parts(apart)
    except (TooLargeError, OverflowError, ZeroDivisionError, EngineError, RecursionError):
        return False
    plain = all(not atom.children and free_symbols(atom) for atom in space.atoms)
    return plain and scale.numerator % modulus == 0 and math.gcd(scale.denominator, modulus) == 1


def is_in_some_base(numeral: str, left: Tree, right: Tree) -> bool:
    """Return whether two terms are equal where the digits of one of them are those of another base.

    >>> is_in_some_base("101", Tree("5"), Tree("101")), is_in_some_base("16", Tree("5"), Tree("16"))
    (True, False)
    """
    values = [evaluate_term(side, {}) for side in (left, right) if side.label != numeral]
    least = max(2, *(int(digit) + 1 for digit in numeral.lstrip("-")))
    bases = (int(numeral, base) for base in range(least, 37))
    return not values or values[0] is None or any(values[0] == value for value in bases)


# ---- matrices

_CAPITAL = re.compile("[A-Z]")
_VALUE = re.compile(
    r"(?<![A-Za-z\\])([A-Z])\s*&?=\s*(?:\\left\s*[(\[]\s*)?\\begin\{[pbB]?(?:small)?(?:matrix|array)\}"
)
_TRANSPOSED = re.compile(r"\^\s*(?:T(?![A-Za-z])|\{\s*T\s*\})")
_TOGETHER = re.compile(
    r"\\(?:text|mathrm|operatorname|mbox)\s*\{[^{}]*\}|\\[A-Za-z]+|[A-Z](?: *[A-Z])+(?![a-z_'])"
)
_ROWS = (
    ("2 3 1", "5 7 4", "1 6 8"),
    ("11 1 2", "4 13 3", "7 2 9"),
    ("1 6 5", "17 3 2", "4 1 8"),
    ("8 19 3", "1 5 6", "2 7 4"),
)


def _make_matrix(rows: Iterable[str]) -> Tree:
    return Tree("matrix", tuple(Tree("row", tuple(map(Tree, row.split()))) for row in rows))


def matrices_of(document: Document) -> frozenset[str]:
    """Return the capital letters that are matrices: by their values, or in a sentence about matrices."""
    named: set[str] = set()
    sentence: set[str] = set()
    words = ""
    for piece in document.pieces:
        if piece.formula:
            named.update(_VALUE.findall(piece.text))
            if _CAPITAL.fullmatch(piece.text.strip()):
                sentence.add(piece.text.strip())
            continue
        first, *others = SENTENCE_BREAK.split(piece.text)
        words += first
        if others:
            named |= sentence if mentions("of matrices", words) else set()
            sentence, words = set(), others[-1]
    return frozenset(named | (sentence if mentions("of matrices", words) else set()))


def as_products(latex: str, matrices: frozenset[str]) -> str:
    r"""Return LaTeX in which adjacent letters are products, not names, and an exponent T is the transpose.

    >>> as_products(r"(AB)^T + \text{AB} \det A", frozenset("AB"))
    '(A \\cdot B)^{\\top} + \\text{AB} \\det A'
    """

    def to_product(match: re.Match[str]) -> str:
        letters = match[0].replace(" ", "")
        return r" \cdot ".join(letters) if {*letters} <= {*matrices, "I"} else match[0]

    return _TRANSPOSED.sub(r"^{\\top}", _TOGETHER.sub(to_product, latex))


def any_values(matrices: Iterable[str]) -> dict[str, Tree]:
    """Return a fixed matrix for each name, no two of which commute, to test identities of any matrices."""
    return {name: _make_matrix(_ROWS[at % len(_ROWS)]) for at, name in enumerate(sorted(matrices))}


def at_values(left: Tree, right: Tree, values: Mapping[str, Tree]) -> tuple[Tree, Tree]:
    """Return both sides with matrices in the place of their names.

    I is the identity; a side that is 0 becomes the zero matrix of the left side's size.
    """
    if right == Tree("0"):
        right = Tree("*", (right, left))
    size = len(next(iter(values.values())).children)
    identity = _make_matrix(" ".join("01"[row == column] for column in range(size)) for row in range(size))
    for name, value in {"I": identity, **values}.items():
        left, right = replace_variable(left, name, value), replace_variable(right, name, value)
    return left, right


def describe_unjudged(*sides: Tree) -> str:
    """Return what of a link is read and not judged: an ellipsis, a condition in words, a relation or map of
    which nothing is known; "" where there is nothing of the kind."""
    labels = {label for side in sides for label in side.list_labels()}
    if ELLIPSIS in labels:
        return "what an ellipsis leaves out is not judged"
    if SAID in labels:
        return "a condition in words is not judged"
    if "related" in labels or "maps" in labels:
        return "a relation in a side is not judged"
    return ""
