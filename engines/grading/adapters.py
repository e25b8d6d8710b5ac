"""Grading where models are evaluated and trained: Math-Verify's functions, a task's results, a reward.

None of them uses signals or clocks: the work on a pair is bounded, so they run in any thread or process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engines.core.spec import make_refusal
from engines.grading.answer_judgement import judge_answers
from engines.grading.compare import AnswerComparison
from engines.grading.final_answer import answer
from engines.grading.grades import grade


def parse(
    pred: str,
    extraction_config: Sequence[Any] = (),  # noqa: ARG001  # settings of Math-Verify that have no use here
    fallback_mode: str = "first_match",  # noqa: ARG001
    extraction_mode: str = "any_match",  # noqa: ARG001
    parsing_timeout: int | None = None,  # noqa: ARG001
    raise_on_error: bool = False,  # noqa: ARG001
) -> list[str]:
    r"""Return the final answer in a text, as `verify` takes it; an empty list where there is none.

    Only `pred` counts: LaTeX, plain expressions and the letters of choices are always looked for, and nothing
    is raised.

    >>> parse("The answer is $x = \\frac{1}{2}$.")
    ['x = \\frac{1}{2}']
    """
    result = answer(pred)
    return [result] if result.strip() else []


def verify(
    gold: Sequence[str] | str,
    target: Sequence[str] | str,
    float_rounding: int = 6,
    numeric_precision: int = 15,  # noqa: ARG001
    strict: bool = True,
    allow_set_relation_comp: bool = False,  # noqa: ARG001
    timeout_seconds: int | None = None,  # noqa: ARG001
    raise_on_error: bool = False,  # noqa: ARG001
) -> bool:
    """Return whether an answer that `parse` found is that of the reference: equal, or rounded to
    `float_rounding` decimals where one of the two is written as a decimal.

    A set is always compared with the relation that it solves; the arguments without use are those of
    Math-Verify. Raises: EngineError E402 for `strict=False`, where names of variables would not count.

    >>> verify(parse("$1/3$"), parse("$0.333333$")), verify(parse("1/3"), parse("0.33"))
    (True, False)
    """
    if not strict:
        raise make_refusal(
            "strict=False is not supported", "E402", "Take the accepted verdicts of grade() instead."
        )
    golds, targets = ([one] if isinstance(one, str) else list(one) for one in (gold, target))
    exact, rounded = AnswerComparison(), AnswerComparison(digits=float_rounding)
    for one in golds:
        for other in targets:
            result = judge_answers(one, other, exact)
            if result.outcome == "different" and "." in one + other:
                result = judge_answers(one, other, rounded)
            if result.outcome == "equal":
                return True
    return False


def process_results(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, float]:
    """Return the results of a document for a task of lm-evaluation-harness: `process_results: !function`.

    The reference is what `doc` has as `answer`, or else as `solution` or `target`.

    >>> process_results({"answer": "1/2"}, ["It is 0.5."])
    {'exact_match': 1.0}
    """
    key = next((name for name in ("answer", "solution", "target") if doc.get(name) is not None), "answer")
    gold = str(doc.get(key, ""))
    return {"exact_match": float(bool(results) and grade(gold, results[0]).accepted)}


def make_reward(column: str = "solution", **settings: Any) -> Callable[..., list[float]]:
    """Make a reward function for TRL's trainers: 1.0 for a completion whose answer is right, otherwise 0.0.

    Args:
        column: The column of the data set that holds the references.
        settings: Settings of `grade`.

    >>> score_completions = make_reward("answer")
    >>> score_completions([[{"role": "assistant", "content": "So it is $0.5$."}], "2"], answer=["1/2", "3"])
    [1.0, 0.0]
    """

    def score_completions(completions: Sequence[Any], **columns: Any) -> list[float]:
        # of a conversation the last message
        texts = [
            one if isinstance(one, str) else str(one[-1]["content"]) if one else "" for one in completions
        ]
        pairs = zip(columns[column], texts, strict=True)
        return [float(grade(str(gold), text, **settings).accepted) for gold, text in pairs]

    return score_completions
