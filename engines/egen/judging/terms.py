"""Judges terms and statements: what kind they are of, and who knows about that kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import RLock

from engines.core.errors import EngineError
from engines.core.tree import MAX_DEPTH, MAX_NODES, Tree
from engines.egen.algebra.rational import TooLargeError
from engines.egen.expressions.language import ARITY, FURTHER
from engines.egen.judging import complexes, numbers, reals, shapes, statements
from engines.egen.judging.calls import Calls
from engines.egen.judging.closed import closed, differentiated
from engines.egen.judging.names import COMPLEX
from engines.egen.judging.reals import Known, assumed
from engines.egen.verification.rigorous import LongSumError
from engines.formula.judge import Judgement

EQUAL = Judgement("equal")
_REAL = {*ARITY, *FURTHER} - {"x"}
_LOCK = RLock()
"""The precision of Arb is one for the whole process: threads judge one after the other."""
_MOST_SIGNS = 4


def undecided(reason: str) -> Judgement:
    return Judgement("undecided", reason=reason)


class TermJudge:
    """A `Judge` of all kinds of terms. Args: seed: of the points that are tried."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def equal(self, left: Tree, right: Tree, assume: Sequence[Tree] = ()) -> Judgement:
        if left == right:
            return EQUAL
        if not assume or not left.children or not right.children:
            one, other = numbers.exact(left), numbers.exact(right)
            if one is not None and other is not None:
                return EQUAL if one == other else Judgement("different", witness=f"{one} and {other}")
        return self._safely(lambda: self.compared(left, right, assume))

    def holds(self, statement: Tree, assume: Sequence[Tree] = ()) -> Judgement:
        return self._safely(lambda: statements.holds(self, statement, assume))

    def _safely(self, judged: Callable[[], Judgement]) -> Judgement:
        with _LOCK:
            try:
                return judged()
            except EngineError as error:
                return undecided(error.what)
            except (RecursionError, OverflowError, MemoryError, TooLargeError, LongSumError):
                return undecided("the terms are too large")
            except (ArithmeticError, LookupError, ValueError) as error:
                return undecided(f"it is not worked out: {error}")

    def compared(self, left: Tree, right: Tree, assume: Sequence[Tree] = ()) -> Judgement:
        """As `equal`; raises EngineError for what cannot be judged."""
        if left == right:
            return EQUAL
        if max(len(left), len(right)) > MAX_NODES or max(left.depth, right.depth) > MAX_DEPTH:
            return undecided("the terms are too large")
        known = assumed(assume)
        left, right = (known.substituted(shapes.worked_out(side)) for side in (left, right))
        if left == right:
            return EQUAL
        if statements.is_statement(left) or statements.is_statement(right):
            left, right = (statements.without_signs(side) for side in (left, right))
            return statements.equal(self, left, right, assume)
        if "pm" in {*left.labels(), *right.labels()}:
            return self._both_signs(left, right, assume)
        if (shapes.kind(left), shapes.kind(right)) != ("scalar", "scalar"):
            return shapes.equal(self, left, right, assume)
        return self.scalars(left, right, known)

    def _both_signs(self, left: Tree, right: Tree, assume: Sequence[Tree]) -> Judgement:
        sets = [
            [shapes.of_signs(side, together=together) for side in (left, right)] for together in (True, False)
        ]
        if any(len(side.children) > 2**_MOST_SIGNS for side in sets[1]):
            return undecided("there are too many signs ±")
        first = self.compared(sets[0][0], sets[0][1], assume)
        if sets[0] == sets[1] or first.verdict == "undecided":
            return first
        second = self.compared(sets[1][0], sets[1][1], assume)
        if first.verdict == second.verdict:
            return first
        return undecided("it depends on whether all signs ± are the same")

    def scalars(self, left: Tree, right: Tree, known: Known) -> Judgement:
        labels = {*left.labels(), *right.labels()}
        if "unit" in labels:
            return shapes.with_units(self, left, right, known)
        if "antiderivative" in labels:
            return self._antiderivatives(left, right, known)
        calls = Calls(self, known)
        sides = [calls.without(closed(side)) for side in (left, right)]
        if sides[0] == sides[1]:
            return EQUAL
        labels = {*sides[0].labels(), *sides[1].labels()}
        complex_ = not labels.isdisjoint(COMPLEX)
        for node in (node for side in sides for node in side):
            if node.children and node.label not in _REAL and node.label not in COMPLEX:
                return undecided(f"{node.label} is not judged")
        if "inf" in labels:
            return _infinite(*sides)
        theory = complexes if complex_ else reals
        result = theory.equal(*sides, known, seed=self.seed)
        return calls.judged(result)

    def _antiderivatives(self, left: Tree, right: Tree, known: Known) -> Judgement:
        nodes = [node for side in (left, right) for node in side if node.label == "antiderivative"]
        name = nodes[0].children[0].label
        sides = [differentiated(side, name) for side in (left, right)]
        if sides[0] is None or sides[1] is None:
            return undecided("antiderivatives are judged only as terms of a sum")
        result = self.scalars(sides[0], sides[1], known)
        notes = (result.reason, "up to a constant" if result.verdict in ("equal", "equal if") else "")
        return replace(result, reason="; ".join(filter(None, notes)))


def _infinite(left: Tree, right: Tree) -> Judgement:
    if all(numbers.end(side) or numbers.is_number(side) for side in (left, right)):
        return reals.of_numbers(left, right)
    return undecided("infinity is no number")
