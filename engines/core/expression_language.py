"""The expression language of E-Gen: generator prefix notation, and the arithmetic of its numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from fractions import Fraction
from functools import lru_cache

from engines.core.errors import ExpressionError
from engines.core.tree import MAX_CHARACTERS, Tree, parse_prefix

# The expression language of E-Gen: the variable x, real values, generator prefix notation.
#
# Tokens, as E-Gen's generator writes them: `+ - * / pow` take two operands, `log` takes (base, argument), `d`
# takes (variable, body), every function takes one. Leaves are `x`, `pi`, `e` and constants. A constant is one
# token: an integer (`-7`) or a decimal (`0.5`); unary minus does not exist (it is `* -1 u`), and exp(u) is
# `pow e u`. Operations that take several variables read `LETTERS` as leaves too.

VARIABLE = "x"
VARIABLES = "xyztuv"
LETTERS = VARIABLES[1:] + "abckmnpqrsw"
"""Variables other than x, and parameters, of which several in a row are a product. Where they are read other
names are as well, see `is_name`."""
GREEK = dict(
    zip(
        re.findall(
            r"\w+",
            "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi rho sigma tau upsilon "
            "phi chi psi omega varepsilon varphi Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega",
        ),
        "αβγδϵζηθικλμνξρστυϕχψωεφΓΔΘΛΞΠΣΥΦΨΩ",
        strict=True,
    )
)
"""Greek letters by their names."""
_NO_NAMES = ("d", "e", "i", "j", "I")
_SYMBOL = rf"[A-Za-z{''.join(GREEK.values())}]"
SUBSCRIPT = rf"_(?:[0-9]+|{_SYMBOL}+[0-9]*)"
NAME = rf"{_SYMBOL}'*{SUBSCRIPT}|{_SYMBOL}'+"
"""A name with a subscript or primes."""
_NAME = re.compile(rf"{_SYMBOL}|{NAME}|[dei]_")
CONSTANTS = ("pi", "e")
TRIGONOMETRIC = ("sin", "cos", "tan", "csc", "sec", "cot")
HYPERBOLIC = ("sinh", "cosh", "tanh", "csch", "sech", "coth")
INVERSE = tuple("a" + name for name in TRIGONOMETRIC + HYPERBOLIC)
FUNCTIONS = ("ln", *TRIGONOMETRIC, *INVERSE[:6], *HYPERBOLIC, *INVERSE[6:])
"""The 25 functions of the templates, in the order of E-Gen's generator."""

ARITY: dict[str, int] = {
    **dict.fromkeys(("+", "-", "*", "/", "pow", "log", "d"), 2),
    **dict.fromkeys(("sqrt", "abs", *FUNCTIONS), 1),
    **dict.fromkeys((VARIABLE, *CONSTANTS), 0),
}

BINDERS = ("sum", "prod", "integral")
"""`sum k a b u`: of u for the integers k from a to b; `integral t a b u`: of u from t = a to b."""
WHOLE = ("factorial", "gamma", "binomial", "pochhammer", "mod", "gcd", "lcm")
"""Functions that are mostly used of integers; of others, `x!` is gamma(x + 1)."""
FURTHER = {
    **dict.fromkeys(("sign", "floor", "ceil", "round", "factorial", "gamma"), 1),
    **dict.fromkeys(("binomial", "pochhammer", "mod", "gcd", "lcm", "min", "max", "root"), 2),
    **dict.fromkeys(BINDERS, 4),
}
"""Operators that are read where several variables are, and their operands; judged, not rewritten. `root`
takes (degree, radicand), `mod` (number, modulus); the odd root of a negative number is negative."""

ALIASES = {
    **{"arc" + name: "a" + name for name in TRIGONOMETRIC + HYPERBOLIC},
    **{"ar" + name: "a" + name for name in HYPERBOLIC},
    "cosec": "csc",
    "cosech": "csch",
    "cotan": "cot",
    "sen": "sin",
    "tg": "tan",
    "ctg": "cot",
    "cotg": "cot",
    "arcsen": "asin",
    "arctg": "atan",
    "arcctg": "acot",
    "arccotg": "acot",
    "senh": "sinh",
    "tgh": "tanh",
    "arccosec": "acsc",
    "arccotan": "acot",
}
"""Other names of the functions, which every reader of formulas knows."""

_NUMBER = re.compile(r"-?(?:\d+(?:\.\d*)?|\.\d+)\Z", re.ASCII)
_WORD = re.compile(r"\S+")
MAX_DIGITS = 30
"""Longer constants are not read."""


@lru_cache(4096)
def is_constant_token(token: str) -> bool:
    """Return whether the token is a number (`-7`, `0.5`)."""
    return _NUMBER.match(token) is not None


@lru_cache(4096)
def is_name(token: str) -> bool:
    """Return whether the token can be a variable: a letter, also a Greek or capital one, which may have a
    subscript and primes (`A_ij`, `x'_1`, `α`); `d_`, `e_` and `i_` are letters that are no operator or
    constant.
    """
    known = _NAME.fullmatch(token) is not None and token not in _NO_NAMES
    return known and token.partition("_")[2] not in GREEK


def count_operands(token: str, letters: str = "") -> int:
    """Return how many operands the token takes: 0 for a leaf.

    Args:
        letters: Other variables than x.

    Raises:
        ExpressionError: With a message that says why the token is not of the language.
    """
    # Letters hide operators of the same name: with a parameter named "e", e is no constant.
    known = 0 if len(token) == 1 and token in letters else ARITY.get(token)
    if known is None and letters:
        known = 0 if is_name(token) else FURTHER.get(token)
    if known is not None:
        return known
    if is_constant_token(token):
        if (digits := len(token.removeprefix("-"))) > MAX_DIGITS:
            raise ExpressionError(
                f"the constant {token[:12]}… has {digits} digits; at most {MAX_DIGITS} are read",
                remedy="Round it, or write it as a power.",
            )
        return 0
    # What follows only words the refusal by what the reader probably meant.
    if token in ("i", "I", "j"):
        raise ExpressionError(
            f"{token!r} is not a real number", remedy="Expressions are real; complex constants are not read."
        )
    if len(token) == 1 and token.isalpha() and letters:
        raise ExpressionError(
            f"{token!r} is not a variable", remedy=f"Variables and parameters: {' '.join('x' + letters)}."
        )
    if len(token) == 1 and token.isalpha():
        raise ExpressionError(
            f"{token!r} is a second variable", remedy="Expressions have one variable, x; rename it."
        )
    near = get_close_matches(token[:40], [name for name in (*ARITY, *ALIASES) if len(name) > 1], n=1)
    raise ExpressionError(
        f"{token[:40]!r} is not an operator, function or constant of the language",
        remedy=f"Did you mean {near[0]}?"
        if near
        else "Known: + - * / pow sqrt abs log d ln, the trigonometric and hyperbolic functions and inverses.",
    )


def check_length(text: str) -> None:
    """Refuse a text that is too long for any expression, before anything is read of it.

    Raises: ExpressionError.
    """
    if len(text) > MAX_CHARACTERS:
        raise ExpressionError(
            f"the expression has {len(text):,} characters; at most {MAX_CHARACTERS:,} are read",
            text=show_controls(text[:200]),
            position=0,
            remedy="Split it into smaller expressions.",
        )


def read_prefix(text: str, letters: str = "") -> Tree:
    """Read generator prefix notation (`+ pow x 2 * -3 sin x`).

    Args:
        letters: Other variables than x.

    Raises:
        ExpressionError: With a message that names what is wrong; its position counts characters.
    """
    check_length(text)
    try:
        tree = parse_prefix(text.split(), lambda token: count_operands(token, letters))
    except ExpressionError as error:
        character = _find_character(text, error.position, letters)
        what = error.what if character is None else f"{error.what} (character {character + 1})"
        raise ExpressionError(
            what, text=show_controls(text), position=character or 0, remedy=error.remedy
        ) from None
    check_bound(tree, text)
    for node in tree:
        if node.label == "d" and node.children[0].label != VARIABLE:
            raise ExpressionError(
                "the derivative is not with respect to x",
                text=show_controls(text),
                remedy="Write: d x <expression>.",
            )
    return tree


def _find_character(text: str, token: int | None, letters: str) -> int | None:
    starts = [(word.start(), word.group()) for word in _WORD.finditer(text)]
    if token is not None:
        return starts[token][0] if token < len(starts) else len(text)
    for start, word in starts:
        try:
            count_operands(word, letters)
        except ExpressionError:
            return start
    return None


def check_bound(tree: Tree, text: str) -> None:
    """Refuse a sum, product or integral over what is no variable. Raises: ExpressionError."""
    for node in tree:
        if node.label in BINDERS and not is_name(node.children[0].label):
            raise ExpressionError(
                f"{node.label} needs a variable first",
                text=show_controls(text),
                remedy=f"Write {node.label}(k, 1, n, u).",
            )


def variables_of(*trees: Tree) -> set[str]:
    """Return the variables and parameters of expressions: leaves that are neither numbers nor constants, and
    not bound by a sum, product or integral.
    """
    if any(node.label in BINDERS for tree in trees for node in tree):
        return {name for tree in trees for name in _free_variables(tree)}
    return {
        node.label
        for tree in trees
        for node in tree
        if not node.children and not is_constant_token(node.label) and node.label not in CONSTANTS
    }


def _free_variables(tree: Tree) -> set[str]:
    if tree.label in BINDERS:
        bound, low, high, body = tree.children
        return _free_variables(low) | _free_variables(high) | (_free_variables(body) - {bound.label})
    if tree.children:
        return {name for child in tree.children for name in _free_variables(child)}
    return variables_of(tree)


def display_name(label: str) -> str:
    """Return a variable as people write it, without the mark that tells the letter d from the derivative."""
    return label.removesuffix("_")


def show_controls(text: str) -> str:
    """Return the text with every control or formatting character replaced by one visible mark, lengths
    unchanged.
    """
    return "".join(char if char.isprintable() else " " if char.isspace() else "\ufffd" for char in text)


def to_prefix(tree: Tree) -> str:
    """Return the tree in prefix notation, labels separated by spaces."""
    return " ".join(tree.list_labels())


# Expressions and patterns with the arithmetic of their numbers done.
#
# The e-graph folds constants exactly, so that rules have to be read the same way: `/ 1 2` and `0.5` are the
# one number 1/2, a leaf labelled `1/2`.

RESULT_LIMIT = 10**9
"""Constants whose numerator or denominator is larger are not worked out."""


SIGNS = ("+", "-", "*", "/")
_NUMBERS = tuple(str(number) for number in range(-9, 10) if abs(number) > 1)


def of_its_kind(label: str) -> Sequence[str]:
    """Return the labels that a near-copy may have instead of a label: another function, sign or small
    number.
    """
    if label in FUNCTIONS:
        return FUNCTIONS
    if label in SIGNS:
        return SIGNS
    return _NUMBERS if is_constant_token(label) else ()


def is_number(tree: Tree) -> bool:
    """Return whether the tree is one rational number (`-7`, `0.5` or a folded `1/2`)."""
    if tree.children:
        return False
    top, stroke, bottom = tree.label.partition("/")
    return is_constant_token(top) and (not stroke or is_constant_token(bottom))


def fold_numbers(tree: Tree) -> Tree:
    """Return the tree with operations on numbers carried out and decimals written as fractions."""
    children = tuple(fold_numbers(child) for child in tree.children)
    if len(children) == 2 and all(map(is_number, children)):
        value = apply_operator(tree.label, *(Fraction(child.label) for child in children))
        if value is not None:
            return Tree(str(value))
    if is_constant_token(tree.label):
        return Tree(str(Fraction(tree.label)))
    return Tree(tree.label, children)


def apply_operator(label: str, left: Fraction, right: Fraction) -> Fraction | None:
    """Return the value of `+ - * /` or of a small integer power, or None if it has no short form."""
    if label == "+":
        value = left + right
    elif label == "-":
        value = left - right
    elif label == "*":
        value = left * right
    elif label == "/" and right:
        value = left / right
    elif label == "pow" and left and right.denominator == 1 and abs(right) <= 64 and _is_short(left, 10**4):
        value = left ** int(right)
    else:
        return None
    return value if _is_short(value, RESULT_LIMIT) else None


def _is_short(value: Fraction, limit: int) -> bool:
    return max(abs(value.numerator), value.denominator) < limit


def unfold_numbers(tree: Tree) -> Tree:
    """Return the tree in the language: a folded fraction becomes a division."""
    if is_number(tree) and "/" in tree.label:
        return Tree("/", tuple(map(Tree, tree.label.split("/"))))
    return Tree(tree.label, tuple(unfold_numbers(child) for child in tree.children))


# What a constant subterm is worth, as far as rounding lets one tell 0 and 1 from their neighbours.
#
# Values are floats with the rounding noise removed (`sin pi` is 0, `sin / pi 2` is 1); None: undefined on the
# reals or too coarse to say (`tanh 30` is not 1). The tolerances decide what is padding: a wrong guess leaves
# a member out, or keeps one that says nothing, and never makes two expressions equal. Heads that seem to
# divide by zero are looked at again rigorously before they are refused (`notation.check_head`).

LEAVES = {"pi": math.pi, "e": math.e}

_FUNCTIONS: dict[str, Callable[[float], float]] = {
    **{name: getattr(math, name) for name in ("sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{name: getattr(math, name) for name in ("asin", "acos", "atan", "asinh", "acosh", "atanh")},
    "abs": abs,
    "ln": math.log,
    "acot": lambda u: math.pi / 2 - math.atan(u),
}
RECIPROCAL = {"sin": "csc", "cos": "sec", "tan": "cot", "sinh": "csch", "cosh": "sech", "tanh": "coth"}
_RECIPROCAL_RESULT = {other: name for name, other in RECIPROCAL.items()}
RECIPROCAL |= _RECIPROCAL_RESULT
"""For every function the one that is 1 over it."""
UNDONE_BY = {
    **{name: "a" + name for name in TRIGONOMETRIC + HYPERBOLIC},
    **{"a" + name: name for name in TRIGONOMETRIC + HYPERBOLIC},
}
"""For every function the one that it undoes, and that undoes it."""
_RECIPROCAL_OPERAND = {"asec": "acos", "acsc": "asin", "asech": "acosh", "acsch": "asinh", "acoth": "atanh"}


def apply_float(name: str, value: float) -> float | None:
    """Return a function of a constant, None where it is undefined or its value too coarse to tell it from 0
    or 1.
    """
    if name == "ln" and value == 1:
        return 0.0
    try:
        if name in _RECIPROCAL_RESULT:
            under = apply_float(_RECIPROCAL_RESULT[name], value)
            return None if under is None else 1 / under
        if name in _RECIPROCAL_OPERAND:
            return apply_float(_RECIPROCAL_OPERAND[name], 1 / value)
        result = _FUNCTIONS[name](value)
    except (ValueError, ZeroDivisionError, OverflowError):
        return None
    if name in TRIGONOMETRIC:
        return _remove_rounding_noise(result, 1.0)
    if name == "tanh" and abs(result) > 1 - 1e-9:
        return None
    return _remove_rounding_noise(result, 0.0)


def operate_float(token: str, left: float, right: float) -> float | None:
    """Return the value of `+ - * / pow log` for two constants, or None where it is undefined."""
    try:
        if token == "+":
            return _remove_rounding_noise(left + right, left)
        if token == "-":
            return _remove_rounding_noise(left - right, left)
        if token == "*":
            return _remove_rounding_noise(left * right, 0.0)
        if token == "/":
            return _remove_rounding_noise(left / right, 0.0)
        result = left**right if token == "pow" else math.log(right) / math.log(left)
    except (ValueError, ZeroDivisionError, OverflowError):
        return None
    return _remove_rounding_noise(result, 0.0) if isinstance(result, float) else None


def _remove_rounding_noise(value: float, scale: float) -> float:
    """Return the value with rounding noise removed: 0 when tiny beside `scale`, 1 or -1 when it is next to
    that.
    """
    if abs(value) <= 1e-12 * abs(scale):
        return 0.0
    nearest = math.copysign(1.0, value)
    return nearest if abs(value - nearest) < 1e-12 else value
