"""What a theory gives growth, derivation and verification: its language, rules, facts and judge."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, Protocol

from engines.core.errors import ExpressionError
from engines.core.tree import Tree
from engines.core.vocabulary import FURTHER, LETTERS, VARIABLE, variables_of, visible
from engines.egen.records import Verdict
from engines.formula.infix import read_infix
from engines.mathematics.terms.notation import infix

if TYPE_CHECKING:
    from engines.egen.algebra.relations import Lines
    from engines.egen.egraph.grammar import EGraph, Ints
    from engines.egen.rules.table import Rule
    from engines.mathematics.algebra.atoms import Signs
    from engines.mathematics.terms.canonical import Subterms
    from engines.mathematics.terms.notation import Notation


class Judge(Protocol):
    """Judges terms against one head. `reason` says why nothing can be decided, or is empty."""

    reason: str

    def check(self, members: Sequence[Tree | Sequence[str]]) -> list[Verdict]:
        """One verdict per member."""


class Forms(Protocol):
    """What is said of numbered terms."""

    def padded(self, number: int) -> bool:
        """Whether a term is only a shorter one in disguise."""

    def key(self, number: int) -> Hashable:
        """The canonical form: equal for terms that count as one member."""


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

    def rules(self) -> tuple[Rule, ...]:
        """What growth and derivations use."""
        return ()

    def analysis(self) -> Iterator[str]:
        """The egglog rules of the rulesets `fold` and `facts`."""
        return iter(())

    def facts(self) -> Iterator[str]:
        """What is assumed, as egglog commands."""
        return iter(())

    def equalities(self) -> Iterable[tuple[Tree, Tree]]:
        """What is assumed, as pairs of equal terms, where it can be said so."""
        return ()

    @abstractmethod
    def judge(self, head: Tree, *, seed: int = 0) -> Judge:
        """Who judges terms against a head. Raises: EngineError E221 where what is assumed holds nowhere."""

    def meetings(
        self, _start: Tree, _target: Tree, _rules: Mapping[str, Rule], _judge: Judge
    ) -> Iterator[Lines]:
        """Ways between two terms by named procedures, without the start; none in most theories."""
        return iter(())

    def signs(self, _judge: Judge) -> Signs | None:
        """A few points for the conditions of rules; None where rules have none."""
        return None

    @property
    def unwritten(self) -> str:
        """Why terms can be judged only, neither grown nor derived; empty where they can."""
        return ""

    @abstractmethod
    def forms(self, terms: Subterms, *, direct: bool = False) -> Forms:
        """What tells drawn terms apart. Args: direct: whether the canonical form also sees through detours,
        where a theory has such a one."""

    def plain(self, _egraph: EGraph) -> tuple[EGraph, Ints] | None:
        """The e-graph without detours and what its classes are parts of; None where it has none."""
        return None

    def written(self, _head: Tree, _judge: Judge, _forms: str, _longest: int) -> Iterable[tuple[str, Tree]]:
        """Forms of a head that are written and not drawn, each with the family that makes it. Args: forms:
        `all`, or names of families; empty: multiplied out and factored. longest: their tokens at most."""
        return ()

    def openings(self, _head: Tree) -> Iterable[Tree]:
        """Forms of a head that no rule gives another form."""
        return ()

    @abstractmethod
    def read(self, text: str, notation: Notation = "auto", *, head: bool = True) -> Tree:
        """Read a term, one that can be a head or not. Raises: ExpressionError."""

    @abstractmethod
    def infix(self, text: str) -> str:
        """A term in prefix notation as infix."""

    @abstractmethod
    def row(self, tree: Tree) -> dict[str, Any]:
        """A term in every notation."""


# What is known of real variables: `x > 0, n integer, a != 0, -1 < x < 1`.
#
# An assumption compares two expressions, or says of variables that they are integers. It is used twice: as a
# fact from which conditions of rules are derived, and as the region from which points are drawn.

Sign = Literal["<", "<=", "!="]

_SIGNS = re.compile(r"(<=|>=|!=|<|>)")
_SPELLINGS = {"≤": "<=", "≥": ">=", "≠": "!=", r"\leq": "<=", r"\geq": ">=", r"\neq": "!=", "∈": " in "}
_WORDS = re.compile(
    r"([^\W\d]\w*'*(?:\s+[^\W\d]\w*'*)*?)\s+(?:is\s+|are\s+|in\s+)?(integers?|positive|negative|nonzero|Z|ℤ)\Z"
)
_REMEDY = "Write assumptions like: x > 0, n integer, a != 0, -1 < x < 1."


@dataclass(frozen=True, slots=True)
class Relation:
    """`left` is less than `right`, at most `right`, or another value."""

    left: Tree
    sign: Sign
    right: Tree

    def __str__(self) -> str:
        return f"{infix(self.left)} {self.sign} {infix(self.right)}"


@dataclass(frozen=True, slots=True)
class Assumptions:
    """All that is assumed; `str` gives it as text that is read back to the same."""

    integers: tuple[str, ...] = ()
    relations: tuple[Relation, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.integers or self.relations)

    def __str__(self) -> str:
        return ", ".join([*(f"{name} integer" for name in self.integers), *map(str, self.relations)])

    @property
    def variables(self) -> set[str]:
        sides = [side for one in self.relations for side in (one.left, one.right)]
        return {*self.integers, *variables_of(*sides)}


NOTHING = Assumptions()
_PLACES = {name: place for place, name in enumerate(VARIABLE + LETTERS)}


def read_assumptions(text: str) -> Assumptions:
    """Read assumptions, with commas or `and` between them.

    Raises: ExpressionError that names the one that cannot be read.

    >>> str(read_assumptions("-1 < x <= 2, n integer and a ≠ 0"))
    'n integer, -1 < x, x <= 2, a != 0'
    """
    for spelling, sign in _SPELLINGS.items():
        text = text.replace(spelling, sign)
    integers: dict[str, None] = {}
    relations: dict[Relation, None] = {}
    for part in re.split(r",|\band\b", text):
        if not part.strip():
            continue
        worded = _WORDS.match(part.strip())
        if worded is None:
            relations.update(dict.fromkeys(_chain(part.strip())))
            continue
        for word in worded[1].split():
            (leaf,) = _sides(word, [word])
            if leaf.children:
                raise ExpressionError(f"{word!r} is not a variable", text=visible(part), remedy=_REMEDY)
            name = leaf.label
            if worded[2] == "positive":
                relations[Relation(Tree("0"), "<", leaf)] = None
            elif worded[2] == "negative":
                relations[Relation(leaf, "<", Tree("0"))] = None
            elif worded[2] == "nonzero":
                relations[Relation(leaf, "!=", Tree("0"))] = None
            else:
                integers[name] = None
    return Assumptions(tuple(sorted(integers)), tuple(relations))


def _chain(part: str) -> list[Relation]:
    pieces = _SIGNS.split(part)
    if len(pieces) < 3:
        raise ExpressionError("an assumption compares nothing", text=visible(part), remedy=_REMEDY)
    sides = _sides(part, pieces[::2])
    result: list[Relation] = []
    for (left, right), sign in zip(pairwise(sides), pieces[1::2], strict=True):
        if sign in (">", ">="):
            left, right = right, left
        known: Sign = "!=" if sign == "!=" else "<=" if "=" in sign else "<"
        if not variables_of(left, right):
            raise ExpressionError("an assumption holds no variable", text=visible(part), remedy=_REMEDY)
        result.append(Relation(left, known, right))
    return result


def _sides(part: str, texts: list[str]) -> list[Tree]:
    try:
        return [read_infix(text.strip(), LETTERS) for text in texts]
    except ExpressionError as error:
        raise ExpressionError(
            f"an assumption cannot be read: {error.what}", text=visible(part), remedy=_REMEDY
        ) from None


def ordered(names: set[str]) -> tuple[str, ...]:
    """Variables in the order in which points have them: x, which is always there, then the others."""
    return tuple(sorted(names | {VARIABLE}, key=lambda name: (_PLACES.get(name, len(_PLACES)), name)))


def compared(judge: Judge, term: Tree) -> Verdict:
    """The verdict on a term, undecided where it is too much for the judge."""
    try:
        return judge.check([term])[0]
    except ExpressionError:
        return Verdict("undecided", 1.0)


BUILT_IN = ("reals", "logic")


def theory_text(name: str) -> str:
    """What a configuration records of a theory: `reals`, `logic`, or all that its file says, checked.

    Args: name: as `theories.own.theory_file` takes it, or such a text already. Raises: as `read_theory`.
    """
    if name in BUILT_IN or name.startswith("{"):
        return name
    from engines.egen.theories.own import read_theory, theory_file

    return read_theory(theory_file(name))


def theory_of(name: str, assume: str, *trees: Tree, own: str = "") -> Theory:
    """The theory of this name for expressions, with assumptions in its own language.

    Args: name: as `theory_text` takes it. own: further rules, as `rules.own.checked_rules` gives
    them. Raises: ExpressionError for assumptions that cannot be read.
    """
    if name == "terms":
        from engines.egen.theories.terms import Terms

        return Terms()
    if name not in BUILT_IN:
        from engines.egen.theories.own import Own

        if assume:
            raise ExpressionError("a theory of one's own takes no assumptions", remedy="Leave out --assume.")
        return Own(theory_text(name))
    if name == "logic":
        from engines.egen.theories.logic import Logic, premises

        return Logic(premises(assume), Logic.variables(*trees))
    from engines.egen.theories.reals import Reals
    from engines.egen.verification.rigorous import too_large

    assumptions = read_assumptions(assume)
    rewritable = not any(node.label in FURTHER for tree in trees for node in tree)
    pointwise = not rewritable or any(map(too_large, trees))
    names = variables_of(*trees) | assumptions.variables
    known = tuple(name for name in ordered(names) if name in names)
    return Reals(assumptions, known, pointwise, rewritable, own)
