"""The context of a formula: its sentence, and those right before and after it (MathAMR, section 3.1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from engines.core.errors import EngineError
from engines.core.events import Sink, ignore
from engines.core.spec import Arg, exactly_one
from engines.mathamr.context.placeholders import PLACEHOLDER, ids, marked, placeholder

__all__ = ["Context", "context", "window"]


@dataclass(frozen=True, slots=True)
class Context:
    """The sentences around a formula, with placeholders for all formulas.

    The paper takes the formula's sentence (--window 0), the released contexts also the one before and the one
    after it (1). The first sentence with the formula counts. Without --query the context is the whole text.
    """

    text: Annotated[
        str | None, Arg("A text with formulas between dollar signs, or a post in HTML.", option=False)
    ] = None
    file: Annotated[
        Path | None, Arg('Lines {"topic_id": …, "text": …, "query": the formula\'s id}.', metavar="FILE")
    ] = None
    query: Annotated[str | None, Arg("The id of the formula; those of a text count from 1.")] = None
    window: Annotated[int, Arg("Sentences before and after that of the formula.", low=0, high=9)] = 1
    pipeline: Annotated[
        Path | None, Arg("A spaCy folder that splits sentences, instead of full stops.", metavar="FOLDER")
    ] = None

    def __post_init__(self) -> None:
        """Raises: EngineError E402 or E427 unless there is either a text or a file."""
        remedy = "As in: 'Why is $x^2 \\ge 0$?', or --file FILE."
        exactly_one({"a text": self.text, "a file": self.file}, remedy)


def context(spec: Context, *, events: Sink = ignore) -> dict[str, Any] | Iterator[dict[str, Any]]:
    """`{"context", "formulas": {id: LaTeX}, "query", "warnings"}`; of a file such a row with `topic_id` for
    each line. Events: a warning of topics that occur again.

    Raises: EngineError E376 for a query that is no formula of the text.
    """
    if spec.text is not None:
        return _context(spec, spec.text, spec.query)
    assert spec.file is not None
    return _of_file(spec, spec.file, events)


def _of_file(spec: Context, file: Path, events: Sink) -> Iterator[dict[str, Any]]:
    from engines.mathamr.rows import named_rows

    for row in named_rows(file, "topic_id", "text", events=events):
        query = row.held.get("query", spec.query)
        with row.placed():
            found = _context(spec, row["text"], None if query is None else str(query))
        yield {"topic_id": row["topic_id"], **found}


def _context(spec: Context, text: str, query: str | None) -> dict[str, Any]:
    found = marked(text)
    name = None if query is None else query.removeprefix("q_")
    if name is not None and name not in found.formulas:
        raise EngineError(
            f"the text has no formula {name!r}",
            code="E376",
            exit_code=2,
            remedy=f"It has: {', '.join(found.formulas) or 'none'}.",
        )
    around = found.text if name is None else window(found.text, name, spec.window, spec.pipeline)
    kept = set(ids(around))
    return {
        "context": around,
        "formulas": {one: latex for one, latex in found.formulas.items() if one in kept},
        "query": name,
        "warnings": list(found.warnings),
    }


def window(text: str, formula: str, sentences: int = 1, pipeline: Path | None = None) -> str:
    """The first sentence with a formula's placeholder and that many on each side, joined by spaces; the
    placeholder alone where the text lacks it."""
    from engines.language.sentences import sentences as split

    # A quote after a full stop would count to the sentence before it.
    unquoted = PLACEHOLDER.sub(lambda match: match[0].replace('"', "x"), text)
    spans = split(unquoted, pipeline=pipeline)
    for place, (start, end) in enumerate(spans):
        if placeholder(formula) in text[start:end]:
            chosen = spans[max(0, place - sentences) : place + sentences + 1]
            return " ".join(" ".join(text[one:two].split()) for one, two in chosen)
    return placeholder(formula)
