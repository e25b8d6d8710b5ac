"""Judge two terms by their kind (numbers, matrices, sets …), with closed forms and calls taken out first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import RLock

from engines.core.errors import EngineError
from engines.core.expression_language import BINDERS
from engines.core.tree import (
    MAX_DEPTH,
    MAX_NODES,
    Tree,
)
from engines.mathematics.algebra.rational import TooLargeError, expand_tree
from engines.mathematics.judging import complexes, numbers, real_terms, shapes, statement_judge
from engines.mathematics.judging.closed_forms import differentiate_antiderivatives, find_closed_forms
from engines.mathematics.judging.names import (
    BOUND,
    COMPLEX,
    EQUAL,
    REAL,
    replace_variable,
    undecided_verdict,
)
from engines.mathematics.judging.propositions import compare_unknown_sets
from engines.mathematics.judging.stated_assumptions import Known, describe_statement, read_assumptions
from engines.mathematics.judging.verdicts import Verdict
from engines.mathematics.terms.notation import to_infix
from engines.mathematics.verification.work_limit import WorkLimitError

_LOCK = RLock()
"""The precision of Arb is one for the whole process: threads judge one after the other."""
# A term with n signs ± has 2^n readings.
_MOST_SIGNS = 4


class TermJudge:
    """A `Judge` of all kinds of terms. Args: seed: of the points that are tried."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def equal(self, left: Tree, right: Tree, assume: Sequence[Tree] = ()) -> Verdict:
        """Judge whether two terms are equal; never raises."""
        if left == right:
            return EQUAL
        if not assume or not left.children or not right.children:
            first, second = numbers.exact_value(left), numbers.exact_value(right)
            if first is not None and second is not None:
                return EQUAL if first == second else Verdict("different", witness=f"{first} and {second}")
        return self._judge_safely(lambda: self.compare_terms(left, right, assume))

    def holds(self, statement: Tree, assume: Sequence[Tree] = ()) -> Verdict:
        """Judge whether a statement holds; never raises."""
        return self._judge_safely(lambda: statement_judge.judge_statement(self, statement, assume))

    def _judge_safely(self, judged: Callable[[], Verdict]) -> Verdict:
        with _LOCK:
            try:
                return judged()
            except EngineError as error:
                return undecided_verdict(error.what)
            except (RecursionError, OverflowError, MemoryError, TooLargeError, WorkLimitError):
                return undecided_verdict("the terms are too large")
            except (ArithmeticError, LookupError, ValueError) as error:
                return undecided_verdict(f"it is not worked out: {error}")

    def compare_terms(self, left: Tree, right: Tree, assume: Sequence[Tree] = ()) -> Verdict:
        """Judge whether two terms are equal as `equal` does, but raise EngineError for what cannot be
        judged.
        """
        if left == right:
            return EQUAL
        if max(len(left), len(right)) > MAX_NODES or max(left.depth, right.depth) > MAX_DEPTH:
            return undecided_verdict("the terms are too large")
        known = read_assumptions(assume)
        # What is given as x = 2 is put in before anything else, so that every kind of term below profits.
        left, right = map(known.substitute_given, shapes.evaluate_matrices(left, right))
        if left == right:
            return EQUAL
        if statement_judge.can_be_judged(left) or statement_judge.can_be_judged(right):
            left, right = (statement_judge.expand_plus_minus(side) for side in (left, right))
            return statement_judge.judge_equivalence(self, left, right, assume)
        # ± stands for two terms; it has to be resolved before the shapes of values are compared.
        if "pm" in {*left.list_labels(), *right.list_labels()}:
            return self._both_signs(left, right, assume)
        if (by_members := compare_unknown_sets(left, right)) is not None:
            return by_members
        if (shapes.shape_of(left), shapes.shape_of(right)) != ("scalar", "scalar"):
            return shapes.judge_shapes(self, left, right, assume)
        return self.judge_scalars(left, right, known)

    def _both_signs(self, left: Tree, right: Tree, assume: Sequence[Tree]) -> Verdict:
        # Texts use ± in two ways: all upper signs together, or each sign on its own. Both are judged, and
        # only a verdict that is the same for both is given.
        sets = [
            [shapes.of_signs(side, together=together) for side in (left, right)] for together in (True, False)
        ]
        if any(len(side.children) > 2**_MOST_SIGNS for side in sets[1]):
            return undecided_verdict("there are too many signs ±")
        first = self.compare_terms(sets[0][0], sets[0][1], assume)
        if sets[0] == sets[1] or first.outcome == "undecided":
            return first
        second = self.compare_terms(sets[1][0], sets[1][1], assume)
        if first.outcome == second.outcome:
            return first
        return undecided_verdict("it depends on whether all signs ± are the same")

    def judge_scalars(self, left: Tree, right: Tree, known: Known) -> Verdict:
        """Judge scalars: quantities with units, antiderivatives, complex terms or real terms."""
        labels = {*left.list_labels(), *right.list_labels()}
        if "unit" in labels:
            return shapes.with_units(self, left, right, known)
        if "antiderivative" in labels:
            return self._judge_antiderivatives(left, right, known)
        # Calls of unknown functions are replaced by names, so that the rest can be judged without them.
        calls = Calls(self, known)
        sides = [calls.replace_calls(find_closed_forms(side)) for side in (left, right)]
        if sides[0] == sides[1]:
            return EQUAL
        # Asked again, since calls and closed forms have taken labels away.
        labels = {*sides[0].list_labels(), *sides[1].list_labels()}
        for node in (node for side in sides for node in side):
            if node.children and node.label not in REAL and node.label not in COMPLEX:
                return undecided_verdict(f"{node.label} is not judged")
        if "inf" in labels:
            if all(numbers.infinite_sign(side) or numbers.is_number(side) for side in sides):
                return real_terms.judge_numbers(*sides)
            return undecided_verdict("infinity is no number")
        # Complex terms are compared without domains, so only those that need it are judged as complex.
        is_real = labels.isdisjoint((*COMPLEX, *known.complex_names))
        judge_terms = real_terms.judge_real_terms if is_real else complexes.judge_complex_terms
        result = judge_terms(sides[0], sides[1], known, seed=self.seed)
        return calls.restore_calls(result)

    def _judge_antiderivatives(self, left: Tree, right: Tree, known: Known) -> Verdict:
        nodes = [node for side in (left, right) for node in side if node.label == "antiderivative"]
        name = nodes[0].children[0].label
        # Antiderivatives are equal up to a constant exactly if their derivatives are equal.
        sides = [differentiate_antiderivatives(side, name) for side in (left, right)]
        if sides[0] is None or sides[1] is None:
            return undecided_verdict("antiderivatives are judged only as terms of a sum")
        result = self.judge_scalars(sides[0], sides[1], known)
        notes = (result.reason, "up to a constant" if result.outcome in ("equal", "equal if") else "")
        return replace(result, reason="; ".join(filter(None, notes)))


# ---- functions of which nothing is known: equal arguments give equal values

_WORDS = {"sum": "sum", "prod": "product", "integral": "integral"}


class Calls:
    """Takes calls out of terms, with a variable in the place of each that may have another value.

    What is not worked out (limits, infinite sums, derivatives of unknown functions) is taken out in the same
    way, where it is written alike.
    """

    def __init__(self, judge: TermJudge, known: Known) -> None:
        self._judge = judge
        self._known = known
        self._variables: list[tuple[Tree, str]] = []
        self._names: dict[Tree, Tree] = {}
        self._opaque = ""

    def replace_calls(self, tree: Tree) -> Tree:
        """Return a tree with names in the place of calls of unknown functions."""
        if not tree.children:
            return tree
        if tree in self._names:
            return self._names[tree]
        if tree.label in BOUND:
            reason = _not_worked_out(tree)
            # Two limits that are written alike are equal, whatever they are; of different ones nothing is
            # known.
            if reason:
                self._opaque = self._opaque or reason
                return self._variable_for(_alike_named(tree), alike=False)
        parts = tuple(self.replace_calls(child) for child in tree.children)
        if tree.label != "call":
            return Tree(tree.label, parts)
        return self._variable_for(Tree("call", (tree.children[0], *parts[1:])), alike=True, said=tree)

    def _variable_for(self, term: Tree, *, alike: bool, said: Tree | None = None) -> Tree:
        for known_call, name in self._variables:
            # f(x + x) and f(2x) are one value, so arguments are compared as terms and not as texts.
            if known_call == term or (alike and self._are_same(known_call, term)):
                return Tree(name)
        name = f"call_{len(self._variables)}"
        self._variables.append((term, name))
        self._names[said or term] = Tree(name)
        return Tree(name)

    def _are_same(self, first: Tree, second: Tree) -> bool:
        if first.label != second.label or len(first.children) != len(second.children):
            return False
        if first.children[0] != second.children[0]:
            return False
        pairs = zip(first.children[1:], second.children[1:], strict=True)
        return all(
            self._judge.judge_scalars(left, right, self._known).outcome == "equal" for left, right in pairs
        )

    def restore_calls(self, verdict: Verdict) -> Verdict:
        """Return the verdict on terms with calls, from that on the terms with variables for the calls."""
        if not self._variables:
            return verdict
        if verdict.outcome in ("different", "equal if"):
            if self._opaque:
                return undecided_verdict(self._opaque)
            # A condition on f(x) or a point with a value for it says nothing about the f of the text.
            if verdict.outcome == "equal if" and (verdict.witness or "call_" in verdict.condition):
                return undecided_verdict("it depends on functions of which nothing is known")
            # f(x) and f(y) were independent variables to the judge, but at x = y they are the same value: the
            # difference is certain only if the arguments never meet.
            if verdict.outcome == "different" and not self._are_arguments_distinct():
                return undecided_verdict("it depends on functions of which nothing is known")
        witness = verdict.witness
        for term, name in reversed(self._variables):
            witness = witness.replace(
                name, describe_statement(term) if term.label != "call" else _format_call(term)
            )
        return replace(verdict, witness=witness)

    def _are_arguments_distinct(self) -> bool:
        """Return whether the calls of each function certainly have other arguments at almost all points, so
        that some function has any values there.
        """
        for index, (call, _) in enumerate(self._variables):
            for earlier_call, _ in self._variables[:index]:
                if call.children[0] != earlier_call.children[0] or len(call.children) != len(
                    earlier_call.children
                ):
                    continue
                pairs = zip(call.children[1:], earlier_call.children[1:], strict=True)
                if not any(_always_apart(left, right) for left, right in pairs):
                    return False
        return True


def _always_apart(left: Tree, right: Tree) -> bool:
    """Return whether two arguments differ by a number that is not 0 whatever variables are."""
    try:
        difference = numbers.exact_value(expand_tree(Tree("-", (left, right))))
    except TooLargeError:
        return False
    return bool(difference)


def _format_call(term: Tree) -> str:
    name, *arguments = term.children
    return f"{name.label}({', '.join(map(to_infix, arguments))})"


def _alike_named(tree: Tree, depth: int = 0) -> Tree:
    """With the same names of bound variables wherever they are bound at the same depth."""
    if not tree.children:
        return tree
    if tree.label in BOUND and tree.label not in ("d", "antiderivative"):
        name, *ends, body = tree.children
        # Numbered by depth, a sum over k and the same sum over j are the same text.
        new = Tree(f"bound_{depth}")
        inner = _alike_named(replace_variable(body, name.label, new), depth + 1)
        return Tree(tree.label, (new, *(_alike_named(end, depth) for end in ends), inner))
    return Tree(tree.label, tuple(_alike_named(child, depth) for child in tree.children))


def _not_worked_out(tree: Tree) -> str:
    if tree.label == "limit":
        return "the limit is not worked out"
    if tree.label == "antiderivative":
        return "antiderivatives are judged only as terms of a sum"
    if any(node.label in ("call", "limit") for node in tree):
        return f"{tree.label} of an unknown function is not worked out"
    if tree.label in BINDERS and any(node.label == "inf" for end in tree.children[1:3] for node in end):
        return f"the {_WORDS[tree.label]} to infinity is not worked out"
    return ""
