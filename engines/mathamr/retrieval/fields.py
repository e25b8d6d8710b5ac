"""Fields of posts and topics, a title or a body, with a placeholder for each formula.

A placeholder is the formula's id between eqx and eqx, in double quotes, as in the published contexts.
Formulas without an id get one that no collection has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engines.forum.readers import Post, Topic
from engines.mathamr.context.placeholders import PLACEHOLDER, in_fields
from engines.mathamr.context.placeholders import ids as formula_ids

__all__ = ["PLACEHOLDER", "field_text", "fields_of_post", "fields_of_topic", "formula_ids", "with_latex"]


def field_text(text: str, formulas: Sequence[tuple[str, str]], lead: str = "n") -> str:
    """A cleaned text with placeholders instead of `$latex$`.

    >>> field_text("Is $a<b$?", [("q_7", "a<b")])
    'Is "eqx7eqx"?'
    """
    return in_fields(text, formulas, lead)[0]


def fields_of_post(post: Post) -> Iterator[tuple[str, str]]:
    """("title" or "body", text with placeholders), those with formulas."""
    if post.title_formulas:
        yield "title", field_text(post.title, post.title_formulas)
    if post.body.formulas:
        yield "body", field_text(post.body.text, post.body.formulas)


def fields_of_topic(topic: Topic) -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """("title" or "question", text with placeholders, LaTeX by short id) of a topic's two fields."""
    for name, field in (("title", topic.title), ("question", topic.question)):
        latex = {one.removeprefix("q_"): text for one, text in field.formulas}
        yield name, field_text(field.text, field.formulas), latex


def with_latex(text: str, latex: Mapping[str, str]) -> str:
    """The text with `$latex$` again; a formula that is not known stays a placeholder."""
    return PLACEHOLDER.sub(lambda match: f"${latex[match[1]]}$" if match[1] in latex else match[0], text)
