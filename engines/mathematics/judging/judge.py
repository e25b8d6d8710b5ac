"""Who judges whether two mathematical texts say the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from engines.core.tree import Tree
from engines.mathematics.judging.verdicts import Verdict


class Judge(Protocol):
    """Judges terms of the language of `engines.formula.meaning`.

    Neither method raises for what it cannot judge: that is undecided, with its reason.
    """

    def equal(self, left: Tree, right: Tree, assume: Sequence[Tree] = ()) -> Verdict:
        """Judge whether two terms are equal wherever both are defined and the assumed statements hold."""

    def holds(self, statement: Tree, assume: Sequence[Tree] = ()) -> Verdict:
        """Judge whether a relation, or several joined by `and`, holds wherever it is defined.

        Returns:
            A verdict in the words for two terms: `equal` if the statement holds, `different` if it fails at
            the witness, `equal if` if it holds under the condition.
        """


def judge(seed: int = 0) -> Judge:
    """Return a judge that gives the same terms the same verdict for a seed; threads may share it."""
    from engines.mathematics.judging.terms import TermJudge

    return TermJudge(seed)
