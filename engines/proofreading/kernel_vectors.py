"""Vectors that a text takes as solutions of a homogeneous equation right before them, as eigenvectors: behind
`(A - 2I)v = 0` or `2x + y = 0` the vector `(1, -2)`.
"""

from __future__ import annotations

import re

from engines.core.errors import EngineError
from engines.core.tree import ZERO, Tree
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.names import replace_variable
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import last_clause, mentions, words_of
from engines.proofreading.facts import Facts
from engines.proofreading.statement_roles import is_concluded
from engines.proofreading.term_properties import at_values, evaluate_term, free_symbols

HomogeneousEquation = tuple[ChainLink, Tree]
"""Where a term is said to be 0, and the term."""
_COMPONENT = re.compile(r"[xyz]\Z|[A-Za-z]_[1-9]\Z")
_TAKING = frozenset(("take", "choose", "pick", "eigenvector", "eigenvectors", "vector"))
_NEXT_PIECE = 2
"""Pieces of a text from one formula to the next, words between them."""
_CLOSE = 1e-9


def find_vector_outside(
    facts: Facts, judge: Judge, known: HomogeneousEquation | None, link: ChainLink, left: Tree, right: Tree
) -> str:
    """Return why a vector does not solve the homogeneous equation from which the text takes it; "" where it
    does, or that is not known.

    Args:
        facts: What the text has said so far.
        judge: The judge of terms.
        known: The last term that was said to be 0.
        link: The link that says what the vector is.
        left: Its name.
        right: Its components.
    """
    entries = _list_entries(right)
    if known is None or link.relation != "=" or left.children or len(entries) < 2:
        return ""
    equation, term = known
    if not 0 <= link.piece_index - equation.piece_index <= _NEXT_PIECE or not _is_taken(link):
        return ""
    if link.of_problem or link.is_denied_directly or link.is_one_of_alternatives:
        return ""
    names = sorted(free_symbols(term))
    written = " ".join(f"{equation.left} {equation.relation} {equation.right}".split())
    reason = f"it does not solve {written} (line {equation.line})"
    if len(names) == len(entries) and all(map(_COMPONENT.match, names)):
        at: dict[str, float] = {}
        for name, entry in zip(names, entries, strict=True):
            if (value := evaluate_term(entry, {})) is None:
                return ""
            at[name] = value
        value = evaluate_term(term, at)
        return reason if value is not None and abs(value) > _CLOSE and _is_homogeneous(term, at) else ""
    # A product of a matrix that is known and one unknown vector.
    vector = term.children[1] if term.label == "*" else ZERO
    if vector.children or not free_symbols(vector):
        return ""
    matrices = {fact.left.label: fact.right for fact in facts.in_scope if fact.right.label == "matrix"}
    column = Tree("matrix", tuple(Tree("row", (entry,)) for entry in entries))
    product = replace_variable(at_values(term, ZERO, matrices)[0], vector.label, column)
    if not free_symbols(product) <= {"I"}:
        return ""
    zeros = Tree("matrix", (Tree("row", (ZERO,)),) * len(entries))
    try:
        return reason if judge.equal(product, zeros).outcome == "different" else ""
    except EngineError:
        return ""


def _is_taken(link: ChainLink) -> bool:
    """Return whether words or an arrow draw a vector from what stands before it, or say that it is taken."""
    clause = last_clause(link.words_before.rstrip(" ,"))
    drawn = is_concluded(link) or mentions("obtaining", clause) or mentions("deducing", clause)
    return drawn or not _TAKING.isdisjoint(words_of(clause))


def _list_entries(vector: Tree) -> tuple[Tree, ...]:
    """Return the components of a vector of numbers; none for other terms."""
    is_transposed = vector.label == "transpose" or vector.children[:1] == (Tree("^T"),)
    inner = vector.children[-1] if is_transposed else vector
    if free_symbols(inner):
        return ()
    if inner.label == "tuple":
        return inner.children
    is_row = inner.label == "matrix" and len(inner.children) == 1 and is_transposed
    if is_row:
        return inner.children[0].children
    is_column = inner.label == "matrix" and all(len(row.children) == 1 for row in inner.children)
    return tuple(row.children[0] for row in inner.children) if is_column else ()


def _is_homogeneous(term: Tree, at: dict[str, float]) -> bool:
    """Return whether a term is twice as large at twice the values, and 0 where all of them are."""
    value = evaluate_term(term, at)
    double = evaluate_term(term, {name: 2 * each for name, each in at.items()})
    nothing = evaluate_term(term, dict.fromkeys(at, 0.0))
    return value is not None and double is not None and nothing == 0 and abs(double - 2 * value) < _CLOSE
