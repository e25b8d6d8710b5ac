"""What a theory gives growth, derivation and verification: its language, rules, facts and judge."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from engines.core.errors import ExpressionError
from engines.core.tree import Tree
from engines.mathematics.verification.verdicts import MemberVerdict

if TYPE_CHECKING:
    from engines.core.arrays import Ints
    from engines.egen.algebra.relations import TermLines
    from engines.egen.egraph.term_grammar import EGraph
    from engines.egen.rules.table import Rule
    from engines.formula.reader import Notation
    from engines.mathematics.algebra.atoms import Signs
    from engines.mathematics.terms.canonical import Subterms


class TheoryChecker(Protocol):
    """Judges terms against one head. `reason` says why nothing can be decided, or is empty."""

    reason: str

    def judge_members(self, members: Sequence[Tree | Sequence[str]]) -> list[MemberVerdict]:
        """Return one verdict per member."""


class Forms(Protocol):
    """What is known of numbered terms."""

    def is_padded(self, number: int) -> bool:
        """Return whether a term is only a shorter one in disguise."""

    def makes_detour(self, number: int) -> bool:
        """Return whether a term goes a way round, which the style `plain` leaves out."""

    def goes_round(self, number: int) -> bool:
        """Return whether a drawn term goes one that only written terms may go, where there are few others."""

    def key_of(self, number: int) -> Hashable:
        """Return the canonical form: equal for terms that count as one member."""


@dataclass(frozen=True, slots=True)
class PlainForms:
    """Terms that count as they are written, in a theory that knows no padding and no detours."""

    terms: Subterms

    def is_padded(self, number: int) -> bool:  # noqa: ARG002
        """Return that no term is padded."""
        return False

    def makes_detour(self, number: int) -> bool:  # noqa: ARG002
        """Return that no term makes a detour."""
        return False

    def goes_round(self, number: int) -> bool:  # noqa: ARG002
        """Return that no term goes round."""
        return False

    def key_of(self, number: int) -> str:
        """Return the term in prefix notation."""
        return " ".join(self.terms.tokens_of(number))


class Theory(ABC):
    """A theory with what is assumed in it."""

    @property
    @abstractmethod
    def kind(self) -> Hashable:
        """Theories of one kind have the same language and rules."""

    @property
    def arity(self) -> Mapping[str, int]:
        """Operands of every operator, function and named constant; other leaves are variables."""
        return {}

    def list_rules(self) -> tuple[Rule, ...]:
        """Return the rules for growth and derivations."""
        return ()

    def analysis_rules(self) -> Iterator[str]:
        """Return the egglog rules of the rulesets `fold` and `facts`."""
        return iter(())

    def iterate_facts(self) -> Iterator[str]:
        """Yield what is assumed, as commands of egglog."""
        return iter(())

    def list_equalities(self) -> Iterable[tuple[Tree, Tree]]:
        """Return what is assumed as pairs of equal terms, where that is possible."""
        return ()

    @abstractmethod
    def make_judge(self, head: Tree, *, seed: int = 0) -> TheoryChecker:
        """Return the judge of terms against a head.

        Raises:
            EngineError: E221 where what is assumed holds nowhere.
        """

    def iterate_meetings(
        self, _start: Tree, _target: Tree, _rules: Mapping[str, Rule], _judge: TheoryChecker
    ) -> Iterator[TermLines]:
        """Yield ways between two terms by named procedures, without the start; most theories have none."""
        return iter(())

    def sample_signs(self, _judge: TheoryChecker) -> Signs | None:
        """Return a few points for the conditions of rules; None where rules have none."""
        return None

    @property
    def unwritten(self) -> str:
        """Why terms can only be judged, neither grown nor derived; empty where they can."""
        return ""

    @abstractmethod
    def make_forms(self, terms: Subterms, *, direct: bool = False) -> Forms:
        """Return what tells sampled terms apart.

        Args:
            direct: Whether the canonical form also sees through detours, where a theory has such a one.
        """

    def remove_detours(self, _egraph: EGraph) -> tuple[EGraph, Ints] | None:
        """Return the e-graph without detours and what its classes are parts of; None where it has none."""
        return None

    def remove_holes(self, egraph: EGraph, _places: Sequence[Mapping[str, float]]) -> EGraph:
        """Return the e-graph without terms that have no value at places where the head has one."""
        return egraph

    def iterate_written_forms(
        self, _head: Tree, _judge: TheoryChecker, _forms: str, _longest: int
    ) -> Iterable[tuple[str, Tree]]:
        """Yield forms of a head that are written down, not sampled, each with the family that makes it.

        Args:
            _forms: `all`, or names of families; if empty, multiplied out and factored.
            _longest: The most tokens of a form.
        """
        return ()

    def iterate_openings(self, _tree: Tree) -> Iterator[list[Tree]]:
        """Yield forms of a term that the rules give few other forms, some at a time."""
        return iter(())

    @abstractmethod
    def read_term(self, text: str, notation: Notation = "auto", *, head: bool = True) -> Tree:
        """Read a term, one that can be a head or not. Raises: ExpressionError."""

    @abstractmethod
    def to_infix(self, tree: Tree) -> str:
        """Return a term in infix notation, or as an s-expression if the theory has no operators."""

    @abstractmethod
    def to_row(self, tree: Tree) -> dict[str, Any]:
        """Return a term in every notation."""


def compare_term(judge: TheoryChecker, term: Tree) -> MemberVerdict:
    """Return the verdict on a term, undecided where it is too much for the judge."""
    try:
        return judge.judge_members([term])[0]
    except ExpressionError:
        return MemberVerdict("undecided", 1.0)


BUILT_IN = ("reals", "logic")
