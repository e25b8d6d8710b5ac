"""Whether two forms of answers say the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

from engines.core.expression_language import TRIGONOMETRIC, is_constant_token
from engines.core.tree import ZERO, Tree
from engines.formula.statement_view import Statement
from engines.grading.compare_statements import compare_statements
from engines.grading.compare_terms import ExactComparison
from engines.grading.compare_units import Units
from engines.grading.constants import VARIABLES, compare_solutions
from engines.grading.declared_letters import compare_declared
from engines.grading.families import (
    Family,
    compare_families,
    compare_periodic,
    read_family,
)
from engines.grading.forms import (
    REALS,
    Form,
    IntervalForm,
    Many,
    Matrix,
    Named,
    RelationForm,
    Repeated,
    SetForm,
    SetOfSets,
    UnreadForm,
    Without,
    WordsForm,
)
from engines.grading.forms_beside_others import (
    expand_signs,
    list_assignments,
    order_by_name,
    put_diagonal,
    put_identity,
    put_listed,
    put_rows,
    unwrap_single,
)
from engines.grading.growth import compare_growth
from engines.grading.messages import latex_of_form, to_message_text
from engines.grading.named_values import (
    drop_hat,
    is_derivative,
    is_same_name,
    list_angle_ends,
    name_alike,
    names_graph,
    rename_argument,
    turn_ratio,
)
from engines.grading.numbers import Term
from engines.grading.parameters import compare_with_parameters
from engines.grading.parametrised_curves import compare_parametrised
from engines.grading.question_text import QuestionText
from engines.grading.reading import form_of, is_constant, read_form, write_tree
from engines.grading.restrictions import drop_natural, restricts_naturally
from engines.grading.sequences import compare_sequences
from engines.grading.series import compare_series, is_series
from engines.grading.solution_curves import compare_curves
from engines.grading.term_arithmetic import divide_terms
from engines.grading.trees import (
    list_on_line,
    set_tree,
    statement_of_form,
)
from engines.grading.verdicts import (
    EQUAL,
    OUTCOMES,
    GradeVerdict,
    combine_verdicts,
    differ_by,
    differ_in_kind,
    differ_in_number,
    is_settled,
    read_both,
    to_grade_verdict,
    with_policy,
)
from engines.grading.words import compare_words
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.names import free_variables
from engines.mathematics.judging.verdicts import Verdict

_MOST_MATCHED = 60
"""So many values without order, and not written alike, are compared each with each."""


class AnswerComparison:
    """Compares forms: what needs mathematics is asked of the judge.

    Args: digits: decimals to which numbers are compared; None: exactly. units: see `grade`.
    """

    def __init__(
        self, judge: Judge | None = None, digits: int | None = None, units: Units = "compare"
    ) -> None:
        self._given = judge
        self._terms = ExactComparison(lambda: judge or _own_judge(), digits, units)

    @property
    def _judge(self) -> Judge:
        return self._given or _own_judge()

    def restricts_naturally(self, value: Form, condition: Tree, question: QuestionText) -> bool:
        """Return whether a condition only says where a value is defined."""
        return restricts_naturally(self._judge, value, condition, question)

    def accepts(self, gold: str, pred: str) -> bool:
        """Return whether two texts that are answers and nothing else are equal."""
        return self.compare(read_form(gold), read_form(pred)).outcome == "equal"

    def compare(self, gold: Form, pred: Form) -> GradeVerdict:
        """Return whether the answer `pred` says what `gold` says."""
        verdict = self._compare_forms(gold, pred)
        if verdict.outcome != "equal" and (curves := self._compare_curves(gold, pred)) is not None:
            return curves
        if verdict.outcome == "different":
            return self._compare_periodic(gold, pred) or verdict
        return verdict

    def _compare_forms(self, gold: Form, pred: Form) -> GradeVerdict:
        if isinstance(gold, UnreadForm):
            return GradeVerdict("unread", reason=f"the reference: {gold.reason}")
        if isinstance(pred, UnreadForm):
            return GradeVerdict("unread", reason=f"the answer: {pred.reason}")
        if gold == pred:
            return EQUAL
        # Special forms first, since a later comparison would read them as one of its own: a repeated value
        # is also a term, a set of sets also a list.
        if isinstance(gold, Repeated) or isinstance(pred, Repeated):
            return self._compare_repeated(gold, pred)
        gold, pred = put_rows(gold, pred), put_rows(pred, gold)
        if isinstance(gold, SetOfSets) or isinstance(pred, SetOfSets):
            return self._compare_members(gold, pred)
        gold, pred = _drop_set_name(gold, pred), _drop_set_name(pred, gold)
        # A list of one value is that value if the other side is none.
        gold, pred = unwrap_single(gold, pred), unwrap_single(pred, gold)
        gold, pred = expand_signs(gold, pred), expand_signs(pred, gold)
        gold, pred = put_listed(gold, pred), put_listed(pred, gold)
        if (numbers := _compare_number_sets(gold, pred)) is not None:
            return numbers
        # A letter such as (B) may be an option whose text is not at hand.
        for letter, answer in ((gold, pred), (pred, gold)):
            if _is_choice(letter) and isinstance(answer, Term) and is_settled(answer):
                reason = f"which answer {to_message_text(letter)} stands for is not known"
                return GradeVerdict("undecided", reason=reason)
        if (series := self._compare_series(gold, pred)) is not None:
            return series
        if (moving := compare_parametrised(self._judge, gold, pred)) is not None:
            return moving
        if (declared := self._compare_declared(gold, pred)) is not None:
            return declared
        # Solutions with parameters are compared as sets of values, before their shapes are.
        if (by_parameter := compare_with_parameters(self._judge, gold, pred)) is not None:
            return to_grade_verdict(by_parameter)
        # From here on the forms of both sides decide, the ones that say most first.
        if isinstance(gold, Statement) or isinstance(pred, Statement):
            return compare_statements(self._judge, gold, drop_natural(self._judge, pred, gold))
        if isinstance(gold, Named) or isinstance(pred, Named):
            return self._compare_named(gold, pred)
        if isinstance(gold, RelationForm) or isinstance(pred, RelationForm):
            return self._compare_relations(gold, pred)
        if isinstance(gold, WordsForm) or isinstance(pred, WordsForm):
            return compare_words(gold, pred)
        if isinstance(gold, Term) and isinstance(pred, Term):
            return self._terms.compare(gold, pred)
        if isinstance(gold, Matrix) or isinstance(pred, Matrix):
            return self._compare_matrices(gold, pred)
        if isinstance(gold, SetForm) or isinstance(pred, SetForm):
            return self._compare_sets(gold, pred)
        if isinstance(gold, Many) and isinstance(pred, Many):
            return self._compare_several(gold, pred)
        return self._compare_single_with_list(gold, pred)

    def compare_alternatives(self, gold: Form, pred: Form) -> GradeVerdict | None:
        """Compare bounds that never hold together, as `x < 1, x > 2`, as parts of the answer; None for other
        answers."""
        sides = [gold, pred]
        for index, side in enumerate(sides):
            tree = side.tree if isinstance(side, Statement) else Tree("")
            names, labels = sorted(free_variables(tree)), {part.label for part in tree.children}
            if tree.label != "and" or len(names) != 1 or not labels <= _BOUNDS:
                continue
            nothing = Tree("and", tuple(Tree(sign, (Tree(names[0]), ZERO)) for sign in "<>"))
            if self._judge.equal(tree, nothing).outcome == "equal":
                sides[index] = form_of(Tree("or", tree.children))
        if sides == [gold, pred] or self._compare_forms(*sides).outcome != "equal":
            return None
        return GradeVerdict("equal if", condition="each of the bounds alone is an answer")

    def _compare_periodic(self, gold: Form, pred: Form) -> GradeVerdict | None:
        """Solutions of which no side says that a letter stands for any integer, as `x = k*pi`."""
        if not all(isinstance(one, Term | Named) for one in (gold, pred)):
            return None
        trees = statement_of_form(gold), statement_of_form(pred)
        if isinstance(trees[0], str) or isinstance(trees[1], str):
            return None
        periodic = compare_periodic(trees[0], trees[1])
        if periodic is None:
            return None
        verdict, letters = periodic
        if verdict.outcome != "equal":
            return to_grade_verdict(verdict)
        if letters[0] != letters[1]:
            return GradeVerdict("equal", reason=f"{letters[0]} and {letters[1]} stand for any integer")
        said = f"{letters[0]} stands for any integer"
        if letters[0] == _INTEGER_LETTER:
            return GradeVerdict("equal", reason=said)
        # The letter may also be a number that is given: the angles of a polygon are (n - 2)*pi.
        return GradeVerdict("equal if", condition=said) if isinstance(gold, Named) else None

    def _compare_series(self, gold: Form, pred: Form) -> GradeVerdict | None:
        """Series without end, and orders of growth; None for other answers."""
        forms = [one.value if isinstance(one, Named) else one for one in (gold, pred)]
        one, other = (getattr(each, "tree", None) for each in forms)
        if one is None or other is None:
            return None
        if not (is_series(one) or is_series(other)):
            return compare_growth(one, other)
        return compare_series(self._judge, one, other)

    def _compare_declared(self, gold: Form, pred: Form) -> GradeVerdict | None:
        """Answers with letters that stand for any numbers, and curves of a constant; None for other answers,
        and for points, which parameters give."""
        is_compound = [isinstance(one, Statement) and one.tree.label in _RANGED for one in (gold, pred)]
        is_equation = all(
            isinstance(one, RelationForm) or (isinstance(one, Named) and isinstance(one.value, Term))
            for one in (gold, pred)
        )
        is_listed = any(isinstance(one, Many) and one.kind == "list" for one in (gold, pred))
        if not any(is_compound) and not is_equation and not is_listed:
            return None
        one, other = statement_of_form(gold), statement_of_form(pred)
        if isinstance(one, str) or isinstance(other, str):
            return None
        if (sequence := compare_sequences(self._judge, one, other)) is not None:
            return sequence
        if is_listed:
            return None
        if any(node.label in ("tuple", "matrix", "list") for tree in (one, other) for node in tree):
            return None
        return compare_declared(self._judge, one, other, self._compare_as_forms) if any(is_compound) else None

    def _compare_curves(self, gold: Form, pred: Form) -> GradeVerdict | None:
        """Curves of a constant each, as solutions of a differential equation; None for other answers."""
        sides = [one.value if isinstance(one, Named) else one for one in (gold, pred)]
        if not all(
            isinstance(one, Term | RelationForm) or (isinstance(one, Many) and one.kind == "list")
            for one in sides
        ):
            return None
        if not all(isinstance(one, Named | RelationForm) for one in (gold, pred)):
            return None
        trees = [statement_of_form(one) for one in (gold, pred)]
        known = [tree for tree in trees if isinstance(tree, Tree)]
        return compare_curves(self._judge, known[0], known[1], ((), ())) if len(known) == 2 else None

    def _compare_as_forms(self, gold: Tree, pred: Tree) -> GradeVerdict:
        return self.compare(form_of(gold), form_of(pred))

    def _compare_repeated(self, gold: Form, pred: Form) -> GradeVerdict:
        times = [one.times for one in (gold, pred) if isinstance(one, Repeated)]
        if len({*times}) > 1:
            return differ_by(f"one counts {times[0]} times and the other {times[1]}")
        sides = (one.value if isinstance(one, Repeated) else one for one in (gold, pred))
        return with_policy(self.compare(*sides), "how often a value counts may be left out")

    def _compare_repetitions(self, gold: Many, pred: Many) -> GradeVerdict:
        """Lists of values of which one says how often some count: the other has these so often, or once."""
        full, once = [], []
        for one in (gold, pred):
            values = [item.value if isinstance(item, Repeated) else item for item in one.items]
            times = [item.times if isinstance(item, Repeated) else 1 for item in one.items]
            counted = (value for value, count in zip(values, times, strict=True) for _ in range(count))
            full.append(replace(one, items=tuple(counted)))
            once.append(replace(one, items=tuple(values)))
        compared = self._compare_several(*full)
        is_said = [
            single != one or len({*one.items}) < len(one.items)
            for single, one in zip(once, (gold, pred), strict=True)
        ]
        if compared.outcome == "equal" or all(is_said):
            return compared
        compared = self._compare_several(*once)
        return with_policy(replace(compared, reason=""), "how often a value counts may be left out")

    def _compare_members(self, gold: Form, pred: Form) -> GradeVerdict:
        """Sets of sets: without order, and each member a set or none as in the other."""
        sets = [
            isinstance(one, SetOfSets) or (isinstance(one, Many) and (one.kind == "set" or _lists_sets(one)))
            for one in (gold, pred)
        ]
        if not any(sets):
            return self.compare(gold, pred)
        if not all(sets):
            return differ_in_kind(gold, pred)
        return self._match_covering(gold, pred, self._compare_members)  # type: ignore[arg-type]

    # ---- words, lists, sets

    def _compare_several(self, gold: Many, pred: Many) -> GradeVerdict:
        if "ratio" in (gold.kind, pred.kind):
            return self._compare_ratios(gold, pred)
        if any(isinstance(item, Repeated) for one in (gold, pred) for item in one.items):
            return self._compare_repetitions(gold, pred)
        names = [isinstance(item, Named) for one in (gold, pred) for item in one.items]
        if any(names):
            if "set" in (gold.kind, pred.kind):
                return differ_in_kind(gold, pred)
            return self._compare_assignments(gold, pred)
        # (1, 2) for {1, 2}: perhaps a list of the members in round brackets.
        if {gold.kind, pred.kind} == {"tuple", "set"}:
            alike = self._compare_several(*(replace(one, kind="set") for one in (gold, pred)))
            if alike.outcome != "equal":
                return alike
            listed = gold if gold.kind == "tuple" else pred
            return GradeVerdict("equal if", condition=f"{latex_of_form(listed)} lists the members of a set")
        ordered = gold.kind == "tuple"
        # Sets have each member once, however often it is written.
        if len(gold.items) != len(pred.items):
            few = len(gold.items) * len(pred.items) <= _MOST_MATCHED**2
            if {gold.kind, pred.kind} == {"set"} or (not ordered and few):
                covering = self._match_covering(gold, pred, self.compare)
                if covering.outcome != "equal" or "set" in (gold.kind, pred.kind):
                    return covering
                return GradeVerdict("equal if", condition="a value that is repeated counts once")
            return differ_in_number(gold, pred)
        if ordered:
            return combine_verdicts(self.compare(*pair) for pair in zip(gold.items, pred.items, strict=True))
        return with_policy(self._match_unordered(gold.items, pred.items), "in any order")

    def _match_unordered(self, gold: Sequence[Form], pred: Sequence[Form]) -> GradeVerdict:
        """Two collections without order: each of the one with one of the other."""
        left = list(pred)
        verdicts: list[GradeVerdict] = []
        waiting: list[Form] = []
        # Values that are written alike are paired at once; the quadratic comparison is for the rest only.
        for item in gold:
            if item in left:
                left.remove(item)
            else:
                waiting.append(item)
        if len(waiting) > _MOST_MATCHED:
            in_order = combine_verdicts(map(self.compare, waiting, left))
            if in_order.outcome == "equal":
                return in_order
            what = f"{len(waiting)} values are left to match, and at most {_MOST_MATCHED} are compared"
            return GradeVerdict("undecided", reason=what)
        # Greedy: each value takes its best partner. As long as equality is transitive no other value needs
        # that partner more; rounding is the exception.
        for item in waiting:
            compared = [(self.compare(item, candidate), candidate) for candidate in left]
            best, candidate = min(compared, key=lambda one: OUTCOMES.index(one[0].outcome))
            verdicts.append(best)
            if best.outcome == "different":
                if any(one.outcome in ("undecided", "unread") for one in verdicts):
                    break  # it may be the one that such an item was matched with
                return GradeVerdict("different", witness=f"{to_message_text(item)} is not in the answer")
            left.remove(candidate)
        return combine_verdicts(one for one in verdicts if one.outcome != "different")

    def _match_covering(
        self, gold: Many | SetOfSets, pred: Many | SetOfSets, compare: Callable[[Form, Form], GradeVerdict]
    ) -> GradeVerdict:
        """Two sets, in which what is written twice counts once."""
        verdicts = []
        for one, others, where in (
            (gold.items, pred.items, "answer"),
            (pred.items, gold.items, "reference"),
        ):
            for item in one:
                pairs = ((item, other) if where == "answer" else (other, item) for other in others)
                compared = [compare(*pair) for pair in pairs]
                best = min(compared, key=lambda each: OUTCOMES.index(each.outcome), default=differ_by(""))
                if best.outcome == "different":
                    return GradeVerdict("different", witness=f"{to_message_text(item)} is not in the {where}")
                verdicts.append(best)
        return combine_verdicts(verdicts)

    def _compare_single_with_list(self, gold: Form, pred: Form) -> GradeVerdict:
        several, one = (gold, pred) if isinstance(gold, Many) else (pred, gold)
        assert isinstance(several, Many)
        if several.kind == "ratio" and isinstance(one, Term) and len(several.items) == 2:
            above, below = several.items
            if isinstance(above, Term) and isinstance(below, Term) and above.unit is below.unit is None:
                quotient = divide_terms(above, below)
                return self.compare(*((quotient, one) if several is gold else (one, quotient)))
        if isinstance(one, WordsForm):
            return compare_words(gold, pred)
        if several.kind == "tuple" or not several.items:
            return differ_in_kind(gold, pred)
        # "x + 11 or 11 + x" is one answer.
        sides = ((gold, item) if several is pred else (item, pred) for item in several.items)
        verdicts = [self.compare(*side) for side in sides]
        if all(each.outcome == "equal" for each in verdicts) and several.kind == "list":
            return EQUAL
        if (
            isinstance(one, Term)
            and one.value is None
            and all(isinstance(item, Named) for item in several.items)
        ):
            return GradeVerdict("undecided", reason="what is named in one of them is not said in the other")
        apart = [
            item for item, each in zip(several.items, verdicts, strict=True) if each.outcome == "different"
        ]
        if not apart:
            return GradeVerdict("undecided", reason="one value and several, which may be the same")
        where = "answer" if several is gold else "reference"
        return differ_by(f"{to_message_text(apart[0])} is not in the {where}")

    def _compare_ratios(self, gold: Many, pred: Many) -> GradeVerdict:
        if gold.kind != pred.kind or len(gold.items) != len(pred.items):
            return differ_in_kind(gold, pred) if gold.kind != pred.kind else differ_in_number(gold, pred)
        verdicts = []
        for number in range(1, len(gold.items)):
            quotients: list[Form] = []
            for one in (gold, pred):
                above, below = one.items[number], one.items[0]
                if not (isinstance(above, Term) and isinstance(below, Term)):
                    return GradeVerdict("undecided", reason="a ratio of what is no number")
                quotients.append(divide_terms(above, below))
            verdicts.append(self.compare(*quotients))
        return combine_verdicts(verdicts)

    def _compare_assignments(self, gold: Many, pred: Many) -> GradeVerdict:
        """Lists of which items are named: by their names where both have them, or else in order."""
        if len(gold.items) != len(pred.items):
            return differ_in_number(gold, pred)
        gold, pred = name_alike(gold, pred)
        named = [[item.name for item in one.items if isinstance(item, Named)] for one in (gold, pred)]
        if len(named[0]) == len(named[1]) == len(gold.items) and len({*named[0]}) == len(gold.items):
            if {*named[0]} != {*named[1]}:
                return differ_by(f"it says of {', '.join(named[1])} and not of {', '.join(named[0])}")
            values = {item.name: item.value for item in pred.items if isinstance(item, Named)}
            return combine_verdicts(
                self.compare(item.value, values[item.name]) for item in gold.items if isinstance(item, Named)
            )
        gold, pred = order_by_name(gold), order_by_name(pred)
        return combine_verdicts(self.compare(*pair) for pair in zip(gold.items, pred.items, strict=True))

    def _compare_sets(self, gold: Form, pred: Form) -> GradeVerdict:
        gold_parts, pred_parts = list_on_line(gold), list_on_line(pred)
        gold_parts, pred_parts = (
            gold_parts or [gold] * isinstance(gold, Term),
            pred_parts or [pred] * isinstance(pred, Term),
        )
        if not gold_parts or not pred_parts:
            return differ_in_kind(gold, pred)
        if len(gold_parts) == len(pred_parts) and not any(
            isinstance(part, Without) for part in (*gold_parts, *pred_parts)
        ):
            result = combine_verdicts(
                self._compare_intervals(*pair) for pair in zip(gold_parts, pred_parts, strict=True)
            )
            if result.outcome == "equal" or (len(gold_parts) == 1 and result.outcome != "undecided"):
                return result
            if len(gold_parts) > 1:
                matched = self._match_unordered(gold_parts, pred_parts)
                if matched.outcome == "equal":
                    return matched
        trees = read_both(set_tree(gold_parts), set_tree(pred_parts))
        return trees if isinstance(trees, GradeVerdict) else to_grade_verdict(self._judge.equal(*trees))

    def _compare_intervals(self, gold: Form, pred: Form) -> GradeVerdict:
        if isinstance(gold, IntervalForm) and isinstance(pred, IntervalForm):
            ends = combine_verdicts((self.compare(gold.low, pred.low), self.compare(gold.high, pred.high)))
            if ends.outcome == "equal" and gold.closed != pred.closed:
                end = gold.low if gold.closed[0] != pred.closed[0] else gold.high
                return differ_by(f"{to_message_text(end)} belongs to one of them only")
            return ends
        if isinstance(gold, IntervalForm) or isinstance(pred, IntervalForm):
            return GradeVerdict("undecided", reason="an interval and a single value")
        return self.compare(gold, pred)

    def _compare_matrices(self, gold: Form, pred: Form) -> GradeVerdict:
        if isinstance(gold, Matrix) and isinstance(pred, Matrix):
            if [len(row) for row in gold.rows] != [len(row) for row in pred.rows]:
                sizes = (f"{len(one.rows)} by {len(one.rows[0])}" for one in (gold, pred))
                return differ_by(" and ".join(sizes))
            rows = zip(gold.rows, pred.rows, strict=True)
            return combine_verdicts(
                self.compare(*pair) for one, other in rows for pair in zip(one, other, strict=True)
            )
        matrix, other = (gold, pred) if isinstance(gold, Matrix) else (pred, gold)
        assert isinstance(matrix, Matrix)
        flat = 1 in (len(matrix.rows), len(matrix.rows[0]))
        if flat and isinstance(other, Many) and other.kind in ("tuple", "list"):
            vector = Many("tuple", tuple(cell for row in matrix.rows for cell in row))
            pair = (vector, replace(other, kind="tuple"))
            return self._compare_several(*(pair if matrix is gold else pair[::-1]))
        if isinstance(other, Term) and (diagonal := put_diagonal(other)) is not None:
            return self._compare_matrices(*((matrix, diagonal) if matrix is gold else (diagonal, matrix)))
        if isinstance(other, Term) and (unit := put_identity(other, len(matrix.rows))) is not None:
            sides = (matrix, unit) if matrix is gold else (unit, matrix)
            if isinstance(unit, Matrix):
                return self._compare_matrices(*sides)
            return self._compare_trees(sides[0], sides[1], self._judge.equal)
        if isinstance(other, Term) and other.unit is None:
            return self._compare_trees(gold, pred, self._judge.equal)
        return differ_in_kind(gold, pred)

    def _compare_trees(self, gold: Form, pred: Form, judge: Callable[[Tree, Tree], Verdict]) -> GradeVerdict:
        trees = read_both(statement_of_form(gold), statement_of_form(pred))
        if isinstance(trees, GradeVerdict):
            return trees
        return EQUAL if trees[0] == trees[1] else to_grade_verdict(judge(*trees))

    # ---- what is said of names

    def _compare_named(self, gold: Form, pred: Form) -> GradeVerdict:
        if isinstance(gold, Named) and isinstance(pred, Named):
            if (ratio := turn_ratio(gold, pred)) is not None:
                return self.compare(gold.value, ratio)
            same = self.compare(gold.value, pred.value)
            if gold.name == pred.name and gold.indexed and {*gold.indexed} == {*pred.indexed}:
                return self._compare_indexed(gold, pred, same)
            if same.outcome == "equal" and _name_other_things(gold.indexed, pred.indexed):
                said = (" and ".join(one.indexed) for one in (gold, pred))
                return GradeVerdict(
                    "undecided", reason=", ".join(f"one is said of {names}" for names in said)
                )
            if gold.name == pred.name or is_same_name(gold, pred) or is_same_name(pred, gold):
                return self._other_solution(gold, pred, same)
            # f(t) = t^2 and f(x) = x^2 are one function: the argument's name says nothing.
            if (renamed := rename_argument(gold, pred)) is not None:
                return self.compare(gold.value, renamed)
            angles = list_angle_ends(gold.name), list_angle_ends(pred.name)
            if all(angles):
                apart = differ_by(f"it says of {pred.name} and not of {gold.name}")
                return same if angles[0] == angles[1] else apart
            if same.outcome == "equal" and _are_of_others(gold.name, pred.name):
                return GradeVerdict("undecided", reason=f"one is said of {gold.name}, one of {pred.name}")
            if same.outcome == "equal":
                names = [
                    one.name for one in (gold, pred) if one.name in _SOLUTION_SETS and _is_set(one.value)
                ]
                if len(names) == 1:
                    return GradeVerdict("equal", reason=f"{names[0]} is the set of the solutions")
                if any(names_graph(*pair) for pair in ((gold, pred), (pred, gold))):
                    return GradeVerdict("equal", reason="the equation of the graph says what the function is")
                if all(map(is_derivative, (gold, pred))):
                    return GradeVerdict("equal", reason="both are names of the derivative")
                if drop_hat(gold.name) == drop_hat(pred.name):
                    return GradeVerdict("equal", reason="a hat marks the estimate of a value")
                return GradeVerdict("equal if", condition=f"{pred.name} stands for {gold.name}")
            equations = not any(isinstance(one.value, SetForm | WordsForm) for one in (gold, pred))
            return self._compare_relations(gold, pred) if equations and same.outcome != "unread" else same
        if isinstance(gold, RelationForm) or isinstance(pred, RelationForm):
            return self._compare_relations(gold, pred)
        # `x = 1, y = 2` may also be written as a chain or system: both as lists of assignments.
        each = list_assignments(gold), list_assignments(pred)
        if each != (gold, pred) and all(
            isinstance(one, Many) and isinstance(one.items[0], Named) for one in each
        ):
            return self.compare(*each)
        # Only one side has a name: the other may be its value alone, but not a list that names more.
        single, other = (gold, pred) if isinstance(gold, Named) else (pred, gold)
        assert isinstance(single, Named)
        listed = other.items if isinstance(other, Many) else ()
        further = [item.name for item in listed if isinstance(item, Named) and item.name != single.name]
        if further and not single.subject.children:
            return differ_by(f"only one of them says what {further[-1]} is")
        values = [one.value if isinstance(one, Named) else one for one in (gold, pred)]
        return self.compare(values[0], values[1])

    def _compare_indexed(self, gold: Named, pred: Named, unordered: GradeVerdict) -> GradeVerdict:
        """Values of x_1, x_2, which may be those of one unknown: then their order says nothing."""
        if not isinstance(gold.value, Many) or not isinstance(pred.value, Many):
            return unordered
        values = dict(zip(pred.indexed, pred.value.items, strict=True))
        named = zip(gold.indexed, gold.value.items, strict=True)
        ordered = combine_verdicts(self.compare(value, values[name]) for name, value in named)
        if ordered.outcome == "equal" or unordered.outcome != "equal":
            return replace(ordered, reason="") if ordered.outcome == "equal" else unordered
        return GradeVerdict("equal if", condition=f"{', '.join(gold.indexed)} are values of one unknown")

    def _other_solution(self, gold: Named, pred: Named, same: GradeVerdict) -> GradeVerdict:
        """Values of one name; of solutions of differential equations, the name of a constant says nothing."""
        trees = [statement_of_form(one.value) for one in (gold, pred)]
        if same.outcome != "equal if" or isinstance(trees[0], str) or isinstance(trees[1], str):
            return same
        return compare_solutions(trees[0], trees[1]) or same

    def _compare_relations(self, gold: Form, pred: Form) -> GradeVerdict:
        if not (isinstance(gold, Named | RelationForm) and isinstance(pred, Named | RelationForm)):
            solved = self._compare_solutions(gold, pred)
            if solved is not None:
                return solved
            relation, answer = (gold, pred) if isinstance(gold, RelationForm) else (pred, gold)
            if (identical := self._compare_identity(relation, answer)) is not None:
                return identical
            if isinstance(answer, Many) and answer.kind == "ratio" and len(answer.items) == 2:
                above, below = answer.items
                if isinstance(above, Term) and isinstance(below, Term):
                    answer = divide_terms(above, below)
            if isinstance(relation, RelationForm) and isinstance(answer, Term):
                return self._compare_asked(relation, answer, relation is gold)
            if isinstance(answer, Many) and all(
                isinstance(one, Named | RelationForm) for one in answer.items
            ):
                return self._compare_trees(gold, pred, self._same_statement)
            return differ_in_kind(gold, pred)
        residues = [read_family(one.tree) if isinstance(one, RelationForm) else None for one in (gold, pred)]
        if residues[0] is not None and residues[1] is not None and _may_be_same(residues[0], residues[1]):
            return to_grade_verdict(compare_families(residues[0], residues[1]))
        return self._compare_trees(gold, pred, self._same_statement)

    def _compare_identity(self, relation: Form, value: Form) -> GradeVerdict | None:
        """An equation that holds for all values of its letters, as `x^2 - 1 = (x - 1)(x + 1)`, says what its
        left side is; None for other equations."""
        if not isinstance(relation, RelationForm) or not isinstance(value, Term):
            return None
        if relation.tree.label != "=" or value.unit is not None or value.tree is None:
            return None
        left, right = relation.tree.children
        if free_variables(right) != free_variables(value.tree) or free_variables(left) != free_variables(
            right
        ):
            return None
        if any(self._judge.equal(*pair).outcome != "equal" for pair in ((left, right), (right, value.tree))):
            return None
        return GradeVerdict("equal", reason="the equation says what its left side is")

    def _compare_asked(self, relation: RelationForm, value: Term, is_gold: bool) -> GradeVerdict:
        """An equation, and what may be the value of its left side, as of `m + n = 7` and 7."""
        if relation.tree.label != "=" or not _is_made_of_names(relation.tree.children[0]):
            return differ_in_kind(*((relation, value) if is_gold else (value, relation)))
        asked, side = relation.tree.children[0], form_of(relation.tree.children[1])
        same = self.compare(*((side, value) if is_gold else (value, side)))
        if same.outcome != "equal":
            return same
        said = f"{write_tree(asked)} is what is asked for"
        letters = {*asked.list_labels()} & VARIABLES
        if not letters or (asked.label in TRIGONOMETRIC and letters.isdisjoint("xyzt")):
            return GradeVerdict("equal", reason=said)
        return GradeVerdict("equal if", condition=said)  # it may be a line or a curve

    def _same_statement(self, one: Tree, other: Tree) -> Verdict:
        return self._judge.holds(Tree("iff", (one, other)))

    def _compare_solutions(self, gold: Form, pred: Form) -> GradeVerdict | None:
        """A relation in one variable and a set: whether the set is that of its solutions."""
        relation, values = (gold, pred) if isinstance(gold, RelationForm) else (pred, gold)
        parts = list_on_line(values)
        if not isinstance(relation, RelationForm) or parts is None:
            return None
        said, among = relation.tree, set_tree(parts)
        if isinstance(among, str):
            return None
        names = sorted(free_variables(said))
        if len(names) != 1:
            return None
        sides = (said, Tree("in", (Tree(names[0]), among)))
        return to_grade_verdict(self._same_statement(*(sides if relation is gold else sides[::-1])))


@cache
def _own_judge() -> Judge:
    from engines.mathematics.judging import judge  # loads NumPy

    return judge()


def _may_be_same(one: Family, other: Family) -> bool:
    return one.name == other.name or "" in (one.name, other.name)


def _drop_set_name(form: Form, other: Form) -> Form:
    """Return the set of solutions without the letter before it, as that of `L = {(1 + t, t)}`, beside an
    answer without it."""
    tree = form.tree if isinstance(form, Statement) else ZERO
    if tree.label != "=" or tree.children[0].label not in _SOLUTION_SETS:
        return form
    is_set = tree.children[1].label in ("such", "set", "and")
    beside = other.tree if isinstance(other, Statement) else ZERO
    has_name = tree.children[0] in [*beside] and beside.children[:1] != tree.children[:1]
    return form_of(tree.children[1]) if is_set and not has_name else form


def _lists_sets(item: Many) -> bool:
    """Return whether a list is that of sets, as of the members of a power set."""
    return item.kind == "list" and all(isinstance(one, Many) and one.kind == "set" for one in item.items)


def _is_set(item: Form) -> bool:
    return isinstance(item, SetForm) or (isinstance(item, Many) and item.kind == "set")


def _are_of_others(gold: str, pred: str) -> bool:
    """Return whether two names are values of one function for other arguments: f(2) and f(3), or P(A|B) and
    P(B|A), of which no letter is free to be another one."""
    heads = [name.partition("(")[0] for name in (gold, pred)]
    if heads[0] != heads[1] or "(" not in gold or "(" not in pred:
        return False
    return heads[0] in _MEASURES or any(char.isdecimal() for char in gold[len(heads[0]) :])


def _name_other_things(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """Return whether two sides say their values of other indices, as of Q_1 and Q_3 and of Q_1 and Q_4.

    Indices that count from 0 or 1 only number the values, whichever side begins with which.
    """
    if not mine or not theirs or {*mine} == {*theirs}:
        return False
    for names in (mine, theirs):
        indices = sorted({int(name.rpartition("_")[2]) for name in names})
        if indices[0] > 1 or indices[-1] - indices[0] >= len(indices):
            return True
    return False


_MEASURES = ("P", "Pr", "E", "Var", "Cov", "ℙ", "𝔼", "D", "V")
"""Functions of events and random variables."""
_RANGED = ("and", "such", "forall")
_SOLUTION_SETS = ("L", "S", "𝕃", "𝕊")
"""Names of sets of solutions."""
_BOUNDS = {"<", "<=", ">", ">="}
_INTEGER_LETTER = "k"
"""The letter that usually stands for any integer."""


def _is_made_of_names(tree: Tree) -> bool:
    """Return whether a term is of several names and no numbers, as `m + n` and `a/b`."""
    if tree.label in (*TRIGONOMETRIC, "abs") and not tree.children[0].children:
        return not is_constant(tree)  # cos θ and |a|
    leaves = [node.label for node in tree if not node.children]
    return len({*leaves}) > 1 and not any(map(is_constant_token, leaves)) and not is_constant(tree)


_NUMBER_SETS = {"ℤ+": "-1", "ℕ": "-1", "ℤ": "1/2", "ℚ": "sqrt(2)", "ℝ": "i", "ℂ": ""}
"""Sets of numbers, each within the next, with a number that only the next has."""


def _compare_number_sets(gold: Form, pred: Form) -> GradeVerdict | None:
    """Compare two different sets of numbers, as ℤ and ℚ; None for other answers."""
    trees = [
        one.tree if isinstance(one, Term) else Tree("ℝ") if one == REALS else None for one in (gold, pred)
    ]
    labels = [tree.label for tree in trees if tree is not None and tree.label in _NUMBER_SETS]
    if len(labels) < 2 or labels[0] == labels[1]:
        return None
    if {*labels} == {"ℤ+", "ℕ"}:
        return GradeVerdict("equal if", condition="ℕ begins with 1")
    number = next(number for label, number in _NUMBER_SETS.items() if label in labels)
    return differ_by(f"{number} belongs to one of them only")


def _is_choice(item: Form) -> bool:
    """Return whether an answer is a letter as those of choices."""
    text = item.text if isinstance(item, Term | WordsForm) else ""
    return len(text) == 1 and text in _CHOICES and not (isinstance(item, Term) and item.unit)


_CHOICES = "ABCDE"
