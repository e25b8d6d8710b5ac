"""What an equal value does not settle: contrary words, sides of limits, orders of factors, forms."""

from __future__ import annotations

from collections.abc import Iterator

from engines.core.tree import Tree
from engines.formula.statement_view import read_statement
from engines.grading.asked_forms import find_missing_form
from engines.grading.contrasts import find_contrast
from engines.grading.ordered_products import find_reordering
from engines.grading.tokens import is_blank, text_at, tokenize
from engines.grading.verdicts import GradeVerdict, differ_by

_POWERS_WITH_STEPS = ("\\underline", "\\overline")
"""Commands over and under the exponent of a falling and a rising power."""


def find_difference(
    texts: tuple[str, str], answers: tuple[str, str], found: GradeVerdict, problem: str
) -> GradeVerdict | None:
    r"""Return the verdict on answers with the same value that differ otherwise; None where they do not.

    Args: texts: the reference and the answer as they are written. answers: the final answers in these.

    >>> limits = (r"\lim_{x \to 0^+} f(x) = 1", r"\lim_{x \to 0^-} f(x) = 1")
    >>> find_difference(limits, ("1", "1"), GradeVerdict("equal"), "").outcome
    'different'
    """
    if texts[0] == texts[1]:
        return None
    if contrast := find_contrast(*texts):
        return differ_by(f"one says {contrast.replace(' and ', ', the other ')}")
    if found.outcome != "equal":
        return None
    steps = [_list_steps(text) for text in texts]
    if steps[0] != steps[1]:
        return differ_by("a falling, a rising and a plain power")
    if all("\\lim" in text for text in texts) and _approach_otherwise(*texts):
        return differ_by("the limits are from other sides")
    if problem and (lack := find_missing_form(problem, *answers, texts[1])):
        return GradeVerdict("undecided", reason=lack)
    return find_reordering(*answers, problem)


def _list_steps(text: str) -> list[str]:
    """Return the commands over and under the exponents of a text, as of a falling power."""
    if not any(map(text.__contains__, _POWERS_WITH_STEPS)):
        return []
    tokens = [token for token in tokenize(text) if not is_blank(token) and token.text != "{"]
    return [
        token.text
        for at, token in enumerate(tokens)
        if token.text in _POWERS_WITH_STEPS and at and text_at(tokens, at - 1) == "^"
    ]


def _approach_otherwise(gold: str, pred: str) -> bool:
    """Return whether the limits of two answers are from opposite sides, or at opposite ends of a line."""
    sides = [[*_list_approaches(text)] for text in (gold, pred)]
    return any(
        _OPPOSITE.get(one) == other
        for mine, theirs in zip(*sides, strict=False)
        for one, other in zip(mine, theirs, strict=True)
    )


_OPPOSITE = {"+": "-", "-": "+", "inf": "* -1 inf", "* -1 inf": "inf"}


def _list_approaches(text: str) -> Iterator[tuple[str, str]]:
    """Return where each limit of a text goes to, and from which side."""
    statement = read_statement(text.strip(" $."), is_answer=True)
    for node in statement.tree if not isinstance(statement, str) else Tree(""):
        if node.label == "limit" and len(node.children) > _SIDE:
            yield " ".join(node.children[1].list_labels()), node.children[_SIDE].label


_SIDE = 2
"""Which part of a limit is the side that it comes from."""
