"""Fields of posts and topics, a title or a body, with a placeholder for each formula."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engines.forum.readers import Post
from engines.forum.topics import Topic
from engines.mathamr.context.placeholders import PLACEHOLDER, in_fields

__all__ = ["fields_of_post", "fields_of_topic", "with_latex"]


def fields_of_post(post: Post) -> Iterator[tuple[str, str]]:
    """("title" or "body", text with placeholders), those with formulas."""
    if post.title_formulas:
        yield "title", in_fields(post.title, post.title_formulas).text
    if post.body.formulas:
        yield "body", in_fields(post.body.text, post.body.formulas).text


def fields_of_topic(topic: Topic) -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """("title" or "question", text with placeholders, LaTeX by short id) of a topic's two fields."""
    for name, field in (("title", topic.title), ("question", topic.question)):
        found = in_fields(field.text, field.formulas)
        yield name, found.text, found.formulas


def with_latex(text: str, latex: Mapping[str, str]) -> str:
    """The text with `$latex$` again; a formula that is not known stays a placeholder."""
    return PLACEHOLDER.sub(lambda match: f"${latex[match[1]]}$" if match[1] in latex else match[0], text)
