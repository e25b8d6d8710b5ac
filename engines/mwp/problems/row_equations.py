"""The equation of a row: its numbers are those of the text, or constants."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from engines.core.tree import Tree
from engines.mwp.problems.bindings import bind_numbers, list_bindings
from engines.mwp.problems.equivalence import signature
from engines.mwp.problems.layouts import ProblemLayout
from engines.mwp.problems.numbers import Masked, language_of, plain_digits, value_of
from engines.mwp.problems.problem import (
    OPERATORS,
    EquationError,
    constant_label,
    list_placeholders,
    normalise_equation,
    parse_prefix,
    read_equation,
    to_infix,
)

MASK = re.compile(r"(?:N_|\b(?:number|n))(\d+)")
"""A placeholder of any data set."""
_UNIT = re.compile(r"千米/小时$")
ROUNDED = Fraction(1, 10**9)
"""Files round a third to .3333333333."""
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)(?:\s?%|[\s-]+per\s?cent)", re.IGNORECASE)
_COMMON = {Fraction(1), Fraction(2), Fraction("3.14"), Fraction(100), Fraction("0.01")}
"""Constants that stand in no text and are nothing to remark."""


def read_row_equation(
    row: Mapping[str, Any], layout: ProblemLayout, masked: Masked, names: Mapping[str, str] | None
) -> tuple[Tree, list[str]]:
    """Return the equation of a row, and what is odd about it.

    Args:
        row: As the file has it.
        layout: Its layout.
        masked: Its text.
        names: Our placeholders by those of the file, where the file has some.

    Raises:
        ExpressionError: Where the row has no equation that can be read.
    """
    given = _read_given_equation(row, layout, masked, names)
    if layout.name == "mathwb":
        return given, _list_foreign_constants(given)
    equation = bind_numbers(given, masked.numbers if _is_exact(layout, masked) else masked.values)
    remarks = _list_foreign_constants(equation)
    if names is not None and equation != given:
        remarks.append(
            f"bound anew: the file has {to_infix(given)}, and its equal numbers are each used once"
        )
    # Where the file itself says which of equal numbers it means, nothing is open.
    if names is None or equation != given:
        remarks += _describe_other_binding(equation, masked)
    return equation, remarks


def _is_exact(layout: ProblemLayout, masked: Masked) -> bool:
    return layout.exact and language_of(masked.text, without=layout.language) == "zh"


def _read_given_equation(
    row: Mapping[str, Any], layout: ProblemLayout, masked: Masked, names: Mapping[str, str] | None
) -> Tree:
    if not masked.numbers:
        raise EquationError("the text has no number")
    given = next((row[key] for key in layout.equation if row.get(key)), None)
    if isinstance(given, list) and len(given) == 1 and layout.name == "mawps":
        given = given[0]
    if not given:
        raise EquationError("there is none beside the text")
    if isinstance(given, list):
        tokens = [str(token) for token in given]
    else:
        text = _one_side(str(given))
        tokens = text.split()
        if names is None or tokens[0] not in OPERATORS or len(tokens) < 3:
            if names is not None:
                text = MASK.sub(lambda match: _rename_placeholder(match[0], names), text)
            exact = _is_exact(layout, masked)
            text = _with_fractions(text, masked, exact)
            return read_equation(text, lambda written: _number_to_tree(written, masked, exact))
    return parse_prefix([_convert_token(token, names or {}) for token in tokens])


def _convert_token(token: str, names: Mapping[str, str]) -> str:
    if token in OPERATORS or token.startswith("C_"):
        return token
    if MASK.fullmatch(token):
        return _rename_placeholder(token, names)
    # A number beside placeholders is a constant.
    return constant_tree(token).label


def _rename_placeholder(token: str, names: Mapping[str, str]) -> str:
    if token not in names:
        raise EquationError(f"the equation uses {token}, which is not in the text")
    return names[token]


def _with_fractions(text: str, masked: Masked, exact: bool) -> str:
    """Return the equation with a placeholder where a fraction of the text stands as a division: of `5*1/2`
    the half; and where a percentage stands as hundredths: `20/100`, `20*0.01`.

    Behind a division or a power, and before a power, the signs bind otherwise.
    """
    for index, written in enumerate(masked.numbers):
        if match := re.fullmatch(r"(\d+)/(\d+)" if exact else r"\(?(\d+)/(\d+)\)?", plain_digits(written)):
            division = rf"(?<![\d./^÷又_(]){match[1]}\s*/\s*{match[2]}(?![\d.%^)]|\*\*)"
            bracketed = rf"(?<!\d)\({match[1]}\s*/\s*{match[2]}\)"
            text = re.sub(division if exact else f"{division}|{bracketed}", f"N_{index}", text)
        elif not exact and (percent := _PERCENT.fullmatch(written)):
            share = (
                rf"(?<![\d./^÷_(]){percent[1]}(?:\.0+)?\s*(?:/\s*100(?:\.0+)?|\*\s*0?\.01)(?![\d.%^)]|\*\*)"
            )
            bracketed = rf"\({percent[1]}(?:\.0+)?\s*(?:/\s*100(?:\.0+)?|\*\s*0?\.01)\)"
            text = re.sub(f"{share}|{bracketed}", f"N_{index}", text)
    return text


def _one_side(text: str) -> str:
    """What an equation says of its unknown: `x=…`, `…=x`, or a calculation `7+2=9`."""
    text = re.sub("[$€£¥￥]", "", _UNIT.sub("", text.strip())).replace("＝", "=")
    sides = [side.strip() for side in text.split("=") if side.strip()]
    if len(sides) > 1 and re.fullmatch(r"[^\W\d]\w*", sides[0]) and not MASK.fullmatch(sides[0]):
        del sides[0]
    if len(sides) == 2 and re.fullmatch(r"[^\W\d]\w*|-?[\d.,]+%?", sides[1]) and not MASK.fullmatch(sides[1]):
        del sides[1]
    if len(sides) != 1:
        raise EquationError(f"{text[:80]!r} is not one equation for one unknown")
    return sides[0]


def _number_to_tree(written: str, masked: Masked, exact: bool) -> Tree:
    if written in masked.numbers:
        return Tree(f"N_{masked.numbers.index(written)}")
    parts = re.fullmatch(r"(\d*)\((\d+)/(\d+)\)", written)
    division = parts is not None and {parts[2], parts[3]} <= set(masked.numbers)
    if not (exact or division):
        value = _parse_value(written)
        for index, known in enumerate(masked.values):
            if abs(known - value) < ROUNDED:
                return Tree(f"N_{index}")
        for index, number in enumerate(masked.numbers):
            if _PERCENT.fullmatch(number) and abs(masked.values[index] * 100 - value) < ROUNDED:
                return Tree("*", (Tree(f"N_{index}"), Tree("C_100")))
    if parts is None:
        return constant_tree(written)
    whole, over, under = parts.groups()
    fraction = Tree("/", (_number_to_tree(over, masked, exact), _number_to_tree(under, masked, exact)))
    return Tree("+", (_number_to_tree(whole, masked, exact), fraction)) if whole else fraction


def constant_tree(written: str) -> Tree:
    """Return a number that stands in no text: a constant, or a quotient of two."""
    value = _parse_value(written)
    near = value.limit_denominator(1000)
    if near and abs(near - value) < ROUNDED:
        value = near
    try:
        return Tree(constant_label(value))
    except EquationError:
        over, under = (Tree(constant_label(Fraction(part))) for part in value.as_integer_ratio())
        return Tree("/", (over, under))


def _parse_value(written: str) -> Fraction:
    try:
        return value_of(written)
    except ValueError as error:
        raise EquationError(str(error)) from None


def _list_foreign_constants(equation: Tree) -> list[str]:
    constants = {node.label for node in equation if node.label.startswith("C_")}
    other = sorted(label for label in constants if Fraction(label[2:].replace("_", ".")) not in _COMMON)
    return [f"not in the text: the equation uses {', '.join(other)}"] if other else []


def _describe_other_binding(equation: Tree, masked: Masked) -> list[str]:
    """Say where equal numbers, bound otherwise, make an equation that is another as a function."""
    bindings = {normalise_equation(one): one for one in list_bindings(equation, masked.values)}
    if len(bindings) < 2:
        return []
    same = signature(equation)
    other = next((one for one in bindings.values() if signature(one) != same), None)
    if other is None:
        return []
    uses = zip(list_placeholders(equation), list_placeholders(other), strict=True)
    number = next(masked.numbers[ours] for ours, theirs in uses if ours != theirs)
    could = f"{to_infix(equation)} could be {to_infix(other)} too"
    return [f"ambiguous: {number} stands more than once in the text, and {could}"]
