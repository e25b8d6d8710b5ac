"""Paraphrases of problems by a language model, taken only where the masked equation survives.

The model sees the problem as it is told. In its reply the numbers are masked as in any problem; they must be
those of the problem, in digits, so that its equation over the new placeholders has the same value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from engines.chat.cached_client import ModelAnswer
from engines.chat.settings import ChatSettings
from engines.core.events import Sink, Stop, ignore, never
from engines.mwp.augmentation.variant import (
    is_question,
    renumber_problem,
    split_clauses,
    split_problem_sentences,
)
from engines.mwp.problems.numbers import language_of, mask_numbers, value_of
from engines.mwp.problems.problem import EquationError, Problem, renumber_placeholders

_PROMPTS = {
    "en": (
        "Write this word problem again in other words. Keep every number, written in digits, and what is "
        "asked for; add no number and no solution. Reply with the problem alone.\n\n"
    ),
    "zh": (
        "用不同的话改写这道应用题。保留所有数字（用阿拉伯数字）和所求的问题，"
        "不要增加数字，不要写解答。只回复题目。\n\n"
    ),
}
_LONGEST = 1_024
"""Tokens of a paraphrase."""


def ask_paraphrases(
    chat: ChatSettings,
    problems: Sequence[Problem],
    *,
    cache: Path | None = None,
    events: Sink = ignore,
    stop: Stop = never,
) -> list[Problem | str | None]:
    """Ask a language model to write problems in other words.

    Args:
        chat: The model; replies that are kept in `cache` are not asked for again.
        problems: Problems with equations.

    Returns:
        For each problem its paraphrase, or why it is not taken; None where it was stopped before.

    Raises:
        EngineError: E691 and E692 as `Chat.draw_answers`.
    """
    model = chat.open_chat(cache, longest=_LONGEST)
    prompts = [_PROMPTS[problem.language] + problem.original for problem in problems]
    drawn = model.draw_answers(prompts, 1, temperature=0.0, events=events, stop=stop)
    return [
        None if answer is None else _read_paraphrase(problem, answer)
        for problem, (answer,) in zip(problems, drawn, strict=True)
    ]


def _read_paraphrase(problem: Problem, answer: ModelAnswer) -> Problem | str:
    if answer.refused:
        return "the model refused"
    if answer.cut:
        return "the reply was cut off before its end"
    return accept_paraphrase(problem, answer.text)


def accept_paraphrase(problem: Problem, text: str) -> Problem | str:
    """Return a paraphrase of a problem as a problem, or why its equation does not survive.

    Args:
        problem: One with an equation.
        text: The paraphrase as it came.

    >>> from engines.mwp.solver.solve import problem_of
    >>> from engines.mwp.problems.problem import read_equation
    >>> from engines.core.tree import Tree
    >>> told = problem_of("Ann has 3 pens and buys 4 pens. How many pens has she?")
    >>> told = replace(told, equation=read_equation("N_0-N_1", Tree), answer=-1.0)
    >>> accept_paraphrase(told, "After buying 4 pens on top of her 3, how many has Ann?").template
    'N_1-N_0'
    >>> accept_paraphrase(told, "Ann buys 4 pens. How many has she?")
    'a number is missing, added or changed'
    """
    assert problem.equation is not None
    text = " ".join(text.split()).strip('"“”')
    if not text:
        return "the reply is empty"
    if language_of(text) != problem.language:
        return "it is in another language"
    masked = mask_numbers(text, words=False)
    if masked.text.split() == problem.text.split():
        return "the words are the same"
    original_values, given = (tuple(map(value_of, numbers)) for numbers in (problem.numbers, masked.numbers))
    if Counter(original_values) != Counter(given):
        return "a number is missing, added or changed"
    if len({*original_values}) < len(original_values) and original_values != given:
        return "equal numbers stand in another order, so which is which is not clear"
    split = split_clauses if problem.language == "zh" else split_problem_sentences
    if not any(is_question(part, problem.language) for part in split(masked.text)):
        return "nothing is asked for"
    places = (
        list(range(len(original_values)))
        if original_values == given
        else [given.index(value) for value in original_values]
    )
    try:
        moved = renumber_placeholders(problem.equation, places)
        return renumber_problem(
            replace(problem, numbers=masked.numbers), masked.text, moved, masked.numbers, id_=problem.id
        )
    except EquationError as error:
        return error.what
