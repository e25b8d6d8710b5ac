"""Problems in another order: their question before the facts (question reordering, QR), or facts shuffled."""

from __future__ import annotations

import re
from random import Random

from engines.mwp.augmentation.variant import (
    ProblemVariant,
    compare_equations,
    is_question,
    join_parts,
    renumber_problem,
    split_problem,
)
from engines.mwp.problems.problem import Problem, to_infix

_IF = re.compile(r"(?:if|when|suppose|given that)\b", re.IGNORECASE)
_ASKING = re.compile(r"(?:how|what|which)\b", re.IGNORECASE)


def reorder_question(problem: Problem, *, given_that: bool = False) -> ProblemVariant | str:
    """Return the problem with its question first, numbers renumbered; or why there is none.

    Whether the equation stays the same is computed: a number in the question changes the order of all.

    Args:
        given_that: In English, the facts follow "given that" (Kumar et al. 2021).
    """
    assert problem.equation is not None
    parted = _split_question(problem)
    if isinstance(parted, str):
        return parted
    question, facts = parted
    text = question_first(question, facts, problem, given_that=given_that)
    made = renumber_problem(problem, text, problem.equation, problem.numbers, id_=f"{problem.id}/qr")
    return ProblemVariant(
        problem=made,
        of=problem.id,
        kind="qr",
        asked="",
        solved=to_infix(problem.equation),
        relation=compare_equations(problem, made),
    )


def shuffle_facts(problem: Problem, draw: Random) -> Problem | None:
    """Return the problem with its facts in another order, numbers renumbered; None if there is one order."""
    assert problem.equation is not None
    parts = split_problem(problem)
    facts = [part for part in parts if not is_question(part, problem.language)]
    if len(set(facts)) < 2:
        return None
    order = facts[:]
    while order == facts:
        draw.shuffle(order)
    shuffled = iter(order)
    text = join_parts(
        problem, [part if is_question(part, problem.language) else next(shuffled) for part in parts]
    )
    return renumber_problem(problem, text, problem.equation, problem.numbers, id_=problem.id)


def _split_question(problem: Problem) -> tuple[str, str] | str:
    """Question and facts; a Chinese problem is parted at commas too."""
    chinese = problem.language == "zh"
    parts = split_problem(problem)
    asking = [index for index, part in enumerate(parts) if is_question(part, problem.language)]
    if not asking:
        return "there is no question"
    if len(asking) > 1:
        return "there are two questions"
    if len(parts) == 1:
        return "the question is the only sentence" if chinese else _split_at_comma(problem.text)
    (position,) = asking
    if position == 0:
        return "the question is first"
    return parts[position], join_parts(problem, parts[:position] + parts[position + 1 :])


def _split_at_comma(sentence: str) -> tuple[str, str] | str:
    """Of an English sentence: what stands before the last comma that a question follows is the facts."""
    for comma in reversed([match.start() for match in re.finditer(",", sentence)]):
        facts, question = sentence[:comma].strip(), sentence[comma + 1 :].strip()
        if _ASKING.match(question) and re.search(r"\w", facts):
            return question, facts
    return "the question is the only sentence"


def question_first(question: str, facts: str, problem: Problem, *, given_that: bool = False) -> str:
    """Return the text with the question before the facts, marks and capitals put right."""
    if problem.language == "zh":
        end = "．" if "．" in problem.text else "。"
        return question.rstrip("，,。．.；;？? ") + "？" + facts.rstrip("，,；; ．。.") + end
    spaced = problem.text.rstrip().endswith((" ?", " ."))
    mark = " ?" if spaced else "?"
    question = question.rstrip(" .?!,") if not question.endswith(".") else question.rstrip(" .")
    facts = facts.strip().rstrip(",")
    if re.search(r"[A-Z]", problem.text.replace("N_", "")):
        question = question[:1].upper() + question[1:]
    joined = given_that or bool(_IF.match(facts) and not re.search(r"[.?!]\s", facts))
    if joined:
        first = facts.split(" ", 1)[0]
        # Names and "I" keep their capital.
        if first.lower() in _OPENERS:
            facts = facts[:1].lower() + facts[1:]
        facts = facts.rstrip(" .?!,")
        return f"{question}{' given that' if given_that else ''} {facts}{mark}"
    closed = facts if facts.endswith((".", "?", "!")) else f"{facts}{' .' if spaced else '.'}"
    if not problem.original.endswith("?") and question.lower().startswith(("find", "calculate", "determine")):
        mark = " ." if spaced else "."
    return f"{question}{mark} {closed}"


_OPENERS = frozenset(
    (
        *("if", "when", "suppose", "given", "a", "an", "the", "there", "each", "every", "in", "on", "at"),
        *("for", "he", "she", "it", "they", "we", "you", "his", "her", "their", "its", "some", "after"),
        *("before", "one"),
    )
)
