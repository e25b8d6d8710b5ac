"""Single statements of a text that later ones can follow from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from engines.core.tree import Tree
from engines.proofreading.scopes import NOWHERE, Position, Scope
from engines.proofreading.term_properties import free_symbols

_NEAR_LINES = 20
"""Lines: a value of a letter that stands so far before is that of another example or case."""


@dataclass(frozen=True, slots=True)
class Fact:
    """An equation that the text states.

    Attributes:
        is_certain: Whether it holds in every case: it is not one of several alternatives, as in `x = 1 or
            x = 2`.
        position: Where it is stated.
        is_local: Whether it holds in its paragraph only, as a value at which something is examined.
        is_claim: Whether it is what a theorem or exercise claims, which its own proof cannot use.
        alternative: Whether it is one of several values or cases.
        is_supposed: Whether its sentence begins with a condition, as in `if n = 2` or `at the end`.
        piece: The piece of the document in which it stands.
        argument: The chain of implications that it belongs to, -1 for none.
        is_premise: Whether that begins with it.
    """

    left: Tree
    right: Tree
    text: str
    line: int
    number: int
    is_certain: bool = True
    variables: frozenset[str] = frozenset()
    position: Position = NOWHERE
    is_local: bool = False
    is_claim: bool = False
    alternative: bool = False
    is_supposed: bool = False
    piece: int = 0
    argument: int = -1
    is_premise: bool = False

    @property
    def is_value(self) -> bool:
        """Whether it says the value of a variable, as `x = 3`."""
        return not self.left.children and bool(free_symbols(self.left)) and not free_symbols(self.right)

    def is_about_task_of(self, position: Position) -> bool:
        """Return whether it was said in the example or exercise of another place, or in one around that."""
        task = self.position.scope.task
        return task is not None and task.reaches(position.scope)

    def holds_at(self, position: Position) -> bool:
        """Return whether it holds at another place of the text."""
        # A value at which something is looked at holds in its paragraph.
        if self.is_local and self.position.paragraph != position.paragraph:
            return False
        # What is to be proved is no premise of its own proof.
        if self.is_claim and any(scope.kind in ("proof", "solution") for scope in self._between(position)):
            return False
        return self.position.scope.reaches(position.scope)

    def _between(self, position: Position) -> Iterator[Scope]:
        """Return the scopes around a place that are inside the one where it was said."""
        return takewhile(lambda scope: scope is not self.position.scope, position.scope.lineage)


def describe_sources(facts: Sequence[Fact]) -> str:
    """Describe the facts that a verdict uses: `by x = 3 (line 2)`."""
    if not facts:
        return ""
    return f"by {' and '.join(map(cite_fact, facts))}"


def give_several_values(facts: Sequence[Fact]) -> bool:
    """Return whether facts give one letter two values, from which everything follows."""
    values: dict[Tree, Tree] = {}
    return any(values.setdefault(fact.left, fact.right) != fact.right for fact in facts if fact.is_value)


def list_distant_values(facts: Sequence[Fact], position: Position, line: int) -> list[Fact]:
    """List the values of letters that stand far before a line: those at which something else was examined
    say nothing of letters in general."""
    return [
        fact
        for fact in facts
        if fact.is_value and fact.position.paragraph != position.paragraph and line - fact.line > _NEAR_LINES
    ]


def cite_fact(fact: Fact) -> str:
    """Describe a fact with its line: `x = 3 (line 2)`."""
    return f"{' '.join(fact.text.split())} (line {fact.line})"


@dataclass(frozen=True, slots=True)
class Reduced:
    """The two sides of a claim by what was said before, and the facts that were used for it."""

    left: Tree
    right: Tree
    used: tuple[Fact, ...]
    same: bool


def list_once(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """Return facts in their order, each once."""
    return tuple(dict.fromkeys(facts))
