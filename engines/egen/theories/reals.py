"""Real functions of x, or of several variables under assumptions."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.core.tree import Tree
from engines.core.vocabulary import ARITY, FURTHER, LETTERS, VARIABLE
from engines.egen.algebra.classical import classical, openings
from engines.egen.algebra.relations import Lines, meetings
from engines.egen.egraph.analysis import SEVERAL, analysis, assumed_facts
from engines.egen.egraph.grammar import plain
from engines.egen.expressions.novelty import Ideas
from engines.egen.expressions.padding import Padding
from engines.egen.rules.table import ASSUMED, Rule, load_rules, own_rules
from engines.egen.settings import families_of
from engines.egen.theories.theory import Forms, Theory, TheoryChecker
from engines.formula.reader import read_expression
from engines.mathematics.algebra.atoms import Signs
from engines.mathematics.assumptions import NO_ASSUMPTIONS, Assumptions
from engines.mathematics.numbers.numeric import balls, compile_many
from engines.mathematics.terms.canonical import Canonical
from engines.mathematics.terms.notation import expression_row, infix, read_head
from engines.mathematics.verification.pointwise import Pointwise
from engines.mathematics.verification.verify import Verifier, verifier

if TYPE_CHECKING:
    from engines.egen.egraph.grammar import EGraph, Ints
    from engines.formula.reader import Notation
    from engines.mathematics.terms.canonical import Subterms


_POINTS = 8


@dataclass(frozen=True, slots=True)
class Reals(Theory):
    """`variables` are those of the expressions, x first. With x alone and no assumptions it is the paper's.
    `pointwise` theories are of what double precision does not evaluate. Those that are not `rewritable` have
    sums, products, integrals, sign or floor, which are judged and not rewritten. `own` are rules besides
    ours."""

    assumptions: Assumptions = NO_ASSUMPTIONS
    variables: tuple[str, ...] = (VARIABLE,)
    pointwise: bool = False
    rewritable: bool = True
    own: str = ""

    @property
    def extended(self) -> bool:
        return bool(self.assumptions) or not {*self.variables} <= {VARIABLE}

    @property
    def kind(self) -> Hashable:
        return "reals", self.extended, self.own

    @property
    def arity(self) -> Mapping[str, int]:
        return SEVERAL if self.extended else ARITY

    def rules(self) -> tuple[Rule, ...]:
        return load_rules() + (load_rules(ASSUMED) if self.extended else ()) + own_rules(self.own)

    def analysis(self) -> Iterator[str]:
        return analysis(several=self.extended)

    def facts(self) -> Iterator[str]:
        return assumed_facts(self.assumptions, self.variables) if self.extended else iter(())

    @property
    def unwritten(self) -> str:
        names = ", ".join(FURTHER)
        return f"there are no rules of {names}: they are judged, not rewritten" if not self.rewritable else ""

    def judge(self, head: Tree, *, seed: int = 0) -> TheoryChecker:
        if self.pointwise:
            return Pointwise(head, {*self.variables}, self.assumptions, seed=seed)
        return verifier(head, *map(Tree, self.variables), assumptions=self.assumptions, seed=seed)

    def meetings(
        self, start: Tree, target: Tree, rules: Mapping[str, Rule], judge: TheoryChecker
    ) -> Iterator[Lines]:
        assert isinstance(judge, Verifier | Pointwise)
        points = judge.points[..., : judge.inside]
        _, errors = balls(compile_many([target], variables=judge.variables), points)
        common = Signs(points[..., np.isfinite(errors[0])], judge.variables)
        return meetings(start, target, rules, common)

    def signs(self, judge: TheoryChecker) -> Signs:
        assert isinstance(judge, Verifier | Pointwise)
        points = judge.points[..., : judge.inside]
        return Signs(points[..., :: max(1, judge.inside // _POINTS)], judge.variables)

    def forms(self, terms: Subterms, *, direct: bool = False) -> Forms:
        return _Forms(terms, direct)

    def plain(self, egraph: EGraph) -> tuple[EGraph, Ints]:
        return plain(egraph)

    def written(
        self, head: Tree, judge: TheoryChecker, forms: str, longest: int
    ) -> Iterator[tuple[str, Tree]]:
        return classical(head, self.signs(judge), families_of(forms), longest=longest)

    def openings(self, head: Tree) -> Iterable[Tree]:
        return openings(head)

    def read(self, text: str, notation: Notation = "auto", *, head: bool = True) -> Tree:
        return (read_head if head else read_expression)(text, notation, LETTERS)

    def infix(self, tree: Tree) -> str:
        return infix(tree)

    def row(self, tree: Tree) -> dict[str, Any]:
        return expression_row(tree)


class _Forms:
    def __init__(self, terms: Subterms, direct: bool) -> None:
        self.padded = Padding(terms).padded
        self.key = (Ideas if direct else Canonical)(terms).key
