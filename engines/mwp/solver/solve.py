"""Solve one problem: its equation, the steps that lead to the answer, and what else was thought of."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from engines.chat.settings import ChatSettings
from engines.core.errors import EngineError
from engines.core.events import Sink, Stop, ignore, never
from engines.core.hashing import cache_by_file_state, file_stamp
from engines.core.notebook_display import Shown
from engines.core.spec import Arg, Flat, exactly_one, make_refusal, specification
from engines.core.tree import Tree
from engines.mwp.evaluations.language_settings import PromptSettings
from engines.mwp.problems.numbers import (
    language_of,
    list_number_words,
    list_unread_numbers,
    mask_numbers,
)
from engines.mwp.problems.problem import Problem, evaluate, leaf_value, to_infix
from engines.mwp.solver.reading import LARGEST, ScoredEquation

if TYPE_CHECKING:
    from engines.mwp.evaluations.language_model import ModelReply
    from engines.mwp.solver.numpy_solver import ArraySolver
    from engines.mwp.solver.solver import Solver


LANGUAGES = {"en": "English", "zh": "Chinese"}
_SIGNS = {"*": "×", "/": "÷", "-": "−"}


@specification
class Solve:
    """Solve a math word problem.

    The answer of a solver is the value of an equation over the numbers in the text; only equations with a
    value are shown. With --llm URL --model NAME a language model is asked instead.
    """

    model: Annotated[
        Path | None,
        Arg("A solver: its folder, or the name of one.", ref="solver", option=False, unless=("llm",)),
    ] = None
    text: Annotated[str, Arg("The problem.", words=True, option=False)] = ""
    beam: Annotated[int, Arg("Beam width: equations to follow and show.", low=1, high=100)] = 5
    number_words: Annotated[bool, Arg("Read words such as three, a dozen or 三分之二 as numbers.")] = False
    chat: Annotated[ChatSettings, Flat()] = ChatSettings()
    asking: Annotated[PromptSettings, Flat()] = PromptSettings()

    if TYPE_CHECKING:  # checkers see no flat settings

        def __init__(
            self,
            model: Path | None = None,
            text: str = "",
            beam: int = 5,
            number_words: bool = False,
            **settings: Any,
        ) -> None: ...

    def __post_init__(self) -> None:
        self.chat.check_settings()
        self.asking.check_settings(self.chat)
        exactly_one({"MODEL": self.model, "--llm": self.chat.llm}, "Name a solver or a language model.")
        if not self.text.strip():
            raise make_refusal("TEXT is needed", "E402", "Give the problem.")


def solve(
    spec: Solve, *, cache: Path | None = None, events: Sink = ignore, stop: Stop = never
) -> dict[str, Any]:
    """Return the best equation with its steps and answer, the alternatives in the order of their probability,
    and as `remarks` what of the problem was not understood.

    Of a language model `equation` is what its program computes, None without one, `probability` the share of
    samples that give the answer, `answer_text` the answer as it was given, and `reply` what it said.

    Raises:
        EngineError: E690 for a problem without numbers, or one that the solver cannot read; E691 and E692 as
            language models.
        DataError: E680 for a folder without a solver.

    >>> from engines.core.system import asset
    >>> text = "Ann has 3 pens and buys 4 more pens. How many pens does she have?"
    >>> found = solve(Solve(asset("models/mwp-en"), text))
    >>> found["equation"], found["answer"]
    ('N_0+N_1', 7.0)
    """
    problem = problem_of(spec.text, number_words=spec.number_words)
    if spec.chat.llm is not None:
        return _ask_model(spec, problem, cache, events, stop)
    assert spec.model is not None
    if not problem.numbers:
        remedy = "" if spec.number_words else "Words such as three or 三 count with --number-words."
        raise _unsolved_error("the problem has no number", remedy)
    solver = _open_light_solver(spec.model) or open_cached_solver(spec.model)
    (equations,) = solver.solve([problem], beam=spec.beam)
    if isinstance(equations, str):
        raise _unsolved_error(f"the solver cannot read the problem: {equations}")
    if not equations:
        what = "no equation from the numbers and the solver's constants has a value"
        raise _unsolved_error(what, "Try a wider --beam, or a solver that knows more constants.")
    # The first equation is the answer; the others are shown as alternatives.
    rows = [_describe_equation(problem, one) for one in equations]
    remarks = [
        *([solver.note] if solver.note else []),
        *_list_remarks(problem, solver.languages, words=spec.number_words),
    ]
    document = {
        **_describe_problem(spec.model.name, problem),
        **rows[0],
        "steps": list_steps(problem, equations[0].equation),
        "alternatives": rows[1:],
        "remarks": remarks,
    }
    title = (
        f"{spec.text} Answer {document['answer']:.10g} = {document['filled']} ({document['probability']:.0%})"
    )
    return Shown(document, "steps", ("text", "operation", "result"), title=title)


def _describe_problem(model: str, problem: Problem) -> dict[str, Any]:
    return {
        "model": model,
        "language": problem.language,
        "text": problem.text,
        "numbers": list(problem.numbers),
    }


def _ask_model(spec: Solve, problem: Problem, cache: Path | None, events: Sink, stop: Stop) -> dict[str, Any]:
    from engines.mwp.evaluations.language_model import ask_problems

    asked = ask_problems(spec.chat, spec.asking, [problem], cache=cache, events=events, stop=stop)
    (one,) = asked.problems
    votes = one.list_votes()
    if not votes:
        attempt = one.replies[0].attempt
        raise _unsolved_error(f"the language model gives no answer: {attempt.unread}")
    rows = [_describe_reply(problem, reply, votes / len(one.replies)) for reply, votes in votes]
    document = {
        **_describe_problem(str(spec.chat.llm_model), problem),
        **rows[0],
        "alternatives": rows[1:],
        "remarks": _list_remarks(problem, (), words=spec.number_words),
        "setting": asked.summary,
    }
    title = f"{spec.text} Answer {document['answer_text']} ({document['probability']:.0%})"
    return Shown(document, "steps", ("text", "operation", "result"), title=title)


def _describe_reply(problem: Problem, reply: ModelReply, share: float) -> dict[str, Any]:
    from engines.grading.final_answer import answer as find_answer
    from engines.mwp.evaluations.attempts import read_answer_quantity

    text = find_answer(reply.attempt.text, "zh" if problem.language == "zh" else "auto")
    quantity, equation = read_answer_quantity(text), reply.attempt.equation
    return {
        "equation": None if equation is None else to_infix(equation),
        "filled": None if equation is None else to_infix(fill_in_numbers(problem, equation)),
        "answer": None if quantity is None else float(quantity.value),
        "answer_text": text,
        "probability": share,
        "tree": None if equation is None else equation.list_labels(),
        "steps": [] if equation is None else list_steps(problem, equation),
        "reply": reply.text,
    }


def _list_remarks(problem: Problem, languages: tuple[str, ...], *, words: bool) -> list[str]:
    result = []
    if languages and problem.language not in languages:
        learned = " and ".join(LANGUAGES[name] for name in languages)
        result.append(
            f"the problem is {LANGUAGES[problem.language]}, and the solver has learned {learned} only"
        )
    for written, value in zip(problem.numbers, problem.values, strict=True):
        if abs(value) > LARGEST:
            result.append(f"{written} is larger than {LARGEST:.0e}, so no step uses it")
    result += list_unread_numbers(problem.text, problem.numbers, problem.original, words=words)
    result += [
        f"{word} is read as a word: with --number-words it is a number"
        for word in list_number_words(problem.original, problem.numbers)
    ]
    return result


@cache_by_file_state(2, lambda folder: file_stamp(folder / "solver.json"))
def _open_light_solver(folder: Path) -> ArraySolver | None:
    """Return a solver that needs no torch, where there is one: most of the time of one problem is imports."""
    from engines.mwp.solver.numpy_solver import open_array_solver

    return open_array_solver(folder)


@cache_by_file_state(2, lambda folder: file_stamp(folder / "solver.json"))
def open_cached_solver(folder: Path) -> Solver:
    """Return a solver; it stays open for the next question until its folder changes."""
    from engines.mwp.solver.solver import open_solver

    return open_solver(folder)


def problem_of(text: str, *, number_words: bool = False) -> Problem:
    """Return a problem as it is told, without an equation."""
    masked = mask_numbers(text, words=number_words)
    values = tuple(map(float, masked.values))
    return Problem("", language_of(text), masked.text, masked.numbers, values, None, math.nan, None, "", text)


def list_steps(problem: Problem, equation: Tree) -> list[dict[str, str]]:
    """Return the operations of an equation in the order in which they are done, each with its operands and
    its result in the numbers of the problem; equal ones once.

    `operation` is `N_0+N_1`, or `R_1*N_2` with the result of the first; `text` is `3 + 4 = 7`.
    """
    rows: list[dict[str, str]] = []
    names: dict[Tree, str] = {}

    def name_result(node: Tree) -> str:
        if not node.children:
            return node.label
        if node not in names:
            left, right = (name_result(child) for child in node.children)
            names[node] = f"R_{len(rows) + 1}"
            first, second, value = (_format_value(problem, each) for each in (*node.children, node))
            text = f"{first} {_SIGNS.get(node.label, node.label)} {second} = {value}"
            rows.append({"operation": f"{left}{node.label}{right}", "result": value, "text": text})
        return names[node]

    name_result(equation)
    return rows


def _format_value(problem: Problem, node: Tree) -> str:
    if node.label.startswith("N_"):
        return problem.numbers[int(node.label[2:])]
    if not node.children:
        return f"{float(leaf_value(node.label, ())):.10g}"
    return f"{float(evaluate(node, problem.values)):.10g}"


def _describe_equation(problem: Problem, scored: ScoredEquation) -> dict[str, Any]:
    return {
        "equation": to_infix(scored.equation),
        "filled": to_infix(fill_in_numbers(problem, scored.equation)),
        "answer": float(evaluate(scored.equation, problem.values)),
        "probability": math.exp(scored.score),
        "tree": scored.equation.list_labels(),
    }


def fill_in_numbers(problem: Problem, node: Tree) -> Tree:
    """Return an equation with the numbers of its problem, as written, in place of placeholders."""
    if not node.children:
        return Tree(_format_value(problem, node))
    return Tree(node.label, tuple(fill_in_numbers(problem, child) for child in node.children))


def _unsolved_error(what: str, remedy: str = "") -> EngineError:
    return EngineError(what, code="E690", remedy=remedy)
