"""Solutions of problems, one's own or those of a set, shown as steps and as one equation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from engines.core.errors import EngineError
from engines.core.hashing import cache_by_file_state
from engines.core.notebook_display import Shown
from engines.core.spec import Arg, make_refusal, specification, suggest_name
from engines.core.tree import Tree
from engines.mwp.problems.numbers import value_of
from engines.mwp.problems.problem import (
    EquationError,
    Problem,
    ProblemValue,
    evaluate,
    is_right,
    to_infix,
)
from engines.mwp.problems.programs import Program, ProgramStep, number_tree, read_program
from engines.mwp.problems.readers import ProblemFile, read_problems
from engines.mwp.problems.solution_notations import (
    AnnotatedStep,
    SolutionNotation,
    chain_annotations,
    read_annotations,
    read_mathqa,
    read_mathqa_equation,
    recognise_notation,
)
from engines.mwp.solver.solve import fill_in_numbers, list_steps, problem_of


@specification
class ShowSteps:
    """Show a solution as steps and as one equation: calculator annotations of GSM8K, a program of MathQA, or
    lines `name = expression`.

    The notation is recognised. With --problem, numbers of the equation are bound to those of the problem;
    with --data, the solution is that of a problem of the set. Calculations that are wrong are named.
    """

    text: Annotated[str, Arg("The solution; with --data the id of a problem.", words=True)]
    problem: Annotated[str | None, Arg("The problem that it solves.", unless=("data",))] = None
    notation: Annotated[SolutionNotation | None, Arg("How the solution is written.", shown="recognised")] = (
        None
    )
    data: Annotated[
        Path | None, Arg("The set of problems that has the id, or a registered name.", ref="problems")
    ] = None


def show_steps(spec: ShowSteps) -> dict[str, Any]:
    """Return the steps of a solution, its equation over the problem's numbers and the steps that are wrong.

    Raises:
        EngineError: E220 for a solution that cannot be read, E684 for an id that the set does not have.

    >>> found = show_steps(ShowSteps("48/2 = <<48/2=24>>24. In all 48+24 = <<48+24=72>>72"))
    >>> found["filled"], found["answer"], found["first_wrong"]
    ('48+48/2', 72.0, None)
    """
    problem = problem_of(spec.problem or "") if spec.data is None else find_problem(spec.data, spec.text)
    chain = (
        _read_solution(spec.text, spec.notation, problem) if spec.data is None else chain_of_problem(problem)
    )
    document = _describe_chain(problem, chain)
    title = f"{document['filled']}"
    return Shown(document, "steps", ("name", "expression", "value"), title=title)


@dataclass(frozen=True, slots=True)
class SolutionChain:
    """A solution as a chain of steps.

    Args:
        notation: How it is written.
        program: Its steps.
        annotated: Its calculations with what it says that they give.
        equation: Over the numbers of the problem, where the solution says which ones it means.
    """

    notation: SolutionNotation | Literal["equation"]
    program: Program
    annotated: Sequence[AnnotatedStep] = ()
    equation: Tree | None = None

    def list_wrong_steps(self) -> list[dict[str, Any]]:
        """Return the steps whose calculation gives something else than is said: number, text and value."""
        return [
            {
                "step": number,
                "text": step.text,
                "value": None if step.value is None else _format_value(step.value),
            }
            for number, step in enumerate(self.annotated, start=1)
            if step.value is None or not is_right(step.value, step.stated)
        ]


def chain_of_problem(problem: Problem) -> SolutionChain:
    """Return the solution of a problem: its calculator annotations where its answer has some, else its
    equation.

    Raises:
        EquationError: E220 where it has neither, or one that cannot be read.
    """
    if annotated := read_annotations(problem.answer_text):
        return _chain_annotated(annotated, problem)
    if problem.equation is None:
        raise EquationError(
            f"the problem {problem.id} has no steps: no equation and no calculation <<…=…>>",
            remedy="Give its solution as a text.",
        )
    program = chain_equation(problem.equation, tuple(map(value_of, problem.numbers)))
    return SolutionChain("equation", program, equation=problem.equation)


def chain_equation(equation: Tree, values: Sequence[ProblemValue]) -> Program:
    """Return the operations of an equation as a chain, in the order in which they are done, equal ones once.

    >>> from fractions import Fraction
    >>> from engines.mwp.problems.problem import read_equation
    >>> program = chain_equation(read_equation("N_0*N_1-N_2", Tree), tuple(map(Fraction, (12, 5, 7))))
    >>> [(step.expression.list_labels(), step.value) for step in program.steps]
    [(['*', 'C_12', 'C_5'], Fraction(60, 1)), (['-', 'N_0', 'C_7'], Fraction(53, 1))]
    """
    places: dict[Tree, int] = {}
    steps: list[ProgramStep] = []

    # Operands are written before the operation that takes them, and a part that occurs twice is one step.
    def reduce_tree(tree: Tree) -> Tree:
        if not tree.children:
            return number_tree(str(values[int(tree.label[2:])])) if tree.label.startswith("N_") else tree
        if tree not in places:
            expression = Tree(tree.label, tuple(map(reduce_tree, tree.children)))
            places[tree] = len(steps)
            steps.append(ProgramStep(f"step {len(steps) + 1}", expression, evaluate(tree, values)))
        return Tree(f"N_{places[tree]}")

    last = reduce_tree(equation)
    # An equation without an operation is one step as well.
    if not steps:
        steps.append(ProgramStep("step 1", last, evaluate(equation, values)))
    return Program(tuple(steps))


def _chain_annotated(annotated: Sequence[AnnotatedStep], problem: Problem) -> SolutionChain:
    program = chain_annotations(annotated, tuple(map(value_of, problem.numbers)))
    return SolutionChain("annotations", program, annotated)


def _read_solution(text: str, notation: SolutionNotation | None, problem: Problem) -> SolutionChain:
    notation = notation or recognise_notation(text)
    if notation == "annotations":
        return _chain_annotated(read_annotations(text), problem)
    if notation == "mathqa":
        # A program names numbers by their place in the text, so it says nothing without its problem.
        values = tuple(map(value_of, problem.numbers))
        if not values:
            raise make_refusal("a program of MathQA needs its problem", "E402", "Give it with --problem.")
        equation = read_mathqa_equation(text, len(values))
        return SolutionChain(notation, read_mathqa(text, values), equation=equation)
    return SolutionChain(notation, read_program(text))


def _describe_chain(problem: Problem, chain: SolutionChain) -> dict[str, Any]:
    values, program = tuple(map(value_of, problem.numbers)), chain.program
    equation = chain.equation or program.join_steps(values)
    if equation is None:
        raise EngineError(
            "the solution is too long to be one equation", code="E220", remedy="Give it in several parts."
        )
    # A number of the problem that no step uses is often what a solution has missed.
    wrong = chain.list_wrong_steps()
    used = set(equation.list_labels())
    return {
        "id": problem.id,
        "notation": chain.notation,
        "text": problem.text,
        "language": problem.language,
        "numbers": list(problem.numbers),
        "steps": [
            {
                "name": step.name,
                "expression": _name_results(step.expression),
                "value": _format_value(step.value),
                "text": f"{_fill_in_results(step.expression, program)} = {_format_value(step.value)}",
            }
            for step in program.steps
        ],
        "equation": to_infix(equation),
        "filled": to_infix(fill_in_numbers(problem, equation)),
        "tree": equation.list_labels(),
        "operations": list_steps(problem, equation),
        "answer": float(program.value),
        "stated": None if problem.stated is None else f"{problem.stated:.10g}",
        "first_wrong": wrong[0]["text"] if wrong else None,
        "wrong_steps": wrong,
        "unused": [number for index, number in enumerate(problem.numbers) if f"N_{index}" not in used],
    }


@specification
class ListSolutions:
    """List the problems of a set with their solutions: how many steps, the equation that these make, and the
    first step that is wrong."""

    data: Annotated[Path, Arg("Problems, or a registered name.", ref="problems")]


def list_solutions(spec: ListSolutions) -> dict[str, Any]:
    """Return the solution of each problem of a set, in the order of its rows.

    Raises:
        DataError: As `read_problems` does.

    >>> from engines.core.system import asset
    >>> found = list_solutions(ListSolutions(asset("sample/problems/sample-en/problems.jsonl")))
    >>> found["problems"], found["with_steps"], found["wrong"], found["solutions"][0]["chain"]
    (181, 181, 0, '31 + 21 = 52')
    """
    read = _read_cached(spec.data)
    rows = [_describe_solution(problem) for problem in read.rows]
    return {
        "data": spec.data.name,
        "problems": len(rows),
        "with_steps": sum(row["steps"] > 0 for row in rows),
        "wrong": sum(bool(row["wrong"]) for row in rows),
        **read.list_skipped(),
        "solutions": rows,
    }


def _describe_solution(problem: Problem) -> dict[str, Any]:
    row = {"id": problem.id, "steps": 0, "chain": "", "answer": "", "wrong": "", "problem": problem.original}
    try:
        chain = chain_of_problem(problem)
        if chain.notation == "equation":
            assert problem.equation is not None
            texts = [step["text"] for step in list_steps(problem, problem.equation)]
        else:
            texts = [step.text.replace("=", " = ") for step in chain.annotated]
    except EquationError:
        return row
    wrong = chain.list_wrong_steps()
    return {
        **row,
        "steps": len(chain.program.steps),
        "chain": "; ".join(texts),
        "answer": _format_value(chain.program.value),
        "wrong": describe_wrong_step(wrong[0]) if wrong else "",
    }


def describe_wrong_step(step: Mapping[str, Any]) -> str:
    """Return a wrong step in words: `step 3: 48/2=25, it is 24`."""
    value = "it has no value" if step["value"] is None else f"it is {step['value']}"
    return f"step {step['step']}: {step['text']}, {value}"


@cache_by_file_state(4)
def _read_cached(path: Path) -> ProblemFile:
    """Return the problems of a file; kept, since a screen asks for one after the other."""
    return read_problems(path)


def find_problem(path: Path, id_: str) -> Problem:
    """Return the problem of a set with this id.

    Raises:
        EngineError: E684 where there is none.
    """
    rows = _read_cached(path).rows
    problem = next((row for row in rows if row.id == id_), None)
    if problem is None:
        remedy = suggest_name(id_, [row.id for row in rows])
        raise EngineError(f"there is no problem {id_!r}", where=str(path), code="E684", remedy=remedy)
    return problem


def _name_results(expression: Tree) -> str:
    """Return the expression of a step as text, with the names of earlier steps and numbers as written."""

    def name_leaf(tree: Tree) -> Tree:
        if tree.children:
            return Tree(tree.label, tuple(map(name_leaf, tree.children)))
        if tree.label.startswith("N_"):
            return Tree(f"#{int(tree.label[2:]) + 1}")
        return Tree(tree.label[2:].replace("_", "."))

    return to_infix(name_leaf(expression))


def _fill_in_results(expression: Tree, program: Program) -> str:
    """Return the expression of a step as text, with the results of earlier steps and numbers as written."""

    def fill_in_leaf(tree: Tree) -> Tree:
        if tree.children:
            return Tree(tree.label, tuple(map(fill_in_leaf, tree.children)))
        if tree.label.startswith("N_"):
            return Tree(_format_value(program.steps[int(tree.label[2:])].value))
        return Tree(tree.label[2:].replace("_", "."))

    return to_infix(fill_in_leaf(expression))


def _format_value(value: ProblemValue) -> str:
    return f"{float(value):.10g}"
