"""Expressions after trivial arithmetic: two are the same up to it where their normal forms have one text.

Trivial arithmetic is signs, order, like terms, powers of one base, numbers multiplied into a sum, whole and
half turns added, a function of its own inverse: what computer algebra systems do by themselves when an
expression is written down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from engines.core.expression_language import (
    HYPERBOLIC,
    MAX_DIGITS,
    RECIPROCAL,
    TRIGONOMETRIC,
    UNDONE_BY,
    is_constant_token,
)
from engines.core.tree import Tree
from engines.mathematics.algebra.rational import (
    ONE,
    ZERO,
    TooLargeError,
    divide_terms,
    multiply_terms,
    number_tree,
    raise_to_power,
)
from engines.mathematics.terms.canonical import Subterms

_EVEN = ("cos", "sec", "cosh", "sech", "abs")
_ODD = {*TRIGONOMETRIC, *HYPERBOLIC, "asin", "atan", "acsc", "asinh", "atanh", "acsch", "acoth"} - {*_EVEN}
# A shift by a quarter of the circle: sin(u + pi/2) = cos u, cos(u + pi/2) = -sin u, and so on.
_QUARTER = {"sin": ("cos", 1), "cos": ("sin", -1), "tan": ("cot", -1), "cot": ("tan", -1)}
_QUARTER |= {"sec": ("csc", -1), "csc": ("sec", 1)}
"""What a quarter turn makes of a function, and its sign."""
_LARGEST = 64
"""Powers of numbers with larger exponents are not worked out."""
Number = int | Fraction
"""A fraction, or where it may be an integer, with which Python reckons much faster."""


@dataclass(slots=True)
class NormalForm:
    """An expression after trivial arithmetic: a number times powers, or a sum of such.

    `powers` and `terms` are by the text of a base or a term; what has neither is a number, a name or a
    `function` of its operands. `text` is equal exactly where two are the same up to arithmetic.
    """

    text: str
    scale: Number = 1
    powers: dict[str, tuple[NormalForm, NormalForm]] = field(default_factory=dict)
    terms: dict[str, tuple[NormalForm, Number]] = field(default_factory=dict)
    function: str = ""
    operands: tuple[NormalForm, ...] = ()
    is_number: bool = False


def normalise_arithmetic(tree: Tree) -> NormalForm:
    """Return what is left of an expression after trivial arithmetic.

    >>> from engines.core.expression_language import read_prefix
    >>> texts = "cos - 0 * 2 x", "cos + * 2 x * 2 pi"
    >>> one, other = (normalise_arithmetic(read_prefix(text)) for text in texts)
    >>> one.text == other.text
    True
    """
    return ArithmeticReader().read_tree(tree)


def tidy_expression(tree: Tree, reader: ArithmeticReader | None = None) -> Tree:
    """Return an expression written anew after trivial arithmetic: `sin(-2x)/tan(x*(-2))` as
    `sin(2x)/tan(2x)`. Where it is defined may differ. One whose numbers would have more digits than the
    language writes is returned as it is.
    """
    try:
        return _to_tree((reader or ArithmeticReader()).read_tree(tree))
    except TooLargeError:
        return tree


class ArithmeticReader:
    """Reads expressions, of which many share operands."""

    def __init__(self) -> None:
        self._known: dict[Tree, NormalForm] = {}
        self._parts: dict[Tree, frozenset[str]] = {}

    def read_tree(self, tree: Tree) -> NormalForm:
        """Return the normal form of an expression."""
        result = self._known.get(tree)
        if result is None:
            inside = [self.read_tree(child) for child in tree.children]
            result = self._known[tree] = _compose(tree.label, inside)
        return result

    def parts_of(self, tree: Tree) -> frozenset[str]:
        """Return the operators and the normal forms of all subterms of an expression."""
        result = self._parts.get(tree)
        if result is None:
            own = {tree.label, self.read_tree(tree).text} if tree.children else {self.read_tree(tree).text}
            result = self._parts[tree] = frozenset(own).union(*map(self.parts_of, tree.children))
        return result


class ArithmeticKeys:
    """Keys of numbered terms: equal for those that trivial arithmetic makes the same."""

    def __init__(self, terms: Subterms) -> None:
        self._terms = terms
        self._known: dict[int, NormalForm] = {}

    def key_of(self, number: int) -> str:
        """Return the key of a term: equal for terms that are the same up to arithmetic."""
        return self._normal_form_of(number).text

    def _normal_form_of(self, number: int) -> NormalForm:
        result = self._known.get(number)
        if result is None:
            terms = self._terms
            inside = [
                self._normal_form_of(side)
                for side in (terms.lefts[number], terms.rights[number])
                if side >= 0
            ]
            result = self._known[number] = _compose(terms.names[terms.labels[number]], inside)
        return result


def _compose(label: str, parts: Sequence[NormalForm]) -> NormalForm:
    if not parts:
        return _from_number(_read_number(label)) if is_constant_token(label) else NormalForm(label)
    match label:
        case "+" | "-":
            return _add([(parts[0], 1), (parts[1], 1 if label == "+" else -1)])
        case "*":
            return _multiply(parts)
        case "/":
            return _multiply([parts[0], _raise_to_power(parts[1], _MINUS)])
        case "pow":
            return _raise_to_power(*parts)
        case "sqrt":
            return _raise_to_power(parts[0], _HALF)
        case "log":
            return _multiply(
                [_apply_function("ln", parts[1]), _raise_to_power(_apply_function("ln", parts[0]), _MINUS)]
            )
    if len(parts) == 1:
        return _apply_function(label, parts[0])
    return _call_function(label, *parts)


def _call_function(name: str, *operands: NormalForm) -> NormalForm:
    text = f"({' '.join([name, *(operand.text for operand in operands)])})"
    return NormalForm(text, function=name, operands=operands)


def _to_tree(value: NormalForm) -> Tree:
    if value.terms:
        # Positive terms first, so that the sum begins without a sign.
        rows = sorted(value.terms.values(), key=lambda row: row[1] < 0)
        total = ZERO
        for term, c in rows:
            part = _scale_term(_size_of(c), term)
            if total == ZERO:
                total = part if c > 0 else _scale_term(c, term)
            else:
                total = Tree("+" if c > 0 else "-", (total, part))
        return total
    if value.powers:
        return _to_quotient(value)
    if value.is_number:
        return number_tree(value.scale)
    return Tree(value.function or value.text, tuple(map(_to_tree, value.operands)))


def _scale_term(c: Number, term: NormalForm) -> Tree:
    return (
        number_tree(c)
        if term.text == "1"
        else _to_tree(term)
        if c == 1
        else _to_tree(_multiply([_from_number(c), term]))
    )


def _to_quotient(value: NormalForm) -> Tree:
    above, below = ONE, ONE
    if value.scale.numerator != 1:
        above = number_tree(value.scale.numerator)
    if value.scale.denominator != 1:
        below = number_tree(value.scale.denominator)
    for base, exponent in value.powers.values():
        under = exponent.is_number and exponent.scale < 0
        size = _size_of(exponent.scale) if exponent.is_number else None
        root = _to_tree(base)
        if size == Fraction(1, 2):
            part = Tree("sqrt", (root,))
        elif size is not None:
            part = raise_to_power(root, size)
        else:
            part = Tree("pow", (root, _to_tree(exponent)))
        above, below = (above, multiply_terms(below, part)) if under else (multiply_terms(above, part), below)
    return divide_terms(above, below)


def _read_number(text: str) -> Number:
    value = Fraction(text)
    return value.numerator if value.denominator == 1 else value


def _size_of(value: Number) -> Number:
    return value if value >= 0 else -value


def _from_number(value: Number) -> NormalForm:
    return NormalForm(str(value), value, is_number=True)


_ONE, _MINUS, _HALF = _from_number(1), _from_number(-1), _from_number(Fraction(1, 2))


def _split_factors(value: NormalForm) -> tuple[Number, dict[str, tuple[NormalForm, NormalForm]]]:
    """Return a number and the powers that a value is the product of."""
    if value.is_number:
        return value.scale, {}
    if value.powers:
        return value.scale, value.powers
    return 1, {value.text: (value, _ONE)}


def _multiply(parts: Sequence[NormalForm]) -> NormalForm:
    scale: Number = 1
    powers: dict[str, tuple[NormalForm, NormalForm]] = {}
    for part in parts:
        own, rows = _split_factors(part)
        scale *= own
        for text, (base, exponent) in rows.items():
            # (a - b)^n is (-1)^n (b - a)^n: one of the two is canonical.
            if base.terms and _is_integer(exponent) and _is_negative(base):
                base = _add([(base, -1)])
                text = base.text
                scale = -scale if exponent.scale % 2 else scale
            before = powers.get(text)
            if before is not None:
                exponent = _add([(before[1], 1), (exponent, 1)])
            powers[text] = base, exponent
    return _of_powers(scale, powers)


def _of_powers(scale: Number, powers: dict[str, tuple[NormalForm, NormalForm]]) -> NormalForm:
    powers = {text: row for text, row in powers.items() if row[1].text != "0"}
    if not scale or not powers:
        return _from_number(scale)
    if len(powers) == 1:
        ((base, exponent),) = powers.values()
        if exponent.text == "1":
            if scale == 1:
                return base
            if base.terms:
                return _add([(base, scale)])
    inside = " ".join(f"{text}^{exponent.text}" for text, (_, exponent) in sorted(powers.items()))
    return NormalForm(f"({scale} {inside})" if scale != 1 else f"({inside})", scale, powers)


def _add(parts: Sequence[tuple[NormalForm, Number]]) -> NormalForm:
    # A sum is a mapping from terms to coefficients, so like terms meet by the text of their normal form.
    terms: dict[str, tuple[NormalForm, Number]] = {}

    def add_term(term: NormalForm, c: Number) -> None:
        before = terms.get(term.text)
        terms[term.text] = term, c + (before[1] if before else 0)

    for value, scale in parts:
        if value.is_number:
            add_term(_ONE, scale * value.scale)
        elif value.terms:
            for term, c in value.terms.values():
                add_term(term, c * scale)
        # A product's constant factor is its coefficient in the sum: 2xy + 3xy is 5xy.
        elif value.powers:
            add_term(_of_powers(1, value.powers), scale * value.scale)
        else:
            add_term(value, scale)
    terms = {text: row for text, row in terms.items() if row[1]}
    if not terms:
        return _from_number(0)
    # A sum of one term is that term, or its product with the coefficient.
    if len(terms) == 1:
        ((term, c),) = terms.values()
        return _from_number(c) if term.text == "1" else term if c == 1 else _multiply([_from_number(c), term])
    inside = " ".join(f"{c}*{text}" for text, (_, c) in sorted(terms.items()))
    return NormalForm(f"[{inside}]", terms=terms)


def _raise_to_power(base: NormalForm, exponent: NormalForm) -> NormalForm:
    if exponent.text == "1":
        return base
    whole = _is_integer(exponent)
    small = whole and _size_of(exponent.scale) <= _LARGEST
    if base.is_number and base.scale == 1:
        return _ONE
    if base.is_number and small:
        # No power of 0 below 0 has a value: all of them are written as one.
        if not base.scale:
            return _from_number(0) if exponent.scale > 0 else _of_powers(1, {base.text: (base, _MINUS)})
        value = Fraction(base.scale) ** int(exponent.scale)
        # 5^43 has no token: it stays a power.
        if max(abs(value.numerator), value.denominator) < 10**MAX_DIGITS:
            return _from_number(value)
    # (u^a v^b)^n with an integer n, which holds for any sign of u and v.
    if small and base.powers:
        powers = {text: (one, _multiply([power, exponent])) for text, (one, power) in base.powers.items()}
        return _of_powers(Fraction(base.scale) ** int(exponent.scale), powers)
    # e^(s ln u) is u^s.
    if base.text == "e":
        scale, rows = _split_factors(exponent)
        for text, (factor, times_over) in rows.items():
            if factor.function == "ln" and times_over.text == "1":
                rest = {key: row for key, row in rows.items() if key != text}
                return _raise_to_power(factor.operands[0], _of_powers(scale, rest))
    if whole and base.terms and _is_negative(base):
        base = _add([(base, -1)])
        return _of_powers(-1 if exponent.scale % 2 else 1, {base.text: (base, exponent)})
    return _of_powers(1, {base.text: (base, exponent)})


def _is_integer(exponent: NormalForm) -> bool:
    return exponent.is_number and exponent.scale.denominator == 1


def _is_negative(value: NormalForm) -> bool:
    """Return whether the opposite is what one would write: with fewer signs, or none before the last name."""
    if value.terms:
        signs = sum(1 if c > 0 else -1 for _, c in value.terms.values())
        return signs < 0 or (signs == 0 and max(value.terms.items())[1][1] < 0)
    return value.scale < 0


def _negate(value: NormalForm) -> NormalForm:
    return _multiply([_MINUS, value])


def _apply_function(name: str, inside: NormalForm) -> NormalForm:
    sign = 1
    if name in _QUARTER:
        inside, name, sign = _remove_quarter_turns(inside, name)
    if (name in _EVEN or name in _ODD) and _is_negative(inside):
        inside = _negate(inside)
        sign = -sign if name in _ODD else sign
    if name == "ln" and inside.text == "e":
        return _ONE
    result = _call_function(name, inside)
    # f(f⁻¹(u)) is u, and 1/f of it 1/u; the other order would need conditions.
    if inside.function and inside.function == UNDONE_BY.get(name):
        result = inside.operands[0]
    elif inside.function and inside.function == UNDONE_BY.get(RECIPROCAL.get(name, "")):
        result = _raise_to_power(inside.operands[0], _MINUS)
    return result if sign > 0 else _negate(result)


def _remove_quarter_turns(inside: NormalForm, name: str) -> tuple[NormalForm, str, int]:
    """Without quarter turns added to an angle."""
    term = inside.terms.get("pi")
    if term is None or (2 * term[1]).denominator != 1:
        return inside, name, 1
    turns, sign = int(2 * term[1]) % 4, 1
    inside = _add([(inside, 1), (NormalForm("pi"), -term[1])])
    for _ in range(turns):
        name, change = _QUARTER[name]
        sign *= change
    return inside, name, sign
