"""Roots of congruences: `2y ≡ 1 (mod 5)`, so `y = 3`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import repeat

from engines.core.tree import Tree
from engines.mathematics.judging.names import replace_variable
from engines.mathematics.judging.shapes import choose_signs
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import last_clause, last_sentence, mentions, words_of
from engines.proofreading.link_verdicts import LinkVerdict
from engines.proofreading.residue_rings import RingsMeant, list_coefficients
from engines.proofreading.stated_facts import describe_sources
from engines.proofreading.statement_roles import is_concluded, is_supposed
from engines.proofreading.term_properties import WHOLE, are_equal_modulo, find_residue, free_symbols

_NEXT_FORMULAS = 4
"""Pieces of a text from one formula to the next but one, words between them."""
_BESIDE = ("so", "row", "column", ",")
"""What leads to a root within a formula."""
_NEAR_LINES = 24
"""Lines from a system of congruences to what solves it."""
_SEVERAL = frozenset(("all", "solutions", "solution", "alle", "lösungen", "solutions.", "toutes", "todas"))
"""Words that say of numbers that they are all solutions."""
_LARGEST = 10_000
"""Modulus of which the multiples are tried."""
_LEAST_NAMED = 5
"""Of a modulus for numbers that are not reduced by it: every third number is 0 modulo 3."""


def judge_congruence_root(
    link: ChainLink, left: Tree, right: Tree, before: tuple[ChainLink, Tree, Tree, int] | None, modulus: int
) -> LinkVerdict | None:
    """Return the verdict on a value or residue of a letter, by the congruence before it; None where that is
    none of this letter alone.

    Args:
        before: The last congruence with letters: its link, its sides and its modulus.
        modulus: That of the residue; 0 for a value.
    """
    if before is None or link.of_problem or left.children or not WHOLE.match(right.label):
        return None
    known, one, other, known_modulus = before
    near = link.piece_index - known.piece_index <= _NEXT_FORMULAS
    if (
        not near
        or free_symbols(one) | free_symbols(other) != {left.label}
        or not (one.children or other.children)
    ):
        return None
    # A system of congruences has several moduli, and one that is divided has a smaller one.
    if modulus and known_modulus % modulus:
        return None
    step = modulus or known_modulus
    if known_modulus > _LARGEST:
        return None
    written = " ".join(f"{known.left} ≡ {known.right} modulo {known_modulus} (line {known.line})".split())
    for value in range(int(right.label) % step, known_modulus, step):
        sides = [replace_variable(side, left.label, Tree(str(value))) for side in (one, other)]
        residues = [find_residue(side, known_modulus) for side in sides]
        if None in residues:
            return None
        if residues[0] == residues[1]:
            return LinkVerdict(link, "follows", f"it solves {written}")
    beside = link.piece_index == known.piece_index and link.connective in _BESIDE
    leads = is_concluded(link) or mentions("obtaining", last_clause(link.words_before))
    # Words that suppose something before a display lead to its first statement.
    if (
        not (beside or (leads and not is_supposed(link)))
        or link.has_denial_nearby
        or link.is_one_of_alternatives
    ):
        return None
    return LinkVerdict(link, "wrong", f"it does not solve {written}")


def judge_root_in_ring(judged: LinkVerdict, left: Tree, right: Tree, rings: RingsMeant) -> LinkVerdict | None:
    """Return the verdict on a value of a letter that does not solve its equation as an ordinary number, in a
    text that names rings of residues around it; None where the link is no such value, or it solves the
    equation in none of them and it is not sure that one is meant.

    Args:
        judged: The verdict on it as an ordinary number.
        left: The letter.
        right: Its value.
        rings: What the text says of rings of residues around it.
    """
    sources = judged.evidence.sources
    if judged.link.relation != "=" or left.children or free_symbols(right) or rings.has_plain_equals:
        return None
    if len(sources) != 1 or sources[0].is_value or sources[0].variables != {left.label}:
        return None
    roots = [choose_signs(right, repeat(sign)) for sign in ("+-" if "pm" in right.list_labels() else "+")]
    equations = [
        (
            replace_variable(sources[0].left, left.label, root),
            replace_variable(sources[0].right, left.label, root),
        )
        for root in roots
    ]
    largest = max(list_coefficients(right), default=0)
    for modulus in sorted(rings.nearby):
        is_meant = modulus > min(largest, _LEAST_NAMED - 1)
        if is_meant and all(are_equal_modulo(one, other, modulus) for one, other in equations):
            return replace(judged, outcome="right if", reason=f"modulo {modulus}, which the text names")
    if rings.has_open_ring:
        return replace(judged, outcome="not shown", reason="it can be one modulo a letter")
    # Where only one modulus is named, a value with a residue that does not solve it is no root there either.
    if rings.nearby != rings.everywhere or len(rings.nearby) != 1 or judged.outcome != "wrong":
        return None
    (modulus,) = rings.nearby
    residues = [[find_residue(side, modulus) for side in sides] for sides in equations]
    failed = next((pair for pair in residues if pair[0] != pair[1]), None)
    if failed is None or any(None in pair for pair in residues):
        return None
    written = f"{failed[0]} and {failed[1]} modulo {modulus}"
    return replace(judged, reason=f"{written}, {describe_sources(sources)}")


def judge_system(
    link: ChainLink, right: Tree, modulus: int, stated: Sequence[tuple[ChainLink, int, int]]
) -> LinkVerdict | None:
    """Return the verdict on a congruence that is said to follow from several for the same letter; None where
    these contradict each other, or it has a modulus of theirs.

    Args:
        link: The link of the congruence, whose left side is the letter.
        right: The residue.
        modulus: The modulus of the congruence.
        stated: The links of the congruences for the letter before it, with residues and moduli.
    """
    system = {
        (residue, number)
        for known, residue, number in stated
        if known.left.strip() == link.left.strip()
        and 0 <= link.line - known.line <= _NEAR_LINES
        and known.position.scope.reaches(link.position.scope)
    }
    residue = find_residue(right, modulus)
    moduli = {number for _, number in system}
    whole = math.lcm(*moduli)
    if residue is None or len(moduli) < 2 or whole > _LARGEST:
        return None
    if modulus in moduli or link.of_problem or link.has_denial_nearby or link.is_one_of_alternatives:
        return None
    sentence = words_of(last_sentence(link.words_before))
    of_all = not _SEVERAL.isdisjoint(sentence)
    if not (of_all or is_concluded(link)) or is_supposed(link) or mentions("task", " ".join(sentence)):
        return None
    solution = next((n for n in range(whole) if all(n % number == rest for rest, number in system)), None)
    if solution is None:
        return None
    implied = whole % modulus == 0 and solution % modulus == residue
    if implied and (modulus == whole or not of_all):
        written = " and ".join(f"{rest} modulo {number}" for rest, number in sorted(system))
        return LinkVerdict(link, "follows", f"it is {written}")
    return LinkVerdict(link, "wrong", f"the solutions are {solution} modulo {whole}")
