"""Does an expression of several variables equal its head wherever assumptions hold?

Points are drawn from the region of the assumptions, some of them far out along one variable, some beside
ends of domains on lines parallel to the axes, and some beyond other ends (`curves`). What double precision
holds to be equal is looked at again with rigorous bounds, at points in general position and where one
variable is 0, 1, -1 or 2: so single values of a variable are found at which only one of the two is defined.
As on the real line, a verdict is a statement about these points.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flint import ctx
from numpy.typing import NDArray

from engines.core.numeric import Expression, Programs, balls, compile_many
from engines.core.precise import BITS, Functions, Value, agreement
from engines.core.tree import Tree
from engines.egen.assumptions import NOTHING, Assumptions, ordered
from engines.egen.expressions.language import FURTHER, variables_of
from engines.egen.records import Agreed, Counterexample
from engines.egen.verification.curves import Curves
from engines.egen.verification.points import MAX_FAR, Lines, Region, telling
from engines.egen.verification.pointwise import Pointwise, too_large
from engines.egen.verification.recheck import MORE_BITS, SPARE, undefined
from engines.egen.verification.verify import CLEAR_BITS, Case, Verifier

Floats = NDArray[np.float64]
_PROBES = 12
_LINES = 9
"""On so many, but on two for each variable, ends of domains are worked out."""


def verifier(
    head: Tree, *others: Tree, assumptions: Assumptions = NOTHING, seed: int = 0
) -> Verifier | Pointwise:
    """Who judges expressions with the variables of these against a head.

    Raises: EngineError E221 when no point is found where the assumptions hold.
    """
    variables = variables_of(head, *others) | assumptions.variables
    trees = head, *others
    if any(node.label in FURTHER for tree in trees for node in tree) or any(map(too_large, trees)):
        return Pointwise(head, variables, assumptions, seed=seed)
    if variables <= {"x"} and not assumptions:
        return Verifier(head, seed=seed)
    return Several(head, variables, assumptions, seed=seed)


class Several(Verifier):
    """Judges expressions of several variables against one head.

    Attributes: points: (variables, points), those inside the head's domain first; shown: the places of the
    variables that are named; the others as `Verifier`'s.
    """

    def __init__(
        self,
        head: Expression,
        names: set[str],
        assumptions: Assumptions = NOTHING,
        *,
        seed: int = 0,
    ) -> None:
        self.head = head
        self.seed = seed
        self.variables = ordered(names)
        self.shown = [place for place, name in enumerate(self.variables) if name in names]
        self._whole = frozenset(assumptions.integers)
        self._program = compile_many([head], variables=self.variables)
        region = Region(self.variables, assumptions, seed=seed)
        values, errors = balls(self._program, region.points, trace=True)
        near = region.points[:, telling(values, errors)]
        points = np.concatenate([near, *map(self._telling_far, region.far()), *region.whole()], axis=1)
        self._place(points)
        known = int(np.isfinite(errors[-1]).sum()), int(np.isnan(values[-1]).sum())
        if not self._decides(region.points.shape[1] - sum(known) > known[0]):
            return
        through = max(2, _LINES // len(self.shown))
        self._lines = Lines(self._program, region, self.shown, self.points[:, : self.inside], through)
        if (ends := self._lines.of_head()).size:
            self._place(points, ends)
        self._tried = region.tried(self.points)
        self._probes = self._chosen()
        self._general = self._functions(self.points[:, self._probes])
        self._curves = Curves(self._program, region, self.shown, self._general, self.points[:, 0])
        self._special_points, self._special_values = region.special()
        self._special = self._functions(self._special_points, exact=True)

    def _chosen(self) -> list[int]:
        """Places of some points of the head's domain, the outermost ones of each variable among them: there
        one sees best what fades along it, such as 1 - tanh x for x > 20."""
        inside = self.points[self.shown, : self.inside]
        outermost = [*inside.argmin(axis=1).tolist(), *inside.argmax(axis=1).tolist()]
        return sorted({*range(0, self.inside, max(1, self.inside // _PROBES)), *outermost})

    def _telling_far(self, points: Floats) -> Floats:
        values, errors = balls(self._program, points, trace=True)
        return points[:, telling(values, errors, MAX_FAR, MAX_FAR)]

    def _functions(self, points: Floats, bits: int = BITS, *, exact: bool = False) -> Functions:
        """Functions at some points. Args: exact: single values such as 1 are just that."""
        first, *rest = points.tolist()
        others = dict(zip(self.variables[1:], rest, strict=True))
        return Functions(first, bits, merged=not exact, others=others, whole=self._whole)

    def _example(
        self, point: Floats, head: float | None, member: float | None, gap: float | None = None
    ) -> Counterexample:
        at = tuple((self.variables[place], float(point[place])) for place in self.shown)
        return Counterexample(float(point[0]), head, member, gap, at)

    def _look_closer(self, programs: Programs, agreeing: list[Case]) -> None:
        roots = programs.roots[[case.k for case in agreeing]]
        general = self._general.read(programs, roots)
        special = self._special.read(programs, roots)
        heads = [self._of(functions, self._program) for functions in (self._general, self._special)]
        for case, root in zip(agreeing, roots.tolist(), strict=True):
            members = self._general.values[general[root]]
            doubtful = self._compare_general(case, heads[0], members)
            for place in (doubtful, case.suspect):
                if case.outcome != "different" and place >= 0:
                    self._decide(programs, case, place)
            if case.outcome != "different" and case.checked is None and case.sharp >= 0:
                self._decide(programs, case, case.sharp)
            if case.outcome != "different":
                checked = case.checked or Agreed(CLEAR_BITS, case.agreeing)
                if case.checked is None and (undefined(heads[0]) or undefined(members)):
                    self._doubt(case)
                case.checked = checked._replace(integers=self._tried)
        whole = [case for case in agreeing if case.outcome in ("equal", "extends")]
        points = self._lines.of(programs, [case.k for case in whole])
        self._look_beside(programs, list(zip(whole, points, strict=True)))
        self._look_beyond(programs, whole)
        for case in agreeing:
            if case.outcome != "different":
                self._compare_special(case, heads[1], self._special.values[special[programs.roots[case.k]]])

    @staticmethod
    def _of(functions: Functions, program: Programs, k: int = 0) -> tuple[Value, ...]:
        one = program.only([k])
        return functions.values[functions.read(one, one.roots)[one.roots[0]]]

    def _compare_general(self, case: Case, heads: Sequence[Value], members: Sequence[Value]) -> int:
        """How far values agree at points in general position, and the place of one where they are not seen
        to, or -1."""
        points, doubtful = 0, -1
        with ctx.workprec(BITS):
            for place, head, member in zip(self._probes, heads, members, strict=True):
                if head is not None and member is not None and head.is_finite() and member.is_finite():
                    if (agreement(head, member) or 0) >= self._general.agreed:
                        points += 1
                    else:
                        doubtful = place
        if points:
            case.checked = Agreed(self._general.agreed - SPARE, points)
        return doubtful

    def _decide(self, programs: Programs, case: Case, place: int) -> None:
        """One program and the head at one point, with more and more bits."""
        for bits in MORE_BITS:
            alone = self._functions(self.points[:, [place]], bits, exact=True)
            with ctx.workprec(bits):
                (head,), (member,) = self._of(alone, self._program), self._of(alone, programs, case.k)
                if head is None or member is None or not (head.is_finite() and member.is_finite()):
                    return
                agreed = agreement(head, member)
                if agreed is None:
                    case.outcome = "different"
                    gap = float(member - head)
                    case.example = self._example(self.points[:, place], float(head), float(member), gap)
                    return
                if agreed >= bits // 2:
                    case.checked = case.checked or Agreed(agreed, 1)
                    return

    def _compare_special(self, case: Case, heads: Sequence[Value], members: Sequence[Value]) -> None:
        """Where a variable has a special value: other values, or only one of the two defined."""
        parted: dict[str, list[str]] = {}
        points = zip(self._special_points.T, self._special_values, heads, members, strict=True)
        for point, at, head, member in points:
            if head is None or member is None:
                known = member if head is None else head
                kind = "" if known is None else "member" if member is None else "head"
                parted.setdefault(at, []).append(kind)
            elif head.is_finite() and member.is_finite():
                parted.setdefault(at, []).append("")
                if not head.overlaps(member):
                    case.outcome = "different"
                    case.example = self._example(point, float(head), float(member), float(member - head))
                    return
        wanted = {"equal": {"head", "member"}, "extends": {"member"}}.get(case.outcome, set())
        found = [at for at, kinds in parted.items() if len(apart := {*kinds} - {""}) == 1 and apart <= wanted]
        case.exceptions = ", ".join(found)
