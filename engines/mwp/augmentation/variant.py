"""Variants of a problem, and the sentences that they are told in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from engines.core.tree import Tree
from engines.mwp.problems.numbers import Language, value_of
from engines.mwp.problems.problem import EquationError, Problem, evaluate, renumber_placeholders

_ENDS_ZH = "。．.？?！!；;"
_CLAUSE_ZH = re.compile(rf"[^，,{_ENDS_ZH}]*[，,{_ENDS_ZH}]*")
_SENTENCE_EN = re.compile(r".+?(?:[.?!]+[\"'”’)]*(?=\s|$)|$)", re.DOTALL)
_SHORT = re.compile(
    r"(?:^|\s)(?:(?:Mr|Mrs|Ms|Dr|Prof) ?|St|vs|etc|No|[A-Za-z]|[ap]\.m|i\.e|e\.g|U\.S)\.$", re.IGNORECASE
)
_MARKERS_ZH = re.compile(r"多少|几(?!何|乎)|(?<![^，。．])求|=$|＝$|什么|哪|多[长远久大重高宽深快厚]")
_WORDS_EN = re.compile(
    r"\b(?:how|what|which|who|whose|when|where|why|find|calculate|determine|compute|tell)\b|\?", re.IGNORECASE
)


def split_problem_sentences(text: str) -> list[str]:
    """Return the sentences of an English text, with their marks and without the blanks around them.

    A point after an abbreviation ends none.

    >>> split_problem_sentences("Mr. Li has N_0 pens of mrs . Lee . How many?")
    ['Mr. Li has N_0 pens of mrs . Lee .', 'How many?']
    """
    result: list[str] = []
    for match in _SENTENCE_EN.finditer(text):
        part = match[0].strip()
        if not part:
            continue
        if result and (_SHORT.search(result[-1]) or not re.search(r"\w", part)):
            result[-1] += f" {part}"
        else:
            result.append(part)
    return result


def split_clauses(text: str) -> list[str]:
    """Return the clauses of a Chinese text, each with the marks that end it.

    >>> split_clauses("甲每小时行N_0千米，N_1小时行多少千米？")
    ['甲每小时行N_0千米，', 'N_1小时行多少千米？']
    """
    result: list[str] = []
    for match in _CLAUSE_ZH.finditer(text):
        part = match[0].strip()
        if not part:
            continue
        # What stands in brackets belongs to the clause before.
        if (
            result
            and (result[-1].count("（") + result[-1].count("("))
            > result[-1].count("）") + result[-1].count(")")
        ) or (result and re.match(r"[（(][^（(]*[）)]?[，,。．？?]*$", part)):
            result[-1] += part
        else:
            result.append(part)
    return result


def is_question(part: str, language: Language) -> bool:
    """Return whether a sentence or clause is a question, by its mark or its words."""
    if language == "zh":
        return bool(_MARKERS_ZH.search(part.rstrip("，,。．.？?！!；;）) ")))
    return bool(_WORDS_EN.search(part)) and ("?" in part or bool(_WORDS_EN.match(part)))


VariantKind = Literal["qr", "roda"]
VariantRelation = Literal["positive", "negative"]

_PLACE = re.compile(r"N_(\d+)")


@dataclass(frozen=True, slots=True)
class ProblemVariant:
    """A problem made of another.

    Args:
        of: The other's id.
        kind: Reordered question or reversed operation.
        asked: The other's number that is asked for (`N_1`), "" for a reordered one.
        solved: How it follows from the others, in the numbers of the source, where `N_n` is the source's
            answer.
        relation: Positive where both have one normalised equation, else negative.
        doubts: Why it may not be coherent.
    """

    problem: Problem
    of: str
    kind: VariantKind
    asked: str
    solved: str
    relation: VariantRelation
    doubts: tuple[str, ...] = ()

    def to_row(self) -> dict[str, Any]:
        """Return a line of a file that `read_problems` reads as problems."""
        return {
            **self.problem.to_row(),
            "kind": self.kind,
            "of": self.of,
            "asked": self.asked,
            "solved": self.solved,
            "relation": self.relation,
            "doubts": list(self.doubts),
        }


def written_number(value: Fraction, *, percent: bool = False) -> str:
    """Return a value as problems write numbers: `14.4`, `(7/3)`, or `25%`.

    >>> written_number(Fraction(72, 5)), written_number(Fraction(7, 3))
    ('14.4', '(7/3)')
    """
    shown = value * 100 if percent else value
    text = f"{float(shown):.6f}".rstrip("0").rstrip(".")
    if Fraction(text) == shown:
        return f"{text}%" if percent else text
    return f"({value.numerator}/{value.denominator})"


def split_problem(problem: Problem) -> list[str]:
    """Return the sentences of an English problem, or the clauses of a Chinese one."""
    return split_clauses(problem.text) if problem.language == "zh" else split_problem_sentences(problem.text)


def join_parts(problem: Problem, parts: Sequence[str]) -> str:
    """Return what `split_problem` parts as one text."""
    return ("" if problem.language == "zh" else " ").join(parts)


def renumber_problem(
    source: Problem, text: str, equation: Tree, numbers: Sequence[str], *, id_: str
) -> Problem:
    """Return the problem of a text whose placeholders are in any order, renumbered by their first appearance.

    Args:
        numbers: Of the placeholders, as written; those that do not occur are dropped.

    Raises:
        EquationError: Where the equation uses one that was dropped, or has no value.
    """
    # The old indices of the placeholders that the new text still contains, in their new order.
    old_indices = list(dict.fromkeys(int(placeholder) for placeholder in _PLACE.findall(text)))
    # `new_indices[old]` is the new index of a placeholder, or -1 if it was dropped.
    new_indices = [-1] * len(numbers)
    for new, old in enumerate(old_indices):
        new_indices[old] = new
    new_text = _PLACE.sub(lambda match: f"N_{new_indices[int(match[1])]}", text)
    remaining = tuple(numbers[old] for old in old_indices)
    values = tuple(map(value_of, remaining))
    new_equation = renumber_placeholders(equation, new_indices)
    if "N_-1" in new_equation.list_labels():
        raise EquationError("the equation uses a number that is no longer in the text")
    return Problem(
        id=id_,
        language=source.language,
        text=new_text,
        numbers=remaining,
        values=tuple(map(float, values)),
        equation=new_equation,
        answer=float(evaluate(new_equation, values)),
        fold=source.fold,
        source=source.id,
        original=_PLACE.sub(lambda match: remaining[int(match[1])], new_text),
    )


def compare_equations(source: Problem, made: Problem) -> VariantRelation:
    """Return "positive" if both problems have the same normalised equation, otherwise "negative"."""
    return "positive" if source.template == made.template else "negative"
