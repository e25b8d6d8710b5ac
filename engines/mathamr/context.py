"""The context of a formula: its sentences, with a placeholder for each formula.

A placeholder is "eqx12eqx" in double quotes, as in the published contexts (MathAMR, section 3.1, has EQ:12).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from engines.core.errors import EngineError
from engines.core.events import Sink, ignore
from engines.core.spec import Arg, exactly_one, specification

PLACEHOLDER = re.compile(r'"?eqx(\w+?)eqx"?')
_ALIKE = re.compile(r"eq(?=x)", re.IGNORECASE)
"""By which a word of the text itself would be taken for a placeholder, whole or with one end lost."""
_MANGLED = re.compile(r'"?(?:eqx(\w+?)(?:eqx|eq|e)?|(\w+?)eqx)"?')
_FORMULA = re.compile(
    r"(?<!\\)\$\$(?P<a>.+?)(?<!\\)\$\$|(?<!\\)\$(?P<b>[^$]+?)(?<!\\)\$|\\\((?P<c>.+?)\\\)|\\\[(?P<d>.+?)\\\]",
    re.DOTALL,
)
_END = re.compile(r"(?:(?<!\\)[.,?:;]|(?<=\s)!|\s)+\Z")


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text with placeholders, the LaTeX of each formula by its id, and what was wrong."""

    text: str
    formulas: Mapping[str, str]
    warnings: tuple[str, ...] = ()

    def require_formula(self, name: str | None) -> None:
        """Raise EngineError E376 for a query that is no formula of the text."""
        if name is not None and name not in self.formulas:
            raise EngineError(
                f"the text has no formula {name!r}",
                code="E376",
                remedy=f"It has: {', '.join(self.formulas) or 'none'}.",
            )


def make_placeholder(name: str) -> str:
    """Return the placeholder of a formula by its id, with its quotes."""
    return f'"eqx{name}eqx"'


def find_ids(text: str) -> list[str]:
    """Return the ids of the placeholders in a text, in order."""
    return [match[1] for match in PLACEHOLDER.finditer(text)]


def read_placeholder(text: str) -> str | None:
    """Return the id of the placeholder that a constant or concept of a graph is, in small letters; None: it
    is none. Parsers return them whole, or with one end lost.
    """
    match = _MANGLED.fullmatch(text.lower())
    return match and (match[1] or match[2])


def split_punctuation(latex: str, name: str) -> tuple[str, str]:
    r"""Return the placeholder of a formula and the formula. Punctuation at its end goes behind the
    placeholder: . , ? : ; as the paper or the authors' code has it, and ! after a blank, since otherwise
    it is a factorial.

    >>> split_punctuation("a+b=c.", "7"), split_punctuation("n!", "8")
    (('"eqx7eqx".', 'a+b=c'), ('"eqx8eqx"', 'n!'))
    """
    latex = latex.strip()
    end = _END.search(latex)
    kept = latex[: end.start()] if end else latex
    if not kept:
        return make_placeholder(name), latex
    return make_placeholder(name) + "".join(latex[len(kept) :].split()), kept


def mark_formulas(text: str) -> MarkedText:
    r"""Return a text whose formulas stand between dollar signs, or as `\(…\)` and `\[…\]`, with placeholders;
    the ids count from 1. Posts as ARQMath has them, in HTML with `math-container`, keep the ids of their
    formulas.

    >>> mark_formulas("Why is $x^2 \\ge 0$?").text
    'Why is "eqx1eqx"?'
    """
    if "math-container" in text:
        return _mark_post(text)
    parts: list[str] = []
    formulas: dict[str, str] = {}
    at = loose = 0
    for number, match in enumerate(_FORMULA.finditer(text), start=1):
        written, formulas[str(number)] = split_punctuation(str(match[match.lastgroup or 0]), str(number))
        parts += [text[at : match.start()], written]
        at = match.end()
    parts.append(text[at:])
    # Formulas are at the odd positions; in the text between them, a dollar sign
    # without a partner is left.
    for index in range(0, len(parts), 2):
        loose += len(re.findall(r"(?<!\\)\$", parts[index]))
        parts[index] = parts[index].replace("\\$", "$")
    warnings = [f"{loose} dollar signs are unmatched and stay text"] if loose else []
    return _build_marked(parts, formulas, warnings)


def _build_marked(parts: list[str], formulas: Mapping[str, str], warnings: list[str]) -> MarkedText:
    """Args: parts: text and placeholders in turn; a word of the text that looks like one is taken apart."""
    alike = 0
    for index in range(0, len(parts), 2):
        parts[index], count = _ALIKE.subn(lambda match: f"{match[0]} ", parts[index])
        alike += count
    if alike:
        warnings.append(f'"eqx" in the text is written "eq x" ({alike} times), which placeholders use')
    return MarkedText("".join(parts), formulas, tuple(warnings))


def _mark_post(body: str) -> MarkedText:
    from engines.forum.post_text import broken_formulas, clean_with_formulas

    cleaned = clean_with_formulas(body)
    result = mark_cleaned_text(cleaned.text, cleaned.formulas)
    broken = broken_formulas(body, cleaned)
    more = (f"{broken} formulas are in broken HTML",) if broken else ()
    return replace(result, warnings=(*result.warnings, *more))


def mark_cleaned_text(text: str, formulas: Iterable[tuple[str, str]]) -> MarkedText:
    """Return a cleaned text, whose formulas stand as `$latex$`, with placeholders.

    Args:
        formulas: (id, LaTeX) in their order, `q_12` being 12; one without an id is `n` and its number, and
            one whose id another formula has the id with a number.
    """
    parts: list[str] = []
    results: dict[str, str] = {}
    warnings: list[str] = []
    at = 0
    for number, (name, latex) in enumerate(formulas):
        # Formulas are in the order of the text, so each search begins after the last match.
        start = text.find(f"${latex}$", at)
        if start < 0:
            warnings.append(f"the formula {name or number} is not in the text")
            continue
        first = short = re.sub(r"\W", "_", name.removeprefix("q_")) or f"n{number}"
        written, kept = split_punctuation(latex, short)
        again = 1
        # An id that another formula with other LaTeX has already gets a number.
        while results.get(short, kept) != kept:
            again += 1
            short = f"{first}_{again}"
            written = split_punctuation(latex, short)[0]
        if short != first:
            warnings.append(f"another formula has the id {first} too, and is {short}")
        results[short] = kept
        parts += [text[at:start], written]
        at = start + len(latex) + 2
    return _build_marked([*parts, text[at:]], results, warnings)


@specification
class ExtractContext:
    """Extract the sentences around a formula, with placeholders for all formulas.

    The paper uses the formula's sentence (--window 0); the released contexts add the sentences before and
    after it (1). The first sentence with the formula is taken. Without --query the context is the whole text.
    """

    text: Annotated[
        str | None, Arg("A text with formulas between dollar signs, or a post in HTML.", option=False)
    ] = None
    file: Annotated[
        Path | None, Arg('Lines {"topic_id": …, "text": …, "query": the formula\'s id}.', metavar="FILE")
    ] = None
    query: Annotated[str | None, Arg("The formula's id; formulas in a text count from 1.")] = None
    window: Annotated[int, Arg("Sentences to add before and after the formula's own.", low=0, high=9)] = 1
    pipeline: Annotated[
        Path | None,
        Arg("A spaCy pipeline folder to split sentences with, instead of at full stops.", metavar="FOLDER"),
    ] = None

    def __post_init__(self) -> None:
        remedy = "As in: 'Why is $x^2 \\ge 0$?', or --file FILE."
        exactly_one({"a text": self.text, "a file": self.file}, remedy)


def extract_context(
    spec: ExtractContext, *, events: Sink = ignore
) -> dict[str, Any] | Iterator[dict[str, Any]]:
    """Extract the sentences around a formula, with a placeholder for each formula.

    Returns:
        `{"context", "formulas": {id: LaTeX}, "query", "warnings"}`; for a file, such a row with `topic_id`
            for each line.

    Events:
        A warning of topics that occur again.

    Raises:
        EngineError: E376 for a query that is no formula of the text.
    """
    if spec.text is not None:
        return _cut_context(spec, spec.text, spec.query)
    assert spec.file is not None
    return _extract_rows(spec, spec.file, events)


def _extract_rows(spec: ExtractContext, file: Path, events: Sink) -> Iterator[dict[str, Any]]:
    from engines.mathamr.rows import read_named_rows

    for row in read_named_rows(file, "topic_id", "text", events=events):
        query = row.held.get("query", spec.query)
        with row.locate_errors():
            result = _cut_context(spec, row["text"], None if query is None else str(query))
        yield {"topic_id": row["topic_id"], **result}


def _cut_context(spec: ExtractContext, text: str, query: str | None) -> dict[str, Any]:
    result = mark_formulas(text)
    name = None if query is None else query.removeprefix("q_")
    result.require_formula(name)
    around = result.text if name is None else cut_window(result.text, name, spec.window, spec.pipeline)
    kept = set(find_ids(around))
    return {
        "context": around,
        "formulas": {one: latex for one, latex in result.formulas.items() if one in kept},
        "query": name,
        "warnings": list(result.warnings),
    }


def cut_window(text: str, formula: str, sentences: int = 1, pipeline: Path | None = None) -> str:
    """Return the first sentence with a formula's placeholder and that many on each side, joined by spaces;
    the placeholder alone where the text lacks it.
    """
    from engines.language.english import split_sentences as split

    # A quote after a full stop would count to the sentence before it.
    unquoted = PLACEHOLDER.sub(lambda match: match[0].replace('"', "x"), text)
    spans = split(unquoted, pipeline=pipeline)
    for index, (start, end) in enumerate(spans):
        if make_placeholder(formula) in text[start:end]:
            chosen = spans[max(0, index - sentences) : index + sentences + 1]
            return " ".join(" ".join(text[one:two].split()) for one, two in chosen)
    return make_placeholder(formula)
