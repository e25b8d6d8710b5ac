r"""What a statement is for: given, defined, claimed, claimed of everything, concluded, a case, a check …

The role is read from the words around the statement, by the vocabulary, and from its shape. It decides
whether a statement that fails is a mistake.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from engines.core.expression_language import GREEK
from engines.core.tree import Tree
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import (
    depends_on_claim,
    ends_with_phrase,
    has_first_word,
    has_last_word,
    is_made_of,
    last_clause,
    leading_clause,
    leave_out_applied_identities,
    mentions,
    ranges_over_numbers,
    read_last_cue,
    starts_with_phrase,
    words_behind,
)
from engines.proofreading.term_properties import free_symbols

StatementRole = Literal[
    "given",
    "definition",
    "claim",
    "universal claim",
    "consequence",
    "case",
    "check",
    "equation to be solved",
    "supposition",
    "contradiction",
]
_LETTERS = re.compile(r"\\[A-Za-z]+|[^\W\d_]")
_GREEK = {f"\\{name}": letter for name, letter in GREEK.items()}


def read_role(link: ChainLink, left: Tree | None, right: Tree | None) -> StatementRole:
    """Return what a statement is for. Args: left, right: its sides, where they are read."""
    clause = last_clause(link.words_before)
    lone = left is not None and right is not None and not left.children and bool(free_symbols(left))
    if link.of_problem:
        return "given"
    if link.is_denied_by_words_after or mentions("contradiction", clause):
        return "contradiction"
    if link.position.scope.kind == "supposition" and read_last_cue(clause) == "given":
        return "supposition"
    if link.relation == ":=" or (lone and link.relation == "=" and mentions("defining", clause)):
        return "definition"
    if is_value_to_look_at(link, left, right):
        return "case"
    if is_claimed_for_all(link):
        return "universal claim"
    is_given = read_last_cue(link.words_before) == "given"
    if is_given and mentions("task", clause):
        return "equation to be solved"
    if is_given:
        return "given"
    if mentions("checking", clause):
        return "check"
    if mentions("concluding", clause) or link.connective == "so":
        return "consequence"
    return "claim"


def is_value_to_look_at(
    link: ChainLink, left: Tree | None, right: Tree | None, *, anywhere: bool = False
) -> bool:
    """Return whether a statement is a value at which something is looked at: `at x = 1`, `for h = 0`,
    `when n = 2`.

    Args:
        anywhere: Whether the words before it do not count: it is any value.
    """
    if left is None or right is None or link.relation != "=" or link.index:
        return False
    lone = not left.children and free_symbols(left) and not free_symbols(right)
    return bool(lone) and (anywhere or has_last_word("examined", link.words_before))


def is_supposed(link: ChainLink, *, may_give_value: bool = True) -> bool:
    """Return whether the words that lead to a statement, or to the formulas that it is enumerated with,
    suppose, try or deny it.

    Args:
        may_give_value: Whether it can be the value of a variable, which "where" and "with" introduce.
    """
    # "When h = 2," before a display leads to its first row, and not to those that are drawn from that.
    is_first = link.connective not in ("row", "so")
    leads_on = is_first and not is_main_clause(link)
    words = leading_clause(link.words_before) if leads_on else last_clause(link.words_before)
    accompanied = has_last_word("accompanying", words) and not mentions("obtaining", words)
    given = may_give_value and (accompanied or mentions("introducing value", words))
    supposed = mentions("supposing", words) or given
    return link.is_denied_by_words_after or mentions("denied", words) or supposed


def is_initial_value(link: ChainLink, left: Tree, equations: Sequence[tuple[ChainLink, Tree, Tree]]) -> bool:
    """Return whether a differential equation for a function stands beside a value of it: `y' = 2y, y(0) = 3`.

    Args:
        link: The link of the value.
        left: Its left side.
        equations: The equations of the text up to the link.
    """
    slope = f"{left.children[0].label.rstrip('(')}'" if left.label == "call" else ""
    return bool(slope) and any(
        one.piece_index == link.piece_index and any(each.startswith(slope) for each in free_symbols(side))
        for one, side, _ in equations[-4:]
    )


def is_main_clause(link: ChainLink) -> bool:
    """Return whether a statement ends a sentence behind a comma and another clause: "when x = 5, § ."."""
    ends = link.words_before.endswith(",") and link.words_after.startswith(".")
    return ends and has_first_word("subordinating", leading_clause(link.words_before))


def is_claimed_for_all(link: ChainLink, free: frozenset[str] = frozenset()) -> bool:
    """Return whether the words claim a statement for all numbers.

    Args:
        free: Its variables; words that name letters have to name all of these.
    """
    before, after = link.words_before, link.words_after.partition(".")[0].partition("§")[0]
    words = before if ranges_over_numbers(before) else after if ranges_over_numbers(after) else ""
    # "for all x except the line § …"
    behind = (link.words_after, link.words_after_next if words is after else "")
    if any(mentions("excepting", each.partition(".")[0]) for each in behind):
        return False
    # "For all x, x = 0 ⇒ x^2 = 0" claims neither the premise of all x nor the conclusion.
    if link.argument >= 0 and (link.is_premise or link.connective == "so"):
        return False
    if not words or link.is_denied_directly or read_last_cue(words, without="universal") == "given":
        return False
    if depends_on_claim(words):
        return False
    if words is before and has_last_word("ranging", before.rpartition("§")[2]):
        return False  # it says itself for which numbers
    if words is before and before.rstrip().endswith(("(", "（")):
        return False  # "for all § (gcd(a, 6) = 1)" says of which a
    if words is after and starts_with_phrase("limiting", link.words_after_next):
        return False  # "for every x in …"
    if words is after and starts_with_phrase("deducing", after):
        return False  # "then we have the identity …" is said of the next
    named = link.next_formula if words is after else _find_quantified(link)
    if r"\{" in named:
        return False  # "for all x in {2, 3}"
    return not free or not named or _are_named(free, named)


def quantifies_over(link: ChainLink, letters: frozenset[str]) -> bool:
    """Return whether the words claim a statement for all values of these letters, and name them."""
    named = f"{_find_quantified(link)} {link.next_formula if ranges_over_numbers(link.words_after) else ''}"
    return is_claimed_for_all(link) and _are_named(letters, named)


def _are_named(names: frozenset[str], formulas: str) -> bool:
    plain = {name.rstrip("(").partition("_")[0] for name in names}
    return plain <= list_letters(formulas)


def list_letters(latex: str) -> frozenset[str]:
    r"""List the letters of a formula, also Greek ones, and the commands that may be none.

    >>> sorted(list_letters(r"2\lambda_k + x"))
    ['k', 'x', 'λ']
    """
    return frozenset(_GREEK.get(name, name) for name in _LETTERS.findall(latex))


def _find_quantified(link: ChainLink) -> str:
    """Return the formulas right behind the words that say for all of what a statement holds; "" where none
    is."""
    behind = words_behind("universal", link.words_before).split("§")
    number = len(behind) - 1
    if not number or len(link.formulas_before) < number or not is_made_of("neutral", behind[0]):
        return ""
    named = [link.formulas_before[-number]]
    for words, formula in zip(
        behind[1:-1], link.formulas_before[len(link.formulas_before) - number + 1 :], strict=True
    ):
        if not is_made_of("joining", words):
            break
        named.append(formula)
    return " ".join(named)


def is_concluded(link: ChainLink) -> bool:
    """Return whether words or an arrow right before a statement say that it follows, and not that it is what
    another says."""
    if ends_with_phrase("restating", link.words_before):
        return False
    words = leave_out_applied_identities(link.words_before)
    return mentions("concluding", last_clause(words.rstrip(" ,"))) or link.connective == "so"
