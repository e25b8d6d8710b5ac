r"""Read mathematical text, whatever notation it is in and whoever asks: the entrance to this package.

Every text has a dialect. Documents and answers are read *naturally*: all that has a meaning is read, and what
was settled on the way is noted. Expressions are read *strictly*: they have numbers, the variables that are
given, functions and operators, and what can be read in two ways is refused with both ways named.

    dialect                      read by
    latex, and MathML            `meaning`, over the pieces of `layout`
    plain, naturally             `latex_conversion` writes it as LaTeX
    plain, strictly              `infix`
    prefix                       `engines.core.expression_language`
    equation (of word problems)  `equations`, which is `infix` with other leaves
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from engines.core.errors import ExpressionError
from engines.core.expression_language import (
    ARITY,
    FURTHER,
    VARIABLE,
    check_bound,
    check_length,
    count_operands,
    is_name,
    read_prefix,
)
from engines.core.tree import Tree
from engines.formula.equations import read_equation
from engines.formula.infix import raise_at, read_infix

if TYPE_CHECKING:
    from engines.formula.lexer import LatexSource
    from engines.formula.meaning import Names, Reading

Notation = Literal["auto", "prefix", "infix", "latex"]
"""The notations of expressions; `infix` is plain text."""


def read(
    text: str | LatexSource,
    dialect: str = "auto",
    *,
    names: Names | None = None,
    letters: str = "",
    leaf: Callable[[str], Tree] = Tree,
) -> Reading:
    r"""Read a text; whatever the text is, it never raises.

    Args:
        text: a formula, or several with connectives between them.
        dialect: how it is written and read: `auto`, which decides by the text, `latex`, `plain`, `mathml`
            or another row of `dialects.NATURAL_DIALECTS`, all read naturally; or a strict one:
            `expression`, which takes any notation, `infix`, `prefix` or `equation`.
        names: what a document says of its letters, for natural dialects.
        letters: the variables besides x, for strict dialects.
        leaf: makes the tree of a number or placeholder of an equation.

    Returns:
        Its tree, or why it has none, and what was settled on the way.

    >>> read(r"x_1^2 \le 2^{3^2}").tree.list_labels()
    ['<=', 'pow', 'x_1', '2', 'pow', '2', 'pow', '3', '2']
    >>> read("e^-x^2").tree == read("e^-x^2", "expression").tree
    True
    >>> read("2^3^2", "equation").tree.list_labels()
    ['^', '2', '^', '3', '2']
    >>> read("1/2x", "infix").reason
    'what is divided by can be read in two ways (character 4)'
    """
    from engines.formula import meaning

    formula = text if isinstance(text, str) else text.latex
    try:
        match dialect:
            case "equation":
                return meaning.Reading(read_equation(formula, leaf))
            case "expression":
                return meaning.Reading(read_expression(formula, letters=letters))
            case "infix" | "prefix":
                return meaning.Reading(read_expression(formula, dialect, letters))
            case _:
                return meaning.read(text, names, dialect)
    except ExpressionError as error:
        return meaning.Reading(None, error.what)


def read_expression(text: str, notation: Notation = "auto", letters: str = "") -> Tree:
    """Read an expression strictly.

    `auto` takes commands and braces for LaTeX, and tries prefix notation before infix, so `- 7 x` is 7 - x.

    Args:
        text: one expression.
        notation: what it is written in.
        letters: the variables besides x; with any, names such as `x_1` and `α` are variables as well.

    Raises:
        ExpressionError: with the character that cannot be read; for `auto` the error of the notation that the
            text looks like.

    >>> read_expression("- 7 x") == read_expression("7 - x")
    True
    """
    if notation == "prefix":
        return read_prefix(text, letters)
    if notation == "infix":
        return read_infix(text, letters)
    # Only LaTeX has commands and braces, so one of them decides.
    if notation == "latex" or "\\" in text or "{" in text:
        return _read_latex(text, letters)
    if not text.strip():
        raise ExpressionError("the expression is empty", remedy="Write something like: sin x + 3")
    # Prefix comes first, because its texts are often infix as well, with another meaning.
    try:
        return read_prefix(text, letters)
    except ExpressionError as error:
        as_prefix = error
    # Neither notation reads it: report the error of the one it looks like.
    operator, *rest = text.split()
    if operator == "d" and rest and is_name(rest[0]):
        raise as_prefix  # a derivative, and no product of d
    # Infix is the last notation to try; if it fails as well, one of the two errors is reported.
    try:
        return read_infix(text, letters)
    except ExpressionError as error:
        # A text that begins with an operator of two operands and has no brackets looks like prefix.
        like_prefix = ARITY.get(operator) == 2 and not re.search(r"[()\[\]{}^|,]", text)
        raise (as_prefix if like_prefix else error) from None


_WRITTEN = {
    "antiderivative": r"\int",
    "sum": r"\sum",
    "prod": r"\prod",
    "integral": r"\int",
    "limit": r"\lim",
    "pm": r"\pm",
    "inf": r"\infty",
}


def _read_latex(text: str, letters: str) -> Tree:
    r"""Read LaTeX of the language's expressions.

    >>> _read_latex(r"\frac{-7}{x^{2}} + \sin^2\left(2x\right)", "").list_labels()
    ['+', '/', '-7', 'pow', 'x', '2', 'pow', 'sin', '*', '2', 'x', '2']
    """
    from engines.formula.cursor import UnreadError
    from engines.formula.meaning import Names, parse_or_raise

    check_length(text)
    try:
        tree, context = parse_or_raise(text, Names(letters=frozenset(VARIABLE + letters)))
    except UnreadError as error:
        raise_at(text, error.reason, error.offset, error.remedy or "Write what is meant in another way.")
    # The tree may have more than the strict language: refuse at the first such node.
    for node in tree:
        label = node.label
        # A node of the strict language needs no check, except that "d" must be with respect to x.
        if ARITY.get(label) == len(node.children) and label != "d":
            continue
        # Report the place where the label was read; a subscripted name is stored under its letter.
        offset = context.places.get(label, context.places.get(label.partition("_")[0], 0))
        if label == "call":
            name = node.children[0].label
            what = f"{name[:40]!r} is not a function or constant of the language"
            raise_at(
                text,
                what,
                context.places.get(name, 0),
                "Functions are written like \\operatorname{arcsec}(x).",
            )
        # These have explanations of their own; all others share the general message below.
        if label == "root":
            raise_at(text, "only square roots can be written as roots", offset, "Write x^{1/3}.")
        if label == "antiderivative" and letters:
            raise_at(text, r"\int needs both limits", offset, r"Write \int_{0}^{x} u \, dt.")
        if "_" in label[:-1] and not (letters and is_name(label)):
            raise_at(text, "a subscript is not part of an expression", offset, "Remove it.")
        if label == "d" and node.children[0].label != VARIABLE:
            raise_at(text, "the derivative is not with respect to x", offset, r"Write \frac{d}{dx}.")
        wanted = ARITY.get(label, FURTHER.get(label, 0) if letters else 0)
        if node.children and len(node.children) != wanted:
            what = f"{_WRITTEN.get(label, label)!r} is not part of an expression"
            raise_at(text, what.replace("'", "") if label in _WRITTEN else what, offset, _EXPRESSIONS)
        # The leaves go through the same check as those of the other notations.
        if not node.children:
            try:
                count_operands(label if letters else label.removesuffix("_"), letters)
            except ExpressionError as error:
                raise_at(text, error.what, offset, error.remedy)
    # A strict reader refuses what a natural one only notes.
    for note, offset in context.notes.items():
        raise_at(text, f"this can be read in two ways: {note}", offset, "Write it in another way.")
    if letters:
        check_bound(tree, text)
    return tree


_EXPRESSIONS = "They have numbers, x, pi, e, functions, brackets, \\frac, \\sqrt, powers and + - * /."
