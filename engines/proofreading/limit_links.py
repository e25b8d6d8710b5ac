r"""Limits behind an arrow, `\frac{n}{n + 1} \to 1`.

What the variable approaches is said above the arrow or in the sentence; an index of a sequence grows.
"""

from __future__ import annotations

from collections.abc import Iterator

from engines.core.tree import Tree
from engines.formula.brackets import find_closing
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import mentions, words_of
from engines.proofreading.formula_statements import split_statements
from engines.proofreading.link_context import LARGEST, LinkContext
from engines.proofreading.link_verdicts import LinkVerdict
from engines.proofreading.repair_conditions import write_term
from engines.proofreading.scopes import NUMBERS
from engines.proofreading.statement_roles import is_supposed
from engines.proofreading.term_properties import free_symbols

_ARROWS = (r"\to", r"\rightarrow", r"\longrightarrow", "→")
_LABELLED = (r"\xrightarrow", r"\underset", r"\overset")
_INDICES = frozenset("nmkN")
"""Letters of sequences, which grow where nothing else is said."""
_VALUES = frozenset(("+", "*", "/", "-", "pow", "sqrt", "root", "pi", "e", "inf", "ln", "abs"))
_STEADY = frozenset(("+", "*", "-"))
_RESTRICTING = (["as"], ["when"], ["for"], ["if"], ["where"], ["with"])
_SIDES = {"^+": "+", "^-": "-"}


def judge_limit(context: LinkContext, link: ChainLink, left: Tree, right: Tree) -> LinkVerdict | None:
    """Return the verdict on a term that approaches a number; None where an arrow says something else, or what
    the variable approaches is not known."""
    letters = free_symbols(left)
    if not _is_arrow(link.relation) or not left.children or len(letters) != 1 or not _is_value(right):
        return None
    if (
        link.of_problem
        or link.position.domain != NUMBERS
        or len(left) >= LARGEST
        or "call" in left.list_labels()
    ):
        return None
    (name,) = letters
    approached = _find_approached(context, link, left, name)
    if approached is None:
        return None
    place, side = approached
    limit = Tree("limit", (Tree(name), place, Tree(side), left))
    verdict = context.numbers.compare_by_relation("=", limit, right)
    if verdict.outcome == "equal":
        return LinkVerdict(link, "right", f"the limit for {name} to {_write_place(place)}")
    denied = link.is_denied_directly or context.is_asked(link) or is_supposed(link)
    if verdict.outcome != "different" or denied or mentions("refused", link.words_before):
        return None
    return LinkVerdict(link, "wrong", f"{verdict.witness}, for {name} to {_write_place(place)}")


def _is_arrow(relation: str) -> bool:
    return relation in _ARROWS or relation.startswith(_LABELLED)


def _is_value(tree: Tree) -> bool:
    """Return whether a term is a number or infinity."""
    return not free_symbols(tree) and all(node.label in _VALUES for node in tree if node.children)


def _find_approached(context: LinkContext, link: ChainLink, left: Tree, name: str) -> tuple[Tree, str] | None:
    """Return what a variable approaches, and from which side: by what stands above the arrow, behind the
    formula ("as x → ∞"), or once before it in the sentence."""
    labelled = link.relation.startswith(_LABELLED)
    behind = bool(link.next_formula) and words_of(link.words_after) in _RESTRICTING
    for formulas in (
        _list_labels(link.relation),
        (link.next_formula,) if behind else (),
        link.formulas_before,
    ):
        places = [place for formula in formulas for place in _list_places(context, formula, name)]
        if places:
            return places[0] if len({*places}) == 1 else None
    # A polynomial behind which an arrow stands is one that is replaced.
    has_value = any(fact.is_value for fact in context.facts.facts_about(frozenset((name,))))
    grows = name in _INDICES and not (labelled or behind or has_value) and any(map(_levels_off, left))
    return (Tree("inf"), "both") if grows else None


def _list_places(context: LinkContext, formula: str, name: str) -> Iterator[tuple[Tree, str]]:
    """Iterate over the places that a formula says a variable to approach, with the side."""
    for statement in split_statements(formula):
        arrows = [relation for relation, _ in statement.relations if relation in _ARROWS]
        if len(arrows) != 1 or len(statement.sides) != 2 or statement.sides[0].strip() != name:
            continue
        written = statement.sides[1].strip()
        mark = next((mark for mark in _SIDES if written.endswith(mark)), "")
        place = context.read_formula(written.removesuffix(mark)).tree
        if place is not None and _is_value(place):
            yield place, _SIDES.get(mark, "both")


def _levels_off(node: Tree) -> bool:
    """Return whether an operation can keep a growing variable bounded."""
    if node.label == "pow":
        return bool(free_symbols(node.children[1]))
    return bool(node.children) and node.label not in _STEADY


def _list_labels(relation: str) -> list[str]:
    """List the formulas above and below an arrow."""
    labels: list[str] = []
    at = 0
    while at < len(relation):
        if relation[at] in "{[":
            end = find_closing(relation, at)
            labels.append(relation[at + 1 : end])
            at = end
        at += 1
    return labels


def _write_place(place: Tree) -> str:
    return "∞" if place == Tree("inf") else write_term(place)
