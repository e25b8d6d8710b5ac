"""Equations for one letter that stand side by side: each has roots of its own, unless the text says that they
hold together."""

from __future__ import annotations

from collections.abc import Sequence

from engines.core.tree import Tree
from engines.documents.reading import TextPiece
from engines.mathematics.judging.names import replace_variable
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import has_first_word, is_made_of, last_sentence, mentions
from engines.proofreading.facts import Facts
from engines.proofreading.stated_facts import Fact
from engines.proofreading.term_properties import values_agree


def solves_another(
    facts: Facts, pieces: Sequence[TextPiece], link: ChainLink, known: Fact, name: str, value: Tree
) -> bool:
    """Return whether a value solves another equation for its letter than the one that accuses it, stated in
    the paragraph of either and not said to hold together with that one.

    Args:
        facts: What the text has said so far.
        pieces: Its words and formulas.
        link: The link that says the value.
        known: The equation that the value does not solve.
        name: The letter.
        value: Its value.
    """
    paragraphs = {link.position.paragraph, known.position.paragraph}
    return any(
        fact.variables == {name}
        and not fact.is_value
        and fact.position.paragraph in paragraphs
        and values_agree(
            replace_variable(fact.left, name, value), replace_variable(fact.right, name, value), {}
        )
        and not _hold_together(pieces, fact, known)
        for fact in facts.in_scope
        if fact.number != known.number
    )


def are_separate_tasks(pieces: Sequence[TextPiece], one: Fact, other: Fact) -> bool:
    """Return whether two equations are listed to be solved each for itself: `Solve § and §`."""
    first, last = sorted((one.piece, other.piece))
    between = [piece.text for piece in pieces[first:last] if not piece.formula]
    listed = bool(between) and all(is_made_of("joining", words) for words in between)
    asked = first > 0 and mentions("task", last_sentence(pieces[first - 1].text))
    return listed and asked and not _hold_together(pieces, one, other)


def is_of_earlier_case(pieces: Sequence[TextPiece], fact: Fact, later: Fact) -> bool:
    """Return whether an equation was said under a condition, `If x > 3, then §`, and another condition began
    between it and a later one."""
    between = [piece.text for piece in pieces[fact.piece : later.piece] if not piece.formula]
    return fact.is_supposed and any(has_first_word("conditional", last_sentence(words)) for words in between)


def _hold_together(pieces: Sequence[TextPiece], one: Fact, other: Fact) -> bool:
    """Return whether the sentence of two equations says that they are a system."""
    first, last = sorted((one.piece, other.piece))
    words = [last_sentence(pieces[first - 1].text)] if first else []
    words += [piece.text for piece in pieces[first:last] if not piece.formula]
    return any(mentions("holding together", each) for each in words)
