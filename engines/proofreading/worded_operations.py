"""Statements in words between formulas that are expressions: `The derivative of $x^2$ is $2x$`."""

from __future__ import annotations

from collections.abc import Sequence

from engines.core.tree import Tree
from engines.formula.cursor import ELLIPSIS
from engines.formula.meaning import Names
from engines.formula.reader import read
from engines.mathematics.judging.names import free_variables
from engines.proofreading.cue_phrases import starts_with_phrase
from engines.proofreading.formula_statements import split_statements
from engines.proofreading.operation_words import WordedOperation, read_worded_operation

_VARIABLES = ("x", "y", "z", "t", "s", "u", "v", "w", "r", "θ")
"""Letters of variables: one of them beside constants is that by which a term is differentiated."""
_CONSTANTS = frozenset("CcKk")
_MOST_CHARACTERS = 400


def read_worded_side(
    words: str, formulas: Sequence[str], result: str, words_after: str
) -> tuple[str, WordedOperation] | None:
    r"""Return the derivative, integral or function that words before an expression say that it is or is the
    series of, as a formula, and the words that say so; None where they say nothing of the kind.

    Args:
        words: The words of the sentence before the expression, with formulas as `§`.
        formulas: The formulas of the sentence before it.
        result: The expression.
        words_after: The words behind it.

    >>> read_worded_side("the derivative of § is", ["x^2"], "2x", ".")[0]
    '\\frac{d}{d x}\\left(x^2\\right)'
    """
    operation = read_worded_operation(words)
    if (
        operation is None
        or len(formulas) < operation.formulas
        or starts_with_phrase("continued", words_after)
    ):
        return None
    # The words name an operand, and a variable or the ends of an integral behind it.
    operand, *others = formulas[-operation.formulas :]
    if operation.kind == "expansion of":
        function = _find_expression(operand)
        expanded = _read_expression(function) if function else None
        is_named = expanded is None or not expanded.children
        return None if function is None or is_named or not _is_series(result) else (function, operation)
    expression, value = _find_expression(operand), _read_expression(result)
    term = None if expression is None else _read_expression(expression)
    if expression is None or term is None or value is None or not term.children:
        return None
    ends = [] if operation.has_variable else others
    name = others[0].strip() if operation.has_variable else _find_variable(term)
    if not name or not _is_of_variable(term, value, name, ends):
        return None
    if operation.kind == "integral of" and not ends and name not in free_variables(value):
        return None  # between ends that are not named
    if operation.kind == "derivative of":
        return rf"\frac{{d}}{{d {name}}}\left({expression}\right)", operation
    limits = rf"_{{{ends[0]}}}^{{{ends[1]}}}" if ends else ""
    return rf"\int{limits} \left({expression}\right)\,d {name}", operation


def _find_expression(formula: str) -> str | None:
    """Return an expression, or what a function is said to be in `f(x) = x^2`."""
    statements = split_statements(formula) if len(formula) <= _MOST_CHARACTERS else []
    if len(statements) != 1 or any(relation != "=" for relation, _ in statements[0].relations):
        return None
    return statements[0].sides[-1].strip(" .,;:")


def _read_expression(formula: str) -> Tree | None:
    """Return the term of an expression without a relation."""
    statements = split_statements(formula) if len(formula) <= _MOST_CHARACTERS else []
    if len(statements) != 1 or statements[0].relations:
        return None
    return read(statements[0].sides[0].strip(" .,;:"), "latex").tree


def _is_series(formula: str) -> bool:
    """Return whether a formula is a sum that goes on."""
    statements = split_statements(formula) if len(formula) <= _MOST_CHARACTERS else []
    if len(statements) != 1 or statements[0].relations:
        return False
    tree = read(statements[0].sides[0].strip(" ,;:"), "latex", names=Names(reads_unknown_signs=True)).tree
    return tree is not None and tree.label in ("+", "-") and tree.children[-1].label == ELLIPSIS


def _find_variable(term: Tree) -> str:
    """Return the letter by which a term is differentiated or integrated; "" where it can be another."""
    names = [name for name in sorted(free_variables(term)) if name in _VARIABLES]
    return names[0] if len(names) == 1 else ""


def _is_of_variable(term: Tree, value: Tree, name: str, ends: Sequence[str]) -> bool:
    """Return whether a result can be one in the same variable: of y^2 the derivative 2yy' is by another."""
    letters = free_variables(term)
    if "call" in (*term.list_labels(), *value.list_labels()):
        return False
    return name in letters and (bool(ends) or free_variables(value) - letters <= _CONSTANTS)
