"""Expressions as people type them: `63cosh(2 - 7x)`, `x^2 sin x`, `ln|x|`."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass
from functools import cache
from typing import Literal, NoReturn

from engines.core.errors import ExpressionError
from engines.core.expression_language import (
    ALIASES,
    ARITY,
    BINDERS,
    CONSTANTS,
    FURTHER,
    GREEK,
    HYPERBOLIC,
    NAME,
    SUBSCRIPT,
    TRIGONOMETRIC,
    VARIABLE,
    VARIABLES,
    check_bound,
    check_length,
    count_operands,
    is_constant_token,
    is_name,
    show_controls,
)
from engines.core.tree import MAX_DEPTH, MAX_NODES, Tree

# A node takes at most a few tokens: brackets, signs and commas included.
_MAX_TOKENS = 4 * MAX_NODES
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_SPELLINGS = {"**": "^", "−": "-", "–": "-", **dict.fromkeys("·×∙⋅∗", "*"), **dict.fromkeys("÷∕⁄", "/")}
CALLED: dict[str, tuple[str, int]] = {
    **{name: (name, count) for name, count in ARITY.items() if count and name.isalpha() and name != "d"},
    **{alias: (name, 1) for alias, name in ALIASES.items()},
    "exp": ("exp", 1),
    "diff": ("diff", 2),
    **{name: (name, count) for name, count in FURTHER.items()},
    "binom": ("binomial", 2),
}
"""Every name that takes arguments: what it stands for, and how many."""
_NAMES = tuple(sorted({*CALLED, VARIABLE, *CONSTANTS, "π"} - {*FURTHER, "binom"}, key=len, reverse=True))
_MORE_NAMES = tuple(sorted({*_NAMES, *FURTHER, "binom"}, key=len, reverse=True))
"""Those of expressions with several variables."""

_TOKENS = r"""(?P<space>\s+)
    | (?P<scientific>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[eE][-+]?[0-9]+)
    | (?P<number>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)
    | (?P<slope>d\s*/\s*dx(?![a-z]))
    | (?P<logarithm>log_(?P<base>[0-9]+(?:\.[0-9]+)?|e|pi|π|x|[a-z](?![a-z]))|log(?P<digits>10|2)(?![0-9]))
    | (?P<word>[^\W\d_⁰¹²³⁴⁵⁶⁷⁸⁹]+)
    | (?P<superscript>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)
    | (?P<symbol>\*\*|[-+*/^()\[\]{}|,√−–·×∙⋅∗÷∕⁄])"""
_WORD = "|".join(sorted(GREEK, key=len, reverse=True))
_MORE_TOKENS = rf"(?P<name>(?:(?:{_WORD})'*{SUBSCRIPT}|(?:{_WORD})'+|{NAME})'*)|(?P<sign>[!⌊⌋⌈⌉])|{_TOKENS}"
"""With names that have a subscript or primes, and signs of operators of `FURTHER`."""
_UNCALLED = ("f", "g", "h")
"""Letters that are functions where a bracket follows."""


@dataclass(frozen=True, slots=True)
class InfixToken:
    """A piece of the text; `position` counts characters, `spaced` says that white space comes before it,
    `base` is that of `log_2`."""

    kind: Literal["number", "leaf", "function", "symbol", "end"]
    text: str
    position: int
    spaced: bool = False
    base: str = ""


def raise_at(text: str, what: str, position: int, remedy: str = "") -> NoReturn:
    """Raise the ExpressionError for what stands at this character."""
    raise ExpressionError(
        f"{what} (character {position + 1})", text=show_controls(text), position=position, remedy=remedy
    )


@cache
def _compile_tokens(pattern: str) -> re.Pattern[str]:
    # Compiling takes 4 ms, and processes that only grow or check terms read no text.
    return re.compile(pattern, re.VERBOSE)


def tokens_of(text: str, letters: str = "") -> list[InfixToken]:
    """Return the tokens of the text, an `end` last.

    Args:
        letters: Other variables than x.

    Raises:
        ExpressionError: For what belongs to no token.
    """
    check_length(text)
    result: list[InfixToken] = []
    tokens = _compile_tokens(_MORE_TOKENS if letters else _TOKENS)
    at, spaced = 0, False
    while at < len(text):
        # Tokens are matched at the current position, and white space only sets a flag for the next token.
        match = tokens.match(text, at)
        if match is None:
            remedy = (
                "Give one expression, not an equation."
                if text[at] == "="
                else "Remove it; an expression has numbers, x, pi, e, functions, brackets and + - * / ^."
            )
            raise_at(text, f"{text[at]!r} is not part of an expression", at, remedy)
        kind, word, start = match.lastgroup, match.group(), at
        at = match.end()
        if kind == "space":
            spaced = True
            continue
        # "3e5" may be 3·10⁵ or 3·e·5.
        if kind == "scientific":
            remedy = "Write 3*10^5 for the number, or put spaces around what is to be added to e."
            raise_at(text, f"{word[:20]} can be read in two ways", start, remedy)
        elif kind == "number":
            result.append(InfixToken("number", _check_name(text, word, start), start, spaced))
        elif kind == "slope":
            result.append(InfixToken("function", "d/dx", start, spaced))
        # A logarithm carries its base within the token, as in log_2 and log₂.
        elif kind == "logarithm":
            base = (match["base"] or match["digits"]).replace("π", "pi")
            known = base if base in letters else _check_name(text, base, start)
            result.append(InfixToken("function", "log", start, spaced, known))
        elif kind == "name":
            result.append(InfixToken("leaf", _spell_name(word), start, spaced))
        # A word may be a name, a function, or several of them side by side, such as "xsinx".
        elif kind == "word":
            result.extend(_split_names(text, word, start, spaced, letters))
        # A superscript is a power: x⁻² becomes the tokens of x ^ -2.
        elif kind == "superscript":
            result.append(InfixToken("symbol", "^", start, spaced))
            if word[0] == "⁻":
                result.append(InfixToken("symbol", "-", start))
            digits = word.lstrip("⁻").translate(_SUPERSCRIPTS)
            result.append(InfixToken("number", _check_name(text, digits, start), start))
        else:
            result.append(InfixToken("symbol", _SPELLINGS.get(word, word), start, spaced))
        spaced = False
        # Checked within the loop, so that a huge text is refused early.
        if len(result) > _MAX_TOKENS:
            raise ExpressionError(
                f"the expression has more than {_MAX_TOKENS:,} symbols",
                text=show_controls(text[:200]),
                position=0,
                remedy="Split it into smaller expressions.",
            )
    result.append(InfixToken("end", "", len(text), spaced))
    return result


def _check_name(text: str, word: str, position: int) -> str:
    try:
        count_operands(word)
    except ExpressionError as error:
        raise_at(text, error.what, position, error.remedy)
    return word


_GREEK = frozenset(GREEK.values())
_LABELS = {"π": "pi", "d": "d_"}
"""The labels of names that have another one: `d` alone is the derivative."""


def _spell_name(word: str) -> str:
    """Return the name with Greek letters for their names and primes before a subscript: `lambda_1'` is
    `λ'_1`.
    """
    base, line, below = word.rstrip("'").partition("_")
    primes = "'" * word.count("'")
    base = base.rstrip("'")
    return GREEK.get(base, base) + primes + line + GREEK.get(below, below)


def _split_names(text: str, word: str, start: int, spaced: bool, letters: str) -> list[InfixToken]:
    # With further letters allowed, a word that is a name as it stands is not split.
    if letters and word not in CALLED and is_name(name := GREEK.get(word, word)):
        return [InfixToken("leaf", name, start, spaced)]
    # Split the word into known names; the further letters and "d" count as names here.
    names = split_word(word, _MORE_NAMES, {*letters, "d", *_GREEK}) if letters else split_word(word, _NAMES)
    variables = [name for name in names if name == VARIABLE or (len(name) == 1 and name not in _MORE_NAMES)]
    # `xyz` and `ab` are products; `max` is rather a function
    if not names or (len(variables) > 2 and not {*variables} <= {*VARIABLES}):
        _check_name(text, word, start)
        raise_at(
            text,
            f"{word[:40]!r} is not a function or constant of the language",
            start,
            "Separate names by spaces or signs.",
        )
    # The parts keep their own offsets, and only the first may have a space before it.
    result: list[InfixToken] = []
    for name in names:
        kind: Literal["leaf", "function"] = "function" if name in CALLED else "leaf"
        result.append(InfixToken(kind, _LABELS.get(name, name), start, spaced))
        start += len(name)
        spaced = False
    return result


@cache
def _group_by_initial(names: tuple[str, ...]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(name[0], []).append(name)
    return groups


def split_word(word: str, names: tuple[str, ...], letters: Container[str] = ()) -> list[str]:
    """Split a word into the names that stand side by side in it.

    Args:
        word: letters without spaces.
        names: of functions and constants, the longest first.
        letters: the letters that may stand alone besides.

    Returns:
        The names, the longest at each place; none where the word is made of anything else.

    >>> split_word("xsinx", ("sin",), "xyz"), split_word("cost", ("cos",), "xyz")
    (['x', 'sin', 'x'], [])
    """
    by_initial = _group_by_initial(names)
    result: list[str] = []
    at = 0
    while at < len(word):
        name = next((name for name in by_initial.get(word[at], ()) if word.startswith(name, at)), "")
        if not name and word[at] not in letters:
            return []
        result.append(name or word[at])
        at += len(result[-1])
    return result


# An operator-precedence reader with its own stacks: nothing is evaluated and no input is too deep for it.
# Conventions, where the usual ones differ:
#
# - `-7` and `-7x` hold the constant -7; any other minus in front is `* -1 u`, looser than a product (`-x*y`
#   is -(x*y), `-x^2` is -(x^2), `-2^2` is -(2^2)), tighter than a sum.
# - A function without brackets takes the product of simple things after it: `sin 2x cos x` is
#   sin(2x)*cos(x), `sin x/2` is sin(x)/2. What could be read in two ways (`sin x(x+1)`, `1/2x`,
#   `sin^-1(x)`, `log(x)`) is refused with both ways named.
# - `d/dx ln(x)^2` is the derivative of ln(x)^2; where a product goes on after it (`d/dx ln(x) x`), brackets
#   say what is meant.
# - A sum or product of more terms than a tree may be deep is read with brackets in it, around halves.

_CLOSED_BY = {"(": ")", "[": "]", "{": "}", "|": "|", "⌊": "⌋", "⌈": "⌉"}
_BARS = {"|": "abs", "⌊": "floor", "⌈": "ceil"}
"""What stands between such signs."""
_OF_MANY = ("min", "max", "gcd", "lcm")
"""Functions of two or more, which are nested to the left."""
_SPLIT = "Split it into smaller expressions."
_USAGE = {
    "d/dx": "d/dx(u)",
    "diff": "diff(u, x)",
    "log": "log_10(u), or ln(u)",
    "pow": "pow(u, v) or u^v",
    **{name: f"{name}(k, 1, n, u)" for name in BINDERS},
}

# How tightly things bind, loosest first.
SUM, _MINUS_TERM, PRODUCT, _MINUS_FACTOR = 1, 2, 3, 4
_BARE, _MINUS_BARE, _BARE_PRODUCT, _MINUS_POWER, POWER = 5, 6, 7, 8, 9


@dataclass(slots=True)
class _Pending:
    """An operator, an opened bracket or a function that waits for what is to its right."""

    kind: Literal["binary", "minus", "bare", "open"]
    label: str
    position: int
    binding: int = 0
    function: str = ""
    base: str = ""
    power: str = ""
    height: int = 0  # operands on the stack before a bracket


def read_infix(text: str, letters: str = "") -> Tree:
    """Read infix notation.

    Args:
        letters: Other variables than x.

    Raises:
        ExpressionError: With the character position of what could not be read.

    >>> read_infix("-7x^2 + sin 2x").list_labels()
    ['+', '*', '-7', 'pow', 'x', '2', 'sin', '*', '2', 'x']
    """
    return InfixReader(text, tokens_of(text, letters), letters).read_text()


def is_angle(tree: Tree) -> bool:
    """Return whether a term is a multiple of pi: pi, or a product of pi and numbers."""
    if tree.label == "*":
        return any(map(is_angle, tree.children)) and all(
            is_angle(factor) or is_constant_token(factor.label) for factor in tree.children
        )
    return tree.label == "pi"


class InfixReader:
    """Reads tokens into a tree by the precedence of operators.

    Args:
        text: what the tokens are of.
        tokens: an `end` last.
        letters: the variables besides x.
    """

    def __init__(self, text: str, tokens: list[InfixToken], letters: str = "") -> None:
        self.text = text
        self.letters = letters
        self.tokens = tokens
        self.at = 0
        self.done: list[tuple[Tree, int]] = []  # finished operands with their depths
        self.pending: list[_Pending] = []

    def read_text(self) -> Tree:
        """Read the whole text."""
        while True:
            self.read_operand()
            while not self.read_operator():
                if self.tokens[self.at].kind == "end":
                    self.reduce_operators(SUM)
                    if self.pending:
                        waiting = self.pending[-1]
                        closing = f"Write {_CLOSED_BY[waiting.label]} where it ends."
                        self.raise_error(f"{waiting.label!r} is never closed", waiting.position, closing)
                    tree = self.done[0][0]
                    if len(tree) > MAX_NODES:
                        self.raise_error(f"the expression has more than {MAX_NODES:,} tokens", 0, _SPLIT)
                    check_bound(tree, self.text)
                    return tree

    def raise_error(self, what: str, position: int, remedy: str = "") -> NoReturn:
        """Raise an error at a position of the text."""
        raise_at(self.text, what, position, remedy)

    # ---- where an operand is expected

    def read_operand(self) -> None:
        """Read an operand and what stands before it: signs, functions, opening brackets."""
        while True:
            token = self.tokens[self.at]
            self.at += 1
            if token.kind in ("number", "leaf"):
                self.push_tree(Tree(token.text), 1)
                return
            if token.kind == "function":
                self.read_function(token)
            elif token.text == "-":
                # A minus before a number belongs to it, unless a power follows: -2^2 is -(2^2).
                follower, after = self.tokens[self.at], self.tokens[self.at + 1 : self.at + 2]
                if follower.kind == "number" and not (after and after[0].text in ("^", "!")):
                    self.at += 1
                    self.push_tree(Tree("-" + follower.text), 1)
                    return
                # "3+-2" without spaces may stand for ± as well.
                if not token.spaced and self.at > 1 and self.tokens[self.at - 2].text == "+":
                    self.raise_error(
                        "+- can be read in two ways", token.position - 1, "Write - or ±, or brackets."
                    )
                self.read_minus(token)
            elif token.text == "√":
                if self.read_root(token):
                    return
            elif token.kind == "symbol" and token.text in _CLOSED_BY:
                self.open_bracket(token)
            elif token.kind == "end":
                self.raise_error(
                    "the expression is empty" if self.at == 1 else "the expression ends too early",
                    token.position,
                    "Write something like: 3sin(x) + 1"
                    if self.at == 1
                    else "Write what is missing at its end.",
                )
            else:
                self.raise_error(
                    f"a number, x or function is missing before {token.text!r}",
                    token.position,
                    f"Write it there, or remove {token.text!r}.",
                )

    def read_minus(self, token: InfixToken) -> None:
        """Push a minus."""
        self.pending.append(_Pending("minus", "-", token.position, self.minus_binding()))

    def minus_binding(self) -> int:
        """Return how tightly a minus binds, by what stands before it."""
        before = self.pending[-1] if self.pending else None
        if before is None or before.kind == "open":
            return _MINUS_TERM
        if before.kind == "bare":
            return _MINUS_BARE
        if before.kind == "minus":
            return before.binding
        return {SUM: _MINUS_TERM, PRODUCT: _MINUS_FACTOR, _BARE_PRODUCT: _MINUS_BARE}.get(
            before.binding, _MINUS_POWER
        )

    def read_function(self, token: InfixToken) -> None:
        """Read a function's name with its power, and expect its argument."""
        power = ""
        # A power between name and argument, "sin^2(x)", applies to the value; "sin^-1" is refused.
        if self.tokens[self.at].text == "^":
            exponent = self.tokens[self.at + 1]
            if exponent.kind != "number" or not exponent.text.isdigit() or token.text == "d/dx":
                self.raise_error(
                    f"the exponent between {token.text} and its argument is not a positive integer",
                    exponent.position,
                    f"For the inverse function write a{token.text}(x), for a power ({token.text}(x))^…",
                )
            power = exponent.text
            self.at += 2
        # With brackets, the argument ends with them; without, it goes on as long as operators bind more
        # tightly than a function without brackets.
        following = self.tokens[self.at]
        if following.kind == "symbol" and following.text in ("(", "[", "{"):
            self.at += 1
            self.open_bracket(following, function=token.text, base=token.base, power=power)
            return
        # What follows has to be able to begin an operand.
        if following.kind in ("end",) or following.text in (*"+*/^,)]}",):
            self.raise_error(f"{token.text} has no argument", following.position, f"Write {token.text}(x).")
        # "d/dx sin x" needs no brackets, because the function after it says where its argument ends.
        if token.text == "d/dx" and following.kind == "function":
            self.pending.append(_Pending("bare", "d/dx", token.position, _BARE, "d/dx"))
            return
        # Functions of two arguments need their brackets, except a logarithm whose base is already known.
        if token.text == "d/dx" or (CALLED[token.text][1] > 1 and not token.base):
            self.raise_error(
                f"{token.text} needs brackets around its argument",
                following.position,
                f"Write {_USAGE.get(token.text, token.text + '(u, v)')}.",
            )
        # The argument is still to come: the operator waits with the precedence of a bare function.
        self.pending.append(
            _Pending("bare", token.text, token.position, _BARE, token.text, base=token.base, power=power)
        )

    def read_root(self, token: InfixToken) -> bool:
        """Read a root; return whether its argument is complete."""
        # A root sign takes brackets, a single number or a single name; anything else is ambiguous.
        following = self.tokens[self.at]
        self.at += 1
        if following.kind == "symbol" and following.text in _CLOSED_BY:
            self.open_bracket(following, function="sqrt")
            return False
        if following.kind not in ("number", "leaf"):
            self.raise_error("√ needs brackets around its argument", following.position, "Write √(x + 1).")
        # √2^3 and √3! leave open whether the root or the postfix sign is applied first.
        if (sign := self.tokens[self.at].text) in ("^", "!"):
            more = "…" if sign == "^" else ""
            self.raise_error(
                f"√{following.text}{sign} can be read in two ways",
                token.position,
                f"Write (√{following.text}){sign}{more} or √({following.text}{sign}{more}).",
            )
        self.push_tree(Tree("sqrt", (Tree(following.text),)), 2)
        return True

    def open_bracket(self, token: InfixToken, *, function: str = "", base: str = "", power: str = "") -> None:
        """Push an opening bracket."""
        self.pending.append(
            _Pending(
                "open",
                token.text,
                token.position,
                function=function,
                base=base,
                power=power,
                height=len(self.done),
            )
        )

    # ---- where an operator is expected

    def read_operator(self) -> bool:
        """Read one token after a finished operand; whether another operand must follow."""
        token = self.tokens[self.at]
        if token.kind == "end":
            return False
        if token.kind == "symbol":
            if token.text in "+-":
                return self.read_infix(token, token.text, SUM)
            # "sin pi/2" takes the whole angle as its argument, so this slash binds
            # inside the bare argument.
            if token.text == "/" and self.is_angle_of_function():
                return self.push_operator("/", token, _BARE_PRODUCT)
            if token.text in "*/":
                return self.read_infix(token, token.text, PRODUCT)
            if token.text == "^":
                return self.read_infix(token, "pow", POWER)
            if token.text == ",":
                self.read_comma(token)
                return True
            if token.text == "!":
                self.read_factorial(token)
                return False
            # A bar closes if one is open, and otherwise opens an absolute value as a juxtaposed factor.
            if token.text in (*")]}⌋⌉",) or (token.text == "|" and self.inside_bars()):
                self.close_bracket(token)
                return False
        # Nothing else matched, so the token begins a factor that is multiplied without a sign.
        self.read_juxtaposed(token)
        return True

    def is_angle_of_function(self) -> bool:
        """Return whether a multiple of pi is the argument of a trigonometric function without brackets: of
        `cos pi/2` all of it is."""
        inside = self.inside_bare()
        if inside is None or inside.function not in TRIGONOMETRIC + HYPERBOLIC:
            return False
        self.reduce_operators(_BARE_PRODUCT)
        return self.pending[-1].kind in ("bare", "minus") and is_angle(self.done[-1][0])

    def read_factorial(self, token: InfixToken) -> None:
        """Apply a factorial."""
        before = self.text[: token.position].rstrip()[-1]
        if before == "!" or before.translate(_SUPERSCRIPTS) != before:
            self.raise_error(f"{before}! can be read in two ways", token.position, "Write brackets.")
        self.at += 1
        self.build_operation("factorial", self.done.pop())

    def read_infix(self, token: InfixToken, label: str, binding: int) -> bool:
        """Push a binary operator after what binds before it has been reduced."""
        if binding == PRODUCT:
            self.end_of_slope(token)
        # Of equal operators the first binds before the second, but powers are nested to the right.
        self.reduce_operators(binding + (binding == POWER))
        return self.push_operator(label, token, binding)

    def push_operator(self, label: str, token: InfixToken, binding: int) -> bool:
        """Push an operator and go on."""
        self.pending.append(_Pending("binary", label, token.position, binding))
        self.at += 1
        return True

    def read_juxtaposed(self, token: InfixToken) -> None:
        """Read a factor that follows without an operator."""
        if token.kind == "number":
            self.raise_error(
                f"the number {token.text[:20]} follows without an operator",
                token.position,
                "Write * for a product, ^ for a power.",
            )
        inside = self.inside_bare()
        if token.kind != "leaf" or (inside and inside.function == "d/dx"):
            self.end_of_slope(token)
        last = self.tokens[self.at - 1]
        # "f(x)" with an unknown f could be a product.
        if token.text == "(" and not token.spaced and last.text.rstrip("'") in _UNCALLED:
            self.raise_error(
                f"{last.text} is no known function", last.position, f"Write {last.text}*(…) for a product."
            )
        if token.text == "(" and self.letters and last.kind == "leaf" and self.holds_one_name():
            self.raise_error(
                f"{last.text.rstrip('_')}(…) can be read in two ways: as a product, and as a function",
                last.position,
                f"Write {last.text.rstrip('_')}*(…) for a product.",
            )
        # "sin x (x+1)" does not say where the argument ends.
        if inside and token.kind == "symbol":
            function = inside.function
            self.raise_error(
                f"what {function} applies to can be read in two ways",
                token.position,
                f"Write {function}(…)*(…) or {function}(…*(…)).",
            )
        # Within a bare argument, "sin 2x", a leaf joins the argument; otherwise the
        # product is outside of it.
        binding = _BARE_PRODUCT if inside and token.kind == "leaf" else PRODUCT
        # Finish tighter operators first, so that the pending one before is the
        # one that could be ambiguous.
        self.reduce_operators(binding + 1)
        before = self.pending[-1] if self.pending else None
        # "1/2x" does not say what is divided by.
        if before and before.kind == "binary" and before.label == "/" and (inside or not token.spaced):
            self.raise_error(
                "what is divided by can be read in two ways", token.position, "Write (1/2)*x or 1/(2*x)."
            )
        # Then those that bind equally: juxtaposition associates to the left.
        self.reduce_operators(binding)
        self.pending.append(_Pending("binary", "*", token.position, binding))

    def holds_one_name(self) -> bool:
        """Return whether the bracket here, behind a letter, holds a letter or number and nothing else."""
        name, inner = self.tokens[self.at - 1], self.tokens[self.at + 1]
        return (
            name.text not in CONSTANTS
            and (inner.kind == "number" or (inner.kind == "leaf" and inner.text not in CONSTANTS))
            and self.tokens[self.at + 2].text == ")"
        )

    def end_of_slope(self, token: InfixToken) -> None:
        """Refuse a product behind d/dx, whose argument would be unclear."""
        for waiting in reversed(self.pending):
            if waiting.kind == "open":
                return
            if waiting.function == "d/dx":
                self.raise_error(
                    "what d/dx applies to can be read in two ways",
                    token.position,
                    "Write d/dx(…)*(…) or d/dx(…*(…)).",
                )

    def inside_bare(self) -> _Pending | None:
        """Return the pending function whose argument has no brackets, or None."""
        for waiting in reversed(self.pending):
            if waiting.kind == "open" or waiting.binding < _BARE:
                return None
            if waiting.kind == "bare":
                return waiting
        return None

    def inside_bars(self) -> bool:
        """Return whether the innermost open bracket is a bar."""
        for waiting in reversed(self.pending):
            if waiting.kind == "open":
                return waiting.label == "|"
        return False

    def read_comma(self, token: InfixToken) -> None:
        """Separate two arguments."""
        self.reduce_operators(SUM)
        waiting = self.pending[-1] if self.pending else None
        wanted = 0 if waiting is None else 1 if waiting.base else CALLED.get(waiting.function, ("", 1))[1]
        many = waiting is not None and waiting.function in _OF_MANY
        if waiting is None or (not many and len(self.done) - waiting.height >= wanted):
            self.raise_error(
                "the comma does not separate arguments",
                token.position,
                "Only log, pow and diff take two, sum, prod and integral four; decimals have a point.",
            )
        self.at += 1

    def close_bracket(self, token: InfixToken) -> None:
        """Close a bracket and apply what stands before it."""
        # Finish all operators inside the bracket: a sum binds least of all.
        self.reduce_operators(SUM)
        if not self.pending:
            self.raise_error(
                f"{token.text!r} closes nothing", token.position, "Remove it, or open it before."
            )
        opened = self.pending.pop()
        if _CLOSED_BY[opened.label] != token.text:
            wanted_end = f"Write {_CLOSED_BY[opened.label]} instead."
            self.raise_error(f"{opened.label!r} is closed by {token.text!r}", token.position, wanted_end)
        self.at += 1
        # The operands since the bracket was opened are what it holds.
        given = len(self.done) - opened.height
        # Bars are functions of what they enclose: absolute value, floor or ceiling.
        if opened.label in _BARS:
            self.apply_function(_BARS[opened.label], opened)
        if opened.function:
            wanted = 1 if opened.base else CALLED.get(opened.function, ("", 1))[1]
            if opened.function in _OF_MANY and given > wanted:
                first, *others = self.done[opened.height :]
                del self.done[opened.height :]
                self.done.append(first)
                for operand in others[:-1]:
                    self.build_operation(opened.function, self.done.pop(), operand)
                self.done.append(others[-1])
                given = wanted
            if given != wanted:
                usage = _USAGE.get(opened.function, f"{opened.function}(u, v)")
                self.raise_error(
                    f"{opened.function} needs {wanted} arguments", opened.position, f"Write {usage}."
                )
            self.apply_function(opened.function, opened)

    # ---- building

    def push_tree(self, tree: Tree, depth: int) -> None:
        """Push a finished operand."""
        if depth > MAX_DEPTH:
            tree, depth = _halve_chain(tree)
        if depth > MAX_DEPTH:
            self.raise_error(
                f"the expression is nested more than {MAX_DEPTH} deep",
                self.tokens[self.at - 1].position,
                _SPLIT,
            )
        self.done.append((tree, depth))

    def build_operation(self, label: str, *children: tuple[Tree, int]) -> None:
        """Push an operation of operands."""
        self.push_tree(
            Tree(label, tuple(tree for tree, _ in children)), 1 + max(depth for _, depth in children)
        )

    def reduce_operators(self, binding: int) -> None:
        """Apply all pending operators that bind at least as tightly."""
        while self.pending and self.pending[-1].kind != "open" and self.pending[-1].binding >= binding:
            waiting = self.pending.pop()
            operand = self.done.pop()
            if waiting.kind == "binary":
                self.build_operation(waiting.label, self.done.pop(), operand)
            elif waiting.kind == "minus":
                self.negate_operand(operand)
            else:
                self.done.append(operand)
                self.apply_function(waiting.function, waiting)

    def negate_operand(self, operand: tuple[Tree, int]) -> None:
        """Push the negative of an operand."""
        self.build_operation("*", (Tree("-1"), 1), operand)

    def apply_function(self, function: str, waiting: _Pending) -> None:
        """Apply a function to the operand on top."""
        operand = self.done.pop()
        if function == "d/dx":
            self.build_operation("d", (Tree(VARIABLE), 1), operand)
        elif function == "exp":
            self.build_operation("pow", (Tree("e"), 1), operand)
        elif function == "diff":
            if operand[0].label != VARIABLE:
                self.raise_error(
                    "the derivative is not with respect to x", waiting.position, "Write diff(u, x)."
                )
            self.build_operation("d", operand, self.done.pop())
        elif waiting.base:
            self.build_operation("log", (Tree(waiting.base), 1), operand)
        else:
            name, count = CALLED[function]
            first = [self.done.pop() for _ in range(count - 1)][::-1]
            self.build_operation(name, *first, operand)
        if waiting.power:
            self.build_operation("pow", self.done.pop(), (Tree(waiting.power), 1))


def _halve_chain(tree: Tree) -> tuple[Tree, int]:
    """Return a long sum or product (`a + b - c + …`) with brackets around its halves, their halves and so on,
    which is less deep than it has terms.

    Returns:
        It and its depth.
    """
    signs = ("*",) if tree.label == "*" else ("+", "-")
    terms: list[tuple[str, Tree]] = []
    rest = tree
    while rest.label in signs and rest.children:
        sign, (rest, last) = rest.label, rest.children
        terms.append((sign, last))
    terms.append((signs[0], rest))
    whole = _join_terms(terms[::-1])
    return whole, whole.depth


def _join_terms(terms: list[tuple[str, Tree]]) -> Tree:
    if len(terms) == 1:
        return terms[0][1]
    middle = len(terms) // 2
    sign, right = terms[middle][0], terms[middle:]
    if sign == "-":
        # a - b + c is a - (b - c)
        right = [("+" if each == "-" else "-", term) for each, term in right]
    return Tree(sign, (_join_terms(terms[:middle]), _join_terms(right)))
