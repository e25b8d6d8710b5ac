"""Notations of other languages and subjects: points of thousands, digits to the base 2, ∞ without a sign,
powers behind an argument, zeros as coefficients."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

from engines.core.tree import ONE, ZERO, Tree
from engines.formula.lexer import token_texts
from engines.formula.meaning import Reading
from engines.formula.unit_table import UNIT_SYMBOLS
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.names import free_variables, replace_variable
from engines.proofreading.term_properties import (
    WHOLE,
    are_exactly_equal,
    evaluate_complex,
    evaluate_term,
    free_symbols,
    values_agree,
)

_GROUPED = re.compile(r"-?[1-9]\d{0,2}(?:\.\d{3})+")
_POINTED = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:\.\d{3})+,\d+(?![\d,]|\.\d)")
"""A number whose thousands have points, since its decimals have a comma."""
_BITS = re.compile(r"(?<![\d.,{])0[01]{2,}(?![\d.,])")
"""A numeral that begins with 0 and has no other digits than those of the base 2."""
_NUMBER_ALONE = re.compile(r"-?\s*\d+(?:[.,]\d+)?(?:\s|~|\\[,;: ])*")
_SIGNED_INFINITY = re.compile(r"(?:^|[(\[{,=]|\\(?:to|rightarrow|infty|cup)(?![A-Za-z]))\s*\+\s*\\infty")
"""∞ with a sign + that adds it to nothing."""
_ROW = re.compile(r"\[[^\[\]=]*[^\s\[\]=+-]\s*\\(?:[ ;,]|quad(?![A-Za-z]))\s*[^\s\[\]=+-][^\[\]=]*\]")
_COUNTING = ("k", "m", "n", "p", "q", "j", "l", "N")
"""Letters that stand for integers as factors of π."""
_OF_MULTIPLES = ("sin", "cos", "tan")
_INVERSES = {"asin": "sin", "acos": "cos", "atan": "tan"}
_MARKED = re.compile("[A-Za-zα-ω][\u0302\u20d7]")
"""A letter with a hat or an arrow, which is a vector in a product with a dot."""
_UNIT_VECTOR = re.compile(r"e(?:_\w+|\^\w+)\Z")
_NUMBER_SETS = ("ℕ", "ℤ", "ℚ", "ℝ", "ℂ")
_SAMPLES, _TRIES = 2, 12
_CLOSE = 1e-9
_INFINITY = "inf"


def name_unit(latex: str, quantity: str) -> str:
    r"""Return a side with its last letter as a unit if a number stands before it, and the letter is also that
    of the quantity.

    >>> name_unit("230 V", "V"), name_unit("2V", "U")
    ('230 \\text{V}', '2V')
    """
    if quantity not in UNIT_SYMBOLS or not latex.endswith(quantity) or len(quantity) != 1:
        return latex
    number = latex.removesuffix(quantity)
    return rf"{number}\text{{{quantity}}}" if _NUMBER_ALONE.fullmatch(number) else latex


_UNIT_LETTERS = frozenset(("m", "s", "g", "h", "Ω"))
"""Letters of units that stand for variables as often."""


def name_upright_units(latex: tuple[str, str], left: Reading, right: Reading) -> tuple[Reading, Reading]:
    r"""Return the sides of an equation of quantities with letters of units as units where they are written
    upright, also in a fraction or power, and with Ω as one, which has no upright form.

    Args:
        latex: Both sides as they are written.
        left: The left side.
        right: The right side.

    >>> from engines.formula.reader import read
    >>> sides = r"2000\,\text{L}", r"2\,\mathrm{m^3}"
    >>> name_upright_units(sides, *(read(side, "latex") for side in sides))[1].tree.list_labels()
    ['*', '2', 'pow', 'unit', 'm', '3']
    """
    if not any(each.tree is not None and "unit" in each.tree.list_labels() for each in (left, right)):
        return left, right
    one, other = (
        each if each.tree is None else replace(each, tree=_read_upright_units(each.tree, written))
        for each, written in zip((left, right), latex, strict=True)
    )
    return one, other


def _read_upright_units(tree: Tree, latex: str) -> Tree:
    names = free_symbols(tree)
    is_upright = r"\mathrm" in latex or r"\text" in latex or "Ω" in names
    if not names or not names <= _UNIT_LETTERS or not is_upright or tree.label in names:
        return tree
    for name in names:
        tree = replace_variable(tree, name, Tree("unit", (Tree(name),)))
    return tree


def write_plain_thousands(latex: str) -> str:
    r"""Return a formula without the points of thousands in numbers that have a decimal comma, too.

    >>> write_plain_thousands("-10.000 + 5.714,29")
    '-10.000 + 5714{,}29'
    """
    return _POINTED.sub(lambda match: match[0].replace(".", "").replace(",", "{,}"), latex)


def join_thousands(tree: Tree) -> Tree:
    """Return a term in which points before three digits separate thousands: 20000 for `20.000`."""
    if _GROUPED.fullmatch(tree.label):
        return Tree(tree.label.replace(".", ""))
    return Tree(tree.label, tuple(map(join_thousands, tree.children)))


def multiply_mixed_numbers(tree: Tree) -> Tree:
    r"""Return a term in which whole numbers before fractions are factors: `2 · 1/2` for `2\frac{1}{2}`."""
    whole, fraction = tree.children if tree.label == "+" and len(tree.children) == 2 else (tree, tree)
    if WHOLE.match(whole.label) and fraction.label == "/" and all(map(_is_whole, fraction.children)):
        return Tree("*", (whole, fraction))
    return Tree(tree.label, tuple(map(multiply_mixed_numbers, tree.children)))


def _is_whole(tree: Tree) -> bool:
    return WHOLE.match(tree.label) is not None


def is_divided_by_zero(tree: Tree) -> bool:
    r"""Return whether a term is a number over 0, as `\frac{3}{+0}` for what tends to it.

    >>> is_divided_by_zero(Tree("/", (Tree("3"), Tree("-", (ZERO,))))), is_divided_by_zero(Tree("3"))
    (True, False)
    """
    if tree.label == "-" and len(tree.children) == 1:
        return is_divided_by_zero(tree.children[0])
    return tree.label == "/" and not free_variables(tree) and evaluate_term(tree.children[1], {}) == 0


def has_leading_zero(latex: str) -> bool:
    """Return whether a formula has a numeral such as 0111, which numbers do not have but rows of bits."""
    return _BITS.search(latex) is not None


def is_binary_fraction(left: Tree, right: Tree) -> bool:
    """Return whether the right side of a link writes the left one with digits to the base 2 behind a point.

    >>> is_binary_fraction(Tree("0.625"), Tree("0.101")), is_binary_fraction(Tree("0.5"), Tree("0.1"))
    (True, False)
    """
    whole, _, digits = right.label.partition(".")
    value = evaluate_term(left, {})
    if value is None or len(digits) < _LEAST_DIGITS or not {*whole, *digits} <= {"0", "1"}:
        return False
    return value == int(whole + digits, 2) / 2 ** len(digits)


def is_complement(left: Tree, latex: str) -> bool:
    """Return whether bits with the base 2 below them are those of a negative number: its complement to two
    or to one.

    >>> [is_complement(Tree("-5"), f"{bits}_2") for bits in ("1011", "1010", "1001")]
    [True, True, False]
    """
    written, value = _BITS_WITH_BASE.fullmatch(latex.strip()), evaluate_term(left, {})
    if written is None or value is None or value >= 0:
        return False
    above = int(written[1], 2) - 2 ** len(written[1])
    return value in (above, above + 1)


def are_equal_in_hexadecimal(left: str, right: str) -> bool:
    """Return whether two formulas are equal sums of hexadecimal numbers, one of them with digits from A to F
    and others.

    >>> are_equal_in_hexadecimal("FFFF0 + 0001", "FFFF1"), are_equal_in_hexadecimal("A + 1", "B")
    (True, False)
    """
    sides = [[part.strip() for part in side.split("+")] for side in (left, right)]
    numerals = [part for side in sides for part in side]
    if not all(map(_HEXADECIMAL.fullmatch, numerals)) or not any(map(_MIXED_DIGITS.search, numerals)):
        return False
    first, last = (sum(int(part, 16) for part in side) for side in sides)
    return first == last


_HEXADECIMAL = re.compile(r"[0-9A-F]+")
_MIXED_DIGITS = re.compile(r"[0-9][A-F]|[A-F][0-9]")
_BITS_WITH_BASE = re.compile(r"(1[01]+)_\{?2\}?")
_LEAST_DIGITS = 3


def find_replaced_name(left: Tree, right: Tree) -> tuple[str, str] | None:
    """Return the name that is written on the left of a link and the one that stands for it everywhere on the
    right, if the sides are the same otherwise: nobody rewrites a term without another step in it."""
    if len(left) != len(right) or not left.children:
        return None
    pairs = {
        (one.label, other.label) for one, other in zip(left, right, strict=True) if one.label != other.label
    }
    ((old, new),) = pairs if len(pairs) == 1 else {("", "")}
    if old not in free_symbols(left) - free_symbols(right) or new not in free_symbols(right):
        return None
    # x_8 for x_3 is the slip of a digit.
    is_numbered = all(name.partition("_")[2].isdecimal() for name in (old, new))
    return None if is_numbered else (old, new)


def has_bracketed_row(latex: str) -> bool:
    r"""Return whether a formula has square brackets around terms that only spaces part: `[u_1\ u_2]`."""
    return _ROW.search(latex) is not None


def is_infinity_signed(latex: str) -> bool:
    r"""Return whether a formula writes `+\infty`: in a text that does, ∞ without a sign can be of either."""
    return _SIGNED_INFINITY.search(latex) is not None


def drop_sign_of_infinity(tree: Tree) -> Tree:
    """Return ∞ for -∞."""
    negative = tree.label == "*" and tree.children[0].label == "-1" and tree.children[1].label == _INFINITY
    return Tree(_INFINITY) if negative or tree.label == f"-{_INFINITY}" else tree


def list_roots_taken(statement: Tree) -> list[Tree]:
    """List that letters are not negative of which a statement has the root of a product, as of √(xy): those
    of a mean are lengths or amounts."""
    roots = (node for node in statement if node.label == "sqrt" and node.children[0].label == "*")
    letters = {part for root in roots for part in root.children[0].children if not part.children}
    names = sorted(part.label for part in letters if free_symbols(part))
    return [Tree(">=", (Tree(name), ZERO)) for name in names] if len(names) > 1 else []


def take_summands_in(tree: Tree) -> Tree:
    r"""Return a term in which what is added behind a sum or derivative belongs to it: `\sum_{k=1}^7 4k - 1`,
    `\frac{d}{dx} x^2 + 4x`."""
    parts = tuple(map(take_summands_in, tree.children))
    if tree.label in ("+", "-") and len(parts) == 2 and parts[0].label in ("sum", "d"):
        *span, body = parts[0].children
        return Tree(parts[0].label, (*span, Tree(tree.label, (body, parts[1]))))
    return Tree(tree.label, parts)


def take_constants_out(tree: Tree) -> Tree:
    r"""Return a term in which factors without the index stand behind their product, and not in it: the root
    of `\prod_{i=1}^n (2i-1) \sqrt{2n+1}`."""
    parts = tuple(map(take_constants_out, tree.children))
    if tree.label != "prod" or parts[-1].label != "*":
        return Tree(tree.label, parts)
    *span, body = parts
    first, last = body.children
    if span[0].label in free_variables(last):
        return Tree(tree.label, parts)
    return Tree("*", (take_constants_out(Tree("prod", (*span, first))), last))


def undo_inverses(tree: Tree) -> Tree:
    """Return a term with u for each arcsin(sin u), as for the angles that an inverse function gives."""
    parts = tuple(map(undo_inverses, tree.children))
    if tree.label in _INVERSES and parts[0].label == _INVERSES[tree.label]:
        return parts[0].children[0]
    return Tree(tree.label, parts)


def take_other_arcsecants(tree: Tree) -> Tree:
    """Return a term with the values of arcsec and arccsc at negative numbers that are from π to 3π/2, as some
    calculus books define them so that a derivative has one sign."""
    parts = tuple(map(take_other_arcsecants, tree.children))
    value = evaluate_term(parts[0], {}) if tree.label in ("asec", "acsc") else None
    if value is None or value >= 0:
        return Tree(tree.label, parts)
    if tree.label == "acsc":
        return Tree("-", (Tree("pi"), Tree("acsc", parts)))
    return Tree("-", (Tree("*", (Tree("2"), Tree("pi"))), Tree("asec", parts)))


def take_hypotenuse(tree: Tree) -> Tree:
    """Return a term with √(a² + b²) for each c, as that of a right triangle."""
    squares = (Tree("pow", (Tree(name), Tree("2"))) for name in "ab")
    return replace_variable(tree, "c", Tree("sqrt", (Tree("+", tuple(squares)),)))


def hold_by_stirling(left: Tree, right: Tree) -> bool:
    """Return whether terms with factorials are equal where n! is (n/e)^n, as in logarithms of large ones."""
    if not any(node.label == "factorial" and free_symbols(node) for side in (left, right) for node in side):
        return False
    one, other = _take_stirling(left), _take_stirling(right)
    names = sorted(free_symbols(one) | free_symbols(other))
    random = Random(len(names))
    places = [{name: random.uniform(1, 9) for name in names} for _ in range(_TRIES)]
    agree = [values_agree(one, other, at) for at in places]
    return False not in agree and agree.count(True) >= _SAMPLES


def _take_stirling(tree: Tree) -> Tree:
    parts = tuple(map(_take_stirling, tree.children))
    if tree.label == "factorial":
        (n,) = parts
        return Tree("exp", (Tree("-", (Tree("*", (n, Tree("ln", (n,)))), n)),))
    return Tree(tree.label, parts)


def has_blocks(tree: Tree) -> bool:
    """Return whether a matrix has matrices as entries beside others, so that nobody knows its size."""
    return any(
        {True, False} == {"matrix" in entry.list_labels() for row in node.children for entry in row.children}
        for node in tree
        if node.label == "matrix"
    )


def hold_for_real_parts(left: Tree, right: Tree, judge: Judge) -> bool:
    """Return whether terms with conjugates of x + iy are equal where x and y are real."""
    return {"conj", "i"} <= {*left.list_labels(), *right.list_labels()} and hold_for_reals(left, right, judge)


def hold_for_reals(left: Tree, right: Tree, judge: Judge) -> bool:
    """Return whether terms are equal where their letters are real numbers."""
    names = sorted(free_symbols(left) | free_symbols(right))
    verdict = judge.equal(left, right, [Tree("in", (Tree(name), Tree("ℝ"))) for name in names])
    return verdict.outcome == "equal" or (
        verdict.outcome == "equal if" and verdict.condition.endswith(" real")
    )


def find_whole_factors(left: Tree, right: Tree) -> str:
    """Return which letters have to be integers for terms with angles such as nπ to be equal; "" for none."""
    functions = [node for side in (left, right) for node in side if node.label in _OF_MULTIPLES]
    of_pi = (node.children[0] for node in functions if "pi" in node.list_labels())
    names = sorted({name for angle in of_pi for name in free_symbols(angle) if name in _COUNTING})
    others = sorted((free_symbols(left) | free_symbols(right)) - {*names})
    random = Random(len(others))
    agree = []
    for _ in range(_TRIES if names else 0):
        at = {name: float(random.randint(1, 9)) for name in names}
        at |= {name: random.uniform(1, 9) for name in others}
        agree.append(values_agree(left, right, at))
    if False in agree or agree.count(True) < _SAMPLES:
        return ""
    return " and ".join(f"{name} is an integer" for name in names)


def hold_for_vectors(left: Tree, right: Tree) -> bool:
    """Return whether terms are equal where letters are vectors in space, and products those of vectors."""
    names = sorted(free_symbols(left) | free_symbols(right))
    random = Random(len(names))
    for _ in range(_SAMPLES):
        at = {name: tuple(random.uniform(1, 2) for _ in range(3)) for name in names}
        one, other = _evaluate_vector(left, at), _evaluate_vector(right, at)
        if one is None or other is None or any(abs(a - b) > _CLOSE for a, b in zip(one, other, strict=True)):
            return False
    return True


def hold_for_complex(left: Tree, right: Tree) -> bool | None:
    """Return whether terms are equal where letters are complex numbers; None where that is not known.

    >>> from engines.formula.reader import read
    >>> texts = (r"w \\bar w = |w|^2", r"w \\bar w = |w|^3", r"\\max(w, 1) = 1")
    >>> [hold_for_complex(*read(text).tree.children) for text in texts]
    [True, False, None]
    """
    names = sorted(free_symbols(left) | free_symbols(right))
    random = Random(len(names))
    for _ in range(_SAMPLES):
        at = {name: complex(random.uniform(1, 2), random.uniform(1, 2)) for name in names}
        one, other = evaluate_complex(left, at), evaluate_complex(right, at)
        if one is None or other is None:
            return None
        if abs(one - other) > _CLOSE * (1 + abs(one)):
            return False
    return True


def _evaluate_vector(tree: Tree, at: Mapping[str, Sequence[float]]) -> Sequence[float] | None:
    """Return the vector that a term is; None where it has other operations than sums and products."""
    if not tree.children:
        return at.get(tree.label) or ((0.0, 0.0, 0.0) if tree == ZERO else None)
    if len(tree.children) != 2 or tree.label not in ("+", "-", "*"):
        return None
    first, last = tree.children
    other = _evaluate_vector(last, at)
    if tree.label == "*" and not free_symbols(first):
        factor = evaluate_term(first, {})
        return None if factor is None or other is None else [factor * part for part in other]
    one = _evaluate_vector(first, at)
    if one is None or other is None:
        return None
    if tree.label == "*":
        (a, b, c), (d, e, f) = one, other
        return b * f - c * e, c * d - a * f, a * e - b * d
    sign = 1 if tree.label == "+" else -1
    return [a + sign * b for a, b in zip(one, other, strict=True)]


def has_inner_product(left: Tree, right: Tree) -> bool:
    """Return whether terms multiply a letter by itself that is no number by where it stands, or two letters
    that are marked as vectors.

    >>> from engines.formula.reader import read
    >>> texts = (r"v \\cdot v = |v|^2", r"(1 + 1/n)^{n \\cdot n} = n \\cdot n")
    >>> [has_inner_product(*read(text).tree.children) for text in texts]
    [True, False]
    """
    scalars = _list_scalars(left) | _list_scalars(right)
    pairs = [
        node.children
        for node in (*left, *right)
        if node.label == "*" and not any(part.children or not free_symbols(part) for part in node.children)
    ]
    return any(
        (pair[0] == pair[1] and pair[0].label not in scalars)
        or any(all(mark.match(part.label) for part in pair) for mark in (_UNIT_VECTOR, _MARKED))
        for pair in pairs
    )


def _list_scalars(tree: Tree, *, is_scalar: bool = False) -> frozenset[str]:
    """List the letters that are numbers by where they stand: in exponents, denominators and sums with
    numbers. Those in norms and products there can be vectors."""
    if not tree.children:
        return free_symbols(tree) if is_scalar else frozenset()
    added = tree.label in ("+", "-") and (is_scalar or any(WHOLE.match(part.label) for part in tree.children))
    behind = tree.label in ("/", "pow")
    return frozenset[str]().union(
        *(
            _list_scalars(part, is_scalar=added or (behind and at > 0))
            for at, part in enumerate(tree.children)
        )
    )


def has_zero_coefficient(tree: Tree) -> bool:
    """Return whether a sum is one of variables with coefficients 0 only, which stands for a row of zeros:
    `0x + 0y`."""
    return tree.label in ("+", "-") and _has_zero_factors(tree)


def _has_zero_factors(tree: Tree) -> bool:
    if tree.label in ("+", "-") and len(tree.children) == 2:
        return all(map(_has_zero_factors, tree.children))
    return tree.label == "*" and tree.children[0] == ZERO and bool(free_symbols(tree.children[1]))


def forgets_mixed_terms(left: Tree, right: Tree) -> bool:
    """Return whether a term becomes another where powers of sums are sums of powers, which they are not.

    >>> from engines.formula.reader import read
    >>> texts = ("(a + 1)^2 - a^2 = a^2 + 1 - a^2", "a^2 + 1 = a^2 + 1")
    >>> [forgets_mixed_terms(*read(text).tree.children) for text in texts]
    [True, False]
    """
    dropped = _drop_mixed_terms(left)
    return dropped != left and are_exactly_equal(dropped, right) is True


def _drop_mixed_terms(tree: Tree) -> Tree:
    parts = tuple(map(_drop_mixed_terms, tree.children))
    if tree.label == "pow" and parts[0].label in ("+", "-") and len(parts[0].children) > 1:
        return Tree(parts[0].label, tuple(Tree("pow", (part, parts[1])) for part in parts[0].children))
    return Tree(tree.label, parts)


def are_powers_of_one_set(left: Tree, right: Tree) -> bool:
    """Return whether both sides are powers of one set of numbers, as ℝ³ and ℝ, with other exponents."""
    bases, exponents = zip(
        *(side.children if side.label == "pow" else (side, ONE) for side in (left, right)), strict=True
    )
    numbers = all(exponent.label.isdecimal() for exponent in exponents)
    return (
        bases[0] == bases[1] and bases[0].label in _NUMBER_SETS and numbers and exponents[0] != exponents[1]
    )


def is_cycle(latex: str) -> bool:
    """Return whether a side is a number in brackets with several different digits, as σ = (123): a cycle."""
    tokens = token_texts(latex)
    if len(tokens) != 3 or (tokens[0], tokens[2]) != ("(", ")"):
        return False
    digits = tokens[1]
    return digits.isdecimal() and 1 < len(digits) == len(set(digits)) and "0" not in digits
