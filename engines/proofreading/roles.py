r"""What a statement is for: given, defined, claimed, claimed of everything, concluded, a case, a check …

The role is read from the words around the statement, by the vocabulary, and from its shape. It decides
whether a statement that fails is a mistake.
"""

from __future__ import annotations

import re
from typing import Literal

from engines.core.expression_language import GREEK
from engines.core.tree import Tree
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import (
    depends_on_claim,
    ends_with,
    ends_with_phrase,
    is_made_of,
    last_clause,
    leading_clause,
    mentions,
    ranges_over_numbers,
    read_last_cue,
    starts_with,
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
    clause = last_clause(link.before)
    lone = left is not None and right is not None and not left.children and bool(free_symbols(left))
    if link.of_problem:
        return "given"
    if link.is_denied_after or mentions("contradiction", clause):
        return "contradiction"
    if link.position.scope.kind == "supposition" and read_last_cue(clause) == "given":
        return "supposition"
    if link.relation == ":=" or (lone and link.relation == "=" and mentions("defining", clause)):
        return "definition"
    if is_examined(link, left, right):
        return "case"
    if is_universal(link):
        return "universal claim"
    is_given = read_last_cue(link.before) == "given"
    if is_given and mentions("task", clause):
        return "equation to be solved"
    if is_given:
        return "given"
    if mentions("checking", clause):
        return "check"
    if mentions("concluding", clause) or link.joined == "so":
        return "consequence"
    return "claim"


def is_examined(link: ChainLink, left: Tree | None, right: Tree | None) -> bool:
    """Return whether a statement is a value at which something is looked at: `at x = 1`, `for h = 0`,
    `when n = 2`."""
    if left is None or right is None or link.relation != "=" or link.place:
        return False
    lone = not left.children and free_symbols(left) and not free_symbols(right)
    return bool(lone) and ends_with("examined", link.before)


def is_supposed(link: ChainLink, *, valued: bool = False) -> bool:
    """Return whether the words that lead to a statement, or to the formulas that it is enumerated with,
    suppose, try or deny it.

    Args: valued: it is no value of a variable, which "where" and "with" introduce.
    """
    words = leading_clause(link.before)
    accompanied = ends_with("accompanying", words) and not mentions("obtaining", words)
    given = not valued and (accompanied or mentions("introducing value", words))
    supposed = mentions("supposing", words) or given
    return link.is_denied_after or mentions("denied", words) or supposed


def is_universal(link: ChainLink, free: frozenset[str] = frozenset()) -> bool:
    """Return whether the words say of a statement that it holds for all numbers.

    Args: free: its variables, which have to be those of which the words speak.
    """
    before, after = link.before, link.after.partition(".")[0].partition("§")[0]
    words = before if ranges_over_numbers(before) else after if ranges_over_numbers(after) else ""
    if not words or link.is_refused or read_last_cue(words, without="universal") == "given":
        return False
    if depends_on_claim(words):
        return False
    if words is before and ends_with("ranging", before.rpartition("§")[2]):
        return False  # it says itself for which numbers
    if words is after and starts_with("limiting", link.words_behind_next):
        return False  # "for every x in …"
    if words is after and starts_with("deducing", after):
        return False  # "then we have the identity …" is said of the next
    named = link.next_formula if words is after else _find_quantified(link)
    return not free or not named or _are_named(free, named)


def quantifies(link: ChainLink, names: frozenset[str]) -> bool:
    """Return whether the words say of a statement that it holds for all values of some letters, which they
    name."""
    named = f"{_find_quantified(link)} {link.next_formula if ranges_over_numbers(link.after) else ''}"
    return is_universal(link) and _are_named(names, named)


def _are_named(names: frozenset[str], formulas: str) -> bool:
    plain = {name.rstrip("(").partition("_")[0] for name in names}
    return plain <= {_GREEK.get(name, name) for name in _LETTERS.findall(formulas)}


def _find_quantified(link: ChainLink) -> str:
    """Return the formulas right behind the words that say for all of what a statement holds; "" where none
    is."""
    behind = words_behind("universal", link.before).split("§")
    number = len(behind) - 1
    if not number or len(link.formulas) < number or not is_made_of("neutral", behind[0]):
        return ""
    named = [link.formulas[-number]]
    for words, formula in zip(behind[1:-1], link.formulas[len(link.formulas) - number + 1 :], strict=True):
        if not is_made_of("joining", words):
            break
        named.append(formula)
    return " ".join(named)


def is_concluded(link: ChainLink) -> bool:
    """Return whether words or an arrow right before a statement say that it follows, and not that it is what
    another says."""
    if ends_with_phrase("restating", link.before):
        return False
    return mentions("concluding", last_clause(link.before.rstrip(" ,"))) or link.joined == "so"
