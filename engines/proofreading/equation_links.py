"""Equations with variables, judged in seven steps of which the first that decides gives the verdict.

1. It holds for all numbers. 2. It follows from what was stated before. 3. It is claimed for all numbers, and
fails. 4. It begins something, and is given. 5. It claims something that a counterexample refutes. 6. It
stands alone, with variables that nothing was said about. 7. It is a step of a chain that changes a value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import repeat

from engines.core.tree import Tree
from engines.mathematics.judging.names import replace_variable
from engines.mathematics.judging.shapes import choose_signs
from engines.mathematics.judging.verdicts import Verdict
from engines.proofreading.applied_operations import find_operated_equation
from engines.proofreading.chains import ChainLink
from engines.proofreading.compared_sides import differ_in_any_angle
from engines.proofreading.cue_phrases import (
    is_made_of,
    last_clause,
    mentions,
    read_last_cue,
    starts_with_phrase,
)
from engines.proofreading.definition_ranges import reaches_out
from engines.proofreading.link_context import LARGEST, VECTORS, LinkContext
from engines.proofreading.link_verdicts import Accusation, Evidence, EvidenceKind, LinkOutcome, LinkVerdict
from engines.proofreading.literal_substitutions import find_copied_wrong
from engines.proofreading.number_links import measure_rounding
from engines.proofreading.repair_conditions import are_polynomials, find_repair, is_equality
from engines.proofreading.separate_equations import solves_another
from engines.proofreading.signs_and_branches import is_root_of_square
from engines.proofreading.slips import points_of
from engines.proofreading.solution_changing_steps import explain_root
from engines.proofreading.solved_formulas import (
    find_linear_source,
    find_rewritten_source,
    judge_solved_formula,
)
from engines.proofreading.stated_facts import Fact, Reduced, cite_fact, describe_sources
from engines.proofreading.stated_values import is_product_with_zero, is_zero_of_its_kind
from engines.proofreading.statement_roles import is_concluded, is_initial_value, is_supposed
from engines.proofreading.term_properties import (
    AMBIGUOUS_LABELS,
    DECIMAL,
    LOG,
    OF_ANGLES,
    are_exactly_equal,
    are_renamed,
    constant_gap,
    differ_everywhere,
    evaluate_term,
    free_symbols,
    is_ambiguous,
    is_expansion,
    is_measured,
    is_slope,
    list_divisors,
    real_roots,
    take_odd_roots,
    values_agree,
)

_CALCULATED = frozenset(
    ("d", "limit", "sum", "prod", "integral", "antiderivative", "binomial", "det", "factorial")
)
_OF_SETS = ("union", "intersection", "without")
_OF_CHANGE = ("antiderivative", "d")
_TOTALS = frozenset(("sum", "prod", "integral"))
_COUNTING = frozenset("nmkN")
"""Letters that are usual for positive whole numbers."""
_SIGNS = (("+", "+"), ("+", "-"), ("-", "+"), ("-", "-"))
_CLOSE_GAPS = 1e-9
_LARGEST_DENOMINATOR = 360
_FIRST = "its variables are first mentioned here"
_LEADING_ON = (":", ",", "：", "，")
"""What stands between a value and what holds there."""


@dataclass(slots=True)
class EquationLink:
    """An equation with variables that is being judged.

    Attributes:
        context: What the text said so far.
        link: The link.
        left: Its left side.
        right: Its right side.
        equality_count: How many equalities its chain has.
        free: Its variables.
        has_bare_side: Whether a side is nothing but a letter, a number or a value of a function.
        for_all: Whether it is claimed for all numbers.
        exact_equality: True where algebra shows that the sides are equal, False where they differ, None
            where it cannot tell.
        compared: The judge's verdict on the sides, where it was asked for.
        reduced: The sides by what was said before, once that was tried.
    """

    context: LinkContext
    link: ChainLink
    left: Tree
    right: Tree
    equality_count: int
    free: frozenset[str] = field(init=False)
    has_bare_side: bool = field(init=False)
    for_all: bool = field(init=False)
    exact_equality: bool | None = field(init=False)
    compared: Verdict | None = None
    reduced: Reduced | None = None

    def __post_init__(self) -> None:
        left, right = self.left, self.right
        self.free = free_symbols(left) | free_symbols(right)
        self.has_bare_side = not left.children or not right.children or left.label == "call"
        self.for_all = self.context.is_stated_for_all(self.link, left, right)
        self.exact_equality = are_exactly_equal(left, right)

    def judge_equation(self) -> LinkVerdict:
        """Return the verdict of the first step that decides."""
        steps = (
            self._judge_as_identity,
            self._judge_by_facts,
            self._judge_as_universal_claim,
            self._judge_as_calculation,
            self._judge_as_given,
            self._judge_as_claim,
            self._judge_new_variables,
            self._judge_as_change,
        )
        for step in steps:
            if (judged := step()) is not None:
                source = self._find_linear_source() if judged.outcome == "wrong" else None
                return judged if source is None else self.context.conclude(self.link, (source,))
        # Angles of a triangle add up to π.
        source = None if OF_ANGLES.isdisjoint(self._labels) else self._find_linear_source()
        if (source := source or find_rewritten_source(self.context, self.left, self.right)) is not None:
            return self.context.conclude(self.link, (source,))
        undecided = self.compared is not None and self.compared.outcome == "undecided"
        reason = self.compared.reason if self.compared and undecided else ""
        return self._say("not shown", reason or "it holds neither always nor by what was said before")

    def _find_linear_source(self) -> Fact | None:
        """Return the equation by which a link holds that was to be called wrong; None where it has none."""
        bare = not (self.left.children and self.right.children)
        return None if bare else find_linear_source(self.context, self.left, self.right)

    # ---- 1. identities: by exact algebra, then by the judge

    def _judge_as_identity(self) -> LinkVerdict | None:
        if self.exact_equality:
            return self._say("right", self._name_exceptional_points())
        left, right = self.left, self.right
        shared = not self.has_bare_side or (
            free_symbols(left) == free_symbols(right) and left.label != "call" != right.label
        )
        # cosh² y - sinh² y = 1 is an identity although one side is a number.
        shared = shared or (
            left.label != "call" and all(values_agree(left, right, at) for at in points_of(self.free))
        )
        if self.exact_equality is not None or not shared or len(left) + len(right) >= LARGEST:
            return None
        if self._differ_in_any_sign():
            return None
        verdict = self.compared = self._compare(left, right)
        if verdict.outcome == "equal":
            return self._say("right", verdict.reason)
        if self.for_all and verdict.outcome == "equal if" and verdict.witness:
            return self._refute()
        begun = self.has_bare_side and read_last_cue(self.link.words_before) == "given"
        if verdict.outcome != "equal if" or self.link.of_problem or begun:
            return None
        if verdict.witness:
            # What is true of real numbers alone is a slip where the text is about complex ones, and what
            # holds at some values alone is one where one change makes it hold at all.
            is_narrow = verdict.condition.endswith(" real") or is_equality(verdict.condition)
            if is_narrow and (slip := self.context.describe_slip(self.link)):
                return self._say("wrong", slip)
            return self._say("right if", verdict.condition)
        # x = e^{log x} says of which x it speaks, and a law that is cited is meant where it holds.
        # So is a law of several letters.
        of_logarithm = not left.children and "ln" in self._labels
        law = len(self.free) > 1 or mentions("law", self.link.words_before)
        if of_logarithm or law or not self._loses_domain(verdict.condition):
            return self._say("right", f"where {verdict.condition}")
        return self._say("loses domain", verdict.condition)

    def _differ_in_any_sign(self) -> bool:
        """Return whether the sides differ everywhere, whichever of its signs ± has."""
        signs = _SIGNS if "pm" in self._labels else _SIGNS[:1]
        return all(
            differ_everywhere(choose_signs(self.left, repeat(one)), choose_signs(self.right, repeat(other)))
            for one, other in signs
        )

    def _loses_domain(self, condition: str) -> bool:
        """Return whether the right side has no value where the left one has, by a condition that nobody
        leaves out: factorials and powers of -1 are of whole numbers, and infinite sums and integrals
        converge where they do."""
        meant = (
            not free_symbols(self.left)
            or self.free <= _COUNTING
            or "≠" in condition
            or condition == "both sides are defined"
            or "!=" in condition
            or not {"factorial", "gamma"}.isdisjoint(self.right.list_labels())
            or condition.endswith("is an integer")
            or (not _TOTALS.isdisjoint(self._labels) and "inf" in self._labels)
            or "antiderivative" in self._labels  # ∫ dx/x = ln x is written for x > 0
        )
        if meant:
            return False
        beside = Tree("+", (self.left, Tree("*", (Tree("0"), take_odd_roots(self.right)))))
        return self._compare(self.left, beside).outcome == "equal if"

    def _name_exceptional_points(self) -> str:
        """Return where only one side of an equation of equal rational functions has a value, as a reason."""
        left, right = self.left, self.right
        if list_divisors(left) == list_divisors(right) or len(left) + len(right) >= LARGEST:
            return ""
        verdict = self._compare(left, right)
        return f"where {verdict.condition}" if verdict.outcome == "equal if" else ""

    # ---- 2. what was stated before: definitions of functions alone, then equations and values

    def _judge_by_facts(self) -> LinkVerdict | None:
        facts, left, right = self.context.facts, self.left, self.right
        if (operated := find_operated_equation(facts, left, right, self.link.line)) is not None:
            return self.context.conclude(self.link, (operated,))
        defined = facts.reduce_by_definitions(left, right)
        if defined and self.context.judge.equal(defined.left, defined.right).outcome == "equal":
            copied = None if self.link.of_problem else find_copied_wrong(facts, left, right)
            if copied is not None and not self._is_doubtful:
                return self._accuse(copied)
            return self.context.conclude(self.link, defined.used)
        reduced = facts.reduce_by_facts(left, right, values=not self.for_all)
        arguments = self._list_defined_arguments()
        if reduced and any(fact.is_value and fact.left.label in arguments for fact in reduced.used):
            reduced = facts.reduce_by_facts(left, right, values=False)
        self.reduced = reduced
        if reduced is None:
            return None
        # A derivative is that everywhere, and not only at a value that was stated; at a point it is a number.
        elsewhere = reduced.same and facts.is_slope_elsewhere(left)
        if is_slope(left) and not elsewhere and self._find_misapplication():
            return None
        if reduced.same:
            return self.context.conclude(self.link, reduced.used)
        size = len(reduced.left) + len(reduced.right)
        if not reduced.used or size >= LARGEST or differ_everywhere(reduced.left, reduced.right):
            return None
        now = self._compare(reduced.left, reduced.right)
        if now.outcome == "equal":
            return self.context.conclude(self.link, reduced.used)
        if now.outcome != "equal if" or self.has_bare_side:
            return None
        if self.context.are_contradictory(self.link, reduced.used):
            return None
        chained = any(fact.number > self.context.last_fact_before_chain for fact in reduced.used)
        if chained and (slip := self.context.describe_slip(self.link)):
            return self._say("wrong", slip)
        return self._say("right if", f"{now.condition}, {describe_sources(reduced.used)}")

    def _list_defined_arguments(self) -> frozenset[str]:
        """List the arguments for all of whose values it says what a function is: `f(x) = x + 1` does not
        follow from `x = 0`."""
        if self.left.label != "call" or not self.right.children:
            return frozenset()
        plain = all(not one.children and free_symbols(one) for one in self.left.children[1:])
        return frozenset(one.label for one in self.left.children[1:]) if plain else frozenset()

    # ---- 3. claims for all numbers that no stated equation explains

    def _judge_as_universal_claim(self) -> LinkVerdict | None:
        if not self.for_all or (refuted := self._refute()).outcome != "wrong":
            return None
        if any(not fact.is_value for fact in self.context.facts.facts_about(self.free)):
            return None
        slip = self.context.describe_slip(self.link)
        named = mentions("for all", f"{self.link.words_before} {self.link.words_after}")
        # The "identity" of a triangle or of a root of unity is one of its letters, where nothing mends it.
        if not (slip or named or "it holds if" in refuted.reason) and are_polynomials(self.left, self.right):
            return self._say("not shown", "it can be an identity of special numbers")
        return self._say("wrong", slip or refuted.reason)

    def _refute(self) -> LinkVerdict:
        """Return the verdict on a claim about any numbers: with one at which it fails, and with the condition
        under which it holds."""
        link, left, right = self.link, self.left, self.right
        worded = self.context.list_worded_hypotheses(link, left, right)
        verdict = self.context.judge.equal(left, right, worded)
        if verdict.outcome == "equal" or (verdict.outcome == "equal if" and not verdict.witness):
            return self._say("right", verdict.condition and f"where {verdict.condition}")
        if verdict.outcome == "undecided":
            return self._say("not shown", verdict.reason)
        condition = verdict.condition or find_repair(left, right)
        return self._say("wrong", verdict.witness + (f"; it holds if {condition}" if condition else ""))

    # ---- 4. an antiderivative or slope is calculated whatever the words before it say; values of an unknown
    # are tried in its equation; what only begins something is given

    def _judge_as_calculation(self) -> LinkVerdict | None:
        if (
            self.link.of_problem
            or self.link.is_denied_directly
            or is_supposed(self.link, may_give_value=False)
        ):
            return None
        mistake = self._find_misapplication() if is_slope(self.left) or self._is_value_here else None
        if mistake and self._is_value_here and (near := self.context.find_near_consequence(self.link)):
            mistake = Accusation(near.reason, mistake.evidence)
        if mistake is None and self.left.label in _OF_CHANGE:
            mistake = self._find_miscalculation()
        return self._accuse(mistake) if mistake else None

    @property
    def _is_value_here(self) -> bool:
        """Whether it says which number a function is at numbers, where its paragraph defines the function, or
        where nothing is supposed and the function is known."""
        if self.left.label != "call" or any(map(free_symbols, self.left.children[1:])):
            return False
        name = self.left.children[0].label
        known = self.context.facts.functions.get(name)
        if known is None or free_symbols(self.right):
            return False
        here = known.fact.position.paragraph == self.link.position.paragraph
        return here or (known.is_certain_at(self.link.position) and not is_supposed(self.link))

    def _judge_as_given(self) -> LinkVerdict | None:
        link = self.link
        solved = self._judge_solution()
        if solved is not None and solved.outcome == "follows":
            return solved
        begun = read_last_cue(link.words_before) == "given" and not link.connective and link.index == 0
        if link.of_problem or (begun and not self._begins_calculation):
            return self._say("given")
        return solved

    @property
    def _begins_calculation(self) -> bool:
        """Whether a chain goes on from two expressions in the same letters, as a calculation does and a
        condition does not."""
        return (
            self.equality_count > 1
            and not self.has_bare_side
            and free_symbols(self.left) == free_symbols(self.right)
        )

    def _judge_solution(self) -> LinkVerdict | None:
        """Return the verdict on a value of a variable, by the equation for it that was stated last; None
        where there is none."""
        link, name, value = self.link, self.left.label, self.right
        if self.left.children or not free_symbols(self.left):
            return None
        if free_symbols(value):
            return judge_solved_formula(self.context, link, self.left, value)
        if (chosen := self._judge_chosen_sign()) is not None:
            return chosen
        known = self.context.facts.equation_for(name)
        if known is None or is_ambiguous(known.left) or is_ambiguous(known.right):
            return None
        if any("tuple" in side.list_labels() for side in (known.left, known.right)):
            return None  # of ⟨x, x⟩ = 0 the left side is no pair
        if are_exactly_equal(known.left, known.right):  # a derivative that was worked out
            return None
        tried = []
        for each in {choose_signs(value, repeat(sign)) for sign in "+-"}:
            one, other = (replace_variable(side, name, each) for side in (known.left, known.right))
            tried.append(self.context.judge.equal(one, other))
        if all(each.outcome == "equal" for each in tried):
            return self._judge_root(known)
        leading = link.connective == "so" or is_made_of("leading", link.words_before.rpartition("§")[2])
        claimed = leading and not (link.is_denied_by_words_after or self._heads_item(known))
        last = known.number == self.context.facts.last_number or link.words_before.endswith("§ or")
        exact = not any(map(DECIMAL.match, value.list_labels())) and len(value) < LARGEST
        angles = not OF_ANGLES.isdisjoint((*known.left.list_labels(), *known.right.list_labels()))
        angles = angles and "pi" not in self._labels  # without π it can be one of degrees
        logarithms = any({"ln", "log"} & {*side.list_labels()} for side in (known.left, known.right))
        linear = not logarithms and len(real_roots(known.left, known.right, name, {})) == 1
        here = known.position.paragraph == link.position.paragraph and not known.alternative
        if not (claimed and last and exact and (known.is_certain or here)) or angles or linear:
            return None
        if link.of_problem or self.context.cases or self._solves_another(known):
            return None
        witness = next((each.witness for each in tried if each.outcome == "different"), "")
        if not witness:
            return None
        return self._accuse(
            Accusation(f"{witness}, by {cite_fact(known)}", Evidence("last equation", (known,)))
        )

    def _heads_item(self, known: Fact) -> bool:
        """Return whether a value opens an item of a list, and what holds there stands behind it: `- x = 0:
        f(x) = 1`. Such a value does not come from an equation of another item."""
        link = self.link
        other = known.position.scope is not link.position.scope and link.position.scope.kind == "item"
        leads_on = link.words_after.startswith(_LEADING_ON) or starts_with_phrase(
            "leading on", link.words_after
        )
        return other and leads_on and bool(link.next_formula)

    def _judge_chosen_sign(self) -> LinkVerdict | None:
        """Return the verdict on a value of a variable that was said to be one of two, `x = (7 ± 1)/2`."""
        about = self.context.facts.facts_about(self.free)
        known = next((fact for fact in reversed(about) if fact.is_value and fact.left == self.left), None)
        if known is None or known.right.list_labels().count("pm") != 1 or "pm" in self._labels:
            return None
        values = [choose_signs(known.right, repeat(sign)) for sign in "+-"]
        tried = [self.context.judge.equal(value, self.right) for value in values]
        if any(each.outcome == "equal" for each in tried):
            return self._say("follows", f"by {cite_fact(known)}")
        relation = self.link.relation
        if any(self.context.numbers.describe_rounding(value, self.right, relation) for value in values):
            return self._say("follows", f"rounded, by {cite_fact(known)}")
        here = known.position.paragraph == self.link.position.paragraph
        leading = (
            self.link.connective == "so" or is_concluded(self.link) or self.link.words_before.endswith("§ or")
        )
        differ = all(each.outcome == "different" for each in tried)
        if not (here and leading and differ) or self.link.is_denied_by_words_after or self.link.of_problem:
            return None
        return self._say("wrong", f"it is neither of the two values, by {cite_fact(known)}")

    def _solves_another(self, known: Fact) -> bool:
        """Return whether a value solves another equation for its variable: those of several values stand
        before them."""
        context = self.context
        return solves_another(context.facts, context.pieces, self.link, known, self.left.label, self.right)

    def _judge_root(self, known: Fact) -> LinkVerdict:
        """Return the verdict on a value that solves an equation: whether it solves those before it."""
        if not (failed := self._find_failed(known)):
            return self._say("follows", f"it solves {cite_fact(known)}")
        earlier, later = (Tree("=", (each.left, each.right)) for each in (failed, known))
        how = explain_root(earlier, later, self.context.judge)
        how = f", which was {how}" if how else ""
        return self._say("not shown", f"it solves {cite_fact(known)}, but not {cite_fact(failed)}{how}")

    def _find_failed(self, known: Fact) -> Fact | None:
        """Return an equation of the paragraph for a variable, stated before another, that its value does not
        solve: the value came in by squaring, or by a product."""
        name, at = self.left.label, evaluate_term(self.right, {})
        for fact in self.context.facts.in_scope if at is not None else ():
            here = fact.position.paragraph == self.link.position.paragraph and fact.number < known.number
            if not here or fact.variables != {name} or fact.is_value or at is None:
                continue
            divided = list_divisors(fact.left) | list_divisors(fact.right)
            vanishing = any(evaluate_term(each, {name: at}) == 0 for each in divided)
            if vanishing or values_agree(fact.left, fact.right, {name: at}) is False:
                return fact
        return None

    # ---- 5. what is left claims something: a derivative, a limit, a value of a function, a conclusion

    def _judge_as_claim(self) -> LinkVerdict | None:
        mistake = self._find_misapplication() or self._find_miscalculation()
        if mistake := mistake or self._find_other_members():
            return self._accuse(mistake)
        if self.equality_count == 1 and self.context.is_concluded_for_all(self.link, self.left, self.right):
            refuted = self._refute()
            if refuted.outcome == "wrong":
                return refuted
        if self.exact_equality is not True and (gap := self._describe_constant_gap()):
            return self._say("wrong", gap)
        return None

    def _find_miscalculation(self) -> Accusation | None:
        """Return where a derivative, a limit, a sum … is not what the text says; None where it is, or its
        variables may be sought."""
        link, left, right = self.link, self.left, self.right
        is_antiderivative = "antiderivative" in left.list_labels()
        calculated = left.label in _CALCULATED or is_antiderivative or self._has_worked_out_totals
        if "call" in self._labels or not calculated:
            return None
        # A limit and an integral with a letter are equal for some of its values.
        other_kind = right.label in _CALCULATED and left.label != right.label and self.equality_count == 1
        if other_kind and self.free:
            return None
        # A case is one of a letter beside the variable: what has none is the same in all.
        of_one = left.label in _OF_CHANGE and free_symbols(left) <= free_symbols(left.children[0])
        if self.context.are_cases_since(()) and not of_one:
            return None
        several = link.is_one_of_alternatives if of_one else link.may_be_one_of_several
        # "x > 0 such that …" seeks the x for which it holds.
        sought = mentions("sought with", link.connective)
        if link.has_denial_nearby or several or sought or LOG.search(link.left):
            return None
        more = free_symbols(right) - free_symbols(left)
        if not free_symbols(left) <= free_symbols(right) or (more and not is_antiderivative):
            return None
        constants = len(more) < 2 or all(name[0] in "Cc" for name in more)
        if (
            not constants
            or any(map(is_ambiguous, (left, right)))
            or self.context.is_sought(free_symbols(left))
        ):
            return None
        verdict = self.context.compare(left, right, free_symbols(right))
        return Accusation(verdict.witness) if verdict.outcome == "different" else None

    def _find_other_members(self) -> Accusation | None:
        """Return where a union, intersection or difference of sets with known members is not the set that the
        text says; None where it is."""
        link, reduced = self.link, self.reduced
        if self.left.label not in _OF_SETS or self.right.label != "set" or reduced is None:
            return None
        if (
            link.is_denied_by_words_after
            or link.is_denied_directly
            or link.is_one_of_alternatives
            or free_symbols(reduced.left)
        ):
            return None
        if not self.context.facts.is_settled(self.free):
            return None
        verdict = self.context.judge.equal(reduced.left, reduced.right)
        if verdict.outcome != "different":
            return None
        return _cite_facts("stated values", verdict, reduced)

    @property
    def _has_worked_out_totals(self) -> bool:
        """Whether integrals or sums in a term are worked out in the other, with the same letters."""
        if read_last_cue(self.link.words_before) == "given" and not self.link.index:
            return False
        left, right = (_TOTALS & {*side.list_labels()} for side in (self.left, self.right))
        return bool(left) and not right and free_symbols(self.left) == free_symbols(self.right)

    def _has_dependent_letters(self, used: Sequence[Fact]) -> bool:
        """Return whether definitions of functions have a letter that is said to be a term in their argument,
        as the price p = 50 - x in R(x) = px."""
        for fact in used:
            arguments = frozenset(part.label for part in fact.left.children[1:])
            letters = free_symbols(fact.right) - arguments
            for said in self.context.facts.facts_about(letters):
                if said.left.label in letters and arguments & free_symbols(said.right):
                    return True
        return False

    @property
    def _has_stated_value(self) -> bool:
        """Whether the text says of its left side which number it is."""
        return any(
            fact.left == self.left and not free_symbols(fact.right) for fact in self.context.facts.in_scope
        )

    def _find_misapplication(self) -> Accusation | None:
        """Return where a value or a derivative of a function is not what the text's definition gives; None
        where it is.

        A claim in variables could be an equation to be solved: it counts if it is the derivative, in the
        same variables, or is said to follow.
        """
        link, left, right = self.link, self.left, self.right
        # A function has one derivative.
        # "The endpoints have values § and § " names several values, each of its own place.
        beside = link.words_before.rpartition("§")[2]
        several = mentions("either", beside) if self._is_value_here else link.may_be_one_of_several
        is_given = is_initial_value(link, left, self.context.equations)
        if link.has_denial_nearby or is_given or (several and not is_slope(left)):
            return None
        if is_product_with_zero(self.context.facts, left, right):
            return None
        reduced = self.context.facts.reduce_by_definitions(left, right)
        if reduced is None or not differ_in_any_angle(reduced.left, reduced.right):
            return None
        if is_slope(left) and self._has_dependent_letters(reduced.used):
            return None
        out = reaches_out((left, right), reduced.used, self.context.ranges, self.context.judge)
        of_sign = is_root_of_square(reduced.left, reduced.right)
        if out or of_sign or is_zero_of_its_kind(self.context.judge, reduced.left, reduced.right):
            return None
        # d/dx f(y) can be of a y that is not said to depend on x.
        if self.context.are_cases_since(reduced.used) or (self.context.cases and left.label != "call"):
            return None
        exact = not free_symbols(right) and not any(map(DECIMAL.match, right.list_labels()))
        if is_slope(left) and exact and (gap := constant_gap(reduced.left, reduced.right)):
            why = f"the sides differ by {gap}, {describe_sources(reduced.used)}"
            return Accusation(why, Evidence("definition", reduced.used))
        sides = free_symbols(reduced.left), free_symbols(reduced.right)
        if sides[0] != sides[1] or len(reduced.left) + len(reduced.right) >= LARGEST:
            return None
        if sides[0]:
            is_value = left.label == "call" and all(not each.children for each in left.children)
            claimed = is_slope(left) or (read_last_cue(link.words_before) == "claimed" and not is_value)
            # "§ = 2A + B, so 2A + B = 5" works out what was said to be 5.
            is_sought = self.context.is_sought(sides[0]) and not self._has_stated_value
            if "call" in right.list_labels() or not claimed or is_sought:
                return None
        if any(LOG.search(fact.text) for fact in reduced.used):
            return None
        verdict = self.context.compare(reduced.left, reduced.right, sides[0])
        if verdict.outcome != "different":
            return None
        if not sides[0] and (
            self.context.numbers.are_about_equal(reduced.left, reduced.right)
            or is_measured(reduced.left, reduced.right)
        ):
            return None
        return _cite_facts("definition", verdict, reduced)

    def _describe_constant_gap(self) -> str:
        """Return by which number the sides differ whatever their variables are; "" where they do not, or
        where an equation may have no solution."""
        link, left, right = self.link, self.left, self.right
        if (
            not left.children
            or link.has_denial_nearby
            or link.may_be_one_of_several
            or read_last_cue(link.words_before) == "given"
        ):
            return ""
        words = f"{link.words_before} {link.words_after}"
        # Further on in a chain a term is worked out, and nothing is to be solved.
        is_step = bool(link.index) and self._is_transformation()
        is_task = mentions("task", words) or self.context.is_assigned(link)
        if mentions("unsolvable", words) or (is_task and not is_step):
            return ""
        if right.children and not (link.index or is_concluded(link)):  # an equation without solution
            return ""
        if right in left.children:  # i = i + 1 in a program, ω = 1 + ω of infinite numbers
            return ""
        gap = constant_gap(left, right) if self.exact_equality is False else self._find_transcendental_gap()
        if gap and DECIMAL.match(right.label) and abs(Fraction(gap)) <= measure_rounding(right):
            return ""
        return f"the sides differ by {gap} whatever their variables are" if gap else ""

    def _find_transcendental_gap(self) -> str:
        """Return the fraction by which sides with functions such as e^x differ everywhere; "" for none."""
        left, right = self.left, self.right
        if len(left) + len(right) >= LARGEST or "call" in self._labels or LOG.search(self.link.left):
            return ""
        values = [(evaluate_term(left, at), evaluate_term(right, at)) for at in points_of(self.free)]
        gaps = [one - other for one, other in values if one is not None and other is not None]
        if len(gaps) < 2 or not math.isclose(*gaps, rel_tol=_CLOSE_GAPS, abs_tol=_CLOSE_GAPS):
            return ""
        # Only the judge can tell that a difference is the same at all values.
        gap = Fraction(gaps[0]).limit_denominator(_LARGEST_DENOMINATOR)
        number = Tree("/", (Tree(str(gap.numerator)), Tree(str(gap.denominator))))
        holds = gap and self._compare(left, Tree("+", (right, number))).outcome == "equal"
        return str(gap) if holds else ""

    # ---- 6. variables of which nothing was stated: an expansion is meant as an identity, other equations
    # restrict their variables unless one condition would repair them

    def _judge_new_variables(self) -> LinkVerdict | None:
        if self._is_constrained:
            return None
        link, left, right = self.link, self.left, self.right
        cue = read_last_cue(link.words_before)
        if self.exact_equality is False and cue != "given" and is_expansion(left, right):
            if self._is_doubtful:
                return self._say("not shown", "its sides differ")
            return self._say("wrong", self.context.judge.equal(left, right).witness)
        alone = link.index == 0 and self.equality_count == 1
        repairable = not self.has_bare_side and self.exact_equality is False and len(self.free) > 1 and alone
        if repairable and (is_concluded(link) or cue is None) and (repair := find_repair(left, right)):
            if not self._is_doubtful and (slip := self.context.describe_slip(link)):
                return self._say("wrong", slip)
            return self._say("right if", repair)
        if self.has_bare_side:
            return self._say("given", _FIRST)
        return self._say("given") if alone and not mentions("rewritten", link.words_before) else None

    # ---- 7. contradictions, and steps of a chain that change its value

    def _judge_as_change(self) -> LinkVerdict | None:
        link, left, right = self.link, self.left, self.right
        if not self._is_doubtful and not link.is_rounded and (why := self._find_contradiction()):
            return self._accuse(why)
        explained = self._is_constrained and self.reduced is not None and bool(self.reduced.used)
        explained = explained or self._is_equation_carried_on()
        if (
            not (self._is_doubtful or self.has_bare_side or explained)
            and (link.index or self.exact_equality is False)
            and self._is_transformation()
        ):
            verdict = self.compared = self.compared or self._compare(left, right)
            if verdict.outcome == "different":
                return self._say("wrong", verdict.witness)
        names = free_symbols(left)
        new = not left.children and all(
            names.isdisjoint(fact.variables) for fact in self.context.facts.in_scope
        )
        if self.has_bare_side and (not self._is_constrained or new):
            return self._say("given", _FIRST)
        return None

    def _is_equation_carried_on(self) -> bool:
        """Return whether an equation of its variables was stated, which its own says in other words, or which
        holds for the entries of its matrices."""
        link = self.link
        derived = link.index == 0 and mentions("obtaining", last_clause(link.words_before))
        if not derived and "matrix" not in self._labels:
            return False
        about = self.context.facts.facts_about(self.free)
        return any(fact.variables <= self.free and not fact.is_value for fact in about)

    def _is_transformation(self) -> bool:
        """Return whether an expression is written in another way: both sides share their variables."""
        left_names, right_names = free_symbols(self.left), free_symbols(self.right)
        if are_renamed(self.left, self.right):
            return False  # 1/x = 1/y = 1/z restricts its letters
        if (
            not left_names
            or left_names != right_names
            or any(name.endswith("(") for name in left_names | right_names)
        ):
            return False
        if VECTORS.search(self.link.left + self.link.right) or self._labels & {"pm", "unit", "text"}:
            return False
        return self.equality_count >= 2

    def _find_contradiction(self) -> Accusation | None:
        """Return by which facts a claim is false: they determine its variables, and no case was distinguished
        since; None where none say so."""
        facts, link, left, right = self.context.facts, self.link, self.left, self.right
        reduced = facts.reduce_by_facts(left, right, certain_only=True)
        if reduced is None or reduced.same or not reduced.used:
            return None
        if free_symbols(reduced.left) | free_symbols(reduced.right):
            return None
        base = left.children[0] if left.label == "pow" else left
        first = min(fact.number for fact in reduced.used)
        last = len(reduced.used) == 1 and first == facts.last_number
        defined = any(fact.left == base for fact in reduced.used)
        recent = last or (defined and any(each.number <= first for each in facts.in_scope[-4:]))
        if base.children or free_symbols(right) or not recent:
            return None
        if base == left and self._solves_another(reduced.used[-1]):
            return None
        if self._stands_beside_another or link.is_unannounced:
            return None
        if not all(fact.is_certain for fact in facts.in_scope if fact.number >= first):
            return None
        sides = [left, right, *(side for fact in reduced.used for side in (fact.left, fact.right))]
        if any(not AMBIGUOUS_LABELS.isdisjoint(side.list_labels()) for side in sides):
            return None
        if any(not side.children and side in (left, right) and free_symbols(side) for side in sides[2:]):
            return None  # the variable has another value now
        verdict = self.context.judge.equal(reduced.left, reduced.right)
        if verdict.outcome != "different" or any(
            self.context.numbers.are_about_equal(reduced.left, each) for each in (reduced.right, right)
        ):
            return None
        is_zero = is_zero_of_its_kind(self.context.judge, reduced.left, reduced.right)
        if is_zero or not differ_in_any_angle(reduced.left, reduced.right):
            return None
        return _cite_facts("stated values", verdict, reduced)

    # ---- questions that several steps ask

    @property
    def _labels(self) -> set[str]:
        return {*self.left.list_labels(), *self.right.list_labels()}

    @property
    def _stands_beside_another(self) -> bool:
        """Whether an equation stands before it in its formula, parted by a comma or space: both are of a
        system, or the equations of several roots."""
        before = self.context.equations[-2:-1]
        return self.link.connective in (",", "column") and any(
            link.piece_index == self.link.piece_index and link.chain_index != self.link.chain_index
            for link, _, _ in before
        )

    @property
    def _is_doubtful(self) -> bool:
        return self.link.has_denial_nearby or self.link.may_be_one_of_several

    @property
    def _is_constrained(self) -> bool:
        """Whether something was stated of its variables."""
        return bool(self.context.facts.facts_about(self.free))

    def _compare(self, left: Tree, right: Tree) -> Verdict:
        return self.context.compare(left, right, self.free)

    def _say(self, outcome: LinkOutcome, reason: str = "") -> LinkVerdict:
        return LinkVerdict(self.link, outcome, reason)

    def _accuse(self, mistake: Accusation) -> LinkVerdict:
        return LinkVerdict(self.link, "wrong", mistake.reason, evidence=mistake.evidence)


def _cite_facts(kind: EvidenceKind, verdict: Verdict, reduced: Reduced) -> Accusation:
    reason = f"{verdict.witness}, {describe_sources(reduced.used)}"
    return Accusation(reason, Evidence(kind, reduced.used))
