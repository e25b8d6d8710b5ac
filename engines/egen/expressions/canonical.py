"""When two expressions are the same member, and when a member is only its shorter self in disguise.

The canonical form reads sums as signed n-ary sums and products as one numerator over one denominator, both
sorted; signs belong to terms and products, not to constants (`- a * 3 b` and `+ * -3 b a` are one form), and
a decimal is the fraction it stands for (`* 0.5 x` and `/ x 2` are one form). Nothing is calculated: `+ 2 3`,
`5`, `* x x` and `pow x 2` stay apart.

Padding is judged by value where a constant is concerned: `* cos 0 u` is padded like `* 1 u`.

Both functions run over thousands of sampled terms per head, so they work on prefix tokens from right to left
with plain lists; the canonical form of every subterm is its own prefix text.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from engines.core.tree import Tree
from engines.egen.egraph.constants import LEAVES, apply, operate
from engines.egen.expressions.language import ARITY, HYPERBOLIC, LETTERS, TRIGONOMETRIC, read_prefix

__all__ = ["canonical", "canonical_key", "has_padding"]

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


def canonical(tree: Tree) -> Tree:
    """The canonical form as a tree, sums and products nested to the left; it is its own canonical form.

    Raises: ExpressionError when a sum or product has so many operands that the tree is too deep.
    """
    return read_prefix(canonical_key(tree), LETTERS)


def _part(tokens: Sequence[str]) -> _Part:
    stack: list[_Part] = []
    push, pop = stack.append, stack.pop
    for token in reversed(tokens):
        if token == "*" or token == "/":
            push(_product(pop(), pop(), token == "/"))
        elif token == "+" or token == "-":
            push(_sum(pop(), pop(), token == "-"))
        else:
            arity = ARITY.get(token)
            if arity == 1:
                push((1, _ATOM, [f"{token} {_text(pop())}"], []))
            elif arity == 0:
                push((1, _ATOM, [token], []))
            elif arity == 2:
                push((1, _ATOM, [f"{token} {_text(pop())} {_text(pop())}"], []))
            else:
                push(_number(token))
    return pop()


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


_UNDONE_BY = {
    **{name: "a" + name for name in TRIGONOMETRIC + HYPERBOLIC},
    **{"a" + name: name for name in TRIGONOMETRIC + HYPERBOLIC},
}

# A subterm under judgement: (value, power, negative, end).
#   value     of a constant, or 0 or 1 where the term is that for every x; None otherwise
#   power     p where the term is written as the p-th power of something; None otherwise
#   negative  2: a factor is -1; 1: a factor is another negative constant; 0: neither
#   end       the position after its last token
_Judged = tuple[float | None, float | None, int, int]


def has_padding(expression: Tree | Sequence[str]) -> bool:
    """Whether some subterm says nothing: `1*u`, `u/1`, `u^1`, `u±0`, `0-u`, -(-u), f(f⁻¹(u)) or f⁻¹(f(u)).

    0 and 1 may be written as any constant subterm of that value (`cos 0`, `- 4 3`) or as `u-u`, `u/u`, `0*u`,
    `u^0`; an unfolded constant is not padding in itself. The inverse pairs are the 12 trigonometric and
    hyperbolic ones, exponential and logarithm to any base, 1/(1/u) and (u^p)^(1/p), except where p is even:
    sqrt(u^2) is |u|, a form of its own. -(-u) is a product with -1 and another negative constant, or the
    subtraction of a product with -1; subtracting a negative constant (`- x -7`) is not.
    """
    tokens = expression.labels() if isinstance(expression, Tree) else expression
    stack: list[_Judged] = []
    push, pop = stack.append, stack.pop
    for at in range(len(tokens) - 1, -1, -1):
        token = tokens[at]
        arity = ARITY.get(token)
        if arity is None:
            value = _decimal(token)
            push((value, None, 0 if value is None else 2 if value == -1 else value < 0, at + 1))
        elif arity == 0:
            push((LEAVES.get(token), None, 0, at + 1))
        elif arity == 1:
            operand = pop()
            inner = tokens[at + 1]
            if _UNDONE_BY.get(token) == inner or (token == "ln" and inner == "pow" and tokens[at + 2] == "e"):
                return True
            root = 0.5 if token == "sqrt" else None
            if operand[0] is None:
                push((None, root, 0, operand[3]))
            else:
                push(_constant(apply(token, operand[0]), operand[3], root))
        else:
            left, right = pop(), pop()
            if token == "d":
                push((_slope(tokens[at + 2], right[0]), None, 0, right[3]))
                continue
            if _padded(token, tokens, at, left, right):
                return True
            push(_judged(token, tokens, at, left, right))
    return False


@lru_cache(maxsize=4096)
def _decimal(token: str) -> float | None:
    return None if token in LETTERS else float(token)


def _slope(body: str, value: float | None) -> float | None:
    if body == "x":
        return 1.0
    return None if value is None else 0.0


def _constant(value: float | None, end: int, exponent: float | None = None) -> _Judged:
    return value, exponent, 0 if value is None or value >= 0 else 2 if value == -1 else 1, end


def _padded(token: str, tokens: Sequence[str], at: int, left: _Judged, right: _Judged) -> bool:
    """Whether the operator at `at` does nothing to one of its operands, or undoes it."""
    if token == "+":
        return left[0] == 0 or right[0] == 0
    if token == "-":
        return left[0] == 0 or right[0] == 0 or (right[2] == 2 and right[0] is None)
    if token == "*":
        return left[0] == 1 or right[0] == 1 or left[2] + right[2] > 2
    if token == "/":
        return right[0] == 1 or left[2] + right[2] > 2 or (left[0] == 1 and right[1] == -1)
    base = left[3]
    if token == "pow":
        exponent = right[0]
        if exponent == 1:
            return True
        if exponent is not None and left[1] is not None:
            # a product of short numbers that is this close to 1 was meant to be; only padding depends on it
            return left[1] % 2 != 0 and abs(left[1] * exponent - 1) < 1e-12
        if tokens[base] == "ln":
            return tokens[at + 1] == "e"
    undone = "log" if token == "pow" else "pow"
    return tokens[base] == undone and tokens[at + 1 : base] == tokens[base + 1 : 2 * base - at]


def _judged(token: str, tokens: Sequence[str], at: int, left: _Judged, right: _Judged) -> _Judged:
    """What is known of an operator's result: the value of a constant, or 0 or 1 by form."""
    first, second, end = left[0], right[0], right[3]
    exponent = second if token == "pow" else -1.0 if token == "/" and first == 1 else None
    if first is not None and second is not None:
        return _constant(operate(token, first, second), end, exponent)
    value = None
    if token == "*":
        value = 0.0 if first == 0 or second == 0 else None
    elif token == "/":
        value = 0.0 if first == 0 else 1.0 if _same(tokens, at, left, right) else None
    elif token == "-":
        value = 0.0 if _same(tokens, at, left, right) else None
    elif token == "pow":
        value = 1.0 if second == 0 or first == 1 else None
    elif token == "log":
        value = 0.0 if second == 1 else 1.0 if _same(tokens, at, left, right) else None
    return value, exponent, left[2] or right[2] if token in "*/" else 0, end


def _same(tokens: Sequence[str], at: int, left: _Judged, right: _Judged) -> bool:
    """Whether the two operands of the operator at `at` are written the same way."""
    middle = left[3]
    return right[3] - middle == middle - at - 1 and tokens[at + 1 : middle] == tokens[middle : right[3]]
