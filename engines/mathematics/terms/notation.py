"""The notations in which an expression is read and shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from engines.core.errors import ExpressionError
from engines.core.expression_language import (
    ARITY,
    BINDERS,
    FURTHER,
    GREEK,
    HYPERBOLIC,
    INVERSE,
    LEAVES,
    TRIGONOMETRIC,
    apply_float,
    is_constant_token,
    is_name,
    operate_float,
    read_prefix,
    show_controls,
    to_prefix,
)
from engines.core.tree import Tree
from engines.formula.reader import Notation, read_expression

# Training notation: the tokens that a sequence model reads and writes (E-Gen's published code).
#
# Operators are words (`add sub mul div`), functions keep their names, an integer is a sign and its digits
# (`-12` is `INT- 1 2`), a decimal is the fraction it stands for (`0.5` is `div INT+ 1 INT+ 2`) and comes back
# as that quotient. Nothing is rounded on the way: a constant that is no p/q with q up to 17 is refused.

VOCABULARY: tuple[str, ...] = (
    *("PAD", "SOE", "EOE"),
    *"0123456789",
    *("pi", "e", "INT+", "INT-", "x"),
    *("add", "sub", "mul", "div", "pow", "rac", "inv", "pow2", "pow3", "pow4", "pow5"),
    *("sqrt", "exp", "ln", "abs", "sign"),
    *TRIGONOMETRIC,
    *INVERSE[:6],
    *HYPERBOLIC,
    *INVERSE[6:],
    "d",
)
"""The 59 tokens, each at its id. `rac inv pow2 … pow5 exp sign` are there for the ids and are never used."""

MAX_DENOMINATOR = 17
_IDS = {token: number for number, token in enumerate(VOCABULARY)}
_WORDS = {"+": "add", "-": "sub", "*": "mul", "/": "div"}
_SIGNS = {word: label for label, word in _WORDS.items()}
PAD, START, END = (_IDS[token] for token in ("PAD", "SOE", "EOE"))


def to_training(tree: Tree) -> list[str]:
    """Return the tree in training tokens, without SOE and EOE.

    Raises:
        ExpressionError: For a constant that has no exact form and for `log`, which has no token.

    >>> to_training(read_prefix("- x -12"))
    ['sub', 'x', 'INT-', '1', '2']
    """
    written: list[str] = []
    for node in tree:
        label = node.label
        word = _WORDS.get(label, label)
        if is_constant_token(label):
            written += _constant_tokens(label)
        elif word in _IDS:
            written.append(word)
        else:
            raise ExpressionError(
                f"{label[:40]!r} has no token in training notation",
                remedy="Write a logarithm to another base as a quotient: / ln u ln b."
                if label == "log"
                else "",
            )
    return written


def _constant_tokens(label: str) -> list[str]:
    value = Fraction(label)
    near = value.limit_denominator(MAX_DENOMINATOR)
    # 1/3 is written with the digits of the float next to it.
    if value != near and float(label) != near.numerator / near.denominator:
        raise ExpressionError(
            f"the constant {label} is not a fraction with a denominator up to {MAX_DENOMINATOR}",
            remedy="Write it as a quotient of integers.",
        )
    sign = "INT-" if near < 0 else "INT+"
    above, below = [sign, *str(abs(near.numerator))], ["INT+", *str(near.denominator)]
    return above if value.denominator == 1 else ["div", *above, *below]


def from_training(tokens: Sequence[str]) -> Tree:
    """Return the tree of training tokens without SOE and EOE; integers as leaves, fractions as quotients.

    Raises:
        ExpressionError: For tokens that are not in the vocabulary, stand for nothing or do not make up one
            expression.
    """
    labels: list[str] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token in ("INT+", "INT-"):
            first = at
            while at < len(tokens) and tokens[at].isdigit() and tokens[at] in _IDS:
                at += 1
            if at == first:
                raise ExpressionError(f"{token} at token {first} is followed by no digit", position=first)
            value = int("".join(tokens[first:at]))
            labels.append(str(-value if token == "INT-" else value))
        elif token in _SIGNS:
            labels.append(_SIGNS[token])
        elif token in ARITY and token in _IDS:
            labels.append(token)
        else:
            raise ExpressionError(
                f"token {at}, {token[:40]!r}, cannot be read in training notation", position=at - 1
            )
    return read_prefix(" ".join(labels))


def decode_ids(ids: Iterable[int]) -> Tree:
    """Return the tree of ids that a model wrote: what stands before the first EOE, without SOE and PAD.

    Raises:
        ExpressionError: For an id outside the vocabulary and as `from_training`.
    """
    tokens: list[str] = []
    for number in ids:
        if not 0 <= number < len(VOCABULARY):
            raise ExpressionError(f"id {number} is outside the vocabulary of {len(VOCABULARY)} tokens")
        if number == END:
            break
        if number not in (START, PAD):
            tokens.append(VOCABULARY[number])
    return from_training(tokens)


# `infix` and `unicode_infix` can be read back to the very same tree: brackets stay where the tree has them
# (`a - (b - c)`, `a*(b/c)`), and nothing is simplified. What `latex` writes is read back to an expression
# that is equal everywhere.


def read_head(text: str, notation: Notation = "auto", letters: str = "") -> Tree:
    """Read an expression that is to be a head (see `read_expression`).

    Raises:
        ExpressionError: Also as `check_head` does.
    """
    tree = read_expression(text, notation, letters)
    check_head(tree)
    return tree


def check_head(tree: Tree) -> None:
    """Refuse an expression that can be no head because it divides by the constant zero somewhere.

    Raises: ExpressionError.
    """
    if not FURTHER.keys().isdisjoint(tree.list_labels()):
        return  # worked out where it is judged
    values: list[float | None] = []
    # In reverse pre-order, operands have their values before their operator needs them.
    for node in reversed(list(tree)):
        if not node.children:
            values.append(float(node.label) if is_constant_token(node.label) else LEAVES.get(node.label))
            continue
        left = values.pop()
        if len(node.children) == 1:
            values.append(None if left is None else apply_float(node.label, left))
            continue
        right = values.pop()
        zero = node.children[1] if node.label == "/" else node.children[0]
        negative = right is not None and right < 0
        divides = (node.label == "/" and right == 0) or (node.label == "pow" and left == 0 and negative)
        # Floating point only suggests that the divisor is 0, which is then proved exactly.
        if divides and _is_zero(zero):
            raise ExpressionError(
                f"{to_prefix(node)[:60]!r} divides by zero wherever x is",
                text=show_controls(to_prefix(tree)),
                remedy="It has no value anywhere; change the expression.",
            )
        if node.label == "d":
            values.append(None if right is None else 0.0)
        else:
            values.append(None if left is None or right is None else operate_float(node.label, left, right))


def _is_zero(tree: Tree) -> bool:
    """Return whether a constant that doubles take for 0 is 0, as far as a thousand bits can tell."""
    from engines.mathematics.numbers.numeric import compile_many
    from engines.mathematics.numbers.precise import Functions

    program, functions = compile_many([tree]), Functions([0.5], 1024, merged=False)
    value = functions.values[functions.read_programs(program, program.roots)[program.roots[0]]][0]
    return value is not None and bool(value.contains(0))


class _Written(NamedTuple):
    """A subterm in print and how tightly its outermost operator binds."""

    text: str
    level: int


_OPERANDS = {**ARITY, **FURTHER}
# How tightly a written part binds; a part with a lower level than its place needs is put in brackets.
_SUM, _MINUS, _PRODUCT, _PREFIX, _POWER, _ATOM = range(1, 7)
_STARTS_WITH_NUMBER = re.compile(r"[\d.]+(?![\d.^⁰¹²³⁴⁵⁶⁷⁸⁹⁻])")
_BASE = re.compile(r"(?:[0-9.]+|[a-zπ]|pi)\Z")
"""What may stand after `log_`."""
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def _write_tree(tree: Tree, combine: Callable[[Tree, list[_Written]], _Written]) -> str:
    stack: list[_Written] = []
    for node in reversed(list(tree)):
        stack.append(combine(node, [stack.pop() for _ in node.children]))
    return stack[0].text


def to_infix(expression: Tree | str) -> str:
    """Return a tree, or prefix notation, in ASCII infix with the brackets it needs: `-7*x^2 + 3*sin(x/2)`."""
    labels = expression.split() if isinstance(expression, str) else expression.list_labels()
    stack: list[_Written] = []
    for label in reversed(labels):
        stack.append(_write_linear(label, [stack.pop() for _ in range(_OPERANDS.get(label, 0))]))
    return stack[0].text


def unicode_infix(tree: Tree) -> str:
    """Return a tree in infix for people: `63·cosh(2 − 7x)`, `x²`, `√(x + 1)`, `|x|`."""
    return _write_tree(tree, _write_unicode)


def to_latex(tree: Tree) -> str:
    r"""Return a tree in LaTeX that amsmath knows: `\frac{x}{2} + \sin^{2}\left(3 x\right)`."""
    return _write_tree(tree, _write_latex)


def _bracket_part(part: _Written, level: int, *, leads: bool = False) -> str:
    if part.level < level or (part.text[0] in "-−" and not leads):
        return f"({part.text})"
    return part.text


def _negate_part(part: _Written, minus: str) -> _Written:
    # A number right after the minus would be read as one constant with it.
    level = _ATOM + 1 if _STARTS_WITH_NUMBER.match(part.text) else _PRODUCT
    return _Written(minus + _bracket_part(part, level), _MINUS)


def _write_leaf(label: str) -> str:
    """Return how a leaf is written: the variable d without the mark that tells it from the derivative."""
    return "d" if label == "d_" else label


def _write_linear(label: str, parts: list[_Written], minus: str = "-", times: str = "*") -> _Written:
    if not parts:
        return _Written(_write_leaf(label), _PRODUCT if label[0] == "-" else _ATOM)
    if label in ("+", "-"):
        left, right = _bracket_part(parts[0], _SUM, leads=True), _bracket_part(parts[1], _MINUS)
        return _Written(f"{left} {minus if label == '-' else label} {right}", _SUM)
    if label == "*" and parts[0].text == minus + "1":
        return _negate_part(parts[1], minus)
    if label in ("*", "/"):
        left, right = _bracket_part(parts[0], _PRODUCT, leads=True), _bracket_part(parts[1], _PREFIX)
        return _Written(f"{left}{times if label == '*' else label}{right}", _PRODUCT)
    if label == "pow":
        return _Written(f"{_bracket_part(parts[0], _ATOM)}^{_bracket_part(parts[1], _POWER)}", _POWER)
    if label == "d":
        return _Written(f"d/dx({parts[1].text})", _PREFIX)
    if label == "log" and _BASE.match(parts[0].text):
        return _Written(f"log_{parts[0].text}({parts[1].text})", _ATOM)
    return _Written(f"{label}({', '.join(part.text for part in parts)})", _ATOM)


def _write_unicode(node: Tree, parts: list[_Written]) -> _Written:
    label = node.label
    if not parts:
        text = "π" if label == "pi" else _write_leaf(label).replace("-", "−")
        return _Written(text, _PRODUCT if label[0] == "-" else _ATOM)
    if label == "pow" and not node.children[1].children:
        exponent = node.children[1].label
        if exponent.lstrip("-").isdigit():
            return _Written(_bracket_part(parts[0], _ATOM) + exponent.translate(_SUPERSCRIPTS), _POWER)
    if label == "abs":
        return _Written(f"|{parts[0].text}|", _ATOM)
    if label in ("floor", "ceil"):
        low, high = "⌊⌋" if label == "floor" else "⌈⌉"
        return _Written(f"{low}{parts[0].text}{high}", _ATOM)
    if label == "factorial":
        return _Written(_bracket_part(parts[0], _ATOM) + "!", _POWER)
    if label == "sqrt":
        plain = len(node) == 2 and parts[0].level == _ATOM
        return _Written("√" + (parts[0].text if plain else f"({parts[0].text})"), _PREFIX)
    return _write_linear(label, parts, "−", "" if label == "*" and _adjoins_number(node) else "·")


def _adjoins_number(node: Tree) -> bool:
    number, factor = node.children
    if factor.label == "pow" and not factor.children[1].children:
        factor = factor.children[0]
    return is_constant_token(number.label) and (factor.label == "pi" or is_name(factor.label))


_LATEX_NAMES = {
    **{name: rf"\{name}" for name in ("ln", *TRIGONOMETRIC, "sinh", "cosh", "tanh", "coth")},
    **{name: rf"\operatorname{{{name}}}" for name in ("csch", "sech")},
    **{name: rf"\arc{name[1:]}" for name in ("asin", "acos", "atan")},
    **{name: rf"\operatorname{{arc{name[1:]}}}" for name in ("acsc", "asec", "acot")},
    **{"a" + name: rf"\operatorname{{ar{name}}}" for name in HYPERBOLIC},
}


_COMMANDS = {letter: rf"\{name}" for name, letter in GREEK.items()}


def _latex_name(name: str) -> str:
    if len(name) == 1:
        return _COMMANDS.get(name, name)
    base, _, below = name.partition("_")
    letters = " ".join(_COMMANDS.get(char, char) for char in below) if not below.isascii() else below
    written = _COMMANDS.get(base[0], base[0]) + base[1:]
    return f"{written}_{{{letters}}}" if below else f"{{{written}}}" if len(base) > 1 else written


def _fence_text(text: str) -> str:
    return rf"\left({text}\right)"


def _write_latex(node: Tree, parts: list[_Written]) -> _Written:
    label = node.label
    if not parts:
        if is_name(label):
            return _Written(_latex_name(label), _ATOM)
        return _Written(r"\pi" if label == "pi" else label, _PRODUCT if label[0] == "-" else _ATOM)

    def write_operand(index: int, level: int, *, leads: bool = False) -> str:
        part = parts[index]
        return (
            _fence_text(part.text) if part.level < level or (part.text[0] == "-" and not leads) else part.text
        )

    if label in ("+", "-"):
        return _Written(f"{write_operand(0, _SUM, leads=True)} {label} {write_operand(1, _MINUS)}", _SUM)
    if label == "*":
        right = write_operand(1, _PRODUCT)
        if parts[0].text == "-1" and not right[0].isdigit():
            return _Written(f"-{right}", _MINUS)
        left = write_operand(0, _PRODUCT, leads=True)
        joint = (
            " "
            if is_constant_token(left) and (right[0].isalpha() or right.startswith(_SIMPLE))
            else r" \cdot "
        )
        return _Written(f"{left}{joint}{right}", _PRODUCT)
    if label == "/":
        return _Written(rf"\frac{{{parts[0].text}}}{{{parts[1].text}}}", _PREFIX)
    # "\sin^{2}(x)" instead of "(\sin(x))^{2}", as it is usually printed.
    if label == "pow":
        base, exponent = node.children
        name = _LATEX_NAMES.get(base.label)
        if name and not exponent.children and exponent.label.isdigit():
            return _Written(f"{name}^{{{exponent.label}}}" + parts[0].text.removeprefix(name), _POWER)
        return _Written(f"{write_operand(0, _ATOM)}^{{{parts[1].text}}}", _POWER)
    if label == "d":
        return _Written(rf"\frac{{d}}{{dx}}{_fence_text(parts[1].text)}", _PREFIX)
    if label == "sqrt":
        return _Written(rf"\sqrt{{{parts[0].text}}}", _ATOM)
    if label == "abs":
        return _Written(rf"\left|{parts[0].text}\right|", _ATOM)
    if label == "log":
        return _Written(rf"\log_{{{parts[0].text}}}{_fence_text(parts[1].text)}", _POWER)
    if label in FURTHER:
        return _write_further(node, parts)
    return _Written(_LATEX_NAMES[label] + _fence_text(parts[0].text), _POWER)


def _write_further(node: Tree, parts: list[_Written]) -> _Written:
    texts = [part.text for part in parts]
    if node.label == "floor":
        return _Written(rf"\lfloor {texts[0]} \rfloor", _ATOM)
    if node.label == "ceil":
        return _Written(rf"\lceil {texts[0]} \rceil", _ATOM)
    if node.label == "factorial":
        inner = texts[0] if not node.children[0].children and texts[0][0] != "-" else _fence_text(texts[0])
        return _Written(f"{inner}!", _POWER)
    if node.label == "binomial":
        return _Written(rf"\binom{{{texts[0]}}}{{{texts[1]}}}", _ATOM)
    if node.label == "root":
        return _Written(rf"\sqrt[{texts[0]}]{{{texts[1]}}}", _ATOM)
    if node.label == "mod":
        sides = [part.text if part.level == _ATOM else _fence_text(part.text) for part in parts]
        return _Written(_fence_text(rf"{sides[0]} \bmod {sides[1]}"), _ATOM)
    if node.label not in BINDERS:
        known = {"gamma": r"\Gamma", "min": r"\min", "max": r"\max", "gcd": r"\gcd"}
        name = known.get(node.label, rf"\operatorname{{{node.label}}}")
        return _Written(name + _fence_text(", ".join(texts)), _POWER)
    name, low, high, body = texts
    if node.label == "integral":
        return _Written(rf"\int_{{{low}}}^{{{high}}} {_fence_text(body)} \, d{name}", _PREFIX)
    return _Written(rf"\{node.label}_{{{name}={low}}}^{{{high}}} {_fence_text(body)}", _MINUS)


_SIMPLE = (*_LATEX_NAMES.values(), r"\pi", r"\sqrt", r"\log", r"\left|")
"""What may stand behind a number without a sign: not a fraction, which would read as a mixed number."""


def expression_row(tree: Tree) -> dict[str, Any]:
    """Return an expression in all notations, as a row of JSON."""
    return {
        "prefix": to_prefix(tree),
        "infix": to_infix(tree),
        "unicode": unicode_infix(tree),
        "latex": to_latex(tree),
        "tokens": len(tree),
    }
