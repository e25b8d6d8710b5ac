"""Who judges whether two mathematical texts say the same: a protocol, lent to those that ask."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from engines.core.tree import Tree

Verdict = Literal["equal", "equal if", "different", "undecided"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is known of a claim.

    Attributes: condition: where the verdict is "equal if", what has to hold, as `n > 0`; witness: where it is
    "different", a point with both values, as `x = 2: 4 and 8`, and where it is "equal if", such a point if
    there is one: without a witness both are equal wherever both are defined; reason: why it is undecided, or
    what was settled on the way.
    """

    verdict: Verdict
    condition: str = ""
    witness: str = ""
    reason: str = ""


class Judge(Protocol):
    """Judges terms of the language of `engines.formula.meaning`.

    Neither method raises for what it cannot judge: that is undecided, with its reason.
    """

    def equal(self, left: Tree, right: Tree, assume: Sequence[Tree] = ()) -> Judgement:
        """Whether two terms are equal wherever both are defined and the statements assumed hold."""

    def holds(self, statement: Tree, assume: Sequence[Tree] = ()) -> Judgement:
        """Whether a relation, or several joined by `and`, holds: "equal" stands for yes."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Keys that equal terms share, so that what may be equal to a term is looked up.

    Attributes: whole: of the term as it stands; renamed: whatever its variables are called; parts: of each
    part that is worth looking for, with its place (child positions from the root).
    """

    whole: tuple[int, ...] = ()
    renamed: tuple[int, ...] = ()
    parts: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = ()


class Fingerprints(Protocol):
    """Makes fingerprints of terms and statements; those of different versions have nothing in common."""

    version: int

    def of(self, tree: Tree) -> Fingerprint:
        """The fingerprint; without keys where the tree has no values that are known."""

    def renamings(self, one: Tree, other: Tree) -> Iterator[tuple[Mapping[str, str], Tree]]:
        """The ways to rename the variables of one term after which it may be equal to another: each name with
        its new one, and the term with the new names."""


@dataclass(frozen=True, slots=True)
class CheckedLink:
    """A relation that a text states between two formulas, with its verdict: right, right if, follows, given,
    loses domain, wrong, not shown or unread, and why."""

    left: str
    relation: str
    right: str
    verdict: str
    reason: str = ""


class Proofreader(Protocol):
    """Finds the mistakes in texts."""

    def links(self, text: str, said: str = "") -> Sequence[CheckedLink]:
        """The links of a text, checked in their order. Args: said: a text whose statements hold, as that of
        the question which the text answers."""
