r"""Antiderivatives of sides: behind `v' = \sin 2x` what v is, and behind `(xy)' = x^3` what xy is."""

from __future__ import annotations

from engines.core.tree import Tree, differentiate
from engines.mathematics.judging.judge import Judge
from engines.proofreading.chains import ChainLink
from engines.proofreading.facts import Facts
from engines.proofreading.link_verdicts import Accusation, Evidence
from engines.proofreading.stated_facts import describe_sources
from engines.proofreading.term_properties import differ_everywhere, free_symbols

_NEAR_LINES = 4
_CONSTANTS = frozenset(("C", "c", "K", "k"))


def find_other_slope(
    facts: Facts, link: ChainLink, left: Tree, right: Tree, judge: Judge
) -> Accusation | None:
    """Return the derivative that a term was said to have right before, and does not have as it is written;
    None where it has that, or none was said.

    Args:
        facts: What the text has said so far.
        link: The link that says what the term is.
        left: The term.
        right: What it is.
        judge: The judge of terms.
    """
    if link.relation != "=" or link.has_denial_nearby or link.is_one_of_alternatives or link.index:
        return None
    slopes = (Tree("call", (Tree("'"), left)), Tree(f"{left.label}'") if not left.children else left)
    known = next((fact for fact in reversed(facts.in_scope) if fact.left in slopes), None)
    if known is None or known.left == left or known.alternative or known.is_supposed:
        return None
    near = known.position.scope is link.position.scope and link.line - known.line <= _NEAR_LINES
    names = free_symbols(known.right)
    if not near or len(names) != 1 or not names <= free_symbols(right) <= names | _CONSTANTS:
        return None
    try:
        slope = differentiate(right, *names)
    except (KeyError, ValueError):
        return None
    if not differ_everywhere(slope, known.right):
        return None
    verdict = judge.equal(slope, known.right)
    if verdict.outcome != "different":
        return None
    reason = f"the derivatives differ: {verdict.witness}, {describe_sources([known])}"
    return Accusation(reason, Evidence("only statement", (known,)))
