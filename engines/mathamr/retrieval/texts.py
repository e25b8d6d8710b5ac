"""Texts of posts and topics with placeholders for formulas, and trees as strings."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping

from engines.formula.operator_tree_parser import ParsedFormula
from engines.forum.readers import Post
from engines.forum.topics import Topic
from engines.mathamr.context import PLACEHOLDER, cut_window, find_ids, mark_cleaned_text
from engines.mathamr.graph.grafting import tree_to_graph
from engines.mathamr.graph.linearization import linearize_graph


def write_tree_string(formula: ParsedFormula) -> str:
    """Return the operator tree of a formula, linearised as within a MathAMR graph, in plain letters.

    >>> from engines.formula.operator_tree_parser import ParsedFormula
    >>> write_tree_string(ParsedFormula("x^2+1"))
    'plus 1 SUP x 2'
    """

    return unicodedata.normalize("NFKC", linearize_graph(tree_to_graph(formula.tree)))


def list_post_fields(post: Post) -> Iterator[tuple[str, str]]:
    """Yield those fields of a post that have formulas: `title` or `body`, and the text with placeholders."""
    if post.title_formulas:
        yield "title", mark_cleaned_text(post.title, post.title_formulas).text
    if post.body.formulas:
        yield "body", mark_cleaned_text(post.body.text, post.body.formulas).text


def list_topic_fields(topic: Topic) -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """Yield a topic's two fields: `title` or `question`, text with placeholders, LaTeX by short id."""
    for name, field in (("title", topic.title), ("question", topic.question)):
        result = mark_cleaned_text(field.text, field.formulas)
        yield name, result.text, result.formulas


def cut_topic_context(topic: Topic, sentences: int) -> tuple[str, str, Mapping[str, str]]:
    """Return the short id of a topic's formula, the sentences around it in the first field that has it, and
    the LaTeX of that field's formulas; no context, and the formula alone, where no field has it.
    """
    query = topic.formula.removeprefix("q_")
    for _, text, latex in list_topic_fields(topic):
        if query in find_ids(text):
            return query, cut_window(text, query, sentences), latex
    return query, "", {query: topic.latex}


def restore_latex(text: str, latex: Mapping[str, str]) -> str:
    """Return the text with `$latex$` again; a formula that is not known stays a placeholder."""
    return PLACEHOLDER.sub(lambda match: f"${latex[match[1]]}$" if match[1] in latex else match[0], text)
