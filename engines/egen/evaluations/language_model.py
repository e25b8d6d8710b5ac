"""Evaluations of a language model by questions in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from engines.chat.cached_client import Chat, ModelAnswer
from engines.core.errors import EngineError, ExpressionError
from engines.core.events import Sink, Stop, ignore, never
from engines.core.expression_language import read_prefix, to_prefix
from engines.core.tree import Tree
from engines.egen.evaluations import mistakes as by_cosine
from engines.egen.evaluations.analogies import Analogy
from engines.egen.evaluations.figures import WORST, EvaluationReport, Mistake, mean_figure, select_costliest
from engines.egen.evaluations.mistakes import MarkedDerivation
from engines.egen.evaluations.semantic import SemanticItem
from engines.formula.reader import read_expression
from engines.mathematics.terms.canonical import canonical_key
from engines.mathematics.terms.notation import to_infix
from engines.mathematics.verification.verifier import Verifier

# What is asked is what embeddings are measured on: items of `semantic`, derivations of `mistakes`,
# analogies of `algebra`. A refusal or an answer that cannot be read is a wrong answer and is counted.

T = TypeVar("T")

_LAST = re.compile(r"answer\s*[:=]\s*(.+)", re.IGNORECASE)
_ABOUT = (
    "Expressions are in the real variable x; a*b is a product, a^b a power, ln the natural logarithm, "
    "asin the inverse sine (likewise for the other functions), d/dx a derivative."
)


def semantic(
    chat: Chat,
    items: Sequence[SemanticItem],
    *,
    seed: int = 0,
    worst: int = WORST,
    events: Sink = ignore,
    stop: Stop = never,
) -> EvaluationReport:
    """Measure the share of items in percent for which a language model names the candidate that equals the
    query.

    Candidates are in random order.
    """
    draw = np.random.default_rng(seed)
    prompts, orders = [], []
    for item in items:
        candidates = (item.answer, *item.distractors)
        order = draw.permutation(len(candidates)).tolist()
        # Candidates are lettered in random order, so that the place of the answer tells nothing.
        lines = [
            f"{chr(ord('A') + choice)}. {to_infix(candidates[index])}" for choice, index in enumerate(order)
        ]
        prompts.append(
            f"{_ABOUT}\n\nOne of these expressions equals {to_infix(item.query)} wherever both are defined. "
            "Which?\n\n" + "\n".join(lines) + "\n\nEnd with a line `ANSWER: ` and its letter."
        )
        orders.append(order)
    # One question for each item, then the letter is read from the last line of the answer.
    answers = _ask_model(chat, prompts, events, stop)
    chosen = [_read_choice(reply.text, len(order)) for reply, order in zip(answers, orders, strict=True)]
    hits = np.array(
        [choice is not None and order[choice] == 0 for choice, order in zip(chosen, orders, strict=True)],
        float,
    )
    failures = [
        Mistake(
            item.query,
            item.answer,
            "" if choice is None else (item.answer, *item.distractors)[order[choice]],
            1.0,
        )
        for item, order, choice, hit in zip(items, orders, chosen, hits, strict=True)
        if not hit
    ]
    return EvaluationReport(
        "semantic",
        chat.model,
        (mean_figure("semantic_accuracy", "paper", hits),),
        {
            "items": len(items),
            "seed": seed,
            **_describe_setting(chat, answers, sum(choice is None for choice in chosen)),
        },
        len(failures),
        select_costliest(failures, worst),
    )


def mistakes(
    chat: Chat,
    test: Sequence[MarkedDerivation],
    *,
    left_out: Mapping[str, int] | None = None,
    worst: int = WORST,
    events: Sink = ignore,
    stop: Stop = never,
) -> EvaluationReport:
    """Measure precision, recall and F1 of the transitions that a language model calls wrong.

    It is asked one question for each derivation. If its answer cannot be read, no transition counts as called
    wrong.
    """
    prompts = []
    for derivation in test:
        lines = [f"{n}. {to_infix(step)}" for n, step in enumerate(derivation.steps)]
        prompts.append(
            f"{_ABOUT}\n\nEach line should equal the line above it wherever both are defined.\n\n"
            + "\n".join(lines)
            + "\n\nWhich lines do not? End with a line `ANSWER: ` and their numbers, with commas between, "
            "or `ANSWER: none`."
        )
    answers = _ask_model(chat, prompts, events, stop)
    # An answer that cannot be read is None, and flags nothing.
    called = [_read_lines(answer.text, len(item.steps)) for answer, item in zip(answers, test, strict=True)]
    flagged = np.array(
        [
            line in (wrong_lines or ())
            for wrong_lines, item in zip(called, test, strict=True)
            for line in range(1, len(item.steps))
        ],
        bool,
    )
    wrong = by_cosine.mark_wrong_steps(test)
    # `owner` is the derivation of each transition, over which intervals are taken.
    owner = np.repeat(np.arange(len(test)), [len(item.steps) - 1 for item in test])
    steps = [step for item in test for step in pairwise(item.steps)]
    failures = []
    for row in np.flatnonzero(flagged != wrong).tolist():
        before, after = map(to_prefix, steps[row])
        if wrong[row]:
            failures.append(Mistake(before, "", after, 1.0, "a mistake that was missed"))
        else:
            failures.append(Mistake(before, after, "", 1.0, "a right step that was flagged"))
    return EvaluationReport(
        "mistakes",
        chat.model,
        tuple(by_cosine.compute_figures("paper", flagged, wrong, owner)),
        {
            "derivations": len(test),
            "transitions": len(wrong),
            "mistakes": int(wrong.sum()),
            **_describe_setting(chat, answers, sum(wrong_lines is None for wrong_lines in called)),
            "left_out": dict(left_out or {}),
        },
        len(failures),
        select_costliest(failures, worst),
    )


def algebra(
    chat: Chat, analogies: Sequence[Analogy], *, worst: int = WORST, events: Sink = ignore, stop: Stop = never
) -> EvaluationReport:
    """Return the share of analogies in percent that the model completes.

    `paper`: with y2 itself, up to the order of operands. `better`: with any expression that is equal to it.
    """
    prompts = [
        f"{_ABOUT}\n\n{to_infix(item.x1)} is to {to_infix(item.y1)} as {to_infix(item.x2)} is to what?\n\n"
        "End with a line `ANSWER: ` and one expression."
        for item in analogies
    ]
    answers = _ask_model(chat, prompts, events, stop)
    said = [_read_expression(answer.text) for answer in answers]
    strict, fair, failures = np.zeros(len(said)), np.zeros(len(said)), []
    for number, (item, tree) in enumerate(zip(analogies, said, strict=True)):
        expected = read_prefix(item.y2)
        if tree is not None:
            strict[number] = canonical_key(tree) == canonical_key(expected)
            fair[number] = strict[number] or Verifier(expected).judge_members([tree])[0].outcome == "equal"
        if not strict[number]:
            predicted = "" if tree is None else to_prefix(tree)
            failures.append(Mistake(item.x2, item.y2, predicted, 1.0, f"{item.x1} : {item.y1}"))
    return EvaluationReport(
        "algebra",
        chat.model,
        (
            mean_figure("algebra_accuracy", "paper", strict),
            mean_figure("algebra_accuracy_any_form", "better", fair),
        ),
        {"analogies": len(analogies), **_describe_setting(chat, answers, sum(tree is None for tree in said))},
        len(failures),
        select_costliest(failures, worst),
    )


def _describe_setting(chat: Chat, answers: Sequence[ModelAnswer], without: int) -> dict[str, Any]:
    """Return what a report says of answers.

    Args:
        without: How many hold nothing that was asked for, refusals among them.
    """
    summary = chat.summary(answers)
    return {**summary, "unreadable": without - summary["refused"]}


def _ask_model(chat: Chat, prompts: Sequence[str], events: Sink, stop: Stop) -> list[ModelAnswer]:
    from engines.egen.models.vectors import stopped_error

    if not prompts:
        what = "there are no questions to ask"
        remedy = "Name data with more and longer expressions in each cluster."
        raise EngineError(what, code="E645", remedy=remedy)
    answers = chat.ask(prompts, events=events, stop=stop)
    reached = [answer for answer in answers if answer is not None]
    if len(reached) < len(answers):
        raise stopped_error("evaluation")
    return reached


def _find_last(text: str, form: Callable[[str], T | None]) -> T | None:
    result = _LAST.findall(text) or text.strip().splitlines()
    return form(result[-1].strip().strip("*`$ ").rstrip(".").strip("*`$ ")) if result else None


def _read_choice(text: str, count: int) -> int | None:
    def to_choice(said: str) -> int | None:
        match = re.match(r"\(?([A-Z])\b", said)
        number = -1 if match is None else ord(match[1]) - ord("A")
        return number if 0 <= number < count else None

    return _find_last(text, to_choice)


def _read_lines(text: str, count: int) -> set[int] | None:
    def to_lines(said: str) -> set[int] | None:
        if re.match(r"none\b", said, re.IGNORECASE):
            return set()
        if not re.fullmatch(r"(lines?\s*)?\d+(\s*(,|and|,\s*and)\s*\d+)*", said, re.IGNORECASE):
            return None
        named = {int(digits) for digits in re.findall(r"\d+", said)}
        return named if named <= set(range(1, count)) else None

    return _find_last(text, to_lines)


def _read_expression(text: str) -> Tree | None:
    def to_expression(said: str) -> Tree | None:
        try:
            return read_expression(said)
        except ExpressionError:
            return None

    return _find_last(text, to_expression)
