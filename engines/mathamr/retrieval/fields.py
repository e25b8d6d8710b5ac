"""Fields of posts and topics, a title or a body, with a placeholder for each formula.

A placeholder is the formula's id between eqx and eqx, in double quotes, as in the published contexts.
Formulas without an id get one that no collection has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from engines.forum.readers import Post, Topic

__all__ = ["PLACEHOLDER", "field_text", "fields_of_post", "fields_of_topic", "formula_ids", "with_latex"]

PLACEHOLDER = re.compile(r'"?eqx(\w+?)eqx"?')


def field_text(text: str, formulas: Sequence[tuple[str, str]], lead: str = "n") -> str:
    """A cleaned text with placeholders instead of `$latex$`.

    >>> field_text("Is $a<b$?", [("q_7", "a<b")])
    'Is "eqx7eqx"?'
    """
    parts, at = [], 0
    for number, (name, latex) in enumerate(formulas):
        written = f"${latex}$"
        start = text.find(written, at)
        if start < 0:
            continue
        short = name.removeprefix("q_") or f"{lead}{number}"
        parts += [text[at:start], f'"eqx{short}eqx"']
        at = start + len(written)
    return "".join([*parts, text[at:]])


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


def formula_ids(text: str) -> list[str]:
    """The ids of the placeholders in a text, in order."""
    return [match[1] for match in PLACEHOLDER.finditer(text)]


def with_latex(text: str, latex: Mapping[str, str]) -> str:
    """The text with `$latex$` again; a formula that is not known stays a placeholder."""
    return PLACEHOLDER.sub(lambda match: f"${latex[match[1]]}$" if match[1] in latex else match[0], text)
