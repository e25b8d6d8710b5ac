r"""Orders of growth: `\Theta(n \log n)` is `\Theta(n \log_2 n)`, and `O(3n^2 + 5n)` is `O(n^2)`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from engines.core.tree import Tree
from engines.grading.linear_terms import read_linear, read_number
from engines.grading.verdicts import GradeVerdict, differ_by
from engines.mathematics.judging.names import free_variables

_SYMBOLS = {"O": "O", "𝒪": "O", "Θ": "Θ", "Ω": "Ω", "o": "o", "ω": "ω"}
_MOST_EXPONENT = 64


@dataclass(frozen=True, slots=True, order=True)
class _Growth:
    """How fast `base^n * n^power * (log n)^logs` grows."""

    base: Fraction
    power: Fraction
    logs: Fraction


_CONSTANT = _Growth(Fraction(1), Fraction(0), Fraction(0))


def compare_growth(gold: Tree, pred: Tree) -> GradeVerdict | None:
    """Compare two orders of growth of one variable; None for other terms."""
    one, other = _read_order(gold), _read_order(pred)
    if one is None or other is None:
        return None
    (symbol, body), (other_symbol, other_body) = one, other
    names = free_variables(body) | free_variables(other_body)
    if len(names) > 1:
        return None
    name = next(iter(names), "n")
    orders = _read_growth(body, name), _read_growth(other_body, name)
    if orders[0] is None or orders[1] is None:
        return None
    if symbol != other_symbol:
        return differ_by(f"{symbol} and {other_symbol}")
    if orders[0] == orders[1]:
        return GradeVerdict("equal", reason="constant factors and smaller terms do not change the order")
    return differ_by("one of them grows faster")


def _read_order(tree: Tree) -> tuple[str, Tree] | None:
    """Return the symbol of an order of growth and what it is of; None for other terms."""
    if tree.label in ("=", "in"):
        return _read_order(tree.children[1])
    if tree.label not in ("call", "*") or len(tree.children) != 2:
        return None
    symbol, body = tree.children
    return (_SYMBOLS[symbol.label], body) if symbol.label in _SYMBOLS and not symbol.children else None


def _read_growth(tree: Tree, name: str) -> _Growth | None:
    label, parts = tree.label, tree.children
    if label == name:
        return _Growth(Fraction(1), Fraction(1), Fraction(0))
    if name not in tree.list_labels():
        number = read_number(tree)
        return _CONSTANT if number is None or number > 0 else None
    if label == "sqrt":
        return _raise(_read_growth(parts[0], name), Fraction(1, 2))
    if label in ("ln", "log"):
        return _read_logarithm(parts[-1], name)
    if label == "pow":
        return _read_power(parts[0], parts[1], name)
    if label not in ("+", "-", "*", "/"):
        return None
    one, other = (_read_growth(part, name) for part in parts)
    if one is None or other is None:
        return None
    if label == "*":
        return _Growth(one.base * other.base, one.power + other.power, one.logs + other.logs)
    if label == "/":
        return _Growth(one.base / other.base, one.power - other.power, one.logs - other.logs)
    # A difference of equal orders may be smaller, or negative.
    return max(one, other) if label == "+" or one > other else None


def _read_power(base: Tree, exponent: Tree, name: str) -> _Growth | None:
    number = read_number(exponent)
    if number is not None:
        return _raise(_read_growth(base, name), number)
    value, line = read_number(base), read_linear(exponent, name)
    if value is None or line is None or value <= 0 or any(abs(one) > _MOST_EXPONENT for one in line):
        return None
    if line[1].denominator > 1:
        return None
    return _Growth(value ** int(line[1]), Fraction(0), Fraction(0))


def _raise(growth: _Growth | None, exponent: Fraction) -> _Growth | None:
    if growth is None or (growth.base != 1 and exponent.denominator > 1) or abs(exponent) > _MOST_EXPONENT:
        return None
    base = growth.base ** int(exponent) if growth.base != 1 else growth.base
    return _Growth(base, growth.power * exponent, growth.logs * exponent)


def _read_logarithm(argument: Tree, name: str) -> _Growth | None:
    if argument == Tree("factorial", (Tree(name),)):
        return _Growth(Fraction(1), Fraction(1), Fraction(1))
    inner = _read_growth(argument, name)
    if inner is None or inner <= _CONSTANT:
        return None
    if inner.base > 1:
        return _Growth(Fraction(1), Fraction(1), Fraction(0))
    return _Growth(Fraction(1), Fraction(0), Fraction(1)) if inner.power > 0 else None
