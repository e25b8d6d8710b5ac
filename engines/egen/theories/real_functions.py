"""Real functions of x, or of several variables under assumptions."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

from engines.core.expression_language import ARITY, FURTHER, LETTERS, VARIABLE
from engines.core.tree import Tree
from engines.egen.egraph.analysis import SEVERAL, assumed_facts, iterate_analysis_rules
from engines.egen.rules.table import ASSUMED, Rule, load_rules, own_rules
from engines.egen.settings import families_of
from engines.egen.theories.theory import Forms, Theory, TheoryChecker
from engines.formula.reader import read_expression
from engines.mathematics.assumptions import NO_ASSUMPTIONS, Assumptions
from engines.mathematics.terms.notation import expression_row, read_head, to_infix

if TYPE_CHECKING:
    from engines.core.arrays import Ints
    from engines.egen.algebra.relations import TermLines
    from engines.egen.egraph.term_grammar import EGraph
    from engines.formula.reader import Notation
    from engines.mathematics.algebra.atoms import Signs
    from engines.mathematics.terms.canonical import Subterms

# What reads and shows expressions loads nothing that is compiled; what grows, judges and draws them does.


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
        """Whether there are assumptions or other variables than x."""
        return bool(self.assumptions) or not {*self.variables} <= {VARIABLE}

    @property
    def kind(self) -> Hashable:
        """The key of the theory, for caches."""
        return "reals", self.extended, self.own

    @property
    def arity(self) -> Mapping[str, int]:
        """The number of operands of each operator."""
        return SEVERAL if self.extended else ARITY

    def list_rules(self) -> tuple[Rule, ...]:
        """Return the rewrite rules."""
        return load_rules() + (load_rules(ASSUMED) if self.extended else ()) + own_rules(self.own)

    def analysis_rules(self) -> Iterator[str]:
        """Yield the rules of the e-graph's analysis."""
        return iterate_analysis_rules(several=self.extended)

    def iterate_facts(self) -> Iterator[str]:
        """Yield the assumptions as commands of egglog."""
        return assumed_facts(self.assumptions, self.variables) if self.extended else iter(())

    @property
    def unwritten(self) -> str:
        """Why terms can only be judged, or an empty text."""
        names = ", ".join(FURTHER)
        return f"there are no rules of {names}: they are judged, not rewritten" if not self.rewritable else ""

    def make_judge(self, head: Tree, *, seed: int = 0) -> TheoryChecker:
        """Return the judge of members of a head: the rigorous one if terms are judged point by point only."""
        from engines.mathematics.verification.ball_verifier import BallVerifier
        from engines.mathematics.verification.verifier import make_verifier

        if self.pointwise:
            return BallVerifier(head, {*self.variables}, self.assumptions, seed=seed)
        return make_verifier(head, *map(Tree, self.variables), assumptions=self.assumptions, seed=seed)

    def iterate_meetings(
        self, start: Tree, target: Tree, rules: Mapping[str, Rule], judge: TheoryChecker
    ) -> Iterator[TermLines]:
        from engines.egen.algebra.relations import iterate_meetings
        from engines.mathematics.algebra.atoms import Signs
        from engines.mathematics.numbers.numeric import compile_many, evaluate_balls
        from engines.mathematics.verification.ball_verifier import BallVerifier
        from engines.mathematics.verification.verifier import Verifier

        assert isinstance(judge, Verifier | BallVerifier)
        points = judge.points[..., : judge.head_domain_count]
        _, errors = evaluate_balls(compile_many([target], variables=judge.variables), points)
        common = Signs(points[..., errors[0] < inf], judge.variables)
        return iterate_meetings(start, target, rules, common)

    def sample_signs(self, judge: TheoryChecker) -> Signs:
        from engines.mathematics.algebra.atoms import Signs
        from engines.mathematics.verification.ball_verifier import BallVerifier
        from engines.mathematics.verification.verifier import Verifier

        assert isinstance(judge, Verifier | BallVerifier)
        points = judge.points[..., : judge.head_domain_count]
        return Signs(points[..., :: max(1, judge.head_domain_count // _POINTS)], judge.variables)

    def make_forms(self, terms: Subterms, *, direct: bool = False) -> Forms:
        """Return what tells sampled terms apart."""
        return _Forms(terms, direct)

    def remove_detours(self, egraph: EGraph) -> tuple[EGraph, Ints]:
        from engines.egen.egraph.detour_free_egraph import remove_detours

        return remove_detours(egraph)

    def remove_holes(self, egraph: EGraph, places: Sequence[Mapping[str, float]]) -> EGraph:
        from engines.egen.egraph.holes import remove_holes

        names = {*self.variables, VARIABLE}
        return remove_holes(egraph, {name: [point.get(name, 0.0) for point in places] for name in names})

    def iterate_written_forms(
        self, head: Tree, judge: TheoryChecker, forms: str, longest: int
    ) -> Iterator[tuple[str, Tree]]:
        from engines.egen.algebra.classical import iterate_classical_forms

        return iterate_classical_forms(head, self.sample_signs(judge), families_of(forms), longest=longest)

    def iterate_openings(self, tree: Tree) -> Iterator[list[Tree]]:
        from engines.egen.algebra.classical import iterate_openings

        return iterate_openings(tree)

    def read_term(self, text: str, notation: Notation = "auto", *, head: bool = True) -> Tree:
        """Read an expression."""
        return (read_head if head else read_expression)(text, notation, LETTERS)

    def to_infix(self, tree: Tree) -> str:
        """Return an expression in infix notation."""
        return to_infix(tree)

    def to_row(self, tree: Tree) -> dict[str, Any]:
        """Return an expression in all notations, as a row of JSON."""
        return expression_row(tree)


class _Forms:
    def __init__(self, terms: Subterms, direct: bool) -> None:
        from engines.mathematics.terms.arithmetic_normal_form import ArithmeticKeys
        from engines.mathematics.terms.canonical import Canonical
        from engines.mathematics.terms.padding import Padding
        from engines.mathematics.terms.syntactic_detours import SyntacticDetours
        from engines.mathematics.terms.value_detours import ValueDetours

        self.is_padded = Padding(terms).is_padded
        self.makes_detour = SyntacticDetours(terms).makes_detour
        self.goes_round = ValueDetours(terms).goes_round
        self.key_of = (ArithmeticKeys if direct else Canonical)(terms).key_of
