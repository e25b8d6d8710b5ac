"""The base of logarithms that are written without one: 10 or 2, where a link holds only to that."""

from __future__ import annotations

from dataclasses import replace

from engines.formula.meaning import Reading
from engines.proofreading.chains import ChainLink
from engines.proofreading.link_context import LinkContext
from engines.proofreading.link_verdicts import LinkVerdict
from engines.proofreading.term_properties import LOG, evaluate_term, free_symbols, values_agree


def find_logarithm_base(context: LinkContext, link: ChainLink) -> str:
    """Return the base of logarithms without one in which a link holds; "" where there is none."""
    for base in ("10", "2") if LOG.search(link.left + link.right) else ():
        based = [LOG.sub(rf"\\log_{{{base}}}", side) for side in (link.left, link.right)]
        left, right = (context.read_formula(side).tree for side in based)
        if left is None or right is None:
            continue
        verdict = context.numbers.compare_by_relation(link.relation, left, right)
        if verdict.outcome == "equal" or (verdict.outcome == "equal if" and not verdict.witness):
            return base
        if link.relation in ("=", "approx") and context.numbers.are_about_equal(left, right, link.relation):
            return base
        # Bits are the unit of what a logarithm to the base 2 measures.
        if context.numbers.are_equal_without_units(replace(link, left=based[0], right=based[1])):
            return base
    return ""


def find_base_of_sources(context: LinkContext, judged: LinkVerdict, left: Reading, right: Reading) -> str:
    r"""Return the base of logarithms without one in which a value solves the equations that refute it:
    `\log x = 9`, so `x = 10^9`; "" where there is none."""
    name = left.tree
    value = None if right.tree is None else evaluate_term(right.tree, {})
    sources = [fact for fact in judged.evidence.sources if not fact.is_value]
    if name is None or name.children or value is None or free_symbols(name) != {name.label}:
        return ""
    for base in ("10", "2") if any(LOG.search(fact.text) for fact in sources) else ():
        based = (context.read_formula(LOG.sub(rf"\\log_{{{base}}}", fact.text)).tree for fact in sources)
        if all(
            each is not None
            and each.label == "="
            and values_agree(each.children[0], each.children[1], {name.label: value}) is True
            for each in based
        ):
            return base
    return ""
