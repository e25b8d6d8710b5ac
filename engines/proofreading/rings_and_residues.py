"""Links of texts about something else than ordinary numbers: residues, rings, bits, digits, matrices."""

from __future__ import annotations

import re
from dataclasses import replace

from engines.core.tree import ZERO, Tree
from engines.formula.meaning import Reading
from engines.mathematics.judging.judge import Judge
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import last_cue_makes_given
from engines.proofreading.link_verdicts import LinkOutcome, LinkVerdict
from engines.proofreading.scopes import NUMBERS
from engines.proofreading.term_properties import (
    DECIMAL,
    WHOLE,
    differ_everywhere,
    exact_difference,
    find_residue,
    free_symbols,
    is_in_some_base,
)

_OF_NUMBERS = frozenset(
    [
        "sin",
        "cos",
        "tan",
        "cot",
        "sec",
        "csc",
        "ln",
        "log",
        "asin",
        "acos",
        "atan",
        "pi",
        "integral",
        "antiderivative",
        "d",
        "limit",
        "mod",
        "floor",
        "ceil",
        "abs",
    ]
)
"""Operations of ordinary numbers, whatever else a text is about."""
_BASE = re.compile(r"\d_\{?\d")


def judge_congruence(
    link: ChainLink, left: Tree, right: Tree, modulus: Reading | None, judge: Judge
) -> LinkVerdict:
    """Judge a congruence. Args: modulus: None where the text names none."""
    if modulus is None:
        found = judge.equal(left, right)
        if found.outcome == "equal":
            return LinkVerdict(link, "right")
        return LinkVerdict(link, "unread", "the modulus of the congruence is not named beside it")
    if modulus.tree is None:
        return LinkVerdict(link, "unread", modulus.reason)
    free = free_symbols(left) | free_symbols(right) | free_symbols(modulus.tree)
    given = link.said or last_cue_makes_given(link.before) or link.is_denied
    given = given or link.left.startswith("+") or "{-" in link.left
    if free and (given or not left.children):
        return LinkVerdict(link, "right" if exact_difference(left, right) == 0 else "given")
    if not free and WHOLE.match(modulus.tree.label) and int(modulus.tree.label) > 1:
        sides = [find_residue(side, int(modulus.tree.label)) for side in (left, right)]
        if None not in sides and (sides[0] == sides[1] or not (link.said or link.is_refused)):
            verdict: LinkOutcome = "right" if sides[0] == sides[1] else "wrong"
            return LinkVerdict(link, verdict, f"they leave {sides[0]} and {sides[1]}")
    if free and differ_everywhere(Tree("mod", (Tree("-", (left, right)), modulus.tree)), ZERO):
        return LinkVerdict(link, "given" if given else "not shown", "it depends on its variables")
    found = judge.holds(Tree("congruent", (left, right, modulus.tree)))
    if found.outcome == "equal":
        return LinkVerdict(link, "right")
    return LinkVerdict(link, "not shown" if not given else "given", found.reason)


def judge_in_domain(
    judged: LinkVerdict, left: Tree, right: Tree, moduli: frozenset[int], matrices: frozenset[str]
) -> LinkVerdict:
    """Judge a link anew that is wrong of ordinary numbers, where the text is about something else.

    Args:
        moduli: those that its section names.
        matrices: the letters that stand for matrices.
    """
    link = judged.link
    domain = link.position.domain
    if domain == NUMBERS:
        return judged
    free = free_symbols(left) | free_symbols(right)
    if domain == "matrices" and (free & matrices or not any(name[0].isupper() for name in free)):
        return judged
    labels = {*left.list_labels(), *right.list_labels()}
    if domain != "matrices" and (labels & _OF_NUMBERS or any(map(DECIMAL.match, labels))):
        return judged
    numerals = [side.label for side in (left, right) if WHOLE.match(side.label)]
    if domain in ("digits", "logic and bits") and _BASE.search(link.left + link.right):
        return judged
    if domain == "digits" and not any(is_in_some_base(one, left, right) for one in numerals):
        return judged
    if domain == "residues" and moduli:
        sides = {
            modulus: [find_residue(side, modulus) for side in (left, right)] for modulus in sorted(moduli)
        }
        if not free and all(None not in pair and pair[0] != pair[1] for pair in sides.values()):
            return judged
        equal = [modulus for modulus, pair in sides.items() if None not in pair and pair[0] == pair[1]]
        # With several moduli nobody knows which is meant here.
        if not free and equal and len(sides) == 1:
            return replace(judged, outcome="right", reason=f"modulo {equal[0]}")
    other = f"it is not judged, since the text is about {domain} here; of ordinary numbers: {judged.reason}"
    return replace(judged, outcome="not shown", reason=other)
