"""Asking a language model for word problems: how its replies are read, and votes over samples."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engines.chat.cached_client import Chat, ModelAnswer
from engines.chat.settings import ChatSettings
from engines.core.errors import StoppedError
from engines.core.events import Sink, Stop, ignore, never
from engines.mwp.evaluations.attempts import SolverAttempt, answer_key, format_value, score_attempt
from engines.mwp.evaluations.comparisons import wilson_interval
from engines.mwp.evaluations.language_settings import PLACE, PromptMode, PromptSettings
from engines.mwp.problems.numbers import value_of
from engines.mwp.problems.problem import EquationError, Problem
from engines.mwp.problems.programs import Program, read_program
from engines.retrieval.significance import bootstrap_interval

_LONGEST = 4_096
"""Tokens of a reply."""


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A reply to a problem.

    Args:
        text: As it came.
        attempt: What was read in it.
        program: Its program, where one was asked for and read.
    """

    text: str
    attempt: SolverAttempt
    program: Program | None = None


@dataclass(frozen=True, slots=True)
class AskedProblem:
    """A problem with the replies to it, in the order in which they were drawn."""

    problem: Problem
    replies: tuple[ModelReply, ...]

    def list_votes(self, count: int | None = None) -> list[tuple[ModelReply, int]]:
        """Return the first reply of each distinct answer among the first `count`, with how many gave it, the
        commonest first; of equally many the one that came first. Replies without an answer do not vote."""
        votes: Counter[Any] = Counter()
        first: dict[Any, ModelReply] = {}
        for reply in self.replies[:count]:
            if not reply.attempt.unread:
                key = answer_key(reply.attempt.text, self.problem)
                votes[key] += 1
                first.setdefault(key, reply)
        return [(first[key], number) for key, number in votes.most_common()]

    def vote(self, count: int | None = None) -> SolverAttempt:
        """Return the commonest answer among the first `count`, or why there is none."""
        votes = self.list_votes(count)
        return votes[0][0].attempt if votes else self.replies[0].attempt


@dataclass(frozen=True, slots=True)
class AskedModel:
    """What a language model replied to problems, and how the replies came about, as JSON."""

    problems: tuple[AskedProblem, ...]
    summary: dict[str, Any]


def ask_problems(
    chat: ChatSettings,
    prompts: PromptSettings,
    problems: Sequence[Problem],
    *,
    cache: Path | None = None,
    events: Sink = ignore,
    stop: Stop = never,
) -> AskedModel:
    """Ask a language model for the answers of problems; answers that are kept in `cache` are not asked again.

    Raises:
        EngineError: E691 and E692 as `Chat.draw_answers`, E646 when it is stopped.
        DataError: As `PromptSettings.read_prompt`.
    """
    template = prompts.read_prompt()
    model: Chat = chat.open_chat(cache, longest=_LONGEST)
    drawn = model.draw_answers(
        [template.replace(PLACE, problem.original) for problem in problems],
        prompts.samples,
        temperature=prompts.warmth,
        events=events,
        stop=stop,
    )
    answers: list[list[ModelAnswer]] = [[one for one in row if one is not None] for row in drawn]
    if any(len(row) < prompts.samples for row in answers):
        raise StoppedError("the evaluation was stopped", remedy="Run it again: replies so far are kept.")
    asked = tuple(
        AskedProblem(problem, tuple(_read_reply(problem, answer, prompts.mode) for answer in row))
        for problem, row in zip(problems, answers, strict=True)
    )
    summary = chat.add_cost(model.summary([answer for row in answers for answer in row]))
    unreadable = sum(bool(reply.attempt.unread) for one in asked for reply in one.replies)
    return AskedModel(
        asked,
        {
            **summary,
            "unreadable": max(0, unreadable - summary["refused"]),
            "mode": prompts.mode,
            "samples": prompts.samples,
            "temperature": prompts.warmth,
            "prompt": template,
        },
    )


def _read_reply(problem: Problem, answer: ModelAnswer, mode: PromptMode) -> ModelReply:
    if answer.refused:
        return ModelReply("", SolverAttempt(unread="the model refused"))
    if answer.cut:
        return ModelReply(answer.text, SolverAttempt(unread="the reply was cut off before its end"))
    if not answer.text.strip():
        return ModelReply("", SolverAttempt(unread="the reply is empty"))
    if mode != "program":
        return ModelReply(answer.text, SolverAttempt(answer.text))
    try:
        program = read_program(answer.text)
    except EquationError as error:
        return ModelReply(answer.text, SolverAttempt(unread=f"no program: {error.what}"))
    equation = program.join_steps(tuple(map(value_of, problem.numbers)))
    return ModelReply(answer.text, SolverAttempt(format_value(program.value), equation), program)


def measure_samples(asked: Sequence[AskedProblem], *, seed: int = 0) -> dict[str, Any]:
    """Return, for k = 1, 2, 4, … up to the number of samples, the share of problems that the commonest of the
    first k answers gets right (`maj`, Wilson's interval), and the chance that one of k drawn answers is right
    (`pass`, bootstrap over problems).

    M. Chen and others, "Evaluating large language models trained on code", 2021: with c right answers of n
    the chance is 1 - C(n-c, k) / C(n, k), which has no bias.
    """
    samples = len(asked[0].replies)
    right = [
        sum(score_attempt(one.problem, reply.attempt).score.answer for reply in one.replies) for one in asked
    ]
    counts = sorted({*(2**power for power in range(samples.bit_length())), samples})
    majority, chance = {}, {}
    for k in counts:
        voted = [score_attempt(one.problem, one.vote(k)).score.answer for one in asked]
        majority[str(k)] = {"accuracy": sum(voted) / len(voted), "ci95": wilson_interval(voted)}
        passed = [1 - math.comb(samples - count, k) / math.comb(samples, k) for count in right]
        chance[str(k)] = {
            "accuracy": sum(passed) / len(passed),
            "ci95": bootstrap_interval(passed, seed=seed),
        }
    return {"maj": majority, "pass": chance}
