"""Judge the links of a document's chains, each with one of the outcomes below.

A link that holds wherever both sides are defined is *right*, under a hypothesis *right if*; one that holds by
what was said before *follows*. What fails is *wrong* only where it claims something of numbers, where a chain
of equal expressions changes its value, or where it contradicts what was said: a definition, a condition or an
equation to be solved fails alone and is *given*, anything else is *not shown*. It is *doubtful* where a
slip would explain it that may be about something else. A link whose sides are
equal but not defined at the same points, or a function that is undefined in its stated domain, *loses
domain*; what cannot be read is *unread*.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from engines.core.tree import ZERO, Tree
from engines.formula.derivative_parser import DIFFERENT_ORDERS
from engines.mathematics.judging.names import free_variables
from engines.mathematics.judging.shapes import is_column
from engines.mathematics.verification.work_limit import limit_work
from engines.proofreading.calculus_slips import find_shorter_sum
from engines.proofreading.chains import MAX_FORMULA, TOO_LONG, ChainLink
from engines.proofreading.congruence_roots import judge_congruence_root, judge_root_in_ring, judge_system
from engines.proofreading.cue_phrases import (
    mentions,
    read_last_cue,
    starts_with_phrase,
)
from engines.proofreading.differentials import describe_integrators
from engines.proofreading.ellipsis_slips import find_ellipsis_slip
from engines.proofreading.equation_links import EquationLink
from engines.proofreading.evidence_grades import weigh_evidence
from engines.proofreading.geometric_sums import find_other_sum
from engines.proofreading.group_words import IDENTITY
from engines.proofreading.index_derivatives import judge_index_derivatives
from engines.proofreading.inequality_links import InequalityLink
from engines.proofreading.kernel_vectors import find_vector_outside
from engines.proofreading.letter_domains import list_conditions
from engines.proofreading.limit_links import judge_limit
from engines.proofreading.link_context import LinkContext
from engines.proofreading.link_verdicts import Accusation, LinkOutcome, LinkVerdict
from engines.proofreading.logarithm_bases import find_base_of_sources, find_logarithm_base
from engines.proofreading.matrix_links import MatrixLinks
from engines.proofreading.named_functions import work_out_named
from engines.proofreading.named_moduli import Moduli
from engines.proofreading.number_links import SUPPOSED
from engines.proofreading.odd_middles import describe_odd_middle
from engines.proofreading.open_ends import take_powers_in
from engines.proofreading.other_meanings import STAR, is_partial_slope, reconsider_link, take_degrees
from engines.proofreading.other_notations import (
    are_powers_of_one_set,
    forgets_mixed_terms,
    hold_for_complex,
)
from engines.proofreading.recurrences import find_closed_form_value, find_recurrence_value
from engines.proofreading.reintroduced_letters import is_defined_anew
from engines.proofreading.repair_conditions import write_term
from engines.proofreading.rings_and_residues import (
    accuse_word,
    is_slip_of_word,
    is_word_of_group,
    judge_congruence,
    judge_in_domain,
)
from engines.proofreading.root_conditions import reconsider_root
from engines.proofreading.scopes import ALGEBRA, NOWHERE, NUMBERS, Position
from engines.proofreading.series_links import judge_expansion
from engines.proofreading.stated_members import find_stated_member
from engines.proofreading.stated_premises import refute_equation
from engines.proofreading.stated_values import (
    describe_failed_calculation,
    describe_failed_step,
    find_failed_root,
    find_formula_value,
    find_lost_root,
    find_valued_statement,
    holds_at_roots_before,
)
from engines.proofreading.statement_roles import is_concluded, is_supposed, is_value_to_look_at, read_role
from engines.proofreading.substitutions import judge_substitution
from engines.proofreading.term_properties import (
    DEGREES,
    WHOLE,
    are_equal_modulo,
    are_exactly_equal,
    count_members,
    count_terms,
    describe_unjudged,
    evaluate_term,
    find_residue,
    free_symbols,
    real_roots,
    values_agree,
)
from engines.proofreading.undefined_definitions import find_undefined
from engines.proofreading.worked_examples import find_mistake_in_example

_MEMBERSHIPS: Mapping[str, str] = {
    **dict.fromkeys((r"\in", r"\notin", r"not \in"), "in"),
    **dict.fromkeys((r"\subset", r"\subseteq", r"\subseteqq", r"not \subset", r"not \subseteq"), "subset"),
    **dict.fromkeys((r"\mid", r"\nmid", r"not \mid"), "divides"),
}
"""Relations of members, subsets and divisors, which are judged of numbers and sets of numbers."""
_ASSIGNING = (r"\leftarrow", "←", r"\gets")
"""Arrows by which a letter gets another value."""
_JUDGED = ("=", "<", ">", "<=", ">=", "!=", "approx")
_MOST_TERMS = 200
"""Of the sums and products of a link, with those inside others; more are not added up."""
_MOST_WORK = 60_000
"""Operations that the values of one link may take, all together."""
_MODULI = ("p", "q", "n", "m", "N")
"""Letters of numbers by which is divided."""
_EMPTY = Tree("set")
_AMBIGUOUS_FOR_SETS = ("+", "-", "*", "abs")
"""Operations that mean something else of sets than of numbers."""
_AMBIGUOUS_FOR_COMPLEX = ("abs", "arg")
"""Operations that mean something else of complex numbers than of real ones."""
_SHARED_WITH_GROUPS = frozenset(("*", "pow"))
"""Operations that groups have too, whose products need not commute."""
_SEVERAL_VALUES = ("ln", "log", "sqrt", "root", "arg")
"""Operations that have several values of complex numbers."""
_CALCULATED = ("call", "d", "limit", "integral", "antiderivative", "sum", "prod")
"""Terms that a chain begins with which calculates what they are."""
_OF_LIMITS = frozenset(("limit", "integral"))
_DECIDED = ("right", "right if", "wrong", "loses domain")


def _is_judged(link: ChainLink) -> bool:
    """Return whether the relation of a link is one between numbers that is understood."""
    return link.relation in (*_JUDGED, "congruent", ":=")


@dataclass(slots=True)
class LinkJudge(LinkContext):
    """Judge of the links of one document in their order, which remembers what the text has stated so far."""

    def judge_chain(
        self, links: Sequence[ChainLink], next_link: ChainLink | None = None
    ) -> Iterator[LinkVerdict]:
        """Judge the links of a chain.

        Args:
            links: The links of the chain.
            next_link: The first link after the chain, if there is one.
        """
        is_decided, has_mistake, self.has_unfounded_step = True, False, False
        self.position, self.piece = (links[0].position, links[0].piece_index) if links else (NOWHERE, 0)
        self.quantity = links[0].left.strip() if links else ""
        for judged in self._judge_links(links, next_link):
            link = judged.link
            is_decided = is_decided and judged.outcome in _DECIDED
            has_mistake = has_mistake or judged.outcome == "wrong"
            left, right = (
                (side.tree for side in self.read_sides(link)) if judged.outcome != "unread" else (None, None)
            )
            role = read_role(link, left, right)
            if left is None or right is None:
                yield replace(judged, role=role)
                continue
            free = free_symbols(left) | free_symbols(right)
            known = (each for each in self.facts.conditions if not free.isdisjoint(free_symbols(each)))
            statement = write_term(Tree(link.relation, (left, right)))
            yield replace(
                judged,
                role=role,
                statement=statement,
                hypotheses=tuple(dict.fromkeys(map(write_term, known)))[-3:],
            )
        # Of what stands around a mistake nobody knows what is meant.
        if has_mistake and not self.has_unfounded_step:
            self.facts.forget(self.last_fact_before_chain)
        if is_decided and links:
            self.decided_pieces.add(links[0].piece_index)

    def _judge_links(self, links: Sequence[ChainLink], next_link: ChainLink | None) -> Iterator[LinkVerdict]:
        equality_count = sum(link.relation == "=" for link in links)
        self.has_several_equations = equality_count > 1
        self.last_fact_before_chain = self.facts.last_number
        chain_start = self.read_sides(links[0])[0].tree if links else None
        # a = -a = b is an equation, and x = a = -a is none; x = a = 0 is one.
        ends = [self.read_sides(link)[1].tree for link in links] if self.has_several_equations else []
        named = chain_start is not None and (not chain_start.children or chain_start.label in _CALCULATED)
        sides = [chain_start, *ends] if ends and named else []
        self.defines_by_steps = bool(sides) and all(each and free_symbols(each) for each in sides)
        for link, previous, following in zip_longest(links, (None, *links[:-1]), links[1:]):
            if link.relation == TOO_LONG:
                yield LinkVerdict(link, "unread", f"the formula has more than {MAX_FORMULA:,} characters")
                continue
            left, right = self.read_sides(link)
            if left.tree is None or right.tree is None:
                unread = left if left.tree is None else right
                self._forget_redefined(link, left.tree)
                # Whatever it is of, the second derivative is by the second power of its variable.
                outcome: LinkOutcome = "wrong" if unread.reason == DIFFERENT_ORDERS else "unread"
                yield LinkVerdict(link, outcome, unread.reason)
                continue
            if link.relation in _MEMBERSHIPS and (
                judged := self._judge_membership(link, left.tree, right.tree)
            ):
                yield judged
                continue
            if link.relation in _ASSIGNING:
                self._forget_redefined(link, left.tree)
            if not _is_judged(link):
                with limit_work(_MOST_WORK):
                    approaching = judge_limit(self, link, left.tree, right.tree)
                unjudged = f"the relation {link.relation} is not judged"
                yield approaching or LinkVerdict(link, "not shown", unjudged)
                continue
            if link.is_denied_by_words_after:
                self.denied_piece = link.piece_index
            self.next_link = None if following else next_link
            self.facts.go_to(link.position)
            self._renew_letters(link)
            if link.is_premise and not link.index:
                self.facts.leave_arguments(left.tree, right.tree, link.argument)
            if self._is_set_anew(link, left.tree, right.tree):
                self.facts.renew([left.tree.label], link.position)
            with limit_work(_MOST_WORK):
                by_calculus = (
                    judge_expansion(self, link, left.tree, right.tree)
                    or judge_substitution(self, link, left.tree, right.tree)
                    or judge_index_derivatives(self, link, left.tree, right.tree)
                )
            if by_calculus is not None:
                yield weigh_evidence(by_calculus)
                continue
            integrators = describe_integrators(left.tree, right.tree)
            if unjudged := describe_unjudged(left.tree, right.tree) or integrators:
                claimed = link.relation == "=" and not (link.of_problem or link.is_denied_directly)
                with limit_work(_MOST_WORK):
                    slip = find_ellipsis_slip(left.tree, right.tree, self.are_equal) if claimed else ""
                other_sum = find_other_sum(left.tree, right.tree) if claimed and not slip else ""
                reason = f"it holds with {slip}" if slip else other_sum or unjudged
                yield LinkVerdict(link, "wrong" if slip or other_sum else "not shown", reason)
                continue
            free = free_symbols(left.tree) | free_symbols(right.tree)
            self.conditions_beside = [
                each
                for written in link.restricting_formulas
                for each in list_conditions(self.read_formula(written).tree)
                if free_symbols(each) <= free
            ]
            next_side = (
                self.read_sides(following)[1].tree if following and following.relation == "=" else None
            )
            with limit_work(_MOST_WORK) as limit:
                judged = self._judge_link(link, left.tree, right.tree, equality_count, next_side)
            of_sides = judged.outcome == "wrong" and judged.evidence.kind == "sides"
            if of_sides and holds_at_roots_before(self.facts, link, left.tree, right.tree):
                judged = LinkVerdict(link, "not shown", "it holds at the roots of the equation before it")
            # In "9 ∥ 5 = 6" the sign can be an operation, of which 6 is the result.
            if of_sides and previous and not left.tree.children and not _is_judged(previous):
                judged = LinkVerdict(link, "not shown", f"{previous.relation} can be an operation")
            is_open = judged.outcome == "not shown" or (judged.outcome == "given" and not judged.reason)
            if is_open and limit.refused and not link.of_problem:
                judged = LinkVerdict(link, "not shown", "it takes more work than one link is given")
            # sides with a constant C, of the antiderivative that the chain begins with
            if (
                judged.outcome == "wrong"
                and chain_start
                and chain_start.label == "antiderivative"
                and all(
                    len(free_symbols(side) - free_symbols(chain_start)) == 1
                    and self.judge.equal(chain_start, side).outcome == "equal"
                    for side in (left.tree, right.tree)
                )
            ):
                judged = LinkVerdict(link, "right", "up to a constant")
            if judged.outcome in ("wrong", "doubtful") and (
                base := find_logarithm_base(self, link) or find_base_of_sources(self, judged, left, right)
            ):
                judged = LinkVerdict(link, "right if", f"log is to the base {base}")
            if judged.outcome == "given" and (
                where := find_undefined(link, left.tree, right.tree, self.read_formula, self.judge)
            ):
                judged = LinkVerdict(link, "loses domain", f"defined only where {where}")
            explained = starts_with_phrase("reason", link.words_after) or is_partial_slope(link, left.tree)
            if judged.outcome == "wrong" and not judged.is_mistyped and explained:
                judged = replace(judged, reason=self.describe_slip(link) or judged.reason)
            if judged.outcome in ("wrong", "doubtful"):
                judged = reconsider_link(judged, links, left.tree, right.tree, self.judge, self.numbers)
            if judged.outcome in ("wrong", "doubtful") and self._holds_with_powers_inside(link):
                judged = LinkVerdict(link, "right if", "the power is that of the argument of the function")
            if (
                judged.outcome == "wrong"
                and self.has_signed_infinity
                and self._are_infinite(link, left.tree, right.tree)
            ):
                judged = LinkVerdict(link, "right if", "∞ is of either sign")
            if judged.outcome == "wrong" and (label := self._find_expression_meant(link, right.tree)):
                judged = LinkVerdict(link, "right if", f"it goes on from {label}")
            if judged.outcome == "wrong" and self._is_denied_next(left.tree, right.tree):
                judged = LinkVerdict(link, "not shown", "the next statement denies it")
            if judged.outcome in ("wrong", "doubtful") and self._is_defined_next(judged):
                judged = LinkVerdict(link, "not shown", "the next statement begins with other definitions")
            titles = (scope.title for scope in link.position.scope.lineage)
            if judged.outcome in ("wrong", "doubtful") and any(mentions("mistakes", each) for each in titles):
                judged = LinkVerdict(link, "not shown", "its heading speaks of mistakes")
            if judged.outcome in ("wrong", "doubtful") and link.position.scope.is_quotation:
                judged = LinkVerdict(link, "not shown", "the text looks for mistakes in it")
            if judged.outcome in ("wrong", "doubtful") and self.is_asked(link):
                judged = LinkVerdict(link, "not shown", "the text asks whether it is true")
            if judged.outcome in ("wrong", "doubtful") and (
                kind := self._name_other_kind(left.tree, right.tree)
            ):
                judged = LinkVerdict(link, "not shown", f"its letters stand for {kind}")
            judged = self._restrict_to_complex(weigh_evidence(judged, self.last_uses), left.tree, right.tree)
            yield accuse_word(judged, left.tree, right.tree)

    def _holds_with_powers_inside(self, link: ChainLink) -> bool:
        r"""Return whether a link holds by definitions of functions where powers belong to arguments that no
        bracket ends: `\ln f(x) = \ln (1 + 1/x)^x`."""
        sides = self.read_sides(link)
        open_ended = sides[0].open_ended | sides[1].open_ended
        left, right = (side.tree and take_powers_in(side.tree, open_ended) for side in sides)
        if left is None or right is None or (left, right) == (sides[0].tree, sides[1].tree):
            return False
        defined = self.facts.reduce_by_definitions(left, right)
        return defined is not None and self.are_equal(defined.left, defined.right)

    def _are_infinite(self, link: ChainLink, left: Tree, right: Tree) -> bool:
        """Return whether a limit is said to be ∞, and is -∞, in a text where ∞ is of either sign."""
        signed = link.right.lstrip().startswith("+")
        if signed or not self.has_signed_infinity or right != Tree("inf") or left.label != "limit":
            return False
        verdict = self.numbers.compare_by_relation(link.relation, left, Tree("*", (Tree("-1"), right)))
        return verdict.outcome == "equal"

    def _find_expression_meant(self, link: ChainLink, right: Tree) -> str:
        """Return the expression before a formula that begins with an equals sign in a new line, other than
        the one right before it, which its right side is equal to; "" for none."""
        for named in link.may_go_on_from if link.relation in ("=", "approx") else ():
            tree = self.read_formula(named).tree
            if tree is not None and tree.children and self.are_equal(tree, right):
                return named
        return ""

    def _is_denied_next(self, left: Tree, right: Tree) -> bool:
        """Return whether the next link says that the sides are not equal: `-8 = -7`, but `-8 ≠ -7`, also with
        the value of the right side."""
        following = self.next_link
        if following is None or following.relation != "!=":
            return False
        one, other = self.read_trees(following)
        return left == one and other is not None and (right == other or self.are_equal(right, other))

    def _is_defined_next(self, judged: LinkVerdict) -> bool:
        """Return whether the next statement of its list defines anew what an accusation uses."""
        following = self.next_link
        sides = [side.tree for side in self.read_sides(following)] if following else []
        return following is not None and is_defined_anew(judged, following, *sides)

    def _restrict_to_complex(self, judged: LinkVerdict, left: Tree, right: Tree) -> LinkVerdict:
        """Return the verdict on an equation with absolute values that is right of real numbers, where the
        text says that its letters are complex."""
        labels = {*left.list_labels(), *right.list_labels()}
        if judged.outcome != "right" or "abs" not in labels or not labels.isdisjoint(_SEVERAL_VALUES):
            return judged
        free = free_symbols(left) | free_symbols(right)
        # Real numbers are what letters stand for unless the text says otherwise.
        known = self.domains.list_complex(free, self.position, self.piece)
        verdict = self.judge.equal(left, right, known) if known else None
        if verdict is None or not verdict.witness:
            return judged
        outcome: LinkOutcome = "wrong" if self.is_stated_for_all(judged.link, left, right) else "right if"
        return LinkVerdict(judged.link, outcome, verdict.witness if outcome == "wrong" else verdict.condition)

    def _name_other_kind(self, *sides: Tree) -> str:
        """Return for what else than real numbers letters stand by what the text says; "" for none."""
        terms = [node for side in sides for node in side]
        parts = [part for node in terms if node.label in _AMBIGUOUS_FOR_SETS for part in node.children]
        if _EMPTY in parts or any(self.domains.stands_for_set(part.label, self.position) for part in parts):
            return "sets"
        operations = {node.label for node in terms if node.children}
        letters = [node.label for node in terms if not node.children]
        are_multiplied = bool(operations) and operations <= _SHARED_WITH_GROUPS
        if are_multiplied and any(
            self.domains.stands_for_member_of_group(name, self.position) for name in letters
        ):
            return "elements of a group"
        if not any(node.label in _AMBIGUOUS_FOR_COMPLEX for node in terms):
            return ""
        free = frozenset().union(*map(free_symbols, sides))
        said = [
            (fact.left, fact.right)
            for fact in self.facts.facts_about(free)
            for side in (fact.left, fact.right)
            if any(node.label == "conj" and free & free_symbols(node) for node in side)
        ]
        # What fails for any complex numbers does so here, unless the text says which ones are meant.
        failed = hold_for_complex(*sides) is False and all(hold_for_complex(*pair) for pair in said)
        return "complex numbers" if said and not failed else ""

    def _forget_redefined(self, link: ChainLink, left: Tree | None) -> None:
        """Forget what was said of a letter or function that an equation defines, but in a term that is not
        read."""
        head = left.children[0] if left is not None and left.label == "call" else left
        defines = link.relation in ("=", ":=", *_ASSIGNING)
        if defines and head is not None and not head.children and free_symbols(head):
            self.facts.go_to(link.position)
            self.facts.renew([head.label.rstrip("(")], link.position)

    def _renew_letters(self, link: ChainLink) -> None:
        """Introduce the letters anew that the text introduces up to a link, and note what words say of
        them."""
        while self.pending_renewals and self.pending_renewals[0][0] <= link.piece_index:
            piece, position, names = self.pending_renewals.pop(0)
            self._note_worded_equations(piece - 1, link)
            self.facts.renew(names, position)
        self._note_worded_equations(link.piece_index, link)

    def _note_worded_equations(self, piece: int, link: ChainLink) -> None:
        """Note the equations that words say of letters up to a piece, where they say it."""
        noted = False
        while self.pending_worded and self.pending_worded[0][0] <= piece:
            at, position, equations = self.pending_worded.pop(0)
            self.facts.go_to(position)
            for one in equations:
                self.facts.add_fact(one.left, one.right, one.words, link.line, piece=at)
            noted = True
        if noted:
            self.facts.go_to(link.position)

    def _is_set_anew(self, link: ChainLink, left: Tree, right: Tree) -> bool:
        """Return whether an equation supposes another term for a letter than an earlier paragraph: "For
        y = sin x …", and then "For y = cos x …"."""
        if link.index or link.relation != "=" or left.children or not (right.children and free_symbols(left)):
            return False
        if read_last_cue(link.words_before) != "given" or left.label in free_symbols(right):
            return False
        known = self.facts.reduce_by_facts(left, right)
        if known is not None and known.same:  # it says again what the letter was said to be
            return False
        return any(
            fact.left == left and fact.right != right and fact.right.children
            for fact in self.facts.facts_about(free_symbols(left))
            if fact.position.paragraph != link.position.paragraph
        )

    def _judge_link(
        self, link: ChainLink, left: Tree, right: Tree, equality_count: int, next_side: Tree | None
    ) -> LinkVerdict:
        if count_terms(left) + count_terms(right) > _MOST_TERMS:
            claimed = link.relation == "=" and not (link.of_problem or link.is_denied_directly)
            if claimed and (shorter := find_shorter_sum(left, right, _MOST_TERMS, self.are_equal)):
                return LinkVerdict(link, "wrong", shorter.reason)
            return LinkVerdict(link, "not shown", "a sum or product has too many terms")
        if self.redefines_star and STAR.search(link.left + link.right):
            return LinkVerdict(link, "unread", "the text defines an operation * of its own")
        if link.relation == ":=":
            self.keep_equation(link, left, right)
            return LinkVerdict(link, "given", "a definition")
        if link.relation == "congruent" or (link.modulus and link.relation == "="):
            modulus = (
                self.read_formula(link.modulus or self.modulus) if link.modulus or self.modulus else None
            )
            number = modulus.tree.label if modulus is not None and modulus.tree is not None else ""
            if WHOLE.match(number) and int(number):
                root = judge_congruence_root(link, left, right, self.congruence_before, int(number))
                if left.children or right.children:
                    self.congruence_before = link, left, right, int(number)
                root = root or judge_system(link, right, int(number), self.congruences)
                if root is not None:
                    return root
                if not left.children and (residue := find_residue(right, int(number))) is not None:
                    self.congruences.append((link, residue, int(number)))
            judged = judge_congruence(link, left, right, modulus, self.judge)
            other = self._find_stated_modulus(left, right)
            if judged.outcome == "wrong" and not link.modulus and other:
                return LinkVerdict(link, "right if", f"it is meant modulo {other}")
            # Without a modulus the sign says that both sides are the same whatever their variables are.
            identical = modulus is None and judged.outcome == "unread" and link.position.domain == NUMBERS
            if identical and not link.of_problem and (slip := self.describe_slip(link)):
                return LinkVerdict(link, "wrong", slip)
            return judged
        named = self.named_functions - self.facts.functions.keys()
        left, right = work_out_named(left, named), work_out_named(right, named)
        free = free_symbols(left) | free_symbols(right)
        if not free:
            judged = self.numbers.judge_numbers(link, count_members(left), count_members(right))
            # What is calculated is no letter: the limit of (1 - 1/n)^n is not e.
            calculated = not _OF_LIMITS.isdisjoint((*left.list_labels(), *right.list_labels()))
            unclear = calculated and link.relation == "=" and judged.outcome in ("not shown", "given")
            unclear = unclear and not judged.reason.startswith(SUPPOSED)
            if (
                unclear
                and not (link.of_problem or link.is_denied_directly)
                and (slip := self.describe_slip(link))
            ):
                return LinkVerdict(link, "wrong", slip)
            return judged
        if link.relation != "=":
            return InequalityLink(self, link, left, right).judge_inequality()
        if are_powers_of_one_set(left, right) and not (link.of_problem or is_supposed(link)):
            return LinkVerdict(link, "wrong", "their members are lists of other lengths")
        if outside := find_vector_outside(self.facts, self.judge, self.homogeneous_before, link, left, right):
            self.keep_equation(link, left, right)
            return LinkVerdict(link, "wrong", outside)
        self.homogeneous_before = (link, left) if right == ZERO else self.homogeneous_before
        # Two letters with such values need not commute.
        if not self.matrices.isdisjoint(free) or len(free & self._list_matrix_values()) > 1:
            return self.matrix_links.judge_equation(link, left, right)
        if root := judge_congruence_root(link, left, right, self.congruence_before, 0):
            self.keep_equation(link, left, right)
            return root
        self.equations.append((link, left, right))
        # a = b = 0 says that both are 0, unless a is worked out to b, though not quite.
        if next_side is not None and not free_symbols(next_side) and not forgets_mixed_terms(left, right):
            equality_count = 1
        judged = EquationLink(self, link, left, right, equality_count).judge_equation()
        if judged.outcome in ("follows", "not shown"):
            judged = reconsider_root(judged, self, left, right)
        if judged.outcome in ("given", "not shown") and not (link.of_problem or link.is_denied_directly):
            judged = self._judge_as_slip(judged, left, right, next_side)
        if judged.outcome in ("given", "not shown", "doubtful") and (
            witness := refute_equation(self, link, left, right)
        ):
            judged = LinkVerdict(link, "wrong", f"it fails at {witness}")
        # A function that is written in another form is still defined once.
        is_own_definition = (
            judged.outcome == "follows" and left.label == "call" and free_symbols(left) & free_symbols(right)
        )
        if is_own_definition and self.facts.reduce_by_definitions(left, right):
            return judged
        # |x| = -x says of which x a text speaks.
        of_sign = judged.outcome == "right if" and left.label == "abs" and not self.has_several_equations
        if (
            judged.outcome not in ("right", "wrong", "right if")
            or judged.reason.startswith("given")
            or of_sign
        ):
            step = None
            # The roots of an equation are looked for among the real numbers.
            if not self.domains.list_complex(free_symbols(left), self.position, self.piece):
                step = describe_failed_step(self.facts, link, left, right)
                step = step or find_lost_root(self.facts, link, left, right)
            self.keep_equation(link, left, right)  # what follows from it follows all the same
            if step and judged.outcome in ("given", "not shown"):
                self.has_unfounded_step = True
                return LinkVerdict(link, "wrong", step.reason, evidence=step.evidence)
        return judged

    def _find_stated_modulus(self, left: Tree, right: Tree) -> int:
        """Return the value of a letter that the text states, by which a congruence without a modulus holds:
        "if p = 13, then 12! ≡ -1"; 0 for none."""
        values = (
            int(fact.right.label)
            for fact in reversed(self.facts.in_scope)
            if fact.is_value and fact.left.label in _MODULI and fact.right.label.isdecimal()
        )
        return next((value for value in values if value > 1 and are_equal_modulo(left, right, value)), 0)

    def _judge_membership(self, link: ChainLink, left: Tree, right: Tree) -> LinkVerdict | None:
        """Return the verdict on a member, subset or divisor; None where it depends on variables."""
        label = _MEMBERSHIPS[link.relation]
        if label == "divides":
            # a number that divides another leaves no remainder
            statement = Tree("=", (Tree("mod", (right, left)), ZERO))
            numbers = (self.judge.holds(Tree("in", (side, Tree("ℤ")))).outcome for side in (left, right))
            if free_symbols(left) | free_symbols(right) or any(one != "equal" for one in numbers):
                return None
        else:
            statement = Tree(label, (left, right))
        letters = {*free_variables(statement), *(side.label for side in (left, right) if not side.children)}
        if any(name.isalpha() and name not in "ℕℤℚℝℂ" for name in letters):
            return None
        # What a function gives, e beside it, or the sign of an operation is no number that is written.
        if any(
            node.label in ("call", "e", "*") and (not node.children or node.label == "call") for node in left
        ):
            return None
        denied = link.relation.startswith(("not ", r"\n"))
        verdict = self.judge.holds(Tree("not", (statement,)) if denied else statement)
        if verdict.outcome == "equal":
            return LinkVerdict(link, "right", verdict.reason)
        if verdict.outcome != "different":
            return None
        # Statements to be called true or false are often of this kind.
        supposed = link.of_problem or link.is_denied_directly or not is_concluded(link)
        return LinkVerdict(link, "not shown" if supposed else "wrong", verdict.witness)

    def _judge_as_slip(
        self, judged: LinkVerdict, left: Tree, right: Tree, next_side: Tree | None
    ) -> LinkVerdict:
        """Return the verdict on an equation that fails: wrong where one change mends it, doubtful where one
        does that may be about something else."""
        link = judged.link
        # u = w = 0 says that both are 0, and not what they are to each other.
        if next_side and not (free_symbols(next_side) or left.children or right.children):
            return judged
        slip, other_accusation = "" if self._is_solved_next(left, right) else self.describe_slip(link), None
        mistake = Accusation(slip) if slip else None
        if (
            mistake is None
            and (other_accusation := self.find_near_consequence(link))
            and other_accusation.evidence.is_certain
        ):
            mistake = other_accusation
        valued = None
        # x = 1 is the edge of a region where the same formula goes on to solve 1 = ln x.
        if mistake is None and not self._is_solved_next(left, right):
            valued = find_recurrence_value(self.facts, link, left, right)
            valued = valued or find_closed_form_value(self.facts, link, left, right, self.judge)
            valued = valued or find_stated_member(self.facts, link, left, right)
            valued = valued or find_valued_statement(self.facts, link, left, right, self.judge)
            valued = valued or find_formula_value(self.facts, link, left, right)
        if valued is not None:
            # An angle that is given with a sign of degrees is kept as its number.
            is_in_degrees = any(DEGREES.search(fact.text) for fact in valued.used)
            if is_in_degrees and self.are_equal(take_degrees(valued.left), take_degrees(valued.right)):
                return self.conclude(link, valued.used)
            mistake = describe_failed_calculation(valued, self.judge, self.numbers)
            if mistake is None and self.judge.equal(valued.left, valued.right).outcome == "equal":
                return self.conclude(link, valued.used)
        if mistake is None and next_side is not None:
            odd = describe_odd_middle(self, link, left, right, next_side)
            mistake = Accusation(odd) if odd else None
        mistake = mistake or find_mistake_in_example(self, link, left, right)
        if mistake is not None and not self._holds_by_facts_where_defined(left, right):
            return LinkVerdict(link, "wrong", mistake.reason, evidence=mistake.evidence)
        other_accusation = other_accusation or self.find_vanishing_change(link) or self.find_unused_name(link)
        other_accusation = other_accusation or self.find_recent_slip(link)
        other_accusation = other_accusation or find_failed_root(self.facts, self.pieces, link, left, right)
        if other_accusation is None:
            return judged
        # x(0) = c_1 + c_2 = c_2 = 1 is an equation for c_2.
        if next_side and not other_accusation.evidence.is_certain and self._determines(next_side, right):
            return judged
        outcome: LinkOutcome = (
            "wrong" if other_accusation.evidence.is_certain and mistake is None else "doubtful"
        )
        return LinkVerdict(link, outcome, other_accusation.reason, evidence=other_accusation.evidence)

    def _determines(self, next_side: Tree, side: Tree) -> bool:
        """Return whether a chain goes on with a letter of a side alone, of which no value is known."""
        name = next_side.label
        return name in free_symbols(side) and not any(
            fact.left == next_side for fact in self.facts.facts_about(frozenset((name,)))
        )

    def _is_solved_next(self, left: Tree, right: Tree) -> bool:
        """Return whether the next equation has the root of an equation in one variable: it is solved."""
        names = free_symbols(left) | free_symbols(right)
        following = self.next_link
        if following is None or following.relation != "=" or len(names) != 1:
            return False
        one, other = (side.tree for side in self.read_sides(following))
        if one is None or other is None or free_symbols(one) | free_symbols(other) != names:
            return False
        (name,) = names
        roots = real_roots(left, right, name, {})
        value = None if one.children or free_symbols(other) else evaluate_term(other, {})
        if is_value_to_look_at(following, one, other):
            return False  # "For x = 0 this is …" solves nothing
        if value is not None and not roots:
            return values_agree(left, right, {name: value}) is True
        solved = [values_agree(one, other, {name: root}) for root in roots]
        return bool(roots) and all(solved) and not are_exactly_equal(one, other)

    def _holds_by_facts_where_defined(self, left: Tree, right: Tree) -> bool:
        """Return whether an equation holds under a condition by what was said: gcd(a, b) = a where b = 0."""
        reduced = self.facts.reduce_by_facts(left, right)
        # What contradicts itself holds for all.
        if reduced is None or not reduced.used or self.facts.find_contradiction(left, right, reduced.used):
            return False
        return self.judge.equal(reduced.left, reduced.right).outcome in ("equal", "equal if")

    def _list_matrix_values(self) -> frozenset[str]:
        """List the letters that the text says to be matrices with entries, as `x = (…)`, where they stand."""
        return frozenset(
            fact.left.label
            for fact in self.facts.in_scope
            if fact.right.label == "matrix" and not is_column(fact.right) and not fact.left.children
        )

    @property
    def matrix_links(self) -> MatrixLinks:
        """The judge of equations of matrices."""
        return MatrixLinks(
            terms=self.judge,
            numbers=self.numbers,
            facts=self.facts,
            matrices=self.matrices | self._list_matrix_values(),
            cases=self.cases,
            follow=self.conclude,
            state=self.keep_equation,
        )

    def _names_identity(self, position: Position) -> bool:
        """Return whether a product or power of letters was said to be e in the section of a position."""
        return any(
            fact.position.scope.section is position.scope.section and word.children and is_word_of_group(word)
            for fact in self.facts.every
            for word, other in ((fact.left, fact.right), (fact.right, fact.left))
            if other == IDENTITY
        )

    def judge_in_domain(self, judged: LinkVerdict, moduli: Moduli) -> LinkVerdict:
        """Judge a link anew that is wrong of ordinary numbers, where the text is about something else.

        Args:
            moduli: those that the text names.
        """
        self.position = judged.link.position
        left, right = (side.tree for side in self.read_sides(judged.link))
        if left is None or right is None:
            return judged
        here = judged.link.position
        if is_slip_of_word(judged):
            return judged
        if is_word_of_group(left) and is_word_of_group(right) and self._names_identity(here):
            return replace(judged, outcome="not shown", reason="e is the identity of a group here")
        rings = moduli.describe_rings(here, judged.link.piece_index)
        if root := judge_root_in_ring(judged, left, right, rings):
            return root
        # Laws of rings and residues are known by the change that makes them ones.
        if here.domain in (ALGEBRA, "residues") and judged.outcome == "wrong" and not judged.is_mistyped:
            judged = replace(judged, reason=self.describe_slip(judged.link) or judged.reason)
        return judge_in_domain(judged, left, right, rings, self.matrices)
