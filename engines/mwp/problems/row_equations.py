"""The equation of a row: its numbers are those of the text, or constants."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

from engines.core.errors import ExpressionError
from engines.core.tree import Tree
from engines.mwp.problems.equivalence import signature
from engines.mwp.problems.layouts import ProblemLayout
from engines.mwp.problems.number_bindings import bind_numbers, list_bindings
from engines.mwp.problems.numbers import MaskedText, language_of, mask_numbers, plain_digits, value_of
from engines.mwp.problems.problem import (
    OPERATORS,
    EquationError,
    ProblemValue,
    constant_label,
    evaluate,
    is_right,
    list_placeholders,
    normalise_equation,
    parse_prefix,
    read_equation,
    to_infix,
)
from engines.mwp.problems.solution_notations import (
    AnnotatedStep,
    chain_annotations,
    read_mathqa_equation,
)
from engines.mwp.problems.unknown_polynomials import UNKNOWN, list_unknowns
from engines.mwp.problems.unknowns import UnknownSolution, solve_unknowns, substitute_unknowns

MASK = re.compile(r"(?:N_|\b(?:number|n))(\d+)")
"""A placeholder of any data set."""
_UNIT = re.compile(r"千米/小时$")
ROUNDED = Fraction(1, 10**9)
"""Files round a third to .3333333333."""
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)(?:\s?%|[\s-]+per\s?cent)", re.IGNORECASE)
_PARTS = re.compile(r"[;\r\n]+")
_LABELLED = re.compile(r"\s*(unkn|equ|[^\W\d]\w*)\s*:\s*(.*)", re.DOTALL)
"""`equ: x+y=9`, as in Dolphin, and `x:The number of boys`, as in ASDiv."""
_RESULT = re.compile(r"[^\W\d]\w*|-?[\d.,]+\s*%?(?:\s*\([^()\d]*\))?")
"""What stands behind the sign of equality of a calculation: an unknown, or a number with its unit."""
_REMAINDER = re.compile(r"\d\s+r\s*\d")
"""`136 r5`, as ASDiv writes the rest of a division."""
_ROUGHLY = 0.01
_ORDER = re.compile("<=?|>=?|≤|≥")
_LIST = re.compile(r"\s*\d[\d.]*,\s")
_FUNCTION = re.compile(r"[^\W\d_]{2,}\s*[(\[]")
_COMMON = {Fraction(1), Fraction(2), Fraction("3.14"), Fraction(100), Fraction("0.01")}
"""Constants that stand in no text and are nothing to remark."""


def read_row_equation(
    row: Mapping[str, Any],
    layout: ProblemLayout,
    masked: MaskedText,
    names: Mapping[str, str] | None,
    answers: Sequence[Fraction] = (),
) -> tuple[Tree, list[str]]:
    """Return the equation of a row, and what is odd about it.

    Args:
        row: As the file has it.
        layout: Its layout.
        masked: Its text.
        names: Our placeholders by those of the file, where the file has some.
        answers: Those of the row; of several unknowns the one that is the first of them is asked for.

    Raises:
        ExpressionError: Where the row has no equation that can be read.
    """
    if not masked.numbers:
        raise EquationError("the text has no number")
    given = next((row[key] for key in layout.equation if row.get(key)), None)
    if not given:
        raise EquationError("there is none beside the text")
    if layout.program:
        equation = read_mathqa_equation(str(given), len(masked.numbers))
        return equation, _list_foreign_constants(equation, masked)
    reader = _EquationReader(masked, names, _is_exact(layout, masked))
    if isinstance(given, list) and not any("=" in str(one) for one in given):
        if layout.name != "mawps":
            return _bind_equation(reader.read_prefix([str(token) for token in given]), layout, reader)
        given = given[0] if len(given) == 1 else given
    texts = [
        part for one in (given if isinstance(given, list) else [given]) for part in _PARTS.split(str(one))
    ]
    texts = [text for text in texts if text.strip()]
    _refuse_other_operations(texts)
    side = _one_side(texts[0]) if len(texts) == 1 else None
    if side is not None and not ("=" in texts[0] and reader.has_unknown(side)):
        return _bind_equation(reader.read_side(side), layout, reader)
    return _solve_system(texts, layout, reader, answers)


def _refuse_other_operations(texts: Sequence[str]) -> None:
    """Refuse what ASDiv and others write beside equations, by its name.

    Raises:
        EquationError: For remainders, functions, comparisons and lists of numbers.
    """
    for text in texts:
        shown = repr(text.strip()[:80])
        if _REMAINDER.search(text):
            raise EquationError(f"{shown} is a division with a remainder, for which equations have no sign")
        if "=" in text and (match := _FUNCTION.search(text)) and not _LABELLED.fullmatch(text):
            name = match[0].rstrip(" ([")
            raise EquationError(f"{shown} has the function {name}, which is no operation of equations")
        if _ORDER.search(text) and ("=" in text.replace("<=", "").replace(">=", "")):
            raise EquationError(f"{shown} is a comparison, not an equation")
        if _LIST.match(text):
            raise EquationError(f"{shown} is a list of numbers, not an equation")


def _bind_equation(given: Tree, layout: ProblemLayout, reader: _EquationReader) -> tuple[Tree, list[str]]:
    if layout.name == "mathwb":
        return given, _list_foreign_constants(given, reader.masked)
    equation = bind_numbers(given, reader.keys)
    remarks = _list_foreign_constants(equation, reader.masked)
    if reader.names is not None and equation != given:
        remarks.append(
            f"bound anew: the file has {to_infix(given)}, and its equal numbers are each used once"
        )
    # Where the file itself says which of equal numbers it means, nothing is open.
    if reader.names is None or equation != given:
        remarks += _describe_other_binding(equation, reader.masked)
    return equation, remarks


def _solve_system(
    texts: Sequence[str], layout: ProblemLayout, reader: _EquationReader, answers: Sequence[Fraction]
) -> tuple[Tree, list[str]]:
    """Return what the unknown that is asked for is, of one equation or of several.

    Dolphin says by `unkn:` what is asked for; otherwise it is the unknown that is the answer.
    """
    system = _read_system(texts, reader)
    if not system.names:
        return _read_calculations(system, layout, reader, answers)
    bound = bind_numbers(Tree("=", tuple(system.sides)), reader.keys).children
    values = reader.masked.values
    solutions = solve_unknowns(list(zip(bound[::2], bound[1::2], strict=True)), values)
    solutions = [one for one in solutions if system.allows(one, values)]
    if not solutions:
        raise EquationError("no solution satisfies the inequalities beside the equations")
    results = [system.list_results(solution) for solution in solutions]
    solution_values = [{name: evaluate(tree, values) for name, tree in result.items()} for result in results]
    # The solution with most of the file's answers counts, the first of equally good ones.
    best = max(
        range(len(results)),
        key=lambda index: (
            sum(any(is_right(v, a) for v in solution_values[index].values()) for a in answers),
            -index,
        ),
    )
    if answers and (system.declared or len(system.names) > 1) and not system.asked:
        _check_asked(solution_values[best], answers)
    right = (
        name for answer in answers for name, value in solution_values[best].items() if is_right(value, answer)
    )
    chosen = next(right, next(iter(results[best])))
    equation = results[best][chosen]
    remarks = _list_foreign_constants(equation, reader.masked)
    if len(results) > 1:
        values_text = " or ".join(f"{float(each[chosen]):.10g}" for each in solution_values)
        remarks.append(f"several solutions: {chosen} = {values_text}; the file's answer decides")
    if len(results[best]) > 1:
        values_text = ", ".join(
            f"{name} = {float(value):.10g}" for name, value in solution_values[best].items()
        )
        remarks.append(f"several unknowns: {values_text}; the equation is that of {chosen}")
    return equation, remarks


def _check_asked(values: Mapping[str, ProblemValue], answers: Sequence[Fraction]) -> None:
    """Refuse unknowns of which none is the answer, also when that is rounded: something else is asked for.

    Raises:
        EquationError: With what the unknowns are.
    """
    near = (is_right(value, answer, relative=_ROUGHLY) for value in values.values() for answer in answers)
    if not any(near):
        values_text = ", ".join(f"{name} = {float(value):.10g}" for name, value in values.items())
        raise EquationError(f"none of the unknowns is the answer: {values_text}")


@dataclass(frozen=True, slots=True)
class _EquationSystem:
    """Equations as they are read.

    Args:
        texts: As written.
        sides: Left and right of each, in turn.
        asked: What is asked for, by its text.
        declared: Unknowns that are named before the equations.
        conditions: Inequalities.
    """

    texts: list[str]
    sides: list[Tree]
    asked: dict[str, Tree]
    declared: list[str]
    conditions: list[tuple[Tree, str, Tree]]

    @property
    def names(self) -> set[str]:
        """The unknowns of all sides."""
        return {name for side in self.sides for name in list_unknowns(side)}

    def allows(self, solution: UnknownSolution, values: Sequence[ProblemValue]) -> bool:
        """Return whether a solution satisfies the inequalities."""
        for left, order, right in self.conditions:
            ours, theirs = (evaluate(substitute_unknowns(side, solution), values) for side in (left, right))
            if not (ours < theirs if order[0] in "<≤" else ours > theirs) and not (
                ours == theirs and order not in ("<", ">")
            ):
                return False
        return True

    def list_results(self, solution: UnknownSolution) -> dict[str, Tree]:
        """Return what is asked for, or each unknown, with its value."""
        if self.asked:
            return {name: substitute_unknowns(tree, solution) for name, tree in self.asked.items()}
        order = {f"{UNKNOWN}{name}": index for index, name in enumerate(self.declared)}
        names = sorted(solution, key=lambda name: (order.get(name, len(order)), name))
        return {name.removeprefix(UNKNOWN): solution[name] for name in names}


def _read_system(texts: Sequence[str], reader: _EquationReader) -> _EquationSystem:
    equations: list[str] = []
    sides: list[Tree] = []
    asked: dict[str, Tree] = {}
    declared: list[str] = []
    conditions: list[tuple[Tree, str, Tree]] = []
    for text in texts:
        label, rest = match.groups() if (match := _LABELLED.fullmatch(text)) else ("equ", text)
        if label == "unkn":
            asked |= {name.strip(): reader.read_side(name, unknowns=True) for name in rest.split(",")}
            continue
        if label != "equ" and "=" not in text:
            declared.append(label)
            continue
        rest = rest if label == "equ" else text
        if order := _ORDER.search(rest):
            left, right = (
                reader.read_side(part, unknowns=True) for part in (rest[: order.start()], rest[order.end() :])
            )
            conditions.append((left, order[0], right))
            continue
        parts = [part.strip() for part in _clean_equation(rest).split("=")]
        if len(parts) != 2 or not all(parts):
            raise EquationError(f"{text.strip()[:80]!r} is not one equation for one unknown")
        equations.append(rest.strip())
        sides += (reader.read_side(part, unknowns=True) for part in parts)
    # `xy` is a product where x and y are unknowns of their own.
    given = {name for tree in (*sides, *asked.values()) for name in list_unknowns(tree)}
    single = {name for name in given if len(name) == 2} | {f"{UNKNOWN}{name}" for name in declared}

    def split_products(tree: Tree) -> Tree:
        letters = [f"{UNKNOWN}{letter}" for letter in tree.label.removeprefix(UNKNOWN)]
        if tree.label in given - single and {*letters} <= single:
            return reduce(lambda left, right: Tree("*", (left, right)), map(Tree, letters))
        return Tree(tree.label, tuple(map(split_products, tree.children)))

    return _EquationSystem(
        equations,
        list(map(split_products, sides)),
        {name: split_products(tree) for name, tree in asked.items()},
        declared,
        conditions,
    )


def _read_calculations(
    system: _EquationSystem,
    layout: ProblemLayout,
    reader: _EquationReader,
    answers: Sequence[Fraction],
) -> tuple[Tree, list[str]]:
    """Return the equation of calculations without an unknown: of a proportion the number that is asked for,
    `3:4=24:32`, or of several steps one tree, `8/2=4; 8+4+36=48`.

    Raises:
        EquationError: Where they are neither.
    """
    masked = reader.masked
    # One equation without an unknown: the side that is worth the answer is the calculation, or it is a
    # proportion in which the answer is already filled in.
    if len(system.sides) == 2:
        for index, side in enumerate(system.sides):
            if side.children and evaluate(side, masked.values) in answers:
                return _bind_equation(side, layout, reader)
            unknown = Tree(f"{UNKNOWN}x")
            labels = {constant_tree(str(answer)).label for answer in answers[:1] if answer >= 0}
            labels &= {one for one in side.list_labels() if one.startswith("C_")}
            # The answer occurs once as a constant: it becomes the unknown and is solved for.
            if len(labels) == 1:
                sides = list(system.sides)
                sides[index] = _replace_label(side, labels.pop(), unknown)
                bound = bind_numbers(Tree("=", tuple(sides)), reader.keys).children
                solution = solve_unknowns([(bound[0], bound[1])], masked.values)[0][unknown.label]
                return solution, _list_foreign_constants(solution, masked)
        raise EquationError(f"{system.texts[0][:80]!r} has no unknown, and neither side is the answer")
    steps = []
    if not system.texts:
        raise EquationError("there is none beside the text")
    for text, left, right in zip(system.texts, system.sides[::2], system.sides[1::2], strict=True):
        calculation, stated = (_fill_in_values(side, masked.values) for side in (left, right))
        steps.append(
            AnnotatedStep(
                text.strip(), calculation, evaluate(calculation, ()), Fraction(evaluate(stated, ()))
            )
        )
    equation = chain_annotations(steps, masked.values).join_steps(masked.values)
    if equation is None:
        raise EquationError("the steps are too long to be one equation")
    return equation, _list_foreign_constants(equation, masked)


def _replace_label(tree: Tree, label: str, by: Tree) -> Tree:
    if tree.label == label:
        return by
    return Tree(tree.label, tuple(_replace_label(child, label, by) for child in tree.children))


def _fill_in_values(tree: Tree, values: Sequence[ProblemValue]) -> Tree:
    """Return an equation with the numbers of the text as constants."""
    if tree.label.startswith("N_"):
        return constant_tree(str(values[int(tree.label[2:])]))
    return Tree(tree.label, tuple(_fill_in_values(child, values) for child in tree.children))


def _is_exact(layout: ProblemLayout, masked: MaskedText) -> bool:
    return layout.exact and language_of(masked.text, without=layout.language) == "zh"


class _EquationReader:
    """Reads equations over the numbers of one text.

    Args:
        masked: The text.
        names: Our placeholders by those of the file, where the file has some.
        exact: A number is one of the text where both are written alike, not where they are worth the same.
    """

    def __init__(self, masked: MaskedText, names: Mapping[str, str] | None, exact: bool) -> None:
        self.masked, self.names, self.exact = masked, names, exact

    @property
    def keys(self) -> Sequence[str | Fraction]:
        """What makes two numbers of the text equal."""
        return self.masked.numbers if self.exact else self.masked.values

    def read_prefix(self, tokens: Sequence[str]) -> Tree:
        return parse_prefix([_convert_token(token, self.names or {}) for token in tokens])

    def read_side(self, text: str, *, unknowns: bool = False) -> Tree:
        tokens = text.split()
        if self.names is not None and tokens[0] in OPERATORS and len(tokens) > 2:
            return self.read_prefix(tokens)
        text = _with_fractions(self._rename_placeholders(text), self.masked, self.exact)
        return read_equation(
            text,
            lambda written: _number_to_tree(written, self.masked, self.exact),
            (lambda name: Tree(f"{UNKNOWN}{name}")) if unknowns else None,
        )

    def has_unknown(self, text: str) -> bool:
        """Return whether an equation holds an unknown, or cannot be read."""
        try:
            return bool(list_unknowns(self.read_side(text, unknowns=True)))
        except ExpressionError:
            return True

    def _rename_placeholders(self, text: str) -> str:
        names = self.names
        return text if names is None else MASK.sub(lambda match: _rename_placeholder(match[0], names), text)


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


def _with_fractions(text: str, masked: MaskedText, exact: bool) -> str:
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
            plain = rf"{percent[1]}(?:\.0+)?"
            share = rf"{plain}\s*(?:/\s*100(?:\.0+)?|\*\s*0?\.01)|0?\.01\s*\*\s*{plain}"
            bracketed = rf"\((?:{share})\)"
            share = rf"(?<![\d./^÷_(])(?:{share})(?![\d.%^)]|\*\*)"
            text = re.sub(f"{share}|{bracketed}", f"N_{index}", text)
    return text


def _clean_equation(text: str) -> str:
    return re.sub("[$€£¥￥]", "", _UNIT.sub("", text.strip())).replace("＝", "=")


def _one_side(text: str) -> str | None:
    """Return what an equation says of its unknown: `x=…`, `…=x`, or a calculation `7+2=9`; None for more."""
    sides = [side.strip() for side in _clean_equation(text).split("=") if side.strip()]
    if len(sides) > 1 and re.fullmatch(r"[^\W\d]\w*", sides[0]) and not MASK.fullmatch(sides[0]):
        del sides[0]
    if len(sides) == 2 and _RESULT.fullmatch(sides[1]) and not MASK.fullmatch(sides[1]):
        del sides[1]
    return sides[0] if len(sides) == 1 else None


def _number_to_tree(written: str, masked: MaskedText, exact: bool) -> Tree:
    for name in (written, written.removesuffix(".0")):
        if name in masked.numbers:
            return Tree(f"N_{masked.numbers.index(name)}")
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


def _list_foreign_constants(equation: Tree, masked: MaskedText) -> list[str]:
    """Say which constants of an equation stand in its text neither in digits nor in words."""
    labels = {node.label for node in equation if node.label.startswith("C_")}
    constants = {label: Fraction(label[2:].replace("_", ".")) for label in labels}
    foreign = {label for label, value in constants.items() if value not in _COMMON}
    if foreign:
        in_words = mask_numbers(MASK.sub(" ", masked.text), words=True).values
        foreign = {label for label in foreign if constants[label] not in in_words}
    return [f"not in the text: the equation uses {', '.join(sorted(foreign))}"] if foreign else []


def _describe_other_binding(equation: Tree, masked: MaskedText) -> list[str]:
    """Say where equal numbers, bound otherwise, make an equation that is another as a function."""
    bindings = {normalise_equation(one): one for one in list_bindings(equation, masked.values)}
    if len(bindings) < 2:
        return []
    same = signature(equation)
    alternative = next((one for one in bindings.values() if signature(one) != same), None)
    if alternative is None:
        return []
    uses = zip(list_placeholders(equation), list_placeholders(alternative), strict=True)
    number = next(masked.numbers[ours] for ours, theirs in uses if ours != theirs)
    could = f"{to_infix(equation)} could be {to_infix(alternative)} too"
    return [f"ambiguous: {number} stands more than once in the text, and {could}"]
