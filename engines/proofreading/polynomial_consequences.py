"""Whether a claim follows from equations: by ideal membership.

Every equation is a polynomial that is zero, over the rational numbers, in whatever is not arithmetic in it. A
claim follows where the polynomial of its difference is in the ideal of those, which is sought for in two
steps: unknowns that stand alone in an equation are eliminated, and of what is left small multiples are
combined by linear algebra.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from itertools import combinations_with_replacement, compress
from math import prod
from typing import Any

from engines.core.tree import Tree
from engines.mathematics.algebra.rational import Space, TooLargeError
from engines.proofreading.stated_facts import Fact, Reduced, list_once
from engines.proofreading.term_properties import evaluate_term, free_symbols

_MOST_ROWS = 120
_MOST_TERMS = 300
_MOST_POWER = 12


class FactIdeal:
    """The ideal of the facts that bear on a claim, and what is left of the claim by them."""

    def __init__(self, left: Tree, right: Tree, facts: Sequence[tuple[Tree, Tree, Fact]]) -> None:
        self.space = Space([left, right, *(side for one, other, _ in facts for side in (one, other))])
        if len(self.space.atoms) > 40:
            raise TooLargeError("too many unknowns")
        self.left, self.right = self.space.to_quotient(left), self.space.to_quotient(right)
        self.known: list[tuple[Any, Fact]] = []
        self.values: list[float | None] | None = None
        # Of a quotient that is zero the numerator is; a fact that is too large is left out.
        for one, other, fact in facts:
            with suppress(TooLargeError, OverflowError):
                difference = self.space.combine_quotients(
                    "-", self.space.to_quotient(one), self.space.to_quotient(other)
                ).top
                if not difference.is_constant() and len(difference) <= _MOST_TERMS:
                    self.known.append((difference, fact))

    def reduce_claim(self, used: list[Fact], applied: list[Fact]) -> Reduced | None:
        """Reduce a claim by elimination, and then by combination.

        Args:
            used: Facts that were used to state it; what is used further is added.
            applied: Facts that were applied inside of functions.

        Returns:
            The sides that are left; None where no fact bears on them.
        """
        start = self.space.combine_quotients("-", self.left, self.right)
        claim = start.top
        if claim.is_zero():
            return Reduced(Tree("0"), Tree("0"), list_once(used), True)
        sides = [self.left, self.right]
        rest: list[tuple[Any, list[Fact]]] = [(poly, [fact]) for poly, fact in self.known]
        left_over: list[tuple[Any, list[Fact]]] = []
        while rest:
            # A fact that is linear in an unknown, with a number as its factor, is solved for it; it is put
            # into the claim and into all other facts. Others wait until one of their unknowns is solved.
            poly, facts = rest.pop(0)
            unknown = self._find_solvable(poly, claim)
            if unknown is None:
                if not self._is_refuted(poly):
                    left_over.append((poly, facts))
                continue
            context = self.space.context
            factor = poly[tuple(int(at == unknown) for at in range(context.nvars()))]
            value = context.gen(unknown) - poly / factor
            # A fact is used only if the claim has the unknown that it is solved for.
            if self._uses_unknown(claim, unknown):
                used += facts
            claim = self._substitute_unknown(claim, unknown, value)
            sides = [
                self.space.reduce_quotient(
                    self._substitute_unknown(side.top, unknown, value),
                    self._substitute_unknown(side.bottom, unknown, value),
                )
                for side in sides
            ]
            if claim.is_zero():
                return Reduced(Tree("0"), Tree("0"), list_once([*used, *applied]), True)
            # Facts that waited for this unknown can be solved for another one now.
            begun = [self._uses_unknown(poly, unknown) for poly, _ in left_over]
            rest += compress(left_over, begun)
            left_over = [each for each, uses in zip(left_over, begun, strict=True) if not uses]
            rest = [self._replace_unknown(each, unknown, value, facts) for each in rest]
            rest = [each for each in rest if not each[0].is_zero()]
        # What no elimination reaches may still be a combination of facts: ideal membership.
        if left_over and (combined := self._combine_facts(claim, left_over)):
            return Reduced(Tree("0"), Tree("0"), list_once([*used, *combined, *applied]), True)
        # The claim is not proved, but says less than it did: the caller looks at what is left.
        if not used and not applied:
            return None
        one, other = (self.space.to_tree(side) for side in sides)
        return Reduced(one, other, list_once([*used, *applied]), False)

    def _find_solvable(self, poly: Any, claim: Any) -> int | None:
        """An unknown that a polynomial has to the first power, beside a number, and nowhere else; one of the
        claim comes first."""
        if poly.is_constant():
            return None
        monomials = [tuple(map(int, powers)) for powers in poly.monoms()]
        in_claim = claim.degrees()
        # Beside a number it is a monomial of its own, and in no other.
        lone = [powers.index(1) for powers in monomials if sum(powers) == 1]
        places = [at for at in lone if sum(1 for powers in monomials if powers[at]) == 1]
        for at in sorted(places, key=lambda at: (not in_claim[at], len(self.space.atoms[at]), at)):
            if free_symbols(self.space.atoms[at]):
                return at
        return None

    def _is_refuted(self, poly: Any) -> bool:
        """Return whether an equation of numbers fails, as √2 = 0 where x is both; e can be a variable."""
        if self.values is None:
            self.values = [evaluate_term(atom, {}) if atom.children else None for atom in self.space.atoms]
        used = [value for value, degree in zip(self.values, poly.degrees(), strict=True) if degree]
        if poly.is_constant() or None in used:
            return bool(poly.is_constant())
        known = [0.0 if value is None else value for value in self.values]
        return abs(_evaluate_polynomial(poly, known)) > 1e-9

    def _uses_unknown(self, poly: Any, unknown: int) -> bool:
        return int(poly.degrees()[unknown]) > 0

    def _substitute_unknown(self, poly: Any, unknown: int, value: Any) -> Any:
        degree = int(poly.degrees()[unknown])
        if degree <= 0:
            return poly
        if (degree > _MOST_POWER and len(value) > 1) or len(poly) * len(value) ** min(degree, 6) > 20_000:
            raise TooLargeError("too many terms")
        # What is put in may have unknowns of its own: the composition is worked out by FLINT.
        gens = self.space.context.gens()
        return poly.compose(*gens[:unknown], value, *gens[unknown + 1 :])

    def _replace_unknown(
        self, each: tuple[Any, list[Fact]], unknown: int, value: Any, facts: list[Fact]
    ) -> tuple[Any, list[Fact]]:
        poly, by = each
        substituted = self._substitute_unknown(poly, unknown, value)
        return each if substituted is poly else (substituted, [*by, *facts])

    def _combine_facts(self, claim: Any, known: Sequence[tuple[Any, list[Fact]]]) -> list[Fact] | None:
        """Return the facts of which multiples add up to the claim: by division, or small ones by linear
        algebra."""
        from flint import fmpq_mat

        # Division by one fact after the other finds most combinations, and costs little.
        rest, divisors = claim, []
        for poly, facts in known:
            quotient, rest = divmod(rest, poly)
            divisors += [] if quotient.is_zero() else facts
            if rest.is_zero():
                return divisors

        # Multiples by products of at most three unknowns of the claim and the fact, up to its degree.
        degree = claim.total_degree()
        rows: list[tuple[Any, list[Fact]]] = []
        context = self.space.context
        shared = {at for at, power in enumerate(claim.degrees()) if power}
        gens = [context.gen(at) for at in range(context.nvars())]
        for poly, facts in known:
            occurring = {at for at, power in enumerate(poly.degrees()) if power}
            wanted = [gens[at] for at in sorted(shared | occurring)][:6]
            for size in range(max(0, min(3, int(degree) - int(poly.total_degree()) + 1)) + 1):
                for factors in combinations_with_replacement(wanted, size):
                    product = poly
                    for factor in factors:
                        product = product * factor
                    rows.append((product, facts))
                    if len(rows) > _MOST_ROWS:
                        return None
        if len({powers for poly, _ in rows for powers in poly.monoms()}.union(claim.monoms())) > _MOST_TERMS:
            return None
        rows = _list_usable(claim, rows)
        if not rows:
            return None
        places: dict[tuple[int, ...], int] = {}
        for poly, _ in rows:
            for powers in poly.monoms():
                places.setdefault(powers, len(places))
        # The monomials as rows, the multiples as columns, and the claim as the last of them.
        matrix = [[0] * (len(rows) + 1) for _ in places]
        for column, poly in enumerate((*(poly for poly, _ in rows), claim)):
            for powers, coefficient in poly.terms():
                matrix[places[powers]][column] = coefficient
        # The claim is a combination of the multiples if its column has no pivot.
        echelon, rank = fmpq_mat(matrix).rref()
        used: list[Fact] = []
        for row in range(rank):
            pivot = next(column for column in range(len(rows) + 1) if echelon[row, column] != 0)
            if pivot == len(rows):
                return None
            if echelon[row, len(rows)] != 0:
                used += rows[pivot][1]
        return used


def _list_usable(claim: Any, rows: list[tuple[Any, list[Fact]]]) -> list[tuple[Any, list[Fact]]]:
    """List the multiples that can have a part in a combination that is a claim."""
    claimed = set(claim.monoms())
    while True:
        # A monomial that only one multiple has, and not the claim, is cancelled by no other.
        counts = Counter(powers for poly, _ in rows for powers in poly.monoms())
        if not claimed <= counts.keys():
            return []
        usable = [
            row for row in rows if all(counts[powers] > 1 or powers in claimed for powers in row[0].monoms())
        ]
        if len(usable) == len(rows):
            return rows
        rows = usable


def _to_float(rational: Any) -> float:
    """Return a rational number of python-flint as a float, which its versions before 0.9 do not."""
    return int(rational.p) / int(rational.q)


def _evaluate_polynomial(poly: Any, at: Sequence[float]) -> float:
    return float(sum(_to_float(c) * prod(map(pow, at, map(int, powers))) for powers, c in poly.terms()))
