"""Programs of named steps, as language models write them: read, and evaluated exactly.

A program is lines `name = expression` over numbers, names of earlier lines, + - * / ^ and brackets. Nothing
else is read and nothing is ever run: expressions go through the parser of equations.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from engines.core.errors import ExpressionError
from engines.core.tree import Tree
from engines.mwp.problems.number_bindings import bind_numbers
from engines.mwp.problems.numbers import value_of
from engines.mwp.problems.problem import (
    EquationError,
    ProblemValue,
    constant_label,
    evaluate,
    read_equation,
)

_MOST_STEPS = 100
_MOST_NODES = 200
"""Operations and leaves of a program as one equation: steps that use a step twice grow without bound."""
_FENCED = re.compile(r"```[^\n]*\n(.*?)(?:```|\Z)", re.DOTALL)
_ASSIGNMENT = re.compile(r"\s*([^\W\d]\w*)\s*=(?!=)\s*([^#\n]+?)\s*(?:#.*)?")
_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")
_RESULT = re.compile(r"answer|ans|result|答案", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ProgramStep:
    """A line of a program.

    Args:
        name: The name that it gives to its result.
        expression: Over constants, and `N_k` for the result of the k-th step.
        value: The result.
    """

    name: str
    expression: Tree
    value: ProblemValue


@dataclass(frozen=True, slots=True)
class Program:
    """The steps of a program, the last of which is the answer."""

    steps: tuple[ProgramStep, ...]

    @property
    def value(self) -> ProblemValue:
        """The answer."""
        return self.steps[-1].value

    def join_steps(self, values: Sequence[ProblemValue] = ()) -> Tree | None:
        """Return the program as one equation, or None where that would be very large.

        Args:
            values: The numbers of a problem. A constant that is worth as much as one of them becomes that
                number; equal ones are bound as in the equations of files.
        """
        # A step that is used twice is copied twice, so a tree can be exponentially larger than its program:
        # its size is worked out before it is built.
        sizes: list[int] = []
        for step in self.steps:
            leaves = [node.label for node in step.expression if not node.children]
            sizes.append(
                sum(1 for _ in step.expression)
                + sum(sizes[int(label[2:])] for label in leaves if label.startswith("N_"))
            )
        if sizes[-1] > _MOST_NODES:
            return None

        def bind_leaf(label: str) -> Tree:
            value = Fraction(label[2:].replace("_", "."))
            equal = [index for index, known in enumerate(values) if known == value]
            return Tree(f"N_{equal[0]}" if equal else label)

        def join_tree(tree: Tree) -> Tree:
            if tree.children:
                return Tree(tree.label, tuple(map(join_tree, tree.children)))
            if tree.label.startswith("N_"):
                return join_tree(self.steps[int(tree.label[2:])].expression)
            return bind_leaf(tree.label)

        return bind_numbers(join_tree(self.steps[-1].expression), values)


def read_program(text: str) -> Program:
    """Read the program in a text: in its last block between ``` if it has one, else in its lines.

    Lines that give nothing a name are passed over. The answer is the last line that names it `answer`, else
    the last line.

    Raises:
        EquationError: E220 where there is no program, or a line of it cannot be read or has no value.

    >>> program = read_program("boxes = 12 * 5\\nanswer = boxes - 7  # left")
    >>> program.value, [step.name for step in program.steps]
    (Fraction(53, 1), ['boxes', 'answer'])
    >>> program.join_steps((Fraction(5), Fraction(12), Fraction(7))).list_labels()
    ['-', '*', 'N_1', 'N_0', 'N_2']
    """
    blocks = [block for block in _FENCED.findall(text) if any(map(_ASSIGNMENT.fullmatch, block.splitlines()))]
    lines = (blocks[-1] if blocks else text).splitlines()
    assignments = [match for match in map(_ASSIGNMENT.fullmatch, lines) if match is not None]
    if not assignments:
        raise EquationError("there is no line `name = expression`, such as `boxes = 12 * 5`")
    if len(assignments) > _MOST_STEPS:
        raise EquationError(f"the program has more than {_MOST_STEPS} steps")
    answers = [index for index, match in enumerate(assignments) if _RESULT.fullmatch(match[1])]
    last = answers[-1] if answers else len(assignments) - 1
    steps: list[ProgramStep] = []
    known: dict[str, int] = {}
    for match in assignments[: last + 1]:
        steps.append(_read_step(match[1], match[2], known, [step.value for step in steps]))
        known[match[1]] = len(steps) - 1
    return Program(tuple(steps))


def _read_step(
    name: str, expression: str, known: dict[str, int], values: Sequence[ProblemValue]
) -> ProgramStep:
    def to_placeholder(match: re.Match[str]) -> str:
        if match[0] not in known:
            raise EquationError(
                f"the line `{name} = {expression[:60]}` uses {match[0][:40]!r}, which no line defines"
            )
        return f"N_{known[match[0]]}"

    try:
        tree = read_equation(_NAME.sub(to_placeholder, expression), number_tree)
        return ProgramStep(name, tree, evaluate(tree, values))
    except EquationError as error:
        if error.what.startswith("the line "):
            raise
        raise EquationError(f"the line `{name} = {expression[:60]}`: {error.what}") from None
    except ExpressionError as error:
        raise EquationError(f"the line `{name} = {expression[:60]}`: {error.what}") from None


def number_tree(written: str) -> Tree:
    """Return a number as a constant, or as a division of two where its decimals do not end.

    Raises:
        EquationError: For what is no number.
    """
    if written.startswith("C_"):
        return Tree(written)
    try:
        value = value_of(written)
    except ValueError as error:
        raise EquationError(str(error)) from None
    try:
        return Tree(constant_label(value))
    except EquationError:
        over, under = value.as_integer_ratio()
        return Tree("/", (Tree(constant_label(Fraction(over))), Tree(constant_label(Fraction(under)))))
