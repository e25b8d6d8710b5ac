"""Reversed questions in Chinese (Liu et al. 2021, RODA): the text step.

The clause with the asked number becomes the question and goes to the end; where the old question stood, the
old answer is told. Fractions and percentages are asked for as such.
"""

from __future__ import annotations

import re

from engines.mwp.augmentation.reversal import ReversedText
from engines.mwp.augmentation.variant import split_clauses
from engines.mwp.problems.problem import Problem

_MARKS = "，,。．.？?！!；;、 \u3000"
_MARKERS = (
    re.compile(r"百分之[几多]少?|多少[%％]"),
    re.compile(r"几分之几|[(（]\(?[(（][)）]\)?/\(?[(（][)）]\)?[)）]"),
    re.compile(r"[(（]?多少[)）]?"),
    re.compile(r"(?<![十好第])几(?![何乎])"),
    re.compile(r"[=＝](?=[\s？?．。]*$|[(（]\s*[)）])"),
    re.compile(r"求(?!出?[几多])出?"),
    re.compile(r"多(?=[长远久大重高宽深快厚])"),
)
"""What asks, by priority: percent, fraction, how much, how many, a sum to work out, "find", how long."""
_HOW_MUCH, _EQUALS, _FIND, _HOW = 2, 4, 5, 6
_MONEY = re.compile(r"[(（]?多少[)）]?钱")

_SHORTEST_TEXT = 5
_LEADING = re.compile(r"^(?:那么|那|问|请问|则|问题是|如果|已知|若)")
_NAME = re.compile(r"[一二三四五六七八九年]N_\d+班|N_\d+[月日号班路]|第N_\d+")
_BACK = re.compile(r"^(?:其中|其余|这|它|照这样|同样|那)")


def refusal(problem: Problem) -> str:
    """Return why a problem cannot be reversed, or an empty text if it may be."""
    text = problem.text
    assert problem.equation is not None
    if len(text) < _SHORTEST_TEXT:
        return "the text is too short"
    if 6 * len(problem.numbers) > len(text) and not text.rstrip(_MARKS).endswith(("=", "＝")):
        return "the text is hardly more than numbers"
    if _find_marker(split_clauses(text)) is None:
        return "there is no question word"
    return ""


def reversed_text(problem: Problem, number: int, answer: int) -> ReversedText | str:
    """Return the text that asks for a number and tells the answer as the placeholder `N_{answer}`; or why
    not.
    """
    parts = split_clauses(problem.text)
    marker = _find_marker(parts)
    assert marker is not None
    asking = [index for index, part in enumerate(parts) if marker.search(part.rstrip(_MARKS))]
    if len(asking) > 1:
        return "there are two questions"
    (old,) = asking
    asked = f"N_{number}"
    result = re.compile(rf"{asked}(?!\d)")
    new = next((index for index, part in enumerate(parts) if result.search(part)), None)
    if new is None:
        return "the number is not in the text"
    stated = [*parts]
    stated[old] = _state_answer(parts[old], marker, f"N_{answer}")
    question = result.sub(_question_word(problem.numbers[number], marker), stated[new], count=1)
    doubts = _list_doubts(problem, number, parts[new], marker)
    rest = [part.strip(_MARKS) for index, part in enumerate(stated) if index != new]
    question = question.strip(_MARKS)
    if question.startswith(("（", "(")) and question.endswith(("）", ")")):
        question = question[1:-1].strip(_MARKS)
    # A question at the end begins with none of the words that led to the old one.
    question = re.sub(r"^(?:如果|已知|若|假如)", "", question)
    rest = [_LEADING.sub("", part) if index == len(rest) - 1 else part for index, part in enumerate(rest)]
    text = "，".join(part for part in (*rest, question) if part) + "？"
    return ReversedText(text, doubts)


def _find_marker(parts: list[str]) -> re.Pattern[str] | None:
    """Return what asks in a problem: the first of the markers that any clause has, the last only in the
    last."""
    for index, marker in enumerate(_MARKERS):
        among = parts[-1:] if index == _HOW else parts
        if any(marker.search(part.rstrip(_MARKS)) for part in among):
            return marker
    return None


def _state_answer(part: str, marker: re.Pattern[str], answer: str) -> str:
    if marker is _MARKERS[_EQUALS]:
        return marker.sub(f"={answer}", part.rstrip(_MARKS), count=1).replace("(", "").replace(")", "")
    if marker is _MARKERS[_FIND]:
        return f"{marker.sub('', part.rstrip(_MARKS), count=1)}是{answer}"
    if marker is _MARKERS[_HOW_MUCH] and _MONEY.search(part):
        # 多少钱 asks for yuan: 一共多少钱 is 一共5元.
        return _MONEY.sub(f"{answer}元", part, count=1)
    return marker.sub(answer, part, count=1)


def _question_word(written: str, marker: re.Pattern[str]) -> str:
    if "%" in written:
        return "百分之几"
    if "/" in written and not re.match(r"\d+\(", written):
        return "几分之几"
    if marker is _MARKERS[3] and written.isdigit() and len(written) < 2:
        return "几"
    return "多少"


def _list_doubts(problem: Problem, number: int, part: str, marker: re.Pattern[str]) -> tuple[str, ...]:
    asked = f"N_{number}"
    result = []
    if problem.values.count(problem.values[number]) > 1:
        result.append("the number asked for occurs twice in the text")
    if any(asked in match[0] for match in _NAME.finditer(part)):
        result.append("the question asks for an ordinal, a date or a name")
    if _BACK.match(part):
        result.append("the question refers to earlier text")
    if marker is _MARKERS[_HOW]:
        result.append("the answer has no unit")
    if re.search(r"(?<!平)均|各|分别|至少|最多|至多|最少", part):
        result.append("the question says how a number is divided or bounded")
    return tuple(result)
