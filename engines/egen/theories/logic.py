"""Propositional logic: formulas are equal when they have the same truth table wherever the premises hold.

A column of a truth table is one integer, a bit for each row.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from engines.core.errors import EngineError, ExpressionError
from engines.core.system import asset
from engines.core.tree import Tree
from engines.egen.egraph.analysis import term_text
from engines.egen.rules.table import Rule, parse_families
from engines.egen.theories.judges import OwnJudge
from engines.egen.theories.theory import Forms, PlainForms, Theory
from engines.formula.sign_languages import TheorySign, TheorySigns, ac_key, iterate_names
from engines.mathematics.verification.verdicts import Counterexample, MemberVerdict

if TYPE_CHECKING:
    from engines.formula.reader import Notation
    from engines.mathematics.terms.canonical import Subterms


TABLE = "rules/logic.toml"
# A truth table of n variables has 2^n rows.
_MOST_VARIABLES = 12
_two, _leaf = partial(TheorySign, "infix", arity=2), partial(TheorySign, "constant", arity=0)
LOGIC = TheorySigns(
    {
        "and": _two("&", binds=5, unicode="∧", latex=r"\land", also=("&&", r"\wedge")),
        "or": _two("|", binds=3, unicode="∨", latex=r"\lor", also=("||", r"\vee")),
        "xor": _two("^", binds=4, unicode="⊕", latex=r"\oplus"),
        "implies": _two(
            "->", binds=2, right=True, unicode="→", latex=r"\to", also=("=>", r"\rightarrow", r"\implies")
        ),
        "iff": _two("<->", binds=1, unicode="↔", latex=r"\leftrightarrow", also=("<=>", r"\iff")),
        "not": TheorySign("prefix", "~", 1, 6, unicode="¬", latex=r"\lnot", also=("!", r"\neg")),
        "true": _leaf("true", unicode="⊤", latex=r"\top"),
        "false": _leaf("false", unicode="⊥", latex=r"\bot"),
    },
    "propositional logic",
    letters="a-ce-z",
    remedy="Write formulas like: (p & q) | ~r -> s, with small letters, true and false.",
)
_COMMUTING = ("and", "or", "xor", "iff")
_ASSOCIATING = ("and", "or", "xor")
_TABLES: Mapping[str, Callable[..., int]] = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "implies": lambda a, b: ~a | b,
    "iff": lambda a, b: ~(a ^ b),
    "not": lambda a: ~a,
}


def read_premises(text: str) -> tuple[Tree, ...]:
    """Return formulas with commas between them. Raises: ExpressionError."""
    return tuple(LOGIC.read_term(part) for part in text.split(",") if part.strip())


@cache
def _logic_rules() -> tuple[Rule, ...]:
    families = parse_families(asset(TABLE).read_text(encoding="utf-8"), TABLE, LOGIC.arity)
    return tuple(rule for family in families for rule in family.rules)


@dataclass(frozen=True, slots=True)
class Logic(Theory):
    """Formulas under premises, over at least these variables."""

    premises: tuple[Tree, ...] = ()
    names: tuple[str, ...] = ()

    @staticmethod
    def list_variables(*formulas: Tree) -> tuple[str, ...]:
        """Return the variables of formulas in alphabetical order."""
        return tuple(sorted({name for tree in formulas for name in iterate_names(tree, LOGIC)}))

    @property
    def kind(self) -> Hashable:
        """The key of the theory, for caches."""
        return "logic"

    @property
    def arity(self) -> Mapping[str, int]:
        """The number of operands of each connective."""
        return LOGIC.arity

    def list_rules(self) -> tuple[Rule, ...]:
        """Return the rewrite rules."""
        return _logic_rules()

    def analysis_rules(self) -> Iterator[str]:
        """Yield what follows where a formula is true or false, and the alarm where one is both."""
        for query, conclusion in (
            ("(= (True) (False))", "(Clash)"),
            ("(= (True) (And a b))", "(union a (True)) (union b (True))"),
            ("(= (False) (Or a b))", "(union a (False)) (union b (False))"),
            ("(= (True) (Not a))", "(union a (False))"),
            ("(= (False) (Not a))", "(union a (True))"),
            ("(= (True) (Iff a b))", "(union a b)"),
            ("(= (False) (Xor a b))", "(union a b)"),
            ("(= (True) (Implies (True) b))", "(union b (True))"),
        ):
            yield f"(rule ({query}) ({conclusion}) :ruleset fold)"

    def iterate_facts(self) -> Iterator[str]:
        """Yield the premises as commands of egglog."""
        for left, right in self.list_equalities():
            yield f"(union {term_text(left, LOGIC.table)} {term_text(right, LOGIC.table)})"

    def list_equalities(self) -> Iterable[tuple[Tree, Tree]]:
        """Yield the equalities that the premises give.

        Premises are true; from p -> q it follows that p & q is p, and p | q is q.
        """
        for formula in self.premises:
            yield formula, Tree("true")
            if formula.label == "implies":
                first, second = formula.children
                yield Tree("and", (first, second)), first
                yield Tree("or", (first, second)), second

    def make_judge(self, head: Tree, *, seed: int = 0) -> TruthTable:
        """Return the judge of formulas against a head."""
        del seed  # every row is looked at
        return TruthTable(head, self.premises, self.names)

    def make_forms(self, terms: Subterms, *, direct: bool = False) -> Forms:
        """Return what tells sampled formulas apart."""
        del direct  # no connective undoes another
        return _Forms(terms)

    def read_term(self, text: str, notation: Notation = "auto", *, head: bool = True) -> Tree:
        """Read a formula."""
        del head  # every formula can be one
        return LOGIC.read_term(text, notation)

    def to_infix(self, tree: Tree) -> str:
        """Return a formula in infix notation."""
        return LOGIC.write_tree(tree)

    def to_row(self, tree: Tree) -> dict[str, Any]:
        """Return a formula in all notations, as a row of JSON."""
        return LOGIC.to_row(tree)


@dataclass(frozen=True, slots=True)
class _Forms(PlainForms):
    def is_padded(self, number: int) -> bool:
        term = self.terms.tokens_of(number)
        return ("not", "not") in pairwise(term) or (len(term) > 1 and not {"true", "false"}.isdisjoint(term))

    def key_of(self, number: int) -> str:
        return ac_key(LOGIC.from_prefix(self.terms.tokens_of(number)), _COMMUTING, _ASSOCIATING)


class TruthTable(OwnJudge):
    """Judges formulas against one head, row by row; the points of a verdict are rows where the premises hold.

    Raises:
        EngineError: E221 when the premises contradict each other.
        ExpressionError: For too many variables.
    """

    def __init__(self, head: Tree, premises: Sequence[Tree] = (), names: Iterable[str] = ()) -> None:
        super().__init__(head, LOGIC)
        self.names = tuple(sorted({*Logic.list_variables(head, *premises), *names}))
        if len(self.names) > _MOST_VARIABLES:
            raise ExpressionError(
                f"the formulas have {len(self.names)} variables; at most {_MOST_VARIABLES} are tabulated"
            )
        # A column of the truth table is one big integer with a bit for each row.
        self._rows = 1 << len(self.names)
        self._all = (1 << self._rows) - 1
        # Row r assigns to variable i the bit i of r.
        self._columns = {
            name: sum(1 << row for row in range(self._rows) if row >> index & 1)
            for index, name in enumerate(self.names)
        }
        self._looked_at = self._all
        for formula in premises:
            self._looked_at &= self.evaluate_column(formula)
        if not self._looked_at:
            raise EngineError("the assumptions contradict each other", code="E221", remedy="Leave one out.")
        self._head = self.evaluate_column(head)

    def evaluate_column(self, formula: Tree) -> int:
        """Return the column of a formula's truth table as one integer, a bit for each row."""
        stack: list[int] = []
        for node in reversed(list(formula)):
            if node.children:
                result = _TABLES[node.label](*(stack.pop() for _ in node.children)) & self._all
            elif node.label in ("true", "false"):
                result = self._all * (node.label == "true")
            else:
                result = self._columns[node.label]
            stack.append(result)
        return stack[0]

    def judge_member(self, member: Tree) -> MemberVerdict:
        """Judge a formula by its truth table, where the premises hold."""
        points = self._looked_at.bit_count()
        apart = (self.evaluate_column(member) ^ self._head) & self._looked_at
        if not apart:
            return MemberVerdict("equal", 1.0, point_count=points)
        row = (apart & -apart).bit_length() - 1
        at = tuple((name, float(row >> index & 1)) for index, name in enumerate(self.names))
        head = float(self._head >> row & 1)
        first = at[0][1] if at else 0.0
        example = Counterexample(first, head, 1 - head, 1 - 2 * head, at)
        return MemberVerdict("different", 1.0, point_count=points, counterexample=example)
