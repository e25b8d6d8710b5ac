r"""Topics of any task, from ARQMath's XML, from JSON lines, or from a table of id and text.

    {"id": "A.1", "title": "...", "question": "...", "tags": ["..."]}
    A.1<TAB>What is $\int \frac{1}{x} dx$?

JSON lines may call the id `qid`, `topic_id` or `number`, the question `text`, `query` or `body`, and may have
`formula_id` and `latex` (Task 2). Their texts, as those of tables, are plain, formulas between dollar signs;
HTML is cleaned where it holds formulas or paragraphs as a post does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engines.core.errors import DataError, raise_error
from engines.core.events import Sink, warn
from engines.core.rows import json_object, read_lines
from engines.core.spec import make_refusal
from engines.forum.post_text import CleanText, clean_plain, clean_with_formulas
from engines.forum.readers import read_tags

_IDS = ("id", "qid", "topic_id", "topic", "query_id", "number")
_QUESTIONS = ("question", "text", "query", "body")
_HTML = re.compile(r"math-container|</(?:p|div|li)>", re.IGNORECASE)
_NAMED = 10
"""Topics that a warning names."""
_OnBad = Callable[[DataError], None]


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic of Task 1, 2 or 3; `formula` and `latex` belong to Task 2."""

    id: str
    title: CleanText
    question: CleanText
    tags: tuple[str, ...]
    formula: str = ""
    latex: str = ""

    @property
    def text(self) -> str:
        """Title and question as one text."""
        return f"{self.title.text} {self.question.text}".strip()


def read_topics(path: str | Path, *, on_bad: Callable[[DataError], None] = raise_error) -> list[Topic]:
    """Return the topics of a file, in its order.

    Args:
        on_bad: What is done with the error of a topic without id or question, or whose id occurs a second
            time, if not to raise it; the topic is left out then.

    Raises:
        DataError: For these, for XML that is broken or declares entities, and for a file without topics.
    """
    path = Path(path)
    lines = read_lines(path, on_bad=lambda _: None)  # the reading proper reports them
    first = next((text.lstrip("\ufeff \t") for _, text in lines if text.strip()), "")
    rows = (
        _read_xml_topics
        if first.startswith("<")
        else _read_json_topics
        if first.startswith("{")
        else _read_table_topics
    )
    results: dict[str, Topic] = {}
    for line, topic in rows(path, on_bad):
        if results.setdefault(topic.id, topic) is not topic:
            remedy = "Remove one of them; runs and judgements refer to topics by id."
            on_bad(
                DataError(f"topic {topic.id} occurs twice", path=path, line=line, code="E317", remedy=remedy)
            )
    if not results:
        raise DataError(
            "no <Topic> in the file" if rows is _read_xml_topics else "no topics in the file",
            path=path,
            remedy="Is this a topic file of ARQMath?",
        )
    return list(results.values())


def read_topic_files(files: Sequence[Path]) -> list[Topic]:
    """Return the topics of all files. Raises: as `read_topics`, and EngineError E434 where two ask otherwise
    under one id.
    """
    results: dict[str, Topic] = {}
    for file in files:
        for topic in read_topics(file):
            if results.setdefault(topic.id, topic) != topic:
                raise make_refusal(
                    f"{file} asks otherwise under {topic.id} than a file before it", "E434", "Leave one out."
                )
    return list(results.values())


def warn_of_formula_topics(topics: Sequence[Topic], events: Sink) -> None:
    """Warn if topics ask for formulas although answers are searched."""
    asking = [topic.id for topic in topics if topic.formula or topic.latex]
    if asking:
        what = f"{len(asking):,} topics ask for formulas (Task 2), such as {asking[0]}; this searches answers"
        warn(events, what)


def warn_of_unanswered_topics(topics: Sequence[Topic], answered: Container[str], events: Sink) -> None:
    """Warn of topics that found nothing and are therefore missing in a run."""
    without = [topic.id for topic in topics if topic.id not in answered]
    if without:
        some = ", ".join([*without[:_NAMED], *(["…"] if len(without) > _NAMED else [])])
        warn(events, f"{len(without):,} topics found nothing and are not in the run: {some}")


def _read_xml_topics(path: Path, on_bad: _OnBad) -> Iterator[tuple[int, Topic]]:
    from lxml import etree

    from engines.forum.readers import open_binary

    with open_binary(path) as file:
        content = file.read()
    # Declared entities could expand to gigabytes ("billion laughs") or read local files.
    if b"<!ENTITY" in content or b"<!DOCTYPE" in content:
        what = "the file declares XML entities, which topic files never do"
        raise DataError(what, path=path, remedy="Remove the declarations.")
    try:
        root = etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError as error:
        what = f"not well-formed XML: {error.msg}"
        remedy = "Is this a topic file of ARQMath?"
        raise DataError(what, path=path, line=error.lineno, remedy=remedy) from None
    for element in root.iter("Topic"):
        fields: Mapping[str, str] = {str(child.tag): "".join(map(str, child.itertext())) for child in element}
        line, number = int(str(element.sourceline)), element.get("number")
        if not number or "Question" not in fields:
            remedy = 'A topic is <Topic number="…"> with a <Question>.'
            on_bad(DataError("a topic without number or question", path=path, line=line, remedy=remedy))
            continue
        yield (
            line,
            Topic(
                id=str(number),
                title=clean_with_formulas(fields.get("Title", "")),
                question=clean_with_formulas(fields["Question"]),
                tags=read_tags(fields.get("Tags", "")),
                formula=fields.get("Formula_Id", "").strip(),
                latex=fields.get("Latex", "").strip(),
            ),
        )


def _read_json_topics(path: Path, on_bad: _OnBad) -> Iterator[tuple[int, Topic]]:
    for line, text in read_lines(path, on_bad=on_bad):
        if not text.strip():
            continue
        try:
            row = json_object(text)
        except ValueError as error:
            on_bad(_no_topic(path, line, str(error)))
            continue
        id = next((str(row[name]).strip() for name in _IDS if row.get(name) is not None), "")
        question = next((str(row[name]) for name in _QUESTIONS if row.get(name) is not None), None)
        if not id or question is None:
            on_bad(_no_topic(path, line, "no id or no question"))
            continue
        try:
            tags = read_tags(row.get("tags") or "")
        except TypeError as error:
            on_bad(_no_topic(path, line, str(error)))
            continue
        yield (
            line,
            Topic(
                id=id,
                title=read_question(str(row.get("title") or "")),
                question=read_question(question),
                tags=tags,
                formula=str(row.get("formula_id") or ""),
                latex=str(row.get("latex") or ""),
            ),
        )


def _read_table_topics(path: Path, on_bad: _OnBad) -> Iterator[tuple[int, Topic]]:
    begun = False
    for line, text in read_lines(path, on_bad=on_bad):
        if not text.strip():
            continue
        columns = text.split("\t")
        heads = [column.strip("\ufeff# ").lower() for column in columns]
        header = not begun and heads[0] in _IDS and heads[-1] in (*_QUESTIONS, "title")
        begun = True
        if header:
            continue
        if len(columns) != 2:
            on_bad(_no_topic(path, line, f"{len(columns)} columns instead of 2"))
            continue
        if not all(column.strip() for column in columns):
            on_bad(_no_topic(path, line, "no id or no question"))
            continue
        yield line, Topic(columns[0].strip("\ufeff "), read_question(""), read_question(columns[1]), ())


def _no_topic(path: Path, line: int, why: str) -> DataError:
    return DataError(
        f"not a topic: {why}",
        path=path,
        line=line,
        code="E317",
        remedy='Topics are ARQMath\'s XML, lines such as {"id": "A.1", "question": "..."}, or id, tab, text.',
    )


def read_question(text: str) -> CleanText:
    """Return a question as somebody writes it: text that may be HTML or not; `a < b` in plain text is no
    tag.
    """
    if _HTML.search(text):
        return clean_with_formulas(text)
    return clean_plain(text)
