"""Solutions as chains of equations: GSM8K's calculator annotations, MathQA's programs, and named steps.

Each is read into one chain, which is shown as steps and as one equation over the numbers of the problem.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from engines.core.tree import Tree
from engines.mwp.problems.numbers import value_of
from engines.mwp.problems.problem import EquationError, ProblemValue, evaluate, read_equation
from engines.mwp.problems.programs import Program, ProgramStep, number_tree

SolutionNotation = Literal["annotations", "mathqa", "program"]
"""annotations: `<<48/2=24>>`, as in GSM8K. mathqa: `divide(n0,n1)|add(#0,const_1)`. program: lines
`name = expression`."""

_ANNOTATION = re.compile(r"<<([^<>=]+)=([^<>=]+)>>")
_CALL = re.compile(r"\s*([a-z_]+)\s*\(([^()]*)\)\s*")
_SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "power": "^"}
_ROOTS = {"sqrt": 2, "cube_root": 3}
_FORMULAS = {
    ("speed", 2): "N_0/N_1",
    ("square_area", 1): "N_0*N_0",
    ("square_perimeter", 1): "4*N_0",
    ("rectangle_area", 2): "N_0*N_1",
    ("rectangle_perimeter", 2): "2*(N_0+N_1)",
    ("triangle_area", 2): "N_0*N_1/2",
    ("triangle_perimeter", 3): "N_0+N_1+N_2",
    ("circle_area", 1): "3.1416*N_0*N_0",
    ("circumface", 1): "2*3.1416*N_0",
    ("volume_cube", 1): "N_0*N_0*N_0",
    ("surface_cube", 1): "6*N_0*N_0",
    ("volume_rectangular_prism", 3): "N_0*N_1*N_2",
    ("volume_cylinder", 2): "3.1416*N_0*N_0*N_1",
}
"""Functions of MathQA by name and number of operands."""
_MOST_NODES = 200
"""Operations and leaves of a program as one equation: steps that use a step twice grow without bound."""


@dataclass(frozen=True, slots=True)
class AnnotatedStep:
    """A calculation of a solution.

    Args:
        text: As it is written.
        expression: What is calculated, over constants; None where it cannot be read.
        value: What that gives; None where there is none.
        stated: What the solution says that it gives.
    """

    text: str
    expression: Tree | None
    value: ProblemValue | None
    stated: Fraction


def read_annotations(text: str) -> list[AnnotatedStep]:
    """Return the calculations that a solution is annotated with, as GSM8K does.

    >>> [(step.text, step.value, step.stated) for step in read_annotations("48/2 = <<48/2=24>>24 clips")]
    [('48/2=24', Fraction(24, 1), Fraction(24, 1))]
    """
    result = []
    for expression, stated in _ANNOTATION.findall(text):
        try:
            expected = value_of(stated.strip().lstrip("$"))
        except ValueError:
            continue
        tree, value = None, None
        try:
            tree = read_equation(expression, number_tree)
            value = evaluate(tree, ())
        except EquationError:
            pass
        result.append(AnnotatedStep(f"{expression.strip()}={stated.strip()}", tree, value, expected))
    return result


def chain_annotations(steps: Sequence[AnnotatedStep], values: Sequence[ProblemValue]) -> Program:
    """Return annotated calculations as a chain: a number of a later one that is the result of an earlier one,
    and not a number of the problem that is still unused, stands for that result.

    Args:
        steps: The calculations.
        values: The numbers of the problem.

    Raises:
        EquationError: E220 for a calculation that cannot be read, and where there is none.
    """
    chain: list[ProgramStep] = []
    unused = list(values)

    def link_leaf(label: str) -> Tree:
        value = Fraction(label[2:].replace("_", "."))
        # A number of the problem is used up before an equal result is assumed.
        if value in unused:
            unused.remove(value)
            return Tree(label)
        # Of several equal results the last one is the most likely to be meant.
        earlier = [index for index, step in enumerate(chain) if step.value == value]
        return Tree(f"N_{earlier[-1]}") if earlier else Tree(label)

    def link_tree(tree: Tree) -> Tree:
        return (
            Tree(tree.label, tuple(map(link_tree, tree.children))) if tree.children else link_leaf(tree.label)
        )

    for number, step in enumerate(steps, start=1):
        if step.expression is None or step.value is None:
            raise EquationError(f"the calculation {step.text} cannot be read or has no value")
        chain.append(ProgramStep(f"step {number}", link_tree(step.expression), step.value))
    if not chain:
        raise EquationError("the solution has no calculation <<…=…>>")
    return Program(tuple(chain))


def read_mathqa(text: str, values: Sequence[ProblemValue]) -> Program:
    """Return a program of MathQA: calls over `n0`, `n1`, … of the problem, `#0`, `#1`, … of earlier calls,
    and `const_…`, with `|` between.

    Raises:
        EquationError: E220 for one that cannot be read, or uses a function that is no operation of equations.

    >>> program = read_mathqa("divide(n0,n1)|add(#0,const_1)|", (Fraction(48), Fraction(2)))
    >>> program.value, program.join_steps((Fraction(48), Fraction(2))).list_labels()
    (Fraction(25, 1), ['+', '/', 'N_0', 'N_1', 'C_1'])
    """
    chain: list[ProgramStep] = []

    def read_operand(written: str) -> Tree:
        if match := re.fullmatch(r"n(\d+)", written):
            if int(match[1]) >= len(values):
                raise EquationError(f"{written} is not among the {len(values)} numbers of the problem")
            value = values[int(match[1])]
            return number_tree(str(value))
        if match := re.fullmatch(r"#(\d+)", written):
            if int(match[1]) >= len(chain):
                raise EquationError(f"{written} stands before the call that it means")
            return Tree(f"N_{match[1]}")
        return _read_constant(written)

    for name, written in _list_calls(text):
        expression = _to_operation(name, list(map(read_operand, written)))
        call = f"{name}({','.join(written)})"
        chain.append(ProgramStep(call, expression, evaluate(expression, [one.value for one in chain])))
    return Program(tuple(chain))


def _replace_leaves(tree: Tree, operands: Sequence[Tree]) -> Tree:
    if tree.label.startswith("N_"):
        return operands[int(tree.label[2:])]
    return Tree(tree.label, tuple(_replace_leaves(child, operands) for child in tree.children))


def read_mathqa_equation(text: str, count: int) -> Tree:
    """Return a program of MathQA as one equation, in which `n0` is the first number of the problem.

    Args:
        text: The calls, with `|` between.
        count: How many numbers the problem has.

    Raises:
        EquationError: As `read_mathqa` does.

    >>> read_mathqa_equation("divide(n0,const_2)|add(#0,n0)|", 1).list_labels()
    ['+', '/', 'N_0', 'C_2', 'N_0']
    """
    results: list[Tree] = []

    def read_operand(written: str) -> Tree:
        if match := re.fullmatch(r"n(\d+)", written):
            if int(match[1]) >= count:
                raise EquationError(f"{written} is not among the {count} numbers of the problem")
            return Tree(f"N_{match[1]}")
        if match := re.fullmatch(r"#(\d+)", written):
            if int(match[1]) >= len(results):
                raise EquationError(f"{written} stands before the call that it means")
            return results[int(match[1])]
        return _read_constant(written)

    for name, operands in _list_calls(text):
        results.append(_to_operation(name, list(map(read_operand, operands))))
        if len(results[-1]) > _MOST_NODES:
            raise EquationError("the program is too long to be one equation")
    return results[-1]


def _list_calls(text: str) -> list[tuple[str, list[str]]]:
    result = []
    for call in re.split(r"\||(?<=\)),", text):
        if not call.strip():
            continue
        match = _CALL.fullmatch(call)
        if match is None:
            raise EquationError(f"{call[:60]!r} is no call of a program")
        result.append((match[1], [part.strip() for part in match[2].split(",")]))
    if not result:
        raise EquationError("the program has no call")
    return result


def _read_constant(written: str) -> Tree:
    if match := re.fullmatch(r"const_(\d+(?:[._]\d+)?)", written):
        return number_tree(match[1].replace("_", "."))
    if written == "const_pi":
        return number_tree("3.1416")
    raise EquationError(f"{written[:40]!r} is no operand of a program")


def _to_operation(name: str, operands: Sequence[Tree]) -> Tree:
    if formula := _FORMULAS.get((name, len(operands))):
        return _replace_leaves(read_equation(formula, number_tree), operands)
    if name in _SIGNS and len(operands) == 2:
        return Tree(_SIGNS[name], tuple(operands))
    if name in _ROOTS and len(operands) == 1:
        return Tree("^", (operands[0], Tree("/", (Tree("C_1"), Tree(f"C_{_ROOTS[name]}")))))
    if name == "negate" and len(operands) == 1:
        return Tree("-", (Tree("C_0"), operands[0]))
    if name == "inverse" and len(operands) == 1:
        return Tree("/", (Tree("C_1"), operands[0]))
    raise EquationError(f"{name}({len(operands)} operands) is no operation of equations")


def recognise_notation(text: str) -> SolutionNotation:
    """Return how a solution is written."""
    if _ANNOTATION.search(text):
        return "annotations"
    return "mathqa" if _CALL.match(text) and "=" not in text else "program"
