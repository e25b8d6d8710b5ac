"""Inequalities with variables: bounds of letters, claims for all numbers, and steps from statements before.

A bound of a letter is given, or follows from the bound before it. What is said of all numbers, and what is
drawn from statements of the paragraph, is wrong where a number refutes it that satisfies all that was stated.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from engines.core.tree import ZERO, Tree
from engines.mathematics.judging.names import INTEGERS
from engines.proofreading.bounds import BOUNDS, carry_bound, find_opposite, is_multiple
from engines.proofreading.chains import ChainLink
from engines.proofreading.counterexamples import find_counterexample
from engines.proofreading.cue_phrases import (
    last_clause,
    last_sentence,
    mentions,
    ranges_over_numbers,
    read_last_cue,
    words_of,
)
from engines.proofreading.letter_domains import list_conditions, list_counts
from engines.proofreading.link_context import LARGEST, LinkContext
from engines.proofreading.link_verdicts import LinkVerdict
from engines.proofreading.other_notations import list_roots_taken
from engines.proofreading.repair_conditions import write_term
from engines.proofreading.solution_changing_steps import explain_sign
from engines.proofreading.stated_premises import is_step_from_premises, list_stated_premises
from engines.proofreading.stated_values import find_failed_approximation
from engines.proofreading.statement_roles import is_concluded
from engines.proofreading.term_properties import free_symbols

_TERM = re.compile(r"_[ijkmn]\Z")
"""The index of a term of a sequence."""
_SETS_OF_NUMBERS = frozenset(("ℝ", "R", "interval", *INTEGERS))
_PARAGRAPHS_BESIDE = 2
"""Paragraphs: a displayed formula is one of its own."""


@dataclass(slots=True)
class InequalityLink:
    """An inequality with variables that is being judged."""

    context: LinkContext
    link: ChainLink
    left: Tree
    right: Tree
    statement: Tree = field(init=False)

    def __post_init__(self) -> None:
        self.statement = Tree(self.link.relation, (self.left, self.right))

    def judge_inequality(self) -> LinkVerdict:
        """Return the verdict on it."""
        judged = self._judge_by_facts()
        # What was said before can be too weak for it.
        if judged.outcome in ("given", "not shown") and (witness := self._refute_step()):
            self.context.facts.replace_condition(self.statement)
            judged = LinkVerdict(self.link, "wrong", f"it fails at {witness}")
        self.context.inequalities.append((self.link, self.statement))
        return judged

    def _judge_by_facts(self) -> LinkVerdict:
        link, left, right, statement = self.link, self.left, self.right, self.statement
        context = self.context
        is_given = link.of_problem or read_last_cue(link.words_before) == "given"
        # x > 2 bounds a variable, and x^2 >= x says something of all its values.
        is_bound = not (left.children and right.children) and free_symbols(left).isdisjoint(
            free_symbols(right)
        )
        if (
            left == right
            and any(label[0].isalnum() for label in left.list_labels())
            and link.relation in ("<", ">", "!=")
            and not (link.of_problem or link.is_denied_directly)
            # p → q ≠ q → p compares two implications.
            and not (link.relation == "!=" and (link.index or link.is_premise))
            and not mentions("ordering", f"{link.words_before} {link.words_after}")
            and not mentions("refused", last_sentence(link.words_before))
        ):
            return LinkVerdict(link, "wrong", "both sides are the same")
        # What is unequal in general is so at some values, and not at all.
        for_all = link.relation != "!=" and self._is_stated_for_all()
        for_all = for_all and not self._is_bounded_by_others(free_symbols(statement))
        # x_n < 1 is said of the terms of a sequence, which are no numbers at will.
        of_terms = any(_TERM.search(name) for name in free_symbols(statement))
        if not link.of_problem and link.relation in BOUNDS and len(free_symbols(statement)) == 1:
            context.bounds.append((link, statement))
        if not is_bound and len(statement) < LARGEST:
            known = [*context.list_hypotheses(free_symbols(statement)), *context.facts.conditions[-4:]]
            verdict = context.judge.holds(statement, list(dict.fromkeys(known)))
            if verdict.outcome == "equal":
                return LinkVerdict(link, "right", verdict.reason)
        source = self._find_inequality_before()
        context.inequality_before = context.inequality_before if is_bound else (link, statement)
        concluded_for_all = not is_bound and context.is_concluded_for_all(link, left, right)
        if not of_terms and (for_all or concluded_for_all):
            known = [*context.list_worded_hypotheses(link, left, right), *list_counts(statement)]
            # Where the inequality holds from which a step goes on, the step has to hold, and nowhere else.
            if source is not None and is_multiple(statement, source[1], context.are_equal):
                written = " ".join(f"{source[0].left} {source[0].relation} {source[0].right}".split())
                return LinkVerdict(link, "follows", f"by {written} (line {source[0].line})")
            known += [source[1]] if source else []
            known += self._list_ranges()
            witness = find_counterexample(context.judge, statement, list(dict.fromkeys(known)))
            positive = list_roots_taken(statement) if witness and not for_all else []
            if positive and context.judge.holds(statement, [*known, *positive]).outcome != "different":
                where = " and ".join(map(write_term, positive))
                return LinkVerdict(link, "not shown", f"it is not refuted where {where}")
            if witness:
                return LinkVerdict(link, "wrong", f"it fails at {witness}")
            if is_bound and context.judge.holds(statement, known).outcome == "equal":
                return LinkVerdict(link, "right")
        reduced = context.facts.reduce_by_facts(left, right)
        if reduced is not None and not (free_symbols(reduced.left) | free_symbols(reduced.right)):
            verdict = context.judge.holds(Tree(link.relation, (reduced.left, reduced.right)))
            if verdict.outcome == "equal":
                return context.conclude(link, reduced.used)
        is_claimed = link.relation == "approx" and not (link.of_problem or link.is_denied_directly)
        if is_claimed and (
            mistake := find_failed_approximation(context.facts, link, left, right, context.numbers)
        ):
            return LinkVerdict(link, "wrong", mistake.reason, evidence=mistake.evidence)
        if statement in context.facts.conditions:
            return LinkVerdict(link, "follows", "it was said before")
        carried = (
            carry_bound(context.judge, link, statement, context.bounds)
            if is_bound and link.relation in BOUNDS
            else None
        )
        conditions = context.facts.conditions
        opposite = find_opposite(statement, conditions) if is_bound and not carried else None
        while (
            is_bound and not link.of_problem and (old := find_opposite(statement, context.facts.conditions))
        ):
            context.facts.replace_condition(old)
        if is_bound and link.relation in BOUNDS:
            context.facts.add_condition(statement)
        if carried is not None:
            return carried
        # "For x > 1 …, and for x < 1 …" are two cases.
        if opposite and words_of(link.words_before)[-1:] not in (["for"], ["if"], ["when"], ["whenever"]):
            return LinkVerdict(
                link,
                "given",
                f"nothing satisfies it and {write_term(opposite)}: everything follows from both",
            )
        if step := self._describe_multiplication():
            return LinkVerdict(link, "not shown", step)
        if is_given or is_bound:
            return LinkVerdict(link, "given")
        return LinkVerdict(link, "not shown", "it depends on its variables")

    @property
    def _bounds_letter(self) -> bool:
        """Whether it says between which numbers a letter is, as `x > 2` does and `x^2 > 2` does not."""
        sides = [side for side in (self.left, self.right) if free_symbols(side)]
        return len(sides) == 1 and not sides[0].children

    def _is_stated_for_all(self) -> bool:
        """Return whether it is claimed for all numbers: it is no bound of a letter, and no letter is said to
        be a member of a set that is not known."""
        if self._bounds_letter:
            return False
        link = self._ranging_link
        begun = words_of(last_clause(link.words_before))[:2]
        if mentions("introducing", " ".join(begun)):
            return False  # "now fix an arbitrary ε/2 > 0"
        formulas = (*link.formulas_before, link.next_formula)
        if any(self._names_unknown_set(formula) for formula in formulas):
            return False
        sides = (self.left, self.right) if free_symbols(self.left) else (self.right, self.left)
        return self.context.is_stated_for_all(link, *sides)

    @property
    def _ranging_link(self) -> ChainLink:
        r"""Its link, with the words and the statement behind it in its formula as those behind the formula:
        `x^2 > 0 \quad \text{for all } x \in \mathbb{R}`."""
        link, following = self.link, self.context.next_link
        if not (following and following.piece_index == link.piece_index and following.connective):
            return link
        if not ranges_over_numbers(following.connective):
            return link
        statement = f"{following.left} {following.relation} {following.right}"
        return replace(link, words_after=following.connective, next_formula=statement, words_after_next="")

    def _names_unknown_set(self, formula: str) -> bool:
        """Return whether a formula says of a letter that it is a member of a set that is not known."""
        is_said = any(sign in formula for sign in (r"\in", "∈"))
        tree = self.context.read_formula(formula).tree if is_said else None
        names = free_symbols(self.statement)
        return any(
            each.label == "in"
            and len(each.children) == 2  # a sign that stands alone has no sides
            and not names.isdisjoint(free_symbols(each.children[0]))
            and each.children[1].label not in _SETS_OF_NUMBERS
            for each in tree or ()
        )

    def _list_ranges(self) -> list[Tree]:
        """List what its own sentence says of the numbers for which it holds: `for all x ≠ 0`."""
        link = self._ranging_link
        behind = () if link.words_after.startswith(".") else (link.next_formula,)
        read = (self.context.read_formula(formula).tree for formula in (*link.formulas_before, *behind))
        return [
            condition for tree in read for condition in list_conditions(tree) if condition != self.statement
        ]

    def _refute_step(self) -> str:
        """Return where it fails and all holds that was stated before it in the paragraph from which it is
        drawn; "" where it holds or more than that is known."""
        if self.link.relation not in BOUNDS or not is_step_from_premises(self.link, self.statement):
            return ""
        premises = list_stated_premises(self.context, self.link, self.statement)
        if premises is None:
            return ""
        names = [Tree(name) for name in sorted(free_symbols(self.statement))]
        # Who multiplies by a letter means a positive one, and who rounds a bound means whole numbers.
        if self._describe_multiplication():
            premises += [Tree(">", (name, ZERO)) for name in names]
        if self._bounds_letter:
            premises += [Tree("in", (name, Tree("ℤ"))) for name in names]
        return find_counterexample(self.context.judge, self.statement, premises)

    def _find_inequality_before(self) -> tuple[ChainLink, Tree] | None:
        """Return the inequality from which another is drawn by an arrow or in the next row; None for none."""
        link = self.link
        if link.index or link.connective not in ("so", "row") or self.context.inequality_before is None:
            return None
        before = self.context.inequality_before[0]
        here = before.position.paragraph == link.position.paragraph and before.chain_index != link.chain_index
        return self.context.inequality_before if here else None

    def _is_bounded_by_others(self, free: frozenset[str]) -> bool:
        """Return whether formulas shortly before bound some letters by others: `|x - y| < d`, said of all x
        and y."""
        here = self.context.position.paragraph
        near = (
            bound
            for bound, place in self.context.facts.bounds
            if 0 <= here - place.paragraph <= _PARAGRAPHS_BESIDE
        )
        return any(not free.isdisjoint(names) and not names <= free for names in map(free_symbols, near))

    def _describe_multiplication(self) -> str:
        """Return which inequality before was multiplied by an expression of either sign to get this one."""
        link, statement = self.link, self.statement
        before = [(one, bound) for one, bound in self.context.bounds[-2:] if one is not link]
        if link.relation not in BOUNDS or not before or not (is_concluded(link) or link.connective == "row"):
            return ""
        previous, bound = before[-1]
        if previous.position.paragraph != link.position.paragraph or previous.chain_index == link.chain_index:
            return ""
        known = [*self.context.list_hypotheses(free_symbols(statement)), bound]
        step = explain_sign(bound, statement, [one for one in known if one != statement], self.context.judge)
        earlier = " ".join(f"{previous.left} {previous.relation} {previous.right}".split())
        return f"{earlier} (line {previous.line}) was {step}" if step else ""
