"""Links between matrices, whose products have an order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engines.core.errors import EngineError
from engines.core.tree import Tree
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.shapes import evaluate_matrices
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import last_clause, mentions, read_last_cue
from engines.proofreading.facts import Facts
from engines.proofreading.link_verdicts import Evidence, LinkVerdict
from engines.proofreading.matrix_slips import find_entry_slip, find_matrix_slip
from engines.proofreading.number_links import NumberLinks
from engines.proofreading.stated_facts import Fact, describe_sources
from engines.proofreading.statement_roles import is_concluded, is_supposed
from engines.proofreading.term_properties import any_values, are_exactly_equal, at_values, free_symbols


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixLinks:
    """Judge of equations of matrices.

    Args:
        terms: The judge of terms.
        numbers: The judge of links without variables.
        facts: What the text states.
        matrices: The letters that stand for matrices.
        cases: Whether the section at hand distinguishes cases.
        follow: Makes the verdict of a link that holds by facts.
        state: Notes an equation that the text states.
    """

    terms: Judge
    numbers: NumberLinks
    facts: Facts
    matrices: frozenset[str]
    cases: bool
    follow: Callable[[ChainLink, Sequence[Fact]], LinkVerdict]
    state: Callable[[ChainLink, Tree, Tree], None]

    def judge_equation(self, link: ChainLink, left: Tree, right: Tree) -> LinkVerdict:
        """Judge an equation of matrices: for any that do not commute, or by the values that were said."""
        if self._are_equal_matrices(left, right):
            return LinkVerdict(link, "right")
        has_bare_side = not left.children or not right.children
        begun = link.of_problem or (read_last_cue(link.words_before) == "given" and link.index == 0)
        # "By the formula for § , A^{-1} = …" works out the inverse of a matrix that is known.
        begun = begun and (link.of_problem or not _is_operation(left) or is_supposed(link))
        free = free_symbols(left) | free_symbols(right)
        values = {fact.left.label: fact for fact in self.facts.in_scope if fact.right.label == "matrix"}
        used = [values[name] for name in sorted(free & values.keys())]
        if used and free & self.matrices <= values.keys():
            sides = at_values(left, right, {fact.left.label: fact.right for fact in used})
            verdict = self.terms.equal(*sides)
            if verdict.outcome == "equal":
                return self.follow(link, used)
            if link.relation == "=" and self.numbers.are_rounded_in_parts(*sides):
                return self.follow(link, used)
            # P(X = 1) is no product of a matrix, and p(A) no value of p at a number.
            unlike = self._is_matrix(sides[0]) != self._is_matrix(sides[1])
            # A matrix of matrices is one of blocks, whose entries are its own.
            unlike = unlike or any(self._has_blocks(side) for side in (left, right))
            unlike = unlike or "call" in (*left.list_labels(), *right.list_labels())
            named = free_symbols(sides[1]) if right != Tree("0") else frozenset[str]()
            sought = not free_symbols(sides[0]) <= named  # as k where A has it and A^2 = I is said
            # A capital letter without a value, but the identity's, may be a vector of any size.
            unlike = unlike or any(name[:1].isupper() for name in free - {*values, "I"})
            unlike = unlike or any(self._is_applied(name, left, right) for name in free - values.keys())
            # Of entries of which an equation says more, as a² + b² = 1, a link can hold by that.
            entries = free_symbols(sides[0]) | free_symbols(sides[1])
            unlike = unlike or any(
                "matrix" not in (*fact.left.list_labels(), *fact.right.list_labels())
                for fact in self.facts.facts_about(entries)
                if fact.variables <= entries
            )
            unlike = (
                unlike
                or sought
                or mentions("demanding", last_clause(link.words_before))
                or begun
                or link.has_denial_nearby
                or (link.may_be_one_of_several and not (_are_in_sentence(link, used) or _is_operation(left)))
                or self.cases
            )
            if verdict.outcome == "different" and left.children and not unlike:
                reason = f"{verdict.witness}, {describe_sources(used)}".removeprefix(", ")
                evidence = Evidence("stated values", tuple(used))
                return LinkVerdict(link, "wrong", reason, evidence=evidence)
        sure = not (link.of_problem or link.is_denied_directly or is_supposed(link))
        if sure and not left.children and left.label in values and not (begun or self.cases):
            known = values[left.label]
            # A matrix of numbers alone may have another value in another calculation.
            same_meant = is_concluded(link) or free_symbols(known.right)
            if same_meant and (slip := find_entry_slip(known.right, right, self._are_equal_matrices)):
                return LinkVerdict(link, "wrong", f"{slip.reason}, {describe_sources([known])}")
        if not left.children and (value := _find_value(left, right)):
            self.state(link, left, value)
        if sure and (slip := find_matrix_slip(left, right, self._are_equal_matrices)):
            return LinkVerdict(link, "wrong", slip.reason)
        if numbers := self._list_numbers(free):
            sides = at_values(left, right, {fact.left.label: fact.right for fact in numbers})
            if self._are_equal_matrices(*sides):
                return self.follow(link, numbers)
            if sure and not self.cases and (slip := find_matrix_slip(*sides, self._are_equal_matrices)):
                return LinkVerdict(link, "wrong", f"{slip.reason}, {describe_sources(numbers)}")
        if begun or has_bare_side:
            return LinkVerdict(link, "given")
        return LinkVerdict(
            link, "not shown", "matrices need not commute" if are_exactly_equal(left, right) else ""
        )

    def _are_equal_matrices(self, left: Tree, right: Tree) -> bool:
        return self.terms.equal(*at_values(left, right, any_values(self.matrices))).outcome == "equal"

    def _has_blocks(self, side: Tree) -> bool:
        entries = (row for node in side if node.label == "matrix" for row in node.children)
        return not all(free_symbols(row).isdisjoint(self.matrices) for row in entries)

    def _is_applied(self, name: str, *sides: Tree) -> bool:
        """Return whether a name stands behind a matrix wherever it stands, as a vector does."""
        vector = Tree(name)
        applied = sum(
            node.label == "*"
            and node.children[-1] == vector
            and not free_symbols(node).isdisjoint(self.matrices)
            for side in sides
            for node in side
        )
        return 0 < applied == sum(node == vector for side in sides for node in side)

    def _list_numbers(self, free: frozenset[str]) -> list[Fact]:
        """List the values that the numbers of a link are said to have, the last of each."""
        known = {fact.left.label: fact for fact in self.facts.in_scope if fact.is_value}
        return [known[name] for name in sorted(free - self.matrices) if name in known]

    def _is_matrix(self, tree: Tree) -> bool:
        return self.terms.equal(Tree("*", (Tree("0"), tree)), Tree("0")).outcome == "different"


def _is_operation(tree: Tree) -> bool:
    """Return whether a term is the inverse, a power, the transpose or the determinant of a named matrix."""
    return tree.label in ("pow", "transpose", "det") and not tree.children[0].children


def _are_in_sentence(link: ChainLink, used: Sequence[Fact]) -> bool:
    """Return whether the sentence of a link says itself what its matrices are: "For B = § we have § "."""
    begun = link.piece_index - 2 * link.words_before.count("§")
    return all(begun <= fact.piece < link.piece_index for fact in used)


def _find_value(name: Tree, term: Tree) -> Tree | None:
    """Return the matrix that a name is said to be, worked out; None where the term has other names of
    matrices."""
    try:
        value = evaluate_matrices(name, term)[1]
    except EngineError:
        return None
    return value if value.label == "matrix" else None
