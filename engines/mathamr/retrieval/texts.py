"""Texts of posts and topics with placeholders for formulas, and trees as strings."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping

from engines.formula.parser import Formula
from engines.forum.readers import Post
from engines.forum.topics import Topic
from engines.mathamr.context import PLACEHOLDER, ids, in_fields, window
from engines.mathamr.graph.amr import (
    as_graph,
    linear,
)


def tree_string(formula: Formula) -> str:
    """The operator tree of a formula, linearised as within a MathAMR graph, in plain letters.

    >>> from engines.formula.parser import Formula
    >>> tree_string(Formula("x^2+1"))
    'plus 1 SUP x 2'
    """

    return unicodedata.normalize("NFKC", linear(as_graph(formula.tree)))


def fields_of_post(post: Post) -> Iterator[tuple[str, str]]:
    """("title" or "body", text with placeholders), those with formulas."""
    if post.title_formulas:
        yield "title", in_fields(post.title, post.title_formulas).text
    if post.body.formulas:
        yield "body", in_fields(post.body.text, post.body.formulas).text


def fields_of_topic(topic: Topic) -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """("title" or "question", text with placeholders, LaTeX by short id) of a topic's two fields."""
    for name, field in (("title", topic.title), ("question", topic.question)):
        result = in_fields(field.text, field.formulas)
        yield name, result.text, result.formulas


def context_of_topic(topic: Topic, sentences: int) -> tuple[str, str, Mapping[str, str]]:
    """The short id of a topic's formula, the sentences around it in the first field that has it, and the
    LaTeX of that field's formulas; no context, and the formula alone, where no field has it."""
    query = topic.formula.removeprefix("q_")
    for _, text, latex in fields_of_topic(topic):
        if query in ids(text):
            return query, window(text, query, sentences), latex
    return query, "", {query: topic.latex}


def with_latex(text: str, latex: Mapping[str, str]) -> str:
    """The text with `$latex$` again; a formula that is not known stays a placeholder."""
    return PLACEHOLDER.sub(lambda match: f"${latex[match[1]]}$" if match[1] in latex else match[0], text)
