"""When two expressions are the same member.

The canonical form reads sums as signed n-ary sums and products as one numerator over one denominator, both
sorted; signs belong to terms and products, not to constants (`- a * 3 b` and `+ * -3 b a` are one form), and
a decimal is the fraction it stands for (`* 0.5 x` and `/ x 2` are one form). Nothing is calculated: `+ 2 3`,
`5`, `* x x` and `pow x 2` stay apart.

It runs over thousands of sampled terms per head, whose subterms are composed once (`Canonical`), of plain
lists; the canonical form of every subterm is its own prefix text.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from engines.core.tree import Tree
from engines.egen.expressions.language import ARITY, HYPERBOLIC, LETTERS, TRIGONOMETRIC
from engines.egen.expressions.subterms import Subterms

UNDONE_BY = {
    **{name: "a" + name for name in TRIGONOMETRIC + HYPERBOLIC},
    **{"a" + name: name for name in TRIGONOMETRIC + HYPERBOLIC},
}
"""For every function the one that it undoes, and that undoes it."""
_RECIPROCAL = {
    "sin": "csc",
    "csc": "sin",
    "cos": "sec",
    "sec": "cos",
    "tan": "cot",
    "cot": "tan",
    "sinh": "csch",
    "csch": "sinh",
    "cosh": "sech",
    "sech": "cosh",
    "tanh": "coth",
    "coth": "tanh",
}
_EVEN = {"cos", "sec", "cosh", "sech", "abs"}
_ODD = {*TRIGONOMETRIC, *HYPERBOLIC, "asin", "atan", "acsc", "asinh", "atanh", "acsch", "acoth"} - _EVEN

# A subterm on the stack: (sign, kind, list, list).
#   ATOM     [text], unused: a function of canonical operands, x, pi, e
#   PRODUCT  texts of the numerator, texts of the denominator; the number 1 has neither
#   SUM      texts of the terms added, texts of the terms subtracted; the number 0 has neither
_Part = tuple[int, int, list[str], list[str]]
_ATOM, _PRODUCT, _SUM = range(3)


def canonical_key(expression: Tree | Sequence[str]) -> str:
    """The canonical form as prefix text: equal exactly for expressions that count as one member.

    >>> canonical_key("- * 2 x -7".split()) == canonical_key("+ 7 * x 2".split())
    True
    """
    tokens = expression.labels() if isinstance(expression, Tree) else expression
    return _text(_part(tokens))


def direct_key(expression: Tree | Sequence[str]) -> str:
    """The canonical form where signs are taken out of odd and even functions and powers, and a function of
    its own inverse, or of that of its reciprocal, is left out: equal for what differs by such a detour.

    Of expressions that are known to be equal: f⁻¹(f(u)) is u for some u only.

    >>> direct_key("sin - 3 x".split()) == direct_key("* -1 sin - x 3".split())
    True
    >>> direct_key("tan acot + x 1".split()), direct_key("pow - 3 x 2".split())
    ('/ 1 + 1 x', 'pow - 3 x 2')
    """
    tokens = expression.labels() if isinstance(expression, Tree) else expression
    return _text(_part(tokens, direct=True))


class Canonical:
    """Canonical keys of numbered terms, of every subterm once. Args: direct: as `direct_key` has them."""

    def __init__(self, terms: Subterms, *, direct: bool = False) -> None:
        self._terms, self._direct = terms, direct
        self._parts: dict[int, _Part] = {}

    def key(self, number: int) -> str:
        """The canonical form of a term."""
        return _text(self._part(number))

    def _part(self, number: int) -> _Part:
        part = self._parts.get(number)
        if part is None:
            terms, direct = self._terms, self._direct
            left, right = terms.lefts[number], terms.rights[number]
            one = self._part(left) if left >= 0 else None
            other = self._part(right) if right >= 0 else None
            part = self._parts[number] = _composed(terms.names[terms.labels[number]], one, other, direct)
        return part


def _part(tokens: Sequence[str], direct: bool = False) -> _Part:
    stack: list[_Part] = []
    pop = stack.pop
    for token in reversed(tokens):
        operands = ARITY.get(token, 0)
        left = pop() if operands else None
        stack.append(_composed(token, left, pop() if operands > 1 else None, direct))
    return pop()


def _composed(token: str, left: _Part | None, right: _Part | None, direct: bool) -> _Part:
    """A label with its operands."""
    if left is None:
        return (1, _ATOM, [token], []) if token in ARITY else _number(token)
    if right is None:
        return _direct(token, left, None) if direct else (1, _ATOM, [f"{token} {_text(left)}"], [])
    if token == "*" or token == "/":
        return _product(left, right, token == "/")
    if token == "+" or token == "-":
        return _sum(left, right, token == "-")
    if direct and token == "pow":
        return _direct(token, left, right)
    return 1, _ATOM, [f"{token} {_text(left)} {_text(right)}"], []


@lru_cache(maxsize=4096)
def _number(token: str) -> _Part:
    if token in LETTERS:
        return 1, _ATOM, [token], []
    value = Fraction(token)
    if not value:
        return 1, _SUM, [], []
    numerator, denominator = abs(value.numerator), value.denominator
    return (
        1 if value > 0 else -1,
        _PRODUCT,
        [] if numerator == 1 else [str(numerator)],
        [] if denominator == 1 else [str(denominator)],
    )


def _product(left: _Part, right: _Part, over: bool) -> _Part:
    sign = left[0] * right[0]
    if right[1] == _PRODUCT and not right[2] and not right[3]:
        return sign, left[1], left[2], left[3]
    if left[1] == _PRODUCT and not left[2] and not left[3] and not over:
        return sign, right[1], right[2], right[3]
    flip, above, below = _factors(left)
    flop, over_above, over_below = _factors(right)
    sign = flip * flop
    if over:
        above, below = above + over_below, below + over_above
    else:
        above, below = above + over_above, below + over_below
    if len(above) == 1 and not below:
        # What remains of 1/(1/u) is u itself, which may be a sum.
        same = _part(above[0].split())
        return sign * same[0], same[1], same[2], same[3]
    return sign, _PRODUCT, above, below


def _factors(part: _Part) -> tuple[int, list[str], list[str]]:
    sign, kind, first, second = part
    if kind == _SUM:
        sign, text = _unsigned(part)
        return sign, [text], []
    return sign, first, second


def _sum(left: _Part, right: _Part, minus: bool) -> _Part:
    if minus:
        right = (-right[0], right[1], right[2], right[3])
    if right[1] == _SUM and not right[2] and not right[3]:
        return left
    if left[1] == _SUM and not left[2] and not left[3]:
        return right
    plus: list[str] = []
    less: list[str] = []
    for part in (left, right):
        sign, kind, first, second = part
        if kind == _SUM:
            if sign > 0:
                plus += first
                less += second
            else:
                plus += second
                less += first
        else:
            (plus if sign > 0 else less).append(first[0] if kind == _ATOM else _fraction(1, first, second))
    return 1, _SUM, plus, less


def _text(part: _Part) -> str:
    sign, kind, first, second = part
    if kind == _ATOM:
        return first[0] if sign > 0 else f"* -1 {first[0]}"
    if kind == _PRODUCT:
        return _fraction(sign, first, second)
    return _series(first, second) if sign > 0 else _series(second, first)


def _unsigned(part: _Part) -> tuple[int, str]:
    """A sum as a factor: of `a - b` and `b - a` always the same one, and the sign that makes up for it."""
    sign, _, plus, less = part
    if less and (not plus or min(less) < min(plus)):
        return -sign, _series(less, plus)
    return sign, _series(plus, less)


def _fraction(sign: int, above: list[str], below: list[str]) -> str:
    numerator = sorted(above)
    if sign < 0:
        for place, text in enumerate(numerator):
            if text[0].isdigit():
                numerator[place] = "-" + text
                break
        else:
            numerator.insert(0, "-1")
    top = _nested("* ", numerator) if numerator else "1"
    return f"/ {top} {_nested('* ', sorted(below))}" if below else top


def _series(plus: list[str], less: list[str]) -> str:
    if not plus:
        return "* -1 " + _nested("+ ", sorted(less)) if less else "0"
    text = _nested("+ ", sorted(plus))
    if not less:
        return text
    return "- " * len(less) + text + " " + " ".join(sorted(less))


def _nested(operator: str, texts: list[str]) -> str:
    return operator * (len(texts) - 1) + " ".join(texts)


def _direct(token: str, operand: _Part, exponent: _Part | None) -> _Part:
    """A function or a power of canonical operands without detours."""
    sign, power = 1, f" {_text(exponent)}" if exponent else ""
    whole = bool(exponent) and power.removeprefix(" ").removeprefix("-").isdigit()
    even = int(power) % 2 == 0 if whole else token in _EVEN
    if even or whole or token in _ODD:
        sign, above, below = _factors(operand)
        operand = (1, _ATOM if operand[1] != _PRODUCT else _PRODUCT, above, below)
        sign = 1 if even else sign
    text = _text(operand)
    inner, _, rest = text.partition(" ")
    if inner in (UNDONE_BY.get(token), UNDONE_BY.get(_RECIPROCAL.get(token, ""))):
        part = _part(rest.split())
        if inner != UNDONE_BY[token]:
            part = _product((1, _PRODUCT, [], []), part, True)
        return sign * part[0], part[1], part[2], part[3]
    return sign, _ATOM, [f"{token} {text}{power}"], []
